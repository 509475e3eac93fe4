-- Filters and keys in distributed tables, asked and changed: what a cluster answers is what
-- one node answers.

-- An expression with each function that is not only a step of an aggregate, or behind an
-- operator class: over columns of distributed tables it is evaluated on the workers.
CREATE TEMP TABLE expression (expression text);
INSERT INTO expression
SELECT unnest('{
	"bloom_create(n, 0.1, 3)", "bloom_add(same, n)", "bloom_add_all(same, ARRAY[n, -n])",
	"bloom_contains(same, 100 * n + 7)", "bloom_contains(same, -n)", "same @> 100 * n",
	"bloom_contained(n, few)", "n <@ few", "bloom_contains_any(own, ARRAY[-n, 100 * n + 1])",
	"bloom_contains_all(own, ARRAY[-n, 100 * n + 1])", "bloom_missing(few, ARRAY[-n, n, NULL])",
	"bloom_overlap(same, few)", "bloom_overlaps(few, own)", "same && few",
	"bloom_union(same, few)", "own | few", "bloom_intersection(few, own)", "few & own",
	"bloom_shrink(same)", "bloom_info(own)", "bloom_overhead(own)", "bloom_cardinality(own)", "bloom_current_fpp(own)",
	"bloom_sizing(1000 * n)", "bloom_capacity(1000 * n)", "bloom_expected_fpp(n)",
	"bloom_eq(same, own)", "same = own", "bloom_ne(same, own)", "same <> own", "bloom_hash(own)",
	"bloom_hash_extended(own, n)", "same::text", "same::text::bloom",
	"bloom_from_bytea(same::bytea)", "bloom_to_bytea(few)",
	"bloom_key(n)", "bloom_key(''a'')", "bloom_key(n::text)::text::bloom_key",
	"bloom_key_parse(bloom_key(n)::text)", "bloom_key(n)::bigint",
	"bloom_key_to_bigint(bloom_key(n))", "bloom_partition(n, 7)",
	"bloom_key_eq(bloom_key(n), bloom_key(g))", "bloom_key_ne(bloom_key(n), bloom_key(g))",
	"bloom_key_lt(bloom_key(n), bloom_key(g))", "bloom_key_le(bloom_key(n), bloom_key(g))",
	"bloom_key_gt(bloom_key(n), bloom_key(g))", "bloom_key_ge(bloom_key(n), bloom_key(g))",
	"bloom_key(n) < bloom_key(g)", "bloom_key_cmp(bloom_key(n), bloom_key(g))",
	"bloom_key_hash(bloom_key(n))", "bloom_key_hash_extended(bloom_key(n), n)",
	"external_bloom_add(guava, ''guava_int'', n)",
	"external_bloom_add_all(guava, ''guava_int'', ARRAY[n, -n])",
	"external_bloom_contains(guava, ''guava_int'', n)",
	"external_bloom_contains(guava, ''guava_int'', -n)",
	"external_bloom_contains_any(guava, ''guava_int'', ARRAY[n, -n])",
	"external_bloom_contains_all(guava, ''guava_int'', ARRAY[n, -n])",
	"external_bloom_union(guava, guava, ''guava_int'')",
	"external_bloom_info(guava, ''guava_int'')",
	"(SELECT count(*) FROM external_bloom_chunks(redis, ''redis''))",
	"counting_bloom_union(counts, counts)", "counts | counts", "counts::bloom",
	"counting_bloom_to_bloom(counts)", "counting_bloom_sizing(1000 * n)", "cuckoo_sizing(1000 * n)"
	}'::text[]);
