-- All aggregates of the extension over keys of all families, as md5 of the bytes: what a
-- cluster makes of its shards is what one node makes of all rows.  Elsewhere such aggregates
-- could not be had on Citus (Citus 1932, 8505), or lost silently what another process had
-- gathered (pg_roaringbitmap 6).

CREATE TEMP TABLE call (aggregate regprocedure, source text, columns text[], arguments text);
INSERT INTO call
SELECT format('%s_agg(%s%s)', type, key, types)::regprocedure, 'item', columns, expression || rest
FROM unnest('{bloom,counting_bloom,cuckoo}'::text[]) type,
	(SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = 'item'::regclass AND attname LIKE 'k\_%') c (columns),
	(VALUES ('anycompatible', 'COLUMN'), ('bloom_key', 'bloom_key(COLUMN)')) k (key, expression),
	(VALUES ('', ''), (', float8', ', 0.001'), (', float8, float8', ', 4000, 0.001'),
		(', float8, float8', ', NULL, 0.001'), (', float8, float8', ', 100, 0.01')) r (types, rest)
-- a cuckoo filter would be full
WHERE type <> 'cuckoo' OR rest <> ', 100, 0.01';

INSERT INTO call VALUES ('bloom_union_agg(bloom)', 'part', '{same,few}', 'COLUMN'),
	('bloom_intersection_agg(bloom)', 'part', '{common}', 'COLUMN'),
	('counting_bloom_union_agg(counting_bloom)', 'part', '{counts}', 'COLUMN'),
	('bloom_matrix_agg(bigint, bloom)', 'part', '{same}', 'n, COLUMN');

CREATE TEMP TABLE external_key (format text, columns text[]);
INSERT INTO external_key
SELECT unnest(formats), columns
FROM (VALUES ('{guava,go,redis,leveldb}'::text[], '{k_text,k_varchar,k_domain,k_bytea}'::text[]),
	('{spark_v1,spark_v2}', '{k_text,k_bytea,k_smallint,k_integer,k_bigint}'),
	('{guava_chars}', '{k_text,k_varchar}'), ('{guava_int}', '{k_smallint,k_integer}'),
	('{guava_long,parquet_int64}', '{k_smallint,k_integer,k_bigint}'),
	('{parquet}', '{k_text,k_bytea,k_uuid}'), ('{parquet_int32}', '{k_smallint,k_integer,k_date}'),
	('{parquet_float}', '{k_smallint,k_real}'),
	('{parquet_double}', '{k_integer,k_real,k_double}'),
	('{parquet_timestamp_micros,parquet_timestamp_millis}', '{k_timestamp,k_timestamptz}'))
	f (formats, columns);
INSERT INTO call
SELECT format('external_bloom_agg(anycompatible, text%s)', types)::regprocedure, 'item', columns,
	format('COLUMN, %L%s', format, rest)
FROM external_key,
	(VALUES (', float8', ', 0.001'), (', float8', ', 12'), (', float8, float8', ', 4000, 0.001'),
		(', float8, float8', ', NULL, 0.001')) r (types, rest)
-- leveldb's parameter is the number of bits a key
WHERE (format = 'leveldb') = (rest = ', 12');

-- no aggregate and no format is forgotten
DO $$
DECLARE
	hint text;
	forgotten text;
BEGIN
	BEGIN
		PERFORM external_bloom_agg('a'::text, 'none', 0.1);
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	END;
	SELECT string_agg(name, ', ') INTO forgotten
	FROM (SELECT objid::regprocedure::text
		FROM pg_depend JOIN pg_extension e ON refobjid = e.oid AND extname = 'bloomtype'
			JOIN pg_proc p ON p.oid = objid AND classid = 'pg_proc'::regclass
		WHERE prokind = 'a' AND objid NOT IN (SELECT aggregate FROM call)
		UNION ALL
		SELECT format
		FROM regexp_split_to_table(regexp_replace(hint, '.* are |\.$', '', 'g'), ', ') format
		WHERE format NOT IN (SELECT format FROM external_key)) s (name);
	IF forgotten IS NOT NULL OR hint IS NULL THEN
		RAISE 'forgotten: %', forgotten;
	END IF;
END $$;

-- Queries around a call.  Those that are whole need no states of aggregates: a group is on
-- one shard, or rows travel.  A shard without rows has no state, which elsewhere became a null
-- pointer (argm 10, tdigest).
CREATE TEMP TABLE shape (name text, whole boolean, start text, expression text, rows text);
INSERT INTO shape VALUES
	('all rows', false, '', 'AGG(ARGUMENTS)', 'FROM SOURCE'),
	('WHERE', false, '', 'AGG(ARGUMENTS)', 'FROM SOURCE WHERE n % 3 = 0'),
	('FILTER', false, '', 'AGG(ARGUMENTS) FILTER (WHERE n % 3 = 0)', 'FROM SOURCE'),
	('no rows', false, '', 'AGG(ARGUMENTS)', 'FROM SOURCE WHERE n < 0'),
	('GROUP BY g', false, 'g, ', 'AGG(ARGUMENTS)', 'FROM SOURCE GROUP BY g ORDER BY g'),
	('GROUP BY d', true, 'd, ', 'AGG(ARGUMENTS)', 'FROM SOURCE GROUP BY d ORDER BY d'),
	('one d', true, '', 'AGG(ARGUMENTS)', 'FROM SOURCE WHERE d = 3'),
	('DISTINCT', true, '', 'AGG(DISTINCT ARGUMENTS)', 'FROM SOURCE'),
	('ORDER BY', true, '', 'AGG(ARGUMENTS ORDER BY n)', 'FROM SOURCE'),
	('MATERIALIZED', true, '', 'AGG(ARGUMENTS)',
		'FROM (WITH r AS MATERIALIZED (SELECT * FROM SOURCE) TABLE r) s');

-- each with a title
CREATE TEMP VIEW query AS
SELECT source, name, whole OR aggregate::text !~ 'anycompatible' AS plain,
	ARRAY[format('SELECT %L AS query', format('%s of %s: %s', aggregate, arguments, name)),
		format('SELECT %s%s %s', start, results, replace(rows, 'SOURCE', source))] AS statements
FROM call, shape, LATERAL (
	SELECT string_agg(format('coalesce(md5((%s)::text), ''null'') AS %I',
		replace(replace(expression, 'ARGUMENTS', replace(arguments, 'COLUMN', c)),
			'AGG', aggregate::regproc::text), c), ', ')
	FROM unnest(columns) c) s (results)
-- filters have no order
WHERE source = 'item' OR name <> 'DISTINCT';

\x on
SELECT unnest(statements) FROM query WHERE plain \gexec

-- where states do not travel, rows do
SELECT set_config(name, 'off', false) FROM pg_settings
WHERE name = 'citus.allow_aggregate_worker_combine_on_internal_types' \g /dev/null
SELECT unnest(statements) FROM query WHERE NOT plain AND source = 'item' \gexec
SELECT set_config(name, reset_val, false) FROM pg_settings
WHERE name = 'citus.allow_aggregate_worker_combine_on_internal_types' \g /dev/null

-- values travel as text
SELECT set_config(name, 'off', false) FROM pg_settings
WHERE name = 'citus.enable_binary_protocol' \g /dev/null
SELECT unnest(statements) FROM query WHERE plain AND name = 'all rows' \gexec
