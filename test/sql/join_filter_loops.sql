-- bloomtype_join: scans on the inner side of nested loops, which run again for each row, are filtered by joins above.

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_memoize = off;
SET enable_bitmapscan = off;
SET join_collapse_limit = 1;
SET random_page_cost = 1.1;
CREATE SCHEMA join_filter_loops;
SET search_path = join_filter_loops;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

-- few rows of sale, each with 4 items; of these, a tenth has a partner in dim
CREATE TABLE sale AS SELECT g AS id, g % 50 AS day FROM generate_series(1, 6000) g;
CREATE TABLE item AS SELECT g AS id, g / 4 AS sale, NULLIF(g % 100, 7) AS a, g % 60 AS b FROM generate_series(1, 24000) g;
CREATE TABLE part AS SELECT g AS id, g % 100 AS a FROM generate_series(0, 99) g;
CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp FROM generate_series(0, 99) g;
CREATE INDEX ON item (sale);
ALTER TABLE part ADD PRIMARY KEY (id);
VACUUM ANALYZE sale, item, part, dim;

-- An inner side that depends on the outer row
CALL show_plan('SELECT s.id, i.id FROM (sale s JOIN item i ON i.sale = s.id) JOIN dim d ON i.a = d.id
	WHERE s.day = 3 AND d.grp = 3');
-- all runs have the filter, and EXPLAIN shows their mean
SELECT line FROM explained('SELECT s.id, i.id FROM (sale s JOIN item i ON i.sale = s.id) JOIN dim d ON i.a = d.id
	WHERE s.day = 3 AND d.grp = 3') line WHERE line ~ 'Bloomtype|Removed by Runtime|Filtered Keys|Nested|item';
-- with several tables in it, one of which is the outer side of another nested loop
CALL show_plan('SELECT s.id, x.id FROM (sale s CROSS JOIN LATERAL (SELECT i.id, i.a, i.b FROM item i JOIN part p ON p.id = i.b
	WHERE i.sale = s.id OFFSET 0) x) JOIN dim d ON x.a = d.id WHERE s.day = 3 AND d.grp = 3');
CALL show_plan('SELECT s.id, i.id FROM ((sale s JOIN item i ON i.sale = s.id)
	CROSS JOIN LATERAL (SELECT * FROM part p WHERE p.id = i.b OFFSET 0) p) JOIN dim d ON p.a = d.id WHERE s.day = 3 AND d.grp = 3');
-- partitions
CREATE TABLE parts (id int, sale int, a int, b int) PARTITION BY RANGE (a);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (50);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (50) TO (100);
CREATE TABLE parts_3 PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT * FROM item;
CREATE INDEX ON parts (sale);
VACUUM ANALYZE parts;
CALL show_plan('SELECT s.id, i.id FROM (sale s JOIN parts i ON i.sale = s.id) JOIN dim d ON i.a = d.id
	WHERE s.day = 3 AND d.grp = 3');
-- one without a key of the inner side is not read in any run
SELECT line FROM explained('SELECT s.id, i.id FROM (sale s JOIN parts i ON i.sale = s.id) JOIN dim d ON i.a = d.id
	WHERE s.day = 3 AND d.id < 40') line WHERE line ~ 'parts_|never';

-- Not that of a semi-join, anti-join or left join (the first two without an operator that can be hashed)
CALL show_plan('SELECT s.id FROM (SELECT s.id, s.day FROM sale s WHERE EXISTS (SELECT FROM item i
	WHERE i.sale BETWEEN s.id AND s.id AND i.b - s.day = 0) OFFSET 0) s JOIN dim d ON s.day = d.id WHERE s.id < 300 AND d.grp = 3');
CALL show_plan('SELECT s.id FROM (SELECT s.id, s.day FROM sale s WHERE NOT EXISTS (SELECT FROM item i
	WHERE i.sale BETWEEN s.id AND s.id AND i.b - s.day = 0) OFFSET 0) s JOIN dim d ON s.day = d.id WHERE s.id < 300 AND d.grp = 3');
CALL show_plan('SELECT s.id, s.item FROM (SELECT s.id, i.id AS item, i.a FROM sale s LEFT JOIN item i ON i.sale = s.id
	WHERE s.id < 300 OFFSET 0) s JOIN dim d ON s.a = d.id WHERE d.grp = 3');
-- nor where a volatile function would be called less often; or more often, as a loop that wants one partner
-- goes on if that is left out
CREATE SEQUENCE calls;
CREATE FUNCTION noted(n int) RETURNS int VOLATILE LANGUAGE sql AS $$SELECT nextval('calls'); SELECT n$$;
CALL show_plan('SELECT s.id, x.id FROM (sale s CROSS JOIN LATERAL (SELECT i.id, i.a FROM item i WHERE i.sale = s.id
	AND noted(i.id) > 0 OFFSET 0) x) JOIN dim d ON x.a = d.id WHERE s.day = 3 AND d.grp = 3');
