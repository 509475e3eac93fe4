--
-- However a capacity is written, each function that takes one works, or says what it is
--
\a\t

\set ECHO none
-- every function with a capacity; '%s' stands for it
CREATE TABLE form (name text, call text);
INSERT INTO form
SELECT type || '_create', format(call, type)
FROM unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']) type,
	unnest(ARRAY['%s_create(%%s)', '%s_create(%%s, 0.01)']) call
UNION ALL
SELECT type || '_sizing', format(call, type)
FROM unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']) type,
	unnest(ARRAY['%s_sizing(%%s)', '%s_sizing(%%s, 0.01)']) call
UNION ALL
SELECT type || '_agg', format(call, type)
FROM unnest(ARRAY['bloom', 'counting_bloom', 'cuckoo']) type,
	unnest(ARRAY['(SELECT %s_agg(i, %%s, 0.01) FROM generate_series(1, 300) i)',
		'(SELECT %s_agg(bloom_key(i), %%s, 0.01) FROM generate_series(1, 300) i)',
		'(SELECT %s_agg(i::text, %%s, 1e-2) FROM generate_series(1, 300) i)']) call
UNION ALL VALUES
	('bloom_create', 'bloom_create(%s, 0.01, 0)'),
	('bloom_create', 'bloom_create(capacity => %s, growth => 3)'),
	('external_bloom_agg',
		'(SELECT external_bloom_agg(i::text, ''go'', %s, 0.01) FROM generate_series(1, 300) i)');
\set ECHO all

SELECT DISTINCT proname
FROM pg_proc
WHERE 'capacity' = ANY (proargnames[1:pronargs])
	-- these make tables, or change them: see the test "set"
	AND proname NOT LIKE 'bloom\_set%'
EXCEPT
SELECT name FROM form;

CREATE FUNCTION result_of(call text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
	hint text;
BEGIN
	EXECUTE 'SELECT md5((' || call || ')::text)' INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLERRM || ' / ' || hint;
END
$$;

-- the same filter, whatever the type
SELECT spelling, count(*) AS forms, count(*) FILTER (WHERE result = expected) AS same
FROM unnest(ARRAY['1000', '1000::smallint', '1000::int', '1000::numeric', '1000.0', '1e3',
		'1e3::real', '1e3::float8', '''1000''', '''1e3''', '''1000''::bigint', '+1000',
		'500 + 500', '500 + 500::bigint', '10 ^ 3']) WITH ORDINALITY s (spelling, n),
	form, result_of(format(call, spelling)) result,
	result_of(format(call, '1000::bigint')) expected
GROUP BY n, spelling
ORDER BY n;

-- null: nothing is made, or a filter that is sized by its keys
SELECT spelling, name, count(*), count(result) AS not_null
FROM unnest(ARRAY['NULL', 'NULL::int', 'NULL::bigint', 'NULL::numeric', 'NULL::float8']) spelling,
	form, result_of(format(call, spelling)) result
WHERE call !~ 'sizing'
GROUP BY name, spelling
HAVING count(result) <> CASE WHEN name ~ 'agg' THEN count(*) ELSE 0 END;

-- a parameter, of any type or none
CREATE FUNCTION parameter_of(type text, call text) RETURNS text LANGUAGE plpgsql AS
$$
DECLARE
	result text;
BEGIN
	EXECUTE format('PREPARE form%s AS SELECT md5((%s)::text)', '(' || nullif(type, '') || ')',
		format(call, '$1'));
	EXECUTE 'EXECUTE form(1000)' INTO result;
	DEALLOCATE form;
	RETURN result;
END
$$;
SELECT type, count(*) AS forms, count(*) FILTER (WHERE result = expected) AS same
FROM unnest(ARRAY['', 'unknown', 'smallint', 'int', 'bigint', 'numeric', 'real', 'float8'])
		WITH ORDINALITY t (type, n),
	form, parameter_of(type, call) result, result_of(format(call, '1000::bigint')) expected
GROUP BY n, type
ORDER BY n;

-- error: no capacity, and what looks as if the arguments had been confused
SELECT spelling, result, count(*) AS forms
FROM unnest(ARRAY['0', '0::bigint', '-1', '-1.0', '-1e17', '1.5', '1000000.5', '0.01',
		'1e-300', '''NaN''',
		'''Infinity''', '''-Infinity''', '9007199254740992', '9007199254740992.0',
		'9007199254740993.0', '9223372036854775807', '1e16', '1e300',
		'''x''']) WITH ORDINALITY s (spelling, n),
	form, result_of(format(call, spelling)) result
GROUP BY n, spelling, result
ORDER BY n, result COLLATE "C";

-- error: text is no number
SELECT split_part(result_of('bloom_create(''1000''::text)'), ' / ', 1) AS error;

-- all others are exact, and shown as they are
SELECT spelling, split_part(result_of(format('bloom_create(%s)', spelling)), ' / ', 1) AS error
FROM unnest(ARRAY['9007199254740991', '9007199254740991.0', '''9007199254740991''',
		'9007199254740990', '9007199254740991::float8']) spelling;

-- what changes within a group is named as it was given
-- error: the rate
SELECT bloom_agg(i, i / 10.0) FROM generate_series(1, 2) i;
-- error: the capacity
SELECT bloom_agg(i, i * 10, 0.01) FROM generate_series(1, 2) i;
SELECT bloom_agg(i, nullif(i, 2) * 10, 0.01) FROM generate_series(1, 2) i;
SELECT bloom_agg(i, nullif(i, 1) * 10, 0.01) FROM generate_series(1, 2) i;

-- the planner sees a capacity, whatever its type
CREATE FUNCTION planned_rows(query text) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan #>> '{0,Plan,Plan Rows}';
END
$$;
CREATE TABLE row_of_key AS SELECT i FROM generate_series(1, 10000) i;
ANALYZE row_of_key;
SELECT count(DISTINCT planned_rows(format('SELECT FROM row_of_key
		WHERE bloom_contains((SELECT bloom_agg(i, %s, 0.01) FROM row_of_key WHERE i < 5000), i + 1)',
		capacity)))
FROM unnest(ARRAY['100::bigint', '100', '1e2', '100::smallint']) capacity;

DROP TABLE row_of_key;
DROP FUNCTION planned_rows;
DROP FUNCTION parameter_of;
DROP FUNCTION result_of;
DROP TABLE form;
