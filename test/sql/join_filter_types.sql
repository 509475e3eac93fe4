-- bloomtype_join: keys of every type that the server can hash, and inner sides of no row, one and
-- two.  Those of parts, such as arrays, get no filter.

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
CREATE SCHEMA join_filter_types;
SET search_path = join_filter_types;
SET TimeZone = 'UTC';

CREATE TYPE color AS ENUM ('red', 'green', 'blue');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN positives AS positive[];
CREATE TABLE types (type text, one text, two text, three text, part_of text);
INSERT INTO types (type, one, two, three) VALUES
	('"char"', 'a', 'b', ''),
	('aclitem', '=r/postgres', '=w/postgres', 'postgres=r/postgres'),
	('bigint', '1', '-1', '9223372036854775807'),
	('boolean', 't', 'f', NULL),
	('bytea', '\x', '\x00', '\x0001'),
	('char(3)', 'a', 'ab ', ''),
	('cid', '1', '2', '4294967295'),
	('date', '2020-01-01', 'infinity', '0044-03-15 BC'),
	('float4', '-0', 'NaN', 'Infinity'),
	('float8', '-0', 'NaN', '1e300'),
	('inet', '10.0.0.1', '10.0.0.1/8', '::1'),
	('cidr', '10.0.0.0/8', '10.0.0.0/9', '::1/128'),
	('int', '1', '-1', '2147483647'),
	('interval', '1 month', '31 days', '-1 s'),
	('macaddr', '08:00:2b:01:02:03', '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff'),
	('macaddr8', '08:00:2b:01:02:03:04:05', '00:00:00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff:ff:ff'),
	('name', 'a', 'b', ''),
	('numeric', '1.50', 'NaN', '-1e40'),
	('oid', '1', '2', '4294967295'),
	('regclass', 'pg_class', 'pg_type', 'pg_proc'),
	('oidvector', '1 2', '', '4294967295'),
	('pg_lsn', '0/1', '0/0', 'FFFFFFFF/FFFFFFFF'),
	('smallint', '1', '-1', '32767'),
	('text', 'a', '', 'A'),
	('varchar(5)', 'a', 'a ', 'A'),
	('tid', '(0,1)', '(1,1)', '(4294967295,65535)'),
	('time', '00:00', '24:00', '12:00:00.000001'),
	('timetz', '00:00+01', '23:00+00', '12:00-12'),
	('timestamp', '2020-01-01', 'infinity', '0044-03-15 BC'),
	('timestamptz', '2020-01-01 00:00+01', '-infinity', '0044-03-15 BC'),
	('uuid', '00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000001',
		'ffffffff-ffff-ffff-ffff-ffffffffffff'),
	('xid', '1', '2', '4294967295'),
	('xid8', '1', '2', '18446744073709551615');
-- from 19 on
INSERT INTO types SELECT 'oid8', '1', '2', '18446744073709551615' WHERE to_regtype('oid8') IS NOT NULL;
INSERT INTO types VALUES
	('color', 'red', 'green', 'blue', 'anyenum'),
	('positive', '1', '2', '2147483647', NULL),
	-- types of parts
	('jsonb', '1', '{"a": 1.0}', '[]', NULL),
	('int[]', '{1,NULL}', '{}', '{{1},{2}}', 'anyarray'),
	('text[]', '{a}', '{NULL}', '{""}', 'anyarray'),
	('positives', '{1}', '{2}', '{3}', NULL),
	('int2vector', '1 2', '1', '3', 'anyarray'),
	('int4range', '[1,2]', 'empty', '(,)', 'anyrange'),
	('datemultirange', '{[2020-01-01,2020-01-02]}', '{}', '{(,)}', 'anymultirange'),
	('pair', '(1,a)', '(,)', '(2,)', 'record');

-- no type is forgotten
SELECT opcintype::regtype FROM pg_opclass JOIN pg_am a ON a.oid = opcmethod
WHERE amname = 'hash' AND opcintype < 16384 AND opcintype NOT IN (
	SELECT coalesce(part_of, type)::regtype FROM types);

-- The rows of a join, in which each value has three partners or none, with an inner side of no row, one
-- and two, and one of a null; and whether the plan has a filter
CREATE TABLE results (type text, has_filter boolean, rows text[] DEFAULT '{}');
CREATE PROCEDURE join_of(type text, nrows int, INOUT has_filter boolean, INOUT nfound text) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT count(*) FROM outer_side o JOIN inner_side i ON o.k = i.k';
	line text;
	expected int;
	found int;
