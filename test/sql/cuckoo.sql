--
-- cuckoo: fingerprints of keys, which can be deleted
-- Left to --ci, for its time.
--
\a\t

-- from a column, in three forms: every key is found, at the rate asked for
CREATE TABLE made (n int, p float8, form text, f cuckoo);
INSERT INTO made
SELECT n, p, form,
	CASE form WHEN 'fpp' THEN cuckoo_agg(i, p) WHEN 'capacity' THEN cuckoo_agg(i, n, p)
		ELSE cuckoo_agg(i, NULL, p) END
FROM unnest(ARRAY[1, 8, 9, 100, 1000, 100000]) n, unnest(ARRAY[0.1, 0.01, 0.001]) p,
	unnest(ARRAY['fpp', 'capacity', 'null']) form, generate_series(1, n) i
GROUP BY n, p, form;
SELECT n, p, count(*) AS forms, count(DISTINCT f::text) AS different,
	bool_and(f::text::cuckoo = f) AS valid,
	bool_and((SELECT bool_and(f @> i) FROM generate_series(1, n) i)) AS all_found,
	min(cuckoo_cardinality(f)) AS keys,
	bool_and((cuckoo_info(f)).load <= 0.95 OR n <= 8) AS room,
	min((cuckoo_info(f)).fingerprint_bits) AS bits
FROM made GROUP BY n, p ORDER BY n, p;
SELECT n, p, rate <= 1.1 * p AS rate,
	cuckoo_current_fpp(f) BETWEEN rate / 1.2 AND rate * 1.2 AS knows_rate
FROM (SELECT * FROM made WHERE n >= 1000 AND form = 'fpp' OFFSET 0) s,
	LATERAL (SELECT avg((f @> -i)::int) FROM generate_series(1, 300000) i) m(rate)
ORDER BY n, p;

-- each distinct key once, whatever the order; with a capacity, too
SELECT cuckoo_agg(i) = (SELECT cuckoo_agg(i) FROM generate_series(1, 5000) i) AS self_sized,
	cuckoo_agg(i, 7000, 0.01) =
		(SELECT cuckoo_agg(i, 7000, 0.01) FROM generate_series(1, 5000) i) AS with_capacity
FROM (SELECT i FROM generate_series(1, 5000) i, generate_series(1, 1 + i % 3)
	ORDER BY md5(i::text)) s;

-- as many keys as the capacity fit; more do, up to 95 % of the places and beyond
WITH filled AS MATERIALIZED (
	SELECT n, cuckoo_agg(i, n, 0.01) AS f
	FROM unnest(ARRAY[50000, 200000]) n, generate_series(1, n) i GROUP BY n),
overfilled AS MATERIALIZED (
	SELECT n, f, cuckoo_add_all(f, ARRAY(SELECT generate_series(n + 1, n + n / 33))) AS g
	FROM filled)
SELECT n, (cuckoo_info(f)).load BETWEEN 0.9 AND 0.95 AS planned,
	(cuckoo_info(g)).load > 0.95 AS more_fit, (cuckoo_info(g)).saturated,
	(SELECT bool_and(g @> i) FROM generate_series(1, n + n / 33) i) AS all_found
FROM overfilled ORDER BY n;

-- also with fingerprints of a few bits
SELECT n, p, (cuckoo_info(f)).load > 0.93 AS as_planned,
	(SELECT bool_and(f @> i) FROM generate_series(1, n) i) AS all_found
FROM (VALUES (100000, 0.9), (100000, 0.5), (179507, 0.25)) v(n, p),
	LATERAL (SELECT cuckoo_agg(i, n, p) FROM generate_series(1, n) i OFFSET 0) s(f)
ORDER BY n, p;

-- full: nobody who is in it gets lost by an attempt in vain (the last one displaced was dropped:
-- seiflotfy/cuckoofilter 50)
CREATE TABLE full_up (f cuckoo NOT NULL, keys int);
INSERT INTO full_up VALUES (cuckoo_create(1000, 0.001), 0);
SET jit = off;					-- for thousands of plans
DO $$
DECLARE
	filter cuckoo := cuckoo_create(1000, 0.001);
	n int := 0;
	before bytea;
	refused int := 0;
