-- bloomtype_join: plans that run more than once, in part or whole, that end early or are rolled back

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
CREATE SCHEMA join_filter_rescans;
SET search_path = join_filter_rescans;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

CREATE TABLE fact AS SELECT g AS id, g % 100 AS a, g % 70 AS b FROM generate_series(1, 2000) g;
CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp, g % 5 AS b FROM generate_series(0, 99) g;
CREATE TABLE sub AS SELECT g AS id, g % 4 AS kind FROM generate_series(0, 9) g;
CREATE TABLE large AS SELECT g AS id, g AS a, repeat('x', 50) AS pad FROM generate_series(1, 6000) g;
CREATE TABLE filler AS SELECT g AS id, g * 2 AS a, repeat('x', 50) AS pad FROM generate_series(1, 2500) g;
ANALYZE fact, dim, sub, large, filler;

-- For each row of a nested loop, the join below an aggregate: the hash table is used again.
-- It is filled from parameters that do not change, so there is a filter.
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 AND f.b > s.id) FROM sub s');
CALL show_plan('SELECT s.id, x.n FROM sub s CROSS JOIN LATERAL (SELECT sum(f.id + s.kind) AS n FROM fact f JOIN dim d
	ON f.a = d.id WHERE d.grp = 3) x');
SELECT line FROM explained('SELECT s.id, (SELECT count(*) FROM fact f JOIN dim d ON f.a = d.id
		WHERE d.grp = 3 AND f.b > s.id) FROM sub s') line
	WHERE line ~ 'Bloomtype|Removed by Runtime|Filtered Keys|Hash \(|fact|dim';
-- with batches on disk, it is filled again
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CALL show_plan('SELECT s.id, (SELECT count(*) FROM large l JOIN filler f ON l.a = f.a WHERE l.id <> s.id) FROM sub s');
SELECT regexp_replace(line, 'Buckets.*', 'Buckets') AS line
	FROM explained('SELECT s.id, (SELECT count(*) FROM large l JOIN filler f ON l.a = f.a WHERE l.id <> s.id) FROM sub s') line
	WHERE line ~ 'Bloomtype|Removed by Runtime|Filtered Keys|Hash |filler|large';
RESET work_mem;
RESET hash_mem_multiplier;

-- An inner side whose rows change with the row of the nested loop gets no filter.  The first row
-- of the outer side is fetched before such an inner side is read again.
CREATE TABLE nullsfirst AS SELECT 1 AS id, NULL::int AS a UNION ALL SELECT g, g % 10 FROM generate_series(2, 300) g;
ANALYZE nullsfirst;
CALL show_plan('SELECT s.id, x.n FROM (VALUES (99, 1), (3, 1), (4, 2)) s (id, kind) CROSS JOIN LATERAL (SELECT count(*) AS n
	FROM nullsfirst f JOIN dim d ON f.a = d.id WHERE d.id = s.id OFFSET 0) x');
CALL show_plan('SELECT s.id, x.n FROM (VALUES (99, 1), (3, 1), (4, 2)) s (id, kind) CROSS JOIN LATERAL (SELECT count(*) AS n
	FROM nullsfirst f JOIN (SELECT * FROM dim WHERE dim.id = s.id OFFSET 0) d ON f.a = d.id OFFSET 0) x');
CALL show_plan('SELECT s.id, x.n FROM sub s CROSS JOIN LATERAL (SELECT count(*) AS n FROM fact f JOIN dim d
	ON f.a = d.id AND f.b = d.b + s.id WHERE d.grp = 3) x');
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact f JOIN (SELECT id FROM dim WHERE grp = 3 UNION ALL SELECT s.id) d
	ON f.a = d.id) FROM sub s');
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact f JOIN dim d ON f.a = d.id
	WHERE d.grp = (SELECT max(kind) FROM sub t WHERE t.id <= s.id)) FROM sub s');
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact f JOIN dim d ON f.a = d.id
	WHERE d.grp = (SELECT max(kind) FROM sub t)) FROM sub s');
