--
-- The rate matrix: the rate that a filter tells, against the one that is measured
--
-- Left to --all, for its time.
--
-- A cell is a type, a capacity, a rate, and what has been done to the filter.  In each
-- the measured rate differs from TYPE_current_fpp by at most a tenth of that, or by three
-- standard errors: means over several sets of keys, as small filters of other keys differ.
-- At its capacity it is at most 1.1 times the rate, and the filter knows how many keys
-- it has.
--
-- Elsewhere a filter for 1 % had 16 %, as half of its bits were never set (PipelineDB), and
-- one of few keys 1.6e-2 instead of 1e-7 (Guava).
--
\set ECHO none

CREATE SCHEMA rate_matrix;
SET search_path = rate_matrix, public;
SET client_min_messages = error;	-- not of filters past their capacity
SET jit = off;
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION keys(first bigint, n bigint) RETURNS bigint[]
LANGUAGE sql IMMUTABLE AS
$$
	SELECT ARRAY(SELECT generate_series(first + 1, first + n));
$$;

-- Keys are positive, absent keys negative: ten millions, in parts of 10,000.  Hashes know no
-- order, so neighbours are as good as random numbers.
CREATE TABLE absent (part int PRIMARY KEY, keys bigint[]);
ALTER TABLE absent ALTER keys SET STORAGE EXTERNAL;
INSERT INTO absent
SELECT part, keys(-10000 * (part + 1), 10000)
FROM generate_series(0::bigint, 999) part;

CREATE TABLE run (type text, n bigint, p float8, state text, set int, told float8,
	probes bigint, hits bigint, info json);

-- Ask a filter for some parts of the absent keys, other ones in each set.  Where hardly a
-- hit is to be expected, one part will do.
CREATE FUNCTION measure(f anyelement, n bigint, p float8, state text, set int, parts int)
RETURNS void
LANGUAGE plpgsql AS
$$
DECLARE
	type text := pg_typeof(f);
	told float8;
	hits bigint;
	info json;
BEGIN
	EXECUTE format('SELECT %I($1), row_to_json(%I($1))', type || '_current_fpp', type || '_info')
		INTO told, info USING f;
	IF told < 1e-7 THEN
		parts := 1;
	END IF;
	EXECUTE format('SELECT sum(10000 - cardinality(%I($1, keys)))
		FROM generate_series($2 * $3, $2 * $3 + $3 - 1) i JOIN absent ON part = i %% 1000',
		type || '_missing') INTO hits USING f, set, parts;
	INSERT INTO run VALUES (type, n, p, state, set, told, parts * 10000::bigint, hits, info);
END
$$;

-- Every state of filters for n keys.
CREATE FUNCTION measure_all(n bigint, p float8, sets int, probes float8) RETURNS void
LANGUAGE plpgsql AS
$$
DECLARE
	-- of each set, at least one and at most all
	parts int := least(greatest(ceil(probes / sets / 10000), 1), 1000);
	a bigint[];
	b bigint[];
	bloom bloom;
	counting counting_bloom;
	cuckoo cuckoo;
BEGIN
	FOR s IN 1 .. sets LOOP
		a := keys(s * 100000000::bigint, n);
		b := keys(s * 100000000::bigint + n, n);

		bloom := (SELECT bloom_agg(x, n, p) FROM unnest(a) x);
		PERFORM measure(bloom, n, p, '1 built', s, parts);
		-- from 256 keys on these have the same bits
		IF n < 256 OR bloom <> (SELECT bloom_agg(x, p) FROM unnest(a) x) THEN
			PERFORM measure((SELECT bloom_agg(x, p) FROM unnest(a) x), n, p, '1 sized', s, parts);
		END IF;
		IF n < 256 OR bloom <> bloom_add_all(bloom_create(n, p), a) THEN
			PERFORM measure(bloom_add_all(bloom_create(n, p), a), n, p, '1 added', s, parts);
		END IF;
		-- to four times its capacity; to a thousand keys one of 10, else a list
		PERFORM measure(bloom_add_all(bloom, keys(s * 100000000::bigint + n,
												  CASE n WHEN 10 THEN 990 ELSE 3 * n END)),
						n, p, '2 grown', s, parts);
		-- both full, so that they stand side by side
		PERFORM measure(bloom | (SELECT bloom_agg(x, n, p) FROM unnest(b) x),
						n, p, '3 united', s, parts);
		PERFORM measure(bloom_shrink((SELECT bloom_agg(x, 10 * n, p) FROM unnest(a) x)),
						n, p, '4 shrunk', s, parts);
		-- half of the keys in common: fewer hits, so more probes
		PERFORM measure(bloom & (SELECT bloom_agg(x, n, p)
								 FROM unnest(a[: n / 2] || b[n / 2 + 1 :]) x),
						n, p, '5 intersected', s, least(4 * parts, 1000));

		counting := counting_bloom_add_all(counting_bloom_create(n, p), a);
		PERFORM measure(counting, n, p, '1 built', s, parts);
		-- past the capacity, by adding and by uniting
		PERFORM measure(counting | counting_bloom_add_all(counting_bloom_create(n, p), b),
						n, p, '3 united', s, parts);
		counting := counting_bloom_add_all(counting, b || keys(s * 100000000::bigint + 2 * n, n));
		PERFORM measure(counting, n, p, '2 grown', s, parts);
		PERFORM measure(counting_bloom_remove_all(counting,
												  keys(s * 100000000::bigint + n, 2 * n)),
						n, p, '6 removed', s, parts);

		cuckoo := cuckoo_add_all(cuckoo_create(n, p), a[: n / 2]);
		PERFORM measure(cuckoo, n, p, '0 half full', s, parts);
		cuckoo := cuckoo_add_all(cuckoo, a[n / 2 + 1 :]);
		PERFORM measure(cuckoo, n, p, '1 built', s, parts);
		cuckoo := cuckoo_add_all(cuckoo_remove_all(cuckoo, a[: n / 2]), b[: n / 2]);
		PERFORM measure(cuckoo, n, p, '6 removed', s, parts);
	END LOOP;
