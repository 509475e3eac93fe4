-- bloomtype_join: no filters where they would cost more than they save

LOAD 'bloomtype_join';
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
CREATE SCHEMA join_filter_costs;
SET search_path = join_filter_costs;
SET enable_nestloop = off;
SET enable_mergejoin = off;

CREATE FUNCTION filters(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	line text;
	n bigint = 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		n := n + (line LIKE '%(BloomtypeBuild)%')::int;
	END LOOP;
	RETURN n;
END $$;

CREATE TABLE fact AS
	SELECT g AS id, g % 1000 AS k, 'key ' || g % 1000 AS t, (g % 1000)::numeric AS n FROM generate_series(1, 60000) g;
CREATE TABLE dim AS SELECT g AS k, 'key ' || g AS t, g::numeric AS n, g % 20 AS x FROM generate_series(0, 999) g;
ANALYZE fact, dim;

-- LIMIT ends the scan early, unless something above the scan reads all of it first
SELECT number, filters('SELECT f.id FROM fact f JOIN dim USING (k) WHERE x < 8 LIMIT ' || number)
FROM unnest(ARRAY['10', '20000', '10 OFFSET 20000', 'ALL']) number;
SELECT filters('SELECT f.id FROM fact f JOIN dim USING (k) WHERE x < 8 ORDER BY f.id LIMIT 10') AS sorted,
	filters('SELECT count(*) FROM fact f JOIN dim USING (k) WHERE x < 8 LIMIT 1') AS counted,
	filters('SELECT id FROM (SELECT f.id FROM fact f JOIN dim USING (k) WHERE x < 8 LIMIT 10) f') AS below,
	filters('SELECT e.id FROM fact e JOIN (SELECT f.id FROM fact f JOIN dim USING (k) WHERE x < 1) f USING (id) LIMIT 10') AS hashed;

DROP SCHEMA join_filter_costs CASCADE;
