-- bloomtype_plan: rows of joins with calendars, as statistics show them
--
-- Left to --ci, for its time.

LOAD 'bloomtype_plan';
SET max_parallel_workers_per_gather = 0;
CREATE SCHEMA plan_calendar;
SET search_path = plan_calendar;

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

-- Rows that the planner expects of a query, as a judgement: `right' is at most 3 times more or less
CREATE FUNCTION planned(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	e json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO e;
	RETURN e -> 0 -> 'Plan' -> 'Plan Rows';
END $$;
CREATE FUNCTION judged(planned float8, actual bigint) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN planned * 3 < actual THEN 'too few' WHEN planned > 3 * greatest(actual, 1) THEN 'too many'
		ELSE 'right' END
$$;
CREATE FUNCTION compared(query text, OUT planner text, OUT corrected text, OUT answers text)
	LANGUAGE plpgsql AS $$
DECLARE
	actual bigint;
	again bigint;
BEGIN
	SET LOCAL bloomtype_plan.enable = off;
	EXECUTE 'SELECT count(*) FROM (' || query || ') q' INTO actual;
	planner := judged(planned(query), actual);
	SET LOCAL bloomtype_plan.enable = on;
	corrected := judged(planned(query), actual);
	EXECUTE 'SELECT count(*) FROM (' || query || ') q' INTO again;
	answers := CASE WHEN again = actual THEN 'same' ELSE again || ' for ' || actual END;
END $$;
CREATE FUNCTION is_unchanged(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	before float8;
BEGIN
	SET LOCAL bloomtype_plan.enable = off;
	before := planned(query);
	SET LOCAL bloomtype_plan.enable = on;
	RETURN planned(query) = before;
END $$;
SHOW bloomtype_plan.enable;
SET bloomtype_plan.other = on;

-- Conditions that select a range of days, and others
SELECT condition, compared.* FROM (VALUES
	('year = 2000'), ('2000 = year'), ('year IN (1999, 2001)'), ('year > 1999'), ('year < 1999'),
	('date BETWEEN ''2000-01-01'' AND ''2000-01-30'''), ('date > ''2002-10-01''::timestamp'), ('c.day = 2451545'),
	('c.day > 2451545'), ('month BETWEEN 24001 AND 24012'), ('year = 2000 AND dow = 1'), ('dow = 1'),
	('holiday = ''Y'''), ('year = 2000 AND holiday = ''Y'''), ('true')) c (condition),
	compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE ' || condition);
-- a year without facts, days that an expression selects, columns that nearly are in the order, or constant
SELECT condition, is_unchanged('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE ' || condition) FROM (VALUES
	('year = 1950'), ('c.day % 200 = 3'), ('year <> 2000'), ('year = 2000 OR dow = 1'), ('is_past'),
	('year IS NOT NULL')) c (condition);
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE about BETWEEN 35800 AND 36800');
-- weeks: few days, all rows of a day
SELECT * FROM compared('SELECT FROM stock s JOIN calendar c ON s.day = c.day WHERE year = 2000');
-- other types of key
CREATE TABLE other_types AS SELECT day::bigint AS day8, date FROM sales JOIN calendar USING (day)
	ORDER BY sales.id;
CREATE UNIQUE INDEX ON calendar (date);
ANALYZE other_types;
SELECT * FROM compared('SELECT FROM other_types o JOIN calendar c ON o.day8 = c.day WHERE year = 2000');
SELECT * FROM compared('SELECT FROM other_types o JOIN calendar c ON o.date = c.date WHERE year = 2000');

-- Through a third table: weeks of a year
SELECT * FROM compared('SELECT FROM stock s JOIN calendar c ON s.day = c.day JOIN calendar d ON c.week = d.week
	WHERE d.year = 1999');
SELECT * FROM compared('SELECT FROM calendar d JOIN calendar c ON c.week = d.week JOIN (stock s JOIN item i ON s.item = i.id)
	ON s.day = c.day WHERE d.year = 1999 AND kind = 3');
-- months, in a table of their own
CREATE TABLE month AS SELECT DISTINCT month AS id, year FROM calendar ORDER BY month;
ALTER TABLE month ADD PRIMARY KEY (id);
ANALYZE month;
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day JOIN month m ON c.month = m.id
	WHERE m.year = 2001');

-- Joined to others, before or after; where the planner expects a row or less; two facts of a day
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day JOIN shop ON shop = shop.id
	JOIN item i ON item = i.id WHERE year = 2000 AND kind = 7');
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day JOIN shop ON shop = shop.id
	WHERE year = 2000 AND item = 7');
SELECT * FROM compared('SELECT FROM sales s, stock t, calendar c WHERE s.day = c.day AND t.day = c.day AND c.year = 2000
	AND s.item < 90 AND t.item = 8');
SELECT * FROM compared('SELECT FROM sales s, stock t, calendar c WHERE t.day = s.day AND t.day = c.day AND c.year = 2000
	AND s.item < 90 AND t.item = 8');
SELECT * FROM compared('SELECT FROM sales s LEFT JOIN item i ON s.item = i.id AND kind = 3 JOIN calendar c ON s.day = c.day
	WHERE year = 2000');
-- beside a table that is not needed
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day LEFT JOIN month m ON m.id = c.month
	LEFT JOIN calendar d ON d.day = s.day WHERE c.year = 2000');
-- in parts, and by GEQO
SET join_collapse_limit = 1;
SELECT * FROM compared('SELECT FROM (sales s JOIN shop ON shop = shop.id) JOIN (calendar c JOIN stock t ON t.day = c.day)
	ON s.day = c.day WHERE year = 2000 AND s.item < 90 AND t.item = 8');
RESET join_collapse_limit;
SET geqo_threshold = 2;
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day JOIN shop ON shop = shop.id
	JOIN item i ON item = i.id WHERE year = 2000 AND kind = 7');
SELECT * FROM compared('SELECT FROM stock s JOIN calendar c ON s.day = c.day JOIN calendar d ON c.week = d.week
	JOIN item i ON item = i.id WHERE d.year = 1999 AND kind = 7');
SET from_collapse_limit = 3;
SET join_collapse_limit = 3;
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day JOIN shop ON shop = shop.id
	JOIN item i ON item = i.id JOIN stock t ON t.day = c.day AND t.item = 8 WHERE year = 2000 AND kind = 7');
RESET from_collapse_limit;
RESET join_collapse_limit;
RESET geqo_threshold;

-- Sub-selects, CTEs and UNION ALL have their own corrections
SELECT * FROM compared('SELECT FROM (SELECT c.date FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 OFFSET 0) x');
SELECT * FROM compared('WITH x AS MATERIALIZED (SELECT c.date FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000)
	SELECT FROM x');
SELECT * FROM compared('SELECT s.id FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 UNION ALL
	SELECT s.item FROM stock s JOIN calendar c ON s.day = c.day WHERE year = 2000');
-- A sub-select that is planned by itself, or facts of several tables, joined to the calendar
SELECT facts, compared.* FROM (VALUES
	('(SELECT * FROM sales OFFSET 0)'),
	('(SELECT s.day FROM sales s JOIN item i ON s.item = i.id WHERE kind = 7 OFFSET 0)'),
	('(SELECT day, item FROM sales UNION ALL SELECT day, item FROM stock)'),
	('(SELECT day, item FROM sales WHERE shop = 3 UNION ALL SELECT day, item FROM stock WHERE item < 20)'),
	('(SELECT s.day FROM sales s JOIN item i ON s.item = i.id WHERE kind = 7 UNION ALL SELECT day FROM stock)'),
	('(SELECT day FROM sales WHERE false UNION ALL SELECT day FROM stock UNION ALL SELECT day FROM stock)')) f (facts),
	compared('SELECT FROM ' || facts || ' s JOIN calendar c ON s.day = c.day WHERE year = 2000');
-- one without statistics: an expression, groups
SELECT facts, is_unchanged('SELECT FROM ' || facts || ' s JOIN calendar c ON s.day = c.day WHERE year = 2000') FROM (VALUES
	('(SELECT day + 1 AS day FROM sales UNION ALL SELECT day FROM stock)'),
	('(SELECT day, item, count(*) FROM sales GROUP BY day, item)')) f (facts);
-- a calendar in a sub-select: if it is not pulled up, the planner is right by itself
SELECT dates, compared.* FROM (VALUES
	('(SELECT * FROM calendar WHERE year = 2000)'), ('(SELECT * FROM calendar WHERE year = 2000 OFFSET 0)'),
	('(SELECT day FROM calendar WHERE year = 2000 GROUP BY day)')) d (dates),
	compared('SELECT FROM sales s JOIN ' || dates || ' c ON s.day = c.day');
SELECT * FROM compared('SELECT FROM sales WHERE day IN (SELECT day FROM calendar WHERE year = 2000)');

-- Joins that run again for values of another table: in each run, their rows are corrected, too.
CREATE INDEX ON sales (item);
CREATE TABLE few AS SELECT g AS item FROM generate_series(1, 3) g;
ANALYZE few;
CREATE FUNCTION planned_inside(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	e json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO e;
	RETURN e -> 0 -> 'Plan' -> 'Plans' -> 1 -> 'Plan Rows';
END $$;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET bloomtype_plan.enable = off;
SELECT planned_inside('SELECT FROM few LEFT JOIN (sales s JOIN calendar c ON s.day = c.day AND year = 2000) ON few.item = s.item') AS planner;
SET bloomtype_plan.enable = on;
SELECT judged(planned_inside('SELECT FROM few LEFT JOIN (sales s JOIN calendar c ON s.day = c.day AND year = 2000) ON few.item = s.item'), 44);
RESET bloomtype_plan.enable;
RESET enable_hashjoin;
RESET enable_mergejoin;

-- not sub-selects of expressions: each is planned twice, and one of the two is chosen by its rows
CREATE FUNCTION same_plan(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	before json;
	after json;
BEGIN
	SET LOCAL bloomtype_plan.enable = off;
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO before;
	SET LOCAL bloomtype_plan.enable = on;
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO after;
	RETURN before::text = after::text;
END $$;
SELECT same_plan('SELECT EXISTS (SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 AND item = i.id)
	FROM item i');
SELECT same_plan('SELECT FROM item i WHERE id NOT IN (SELECT item FROM sales s JOIN calendar c ON s.day = c.day
	WHERE year = 2000)');
SELECT same_plan('SELECT (SELECT count(*) FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000)');
SELECT same_plan('SELECT EXISTS (WITH x AS MATERIALIZED (SELECT item FROM sales s JOIN calendar c ON s.day = c.day
	WHERE year = 2000) SELECT FROM x WHERE item = i.id) FROM item i');
SELECT same_plan('SELECT FROM item i, LATERAL (SELECT count(*) FROM sales s JOIN calendar c ON s.day = c.day
	WHERE year = 2000 AND item = i.id) x');

-- Outer joins keep their rows; semi-joins are as the planner has them
SELECT is_unchanged('SELECT FROM sales s LEFT JOIN calendar c ON s.day = c.day AND year = 2000');
SELECT is_unchanged('SELECT FROM sales s FULL JOIN (SELECT * FROM calendar WHERE year = 2000) c ON s.day = c.day');
SELECT is_unchanged('SELECT FROM calendar c WHERE year = 2000 AND EXISTS (SELECT FROM sales s WHERE s.day = c.day)');

-- Where only some rows are wanted, as by LIMIT, all stays as it is; beside it, not, nor where all rows
-- are read before it.
SELECT is_unchanged('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 LIMIT 10');
SELECT is_unchanged('SELECT FROM (SELECT s.item FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 OFFSET 0) x LIMIT 10');
SELECT same_plan('SELECT s.day, count(*) FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 GROUP BY s.day LIMIT 10');
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 LIMIT ALL');
SELECT same_plan('SELECT count(*) FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 LIMIT 10');
SELECT same_plan('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 ORDER BY s.shop LIMIT 10');
CREATE INDEX sales_shop ON sales (shop);
SELECT same_plan('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000 ORDER BY s.shop LIMIT 10');
DROP INDEX sales_shop;
SELECT * FROM compared('SELECT FROM (SELECT id FROM shop LIMIT 5) x JOIN sales s ON s.shop = x.id JOIN calendar c ON s.day = c.day
	WHERE year = 2000');

-- A parameter that is not known is taken for a year with facts.
PREPARE p AS SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = $1;
SET plan_cache_mode = force_generic_plan;
SET bloomtype_plan.enable = on;
SELECT judged(planned('EXECUTE p(2000)'), 40000);
RESET bloomtype_plan.enable;
RESET plan_cache_mode;

-- Statistics that the user may not see: comparisons of numeric values might disclose these.
CREATE TABLE numeric_calendar AS SELECT day, year::numeric AS year FROM calendar ORDER BY day;
ALTER TABLE numeric_calendar ADD PRIMARY KEY (day);
ANALYZE numeric_calendar;
SELECT * FROM compared('SELECT FROM other_types o JOIN numeric_calendar c ON o.day8 = c.day WHERE year = 2000');
SET client_min_messages = warning;
CREATE ROLE regress_plan_calendar;
RESET client_min_messages;
GRANT USAGE ON SCHEMA plan_calendar TO regress_plan_calendar;
GRANT SELECT ON ALL TABLES IN SCHEMA plan_calendar TO regress_plan_calendar;
SET ROLE regress_plan_calendar;
SELECT is_unchanged('SELECT FROM other_types o JOIN numeric_calendar c ON o.day8 = c.day WHERE year = 2000');
RESET ROLE;
ALTER TABLE numeric_calendar ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON numeric_calendar USING (day > 0);
SET ROLE regress_plan_calendar;
SELECT is_unchanged('SELECT FROM other_types o JOIN numeric_calendar c ON o.day8 = c.day WHERE year = 2000');
RESET ROLE;

-- A foreign key changes nothing: it is known that each sale has its day.
ALTER TABLE sales ADD FOREIGN KEY (day) REFERENCES calendar;
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day WHERE year = 2000');
SELECT is_unchanged('SELECT FROM sales s JOIN calendar c ON s.day = c.day');
ALTER TABLE sales DROP CONSTRAINT sales_day_fkey;

-- Calendars in other orders; facts outside of a calendar, or with days that it hardly has; more of them each year
CREATE TABLE backwards AS SELECT * FROM calendar ORDER BY day DESC;
CREATE TABLE shuffled AS SELECT * FROM calendar ORDER BY hashint4(day);
CREATE TABLE by_weekday AS SELECT * FROM calendar ORDER BY dow, day;
CREATE TABLE some_days AS SELECT * FROM calendar WHERE day % 40 = 0 ORDER BY day;
CREATE TABLE without_early AS SELECT * FROM calendar WHERE year >= 2000 ORDER BY day;
ALTER TABLE backwards ADD PRIMARY KEY (day);
ALTER TABLE shuffled ADD PRIMARY KEY (day);
ALTER TABLE by_weekday ADD PRIMARY KEY (day);
ALTER TABLE some_days ADD PRIMARY KEY (day);
ALTER TABLE without_early ADD PRIMARY KEY (day);
CREATE TABLE growing AS SELECT 2450816 + (1823 * (1 - power(g / 100000.0, 1 / 3.0)))::int AS day FROM generate_series(100000, 1, -1) g;
CREATE TABLE at_both_ends AS SELECT 2415022 + CASE WHEN g < 50000 THEN g / 100 ELSE 73048 - g / 200 END AS day
	FROM generate_series(0, 99999) g;
CREATE TABLE of_few_days AS SELECT 2450816 + 365 * (g / 20000) AS day FROM generate_series(0, 99999) g;
CREATE TABLE of_a_day AS SELECT 2451545 AS day FROM generate_series(0, 99999) g;
CREATE TABLE with_nulls AS SELECT CASE WHEN id % 4 = 0 THEN day END AS day FROM sales ORDER BY id;
ANALYZE backwards, shuffled, by_weekday, some_days, without_early, growing, at_both_ends, of_few_days, of_a_day, with_nulls;
SELECT facts, dates, condition, c.*, planner = 'right' AND corrected <> 'right' AS spoiled
FROM (VALUES ('sales', 'backwards', 'year = 2000'), ('sales', 'backwards', 'year < 1999'), ('sales', 'shuffled', 'year = 2000'),
	('sales', 'by_weekday', 'year = 2000'), ('sales', 'by_weekday', 'dow = 1'), ('sales', 'some_days', 'year = 2000'),
	('sales', 'without_early', 'year = 2000'), ('sales', 'without_early', 'year < 2002'),
	('sales', 'calendar', 'month = 23979'), ('sales', 'calendar', 'month > 24034'), ('growing', 'calendar', 'month = 23980'), ('growing', 'calendar', 'month BETWEEN 24027 AND 24029'), ('growing', 'calendar', 'year > 2000'),
	('at_both_ends', 'calendar', 'year = 1901'), ('at_both_ends', 'calendar', 'year = 2000'),
	('of_few_days', 'calendar', 'year = 2000'), ('of_a_day', 'calendar', 'year = 2000'), ('of_a_day', 'calendar', 'dow = 6'),
	('with_nulls', 'calendar', 'year = 2000'),
	('sales', 'calendar', 'about BETWEEN 30000 AND 31000'), ('sales', 'calendar', 'about BETWEEN 36000 AND 36200'),
	('sales', 'calendar', 'about = 36000')) v (facts, dates, condition),
	compared('SELECT FROM ' || facts || ' s JOIN ' || dates || ' c ON s.day = c.day WHERE ' || condition) c;

-- facts that use most of the calendar: the planner is nearly right
CREATE TABLE of_most_days AS SELECT 2415022 + g % 44000 AS day FROM generate_series(0, 99999) g;
ANALYZE of_most_days;
SELECT is_unchanged('SELECT FROM of_most_days s JOIN calendar c ON s.day = c.day WHERE year = 2000');

-- Dates that stand for none, before or after all others; a calendar of which a tenth was updated
CREATE TABLE dated AS SELECT date, day FROM sales JOIN calendar USING (day) ORDER BY sales.id;
CREATE TABLE one_late AS SELECT * FROM dated UNION ALL SELECT '9999-12-31', 5373484;
CREATE TABLE some_early AS SELECT CASE WHEN g % 1000 = 0 THEN '1900-01-02' ELSE date END AS date
	FROM (SELECT date, row_number() OVER () AS g FROM dated) d;
CREATE TABLE many_early AS SELECT CASE WHEN g % 50 = 0 THEN '1900-01-02' ELSE date END AS date
	FROM (SELECT date, row_number() OVER () AS g FROM dated) d;
CREATE TABLE some_infinite AS SELECT CASE WHEN g % 1000 = 0 THEN '-infinity' ELSE date END AS date
	FROM (SELECT date, row_number() OVER () AS g FROM dated) d;
CREATE TABLE open_calendar AS SELECT day, date, year FROM calendar ORDER BY day;
INSERT INTO open_calendar VALUES (-1, '-infinity', 0), (5373484, '9999-12-31', 9999);
CREATE TABLE updated_calendar AS SELECT day, date, year, dow FROM calendar ORDER BY day;
UPDATE updated_calendar SET dow = 7 - dow WHERE day * 7919::bigint % 10 = 3;
ALTER TABLE open_calendar ADD PRIMARY KEY (date);
ALTER TABLE updated_calendar ADD PRIMARY KEY (date);
ANALYZE dated, one_late, some_early, many_early, some_infinite, open_calendar, updated_calendar;
SELECT facts, dates, c.* FROM (VALUES ('dated'), ('one_late'), ('some_early'), ('many_early'), ('some_infinite')) f (facts),
	(VALUES ('calendar'), ('open_calendar'), ('updated_calendar')) d (dates),
	compared('SELECT FROM ' || facts || ' s JOIN ' || dates || ' c ON s.date = c.date WHERE year = 2000') c;
SELECT is_unchanged('SELECT FROM dated s JOIN updated_calendar c ON s.date = c.date WHERE c.dow = 3');

-- Partitions of the facts; a calendar with partitions, joined one by one, is left to the statistics of each
CREATE PROCEDURE split(name text, bounds int[]) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE calendar_by_%s (LIKE calendar) PARTITION BY RANGE (day)', name);
	EXECUTE format('CREATE TABLE sales_by_%s (LIKE sales) PARTITION BY RANGE (day)', name);
	FOR i IN 1 .. array_length(bounds, 1) - 1 LOOP
		EXECUTE format('CREATE TABLE calendar_by_%1$s_%2$s PARTITION OF calendar_by_%1$s FOR VALUES FROM (%3$s) TO (%4$s)',
			name, i, bounds[i], bounds[i + 1]);
		EXECUTE format('CREATE TABLE sales_by_%1$s_%2$s PARTITION OF sales_by_%1$s FOR VALUES FROM (%3$s) TO (%4$s)',
			name, i, bounds[i], bounds[i + 1]);
	END LOOP;
	EXECUTE format('ALTER TABLE calendar_by_%s ADD PRIMARY KEY (day)', name);
	EXECUTE format('INSERT INTO calendar_by_%s SELECT * FROM calendar ORDER BY day', name);
	EXECUTE format('INSERT INTO sales_by_%s SELECT * FROM sales ORDER BY id', name);
	EXECUTE format('ANALYZE calendar_by_%1$s, sales_by_%1$s', name);
END $$;
CALL split('age', ARRAY[0, 2433283, 2469808, 3000000]);
CALL split('year', ARRAY[0, 2451545, 2451911, 3000000]);
SELECT * FROM compared('SELECT FROM sales_by_age s JOIN calendar c ON s.day = c.day WHERE year = 2000');
SET enable_partitionwise_join = on;
SELECT is_unchanged('SELECT FROM sales_by_age s JOIN calendar_by_age c ON s.day = c.day WHERE year = 2000');
SELECT is_unchanged('SELECT FROM sales_by_age s JOIN calendar_by_age c ON s.day = c.day JOIN item i ON s.item = i.id
	WHERE year = 2000 AND kind = 7');
SELECT * FROM compared('SELECT FROM sales_by_year s JOIN calendar_by_year c ON s.day = c.day WHERE year = 2000');
RESET enable_partitionwise_join;

-- Workers: each has its part
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM compared('SELECT FROM sales s JOIN calendar c ON s.day = c.day JOIN shop ON shop = shop.id WHERE year = 2000');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET max_parallel_workers_per_gather = 0;

SET client_min_messages = warning;
DROP SCHEMA plan_calendar CASCADE;
DROP ROLE regress_plan_calendar;
