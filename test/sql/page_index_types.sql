--
-- Types that an index of bloom_pages refuses, operator classes for columns of other types, and what
-- happens to an index when a type changes
--

-- What CREATE INDEX says to a column of a type: the message of the server, or that of a key
CREATE FUNCTION refusal(type text, class text DEFAULT '', expression text DEFAULT 'v')
RETURNS TABLE (message text, detail text, hint text)
LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('CREATE TABLE refused (v %s)', type);
	EXECUTE format('CREATE INDEX ON refused USING bloom_pages ((%s) %s)', expression, class);
	RAISE EXCEPTION 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
		hint = PG_EXCEPTION_HINT;
	-- from PostgreSQL 17 on, an index is built with a search path of the server's own
	message := replace(message, 'public.', '');
	detail := replace(detail, 'public.', '');
	RETURN NEXT;
END
$$;

CREATE DOMAIN document AS json;
CREATE DOMAIN documents AS jsonb[];
CREATE TYPE with_json AS (a int, b json);
CREATE TYPE with_row AS (a int, b with_json);
CREATE TYPE with_key AS (a int, b bloom_key);
CREATE TYPE plain AS (a int, b text);
CREATE DOMAIN plains AS plain[];
CREATE TYPE intervalrange AS RANGE (subtype = interval);
CREATE TYPE reverse_range AS RANGE (subtype = text, subtype_opclass = text_pattern_ops);

-- the server knows of no operator class
SELECT type, message FROM unnest(ARRAY['point', 'money', 'tsvector', 'int4multirange', 'tid', 'pg_lsn',
	'bloom', 'counting_bloom', 'cuckoo', 'bloom_matrix']) type, refusal(type);

-- of these it knows one that has no operators, and the index of the hint is accepted
SELECT type, r.message, r.hint, indexed.message AS indexed
FROM unnest(ARRAY['json', 'jsonb', 'xml', 'interval', 'timetz', 'bit(4)', 'varbit', '"char"', 'document',
	'regclass', 'json[]', 'documents']) type,
	refusal(type) r,
	refusal(type, expression => substring(hint FROM 'USING bloom_pages \((.*)\)\.')) indexed;
-- the column has the name that it has, or is an expression itself
CREATE TABLE "Documents" ("The doc" json, docs jsonb);
CREATE FUNCTION index_by_hint(indexed text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	hint text;
BEGIN
	EXECUTE format('CREATE INDEX ON "Documents" USING bloom_pages (%s)', indexed);
EXCEPTION WHEN feature_not_supported THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	EXECUTE 'CREATE INDEX ON "Documents" ' || substring(hint FROM 'USING .*\)\)');
	RETURN hint;
END
$$;
SELECT index_by_hint(indexed) FROM unnest(ARRAY['"The doc"', '("The doc" -> 1)',
	'jsonb_array_element(docs, 1)']) indexed;
DROP TABLE "Documents";
DROP FUNCTION index_by_hint;
SELECT opcname, amvalidate(oid) FROM pg_opclass
WHERE opcname = 'jsonb_ops' AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'bloom_pages');

-- of these it knows one, but the values are not keys
\x on
SELECT type, r.* FROM unnest(ARRAY['regtype', 'interval[]', 'with_json', 'with_json[]', 'with_row', 'with_key',
	'bloom_key[]', 'intervalrange', 'reverse_range', 'money[]', 'int4multirange[]']) type, refusal(type) r;
\x off

-- others are accepted
SELECT type FROM unnest(ARRAY['varchar(10)', 'cidr', 'plain', 'plains', 'int4range[]', 'bloom_key'])
	type, refusal(type)
WHERE message <> 'accepted';

-- A row that is refused later: its type gets a column, and the row a value there.
CREATE TABLE rows (v plain);
CREATE INDEX ON rows USING bloom_pages (v);
ALTER TYPE plain ADD ATTRIBUTE c json;
-- error: a part is not a key
INSERT INTO rows VALUES (ROW(1, 'a', '{}'));
DROP TABLE rows;
ALTER TYPE plain DROP ATTRIBUTE c;

--
-- Operator classes that are named
--

