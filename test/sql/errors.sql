--
-- What goes wrong, and what the user reads then
--
\a\t

-- error: the capacity must be at least 1
SELECT bloom_create(0);
SELECT bloom_create(-1);
SELECT bloom_create(-9007199254740991);
-- error: a filter for so many keys would be too large
SELECT bloom_create(9007199254740991);
SELECT bloom_create(10000000000);
-- error: from 2^53 on, not every whole number is a double
SELECT bloom_create(9007199254740992);
SELECT bloom_create(9223372036854775807);
SELECT bloom_create(99999999999999999999);
-- error: the rate must be between 0 and 1
SELECT bloom_create(100, 0);
SELECT bloom_create(100, 1);
SELECT bloom_create(100, -0.5);
SELECT bloom_create(100, 2);
SELECT bloom_create(100, 'NaN');
SELECT bloom_create(100, 'Infinity');
-- error: a filter of so low a rate would be too large
SELECT bloom_create(100000000, 1e-12);
SELECT bloom_create(4000000000, 1e-12);
-- error: 64-bit hashes do not give so low a rate
SELECT bloom_create(1000000, 1e-300);
SELECT bloom_create(1, 5e-20);
SELECT counting_bloom_create(1000, 5e-17);
SELECT bloom_agg(i, 1000, 5e-17) FROM generate_series(1, 3) i;
SELECT counting_bloom_agg(i, 1000, 5e-17) FROM generate_series(1, 3) i;
-- error: an aggregate refuses at its first row what no filter can have
SELECT bloom_agg(i, 1e-300) FROM generate_series(1, 3) i;
SELECT bloom_agg(i, NULL, 5e-20) FROM generate_series(1, 3) i;
SELECT counting_bloom_agg(i, 1e-300) FROM generate_series(1, 3) i;
SELECT cuckoo_agg(i, 1e-300) FROM generate_series(1, 3) i;
SELECT cuckoo_agg(i, 1e-10) FROM generate_series(1, 3) i;
-- as the hints say
SELECT bloom_create(1, 6e-20), bloom_create(1000000, 6e-14) IS NOT NULL AS created,
	counting_bloom_create(1000, 6e-17) IS NOT NULL AS counting,
	bloom_cardinality(bloom_agg(i, 1000, 6e-17)) AS keys
FROM generate_series(1, 3) i;

-- error: the growth must be between 0 and 100
SELECT bloom_create(100, 0.01, -1);
SELECT bloom_create(100, 0.01, 101);

