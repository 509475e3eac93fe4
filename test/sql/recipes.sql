--
-- The statements of doc/recipes.md, each recipe in a schema of its own; test/check-docs
-- compares the two
--

SET client_min_messages = warning;

-- Before you start

CREATE SCHEMA recipe;
SET search_path = recipe, public;

-- Pre-filter a join
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE customer AS SELECT id FROM generate_series(1, 10000) id;
CREATE TABLE visit AS SELECT i AS visit_id, i AS customer_id FROM generate_series(1, 100000) i;
ANALYZE customer, visit;

SELECT count(*) FROM visit
WHERE bloom_contains((SELECT bloom_agg(id) FROM customer), customer_id);

SELECT count(*) FROM visit
WHERE bloom_contains((SELECT bloom_agg(id) FROM customer), customer_id)
	AND EXISTS (SELECT FROM customer WHERE id = customer_id);

ALTER TABLE customer ADD country int;
UPDATE customer SET country = id % 50;
ANALYZE customer;

SELECT count(*) FROM visit JOIN customer ON customer_id = id
WHERE country = 7
	AND bloom_contains((SELECT bloom_agg(id) FROM customer WHERE country = 7), customer_id);

CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'country 7', bloom_agg(id) FROM customer WHERE country = 7;
ANALYZE filter;

SELECT count(*) FROM visit JOIN customer ON customer_id = id
WHERE country = 7
	AND bloom_contains((SELECT f FROM filter WHERE name = 'country 7'), customer_id);

SELECT count(*) FROM visit JOIN customer ON customer_id = id, filter
WHERE country = 7 AND name = 'country 7' AND bloom_contains(f, customer_id);

-- the nodes of these plans, without those of sub-selects that run once
CREATE FUNCTION nodes(plan json) RETURNS text LANGUAGE sql AS
$$
SELECT concat(plan ->> 'Node Type', ' ' || (plan ->> 'Relation Name'),
	CASE WHEN concat(plan ->> 'Filter', plan ->> 'Join Filter') LIKE '%bloom_contains%' THEN ', filtered' END,
	'(' || string_agg(nodes(part), ', ' ORDER BY i) || ')')
FROM json_array_elements(CASE WHEN plan -> 'Plans' IS NULL THEN '[]' ELSE plan -> 'Plans' END)
	WITH ORDINALITY p(part, i)
WHERE part ->> 'Parent Relationship' <> 'InitPlan'
$$;
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT count(*) FROM visit JOIN customer ON customer_id = id' || query INTO plan;
	RETURN nodes(plan -> 0 -> 'Plan');
