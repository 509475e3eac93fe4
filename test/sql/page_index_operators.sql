--
-- Which operators may be members of the operator classes of bloom_pages
--
-- Of each pair of types that SQL can compare with =, and of all samples of both, the rows that are
-- found by an index are compared with those of a sequential scan.  An operator that takes values for
-- equal whose keys differ would lose rows.
--

CREATE SCHEMA equality;
SET search_path = equality, public;
\getenv folder PG_ABS_SRCDIR
\set samples :folder '/equality/samples.sql'
\set ECHO none
\i :samples
\set ECHO all

--
-- A table for each type, with an index
--

-- Each row has a page of its own, and each page a filter: what is found by another key is not found
-- by chance.
CREATE FUNCTION fill(no int, name text) RETURNS text
LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('CREATE TABLE sample_%s (no int, v %s%s, padding text) WITH (fillfactor = 10)', no, name,
		(SELECT ' COLLATE "C"' FROM pg_type WHERE oid = name::regtype AND typcollation <> 0));
	EXECUTE format('INSERT INTO sample_%s VALUES %s', no,
		(SELECT string_agg(format('(%s, %s, repeat(''-'', 500))', v.no, expression), ', ' ORDER BY v.no)
			FROM value v WHERE type = name));
	EXECUTE format('CREATE INDEX sample_%s_v ON sample_%1$s USING bloom_pages (v)
		WITH (pages_per_range = 1)', no);
	RETURN (SELECT opcname FROM pg_index i JOIN pg_opclass c ON c.oid = indclass[0]
		WHERE indexrelid = format('sample_%s_v', no)::regclass);
EXCEPTION
	WHEN undefined_object THEN RETURN 'none';
	WHEN feature_not_supported THEN RETURN 'refused';
END
$$;
CREATE FUNCTION is_key(expression text) RETURNS boolean
LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format('SELECT bloom_key(%s)', expression);
	RETURN true;
EXCEPTION WHEN feature_not_supported THEN
	RETURN false;
END
$$;
CREATE TABLE indexed AS
SELECT type.no, name AS type, fill(type.no, name) AS class, is_key(expression) AS is_key
FROM type JOIN value ON type = name AND value.no = 1
WHERE class <> 'record';

-- the types of keys have an operator class, and no others have one
SELECT type, class, is_key FROM indexed WHERE is_key <> (class NOT IN ('none', 'refused'));
-- all operator classes with operators are among them
SELECT opcname FROM pg_opclass JOIN pg_am a ON a.oid = opcmethod
WHERE amname = 'bloom_pages' AND opcname NOT IN (SELECT class FROM indexed)
	AND EXISTS (SELECT FROM pg_amop WHERE amopfamily = opcfamily);
-- of these the server would take the index, which is refused
SELECT string_agg(type, ' ' ORDER BY no) AS refused FROM indexed WHERE class = 'refused';

--
-- Comparison of scans
--

-- The samples of a type as items of FROM; where an oid is on the other side, those alone that SQL
-- can compare with one.
CREATE FUNCTION samples_of(name text, with_oid boolean) RETURNS text
LANGUAGE sql AS
$$
	SELECT '(VALUES ' || string_agg(format('(%s, %s)', no, expression), ', ' ORDER BY no) || ')'
	FROM value v WHERE type = name AND (NOT samples_of.with_oid OR v.with_oid)
$$;

CREATE TABLE outcome (a text, b text, pairs bigint, lost bigint, added bigint);

-- Join the samples of b with those of the table of a, by = and by its commutator, by an index and
-- without one.  Nothing is noted if the index cannot be used.
CREATE FUNCTION compare(a text, b text) RETURNS void
LANGUAGE plpgsql AS
$$
DECLARE
	condition text;
	query text;
	line text;
	uses_index boolean;
	by_index bigint[];
	by_table bigint[];
	with_oid boolean := EXISTS (SELECT FROM type WHERE name IN (a, b) AND class = 'oid');
BEGIN
	FOREACH condition IN ARRAY ARRAY['a.v = b.v', 'b.v = a.v'] LOOP
		query := format('SELECT array_agg(b.no * 1000 + a.no)
			FROM %s b (no, v), LATERAL (SELECT no FROM sample_%s a WHERE %s OFFSET 0) a',
			samples_of(b, with_oid), (SELECT no FROM type WHERE name = a), condition);
		SET LOCAL enable_seqscan = off;
		uses_index := false;
		FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
			uses_index := uses_index OR line LIKE '%Bitmap Index Scan%';
		END LOOP;
		CONTINUE WHEN NOT uses_index;
		EXECUTE query INTO by_index;
		SET LOCAL enable_seqscan = on;
		SET LOCAL enable_bitmapscan = off;
		EXECUTE query INTO by_table;
		SET LOCAL enable_bitmapscan = on;
		INSERT INTO outcome VALUES (a, b, cardinality(by_table),
			(SELECT count(*) FROM (SELECT unnest(by_table) EXCEPT SELECT unnest(by_index)) s),
			(SELECT count(*) FROM (SELECT unnest(by_index) EXCEPT SELECT unnest(by_table)) s));
	END LOOP;
END
$$;
SELECT count(compare(a, b)) AS pairs_of_types
FROM pair_of_types JOIN indexed ON type = a
WHERE class NOT IN ('none', 'refused');

-- For each type its operator class, with values of which types the index is used, and how many pairs
-- are equal
SELECT type, class, string_agg(DISTINCT b, ' ') AS "with", sum(pairs)::int / 2 AS pairs
FROM outcome JOIN indexed ON type = a
GROUP BY no, type, class
ORDER BY no;

-- violations: none
SELECT * FROM outcome WHERE lost > 0 OR added > 0 ORDER BY a, b;

-- every member of a family was asked for
CREATE VIEW members AS
SELECT opfname AS family, amoplefttype::regtype AS left, amoprighttype::regtype AS right
FROM pg_amop JOIN pg_opfamily f ON f.oid = amopfamily JOIN pg_am a ON a.oid = opfmethod
WHERE amname = 'bloom_pages';
SELECT family, m.left, m.right FROM members m
WHERE m.left <> m.right AND (m.left::text, m.right::text) NOT IN (
	SELECT a::regtype::text, b::regtype::text FROM outcome WHERE pairs > 0);

--
-- Wrong members are found
--

-- one that no hash family of the server has, as midnight depends on the time zone
BEGIN;
ALTER OPERATOR FAMILY date_ops USING bloom_pages ADD OPERATOR 1 = (date, timestamptz),
	OPERATOR 1 = (date, timestamp);
TRUNCATE outcome;
SELECT count(compare('date', b)) AS pairs_of_types FROM unnest(ARRAY['timestamp', 'timestamptz']) b;
SELECT DISTINCT * FROM outcome ORDER BY a, b;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'date_ops' AND opcdefault
	AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'bloom_pages');
ROLLBACK;

-- one of text, but not the server's
BEGIN;
CREATE FUNCTION equals_without_blanks(text, text) RETURNS boolean LANGUAGE internal IMMUTABLE STRICT
	AS 'bpchareq';
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = equals_without_blanks);
CREATE OPERATOR CLASS loose_ops FOR TYPE text USING bloom_pages AS OPERATOR 1 equality.=;
SET LOCAL search_path = equality, pg_catalog, public;
DO
$$
BEGIN
	EXECUTE format('CREATE INDEX ON sample_%s USING bloom_pages (v loose_ops) WITH (pages_per_range = 1)',
		(SELECT no FROM type WHERE name = 'text'));
END
$$;
TRUNCATE outcome;
SELECT compare('text', 'text');
SELECT DISTINCT * FROM outcome;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'loose_ops';
ROLLBACK;

DROP SCHEMA equality CASCADE;
