--
-- Keys: which values are the same key, and which are refused
--

-- Spellings of equal values.  Each row of this table is one key; "key" tells
-- whether all its spellings have the same, "found" whether a filter made from
-- the first contains every other.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN small AS int2 CHECK (VALUE < 1000);
CREATE DOMAIN word AS varchar(20);
CREATE TYPE pair AS (a int, b text);
CREATE TYPE other_pair AS (x bigint, y varchar);
CREATE TYPE nest AS (p pair, tags text[]);
CREATE DOMAIN pair_domain AS pair;
CREATE TYPE floatrange AS RANGE (subtype = float8);
CREATE TYPE textrange AS RANGE (subtype = text);

CREATE TABLE spelling (what text, keys bloom_key[]);
INSERT INTO spelling VALUES
('boolean', ARRAY[bloom_key(true), bloom_key('t'::bool), bloom_key('yes'::bool)]),
('number 1', ARRAY[bloom_key(1), bloom_key(1::int2), bloom_key(1::int8), bloom_key(1::numeric),
	bloom_key(1.0), bloom_key(1.00), bloom_key(1::small), bloom_key(1e0)]),
('number 0', ARRAY[bloom_key(0), bloom_key(0.000), bloom_key(-0.0)]),
('number -1', ARRAY[bloom_key(-1), bloom_key(-1::int2), bloom_key(-1.0)]),
('number 1.5', ARRAY[bloom_key(1.5), bloom_key(1.50), bloom_key(15e-1)]),
('largest bigint', ARRAY[bloom_key(9223372036854775807), bloom_key(9223372036854775807.0)]),
('smallest bigint', ARRAY[bloom_key('-9223372036854775808'::int8),
	bloom_key(-9223372036854775808.00)]),
('past bigint', ARRAY[bloom_key(9223372036854775808), bloom_key(9223372036854775808.000)]),
('1e30', ARRAY[bloom_key(1e30), bloom_key(1000000000000000000000000000000.0)]),
('numeric NaN', ARRAY[bloom_key('NaN'::numeric), bloom_key('nan'::numeric)]),
('numeric infinity', ARRAY[bloom_key('Infinity'::numeric), bloom_key('inf'::numeric)]),
('float 1.5', ARRAY[bloom_key(1.5::float8), bloom_key(1.5::float4)]),
('float 0', ARRAY[bloom_key(0::float8), bloom_key('-0'::float8), bloom_key('-0'::float4)]),
('float NaN', ARRAY[bloom_key('NaN'::float8), bloom_key('NaN'::float4),
	bloom_key('-NaN'::float8)]),
('text', ARRAY[bloom_key('ok'), bloom_key('ok'::text), bloom_key('ok'::varchar),
	bloom_key('ok'::varchar(9)), bloom_key('ok'::char(2)), bloom_key('ok'::char(9)),
	bloom_key('ok'::name), bloom_key('ok'::mood), bloom_key('ok'::word)]),
('text empty', ARRAY[bloom_key(''), bloom_key(''::varchar), bloom_key('   '::char(3)),
	bloom_key(''::name)]),
('text umlaut', ARRAY[bloom_key('Zürich'), bloom_key('Zürich'::char(20)),
	bloom_key('Zürich'::name)]),
