--
-- The statements of doc/recipes.md and doc/special-cases.md, each recipe in a schema of its own;
-- test/check/docs compares them.  Keyword lists and token filters are on no page,
-- breached passwords without statements
--
\a\t

SET client_min_messages = warning;

-- Pre-filter a join
CREATE SCHEMA prefilter; SET search_path = prefilter, public;
CREATE TABLE customer AS SELECT id, id % 50 AS country FROM generate_series(1, 10000) id;
CREATE TABLE visit AS SELECT i AS visit_id, i AS customer_id FROM generate_series(1, 100000) i;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'country 7', bloom_agg(id) FROM customer WHERE country = 7;
ANALYZE customer, visit, filter;

SELECT count(*) FROM visit JOIN customer ON customer_id = id
WHERE country = 7
	AND bloom_contains((SELECT bloom_agg(id) FROM customer WHERE country = 7), customer_id);

SELECT count(*) FROM visit JOIN customer ON customer_id = id
WHERE country = 7
	AND bloom_contains((SELECT f FROM filter WHERE name = 'country 7'), customer_id) IS NOT FALSE;

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
	AND bloom_contains((SELECT f FROM filter WHERE name = ''country 7''), customer_id) IS NOT FALSE') AS stored,
	nodes(', filter WHERE country = 7 AND name = ''country 7'' AND bloom_contains(f, customer_id)') AS joined
\gx
-- without the row of the filter
BEGIN;
DELETE FROM filter;
SELECT count(*) FROM visit JOIN customer ON customer_id = id
WHERE country = 7
	AND bloom_contains((SELECT f FROM filter WHERE name = 'country 7'), customer_id) IS NOT FALSE;
ROLLBACK;

-- Does it work? Read EXPLAIN: the scan with the filter, and how often the filter was read
CREATE FUNCTION plan_nodes(plan json) RETURNS TABLE (node json) LANGUAGE sql AS
$$
SELECT $1
UNION ALL
SELECT plan_nodes(part) FROM json_array_elements(CASE WHEN $1 -> 'Plans' IS NULL THEN '[]' ELSE $1 -> 'Plans' END) part
$$;
CREATE FUNCTION seen(query text) RETURNS TABLE (node text, kind text, condition text, removed int, loops int) LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY SELECT concat(p.node ->> 'Node Type', ' ' || (p.node ->> 'Relation Name')), p.node ->> 'Parent Relationship',
		CASE WHEN p.node ->> 'Filter' LIKE '%bloom_contains%' THEN 'Filter'
			WHEN p.node ->> 'Join Filter' LIKE '%bloom_contains%' THEN 'Join Filter' END,
		coalesce(p.node ->> 'Rows Removed by Filter', p.node ->> 'Rows Removed by Join Filter')::int, (p.node ->> 'Actual Loops')::int
	FROM plan_nodes(plan -> 0 -> 'Plan') p
	WHERE p.node ->> 'Relation Name' = 'filter' OR concat(p.node ->> 'Filter', p.node ->> 'Join Filter') LIKE '%bloom_contains%'
	ORDER BY 1;
END
$$;
SELECT * FROM seen($$SELECT count(*) FROM visit JOIN customer ON customer_id = id
	WHERE country = 7
	AND bloom_contains((SELECT f FROM filter WHERE name = 'country 7'), customer_id) IS NOT FALSE$$);
SELECT * FROM seen($$SELECT count(*) FROM visit JOIN customer ON customer_id = id, filter
	WHERE country = 7 AND name = 'country 7' AND bloom_contains(f, customer_id)$$);
-- a sub-select that refers to the row is run for each
SELECT node, loops FROM seen($$SELECT count(*) FROM visit
	WHERE bloom_contains((SELECT f FROM filter WHERE name = 'country 7' AND visit_id > 0), customer_id)$$) WHERE node ~ 'filter$';
DROP SCHEMA prefilter CASCADE;

-- Is this user name taken?
CREATE SCHEMA user_name; SET search_path = user_name, public;
CREATE TABLE account (id int, name text PRIMARY KEY);
INSERT INTO account SELECT i, 'user' || i FROM generate_series(1, 100000) i;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'account', bloom_agg(name, 200000, 0.01) FROM account;

PREPARE find_account(text) AS
SELECT id FROM account
WHERE name = $1 AND bloom_contains((SELECT f FROM filter WHERE name = 'account'), $1) IS NOT FALSE;

EXECUTE find_account('user4711');

