-- The tables of module_queries.sql: keys of other types, of :rows rows; tables of the shape of
-- TPC-H's, of scale factor :scale; and films, whose columns depend on each other.

CREATE TABLE fact_other AS
SELECT 'customer-' || k AS t, md5(k::text)::uuid AS u, i % 1000 AS amount
FROM (SELECT i, floor(:rows / 50 * random())::int AS k FROM generate_series(1, :rows / 5) i) s;
CREATE TABLE dim_other AS
SELECT 'customer-' || k AS t, md5(k::text)::uuid AS u, hashint4(k) & 1023 AS x
FROM generate_series(0, :rows / 50 - 1) k;

CREATE TABLE h_nation AS SELECT i AS n_nationkey, 'NATION ' || i AS n_name, i / 5 AS n_regionkey
FROM generate_series(0, 24) i;
CREATE TABLE h_supplier AS SELECT i AS s_suppkey, i % 25 AS s_nationkey
FROM generate_series(1, (10000 * :scale)::int) i;
CREATE TABLE h_customer AS SELECT i AS c_custkey, floor(25 * random())::int AS c_nationkey,
	('{AUTOMOBILE,BUILDING,FURNITURE,MACHINERY,HOUSEHOLD}'::text[])[1 + floor(5 * random())] AS c_mktsegment
FROM generate_series(1, (150000 * :scale)::int) i;
CREATE TABLE h_part AS SELECT i AS p_partkey, 'Brand#' || floor(25 * random()) AS p_brand,
	floor(150 * random())::int AS p_type, 1 + floor(50 * random())::int AS p_size,
	CASE WHEN random() < 0.055 THEN 'dark green' ELSE 'azure' END AS p_name
FROM generate_series(1, (200000 * :scale)::int) i;
CREATE TABLE h_partsupp AS
SELECT p AS ps_partkey, 1 + (p + s * (2500 * :scale)::int) % (10000 * :scale)::int AS ps_suppkey,
	floor(1000 * random())::int AS ps_supplycost
FROM generate_series(1, (200000 * :scale)::int) p, generate_series(0, 3) s;
CREATE TABLE h_orders AS
SELECT i AS o_orderkey, 1 + floor((150000 * :scale) * random())::int AS o_custkey,
	date '1992-01-01' + floor(2406 * random())::int AS o_orderdate,
	1 + floor(5 * random())::int AS o_orderpriority
FROM generate_series(1, (1500000 * :scale)::int) i;
-- a line is shipped up to four months after its order
CREATE TABLE h_lineitem AS
SELECT o_orderkey AS l_orderkey, part AS l_partkey,
	1 + (part + floor(4 * random())::int * (2500 * :scale)::int) % (10000 * :scale)::int AS l_suppkey,
	1 + floor(50 * random())::int AS l_quantity, floor(100000 * random())::int AS l_extendedprice,
	floor(11 * random())::int AS l_discount, ship AS l_shipdate,
	ship + floor(30 * random())::int AS l_receiptdate, CASE WHEN random() < 0.25 THEN 'R' ELSE 'N' END AS l_returnflag
FROM (SELECT o_orderkey, 1 + floor((200000 * :scale) * random())::int AS part,
		o_orderdate + 1 + floor(120 * random())::int AS ship
	FROM h_orders, generate_series(1, 4)) s;

-- Films: few of them have most of the cast and the keywords; the year follows the number, the
-- kind follows the year, and what is said of a film follows its kind.
CREATE TABLE film AS
SELECT i AS id, 1900 + i / (2000 * :scale)::int AS year,
	CASE WHEN i > 150000 * :scale AND random() < 0.8 THEN 7 ELSE 1 + floor(6 * random())::int END AS kind
FROM generate_series(1, (250000 * :scale)::int) i;
CREATE TABLE person AS SELECT i AS id, CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END AS gender, i % 1000 AS town
FROM generate_series(1, (400000 * :scale)::int) i;
CREATE TABLE plays AS
SELECT 1 + floor((250000 * :scale) * random() * random())::int AS film,
	1 + floor((400000 * :scale) * random() ^ 3)::int AS person, 1 + floor(10 * random())::int AS role
FROM generate_series(1, (3000000 * :scale)::int) i;
CREATE TABLE keyword AS SELECT i AS id, 'keyword ' || i AS word FROM generate_series(1, 10000) i;
CREATE TABLE film_keyword AS
SELECT 1 + floor((250000 * :scale) * random() * random())::int AS film,
	1 + floor(exp(random() * ln(10000)))::int % 10000 AS keyword
FROM generate_series(1, (1000000 * :scale)::int) i;
CREATE TABLE company AS SELECT i AS id, i % 50 AS country FROM generate_series(1, 20000) i;
CREATE TABLE film_company AS
SELECT id AS film, 1 + (hashint4(id + c) & 1048575) % 20000 AS company, 1 + c AS what
FROM film, generate_series(0, 1) c;
CREATE TABLE film_info AS
SELECT id AS film, t AS what, CASE WHEN kind = 7 THEN 'series' ELSE 'cinema' END || t AS said
FROM film, generate_series(1, 4) t;

CREATE TABLE tiny_a AS SELECT i AS id, i % 3 AS b FROM generate_series(1, 20) i;
CREATE TABLE tiny_b AS SELECT i AS id, i % 2 AS c FROM generate_series(0, 2) i;
CREATE TABLE tiny_c AS SELECT i AS id FROM generate_series(0, 1) i;

VACUUM ANALYZE;
