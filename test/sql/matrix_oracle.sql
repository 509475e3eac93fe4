--
-- Oracle: what a matrix answers, against its filters
--
-- Random sets of keys of each family go into filters of all sorts, and these into a matrix.  For a
-- column with a layer a search finds exactly the ids of the filters that have the key; for a list
-- exactly those of the layer that bloom_matrix_filter makes of it, among them all that have it.
--
\a\t

\set ECHO none
CREATE SCHEMA matrix_oracle;
SET search_path = matrix_oracle, public;
SET jit = off;
SET max_parallel_workers_per_gather = 0;

-- number i as a key of each family, in SQL, and as an element of an array of keys
CREATE TABLE family (name text PRIMARY KEY, key text, element text);
INSERT INTO family (name, key) VALUES
	('boolean', 'i % 2 = 0'), ('number', 'i'), ('float', 'i::float8'), ('text', 'i::text'),
	('bytea', 'int4send(i)'), ('uuid', 'md5(i::text)::uuid'), ('oid', '(i + 100000)::oid'),
	('date', '''2000-01-01''::date + i'),
	('timestamp', '''2000-01-01''::timestamp + i * ''1 hour''::interval'),
	('timestamptz', '''2000-01-01 00:00+00''::timestamptz + i * ''1 hour''::interval'),
	('time', '''00:00''::time + i * ''1 second''::interval'),
	('network', '''10.1.0.0''::inet + i::bigint'),
	('macaddr', 'lpad(to_hex(i + 100000), 12, ''0'')::macaddr'),
	('array', 'ARRAY[i, NULL]'), ('row', 'ROW(i, ''x''::text)'), ('range', 'int4range(i, i + 9)');
UPDATE family
SET element = CASE WHEN name IN ('array', 'row') THEN format('bloom_key(%s)', key) ELSE key END;

-- a number from 0 to n - 1 that follows from a text
CREATE FUNCTION pick(seed text, n int) RETURNS int LANGUAGE sql IMMUTABLE
RETURN abs(hashtext(seed)::bigint) % n;

-- The filters of a family, of random keys: those of a layer, some of them for fewer keys or
-- folded, so that their blocks divide those of the others, lists, intersections, empty ones.
CREATE FUNCTION make_filters(family text, key text, columns int)
RETURNS TABLE (id bigint, sort text, f bloom) LANGUAGE plpgsql AS
$$
BEGIN
	RETURN QUERY EXECUTE format($sql$
		WITH set AS (
			SELECT n, (ARRAY['layer', 'list', 'layer', 'widened', 'folded', 'intersection', 'empty',
					'layer'])[1 + n %% 8] AS sort,
				pick('first' || %1$L || n, 100) AS first, pick('size' || %1$L || n, 120) AS size
			FROM generate_series(1, %3$s) n),
		part AS (
			SELECT n, sort, bloom_agg(%2$s, CASE sort WHEN 'widened' THEN 1200 ELSE 2400 END, 0.01) AS f
			FROM set, generate_series(1, CASE sort WHEN 'intersection' THEN 2 ELSE 1 END) part,
				generate_series(first + part * 30,
					first + part * 30 + size + CASE sort WHEN 'list' THEN 0 ELSE 140 END) i
			WHERE sort <> 'empty'
			GROUP BY n, sort, part)
		SELECT n * 3 - 100::bigint, sort,
			CASE sort WHEN 'folded' THEN bloom_shrink(bloom_intersection_agg(f))
				ELSE bloom_intersection_agg(f) END
		FROM part GROUP BY n, sort
		UNION ALL
		SELECT n * 3 - 100, sort, bloom_create(50) FROM set WHERE sort = 'empty'$sql$,
		family, key, columns);
END
$$;

-- Ask a matrix of the filters about n keys, and about arrays of one to four of them, with a null
-- in every tenth.  A question is one to one filter.
CREATE TABLE filter (id bigint, sort text, f bloom);
CREATE TABLE answer (family text, filters int, questions bigint, found bigint, lost bigint,
	wrong bigint, wrong_all bigint, wrong_any bigint, changed bigint);
CREATE FUNCTION ask(family text, key text, element text, n int) RETURNS void
LANGUAGE plpgsql AS
$$
BEGIN
	EXECUTE format($sql$
		INSERT INTO answer
		WITH matrix AS MATERIALIZED (SELECT bloom_matrix_agg(id, f) AS m FROM filter),
		held AS MATERIALIZED (
			SELECT id, f, bloom_matrix_filter(m, id) AS g,
				(bloom_info(f)).layers = 0 AND bloom_cardinality(f) > 0 AS is_list
			FROM matrix, filter),
		question AS MATERIALIZED (
			SELECT %2$s AS key, ARRAY(SELECT %3$s FROM generate_series(n - pick('a' || n, 2),
					n + pick('b' || n, 3)) i
				UNION ALL SELECT NULL WHERE n %% 10 = 0) AS keys
			FROM generate_series(-20, 2 * %4$s - 22, 2) n, LATERAL (SELECT n) s(i)),
		found AS MATERIALIZED (
			SELECT key, keys, ARRAY(SELECT bloom_matrix_search(m, key)) AS one,
				ARRAY(SELECT bloom_matrix_search_all(m, keys)) AS "all",
				ARRAY(SELECT bloom_matrix_search_any(m, keys)) AS "any"
			FROM matrix, question)
		SELECT %1$L, count(DISTINCT id), count(*), count(*) FILTER (WHERE id = ANY (one)),
			count(*) FILTER (WHERE f @> key AND NOT id = ANY (one)),
			count(*) FILTER (WHERE g @> key <> (id = ANY (one))),
			count(*) FILTER (WHERE bloom_contains_all(g, keys) IS TRUE <> (id = ANY ("all"))),
			count(*) FILTER (WHERE bloom_contains_any(g, keys) IS TRUE <> (id = ANY ("any"))),
			count(*) FILTER (WHERE g <> f AND NOT is_list)
		FROM found, held$sql$, family, key, element, n);
END
$$;

DO $$
DECLARE
	family record;
BEGIN
	FOR family IN SELECT * FROM matrix_oracle.family ORDER BY name LOOP
		TRUNCATE filter;
		INSERT INTO filter SELECT * FROM make_filters(family.name, family.key, 70);
		PERFORM ask(family.name, family.key, family.element, 100);
	END LOOP;
END
$$;
\set ECHO all
SELECT family, filters, questions, found > 1000 AS found, lost, wrong, wrong_all, wrong_any, changed
FROM answer ORDER BY family;
SELECT sum(questions) >= 100000 AS enough FROM answer;
-- there were filters of all sorts
SELECT sort, count(*), max((bloom_info(f)).layers) AS layers,
	string_agg(DISTINCT (octet_length(f::bytea) / 64)::text, ', ') AS blocks
FROM filter WHERE sort <> 'list' GROUP BY sort
UNION ALL
SELECT sort, count(*), max((bloom_info(f)).layers), NULL FROM filter WHERE sort = 'list' GROUP BY sort
ORDER BY 1;

SET client_min_messages = warning;
DROP SCHEMA matrix_oracle CASCADE;
