-- bloomtype_join: parallel plans, in which each process has a hash table of its own, or all share one
--
-- Left to --ci, for its time.

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
CREATE SCHEMA join_filter_parallel;
SET search_path = join_filter_parallel;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

CREATE TABLE large AS SELECT g AS id, g AS a, g % 100 AS d, repeat('x', 50) AS pad FROM generate_series(1, 10000) g;
CREATE TABLE other AS SELECT g AS id, g % 2000 AS a, g % 10 AS grp, repeat('x', 50) AS pad FROM generate_series(1, 3000) g;
CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp FROM generate_series(0, 99) g;
CREATE TABLE sub AS SELECT g AS id, g % 4 AS kind FROM generate_series(0, 9) g;
CREATE TABLE skewed AS SELECT g AS id, CASE WHEN g % 100 = 0 THEN g ELSE 7 END AS a, repeat('x', 50) AS pad
	FROM generate_series(1, 3000) g;
ALTER TABLE large SET (parallel_workers = 4);
ALTER TABLE other SET (parallel_workers = 4);
ALTER TABLE skewed SET (parallel_workers = 4);
ALTER TABLE dim SET (parallel_workers = 0);
ALTER TABLE sub SET (parallel_workers = 0);
ANALYZE large, other, dim, sub, skewed;

-- Results with one to four workers, the leader taking part or not, with batches on disk or not
CREATE PROCEDURE compare(query text, with_plan boolean DEFAULT true) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	expected text;
	found text;
	plan text[];
BEGIN
	RAISE NOTICE '%', query;
	query := 'SELECT count(*) || '' rows '' || coalesce(sum(hashtext(r::text)), 0) FROM (' || query || ') r';
	SET LOCAL bloomtype_join.enable = off;
	SET LOCAL max_parallel_workers_per_gather = 0;
	EXECUTE query INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	FOR nworkers IN 1..4 LOOP
		PERFORM set_config('max_parallel_workers_per_gather', nworkers::text, true);
		FOR mode IN 0..3 LOOP
			PERFORM set_config('parallel_leader_participation', (mode % 2 = 0)::text, true);
			PERFORM set_config('work_mem', CASE WHEN mode < 2 THEN '4MB' ELSE '64kB' END, true);
			EXECUTE query INTO found;
			IF found <> expected THEN
				RAISE WARNING '% workers, mode %: expected %, found %', nworkers, mode, expected, found;
			END IF;
		END LOOP;
	END LOOP;
	SET LOCAL work_mem = '4MB';
	SET LOCAL parallel_leader_participation = on;
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		IF with_plan AND line ~ 'Gather|Bloomtype|Hash Join' THEN
			RAISE NOTICE '  %', substring(line FROM '-> *(.*)');
		END IF;
	END LOOP;
	RAISE NOTICE '  %', substring(expected FROM '.* rows');
	SET LOCAL max_parallel_workers_per_gather = 4;
END $$;
SET max_parallel_workers_per_gather = 4;
SET hash_mem_multiplier = 1;

