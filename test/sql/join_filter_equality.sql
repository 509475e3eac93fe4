-- bloomtype_join: filters of a key also go to the columns that joins below have found equal to it.

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET enable_memoize = off;
SET join_collapse_limit = 1;
CREATE SCHEMA join_filter_equality;
SET search_path = join_filter_equality;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

CREATE TABLE fact AS SELECT g AS id, g % 100 AS a, g % 70 AS b FROM generate_series(1, 2000) g;
CREATE TABLE part AS SELECT g AS id, NULLIF(g % 120, 7) AS a, g % 50 AS b, g % 5 AS x FROM generate_series(1, 600) g;
CREATE TABLE note AS SELECT g AS id, g % 110 AS a, g % 50 AS b FROM generate_series(1, 300) g;
CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp, g % 5 AS b FROM generate_series(0, 99) g;
ANALYZE fact, part, note, dim;

-- From one side of a join to the other, in both directions; through a third table; of two columns
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN (SELECT a, id FROM part OFFSET 0) p ON f.a = p.a)
	JOIN dim d ON p.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id, n.id FROM (fact f JOIN (part p JOIN note n ON p.a = n.a) ON f.a = p.a)
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.a = p.a AND f.b = p.b)
	JOIN dim d ON f.a = d.id AND f.b = d.b WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id AND f.b = d.b
	WHERE d.grp = 3');
-- by what a join far below has found, of columns that the join between does not name
CALL show_plan('SELECT f.id FROM ((SELECT f.id, f.a AS fa, p.a AS pa FROM fact f JOIN part p ON f.a = p.a OFFSET 0) f
	JOIN note n ON f.fa = n.a) JOIN dim d ON f.pa = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id FROM ((SELECT f.id, f.a AS fa, p.a AS pa FROM fact f JOIN part p ON f.a = p.a OFFSET 0) f
	JOIN note n ON f.pa = n.a) JOIN dim d ON f.fa = d.id WHERE d.grp = 3');
-- an equality of another column says nothing, nor does another comparison
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.b = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.b = p.b AND f.a >= p.a) JOIN dim d ON f.a = d.id
	WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.a = p.a + 1) JOIN dim d ON f.a = d.id WHERE d.grp = 3');

-- Types: other columns are hashed by the functions of their own types, of the family of the join
CREATE TABLE wide AS SELECT id, a::int8 AS a8, a::int2 AS a2, a::float4 AS f4, a::numeric AS n, a::text AS t,
	a::text::varchar(9) AS vc, a::text::name AS nm, a::text::char(9) AS bp, a::oid AS o, date '2020-01-01' + a AS d,
	timestamp '2020-01-01' + a * interval '1 day' AS ts FROM part;
CREATE TABLE keys AS SELECT id, id::int2 AS i2, id::int8 AS i8, id::float8 AS f8, (id || '.0')::numeric AS n, id::text AS t,
	id::text::name AS nm, id::text::char(9) AS bp, id::oid AS o, date '2020-01-01' + id AS d,
	timestamp '2020-01-01' + id * interval '1 day' AS ts FROM dim WHERE grp = 3;
ANALYZE wide, keys;
CREATE PROCEDURE show_types(one text, other text, key text) LANGUAGE plpgsql AS $$
BEGIN
	CALL show_plan(format('SELECT x.id, y.id FROM (wide x JOIN (SELECT id, %s AS other FROM wide WHERE id <= 200 OFFSET 0) y ON x.%s = y.other) '
		'JOIN keys k ON x.%s = k.%s', other, one, one, key));
