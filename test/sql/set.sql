--
-- Live sets: filters in the rows of tables
--

\pset null null
CREATE SCHEMA sets;
CREATE SCHEMA other;
SET search_path = sets, public;

-- a set; what is new, once
SELECT bloom_set_create('seen', 'text', 1000);
SELECT bloom_set_add('seen', 'a'), bloom_set_add('seen', 'a'), bloom_set_add('seen', 'b'::text);
SELECT bloom_set_contains('seen', 'a'), bloom_set_contains('seen', 'c');
SELECT bloom_set_add('seen', NULL), bloom_set_contains('seen', NULL), bloom_set_contains(NULL, 'a');
-- each key is new once, in the order of the array; nulls are left out
SELECT bloom_set_missing('seen', '{d,a,NULL,c,d}'::text[]);
SELECT bloom_set_add_all('seen', '{d,a,NULL,c,d}'::text[]);
SELECT bloom_set_add_all('seen', '{d,a,c}'::text[]), bloom_set_add_all('seen', '{}'::text[]),
	bloom_set_missing('seen', '{NULL}'::text[]);
-- an array with other bounds, and of two dimensions
SELECT bloom_set_add_all('seen', '[5:6]={x,y}'::text[]), bloom_set_add_all('seen', '{{x,z},{y,w}}'::text[]);

-- a query sees what its snapshot shows, but what is added is seen at once
SELECT bloom_set_add('seen', 'e'), bloom_set_contains('seen', 'e');
SELECT bloom_set_contains('seen', 'e');

-- what is rolled back was never there
BEGIN;
SELECT bloom_set_add('seen', 'r');
SAVEPOINT s;
SELECT bloom_set_add('seen', 's');
ROLLBACK TO s;
SELECT bloom_set_contains('seen', 'r'), bloom_set_contains('seen', 's'), bloom_set_add('seen', 's');
ROLLBACK;
SELECT bloom_set_missing('seen', '{r,s}'::text[]);

-- the lock of who has added something, and only of him, stays to the end, also after an error in a cursor
BEGIN;
SELECT bloom_set_add('seen', 'a');
SELECT mode FROM pg_locks WHERE relation = 'seen'::regclass AND mode = 'RowExclusiveLock';
DECLARE c CURSOR FOR SELECT bloom_set_add('seen', (1 / (2 - i))::text) FROM generate_series(1, 2) i;
FETCH c;
SAVEPOINT s;
FETCH c;
ROLLBACK TO s;
SELECT mode FROM pg_locks WHERE relation = 'seen'::regclass AND mode = 'RowExclusiveLock';
ROLLBACK;

-- rows: the seal, the head, and slices of 1 kB
SELECT slice, layer, length(bits) FROM seen ORDER BY slice, layer;
SELECT reloptions, (SELECT attstorage FROM pg_attribute WHERE attrelid = c.oid AND attname = 'bits')
FROM pg_class c WHERE oid = 'seen'::regclass;
SELECT encode(substr(bits, 1, 124), 'hex') AS image, encode(substr(bits, 125, 8), 'hex') AS window,
	encode(substr(bits, 141, 8), 'hex') AS windows
FROM seen WHERE slice = -1;

-- as one value, it is what bloom_agg makes of the same keys
SELECT bloom_set_create('same', 'int', 5000);
SELECT bloom_set_filter('same')::bytea = bloom_create(5000)::bytea;
SELECT count(*) FILTER (WHERE bloom_set_add('same', i)) > 295 FROM generate_series(1, 300) i;
SELECT cardinality(bloom_set_add_all('same', array_agg(i))) > 4600 FROM generate_series(1, 5000) i;
SELECT bloom_set_filter('same')::bytea = bloom_agg(i, 5000, 0.01)::bytea FROM generate_series(1, 5000) i;
SELECT (bloom_set_filter('same')::bytea::bloom::bytea) = bloom_set_filter('same')::bytea;
SELECT count(*) FROM generate_series(1, 5000) i WHERE (SELECT bloom_set_filter('same')) @> i;
SELECT count(*) BETWEEN 5 AND 100 FROM generate_series(5001, 10000) i WHERE bloom_set_contains('same', i);

