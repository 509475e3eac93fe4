-- The recipes of doc/recipes.md and doc/special-cases.md that apply to a cluster, with aggregates over bloom_key(x): what
-- a cluster answers is what one node answers.

CREATE SCHEMA recipes;
SET search_path = recipes, public;
CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE visit (visit_id int, customer_id int);
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
\if :distributed
SELECT create_distributed_table('customer', 'id'), create_distributed_table('visit', 'visit_id'),
	create_reference_table('filter') \g /dev/null
\endif
INSERT INTO customer SELECT generate_series(1, 10000);
INSERT INTO visit SELECT i, i * 7919 % 100000 FROM generate_series(1, 100000) i;
INSERT INTO filter SELECT 'customer', bloom_agg(bloom_key(id)) FROM customer;
SELECT 'Quick start', count(*), sum(keys)
FROM generate_series(9901, 10900) id, filter, bloom_info(f)
WHERE bloom_contains(f, id);

SELECT 'Pre-filter a join', count(*), sum(visit_id) FROM visit
WHERE bloom_contains((SELECT bloom_agg(bloom_key(id)) FROM customer), customer_id);
PREPARE find_customer(int) AS SELECT 'Is this user name taken?', id FROM customer
WHERE id = $1 AND bloom_contains((SELECT f FROM filter WHERE name = 'customer'), $1) IS NOT FALSE;
SELECT format('EXECUTE find_customer(%s)', i) FROM generate_series(9995, 10005) i \gexec

-- The exact condition follows in a step of its own, as a join that must move rows takes no
-- sub-select beside it.
SET citus.enable_repartition_joins = on;
WITH passed AS MATERIALIZED (
	SELECT * FROM visit
	WHERE bloom_contains((SELECT bloom_agg(bloom_key(id)) FROM customer), customer_id))
SELECT 'A join that moves rows', count(*), sum(visit_id)
FROM passed JOIN customer ON id = customer_id;

-- A filter of each shard, whatever the release of Citus
\if :distributed
CREATE FUNCTION over_shards(relation regclass, query text) RETURNS bloom LANGUAGE sql
RETURN (SELECT bloom_union_agg(result::bloom) FROM run_command_on_shards(relation, query));
\else
CREATE FUNCTION over_shards(relation regclass, query text) RETURNS bloom LANGUAGE plpgsql AS
'DECLARE f bloom; BEGIN EXECUTE format(query, relation) INTO f; RETURN f; END';
\endif
SELECT 'A filter of each shard', md5(over_shards('visit',
	'SELECT bloom_agg(customer_id, 200000, 0.01) FROM %s')::bytea);
SELECT 'A list of each shard', md5(over_shards('visit',
	'SELECT bloom_agg(customer_id, 200000, 0.01) FROM %s WHERE visit_id <= 100')::bytea);
SELECT 'Sized by each shard', count(*) FILTER (WHERE f @> customer_id) AS found,
	count(*) FILTER (WHERE f @> -1 - customer_id) < 20000 AS few_others
FROM visit, (SELECT over_shards('visit', 'SELECT bloom_agg(customer_id) FROM %s') OFFSET 0) s (f);

INSERT INTO filter AS t
SELECT 'visitor', bloom_agg(bloom_key(customer_id), 1000000, 0.01) FROM visit WHERE visit_id <= 500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;
INSERT INTO filter AS t
SELECT 'visitor', bloom_agg(bloom_key(customer_id), 1000000, 0.01) FROM visit WHERE visit_id > 500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;
SELECT 'Unite', md5(f::bytea) FROM filter WHERE name = 'visitor';

CREATE TABLE delta (hour int NOT NULL, f bloom NOT NULL);
\if :distributed
SELECT create_distributed_table('delta', 'hour') \g /dev/null
\endif
INSERT INTO delta SELECT 1, bloom_agg(id, 1000000, 0.001) FROM generate_series(1, 2000) id;
INSERT INTO delta SELECT 2, bloom_agg(id, 1000000, 0.001) FROM generate_series(2001, 3000) id;
SELECT 'Append', EXISTS (SELECT 1 FROM delta WHERE bloom_contains(f, 2500));
SELECT 'Append, absent', EXISTS (SELECT 1 FROM delta WHERE bloom_contains(f, 25000));
WITH folded AS (DELETE FROM delta RETURNING f)
INSERT INTO delta SELECT 3, bloom_union_agg(f) FROM folded HAVING count(*) > 0;
SELECT 'Fold', hour, md5(f::bytea) FROM delta;

