--
-- bloom_union, | and bloom_union_agg: one filter for the keys of all
-- Left to --ci, for its time.
--
\a\t

-- lists unite exactly, and past 128 keys become blocks
SELECT a | b = bloom_agg(i, 300, 0.01) AS lists,
	(SELECT (bloom_info(bloom_agg(i, 300, 0.01) | a)).layers
		FROM generate_series(100, 150) i) AS layers
FROM (SELECT bloom_agg(i, 300, 0.01) FROM generate_series(1, 60) i) s(a),
	(SELECT bloom_agg(i, 300, 0.01) FROM generate_series(50, 110) i) t(b),
	generate_series(1, 110) i GROUP BY a, b;
-- which 128 keys do not, whether the lists have keys in common or none
SELECT low, high, f = (SELECT bloom_agg(i, 300, 0.01) FROM generate_series(1, high) i)
		AS as_aggregated,
	(bloom_info(f)).layers
FROM (VALUES (65, 127), (65, 128), (20, 128), (1, 128), (65, 129)) v (low, high),
	LATERAL (SELECT (SELECT bloom_agg(i, 300, 0.01) FROM generate_series(1, 64) i) |
		(SELECT bloom_agg(i, 300, 0.01) FROM generate_series(low, high) i)) s (f);

-- of every kind with every kind (other parameters wrote past the end: tdigest b452ac8; a union
-- wrote into its argument: PipelineDB 1895): no key is lost, no side matters, the sides
-- stay as they are, and the rate is what the filter says (within a fifth)
CREATE TABLE sides (name text, low int, high int, f bloom);
INSERT INTO sides SELECT 'empty', 1, 0, bloom_create(500);
INSERT INTO sides SELECT 'no rows', 1, 0, bloom_agg(i) FROM generate_series(1, 0) i;
INSERT INTO sides SELECT 'list', 1, 100, bloom_agg(i) FROM generate_series(1, 100) i;
INSERT INTO sides SELECT 'other list', 50, 170, bloom_agg(i, 2000, 0.01)
FROM generate_series(50, 170) i;
INSERT INTO sides
SELECT 'fixed list', 1000, 1120, bloom_add_all(bloom_create(100, 0.02, 0), array_agg(i))
FROM generate_series(1000, 1120) i;
INSERT INTO sides SELECT 'small', 1, 500, bloom_agg(i) FROM generate_series(1, 500) i;
INSERT INTO sides SELECT 'large', 10001, 30000, bloom_agg(i) FROM generate_series(10001, 30000) i;
INSERT INTO sides SELECT '0.73 of it', 30001, 44600, bloom_agg(i)
FROM generate_series(30001, 44600) i;
INSERT INTO sides SELECT 'half full', 40001, 50000, bloom_agg(i, 20000, 0.01)
FROM generate_series(40001, 50000) i;
INSERT INTO sides SELECT 'other half', 50001, 60000, bloom_agg(i, 20000, 0.01)
FROM generate_series(50001, 60000) i;
INSERT INTO sides SELECT 'low rate', 1, 3000, bloom_agg(i, 0.0001) FROM generate_series(1, 3000) i;
INSERT INTO sides SELECT 'layers', 5001, 9000, bloom_add_all(bloom_create(300, 0.05), array_agg(i))
FROM generate_series(5001, 9000) i;
INSERT INTO sides
SELECT 'fixed', 60001, 61000, bloom_add_all(bloom_create(1000, 0.01, 0), array_agg(i))
FROM generate_series(60001, 61000) i;
INSERT INTO sides
SELECT 'fixed, too full', 61001, 63000, bloom_add_all(bloom_create(1000, 0.01, 0), array_agg(i))
FROM generate_series(61001, 63000) i;
CREATE TABLE united AS
SELECT a.name AS a, b.name AS b, a.low AS alow, a.high AS ahigh, b.low AS blow, b.high AS bhigh,
	a.f | b.f AS f, a.f | b.f = b.f | a.f AS symmetrical, md5(a.f::bytea) = a.md5 AS untouched
