--
-- Indexes USING bloom_range: which rows a scan finds
--

-- Does the planner take the index, and is what it returns that of a sequential scan?
CREATE FUNCTION agrees(query text) RETURNS text LANGUAGE plpgsql AS
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

CREATE TABLE item (id int8, name text, n int);
ALTER TABLE item SET (autovacuum_enabled = off);
INSERT INTO item SELECT i, 'name ' || i, i FROM generate_series(1, 20000) i;

-- built from rows
CREATE INDEX item_id ON item USING bloom_range (id) WITH (pages_per_range = 1);
CREATE INDEX item_name ON item USING bloom_range (name);
EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = int8 '77';
SELECT agrees($$SELECT n FROM item WHERE id = int8 '77'$$) AS present,
	agrees($$SELECT n FROM item WHERE id = int8 '-77'$$) AS absent;
SELECT agrees($$SELECT n FROM item WHERE name = 'name 123'$$) AS present,
	agrees($$SELECT n FROM item WHERE name = 'name'$$) AS absent;
SELECT count(*) AS found FROM generate_series(int8 '1', 20000) i
	WHERE EXISTS (SELECT FROM item WHERE id = i OFFSET 0);

-- into an empty one
CREATE TABLE fresh (LIKE item);
CREATE INDEX fresh_id ON fresh USING bloom_range (id) WITH (pages_per_range = 1);
SELECT agrees($$SELECT n FROM fresh WHERE id = int8 '77'$$) AS empty;
INSERT INTO fresh TABLE item;
SELECT agrees($$SELECT n FROM fresh WHERE id = int8 '77'$$) AS present,
	agrees($$SELECT n FROM fresh WHERE id = int8 '-77'$$) AS absent;
SET enable_seqscan = off;
SELECT count(*) AS found FROM generate_series(int8 '1', 20000) i
	WHERE EXISTS (SELECT FROM fresh WHERE id = i OFFSET 0);
RESET enable_seqscan;

DROP TABLE item, fresh;
DROP FUNCTION agrees;
