--
-- Malformed input
--
-- What comes from outside may be any bytes.  They are refused, with SQLSTATE
-- 22P02 (text) or 22P03 (binary), or else they are a filter that answers,
-- grows and prints like every other.
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

-- fields of an image are little-endian
CREATE FUNCTION get(image bytea, at int, nbytes int) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT sum(get_byte(image, at + i) * 256::numeric ^ i)
	FROM generate_series(0, nbytes - 1) i;
$$;

CREATE FUNCTION put(image bytea, at int, field bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN overlay(image PLACING field FROM at + 1);

CREATE FUNCTION flip(image bytea, n int) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN set_byte(image, n / 8, get_byte(image, n / 8) # (1 << n % 8));

-- Would the first layer of this filter be huge, as its capacity asks for?  No
-- defect, but slow to try for each of a thousand images.
CREATE FUNCTION grows_huge(f bloom) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT
RETURN get(f::bytea, 12, 2) = 0 AND get(f::bytea, 28, 8) BETWEEN 1e6 AND 1e11;

-- one block of a few keys, to compare with
CREATE TABLE other AS SELECT bloom_agg(i, 129, 0.9) AS f FROM generate_series(1, 129) i;

-- What is wrong with a filter that was let in?  Clean errors are: its family
-- is not that of the key (42804), it would grow past the limits (54000).
CREATE FUNCTION complaint(f bloom) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	before bytea := f::bytea;
	info record := bloom_info(f);
	more bigint[] := ARRAY(SELECT generate_series(1001, 1300)::bigint);
	numbers bloom := (SELECT o.f FROM other o);
	overlap record;
	g bloom;
BEGIN
	IF f::text::bloom <> f OR f::bytea::bloom <> f THEN
		RETURN 'does not survive a round trip';
	END IF;

	IF info.keys < 0 OR NOT info.current_fpp BETWEEN 0 AND 1 OR
		NOT info.fill BETWEEN 0 AND 1 OR
		info.keys IS DISTINCT FROM bloom_cardinality(f) OR
		info.current_fpp <> bloom_current_fpp(f) THEN
		RETURN 'bloom_info: ' || info;
	END IF;

	BEGIN
		PERFORM bloom_contains(f, k) FROM generate_series(1, 20) k;
		PERFORM bloom_contains_any(f, more), bloom_contains_all(f, more);
		PERFORM bloom_missing(f, more), f && numbers, numbers && f;
		FOR overlap IN SELECT o.* FROM (VALUES (f), (numbers)) v(x), bloom_overlap(f, x) o LOOP
			IF overlap.keys_a IS DISTINCT FROM info.keys OR
				NOT overlap.keys_both BETWEEN 0 AND least(overlap.keys_a, overlap.keys_b) OR
				NOT overlap.standard_error BETWEEN 0 AND 1000000 THEN
				RETURN 'bloom_overlap: ' || overlap;
			END IF;
		END LOOP;
	EXCEPTION WHEN datatype_mismatch THEN
		IF info.key_family = 'number' THEN
			RETURN 'wrong family';
		END IF;
	END;

	IF NOT grows_huge(f) THEN
		BEGIN
			g := bloom_add(f, 1000);
			IF NOT bloom_contains(g, 1000) THEN
				RETURN 'loses a key that is added';
			END IF;
			g := bloom_add_all(f, more);
			IF NOT bloom_contains_all(g, more) THEN
				RETURN 'loses keys that are added';
			END IF;
			IF g::text::bloom <> g OR g::bytea::bloom <> g THEN
				RETURN 'does not survive a round trip after growing';
			END IF;
		EXCEPTION WHEN datatype_mismatch OR program_limit_exceeded THEN
		END;
	END IF;

	IF f::bytea <> before THEN
		RETURN 'was written to';
	END IF;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- 'refused', 'accepted', or what is wrong
CREATE FUNCTION verdict(image bytea) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	f bloom;
BEGIN
	f := image::bloom;
	IF f::bytea <> image THEN
		RETURN 'other bytes';
	END IF;
	RETURN coalesce(complaint(f), 'accepted');
EXCEPTION
	WHEN invalid_binary_representation THEN RETURN 'refused';
	WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

CREATE FUNCTION verdict(input text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	f bloom;
BEGIN
	f := input::bloom;
	IF f::text <> input THEN
		RETURN 'other text';
	END IF;
	RETURN coalesce(complaint(f), 'accepted');
EXCEPTION
	WHEN invalid_text_representation THEN RETURN 'refused';
	WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

--
-- Four small images, as they should be
--

CREATE TABLE sample (name text COLLATE "C", image bytea);
INSERT INTO sample VALUES
	('no key', bloom_create(10)::bytea),
	('list', bloom_add_all(bloom_create(10), ARRAY[1, 2, 3])::bytea),
	('one block', bloom_add_all(bloom_create(129, 0.5, 0),
								ARRAY(SELECT generate_series(1, 129)))::bytea),
	('two layers', bloom_add_all(bloom_create(1, 0.5, 1),
								 ARRAY(SELECT generate_series(1, 160)))::bytea);

SELECT name, length(image), (i).layers, (i).bits,
	verdict(image) AS bytea, verdict(base64(image)) AS text
FROM sample, bloom_info(image::bloom) i
ORDER BY length;

--
-- Every truncation of the bytes, of the bytes as text, and of the text
--

SELECT name, count(*) AS truncations, v.*
FROM sample, generate_series(0, length(image) - 1) n,
	LATERAL (SELECT verdict(substr(image, 1, n)) AS bytea,
				 verdict(base64(substr(image, 1, n))) AS text) v
GROUP BY name, v.bytea, v.text
ORDER BY truncations, v.bytea, v.text;

SELECT name, count(*) AS truncations, v AS text
FROM sample, generate_series(0, length(base64(image)) - 1) n,
	verdict(left(base64(image), n)) v
GROUP BY name, v
ORDER BY truncations, v;

--
-- Trailing bytes, trailing characters
--

SELECT name, count(*) AS extensions, v.*
FROM sample, unnest(ARRAY['\x00', '\xff', '\x0000000000000000',
						  decode(repeat('00', 64), 'hex'), image]) tail,
	LATERAL (SELECT verdict(image || tail) AS bytea,
				 verdict(base64(image || tail)) AS text) v
GROUP BY name, v.bytea, v.text
ORDER BY name, v.bytea, v.text;

SELECT name, count(*) AS extensions, v AS text
FROM sample, unnest(ARRAY['A', '=', '==', 'AAAA', '====', '-', '_', ' ', E'\n']) tail,
	verdict(base64(image) || tail) v
GROUP BY name, v
ORDER BY name, v;

--
-- Every flip of one bit of the bytes
--

-- names of the fields of an image, by byte
CREATE FUNCTION field_name(image bytea, at int) RETURNS text
LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT CASE
		WHEN at < 60 THEN
			(ARRAY['kind', 'format version', 'hash scheme', 'header length',
				   'layer record length', 'growth', 'flags', 'flags',
				   'family', 'family', 'number of hashes', 'number of hashes',
				   'number of layers', 'number of layers',
				   'reserved', 'reserved'] ||
			 array_fill('subtype'::text, ARRAY[4]) ||
			 array_fill('salt'::text, ARRAY[8]) ||
			 array_fill('capacity'::text, ARRAY[8]) ||
			 array_fill('fpp'::text, ARRAY[8]) ||
			 array_fill('reserved'::text, ARRAY[16]))[at + 1]
		WHEN get(image, 12, 2) = 0 THEN 'list'
		WHEN at >= 60 + 64 * get(image, 12, 2) THEN 'blocks'
		ELSE 'layer: ' ||
			(ARRAY['blocks', 'probes', 'capacity', 'capacity', 'fpp', 'fpp',
				   'full at', 'full at', 'bits set', 'bits set'] ||
			 array_fill('reserved'::text, ARRAY[6]))[(at - 60) % 64 / 4 + 1]
		END;
$$;

CREATE TABLE flipped AS
	SELECT name, n, field_name(image, n / 8) AS field,
		verdict(flip(image, n)) AS bytea,
		verdict(base64(flip(image, n))) AS text
	FROM sample, generate_series(0, length(image) * 8 - 1) n;

-- violations: none
SELECT * FROM flipped
WHERE bytea NOT IN ('refused', 'accepted') OR bytea <> text
ORDER BY name, n;

SELECT name, count(*) AS flips,
	count(*) FILTER (WHERE bytea = 'accepted') AS accepted
FROM flipped
GROUP BY name
ORDER BY flips;

-- what is accepted is the value of a field that nothing else depends on
SELECT field,
	count(*) FILTER (WHERE name = 'no key') AS no_key,
	count(*) FILTER (WHERE name = 'list') AS list,
	count(*) FILTER (WHERE name = 'one block') AS one_block,
	count(*) FILTER (WHERE name = 'two layers') AS two_layers
FROM flipped
WHERE bytea = 'accepted'
GROUP BY field
ORDER BY min(n);

-- of these, only the family, the hashes and the number of probes decide which
-- keys are in the filter: with any other field changed, none is lost
SELECT field, count(*)
FROM flipped JOIN sample USING (name)
WHERE bytea = 'accepted'
	AND field NOT IN ('family', 'list', 'layer: probes')
	AND NOT bloom_contains_all(flip(image, n)::bloom,
							   ARRAY(SELECT generate_series(1, CASE name
									WHEN 'list' THEN 3
									WHEN 'one block' THEN 129
									WHEN 'two layers' THEN 160
									ELSE 0 END)))
GROUP BY field;

-- every flip of one bit of the characters: they are seven bits each
SELECT name, count(*) AS flips,
	count(*) FILTER (WHERE v = 'accepted') AS accepted,
	count(*) FILTER (WHERE v NOT IN ('refused', 'accepted', 'other text')) AS wrong
FROM sample, base64(image) t, generate_series(0, length(t) * 7 - 1) n,
	LATERAL (SELECT ascii(substr(t, n / 7 + 1, 1)) # (1 << n % 7) AS c) c,
	verdict(overlay(t PLACING chr(c) FROM n / 7 + 1)) v
WHERE c <> 0
GROUP BY name
ORDER BY flips;

--
-- Forged fields: the reason is told
--

-- the detail of the error
CREATE FUNCTION reason(image bytea) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	RETURN 'accepted' || coalesce(': ' || complaint(image::bloom), '');
EXCEPTION WHEN invalid_binary_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END
$$;

-- the header; where several things are wrong the first is told
SELECT what, reason(put(image, at, field))
FROM (SELECT image FROM sample WHERE name = 'list') l, (VALUES
	(1, 'kind 0', 0, '\x00'::bytea),
	(2, 'kind 2', 0, '\x02'),
	(3, 'version 0', 1, '\x00'),
	(4, 'version 2', 1, '\x02'),
	(5, 'scheme 2', 2, '\x02'),
	(6, 'header of 64 bytes', 3, '\x40'),
	(7, 'layer record of 0 bytes', 4, '\x00'),
	(8, 'growth 101', 5, '\x65'),
	(9, 'flag 2', 6, '\x0200'),
	(10, 'flag 0x8000', 6, '\x0080'),
	(11, 'family 17', 8, '\x1100'),
	(12, 'family 258', 8, '\x0201'),
	(13, 'family none', 8, '\x0000'),
	(14, 'subtype of numbers', 16, '\x01000000'),
	(15, 'salt', 20, '\x0000000000000001'),
	(16, 'capacity 0', 28, '\x0000000000000000'),
	(17, 'capacity -1', 28, '\xffffffffffffffff'),
	(18, 'fpp 0', 36, '\x0000000000000000'),
	(19, 'fpp -0', 36, '\x0000000000000080'),
	(20, 'fpp 1', 36, '\x000000000000f03f'),
	(21, 'fpp -0.5', 36, '\x000000000000e0bf'),
	(22, 'fpp infinite', 36, '\x000000000000f07f'),
	(23, 'fpp not a number', 36, '\x000000000000f87f'),
	(24, 'fpp a signalling NaN', 36, '\x010000000000f0ff'),
	(25, 'reserved field', 14, '\x0001'),
	(26, 'other reserved field', 59, '\x01'),
	(27, '0 hashes for 3', 10, '\x0000'),
	(28, '2 hashes for 3', 10, '\x0200'),
	(29, '4 hashes for 3', 10, '\x0400'),
	(30, '128 hashes for 3', 10, '\x8000'),
	(31, '129 hashes', 10, '\x8100'),
	(32, '65535 hashes', 10, '\xffff'),
	(33, 'a list and a layer', 12, '\x0100'),
	(34, 'no list, 64 layers', 10, '\x00004000'),
	(35, 'no list, 65 layers', 10, '\x00004100'),
	(36, 'no list, 65535 layers', 10, '\x0000ffff'))
	AS forged (no, what, at, field)
ORDER BY no;

-- the list
SELECT what, reason(forged)
FROM (SELECT image, substr(image, 61, 8) AS h1, substr(image, 69, 8) AS h2,
		  substr(image, 77, 8) AS h3
	  FROM sample WHERE name = 'list') l, LATERAL (VALUES
	(1, 'as it was', put(image, 60, h1 || h2 || h3)),
	(2, 'first two exchanged', put(image, 60, h2 || h1 || h3)),
	(3, 'last two exchanged', put(image, 60, h1 || h3 || h2)),
	(4, 'a hash twice', put(image, 60, h1 || h1 || h3)),
	(5, 'the last hash twice', put(image, 60, h1 || h3 || h3)),
	-- ascending as bytes or as signed numbers is not ascending
	(6, 'smallest and largest', put(image, 60,
		'\x0000000000000000ff00000000000000ffffffffffffffff')),
	(7, 'big-endian order', put(image, 60,
		'\x000000000000000100000000000001000000000000010000')),
	(8, 'signed order', put(image, 60,
		'\x000000000000008000000000000000000100000000000000')),
	(9, '129 hashes', put(image, 10, '\x8100') ||
		(SELECT string_agg(decode(lpad(to_hex(n), 2, '0') || 'ffffffffffffff', 'hex'),
						   '' ORDER BY n)
		 FROM generate_series(1, 126) n)))
	AS forged (no, what, forged)
ORDER BY no;

-- the layer records; the first layer is at 60, the second at 124
SELECT what, reason(put(image, at, field))
FROM (SELECT image FROM sample WHERE name = 'two layers') l, LATERAL (VALUES
	(1, 'family none', 8, '\x0000'::bytea),
	(2, 'a list and two layers', 10, '\x0100'),
	(3, 'one layer for two', 12, '\x0100'),
	(4, 'three layers for two', 12, '\x0300'),
	(5, 'no layer for two', 12, '\x0000'),
	(6, '0 blocks', 60, '\x00000000'),
	(7, '2 blocks for 1', 60, '\x02000000'),
	(8, '127 blocks for 1', 124, '\x7f000000'),
	(9, '129 blocks', 60, '\x81000000'),
	(10, '2^23 blocks for 1', 60, '\x00008000'),
	(11, '2^23 + 2^17 blocks for 1', 60, '\x00008200'),
	(12, '2^32 - 1 blocks for 1', 124, '\xffffffff'),
	(13, '0 probes', 64, '\x00'),
	(14, '25 probes', 128, '\x19'),
	(15, '255 probes', 128, '\xff'),
	(16, 'capacity 0', 68, '\x0000000000000000'),
	(17, 'capacity -1', 132, '\xffffffffffffffff'),
	(18, 'fpp 0', 76, '\x0000000000000000'),
	(19, 'fpp 1', 140, '\x000000000000f03f'),
	(20, 'fpp not a number', 140, '\x000000000000f8ff'),
	(21, 'full at 512 bits of 512', 84, '\x0002000000000000'),
	(22, 'full at 2^64 - 1', 148, '\xffffffffffffffff'),
	(23, '513 bits set of 512', 92, '\x0102000000000000'),
	(24, '0 bits set', 92, '\x0000000000000000'),
	(25, '512 bits set', 156, '\x0002000000000000'),
	(26, 'reserved field', 65, '\x01'),
	(27, 'other reserved field', 187, '\x01'),
	(28, 'bits moved from layer to layer', 188,
		substr(image, 253, 64) || substr(image, 189, 64)),
	(29, 'empty blocks', 188, decode(repeat('00', 128), 'hex')))
	AS forged (no, what, at, field)
ORDER BY no;

-- layers that are right one by one, but too many or too large together, and
-- lengths that would overflow 32 bits
CREATE FUNCTION layered(nlayers int, nblocks bytea, stored int) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT AS
$$
	SELECT put(substr(image, 1, 60), 12, decode(lpad(to_hex(nlayers), 2, '0'), 'hex')) ||
		decode(repeat(encode(put(put(substr(image, 61, 64), 0, nblocks),
								 32, '\x0000000000000000'), 'hex'), nlayers), 'hex') ||
		decode(repeat('00', 64 * stored), 'hex')
	FROM sample WHERE name = 'one block';
$$;

SELECT nlayers, nblocks, stored, reason(layered(nlayers, nblocks, stored))
FROM (VALUES
	(1, '\x01000000'::bytea, 1), (64, '\x01000000', 64), (65, '\x01000000', 65),
	(1, '\x7f000000', 127), (1, '\x80000000', 128), (1, '\x81000000', 129),
	(1, '\x82000000', 130), (1, '\x00008000', 0), (2, '\x00004000', 0),
	(2, '\x00008000', 0), (8, '\x00008000', 0), (64, '\x00008000', 0))
	AS forged (nlayers, nblocks, stored)
ORDER BY nlayers, nblocks;

-- little that claims much, and much that is nothing
SELECT length(b), reason(b)
FROM (VALUES (''::bytea), ('\x01'), ('\x0101013c40ff'),
	(layered(64, '\x00008000', 0)), (layered(1, '\x00008000', 0)),
	(decode(repeat('ff', 60), 'hex')), (decode(repeat('00', 60), 'hex')),
	(decode(repeat('01', 1000000), 'hex'))) v (b)
ORDER BY length, b;

SELECT verdict(repeat('A', 1000000)), verdict(repeat('AQEB', 1000000)),
	verdict(repeat('/', 1000000)), verdict(repeat(' ', 1000000));

--
-- The errors as they are seen
--

-- error: no bytes are no filter
SELECT ''::bloom;
-- error: this is not base64
SELECT ' '::bloom;
SELECT 'hello'::bloom;
SELECT 'abcd efgh'::bloom;
SELECT '\x0101013c4002'::bloom;
SELECT '{1,2,3}'::bloom;

-- error: this is base64 of something else
SELECT 'AAAA'::bloom;
SELECT 'aGVsbG8gd29ybGQ='::bloom;

-- error: this is base64 of a filter, but on several lines or with blanks
SELECT encode(image, 'base64')::bloom FROM sample WHERE name = 'list';
SELECT (' ' || base64(image))::bloom FROM sample WHERE name = 'list';
SELECT (base64(image) || E'\n')::bloom FROM sample WHERE name = 'list';

-- each filter has one text: a decoder may ignore the unused bits of the last character,
-- and what follows padding, but input does not
CREATE FUNCTION text_reason(t text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	RETURN 'accepted' || coalesce(': ' || complaint(t::bloom), '');
EXCEPTION WHEN invalid_text_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END;
$$;

CREATE VIEW padded AS
SELECT name, f::text AS t, position('=' IN f::text) AS padding
FROM (VALUES ('one =', bloom_add(bloom_create(1000), 1)),
			 ('two =', bloom_add_all(bloom_create(1000), ARRAY[1, 2]))) v (name, f);

SELECT name, length(t) - padding + 1 AS padding, right(t, 4) AS last_characters,
	text_reason(t)
FROM padded ORDER BY name;

-- the last character before the padding is any of the 64
SELECT name, text_reason(overlay(t PLACING c FROM padding - 1)), count(*)
FROM padded, generate_series(0, 63) i,
	substr(base64(decode(lpad(to_hex(i * 4), 2, '0'), 'hex')), 1, 1) c
GROUP BY 1, 2 ORDER BY 1, 2;

-- padding within the text, other characters behind padding, and none
SELECT name, what, text_reason(changed)
FROM padded, LATERAL (VALUES
	('no padding', left(t, padding - 1)),
	('more padding', t || '===='),
	('two values', t || t),
	('zeros behind it', t || 'AAAA'),
	('padded zeros behind it', t || 'AA=='),
	('padding and zeros', left(t, -1) || 'A'),
	('padding in the middle', overlay(t PLACING 'AAA=AA==' FROM 1))) AS v (what, changed)
ORDER BY name, what;
-- error: this is a filter but for the unused bits of its last character
SELECT overlay(t PLACING chr(ascii(substr(t, padding - 1, 1)) + 1) FROM padding - 1)::bloom
FROM padded WHERE name = 'two =';

-- error: these are not the bytes of a filter
SELECT ''::bytea::bloom;
SELECT '\x0101013c40ff'::bytea::bloom;
SELECT put(image, 36, '\x000000000000f87f')::bloom FROM sample WHERE name = 'list';

-- no cast skips the checks: text is not assigned to a column, bytea neither
CREATE TABLE kept (f bloom);
-- error: a literal for the column is base64 of something else
INSERT INTO kept VALUES ('AAAA');
-- error: neither text nor bytea becomes a filter without a cast
INSERT INTO kept SELECT base64(image) FROM sample;
INSERT INTO kept SELECT image FROM sample;
DROP TABLE kept;

--
-- A small image with large claims is let in, as a filter may have become one by
-- unions; but what it grows into is in proportion to its blocks
--

-- an 8-byte float as an image has it
CREATE FUNCTION float8_field(x float8) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN (SELECT string_agg(set_byte('\x00', 0, get_byte(float8send(x), 7 - i)), '' ORDER BY i)
		FROM generate_series(0, 7) i);

-- of 188 bytes, which one key made 532 MB: full, of capacity 2^62, and of the given growth and
-- rates
CREATE FUNCTION claiming(growth int, header_fpp float8, layer_fpp float8) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN (SELECT put(put(put(put(put(put(image,
		84, '\x0000000000000000'), 76, float8_field(layer_fpp)),
		68, '\x0000000000000040'), 36, float8_field(header_fpp)),
		28, '\x0000000000000040'), 5, set_byte('\x00', 0, growth))
	FROM sample WHERE name = 'one block');

-- bytes after one more key, and after 10,000
CREATE FUNCTION grown(image bytea) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	f bloom := image::bloom;
	one int;
	many int;
BEGIN
	one := octet_length(bloom_add(f, -1)::bytea);
	many := octet_length(bloom_add_all(f, ARRAY(SELECT generate_series(1, 10000)))::bytea);
	RETURN format('%s, %s', CASE WHEN one < 20000 THEN 'small' ELSE one::text END,
		CASE WHEN many < 200000 THEN 'small' ELSE many::text END);
EXCEPTION WHEN program_limit_exceeded THEN
	RETURN SQLERRM;
END
$$;

SELECT growth, header_fpp, layer_fpp, length(image), verdict(image), grown(image)
FROM unnest(ARRAY[0, 1, 2, 10]) growth,
	(VALUES (0.5::float8, 0.5::float8), (0.99999, 0.9), (0.01, 0.01), (1e-300, 0.5), (0.5, 1e-300),
		(1e-300, 5e-324)) v(header_fpp, layer_fpp),
	claiming(growth, header_fpp, layer_fpp) image
ORDER BY 1, 2, 3;

--
-- bloom_key
--

-- 'refused', the key as it is printed, or what is wrong
CREATE FUNCTION key_verdict(input text) RETURNS text
LANGUAGE plpgsql AS
$$
BEGIN
	RETURN input::bloom_key;
EXCEPTION
	WHEN invalid_text_representation THEN RETURN 'refused';
	WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

SELECT quote_literal(input) AS input, key_verdict(input)
FROM unnest(ARRAY[
	'number:f58ff891333ec7a1', 'array/0123abcd:0000000000000000',
	'', ':', '/', 'number', 'number:', ':f58ff891333ec7a1',
	'number:f58ff891333ec7a', 'number:f58ff891333ec7a11',
	'number:f58ff891333ec7a ', ' number:f58ff891333ec7a1',
	'number:F58FF891333EC7A1', 'number:f58ff891333ec7ag',
	'number:-58ff891333ec7a1', 'number:0xf58ff891333ec7',
	'Number:f58ff891333ec7a1', 'numbers:f58ff891333ec7a1',
	'num:f58ff891333ec7a1', 'none:0000000000000000',
	'unknown:f58ff891333ec7a1', '2:f58ff891333ec7a1',
	'number/0123abcd:f58ff891333ec7a1', 'number/00000000:f58ff891333ec7a1',
	'array:f58ff891333ec7a1', 'array/:f58ff891333ec7a1',
	'array/123abcd:f58ff891333ec7a1', 'array/0123abcd:', 'array/0123abcd',
	'array/0123abcd/f58ff891333ec7a1', 'row/0123abcde:f58ff891333ec7a1',
	'range/0123ABCD:f58ff891333ec7a1']) WITH ORDINALITY i (input, no)
ORDER BY no;

SELECT key_verdict(repeat('x', 100000));

-- every truncation and every changed bit of its text
SELECT count(*), count(*) FILTER (WHERE v = 'refused') AS refused
FROM unnest(ARRAY['number:f58ff891333ec7a1', 'range/0123abcd:0000000000000000']) t,
	generate_series(0, length(t) - 1) n, key_verdict(left(t, n)) v;

SELECT count(*), count(*) FILTER (WHERE v = 'refused') AS refused,
	count(*) FILTER (WHERE v = changed) AS accepted
FROM unnest(ARRAY['number:f58ff891333ec7a1', 'range/0123abcd:0000000000000000']) t,
	generate_series(0, length(t) * 7 - 1) n,
	LATERAL (SELECT ascii(substr(t, n / 7 + 1, 1)) # (1 << n % 7) AS c) c,
	LATERAL (SELECT overlay(t PLACING chr(c) FROM n / 7 + 1) AS changed) o,
	key_verdict(changed) v
WHERE c <> 0;

-- error: these are not the text of a key
SELECT bloom_key 'hello';
SELECT 'hello'::text::bloom_key;
SELECT 'none:0000000000000000'::bloom_key;

SET client_min_messages = warning;
DROP SCHEMA malformed CASCADE;
