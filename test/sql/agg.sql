--
-- bloom_agg: a filter from a column
--
\a\t

-- the three forms
SELECT form, key_family, capacity, target_fpp, growth, layers,
	keys BETWEEN 970 AND 1030 AS keys_estimated
FROM (SELECT bloom_agg(i), bloom_agg(i, 0.001), bloom_agg(i, 5000, 0.001),
			bloom_agg(i, NULL, 0.001)
	FROM generate_series(1, 1000) i) AS a(a, b, c, d),
	LATERAL (VALUES ('value', a), ('value, fpp', b), ('value, capacity, fpp', c),
		('value, null, fpp', d)) AS v(form, f),
	bloom_info(f);
SELECT bloom_agg(i) = bloom_agg(i, 0.01) AS default_fpp,
	bloom_agg(i, 0.001) = bloom_agg(i, NULL, 0.001) AS null_capacity
FROM generate_series(1, 1000) i;

-- every key is found
SELECT bool_and(bloom_contains(f, i)) AS self_sized, bool_and(bloom_contains(g, i)) AS sized
FROM (SELECT bloom_agg(i), bloom_agg(i, 100000, 0.01)
	FROM generate_series(1, 100000) i) AS s(f, g),
	generate_series(1, 100000) i;

-- sized by distinct keys, not by rows (19 times too large: pgcolumnar 467)
SELECT capacity, keys BETWEEN 990 AND 1010 AS keys_estimated
FROM (SELECT bloom_agg(i % 1000) FROM generate_series(1, 100000) i) AS s(f), bloom_info(f);

-- the order of rows, and how often each comes, changes nothing
SELECT n, (SELECT bloom_agg(i) FROM generate_series(1, n) i) =
	(SELECT bloom_agg(i)
		FROM (SELECT n - i / 3 AS i FROM generate_series(0, 3 * n - 1) i) s) AS self_sized,
	(SELECT bloom_agg(i, 5000, 0.01) FROM generate_series(1, n) i) =
	(SELECT bloom_agg(i, 5000, 0.01)
		FROM (SELECT n - i / 3 AS i FROM generate_series(0, 3 * n - 1) i) s) AS sized
FROM unnest(ARRAY[1, 127, 128, 129, 1000, 5000]) n;

-- so it is with many keys, whether they repeat at once, much later, or only
-- after many have come once
WITH made(f, g) AS (SELECT bloom_agg(i), bloom_agg(i, 100000, 0.01)
	FROM generate_series(1, 100000) i)
SELECT how, self_sized = f AS self_sized, sized = g AS sized
FROM made, LATERAL (
	SELECT 'at once', bloom_agg(i / 10), bloom_agg(i / 10, 100000, 0.01)
	FROM generate_series(10, 1000009) i
	UNION ALL
	SELECT 'later', bloom_agg(i % 100000 + 1), bloom_agg(i % 100000 + 1, 100000, 0.01)
	FROM generate_series(1, 1000000) i
	UNION ALL
	SELECT 'one, in the end', bloom_agg(least(i, 100000)),
		bloom_agg(least(i, 100000), 100000, 0.01)
	FROM generate_series(1, 1000000) i
) AS a(how, self_sized, sized)
ORDER BY how;

-- 128 keys are an exact list, 129 are blocks, in each form
SELECT n, (bloom_info(f)).layers AS self_sized, (bloom_info(g)).layers AS sized
FROM unnest(ARRAY[127, 128, 129]) n,
	LATERAL (SELECT bloom_agg(i), bloom_agg(i, 1000000, 0.01)
		FROM generate_series(1, n) i) AS s(f, g);

-- no rows: the empty filter, which contains nothing and lets NOT pass, not NULL (hll 2, 129)
SELECT bloom_agg(i) IS NULL AS is_null, (bloom_info(bloom_agg(i))).key_family,
	octet_length(bloom_agg(i)::bytea) < 100 AS small,
	bloom_contains(bloom_agg(i), 1) AS contains, NOT bloom_contains(bloom_agg(i), 1) AS passes
FROM generate_series(1, 0) i;
-- all NULL: the same, with the parameters of the call
SELECT bloom_agg(NULL::int) = (SELECT bloom_agg(i) FROM generate_series(1, 0) i) AS same,
	(bloom_info(bloom_agg(NULL::int, 5000, 0.001))).*
FROM generate_series(1, 10) i;
-- NULLs are skipped
SELECT bloom_agg(i) = bloom_agg(CASE WHEN j = 1 THEN i END) AS same
FROM generate_series(1, 1000) i, generate_series(1, 2) j;

-- keys in the order of their hashes, as another set delivers them, and keys
-- that somebody has chosen to have nearly the same hash: no slower than others
SET statement_timeout = '20s';
SELECT bloom_agg(k) = (SELECT bloom_agg(i) FROM generate_series(1, 300000) i) AS same
FROM (SELECT bloom_key(i) AS k FROM generate_series(1, 300000) i ORDER BY bloom_key(i)::bigint) s;
SELECT bloom_cardinality(bloom_agg(k)) > 0 AS done
FROM (SELECT ('number:12345678' || lpad(to_hex(i), 8, '0'))::bloom_key AS k
	FROM generate_series(1, 300000) i) s;
