--
-- Data for test/asserting/sqlsmith.sql and test/asserting/valgrind.sql: filters of all types and states, and
-- keys of many types
--
\set ON_ERROR_STOP on
SET client_min_messages = error;
CREATE EXTENSION bloomtype;

CREATE TABLE filters (name text, f bloom, c counting_bloom, u cuckoo);
INSERT INTO filters VALUES
	('empty', bloom_create(1000), counting_bloom_create(1000), cuckoo_create(1000)),
	('fixed', bloom_create(200, 0.1, 0), counting_bloom_create(200, 0.1), cuckoo_create(200, 0.1)),
	(NULL, NULL, NULL, NULL);
INSERT INTO filters
SELECT 'numbers ' || n, bloom_agg(i), counting_bloom_agg(i % 5000), cuckoo_agg(i)
FROM unnest('{1,100,1000,20000}'::int[]) n, generate_series(1, n) i GROUP BY n;
INSERT INTO filters
SELECT 'texts ' || n, bloom_agg(i::text, 1000, 0.01), counting_bloom_agg(i::text, 1000, 0.001),
	cuckoo_agg(i::text, 3000, 0.01)
FROM unnest('{3,300,1000}'::int[]) n, generate_series(1, n) i GROUP BY n;
INSERT INTO filters
SELECT 'dates', bloom_agg(date '2020-01-01' + i), counting_bloom_agg(date '2020-01-01' + i),
	cuckoo_agg(date '2020-01-01' + i)
FROM generate_series(1, 500) i;
INSERT INTO filters
SELECT 'rows', bloom_agg(k), counting_bloom_agg(k), cuckoo_agg(k)
FROM (SELECT bloom_key(ROW(i, i::text)) FROM generate_series(1, 500) i) s (k);
-- of several layers, of one that is too full, and by removals
INSERT INTO filters
SELECT 'changed', bloom_add_all(bloom_create(150), keys),
	counting_bloom_remove_all(counting_bloom_add_all(counting_bloom_create(150), keys), few),
	cuckoo_remove_all(cuckoo_add_all(cuckoo_create(2000), keys), few)
FROM (SELECT array_agg(i), array_agg(i) FILTER (WHERE i <= 50) FROM generate_series(1, 1500) i)
	s (keys, few);

CREATE TABLE external_filters (format text, bytes bytea);
INSERT INTO external_filters
SELECT format, external_bloom_agg(i::text, format, p)
FROM (VALUES ('guava', 0.01), ('parquet', 0.01), ('spark_v1', 0.02), ('spark_v2', 0.02),
		('redis', 0.01), ('go', 0.1), ('leveldb', 10)) v (format, p),
	unnest('{20,2000}'::int[]) n, generate_series(1, n) i GROUP BY format, n;
INSERT INTO external_filters VALUES ('guava', ''), ('parquet', '\x00'), (NULL, NULL);
-- filters of ours, too, whole and cut off
INSERT INTO external_filters
SELECT format, substr(f::bytea, 1, n) FROM filters, unnest('{guava,redis}'::text[]) format,
	unnest('{10,200,1000000}'::int[]) n WHERE f IS NOT NULL;

CREATE TABLE keys (i2 smallint, i4 int, i8 bigint, n numeric, d float8, t text, v varchar,
	u uuid, day date, at timestamptz, local timestamp, net inet, bytes bytea, yes boolean,
	k bloom_key,
	i4s int[], i8s bigint[], ts text[], us uuid[], ks bloom_key[]);
INSERT INTO keys
SELECT i, i, i, i, i, i, i, md5(i::text)::uuid, date '2020-01-01' + i,
	timestamptz '2020-01-01 0:00 UTC' + i * interval '1 day',
	timestamp '2020-01-01' + i * interval '1 day', inet '10.0.0.0' + i,
	decode(md5(i::text), 'hex'), i % 2 = 0, bloom_key(i),
	ARRAY[i, NULL, 7], ARRAY[i, -i], ARRAY[i::text, ''],
	ARRAY[md5(i::text)::uuid], ARRAY[bloom_key(i), bloom_key(i::text)]
FROM generate_series(1, 200) i;
INSERT INTO keys (i4, i4s, ks) VALUES (NULL, '{}', '{}'), (2147483647, '{{1,2},{3,4}}', '{NULL}');

CREATE TABLE states (fpp float8, capacity bigint, growth int);
INSERT INTO states VALUES (0.01, 1000, 2), (0.5, 1, 0), (1e-9, 100000, 100), (NULL, -1, -1),
	('NaN', 9223372036854775807, 2147483647), (0, 0, 1);

CREATE VIEW contained AS
	SELECT name, i4, f, f @> i4 AS in_f, i4 <@ c AS in_c, filters.u @> i4 AS in_u
	FROM filters, keys WHERE name LIKE 'numbers%';
ANALYZE;
