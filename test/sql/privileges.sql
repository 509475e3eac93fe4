--
-- Nobody learns of rows that they may not read: neither from a filter, nor from the planner
--
\a\t

CREATE FUNCTION expected_rows(query text) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
-- how many rows pass, or the first words of the error
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	n int;
BEGIN
	EXECUTE 'SELECT count(*) FROM ' || query INTO n;
	RETURN n;
EXCEPTION WHEN OTHERS THEN
	RETURN 'error: ' || substring(SQLERRM FROM '^\S+ \S+');
END
$$;
CREATE ROLE regress_bloomtype_stranger;
CREATE SCHEMA strange AUTHORIZATION regress_bloomtype_stranger;

--
-- What rows are expected
--

-- two rows in three have one word, which the stranger may not read
CREATE TABLE secret WITH (autovacuum_enabled = off) AS
SELECT i AS id, CASE WHEN i % 3 = 0 THEN 'public ' || i % 900 ELSE 'hidden' END AS word
FROM generate_series(1, 9000) i;
ANALYZE secret;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON secret USING (word LIKE 'public %');
CREATE VIEW behind WITH (security_barrier) AS SELECT * FROM secret WHERE word LIKE 'public %';
CREATE VIEW filter_behind WITH (security_barrier) AS
	SELECT 1 AS n, bloom_agg(word) AS f FROM secret;
CREATE VIEW filter_before AS SELECT 1 AS n, bloom_agg(word) AS f FROM secret;
CREATE TABLE parent (id int, word text) PARTITION BY RANGE (id);
CREATE TABLE child PARTITION OF parent FOR VALUES FROM (1) TO (10000)
	WITH (autovacuum_enabled = off);
INSERT INTO parent SELECT * FROM secret;
ANALYZE parent;
ALTER TABLE parent ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON parent USING (word LIKE 'public %');
CREATE TABLE word_filter AS SELECT bloom_agg(word) AS f FROM secret;
GRANT SELECT ON secret, behind, parent, filter_behind, filter_before, word_filter
	TO regress_bloomtype_stranger;
GRANT SELECT (id) ON child TO regress_bloomtype_stranger;

-- How many rows pass a filter that has the hidden word, by the number for one that has a
-- word which is in no row: it tells how common the hidden word is, or it does not.
CREATE FUNCTION told(relation text, condition text) RETURNS boolean LANGUAGE sql
RETURN expected_rows(format('SELECT FROM %s WHERE ' || condition, relation, 'hidden')) >
	100 + expected_rows(format('SELECT FROM %s WHERE ' || condition, relation, 'nowhere'));
CREATE VIEW told AS
SELECT condition, told('secret', condition) AS secret, told('behind', condition) AS behind,
	told('(SELECT * FROM secret) s', condition) AS sub_select, told('parent', condition) AS parent
FROM unnest(ARRAY[
	'bloom_add(bloom_create(9), %2$L) @> word',
	'word <@ bloom_add(bloom_create(9), %2$L)',
	'bloom_contains(bloom_add(bloom_create(9), %2$L), word)',
	'bloom_contains_any(bloom_add(bloom_create(9), %2$L), ARRAY[word])',
	'bloom_contains_all(bloom_add(bloom_create(9), %2$L), ARRAY[word])',
	'counting_bloom_add(counting_bloom_create(9), %2$L) @> word',
	'counting_bloom_contains(counting_bloom_add(counting_bloom_create(9), %2$L), word)',
	'cuckoo_add(cuckoo_create(9), %2$L) @> word',
	'cuckoo_contains(cuckoo_add(cuckoo_create(9), %2$L), word)']) condition;
-- who owns the tables is told, but for what is behind the barrier of a view
SELECT secret, behind, sub_select, parent, count(*) FROM told GROUP BY 1, 2, 3, 4;
GRANT SELECT ON told TO regress_bloomtype_stranger;
SET ROLE regress_bloomtype_stranger;
SELECT secret, behind, sub_select, parent, count(*) FROM told GROUP BY 1, 2, 3, 4;
RESET ROLE;

-- A filter that a query makes tells how many words there are.  Not through the barrier: that
-- of a view without one passes as many rows as there are words, that of a view with one as
-- many as a stored one.
CREATE TABLE words WITH (autovacuum_enabled = off) AS
SELECT CASE WHEN i <= 300 THEN 'public ' || i * 3 ELSE 'new ' || i END AS word
FROM generate_series(1, 90000) i;
ANALYZE words;
GRANT SELECT ON words TO regress_bloomtype_stranger;
CREATE VIEW through AS
SELECT source, expected_rows(format(query, source)) =
	expected_rows('SELECT FROM words WHERE (SELECT f FROM word_filter) @> word') AS as_stored
FROM unnest(ARRAY['filter_before', 'filter_behind']) source, unnest(ARRAY[
	'SELECT FROM words WHERE (SELECT f FROM %s) @> word',
	'SELECT FROM words WHERE bloom_contains((SELECT f FROM (SELECT f FROM %s) s), word)',
	'WITH w AS MATERIALIZED (SELECT f FROM %s) SELECT FROM words WHERE (SELECT f FROM w) @> word',
	'SELECT FROM words, %s WHERE f @> word']) query;
