--
-- What is frozen: bytes, hashes and sizes.  A change of this file's output
-- breaks every stored filter; FORMAT.md explains each value.
--

-- Example 1: a filter without keys
SELECT encode(bloom_create(1000)::bytea, 'hex') AS image;
-- Example 2: a list of three keys
SELECT encode(bloom_add_all(bloom_create(1000), ARRAY['red', 'green', 'blue'])::bytea, 'hex') AS image;
-- Example 3: one block of 129 keys
SELECT encode(f::bytea, 'hex') AS image
FROM (SELECT bloom_add_all(bloom_create(129, 0.5, 0), array_agg(i)) FROM generate_series(1, 129) i) s(f);
-- Example 4: two layers, of which the second has just been opened
SELECT encode(f::bytea, 'hex') AS image
FROM (SELECT bloom_add_all(bloom_create(1, 0.5, 1), array_agg(i)) FROM generate_series(1, 160) i) s(f);
-- Example 5: a hashed key, as it is sent
SELECT bloom_key(ROW(1, 'a')), encode(bloom_key_send(bloom_key(ROW(1, 'a'))), 'hex');

-- Example 6: a counting filter
SELECT encode(counting_bloom_add_all(counting_bloom_create(1, 0.5), ARRAY['red', 'green', 'red'])::bytea, 'hex') AS image;
-- Example 7: a cuckoo filter
SELECT encode(cuckoo_add_all(cuckoo_create(8), ARRAY['red', 'green', 'blue', 'red'])::bytea, 'hex') AS image;

-- Larger images, by their digest
SELECT what, md5(f::bytea) FROM (
	SELECT 1 AS n, 'self-sized' AS what, bloom_agg(i) AS f FROM generate_series(1, 100000) i UNION ALL
	SELECT 2, 'with fpp', bloom_agg(i, 0.0001) FROM generate_series(1, 100000) i UNION ALL
	SELECT 3, 'with capacity', bloom_agg(i, 200000, 0.001) FROM generate_series(1, 100000) i UNION ALL
	SELECT 4, 'text', bloom_agg(md5(i::text)) FROM generate_series(1, 10000) i UNION ALL
	SELECT 5, 'layers', bloom_add_all(bloom_create(1000), array_agg(i)) FROM generate_series(1, 20000) i UNION ALL
	SELECT 6, 'growth 1', bloom_add_all(bloom_create(1000, 0.01, 1), array_agg(i)) FROM generate_series(1, 5000) i UNION ALL
	SELECT 7, 'growth 4', bloom_add_all(bloom_create(1000, 0.01, 4), array_agg(i)) FROM generate_series(1, 20000) i UNION ALL
	SELECT 8, 'fixed', bloom_add_all(bloom_create(1000, 0.01, 0), array_agg(i)) FROM generate_series(1, 5000) i) s
ORDER BY n;

-- What set algebra makes, by its digest
WITH filter AS MATERIALIZED (
	SELECT a / 10000 AS n, bloom_agg(i, 20000, 0.01) AS f, bloom_agg(i) AS own_size
	FROM generate_series(0, 20000, 10000) a, generate_series(a, a + 15000) i GROUP BY a)
SELECT what, md5(f::bytea) FROM (
	SELECT 1, 'union', a.f | b.f FROM filter a, filter b WHERE a.n = 0 AND b.n = 1 UNION ALL
	SELECT 2, 'union of all', bloom_union_agg(f ORDER BY n) FROM filter UNION ALL
	SELECT 3, 'in their own sizes', bloom_union_agg(own_size ORDER BY n) FROM filter UNION ALL
	SELECT 4, 'intersection', a.f & b.f FROM filter a, filter b WHERE a.n = 0 AND b.n = 1 UNION ALL
	SELECT 5, 'intersection of all', bloom_intersection_agg(f ORDER BY n) FROM filter UNION ALL
	SELECT 6, 'shrunk', bloom_shrink(bloom_agg(i, 1000000, 0.01)) FROM generate_series(1, 5000) i UNION ALL
	SELECT 7, 'layers, shrunk', bloom_shrink(bloom_union_agg(f)) FROM (
		SELECT bloom_agg(i, n * 30000, 0.001) FROM unnest(ARRAY[1, 2, 5]) n, generate_series(n * 1000, n * 3000) i GROUP BY n) s(f) UNION ALL
	SELECT 8, 'layers, merged', bloom_union_agg(f ORDER BY n) FROM (
		SELECT n, bloom_agg(n * 10000 + i) FROM generate_series(1, 80) n, LATERAL generate_series(1, 130 + n * n) i GROUP BY n) s(n, f)) s(n, what, f)
