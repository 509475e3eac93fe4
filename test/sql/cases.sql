--
-- Cases from practice
-- Left to --ci, for its time.
--
\a\t

\set ECHO none
CREATE SCHEMA cases;
SET search_path = cases, public;
\set SHOW_CONTEXT never

-- part of absent keys that a filter claims to have: md5 strings, numbers
CREATE FUNCTION md5_rate(f bloom, probes int) RETURNS float8
LANGUAGE sql AS
$$
	SELECT count(*) / probes::float8
	FROM (SELECT generate_series(1, probes) AS i) absent
	WHERE bloom_contains(f, md5('absent ' || i));
$$;

CREATE FUNCTION number_rate(f bloom, probes int) RETURNS float8
LANGUAGE sql AS
$$
	SELECT count(*) / probes::float8
	FROM (SELECT generate_series(1, probes) AS i) absent
	WHERE bloom_contains(f, -i);
$$;

CREATE FUNCTION md5_strings(n int) RETURNS text[]
LANGUAGE sql AS
$$
	SELECT array_agg(md5(i::text)) FROM generate_series(1, n) i;
$$;

--
-- 10,000 strings at 0.0005 into a filter made for them: it does not grow
--

CREATE TABLE strings (name text, f bloom);
\set ECHO all
INSERT INTO strings VALUES
	('made for 10,000, holds 10,000',
	 bloom_add_all(bloom_create(10000, 0.0005), md5_strings(10000))),
	('made for 10,000, holds 30,000',
	 bloom_add_all(bloom_create(10000, 0.0005), md5_strings(30000))),
	('fixed at 10,000, holds 10,000',
	 bloom_add_all(bloom_create(10000, 0.0005, 0), md5_strings(10000))),
	('fixed at 10,000, holds 30,000',
	 bloom_add_all(bloom_create(10000, 0.0005, 0), md5_strings(30000)));

-- 30,000 make it grow and keep the rate below twice the target; where growth
-- is forbidden the rate is lost, and the filter says so
SELECT name, layers, saturated, rate <= 0.00055 AS within_target,
	rate < 2 * 0.0005 AS within_twice, current_fpp < 2 * 0.0005 AS claims_twice,
	current_fpp / rate BETWEEN 0.7 AND 1.4 AS knows_rate,
	abs(keys - (CASE WHEN name LIKE '%30,000' THEN 30000 ELSE 10000 END)) <
		0.03 * keys AS knows_keys
FROM strings, bloom_info(f), md5_rate(f, 100000) rate
ORDER BY name;

-- no key is lost on the way
SELECT name, bloom_contains_all(f, md5_strings(10000)) AS first,
	bloom_contains_all(f, md5_strings(30000)) OR name LIKE '%10,000' AS "all"
FROM strings
ORDER BY name;

\set ECHO none
-- one by one is the same as all at once
DO $$
DECLARE
	f bloom := bloom_create(1000, 0.01);
BEGIN
	FOR i IN 1 .. 5000 LOOP
		f := bloom_add(f, i);
		IF NOT bloom_contains(f, i) THEN
			RAISE 'key % is lost', i;
		END IF;
	END LOOP;
	IF f <> bloom_add_all(bloom_create(1000, 0.01), ARRAY(SELECT generate_series(1, 5000))) THEN
		RAISE 'other bytes';
	END IF;
	IF NOT bloom_contains_all(f, ARRAY(SELECT generate_series(1, 5000))) THEN
		RAISE 'a key was lost later';
	END IF;
END
$$;
\set ECHO all

--
-- 10 bits a key: below 2 %
--

SELECT bits / 10000.0 <= 10.3 AS ten_bits_a_key, current_fpp < 0.02 AS claims_2_percent,
	rate < 0.02 AS within_2_percent, layers
FROM (SELECT bloom_agg(i, 10000, bloom_expected_fpp(10)) AS f
	  FROM generate_series(1, 10000) i) a,
	bloom_info(f), number_rate(f, 200000) rate;

--
-- Three million integers, a hundred thousand keywords
--

SELECT rate <= 0.011 AS within_target, abs(keys - 3000000) < 30000 AS knows_keys,
	bytes < 3000000 * 10.1 / 8 AS small, layers,
	(SELECT count(*) FROM (SELECT generate_series(1, 3000000) AS i) k
	 WHERE NOT bloom_contains(f, i)) AS lost
FROM (SELECT bloom_agg(i) AS f FROM (SELECT generate_series(1, 3000000) AS i) k
	  OFFSET 0) a,
	bloom_info(f), number_rate(f, 1000000) rate;

CREATE TABLE keyword AS SELECT 'keyword-' || i AS word FROM generate_series(1, 100000) i;

WITH list AS MATERIALIZED (SELECT bloom_agg(word, 0.001) AS words FROM keyword)
SELECT (SELECT count(*) FROM keyword, list WHERE NOT words @> word) AS lost,
	(SELECT count(*) FROM generate_series(100001, 300000) i, list
	 WHERE words @> ('keyword-' || i)) < 220 AS within_target;