RESET statement_timeout;

-- few keys in each of many groups take memory for themselves, not for the
-- capacity; many keys take it for the layer
CREATE FUNCTION memory_kb(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Peak Memory Usage';
END $$;
SET enable_sort = off;
SELECT aggregate, few < 500 AS few, many BETWEEN layer AND 2 * layer AS many
FROM (VALUES ('bloom_agg', 1220), ('counting_bloom_agg', 4880)) v(aggregate, layer),
	LATERAL (SELECT
		memory_kb(format('SELECT i %% 50, %s(i, 1000000, 0.01)
			FROM generate_series(1, 10000) i GROUP BY 1', aggregate)) AS few,
		memory_kb(format('SELECT i %% 1, %s(i, 1000000, 0.01)
			FROM generate_series(1, 900000) i GROUP BY 1', aggregate)) AS many) m;
RESET enable_sort;
DROP FUNCTION memory_kb(text);

-- whether or not the layer was made on the way, and from copies too
SELECT capacity, n, bloom_agg(i % n, capacity, 0.01) =
		(SELECT bloom_add_all(bloom_create(capacity), array_agg(j)) FROM generate_series(0, n - 1) j)
		AS as_added
FROM (VALUES (1000, 129), (10000, 300), (10000, 700), (100000, 7000), (100000, 9000),
		(100000, 90000)) v(capacity, n), generate_series(1, 3 * n) i
GROUP BY capacity, n ORDER BY capacity, n;

-- FILTER, DISTINCT, ORDER BY
SELECT bloom_agg(i) FILTER (WHERE i <= 500) =
		(SELECT bloom_agg(i) FROM generate_series(1, 500) i) AS filter,
	bloom_agg(DISTINCT i % 500 + 1) =
		(SELECT bloom_agg(i) FROM generate_series(1, 500) i) AS distinct,
	bloom_agg(i ORDER BY i DESC) = bloom_agg(i) AS ordered
FROM generate_series(1, 1000) i;

-- as a window function: the state goes on after each result (freed twice: pg_roaringbitmap 5)
SELECT i, keys FROM (SELECT i, bloom_cardinality(bloom_agg(i) OVER (ORDER BY i)) AS keys
	FROM generate_series(1, 1000) i) s WHERE i IN (1, 2, 128, 129, 130, 1000)
	AND keys BETWEEN i * 0.97 AND i * 1.03 ORDER BY i;
SELECT bool_and(bloom_contains(f, i) AND bloom_contains(f, 1)) AS all_found FROM (
	SELECT i, bloom_agg(i, 300, 0.01) OVER (ORDER BY i) AS f FROM generate_series(1, 300) i) s;
-- with a frame that moves, where the server starts anew for each
SELECT count(*) FILTER (WHERE bloom_cardinality(f) = 3) AS three,
	count(*) FILTER (WHERE bloom_cardinality(f) < 3) AS fewer
FROM (SELECT bloom_agg(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS f
	FROM generate_series(1, 100) i) s;

-- GROUP BY with 100,000 groups, by hash and by sort
SET work_mem = '1MB';
SELECT count(*) AS groups, sum(bloom_cardinality(f)) AS keys,
	bool_and(bloom_contains(f, g)) AS all_found
FROM (SELECT i % 100000 AS g, bloom_agg(i % 100000) AS f
	FROM generate_series(1, 300000) i GROUP BY 1) s;
SET enable_hashagg = off;
SELECT count(*) AS groups, sum(bloom_cardinality(f)) AS keys,
	bool_and(bloom_contains(f, g)) AS all_found
FROM (SELECT i % 100000 AS g, bloom_agg(i) AS f FROM generate_series(0, 299999) i GROUP BY 1) s;
RESET enable_hashagg;
RESET work_mem;

-- GROUPING SETS: one state feeds several results
SELECT bloom_cardinality(bloom_agg(i))
FROM generate_series(1, 100) i GROUP BY ROLLUP (i % 2) ORDER BY 1;

\set ECHO none
-- under a parallel plan: the same bytes
CREATE TABLE numbers AS SELECT i FROM generate_series(1, 20000) i;
ANALYZE numbers;
CREATE TABLE serial AS
SELECT bloom_agg(i) AS a, bloom_agg(i, 0.001) AS b, bloom_agg(i, 30000, 0.01) AS c,
	bloom_agg(i % 100) AS d, bloom_agg(i % 100, 1000, 0.01) AS e,
	bloom_agg(NULLIF(i, 7)::text) AS f, bloom_agg(NULL::int, 77, 0.01) AS g,
	bloom_agg(ROW(i, i::text)) AS h
FROM numbers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%Partial Aggregate%' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END
$$;
\set ECHO all
SELECT is_parallel('SELECT bloom_agg(i) FROM numbers') AS value,
	is_parallel('SELECT bloom_agg(i, 0.001) FROM numbers') AS fpp,
	is_parallel('SELECT bloom_agg(i, 30000, 0.01) FROM numbers') AS capacity;
SELECT s.a = p.a AS a, s.b = p.b AS b, s.c = p.c AS c, s.d = p.d AS d, s.e = p.e AS e,
	s.f = p.f AS f, s.g = p.g AS g, s.h = p.h AS h
FROM serial s, (SELECT bloom_agg(i) AS a, bloom_agg(i, 0.001) AS b, bloom_agg(i, 30000, 0.01) AS c,
	bloom_agg(i % 100) AS d, bloom_agg(i % 100, 1000, 0.01) AS e,
	bloom_agg(NULLIF(i, 7)::text) AS f, bloom_agg(NULL::int, 77, 0.01) AS g,
	bloom_agg(ROW(i, i::text)) AS h FROM numbers) p;
-- no worker has a row: a state that is null, not a null pointer (argm 10, tdigest 69d3a97)
SELECT bloom_agg(i) = bloom_create(1) AS empty FROM numbers WHERE i < 0;
-- some have only nulls
SELECT bloom_cardinality(bloom_agg(CASE WHEN i = 5 THEN 5 END)) AS keys FROM numbers;
-- probes run in workers, too
SELECT count(*)
FROM numbers WHERE bloom_contains((SELECT bloom_agg(i) FROM generate_series(1, 100) i), i);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
DROP FUNCTION is_parallel(text);
DROP TABLE numbers, serial;

-- more keys than the capacity, and it is said (Guava 3952, RedisBloom 717): no key is lost, the
-- rate rises, one WARNING
-- tells for all groups
SELECT g, saturated, layers, all_found FROM (
	SELECT i % 2 AS g, bloom_agg(i, 1000, 0.01) AS f
	FROM generate_series(1, 10000) i GROUP BY 1) s,
	bloom_info(f),
	LATERAL (SELECT bool_and(f @> i) AS all_found
		FROM generate_series(1, 10000) i WHERE i % 2 = g) t
ORDER BY g;
-- each of the two ways that the hint names keeps the rate; fpp of bloom_overhead is the column that
-- tells of too many keys, as it needs no number of keys
SELECT what, layers, bytes IS NULL AS unknown_size, fpp > 2 AS too_full
FROM (SELECT bloom_agg(i, 1000, 0.01), bloom_agg(i, 0.01), bloom_agg(i, 20000, 0.01)
	FROM generate_series(1, 20000) i) s (f1, f2, f3),
	LATERAL (VALUES ('capacity 1000', f1), ('no capacity', f2), ('capacity 20000', f3)) v (what, f),
	bloom_overhead(f);
-- growth 2 is for keys that are added later: they find room, and the rate stays as high
SELECT growth, layers, bloom_current_fpp(g) >= bloom_current_fpp(f) AS as_high,
	bloom_contains_all(g, ARRAY(SELECT generate_series(1, 20000))) AS all_found
FROM (SELECT bloom_agg(i, 1000, 0.01) FROM generate_series(1, 3000) i) s (f),
	bloom_add_all(f, ARRAY(SELECT generate_series(3001, 20000))) g, bloom_info(g);

-- error: the rate must be between 0 and 1 (a capacity stands in its place)
SELECT bloom_agg(i, 1000000) FROM generate_series(1, 10) i;
SELECT bloom_agg(i, 1) FROM generate_series(1, 10) i;
-- error: the rate must be between 0 and 1
SELECT bloom_agg(i, 0) FROM generate_series(1, 10) i;
SELECT bloom_agg(i, 'NaN') FROM generate_series(1, 10) i;
-- error: the rate must not be null
SELECT bloom_agg(i, NULL::float8) FROM generate_series(1, 10) i;
-- error: the capacity must be at least 1
SELECT bloom_agg(i, 0, 0.01) FROM generate_series(1, 10) i;
-- error: the rate must be between 0 and 1, next to a capacity, too
SELECT bloom_agg(i, 100, 1.5) FROM generate_series(1, 10) i;
-- error: the filter would be too large, which is said at the first row
SELECT bloom_agg(i, 10000000000, 0.01) FROM generate_series(1, 10) i;
-- error: the parameters must not change within a group
SELECT bloom_agg(i, i, 0.01) FROM generate_series(1, 10) i;
-- from group to group they may
SELECT i % 2 AS g, (bloom_info(bloom_agg(i, i % 2 + 10, 0.01))).capacity
FROM generate_series(1, 10) i GROUP BY i % 2 ORDER BY 1;
-- error: keys of two families in one filter
SELECT bloom_agg(k) FROM unnest(ARRAY[bloom_key(1), bloom_key('a')]) k;
-- error: rows of two kinds in one filter
SELECT bloom_agg(r) FROM (VALUES (ROW(1, 2)), (ROW('a', 2))) v(r);
-- error: a jsonb is no key
SELECT bloom_agg('{}'::jsonb);