ORDER BY n;

-- Counting and cuckoo filters
SELECT what, md5(f) FROM (
	SELECT 1, 'counting, self-sized', counting_bloom_agg(i % 70000)::bytea FROM generate_series(1, 100000) i UNION ALL
	SELECT 2, 'with capacity', counting_bloom_agg(i, 200000, 0.001)::bytea FROM generate_series(1, 100000) i UNION ALL
	SELECT 3, 'after removal', counting_bloom_remove_all(counting_bloom_agg(i), ARRAY(SELECT generate_series(1, 3000)))::bytea FROM generate_series(1, 5000) i UNION ALL
	SELECT 4, 'cuckoo, self-sized', cuckoo_agg(i)::bytea FROM generate_series(1, 100000) i UNION ALL
	SELECT 5, 'with capacity', cuckoo_agg(i, 100000, 0.0001)::bytea FROM generate_series(1, 100000) i UNION ALL
	SELECT 6, 'by adding', cuckoo_add_all(cuckoo_create(1000), array_agg(i))::bytea FROM generate_series(1, 1150) i UNION ALL
	SELECT 7, 'after removal', cuckoo_remove_all(cuckoo_agg(i), ARRAY(SELECT generate_series(1, 3000)))::bytea FROM generate_series(1, 5000) i) s(n, what, f)
ORDER BY n;
SELECT c AS capacity, p AS fpp, fingerprint_bits, buckets, bytes
FROM unnest(ARRAY[1, 8, 9, 100, 1000, 10000, 1000000]) c, unnest(ARRAY[0.5, 0.03, 0.01, 0.001, 0.0001, 0.00000001]) p, cuckoo_info(cuckoo_add(cuckoo_create(c, p), 1));

-- Partitions
SELECT array_agg(bloom_partition(i, 16)) AS of_16, array_agg(bloom_partition(i::text, 1000)) AS of_1000 FROM generate_series(1, 20) i;

-- bloom_agg with a capacity makes the very filter that adding makes
SELECT c AS capacity, bloom_agg(i, c, 0.01) = bloom_add_all(bloom_create(c, 0.01), array_agg(i)) AS same
FROM unnest(ARRAY[1, 129, 200, 255, 256, 1000]) c, generate_series(1, 150) i GROUP BY c ORDER BY c;

