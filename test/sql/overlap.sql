--
-- bloom_overlap, bloom_overlaps and &&: the keys that two filters have in common
--
-- Left to --ci, for its time.
--
\a\t

-- the filter of the numbers from a to b, of a capacity
CREATE FUNCTION numbers(a int, b int, capacity bigint DEFAULT NULL, fpp float8 DEFAULT 0.01)
RETURNS bloom LANGUAGE sql IMMUTABLE
RETURN (SELECT bloom_agg(i, capacity, fpp) FROM generate_series(a, b) i);
-- the same, added in steps to a filter that grows
CREATE FUNCTION grown(a int, b int, capacity bigint, fpp float8 DEFAULT 0.01, growth int DEFAULT 2)
RETURNS bloom LANGUAGE sql IMMUTABLE
RETURN bloom_add_all(bloom_create(capacity, fpp, growth), ARRAY(SELECT generate_series(a, b)));

--
-- Lists: exact
--

SELECT a, b, o.*, x && y AS "&&"
FROM (VALUES ('{1,2,3}'::int[], '{3,4}'::int[]), ('{1,2,3}', '{4}'), ('{1,2}', '{2,1}'),
		('{}', '{1,2}'), ('{1}', '{}'), ('{}', '{}')) v(a, b),
	LATERAL bloom_add_all(bloom_create(10), a) x, LATERAL bloom_add_all(bloom_create(5, 0.5), b) y,
	bloom_overlap(x, y) o;
SELECT o.*, a && b AS "&&" FROM numbers(1, 128) a, numbers(100, 227) b, bloom_overlap(a, b) o;
SELECT bool_and(keys_both = greatest(101 - i, 0) AND keys_either = 200 - keys_both AND
	keys_a = 100 AND keys_b = 100 AND standard_error = 0 AND
	jaccard = keys_both::float8 / keys_either AND (a && b) = (i <= 100)) AS exact
FROM generate_series(1, 120) i, numbers(1, 100) a, numbers(i, i + 99) b, bloom_overlap(a, b) o;

--
-- A list and layers: its hashes are asked
--

-- over many lists: right in the mean, and as far off as the standard error says
CREATE FUNCTION mixed(first int, common int) RETURNS bloom LANGUAGE sql IMMUTABLE
RETURN (SELECT bloom_agg(CASE WHEN i <= common THEN first + i ELSE -first - i END)
	FROM generate_series(1, 100) i);
CREATE TABLE trial AS
SELECT common, a, f
FROM numbers(1, 20000, 20000, 0.1) f, unnest(ARRAY[30, 60, 90]) common,
	generate_series(0, 19600, 49) t, mixed(t, common) a;
SELECT common, bool_and(keys_a = 100 AND keys_b BETWEEN 19600 AND 20400 AND
		keys_either = keys_a + keys_b - keys_both) AS keys,
	abs(avg(keys_both - common)) < 4 * sqrt(avg(standard_error ^ 2) / count(*)) AS unbiased,
	sqrt(avg((keys_both - common) ^ 2) / avg(standard_error ^ 2)) BETWEEN 0.85 AND 1.15
		AS deviation, bool_and(a && f) AS "&&"
FROM trial, bloom_overlap(a, f) GROUP BY common ORDER BY common;
SELECT bool_and(p.keys_a = o.keys_b AND p.keys_b = o.keys_a AND p.keys_either = o.keys_either AND
	p.keys_both = o.keys_both AND p.jaccard = o.jaccard AND
	p.standard_error = o.standard_error AND f && a) AS commutes
FROM trial, bloom_overlap(a, f) o, bloom_overlap(f, a) p;
DROP TABLE trial;
-- of none and of all, with which chance cannot go further
SELECT common, bool_and(abs(keys_both - common) <= 4 * standard_error) AS near,
	bool_and(keys_both BETWEEN 0 AND 100) AS possible, max(standard_error) < 4 AS error
FROM numbers(1, 20000, 20000, 0.1) f, unnest(ARRAY[0, 100]) common,
	generate_series(0, 19600, 490) t, bloom_overlap(mixed(t, common), f) o
