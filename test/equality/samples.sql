--
-- Types that SQL can compare, sample values of each, and the pairs of types that have an =.  A test
-- makes a schema for them first.
--

SET client_min_messages = warning;
-- A zone whose clocks were set forward and back until 2010 and are not any more, so that
-- a time without a date has the same offset all year.
SET timezone = 'Europe/Moscow';
-- thousands of queries, too short to compile or to start a worker for
SET jit = off;
SET max_parallel_workers_per_gather = 0;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN small AS int2;
CREATE DOMAIN price AS numeric(12, 2);
CREATE DOMAIN word AS varchar(20);
CREATE DOMAIN label AS char(8);
CREATE TYPE pair AS (a int, b text);
CREATE TYPE other_pair AS (x int, y text);
CREATE DOMAIN full_pair AS pair;
CREATE DOMAIN numbers AS int[];
CREATE TYPE floatrange AS RANGE (subtype = float8);
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");

-- The types, as in a cast, each with the class of its samples.
CREATE TABLE type (no serial, name text PRIMARY KEY, class text NOT NULL);
INSERT INTO type (name, class)
SELECT name, class
FROM (VALUES
	(1, 'bool', ARRAY['bool']),
	(2, 'number', ARRAY['int2', 'int4', 'int8', 'numeric', 'small', 'price', 'float4', 'float8',
		'money']),
	(3, 'oid', ARRAY['oid', 'regclass', 'regcollation', 'regconfig', 'regdictionary',
		'regnamespace', 'regoper', 'regoperator', 'regproc', 'regprocedure', 'regrole',
		'regtype']),
	(3.5, 'xid', ARRAY['xid', 'xid8', 'cid']),
	(4, 'text', ARRAY['text', 'varchar', 'word', 'bpchar', 'char(5)', 'label', 'name', '"char"',
		'mood']),
	(5, 'bytea', ARRAY['bytea']),
	(6, 'uuid', ARRAY['uuid']),
	(7, 'time', ARRAY['date', 'timestamp', 'timestamp(0)', 'timestamptz', 'time', 'timetz']),
	(7.5, 'interval', ARRAY['interval']),
	(8, 'network', ARRAY['inet', 'cidr']),
	(9, 'macaddr', ARRAY['macaddr', 'macaddr8']),
	(10, 'bit', ARRAY['bit(4)', 'bit(8)', 'varbit']),
	(11, 'array', ARRAY['int2[]', 'int4[]', 'int8[]', 'numeric[]', 'float4[]', 'float8[]',
		'bool[]', 'text[]', 'varchar[]', 'bpchar[]', 'name[]', 'mood[]', 'oid[]', 'numbers',
		'jsonb[]']),
	(12, 'vector', ARRAY['int2vector', 'oidvector']),
	(13, 'row', ARRAY['pair', 'other_pair', 'full_pair']),
	(14, 'record', ARRAY['record']),
	(15, 'range', ARRAY['int4range', 'int8range', 'numrange', 'floatrange', 'textrange',
		'daterange', 'tsrange', 'tstzrange', 'int4multirange', 'int8multirange', 'nummultirange',
		'datemultirange', 'tsmultirange', 'tstzmultirange']),
	(16, 'document', ARRAY['jsonb', 'tsvector', 'tsquery']),
	(17, 'geometry', ARRAY['box', 'circle', 'line', 'lseg', 'path']),
	(18, 'other', ARRAY['pg_lsn', 'tid', 'aclitem', 'bloom_key', 'bloom', 'counting_bloom',
		'cuckoo']))
	AS class (no, class, names), unnest(names) WITH ORDINALITY AS n (name, place)
ORDER BY class.no, place;

--
-- The samples: of these literals, those that a type accepts
--

CREATE TABLE spelling (no serial, class text, literal text, UNIQUE (class, literal));

-- scales, exponents, signs, leading zeros and blanks
INSERT INTO spelling (class, literal)
SELECT 'number', replace(form, '#', n)
FROM unnest(ARRAY['0', '1', '-1', '2', '10', '23', '100', '1259', '32767', '-32768', '65536',
		'16777216', '16777217', '2147483647', '-2147483648', '2147483648', '4294967295',
		'4294967296', '9007199254740992', '9007199254740993', '9223372036854775807',
		'-9223372036854775808', '9223372036854775808', '100000000000000000000000000000']) n,
	unnest(ARRAY['#', '#.0', '#.000', '#e0', '#0e-1', ' # ']) form;
