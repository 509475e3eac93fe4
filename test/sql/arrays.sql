--
-- Many keys in one call: bloom_add_all, bloom_contains_any, bloom_contains_all
--
\a\t

-- adding all, in one call (hll 33), is adding one by one, whatever the order
SELECT bloom_add_all(bloom_create(10), ARRAY[1, 2, 3]) =
	bloom_add(bloom_add(bloom_add(bloom_create(10), 3), 1), 2) AS same;

-- nulls and duplicates add nothing; nor do a null array and an empty one
SELECT bloom_cardinality(bloom_add_all(bloom_create(10), ARRAY[1, NULL, 1, 2])) AS keys,
	bloom_add_all(bloom_create(10), NULL::int[]) = bloom_create(10) AS null_array,
	bloom_add_all(bloom_create(10), '{}'::int[]) = bloom_create(10) AS empty_array,
	bloom_add_all(bloom_create(10), ARRAY[NULL, NULL]::int[]) = bloom_create(10) AS all_null;

-- arrays of several dimensions are their elements
SELECT bloom_add_all(bloom_create(10), '{{1,2},{3,4}}'::int[]) =
	bloom_add_all(bloom_create(10), '{1,2,3,4}'::int[]) AS same;

-- three-valued, as = ANY and = ALL are
SELECT a, bloom_contains_any(f, a), 1 = ANY (a) AS "= ANY",
	bloom_contains_all(f, a), 1 = ALL (a) AS "= ALL"
FROM bloom_add(bloom_create(10), 1) f, (VALUES
	('{1}'::int[]), ('{2}'), ('{1,2}'), ('{1,NULL}'), ('{NULL,1}'), ('{2,NULL}'), ('{NULL}'),
	('{}'), (NULL)) AS v(a);
SELECT bloom_contains_any(NULL, ARRAY[1]) IS NULL AS any,
	bloom_contains_all(NULL, ARRAY[1]) IS NULL AS all;

-- against an empty filter
SELECT bloom_contains_any(bloom_create(1), ARRAY[1, 2]) AS any,
	bloom_contains_all(bloom_create(1), ARRAY[1, 2]) AS all,
	bloom_contains_any(bloom_create(1), '{}'::int[]) AS any_of_none,
	bloom_contains_all(bloom_create(1), '{}'::int[]) AS all_of_none;

-- long arrays: one element decides, wherever it stands, a null at the end too
SELECT bool_and(bloom_contains_all(f, a)) AS all,
	bool_and(NOT bloom_contains_all(f, a[:i] || -1 || a[i + 1:])) AS all_but_one,
	bool_and(bloom_contains_all(f, array_append(a, NULL)) IS NULL) AS all_or_null,
	bool_and(NOT bloom_contains_any(f, b)) AS none,
	bool_and(bloom_contains_any(f, b[:i] || 1 || b[i + 1:])) AS one,
	bool_and(bloom_contains_any(f, array_append(b, NULL)) IS NULL) AS none_or_null
FROM (SELECT bloom_agg(i, 1e-9), array_agg(i), array_agg(-i)
	FROM generate_series(1, 200) i) s(f, a, b),
	generate_series(0, 200) i;

-- the first element that decides does so in whatever form the filter is, also
-- where a later one is of another family; a compressed one is read but once
CREATE TABLE forms (f bloom, g bloom);
ALTER TABLE forms ALTER g SET STORAGE main;
INSERT INTO forms SELECT bloom_agg(i, 100000, 0.01), bloom_agg(i, 100000, 0.01)
FROM generate_series(1, 140) i;
SELECT bloom_contains_any(f, keys) AS stored, bloom_contains_any(g, keys) AS compressed,
	bloom_contains_any((SELECT f::text::bloom FROM forms), keys) AS in_memory,
	bloom_contains_any(bloom_add(bloom_create(1), 5), keys) AS list
FROM forms, (VALUES (ARRAY[bloom_key(5), bloom_key('a'::text)])) v(keys);
SELECT bloom_contains_any(g, array_fill(NULL::int, ARRAY[100000])) AS nulls,
	bloom_contains_all(g, array_fill(7, ARRAY[100000])) AS keys FROM forms;
CREATE FUNCTION seconds(query text) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
BEGIN
	EXECUTE query;
	RETURN extract(epoch FROM clock_timestamp() - start);
