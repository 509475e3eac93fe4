-- bloomtype_join: partitions that have no key of the inner side are not read

LOAD 'bloomtype_join';
SET bloomtype_join.enable = force;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
CREATE SCHEMA join_filter_partitions;
SET search_path = join_filter_partitions;

-- The partitions that are read, but for one row that a join may read before it builds its hash table;
-- and how many rows there are, as many as without filters
CREATE FUNCTION partitions_read(query text, OUT partitions text, OUT rows text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found bigint;
	expected bigint;
BEGIN
	partitions := '';
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) ' || query LOOP
		IF line ~ ' on \w+ f(_[0-9]+)?' AND line !~ 'never executed|rows=1[ .]' THEN
			partitions := partitions || substring(line FROM ' on (\w+)') || ' ';
		END IF;
	END LOOP;
	EXECUTE query INTO found;
	SET LOCAL bloomtype_join.enable = off;
	EXECUTE query INTO expected;
	SET LOCAL bloomtype_join.enable = force;
	rows := CASE found WHEN expected THEN found::text ELSE format('%s, not %s', found, expected) END;
END $$;

CREATE TABLE dim AS SELECT g AS id, g::bigint AS wide, g::smallint AS narrow, g::oid AS o, date '2020-01-01' + g AS day FROM generate_series(-300, 300) g
	UNION ALL SELECT NULL, NULL, NULL, NULL, NULL FROM generate_series(1, 3);
ANALYZE dim;

-- By range, with and without an end, and a default partition with nulls
CREATE TABLE ranges (id int, n int) PARTITION BY RANGE (id);
CREATE TABLE range_0 PARTITION OF ranges FOR VALUES FROM (MINVALUE) TO (-100);
CREATE TABLE range_1 PARTITION OF ranges FOR VALUES FROM (-100) TO (0);
CREATE TABLE range_2 PARTITION OF ranges FOR VALUES FROM (0) TO (100);
CREATE TABLE range_3 PARTITION OF ranges FOR VALUES FROM (100) TO (2147483647);
CREATE TABLE range_4 PARTITION OF ranges DEFAULT;
INSERT INTO ranges SELECT g, g FROM generate_series(-400, 400) g, generate_series(1, 2);
INSERT INTO ranges VALUES (-2147483648, 1), (2147483647, 2), (NULL, 3);
ANALYZE ranges;
CREATE FUNCTION read(condition text, facts text DEFAULT 'ranges', key text DEFAULT 'id', dimension_key text DEFAULT 'id') RETURNS TABLE (partitions text, rows text) LANGUAGE sql
	AS $$SELECT * FROM partitions_read(format('SELECT count(*) FROM %s f JOIN dim d ON f.%s = d.%s WHERE %s', facts, key, dimension_key, condition))$$;
SELECT condition, r.* FROM unnest(ARRAY['d.id BETWEEN 5 AND 9', 'd.id BETWEEN -1 AND 0', 'd.id BETWEEN -100 AND -99', 'd.id BETWEEN -101 AND -100',
	'd.id BETWEEN 99 AND 100', 'd.id BETWEEN 1 AND 99', 'd.id IN (-250, 250)', 'd.id IS NULL', 'd.id > 1000', 'd.id % 150 = 0', 'd.id > -1000']) WITH ORDINALITY c (condition, i),
	LATERAL read(condition) r ORDER BY i;
-- A sample whose size each partition asks a volatile function for: all are read
SELECT partitions, rows FROM partitions_read('SELECT count(*) FROM ranges f TABLESAMPLE bernoulli (100 + 0 * random()) JOIN dim d USING (id) WHERE d.id BETWEEN 5 AND 9');

CREATE FUNCTION explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, BUFFERS off) ' || query LOOP
		RETURN NEXT regexp_replace(line, 'rows=([0-9]+)[.]00 ', 'rows=\1 ');
	END LOOP;
END $$;
SELECT line FROM explained('SELECT count(*) FROM ranges f JOIN dim d USING (id) WHERE d.id BETWEEN 5 AND 9') line WHERE line ~ 'range_[123]';

-- keys of another width, also beyond those that the column can have
SELECT * FROM read('d.wide BETWEEN 5 AND 9', dimension_key => 'wide');
SELECT * FROM read('d.narrow BETWEEN 5 AND 9', dimension_key => 'narrow');
CREATE TABLE far AS SELECT n FROM unnest('{-9223372036854775808,-2147483649,2147483648,4294967301,9223372036854775807}'::bigint[]) n;
ANALYZE far;
SELECT * FROM partitions_read('SELECT count(*) FROM ranges f JOIN far d ON f.id = d.n');
-- many keys far apart: only the least and the greatest are known
CREATE TABLE many AS SELECT g * 1000 AS id FROM generate_series(1, 400) g;
ANALYZE many;
SELECT * FROM partitions_read('SELECT count(*) FROM ranges f JOIN many d USING (id)');