END
$$;
SELECT nodes(' WHERE country = 7
	AND bloom_contains((SELECT bloom_agg(id) FROM customer WHERE country = 7), customer_id)') AS made,
	nodes(' WHERE country = 7
	AND bloom_contains((SELECT f FROM filter WHERE name = ''country 7''), customer_id)') AS stored,
	nodes(', filter WHERE country = 7 AND name = ''country 7'' AND bloom_contains(f, customer_id)') AS joined
\gx
DROP FUNCTION nodes(json), nodes(text);

-- Keyword list
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter VALUES ('keyword', bloom_add_all(bloom_create(1000), '{index,table,vacuum}'::text[]));

SELECT word FROM regexp_split_to_table('vacuum the kitchen table', ' ') word
WHERE (SELECT f FROM filter WHERE name = 'keyword') @> word;

SELECT bloom_contains_any(f, words) AS any, bloom_contains_all(f, words) AS all, bloom_missing(f, words) AS missing
FROM filter, regexp_split_to_array('vacuum the kitchen table', ' ') words
WHERE name = 'keyword';

-- Spam list
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE blocked (sender text PRIMARY KEY);
INSERT INTO blocked SELECT 'user' || i || '@example.org' FROM generate_series(1, 50000) i;
INSERT INTO blocked VALUES ('spam.example');

CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'blocked', bloom_agg(sender, 0.001) FROM blocked;

CREATE FUNCTION is_blocked(address text) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL SAFE
	RETURN bloom_contains_any((SELECT f FROM filter WHERE name = 'blocked'),
			ARRAY[lower(address), split_part(lower(address), '@', 2)]) IS NOT FALSE
		AND EXISTS (SELECT FROM blocked
			WHERE sender IN (lower(address), split_part(lower(address), '@', 2)));

SELECT address, is_blocked(address)
FROM unnest('{User17@example.org,friend@example.org,anyone@Spam.example}'::text[]) address;

SELECT name, keys, pg_size_pretty(bytes) AS size, round(current_fpp::numeric, 4) AS current_fpp
FROM filter, bloom_info(f);

-- Cache penetration
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE customer (id int PRIMARY KEY, name text);
INSERT INTO customer SELECT i, 'customer ' || i FROM generate_series(1, 100000) i;

CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer;

SELECT pg_size_pretty(length(f)::bigint) AS size, external_bloom_contains(f, 'guava_long', 4711) AS known
FROM (SELECT external_bloom_agg(id, 'guava_long', 0.01) AS f FROM customer) s;

PREPARE find_customer(int) AS
SELECT name FROM customer
WHERE id = $1 AND bloom_contains((SELECT f FROM filter WHERE name = 'customer'), $1) IS NOT FALSE;

EXECUTE find_customer(4711);

EXECUTE find_customer(123456789);

-- the table is not read if the filter says no
CREATE FUNCTION not_read(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found boolean = false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		found = found OR line ~ ' on customer .*never executed';
	END LOOP;
	RETURN found;
END $$;
SELECT not_read('EXECUTE find_customer(4711)') AS present, not_read('EXECUTE find_customer(123456789)') AS absent;
-- without the filter every key passes
BEGIN;
DELETE FROM filter;
EXECUTE find_customer(4711);
ROLLBACK;
DEALLOCATE find_customer;

-- Deduplicate an event stream
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE incoming (event_id uuid NOT NULL);
CREATE TABLE accepted (event_id uuid NOT NULL);
CREATE TABLE seen (f bloom NOT NULL);
INSERT INTO seen VALUES (bloom_create(1000000, 0.0001));

INSERT INTO incoming SELECT md5(i::text)::uuid FROM generate_series(1, 1000) i;
INSERT INTO incoming SELECT md5(i::text)::uuid FROM generate_series(501, 1500) i;

BEGIN;
LOCK TABLE seen IN EXCLUSIVE MODE;
CREATE TEMP TABLE batch ON COMMIT DROP AS
	WITH taken AS (DELETE FROM incoming RETURNING event_id)
	SELECT array_agg(DISTINCT event_id) AS ids FROM taken;
INSERT INTO accepted
SELECT unnest(coalesce(bloom_missing(f, ids), ids)) FROM batch LEFT JOIN seen ON true;
UPDATE seen SET f = bloom_add_all(f, ids) FROM batch;
COMMIT;

SELECT count(*) AS accepted, count(DISTINCT event_id) AS different FROM accepted;

INSERT INTO incoming VALUES (md5('1')::uuid), (md5('1501')::uuid);

SELECT cardinality(bloom_missing(f, array_agg(event_id))) AS new FROM incoming, seen GROUP BY f;

BEGIN;
LOCK TABLE seen IN EXCLUSIVE MODE;
CREATE TEMP TABLE batch ON COMMIT DROP AS
	WITH taken AS (DELETE FROM incoming RETURNING event_id)
	SELECT array_agg(DISTINCT event_id) AS ids FROM taken;
INSERT INTO accepted
SELECT unnest(coalesce(bloom_missing(f, ids), ids)) FROM batch LEFT JOIN seen ON true;
UPDATE seen SET f = bloom_add_all(f, ids) FROM batch;
COMMIT;
SELECT count(*) AS accepted, count(DISTINCT event_id) AS different FROM accepted;

-- Crawler frontier
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

SELECT max(capacity) AS capacity, ceil(1000000 / ((sqrt(4 * max(capacity) + 25) - 5) / 2) ^ 2) AS partitions
FROM generate_series(129, 1000) capacity, bloom_sizing(capacity, 0.01) WHERE bytes <= 984;

CREATE FUNCTION known_part(key text) RETURNS int
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(key, 1888);

CREATE TABLE known (part int PRIMARY KEY, f bloom NOT NULL) WITH (fillfactor = 50);
INSERT INTO known
SELECT part, full_size FROM generate_series(0, 1887) part,
	(SELECT bloom_agg(i, 645, 0.01) FROM generate_series(1, 129) i) s (full_size);
UPDATE known SET f = bloom_create(645, 0.01);

-- the rows of a page leave half of it free when they are at their final size
SELECT count(*) AS pages, max(n) AS rows_each
FROM (SELECT count(*) AS n FROM known GROUP BY (ctid::text::point)[0]) page;

PREPARE is_new(text) AS
INSERT INTO known AS k SELECT known_part($1), bloom_add(bloom_create(645, 0.01), $1)
WHERE NOT EXISTS (SELECT FROM known WHERE part = known_part($1) AND f @> $1)
ON CONFLICT (part) DO UPDATE SET f = bloom_add(k.f, $1) WHERE NOT k.f @> $1
RETURNING true AS is_new;

EXECUTE is_new('https://example.com/');

EXECUTE is_new('https://example.com/');

CREATE TABLE frontier (url text NOT NULL, found_at timestamptz NOT NULL DEFAULT now());

PREPARE found(text) AS
WITH new AS (
	INSERT INTO known AS k SELECT known_part($1), bloom_add(bloom_create(645, 0.01), $1)
	WHERE NOT EXISTS (SELECT FROM known WHERE part = known_part($1) AND f @> $1)
	ON CONFLICT (part) DO UPDATE SET f = bloom_add(k.f, $1) WHERE NOT k.f @> $1
	RETURNING true)
INSERT INTO frontier SELECT $1 FROM new;

EXECUTE found('https://example.com/about');
EXECUTE found('https://example.com/');
EXECUTE found('https://example.com/about');

SELECT url FROM frontier;

DELETE FROM frontier WHERE ctid = (
	SELECT ctid FROM frontier ORDER BY found_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING url;

-- known: nothing is written, not even a lock
BEGIN;
EXECUTE is_new('https://example.com/');
SELECT pg_current_xact_id_if_assigned() IS NULL AS not_written;
COMMIT;

-- a missing row is none that knows the key
DELETE FROM known WHERE part = known_part('https://example.com/');
EXECUTE is_new('https://example.com/');
EXECUTE is_new('https://example.com/');
SELECT count(*), bool_and(capacity = 645) AS same FROM known, bloom_info(f);
DEALLOCATE is_new;
DEALLOCATE found;

-- Load only what is new
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);

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

-- A trigger
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id, 1000000, 0.01) FROM customer;

CREATE FUNCTION add_customers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(id) FROM added))
	WHERE name = 'customer' AND EXISTS (SELECT FROM added);
	RETURN NULL;
