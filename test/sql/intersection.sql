--
-- bloom_intersection, & and bloom_intersection_agg: the keys that all have
-- Left to --ci, for its time.
--
\a\t

-- the estimate of current_fpp against the rate, of keys of no side: within a fifth
CREATE FUNCTION knows_rate(f bloom) RETURNS boolean LANGUAGE sql AS $$
	SELECT bloom_current_fpp(f) BETWEEN avg((f @> i)::int) / 1.2 - 0.00005
		AND avg((f @> i)::int) * 1.2 + 0.00005
	FROM generate_series(-200000, -1) i $$;

-- lists: exact, and known to be
SELECT f = (SELECT bloom_add_all(bloom_create(80, 0.01, 0), array_agg(i))
		FROM generate_series(50, 80) i) AS as_if_built_at_once,
	bloom_cardinality(f), bloom_current_fpp(f)
FROM (SELECT bloom_agg(i) FROM generate_series(1, 80) i) s(a),
	(SELECT bloom_agg(i) FROM generate_series(50, 130) i) t(b),
	bloom_intersection(a, b) f;
SELECT (bloom_info(f)).*
FROM (SELECT bloom_agg(i) FROM generate_series(1, 80) i) s(a),
	(SELECT bloom_agg(i, 0.001) FROM generate_series(50, 130) i) t(b),
	bloom_intersection(a, b) f;

-- filters of one geometry, by the number of keys in common
CREATE TABLE sides (n int, p float8, common int, a bloom, b bloom);
INSERT INTO sides
SELECT n, p, common, (SELECT bloom_agg(i, n, p) FROM generate_series(1, n) i),
	(SELECT bloom_agg(i, n, p) FROM generate_series(n - common + 1, 2 * n - common) i)
FROM unnest(ARRAY[1000, 20000]) n, unnest(ARRAY[0.1, 0.01, 0.001]) p,
	unnest(ARRAY[0, 0.1, 0.9, 1]) share,
	LATERAL (SELECT (n * share)::int) s(common);
SELECT n, p, common, bool_and(f = b & a) AS symmetrical, bool_and(f::text::bloom = f) AS valid,
	bool_and((SELECT bool_and(f @> i)
		FROM generate_series(n - common + 1, n) i) IS NOT FALSE) AS all_found,
	bool_and(bloom_current_fpp(f) <= p) AS keeps_rate, bool_and(knows_rate(f)) AS knows_rate,
	bool_and(bloom_cardinality(f) IS NULL) AS unknown
FROM sides, bloom_intersection(a, b) f GROUP BY n, p, common ORDER BY n, p, common;
-- keys of one side only see the rate of the other
SELECT p, avg((a & b @> i)::int) BETWEEN p / 1.25 AND p * 1.1 AS rate_of_b
FROM sides, generate_series(1, n) i WHERE n = 20000 AND common = 0 GROUP BY p;
-- the number of bits is not that of a filter of the common keys (taken for it, 360,870 for
-- 100,001: PipelineDB 2042)
SELECT bloom_cardinality(f), (bloom_info(f)).*
FROM sides, bloom_intersection(a, b) f WHERE n = 20000 AND common = 2000 AND p = 0.01;

-- a list with anything: those of its keys that the other side has
SELECT layers, keys, (SELECT count(*) FROM generate_series(1, 100) i WHERE f @> i) AS common_found,
	(SELECT count(*) FROM generate_series(-100, 20000) i WHERE f @> i) < 110 AS others_not,
	f = b & a AS symmetrical
FROM (SELECT bloom_agg(i) FROM generate_series(1, 20000) i UNION ALL
		SELECT bloom_add_all(bloom_create(100), array_agg(i))
		FROM generate_series(1, 20000) i) s(a),
	(SELECT bloom_agg(i) FROM generate_series(-26, 100) i) t(b), bloom_intersection(a, b) f,
	bloom_info(f);

-- an intersection takes keys, and stays marked as one, also in what is made of it
SELECT bloom_cardinality(bloom_add(f, -1)), bloom_add(f, -1) @> -1 AS added,
	bloom_cardinality(f | a), bloom_cardinality(f & a),
	bloom_cardinality(bloom_shrink(f)), (bloom_info(f | f)).layers
FROM sides, bloom_intersection(a, b) f WHERE n = 1000 AND common = 100 AND p = 0.01;
-- with itself a filter keeps its bits
SELECT bool_and((bloom_info(a & a)).fill = (bloom_info(a)).fill) AS same FROM sides;

-- nothing in common: no keys, no family, not marked
SELECT (bloom_info(f)).* FROM (SELECT bloom_agg(i) FROM generate_series(1, 10) i) s(a),
	(SELECT bloom_agg(i) FROM generate_series(11, 20) i) t(b), bloom_intersection(a, b) f;
