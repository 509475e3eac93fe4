/*
 * The type dummy, for test/t/030_dummy_kind.pl, which runs this after the script of the
 * extension, with the module in place of MODULE_PATHNAME.
 *
 * It has what a type of a static kind would have.  dummy_add and dummy_remove are
 * declared for their errors.
 */

CREATE TYPE dummy;

CREATE FUNCTION dummy_in(cstring) RETURNS dummy
AS 'MODULE_PATHNAME', 'bloomtype_dummy_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_out(dummy) RETURNS cstring
AS 'MODULE_PATHNAME', 'bloomtype_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_recv(internal) RETURNS dummy
AS 'MODULE_PATHNAME', 'bloomtype_dummy_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_send(dummy) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE dummy (
	INPUT = dummy_in,
	OUTPUT = dummy_out,
	RECEIVE = dummy_recv,
	SEND = dummy_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = external
);

CREATE FUNCTION dummy_agg_transition(internal, anycompatible) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_dummy_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE FUNCTION dummy_agg_transition(internal, anycompatible, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_dummy_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE FUNCTION dummy_agg_transition(internal, anycompatible, bigint, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_dummy_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE FUNCTION dummy_agg_transition(internal, bloom_key) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_dummy_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE FUNCTION dummy_agg_final(internal) RETURNS dummy
AS 'MODULE_PATHNAME', 'bloomtype_dummy_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE AGGREGATE dummy_agg(value anycompatible) (
	SFUNC = dummy_agg_transition,
	STYPE = internal,
	FINALFUNC = dummy_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);

CREATE AGGREGATE dummy_agg(value anycompatible, fpp float8) (
	SFUNC = dummy_agg_transition,
	STYPE = internal,
	FINALFUNC = dummy_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);

CREATE AGGREGATE dummy_agg(value anycompatible, capacity bigint, fpp float8) (
	SFUNC = dummy_agg_transition,
	STYPE = internal,
	FINALFUNC = dummy_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);

CREATE AGGREGATE dummy_agg(key bloom_key) (
	SFUNC = dummy_agg_transition,
	STYPE = internal,
	FINALFUNC = dummy_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);

CREATE FUNCTION dummy_add(filter dummy, value anycompatible) RETURNS dummy
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE FUNCTION dummy_remove(filter dummy, value anycompatible) RETURNS dummy
AS 'MODULE_PATHNAME', 'bloomtype_remove'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;

CREATE FUNCTION dummy_contains(filter dummy, value anycompatible) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;

CREATE FUNCTION dummy_contained(value anycompatible, filter dummy) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contained'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;

CREATE FUNCTION dummy_contains_any(filter dummy, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_any'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;

CREATE FUNCTION dummy_contains_all(filter dummy, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_all'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;

CREATE FUNCTION dummy_missing(filter dummy, keys anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'bloomtype_missing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR @> (
	LEFTARG = dummy,
	RIGHTARG = anycompatible,
	FUNCTION = dummy_contains,
	COMMUTATOR = <@,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);

CREATE OPERATOR <@ (
	LEFTARG = anycompatible,
	RIGHTARG = dummy,
	FUNCTION = dummy_contained,
	COMMUTATOR = @>,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);

CREATE FUNCTION dummy_info(
	filter dummy,
	OUT key_family text,
	OUT capacity bigint,
	OUT target_fpp float8,
	OUT fingerprint_bits int,
	OUT bins bigint,
	OUT bytes bigint,
	OUT load float8,
	OUT keys bigint,
	OUT current_fpp float8,
	OUT saturated boolean
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_dummy_info'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_cardinality(filter dummy) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_cardinality'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_current_fpp(filter dummy) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_current_fpp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_overhead(
	filter dummy,
	OUT bytes float8,
	OUT probes float8,
	OUT layers int,
	OUT fpp float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_overhead'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_sizing(
	capacity bigint,
	fpp float8 DEFAULT 0.01,
	OUT bytes bigint,
	OUT bins bigint,
	OUT fingerprint_bits int,
	OUT bits_per_key float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_dummy_sizing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_match(dummy, dummy) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_dummy_match'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_eq(dummy, dummy) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;

CREATE FUNCTION dummy_hash(dummy) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OPERATOR = (
	LEFTARG = dummy,
	RIGHTARG = dummy,
	FUNCTION = dummy_eq,
	COMMUTATOR = =,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);

CREATE OPERATOR CLASS dummy_ops
DEFAULT FOR TYPE dummy USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 dummy_hash(dummy);

CREATE FUNCTION dummy_from_bytea(bytea) RETURNS dummy
AS 'MODULE_PATHNAME', 'bloomtype_dummy_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE FUNCTION dummy_to_bytea(dummy) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE CAST (bytea AS dummy) WITH FUNCTION dummy_from_bytea(bytea);

CREATE CAST (dummy AS bytea) WITH FUNCTION dummy_to_bytea(dummy);
