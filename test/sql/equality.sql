--
-- The equality matrix
--
-- All pairs of types that SQL can compare with =, and all pairs of sample values of each.
-- Within a key family, values that are equal are one key, which a filter of the one
-- finds, and others are not.  Where a = b is true, but a and b are not of one family, or
-- have none, the question is an error and never false.
--
-- Left to --ci, for its time.
--
-- Elsewhere a filter of an int2 column did not find an int4 constant (TimescaleDB), 1 did
-- not find 1.0 (Pinot), and int8 not int16 (Arrow).
--
\a\t

CREATE SCHEMA equality;
SET search_path = equality, public;
\getenv folder PG_ABS_SRCDIR
\set samples :folder '/equality/samples.sql'
\set ECHO none
\i :samples
\set ECHO all

-- every type has samples
SELECT name AS without_samples FROM type WHERE (SELECT count(*) FROM value WHERE type = name) < 2;

-- None is left out: types of PostgreSQL 15 that can be compared with themselves.  Later
-- releases may have others, which the test "types" asks about.  Not counted are arrays, of
-- which there is one for each type, and types that no literal makes a value of.
SELECT typname AS missing
FROM pg_type
WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'r', 'm') AND
	typcategory <> 'A' AND comparable(quote_ident(typname), quote_ident(typname)) AND
	oid NOT IN (SELECT name::regtype FROM type) AND
	typname NOT IN ('pg_node_tree', 'pg_ndistinct', 'pg_dependencies', 'pg_mcv_list') AND
	current_setting('server_version_num')::int < 160000;

--
-- The pairs of values
--

-- The samples of a type as a query: their numbers, values, and, unless they are refused,
-- keys with the families of these, and filters of one key.  Where an oid is on the other
-- side, those alone that SQL can compare with one.
CREATE FUNCTION samples_of(name text, with_oid boolean) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	samples text := (SELECT 'VALUES ' || string_agg(format('(%s, %s)', no, expression), ', '
													ORDER BY no)
					 FROM value v WHERE type = name AND (NOT samples_of.with_oid OR v.with_oid));