SELECT f = g AS symmetrical, (bloom_info(f)).*
FROM (SELECT bloom_agg(i) FROM generate_series(1, 1000) i) s(a), bloom_create(5, 0.5) b,
	bloom_intersection(a, b) f, bloom_intersection(b, a) g;
SELECT bloom_cardinality(bloom_add_all(bloom_create(3000, 0.9, 0), '{1}') &
	bloom_add_all(bloom_create(3000, 0.9, 0), '{2}'));
SELECT (bloom_info(f)).*
FROM (SELECT bloom_agg(i, 1000000, 0.9) FROM generate_series(1, 129) i) s(a),
	(SELECT bloom_agg(i, 1000000, 0.9) FROM generate_series(1001, 1129) i) t(b),
	bloom_intersection(a, b) f;

-- an empty filter has no family to differ in
SELECT bloom_cardinality(bloom_add(bloom_create(1), 'one') & bloom_create(5)),
	bloom_cardinality(bloom_create(5) & bloom_create(1));

-- aggregated: NULLs are ignored, over no rows it is NULL, of one filter it is that filter
SELECT bloom_intersection_agg(f) =
	bloom_intersection(bloom_intersection(min_f, mid_f), max_f) AS same,
	(SELECT bool_and(bloom_intersection_agg(f) @> i)
		FROM generate_series(2001, 10000) i) AS all_found,
	avg((SELECT count(*) FROM generate_series(-10000, -1) i WHERE f @> i)) >
		(SELECT count(*) FROM generate_series(-10000, -1) i
			WHERE bloom_intersection_agg(f) @> i) AS fewer_found
FROM (SELECT bloom_agg(i, 10000, 0.01) AS f FROM generate_series(1, 10000) i UNION ALL SELECT NULL
	UNION ALL SELECT bloom_agg(i, 10000, 0.01) FROM generate_series(1001, 11000) i
	UNION ALL SELECT bloom_agg(i, 10000, 0.01) FROM generate_series(2001, 12000) i) s,
	(SELECT bloom_agg(i, 10000, 0.01) FROM generate_series(1, 10000) i) x(min_f),
	(SELECT bloom_agg(i, 10000, 0.01) FROM generate_series(1001, 11000) i) y(mid_f),
	(SELECT bloom_agg(i, 10000, 0.01) FROM generate_series(2001, 12000) i) z(max_f)
GROUP BY min_f, mid_f, max_f;
SELECT bloom_intersection_agg(a) AS no_rows FROM sides WHERE false;
SELECT bloom_intersection_agg(NULL) AS nulls FROM sides;
SELECT count(*), count(f)
FROM (SELECT bloom_intersection_agg(a) FILTER (WHERE n < 0) AS f FROM sides GROUP BY n) s;
SELECT bool_and(f = a) AS itself
FROM (SELECT a, bloom_intersection_agg(a) OVER (PARTITION BY n, p, common) AS f FROM sides) s;
-- a state is changed in place, but nothing that a row has got
WITH part AS MATERIALIZED (
	SELECT n, bloom_agg(i, 4000, 0.01) AS f
	FROM generate_series(1, 20) n, generate_series(n * 100, n * 100 + 2500) i GROUP BY n)
SELECT count(*), count(DISTINCT w.f::text) AS different, count(*) FILTER (WHERE w.f = l.f) AS same
FROM (SELECT n, bloom_intersection_agg(f) OVER (ORDER BY n) AS f FROM part OFFSET 0) w,
	LATERAL (SELECT bloom_intersection_agg(f) AS f FROM part p WHERE p.n <= w.n) l;

-- NULL is an unknown set
SELECT bloom_create(1) & NULL AS "null", NULL & bloom_create(1) AS "null";
-- error: the bits are not in the same places
SELECT (SELECT bloom_agg(i) FROM generate_series(1, 1000) i) &
	(SELECT bloom_agg(i) FROM generate_series(1, 2000) i);
SELECT (SELECT bloom_agg(i, 1000, 0.01) FROM generate_series(1, 1000) i) &
	(SELECT bloom_add_all(bloom_create(1000), array_agg(i)) FROM generate_series(1, 2000) i);
SELECT bloom_intersection_agg(f)
FROM (SELECT bloom_agg(i) AS f FROM generate_series(1, 1000) i
	UNION ALL SELECT bloom_agg(i, 0.02) FROM generate_series(1, 1000) i) s;
-- error: the sides have keys of two families, or arrays of two subtypes
SELECT bloom_add(bloom_create(1), 1) & bloom_add(bloom_create(1), 'one');
SELECT bloom_add(bloom_create(1), ARRAY[1]) & bloom_add(bloom_create(1), ARRAY['one']);

DROP TABLE sides;
DROP FUNCTION knows_rate;
