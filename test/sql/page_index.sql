--
-- Indexes USING bloom_pages: a scan finds the rows that a sequential scan finds
--
\a\t

\set ECHO none
SET client_min_messages = warning;

-- The rows of a query by the index, or how they differ from those of a sequential scan
CREATE FUNCTION agrees(query text) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = on SET enable_bitmapscan = on AS
$$
DECLARE
	line text;
	plan text := '';
	with_index text;
	without text;
BEGIN
	SET LOCAL enable_seqscan = off;
	SET LOCAL enable_bitmapscan = on;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO with_index;
	SET LOCAL enable_seqscan = on;
	SET LOCAL enable_bitmapscan = off;
	EXECUTE format('SELECT string_agg(q::text, '' '' ORDER BY q::text) FROM (%s) q', query) INTO without;
	RETURN CASE WHEN plan NOT LIKE '%Bitmap Index Scan%' THEN 'no index: ' || plan
		WHEN with_index IS DISTINCT FROM without THEN 'differs: ' || coalesce(with_index, 'none')
		ELSE coalesce(with_index, 'none') END;
END
$$;
-- How many of the keys 1 .. n an index finds in "item", a column "id"
CREATE FUNCTION found(n int) RETURNS int8 LANGUAGE plpgsql SET enable_seqscan = off AS
$$
DECLARE
	result int8;
BEGIN
	EXECUTE format('SELECT count((SELECT id FROM item WHERE id = i LIMIT 1))
		FROM generate_series(int8 ''1'', %s) i', n) INTO result;
	RETURN result;
END
$$;

--
-- Build and insert
--

CREATE TABLE item (id int8, name text, n int) WITH (autovacuum_enabled = off);
INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 20000) i;
CREATE INDEX item_id ON item USING bloom_pages (id) WITH (pages_per_range = 1);
CREATE INDEX item_name ON item USING bloom_pages (name);
ANALYZE item;
\set ECHO all
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = int8 '77';
SELECT agrees($$SELECT n FROM item WHERE id = int8 '77'$$) AS present,
	agrees($$SELECT n FROM item WHERE id = int8 '-77'$$) AS absent;
SELECT agrees($$SELECT n FROM item WHERE name = 'name 123'$$) AS present,
	agrees($$SELECT n FROM item WHERE name = 'name'$$) AS absent;
SELECT found(20000), bloom_pages_check('item_id'), bloom_pages_check('item_name');
-- it reads a small part of the table
CREATE FUNCTION table_pages_read(query text) RETURNS int LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Lossy Heap Blocks';
END
$$;
SELECT table_pages_read($$SELECT * FROM item WHERE id = int8 '77'$$) <= 2 AS one_range,
	table_pages_read($$SELECT * FROM item WHERE name = 'name 77'$$) <= 16 AS eight_pages;

-- an index of an empty table, which grows through several groups
TRUNCATE item;
SELECT found(100), (bloom_pages_info('item_id')).*;
INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 30000) i;
SELECT agrees($$SELECT n FROM item WHERE id = int8 '77'$$) AS present,
	agrees($$SELECT n FROM item WHERE id = int8 '-77'$$) AS absent;
SELECT found(30000), bloom_pages_check('item_id'), bloom_pages_check('item_name');
-- what it was made for follows what was seen, with 10 % more
SELECT pages_per_range, epochs, levels, ranges, abs(keys - 157) < 3 AS keys_are_rows,
	rows_per_range BETWEEN 160 AND 190 AS sized, current_false_ranges < 0.2 AS rate, overfull
FROM bloom_pages_info('item_id');

-- updates in place, and to other pages; deleted rows; space that is used again
BEGIN;
UPDATE item SET n = -n WHERE id <= 5;
UPDATE item SET id = -id, name = name || '!' WHERE id BETWEEN 6 AND 10;
DELETE FROM item WHERE id BETWEEN 11 AND 15;
SELECT agrees($$SELECT id, n FROM item WHERE id = int8 '3'$$) AS same_key,
	agrees($$SELECT id, n FROM item WHERE id = int8 '7'$$) AS old_key,
	agrees($$SELECT id, n FROM item WHERE id = int8 '-7'$$) AS new_key,
	agrees($$SELECT id, n FROM item WHERE id = int8 '12'$$) AS deleted,
	agrees($$SELECT id FROM item WHERE name = 'name 8!'$$) AS new_name;