-- the same with LIMIT: which rows it gives may depend on their order
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact f JOIN (SELECT id FROM dim WHERE grp = 3 ORDER BY id LIMIT 5) d
	ON f.a = d.id AND f.b > s.id) FROM sub s');
SET enable_material = off;
SET enable_memoize = off;
CALL show_plan('SELECT s.id, x.n FROM sub s LEFT JOIN (SELECT count(*) AS n FROM fact f JOIN (SELECT id FROM dim WHERE grp = 3
	ORDER BY id LIMIT 5) d ON f.a = d.id) x ON x.n > s.id');
RESET enable_material;
RESET enable_memoize;
CALL show_plan('SELECT count(*) AS n FROM fact f JOIN (SELECT id FROM dim WHERE grp = 3 ORDER BY id LIMIT 5) d ON f.a = d.id');
-- a recursive query runs its second part again and again
CALL show_plan('WITH RECURSIVE r (id, n) AS (SELECT 1, 0 UNION ALL SELECT f.id, n + 1 FROM r JOIN fact f ON f.id = r.id + 1
	JOIN dim d ON d.id = f.a WHERE n < 20 AND d.grp > 0) SELECT r.id, r.n FROM r');
CALL show_plan('WITH RECURSIVE r (id, n) AS (SELECT 1, 0 UNION ALL SELECT l.id, n + 1 FROM r,
	LATERAL (SELECT f.id FROM fact f JOIN dim d ON d.id = f.a WHERE f.id = r.id + 1 AND d.grp > 0 OFFSET 0) l WHERE n < 20)
	SELECT r.id, r.n FROM r');

-- Nodes that keep rows, above a join with a filter: Material, Memoize, Sort
SET join_collapse_limit = 1;
CALL show_plan('SELECT s.id, x.id FROM sub s LEFT JOIN (SELECT f.id, f.b FROM fact f JOIN dim d ON f.a = d.id
	WHERE d.grp = 3) x ON x.b < s.id');
CALL show_plan('SELECT t.kind, x.n FROM sub t CROSS JOIN LATERAL (SELECT count(*) AS n FROM fact f JOIN dim d ON f.a = d.id
	WHERE d.grp = 3 AND f.b > t.kind) x');
SELECT line FROM explained('SELECT t.kind, x.n FROM sub t CROSS JOIN LATERAL (SELECT count(*) AS n FROM fact f JOIN dim d
	ON f.a = d.id WHERE d.grp = 3 AND f.b > t.kind) x') line WHERE line ~ 'Memoize|Bloomtype|Materialize';
SELECT line FROM explained('SELECT s.id, x.id FROM sub s LEFT JOIN (SELECT f.id, f.b FROM fact f JOIN dim d ON f.a = d.id
	WHERE d.grp = 3) x ON x.b < s.id') line WHERE line ~ 'Memoize|Bloomtype|Materialize';
SET enable_mergejoin = on;
SET enable_memoize = off;
CALL show_plan('SELECT s.id, x.id FROM sub s JOIN (SELECT f.id, f.b FROM fact f JOIN dim d ON f.a = d.id
	WHERE d.grp = 3 OFFSET 0) x ON x.b = s.id');
SET enable_mergejoin = off;
RESET enable_memoize;
RESET join_collapse_limit;
-- a part of a plan between a filter and its scan that is used again
CALL show_plan('SELECT u.id FROM sub s CROSS JOIN LATERAL (SELECT f.id FROM (SELECT id, a FROM fact WHERE b < s.id OFFSET 0) f
	JOIN dim d ON f.a = d.id WHERE d.grp = 3 OFFSET 0) u');

