/* bloomtype/sql/bloomtype--1.0--1.1.sql */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION bloomtype UPDATE TO '1.1'" to load this file. \quit

--
-- Filters of other systems: the planner knows how many rows pass, and what asking costs
--

ALTER FUNCTION external_bloom_contains(bytea, text, anycompatible)
SUPPORT bloom_contains_support;

ALTER FUNCTION external_bloom_contains_any(bytea, text, anycompatiblearray)
SUPPORT bloom_contains_support;

ALTER FUNCTION external_bloom_contains_all(bytea, text, anycompatiblearray)
SUPPORT bloom_contains_support;

--
-- Which release is it?
--

-- a view or a cached plan would keep what an immutable function has given
CREATE FUNCTION bloomtype_version() RETURNS text
AS 'MODULE_PATHNAME', 'bloomtype_version'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloomtype_version() IS 'release of the library that is loaded';

--
-- Should a filter be rebuilt?
--

CREATE FUNCTION bloom_overhead(
	filter bloom,
	OUT bytes float8,
	OUT probes float8,
	OUT layers int,
	OUT fpp float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_overhead'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_overhead(bloom) IS
'what a filter costs, compared with one made for its keys now';

CREATE FUNCTION counting_bloom_overhead(
	filter counting_bloom,
	OUT bytes float8,
	OUT probes float8,
	OUT layers int,
	OUT fpp float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_overhead'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_overhead(counting_bloom) IS
'what a filter costs, compared with one made for its keys now';

CREATE FUNCTION cuckoo_overhead(
	filter cuckoo,
	OUT bytes float8,
	OUT probes float8,
	OUT layers int,
	OUT fpp float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_overhead'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_overhead(cuckoo) IS
'what a filter costs, compared with one made for its keys now';