ROLLBACK;
SELECT agrees($$SELECT id, n FROM item WHERE id = int8 '7'$$) AS old_key,
	agrees($$SELECT id, n FROM item WHERE id = int8 '-7'$$) AS new_key;
BEGIN;
INSERT INTO item VALUES (100001);
SAVEPOINT s;
INSERT INTO item VALUES (100002);
ROLLBACK TO s;
INSERT INTO item VALUES (100003);
COMMIT;
SELECT agrees('SELECT id FROM item WHERE id = ' || i::text || '::int8') FROM generate_series(100001, 100003) i;
DELETE FROM item WHERE id > 10000;
VACUUM (DISABLE_PAGE_SKIPPING) item;
SELECT reltuples FROM pg_class WHERE relname = 'item_id';
-- the table is shorter: what the index has of the rest is not read
SELECT agrees($$SELECT n FROM item WHERE id = int8 '29000'$$) AS cut_off, found(30000);
INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(50001, 70000) i;
SELECT agrees($$SELECT n FROM item WHERE id = int8 '60000'$$) AS present,
	agrees($$SELECT n FROM item WHERE id = int8 '29000'$$) AS absent,
	bloom_pages_check('item_id'), bloom_pages_check('item_name');
-- scans are counted
SELECT pg_stat_force_next_flush();
SELECT idx_scan > 60000 AS scans FROM pg_stat_user_indexes WHERE indexrelname = 'item_id';

--
-- Conditions
--

-- NULLs are not in it, and nothing is equal to one
INSERT INTO item SELECT NULL, NULL, -1 FROM generate_series(1, 100);
SELECT agrees($$SELECT count(*) FROM item WHERE id IS NULL$$) LIKE 'no index%' AS is_null;
PREPARE by_id(int8) AS SELECT n FROM item WHERE id = $1;
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
EXECUTE by_id(123);
EXECUTE by_id(NULL);
RESET plan_cache_mode;
RESET enable_seqscan;
-- lists, OR, AND
SELECT agrees($$SELECT n FROM item WHERE id = ANY ('{5,55555,-5,NULL,7,5}'::int8[])$$) AS any,
	agrees($$SELECT n FROM item WHERE id IN (int8 '5', int8 '6')$$) AS in,
	agrees($$SELECT n FROM item WHERE id = ANY ('{}'::int8[])$$) AS of_none;
SELECT agrees($$SELECT n FROM item WHERE id = int8 '5' OR name = 'name 6'$$) AS or,
	agrees($$SELECT n FROM item WHERE id = int8 '5' AND name = 'name 5'$$) AS and,
	agrees($$SELECT n FROM item WHERE id = int8 '5' AND name = 'name 6'$$) AS neither;
-- two keys at once, which only a function hides from the planner
CREATE FUNCTION five() RETURNS int8 STABLE LANGUAGE plpgsql AS 'BEGIN RETURN 5; END';
SELECT agrees($$SELECT n FROM item WHERE id = int8 '5' AND id = five()$$) AS both,
	agrees($$SELECT n FROM item WHERE id = int8 '6' AND id = five()$$) AS neither;
-- inner side of a nested loop
SET enable_seqscan = off;
EXPLAIN (COSTS OFF)
SELECT wanted, n FROM generate_series(int8 '9998', 10002) wanted, LATERAL (SELECT n FROM item WHERE id = wanted OFFSET 0) i;
SELECT wanted, n FROM generate_series(int8 '9998', 10002) wanted, LATERAL (SELECT n FROM item WHERE id = wanted OFFSET 0) i;
RESET enable_seqscan;

--
-- Kinds of indexes and tables
--