-- By list, one of which has a null
CREATE TABLE lists (id int, n int) PARTITION BY LIST (id);
CREATE TABLE list_0 PARTITION OF lists FOR VALUES IN (-5, 3, 7);
CREATE TABLE list_1 PARTITION OF lists FOR VALUES IN (NULL, 0, 9);
CREATE TABLE list_2 PARTITION OF lists FOR VALUES IN (1, 2, 4);
CREATE TABLE list_3 PARTITION OF lists DEFAULT;
INSERT INTO lists SELECT g, g FROM generate_series(-20, 20) g, generate_series(1, 2);
INSERT INTO lists SELECT NULL, g FROM generate_series(1, 100) g;
ANALYZE lists;
SELECT condition, r.* FROM unnest(ARRAY['d.id BETWEEN 5 AND 7', 'd.id BETWEEN 0 AND 0 + d.id * 0', 'd.id = ANY (''{-5,9}'')', 'd.id BETWEEN 4 AND 5', 'd.id IS NULL', 'd.id BETWEEN 10 AND 20']) WITH ORDINALITY c (condition, i),
	LATERAL read(condition, 'lists') r ORDER BY i;
CREATE TABLE null_lists (id int, n int) PARTITION BY LIST (id);
CREATE TABLE null_0 PARTITION OF null_lists FOR VALUES IN (NULL);
CREATE TABLE null_1 PARTITION OF null_lists FOR VALUES IN (0);
INSERT INTO null_lists SELECT NULLIF(g % 2, 1), g FROM generate_series(1, 100) g;
ANALYZE null_lists;
SELECT * FROM read('d.id BETWEEN 0 AND 1', 'null_lists');

-- A default partition has what is between the others, and beyond them.
CREATE TABLE gaps (id bigint, n int) PARTITION BY RANGE (id);
CREATE TABLE gap_0 PARTITION OF gaps FOR VALUES FROM (MINVALUE) TO (0);
CREATE TABLE gap_1 PARTITION OF gaps FOR VALUES FROM (10) TO (20);
CREATE TABLE gap_2 PARTITION OF gaps FOR VALUES FROM (20) TO (30);
CREATE TABLE gap_3 PARTITION OF gaps DEFAULT;
INSERT INTO gaps SELECT g, g FROM generate_series(-50, 50) g, generate_series(1, 2);
INSERT INTO gaps SELECT n, 1 FROM far, generate_series(1, 2);
CREATE TABLE ends (id bigint, n int) PARTITION BY LIST (id);
CREATE TABLE end_0 PARTITION OF ends FOR VALUES IN (-9223372036854775808, 2147483648);
CREATE TABLE end_1 PARTITION OF ends FOR VALUES IN (2147483649, 9223372036854775807);
CREATE TABLE end_2 PARTITION OF ends DEFAULT;
INSERT INTO ends SELECT * FROM gaps;
ANALYZE gaps, ends;
SELECT condition, r.* FROM unnest(ARRAY['d.id BETWEEN -1 AND 0', 'd.id BETWEEN -2 AND -1', 'd.id BETWEEN 7 AND 9', 'd.id BETWEEN 10 AND 29', 'd.id BETWEEN 30 AND 31']) WITH ORDINALITY c (condition, i),
	LATERAL read(condition, 'gaps') r ORDER BY i;
SELECT n, g.partitions, g.rows, e.partitions, e.rows FROM far,
	LATERAL partitions_read(format('SELECT count(*) FROM gaps f JOIN far d ON f.id = d.n WHERE d.n = %s + 0 * d.n', n)) g,
	LATERAL partitions_read(format('SELECT count(*) FROM ends f JOIN far d ON f.id = d.n WHERE d.n = %s + 0 * d.n', n)) e ORDER BY n;

-- beside ranges none of which is without an end
CREATE TABLE inside (id int, n int) PARTITION BY RANGE (id);
CREATE TABLE inside_0 PARTITION OF inside FOR VALUES FROM (0) TO (10);
CREATE TABLE inside_1 PARTITION OF inside FOR VALUES FROM (10) TO (20);
CREATE TABLE inside_2 PARTITION OF inside DEFAULT;
INSERT INTO inside SELECT g, g FROM generate_series(-50, 50) g, generate_series(1, 2);
ANALYZE inside;
SELECT condition, r.* FROM unnest(ARRAY['d.id BETWEEN -2 AND -1', 'd.id BETWEEN 0 AND 9', 'd.id BETWEEN 10 AND 19', 'd.id BETWEEN 20 AND 21']) WITH ORDINALITY c (condition, i),
	LATERAL read(condition, 'inside') r ORDER BY i;

