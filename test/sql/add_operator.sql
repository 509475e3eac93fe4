--
-- filter || key: adds the key as bloom_add does, whatever operators || the server has for the
-- type of the key.  Without ours, filter || 'alice' is the text of the filter with alice behind it.
--
\a\t

\set ECHO none
CREATE SCHEMA add_operator;
SET search_path = add_operator, public;

CREATE TABLE filter AS
SELECT bloom_create(1000) AS bloom, counting_bloom_create(1000) AS counting_bloom,
	cuckoo_create(1000) AS cuckoo;
CREATE DOMAIN short AS varchar(3);
CREATE DOMAIN word AS text;
CREATE DOMAIN id AS int;
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TYPE pair AS (a int, b text);
CREATE TABLE value (t text, v varchar, c char(5), n name, i int, w word, j jsonb);
INSERT INTO value VALUES ('alice', 'alice', 'alice', 'alice', 42, 'alice', '{"a": 1}');

-- what a query gives, or its error and hint.  Servers before 19 say in the hint what 19 says in the
-- detail: which operators do not match.
CREATE FUNCTION result_of(query text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	hint text;
	result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLERRM,
		nullif(replace(hint, 'No operator matches the given name and argument types. ', ''), ''));
END
$$;
-- what an expression gives for a type of filter: F is the filter, ADD the function that adds
CREATE FUNCTION result_of(expression text, type text) RETURNS text
LANGUAGE sql AS
$$ SELECT result_of(format('SELECT %s FROM filter, value',
	replace(regexp_replace(expression, '\mF\M', type, 'g'), 'ADD', type || '_add'))) $$;
CREATE VIEW type AS
SELECT t.type COLLATE "C" FROM unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']) t(type);
\set ECHO all

-- the same as a call of the function: true, for each type
SELECT key, result_of(format('F || %1$s = ADD(F, %1$s) AND ADD(F, %1$s) @> %1$s', key), 'bloom') AS bloom,
	result_of(format('F || %1$s = ADD(F, %1$s) AND ADD(F, %1$s) @> %1$s', key), 'counting_bloom') AS counting,
	result_of(format('F || %1$s = ADD(F, %1$s) AND ADD(F, %1$s) @> %1$s', key), 'cuckoo') AS cuckoo
FROM unnest(ARRAY[
	-- untyped literals are text
	$$'alice'$$, $$'42'$$, $$'{1,2}'$$, $$''$$,
	-- text and what is converted to it
	't', 'v', 'c', 'n', 'w', $$'a'::short$$, $$'a '::char(5)$$, $$(t || 'a')$$,
	$$(SELECT 'a')$$, $$t COLLATE "C"$$,
	-- numbers
	'42', '-42', '4.2', '42::smallint', '42::bigint', '1e300', '42::id', 'i', '(SELECT i)',
	-- an array is one key
	'ARRAY[1, 2]', $$ARRAY['a', 'b']$$, $$'{a,b}'::text[]$$, 'ARRAY[t, v]', 'ARRAY[[1], [2]]',
	$$'{}'::int[]$$,
	-- others
	'true', $$'2026-11-26'::date$$, $$'\x00'::bytea$$, $$'::1'::inet$$, $$'sad'::mood$$,
	$$ROW(1, 'a'::text)$$, $$ROW(1, 'a')::pair$$, $$'[1,2]'::int4range$$, $$bloom_key('alice')$$]) key;

-- null adds nothing, whatever its type; a null filter is an error
SELECT key, type, result_of(format('F || %s = F', key), type) AS same,
	result_of(format('NULL::F || %s', key), type) AS null_filter
FROM unnest(ARRAY['NULL', 'NULL::text', 'NULL::int', 'NULL::int[]']) key, type
ORDER BY key COLLATE "C", type;

-- refused as they are by the function
SELECT key, result_of('F || ' || key, 'bloom') AS error,
	(SELECT bool_and(result_of('F || ' || key, type) = result_of(format('ADD(F, %s)', key), type)) FROM type)
		AS as_function