--
-- A key that is added twice changes nothing
--

SELECT bloom_add(f, 7) = f AS one, bloom_add_all(f, ARRAY[1, 2, 3]) = f AS some,
	bloom_add_all(f, ARRAY(SELECT generate_series(n, 1, -1))) = f AS "all",
	bloom_add(f, 1.0) = f AS other_type
FROM (VALUES (10), (100), (128), (129), (1000), (20000)) size (n),
	LATERAL (SELECT bloom_add_all(bloom_create(100), ARRAY(SELECT generate_series(1, n))) AS f) f
ORDER BY n;

SELECT n, (SELECT bloom_agg(i % n) FROM generate_series(1, 40000) i) =
		  (SELECT bloom_agg(i) FROM generate_series(0, n - 1) i) AS same
FROM (VALUES (10), (128), (129), (1000), (20000)) size (n)
ORDER BY n;

--
-- Dedupe: who is new?
--

CREATE TABLE event (id int GENERATED ALWAYS AS IDENTITY, visitor bigint);
INSERT INTO event (visitor) SELECT i % 700 FROM generate_series(1, 2000) i;
CREATE TABLE seen (filter bloom);
INSERT INTO seen VALUES (bloom_create(1000));

-- batches of events: count those whose visitor was certainly never seen, then
-- remember all of the batch
DO $$
DECLARE
	fresh bigint;
BEGIN
	FOR batch IN 0 .. 4 LOOP
		SELECT count(DISTINCT visitor) INTO fresh
		FROM event, seen
		WHERE id BETWEEN batch * 400 + 1 AND batch * 400 + 400 AND
			NOT bloom_contains(filter, visitor);
		RAISE NOTICE 'batch %: % new', batch, fresh;
		UPDATE seen SET filter = bloom_add_all(filter, ARRAY(
			SELECT visitor FROM event
			WHERE id BETWEEN batch * 400 + 1 AND batch * 400 + 400));
	END LOOP;
END
$$;

--
-- Cache penetration: a filter in front of a slow look-up.  Where there is no
-- filter yet, every row must pass.
--

CREATE TABLE shard (name text PRIMARY KEY, members bloom);
INSERT INTO shard VALUES ('a', (SELECT bloom_agg(i) FROM generate_series(1, 1000) i)),
	('b', (SELECT bloom_agg(i) FROM generate_series(1001, 2000) i)),
	('empty', bloom_create(1000)), ('unknown', NULL);

CREATE TABLE request AS SELECT generate_series(1, 2000)::smallint AS id;

-- certainly absent is false, never null: IS NOT FALSE lets the unknown pass
SELECT name, count(*) FILTER (WHERE members @> id) AS plain,
	count(*) FILTER (WHERE (members @> id) IS NOT FALSE) AS is_not_false,
	count(*) FILTER (WHERE NOT members @> id) AS not_contained
FROM (SELECT name, members, id FROM shard, request
	  WHERE id <= 1000 AND name <> 'b' OR id > 1000 AND name = 'b') s
GROUP BY name
ORDER BY name;

SELECT r.id, r.id IN (SELECT i FROM generate_series(1, 1000) i) AS in_shard
FROM request r LEFT JOIN shard s ON s.name = 'nowhere'
WHERE (s.members @> r.id) IS NOT FALSE AND r.id IN (1, 1000, 1001, 2000)
ORDER BY id;

--
-- Joins: an int2 column against a filter of int4 keys, of int8, of numeric
--

CREATE TABLE fact AS
	SELECT i::int2 AS k2, i::int4 AS k4, i::int8 AS k8, i::numeric(10, 2) AS kn
	FROM generate_series(1, 3000) i;

CREATE TABLE filters AS
	SELECT bloom_agg(k2) AS f2, bloom_agg(k4) AS f4, bloom_agg(k8) AS f8, bloom_agg(kn) AS fn,
		bloom_agg(k4, 3000, 0.01) AS sized
	FROM fact WHERE k4 <= 1000;

SELECT f2 = f4 AND f4 = f8 AND f8 = fn AS same FROM filters;

SELECT count(*) FILTER (WHERE k4 <= 1000) AS found,
	count(*) FILTER (WHERE k4 > 1000) <= 40 AS few_others
FROM fact JOIN filters ON f4 @> k2 AND f2 @> k4 AND f8 @> k2 AND fn @> k2 AND
	k8 <@ f2 AND kn <@ f4 AND sized @> k2;

-- a foreign key of another width behind a semi-join
SELECT count(*)
FROM fact
WHERE bloom_contains((SELECT bloom_agg(k8) FROM fact WHERE k8 BETWEEN 100 AND 199), k2);

SET client_min_messages = warning;
DROP SCHEMA cases CASCADE;
