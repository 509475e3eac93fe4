-- bloomtype_join: which joins get a filter, where, and that results stay the same.

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

CREATE TABLE fact AS
	SELECT g AS id, g % 100 AS a, g % 70 AS b, (g % 100)::text AS t, g % 100 + 0.50 AS n
	FROM generate_series(1, 2000) g;
CREATE TABLE dim AS
	SELECT g AS id, g::text AS t, g + 0.5 AS n, g % 10 AS grp, g % 5 AS b
	FROM generate_series(0, 99) g;
CREATE TABLE sub AS SELECT g AS id, g % 4 AS kind FROM generate_series(0, 9) g;
ANALYZE fact, dim, sub;

-- The settings, whose prefix is reserved
SELECT name, boot_val, min_val, max_val, enumvals, context FROM pg_settings
	WHERE name LIKE 'bloomtype_join.%' ORDER BY name;
SHOW bloomtype_join.max_pass;
SHOW bloomtype_join.min_rows;
\set VERBOSITY default
SET bloomtype_join.no_such_setting = 1;
SET bloomtype_join.enable = perhaps;
\set VERBOSITY terse

-- EXPLAIN
SELECT explained('SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
SELECT jsonb_path_query(e, 'strict $.** ? (@."Custom Plan Provider" starts with "Bloomtype")')
		- '{Plans, "Actual Rows", Disabled}'::text[]
	FROM explained_as_json('SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3') e;
-- Newer servers mark the nodes that settings disable: the same ones as without filters.
CREATE FUNCTION disabled_nodes(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	node text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		IF line ~ '^[^ ]|->' THEN
			node := regexp_replace(line, '^ *-> *', '');
		ELSIF line ~ 'Disabled' THEN
			RETURN NEXT node;
		END IF;
	END LOOP;
END $$;
CREATE FUNCTION disables_the_same(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	found text[] := ARRAY(SELECT disabled_nodes(query));
BEGIN
	SET LOCAL bloomtype_join.enable = off;
	RETURN found = ARRAY(SELECT disabled_nodes(query));
END $$;
SET enable_seqscan = off;
SELECT disables_the_same('SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
SELECT disables_the_same('SELECT count(*) FROM fact JOIN (dim JOIN sub ON dim.grp = sub.id)
	ON fact.a = dim.id');
SELECT disables_the_same('SELECT count(*) FROM (SELECT * FROM fact UNION ALL SELECT * FROM fact) f
	JOIN (SELECT id FROM dim OFFSET 1) d ON f.a = d.id');
RESET enable_seqscan;

SET bloomtype_join.enable = off;
EXPLAIN (COSTS off) SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3;
SET bloomtype_join.enable = force;

-- By default, a filter must be expected to pay
SET bloomtype_join.enable = on;
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
SET bloomtype_join.min_rows = 1000;
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
SET bloomtype_join.max_pass = 0.05;
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
RESET bloomtype_join.max_pass;
RESET bloomtype_join.min_rows;
SET bloomtype_join.enable = force;

-- Joins that leave out outer rows without a partner, and those that do not
CALL show_plan('SELECT dim.id, fact.id FROM fact RIGHT JOIN (SELECT * FROM dim WHERE grp = 3) dim
	ON fact.a = dim.id');
CALL show_plan('SELECT * FROM fact WHERE a IN (SELECT id FROM dim WHERE grp = 3)');
CALL show_plan('SELECT fact.id, dim.id FROM fact LEFT JOIN (SELECT * FROM dim WHERE grp = 3) dim
	ON fact.a = dim.id');
CALL show_plan('SELECT * FROM fact WHERE NOT EXISTS (SELECT FROM dim WHERE grp = 3 AND id = a)');
CALL show_plan('SELECT fact.id, dim.id FROM fact FULL JOIN dim ON fact.a = dim.id');
CALL show_plan('SELECT * FROM fact WHERE a NOT IN (SELECT id FROM dim WHERE grp = 3)');

-- Several filters of a scan; a dimension that is filtered itself; a key of two columns
CALL show_plan('SELECT fact.id FROM fact JOIN dim d1 ON fact.a = d1.id JOIN dim d2 ON fact.b = d2.id
	WHERE d1.grp = 3 AND d2.id < 3');
CALL show_plan('SELECT fact.id FROM fact JOIN (dim JOIN sub ON dim.grp = sub.id) ON fact.a = dim.id
	WHERE sub.kind = 1');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id AND fact.b = dim.b');

-- Types: a text, numbers of another scale, two widths, domains; none for arrays and ranges
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.t = dim.t WHERE dim.grp = 3');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.n = dim.n WHERE dim.grp = 3');
CALL show_plan('SELECT f.id FROM fact f JOIN (SELECT id::bigint AS id FROM dim WHERE grp = 3) d
	ON f.a = d.id');
CREATE TABLE wide AS SELECT id::bigint AS id, ARRAY[id] AS ids,
	int4range(id, id + 2) AS range, id::float8 AS f8 FROM dim WHERE grp = 3;
CREATE TABLE more AS SELECT id, a, ARRAY[a] AS ids, int4range(a, a + 2) AS range, a::float4 AS f4,
	a::smallint AS a2 FROM fact;
ANALYZE wide, more;
CALL show_plan('SELECT more.id FROM more JOIN wide ON more.a2 = wide.id');
CALL show_plan('SELECT more.id FROM more JOIN wide ON more.f4 = wide.f8');
CALL show_plan('SELECT more.id FROM more JOIN wide ON more.ids = wide.ids');
CALL show_plan('SELECT more.id FROM more JOIN wide ON more.range = wide.range');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a + 0 = dim.id');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id + 0');

-- Never below what depends on the number or order of rows
CALL show_plan('SELECT f.id FROM (SELECT * FROM fact ORDER BY id LIMIT 100) f JOIN dim ON f.a = dim.id
	WHERE dim.grp = 3');
CALL show_plan('SELECT f.id FROM (SELECT DISTINCT ON (b) * FROM fact ORDER BY b, id) f
	JOIN dim ON f.a = dim.id WHERE dim.grp = 3');
CALL show_plan('SELECT f.n FROM (SELECT *, row_number() OVER (ORDER BY id) AS r FROM fact) f
	JOIN dim ON f.a = dim.id WHERE dim.grp = 3');
CALL show_plan('SELECT f.n FROM (SELECT a, count(*) AS n FROM fact GROUP BY a) f
	JOIN dim ON f.a = dim.id WHERE dim.grp = 3');
CALL show_plan('SELECT f.id FROM (SELECT id, a FROM fact EXCEPT ALL SELECT id, b FROM fact) f
	JOIN dim ON f.a = dim.id WHERE dim.grp = 3');
CALL show_plan('WITH f AS MATERIALIZED (SELECT * FROM fact)
	SELECT f.id FROM f JOIN dim ON f.a = dim.id WHERE dim.grp = 3');

-- Not where something volatile would be called less often
CREATE FUNCTION volatile_number(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN $1; END';
CALL show_plan('SELECT f.id, v FROM (SELECT id, a, volatile_number(b) AS v FROM fact OFFSET 0) f
	JOIN dim ON f.a = dim.id WHERE dim.grp = 3');
CALL show_plan('SELECT fact.id FROM fact JOIN (SELECT id FROM dim WHERE volatile_number(grp) = 3 OFFSET 0) d
	ON fact.a = d.id');

-- Partitions, UNION ALL and sub-queries
CREATE TABLE parts (id int, a int) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE parts_2 (gone text, a int, id int);
ALTER TABLE parts_2 DROP COLUMN gone;
ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (1000) TO (3000);
INSERT INTO parts SELECT id, a FROM fact;
ANALYZE parts;
CALL show_plan('SELECT parts.id FROM parts JOIN dim ON parts.a = dim.id WHERE dim.grp = 3');
-- the rows of both are enough, those of one are not
SET bloomtype_join.enable = on;
SET bloomtype_join.min_rows = 1500;
CALL show_plan('SELECT parts.id FROM parts JOIN dim ON parts.a = dim.id WHERE dim.grp = 3');
SET bloomtype_join.min_rows = 2500;
CALL show_plan('SELECT parts.id FROM parts JOIN dim ON parts.a = dim.id WHERE dim.grp = 3');
RESET bloomtype_join.min_rows;
SET bloomtype_join.enable = force;
CALL show_plan('SELECT u.id FROM (SELECT id, a FROM fact UNION ALL SELECT id, a + 0 FROM parts
	UNION ALL SELECT id, b FROM fact) u JOIN dim ON u.a = dim.id WHERE dim.grp = 3');
CALL show_plan('SELECT f.id FROM (SELECT id, a FROM fact WHERE b < 30 OFFSET 0) f
	JOIN dim ON f.a = dim.id WHERE dim.grp = 3');

-- Through other joins: outer sides that are kept, inner sides of inner joins only
CALL show_plan('SELECT fact.id, d2.id FROM fact LEFT JOIN dim d2 ON fact.b = d2.b + 60
	JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
SET join_collapse_limit = 1;
CALL show_plan('SELECT fact.id, s.id FROM (sub s FULL JOIN fact ON fact.b = s.id)
	JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 AND s.id IS NULL');
RESET join_collapse_limit;

-- A key or an inner side with a parameter of the query around it
SET enable_nestloop = on;
CALL show_plan('SELECT s.id, x.n FROM sub s, LATERAL (SELECT count(*) AS n FROM fact JOIN dim
	ON fact.a = dim.id + s.kind WHERE dim.grp = 3) x');
CALL show_plan('SELECT s.id, x.n FROM sub s, LATERAL (SELECT count(*) AS n FROM fact JOIN dim
	ON fact.a = dim.id WHERE dim.grp = s.id) x');
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id
	WHERE dim.grp = 3 AND fact.b < s.id) AS n FROM sub s');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id
	WHERE dim.grp = (SELECT min(kind) + 2 FROM sub)');
SET enable_nestloop = off;

-- Again and again with batches on disk; LIMIT of the inner side, which may give other rows then
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
CREATE TABLE large AS SELECT g AS id, g AS a, repeat('x', 50) AS pad FROM generate_series(1, 6000) g;
ANALYZE large;
CALL show_plan('SELECT fact.id, large.pad FROM fact JOIN large ON fact.id = large.a WHERE large.id > 1500');
SET enable_nestloop = on;
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact JOIN large ON fact.id = large.a
	WHERE fact.b <> s.id AND large.id > 1500) AS n FROM sub s');
CALL show_plan('SELECT s.id, (SELECT count(*) FROM fact JOIN (SELECT * FROM large ORDER BY id LIMIT 500) l
	ON fact.id = l.a WHERE fact.b <> s.id) AS n FROM sub s');
SET enable_nestloop = off;
RESET work_mem;
RESET hash_mem_multiplier;

-- Null keys, and inner sides without rows, with one, and with nulls only
CREATE TABLE nulls AS SELECT g AS id, CASE WHEN g % 3 > 0 THEN g % 100 END AS a,
	CASE WHEN g % 5 > 0 THEN g % 7 END AS b FROM generate_series(1, 500) g;
ANALYZE nulls;
CALL show_plan('SELECT nulls.id FROM nulls JOIN dim ON nulls.a = dim.id AND nulls.b = dim.b');
CALL show_plan('SELECT fact.id FROM fact JOIN nulls ON fact.a = nulls.a WHERE nulls.id < 30');
CALL show_plan('SELECT fact.id FROM fact JOIN nulls ON fact.a = nulls.a WHERE nulls.id % 3 = 0');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 77');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.id = 77');
CALL show_plan('SELECT f.id, g.id FROM fact f JOIN fact g ON f.a = g.b WHERE g.id < 5');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a IS NOT DISTINCT FROM dim.id
	WHERE dim.id = 77 AND fact.id < 50');

-- Floating-point values that are equal with other bytes
CREATE TABLE floats AS SELECT g AS id, CASE g % 4 WHEN 0 THEN '-0'::float8 WHEN 1 THEN 0 WHEN 2 THEN 'NaN'
	ELSE g::float8 END AS f FROM generate_series(1, 400) g;
CREATE TABLE zeros (f float4);
INSERT INTO zeros VALUES ('-0'), ('NaN');
ANALYZE floats, zeros;
CALL show_plan('SELECT floats.id FROM floats JOIN zeros ON floats.f = zeros.f');

-- A filter that passes nearly all is not asked for a while.
CREATE TABLE many AS SELECT g AS id, g % 1000 AS a FROM generate_series(1, 40000) g;
CREATE TABLE nearly AS SELECT g AS a FROM generate_series(1, 999) g;
ANALYZE many, nearly;
SELECT line FROM explained('SELECT count(*) FROM many JOIN nearly ON many.a = nearly.a') line
	WHERE line ~ 'Removed|Switched';

-- A filter with more keys than it has room for passes all.
SET work_mem = '64kB';
CREATE TABLE too_many AS SELECT g * 2 AS a FROM generate_series(1, 200000) g;
ANALYZE too_many;
SELECT count(*) FROM too_many AS x JOIN too_many AS y ON x.a = y.a;
RESET work_mem;

-- Cursors, LIMIT, and prepared statements
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id
	WHERE dim.grp = 3 ORDER BY fact.id;
FETCH 2 FROM c;
FETCH LAST FROM c;
FETCH ABSOLUTE 2 FROM c;
COMMIT;
FETCH NEXT FROM c;
CLOSE c;
BEGIN;
DECLARE d CURSOR FOR SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3;
MOVE 1 IN d;
COMMIT;
SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 LIMIT 0;
PREPARE p AS SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(3);
EXECUTE p(77);
EXECUTE p(4);

-- Changes by joins
BEGIN;
UPDATE fact SET b = -1 FROM dim WHERE fact.a = dim.id AND dim.grp = 3;
SELECT count(*) FROM fact WHERE b = -1;
DELETE FROM fact USING dim WHERE fact.a = dim.id AND dim.grp = 4;
SELECT count(*) FROM fact;
SELECT count(*) FROM (SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 5
	FOR UPDATE) x;
ROLLBACK;

-- Parallel workers with a hash table each
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_parallel_hash = off;
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3');
-- none where the processes may see other rows
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 AND dim.xmax = ''0''');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 AND dim.cmin::text <> ''x''');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 AND dim.cmax::text <> ''x''');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 AND CURRENT_SCHEMA > dim.t');
CALL show_plan('SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3 AND pg_table_is_visible(dim.id::oid) IS NOT TRUE');
CALL show_plan('SELECT fact.id FROM fact JOIN pg_class c ON fact.a = c.relnatts WHERE c.relname = ''dim''');
CALL show_plan('SELECT fact.id FROM fact JOIN (SELECT max(g) AS id FROM generate_series(1, 9) g GROUP BY g % 3) d ON fact.a = d.id');

-- A hash table, and a filter, that all build together; again for each row of a nested loop
SET enable_parallel_hash = on;
SET min_parallel_index_scan_size = 0;
CREATE TABLE other AS SELECT g AS id, g % 2000 AS a, g % 10 AS grp FROM generate_series(1, 3000) g;
ANALYZE other;
CALL show_plan('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
SET parallel_leader_participation = off;
CALL show_plan('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');
CALL show_plan('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 77');
RESET parallel_leader_participation;
SET work_mem = '64kB';
CALL show_plan('SELECT large.id FROM large JOIN other ON large.a = other.a');
RESET work_mem;
SET enable_nestloop = on;
SET enable_material = off;
SET enable_memoize = off;
CALL show_plan('SELECT s.id, x.n FROM sub s LEFT JOIN (SELECT count(*) AS n FROM large JOIN other
	ON large.a = other.a WHERE other.grp = 3) x ON x.n > s.id');
SET max_parallel_workers = 0;
CALL show_plan('SELECT large.id FROM large JOIN other ON large.a = other.a WHERE other.grp = 3');

DROP TABLE other, fact, dim, sub, wide, more, parts, large, nulls, floats, zeros, many, nearly, too_many;
DROP PROCEDURE show_plan;
DROP FUNCTION volatile_number, explained, with_whole_rows, explained_as_json, disabled_nodes, disables_the_same;
