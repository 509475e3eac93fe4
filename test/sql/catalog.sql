--
-- Rules that every object of the extension keeps, read from the catalogs: what breaks
-- one is listed.  (The objects themselves are listed by the test "surface".)
--
\a\t

CREATE VIEW member AS
SELECT classid, objid
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
	AND NOT (classid = 'pg_type'::regclass
		AND EXISTS (SELECT FROM pg_type t WHERE t.typarray = objid));
CREATE VIEW function AS
SELECT p.*, p.oid::regprocedure AS name, 'internal'::regtype = ANY (proargtypes) AS of_internals
FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid;
CREATE VIEW operator AS
SELECT o.*, o.oid::regoperator AS name
FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid;
CREATE VIEW aggregate AS
SELECT a.*, f.name, f.proparallel
FROM function f JOIN pg_aggregate a ON aggfnoid = f.oid;

-- the rules have objects to hold for
SELECT (SELECT count(*) FROM function) > 100 AS functions,
	(SELECT count(*) FROM operator) > 20 AS operators,
	(SELECT count(*) FROM aggregate) > 20 AS aggregates,
	(SELECT count(*) FROM member WHERE classid = 'pg_cast'::regclass) > 10 AS casts,
	(SELECT count(*) FROM member WHERE classid = 'pg_opclass'::regclass) > 5 AS classes;

--
-- Functions
--

-- immutable, except the estimators, which read statistics, what tells the release, and what asks
-- a live set; and, volatile, what reads an index or changes a live set
SELECT name FROM function f
WHERE (provolatile = 's') <> (proname IN ('bloomtype_version', 'bloom_set_contains',
			'bloom_set_missing', 'bloom_set_filter', 'bloom_set_info') OR
		EXISTS (SELECT FROM operator o WHERE f.oid IN (oprrest, oprjoin)))
	OR (provolatile = 'v') <> (proname IN ('bloom_pages_info', 'bloom_pages_check', 'bloom_set_create',
		'bloom_set_add', 'bloom_set_add_all', 'bloom_set_advance', 'bloom_set_follow'));
-- parallel safe, but for what opens relations, which may be temporary ones
SELECT name FROM function
WHERE (proparallel <> 's') <>
	('regclass'::regtype = ANY (proargtypes::oid[] || prorettype) OR prorettype = 'trigger'::regtype);

-- Strict, except what adds a key to a filter, or removes one, and what an aggregate calls
-- where there was no row.  (NULL that reaches a function which is not ready for it ends the
-- server: TimescaleDB 8065, 9417.)
SELECT DISTINCT proname COLLATE "C" AS not_strict
FROM function WHERE prokind = 'f' AND NOT proisstrict ORDER BY 1;

-- Leakproof are the comparisons, which have nothing to say of their arguments but the
-- answer.  Whatever else raises errors, or may tell what it was given.
SELECT name FROM function f
WHERE proleakproof <> (
	EXISTS (SELECT FROM operator o JOIN pg_amop ON amopopr IN (o.oid, o.oprnegate)
		WHERE oprcode = f.oid)
	OR EXISTS (SELECT FROM pg_amproc a JOIN pg_opfamily o ON o.oid = amprocfamily
		WHERE amproc = f.oid AND amprocnum = 1
			AND opfmethod = (SELECT oid FROM pg_am WHERE amname = 'btree')));
SELECT name FROM function
WHERE proleakproof AND (pronargs <> 2 OR proargtypes[0] <> proargtypes[1]
	OR proargtypes[0] NOT IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass));

-- nobody gets the rights of another, and no setting changes
SELECT name FROM function WHERE prosecdef OR proconfig IS NOT NULL OR proacl IS NOT NULL;
-- all in C, in our library, or in SQL that was parsed when the function was made: the
-- search_path of the caller changes nothing
SELECT name FROM function JOIN pg_language l ON l.oid = prolang
WHERE prokind = 'f'
	AND (lanname, probin IS NOT DISTINCT FROM '$libdir/bloomtype', prosqlbody IS NOT NULL)
		NOT IN (('c', true, false), ('sql', false, true));