EXECUTE find_account('nobody');
-- the table is not read if the filter says no
CREATE FUNCTION not_read(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found boolean = false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		found = found OR line ~ ' on account .*never executed';
	END LOOP;
	RETURN found;
END $$;
SELECT not_read($$EXECUTE find_account('user4711')$$) AS present, not_read($$EXECUTE find_account('nobody')$$) AS absent;
-- without the filter every key passes
BEGIN;
DELETE FROM filter;
EXECUTE find_account('user4711');
ROLLBACK;
DEALLOCATE find_account;
DROP SCHEMA user_name CASCADE;

-- Keyword list, spam list
CREATE SCHEMA list; SET search_path = list, public;
CREATE TABLE blocked (sender text PRIMARY KEY);
INSERT INTO blocked SELECT 'user' || i || '@example.org' FROM generate_series(1, 50000) i;
INSERT INTO blocked VALUES ('spam.example');
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'blocked', bloom_agg(sender, 0.001) FROM blocked;

\a\t
SELECT address
FROM unnest('{User17@example.org,friend@example.org,anyone@Spam.example}'::text[]) address,
	LATERAL (SELECT ARRAY[lower(address), split_part(lower(address), '@', 2)]) s (keys)
WHERE bloom_contains_any((SELECT f FROM filter WHERE name = 'blocked'), keys) IS NOT FALSE
	AND EXISTS (SELECT FROM blocked WHERE sender = ANY (keys));
\a\t

-- the table decides, also without the row of the filter
BEGIN;
DELETE FROM filter;
SELECT address
FROM unnest('{User17@example.org,friend@example.org,anyone@Spam.example}'::text[]) address,
	LATERAL (SELECT ARRAY[lower(address), split_part(lower(address), '@', 2)]) s (keys)
WHERE bloom_contains_any((SELECT f FROM filter WHERE name = 'blocked'), keys) IS NOT FALSE
	AND EXISTS (SELECT FROM blocked WHERE sender = ANY (keys));
ROLLBACK;
-- a short list is exact
INSERT INTO filter VALUES ('keyword', bloom_add_all(bloom_create(1000), '{index,table,vacuum}'::text[]));
SELECT bloom_contains_any(f, words) AS any, bloom_contains_all(f, words) AS all, bloom_missing(f, words) AS missing
FROM regexp_split_to_array('vacuum the kitchen table', ' ') words LEFT JOIN filter ON name = 'keyword';
DROP SCHEMA list CASCADE;

-- Unique across partitions
CREATE SCHEMA unique_key; SET search_path = unique_key, public;
CREATE TABLE payment (day date NOT NULL, request_id uuid NOT NULL, amount int) PARTITION BY RANGE (day);
CREATE TABLE payment_1 PARTITION OF payment FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');
CREATE TABLE payment_2 PARTITION OF payment FOR VALUES FROM ('2026-01-02') TO ('2026-01-03');
CREATE INDEX ON payment USING bloom_pages (request_id);

CREATE FUNCTION add_payment(day date, request uuid, amount int) RETURNS boolean
	LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(bloom_key_to_bigint(bloom_key(request)));
	INSERT INTO payment SELECT $1, $2, $3
	WHERE NOT EXISTS (SELECT FROM payment WHERE request_id = request);
	RETURN FOUND;
END $$;

\a\t
SELECT add_payment('2026-01-01', md5('4711')::uuid, 10) AS first, add_payment('2026-01-02', md5('4711')::uuid, 10) AS again;
\a\t
-- two hundred requests, each on both days
SELECT count(*) FILTER (WHERE added) AS added, count(*) FROM (
	SELECT add_payment(date '2026-01-01' + i % 2, md5((i / 2)::text)::uuid, i) AS added FROM generate_series(0, 399) i) s;
SELECT count(*), count(DISTINCT request_id) AS different FROM payment;
DROP SCHEMA unique_key CASCADE;

-- Keys that expire
CREATE SCHEMA expiring; SET search_path = expiring, public;
CREATE TABLE message (day date NOT NULL DEFAULT current_date, message_id text NOT NULL) PARTITION BY RANGE (day);
CREATE INDEX ON message USING bloom_pages (message_id);

DO $$
DECLARE
	old regclass;
BEGIN
	FOR i IN 0..1 LOOP
		EXECUTE format('CREATE TABLE IF NOT EXISTS message_%s PARTITION OF message FOR VALUES FROM (%L) TO (%L)',
			to_char(current_date + i, 'YYYYMMDD'), current_date + i, current_date + i + 1);
	END LOOP;
	FOR old IN
		SELECT oid FROM pg_class JOIN pg_inherits ON inhrelid = oid
		WHERE inhparent = 'message'::regclass AND relname < 'message_' || to_char(current_date - 7, 'YYYYMMDD')
	LOOP
		EXECUTE format('DROP TABLE %s', old);
	END LOOP;
END $$;

INSERT INTO message (message_id) VALUES ('message 4711');
SELECT EXISTS (SELECT FROM message WHERE message_id = 'message 4711' AND day >= current_date - 7);

SELECT EXISTS (SELECT FROM message WHERE message_id = 'message 4712' AND day >= current_date - 7);
-- the partition of tomorrow has its index; what is older than a week goes
SELECT count(*) AS indexes FROM bloom_pages_info('message_message_id_idx');
DO $$
BEGIN
	FOR i IN 7..9 LOOP
		EXECUTE format('CREATE TABLE message_%s PARTITION OF message FOR VALUES FROM (%L) TO (%L)',
			to_char(current_date - i, 'YYYYMMDD'), current_date - i, current_date - i + 1);
	END LOOP;
END $$;
SELECT count(*) AS indexes FROM bloom_pages_info('message_message_id_idx');
DO $$
DECLARE
	old regclass;
BEGIN
	FOR i IN 0..1 LOOP
		EXECUTE format('CREATE TABLE IF NOT EXISTS message_%s PARTITION OF message FOR VALUES FROM (%L) TO (%L)',
			to_char(current_date + i, 'YYYYMMDD'), current_date + i, current_date + i + 1);
	END LOOP;
	FOR old IN
		SELECT oid FROM pg_class JOIN pg_inherits ON inhrelid = oid
		WHERE inhparent = 'message'::regclass AND relname < 'message_' || to_char(current_date - 7, 'YYYYMMDD')
	LOOP
		EXECUTE format('DROP TABLE %s', old);
	END LOOP;
END $$;
SELECT count(*) AS indexes FROM bloom_pages_info('message_message_id_idx');
DROP SCHEMA expiring CASCADE;

-- Anti-join: NOT EXISTS
CREATE SCHEMA load; SET search_path = load, public;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);

CREATE TABLE event (event_id bigint NOT NULL, payload text);
CREATE INDEX ON event (event_id);
INSERT INTO event SELECT i, 'old' FROM generate_series(1, 100000) i;
INSERT INTO filter SELECT 'event', bloom_agg(event_id, 1000000, 0.01) FROM event;
CREATE TABLE arrived AS SELECT i AS event_id, 'new' AS payload FROM generate_series(99001, 110000) i;

BEGIN;
LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO event
SELECT DISTINCT ON (event_id) event_id, payload FROM arrived
WHERE NOT bloom_contains((SELECT f FROM filter WHERE name = 'event'), event_id)
	OR (SELECT count(*) FROM event WHERE event.event_id = arrived.event_id) = 0;
UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(event_id) FROM arrived)) WHERE name = 'event';
COMMIT;

SELECT payload, count(*) FROM event GROUP BY payload ORDER BY payload;
-- the table is asked through its index, for the rows that pass, analyzed or not
CREATE FUNCTION how_asked(query text) RETURNS TABLE (by_index boolean, scanned boolean, look_ups int) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	by_index = false;
	scanned = false;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		by_index = by_index OR line ~ 'event_event_id_idx';
		scanned = scanned OR line ~ 'Seq Scan on event|Anti Join|hashed SubPlan';
		look_ups = coalesce(substring(line FROM '-> +Aggregate .*loops=(\d+)')::int, look_ups);
	END LOOP;
	RETURN NEXT;
END $$;
CREATE TABLE again AS SELECT i AS event_id, 'new' AS payload FROM generate_series(109001, 120000) i;
SELECT by_index, scanned, look_ups BETWEEN 1000 AND 1200 AS those_that_pass
FROM how_asked($$SELECT DISTINCT ON (event_id) event_id, payload FROM again
WHERE NOT bloom_contains((SELECT f FROM filter WHERE name = 'event'), event_id)
	OR (SELECT count(*) FROM event WHERE event.event_id = again.event_id) = 0$$);
