--
-- Asking a filter: bloom_contains, @> and <@
--
\a\t

CREATE TABLE filters (name text, f bloom);
INSERT INTO filters VALUES
	('empty', bloom_create(100)),
	('list', bloom_add_all(bloom_create(100),
		(SELECT array_agg(i) FROM generate_series(1, 100) i))),
	('blocks', (SELECT bloom_agg(i) FROM generate_series(1, 1000) i)),
	('layers', bloom_add_all(bloom_create(100),
		(SELECT array_agg(i) FROM generate_series(1, 1000) i)));

-- every key that was added is found; the empty filter finds nothing
SELECT name, count(*) FILTER (WHERE bloom_contains(f, i)) AS found,
	count(*) FILTER (WHERE f @> i) AS by_operator,
	count(*) FILTER (WHERE i <@ f) AS by_commutator
FROM filters, generate_series(1, 100) i GROUP BY name ORDER BY name;

-- a list has no false positives; blocks have few
SELECT name, count(*) FILTER (WHERE f @> i) <=
	CASE name WHEN 'list' THEN 0 WHEN 'empty' THEN 0 ELSE 200 END AS few
FROM filters, generate_series(10001, 20000) i GROUP BY name ORDER BY name;

-- all integer types and numeric ask the same question (an int2 column found nothing by an int4:
-- TimescaleDB 9579; 1 and 1.0: Pinot 9899; int8 and int16: arrow-rs 5550)
SELECT f @> 7::int2 AS int2, f @> 7 AS int4, f @> 7::int8 AS int8, f @> 7.0 AS numeric
FROM filters WHERE name = 'layers';

-- untyped literals and parameters become text
SELECT bloom_add(bloom_create(10), 'abc') @> 'abc' AS operator,
	bloom_contains(bloom_add(bloom_create(10), 'abc'), 'abc') AS function,
	'abc' <@ bloom_add(bloom_create(10), 'abc') AS commutator,
	bloom_add(bloom_create(10), 'abc') @> 'abd' AS other;
PREPARE ask AS SELECT bloom_contains(bloom_add(bloom_create(10), 'abc'), $1) AS function,
	bloom_add(bloom_create(10), 'abc') @> $1 AS operator;
EXECUTE ask('abc');
EXECUTE ask('abd');
EXECUTE ask(NULL);
DEALLOCATE ask;

-- with generic and custom plans alike
PREPARE ask(int) AS SELECT f @> $1 AS found FROM filters WHERE name = 'blocks';
SET plan_cache_mode = force_generic_plan;
EXECUTE ask(500);
SET plan_cache_mode = force_custom_plan;
EXECUTE ask(500);
RESET plan_cache_mode;
DEALLOCATE ask;

-- NULL: an unknown set, an unknown key; no filter is not one without the key (RedisBloom 54)
SELECT bloom_contains(NULL, 1) IS NULL AS filter, bloom_contains(f, NULL::int) IS NULL AS key,
	(f @> NULL::int) IS NULL AS operator, bloom_contains(f, NULL) IS NULL AS untyped
FROM filters WHERE name = 'list';

-- as a join condition, in PL/pgSQL loops, under a parallel plan
SELECT count(*) FROM generate_series(-10, 200) i JOIN filters ON name = 'list' AND f @> i;
DO $$
DECLARE
	stored bloom := (SELECT f FROM filters WHERE name = 'layers');
	found int := 0;
BEGIN
	FOR i IN 1..1000 LOOP
		IF bloom_contains(stored, i) THEN found := found + 1; END IF;
	END LOOP;
	RAISE NOTICE 'found %', found;
END
$$;

-- one call site, filters of different families
CREATE TABLE mixed AS
	SELECT bloom_add(bloom_create(10), k) AS f FROM unnest(ARRAY[bloom_key(1), bloom_key('a')]) k;
SELECT f @> bloom_key(1) AS number FROM mixed WHERE (bloom_info(f)).key_family = 'number';
-- error: the type check is of each filter
SELECT f @> 1 FROM mixed;
DROP TABLE mixed;

-- a short value may lie at any address (read as a struct: SIGBUS, pgSphere 109); test/run builds
-- with a trap for misaligned access
CREATE TABLE misaligned AS
	SELECT ' '::"char" AS byte, bloom_agg(i) AS f FROM generate_series(1, 3) i GROUP BY i;
SELECT count(*) FROM misaligned WHERE f @> 1;
DROP TABLE misaligned;

-- an empty filter has no family yet, so it answers for any
SELECT bloom_create(10) @> 1 AS number, bloom_create(10) @> 'a' AS text,
	bloom_create(10) @> now() AS time;

-- enums, rows, arrays and domains arrive as themselves
CREATE TYPE colour AS ENUM ('red', 'green');
CREATE DOMAIN shade AS colour;
SELECT bloom_add(bloom_create(10), 'red'::colour) @> 'red' AS enum_text,
	bloom_add(bloom_create(10), 'red') @> 'red'::colour AS text_enum,
	bloom_add(bloom_create(10), 'red'::shade) @> 'red'::colour AS domain,
	bloom_add(bloom_create(10), ROW(1, 'red'::colour)) @> ROW(1, 'red') AS row,
	bloom_add(bloom_create(10), ARRAY[1, 2]) @> ARRAY[1, 2] AS array;
DROP DOMAIN shade;
DROP TYPE colour;

DROP TABLE filters;
