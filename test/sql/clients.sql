--
-- The statements of doc/clients.md; make check-docs compares them with the page.
--

-- A table, and the filter of one of its columns for applications
CREATE TABLE customer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text UNIQUE NOT NULL);
INSERT INTO customer (email) SELECT 'user' || i || '@example.com' FROM generate_series(1, 100000) i;

CREATE TABLE served_filter (
	name text PRIMARY KEY,
	version bigint GENERATED ALWAYS AS IDENTITY,
	filter bloom NOT NULL
);

INSERT INTO served_filter AS s (name, filter)
SELECT 'customer.email', bloom_agg(email, 2 * (SELECT count(*) FROM customer), 0.01) FROM customer
ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
	WHERE s.filter <> excluded.filter;
NOTIFY served_filter;

-- Again: nothing is written where nothing has changed
INSERT INTO served_filter AS s (name, filter)
SELECT 'customer.email', bloom_agg(email, 2 * (SELECT count(*) FROM customer), 0.01) FROM customer
ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
	WHERE s.filter <> excluded.filter;

-- An application that only reads has what it needs
GRANT SELECT ON customer, served_filter TO pg_monitor;
SET ROLE pg_monitor;
SELECT bloom_contains(filter, 'user1@example.com'::text) AS known FROM served_filter;
RESET ROLE;

-- The query of the application, with the version that it has
SELECT version, filter FROM served_filter WHERE name = 'customer.email' AND version <> 1;

-- ... after a change
INSERT INTO customer (email) VALUES ('new@example.com');
INSERT INTO served_filter AS s (name, filter)
SELECT 'customer.email', bloom_agg(email, 2 * (SELECT count(*) FROM customer), 0.01) FROM customer
ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
	WHERE s.filter <> excluded.filter;
SELECT version <> 1 AS new, pg_size_pretty(octet_length(filter::bytea)::bigint) AS size
FROM served_filter WHERE name = 'customer.email' AND version <> 1;

-- ... and after its row was lost: no version is used twice
DELETE FROM served_filter;
INSERT INTO served_filter AS s (name, filter)
SELECT 'customer.email', bloom_agg(email, 2 * (SELECT count(*) FROM customer), 0.01) FROM customer
ON CONFLICT (name) DO UPDATE SET version = DEFAULT, filter = excluded.filter
	WHERE s.filter <> excluded.filter;
SELECT version <> 1 AS new FROM served_filter;

-- What an application asks for a filter that it builds
SELECT blocks, probes, full_at FROM bloom_sizing(1000, 0.01);

DROP TABLE served_filter, customer;
