--
-- What test/run valgrind runs before its regression tests: with little data, what these
-- leave out
--
\set ON_ERROR_STOP on
\ir samples.sql

-- of two filters
SELECT count(a.f | b.f), count(a.f && b.f), count((bloom_overlap(a.f, b.f)).jaccard)
FROM filters a, filters b
WHERE split_part(a.name, ' ', 1) = split_part(b.name, ' ', 1) AND a.name <= b.name;
SELECT count(a.f & b.f), count(bloom_shrink(a.f & b.f)), count(a.c | b.c)
FROM filters a, filters b
WHERE a.name LIKE 'texts%' AND b.name LIKE 'texts%';

-- binary format, there and back
\set file `echo "$PGHOST/binary"`
CREATE TABLE read (LIKE filters);
COPY filters TO :'file' (FORMAT binary);
COPY read FROM :'file' (FORMAT binary);
CREATE TABLE read_keys (LIKE keys);
COPY keys TO :'file' (FORMAT binary);
COPY read_keys FROM :'file' (FORMAT binary);
DO $$
BEGIN
	ASSERT (SELECT count(*) FROM filters JOIN read USING (name, f, c, u)) =
		(SELECT count(*) FROM filters WHERE f IS NOT NULL), 'a filter changed';
	ASSERT (SELECT count(*) FROM keys JOIN read_keys USING (i2, k, ks)) = 200, 'a key changed';
END $$;

-- aggregates in parallel
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT bloom_agg(i4) IS NOT NULL, bloom_agg(k) IS NOT NULL, bloom_agg(i4, 1000, 0.01) IS NOT NULL,
	counting_bloom_agg(i4) IS NOT NULL, cuckoo_agg(i4) IS NOT NULL,
	external_bloom_agg(t, 'guava', 0.01) IS NOT NULL,
	external_bloom_agg(t, 'parquet', 50, 0.01) IS NOT NULL
FROM keys;
SELECT (bloom_union_agg(f)) IS NOT NULL, counting_bloom_union_agg(c) IS NOT NULL FROM filters
WHERE name LIKE 'texts%';
-- of several geometries, and of lists that come after layers
SELECT bloom_union_agg(f ORDER BY name) IS NOT NULL,
	bloom_union_agg(f ORDER BY name DESC) IS NOT NULL
FROM (
	SELECT name, f FROM filters WHERE name LIKE 'numbers%' OR name = 'changed'
	UNION ALL
	SELECT 'z' || i, bloom_agg(k) FROM generate_series(1, 40) i, generate_series(i, i + 60) k
	GROUP BY i
) s;

-- sizes, hashes, further keys
SELECT bloom_capacity(1000000), bloom_sizing(1000), counting_bloom_sizing(1000),
	cuckoo_sizing(1000);
SELECT count(DISTINCT k), count(DISTINCT bloom_key_hash_extended(k, 7)) FROM keys;
SELECT bloom_agg('08:00:2b:01:02:03:04:05'::macaddr8) @> '08:00:2b:01:02:03'::macaddr;

-- estimates
EXPLAIN SELECT FROM filters a JOIN filters b ON a.f && b.f WHERE a.f && b.f;
EXPLAIN SELECT FROM keys JOIN filters ON f @> i4 WHERE f @> 7 AND filters.u @> i8;
SELECT f AS constant FROM filters WHERE name = 'numbers 1000' \gset
EXPLAIN SELECT FROM keys WHERE i4 <@ :'constant'::bloom;
EXPLAIN SELECT FROM keys WHERE bloom_contains_any(:'constant'::bloom, i4s);
EXPLAIN SELECT FROM filters WHERE f && :'constant'::bloom;
EXPLAIN SELECT FROM keys WHERE bloom_partition(i4, 7) = 3;