FROM (SELECT *, md5(f::bytea) FROM sides) a, sides b;
SELECT count(*), bool_and(symmetrical) AS symmetrical, bool_and(untouched) AS untouched,
	bool_and(f::text::bloom = f) AS valid,
	bool_and((SELECT bool_and(f @> i) FROM generate_series(alow, ahigh) i) IS NOT FALSE
		AND (SELECT bool_and(f @> i) FROM generate_series(blow, bhigh) i) IS NOT FALSE)
		AS all_found
FROM united;
SELECT a, b, rate, bloom_current_fpp(f) FROM (
	SELECT a, b, f, (SELECT avg((f @> i)::int) FROM generate_series(-40000, -1) i) AS rate
	FROM united WHERE a <= b) s
WHERE NOT (bloom_current_fpp(f) BETWEEN rate / 1.2 - 0.0005 AND rate * 1.2 + 0.0005);

-- the parameters: the larger capacity and rate, the smaller growth that is
-- not 0; a side without keys does not count, but for its capacity
SELECT a.what, b.what, capacity, target_fpp, growth
FROM (VALUES ('1000, 0.01, 3', bloom_add(bloom_create(1000, 0.01, 3), 1)),
		('fixed', bloom_add(bloom_create(500, 0.001, 0), 2)),
		('empty', bloom_create(2000, 0.1, 2))) a(what, f),
	(VALUES ('700, 0.05, 2', bloom_add(bloom_create(700, 0.05, 2), 3)),
		('fixed', bloom_add(bloom_create(100, 0.002, 0), 4)),
		('empty', bloom_create(10, 0.2, 5))) b(what, f),
	bloom_info(a.f | b.f);
-- with the empty filter of no rows every filter is itself (an error in Spark, 57958)
SELECT bool_and(f | (SELECT bloom_agg(i) FROM generate_series(1, 0) i) = f) AS same FROM sides;

-- equal geometry: OR-ed as long as that is not too full, else side by side
SELECT a | b = c AS as_if_built_at_once, (bloom_info(c | d)).layers
FROM (SELECT bloom_agg(i, 20000, 0.01) FROM generate_series(1, 10000) i) s(a),
	(SELECT bloom_agg(i, 20000, 0.01) FROM generate_series(10001, 20000) i) t(b),
	(SELECT bloom_agg(i, 20000, 0.01) FROM generate_series(1, 20000) i) u(c),
	(SELECT bloom_agg(i, 20000, 0.01) FROM generate_series(20001, 40000) i) v(d);
-- of fixed size: OR-ed in any case
SELECT layers, saturated, growth
FROM bloom_info((SELECT f FROM sides WHERE name = 'fixed') |
	(SELECT f FROM sides WHERE name = 'fixed, too full'));
-- ... and the union that takes them past their capacity says so, once
WITH half AS MATERIALIZED (
	SELECT n, bloom_add_all(bloom_create(capacity, 0.01, 0), array_agg(i)) AS f
	FROM unnest(ARRAY[1000, 100000]) capacity, generate_series(1, 6) n,
		LATERAL generate_series(n * 1000000, n * 1000000 + capacity * 0.4) i
	GROUP BY capacity, n)
SELECT count(*), bool_and((bloom_info(f)).saturated) AS saturated
FROM (SELECT octet_length(f::bytea), bloom_union_agg(f ORDER BY n) AS f FROM half GROUP BY 1) s;
-- with itself
SELECT bool_and(f | f = f) AS same FROM sides;

-- a large filter with a small one keeps the rate of both, and knows it
SELECT layers, current_fpp < 0.02 AS rate,
	current_fpp BETWEEN measured / 1.2 AND measured * 1.2 AS knows_rate
FROM (SELECT bloom_agg(i) FROM generate_series(1, 1000000) i) a(a),
	(SELECT bloom_agg(-i) FROM generate_series(1, 10000) i) b(b), bloom_union(a, b) f,
	bloom_info(f),
	LATERAL (SELECT avg((f @> i)::int) FROM generate_series(2000001, 2100000) i) m(measured);

-- two hundred filters, each of another size: 64 layers, no error, no key lost
-- (and a warning each time, see below)
SET client_min_messages = error;
CREATE TABLE rolled_up (f bloom);
INSERT INTO rolled_up VALUES (bloom_create(1));
SET jit = off;					-- for thousands of plans
DO $$
BEGIN
	FOR n IN 1 .. 200 LOOP
		UPDATE rolled_up SET f = f |
			(SELECT bloom_agg(n * 10000 + i) FROM generate_series(1, 130 + n * 12) i);
	END LOOP;