ANALYZE event, again, filter;
SELECT by_index, scanned, look_ups BETWEEN 1000 AND 1200 AS those_that_pass
FROM how_asked($$SELECT DISTINCT ON (event_id) event_id, payload FROM again
WHERE NOT bloom_contains((SELECT f FROM filter WHERE name = 'event'), event_id)
	OR (SELECT count(*) FROM event WHERE event.event_id = again.event_id) = 0$$);
-- a filter that is missing: every row is looked up
SELECT by_index, look_ups FROM how_asked($$SELECT event_id FROM again
WHERE NOT bloom_contains((SELECT f FROM filter WHERE name = 'none'), event_id)
	OR (SELECT count(*) FROM event WHERE event.event_id = again.event_id) = 0$$);
SELECT count(*) AS missing FROM arrived WHERE NOT EXISTS (SELECT FROM event WHERE event.event_id = arrived.event_id);
SELECT bool_and(f @> event_id) AS all_known FROM filter, event WHERE name = 'event';
DROP SCHEMA load CASCADE;

-- Deduplicate an event stream
CREATE SCHEMA dedupe; SET search_path = dedupe, public;
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
-- an event that was accepted comes again, together with a new one
INSERT INTO incoming VALUES (md5('1')::uuid), (md5('1501')::uuid);
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
DROP SCHEMA dedupe CASCADE;

-- One filter for each row
CREATE SCHEMA each_row; SET search_path = each_row, public;
CREATE TABLE post AS SELECT post_id FROM generate_series(1, 1000) post_id;
CREATE TABLE reader (reader_id int PRIMARY KEY, seen bloom NOT NULL DEFAULT bloom_create(1000))
	WITH (fillfactor = 50);
INSERT INTO reader SELECT generate_series(1, 100);

\a\t
UPDATE reader SET seen = bloom_add_all(seen, ARRAY(SELECT ROW(7, post_id) FROM post WHERE post_id <= 997))
WHERE reader_id = 7;

SELECT post_id FROM post
WHERE bloom_contains((SELECT seen FROM reader WHERE reader_id = 7), ROW(7, post_id)) IS NOT TRUE;
\a\t

SELECT reader_id FROM reader WHERE bloom_contains(seen, ROW(reader_id, 500));

-- of a reader without a row, or whose filter is of another id, every post is new
SELECT count(*) FROM post
WHERE bloom_contains((SELECT seen FROM reader WHERE reader_id = 101), ROW(101, post_id)) IS NOT TRUE;
SELECT count(*) > 950 AS nearly_all FROM post
WHERE bloom_contains((SELECT seen FROM reader WHERE reader_id = 7), ROW(8, post_id)) IS NOT TRUE;
-- false positives differ from row to row, with the id as a part of the key; else they are the same
UPDATE reader SET seen = bloom_add_all(bloom_create(1000), ARRAY(SELECT ROW(reader_id, post_id) FROM post WHERE post_id <= 1000));
SELECT max(times) < 10 AS differ
FROM (SELECT count(*) AS times FROM reader, generate_series(1001, 11000) post_id
	WHERE bloom_contains(seen, ROW(reader_id, post_id)) GROUP BY post_id) s;
SELECT octet_length(seen::bytea) AS bytes, layers FROM reader, bloom_info(seen) GROUP BY 1, 2;
DROP SCHEMA each_row CASCADE;

-- Rebuild and swap
CREATE SCHEMA rebuild; SET search_path = rebuild, public;
CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer;
DELETE FROM customer WHERE id <= 40000;

BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id) FROM customer) WHERE name = 'customer';
COMMIT;

SELECT count(*) FILTER (WHERE id > 40000) AS customers, count(*) FILTER (WHERE id <= 40000) AS deleted
FROM generate_series(1, 100000) id WHERE (SELECT f FROM filter WHERE name = 'customer') @> id;
DROP SCHEMA rebuild CASCADE;

-- Rebuild what has outgrown its size
\a\t
CREATE SCHEMA outgrown; SET search_path = outgrown, public;
CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter VALUES ('customer', bloom_add_all(bloom_create(1), ARRAY(SELECT id FROM customer)));

SELECT name, layers, round(bytes::numeric, 1) AS bytes, round(probes::numeric, 1) AS probes
FROM filter, bloom_overhead(f) WHERE fpp > 2 OR bytes > 1.5 OR bytes IS NULL AND layers > 1;
\a\t

BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id, 2 * (SELECT count(*) FROM customer), 0.01) FROM customer)
WHERE name = 'customer';
COMMIT;

SELECT name, layers, round(bytes::numeric, 1) AS bytes, round(probes::numeric, 1) AS probes, round(fpp::numeric, 1) AS fpp
FROM filter, bloom_overhead(f);
-- too many keys to tell how many: it is listed, too
BEGIN;
SET LOCAL client_min_messages = error;
UPDATE filter SET f = (SELECT bloom_agg(id, 1000, 0.01) FROM customer);
COMMIT;
SELECT name, bytes, layers, fpp > 2 AS too_full
FROM filter, bloom_overhead(f) WHERE fpp > 2 OR bytes > 1.5 OR bytes IS NULL AND layers > 1;
BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(id, 2 * (SELECT count(*) FROM customer), 0.01) FROM customer)
WHERE name = 'customer';
COMMIT;
SELECT round(bytes::numeric, 1) AS bytes, layers, fpp > 2 AS too_full FROM filter, bloom_overhead(f);
DROP SCHEMA outgrown CASCADE;

-- Materialized view
CREATE SCHEMA refreshed; SET search_path = refreshed, public;
CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;

CREATE MATERIALIZED VIEW customer_filter AS
	SELECT 'customer' AS name, bloom_agg(id) AS f FROM customer;
CREATE UNIQUE INDEX ON customer_filter (name);

INSERT INTO customer VALUES (987654321);

REFRESH MATERIALIZED VIEW CONCURRENTLY customer_filter;

SELECT f @> 987654321 AS known FROM customer_filter;
DROP SCHEMA refreshed CASCADE;

-- Delete from a cuckoo filter
CREATE SCHEMA member; SET search_path = member, public;