INSERT INTO spelling (class, literal)
SELECT 'number', unnest(ARRAY['+1', '01', '0.1e1', '1e2', '0.01e4', '-0', '-0.0', '0e-20',
	'0.5', '.5', '0.50', '5e-1', '-0.5', '0.1', '0.10', '1e-1', '0.333333333333333333',
	'1.00000000000000000001', '1e-10', '0.0000000001', '1e-40', '1e-320', '5e-324', '1e40',
	'1e300', '16777216.5', '9007199254740992.5', 'NaN', 'nan', 'Infinity', 'inf', '-Infinity',
	'-inf', ' infinity ', '1,000', '$1.00']);

INSERT INTO spelling (class, literal)
SELECT 'oid', unnest(ARRAY['0', '1', '01', ' 1 ', '10', '23', '100', '1259',
	'2147483648', '4294967295', 'pg_class', 'pg_catalog.pg_class', '"pg_class"', 'int4',
	'integer', 'pg_catalog.int4', '"C"', 'pg_catalog."C"', 'simple', 'pg_catalog.simple',
	'pg_catalog', 'pg_monitor', 'now', 'now()', 'pg_catalog.now()', '+(integer,integer)',
	'||/', '-1', '1.0']);

INSERT INTO spelling (class, literal)
SELECT 'bool', unnest(ARRAY['t', 'true', 'TRUE', 'yes', 'on', '1', ' y ', 'f', 'false', 'no',
	'off', '0', 'n']);

-- blanks; those of a name are cut at 63 bytes, those of some types before
INSERT INTO spelling (class, literal)
SELECT 'text', word || blanks
FROM unnest(ARRAY['', 'a', 'A', ' a', 'ab', 'a1', '1', '1.0', 'sad', 'ok', 'happy', 'NULL',
		'a b', '\x61', repeat('x', 70), repeat('long ', 1000)]) word,
	unnest(ARRAY['', ' ', '   ', E'\t']) blanks;
-- from other encodings, composed, and beyond the first 65536 characters
INSERT INTO spelling (class, literal)
VALUES ('text', convert_from('\xe9', 'LATIN1')), ('text', U&'e\0301'),
	('text', convert_from('\x80', 'WIN1252')), ('text', convert_from('\xc6fccbdc', 'EUC_JP')),
	('text', convert_from('\x93fa967b ', 'SJIS')), ('text', U&'\+01F600')
ON CONFLICT DO NOTHING;

INSERT INTO spelling (class, literal)
SELECT 'bytea', unnest(ARRAY['', '\x', 'a', '\x61', '\141', '\x6100', 'a\000', 'A', '\xDEADBEEF',
	'\xdeadbeef', '\xde ad be ef', '\336\255\276\357', '\x00', '\000', '\\', '\x5c']);

INSERT INTO spelling (class, literal)
SELECT 'uuid', replace(form, '#', digits)
FROM unnest(ARRAY['a0eebc999c0b4ef8bb6d6bb9bd380a11', '00000000000000000000000000000001',
		'00000000000000000000000000000000', 'ffffffffffffffffffffffffffffffff']) d (digits),
	unnest(ARRAY['#', '{#}']) form
UNION ALL
SELECT 'uuid', unnest(ARRAY['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
	'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11}']);

INSERT INTO spelling (class, literal)
SELECT 'xid', unnest(ARRAY['0', '1', '2', '23', '100', '32767', '2147483648', '4294967295']);

-- zones, also where clocks are set forward (30 March) and back (26 October)
INSERT INTO spelling (class, literal)
SELECT 'time', unnest(ARRAY['2008-02-29', '20080229', 'Feb 29 2008', '2008-02-29 00:00',
	'2008-02-29 12:00', '2008-02-29 12:00:00.000000', '2008-02-29 12:00:00.000001',
	'2008-02-29 12:00:00.4', '2008-02-29 09:00+00', '2008-02-29 12:00+03', '2008-02-29 09:00Z',
	'2008-02-29 04:00 America/New_York', '2008-02-29 14:30 Asia/Kolkata', '2008-02-29 24:00',
	'2008-03-01', '2008-02-28 21:00+00', '2008-03-30 01:59:59', '2008-03-30 02:30',
	'2008-03-30 03:30', '2008-03-29 23:30+00', '2008-03-30 03:30 Europe/Moscow',
	'2008-10-26 02:30', '2008-10-26 02:30+04', '2008-10-26 02:30+03', '2008-10-25 22:30+00',
	'2008-10-25 23:30+00', '2008-10-25 18:30 America/New_York', '2008-07-01 12:00',
	'2008-07-01 08:00Z', '2000-01-01', '2000-01-01 00:00', '1999-12-31 21:00Z', '4713-01-01 BC',
	'epoch', 'infinity', '-infinity', '00:00', '24:00', '00:00:00.0', '12:00', '12:00:00',
	'12:00 PM', '120000', '12:00+03', '09:00+00', '13:00+04', '12:00+00', '12:00-05']);