BEGIN
	EXECUTE format('SELECT bloom_key(v) FROM (%s) s (no, v)', samples);
	RETURN format('SELECT no, v, bloom_key(v) AS key, bloom_add(bloom_create(1), v) AS filter,
			split_part(bloom_key(v)::text, '':'', 1) AS family
		FROM (%s) s (no, v)', samples);
EXCEPTION WHEN feature_not_supported THEN
	RETURN format('SELECT no, v, NULL::bloom_key AS key, NULL::bloom AS filter, NULL AS family
		FROM (%s) s (no, v)', samples);
END
$$;

-- What a filter of a says to b: true, false or error.
CREATE FUNCTION answer(a text, b text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	found boolean;
BEGIN
	EXECUTE format('SELECT bloom_contains(bloom_add(bloom_create(1), %s), %s)', a, b) INTO found;
	RETURN found;
EXCEPTION WHEN datatype_mismatch OR feature_not_supported THEN
	RETURN 'error';
END
$$;

-- Are two values equal as text?
CREATE FUNCTION same_text(a text, b text) RETURNS boolean
LANGUAGE plpgsql AS
$$
DECLARE
	same boolean;
BEGIN
	EXECUTE format('SELECT (%s)::text = (%s)::text', a, b) INTO same;
	RETURN same;
END
$$;

CREATE TABLE outcome (a text, b text, pairs bigint, equal bigint, of_one_family bigint);
CREATE TABLE wrong (a_type text, b_type text, equal boolean, a text, b text, answer text);

-- Values of one family are compared in one query.  Of others each pair that is equal is asked
-- about by itself, to catch its error, and so is the first.
CREATE FUNCTION compare(a text, b text, with_oid boolean) RETURNS void
LANGUAGE plpgsql AS
$$
DECLARE
	o outcome;
	wrong int[];
	of_two int[];
BEGIN
	EXECUTE format(
		'WITH a AS MATERIALIZED (%s), b AS MATERIALIZED (%s),
		pair AS MATERIALIZED (
			SELECT a.no AS a, b.no AS b, a.v = b.v AS equal,
				coalesce(a.family = b.family, false) AS of_one_family, a.key = b.key AS same_key,
				CASE WHEN a.family = b.family THEN bloom_contains(a.filter, b.v) END AS found
			FROM a, b)
		SELECT count(*), count(*) FILTER (WHERE equal), count(*) FILTER (WHERE of_one_family),
			array_agg(ARRAY[a, b, equal::int]) FILTER (
				WHERE of_one_family AND (same_key <> equal OR found <> equal)),
			array_agg(ARRAY[a, b, equal::int] ORDER BY NOT equal, a, b) FILTER (
				WHERE NOT of_one_family AND (equal OR a = 1 AND b = 1))
		FROM pair', samples_of(a, with_oid), samples_of(b, with_oid))
	INTO o.pairs, o.equal, o.of_one_family, wrong, of_two;

	INSERT INTO outcome VALUES (a, b, o.pairs, o.equal, o.of_one_family);
	INSERT INTO wrong
		SELECT a, b, asked[i][3] = 1, v.expression, w.expression, answer
		FROM (VALUES (wrong, ''), (of_two, 'error')) s (asked, right_answer),
			generate_subscripts(asked, 1) i, value v, value w,
			answer(v.expression, w.expression)
		WHERE v.type = a AND v.no = asked[i][1] AND w.type = b AND w.no = asked[i][2] AND
			answer <> right_answer;
END
$$;
SELECT count(compare(a.name, b.name, 'oid' IN (a.class, b.class))) AS pairs_of_types
FROM pair_of_types p JOIN type a ON a.no = a_no JOIN type b ON b.no = b_no;

-- For each type, with which others values are found if they are equal, and with which the
-- question is an error.  (The types that name objects are summed up; a bloom_key is a key of
-- any family.)
SELECT min(type.name) AS type, outcome, sum(pairs) AS pairs, sum(equal) AS equal,
	string_agg(DISTINCT regexp_replace(b, '^reg.*', 'reg*'), ' ') AS "with"
FROM outcome JOIN type ON type.name = a,
	LATERAL (SELECT CASE of_one_family WHEN 0 THEN 'error' WHEN pairs THEN 'found' ELSE 'both' END)
		AS o (outcome)
GROUP BY regexp_replace(a, '^reg.*', 'reg*'), outcome
ORDER BY min(no), outcome DESC;

-- all of them
SELECT count(*) AS pairs_of_types, sum(pairs) AS pairs, sum(equal) AS equal,
	sum(of_one_family) AS of_one_family
FROM outcome;

-- The exception: where char(n) is compared with varchar, blanks at the end do not count on
-- either side.  Keys are compared as text, in which those of a varchar count.
CREATE VIEW exception AS
SELECT * FROM wrong
WHERE equal AND answer = 'false' AND
	a_type IN ('varchar', 'word', 'bpchar', 'char(5)', 'label') AND
	b_type IN ('varchar', 'word', 'bpchar', 'char(5)', 'label') AND NOT same_text(a, b);
SELECT a_type, b_type, count(*) AS pairs
FROM exception
GROUP BY a_type, b_type
ORDER BY a_type, b_type;

-- violations: none
SELECT a_type, b_type, equal, left(a, 40) AS a, left(b, 40) AS b, answer
FROM (SELECT * FROM wrong EXCEPT ALL SELECT * FROM exception) v
ORDER BY a_type, b_type, a, b
LIMIT 100;

--
-- Literals without a type
--

-- A literal is of the type that it is compared with, but text as a key: an error, or the
-- same characters.  (Of bloom_key the literal is not the value.)
CREATE TABLE literal_answer AS
SELECT type, expression, literal, answer(expression, quote_literal(literal))
FROM value JOIN type ON name = type JOIN spelling USING (class)
WHERE expression = format('%L::%s', literal, type) AND type <> 'bloom_key';
SELECT answer, CASE WHEN answer <> 'error' THEN same_text(expression, quote_literal(literal)) END
	AS same_text, count(*) AS literals,
	CASE WHEN answer <> 'error' THEN string_agg(DISTINCT type, ' ') END AS types
FROM literal_answer
GROUP BY 1, 2
ORDER BY 1, 2;

--
-- Filters of other systems
--

-- Of two types whose values are keys of a format, and equal, a filter of the one finds the
-- other, or refuses the value.
SET timezone = 'UTC';
CREATE TABLE format AS
SELECT unnest(ARRAY['guava', 'guava_int', 'guava_long', 'guava_chars', 'parquet', 'parquet_int32',
	'parquet_int64', 'parquet_float', 'parquet_double', 'parquet_timestamp_micros',
	'parquet_timestamp_millis', 'spark_v1', 'spark_v2', 'go', 'redis', 'leveldb']) AS name;

CREATE FUNCTION external_answer(format text, a text, b text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	found boolean;
BEGIN
	EXECUTE format(
		'SELECT external_bloom_contains(external_bloom_agg(%1$s, %3$L, %4$s), %3$L, %2$s)',
		a, b, format, CASE format WHEN 'leveldb' THEN 10 ELSE 0.01 END) INTO found;
	RETURN found;
EXCEPTION WHEN feature_not_supported OR datetime_field_overflow THEN
	RETURN 'error';
END
$$;
CREATE TABLE key_type AS
SELECT f.name AS format, v.type
FROM format f, value v
WHERE v.no = 1 AND external_answer(f.name, v.expression, v.expression) = 'true';

-- The pairs of samples of two types that are equal.
CREATE FUNCTION equal_values(a text, b text) RETURNS TABLE (a_value text, b_value text)
LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE (
		SELECT format('SELECT a.e, b.e FROM (VALUES %s) a (e, v), (VALUES %s) b (e, v)
					  WHERE a.v = b.v', min(list) FILTER (WHERE type = a),
					  min(list) FILTER (WHERE type = b))
		FROM (SELECT type, string_agg(format('(%L, %s)', expression, expression), ', ') AS list
			  FROM value WHERE type IN (a, b) GROUP BY type) s);
END
$$;
CREATE TABLE external_answers AS
WITH pair AS MATERIALIZED (
	SELECT p.a, p.b, e.*
	FROM pair_of_types p, equal_values(p.a, p.b) e
	WHERE a IN (SELECT type FROM key_type) AND b IN (SELECT type FROM key_type))
SELECT format, pair.*, external_answer(format, a_value, b_value) AS answer
FROM pair JOIN key_type s ON s.type = a JOIN key_type t USING (format)
WHERE t.type = b;

SELECT format, count(*) FILTER (WHERE answer = 'true') AS found,
	count(*) FILTER (WHERE answer = 'error') AS error,
	string_agg(DISTINCT a, ' ') AS types
FROM external_answers x
GROUP BY format
ORDER BY format COLLATE "C";

-- violations: none
SELECT format, a_value, b_value, answer
FROM external_answers WHERE answer = 'false'
ORDER BY format, a_value, b_value;

DROP SCHEMA equality CASCADE;
