--
-- How a filter of another system is read: in place, in slices, whole once
--
-- Left to --ci, for its time.
--
\a\t

\set ECHO none
-- pages that a query touches, once what it needs of the catalogs is in memory: not in a worker,
-- which reads it anew
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql
SET max_parallel_workers_per_gather = 0 AS
$$
DECLARE
	plan json;
BEGIN
	FOR i IN 1..2 LOOP
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	END LOOP;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int +
		(plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END
$$;
-- filters of 2 MB and more, stored out of line
CREATE TABLE stored (format text, f bytea);
ALTER TABLE stored ALTER f SET STORAGE EXTERNAL;
INSERT INTO stored
SELECT format, external_bloom_agg(i::text, format, 2000000, 0.01)
FROM generate_series(1, 100000) i,
	unnest('{go,guava,parquet,redis,spark_v1,spark_v2}'::text[]) format
GROUP BY format;
INSERT INTO stored
SELECT 'leveldb', external_bloom_agg(i::text, 'leveldb', 200) FROM generate_series(1, 100000) i;
-- the same, of the filter of each format; key number i is in it up to 100000
CREATE FUNCTION pages_of_each(query text, OUT format text, OUT pages float8)
RETURNS SETOF record LANGUAGE sql AS
$$
SELECT format, pages(replace(replace(query, '@stored@',
	format('stored WHERE format = %L', format)),
	'@found@', format('external_bloom_contains(f, %L, i::text)', format)))
FROM stored ORDER BY format
$$;

CREATE TABLE whole AS SELECT * FROM pages_of_each('SELECT md5(f) FROM @stored@');
\set ECHO all

-- A key that is there: the head and a slice for each probe, which touches some pages of the
-- index and one of the table; one slice of Parquet's.  Of LevelDB's filters, of 30 probes, as
-- many as they are worth.
SELECT format, CASE format WHEN 'parquet' THEN o.pages < 10
	WHEN 'leveldb' THEN o.pages < w.pages / 2
	ELSE o.pages BETWEEN 16 AND 60 END AS one
FROM pages_of_each('SELECT @found@ FROM (SELECT 1 AS i) k, @stored@') o
	JOIN whole w USING (format);
-- most keys that are not there: the head and a slice or two
SELECT format, o.pages / 20 < 5 AS absent
FROM pages_of_each('SELECT count(*) FROM generate_series(-20, -1) i, @stored@ AND @found@') o;
-- many read the whole, once: no more than twice what reading it whole costs
-- (in time; a slice touches three pages, and costs as much as six chunks of a whole value)
SELECT format, t.pages < 4 * w.pages AS ten_thousand
FROM pages_of_each('SELECT count(*) FROM generate_series(1, 10000) i, @stored@ AND @found@') t
	JOIN whole w USING (format);
SELECT format, t.pages < 4 * w.pages AS thousand_in_an_array
FROM pages_of_each('SELECT external_bloom_contains_all(f, format,
		(SELECT array_agg(i::text) FROM generate_series(1, 1000) i)) FROM @stored@') t
	JOIN whole w USING (format);
-- also where it is larger than work_mem
SET work_mem = '64kB';
SELECT format, t.pages < 4 * w.pages AS ten_thousand
FROM pages_of_each('SELECT count(*) FROM generate_series(1, 10000) i, @stored@ AND @found@') t
	JOIN whole w USING (format);
RESET work_mem;

-- the answers are those of the value in memory, whichever way it is read
SELECT format, bool_and(a.found = b.found) AS same, bool_and(a.found OR i > 100000) AS all_found,
	count(*) FILTER (WHERE a.found) < 70 AS few_others
FROM generate_series(99950, 100100) i, stored s,
	LATERAL (SELECT external_bloom_contains((SELECT f FROM stored t WHERE t.format = s.format),
		s.format, i::text)) a (found),
	LATERAL (SELECT external_bloom_contains(s.f || '', s.format, i::text)) b (found)
GROUP BY format ORDER BY format;

-- many filters of several formats take turns at one call site, with room for all their
-- copies, for some, for none
CREATE TABLE shard (n int, format text, f bytea);
ALTER TABLE shard ALTER f SET STORAGE EXTERNAL;
INSERT INTO shard
SELECT n, format, external_bloom_agg((i * 20 + n)::text, format, 20000, 0.001)
FROM generate_series(1, 15) n, generate_series(1, 500) i,
	unnest('{go,guava,parquet,redis,spark_v2}'::text[]) format GROUP BY n, format;
SET enable_material = off;
SET enable_hashjoin = off;
CREATE FUNCTION turns() RETURNS TABLE (keys bigint, lost bigint) LANGUAGE sql AS
$$
SELECT count(*), count(*) FILTER (WHERE NOT external_bloom_contains(f, format, (i * 20 + n)::text))
FROM generate_series(1, 300) i, shard
$$;
SET work_mem = '64MB';
SELECT * FROM turns();
SET work_mem = '500kB';
SELECT * FROM turns();
SET work_mem = '64kB';
SELECT * FROM turns();
RESET work_mem;
RESET enable_material;
RESET enable_hashjoin;

-- one stored value asked in two formats at one call site
SELECT count(*) AS different
FROM stored s, generate_series(1, 300) i, unnest('{guava,guava_chars}'::text[]) AS asked
WHERE s.format = 'guava' AND external_bloom_contains(f, asked, i::text) <>
	external_bloom_contains(f || '', asked, i::text);
-- in two of different metadata: no key is lost in the format that it was made in
SELECT count(*) FILTER (WHERE asked = 'parquet' AND NOT found) AS lost,
	count(*) FILTER (WHERE found <> external_bloom_contains(f || '', asked, i::text)) AS different
FROM (SELECT f, asked, i, external_bloom_contains(f, asked, i::text) AS found
	FROM stored s, generate_series(1, 40) i, unnest('{leveldb,parquet}'::text[]) AS asked
	WHERE s.format = 'parquet' OFFSET 0) s;

-- a value that changes between the calls of one call site, and one that is compressed
DO
$$
DECLARE
	filter bytea := (SELECT f FROM stored WHERE format = 'go');
	wrong int := 0;
BEGIN
	FOR i IN 100001..100100 LOOP
		UPDATE stored SET f = external_bloom_add(f, 'go', i::text) WHERE format = 'go';
		filter := external_bloom_add(filter, 'go', i::text);
		IF NOT (SELECT external_bloom_contains(f, 'go', i::text) FROM stored WHERE format = 'go')
			OR NOT external_bloom_contains(filter, 'go', i::text)
		THEN
			wrong := wrong + 1;
		END IF;
	END LOOP;
	RAISE NOTICE '% wrong', wrong;
END
$$;
CREATE TABLE compressed (f bytea);
INSERT INTO compressed
SELECT external_bloom_agg(i::text, 'guava', 2000000, 0.01) FROM generate_series(1, 200) i;
SELECT pg_column_size(f) < octet_length(f) / 2 AS is_compressed,
	(SELECT bool_and(external_bloom_contains(f, 'guava', i::text))
		FROM generate_series(1, 200) i) AS all_found,
	(SELECT count(*) < 10 FROM generate_series(1001, 2000) i
		WHERE external_bloom_contains(f, 'guava', i::text)) AS few_false
FROM compressed;
SELECT t.pages < 4 * w.pages AS once
FROM (SELECT pages('SELECT count(*) FROM generate_series(1, 1000) i, compressed
		WHERE external_bloom_contains(f, ''guava'', i::text)')) t (pages),
	(SELECT pages('SELECT md5(f) FROM compressed')) w (pages);

DROP TABLE stored, whole, shard, compressed;
DROP FUNCTION pages, pages_of_each, turns;
