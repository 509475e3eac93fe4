-- The tables of the benchmark, of :rows rows each unless said.

CREATE EXTENSION bloomtype;

CREATE TABLE numbers AS SELECT i::bigint AS id FROM generate_series(1, :rows) i;
CREATE TABLE many AS SELECT 2 * i::bigint AS id FROM generate_series(1, :rows) i;
CREATE TABLE grouped AS SELECT (i % (:rows / 100))::int AS g, i::bigint AS id FROM generate_series(1, :rows) i;
CREATE TABLE texts AS SELECT md5(i::text) AS v FROM generate_series(1, :rows) i;

-- one in a hundred of the numbers; a million of them
CREATE TABLE few AS SELECT id FROM numbers WHERE id % 100 = 0;
CREATE TABLE million AS SELECT id, (id % 100000)::int AS g FROM numbers WHERE id <= 1000000;
CREATE TABLE million_keys AS SELECT bloom_key(id) AS k FROM million;

-- 12 MB, out of line
CREATE TABLE stored AS
SELECT bloom_agg(i, 10000000, 0.01) AS f FROM generate_series(1::bigint, 10000000) i;

-- 16 MB of full filters of one geometry, and 14 MB of small ones
CREATE TABLE full_filters AS
SELECT n, bloom_agg(n * 100000::bigint + i) AS f
FROM generate_series(1, 130) n, generate_series(1, 100000) i GROUP BY n;
CREATE TABLE small_filters AS
SELECT n, bloom_agg(n * 1000::bigint + i) AS f
FROM generate_series(1, 10000) n, generate_series(1, 1000) i GROUP BY n;

-- One call site that is new each time.  A variable of a procedure keeps the
-- whole value, not a pointer to where it is stored.
CREATE PROCEDURE probe_stored(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM bloom_contains(f, i) FROM stored;
	END LOOP;
END $$;

CREATE PROCEDURE probe_whole(n int) LANGUAGE plpgsql AS $$
DECLARE
	whole bloom;
BEGIN
	FOR i IN 1 .. n LOOP
		SELECT f INTO whole FROM stored;
		PERFORM bloom_contains(whole, i);
	END LOOP;
END $$;

CREATE PROCEDURE inspect_stored(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM (bloom_info(f)).keys FROM stored;
	END LOOP;
END $$;

CREATE PROCEDURE inspect_whole(n int) LANGUAGE plpgsql AS $$
DECLARE
	whole bloom;
BEGIN
	FOR i IN 1 .. n LOOP
		SELECT f INTO whole FROM stored;
		PERFORM (bloom_info(whole)).keys;
	END LOOP;
END $$;

VACUUM ANALYZE;
