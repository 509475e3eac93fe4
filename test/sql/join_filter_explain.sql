-- bloomtype_join: what EXPLAIN shows, with each of its options and in each of its formats

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
CREATE SCHEMA join_filter_explain;
SET search_path = join_filter_explain;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

CREATE TABLE fact AS SELECT g AS id, g % 100 AS a, g % 70 AS "B", g % 7 AS c FROM generate_series(1, 40000) g;
CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp, g % 70 AS b FROM generate_series(0, 99) g;
CREATE TABLE empty (id int);
ANALYZE fact, dim, empty;

-- The lines of a plan from its filters, with numbers that differ between runs and versions left out
CREATE FUNCTION explained_with(options text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (' || options || ') ' || query LOOP
		-- but for text, all is one value
		IF line ~ '\n' THEN
			RETURN QUERY SELECT l FROM regexp_split_to_table(line, '\n') l WHERE l ~ 'Bloomtype|Runtime.Filter|Item>|^ *- "';
			CONTINUE;
		END IF;
		line := regexp_replace(with_whole_rows(line), 'actual time=[0-9.]+', 'actual time=T');
		line := regexp_replace(line, '(shared|temp) .*', 'buffers');
		IF line !~ 'One-Time' AND line ~ 'Bloomtype|Filter|False Pos|Switched|Too Many|Peak Memory' THEN
			RETURN NEXT line;
		END IF;
	END LOOP;
END $$;
\set query 'SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id AND fact."B" = dim.b JOIN dim d2 ON fact.c = d2.id WHERE dim.grp < 4'
SELECT explained_with('COSTS off', :'query');
SELECT explained_with('COSTS off, VERBOSE', :'query');
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off', :'query');
SELECT explained_with('COSTS off, ANALYZE, SUMMARY off, BUFFERS off', :'query');
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS', :'query');
SELECT explained_with('COSTS off, FORMAT yaml', :'query');
SELECT explained_with('COSTS off, FORMAT xml', :'query');

-- one table alone needs no name before the column; never run; run for each row
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off',
	'SELECT count(*) FROM fact JOIN empty ON fact.a = empty.id');
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off',
	'SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE (SELECT false FROM empty)');
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off',
	'SELECT (SELECT count(*) FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 AND f.c + 0 * s.n > 3) FROM generate_series(1, 4) s (n)');

-- JSON: the same properties, each of its type
SELECT key, value FROM explained_as_json(:'query') e,
	jsonb_path_query(e, 'strict $.** ? (@."Custom Plan Provider" starts with "Bloomtype")') node, jsonb_each(node)
WHERE key ~ 'Runtime Filter|Filtered|Filter Size|False|Switched|Too Many|Peak Memory';

-- The rows that are expected: fewer above a scan, all below Hash, which sizes its table by them
CREATE FUNCTION expected_rows(query text) RETURNS TABLE (node text, rows int, width int) LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO e;
	RETURN QUERY SELECT coalesce(n ->> 'Custom Plan Provider', n ->> 'Node Type'), (n ->> 'Plan Rows')::int, (n ->> 'Plan Width')::int
		FROM jsonb_path_query(e, 'strict $.** ? (exists (@."Node Type"))') WITH ORDINALITY q (n, i) ORDER BY i DESC;
END $$;
CREATE TABLE chain AS SELECT g AS id, g % 1000 AS next FROM generate_series(1, 10000) g;
ANALYZE chain;
SELECT * FROM expected_rows('SELECT count(*) FROM fact JOIN (chain JOIN dim ON chain.next = dim.id) ON fact.id = chain.id WHERE dim.grp = 3');
SET bloomtype_join.enable = off;
SELECT * FROM expected_rows('SELECT count(*) FROM fact JOIN (chain JOIN dim ON chain.next = dim.id) ON fact.id = chain.id WHERE dim.grp = 3');
SET bloomtype_join.enable = force;

