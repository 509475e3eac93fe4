--
-- Every object of the extension, as version 1.0 freezes it: one row each
--

\pset format unaligned
\pset fieldsep '; '

-- objects of the extension; arrays belong to it as of PostgreSQL 17 only
CREATE VIEW member AS
SELECT classid, objid
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
	AND NOT (classid = 'pg_type'::regclass
		AND EXISTS (SELECT FROM pg_type t WHERE t.typarray = objid));

-- the extension
SELECT e.extname, extversion, extrelocatable, extconfig, superuser, trusted, requires,
	e.extnamespace::regnamespace
FROM pg_extension e JOIN pg_available_extension_versions v
	ON name = extname AND version = extversion
WHERE extname = 'bloomtype';

-- types
SELECT t.oid::regtype AS type, typlen AS length, typbyval AS by_value, typalign AS alignment,
	typstorage AS storage, typinput AS input, typoutput AS output, typreceive AS receive,
	typsend AS send
FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
ORDER BY t.oid::regtype::text COLLATE "C";
-- what they have in common
SELECT typtype, typcategory, typispreferred, typisdefined, typdelim, typrelid, typsubscript,
	typelem, typmodin, typmodout, typanalyze, typnotnull, typbasetype, typcollation, typdefault,
	typarray::regtype::text = t.oid::regtype || '[]' AS has_array, count(*)
FROM member JOIN pg_type t ON classid = 'pg_type'::regclass AND objid = t.oid
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16;

-- functions
CREATE FUNCTION properties(p pg_proc) RETURNS text LANGUAGE sql
RETURN concat_ws(' ',
	CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
	CASE WHEN p.proisstrict THEN 'strict' END, CASE WHEN p.proleakproof THEN 'leakproof' END,
	CASE p.proparallel WHEN 's' THEN 'parallel safe'
		WHEN 'r' THEN 'parallel restricted' ELSE 'parallel unsafe' END);
SELECT (proname || '(' || pg_get_function_arguments(p.oid) || ')') COLLATE "C" AS function,
	pg_get_function_result(p.oid) AS result, properties(p), prosupport AS support,
	coalesce(pg_get_function_sqlbody(p.oid), prosrc) AS source
FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
WHERE prokind = 'f'
ORDER BY 1;
-- what they have in common
SELECT lanname, procost, prorows, proretset, provariadic, prosecdef, proconfig, count(*)
FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	JOIN pg_language l ON l.oid = prolang
WHERE prokind = 'f' GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY lanname COLLATE "C";

-- aggregates
SELECT (proname || '(' || pg_get_function_arguments(p.oid) || ')') COLLATE "C" AS aggregate,
	pg_get_function_result(p.oid) AS result, properties(p),
	aggtransfn::regprocedure AS transition, aggtranstype::regtype AS state,
	aggtransspace AS space, aggfinalfn AS final, aggcombinefn AS combine, aggserialfn AS serial,
	aggdeserialfn AS deserial
FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	JOIN pg_aggregate ON aggfnoid = p.oid
ORDER BY 1;
-- what they have in common
SELECT aggkind, aggnumdirectargs, aggfinalextra, aggfinalmodify, agginitval, aggsortop,
	aggmtransfn, aggminvtransfn, aggmfinalfn, aggmtranstype, aggmtransspace, provariadic, count(*)
FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
	JOIN pg_aggregate ON aggfnoid = p.oid
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
-- there is no procedure and no window function
SELECT prokind, count(*)
FROM member JOIN pg_proc p ON classid = 'pg_proc'::regclass AND objid = p.oid
GROUP BY prokind ORDER BY prokind;

-- operators
SELECT concat_ws(' ', oprleft::regtype, oprname, oprright::regtype) COLLATE "C" AS operator,
	oprresult::regtype AS result, oprcode AS function,
	(SELECT oprname FROM pg_operator c WHERE c.oid = o.oprcom AND c.oprleft = o.oprright
		AND c.oprright = o.oprleft) AS commutator,
	(SELECT oprname FROM pg_operator n WHERE n.oid = o.oprnegate AND n.oprleft = o.oprleft
		AND n.oprright = o.oprright) AS negator,
	oprrest AS restrict, oprjoin AS join, oprcanhash AS hashes, oprcanmerge AS merges
FROM member JOIN pg_operator o ON classid = 'pg_operator'::regclass AND objid = o.oid
ORDER BY 1;

-- operator classes, with the strategies and support functions for their types
SELECT amname, opcname AS class, opfname AS family, opcintype::regtype AS type,
	opcdefault AS is_default, opckeytype::regtype AS storage,
	(SELECT string_agg(amopstrategy || ' ' || amopopr::regoperator, ', '
			ORDER BY amopstrategy, amoprighttype)
		FROM pg_amop WHERE amopfamily = f.oid AND amoplefttype = opcintype
			AND amoppurpose = 's') AS strategies,
	(SELECT string_agg(amprocnum || ' ' || amproc::regprocedure, ', ' ORDER BY amprocnum)
		FROM pg_amproc WHERE amprocfamily = f.oid AND amproclefttype = opcintype
			AND amprocrighttype = opcintype) AS functions,
	(SELECT count(*) FROM pg_amop WHERE amopfamily = f.oid) AS operators,
	(SELECT count(*) FROM pg_amproc WHERE amprocfamily = f.oid) AS procedures
FROM member JOIN pg_opclass c ON classid = 'pg_opclass'::regclass AND objid = c.oid
	JOIN pg_opfamily f ON f.oid = opcfamily JOIN pg_am a ON a.oid = opcmethod
ORDER BY amname COLLATE "C", opcname COLLATE "C";

-- casts: context e(xplicit), a(ssignment), i(mplicit)
SELECT castsource::regtype AS source, casttarget::regtype AS target,
	castfunc::regprocedure AS function, castcontext AS context, castmethod AS method
FROM member JOIN pg_cast c ON classid = 'pg_cast'::regclass AND objid = c.oid
ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";

-- there is nothing else
SELECT classid::regclass AS kind, count(*)
FROM member GROUP BY classid ORDER BY classid::regclass::text COLLATE "C";
-- all of it is in the schema of the extension
SELECT count(*) AS elsewhere
FROM member, pg_identify_object(classid, objid, 0)
WHERE type NOT IN ('cast', 'access method') AND coalesce(schema, '') <> 'public';

DROP FUNCTION properties;
DROP VIEW member;
