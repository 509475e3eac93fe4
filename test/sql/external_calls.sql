--
-- Filters of other systems: in whatever form the arguments come, and whatever the call before
-- it was, the answer of a call site is that of a new one
-- Left to --ci, for its time.
--
\a\t

\set ECHO none
-- filters of each format, short and long, and one of another system with the same bytes
CREATE TABLE filter (id serial, format text, n int, f bytea);
INSERT INTO filter (format, n, f)
SELECT format, n,
	external_bloom_agg(i::text, format, CASE format WHEN 'leveldb' THEN 10 ELSE 0.01 END)
FROM unnest('{go,guava,guava_chars,leveldb,parquet,redis,spark_v1,spark_v2}'::text[]) format,
	unnest('{3,5000}'::int[]) n, generate_series(1, n) i
GROUP BY format, n ORDER BY format, n;
INSERT INTO filter (format, n, f)
SELECT 'guava', 0, external_bloom_agg(i::text, 'guava', 3, 0.01) FROM generate_series(101, 103) i;

-- What an expression of f, format and key gives, or the error; the call site is a new one.
CREATE FUNCTION answer(expression text, f bytea, format text, key text) RETURNS text
LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT (%s)::text FROM (SELECT $1 AS f, $2 AS format, $3 AS key) s', expression)
	INTO result USING f || '', format, key;
	RETURN md5(result);
EXCEPTION WHEN OTHERS THEN
	RETURN sqlerrm;
END
$$;
CREATE TABLE expression (expression text);
INSERT INTO expression VALUES ('external_bloom_contains(f, format, key)'),
	('external_bloom_contains(f, format, key::bytea)'),
	('external_bloom_contains_any(f, format, ARRAY[NULL, key])'),
	('external_bloom_contains_all(f, format, ARRAY[key, ''1''])'),
	('external_bloom_add(f, format, key)'),
	('external_bloom_add_all(f, format, ARRAY[key, key || key])'),
	('external_bloom_union(f, f, format)'),
	('external_bloom_info(f, format)'),
	('ARRAY(SELECT c FROM external_bloom_chunks(f, format) c)');

-- The forms of a stored value: with a short header at any offset, compressed in the row, out of
-- line, and both; of a key likewise.
CREATE TABLE form (form text, id int, odd "char", format text, odd2 "char", f bytea, odd3 "char",
	key text);
ALTER TABLE form ALTER format SET STORAGE main, ALTER f SET STORAGE plain;
INSERT INTO form SELECT 'plain', id, 'a', format, 'b', f, 'c', key
FROM filter, unnest('{1,99999}'::text[]) key WHERE length(f) < 5000;
ALTER TABLE form ALTER f SET STORAGE main;
INSERT INTO form SELECT 'main', id, 'a', format, 'b', f || '', 'c', repeat('key ', m)
FROM filter, unnest('{100,20000}'::int[]) m WHERE length(f) < 5000;
ALTER TABLE form ALTER f SET STORAGE external, ALTER key SET STORAGE external;
INSERT INTO form SELECT 'external', id, 'a', format, 'b', f, 'c', repeat('key ', m)
FROM filter, unnest('{1,20000}'::int[]) m;
ALTER TABLE form ALTER f SET STORAGE extended, ALTER key SET STORAGE extended;
INSERT INTO form SELECT 'extended', id, 'a', format, 'b', f, 'c', repeat('key ', m)
FROM filter, unnest('{20,100000}'::int[]) m;
-- the same filter behind so many zeros: compressed
INSERT INTO form
SELECT 'compressed', 0, 'a', format, 'b', decode(repeat('00', 32 * m), 'hex') || f, 'c', '1'
FROM filter, unnest('{50,1000,20000}'::int[]) m WHERE format = 'parquet' AND n = 3;
\set ECHO all
SELECT form, bool_or(pg_column_size(f) = length(f) + 1) AS short_header,
	bool_or(pg_column_size(f) < length(f)) AS compressed,
	bool_or(pg_column_size(key) < length(key)) AS compressed_key
FROM form GROUP BY form ORDER BY form;

