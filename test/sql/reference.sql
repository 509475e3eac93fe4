--
-- The statements of doc/reference.md, and the errors that it lists; test/check/docs
-- compares the two
--

-- Terms and rules
CREATE TABLE demo AS
SELECT bloom_agg(i) AS f, counting_bloom_agg(i, 1000, 0.01) AS cf, cuckoo_agg(i, 1000, 0.01) AS kf
FROM generate_series(1, 1000) i;

-- What a key is
SELECT bloom_key(1) = bloom_key(1.00) AS number, bloom_key('a') = bloom_key('a'::char(5)) AS text,
	bloom_key('10.0.0.1'::inet) = bloom_key('10.0.0.1/32'::cidr) AS network,
	bloom_key(ARRAY[1, 2]) = bloom_key(ARRAY[1, 2]::numeric[]) AS "array",
	bloom_key('[1,4]'::int4range) = bloom_key('[1,5)'::int8range) AS range;

-- error: the key is text, the keys of the filter are numbers
SELECT bloom_contains(f, '42') FROM demo;

-- bloom_create
SELECT bytes, capacity, target_fpp, growth FROM bloom_info(bloom_create(1e6, 0.001));

-- counting_bloom_create, cuckoo_create
SELECT bytes AS empty, octet_length(cuckoo_add(f, 'first')::bytea) AS with_one_key
FROM cuckoo_create(1000) f, cuckoo_info(f);

-- bloom_agg
SELECT form, keys, capacity, target_fpp, layers, bytes
FROM (SELECT 'bloom_agg(i)', bloom_agg(i) FROM generate_series(1, 1000) i
	UNION ALL
	SELECT 'bloom_agg(i, 0.001)', bloom_agg(i, 0.001) FROM generate_series(1, 1000) i
	UNION ALL
	SELECT 'bloom_agg(i, 1e4, 0.01)', bloom_agg(i, 1e4, 0.01) FROM generate_series(1, 1000) i) s (form, f),
	bloom_info(f)
ORDER BY bytes;

-- counting_bloom_agg, cuckoo_agg
SELECT counting_bloom_count(counting_bloom_agg(x), 'a') AS counting_bloom, cuckoo_count(cuckoo_agg(x), 'a') AS cuckoo
FROM unnest(ARRAY['a', 'a', 'b']) x;

-- bloom_add, counting_bloom_add, cuckoo_add
SELECT bloom_add(bloom_create(1000), 42) @> 42 AS known, bloom_add(bloom_create(1000), 42) @> 43 AS unknown;

-- error: the key would be lost
SELECT bloom_add(NULL, 42);

-- bloom_add_all, counting_bloom_add_all, cuckoo_add_all
SELECT bloom_cardinality(bloom_add_all(bloom_create(1000), ARRAY[1, 2, NULL, 2])) AS keys;

-- counting_bloom_remove, cuckoo_remove
SELECT counting_bloom_remove(f, 'b') @> 'b' AS removed_once, cuckoo_remove(k, 'a') @> 'a' AS removed
FROM counting_bloom_add_all(counting_bloom_create(100), '{a,b,b}') f,
	cuckoo_add_all(cuckoo_create(100), '{a,b}') k;

-- counting_bloom_remove_all, cuckoo_remove_all
SELECT cuckoo_cardinality(cuckoo_remove_all(kf, ARRAY[1, 2, 3])) AS left FROM demo;

-- bloom_contains, counting_bloom_contains, cuckoo_contains
SELECT bloom_contains(f, 42) AS present, bloom_contains(f, 123456) AS absent, cuckoo_contains(kf, 42) AS cuckoo FROM demo;

-- bloom_contained, counting_bloom_contained, cuckoo_contained
SELECT bloom_contained(42, f) AS function, 42 <@ f AS operator FROM demo;

-- bloom_contains_any, counting_bloom_contains_any, cuckoo_contains_any
SELECT bloom_contains_any(f, ARRAY[5000, 7]) AS one, bloom_contains_any(f, ARRAY[5000, NULL]) AS unknown,
	bloom_contains_any(f, '{}'::int[]) AS none FROM demo;

