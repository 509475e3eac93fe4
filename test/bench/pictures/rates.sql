--
-- The false-positive rates of doc/rate-bits.svg and doc/rate-overfill.svg, as CSV:
--
--    psql -X -q -f test/bench/pictures/rates.sql
--
-- writes rate-bits.csv and rate-overfill.csv to the current folder.  Takes some minutes, in a
-- database that has the extension, and 500 MB of temporary tables.
--

\set ON_ERROR_STOP on
\pset format csv
SET client_min_messages = error;	-- not of filters past their capacity

CREATE TEMP TABLE present AS SELECT id FROM generate_series(1, 1000000) id;
CREATE TEMP TABLE absent AS SELECT id FROM generate_series(1000001, 11000000) id;
ANALYZE present, absent;

-- filters full of a million keys, asked for ten million absent ones
CREATE TEMP TABLE result (type text, fpp float8, bytes bigint, found bigint);
CREATE FUNCTION pg_temp.measure(type text, fpp float8) RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('CREATE TEMP TABLE filter ON COMMIT DROP AS SELECT %s_agg(id, %s) AS f FROM present',
				   type, fpp);
	EXECUTE format('INSERT INTO result SELECT %L, %s, octet_length(f::bytea),
						(SELECT count(*) FROM absent WHERE %s_contains(f, id)) FROM filter',
				   type, fpp, type);
END;
$$;
SELECT format('SELECT pg_temp.measure(%L, %s);', type, fpp)
FROM unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']) type,
	unnest(ARRAY[0.1, 0.03, 0.01, 0.003, 0.001, 0.0003, 0.0001]) fpp
\g (format=unaligned tuples_only=on) rates.tmp
\o /dev/null
\i rates.tmp
\! rm rates.tmp
\o rate-bits.csv
SELECT type, fpp, round(bytes * 8 / 1e6, 2) AS bits_per_key, round(found / 1e7, 7) AS rate
FROM result ORDER BY type, fpp DESC;

-- keys beyond a capacity of 100,000 at 1 %, with and without growth; asked for a million
CREATE TEMP TABLE some_absent AS SELECT id FROM absent WHERE id <= 2000000;
CREATE TEMP TABLE filled AS
SELECT n, bloom_add_all(bloom_create(100000, 0.01, 0), keys) AS fixed,
	bloom_add_all(bloom_create(100000, 0.01, 2), keys) AS growing
FROM unnest(ARRAY[25000, 50000, 75000, 100000, 110000, 125000, 150000, 175000, 200000, 250000,
				  300000, 400000, 500000, 600000, 700000, 800000, 1000000]) n,
	LATERAL (SELECT array_agg(id) AS keys FROM present WHERE id <= n) k;
\o rate-overfill.csv
SELECT round(n / 100000.0, 2) AS filled,
	(SELECT round(avg(bloom_contains(fixed, id)::int), 6) FROM some_absent) AS fixed,
	(SELECT round(avg(bloom_contains(growing, id)::int), 6) FROM some_absent) AS growing
FROM filled ORDER BY n;
\o
