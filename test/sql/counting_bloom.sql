--
-- counting_bloom: a Bloom filter from which keys can be deleted
-- Left to --ci, for its time.
--
\a\t

-- from a column, in three forms; as bloom it is the filter of the same keys
SELECT n, counting_bloom_agg(i)::bloom = bloom_agg(i) AS self_sized,
	counting_bloom_agg(i, 0.001)::bloom = bloom_agg(i, 0.001) AS with_fpp,
	counting_bloom_agg(i, 20000, 0.01)::bloom = bloom_agg(i, 20000, 0.01) AS with_capacity,
	counting_bloom_agg(i, NULL, 0.02)::bloom = bloom_agg(i, NULL, 0.02) AS null_capacity,
	counting_bloom_agg(i, 20000, 0.01) =
		counting_bloom_add_all(counting_bloom_create(20000), array_agg(i)) AS as_by_adding
FROM unnest(ARRAY[129, 300, 10000]) n, generate_series(1, n) i GROUP BY n ORDER BY n;
-- of more than the megabyte that is converted at a time
SELECT counting_bloom_agg(i, 300000, 0.01)::bloom = bloom_agg(i, 300000, 0.01) AS same
FROM generate_series(1, 1000) i;
-- every occurrence counts, the distinct keys give the size
SELECT counting_bloom_agg(i) <> counting_bloom_agg(DISTINCT i) AS counts,
	(counting_bloom_info(counting_bloom_agg(i))).capacity,
	counting_bloom_agg(i)::bloom = bloom_agg(i) AS same_keys,
	counting_bloom_agg(i, 1000, 0.01) =
		counting_bloom_add_all(counting_bloom_create(1000), array_agg(i)) AS as_by_adding
FROM generate_series(1, 500) i, generate_series(1, 1 + i % 20);

-- past the limit of a list, up to 128 keys, bloom_agg knows more than a layer
SELECT counting_bloom_agg(i)::bloom = bloom_agg(i) AS same,
	(bloom_info(counting_bloom_agg(i)::bloom)).layers,
	(SELECT bool_and(counting_bloom_agg(i) @> j) FROM generate_series(1, 100) j) AS all_found
FROM generate_series(1, 100) i;

-- what is removed is as if it had never been added
SELECT n, removed, counting_bloom_remove_all(f, ARRAY(SELECT generate_series(1, removed))) =
		(SELECT counting_bloom_agg(i, 5000, 0.01)
			FROM generate_series(removed + 1, n) i) AS as_if_never_added,
	counting_bloom_remove_all(f, ARRAY(SELECT generate_series(1, removed)))::bloom =
		(SELECT bloom_agg(i, 5000, 0.01) FROM generate_series(removed + 1, n) i) AS as_bloom
FROM (SELECT n, counting_bloom_agg(i, 5000, 0.01)
	FROM unnest(ARRAY[1000, 5000]) n, generate_series(1, n) i GROUP BY n) s(n, f),
	unnest(ARRAY[1, 500, 800]) removed ORDER BY n, removed;
-- the last key leaves the filter that was there before the first
SELECT counting_bloom_remove(counting_bloom_add(f, 'one'), 'one') = f AS same,
	counting_bloom_remove_all(counting_bloom_add_all(f, ARRAY[1, 2, 1]),
		ARRAY[1, 1, 2]) = f AS any_family_again
FROM counting_bloom_create(1000, 0.001) f;
SELECT counting_bloom_remove(f, -1) = f AS absent_changes_nothing,
	counting_bloom_remove(f, 5) <> f AS present_does
FROM (SELECT counting_bloom_agg(i) FROM generate_series(1, 1000) i) s(f);

-- 100,000 additions and removals, against the exact multiset: at no checkpoint a
-- key is missing, and the rate stays what was asked for
CREATE TABLE exact (key int PRIMARY KEY, times int NOT NULL);
CREATE TABLE filter (f counting_bloom NOT NULL);
INSERT INTO filter VALUES (counting_bloom_create(5000, 0.01));
SELECT setseed(0.42);
\set ECHO none
DO $$
DECLARE
	added int[];
	removed int[];
	missing int;