-- Cursors: scrolled, held, ended early, run again from the start
BEGIN;
DECLARE scrolled SCROLL CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
FETCH 3 FROM scrolled;
FETCH BACKWARD 2 FROM scrolled;
MOVE LAST IN scrolled;
FETCH BACKWARD 2 FROM scrolled;
FETCH ABSOLUTE 0 FROM scrolled;
FETCH 2 FROM scrolled;
DECLARE sorted SCROLL CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 ORDER BY f.id DESC;
FETCH 2 FROM sorted;
MOVE ABSOLUTE 0 IN sorted;
FETCH 2 FROM sorted;
DECLARE early NO SCROLL CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
FETCH 1 FROM early;
CLOSE early;
DECLARE untouched CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
DECLARE held CURSOR WITH HOLD FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
FETCH 1 FROM held;
DECLARE held_scrolled SCROLL CURSOR WITH HOLD FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
FETCH 2 FROM held_scrolled;
COMMIT;
FETCH 2 FROM held;
FETCH BACKWARD 1 FROM held_scrolled;
MOVE FORWARD ALL IN held_scrolled;
CLOSE ALL;
-- rows of a cursor are changed through it
BEGIN;
DECLARE changing CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 FOR UPDATE OF f;
FETCH 2 FROM changing;
UPDATE fact SET b = -1 WHERE CURRENT OF changing;
SELECT id FROM fact WHERE b = -1;
ROLLBACK;

-- Statements that end before all rows are read
SELECT count(*) FROM (SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 LIMIT 7) x;
SELECT EXISTS (SELECT FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3);
SELECT s.id, (SELECT f.b FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 AND f.b > s.id LIMIT 1) > s.id AS more FROM sub s;
SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 AND f.b / (f.id - 13) > -1;
CREATE FUNCTION some_rows() RETURNS SETOF int STABLE LANGUAGE sql
	AS 'SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3';
SELECT some_rows() LIMIT 2;
DO $$
DECLARE
	id int;
	n int := 0;
BEGIN
	FOR id IN SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3 LOOP
		n := n + 1;
		EXIT WHEN n = 50;
	END LOOP;
	RAISE NOTICE '% rows', n;
END $$;

-- Errors in the middle of a join, in subtransactions and not; portals that go with them
CREATE FUNCTION fails_at(x int, at int) RETURNS int LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF x = at THEN RAISE EXCEPTION 'failed at %', x; END IF;
	RETURN x;
END $$;
DO $$
DECLARE
	n int;
	nfailed int := 0;
BEGIN
	FOR i IN 1..300 LOOP
		BEGIN
			-- on either side
			SELECT count(fails_at(f.id, i * 10)) INTO n FROM fact f JOIN dim d ON f.a = d.id AND d.grp = fails_at(d.grp, i % 12 - 1);
		EXCEPTION WHEN raise_exception THEN
			nfailed := nfailed + 1;
		END;
	END LOOP;
	SELECT count(*) INTO n FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
	RAISE NOTICE '% failed; % rows', nfailed, n;
END $$;
BEGIN;
DECLARE outside CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 3;
FETCH 2 FROM outside;
SAVEPOINT s;
DECLARE inside CURSOR FOR SELECT f.id FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = 4;
FETCH 2 FROM inside;
FETCH 1 FROM outside;
ROLLBACK TO s;
FETCH 1 FROM inside;
ROLLBACK TO s;
FETCH 1 FROM outside;
ROLLBACK;

-- Prepared statements: with plans for values and without, kept while tables and settings change
PREPARE counted(int) AS SELECT count(*), sum(f.id) FROM fact f JOIN dim d ON f.a = d.id WHERE d.grp = $1;
SET plan_cache_mode = force_custom_plan;
EXECUTE counted(3);
SET plan_cache_mode = force_generic_plan;
EXECUTE counted(3);
EXECUTE counted(77);
EXECUTE counted(NULL);
SELECT count(*) AS nodes FROM explained('EXECUTE counted(3)') line WHERE line ~ 'Bloomtype';
-- a plan is kept until something about its tables changes
SET bloomtype_join.enable = off;
SELECT count(*) AS nodes FROM explained('EXECUTE counted(3)') line WHERE line ~ 'Bloomtype';
INSERT INTO fact SELECT -g, -1, 0 FROM generate_series(1, 9) g;
ANALYZE fact;
SELECT count(*) AS nodes FROM explained('EXECUTE counted(3)') line WHERE line ~ 'Bloomtype';
SET bloomtype_join.enable = force;
INSERT INTO fact SELECT -g, -1, 0 FROM generate_series(1, 9) g;
ANALYZE fact;
SELECT count(*) AS nodes FROM explained('EXECUTE counted(3)') line WHERE line ~ 'Bloomtype';
ALTER TABLE fact ADD COLUMN late int;
ALTER TABLE dim ALTER COLUMN id TYPE bigint;
EXECUTE counted(4);
INSERT INTO dim VALUES (NULL, 4), (200, 4);
INSERT INTO fact VALUES (100000, 200, 0), (100001, NULL, 0);
EXECUTE counted(4);
RESET plan_cache_mode;
DEALLOCATE counted;

