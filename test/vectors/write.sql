--
-- Prints the vectors of this folder; see write.
--
CREATE EXTENSION bloomtype;

\ir functions.sql

-- JSON objects as an array, one per line
CREATE FUNCTION lines_of(objects json[]) RETURNS text LANGUAGE sql
RETURN E'[\n' || array_to_string(objects, E',\n') || E'\n]';

--
-- bytes.json
--
\set file :folder '/bytes.json'
\o :file
SELECT lines_of(array_agg(json_build_object('length', n, 'hash', split_part(
		bloom_key((SELECT coalesce(decode(string_agg(lpad(to_hex((7 * i + n) % 256), 2, '0'), ''
			ORDER BY i), 'hex'), '') FROM generate_series(0, n - 1) i))::text, ':', 2)) ORDER BY n))
FROM (SELECT generate_series(0, 300) UNION
	SELECT unnest(ARRAY[511, 512, 513, 1023, 1024, 1025, 1087, 1088, 1089, 2047, 2048, 2049,
		3071, 3072, 3073, 4095, 4096, 4097, 10000, 65536, 100003])) s(n);

--
-- keys.json
--
CREATE TABLE key_value (n serial, type text, value text);
INSERT INTO key_value (type, value)
SELECT type, value FROM (VALUES
	('boolean', ARRAY['t', 'f', 'true', 'false', 'maybe', '']),
	('smallint', ARRAY['0', '1', '-1', '32767', '-32768', '32768', '-32769', 'x']),
	('integer', ARRAY['0', '42', '-42', '2147483647', '-2147483648', '2147483648', '1.5', '']),
	('bigint', ARRAY['0', '1', '-1', '255', '256', '65536', '4294967296', '9007199254740991',
		'9007199254740992', '9007199254740993', '-9007199254740993', '9223372036854775807',
		'-9223372036854775808', '9223372036854775808', '-9223372036854775809', '1e3', '0.5']),
	('numeric', ARRAY['0', '-0', '0.0', '00', '5', '5.00', '+5', '5e0', '50e-1', '0.5e1', '500e-2', '-5', '.5', '0.5',
		'5.', '0.50', '-0.50', '1e-3', '0.001', '1E+3', '1000', '123456789.987654321', '-123456789.987654321',
		'9223372036854775807', '9223372036854775807.0', '9223372036854775807.5', '9223372036854775808',
		'-9223372036854775808', '-9223372036854775809', '9007199254740993', '1e18', '1e19', '1e30', '-1e30',
		'12345678901234567890123456789012345678901234567890', '0.00000000000000000000000000000001',
		'1e131071', '1e-16383', 'NaN', 'nan', 'Infinity', '-Infinity', 'infinity', 'inf', '-inf',
		'1e131072', 'x', '', '1e', '1.2.3', '--1', '0x', '1 2', '.', '+']),
	('real', ARRAY['0', '-0', '0.1', '1.5', '-1.5', '16777216', '16777217', '3.4028235e+38', '-3.4028235e+38', '1e-45',
		'1.17549435e-38', '1e10', '3.1415927', 'NaN', 'Infinity', '-Infinity', '1e39', '1e-60', 'x', '']),
	('double precision', ARRAY['0', '-0', '0.1', '1', '1.5', '-1.5', '9007199254740993', '1e22', '1e23', '5e-324',
		'2.2250738585072014e-308', '1.7976931348623157e+308', '-1.7976931348623157e+308', '3.141592653589793',
		'NaN', 'Infinity', '-Infinity', '1e400', '1e-400', 'x', '']),
	('text', ARRAY['', 'a', 'red', 'Red', ' red', 'red ', 'red  ', 'Zürich', E'Zu\u0308rich', '日本', '😀', 'a😀b', 'ﬁ', 'ß',
		E'tab\tline\nend\r', '"quoted"', 'back\slash', '''', repeat('x', 16), repeat('x', 17), repeat('é', 64),
		repeat('0123456789', 24), repeat('0123456789', 24) || 'x', repeat('0123456789', 103), E'\u007f', E'\u0080',
		E'\u07ff', E'\u0800', E'\ud7ff', E'\ue000', E'\uffff', E'\U00010000', E'\U0010fffd']),
	('varchar', ARRAY['', 'red', 'red ']),
	('bpchar', ARRAY['', 'red', 'red ', 'red   ', ' red', '   ', E'red\t', E'red\u00a0']),
	('name', ARRAY['', 'red', repeat('n', 63)]),
	('bytea', ARRAY['\x', '\x00', '\xff', '\xdeadbeef', '\xDEADBEEF', '\x' || repeat('00', 32), '\x726564', '\x0', '\xzz']),
	('uuid', ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
		'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
		'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111', 'x', '']),
	('oid', ARRAY['0', '1', '42', '2147483648', '4294967295', '4294967296', 'x']),
	('date', ARRAY['2000-01-01', '1999-12-31', '1970-01-01', '2024-02-29', '1900-03-01', '0001-01-01', '0001-12-31 BC',
		'0001-02-28 BC', '0044-03-15 BC', '4714-11-24 BC', '9999-12-31', '10000-01-01', '5874897-12-31',
		'infinity', '-infinity', '2023-02-29', '2024-13-01', '2024-00-10', '2024-01-32', '5874898-01-01',
		'4714-11-23 BC', 'x', '']),
	('timestamp', ARRAY['2000-01-01 00:00:00', '1999-12-31 23:59:59.999999', '1970-01-01 00:00:00', '2024-02-29 12:34:56',
		'2024-02-29 12:34:56.7', '2024-02-29 12:34:56.78', '2024-02-29 12:34:56.789', '2024-02-29 12:34:56.789012',
		'0001-01-01 00:00:00', '0001-12-31 23:59:59.5 BC', '4714-11-24 00:00:00 BC', '9999-12-31 23:59:59.999999',
		'12345-06-07 08:09:10.000001', '294276-12-31 23:59:59.999999', 'infinity', '-infinity',
		'2023-02-29 00:00:00', '2024-01-01 25:00:00', '2024-01-01 00:60:00', '294277-01-01 00:00:00', 'x', '']),
	('timestamptz', ARRAY['2000-01-01 00:00:00+00', '2024-02-29 12:34:56.789+00', '2024-02-29 12:34:56.789-05',
		'2024-02-29 18:04:56.789+05:30', '1883-11-18 12:03:57-04:56:02', '0001-01-01 00:00:00+02',
		'0001-12-31 23:59:59.5+00 BC', '4714-11-24 00:00:00+00 BC', '294276-12-31 23:59:59.999999+00',
		'2024-02-29 12:34:56.000001+15:59', 'infinity', '-infinity', '2024-02-30 00:00:00+00',
		'294276-12-31 23:59:59.999999-01', '2024-02-29 12:34:56+25', 'x', '']),
	('time', ARRAY['00:00:00', '12:34:56', '12:34:56.7', '12:34:56.789012', '23:59:59.999999', '24:00:00',
		'24:00:01', '12:60:00', '25:00:00', 'x', '']),
	('inet', ARRAY['0.0.0.0', '10.1.2.3', '10.1.2.3/32', '10.1.2.3/8', '10.1.2.3/0', '255.255.255.255', '::', '::1', '::1/128',
		'2001:db8::1', '2001:db8::1/64', '2001:db8:0:0:1::', '2001:DB8::1', '::ffff:1.2.3.4', '::ffff:1.2.3.4/96',
		'fe80::1:2:3:4', '10.1.2.3/33', '::1/129', '10.1.2.256', '10.1.2.3.4', ':::1', 'x', '']),
	('cidr', ARRAY['10.0.0.0/8', '10.1.2.3/32', '0.0.0.0/0', '2001:db8::/32', '::/0', '10.1.2.3/8', '2001:db8::1/32', 'x']),
	('macaddr', ARRAY['08:00:2b:01:02:03', '08:00:2B:01:02:03', '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '08:00:2b:01:02', 'x']),
	('macaddr8', ARRAY['08:00:2b:ff:fe:01:02:03', '08:00:2b:01:02:03:04:05', '00:00:00:00:00:00:00:00', 'x'])
) AS v(type, vals), unnest(vals) AS value;

\set file :folder '/keys.json'
\o :file
SELECT lines_of(array_agg(json_build_object('type', type, 'value', value, 'key', key_of(type, value)) ORDER BY n))
FROM key_value;
\o

--
-- filters.json
--
SET timezone = 'Europe/Berlin';
SET client_min_messages = error;	-- of filters past their capacity

CREATE TABLE filter (n serial, name text, kind regtype, type regtype, image text, vals text[]);

-- A filter of any kind, and values to look for: keys of its type, or bloom_key[]
CREATE FUNCTION new_filter(name text, f anyelement, vals anycompatiblearray) RETURNS void LANGUAGE sql AS $$
	INSERT INTO filter (name, kind, type, image, vals) VALUES (name, pg_typeof(f),
		(SELECT typelem FROM pg_type WHERE oid = pg_typeof(vals)), f::text, vals::text[])
$$;

-- Whole numbers from .. to
CREATE FUNCTION numbers(first int, last int, step int DEFAULT 1) RETURNS int[] LANGUAGE sql
RETURN ARRAY(SELECT generate_series(first, last, step));

\o /dev/null
SELECT new_filter('no keys', bloom_create(1000), numbers(1, 2));
SELECT new_filter('a list of texts', bloom_add_all(bloom_create(1000), ARRAY['red', 'green', 'blue']),
	ARRAY['red', 'green', 'blue', 'Red', 'red ', '', 'Zürich']);
SELECT new_filter('a full list', bloom_agg(i), numbers(-20, 150, 5)) FROM generate_series(1, 128) i;
SELECT new_filter('one block', bloom_add_all(bloom_create(129, 0.5, 0), numbers(1, 129)), numbers(100, 160));
SELECT new_filter('one layer', bloom_agg(i), numbers(990, 1100)) FROM generate_series(1, 1000) i;
SELECT new_filter('one probe', bloom_agg(i, 0.9), numbers(290, 320)) FROM generate_series(1, 300) i;
SELECT new_filter('many probes', bloom_agg(i, 1e-7), numbers(140, 170)) FROM generate_series(1, 150) i;
SELECT new_filter('half empty', bloom_agg(i, 400, 0.01), numbers(120, 160)) FROM generate_series(1, 130) i;
SELECT new_filter('two layers', bloom_add_all(bloom_create(1, 0.5, 1), numbers(1, 160)), numbers(120, 200));
SELECT new_filter('several layers', bloom_add_all(bloom_create(130), numbers(1, 2000)),
	numbers(1900, 2100, 3));
SELECT new_filter('past its capacity', bloom_add_all(bloom_create(200, 0.01, 0), numbers(1, 600)),
	numbers(590, 640));
SELECT new_filter('nearly all bits set', bloom_add_all(bloom_create(1, 0.5, 0), numbers(1, 700)),
	numbers(-1, 1));
SELECT new_filter('all bits set', bloom_add_all(bloom_create(1, 0.9, 0), numbers(1, 20000)), numbers(-1, 1));
SELECT new_filter('an intersection', bloom_agg(i, 500, 0.01) & bloom_agg(i + 200, 500, 0.01),
	numbers(190, 230)) FROM generate_series(1, 400) i;
SELECT new_filter('a union', bloom_agg(i) | bloom_agg(-i) FILTER (WHERE i <= 200), numbers(-220, 420, 20))
	FROM generate_series(1, 400) i;
SELECT new_filter('shrunk', bloom_shrink(bloom_agg(i, 5000, 0.01)), numbers(280, 320))
	FROM generate_series(1, 300) i;
SELECT new_filter('sixteen blocks', bloom_agg(i, 820, 0.01), numbers(690, 720)) FROM generate_series(1, 700) i;

-- of every family
SELECT new_filter('boolean', bloom_agg(true), ARRAY[true, false]);
SELECT new_filter('bigint', bloom_agg(i * 10000000000000), ARRAY(SELECT i * 10000000000000
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('numeric', bloom_agg(i / 8.0), ARRAY(SELECT i / 16.0 FROM generate_series(380, 420) i))
	FROM generate_series(1, 200) i;
SELECT new_filter('real', bloom_agg((i / 10.0)::real), ARRAY(SELECT (i / 10.0)::real
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('double precision', bloom_agg((i / 10.0)::float8), ARRAY(SELECT (i / 10.0)::float8
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('text', bloom_agg('key ' || i), ARRAY(SELECT 'key ' || i
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('bytea', bloom_agg(int8send(i)), ARRAY(SELECT int8send(i)
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('uuid', bloom_agg(md5(i::text)::uuid), ARRAY(SELECT md5(i::text)::uuid
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('oid', bloom_agg(i::oid), ARRAY(SELECT i::oid FROM generate_series(5, 15) i))
	FROM generate_series(1, 10) i;
SELECT new_filter('date', bloom_agg('2026-01-01'::date + i), ARRAY(SELECT '2026-01-01'::date + i
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('timestamp', bloom_agg('2026-01-01'::timestamp + i * interval '1.000001 s'),
	ARRAY(SELECT '2026-01-01'::timestamp + i * interval '1.000001 s' FROM generate_series(190, 220) i))
	FROM generate_series(1, 200) i;
SELECT new_filter('timestamptz', bloom_agg('2026-01-01 00:00+00'::timestamptz + i * interval '1.000001 s'),
	ARRAY(SELECT '2026-01-01 00:00+00'::timestamptz + i * interval '1.000001 s'
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('time', bloom_agg('00:00'::time + i * interval '1.5 s'),
	ARRAY(SELECT '00:00'::time + i * interval '1.5 s' FROM generate_series(190, 220) i))
	FROM generate_series(1, 200) i;
SELECT new_filter('inet', bloom_agg('10.0.0.0/8'::inet + i), ARRAY(SELECT '10.0.0.0/8'::inet + i
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('macaddr', bloom_agg('08:00:2b:01:02:03'::macaddr),
	ARRAY['08:00:2b:01:02:03', '08:00:2b:01:02:04']::macaddr[]);
SELECT new_filter('array', bloom_agg(ARRAY[i, NULL]), ARRAY(SELECT bloom_key(ARRAY[i, NULL])
	FROM generate_series(5, 15) i)) FROM generate_series(1, 10) i;
SELECT new_filter('row', bloom_agg(ROW(i, 'a')), ARRAY(SELECT bloom_key(ROW(i, 'a'))
	FROM generate_series(190, 220) i)) FROM generate_series(1, 200) i;
SELECT new_filter('range', bloom_agg(int4range(i, NULL)), ARRAY(SELECT bloom_key(int4range(i, NULL))
	FROM generate_series(5, 15) i)) FROM generate_series(1, 10) i;

SELECT new_filter('counting, no keys', counting_bloom_create(1000), numbers(1, 2));
SELECT new_filter('counting, one block',
	counting_bloom_add_all(counting_bloom_create(1, 0.5), ARRAY['red', 'green', 'red']),
	ARRAY['red', 'green', 'blue']);
SELECT new_filter('counting', counting_bloom_agg(i % 150), numbers(80, 180)) FROM generate_series(1, 400) i;
SELECT new_filter('counting, a counter at its limit',
	counting_bloom_agg(CASE WHEN i <= 20 THEN 'many' WHEN i <= 34 THEN 'fourteen' ELSE 'key ' || i END),
	ARRAY['many', 'fourteen', 'key 40', 'key 61']) FROM generate_series(1, 60) i;
SELECT new_filter('counting, uuid', counting_bloom_agg(md5(i::text)::uuid),
	ARRAY(SELECT md5(i::text)::uuid FROM generate_series(90, 120) i)) FROM generate_series(1, 100) i;
SELECT new_filter('counting, past its capacity',
	counting_bloom_add_all(counting_bloom_create(10, 0.5), numbers(1, 500)), numbers(490, 520));

SELECT new_filter('cuckoo, no keys', cuckoo_create(1000), numbers(1, 2));
SELECT new_filter('cuckoo, two buckets',
	cuckoo_add_all(cuckoo_create(8), ARRAY['red', 'green', 'blue', 'red']),
	ARRAY['red', 'green', 'blue', 'black']);
SELECT new_filter('cuckoo', cuckoo_agg(i), numbers(450, 650)) FROM generate_series(1, 500) i;
SELECT new_filter('cuckoo, copies',
	cuckoo_add_all(cuckoo_create(100), ARRAY(SELECT i % 30 FROM generate_series(1, 90) i)), numbers(20, 40));
SELECT new_filter('cuckoo, short fingerprints', cuckoo_agg(i, 100, 0.9), numbers(90, 130))
	FROM generate_series(1, 100) i;
SELECT new_filter('cuckoo, long fingerprints', cuckoo_agg(i, 100, 2e-9), numbers(90, 110))
	FROM generate_series(1, 100) i;
SELECT new_filter('cuckoo, date', cuckoo_agg('2026-01-01'::date + i),
	ARRAY(SELECT '2026-01-01'::date + i FROM generate_series(90, 110) i)) FROM generate_series(1, 100) i;
SELECT new_filter('cuckoo, keys removed', cuckoo_remove_all(cuckoo_agg(i), numbers(2, 300, 2)),
	numbers(280, 320)) FROM generate_series(1, 300) i;
\o

UPDATE filter SET type = NULL WHERE type = 'bloom_key'::regtype;

CREATE FUNCTION info_of(kind regtype, image text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
	info json;
BEGIN
	EXECUTE format('SELECT row_to_json(i) FROM %1$s_info(%2$L) i', kind, image) INTO info;
	RETURN info;
END $$;

-- Does the filter contain the keys, and how often?
CREATE FUNCTION probes_of(kind regtype, image text, type regtype, vals text[]) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
	probes json;
BEGIN
	EXECUTE format($query$
		SELECT json_agg(json_build_object('value', CASE WHEN $1 IS NOT NULL THEN value END,
			'key', key, 'contains', %1$s_contains(f, key), 'count', %2$s) ORDER BY n)
		FROM CAST(%3$L AS %1$s) f, unnest($2) WITH ORDINALITY v(value, n),
			coalesce(key_of($1::text, value), value::bloom_key) key$query$,
		kind, CASE WHEN kind = 'bloom'::regtype THEN 'NULL' ELSE kind || '_count(f, key)' END, image)
	USING type, vals INTO probes;
	RETURN probes;
END $$;

\set file :folder '/filters.json'
\o :file
SELECT lines_of(array_agg(json_build_object('name', name, 'kind', kind, 'type', type, 'image', image,
	'info', info_of(kind, image), 'probes', probes_of(kind, image, type, vals)) ORDER BY n))
FROM filter;
\o

--
-- malformed.json
--

CREATE TABLE malformed (n serial, kind regtype, input text, reason text);

-- what is no base64, or not canonical
INSERT INTO malformed (kind, input)
SELECT kind, input
FROM (SELECT 'bloom'::regtype, image FROM filter WHERE name = 'no keys' UNION ALL
	SELECT 'cuckoo'::regtype, image FROM filter WHERE name = 'cuckoo, two buckets') s(kind, image),
	unnest(ARRAY['', ' ', '=', 'A', 'AQ', 'AQE', 'AQE=', 'A===', '====', image || E'\n', ' ' || image,
		overlay(image PLACING ' ' FROM 5), overlay(image PLACING E'\n' FROM 5),
		overlay(image PLACING '-' FROM 5), overlay(image PLACING '_' FROM 5), overlay(image PLACING '=' FROM 5),
		overlay(image PLACING 'é' FROM 5), image || '=', image || 'A', image || 'AAAA', image || image,
		left(image, -1), left(image, -2), left(image, -3), left(image, -4), left(image, -4) || 'AB==',
		left(image, -4) || 'AAB=', left(image, -4) || 'AA==', '\x' || encode(decode(image, 'base64'), 'hex')]) input;

-- a filter of another type
INSERT INTO malformed (kind, input)
SELECT other, image FROM filter, unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']::regtype[]) other
WHERE name IN ('no keys', 'counting, no keys', 'cuckoo, no keys') AND kind <> other;

-- damaged bytes: of each byte several values, of each reason some
INSERT INTO malformed (kind, input)
SELECT kind, input
FROM (SELECT kind, input, row_number() OVER (PARTITION BY n, reason_of(kind, input) ORDER BY md5(input)) AS place
	FROM (SELECT n, kind, encode(set_byte(bytes, place, CASE WHEN value < 0 THEN
			get_byte(bytes, place) # -value ELSE value END), 'base64') AS damaged
		FROM (SELECT n, kind, decode(image, 'base64') FROM filter
			WHERE name IN ('no keys', 'a list of texts', 'one block', 'two layers', 'counting, one block',
				'cuckoo, two buckets', 'cuckoo, long fingerprints')) s(n, kind, bytes),
			generate_series(0, least(octet_length(bytes), 200) - 1) place,
			unnest(ARRAY[0, 1, 127, 255, -1, -128]) value) s,
		replace(damaged, E'\n', '') input) s
WHERE place <= 2;

-- 2^23 blocks and one more
INSERT INTO malformed (kind, input)
SELECT kind, replace(encode(set_byte(set_byte(decode(image, 'base64'), 60, 0), 62, 128), 'base64'), E'\n', '')
FROM filter WHERE name = 'two layers';

-- of another length
INSERT INTO malformed (kind, input)
SELECT kind, replace(encode(bytes, 'base64'), E'\n', '')
FROM (SELECT kind, decode(image, 'base64') FROM filter
	WHERE name IN ('no keys', 'a list of texts', 'two layers', 'counting, one block', 'cuckoo, two buckets')) s(kind, image),
	unnest(ARRAY[substr(image, 1, 59), substr(image, 1, 60), substr(image, 1, 61), substr(image, 1, 123),
		substr(image, 1, 124), substr(image, 1, octet_length(image) - 1), image || '\x00', image || '\x0000000000000000']) bytes;

UPDATE malformed SET reason = reason_of(kind, input);

\set file :folder '/malformed.json'
\o :file
SELECT lines_of(array_agg(json_build_object('kind', kind, 'text', input, 'reason', reason) ORDER BY n))
FROM (SELECT min(n) AS n, kind, input, reason FROM malformed WHERE reason IS NOT NULL GROUP BY kind, input, reason) s;
\o

--
-- build.json
--
CREATE TABLE build (n serial, name text, capacity bigint, fpp float8, growth int, type regtype,
	keys text[], first int, last int);
INSERT INTO build (name, capacity, fpp, growth, type, keys, first, last) VALUES
	('no keys', 1000, 0.01, 2, 'bigint', '{}', NULL, NULL),
	('a text', 1000, 0.001, 2, 'text', '{red}', NULL, NULL),
	('texts, some of them twice', 1, 0.5, 100, 'text', '{red,green,blue,red,"",Zürich,green}', NULL, NULL),
	('numerics', 10, 0.01, 2, 'numeric', '{1,1.0,0.5,1e20,NaN}', NULL, NULL),
	('a full list', 1000, 0.01, 2, 'bigint', NULL, 1, 128),
	('the first layer', 1000, 0.01, 2, 'bigint', NULL, 1, 129),
	('a layer', 1000, 0.01, 2, 'bigint', NULL, 1, 1000),
	('a layer up to its limit', 1000, 0.01, 2, 'bigint', NULL, 1, 1010),
	('a low rate', 500, 1e-6, 2, 'bigint', NULL, -250, 250),
	('a small capacity', 129, 0.01, 2, 'bigint', NULL, 1, 200),
	('growth 1', 300, 0.01, 1, 'bigint', NULL, 1, 250),
	('of fixed size', 300, 0.5, 0, 'bigint', NULL, 1, 300),
	('of fixed size, past its capacity', 300, 0.5, 0, 'bigint', NULL, 1, 600),
	('more than a layer', 1000, 0.01, 2, 'bigint', NULL, 1, 1500),
	('more than a list, of a capacity for one', 100, 0.01, 2, 'bigint', NULL, 1, 129);

\set file :folder '/build.json'
\o :file
SELECT lines_of(array_agg(json_build_object('name', name, 'capacity', b.capacity, 'fpp', fpp,
	'growth', b.growth, 'sizing', CASE WHEN blocks IS NOT NULL THEN
		json_build_object('blocks', blocks, 'probes', s.probes, 'full_at', full_at) END,
	'type', type, 'keys', b.keys, 'from', first, 'to', last,
	'image', CASE WHEN layers = 0 OR (layers = 1 AND blocks IS NOT NULL) THEN f::text END) ORDER BY n))
FROM build b, bloom_sizing(b.capacity, fpp) s,
	LATERAL (SELECT coalesce(array_agg(key_of(type::text, value) ORDER BY place), '{}')
		FROM unnest(coalesce(b.keys, numbers(first, last)::text[])) WITH ORDINALITY v(value, place)) k(added),
	bloom_add_all(bloom_create(b.capacity, fpp, b.growth), added) f, bloom_info(f) i;
\o

--
-- matrices.json
--
CREATE TABLE matrix (n serial, name text, type regtype, m bloom_matrix, vals text[]);

-- A matrix, and values to look for: keys of its type, or bloom_key[]
CREATE FUNCTION new_matrix(name text, m bloom_matrix, vals anycompatiblearray) RETURNS void LANGUAGE sql AS $$
	INSERT INTO matrix (name, m, type, vals) VALUES (name, m,
		(SELECT typelem FROM pg_type WHERE oid = pg_typeof(vals)), vals::text[])
$$;

\o /dev/null
SELECT new_matrix('no columns', bloom_matrix_agg(i, NULL), numbers(1, 2)) FROM generate_series(1, 2) i;
SELECT new_matrix('no keys', bloom_matrix_agg(i, bloom_create(i * 100, 0.5)), numbers(1, 2))
	FROM generate_series(1, 2) i;
SELECT new_matrix('lists', bloom_matrix_agg(id, f), ARRAY['red', 'green', 'blue', 'Red', ''])
	FROM (VALUES (9223372036854775807, bloom_add_all(bloom_create(1000, 0.5), ARRAY['red', 'green', 'blue'])),
		(-9223372036854775808, bloom_add_all(bloom_create(5, 0.6), ARRAY['green', ''])),
		(0, bloom_create(7, 0.7))) v(id, f);
SELECT new_matrix('the example of FORMAT.md', bloom_matrix_agg(id, f), ARRAY['red', 'green', 'blue', 'black'])
	FROM (VALUES (2, counting_bloom_add_all(counting_bloom_create(1, 0.25), ARRAY['red', 'green'])::bloom),
		(-1, bloom_add_all(bloom_create(1, 0.25), ARRAY['red', 'blue'])),
		(7, bloom_shrink(counting_bloom_add_all(counting_bloom_create(1, 0.25), ARRAY['blue'])::bloom))) v(id, f);
SELECT new_matrix('one layer', bloom_matrix_agg(1, f), numbers(100, 160))
	FROM (SELECT bloom_agg(i, 0.1) FROM generate_series(1, 150) i) s(f);
SELECT new_matrix('widened by several ratios', bloom_matrix_agg(capacity, f), numbers(290, 2200, 10))
	FROM (SELECT capacity, bloom_agg(i, capacity, 0.25) FROM unnest(ARRAY[300, 400, 600, 1000, 2000]) capacity,
		generate_series(capacity, capacity + 149) i GROUP BY capacity) s(capacity, f);
SELECT new_matrix('a list at a rate for which the blocks have no room', bloom_matrix_agg(id, f), numbers(-2, 5))
	FROM (VALUES (1, bloom_add(bloom_create(1, 1e-9), 0)), (2, (SELECT bloom_agg(i, 0.5) FROM generate_series(1, 150) i))) v(id, f);
SELECT new_matrix('a column full of bits', bloom_matrix_agg(id, f), numbers(-2, 1))
	FROM (VALUES (1, bloom_add_all(bloom_create(1, 0.9, 0), numbers(1, 20000))), (2, bloom_add(bloom_create(1, 0.9), -1))) v(id, f);
SELECT new_matrix('an intersection', bloom_matrix_agg(id, f), numbers(190, 230))
	FROM (VALUES (1, (SELECT bloom_agg(i, 300, 0.25) & bloom_agg(i + 200, 300, 0.25) FROM generate_series(1, 250) i)),
		(2, (SELECT bloom_agg(i, 300, 0.25) FROM generate_series(200, 400) i))) v(id, f);
SELECT new_matrix('64 columns', bloom_matrix_agg(i, bloom_add_all(bloom_create(10, 0.5), ARRAY[i, i + 1])), numbers(0, 66))
	FROM generate_series(1, 64) i;
SELECT new_matrix('65 columns', bloom_matrix_agg(i, bloom_add_all(bloom_create(10, 0.5), ARRAY[i, i + 1])), numbers(0, 66))
	FROM generate_series(1, 65) i;
SELECT new_matrix('200 columns', bloom_matrix_agg(i * 1000, CASE WHEN i % 50 = 0 THEN
		(SELECT bloom_agg(j, 300, 0.25) FROM generate_series(i, i + 140) j)
		ELSE bloom_add_all(bloom_create(10, 0.3), numbers(i, i + i % 4 - 1)) END), numbers(-5, 400, 3))
	FROM generate_series(1, 200) i;
SELECT new_matrix('uuid', bloom_matrix_agg(i, bloom_add_all(bloom_create(10, 0.1), ARRAY[md5(i::text)::uuid])),
	ARRAY(SELECT md5(i::text)::uuid FROM generate_series(1, 5) i)) FROM generate_series(1, 3) i;
SELECT new_matrix('row', bloom_matrix_agg(i, bloom_add_all(bloom_create(10, 0.5), ARRAY[bloom_key(ROW(i, 'a'))])),
	ARRAY(SELECT bloom_key(ROW(i, 'a')) FROM generate_series(1, 5) i)) FROM generate_series(1, 3) i;
\o

UPDATE matrix SET type = NULL WHERE type = 'bloom_key'::regtype;

-- What each key finds
CREATE FUNCTION searches_of(m bloom_matrix, type regtype, vals text[]) RETURNS json LANGUAGE sql
RETURN (SELECT json_agg(json_build_object('value', CASE WHEN type IS NOT NULL THEN value END, 'key', key,
		'ids', (SELECT coalesce(json_agg(id::text ORDER BY id), '[]') FROM bloom_matrix_search(m, key) id))
		ORDER BY n)
	FROM unnest(vals) WITH ORDINALITY v(value, n), coalesce(key_of(type::text, value), value::bloom_key) key);

\set file :folder '/matrices.json'
\o :file
SELECT lines_of(array_agg(json_build_object('name', name, 'type', type, 'image', m::text,
	'info', (SELECT row_to_json(i) FROM bloom_matrix_info(m) i),
	'columns', (SELECT coalesce(json_agg(json_build_object('id', id::text, 'filter', bloom_matrix_filter(m, id))
		ORDER BY id), '[]') FROM bloom_matrix_ids(m) id),
	'searches', searches_of(m, type, vals)) ORDER BY n))
FROM matrix;
\o

--
-- malformed_matrices.json
--
CREATE TABLE malformed_matrix (n serial, bytes bytea, reason text);

-- A matrix with other bytes from an offset on
CREATE FUNCTION with_bytes(image bytea, place int, bytes bytea) RETURNS bytea LANGUAGE sql
RETURN overlay(image PLACING bytes FROM place + 1);
CREATE FUNCTION text_of(bytes bytea) RETURNS text LANGUAGE sql
RETURN translate(encode(bytes, 'base64'), E'\n', '');
CREATE TABLE base AS
SELECT n, name, m::bytea AS image, (60 + 132 * columns)::int AS records_end,
	((64 + 132 * columns + 63) / 64 * 64 - 4)::int AS slices
FROM matrix, bloom_matrix_info(m)
WHERE name IN ('no columns', 'no keys', 'lists', 'the example of FORMAT.md', '65 columns');

-- damaged bytes up to the slices: of each byte several values, of each reason some
INSERT INTO malformed_matrix (bytes)
SELECT bytes
FROM (SELECT bytes, row_number() OVER (PARTITION BY reason_of('bloom_matrix', text_of(bytes))
		ORDER BY length(bytes), md5(bytes)) AS place
	FROM (SELECT n, with_bytes(image, place, set_byte('\x00', 0, CASE WHEN value < 0 THEN
			get_byte(image, place) # -value ELSE value END)) AS bytes
		FROM base, generate_series(0, least(slices - 1, 507)) place,
			unnest(ARRAY[0, 1, 2, 3, 127, 255, -1, -128]) value
		WHERE name <> '65 columns') s) s
WHERE place <= 2;

-- what takes more than one byte
INSERT INTO malformed_matrix (bytes)
SELECT bytes
FROM (SELECT * FROM base WHERE name = 'lists') l, (SELECT * FROM base WHERE name = 'no keys') k,
	(SELECT * FROM base WHERE name = 'the example of FORMAT.md') e,
	(SELECT * FROM base WHERE name = '65 columns') c,
	LATERAL (VALUES
		-- ids: equal; as if they were unsigned
		(1, with_bytes(e.image, 68, substr(e.image, 61, 8))),
		(2, with_bytes(e.image, 60, substr(e.image, 69, 16) || substr(e.image, 61, 8))),
		-- the filter of a column has a list; keys of another family and subtype
		(3, with_bytes(with_bytes(k.image, 76 + 8, '\x02'), 76 + 10, '\x01')),
		(4, with_bytes(with_bytes(e.image, 84 + 8, '\x0e'), 84 + 16, '\x01')),
		-- the keys of all columns are of another family
		(5, with_bytes(e.image, 8, '\x02')),
		(6, with_bytes(with_bytes(k.image, 8, '\x0e'), 16, '\x01')),
		-- other blocks than those of the columns, or of filters without keys
		(7, with_bytes(k.image, 28, '\x02') || substr(k.image, k.slices + 1)),
		(8, with_bytes(substr(e.image, 1, e.slices + 4096), 28, '\x01')),
		(9, with_bytes(l.image, 28, '\x02') || substr(l.image, l.slices + 1)),
		-- slices: a bit more, a bit less, a bit of another column, of a copy and of no column
		(10, with_bytes(e.image, e.slices, '\x01')),
		(11, with_bytes(e.image, e.slices + 8, '\x00')),
		(12, with_bytes(e.image, e.slices + 8, '\x01')),
		(13, with_bytes(e.image, e.slices + 303 * 8, '\x00')),
		(14, with_bytes(e.image, e.slices + (512 + 303) * 8, '\x01')),
		(15, with_bytes(e.image, e.slices + 304 * 8, '\x04')),
		(16, with_bytes(e.image, e.slices, '\x08')),
		(17, with_bytes(e.image, e.slices + 7, '\x80')),
		(18, with_bytes(c.image, c.slices + 8, '\x02')),
		(19, with_bytes(l.image, l.slices, '\x02')),
		(20, with_bytes(k.image, k.slices, '\x01')),
		(21, with_bytes(e.image, length(e.image) - 1, '\x80')),
		-- zeros before the slices
		(22, with_bytes(e.image, e.slices - 1, '\x80')),
		(23, with_bytes(e.image, e.records_end, '\x01')),
		-- of more than 512 MB, and of as many bytes as overflow makes of the sizes
		(24, with_bytes(e.image, 12, '\xffffffff')),
		(25, with_bytes(e.image, 28, '\x00008000')),
		(26, with_bytes(e.image, 28, '\x01008000')),
		(27, with_bytes(e.image, 12, '\x00000020')),
		(28, with_bytes(e.image, 12, '\x00000080')),
		(29, with_bytes(e.image, 12, '\x41000000')),
		-- of another length
		(30, ''), (31, '\x04'), (32, substr(e.image, 1, 59)), (33, substr(e.image, 1, 60)),
		(34, substr(e.image, 1, e.slices)), (35, substr(e.image, 1, length(e.image) - 1)), (36, e.image || '\x00'),
		(37, e.image || e.image)) v(n, bytes)
ORDER BY v.n;

-- filters
INSERT INTO malformed_matrix (bytes)
SELECT decode(image, 'base64') FROM filter WHERE name IN ('no keys', 'one block', 'counting, one block', 'cuckoo, no keys')
ORDER BY n;

UPDATE malformed_matrix SET reason = reason_of('bloom_matrix', text_of(bytes));

\set file :folder '/malformed_matrices.json'
\o :file
SELECT lines_of(array_agg(json_build_object('text', text_of(bytes), 'reason', reason) ORDER BY n))
FROM (SELECT min(n) AS n, bytes, reason FROM malformed_matrix WHERE reason IS NOT NULL GROUP BY bytes, reason) s;
\o
