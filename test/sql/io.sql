--
-- Input and output of type bloom: text, bytea, equality, storage
--
\a\t

-- text is base64 of the image, and comes back the same
SELECT bloom_create(1000);
SELECT bloom_create(1000)::text::bloom = bloom_create(1000) AS same;
SELECT bloom_agg(i)::text::bloom = bloom_agg(i) AS same FROM generate_series(1, 1000) i;

-- the text form is what encode() makes of the bytes, without line breaks
SELECT f::text = translate(encode(f::bytea, 'base64'), E'\n', '') AS same
FROM (SELECT bloom_agg(i) FROM generate_series(1, 1000) i) AS s(f);

-- casts with bytea are explicit, both ways, and keep the bytes
SELECT f::bytea::bloom = f AS same, octet_length(f::bytea)
FROM (SELECT bloom_agg(i) FROM generate_series(1, 1000) i) AS s(f);
SELECT encode(bloom_create(1)::bytea, 'hex');

-- send and recv are the bytes of the image, too
SELECT bloom_send(f) = f::bytea AS same
FROM (SELECT bloom_agg(i) FROM generate_series(1, 1000) i) AS s(f);

-- neither cast is implicit
CREATE TEMP TABLE bytes (b bytea);
-- error: a filter is not assigned to a column of type bytea
INSERT INTO bytes SELECT bloom_create(1);
-- error: nor is it an argument of that type
\set VERBOSITY terse
SELECT octet_length(bloom_create(1));
\set VERBOSITY default
DROP TABLE bytes;

-- equality is of bytes: same keys in another geometry are not equal
SELECT bloom_create(10) = bloom_create(10) AS same,
	bloom_create(10) <> bloom_create(10) AS different,
	bloom_create(10) = bloom_create(11) AS other_capacity,
	bloom_create(10) <> bloom_create(10, 0.02) AS other_fpp;

-- DISTINCT, GROUP BY and hash joins work
SELECT count(*) AS distinct_filters
FROM (SELECT DISTINCT bloom_create(i % 3 + 1) FROM generate_series(1, 9) i) AS s;
SELECT count(*) AS n FROM (SELECT bloom_create(i % 3 + 1) FROM generate_series(1, 9) i) AS s(f)
GROUP BY f ORDER BY n;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SELECT count(*)
FROM (SELECT bloom_create(i) FROM generate_series(1, 9) i) AS a(f)
JOIN (SELECT bloom_create(i) FROM generate_series(5, 20) i) AS b(f) ON a.f = b.f;
RESET enable_mergejoin;
RESET enable_nestloop;

-- one of several megabytes is hashed in pieces, each of which counts; that without a seed
-- has the lower bits of that with seed 0
SELECT count(DISTINCT bloom_hash(g)) AS hashes, count(DISTINCT bloom_hash_extended(g, 1)) AS extended,
	bool_and(bloom_hash(g) = (bloom_hash_extended(g, 0) << 32 >> 32)::int) AS same_bits
FROM (SELECT bloom_agg(i, 3000000, 0.01) FROM generate_series(1, 1000) i) AS s(f),
	generate_series(1, 20) i, LATERAL (SELECT bloom_add(f, -i)) AS t(g);

-- hash partitioning by a filter goes through the extended hash
CREATE TABLE by_filter (f bloom) PARTITION BY HASH (f);
CREATE TABLE by_filter_0 PARTITION OF by_filter FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_filter_1 PARTITION OF by_filter FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO by_filter SELECT bloom_create(i) FROM generate_series(1, 50) i;
SELECT count(*) FROM by_filter WHERE f = bloom_create(7);
DROP TABLE by_filter;

-- error: there is no order
SELECT bloom_create(1) ORDER BY 1;

-- storage is external: toasted out of line, not compressed
SELECT typstorage, typalign, typlen FROM pg_type WHERE typname = 'bloom';
CREATE TABLE stored (id int, f bloom);
INSERT INTO stored SELECT 1, bloom_agg(i) FROM generate_series(1, 100000) i;
INSERT INTO stored SELECT 2, bloom_create(100000);
SELECT id, pg_column_size(f), octet_length(f::bytea) FROM stored ORDER BY id;
SELECT id, f @> 77 AS has_77, f @> -1 AS has_minus_1, f::text::bloom = f AS same
FROM stored ORDER BY id;

-- a stored filter is never changed by what is made from it
SELECT md5(f::bytea) AS before FROM stored WHERE id = 1 \gset
SELECT bloom_add(f, -1) @> -1 AND bloom_add(f, -1) <> f AS added,
	bloom_contains_all(bloom_add_all(f, ARRAY[-1, -2]), ARRAY[-1, -2]) AS added_all
FROM stored WHERE id = 1;
SELECT md5(f::bytea) = :'before' AS unchanged FROM stored WHERE id = 1;

-- nor is a variable
DO $$
DECLARE
	f bloom := bloom_create(10);
	g bloom;
BEGIN
	g := bloom_add(f, 1);
	RAISE NOTICE 'f has % keys, g has %', bloom_cardinality(f), bloom_cardinality(g);
	g := bloom_add_all(g, (SELECT array_agg(i) FROM generate_series(1, 500) i));
	f := g;
	g := bloom_add(g, 501);
	RAISE NOTICE 'f has 501: %, g has 501: %', f @> 501, g @> 501;
END
$$;

DROP TABLE stored;

-- bloom_key: text form, binary form, equality, the hash as bigint
SELECT bloom_key(1), bloom_key('a'), bloom_key(ARRAY[1]), bloom_key(ROW(1, 'a'));
SELECT bloom_key(1)::text::bloom_key = bloom_key(1) AS same,
	bloom_key(ROW(1, 'a'))::text::bloom_key = bloom_key(ROW(1, 'a')) AS same_row,
	bloom_key(1) <> bloom_key(2) AS different,
	bloom_key('1') = bloom_key(1) AS other_family;
SELECT bloom_key(1)::bigint, to_hex(bloom_key(1)::bigint);
SELECT encode(bloom_key_send(bloom_key(ROW(1, 'a'))), 'hex');
SELECT count(*) FROM (SELECT DISTINCT bloom_key(i % 10) FROM generate_series(1, 100) i) AS s;

-- a string with the text form of a key parses where it is cast, and is a key
-- of its own where bloom_key is called
SELECT 'number:2fbc593564db792e'::bloom_key = bloom_key(1) AS literal,
	'number:2fbc593564db792e'::text::bloom_key = bloom_key(1) AS text,
	'number:2fbc593564db792e'::varchar::bloom_key = bloom_key(1) AS varchar,
	'number:2fbc593564db792e'::char(30)::bloom_key = bloom_key(1) AS bpchar,
	'number:2fbc593564db792e'::name::bloom_key = bloom_key(1) AS name,
	bloom_key('number:2fbc593564db792e') = bloom_key(1) AS hashed;

-- every object of the extension has a comment, but for types that the server
-- makes along with others
SELECT pg_describe_object(classid, objid, objsubid) AS without_comment
FROM pg_depend d
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
	AND NOT (classid = 'pg_type'::regclass AND objid::regtype::text LIKE '%[]')
	AND NOT EXISTS (SELECT FROM pg_description c WHERE c.classoid = d.classid
		AND c.objoid = d.objid AND c.objsubid = 0);