-- arguments that are null make a null filter, but no key gets lost in one
SELECT bloom_create(NULL) IS NULL AS capacity, bloom_create(1, NULL) IS NULL AS fpp;
-- error: a key would get lost in a null filter
SELECT bloom_add(NULL, 1);
SELECT bloom_add_all(NULL, ARRAY[1]);
SELECT counting_bloom_add(NULL, 1);
SELECT counting_bloom_add_all(NULL, ARRAY[1]);
SELECT cuckoo_add(NULL, 1);
SELECT cuckoo_add_all(NULL, ARRAY[1]);
SELECT bloom_add(NULL, bloom_key(1));
-- even if there is no key to lose
SELECT cuckoo_add(NULL, NULL::int);
SELECT counting_bloom_add_all(NULL, '{}'::int[]);
-- of all other functions of a null filter the result is null (22004: that error;
-- 42883: there is no such function)
CREATE FUNCTION of_null(call text, type text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT (' || replace(call, 'TYPE', type) || ')::text' INTO result;
	RETURN coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END
$$;
SELECT call, of_null(call, 'bloom') AS bloom, of_null(call, 'counting_bloom') AS counting_bloom,
	of_null(call, 'cuckoo') AS cuckoo
FROM unnest(ARRAY[
	'TYPE_add(NULL::TYPE, 1)', 'TYPE_add_all(NULL::TYPE, ARRAY[1])',
	'TYPE_add(NULL::TYPE, NULL::int)', 'TYPE_add_all(NULL::TYPE, NULL::int[])',
	'TYPE_remove(NULL::TYPE, 1)', 'TYPE_remove_all(NULL::TYPE, ARRAY[1])',
	'TYPE_remove(NULL::TYPE, NULL::int)', 'TYPE_remove_all(NULL::TYPE, NULL::int[])',
	'TYPE_contains(NULL::TYPE, 1)', 'NULL::TYPE @> 1', '1 <@ NULL::TYPE',
	'TYPE_contains_any(NULL::TYPE, ARRAY[1])', 'TYPE_contains_all(NULL::TYPE, ARRAY[1])',
	'TYPE_missing(NULL::TYPE, ARRAY[1])', 'TYPE_overlap(NULL::TYPE, TYPE_create(1))',
	'TYPE_create(1) && NULL::TYPE',
	'TYPE_count(NULL::TYPE, 1)', 'TYPE_info(NULL::TYPE)', 'TYPE_cardinality(NULL::TYPE)',
	'TYPE_current_fpp(NULL::TYPE)', 'TYPE_union(NULL::TYPE, TYPE_create(1))',
	'TYPE_union(TYPE_create(1), NULL::TYPE)', 'TYPE_intersection(NULL::TYPE, TYPE_create(1))',
	'TYPE_shrink(NULL::TYPE)', 'NULL::TYPE = TYPE_create(1)', 'TYPE_create(1) <> NULL::TYPE',
	'TYPE_hash(NULL::TYPE)', 'TYPE_hash_extended(NULL::TYPE, 0)', 'TYPE_send(NULL::TYPE)',
	'NULL::TYPE::bytea', 'NULL::bytea::TYPE', 'NULL::TYPE::text', 'NULL::text::TYPE',
	'TYPE_to_bloom(NULL::TYPE)']) call;
DROP FUNCTION of_null;

-- the hint can be pasted, wherever the extension is (hints did make calls that always answered
-- false)
CREATE FUNCTION pasted(type regtype) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	hint text;
	filter text;
BEGIN
	EXECUTE format('SELECT %s_add(NULL, 1)', type);
	RETURN 'no error';
EXCEPTION WHEN null_value_not_allowed THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	EXECUTE format('SELECT octet_length(%s_add(%s, 1)::bytea)', type,
		replace(substring(hint FROM 'for example (.*)\.$'), 'filter', format('NULL::%s', type)))
	INTO filter;
	RETURN hint || ' makes ' || filter || ' bytes';
END
$$;
SET search_path = pg_catalog;
-- error: a key would get lost in a null filter
SELECT public.bloom_add(NULL::public.bloom, 1);
SELECT public.counting_bloom_add_all(NULL::public.counting_bloom, ARRAY[1]);
SELECT public.cuckoo_add(NULL::public.cuckoo, 1);
-- what the hint says
SELECT public.pasted(type::pg_catalog.regtype)
FROM unnest(ARRAY['public.bloom', 'public.counting_bloom', 'public.cuckoo']) type;
RESET search_path;
CREATE SCHEMA "the ""Filters""";
ALTER EXTENSION bloomtype SET SCHEMA "the ""Filters""";
-- error: a key would get lost in a null filter
SELECT "the ""Filters""".bloom_add(NULL, 1);
-- what the hint says
SELECT pasted(t.oid) FROM pg_type t
WHERE typname IN ('bloom', 'counting_bloom', 'cuckoo') ORDER BY typname COLLATE "C";
ALTER EXTENSION bloomtype SET SCHEMA public;
DROP SCHEMA "the ""Filters""";
DROP FUNCTION pasted;

-- the wrong family: every pair of filter and key is refused, with the operation (PipelineDB
-- 2015), both names
-- and the cast to write
CREATE TABLE family_key (name text, key bloom_key);
INSERT INTO family_key VALUES
	('boolean', bloom_key(true)), ('number', bloom_key(1)), ('float', bloom_key(1::float8)),
	('text', bloom_key('a')), ('bytea', bloom_key('a'::bytea)),
	('uuid', bloom_key('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)),
	('oid', bloom_key(1::oid)), ('date', bloom_key('2024-01-01'::date)),
	('timestamp', bloom_key('2024-01-01'::timestamp)),
	('timestamptz', bloom_key('2024-01-01'::timestamptz)), ('time', bloom_key('12:00'::time)),
	('network', bloom_key('::1'::inet)), ('macaddr', bloom_key('08:00:2b:01:02:03'::macaddr)),
	('array', bloom_key(ARRAY[1])), ('row', bloom_key(ROW(1))),
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
SELECT count(*) AS pairs,
	count(*) FILTER (WHERE m LIKE '%filter of ' || f.name || ' keys%' AND
		m LIKE '%key of family ' || k.name || ' %') AS named
FROM family_key f, family_key k, mismatch(bloom_add(bloom_create(1), f.key), k.key) m
WHERE f.name <> k.name;
SELECT mismatch(bloom_add(bloom_create(1), f.key), bloom_key('a')) AS text_key
FROM family_key f WHERE name <> 'text' ORDER BY name COLLATE "C";
DROP FUNCTION mismatch(bloom, bloom_key);
DROP TABLE family_key;

-- error: the wrong family, as users meet it: a literal that became text, a float
SELECT bloom_contains(bloom_add(bloom_create(10), 42), '42');
SELECT bloom_add(bloom_create(10), '42') @> 42;
SELECT bloom_add(bloom_add(bloom_create(10), 42), '42');
SELECT bloom_add(bloom_create(10), 42) @> 42::float8;
-- with the cast of the hint it works
SELECT bloom_contains(bloom_add(bloom_create(10), 42), '42'::bigint) AS cast_literal,
	bloom_contains(bloom_add(bloom_create(10), 42), 42::float8::numeric) AS cast_float;
-- error: an array, a row or a range of another kind
SELECT bloom_add(bloom_create(10), ARRAY[1]) @> ARRAY['a'];
SELECT bloom_add(bloom_create(10), ROW(1, 2)) @> ROW(1, 2, 3);
SELECT bloom_add(bloom_create(10), int4range(1, 5)) @> daterange('2024-01-01', '2024-01-02');

-- error: values of these types are no keys
SELECT bloom_add(bloom_create(10), '1 day'::interval);
SELECT bloom_create(10) @> '{"a": 1}'::jsonb;
SELECT bloom_contains_any(bloom_create(10), ARRAY['{}'::jsonb]);
-- error: a null record inside a key has no known columns
SELECT bloom_key(ROW(1, NULL::record));
-- error: a value of type money is no key, either
SELECT bloom_key(1::money);

-- error: no bytes are no filter
SELECT ''::bloom;
-- error: this is not base64
SELECT 'abc'::bloom;
SELECT 'not base64!'::bloom;
-- error: what comes first is the filter
SELECT bloom_contains('abc', bloom_create(1));
-- error: this is base64 of bytes that are no filter
SELECT 'AQEBPEACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAOgDAAAAAAAAexSuR+F6hD8AAAAAAAAAAAAAAAAAAAAB'::bloom;
-- error: the text of a filter, but not all of it, or not as it was printed
SELECT left(bloom_create(1)::text, 8)::bloom;
SELECT left(bloom_create(1)::text, 41)::bloom;
SELECT (left(bloom_create(1)::text, 40) || E'\n' || substr(bloom_create(1)::text, 41))::bloom;
SELECT encode(bloom_agg(i)::bytea, 'base64')::bloom FROM generate_series(1, 9) i;
SELECT encode(cuckoo_agg(i)::bytea, 'base64')::cuckoo FROM generate_series(1, 9) i;
-- with what the hint says it is read
SELECT translate(encode(bloom_agg(i)::bytea, 'base64'), E'\n', '')::bloom = bloom_agg(i) AS bloom,
	bloom_agg(i)::bytea::bloom = bloom_agg(i) AS bytes,
	translate(encode(cuckoo_agg(i)::bytea, 'base64'), E'\n', '')::cuckoo = cuckoo_agg(i) AS cuckoo
FROM generate_series(1, 9) i;
SELECT cuckoo_create(1)::text::bloom;
-- error: a number of keys that was computed
SELECT bloom_create(1000 * 1.25 + 0.5);
SELECT bloom_agg(g, 3 * 0.5, 0.01) FROM generate_series(1, 3) g;
-- error: these bytes are no filter
SELECT ''::bytea::bloom;
SELECT '\x00'::bytea::bloom;
-- error: a key is a family, for some with a subtype, and a hash of 16 digits
SELECT 'abc'::bloom_key;
SELECT 'number:xyz'::bloom_key;
SELECT 'none:0000000000000000'::bloom_key;
SELECT 'row:0000000000000000'::bloom_key;
SELECT 'number/00000000:0000000000000000'::bloom_key;

-- error: capacity and rate have the limits of bloom_create
SELECT bloom_sizing(0);
SELECT bloom_sizing(100, 1);
-- error: the size is more than a bigint can tell
SELECT bloom_sizing(9007199254740991, 1e-300);
-- error: the bits per key must be between 0.1 and 1000
SELECT bloom_expected_fpp(0);
SELECT bloom_expected_fpp('NaN');
SELECT bloom_expected_fpp(1e9);

-- conditions that programs can tell apart
CREATE FUNCTION condition(query text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE query; RETURN 'none'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
SELECT query, condition(query) FROM unnest(ARRAY[
	'SELECT bloom_create(0)', 'SELECT bloom_create(1, 2)', 'SELECT bloom_create(1, 0.1, -1)',
	'SELECT bloom_expected_fpp(0)', 'SELECT bloom_create(10000000000)',
	'SELECT bloom_sizing(9007199254740991, 1e-300)',
	'SELECT bloom_agg(1, 2)', 'SELECT bloom_agg(1, NULL::float8)',
	'SELECT bloom_agg(i, i, 0.1) FROM generate_series(1, 2) i',
	'SELECT bloom_add(NULL, 1)', 'SELECT bloom_add(bloom_create(1), 1) @> ''a''',
	'SELECT bloom_key(1::money)', 'SELECT ''x''::bloom', 'SELECT ''AAAA''::bloom',
	'SELECT ''x''::bloom_key', 'SELECT ''\x00''::bytea::bloom',
	'SELECT bloom_add_all(bloom_create(1, 0.9, 1), array_agg(i)) '
	'FROM generate_series(1, 100000) i']) query;
DROP FUNCTION condition(text);

-- after an error a filter is what it was
CREATE TABLE kept AS
SELECT bloom_add_all(bloom_create(10), (SELECT array_agg(i) FROM generate_series(1, 1000) i)) AS f;
-- error: keys of another family
UPDATE kept SET f = bloom_add_all(f, ARRAY['a', 'b']);
-- error: a value of type interval is no key
UPDATE kept SET f = bloom_add(f, '1 day'::interval);
-- all keys are still there
SELECT bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 1000) i)) AS all_found,
	(bloom_info(f)).key_family
FROM kept;
DROP TABLE kept;
