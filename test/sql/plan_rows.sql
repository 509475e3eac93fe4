-- bloomtype_plan: the rows of joins that are corrected, and those that are not.  ANALYZE reads the
-- tables whole, so what the planner expects of them does not depend on chance.

LOAD 'bloomtype_plan';
SET max_parallel_workers_per_gather = 0;
SET join_collapse_limit = 1;
CREATE SCHEMA plan_rows;
SET search_path = plan_rows;

-- Rows that are expected of a query without corrections, and with these; and how many there are
CREATE FUNCTION planned(query text, enable text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	e json;
BEGIN
	PERFORM set_config('bloomtype_plan.enable', enable, true);
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO e;
	-- two digits
	RETURN to_char((e -> 0 -> 'Plan' ->> 'Plan Rows')::float8, '9.9EEEE')::float8;
END $$;
CREATE FUNCTION rows_of(query text, OUT planner float8, OUT corrected float8, OUT actual bigint) LANGUAGE plpgsql AS $$
BEGIN
	planner := planned(query, 'off');
	corrected := planned(query, 'on');
	PERFORM set_config('bloomtype_plan.enable', 'off', true);
	EXECUTE 'SELECT count(*) FROM (' || query || ') q' INTO actual;
END $$;

-- 20,000 days, of which sales use 1,000, and returns 2,000
CREATE TABLE calendar AS
	SELECT day, day / 10 AS month, day / 100 AS year, (day / 100)::numeric AS exact_year, -day AS back, day % 7 AS weekday,
		(day * 7919) % 20011 AS code, day + (day * 7919) % 3001 AS about
	FROM generate_series(1, 20000) day ORDER BY day;
ALTER TABLE calendar ADD PRIMARY KEY (day);
CREATE UNIQUE INDEX ON calendar (code);
CREATE TABLE month AS
	SELECT id, id / 10 AS year, -id AS back, ((id * 7) % 2003) AS code FROM generate_series(0, 2000) id ORDER BY id;
ALTER TABLE month ADD PRIMARY KEY (id);
CREATE UNIQUE INDEX ON month (back);
CREATE TABLE sales AS
	SELECT g AS id, 10001 + g / 10 AS day, (10001 + g / 10) / 10 AS month, g % 100 AS item, 1 + g / 10 AS code
	FROM generate_series(0, 9999) g ORDER BY g;
CREATE TABLE returned AS
	SELECT 4000 + g AS id, 10001 + g / 2 AS day, g % 100 AS item FROM generate_series(0, 3999) g ORDER BY g;
ANALYZE calendar, month, sales, returned;

-- Each comparison, in both directions; at both ends of the sales, and outside
SELECT condition, r.* FROM (VALUES
	('year = 105'), ('year IN (107, 105, 106)'), ('year < 101'), ('year <= 101'), ('year > 108'), ('year >= 109'),
	('year BETWEEN 105 AND 106'), ('1050 <= c.month AND 1060 > c.month'), ('back BETWEEN -10599 AND -10500'),
	('exact_year = 105'), ('exact_year > 108 AND exact_year < 120'), ('year = 105 AND weekday = 3'), ('year = 99'), ('year = 110'),
	('year = 120')) c (condition),
	rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE ' || condition) r;
-- a column that follows the days roughly, so that they may be far from where it is
SELECT * FROM rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE about BETWEEN 12000 AND 12099');
-- a long list of values
SELECT * FROM rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = ANY ('''
	|| (SELECT array_agg(year) FROM generate_series(106, 5000) year)::text || ''')');
-- keys of other types
CREATE TABLE wide AS SELECT day::bigint AS day, day::oid AS number FROM sales ORDER BY id;
CREATE TABLE wide_calendar AS SELECT day::bigint AS day, day::oid AS number, year FROM calendar ORDER BY day;
ALTER TABLE wide_calendar ADD PRIMARY KEY (day), ADD UNIQUE (number);
ANALYZE wide, wide_calendar;
SELECT * FROM rows_of('SELECT FROM wide s JOIN wide_calendar c ON s.day = c.day WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM wide s JOIN wide_calendar c ON s.number = c.number WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM wide s JOIN calendar c ON s.day = c.day WHERE year = 105');
-- the calendar first
SELECT * FROM rows_of('SELECT FROM calendar c JOIN sales s ON s.day = c.day WHERE year = 105');
-- what selects no range of days: columns in no order, expressions, what is compared with columns or changes,
-- a list of which not all but each must be equal, or whose values are no numbers for the statistics; nor is
-- more than the planner's product of two conditions
SELECT condition, r.* FROM (VALUES
	('weekday = 3'), ('c.code < 2000'), ('year = c.month / 10'), ('year = 105 + floor(random())::int'),
	('year = ALL (ARRAY[105, 105])'), ('exact_year IN (105, 106)'), ('year = 105 AND c.month = 1100'), ('year <= 105 AND back <= -10400')) c (condition),
	rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE ' || condition) r;
-- a query that is planned meanwhile, for a function whose value the planner wants
CREATE FUNCTION sales_of_106() RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RETURN (SELECT count(*) FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 106);
END $$;
SELECT * FROM rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 105 AND item < sales_of_106()');
-- a key in no order; one that is not unique; facts that use most of the key
SELECT * FROM rows_of('SELECT FROM sales s JOIN calendar c ON s.code = c.code WHERE year = 100');
CREATE TABLE without_key AS SELECT * FROM calendar ORDER BY day;
CREATE TABLE of_most_days AS SELECT 1 + g * 3 / 2 AS day FROM generate_series(0, 9999) g;
ANALYZE without_key, of_most_days;
SELECT * FROM rows_of('SELECT FROM sales s JOIN without_key c ON s.day = c.day WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM of_most_days s JOIN calendar c ON s.day = c.day WHERE year = 105');
-- a calendar that has fewer days than the facts
CREATE TABLE some_days AS SELECT * FROM calendar WHERE day % 40 = 0 ORDER BY day;
ALTER TABLE some_days ADD PRIMARY KEY (day);
CREATE TABLE uneven AS SELECT CASE WHEN g % 2 = 0 THEN 10500 + g / 2 % 100 ELSE 10001 + g / 10 END AS day FROM generate_series(0, 9999) g;
ANALYZE some_days, uneven;
SELECT * FROM rows_of('SELECT FROM uneven s JOIN some_days c ON s.day = c.day WHERE year = 105');
-- nulls, of which the planner has statistics in tables, but not in UNION ALL
CREATE TABLE with_nulls AS SELECT CASE WHEN id % 5 < 1 THEN day END AS day FROM sales ORDER BY id;
ANALYZE with_nulls;
SELECT * FROM rows_of('SELECT FROM with_nulls s JOIN calendar c ON s.day = c.day WHERE year = 105');
CREATE TABLE in_parts (day int) PARTITION BY RANGE (day);
CREATE TABLE in_parts_1 PARTITION OF in_parts FOR VALUES FROM (0) TO (10500);
CREATE TABLE in_parts_2 PARTITION OF in_parts DEFAULT;
INSERT INTO in_parts SELECT * FROM with_nulls;
ANALYZE in_parts;
SELECT * FROM rows_of('SELECT FROM in_parts s JOIN calendar c ON s.day = c.day WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM (SELECT day FROM with_nulls UNION ALL SELECT day FROM with_nulls) s JOIN calendar c ON s.day = c.day
	WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM (SELECT day FROM with_nulls UNION ALL SELECT day + 0 AS day FROM returned) s JOIN calendar c ON s.day = c.day
	WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM (SELECT day FROM with_nulls UNION ALL SELECT day FROM returned) s JOIN calendar c ON s.day = c.day
	WHERE year = 105');
-- less than a row expected
SELECT * FROM rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 105 AND item = 7');

-- Never more than a row for each of the facts: the range lies between two keys, as most facts do.
CREATE TABLE moment AS SELECT g::float8 AS at FROM generate_series(1, 1000) g ORDER BY g;
CREATE UNIQUE INDEX ON moment (at);
CREATE TABLE event AS
	SELECT 500 + CASE WHEN g % 150 < 135 THEN 0.4 + g % 150 * 1e-11 ELSE g % 150 END::float8 AS at
	FROM generate_series(1, 1500) g;
ANALYZE moment, event;
SELECT * FROM rows_of('SELECT FROM event e JOIN moment m ON e.at = m.at WHERE m.at >= 500.4 AND m.at < 500.4 + 2e-9');
SELECT * FROM rows_of('SELECT FROM moment m JOIN event e ON e.at = m.at WHERE m.at >= 500.4 AND m.at < 500.4 + 2e-9');

-- Facts of two tables: the calendar's condition counts once.
SELECT * FROM rows_of('SELECT FROM (sales s JOIN returned r ON s.day = r.day) JOIN calendar c ON c.day = s.day WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM (returned r JOIN sales s ON s.day = r.day) JOIN calendar c ON c.day = s.day WHERE year = 105');
SELECT * FROM rows_of('SELECT FROM calendar c JOIN (returned r JOIN sales s ON s.day = r.day) ON c.day = s.day WHERE year = 105');
-- by two keys, and the greater factor
CREATE TABLE few AS SELECT day, -day AS back, day / 20 AS month FROM generate_series(0, 399) day ORDER BY day;
CREATE UNIQUE INDEX ON few (day);
CREATE UNIQUE INDEX ON few (back);
CREATE TABLE by_day AS SELECT 200 + g % 40 AS day FROM generate_series(0, 1999) g;
CREATE TABLE by_back AS SELECT -200 - g % 80 AS back FROM generate_series(0, 1999) g;
ANALYZE few, by_day, by_back;
SELECT planned('SELECT FROM (by_day d CROSS JOIN by_back b) JOIN few ON few.day = d.day AND few.back = b.back WHERE month = 10', enable),
	planned('SELECT FROM (by_back b CROSS JOIN by_day d) JOIN few ON few.back = b.back AND few.day = d.day WHERE month = 10', enable)
FROM (VALUES ('off'), ('on')) e (enable);
-- two calendars by one day; and a correction of one side, which counts no second time
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day) JOIN calendar d ON d.day = c.day WHERE d.year = 105');
SELECT * FROM rows_of('SELECT FROM returned r JOIN (sales s JOIN calendar c ON s.day = c.day AND year = 105) ON r.id = s.id');
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day AND year = 105) JOIN returned r ON r.id = s.id');