BEGIN;
LOCK TABLE customer IN SHARE MODE;
UPDATE filter SET f = (SELECT bloom_agg(bloom_key(id)) FROM customer) WHERE name = 'customer';
COMMIT;
SELECT 'Rebuild and swap', md5(f::bytea) FROM filter WHERE name = 'customer';
CREATE MATERIALIZED VIEW customer_filter AS
	SELECT 'customer' AS name, bloom_agg(bloom_key(id)) AS f FROM customer;
CREATE UNIQUE INDEX ON customer_filter (name);
INSERT INTO customer SELECT generate_series(20001, 20300);
REFRESH MATERIALIZED VIEW CONCURRENTLY customer_filter;
SELECT 'Materialized view', name, md5(f::bytea) FROM customer_filter;

CREATE TABLE incoming (event_id uuid NOT NULL);
CREATE TABLE accepted (event_id uuid NOT NULL);
CREATE TABLE seen (f bloom NOT NULL);
\if :distributed
-- a table with a filter that is changed by local tables stays local itself
SELECT create_distributed_table('incoming', 'event_id'),
	create_distributed_table('accepted', 'event_id') \g /dev/null
\endif
INSERT INTO seen VALUES (bloom_create(1000000, 0.0001));
INSERT INTO incoming SELECT md5(i::text)::uuid FROM generate_series(1, 2000) i;
SELECT $$
BEGIN;
LOCK TABLE seen IN EXCLUSIVE MODE;
CREATE TEMP TABLE batch ON COMMIT DROP AS
	WITH taken AS (DELETE FROM incoming RETURNING event_id)
	SELECT array_agg(DISTINCT event_id) AS ids FROM taken;
INSERT INTO accepted
SELECT unnest(coalesce(bloom_missing(f, ids), ids)) FROM batch LEFT JOIN seen ON true;
UPDATE seen SET f = bloom_add_all(f, ids) FROM batch;
COMMIT;
$$ AS dedupe \gset
:dedupe
SELECT 'Deduplicate', count(*) FROM accepted;
INSERT INTO incoming SELECT md5(i::text)::uuid FROM generate_series(1001, 3000) i;
:dedupe
SELECT 'Deduplicate, the next', count(*), count(DISTINCT event_id) FROM accepted;

CREATE TABLE event (event_id bigint, payload text);
CREATE TABLE arrived (event_id bigint, payload text);
\if :distributed
SELECT create_distributed_table('event', 'event_id'),
	create_distributed_table('arrived', 'event_id') \g /dev/null
\endif
CREATE INDEX ON event (event_id);
INSERT INTO event SELECT i, 'old' FROM generate_series(1, 10000) i;
INSERT INTO filter SELECT 'event', bloom_agg(bloom_key(event_id), 1000000, 0.01) FROM event;
INSERT INTO arrived SELECT i, 'new' FROM generate_series(9901, 11000) i;
BEGIN;
LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
-- one step instead of two, as the shards of both tables lie together
INSERT INTO event
SELECT DISTINCT ON (event_id) event_id, payload FROM arrived LEFT JOIN filter ON name = 'event'
WHERE NOT bloom_contains(f, event_id)
	OR NOT EXISTS (SELECT 1 FROM event WHERE event.event_id = arrived.event_id);
UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(event_id) FROM arrived))
WHERE name = 'event';
COMMIT;
SELECT 'Anti-join', count(*), count(DISTINCT event_id) FROM event;
SELECT 'Anti-join, the filter', md5(f::bytea) FROM filter WHERE name = 'event';

CREATE FUNCTION event_partition(id bigint) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN bloom_partition(id, 16);
CREATE TABLE event_filter (partition int PRIMARY KEY, f bloom NOT NULL);
\if :distributed
SELECT create_distributed_table('event_filter', 'partition') \g /dev/null
\endif
INSERT INTO event_filter
SELECT event_partition(event_id), bloom_agg(bloom_key(event_id), 10000, 0.001) FROM event
GROUP BY 1;
SELECT 'A billion keys', partition, md5(f::bytea) FROM event_filter ORDER BY partition;
SELECT 'A billion keys, one probe', bloom_contains((SELECT f FROM event_filter
	WHERE partition = event_partition(4711)), 4711) IS NOT FALSE AS maybe;
SELECT 'A billion keys, many probes', count(*) FILTER (WHERE id > 0),
	count(*) FILTER (WHERE id < 0) < 30
FROM event_filter JOIN generate_series(-11000::bigint, 11000) id ON partition = event_partition(id)
WHERE f @> id;

SELECT 'Filters of other systems',
	md5(external_bloom_agg('name ' || id, 'guava', 0.01 ORDER BY id))
FROM customer;
