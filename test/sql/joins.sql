--
-- Filters in joins: how many rows the planner expects, and whether the plans stay those of
-- the queries without filters
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

-- A query has filters as {relation: condition}.  What is expected of it is compared with the
-- rows that come, and with what is expected without the filters:
--
-- close	within a factor of two of the rows that come; or of that by which the server itself
--		is off without the filters, if that is more.  Where filter and join are marked as
--		independent conditions, too many rows may be expected
-- bounded	not more rows than without the filters, and not less than if all conditions were
--		independent: those of the relation alone, multiplied
CREATE FUNCTION judge(query text, independent boolean, OUT close boolean, OUT bounded boolean) LANGUAGE plpgsql AS
$$
DECLARE
	marked text := '\{([^:{}]+): ([^{}]*)\}';
	filtered text := regexp_replace(query, marked, '(\2)', 'g');
	plain text := regexp_replace(query, marked, 'true', 'g');
	-- no plan but that of no rows at all expects less than one
	expected float8 := greatest(expected_rows(filtered), 1);
	expected_plain float8 := greatest(expected_rows(plain), 1);
	product float8 := expected_plain;
	actual float8;
	actual_plain float8;
	filter text[];
BEGIN
	EXECUTE 'SELECT greatest(count(*), 1) FROM (' || filtered || ') s' INTO actual;
	EXECUTE 'SELECT greatest(count(*), 1) FROM (' || plain || ') s' INTO actual_plain;
	close := greatest(CASE WHEN NOT independent THEN expected / actual END, actual / expected)
		<= 1.01 * greatest(expected_plain / actual_plain, actual_plain / expected_plain, 2);

	FOR filter IN SELECT regexp_matches(query, marked, 'g') LOOP
		product := product * CASE WHEN filter[1] = '-' THEN 0 ELSE
			expected_rows(format('SELECT FROM %s WHERE %s', filter[1], filter[2])) /
			expected_rows('SELECT FROM ' || filter[1]) END;
	END LOOP;
	bounded := expected <= 1.01 * expected_plain + 1 AND expected >= 0.95 * product - 1;
	RAISE DEBUG 'expected % of %, if independent %; came % of %', expected, expected_plain,
		product, actual, actual_plain;
END
$$;

-- A fact of 30,000 rows, which ANALYZE reads as a whole: 2,000 customers, 600 parts, and 100
-- days, of which late ones are far more common.  There are twice as many parts and days.
CREATE TABLE fact WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 2000 AS customer, i * 7 % 600 AS part,
	(100 * sqrt(i / 30001.0))::int AS day, (i % 2000)::bigint AS wide,
	('c' || i % 2000)::varchar(20) AS code, CASE WHEN i % 2 = 0 THEN i % 2000 END AS half_null,
	i * 7 % 600 / 30 AS part_group, i % 11 AS eleven, 2.5 * i AS price
FROM generate_series(1, 30000) i;
CREATE TABLE customer WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 25 AS region, i / 250 AS quarter, ('c' || i)::varchar(20) AS code
FROM generate_series(0, 1999) i;
CREATE TABLE zone WITH (autovacuum_enabled = off) AS
SELECT i AS id, i / 5 AS continent FROM generate_series(0, 24) i;
CREATE TABLE part WITH (autovacuum_enabled = off) AS
SELECT i AS id, i / 30 AS part_group, i % 10 AS brand FROM generate_series(0, 1199) i;
CREATE TABLE day WITH (autovacuum_enabled = off) AS
SELECT i AS id, i / 10 AS month FROM generate_series(0, 199) i;
-- ten rows for each of 2,000 customers
CREATE TABLE visit WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 2000 AS customer, i / 2000 AS week FROM generate_series(0, 19999) i;
-- filters that are stored: of a tenth of all customers, parts and days
CREATE TABLE filter WITH (autovacuum_enabled = off) AS
SELECT 'customers' AS name, bloom_agg(i) AS f FROM generate_series(0, 1999, 10) i
UNION ALL
SELECT 'parts', bloom_agg(i) FROM generate_series(0, 1199, 10) i;
CREATE TABLE single WITH (autovacuum_enabled = off) AS
SELECT 1 AS id, bloom_agg(i) AS f FROM generate_series(0, 1999, 10) i;
ANALYZE fact, customer, zone, part, day, visit, filter, single;
-- and tables that were never analyzed
CREATE TABLE unknown WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 2000 AS customer FROM generate_series(1, 30000) i;
CREATE TABLE fresh WITH (autovacuum_enabled = off) AS SELECT f FROM single;