GROUP BY common ORDER BY common;
-- of layers that have grown, in the row and out of line, compressed
CREATE TABLE forms (plain bloom, stored bloom, compressed bloom);
ALTER TABLE forms ALTER plain SET STORAGE plain, ALTER compressed SET STORAGE main;
INSERT INTO forms SELECT f, f, f FROM grown(1, 1000, 150, 0.1) f;
INSERT INTO forms SELECT NULL, f, f FROM grown(1, 30000, 5000, 0.1) f;
SELECT keys_b > 10000 AS large, bool_and(abs(keys_both - 60) <= 4 * standard_error) AS near,
	bool_and(standard_error BETWEEN 1 AND 4) AS error,
	bool_and(o = bloom_overlap(a, compressed)) AS compressed,
	bool_and(o = bloom_overlap(a, plain)) AS plain
FROM forms, generate_series(0, 900, 90) t, LATERAL mixed(t, 60) a, bloom_overlap(a, stored) o
GROUP BY 1 ORDER BY 1;
-- && is false if none of the hashes is found, also in a stored filter
SELECT bool_and((a && stored) = bloom_contains_any(stored, keys)) AS as_asked,
	count(*) FILTER (WHERE a && stored) BETWEEN 1 AND 399 AS some,
	bool_and((a && stored) = (stored && a)) AS commutes,
	bool_and((a && stored) = (a && compressed)) AS compressed
FROM forms, generate_series(1, 200) t,
	LATERAL (SELECT array_agg(-5 * t - i) FROM generate_series(1, 5) i) k(keys),
	LATERAL bloom_add_all(bloom_create(5), keys) a;
DROP TABLE forms;

--
-- Layers of one geometry: from their bits
--

-- sets of n keys are two parts of n / 2, united; so neighbours have a part in common
CREATE TABLE part (n int, i int, f bloom, PRIMARY KEY (n, i));
INSERT INTO part
SELECT n, i, numbers(i * n / 2 + 1, (i + 1) * n / 2, n)
FROM (VALUES (1000, 800), (10000, 200), (100000, 50), (1000000, 13)) v(n, parts),
	generate_series(0, parts) i;
CREATE TABLE trial AS
SELECT n, share, (n * share)::int AS common, p.f | q.f AS a, r.f | s.f AS b
FROM part p JOIN part q USING (n) JOIN part r USING (n) JOIN part s USING (n),
	unnest(ARRAY[0, 0.5, 1]) share
WHERE q.i = p.i + 1 AND r.i = p.i + 2 - 2 * share AND s.i = r.i + 1;
-- right in the mean, and as far off as the standard error says; nearer if nothing is in
-- common, since an estimate below 0 is 0
CREATE TABLE result AS SELECT * FROM trial, bloom_overlap(a, b);
SELECT n, share, bool_and((bloom_info(a)).layers = 1) AS one_layer,
	abs(avg(keys_both - common)) < (4 / sqrt(count(*)) + CASE share WHEN 0 THEN 0.4 ELSE 0 END) *
		sqrt(avg(standard_error ^ 2)) AS unbiased,
	sqrt(avg((keys_both - common) ^ 2) / avg(standard_error ^ 2)) BETWEEN
		CASE share WHEN 0 THEN 0.5 ELSE 0.95 END - 2 / sqrt(count(*)) AND
		1.05 + 2 / sqrt(count(*)) AS deviation,
	max(abs(keys_both - common) / standard_error) < 5 AS within_five,
	bool_and(keys_both BETWEEN 0 AND least(keys_a, keys_b)) AS possible
FROM result GROUP BY n, share ORDER BY n, share;
-- of two sets of a million keys, at ten bits a key
SELECT share, min(standard_error) > 240 AND max(standard_error) < 450 AS error
FROM result WHERE n = 1000000 GROUP BY share ORDER BY share;
-- the numbers of keys are those of bloom_cardinality, and add up
SELECT bool_and(keys_a = bloom_cardinality(a) AND keys_b = bloom_cardinality(b)) AS keys,
	bool_and(keys_a + keys_b = keys_either + keys_both) AS adds_up,
	bool_and(jaccard = keys_both::float8 / keys_either) AS jaccard,
	bool_and(abs(jaccard - share / (2 - share)) < 0.1) AS near,
	bool_and(share < 1 OR jaccard = 1) AS of_itself,
	bool_and(a && b) AS "&&",
	bool_and(share = 0 OR abs(keys_either - bloom_cardinality(bloom_union_agg)) <= 1) AS united
