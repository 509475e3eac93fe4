\set ECHO none
--
-- What the tests of bloomtype_join share
--

\set SHOW_CONTEXT never
\set VERBOSITY terse

-- A line of EXPLAIN with a whole number of rows; newer servers write decimals
CREATE FUNCTION with_whole_rows(line text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(replace(line, 'rows=' || decimal, 'rows=' || round(decimal::numeric)), line)
	FROM substring(line FROM 'rows=([0-9]+[.][0-9]+) ') decimal
$$;

-- The lines of EXPLAIN, with the counts of ANALYZE; a hash table's memory depends on the machine
CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) ' || query LOOP
		RETURN NEXT regexp_replace(with_whole_rows(line), 'Memory Usage: [0-9]+kB', 'Memory Usage: NkB');
	END LOOP;
END $$;

CREATE FUNCTION explained_as_json(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off, FORMAT json) ' || query INTO result;
	RETURN result;
END $$;

-- The filters in the plan of a query, and how many rows there are, as many as without filters
CREATE PROCEDURE show_plan(query text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	keys text;
	node text;
	expected text;
	found text;
BEGIN
	RAISE NOTICE '%', query;
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || query LOOP
		IF line LIKE '%(Bloomtype%' THEN
			node := substring(line FROM 'Bloomtype([A-Za-z]*)');
		ELSIF line LIKE '%Runtime Filter Keys:%' THEN
			keys := substring(line FROM 'Keys: (.*)');
		ELSIF node IS NOT NULL AND line LIKE '%->%' THEN
			RAISE NOTICE '  % % above %', lower(node), keys, substring(line FROM '-> *(.*)');
			node := NULL;
		END IF;
	END LOOP;
	EXECUTE 'SELECT count(*) || '' rows '' || coalesce(sum(hashtext(r::text)), 0) FROM (' || query || ') r'
		INTO found;
	SET LOCAL bloomtype_join.enable = off;
	EXECUTE 'SELECT count(*) || '' rows '' || coalesce(sum(hashtext(r::text)), 0) FROM (' || query || ') r'
		INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	IF found = expected THEN
		RAISE NOTICE '  % rows', split_part(found, ' ', 1);
	ELSE
		RAISE WARNING 'expected %, found %', expected, found;
	END IF;
END $$;

\set ECHO all
