--
-- What goes wrong, and what the user reads then
--

-- capacity
SELECT bloom_create(0);
SELECT bloom_create(-1);
SELECT bloom_create(9223372036854775807);
SELECT bloom_create(10000000000);
SELECT bloom_create(99999999999999999999);

-- false-positive probability
SELECT bloom_create(100, 0);
SELECT bloom_create(100, 1);
SELECT bloom_create(100, -0.5);
SELECT bloom_create(100, 2);
SELECT bloom_create(100, 'NaN');
SELECT bloom_create(100, 'Infinity');
SELECT bloom_create(1000000, 1e-300);

-- growth
SELECT bloom_create(100, 0.01, -1);
SELECT bloom_create(100, 0.01, 101);

-- arguments that are null make a null filter, but no key gets lost in one
SELECT bloom_create(NULL) IS NULL AS capacity, bloom_create(1, NULL) IS NULL AS fpp;
SELECT bloom_add(NULL, 1);
SELECT bloom_add_all(NULL, ARRAY[1]);

-- the wrong family: every pair of filter and key is refused, with both names
-- and the cast to write
CREATE TABLE family_key (name text, key bloom_key);
INSERT INTO family_key VALUES ('boolean', bloom_key(true)), ('number', bloom_key(1)), ('float', bloom_key(1::float8)),
	('text', bloom_key('a')), ('bytea', bloom_key('a'::bytea)), ('uuid', bloom_key('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)),
	('oid', bloom_key(1::oid)), ('date', bloom_key('2024-01-01'::date)), ('timestamp', bloom_key('2024-01-01'::timestamp)),
	('timestamptz', bloom_key('2024-01-01'::timestamptz)), ('time', bloom_key('12:00'::time)), ('network', bloom_key('::1'::inet)),
	('macaddr', bloom_key('08:00:2b:01:02:03'::macaddr)), ('array', bloom_key(ARRAY[1])), ('row', bloom_key(ROW(1))),
	('range', bloom_key('[1,2)'::int4range));
CREATE FUNCTION mismatch(filter bloom, key bloom_key) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	message text;
	hint text;
BEGIN
	RETURN bloom_contains(filter, key)::text;
EXCEPTION WHEN datatype_mismatch THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN message || ' / ' || hint;
END
$$;
SELECT count(*) AS pairs, count(*) FILTER (WHERE m LIKE '%filter of ' || f.name || ' keys%' AND m LIKE '%key of family ' || k.name || ' %') AS named
FROM family_key f, family_key k, mismatch(bloom_add(bloom_create(1), f.key), k.key) m WHERE f.name <> k.name;
SELECT mismatch(bloom_add(bloom_create(1), f.key), bloom_key('a')) AS text_key
FROM family_key f WHERE name <> 'text' ORDER BY name COLLATE "C";
DROP FUNCTION mismatch(bloom, bloom_key);
DROP TABLE family_key;

-- as users meet it: a literal or parameter that became text
SELECT bloom_contains(bloom_add(bloom_create(10), 42), '42');
SELECT bloom_add(bloom_create(10), '42') @> 42;
SELECT bloom_add(bloom_add(bloom_create(10), 42), '42');
SELECT bloom_add(bloom_create(10), 42) @> 42::float8;
-- with the cast of the hint it works
SELECT bloom_contains(bloom_add(bloom_create(10), 42), '42'::bigint) AS cast_literal,
	bloom_contains(bloom_add(bloom_create(10), 42), 42::float8::numeric) AS cast_float;
-- parts of another family
SELECT bloom_add(bloom_create(10), ARRAY[1]) @> ARRAY['a'];
SELECT bloom_add(bloom_create(10), ROW(1, 2)) @> ROW(1, 2, 3);
SELECT bloom_add(bloom_create(10), int4range(1, 5)) @> daterange('2024-01-01', '2024-01-02');

-- types that are no keys
SELECT bloom_add(bloom_create(10), '1 day'::interval);
SELECT bloom_create(10) @> '{"a": 1}'::jsonb;
SELECT bloom_contains_any(bloom_create(10), ARRAY['{}'::jsonb]);
SELECT bloom_key(ROW(1, NULL::record));
SELECT bloom_key(1::money);

-- input
SELECT ''::bloom;
SELECT 'abc'::bloom;
SELECT 'not base64!'::bloom;
SELECT 'AQEBPEACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAOgDAAAAAAAAexSuR+F6hD8AAAAAAAAAAAAAAAAAAAAB'::bloom;
SELECT ''::bytea::bloom;
SELECT '\x00'::bytea::bloom;
SELECT 'abc'::bloom_key;
SELECT 'number:xyz'::bloom_key;
SELECT 'none:0000000000000000'::bloom_key;
SELECT 'row:0000000000000000'::bloom_key;
SELECT 'number/00000000:0000000000000000'::bloom_key;

-- inspection
SELECT bloom_sizing(0);
SELECT bloom_sizing(100, 1);
SELECT bloom_sizing(9223372036854775807, 1e-100);
SELECT bloom_expected_fpp(0);
SELECT bloom_expected_fpp('NaN');
SELECT bloom_expected_fpp(1e9);

-- conditions that programs can tell apart
CREATE FUNCTION condition(query text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE query; RETURN 'none'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
SELECT query, condition(query) FROM unnest(ARRAY[
	'SELECT bloom_create(0)', 'SELECT bloom_create(1, 2)', 'SELECT bloom_create(1, 0.1, -1)', 'SELECT bloom_expected_fpp(0)',
	'SELECT bloom_create(10000000000)', 'SELECT bloom_sizing(9223372036854775807, 1e-100)',
	'SELECT bloom_agg(1, 2)', 'SELECT bloom_agg(1, NULL::float8)', 'SELECT bloom_agg(i, i, 0.1) FROM generate_series(1, 2) i',
	'SELECT bloom_add(NULL, 1)', 'SELECT bloom_add(bloom_create(1), 1) @> ''a''',
	'SELECT bloom_key(1::money)', 'SELECT ''x''::bloom', 'SELECT ''AAAA''::bloom', 'SELECT ''x''::bloom_key',
	'SELECT ''\x00''::bytea::bloom',
	'SELECT bloom_add_all(bloom_create(1, 0.9, 1), array_agg(i)) FROM generate_series(1, 100000) i']) query;
DROP FUNCTION condition(text);

-- after an error a filter is what it was
CREATE TABLE kept AS SELECT bloom_add_all(bloom_create(10), (SELECT array_agg(i) FROM generate_series(1, 1000) i)) AS f;
UPDATE kept SET f = bloom_add_all(f, ARRAY['a', 'b']);
UPDATE kept SET f = bloom_add(f, '1 day'::interval);
SELECT bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 1000) i)) AS all_found, (bloom_info(f)).key_type FROM kept;
DROP TABLE kept;