-- keys of any type, of the family of the type that was given
CREATE TYPE pair AS (a int, b text);
SELECT bloom_set_create('of_' || n, t, 100)
FROM (VALUES ('uuid', 'uuid'::regtype), ('pair', 'pair'), ('array', 'int[]'), ('range', 'int4range'),
	('date', 'date')) AS v (n, t);
SELECT bloom_set_add('of_uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid),
	bloom_set_add('of_uuid', bloom_key('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid));
SELECT bloom_set_add('of_pair', ROW(1, 'x')::pair), bloom_set_add('of_pair', ROW(1::numeric, 'x'::text));
SELECT bloom_set_add('of_array', '{1,2}'::int[]), bloom_set_add('of_array', '{1,2}'::bigint[]);
SELECT bloom_set_add('of_range', '[1,3)'::int4range), bloom_set_add('of_range', '[1,2]'::int4range);
SELECT bloom_set_add('same', 3.0), bloom_set_add('same', 4::smallint);

-- errors
SELECT bloom_set_add('same', 'x');
SELECT bloom_set_contains('same', 'x');
SELECT bloom_set_contains('seen', 1);
SELECT bloom_set_add('seen', '{a}'::text[]);
SELECT bloom_set_contains('seen', '{a}'::text[]);
SELECT bloom_set_add('of_array', '{a}'::text[]);
SELECT bloom_set_add('of_array', 1);
SELECT bloom_set_add('of_date', now());
SELECT bloom_set_create('seen', 'text', 1000);
SELECT bloom_set_create('bad', 'jsonb', 1000);
SELECT bloom_set_create('bad', 'bloom_key', 1000);
SELECT bloom_set_create('bad', 'record', 1000);
SELECT bloom_set_create('bad', 7, 1000);
SELECT bloom_set_create('bad', 'text', 0);
SELECT bloom_set_create('bad', 'text', 1000, 1);
SELECT bloom_set_create('bad', 'text', 1000, windows => 65);
SELECT bloom_set_create('bad', 'text', 1000, growth => -1);
SELECT bloom_set_create('bad', 'text', 1e12);
SELECT bloom_set_create('bad', 'text', 1000, 1e-17, 64);
SELECT bloom_set_create('bad', 'text', 1000, 1e-322, 64);
SELECT bloom_set_create('bad', 'text', 1e15, 1e-322, 64);
SELECT bloom_set_create('no_schema.bad', 'text', 1000);
SELECT bloom_set_add('pg_class', 'x');
SELECT bloom_set_add('seen_pkey', 'x');
SELECT bloom_set_add(0, 'x');
SELECT bloom_set_add('not_there', 'x');
SELECT bloom_set_advance(NULL);
SELECT bloom_set_follow();
START TRANSACTION READ ONLY;
SELECT bloom_set_contains('seen', 'a');
SELECT bloom_set_add('seen', 'a');
ROLLBACK;

-- growth: a layer twice as large when the first is full, then its seal
SELECT bloom_set_create('grown', 'int', 300);
DO $$ BEGIN FOR i IN 1 .. 330 LOOP PERFORM bloom_set_add('grown', i); COMMIT; END LOOP; END $$;
SELECT layer, bits FROM grown WHERE slice = -2 ORDER BY layer;
SELECT bloom_set_add('grown', 331);
SELECT layer, bits FROM grown WHERE slice = -2 ORDER BY layer;
SELECT layers, capacity, target_fpp, overfull FROM bloom_set_info('grown');
DO $$ BEGIN FOR i IN 1 .. 2000 LOOP PERFORM bloom_set_add('grown', i); COMMIT; END LOOP; END $$;
SELECT layers, keys BETWEEN 1900 AND 2100 AS keys, current_fpp < 0.02 AS rate FROM bloom_set_info('grown');
SELECT count(*) FROM generate_series(1, 2000) i WHERE bloom_set_contains('grown', i);
SELECT key_family, capacity, target_fpp, growth, layers FROM bloom_info(bloom_set_filter('grown'));
-- keys do not go to layers before one that is sealed
SELECT layer, sum(bit_count(bits)) < 16 * 512 * count(*) / 2 + 100 AS not_overfull
FROM grown WHERE slice >= 0 GROUP BY layer ORDER BY layer;
-- in one transaction, the layers before take keys, too, until there is no room in them
DO $$ BEGIN FOR i IN 1 .. 20000 LOOP PERFORM bloom_set_add('grown', i); END LOOP; END $$;
SELECT layers, keys BETWEEN 19000 AND 21000 AS keys, current_fpp < 0.04 AS rate FROM bloom_set_info('grown');
SELECT cardinality(bloom_set_add_all('grown', array_agg(i))) > 76000 FROM generate_series(1, 100000) i;
SELECT layers, keys BETWEEN 95000 AND 105000 AS keys, current_fpp < 0.04 AS rate FROM bloom_set_info('grown');
-- one call of many keys, at each level
SELECT bloom_set_create('grown_at_once', 'int', 100);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT cardinality(bloom_set_add_all('grown_at_once', array_agg(i))) > 4900 FROM generate_series(1, 5000) i;
SELECT cardinality(bloom_set_add_all('grown_at_once', array_agg(i))) > 19000 FROM generate_series(1, 25000) i;
COMMIT;
SELECT layers, keys BETWEEN 23500 AND 26000 AS keys, current_fpp < 0.04 AS rate FROM bloom_set_info('grown_at_once');
SELECT bloom_set_missing('grown_at_once', array_agg(i)) FROM generate_series(1, 25000) i;
-- in one layer, of the size that it takes
SELECT bloom_set_create('slow_growth', 'int', 1000, growth => 1);
SELECT cardinality(bloom_set_add_all('slow_growth', array_agg(i))) > 19700 FROM generate_series(1, 20000) i;
SELECT layers, keys BETWEEN 19500 AND 20500 AS keys, current_fpp < 0.02 AS rate FROM bloom_set_info('slow_growth');
-- layers are sealed where all snapshots last, too
SELECT bloom_set_create('repeatable', 'int', 1000);
DO $$ BEGIN FOR i IN 0 .. 59 LOOP
	COMMIT; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
	PERFORM bloom_set_add_all('repeatable', ARRAY(SELECT generate_series(100 * i + 1, 100 * i + 100)));
END LOOP; END $$;
SELECT layers, keys BETWEEN 5800 AND 6200 AS keys, current_fpp < 0.02 AS rate FROM bloom_set_info('repeatable');
-- the lock that keeps others out belongs to the transaction
CREATE FUNCTION add_alone(i int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
	PERFORM 1 / (2 - i);
	LOCK TABLE grown IN SHARE ROW EXCLUSIVE MODE;
	RETURN bloom_set_add('grown', -i);
END $$;
BEGIN;
DECLARE c CURSOR FOR SELECT add_alone(i) FROM generate_series(1, 2) i;
FETCH c;
SAVEPOINT s;
FETCH c;
ROLLBACK TO s;
SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'grown'::regclass AND mode ~ '^Share|Exclusive' ORDER BY mode;
ROLLBACK;
-- in many calls, of a tenth of the keys that it was made for, and of as many
SELECT bloom_set_create('batches', 'int', 1000), bloom_set_create('large_batches', 'int', 1000);
DO $$ BEGIN FOR i IN 0 .. 99 LOOP
	PERFORM bloom_set_add_all('batches', ARRAY(SELECT generate_series(100 * i + 1, 100 * i + 100))); COMMIT;
END LOOP; END $$;
SELECT layers, keys BETWEEN 9500 AND 10500 AS keys, current_fpp < 0.03 AS rate FROM bloom_set_info('batches');
DO $$ BEGIN FOR i IN 0 .. 9 LOOP
	PERFORM bloom_set_add_all('large_batches', ARRAY(SELECT generate_series(1000 * i + 1, 1000 * i + 1000))); COMMIT;
END LOOP; END $$;
SELECT layers, keys BETWEEN 9500 AND 10500 AS keys, current_fpp < 0.2 AS rate FROM bloom_set_info('large_batches');
-- of a fixed size, it is overfull, until it takes no more
SELECT bloom_set_create('fixed', 'int', 300, growth => 0);
SELECT cardinality(bloom_set_add_all('fixed', array_agg(i))) > 290 FROM generate_series(1, 300) i;
SELECT overfull FROM bloom_set_info('fixed');
SELECT cardinality(bloom_set_add_all('fixed', array_agg(i))) > 80 FROM generate_series(301, 400) i;
SELECT layers, overfull FROM bloom_set_info('fixed');
SELECT bloom_set_add_all('fixed', array_agg(i)) FROM generate_series(401, 5000) i;

-- windows: keys of the last two are known
SELECT bloom_set_create('recent', 'int', 1000, windows => 2);
SELECT bloom_set_add('recent', 1), bloom_set_advance('recent', 500), bloom_set_add('recent', 2);
SELECT bloom_set_add_all('recent', '{1,2,3}'::int[]);
SELECT number, windows, capacity, layers, keys, opened <= now() AS opened FROM bloom_set_info('recent');
SELECT bloom_set_advance('recent');
SELECT bloom_set_missing('recent', '{1,2,3}'::int[]), bloom_set_add('recent', 1);
SELECT number, capacity, keys FROM bloom_set_info('recent');
SELECT DISTINCT layer FROM recent ORDER BY layer;
-- the window that is no longer kept is deleted by the next
SELECT bloom_set_advance('recent', 1000);
SELECT DISTINCT layer FROM recent ORDER BY layer;
SELECT bloom_set_missing('recent', '{1,2,3}'::int[]);
-- the next window is at least as large
SELECT bloom_set_advance('recent'), bloom_set_advance('recent');
SELECT number, capacity FROM bloom_set_info('recent');
-- refresh: what an older window has goes into the newest; it is not new
SELECT bloom_set_add_all('recent', '{7,8}'::int[]);
SELECT bloom_set_advance('recent', 1000);
SELECT bloom_set_add('recent', 7, refresh => true), bloom_set_add('recent', 7, refresh => true),
	bloom_set_add_all('recent', '{9}'::int[], refresh => true);
SELECT number, keys FROM bloom_set_info('recent');
SELECT bloom_set_advance('recent', 1000);
SELECT bloom_set_missing('recent', '{7,8,9}'::int[]);
SELECT bloom_set_add_all('recent', '{7,10,8}'::int[], true);
-- each window has its share of the rate
SELECT (bloom_info(bloom_set_filter('recent'))).target_fpp;
SELECT bloom_set_create('shared', 'int', 1000, 0.07, 7);
SELECT bytes = (bloom_sizing(1000, 0.01)).bytes - 124 FROM bloom_set_info('shared');

-- all sets that the caller may read; of one whose rows are gone, only the name
SELECT bloom_set_create('emptied', 'int', 1000);
TRUNCATE emptied;
CREATE TABLE like_a_set (slice int, layer int, bits bytea);
CREATE TABLE of_texts (slice text, layer text, bits text, PRIMARY KEY (slice, layer));
CREATE TABLE other_key (slice int PRIMARY KEY, layer int, bits bytea);
CREATE TABLE reverse_key (slice int, layer int, bits bytea, PRIMARY KEY (layer, slice));
CREATE TABLE with_gap (slice int, layer int, gap int, bits bytea, PRIMARY KEY (slice, layer));
ALTER TABLE with_gap DROP COLUMN gap;
CREATE TABLE deferred_key (slice int, layer int, bits bytea, PRIMARY KEY (slice, layer) DEFERRABLE);
CREATE TABLE included_bits (slice int, layer int, bits bytea, PRIMARY KEY (slice, layer) INCLUDE (bits));
CREATE TABLE included (slice int, layer int, bits bytea, PRIMARY KEY (slice) INCLUDE (layer));
SELECT set, number, key_family FROM bloom_set_info() ORDER BY set::text, number;
SELECT bloom_set_add('emptied', 1);
SELECT bloom_set_contains('emptied', 1);
SELECT bloom_set_advance('emptied');
SELECT * FROM bloom_set_info('emptied');
SELECT bloom_set_filter('emptied');
SELECT bloom_set_add('like_a_set', 1);
SELECT bloom_set_add('other_key', 1);
SELECT bloom_set_add('reverse_key', 1);
SELECT bloom_set_add('included', 1);
SELECT bloom_set_add('included_bits', 1);
SELECT bloom_set_add('with_gap', 1);
SELECT bloom_set_add('deferred_key', 1);
-- a column that is added, and dropped: there is still room for it in the rows
SELECT bloom_set_create('altered', 'int', 1000);
SELECT bloom_set_add('altered', 1);
ALTER TABLE altered ADD COLUMN remark text;
SELECT bloom_set_add('altered', 2);
SELECT bloom_set_contains('altered', 1);
ALTER TABLE altered DROP COLUMN remark;
SELECT bloom_set_add('altered', 2), bloom_set_add('altered', 1), bloom_set_contains('altered', 2);
SELECT set, keys FROM bloom_set_info() WHERE set = 'altered'::regclass;

-- no table, or key, by a null; other conditions of a scan are evaluated before a key is added
SELECT bloom_set_create('no_type', NULL, 1000);
SELECT bloom_set_create('no_capacity', 'int', NULL);
SELECT bloom_set_add('altered', NULL), bloom_set_add(NULL, 3);
CREATE TABLE arrival (id int, fits text);
INSERT INTO arrival VALUES (11, 'no'), (12, 'yes'), (13, NULL);
SELECT id FROM arrival WHERE bloom_set_add('altered', id) AND repeat(fits, 2) ~ 'yes';
SELECT bloom_set_missing('altered', '{11,12,13}'::int[]);

-- other names, schemas and kinds of tables; a plan that was kept follows them
SELECT bloom_set_create('other."A Set"', 'int', 1000);
SELECT bloom_set_add('other."A Set"', 1);
ALTER TABLE other."A Set" RENAME TO renamed;
SELECT bloom_set_create('other."A Set"', 'int', 1000);
SELECT bloom_set_add('other.renamed', 2), bloom_set_contains('other."A Set"', 2);
ALTER TABLE other.renamed SET SCHEMA sets;
ALTER TABLE renamed SET UNLOGGED;
SELECT bloom_set_add('renamed', 3);
CLUSTER renamed USING "A Set_pkey";
VACUUM FULL renamed;
SELECT bloom_set_add_all('renamed', '{1,2,3,4}'::int[]);
CREATE TEMP TABLE copied (LIKE renamed INCLUDING ALL);
INSERT INTO copied SELECT * FROM renamed;
SELECT bloom_set_add_all('copied', '{1,2,3,4,5}'::int[]), bloom_set_contains('renamed', 5);
ALTER EXTENSION bloomtype SET SCHEMA other;
SELECT other.bloom_set_add('renamed', 6);
ALTER EXTENSION bloomtype SET SCHEMA public;
SELECT bloom_set_add_all('renamed', '{6,7}'::int[]);

-- a name that a temporary table has, too
CREATE TEMP TABLE twice ();
SELECT relnamespace::regnamespace FROM pg_class, bloom_set_create('twice', 'int', 1000) AS set WHERE oid = set;
SELECT bloom_set_create('pg_temp.brief', 'int', 1000);
SELECT bloom_set_add('brief', 1);
-- whatever the plan is, the bits of other rows are left alone
SELECT bloom_set_create('scanned', 'int', 300);
VACUUM scanned;
SET plan_cache_mode = force_custom_plan;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FILTER (WHERE bloom_set_add('scanned', i)) > 95 FROM generate_series(1, 100) i;
RESET plan_cache_mode;
RESET enable_indexscan;
RESET enable_bitmapscan;
SET search_path = public, sets;
SELECT bloom_set_add('scanned', 500);
SET search_path = sets, public;
SELECT bloom_set_add('scanned', 501);

-- damage: an error that names the row, never an absent key
CREATE TEMP TABLE kept AS SELECT * FROM same;
CREATE PROCEDURE damage(statement text) LANGUAGE plpgsql AS $$
DECLARE
	question text;
	detail text;
BEGIN
	EXECUTE statement;
	FOREACH question IN ARRAY ARRAY['bloom_set_missing(''same'', array(SELECT generate_series(1, 5000)))',
		'bloom_set_add_all(''same'', array(SELECT generate_series(1, 6000)))', 'bloom_set_filter(''same'')',
		'bloom_set_info(''same'')', 'bloom_set_advance(''same'')'] LOOP
		BEGIN
			EXECUTE 'SELECT ' || question;
			RAISE INFO '% finds nothing', question;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
			RAISE INFO '%: % %', split_part(question, '(', 1), SQLERRM, detail;
		END;
	END LOOP;
	DELETE FROM same;
	INSERT INTO same SELECT * FROM kept;
END $$;
CALL damage('DELETE FROM same WHERE slice = 2');
CALL damage('UPDATE same SET bits = substr(bits, 2) WHERE slice = 2');
CALL damage('UPDATE same SET slice = 1000 WHERE slice = 2');
CALL damage('UPDATE same SET bits = substr(bits, 2) WHERE slice = -1');
CALL damage('UPDATE same SET bits = set_byte(bits, 1, 9) WHERE slice = -1');
CALL damage('UPDATE same SET bits = set_byte(bits, 140, 0) WHERE slice = -1');
CALL damage('UPDATE same SET slice = -3 WHERE slice = -1');
CALL damage('INSERT INTO same SELECT slice, 2, bits FROM same');
CALL damage('UPDATE same SET bits = set_byte(bits, 144, 1) WHERE slice = -1');

BEGIN;
DELETE FROM grown WHERE slice = -1 AND layer = 0;
SELECT bloom_set_contains('grown', 1);
ROLLBACK;
BEGIN;
DELETE FROM recent WHERE slice = -1 AND layer = (SELECT min(layer) + 1 FROM recent);
SELECT bloom_set_contains('recent', 1);
ROLLBACK;
SELECT bloom_set_missing('same', array_agg(i)) FROM generate_series(1, 5000) i;

-- a rule or trigger that keeps the row as it was
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER keep BEFORE UPDATE ON seen FOR EACH ROW EXECUTE FUNCTION keep();
SELECT bloom_set_add('seen', 'not added');
CREATE OR REPLACE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN old; END';
SELECT bloom_set_add('seen', 'not added');
DROP TRIGGER keep ON seen;
CREATE RULE keep AS ON UPDATE TO seen DO INSTEAD NOTHING;
SELECT bloom_set_add('seen', 'not added');
DROP RULE keep ON seen;
CREATE FUNCTION keep_seals() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN CASE WHEN new.slice <> -2 THEN new END; END';
SELECT bloom_set_create('held', 'int', 300, windows => 2);
CREATE TRIGGER keep BEFORE INSERT OR UPDATE ON held FOR EACH ROW EXECUTE FUNCTION keep_seals();
SELECT bloom_set_advance('held');
ALTER TABLE held DISABLE TRIGGER keep;
SELECT bloom_set_advance('held');
ALTER TABLE held ENABLE TRIGGER keep;
SELECT bloom_set_add('held', 1);
CREATE OR REPLACE FUNCTION keep_seals() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN CASE new.slice WHEN -2 THEN old ELSE new END; END';
SELECT bloom_set_add('held', 1);
DROP TABLE held;
SELECT bloom_set_add('seen', 'not added');

-- following a table, by rows and by statements
CREATE TABLE account (id int, email varchar(100), age int);
SELECT bloom_set_create('emails', 'text', 1000);
CREATE TRIGGER follow AFTER INSERT OR UPDATE OF email ON account
	FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('emails', 'email');
INSERT INTO account VALUES (1, 'a@example.com'), (2, NULL), (3, 'b@example.com');
UPDATE account SET email = 'c@example.com' WHERE id = 2;
SELECT bloom_set_missing('emails', '{a@example.com,b@example.com,c@example.com,d@example.com}'::text[]);
CREATE TABLE visit (k bigint, other text);
SELECT bloom_set_create('visits', 'bigint', 1000);
CREATE TRIGGER follow AFTER INSERT ON visit REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION bloom_set_follow('sets.visits', 'k');
ALTER TABLE visit DROP COLUMN other;
INSERT INTO visit SELECT i FROM generate_series(1, 100) i;
INSERT INTO visit SELECT i FROM generate_series(1, 100) i WHERE false;
SELECT bloom_set_missing('visits', array_agg(i)) FROM generate_series(1, 101) i;
-- the set of a partitioned table is in its schema
CREATE TABLE parted (k bigint) PARTITION BY RANGE (k);
CREATE TABLE other.part PARTITION OF parted FOR VALUES FROM (1000) TO (2000);
CREATE TRIGGER follow AFTER INSERT ON parted FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('visits', 'k');
INSERT INTO parted VALUES (1000);
SELECT bloom_set_contains('visits', 1000);
-- the set is in the schema of the table, whatever the search_path is
SET search_path = pg_catalog;
INSERT INTO sets.account VALUES (4, 'd@example.com');
SET search_path = sets, public;
SELECT bloom_set_contains('emails', 'd@example.com');
CREATE TRIGGER wrong BEFORE INSERT ON visit FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('visits', 'k');
INSERT INTO visit VALUES (1);
DROP TRIGGER wrong ON visit;
CREATE TRIGGER wrong AFTER INSERT ON visit FOR EACH STATEMENT EXECUTE FUNCTION bloom_set_follow('visits', 'k');
INSERT INTO visit VALUES (1);
DROP TRIGGER wrong ON visit;
CREATE TRIGGER wrong AFTER INSERT ON visit FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('visits');
INSERT INTO visit VALUES (1);
DROP TRIGGER wrong ON visit;
CREATE TRIGGER wrong AFTER INSERT ON visit FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('visits', 'q');
INSERT INTO visit VALUES (1);
DROP TRIGGER wrong ON visit;
CREATE TRIGGER wrong AFTER INSERT ON visit FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('emails', 'k');
INSERT INTO visit VALUES (1);
DROP TRIGGER wrong ON visit;
ALTER TABLE visits RENAME TO others;
INSERT INTO visit VALUES (1);
ALTER TABLE others RENAME TO visits;
DROP TABLE account, visit, parted;

-- rights
CREATE ROLE regress_asks;
CREATE ROLE regress_adds;
CREATE ROLE regress_inserts;
GRANT USAGE ON SCHEMA sets TO regress_asks, regress_adds;
GRANT SELECT ON seen, grown, recent TO regress_asks;
GRANT SELECT, UPDATE ON seen, grown, recent TO regress_adds;
SET ROLE regress_asks;
SELECT bloom_set_contains('seen', 'a'), bloom_set_filter('seen') @> 'a'::text;
SELECT bloom_set_contains('emails', 'a');
SELECT bloom_set_add('seen', 'a new one');
SELECT DISTINCT set::text FROM bloom_set_info() ORDER BY set;
SET ROLE regress_adds;
SELECT bloom_set_add('seen', 'a new one');
SELECT bloom_set_advance('recent');
RESET ROLE;
-- rows are changed as UPDATE would: with its privileges, through several pages, with another index
SELECT bloom_set_create('plain', 'int', 300);
GRANT SELECT, UPDATE (bits) ON plain TO regress_adds;
SET ROLE regress_adds;
SELECT bloom_set_add('plain', 0);
RESET ROLE;
GRANT SELECT, UPDATE ON plain TO regress_inserts;
CREATE FUNCTION public.add_plain(k int) RETURNS bool BEGIN ATOMIC SELECT bloom_set_add('plain', k); END;
SET ROLE regress_inserts;
SELECT public.add_plain(1);
RESET ROLE;
DROP FUNCTION public.add_plain;
DO $$ BEGIN FOR i IN 1 .. 100 LOOP PERFORM bloom_set_add('plain', i); END LOOP; END $$;
SELECT pg_relation_size('plain') > 16384 AS grown, bloom_set_missing('plain', array(SELECT generate_series(0, 100)));
CREATE INDEX other ON plain (md5(bits));
SELECT bloom_set_add('plain', 101);
SET enable_seqscan = off;
SELECT count(*) FROM plain AS one WHERE EXISTS (SELECT FROM plain AS other WHERE md5(other.bits) = md5(one.bits) OFFSET 0);
RESET enable_seqscan;
DROP INDEX other;
\set VERBOSITY terse
ALTER TABLE plain ADD CONSTRAINT frozen CHECK (false) NOT VALID;
SELECT bloom_set_add('plain', 102);
ALTER TABLE plain DROP CONSTRAINT frozen;
SET client_min_messages = error;
CREATE PUBLICATION regress_plain FOR TABLE plain WHERE (length(bits) > 0);
SELECT bloom_set_add('plain', 102);
DROP PUBLICATION regress_plain;
RESET client_min_messages;
\set VERBOSITY default
DROP TABLE plain;

-- who adds, seals; the owner advances
SELECT bloom_set_create('nightly', 'int', 500, windows => 4);
GRANT SELECT, UPDATE ON nightly TO regress_adds;
DO $$ BEGIN FOR i IN 1 .. 6 LOOP
	PERFORM bloom_set_advance('nightly'); COMMIT;
	SET ROLE regress_adds;
	FOR j IN 1 .. 400 LOOP PERFORM bloom_set_add('nightly', 1000 * i + j); COMMIT; END LOOP;
	RESET ROLE;
END LOOP; END $$;
SELECT number, keys BETWEEN 380 AND 420 AS keys FROM bloom_set_info('nightly');
-- who may not INSERT goes on adding where the layer is full; the owner's next call opens another
SELECT bloom_set_create('full', 'int', 300);
GRANT SELECT, UPDATE ON "full" TO regress_adds;
SET ROLE regress_adds;
DO $$ BEGIN FOR i IN 1 .. 360 LOOP PERFORM bloom_set_add('full', i); COMMIT; END LOOP; END $$;
SELECT layers, overfull FROM bloom_set_info('full');
SELECT bloom_set_add_all('full', array_agg(i)) FROM generate_series(5000, 6000) i;
RESET ROLE;
DO $$ BEGIN FOR i IN 361 .. 380 LOOP PERFORM bloom_set_add('full', i); COMMIT; END LOOP; END $$;
SELECT layers, overfull FROM bloom_set_info('full');
-- a trigger of the set's owner acts as the owner; that of another does not
-- who has no rights on the schema of the set
CREATE TABLE public.mine (k int);
CREATE TRIGGER follow AFTER INSERT ON mine FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('sets.full', 'k');
GRANT INSERT ON mine TO regress_inserts;
SET ROLE regress_inserts;
INSERT INTO mine VALUES (1000);
RESET ROLE;
SELECT bloom_set_contains('full', 1000), current_user = session_user;
ALTER TABLE mine OWNER TO regress_adds;
SET ROLE regress_inserts;
INSERT INTO mine VALUES (1001);
RESET ROLE;
-- row security
ALTER TABLE seen ENABLE ROW LEVEL SECURITY;
CREATE POLICY hide ON seen USING (slice <> 0);
SET ROLE regress_asks;
SELECT bloom_set_contains('seen', 'a');
RESET ROLE;
SELECT bloom_set_contains('seen', 'a');

-- without indexes, rows come in any order
SELECT bloom_set_create('unsorted', 'int', 300, windows => 2);
SELECT bloom_set_advance('unsorted');
\c -reuse-previous=on "options='-c ignore_system_indexes=on'"
SET search_path = sets, public;
SELECT bloom_set_add('unsorted', 1), bloom_set_add('unsorted', 1), bloom_set_contains('unsorted', 1), bloom_set_contains('unsorted', 2);
\c -reuse-previous=on "options=''"

DROP TABLE mine;
DROP OWNED BY regress_asks, regress_adds, regress_inserts;
DROP ROLE regress_asks, regress_adds, regress_inserts;
SET client_min_messages = warning;
DROP SCHEMA sets, other CASCADE;
