-- Where a cluster does the work: what each check says is true.

CREATE FUNCTION plan(query text, options text = 'VERBOSE, COSTS OFF') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text = '';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		lines = lines || line || E'\n';
	END LOOP;
	RETURN lines;
END $$;

-- Releases after 14 send states of type internal, earlier ones the rows.
SELECT EXISTS (SELECT FROM pg_settings
	WHERE name = 'citus.allow_aggregate_worker_combine_on_internal_types') AS internal \gset
SELECT aggfnoid::regprocedure || CASE WHEN travels THEN ': states travel' ELSE ': rows travel' END,
	plan(query) ~ format('worker_\w*partial_agg\(.*%s\(', aggfnoid::regproc) = travels AND
		(travels OR plan(query) ~ 'Query: SELECT public.bloom_key\(k_integer\) AS')
FROM (SELECT *, aggtranstype <> 'internal'::regtype OR :'internal' AS travels,
		format(CASE WHEN proargtypes[0] = 'bloom_key'::regtype
				THEN 'SELECT %s(bloom_key(k_integer)%s) FROM item'
				WHEN proname ~ '^counting' THEN 'SELECT %s(counts) FROM part'
				ELSE 'SELECT %s(few) FROM part' END,
			proname, (ARRAY['', ', 0.001', ', 4000, 0.001'])[pronargs]) AS query
	FROM pg_aggregate JOIN pg_proc p ON p.oid = aggfnoid
		JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid
		JOIN pg_extension e ON refobjid = e.oid AND extname = 'bloomtype'
	WHERE proargtypes[0] <> 'anycompatible'::regtype AND aggcombinefn <> 0) s
ORDER BY 1;
SELECT 'an aggregate whose states do not travel: rows travel',
	plan('SELECT bloom_matrix_agg(n, same) FROM part') ~ 'Query: SELECT .*n.*, same';

SELECT 'DISTINCT: rows travel',
	plan('SELECT bloom_agg(DISTINCT k_integer) FROM item') !~ 'partial_agg';
SELECT 'ORDER BY: rows travel',
	plan('SELECT bloom_agg(k_integer ORDER BY n) FROM item') !~ 'partial_agg';
SELECT 'GROUP BY the distribution column: filters travel',
	plan('SELECT d, bloom_agg(k_integer) FROM item GROUP BY d')
		~ 'Query: SELECT .*public.bloom_agg\(k_integer\)';

-- Page indexes
SELECT 'each shard has its page indexes, with all rows', count(*) FILTER (WHERE success AND result = '2') = 6
FROM run_command_on_shards('event', $$SELECT count(bloom_pages_check(indexrelid)) FROM pg_index
	WHERE indrelid = '%s'::regclass$$);
SET citus.explain_all_tasks = on;
SELECT name || ': each shard uses its index', regexp_count(plan(query), 'Bitmap Index Scan on ' || index || '_\d+') = 6
FROM (VALUES ('a key', 'event_trace', $$SELECT n FROM event WHERE trace = md5('7')::uuid$$),
	('a list', 'event_trace', $$SELECT n FROM event WHERE trace IN (md5('7')::uuid, md5('8')::uuid)$$),
	('an expression', 'event_account', $$SELECT n FROM event WHERE lower(account) = 'account 7'$$))
	v (name, index, query);
RESET citus.explain_all_tasks;

-- Filters that are large, though they have few keys
CREATE TABLE large (name text PRIMARY KEY, f bloom NOT NULL);
CREATE TABLE large_here (LIKE large);
SELECT create_reference_table('large') \g /dev/null
INSERT INTO large_here
SELECT 'large', bloom_agg(i, 10000000, 0.01) FROM generate_series(1, 1000) i;
INSERT INTO large SELECT * FROM large_here;
SELECT 'a filter that the query makes travels to each node',
	plan(query, 'ANALYZE') ~ 'Send to 2 nodes'
FROM (VALUES ('SELECT count(*) FROM item
	WHERE bloom_contains((SELECT bloom_agg(bloom_key(k_uuid)) FROM item WHERE g = 1), k_uuid)'))
	v (query);
SELECT 'so does one of a local table', plan(query, 'ANALYZE')
	~ E'Intermediate Data Size: 12 MB\n +Result destination: Send to 2 nodes'
FROM (VALUES ('SELECT count(*) FROM item
	WHERE bloom_contains((SELECT f FROM large_here), k_integer)')) v (query);
SELECT 'one of a reference table does not travel',
	plan(query) !~ 'Subplan' AND plan(query) ~ 'Query: .*bloom_contains'
FROM (VALUES ('SELECT count(*) FROM item
	WHERE bloom_contains((SELECT f FROM large), k_integer)')) v (query);
SELECT 'nor in a join with it', plan(query) !~ 'Subplan' AND plan(query) ~ 'Query: .*public.@>'
FROM (VALUES ('SELECT count(*) FROM item JOIN large ON f @> k_integer')) v (query);
SELECT 'a question about one row goes to one shard', plan(query) ~ 'Task Count: 1\n'
FROM (VALUES ('SELECT n FROM item
	WHERE bloom_contains((SELECT f FROM large), k_integer) AND d = 3')) v (query);
SELECT 'a key tells its shard', plan(query) ~ 'Task Count: 1\n'
FROM (VALUES ('SELECT times FROM visit WHERE key = bloom_key(105)')) v (query);

-- A join of tables that are not distributed alike
CREATE TABLE owner (id int);
SELECT create_distributed_table('owner', 'id', colocate_with => 'none') \g /dev/null
INSERT INTO owner SELECT 10 * i FROM generate_series(1, 100) i;
SET citus.enable_repartition_joins = on;
SELECT 'a join moves all rows', plan(query) ~ 'Map Task Count'
FROM (VALUES ('SELECT count(*) FROM item JOIN owner ON id = k_integer')) v (query);
SELECT 'with a materialized step it moves those that pass the filter',
	plan(query) !~ 'Map Task Count' AND
	plan(query) ~ 'Subplan .*Filter: bloom_contains.*Join.*read_intermediate_result'
FROM (VALUES ('WITH passed AS MATERIALIZED (SELECT * FROM item
		WHERE bloom_contains((SELECT bloom_agg(bloom_key(id)) FROM owner), k_integer))
	SELECT count(*) FROM passed JOIN owner ON id = k_integer')) v (query);
