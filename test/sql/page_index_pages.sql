--
-- The bytes of an index USING bloom_pages, as FORMAT.md explains them.  A change of this file's
-- output breaks every index.  The pages are of 8 kB.
--

-- Example 9: a table of one row with the key 1
CREATE TABLE item (id int8);
INSERT INTO item VALUES (1);
CREATE INDEX item_id ON item USING bloom_pages (id) WITH (pages_per_range = 4, rows_per_range = 9);
CHECKPOINT;
CREATE FUNCTION pages(index regclass, OUT page int, OUT bytes bytea) RETURNS SETOF record
LANGUAGE sql AS
$$
	SELECT i, substr(file, i * 8192 + 1, 8192)
	FROM pg_read_binary_file(pg_relation_filepath(index)) file, generate_series(0, length(file) / 8192 - 1) i
$$;
-- the metadata, and the labels of both pages
SELECT encode(substr(a.bytes, 25, 68) || substr(a.bytes, 8177) || substr(b.bytes, 8177), 'hex') AS bytes
FROM pages('item_id') a, pages('item_id') b WHERE a.page = 0 AND b.page = 1;
-- the bytes of slices that are not zero
SELECT page, i / 31 AS slice, i % 31 AS byte, get_byte(bytes, 24 + i) AS value
FROM pages('item_id'), generate_series(0, 7935) i
WHERE page > 0 AND get_byte(bytes, 24 + i) <> 0 ORDER BY page, i;
-- nothing else is set
SELECT count(*) FROM pages('item_id'), generate_series(24 + 7936, 8175) i
WHERE page > 0 AND get_byte(bytes, i) <> 0;
DROP TABLE item;

-- Two levels, by the hash of the bytes of each kind of page
CREATE TABLE item (id int8, pad char(4100) DEFAULT '');
ALTER TABLE item ALTER pad SET STORAGE plain;
INSERT INTO item SELECT generate_series(1, 4200);
CREATE INDEX item_id ON item USING bloom_pages (id) WITH (pages_per_range = 1, rows_per_range = 3);
CHECKPOINT;
SELECT get_byte(bytes, 8188) AS level, count(*),
	bloom_key(string_agg(substr(bytes, 25), '' ORDER BY page)) AS bytes
FROM pages('item_id') GROUP BY 1 ORDER BY 1;

DROP TABLE item;
DROP FUNCTION pages;
