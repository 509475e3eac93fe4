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
CREATE TABLE incoming (event_id uuid NOT NULL);
CREATE TABLE accepted (event_id uuid NOT NULL);
CREATE TABLE seen (f bloom NOT NULL);
INSERT INTO seen VALUES (bloom_create(1000000, 0.0001));

INSERT INTO incoming VALUES ('11111111-1111-1111-1111-111111111111'), ('22222222-2222-2222-2222-222222222222');

BEGIN;
LOCK TABLE seen IN EXCLUSIVE MODE;
CREATE TEMP TABLE batch ON COMMIT DROP AS
	WITH taken AS (DELETE FROM incoming RETURNING event_id)
	SELECT array_agg(DISTINCT event_id) AS ids FROM taken;
INSERT INTO accepted
SELECT unnest(coalesce(bloom_missing(f, ids), ids)) FROM batch LEFT JOIN seen ON true;
UPDATE seen SET f = bloom_add_all(f, ids) FROM batch;
COMMIT;

SELECT event_id AS accepted FROM accepted ORDER BY event_id;

INSERT INTO incoming VALUES ('22222222-2222-2222-2222-222222222222'), ('33333333-3333-3333-3333-333333333333');
SELECT bloom_missing(f, array_agg(event_id)) AS new FROM incoming, seen GROUP BY f;

-- Reference: compare
SELECT keys_a, keys_b, keys_either, keys_both, round(jaccard::numeric, 3) AS jaccard, round(standard_error) AS error
FROM (SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(1, 100000) i) s (a),
	(SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(50001, 150000) i) t (b),
	bloom_overlap(a, b);

-- Tasks: cache penetration
PREPARE find_customer(int) AS
SELECT id FROM customer
WHERE id = $1 AND bloom_contains((SELECT f FROM filter WHERE name = 'customer'), $1) IS NOT FALSE;

EXECUTE find_customer(4711);

EXECUTE find_customer(123456789);

-- Tasks: take only what is new
CREATE TABLE event (event_id bigint, payload text);
CREATE INDEX ON event (event_id);
INSERT INTO event SELECT i, 'old' FROM generate_series(1, 100000) i;
INSERT INTO filter SELECT 'event', bloom_agg(event_id, 1000000, 0.01) FROM event;
CREATE TABLE arrived AS SELECT i AS event_id, 'new' AS payload FROM generate_series(99001, 110000) i;

BEGIN;
LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
WITH asked AS MATERIALIZED (
	SELECT DISTINCT ON (event_id) arrived.*, bloom_contains(f, event_id) IS NOT FALSE AS maybe
	FROM arrived LEFT JOIN filter ON name = 'event')
INSERT INTO event
SELECT event_id, payload FROM asked WHERE NOT maybe
UNION ALL
SELECT event_id, payload FROM asked
WHERE maybe AND NOT EXISTS (SELECT FROM event WHERE event.event_id = asked.event_id);
UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(event_id) FROM arrived)) WHERE name = 'event';
COMMIT;
SELECT payload, count(*) FROM event GROUP BY payload ORDER BY payload;
SELECT count(*) AS missing FROM arrived WHERE NOT EXISTS (SELECT FROM event WHERE event.event_id = arrived.event_id);
SELECT bool_and(f @> event_id) AS all_known FROM filter, event WHERE name = 'event';

-- Tasks: a set that changes row by row
SELECT max(capacity) AS capacity, ceil(1000000 / ((sqrt(4 * max(capacity) + 25) - 5) / 2) ^ 2) AS partitions
FROM generate_series(129, 1000) capacity, bloom_sizing(capacity, 0.01) WHERE bytes <= 984;

CREATE FUNCTION known_part(key uuid) RETURNS int
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(key, 1888);

CREATE TABLE known (part int PRIMARY KEY, f bloom NOT NULL) WITH (fillfactor = 50);
INSERT INTO known
SELECT part, full_size FROM generate_series(0, 1887) part,
	(SELECT bloom_agg(i, 645, 0.01) FROM generate_series(1, 129) i) s (full_size);
UPDATE known SET f = bloom_create(645, 0.01);

PREPARE is_new(uuid) AS
INSERT INTO known AS k SELECT known_part($1), bloom_add(bloom_create(645, 0.01), $1)
WHERE NOT EXISTS (SELECT FROM known WHERE part = known_part($1) AND f @> $1)
ON CONFLICT (part) DO UPDATE SET f = bloom_add(k.f, $1) WHERE NOT k.f @> $1
RETURNING true AS is_new;

-- the rows of a page leave half of it free when they are at their final size
SELECT count(*) AS pages, max(n) AS rows_each
FROM (SELECT count(*) AS n FROM known GROUP BY (ctid::text::point)[0]) page;