BEGIN
	FOR checkpoint IN 1 .. 50 LOOP
		-- of 5000 keys, some often; up to as many as there are
		added := ARRAY(SELECT (random() ^ 2 * 5000)::int
			FROM generate_series(1, 1000 + checkpoint % 2 * 200));
		INSERT INTO exact SELECT key, count(*) FROM unnest(added) key GROUP BY key
		ON CONFLICT (key) DO UPDATE SET times = exact.times + excluded.times;
		UPDATE filter SET f = counting_bloom_add_all(f, added);

		removed := ARRAY(SELECT key FROM exact, generate_series(1, times)
			ORDER BY random() LIMIT 1000 - checkpoint % 2 * 200);
		UPDATE exact SET times = times - n
		FROM (SELECT key, count(*) AS n FROM unnest(removed) key GROUP BY key) r
		WHERE exact.key = r.key;
		DELETE FROM exact WHERE times = 0;
		UPDATE filter SET f = counting_bloom_remove_all(f, removed);

		SELECT count(*) INTO missing
		FROM exact, filter WHERE NOT f @> key OR counting_bloom_count(f, key) < times;
		IF missing > 0 THEN
			RAISE EXCEPTION 'checkpoint %: % keys missing', checkpoint, missing;
		END IF;
	END LOOP;
END
$$;
\set ECHO all
SELECT count(*) > 1000 AS many, max(times) > 5 AS some_often FROM exact;
SELECT (SELECT avg((f @> -i)::int) FROM generate_series(1, 200000) i) <= 0.012 AS rate,
	f::text::counting_bloom = f AS valid, NOT (counting_bloom_info(f)).saturated AS not_saturated
FROM filter;
-- once everything is removed nothing is left, unless a counter has got stuck
SELECT counting_bloom_cardinality(counting_bloom_remove_all(f,
	(SELECT array_agg(key) FROM exact, generate_series(1, times)))) < 200 AS little_left
FROM filter;
DROP TABLE exact;

-- how often: an upper bound, until the counters are at their limit
SELECT n, counting_bloom_count(f, 'a'), counting_bloom_count(f, 'b') AS absent
FROM unnest(ARRAY[0, 1, 2, 14, 15, 16, 100]) n,
	LATERAL (SELECT counting_bloom_add_all(counting_bloom_create(1000),
		array_fill('a'::text, ARRAY[n]))) s(f);
SELECT bool_and(counting_bloom_count(f, i) >= 1 + i % 5) AS upper_bound,
	avg((counting_bloom_count(f, i) = 1 + i % 5)::int) > 0.95 AS mostly_exact
FROM (SELECT counting_bloom_agg(i)
	FROM generate_series(1, 1000) i, generate_series(0, i % 5)) s(f),
	generate_series(1, 1000) i;
-- a counter that has reached 15 stays there for ever: its keys are found, though
-- they have been removed as often as they were added; others are not lost
SELECT counting_bloom_count(g, 'a'), g @> 'a' AS found, g @> 'b' AS other_found,
	counting_bloom_cardinality(g)
FROM (SELECT counting_bloom_add(counting_bloom_add_all(counting_bloom_create(1000),
	array_fill('a'::text, ARRAY[20])), 'b')) s(f),
	counting_bloom_remove_all(f, array_fill('a'::text, ARRAY[20])) g;
SELECT counting_bloom_remove_all(f, array_fill('a'::text, ARRAY[14])) @> 'a' AS "14 of 14"
FROM (SELECT counting_bloom_add_all(counting_bloom_create(1000),
	array_fill('a'::text, ARRAY[14]))) s(f);

-- past its capacity the rate rises, and the filter says so
SELECT n, saturated, current_fpp > 0.01 AS rate_risen,
	keys BETWEEN n * 0.95 AND n * 1.05 AS knows_keys, fill > 0.5 AS half_full
