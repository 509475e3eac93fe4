--
-- The order of type bloom_key: btree indexes, sorting, DISTINCT, merge joins
--
\a\t

\set ECHO none
-- does the plan of a query have such a node?
CREATE FUNCTION plan_has(query text, node text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ node THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END
$$;

--
-- Order
--

-- by family, in the order of their numbers, then by subtype, then by hash; both
-- as unsigned numbers
CREATE TABLE ordered (n int, k bloom_key);
INSERT INTO ordered VALUES
	(1, 'boolean:ffffffffffffffff'),
	(2, 'number:0000000000000000'),
	(3, 'number:0000000000000001'),
	(4, 'number:00000000ffffffff'),
	(5, 'number:0000000100000000'),
	(6, 'number:7fffffffffffffff'),
	(7, 'number:8000000000000000'),
	(8, 'number:ffffffffffffffff'),
	(9, 'float:0000000000000000'),
	(10, 'text:0000000000000000'),
	(11, 'bytea:0000000000000000'),
	(12, 'uuid:0000000000000000'),
	(13, 'oid:0000000000000000'),
	(14, 'date:0000000000000000'),
	(15, 'timestamp:0000000000000000'),
	(16, 'timestamptz:0000000000000000'),
	(17, 'time:0000000000000000'),
	(18, 'network:0000000000000000'),
	(19, 'macaddr:ffffffffffffffff'),
	(20, 'array/00000001:0000000000000002'),
	(21, 'array/00000001:ffffffffffffffff'),
	(22, 'array/00000002:0000000000000001'),
	(23, 'array/7fffffff:0000000000000000'),
	(24, 'array/80000000:0000000000000000'),
	(25, 'array/ffffffff:0000000000000000'),
	(26, 'row/00000001:0000000000000000'),
	(27, 'range/00000001:0000000000000000');
\set ECHO all
SELECT array_agg(n ORDER BY k) = array_agg(n ORDER BY n) AS ascending,
	array_agg(n ORDER BY k DESC) = array_agg(n ORDER BY n DESC) AS descending
FROM ordered;
SELECT k FROM (SELECT k FROM ordered UNION ALL SELECT NULL) s ORDER BY k DESC LIMIT 4;

-- the operators and the comparison function agree with that order, for all pairs
SELECT count(*) AS pairs,
	bool_and((a.k < b.k) = (a.n < b.n)) AS "<", bool_and((a.k <= b.k) = (a.n <= b.n)) AS "<=",
	bool_and((a.k = b.k) = (a.n = b.n)) AS "=", bool_and((a.k <> b.k) = (a.n <> b.n)) AS "<>",
	bool_and((a.k >= b.k) = (a.n >= b.n)) AS ">=", bool_and((a.k > b.k) = (a.n > b.n)) AS ">",
	bool_and(sign(bloom_key_cmp(a.k, b.k)) = sign(a.n - b.n)) AS cmp
FROM ordered a, ordered b;
-- below, at and above a key
SELECT x.k, x.k < y AS "<", x.k <= y AS "<=", x.k = y AS "=", x.k <> y AS "<>", x.k >= y AS ">=",
	x.k > y AS ">"
FROM ordered x, CAST('number:8000000000000000' AS bloom_key) y
WHERE n BETWEEN 6 AND 8 ORDER BY n;
-- NULL compares with nothing
SELECT bloom_key(1) < NULL AS "<", NULL <= bloom_key(1) AS "<=", bloom_key(1) = NULL AS "=",
	NULL <> bloom_key(1) AS "<>", bloom_key(1) >= NULL AS ">=", NULL > bloom_key(1) AS ">";
-- rows and arrays of keys are compared by them
SELECT ARRAY[bloom_key(1), 'number:8000000000000000'] > ARRAY[bloom_key(1),
		'number:7fffffffffffffff'] AS arrays,
	ROW(1, 'number:8000000000000000'::bloom_key) > ROW(1, 'number:7fffffffffffffff'::bloom_key)
		AS rows;

-- error: the least of some keys means nothing, so there are no such aggregates
\set VERBOSITY terse
SELECT min(k) FROM ordered;
SELECT max(k) FROM ordered;
\set VERBOSITY default

--
-- Indexes
--

-- values that are one key are duplicates
CREATE TABLE visitor (k bloom_key PRIMARY KEY, n int);
INSERT INTO visitor SELECT bloom_key(i), i FROM generate_series(1, 1000) i;
-- error: the key is there already
INSERT INTO visitor VALUES (bloom_key(77), 0);
INSERT INTO visitor VALUES (bloom_key(77.00), 0);
-- a key of another family is another key
INSERT INTO visitor VALUES (bloom_key('77'), 0);
INSERT INTO visitor VALUES (bloom_key(77), -77), (bloom_key(1001), 1001)
ON CONFLICT (k) DO UPDATE SET n = excluded.n;
SELECT count(*), sum(n) FROM visitor;
-- error: a primary key is not null
INSERT INTO visitor VALUES (NULL, 0);
-- UNIQUE takes many nulls, but no key twice
CREATE TABLE guest (k bloom_key UNIQUE REFERENCES visitor);
INSERT INTO guest VALUES (bloom_key(1)), (bloom_key('77')), (NULL), (NULL);
-- error: the key is there already
INSERT INTO guest VALUES (bloom_key(1));
-- error: the table that is referred to has no such key
INSERT INTO guest VALUES (bloom_key('1'));
DROP TABLE guest;

-- an index answers =, = ANY and ranges, and gives the order
CREATE FUNCTION unsigned(k bloom_key) RETURNS numeric LANGUAGE sql
RETURN k::bigint + CASE WHEN k::bigint < 0 THEN 18446744073709551616 ELSE 0 END;
ANALYZE visitor;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;
SELECT plan_has('SELECT FROM visitor WHERE k = bloom_key(5)',
		format('^ *Index Cond: \(k = %L::bloom_key\)$', bloom_key(5))) AS "=",
	plan_has('SELECT FROM visitor WHERE k = ANY (ARRAY[bloom_key(5), bloom_key(6)])',
		'^ *Index Cond: \(k = ANY ') AS "= ANY",
	plan_has('SELECT FROM visitor WHERE k < ''number:8000000000000000''',
		'^ *Index Cond: \(k < ') AS "<",
	plan_has('SELECT FROM visitor WHERE k >= ''number:4000000000000000'' AND
		k <= ''number:bfffffffffffffff''', '^ *Index Cond: \(\(k >= .* AND \(k <= ') AS "between",
	plan_has('SELECT k FROM visitor ORDER BY k', 'Index Only Scan using visitor_pkey') AS sorted,
	plan_has('SELECT k FROM visitor ORDER BY k DESC',
		'Index Only Scan Backward using visitor_pkey') AS backward;
CREATE TABLE by_index AS
SELECT 1 AS q, array_agg(n ORDER BY n) AS found FROM visitor WHERE k = bloom_key(5)
UNION ALL
SELECT 2, array_agg(n ORDER BY n) FROM visitor WHERE k = ANY (ARRAY[bloom_key(5), bloom_key(-5)])
UNION ALL
SELECT 3, array_agg(n ORDER BY n) FROM visitor WHERE k < 'number:8000000000000000'
UNION ALL
SELECT 4, array_agg(n ORDER BY n) FROM visitor WHERE k <= bloom_key(5)
UNION ALL
SELECT 5, array_agg(n ORDER BY n) FROM visitor WHERE k > bloom_key(5)
UNION ALL
SELECT 6, array_agg(n ORDER BY n) FROM visitor
WHERE k >= 'number:4000000000000000' AND k <= 'number:bfffffffffffffff'
UNION ALL
SELECT 7, array_agg(n) FROM (SELECT n FROM visitor ORDER BY k) s
UNION ALL
SELECT 8, array_agg(n) FROM (SELECT n FROM visitor ORDER BY k DESC) s;
RESET enable_sort;
-- the same as without it
SET enable_seqscan = on;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT plan_has('SELECT FROM visitor WHERE k = bloom_key(5)', 'Index') AS index_used;
SELECT q, cardinality(found) AS rows, found = expected AS same
FROM by_index JOIN (
	SELECT 1 AS q, array_agg(n ORDER BY n) AS expected FROM visitor WHERE n = 5
	UNION ALL
	SELECT 2, array_agg(n ORDER BY n) FROM visitor WHERE n = 5
	UNION ALL
	SELECT 3, array_agg(n ORDER BY n) FROM visitor WHERE k::bigint >= 0 AND n <> 0
	UNION ALL
	SELECT 4, array_agg(n ORDER BY n) FROM visitor
	WHERE unsigned(k) <= unsigned(bloom_key(5)) AND n <> 0
	UNION ALL
	SELECT 5, array_agg(n ORDER BY n) FROM visitor
	WHERE unsigned(k) > unsigned(bloom_key(5)) OR n = 0
	UNION ALL
	SELECT 6, array_agg(n ORDER BY n) FROM visitor
	WHERE unsigned(k) BETWEEN 2 ^ 62::numeric AND 3 * 2 ^ 62::numeric - 1 AND n <> 0
	UNION ALL
	SELECT 7, array_agg(n ORDER BY n = 0, unsigned(k)) FROM visitor
	UNION ALL
	SELECT 8, array_agg(n ORDER BY n = 0 DESC, unsigned(k) DESC) FROM visitor
) s USING (q) ORDER BY q;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_indexscan;
RESET enable_indexonlyscan;
DROP TABLE by_index, visitor;
DROP FUNCTION unsigned;

-- equal keys have equal bytes, so an index keeps one that repeats only once
CREATE TABLE repeated AS SELECT bloom_key(i % 10) AS k FROM generate_series(1, 20000) i;
CREATE INDEX deduplicated ON repeated (k);
CREATE INDEX not_deduplicated ON repeated (k) WITH (deduplicate_items = off);
SELECT pg_relation_size('deduplicated') < pg_relation_size('not_deduplicated') / 2 AS smaller;
DROP TABLE repeated;

-- partitions by ranges of keys
CREATE TABLE parted (k bloom_key) PARTITION BY RANGE (k);
CREATE TABLE parted_low PARTITION OF parted
	FOR VALUES FROM ('number:0000000000000000') TO ('number:8000000000000000');
CREATE TABLE parted_high PARTITION OF parted
	FOR VALUES FROM ('number:8000000000000000') TO ('float:0000000000000000');
INSERT INTO parted SELECT bloom_key(i) FROM generate_series(1, 1000) i;
SELECT tableoid::regclass, count(*) > 400 AS half, bool_and(k::bigint >= 0) AS low,
	bool_and(k::bigint < 0) AS high
FROM parted GROUP BY tableoid ORDER BY tableoid::regclass::text COLLATE "C";
-- error: there is no partition for keys of another family
INSERT INTO parted VALUES (bloom_key('a'));
DROP TABLE parted;

--
-- Sorting and grouping
--

CREATE TABLE word AS
SELECT CASE i % 3 WHEN 0 THEN bloom_key(i % 70) WHEN 1 THEN bloom_key((i % 70)::text)
	ELSE bloom_key(ARRAY[i % 70]) END AS k
FROM generate_series(1, 6300) i;
ANALYZE word;
-- 70 keys of each family
SELECT count(*), count(DISTINCT k), count(DISTINCT bloom_key(k::text)) FROM word;
SELECT count(DISTINCT bloom_key(i % 10)), count(DISTINCT bloom_key(i / 10.0))
FROM generate_series(1, 100) i;
-- DISTINCT changes no filter of distinct keys, but one that counts
SELECT bloom_agg(DISTINCT k) = bloom_agg(k) AS bloom,
	bloom_agg(DISTINCT k, 100, 0.01) = bloom_agg(k, 100, 0.01) AS with_capacity,
	cuckoo_agg(DISTINCT k) = cuckoo_agg(k) AS cuckoo,
	counting_bloom_agg(DISTINCT k) = counting_bloom_agg(k) AS counting_bloom
FROM (SELECT bloom_key(i % 300) AS k FROM generate_series(1, 3000) i) s;
SELECT bloom_agg(k ORDER BY k) = bloom_agg(k ORDER BY k DESC) AS any_order
FROM (SELECT bloom_key(i % 300) AS k FROM generate_series(1, 3000) i) s;

-- groups by hash, by sorting and by an index are the same
CREATE TABLE grouped (way text, groups bigint, md5 text);
SET enable_sort = off;
SELECT plan_has('SELECT k, count(*) FROM word GROUP BY k', '^HashAggregate') AS by_hash;
INSERT INTO grouped
SELECT 'hash', count(*), md5(string_agg(k || ' ' || n, ',' ORDER BY k::text COLLATE "C"))
FROM (SELECT k, count(*) AS n FROM word GROUP BY k OFFSET 0) s;
RESET enable_sort;
SET enable_hashagg = off;
SELECT plan_has('SELECT k, count(*) FROM word GROUP BY k', '^GroupAggregate') AND
	plan_has('SELECT k, count(*) FROM word GROUP BY k', '->  Sort$') AS by_sorting;
INSERT INTO grouped
SELECT 'sort', count(*), md5(string_agg(k || ' ' || n, ',' ORDER BY k::text COLLATE "C"))
FROM (SELECT k, count(*) AS n FROM word GROUP BY k OFFSET 0) s;
CREATE INDEX word_k ON word (k);
SET enable_sort = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT plan_has('SELECT k, count(*) FROM word GROUP BY k', '^GroupAggregate') AND
	plan_has('SELECT k, count(*) FROM word GROUP BY k', '->  Index Only Scan using word_k')
	AS by_index;
INSERT INTO grouped
SELECT 'index', count(*), md5(string_agg(k || ' ' || n, ',' ORDER BY k::text COLLATE "C"))
FROM (SELECT k, count(*) AS n FROM word GROUP BY k OFFSET 0) s;
RESET enable_sort;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_hashagg;
DROP INDEX word_k;
SELECT count(*) AS ways, min(groups), max(groups), count(DISTINCT md5) AS results FROM grouped;
DROP TABLE grouped;

--
-- Joins
--

CREATE TABLE a AS SELECT bloom_key(i) AS k, i FROM generate_series(1, 3000) i;
CREATE TABLE b AS SELECT bloom_key(i::numeric) AS k, i FROM generate_series(2001, 5000) i
UNION ALL SELECT bloom_key(i::text), -i FROM generate_series(1, 3000) i;
ANALYZE a;
ANALYZE b;
SET work_mem = '4MB';					-- so that both sides are sorted in memory
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT plan_has('SELECT FROM a JOIN b USING (k)', '^Merge Join') AS merge_join,
	plan_has('SELECT FROM a FULL JOIN b USING (k)', '^Merge Full Join') AS merge_full_join,
	plan_has('SELECT FROM a JOIN b USING (k)', 'Merge Cond: \(a.k = b.k\)') AS on_keys;
SELECT count(*), min(a.i), max(a.i), bool_and(a.i = b.i) AS same FROM a JOIN b USING (k);
SELECT count(*), count(a.i) AS left, count(b.i) AS right FROM a FULL JOIN b USING (k);
RESET enable_hashjoin;
SET enable_mergejoin = off;
SELECT plan_has('SELECT FROM a JOIN b USING (k)', 'Hash Join') AS hash_join;
SELECT count(*), min(a.i), max(a.i), bool_and(a.i = b.i) AS same FROM a JOIN b USING (k);
SELECT count(*), count(a.i) AS left, count(b.i) AS right FROM a FULL JOIN b USING (k);
RESET enable_mergejoin;
RESET enable_nestloop;
RESET work_mem;
DROP TABLE a, b, word, ordered;

--
-- Operator classes
--

-- those of the types of the extension are complete
SELECT amname, opcname, amvalidate(c.oid)
FROM pg_depend d JOIN pg_opclass c ON d.classid = 'pg_opclass'::regclass AND d.objid = c.oid
	JOIN pg_am a ON a.oid = opcmethod
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
	AND amname <> 'bloom_pages'
ORDER BY amname COLLATE "C", opcname COLLATE "C";
DROP FUNCTION plan_has;
