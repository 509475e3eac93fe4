--
-- bloom_shrink: the same keys in as few blocks as their rate allows
--
\a\t

CREATE TABLE wide (n int, capacity bigint, p float8, f bloom);
INSERT INTO wide
SELECT n, c, p, (SELECT bloom_agg(i, c, p) FROM generate_series(1, n) i)
FROM unnest(ARRAY[200, 5000, 30000]) n, unnest(ARRAY[30000, 31111, 1000000]) c,
	unnest(ARRAY[0.1, 0.01, 0.0001]) p;

-- no key is lost, the rate is kept, and known, and less would not do
SELECT n, capacity, p, bits AS bits_of_shrunk, bits <= (bloom_info(f)).bits AS not_larger,
	s::text::bloom = s AS valid,
	(SELECT bool_and(s @> i) FROM generate_series(1, n) i) AS all_found,
	bloom_current_fpp(s) <= p AS keeps_rate, NOT saturated AS not_saturated,
	abs(keys - n) <= n / 25 AS knows_keys, bytes < 2.1 * (bloom_sizing(n, p)).bytes AS small
FROM wide, bloom_shrink(f) s,
	LATERAL (SELECT (bloom_info(s)).*) i(key_family, c, target_fpp, growth, layers, probes, bits,
		bytes, fill, keys, current_fpp, saturated)
ORDER BY n, capacity, p;
SELECT p, rate <= p * 1.1 AS keeps_rate,
	bloom_current_fpp(s) BETWEEN rate / 1.2 AND rate * 1.2 AS knows_rate
FROM (SELECT p, bloom_shrink(f) AS s
	FROM wide WHERE n = 5000 AND capacity = 1000000 AND p > 0.001 OFFSET 0) x,
	LATERAL (SELECT avg((s @> -i)::int) FROM generate_series(1, 200000) i) y(rate);

-- a fold by a whole factor is the very layer of so many blocks: shrunk again it stays
SELECT bool_and(bloom_shrink(bloom_shrink(f)) = bloom_shrink(f)) AS same FROM wide;
-- by the largest factor that goes: of 19456 = 19 * 2^10 blocks 128 = 2^7 are left, not 19 * 2^3
SELECT (bloom_info(f)).bits / 512 AS blocks, (bloom_info(bloom_shrink(f))).bits / 512 AS shrunk
FROM wide WHERE n = 5000 AND capacity = 1000000 ORDER BY p;

-- what has not more room than it needs stays as it is, to the byte
SELECT bloom_shrink(f) = f AS same
FROM (SELECT bloom_agg(i) FROM generate_series(1, 10000) i UNION ALL
	SELECT bloom_agg(i) FROM generate_series(1, 100) i UNION ALL
	SELECT bloom_create(1000000) UNION ALL
	SELECT bloom_add_all(bloom_create(1000, 0.01, 0), array_agg(i))
	FROM generate_series(1, 5000) i) s(f);

-- every layer of its own
SELECT (bloom_info(f)).layers, (bloom_info(s)).layers,
	(bloom_info(s)).bits < (bloom_info(f)).bits / 3 AS smaller,
	(SELECT bool_and(s @> i) FROM generate_series(1, 30000) i) AS all_found,
	bloom_current_fpp(s) < 0.02 AS rate
FROM (SELECT bloom_agg(i, 1000000, 0.01) FROM generate_series(1, 20000) i) a(a),
	(SELECT bloom_agg(i, 500000, 0.01) FROM generate_series(20001, 30000) i) b(b),
	bloom_union(a, b) f, bloom_shrink(f) s;

-- a shrunk filter grows from what it has become
SELECT capacity, growth, layers
FROM (SELECT bloom_shrink(f) AS f FROM wide WHERE n = 5000 AND capacity = 1000000 AND p = 0.01) s,
	bloom_info(f);
CREATE TABLE stored AS SELECT p, f FROM wide WHERE n = 5000 AND capacity = 1000000;
UPDATE stored SET f = bloom_shrink(f);
UPDATE stored SET f = bloom_add_all(f, ARRAY(SELECT generate_series(5001, 20000)));
SELECT layers, bits < 1000000 AS small,
	(SELECT bool_and(f @> i) FROM generate_series(1, 20000) i) AS all_found,
	current_fpp < 2 * p AS rate
FROM stored, bloom_info(f) ORDER BY p;

-- an intersection does not know what it must hold
SELECT bloom_shrink(a & b) = (a & b) AS same
FROM (SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(1, 20000) i) s(a),
	(SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(100001, 200000) i) t(b);
SELECT bloom_shrink(NULL) AS "null";

DROP TABLE wide, stored;