SELECT source, as_stored, count(*) FROM through GROUP BY 1, 2 ORDER BY 1;
GRANT SELECT ON through TO regress_bloomtype_stranger;
SET ROLE regress_bloomtype_stranger;
SELECT source, as_stored, count(*) FROM through GROUP BY 1, 2 ORDER BY 1;
RESET ROLE;

-- A function of the stranger's own, behind an operator that names our estimators, is not
-- called for statistics.  Where it is called, policy and barrier come first.  (On recent
-- servers only a superuser can make such an operator.)
CREATE FUNCTION strange.tell(bloom, text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS
$$
BEGIN
	RAISE NOTICE 'told of %', $2;
	RETURN $2 = 'hidden';
END
$$;
CREATE OPERATOR strange.@> (LEFTARG = bloom, RIGHTARG = text, FUNCTION = strange.tell,
	RESTRICT = bloom_contains_sel, JOIN = bloom_contains_joinsel);
SET ROLE regress_bloomtype_stranger;
DO $$
BEGIN
	EXECUTE 'EXPLAIN SELECT FROM secret WHERE bloom_create(1) OPERATOR(strange.@>) word';
	EXECUTE 'EXPLAIN SELECT FROM behind WHERE bloom_create(1) OPERATOR(strange.@>) word';
	EXECUTE 'EXPLAIN SELECT FROM parent WHERE bloom_create(1) OPERATOR(strange.@>) word';
	EXECUTE 'EXPLAIN SELECT FROM secret s JOIN word_filter ON f OPERATOR(strange.@>) s.word';
END
$$;
SELECT count(*) FROM secret
WHERE id IN (1, 2, 3) AND bloom_create(1) OPERATOR(strange.@>) word;
SELECT count(*) FROM behind
WHERE id IN (1, 2, 3) AND bloom_create(1) OPERATOR(strange.@>) word;
-- error: no right to read the column, as little through a filter
SELECT count(*) FROM child WHERE (SELECT f FROM word_filter) @> word;
EXPLAIN SELECT FROM child WHERE bloom_add(bloom_create(1), 'hidden') @> word;
SELECT bloom_agg(word) FROM child;
RESET ROLE;

--
-- What errors tell
--

-- The filters of hidden rows are of texts, those of others of numbers.  To ask all of them
-- for a number is an error, so that who does it before the policy learns of the hidden rows.
-- The policy takes long, so that all else that may come first does.
CREATE FUNCTION may_read(visible boolean) RETURNS boolean LANGUAGE plpgsql COST 100000 AS
	'BEGIN RETURN visible; END';
CREATE TABLE vault AS
SELECT i AS id, i <= 5 AS visible, CASE WHEN i <= 5 THEN bloom_add(bloom_create(9), i)
	ELSE bloom_add(bloom_create(9), i::text) END AS b,
	CASE WHEN i <= 5 THEN counting_bloom_add(counting_bloom_create(9), i)
	ELSE counting_bloom_add(counting_bloom_create(9), i::text) END AS n,
	CASE WHEN i <= 5 THEN cuckoo_add(cuckoo_create(9), i)
	ELSE cuckoo_add(cuckoo_create(9), i::text) END AS c,
	CASE WHEN i <= 5 THEN bloom_send(bloom_create(1)) ELSE 'no filter'::bytea END AS bytes
FROM generate_series(1, 10) i;
ALTER TABLE vault ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON vault USING (may_read(visible));
CREATE VIEW barred WITH (security_barrier) AS SELECT * FROM vault WHERE may_read(visible);
GRANT SELECT ON vault, barred TO regress_bloomtype_stranger;
CREATE VIEW asked AS
SELECT condition, outcome('vault WHERE ' || condition) AS policy,
	outcome('barred WHERE ' || condition) AS barrier
FROM unnest(ARRAY[
	'b @> 3', '3 <@ b', 'bloom_contains(b, 3)', 'bloom_contains_any(b, ARRAY[3])',
	'bloom_contains_all(b, ARRAY[3])', 'cardinality(bloom_missing(b, ARRAY[3])) = 0',
	'b && bloom_add(bloom_create(9), 3)', 'bloom_add(b, 3) = b',
	'b | bloom_add(bloom_create(9), 3) = b',
	'(bloom_overlap(b, bloom_add(bloom_create(9), 3))).keys_both > 0',
	'n @> 3', 'counting_bloom_contains_any(n, ARRAY[3])', 'counting_bloom_count(n, 3) > 0',
	'counting_bloom_add(n, 3)::bloom @> 3', 'counting_bloom_remove(n, 3) <> n',
	'c @> 3', 'cuckoo_contains_any(c, ARRAY[3])', 'cuckoo_count(c, 3) > 0',
	'cuckoo_remove(c, 3) <> c', 'cuckoo_add(c, 3) @> 3',
	'bytes::bloom IS NOT NULL']) condition;
SELECT * FROM asked;
GRANT SELECT ON asked TO regress_bloomtype_stranger;
SET ROLE regress_bloomtype_stranger;
SELECT * FROM asked;
RESET ROLE;

DROP VIEW told, through, asked, barred, behind, filter_behind, filter_before;
DROP TABLE secret, parent, words, word_filter, vault;
DROP FUNCTION told, outcome, expected_rows, may_read;
SET client_min_messages = warning;
DROP OWNED BY regress_bloomtype_stranger CASCADE;
RESET client_min_messages;
DROP ROLE regress_bloomtype_stranger;