INSERT INTO expression
SELECT replace(replace(expression, 'TYPE', type), 'FILTER', filter)
FROM (VALUES ('counting_bloom', 'counts'), ('cuckoo', 'seats')) t (type, filter), unnest('{
	"TYPE_create(n)", "TYPE_add(FILTER, n)", "TYPE_add_all(FILTER, ARRAY[n, -n])",
	"TYPE_remove(FILTER, 1)", "TYPE_remove_all(FILTER, ARRAY[2, 3])", "TYPE_contains(FILTER, n)",
	"TYPE_contains(FILTER, -n)", "FILTER @> n", "TYPE_contained(n, FILTER)", "n <@ FILTER",
	"TYPE_contains_any(FILTER, ARRAY[n, -n])", "TYPE_contains_all(FILTER, ARRAY[n, -n])",
	"TYPE_missing(FILTER, ARRAY[n, -n])", "TYPE_count(FILTER, 5)", "TYPE_info(FILTER)",
	"TYPE_overhead(FILTER)",
	"TYPE_cardinality(FILTER)", "TYPE_current_fpp(FILTER)", "TYPE_eq(FILTER, FILTER)",
	"FILTER = FILTER", "TYPE_ne(FILTER, FILTER)", "FILTER <> FILTER", "TYPE_hash(FILTER)",
	"TYPE_hash_extended(FILTER, n)", "FILTER::text::TYPE", "FILTER::bytea::TYPE",
	"TYPE_from_bytea(FILTER::bytea)", "TYPE_to_bytea(FILTER)"}'::text[]) expression;

DO $$
DECLARE
	forgotten text;
BEGIN
	SELECT string_agg(DISTINCT proname, ', ') INTO forgotten
	FROM pg_proc p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid
		JOIN pg_extension e ON refobjid = e.oid AND extname = 'bloomtype'
	WHERE prokind = 'f' AND NOT proargtypes::oid[] && '{internal,cstring}'::regtype[]::oid[]
		AND proname !~ '_(agg_\w+|out|send|add_text)$'
		-- not of distributed columns: matrices, indexes, the library itself
		AND proname !~ '^bloom_(matrix|range)_|^bloomtype_version$'
		AND NOT EXISTS (SELECT FROM expression WHERE expression ~ ('\m' || proname || '\('));
	IF forgotten IS NOT NULL THEN
		RAISE 'forgotten: %', forgotten;
	END IF;
END $$;