CREATE TABLE member (id int PRIMARY KEY);
CREATE TABLE member_filter (f cuckoo NOT NULL);
INSERT INTO member_filter VALUES (cuckoo_create(50000));

CREATE FUNCTION follow_members() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'TRUNCATE' THEN
		UPDATE member_filter SET f = cuckoo_add_all(cuckoo_create(50000), ARRAY(SELECT id FROM member));
	END IF;
	IF TG_OP IN ('DELETE', 'UPDATE') THEN
		UPDATE member_filter SET f = cuckoo_remove_all(f, ARRAY(SELECT id FROM gone));
	END IF;
	IF TG_OP IN ('INSERT', 'UPDATE') THEN
		UPDATE member_filter SET f = cuckoo_add_all(f, ARRAY(SELECT id FROM come));
	END IF;
	RETURN NULL;
END $$;

CREATE TRIGGER come AFTER INSERT ON member REFERENCING NEW TABLE AS come EXECUTE FUNCTION follow_members();
CREATE TRIGGER gone AFTER DELETE ON member REFERENCING OLD TABLE AS gone EXECUTE FUNCTION follow_members();
CREATE TRIGGER changed AFTER UPDATE ON member REFERENCING OLD TABLE AS gone NEW TABLE AS come
	EXECUTE FUNCTION follow_members();
CREATE TRIGGER emptied AFTER TRUNCATE ON member EXECUTE FUNCTION follow_members();
ALTER TABLE member ENABLE ALWAYS TRIGGER come, ENABLE ALWAYS TRIGGER gone,
	ENABLE ALWAYS TRIGGER changed, ENABLE ALWAYS TRIGGER emptied;

INSERT INTO member SELECT generate_series(1, 1000);
DELETE FROM member WHERE id % 3 = 0;
UPDATE member SET id = id + 10000 WHERE id % 3 = 1;
SELECT count(*) AS members, count(*) FILTER (WHERE (SELECT f FROM member_filter) @> id) AS found,
	(SELECT cuckoo_cardinality(f) FROM member_filter) AS keys
FROM member;
-- statements that change no row
INSERT INTO member SELECT 1 WHERE false;
UPDATE member SET id = -id WHERE false;
DELETE FROM member WHERE false;
-- TRUNCATE, and a session in which other triggers do not fire
BEGIN;
TRUNCATE member;
INSERT INTO member SELECT generate_series(1, 10);
SET LOCAL session_replication_role = replica;
INSERT INTO member SELECT generate_series(11, 20);
UPDATE member SET id = id + 100 WHERE id > 15;
DELETE FROM member WHERE id < 5;
SELECT count(*) AS members, bool_and(f @> id) AS all_found, cuckoo_cardinality(f) AS keys FROM member, member_filter GROUP BY f;
TRUNCATE member;
SELECT cuckoo_cardinality(f) AS keys FROM member_filter;
ROLLBACK;
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
-- error: the filter is full, and the statement on the table fails
\set VERBOSITY terse
INSERT INTO member SELECT generate_series(100001, 200000);
\set VERBOSITY default
SELECT keys, keys > 0.9 * capacity AS nearly_full, (SELECT count(*) FROM member) AS members FROM member_filter, cuckoo_info(f);
-- one that is made larger takes them
BEGIN;
LOCK TABLE member IN SHARE MODE;
UPDATE member_filter SET f = (SELECT cuckoo_agg(id, 150000, 0.01) FROM member);
COMMIT;
INSERT INTO member SELECT generate_series(100001, 200000);
SELECT count(*) AS members, count(*) FILTER (WHERE (SELECT f FROM member_filter) @> id) AS found,
	(SELECT cuckoo_cardinality(f) FROM member_filter) AS keys
FROM member;
DROP SCHEMA member CASCADE;

-- Delete from a counting filter
\a\t
CREATE SCHEMA counted; SET search_path = counted, public;
CREATE TABLE present (online counting_bloom NOT NULL);
INSERT INTO present VALUES (counting_bloom_create(10000));

UPDATE present SET online = counting_bloom_add_all(online, ARRAY['anna', 'ben', 'ben']);
UPDATE present SET online = counting_bloom_remove_all(online, ARRAY['anna', 'ben']);

SELECT online @> 'anna' AS anna, online @> 'ben' AS ben, counting_bloom_count(online, 'ben') AS times FROM present;
\a\t
DROP SCHEMA counted CASCADE;

-- A billion keys
CREATE SCHEMA billion; SET search_path = billion, public;
CREATE TABLE event AS SELECT i AS event_id FROM generate_series(1::bigint, 100000) i;

CREATE FUNCTION event_partition(id bigint) RETURNS int
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(id, 16);
-- lets the planner aggregate in memory, and in parallel
CREATE STATISTICS event_partition ON (event_partition(event_id)) FROM event;
ANALYZE event;
CREATE TABLE event_filter (partition int PRIMARY KEY, f bloom NOT NULL);
INSERT INTO event_filter
SELECT event_partition(event_id), bloom_agg(event_id, 10000, 0.001) FROM event GROUP BY 1;

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

SELECT count(*) AS asked, count(*) FILTER (WHERE bloom_contains(f, event_id)) AS found, count(DISTINCT partition) AS partitions,
	(SELECT max(layers) FROM event_filter, bloom_info(f)) AS layers
FROM event JOIN event_filter ON partition = event_partition(event_id);
DROP SCHEMA billion CASCADE;

-- Breached passwords
CREATE SCHEMA breach; SET search_path = breach, public;
CREATE TABLE line (line text);
INSERT INTO line VALUES ('5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:10434004');

CREATE TABLE breached (part int PRIMARY KEY, f bloom NOT NULL);
INSERT INTO breached
SELECT bloom_partition(sha1, 32), bloom_agg(sha1, 1000, 0.001)
FROM (SELECT decode(split_part(line, ':', 1), 'hex') FROM line) s (sha1) GROUP BY 1;

PREPARE is_breached(bytea) AS
SELECT bloom_contains((SELECT f FROM breached WHERE part = bloom_partition($1, 32)), $1) IS NOT FALSE AS breached;

\a\t
EXECUTE is_breached('\x5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8');
\a\t