-- The index has the key of the type that the operators compare, not that of the column: the blanks at
-- the end of a varchar do not count under bpchar_ops, and a number under oid_ops is an oid.
CREATE TABLE named (v varchar, i int, padding text) WITH (fillfactor = 10);
INSERT INTO named SELECT 'a' || repeat(' ', g), g, repeat('-', 500) FROM generate_series(0, 9) g;
CREATE INDEX ON named USING bloom_pages (v bpchar_ops) WITH (pages_per_range = 1);
CREATE INDEX ON named USING bloom_pages (i oid_ops) WITH (pages_per_range = 1);
-- and so if the column gets a type without keys, whose values are the same
CREATE TABLE relation (id oid);
INSERT INTO relation VALUES ('pg_class'::regclass);
CREATE INDEX ON relation USING bloom_pages (id);
ALTER TABLE relation ALTER id TYPE regclass;
INSERT INTO relation VALUES ('pg_proc');
SET enable_seqscan = off;
SELECT * FROM relation WHERE id = 'pg_proc'::regclass::oid;
SELECT bloom_pages_check('relation_id_idx');
RESET enable_seqscan;
DROP TABLE relation;
CREATE FUNCTION plan_of(query text) RETURNS SETOF text
LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS off) ' || query;
END
$$;
SET enable_seqscan = off;
SELECT plan_of('SELECT count(*) FROM named WHERE v = ''a  ''::char(5)');
SELECT count(*) FROM named WHERE v = 'a  '::char(5);
SELECT plan_of('SELECT count(*) FROM named WHERE i::oid = ''7''');
SELECT count(*) FROM named WHERE i::oid = '7';
-- error: operators of another type
CREATE INDEX ON named USING bloom_pages (v int4_ops);
DROP TABLE named;

--
-- Types that change
--

-- labels that are renamed, a column that is added to a row: what was inserted before is still found
CREATE TYPE state AS ENUM ('new', 'open', 'done');
CREATE TYPE task AS (state state, n int);
CREATE TABLE changing (v state, a state[], r task, padding text) WITH (fillfactor = 10);
INSERT INTO changing SELECT s, ARRAY[s, 'new'], ROW(s, 7)::task, repeat('-', 500)
FROM unnest(enum_range(NULL::state)) s;
CREATE INDEX ON changing USING bloom_pages (v) WITH (pages_per_range = 1);
CREATE INDEX ON changing USING bloom_pages (a) WITH (pages_per_range = 1);
CREATE INDEX ON changing USING bloom_pages (r) WITH (pages_per_range = 1);
ALTER TYPE state RENAME VALUE 'open' TO 'in work';
ALTER TYPE task ADD ATTRIBUTE place text;
SELECT plan_of('SELECT v FROM changing WHERE v = ''in work''');
SELECT v FROM changing WHERE v = 'in work';
SELECT a FROM changing WHERE a = '{in work,new}';
SELECT plan_of('SELECT v FROM changing WHERE r = ROW(''in work'', 7, NULL)::task');
SELECT r FROM changing WHERE r = ROW('in work', 7, NULL)::task;
-- what is added is part of the key
INSERT INTO changing SELECT v, a, ROW((r).state, 7, 'here')::task, padding FROM changing;
SELECT r FROM changing WHERE r = ROW('in work', 7, 'here')::task;
SELECT r FROM changing WHERE r = ROW('in work', 7, NULL)::task;
-- a label that is new, and one by the old name
ALTER TYPE state ADD VALUE 'open';
SELECT v FROM changing WHERE v = 'open';
RESET enable_seqscan;

--
-- Operator classes that are not right
--

CREATE FUNCTION show_validity(class text) RETURNS boolean LANGUAGE sql
RETURN (SELECT amvalidate(c.oid) FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
	WHERE amname = 'bloom_pages' AND opcname = class);

-- an operator other than the server's equality, for which the keys of unequal values would be asked
CREATE OPERATOR CLASS greater_ops FOR TYPE int USING bloom_pages AS OPERATOR 1 >;
SELECT show_validity('greater_ops');
-- a type that has no keys
CREATE OPERATOR CLASS document_ops FOR TYPE jsonb USING bloom_pages AS OPERATOR 1 =;
SELECT show_validity('document_ops');
-- error, all the same
CREATE TABLE documented (v jsonb);
CREATE INDEX ON documented USING bloom_pages (v document_ops);
-- no operator, or none of its own
CREATE OPERATOR CLASS empty_ops FOR TYPE int USING bloom_pages AS STORAGE int;
SELECT show_validity('empty_ops');
CREATE OPERATOR CLASS other_ops FOR TYPE int USING bloom_pages AS OPERATOR 1 = (int, bigint);
SELECT show_validity('other_ops');
-- error: there is one strategy, and no function
CREATE OPERATOR CLASS two_ops FOR TYPE int USING bloom_pages AS OPERATOR 1 =, OPERATOR 2 =;
CREATE OPERATOR CLASS hashed_ops FOR TYPE int USING bloom_pages AS OPERATOR 1 =,
	FUNCTION 1 hashint4(int);

DROP OPERATOR FAMILY greater_ops USING bloom_pages;
DROP OPERATOR FAMILY document_ops USING bloom_pages;
DROP OPERATOR FAMILY empty_ops USING bloom_pages;
DROP OPERATOR FAMILY other_ops USING bloom_pages;
DROP TABLE changing, documented;
DROP FUNCTION refusal, plan_of, show_validity;
DROP TYPE with_row, with_json, with_key, task, state, intervalrange, reverse_range;
DROP DOMAIN document, documents, plains;
DROP TYPE plain;
