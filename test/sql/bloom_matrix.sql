--
-- bloom_matrix: which of many filters may have a key
--
\a\t

-- twenty sets of 200 numbers, each with 50 of the next one; filters of one layer
CREATE TABLE key (id bigint, key int);
INSERT INTO key
SELECT id, (id - 1) * 150 + i FROM generate_series(1, 20) id, generate_series(1, 200) i;
CREATE TABLE filter (id bigint PRIMARY KEY, f bloom);
INSERT INTO filter SELECT id, bloom_agg(key, 1000, 0.0001) FROM key GROUP BY id;
CREATE TABLE matrix (what text PRIMARY KEY, m bloom_matrix);
INSERT INTO matrix SELECT 'layers', bloom_matrix_agg(id, f) FROM filter;

SELECT (bloom_matrix_info(m)).key_family, (bloom_matrix_info(m)).columns,
	(bloom_matrix_info(m)).blocks, (bloom_matrix_info(m)).probes,
	(bloom_matrix_info(m)).bytes = octet_length(m::bytea) AS bytes,
	(bloom_matrix_info(m)).max_fpp =
		(SELECT max(bloom_current_fpp(f)) FROM filter) AS max_fpp
FROM matrix;
SELECT array_agg(id) AS ids FROM matrix, bloom_matrix_ids(m) id;

-- one key, in one filter, in two, in none; the ids ascend
SELECT key, ARRAY(SELECT bloom_matrix_search(m, key)) AS ids
FROM matrix, unnest(ARRAY[1, 200, 1000, -1]) key;
-- all of some keys, or any
SELECT keys, ARRAY(SELECT bloom_matrix_search_all(m, keys)) AS "all",
	ARRAY(SELECT bloom_matrix_search_any(m, keys)) AS "any"
FROM matrix, (VALUES (ARRAY[1, 2]), (ARRAY[1, 200]), (ARRAY[1, 300]), (ARRAY[1, -1]),
	(ARRAY[170, 180, 170]), (ARRAY[-1, -2]), ('{{1,2},{3,200}}'::int[])) k(keys);

--
-- The filters of the columns
--

-- one with a layer comes back as it was, and one without keys
SELECT count(*), bool_and(bloom_matrix_filter(m, id) = f) AS same FROM matrix, filter;
SELECT bloom_matrix_filter(m, 0) IS NULL AS before, bloom_matrix_filter(m, 21) IS NULL AS after
FROM matrix;
SELECT bloom_matrix_filter(m, 5) = bloom_create(7, 0.03, 4) AS same
FROM (SELECT bloom_matrix_agg(id, CASE id WHEN 5 THEN bloom_create(7, 0.03, 4) ELSE f END)
	FROM filter) s(m);

-- a list comes back as a layer of the blocks and probes of the others, with its own header
SELECT (i).key_family, (i).capacity, (i).target_fpp, (i).layers, (i).keys,
	bloom_contains_all(f, ARRAY[1, 2, 3]) AS has_keys, bloom_current_fpp(f) < 1e-9 AS rate
FROM (SELECT bloom_matrix_filter(bloom_matrix_agg(id, CASE id
			WHEN 7 THEN bloom_add_all(bloom_create(50, 0.02), ARRAY[1, 2, 3]) ELSE f END), 7)
		FROM filter) s(f), bloom_info(f) i;
-- lists alone: the blocks and probes of 256 keys at their lowest rate
SELECT (i).columns, (i).blocks, (i).probes,
	(SELECT array_agg(bloom_cardinality(bloom_matrix_filter(m, id)) ORDER BY id)
		FROM bloom_matrix_ids(m) id) AS keys,
	ARRAY(SELECT bloom_matrix_search(m, 20)) AS ids
FROM (SELECT bloom_matrix_agg(n, f)
		FROM (SELECT n, bloom_agg(i, CASE n WHEN 40 THEN 0.001 ELSE 0.01 END)
			FROM unnest(ARRAY[1, 10, 20, 40, 128]) n, generate_series(1, n) i GROUP BY n) s(n, f)) t(m),
	bloom_matrix_info(m) i;

-- filters of fewer blocks, which divide the most, in whatever order they come: they come back,
-- and so does one that bloom_shrink has folded
CREATE TABLE sizes AS
SELECT size + i AS id, bloom_agg(key, size, 0.01) AS f
FROM unnest(ARRAY[1200, 2400]) size, generate_series(1, 6) i,
	generate_series(size * i, size * i + 180) key
