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
-- of filters that have grown, and of unequal ones
SELECT count(bloom_overlap(a.f, b.f)), count(a.f && b.f)
FROM filters a, filters b
WHERE a.name IN ('changed', 'numbers 1', 'numbers 1000', 'fixed', 'empty')
	AND b.name IN ('changed', 'numbers 1', 'numbers 1000', 'fixed', 'empty');
SELECT count(bloom_overhead(f)), count(counting_bloom_overhead(c)), count(cuckoo_overhead(u))
FROM filters;

-- matrices: in memory, stored in a row, and out of line, where slices of them are read
CREATE TABLE matrices (name text, m bloom_matrix);
INSERT INTO matrices
SELECT name, bloom_matrix_agg(id, f)
FROM (
	SELECT 'few' AS name, i AS id, bloom_agg(k, 100, 0.01) AS f
	FROM generate_series(1, 3) i, generate_series(i, i + 50) k GROUP BY i
	UNION ALL
	SELECT 'many', i, bloom_agg(k, 500, 0.01)
	FROM generate_series(1, 130) i, generate_series(i, i + 50) k GROUP BY i
) s GROUP BY name;
SELECT name, m IS NOT NULL, (SELECT count(*) FROM bloom_matrix_ids(m)), bloom_matrix_info(m),
	(SELECT count(*) FROM bloom_matrix_search(m, 60)),
	(SELECT count(*) FROM bloom_matrix_search_all(m, ARRAY[60, 61])),
	(SELECT count(*) FROM bloom_matrix_search_any(m, ARRAY[60, 1000])),
	bloom_matrix_filter(m, 2) @> 10, m::text::bloom_matrix = m
FROM matrices;
SELECT count(*) FROM keys, matrices, bloom_matrix_search(m, i4);

-- page indexes: built, grown from an empty table until it has two levels, and after an error
CREATE TABLE items (k bigint, t text, pad char(4100) DEFAULT '');
ALTER TABLE items ALTER pad SET STORAGE plain;
CREATE INDEX items_k ON items USING bloom_pages (k) WITH (pages_per_range = 1, rows_per_range = 9);
CREATE INDEX items_quotient ON items USING bloom_pages ((1000 / k));
INSERT INTO items SELECT i, 'text ' || i FROM generate_series(1, 1500) i;
CREATE INDEX items_t ON items USING bloom_pages (t) WITH (pages_per_range = 1);
DO $$
BEGIN
	INSERT INTO items VALUES (2001, 'text 2001'), (0, 'text 0');
EXCEPTION WHEN division_by_zero THEN
	INSERT INTO items VALUES (2002, 'text 2002');
END $$;
BEGIN;
SET LOCAL enable_seqscan = off;
DO $$
BEGIN
	ASSERT (SELECT count((SELECT t FROM items WHERE k = i::bigint)) FROM generate_series(1, 2002, 20) i) = 75, 'by k';
	ASSERT (SELECT count(*) FROM items WHERE t IN ('text 3', 'text 2001', 'text 2002')) = 2, 'by t';
	ASSERT (SELECT min(levels) FROM pg_index, bloom_pages_info(indexrelid)
		WHERE indexrelid IN ('items_k'::regclass, 'items_t'::regclass)) = 2, 'there is one level';
	ASSERT (SELECT min(bloom_pages_check(indexrelid)) FROM pg_index WHERE indrelid = 'items'::regclass) = 1501, 'rows';
END $$;
COMMIT;
REINDEX TABLE items;
VACUUM items;

-- the filter of a join in memory that processes share
LOAD 'bloomtype_join';
CREATE TABLE facts AS SELECT i AS id, i % 1000 AS key FROM generate_series(1, 20000) i;
CREATE TABLE dimension AS SELECT i AS id FROM generate_series(1, 3000) i;
ALTER TABLE facts SET (parallel_workers = 2);
ALTER TABLE dimension SET (parallel_workers = 2);
ANALYZE facts, dimension;
BEGIN;
SET LOCAL bloomtype_join.enable = force;
SET LOCAL enable_mergejoin = off;
SET LOCAL enable_nestloop = off;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
DO $$
DECLARE
	line text;
	shared boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN SELECT count(*) FROM facts JOIN dimension ON key = dimension.id' LOOP
		shared := shared OR line ~ 'Parallel Custom Scan .BloomtypeBuild.';
	END LOOP;
	ASSERT shared, 'there is no shared filter';
END $$;
SELECT count(*) FROM facts JOIN dimension ON key = dimension.id;
SELECT count(*) FROM facts JOIN dimension ON key = dimension.id WHERE dimension.id % 10 = 3;
COMMIT;

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
