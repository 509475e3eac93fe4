-- bloomtype_join: filters of integers, which are bitmaps where their range is small

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
CREATE SCHEMA join_filter_bitmap;
SET search_path = join_filter_bitmap;
\getenv folder PG_ABS_SRCDIR
\set functions :folder '/join/functions.sql'
\i :functions

-- The filter of a join: its method and size; whether all rows with a partner passed, and whether some
-- without one did, but for the row that a join may fetch before it builds its hash table
CREATE FUNCTION filter_of(query text, OUT method text, OUT kilobytes int, OUT rows text, OUT is_exact boolean)
LANGUAGE plpgsql AS $$
DECLARE
	e jsonb;
	passed numeric;
	found bigint;
	expected bigint;
BEGIN
	EXECUTE query INTO found;
	SET LOCAL bloomtype_join.enable = off;
	EXECUTE query INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	rows := CASE found WHEN expected THEN found::text ELSE format('%s, not %s', found, expected) END;
	e := explained_as_json(query);
	method := jsonb_path_query_first(e, 'strict $.**."Filter Method"') ->> 0;
	kilobytes := jsonb_path_query_first(e, 'strict $.**."Filter Size"');
	passed := jsonb_path_query_first(e, 'strict $.** ? (@."Custom Plan Provider" == "BloomtypeProbe")."Actual Rows"');
	is_exact := passed <= found + 1;
END $$;

-- Keys of each type from one number to another, by steps; the outer side has each number from ten below
-- to ten above, as far as the type has them, and a null
CREATE FUNCTION filter_of_keys(type text, first numeric, last numeric, step int, OUT method text, OUT rows text, OUT is_exact boolean)
LANGUAGE plpgsql AS $$
DECLARE
	least numeric := CASE type WHEN 'int2' THEN -32768 WHEN 'int8' THEN -9223372036854775808 WHEN 'oid' THEN 0 ELSE -2147483648 END;
	greatest numeric := CASE type WHEN 'int2' THEN 32767 WHEN 'int8' THEN 9223372036854775807 WHEN 'oid' THEN 4294967295 ELSE 2147483647 END;
	value text := CASE type WHEN 'date' THEN 'CASE n WHEN -2147483648 THEN ''-infinity'' WHEN 2147483647 THEN ''infinity''
			ELSE date ''2000-01-01'' + n::int END'
		WHEN 'oid' THEN 'n::text::oid' ELSE 'n::' || type END;
BEGIN
	EXECUTE format('CREATE TABLE keys AS SELECT %s AS k FROM generate_series(%s::numeric, %s, %s) n UNION ALL SELECT NULL',
		value, first, last, step);
	EXECUTE format('CREATE TABLE facts AS SELECT %s AS k FROM generate_series(%s::numeric, %s) n, generate_series(1, 2) UNION ALL SELECT NULL',
		value, greatest(first - 10, least), least(last + 10, greatest));
	ANALYZE keys, facts;
	SELECT f.method, f.rows, f.is_exact INTO filter_of_keys.method, filter_of_keys.rows, filter_of_keys.is_exact
		FROM filter_of('SELECT count(*) FROM facts JOIN keys USING (k)') f;
	DROP TABLE keys, facts;
END $$;
SELECT type, k.*, f.* FROM unnest('{int2,int4,int8,oid,date}'::text[]) WITH ORDINALITY t (type, i), LATERAL (VALUES
	(CASE type WHEN 'int2' THEN -32768 WHEN 'int8' THEN -9223372036854775808 WHEN 'oid' THEN 0 WHEN 'date' THEN -2451530 ELSE -2147483648 END, 200, 1),
	(CASE type WHEN 'int2' THEN 32767 WHEN 'int8' THEN 9223372036854775807 WHEN 'oid' THEN 4294967295 WHEN 'date' THEN 2145000000 ELSE 2147483647 END - 70, 70, 2),
	(CASE type WHEN 'oid' THEN 2147483600 ELSE -50 END, 100, 5)) k (first, length, step),
	filter_of_keys(type, first, first + length, step) f