EXECUTE is_new('44444444-4444-4444-4444-444444444444');
EXECUTE is_new('44444444-4444-4444-4444-444444444444');

-- known: nothing is written, not even a lock
BEGIN;
EXECUTE is_new('44444444-4444-4444-4444-444444444444');
SELECT pg_current_xact_id_if_assigned() IS NULL AS not_written;
COMMIT;

-- a missing row is none that knows the key
DELETE FROM known WHERE part = known_part('44444444-4444-4444-4444-444444444444');
EXECUTE is_new('44444444-4444-4444-4444-444444444444');
EXECUTE is_new('44444444-4444-4444-4444-444444444444');
SELECT count(*), sum(keys) AS keys, bool_and(capacity = 645) AS same FROM known, bloom_info(f);

-- Tasks: keep a filter current, a trigger
CREATE FUNCTION add_customers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(id) FROM added))
	WHERE name = 'customer' AND EXISTS (SELECT FROM added);
	RETURN NULL;
END $$;

CREATE TRIGGER add_customers AFTER INSERT ON customer
	REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION add_customers();

INSERT INTO customer SELECT i FROM generate_series(200001, 200500) i;
COPY customer FROM stdin;
300001
300002
\.
SELECT ctid AS before FROM filter WHERE name = 'customer' \gset
INSERT INTO customer SELECT 1 WHERE false;
SELECT ctid = :'before' AS not_written, (SELECT bool_and(f @> id) FROM customer) AS all_found FROM filter WHERE name = 'customer';

-- unite
INSERT INTO filter AS t
SELECT 'visitor', bloom_agg(customer_id, 1000000, 0.01) FROM visit WHERE visit_id <= 500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;

INSERT INTO filter AS t
SELECT 'visitor', bloom_agg(customer_id, 1000000, 0.01) FROM visit WHERE visit_id BETWEEN 501 AND 1500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;
SELECT f = (SELECT bloom_agg(i, 1000000, 0.01) FROM generate_series(1, 1500) i) AS as_if_built_at_once FROM filter WHERE name = 'visitor';

-- append and fold
CREATE TABLE delta (hour timestamptz NOT NULL, f bloom NOT NULL);
INSERT INTO delta SELECT now(), bloom_agg(id, 1000000, 0.001) FROM generate_series(1, 2000) id;
INSERT INTO delta SELECT now(), bloom_agg(id, 1000000, 0.001) FROM generate_series(2001, 3000) id;

SELECT EXISTS (SELECT FROM delta WHERE bloom_contains(f, 2500)) AS known;

WITH folded AS (DELETE FROM delta RETURNING f)
INSERT INTO delta SELECT now(), bloom_union_agg(f) FROM folded HAVING count(*) > 0;

WITH folded AS (DELETE FROM delta WHERE false RETURNING f)
INSERT INTO delta SELECT now(), bloom_union_agg(f) FROM folded HAVING count(*) > 0;
SELECT count(*), bool_and((SELECT bool_and(f @> i) FROM generate_series(1, 3000) i)) AS all_found FROM delta;

-- one filter a day
CREATE TABLE active (day date PRIMARY KEY, f bloom NOT NULL);
INSERT INTO active
SELECT current_date - age, bloom_agg(id, 100000, 0.01 / 30)
FROM generate_series(0, 40) age, LATERAL generate_series(age * 1000 + 1, age * 1000 + 3000) id GROUP BY age;

SELECT id, EXISTS (SELECT FROM active WHERE day > current_date - 30 AND bloom_contains(f, id)) AS recently
FROM unnest(ARRAY[500, 30500, 39500]) id;

DELETE FROM active WHERE day <= current_date - 30;

SELECT count(*) AS days, bloom_current_fpp(bloom_union_agg(f)) < 0.01 AS rate, bool_and((SELECT bool_and(f @> i)
	FROM generate_series((current_date - day) * 1000 + 1, (current_date - day) * 1000 + 3000) i)) AS all_found FROM active;

-- rebuild and swap
BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id) FROM customer) WHERE name = 'customer';
COMMIT;

CREATE MATERIALIZED VIEW customer_filter AS
	SELECT 'customer' AS name, bloom_agg(id) AS f FROM customer;
CREATE UNIQUE INDEX ON customer_filter (name);

INSERT INTO customer VALUES (987654321);
REFRESH MATERIALIZED VIEW CONCURRENTLY customer_filter;

SELECT f @> 987654321 AS known FROM customer_filter;

-- Tasks: delete keys
CREATE TABLE present (online counting_bloom NOT NULL, seats cuckoo NOT NULL);
INSERT INTO present VALUES (counting_bloom_create(10000), cuckoo_create(10000));

UPDATE present SET online = counting_bloom_add_all(online, ARRAY['anna', 'ben', 'ben']),
	seats = cuckoo_add_all(seats, ARRAY[17, 18]);