-- with a list that has a key for each filter, others are not breached
INSERT INTO line SELECT upper(left(encode(sha256(i::text::bytea), 'hex'), 40)) || ':1' FROM generate_series(1, 2000) i;
TRUNCATE breached;
INSERT INTO breached
SELECT bloom_partition(sha1, 32), bloom_agg(sha1, 1000, 0.001)
FROM (SELECT decode(split_part(line, ':', 1), 'hex') FROM line) s (sha1) GROUP BY 1;
SELECT count(*) AS filters, sum(keys) AS keys FROM breached, bloom_info(f);
EXECUTE is_breached('\x5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8');
EXECUTE is_breached('\x0000000000000000000000000000000000000000');
DEALLOCATE is_breached;
DROP SCHEMA breach CASCADE;

-- Partitions
CREATE SCHEMA partitions; SET search_path = partitions, public;
CREATE TABLE reading (day date NOT NULL, reading_id uuid NOT NULL, value int) PARTITION BY RANGE (day);
CREATE TABLE reading_1 PARTITION OF reading FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');
CREATE TABLE reading_2 PARTITION OF reading FOR VALUES FROM ('2026-01-02') TO ('2026-01-03');
CREATE TABLE reading_3 PARTITION OF reading FOR VALUES FROM ('2026-01-03') TO ('2026-01-04');
CREATE INDEX ON reading (reading_id);
INSERT INTO reading SELECT date '2026-01-01' + i % 3, md5(i::text)::uuid, i FROM generate_series(1, 30000) i;

CREATE TABLE reading_filter (partition regclass PRIMARY KEY, f bloom);
INSERT INTO reading_filter
SELECT tableoid, bloom_agg(reading_id, 0.001) FROM reading WHERE day < '2026-01-03' GROUP BY tableoid
ON CONFLICT (partition) DO UPDATE SET f = excluded.f;

SELECT partition, keys FROM reading_filter, bloom_info(f) ORDER BY partition;

-- Many partitions: planning time
\a\t
CREATE FUNCTION find_reading(key uuid) RETURNS SETOF reading LANGUAGE plpgsql STABLE AS $$
DECLARE
	bounds text;
BEGIN
	FOR bounds IN
		SELECT coalesce(pg_get_partition_constraintdef(relid), 'true')
		FROM pg_partition_tree('reading') LEFT JOIN reading_filter ON partition = relid
		WHERE isleaf AND bloom_contains(f, key) IS NOT FALSE
	LOOP
		RETURN QUERY EXECUTE 'SELECT * FROM reading WHERE reading_id = $1 AND ' || bounds USING key;
	END LOOP;
END $$;

SELECT reading_id, value FROM find_reading(md5('4711')::uuid);
\a\t

PREPARE count_known(bloom) AS
SELECT count(*) FROM reading WHERE bloom_contains((SELECT $1), reading_id);

-- of three partitions, those that may have the key; the third has no filter yet
CREATE FUNCTION searched(key uuid) RETURNS TABLE (partition regclass, scans bigint) LANGUAGE plpgsql AS $$
DECLARE
	bounds text;
	plan json;
BEGIN
	FOR partition, bounds IN
		SELECT relid, pg_get_partition_constraintdef(relid)
		FROM pg_partition_tree('reading') LEFT JOIN reading_filter r ON r.partition = relid
		WHERE isleaf AND bloom_contains(f, key) IS NOT FALSE ORDER BY relid
	LOOP
		EXECUTE format('EXPLAIN (FORMAT JSON) SELECT * FROM reading WHERE reading_id = %L AND ', key) || bounds INTO plan;
		scans = (SELECT count(*) FROM regexp_matches(plan::text, '"Relation Name"', 'g'));
		RETURN NEXT;
	END LOOP;
END $$;
ANALYZE reading;
SELECT * FROM searched(md5('4711')::uuid);
INSERT INTO reading_filter
SELECT tableoid, bloom_agg(reading_id, 0.001) FROM reading GROUP BY tableoid
ON CONFLICT (partition) DO UPDATE SET f = excluded.f;
SELECT * FROM searched(md5('4711')::uuid);
SELECT * FROM searched(md5('absent')::uuid);
-- those whose filter is not made, and those of which nobody has said anything: new, attached, the default
BEGIN;
UPDATE reading_filter SET f = NULL WHERE partition = 'reading_1'::regclass;
CREATE TABLE reading_4 PARTITION OF reading FOR VALUES FROM ('2026-01-04') TO ('2026-01-05');
CREATE TABLE reading_5 (LIKE reading INCLUDING ALL);
INSERT INTO reading_5 VALUES ('2026-01-05', md5('attached')::uuid, 5);
ALTER TABLE reading ATTACH PARTITION reading_5 FOR VALUES FROM ('2026-01-05') TO ('2026-01-06');
CREATE TABLE reading_other PARTITION OF reading DEFAULT;
INSERT INTO reading VALUES ('2026-01-01', md5('not made')::uuid, 1), ('2026-01-04', md5('new')::uuid, 4), ('2027-01-01', md5('default')::uuid, 6);
SELECT key, day, value FROM unnest('{not made,new,attached,default}'::text[]) key, find_reading(md5(key)::uuid) ORDER BY value;
SELECT * FROM searched(md5('new')::uuid);
ROLLBACK;
-- a default partition alone has no bounds
BEGIN;
ALTER TABLE reading DETACH PARTITION reading_1;
ALTER TABLE reading DETACH PARTITION reading_2;
ALTER TABLE reading DETACH PARTITION reading_3;
CREATE TABLE reading_other PARTITION OF reading DEFAULT;
INSERT INTO reading VALUES ('2026-01-01', md5('default')::uuid, 6);
SELECT day, value FROM find_reading(md5('default')::uuid);
ROLLBACK;

-- how often a plan has the filter
EXECUTE count_known(bloom_add_all(bloom_create(1000), ARRAY[md5('4711'), md5('4712')]::uuid[]));
PREPARE count_copied(bloom) AS
SELECT count(*) FROM reading WHERE bloom_contains($1, reading_id);
CREATE FUNCTION copies(statement text, f bloom) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE %s(%L)', statement, f) INTO plan;
	RETURN (length(plan::text) - length(replace(plan::text, f::text, ''))) / length(f::text);
END $$;
SET plan_cache_mode = force_custom_plan;
SELECT copies('count_known', f) AS as_sub_select, copies('count_copied', f) AS as_parameter
FROM (SELECT bloom_agg(i) FROM generate_series(1, 100) i) s(f);
RESET plan_cache_mode;
DEALLOCATE count_known;
DEALLOCATE count_copied;
-- a filter of the whole table, of those of its partitions
SET enable_partitionwise_aggregate = on;
SELECT name, keys, layers
FROM (SELECT 'reading' AS name, bloom_union_agg(f) AS f
	FROM (SELECT bloom_agg(reading_id, 100000, 0.001) AS f FROM reading GROUP BY day) s) t, bloom_info(f);
