-- The statements of doc/page-index.md

-- the blocks of a bitmap are those that the leader has read
SET max_parallel_workers_per_gather = 0;
CREATE SCHEMA pages;
SET search_path = pages, public;
CREATE TABLE event AS SELECT i AS n, md5(i::text)::uuid AS trace_id, repeat('x', 240) AS pad
FROM generate_series(1, 100000) i;
CREATE INDEX event_trace ON event USING bloom_pages (trace_id);
VACUUM ANALYZE event;

CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) ' || query LOOP
		-- as PostgreSQL 18 has them
		CONTINUE WHEN line ~ 'Index Searches';
		RETURN NEXT replace(line, '.00 loops', ' loops');
	END LOOP;
END $$;
SELECT line AS "QUERY PLAN" FROM explained($$SELECT * FROM event WHERE trace_id = 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'$$) line;

CREATE TYPE pair AS (a int, b text);
CREATE TABLE pairs AS SELECT i AS a, 'x' || i AS b FROM generate_series(1, 10000) i;
CREATE INDEX ON pairs USING bloom_pages ((ROW(a, b)::pair));
CREATE INDEX ON pairs USING bloom_pages ((ARRAY[a::text, b]));
CREATE INDEX ON pairs USING bloom_pages (bloom_key(ROW(a, b)));
ANALYZE pairs;
CREATE FUNCTION uses_index(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN SELECT FROM pairs WHERE ' || condition LOOP
		IF line ~ 'Bitmap Index Scan' THEN RETURN true; END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT condition, uses_index(condition) FROM unnest(ARRAY[
	'ROW(a, b)::pair = ROW(1, ''x1'')::pair',
	'ARRAY[a::text, b] = ARRAY[''1'', ''x1'']',
	'bloom_key(ROW(a, b)) = bloom_key(ROW(1, ''x1''::text)) AND a = 1 AND b = ''x1''',
	'(a, b) = (1, ''x1'')']) condition;

SELECT overfull, current_false_ranges < 0.1 AS few FROM bloom_pages_info('event_trace');
SELECT bloom_pages_check('event_trace');
SET client_min_messages = warning;
DROP SCHEMA pages CASCADE;