END
$$;
\set ECHO all

-- capacity, sets of keys; rate, probes of a cell
SELECT count(measure_all(n, p, sets, probes)) AS capacities_and_probabilities
FROM (VALUES (1, 20), (10, 200), (200, 200), (5000, 40), (100000, 3), (1000000, 1)) AS size (n, sets),
	(VALUES (0.1::float8, 20000), (0.01, 200000), (0.001, 1500000), (0.0001, 6000000))
		AS probability (p, probes);

-- The standard error of the mean difference: from the scatter of the sets, and not less
-- than that of the hits themselves.
CREATE TABLE cell AS
SELECT type, n, p, state, told, measured, hits, probes, key_error, bits_per_key, past,
	greatest(scatter / sqrt(sets), sqrt(told * (1 - told) / probes)) AS error
FROM (SELECT type, n, p, state, count(*) AS sets, avg(told) AS told,
			sum(hits) / sum(probes)::float8 AS measured, sum(hits) AS hits, sum(probes) AS probes,
			coalesce(stddev_samp(hits / probes::float8 - told), 0) AS scatter,
			avg(abs((info->>'keys')::bigint - n)) / n AS key_error,
			avg((info->>'bytes')::bigint) * 8 / n AS bits_per_key,
			count(*) FILTER (WHERE (info->>'layers')::int > 1 OR (info->>'saturated')::boolean) AS past
	  FROM run
	  GROUP BY type, n, p, state) s;

-- "precise" are those in which three standard errors are less than a tenth; the lowest and
-- the highest ratio of measured to told are those of precise cells
CREATE VIEW summary AS
SELECT *, abs(measured - told) <= greatest(told / 10, 3 * error) AS within,
	told > 0 AND 3 * error <= told / 10 AS precise,
	CASE WHEN told = 0 OR type = 'cuckoo' THEN key_error = 0 WHEN n >= 1000 THEN key_error <= 0.03 END
		AS knows_keys
FROM cell;
SELECT type, state, count(*) AS cells, count(*) FILTER (WHERE within) AS within,
	count(*) FILTER (WHERE told = 0) AS lists, count(*) FILTER (WHERE precise) AS precise,
	round(min(measured / told) FILTER (WHERE precise)::numeric, 2) AS lowest,
	round(max(measured / told) FILTER (WHERE precise)::numeric, 2) AS highest
FROM summary
GROUP BY type, state
ORDER BY type, state;

-- At capacity: not above what was asked for, of lists nothing, and no further layer.  The number
-- of keys is that of a list and of fingerprints; from bits it can be told where there are many.
SELECT type, state, count(*) AS cells, count(*) FILTER (WHERE measured <= 1.1 * p) AS within_target,
	sum(hits) FILTER (WHERE told = 0) AS hits_of_lists, sum(past) AS past_capacity,
	count(knows_keys) AS counted, count(*) FILTER (WHERE knows_keys) AS knows_keys
FROM summary
WHERE state ~ '^1|removed'
GROUP BY type, state
ORDER BY type, state;

-- what a key takes
SELECT type, p, round(bits_per_key, 1) AS bits_per_key
FROM cell
WHERE n = 100000 AND state = '1 built'
ORDER BY type, p DESC;

-- all of them
SELECT count(*) AS cells, count(*) FILTER (WHERE within) AS within,
	round(sum(probes) / 1e6) AS million_probes
FROM summary;

-- violations: none
SELECT type, n, p, state, told, measured, hits, error
FROM summary
WHERE NOT within
ORDER BY type, state, n, p;
DROP SCHEMA rate_matrix CASCADE;
