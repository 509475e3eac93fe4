--
-- False-positive rates of counting_bloom and cuckoo, at capacity
--
-- Left to --ci, for its time.
--
-- As in the test "rates": the mean rate over absent keys is at most 1.1 times
-- what was asked for, and the filter knows its own rate and number of keys.
--

SET client_min_messages = error;	-- not of unions past the capacity
CREATE SCHEMA rates_deletable;
SET search_path = rates_deletable, public;
CREATE TABLE run (n bigint, p float8, type text, rate float8, current_fpp float8,
	key_error float8);

CREATE FUNCTION measure(n bigint, p float8, filters int, probes bigint) RETURNS void
LANGUAGE plpgsql AS
$$
DECLARE
	keys bigint[];
	counting counting_bloom;
	fingerprints cuckoo;
BEGIN
	FOR s IN 1 .. filters LOOP
		keys := ARRAY(SELECT generate_series(s * 10000000::bigint + 1, s * 10000000::bigint + n));
		-- twice as many have been there
		counting := counting_bloom_add_all(counting_bloom_create(n, p), keys);
		counting := counting_bloom_add_all(counting, ARRAY(SELECT generate_series(1, n)));
		counting := counting_bloom_remove_all(counting, ARRAY(SELECT generate_series(1, n)));
		fingerprints := cuckoo_add_all(cuckoo_create(n, p), keys[1 : n / 2]);
		fingerprints := cuckoo_add_all(fingerprints, ARRAY(SELECT generate_series(1, n - n / 2)));
		fingerprints := cuckoo_remove_all(fingerprints,
			ARRAY(SELECT generate_series(1, n - n / 2)));
		fingerprints := cuckoo_add_all(fingerprints, keys[n / 2 + 1 :]);
		IF NOT counting_bloom_contains_all(counting, keys) OR
			NOT cuckoo_contains_all(fingerprints, keys) THEN
			RAISE EXCEPTION 'a key is missing';
		END IF;
		INSERT INTO run
			SELECT n, p, 'counting_bloom', avg((counting @> -x)::int),
				min(counting_bloom_current_fpp(counting)),
				min(abs(counting_bloom_cardinality(counting) - n)) / n
			FROM generate_series(1, probes) x;
		INSERT INTO run
			SELECT n, p, 'cuckoo', avg((fingerprints @> -x)::int),
				min(cuckoo_current_fpp(fingerprints)),
				min(abs(cuckoo_cardinality(fingerprints) - n)) / n
			FROM generate_series(1, probes) x;
	END LOOP;
END
$$;
-- n, p, key sets, probes of each
SELECT count(measure(n, p, sets, (2000 / p / sets)::bigint)) AS rows
FROM (VALUES (1, 10), (10, 10), (200, 100), (1000, 30), (100000, 2)) AS size (n, sets),
	(VALUES (0.1::float8), (0.03), (0.01), (0.001)) AS probability (p);

SELECT type, n, p, avg(rate) <= 1.1 * p AS within_target,
	-- where there are enough false positives to tell
	CASE WHEN avg(rate) / p * 2000 >= 500
		THEN avg(current_fpp) / avg(rate) BETWEEN 0.8 AND 1.2 END AS knows_rate,
	CASE WHEN type = 'cuckoo' THEN avg(key_error) = 0
		WHEN n >= 1000 THEN avg(key_error) <= 0.03 END AS knows_keys
FROM run GROUP BY type, n, p ORDER BY type, n, p DESC;

-- a cuckoo filter has the size that its rate asks for
SELECT p, round((cuckoo_info(f)).bytes * 8 / 100000.0, 1) AS bits_per_key
FROM (SELECT p, cuckoo_agg(i, p)
	FROM unnest(ARRAY[0.03, 0.01, 0.001, 0.0001]) p, generate_series(1, 100000) i
	GROUP BY p) s(p, f)
ORDER BY p DESC;

SET client_min_messages = warning;
DROP SCHEMA rates_deletable CASCADE;