END $$;
SELECT min(seconds('SELECT bloom_contains_all(g, array_fill(7, ARRAY[100000])) FROM forms'))
	< min(seconds('SELECT count(bloom_contains_all(g, ARRAY[i])) FROM forms, generate_series(1, 10000) i'))
	AS is_read_once
FROM generate_series(1, 3);
DROP FUNCTION seconds(text);
DROP TABLE forms;
-- error: an element of another family, before one that decides
SELECT bloom_contains_any(bloom_add(bloom_create(1), 5),
	ARRAY[bloom_key('a'::text), bloom_key(5)]);

-- untyped literals are arrays of text; varchar[], name[], enum[] and domains arrive
CREATE TYPE size AS ENUM ('S', 'L');
CREATE DOMAIN sizes AS size[];
SELECT bloom_contains_any(f, '{L,M}') AS literal,
	bloom_contains_any(f, ARRAY['L','M']) AS text,
	bloom_contains_any(f, ARRAY['L','M']::varchar[]) AS varchar,
	bloom_contains_any(f, ARRAY['L','M']::name[]) AS name,
	bloom_contains_any(f, ARRAY['L','M']::char(5)[]) AS bpchar,
	bloom_contains_any(f, ARRAY['L','S']::size[]) AS enum,
	bloom_contains_any(f, ARRAY['L','S']::sizes) AS domain
FROM bloom_add_all(bloom_create(10), '{S,L}') f;
DROP DOMAIN sizes;
DROP TYPE size;

-- arrays of rows and of hashed keys
CREATE TYPE point2 AS (x int, y int);
SELECT bloom_contains_all(bloom_add_all(bloom_create(10), ARRAY[(1,2)::point2, (3,4)::point2]),
	ARRAY[(3,4)::point2]) AS rows,
	bloom_contains_all(bloom_add_all(bloom_create(10), ARRAY[1,2]),
		ARRAY[bloom_key(1), bloom_key(2)]) AS keys;
DROP TYPE point2;

-- which of these are in it, not only how many (Redisson 7061)
SELECT array_agg(k ORDER BY k) AS probably_known
FROM unnest('{apple,grape,pear}'::text[]) k
WHERE bloom_contains(bloom_add_all(bloom_create(10), '{apple,pear}'), k);

-- a large array in one call, from a column of arrays
SELECT (bloom_info(bloom_add_all(bloom_create(200000), array_agg(i)))).layers,
	bloom_contains_all(bloom_add_all(bloom_create(200000), array_agg(i)),
		array_agg(i)) AS all_found
FROM generate_series(1, 200000) i;

--
-- bloom_missing: the elements that are certainly not in a filter
--

-- in their order, with copies, without NULLs, of one dimension
SELECT a, bloom_missing(f, a), counting_bloom_missing(g, a), cuckoo_missing(h, a)
FROM bloom_add_all(bloom_create(10), '{1,2}'::int[]) f,
	counting_bloom_add_all(counting_bloom_create(100, 1e-9), '{1,2}'::int[]) g,
	cuckoo_add_all(cuckoo_create(100, 1e-8), '{1,2}'::int[]) h,
	(VALUES ('{3}'::int[]), ('{2}'), ('{9,1,3,NULL,9,2,NULL,4}'), ('{{1,5},{7,2}}'),
		('[0:2]={1,8,6}'), ('{NULL}'), ('{}'), (NULL)) AS v(a);
SELECT bloom_missing(NULL, ARRAY[1]) IS NULL AS null_filter,
	counting_bloom_missing(NULL, ARRAY[1]) IS NULL, cuckoo_missing(NULL, ARRAY[1]) IS NULL,
	bloom_missing(bloom_create(1), ARRAY[3, NULL, 1]) AS empty_filter;