GROUP BY size, i;
UPDATE sizes SET f = bloom_shrink(f) WHERE id % 3 = 0;
SELECT octet_length(f::bytea) / 64 AS blocks, count(*) FROM sizes GROUP BY 1 ORDER BY 1;
INSERT INTO matrix SELECT 'widened', bloom_matrix_agg(id, f) FROM sizes;
SELECT (i).columns, (i).blocks, (i).probes FROM matrix, bloom_matrix_info(m) i WHERE what = 'widened';
SELECT count(*), bool_and(bloom_matrix_filter(m, id) = f) AS same
FROM matrix, sizes WHERE what = 'widened';
SELECT count(*) AS questions,
	count(*) FILTER (WHERE f @> key <> (id = ANY (found))) AS other_answers
FROM matrix, generate_series(1, 15000, 17) key,
	LATERAL (SELECT ARRAY(SELECT bloom_matrix_search(m, key))) s(found), sizes
WHERE what = 'widened';
-- a counting_bloom by its cast
SELECT ARRAY(SELECT bloom_matrix_search(m, 150)) AS ids, bloom_matrix_filter(m, 2) = c::bloom AS same
FROM (SELECT counting_bloom_agg(i, 1000, 0.01) FROM generate_series(101, 400) i) s(c),
	LATERAL (SELECT bloom_matrix_agg(id, f)
		FROM (SELECT 1, bloom_agg(i, 1000, 0.01) FROM generate_series(1, 200) i
			UNION ALL SELECT 2, c::bloom) t(id, f)) u(m);
-- an intersection, which stays marked as one
SELECT ARRAY(SELECT bloom_matrix_search(m, 160)) AS ids,
	bloom_matrix_filter(m, 3) = (SELECT bloom_intersection_agg(f) FROM filter WHERE id <= 2) AS same,
	bloom_cardinality(bloom_matrix_filter(m, 3)) IS NULL AS unknown
FROM (SELECT bloom_matrix_agg(id, f) FROM (SELECT id, f FROM filter WHERE id <= 2
	UNION ALL SELECT 3, bloom_intersection_agg(f) FROM filter WHERE id <= 2) s) t(m);

--
-- Nulls, and nothing
--

-- a null filter is left out, also one whose id is null; nothing but those: no columns
SELECT array_agg(id) AS ids
FROM (SELECT bloom_matrix_agg(id, CASE WHEN id > 3 THEN f END)
		FROM (SELECT id, f FROM filter WHERE id <= 5 UNION ALL SELECT NULL, NULL) s) t(m),
	bloom_matrix_ids(m) id;
INSERT INTO matrix SELECT 'no columns', bloom_matrix_agg(id, f) FROM filter WHERE false;
INSERT INTO matrix SELECT 'no keys', bloom_matrix_agg(id, bloom_create(10)) FROM filter WHERE id <= 3;
SELECT what, i.*, ARRAY(SELECT bloom_matrix_ids(m)) AS ids
FROM matrix, bloom_matrix_info(m) i WHERE what LIKE 'no%' ORDER BY what;
SELECT m = (SELECT bloom_matrix_agg(id, NULL) FROM filter) AS of_nulls
FROM matrix WHERE what = 'no columns';
SELECT count(*), count(m)
FROM (SELECT bloom_matrix_agg(id, f) FILTER (WHERE id < 0) FROM filter GROUP BY id) s(m);
-- keys of any type are asked for where there are none
SELECT what, ARRAY(SELECT bloom_matrix_search(m, 1)) AS number,
	ARRAY(SELECT bloom_matrix_search(m, 'one'::text)) AS text,
	ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[1, 2])) AS "all",
	ARRAY(SELECT bloom_matrix_search_any(m, ARRAY['one'])) AS "any",
	ARRAY(SELECT bloom_matrix_search_all(m, '{}'::int[])) AS all_of_none,
	ARRAY(SELECT bloom_matrix_search_any(m, '{}'::int[])) AS any_of_none,
	bloom_matrix_filter(m, 1) = bloom_create(10) AS filter
