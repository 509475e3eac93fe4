-- The tables of adversaries_queries.sql, with what those queries call.

CREATE FUNCTION pick(i int, seed int, n int) RETURNS int LANGUAGE sql IMMUTABLE
AS 'SELECT ((hashint4extended(i, seed) & 2147483647) % n)::int';

-- pairs of a person and an item: few of those in one table are in another
CREATE TABLE wish (person int, item int, since int, PRIMARY KEY (person, item));
CREATE TABLE purchase (person int, item int, number int, PRIMARY KEY (person, item));
CREATE TABLE click (id int PRIMARY KEY, person int, item int);
CREATE TABLE task (id int, click_id int);
INSERT INTO wish SELECT pick(i, 1, 20000), pick(i, 2, 5000), i FROM generate_series(1, 200000) i ON CONFLICT DO NOTHING;
INSERT INTO purchase SELECT pick(i, 3, 20000), pick(i, 4, 5000), i % 4 FROM generate_series(1, 200000) i ON CONFLICT DO NOTHING;
INSERT INTO click SELECT i, pick(i, 5, 20000), pick(i, 6, 5000) FROM generate_series(1, 600000) i;
INSERT INTO task SELECT i, pick(i, 7, 600000) FROM generate_series(1, 200000) i;
CREATE INDEX ON wish (since);
CREATE INDEX ON click (person, item);
CREATE FUNCTION is_due(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE COST 20000 AS 'BEGIN RETURN true; END';

-- five years of sales, and a calendar of 200.  Those of region 0 end in the middle
CREATE TABLE calendar (day int PRIMARY KEY, year int);
CREATE TABLE sale (id int PRIMARY KEY, day int, region int, customer_id int);
CREATE TABLE customer (id int PRIMARY KEY, name text);
INSERT INTO calendar SELECT i, 1900 + i / 365 FROM generate_series(0, 73000) i;
INSERT INTO sale
SELECT i, 36500 + i / 550, CASE WHEN i > 500000 THEN 1 + i % 9 ELSE i % 10 END, pick(i, 8, 100000)
FROM generate_series(1, 1000000) i;
INSERT INTO customer SELECT i, 'customer ' || i FROM generate_series(0, 99999) i;
CREATE INDEX ON sale (day);

-- visits of half of the places, by keys of several kinds
CREATE COLLATION unequal (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE visit AS
SELECT i AS id, n, 'place number ' || n AS short, ('place number ' || n) COLLATE unequal AS other,
	n::numeric * 1.01 AS fraction
FROM (SELECT i, pick(i, 9, 20000) AS n FROM generate_series(1, 200000) i) AS numbers;
CREATE TABLE place AS
SELECT n, 'place number ' || n AS short, ('place number ' || n) COLLATE unequal AS other, n::numeric * 1.01 AS fraction
FROM generate_series(0, 9999) n;
CREATE TABLE long_visit AS
SELECT i AS id, repeat(md5((i % 10000)::text), 100) AS long,
	(SELECT string_agg(md5((i % 10000)::text || j), '') FROM generate_series(1, 45) j) AS wide
FROM generate_series(1, 40000) i;
CREATE TABLE long_place AS SELECT long, wide FROM long_visit WHERE id <= 5000;
CREATE TABLE visitor AS SELECT i % 10000 AS n FROM generate_series(1, 90000) i;

-- a condition on two columns that planners take for common, and no row meets
CREATE TABLE event AS SELECT i AS id, i % 2 AS a, 1 - i % 2 AS b, pick(i, 10, 50000) AS source_id FROM generate_series(1, 300000) i;
CREATE TABLE source AS SELECT i AS id, pick(i, 11, 20000) AS owner_id FROM generate_series(0, 49999) i;
CREATE TABLE payment AS SELECT i % 20000 AS owner_id, i AS amount FROM generate_series(1, 1000000) i;
CREATE TABLE few AS SELECT i FROM generate_series(1, 50) i;
CREATE INDEX ON event (a, b);

-- nearly all rows have one key, which the few have
CREATE TABLE skewed AS SELECT i AS id, CASE WHEN i % 30 > 0 THEN 1 ELSE i END AS k
FROM generate_series(1, 600000) i;

-- a thousand partitions of a hundred rows
CREATE TABLE part (id int, n int) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE part_%s PARTITION OF part FOR VALUES FROM (%s) TO (%s)', i, i * 100, i * 100 + 100)
FROM generate_series(0, 999) i \gexec
INSERT INTO part SELECT i, pick(i, 12, 20000) FROM generate_series(0, 99999) i;

-- a statement planned once, or each time, and run many times; and a cursor of which few rows are fetched
CREATE FUNCTION prepared(statement text, times int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'PREPARE repeated AS ' || statement;
	FOR i IN 1 .. times LOOP
		EXECUTE 'EXECUTE repeated';
	END LOOP;
	DEALLOCATE repeated;
END $$;
CREATE FUNCTION planned(statement text, times int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. times LOOP
		EXECUTE statement;
	END LOOP;
END $$;
CREATE FUNCTION fetched(statement text, rows int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	rows_of refcursor;
	found_row record;
BEGIN
	OPEN rows_of FOR EXECUTE statement;
	FOR i IN 1 .. rows LOOP
		FETCH rows_of INTO found_row;
	END LOOP;
	CLOSE rows_of;
END $$;

VACUUM ANALYZE;
