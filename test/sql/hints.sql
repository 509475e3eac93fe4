--
-- A hint with SQL in it is right if, pasted, it gives the right answer.
--
-- Each pair of key families is tried with values that mean the same, in a session of an
-- odd time zone: a filter has one, the other is asked about, and then what the hint says.
--
\a\t
\set ECHO none
SET TimeZone = 'Asia/Kathmandu';

-- a value as each family has it; those of one meaning are the same thing
CREATE TABLE spelling (meaning text, family text, value text);
INSERT INTO spelling VALUES
	('truth', 'boolean', 'true'), ('truth', 'text', '''true''::text'),
	('whole', 'number', '42'), ('whole', 'float', '42::float8'), ('whole', 'text', '''42''::text'),
	('oid', 'number', '42'), ('oid', 'oid', '42::oid'), ('oid', 'text', '''42''::text'),
	('digits', 'number', '9007199254740991'), ('digits', 'float', '9007199254740991::float8'),
	('real', 'number', '0.1'), ('real', 'float', '0.1::real'), ('real', 'text', '''0.1''::text'),
	('double', 'number', '0.1'), ('double', 'float', '0.1::float8'), ('double', 'text', '''0.1''::text'),
	('part', 'number', '7.5'), ('part', 'float', '7.5::float8'), ('part', 'text', '''7.5''::text'),
	('bytes', 'bytea', '''\xc3a4''::bytea'), ('bytes', 'text', 'convert_from(''\xc3a4'', ''UTF8'')'),
	('uuid', 'uuid', '''11111111-2222-3333-4444-555555555555''::uuid'),
	('uuid', 'text', '''11111111-2222-3333-4444-555555555555''::text'),
	('day', 'date', '''2024-02-03''::date'),
	('day', 'timestamp', '''2024-02-03''::timestamp'),
	('day', 'timestamptz', '''2024-02-03 00:00+00''::timestamptz'),
	('date', 'date', '''2024-02-03''::date'), ('date', 'text', '''2024-02-03''::date::text'),
	('local', 'timestamp', '''2024-02-03 04:05:06''::timestamp'),
	('local', 'text', '''2024-02-03 04:05:06''::timestamp::text'),
	('instant', 'timestamptz', '''2024-02-03 04:05:06+00''::timestamptz'),
	('instant', 'text', '''2024-02-03 04:05:06+00''::timestamptz::text'),
	('time', 'time', '''12:34:56''::time'), ('time', 'text', '''12:34:56''::text'),
	('host', 'network', '''10.0.0.1''::inet'), ('host', 'text', '''10.0.0.1''::text'),
	('card', 'macaddr', '''08:00:2b:01:02:03''::macaddr'),
	('card', 'text', '''08:00:2b:01:02:03''::text'),
	('array', 'array', 'ARRAY[1]'), ('row', 'row', 'ROW(1)'),
	('range', 'range', '''[1,2)''::int4range');

-- the hint about a mismatch
CREATE FUNCTION hint_for(filter text, key text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT bloom_contains(bloom_agg(%s), %s)', filter, key);
	RETURN NULL;
EXCEPTION WHEN datatype_mismatch THEN
	GET STACKED DIAGNOSTICS result = PG_EXCEPTION_HINT;
	RETURN result;
END
$$;

-- the SQL in a hint, in its order: '...', $1 and x stand for the key
CREATE FUNCTION advice(hint text, key text) RETURNS TABLE (n bigint, sql text)
LANGUAGE plpgsql AS
$$
DECLARE
	literal text;
BEGIN
	EXECUTE format('SELECT quote_literal((%s)::text)', key) INTO literal;
	RETURN QUERY
		SELECT i, regexp_replace(replace(replace(
			CASE WHEN part[1] ~ '^::' THEN '$1' || part[1] ELSE part[1] END,
			$q$'...'$q$, literal), '$1', literal), '\mx\M', '(' || key || ')')
		FROM regexp_matches(hint,
			$q$((?:'\.\.\.'|\$1)::\w+|(?<=for example )[a-z(][^.]*$q$ ||
			$q$|(?<=use )[a-z_]+\([^.]*|(?<=needs )x?::\w+|\mx::\w+(?= if))$q$,
			'g') WITH ORDINALITY AS p (part, i);
END
$$;

-- what SQL answers: true, false, or the error
CREATE FUNCTION answer(sql text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result boolean;
BEGIN
	EXECUTE sql INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END
$$;

CREATE TABLE advised AS
SELECT f.family AS filter, k.family AS key, f.meaning, h.hint,
	hint_for(f.value, format('bloom_key(%s)', k.value)) AS hint_for_hash, a.n, a.sql,
	answer(format('SELECT bloom_contains(bloom_agg(%s), %s)', f.value, a.sql)) AS answer
FROM spelling f
JOIN spelling k USING (meaning)
CROSS JOIN hint_for(f.value, k.value) AS h (hint)
LEFT JOIN advice(h.hint, k.value) a ON true
WHERE f.family <> k.family;
\set ECHO all

-- what a hint says is right
SELECT count(*) AS advices, count(*) FILTER (WHERE answer = 'true') AS right FROM advised;
-- or, where it names several, the one that fits
SELECT filter, key, meaning, n, sql, answer
FROM advised
WHERE answer IS DISTINCT FROM 'true'
ORDER BY filter, key, meaning, n;

-- so it is of a bloom_key, for the value that is hashed; another: none
SELECT filter, key, hint, hint_for_hash
FROM advised
WHERE hint <> replace(hint_for_hash, ' before it is hashed', '') OR
	hint ~ 'Cast the key to the type of the filter''s keys' AND hint = hint_for_hash;

-- none says only what is wrong
SELECT filter, key, meaning, hint
FROM advised
GROUP BY filter, key, meaning, hint
HAVING coalesce(bool_or(answer = 'true'), false) = false;

-- of a filter of floats it says which form is for which type of them; wrong: none
SELECT meaning, key, sql, answer
FROM advised
WHERE filter = 'float' AND meaning IN ('real', 'double') AND
	answer IS DISTINCT FROM (sql ~ '::real' = (meaning = 'real'))::text;
SELECT DISTINCT key, hint
FROM advised
WHERE filter = 'float' AND meaning = 'real'
ORDER BY key;

-- of what has no meaning in common, the hint has no SQL but for what a text may spell
SELECT f.family AS filter, k.family AS key, hint_for(min(f.value), min(k.value)) AS hint
FROM spelling f, spelling k
WHERE f.family <> k.family AND k.family <> 'text'
	AND NOT EXISTS (SELECT FROM spelling a JOIN spelling b USING (meaning)
		WHERE a.family = f.family AND b.family = k.family)
GROUP BY 1, 2
HAVING hint_for(min(f.value), min(k.value)) !~ '^Was it made from another column'
ORDER BY 1, 2;

-- A parameter without a type is text.  The first key of another family then is an error that
-- names the cast to write.
PREPARE add_untyped AS SELECT bloom_add(bloom_create(1000), $1) AS f;
CREATE TABLE made AS EXECUTE add_untyped(42);
SELECT (bloom_info(f)).key_family FROM made;
-- error: the filter has text
SELECT bloom_add(f, 43) FROM made;
SELECT bloom_contains(f, 42) FROM made;
UPDATE made SET f = bloom_add(bloom_create(1000), 42);
PREPARE ask_untyped AS SELECT bloom_contains(f, $1) FROM made;
-- error: the key is text
EXECUTE ask_untyped(42);
PREPARE ask_typed AS SELECT bloom_contains(f, $1::bigint) FROM made;
EXECUTE ask_typed(42);
-- so it is in a partition, which is not that of the number
SELECT bloom_partition('7', 16) = bloom_partition(7, 16) AS same,
	bloom_partition('7'::bigint, 16) = bloom_partition(7, 16) AS same_with_a_cast;
-- where the key is text, no cast is needed
SELECT bloom_agg(word) @> 'abc' AS found FROM unnest('{abc,def}'::text[]) word;

DEALLOCATE ALL;
DROP TABLE made;
DROP TABLE advised;
DROP FUNCTION answer;
DROP FUNCTION advice;
DROP FUNCTION hint_for;
DROP TABLE spelling;
