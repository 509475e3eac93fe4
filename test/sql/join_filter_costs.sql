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

-- and a cursor is expected to fetch a tenth of its rows
SELECT fraction, filters('DECLARE c CURSOR FOR SELECT f.id FROM fact f JOIN dim USING (k) WHERE x < 8')
FROM unnest(ARRAY['0.1', '0.9']) fraction, set_config('cursor_tuple_fraction', fraction, false);
RESET cursor_tuple_fraction;

-- Keys that take long to hash must drop more
SELECT key, share, filters(format('SELECT count(*) FROM fact JOIN dim USING (%s) WHERE x < %s', key, (share * 20)::int))
FROM unnest(ARRAY['k', 't', 'n']) key, unnest(ARRAY[0.2, 0.4, 0.7]) share;

-- and under a collation that is not deterministic they get none
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN
		CREATE COLLATION other (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		IF filters('SELECT count(*) FROM fact JOIN dim ON fact.t = dim.t COLLATE other WHERE x < 1') > 0 THEN
			RAISE 'a filter';
		END IF;
	END IF;
END $$;

-- Statistics tell how many keys there are among the rows of the inner side, through sub-selects as well.
CREATE TABLE often AS SELECT g % 400 * 2 AS k, g % 2 AS x FROM generate_series(1, 2400) g;
ANALYZE often;
SELECT filters('SELECT count(*) FROM fact JOIN (SELECT * FROM often OFFSET 0) o USING (k) WHERE x < 1') AS few_keys;

-- A column that an index computes has no statistics: the planner's rows of the join tell what passes.
CREATE INDEX ON fact ((k + 0), k);
VACUUM ANALYZE fact;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT filters('SELECT count(*) FROM (SELECT k + 0 AS k FROM fact) f JOIN dim USING (k) WHERE x < 4') AS computed;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Keys that are compressed or out of line are not hashed for filters
CREATE TABLE long_fact (id int, t text, beside text);
ALTER TABLE long_fact ALTER beside SET STORAGE PLAIN;
INSERT INTO long_fact
	SELECT g, CASE WHEN g % 10 = 0 THEN repeat('key ' || g % 1000, 100) ELSE 'key ' || g % 1000 END,
		CASE WHEN g % 10 = 0 THEN repeat(' ', 1800) END
	FROM generate_series(1, 60000) g;
SELECT count(*), max(pg_column_size(t)) < 100 AS compressed FROM long_fact WHERE beside IS NOT NULL;
CREATE TABLE long_dim AS SELECT DISTINCT t FROM long_fact WHERE id <= 100;
CREATE TABLE plain_dim (t text);
ALTER TABLE plain_dim ALTER t SET STORAGE PLAIN;
INSERT INTO plain_dim SELECT repeat(t, 1) FROM long_dim;
ANALYZE long_fact, long_dim, plain_dim;
CREATE FUNCTION shown(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || query LOOP
		IF line ~ 'Too Many' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT shown('SELECT count(*) FROM long_fact JOIN long_dim USING (t)');
SELECT shown('SELECT count(*) FROM long_fact JOIN plain_dim USING (t) WHERE id < 40000');
SELECT count(*) FROM long_fact JOIN long_dim USING (t);
SELECT count(*) FROM long_fact JOIN plain_dim USING (t);

-- Nor are those of 1 kB or more
CREATE TABLE wide_fact AS
	SELECT g AS id, (SELECT string_agg(md5(g % 1000 || ' ' || j), '') FROM generate_series(1, 31 + g / 40000) j) AS t
	FROM generate_series(1, 50000) g;
CREATE TABLE wide_dim AS SELECT t FROM wide_fact WHERE id BETWEEN 39901 AND 39950;
CREATE TABLE wider_dim AS SELECT t FROM wide_fact WHERE id BETWEEN 39991 AND 40010;
ANALYZE wide_fact, wide_dim, wider_dim;
SELECT shown('SELECT count(*) FROM wide_fact JOIN wide_dim USING (t)');
SELECT shown('SELECT count(*) FROM wide_fact JOIN wider_dim USING (t)');
SELECT count(*) FROM wide_fact JOIN wide_dim USING (t);
SELECT count(*) FROM wide_fact JOIN wider_dim USING (t);

-- An inner side that is dearer than all of the outer side is not read before that
CREATE TABLE event AS SELECT g AS id, g % 60000 AS fact_id FROM generate_series(1, 150000) g;
ANALYZE event;
CREATE FUNCTION is_odd(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 % 2 = 1; END';
SET join_collapse_limit = 1;
SELECT filters('SELECT count(*) FROM event e JOIN fact f ON f.id = fact_id JOIN dim USING (k) WHERE is_odd(dim.x)') AS cheap;
ALTER FUNCTION is_odd COST 10000;
SELECT filters('SELECT count(*) FROM event e JOIN fact f ON f.id = fact_id JOIN dim USING (k) WHERE is_odd(dim.x)') AS dear;

DROP SCHEMA join_filter_costs CASCADE;