FROM matrix WHERE what LIKE 'no%' ORDER BY what;
-- a null matrix, key or array gives no rows
SELECT ARRAY(SELECT bloom_matrix_search(NULL, 1)) AS matrix,
	ARRAY(SELECT bloom_matrix_search(m, NULL::int)) AS key,
	ARRAY(SELECT bloom_matrix_search_all(m, NULL::int[])) AS "all",
	ARRAY(SELECT bloom_matrix_search_any(m, NULL::int[])) AS "any",
	ARRAY(SELECT bloom_matrix_ids(NULL)) AS ids,
	bloom_matrix_filter(NULL, 1) IS NULL AS filter_of_null,
	bloom_matrix_filter(m, NULL) IS NULL AS filter_null,
	bloom_matrix_info(NULL) IS NULL AS info
FROM matrix WHERE what = 'layers';
SELECT count(*) FROM matrix, bloom_matrix_search(m, NULL::int);
-- no filter is known to have all of an array with a null; one may have another element of it
SELECT ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[1, NULL])) AS "all",
	ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[1, NULL])) AS "any",
	ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[NULL]::int[])) AS all_null,
	ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[NULL]::int[])) AS any_null,
	cardinality(ARRAY(SELECT bloom_matrix_search_all(m, '{}'::int[]))) AS all_of_none,
	cardinality(ARRAY(SELECT bloom_matrix_search_any(m, '{}'::int[]))) AS any_of_none
FROM matrix WHERE what = 'layers';

--
-- Keys
--

-- values of type bloom_key are keys, too, of each family
SELECT ARRAY(SELECT bloom_matrix_search(m, bloom_key(200))) AS ids,
	ARRAY(SELECT bloom_matrix_search(m, 200::numeric)) AS numeric,
	ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[bloom_key(1), bloom_key(200)])) AS "all",
	ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[bloom_key(1), bloom_key(1000)])) AS "any"
FROM matrix WHERE what = 'layers';
-- keys of several columns
SELECT ARRAY(SELECT bloom_matrix_search(m, ROW(7, 'seven'))) AS ids,
	ARRAY(SELECT bloom_matrix_search(m, ROW(7, 'eight'))) AS others
FROM (SELECT bloom_matrix_agg(id, f) FROM (SELECT n, bloom_agg(ROW(i, w))
	FROM (VALUES (1, 7, 'seven'), (2, 8, 'eight'), (3, 7, 'seven')) v(n, i, w) GROUP BY n) s(id, f)) t(m);
-- error: keys of another family, or of other parts
SELECT bloom_matrix_search(m, 'one'::text) FROM matrix WHERE what = 'layers';
SELECT bloom_matrix_search_all(m, ARRAY['one', NULL]) FROM matrix WHERE what = 'layers';
SELECT bloom_matrix_search_any(m, ARRAY[bloom_key('one')]) FROM matrix WHERE what = 'layers';
SELECT bloom_matrix_search(bloom_matrix_agg(1, f), ROW('one')) FROM bloom_add(bloom_create(10), ROW(1)) f;
SELECT bloom_matrix_search(m, ARRAY[200]) FROM matrix WHERE what = 'layers';
SELECT bloom_matrix_search(bloom_matrix_agg(1, f), 5) FROM (SELECT bloom_agg(ARRAY[1, 2]) f) s;
SELECT bloom_matrix_search(m, date '2026-11-23') FROM matrix WHERE what = 'layers';
-- as the hints say
SELECT ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[200])) AS "any",
	ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[200])) AS "all",
	(bloom_matrix_info(m)).key_family FROM matrix WHERE what = 'layers';
SELECT ARRAY(SELECT bloom_matrix_search(m, '200'::bigint)) AS ids FROM matrix WHERE what = 'layers';
-- error: these are no keys
SELECT bloom_matrix_search(m, '1 day'::interval) FROM matrix;
SELECT bloom_matrix_search_any(m, ARRAY['[]'::json]) FROM matrix;
SELECT bloom_contains(f, m) FROM filter, matrix;
SELECT bloom_agg(m) FROM matrix;
SELECT bloom_key(ROW(1, m)) FROM matrix;
-- error: there are no such functions
\set VERBOSITY terse
SELECT bloom_contains(m, 1) FROM matrix;
SELECT bloom_union(m, m) FROM matrix;
SELECT m @> 1 FROM matrix;
SELECT m::bloom FROM matrix;
SELECT bloom_matrix_agg(1, c) FROM counting_bloom_create(10) c;
\set VERBOSITY default

