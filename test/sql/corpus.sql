--
-- A corpus of filters, by their digests: unions of every sort, and what grows
-- out of them.  Whoever makes union, growth or aggregation faster, or refuses
-- more, changes none of these bytes.
--
\a\t

\set ECHO none
SET client_min_messages = error;	-- of merged layers, of filters past capacity

-- A filter with further keys; as it is if it takes no more
CREATE FUNCTION pg_temp.grow(filter bloom, first int, n int DEFAULT 20000) RETURNS bloom
LANGUAGE plpgsql AS $$
BEGIN
	RETURN bloom_add_all(filter, ARRAY(SELECT generate_series(first, first + n - 1)));
EXCEPTION WHEN program_limit_exceeded THEN
	RETURN filter;
END $$;

-- Filters that differ in capacity, rate, growth and number of keys;
-- many are full, or far past that, and some have several layers.
CREATE TEMP TABLE corpus AS
SELECT row_number() OVER (ORDER BY capacity, fpp, growth, nkeys, start)::int AS n,
	capacity, fpp, growth, nkeys,
	bloom_add_all(bloom_create(capacity, fpp, growth),
		ARRAY(SELECT generate_series(start, start + nkeys - 1))) AS f
FROM unnest(ARRAY[1, 300, 2000]) capacity,
	unnest(ARRAY[0.3, 0.01, 0.0001]) fpp,
	unnest(ARRAY[0, 1, 2, 5]) growth,
	unnest(ARRAY[0, 100, 129, 400, 3000]) nkeys,
	unnest(ARRAY[0, 1500, 1000000]) start;
\set ECHO all
SELECT count(*), count(DISTINCT f::bytea) AS images, sum(octet_length(f::bytea)) AS bytes,
	max((bloom_info(f)).layers) AS layers, md5(string_agg(md5(f::bytea), '' ORDER BY n))
FROM corpus;

-- Two by two, both ways
SELECT step, count(*), bool_and(a.f | b.f = b.f | a.f) AS commutes,
	md5(string_agg(md5((a.f | b.f)::bytea), '' ORDER BY a.n))
FROM unnest(ARRAY[1, 2, 3, 15, 45, 180]) step, corpus a, corpus b
WHERE b.n = (a.n + step) % 540 + 1
GROUP BY step ORDER BY step;

-- Several at a time, in two orders, and grown then
CREATE TEMP TABLE united AS
SELECT form, part, bloom_union_agg(f ORDER BY n) AS f, bloom_union_agg(f ORDER BY n DESC) AS back
FROM (SELECT 'by parameters' AS form, format('%s %s %s', capacity, fpp, growth) AS part, n, f
	FROM corpus UNION ALL
	SELECT 'by capacity', capacity::text, n, f FROM corpus WHERE n % 5 = 0 UNION ALL
	SELECT 'by rate', fpp::text, n, f FROM corpus WHERE n % 7 = 0 UNION ALL
	SELECT 'of every 3rd', '', n, f FROM corpus WHERE n % 3 = 0 UNION ALL
	SELECT 'of every 2nd', '', n, f FROM corpus WHERE n % 2 = 0) s
GROUP BY form, part;
SELECT form, count(*), max((bloom_info(f)).layers) AS layers,
	left(md5(string_agg(md5(f::bytea), '' ORDER BY part)), 10) AS forth,
	left(md5(string_agg(md5(back::bytea), '' ORDER BY part)), 10) AS back,
	left(md5(string_agg(md5((f | back)::bytea), '' ORDER BY part)), 10) AS both,
	left(md5(string_agg(md5(pg_temp.grow(f, 2000000)::bytea), '' ORDER BY part)), 10) AS grown,
	left(md5(string_agg(md5((f | few)::bytea), '' ORDER BY part)), 10) AS and_few
FROM united, (SELECT bloom_agg(i) FROM generate_series(2000000, 2000100) i) s(few)
GROUP BY form ORDER BY form;