BEGIN
	FOR i IN 1 .. 3000 LOOP
		before := filter::bytea;
		BEGIN
			filter := cuckoo_add(filter, i);
			n := n + 1;
		EXCEPTION WHEN program_limit_exceeded THEN
			refused := refused + 1;
			IF filter::bytea <> before THEN
				RAISE EXCEPTION 'changed by a key that did not fit';
			END IF;
		END;
	END LOOP;
	RAISE NOTICE 'more than 97 %% full: %, some refused: %',
		(cuckoo_info(filter)).load > 0.97, refused > 1000;
	UPDATE full_up SET f = filter, keys = n;
END
$$;
RESET jit;
SELECT cuckoo_cardinality(f) = keys AS all_there, f::text::cuckoo = f AS valid,
	(SELECT count(*) FROM generate_series(1, 3000) i WHERE f @> i) BETWEEN keys AND keys + 10
		AS all_found,
	(cuckoo_info(f)).saturated
FROM full_up;
-- error: it is full
UPDATE full_up SET f = cuckoo_add_all(f, ARRAY(SELECT generate_series(1000001, 1000500)));
-- what was in it still is
SELECT cuckoo_cardinality(f) = keys AS unchanged FROM full_up;
-- error: the capacity is too small for so many keys
SELECT cuckoo_agg(i, 100, 0.01) FROM generate_series(1, 500) i;

-- copies: up to eight of a key fit, also among others; the ninth does not
SELECT n, cuckoo_count(f, 'a'), cuckoo_cardinality(f)
FROM unnest(ARRAY[1, 2, 8]) n,
	LATERAL (SELECT cuckoo_add_all(cuckoo_create(1), array_fill('a'::text, ARRAY[n]))) s(f);
-- error: there is no place for a ninth copy
SELECT cuckoo_add_all(cuckoo_create(1), array_fill('a'::text, ARRAY[9]));
SELECT cuckoo_count(cuckoo_add_all(f, array_fill(7, ARRAY[7])), 7),
	cuckoo_count(cuckoo_remove_all(cuckoo_add_all(f, array_fill(7, ARRAY[7])),
		array_fill(7, ARRAY[7])), 7)
FROM (SELECT cuckoo_agg(i) FROM generate_series(1, 1000) i) s(f);
-- error: there is no place for a ninth copy among other keys, either
SELECT cuckoo_add_all(f, array_fill(7, ARRAY[8]))
FROM (SELECT cuckoo_agg(i) FROM generate_series(1, 1000) i) s(f);

-- error: keys chosen so that no size helps
SELECT cuckoo_agg(('number:0000000' || i || '00000007')::bloom_key) FROM generate_series(0, 8) i;

-- 100,000 additions and removals against the exact set
CREATE TABLE exact (key int PRIMARY KEY);
CREATE TABLE filter (f cuckoo NOT NULL);
INSERT INTO filter VALUES (cuckoo_create(3000, 0.01));
SELECT setseed(0.43);
\set ECHO none
SET jit = off;					-- for thousands of plans
DO $$
DECLARE
	added int[];
	removed int[];
	missing int;
BEGIN
	FOR checkpoint IN 1 .. 50 LOOP
		WITH new AS (INSERT INTO exact SELECT DISTINCT (random() * 1000000)::int
			FROM generate_series(1, 1000 + checkpoint % 2 * 900)
			ON CONFLICT DO NOTHING RETURNING key)
		SELECT array_agg(key) INTO added FROM new;
		UPDATE filter SET f = cuckoo_add_all(f, added);

		WITH old AS (DELETE FROM exact
			WHERE key IN (SELECT key FROM exact
				ORDER BY random() LIMIT 1900 - checkpoint % 2 * 900)
			RETURNING key)
		SELECT array_agg(key) INTO removed FROM old;
		UPDATE filter SET f = cuckoo_remove_all(f, removed);

		SELECT count(*) INTO missing FROM exact, filter WHERE NOT f @> key;
		IF missing > 0 THEN
			RAISE EXCEPTION 'checkpoint %: % keys missing', checkpoint, missing;
		END IF;
	END LOOP;
END
$$;
RESET jit;
\set ECHO all
SELECT cuckoo_cardinality(f) = (SELECT count(*) FROM exact) AS knows_keys,
	f::text::cuckoo = f AS valid,
	(SELECT avg((f @> -i)::int) FROM generate_series(1, 200000) i) <= 0.011 AS rate FROM filter;
SELECT cuckoo_remove_all(f, (SELECT array_agg(key) FROM exact)) =
	cuckoo_create(3000, 0.01) AS nothing_left