-- the elements that bloom_contains denies, of arrays around the number that is probed at
-- once, in whatever form the filter is; violations: none
CREATE TABLE forms (form text, f bloom, g counting_bloom, h cuckoo);
INSERT INTO forms
SELECT form, bloom_agg(i, n, 0.1), counting_bloom_agg(i, n, 0.1), cuckoo_agg(i, n, 0.1)
FROM (VALUES ('list', 100), ('layer', 5000)) v(form, n), generate_series(2, 2 * n, 2) i
GROUP BY form, n;
INSERT INTO forms SELECT 'layers', bloom_add_all(bloom_create(300, 0.1), array_agg(i))
FROM generate_series(2, 10000, 2) i;
CREATE FUNCTION expected(p_query text, keys int[]) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE result int[];
BEGIN
	EXECUTE format('SELECT array_agg(k ORDER BY at) FROM unnest($1) WITH ORDINALITY u(k, at)
		WHERE NOT (%s) @> k', p_query) USING keys INTO result;
	RETURN coalesce(result, '{}');
END $$;
SELECT form, n
FROM forms, generate_series(0, 260, 13) n,
	LATERAL (SELECT array_agg(CASE WHEN i % 7 > 0 THEN 1 + i * 37 % 400 END)
		FROM generate_series(1, n) i) a(keys)
WHERE keys IS NOT NULL AND (
	bloom_missing(f, keys) IS DISTINCT FROM
		expected(format('SELECT f FROM forms WHERE form = %L', form), keys) OR
	bloom_missing(f::bytea::bloom, keys) IS DISTINCT FROM bloom_missing(f, keys) OR
	g IS NOT NULL AND (counting_bloom_missing(g, keys) IS DISTINCT FROM
		expected(format('SELECT g FROM forms WHERE form = %L', form), keys) OR
		cuckoo_missing(h, keys) IS DISTINCT FROM
		expected(format('SELECT h FROM forms WHERE form = %L', form), keys)));
SELECT form, cardinality(bloom_missing(f, keys)) AS n,
	bloom_contains_any(f, bloom_missing(f, keys)) AS any
FROM forms, (SELECT array_agg(i) FROM generate_series(1, 400) i) a(keys) ORDER BY form;
DROP TABLE forms;
DROP FUNCTION expected;
-- the type of the array stays, that of its elements too
CREATE TYPE size AS ENUM ('S', 'L');
CREATE DOMAIN small AS int;
SELECT bloom_missing(f, ARRAY['L', 'M']::varchar[]) AS v,
	pg_typeof(bloom_missing(f, ARRAY['L', 'M']::varchar[])),
	pg_typeof(bloom_missing(f, ARRAY['L', 'M']::char(3)[])),
	bloom_missing(f, '{L,M}') AS literal, pg_typeof(bloom_missing(f, '{L,M}')),
	bloom_missing(f, '{S,L}'::size[]) AS size, pg_typeof(bloom_missing(f, '{S,L}'::size[]))
FROM bloom_add(bloom_create(10), 'L') f;
SELECT m, pg_typeof(m), pg_typeof(m[1]), bloom_missing(f, ARRAY[1.50, 1.0, 2]) AS numeric
FROM bloom_add(bloom_create(10), 1) f, bloom_missing(f, '{1,2}'::small[]) m;
SELECT bloom_missing(bloom_add(bloom_create(10), u), ARRAY[u, md5('b')::uuid]) AS uuid
FROM CAST(md5('a') AS uuid) u;
DROP DOMAIN small;
DROP TYPE size;
CREATE TYPE point2 AS (x int, y int);
SELECT bloom_missing(bloom_add(bloom_create(10), (1,2)::point2),
	ARRAY[(3,4), (1,2)]::point2[]) AS rows,
	bloom_missing(bloom_add(bloom_create(10), 1), ARRAY[bloom_key(1), bloom_key(2)]) =
		ARRAY[bloom_key(2)] AS keys;
DROP TYPE point2;
-- error: elements of another family, even behind one that is missing
SELECT bloom_missing(bloom_add(bloom_create(1), 5), ARRAY[bloom_key(6), bloom_key('a'::text)]);
SELECT bloom_missing(bloom_add(bloom_create(10), 1), '{2,3}');
SELECT cuckoo_missing(cuckoo_add(cuckoo_create(10), 1), ARRAY['a', 'b']);
-- error: of elements that cannot be keys
SELECT bloom_missing(bloom_create(10), ARRAY['{}'::jsonb]);

-- error: elements of another family
SELECT bloom_add_all(bloom_create(10), ARRAY[bloom_key(1), bloom_key('a')]);
SELECT bloom_contains_any(bloom_add(bloom_create(10), 1), ARRAY['a', 'b']);
-- error: not an array
\set VERBOSITY terse
SELECT bloom_add_all(bloom_create(10), 1);
\set VERBOSITY default