END
$$;
RESET jit;
RESET client_min_messages;
SELECT layers, f::text::bloom = f AS valid,
	(SELECT bool_and(f @> (n * 10000 + i))
		FROM generate_series(1, 200) n, LATERAL generate_series(1, 130 + n * 12) i) AS all_found
FROM rolled_up, bloom_info(f);

-- a list goes into a filter that has no room for a key left, too
DO $$
DECLARE
	f bloom := bloom_create(1, 1e-6, 1);
	n int := 0;
BEGIN
	LOOP
		f := bloom_add_all(f, array(SELECT i FROM generate_series(n + 1, n + 100) i));
		n := n + 100;
	END LOOP;
EXCEPTION WHEN program_limit_exceeded THEN
	TRUNCATE rolled_up;
	INSERT INTO rolled_up VALUES (f);
END
$$;
SELECT layers, h::text::bloom = h AS valid, h = g | f AS symmetrical,
	bloom_current_fpp(h) < 0.01 AS rate,
	(SELECT bool_and(h @> -i) FROM generate_series(1, 128) i) AND
	(SELECT bool_and(h @> i)
		FROM generate_series(1, bloom_cardinality(f)::int - 500) i) AS all_found
FROM rolled_up, (SELECT bloom_agg(-i) FROM generate_series(1, 128) i) s(g), bloom_union(f, g) h,
	bloom_info(h);
-- of an empty filter not more is asked than can be had
SELECT capacity, target_fpp
FROM bloom_info(bloom_create(300000000, 0.01) | bloom_add(bloom_create(100, 1e-9), 1));

-- deltas of one capacity, united one by one: one layer until that is reached,
-- then two; deltas that are lists go on growing as by bloom_add
CREATE TABLE kept (name text PRIMARY KEY, f bloom);
SET jit = off;					-- for thousands of plans
DO $$
BEGIN
	FOR n IN 0 .. 499 LOOP
		INSERT INTO kept AS t
		SELECT 'deltas', bloom_agg(i, 50000, 0.01)
		FROM generate_series(n * 200 + 1, n * 200 + 200) i
		ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;
		INSERT INTO kept AS t
		SELECT 'lists', bloom_agg(i, 20000, 0.01)
		FROM generate_series(n * 100 + 1, n * 100 + 100) i
		ON CONFLICT (name) DO UPDATE SET f = t.f | excluded.f;
		IF n = 199 OR n = 249 THEN
			INSERT INTO kept SELECT name || ' ' || n, f
			FROM kept WHERE name IN ('deltas', 'lists');
		END IF;
	END LOOP;
END
$$;
RESET jit;
SELECT name, layers,
	f = (SELECT bloom_agg(i, 50000, 0.01) FROM generate_series(1, 50000) i) AS as_if_built_at_once,
	(SELECT bool_and(f @> i)
		FROM generate_series(1, CASE name WHEN 'deltas' THEN 100000 ELSE 20000 END) i)
		AS all_found,
	round(current_fpp::numeric, 4) AS current_fpp, current_fpp < 0.02 AS below_twice,
	current_fpp BETWEEN rate / 1.2 AND rate * 1.2 AS knows_rate
FROM kept, bloom_info(f),
	LATERAL (SELECT avg((f @> i)::int) FROM generate_series(-50000, -1) i) m(rate)
ORDER BY name;

-- thirty days rolled up into a month: with one capacity one layer at the rate
-- asked for, as if built at once; sized by themselves, the sum of the rates
CREATE TABLE daily AS
SELECT day, bloom_agg(i, 300000, 0.01) AS f, bloom_agg(i) AS own_size
FROM generate_series(1, 30) day, LATERAL generate_series(day * 9000, day * 9000 + 9999) i
GROUP BY day;
SELECT layers, current_fpp <= 0.01 AS rate,
	f = (SELECT bloom_agg(i, 300000, 0.01) FROM generate_series(9000, 279999) i)
		AS as_if_built_at_once
