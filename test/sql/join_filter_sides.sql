-- bloomtype_join: a hash join hashes its smaller side where the other one can be filtered.

LOAD 'bloomtype_join';
SET bloomtype_join.min_rows = 1000;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET enable_memoize = off;
SET enable_indexscan = off;
CREATE SCHEMA join_filter_sides;
SET search_path = join_filter_sides;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

CREATE TABLE orders AS SELECT g AS id, g % 5 AS priority, g AS a, g::text COLLATE "C" AS t, ARRAY[g] AS ids FROM generate_series(1, 8000) g;
ALTER TABLE orders ADD PRIMARY KEY (id);
CREATE UNIQUE INDEX ON orders (t);
CREATE UNIQUE INDEX ON orders (ids);
CREATE TABLE line AS SELECT g AS id, g * 3 % 9000 AS o, g % 40 AS day, (g * 3)::text COLLATE "C" AS t, ARRAY[g * 3] AS ids FROM generate_series(1, 16000) g;
ANALYZE orders, line;
-- the planner hashes the orders, since each line has one: that differs little from the other way
SET cpu_tuple_cost = 0.001;
SET seq_page_cost = 10;

-- The tables in a plan, the one that is hashed last, without the library and with it; and the rows
CREATE FUNCTION sides(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text[] := '{}';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		IF line ~ 'Join$|Scan on' THEN
			found := found || substring(line FROM '(Hash.* Join|(?<=Scan on ).*)$');
		END IF;
	END LOOP;
	RETURN array_to_string(found, ', ');
END $$;
CREATE PROCEDURE show_sides(query text) LANGUAGE plpgsql AS $$
DECLARE
	rows_of text := 'SELECT count(*) || '' rows '' || coalesce(sum(hashtext(r::text)), 0) FROM (' || query || ') r';
	expected text;
	found text;
BEGIN
	RAISE NOTICE '%', query;
	SET LOCAL bloomtype_join.enable = off;
	RAISE NOTICE '  off: %', sides(query);
	EXECUTE rows_of INTO expected;
	SET LOCAL bloomtype_join.enable = on;
	RAISE NOTICE '  on: %', sides(query);
	EXECUTE rows_of INTO found;
	IF found <> expected THEN
		RAISE WARNING 'expected %, found %', expected, found;
	END IF;
END $$;
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.o = o.id WHERE day = 3');
CALL show_sides('SELECT l.id, priority FROM orders o JOIN line l ON l.o = o.id WHERE day = 3');
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.t = o.t WHERE day = 3');
-- a left join becomes a right join, which returns the same rows
CALL show_sides('SELECT l.id, priority FROM line l LEFT JOIN orders o ON l.o = o.id WHERE day = 3');
CALL show_sides('SELECT l.id, o.id FROM line l LEFT JOIN orders o ON l.o = o.id AND priority > 0 WHERE day = 3 AND o.a IS NULL');
-- not where most rows would pass, nor where nothing can be filtered: few rows, array keys, an expression
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.o = o.id WHERE day < 30');
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.o = o.id WHERE day = 3 AND priority = 1 AND o.id < 3000');
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.ids = o.ids WHERE day = 3');
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.ids = ARRAY[o.a] WHERE day = 3');
-- nor where the settings say so
SET bloomtype_join.max_pass = 0.01;
CALL show_sides('SELECT l.id, priority FROM line l JOIN orders o ON l.o = o.id WHERE day = 3');
RESET bloomtype_join.max_pass;
SET enable_hashjoin = off;
SELECT sides('SELECT l.id, priority FROM line l JOIN orders o ON l.o = o.id WHERE day = 3');
RESET enable_hashjoin;
-- a nested loop that cannot be avoided stays where it has few rows to run for
CREATE FUNCTION top_node(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Node Type';
END $$;
SELECT top_node('SELECT l.id, n FROM line l JOIN orders o ON l.o = o.id CROSS JOIN LATERAL
	(SELECT p.id AS n FROM orders p WHERE p.id < l.id AND p.a % 1000 = 7 LIMIT 1) x WHERE day = 3 AND priority = 1');

SET client_min_messages = warning;
DROP SCHEMA join_filter_sides CASCADE;