FROM unnest(ARRAY[1000, 3000]) n,
	LATERAL (SELECT counting_bloom_add_all(counting_bloom_create(1000), array_agg(i))
		FROM generate_series(1, n) i) s(f),
	counting_bloom_info(f) ORDER BY n;
SELECT (counting_bloom_info(counting_bloom_agg(i, 1000, 0.01))).saturated
FROM generate_series(1, 3000) i;

-- union: counts add up
SELECT counting_bloom_union(a, b) = c AS as_if_built_at_once,
	counting_bloom_union(b, a) = c AS other_side,
	counting_bloom_remove_all(counting_bloom_union(a, b),
		ARRAY(SELECT generate_series(400, 1000))) = a AS and_back,
	counting_bloom_union(a, e) = a AND counting_bloom_union(e, a) = a AS with_empty
FROM (SELECT counting_bloom_agg(i, 1000, 0.01) FILTER (WHERE i <= 500) AS a,
		counting_bloom_agg(i, 1000, 0.01) FILTER (WHERE i >= 400) AS b
	FROM generate_series(1, 1000) i) s,
	(SELECT counting_bloom_agg(i, 1000, 0.01)
		FROM (SELECT generate_series(1, 500)
			UNION ALL SELECT generate_series(400, 1000)) t(i)) u(c),
	counting_bloom_create(7, 0.5) e;
SELECT counting_bloom_count(counting_bloom_union(f, f), 'a')
FROM (SELECT counting_bloom_add_all(counting_bloom_create(1000),
	array_fill('a'::text, ARRAY[8]))) s(f);
-- | is another spelling
SELECT a | b = counting_bloom_union(a, b) AS same, a | b = b | a AS symmetrical,
	a | counting_bloom_create(7, 0.5) = a AS with_empty,
	counting_bloom_count(a | b, 'x') AS in_both, counting_bloom_count(a | b, 'y') AS in_one,
	counting_bloom_count(a | b, 'z') AS often, counting_bloom_count(a | b | b, 'z') AS too_often,
	counting_bloom_count(a, 'x') AS left_as_it_is, counting_bloom_count(b, 'x') AS right_as_it_is
FROM (SELECT counting_bloom_add_all(counting_bloom_create(1000), '{x,x,z,z,z,z,z}'::text[]),
		counting_bloom_add_all(counting_bloom_create(1000), '{x,y,z,z,z,z,z}'::text[])) s(a, b);
SELECT capacity, target_fpp, keys
FROM counting_bloom_info(counting_bloom_create(1000, 0.02) | counting_bloom_create(300, 0.05));
-- NULL is an unknown filter
SELECT counting_bloom_create(1) | NULL AS "null", NULL | counting_bloom_create(1) AS "null";
-- error: the counters are not in the same places
SELECT counting_bloom_union(counting_bloom_add(counting_bloom_create(1000), 1),
	counting_bloom_add(counting_bloom_create(2000), 2));
SELECT counting_bloom_agg(i, 1000, 0.01) | counting_bloom_agg(i, 1000, 0.001)
FROM generate_series(1, 10) i;
-- error: the sides have keys of two families
SELECT counting_bloom_union(counting_bloom_add(counting_bloom_create(1000), 1),
	counting_bloom_add(counting_bloom_create(1000), 'one'));
SELECT counting_bloom_add(counting_bloom_create(1000), ARRAY[1]) |
	counting_bloom_add(counting_bloom_create(1000), ARRAY['one']);

