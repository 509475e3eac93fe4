--
-- Bloom filters of Parquet files
--
-- The examples of the page Parquet of doc/interchange.md, and filters that other
-- programs wrote.  test/interchange/parquet asks DuckDB itself.
--
\a\t

\set ECHO none
CREATE SCHEMA interchange_parquet;
SET search_path = interchange_parquet, public;
SET timezone = 'UTC';
SET datestyle = 'ISO, MDY';

--
-- Which files may hold an id?
--

CREATE TABLE file_filter (
	file text,
	row_group int,
	column_name text,
	filter bytea,
	PRIMARY KEY (column_name, file, row_group)
);
ALTER TABLE file_filter ALTER filter SET STORAGE EXTERNAL;

-- ten files with two row groups of 500 keys each
INSERT INTO file_filter
SELECT format('orders-%s.parquet', id / 1000), id / 500 % 2, 'customer_id',
	external_bloom_agg(id, 'parquet_int64', 500, 0.001)
FROM generate_series(0, 9999) id
GROUP BY id / 1000, id / 500 % 2;

-- and one of which nobody knows the keys
INSERT INTO file_filter VALUES ('orders-10.parquet', 0, 'customer_id', NULL);
\set ECHO all

\a\t
SELECT file, row_group
FROM file_filter
WHERE column_name = 'customer_id'
	AND external_bloom_contains(filter, 'parquet_int64', 4711::bigint) IS NOT FALSE
ORDER BY file, row_group;
\a\t

SELECT DISTINCT file
FROM file_filter
WHERE column_name = 'customer_id'
	AND external_bloom_contains_any(filter, 'parquet_int64', '{4711, 815, 4712}'::bigint[])
		IS NOT FALSE
ORDER BY file;

-- no file is left out that has the key
SELECT bool_and(external_bloom_contains(filter, 'parquet_int64', id::bigint)) AS all_found
FROM generate_series(0, 9999) id
	JOIN file_filter
	ON file = format('orders-%s.parquet', id / 1000) AND row_group = id / 500 % 2;

-- the type of the column decides, not the number
\set VERBOSITY terse
-- error: a bigint is no key of a column of INT32
SELECT external_bloom_contains(filter, 'parquet_int32', 4711::bigint) FROM file_filter;
-- error: the width of a number is part of the name
SELECT external_bloom_contains(filter, 'parquet', 4711) FROM file_filter;
\set VERBOSITY default

-- keys of other widths are other keys
SELECT count(*) FILTER (WHERE external_bloom_contains(filter, 'parquet_int32', id)) < 5 AS others
FROM file_filter, generate_series(0, 99) id
WHERE file = 'orders-0.parquet' AND row_group = 0;

\set ECHO none
--
-- Filters that DuckDB 1.5.6 wrote, of five values each, with their header
--

CREATE TABLE written (type text PRIMARY KEY, f bytea);
INSERT INTO written
SELECT type, decode('15401c1c00001c1c00001c1c000000' || hex, 'hex')
FROM (VALUES
	('INT32', '040104200000042c48408001071000200860008414200008000a100204384000'),
	('INT64', '0006100a040804062124000200001612100140040400009a4040102020411040'),
	('FLOAT', '203080204002808888060008160008010020604210010600020880a000104890'),
	('DOUBLE', '0902104001120005003122000400100b124300000a0a00100042010480402800'),
	('VARCHAR', '002082402400a0401008801022000a2090018020124000031800016000442020'),
	('BLOB', 'c080000204200218446000022302080005010800090015008040204102060022'),
	('UUID', '0440081400a8001400a240000010008989010004020020148004008204066000')
) duckdb(type, hex);

CREATE VIEW made AS
SELECT external_bloom_agg((i - 2)::smallint, 'parquet_int32', 0.01) AS smallint,
	external_bloom_agg((i - 2)::int, 'parquet_int32', 0.01) AS int,
	external_bloom_agg('1970-01-01'::date + (i - 2)::int, 'parquet_int32', 0.01) AS date,
	external_bloom_agg(i - 2, 'parquet_int64', 0.01) AS bigint,
	external_bloom_agg('1970-01-01'::timestamp + (i - 2) * interval '1 us',
		'parquet_timestamp_micros', 0.01) AS micros,
	external_bloom_agg('1970-01-01'::timestamptz + (i - 2) * interval '1 us',
		'parquet_timestamp_micros', 0.01) AS micros_with_zone,
	external_bloom_agg('1970-01-01'::timestamp + (i - 2) * interval '1 ms',
		'parquet_timestamp_millis', 0.01) AS millis,
	external_bloom_agg(((i - 2)::float8 / 10)::float4, 'parquet_float', 0.01) AS float4,
	external_bloom_agg((i - 2)::float8 / 10, 'parquet_double', 0.01) AS float8,
	external_bloom_agg('ключ ' || i, 'parquet', 0.01) AS text,
	external_bloom_agg(decode('00ff0' || i, 'hex'), 'parquet', 0.01) AS bytea,
	external_bloom_agg(('00112233-4455-6677-8899-aabbccddeef' || i)::uuid, 'parquet', 0.01)
		AS uuid
