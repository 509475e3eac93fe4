--
-- What the planner expects: rows and costs
--
\a\t

\set ECHO none
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
\set ECHO all

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

-- what is not known passes one row in ten: filters from tables, columns without
-- statistics, arrays that are columns
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
	expected_rows('SELECT FROM numbers n, filters,
		(SELECT array_agg(id) AS ids FROM unknown) s WHERE bloom_contains_any(f, ids)')
		AS any,
	expected_rows('SELECT FROM numbers n, filters,
		(SELECT array_agg(id) AS ids FROM unknown) s WHERE bloom_contains_all(f, ids)')
		AS all;
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

-- of two filters, the one that drops most first: here a list, with the other in a layer
SELECT position('@> half_null' IN filter) < position('@> id' IN filter) AS drops_most_first
FROM (SELECT plan('SELECT FROM numbers WHERE (SELECT bloom_agg(id) FROM numbers WHERE id <= 18000) @> id
	AND (SELECT bloom_agg(id) FROM numbers WHERE id <= 10) @> half_null') ->> 'Filter') s(filter);

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
		2 * cost('SELECT FROM in_row, numbers n WHERE f @> n.id') AS stored_many_rows;
-- in a table without statistics, filters count as those in their rows
CREATE TABLE never_analysed (f bloom) WITH (autovacuum_enabled = off);
CREATE FUNCTION cost_for_each_row(name text) RETURNS float8 LANGUAGE sql
RETURN (cost(format('SELECT FROM %s WHERE f @> 1', name)) - cost('SELECT FROM ' || name)) /
	expected_rows('SELECT FROM ' || name);
SELECT round(cost_for_each_row('never_analysed')::numeric, 3) =
	round(cost_for_each_row('in_row')::numeric, 3) AS never_analysed;
DROP FUNCTION cost_for_each_row(text);
DROP TABLE never_analysed;
SELECT cost(format('SELECT FROM numbers WHERE %L::bloom @> id',
	bloom_add_all(bloom_create(100), (SELECT array_agg(i) FROM generate_series(1, 3000) i)))) >
	cost(format('SELECT FROM numbers WHERE %L::bloom @> id',
		bloom_add(bloom_create(100), 1))) AS layers_cost_more,
	cost('SELECT FROM numbers
		WHERE bloom_contains_any((SELECT f FROM filters), ARRAY[id, 1, 2, 3, 4, 5, 6, 7, 8, 9])') >
	cost('SELECT FROM numbers
		WHERE bloom_contains_any((SELECT f FROM filters), ARRAY[id])') AS elements_cost_more;

-- a cost that is asked for without a query: a function is inlined if its argument is cheap
CREATE FUNCTION twice(boolean) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN $1 AND $1 IS NOT NULL;
SELECT expected_rows('SELECT FROM numbers n, filters WHERE twice(bloom_contains(f, n.id))') > 0 AS native,
	expected_rows(format('SELECT FROM numbers WHERE twice(external_bloom_contains(%L::bytea, ''guava_int'', id))',
		external_bloom_agg(id, 'guava_int', 0.01))) > 0 AS external
FROM unknown;
DROP FUNCTION twice;
-- or before the query has relations, when variables of outer levels are still such
SELECT condition, expected_rows(format('SELECT (SELECT count(*) FROM in_row i WHERE %s) FROM unknown u',
	condition)) > 0 AS planned
FROM unnest(ARRAY['u.id <@ ANY (SELECT f FROM filters)',
	'(f @> u.id) NOT IN (SELECT f @> 1 FROM filters)',
	'(f @> sum(u.id)) NOT IN (SELECT f @> 1 FROM filters)',
	'bloom_contains_any(f, ARRAY[u.id, i.id]) NOT IN (SELECT f @> 1 FROM filters)']) condition;
-- to charge for a filter is no reason to call the function that it comes from
CREATE FUNCTION no_filter() RETURNS bloom STABLE LANGUAGE plpgsql AS $$BEGIN RAISE 'called'; END$$;
CREATE FUNCTION no_keys() RETURNS int[] STABLE LANGUAGE plpgsql AS $$BEGIN RAISE 'called'; END$$;
SELECT expected_rows('SELECT bloom_contains(no_filter(), id) FROM numbers') AS filter,
	expected_rows('SELECT CASE WHEN id < 0 THEN no_filter() @> id END FROM numbers') AS operator,
	expected_rows('SELECT bloom_contains_any(f, no_keys()) FROM filters') AS keys;
DROP FUNCTION no_filter, no_keys;

--
-- Arrays: as the calls with their elements, joined by OR or AND
--

SELECT elements,
	close(format('SELECT FROM numbers WHERE bloom_contains_any(%L::bloom, ARRAY[%s])',
		f, elements)) AS any,
	close(format('SELECT FROM numbers WHERE bloom_contains_all(%L::bloom, ARRAY[%s])',
		f, elements)) AS all
FROM bloom_add_all(bloom_create(1), (SELECT array_agg(i) FROM generate_series(1, 100) i)) f,
	unnest(ARRAY['id', 'id, 20001 - id', 'NULL, id'])
		elements;
-- of a filter from a sub-select
SELECT share,
	close(format('SELECT FROM numbers WHERE bloom_contains_any(
		(SELECT bloom_agg(id) FROM numbers WHERE id <= %s), ARRAY[id, 20001 - id])', share))
		AS any,
	close(format('SELECT FROM numbers WHERE bloom_contains_all(
		(SELECT bloom_agg(id) FROM numbers WHERE id <= %s), ARRAY[id])', share))
		AS all
FROM unnest(ARRAY[200, 2000, 9000]) share;
-- constant arrays, and filters of which nothing is known
SELECT expected_rows('SELECT FROM in_row WHERE f @> 1') AS one,
	expected_rows('SELECT FROM in_row WHERE bloom_contains_any(f, ''{1,2,3}''::int[])') AS any,
	expected_rows('SELECT FROM in_row WHERE f @> 1 OR f @> 2 OR f @> 3') AS "or",
	expected_rows('SELECT FROM in_row WHERE bloom_contains_all(f, ''{1,2}''::int[])') AS all,
	expected_rows('SELECT FROM in_row WHERE f @> 1 AND f @> 2') AS "and",
	expected_rows('SELECT FROM in_row WHERE bloom_contains_any(f, ''{1,NULL}''::int[])')
		AS any_null,
	expected_rows('SELECT FROM in_row WHERE bloom_contains_all(f, ''{1,NULL}''::int[])')
		AS all_null,
	expected_rows('SELECT FROM in_row WHERE bloom_contains_any(f, ''{}''::int[])') AS any_empty,
	expected_rows('SELECT FROM in_row WHERE bloom_contains_all(f, ''{}''::int[])') AS all_empty;

--
-- Filters that the query makes: as many keys as the aggregate meets
--

CREATE TABLE visits WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 2000 AS visitor, i / 2000 AS day FROM generate_series(0, 19999) i;
ANALYZE visits;

-- 1 %, 10 % and 90 % of the keys
SELECT keys,
	bool_and(close(format('SELECT FROM numbers WHERE bloom_contains(%s, id)', f))) AS contains,
	bool_and(close(format('SELECT FROM numbers WHERE %s @> id', f))) AS "@>",
	bool_and(close(format('SELECT FROM numbers WHERE id <@ %s', f))) AS "<@",
	bool_and(close(format('SELECT FROM numbers WHERE NOT id <@ %s', f))) AS "not",
	bool_and(close(format('SELECT FROM numbers WHERE (id <@ %s) IS NOT FALSE', f)))
		AS not_false,
	bool_and(close(format('SELECT FROM numbers WHERE %s @> half_null', f))) AS half_null,
	bool_and(close(format('SELECT FROM visits WHERE %s @> id / 1', f))) AS expression
FROM unnest(ARRAY[200, 2000, 18000]) keys,
	LATERAL (SELECT format('(SELECT bloom_agg(id) FROM numbers WHERE id <= %s)', keys)) s(f)
GROUP BY keys ORDER BY keys;
-- by each of the aggregates; also at other rates, and at ten times the capacity
SELECT aggregate, bool_and(close(format(
	'SELECT FROM numbers WHERE (SELECT %s FROM numbers WHERE id <= %s) @> id',
	aggregate, keys))) AS close
FROM unnest(ARRAY[200, 2000, 18000]) keys, unnest(ARRAY[
	'bloom_agg(id, 0.3)',
	'bloom_agg(id, 20000, 0.3)',
	'bloom_agg(id, NULL, 0.3)',
	'bloom_agg(bloom_key(id))',
	'bloom_agg(bloom_key(id), 0.3)',
	'bloom_agg(bloom_key(id), 20000, 0.3)',
	'counting_bloom_agg(id)',
	'counting_bloom_agg(id, 0.3)',
	'counting_bloom_agg(id, 20000, 0.3)',
	'cuckoo_agg(id)',
	'cuckoo_agg(id, 0.1)',
	'cuckoo_agg(id, 20000, 0.1)',
	'bloom_shrink(bloom_agg(id))',
	'counting_bloom_agg(id)::bloom']) WITH ORDINALITY aggregate(aggregate, i)
GROUP BY aggregate, i ORDER BY i;
SET client_min_messages = error;
SELECT close('SELECT FROM numbers
	WHERE (SELECT bloom_agg(id, 1000, 0.01) FROM numbers WHERE id <= 2000) @> id') AS twice,
	close('SELECT FROM numbers
	WHERE (SELECT bloom_agg(id, 1000, 0.01) FROM numbers WHERE id <= 10000) @> id') AS ten_times;
RESET client_min_messages;
-- and of more keys than a bigint can count, which are taken for all that there are
SELECT aggregate, expected_rows(format('SELECT FROM numbers WHERE (SELECT %s_agg(a.id + b.id + c.id + d.id + e.id)
		FROM numbers a, numbers b, numbers c, numbers d, numbers e) @> id', aggregate)) AS expected
FROM unnest('{bloom,counting_bloom,cuckoo}'::text[]) aggregate;

-- columns that are not unique, conditions on them and on others, joins
SELECT conditions,
	close(format('SELECT FROM numbers
		WHERE (SELECT bloom_agg(visitor) FROM visits WHERE %s) @> id', conditions)) AS built,
	close(format('SELECT FROM visits
		WHERE (SELECT bloom_agg(visitor) FROM visits WHERE %s) @> visitor', conditions))
		AS built_and_probed,
	close(format('SELECT FROM numbers
		WHERE (SELECT bloom_agg(visitor) FILTER (WHERE %s) FROM visits) @> id', conditions))
		AS filter
FROM unnest(ARRAY['true', 'day = 3', 'visitor < 200', 'visitor < 200 AND day > 4',
	'visitor IN (1, 2, 3)', 'visitor = 1999']) conditions;
-- a value that nine rows in ten have: a condition that drops these rows drops one key
CREATE TABLE mostly_zero WITH (autovacuum_enabled = off) AS
SELECT CASE WHEN i % 10 = 0 THEN i % 1000 + 10 ELSE 0 END AS visitor FROM generate_series(1, 20000) i;
ANALYZE mostly_zero;
SELECT close('SELECT FROM numbers
		WHERE (SELECT bloom_agg(visitor) FROM mostly_zero WHERE visitor <> 0) @> id') AS built,
	close('SELECT FROM numbers
		WHERE (SELECT bloom_agg(visitor) FILTER (WHERE visitor <> 0) FROM mostly_zero) @> id') AS filter;
DROP TABLE mostly_zero;
SELECT close('SELECT FROM visits
	WHERE (SELECT bloom_agg(id) FROM numbers WHERE id < 20) @> visitor') AS one_percent,
	close('SELECT FROM visits
	WHERE (SELECT bloom_agg(id) FROM numbers WHERE id < 1800) @> visitor') AS ninety_percent,
	close('SELECT FROM numbers WHERE (SELECT bloom_agg(n.id)
		FROM numbers n JOIN visits v ON n.id = visitor WHERE day = 2) @> id') AS "join",
	close('SELECT FROM numbers WHERE (SELECT bloom_agg(n.id)
		FROM numbers n LEFT JOIN visits v ON n.id = visitor WHERE n.id < 200) @> id')
		AS left_join;

-- a sub-select in parallel: its rows, not those of one process
ALTER TABLE numbers SET (parallel_workers = 6);
SET max_parallel_workers_per_gather = 6;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SELECT plan(query)::text LIKE '%InitPlan%Gather%Partial%' AS parallel, close(query)
FROM (VALUES ('SELECT FROM visits
	WHERE (SELECT bloom_agg(id) FROM numbers WHERE id <= 18000) @> visits.id')) v(query);
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
ALTER TABLE numbers RESET (parallel_workers);

-- through WITH, FROM, and other levels of the query
SELECT through, bool_and(close(format(query, keys))) AS close
FROM unnest(ARRAY[200, 18000]) keys, (VALUES
	(1, 'WITH',
	'WITH f AS (SELECT bloom_agg(id) AS f FROM numbers WHERE id <= %s)
		SELECT FROM numbers WHERE (SELECT f FROM f) @> id'),
	(2, 'WITH MATERIALIZED',
	'WITH f AS MATERIALIZED (SELECT bloom_agg(id) AS f FROM numbers WHERE id <= %s)
		SELECT FROM numbers WHERE (SELECT f FROM f) @> id'),
	(3, 'two WITH, FROM',
	'WITH f AS MATERIALIZED (SELECT 1, bloom_agg(id) AS f FROM numbers WHERE id <= %s),
		g AS MATERIALIZED (SELECT f AS g FROM f)
		SELECT FROM numbers WHERE (SELECT h FROM (SELECT g, 1 FROM g) h(h, i)) @> id'),
	(4, 'WITH in FROM',
	'WITH f AS (SELECT bloom_agg(id) AS f FROM numbers WHERE id <= %s)
		SELECT FROM numbers, f WHERE f @> id'),
	(5, 'WITH MATERIALIZED in FROM',
	'WITH f AS MATERIALIZED (SELECT bloom_agg(id) AS f FROM numbers WHERE id <= %s)
		SELECT FROM numbers JOIN f ON id <@ f'),
	(6, 'FROM',
	'SELECT FROM numbers n, (SELECT bloom_agg(id) FROM numbers WHERE id <= %s) s(f)
		WHERE bloom_contains(f, id)'),
	(7, 'LEFT JOIN',
	'SELECT FROM numbers n LEFT JOIN (SELECT bloom_agg(id) FROM numbers WHERE id <= %s) s(f)
		ON true WHERE bloom_contains(f, id)'),
	(8, 'EXISTS',
	'SELECT FROM numbers WHERE EXISTS (SELECT
		FROM (SELECT bloom_agg(id) FROM numbers WHERE id <= %s) s(f) WHERE f @> id)'),
	(9, 'a sub-select is probed',
	'SELECT FROM (SELECT DISTINCT id FROM numbers) s
		WHERE (SELECT bloom_agg(id) FROM numbers WHERE id <= %s) @> id'),
	(10, 'UNION ALL is probed',
	'SELECT FROM (SELECT id FROM numbers UNION ALL SELECT id + 1 FROM numbers) s
		WHERE (SELECT bloom_agg(id) FROM numbers WHERE id <= %s) @> id')) q(i, through, query)
GROUP BY i, through ORDER BY i;

-- partitions
CREATE TABLE parts (id int, code int) PARTITION BY RANGE (id);
CREATE TABLE low PARTITION OF parts FOR VALUES FROM (0) TO (10000);
CREATE TABLE high PARTITION OF parts FOR VALUES FROM (10000) TO (30000)
	PARTITION BY RANGE (id);
CREATE TABLE higher (code int, more int, id int);
ALTER TABLE higher DROP COLUMN more;
ALTER TABLE high ATTACH PARTITION higher FOR VALUES FROM (15000) TO (20000);
CREATE TABLE middle PARTITION OF high FOR VALUES FROM (10000) TO (15000);
INSERT INTO parts SELECT i, i % 1000 FROM generate_series(0, 19999) i;
ANALYZE parts;
SELECT conditions,
	close(format('SELECT FROM numbers
		WHERE (SELECT bloom_agg(id) FROM parts WHERE %s) @> id', conditions)) AS "unique",
	close(format('SELECT FROM numbers
		WHERE (SELECT bloom_agg(code) FROM parts WHERE %s) @> id', conditions)) AS not_unique,
	close(format('SELECT FROM parts
		WHERE (SELECT bloom_agg(code) FROM parts WHERE %s) @> code', conditions)) AS probed,
	close(format('SELECT FROM parts
		WHERE (SELECT bloom_agg(id) FROM numbers WHERE %s) @> id',
		replace(conditions, 'code', 'id'))) AS unique_probed,
	close(format('SELECT FROM parts
		WHERE %L::bloom @> id', (SELECT bloom_agg(i) FROM generate_series(1, 200) i)))
		AS constant
FROM unnest(ARRAY['true', 'id < 200', 'code < 100', 'id > 11000']) conditions;
DROP TABLE parts;
-- of all partitions one is read; the keys of the filter are spread over all
CREATE TABLE parts (id int, region int) PARTITION BY LIST (region);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF parts FOR VALUES IN (2, 3);
INSERT INTO parts SELECT i, i % 4 FROM generate_series(1, 20000) i;
ANALYZE parts;
SELECT region, close(format('SELECT FROM parts
		WHERE region = %s AND (SELECT bloom_agg(id) FROM numbers WHERE id <= 2000) @> id', region))
	AS one_partition
FROM generate_series(0, 2) region;
DROP TABLE parts;

-- A filter whose keys another filter selects, and so on.  What it takes to plan that grows with
-- the number of filters, not with a power of it: the first filter is asked for seldom.
CREATE FUNCTION first_filter() RETURNS bloom STABLE LANGUAGE plpgsql AS
$$
BEGIN
	PERFORM set_config('test.calls', (current_setting('test.calls')::int + 1)::text, false);
	RETURN bloom_create(10);
END
$$;
SELECT set_config('test.calls', '0', false) AS calls;
SELECT expected_rows(format('WITH f0 AS MATERIALIZED
	(SELECT bloom_agg(id) FILTER (WHERE first_filter() @> id) AS f FROM numbers)%s
	SELECT FROM numbers, f6 WHERE f @> id', string_agg(format(', f%s AS MATERIALIZED
	(SELECT bloom_agg(id) FILTER (WHERE (SELECT f FROM f%s) @> id) AS f FROM numbers)', i, i - 1),
	'' ORDER BY i))) > 0 AS planned
FROM generate_series(1, 6) i;
SELECT current_setting('test.calls')::int BETWEEN 1 AND 100 AS seldom;
DROP FUNCTION first_filter;

-- a number of rows without statistics is a limit, below one row in ten
SELECT close('SELECT FROM numbers
		WHERE (SELECT bloom_agg(i) FROM generate_series(1, 200) i) @> id') AS few_rows,
	expected_rows('SELECT FROM numbers
		WHERE (SELECT bloom_agg(i) FROM generate_series(1, 10000) i) @> id') AS many_rows;

-- nothing is known of other expressions
SELECT what, expected_rows(query) FROM (VALUES
	('union',
	'SELECT FROM numbers WHERE (SELECT bloom_agg(id) | bloom_agg(-id) FROM visits) @> id'),
	('coalesce',
	'SELECT FROM numbers WHERE (SELECT coalesce(bloom_agg(id), bloom_create(1))
		FROM visits) @> id'),
	('union of stored ones',
	'SELECT FROM numbers WHERE (SELECT bloom_union_agg(f) FROM filters) @> id'),
	('groups',
	'SELECT FROM numbers, (SELECT bloom_agg(visitor) FROM visits GROUP BY day LIMIT 1) s(f)
		WHERE f @> id'),
	('grouping sets',
	'SELECT FROM numbers WHERE (SELECT bloom_agg(id) FROM visits
		GROUP BY GROUPING SETS ((day), ()) LIMIT 1) @> id'),
	('set operation',
	'SELECT FROM numbers WHERE (SELECT bloom_agg(id) FROM visits
		UNION SELECT bloom_agg(id) FROM visits) @> id'),
	('no rows',
	'SELECT FROM numbers WHERE (SELECT bloom_agg(id) FROM visits WHERE false) @> id'),
	('no table',
	'SELECT FROM numbers WHERE (SELECT bloom_agg(5)) @> id'),
	('stored',
	'SELECT FROM numbers WHERE (SELECT s.f FROM (SELECT f, id FROM filters) s) @> id'),
	('other aggregate',
	'SELECT FROM numbers WHERE (SELECT (array_agg(f))[1] FROM filters) @> id'),
	('LATERAL',
	'SELECT FROM numbers n, LATERAL (SELECT bloom_agg(v.id) AS f FROM visits v
		WHERE v.id = n.id OFFSET 0) s WHERE f @> 5'),
	('recursive',
	'WITH RECURSIVE r AS (SELECT bloom_agg(id) AS f FROM visits UNION ALL
		SELECT f FROM r WHERE f @> 0) SELECT FROM numbers, (SELECT f FROM r LIMIT 1) s
		WHERE f @> id'),
	('INSERT',
	'WITH r AS (INSERT INTO filters SELECT 1, bloom_agg(id) FROM visits RETURNING f)
		SELECT FROM numbers WHERE (SELECT f FROM r) @> id')) v(what, query);
-- one that depends on an outer query, or is an aggregate of that
SELECT expected_rows('SELECT FROM numbers n WHERE EXISTS (SELECT FROM visits v
		WHERE (SELECT bloom_agg(visitor) FROM visits WHERE day = n.id) @> v.id)') > 0
		AS correlated,
	expected_rows('SELECT FROM numbers n GROUP BY half_null
		HAVING (SELECT bloom_agg(n.id) FROM unknown LIMIT 1) @> 5') > 0 AS outer_aggregate;
-- the aggregate of another, whose rate has another type
CREATE FUNCTION own_transition(internal, int, text) RETURNS internal LANGUAGE c
AS '$libdir/bloomtype', 'bloomtype_bloom_agg_transition';
CREATE AGGREGATE own_agg(int, text)
	(SFUNC = own_transition, STYPE = internal, FINALFUNC = bloom_agg_final);
SELECT expected_rows('SELECT FROM numbers
	WHERE (SELECT own_agg(id, ''one'') FROM numbers) @> id') AS own_aggregate;
DROP AGGREGATE own_agg(int, text);
DROP FUNCTION own_transition;

-- a cast whose support function meets the column of a set operation, which is of no
-- table
CREATE TYPE flag;
SET client_min_messages = warning;
CREATE FUNCTION flag_in(cstring) RETURNS flag LANGUAGE internal IMMUTABLE STRICT AS 'boolin';
CREATE FUNCTION flag_out(flag) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'boolout';
RESET client_min_messages;
CREATE TYPE flag (INPUT = flag_in, OUTPUT = flag_out, LIKE = boolean);
CREATE FUNCTION flag(bloom, int) RETURNS flag LANGUAGE c IMMUTABLE STRICT
AS '$libdir/bloomtype', 'bloomtype_contains' SUPPORT bloom_contains_support;
CREATE CAST (bloom AS flag) WITH FUNCTION flag(bloom, int) AS IMPLICIT;
SELECT 't'::flag UNION ALL (SELECT f FROM filters UNION ALL SELECT f FROM filters);
\set ECHO none
DROP CAST (bloom AS flag);
SET client_min_messages = error;
DROP TYPE flag CASCADE;
RESET client_min_messages;

--
-- Join order: the filter that lets few rows pass first, the one that lets many last
--

CREATE TABLE kinds (id int PRIMARY KEY, class int) WITH (autovacuum_enabled = off);
INSERT INTO kinds SELECT i, i % 40 FROM generate_series(1, 20000) i;
CREATE TABLE links (number int PRIMARY KEY, kind int) WITH (autovacuum_enabled = off);
INSERT INTO links SELECT i, i % 20000 + 1 FROM generate_series(1, 20000) i;
CREATE INDEX ON links (kind);
ANALYZE kinds;
ANALYZE links;

-- the tables of a plan, without those of its sub-selects
CREATE FUNCTION tables(plan json) RETURNS text[] LANGUAGE plpgsql AS
$$
BEGIN
	RETURN array_remove(array_append((SELECT array_agg(name)
		FROM json_array_elements(plan -> 'Plans') part, unnest(tables(part)) name
		WHERE part ->> 'Parent Relationship' <> 'InitPlan'), plan ->> 'Relation Name'), NULL);
END
$$;
-- the one that is joined to the others
CREATE FUNCTION joined_last(plan json) RETURNS text LANGUAGE sql AS
$$
SELECT (tables(part))[1] FROM json_array_elements(plan -> 'Plans') part
WHERE part ->> 'Parent Relationship' <> 'InitPlan' AND cardinality(tables(part)) = 1
$$;
\set ECHO all
SELECT keys, classes, joined_last(plan(format('SELECT FROM numbers n
	JOIN links ON number = n.id JOIN kinds ON kind = kinds.id
	WHERE (SELECT bloom_agg(id) FROM numbers WHERE id <= %s) @> n.id AND class < %s',
	keys, classes)))
FROM (VALUES (20, 1), (18000, 15)) v(keys, classes);

-- Values that are no keys are an error of the call, not of the planner that finds them in statistics.
CREATE TABLE hashed AS SELECT g, ARRAY[bloom_key(g)] AS ks FROM generate_series(1, 50) g;
ANALYZE hashed;
SELECT count(*) FROM hashed WHERE g < 0 AND bloom_contains(bloom_create(10) || 1, ks);
DROP TABLE hashed;

DROP TABLE visits, kinds, links;
DROP FUNCTION tables, joined_last;
DROP TABLE numbers, filters, unknown, stored, in_row;
DROP FUNCTION plan, expected_rows, close, cost, slow;