FROM result, LATERAL (SELECT bloom_union_agg(f) FROM (VALUES (a), (b)) v(f)) u
WHERE n < 1000000 AND (bloom_info(bloom_union_agg)).layers = 1;
-- neither side matters
SELECT bool_and(p.keys_a = r.keys_b AND p.keys_b = r.keys_a AND p.keys_either = r.keys_either AND
	p.keys_both = r.keys_both AND p.jaccard = r.jaccard AND
	abs(p.standard_error / r.standard_error - 1) < 1e-9) AS commutes
FROM result r, bloom_overlap(b, a) p;
DROP TABLE part, trial, result;

--
-- Layers of other geometries
--

-- half as many blocks, other numbers, shrunk, several layers
CREATE TABLE filter (name text, first int, last int, f bloom);
INSERT INTO filter VALUES
	('sized', 1, 20000, numbers(1, 20000)),
	('large', 10001, 30000, numbers(10001, 30000, 40000)),
	('larger', 10001, 30000, numbers(10001, 30000, 60000)),
	('shrunk', 15001, 25000, bloom_shrink(numbers(15001, 25000, 200000))),
	('as large', 1, 40000, numbers(1, 40000, 40000)),
	('two', 1, 60000, numbers(1, 20000, 20000) | numbers(20001, 60000, 40000)),
	('grown', 1, 60000, grown(1, 60000, 20000));
SELECT name, layers, probes FROM filter, bloom_info(f) ORDER BY name;
SELECT a.name, b.name, keys_both IS NOT NULL AS told,
	abs(keys_both - common) < 4 * standard_error AS near, standard_error < 0.02 * common AS error,
	num_nulls(keys_either, keys_both, jaccard, standard_error) IN (0, 4) AS consistent
FROM filter a JOIN filter b ON a.name < b.name, bloom_overlap(a.f, b.f),
	LATERAL (SELECT least(a.last, b.last) - greatest(a.first, b.first) + 1) c(common)
ORDER BY a.name, b.name;
SELECT bool_and(a.f && b.f) AS "&&", bool_and(p.keys_a = o.keys_b AND p.keys_b = o.keys_a AND
		p.keys_either IS NOT DISTINCT FROM o.keys_either AND
		p.keys_both IS NOT DISTINCT FROM o.keys_both AND
		p.jaccard IS NOT DISTINCT FROM o.jaccard AND
		abs(p.standard_error / o.standard_error - 1) < 1e-9 IS NOT FALSE) AS commutes
FROM filter a, filter b, bloom_overlap(a.f, b.f) o, bloom_overlap(b.f, a.f) p;
-- over many trials, of a fold by two and by three; shrunk a fold of itself
SELECT bool_and((bloom_info(a)).bits = x * (bloom_info(b)).bits) AS folded, x AS by,
	abs(avg(keys_both - 1000)) < 4 * sqrt(avg(standard_error ^ 2) / count(*)) AS unbiased,
	sqrt(avg((keys_both - 1000) ^ 2) / avg(standard_error ^ 2)) BETWEEN 0.85 AND 1.15
		AS deviation
FROM (VALUES (2, bloom_capacity(124 + 80 * 64)),
		(3, bloom_capacity(124 + 120 * 64))) v(x, capacity),
	generate_series(1, 200) t, LATERAL numbers(3000 * t, 3000 * t + 1999, capacity) a,
	LATERAL numbers(3000 * t + 1000, 3000 * t + 2999, bloom_capacity(124 + 40 * 64)) b,
	bloom_overlap(a, b)