-- A filter that passes all, as it has too many keys
SET work_mem = '64kB';
CREATE TABLE many AS SELECT g * 2 AS a, g AS b FROM generate_series(1, 180000) g;
ANALYZE many;
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off', 'SELECT count(*) FROM many x JOIN many y ON x.a = y.a');
-- more keys than are gathered one by one: blocks of all its memory, which are folded; or a bitmap
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off',
	'SELECT count(*) FROM many x JOIN many y ON x.a = y.a AND x.b = y.b WHERE y.a <= 10000');
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off',
	'SELECT count(*) FROM many x JOIN many y ON x.a = y.a WHERE y.a <= 10000');
RESET work_mem;
-- two columns of the same values are a key as any other
CREATE TABLE same AS SELECT g % 100 AS x, g % 100 AS y FROM generate_series(1, 4000) g;
CREATE TABLE ten AS SELECT g AS x, g AS y FROM generate_series(0, 9) g;
ANALYZE same, ten;
SELECT explained_with('COSTS off, ANALYZE, TIMING off, SUMMARY off, BUFFERS off',
	'SELECT count(*) FROM same a JOIN ten b ON a.x = b.x AND a.y = b.y');
SET hash_mem_multiplier = 4;

-- A filter that passes more than three quarters of its rows pauses, and is probed again later.
CREATE FUNCTION probed(query text, OUT passed bigint, OUT removed bigint, OUT pauses int) LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, SUMMARY off, FORMAT json) ' || query INTO e;
	e := jsonb_path_query(e, 'strict $.** ? (@."Custom Plan Provider" == "BloomtypeProbe")');
	passed := (e ->> 'Actual Rows')::numeric;
	removed := (e ->> 'Rows Removed by Runtime Filter')::numeric;
	pauses := e -> 'Times Switched Off';
END $$;
-- 74 of 100 rows pass, 76 do, and 76 of fewer rows than it takes to judge
SELECT * FROM probed('SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.id < 74 AND fact.id <= 20000');
SELECT * FROM probed('SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.id < 76 AND fact.id <= 20000');
SELECT * FROM probed('SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.id < 76 AND fact.id < 2048');
-- Facts in the order of time: 100 months, each of 12,000 rows; and keys of which one has 19 rows in 20
CREATE TABLE facts AS SELECT g / 12000 AS month, g % 20 AS a, CASE WHEN g % 20 > 0 THEN 1 ELSE g / 20 % 100 END AS skewed
	FROM generate_series(0, 1199999) g;
ANALYZE facts;
SELECT m AS month, passed BETWEEN 12000 AND 2 * 12000 AS few FROM generate_series(0, 90, 45) m,
	probed('SELECT count(*) FROM facts JOIN dim ON facts.month = dim.id WHERE dim.id BETWEEN ' || m || ' AND ' || m);
-- a year: pauses get longer, but not much longer than what is expected to pass
SELECT m AS month, passed BETWEEN 144000 AND 144000 + 2 * 18000 AS few, pauses BETWEEN 4 AND 12 AS some FROM generate_series(0, 80, 40) m,
	probed('SELECT count(*) FROM facts JOIN dim ON facts.month = dim.id WHERE dim.id BETWEEN ' || m || ' AND ' || m + 11);
-- 19 rows in 20 pass, as is expected, and though one in 50 is expected to: few of 1.2 million are probed
SELECT removed * 20 < 16384 AS few FROM probed('SELECT count(*) FROM facts JOIN dim ON facts.a = dim.id WHERE dim.id < 19');
SELECT removed * 20 < 16384 AS few FROM probed('SELECT count(*) FROM facts JOIN dim ON facts.skewed = dim.id WHERE dim.id IN (1, 2)');

-- A filter of many keys takes a quarter of work_mem, in kB.
SET work_mem = '512kB';
CREATE FUNCTION size_of_filter(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, SUMMARY off, FORMAT json) ' || query INTO e;
	RETURN jsonb_path_query(e, 'strict $.** ? (@."Custom Plan Provider" == "BloomtypeBuild")."Filter Size"');
END $$;
SELECT size_of_filter('SELECT count(*) FROM many x JOIN many y ON x.a = y.a AND x.b = y.b WHERE y.a <= 160000') AS size;
RESET work_mem;

SET client_min_messages = warning;
DROP SCHEMA join_filter_explain CASCADE;