RESET enable_partitionwise_aggregate;
DROP SCHEMA partitions CASCADE;

-- Citus
CREATE SCHEMA distributed; SET search_path = distributed, public;
CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE visit (visit_id int, customer_id int);
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);

INSERT INTO customer SELECT generate_series(1, 10000);
INSERT INTO visit SELECT i, i * 7919 % 100000 FROM generate_series(1, 100000) i;

SET citus.enable_repartition_joins = on;
WITH passed AS MATERIALIZED (
	SELECT * FROM visit
	WHERE bloom_contains((SELECT bloom_agg(bloom_key(id)) FROM customer), customer_id))
SELECT count(*)
FROM passed JOIN customer ON id = customer_id;

RESET citus.enable_repartition_joins;
INSERT INTO filter SELECT 'customer', bloom_agg(bloom_key(id)) FROM customer;
SELECT f = (SELECT bloom_agg(id) FROM customer) AS same_bytes FROM filter;
-- what Anti-join has to change
CREATE TABLE event (event_id bigint NOT NULL, payload text);
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
DROP SCHEMA distributed CASCADE;

-- Which files hold an id
CREATE SCHEMA files; SET search_path = files, public;
CREATE TABLE file (file_id bigint PRIMARY KEY, path text NOT NULL, f bloom);
CREATE INDEX file_without_filter ON file (file_id) WHERE f IS NULL;
INSERT INTO file
SELECT file_id, format('/archive/%s.csv', file_id), bloom_agg(file_id * 1000 + i, 300, 0.0001)
FROM generate_series(0::bigint, 1999) file_id, generate_series(1, 300) i GROUP BY file_id;
CREATE TABLE file_matrix (part bigint PRIMARY KEY, m bloom_matrix NOT NULL);
INSERT INTO file_matrix
SELECT file_id / 1024, bloom_matrix_agg(file_id, f) FROM file GROUP BY file_id / 1024;
ANALYZE file, file_matrix;

CREATE VIEW unpacked AS
SELECT file_id, f FROM file WHERE f IS NULL
UNION ALL
SELECT file_id, f
FROM generate_series(0, (SELECT max(file_id) FROM file) / 1024) part
	JOIN file ON file_id BETWEEN part * 1024 AND part * 1024 + 1023
WHERE f IS NOT NULL AND NOT EXISTS (SELECT FROM file_matrix WHERE file_matrix.part = part.part);

SELECT file_id, path FROM file
WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search(m, 1234056) FROM file_matrix
	UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains(f, 1234056) IS NOT FALSE));

-- any of several keys; many keys, each with its own answer
SELECT file_id, path FROM file
WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[7001, 1234056]) FROM file_matrix
	UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains_any(f, ARRAY[7001, 1234056]) IS NOT FALSE))
ORDER BY file_id;
CREATE TABLE asked AS SELECT i * 1000 + 7 AS id FROM generate_series(1::bigint, 1000) i;
SELECT count(*) AS pairs, count(DISTINCT id) AS ids
FROM (SELECT id, file_id FROM file_matrix, asked, LATERAL bloom_matrix_search(m, id) file_id
	UNION ALL SELECT id, file_id FROM asked, unpacked WHERE bloom_contains(f, id) IS NOT FALSE) s;

BEGIN;
LOCK TABLE file_matrix IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO file
SELECT 2048, '/archive/2048.csv', bloom_agg(2048000 + i, 300, 0.0001) FROM generate_series(1, 300) i;
INSERT INTO file_matrix
SELECT file_id / 1024, bloom_matrix_agg(file_id, f) FROM file
WHERE file_id BETWEEN 2048 / 1024 * 1024 AND 2048 / 1024 * 1024 + 1023 GROUP BY file_id / 1024
ON CONFLICT (part) DO UPDATE SET m = excluded.m;
COMMIT;

SELECT part, bloom_matrix_search(m, 2048007) AS file_id FROM file_matrix;
-- the same of a part that has a matrix
INSERT INTO file
SELECT 2000, '/archive/2000.csv', bloom_agg(2000000 + i, 300, 0.0001) FROM generate_series(1, 300) i;
INSERT INTO file_matrix
SELECT file_id / 1024, bloom_matrix_agg(file_id, f) FROM file
WHERE file_id BETWEEN 2000 / 1024 * 1024 AND 2000 / 1024 * 1024 + 1023 GROUP BY file_id / 1024
ON CONFLICT (part) DO UPDATE SET m = excluded.m;
SELECT part, bloom_matrix_search(m, 2000007) AS file_id FROM file_matrix;
SELECT bloom_matrix_filter(m, 1500) = f AS same FROM file_matrix, file WHERE part = 1500 / 1024 AND file_id = 1500;
-- each id is looked up in the index
CREATE FUNCTION pg_temp.uses_index(query text, index text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan::text LIKE '%"Index Name": "' || index || '"%';
END
$$;
SELECT pg_temp.uses_index($$SELECT file_id, path FROM file
	WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search(m, 1234056) FROM file_matrix
		UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains(f, 1234056) IS NOT FALSE))$$, 'file_pkey');
-- a file without a filter is not in the matrix of its part, and is a candidate
BEGIN;
INSERT INTO file VALUES (2001, '/archive/2001.csv');
INSERT INTO file_matrix
SELECT file_id / 1024, bloom_matrix_agg(file_id, f) FROM file
WHERE file_id BETWEEN 2001 / 1024 * 1024 AND 2001 / 1024 * 1024 + 1023 GROUP BY file_id / 1024
ON CONFLICT (part) DO UPDATE SET m = excluded.m;
SELECT file_id, path FROM file
WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search(m, 1234056) FROM file_matrix
	UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains(f, 1234056) IS NOT FALSE));
SELECT file_id, path FROM file
WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[7001, 1234056]) FROM file_matrix
	UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains_any(f, ARRAY[7001, 1234056]) IS NOT FALSE))
ORDER BY file_id;
SELECT count(*) AS pairs, count(DISTINCT id) AS ids
FROM (SELECT id, file_id FROM file_matrix, asked, LATERAL bloom_matrix_search(m, id) file_id
	UNION ALL SELECT id, file_id FROM asked, unpacked WHERE bloom_contains(f, id) IS NOT FALSE) s;