GROUP BY x ORDER BY x;
-- of different rates, and so different numbers of probes; of as many blocks, and folded
SELECT a_blocks, b_blocks, min((bloom_info(a)).probes) AS a_probes, min((bloom_info(b)).probes) AS b_probes,
	count(*) AS told, abs(avg(keys_both - 600)) < 4 * sqrt(avg(standard_error ^ 2) / count(*)) AS unbiased,
	sqrt(avg((keys_both - 600) ^ 2) / avg(standard_error ^ 2)) BETWEEN 0.85 AND 1.15
		AS deviation
FROM (VALUES (120, 0.01, 120, 0.0001), (40, 0.1, 120, 0.001), (120, 0.01, 40, 0.001)) v(a_blocks, a_fpp, b_blocks, b_fpp),
	generate_series(1, 200) t,
	LATERAL numbers(2000 * t + 1, 2000 * t + 1200, bloom_capacity(124 + a_blocks * 64, a_fpp), a_fpp) a,
	LATERAL numbers(2000 * t + 601, 2000 * t + 1800, bloom_capacity(124 + b_blocks * 64, b_fpp), b_fpp) b,
	bloom_overlap(a, b)
WHERE keys_both IS NOT NULL
GROUP BY a_blocks, b_blocks ORDER BY a_blocks, b_blocks;
SELECT bool_and(abs(keys_both - 1000) < 4 * standard_error) AS near,
	bool_and((bloom_info(a)).bytes > 8 * (bloom_info(b)).bytes) AS shrunk
FROM generate_series(1, 20) t, LATERAL numbers(3000 * t, 3000 * t + 1999, 50000) a,
	LATERAL bloom_shrink(numbers(3000 * t + 1000, 3000 * t + 2999, 50000)) b, bloom_overlap(a, b);

--
-- Nothing can be said: null, but for the numbers of keys
--

SET client_min_messages = error;	-- of overfull filters
SELECT what, keys_a > 100 AS keys_a, keys_b > 100 AS keys_b, keys_either, keys_both, jaccard,
	standard_error
FROM (VALUES ('an intersection', numbers(1, 1000, 1000) & numbers(1, 900, 1000), numbers(1, 1000, 1000)),
		('a list of one', numbers(1, 110) & numbers(1, 1000), numbers(1, 110)),
		('and layers', numbers(1, 110), numbers(1, 1000, 1000) & numbers(1, 900, 1000)),
		('all bits set', numbers(1, 20000, 129), numbers(1, 20000, 129)),
		('and a list', numbers(1, 110), numbers(1, 20000, 129))) v(what, a, b),
	bloom_overlap(a, b);
-- nothing is in common with a filter without keys, whatever the other is
SELECT what, keys_a > 100 AS keys_a, keys_b, keys_either > 100 AS keys_either, keys_both, jaccard,
	standard_error, a && bloom_create(1) AS "&&"
FROM (VALUES ('layers', numbers(1, 1000)), ('a list', numbers(1, 110)),
		('an intersection', numbers(1, 1000, 1000) & numbers(1, 900, 1000)),
		('all bits set', numbers(1, 20000, 129))) v(what, a), bloom_overlap(a, bloom_create(1));
RESET client_min_messages;

--
-- && on layers: false only if no bit is in common
--

-- few keys in much room: disjoint sets mostly share no bit, of one number of blocks
CREATE TABLE sparse AS
SELECT capacity, fpp, t, grown(t * 1000, t * 1000 + 129 + t, capacity, fpp) AS f
FROM (VALUES (200000, 0.01), (200000, 0.0001), (120000, 0.01)) v(capacity, fpp),
	generate_series(1, 6) t;
SELECT a.capacity = b.capacity AS same_capacity, a.fpp = b.fpp AS same_fpp,
	count(*) FILTER (WHERE a.f && b.f) < count(*) AS false_for_some,
	bool_and((a.f && b.f) = (b.f && a.f)) AS commutes,
	bool_and(a.f && b.f = bloom_overlaps(a.f, b.f)) AS same
FROM sparse a JOIN sparse b ON a.t <> b.t GROUP BY 1, 2 ORDER BY 1, 2;
-- true if a key is: of each pair of geometries, one key alone
SELECT bool_and(a.f && b.f) AS "with themselves",
	bool_and(bloom_add(a.f, -7) && bloom_add(b.f, -7)) AS "with one in common"