CREATE TABLE shape (n int GENERATED ALWAYS AS IDENTITY, what text, query text,
	independent boolean NOT NULL DEFAULT false);
CREATE VIEW judgement AS SELECT what, close, bounded FROM shape, judge(query, independent) ORDER BY n;

--
-- The filter is made of the rows that are joined
--

INSERT INTO shape (what, query, independent) VALUES
('inner',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE region = 3 AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('inner, by the function',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: bloom_contains((SELECT bloom_agg(id) FROM customer WHERE region = 3), customer)}', false),
('inner, by the other operator',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: customer <@ (SELECT bloom_agg(id) FROM customer WHERE region = 3)}', false),
('counting_bloom',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: (SELECT counting_bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('cuckoo',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: (SELECT cuckoo_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('any of an array',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: bloom_contains_any((SELECT bloom_agg(id) FROM customer WHERE region = 3), ARRAY[customer, -1])}', false),
('all of an array',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: bloom_contains_all((SELECT bloom_agg(id) FROM customer WHERE region = 3), ARRAY[customer])}', false),
('all of an array of two, with a partner each',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN part ON part = part.id
	WHERE customer.quarter = 0 AND part.part_group < 4
	AND {fact: bloom_contains_all((SELECT bloom_agg(id) FROM customer WHERE quarter = 0), ARRAY[customer, part])}', false),
('another system',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3 AND {fact: external_bloom_contains(
	(SELECT external_bloom_agg(id, ''guava_int'', 0.01) FROM customer WHERE region = 3), ''guava_int'', customer)}', false),
('EXISTS',
'SELECT FROM fact WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}
	AND EXISTS (SELECT FROM customer WHERE id = customer AND region = 3)', false),
('IN',
'SELECT FROM fact WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}
	AND customer IN (SELECT id FROM customer WHERE region = 3)', false),
('IN, with repeated values',
'SELECT FROM fact WHERE {fact: (SELECT bloom_agg(customer) FROM visit WHERE customer < 200) @> customer}
	AND customer IN (SELECT customer FROM visit WHERE customer < 200)', false),
('repeated values',
'SELECT FROM fact JOIN visit USING (customer) WHERE visit.customer < 20
	AND {fact: (SELECT bloom_agg(customer) FROM visit WHERE customer < 20) @> fact.customer}', false),
('repeated values, by another condition',
'SELECT FROM fact JOIN visit USING (customer) WHERE week = 3
	AND {fact: (SELECT bloom_agg(customer) FROM visit WHERE week = 3) @> fact.customer}', false),
('two filters, each with its join',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN part ON part = part.id
	WHERE region = 3 AND brand = 4
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}
	AND {fact: (SELECT bloom_agg(id) FROM part WHERE brand = 4) @> part}', false),
('three filters, each with its join',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN part ON part = part.id
	JOIN day ON day = day.id WHERE region < 5 AND brand = 4 AND month = 7
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region < 5) @> customer}
	AND {fact: (SELECT bloom_agg(id) FROM part WHERE brand = 4) @> part}
	AND {fact: (SELECT bloom_agg(id) FROM day WHERE month = 7) @> day}', false),
('a varchar',
'SELECT FROM fact JOIN customer USING (code) WHERE region = 3
	AND {fact: (SELECT bloom_agg(code) FROM customer WHERE region = 3) @> fact.code}', false),
('a wider number',
'SELECT FROM fact JOIN customer ON wide = customer.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> wide}', false),
('casts',
'SELECT FROM fact JOIN customer ON customer::bigint = customer.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id::numeric) FROM customer WHERE region = 3) @> bloom_key(customer)}', false),
('half the values are null',
'SELECT FROM fact JOIN customer ON half_null = customer.id WHERE region = 4
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 4) @> half_null}', false),
('a skewed column',
'SELECT FROM fact JOIN day ON day = day.id WHERE month < 5
	AND {fact: (SELECT bloom_agg(id) FROM day WHERE month < 5) @> day}', false),
('a composite key',
'SELECT FROM fact JOIN part ON part = part.id AND fact.part_group = part.part_group WHERE brand = 4
	AND {fact: (SELECT bloom_agg(ROW(id, part_group)) FROM part WHERE brand = 4)
		@> ROW(part, fact.part_group)}', false),
('an expression',
'SELECT FROM fact JOIN customer ON customer % 1000 = customer.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> (customer % 1000)}', false),
('all rows of the partner',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer) @> customer}', false),
('WITH MATERIALIZED',
'WITH f AS MATERIALIZED (SELECT bloom_agg(id) AS f FROM customer WHERE region = 3)
	SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE region = 3 AND {-: (SELECT f FROM f) @> customer}', false),
('bloom_shrink',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: (SELECT bloom_shrink(bloom_agg(id)) FROM customer WHERE region = 3) @> customer}', false),
('a joined sub-select that is pulled up',
'SELECT FROM (SELECT customer AS c FROM fact WHERE id > 1000) f JOIN (SELECT * FROM customer) c ON f.c = c.id
	WHERE region = 3 AND {(SELECT customer AS c FROM fact) s: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> c}', false);
\set ECHO all
TABLE judgement;
\set ECHO none
TRUNCATE shape;

--
-- The filter is of other keys than those that are joined
--

INSERT INTO shape (what, query, independent) VALUES
('a constant',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE region = 3 AND {fact: (SELECT bloom_agg(i) FROM generate_series(3, 1999, 25) i) @> customer}', false),
('a filter of fewer keys than are joined',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE quarter < 2
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region < 5 AND quarter < 2) @> customer}', false),
('a filter of more keys than are joined',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region < 5 AND quarter < 2
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE quarter < 2) @> customer}', false),
('of fewer keys, with EXISTS',
'SELECT FROM fact WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE id < 100) @> customer}
	AND EXISTS (SELECT FROM customer WHERE id = customer AND id < 500)', false),
('of more keys, with EXISTS',
'SELECT FROM fact WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE id < 500) @> customer}
	AND EXISTS (SELECT FROM customer WHERE id = customer AND id < 100)', false),
('a rate of one in three',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE customer.id < 200
	AND {fact: (SELECT bloom_agg(id, 0.33) FROM customer WHERE id < 200) @> customer}', false),
('made of the fact',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE {customer: (SELECT bloom_agg(customer) FROM fact WHERE eleven = 3 AND id < 3000) @> customer.id}
	AND eleven = 3 AND fact.id < 3000', false),
('a filter on each side, of other keys',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region < 5) @> customer}
	AND {customer: (SELECT bloom_agg(id) FROM customer WHERE quarter = 1) @> customer.id}', false),
('two filters beside one join',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}
	AND {fact: (SELECT bloom_agg(i) FROM generate_series(3, 1999, 25) i) @> customer}', false),
('a filter for each of two joins of one column',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN visit ON visit.id = fact.customer
	WHERE region = 3 AND week = 0
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> fact.customer}
	AND {fact: (SELECT bloom_agg(id) FROM visit WHERE week = 0) @> fact.customer}', false),
('OR of two filters',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region IN (3, 4)
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer
		OR (SELECT bloom_agg(id) FROM customer WHERE region = 4) @> customer}', false),
('IS NOT FALSE',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: ((SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer) IS NOT FALSE}', false),
('NOT, of other keys',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE region = 3 AND {fact: NOT (SELECT bloom_agg(id) FROM customer WHERE quarter = 1) @> customer}', false),
('a column without statistics',
'SELECT FROM unknown JOIN customer ON customer = customer.id WHERE region = 3
	AND {unknown: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('a partner without statistics',
'SELECT FROM fact JOIN unknown ON fact.customer = unknown.customer WHERE unknown.id < 100
	AND {fact: (SELECT bloom_agg(customer) FROM unknown WHERE id < 100) @> fact.customer}', false),
('a constant in the class',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE customer.id = 77
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE id = 77) @> customer}', false),
('a constant in the class that a known filter has',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE customer.id = 77 AND {-: (:few) @> customer}', false);
-- the filter of 0 to 99, as it is written in a query
UPDATE shape SET query = replace(query, ':few',
	(SELECT quote_literal(bloom_agg(i)) || '::bloom' FROM generate_series(0, 99) i));
\set ECHO all
TABLE judgement;
TRUNCATE shape;

--
-- Stored filters, of which nothing is known
--

INSERT INTO shape (what, query, independent) VALUES
('a sub-select, beside a join that drops nothing',
'SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE {fact: (SELECT f FROM filter WHERE name = ''customers'') @> customer}', false),
('a sub-select, beside a join that drops most',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE customer.id % 10 = 0 AND region < 5
	AND {fact: (SELECT f FROM filter WHERE name = ''customers'') @> customer}', false),
('joined, beside a join that drops nothing',
'SELECT FROM fact JOIN customer ON customer = customer.id, single WHERE {fact, single: f @> customer}', false),
('joined, beside a join that drops most',
'SELECT FROM fact JOIN customer ON customer = customer.id, single
	WHERE customer.id < 50 AND {fact, single: f @> customer}', true),
('joined by a constant, never analyzed',
'SELECT FROM fact JOIN customer ON customer = customer.id, fresh
	WHERE {fact, fresh: f @> customer}', false),
('from LATERAL',
'SELECT FROM fact JOIN customer ON customer = customer.id, LATERAL (SELECT f FROM single LIMIT 1) s
	WHERE region = 3 AND {-: f @> customer}', true);
TABLE judgement;
\set ECHO none
TRUNCATE shape;

--
-- Other shapes
--

CREATE VIEW old_customer AS SELECT id, region FROM customer WHERE id < 1000;
CREATE DOMAIN customer_number AS int CHECK (VALUE >= 0);
CREATE TABLE typed WITH (autovacuum_enabled = off) AS
SELECT (i % 2000)::customer_number AS customer FROM generate_series(1, 30000) i;
CREATE TABLE parted (id int, customer int) PARTITION BY HASH (customer);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_1 (customer int, dropped int, id int);
ALTER TABLE parted_1 DROP dropped;
ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted SELECT id, customer FROM fact;
CREATE TABLE parted_customer (id int, region int, quarter int) PARTITION BY HASH (id);
CREATE TABLE parted_customer_0 PARTITION OF parted_customer FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE parted_customer_1 PARTITION OF parted_customer FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE parted_customer_2 PARTITION OF parted_customer FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO parted_customer SELECT id, region, quarter FROM customer;
CREATE TABLE parent (id int, customer int);
CREATE TABLE child (more text) INHERITS (parent);
INSERT INTO parent SELECT id, customer FROM fact WHERE id % 2 = 0;
INSERT INTO child SELECT id, customer FROM fact WHERE id % 2 = 1;
ANALYZE typed, parted, parted_customer, parent, child;

INSERT INTO shape (what, query, independent) VALUES
('a view',
'SELECT FROM fact JOIN old_customer c ON customer = c.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FROM old_customer WHERE region = 3) @> customer}', false),
('a domain',
'SELECT FROM typed JOIN customer ON customer = customer.id WHERE region = 3
	AND {typed: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('LEFT JOIN, the filter above it',
'SELECT FROM fact LEFT JOIN customer c ON customer = c.id AND region = 3
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('below a LEFT JOIN',
'SELECT FROM part LEFT JOIN (SELECT part FROM fact JOIN customer ON customer = customer.id
	WHERE region = 3 AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}) s
	ON part = part.id', false),
('NOT EXISTS',
'SELECT FROM fact WHERE NOT EXISTS (SELECT FROM customer WHERE id = customer AND region = 3)
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region < 4) @> customer}', false),
('FULL JOIN',
'SELECT FROM fact FULL JOIN customer c ON customer = c.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('on the inner side of a semi-join',
'SELECT FROM fact WHERE EXISTS (SELECT FROM customer WHERE id = fact.customer
	AND {customer: (SELECT bloom_agg(customer) FROM visit WHERE customer < 100) @> customer.id})', false),
('on the inner side, which is a join',
'SELECT FROM part WHERE EXISTS (SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE fact.part = part.id AND region = 3
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer})', false),
('UNION ALL',
'SELECT FROM (SELECT customer FROM fact UNION ALL SELECT customer + 0 FROM typed) s
	JOIN customer c ON customer = c.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('inheritance',
'SELECT FROM parent JOIN customer ON customer = customer.id WHERE region = 3
	AND {parent: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('partitions',
'SELECT FROM parted JOIN customer ON customer = customer.id WHERE region = 3
	AND {parted: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('partitions, a filter of fewer keys',
'SELECT FROM parted JOIN customer ON customer = customer.id WHERE quarter < 2
	AND {parted: (SELECT bloom_agg(id) FROM customer WHERE id < 100) @> customer}', false),
('partitions as partners',
'SELECT FROM fact JOIN parted_customer c ON customer = c.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FROM parted_customer WHERE region = 3) @> customer}', false),
('partitions as partners, a filter of fewer keys',
'SELECT FROM fact JOIN parted_customer c ON customer = c.id WHERE quarter < 2
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE id < 100) @> customer}', false),
('VALUES',
'SELECT FROM fact JOIN (VALUES (1), (2), (3)) v(id) ON customer = v.id
	WHERE {fact: (SELECT bloom_agg(i) FROM generate_series(1, 3) i) @> customer}', false),
('a function',
'SELECT FROM fact JOIN generate_series(1, 100) v(id) ON customer = v.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE id BETWEEN 1 AND 100) @> customer}', false),
('a sub-select before the fact',
'SELECT FROM (SELECT id, count(*) FROM customer WHERE region = 3 GROUP BY id) c JOIN fact ON customer = c.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('a sub-select behind the fact',
'SELECT FROM fact JOIN (SELECT id, count(*) FROM customer WHERE region = 3 GROUP BY id) c ON customer = c.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('a dummy',
'SELECT FROM fact JOIN (SELECT * FROM customer WHERE false) c ON customer = c.id
	WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false),
('a self-join',
'SELECT FROM fact a JOIN fact b ON a.customer = b.customer WHERE b.id < 300
	AND {fact a: (SELECT bloom_agg(customer) FROM fact WHERE id < 300) @> a.customer}', false),
('a self-join of other columns',
'SELECT FROM fact a JOIN fact b ON a.customer = b.id WHERE b.eleven = 3
	AND {fact a: (SELECT bloom_agg(id) FROM fact WHERE eleven = 3) @> a.customer}', false),
('two relations away',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN visit ON visit.customer = customer.id
	WHERE visit.id < 100
	AND {fact: (SELECT bloom_agg(customer) FROM visit WHERE id < 100) @> fact.customer}', false),
('a join in the aggregate',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN zone ON region = zone.id WHERE continent = 2
	AND {fact: (SELECT bloom_agg(c.id) FROM zone z JOIN customer c ON region = z.id
		WHERE continent = 2) @> customer}', false),
('a join in the aggregate, not by equality',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN zone ON region < zone.id WHERE continent = 0
	AND {fact: (SELECT bloom_agg(c.id) FROM zone z JOIN customer c ON region < z.id
		WHERE continent = 0) @> customer}', false),
('another join in the aggregate',
'SELECT FROM fact JOIN customer ON customer = customer.id JOIN zone ON region = zone.id WHERE continent > 0
	AND {fact: (SELECT bloom_agg(c.id) FROM zone z JOIN customer c ON region = z.id
		WHERE continent < 4) @> customer}', false),
('an aggregate with FILTER',
'SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3
	AND {fact: (SELECT bloom_agg(id) FILTER (WHERE region = 3) FROM customer) @> customer}', false),
('no join',
'SELECT FROM fact WHERE {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}', false);
\set ECHO all
TABLE judgement;
-- partition-wise
SET enable_partitionwise_join = on;
SELECT what, j.close, j.bounded FROM shape, judge(replace(query, 'JOIN customer ON', 'JOIN parted_customer customer ON'), independent) j
WHERE what LIKE 'partitions%' ORDER BY n;
RESET enable_partitionwise_join;
TRUNCATE shape;

-- An outer join makes no class.  Where the filter belongs to its condition, filter and join
-- are still taken for two conditions; so are they where there is a level of the query between.
SELECT expected_rows('SELECT FROM customer c LEFT JOIN fact ON customer = c.id
	AND (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer WHERE region = 3') < 200
	AS left_join,
	expected_rows('SELECT FROM (SELECT customer FROM fact
	WHERE (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer OFFSET 0) s
	JOIN customer ON s.customer = customer.id WHERE region = 3') < 200 AS "offset";
-- A filter on the inner side of a semi-join, of a column whose values repeat, has the estimate
-- that any other condition there has: its rows count, not its values.
SELECT expected_rows('SELECT FROM customer c WHERE EXISTS (SELECT FROM fact WHERE customer = c.id
		AND (SELECT bloom_agg(id) FROM customer WHERE id < 100) @> customer)') /
	expected_rows('SELECT FROM customer c WHERE EXISTS (SELECT FROM fact WHERE customer = c.id
		AND customer < 100)') BETWEEN 0.9 AND 1.1 AS "semi-join";

-- prepared statements: a filter that is known in a custom plan, and not in a generic one
PREPARE filtered(bloom) AS
SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3 AND $1 @> customer;
PREPARE unfiltered AS SELECT FROM fact JOIN customer ON customer = customer.id WHERE region = 3;
CREATE TEMP TABLE prepared AS
SELECT format('EXECUTE filtered(%L)', bloom_agg(id)) AS all_of_region,
	format('EXECUTE filtered(%L)', bloom_agg(id) FILTER (WHERE id < 200)) AS few
FROM customer WHERE region = 3;
SET plan_cache_mode = force_custom_plan;
SELECT expected_rows(all_of_region) = expected_rows('EXECUTE unfiltered') AS custom_all,
	expected_rows(few) < expected_rows('EXECUTE unfiltered') / 4 AS custom_few FROM prepared;
SET plan_cache_mode = force_generic_plan;
SELECT expected_rows(all_of_region) = expected_rows('EXECUTE unfiltered') AS generic_all,
	expected_rows(few) = expected_rows('EXECUTE unfiltered') AS generic_few FROM prepared;
RESET plan_cache_mode;
DEALLOCATE filtered;
DEALLOCATE unfiltered;

-- The partner may come first or last in the range table.
SELECT expected_rows('SELECT FROM fact JOIN customer ON customer = customer.id
		WHERE (SELECT bloom_agg(id) FROM customer WHERE id < 100) @> customer AND quarter < 4') =
	expected_rows('SELECT FROM customer JOIN fact ON customer = customer.id
		WHERE (SELECT bloom_agg(id) FROM customer WHERE id < 100) @> customer AND quarter < 4')
	AS "any order";
-- An operator that somebody else makes of our function is estimated as ours, too; two of them
-- on both sides of a join do not wait for each other's estimates.
CREATE FUNCTION own_contains(bloom, int) RETURNS boolean LANGUAGE c IMMUTABLE STRICT
AS '$libdir/bloomtype', 'bloomtype_contains';
CREATE OPERATOR ### (LEFTARG = bloom, RIGHTARG = int, FUNCTION = own_contains,
	RESTRICT = bloom_contains_sel, JOIN = bloom_contains_joinsel);
SELECT expected_rows('SELECT FROM fact JOIN customer ON customer = customer.id
	WHERE (SELECT bloom_agg(id) FROM customer WHERE region = 3) ### customer
		AND (SELECT bloom_agg(customer) FROM fact WHERE eleven = 3) ### customer.id AND region = 3') > 800
	AS alias;
DROP OPERATOR ### (bloom, int);
DROP FUNCTION own_contains;

--
-- Plans: a filter leaves the order and the methods of the joins as they are
--

-- the nodes of a plan, without those of sub-selects that run once
CREATE FUNCTION nodes(plan json) RETURNS text LANGUAGE sql AS
$$
SELECT concat(plan ->> 'Node Type', ' ' || (plan ->> 'Join Type'), ' ' || (plan ->> 'Relation Name'),
	'(' || string_agg(nodes(part), ', ' ORDER BY i) || ')')
FROM json_array_elements(CASE WHEN plan -> 'Plans' IS NULL THEN '[]' ELSE plan -> 'Plans' END)
	WITH ORDINALITY p(part, i)
WHERE part ->> 'Parent Relationship' <> 'InitPlan'
$$;
-- with filters as above
CREATE FUNCTION same_plan(query text) RETURNS boolean LANGUAGE sql
RETURN nodes(plan(regexp_replace(query, '\{([^:{}]+): ([^{}]*)\}', '(\2)', 'g'))) =
	nodes(plan(regexp_replace(query, '\{([^:{}]+): ([^{}]*)\}', 'true', 'g')));

CREATE INDEX ON visit (customer);
SELECT what, same_plan(query) FROM (VALUES
(1, 'three dimensions', 'SELECT count(*) FROM fact JOIN customer ON customer = customer.id
	JOIN part ON part = part.id JOIN day ON day = day.id WHERE region = 3 AND brand < 9 AND month < 9
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}
	AND {fact: (SELECT bloom_agg(id) FROM part WHERE brand < 9) @> part}
	AND {fact: (SELECT bloom_agg(id) FROM day WHERE month < 9) @> day}'),
(2, 'an index on the next table', 'SELECT count(*) FROM fact JOIN customer ON customer = customer.id
	JOIN visit ON visit.customer = fact.customer WHERE region = 3 AND fact.id < 1000
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> fact.customer}'),
(3, 'EXISTS', 'SELECT count(*) FROM fact WHERE EXISTS (SELECT FROM customer WHERE id = customer AND region = 3)
	AND {fact: (SELECT bloom_agg(id) FROM customer WHERE region = 3) @> customer}'),
(4, 'a snowflake', 'SELECT count(*) FROM fact JOIN customer ON customer = customer.id
	JOIN zone ON region = zone.id WHERE continent = 2
	AND {fact: (SELECT bloom_agg(c.id) FROM customer c JOIN zone z ON region = z.id WHERE continent = 2) @> customer}'))
v(i, what, query) ORDER BY i;

-- The joins of partners are followed to each relation once: of forty tables that join each other
-- by three columns, there are more ways than can be tried.
CREATE FUNCTION planning_time(query text) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (SUMMARY, FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 ->> 'Planning Time';
END
$$;
SET join_collapse_limit = 1;
SELECT least(with_filter / 1000, with_filter / without / 1000) < 1 AS soon
FROM (SELECT 'SELECT FROM customer c1 ' || string_agg(format('JOIN customer c%s
		ON c%1$s.id = c1.id AND c%1$s.region = c1.region AND c%1$s.quarter = c1.quarter', i), ' ')
		FROM generate_series(2, 40) i) s(query),
	planning_time(query) without,
	planning_time(query || ' WHERE (SELECT bloom_agg(id) FROM customer) @> c1.id') with_filter;
RESET join_collapse_limit;
DROP FUNCTION planning_time;

DROP TABLE shape CASCADE;
DROP VIEW old_customer;
DROP TABLE fact, customer, zone, part, day, visit, filter, single, unknown, fresh, typed, parted,
	parted_customer, parent, child, prepared;
DROP DOMAIN customer_number;
DROP FUNCTION judge, same_plan, nodes, expected_rows, plan;