-- bloom_contains_all, counting_bloom_contains_all, cuckoo_contains_all
SELECT bloom_contains_all(f, ARRAY[7, 8]) AS both, bloom_contains_all(f, ARRAY[7, 5000]) AS one,
	bloom_contains_all(f, '{}'::int[]) AS none FROM demo;

-- bloom_missing, counting_bloom_missing, cuckoo_missing
SELECT bloom_missing(f, ARRAY[5000, 7, NULL, 6000, 5000]) FROM demo;

-- counting_bloom_count, cuckoo_count
SELECT counting_bloom_count(counting_bloom_add_all(counting_bloom_create(100), '{a,b,b}'), 'b') AS counting_bloom,
	cuckoo_count(cuckoo_add_all(cuckoo_create(100), '{a,b,b}'), 'b') AS cuckoo;

-- bloom_overlap
SELECT keys_a, keys_b, keys_either, keys_both, round(jaccard::numeric, 3) AS jaccard, round(standard_error) AS error
FROM (SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(1, 100000) i) s (a),
	(SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(50001, 150000) i) t (b),
	bloom_overlap(a, b);

-- bloom_overlaps
SELECT bloom_overlaps(f, bloom_agg(7)) AS with_7, f && bloom_agg(123456) AS with_123456 FROM demo GROUP BY f;

-- bloom_union, counting_bloom_union
SELECT layers, keys, a | b = bloom_union(a, b) AS same
FROM (SELECT bloom_agg(i, 2000, 0.01) FROM generate_series(1, 1000) i) s (a),
	(SELECT bloom_agg(i, 2000, 0.01) FROM generate_series(501, 1500) i) t (b),
	bloom_info(a | b);

-- bloom_union_agg, counting_bloom_union_agg
SELECT bloom_cardinality(bloom_union_agg(part)) AS keys
FROM (SELECT bloom_agg(i, 1000, 0.01) AS part FROM generate_series(1, 300) i GROUP BY i % 3) s;

-- bloom_intersection
SELECT count(*) FILTER (WHERE f @> id AND id % 6 = 0) AS of_both, count(*) FILTER (WHERE f @> id AND id % 6 <> 0) AS others
FROM generate_series(1, 6000) id,
	(SELECT bloom_agg(i, 3000, 0.01) FROM generate_series(2, 6000, 2) i) even (a),
	(SELECT bloom_agg(i, 3000, 0.01) FROM generate_series(3, 6000, 3) i) third (b),
	bloom_intersection(a, b) f;

-- bloom_intersection_agg
SELECT bloom_intersection_agg(f) @> 3 AS in_all, bloom_intersection_agg(f) @> 1 AS in_one
FROM (VALUES (bloom_add_all(bloom_create(10), ARRAY[1, 3])), (bloom_add_all(bloom_create(10), ARRAY[2, 3]))) v (f);

-- bloom_shrink
SELECT before.bytes AS before, after.bytes AS after
FROM (SELECT bloom_agg(i, 100000, 0.01) FROM generate_series(1, 1000) i) s (f),
	bloom_info(f) before, bloom_info(bloom_shrink(f)) after;

-- bloom_info
SELECT key_family, capacity, layers, probes, bits, bytes, round(fill::numeric, 2) AS fill, keys, saturated FROM demo, bloom_info(f);

-- counting_bloom_info
SELECT key_family, capacity, probes, counters, bytes, keys, saturated FROM demo, counting_bloom_info(cf);

-- cuckoo_info
SELECT key_family, capacity, fingerprint_bits, buckets, bytes, round(load::numeric, 2) AS load, keys FROM demo, cuckoo_info(kf);

-- bloom_cardinality, counting_bloom_cardinality, cuckoo_cardinality
SELECT bloom_cardinality(f), counting_bloom_cardinality(cf), cuckoo_cardinality(kf), bloom_cardinality(f & f) AS intersection FROM demo;

-- bloom_overhead, counting_bloom_overhead, cuckoo_overhead
SELECT round(bytes::numeric, 1) AS bytes, round(probes::numeric, 1) AS probes, layers, round(fpp::numeric, 1) AS fpp
FROM (SELECT bloom_add_all(bloom_agg(0), ARRAY(SELECT generate_series(1, 10000)))) s (grown), bloom_overhead(grown);

