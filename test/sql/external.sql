--
-- Filters of other systems: what all formats have in common
-- Left to --ci, for its time.
--
\a\t

\set ECHO none
-- each format with a value of each type that is a key of it, made from a number
CREATE TABLE encoding (format text, type text, expression text,
	PRIMARY KEY (format, type));
INSERT INTO encoding
SELECT format, type, expression
FROM (VALUES
	('{guava,parquet,spark_v1,spark_v2,go,redis,leveldb,guava_chars}'::text[],
		'text', '(''key '' || i)'),
	('{guava,parquet,spark_v1,spark_v2,go,redis,leveldb,guava_chars}',
		'varchar', '(''key '' || i)::varchar'),
	('{guava,parquet,spark_v1,spark_v2,go,redis,leveldb}', 'bytea', 'int8send(i)'),
	('{parquet}', 'uuid', 'md5(i::text)::uuid'),
	('{guava_int,guava_long,parquet_int32,parquet_int64,parquet_float,parquet_double,
		spark_v1,spark_v2}', 'smallint', 'i::smallint'),
	('{guava_int,guava_long,parquet_int32,parquet_int64,parquet_double,spark_v1,spark_v2}',
		'integer', 'i::integer'),
	('{guava_long,parquet_int64,spark_v1,spark_v2}', 'bigint', 'i'),
	('{parquet_float,parquet_double}', 'real', 'i::real'),
	('{parquet_double}', 'double precision', 'i::float8'),
	('{parquet_int32}', 'date', 'date ''2000-01-01'' + i::int'),
	('{parquet_timestamp_micros,parquet_timestamp_millis}', 'timestamp',
		'timestamp ''2000-01-01'' + i * interval ''1 ms'''),
	('{parquet_timestamp_micros,parquet_timestamp_millis}', 'timestamptz',
		'timestamptz ''2000-01-01 Z'' + i * interval ''1 ms''')
	) AS v (formats, type, expression), unnest(formats) AS format;

-- A query over all of them, with the places @i@ (the key), @format@, @p@ (its parameter)
-- and @size@ (a capacity of 30000, where the format has one).
CREATE FUNCTION each_encoding(query text,
	OUT format text, OUT type text, OUT result text) RETURNS SETOF record
LANGUAGE plpgsql AS
$$
DECLARE
	e encoding;
	query_here text;
BEGIN
	FOR e IN SELECT * FROM encoding ORDER BY 1, 2 LOOP
		format := e.format;
		type := e.type;
		query_here := replace(query, '@format@', quote_literal(e.format));
		query_here := replace(query_here, '@i@', e.expression);
		query_here := replace(query_here, '@p@',
			CASE e.format WHEN 'leveldb' THEN '10' ELSE '0.01' END);
		query_here := replace(query_here, '@size@',
			CASE e.format WHEN 'leveldb' THEN '10' ELSE '30000, 0.01' END);
		EXECUTE query_here INTO result;
		RETURN NEXT;
	END LOOP;
END
$$;
\set ECHO all

-- no key is lost, and few others are found
SELECT format, type, split_part(result, ' ', 1) AS found,
	split_part(result, ' ', 2)::int < 80 AS few_others
