--
-- What bloom_sizing, counting_bloom_sizing and cuckoo_sizing say of a filter,
-- before there is one, against the bytes of the filter
--
-- Left to --ci, for its time.
--
\a\t

-- fields of an image are little-endian
CREATE FUNCTION field(image bytea, at int, nbytes int) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT
RETURN (SELECT sum(get_byte(image, at + i)::bigint << 8 * i)
	FROM generate_series(0, nbytes - 1) i);

-- the condition that a query ends with, 00000 if none
CREATE FUNCTION condition(query text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE query; RETURN '00000'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;

CREATE TABLE asked AS
SELECT capacity::bigint, fpp
FROM unnest(ARRAY[1, 2, 7, 8, 9, 100, 127, 128, 129, 130, 255, 256, 257, 300, 1000, 4711, 12345,
		100000, 300000]) capacity,
	unnest(ARRAY[0.99, 0.5, 0.1, 0.03, 0.01, 0.001, 0.000001, 3e-9]::float8[]) fpp;
CREATE FUNCTION keys(n int) RETURNS int[] LANGUAGE sql IMMUTABLE
RETURN ARRAY(SELECT generate_series(1, n));

--
-- Filters with keys
--

-- bloom: of up to 128 keys a list, which has no layer
SELECT capacity, s.*, s.bytes = octet_length(f::bytea) AS same_bytes,
	field(f::bytea, 10, 2) AS hashes, field(f::bytea, 12, 2) AS layers
FROM unnest(ARRAY[1, 2, 100, 128]) capacity, bloom_sizing(capacity) s,
	LATERAL bloom_add_all(bloom_create(capacity), keys(capacity)) f;
SELECT s.* FROM bloom_sizing(128, 1e-9) s;
-- past them a layer; violations: none
SET jit = off;					-- for a thousand plans, of field() and keys()
SELECT capacity, fpp, s.*, octet_length(image)
FROM asked, bloom_sizing(capacity, fpp) s,
	LATERAL (SELECT bloom_add_all(bloom_create(capacity, fpp), keys(129))::bytea) t(image)
WHERE capacity > 128 AND (field(image, 12, 2) = 1 AND s.bytes = octet_length(image)
	AND s.blocks = field(image, 60, 4) AND s.bits = s.blocks * 512
	AND s.probes = field(image, 64, 1) AND s.full_at = field(image, 84, 8)
	AND field(image, 68, 8) = greatest(capacity, 256)
	AND abs(s.bits_per_key - s.bits::float8 / capacity) <= 1e-9 * s.bits_per_key) IS NOT TRUE;
RESET jit;
-- that were all of them
SELECT count(*), sum(bytes), sum(full_at) FROM asked, bloom_sizing(capacity, fpp)
WHERE capacity > 128;
-- an aggregate that is given the capacity makes the same layer, one that sizes
-- itself a layer for its own number of keys
SELECT s.bytes = octet_length(f::bytea) AND s.full_at = field(f::bytea, 84, 8) AS given,
	t.bytes = octet_length(g::bytea) AND t.full_at = field(g::bytea, 84, 8) AS self_sized
FROM (SELECT bloom_agg(i, 20000, 0.001), bloom_agg(i, 0.001)
	FROM generate_series(1, 1000) i) a(f, g),
	bloom_sizing(20000, 0.001) s, bloom_sizing(1000, 0.001) t;

-- counting_bloom: a layer from the first key on; violations: none
SELECT capacity, fpp, s.*, octet_length(image)
FROM asked, counting_bloom_sizing(capacity, fpp) s,
	LATERAL (SELECT counting_bloom_add(counting_bloom_create(capacity, fpp), 1)::bytea) t(image)
WHERE (field(image, 12, 2) = 1 AND s.bytes = octet_length(image)
	AND s.blocks = field(image, 60, 4) AND s.counters = s.blocks * 512
	AND s.probes = field(image, 64, 1) AND s.full_at = field(image, 84, 8)
	AND field(image, 68, 8) = greatest(capacity, 256)
	AND abs(s.bits_per_key - s.blocks * 2048::float8 / capacity) <= 1e-9 * s.bits_per_key)
	IS NOT TRUE;
SELECT count(*), sum(bytes), sum(full_at) FROM asked, counting_bloom_sizing(capacity, fpp);
-- four times the blocks of the bloom filter for as many keys
SELECT bool_and(c.blocks = b.blocks AND c.counters = b.bits AND c.probes = b.probes AND
	c.full_at = b.full_at AND c.bytes - 124 = 4 * (b.bytes - 124)) AS as_bloom
FROM asked, bloom_sizing(capacity, fpp) b, counting_bloom_sizing(capacity, fpp) c
WHERE capacity > 128;

-- cuckoo: violations: none
SELECT capacity, fpp, s.*, octet_length(image)
FROM asked, cuckoo_sizing(capacity, fpp) s,
	LATERAL (SELECT cuckoo_add(cuckoo_create(capacity, fpp), 1)::bytea) t(image)
WHERE (field(image, 12, 2) = 1 AND s.bytes = octet_length(image)
	AND s.buckets = field(image, 60, 4) AND s.fingerprint_bits = field(image, 64, 1)
	AND field(image, 84, 8) = 0 AND field(image, 68, 8) = capacity
	AND s.bytes = 124 + (s.buckets * 4 * s.fingerprint_bits + 63) / 64 * 8
	AND abs(s.bits_per_key - (s.bytes - 124) * 8::float8 / capacity) <= 1e-9 * s.bits_per_key)
	IS NOT TRUE;
SELECT count(*), sum(bytes), sum(fingerprint_bits) FROM asked, cuckoo_sizing(capacity, fpp);
-- it has room for as many keys
SELECT capacity, cuckoo_cardinality(f) AS keys, s.bytes = octet_length(f::bytea) AS same_bytes
FROM unnest(ARRAY[1, 8, 9, 1000]) capacity, cuckoo_sizing(capacity, 0.001) s,
	LATERAL cuckoo_add_all(cuckoo_create(capacity, 0.001), keys(capacity)) f;

-- the rate is 0.01 if it is not given
SELECT * FROM bloom_sizing(1000000);
SELECT * FROM counting_bloom_sizing(1000000);
SELECT * FROM cuckoo_sizing(1000000);
SELECT bloom_sizing(1000000) = bloom_sizing(1000000, 0.01) AS bloom,
	counting_bloom_sizing(1000000) = counting_bloom_sizing(1000000, 0.01) AS counting_bloom,
	cuckoo_sizing(1000000) = cuckoo_sizing(1000000, 0.01) AS cuckoo;
-- small ones as numbers, for people to look at
SELECT capacity, s.*
FROM unnest(ARRAY[1, 256, 257, 1000]) capacity, counting_bloom_sizing(capacity, 0.1) s;
SELECT capacity, s.* FROM unnest(ARRAY[1, 8, 9, 1000]) capacity, cuckoo_sizing(capacity, 0.1) s;

--
-- The limit of 512 MB
--

-- up to the limit a filter can be made; past it none can, but its size be told
CREATE TABLE limits AS
SELECT type, capacity::bigint, condition(format('SELECT %s_create(%s)', type, capacity))
FROM (VALUES
	('bloom', ARRAY[430000000, 433993446, 433993447, 435000000, 1e9, 1e15]),
	('counting_bloom', ARRAY[107000000, 108493022, 108493023, 109000000, 1e9, 1e15]),
	('cuckoo', ARRAY[400000000, 407945134, 407945135, 409000000, 1e9, 1e15]))
	v(type, capacities), unnest(capacities) capacity;
SELECT capacity, bytes, bytes - 124 > 512 * 1024 * 1024 AS past_limit, bits, probes, blocks,
	full_at, condition
FROM limits, bloom_sizing(capacity) WHERE type = 'bloom' ORDER BY capacity;
SELECT capacity, bytes, bytes - 124 > 512 * 1024 * 1024 AS past_limit, counters, probes, blocks,
	full_at, condition
FROM limits, counting_bloom_sizing(capacity) WHERE type = 'counting_bloom' ORDER BY capacity;
SELECT capacity, bytes, bytes - 124 > 512 * 1024 * 1024 AS past_limit, buckets, fingerprint_bits,
	condition
FROM limits, cuckoo_sizing(capacity) WHERE type = 'cuckoo' ORDER BY capacity;
DROP TABLE limits;

-- nor does the limit of 64-bit hashes matter, which is one of a single filter: several, for
-- as many keys together, can be made, and have about the same size
SELECT capacity, fpp, condition(format('SELECT bloom_create(%s, %s)', capacity, fpp)) AS one,
	condition(format('SELECT bloom_create(%s, %s)', capacity / 64, fpp)) AS several,
	64.0 * part.bytes / whole.bytes BETWEEN 0.98 AND 1.02 AS same_size
FROM (VALUES (10000000, 1e-13), (64000000, 1e-12), (640000, 5e-15)) v (capacity, fpp),
	bloom_sizing(capacity, fpp) whole, bloom_sizing(capacity / 64, fpp) part;

-- a list has its size whatever the rate, also if no layer could have that
SELECT bloom_sizing(1, 1e-300), bloom_sizing(128, 1e-48);

--
-- bloom_capacity: how many keys fit into so many bytes
--

-- the list ends at 128 keys, of 1,084 bytes; most layers for more are smaller
SELECT b AS bytes, bloom_capacity(b), bloom_capacity(b, 1e-9) AS "1e-9"
FROM unnest(ARRAY[1, 59, 60, 67, 68, 75, 76, 571, 572, 1083, 1084, 2000, 1000000, 536870912,
		9223372036854775807]) b;
-- it fits, and a key more does not; a size that bloom_sizing cannot tell is past any
CREATE FUNCTION bytes_for(n bigint, p float8) RETURNS numeric LANGUAGE plpgsql AS $$ BEGIN
	RETURN (bloom_sizing(n, p)).bytes;
EXCEPTION WHEN numeric_value_out_of_range THEN RETURN 'infinity'; END $$;
CREATE TABLE room AS
SELECT bytes, fpp, bloom_capacity(bytes::bigint, fpp) AS n
FROM (SELECT unnest(ARRAY[1, 59, 60, 61, 67, 68, 69, 123, 124, 125, 187, 188, 189, 571, 572, 573,
			1083, 1084, 1085, 4711, 1000000, 536870912 + 123, 536870912 + 124, 536870912 + 125])
		UNION SELECT 2::numeric ^ s + d FROM generate_series(6, 62, 4) s, unnest(ARRAY[-1, 0, 1]) d
		UNION SELECT 9223372036854775807) b(bytes),
	unnest(ARRAY[0.999999, 0.9, 0.5, 0.1, 0.01, 0.001, 1e-9, 1e-300]::float8[]) fpp;
-- violations: none
SELECT bytes, fpp, n
FROM room
WHERE n IS NOT NULL AND bytes_for(n, fpp) <= bytes IS NOT TRUE OR
	coalesce(n, 0) < 9007199254740991 AND
	bytes_for(coalesce(n, 0) + 1, fpp) > bytes IS NOT TRUE;
SELECT count(*), count(n), min(n), max(n) FROM room;
-- with more bytes never less fit; with NULLs, where none does, below all others
SELECT bool_and(n >= before) AS ascends
FROM (SELECT coalesce(n, 0) AS n,
		lag(coalesce(n, 0), 1, 0::bigint) OVER (PARTITION BY fpp ORDER BY bytes) AS before
	FROM room) s;
-- the largest capacity that there is
SELECT bloom_capacity(9223372036854775807) = n AS largest, n,
	condition(format('SELECT bloom_sizing(%s)', n)) AS is_one,
	condition(format('SELECT bloom_sizing(%s)', n + 1)) AS not_any_more
FROM bloom_capacity(1::bigint << 60) n;
-- the filter itself
SELECT octet_length(bloom_add_all(bloom_create(n), keys(n::int))::bytea) <= 20000 AS fits,
	octet_length(bloom_add_all(bloom_create(n + 1), keys(n::int + 1))::bytea) > 20000 AS not_more
FROM bloom_capacity(20000) n;
DROP TABLE room;
DROP FUNCTION bytes_for;

--
-- Errors
--

-- error: there must be at least a byte
SELECT bloom_capacity(0);
SELECT bloom_capacity(-1, 0.5);
-- error: the rate must be between 0 and 1
SELECT bloom_capacity(1000, 0);
SELECT bloom_capacity(1000, 1);
SELECT bloom_capacity(1000, 'NaN');
SELECT bloom_capacity(NULL) IS NULL AS "null", bloom_capacity(1000, NULL) IS NULL AS fpp;

-- error: the capacity must be at least 1
SELECT bloom_sizing(0);
SELECT counting_bloom_sizing(0);
SELECT cuckoo_sizing(0);
SELECT cuckoo_sizing(-1);
-- error: the rate must be between 0 and 1
SELECT bloom_sizing(100, 0);
SELECT counting_bloom_sizing(100, 0);
SELECT cuckoo_sizing(100, 0);
SELECT bloom_sizing(100, 1);
SELECT counting_bloom_sizing(100, 1);
SELECT cuckoo_sizing(100, 1);
SELECT bloom_sizing(100, 'NaN');
SELECT counting_bloom_sizing(100, 'NaN');
SELECT cuckoo_sizing(100, 'NaN');
-- error: the size is more than a bigint can tell
SELECT bloom_sizing(9007199254740991, 1e-300);
SELECT bloom_sizing(9007199254740991, 1.8e-19);
SELECT counting_bloom_sizing(9007199254740991, 1e-100);
SELECT counting_bloom_sizing(1000000000000, 1e-300);
-- error: fingerprints of 32 bits cannot keep so low a rate
SELECT cuckoo_sizing(100, 1e-9);
SELECT cuckoo_sizing(9007199254740991, 1e-300);
-- NULL in, NULL out
SELECT bloom_sizing(NULL) IS NULL AS bloom, bloom_sizing(1, NULL) IS NULL AS fpp,
	counting_bloom_sizing(NULL) IS NULL AS counting_bloom,
	counting_bloom_sizing(1, NULL) IS NULL AS fpp,
	cuckoo_sizing(NULL) IS NULL AS cuckoo, cuckoo_sizing(1, NULL) IS NULL AS fpp;

DROP TABLE asked;
DROP FUNCTION field, condition, keys;