END $$;

CREATE TRIGGER add_customers AFTER INSERT ON customer
	REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION add_customers();

INSERT INTO customer SELECT generate_series(200001, 200500);

SELECT count(*) AS customers, count(*) FILTER (WHERE f @> id) AS found
FROM customer, filter WHERE name = 'customer' AND id > 100000;

COPY customer FROM stdin;
300001
300002
\.
SELECT ctid AS before FROM filter WHERE name = 'customer' \gset
INSERT INTO customer SELECT 1 WHERE false;
SELECT ctid = :'before' AS not_written, (SELECT bool_and(f @> id) FROM customer) AS all_found FROM filter WHERE name = 'customer';

-- Unite
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE visit AS SELECT i AS visit_id, i AS customer_id FROM generate_series(1, 1500) i;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);

INSERT INTO filter AS t
SELECT 'visitor', bloom_agg(customer_id, 1000000, 0.01) FROM visit WHERE visit_id <= 500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;

INSERT INTO filter AS t
SELECT 'visitor', bloom_agg(customer_id, 1000000, 0.01) FROM visit WHERE visit_id > 500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;

SELECT name, keys, layers FROM filter, bloom_info(f);

SELECT f = (SELECT bloom_agg(i, 1000000, 0.01) FROM generate_series(1, 1500) i) AS as_if_built_at_once FROM filter WHERE name = 'visitor';

-- Append and fold
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE delta (hour timestamptz NOT NULL, f bloom NOT NULL);
INSERT INTO delta SELECT now(), bloom_agg(id, 1000000, 0.001) FROM generate_series(1, 2000) id;
INSERT INTO delta SELECT now(), bloom_agg(id, 1000000, 0.001) FROM generate_series(2001, 3000) id;

