--
-- What test/run sqlsmith asks about, and what SQLsmith is to know of functions
--
\set ON_ERROR_STOP on
\ir samples.sql

-- SQLsmith asks pg_proc for functions, and finds this one instead (by search_path): the
-- extension's functions, and one in four of those of the server that are immutable and
-- plain.  It knows no value of a type anycompatible, so that it gets each function as if
-- declared with concrete types, under a number of its own.
CREATE SCHEMA smith;
CREATE MATERIALIZED VIEW smith.pg_proc AS
WITH ours AS (
	SELECT p.* FROM pg_catalog.pg_proc p JOIN pg_depend ON classid = 'pg_proc'::regclass
		AND objid = p.oid AND deptype = 'e' AND refclassid = 'pg_extension'::regclass
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
), concrete (key, keys) AS (
	VALUES ('int2'::regtype, 'int2[]'::regtype), ('int4', 'int4[]'), ('int8', 'int8[]'),
		('numeric', 'numeric[]'), ('float8', 'float8[]'), ('text', 'text[]'),
		('varchar', 'varchar[]'), ('uuid', 'uuid[]'), ('date', 'date[]'),
		('timestamptz', 'timestamptz[]'), ('timestamp', 'timestamp[]'), ('inet', 'inet[]'),
		('bytea', 'bytea[]'), ('bool', 'bool[]'), ('bloom_key', 'bloom_key[]')
), typed AS (
	SELECT p.oid AS original, key::oid, keys::oid FROM ours p, concrete
	WHERE proargtypes::oid[] && '{anycompatible,anycompatiblearray}'::regtype[]::oid[]
	UNION ALL
	SELECT p.oid, NULL, NULL FROM ours p
	WHERE NOT proargtypes::oid[] && '{anycompatible,anycompatiblearray}'::regtype[]::oid[]
)
SELECT (4000000000 + row_number() OVER (ORDER BY original, key))::oid AS oid,
	proname, pronamespace,
	CASE prorettype WHEN 'anycompatiblearray'::regtype THEN keys ELSE prorettype END AS prorettype,
	proretset, prokind, provolatile, provariadic,
	array_to_string(ARRAY(
		SELECT CASE type WHEN 'anycompatible'::regtype THEN key
			WHEN 'anycompatiblearray'::regtype THEN keys ELSE type END
		FROM unnest(proargtypes::oid[]) WITH ORDINALITY a (type, n) ORDER BY n), ' ')::oidvector
		AS proargtypes
FROM ours p JOIN typed ON original = p.oid
UNION ALL
SELECT oid, proname, pronamespace, prorettype, proretset, prokind, provolatile, provariadic,
	proargtypes
FROM pg_catalog.pg_proc
WHERE pronamespace = 'pg_catalog'::regnamespace AND provolatile = 'i' AND oid::bigint % 4 = 0
	AND NOT EXISTS (SELECT FROM pg_type t
		WHERE t.oid = ANY (proargtypes::oid[] || prorettype) AND typtype <> 'b');

-- its conditions, which are mostly joins, use page indexes where they can
CREATE INDEX range_i4 ON keys USING bloom_pages (i4);
CREATE INDEX range_i8 ON keys USING bloom_pages (i8) WITH (pages_per_range = 1, rows_per_range = 1);
CREATE INDEX range_n ON keys USING bloom_pages (n);
CREATE INDEX range_t ON keys USING bloom_pages (t);
CREATE INDEX range_u ON keys USING bloom_pages (u);
CREATE INDEX range_at ON keys USING bloom_pages (at);
CREATE INDEX range_k ON keys USING bloom_pages (k);
CREATE INDEX range_i4s ON keys USING bloom_pages (i4s);
CREATE INDEX range_name ON filters USING bloom_pages (name);
CREATE INDEX range_format ON external_filters USING bloom_pages (format);

CREATE ROLE smith LOGIN;
GRANT USAGE ON SCHEMA smith TO smith;
GRANT SELECT ON smith.pg_proc TO smith;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO smith;

-- Its joins have filters wherever they are right.  The settings make most joins hash joins, and JIT
-- would compile those that cannot be.
ALTER ROLE smith SET session_preload_libraries = 'bloomtype_join';
ALTER ROLE smith SET bloomtype_join.enable = 'force';
ALTER ROLE smith SET enable_nestloop = off;
ALTER ROLE smith SET enable_seqscan = off;
ALTER ROLE smith SET enable_mergejoin = off;
ALTER ROLE smith SET jit = off;
