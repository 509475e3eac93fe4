--
-- The statements of README.md; test/check-docs compares the two
--

-- Quick start
CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;

CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer;

SELECT bloom_contains(f, 4711) AS known, bloom_contains(f, 123456789) AS unknown FROM filter;

SELECT count(*) FROM generate_series(99001, 109000) id, filter WHERE bloom_contains(f, id);

SELECT keys, pg_size_pretty(bytes) AS size, round(current_fpp::numeric, 4) AS current_fpp FROM filter, bloom_info(f);

-- Sizing
SELECT pg_size_pretty(bytes), probes, round(bits_per_key::numeric, 1) AS bits_per_key FROM bloom_sizing(1000000, 0.001);

-- Tasks: pre-filter a join
CREATE TABLE visit AS SELECT i % 1000000 AS customer_id, i AS visit_id FROM generate_series(1, 1000000) i;

SELECT count(*) FROM visit
WHERE bloom_contains((SELECT bloom_agg(id) FROM customer), customer_id);

SELECT count(*) FROM visit
WHERE bloom_contains((SELECT bloom_agg(id) FROM customer), customer_id)
	AND EXISTS (SELECT FROM customer WHERE id = customer_id);

-- Tasks: keyword list
INSERT INTO filter VALUES ('keyword', bloom_add_all(bloom_create(1000), '{index,table,vacuum}'));

SELECT word FROM regexp_split_to_table('vacuum the kitchen table', ' ') word, filter
WHERE name = 'keyword' AND f @> word;

-- Tasks: dedupe an event stream
CREATE TABLE incoming (event_id uuid);
CREATE TABLE seen (f bloom NOT NULL);
INSERT INTO seen VALUES (bloom_create(1000000, 0.0001));

INSERT INTO incoming VALUES ('11111111-1111-1111-1111-111111111111'), ('22222222-2222-2222-2222-222222222222');

BEGIN;
LOCK TABLE seen IN EXCLUSIVE MODE;
CREATE TEMP TABLE batch ON COMMIT DROP AS
	WITH taken AS (DELETE FROM incoming RETURNING event_id)
	SELECT DISTINCT event_id FROM taken;
SELECT event_id FROM batch, seen WHERE NOT bloom_contains(f, event_id);
UPDATE seen SET f = bloom_add_all(f, (SELECT array_agg(event_id) FROM batch));
COMMIT;

INSERT INTO incoming VALUES ('22222222-2222-2222-2222-222222222222'), ('33333333-3333-3333-3333-333333333333');
SELECT event_id AS new FROM incoming, seen WHERE NOT bloom_contains(f, event_id);

-- Tasks: cache penetration
PREPARE find_customer(int) AS
SELECT id FROM customer
WHERE id = $1 AND bloom_contains((SELECT f FROM filter WHERE name = 'customer'), $1) IS NOT FALSE;

EXECUTE find_customer(4711);

EXECUTE find_customer(123456789);

-- Tasks: rebuild and swap
BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id) FROM customer) WHERE name = 'customer';
COMMIT;

-- How to size a filter: a tenth of the rate
SELECT fpp, round(bits_per_key::numeric, 1) AS bits_per_key, probes
FROM unnest(ARRAY[0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001]) fpp, bloom_sizing(1000000, fpp);

-- Keys
SELECT bloom_key(1) = bloom_key(1.00) AS same, bloom_key('a') = bloom_key('a'::char(5)) AS same_text;

DROP TABLE customer, filter, visit, incoming, seen;