-- bloom_current_fpp, counting_bloom_current_fpp, cuckoo_current_fpp
SELECT round(bloom_current_fpp(f)::numeric, 4) AS bloom, round(counting_bloom_current_fpp(cf)::numeric, 4) AS counting_bloom,
	round(cuckoo_current_fpp(kf)::numeric, 4) AS cuckoo FROM demo;

-- bloomtype_version
SELECT bloomtype_version() ~ '^1\.' AS version_1;

-- bloom_sizing
SELECT fpp, round(bits_per_key::numeric, 1) AS bits_per_key, probes, pg_size_pretty(bytes) AS size
FROM unnest(ARRAY[0.1, 0.01, 0.001, 0.0001]) fpp, bloom_sizing(1000000, fpp);

-- counting_bloom_sizing
SELECT bytes, counters, probes, round(bits_per_key::numeric, 1) AS bits_per_key FROM counting_bloom_sizing(1000000);

-- cuckoo_sizing
SELECT bytes, buckets, fingerprint_bits, round(bits_per_key::numeric, 1) AS bits_per_key FROM cuckoo_sizing(1000000);

-- bloom_capacity
SELECT bloom_capacity(1024 * 1024) AS in_1_mb, bloom_capacity(1024 * 1024, 0.001) AS at_0_1_percent;

-- bloom_expected_fpp
SELECT bits, round(bloom_expected_fpp(bits)::numeric, 5) AS fpp FROM unnest(ARRAY[8, 10, 12, 16]) bits;

-- bloom_key (function)
SELECT bloom_key('red') AS text, bloom_key(42) AS number, f @> bloom_key(42) AS known FROM demo;

-- bloom_key_parse
SELECT bloom_key_parse('text:67b1dc007bbe6755') = bloom_key('red') AS function,
	'text:67b1dc007bbe6755'::text::bloom_key = bloom_key('red') AS "cast";

-- bloom_key_to_bigint
SELECT bloom_key_to_bigint(bloom_key(42)) AS function, bloom_key(42)::bigint AS "cast";

-- bloom_partition
SELECT bloom_partition(4711, 16) AS number, bloom_partition(4711.0, 16) AS same_key, bloom_partition('4711', 16) AS text;

-- Search many filters
CREATE TABLE part AS
SELECT id, bloom_agg(id * 1000 + i, 2000, 0.01) AS f
FROM generate_series(1::bigint, 5) id, generate_series(1, 1500) i GROUP BY id;

CREATE TABLE parts AS SELECT bloom_matrix_agg(id, f) AS m FROM part;

-- bloom_matrix_agg
SELECT columns, blocks, probes FROM bloom_matrix_info((SELECT bloom_matrix_agg(id, f) FROM part));

-- error: a filter that has grown
SELECT bloom_matrix_agg(6, bloom_add_all(bloom_create(1000), ARRAY(SELECT generate_series(1, 5000))));

-- bloom_matrix_search
SELECT id FROM parts, bloom_matrix_search(m, 3300) id;

SELECT id, bloom_cardinality(f) AS keys FROM part
WHERE id = ANY (ARRAY(SELECT bloom_matrix_search(m, 3300) FROM parts)) ORDER BY id;

-- bloom_matrix_search_all, bloom_matrix_search_any
SELECT ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[2100, 3400])) AS "all",
	ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[1500, 5800])) AS "any" FROM parts;

-- bloom_matrix_filter
SELECT bloom_matrix_filter(m, 3) = f AS same, bloom_matrix_filter(m, 6) AS missing FROM parts, part WHERE id = 3;

-- bloom_matrix_ids
SELECT count(*), min(id), max(id) FROM parts, bloom_matrix_ids(m) id;

-- bloom_matrix_info
SELECT key_family, columns, blocks, probes, bytes, round(max_fpp::numeric, 4) AS max_fpp FROM parts, bloom_matrix_info(m);

-- bloom_matrix_to_bytea, bloom_matrix_from_bytea
SELECT bloom_matrix_from_bytea(m::bytea) = m AS same, octet_length(bloom_matrix_to_bytea(m)) AS bytes FROM parts;


DROP TABLE part, parts;

-- bloom_to_bytea, counting_bloom_to_bytea, cuckoo_to_bytea
SELECT octet_length(f::bytea) AS bloom, octet_length(counting_bloom_to_bytea(cf)) AS counting_bloom,
	octet_length(kf::bytea) AS cuckoo FROM demo;