SELECT EXISTS (SELECT FROM delta WHERE bloom_contains(f, 2500)) AS known;

WITH folded AS (DELETE FROM delta RETURNING f)
INSERT INTO delta SELECT now(), bloom_union_agg(f) FROM folded HAVING count(*) > 0;

SELECT count(*) AS rows, sum(keys) AS keys, EXISTS (SELECT FROM delta WHERE bloom_contains(f, 2500)) AS known
FROM delta, bloom_info(f);

WITH folded AS (DELETE FROM delta WHERE false RETURNING f)
INSERT INTO delta SELECT now(), bloom_union_agg(f) FROM folded HAVING count(*) > 0;
SELECT count(*), bool_and((SELECT bool_and(f @> i) FROM generate_series(1, 3000) i)) AS all_found FROM delta;

-- One filter a day
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE active (day date PRIMARY KEY, f bloom NOT NULL);
INSERT INTO active
SELECT current_date - age, bloom_agg(id, 100000, 0.01 / 30)
FROM generate_series(0, 40) age, LATERAL generate_series(age * 1000 + 1, age * 1000 + 3000) id GROUP BY age;

SELECT id, EXISTS (SELECT FROM active WHERE day > current_date - 30 AND bloom_contains(f, id)) AS recently
FROM unnest(ARRAY[500, 30500, 39500]) id;

DELETE FROM active WHERE day <= current_date - 30;

SELECT layers, round(current_fpp::numeric, 6) <= 0.01 / 30 AS within_rate
FROM (SELECT bloom_union_agg(f) FROM active) s (f), bloom_info(f);

SELECT count(*) AS days, bloom_current_fpp(bloom_union_agg(f)) < 0.01 AS rate, bool_and((SELECT bool_and(f @> i)
	FROM generate_series((current_date - day) * 1000 + 1, (current_date - day) * 1000 + 3000) i)) AS all_found FROM active;

-- Rebuild and swap
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer;
DELETE FROM customer WHERE id <= 40000;

BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id) FROM customer) WHERE name = 'customer';
COMMIT;

SELECT count(*) FILTER (WHERE id > 40000) AS customers, count(*) FILTER (WHERE id <= 40000) AS deleted
FROM filter, generate_series(1, 100000) id WHERE name = 'customer' AND f @> id;

-- Materialized view
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;

CREATE MATERIALIZED VIEW customer_filter AS
	SELECT 'customer' AS name, bloom_agg(id) AS f FROM customer;
CREATE UNIQUE INDEX ON customer_filter (name);

INSERT INTO customer VALUES (987654321);

REFRESH MATERIALIZED VIEW CONCURRENTLY customer_filter;

SELECT f @> 987654321 AS known FROM customer_filter;

-- Delete by rebuilding
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE session (id uuid PRIMARY KEY, expires date NOT NULL);
INSERT INTO session SELECT md5(i::text)::uuid, date '2026-01-01' + i % 10 FROM generate_series(1, 10000) i;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'session', bloom_agg(id) FROM session;

DELETE FROM session WHERE expires < date '2026-01-04';

BEGIN;
LOCK TABLE session IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id) FROM session) WHERE name = 'session';
COMMIT;

SELECT count(*) AS sessions, count(*) FILTER (WHERE f @> id) AS found
FROM session, filter WHERE name = 'session';

-- Delete from a cuckoo filter
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

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

SELECT count(*) AS members, count(*) FILTER (WHERE f @> id) AS found, min(cuckoo_cardinality(f)) AS keys
FROM member, member_filter;

