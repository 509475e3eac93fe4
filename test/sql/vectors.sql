--
-- The vectors in test/vectors/, which other programs compare themselves with: the server
-- still gives what they say.
--
\a\t
\getenv folder PG_ABS_SRCDIR
\set keys `cat :'folder'/vectors/keys.json`
\set bytes `cat :'folder'/vectors/bytes.json`
\set filters `cat :'folder'/vectors/filters.json`
\set malformed `cat :'folder'/vectors/malformed.json`
\set build `cat :'folder'/vectors/build.json`
\set matrices `cat :'folder'/vectors/matrices.json`
\set malformed_matrices `cat :'folder'/vectors/malformed_matrices.json`
\set functions :folder '/vectors/functions.sql'
\i :functions
SET timezone = 'Asia/Kolkata';	-- other than that of the one who wrote them

-- Keys
SELECT count(*), count(key) AS keys, count(DISTINCT type) AS types,
	count(*) FILTER (WHERE key IS DISTINCT FROM key_of(type, value)) AS wrong
FROM json_to_recordset(:'keys') AS v(type text, value text, key bloom_key);

-- Hashes of byte strings
SELECT count(*), max(length),
	count(*) FILTER (WHERE bloom_key(bytes) <> ('bytea:' || hash)::bloom_key) AS wrong
FROM json_to_recordset(:'bytes') AS v(length int, hash text),
	LATERAL (SELECT coalesce(string_agg(set_byte('\x00', 0, (7 * i + length) % 256), ''
		ORDER BY i), '') FROM generate_series(0, length - 1) i) b(bytes);

-- Filters: their information, and their answers
CREATE FUNCTION pg_temp.call(call text, filter text, key bloom_key DEFAULT NULL) RETURNS json
LANGUAGE plpgsql AS $$
DECLARE
	result json;
BEGIN
	EXECUTE format('SELECT to_json(r) FROM ' || call || ' r', filter, key) INTO result;
	RETURN result;
END $$;
CREATE TEMP TABLE vector AS
SELECT * FROM json_to_recordset(:'filters')
	AS v(name text, kind text, type text, image text, info jsonb, probes json);
SELECT kind, count(*), count(*) FILTER (WHERE i - 'current_fpp' <> info - 'current_fpp') AS wrong,
	count(*) FILTER (WHERE abs((i->>'current_fpp')::float8 - rate) > 1e-9 * rate) AS wrong_rates
FROM vector, CAST(info->>'current_fpp' AS float8) rate,
	CAST(pg_temp.call(kind || '_info(%L)', image) AS jsonb) i
GROUP BY kind ORDER BY kind;
SELECT kind, count(*), count(*) FILTER (WHERE contains) AS found,
	count(*) FILTER (WHERE contains IS DISTINCT FROM
		pg_temp.call(kind || '_contains(%L, %L::bloom_key)', image, key)::text::boolean) AS wrong,
	count(*) FILTER (WHERE type IS NOT NULL
		AND key_of(type, value) IS DISTINCT FROM key) AS wrong_keys,
	count(*) FILTER (WHERE kind <> 'bloom' AND
		pg_temp.call(kind || '_count(%L, %L::bloom_key)', image, key)::text::int
		IS DISTINCT FROM count) AS wrong_counts
FROM vector, json_to_recordset(probes) AS p(value text, key bloom_key, contains boolean, count int)
GROUP BY kind ORDER BY kind;

-- What is refused, and why
SELECT kind, count(*), count(DISTINCT reason) AS reasons,
	count(*) FILTER (WHERE reason_of(kind::regtype, text) IS DISTINCT FROM reason) AS wrong
FROM json_to_recordset(:'malformed') AS v(kind text, text text, reason text)
GROUP BY kind ORDER BY kind;

-- Filters that are built
SET client_min_messages = error;	-- of a filter past its capacity
SELECT count(*), count(image) AS built,
	count(*) FILTER (WHERE CASE WHEN image IS NULL
		THEN blocks IS NULL OR (bloom_info(f)).layers > 1 ELSE image = f::text END) AS right,
	count(*) FILTER (WHERE (sizing->>'blocks')::bigint = blocks
		AND (sizing->>'probes')::int = s.probes
		AND (sizing->>'full_at')::bigint = full_at) AS sized
FROM json_to_recordset(:'build') AS v(capacity bigint, fpp float8, growth int, sizing json,
		type text, keys json, "from" int, "to" int, image text),
	bloom_sizing(capacity, fpp) s,
	LATERAL (SELECT coalesce(array_agg(key_of(type, value) ORDER BY n), '{}')
		FROM (SELECT n, value FROM json_array_elements_text(keys) WITH ORDINALITY e(value, n) UNION ALL
			SELECT i, i::text FROM generate_series("from", "to") i) e) k(added),
	bloom_add_all(bloom_create(capacity, fpp, growth), added) f;
RESET client_min_messages;

-- Matrices: their information, their columns, what is found in them, and what is refused
CREATE TEMP TABLE matrix AS
SELECT type, image::bloom_matrix AS m, image, info, columns, searches
FROM json_to_recordset(with_zeros(:'matrices')::json)
	AS v(name text, type text, image text, info jsonb, columns json, searches json);
SELECT count(*), count(*) FILTER (WHERE m::text <> image) AS wrong,
	count(*) FILTER (WHERE i - 'max_fpp' <> info - 'max_fpp') AS wrong_info,
	count(*) FILTER (WHERE abs((i->>'max_fpp')::float8 - rate) > 1e-9 * rate) AS wrong_rates,
	count(*) FILTER (WHERE ARRAY(SELECT bloom_matrix_ids(m)) <>
		ARRAY(SELECT id FROM json_to_recordset(columns) AS c(id bigint))) AS wrong_ids
FROM matrix, CAST(info->>'max_fpp' AS float8) rate, LATERAL (SELECT to_jsonb(i) FROM bloom_matrix_info(m) i) s(i);
SELECT count(*), count(*) FILTER (WHERE bloom_matrix_filter(m, id)::text <> filter) AS wrong,
	count(*) FILTER (WHERE (bloom_info(filter::bloom)).layers = 1) AS with_layer
FROM matrix, json_to_recordset(columns) AS c(id bigint, filter text);
SELECT count(*), sum(json_array_length(ids)) AS found,
	count(*) FILTER (WHERE ARRAY(SELECT bloom_matrix_search(m, key)) <>
		ARRAY(SELECT id::bigint FROM json_array_elements_text(ids) id)) AS wrong,
	count(*) FILTER (WHERE type IS NOT NULL AND key_of(type, value) IS DISTINCT FROM key) AS wrong_keys
FROM matrix, json_to_recordset(searches) AS s(value text, key bloom_key, ids json);
SELECT count(*), count(DISTINCT reason) AS reasons,
	count(*) FILTER (WHERE reason_of('bloom_matrix', text) IS DISTINCT FROM reason) AS wrong
FROM json_to_recordset(with_zeros(:'malformed_matrices')::json) AS v(text text, reason text);
DROP TABLE matrix;
DROP TABLE vector;
DROP FUNCTION with_zeros(text);
DROP FUNCTION key_of(text, text);
DROP FUNCTION reason_of(regtype, text);