END $$;
CALL show_types('a8', 'a2', 'i2');
CALL show_types('a2', 'a8', 'i8');
CALL show_types('n', 'n', 'n');
CALL show_types('t', 'vc', 't');
CALL show_types('vc', 't', 't');
CALL show_types('nm', 't', 'nm');
CALL show_types('t', 'nm', 'nm');
CALL show_types('bp', 'bp', 'bp');
CALL show_types('o', 'o', 'o');
CALL show_types('d', 'd', 'd');
-- not of one family: there is no filter at y
CALL show_plan('SELECT x.id, y.id FROM (wide x JOIN wide y ON x.d = y.ts) JOIN keys k ON x.d = k.d');
CALL show_plan('SELECT x.id, y.id FROM (wide x JOIN wide y ON x.f4 = y.f4) JOIN keys k ON x.a8 = k.i8');
-- nor under another collation
CALL show_plan('SELECT x.id, y.id FROM (wide x JOIN wide y ON x.t COLLATE "C" = y.t) JOIN keys k ON x.t = k.t');

-- Left joins: the side with nulls is filtered, too.  A row whose partner is left out has a key that the
-- join above drops.
CALL show_plan('SELECT f.id, p.id FROM (fact f LEFT JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id, n.id FROM ((fact f LEFT JOIN part p ON f.a = p.a) LEFT JOIN note n ON f.a = n.a)
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id, n.id FROM (fact f LEFT JOIN (part p JOIN note n ON p.a = n.a) ON f.a = p.a)
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f LEFT JOIN part p ON f.a = p.a AND f.b = p.b) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
-- but nothing is known of another column of the other side: rows without a partner have any value there
CREATE TABLE twin AS SELECT id, id % 61 AS b FROM fact;
ANALYZE twin;
CALL show_plan('SELECT f.id, t.id, p.id FROM ((fact f JOIN twin t ON f.id = t.id) LEFT JOIN part p ON f.a = p.a AND t.b = p.a)
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (fact f LEFT JOIN part p ON f.a = f.b AND f.b = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
-- the same with the smaller side hashed: right joins
CALL show_plan('SELECT n.id, f.id FROM (note n LEFT JOIN fact f ON n.a = f.a) JOIN dim d ON n.a = d.id WHERE d.grp = 3');
CREATE TABLE note_twin AS SELECT id, id % 47 AS b FROM note;
ANALYZE note_twin;
CALL show_plan('SELECT n.id, t.id, f.id FROM ((note n JOIN note_twin t ON n.id = t.id) LEFT JOIN fact f ON n.a = f.a AND t.b = f.a)
	JOIN dim d ON n.a = d.id WHERE d.grp = 3');
-- nor in full joins and anti-joins
CALL show_plan('SELECT f.id FROM (SELECT f.id, f.a, p.id AS part FROM fact f FULL JOIN part p ON f.a = p.a OFFSET 0) f
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id FROM (SELECT * FROM fact f WHERE NOT EXISTS (SELECT FROM part p WHERE p.a = f.a) OFFSET 0) f
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
-- semi-joins
CALL show_plan('SELECT f.id FROM (SELECT * FROM fact f WHERE EXISTS (SELECT FROM part p WHERE p.a = f.a AND p.b <> f.b) OFFSET 0) f
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
-- No error that the query does not have: a row with nulls in place of its partner is dropped, but what is
-- computed before that could fail.  There is no filter at part.
CREATE TABLE ones AS SELECT g AS id, g AS a, 1 AS x FROM generate_series(0, 99) g;
ANALYZE ones;
CALL show_plan('SELECT f.q FROM (SELECT f.a, 1 / coalesce(p.x, 0) AS q FROM (SELECT * FROM fact LIMIT 1500) f
	LEFT JOIN ones p ON f.a = p.a OFFSET 0) f JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id FROM (SELECT f.a, f.id FROM (SELECT * FROM fact LIMIT 1500) f LEFT JOIN ones p ON f.a = p.a
	WHERE 1 / coalesce(p.x, 0) = 1 OFFSET 0) f JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id FROM ((SELECT * FROM fact LIMIT 1500) f LEFT JOIN ones p ON f.a = p.a)
	JOIN dim d ON f.a = d.id AND d.b / coalesce(p.x, 0) = d.b AND 1 / coalesce(p.x, 0) = d.grp - 2 WHERE d.grp = 3');
CALL show_plan('SELECT f.id FROM (((SELECT * FROM fact LIMIT 1500) f LEFT JOIN ones p ON f.a = p.a)
	JOIN note n ON f.id = n.id AND 1 / coalesce(p.x, 0) = n.b - n.b + 1) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id FROM (SELECT f.* FROM ((SELECT * FROM fact LIMIT 1500) f LEFT JOIN ones p ON f.a = p.a)
	WHERE NOT EXISTS (SELECT FROM note n WHERE n.id = p.x) OFFSET 0) f JOIN dim d ON f.a = d.id WHERE d.grp = 3');
-- where nothing is computed, there is one
CALL show_plan('SELECT f.id, f.x FROM (SELECT f.id, f.a, p.x FROM (SELECT * FROM fact LIMIT 1500) f
	LEFT JOIN ones p ON f.a = p.a OFFSET 0) f JOIN dim d ON f.a = d.id WHERE d.grp = 3');

-- Volatile functions, which would be called less often
CREATE FUNCTION volatile_number(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN $1; END';
CALL show_plan('SELECT f.id, p.b FROM (fact f JOIN (SELECT id, a, volatile_number(b) AS b FROM part OFFSET 0) p ON f.a = p.a)
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, f.b FROM ((SELECT id, a, volatile_number(b) AS b FROM fact OFFSET 0) f JOIN part p ON f.a = p.a)
	JOIN dim d ON f.a = d.id WHERE d.grp = 3');

-- Partitions
CREATE TABLE parts (id int, a int) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (200);
CREATE TABLE parts_2 (gone text, a int, id int);
ALTER TABLE parts_2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (200) TO (3000);
INSERT INTO parts SELECT id, a FROM part;
ANALYZE parts;
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN parts p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
CALL show_plan('SELECT f.id, p.id FROM (parts p JOIN fact f ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');

-- The hash table of the join above is built first, so that the one below has few rows.
SELECT line FROM explained('SELECT count(*) FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3') line
	WHERE line !~ 'Buckets|Peak|Filter Size|False Positives';
-- nothing else is lost than that an empty outer side is found first
SELECT line FROM explained('SELECT count(*) FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 77') line
	WHERE line ~ 'Seq Scan|Join|Runtime';
SELECT line FROM explained('SELECT count(*) FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE f.id < 0') line
	WHERE line ~ 'Seq Scan|Join|Runtime';
-- where the scan alone is filtered, not even that
SELECT line FROM explained('SELECT count(*) FROM fact f JOIN dim d ON f.a = d.id WHERE f.id < 0') line
	WHERE line ~ 'Seq Scan|Join|Runtime';
-- costs are those of a plan that begins later
CREATE FUNCTION costs(query text) RETURNS TABLE (node text, begins numeric, ends numeric) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	cost text[];
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		cost := regexp_match(line, '([A-Z].*)  .cost=([0-9.]+)[.][.]([0-9.]+)');
		IF cost IS NOT NULL THEN
			node := cost[1];
			begins := cost[2];
			ends := cost[3];
			RETURN NEXT;
		END IF;
	END LOOP;
END $$;
SELECT count(*) AS nodes, count(*) FILTER (WHERE begins > ends) AS ended_before_they_began
FROM costs('SELECT count(*) FROM (fact f JOIN part p ON f.a = p.a) JOIN (SELECT a, count(*) FROM fact GROUP BY a) d ON f.a = d.a');

-- By default, a filter must be expected to pay at each scan by itself.
SET bloomtype_join.enable = on;
SET bloomtype_join.min_rows = 1000;
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
SET bloomtype_join.min_rows = 500;
CALL show_plan('SELECT f.id, p.id FROM (fact f JOIN part p ON f.a = p.a) JOIN dim d ON f.a = d.id WHERE d.grp = 3');
SET bloomtype_join.min_rows = 1000;
CALL show_plan('SELECT f.id, x.id FROM ((SELECT * FROM dim OFFSET 0) x JOIN fact f ON f.a = x.id) JOIN dim d ON x.id = d.id WHERE d.grp = 3');
RESET bloomtype_join.min_rows;
SET bloomtype_join.enable = force;

-- A lower hash table that is kept has what a filter of the first run has left in it.  So the inner side of
-- the join above must give the same rows again.
CREATE TABLE tenant AS SELECT g AS n FROM generate_series(0, 2) g;
CREATE TABLE item AS SELECT g AS id, g % 3 AS tenant, repeat('x', 100) AS pad FROM generate_series(1, 2400) g;
CREATE TABLE stock AS SELECT g AS id, g AS item FROM generate_series(1, 300) g;
CREATE TABLE event AS SELECT g AS id, g % 300 + 1 AS item FROM generate_series(1, 3000) g;
ANALYZE tenant, item, stock, event;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CREATE FUNCTION tenant_query(inner_side text) RETURNS text LANGUAGE sql
RETURN format('SELECT n, set_config(''app.tenant'', n::text, false), (SELECT count(*) || '' with '' || count(s.id)
	FROM (event e LEFT JOIN stock s ON e.item = s.item) JOIN %s i ON e.item = i.id WHERE length(i.pad) + e.id > n) AS answer
	FROM tenant', inner_side);
CREATE PROCEDURE for_each_tenant(inner_side text) LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT string_agg(answer, ''; '' ORDER BY n) FROM (%s) r', tenant_query(inner_side));
	expected text;
	found text;
	line text;
	at_stock boolean := false;
BEGIN
	PERFORM set_config('app.tenant', '0', false);
	EXECUTE query INTO found;
	SET LOCAL bloomtype_join.enable = off;
	PERFORM set_config('app.tenant', '0', false);
	EXECUTE query INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		at_stock := at_stock OR line ~ 'Runtime Filter Keys: s.item';
	END LOOP;
	RAISE NOTICE '%: %; %', CASE WHEN at_stock THEN 'filter' ELSE 'no filter' END, inner_side, found;
	IF found IS DISTINCT FROM expected THEN
		RAISE WARNING 'expected %', expected;
	END IF;
END $$;
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = 1)');
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = current_setting(''app.tenant'')::int)');
RESET work_mem;
RESET hash_mem_multiplier;

-- planning takes milliseconds, not twice as long with each join
SET statement_timeout = '1min';
CREATE TABLE pair AS SELECT g % 2 AS a, g / 2 AS b FROM generate_series(1, 2000) g;
ANALYZE pair;
DO $$ BEGIN
	EXECUTE (SELECT 'EXPLAIN SELECT FROM pair f WHERE ' || string_agg(
			format('EXISTS (SELECT FROM pair %1$I WHERE f.a = %1$I.a AND f.b = %1$I.b)', 'p' || i), ' AND ')
		FROM generate_series(1, 30) i);
END $$;
-- nor where each join adds an equality, and another stays unknown
SET join_collapse_limit = 1;
SET enable_nestloop = off;
SET enable_mergejoin = off;
CREATE TABLE broad (a int);
DO $$ BEGIN
	EXECUTE (SELECT 'ALTER TABLE broad ' || string_agg(format('ADD b%1$s int, ADD c%1$s int', i), ', ') FROM generate_series(1, 20) i);
	EXECUTE (SELECT 'EXPLAIN SELECT FROM broad w ' || string_agg(
			format('JOIN (SELECT p.a, q.b, p.b AS c FROM pair p JOIN pair q ON p.a = q.b OFFSET 0) p%1$s
				ON w.a = p%1$s.a AND w.b%1$s = p%1$s.b AND w.c%1$s = p%1$s.c', i), ' ')
		FROM generate_series(1, 20) i);
END $$;
RESET statement_timeout;

SET client_min_messages = warning;
DROP SCHEMA join_filter_equality CASCADE;