UPDATE member SET id = -id WHERE false;
-- copies of keys share their places
CREATE FUNCTION keys_until_full(copies int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	f cuckoo = cuckoo_create(10000);
	n int = 0;
BEGIN
	LOOP
		f = cuckoo_add_all(f, array_fill(n + 1, ARRAY[copies]));
		n = n + 1;
	END LOOP;
EXCEPTION WHEN program_limit_exceeded THEN
	RETURN n;
END $$;
SELECT copies, keys_until_full(copies) FROM unnest('{1,2,4,8,9}'::int[]) copies;
SELECT bool_and(f @> id) AS all_found FROM member, member_filter;

-- Delete from a counting filter
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE present (online counting_bloom NOT NULL);
INSERT INTO present VALUES (counting_bloom_create(10000));

UPDATE present SET online = counting_bloom_add_all(online, ARRAY['anna', 'ben', 'ben']);
UPDATE present SET online = counting_bloom_remove_all(online, ARRAY['anna', 'ben']);

SELECT online @> 'anna' AS anna, online @> 'ben' AS ben, counting_bloom_count(online, 'ben') AS times FROM present;

-- A billion keys
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE event AS SELECT i AS event_id FROM generate_series(1::bigint, 100000) i;

CREATE FUNCTION event_partition(id bigint) RETURNS int
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(id, 16);

-- tells the planner how few they are, so that it aggregates in memory, and in parallel
CREATE STATISTICS event_partition ON (event_partition(event_id)) FROM event;
ANALYZE event;

CREATE TABLE event_filter (partition int PRIMARY KEY, f bloom NOT NULL);
INSERT INTO event_filter
SELECT event_partition(event_id), bloom_agg(event_id, 10000, 0.001) FROM event GROUP BY 1;

SELECT count(*) AS filters, sum(keys) AS keys, max(layers) AS layers, pg_size_pretty(sum(bytes)) AS size
FROM event_filter, bloom_info(f);

SELECT bloom_contains((SELECT f FROM event_filter WHERE partition = event_partition(4711)), 4711) IS NOT FALSE AS maybe;

WITH added AS (INSERT INTO event SELECT generate_series(100001, 101000) RETURNING event_id)
INSERT INTO event_filter AS t
SELECT event_partition(event_id), bloom_agg(event_id, 10000, 0.001) FROM added GROUP BY 1 ORDER BY 1
ON CONFLICT (partition) DO UPDATE SET f = t.f | excluded.f;

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

-- Partitions
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE reading (day date NOT NULL, reading_id uuid NOT NULL, value int) PARTITION BY RANGE (day);
CREATE TABLE reading_1 PARTITION OF reading FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');
CREATE TABLE reading_2 PARTITION OF reading FOR VALUES FROM ('2026-01-02') TO ('2026-01-03');
CREATE TABLE reading_3 PARTITION OF reading FOR VALUES FROM ('2026-01-03') TO ('2026-01-04');
CREATE INDEX ON reading (reading_id);
INSERT INTO reading SELECT date '2026-01-01' + i % 3, md5(i::text)::uuid, i FROM generate_series(1, 30000) i;
ANALYZE reading;

SET enable_partitionwise_aggregate = on;
CREATE TABLE reading_filter (day date PRIMARY KEY, f bloom);
INSERT INTO reading_filter SELECT day, bloom_agg(reading_id, 0.001) FROM reading GROUP BY day;

PREPARE find_reading(uuid) AS
SELECT reading_id, value FROM reading_filter p,
	LATERAL (SELECT * FROM reading WHERE day = p.day AND reading_id = $1 OFFSET 0) reading
WHERE bloom_contains(p.f, $1) IS NOT FALSE;

EXECUTE find_reading(md5('4711')::uuid);

-- for each day that passes, one partition of three
CREATE FUNCTION never_executed(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	line text;
	n int = 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		n = n + (line ~ ' on reading_\d\M.*never executed')::int;
	END LOOP;
	RETURN n;
END $$;
SELECT never_executed($$EXECUTE find_reading(md5('4711')::uuid)$$) AS present, never_executed($$EXECUTE find_reading(md5('absent')::uuid)$$) AS absent;
-- a day whose filter is not made yet is searched
BEGIN;
UPDATE reading_filter SET f = NULL WHERE day = '2026-01-02';
EXECUTE find_reading(md5('4711')::uuid);
ROLLBACK;
RESET enable_partitionwise_aggregate;
DEALLOCATE find_reading;

UPDATE reading_filter
SET f = (SELECT bloom_agg(reading_id, 0.001) FROM reading WHERE day = '2026-01-02')
WHERE day = '2026-01-02';

SELECT name, keys, layers
FROM (SELECT 'reading' AS name, bloom_union_agg(f) AS f
	FROM (SELECT bloom_agg(reading_id, 100000, 0.001) AS f FROM reading GROUP BY day) s) t, bloom_info(f);

-- Citus
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE visit (visit_id int, customer_id int);
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);

INSERT INTO customer SELECT generate_series(1, 10000);
INSERT INTO visit SELECT i, i * 7919 % 100000 FROM generate_series(1, 100000) i;

INSERT INTO filter SELECT 'customer', bloom_agg(bloom_key(id)) FROM customer;

SELECT count(*) FROM visit
WHERE bloom_contains((SELECT bloom_agg(bloom_key(id)) FROM customer), customer_id);

SET citus.enable_repartition_joins = on;
WITH passed AS MATERIALIZED (
	SELECT * FROM visit
	WHERE bloom_contains((SELECT bloom_agg(bloom_key(id)) FROM customer), customer_id))
SELECT count(*)
FROM passed JOIN customer ON id = customer_id;

SELECT count(*) FROM visit
WHERE bloom_contains((SELECT f FROM filter WHERE name = 'customer'), customer_id);

RESET citus.enable_repartition_joins;

CREATE FUNCTION known_part(key uuid) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(key, 1888);
CREATE TABLE known (part int PRIMARY KEY, f bloom NOT NULL) WITH (fillfactor = 50);

PREPARE is_new(uuid) AS
INSERT INTO known AS k VALUES (known_part($1), bloom_add(bloom_create(645, 0.01), $1))
ON CONFLICT (part) DO UPDATE SET f = bloom_add(k.f, $1) WHERE NOT k.f @> $1
RETURNING true AS is_new;

EXECUTE is_new('44444444-4444-4444-4444-444444444444');

CREATE TABLE event (event_id bigint, payload text);
CREATE TABLE arrived (event_id bigint, payload text);

INSERT INTO event SELECT i, 'old' FROM generate_series(1, 10000) i;
INSERT INTO filter SELECT 'event', bloom_agg(bloom_key(event_id), 1000000, 0.01) FROM event;
INSERT INTO arrived SELECT i, 'new' FROM generate_series(9901, 11000) i;

BEGIN;
LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO event
SELECT DISTINCT ON (event_id) event_id, payload FROM arrived LEFT JOIN filter ON name = 'event'
WHERE NOT bloom_contains(f, event_id)
	OR NOT EXISTS (SELECT 1 FROM event WHERE event.event_id = arrived.event_id);
UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(event_id) FROM arrived))
WHERE name = 'event';
COMMIT;