-- bloom_from_bytea, counting_bloom_from_bytea, cuckoo_from_bytea
SELECT bloom_from_bytea(f::bytea) = f AS bloom, cf::bytea::counting_bloom = cf AS counting_bloom,
	kf::bytea::cuckoo = kf AS cuckoo FROM demo;

-- error: these bytes are no filter
SELECT bloom_from_bytea('\x0102');

-- counting_bloom_to_bloom
SELECT b @> 1 AS removed, b @> 2 AS left, bytes FROM demo, counting_bloom_to_bloom(counting_bloom_remove(cf, 1)) b, bloom_info(b);

-- external_bloom_agg
SELECT length(external_bloom_agg(word, 'guava', 0.01)) AS bytes FROM unnest('{bloom,filter,postgres}'::text[]) word;

-- external_bloom_add, external_bloom_add_all
SELECT external_bloom_contains(external_bloom_add(f, 'go', 'new'), 'go', 'new') AS added
FROM (SELECT external_bloom_agg(i::text, 'go', 1000, 0.01) AS f FROM generate_series(1, 10) i) s;

-- external_bloom_contains, external_bloom_contains_any, external_bloom_contains_all
SELECT external_bloom_contains(f, 'guava', 'postgres') AS present, external_bloom_contains_any(f, 'guava', '{mysql,bloom}') AS one,
	external_bloom_contains_all(f, 'guava', '{mysql,bloom}') AS both
FROM (SELECT external_bloom_agg(word, 'guava', 0.001) AS f FROM unnest('{bloom,filter,postgres}'::text[]) word) s;

-- external_bloom_union
SELECT external_bloom_contains_all(external_bloom_union(a, b, 'spark_v2'), 'spark_v2', ARRAY[1, 2]) AS both
FROM (SELECT external_bloom_agg(1, 'spark_v2', 100, 0.01), external_bloom_agg(2, 'spark_v2', 100, 0.01)) s (a, b);

-- external_bloom_info
SELECT bits, probes, bits_set, keys
FROM (SELECT external_bloom_agg(i, 'guava_long', 1000, 0.01) AS f FROM generate_series(1, 500) i) s,
	external_bloom_info(f, 'guava_long');

-- external_bloom_chunks
SELECT iterator, length(chunk) AS bytes
FROM (SELECT external_bloom_agg(i::text, 'redis', 1000, 0.01) AS f FROM generate_series(1, 500) i) s, external_bloom_chunks(f, 'redis');

-- Operators
SELECT f || 'alice' || 'bob' @> 'bob' AS known, f || 'alice' || 'bob' @> 'carol' AS unknown
FROM bloom_create(1000) f;
SELECT bloom_agg(i) = bloom_agg(i, 1000, 0.01) AS other_capacity,
	bloom_agg(i) = bloom_agg(DISTINCT i) AS same
FROM generate_series(1, 500) i;

-- NULL and empty
SELECT bloom_contains(bloom_agg(i), 1) AS empty, bloom_contains(NULL, 1) AS missing, bloom_contains(NULL, 1) IS NOT FALSE AS may_pass
FROM generate_series(1, 0) i;

-- Limits
SELECT bloom_create(433993446) IS NOT NULL AS bloom, counting_bloom_create(108493022) IS NOT NULL AS counting_bloom,
	cuckoo_create(407945134) IS NOT NULL AS cuckoo;

-- Page index
-- Live sets
SELECT bloom_set_create('session_ids', 'uuid', 1e5, windows => 8);