-- The condition of a third table: in the order of the calendar, in the opposite one, in none, in parts
CREATE TABLE month_in_no_order AS SELECT * FROM month ORDER BY code;
ALTER TABLE month_in_no_order ADD PRIMARY KEY (id);
CREATE TABLE month_in_parts (LIKE month) PARTITION BY RANGE (id);
CREATE TABLE month_in_parts_1 PARTITION OF month_in_parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE month_in_parts_2 PARTITION OF month_in_parts FOR VALUES FROM (1000) TO (3000);
INSERT INTO month_in_parts SELECT * FROM month ORDER BY id;
CREATE TABLE fortnight AS SELECT -10 * g AS back, g / 10 AS year FROM generate_series(0, 2000) g ORDER BY g;
ANALYZE month_in_no_order, month_in_parts, fortnight;
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day) JOIN month m ON m.id = c.month WHERE m.year = 105');
SELECT * FROM rows_of('SELECT FROM (calendar c JOIN month m ON m.id = c.month) JOIN sales s ON s.day = c.day WHERE m.year = 105');
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day) JOIN fortnight f ON f.back = c.back WHERE f.year = 105');
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day) JOIN month_in_no_order m ON m.id = c.month WHERE m.year = 105');
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day) JOIN month_in_parts m ON m.id = c.month WHERE m.year = 105');
-- not that of the facts, nor of a table that only these are joined to; nor in a semi-join
SELECT * FROM rows_of('SELECT FROM sales s JOIN calendar c ON s.day = c.day AND s.month = c.month WHERE s.id < 1000');
SELECT * FROM rows_of('SELECT FROM (sales s JOIN calendar c ON s.day = c.day) JOIN month m ON m.id = s.month
	WHERE c.weekday = 3 AND m.year = 105');
SELECT * FROM rows_of('SELECT FROM (SELECT * FROM calendar c WHERE EXISTS (SELECT FROM fortnight f WHERE f.back = c.back AND f.year = 105)) c
	JOIN sales s ON s.day = c.day');

-- Joins that run again for each value of another table, and parts of joins for several processes
CREATE INDEX ON sales (item);
CREATE UNIQUE INDEX ON calendar (day, weekday);
CREATE TABLE value AS SELECT g AS item, g % 7 AS weekday FROM generate_series(1, 3) g;
ANALYZE value;
CREATE FUNCTION inner_rows(query text, enable text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
BEGIN
	PERFORM set_config('bloomtype_plan.enable', enable, true);
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO e;
	e := e -> 0 -> 'Plan' -> 'Plans';
	RETURN e -> jsonb_array_length(e) - 1 ->> 'Plan Rows';
END $$;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT joined, inner_rows(query, 'off') AS planner, inner_rows(query, 'on') AS corrected FROM (VALUES
	('s.day = c.day AND year = 105) ON v.item = s.item'),
	('s.day = c.day AND year = 105) ON v.item = s.item AND v.weekday = c.weekday')) j (joined),
	concat('SELECT FROM value v LEFT JOIN (sales s JOIN calendar c ON ', joined) query;
RESET enable_hashjoin;
RESET enable_mergejoin;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT inner_rows(query, 'off') AS planner, inner_rows(query, 'on') AS corrected
FROM concat('SELECT s.* FROM sales s JOIN calendar c ON s.day = c.day AND year = 105') query;
SET max_parallel_workers_per_gather = 0;

SET client_min_messages = warning;
DROP SCHEMA plan_rows CASCADE;