BEGIN
	EXECUTE format('CREATE TABLE outer_side AS SELECT k::%1$s FROM types, unnest(ARRAY[one, two, three, NULL]) k,
			generate_series(1, 30) WHERE type = %1$L', type);
	EXECUTE format('CREATE TABLE inner_side AS (SELECT k::%1$s FROM types, unnest(ARRAY[one, two]) k
			WHERE type = %1$L LIMIT %2$s) UNION ALL SELECT NULL', type, nrows);
	ANALYZE outer_side, inner_side;
	SET LOCAL enable_nestloop = off;
	has_filter := false;
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		has_filter := has_filter OR line ~ 'BloomtypeProbe';
	END LOOP;
	EXECUTE query INTO found;
	SET LOCAL bloomtype_join.enable = off;
	EXECUTE query INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	nfound := CASE found WHEN expected THEN found::text ELSE format('%s, not %s', found, expected) END;
	DROP TABLE outer_side, inner_side;
	COMMIT;
END $$;
DO $$
DECLARE
	current_type text;
	filtered boolean;
	nfound text;
BEGIN
	FOR current_type IN SELECT type FROM types LOOP
		INSERT INTO results VALUES (current_type);
		FOR nrows IN 0..2 LOOP
			CALL join_of(current_type, nrows, filtered, nfound);
			UPDATE results r SET has_filter = filtered, rows = rows || nfound WHERE r.type = current_type;
		END LOOP;
	END LOOP;
END $$;
SELECT * FROM results WHERE type <> 'oid8' ORDER BY type COLLATE "C";
SELECT * FROM results WHERE type = 'oid8' AND (NOT has_filter OR rows <> '{0,30,60}');

-- Two types in one operator, and those without a hash function, which a nested loop joins
CREATE TABLE mixed AS SELECT n = 0 AS yes, n::int2 AS i2, n AS i4, n::int8 AS i8,
	n::float4 AS f4, n::float8 AS f8, n::numeric AS n, n::text AS t, n::text::name AS na,
	n::text::char(4) AS c, n::text::varchar(4) AS v, n::text::"char" AS c1, n::oid AS o,
	date '2020-01-01' + n AS d, timestamp '2020-01-01' + n * interval '1 day' AS ts,
	timestamptz '2020-01-01' + n * interval '1 day' AS tz, '10.0.0.0'::cidr AS ci, '10.0.0.0/32'::inet AS ine
	FROM generate_series(1, 300) g, LATERAL (SELECT g % 3 - 1 AS n) s;
CREATE TABLE mixed_inner AS SELECT * FROM mixed LIMIT 20;
ANALYZE mixed, mixed_inner;
DO $$
DECLARE
	x text;
	y text;
	line text;
	query text;
	has_filter boolean;
	found int;
	expected int;
	filtered text := '';
BEGIN
	FOR x, y IN SELECT a.attname, b.attname FROM pg_attribute a, pg_attribute b
		WHERE a.attrelid = 'mixed'::regclass AND b.attrelid = 'mixed'::regclass AND a.attnum > 0 AND b.attnum > 0
		AND a.attnum <> b.attnum
		-- there are no negative ones
		AND ('o' NOT IN (a.attname, b.attname) OR 'i4' IN (a.attname, b.attname)) ORDER BY a.attnum, b.attnum
	LOOP
		query := format('SELECT count(*) FROM mixed a JOIN mixed_inner b ON a.%I = b.%I', x, y);
		has_filter := false;
		BEGIN
			FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
				has_filter := has_filter OR line ~ 'BloomtypeProbe';
			END LOOP;
		EXCEPTION WHEN undefined_function THEN
			CONTINUE;
		END;
		EXECUTE query INTO found;
		SET LOCAL bloomtype_join.enable = off;
		EXECUTE query INTO expected;
		SET LOCAL bloomtype_join.enable = force;
		IF found <> expected THEN
			RAISE WARNING '% = %: expected %, found %', x, y, expected, found;
		END IF;
		IF has_filter THEN
			filtered := filtered || format(' %s=%s', x, y);
		END IF;
	END LOOP;
	RAISE NOTICE 'with filters:%', filtered;
END $$;

-- Of columns with two collations, nobody knows which to use.
CREATE TABLE posix (t text COLLATE "POSIX");
INSERT INTO posix SELECT t FROM mixed;
CREATE TABLE c (t text COLLATE "C");
EXPLAIN (COSTS off) SELECT FROM posix JOIN c USING (t);
SELECT FROM posix JOIN c USING (t);

SET client_min_messages = warning;
DROP SCHEMA join_filter_types CASCADE;