CALL show_plan('SELECT s.id, x.id FROM (sale s CROSS JOIN LATERAL (SELECT i.id, i.a, noted(i.id) FROM item i
	WHERE i.sale = s.id OFFSET 0) x) JOIN dim d ON x.a = d.id WHERE s.day = 3 AND d.grp = 3');
-- nor by keys that depend on the row of another loop
CALL show_plan('SELECT t.id, x.id FROM part t CROSS JOIN LATERAL (SELECT i.id FROM (sale s JOIN item i ON i.sale = s.id)
	JOIN (SELECT id FROM dim WHERE dim.grp = t.a OFFSET 0) d ON i.a = d.id WHERE s.day = 3 OFFSET 0) x WHERE t.id < 5');
-- the same loop with keys that do not
CALL show_plan('SELECT t.id, x.id FROM part t CROSS JOIN LATERAL (SELECT i.id FROM (sale s JOIN item i ON i.sale = s.id)
	JOIN (SELECT id FROM dim WHERE dim.grp = 3 OFFSET 0) d ON i.a = d.id WHERE s.day = t.a OFFSET 0) x WHERE t.id < 5');

-- Nodes that keep rows from one run to another: Memoize; Material and Sort, which depend on the outer row
SET enable_memoize = on;
CALL show_plan('SELECT s.id, x.id FROM (sale s CROSS JOIN LATERAL (SELECT i.id, i.a FROM item i WHERE i.sale = s.day OFFSET 0) x)
	JOIN dim d ON x.a = d.id WHERE s.id < 300 AND d.grp = 3');
SELECT line FROM explained('SELECT s.id, x.id FROM (sale s CROSS JOIN LATERAL (SELECT i.id, i.a FROM item i
	WHERE i.sale = s.day OFFSET 0) x) JOIN dim d ON x.a = d.id WHERE s.id < 300 AND d.grp = 3') line
	WHERE line ~ 'Bloomtype|Removed by Runtime|Memoize|Hits|item';
SET enable_memoize = off;
CALL show_plan('SELECT s.id, x.id FROM (sale s CROSS JOIN LATERAL (SELECT i.id, i.a FROM item i WHERE i.sale = s.id
	ORDER BY i.b OFFSET 0) x) JOIN dim d ON x.a = d.id WHERE s.day = 3 AND d.grp = 3');

-- Where it should pay: not for a row in each run, unless that spares the joins above more than a probe node costs
SET bloomtype_join.enable = on;
SET bloomtype_join.min_rows = 100;
CREATE FUNCTION filtered(query text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(trim(line), '; '), 'none') FROM explained(query) line WHERE line ~ 'Runtime Filter Keys: [ix][.]'
$$;
SELECT filtered('SELECT s.id, i.id FROM (sale s JOIN item i ON i.sale = s.id) JOIN dim d ON i.a = d.id
	WHERE s.day = 3 AND d.grp = 3') AS rows_4,
	filtered('SELECT s.id, i.id FROM (sale s CROSS JOIN LATERAL (SELECT * FROM item i WHERE i.sale = s.id AND i.id % 4 = 0 OFFSET 0) i)
	JOIN dim d ON i.a = d.id WHERE s.day = 3 AND d.grp = 3') AS row_1,
	filtered('SELECT s.id, i.id FROM (sale s CROSS JOIN LATERAL (SELECT * FROM item i WHERE i.sale = s.id AND i.id % 4 = 0 OFFSET 0) i
	CROSS JOIN LATERAL (SELECT * FROM part p WHERE p.id = i.b OFFSET 0) p) JOIN dim d ON i.a = d.id
	WHERE s.day = 3 AND d.grp = 3') AS row_1_and_another_loop;
-- pauses go on from one run to the next
SET bloomtype_join.enable = force;
SELECT line FROM explained('SELECT s.id, i.id FROM (sale s CROSS JOIN LATERAL (SELECT * FROM item i WHERE i.sale = s.id OFFSET 0) i)
	JOIN part p ON i.a = p.id') line WHERE line ~ 'Bloomtype|Switched Off|item';

SET client_min_messages = warning;
DROP SCHEMA join_filter_loops CASCADE;
