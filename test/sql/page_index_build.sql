--
-- bloom_pages: indexes that are built twice, as their first rows tell too little
--
-- Left to --ci, for its space.
--
\a\t

-- Full pages of rows without a key up to some block; then rows with keys
CREATE UNLOGGED TABLE item (k int, pad text);
ALTER TABLE item ALTER pad SET STORAGE plain;
CREATE PROCEDURE fill(block int) LANGUAGE sql AS $$
	INSERT INTO item SELECT NULL, repeat('x', 8128)
	FROM generate_series(pg_relation_size('item') / current_setting('block_size')::int, block - 1)
$$;

-- The first batch, of four groups, has keys at the end of the first one and at the begin of the second; its
-- filters are made for more keys than the ranges after it have, and the next ones for too few.
CALL fill(30 * 48);
INSERT INTO item SELECT i, repeat('x', 4036) FROM generate_series(1, 60) i;
CALL fill(31 * 48);
INSERT INTO item SELECT CASE WHEN i <= 1060 THEN i END, CASE WHEN i > 1060 THEN repeat('x', 6170) END FROM generate_series(1001, 1061) i;
CALL fill(992 * 48);
INSERT INTO item SELECT CASE WHEN i % 48 < 5 AND i < 20 * 48 THEN 100000 + i END, repeat('x', 8128) FROM generate_series(0, 248 * 48 - 1) i;
INSERT INTO item SELECT CASE WHEN i % 48 < 40 THEN 200000 + i END, repeat('x', 8128) FROM generate_series(0, 150 * 48 - 1) i;
CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 48);
SELECT bloom_pages_check('item_k') = count(k), epochs FROM item, bloom_pages_info('item_k') GROUP BY epochs;
SET enable_seqscan = off;
SELECT count((SELECT k FROM item WHERE k = i)) FROM generate_series(1001, 1060) i;

DROP TABLE item;
DROP PROCEDURE fill;