FROM sparse a JOIN sparse b USING (t);
SELECT bool_and(NOT (a.f && b.f)) AS neither, bool_and(bloom_add(a.f, -7) && bloom_add(b.f, -7))
FROM sparse a JOIN sparse b ON a.t <> b.t
WHERE a.capacity = b.capacity AND a.fpp = b.fpp AND NOT (a.f && b.f);
-- as an intersection that has no bit left
SELECT bool_and((a.f && b.f) = (bloom_cardinality(a.f & b.f) IS DISTINCT FROM 0)) AS as_the_and
FROM sparse a JOIN sparse b ON a.t <> b.t AND a.capacity = b.capacity AND a.fpp = b.fpp;
DROP TABLE sparse, filter;

--
-- Other types, NULLs, errors
--

-- of a counting_bloom the bits of the counters above zero tell; of cuckoo nothing does
SELECT abs(keys_both - 500) < 4 * standard_error AS near, a::bloom && b::bloom AS "&&"
FROM (SELECT counting_bloom_agg(i, 2000, 0.01) FROM generate_series(1, 1000) i) s(a),
	(SELECT counting_bloom_agg(i, 2000, 0.01) FROM generate_series(501, 1500) i) t(b),
	bloom_overlap(a::bloom, b::bloom);

-- NULL is an unknown set
SELECT bloom_overlap(bloom_create(1), NULL) IS NULL AS overlap,
	bloom_overlap(NULL, bloom_create(1)) IS NULL AS overlap, bloom_create(1) && NULL AS "&&",
	NULL && bloom_create(1) AS "&&";
-- a filter without keys has no family to differ in
SELECT o.*, a && bloom_create(5) AS "&&"
FROM bloom_add(bloom_create(1), 'one') a, bloom_overlap(a, bloom_create(5)) o;
-- error: the sides have keys of two families, or arrays of two subtypes
SELECT bloom_overlap(bloom_add(bloom_create(1), 1), bloom_add(bloom_create(1), 'one'));
SELECT bloom_add(bloom_create(1), 1) && bloom_add(bloom_create(1), 'one');
SELECT bloom_overlap(numbers(1, 1000), bloom_add(bloom_create(1), 'one'));
SELECT bloom_add(bloom_create(1), ARRAY[1]) && bloom_add(bloom_create(1), ARRAY['one']);
-- error: the types of the sides
\set VERBOSITY terse
SELECT counting_bloom_create(1) && counting_bloom_create(1);
SELECT cuckoo_create(1) && bloom_create(1);
\set VERBOSITY default

--
-- Estimates: a list half of the time, anything else nearly always
--

CREATE TABLE stored AS SELECT bloom_create(10) AS f FROM generate_series(1, 1000);
ANALYZE stored;
CREATE FUNCTION expected_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT what, expected_rows(format('SELECT FROM stored WHERE f && %L::bloom', f)) AS "&&",
	expected_rows(format('SELECT FROM stored WHERE %L::bloom && f', f)) AS reversed
FROM (VALUES ('layers', numbers(1, 129)), ('list', numbers(1, 128)), ('empty', bloom_create(1)),
	('null', NULL)) v(what, f);
SELECT expected_rows('SELECT FROM stored a JOIN stored b ON a.f && b.f') AS join_of_two,
	expected_rows('SELECT FROM stored WHERE f && f') AS variables;
-- the estimator of another operator
CREATE FUNCTION same(bloom, int) RETURNS boolean LANGUAGE plpgsql AS
'BEGIN RETURN $1 @> $2; END';
CREATE OPERATOR !&& (LEFTARG = bloom, RIGHTARG = int, FUNCTION = same,
	RESTRICT = bloom_overlaps_sel, JOIN = bloom_overlaps_joinsel);
SELECT expected_rows('SELECT FROM stored WHERE f !&& 1') AS not_ours;
DROP OPERATOR !&& (bloom, int);
DROP FUNCTION same, expected_rows, mixed, numbers, grown;
DROP TABLE stored;