UPDATE present SET online = counting_bloom_remove_all(online, ARRAY['anna', 'ben']),
	seats = cuckoo_remove(seats, 18);

SELECT online @> 'anna' AS anna, online @> 'ben' AS ben, counting_bloom_count(online, 'ben') AS times,
	seats @> 17 AS "17", seats @> 18 AS "18" FROM present;

CREATE TABLE member (id int PRIMARY KEY);
CREATE TABLE member_filter (f cuckoo NOT NULL);
INSERT INTO member_filter VALUES (cuckoo_create(100000));

CREATE FUNCTION follow_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		UPDATE member_filter SET f = cuckoo_remove_all(f, (SELECT array_agg(id) FROM gone)) WHERE EXISTS (SELECT FROM gone);
	END IF;
	IF TG_OP <> 'DELETE' THEN
		UPDATE member_filter SET f = cuckoo_add_all(f, (SELECT array_agg(id) FROM come)) WHERE EXISTS (SELECT FROM come);
	END IF;
	RETURN NULL;
END $$;

CREATE TRIGGER come AFTER INSERT ON member REFERENCING NEW TABLE AS come
	FOR EACH STATEMENT EXECUTE FUNCTION follow_members();
CREATE TRIGGER gone AFTER DELETE ON member REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION follow_members();
CREATE TRIGGER changed AFTER UPDATE ON member REFERENCING OLD TABLE AS gone NEW TABLE AS come
	FOR EACH STATEMENT EXECUTE FUNCTION follow_members();

INSERT INTO member SELECT generate_series(1, 1000);
DELETE FROM member WHERE id % 3 = 0;
UPDATE member SET id = id + 10000 WHERE id % 3 = 1;
UPDATE member SET id = -id WHERE false;
SELECT bool_and(f @> id) AS all_found, cuckoo_cardinality(min(f::text)::cuckoo) = count(*) AS nobody_else FROM member, member_filter;

-- Tasks: a billion keys
CREATE FUNCTION event_partition(id bigint) RETURNS int
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(id, 16);

-- tells the planner how few they are, so that it aggregates in memory, and in parallel
CREATE STATISTICS event_partition ON (event_partition(event_id)) FROM event;
ANALYZE event;

CREATE TABLE event_filter (partition int PRIMARY KEY, f bloom NOT NULL);
INSERT INTO event_filter
SELECT event_partition(event_id), bloom_agg(event_id, 10000, 0.001) FROM event GROUP BY 1;

SELECT bloom_contains((SELECT f FROM event_filter WHERE partition = event_partition(4711)), 4711) IS NOT FALSE AS maybe;

BEGIN;
LOCK TABLE event IN SHARE MODE;
CREATE TABLE new_event_filter (LIKE event_filter INCLUDING ALL);
INSERT INTO new_event_filter
SELECT event_partition(event_id), bloom_agg(event_id, 10000, 0.001) FROM event GROUP BY 1;
DROP TABLE event_filter;
ALTER TABLE new_event_filter RENAME TO event_filter;
COMMIT;

SELECT count(*) AS asked, count(*) FILTER (WHERE bloom_contains(f, event_id)) AS found, count(DISTINCT partition) AS partitions
FROM event JOIN event_filter ON partition = event_partition(event_id);

-- Combine
SELECT count(*) FILTER (WHERE f @> id AND id % 6 = 0) AS of_both, count(*) FILTER (WHERE f @> id AND id % 6 <> 0) AS others
FROM generate_series(1, 6000) id,
	(SELECT bloom_agg(i, 3000, 0.01) FROM generate_series(2, 6000, 2) i) even (a),
	(SELECT bloom_agg(i, 3000, 0.01) FROM generate_series(3, 6000, 3) i) third (b),
	bloom_intersection(a, b) f;

-- How to size a filter: a tenth of the rate
SELECT fpp, round(bits_per_key::numeric, 1) AS bits_per_key, probes
FROM unnest(ARRAY[0.1, 0.01, 0.001, 0.0001, 0.00001, 0.000001]) fpp, bloom_sizing(1000000, fpp);

-- Filters of other systems
SELECT length(f) AS bytes, external_bloom_contains(f, 'guava', 'postgres') AS known
FROM (SELECT external_bloom_agg(word, 'guava', 0.01) AS f
	FROM unnest('{bloom,filter,postgres}'::text[]) word) s;

-- Keys
SELECT bloom_key(1) = bloom_key(1.00) AS same, bloom_key('a') = bloom_key('a'::char(5)) AS same_text;

DROP MATERIALIZED VIEW customer_filter;
DROP TABLE customer, filter, visit, incoming, seen, known, event, arrived, delta, active, present, member, member_filter, event_filter;
DROP FUNCTION add_customers, follow_members, event_partition, known_part;