INSERT INTO spelling (class, literal)
SELECT 'interval', unnest(ARRAY['0', '00:00', '12:00', '12:00:00.000', '12 hours', '43200 s',
	'PT12H', '1 day', '24:00', '24 hours', '1 mon', '30 days', '720:00', '1 year', '12 mons',
	'360 days', '-1 day', '1 day -48 hours']);

INSERT INTO spelling (class, literal)
SELECT 'network', unnest(ARRAY['10.0.0.1', '10.0.0.1/32', '10.0.0.1/8', '10.0.0.0/8', '10/8', '10',
	'10.0/8', '10.0.0.0/16', '10.0/16', '10.0.0.0', '10.0.0.0/32', '10.0.0.0/24', '10.0.0/24',
	'0.0.0.0', '0.0.0.0/0', '0/0', '::', '::/0', '::/128', '::1', '::1/128', '0:0:0:0:0:0:0:1',
	'0000::0001', '::ffff:10.0.0.1', '::FFFF:a00:1', '::10.0.0.1', '::a00:1', '2001:db8::',
	'2001:DB8:0::0/128', '2001:db8::/32', '2001:0db8:0:0:0:0:0:0/32', '2001:db8::1',
	'2001:db8:0:0::1', '255.255.255.255', '255.255.255.255/32']);

INSERT INTO spelling (class, literal)
SELECT 'macaddr', unnest(ARRAY['08:00:2b:01:02:03', '08-00-2B-01-02-03', '08002b:010203',
	'08002b-010203', '0800.2b01.0203', '0800-2b01-0203', '08002b010203', '08:00:2b:01:02:04',
	'00:00:00:00:00:00', '08:00:2b:ff:fe:01:02:03', '08002bfffe010203', '0800.2bff.fe01.0203',
	'08:00:2b:00:00:01:02:03', '08:00:2b:01:02:03:04:05', '0800:2b01:0203:0405']);

INSERT INTO spelling (class, literal)
SELECT 'bit', unnest(ARRAY['', '0', '1', '101', '0101', '1010', '10100000', 'xa', 'xA0', 'b1010']);

-- bounds, dimensions, nulls, and what would be equal if one were written behind another
INSERT INTO spelling (class, literal)
SELECT 'array', unnest(ARRAY['{}', '{NULL}', '{NULL,NULL}', '{1}', '[1:1]={1}', '[0:0]={1}',
	'{01}', '{1.0}', '{1.00}', '{1e0}', '{1,2}', '[1:2]={1,2}', '[0:1]={1,2}', '{2,1}', '{12}',
	'{{1,2}}', '{{1},{2}}', '[1:1][1:2]={{1,2}}', '{NULL,1}', '{1,NULL}', '{NaN}', '{nan}',
	'{-0.0}', '{0}', '{-0}', '{Infinity}', '{9007199254740993}', '{a}', '{"a"}', '{a,1c}',
	'{a1,c}', '{"a,1c"}', '{"a "}', '{a,b}', '{ab}', '{""}', '{"NULL"}', '{sad}', '{sad,ok}',
	'{t}', '{true,false}', '{t,f}', '{"{\"a\": 1}"}', '{"{\"a\":1.0}"}']);

INSERT INTO spelling (class, literal)
SELECT 'vector', unnest(ARRAY['', '1', '01', '1 2', '1  2', '2 1', '12']);

INSERT INTO spelling (class, literal)
SELECT 'row', unnest(ARRAY['(,)', '(1,)', '(1,"")', '(,a)', '(01,a)', '( 1 ,a)', '(1,a)',
	'(1,"a")', '(1,"a ")', '(1,A)', '(2,a)', '(12,)', '(1,2)']);
-- expressions rather than literals: there is no cast to record
INSERT INTO spelling (class, literal)
SELECT 'record', unnest(ARRAY['ROW(1, NULL::text)', 'ROW(NULL::int, ''a''::text)',
	'ROW(1, ''''::text)', 'ROW(1, ''a''::text)', 'ROW(''01''::int, ''a''::text)',
	'ROW(1, ''a ''::text)', 'ROW(2, ''a''::text)', 'ROW(12, ''''::text)', 'ROW(1, ''2''::text)']);

