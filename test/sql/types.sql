--
-- Every type of the catalogue
--
-- A type is refused with SQLSTATE 0A000 and a hint, or else its values are the
-- same key exactly when its own = says that they are equal.  Tried on every
-- type there is, with every literal that it accepts; what is printed is
-- violations.
--
-- Left to --ci, for its time.
--
\a\t

\set ECHO none
CREATE SCHEMA types;
SET search_path = types, public;
\set SHOW_CONTEXT never
SET client_min_messages = warning;

--
-- Types of users
--

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE same_mood AS ENUM ('happy', 'ok', 'sad');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE wide_pair AS (x bigint, y varchar);
CREATE TYPE nested AS (p pair, q pair[], r int4range, m mood);
CREATE TYPE with_money AS (a int, m money);
CREATE TYPE no_column AS ();
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");
CREATE TYPE floatrange AS RANGE (subtype = float8);
CREATE TYPE pairrange AS RANGE (subtype = pair);
CREATE TYPE moodrange AS RANGE (subtype = mood);
CREATE TYPE moneyrange AS RANGE (subtype = money);
-- ordered by operators that are not the default
CREATE TYPE patternrange AS RANGE (subtype = text, subtype_opclass = text_pattern_ops);

CREATE TABLE narrowed (a int, dropped money, b text);
ALTER TABLE narrowed DROP COLUMN dropped;

-- format_type would not do: its character is character(1)
CREATE FUNCTION type_name(t oid) RETURNS text
LANGUAGE sql STABLE AS
$$
	SELECT format('%I.%I', nspname, typname)
	FROM pg_type JOIN pg_namespace n ON n.oid = typnamespace
	WHERE pg_type.oid = t;
$$;

-- a domain over each type of the system's and of ours, then some over domains
DO $$
DECLARE
	t record;
BEGIN
	FOR t IN
		SELECT oid, typname FROM pg_type
		WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm')
			OR typnamespace = 'types'::regnamespace
			OR typname IN ('bloom', 'bloom_key', 'bloom_matrix', 'counting_bloom', 'cuckoo')
		ORDER BY oid
	LOOP
		EXECUTE format('CREATE DOMAIN %I AS %s', 'd' || t.typname, type_name(t.oid));
	END LOOP;
END
$$;
CREATE DOMAIN blank AS char(3);
CREATE DOMAIN positive AS dint4 CHECK (VALUE > 0);
CREATE DOMAIN positives AS positive[];
CREATE DOMAIN listed_pair AS dpair CHECK ((VALUE).a > 0);
CREATE TYPE of_domains AS (a positive, b blank, c positives, d listed_pair);

--
-- Samples: every type takes from this pool what it accepts
--