-- expressions, also several columns as one; part of the rows
CREATE INDEX item_lower ON item USING bloom_pages (lower(name));
CREATE INDEX item_part ON item USING bloom_pages (name) WHERE n % 2 = 0;
SELECT agrees($$SELECT n FROM item WHERE lower(name) = 'name 60000'$$) AS expression;
DROP INDEX item_name;
SELECT agrees($$SELECT n FROM item WHERE name = 'name 60000' AND n % 2 = 0$$) AS part,
	agrees($$SELECT n FROM item WHERE name = 'name 60000'$$) LIKE 'no index%' AS whole;
SELECT bloom_pages_check('item_lower'), bloom_pages_check('item_part');
-- one column
CREATE INDEX ON item USING bloom_pages (id, name);
CREATE UNIQUE INDEX ON item USING bloom_pages (id);
-- 19 prints the position, too
DO $$ BEGIN CREATE INDEX ON item USING bloom_pages (id DESC);
EXCEPTION WHEN feature_not_supported THEN RAISE WARNING '%', SQLERRM; END $$;
CREATE INDEX ON item USING bloom_pages (id) INCLUDE (n);
-- a type that cannot be a key
CREATE TABLE document (j json);
CREATE INDEX ON document USING bloom_pages (j);
DROP TABLE document;

-- concurrently
CREATE INDEX CONCURRENTLY item_name ON item USING bloom_pages (name);
REINDEX INDEX CONCURRENTLY item_name;
REINDEX INDEX item_name;
SELECT agrees($$SELECT n FROM item WHERE name = 'name 60000'$$), bloom_pages_check('item_name');
VACUUM FULL item;
SELECT agrees($$SELECT n FROM item WHERE name = 'name 60000'$$), bloom_pages_check('item_name');
CLUSTER item USING item_id;
DROP TABLE item;

-- temporary, unlogged and partitioned tables
CREATE TEMP TABLE item (id int8, pad text) ON COMMIT DELETE ROWS;
CREATE INDEX item_id ON item USING bloom_pages (id);
BEGIN;
INSERT INTO item SELECT i FROM generate_series(1, 10000) i;
SELECT found(10000), bloom_pages_check('item_id');
COMMIT;
INSERT INTO item SELECT i FROM generate_series(1, 10000) i;
SELECT found(10000), bloom_pages_check('item_id');
DROP TABLE item;
CREATE UNLOGGED TABLE item (id int8);
CREATE INDEX item_id ON item USING bloom_pages (id);
INSERT INTO item SELECT i FROM generate_series(1, 1000) i;
SELECT found(1000), bloom_pages_check('item_id');
ALTER TABLE item SET LOGGED;
SELECT found(1000), bloom_pages_check('item_id');
DROP TABLE item;
CREATE TABLE item (id int8, part int, n int) PARTITION BY LIST (part);
CREATE TABLE item_1 PARTITION OF item FOR VALUES IN (1);
CREATE INDEX item_id ON item USING bloom_pages (id);
CREATE TABLE item_2 PARTITION OF item FOR VALUES IN (2);
INSERT INTO item SELECT i, i % 2 + 1, i FROM generate_series(1, 10000) i;
SELECT agrees($$SELECT n FROM item WHERE id = int8 '77'$$), found(10000);
SELECT bloom_pages_check('item_1_id_idx'), bloom_pages_check('item_2_id_idx');
-- of all partitions, also of those of partitions
CREATE TABLE item_3 PARTITION OF item FOR VALUES IN (3, 4) PARTITION BY LIST (part);
SELECT bloom_pages_check('item_3_id_idx'), count(*) FROM bloom_pages_info('item_3_id_idx');
CREATE TABLE item_3_4 PARTITION OF item_3 FOR VALUES IN (4);
INSERT INTO item SELECT i, 4 FROM generate_series(1, 10) i;
SELECT bloom_pages_check('item_id');
SELECT index, ranges > 0 AS has_keys FROM bloom_pages_info('item_id');
-- who has the locks of partitions keeps that of their table
BEGIN;
SELECT count(*) FROM bloom_pages_info('item_id');
SELECT mode FROM pg_locks WHERE relation = 'item'::regclass AND pid = pg_backend_pid();
COMMIT;
-- an index that lacks one of a partition, and one of which a partition's is not valid
CREATE INDEX item_only ON ONLY item USING bloom_pages (n);
SELECT bloom_pages_check('item_only');
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'item_3_4_id_idx'::regclass;
SELECT bloom_pages_check('item_id');
SELECT index FROM bloom_pages_info('item_id');
CREATE INDEX item_n ON item (n);
SELECT bloom_pages_check('item_n');
DROP TABLE item;