ROLLBACK;
-- of a part without a matrix, the filters are asked
BEGIN;
DELETE FROM file_matrix WHERE part = 1;
SELECT file_id, path FROM file
WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search(m, 1234056) FROM file_matrix
	UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains(f, 1234056) IS NOT FALSE));
SELECT file_id, path FROM file
WHERE file_id = ANY (ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[7001, 1234056]) FROM file_matrix
	UNION ALL SELECT file_id FROM unpacked WHERE bloom_contains_any(f, ARRAY[7001, 1234056]) IS NOT FALSE))
ORDER BY file_id;
SELECT count(*) AS pairs, count(DISTINCT id) AS ids
FROM (SELECT id, file_id FROM file_matrix, asked, LATERAL bloom_matrix_search(m, id) file_id
	UNION ALL SELECT id, file_id FROM asked, unpacked WHERE bloom_contains(f, id) IS NOT FALSE) s;
ROLLBACK;
DROP SCHEMA files CASCADE;

-- Choose rate and number
SELECT filters, filters * 0.01 AS false_at_1_percent, fpp, round(bits_per_key::numeric, 1) AS bits_per_key
FROM (VALUES (1000, 0.0001), (10000, 0.00001)) v (filters, fpp), bloom_sizing(100000, fpp);
SELECT capacity, bytes, least(8192, greatest(64, 128 * 1024 * 1024 / bytes / 64 * 64)) AS filters
FROM unnest(ARRAY[1000, 10000, 100000, 1000000]) capacity, bloom_sizing(capacity, 0.01);

-- Pack yesterday's filters
CREATE SCHEMA segments; SET search_path = segments, public;
CREATE TABLE segment_filter (segment bigint PRIMARY KEY, day date NOT NULL, f bloom);
CREATE TABLE segment_matrix (day date NOT NULL, m bloom_matrix NOT NULL);
INSERT INTO segment_filter
SELECT segment, date '2026-03-01' + (segment / 300)::int, bloom_agg(segment * 1000 + i, 500, 0.0001)
FROM generate_series(1::bigint, 700) segment, generate_series(1, 400) i GROUP BY segment;

WITH packed AS (
	DELETE FROM segment_filter WHERE day < '2026-03-03' AND (bloom_info(f)).layers <= 1 RETURNING *)
INSERT INTO segment_matrix
SELECT day, bloom_matrix_agg(segment, f) FROM packed GROUP BY day, segment / 8192;

SELECT bloom_matrix_search(m, 100321) AS segment FROM segment_matrix
UNION ALL
SELECT segment FROM segment_filter WHERE bloom_contains(f, 100321) IS NOT FALSE;

SELECT (SELECT count(*) FROM segment_filter) AS open, to_char(day, 'YYYY-MM-DD') AS day, columns AS packed
FROM segment_matrix, bloom_matrix_info(m) ORDER BY day;
-- two that come late, of which one has outgrown its capacity, and one without a filter stays a row
INSERT INTO segment_filter
SELECT segment, '2026-03-01', bloom_add_all(bloom_create(500, 0.0001), ARRAY(SELECT generate_series(1, keys)))
FROM (VALUES (701, 400), (702, 2000)) late (segment, keys);
INSERT INTO segment_filter VALUES (703, '2026-03-01');
WITH packed AS (
	DELETE FROM segment_filter WHERE day < '2026-03-03' AND (bloom_info(f)).layers <= 1 RETURNING *)
INSERT INTO segment_matrix
SELECT day, bloom_matrix_agg(segment, f) FROM packed GROUP BY day, segment / 8192;
SELECT to_char(day, 'YYYY-MM-DD') AS day, columns AS packed FROM segment_matrix, bloom_matrix_info(m) ORDER BY day, columns;
SELECT segment, layers FROM segment_filter, bloom_info(f) WHERE layers > 1;
SELECT bloom_matrix_search(m, 100321) AS segment FROM segment_matrix
UNION ALL
SELECT segment FROM segment_filter WHERE bloom_contains(f, 100321) IS NOT FALSE;
DROP SCHEMA segments CASCADE;

-- Sets of different sizes
CREATE SCHEMA documents; SET search_path = documents, public;
CREATE TABLE document AS
SELECT document_id, 100 + document_id % 16 / 15 * 3900 AS keys FROM generate_series(0::bigint, 999) document_id;

SELECT class, count(*) AS documents, pg_size_pretty(ceil(count(*) / 64.0) * 64 * max(bytes)) AS matrix
FROM document, LATERAL (SELECT (256 * 4 ^ greatest(0, ceil(log(4, keys / 256.0))))::bigint) s (class),
	bloom_sizing(class, 0.0001)
GROUP BY class ORDER BY class;

SELECT pg_size_pretty(1024 * bytes) AS one_for_all FROM bloom_sizing(4000, 0.0001);
-- a double capacity does not always have a multiple of the blocks
SELECT capacity, blocks FROM unnest(ARRAY[1200, 2400, 4800]) capacity, bloom_sizing(capacity, 0.01);
-- each class is packed by itself, and a search asks all of them
CREATE TABLE document_matrix (class bigint, part bigint, m bloom_matrix NOT NULL, PRIMARY KEY (class, part));
INSERT INTO document_matrix
SELECT class, document_id / 1024,
	bloom_matrix_agg(document_id, bloom_add_all(bloom_create(class, 0.0001), ARRAY(SELECT generate_series(1, keys))))
FROM document, LATERAL (SELECT (256 * 4 ^ greatest(0, ceil(log(4, keys / 256.0))))::bigint) s (class)
GROUP BY class, document_id / 1024;
SELECT class, columns, blocks, pg_size_pretty(bytes) AS size FROM document_matrix, bloom_matrix_info(m) ORDER BY class;
SELECT count(*) AS candidates
FROM (SELECT bloom_matrix_search_all(m, ARRAY[350, 399]) FROM document_matrix
	UNION ALL (SELECT document_id FROM document EXCEPT SELECT bloom_matrix_ids(m) FROM document_matrix)) s;
-- one more document, in no matrix
INSERT INTO document VALUES (1000, 10);
SELECT count(*) AS candidates
FROM (SELECT bloom_matrix_search_all(m, ARRAY[350, 399]) FROM document_matrix
	UNION ALL (SELECT document_id FROM document EXCEPT SELECT bloom_matrix_ids(m) FROM document_matrix)) s;