-- counting_bloom_union_agg is | over all rows: counts add up, in any order
CREATE TABLE daily AS
SELECT day, counting_bloom_agg(i, 1000, 0.01) AS f
FROM generate_series(1, 5) day, generate_series(day * 100, day * 100 + 299) i GROUP BY day;
SELECT g = (SELECT counting_bloom_agg(i, 1000, 0.01)
		FROM generate_series(1, 5) day, generate_series(day * 100, day * 100 + 299) i)
		AS as_if_built_at_once,
	g = (SELECT a.f | b.f | c.f | d.f | e.f FROM daily a, daily b, daily c, daily d, daily e
		WHERE a.day = 3 AND b.day = 5 AND c.day = 1 AND d.day = 4 AND e.day = 2) AS as_by_operator,
	g = h AS any_order, counting_bloom_count(g, 150) AS one_day,
	counting_bloom_count(g, 250) AS two, counting_bloom_count(g, 350) AS three,
	counting_bloom_count(g, 99) AS none
FROM (SELECT counting_bloom_union_agg(f ORDER BY day),
		counting_bloom_union_agg(f ORDER BY day DESC)
	FROM daily) s(g, h);
-- what a day brought is taken out again
SELECT counting_bloom_remove_all(counting_bloom_union_agg(f),
		ARRAY(SELECT generate_series(300, 599))) =
	counting_bloom_union_agg(f) FILTER (WHERE day <> 3) AS as_if_never_added
FROM daily;
-- one is itself, NULLs are ignored
SELECT bool_and(g = f) AS one_is_itself
FROM (SELECT f, counting_bloom_union_agg(f) FROM daily GROUP BY f, day) s(f, g);
SELECT counting_bloom_union_agg(f) = (SELECT a.f | b.f FROM daily a, daily b
	WHERE a.day = 1 AND b.day = 2) AS same
FROM (SELECT NULL AS day, NULL::counting_bloom AS f UNION ALL SELECT * FROM daily WHERE day = 1
	UNION ALL SELECT NULL, NULL UNION ALL SELECT * FROM daily WHERE day = 2) s;
-- no rows, or NULLs only, make the empty filter
SELECT counting_bloom_union_agg(f) = counting_bloom_create(1) AS no_rows,
	counting_bloom_union_agg(f) = (SELECT counting_bloom_agg(i) FROM generate_series(1, 0) i)
		AS as_counting_bloom_agg
FROM daily WHERE false;
SELECT counting_bloom_union_agg(NULL) = counting_bloom_create(1) AS nulls_only FROM daily;
-- of filters without keys the parameters stay
SELECT counting_bloom_union_agg(f) = counting_bloom_create(500, 0.05) AS parameters
FROM (VALUES (counting_bloom_create(500, 0.001)), (counting_bloom_create(50, 0.05))) v(f);
-- as a window: the last two days
SELECT count(*),
	bool_and(f = (SELECT counting_bloom_union_agg(d.f)
		FROM daily d WHERE d.day BETWEEN s.day - 1 AND s.day)) AS same
FROM (SELECT day, counting_bloom_union_agg(f) OVER (ORDER BY day ROWS 1 PRECEDING) AS f
	FROM daily) s;
-- in parallel it makes the same bytes
CREATE TABLE hourly WITH (parallel_workers = 2) AS
SELECT hour, counting_bloom_agg(i, 100, 0.3) AS f
FROM generate_series(1, 200) hour, generate_series(hour, hour + 20) i GROUP BY hour;
ANALYZE hourly;
SET max_parallel_workers_per_gather = 0;
SELECT md5(counting_bloom_union_agg(f)::bytea) AS serial FROM hourly \gset
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
CREATE FUNCTION is_parallel(query text) RETURNS boolean LANGUAGE plpgsql AS
$$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan::text ~ '"Finalize".*"Gather".*"Partial".*"Seq Scan"';
END
$$;
SELECT is_parallel('SELECT counting_bloom_union_agg(f) FROM hourly');
SELECT md5(counting_bloom_union_agg(f)::bytea) = :'serial' AS same FROM hourly;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET parallel_leader_participation;
DROP FUNCTION is_parallel;
-- error: the counters are not in the same places
SELECT counting_bloom_union_agg(f)
FROM (SELECT f FROM daily UNION ALL SELECT f FROM hourly WHERE hour = 1) s;
-- error: the filters have keys of two families
SELECT counting_bloom_union_agg(f)
FROM (SELECT f FROM daily
	UNION ALL SELECT counting_bloom_add(counting_bloom_create(1000), 'one')) s;