FROM (SELECT bloom_union_agg(f ORDER BY md5(day::text)) FROM daily) s(f), bloom_info(f);
SELECT layers, (SELECT bool_and(f @> i) FROM generate_series(9000, 279999) i) AS all_found,
	current_fpp / sum BETWEEN 0.8 AND 1 AS sum_of_rates,
	current_fpp BETWEEN rate / 1.2 AND rate * 1.2 AS knows_rate
FROM (SELECT bloom_union_agg(own_size), sum(bloom_current_fpp(own_size)) FROM daily) s(f, sum),
	bloom_info(f),
	LATERAL (SELECT avg((f @> i)::int) FROM generate_series(-50000, -1) i) m(rate);

-- bloom_union_agg is | over all rows: NULLs are ignored, no rows make the empty filter
SELECT bloom_union_agg(f) = (SELECT bloom_agg(i) FROM generate_series(1, 0) i) AS empty
FROM daily WHERE false;
SELECT bloom_union_agg(NULL) = (SELECT bloom_agg(i) FROM generate_series(1, 0) i) AS empty
FROM daily;
SELECT bool_and(g = f) AS one_is_itself
FROM (SELECT f, bloom_union_agg(f) FROM sides GROUP BY f, name) s(f, g);
SELECT bloom_union_agg(f) =
	(SELECT d.f | e.f FROM daily d, daily e WHERE d.day = 1 AND e.day = 2) AS same
FROM (SELECT f FROM daily WHERE day <= 2 UNION ALL SELECT NULL) s;
-- as a window: the last seven days
SELECT count(*),
	bool_and(f = (SELECT bloom_union_agg(d.f)
		FROM daily d WHERE d.day BETWEEN s.day - 6 AND s.day)) AS same
FROM (SELECT day, bloom_union_agg(f) OVER (ORDER BY day ROWS 6 PRECEDING) AS f FROM daily) s;
-- of filters without keys the parameters stay
SELECT capacity, target_fpp, growth
FROM bloom_info((SELECT bloom_union_agg(f)
	FROM (VALUES (bloom_create(1000000, 0.00001, 0)), (bloom_create(5, 0.000001, 0))) v(f)));
-- stacks of layers: those that cost little are merged
SET client_min_messages = error;
SELECT layers, current_fpp < 0.25 AS rate,
	(SELECT bool_and(f @> i) FROM generate_series(1, 1000000, 7) i) AS all_found
FROM (SELECT bloom_union_agg(f)
	FROM (SELECT bloom_add_all(bloom_create(1000), array_agg(i)) AS f
		FROM generate_series(1, 1000000) i GROUP BY i % 10) s) t(f),
	bloom_info(f);
RESET client_min_messages;
-- two hundred of them, each of another size: the rate rises, and a warning says so
SET work_mem = '4MB';					-- the order of groups settles which are merged
SET hash_mem_multiplier = 2;
SELECT layers, f::text::bloom = f AS valid,
	(SELECT bool_and(f @> (n * 10000 + i))
		FROM generate_series(1, 200) n, LATERAL generate_series(1, 130 + n * 12) i) AS all_found,
	current_fpp BETWEEN rate / 1.2 AND rate * 1.2 AS knows_rate
FROM (SELECT bloom_union_agg(f) FROM (
		SELECT bloom_agg(n * 10000 + i) AS f
		FROM generate_series(1, 200) n, LATERAL generate_series(1, 130 + n * 12) i
		GROUP BY n) s) t(f),
	bloom_info(f), LATERAL (SELECT avg((f @> i)::int) FROM generate_series(-20000, -1) i) m(rate);
\set ECHO none
RESET work_mem;
RESET hash_mem_multiplier;

-- a large state is changed in place, layer by layer; the bytes are those of | row by
-- row: of full filters, half full ones and lists, of more than 64 layers, in any order
SET client_min_messages = error;
CREATE FUNCTION one_by_one(filters bloom[]) RETURNS bloom LANGUAGE plpgsql AS $$
DECLARE
	united bloom := filters[1];
BEGIN
	FOR i IN 2 .. cardinality(filters) LOOP
		united := united | filters[i];
	END LOOP;
	RETURN united;
