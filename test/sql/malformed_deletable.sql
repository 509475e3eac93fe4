--
-- Malformed input of counting_bloom and cuckoo
--
-- As in malformed.sql: any bytes are refused, with SQLSTATE 22P02 (text) or
-- 22P03 (binary), or else they are a filter that answers, changes and prints
-- like every other.
--

CREATE SCHEMA malformed;
SET search_path = malformed, public;
SET client_min_messages = error;	-- not of filters past their capacity
\set SHOW_CONTEXT never
-- An image that is refused is the end of a PL/pgSQL expression that was evaluated without
-- a plan; the next ones have a plan each.  Those are tens of thousands, too many to start a
-- worker or to compile code for each.
SET max_parallel_workers_per_gather = 0;
SET jit = off;

-- the text form is base64 on one line
CREATE FUNCTION base64(image bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT
RETURN replace(encode(image, 'base64'), E'\n', '');

CREATE FUNCTION put(image bytea, at int, field bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN overlay(image PLACING field FROM at + 1);

CREATE FUNCTION flip(image bytea, n int) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN set_byte(image, n / 8, get_byte(image, n / 8) # (1 << n % 8));

-- numbers that look random and are the same in each run
CREATE FUNCTION random_number(i int, below int) RETURNS int
LANGUAGE sql IMMUTABLE STRICT
RETURN mod(hashint8extended(i, 7) & x'7fffffffffffffff'::bigint, below);

-- Would the layer of a filter without keys be huge?  No defect, but slow to try
-- for each of some hundred images.
CREATE FUNCTION opens_huge(key_family text, capacity bigint, fpp float8) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT
RETURN key_family = 'none' AND (capacity BETWEEN 1e5 AND 1e10 OR fpp < 1e-9);

--
-- What is wrong with a filter that was let in?  Clean errors are: its family is
-- not that of the key (42804), there is no place for a key (54000), or it would
-- be too large (54000).
--

CREATE FUNCTION complaint(f counting_bloom) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	before bytea := f::bytea;
	info record := counting_bloom_info(f);
	more bigint[] := ARRAY(SELECT generate_series(1001, 1030)::bigint);
	old bigint[] := ARRAY(SELECT generate_series(1, 20)::bigint);
	g counting_bloom;
BEGIN
	IF f::text::counting_bloom <> f OR f::bytea::counting_bloom <> f THEN
		RETURN 'does not survive a round trip';
	END IF;

	IF info.keys < 0 OR NOT info.current_fpp BETWEEN 0 AND 1 OR
		NOT info.fill BETWEEN 0 AND 1 OR
		info.keys IS DISTINCT FROM counting_bloom_cardinality(f) OR
		info.current_fpp <> counting_bloom_current_fpp(f) THEN
		RETURN 'counting_bloom_info: ' || info;
	END IF;
	IF bloom_cardinality(f::bloom) IS DISTINCT FROM info.keys THEN
		RETURN 'is another filter as bloom';
	END IF;
	g := counting_bloom_union(f, f);
	IF g::text::counting_bloom <> g OR g::bytea::counting_bloom <> g THEN
		RETURN 'its union does not survive a round trip';
	END IF;

	BEGIN
		IF EXISTS (SELECT FROM unnest(old || more) k
				   WHERE counting_bloom_contains(f, k) <>
					   (coalesce(counting_bloom_count(f, k), 15) > 0)
					   OR counting_bloom_contains(f, k) <> bloom_contains(f::bloom, k)) OR
			counting_bloom_contains_any(f, more) IS DISTINCT FROM
				(SELECT bool_or(f @> k) FROM unnest(more) k) OR
			counting_bloom_contains_all(f, old) IS DISTINCT FROM
				(SELECT bool_and(f @> k) FROM unnest(old) k) THEN
			RETURN 'contradicts itself';
		END IF;

		IF opens_huge(info.key_family, info.capacity, info.target_fpp) THEN
			RETURN NULL;
		END IF;
		g := counting_bloom_add_all(counting_bloom_add(f, 1000), more);
		IF NOT (g @> 1000) OR NOT counting_bloom_contains_all(g, more) THEN
			RETURN 'loses keys that are added';
		END IF;
		IF g::text::counting_bloom <> g OR g::bytea::counting_bloom <> g THEN
			RETURN 'does not survive a round trip after adding';
		END IF;
		g := counting_bloom_remove(counting_bloom_remove_all(g, more || old), 1000);
		IF g::text::counting_bloom <> g OR g::bytea::counting_bloom <> g THEN
			RETURN 'does not survive a round trip after removing';
		END IF;
	EXCEPTION
		WHEN datatype_mismatch THEN
			IF info.key_family = 'number' THEN
				RETURN 'wrong family';
			END IF;
		WHEN program_limit_exceeded THEN
			IF info.key_family <> 'none' THEN
				RETURN 'is too large';
			END IF;
	END;

	IF f::bytea <> before THEN
		RETURN 'was written to';
	END IF;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

CREATE FUNCTION complaint(f cuckoo) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	before bytea := f::bytea;
	info record := cuckoo_info(f);
	more bigint[] := ARRAY(SELECT generate_series(1001, 1030)::bigint);
	old bigint[] := ARRAY(SELECT generate_series(1, 20)::bigint);
	g cuckoo;
BEGIN
	IF f::text::cuckoo <> f OR f::bytea::cuckoo <> f THEN
		RETURN 'does not survive a round trip';
	END IF;

	IF info.keys < 0 OR NOT info.current_fpp BETWEEN 0 AND 1 OR
		info.keys IS DISTINCT FROM cuckoo_cardinality(f) OR
		info.current_fpp <> cuckoo_current_fpp(f) THEN
		RETURN 'cuckoo_info: ' || info;
	END IF;

	BEGIN
		IF EXISTS (SELECT FROM unnest(old || more) k
				   WHERE cuckoo_contains(f, k) <> (cuckoo_count(f, k) > 0)
					   OR cuckoo_count(f, k) NOT BETWEEN 0 AND 8) OR
			cuckoo_contains_any(f, more) IS DISTINCT FROM
				(SELECT bool_or(f @> k) FROM unnest(more) k) OR
			cuckoo_contains_all(f, old) IS DISTINCT FROM
				(SELECT bool_and(f @> k) FROM unnest(old) k) THEN
			RETURN 'contradicts itself';
		END IF;

		IF opens_huge(info.key_family, info.capacity, info.target_fpp) THEN
			RETURN NULL;
		END IF;

		-- as many as find a place
		g := f;
		FOR i IN 1 .. cardinality(more) LOOP
			BEGIN
				g := cuckoo_add(g, more[i]);
			EXCEPTION WHEN program_limit_exceeded THEN
				EXIT;
			END;
			IF NOT cuckoo_contains_all(g, more[1 : i]) THEN
				RETURN 'loses keys that are added';
			END IF;
			IF cuckoo_cardinality(g) <> info.keys + i THEN
				RETURN 'miscounts keys that are added';
			END IF;
		END LOOP;
		IF g::text::cuckoo <> g OR g::bytea::cuckoo <> g THEN
			RETURN 'does not survive a round trip after adding';
		END IF;
		g := cuckoo_remove(cuckoo_remove_all(g, more || old), 1000);
		IF g::text::cuckoo <> g OR g::bytea::cuckoo <> g THEN
			RETURN 'does not survive a round trip after removing';
		END IF;
	EXCEPTION WHEN datatype_mismatch THEN
		IF info.key_family = 'number' THEN
			RETURN 'wrong family';
		END IF;
	END;

	IF f::bytea <> before THEN
		RETURN 'was written to';
	END IF;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- 'refused', 'accepted', or what is wrong
CREATE FUNCTION verdict(type text, image bytea) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	c counting_bloom;
	f cuckoo;
	written bytea;
BEGIN
	IF type = 'cuckoo' THEN
		f := image::cuckoo;
		written := f::bytea;
	ELSE
		c := image::counting_bloom;
		written := c::bytea;
	END IF;
	IF written <> image THEN
		RETURN 'other bytes';
	END IF;
	RETURN coalesce(CASE type WHEN 'cuckoo' THEN complaint(f) ELSE complaint(c) END,
					'accepted');
EXCEPTION
	WHEN invalid_binary_representation THEN RETURN 'refused';
	WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- the same by the other way in; what is accepted was seen to be right above
CREATE FUNCTION verdict(type text, input text) RETURNS text
LANGUAGE plpgsql AS
$$
BEGIN
	IF (CASE type WHEN 'cuckoo' THEN input::cuckoo::text
		ELSE input::counting_bloom::text END) <> input THEN
		RETURN 'other text';
	END IF;
	RETURN 'accepted';
EXCEPTION
	WHEN invalid_text_representation THEN RETURN 'refused';
	WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- the detail of the error
CREATE FUNCTION reason(type text, image bytea) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	RETURN 'accepted' || coalesce(': ' || CASE type
		WHEN 'cuckoo' THEN complaint(image::cuckoo)
		ELSE complaint(image::counting_bloom) END, '');
EXCEPTION WHEN invalid_binary_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END
$$;

--
-- Small images, as they should be: a counter at its maximum, a key twice
--

CREATE TABLE sample (name text COLLATE "C", type text COLLATE "C", image bytea);
INSERT INTO sample VALUES
	('counting, no key', 'counting_bloom', counting_bloom_create(10)::bytea),
	('counting', 'counting_bloom',
		(SELECT counting_bloom_agg(CASE WHEN i <= 20 THEN i ELSE 1 END, 0.5)
		 FROM generate_series(1, 40) i)::bytea),
	('cuckoo, no key', 'cuckoo', cuckoo_create(10)::bytea),
	('cuckoo', 'cuckoo',
		cuckoo_add_all(cuckoo_create(20, 0.05),
					   ARRAY(SELECT generate_series(1, 20)) || 1)::bytea);

SELECT name, length(image), verdict(type, image) AS bytea,
	verdict(type, base64(image)) AS text
FROM sample ORDER BY name;

SELECT key_family, capacity, probes, counters, bytes, keys, saturated
FROM sample, counting_bloom_info(image::counting_bloom) WHERE name = 'counting';
SELECT key_family, capacity, fingerprint_bits, buckets, bytes, keys, saturated
FROM sample, cuckoo_info(image::cuckoo) WHERE name = 'cuckoo';

--
-- Of another type
--

CREATE FUNCTION type_verdict(input anyelement, type text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	EXECUTE format('SELECT $1::%s', type) USING input;
	RETURN 'accepted';
EXCEPTION WHEN invalid_binary_representation OR invalid_text_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || detail;
END
$$;

SELECT name, t AS type, type_verdict(image, t) AS bytea,
	type_verdict(base64(image), t) AS text
FROM (SELECT * FROM sample
	  UNION ALL
	  VALUES ('bloom, no key', 'bloom', bloom_create(10)::bytea),
		  ('bloom, list', 'bloom', bloom_add(bloom_create(10), 1)::bytea),
		  ('bloom, layer', 'bloom',
		   (SELECT bloom_agg(i) FROM generate_series(1, 200) i)::bytea)) i,
	unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']) t
ORDER BY name, t;

-- nor when their first byte says so
SELECT name, t AS type, type_verdict(put(image, 0, kind), t)
FROM sample, (VALUES ('bloom', '\x01'::bytea), ('counting_bloom', '\x02'),
			  ('cuckoo', '\x03')) k (t, kind)
WHERE name IN ('counting', 'cuckoo')
ORDER BY name, t;

--
-- Truncations and extensions
--

SELECT name, v.*, count(*)
FROM sample, generate_series(0, length(image) - 1) n,
	LATERAL (SELECT verdict(type, substr(image, 1, n)) AS bytea,
				 verdict(type, base64(substr(image, 1, n))) AS text,
				 verdict(type, left(base64(image), n)) AS of_text) v
GROUP BY name, v.bytea, v.text, v.of_text
ORDER BY name, count;

SELECT name, v.*, count(*)
FROM sample, unnest(ARRAY['\x00', '\xff', '\x0000000000000000',
						  decode(repeat('00', 256), 'hex'), image]) tail,
	LATERAL (SELECT verdict(type, image || tail) AS bytea,
				 verdict(type, base64(image || tail)) AS text) v
GROUP BY name, v.bytea, v.text
ORDER BY name, count;

--
-- Bits flipped: each one of the heads and of the buckets, of the counters some
-- hundred; and as many pairs
--

CREATE TABLE flipped AS
	SELECT name, type, flip(image, n) AS image, n, NULL::int AS m
	FROM sample, generate_series(0, length(image) * 8 - 1) n
	WHERE n < 124 * 8 OR name <> 'counting' OR random_number(n, 100) < 20
	UNION ALL
	SELECT name, type, flip(flip(image, n), m), n, m
	FROM sample, generate_series(1, 400) i,
		LATERAL (SELECT random_number(2 * i, length(image) * 8) AS n,
					 random_number(2 * i + 1, length(image) * 8) AS m) r
	WHERE n <> m;

ALTER TABLE flipped ADD bytea text, ADD text text;
UPDATE flipped SET bytea = verdict(type, image), text = verdict(type, base64(image));

-- violations: none
SELECT name, n, m, bytea, text FROM flipped
WHERE bytea NOT IN ('refused', 'accepted') OR bytea <> text
ORDER BY name, n, m;

SELECT name, m IS NOT NULL AS pairs, count(*),
	count(*) FILTER (WHERE bytea = 'accepted') AS accepted
FROM flipped
GROUP BY name, pairs
ORDER BY name, pairs;

-- what is accepted is the value of a field that nothing else depends on, a
-- counter that stays above zero, a fingerprint that does
SELECT name, CASE WHEN n < 480 THEN n / 8 ELSE 60 + (n - 480) / 32 * 4 END AS at,
	count(*)
FROM flipped
WHERE bytea = 'accepted' AND m IS NULL AND n < 124 * 8
GROUP BY name, at
ORDER BY name, at;

--
-- Forged fields: the reason is told
--

SELECT what, reason('counting_bloom', put(image, at, field))
FROM (SELECT image FROM sample WHERE name = 'counting') s, (VALUES
	(1, 'version 2', 1, '\x02'::bytea),
	(2, 'growth 2', 5, '\x02'),
	(3, 'intersection', 6, '\x0100'),
	(4, 'flag 2', 6, '\x0200'),
	(5, 'family none', 8, '\x0000'),
	(6, 'a list and a layer', 10, '\x0100'),
	(7, 'a list, no layer', 10, '\x01000000'),
	(8, 'no layer', 12, '\x0000'),
	(9, 'two layers', 12, '\x0200'),
	(10, '65535 layers', 12, '\xffff'),
	(11, '0 blocks', 60, '\x00000000'),
	(12, '4 times the blocks', 60, '\x04000000'),
	(13, '129 blocks', 60, '\x81000000'),
	(14, '2^21 blocks', 60, '\x00002000'),
	(15, '2^21 + 2^15 blocks', 60, '\x00802000'),
	(16, '2^23 blocks', 60, '\x00008000'),
	(17, '2^24 blocks: 2^32 bytes', 60, '\x00000001'),
	(18, '2^32 - 1 blocks', 60, '\xffffffff'),
	(19, '0 probes', 64, '\x00'),
	(20, '24 probes', 64, '\x18'),
	(21, '25 probes', 64, '\x19'),
	(22, 'reserved field', 65, '\x01'),
	(23, 'capacity 0', 68, '\x0000000000000000'),
	(24, 'capacity 2^63 - 1', 68, '\xffffffffffffff7f'),
	(25, 'capacity -1', 68, '\xffffffffffffffff'),
	(26, 'fpp 1', 76, '\x000000000000f03f'),
	(27, 'fpp not a number', 76, '\x000000000000f87f'),
	(28, 'full at 0', 84, '\x0000000000000000'),
	(29, 'full at all counters', 84, '\x0002000000000000'),
	(30, '0 counters above zero', 92, '\x0000000000000000'),
	(31, '1 counter above zero', 92, '\x0100000000000000'),
	(32, '512 counters above zero', 92, '\x0002000000000000'),
	(33, '513 counters above zero', 92, '\x0102000000000000'),
	(34, 'other reserved field', 123, '\x01'),
	(35, 'no counter above zero', 124, decode(repeat('00', 256), 'hex')),
	(36, 'all counters at 1', 124, decode(repeat('11', 256), 'hex')),
	(37, 'all counters at 1, and counted', 92,
		'\x0002000000000000' || decode(repeat('00', 24) || repeat('11', 256), 'hex')),
	(38, 'all counters at 15, and counted', 92,
		'\x0002000000000000' || decode(repeat('00', 24) || repeat('ff', 256), 'hex')),
	(39, 'none, and counted', 92,
		'\x0000000000000000' || decode(repeat('00', 24) || repeat('00', 256), 'hex')))
	AS forged (no, what, at, field)
ORDER BY no;

SELECT what, reason('cuckoo', put(image, at, field))
FROM (SELECT image FROM sample WHERE name = 'cuckoo') s, (VALUES
	(1, 'growth 2', 5, '\x02'::bytea),
	(2, 'intersection', 6, '\x0100'),
	(3, 'family none', 8, '\x0000'),
	(4, 'a list and a layer', 10, '\x0100'),
	(5, 'a list, no layer', 10, '\x01000000'),
	(6, 'no layer', 12, '\x0000'),
	(7, 'two layers', 12, '\x0200'),
	(8, '0 buckets', 60, '\x00000000'),
	(9, '1 bucket', 60, '\x01000000'),
	(10, '2 buckets', 60, '\x02000000'),
	(11, '13 buckets', 60, '\x0d000000'),
	(12, '16 buckets', 60, '\x10000000'),
	(13, '2^25 buckets', 60, '\x00000002'),
	(14, '2^27 buckets', 60, '\x00000008'),
	(15, '2^28 buckets: 2^30 bytes', 60, '\x00000010'),
	(16, '2^30 buckets: 2^32 bytes', 60, '\x00000040'),
	(17, '2^31 buckets', 60, '\x00000080'),
	(18, '2^32 - 2 buckets', 60, '\xfeffffff'),
	(19, '2^32 - 1 buckets', 60, '\xffffffff'),
	(20, '0 bits', 64, '\x00'),
	(21, '1 bit', 64, '\x01'),
	(22, '7 bits', 64, '\x07'),
	(23, '9 bits', 64, '\x09'),
	(24, '32 bits', 64, '\x20'),
	(25, '33 bits', 64, '\x21'),
	(26, '255 bits', 64, '\xff'),
	(27, 'reserved field', 65, '\x01'),
	(28, 'capacity 0', 68, '\x0000000000000000'),
	(29, 'capacity 1', 68, '\x0100000000000000'),
	(30, 'fpp 0', 76, '\x0000000000000000'),
	(31, 'fpp infinite', 76, '\x000000000000f07f'),
	(32, 'full at 1', 84, '\x0100000000000000'),
	(33, '0 fingerprints', 92, '\x0000000000000000'),
	(34, '20 fingerprints', 92, '\x1400000000000000'),
	(35, '21 fingerprints', 92, '\x1500000000000000'),
	(36, '22 fingerprints', 92, '\x1600000000000000'),
	(37, '2^64 - 1 fingerprints', 92, '\xffffffffffffffff'),
	(38, 'other reserved field', 100, '\x01'),
	(39, 'empty buckets', 124, decode(repeat('00', 8), 'hex')),
	(40, 'a hole', 124, '\x00ff'))
	AS forged (no, what, at, field)
ORDER BY no;

--
-- Buckets made by hand: two of eight bits, the first bucket's places first
--

CREATE FUNCTION buckets(nbuckets int, bits int, nstored int, places bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT put(put(put(substr(image, 1, 124), 60, set_byte('\x00000000', 0, nbuckets)),
				   64, set_byte('\x00', 0, bits)),
			   92, set_byte('\x0000000000000000', 0, nstored)) || places
	FROM sample WHERE name = 'cuckoo';
$$;

SELECT what, reason('cuckoo', buckets(nbuckets, bits, nstored, places))
FROM (VALUES
	(1, 'one fingerprint', 2, 8, 1, '\x0100000000000000'::bytea),
	(2, 'one in the second bucket', 2, 8, 1, '\x0000000001000000'),
	(3, 'eight', 2, 8, 8, '\x0102030405060708'),
	(4, 'eight copies', 2, 8, 8, '\xffffffffffffffff'),
	(5, 'nine said', 2, 8, 9, '\x0102030405060708'),
	(6, 'seven said', 2, 8, 7, '\x0102030405060708'),
	(7, 'none', 2, 8, 0, '\x0000000000000000'),
	(8, 'none, one said', 2, 8, 1, '\x0000000000000000'),
	(9, 'a hole', 2, 8, 1, '\x0001000000000000'),
	(10, 'a hole in the second', 2, 8, 3, '\x0100000001000100'),
	(11, 'three, a hole', 2, 8, 3, '\x0102000400000000'),
	(12, 'sixteen fingerprints of one bit', 4, 1, 16, '\xffff000000000000'),
	(13, 'padding', 4, 1, 16, '\xffff010000000000'),
	(14, 'padding, the last bit', 4, 1, 16, '\xffff000000000080'),
	(15, 'padding too short', 4, 1, 16, '\xffff'),
	(16, 'padding too long', 4, 1, 16, '\xffff0000000000000000000000000000'),
	(17, '32 bits', 2, 32, 8, decode(repeat('ffffffff', 8), 'hex')),
	(18, '32 bits, one hole', 2, 32, 7,
		decode('00000000' || repeat('ffffffff', 7), 'hex')),
	(19, '33 bits', 2, 33, 8, decode(repeat('ffffffff', 10), 'hex')),
	(20, 'an odd number of buckets', 3, 8, 1, '\x01000000000000000000000000000000'))
	AS made (no, what, nbuckets, bits, nstored, places)
ORDER BY no;

-- in a filter made by hand keys are found by their fingerprints, and go
SELECT f @> 1 AS contains, cuckoo_count(f, 1), cuckoo_cardinality(f),
	cuckoo_cardinality(cuckoo_remove(f, 1)) AS removed
FROM (SELECT buckets(2, 1, 8, '\xff00000000000000')::cuckoo AS f) v;

--
-- Little that claims much, and much that is nothing
--

SELECT type, length(b), reason(type, b)
FROM unnest(ARRAY['counting_bloom', 'cuckoo']) type, unnest(ARRAY[
	'', '\x02', '\x03', '\x0201013c4000', '\x0301013c4000',
	decode(repeat('ff', 60), 'hex'), decode(repeat('00', 60), 'hex'),
	decode(repeat('02', 1000000), 'hex'), decode(repeat('03', 1000000), 'hex')]) b
ORDER BY type COLLATE "C", length(b), b;

SELECT type, verdict(type, repeat('A', 1000000)), verdict(type, repeat('AgEB', 1000000)),
	verdict(type, repeat('AwEB', 1000000)), verdict(type, repeat(' ', 1000000))
FROM unnest(ARRAY['counting_bloom', 'cuckoo']) type;

--
-- The errors as they are seen
--

-- error: no bytes are no filter
SELECT ''::counting_bloom;
-- error: this is not base64
SELECT 'hello'::cuckoo;
-- error: this is base64 of something else
SELECT 'aGVsbG8gd29ybGQ='::counting_bloom;
-- error: these are not the bytes of a filter
SELECT '\x0301013c4000'::bytea::cuckoo;
-- error: the bytes are those of a filter of another type
SELECT bloom_create(10)::bytea::cuckoo;
SELECT cuckoo_create(10)::text::counting_bloom;

-- no cast skips the checks: text is not assigned to a column, bytea neither
CREATE TABLE kept (c counting_bloom, f cuckoo);
-- error: neither text nor bytea becomes a filter without a cast
INSERT INTO kept (c) SELECT base64(image) FROM sample;
INSERT INTO kept (f) SELECT image FROM sample;

SET client_min_messages = warning;
DROP SCHEMA malformed CASCADE;