-- Internal arguments: of input functions, aggregates, estimators, support functions, an access
-- method.
SELECT name FROM function f
WHERE of_internals
	AND NOT EXISTS (SELECT FROM pg_type WHERE typreceive = f.oid)
	AND NOT EXISTS (SELECT FROM aggregate
		WHERE f.oid IN (aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn))
	AND NOT EXISTS (SELECT FROM operator WHERE f.oid IN (oprrest, oprjoin))
	AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.prosupport = f.oid)
	AND NOT EXISTS (SELECT FROM pg_am WHERE amhandler = f.oid)
	AND NOT EXISTS (SELECT FROM pg_amproc WHERE amproc = f.oid);
-- SQL does not get anything from them: older servers call them with nulls, recent ones
-- with nothing at all
CREATE FUNCTION call_with_nulls(name regprocedure, nargs int) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT (%s(%s))::text', name::oid::regproc, concat_ws(', ',
		VARIADIC array_fill('NULL'::text, ARRAY[nargs]))) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN 'error';
END
$$;
SELECT name FROM function
WHERE of_internals AND coalesce(call_with_nulls(name, pronargs), 'null') NOT IN ('error', 'null');
-- cstring, which is read to its end whatever it is, goes through output and input only: as
-- an argument of any type it ends the server (hll 145)
SELECT name FROM function f
WHERE 'cstring'::regtype = ANY (proargtypes::oid[] || prorettype)
	AND NOT EXISTS (SELECT FROM member JOIN pg_type t ON t.oid = objid
		WHERE classid = 'pg_type'::regclass AND f.oid IN (typinput, typoutput));

\set ECHO none
-- Every combination of nulls among the arguments of every other function: of a strict one
-- the result is null, of any it is one, or an error, and the session goes on.
CREATE FUNCTION call_with_some_nulls(name regprocedure, types oid[]) RETURNS int
	LANGUAGE plpgsql AS
$$
DECLARE
	bits int;
	calls int := 0;
	arguments text;
	result text;
BEGIN
	FOR bits IN 0 .. (1 << cardinality(types)) - 1 LOOP
		SELECT string_agg(CASE WHEN bits >> (i::int - 1) & 1 = 1 THEN 'NULL::' || type
			-- filters of text
			WHEN name::text LIKE '%add_text(%' AND i = 1 THEN format('%1$s_add(%1$s_create(10), ''a'')', type)
			ELSE CASE type
				WHEN 'bloom' THEN 'bloom_add(bloom_create(10), 7)'
				WHEN 'counting_bloom' THEN 'counting_bloom_add(counting_bloom_create(10), 7)'
				WHEN 'cuckoo' THEN 'cuckoo_add(cuckoo_create(10), 7)'
				WHEN 'bloom_matrix' THEN
					'(SELECT bloom_matrix_agg(7, bloom_add(bloom_create(10), 7)))'
				WHEN 'bloom_key' THEN 'bloom_key(7)'
				WHEN 'bytea' THEN 'bloom_send(bloom_create(10))'
				WHEN 'integer[]' THEN 'ARRAY[7, NULL]'
				WHEN 'text' THEN '''parquet_int32'''
				WHEN 'regtype' THEN '''int''::regtype'
				WHEN 'boolean' THEN 'true'
				-- a rate, or before it a capacity
				WHEN 'double precision' THEN CASE WHEN next = oid THEN '7' ELSE '0.01' END
				ELSE '''7''::' || type
			END END, ', ' ORDER BY i)
		INTO arguments
		FROM (SELECT oid, i, lead(oid) OVER (ORDER BY i) AS next
				FROM unnest(types) WITH ORDINALITY u(oid, i)) u,
			LATERAL (SELECT CASE oid WHEN 'anycompatible'::regtype THEN 'integer'
				WHEN 'anycompatiblearray'::regtype THEN 'integer[]'
				ELSE format_type(oid, NULL) END) t(type);
		BEGIN
			EXECUTE format('SELECT (%s(%s))::text', name::oid::regproc, arguments) INTO result;
		EXCEPTION WHEN data_exception OR undefined_table THEN
			result := SQLSTATE;
		END;
		IF bits > 0 AND result IS NOT NULL
			AND (SELECT proisstrict FROM pg_proc p WHERE p.oid = name) THEN
			RAISE EXCEPTION '%(%) gives %', name::oid::regproc, arguments, result;
		END IF;
		calls := calls + 1;
	END LOOP;
	RETURN calls;