-- By hash, where the keys are few
CREATE TABLE hashes (id bigint, n int) PARTITION BY HASH (id);
CREATE TABLE hash_0 PARTITION OF hashes FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE hash_1 PARTITION OF hashes FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE hash_2 PARTITION OF hashes FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE hash_3 PARTITION OF hashes FOR VALUES WITH (MODULUS 4, REMAINDER 3);
INSERT INTO hashes SELECT g, g FROM generate_series(-400, 400) g, generate_series(1, 2);
INSERT INTO hashes VALUES (NULL, 1);
ANALYZE hashes;
SELECT n, length(r.partitions) = 7 AS is_one, r.rows FROM generate_series(-3, 3) n, LATERAL read(format('d.id BETWEEN %s AND %s', n, n), 'hashes') r ORDER BY n;
SELECT length(r.partitions) = 28 AS are_all, r.rows FROM read('d.id > 0', 'hashes') r;

-- Dates, oids, two levels of one key and of two, two columns, a column whose number differs
CREATE TABLE days (day date, n int) PARTITION BY RANGE (day);
CREATE TABLE day_0 PARTITION OF days FOR VALUES FROM (MINVALUE) TO ('2020-01-01');
CREATE TABLE day_1 PARTITION OF days FOR VALUES FROM ('2020-01-01') TO ('2020-02-01');
CREATE TABLE day_2 (gone int, n int, day date);
ALTER TABLE day_2 DROP COLUMN gone;
ALTER TABLE days ATTACH PARTITION day_2 FOR VALUES FROM ('2020-02-01') TO ('infinity');
INSERT INTO days SELECT date '2020-01-01' + g, g FROM generate_series(-300, 300) g, generate_series(1, 2);
INSERT INTO days VALUES ('-infinity', 1);
ANALYZE days;
SELECT condition, r.* FROM unnest(ARRAY['d.day BETWEEN ''2020-01-01'' AND ''2020-01-31''', 'd.day BETWEEN ''2020-01-31'' AND ''2020-02-01''', 'd.day > ''2020-03-01''']) WITH ORDINALITY c (condition, i),
	LATERAL read(condition, 'days', 'day', 'day') r ORDER BY i;
CREATE TABLE oids (o oid, n int) PARTITION BY RANGE (o);
CREATE TABLE oid_0 PARTITION OF oids FOR VALUES FROM (0) TO (2147483648);
CREATE TABLE oid_1 PARTITION OF oids FOR VALUES FROM (2147483648) TO (MAXVALUE);
INSERT INTO oids SELECT o, 1 FROM dim WHERE o IS NOT NULL;
ANALYZE oids;
SELECT * FROM read('d.id BETWEEN -5 AND -1', 'oids', 'o', 'o');
SELECT * FROM read('d.id BETWEEN 1 AND 5', 'oids', 'o', 'o');
CREATE TABLE levels (id int, k int, n int) PARTITION BY RANGE (id);
CREATE TABLE level_0 PARTITION OF levels FOR VALUES FROM (0) TO (10) PARTITION BY LIST (k);
CREATE TABLE level_0_0 PARTITION OF level_0 FOR VALUES IN (0, 1);
CREATE TABLE level_0_1 PARTITION OF level_0 DEFAULT;
CREATE TABLE level_1 PARTITION OF levels FOR VALUES FROM (10) TO (20) PARTITION BY HASH (id);
CREATE TABLE level_1_0 PARTITION OF level_1 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE level_2 PARTITION OF levels FOR VALUES FROM (20) TO (30) PARTITION BY RANGE (id, k);
CREATE TABLE level_2_0 PARTITION OF level_2 FOR VALUES FROM (20, 5) TO (25, 5);
CREATE TABLE level_2_1 PARTITION OF level_2 DEFAULT;
INSERT INTO levels SELECT g % 30, g % 7, g FROM generate_series(1, 600) g;
INSERT INTO levels VALUES (22, NULL, 1), (22, NULL, 2);
ANALYZE levels;
SELECT condition, r.* FROM unnest(ARRAY['d.id BETWEEN 3 AND 4', 'd.id BETWEEN 12 AND 13', 'd.id BETWEEN 25 AND 27', 'd.id BETWEEN 26 AND 27', 'd.id BETWEEN 22 AND 23']) WITH ORDINALITY c (condition, i),
	LATERAL read(condition, 'levels') r ORDER BY i;