END $$;
CREATE AGGREGATE union_without_end(bloom) (SFUNC = bloom_union, STYPE = bloom);
CREATE AGGREGATE fpp_of_union(bloom)
	(SFUNC = bloom_union, STYPE = bloom, FINALFUNC = bloom_current_fpp);
CREATE TABLE many (n int, part int, f bloom);
INSERT INTO many
SELECT n, n % 3, bloom_agg(n * 5000 + i)
FROM generate_series(1, 200) n, generate_series(1, 100 * (n % 40)) i GROUP BY n;
INSERT INTO many
SELECT n, n % 3, bloom_agg(n * 2000 + i, 20000, 0.01)
FROM generate_series(201, 230) n, generate_series(1, 4000) i GROUP BY n;
CREATE TABLE aggregated AS
SELECT part, bloom_union_agg(f ORDER BY n) AS f,
	bloom_union_agg(f ORDER BY md5(n::text)) AS shuffled,
	bloom_union_agg(f ORDER BY n) AS again, union_without_end(f ORDER BY n) AS without_end,
	fpp_of_union(f ORDER BY n) AS fpp,
	bloom_union_agg(f ORDER BY n) FILTER (WHERE n > 100) AS filtered,
	array_agg(f ORDER BY n) AS filters, array_agg(f ORDER BY md5(n::text)) AS shuffled_filters,
	array_agg(f ORDER BY n) FILTER (WHERE n > 100) AS filtered_filters
FROM many GROUP BY GROUPING SETS ((part), ());
\set ECHO all
SELECT part, (bloom_info(f)).layers, f = one_by_one(filters) AS same,
	shuffled = one_by_one(shuffled_filters) AS shuffled,
	filtered = one_by_one(filtered_filters) AS filtered,
	f = again AND f = without_end AS same_state, fpp = bloom_current_fpp(f) AS fpp
FROM aggregated ORDER BY part;
-- a growing window shows each state, and goes on with it
SELECT count(*), bool_and(f = one_by_one(filters)) AS same,
	bool_and(f = without_end) AS without_end
FROM (SELECT n, bloom_union_agg(f) OVER w AS f, union_without_end(f) OVER w AS without_end,
		array_agg(f) OVER w AS filters
	FROM many WHERE part = 1 WINDOW w AS (ORDER BY n)) s
WHERE n % 7 = 0;
-- hash aggregates, with and without spilling, and states of states
SET enable_sort = off;
SET work_mem = '64kB';
SELECT bool_and(s.f = one_by_one(filters)) AS spilled
FROM (SELECT part, bloom_union_agg(f) AS f FROM (SELECT * FROM many ORDER BY n OFFSET 0) m
	GROUP BY part) s
	JOIN aggregated USING (part);
RESET work_mem;
SELECT bool_and(s.f = one_by_one(filters)) AS hashed
FROM (SELECT part, bloom_union_agg(f) AS f FROM (SELECT * FROM many ORDER BY n OFFSET 0) m
	GROUP BY part) s
	JOIN aggregated USING (part);
RESET enable_sort;
SELECT bloom_union_agg(f ORDER BY part) = one_by_one(array_agg(f ORDER BY part)) AS of_states
FROM aggregated;
-- lists go on filling layers and open new ones
SELECT bloom_union_agg(f ORDER BY n) = one_by_one(array_agg(f ORDER BY n)) AS lists,
	(bloom_info(bloom_union_agg(f ORDER BY n))).layers
FROM (SELECT 0 AS n, bloom_agg(-i, 50000, 0.01) AS f FROM generate_series(1, 49000) i UNION ALL
	SELECT n, bloom_agg(n * 100 + i) FROM generate_series(1, 100) n, generate_series(1, 99) i
	GROUP BY n) s;
DROP TABLE many, aggregated;
DROP AGGREGATE union_without_end(bloom), fpp_of_union(bloom);
DROP FUNCTION one_by_one;
RESET client_min_messages;

-- what is contained already changes nothing, and a stored filter is not written again
CREATE TABLE unchanged AS SELECT bloom_agg(i) AS f FROM generate_series(1, 10000) i;
CREATE FUNCTION stored_value(OUT id oid) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE (SELECT format('SELECT DISTINCT chunk_id FROM %s', reltoastrelid::regclass)
		FROM pg_class WHERE relname = 'unchanged') INTO id;