-- each call site sees all of them in turn, also in the wrong format
CREATE FUNCTION differences(expression text) RETURNS bigint LANGUAGE plpgsql AS
$$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('CREATE FUNCTION pg_temp.site(f bytea, format text, key text) RETURNS text
		LANGUAGE plpgsql AS $f$
		BEGIN
			RETURN md5((%s)::text);
		EXCEPTION WHEN OTHERS THEN
			RETURN sqlerrm;
		END $f$', expression);
	SELECT count(*) INTO n FROM form, unnest(ARRAY[form.format, 'go', 'guava', 'parquet']) asked
	WHERE pg_temp.site(f, asked, key) IS DISTINCT FROM answer(expression, f, asked, key);
	DROP FUNCTION pg_temp.site;
	RETURN n;
END
$$;
SELECT expression, differences(expression) FROM expression;
-- in one query, the rows with the format as it is, of which none fails
SELECT count(*) > 60 AS some,
	count(*) FILTER (WHERE md5(external_bloom_contains(f, format, key)::text) <>
		answer('external_bloom_contains(f, format, key)', f, format, key)) AS contains,
	count(*) FILTER (WHERE md5(external_bloom_contains_any(f, format, ARRAY[key])::text) <>
		answer('external_bloom_contains_any(f, format, ARRAY[key])', f, format, key)) AS any,
	count(*) FILTER (WHERE external_bloom_contains(external_bloom_add(f, format, key), format, key))
		= count(*) AS added,
	count(*) FILTER (WHERE external_bloom_union(f, f, format) <> f) AS union
FROM form WHERE format NOT IN ('redis', 'leveldb');

-- prepared, with a plan for any parameters
SET plan_cache_mode = force_generic_plan;
PREPARE asking(text, text, text) AS
SELECT count(*), count(*) FILTER (WHERE external_bloom_contains(f, $2, $3))
FROM filter WHERE format = $1;
EXECUTE asking('go', 'go', '2');
EXECUTE asking('leveldb', 'leveldb', '2');
EXECUTE asking('guava', 'guava', '5000');
EXECUTE asking('guava', 'guava_chars', '5000');
-- error: not in this format
EXECUTE asking('guava', 'spark_v1', '5000');
EXECUTE asking('guava', 'spark', '5000');
-- and again
EXECUTE asking('guava', 'guava', '5000');
DEALLOCATE asking;
RESET plan_cache_mode;

-- a cursor, forward and back
BEGIN;
DECLARE answers SCROLL CURSOR FOR
SELECT format, n, external_bloom_contains(f, format, '5000') FROM filter ORDER BY id;
FETCH 5 FROM answers;
FETCH BACKWARD 2 FROM answers;
FETCH ABSOLUTE 16 FROM answers;
-- chunks, of which only the first are fetched
DECLARE chunks SCROLL CURSOR FOR SELECT iterator, length(chunk)
FROM filter, external_bloom_chunks(f, format) WHERE format = 'redis' ORDER BY id, iterator;
FETCH 3 FROM chunks;
FETCH BACKWARD 1 FROM chunks;
CLOSE chunks;
COMMIT;
SELECT id, c.iterator, length(c.chunk) FROM filter,
	LATERAL (SELECT * FROM external_bloom_chunks(f, format) LIMIT 1) c WHERE format = 'redis';
SELECT external_bloom_chunks(f, format) = external_bloom_chunks(f, format) AS same, n
FROM filter WHERE format = 'redis' ORDER BY id LIMIT 3;
SELECT n, (external_bloom_chunks(f, format)).iterator, generate_series(1, 3)
FROM filter WHERE format = 'redis' ORDER BY id;
-- error: the second row has another format
SELECT (external_bloom_chunks(f, format)).iterator FROM filter
WHERE format IN ('redis', 'spark_v1') ORDER BY id;

-- arrays of any type whose elements are keys: vectors, domains, expanded, nested, not from 1 on
CREATE DOMAIN digits AS int[];
CREATE DOMAIN digit AS smallint;
CREATE FUNCTION of_expanded(f bytea) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	keys int[] := '{}';
	no_keys text[] := '{a}';
BEGIN
	FOR i IN 1..5 LOOP
		keys[i * 2] := i;
		no_keys[i] := i;
	END LOOP;
	RETURN concat_ws(' ', external_bloom_contains_all(f, 'guava_int', keys) IS NULL,
		external_bloom_contains_any(f, 'guava_int', keys),
		external_bloom_add_all(f, 'guava_int', keys) = f,
		external_bloom_add_all(external_bloom_agg('1'::text, 'go', 5, 0.01), 'go', no_keys) =
			external_bloom_agg(x, 'go', 5, 0.01)) FROM unnest(no_keys) x;
END
$$;
SELECT external_bloom_contains_all(f, 'guava_int', '1 2'::int2vector) AS vector,
	external_bloom_contains_any(f, 'guava_int', '{{7,8},{9,2}}'::digits) AS domain,
	external_bloom_contains_all(f, 'guava_int', '[5:6]={2,3}'::digit[]) AS of_domain,
	external_bloom_contains_any(f, 'guava_int', '{}'::int[]) AS empty,
	of_expanded(f)
FROM (SELECT external_bloom_agg(i, 'guava_int', 0.0001) AS f FROM generate_series(1, 5) i) s;
-- error: other arrays
SELECT external_bloom_contains_any('\x', 'guava_int', '1 2'::oidvector);
SELECT external_bloom_add_all('\x', 'guava_int', ARRAY[ROW(1)]);

-- error: a name that is too long is cut, also where it is stored compressed or out of line
CREATE TABLE name (name text);
INSERT INTO name VALUES (repeat('go', 100000)), ('guava' || repeat(' ', 3000)), (repeat('é', 500));
ALTER TABLE name ALTER name SET STORAGE external;
INSERT INTO name VALUES (repeat('guava', 1000));
SELECT answer('external_bloom_info(f, format)', '\x', name, NULL) FROM name;

-- text of megabytes is the same in UTF-16, however it is cut
SELECT n, external_bloom_agg(repeat('aé€😀', n), 'guava_chars', 0.01) =
	external_bloom_agg(decode(repeat('6100e900ac203dd800de', n), 'hex'), 'guava', 0.01) AS same
FROM unnest('{1,24,25,26,104857,104858,210000}'::int[]) n GROUP BY n ORDER BY n;
SELECT n, external_bloom_agg(repeat('a', n) || repeat('😀', 300000), 'guava_chars', 0.01) =
	external_bloom_agg(decode(repeat('6100', n) || repeat('3dd800de', 300000), 'hex'), 'guava', 0.01)
	AS same
FROM generate_series(1, 4) n GROUP BY n ORDER BY n;

-- a bitset of Go that is asked about more bits than a bigint can tell: as Go answers
SELECT i.*, external_bloom_contains(f, 'go', 'a') FROM (VALUES
	('\x7fffffffffffffff000000000000000100000000000000400000000000000001'::bytea),
	('\x8000000000000000000000000000000100000000000000400000000000000001'),
	('\xffffffffffffffff00000000000000000000000000000000')) v (f), external_bloom_info(f, 'go') i;

DROP TABLE filter, expression, form, name;
DROP FUNCTION answer, differences, of_expanded;
DROP DOMAIN digits, digit;
