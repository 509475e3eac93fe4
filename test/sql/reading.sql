--
-- How a filter is read: in place, in slices, whole once
--
-- Left to --ci, for its time.
--
\a\t

\set ECHO none
-- a filter of about 3.6 MB, stored out of line
CREATE TABLE stored (id int, f bloom);
INSERT INTO stored SELECT 1, bloom_agg(i, 3000000, 0.01) FROM generate_series(1, 100000) i;

-- pages that a query touches, apart from those of system tables: in a process that has just
-- been started many are read, as many for filters of 3 kB
CREATE TABLE little AS
	SELECT 1 AS id, bloom_agg(i) AS f, counting_bloom_agg(i) FILTER (WHERE i <= 600) AS counting,
		cuckoo_agg(i) AS fingerprints
	FROM generate_series(1, 2400) i;
CREATE FUNCTION all_pages(query text) RETURNS int LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int +
		(plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END
$$;
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE sql
RETURN -all_pages(regexp_replace(query, '\mstored(_others)?\M', 'little')) + all_pages(query);
\set ECHO all
SELECT all_pages('SELECT md5(f::bytea) FROM stored') AS whole \gset

-- one probe reads the head and one block; ten read ten (the whole for each: pgvector 240,
-- TimescaleDB 6383)
SELECT pages('SELECT f @> 1 FROM stored') < :whole / 10 AS one,
	pages('SELECT bloom_contains_all(f, ARRAY[1,2,3,4,5,6,7,8,9,10]) FROM stored') <
		:whole / 4 AS ten;
-- many read the whole, once: no more than twice what reading it whole costs
-- (a slice touches more pages than a chunk of a whole value, so: 3 times)
SELECT pages('SELECT count(*) FROM stored, generate_series(1, 10000) i WHERE f @> i') <
	3 * :whole AS ten_thousand,
	pages('SELECT count(*) FROM stored, generate_series(1, 100000) i WHERE f @> i') <
		3 * :whole AS a_hundred_thousand;
SELECT count(*) FROM stored, generate_series(1, 100000) i WHERE f @> i;
-- a single filter also where it is larger than work_mem
SET work_mem = '64kB';
SELECT pages('SELECT count(*) FROM stored, generate_series(1, 10000) i WHERE f @> i') <
	3 * :whole AS ten_thousand;
RESET work_mem;

-- of the other types, too: one block of counters, or two buckets
CREATE TABLE stored_others (counting counting_bloom, fingerprints cuckoo);
INSERT INTO stored_others
SELECT counting_bloom_agg(i, 1000000, 0.01), cuckoo_agg(i, 3000000, 0.01)
FROM generate_series(1, 100000) i;
SELECT all_pages('SELECT md5(counting::bytea) FROM stored_others') AS counting,
	all_pages('SELECT md5(fingerprints::bytea) FROM stored_others') AS fingerprints \gset
SELECT pages('SELECT counting @> 1 FROM stored_others') < :counting / 10 AS counting,
	pages('SELECT fingerprints @> 1 FROM stored_others') < :fingerprints / 10 AS fingerprints,
	pages('SELECT counting_bloom_count(counting, 1) FROM stored_others') < :counting / 10 AS count,
	pages('SELECT cuckoo_count(fingerprints, 1) FROM stored_others') < :fingerprints / 10 AS count,
	pages('SELECT counting_bloom_info(counting), cuckoo_info(fingerprints) FROM stored_others') <
		:fingerprints / 10 AS info;
SELECT pages('SELECT count(*) FROM stored_others, generate_series(1, 10000) i
		WHERE counting @> i') < 3 * :counting AS counting_ten_thousand,
	pages('SELECT count(*) FROM stored_others, generate_series(1, 10000) i
		WHERE fingerprints @> i') < 3 * :fingerprints AS fingerprints_ten_thousand;
SELECT bool_and((SELECT counting @> i FROM stored_others) = (counting @> i)) AS counting,
	bool_and((SELECT fingerprints @> i FROM stored_others) = (fingerprints @> i)) AS fingerprints,
	bool_and((SELECT fingerprints @> i FROM stored_others) OR i > 100000) AS all_found
FROM (SELECT counting_bloom_agg(i, 1000000, 0.01), cuckoo_agg(i, 3000000, 0.01)
	FROM generate_series(1, 100000) i) s(counting, fingerprints),
	generate_series(99800, 100200) i;
DROP TABLE stored_others;

-- the answers are those of the value in memory, whichever way it is read
SELECT count(*) FILTER (WHERE f @> i) = count(*) FILTER (WHERE g @> i) AS same
FROM stored, (SELECT bloom_agg(i, 3000000, 0.01) FROM generate_series(1, 100000) i) AS s(g),
	generate_series(90000, 130000) i;
SELECT bool_and((SELECT f @> i FROM stored) = (g @> i)) AS same
FROM (SELECT bloom_agg(i, 3000000, 0.01) FROM generate_series(1, 100000) i) AS s(g),
	generate_series(99900, 100100) i;

\set ECHO none
-- several filters that take turns at one call site, with room for all their
-- copies, for some, for none: layers and lists among them
INSERT INTO stored SELECT 1 + n, bloom_agg(i * 20 + n, 200000, 0.001)
FROM generate_series(1, 12) n, generate_series(1, 5000) i GROUP BY n;
INSERT INTO stored SELECT 14, bloom_add_all(bloom_create(1000), array_agg(i))
FROM generate_series(1, 50000) i;
INSERT INTO stored SELECT 15, bloom_agg(i) FROM generate_series(1, 100) i;
INSERT INTO stored SELECT 16, bloom_create(10);
CREATE TABLE expected AS
	SELECT id, count(*)
	FROM stored, LATERAL (SELECT f::text::bloom AS g OFFSET 0) s, generate_series(1, 2000) i
	WHERE bloom_contains(g, i) GROUP BY id;
SET enable_material = off;
CREATE FUNCTION turns() RETURNS SETOF expected LANGUAGE sql AS $$
	SELECT id, count(*)
	FROM (SELECT i FROM generate_series(1, 2000) i) s, stored WHERE f @> i GROUP BY id
$$;
SET work_mem = '64MB';
\set ECHO all
SELECT (SELECT array_agg(t ORDER BY id) FROM turns() t) =
	(SELECT array_agg(e ORDER BY id) FROM expected e) AS same;
SET work_mem = '2MB';
SELECT (SELECT array_agg(t ORDER BY id) FROM turns() t) =
	(SELECT array_agg(e ORDER BY id) FROM expected e) AS same;
SET work_mem = '64kB';
SELECT (SELECT array_agg(t ORDER BY id) FROM turns() t) =
	(SELECT array_agg(e ORDER BY id) FROM expected e) AS same;
RESET work_mem;
RESET enable_material;
DROP FUNCTION turns();

-- more filters than one call site keeps track of
CREATE TABLE many AS
SELECT n, bloom_agg(i * 100 + n, 5000, 0.001) AS f
FROM generate_series(0, 99) n, generate_series(1, 200) i GROUP BY n;
SELECT bool_and(f @> (i * 100 + n)) AS all_found FROM generate_series(1, 200) i, many;
DROP TABLE many;

-- a value that changes between the calls of one call site
CREATE FUNCTION follow() RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	wrong int := 0;
BEGIN
	FOR i IN 1..300 LOOP
		UPDATE stored SET f = bloom_add(f, -i) WHERE id = 14;
		IF NOT (SELECT f @> -i FROM stored WHERE id = 14) THEN wrong := wrong + 1; END IF;
		IF NOT (SELECT f @> 50000 FROM stored WHERE id = 14) THEN wrong := wrong + 1; END IF;
	END LOOP;
	RETURN wrong || ' wrong';
END
$$;
SELECT follow();
DROP FUNCTION follow();
DO $$
DECLARE
	f bloom := bloom_create(10);
	wrong int := 0;
BEGIN
	FOR i IN 1..1000 LOOP
		IF bloom_contains(f, i) AND (bloom_info(f)).layers = 0 THEN wrong := wrong + 1; END IF;
		f := bloom_add(f, i);
		IF NOT bloom_contains(f, i) OR NOT bloom_contains(f, 1) THEN wrong := wrong + 1; END IF;
	END LOOP;
	RAISE NOTICE '% wrong', wrong;
END
$$;

-- filters of one length and different geometry at one call site
SELECT bool_and(f @> n) AS all_found
FROM (SELECT n,
		bloom_add_all(bloom_create(n + 200, 0.01, 0),
			(SELECT array_agg(i) FROM generate_series(1, 200) i)) AS f
	FROM generate_series(1, 200) n) s;

-- compressed, in line and out of line, where a user has asked for it
CREATE TABLE compressed (f bloom);
ALTER TABLE compressed ALTER f SET STORAGE main;
INSERT INTO compressed SELECT bloom_agg(i, 50000, 0.01) FROM generate_series(1, 200) i;
ALTER TABLE compressed ALTER f SET STORAGE extended;
INSERT INTO compressed SELECT bloom_agg(i, 3000000, 0.01) FROM generate_series(1, 200) i;
SELECT pg_column_size(f) < octet_length(f::bytea) / 2 AS is_compressed,
	(SELECT bool_and(f @> i) FROM generate_series(1, 200) i) AS all_found,
	(SELECT count(*) < 10 FROM generate_series(1001, 2000) i WHERE f @> i) AS few_false
FROM compressed;
DROP TABLE compressed;

-- in parallel workers (a TOAST relation kept open in fn_extra broke them: TimescaleDB 8625)
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 2000) i;
ANALYZE numbers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT count(*) FROM numbers WHERE bloom_contains((SELECT f FROM stored WHERE id = 1), i);
SELECT count(*) AS different
FROM (SELECT id, count(*) FROM numbers, stored WHERE f @> i GROUP BY id) t
FULL JOIN expected e USING (id) WHERE t.count IS DISTINCT FROM e.count;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

DROP FUNCTION pages(text), all_pages(text);
DROP TABLE stored, little, expected, numbers;