SELECT bloom_set_add('session_ids', 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'::uuid);

SELECT bloom_set_add_all('session_ids',
    '{c4ca4238-a0b9-2382-0dcc-509a6f75849b,c81e728d-9d4c-2f63-6f06-7f89cc14862c}'::uuid[]);

SELECT bloom_set_contains('session_ids', 'eccbc87e-4b5c-e2fe-2830-8fd9f2a7baf3'::uuid);

SELECT bloom_set_missing('session_ids', ARRAY[md5('1')::uuid, md5('4')::uuid]);

SELECT bloom_set_advance('session_ids');

SELECT (SELECT bloom_set_filter('session_ids')) @> 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'::uuid AS known;

SELECT number, key_family, windows, capacity, layers, keys, overfull FROM bloom_set_info('session_ids');

CREATE TABLE login (id uuid, at timestamptz);
CREATE TRIGGER follow AFTER INSERT ON login FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('session_ids', 'id');
INSERT INTO login VALUES (md5('5')::uuid, now());
SELECT bloom_set_contains('session_ids', md5('5')::uuid);
DROP TABLE login;

CREATE TABLE event (trace_id uuid, region integer, code text);
INSERT INTO event SELECT md5(i::text)::uuid, i % 7, 'c' || i FROM generate_series(1, 20000) i;
CREATE INDEX event_trace ON event USING bloom_pages (trace_id);
EXPLAIN (COSTS off) SELECT * FROM event WHERE trace_id = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b';
CREATE TYPE region_code AS (region integer, code text);
CREATE INDEX event_place ON event USING bloom_pages ((ROW(region, code)::region_code));
EXPLAIN (COSTS off) SELECT * FROM event WHERE ROW(region, code)::region_code = ROW(3, 'c10')::region_code;

-- bloom_pages_info
SELECT index, pages_per_range, levels, overfull, reindex FROM bloom_pages_info('event_trace');

-- bloom_pages_check
SELECT bloom_pages_check('event_trace');

DROP TABLE demo, event;
DROP TYPE region_code;

-- Errors: the SQLSTATE and the message of each; check/docs looks for those of the page
CREATE FUNCTION error_of(call text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT (' || call || ')::text' INTO result;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

SELECT error_of(call) FROM unnest(ARRAY[
	'bloom_key(''1 day''::interval)',
	'bloom_key(ROW(NULL::record))',
	'external_bloom_agg(1, ''guava'', 0.01)',
	'bloom_sizing(9007199254740991, 1e-300)',
	'bloom_add(NULL, 1)',
	'bloom_agg(1, 10, NULL)',
	'external_bloom_agg(''a''::text, ''leveldb'', NULL)',
	'external_bloom_add(''\x00'', NULL, ''a'')',
	'external_bloom_agg(''infinity''::timestamp, ''parquet_timestamp_micros'', 0.01)',
	'external_bloom_agg(''infinity''::date, ''parquet_int32'', 0.01)',
	'external_bloom_agg(''2024-01-01 00:00:00.00001''::timestamp, ''parquet_timestamp_millis'', 0.01)',
	'external_bloom_agg(''294276-12-31''::timestamp, ''parquet_timestamp_micros'', 0.01)',
	'bloom_create(0)',
	'bloom_create(0.01, 1000000)',
	'bloom_create(1e16)',
	'bloom_create(1000, 1)',
	'bloom_create(1000000, 1e-20)',
	'bloom_create(1000, 0.01, 101)',
	'(SELECT bloom_agg(i, i, 0.01) FROM generate_series(1, 3) i)',
	'counting_bloom_agg(1, 1000, 0.01) | counting_bloom_agg(1, 5000, 0.01)',
	'(SELECT bloom_agg(i, 1000, 0.01) & bloom_agg(i, 5000, 0.01) FROM generate_series(1, 200) i)',
	'bloom_capacity(0)',
	'bloom_expected_fpp(0)',
	'bloom_partition(1, 0)',
	'external_bloom_info(''\x00'', ''python'')',
	'external_bloom_agg(''a''::text, ''leveldb'', 1000, 0.01)',
	'external_bloom_agg(''a''::text, ''leveldb'', 0.01)',
	'external_bloom_agg(''a''::text, ''guava'', 1e11, 0.01)',
	'(SELECT external_bloom_agg(i, ''guava_int'', i, 0.01) FROM generate_series(1, 3) i)',
	'external_bloom_union(external_bloom_agg(1, ''guava_int'', 10, 0.01), external_bloom_agg(1, ''guava_int'', 1000, 0.01), ''guava_int'')',
	'(SELECT count(*) FROM external_bloom_chunks((SELECT external_bloom_agg(1, ''guava_int'', 0.01)), ''guava_int''))',
	'bloom_matrix_agg(NULL, bloom_create(1))',
	'bloom_matrix_agg(1, bloom_add_all(bloom_create(1), ARRAY(SELECT generate_series(1, 1000))))',
	'(SELECT bloom_matrix_agg(g, f) FROM (SELECT g, bloom_agg(i, 1000, 0.1 ^ g) FROM generate_series(1, 2) g, generate_series(1, 200) i GROUP BY g) s(g, f))',
	'(SELECT bloom_matrix_agg(g, f) FROM (SELECT g, bloom_agg(i, 1000 * g, 0.01) FROM generate_series(2, 3) g, generate_series(1, 200) i GROUP BY g) s(g, f))',
	'(SELECT bloom_matrix_agg(1, f) FROM (VALUES (bloom_create(1)), (bloom_create(2))) s(f))',
	'(SELECT bloom_matrix_agg(g, f) FROM (VALUES (1, bloom_add(bloom_create(1), 1)), (2, bloom_add(bloom_create(1), ''a''))) s(g, f))',
	'(SELECT bloom_matrix_agg(1, f) FROM (SELECT bloom_agg(i, 1e7, 0.01) FROM generate_series(1, 200) i) s(f))',
	'''abc''::bloom',
	'''abc''::bloom_key',
	'''AQEB''::bloom',
	'''\x00''::bytea::cuckoo',
	'external_bloom_contains(''\x00'', ''guava'', ''a'')',
	'bloom_add(bloom_add(bloom_create(10), 1), ''a'')',
	'bloom_add(bloom_create(10), 1) @> ''a''',
	'cuckoo_remove(cuckoo_add(cuckoo_create(10), 1), ''a'')',
	'bloom_agg(1) | bloom_agg(''a''::text)',
	'bloom_agg(1) & bloom_agg(''a''::text)',
	'bloom_agg(1) && bloom_agg(''a''::text)',
	'bloom_add(bloom_add(bloom_create(10), ARRAY[1]), ARRAY[''a''])',
	'bloom_add(bloom_create(10), ARRAY[1]) @> ARRAY[''a'']',
	'cuckoo_remove(cuckoo_add(cuckoo_create(10), ARRAY[1]), ARRAY[''a''])',
	'bloom_agg(ARRAY[1]) | bloom_agg(ARRAY[''a''])',
	'bloom_agg(ARRAY[1]) & bloom_agg(ARRAY[''a''])',
	'bloom_agg(ARRAY[1]) && bloom_agg(ARRAY[''a''])',
	'bloom_set_create(''of_keys'', ''bloom_key'', 1)',
	'bloom_set_create(''of_keys'', ''int'', 1, windows => 0)',
	'bloom_set_follow()',
	'bloom_set_add(''session_ids'', 1)',
	'bloom_set_contains(''session_ids'', 1)',
	'bloom_set_contains(''session_ids_pkey'', 1)',
	'bloom_set_contains(''pg_class'', 1)',
	'bloom_set_add_all(bloom_set_create(''fixed_ids'', ''int'', 100, growth => 0), ARRAY(SELECT generate_series(1, 1000)))',
	'bloom_pages_info(''pg_class'')',
	'bloom_pages_check(0)',
	'bloom_create(1e9)',
	'cuckoo_create(1000, 1e-9)',
	'bloom_add_all(bloom_create(1, 0.01, 1), ARRAY(SELECT generate_series(1, 20000)))',
	'cuckoo_add_all(cuckoo_create(100), ARRAY(SELECT generate_series(1, 200)))',
	'cuckoo_add_all(cuckoo_create(100), ''{1,1,1,1,1,1,1,1,1}''::int[])',
	'(SELECT cuckoo_agg(i, 100, 0.01) FROM generate_series(1, 200) i)',
	'(SELECT external_bloom_agg(i::text, ''redis'', 10, 0.01) FROM generate_series(1, 100) i)',
	'external_bloom_add_all(external_bloom_agg(''a''::text, ''redis'', 10, 0.01), ''redis'',
		ARRAY(SELECT i::text FROM generate_series(1, 100) i))']) call;

-- error: the largest capacities are those of the page
SELECT error_of(call) FROM unnest(ARRAY['bloom_create(433993447)', 'counting_bloom_create(108493023)',
	'cuckoo_create(407945135)']) call;

DROP TABLE session_ids;
DROP FUNCTION error_of;