INSERT INTO spelling (class, literal)
SELECT 'range', unnest(ARRAY['empty', '(1,1)', '[1,1)', '[1,1]', '(0,1]', '[1,2)', '(0,2)',
	'[1.0,2.00)', '(0,4]', '[1,5)', '[1,4]', '(0,5)', '[1,5]', '(1,5]', '(,)', '[,]', '(,5)',
	'(,4]', '[5,)', '(4,)', '[-0.0,1)', '[0,1)', '[NaN,NaN]', '(,Infinity]', '[a,b)',
	'["a","b")', '[A,b)', '[a,b]', '[ab,b)', '[2024-01-01,2024-01-31]',
	'[2024-01-01,2024-02-01)', '(2023-12-31,2024-01-31]', '[2024-01-01 00:00,2024-02-01 00:00)',
	'[2023-12-31 23:00Z,2024-01-31 23:00Z)', '(,infinity)', '(,infinity]', '{}', '{[1,5)}',
	'{[1,4]}', '{(0,4]}', '{[1,3),[3,5)}', '{[1,3],[2,4]}', '{(,)}',
	'{[2024-01-01,2024-01-31]}', '{[2024-01-01,2024-02-01)}']);

INSERT INTO spelling (class, literal)
SELECT 'document', unnest(ARRAY['{"a": 1}', '{"a":1}', '{"a":1.0}', '{"b":2,"a":1}',
	'{"a":1,"b":2}', '{"a":0,"a":1}', '1', '1.0', '1e0', '"a"', '[1,2]', '[1, 2.0]', 'null', 'a b',
	'b a', 'a:1 b:2', 'b:2 a:1', 'a & b', 'a&b', 'b & a', '!!a', 'a']);

INSERT INTO spelling (class, literal)
SELECT 'geometry', unnest(ARRAY['(0,0),(1,1)', '(1,1),(0,0)', '(0,1),(1,0)', '(0,0),(2,0.5)',
	'<(0,0),1>', '<(1,1),1>', '{1,2,3}', '{2,4,6}', '[(0,0),(1,1)]', '((0,0),(1,1))',
	'[(0,0),(1,1),(2,0)]', '[(1,1),(0,0)]']);

INSERT INTO spelling (class, literal)
SELECT 'other', unnest(ARRAY['0/1', '0/01', '0/00000001', '1/0', '(0,1)', '(0,01)', '(1,0)',
	'=r/' || quote_ident(current_user), '=rw/' || quote_ident(current_user),
	bloom_key(1)::text, bloom_key('1')::text, bloom_key(1.00)::text, bloom_key(ARRAY[1])::text,
	bloom_create(10)::text, bloom_add(bloom_create(10), 1)::text,
	bloom_add(bloom_create(10), 1.00)::text, counting_bloom_create(10)::text,
	counting_bloom_add(counting_bloom_create(10), 1)::text, cuckoo_create(10)::text,
	cuckoo_add(cuckoo_create(10), 1)::text])
ON CONFLICT DO NOTHING;

-- What stands for each value in a query, and whether SQL can compare that with an oid: of
-- class "number", not all can.
CREATE TABLE value (type text, no int, expression text, with_oid boolean,
	PRIMARY KEY (type, no));
CREATE FUNCTION is_accepted(expression text) RETURNS boolean
LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE 'SELECT ' || expression;
	RETURN true;
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END
$$;
INSERT INTO value
SELECT name, row_number() OVER (PARTITION BY type.no ORDER BY spelling.no), expression,
	class <> 'number' OR is_accepted(format('(%s)::oid', expression))
FROM type JOIN spelling USING (class),
	LATERAL (SELECT CASE class WHEN 'record' THEN literal ELSE format('%L::%s', literal, name) END
		AS expression) e
WHERE is_accepted(expression);

--
-- The pairs of types
--

-- Is there an = for two types, directly or through implicit casts?
CREATE FUNCTION comparable(a text, b text) RETURNS boolean
LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('SELECT NULL::%s = NULL::%s', a, b);
	RETURN true;
EXCEPTION WHEN undefined_function OR ambiguous_function THEN
	RETURN false;
END
$$;

CREATE TABLE pair_of_types AS
SELECT a.no AS a_no, b.no AS b_no, a.name AS a, b.name AS b
FROM type a, type b
WHERE comparable(a.name, b.name);