END
$$;
\set ECHO all
SELECT count(*) > 80 AS functions,
	sum(call_with_some_nulls(name, proargtypes::oid[])) > 300 AS calls
FROM function
WHERE prokind = 'f' AND NOT of_internals AND prorettype <> 'trigger'::regtype
	AND NOT 'cstring'::regtype = ANY (proargtypes);
-- one of these made a live set
DROP TABLE parquet_int32;

-- An argument of any type may be a cstring, too: that is refused, never read (hll 145).
CREATE FUNCTION call_with_cstring(name regprocedure, types oid[]) RETURNS text
	LANGUAGE plpgsql AS
$$
DECLARE
	arguments text;
BEGIN
	SELECT string_agg(CASE type WHEN 'anycompatible'::regtype THEN '''x''::cstring'
		WHEN 'anycompatiblearray'::regtype THEN 'ARRAY[''x''::cstring]'
		WHEN 'text'::regtype THEN '''go'''
		WHEN 'bytea'::regtype THEN 'external_bloom_agg(''x''::text, ''go'', 0.01)'
		WHEN 'bloom_matrix'::regtype THEN
			'(SELECT bloom_matrix_agg(7, bloom_add(bloom_create(9), ''x'')))'
		WHEN 'integer'::regtype THEN '7'
		WHEN 'bigint'::regtype THEN '7'
		-- a rate, or before it a capacity
		WHEN 'double precision'::regtype THEN CASE WHEN i < cardinality(types) THEN '7' ELSE '0.01' END
		ELSE format('%1$s_add(%1$s_create(9), ''x'')', type) END, ', ' ORDER BY i)
	INTO arguments
	FROM unnest(types) WITH ORDINALITY u(oid, i), LATERAL (SELECT oid::regtype) t(type);
	EXECUTE format('SELECT (%s(%s))::text', name::oid::regproc, arguments);
	RETURN 'no error';
EXCEPTION WHEN feature_not_supported OR undefined_object OR datatype_mismatch
	OR undefined_function THEN
	RETURN SQLSTATE;
END
$$;
SELECT count(*) > 40 AS functions,
	count(*) FILTER (WHERE call_with_cstring(name, proargtypes::oid[]) = 'no error') AS taken
FROM function
WHERE NOT of_internals
	AND proargtypes::oid[] && ARRAY['anycompatible'::regtype, 'anycompatiblearray'::regtype]::oid[];

\set ECHO none
-- What a function is given stays as it is: union and add of PipelineDB wrote into their
-- argument, so that another column changed (PipelineDB 1895).
CREATE FUNCTION changes_arguments(name regprocedure, types oid[], key int) RETURNS boolean
	LANGUAGE plpgsql AS
$$
DECLARE
	arguments text;
	result boolean;
BEGIN
	SELECT string_agg(CASE type WHEN 'anycompatible'::regtype THEN key::text
		WHEN 'anycompatiblearray'::regtype THEN format('ARRAY[%s, %s]', key, key + 1)
		WHEN 'text'::regtype THEN '''parquet_int32'''
		WHEN 'bigint'::regtype THEN '7'
		ELSE format('a_%s', type) END, ', ' ORDER BY i)
	INTO arguments
	FROM unnest(types) WITH ORDINALITY u(oid, i), LATERAL (SELECT oid::regtype) t(type);
	EXECUTE format('
		SELECT before <> after OR result = ''never''
		FROM (SELECT ROW(a_bloom::text, a_counting_bloom::text, a_cuckoo::text, a_bytea,
					a_bloom_matrix::text) AS before,
				coalesce((%s(%s))::text, ''null'') AS result,
				ROW(a_bloom::text, a_counting_bloom::text, a_cuckoo::text, a_bytea,
					a_bloom_matrix::text) AS after
			FROM (SELECT bloom_agg(i, 1000, 0.01) AS a_bloom,
					counting_bloom_agg(i, 1000, 0.01) AS a_counting_bloom,
					cuckoo_agg(i, 1000, 0.01) AS a_cuckoo,
					external_bloom_agg(i, ''parquet_int32'', 0.01) AS a_bytea
				FROM generate_series(1, 500) i) s,
				LATERAL (SELECT bloom_matrix_agg(i, a_bloom) FROM generate_series(7, 9) i)
					AS m(a_bloom_matrix) OFFSET 0) t', name::oid::regproc, arguments)
	INTO STRICT result;
	RETURN result;
END
$$;
\set ECHO all
SELECT count(DISTINCT name) > 60 AS functions,
	count(*) FILTER (WHERE changes_arguments(name, proargtypes::oid[], key) IS DISTINCT FROM false)
		AS change_arguments
FROM function, unnest(ARRAY[7, 7001]) key
WHERE prokind = 'f' AND NOT of_internals AND NOT proretset AND proname NOT LIKE '%from_bytea'
	-- the filters have keys of numbers; in C this is TYPE_add
	AND proname NOT LIKE '%add_text' AND proname NOT LIKE 'bloom_set%'
	AND proargtypes::oid[] &&
		ARRAY['bloom', 'counting_bloom', 'cuckoo', 'bytea', 'bloom_matrix']::regtype[]::oid[];

--
-- Aggregates
--

-- parallel, and so are their functions
SELECT a.name, f.oid::regprocedure
FROM aggregate a JOIN pg_proc f
	ON f.oid IN (aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn)
WHERE a.proparallel <> 's' OR f.proparallel <> 's';
-- in parts, but for that of matrices: a state of it is all its filters
SELECT name FROM aggregate WHERE aggcombinefn = 0;
-- a state that is internal travels as a message
SELECT name FROM aggregate
WHERE (aggtranstype = 'internal'::regtype AND aggcombinefn <> 0) IS DISTINCT FROM
		(aggserialfn <> 0)
	OR (aggserialfn <> 0) IS DISTINCT FROM (aggdeserialfn <> 0);
-- how large a state is: otherwise a hashed aggregate takes all of the memory (hll 40, 90)
SELECT name FROM aggregate WHERE aggtransspace < 1024;
-- no state is changed that is asked again, as a window function does, but by functions that
-- say that they do not (pg_roaringbitmap 5)
SELECT name FROM aggregate WHERE aggfinalmodify <> 'r' AND aggfinalfn <> 0;

--
-- Operators and operator classes
--

-- commutators and negators, each the other's; but of ||, whose filter comes first
SELECT name FROM operator o
WHERE oprname <> '||' AND NOT EXISTS (SELECT FROM operator c WHERE c.oid = o.oprcom AND c.oprcom = o.oid
	AND c.oprleft = o.oprright AND c.oprright = o.oprleft);
SELECT name FROM operator o
WHERE (oprnegate <> 0 OR oprname IN ('=', '<>', '<', '<=', '>', '>='))
	AND NOT EXISTS (SELECT FROM operator n WHERE n.oid = o.oprnegate AND n.oprnegate = o.oid
		AND n.oprleft = o.oprleft AND n.oprright = o.oprright);
-- and functions, strict and immutable ones of the same types; but || adds a key, which must not
-- get lost with a null filter
SELECT o.name FROM operator o LEFT JOIN function f ON f.oid = oprcode
WHERE f.oid IS NULL OR f.proisstrict = (oprname = '||') OR f.provolatile <> 'i' OR f.prorettype <> oprresult
	OR f.proargtypes[0] <> oprleft OR f.proargtypes[1] <> oprright;
-- conditions have estimators
SELECT name FROM operator
WHERE oprresult = 'boolean'::regtype AND (oprrest = 0 OR oprjoin = 0);
-- what says that it can hash or merge has what that takes
SELECT name FROM operator o
WHERE oprcanhash <> EXISTS (SELECT FROM pg_amop JOIN pg_am a ON a.oid = amopmethod
		WHERE amopopr = o.oid AND amname = 'hash')
	OR oprcanmerge <> EXISTS (SELECT FROM pg_amop JOIN pg_am a ON a.oid = amopmethod
		WHERE amopopr = o.oid AND amname = 'btree' AND amopstrategy = 3);
-- complete, as the access methods see it
SELECT opcname FROM pg_opclass c
WHERE NOT amvalidate(c.oid) AND EXISTS (SELECT FROM member
	WHERE classid = 'pg_opclass'::regclass AND objid = c.oid);
-- of hashing also with a seed, which hash partitions take
SELECT opcname FROM member JOIN pg_opclass c ON c.oid = objid JOIN pg_am a ON a.oid = opcmethod
WHERE classid = 'pg_opclass'::regclass AND (
	SELECT count(*) FROM pg_amproc WHERE amprocfamily = opcfamily) <>
	CASE amname WHEN 'hash' THEN 2 WHEN 'btree' THEN 3 ELSE 0 END;
-- every type has equality that hashes
SELECT objid::regtype FROM member m
WHERE classid = 'pg_type'::regclass AND NOT EXISTS (SELECT FROM pg_opclass c JOIN pg_am a
	ON a.oid = opcmethod WHERE opcintype = m.objid AND opcdefault AND amname = 'hash');

--
-- Casts: none is implied, and each is a call of a function of ours.  One WITHOUT FUNCTION from
-- bytea would let any bytes in unchecked, as that of hll does.
--

SELECT castsource::regtype, casttarget::regtype
FROM member JOIN pg_cast c ON c.oid = objid
WHERE classid = 'pg_cast'::regclass AND (castcontext <> 'e' OR castmethod <> 'f'
	OR castfunc NOT IN (SELECT oid FROM function));
SELECT castsource::regtype, casttarget::regtype
FROM pg_cast
WHERE castmethod = 'b' AND (SELECT count(*) FROM member
	WHERE classid = 'pg_type'::regclass AND objid IN (castsource, casttarget)) > 0;

--
-- Comments on everything
--

SELECT pg_describe_object(classid, objid, 0) FROM member
WHERE coalesce(obj_description(objid, classid::regclass::name), '') = '';
-- in the form of PostgreSQL's own; functions of one name that SQL calls tell how they differ
SELECT pg_describe_object(classid, objid, 0) AS odd_comment
FROM member, obj_description(objid, classid::regclass::name) AS comment
WHERE comment ~ '\.$|^(?!I/O|Bloom)[A-Z]' OR length(comment) > 140;
SELECT name AS same_comment FROM function f
WHERE NOT of_internals AND EXISTS (SELECT FROM function g
	WHERE g.proname = f.proname AND g.oid <> f.oid
		AND obj_description(g.oid, 'pg_proc') = obj_description(f.oid, 'pg_proc'));
SELECT obj_description(oid, 'pg_extension') IS NOT NULL AS comment
FROM pg_extension WHERE extname = 'bloomtype';

DROP FUNCTION call_with_nulls, call_with_some_nulls, call_with_cstring, changes_arguments;
DROP VIEW aggregate, operator, function, member;