-- keys of 40 kB, which do not compress: a b-tree takes a third of a page
CREATE FUNCTION large(i int) RETURNS text IMMUTABLE LANGUAGE sql AS
$$ SELECT string_agg(md5(i || '/' || g), '') FROM generate_series(1, 1250) g $$;
CREATE TABLE large (k text);
INSERT INTO large SELECT large(i) FROM generate_series(1, 20) i;
CREATE INDEX large_k ON large USING bloom_pages (k);
INSERT INTO large SELECT large(i) FROM generate_series(21, 40) i;
SELECT agrees($$SELECT length(k) FROM large WHERE k = large(7)$$) AS built,
	agrees($$SELECT length(k) FROM large WHERE k = large(27)$$) AS inserted,
	agrees($$SELECT length(k) FROM large WHERE k = large(47)$$) AS absent;
SELECT bloom_pages_check('large_k'), min(octet_length(k)) FROM large;
DROP TABLE large;
DROP FUNCTION large;

-- created, filled and emptied in one transaction, in which its file stays
BEGIN;
CREATE TABLE item (id int8);
CREATE INDEX item_id ON item USING bloom_pages (id) WITH (pages_per_range = 1);
INSERT INTO item SELECT i FROM generate_series(1, 30000) i;
TRUNCATE item;
SELECT found(10);
INSERT INTO item SELECT i FROM generate_series(1, 30000) i;
SELECT found(30000), bloom_pages_check('item_id');
COMMIT;

--
-- Options
--

CREATE INDEX bad ON item USING bloom_pages (id) WITH (pages_per_range = 0);
CREATE INDEX bad ON item USING bloom_pages (id) WITH (pages_per_range = 4097);
CREATE INDEX bad ON item USING bloom_pages (id) WITH (rows_per_range = 0);
CREATE INDEX bad ON item USING bloom_pages (id) WITH (false_ranges = 0);
CREATE INDEX bad ON item USING bloom_pages (id) WITH (fillfactor = 70);
CREATE INDEX item_few ON item USING bloom_pages (id)
	WITH (pages_per_range = 8, rows_per_range = 2000, false_ranges = 0.01);
