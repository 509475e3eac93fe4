-- The tables of the joins that are not of the Star Schema Benchmark, of :rows rows.

-- a star of three dimensions of a tenth as many keys, and a snowflake of two levels
CREATE TABLE star_fact AS
SELECT i AS id, floor(:rows / 10 * random())::int AS a, floor(:rows / 10 * random())::int AS b,
	floor(:rows / 10 * random())::int AS c, i % 1000 AS amount
FROM generate_series(1, :rows) i;
CREATE TABLE dim_a AS SELECT i AS id, hashint4(i) & 1023 AS x, i % 1000 AS middle FROM generate_series(0, :rows / 10 - 1) i;
CREATE TABLE dim_b AS SELECT i AS id, hashint4(i + 1) & 1023 AS x FROM generate_series(0, :rows / 10 - 1) i;
CREATE TABLE dim_c AS SELECT i AS id, hashint4(i + 2) & 1023 AS x FROM generate_series(0, :rows / 10 - 1) i;
CREATE TABLE outer_dim AS SELECT i AS id, i % 100 AS x FROM generate_series(0, 999) i;

-- two tables of as many keys, in another order
CREATE TABLE large AS
SELECT (i * 7919::bigint % :rows)::int AS id, hashint4(i) & 1023 AS x FROM generate_series(1, :rows) i;

-- a stored filter of the keys of a dimension that count
CREATE TABLE stored_filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO stored_filter SELECT 'dim_a', bloom_agg(id) FROM dim_a WHERE x < 10;

VACUUM ANALYZE star_fact, dim_a, dim_b, dim_c, outer_dim, large, stored_filter;