ORDER BY i, first, length;

-- Integers of two widths; the least and the greatest in one filter, and what wraps around to them; the
-- infinite dates
CREATE TABLE ends AS SELECT n FROM unnest('{-9223372036854775808,-9223372036854775807,-1,0,1,9223372036854775806,9223372036854775807}'::int8[]) n;
CREATE TABLE all_ends AS SELECT n::int8, (n % 2147483648)::int4 AS i4, (n % 32768)::int2 AS i2 FROM ends, generate_series(1, 3) UNION ALL SELECT NULL, NULL, NULL;
ANALYZE ends, all_ends;
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN ends e USING (n)');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN ends e USING (n) WHERE e.n IN (-9223372036854775808, 9223372036854775807)');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN ends e USING (n) WHERE e.n > 9223372036854775800');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN ends e USING (n) WHERE e.n < -9223372036854775800');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN ends e ON a.i4 = e.n WHERE e.n BETWEEN -1 AND 1');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN all_ends e ON a.n = e.i2');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN all_ends e ON a.i2 = e.i4 WHERE e.n < 0');
CREATE TABLE days AS SELECT d FROM unnest('{-infinity,2000-01-01,2000-01-02,infinity}'::date[]) d, generate_series(1, 3);
ANALYZE days;
SELECT * FROM filter_of('SELECT count(*) FROM days a JOIN days b USING (d)');
SELECT * FROM filter_of('SELECT count(*) FROM days a JOIN days b USING (d) WHERE isfinite(b.d)');
SELECT * FROM filter_of('SELECT count(*) FROM days a JOIN days b USING (d) WHERE b.d > ''2001-01-01''');

-- no key, and none but nulls
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN ends e USING (n) WHERE e.n BETWEEN 5 AND 9');
SELECT * FROM filter_of('SELECT count(*) FROM all_ends a JOIN all_ends e USING (n) WHERE e.i2 IS NULL');

-- A bitmap is never larger than the blocks of a Bloom filter, which have 12 bits a key.
-- in no order, or the filter would pause where all rows pass
CREATE TABLE numbers AS SELECT g AS n, g % 100 AS two FROM generate_series(-30000, 30000) g ORDER BY hashint4(g);
ANALYZE numbers;
SELECT step, f.* FROM unnest('{1,3,11,13,100}'::int[]) step,
	filter_of(format('SELECT count(*) FROM numbers a JOIN numbers b USING (n) WHERE b.n %% %s = 0 AND abs(b.n) < 10000', step)) f ORDER BY step;
-- two columns, and types without numbers
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN numbers b USING (n, two) WHERE b.n BETWEEN 1 AND 100');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN numbers b ON a.n::text = b.n::text WHERE b.n BETWEEN 1 AND 10');
CREATE TABLE stamps AS SELECT timestamp '2000-01-01' + n * interval '1 microsecond' AS t FROM numbers;
SELECT * FROM filter_of('SELECT count(*) FROM stamps a JOIN (SELECT * FROM stamps ORDER BY t LIMIT 50) b USING (t)');

-- More keys than are gathered: they go into a bitmap, from which they may have to move to blocks, at
-- once, in the middle, with the last one, or when all are there.
SET work_mem = '64kB';
SET hash_mem_multiplier = 8;
CREATE TABLE ordered (n int, far int8, near int);
INSERT INTO ordered SELECT g, CASE g WHEN 5000 THEN -9000000000000000000 ELSE g END, CASE g WHEN 5000 THEN 250000 ELSE g END
	FROM generate_series(-6000, 6000) g;