FROM generate_series(0, 4::bigint) i;
\set ECHO all

-- the same bits
SELECT columns.name, written.type
FROM made, LATERAL (VALUES
		('smallint', smallint), ('int', int), ('date', date), ('bigint', bigint),
		('micros', micros), ('micros_with_zone', micros_with_zone), ('millis', millis),
		('float4', float4), ('float8', float8), ('text', text), ('bytea', bytea), ('uuid', uuid)
	) columns(name, f)
	LEFT JOIN written ON substr(written.f, 16) = columns.f
ORDER BY type, name;

-- the same answers with the header and without
SELECT i, external_bloom_contains(f, 'parquet_int32', i) AS with_header,
	external_bloom_contains(substr(f, 16), 'parquet_int32', i) AS without_header
FROM written, generate_series(-4, 4) i
WHERE type = 'INT32';

-- what is made has none; a union has that of the first filter
SELECT length(external_bloom_agg(i, 'parquet_int32', 0.01)) AS bytes
FROM generate_series(1, 20) i;
SELECT substr(external_bloom_union(f, int, 'parquet_int32'), 1, 15) = substr(f, 1, 15) AS header,
	external_bloom_union(f, int, 'parquet_int32') = f AS no_further_bits
FROM made, written
WHERE type = 'INT32';

-- a filter of parquet-java's tests: the numbers 0 to 9
SELECT external_bloom_agg(i, 'parquet_int64', 0.01)
FROM generate_series(0, 9::bigint) i;

-- zero and minus zero are two encodings, which are both asked
SELECT external_bloom_contains(external_bloom_agg(x, 'parquet_double', 0.01),
	'parquet_double', '-0'::float8) AS found
FROM (VALUES (0::float8)) v(x);

-- error: a timestamp that the unit of the column cannot have
SELECT external_bloom_agg(timestamp '2026-01-01 00:00:00.0001', 'parquet_timestamp_millis', 0.01)
FROM generate_series(1, 1);

-- error: half a header
SELECT external_bloom_contains(substr(f, 4), 'parquet_int32', 1) FROM written
WHERE type = 'INT32';

--
-- Sizes: the power of two at or above the bits that the specification asks for
--

SELECT keys, rate, length(f) AS bytes
FROM (VALUES (26, 0.01), (27, 0.01), (1000, 0.01), (1000, 0.001), (100000, 0.01)) s(keys, rate),
	LATERAL (SELECT external_bloom_agg(x, 'parquet_int32', keys, rate)
		FROM (VALUES (1)) v(x)) made(f);

--
-- Rates, for 300,000 absent keys each: at so many bits a key as the specification's
-- table tells for a rate; and at the fewest that its formula gives, of which the
-- documents tell how far the rate may be from that asked for
--

CREATE FUNCTION rate(keys bigint, asked float8, OUT bits_per_key float8, OUT rate float8)
LANGUAGE sql
BEGIN ATOMIC
	WITH filter AS MATERIALIZED (
		SELECT external_bloom_agg(i, 'parquet_int64', keys, asked) AS f
		FROM generate_series(1, keys) i)
	SELECT 8 * length(f)::float8 / keys,
		(SELECT count(*) FROM generate_series(1, 300000::bigint) i
		WHERE external_bloom_contains(f, 'parquet_int64', -i)) / 300000.0
	FROM filter;
END;

SELECT asked, round(r.bits_per_key::numeric, 1) AS bits_per_key,
	r.rate <= 1.1 * asked AS as_stated
FROM (VALUES (0.1, 262144 / 6.0), (0.01, 262144 / 10.5), (0.001, 262144 / 16.9))
	specification(asked, keys),
	LATERAL rate(keys::bigint, asked) r
ORDER BY asked DESC;

SELECT asked, round(r.bits_per_key::numeric, 1) AS bits_per_key,
	r.rate BETWEEN 1.05 * asked AND most * asked AS as_documented
FROM (VALUES (0.1, 45300, 1.2), (0.01, 27000, 1.55), (0.001, 17900, 2.3))
	fullest(asked, keys, most),
	LATERAL rate(keys, asked) r
ORDER BY asked DESC;

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP SCHEMA interchange_parquet CASCADE;