-- CTEs, each of which reads the one before twice: the time to plan them does not double with each
SELECT format('WITH c0 AS (SELECT id FROM dim), %s
	SELECT count(*) FROM fact JOIN c40 ON fact.a = c40.id JOIN sub ON fact.b = sub.id',
	string_agg(format('c%s AS (SELECT id FROM c%s WHERE id IN (SELECT id FROM c%s))', n, n - 1, n - 1),
		', ' ORDER BY n)) AS ctes
FROM generate_series(1, 40) n \gset
SET statement_timeout = '20s';
SELECT count(*) FILTER (WHERE line ~ 'CTE c') AS ctes, count(*) FILTER (WHERE line ~ 'Probe') > 0 AS filtered
FROM explained(:'ctes') line;
RESET statement_timeout;

-- Where a join runs again, its inner side must give the same rows, whatever the statement has changed in
-- between.  The upper hash table here is filled again for each tenant, since it has batches on disk; the
-- lower one is kept, with what a filter of the first tenant's items would have left in it.
CREATE TABLE tenant AS SELECT g AS n FROM generate_series(0, 2) g;
CREATE TABLE item AS SELECT g AS id, g % 3 AS tenant, repeat('x', 100) AS note FROM generate_series(1, 2400) g;
CREATE TABLE part WITH (fillfactor = 10) AS
	SELECT g AS id, g AS item, repeat('y', 300) AS pad FROM generate_series(1, 300) g;
CREATE TABLE event AS SELECT g AS id, g % 300 + 1 AS part FROM generate_series(1, 9000) g;
ANALYZE tenant, item, part, event;
SET app.tenant = 0;
CREATE FUNCTION tenant_query(inner_side text, change text) RETURNS text LANGUAGE sql
RETURN format('SELECT n, %s, (SELECT count(*) || '' from '' || min(i.id) FROM event e
	JOIN part p ON e.part = p.id JOIN %s i ON p.item = i.id WHERE length(i.note) + e.id > n) AS answer FROM tenant',
	change, inner_side);
CREATE FUNCTION is_filtered(inner_side text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	node text;
	filtered boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || tenant_query(inner_side, 'n') LOOP
		node := coalesce(substring(line FROM 'Bloomtype[A-Za-z]*'), node);
		filtered := filtered OR (node = 'BloomtypeProbe' AND line ~ 'Runtime Filter Keys: p.item');
	END LOOP;
	RETURN filtered;
END $$;
-- an inner side, i; what happens for each row of the outer query; and how to start again
CREATE PROCEDURE for_each_tenant(inner_side text, change text DEFAULT 'set_config(''app.tenant'', n::text, false)',
	restart text DEFAULT 'SET app.tenant = 0') LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT string_agg(answer, ''; '' ORDER BY n) FROM (%s) r', tenant_query(inner_side, change));
	expected text;
	found text;
BEGIN
	EXECUTE restart;
	COMMIT;
	EXECUTE query INTO found;
	COMMIT;
	EXECUTE restart;
	COMMIT;
	SET LOCAL bloomtype_join.enable = off;
	EXECUTE query INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	RAISE NOTICE '%: %; %', CASE WHEN is_filtered(inner_side) THEN 'filter' ELSE 'no filter' END, inner_side, found;
	IF found IS DISTINCT FROM expected THEN
		RAISE WARNING 'expected %', expected;
	END IF;
END $$;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET join_collapse_limit = 1;
SET enable_nestloop = off;
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = 1)');
-- settings, in each expression of each node below
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = current_setting(''app.tenant'')::int)');
CALL for_each_tenant('(SELECT id + current_setting(''app.tenant'')::int AS id, note FROM item OFFSET 0)');
CALL for_each_tenant('(SELECT item.* FROM item JOIN tenant ON tenant = n AND n + id % 1 = current_setting(''app.tenant'')::int)');
CALL for_each_tenant('(SELECT item.* FROM item JOIN tenant ON tenant + current_setting(''app.tenant'')::int = n)');
CALL for_each_tenant('(SELECT item.* FROM item LEFT JOIN tenant ON tenant = n AND id % 3 = current_setting(''app.tenant'')::int
	WHERE n IS NULL)');
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = 0 UNION ALL SELECT * FROM item WHERE current_setting(''app.tenant'') = ''1'')');
CALL for_each_tenant('(SELECT g AS id, repeat(''x'', 100) AS note FROM generate_series(current_setting(''app.tenant'')::int, 2000) g)');
CALL for_each_tenant('(SELECT id, repeat(''x'', 900) AS note FROM (VALUES (current_setting(''app.tenant'')::int), (5), (7), (8), (9))
	v (v) JOIN item ON item.id % 90 = v)');