DROP SCHEMA documents CASCADE;

-- Token filters for log search
CREATE SCHEMA logs; SET search_path = logs, public;
CREATE TABLE log (line_id int, segment int, line text);
INSERT INTO log
SELECT i, (i - 1) / 1000, format('request %s of user%s: %s', i, i % 500,
	CASE WHEN i = 42424 THEN 'payment timeout' WHEN i % 1777 = 0 THEN 'timeout' ELSE 'ok' END)
FROM generate_series(1, 100000) i;
CREATE INDEX ON log (segment);

CREATE TABLE log_words AS
SELECT segment, bloom_agg(word, 2000, 0.001) AS f
FROM log, regexp_split_to_table(lower(line), '[^[:alnum:]]+') word
WHERE word <> '' GROUP BY segment;
ANALYZE log, log_words;

CREATE VIEW segment AS
SELECT segment, f
FROM generate_series((SELECT min(segment) FROM log), (SELECT max(segment) FROM log)) segment
	LEFT JOIN log_words USING (segment);

SELECT line_id, line FROM segment JOIN log USING (segment)
WHERE bloom_contains_all(f, '{payment,timeout}'::text[]) IS NOT FALSE
	AND lower(line) ~ '\mpayment\M' AND lower(line) ~ '\mtimeout\M';

SELECT count(*) AS segments, max(keys) AS words, max(layers) AS layers FROM log_words, bloom_info(f);
SELECT segment FROM segment WHERE bloom_contains_all(f, '{payment,timeout}'::text[]) IS NOT FALSE;
-- a segment without a row, and one without a filter, are searched
BEGIN;
DELETE FROM log_words WHERE segment = 42;
UPDATE log_words SET f = NULL WHERE segment = 99;
SELECT segment FROM segment WHERE bloom_contains_all(f, '{payment,timeout}'::text[]) IS NOT FALSE ORDER BY segment;
SELECT line_id, line FROM segment JOIN log USING (segment)
WHERE bloom_contains_all(f, '{payment,timeout}'::text[]) IS NOT FALSE
	AND lower(line) ~ '\mpayment\M' AND lower(line) ~ '\mtimeout\M';
ROLLBACK;
-- the same of a matrix
SELECT bloom_matrix_search_all(m, '{payment,timeout}'::text[]) AS segment FROM (SELECT bloom_matrix_agg(segment, f) FROM log_words) s (m);
DROP SCHEMA logs CASCADE;

-- Keys of several columns
CREATE SCHEMA pairs; SET search_path = pairs, public;
CREATE TABLE stock (shop int, article text, amount int);
INSERT INTO stock SELECT i % 100, 'article ' || i / 100, i FROM generate_series(1, 100000) i;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'stock', bloom_agg(ROW(shop, article)) FROM stock;

\a\t
SELECT column1 AS shop, column2 AS article
FROM (VALUES (7, 'article 12'), (7, 'article 1200'), (700, 'article 12')) v
WHERE bloom_contains((SELECT f FROM filter WHERE name = 'stock'), ROW(column1, column2)) IS NOT FALSE;
\a\t

-- without the row of the filter, all may be there
BEGIN;
DELETE FROM filter;
SELECT count(*)
FROM (VALUES (7, 'article 12'), (7, 'article 1200'), (700, 'article 12')) v
WHERE bloom_contains((SELECT f FROM filter WHERE name = 'stock'), ROW(column1, column2)) IS NOT FALSE;
ROLLBACK;
-- error: an untyped literal is text
SELECT bloom_contains(f, ROW('7', 'article 12')) FROM filter;
PREPARE in_stock(int, text) AS
SELECT bloom_contains((SELECT f FROM filter WHERE name = 'stock'), ROW($1, $2)) AS in_stock;
EXECUTE in_stock(7, 'article 12');
UPDATE filter SET f = bloom_add_all(f, ARRAY[ROW(7, 'article 1200'), ROW(8, 'article 1200')])
WHERE name = 'stock';
EXECUTE in_stock(7, 'article 1200');
DEALLOCATE in_stock;
SELECT (SELECT bool_and(f @> ROW(shop, article)) FROM stock) AS all_found, f @> ROW(7::bigint, 'article 12'::varchar) AS other_types,
	f @> ROW(7.0, 'article 12'::char(20)) AS of_the_family, bloom_add(f, ROW(7, NULL::text)) @> ROW(7, NULL::text) AS with_null
FROM filter;
-- error: the order of the columns, and their number
SELECT f @> ROW('article 12'::text, 7) FROM filter;
SELECT f @> ROW(7, 'article 12', 1) FROM filter;
DROP SCHEMA pairs CASCADE;

-- All filters of a database, uninstall
CREATE SCHEMA uninstall; SET search_path = uninstall, public;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM generate_series(1, 1000) id;
CREATE TABLE visit (visit_id int, seen cuckoo);
CREATE TABLE pack (pack_id int, filters bloom_matrix);

SELECT attrelid::regclass AS "table", attname AS "column", atttypid::regtype AS type
FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
WHERE atttypid IN (SELECT unnest(ARRAY[t.oid, typarray])
		FROM pg_type t JOIN pg_depend ON objid = t.oid AND classid = 'pg_type'::regclass AND deptype = 'e'
			JOIN pg_extension x ON refobjid = x.oid WHERE extname = 'bloomtype')
	AND relkind IN ('r', 'p', 'm', 'f') AND NOT attisdropped AND relnamespace = current_schema::regnamespace
ORDER BY attrelid::regclass::text, attnum;

-- error: it is in use
\set VERBOSITY terse
DROP EXTENSION bloomtype;
\set VERBOSITY default
SELECT f AS before FROM filter \gset
BEGIN;
ALTER TABLE filter ALTER f TYPE bytea USING f::bytea;

DROP EXTENSION bloomtype CASCADE;

SELECT attrelid::regclass, attname FROM pg_attribute
WHERE attrelid IN ('filter'::regclass, 'pack'::regclass, 'visit'::regclass) AND attnum > 0 AND NOT attisdropped ORDER BY attrelid::regclass::text, attnum;
CREATE EXTENSION bloomtype SCHEMA public;
ALTER TABLE filter ALTER f TYPE bloom USING f::bloom;

SELECT f = :'before' AS same FROM filter;
ROLLBACK;
DROP SCHEMA uninstall CASCADE;
