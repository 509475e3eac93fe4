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

--
-- bloom_matrix: which of many filters may have this key?
--

CREATE TYPE bloom_matrix;

CREATE FUNCTION bloom_matrix_in(cstring) RETURNS bloom_matrix
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_in(cstring) IS 'I/O';

CREATE FUNCTION bloom_matrix_out(bloom_matrix) RETURNS cstring
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_out(bloom_matrix) IS 'I/O';

CREATE FUNCTION bloom_matrix_recv(internal) RETURNS bloom_matrix
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_recv(internal) IS 'I/O';

CREATE FUNCTION bloom_matrix_send(bloom_matrix) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_send(bloom_matrix) IS 'I/O';

CREATE TYPE bloom_matrix (
	INPUT = bloom_matrix_in,
	OUTPUT = bloom_matrix_out,
	RECEIVE = bloom_matrix_recv,
	SEND = bloom_matrix_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = external
);
COMMENT ON TYPE bloom_matrix IS 'many Bloom filters, to be searched at once for a key';

CREATE FUNCTION bloom_matrix_from_bytea(bytea) RETURNS bloom_matrix
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_from_bytea(bytea) IS 'checked cast from bytea';

CREATE CAST (bytea AS bloom_matrix) WITH FUNCTION bloom_matrix_from_bytea(bytea);
COMMENT ON CAST (bytea AS bloom_matrix) IS 'convert bytea to bloom_matrix';

CREATE FUNCTION bloom_matrix_to_bytea(bloom_matrix) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_to_bytea(bloom_matrix) IS 'cast to bytea';

CREATE CAST (bloom_matrix AS bytea) WITH FUNCTION bloom_matrix_to_bytea(bloom_matrix);
COMMENT ON CAST (bloom_matrix AS bytea) IS 'convert bloom_matrix to bytea';

CREATE FUNCTION bloom_matrix_agg_transition(internal, bigint, bloom) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_agg_transition(internal, bigint, bloom) IS 'aggregate transition function';

CREATE FUNCTION bloom_matrix_agg_final(internal) RETURNS bloom_matrix
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE bloom_matrix_agg(id bigint, filter bloom) (
	SFUNC = bloom_matrix_agg_transition,
	STYPE = internal,
	SSPACE = 1048576,
	FINALFUNC = bloom_matrix_agg_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_matrix_agg(bigint, bloom) IS
'matrix of filters, by their ids';

CREATE FUNCTION bloom_matrix_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_matrix_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_support(internal) IS
'planner support for functions that search a matrix';

CREATE FUNCTION bloom_matrix_search(matrix bloom_matrix, value anycompatible)
RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_search'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10
SUPPORT bloom_matrix_support;
COMMENT ON FUNCTION bloom_matrix_search(bloom_matrix, anycompatible) IS
'ids of the filters that may contain a key';

CREATE FUNCTION bloom_matrix_search_all(matrix bloom_matrix, keys anycompatiblearray)
RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_search_all'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10
SUPPORT bloom_matrix_support;
COMMENT ON FUNCTION bloom_matrix_search_all(bloom_matrix, anycompatiblearray) IS
'ids of the filters that may contain all elements of an array';

CREATE FUNCTION bloom_matrix_search_any(matrix bloom_matrix, keys anycompatiblearray)
RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_search_any'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10
SUPPORT bloom_matrix_support;
COMMENT ON FUNCTION bloom_matrix_search_any(bloom_matrix, anycompatiblearray) IS
'ids of the filters that may contain an element of an array';

CREATE FUNCTION bloom_matrix_filter(matrix bloom_matrix, id bigint) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_filter'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_filter(bloom_matrix, bigint) IS 'filter of an id in a matrix';

CREATE FUNCTION bloom_matrix_ids(matrix bloom_matrix) RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_ids'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000
SUPPORT bloom_matrix_support;
COMMENT ON FUNCTION bloom_matrix_ids(bloom_matrix) IS 'ids of the filters of a matrix';

CREATE FUNCTION bloom_matrix_info(
	matrix bloom_matrix,
	OUT key_family text,
	OUT columns bigint,
	OUT blocks bigint,
	OUT probes int,
	OUT bytes bigint,
	OUT max_fpp float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_bloom_matrix_info'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_info(bloom_matrix) IS 'what a matrix of filters consists of';

CREATE FUNCTION bloom_matrix_eq(bloom_matrix, bloom_matrix) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_eq(bloom_matrix, bloom_matrix) IS 'implementation of = operator';

CREATE FUNCTION bloom_matrix_ne(bloom_matrix, bloom_matrix) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_ne(bloom_matrix, bloom_matrix) IS 'implementation of <> operator';

CREATE FUNCTION bloom_matrix_hash(bloom_matrix) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_hash(bloom_matrix) IS 'hash';

CREATE FUNCTION bloom_matrix_hash_extended(bloom_matrix, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_hash_extended'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_matrix_hash_extended(bloom_matrix, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = bloom_matrix,
	RIGHTARG = bloom_matrix,
	FUNCTION = bloom_matrix_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);
COMMENT ON OPERATOR = (bloom_matrix, bloom_matrix) IS 'equal (same bytes)';

CREATE OPERATOR <> (
	LEFTARG = bloom_matrix,
	RIGHTARG = bloom_matrix,
	FUNCTION = bloom_matrix_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bloom_matrix, bloom_matrix) IS 'not equal (not the same bytes)';

CREATE OPERATOR CLASS bloom_matrix_ops
DEFAULT FOR TYPE bloom_matrix USING hash AS
	OPERATOR 1 = ,
	FUNCTION 1 bloom_matrix_hash(bloom_matrix),
	FUNCTION 2 bloom_matrix_hash_extended(bloom_matrix, bigint);
COMMENT ON OPERATOR CLASS bloom_matrix_ops USING hash IS 'matrices by their bytes';
COMMENT ON OPERATOR FAMILY bloom_matrix_ops USING hash IS 'matrices by their bytes';
