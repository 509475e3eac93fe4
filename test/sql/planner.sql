--
-- What the planner expects: rows and costs
--

CREATE FUNCTION plan(query text) RETURNS json LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan';
END
$$;
CREATE FUNCTION expected_rows(query text) RETURNS float8 LANGUAGE sql
RETURN (plan(query) ->> 'Plan Rows')::float8;
-- within a factor of two
CREATE FUNCTION close(query text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	actual bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM (' || query || ') s' INTO actual;
	-- no plan expects less than a row
	RETURN expected_rows(query) BETWEEN actual / 2.0 AND greatest(actual * 2.0, 1);
END
$$;

CREATE TABLE numbers WITH (autovacuum_enabled = off) AS
SELECT i AS id, CASE WHEN i % 2 = 0 THEN i END AS half_null FROM generate_series(1, 20000) i;
ANALYZE numbers;

-- a constant filter: the keys it has for the distinct values of the column,
-- and the rate of the others
SELECT how,
	close(format('SELECT FROM numbers WHERE bloom_contains(%L::bloom, id)', f)) AS contains,
	close(format('SELECT FROM numbers WHERE %L::bloom @> id', f)) AS "@>",
	close(format('SELECT FROM numbers WHERE id <@ %L::bloom', f)) AS "<@",
	abs(20000 - expected_rows(format('SELECT FROM numbers WHERE %L::bloom @> id', f)) -
		expected_rows(format('SELECT FROM numbers WHERE NOT %L::bloom @> id', f))) <= 1 AS "not",
	close(format('SELECT FROM numbers WHERE %L::bloom @> half_null', f)) AS half_null
FROM (
	SELECT 'few', bloom_agg(i * 200) FROM generate_series(1, 100) i
	UNION ALL
	SELECT 'many', bloom_agg(i) FROM generate_series(1, 5000) i
	UNION ALL
	SELECT 'a high rate', bloom_agg(-i, 0.3) FROM generate_series(1, 200) i
	UNION ALL
	SELECT 'all and more', bloom_agg(i) FROM generate_series(-10000, 30000) i
) AS v(how, f);
SELECT expected_rows(format('SELECT FROM numbers WHERE %L::bloom @> id',
	bloom_create(10))) AS empty,
	expected_rows('SELECT FROM numbers WHERE NULL::bloom @> id') AS "null";

-- of the other types, too
SELECT type,
	close(format('SELECT FROM numbers WHERE %s_contains(%L::%s, id)', type, f, type)) AS contains,
	close(format('SELECT FROM numbers WHERE %L::%s @> id', f, type)) AS "@>",
	close(format('SELECT FROM numbers WHERE id <@ %L::%s', f, type)) AS "<@",
	expected_rows(format('SELECT FROM numbers WHERE %s_contains_any(%L::%s, ARRAY[id])',
		type, f, type)) AS any,
	(plan(format('SELECT FROM numbers WHERE %L::%s @> id', f, type)) ->> 'Total Cost')::float8 >
		(plan('SELECT FROM numbers') ->> 'Total Cost')::float8 AS costs
FROM (
	SELECT 'counting_bloom', counting_bloom_agg(i * 200)::text FROM generate_series(1, 100) i
	UNION ALL
	SELECT 'counting_bloom', counting_bloom_agg(i)::text FROM generate_series(1, 5000) i
	UNION ALL
	SELECT 'cuckoo', cuckoo_agg(i * 200)::text FROM generate_series(1, 100) i
	UNION ALL
	SELECT 'cuckoo', cuckoo_agg(i)::text FROM generate_series(1, 5000) i
) AS v(type, f);

-- several layers
SELECT close(format('SELECT FROM numbers WHERE %L::bloom @> id',
	bloom_add_all(bloom_create(100), (SELECT array_agg(i) FROM generate_series(1, 3000) i))))
	AS layers;

-- common values are looked up in the filter
CREATE TABLE skewed AS
SELECT (ARRAY['one', 'two', 'three'])[1 + i % 3]::varchar AS word FROM generate_series(1, 3000) i
UNION ALL
SELECT 'rare ' || i % 2500 FROM generate_series(1, 5000) i;
ANALYZE skewed;
SELECT words,
	close(format('SELECT FROM skewed WHERE %L::bloom @> word',
		bloom_add_all(bloom_create(10), words))) AS "@>",
	close(format('SELECT FROM skewed WHERE word <@ %L::bloom',
		bloom_add_all(bloom_create(10), words))) AS "<@",
	close(format('SELECT FROM skewed WHERE bloom_contains(%L::bloom, word)',
		bloom_add_all(bloom_create(10), words))) AS contains
FROM (VALUES (ARRAY['one']), (ARRAY['one', 'two']),
	(ARRAY['one', 'two', 'three', 'four'])) v(words);
SELECT close(format('SELECT FROM skewed WHERE bloom_contains(%L::bloom, word)',
	(SELECT bloom_agg('rare ' || i) FROM generate_series(1, 500) i))) AS rare;

-- one that is no key of this filter's family does not disturb the planning
SELECT expected_rows('SELECT FROM skewed WHERE bloom_add(bloom_create(1), 1) @> word') < 100
	AS other_family;
-- the values of a column under a cast that changes nothing but their type
CREATE TABLE relations WITH (autovacuum_enabled = off) AS
SELECT (ARRAY['pg_class', 'pg_proc', 'pg_type']::regclass[])[1 + i % 3] AS rel
FROM generate_series(1, 3000) i;
ANALYZE relations;
SELECT close(format('SELECT FROM relations WHERE %L::bloom @> rel::oid',
	bloom_add(bloom_create(1), 'pg_class'::regclass::oid))) AS regclass,
	close(format('SELECT FROM skewed WHERE %L::bloom @> word::text',
		bloom_add(bloom_create(1), 'one'))) AS varchar;
DROP TABLE relations;
-- the estimators of another operator, whose arguments are no filters
CREATE FUNCTION same(int8, int8) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN $1 = $2; END';
CREATE FUNCTION is_one(int8) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN $1 = 1; END';
CREATE OPERATOR ### (LEFTARG = int8, RIGHTARG = int8, FUNCTION = same,
	RESTRICT = bloom_contains_sel, JOIN = bloom_contains_joinsel);