DROP TABLE daily, hourly;

-- asking
SELECT f @> 5 AS operator, 5 <@ f AS commuted, counting_bloom_contains(f, 5.0) AS numeric,
	counting_bloom_contains(f, -5) AS absent,
	counting_bloom_contains_any(f, ARRAY[-1, -2, 3]) AS any,
	counting_bloom_contains_all(f, ARRAY[1, 2, -3]) AS all,
	counting_bloom_contains_any(f, ARRAY[-1, NULL]) AS any_null,
	counting_bloom_contains_all(f, ARRAY[1, NULL]) AS all_null,
	counting_bloom_contains_any(f, '{}'::int[]) AS any_of_none,
	counting_bloom_contains_all(f, '{}'::int[]) AS all_of_none
FROM (SELECT counting_bloom_agg(i) FROM generate_series(1, 50) i) s(f);

-- NULL and empty
SELECT counting_bloom_add(f, NULL::int) = f AS add_null,
	counting_bloom_add_all(f, NULL::int[]) = f AS add_all_null,
	counting_bloom_add_all(f, ARRAY[NULL::int]) = f AS null_element,
	counting_bloom_remove(f, NULL::int) = f AS remove_null,
	counting_bloom_remove_all(f, NULL::int[]) = f AS remove_all_null,
	counting_bloom_remove(NULL, 1) AS "null", counting_bloom_contains(NULL, 1) AS "null",
	f @> NULL::int AS "null", counting_bloom_count(f, NULL::int) AS "null"
FROM counting_bloom_create(10) f;
SELECT (counting_bloom_info(counting_bloom_agg(i))).* FROM generate_series(1, 0) i;
SELECT counting_bloom_agg(NULL::int, 100, 0.1) = counting_bloom_create(100, 0.1) AS nulls_only
FROM generate_series(1, 3);
SELECT counting_bloom_create(100)::bloom = bloom_create(100) AS empty_as_bloom,
	counting_bloom_remove(counting_bloom_create(100), 1) =
		counting_bloom_create(100) AS nothing_to_remove;

-- error: the capacity must be at least 1
SELECT counting_bloom_create(0);
-- error: the rate must be between 0 and 1
SELECT counting_bloom_create(10, 1);
-- error: a filter for so many keys would be too large
SELECT counting_bloom_create(200000000);
-- error: a key would get lost in a null filter
SELECT counting_bloom_add(NULL, 1);
-- error: a key of another family cannot be added, removed or asked for
SELECT counting_bloom_add(counting_bloom_add(counting_bloom_create(10), 1), 'one');
SELECT counting_bloom_remove(counting_bloom_add(counting_bloom_create(10), 1), 'one');
SELECT counting_bloom_remove(counting_bloom_add(counting_bloom_create(10), 1), ARRAY[1]);
SELECT counting_bloom_add(counting_bloom_create(10), 1) @> 'one';
-- error: the parameters must not change within a group
SELECT counting_bloom_agg(i, i, 0.01) FROM generate_series(1, 2) i;
-- error: this is not base64
SELECT 'abc'::counting_bloom;
-- error: the bytes are those of a filter of another type
SELECT counting_bloom_create(10)::text::bloom;
SELECT bloom_create(10)::bytea::counting_bloom;

-- error: no operator compares filters of two types
\set VERBOSITY terse
SELECT counting_bloom_create(10) = bloom_create(10);
\set VERBOSITY default
-- equal are those of the same bytes
SELECT count(*)
FROM (SELECT DISTINCT counting_bloom_add(counting_bloom_create(10), i % 3)
	FROM generate_series(1, 10) i) s;

DROP TABLE filter;