CREATE TABLE pool (literal text);
INSERT INTO pool
SELECT unnest(ARRAY[
	-- numbers
	'0', '1', '1.0', '1.00', '01', '-1', '2', '1e2', '100', '100.00', '-0', '-0.0',
	'0.0', '0.1', '0.10', '0.5', '1e-10', '32767', '2147483648', '16777217',
	'9007199254740993', '9223372036854775807', '9223372036854775808',
	'9223372036854775808.0', '-9223372036854775808', '-9223372036854775809',
	'123456789012345678901234567890', '1e40', 'NaN', 'nan', 'Infinity',
	'-Infinity', 'infinity', '-infinity',
	-- truth, text
	't', 'f', 'true', 'false', 'yes', '', ' ', 'a', 'A', 'a ', ' a', 'ab', 'abc',
	'a1', '1c', '\', '\x', '\x61', '\x6100', '\141', 'sad', 'ok', 'happy',
	-- uuid
	'00000000-0000-0000-0000-000000000001', '00000000000000000000000000000001',
	'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{a0eebc999c0b4ef8bb6d6bb9bd380a11}',
	-- time
	'2024-02-29', '20240229', '2024-02-29 00:00', '2024-02-29 12:00',
	'2024-02-29 12:00:00.000000', '2024-02-29 12:00:00.000001',
	'2024-02-29 12:00+00', '2024-02-29 13:00+01', '4713-01-01 BC', '2000-01-01',
	'12:00', '12:00:00', '24:00', '00:00', '12:00+01', '11:00+00',
	'1 day', '24 hours', '1 mon', '30 days',
	-- network
	'10.0.0.1', '10.0.0.1/32', '10.0.0.0/8', '10/8', '10.0.0.0/16', '::1', '::1/128',
	'0:0:0:0:0:0:0:1', '::ffff:10.0.0.1', '::10.0.0.1',
	'08:00:2b:01:02:03', '0800.2b01.0203', '08:00:2b:ff:fe:01:02:03',
	'08:00:2b:01:02:03:04:05',
	-- ranges, multiranges
	'empty', '(,)', '[,]', '(0,4]', '[1,5)', '[1,4]', '[1.0,5.00)', '[1,5]', '(1,5)',
	'(,5)', '[1,)', '[1,1]', '[1,1)', '[-0.0,1]', '[0.0,1]', '[2024-01-01,2024-02-01)',
	'(2023-12-31,2024-01-31]', '[2024-01-01 00:00,2024-02-01)', '[a,b)', '["a","b")',
	'[a,b]', '[sad,ok]', '["(1,a)","(2,b)"]', '[(1\,a),(2\,b)]',
	'{}', '{[1,5)}', '{(0,4]}', '{[1,3),[3,5)}', '{[a,b)}',
	-- the rest
	'101', '1010', '(1,2)', '(1,2),(3,4)', '(3,4),(1,2)', '[(0,0),(1,1)]',
	'<(1,2),3>', '{1,2,3}', '((0,0),(1,1),(1,0))', '{"a": 1}', '{"a":1}', '[1,2]',
	'null', '"a"', 'a b', 'a & b', '$.a', '<a/>', '0/1', '0/01', '10:20:10,14',
	'(0,1)', '1 2', '1  2', '2 1', 'pg_class', 'pg_catalog.pg_class', 'int4',
	'number:f58ff891333ec7a1', 'number:0000000000000000',
	'=r/' || quote_ident(current_user),
	bloom_create(10)::text, bloom_add(bloom_create(10), 1)::text,
	counting_bloom_create(10)::text, cuckoo_create(10)::text,
	(SELECT bloom_matrix_agg(NULL, NULL))::text]);

-- the pool's literals that a type accepts; for arrays and rows, literals made
-- from those of their parts
CREATE TABLE known (type oid PRIMARY KEY, literals text[]);

CREATE FUNCTION samples(t oid) RETURNS text[]
LANGUAGE plpgsql AS
$$
DECLARE
	name text := type_name(t);
	base oid;
	relation oid;
	element oid;
	part text[];
	row_of text;
	columns oid[];
	candidate text;
	candidates text[] := '{}';
	accepted text[];