INSERT INTO ordered SELECT NULL, NULL, NULL FROM generate_series(1, 100);
ANALYZE ordered;
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN ordered b USING (n)');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN (SELECT * FROM ordered ORDER BY n DESC) b USING (n)');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.far');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.far WHERE b.n <= 5000');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN (SELECT * FROM ordered ORDER BY far) b ON a.n = b.far');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.near');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN numbers b USING (n) WHERE b.n % 13 = 0');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN numbers b USING (n) WHERE b.n % 10 = 0');
SELECT * FROM filter_of('SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.far WHERE b.n % 2 = 0');
-- as many rows as fill an array, of few keys; by the other condition, they are not made unique before.
-- The statistics are of other keys, none of which is repeated, or the other side might be hashed.
CREATE TABLE repeated WITH (autovacuum_enabled = off) AS SELECT n, n AS far FROM ordered;
ANALYZE repeated;
TRUNCATE repeated;
INSERT INTO repeated SELECT n % 3, n % 3 * 1000 FROM ordered;
SELECT * FROM filter_of('SELECT count(*) FROM numbers a WHERE EXISTS (SELECT FROM repeated b WHERE a.n = b.n AND a.n >= b.n)');
-- blocks of so few keys are smaller than a bitmap of their range, those of so many rows would not be
SELECT * FROM filter_of('SELECT count(*) FROM numbers a WHERE EXISTS (SELECT FROM repeated b WHERE a.n = b.far AND a.n >= b.far)');
RESET work_mem;
RESET hash_mem_multiplier;

-- Several processes build one filter: each may have another method
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_parallel_hash = on;
CREATE FUNCTION shared_filter_of(query text, OUT plan text, OUT method text, OUT rows text) LANGUAGE plpgsql AS $$
BEGIN
	plan := (SELECT max(trim(l, '-> ')) FROM explained(query) l WHERE l ~ 'BloomtypeBuild');
	plan := regexp_replace(plan, ' \(actual.*', '');
	SELECT f.method, f.rows INTO shared_filter_of.method, shared_filter_of.rows FROM filter_of(query) f;
END $$;
SELECT * FROM shared_filter_of('SELECT count(*) FROM numbers a JOIN ordered b USING (n)');
SELECT * FROM shared_filter_of('SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.far');
SELECT * FROM shared_filter_of('SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.near');
SELECT * FROM shared_filter_of('SELECT count(*) FROM numbers a JOIN numbers b USING (n) WHERE b.two BETWEEN 20 AND 50');
SELECT * FROM shared_filter_of('SELECT count(*) FROM numbers a JOIN ordered b USING (n) WHERE b.far IS NULL');
SELECT * FROM shared_filter_of('SELECT count(*) FROM all_ends a JOIN all_ends b USING (n)');
-- one process waits at the only far key, so that the other's bitmap is there before it has to become blocks
SET parallel_leader_participation = off;
CREATE FUNCTION waits(int) RETURNS boolean IMMUTABLE STRICT PARALLEL SAFE LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN true; END';
SELECT count(*) FROM numbers a JOIN ordered b ON a.n = b.far WHERE b.n <> 5000 OR waits(b.n);
-- one waits in a page of far keys, and gets no others: each bitmap is small, but not one of both.  The blocks
-- have the keys of both, and no other bits.
CREATE TABLE apart AS SELECT 3000000000 + g AS n FROM generate_series(1, 226) g;
INSERT INTO apart SELECT n FROM numbers;
ANALYZE apart;
\set query 'SELECT count(*) FROM apart a JOIN apart b USING (n) WHERE b.n <> 3000000001 OR waits((b.n % 10)::int)'
:query;
SELECT substring(line FROM '([0-9.]+) %')::float8 BETWEEN 0.3 AND 1 AS as_expected FROM explained(:'query') line WHERE line ~ 'False Positives';
-- more keys than there is room for: two processes, none of which has too many, or one alone
CREATE TABLE many AS SELECT g * 2 AS n FROM generate_series(1, 200000) g;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1000;
\set query 'SELECT count(*) FROM many a JOIN many b USING (n) WHERE b.n <> 200000 OR waits(b.n)'
SELECT substring(line FROM 'Parallel.*Build[)]|Too.*') AS line FROM explained(:'query') line WHERE line ~ 'Build|Too Many';
SET max_parallel_workers = 0;
SELECT substring(line FROM 'Parallel.*Build[)]|Too.*') AS line FROM explained(:'query') line WHERE line ~ 'Build|Too Many';

SET client_min_messages = warning;
DROP SCHEMA join_filter_bitmap CASCADE;