FROM unnest(ARRAY['j', $$'1 day'::interval$$, $$'a b'::tsvector$$, $$'a & b'::tsquery$$, $$B'1'$$,
	$$ARRAY['{}'::jsonb]$$, $$'(0,0)'::point$$]) key;

-- two filters: none is a key of the other; the hint says how to unite them
SELECT operands, type, result_of(operands, type) AS error
FROM unnest(ARRAY['F || F', 'F || ARRAY[F]']) operands, type ORDER BY operands COLLATE "C", type;
SELECT result_of('bloom || counting_bloom', 'bloom') AS error;
SELECT result_of('(bloom || 1 | bloom || 2) @> 2', 'bloom') AS united;

-- a filter of numbers: of an untyped literal, an array, the elements of it
SELECT type, key, result_of(format('F || 1 || %s', key), type) AS error
FROM unnest(ARRAY['ARRAY[1, 2]', $$'2'$$]) key, type ORDER BY key COLLATE "C", type;
SELECT type, result_of($$F || 1 || '2'::bigint || 3.0 @> 3$$, type) AS numbers,
	result_of($$F || 'a' || 'b' || t @> 'b'$$, type) AS texts
FROM type;

-- the filter is not on the right: as before, text is what text is concatenated with
SELECT operands, type, result_of(format('pg_typeof(%s)', operands), type) AS type_or_error
FROM unnest(ARRAY[$$'x' || F$$, 't || F', '42 || F', 'ARRAY[1] || F', 'ARRAY[F] || F']) operands, type
ORDER BY operands COLLATE "C", type;
SELECT result_of($$'x' || F::text = 'x' || F$$, type) AS text FROM type;
SELECT pg_typeof(bloom_matrix_agg(1, bloom) || 'x'), pg_typeof(bloom_key(1) || 'x') FROM filter;

-- domains of filters, parameters, prepared statements, views
CREATE DOMAIN of_texts AS bloom CHECK (octet_length(VALUE::bytea) > 0);
SELECT bloom::of_texts || 'a' = bloom || 'a' AS literal, bloom::of_texts || t = bloom || t AS text,
	bloom::of_texts || i = bloom || i AS number
FROM filter, value;
PREPARE added AS SELECT bloom || $1 @> 'alice' AS found FROM filter;
EXECUTE added('alice');
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'added';
DEALLOCATE added;
CREATE VIEW added AS SELECT bloom || 'a' AS literal, bloom || t AS text, bloom || i AS number FROM filter, value;
DO $$ BEGIN EXECUTE 'CREATE VIEW again AS ' || pg_get_viewdef('added'); END $$;
SELECT again = added AS "the same from its definition",
	added.literal = bloom_add(bloom, 'a') AND added.text = bloom_add(bloom, t) AND added.number = bloom_add(bloom, i) AS as_function
FROM again, added, filter, value;
UPDATE filter SET bloom = bloom || t, counting_bloom = counting_bloom || t, cuckoo = cuckoo || t FROM value;
SELECT bloom @> 'alice' AS bloom, counting_bloom_count(counting_bloom, 'alice') AS counting,
	cuckoo @> 'alice' AS cuckoo FROM filter;

-- A type that the server converts to text by itself, as it does citext, is added as that text;
-- the function refuses it.
SET client_min_messages = warning;
CREATE TYPE citext;
CREATE FUNCTION citext_in(cstring) RETURNS citext LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textin';
CREATE FUNCTION citext_out(citext) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'textout';
CREATE TYPE citext (INPUT = citext_in, OUTPUT = citext_out, LIKE = text, CATEGORY = 'S');
CREATE CAST (citext AS text) WITHOUT FUNCTION AS IMPLICIT;
SELECT type, result_of($$F || 'Bob'::citext = ADD(F, 'Bob'::text)$$, type) AS as_text,
	result_of($$ADD(F, 'Bob'::citext)$$, type) AS function
FROM type;

DROP SCHEMA add_operator CASCADE;
