/*
 * The type dummy, for test/t/030_dummy_kind.pl, which runs this after the script of the
 * extension, with the module in place of MODULE_PATHNAME.
 *
 * It has what a type of a static kind would have.  dummy_add and dummy_remove are
 * declared for their errors.
 */

-- A function of the module, without the bloomtype_ of its name in C
CREATE FUNCTION pg_temp.make(signature text, result text, name text, options text DEFAULT 'STRICT')
RETURNS void LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('CREATE FUNCTION %s RETURNS %s AS %L, %L LANGUAGE C IMMUTABLE PARALLEL SAFE %s',
		signature, result, 'MODULE_PATHNAME', 'bloomtype_' || name, options);
END
$$;

CREATE TYPE dummy;

SELECT pg_temp.make('dummy_in(cstring)', 'dummy', 'dummy_in');
SELECT pg_temp.make('dummy_out(dummy)', 'cstring', 'out');
SELECT pg_temp.make('dummy_recv(internal)', 'dummy', 'dummy_recv');
SELECT pg_temp.make('dummy_send(dummy)', 'bytea', 'to_bytea');

CREATE TYPE dummy (
	INPUT = dummy_in,
	OUTPUT = dummy_out,
	RECEIVE = dummy_recv,
	SEND = dummy_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = external
);

SELECT pg_temp.make('dummy_agg_final(internal)', 'dummy', 'dummy_agg_final', '');
DO $$
DECLARE
	arguments text;
BEGIN
	FOREACH arguments IN ARRAY ARRAY['anycompatible', 'anycompatible, float8',
		'anycompatible, bigint, float8', 'bloom_key']
	LOOP
		PERFORM pg_temp.make(format('dummy_agg_transition(internal, %s)', arguments), 'internal',
			CASE arguments WHEN 'bloom_key' THEN 'dummy_agg_key_transition'
				ELSE 'dummy_agg_transition' END, '');
		EXECUTE format('CREATE AGGREGATE dummy_agg(%s) (
			SFUNC = dummy_agg_transition,
			STYPE = internal,
			FINALFUNC = dummy_agg_final,
			COMBINEFUNC = bloom_agg_combine,
			SERIALFUNC = bloom_agg_serialize,
			DESERIALFUNC = bloom_agg_deserialize,
			PARALLEL = SAFE
		)', arguments);
	END LOOP;
END
$$;

SELECT pg_temp.make('dummy_add(dummy, anycompatible)', 'dummy', 'add', '');
SELECT pg_temp.make('dummy_remove(dummy, anycompatible)', 'dummy', 'remove', '');
SELECT pg_temp.make('dummy_contains(dummy, anycompatible)', 'boolean', 'contains',
	'STRICT SUPPORT bloom_contains_support');
SELECT pg_temp.make('dummy_contained(anycompatible, dummy)', 'boolean', 'contained',
	'STRICT SUPPORT bloom_contains_support');
SELECT pg_temp.make('dummy_contains_any(dummy, anycompatiblearray)', 'boolean', 'contains_any',
	'STRICT SUPPORT bloom_contains_support');
SELECT pg_temp.make('dummy_contains_all(dummy, anycompatiblearray)', 'boolean', 'contains_all',
	'STRICT SUPPORT bloom_contains_support');
SELECT pg_temp.make('dummy_missing(dummy, anycompatiblearray)', 'anycompatiblearray', 'missing');

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

SELECT pg_temp.make('dummy_info(dummy, OUT key_family text, OUT capacity bigint, OUT target_fpp float8,
	OUT fingerprint_bits int, OUT bins bigint, OUT bytes bigint, OUT load float8, OUT keys bigint,
	OUT current_fpp float8, OUT saturated boolean)', 'record', 'dummy_info');
SELECT pg_temp.make('dummy_cardinality(dummy)', 'bigint', 'cardinality');
SELECT pg_temp.make('dummy_current_fpp(dummy)', 'float8', 'current_fpp');
SELECT pg_temp.make('dummy_overhead(dummy, OUT bytes float8, OUT probes float8, OUT layers int,
	OUT fpp float8)', 'record', 'overhead');
SELECT pg_temp.make('dummy_sizing(capacity bigint, fpp float8 DEFAULT 0.01, OUT bytes bigint,
	OUT bins bigint, OUT fingerprint_bits int, OUT bits_per_key float8)', 'record', 'dummy_sizing');

SELECT pg_temp.make('dummy_match(dummy, dummy)', 'boolean', 'dummy_match');
SELECT pg_temp.make('dummy_eq(dummy, dummy)', 'boolean', 'eq', 'STRICT LEAKPROOF');
SELECT pg_temp.make('dummy_hash(dummy)', 'int', 'hash');

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

SELECT pg_temp.make('dummy_from_bytea(bytea)', 'dummy', 'dummy_from_bytea');
SELECT pg_temp.make('dummy_to_bytea(dummy)', 'bytea', 'to_bytea');
CREATE CAST (bytea AS dummy) WITH FUNCTION dummy_from_bytea(bytea);
CREATE CAST (dummy AS bytea) WITH FUNCTION dummy_to_bytea(dummy);
