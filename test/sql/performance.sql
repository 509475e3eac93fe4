--
-- Sizes and rates of the three types, as doc/performance.md has them
-- Left to --ci, for its time.
--

CREATE SCHEMA performance;
SET search_path = performance, public;

-- bits for each key, and the rate over a million absent keys, of the three types
CREATE TABLE present AS SELECT id FROM generate_series(1, 100000) id;
CREATE TABLE absent AS SELECT id FROM generate_series(100001, 1100000) id;

WITH filter AS MATERIALIZED (
	SELECT bloom_agg(id) AS b, counting_bloom_agg(id) AS c, cuckoo_agg(id) AS k FROM present)
SELECT round(8.0 * octet_length(b::bytea) / 100000, 1) AS bloom_bits,
	round(8.0 * octet_length(c::bytea) / 100000, 1) AS counting_bits,
	round(8.0 * octet_length(k::bytea) / 100000, 1) AS cuckoo_bits,
	(SELECT round(100 * avg(bloom_contains(b, id)::int), 2) FROM absent) AS bloom_percent,
	(SELECT round(100 * avg(counting_bloom_contains(c, id)::int), 2) FROM absent) AS counting_percent,
	(SELECT round(100 * avg(cuckoo_contains(k, id)::int), 2) FROM absent) AS cuckoo_percent
FROM filter;


SET client_min_messages = warning;
DROP SCHEMA performance CASCADE;