BEGIN
	SELECT literals INTO accepted FROM known WHERE type = t;
	IF FOUND THEN
		RETURN accepted;
	END IF;

	SELECT typbasetype, typrelid,
		(SELECT e.oid FROM pg_type e WHERE e.typarray = p.oid)
	INTO base, relation, element
	FROM pg_type p WHERE oid = t;

	IF base <> 0 THEN
		candidates := samples(base);
	ELSIF element IS NOT NULL THEN
		part := samples(element);
		candidates := ARRAY['{}', '{NULL}'];
		IF cardinality(part) > 0 THEN
			SELECT candidates ||
				array_agg(prefix || elements ORDER BY prefix, elements)
			INTO candidates
			FROM (SELECT DISTINCT
					'{' || string_agg(to_json(part[i])::text, ',') || '}' AS elements,
					count(*) AS n
				  FROM (VALUES ('{1}'::int[]), ('{2}'), ('{3}'), ('{1,2}'), ('{2,1}'),
					  ('{3,4,5}'), ('{6,7,8,9,10,11,12,13,14,15,16,17}')) s (indexes),
					  unnest(indexes) i
				  WHERE part[i] IS NOT NULL
				  GROUP BY indexes) e,
				(VALUES (''), ('[0:0]='), ('[2:3]=')) p (prefix)
			WHERE prefix = '' OR prefix = '[0:0]=' AND n = 1 OR
				prefix = '[2:3]=' AND n = 2;
			candidates := candidates ||
				format('{%s,NULL}', to_json(part[1])) ||
				format('{NULL,%s}', to_json(part[1])) ||
				format('{{%s}}', to_json(part[1]));
		END IF;
	ELSIF relation <> 0 THEN
		-- nothing but nulls; one column filled; all columns filled
		SELECT coalesce(array_agg(atttypid ORDER BY attnum), '{}') INTO columns
		FROM pg_attribute
		WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped;
		candidates := ARRAY['(' || repeat(',', cardinality(columns) - 1) || ')'];
		row_of := '(';
		FOR i IN 1 .. cardinality(columns) LOOP
			part := samples(columns[i]);
			row_of := row_of || CASE i WHEN 1 THEN '' ELSE ',' END ||
				coalesce('"' || replace(replace(part[1], '\', '\\'), '"', '\"') || '"', '');
			CONTINUE WHEN i > 4;
			FOR j IN 1 .. least(cardinality(part), 4) LOOP
				candidates := candidates || (
					'(' || repeat(',', i - 1) ||
					'"' || replace(replace(part[j], '\', '\\'), '"', '\"') || '"' ||
					repeat(',', cardinality(columns) - i) || ')');
			END LOOP;
		END LOOP;
		candidates := candidates || (row_of || ')');
	ELSE
		candidates := ARRAY(SELECT literal FROM pool);
	END IF;

	accepted := '{}';
	FOREACH candidate IN ARRAY candidates LOOP
		BEGIN
			EXECUTE format('SELECT %L::%s', candidate, name);
			accepted := accepted || candidate;
		EXCEPTION WHEN OTHERS THEN
		END;
	END LOOP;
	INSERT INTO known VALUES (t, accepted);
	RETURN accepted;
END
$$;

--
-- The property
--

CREATE TABLE accepted (type oid PRIMARY KEY, family text);
CREATE TABLE refused (type oid PRIMARY KEY, hint text);

-- Is an expression refused as it should be?  Null, or what is wrong.
CREATE FUNCTION not_refused(expression text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	result text;
	hint text;
BEGIN
	EXECUTE 'SELECT ' || expression INTO result;
	RETURN expression || ' is not refused: ' || left(result, 40);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	IF SQLSTATE = '0A000' AND hint <> '' AND SQLERRM ~ '^cannot use ' THEN
		RETURN NULL;
	END IF;
	RETURN expression || ': ' || SQLSTATE || ' ' || SQLERRM || ' ' || hint;
END
$$;

-- The key that is made of a value as the hint of its refusal says: null, or what is wrong.
CREATE FUNCTION wrong_advice(form text, typed text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	value text := replace(format(form, typed), '\', '\\');
	hint text;
	key text;
	found boolean;
BEGIN
	BEGIN
		EXECUTE format('SELECT bloom_key(' || form || ')', typed);
	EXCEPTION WHEN feature_not_supported THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	END;
	key := coalesce(
		regexp_replace(substring(hint FROM '^Use (.*) as the key\.'), '\mx\M', value, 'g'),
		regexp_replace(substring(hint FROM '^Use (.*) for the array a\.'), '\ma\M', value, 'g'));
	-- no SQL for rows and ranges, for filters and for parts that are keys already
	IF hint ~ '^(Use a row of its bounds|Select the columns that make up the key)' OR
		hint = 'Cast it to an array of a named composite type.' OR
		hint ~ '^(A filter or matrix comes before the key|Make the key from the whole value)' THEN
		RETURN NULL;
	END IF;
	IF key IS NULL THEN
		RETURN typed || ': ' || hint;
	END IF;
	EXECUTE format('SELECT bloom_contains(bloom_agg(%1$s), %1$s)', key) INTO found;
	RETURN CASE WHEN found IS NOT TRUE THEN key || ' gives ' || found END;
EXCEPTION WHEN OTHERS THEN
	RETURN key || ': ' || SQLERRM;
END
$$;

CREATE FUNCTION base_type(t oid) RETURNS oid
LANGUAGE sql STABLE AS
$$
	WITH RECURSIVE base (oid, typbasetype) AS (
		SELECT oid, typbasetype FROM pg_type WHERE oid = t
		UNION ALL
		SELECT p.oid, p.typbasetype FROM base b JOIN pg_type p ON p.oid = b.typbasetype)
	SELECT oid FROM base WHERE typbasetype = 0;
$$;

-- everything that is wrong with values of a type as keys
CREATE FUNCTION violations(t oid) RETURNS SETOF text
LANGUAGE plpgsql AS
$$
DECLARE
	name text := type_name(t);
	has_array boolean := (SELECT typarray <> 0 FROM pg_type WHERE oid = t);
	literals text[] := samples(t);
	typed text;
	family text;
	hint text;
	problem text;
BEGIN
	IF literals = '{}' THEN
		RETURN;
	END IF;

	BEGIN
		typed := format('%L::%s', literals[1], name);
		EXECUTE format('SELECT bloom_key(%s)', typed) INTO family;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		INSERT INTO refused VALUES (t, hint);

		-- refused by every function, with every value
		RETURN QUERY
			SELECT name || ': ' || not_refused(format(form, typed))
			FROM unnest(ARRAY[
				'bloom_key(%s)', 'bloom_agg(%s)', 'bloom_agg(%s, 0.1)',
				'bloom_agg(%s, 10, 0.1)', 'bloom_add(bloom_create(10), %s)',
				'bloom_contains(bloom_create(10), %s)', 'bloom_create(10) @> %s',
				'%s <@ bloom_create(10)', 'bloom_contains(bloom_agg(1), %s)']) form
			WHERE not_refused(format(form, typed)) IS NOT NULL;
		IF has_array THEN
			RETURN QUERY
				SELECT name || ': ' || not_refused(format(form, typed))
				FROM unnest(ARRAY[
					'bloom_key(ARRAY[%s])', 'bloom_agg(ARRAY[%s])',
					'bloom_add_all(bloom_create(10), ARRAY[%s])',
					'bloom_contains_any(bloom_create(10), ARRAY[%s])',
					'bloom_contains_all(bloom_create(10), ARRAY[%s])']) form
				WHERE not_refused(format(form, typed)) IS NOT NULL;
		END IF;
		RETURN QUERY
			SELECT name || ': ' || not_refused(format('bloom_key(%L::%s)', literal, name))
			FROM unnest(literals) literal
			WHERE not_refused(format('bloom_key(%L::%s)', literal, name)) IS NOT NULL;

		-- what the hint says instead is a key
		RETURN QUERY
			SELECT name || ': ' || wrong
			FROM unnest(literals) literal, wrong_advice('%s', format('%L::%s', literal, name)) wrong
			WHERE wrong <> '';
		IF has_array THEN
			RETURN QUERY
				SELECT name || '[]: ' || wrong
				FROM unnest(literals) literal,
					wrong_advice('ARRAY[%s]', format('%L::%s', literal, name)) wrong
				WHERE wrong <> '';
		END IF;
		RETURN;
	END;

	INSERT INTO accepted VALUES (t, substring(family FROM '^[a-z]+'));

	-- a literal of undecided type is text, but has no operators of its own
	IF t = 'unknown'::regtype THEN
		RETURN;
	END IF;

	-- its = (that of its base type, for a domain) and ours, for all pairs
	RETURN QUERY EXECUTE format(
		'WITH sample AS MATERIALIZED (
			SELECT l, v, bloom_key(v) AS key, bloom_add(bloom_create(10), v) AS filter
			FROM (VALUES %1$s) s (l, v)),
		pair AS MATERIALIZED (
			SELECT a.v::%3$s = b.v::%3$s AS equal, a.l, a.v, a.key, a.filter,
				b.l AS bl, b.v AS bv, b.key AS bkey, b.filter AS bfilter
			FROM sample a, sample b)
		SELECT %2$L || '': '' || l || '', '' || bl || '': = is '' || equal::text ||
			'', keys '' || key::text || '', '' || bkey::text
		FROM pair
		WHERE (key = bkey) IS DISTINCT FROM equal
			OR bloom_contains(filter, bv) IS DISTINCT FROM equal
			OR (bv <@ filter) IS DISTINCT FROM equal
			OR (filter @> bkey) IS DISTINCT FROM equal
			OR (filter = bfilter) IS DISTINCT FROM equal',
		(SELECT string_agg(format('(%1$L, %1$L::%2$s)', literal, name), ', ')
		 FROM unnest(literals) literal), name, type_name(base_type(t)));

	-- a filter of all of them, however it is made
	RETURN QUERY EXECUTE format(
		'WITH sample AS MATERIALIZED (SELECT v FROM (VALUES %1$s) s (v)),
		filter AS MATERIALIZED (
			SELECT bloom_agg(v) AS f, bloom_agg(bloom_key(v)) AS g, bloom_agg(v, 10, 0.1) AS h
			FROM sample)
		SELECT %2$L || '': '' || v::text || '' is missing''
		FROM sample, filter
		WHERE NOT (f @> v AND g @> v AND h @> v AND f @> bloom_key(v))
		UNION ALL
		SELECT %2$L || '': bloom_agg of keys differs''
		FROM filter
		WHERE f <> g',
		(SELECT string_agg(format('(%L::%s)', literal, name), ', ')
		 FROM unnest(literals) literal), name);

	-- the same as elements
	IF has_array THEN
		RETURN QUERY EXECUTE format(
			'SELECT %2$L || '': '' || v::text || '' is missing in an array''
			FROM (VALUES %1$s) s (v),
				LATERAL (SELECT bloom_add_all(bloom_create(10), ARRAY[v, v]) AS f) f
			WHERE NOT (bloom_cardinality(f) = 1 AND f @> v AND
				bloom_contains_any(f, ARRAY[v]) AND bloom_contains_all(f, ARRAY[v, v]))',
			(SELECT string_agg(format('(%L::%s)', literal, name), ', ')
			 FROM unnest(literals) literal), name);
	END IF;
EXCEPTION WHEN OTHERS THEN
	RETURN NEXT name || ': ' || SQLSTATE || ' ' || SQLERRM;
END
$$;

-- some hundred thousand queries, too many to start a worker or to compile code for each
SET max_parallel_workers_per_gather = 0;
SET jit = off;
\set ECHO all
SELECT v AS violations
FROM (SELECT oid FROM pg_type ORDER BY oid OFFSET 0) t, violations(oid) v;

-- the families that were reached
SELECT string_agg(DISTINCT family, ', ') AS families FROM accepted;

-- the simple types of the system's that are keys
SELECT family, string_agg(typname, ', ' ORDER BY typname COLLATE "C") AS types
FROM accepted JOIN pg_type ON oid = type
WHERE typnamespace = 'pg_catalog'::regnamespace AND typcategory <> 'A'
	AND typtype IN ('b', 'r')
GROUP BY family
ORDER BY family COLLATE "C";

-- domains, enums, rows, arrays and ranges go with what they are made of
SELECT typname, coalesce(family, 'refused') AS family
FROM pg_type LEFT JOIN accepted ON oid = type
WHERE oid = ANY (ARRAY['mood', 'mood[]', 'dmood', 'pair', 'pair[]', 'dpair', 'nested',
	'with_money', 'with_money[]', 'no_column', 'textrange', 'floatrange', 'pairrange',
	'pairrange[]', 'moodrange', 'moneyrange', 'patternrange', 'patternrange[]',
	'textmultirange', 'narrowed', 'positive', 'positives', 'listed_pair', 'of_domains',
	'dtextrange', 'dpatternrange', 'djsonb', 'dnested']::regtype[])
ORDER BY typname;

-- what no literal is accepted for: pseudo-types and the server's own
SELECT count(*) > 0 AS some, bool_and(typtype = 'p' OR base_type(oid) IN (
		SELECT oid FROM pg_type
		WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype = 'b') OR
		typname = 'yes_or_no') AS only_those
FROM pg_type
WHERE oid NOT IN (SELECT type FROM accepted) AND
	oid NOT IN (SELECT type FROM refused);

--
-- Across the types of a family: as the reference type says
--

CREATE FUNCTION pool_of(families text, reference text, through text DEFAULT '%s')
RETURNS TABLE (samples bigint, types bigint, violations bigint)
LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE format(
		'WITH sample AS MATERIALIZED (%s)
		SELECT count(*), count(DISTINCT type),
			(SELECT count(*) FROM (
				SELECT FROM sample GROUP BY value HAVING count(DISTINCT key) > 1) v) +
			(SELECT count(*) FROM (
				SELECT FROM sample GROUP BY key HAVING count(DISTINCT value) > 1) v)
		FROM sample',
		(SELECT string_agg(format('SELECT %s AS type, bloom_key(%L::%s)::text AS key, '
								  '%s::%s AS value',
								  type, literal, type_name(type),
								  format(through, format('%L::%s', literal, type_name(type))),
								  reference), ' UNION ALL ')
		 FROM accepted JOIN known USING (type), unnest(literals) literal
		 WHERE type <> 'unknown'::regtype AND type_name(type) ~ families));
END
$$;

SELECT reference, samples > 50 AS many, types, violations
FROM (VALUES
	(1, '\.d?(int2|int4|int8|numeric|positive|cardinal_number)$', 'numeric', '%s'),
	(2, '\.d?(float4|float8)$', 'float8', '%s'),
	(3, '\.d?(text|varchar|bpchar|blank|name|mood|same_mood|sql_identifier|character_data)$',
		'text', '%s'),
	(4, '\.d?(inet|cidr)$', 'inet', '%s'),
	(5, '\.d?(macaddr|macaddr8)$', 'macaddr8', '%s'),
	(6, '\.d?(time_stamp|timestamptz)$', 'timestamptz', '%s'),
	(7, '\.d?(_int2|_int4|_int8|_numeric|positives)$', 'numeric[]', '%s'),
	(8, '\.d?(_float4|_float8)$', 'float8[]', '%s'),
	(9, '\.d?(_text|_varchar|_bpchar|_name|_mood)$', 'text[]', '%s'),
	(10, '\.d?(_inet|_cidr)$', 'inet[]', '%s'),
	(11, '\.d?(int4range|int8range|numrange)$', 'numrange', '%s::text'),
	(12, '\.d?(_int4range|_int8range|_numrange)$', 'numrange[]', '%s::text'))
	AS family (no, types_like, reference, through),
	pool_of(types_like, reference, through)
ORDER BY no;

\set ECHO none
--
-- Pairs that are neither of one type, as above, nor of two that SQL compares, as in "equality"
--

CREATE TABLE expected (no serial, same boolean, a text, b text);
INSERT INTO expected (same, a, b) VALUES
	-- simple types
	(true, '''NaN''::float8', '''NaN''::float8 * -1'),
	(true, '''NaN''::float8', '''infinity''::float8 - ''infinity''::float8'),
	(true, '''a''', '''a'' COLLATE "C"'),
	(false, '18446744073709551617', '1'), (false, '1', '''1''::text'), (false, '1', 'true'),
	(false, '''a''', '''a''::bytea'), (false, '''''', '''\x00'''),
	-- domains
	(true, '''{1,2}''::int8[]', '''{1,2}''::positives'),
	(true, 'ROW(1, ''a'')', '''(1,a)''::listed_pair'),
	-- arrays
	(true, '''{sad}''::mood[]', '''{sad}''::name[]'),
	(true, '''1 2''::int2vector', '''[0:1]={1,2}''::int[]'),
	(false, '''{1}''::int[]', '1'), (false, '''{1}''::int[]', '''{1}''::text[]'),
	(false, '''{}''::int[]', '''{}''::text[]'), (false, '''{NULL}''::int[]', '''{NULL}''::text[]'),
	-- rows
	(true, 'ROW(1, ''a'')', '''(1,a)''::wide_pair'), (true, 'ROW(1, ''a'')', '''(1,a)''::narrowed'),
	(true, 'ROW(1.0, ''a''::char(3))', '''(1,a)''::pair'),
	(true, 'ROW(ROW(1, 2), 3)', 'ROW(ROW(1.0, 2::int2), 3.00)'),
	(true, '''(1,a,"{2,3}","(4,b)")''::of_domains',
		'ROW(1, ''a'', ''{2,3}''::int[], ROW(4, ''b''))'),
	(false, 'ROW(1)', '1'), (false, 'ROW(1)', 'ROW(ROW(1))'), (false, 'ROW(1)', 'ROW(1, NULL)'),
	(false, 'ROW(NULL)', 'ROW('''')'), (false, 'ROW(NULL::int)', 'ROW(NULL::text)'),
	(false, 'ROW(1)', 'ROW(''1'')'), (false, 'ROW(ROW(1, 2), 3)', 'ROW(1, ROW(2, 3))'),
	(false, 'ROW(1, 2)', '''{1,2}''::int[]'), (false, 'ROW()', 'ROW(NULL)'),
	-- ranges
	(true, '''[-0.0,1]''::floatrange', '''[0,1]''::floatrange'),
	(true, '''["(1,a)","(2,b)"]''::pairrange', 'pairrange(''(1,a)'', ''(2,b)'', ''[]'')'),
	(false, '''empty''::int4range', '''empty''::textrange'),
	(false, '''empty''::daterange', '''empty''::tsrange'),
	(false, '''[1,5)''::int4range', '''[1,5)''::floatrange');

CREATE FUNCTION is_same(a text, b text) RETURNS boolean
LANGUAGE plpgsql AS
$$
DECLARE
	same boolean;
	found boolean;
BEGIN
	EXECUTE format('SELECT bloom_key(%s) = bloom_key(%s)', a, b) INTO same;
	BEGIN
		EXECUTE format('SELECT bloom_add(bloom_create(10), %s) @> %s', a, b) INTO found;
	EXCEPTION WHEN datatype_mismatch THEN
		found := false;
	END;
	RETURN CASE WHEN same = found THEN same END;
END
$$;
\set ECHO all

SELECT count(*) AS pairs, count(*) FILTER (WHERE same) AS same FROM expected;

-- violations: none
SELECT * FROM expected
WHERE is_same(a, b) IS DISTINCT FROM same OR is_same(b, a) IS DISTINCT FROM same
ORDER BY no;

--
-- Where there is no type to look at
--

ANALYZE pool;
-- error: an array without an element type, which is in the catalogue only
SELECT bloom_key(stavalues1) FROM pg_statistic WHERE starelid = 'pool'::regclass;
-- error: an array of records
SELECT bloom_key(ARRAY[ROW(1, 2)]);
SELECT bloom_key(ARRAY[]::record[]);
-- error: a null record inside a key has no known columns
SELECT bloom_key(ROW(1, NULL::record));

-- a null is no key, of whatever type
CREATE FUNCTION null_is_no_key(t oid) RETURNS boolean
LANGUAGE plpgsql AS
$$
DECLARE
	result boolean;
BEGIN
	EXECUTE format(
		'SELECT bloom_key(v) IS NULL AND bloom_add(f, v) = f AND
			bloom_contains(f, v) IS NULL AND (SELECT bloom_agg(NULL::%1$s)) = f
		FROM (SELECT bloom_create(1) AS f, NULL::%1$s AS v) x', type_name(t)) INTO result;
	RETURN result;
END
$$;

SELECT count(*) AS violations
FROM pg_type
WHERE typtype <> 'p' AND NOT null_is_no_key(oid);

DROP SCHEMA types CASCADE;