-- and in sub-plans
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = (SELECT max(n) FROM tenant
	WHERE n <= item.id AND n <= current_setting(''app.tenant'')::int))');
CALL for_each_tenant('(SELECT * FROM item WHERE id < 0 OR tenant IN (SELECT n FROM tenant WHERE n = current_setting(''app.tenant'')::int))');
CALL for_each_tenant('(SELECT * FROM item WHERE id < 0 OR EXISTS (SELECT FROM tenant WHERE n = tenant
	AND n = current_setting(''app.tenant'')::int))');
-- time is the same in a statement, but a time zone is a setting
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = extract(hour FROM to_timestamp(id * 0))::int % 3)',
	'set_config(''timezone'', ''UTC-'' || n, false)', 'SET timezone = ''UTC''');
RESET timezone;
-- functions that the server calls immutable, and that depend on a setting all the same
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = length((id * 0 + 0.1::float8 + 0.2)::text) % 3)',
	'set_config(''extra_float_digits'', (n > 0)::int::text, false)', 'SET extra_float_digits = 0');
RESET extra_float_digits;
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = length(decode(left(note, 3), ''escape'')::text) % 3)',
	'set_config(''bytea_output'', CASE n WHEN 0 THEN ''escape'' ELSE ''hex'' END, false)', 'SET bytea_output = escape');
RESET bytea_output;
-- a user's function keeps what it promises
CREATE FUNCTION first_tenant(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = first_tenant(id))');
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = length(quote_ident(left(note, 1))) % 3)',
	'set_config(''quote_all_identifiers'', (n > 0)::text, false)', 'SET quote_all_identifiers = off');
