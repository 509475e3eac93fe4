--
-- The statements of README.md; test/check/docs compares the two
--

-- error: the tests are run where the extension is
CREATE EXTENSION bloomtype;

-- A filter of a column
CREATE TABLE customer AS SELECT id FROM generate_series(1, 100000) id;
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer;

SELECT f @> 4711 AS present, f @> 123456789 AS absent, pg_size_pretty(bytes) AS size,
	round(current_fpp::numeric, 4) AS current_fpp
FROM filter, bloom_info(f) WHERE name = 'customer';

SELECT count(*) FROM generate_series(99001, 109000) id
WHERE (SELECT f FROM filter WHERE name = 'customer') @> id;

-- A live set
SELECT bloom_set_create('seen', 'text', 1e6);
SELECT bloom_set_add('seen', 'https://example.com/') AS is_new, bloom_set_add('seen', 'https://example.com/') AS again;
SELECT set, overfull FROM bloom_set_info() WHERE set = 'seen'::regclass;
DROP TABLE seen;

-- the first 1,000 are found
SELECT count(*) FROM generate_series(99001, 100000) id, filter WHERE bloom_contains(f, id);

-- keys that are added later
UPDATE filter SET f = bloom_add_all(f, ARRAY[200001, 200002]) WHERE name = 'customer';

SELECT f @> 200001 AS contains, 200002 <@ f AS contained FROM filter;

-- Troubleshooting: an untyped literal or parameter is text
-- error: a text is no number
SELECT bloom_contains(f, '4711') FROM filter;
SELECT bloom_contains(f, '4711'::bigint) FROM filter;

PREPARE untyped AS SELECT bloom_contains(f, $1) FROM filter;
-- error: nor is a parameter
EXECUTE untyped(4711);
DEALLOCATE untyped;
PREPARE typed AS SELECT bloom_contains(f, $1::bigint) FROM filter;
EXECUTE typed(4711);
DEALLOCATE typed;

PREPARE first_key AS SELECT key_family FROM bloom_info(bloom_add(bloom_create(1000), $1));
EXECUTE first_key(42);
DEALLOCATE first_key;
SELECT bloom_partition('7', 16) <> bloom_partition(7, 16) AS another;

-- the order of arguments
-- error: the filter comes first
\set VERBOSITY terse
SELECT bloom_contains(4711, f) FROM filter;
\set VERBOSITY default
-- error: and so does the capacity
SELECT bloom_create(0.01, 1000000);
-- error: with two arguments, the second is the rate
SELECT bloom_agg(id, 1000000) FROM customer;

-- a filter does not follow its table
INSERT INTO customer VALUES (300001);
DELETE FROM customer WHERE id = 4711;
SELECT f @> 300001 AS inserted, f @> 4711 AS deleted FROM filter;

-- a missing filter
SELECT bloom_contains((SELECT f FROM filter WHERE name = 'visitor'), 4711) IS NULL AS is_null,
	bloom_contains((SELECT f FROM filter WHERE name = 'visitor'), 4711) IS NOT FALSE AS passes;

-- operators: from left to right
-- error: this is (f @> 'x') || 7
\set VERBOSITY terse
SELECT f @> 'x' || 7 FROM (SELECT bloom_create(10)) s(f);
\set VERBOSITY default
SELECT f @> ('x' || 7) AS in_parentheses, bloom_contains(f, 'x' || 7) AS as_argument
FROM (SELECT bloom_add(bloom_create(10), 'x7')) s(f);

-- the text form of a million keys
SELECT round(length(bloom_agg(i)::text) / 1e6, 1) AS megabytes FROM generate_series(1, 1000000) i;

-- Which type: bits for each key
SELECT round(b.bits_per_key::numeric, 1) AS bloom,
	round(n.bits_per_key::numeric, 1) AS counting_bloom,
	round(c.bits_per_key::numeric, 1) AS cuckoo
FROM bloom_sizing(1e6) b, counting_bloom_sizing(1e6) n, cuckoo_sizing(1e6) c;

-- FAQ: how large
SELECT fpp, pg_size_pretty(bytes) AS size, round(bits_per_key::numeric, 1) AS bits_per_key, probes
FROM unnest(ARRAY[0.01, 0.001, 0.0001]) fpp, bloom_sizing(1e6, fpp);

-- a capacity that is a hundred times too small
SELECT grown.layers, round(grown.probes::numeric / sized.probes) AS times_the_probes,
	round(grown.bits::numeric / sized.bits, 1) AS times_the_bits
FROM (SELECT bloom_add_all(bloom_create(1000), array_agg(i)), bloom_agg(i)
		FROM generate_series(1, 100000) i) s (g, f),
	bloom_info(g) grown, bloom_info(f) sized;

-- An index
CREATE TABLE event AS SELECT md5(i::text)::uuid AS trace_id FROM generate_series(1, 100000) i;
CREATE INDEX ON event USING bloom_pages (trace_id);
ANALYZE event;

EXPLAIN (COSTS OFF) SELECT * FROM event WHERE trace_id = md5('4711')::uuid;

SELECT count(*) FROM event WHERE trace_id = md5('4711')::uuid;
-- Monitoring
SELECT index, reindex FROM bloom_pages_info('event_trace_id_idx');
SELECT bloom_pages_check('event_trace_id_idx');
SELECT name, round(o.bytes::numeric, 1) AS bytes, o.fpp < 2 AS within FROM filter, bloom_overhead(f) o;
-- Why is my index not used: the column is cast
DO $$
DECLARE
	line text;
BEGIN
	SET LOCAL enable_seqscan = off;
	FOR line IN EXECUTE 'EXPLAIN SELECT * FROM event WHERE trace_id::text = ''4711''' LOOP
		IF line ~ 'Index' THEN
			RAISE 'the index is used';
		END IF;
	END LOOP;
END $$;

-- What a key is
SELECT bloom_key(1) = bloom_key(1.00) AS same,
	bloom_key('Anna'::text) = bloom_key('anna'::text) AS case_aside,
	bloom_key('a '::varchar) = bloom_key('a') AS blanks_aside,
	bloom_key('a'::char(5)) = bloom_key('a') AS same_text;

-- a label that is misspelt is a text
CREATE TYPE mood AS ENUM ('sad', 'happy');
SELECT f @> 'sad'::mood AS label, f @> 'sad' AS text, f @> 'sda' AS misspelt
FROM (SELECT bloom_agg('sad'::mood)) s(f);
-- error: PostgreSQL checks it
SELECT f @> 'sda'::mood FROM (SELECT bloom_agg('sad'::mood)) s(f);
DROP TYPE mood;

-- Limits: the keys of 512 MB, and of 64 MB in millions
SELECT bloom_create(433993446) IS NOT NULL AS largest;
-- error: one more
SELECT bloom_create(433993447);
SELECT round(bloom_capacity(64 * 1048576) / 1e6) AS sensible;

-- Joins
CREATE TABLE visit AS SELECT i % 50000 AS customer FROM generate_series(1, 100000) i;
ANALYZE visit, customer;

LOAD 'bloomtype_join';
EXPLAIN (COSTS OFF) SELECT * FROM visit JOIN customer ON visit.customer = customer.id WHERE id % 100 = 7;

DROP TABLE customer, filter, event, visit;
