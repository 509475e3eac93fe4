/* bloomtype/sql/bloomtype--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION bloomtype" to load this file. \quit

--
-- Type bloom
--

CREATE TYPE bloom;

CREATE FUNCTION bloom_in(cstring) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_in(cstring) IS 'I/O';

CREATE FUNCTION bloom_out(bloom) RETURNS cstring
AS 'MODULE_PATHNAME', 'bloomtype_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_out(bloom) IS 'I/O';

CREATE FUNCTION bloom_recv(internal) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_recv(internal) IS 'I/O';

CREATE FUNCTION bloom_send(bloom) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_send(bloom) IS 'I/O';

-- External: half-full bits do not compress, and what is stored uncompressed
-- can be read in slices.
CREATE TYPE bloom (
	INPUT = bloom_in,
	OUTPUT = bloom_out,
	RECEIVE = bloom_recv,
	SEND = bloom_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = external
);
COMMENT ON TYPE bloom IS 'Bloom filter: tells whether a key is in a set (false is certain, true is probable)';

--
-- Type bloom_key
--

CREATE TYPE bloom_key;

CREATE FUNCTION bloom_key_in(cstring) RETURNS bloom_key
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_in(cstring) IS 'I/O';

CREATE FUNCTION bloom_key_out(bloom_key) RETURNS cstring
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_out(bloom_key) IS 'I/O';

CREATE FUNCTION bloom_key_recv(internal) RETURNS bloom_key
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_recv(internal) IS 'I/O';

CREATE FUNCTION bloom_key_send(bloom_key) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_send'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_send(bloom_key) IS 'I/O';

CREATE TYPE bloom_key (
	INPUT = bloom_key_in,
	OUTPUT = bloom_key_out,
	RECEIVE = bloom_key_recv,
	SEND = bloom_key_send,
	INTERNALLENGTH = 16,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE bloom_key IS 'hashed key of a filter: the family of a value and its 64-bit hash';

--
-- Make
--

CREATE FUNCTION bloom_create(capacity float8, fpp float8 DEFAULT 0.01, growth int DEFAULT 2)
RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_create'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_create(float8, float8, int) IS
'empty Bloom filter of a given capacity, which grows beyond it unless growth is 0';

CREATE FUNCTION bloom_agg_transition(internal, anycompatible) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_transition(internal, anycompatible) IS 'aggregate transition function';

CREATE FUNCTION bloom_agg_transition(internal, anycompatible, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_transition(internal, anycompatible, float8) IS 'aggregate transition function';

CREATE FUNCTION bloom_agg_transition(internal, anycompatible, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_transition(internal, anycompatible, float8, float8) IS 'aggregate transition function';

CREATE FUNCTION bloom_agg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_agg_combine'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_combine(internal, internal) IS 'aggregate combine function';

CREATE FUNCTION bloom_agg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_agg_serialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_serialize(internal) IS 'aggregate serialize function';

CREATE FUNCTION bloom_agg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_agg_deserialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_deserialize(bytea, internal) IS 'aggregate deserialize function';

CREATE FUNCTION bloom_agg_final(internal) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE bloom_agg(value anycompatible) (
	SFUNC = bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(anycompatible) IS
'Bloom filter of all non-null values, sized for their number, at a false-positive rate of 0.01';

CREATE AGGREGATE bloom_agg(value anycompatible, fpp float8) (
	SFUNC = bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(anycompatible, float8) IS
'Bloom filter of all non-null values, sized for their number, at a given false-positive rate';

CREATE AGGREGATE bloom_agg(value anycompatible, capacity float8, fpp float8) (
	SFUNC = bloom_agg_transition,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(anycompatible, float8, float8) IS
'Bloom filter of all non-null values, sized for a given capacity';

-- The same over keys that are hashed already.  Engines that spread a query over
-- machines push down an aggregate only if its arguments have concrete types.
CREATE FUNCTION bloom_agg_transition(internal, bloom_key) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_transition(internal, bloom_key) IS 'aggregate transition function';

CREATE FUNCTION bloom_agg_transition(internal, bloom_key, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_transition(internal, bloom_key, float8) IS 'aggregate transition function';

CREATE FUNCTION bloom_agg_transition(internal, bloom_key, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_bloom_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_agg_transition(internal, bloom_key, float8, float8) IS 'aggregate transition function';

CREATE AGGREGATE bloom_agg(key bloom_key) (
	SFUNC = bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(bloom_key) IS
'Bloom filter of all non-null hashed keys, sized for their number, at a false-positive rate of 0.01';

CREATE AGGREGATE bloom_agg(key bloom_key, fpp float8) (
	SFUNC = bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(bloom_key, float8) IS
'Bloom filter of all non-null hashed keys, sized for their number, at a given false-positive rate';

CREATE AGGREGATE bloom_agg(key bloom_key, capacity float8, fpp float8) (
	SFUNC = bloom_agg_transition,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_agg(bloom_key, float8, float8) IS
'Bloom filter of all non-null hashed keys, sized for a given capacity';

--
-- Add
--

CREATE FUNCTION bloom_change_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_change_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_change_support(internal) IS
'planner support for functions that change a filter in place';

CREATE FUNCTION bloom_add(filter bloom, value anycompatible) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION bloom_add(bloom, anycompatible) IS 'add key to filter';

CREATE FUNCTION bloom_add_all(filter bloom, keys anycompatiblearray) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_add_all'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_add_all(bloom, anycompatiblearray) IS 'add all elements of array to filter';

CREATE FUNCTION bloom_add_text(bloom, text) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION bloom_add_text(bloom, text) IS 'implementation of || operator';

-- Text has an operator of its own: with text || anynonarray and anynonarray || text of the server,
-- bloom || text would be ambiguous.  Two filters have none, or an untyped literal on the right
-- would be taken for a filter.
CREATE OPERATOR || (
	LEFTARG = bloom,
	RIGHTARG = anycompatible,
	FUNCTION = bloom_add
);
COMMENT ON OPERATOR || (bloom, anycompatible) IS 'add key';

CREATE OPERATOR || (
	LEFTARG = bloom,
	RIGHTARG = text,
	FUNCTION = bloom_add_text
);
COMMENT ON OPERATOR || (bloom, text) IS 'add key';

--
-- Ask
--

CREATE FUNCTION bloom_contains_support(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_contains_support'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_contains_support(internal) IS
'planner support for functions that look for keys in a filter';

CREATE FUNCTION bloom_contains_sel(internal, oid, internal, int) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_contains_sel'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_contains_sel(internal, oid, internal, int) IS 'restriction selectivity of @> and <@';

CREATE FUNCTION bloom_contains_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_contains_joinsel'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_contains_joinsel(internal, oid, internal, smallint, internal) IS
'join selectivity of @> and <@';

CREATE FUNCTION bloom_contains(filter bloom, value anycompatible) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION bloom_contains(bloom, anycompatible) IS
'is key in filter? (false is certain, true is probable)';

CREATE FUNCTION bloom_contained(value anycompatible, filter bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contained'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION bloom_contained(anycompatible, bloom) IS 'implementation of <@ operator';

CREATE FUNCTION bloom_contains_any(filter bloom, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_any'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION bloom_contains_any(bloom, anycompatiblearray) IS
'is any element of array in filter? (false is certain, true is probable)';

CREATE FUNCTION bloom_contains_all(filter bloom, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_all'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION bloom_contains_all(bloom, anycompatiblearray) IS
'are all elements of array in filter? (false is certain, true is probable)';

CREATE FUNCTION bloom_missing(filter bloom, keys anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'bloomtype_missing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_missing(bloom, anycompatiblearray) IS
'elements of array that are certainly not in filter';

CREATE OPERATOR @> (
	LEFTARG = bloom,
	RIGHTARG = anycompatible,
	FUNCTION = bloom_contains,
	COMMUTATOR = <@,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);
COMMENT ON OPERATOR @> (bloom, anycompatible) IS 'contains key (false is certain, true is probable)';

CREATE OPERATOR <@ (
	LEFTARG = anycompatible,
	RIGHTARG = bloom,
	FUNCTION = bloom_contained,
	COMMUTATOR = @>,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);
COMMENT ON OPERATOR <@ (anycompatible, bloom) IS
'is contained by filter (false is certain, true is probable)';

--
-- Ask two filters
--

CREATE FUNCTION bloom_overlap(
	a bloom,
	b bloom,
	OUT keys_a bigint,
	OUT keys_b bigint,
	OUT keys_either bigint,
	OUT keys_both bigint,
	OUT jaccard float8,
	OUT standard_error float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_bloom_overlap'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_overlap(bloom, bloom) IS
'estimate how many keys two filters have, in all and in common';

CREATE FUNCTION bloom_overlaps_sel(internal, oid, internal, int) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_overlaps_sel'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_overlaps_sel(internal, oid, internal, int) IS 'restriction selectivity of &&';

CREATE FUNCTION bloom_overlaps_joinsel(internal, oid, internal, smallint, internal) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_overlaps_joinsel'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_overlaps_joinsel(internal, oid, internal, smallint, internal) IS
'join selectivity of &&';

CREATE FUNCTION bloom_overlaps(a bloom, b bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_overlaps'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_overlaps(bloom, bloom) IS 'do two filters have keys in common? (false is certain)';

CREATE OPERATOR && (
	LEFTARG = bloom,
	RIGHTARG = bloom,
	FUNCTION = bloom_overlaps,
	COMMUTATOR = &&,
	RESTRICT = bloom_overlaps_sel,
	JOIN = bloom_overlaps_joinsel
);
COMMENT ON OPERATOR && (bloom, bloom) IS 'have keys in common (false is certain)';

--
-- Combine
--

CREATE FUNCTION bloom_union(a bloom, b bloom) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_union'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_union(bloom, bloom) IS 'union of two filters';

CREATE OPERATOR | (
	LEFTARG = bloom,
	RIGHTARG = bloom,
	FUNCTION = bloom_union,
	COMMUTATOR = |
);
COMMENT ON OPERATOR | (bloom, bloom) IS 'union';

CREATE FUNCTION bloom_union_agg_final(bloom) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_union_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_union_agg_final(bloom) IS 'aggregate final function';

CREATE AGGREGATE bloom_union_agg(filter bloom) (
	SFUNC = bloom_union,
	STYPE = bloom,
	SSPACE = 8192,
	FINALFUNC = bloom_union_agg_final,
	COMBINEFUNC = bloom_union,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_union_agg(bloom) IS 'union of all non-null filters';

CREATE FUNCTION bloom_intersection(a bloom, b bloom) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_intersection'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_intersection(bloom, bloom) IS 'intersection of two filters';

CREATE OPERATOR & (
	LEFTARG = bloom,
	RIGHTARG = bloom,
	FUNCTION = bloom_intersection,
	COMMUTATOR = &
);
COMMENT ON OPERATOR & (bloom, bloom) IS 'intersection';

-- Over no rows it is null: an empty filter would say of every key that it is
-- certainly not in there.
CREATE AGGREGATE bloom_intersection_agg(filter bloom) (
	SFUNC = bloom_intersection,
	STYPE = bloom,
	SSPACE = 8192,
	COMBINEFUNC = bloom_intersection,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE bloom_intersection_agg(bloom) IS 'intersection of all non-null filters';

CREATE FUNCTION bloom_shrink(filter bloom) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_shrink'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_shrink(bloom) IS
'smallest filter of the same keys within the false-positive rate asked for';

--
-- Inspect
--

CREATE FUNCTION bloom_info(
	filter bloom,
	OUT key_family text,
	OUT capacity bigint,
	OUT target_fpp float8,
	OUT growth int,
	OUT layers int,
	OUT probes int,
	OUT bits bigint,
	OUT bytes bigint,
	OUT fill float8,
	OUT keys bigint,
	OUT current_fpp float8,
	OUT saturated boolean
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_bloom_info'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_info(bloom) IS
'properties of a filter: keys, capacity, size, false-positive rate';

CREATE FUNCTION bloom_cardinality(filter bloom) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_cardinality'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_cardinality(bloom) IS
'estimated number of distinct keys in a filter; null if the bits do not tell';

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

CREATE FUNCTION bloom_current_fpp(filter bloom) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_current_fpp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_current_fpp(bloom) IS
'false-positive rate of a filter, as full as it is now';

-- a view or a cached plan would keep what an immutable function has given
CREATE FUNCTION bloomtype_version() RETURNS text
AS 'MODULE_PATHNAME', 'bloomtype_version'
LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloomtype_version() IS 'release of the library that is loaded';

CREATE FUNCTION bloom_sizing(
	capacity float8,
	fpp float8 DEFAULT 0.01,
	OUT bytes bigint,
	OUT bits bigint,
	OUT probes int,
	OUT bits_per_key float8,
	OUT blocks bigint,
	OUT full_at bigint
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_bloom_sizing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_sizing(float8, float8) IS
'size of the Bloom filter for a given capacity';

CREATE FUNCTION bloom_capacity(bytes bigint, fpp float8 DEFAULT 0.01) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_capacity'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_capacity(bigint, float8) IS
'largest capacity of a filter with at most a given number of bytes';

CREATE FUNCTION bloom_expected_fpp(bits_per_key float8) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_bloom_expected_fpp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_expected_fpp(float8) IS
'false-positive rate of a filter with a given number of bits per key';

--
-- Compare: the same bytes, which is more than the same keys
--

CREATE FUNCTION bloom_eq(bloom, bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_eq(bloom, bloom) IS 'implementation of = operator';

CREATE FUNCTION bloom_ne(bloom, bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_ne(bloom, bloom) IS 'implementation of <> operator';

CREATE FUNCTION bloom_hash(bloom) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_hash(bloom) IS 'hash';

CREATE FUNCTION bloom_hash_extended(bloom, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_hash_extended'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_hash_extended(bloom, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = bloom,
	RIGHTARG = bloom,
	FUNCTION = bloom_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);
COMMENT ON OPERATOR = (bloom, bloom) IS 'equal (same bytes)';

CREATE OPERATOR <> (
	LEFTARG = bloom,
	RIGHTARG = bloom,
	FUNCTION = bloom_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bloom, bloom) IS 'not equal (not the same bytes)';

CREATE OPERATOR CLASS bloom_ops
DEFAULT FOR TYPE bloom USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 bloom_hash(bloom),
	FUNCTION 2 bloom_hash_extended(bloom, bigint);
COMMENT ON OPERATOR CLASS bloom_ops USING hash IS 'filters by their bytes';
COMMENT ON OPERATOR FAMILY bloom_ops USING hash IS 'filters by their bytes';

--
-- Keys.  Immutable as long as enum labels and row types are: an index on
-- bloom_key(x) of such a type is to be rebuilt when they change.
--

CREATE FUNCTION bloom_key(value anycompatible) RETURNS bloom_key
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key(anycompatible) IS 'hashed key of a value, for use in place of the value';

-- The parser takes typename('literal') and typename(string) for casts, unless
-- a function matches exactly or the cast has a function of its own.  Hence
-- this twin for untyped literals, and the casts below, which do what the
-- server would do without them: parse.
CREATE FUNCTION bloom_key(value unknown) RETURNS bloom_key
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key(unknown) IS 'hashed key of an untyped literal, which is taken as text';

CREATE FUNCTION bloom_key_parse(text) RETURNS bloom_key
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_parse'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_parse(text) IS 'convert text to bloom_key';

CREATE FUNCTION bloom_key_parse(character) RETURNS bloom_key
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN bloom_key_parse($1::text);
COMMENT ON FUNCTION bloom_key_parse(character) IS 'convert char to bloom_key';

CREATE FUNCTION bloom_key_parse(name) RETURNS bloom_key
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN bloom_key_parse($1::text);
COMMENT ON FUNCTION bloom_key_parse(name) IS 'convert name to bloom_key';

CREATE CAST (text AS bloom_key) WITH FUNCTION bloom_key_parse(text);
COMMENT ON CAST (text AS bloom_key) IS 'convert text to bloom_key';

CREATE CAST (varchar AS bloom_key) WITH FUNCTION bloom_key_parse(text);
COMMENT ON CAST (varchar AS bloom_key) IS 'convert varchar to bloom_key';

CREATE CAST (character AS bloom_key) WITH FUNCTION bloom_key_parse(character);
COMMENT ON CAST (character AS bloom_key) IS 'convert char to bloom_key';

CREATE CAST (name AS bloom_key) WITH FUNCTION bloom_key_parse(name);
COMMENT ON CAST (name AS bloom_key) IS 'convert name to bloom_key';

CREATE FUNCTION bloom_key_to_bigint(bloom_key) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_to_bigint'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_to_bigint(bloom_key) IS 'convert bloom_key to bigint, the hash alone';

CREATE CAST (bloom_key AS bigint) WITH FUNCTION bloom_key_to_bigint(bloom_key);
COMMENT ON CAST (bloom_key AS bigint) IS 'convert bloom_key to bigint, the hash alone';

CREATE FUNCTION bloom_partition(value anycompatible, partitions int) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_bloom_partition'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_partition(anycompatible, int) IS
'number of the partition of a value, from 0 to partitions - 1';

CREATE FUNCTION bloom_key_eq(bloom_key, bloom_key) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_eq(bloom_key, bloom_key) IS 'implementation of = operator';

CREATE FUNCTION bloom_key_ne(bloom_key, bloom_key) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_ne(bloom_key, bloom_key) IS 'implementation of <> operator';

CREATE FUNCTION bloom_key_lt(bloom_key, bloom_key) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_lt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_lt(bloom_key, bloom_key) IS 'implementation of < operator';

CREATE FUNCTION bloom_key_le(bloom_key, bloom_key) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_le'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_le(bloom_key, bloom_key) IS 'implementation of <= operator';

CREATE FUNCTION bloom_key_ge(bloom_key, bloom_key) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_ge'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_ge(bloom_key, bloom_key) IS 'implementation of >= operator';

CREATE FUNCTION bloom_key_gt(bloom_key, bloom_key) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_gt'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_gt(bloom_key, bloom_key) IS 'implementation of > operator';

CREATE FUNCTION bloom_key_cmp(bloom_key, bloom_key) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_cmp'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_cmp(bloom_key, bloom_key) IS 'less-equal-greater';

CREATE FUNCTION bloom_key_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_sortsupport'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_sortsupport(internal) IS 'sort support';

CREATE FUNCTION bloom_key_hash(bloom_key) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_hash(bloom_key) IS 'hash';

CREATE FUNCTION bloom_key_hash_extended(bloom_key, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_key_hash_extended'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_key_hash_extended(bloom_key, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = bloom_key,
	RIGHTARG = bloom_key,
	FUNCTION = bloom_key_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES,
	MERGES
);
COMMENT ON OPERATOR = (bloom_key, bloom_key) IS 'equal';

CREATE OPERATOR <> (
	LEFTARG = bloom_key,
	RIGHTARG = bloom_key,
	FUNCTION = bloom_key_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (bloom_key, bloom_key) IS 'not equal';

CREATE OPERATOR < (
	LEFTARG = bloom_key,
	RIGHTARG = bloom_key,
	FUNCTION = bloom_key_lt,
	COMMUTATOR = >,
	NEGATOR = >=,
	RESTRICT = scalarltsel,
	JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (bloom_key, bloom_key) IS 'less than';

CREATE OPERATOR <= (
	LEFTARG = bloom_key,
	RIGHTARG = bloom_key,
	FUNCTION = bloom_key_le,
	COMMUTATOR = >=,
	NEGATOR = >,
	RESTRICT = scalarlesel,
	JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (bloom_key, bloom_key) IS 'less than or equal';

CREATE OPERATOR >= (
	LEFTARG = bloom_key,
	RIGHTARG = bloom_key,
	FUNCTION = bloom_key_ge,
	COMMUTATOR = <=,
	NEGATOR = <,
	RESTRICT = scalargesel,
	JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (bloom_key, bloom_key) IS 'greater than or equal';

CREATE OPERATOR > (
	LEFTARG = bloom_key,
	RIGHTARG = bloom_key,
	FUNCTION = bloom_key_gt,
	COMMUTATOR = <,
	NEGATOR = <=,
	RESTRICT = scalargtsel,
	JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (bloom_key, bloom_key) IS 'greater than';

-- By family, subtype and hash: an order that means nothing to people, for
-- indexes, DISTINCT and merge joins.
CREATE OPERATOR CLASS bloom_key_ops
DEFAULT FOR TYPE bloom_key USING btree AS
	OPERATOR 1 <,
	OPERATOR 2 <=,
	OPERATOR 3 =,
	OPERATOR 4 >=,
	OPERATOR 5 >,
	FUNCTION 1 bloom_key_cmp(bloom_key, bloom_key),
	FUNCTION 2 bloom_key_sortsupport(internal),
	FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS bloom_key_ops USING btree IS 'hashed keys';
COMMENT ON OPERATOR FAMILY bloom_key_ops USING btree IS 'hashed keys';

CREATE OPERATOR CLASS bloom_key_ops
DEFAULT FOR TYPE bloom_key USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 bloom_key_hash(bloom_key),
	FUNCTION 2 bloom_key_hash_extended(bloom_key, bigint);
COMMENT ON OPERATOR CLASS bloom_key_ops USING hash IS 'hashed keys';
COMMENT ON OPERATOR FAMILY bloom_key_ops USING hash IS 'hashed keys';

--
-- Move
--

CREATE FUNCTION bloom_from_bytea(bytea) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_from_bytea(bytea) IS 'convert bytea to bloom';

CREATE FUNCTION bloom_to_bytea(bloom) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_to_bytea(bloom) IS 'convert bloom to bytea';

CREATE CAST (bytea AS bloom) WITH FUNCTION bloom_from_bytea(bytea);
COMMENT ON CAST (bytea AS bloom) IS 'convert bytea to bloom';

CREATE CAST (bloom AS bytea) WITH FUNCTION bloom_to_bytea(bloom);
COMMENT ON CAST (bloom AS bytea) IS 'convert bloom to bytea';

--
-- Filters from which keys can be deleted.  Their aggregates share combine,
-- serialize and deserialize functions with bloom_agg.
--

--
-- Type counting_bloom
--

CREATE TYPE counting_bloom;

CREATE FUNCTION counting_bloom_in(cstring) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_in(cstring) IS 'I/O';

CREATE FUNCTION counting_bloom_out(counting_bloom) RETURNS cstring
AS 'MODULE_PATHNAME', 'bloomtype_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_out(counting_bloom) IS 'I/O';

CREATE FUNCTION counting_bloom_recv(internal) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_recv(internal) IS 'I/O';

CREATE FUNCTION counting_bloom_send(counting_bloom) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_send(counting_bloom) IS 'I/O';

CREATE TYPE counting_bloom (
	INPUT = counting_bloom_in,
	OUTPUT = counting_bloom_out,
	RECEIVE = counting_bloom_recv,
	SEND = counting_bloom_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = external
);
COMMENT ON TYPE counting_bloom IS 'Bloom filter that counts its keys, so that they can be removed';

CREATE FUNCTION counting_bloom_create(capacity float8, fpp float8 DEFAULT 0.01) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_create'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_create(float8, float8) IS
'empty counting Bloom filter of a given capacity';

CREATE FUNCTION counting_bloom_agg_transition(internal, anycompatible) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_transition(internal, anycompatible) IS 'aggregate transition function';

CREATE FUNCTION counting_bloom_agg_transition(internal, anycompatible, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_transition(internal, anycompatible, float8) IS 'aggregate transition function';

CREATE FUNCTION counting_bloom_agg_transition(internal, anycompatible, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_transition(internal, anycompatible, float8, float8) IS 'aggregate transition function';

CREATE FUNCTION counting_bloom_agg_final(internal) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE counting_bloom_agg(value anycompatible) (
	SFUNC = counting_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = counting_bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(anycompatible) IS
'counting Bloom filter of all non-null values, with repetitions, sized for their number, at a false-positive rate of 0.01';

CREATE AGGREGATE counting_bloom_agg(value anycompatible, fpp float8) (
	SFUNC = counting_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = counting_bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(anycompatible, float8) IS
'counting Bloom filter of all non-null values, with repetitions, sized for their number, at a given false-positive rate';

CREATE AGGREGATE counting_bloom_agg(value anycompatible, capacity float8, fpp float8) (
	SFUNC = counting_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = counting_bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(anycompatible, float8, float8) IS
'counting Bloom filter of all non-null values, with repetitions, sized for a given capacity';

-- Over keys that are hashed already.
CREATE FUNCTION counting_bloom_agg_transition(internal, bloom_key) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_transition(internal, bloom_key) IS 'aggregate transition function';

CREATE FUNCTION counting_bloom_agg_transition(internal, bloom_key, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_transition(internal, bloom_key, float8) IS 'aggregate transition function';

CREATE FUNCTION counting_bloom_agg_transition(internal, bloom_key, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_agg_transition(internal, bloom_key, float8, float8) IS 'aggregate transition function';

CREATE AGGREGATE counting_bloom_agg(key bloom_key) (
	SFUNC = counting_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = counting_bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(bloom_key) IS
'counting Bloom filter of all non-null hashed keys, with repetitions, sized for their number, at a false-positive rate of 0.01';

CREATE AGGREGATE counting_bloom_agg(key bloom_key, fpp float8) (
	SFUNC = counting_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = counting_bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(bloom_key, float8) IS
'counting Bloom filter of all non-null hashed keys, with repetitions, sized for their number, at a given false-positive rate';

CREATE AGGREGATE counting_bloom_agg(key bloom_key, capacity float8, fpp float8) (
	SFUNC = counting_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = counting_bloom_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_agg(bloom_key, float8, float8) IS
'counting Bloom filter of all non-null hashed keys, with repetitions, sized for a given capacity';

CREATE FUNCTION counting_bloom_add(filter counting_bloom, value anycompatible) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION counting_bloom_add(counting_bloom, anycompatible) IS
'add key to filter, once more if it is there';

CREATE FUNCTION counting_bloom_add_all(filter counting_bloom, keys anycompatiblearray) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_add_all'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_add_all(counting_bloom, anycompatiblearray) IS
'add all elements of array to filter';

CREATE FUNCTION counting_bloom_add_text(counting_bloom, text) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION counting_bloom_add_text(counting_bloom, text) IS 'implementation of || operator';

CREATE OPERATOR || (
	LEFTARG = counting_bloom,
	RIGHTARG = anycompatible,
	FUNCTION = counting_bloom_add
);
COMMENT ON OPERATOR || (counting_bloom, anycompatible) IS 'add key';

CREATE OPERATOR || (
	LEFTARG = counting_bloom,
	RIGHTARG = text,
	FUNCTION = counting_bloom_add_text
);
COMMENT ON OPERATOR || (counting_bloom, text) IS 'add key';

CREATE FUNCTION counting_bloom_remove(filter counting_bloom, value anycompatible) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_remove'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION counting_bloom_remove(counting_bloom, anycompatible) IS
'remove key from filter, once; it must have been added';

CREATE FUNCTION counting_bloom_remove_all(filter counting_bloom, keys anycompatiblearray) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_remove_all'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_remove_all(counting_bloom, anycompatiblearray) IS
'remove all elements of array from filter, once each; they must have been added';

CREATE FUNCTION counting_bloom_contains(filter counting_bloom, value anycompatible) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION counting_bloom_contains(counting_bloom, anycompatible) IS
'is key in filter? (false is certain, true is probable)';

CREATE FUNCTION counting_bloom_contained(value anycompatible, filter counting_bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contained'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION counting_bloom_contained(anycompatible, counting_bloom) IS 'implementation of <@ operator';

CREATE FUNCTION counting_bloom_contains_any(filter counting_bloom, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_any'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION counting_bloom_contains_any(counting_bloom, anycompatiblearray) IS
'is any element of array in filter? (false is certain, true is probable)';

CREATE FUNCTION counting_bloom_contains_all(filter counting_bloom, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_all'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION counting_bloom_contains_all(counting_bloom, anycompatiblearray) IS
'are all elements of array in filter? (false is certain, true is probable)';

CREATE FUNCTION counting_bloom_missing(filter counting_bloom, keys anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'bloomtype_missing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_missing(counting_bloom, anycompatiblearray) IS
'elements of array that are certainly not in filter';

CREATE OPERATOR @> (
	LEFTARG = counting_bloom,
	RIGHTARG = anycompatible,
	FUNCTION = counting_bloom_contains,
	COMMUTATOR = <@,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);
COMMENT ON OPERATOR @> (counting_bloom, anycompatible) IS 'contains key (false is certain, true is probable)';

CREATE OPERATOR <@ (
	LEFTARG = anycompatible,
	RIGHTARG = counting_bloom,
	FUNCTION = counting_bloom_contained,
	COMMUTATOR = @>,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);
COMMENT ON OPERATOR <@ (anycompatible, counting_bloom) IS
'is contained by filter (false is certain, true is probable)';

CREATE FUNCTION counting_bloom_count(filter counting_bloom, value anycompatible) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_count'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_count(counting_bloom, anycompatible) IS
'upper bound on how often key is in filter, up to 14; null above';

CREATE FUNCTION counting_bloom_union(a counting_bloom, b counting_bloom) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_union'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_union(counting_bloom, counting_bloom) IS
'union of two filters, with the counts added up';

CREATE OPERATOR | (
	LEFTARG = counting_bloom,
	RIGHTARG = counting_bloom,
	FUNCTION = counting_bloom_union,
	COMMUTATOR = |
);
COMMENT ON OPERATOR | (counting_bloom, counting_bloom) IS 'union, with the counts added up';

CREATE FUNCTION counting_bloom_union_agg_final(counting_bloom) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_union_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_union_agg_final(counting_bloom) IS 'aggregate final function';

CREATE AGGREGATE counting_bloom_union_agg(filter counting_bloom) (
	SFUNC = counting_bloom_union,
	STYPE = counting_bloom,
	SSPACE = 8192,
	FINALFUNC = counting_bloom_union_agg_final,
	COMBINEFUNC = counting_bloom_union,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE counting_bloom_union_agg(counting_bloom) IS
'union of all non-null filters, with the counts added up';

CREATE FUNCTION counting_bloom_to_bloom(counting_bloom) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_to_bloom'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_to_bloom(counting_bloom) IS 'convert counting_bloom to bloom';

CREATE CAST (counting_bloom AS bloom) WITH FUNCTION counting_bloom_to_bloom(counting_bloom);
COMMENT ON CAST (counting_bloom AS bloom) IS 'convert counting_bloom to bloom';

CREATE FUNCTION counting_bloom_info(
	filter counting_bloom,
	OUT key_family text,
	OUT capacity bigint,
	OUT target_fpp float8,
	OUT probes int,
	OUT counters bigint,
	OUT bytes bigint,
	OUT fill float8,
	OUT keys bigint,
	OUT current_fpp float8,
	OUT saturated boolean
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_info'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_info(counting_bloom) IS
'properties of a filter: keys, capacity, size, false-positive rate';

CREATE FUNCTION counting_bloom_cardinality(filter counting_bloom) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_cardinality'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_cardinality(counting_bloom) IS
'estimated number of distinct keys in a filter; null if the counters do not tell';

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

CREATE FUNCTION counting_bloom_current_fpp(filter counting_bloom) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_current_fpp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_current_fpp(counting_bloom) IS
'false-positive rate of a filter, as full as it is now';

CREATE FUNCTION counting_bloom_sizing(
	capacity float8,
	fpp float8 DEFAULT 0.01,
	OUT bytes bigint,
	OUT counters bigint,
	OUT probes int,
	OUT bits_per_key float8,
	OUT blocks bigint,
	OUT full_at bigint
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_sizing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_sizing(float8, float8) IS
'size of the counting Bloom filter for a given capacity';

CREATE FUNCTION counting_bloom_eq(counting_bloom, counting_bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_eq(counting_bloom, counting_bloom) IS 'implementation of = operator';

CREATE FUNCTION counting_bloom_ne(counting_bloom, counting_bloom) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_ne(counting_bloom, counting_bloom) IS 'implementation of <> operator';

CREATE FUNCTION counting_bloom_hash(counting_bloom) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_hash(counting_bloom) IS 'hash';

CREATE FUNCTION counting_bloom_hash_extended(counting_bloom, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_hash_extended'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_hash_extended(counting_bloom, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = counting_bloom,
	RIGHTARG = counting_bloom,
	FUNCTION = counting_bloom_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);
COMMENT ON OPERATOR = (counting_bloom, counting_bloom) IS 'equal (same bytes)';

CREATE OPERATOR <> (
	LEFTARG = counting_bloom,
	RIGHTARG = counting_bloom,
	FUNCTION = counting_bloom_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (counting_bloom, counting_bloom) IS 'not equal (not the same bytes)';

CREATE OPERATOR CLASS counting_bloom_ops
DEFAULT FOR TYPE counting_bloom USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 counting_bloom_hash(counting_bloom),
	FUNCTION 2 counting_bloom_hash_extended(counting_bloom, bigint);
COMMENT ON OPERATOR CLASS counting_bloom_ops USING hash IS 'filters by their bytes';
COMMENT ON OPERATOR FAMILY counting_bloom_ops USING hash IS 'filters by their bytes';

CREATE FUNCTION counting_bloom_from_bytea(bytea) RETURNS counting_bloom
AS 'MODULE_PATHNAME', 'bloomtype_counting_bloom_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_from_bytea(bytea) IS 'convert bytea to counting_bloom';

CREATE FUNCTION counting_bloom_to_bytea(counting_bloom) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION counting_bloom_to_bytea(counting_bloom) IS 'convert counting_bloom to bytea';

CREATE CAST (bytea AS counting_bloom) WITH FUNCTION counting_bloom_from_bytea(bytea);
COMMENT ON CAST (bytea AS counting_bloom) IS 'convert bytea to counting_bloom';

CREATE CAST (counting_bloom AS bytea) WITH FUNCTION counting_bloom_to_bytea(counting_bloom);
COMMENT ON CAST (counting_bloom AS bytea) IS 'convert counting_bloom to bytea';

--
-- Type cuckoo
--

CREATE TYPE cuckoo;

CREATE FUNCTION cuckoo_in(cstring) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_in'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_in(cstring) IS 'I/O';

CREATE FUNCTION cuckoo_out(cuckoo) RETURNS cstring
AS 'MODULE_PATHNAME', 'bloomtype_out'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_out(cuckoo) IS 'I/O';

CREATE FUNCTION cuckoo_recv(internal) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_recv'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_recv(internal) IS 'I/O';

CREATE FUNCTION cuckoo_send(cuckoo) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_send(cuckoo) IS 'I/O';

CREATE TYPE cuckoo (
	INPUT = cuckoo_in,
	OUTPUT = cuckoo_out,
	RECEIVE = cuckoo_recv,
	SEND = cuckoo_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = external
);
COMMENT ON TYPE cuckoo IS 'cuckoo filter, from which keys can be removed';

CREATE FUNCTION cuckoo_create(capacity float8, fpp float8 DEFAULT 0.01) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_create'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_create(float8, float8) IS 'empty cuckoo filter of a given capacity';

CREATE FUNCTION cuckoo_agg_transition(internal, anycompatible) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_transition(internal, anycompatible) IS 'aggregate transition function';

CREATE FUNCTION cuckoo_agg_transition(internal, anycompatible, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_transition(internal, anycompatible, float8) IS 'aggregate transition function';

CREATE FUNCTION cuckoo_agg_transition(internal, anycompatible, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_transition(internal, anycompatible, float8, float8) IS 'aggregate transition function';

CREATE FUNCTION cuckoo_agg_final(internal) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE cuckoo_agg(value anycompatible) (
	SFUNC = cuckoo_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = cuckoo_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(anycompatible) IS
'cuckoo filter of all distinct non-null values, sized for their number, at a false-positive rate of 0.01';

CREATE AGGREGATE cuckoo_agg(value anycompatible, fpp float8) (
	SFUNC = cuckoo_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = cuckoo_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(anycompatible, float8) IS
'cuckoo filter of all distinct non-null values, sized for their number, at a given false-positive rate';

CREATE AGGREGATE cuckoo_agg(value anycompatible, capacity float8, fpp float8) (
	SFUNC = cuckoo_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = cuckoo_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(anycompatible, float8, float8) IS
'cuckoo filter of all distinct non-null values, sized for a given capacity';

-- Over keys that are hashed already.
CREATE FUNCTION cuckoo_agg_transition(internal, bloom_key) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_transition(internal, bloom_key) IS 'aggregate transition function';

CREATE FUNCTION cuckoo_agg_transition(internal, bloom_key, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_transition(internal, bloom_key, float8) IS 'aggregate transition function';

CREATE FUNCTION cuckoo_agg_transition(internal, bloom_key, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_agg_key_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_agg_transition(internal, bloom_key, float8, float8) IS 'aggregate transition function';

CREATE AGGREGATE cuckoo_agg(key bloom_key) (
	SFUNC = cuckoo_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = cuckoo_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(bloom_key) IS
'cuckoo filter of all distinct non-null hashed keys, sized for their number, at a false-positive rate of 0.01';

CREATE AGGREGATE cuckoo_agg(key bloom_key, fpp float8) (
	SFUNC = cuckoo_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = cuckoo_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(bloom_key, float8) IS
'cuckoo filter of all distinct non-null hashed keys, sized for their number, at a given false-positive rate';

CREATE AGGREGATE cuckoo_agg(key bloom_key, capacity float8, fpp float8) (
	SFUNC = cuckoo_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = cuckoo_agg_final,
	COMBINEFUNC = bloom_agg_combine,
	SERIALFUNC = bloom_agg_serialize,
	DESERIALFUNC = bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE cuckoo_agg(bloom_key, float8, float8) IS
'cuckoo filter of all distinct non-null hashed keys, sized for a given capacity';

CREATE FUNCTION cuckoo_add(filter cuckoo, value anycompatible) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION cuckoo_add(cuckoo, anycompatible) IS 'add key to filter, once more if it is there';

CREATE FUNCTION cuckoo_add_all(filter cuckoo, keys anycompatiblearray) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_add_all'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_add_all(cuckoo, anycompatiblearray) IS 'add all elements of array to filter';

CREATE FUNCTION cuckoo_add_text(cuckoo, text) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION cuckoo_add_text(cuckoo, text) IS 'implementation of || operator';

CREATE OPERATOR || (
	LEFTARG = cuckoo,
	RIGHTARG = anycompatible,
	FUNCTION = cuckoo_add
);
COMMENT ON OPERATOR || (cuckoo, anycompatible) IS 'add key';

CREATE OPERATOR || (
	LEFTARG = cuckoo,
	RIGHTARG = text,
	FUNCTION = cuckoo_add_text
);
COMMENT ON OPERATOR || (cuckoo, text) IS 'add key';

CREATE FUNCTION cuckoo_remove(filter cuckoo, value anycompatible) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_remove'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE
SUPPORT bloom_change_support;
COMMENT ON FUNCTION cuckoo_remove(cuckoo, anycompatible) IS
'remove key from filter, once; it must have been added';

CREATE FUNCTION cuckoo_remove_all(filter cuckoo, keys anycompatiblearray) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_remove_all'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_remove_all(cuckoo, anycompatiblearray) IS
'remove all elements of array from filter, once each; they must have been added';

CREATE FUNCTION cuckoo_contains(filter cuckoo, value anycompatible) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION cuckoo_contains(cuckoo, anycompatible) IS
'is key in filter? (false is certain, true is probable)';

CREATE FUNCTION cuckoo_contained(value anycompatible, filter cuckoo) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contained'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION cuckoo_contained(anycompatible, cuckoo) IS 'implementation of <@ operator';

CREATE FUNCTION cuckoo_contains_any(filter cuckoo, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_any'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION cuckoo_contains_any(cuckoo, anycompatiblearray) IS
'is any element of array in filter? (false is certain, true is probable)';

CREATE FUNCTION cuckoo_contains_all(filter cuckoo, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_contains_all'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION cuckoo_contains_all(cuckoo, anycompatiblearray) IS
'are all elements of array in filter? (false is certain, true is probable)';

CREATE FUNCTION cuckoo_missing(filter cuckoo, keys anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'bloomtype_missing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_missing(cuckoo, anycompatiblearray) IS
'elements of array that are certainly not in filter';

CREATE OPERATOR @> (
	LEFTARG = cuckoo,
	RIGHTARG = anycompatible,
	FUNCTION = cuckoo_contains,
	COMMUTATOR = <@,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);
COMMENT ON OPERATOR @> (cuckoo, anycompatible) IS 'contains key (false is certain, true is probable)';

CREATE OPERATOR <@ (
	LEFTARG = anycompatible,
	RIGHTARG = cuckoo,
	FUNCTION = cuckoo_contained,
	COMMUTATOR = @>,
	RESTRICT = bloom_contains_sel,
	JOIN = bloom_contains_joinsel
);
COMMENT ON OPERATOR <@ (anycompatible, cuckoo) IS
'is contained by filter (false is certain, true is probable)';

CREATE FUNCTION cuckoo_count(filter cuckoo, value anycompatible) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_count'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_count(cuckoo, anycompatible) IS
'upper bound on how often key is in filter, 0 to 8';

CREATE FUNCTION cuckoo_info(
	filter cuckoo,
	OUT key_family text,
	OUT capacity bigint,
	OUT target_fpp float8,
	OUT fingerprint_bits int,
	OUT buckets bigint,
	OUT bytes bigint,
	OUT load float8,
	OUT keys bigint,
	OUT current_fpp float8,
	OUT saturated boolean
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_info'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_info(cuckoo) IS
'properties of a filter: keys, capacity, size, false-positive rate';

CREATE FUNCTION cuckoo_cardinality(filter cuckoo) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_cardinality'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_cardinality(cuckoo) IS 'number of keys in a filter, counting repeated ones';

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

CREATE FUNCTION cuckoo_current_fpp(filter cuckoo) RETURNS float8
AS 'MODULE_PATHNAME', 'bloomtype_current_fpp'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_current_fpp(cuckoo) IS
'false-positive rate of a filter, as full as it is now';

CREATE FUNCTION cuckoo_sizing(
	capacity float8,
	fpp float8 DEFAULT 0.01,
	OUT bytes bigint,
	OUT buckets bigint,
	OUT fingerprint_bits int,
	OUT bits_per_key float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_sizing'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_sizing(float8, float8) IS
'size of the cuckoo filter for a given capacity';

CREATE FUNCTION cuckoo_eq(cuckoo, cuckoo) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_eq'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_eq(cuckoo, cuckoo) IS 'implementation of = operator';

CREATE FUNCTION cuckoo_ne(cuckoo, cuckoo) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_ne'
LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_ne(cuckoo, cuckoo) IS 'implementation of <> operator';

CREATE FUNCTION cuckoo_hash(cuckoo) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_hash'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_hash(cuckoo) IS 'hash';

CREATE FUNCTION cuckoo_hash_extended(cuckoo, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_hash_extended'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_hash_extended(cuckoo, bigint) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = cuckoo,
	RIGHTARG = cuckoo,
	FUNCTION = cuckoo_eq,
	COMMUTATOR = =,
	NEGATOR = <>,
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);
COMMENT ON OPERATOR = (cuckoo, cuckoo) IS 'equal (same bytes)';

CREATE OPERATOR <> (
	LEFTARG = cuckoo,
	RIGHTARG = cuckoo,
	FUNCTION = cuckoo_ne,
	COMMUTATOR = <>,
	NEGATOR = =,
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (cuckoo, cuckoo) IS 'not equal (not the same bytes)';

CREATE OPERATOR CLASS cuckoo_ops
DEFAULT FOR TYPE cuckoo USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 cuckoo_hash(cuckoo),
	FUNCTION 2 cuckoo_hash_extended(cuckoo, bigint);
COMMENT ON OPERATOR CLASS cuckoo_ops USING hash IS 'filters by their bytes';
COMMENT ON OPERATOR FAMILY cuckoo_ops USING hash IS 'filters by their bytes';

CREATE FUNCTION cuckoo_from_bytea(bytea) RETURNS cuckoo
AS 'MODULE_PATHNAME', 'bloomtype_cuckoo_from_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_from_bytea(bytea) IS 'convert bytea to cuckoo';

CREATE FUNCTION cuckoo_to_bytea(cuckoo) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_to_bytea'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cuckoo_to_bytea(cuckoo) IS 'convert cuckoo to bytea';

CREATE CAST (bytea AS cuckoo) WITH FUNCTION cuckoo_from_bytea(bytea);
COMMENT ON CAST (bytea AS cuckoo) IS 'convert bytea to cuckoo';

CREATE CAST (cuckoo AS bytea) WITH FUNCTION cuckoo_to_bytea(cuckoo);
COMMENT ON CAST (cuckoo AS bytea) IS 'convert cuckoo to bytea';

--
-- Type bloom_matrix: which of many filters may have this key?
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

--
-- Bloom filters of other systems
--
-- A filter is a bytea in the serial form of its system.  The name of the format and the
-- type of the key decide how a key is encoded.
--

CREATE FUNCTION external_bloom_agg_transition(internal, anycompatible, text, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_external_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_agg_transition(internal, anycompatible, text, float8) IS 'aggregate transition function';

CREATE FUNCTION external_bloom_agg_transition(internal, anycompatible, text, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_external_agg_transition'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_agg_transition(internal, anycompatible, text, float8, float8) IS 'aggregate transition function';

CREATE FUNCTION external_bloom_agg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_external_agg_combine'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_agg_combine(internal, internal) IS 'aggregate combine function';

CREATE FUNCTION external_bloom_agg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_external_agg_serialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_agg_serialize(internal) IS 'aggregate serialize function';

CREATE FUNCTION external_bloom_agg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'bloomtype_external_agg_deserialize'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_agg_deserialize(bytea, internal) IS 'aggregate deserialize function';

CREATE FUNCTION external_bloom_agg_final(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_external_agg_final'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_agg_final(internal) IS 'aggregate final function';

CREATE AGGREGATE external_bloom_agg(value anycompatible, format text, parameter float8) (
	SFUNC = external_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = external_bloom_agg_final,
	COMBINEFUNC = external_bloom_agg_combine,
	SERIALFUNC = external_bloom_agg_serialize,
	DESERIALFUNC = external_bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE external_bloom_agg(anycompatible, text, float8) IS
'filter of another system of all non-null values, sized for their number, at a given false-positive rate (leveldb: bits per key)';

CREATE AGGREGATE external_bloom_agg(value anycompatible, format text, capacity float8, fpp float8) (
	SFUNC = external_bloom_agg_transition,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = external_bloom_agg_final,
	COMBINEFUNC = external_bloom_agg_combine,
	SERIALFUNC = external_bloom_agg_serialize,
	DESERIALFUNC = external_bloom_agg_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE external_bloom_agg(anycompatible, text, float8, float8) IS
'filter of another system of all non-null values, sized for a given capacity';

CREATE FUNCTION external_bloom_add(bytes bytea, format text, value anycompatible) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_external_add'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_add(bytea, text, anycompatible) IS 'add key to filter of another system';

CREATE FUNCTION external_bloom_add_all(bytes bytea, format text, keys anycompatiblearray) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_external_add_all'
LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_add_all(bytea, text, anycompatiblearray) IS
'add all elements of array to filter of another system';

CREATE FUNCTION external_bloom_contains(bytes bytea, format text, value anycompatible) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_external_contains'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION external_bloom_contains(bytea, text, anycompatible) IS
'is key in filter of another system? (false is certain, true is probable)';

CREATE FUNCTION external_bloom_contains_any(bytes bytea, format text, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_external_contains_any'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION external_bloom_contains_any(bytea, text, anycompatiblearray) IS
'is any element of array in filter of another system? (false is certain, true is probable)';

CREATE FUNCTION external_bloom_contains_all(bytes bytea, format text, keys anycompatiblearray) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_external_contains_all'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
SUPPORT bloom_contains_support;
COMMENT ON FUNCTION external_bloom_contains_all(bytea, text, anycompatiblearray) IS
'are all elements of array in filter of another system? (false is certain, true is probable)';

CREATE FUNCTION external_bloom_union(a bytea, b bytea, format text) RETURNS bytea
AS 'MODULE_PATHNAME', 'bloomtype_external_union'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_union(bytea, bytea, text) IS 'union of two filters of another system';

CREATE FUNCTION external_bloom_info(
	bytes bytea,
	format text,
	OUT bits bigint,
	OUT probes int,
	OUT bits_set bigint,
	OUT keys bigint,
	OUT current_fpp float8
) RETURNS record
AS 'MODULE_PATHNAME', 'bloomtype_external_info'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION external_bloom_info(bytea, text) IS 'properties of a filter of another system';

CREATE FUNCTION external_bloom_chunks(
	bytes bytea,
	format text,
	OUT iterator bigint,
	OUT chunk bytea
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'bloomtype_external_chunks'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION external_bloom_chunks(bytea, text) IS
'parts of a filter, in the order in which another system loads them';

--
-- Live sets: filters in the rows of tables, to which keys are added one by one
--

CREATE FUNCTION bloom_set_create(
	name text,
	type regtype,
	capacity float8,
	fpp float8 DEFAULT 0.01,
	windows int DEFAULT 1,
	growth int DEFAULT 2
) RETURNS regclass
AS 'MODULE_PATHNAME', 'bloomtype_set_create'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION bloom_set_create(text, regtype, float8, float8, int, int) IS
'make a live set of keys of a type, in a table of that name';

-- its cost has PostgreSQL evaluate most other conditions of a scan before it adds a key
CREATE FUNCTION bloom_set_add(set regclass, key anycompatible, refresh boolean DEFAULT false) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_set_add'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION bloom_set_add(regclass, anycompatible, boolean) IS
'add key to live set; true if it was new';

CREATE FUNCTION bloom_set_add_all(set regclass, keys anycompatiblearray, refresh boolean DEFAULT false)
RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'bloomtype_set_add_all'
LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000;
COMMENT ON FUNCTION bloom_set_add_all(regclass, anycompatiblearray, boolean) IS
'add all elements of array to live set; those that were new';

CREATE FUNCTION bloom_set_contains(set regclass, key anycompatible) RETURNS boolean
AS 'MODULE_PATHNAME', 'bloomtype_set_contains'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100;
COMMENT ON FUNCTION bloom_set_contains(regclass, anycompatible) IS
'may key be in live set? false is certain';

CREATE FUNCTION bloom_set_missing(set regclass, keys anycompatiblearray) RETURNS anycompatiblearray
AS 'MODULE_PATHNAME', 'bloomtype_set_missing'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 1000;
COMMENT ON FUNCTION bloom_set_missing(regclass, anycompatiblearray) IS
'elements of array that are certainly not in live set';

CREATE FUNCTION bloom_set_advance(set regclass, capacity float8 DEFAULT NULL) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_set_advance'
LANGUAGE C VOLATILE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION bloom_set_advance(regclass, float8) IS
'begin next window of live set, and forget keys of windows that are no longer kept';

CREATE FUNCTION bloom_set_filter(set regclass) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_set_filter'
LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 100000;
COMMENT ON FUNCTION bloom_set_filter(regclass) IS 'all keys of live set, as a filter';

CREATE FUNCTION bloom_set_info(
	set regclass DEFAULT NULL,
	OUT set regclass,
	OUT key_family text,
	OUT target_fpp float8,
	OUT windows int,
	OUT number bigint,
	OUT opened timestamptz,
	OUT capacity bigint,
	OUT layers int,
	OUT keys bigint,
	OUT current_fpp float8,
	OUT bytes bigint,
	OUT overfull boolean
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'bloomtype_set_info'
LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL RESTRICTED ROWS 10 COST 100000;
COMMENT ON FUNCTION bloom_set_info(regclass) IS
'windows of live set, or of all of them: age, keys, size, false-positive rate';

CREATE FUNCTION bloom_set_follow() RETURNS trigger
AS 'MODULE_PATHNAME', 'bloomtype_set_follow'
LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION bloom_set_follow() IS
'trigger that adds the values of a column to a live set';

--
-- Access method bloom_pages
--

CREATE FUNCTION bloom_pages_handler(internal) RETURNS index_am_handler
AS 'MODULE_PATHNAME', 'bloomtype_pages_handler'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bloom_pages_handler(internal) IS 'handler of index access method bloom_pages';

CREATE ACCESS METHOD bloom_pages TYPE INDEX HANDLER bloom_pages_handler;
COMMENT ON ACCESS METHOD bloom_pages IS 'index of Bloom filters over ranges of table pages';

CREATE FUNCTION bloom_pages_info(
	index regclass,
	OUT index regclass,
	OUT pages_per_range int,
	OUT rows_per_range bigint,
	OUT false_ranges float8,
	OUT epochs int,
	OUT levels int,
	OUT bytes bigint,
	OUT ranges bigint,
	OUT keys float8,
	OUT fill float8,
	OUT current_false_ranges float8,
	OUT overfull bigint,
	OUT reindex boolean
) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'bloomtype_pages_info'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION bloom_pages_info(regclass) IS
'properties of a bloom_pages index, or of the partitions of one: sizes, fill, expected false ranges of a search';

CREATE FUNCTION bloom_pages_check(index regclass) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_pages_check'
LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION bloom_pages_check(regclass) IS
'check that a bloom_pages index has all rows of its table or partitions; returns their number';

--
-- Operator classes of bloom_pages.  Each type that a key can have has one, with the = by which the
-- server hashes it.  For the server, a varchar is a text, a cidr is an inet, and a domain is the type
-- that it is of.  Three families also compare two types:
--
--    integer_ops   int2, int4, int8
--    float_ops     float4, float8
--    text_ops      text, name
--
-- An index would lose rows by an = of values that may be equal without being the same key, such as
-- that of date and timestamptz.
--

CREATE OPERATOR CLASS bool_ops DEFAULT FOR TYPE bool USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS bool_ops USING bloom_pages IS 'boolean';
COMMENT ON OPERATOR FAMILY bool_ops USING bloom_pages IS 'boolean';

CREATE OPERATOR FAMILY integer_ops USING bloom_pages;
COMMENT ON OPERATOR FAMILY integer_ops USING bloom_pages IS 'smallint, integer, bigint';
CREATE OPERATOR CLASS int2_ops DEFAULT FOR TYPE int2 USING bloom_pages FAMILY integer_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS int2_ops USING bloom_pages IS 'smallint';
CREATE OPERATOR CLASS int4_ops DEFAULT FOR TYPE int4 USING bloom_pages FAMILY integer_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS int4_ops USING bloom_pages IS 'integer';
CREATE OPERATOR CLASS int8_ops DEFAULT FOR TYPE int8 USING bloom_pages FAMILY integer_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS int8_ops USING bloom_pages IS 'bigint';
ALTER OPERATOR FAMILY integer_ops USING bloom_pages ADD
	OPERATOR 1 = (int2, int4), OPERATOR 1 = (int2, int8),
	OPERATOR 1 = (int4, int2), OPERATOR 1 = (int4, int8),
	OPERATOR 1 = (int8, int2), OPERATOR 1 = (int8, int4);

CREATE OPERATOR CLASS numeric_ops DEFAULT FOR TYPE numeric USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS numeric_ops USING bloom_pages IS 'numeric';
COMMENT ON OPERATOR FAMILY numeric_ops USING bloom_pages IS 'numeric';

CREATE OPERATOR FAMILY float_ops USING bloom_pages;
COMMENT ON OPERATOR FAMILY float_ops USING bloom_pages IS 'real, double precision';
CREATE OPERATOR CLASS float4_ops DEFAULT FOR TYPE float4 USING bloom_pages FAMILY float_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS float4_ops USING bloom_pages IS 'real';
CREATE OPERATOR CLASS float8_ops DEFAULT FOR TYPE float8 USING bloom_pages FAMILY float_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS float8_ops USING bloom_pages IS 'double precision';
ALTER OPERATOR FAMILY float_ops USING bloom_pages ADD
	OPERATOR 1 = (float4, float8),
	OPERATOR 1 = (float8, float4);

CREATE OPERATOR FAMILY text_ops USING bloom_pages;
COMMENT ON OPERATOR FAMILY text_ops USING bloom_pages IS 'text, varchar, name';
CREATE OPERATOR CLASS text_ops DEFAULT FOR TYPE text USING bloom_pages FAMILY text_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS text_ops USING bloom_pages IS 'text, varchar';
CREATE OPERATOR CLASS name_ops DEFAULT FOR TYPE name USING bloom_pages FAMILY text_ops AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS name_ops USING bloom_pages IS 'name';
ALTER OPERATOR FAMILY text_ops USING bloom_pages ADD
	OPERATOR 1 = (text, name),
	OPERATOR 1 = (name, text);

CREATE OPERATOR CLASS bpchar_ops DEFAULT FOR TYPE bpchar USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS bpchar_ops USING bloom_pages IS 'char(n), without the blanks at its end';
COMMENT ON OPERATOR FAMILY bpchar_ops USING bloom_pages IS 'char(n), without the blanks at its end';

CREATE OPERATOR CLASS bytea_ops DEFAULT FOR TYPE bytea USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS bytea_ops USING bloom_pages IS 'bytea';
COMMENT ON OPERATOR FAMILY bytea_ops USING bloom_pages IS 'bytea';

CREATE OPERATOR CLASS uuid_ops DEFAULT FOR TYPE uuid USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS uuid_ops USING bloom_pages IS 'uuid';
COMMENT ON OPERATOR FAMILY uuid_ops USING bloom_pages IS 'uuid';

CREATE OPERATOR CLASS oid_ops DEFAULT FOR TYPE oid USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS oid_ops USING bloom_pages IS 'oid';
COMMENT ON OPERATOR FAMILY oid_ops USING bloom_pages IS 'oid';

CREATE OPERATOR CLASS date_ops DEFAULT FOR TYPE date USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS date_ops USING bloom_pages IS 'date';
COMMENT ON OPERATOR FAMILY date_ops USING bloom_pages IS 'date';

CREATE OPERATOR CLASS timestamp_ops DEFAULT FOR TYPE timestamp USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS timestamp_ops USING bloom_pages IS 'timestamp';
COMMENT ON OPERATOR FAMILY timestamp_ops USING bloom_pages IS 'timestamp';

CREATE OPERATOR CLASS timestamptz_ops DEFAULT FOR TYPE timestamptz USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS timestamptz_ops USING bloom_pages IS 'timestamptz';
COMMENT ON OPERATOR FAMILY timestamptz_ops USING bloom_pages IS 'timestamptz';

CREATE OPERATOR CLASS time_ops DEFAULT FOR TYPE time USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS time_ops USING bloom_pages IS 'time';
COMMENT ON OPERATOR FAMILY time_ops USING bloom_pages IS 'time';

CREATE OPERATOR CLASS inet_ops DEFAULT FOR TYPE inet USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS inet_ops USING bloom_pages IS 'inet, cidr';
COMMENT ON OPERATOR FAMILY inet_ops USING bloom_pages IS 'inet, cidr';

CREATE OPERATOR CLASS macaddr_ops DEFAULT FOR TYPE macaddr USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS macaddr_ops USING bloom_pages IS 'macaddr';
COMMENT ON OPERATOR FAMILY macaddr_ops USING bloom_pages IS 'macaddr';

CREATE OPERATOR CLASS macaddr8_ops DEFAULT FOR TYPE macaddr8 USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS macaddr8_ops USING bloom_pages IS 'macaddr8';
COMMENT ON OPERATOR FAMILY macaddr8_ops USING bloom_pages IS 'macaddr8';

CREATE OPERATOR CLASS enum_ops DEFAULT FOR TYPE anyenum USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS enum_ops USING bloom_pages IS 'enums';
COMMENT ON OPERATOR FAMILY enum_ops USING bloom_pages IS 'enums';

CREATE OPERATOR CLASS array_ops DEFAULT FOR TYPE anyarray USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS array_ops USING bloom_pages IS 'arrays';
COMMENT ON OPERATOR FAMILY array_ops USING bloom_pages IS 'arrays';

CREATE OPERATOR CLASS record_ops DEFAULT FOR TYPE record USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS record_ops USING bloom_pages IS 'composite types';
COMMENT ON OPERATOR FAMILY record_ops USING bloom_pages IS 'composite types';

CREATE OPERATOR CLASS range_ops DEFAULT FOR TYPE anyrange USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS range_ops USING bloom_pages IS 'ranges';
COMMENT ON OPERATOR FAMILY range_ops USING bloom_pages IS 'ranges';

CREATE OPERATOR CLASS bloom_key_ops DEFAULT FOR TYPE bloom_key USING bloom_pages AS OPERATOR 1 =;
COMMENT ON OPERATOR CLASS bloom_key_ops USING bloom_pages IS 'hashed keys';
COMMENT ON OPERATOR FAMILY bloom_key_ops USING bloom_pages IS 'hashed keys';

--
-- Types that cannot be keys, but whose values have an immutable expression that can, have operator
-- classes without operators: CREATE INDEX then reports that expression.
--

CREATE OPERATOR CLASS char_ops DEFAULT FOR TYPE "char" USING bloom_pages AS STORAGE "char";
COMMENT ON OPERATOR CLASS char_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY char_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS interval_ops DEFAULT FOR TYPE interval USING bloom_pages AS STORAGE interval;
COMMENT ON OPERATOR CLASS interval_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY interval_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS timetz_ops DEFAULT FOR TYPE timetz USING bloom_pages AS STORAGE timetz;
COMMENT ON OPERATOR CLASS timetz_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY timetz_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS bit_ops DEFAULT FOR TYPE bit USING bloom_pages AS STORAGE bit;
COMMENT ON OPERATOR CLASS bit_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY bit_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS varbit_ops DEFAULT FOR TYPE varbit USING bloom_pages AS STORAGE varbit;
COMMENT ON OPERATOR CLASS varbit_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY varbit_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS json_ops DEFAULT FOR TYPE json USING bloom_pages AS STORAGE json;
COMMENT ON OPERATOR CLASS json_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY json_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS jsonb_ops DEFAULT FOR TYPE jsonb USING bloom_pages AS STORAGE jsonb;
COMMENT ON OPERATOR CLASS jsonb_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY jsonb_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';

CREATE OPERATOR CLASS xml_ops DEFAULT FOR TYPE xml USING bloom_pages AS STORAGE xml;
COMMENT ON OPERATOR CLASS xml_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
COMMENT ON OPERATOR FAMILY xml_ops USING bloom_pages IS 'none: CREATE INDEX reports what to index instead';