RESET quote_all_identifiers;
SELECT expression, is_filtered(format('(SELECT * FROM item WHERE %s)', expression))
FROM unnest(ARRAY[
	'id::text > '''' AND note::name > '''' AND tenant::numeric::text = ''1''',
	'xmlconcat(CASE WHEN id > 0 THEN NULL::xml END)::text > ''''',
	'age(to_timestamp(id), to_timestamp(tenant)) > interval ''1 day''',
	'to_timestamp(id) > to_timestamp(tenant)',
	'to_timestamp(id) AT TIME ZONE ''EST'' > ''2000-01-01''',
	'to_tsvector(''simple'', note) @@ ''x''::tsquery',
	'point(id, tenant)::text > '''''
]) expression;
-- an index that may leave out some rows by chance
CREATE INDEX fuzzy ON item USING gin ((ARRAY[tenant]));
CREATE INDEX exact ON item (tenant);
SET enable_seqscan = off;
SELECT is_filtered('(SELECT * FROM item WHERE ARRAY[tenant] @> ''{1}'')') AS fuzzy,
	is_filtered('(SELECT * FROM item WHERE tenant = 1)') AS exact;
-- conditions of an index: of a bitmap, of a table, and of an index alone
\set by_setting '(SELECT id, note FROM item WHERE tenant = current_setting(''app.tenant'')::int)'
SELECT is_filtered(:'by_setting');
SET enable_bitmapscan = off;
SELECT is_filtered(:'by_setting');
CREATE INDEX covering ON item (tenant) INCLUDE (id, note);
DROP INDEX fuzzy, exact;
SELECT is_filtered(:'by_setting');
RESET enable_bitmapscan;
RESET enable_seqscan;
DROP INDEX covering;
-- a sequence, read as a table
CREATE SEQUENCE number MINVALUE 0;
CALL for_each_tenant('(SELECT item.* FROM item JOIN number ON tenant = last_value % 3)', 'nextval(''number'')', 'SELECT setval(''number'', 0, true)');
-- what the server knows of the transaction, or tells of its own state
CREATE TABLE written (n int);
CREATE FUNCTION write(n int) RETURNS int LANGUAGE sql AS 'INSERT INTO written VALUES (n); SELECT n';
CALL for_each_tenant('(SELECT * FROM item WHERE tenant = (pg_current_xact_id_if_assigned() IS NOT NULL)::int)',
	'CASE n WHEN 1 THEN write(n) END');
CALL for_each_tenant('(SELECT item.* FROM item JOIN pg_class c ON tenant + 3 = c.reltuples WHERE c.relname = ''tenant'')');
CREATE FUNCTION lock_items() RETURNS bigint LANGUAGE sql
	AS 'SELECT count(*) FROM (SELECT FROM item WHERE tenant = 1 FOR UPDATE) x';
CALL for_each_tenant('(SELECT * FROM item WHERE xmax = 0)', 'CASE n WHEN 1 THEN lock_items() END',
	'UPDATE item SET note = note WHERE tenant = 1');
-- Tables are read as they were when the statement began, whatever it writes to them: a filter is right.
CREATE TEMPORARY TABLE chosen AS SELECT 0 AS tenant;
ANALYZE chosen;
CREATE FUNCTION choose(n int) RETURNS int LANGUAGE sql
	AS 'UPDATE chosen SET tenant = n; INSERT INTO chosen VALUES (n); SELECT n';
CALL for_each_tenant('(SELECT item.* FROM item JOIN chosen USING (tenant))', 'choose(n)', 'TRUNCATE chosen; INSERT INTO chosen VALUES (0)');
-- Row-level security
ALTER TABLE item ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON item USING (tenant = current_setting('app.tenant')::int);
CREATE ROLE join_filter_tenant;
GRANT USAGE ON SCHEMA join_filter_rescans TO join_filter_tenant;
GRANT SELECT ON ALL TABLES IN SCHEMA join_filter_rescans TO join_filter_tenant;
SET ROLE join_filter_tenant;
CALL for_each_tenant('item');
-- run once, such a join has a filter
CALL show_plan('SELECT e.id FROM event e JOIN part p ON e.part = p.id JOIN item i ON p.item = i.id');
RESET ROLE;
CALL show_plan('SELECT e.id FROM event e JOIN part p ON e.part = p.id JOIN item i ON p.item = i.id
	WHERE i.tenant = current_setting(''app.tenant'')::int');
-- A cursor that is moved back to its start sorts again where another number of rows is wanted
SET app.wanted = 5;
SET app.tenant = 0;
BEGIN;
DECLARE again SCROLL CURSOR FOR
SELECT e.id, i.tenant FROM event e JOIN part p ON e.part = p.id JOIN item i ON p.item = i.id
WHERE i.tenant = current_setting('app.tenant')::int AND length(i.note) + e.id > 0
ORDER BY e.id LIMIT current_setting('app.wanted')::int;
FETCH 2 FROM again;
SET app.tenant = 1;
SET app.wanted = 6;
MOVE ABSOLUTE 0 IN again;
FETCH 2 FROM again;
COMMIT;
RESET work_mem;
RESET hash_mem_multiplier;
RESET join_collapse_limit;
RESET enable_nestloop;

SET client_min_messages = warning;
DROP SCHEMA join_filter_rescans CASCADE;
DROP ROLE join_filter_tenant;
