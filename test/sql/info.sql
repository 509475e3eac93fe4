--
-- Looking into a filter: bloom_info, bloom_cardinality, bloom_current_fpp,
-- bloom_sizing, bloom_expected_fpp
--
\a\t

-- empty, list, blocks, layers
SELECT name, i.key_family, i.capacity, i.target_fpp, i.growth, i.layers, i.probes, i.bits, i.bytes,
	round(i.fill::numeric, 2) AS fill, i.keys, round(i.current_fpp::numeric, 4) AS current_fpp,
	i.saturated
FROM (SELECT bloom_create(500, 0.001, 4) AS empty, bloom_agg(i) FILTER (WHERE i <= 100) AS list,
		bloom_agg(i, 1000, 0.01) AS blocks,
	bloom_add_all(bloom_create(300), array_agg(i)) AS layers FROM generate_series(1, 1000) i) s,
	LATERAL (VALUES (1, 'empty', empty), (2, 'list', list), (3, 'blocks', blocks),
		(4, 'layers', layers)) AS v(n, name, f),
	bloom_info(f) i
ORDER BY n;

-- the type of the keys, for every family
SELECT (bloom_info(bloom_add(bloom_create(1), k))).key_family
FROM unnest(ARRAY[bloom_key(true), bloom_key(1), bloom_key(1::float4), bloom_key('a'),
	bloom_key('\x00'::bytea), bloom_key('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid),
	bloom_key(1::oid), bloom_key('2024-01-01'::date), bloom_key('2024-01-01'::timestamp),
	bloom_key('2024-01-01'::timestamptz), bloom_key('12:00'::time), bloom_key('::1'::inet),
	bloom_key('08:00:2b:01:02:03'::macaddr), bloom_key(ARRAY[1]), bloom_key(ROW(1)),
	bloom_key('[1,2)'::int4range)]) k;

-- bytes are those of the image
SELECT bool_and((bloom_info(f)).bytes = octet_length(f::bytea)) AS same
FROM (SELECT bloom_agg(i) FROM generate_series(1, 100000) i GROUP BY i % 7
	UNION ALL SELECT bloom_create(1)) AS s(f);

-- cardinality: exact up to 128 keys, then within 3 %
SELECT n, bloom_cardinality(f) = n AS exact,
	abs(bloom_cardinality(f) - n) <= 0.03 * n AS within_3_percent
FROM unnest(ARRAY[0, 1, 128, 1000, 10000, 100000]) n,
	LATERAL (SELECT bloom_agg(i) FROM generate_series(1, n) i) AS s(f);

-- current_fpp tells the measured rate, below, at and above the capacity
SELECT n, abs(bloom_current_fpp(f) / (false_positives / 200000.0) - 1) < 0.2 AS within_20_percent
FROM unnest(ARRAY[8000, 10000, 20000, 40000]) n,
	LATERAL (SELECT bloom_add_all(bloom_create(10000, 0.01, 0), array_agg(i))
		FROM generate_series(1, n) i) AS s(f),
	LATERAL (SELECT count(*) FILTER (WHERE f @> -i)
		FROM generate_series(1, 200000) i) AS t(false_positives);

-- NULL in, NULL out
SELECT bloom_cardinality(NULL) IS NULL AS cardinality,
	bloom_current_fpp(NULL) IS NULL AS current_fpp,
	bloom_info(NULL) IS NULL AS info;

-- what a filter will cost, before it is made
SELECT c AS capacity, p AS fpp, s.bytes, s.bits, s.probes,
	round(s.bits_per_key::numeric, 2) AS bits_per_key
FROM unnest(ARRAY[1, 128, 129, 1000, 1000000, 1000000000]) c, unnest(ARRAY[0.01, 0.001]) p,
	bloom_sizing(c, p) s;
SELECT * FROM bloom_sizing(1000000);
-- and it does cost that
SELECT n, s.bytes = i.bytes AS bytes, s.bits IS NOT DISTINCT FROM i.bits AS bits,
	s.probes IS NOT DISTINCT FROM i.probes AS probes
FROM unnest(ARRAY[1, 128, 129, 1000, 50000]) n, bloom_sizing(n) s,
	LATERAL (SELECT bloom_add_all(bloom_create(n), array_agg(i))
		FROM generate_series(1, n) i) AS t(f),
	bloom_info(f) i;

-- for those who think in bits per key: more bits, fewer false positives
SELECT bits, round(bloom_expected_fpp(bits)::numeric, 6) AS fpp
FROM unnest(ARRAY[4, 8, 10, 12, 16, 20, 24]) bits;
-- which is what a filter of that size has
SELECT abs(bloom_expected_fpp(bits_per_key) / p - 1) < 0.1 AS agrees
FROM unnest(ARRAY[0.1, 0.01, 0.001, 0.0001]) p, bloom_sizing(10000000, p);

-- what is read of a stored filter is its header: few pages, however large
CREATE TABLE stored AS SELECT bloom_agg(i, 3000000, 0.01) AS f FROM generate_series(1, 200) i;
SELECT pg_column_size(f) > 3000000 AS large FROM stored;
CREATE TABLE little AS SELECT bloom_agg(i) AS f FROM generate_series(1, 2400) i;
-- pages that a query touches, apart from those of system tables: in a process that has just
-- been started many are read, as many for filters of 3 kB
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
RETURN -all_pages(replace(query, 'stored', 'little')) + all_pages(query);
SELECT pages('SELECT bloom_info(f) FROM stored') < 50 AS info,
	pages('SELECT bloom_cardinality(f) FROM stored') < 50 AS cardinality,
	pages('SELECT bloom_current_fpp(f) FROM stored') < 50 AS current_fpp,
	pages('SELECT md5(f::bytea) FROM stored') > 300 AS "the whole";
DROP FUNCTION pages(text), all_pages(text);
DROP TABLE stored, little;