-- Full filters of one geometry: fewer than 64 layers, as many, and more
CREATE TEMP TABLE stack AS
SELECT nfilters, bloom_union_agg(f ORDER BY n) AS f
FROM unnest(ARRAY[2, 3, 16, 63, 64, 65, 130]) nfilters,
	(SELECT n, bloom_agg(i, 2000, 0.01) FROM generate_series(1, 130) n,
		generate_series(n * 10000, n * 10000 + 1999) i GROUP BY n) s(n, f)
WHERE n <= nfilters GROUP BY nfilters;
SELECT nfilters, (bloom_info(f)).layers, md5(f::bytea) AS united,
	left(md5(pg_temp.grow(f, 1, 3000)::bytea), 10) AS grown,
	left(md5(pg_temp.grow(bloom_shrink(f), 1)::bytea), 10) AS shrunk
FROM stack
ORDER BY nfilters;

-- ... half full, and of a third of the keys in common; of fixed size
SELECT form, (bloom_info(bloom_union_agg(f ORDER BY n))).layers,
	md5(bloom_union_agg(f ORDER BY n)::bytea) AS forth,
	md5(bloom_union_agg(f ORDER BY n DESC)::bytea) AS back
FROM (SELECT 'half full' AS form, n, bloom_agg(i, 2000, 0.01) AS f FROM generate_series(1, 50) n,
		generate_series(n * 10000, n * 10000 + 999) i GROUP BY n UNION ALL
	SELECT 'in common', n, bloom_agg(i, 2000, 0.01) FROM generate_series(1, 50) n,
		generate_series(n * 1300, n * 1300 + 1999) i GROUP BY n UNION ALL
	SELECT 'fixed', n, bloom_add_all(bloom_create(2000, 0.01, 0), array_agg(i))
	FROM generate_series(1, 50) n, generate_series(n * 10000, n * 10000 + 1999) i GROUP BY n UNION ALL
	SELECT 'one side fixed', n, bloom_add_all(bloom_create(2000, 0.01, n % 2), array_agg(i))
	FROM generate_series(1, 50) n, generate_series(n * 10000, n * 10000 + 1999) i GROUP BY n) s
GROUP BY form ORDER BY form;

-- Of all sizes
SELECT (bloom_info(f)).layers, md5(f::bytea) AS united,
	md5(pg_temp.grow(f, 4000000)::bytea) AS grown
FROM (SELECT bloom_union_agg(f ORDER BY n)
	FROM (SELECT n, bloom_agg(i) FROM generate_series(1, 300) n,
		generate_series(n * 10000, n * 10000 + n * 7) i GROUP BY n) s(n, f)) u(f);

-- Aggregates with a capacity, below it, at it and past it
SELECT form, capacity, md5(string_agg(digest, '' ORDER BY nkeys, repeat))
FROM unnest(ARRAY[1, 130, 1000, 50000]) capacity,
	unnest(ARRAY[1, 100, 128, 129, 250, 1000, 3000]) nkeys,
	unnest(ARRAY[1, 3]) repeat,
	LATERAL (SELECT 'bloom', md5(bloom_agg(i % nkeys, capacity, 0.01)::bytea)
		FROM generate_series(1, nkeys * repeat) i UNION ALL
		SELECT 'counting_bloom', md5(counting_bloom_agg(i % nkeys, capacity, 0.01)::bytea)
		FROM generate_series(1, nkeys * repeat) i) s(form, digest)
GROUP BY form, capacity ORDER BY form, capacity;

-- One key after another, far past the capacity
SELECT capacity, fpp, growth, (bloom_info(f)).layers, md5(f::bytea)
FROM (VALUES (1, 0.01, 2), (1000, 0.5, 1), (1, 1e-9, 2), (1000, 0.001, 1), (10, 0.9, 100),
		(1, 0.99, 3)) s(capacity, fpp, growth),
	LATERAL (SELECT pg_temp.grow(pg_temp.grow(bloom_create(capacity, fpp, growth), 1), 50000)) t(f)
ORDER BY 1, 2, 3;
