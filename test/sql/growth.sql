--
-- From an exact list to blocks to layers
--
\a\t

-- small sets are exact lists of up to 128 keys, whatever the capacity
CREATE FUNCTION filled(capacity bigint, n int, growth int DEFAULT 2, fpp float8 DEFAULT 0.01)
RETURNS bloom
LANGUAGE sql AS $$
	SELECT bloom_add_all(bloom_create($1, $4, $3),
		(SELECT array_agg(i) FROM generate_series(1, $2) i))
$$;
SELECT i.capacity, n, layers, bytes, keys, current_fpp = 0 AS exact
FROM (VALUES (1, 0), (1, 1), (1, 128), (1, 129), (1000000, 128)) AS v(capacity, n),
	bloom_info(filled(v.capacity, n)) i;
SELECT (bloom_info(filled(1000000, 129))).bytes > 1000000 AS blocks_of_the_capacity;

-- the first layer is made for the capacity, but not for less than growth * 128; a capacity of
-- 300 is not 44, as where int8 is a byte (PipelineDB)
SELECT i.capacity, i.growth, i.bits = s.bits AS as_sized
FROM (VALUES (1, 1, 128), (1, 2, 256), (1, 4, 512), (300, 2, 300), (300, 0, 300))
		AS v(capacity, growth, first),
	bloom_info(filled(v.capacity, 129, v.growth)) i,
	LATERAL (SELECT bits FROM bloom_info(filled(first, 129, 0))) s;

-- growth 2 (the default): layers open as they are needed, the rates add up to
-- less than twice the target, no key is lost
SELECT n, layers, layers > 1 AS grown, current_fpp < 0.02 AS rate_bounded, saturated,
	abs(keys - n) <= 0.03 * n AS keys_estimated
FROM unnest(ARRAY[1000, 2000, 4000, 10000, 100000]) n, bloom_info(filled(1000, n));
SELECT i.growth, layers, current_fpp < 0.02 AS rate_bounded, saturated,
	bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 20000) i)) AS all_found,
	(SELECT count(*) FROM generate_series(100001, 200000) i WHERE f @> i) < 2000 AS few_false
FROM unnest(ARRAY[1, 2, 4]) g, filled(1000, 20000, g) f, bloom_info(f) i;

-- so they do from any small capacity and for any target, at every size
SELECT target, n
FROM unnest(ARRAY[0.1, 0.01, 0.001, 0.0001, 0.000001]) target, generate_series(200, 6000, 200) n
WHERE (bloom_info(filled(1, n, 2, target))).current_fpp >= 2 * target;

-- growth 1: layers of one size, each at half the rate of the one before
SELECT layers, current_fpp < 0.02 AS rate_bounded, saturated,
	bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 10000) i)) AS all_found
FROM filled(1000, 10000, 1) f, bloom_info(f);

-- growth 0: the size stays, the rate rises, and bloom_info says so; the call that
-- takes the filter past its capacity says so, too, once
SELECT n, layers, bytes, current_fpp < 0.012 AS within_target, saturated
FROM unnest(ARRAY[1000, 2000, 10000]) n, bloom_info(filled(1000, n, 0));
SELECT bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 10000) i)) AS all_found
FROM filled(1000, 10000, 0) f;
-- as the hint says, it grows, or has the size of its keys
SELECT what, layers, current_fpp < 0.02 AS rate_bounded, saturated
FROM (SELECT 'grows', bloom_add_all(bloom_create(1000, 0.01), array_agg(i)) FROM generate_series(1, 10000) i
	UNION ALL
	SELECT 'sizes itself', bloom_agg(value, 0.01) FROM generate_series(1, 10000) value) s (what, f),
	bloom_info(f);

CREATE FUNCTION add_one_by_one(f bloom, first int, last int) RETURNS bloom LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN first..last LOOP
		f := bloom_add(f, i);
	END LOOP;
	RETURN f;
END $$;
SELECT bloom_cardinality(f) BETWEEN 980 AND 1020 AS to_the_capacity,
	bloom_cardinality(add_one_by_one(f, 1001, 1200)) > 1180 AS past_it
FROM add_one_by_one(bloom_create(1000, 0.01, 0), 1, 1000) f;
SELECT bloom_cardinality(bloom_add_all(f, ARRAY[1001, 1200, 1201, 1202])) > 1190 AS further_on
FROM filled(1000, 1200, 0) f;

-- (nearly) all bits set: everything is contained, the number of keys is unknown
SELECT layers, fill, current_fpp, saturated, keys, bloom_cardinality(f), f @> -1 AS says_yes
FROM filled(1, 5000, 0) f, bloom_info(f);
SELECT fill > 0.999 AND fill < 1 AS nearly_full, keys, bloom_cardinality(f)
FROM filled(100000, 1300000, 0) f, bloom_info(f);

-- at exactly its capacity a filter does not grow
SELECT n, layers FROM unnest(ARRAY[300, 1000, 10000, 50000]) n, bloom_info(filled(n, n));

-- an aggregate's filter grows when keys are added to it
SELECT layers,
	bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 5000) i)) AS all_found,
	current_fpp < 0.02 AS rate_bounded
FROM (SELECT bloom_add_all(bloom_agg(i),
		(SELECT array_agg(j) FROM generate_series(1001, 5000) j)) AS f
	FROM generate_series(1, 1000) i) s, bloom_info(f);

-- a key that is there already changes nothing, so the value stays the same
SELECT bloom_add(f, 1) = f AS same
FROM unnest(ARRAY[filled(10, 5), filled(10, 500), filled(100, 5000)]) f;

-- one by one as all at once
DO $$
DECLARE
	f bloom := bloom_create(200);
BEGIN
	FOR i IN 1..2000 LOOP
		f := bloom_add(f, i);
	END LOOP;
	RAISE NOTICE 'same: %', f = filled(200, 2000);
END
$$;

-- the target may be anything between 0 and 1
SELECT fpp, layers > 0 AS has_layers,
	bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, 200) i)) AS all_found
FROM unnest(ARRAY[0.999999, 0.99, 0.5, 1e-9, 1e-15]) fpp, filled(200, 200, 2, fpp) f,
	bloom_info(f);

-- error: there can be no more layers
SELECT filled(1, 100000, 1, 0.9);

DROP FUNCTION add_one_by_one(bloom, int, int);
DROP FUNCTION filled(bigint, int, int, float8);