--
-- What cannot be put in, and what the hints say
--

-- error: an id is null
SELECT bloom_matrix_agg(nullif(id, 3), f) FROM filter;
SELECT (i).columns
FROM (SELECT bloom_matrix_agg(id, f) FILTER (WHERE id IS NOT NULL)
		FROM (SELECT nullif(id, 3) AS id, f FROM filter) s) t(m), bloom_matrix_info(m) i;
-- error: an id comes twice
SELECT bloom_matrix_agg(id % 15, f) FROM filter;
SELECT bloom_matrix_agg(-9223372036854775807 - 1, f) FROM filter WHERE id < 3;
SELECT (i).columns, ARRAY(SELECT bloom_matrix_search(m, 1)) AS of_first_and_last
FROM (SELECT bloom_matrix_agg(id, f)
		FROM (SELECT id % 15 AS id, bloom_union_agg(f) AS f FROM filter GROUP BY id % 15) s) t(m),
	bloom_matrix_info(m) i;
-- error: keys of two families, or of other parts
SELECT bloom_matrix_agg(id, CASE id WHEN 9 THEN bloom_add(bloom_create(10), 'nine') ELSE f END)
FROM filter;
SELECT bloom_matrix_agg(id, f)
FROM (SELECT 1, bloom_agg(ROW(1)) UNION ALL SELECT 2, bloom_agg(ROW('one'))) s(id, f);
SELECT ARRAY(SELECT bloom_matrix_search(bloom_matrix_agg(id, f), 9))
FROM (SELECT 1, bloom_agg('9'::bigint) UNION ALL SELECT 2, bloom_agg(9)) s(id, f);

-- A hint with parameters is right if filters that are made so go together: this takes the first
-- number of keys of each set, and makes its filter as the hint of the error says.
CREATE FUNCTION pack(call text) RETURNS bloom_matrix LANGUAGE plpgsql AS
$$
DECLARE
	result bloom_matrix;