FROM filter;
DROP TABLE exact, filter;

-- the last key leaves the filter that was there before the first
SELECT cuckoo_remove(cuckoo_add(f, 'one'), 'one') = f AS same FROM cuckoo_create(1000, 0.001) f;
-- one that is certainly absent changes nothing
SELECT cuckoo_remove(f, -1) = f AS absent,
	cuckoo_remove(cuckoo_create(10), -1) = cuckoo_create(10) AS from_empty,
	cuckoo_cardinality(cuckoo_remove(f, 5)) AS one_less
FROM (SELECT cuckoo_agg(i, 0.000001) FROM generate_series(1, 1000) i) s(f);
-- the known danger: of keys that were never added some take another with them
SELECT lost BETWEEN 1 AND 60 AS some_lost
FROM (SELECT cuckoo_remove_all(f, ARRAY(SELECT generate_series(-2000, -1))) AS g
	FROM (SELECT cuckoo_agg(i) AS f FROM generate_series(1, 2000) i) s OFFSET 0) t,
	LATERAL (SELECT count(*) AS lost FROM generate_series(1, 2000) i WHERE NOT g @> i) u;

-- asking
SELECT f @> 5 AS operator, 5 <@ f AS commuted, cuckoo_contains(f, 5.0) AS numeric,
	cuckoo_contains(f, -5) AS absent,
	cuckoo_contains_any(f, ARRAY[-1, -2, 3]) AS any,
	cuckoo_contains_all(f, ARRAY[1, 2, -3]) AS all,
	cuckoo_contains_any(f, ARRAY[-1, NULL]) AS any_null,
	cuckoo_contains_all(f, ARRAY[1, NULL]) AS all_null,
	cuckoo_contains_any(f, '{}'::int[]) AS any_of_none,
	cuckoo_contains_all(f, '{}'::int[]) AS all_of_none
FROM (SELECT cuckoo_agg(i, 0.0001) FROM generate_series(1, 50) i) s(f);

-- NULL and empty
SELECT cuckoo_add(f, NULL::int) = f AS add_null,
	cuckoo_add_all(f, NULL::int[]) = f AS add_all_null,
	cuckoo_add_all(f, ARRAY[NULL::int]) = f AS null_element,
	cuckoo_remove(f, NULL::int) = f AS remove_null,
	cuckoo_remove_all(f, NULL::int[]) = f AS remove_all_null,
	cuckoo_remove(NULL, 1) AS "null", cuckoo_contains(NULL, 1) AS "null", f @> NULL::int AS "null",
	cuckoo_count(f, NULL::int) AS "null"
FROM cuckoo_create(10) f;
SELECT (cuckoo_info(cuckoo_agg(i))).* FROM generate_series(1, 0) i;
SELECT cuckoo_agg(NULL::int, 100, 0.1) = cuckoo_create(100, 0.1) AS nulls_only
FROM generate_series(1, 3);

-- error: the capacity must be at least 1
SELECT cuckoo_create(0);
-- error: the rate must be between 0 and 1
SELECT cuckoo_create(10, 1);
-- error: a filter for so many keys would be too large
SELECT cuckoo_create(1000000000);
-- error: fingerprints of 32 bits cannot keep so low a rate
SELECT cuckoo_create(10, 1e-9);
-- error: a key would get lost in a null filter
SELECT cuckoo_add(NULL, 1);
-- error: a key of another family cannot be added, removed or asked for
SELECT cuckoo_add(cuckoo_add(cuckoo_create(10), 1), 'one');
SELECT cuckoo_remove(cuckoo_add(cuckoo_create(10), 1), 'one');
SELECT cuckoo_add(cuckoo_create(10), 1) @> ARRAY[1];
-- error: the parameters must not change within a group
SELECT cuckoo_agg(i, i, 0.01) FROM generate_series(1, 2) i;
-- error: this is not base64
SELECT 'abc'::cuckoo;
-- error: the bytes are those of a filter of another type
SELECT cuckoo_create(10)::text::counting_bloom;
-- error: no operator compares filters of two types
\set VERBOSITY terse
SELECT cuckoo_create(10) = counting_bloom_create(10);
\set VERBOSITY default
-- equal are those of the same bytes
SELECT count(*)
FROM (SELECT DISTINCT cuckoo_add(cuckoo_create(10), i % 3) FROM generate_series(1, 10) i) s;

DROP TABLE made, full_up;
