--
-- The statements of doc/join-filter.md
--

CREATE SCHEMA join_filter_page;
SET search_path = join_filter_page, public;

LOAD 'bloomtype_join';
SET max_parallel_workers_per_gather = 0;

CREATE TABLE buyer AS SELECT id, id % 40 AS country FROM generate_series(1, 10000) id;
CREATE TABLE shop AS SELECT id, id % 10 AS city FROM generate_series(1, 500) id;
CREATE TABLE purchase AS
	SELECT id, id % 10000 + 1 AS buyer_id, id / 7 % 500 + 1 AS shop_id
	FROM generate_series(1, 100000) id;
ANALYZE buyer, shop, purchase;

-- what it prints depends on the version of PostgreSQL, and on the size of a pointer
\o /dev/null
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT count(*) FROM purchase
JOIN buyer ON buyer_id = buyer.id
JOIN shop ON shop_id = shop.id
WHERE country = 7 AND city = 3;
\o

-- the rest of it
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query LOOP
		IF line !~ 'Buckets:' THEN
			RETURN NEXT regexp_replace(line, 'rows=([0-9]+)[.]00 ', 'rows=\1 ');
		END IF;
	END LOOP;
END $$;
SELECT explained('
	SELECT count(*) FROM purchase
	JOIN buyer ON buyer_id = buyer.id
	JOIN shop ON shop_id = shop.id
	WHERE country = 7 AND city = 3');

-- without filters, the joins get all rows
SET bloomtype_join.enable = off;

SELECT explained('
	SELECT count(*) FROM purchase
	JOIN buyer ON buyer_id = buyer.id
	JOIN shop ON shop_id = shop.id
	WHERE country = 7 AND city = 3');

-- a plan that is kept has its filters until DISCARD PLANS
SET bloomtype_join.enable = on;
PREPARE purchases AS SELECT count(*) FROM purchase JOIN buyer ON buyer_id = buyer.id WHERE country < 7;
CREATE FUNCTION filters_of_purchases() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	line text;
	n bigint = 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) EXECUTE purchases' LOOP
		n := n + (line ~ 'BloomtypeProbe')::int;
	END LOOP;
	RETURN n;
END $$;
SELECT filters_of_purchases();
SET bloomtype_join.enable = off;
SELECT filters_of_purchases();
DISCARD PLANS;
SELECT filters_of_purchases();

-- what bloom_contains lets pass comes to the filter of the join
SET bloomtype_join.enable = on;
SELECT line FROM explained('
	SELECT count(*) FROM purchase JOIN buyer ON buyer_id = buyer.id
	WHERE country = 7 AND bloom_contains((SELECT bloom_agg(id) FROM buyer WHERE country = 7), buyer_id)') line
WHERE line ~ 'Probe|by Runtime Filter|on purchase';

SET client_min_messages = warning;
DROP SCHEMA join_filter_page CASCADE;
