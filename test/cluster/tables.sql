-- Tables of keys and filters, the same on the cluster and on one node.

SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS bloomtype;

-- Keys of all families.  Rows with one d are on one shard, those with one g on several.
-- Groups have few rows or many; a third of the keys is there twice, one key is there a
-- hundred times, and each fiftieth row has nulls.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN word AS text;
CREATE TABLE item (d int, g int, n int, k_boolean boolean, k_smallint smallint, k_integer integer,
	k_bigint bigint, k_numeric numeric, k_real real, k_double double precision, k_text text,
	k_varchar varchar, k_char char(12), k_name name, k_enum mood, k_domain word, k_bytea bytea,
	k_uuid uuid, k_oid oid, k_date date, k_timestamp timestamp, k_timestamptz timestamptz,
	k_time time, k_inet inet, k_cidr cidr, k_macaddr macaddr, k_macaddr8 macaddr8,
	k_array int[], k_row pair, k_range int4range);
\if :distributed
SELECT create_distributed_table('item', 'd');
\endif
INSERT INTO item
SELECT d, g, n, k % 2 = 0, k, k, k * 10000000000, k / 100.0, k / 8.0::real, k / 7.0::float8,
	'key ' || k, 'key ' || k, 'key ' || k, 'key ' || k,
	(ARRAY['sad', 'ok', 'happy'])[k % 3 + 1]::mood, 'key ' || k, int4send(k), md5(k::text)::uuid,
	k, date '2020-01-01' + k, timestamp '2020-01-01' + k * interval '1 min',
	timestamptz '2020-01-01 Z' + k * interval '1 min',
	time '0:00' + k * interval '1 s', inet '10.0.0.0' + k, (inet '10.0.0.0' + k)::cidr,
	('08002b' || lpad(to_hex(k), 6, '0'))::macaddr,
	('08002b010' || lpad(to_hex(k), 7, '0'))::macaddr8,
	ARRAY[k, NULL, k % 5], ROW(k, 'key ' || k)::pair, int4range(k, 2 * k + 1)
FROM (SELECT n, CASE WHEN n % 50 = 0 THEN 9 ELSE n % 9 END AS d,
		CASE WHEN n <= 5 THEN 0 WHEN n <= 105 THEN 1 ELSE 2 + n % 3 END AS g,
		CASE WHEN n % 50 = 49 THEN NULL WHEN n % 30 = 7 THEN 7 ELSE n % 2250 END AS k
	FROM generate_series(1, 3000) n) s;

-- Filters: of one capacity and rate (same), lists (few), filters that sized themselves (own),
-- filters that have most keys in common (common), and those of other types
CREATE TABLE part (d int, g int, n int, same bloom, few bloom, own bloom, common bloom,
	counts counting_bloom, seats cuckoo, guava bytea, redis bytea);
\if :distributed
SELECT create_distributed_table('part', 'd');
\endif
INSERT INTO part
SELECT n % 7, n % 3, n, bloom_agg(100 * n + k, 20000, 0.01), bloom_agg(n + k % 100),
	bloom_agg(100 * n + k), bloom_agg(k, 1000, 0.01) FILTER (WHERE k % 41 <> n),
	counting_bloom_agg(k / 2, 20000, 0.01),
	cuckoo_agg(k, 1000, 0.01), external_bloom_agg(k, 'guava_int', 1000, 0.01),
	external_bloom_agg(k::text, 'redis', 1000, 0.01)
FROM generate_series(1, 40) n, LATERAL generate_series(1, 300 + 10 * n) k GROUP BY n;

-- Page indexes, of a column and of an expression: each shard has many of their ranges.  Some rows come
-- before the indexes, some after.
CREATE TABLE event (id int, trace uuid, account text, n int, pad char(200) DEFAULT '');
\if :distributed
SELECT create_distributed_table('event', 'id', colocate_with => 'none');
\endif
INSERT INTO event
SELECT i, md5(i::text)::uuid, 'Account ' || i / 5, i FROM generate_series(1, 100000) i;
CREATE INDEX event_trace ON event USING bloom_pages (trace) WITH (pages_per_range = 4);
CREATE INDEX event_account ON event USING bloom_pages (lower(account));
INSERT INTO event
SELECT i, md5(i::text)::uuid, 'Account ' || i / 5, i FROM generate_series(100001, 150000) i;
ANALYZE event;