SET enable_parallel_hash = on;
CALL compare('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
CALL compare('SELECT large.id FROM large JOIN other ON large.a = other.a');
CALL compare('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 77');
CALL compare('SELECT large.id FROM large JOIN skewed ON large.a = skewed.a');
CALL compare('SELECT large.id FROM large WHERE a IN (SELECT a FROM other WHERE grp = 3)');
CALL compare('SELECT large.id FROM large WHERE a NOT IN (SELECT a FROM other WHERE grp = 3)');
CALL compare('SELECT large.id FROM large WHERE NOT EXISTS (SELECT FROM other WHERE other.a = large.a AND grp = 3)', false);
-- a dimension of a dimension: each below a filter, or with one
CALL compare('SELECT large.id FROM large JOIN dim ON large.d = dim.id JOIN sub ON dim.grp = sub.id WHERE sub.kind = 1');
CALL compare('SELECT large.id FROM large JOIN other ON large.a = other.a JOIN dim ON other.grp = dim.id JOIN sub ON dim.grp = sub.id
	WHERE sub.kind = 1');
CALL compare('SELECT l.id FROM large l JOIN other o ON l.a = o.a JOIN skewed s ON l.id = s.id WHERE s.a <> 7');
-- a hundred times as many keys as the planner expects
CREATE TABLE far AS SELECT g * 1000003 AS a FROM generate_series(1, 2000) g;
ALTER TABLE far SET (parallel_workers = 4);
ANALYZE far;
SELECT line FROM explained('SELECT FROM large JOIN far ON large.a = far.a WHERE far.a / 1000003 % 2 < 2 AND far.a % 1000003 = 0') line
WHERE line ~ 'Filtered Keys|Filter Method|Too Many';
SET enable_parallel_hash = off;
CALL compare('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
CALL compare('SELECT large.id FROM large JOIN dim ON large.d = dim.id JOIN sub ON dim.grp = sub.id WHERE sub.kind = 1');
CALL compare('SELECT large.id FROM large JOIN skewed ON large.a = skewed.a');
SET enable_parallel_hash = on;

-- No filter across a Gather: the join above, the scan below
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION restricted(int) RETURNS int PARALLEL RESTRICTED IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
CALL show_plan('SELECT l.id FROM large l JOIN (SELECT id FROM dim WHERE restricted(grp) = 3) d ON l.d = d.id');
CALL show_plan('SELECT l.id FROM (SELECT id, d FROM large OFFSET 0) l JOIN dim ON l.d = dim.id WHERE dim.grp = 3');

-- The inner side has a value that is computed once, before the workers start
CALL show_plan('SELECT l.id FROM large l JOIN dim ON l.d = dim.id WHERE dim.grp = (SELECT max(kind) FROM sub)');

-- Nor does it depend on settings or on the time, which are the same in all processes.  What the server tells
-- of its state may not be, nor what a sequence has, nor what a user's function returns.
SET app.grp = 3;
CREATE SEQUENCE number;
CREATE FUNCTION stable_grp() RETURNS int STABLE PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN RETURN 3; END';
CALL show_plan('SELECT l.id FROM large l JOIN dim ON l.d = dim.id WHERE dim.grp = current_setting(''app.grp'')::int');
CALL show_plan('SELECT l.id FROM large l JOIN dim ON l.d = dim.id
	WHERE date ''2000-01-01'' + dim.grp < CURRENT_DATE AND now() > to_timestamp(dim.grp) - interval ''1 day''');
CALL show_plan('SELECT l.id FROM large l JOIN dim ON l.d = dim.id WHERE dim.grp = stable_grp()');
CALL show_plan('SELECT l.id FROM large l JOIN dim ON l.d = dim.id WHERE dim.grp < 3 AND pg_get_function_arguments(dim.grp::oid) IS NULL');
SELECT count(*) AS filters
FROM explained('SELECT l.id FROM large l JOIN (SELECT dim.id FROM dim JOIN number ON dim.grp = last_value) d ON l.d = d.id') line
WHERE line ~ 'Runtime Filter Keys: l.d';
CALL show_plan('SELECT l.id FROM large l JOIN dim ON l.d = dim.id WHERE dim.grp = 3 AND dim.xmax = 0');

-- A merge of sorted rows; a LIMIT that stops the workers; partitions, each to a worker
CALL show_plan('SELECT l.id FROM large l JOIN other ON l.a = other.a WHERE other.grp = 3 ORDER BY l.id LIMIT 10');
SELECT count(*) FROM (SELECT l.id FROM large l JOIN other ON l.a = other.a WHERE other.grp = 3 LIMIT 5) x;
SELECT EXISTS (SELECT FROM large l JOIN other ON l.a = other.a WHERE other.grp = 3);
CREATE TABLE parts (id int, a int) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (5000);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (5000) TO (11000);
INSERT INTO parts SELECT id, a FROM large;
ANALYZE parts;
CALL compare('SELECT p.id FROM parts p JOIN other ON p.a = other.a WHERE other.grp = 3');
SET enable_partitionwise_join = on;
CALL compare('SELECT p.id FROM parts p JOIN parts q ON p.id = q.id WHERE q.a % 10 = 3');
RESET enable_partitionwise_join;

-- Run again for each row of a nested loop: hash tables of each, and one of all
SET enable_nestloop = on;
SET enable_material = off;
SET enable_memoize = off;
SET join_collapse_limit = 1;
CALL show_plan('SELECT s.id, x.n FROM sub s LEFT JOIN (SELECT count(*) AS n FROM large JOIN other
	ON large.a = other.a WHERE other.grp = 3) x ON x.n > s.id');
SELECT line FROM explained('SELECT s.id, x.n FROM sub s LEFT JOIN (SELECT count(*) AS n FROM large JOIN other
	ON large.a = other.a WHERE other.grp = 3) x ON x.n > s.id') line WHERE line ~ 'Filtered Keys';
SET work_mem = '64kB';
CALL show_plan('SELECT s.id, x.n FROM sub s LEFT JOIN (SELECT count(*) AS n FROM large JOIN other
	ON large.a = other.a) x ON x.n > s.id');
RESET work_mem;
SET enable_parallel_hash = off;
CALL show_plan('SELECT s.id, x.n FROM sub s LEFT JOIN (SELECT count(*) AS n FROM large JOIN other
	ON large.a = other.a WHERE other.grp = 3) x ON x.n > s.id');
SET enable_parallel_hash = on;
-- a LIMIT ends the workers each time
CALL show_plan('SELECT s.id, x.id > 0 AS found FROM sub s LEFT JOIN (SELECT large.id FROM large JOIN other
	ON large.a = other.a WHERE other.grp = 3 LIMIT 3) x ON x.id > s.id');
SELECT s.id, (SELECT count(*) FROM (SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3
	AND large.id > s.id LIMIT 3) x) AS n FROM sub s;
RESET join_collapse_limit;
SET enable_nestloop = off;

-- No worker can be started; a cursor, which has none; rows fetched one by one in a function
SET max_parallel_workers = 0;
CALL compare('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
RESET max_parallel_workers;
DO $$
DECLARE
	id int;
	n int := 0;
BEGIN
	FOR id IN SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3 LOOP
		n := n + 1;
		EXIT WHEN n = 50;
	END LOOP;
	RAISE NOTICE '% rows', n;
END $$;
PREPARE counted(int) AS SELECT count(*) FROM large JOIN other ON large.a = other.a WHERE other.grp = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE counted(3);
EXECUTE counted(4);
EXECUTE counted(77);

-- An error in a worker, or in the leader, while others wait
CREATE FUNCTION fails_at(x int, at int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
	IF x = at THEN RAISE EXCEPTION 'failed'; END IF;
	RETURN x;
END $$;
DO $$
DECLARE
	nfailed int := 0;
BEGIN
	FOR i IN 1..20 LOOP
		BEGIN
			PERFORM count(fails_at(large.id, i * 20)) FROM large JOIN other ON large.a = other.a
				WHERE fails_at(other.id, i * 149) > 0;
		EXCEPTION WHEN raise_exception THEN
			nfailed := nfailed + 1;
		END;
	END LOOP;
	RAISE NOTICE '% failed', nfailed;
END $$;

-- EXPLAIN: rows that each process has removed are added up, and of a shared filter there is one, also
-- when the memory of the workers is gone
CREATE FUNCTION summed(query text, OUT removed bigint, OUT passed bigint, OUT built bigint, OUT keys text) LANGUAGE plpgsql AS $$
DECLARE
	e jsonb := explained_as_json(query);
	probe jsonb := jsonb_path_query_first(e, 'strict $.** ? (@."Custom Plan Provider" == "BloomtypeProbe")');
	build jsonb := jsonb_path_query_first(e, 'strict $.** ? (@."Custom Plan Provider" == "BloomtypeBuild")');
BEGIN
	-- rows are an average, rounded
	removed := round((probe ->> 'Rows Removed by Runtime Filter')::numeric * (probe ->> 'Actual Loops')::numeric, -2);
	passed := round((probe ->> 'Actual Rows')::numeric * (probe ->> 'Actual Loops')::numeric, -2);
	built := round((build ->> 'Actual Rows')::numeric * CASE WHEN (build ->> 'Parallel Aware')::boolean
		THEN (build ->> 'Actual Loops')::numeric ELSE 1 END, -1);
	keys := build ->> 'Filtered Keys';
END $$;
SET bloomtype_join.enable = force;
SELECT * FROM summed('SELECT count(*) FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
SET enable_parallel_hash = off;
SELECT removed, passed, built FROM summed('SELECT count(*) FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
-- each node has a number of its own, by which workers report
CREATE INDEX ON other (id);
CREATE INDEX ON other (a);
SELECT regexp_replace(line, ' loops=.*', ')') AS line
	FROM explained('SELECT count(*) FROM large l JOIN other ON l.a = other.a WHERE other.a = 17 OR other.id = 4') line
	WHERE line ~ 'Bitmap|Build';
SET enable_parallel_hash = on;
-- the leader only gathers
SET parallel_leader_participation = off;
SELECT keys FROM summed('SELECT count(*) FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
RESET parallel_leader_participation;
SELECT line FROM explained('SELECT count(*) FROM large JOIN other ON large.a = other.a WHERE other.grp = 3') line
	WHERE line ~ 'Filtered Keys|Filter Size|Expected';
EXPLAIN (COSTS off) SELECT count(*) FROM large JOIN other ON large.a = other.a WHERE other.grp = 3;

SET client_min_messages = warning;
DROP SCHEMA join_filter_parallel CASCADE;