FROM each_encoding(
	'SELECT count(*) FILTER (WHERE i <= 2000 AND found) || '' '' ||
		count(*) FILTER (WHERE i > 2000 AND found)
	FROM (SELECT i, external_bloom_contains(f, @format@, @i@) AS found
		FROM (SELECT external_bloom_agg(@i@, @format@, @p@) AS f
			FROM generate_series(1::bigint, 2000) i) AS built,
			generate_series(1::bigint, 6000) i) AS asked');

-- the same bytes in any order and with any duplicates; null without rows
SELECT result, count(*) FROM each_encoding(
	'WITH key AS (SELECT i FROM generate_series(1::bigint, 300) i)
	SELECT concat_ws('' '',
		external_bloom_agg(@i@, @format@, @p@) =
			external_bloom_agg(@i@, @format@, @p@ ORDER BY i DESC),
		external_bloom_agg(@i@, @format@, @p@) =
			(SELECT external_bloom_agg(@i@, @format@, @p@)
			FROM (SELECT i FROM key UNION ALL SELECT i FROM key) twice),
		external_bloom_agg(@i@, @format@, @p@) FILTER (WHERE i > 300) IS NULL)
	FROM key') GROUP BY result;
-- also if nearly all are duplicates of one key, whichever that is
SELECT result, count(*) FROM each_encoding(
	'SELECT bool_and((SELECT external_bloom_agg(@i@, @format@, @p@) FROM unnest(few || many) i) =
		(SELECT external_bloom_agg(@i@, @format@, @p@) FROM unnest(few) i))
	FROM (VALUES (''{1,2,3,4,5,6,7,8,9,10}''::bigint[])) s (few), unnest(few) repeated,
		array_fill(repeated, ARRAY[200]) many') GROUP BY result;
-- keys are added to an empty filter, one or many; null ones are not
SELECT result, count(*) FROM each_encoding(
	'WITH empty AS (SELECT external_bloom_agg(NULLIF(@i@, @i@), @format@, @size@) AS f
		FROM generate_series(1::bigint, 300) i),
	filled AS (SELECT external_bloom_add_all(f, @format@,
			(SELECT array_agg(@i@) FROM generate_series(1::bigint, 300) i) || NULL) AS f
		FROM empty)
	SELECT concat_ws('' '',
		external_bloom_contains(f, @format@, @i@),
		external_bloom_contains(external_bloom_add(f, @format@, @i@), @format@, @i@),
		external_bloom_add(f, @format@, NULLIF(@i@, @i@)) = f,
		external_bloom_contains_all((SELECT f FROM filled), @format@,
			(SELECT array_agg(@i@) FROM generate_series(1::bigint, 300) i)),
		external_bloom_contains_any(f, @format@,
			(SELECT array_agg(@i@) FROM generate_series(1::bigint, 300) i)))
	FROM empty, (SELECT 1::bigint AS i) one') GROUP BY result;
-- the aggregate has the bytes that adding gives, where only the keys of this are counted
SELECT result, count(*) FROM each_encoding(
	'SELECT external_bloom_agg(@i@, @format@, @size@) =
		external_bloom_add_all(
			(SELECT external_bloom_agg(NULLIF(@i@, @i@), @format@, @size@)
				FROM generate_series(1::bigint, 300) i), @format@, array_agg(@i@))
	FROM generate_series(1::bigint, 300) i')
WHERE format <> 'leveldb' GROUP BY result;

-- of more probes for a key than a batch of keys has, in the formats that allow them
SELECT result, count(*) FROM each_encoding(
	'SELECT external_bloom_contains_all(external_bloom_agg(@i@, @format@, 100, 1e-30), @format@,
		array_agg(@i@))
	FROM generate_series(1::bigint, 100) i
	WHERE @format@ ~ ''go$|guava|redis|spark''')
WHERE result IS NOT NULL GROUP BY result;

-- in parallel, with and without a capacity, many keys and few
CREATE TABLE number AS SELECT i FROM generate_series(1::bigint, 20000) i;
ALTER TABLE number SET (parallel_workers = 2);
ANALYZE number;
CREATE FUNCTION aggregates() RETURNS TABLE (format text, type text, result text)
LANGUAGE sql AS
$$
SELECT * FROM each_encoding(
	'SELECT concat_ws('' '', external_bloom_agg(@i@, @format@, @p@),
		external_bloom_agg(@i@, @format@, @size@),
		external_bloom_agg(@i@, @format@, NULL, @p@),
		external_bloom_agg(@i@, @format@, @p@) FILTER (WHERE i % 1000 = 1),
		external_bloom_agg(@i@, @format@, @p@) FILTER (WHERE i < 0)) FROM number')
$$;
CREATE TABLE built AS SELECT * FROM aggregates();
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT external_bloom_agg(i, 'guava_long', 0.01) FROM number;
SELECT count(*), count(*) FILTER (WHERE a.result = b.result) AS same,
	min(length(a.result)) > 70000 AS not_empty
FROM aggregates() a JOIN built b USING (format, type);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- of a moving frame
SELECT i, encode(external_bloom_agg(i, 'parquet_int32', 0.01) OVER w, 'hex') =
	encode((SELECT external_bloom_agg(j, 'parquet_int32', 0.01)
		FROM generate_series(greatest(i - 1, 1), i) j), 'hex') AS same
FROM generate_series(1, 4) i
WINDOW w AS (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);

-- null
SELECT f IS NOT NULL AS filter,
	external_bloom_contains(f, 'go', NULL::text) AS value,
	external_bloom_contains(NULL, 'go', 'a') AS no_filter,
	external_bloom_contains(f, NULL, 'a') AS no_format,
	external_bloom_contains_any(f, 'go', NULL::text[]) AS no_array,
	external_bloom_union(f, NULL, 'go') AS no_other,
	external_bloom_info(f, NULL) AS info,
	(SELECT count(*) FROM external_bloom_chunks(NULL, 'redis')) AS chunks
FROM (SELECT external_bloom_agg(x, 'go', 0.001) AS f FROM unnest('{a,b,c}'::text[]) x) s;
-- three-valued, as = ANY and = ALL are
SELECT keys, external_bloom_contains_any(f, 'go', keys) AS "any",
	external_bloom_contains_all(f, 'go', keys) AS "all",
	external_bloom_add_all(f, 'go', keys) = f AS nothing_added
FROM (SELECT external_bloom_agg(x, 'go', 0.001) AS f FROM unnest('{a,b,c}'::text[]) x) s,
	(VALUES ('{}'::text[]), ('{a}'), ('{x}'), ('{a,x}'), ('{x,a}'), ('{a,NULL}'), ('{NULL,x}'),
	('{{a,b},{c,NULL}}'), ('{NULL}')) k (keys);

-- the format may be another in each row, as may the filter
SELECT count(*), count(*) FILTER (WHERE found) AS found
FROM (SELECT external_bloom_contains(external_bloom_add(f, format, 'new'), format, 'new') AS found
	FROM (SELECT format, decode(substr(split_part(result, ' ', 2), 3), 'hex') AS f
		FROM built WHERE type = 'text') b, generate_series(1, 3)) s;
CREATE TABLE mixed (id serial, format text, f bytea);
ALTER TABLE mixed ALTER f SET STORAGE EXTERNAL;
INSERT INTO mixed (format, f)
SELECT format, external_bloom_agg('key ' || i, format, 10000, 0.01)
FROM generate_series(1, 3000) i, unnest('{guava,go,parquet,spark_v1,redis}'::text[]) format
GROUP BY format ORDER BY format;
SELECT count(*), count(*) FILTER (WHERE i <= 3000) AS present,
	count(*) FILTER (WHERE external_bloom_contains(f, format, 'key ' || i)) BETWEEN 15000 AND 15200
		AS found,
	bool_and(external_bloom_contains(f, format, 'key ' || i)) FILTER (WHERE i <= 3000) AS all_found
FROM generate_series(1, 5000) i, mixed;
-- one column asked in two formats: whatever the answer, it is the same as of the bytes
SELECT count(*) FROM mixed, generate_series(1, 500) i,
	unnest('{guava,guava_chars}'::text[]) AS asked
WHERE mixed.format = 'guava' AND external_bloom_contains(f, asked, 'key ' || i) <>
	external_bloom_contains(f || '', asked, 'key ' || i);

-- what is read from them
SELECT format, (info).* FROM (SELECT format, external_bloom_info(
		decode(substr(split_part(result, ' ', 1), 3), 'hex'), format) AS info
	FROM built WHERE type IN ('text', 'integer', 'real', 'timestamp')) s
WHERE format NOT LIKE 'parquet\_%' ORDER BY format;

-- union, where the system has one
SELECT format, type, result FROM each_encoding(
	'SELECT CASE WHEN @format@ IN (''redis'', ''leveldb'') THEN NULL
		ELSE external_bloom_union(a, b, @format@) = both_of
			AND external_bloom_union(b, a, @format@) = both_of END
	FROM (SELECT external_bloom_agg(@i@, @format@, @size@) FILTER (WHERE i <= 200) AS a,
			external_bloom_agg(@i@, @format@, @size@) FILTER (WHERE i >= 100) AS b,
			external_bloom_agg(@i@, @format@, @size@) AS both_of
		FROM generate_series(1::bigint, 300) i) s') WHERE NOT coalesce(result::boolean, false);

-- chunks: what BF.LOADCHUNK takes in turn; the filter is their concatenation
SELECT iterator, length(chunk) FROM (
	SELECT external_bloom_agg(i::text, 'redis', 30000000, 0.01) AS f FROM generate_series(1, 10) i
	) s, external_bloom_chunks(f, 'redis');
SELECT string_agg(chunk, '' ORDER BY iterator) = f AS all_of_it, count(*)
FROM (SELECT external_bloom_agg(i::text, 'redis', 30000000, 0.01) AS f
	FROM generate_series(1, 10) i) s, external_bloom_chunks(f, 'redis') GROUP BY f;

--
-- Errors
--

-- error: there is no such format
SELECT external_bloom_contains('\x00', 'bloom', 'a');
SELECT external_bloom_contains('\x00', 'Guava', 'a');
SELECT external_bloom_agg(1, repeat('x', 100), 0.01);
SELECT external_bloom_agg(1, '', 10, 0.01);
SELECT * FROM external_bloom_chunks('\x00', 'rdis');
-- error: the format is null
SELECT external_bloom_agg('a'::text, NULL, 0.01);
SELECT external_bloom_add('\x00', NULL, 'a');
-- error: the filter is null
SELECT external_bloom_add(NULL, 'go', 'a');
SELECT external_bloom_add_all(NULL, 'go', '{a}'::text[]);
-- error: a parameter is null or not valid
SELECT external_bloom_agg('a'::text, 'go', NULL);
SELECT external_bloom_agg('a'::text, 'leveldb', NULL);
SELECT external_bloom_agg('a'::text, 'go', 1000, NULL);
SELECT external_bloom_agg('a'::text, 'go', 0, 0.01);
SELECT external_bloom_agg('a'::text, 'go', 1);
SELECT external_bloom_agg('a'::text, 'go', 'NaN');
SELECT external_bloom_agg('a'::text, 'leveldb', 0);
SELECT external_bloom_agg('a'::text, 'leveldb', 9.5);
SELECT external_bloom_agg('a'::text, 'leveldb', 1e10);
SELECT external_bloom_agg('a'::text, 'leveldb', 1000, 0.01);
-- error: no such filter
SELECT external_bloom_agg('a'::text, 'go', 9007199254740991, 0.01);
SELECT external_bloom_agg('a'::text, 'parquet', 1000000000, 0.01);
SELECT external_bloom_agg('a'::text, 'redis', 2000000000, 0.01);
SELECT external_bloom_agg('a'::text, 'spark_v2', 1, 0.9);
SELECT external_bloom_agg('a'::text, 'spark_v2', 0.9);
-- of several keys there is one
SELECT length(external_bloom_agg(x, 'spark_v2', 0.9)) FROM unnest('{a,b,c,d,e}'::text[]) x;
-- the largest filters that are made, to the byte, and one key or bit more: their states, of
-- one key, take little
CREATE AGGREGATE state(anycompatible, text, float8, float8) (SFUNC = external_bloom_agg_transition,
	STYPE = internal, FINALFUNC = external_bloom_agg_serialize);
CREATE FUNCTION refusal(format text, capacity bigint) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	reason text;
BEGIN
	IF length(state('a'::text, format, capacity, 0.01)) < 100 THEN
		RETURN NULL;
	END IF;
	RETURN 'no state of one key';
EXCEPTION WHEN invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
	RETURN reason;
END
$$;
SELECT format, capacity, refusal(format, capacity), refusal(format, capacity + 1) AS of_one_more
FROM (VALUES ('guava', 448035137), ('parquet', 110906249), ('spark_v1', 448035130),
	('spark_v2', 448035130), ('go', 448035123), ('redis', 389421326)) v (format, capacity);
DROP FUNCTION refusal;
DROP AGGREGATE state(anycompatible, text, float8, float8);
-- error: of LevelDB's, one bit more, or a byte
SELECT external_bloom_agg(x, 'leveldb', 2147221501) FROM unnest('{a,b}'::text[]) x;
-- error: format and parameters of a group
SELECT external_bloom_agg('a'::text, format, 0.01) FROM unnest('{go,guava}'::text[]) format;
SELECT external_bloom_agg('a'::text, 'go', p) FROM unnest('{0.01,0.02}'::float8[]) p;
SELECT external_bloom_agg('a'::text, 'go', n, 0.01) FROM unnest('{10,20}'::int[]) n;
-- error: more keys than a Redis filter is for
SELECT external_bloom_agg(i::text, 'redis', 100, 0.01) FROM generate_series(1, 101) i;
SELECT external_bloom_add_all(f, 'redis', '{x,y}'::text[]) FROM (
	SELECT external_bloom_agg(i::text, 'redis', 100, 0.01) AS f FROM generate_series(1, 99) i) s;
-- as the hint says
SELECT external_bloom_contains(external_bloom_agg(i::text, 'redis', 0.01), 'redis', '101')
FROM generate_series(1, 101) i;
-- error: no union
SELECT external_bloom_union(f, f, 'redis') FROM (
	SELECT external_bloom_agg(i::text, 'redis', 100, 0.01) AS f FROM generate_series(1, 9) i) s;
SELECT external_bloom_union(f, g, 'go') FROM (
	SELECT external_bloom_agg(i::text, 'go', 100, 0.01) AS f,
		external_bloom_agg(i::text, 'go', 200, 0.01) AS g FROM generate_series(1, 9) i) s;
-- error: only Redis takes chunks
SELECT * FROM external_bloom_chunks('\x00', 'guava');

-- error: another type, with the format or the cast that helps
SELECT external_bloom_contains('\x', 'guava', 1);
SELECT external_bloom_contains('\x', 'guava_int', 1::bigint);
SELECT external_bloom_contains('\x', 'guava_int', 'a');
SELECT external_bloom_contains('\x', 'guava_long', 1.5);
SELECT external_bloom_contains('\x', 'guava', 1.5);
SELECT external_bloom_contains('\x', 'guava_chars', '\x00'::bytea);
SELECT external_bloom_contains('\x', 'guava', '0189aa30-0000-7000-8000-000000000000'::uuid);
SELECT external_bloom_contains('\x', 'parquet', 1);
SELECT external_bloom_contains('\x', 'parquet', 1.5);
SELECT external_bloom_contains('\x', 'parquet', date '2000-01-01');
SELECT external_bloom_contains('\x', 'parquet', timestamp '2000-01-01');
SELECT external_bloom_contains('\x', 'parquet_int32', 1::bigint);
SELECT external_bloom_contains('\x', 'parquet_int32', timestamptz '2000-01-01 Z');
SELECT external_bloom_contains('\x', 'parquet_int64', timestamp '2000-01-01');
SELECT external_bloom_contains('\x', 'parquet_float', 1);
SELECT external_bloom_contains('\x', 'parquet_double', 1::bigint);
SELECT external_bloom_contains('\x', 'parquet_timestamp_micros', date '2000-01-01');
SELECT external_bloom_contains('\x', 'spark_v2', 1.5);
SELECT external_bloom_contains('\x', 'spark_v2', true);
SELECT external_bloom_contains('\x', 'redis', 1);
SELECT external_bloom_contains('\x', 'redis', 'a'::char(3));
SELECT external_bloom_contains('\x', 'redis', bloom_key(1));
SELECT external_bloom_contains('\x', 'guava_long', interval '1 day');
SELECT external_bloom_contains_any('\x', 'go', '{1}'::int[]);
SELECT external_bloom_contains('\x', 'redis', 5.0);
SELECT external_bloom_contains_any('\x', 'redis', '{5.0}'::numeric[]);
-- as the hints say
SELECT external_bloom_contains(f, 'redis', trim_scale(x)::text),
	external_bloom_contains_all(f, 'redis', ARRAY(SELECT trim_scale(e)::text FROM unnest(ARRAY[x]) e))
FROM (SELECT external_bloom_agg('5'::text, 'redis', 0.01) AS f, 5.0 AS x) s;
SELECT external_bloom_add('\x', 'go', 1);
SELECT external_bloom_agg(1, 'go', 0.01);
-- of a filter that is made the format may be another, too
SELECT external_bloom_agg(1::bigint, 'redis', 1000, 0.01);
SELECT external_bloom_agg(1::bigint, 'guava_int', 0.01);
SELECT external_bloom_agg(x, 'guava', 0.01) FROM unnest('{0189aa30-0000-7000-8000-000000000000}'::uuid[]) x;
SELECT external_bloom_agg(timestamp '2000-01-01', 'leveldb', 10);
SELECT external_bloom_agg(interval '1 day', 'go', 0.01);
-- as the hint says
SELECT format, external_bloom_contains(external_bloom_agg(1::bigint, format, 0.01), format, 1::bigint)
FROM unnest('{guava_long,parquet_int64,spark_v1,spark_v2}'::text[]) format GROUP BY format ORDER BY format;
SELECT external_bloom_contains('\x', 'parquet_timestamp_micros', 'a');
SELECT external_bloom_contains('\x', 'guava', '{a}'::text[]);
SELECT external_bloom_contains('\x', 'guava_int', 'a'::"char");
SELECT external_bloom_contains('\x', 'guava', 1::money);
SELECT external_bloom_contains_any('\x', 'guava', '{a}'::char(3)[]);
-- error: a value without an encoding
SELECT external_bloom_contains(f, 'parquet_int32', 'infinity'::date),
	external_bloom_contains(f, 'parquet_int32', '-infinity'::date)
FROM (SELECT external_bloom_agg(1, 'parquet_int32', 0.01) AS f) s;
SELECT external_bloom_agg('infinity'::timestamp, 'parquet_timestamp_micros', 0.01);
SELECT external_bloom_agg('-infinity'::timestamptz, 'parquet_timestamp_millis', 0.01);
SELECT external_bloom_agg('294276-12-31'::timestamp, 'parquet_timestamp_micros', 0.01);
SELECT external_bloom_agg('2000-01-01 00:00:00.0005'::timestamp, 'parquet_timestamp_millis', 0.01);
SELECT external_bloom_agg('1999-12-31 23:59:59.9995'::timestamp, 'parquet_timestamp_millis', 0.01);
-- these have one
SELECT external_bloom_agg(x, 'parquet_timestamp_millis', 0.01) =
	external_bloom_agg((extract(epoch FROM x) * 1000)::bigint, 'parquet_int64', 0.01) AS millis
FROM unnest('{294276-12-31,4713-01-01 BC,1969-12-31 23:59:59.999,1970-01-01}'::timestamp[]) x;
SELECT external_bloom_agg(x, 'parquet_timestamp_micros', 0.01) =
	external_bloom_agg((extract(epoch FROM x) * 1000000)::bigint, 'parquet_int64', 0.01) AS micros
FROM unnest('{200000-12-31,4713-01-01 BC,1969-12-31 23:59:59.999999 Z}'::timestamptz[]) x;
SELECT external_bloom_agg(x, 'parquet_int32', 0.01) =
	external_bloom_agg(x - date '1970-01-01', 'parquet_int32', 0.01) AS date
FROM unnest('{5874897-12-31,4713-01-01 BC,1970-01-01,2026-01-01}'::date[]) x;

-- more keys than the capacity: no key is lost, but many others are found
SELECT bool_and(external_bloom_contains(f, 'guava_int', i)) AS all_found
FROM (SELECT external_bloom_agg(i, 'guava_int', 10, 0.01) AS f FROM generate_series(1, 100) i) s,
	generate_series(1, 100) i;
SELECT external_bloom_agg(i, 'guava_int', 1000, 0.01) IS NOT NULL AS just_full
FROM generate_series(1, 1000) i;
-- LevelDB's large filters find more than their bits tell
SELECT round(current_fpp::numeric, 3) AS current_fpp
FROM (SELECT external_bloom_agg(i::text, 'leveldb', 10) AS f FROM generate_series(1, 100000) i) s,
	external_bloom_info(f, 'leveldb');

--
-- Values that SQL calls equal and that have several encodings
--

-- zero is asked in both of its encodings, whatever type it comes in; one of them is added
SELECT added, format, bool_and(external_bloom_contains(f, format, '0'::real)) AS zero,
	bool_and(external_bloom_contains(f, format, '-0'::real)) AS minus,
	bool_and(external_bloom_contains(f, format, 0::smallint)) AS smallint,
	bool_and(external_bloom_contains_any(f, format, '{1,0}'::real[])) AS "any",
	bool_and(external_bloom_contains_all(f, format, '{0,-0}'::real[])) AS "all",
	bool_or(external_bloom_contains(f, format, 1::smallint)) AS one
FROM unnest('{0,-0}'::real[]) added, unnest('{parquet_float,parquet_double}'::text[]) format,
	LATERAL (SELECT external_bloom_agg(x, format, 0.01) FROM (VALUES (added)) v(x)) made(f)
GROUP BY added::text, added, format ORDER BY added::text, format;
SELECT external_bloom_contains(f, 'parquet_double', 0) AS integer,
	external_bloom_contains(f, 'parquet_double', '0'::float8) AS "double precision"
FROM (SELECT external_bloom_agg('-0'::float8, 'parquet_double', 0.01)) s(f);
SELECT external_bloom_agg('0'::float8, 'parquet_double', 0.01) =
	external_bloom_agg('-0'::float8, 'parquet_double', 0.01) AS same_bytes;
-- so it is in a column
CREATE TABLE zeros (f bytea);
ALTER TABLE zeros ALTER f SET STORAGE EXTERNAL;
INSERT INTO zeros SELECT external_bloom_agg(x, 'parquet_double', 10000, 0.01)
FROM unnest('{-0}'::float8[]) x;
SELECT external_bloom_contains(f, 'parquet_double', x) AS found
FROM zeros, unnest('{0,-0,1,NaN}'::float8[]) x;
DROP TABLE zeros;
-- of NaN there are too many: it may be in any filter
SELECT format, external_bloom_contains(f, format, 'NaN'::real) AS nan,
	external_bloom_contains_any(f, format, '{1,NaN}'::real[]) AS "any",
	external_bloom_contains_all(f, format, '{1,NaN}'::real[]) AS "all"
FROM unnest('{parquet_float,parquet_double}'::text[]) format,
	LATERAL (SELECT external_bloom_agg(x, format, 0.01) FROM (VALUES ('2'::real)) v(x)) made(f);
-- what is not asked is given in each form: blanks of char(n), zeros of a numeric, normal forms
SELECT external_bloom_contains_any(f, 'redis', ARRAY[x::text, rpad(x::text, 8)]) AS found
FROM (VALUES ('abc'::char(8))) v(x), LATERAL (SELECT external_bloom_agg(y, 'redis', 0.01)
	FROM unnest(ARRAY['abc', 'abc     ']) y GROUP BY y) made(f);
SELECT external_bloom_contains(f, 'guava', trim_scale(x)::text) AS trimmed,
	external_bloom_contains(f, 'guava', x::text) AS as_printed
FROM (SELECT external_bloom_agg('1.5'::text, 'guava', 0.01)) s(f),
	unnest('{1.5,1.50}'::numeric[]) x;
SELECT external_bloom_contains(f, 'go', normalize(x, NFC)) AS composed,
	external_bloom_contains(f, 'go', x) AS as_given
FROM (SELECT external_bloom_agg(U&'\00fc'::text, 'go', 0.01)) s(f),
	unnest(ARRAY[U&'\00fc', U&'u\0308']) x;
-- numbers of unsigned columns are stored as those of as many bits with a sign
SELECT x, x::bit(32)::integer AS int32
FROM unnest('{0,2147483647,2147483648,4294967295}'::bigint[]) x;

-- a domain is what it is over, and a value is one key in every type that has it
CREATE DOMAIN mail AS varchar(20) CHECK (VALUE LIKE '%@%');
SELECT external_bloom_agg('a@b'::mail, 'go', 0.01) = external_bloom_agg('a@b'::text, 'go', 0.01)
	AS domain,
	external_bloom_contains_any(external_bloom_agg('a@b'::text, 'go', 0.01), 'go',
		ARRAY['a@b']::mail[]) AS domain_array,
	external_bloom_agg('a'::text, 'go', 0.01) = external_bloom_agg('\x61'::bytea, 'go', 0.01)
	AS bytes,
	external_bloom_agg(1::smallint, 'guava_long', 0.01) =
		external_bloom_agg(1::bigint, 'guava_long', 0.01) AS width;
-- 100,000 keys find copies of themselves in the state
SELECT external_bloom_agg((i % 10)::text, 'go', 0.01) =
	external_bloom_agg((i % 10)::text, 'go', 10, 0.01) AS same
FROM generate_series(1, 100000) i;

--
-- Malformed bytes: an error that says what is wrong, or the answer of the system's own
-- reader, but never anything else
--

CREATE FUNCTION answer(bytes bytea, format text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	detail text;
BEGIN
	IF length(bytes) > 2 AND format <> 'redis' THEN
		PERFORM external_bloom_info(bytes, format), external_bloom_add(bytes, format, 'key 2');
	END IF;
	RETURN external_bloom_contains(bytes, format, 'key 1');
EXCEPTION WHEN invalid_binary_representation OR program_limit_exceeded THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END
$$;
CREATE TABLE sample AS
SELECT format, external_bloom_agg('key 1'::text, format,
		CASE format WHEN 'leveldb' THEN 10 ELSE 0.01 END) AS f
FROM unnest('{go,guava,leveldb,parquet,redis,spark_v1,spark_v2}'::text[]) format GROUP BY format;
INSERT INTO sample SELECT 'parquet', '\x15401c1c00001c1c00001c1c000000' || f
FROM sample WHERE format = 'parquet';
SELECT format, length(f), answer(f, format) FROM sample ORDER BY 1, 2;
-- cut off anywhere, or longer by up to 64 bytes.  Only two have forms that are another filter
-- then: Parquet's bits without a header, in whole blocks, and LevelDB's, of any length.
SELECT format, answer, count(*)
FROM sample, generate_series(0, length(f) + 64) n,
	answer(substr(f || sha512('a'), 1, n), format)
GROUP BY 1, 2 ORDER BY 1, 2;
-- a Parquet header decides, not the length
SELECT answer('\x15401c1c00001c1c00001c1c000000' || decode(repeat('00', n), 'hex'), 'parquet')
FROM unnest('{17, 32, 49}'::int[]) n;
-- each byte set to 0 and to 255, and each of its bits changed
SELECT format, answer, count(*)
FROM sample, generate_series(0, length(f) - 1) at, generate_series(-2, 7) change,
	answer(CASE change WHEN -2 THEN set_byte(f, at, 0) WHEN -1 THEN set_byte(f, at, 255)
		ELSE set_bit(f, at * 8 + change, 1 - get_bit(f, at * 8 + change)) END, format)
GROUP BY 1, 2 ORDER BY 1, 2;

DROP TABLE encoding, number, built, mixed, sample;
DROP DOMAIN mail;
DROP FUNCTION each_encoding, aggregates, answer;
