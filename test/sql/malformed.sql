--
-- Malformed input
--
-- What comes from outside may be any bytes.  They are refused, with SQLSTATE 22P02 (text) or
-- 22P03 (binary) and a reason, each of which is here once for each type.  What else may be
-- wrong with a field is in test/unit/validator_test.c and deletable_image_test.c; what is let
-- in by chance, and by the other ways in, is in test/t/021_malformed_input.pl.
--
\a\t

\set ECHO none
CREATE SCHEMA malformed;
SET search_path = malformed, public;
SET client_min_messages = error;	-- not of filters past their capacity
\set SHOW_CONTEXT never

-- the text form is base64 on one line
CREATE FUNCTION base64(image bytea) RETURNS text
LANGUAGE sql IMMUTABLE STRICT
RETURN replace(encode(image, 'base64'), E'\n', '');

-- fields of an image are little-endian
CREATE FUNCTION put(image bytea, at int, field bytea) RETURNS bytea
LANGUAGE sql IMMUTABLE STRICT
RETURN overlay(image PLACING field FROM at + 1);

-- the error of a cast; if there is none, its result must be the same bytes or text
CREATE FUNCTION outcome(type text, input anyelement,
						OUT state text, OUT message text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS
$$
DECLARE
	output input%TYPE;
BEGIN
	EXECUTE format('SELECT $1::%I::%s', type, pg_typeof(input)) INTO output USING input;
	detail := CASE WHEN output = input THEN 'accepted' ELSE 'another value' END;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
		detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END
$$;

--
-- Bytes
--

-- with layers: two of one block, one of one block of counters, one of twelve buckets
CREATE TABLE sample (type text COLLATE "C", layered bytea, empty bytea);
INSERT INTO sample VALUES
	('bloom', bloom_add_all(bloom_create(1, 0.5, 1), ARRAY(SELECT generate_series(1, 160)))::bytea,
	 bloom_create(10)::bytea),
	('counting_bloom', (SELECT counting_bloom_agg(i % 20, 0.5) FROM generate_series(1, 40) i)::bytea,
	 counting_bloom_create(10)::bytea),
	('cuckoo', cuckoo_add_all(cuckoo_create(20, 0.05), ARRAY(SELECT generate_series(1, 20)))::bytea,
	 cuckoo_create(10)::bytea);

CREATE TABLE forged (no serial, type text COLLATE "C", what text, image bytea);

-- fields of the header at 0, and of the first layer at 60
INSERT INTO forged (type, what, image)
SELECT type, what, put(layered, at, field)
FROM sample, (VALUES
	(1, 'nothing', 1, '\x01'::bytea),
	(2, 'kind 0', 0, '\x00'),
	(3, 'version 2', 1, '\x02'),
	(4, 'scheme 2', 2, '\x02'),
	(5, 'header of 64 bytes', 3, '\x40'),
	(6, 'layer record of 0 bytes', 4, '\x00'),
	(7, 'growth 101', 5, '\x65'),
	(8, 'growth 2', 5, '\x02'),
	(9, 'flag 2', 6, '\x0200'),
	(10, 'flag of an intersection', 6, '\x0100'),
	(11, 'family 17', 8, '\x1100'),
	(12, 'no family', 8, '\x0000'),
	(13, '129 hashes', 10, '\x8100'),
	(14, 'a list and layers', 10, '\x0100'),
	(15, 'a list instead', 10, '\x01000000'),
	(16, 'two layers', 12, '\x0200'),
	(17, '65 layers', 12, '\x4100'),
	(18, 'reserved in the header', 14, '\x0001'),
	(19, 'last of the header', 59, '\x01'),
	(20, 'subtype of numbers', 16, '\x01000000'),
	(21, 'salt', 20, '\x0000000000000001'),
	(22, 'capacity -1', 28, '\xffffffffffffffff'),
	(23, 'fpp not a number', 36, '\x000000000000f87f'),
	(24, 'layer: 0 bins', 60, '\x00000000'),
	(25, 'layer: 2 bins', 60, '\x02000000'),
	(26, 'layer: 16 bins', 60, '\x10000000'),
	(27, 'layer: 2^23 bins', 60, '\x00008000'),
	(28, 'layer: 0 bits of a key', 64, '\x00'),
	(29, 'layer: reserved', 65, '\x01'),
	(30, 'layer: last of the record', 123, '\x01'),
	(31, 'layer: capacity 0', 68, '\x0000000000000000'),
	(32, 'layer: capacity 1', 68, '\x0100000000000000'),
	(33, 'layer: fpp 1', 76, '\x000000000000f03f'),
	(34, 'layer: full at 2^64 - 1', 84, '\xffffffffffffffff'),
	(35, 'layer: 0 set', 92, '\x0000000000000000'),
	(36, 'layer: 1 set', 92, '\x0100000000000000'),
	(37, 'layer: 2^64 - 1 set', 92, '\xffffffffffffffff')) f (no, what, at, field)
ORDER BY no, type;

-- the length, and what is nothing
INSERT INTO forged (type, what, image)
SELECT type, what, image
FROM sample, LATERAL (VALUES
	(1, 'no bytes', ''),
	(2, 'half a header', substr(layered, 1, 30)),
	(3, 'half a record', substr(layered, 1, 90)),
	(4, 'a byte less', substr(layered, 1, length(layered) - 1)),
	(5, 'a byte more', layered || '\x00'),
	(6, 'a header and a byte', empty || '\x00'),
	(7, 'a million zeros', decode(repeat('00', 1000000), 'hex'))) f (no, what, image)
ORDER BY no, type;

-- of other types
INSERT INTO forged (type, what, image)
SELECT s.type, o.type || ', ' || what, image
FROM sample o, LATERAL (VALUES (1, 'no key', empty), (2, 'layers', layered)) f (no, what, image),
	sample s
WHERE o.type <> s.type
ORDER BY no, o.type, s.type;

-- the list of hashes, which only bloom has: in ascending order as unsigned numbers
INSERT INTO forged (type, what, image)
SELECT 'bloom', what, put(empty, 8, '\x02000300') || hashes
FROM sample, (VALUES
	(1, 'list in order', '\x0000000000000000ff00000000000000ffffffffffffffff'::bytea),
	(2, 'list with a hash twice', '\x01000000000000000100000000000000ff00000000000000'),
	(3, 'list in another order', '\x000000000000008000000000000000000100000000000000'))
	AS f (no, what, hashes)
WHERE type = 'bloom'
ORDER BY no;

-- buckets, which only cuckoo has: places are taken from the first on, the rest is zero
INSERT INTO forged (type, what, image)
SELECT 'cuckoo', what, put(put(put(substr(layered, 1, 124), 60, nbins), 64, bits), 92, nset) || places
FROM sample, (VALUES
	(1, 'a place, then free ones', '\x02'::bytea, '\x08'::bytea, '\x01'::bytea, '\x0100000000000000'::bytea),
	(2, 'a free place, then a full one', '\x02', '\x08', '\x01', '\x0001000000000000'),
	(3, 'all places', '\x04', '\x01', '\x10', '\xffff000000000000'),
	(4, 'a bit after the last place', '\x04', '\x01', '\x10', '\xffff000000000080'))
	AS f (no, what, nbins, bits, nset, places)
WHERE type = 'cuckoo'
ORDER BY no;

-- matrices, of filters of two blocks, of one and of none; of no columns; and of columns without
-- keys.  Fields of the header are at 0, ids at 60, records at 84, 208 and 332, slices at 508.
CREATE TABLE matrices (whole bytea, empty bytea, keyless bytea);
INSERT INTO matrices SELECT
	(SELECT bloom_matrix_agg(id, f)::bytea FROM (
		SELECT 1, bloom_agg(i, 500, 0.5) FROM generate_series(1, 200) i UNION ALL
		SELECT 2, bloom_agg(i, 129, 0.5) FROM generate_series(1, 129) i UNION ALL
		SELECT 3, bloom_create(10)) s (id, f)),
	(SELECT bloom_matrix_agg(1, NULL)::bytea),
	(SELECT bloom_matrix_agg(i, bloom_create(10, 0.5))::bytea FROM generate_series(1, 2) i);

INSERT INTO forged (type, what, image)
SELECT 'bloom_matrix', what, put(whole, at, field)
FROM matrices, LATERAL (VALUES
	(1, 'nothing', 1, '\x01'::bytea),
	(2, 'kind 0', 0, '\x00'),
	(3, 'kind 1', 0, '\x01'),
	(4, 'version 2', 1, '\x02'),
	(5, 'scheme 2', 2, '\x02'),
	(6, 'header of 64 bytes', 3, '\x40'),
	(7, 'record of 64 bytes', 4, '\x40'),
	(8, 'family 17', 8, '\x1100'),
	(9, 'no family', 8, '\x0000'),
	(10, 'another family', 8, '\x0300'),
	(11, 'subtype of numbers', 16, '\x01000000'),
	(12, 'salt', 20, '\x0000000000000001'),
	(13, 'reserved after the probes', 6, '\x0001'),
	(14, 'reserved after the family', 10, '\x0001'),
	(15, 'last of the header', 59, '\x01'),
	(16, '0 columns', 12, '\x00000000'),
	(17, '2 columns', 12, '\x02000000'),
	(18, '64 columns', 12, '\x40000000'),
	(19, '2^32 - 1 columns', 12, '\xffffffff'),
	(20, '0 blocks', 28, '\x00000000'),
	(21, '129 blocks, which are no size', 28, '\x81000000'),
	(22, '2^23 blocks', 28, '\x00008000'),
	(23, '2^32 - 1 blocks', 28, '\xffffffff'),
	(24, '0 probes', 5, '\x00'),
	(25, '25 probes', 5, '\x19'),
	(26, '2 probes', 5, '\x02'),
	(27, 'ids 2, 2, 3', 60, '\x0200000000000000'),
	(28, 'ids 1, -1, 3', 68, '\xffffffffffffffff'),
	(29, 'ids -2^63, 2, 3', 60, '\x0000000000000080'),
	(30, 'column: kind 2', 84, '\x02'),
	(31, 'column: fpp not a number', 84 + 36, '\x000000000000f87f'),
	(32, 'column: no layer', 84 + 8, '\x000000000000'),
	(33, 'column: a list', 84 + 10, '\x01000000'),
	(34, 'column: two layers', 84 + 12, '\x0200'),
	(35, 'column: no list nor layer', 84 + 12, '\x0000'),
	(36, 'column: another family', 84 + 8, '\x0300'),
	(37, 'column: 2 probes', 84 + 64, '\x02'),
	(38, 'column: 3 blocks', 84 + 60, '\x03000000'),
	(39, 'column: 1 block', 84 + 60, '\x01000000'),
	(40, 'column: 0 set', 84 + 92, '\x0000000000000000'),
	(41, 'column: 1 set', 84 + 92, '\x0100000000000000'),
	(42, 'column: 2^64 - 1 set', 84 + 92, '\xffffffffffffffff'),
	(43, 'column without keys: 1 block', 332 + 60, '\x01000000'),
	(44, 'last before the slices', 507, '\x01'),
	(45, 'a bit of a column without keys', 508, '\x04'),
	(46, 'a bit of no column', 508 + 7, '\x80'),
	(47, 'another bit of a column', 508, set_byte('\x00', 0, get_byte(whole, 508) # 1)),
	(48, 'a widened block that differs', 508 + 4096,
		set_byte('\x00', 0, get_byte(whole, 508 + 4096) # 2))) f (no, what, at, field)
ORDER BY no;

INSERT INTO forged (type, what, image)
SELECT 'bloom_matrix', what, image
FROM matrices, LATERAL (VALUES
	(1, 'no bytes', ''),
	(2, 'half a header', substr(whole, 1, 30)),
	(3, 'a header', substr(whole, 1, 60)),
	(4, 'half a record', substr(whole, 1, 90)),
	(5, 'header and records', substr(whole, 1, 508)),
	(6, 'a byte less', substr(whole, 1, length(whole) - 1)),
	(7, 'a byte more', whole || '\x00'),
	(8, 'a million zeros', decode(repeat('00', 1000000), 'hex')),
	(9, 'no columns', empty),
	(10, 'no columns, and a byte', empty || '\x00'),
	(11, 'no columns: 1 block', put(empty, 28, '\x01000000')),
	(12, 'no columns: 1 probe', put(empty, 5, '\x01')),
	(13, 'no columns: family', put(empty, 8, '\x0200')),
	(14, 'no columns: 2^32 - 1 columns', put(put(put(empty, 12, '\xffffffff'), 28, '\x01000000'), 5, '\x01')),
	(15, 'no keys', keyless),
	(16, 'no keys: family', put(keyless, 8, '\x0200')),
	(17, 'no keys: 2 probes', put(keyless, 5, '\x02')),
	(18, 'no keys: a bit', put(keyless, length(keyless) - 1, '\x01')),
	(19, 'a wide column without its keys', put(put(whole, 84 + 8, '\x000000000000'), 84 + 60,
		decode(repeat('00', 64), 'hex')))) f (no, what, image)
ORDER BY no;

INSERT INTO forged (type, what, image)
SELECT type, what, image
FROM (SELECT type, 'a matrix', whole FROM sample, matrices UNION ALL
	  SELECT type, 'a matrix without columns', m.empty FROM sample, matrices m UNION ALL
	  SELECT 'bloom_matrix', 'a filter of ' || type, layered FROM sample UNION ALL
	  SELECT 'bloom_matrix', 'a filter without keys', empty FROM sample) v (type, what, image)
ORDER BY what, type;

-- the reason is the same by both ways in
CREATE TABLE refused AS
	SELECT no, type, what, b.state, b.message, b.detail, b.hint,
		t.state AS text_state, t.message AS text_message, t.detail AS text_detail, t.hint AS text_hint
	FROM forged, outcome(type, image) b, outcome(type, base64(image)) t;
\set ECHO all

SELECT what, string_agg(type, ', ' ORDER BY type) AS types, detail
FROM refused
WHERE type <> 'bloom_matrix'
GROUP BY what, detail
ORDER BY min(no);

SELECT what, detail FROM refused
WHERE type = 'bloom_matrix'
ORDER BY no;

-- violations: none
SELECT type, what, detail, text_detail FROM refused
WHERE text_detail <> detail
ORDER BY no;

SELECT r.state, r.message, r.hint, count(*)
FROM refused, LATERAL (VALUES (state, message, hint), (text_state, text_message, text_hint))
	AS r (state, message, hint)
WHERE type <> 'bloom_matrix'
GROUP BY r.state, r.message, r.hint
ORDER BY r.state, r.message COLLATE "C", r.hint COLLATE "C";

SELECT r.state, r.message, r.hint, count(*)
FROM refused, LATERAL (VALUES (state, message, hint), (text_state, text_message, text_hint))
	AS r (state, message, hint)
WHERE type = 'bloom_matrix'
GROUP BY r.state, r.message, r.hint
ORDER BY r.state, r.message COLLATE "C", r.hint COLLATE "C";

\set ECHO none
--
-- Text: each filter has one.  A decoder may ignore the unused bits of the last character,
-- and what follows padding, but input does not
--

CREATE TABLE written (no serial, types text[], what text, t text);
INSERT INTO written (types, what, t)
SELECT ARRAY['bloom'], what, changed
FROM (SELECT f::text AS t, position('=' IN f::text) AS padding	-- one, or two of them
	  FROM (VALUES (bloom_add(bloom_create(1000), 1)),
				   (bloom_add_all(bloom_create(1000), ARRAY[1, 2]))) v (f)) p,
	LATERAL (VALUES
	(1, 'the text', t),
	(2, 'no padding', left(t, padding - 1)),
	(3, 'more padding', t || '===='),
	(4, 'two texts', t || t),
	(5, 'zeros after the text', t || 'AAAA'),
	(6, 'padded zeros after the text', t || 'AA=='),
	(7, 'a zero for padding', left(t, -1) || 'A'),
	(8, 'padding in the middle', overlay(t PLACING 'AAA=AA==' FROM 1)),
	(9, 'an unused bit',
	 overlay(t PLACING chr(ascii(substr(t, padding - 1, 1)) + 1) FROM padding - 1)),
	(10, 'a blank before the text', ' ' || t),
	(11, 'a line break after the text', t || E'\n'),
	(12, 'a line break in the text', overlay(t PLACING E'\n' FROM 77 FOR 0)),
	(13, 'a character of another alphabet', overlay(t PLACING '-' FROM 5)),
	(14, 'no ASCII', overlay(t PLACING chr(233) FROM 5))) f (no, what, changed)
ORDER BY no, length(t);
INSERT INTO written (types, what, t)
SELECT ARRAY['bloom', 'counting_bloom', 'cuckoo'], v.*
FROM (VALUES
	('a blank', ' '),
	('a word', 'hello'),
	('hexadecimal', '\x0101013c4002'),
	('an array', '{1,2,3}'),
	('base64 of something else', 'aGVsbG8gd29ybGQ='),
	('a million blanks', repeat(' ', 1000000)),
	('a million slashes', repeat('/', 1000000))) v;
\set ECHO all

SELECT what, string_agg(type, ', ' ORDER BY no, type) AS types, state, detail
FROM written, unnest(types) type, outcome(type, t)
GROUP BY what, state, detail
ORDER BY min(no);

SELECT state, message, hint, count(*)
FROM written, unnest(types) type, outcome(type, t)
GROUP BY state, message, hint
ORDER BY state, message COLLATE "C", hint COLLATE "C";

-- error: this is not base64, and this is not a filter
SELECT 'hello'::bloom;
SELECT 'aGVsbG8gd29ybGQ='::cuckoo;
SELECT 'hello'::bloom_matrix;
SELECT 'BAEB'::bloom_matrix;
SELECT encode(whole, 'base64')::bloom_matrix FROM matrices;
SELECT repeat('/', 1000000)::bloom_matrix;

-- no cast skips the checks: text is not assigned to a column, bytea neither
CREATE TABLE kept (f bloom, c counting_bloom, k cuckoo, m bloom_matrix);
-- error: a literal for the column is base64 of something else
INSERT INTO kept VALUES ('AAAA');
-- error: neither text nor bytea becomes a filter without a cast
INSERT INTO kept (f) SELECT base64(empty) FROM sample WHERE type = 'bloom';
INSERT INTO kept (c) SELECT base64(empty) FROM sample WHERE type = 'counting_bloom';
INSERT INTO kept (k) SELECT empty FROM sample WHERE type = 'cuckoo';
INSERT INTO kept (f) SELECT empty FROM sample WHERE type = 'bloom';
INSERT INTO kept (m) SELECT base64(whole) FROM matrices;
INSERT INTO kept (m) SELECT whole FROM matrices;

\set ECHO none
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
	FROM (SELECT bloom_add_all(bloom_create(129, 0.5, 0), ARRAY(SELECT generate_series(1, 129)))::bytea
		  AS image) v);

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
\set ECHO all

SELECT growth, header_fpp, layer_fpp, length(image), (outcome('bloom', image)).detail, grown(image)
FROM unnest(ARRAY[0, 1, 2, 10]) growth,
	(VALUES (0.5::float8, 0.5::float8), (0.99999, 0.9), (0.01, 0.01), (1e-300, 0.5), (0.5, 1e-300),
		(1e-300, 5e-324)) v(header_fpp, layer_fpp),
	claiming(growth, header_fpp, layer_fpp) image
ORDER BY 1, 2, 3;

--
-- bloom_key
--

SELECT quote_literal(input) AS input, coalesce(state, detail) AS outcome
FROM unnest(ARRAY[
	'number:f58ff891333ec7a1', 'array/0123abcd:0000000000000000',
	'', ':', '/', 'number', 'number:', ':f58ff891333ec7a1',
	'number:f58ff891333ec7a', 'number:f58ff891333ec7a11',
	'number:f58ff891333ec7a ', ' number:f58ff891333ec7a1',
	'number:F58FF891333EC7A1', 'number:f58ff891333ec7ag',
	'number:f58ff891333ec7a/', 'number:f58ff891333ec7a:', 'number:f58ff891333ec7a`',
	'number:0123456789abcdef',
	'number:-58ff891333ec7a1', 'number:0xf58ff891333ec7',
	'Number:f58ff891333ec7a1', 'numbers:f58ff891333ec7a1',
	'num:f58ff891333ec7a1', 'none:0000000000000000',
	'unknown:f58ff891333ec7a1', '2:f58ff891333ec7a1',
	'number/0123abcd:f58ff891333ec7a1', 'number/00000000:f58ff891333ec7a1',
	'array:f58ff891333ec7a1', 'array/:f58ff891333ec7a1',
	'array/123abcd:f58ff891333ec7a1', 'array/0123abcd:', 'array/0123abcd',
	'array/0123abcd/f58ff891333ec7a1', 'row/0123abcde:f58ff891333ec7a1',
	'range/0123ABCD:f58ff891333ec7a1']) WITH ORDINALITY i (input, no),
	outcome('bloom_key', input)
ORDER BY no;

SELECT state FROM outcome('bloom_key', repeat('x', 100000));

-- error: this is not the text of a key
SELECT bloom_key 'hello';

SET client_min_messages = warning;
DROP SCHEMA malformed CASCADE;