SELECT * FROM read('d.id BETWEEN 0 AND 1', 'levels', 'k');
SELECT * FROM read('d.id BETWEEN 5 AND 6', 'levels', 'k');

-- None by an expression, by an operator class of somebody, by two columns in one filter, by a join that
-- keeps rows without a partner, or where a condition has side effects
CREATE TABLE negative (id int, n int) PARTITION BY RANGE ((- id));
CREATE TABLE negative_0 PARTITION OF negative FOR VALUES FROM (-1000) TO (0);
CREATE TABLE negative_1 PARTITION OF negative FOR VALUES FROM (0) TO (1000);
CREATE FUNCTION backwards(int, int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT btint4cmp($2, $1)';
CREATE OPERATOR CLASS backwards FOR TYPE int USING btree AS OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <, FUNCTION 1 backwards(int, int);
CREATE TABLE backward (id int, n int) PARTITION BY RANGE (id backwards);
CREATE TABLE backward_0 PARTITION OF backward FOR VALUES FROM (1000) TO (0);
CREATE TABLE backward_1 PARTITION OF backward FOR VALUES FROM (0) TO (-1000);
INSERT INTO negative SELECT g, g FROM generate_series(-300, 300) g;
INSERT INTO backward SELECT * FROM negative;
ANALYZE negative, backward;
SELECT * FROM read('d.id BETWEEN 5 AND 9', 'negative');
SELECT * FROM read('d.id BETWEEN 5 AND 9', 'backward');
SELECT * FROM partitions_read('SELECT count(*) FROM ranges f JOIN dim d ON f.id = d.id AND f.n = d.wide WHERE d.id BETWEEN 5 AND 9');
SELECT * FROM partitions_read('SELECT count(*) FROM ranges f LEFT JOIN dim d ON f.id = d.id AND d.id BETWEEN 5 AND 9');
SELECT * FROM partitions_read('SELECT count(*) FROM ranges f WHERE NOT EXISTS (SELECT FROM dim d WHERE f.id = d.id AND d.id BETWEEN 5 AND 9)');
CREATE SEQUENCE calls;
SELECT * FROM partitions_read('SELECT count(*) FROM (SELECT id FROM ranges f WHERE nextval(''calls'') > 0) f JOIN dim d USING (id) WHERE d.id BETWEEN 5 AND 9');

-- Again; the hash table is kept, or built anew without a filter
SET work_mem = '64kB';
SELECT s, (SELECT count(*) FROM ranges f JOIN dim d USING (id) WHERE d.id BETWEEN 5 AND 9 AND f.n + s > 0) FROM generate_series(1, 3) s;
SELECT s, (SELECT count(*) FROM ranges f JOIN dim d USING (id) WHERE d.id / 100 = s) FROM generate_series(-2, 2) s;
RESET work_mem;

-- A kept plan, whose partitions get other bounds
SET plan_cache_mode = force_generic_plan;
PREPARE kept(int) AS SELECT count(*) FROM ranges f JOIN dim d USING (id) WHERE d.id BETWEEN $1 AND $1 + 4;
EXECUTE kept(5);
EXECUTE kept(-150);
ALTER TABLE ranges DETACH PARTITION range_1;
EXECUTE kept(-52);
DELETE FROM range_1;
INSERT INTO range_1 SELECT g, g FROM generate_series(1000, 1010) g;
DELETE FROM ranges WHERE id BETWEEN 1000 AND 1010;
ALTER TABLE ranges DETACH PARTITION range_3;
ALTER TABLE ranges ATTACH PARTITION range_1 FOR VALUES FROM (1000) TO (1011);
CREATE TABLE later AS SELECT g AS id FROM generate_series(1005, 1020) g;
INSERT INTO dim (id) SELECT id FROM later;
EXECUTE kept(1005);
EXECUTE kept(150);
DEALLOCATE kept;
RESET plan_cache_mode;

-- Several processes, with one filter and with one for each
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT rows FROM read('d.id BETWEEN 5 AND 9');
SELECT rows FROM read('d.id IN (-5, 9)', 'lists');
SELECT rows FROM read('d.id BETWEEN 5 AND 9', 'hashes');
SET enable_parallel_hash = off;
SELECT rows FROM read('d.id BETWEEN 5 AND 9');
SELECT rows FROM read('d.id BETWEEN 5 AND 9', 'hashes');

SET client_min_messages = warning;
DROP SCHEMA join_filter_partitions CASCADE;
