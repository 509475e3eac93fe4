--
-- The oracle of matrix_oracle.sql for matrices of many columns, in memory and stored
--
-- Left to --all, for its time.
--
-- Numbers of columns around those of a word, and more than a page has bits; the matrices that
-- are stored are read in slices, until that has cost as much as to read them whole.
--
\a\t

CREATE SCHEMA matrix_oracle_large;
SET search_path = matrix_oracle_large, public;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64MB';

CREATE FUNCTION pick(seed text, n int) RETURNS int LANGUAGE sql IMMUTABLE
RETURN abs(hashtext(seed)::bigint) % n;

-- sets of random numbers of 0 to 400 keys, in filters for 2,400 or 1,200 keys, or folded
CREATE TABLE filter AS
SELECT id, CASE WHEN keys = 0 THEN bloom_create(2400) WHEN id % 5 = 0 THEN bloom_shrink(f) ELSE f END AS f
FROM (SELECT id * 7 - 5000::bigint AS id, keys,
		bloom_agg(pick(id || ' ' || i, 5000), CASE WHEN id % 3 = 0 THEN 1200 ELSE 2400 END, 0.01)
			FILTER (WHERE i <= keys) AS f
	FROM (SELECT id, pick('size' || id, 401) AS keys FROM generate_series(1, 5000) id) s,
		LATERAL generate_series(1, greatest(keys, 1)) i
	GROUP BY id, keys) t;
SELECT count(*) FILTER (WHERE (bloom_info(f)).layers = 1) AS layers,
	count(*) FILTER (WHERE (bloom_info(f)).layers = 0 AND bloom_cardinality(f) > 0) AS lists,
	count(*) FILTER (WHERE bloom_cardinality(f) = 0) AS empty,
	count(DISTINCT octet_length(f::bytea)) FILTER (WHERE (bloom_info(f)).layers = 1) > 3 AS of_several_sizes
FROM filter;

CREATE TABLE matrix AS
SELECT columns, bloom_matrix_agg(id, f) AS m
FROM unnest(ARRAY[1, 2, 63, 64, 65, 511, 512, 513, 5000]) columns,
	LATERAL (SELECT * FROM filter ORDER BY hashint8(id) LIMIT columns) s
GROUP BY columns;
SELECT columns, (bloom_matrix_info(m)).columns = columns AS complete, m::text::bloom_matrix = m AS valid
FROM matrix ORDER BY columns;

-- the filters that come back; those of lists are layers now
CREATE TABLE held AS
SELECT columns, id, f, bloom_matrix_filter(m, id) AS g
FROM matrix, bloom_matrix_ids(m) id JOIN filter USING (id);
SELECT columns, count(*) = columns AS complete,
	count(*) FILTER (WHERE f <> g AND NOT ((bloom_info(f)).layers = 0 AND bloom_cardinality(f) > 0)) AS changed
FROM held GROUP BY columns ORDER BY columns;

-- one key each, of a matrix that is stored, and of one in memory
CREATE FUNCTION answers(columns int, stored boolean, first int, n int)
RETURNS TABLE (questions bigint, found boolean, lost bigint, wrong bigint) LANGUAGE sql AS
$$
	WITH memory AS MATERIALIZED (
		SELECT m::bytea::bloom_matrix AS m FROM matrix WHERE matrix.columns = answers.columns
			AND NOT stored),
	answer AS MATERIALIZED (
		SELECT key, ARRAY(SELECT bloom_matrix_search(m, key)) AS ids
		FROM (SELECT m FROM memory UNION ALL
				SELECT m FROM matrix WHERE matrix.columns = answers.columns AND stored) s(m),
			generate_series(first, first + n - 1) key)
	SELECT count(*), bool_or(id = ANY (ids)),
		count(*) FILTER (WHERE f @> key AND NOT id = ANY (ids)),
		count(*) FILTER (WHERE g @> key <> (id = ANY (ids)))
	FROM answer, held WHERE held.columns = answers.columns
$$;
SELECT m.columns, stored, a.*
FROM matrix m, unnest(ARRAY[true, false]) stored,
	answers(columns, stored, -20, CASE WHEN columns < 100 THEN 1700 WHEN columns < 5000 THEN 200 ELSE 60 END) a
ORDER BY columns, stored;

-- arrays of up to 300 keys, the elements of which lie in all blocks
CREATE TABLE question AS
SELECT n, ARRAY(SELECT pick(n || ' ' || i, 5000)
		FROM generate_series(1, CASE n % 3 WHEN 0 THEN 2 WHEN 1 THEN 30 ELSE 300 END) i) || CASE WHEN n % 4 = 0 THEN ARRAY[NULL::int] END AS keys
FROM generate_series(1, 30) n;
WITH answer AS MATERIALIZED (
	SELECT columns, n, keys, ARRAY(SELECT bloom_matrix_search_all(m, keys)) AS "all",
		ARRAY(SELECT bloom_matrix_search_any(m, keys)) AS "any"
	FROM matrix, question)
SELECT columns, count(*) AS questions,
	count(*) FILTER (WHERE bloom_contains_all(g, keys) IS TRUE <> (id = ANY ("all"))) AS wrong_all,
	count(*) FILTER (WHERE bloom_contains_any(g, keys) IS TRUE <> (id = ANY ("any"))) AS wrong_any
FROM answer JOIN held USING (columns) GROUP BY columns ORDER BY columns;

SET client_min_messages = warning;
DROP SCHEMA matrix_oracle_large CASCADE;
