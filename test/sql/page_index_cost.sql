--
-- Indexes USING bloom_pages: what a plan costs, from which follows whether it is taken
--
\a\t

\set ECHO none
SET client_min_messages = warning;
-- The index of the plan of a query, rows that the scan of the index says it has, and the cost, if it is not
-- about the one that is expected
CREATE FUNCTION priced(query text, expected float8, OUT index text, OUT rows int8, OUT cost text)
LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
	total float8;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	total := plan -> 0 -> 'Plan' ->> 'Total Cost';
	index := coalesce(substring(plan::text FROM '"Index Name": "(\w+)"'), 'none');
	rows := plan -> 0 -> 'Plan' -> 'Plans' -> 0 ->> 'Plan Rows';
	cost := CASE WHEN abs(total / expected - 1) < 0.02 THEN 'as expected' ELSE total::text END;
END
$$;

-- 2308 pages, and statistics of all rows.  A value of "together" has 100 rows in one place, one of "scattered"
-- as many in that many places; one of "few" is on each page.  The index of "together" has two levels.
CREATE TABLE item (id int8, together int, scattered int, few int, other int, pad char(560) DEFAULT '') WITH (autovacuum_enabled = off);
ALTER TABLE item ALTER pad SET STORAGE plain;
INSERT INTO item SELECT i, i / 100, i % 300, i % 5, i % 128 FROM generate_series(1, 29999) i;
CREATE INDEX item_id ON item USING bloom_pages (id) WITH (pages_per_range = 8);
CREATE INDEX item_together ON item USING bloom_pages (together) WITH (pages_per_range = 1);
CREATE INDEX item_few ON item USING bloom_pages (few) WITH (pages_per_range = 8);
CREATE INDEX item_scattered ON item USING bloom_pages (scattered) WITH (pages_per_range = 8);
-- of two epochs
CREATE INDEX item_epochs ON item USING bloom_pages ((-id)) WITH (pages_per_range = 1, rows_per_range = 1);
VACUUM ANALYZE item;
\set ECHO all
SELECT query, p.* FROM (VALUES
	('SELECT FROM item', 2608),
	('SELECT FROM item WHERE id = 7', 34.9),
	('SELECT FROM item WHERE id IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)', 244),
	('SELECT FROM item WHERE together = 7', 71.5),
	('SELECT FROM item WHERE -id = -7', 18.3),
	('SELECT FROM item WHERE scattered = 7', 930),
	('SELECT FROM item WHERE scattered = 7 AND id = 7', 34.9),
	('SELECT FROM item WHERE few = 2', 2683)) q (query, expected), priced(query, expected) p;
SET seq_page_cost = 2;
SET random_page_cost = 3;
SELECT query, p.* FROM (VALUES ('SELECT FROM item WHERE id = 7', 35.9)) q (query, expected), priced(query, expected) p;
RESET seq_page_cost;
RESET random_page_cost;
-- without statistics, a key is expected to have few rows
DELETE FROM pg_statistic WHERE starelid = 'item'::regclass;
SELECT query, p.* FROM (VALUES ('SELECT FROM item WHERE few = 2', 48.6)) q (query, expected), priced(query, expected) p;
-- of 100 keys, some are in the same range
SELECT p.* FROM priced(format('SELECT FROM item WHERE id = ANY (%L)',
	(SELECT array_agg(i * 7) FROM generate_series(1, 100) i)), 1732) p;
ANALYZE item;
SELECT n, p.* FROM (VALUES (100, 1145), (200, 1855), (1000, 2760)) q (n, expected),
	priced(format('SELECT FROM item WHERE id = ANY (%L)',
		(SELECT array_agg(i * 7) FROM generate_series(1, n) i)), expected) p;
-- a plan that is kept is for ten
PREPARE kept(int8[]) AS SELECT FROM item WHERE id = ANY ($1);
SET plan_cache_mode = force_generic_plan;
SELECT p.* FROM priced('EXECUTE kept(NULL)', 252) p;
RESET plan_cache_mode;
-- a nested loop finds pages of the index again
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_seqscan = off;
SELECT query, p.* FROM (VALUES
	('SELECT FROM generate_series(1, 1000) i JOIN item ON id = i', 11209)) q (query, expected), priced(query, expected) p;
RESET enable_seqscan;
-- another index makes it no cheaper to read the ranges of a key
CREATE INDEX item_other ON item (other);
SELECT query, p.* FROM (VALUES
	('SELECT FROM item WHERE id = 7 AND other = 7', 34.9)) q (query, expected), priced(query, expected) p;
DROP INDEX item_other;
-- tables of one range, all of which is read, and one that has a b-tree
CREATE TABLE page AS SELECT i AS id FROM generate_series(1, 100) i;
CREATE INDEX ON page USING bloom_pages (id);
CREATE TABLE pages AS SELECT i AS id FROM generate_series(1, 900) i;
CREATE INDEX ON pages USING bloom_pages (id);
ANALYZE page, pages;
CREATE INDEX item_btree ON item (id);
SELECT query, index FROM (VALUES
	('SELECT FROM page WHERE id = 7'),
	('SELECT FROM pages WHERE id = 7'),
	('SELECT FROM item WHERE id = 7')) q (query), priced(query, 1);
SET seq_page_cost = 0.1;
SET random_page_cost = 0.1;
SELECT query, index FROM (VALUES
	('SELECT FROM page WHERE id = 7'),
	('SELECT FROM pages WHERE id = 7'),
	('SELECT FROM item WHERE id = 7')) q (query), priced(query, 1);

DROP TABLE item, page, pages;
DROP FUNCTION priced;