('bytea', ARRAY[bloom_key('\x00ff'::bytea), bloom_key('\000\377'::bytea)]),
('uuid', ARRAY[bloom_key('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid),
	bloom_key('{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'::uuid)]),
('oid', ARRAY[bloom_key(42::oid), bloom_key('42'::oid)]),
('date', ARRAY[bloom_key('2024-02-29'::date), bloom_key('Feb 29 2024'::date)]),
('date infinity', ARRAY[bloom_key('infinity'::date)]),
('timestamp', ARRAY[bloom_key('2024-02-29 12:00'::timestamp),
	bloom_key('2024-02-29 12:00:00.000'::timestamp)]),
('timestamptz', ARRAY[bloom_key('2024-02-29 12:00+00'::timestamptz),
	bloom_key('2024-02-29 14:00+02'::timestamptz)]),
('time', ARRAY[bloom_key('12:00'::time), bloom_key('12:00:00.000'::time)]),
('network', ARRAY[bloom_key('10.1.2.3'::inet), bloom_key('10.1.2.3/32'::inet),
	bloom_key('10.1.2.3/32'::cidr)]),
('network 6', ARRAY[bloom_key('::1'::inet), bloom_key('0:0::1/128'::inet),
	bloom_key('::1/128'::cidr)]),
('macaddr', ARRAY[bloom_key('08:00:2b:01:02:03'::macaddr), bloom_key('08-00-2b-01-02-03'::macaddr),
	bloom_key('08:00:2b:ff:fe:01:02:03'::macaddr8)]),
('array', ARRAY[bloom_key(ARRAY[1,2]), bloom_key(ARRAY[1,2]::int2[]),
	bloom_key(ARRAY[1,2]::int8[]), bloom_key(ARRAY[1.0,2.00]), bloom_key(ARRAY[1,2]::small[])]),
('array with null', ARRAY[bloom_key(ARRAY[1,NULL]), bloom_key(ARRAY[1,NULL]::int8[])]),
('array of text', ARRAY[bloom_key(ARRAY['ok','sad']), bloom_key(ARRAY['ok','sad']::varchar[]),
	bloom_key(ARRAY['ok','sad']::char(5)[]), bloom_key(ARRAY['ok','sad']::name[]),
	bloom_key(ARRAY['ok','sad']::mood[]), bloom_key(ARRAY['ok','sad']::word[])]),
('array 2-d', ARRAY[bloom_key('{{1,2},{3,4}}'::int[]), bloom_key('{{1,2},{3,4}}'::numeric[])]),
('array empty', ARRAY[bloom_key('{}'::int[]), bloom_key('{}'::numeric[])]),
('array of rows', ARRAY[bloom_key(ARRAY[(1,'a')::pair, NULL]),
	bloom_key(ARRAY[(1,'a')::other_pair, NULL])]),
('row', ARRAY[bloom_key(ROW(1,'a')), bloom_key((1,'a')::pair), bloom_key((1,'a')::other_pair),
	bloom_key(ROW(1.0,'a'::char(5))), bloom_key((1,'a')::pair_domain)]),
('row of nulls', ARRAY[bloom_key(ROW(NULL::int,NULL::text)), bloom_key((NULL,NULL)::pair),
	bloom_key((NULL,NULL)::other_pair)]),
('nested row', ARRAY[bloom_key(ROW(ROW(1,'a'),ARRAY['x'])),
	bloom_key(ROW((1,'a')::pair,'{x}')::nest)]),
('nested null row', ARRAY[bloom_key(ROW(NULL,'{x}')::nest),
	bloom_key(ROW(NULL::pair,ARRAY['x']))]),
('range', ARRAY[bloom_key('[1,5)'::int4range), bloom_key('(0,4]'::int4range),
	bloom_key('[1,4]'::int8range)]),
('range of numeric', ARRAY[bloom_key('[1.5,5)'::numrange), bloom_key('[1.50,5.00)'::numrange)]),
('range empty', ARRAY[bloom_key('empty'::int4range), bloom_key('(3,3)'::int4range),
	bloom_key('empty'::numrange)]),
('range unbounded', ARRAY[bloom_key('(,5)'::int4range), bloom_key('(,4]'::int8range)]),
('range of dates', ARRAY[bloom_key('[2024-01-01,2024-01-31]'::daterange),
	bloom_key('[2024-01-01,2024-02-01)'::daterange)]),
('range of float', ARRAY[bloom_key('[0,1)'::floatrange), bloom_key('[-0,1)'::floatrange)]),
('range of text', ARRAY[bloom_key('[a,b)'::textrange)]);

SELECT what AS not_one_key FROM spelling
WHERE (SELECT count(*) FROM (SELECT DISTINCT k FROM unnest(keys) k) s) <> 1;
SELECT what AS not_found FROM spelling
WHERE NOT bloom_contains_all(bloom_add(bloom_create(10), keys[1]), keys);

-- and no two of these are the same key
SELECT a.what, b.what FROM spelling a JOIN spelling b ON a.keys[1] = b.keys[1] AND a.what < b.what;

-- values that are not equal are different keys (ROW('a','1c') and ROW('a1','c') were equal in
-- PipelineDB)
SELECT what AS same_key FROM (VALUES
	('row borders', bloom_key(ROW('a','1c')), bloom_key(ROW('a1','c'))),
	('row nulls', bloom_key(ROW(NULL,'a')), bloom_key(ROW('a',NULL))),
	('row null and empty', bloom_key(ROW('a',NULL)), bloom_key(ROW('a',''))),
	('array borders', bloom_key(ARRAY['a','1c']), bloom_key(ARRAY['a1','c'])),
	('array shape', bloom_key('{{1,2}}'::int[]), bloom_key('{{1},{2}}'::int[])),
	('array bounds', bloom_key('[0:1]={1,2}'::int[]), bloom_key('{1,2}'::int[])),
	('array null and empty', bloom_key(ARRAY[NULL]::text[]), bloom_key(ARRAY['']::text[])),
	('range ends', bloom_key('[1,5)'::numrange), bloom_key('[1,5]'::numrange)),
	('range side', bloom_key('[1,)'::numrange), bloom_key('(,1]'::numrange)),
	('range empty', bloom_key('empty'::numrange), bloom_key('(,)'::numrange)),
	('prefix', bloom_key('10.0.0.0/8'::inet), bloom_key('10.0.0.0/16'::inet)),
	('text case', bloom_key('A'), bloom_key('a')),
	('blanks of varchar', bloom_key('a '::varchar), bloom_key('a'::varchar)),
	('float4 rounding', bloom_key(0.1::float4), bloom_key(0.1::float8)),
	('numeric digits', bloom_key(0.1), bloom_key(0.10000000000000000001)),
	('bigint neighbours', bloom_key(9223372036854775807), bloom_key(9223372036854775806))
) AS v(what, a, b) WHERE a = b;

-- families are told apart
SELECT count(*) AS keys FROM (SELECT DISTINCT k FROM unnest(ARRAY[
	bloom_key(1), bloom_key('1'), bloom_key(1::float8), bloom_key(1::oid), bloom_key('1'::bytea),
	bloom_key(true), bloom_key(ARRAY[1]), bloom_key(ROW(1)),
	bloom_key('2000-01-02'::date), bloom_key('2000-01-01 00:00:00.000001'::timestamp),
	bloom_key('2000-01-01 00:00:00.000001+00'::timestamptz),
	bloom_key('00:00:00.000001'::time)]) k) s;

-- a bloom_key stands for its value: same filters, same answers
SELECT bloom_agg(i) = bloom_agg(bloom_key(i)) AS agg,
	bloom_agg(i, 1000, 0.001) = bloom_agg(bloom_key(i), 1000, 0.001) AS agg_sized
FROM generate_series(1, 1000) i;
SELECT bloom_add(bloom_create(10), 'x') = bloom_add(bloom_create(10), bloom_key('x')) AS add,
	bloom_add_all(bloom_create(10), ARRAY['x','y']) =
	bloom_add_all(bloom_create(10), ARRAY[bloom_key('x'), bloom_key('y')]) AS add_all,
	bloom_add(bloom_create(10), 'x') @> bloom_key('x') AS contains;

-- long text, plain and compressed and stored out of line, is one key (not in PipelineDB, which
-- hashed the stored bytes)
CREATE TABLE long_text (plain text, compressed text, toasted text);
ALTER TABLE long_text ALTER plain SET STORAGE plain;
ALTER TABLE long_text ALTER compressed SET STORAGE main;
ALTER TABLE long_text ALTER toasted SET STORAGE external;
INSERT INTO long_text SELECT s, s, s FROM repeat('abc ', 1900) s;
SELECT bloom_key(plain) = bloom_key(compressed) AS compressed,
	bloom_key(plain) = bloom_key(toasted) AS toasted,
	pg_column_size(compressed) < 1000 AS is_compressed FROM long_text;
SELECT bloom_key(ROW(plain)) = bloom_key(ROW(compressed)) AND
	bloom_key(ROW(plain)) = bloom_key(ROW(toasted)) AS in_rows,
	bloom_key(ARRAY[plain]) = bloom_key(ARRAY[compressed]) AND
	bloom_key(ARRAY[plain]) = bloom_key(ARRAY[toasted]) AS in_arrays
FROM long_text;
-- a column of whole rows and of arrays, toasted itself
CREATE TABLE long_nested AS
SELECT ROW(1, plain)::pair AS p, ARRAY[plain, plain] AS a, plain::bytea AS b FROM long_text;
SELECT bloom_key(p) = bloom_key(ROW(1, plain)) AS row,
	bloom_key(a) = bloom_key(ARRAY[plain, plain]) AS array,
	bloom_key(b) = bloom_key(plain::bytea) AS bytea
FROM long_nested, long_text;
DROP TABLE long_text, long_nested;

-- dropped columns do not count, names do not, the order does
CREATE TABLE dropping (gone int, a int, b text);
ALTER TABLE dropping DROP gone;
INSERT INTO dropping VALUES (1, 'a');
SELECT bloom_key(d) = bloom_key(ROW(1, 'a')) AS same FROM dropping d;
-- a column added later is part of the key from then on
CREATE FUNCTION key_of_row() RETURNS bloom_key LANGUAGE plpgsql AS
$$ BEGIN RETURN (SELECT bloom_key(d) FROM dropping d); END $$;
SELECT key_of_row() = bloom_key(ROW(1, 'a')) AS same;
ALTER TABLE dropping ADD c int;
SELECT key_of_row() = bloom_key(ROW(1, 'a')) AS same,
	key_of_row() = bloom_key(ROW(1, 'a', NULL::int)) AS new;
DROP FUNCTION key_of_row();
DROP TABLE dropping;

-- NULL is no key
SELECT bloom_key(NULL), bloom_key(NULL::int), bloom_key(NULL::pair);

-- types that are refused, each with the cast that helps
\set VERBOSITY terse
CREATE FUNCTION refusal(type text, literal text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	message text;
	hint text;
BEGIN
	EXECUTE format('SELECT bloom_key(%L::%s)', literal, type);
	RETURN 'accepted';
EXCEPTION WHEN feature_not_supported THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN message || ' / ' || hint;
END
$$;
\pset format unaligned
SELECT refusal(type, literal) FROM (VALUES
	('interval', '1 day'), ('timetz', '12:00+01'), ('bit(3)', '101'), ('varbit', '101'),
	('money', '1'), ('json', '{}'), ('jsonb', '{}'), ('xid', '1'), ('xid8', '1'), ('cid', '1'),
	('tid', '(0,1)'), ('pg_lsn', '0/1'), ('regclass', 'pg_class'), ('regtype', 'int4'),
	('regproc', 'now'), ('"char"', 'c'), ('point', '(1,2)'), ('tsvector', 'a'),
	('int4multirange', '{[1,2)}'), ('int4multirange[]', '{"{[1,2)}"}'), ('jsonb[]', '{}'),
	('bloom_key[]', '{}'), ('bloom', bloom_create(1)::text)) AS v(type, literal);
-- filters, whatever the type is called; a type of somebody else that has the name of one is none
SELECT refusal('counting_bloom', counting_bloom_create(1)::text),
	refusal('cuckoo[]', '{}');
CREATE SCHEMA elsewhere;
SET client_min_messages = warning;
CREATE TYPE elsewhere.bloom;
CREATE FUNCTION elsewhere.bloom_in(cstring) RETURNS elsewhere.bloom
AS 'textin' LANGUAGE internal STRICT IMMUTABLE;
CREATE FUNCTION elsewhere.bloom_out(elsewhere.bloom) RETURNS cstring
AS 'textout' LANGUAGE internal STRICT IMMUTABLE;
CREATE TYPE elsewhere.bloom (INPUT = elsewhere.bloom_in, OUTPUT = elsewhere.bloom_out);
RESET client_min_messages;
SELECT refusal('elsewhere.bloom', 'a');
BEGIN;
ALTER TYPE cuckoo RENAME TO renamed;
SELECT refusal('renamed', cuckoo_create(1)::text);
ROLLBACK;
DROP SCHEMA elsewhere CASCADE;
-- error: types that are refused, inside rows and arrays, too
SELECT bloom_key(ROW(1, '1 day'::interval));
SELECT bloom_key(ROW(bloom_key(1)));
SELECT bloom_key(ARRAY[ROW(1,2)]);
-- error: a null record inside a key has no known columns
SELECT bloom_key(ROW(1, NULL::record));
-- a range by other than the default operators
CREATE TYPE patternrange AS RANGE (subtype = text, subtype_opclass = text_pattern_ops);
SELECT refusal('patternrange', '[a,b)');
-- error: a pseudo-type is no type of keys
SELECT bloom_key('1'::cstring);
\pset format aligned
\set VERBOSITY default

-- types that nest and double: the parts of a key are limited
CREATE TYPE twice0 AS (a int);
DO $$
BEGIN
	FOR i IN 1..20 LOOP
		EXECUTE format('CREATE TYPE twice%s AS (a twice%s, b twice%s)', i, i - 1, i - 1);
	END LOOP;
END
$$;
SELECT bloom_key(ROW(NULL, NULL)::twice10) IS NOT NULL AS made;
-- error: a million parts are too many
SELECT bloom_key(ROW(NULL, NULL)::twice20);
-- the last row that is looked up may exceed the limit: before the tenth row, there are 9,999
-- parts, the key among them, or 10,000
DO $$
DECLARE
	numbers text := (SELECT string_agg(format('c%s int', i), ',') FROM generate_series(1, 988) i);
	ranks text := (SELECT string_agg(format('r%s wide', i), ',') FROM generate_series(1, 10) i);
BEGIN
	EXECUTE (SELECT format('CREATE TYPE wide AS (%s)', string_agg(format('c%s int', i), ','))
		FROM generate_series(1, 1000) i);
	EXECUTE format('CREATE TYPE last_allowed AS (%s, %s)', numbers, ranks);
	EXECUTE format('CREATE TYPE first_refused AS (%s, %s, more int)', numbers, ranks);
END
$$;
SELECT bloom_key(jsonb_populate_record(NULL::last_allowed, '{"c1": 1}')) IS NOT NULL AS made;
SELECT bloom_key(jsonb_populate_record(NULL::first_refused, '{"c1": 1}'));
DROP TYPE last_allowed, first_refused, wide;
-- they are counted anew where a row type changes from call to call
DO $$
DECLARE
	r record;
	keys int := 0;
BEGIN
	FOR i IN 1..3000 LOOP
		IF i % 2 = 0 THEN r := ROW(i, 'a'::text, 2, 3, 4, 5); ELSE r := ROW(i, 2, 3); END IF;
		keys := keys + (bloom_key(r) IS NOT NULL)::int;
	END LOOP;
	RAISE NOTICE '% keys', keys;
END
$$;
-- domains over arrays of domains, too deep to follow
SET max_stack_depth = '100kB';
DO $$
BEGIN
	CREATE DOMAIN deep0 AS int[];
	FOR i IN 1..2000 LOOP
		EXECUTE format('CREATE DOMAIN deep%s AS deep%s[]', i, i - 1);
	END LOOP;
	EXECUTE 'SELECT bloom_key(''{}''::deep2000)';
EXCEPTION WHEN statement_too_complex THEN
	RAISE NOTICE 'stack depth limit exceeded';
END
$$;
RESET max_stack_depth;

DO $$
BEGIN
	FOR i IN REVERSE 20..0 LOOP
		EXECUTE format('DROP TYPE twice%s', i);
	END LOOP;
END
$$;
DROP FUNCTION refusal(text, text);
DROP TABLE spelling;
DROP TYPE patternrange, textrange, floatrange;
DROP DOMAIN pair_domain, word, small;
DROP TYPE nest, other_pair, pair, mood;