CREATE OPERATOR !## (RIGHTARG = int8, FUNCTION = is_one, RESTRICT = bloom_contains_sel);
SELECT expected_rows('SELECT FROM numbers WHERE 4096::int8 ### id') AS "two arguments",
	expected_rows('SELECT FROM numbers WHERE !## id') AS "one";
DROP OPERATOR ### (int8, int8);
DROP OPERATOR !## (NONE, int8);
DROP FUNCTION same, is_one;

-- only where the user may see them: the rows that a policy hides stay hidden
CREATE ROLE regress_bloomtype_reader;
ALTER TABLE skewed ENABLE ROW LEVEL SECURITY;
CREATE POLICY rare ON skewed FOR SELECT USING (word LIKE 'rare %');
GRANT SELECT ON skewed TO regress_bloomtype_reader;
SET ROLE regress_bloomtype_reader;
SELECT expected_rows(format('SELECT FROM skewed WHERE %L::bloom @> word',
	bloom_add(bloom_create(10), 'one'))) < 100 AS hidden;
RESET ROLE;
SELECT expected_rows(format('SELECT FROM skewed WHERE %L::bloom @> word',
	bloom_add(bloom_create(10), 'one'))) > 900 AS seen;
DROP OWNED BY regress_bloomtype_reader;
DROP ROLE regress_bloomtype_reader;
DROP TABLE skewed;

-- a parameter: known in a custom plan, not in a generic one
PREPARE probe(bloom) AS SELECT FROM numbers WHERE $1 @> id;
SET plan_cache_mode = force_custom_plan;
SELECT expected_rows(format('EXECUTE probe(%L)', bloom_agg(i * 200))) BETWEEN 50 AND 200 AS custom
FROM generate_series(1, 100) i;
SET plan_cache_mode = force_generic_plan;
SELECT expected_rows(format('EXECUTE probe(%L)', bloom_agg(i * 200))) AS generic
FROM generate_series(1, 100) i;
RESET plan_cache_mode;
DEALLOCATE probe;