END $$;
SELECT stored_value() AS before \gset
UPDATE unchanged SET f = f | bloom_create(1);
UPDATE unchanged SET f = f | (SELECT bloom_agg(i) FROM generate_series(1, 0) i);
UPDATE unchanged SET f = f | bloom_add(bloom_create(1), 77);
UPDATE unchanged SET f = f | f;
UPDATE unchanged SET f = bloom_add(bloom_create(1), 77) | f;
SELECT stored_value() = :before AS same;
UPDATE unchanged SET f = f | bloom_add(bloom_create(1), -77);
SELECT stored_value() = :before AS same, f @> -77 AS added FROM unchanged;
DROP TABLE unchanged;
-- ... of counting_bloom: counters at their limit stay there, and no keys add none
CREATE TABLE unchanged AS
SELECT counting_bloom_add_all(counting_bloom_create(5000), array_agg(i % 2000)) AS f
FROM generate_series(1, 40000) i;
SELECT stored_value() AS before \gset
UPDATE unchanged SET f = counting_bloom_union(f, counting_bloom_create(1));
UPDATE unchanged SET f = counting_bloom_union(counting_bloom_create(1), f);
UPDATE unchanged SET f = counting_bloom_union(f, counting_bloom_add(counting_bloom_create(5000), 77));
UPDATE unchanged SET f = counting_bloom_union(counting_bloom_add(counting_bloom_create(5000), 77), f);
UPDATE unchanged SET f = counting_bloom_union(f, f);
SELECT stored_value() = :before AS same;
UPDATE unchanged SET f = counting_bloom_union(f, counting_bloom_add(counting_bloom_create(5000), -77));
SELECT stored_value() = :before AS same, f @> -77 AS added FROM unchanged;
DROP TABLE unchanged;
DROP FUNCTION stored_value;

-- a filter that a union leaves overfull says so no more, as keys are added and layers open
CREATE FUNCTION add_until_layers(f bloom, layers int) RETURNS bloom LANGUAGE plpgsql AS $$
DECLARE
	n int := 0;
BEGIN
	WHILE (bloom_info(f)).layers < layers LOOP
		n := n - 1;
		f := bloom_add(f, n);
	END LOOP;
	RETURN f;
END $$;
SET client_min_messages = error;
CREATE TABLE overfull AS
SELECT bloom_add_all(bloom_create(200, 0.01, 0), array_agg(i)) |
	(SELECT bloom_agg(-1000000 - j, 1000, 0.01) FROM generate_series(1, 1000) j) AS f
FROM generate_series(1, 2000) i;
RESET client_min_messages;
SELECT (bloom_info(f)).layers, (bloom_info(f)).saturated,
	(bloom_info(add_until_layers(f, (bloom_info(f)).layers + 1))).layers AS then
FROM overfull;
DROP TABLE overfull;
DROP FUNCTION add_until_layers;

-- NULL is an unknown set
SELECT bloom_create(1) | NULL AS "null", NULL | bloom_create(1) AS "null";
-- error: the sides have keys of two families, or arrays of two subtypes
SELECT bloom_add(bloom_create(1), 1) | bloom_add(bloom_create(1), 'one');
SELECT bloom_add(bloom_create(1), ARRAY[1]) | bloom_add(bloom_create(1), ARRAY['one']);
-- an empty filter has no family
SELECT (bloom_info(bloom_add(bloom_create(1), 'one') | bloom_create(5))).key_family;

\set ECHO none
DROP TABLE sides, united, rolled_up, kept, daily;