-- Hashes of every family
CREATE TYPE golden_enum AS ENUM ('red');
CREATE TYPE golden_row AS (a int, b text);
SELECT k FROM unnest(ARRAY[
	bloom_key(true), bloom_key(false),
	bloom_key(0), bloom_key(1), bloom_key(-1), bloom_key(9223372036854775807),
	bloom_key(9223372036854775808), bloom_key(1.5), bloom_key('NaN'::numeric), bloom_key('-Infinity'::numeric),
	bloom_key(0::float8), bloom_key(1.5::float8), bloom_key('NaN'::float8), bloom_key('Infinity'::float8),
	bloom_key(''), bloom_key('red'), bloom_key('red'::golden_enum), bloom_key('Zürich'), bloom_key('日本'),
	bloom_key(''::bytea), bloom_key('\xdeadbeef'::bytea),
	bloom_key('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid),
	bloom_key(42::oid),
	bloom_key('2024-02-29'::date), bloom_key('infinity'::date),
	bloom_key('2024-02-29 12:34:56.789'::timestamp),
	bloom_key('2024-02-29 12:34:56.789+00'::timestamptz),
	bloom_key('12:34:56.789'::time),
	bloom_key('10.1.2.3/8'::inet), bloom_key('2001:db8::/32'::cidr),
	bloom_key('08:00:2b:01:02:03'::macaddr)
]) k;
SELECT k FROM unnest(ARRAY[
	bloom_key('{}'::int[]), bloom_key(ARRAY[1, NULL, 3]), bloom_key('{{a,b},{c,d}}'::text[]), bloom_key('[5:6]={1,2}'::int[]),
	bloom_key(ROW()), bloom_key(ROW(1, 'a')), bloom_key(ROW(1, NULL::text)), bloom_key(ROW(ROW(1, 'a'), ARRAY[1])),
	bloom_key(ARRAY[ROW(1, 'a')::golden_row, NULL]),
	bloom_key('empty'::int4range), bloom_key('[1,5)'::int4range), bloom_key('(,5)'::int4range), bloom_key('(1.5,)'::numrange),
	bloom_key('[2024-01-01,2024-02-01)'::daterange)
]) k;
DROP TYPE golden_row;
DROP TYPE golden_enum;

-- Sizes: blocks, probes and the limit on bits set of the first layer
CREATE FUNCTION geometry(capacity bigint, fpp float8, OUT blocks bigint, OUT probes int, OUT full_at bigint) LANGUAGE plpgsql AS
$$
DECLARE
	image bytea;
BEGIN
	-- a filter of fixed size with one key more than a list holds
	image := bloom_add_all(bloom_create(capacity, fpp, 0), (SELECT array_agg(i) FROM generate_series(1, 129) i))::bytea;
	SELECT i.bits / 512, i.probes INTO blocks, probes FROM bloom_info(image::bloom) i;
	-- bytes 24 to 31 of the layer record, little-endian
	full_at := ('x' || (SELECT string_agg(to_hex(get_byte(image, n) / 16) || to_hex(get_byte(image, n) % 16), '')
		FROM generate_series(60 + 31, 60 + 24, -1) n))::bit(64)::bigint;
END
$$;
SELECT c AS capacity, p AS fpp, g.* FROM unnest(ARRAY[1, 100, 129, 200, 300, 500, 1000, 2000, 5000, 10000, 50000, 100000, 1000000, 10000000]) c,
	unnest(ARRAY[0.5, 0.1, 0.01, 0.001, 0.0001, 0.000001]) p, geometry(c, p) g;
-- rates next to 1, where the search does not end at the smallest class that suffices
SELECT c AS capacity, p AS fpp, g.*
FROM (VALUES (9175583, 0.9999999999999999), (15857164, 0.9999999999999991)) v(c, p), geometry(c, p) g;
DROP FUNCTION geometry(bigint, float8);

-- the same when the server compiles the code for this very processor
CREATE FUNCTION digest_of_sizes() RETURNS text LANGUAGE sql AS $$
	SELECT md5(string_agg(bloom_add_all(bloom_create(c, p, 0), a)::bytea::text, ','  ORDER BY c, p))
	FROM generate_series(130, 5000, 37) c, unnest(ARRAY[0.3, 0.03, 0.003, 0.0003]) p,
		(SELECT array_agg(i) FROM generate_series(1, 129) i) s(a)
$$;
SET jit = off;
SELECT digest_of_sizes() AS digest \gset
SET jit = on;
SET jit_above_cost = 0;
SET jit_inline_above_cost = 0;
SET jit_optimize_above_cost = 0;
SELECT digest_of_sizes() = :'digest' AS same;
RESET jit;
RESET jit_above_cost;
RESET jit_inline_above_cost;
RESET jit_optimize_above_cost;
DROP FUNCTION digest_of_sizes();

-- What the images above do not show.  A whole number keeps its zeros, a fraction does not: the
-- canonical bytes are those of a text
SELECT number, split_part(bloom_key(number)::text, ':', 2) = split_part(bloom_key(bytes)::text, ':', 2) AS same
FROM (VALUES (1e20, '100000000000000000000'), (1.50, '1.5')) v(number, bytes);
-- aggregates over no rows, and over nulls alone: growth, capacity, fpp
SELECT what, get_byte(image, 5) AS growth, encode(substr(image, 29, 8), 'hex') AS capacity,
	encode(substr(image, 37, 8), 'hex') AS fpp
FROM (SELECT 'no rows' AS what, ARRAY[bloom_agg(i, 1000, 0.001)::bytea,
			counting_bloom_agg(i, 1000, 0.001)::bytea, cuckoo_agg(i, 1000, 0.001)::bytea] AS images
		FROM generate_series(1, 0) i
	UNION ALL
	SELECT 'nulls', ARRAY[bloom_agg(NULL::int, 1000, 0.001)::bytea,
			counting_bloom_agg(NULL::int, 1000, 0.001)::bytea, cuckoo_agg(NULL::int, 1000, 0.001)::bytea]
	UNION ALL
	SELECT 'nulls, no capacity', ARRAY[bloom_agg(NULL::int, 0.001)::bytea,
			counting_bloom_agg(NULL::int, 0.001)::bytea, cuckoo_agg(NULL::int, 0.001)::bytea]) s, unnest(images) image;
-- the capacity of a union of filters without keys is the larger, also if no filter can have it
SELECT (f | g) = f AS larger, (g | f) = f AS likewise, (f | bloom_add(g, 1)) = bloom_add(g, 1) AS of_the_keys
FROM (SELECT overlay(bloom_create(100)::bytea PLACING '\x00ffffffffffff7f' FROM 29)::bloom, bloom_create(100)) s(f, g);