-- what is not known passes one row in ten: filters from queries and tables,
-- columns without statistics, arrays
CREATE TABLE filters (id int, f bloom);
INSERT INTO filters SELECT 1, bloom_agg(i, 100000, 0.01) FROM generate_series(1, 1000) i;
CREATE TABLE unknown WITH (autovacuum_enabled = off) AS
SELECT i AS id FROM generate_series(1, 100) i;
ANALYZE filters;
SELECT expected_rows('SELECT FROM numbers WHERE (SELECT f FROM filters) @> id') AS "sub-select @>",
	expected_rows('SELECT FROM numbers WHERE bloom_contains((SELECT f FROM filters), id)')
		AS "sub-select",
	expected_rows('SELECT FROM numbers n, filters WHERE f @> n.id') AS "join @>",
	expected_rows('SELECT FROM numbers n, filters WHERE n.id <@ f') AS "join <@",
	expected_rows('SELECT FROM numbers n, filters WHERE bloom_contains(f, n.id)') AS "join",
	expected_rows(format('SELECT FROM numbers WHERE bloom_contains_any(%L, ARRAY[id, 1])',
		bloom_create(1))) AS any,
	expected_rows(format('SELECT FROM numbers WHERE bloom_contains_all(%L, ARRAY[id, 1])',
		bloom_create(1))) AS all;
SELECT expected_rows(format('SELECT FROM unknown WHERE bloom_contains(%L, id)', bloom_create(1))) =
	expected_rows('SELECT FROM unknown WHERE bloom_contains((SELECT f FROM filters), id)')
		AS unknown;


-- after conditions that are cheaper, before those that are not
CREATE FUNCTION slow(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
SELECT position('> 5' IN filter) < position('bloom' IN filter) AS after_cheap,
	position('bloom' IN filter) < position('slow' IN filter) AS before_slow
FROM (
	SELECT replace(plan('SELECT FROM numbers
		WHERE slow(id) AND bloom_contains((SELECT f FROM filters), id) AND id > 5') ->> 'Filter',
		'$0', '')
	UNION ALL
	SELECT replace(plan('SELECT FROM numbers
		WHERE slow(id) AND id <@ (SELECT f AS bloom FROM filters) AND id > 5') ->> 'Filter',
		'<@', 'bloom')
) s(filter);

-- a filter that is stored out of line costs more than one in its row, and
-- one that meets many rows less for each
CREATE FUNCTION cost(query text) RETURNS float8 LANGUAGE sql
RETURN (plan(query) ->> 'Total Cost')::float8;
CREATE TABLE stored AS
SELECT i AS id, bloom_agg(j, 10000, 0.01) AS f
FROM generate_series(1, 100) i, generate_series(1, 200) j GROUP BY i;
CREATE TABLE in_row AS
SELECT i AS id, bloom_agg(j) AS f
FROM generate_series(1, 100) i, generate_series(1, 50) j GROUP BY i;
ANALYZE stored;
ANALYZE in_row;
SELECT cost('SELECT FROM stored WHERE f @> 1') >
	5 * cost('SELECT FROM in_row WHERE f @> 1') AS stored,
	cost('SELECT FROM stored, numbers n WHERE f @> n.id') <
		2 * cost('SELECT FROM in_row, numbers n WHERE f @> n.id') AS stored_many_rows,
	cost('SELECT FROM stored, numbers n WHERE f @> n.id') >
		cost('SELECT FROM in_row, numbers n WHERE f @> n.id') AS stored_costs_more;
SELECT cost(format('SELECT FROM numbers WHERE %L::bloom @> id',
	bloom_add_all(bloom_create(100), (SELECT array_agg(i) FROM generate_series(1, 3000) i)))) >
	cost(format('SELECT FROM numbers WHERE %L::bloom @> id',
		bloom_add(bloom_create(100), 1))) AS layers_cost_more,
	cost('SELECT FROM numbers
		WHERE bloom_contains_any((SELECT f FROM filters), ARRAY[id, 1, 2, 3, 4, 5, 6, 7, 8, 9])') >
	cost('SELECT FROM numbers
		WHERE bloom_contains_any((SELECT f FROM filters), ARRAY[id])') AS elements_cost_more;

DROP TABLE numbers, filters, unknown, stored, in_row;
DROP FUNCTION plan, expected_rows, close, cost, slow;