BEGIN
	EXECUTE format('SELECT bloom_matrix_agg(id, f)
		FROM (SELECT id, %s AS f FROM key GROUP BY id ORDER BY id) s', call)
	INTO result;
	RETURN result;
END
$$;
CREATE FUNCTION packed_as_hinted(call text) RETURNS TABLE (advice text, questions bigint, lost bigint, max_fpp numeric)
LANGUAGE plpgsql AS
$$
DECLARE
	hint text;
BEGIN
	PERFORM pack(call);
EXCEPTION WHEN invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	advice := substring(hint FROM 'bloom_agg\(key, \d+, [\d.e-]+\)');
	RETURN QUERY SELECT advice, count(*),
		count(*) FILTER (WHERE NOT id IN (SELECT bloom_matrix_search(m, key))), round(max((bloom_matrix_info(m)).max_fpp)::numeric, 4)
	FROM pack(advice) m, key;
END
$$;
-- error: filters of other probes, in either order
SELECT pack('bloom_agg(key, 1000, CASE id WHEN 5 THEN 0.001 ELSE 0.0001 END)');
SELECT pack('bloom_agg(key, 1000, CASE id WHEN 1 THEN 0.001 ELSE 1e-05 END)');
SELECT * FROM packed_as_hinted('bloom_agg(key, 1000, CASE id WHEN 5 THEN 0.001 ELSE 0.0001 END)');
SELECT * FROM packed_as_hinted('bloom_agg(key, 1000, CASE id WHEN 1 THEN 0.001 ELSE 1e-05 END)');
-- the hint names the capacity of the largest, whatever comes first
SELECT * FROM packed_as_hinted('bloom_agg(key, CASE id WHEN 1 THEN 700 ELSE 4200 END, 0.01)');
SELECT * FROM packed_as_hinted('bloom_agg(key, CASE id WHEN 20 THEN 700 ELSE 4200 END, 0.01)');
SELECT * FROM packed_as_hinted('bloom_agg(key, CASE id WHEN 20 THEN 4200 ELSE 700 END, 0.01)');

-- error: blocks that do not divide
SELECT pack('bloom_agg(key, CASE id WHEN 5 THEN 1000 ELSE 1400 END, 0.01)');
SELECT pack('bloom_agg(key, CASE id WHEN 5 THEN 1400 ELSE 1000 END, 0.01)');
SELECT * FROM packed_as_hinted('bloom_agg(key, CASE id WHEN 5 THEN 1000 ELSE 1400 END, 0.01)');
SELECT * FROM packed_as_hinted('bloom_agg(key, CASE id WHEN 5 THEN 1400 ELSE 1000 END, 0.01)');
-- error: several layers
SELECT bloom_matrix_agg(id, CASE id WHEN 9 THEN bloom_add_all(bloom_create(10),
	(SELECT array_agg(key) FROM key)) ELSE f END) FROM filter;
SELECT bloom_matrix_filter(m, 9) @> 1 AS found
FROM (SELECT bloom_matrix_agg(id, f)
	FROM (SELECT 9, bloom_agg(key, 3050, 0.01) FROM key
		UNION ALL SELECT 10, bloom_agg(key, 3050, 0.01) FROM key WHERE id = 10) s(id, f)) t(m);

-- error: more than 512 MB, which is known before the filters are laid out
SELECT bloom_matrix_agg(i, CASE i WHEN 1 THEN f ELSE bloom_create(10) END)
FROM (SELECT bloom_agg(i, 800000, 0.01) FROM generate_series(1, 200) i) s(f),
	generate_series(1, 1000) i;
SELECT bloom_matrix_agg(1, f) FROM (SELECT bloom_agg(i, 7000000, 0.01) FROM generate_series(1, 200) i) s(f);
-- error: so many filters of a few keys, at the end
SELECT bloom_matrix_agg(i, bloom_create(10, 1e-12)) FROM generate_series(1, 1000000) i;

--
-- Values: the same bytes for the same filters, equality, text, bytes
--

-- in whatever order they come
SELECT count(*), bool_and(m = (SELECT m FROM matrix WHERE what = 'layers')) AS same
FROM generate_series(1, 5) seed,
	LATERAL (SELECT bloom_matrix_agg(id, f ORDER BY hashint8extended(id, seed)) FROM filter) s(m);
SELECT m = (SELECT bloom_matrix_agg(id, f ORDER BY bloom_hash(f)) FROM sizes) AS widened
FROM matrix WHERE what = 'widened';
SELECT count(*), bool_and(m = n) AS same
FROM (SELECT id, bloom_matrix_agg(id, f) OVER (ORDER BY id DESC) FROM filter) w(id, m),
	LATERAL (SELECT bloom_matrix_agg(f.id, f) FROM filter f WHERE f.id >= w.id) s(n);
-- another id, another filter, one less: not equal
SELECT m = n AS equal, m <> n AS not_equal
FROM matrix, (SELECT bloom_matrix_agg(id, f) FROM filter
	UNION ALL SELECT bloom_matrix_agg(id * 2, f) FROM filter
	UNION ALL SELECT bloom_matrix_agg(id, CASE id WHEN 1 THEN bloom_add(f, -1) ELSE f END) FROM filter
	UNION ALL SELECT bloom_matrix_agg(id, f) FILTER (WHERE id < 20) FROM filter) s(n)
WHERE what = 'layers';
SELECT count(*) FROM (SELECT DISTINCT m FROM matrix, generate_series(1, 3)) s;
SELECT count(*) FROM (SELECT m FROM matrix, generate_series(1, 3) GROUP BY m) s;
SELECT count(DISTINCT bloom_matrix_hash(m)) AS hashes,
	count(DISTINCT bloom_matrix_hash_extended(m, 7)) AS extended,
	bool_and(bloom_matrix_hash(m) = (bloom_matrix_hash_extended(m, 0) << 32 >> 32)::int) AS same_bits
FROM matrix;
SET enable_mergejoin = off;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT FROM matrix a JOIN matrix b USING (m);
SELECT a.what, b.what FROM matrix a JOIN matrix b USING (m) ORDER BY 1;
RESET enable_mergejoin;
RESET enable_nestloop;

-- text is base64 of the image; casts to and from bytea keep it, and so it is sent
SELECT m FROM matrix WHERE what = 'no columns';
SELECT count(*), bool_and(m::text::bloom_matrix = m) AS text,
	bool_and(m::text = translate(encode(m::bytea, 'base64'), E'\n', '')) AS base64,
	bool_and(m::bytea::bloom_matrix = m) AS bytea, bool_and(bloom_matrix_send(m) = m::bytea) AS sent
FROM matrix;
-- error: these are no matrices
SELECT 'x'::bloom_matrix;
SELECT ''::bloom_matrix;
SELECT f::text::bloom_matrix FROM filter WHERE id = 1;
SELECT f::bytea::bloom_matrix FROM filter WHERE id = 1;
SELECT m::text::bloom FROM matrix WHERE what = 'no columns';
SELECT m::bytea::bloom FROM matrix WHERE what = 'no columns';
SELECT (m::bytea || '\x00')::bloom_matrix FROM matrix WHERE what = 'layers';
SELECT encode(m::bytea, 'base64')::bloom_matrix FROM matrix WHERE what = 'no columns';
-- error: a bit that the records do not count
SELECT set_bit(bytes, at, 1 - get_bit(bytes, at))::bloom_matrix
FROM matrix, LATERAL (SELECT m::bytea, 8 * (octet_length(m::bytea) - 8)) s(bytes, at)
WHERE what = 'layers';
-- error: ids that do not ascend
SELECT set_byte(m::bytea, 60, 9)::bloom_matrix FROM matrix WHERE what = 'layers';

--
-- Queries
--

-- in FROM, in the list of a SELECT, in a lateral join, with their ordinal numbers
SELECT id, n FROM matrix, bloom_matrix_search(m, 200) WITH ORDINALITY s(id, n) WHERE what = 'layers';
SELECT what, bloom_matrix_search(m, 300) AS id FROM matrix WHERE what IN ('layers', 'widened') ORDER BY 1, 2;
SELECT key, count(id) AS filters, sum(id)
FROM matrix, generate_series(160, 4000, 600) key LEFT JOIN LATERAL bloom_matrix_search(m, key) id ON true
WHERE what = 'layers' GROUP BY key ORDER BY key;
SELECT count(*) FROM matrix, bloom_matrix_search(m, 200) id WHERE id > 1 AND what = 'layers';

-- the rows of the ids that are found, by their index
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END
$$;
CREATE TABLE segment (id bigint PRIMARY KEY, name text);
INSERT INTO segment SELECT i, 'segment ' || i FROM generate_series(1, 20000) i;
ANALYZE segment;
SELECT plan AS scan
FROM plan($$ SELECT * FROM segment WHERE id = ANY (ARRAY(
	SELECT bloom_matrix_search(m, 200) FROM matrix WHERE what = 'layers')) $$) plan
WHERE plan ~ 'Index.*segment';
SELECT * FROM segment WHERE id = ANY (ARRAY(
	SELECT bloom_matrix_search(m, 200) FROM matrix WHERE what = 'layers')) ORDER BY id;

-- several matrices, each of some ids
SELECT name
FROM (SELECT bloom_matrix_agg(id, f) FROM filter GROUP BY id / 8) s(m), bloom_matrix_search(m, 1200) id
	JOIN segment USING (id) ORDER BY segment.id;

-- a prepared statement, with both plans
PREPARE search(bloom_matrix, int) AS SELECT array_agg(id) FROM bloom_matrix_search($1, $2) id;
SET plan_cache_mode = force_custom_plan;
SELECT m AS layers FROM matrix WHERE what = 'layers' \gset
SELECT m AS widened FROM matrix WHERE what = 'widened' \gset
EXECUTE search(:'layers', 200);
SET plan_cache_mode = force_generic_plan;
EXECUTE search(:'layers', 200);
EXECUTE search(:'widened', 1300);
EXECUTE search(:'layers', 3050);
RESET plan_cache_mode;
DEALLOCATE search;

-- a loop in PL/pgSQL, with one matrix and with one that changes
DO $$
DECLARE
	one bloom_matrix := (SELECT m FROM matrix WHERE what = 'layers');
	changing bloom_matrix;
	found bigint[];
	wrong int := 0;
BEGIN
	FOR i IN 1 .. 20 LOOP
		changing := (SELECT bloom_matrix_agg(id, f) FROM filter WHERE id BETWEEN i AND i + 3);
		found := ARRAY(SELECT bloom_matrix_search(one, i * 150));
		wrong := wrong + (found <> ARRAY(SELECT id FROM filter WHERE f @> (i * 150) ORDER BY id))::int;
		found := ARRAY(SELECT bloom_matrix_search(changing, i * 150));
		wrong := wrong + (found <> ARRAY(SELECT id FROM filter
			WHERE f @> (i * 150) AND id BETWEEN i AND i + 3 ORDER BY id))::int;
	END LOOP;
	RAISE NOTICE '% wrong', wrong;
END
$$;

--
-- How it is read
--

-- A matrix in its row, short, compressed in its row or out of line, and out of line as it is:
-- all answer alike, also where one call site meets them in turns.
CREATE TABLE held (how text, m bloom_matrix, tiny bloom_matrix) WITH (toast_tuple_target = 8160);
INSERT INTO held SELECT 'toasted', m, NULL FROM matrix WHERE what = 'layers';
ALTER TABLE held ALTER m SET STORAGE extended;
INSERT INTO held SELECT 'compressed', m, NULL FROM matrix WHERE what = 'layers';
INSERT INTO held SELECT 'compressed again', m, NULL FROM matrix WHERE what = 'no keys';
ALTER TABLE held ALTER m SET STORAGE plain;
INSERT INTO held SELECT 'plain', bloom_matrix_agg(id, bloom_create(1, 0.5)), NULL FROM filter WHERE id <= 2;
INSERT INTO held SELECT 'short', NULL, m FROM matrix WHERE what = 'no columns';
SELECT how, pg_column_size(m) < octet_length(m::bytea) AS compressed, pg_column_size(tiny) AS short
FROM held;
SELECT how, ARRAY(SELECT bloom_matrix_search(m, 200)) AS found,
	ARRAY(SELECT bloom_matrix_search_all(m, '{}'::int[])) AS ids,
	ARRAY(SELECT bloom_matrix_ids(tiny)) AS tiny, (i).columns,
	bloom_matrix_filter(m, 2) = (SELECT f FROM filter WHERE id = 2) AS same
FROM held, bloom_matrix_info(coalesce(m, tiny)) i;
SELECT how, count(*) AS questions,
	count(*) FILTER (WHERE ARRAY(SELECT bloom_matrix_search(held.m, key)) <>
		ARRAY(SELECT bloom_matrix_search(:'layers'::bloom_matrix, key))) AS other_answers
FROM generate_series(-100, 3000, 25) key, held WHERE how IN ('toasted', 'compressed')
GROUP BY how ORDER BY how;

-- Pages, without those of the query that finds the matrix: a search reads some slices, and one for
-- many keys, or for all filters, no more than about twice the whole.  A worker would read the catalogs.
CREATE TABLE large AS
SELECT bloom_matrix_agg(i, f) AS m FROM generate_series(1, 600) i,
	(SELECT bloom_agg(i, 6000, 0.01) FROM generate_series(1, 500) i) s(f);
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql
SET max_parallel_workers_per_gather = 0 AS
$$
DECLARE
	plan json;
BEGIN
	-- what the catalogs are read for, before
	EXECUTE query;
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int +
		(plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END
$$;
SELECT pages('SELECT md5(m::bytea) FROM large') AS whole \gset
SELECT pages('SELECT bloom_matrix_search(m, -7) FROM large') < :whole / 20 AS one,
	pages('SELECT bloom_matrix_search_all(m, ARRAY[1, 2, 3]) FROM large') < :whole / 5 AS three,
	pages('SELECT bloom_matrix_info(m) FROM large') < :whole / 5 AS info,
	pages('SELECT bloom_matrix_ids(m) FROM large') < :whole / 5 AS ids,
	pages('SELECT bloom_matrix_search_any(m, ARRAY(SELECT -i FROM generate_series(1, 5000) i)) FROM large') <
		3 * :whole AS five_thousand,
	pages('SELECT bloom_matrix_search(m, i) FROM large, generate_series(-5000, -1) i') <
		3 * :whole AS five_thousand_calls,
	pages('SELECT count(bloom_matrix_filter(m, i)) FROM large, generate_series(1, 100) i') <
		4 * :whole AS a_hundred_filters;
SELECT count(*), bool_and(bloom_matrix_filter(m, i) = f) AS same
FROM large, generate_series(1, 600) i, (SELECT bloom_agg(i, 6000, 0.01) FROM generate_series(1, 500) i) s(f);
DROP TABLE large;

--
-- What the planner expects
--

CREATE FUNCTION rows_expected(query text) RETURNS int LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
-- of a constant: columns x rate; of all of some, or of any, as if each had the rate alone
SELECT bloom_matrix_agg(i, f) AS m, bloom_current_fpp(f) AS rate
FROM generate_series(1, 1000) i, (SELECT bloom_agg(i, 300, 0.2) FROM generate_series(1, 300) i) s(f)
GROUP BY f \gset
SELECT :rate BETWEEN 0.1 AND 0.2 AS rate,
	rows_expected(format('SELECT bloom_matrix_search(%L, 1)', :'m')) = round(1000 * :rate) AS of_list,
	rows_expected(format('SELECT FROM bloom_matrix_search(%L, 1)', :'m')) = round(1000 * :rate) AS search,
	rows_expected(format('SELECT FROM bloom_matrix_search_any(%L, ARRAY[1, 2, 3])', :'m')) =
		round(1000 * (1 - (1 - :rate) ^ 3)) AS "any",
	rows_expected(format('SELECT FROM bloom_matrix_search_any(%L, ARRAY[1, random()::int])', :'m')) =
		round(1000 * (1 - (1 - :rate) ^ 2)) AS any_of_two,
	rows_expected(format('SELECT FROM bloom_matrix_search_all(%L, ARRAY[1, 2])', :'m')) =
		round(1000 * :rate ^ 2) AS "all";
SELECT rows_expected(format('SELECT FROM bloom_matrix_search_all(%L, ''{}''::int[])', :'m')) AS all_of_none,
	rows_expected(format('SELECT FROM bloom_matrix_search_any(%L, ''{}''::int[])', :'m')) AS any_of_none,
	rows_expected(format('SELECT FROM bloom_matrix_search_all(%L, ARRAY[1, NULL])', :'m')) AS with_null,
	rows_expected(format('SELECT FROM bloom_matrix_search_all(%L, ARRAY(SELECT 1))', :'m')) AS unknown,
	rows_expected(format('SELECT FROM bloom_matrix_search(%L, NULL::int)', :'m')) AS null_key,
	rows_expected('SELECT FROM bloom_matrix_search(NULL, 1)') AS null_matrix,
	rows_expected(format('SELECT FROM bloom_matrix_ids(%L)', :'m')) AS ids,
	rows_expected(format('SELECT FROM bloom_matrix_ids(%L::bloom_matrix::bytea::bloom_matrix)', :'m'))
		AS folded;
-- a matrix without columns, and one without keys
SELECT what, rows_expected(format('SELECT FROM bloom_matrix_search(%L, 1)', m)) AS search,
	rows_expected(format('SELECT FROM bloom_matrix_ids(%L)', m)) AS ids
FROM matrix WHERE what LIKE 'no%' ORDER BY what;
-- of a column, 10 and 1000 for each row
CREATE TABLE analyzed AS SELECT m FROM matrix;
ANALYZE analyzed;
SELECT rows_expected('SELECT FROM analyzed, bloom_matrix_search(m, 1)') AS search,
	rows_expected('SELECT FROM analyzed, bloom_matrix_search_all(m, ARRAY[1])') AS "all",
	rows_expected('SELECT FROM analyzed, bloom_matrix_search_any(m, ARRAY[1])') AS "any",
	rows_expected('SELECT FROM analyzed, bloom_matrix_ids(m)') AS ids;
-- a parameter is a constant in a custom plan, and may be stored out of line
DO $$
DECLARE
	stored bloom_matrix;
	plan json;
BEGIN
	SELECT m INTO stored FROM analyzed WHERE (bloom_matrix_info(m)).columns = 20;
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT * FROM bloom_matrix_ids($1)' INTO plan USING stored;
	RAISE NOTICE '% rows', plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;

-- searches run in parallel, matrices are made in one process
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT count(*) FROM analyzed, bloom_matrix_search(m, bloom_key(200));
SELECT count(*) FROM analyzed, bloom_matrix_search(m, bloom_key(200));
EXPLAIN (COSTS OFF) SELECT bloom_matrix_agg(id, bloom_create(10)) FROM segment;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

DROP TABLE key, filter, matrix, sizes, segment, held, analyzed;
DROP FUNCTION pack, packed_as_hinted, pages, plan, rows_expected;