-- a row without a name does not travel between servers, so results do as text
SELECT format('SELECT %1$L, md5(string_agg(coalesce(v, ''null''), '' '' ORDER BY n))
	FROM (SELECT n, (%1$s)::text AS v FROM part OFFSET 0) s', expression) FROM expression \gexec
SELECT format('SELECT %L, md5(string_agg((%s)::text, '' '')) FROM part WHERE n = 5 AND d = 5',
	expression || ' of one row', expression) FROM expression \gexec
SELECT 'bloom_info', n, i.* FROM part, bloom_info(own) i ORDER BY n;
SELECT 'counting_bloom_info', n, i.* FROM part, counting_bloom_info(counts) i ORDER BY n;
SELECT 'cuckoo_info', n, i.* FROM part, cuckoo_info(seats) i ORDER BY n;
SELECT 'bloom_overlap', n, o.* FROM part, bloom_overlap(same, own) o ORDER BY n;

-- Stored filters: in a table that each node has, and in shards
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
CREATE TABLE spread (name text PRIMARY KEY, f bloom NOT NULL);
\if :distributed
SELECT create_reference_table('filter'), create_distributed_table('spread', 'name') \g /dev/null
\endif
INSERT INTO filter SELECT 'text', bloom_agg(bloom_key(k_text)) FROM item WHERE n % 4 = 0;
INSERT INTO filter
SELECT 'number', bloom_agg(bloom_key(k_integer), 1000, 0.01) FROM item WHERE n % 4 = 0;
INSERT INTO filter SELECT 'few', bloom_agg(bloom_key(k_integer)) FROM item WHERE n < 100;
INSERT INTO spread SELECT * FROM filter;
INSERT INTO spread SELECT 'd ' || d, bloom_agg(k_uuid) FROM item GROUP BY d;
SELECT name, md5(f::bytea) FROM filter ORDER BY name COLLATE "C";
SELECT name, md5(f::bytea) FROM spread ORDER BY name COLLATE "C";

-- as conditions: a constant, a parameter, made by the query, stored in each kind of table
SELECT f AS few FROM filter WHERE name = 'few' \gset
SELECT 'constant', count(*), sum(n) FROM item WHERE :'few'::bloom @> k_integer;
SELECT 'constant, not in it', count(*), sum(n) FROM item
WHERE NOT bloom_contains(:'few', k_integer);
SELECT 'constant, router', count(*), sum(n) FROM item WHERE :'few'::bloom @> k_integer AND d = 3;
PREPARE among(bloom, int) AS
SELECT 'parameter', count(*), sum(n) FROM item WHERE $1 @> k_integer AND d >= $2;
PREPARE one_d(bloom, int) AS
SELECT 'parameter, router', count(*), sum(n) FROM item WHERE $1 @> k_integer AND d = $2;
SELECT format('EXECUTE among(%1$L, %2$s); EXECUTE one_d(%1$L, %2$s)', f, i)
FROM filter, generate_series(1, 7) i WHERE name = 'few' \gexec
SELECT 'made by the query', count(*), sum(n) FROM item
WHERE bloom_contains((SELECT bloom_agg(bloom_key(k_uuid)) FROM item WHERE g = 1), k_uuid);
SELECT 'made by the query, keys of rows', count(*), sum(n) FROM item
WHERE (SELECT bloom_agg(bloom_key(k_row), 0.001) FROM item WHERE g = 1) @> k_row;
SELECT 'from a reference table', count(*), sum(n) FROM item
WHERE bloom_contains((SELECT f FROM filter WHERE name = 'text'), k_text);
SELECT 'joined', name, count(*), sum(n) FROM item JOIN filter ON name <> 'text' AND f @> k_integer
GROUP BY name ORDER BY name COLLATE "C";
SELECT 'joined, one shard', count(*), sum(n) FROM item JOIN filter ON f @> k_text
WHERE name = 'text' AND d = 4;
SELECT 'from shards', count(*), sum(n)
FROM item, (SELECT f FROM spread WHERE name = 'number' OFFSET 0) s WHERE f @> k_integer;
SELECT 'NULL', count(*) FROM item WHERE bloom_contains(NULL::bloom, k_integer) IS NULL;
SELECT 'missing', count(*) FROM item
WHERE bloom_contains((SELECT f FROM filter WHERE name = 'none'), k_integer) IS NOT FALSE;
-- an aggregate over a window, of which elsewhere the state was freed twice (pg_roaringbitmap 5)
SELECT 'window', d, count(DISTINCT md5(f::bytea)), min(md5(f::bytea))
FROM (SELECT d, bloom_agg(k_text) OVER (PARTITION BY d) AS f FROM item) s GROUP BY d ORDER BY d;
SELECT 'HAVING', g, count(*) FROM item
GROUP BY g HAVING bloom_agg(bloom_key(k_integer)) @> 105 ORDER BY g;
SELECT 'filters that are equal', count(*), min(n), max(n)
FROM (SELECT f, min(n) AS n
	FROM (SELECT n, few & few AS f FROM part UNION ALL SELECT n, few FROM part) s
	GROUP BY f HAVING count(*) = 2) s;
SELECT 'DISTINCT filters', count(*) FROM (SELECT DISTINCT seats FROM part) s;

-- No key is lost in unions of different capacities, of which bytes may depend on the order.
SELECT 'lost', count(*) FILTER (WHERE NOT f @> 100 * n + k), count(*) > 10000
FROM (SELECT bloom_union_agg(own) FROM part) s (f), generate_series(1, 40) n,
	LATERAL generate_series(1, 300 + 10 * n) k;

-- written by rows of other shards
CREATE TABLE made (d int, f bloom, c counting_bloom, u cuckoo);
\if :distributed
SELECT create_distributed_table('made', 'd', colocate_with => 'item') \g /dev/null
\endif
INSERT INTO made
SELECT d, bloom_agg(k_text), counting_bloom_agg(k_text), cuckoo_agg(k_text) FROM item GROUP BY d;
INSERT INTO made
SELECT g + 100, bloom_agg(key), counting_bloom_agg(key), cuckoo_agg(key)
FROM (SELECT g, bloom_key(k_text) AS key FROM item) s GROUP BY g;
INSERT INTO made SELECT n + 1000, same, counts, seats FROM part;
SELECT 'INSERT', d, md5(f::bytea), md5(c::bytea), md5(u::bytea) FROM made ORDER BY d;

-- COPY, out of shards and into them
CREATE TABLE copied (LIKE made);
\if :distributed
SELECT create_distributed_table('copied', 'd', colocate_with => 'made') \g /dev/null
\endif
\copy made TO 'made.csv' (FORMAT csv)
\copy copied FROM 'made.csv' (FORMAT csv)
\copy (SELECT d + 10000, f, c, u FROM made) TO 'made.binary' (FORMAT binary)
\copy copied FROM 'made.binary' (FORMAT binary)
SELECT 'COPY', d, md5(f::bytea), md5(c::bytea), md5(u::bytea) FROM copied ORDER BY d;

-- Columns of a row are not changed by a function that has them as an argument, as elsewhere
-- (PipelineDB 1895).
SELECT 'arguments', count(*) FROM (SELECT same, same::text AS before, bloom_add(same, -n) AS more,
	same | few AS either, same::text AS after FROM part OFFSET 0) s
WHERE before = after AND before <> more::text AND before <> either::text;

-- changed: one row, with a parameter, all of them, from a query, in a conflict
UPDATE copied SET f = bloom_add(f, 'one'), c = counting_bloom_remove(c, 'key 7') WHERE d = 3;
PREPARE add(int, text) AS
UPDATE copied SET f = bloom_add(f, $2), u = cuckoo_add(u, $2) WHERE d = $1;
SELECT format('EXECUTE add(4, ''key -%s'')', i) FROM generate_series(1, 7) i \gexec
UPDATE copied SET f = bloom_add_all(f, ARRAY['some', 'more']), u = cuckoo_remove(u, 'key 7')
WHERE d < 10;
UPDATE copied SET f = f | (SELECT bloom_agg(k_text ORDER BY n) FROM item WHERE n < 20)
WHERE d < 10;
UPDATE copied SET f = copied.f | made.f FROM made WHERE copied.d = 103 AND made.d = 103;
DELETE FROM copied WHERE NOT f @> 'some' AND d < 200;
SELECT 'changed', d, md5(f::bytea), md5(c::bytea), md5(u::bytea) FROM copied
WHERE d < 200 ORDER BY d;
INSERT INTO spread AS t
SELECT 'number', bloom_agg(bloom_key(-k_integer), 1000, 0.01) FROM item WHERE n < 500
ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;
SELECT 'ON CONFLICT', md5(f::bytea) FROM spread WHERE name = 'number';
UPDATE filter SET f = bloom_add(f, 'one') WHERE name = 'text'
RETURNING 'reference table', md5(f::bytea);

-- keys say which shard
CREATE TABLE visit (key bloom_key PRIMARY KEY, times int);
\if :distributed
SELECT create_distributed_table('visit', 'key') \g /dev/null
\endif
INSERT INTO visit SELECT bloom_key(k_text), count(*) FROM item WHERE k_text IS NOT NULL GROUP BY 1;
SELECT 'found by its key', times FROM visit WHERE key = bloom_key('key 105'::text);
SELECT 'joined by keys', count(*), sum(times) FROM visit JOIN visit other USING (key, times);
SELECT 'keys made again', md5(bloom_agg(key)::bytea) FROM visit;

-- Conditions for which the planner takes page indexes
SELECT format('SELECT ''page index'', %1$s, count(*), sum(n) FROM event WHERE trace = md5(''%1$s'')::uuid', i)
FROM unnest('{-1,1,77777,100000,100001,150000,150001}'::int[]) i \gexec
SELECT format('SELECT ''page index of an expression'', n FROM event WHERE lower(account) = ''account %s'' ORDER BY n', i)
FROM unnest('{-1,0,15555,20000,30001}'::int[]) i \gexec
SELECT 'page index, a list', count(*), sum(n) FROM event
WHERE trace IN (md5('5')::uuid, md5('149999')::uuid, md5('no')::uuid);
SELECT 'page index, a row of one shard', count(*), sum(n) FROM event WHERE id = 777 AND trace = md5('777')::uuid;
PREPARE traced(uuid) AS SELECT 'page index, parameter', count(*), sum(n) FROM event WHERE trace = $1;
SELECT format('EXECUTE traced(md5(''%s'')::uuid)', 20000 * i) FROM generate_series(0, 8) i \gexec
UPDATE event SET trace = md5((-n)::text)::uuid WHERE trace = md5('77777')::uuid;
DELETE FROM event WHERE lower(account) = 'account 15';
SELECT 'page index, changed', sum(n) FROM event
WHERE trace IN (md5('77777')::uuid, md5('-77777')::uuid, md5('76')::uuid);
