--
-- Indexes of bloom_pages on expressions, which are also those on several columns
--
\set ECHO none

CREATE TYPE place AS (region int, code text);
CREATE TABLE visit (id int, region int, code text, at timestamp, note text, padding text)
	WITH (fillfactor = 10);
INSERT INTO visit
SELECT g, g % 4, 'c' || g % 3, timestamp '2024-01-01' + g * interval '1 hour', 'Note ' || g, repeat('-', 500)
FROM generate_series(1, 60) g;
INSERT INTO visit (id, region, padding) VALUES (61, 1, repeat('-', 500)), (62, NULL, repeat('-', 500));

-- The index that a condition uses, and whether the rows are those without an index
CREATE PROCEDURE show(condition text) LANGUAGE plpgsql AS
$$
DECLARE
	query text := 'SELECT array_agg(id ORDER BY id) FROM visit WHERE ' || condition;
	line text;
	index text;
	expected int[];
	found int[];
BEGIN
	SET LOCAL enable_bitmapscan = off;
	EXECUTE query INTO expected;
	SET LOCAL enable_bitmapscan = on;
	SET LOCAL enable_seqscan = off;
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		index := coalesce(index, substring(line FROM 'Bitmap Index Scan on (\w+)'));
	END LOOP;
	EXECUTE query INTO found;
	RAISE NOTICE '%: %, %', condition, coalesce(index, 'no index'), CASE
		WHEN found IS DISTINCT FROM expected THEN format('WRONG: %s instead of %s', found, expected)
		ELSE coalesce(cardinality(found), 0) || ' rows' END;
END
$$;
\set VERBOSITY terse

--
-- One column
--

CREATE INDEX by_lower ON visit USING bloom_pages (lower(note)) WITH (pages_per_range = 1);
\set ECHO all
CALL show('lower(note) = ''note 7''');
CALL show('lower(note) IN (''note 7'', ''note 8'', ''none'')');
CALL show('note = ''Note 7''');
CREATE INDEX by_day ON visit USING bloom_pages (date_trunc('day', at)) WITH (pages_per_range = 1);
CALL show('date_trunc(''day'', at) = ''2024-01-02''');
CREATE INDEX by_number ON visit USING bloom_pages ((id / 2)) WITH (pages_per_range = 1);
CALL show('id / 2 = 5::bigint');
-- as long as its condition follows from that of the query
CREATE INDEX by_code ON visit USING bloom_pages (code) WITH (pages_per_range = 1) WHERE region = 1;
CALL show('code = ''c1''');
CALL show('code = ''c1'' AND region = 1');
DROP INDEX by_code;

--
-- Several columns
--

-- error: one column an index
CREATE INDEX ON visit USING bloom_pages (region, code);
-- error: a row is of a named type
CREATE INDEX ON visit USING bloom_pages ((ROW(region, code)));

-- As a row.  SQL takes a comparison of two ROW(...) for one of each column, so both are cast to the
-- type.
CREATE INDEX by_place ON visit USING bloom_pages ((ROW(region, code)::place)) WITH (pages_per_range = 1);
CALL show('ROW(region, code)::place = ROW(1, ''c2'')::place');
CALL show('ROW(region, code)::place = ''(1,c2)''::place');
CALL show('ROW(1, ''c2'')::place = ROW(region, code)::place');
CALL show('ROW(region, code)::place IN (ROW(1, ''c2'')::place, ROW(2, ''c0'')::place, ROW(7, ''c7'')::place)');
CALL show('ROW(region, code)::place = ROW(1, NULL)::place');
CALL show('ROW(region, code)::place = ROW(NULL, NULL)::place');
-- a row out of other values, as in a join
CALL show('ROW(region, code)::place = ROW((SELECT 1), (SELECT ''c2''))::place');
-- no index
CALL show('(region, code) = (1, ''c2'')');
CALL show('region = 1 AND code = ''c2''');
-- error: the types of the columns must be the same
CALL show('ROW(region, code)::place = ROW(1, ''c2'')');
DROP INDEX by_place;

-- as an array, where the columns are of one type
CREATE INDEX by_array ON visit USING bloom_pages ((ARRAY[region::text, code])) WITH (pages_per_range = 1);
CALL show('ARRAY[region::text, code] = ARRAY[''1'', ''c2'']');
CALL show('ARRAY[region::text, code] = ''{1,c2}''');
CALL show('ARRAY[region::text, code] = ARRAY[''1'', NULL]');
DROP INDEX by_array;

-- As a key, without a type: numbers of any width are equal.  Two keys may have the same hash, so the
-- columns are compared as well.
CREATE INDEX by_key ON visit USING bloom_pages (bloom_key(ROW(region, code))) WITH (pages_per_range = 1);
CALL show('bloom_key(ROW(region, code)) = bloom_key(ROW(1, ''c2''::text))');
CALL show('bloom_key(ROW(region, code)) = bloom_key(ROW(1::bigint, ''c2''::text)) AND region = 1 AND code = ''c2''');
DROP INDEX by_key;

DROP TABLE visit;
DROP TYPE place;
DROP PROCEDURE show;