-- 128 keys that fill the layer for 128 keys, and one that this layer seems to have, though their
-- list did not: it opens a further layer, as bloom_add does.
CREATE TEMP TABLE full_list AS
SELECT bloom_add_all(bloom_create(1, 0.5, 1), array_agg(('number:' || hash)::bloom_key)) AS f
FROM regexp_split_to_table('
	393b5fef5b90b278 73cf5b7a4a0698c7 2030ab1c21e08cc8 7b952777831944f8 1882a46e20302ef4
	42c562567d9bd866 0c0667976dbb8ddd 4a1dc50423e1e48b 2ddc7cee4ba265e6 081b6562e1ba6408
	404ba12f38edcd82 0a22f0f189d0054b 6fdc784a90367717 025c8f63ad67d25c 6dc386f413caab03
	4ccd1fbae5d2941f 1eaeef4647ca1327 27f8709327974f1a 19bfb771fa15c5d9 021bb55293ce2b06
	10eb0d01929190dd 4d086e87fac8f7ca 4dde9be48c75b8ce 13f06b51bb9ed1db 2c5a0437436cb48f
	00971b0adbfbafa5 5557c3bab84d90f7 6bfe7b0efe7c11f2 4f7b44ee73f6ecdd 240ea4781c67e9e5
	27a3174569d695d5 1597c5027c3f32d0 3be1350b63325337 0eff30972900e7e2 5f954a6a4f1572f7
	684ecc558154ac2e 0e4fa27fe480f1c2 04c6b2b7f3e77c63 2d9ed07f121e5b9b 59e93b601815ad16
	751e78e8f674d0da 7b385941121a50ce 6eb0e709586a3c9d 712c61d1de80998e 6396deac9f2f9384
	2b07e7f53b6aa7cb 2903922cf9222ec3 1e2578f307503e8f 519808fa70a3e7b8 6d7bd00977eaea73
	19fd3164610d3b64 17d9e5e03f394897 1f5898c59a2fd45c 707efd29b31c3f62 64b31458466f70a6
	06bcbf6ec8d87ae1 596b0529ea1497f6 027f83ff50158ee2 1183d584ebb51bf1 0d8a0e045ac35ac4
	3abfebd97d63aec2 044db27f679b2c55 2f0c83882664b6f9 107e9b0602ed0a40 644c06a7d03479fd
	55117195090f0c67 4578e5801b18314d 4633228f9c98a56b 2451a4c14bd1552a 097c9a6e43fc7e58
	21a0831f9e838498 694d96a2c09e3ac4 4fd1e427aceb4482 6fe1d083791ddf04 06006e0bdc20e9ad
	71720787606211bf 7fc5c2f6fbbbf422 05e49848c1139600 0d75b84bf9916d2c 401feafb9582db99
	76c221937d814180 25eeb5c95fcdd0f8 55d3ccd7c7427d1a 53bb9bad056ed039 1d63e2541cf9945d
	7aa191d88c06ce9d 209b84c01ee63c06 1631370722941816 47f7045660822920 1ce6d56a933315a4
	238c1f979fe4e2d8 61fb429d11d50772 65c11ec6fd7e7137 7ef232390ae99b92 10f0ecafdaffc1f4
	734ef559748c1748 2919d33f3abe07dd 3be1fd583cf15d79 040e9985e0cde290 1313b92ba628d74d
	4c0217fdab290ac4 2c58dbd5689a2741 5ce7a60d3b7b5219 0c0ee701cf672acd 755e06f72dfa7013
	55500b7708c8d2f4 0d7a58b7df108591 61972c23efe9415a 020a1dcde3732c84 7bd900e32654f7a8
	740fd89c2f9d49c5 45a9103081933bd5 01a58ec92910054e 69a328f1e6ac8a3f 34fa98607bc20515
	1352e23156816b3f 5083d75ccea85edd 5566430b8e969002 52fc4dc2f89e851f 7772bb18220fe289
	05748e88d3faf3d7 7258a7e354fdb2e4 106d6a6868b9be31 6b8260c802b1b659 4058ef69cb71a3b1
	34012f8e2c89753b 04cab25ad2468970 2e30de9ddffbc8a8
	', '\s+') AS hash
WHERE hash <> '';
\set ECHO all
SELECT (bloom_info(f)).layers, (bloom_info(f)).keys, f | b = added AS same, b | f = added AS same_reversed,
	(bloom_info(added)).layers AS layers_added
FROM (SELECT f, bloom_add(bloom_create(1, 0.5, 1), k) AS b, bloom_add(f, k) AS added
	FROM full_list, (SELECT 'number:e59358e5ad3f2b4f'::bloom_key AS k) x) y;
DROP TABLE full_list;