SELECT pages_per_range, rows_per_range, false_ranges, epochs FROM bloom_pages_info('item_few');
-- a notice of sizes that were hardly meant, of what a table has and of its first row
SET client_min_messages = notice;
CREATE INDEX item_large ON item USING bloom_pages (id) WITH (pages_per_range = 1, rows_per_range = 50000);
DROP INDEX item_large;
CREATE TABLE empty (id int8);
CREATE INDEX ON empty USING bloom_pages (id) WITH (pages_per_range = 4096, rows_per_range = 10000000);
CREATE INDEX ON empty USING bloom_pages (id) WITH (pages_per_range = 64);
SET client_min_messages = warning;
-- the least
CREATE INDEX empty_least ON empty USING bloom_pages (id) WITH (pages_per_range = 1, rows_per_range = 1);
SELECT rows_per_range FROM bloom_pages_info('empty_least');
DROP TABLE empty;
-- an option of filters
CREATE INDEX bad ON item USING bloom_pages (id) WITH (fpp = 0.01);
-- at the next build
ALTER INDEX item_few SET (pages_per_range = 4, rows_per_range = 1000);
SELECT pages_per_range, rows_per_range, false_ranges, epochs FROM bloom_pages_info('item_few');
INSERT INTO item VALUES (-1);
REINDEX INDEX item_few;
SELECT pages_per_range, rows_per_range, false_ranges, epochs FROM bloom_pages_info('item_few');
ALTER INDEX item_few RESET (pages_per_range, rows_per_range, false_ranges);
REINDEX INDEX item_few;
SELECT pages_per_range, rows_per_range BETWEEN 900 AND 960 AS of_rows, false_ranges, epochs
FROM bloom_pages_info('item_few');
-- of a key that is there several times, one counts
CREATE INDEX item_tens ON item USING bloom_pages ((id / 10)) WITH (pages_per_range = 1);
SELECT rows_per_range BETWEEN 20 AND 30 AS tens FROM bloom_pages_info('item_tens');
-- of groups without keys, nothing is learnt
CREATE TABLE empty (id int8, pad char(4100) DEFAULT '');
ALTER TABLE empty ALTER pad SET STORAGE plain;
CREATE INDEX empty_id ON empty USING bloom_pages (id) WITH (pages_per_range = 1, rows_per_range = 100);
INSERT INTO empty SELECT NULL FROM generate_series(1, 1000);
INSERT INTO empty VALUES (1);
SELECT rows_per_range, epochs, levels, ranges FROM bloom_pages_info('empty_id');
SELECT agrees('SELECT id FROM empty WHERE id = int8 ''1''') AS present;
-- nor of a column that is still null: it may get a key in each row
CREATE INDEX empty_null ON empty USING bloom_pages ((nullif(id, 1))) WITH (pages_per_range = 1);
INSERT INTO empty VALUES (2);
SELECT rows_per_range, epochs, levels, ranges, bytes < 300000 AS small FROM bloom_pages_info('empty_null');
DROP TABLE empty;
-- more rows than were expected: the table shows it, and so do further groups
INSERT INTO item SELECT i FROM generate_series(30001, 70000) i;
CREATE INDEX item_small ON item USING bloom_pages (id) WITH (pages_per_range = 1, rows_per_range = 20);
SELECT rows_per_range, epochs, overfull > 100 AS overfull FROM bloom_pages_info('item_small');
SELECT bloom_pages_check('item_small');

-- absent keys find as many ranges as it says, in one level and, after growth, in two
CREATE FUNCTION false_ranges() RETURNS float8 LANGUAGE plpgsql SET enable_seqscan = off AS
$$
DECLARE
	pages int8 := pg_stat_get_xact_tuples_returned('narrow_id'::regclass) / 10;
BEGIN
	PERFORM (SELECT id FROM narrow WHERE id = -i) FROM generate_series(int8 '1', 1000) i;
	RETURN (pg_stat_get_xact_tuples_returned('narrow_id'::regclass) / 10 - pages) / 1000.0;
END
$$;
CREATE TABLE narrow (id int8) WITH (fillfactor = 10);
INSERT INTO narrow SELECT generate_series(1, 20000);
CREATE INDEX narrow_id ON narrow USING bloom_pages (id) WITH (pages_per_range = 1, false_ranges = 5);
SELECT epochs, levels, false_ranges() BETWEEN 0.9 * current_false_ranges AND 1.1 * current_false_ranges AS kept,
	current_false_ranges <= false_ranges AS promised FROM bloom_pages_info('narrow_id');
TRUNCATE narrow;
INSERT INTO narrow SELECT generate_series(1, 40000);
SELECT epochs, levels, false_ranges() BETWEEN 0.9 * current_false_ranges AND 1.1 * current_false_ranges AS kept,
	current_false_ranges <= false_ranges AS promised FROM bloom_pages_info('narrow_id');