SELECT count(*), count(DISTINCT event_id) FROM event;

EXECUTE is_new('44444444-4444-4444-4444-444444444444');
DEALLOCATE is_new;

-- Token filters for log search
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

CREATE TABLE log (line_id int, segment int, line text);
INSERT INTO log
SELECT i, (i - 1) / 1000, format('request %s of user%s: %s', i, i % 500,
	CASE WHEN i = 42424 THEN 'payment timeout' WHEN i % 1777 = 0 THEN 'timeout' ELSE 'ok' END)
FROM generate_series(1, 100000) i;
CREATE INDEX ON log (segment);

CREATE TABLE log_words AS
SELECT segment, bloom_agg(word) AS f
FROM log, regexp_split_to_table(lower(line), '[^[:alnum:]]+') word
WHERE word <> '' GROUP BY segment;
ANALYZE log, log_words;

SELECT count(*) AS segments, max(keys) AS words, pg_size_pretty(max(bytes)) AS largest, pg_size_pretty(sum(bytes)) AS all
FROM log_words, bloom_info(f);

SELECT segment FROM log_words WHERE bloom_contains_all(f, '{payment,timeout}'::text[]);

SELECT line_id, line FROM log_words JOIN log USING (segment)
WHERE bloom_contains_all(f, '{payment,timeout}'::text[])
	AND lower(line) ~ '\mpayment\M' AND lower(line) ~ '\mtimeout\M';

-- Filters of other systems
DROP SCHEMA recipe CASCADE;
CREATE SCHEMA recipe;

SELECT length(f) AS bytes, external_bloom_contains(f, 'guava', 'postgres') AS known
FROM (SELECT external_bloom_agg(word, 'guava', 0.01) AS f
	FROM unnest('{bloom,filter,postgres}'::text[]) word) s;

DROP SCHEMA recipe CASCADE;
