--
-- What is frozen of matrices, which came with version 1.1 of the SQL.  A change of this file's
-- output breaks every stored matrix; FORMAT.md explains each value.
--

-- Example 8: a matrix of three filters.  First what precedes the slices, then all slices
-- that are not zero
CREATE TEMP TABLE golden_matrix AS
SELECT bloom_matrix_agg(id, f)::bytea AS image FROM (VALUES
	(2, counting_bloom_add_all(counting_bloom_create(1, 0.25), ARRAY['red', 'green'])::bloom),
	(-1, bloom_add_all(bloom_create(1, 0.25), ARRAY['red', 'blue'])),
	(7, bloom_shrink(counting_bloom_add_all(counting_bloom_create(1, 0.25), ARRAY['blue'])::bloom))) v(id, f);
SELECT encode(substr(image, 1, 508), 'hex') AS image FROM golden_matrix;
SELECT i / 512 AS block, i % 512 AS slice, encode(bytes, 'hex') AS bytes
FROM golden_matrix, generate_series(0, (length(image) - 508) / 8 - 1) i, substr(image, 509 + i * 8, 8) bytes
WHERE bytes <> '\x0000000000000000' ORDER BY i;
DROP TABLE golden_matrix;

-- Matrices, by the hash of their bytes
SELECT what || ': ' || length(image) || ' bytes, ' || bloom_key(image) AS matrix FROM (
	SELECT 1, 'no columns', bloom_matrix_agg(i, NULL)::bytea FROM generate_series(1, 2) i UNION ALL
	SELECT 2, 'no keys', bloom_matrix_agg(i, bloom_create(1000, 0.02 / i))::bytea FROM generate_series(1, 2) i UNION ALL
	SELECT 3, 'one list', bloom_matrix_agg(5, bloom_add_all(bloom_create(1000), ARRAY['red', 'green', 'blue']))::bytea UNION ALL
	SELECT 4, 'one layer', bloom_matrix_agg(-5, f)::bytea FROM (
		SELECT bloom_add_all(bloom_create(129, 0.5, 0), array_agg(i)) FROM generate_series(1, 129) i) s(f) UNION ALL
	SELECT 5, 'widened', bloom_matrix_agg(capacity, f)::bytea FROM (
		SELECT capacity, bloom_agg(i, capacity, 0.25) FROM unnest(ARRAY[300, 400, 600, 1000, 2000]) capacity,
			generate_series(capacity, capacity + 149) i GROUP BY capacity) s(capacity, f) UNION ALL
	SELECT 6, '130 columns', bloom_matrix_agg(1000 - 10 * n, f)::bytea FROM (
		SELECT n, CASE WHEN n % 10 = 0 THEN
				(SELECT bloom_agg(i, 1000, 0.01) FROM generate_series(n, n + 149) i)
			ELSE bloom_add_all(bloom_create(1000), ARRAY(SELECT generate_series(n, n + n % 5 - 1))) END
		FROM generate_series(1, 130) n) s(n, f)) s(n, what, image)
ORDER BY n;