SELECT count(*) - count((SELECT id FROM narrow WHERE id = i)) AS missing FROM generate_series(int8 '1', 40000) i;
-- also where the first rows of the table are gone
DELETE FROM narrow WHERE id <= 20000;
VACUUM narrow;
CREATE INDEX narrow_few ON narrow USING bloom_pages (id) WITH (pages_per_range = 4);
SELECT rows_per_range BETWEEN 80 AND 110 AS of_rows, overfull FROM bloom_pages_info('narrow_few');
-- where these are half as many, others begin an epoch
TRUNCATE narrow;
INSERT INTO narrow SELECT generate_series(1, 60000);
DELETE FROM narrow WHERE id <= 20000 AND id % 10 > 4;
VACUUM narrow;
CREATE INDEX narrow_half ON narrow USING bloom_pages (id) WITH (pages_per_range = 1);
SELECT epochs, reindex FROM bloom_pages_info('narrow_half');
-- and where they are few, an index is built a second time, for the fullest ranges
DELETE FROM narrow WHERE id <= 20000 AND id % 10 <> 0;
VACUUM narrow;
CREATE INDEX narrow_sparse ON narrow USING bloom_pages (id) WITH (pages_per_range = 1);
SELECT rows_per_range BETWEEN 20 AND 30 AS of_rows, epochs, overfull, reindex FROM bloom_pages_info('narrow_sparse');
SELECT bloom_pages_check('narrow_sparse');
-- likewise if no epoch has begun since
DROP INDEX narrow_sparse;
TRUNCATE narrow;
INSERT INTO narrow SELECT generate_series(1, 25000);
DELETE FROM narrow WHERE id <= 7000 AND id % 500 <> 0;
VACUUM narrow;
CREATE INDEX narrow_sparse ON narrow USING bloom_pages (id) WITH (pages_per_range = 1);
SELECT rows_per_range BETWEEN 20 AND 30 AS of_rows, epochs, overfull, reindex FROM bloom_pages_info('narrow_sparse');
DROP TABLE narrow;
DROP FUNCTION false_ranges;

-- REINDEX pays when space has been used again for many other keys, and has paid then
SELECT reindex, current_false_ranges < 0.4 AS few FROM bloom_pages_info('item_id');
UPDATE item SET id = id + 1000000;
VACUUM item;
UPDATE item SET id = id + 1000000;
VACUUM item;
UPDATE item SET id = id + 1000000;
SELECT reindex, current_false_ranges > 0.4 AS many, overfull > 100 AS overfull
FROM bloom_pages_info('item_id');
VACUUM FULL item;
SELECT reindex, current_false_ranges < 0.4 AS few FROM bloom_pages_info('item_id');

DROP TABLE item;

--
-- Who may look into it
--

CREATE TABLE item (id int8);
INSERT INTO item SELECT i FROM generate_series(1, 1000) i;
CREATE INDEX item_id ON item USING bloom_pages (id);
CREATE INDEX item_btree ON item (id);
SELECT bloom_pages_info('item_btree');
SELECT bloom_pages_check('item');
SELECT bloom_pages_check(0);
CREATE ROLE regress_range_owner;
CREATE ROLE regress_range_other;
GRANT SELECT ON item TO regress_range_other;
SET ROLE regress_range_other;
SELECT bloom_pages_info('item_id');
SELECT bloom_pages_check('item_id');
RESET ROLE;
-- neither the whole nor a partition
CREATE TABLE parts (id int8) PARTITION BY LIST (id);
CREATE TABLE part PARTITION OF parts DEFAULT;
CREATE INDEX parts_id ON parts USING bloom_pages (id);
SET ROLE regress_range_other;
SELECT bloom_pages_check('parts_id');
RESET ROLE;
ALTER TABLE parts OWNER TO regress_range_other;
SET ROLE regress_range_other;
SELECT bloom_pages_check('parts_id');
RESET ROLE;
DROP TABLE parts;
ALTER TABLE item OWNER TO regress_range_owner;
SET ROLE regress_range_owner;
SELECT (bloom_pages_info('item_id')).ranges, bloom_pages_check('item_id');
RESET ROLE;
-- expressions of an index are evaluated as the owner of the table
CREATE FUNCTION spy(n int8) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
$$
BEGIN
	IF n = 7 THEN
		RAISE WARNING 'evaluated as %', current_user;
	END IF;
	RETURN n;
END
$$;
CREATE INDEX item_spy ON item USING bloom_pages (spy(id));
SELECT bloom_pages_check('item_spy');
DROP TABLE item;
DROP ROLE regress_range_owner, regress_range_other;
DROP FUNCTION agrees, found, table_pages_read, five, spy;
