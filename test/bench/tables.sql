-- The tables of the benchmark, of :rows rows each unless said.

CREATE TABLE numbers AS SELECT i::bigint AS id FROM generate_series(1, :rows) i;
CREATE TABLE many AS SELECT 2 * i::bigint AS id FROM generate_series(1, :rows) i;
CREATE TABLE grouped AS SELECT (i % (:rows / 100))::int AS g, i::bigint AS id FROM generate_series(1, :rows) i;
CREATE TABLE texts AS SELECT md5(i::text) AS v FROM generate_series(1, :rows) i;

-- one in a hundred of the numbers; a million of them
CREATE TABLE few AS SELECT id FROM numbers WHERE id % 100 = 0;
CREATE TABLE million AS SELECT id, (id % 100000)::int AS g FROM numbers WHERE id <= 1000000;
CREATE TABLE million_keys AS SELECT bloom_key(id) AS k FROM million;

-- 12 MB, out of line
CREATE TABLE stored AS
SELECT bloom_agg(i, 10000000, 0.01) AS f FROM generate_series(1::bigint, 10000000) i;

-- 16 MB of full filters of one geometry, and 14 MB of small ones
CREATE TABLE full_filters AS
SELECT n, bloom_agg(n * 100000::bigint + i) AS f
FROM generate_series(1, 130) n, generate_series(1, 100000) i GROUP BY n;
CREATE TABLE small_filters AS
SELECT n, bloom_agg(n * 1000::bigint + i) AS f
FROM generate_series(1, 10000) n, generate_series(1, 1000) i GROUP BY n;

-- a filter of a million numbers, and one of their texts, in our form and in others; one of
-- Guava of 12 MB
CREATE TABLE external_filters AS
SELECT bloom_agg(id, 1000000, 0.01) AS numbers,
	external_bloom_agg(id, 'parquet_int64', 1000000, 0.01) AS parquet_int64,
	external_bloom_agg(id, 'guava_long', 1000000, 0.01) AS guava_long,
	external_bloom_agg(id, 'spark_v2', 1000000, 0.01) AS spark_v2,
	bloom_agg(id::text, 1000000, 0.01) AS texts,
	external_bloom_agg(id::text, 'go', 1000000, 0.01) AS go,
	external_bloom_agg(id::text, 'redis', 1000000, 0.01) AS redis,
	external_bloom_agg(id::text, 'leveldb', 10) AS leveldb
FROM million;
CREATE TABLE million_texts AS SELECT id::text AS v FROM million;
CREATE TABLE stored_guava (f bytea);
ALTER TABLE stored_guava ALTER f SET STORAGE EXTERNAL;
INSERT INTO stored_guava SELECT external_bloom_agg(id, 'guava_long', 10000000, 0.01) FROM million;

-- two of 12 MB that have half of their keys in common, and an array of a million
CREATE TABLE pair AS
SELECT (SELECT bloom_agg(i, 10000000, 0.01) FROM generate_series(1::bigint, 5000000) i) AS a,
	(SELECT bloom_agg(i, 10000000, 0.01) FROM generate_series(2500001::bigint, 7500000) i) AS b;
CREATE TABLE million_array AS SELECT array_agg(id) AS ids FROM million;

-- Procedures that do the same n times.  Each statement is one call site, which is new with
-- each call of the procedure.  A variable keeps the whole value, not a pointer to where it is
-- stored; filters that are cast to bytea and back are read once, into memory.
SELECT format('CREATE PROCEDURE %I(n int) LANGUAGE plpgsql AS %L', name,
	format('DECLARE %s BEGIN %s FOR i IN 1 .. n LOOP %s END LOOP; END', variables, first, body))
FROM (VALUES
	('probe_stored', '', '',
	 'PERFORM bloom_contains(f, i) FROM stored;'),
	('probe_whole', 'whole bloom;', '',
	 'SELECT f INTO whole FROM stored;
	  PERFORM bloom_contains(whole, i);'),
	('probe_stored_guava', '', '',
	 $$PERFORM external_bloom_contains(f, 'guava_long', i::bigint) FROM stored_guava;$$),
	('probe_whole_guava', 'whole bytea;', '',
	 $$SELECT f || '' INTO whole FROM stored_guava;
	  PERFORM external_bloom_contains(whole, 'guava_long', i::bigint);$$),
	('inspect_stored', '', '',
	 'PERFORM (bloom_info(f)).keys FROM stored;'),
	('inspect_whole', 'whole bloom;', '',
	 'SELECT f INTO whole FROM stored;
	  PERFORM (bloom_info(whole)).keys;'),
	('overlap_pair', 'x bloom; y bloom;',
	 'SELECT (a::bytea)::bloom, (b::bytea)::bloom INTO x, y FROM pair;',
	 'PERFORM bloom_overlap(x, y);'),
	('unite_pair', 'x bloom; y bloom;',
	 'SELECT (a::bytea)::bloom, (b::bytea)::bloom INTO x, y FROM pair;',
	 'PERFORM bloom_cardinality(bloom_union(x, y));'),
	('overlap_stored', 'list bloom;', '',
	 'list := bloom_add_all(bloom_create(10), ARRAY[-i, -i - n, -i - 2 * n]);
	  PERFORM list && f FROM stored;'),
	('ask_stored_any', 'list bloom;', '',
	 'list := bloom_add_all(bloom_create(10), ARRAY[-i, -i - n, -i - 2 * n]);
	  PERFORM bloom_contains_any(f, ARRAY[-i, -i - n, -i - 2 * n]) FROM stored;'))
	AS p (name, variables, first, body) \gexec

VACUUM ANALYZE;
