--
-- bloom_partition: many filters for more keys than one can hold
--
-- Left to --ci, for its time.
--
\a\t

-- evenly, and for equal keys of whatever type the same
SELECT n, count(*), min(partition), max(partition),
	bool_and(keys BETWEEN 1e6 / n - 4.5 * sqrt(1e6 / n) AND 1e6 / n + 4.5 * sqrt(1e6 / n)) AS even
FROM (SELECT n, bloom_partition(i, n) AS partition, count(*) AS keys
	FROM unnest(ARRAY[1, 2, 3, 16, 1000]) n, generate_series(1, 1000000) i GROUP BY 1, 2) s
GROUP BY n ORDER BY n;
SELECT bool_and(bloom_partition(i, 16) = bloom_partition(i::numeric, 16)
	AND bloom_partition(i, 16) = bloom_partition(i::smallint, 16)
	AND bloom_partition(i, 16) = bloom_partition(bloom_key(i), 16)) AS same
FROM generate_series(1, 1000) i;
SELECT bloom_partition('abc', 1000), bloom_partition('abc'::varchar, 1000),
	bloom_partition('abc'::char(5), 1000), bloom_partition(ROW(1, 'a'), 1000);

-- twice the partitions: each falls into two
SELECT bool_and(bloom_partition(i, 32) / 2 = bloom_partition(i, 16)) AS splits
FROM generate_series(1, 10000) i;

-- NULL in, NULL out
SELECT bloom_partition(NULL::int, 16) AS "null", bloom_partition(1, NULL) AS "null";
-- error: the number of partitions must be at least 1
SELECT bloom_partition(1, 0);
SELECT bloom_partition(1, -1);
-- error: the number of partitions before the value
SELECT bloom_partition(16, i) FROM generate_series(0, 3) i;
-- error: a jsonb is no key
SELECT bloom_partition('{}'::jsonb, 16);

-- independent of the place of a key in a filter: the filter of one partition is
-- like any other
SELECT n, bool_and(rate BETWEEN 0.007 AND 0.011) AS rate,
	bool_and(abs(bloom_cardinality(f) - keys) < keys * 0.03) AS knows_keys
FROM (SELECT n, count(*) AS keys, bloom_agg(i) AS f
	FROM unnest(ARRAY[2, 16, 128]) n, generate_series(1, 10000 * n) i
	WHERE bloom_partition(i, n) = 1 GROUP BY n) s,
	LATERAL (SELECT avg((f @> -i)::int)
		FROM generate_series(1, 100000 * n) i WHERE bloom_partition(-i, n) = 1) t(rate)
GROUP BY n ORDER BY n;

-- twenty million keys in sixteen filters, as README.md shows it
CREATE FUNCTION event_partition(id bigint) RETURNS int
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(id, 16);
CREATE TABLE event_filter (partition int PRIMARY KEY, f bloom NOT NULL);
INSERT INTO event_filter
	SELECT event_partition(id), bloom_agg(id, 1300000, 0.001)
	FROM generate_series(1, 20000000) id GROUP BY 1;
SELECT count(*), min(partition), max(partition),
	bool_and(layers = 1 AND NOT saturated) AS one_layer,
	bool_and(current_fpp <= 0.001) AS rate, abs(sum(keys) - 20000000) < 20000 AS knows_keys
FROM event_filter, bloom_info(f);
SELECT count(*) AS asked, count(*) FILTER (WHERE bloom_contains(f, id)) AS found
FROM generate_series(1, 20000000, 97) id JOIN event_filter ON partition = event_partition(id);
SELECT avg(bloom_contains(f, -id)::int) BETWEEN 0.0006 AND 0.0011 AS rate
FROM generate_series(1, 300000) id JOIN event_filter ON partition = event_partition(-id);
-- one look-up in the index, and the partition is worked out while planning
EXPLAIN (COSTS OFF)
SELECT bloom_contains(f, 4711) FROM event_filter WHERE partition = event_partition(4711);

DROP TABLE event_filter;
DROP FUNCTION event_partition(bigint);
