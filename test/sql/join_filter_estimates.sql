-- bloomtype_join: what filters are expected to pass, as statistics show it

LOAD 'bloomtype_join';
SET max_parallel_workers_per_gather = 0;
CREATE SCHEMA join_filter_estimates;
SET search_path = join_filter_estimates;

-- A calendar of 200 years, and facts of 1,823 days in it, in the order of time
CREATE TABLE calendar AS
	SELECT 2415022 + g AS day, d AS date, extract(year FROM d)::int AS year, extract(dow FROM d)::int AS dow,
		(g + 1) / 7 AS week, extract(year FROM d)::int * 12 + extract(month FROM d)::int AS month,
		CASE WHEN g * 7919 % 100 < 2 THEN 'Y' ELSE 'N' END AS holiday, g < 72000 AS is_past,
		-- its correlation with the order is 0.97
		g + (g::bigint * 48271 % 20011)::int - 10000 AS about
	FROM (SELECT g, date '1900-01-02' + g AS d FROM generate_series(0, 73048) g) d ORDER BY g;
ALTER TABLE calendar ADD PRIMARY KEY (day);
CREATE TABLE sales AS
	SELECT g AS id, 2450816 + (g::bigint * 1823 / 200000)::int AS day, g % 900 AS item, g % 10 AS shop
	FROM generate_series(0, 199999) g;
CREATE TABLE stock AS
	SELECT 2450816 + 7 * week AS day, item FROM generate_series(0, 260) week, generate_series(0, 199) item;
CREATE TABLE shop AS SELECT g AS id FROM generate_series(0, 9) g;
CREATE TABLE item AS SELECT g AS id, g % 30 AS kind FROM generate_series(0, 899) g;
ALTER TABLE shop ADD PRIMARY KEY (id);
ALTER TABLE item ADD PRIMARY KEY (id);
ANALYZE calendar, sales, stock, shop, item;

-- Rows that are expected, as a judgement: `right' is at most 3 times more or less
CREATE FUNCTION judged(planned float8, actual bigint) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN planned * 3 < actual THEN 'too few' WHEN planned > 3 * greatest(actual, 1) THEN 'too many'
		ELSE 'right' END
$$;
-- What filters are expected to pass
CREATE FUNCTION passing(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING off, SUMMARY off, FORMAT json) ' || query INTO e;
	e := jsonb_path_query(e, 'strict $.** ? (@."Custom Plan Provider" == "BloomtypeProbe")');
	RETURN judged((e -> 'Plan Rows')::float8, (e -> 'Actual Rows')::float8::bigint);
END $$;
SET bloomtype_join.enable = force;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT condition, passing('SELECT count(*) FROM sales s JOIN calendar c ON s.day = c.day WHERE ' || condition) FROM (VALUES
	('year = 2000'), ('dow = 1'), ('holiday = ''Y'''), ('year = 2000 AND holiday = ''Y''')) c (condition);
SELECT passing('SELECT count(*) FROM stock s JOIN calendar c ON s.day = c.day WHERE year = 2000');
SELECT passing('SELECT count(*) FROM item i, LATERAL (SELECT count(*) FROM stock s JOIN calendar c ON s.day = c.day
	WHERE year = 2000 AND s.item <> i.id) x WHERE i.id = 7');
SELECT passing('WITH x AS MATERIALIZED (SELECT s.item FROM stock s JOIN calendar c ON s.day = c.day WHERE year = 2000)
	SELECT count(*) FROM item i LEFT JOIN x ON x.item = i.id');
-- tables of the same name and columns in several sub-selects
SELECT passing('SELECT count(*) FROM item i JOIN (SELECT s.item FROM sales s JOIN calendar c ON s.day = c.day
	WHERE year = 2000 AND dow = 1 OFFSET 0) a ON a.item = i.id');


SET client_min_messages = warning;
DROP SCHEMA join_filter_estimates CASCADE;
