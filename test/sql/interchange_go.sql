--
-- Filters of Go's bits-and-blooms
-- Left to --ci, for its time.
--
-- The examples of the page Go of doc/interchange.md, and filters that the library
-- wrote.  test/interchange/go asks the library itself.
--
\a\t

CREATE SCHEMA interchange_go;
SET search_path = interchange_go, public;

--
-- Build here, ask there, and the other way round
--

CREATE TABLE known_users (day date, filter bytea);
ALTER TABLE known_users ALTER filter SET STORAGE EXTERNAL;

INSERT INTO known_users
SELECT '2026-03-01', external_bloom_agg('user ' || id, 'go', 0.001)
FROM generate_series(1, 1000) id;

SELECT bits, probes, keys
FROM known_users, external_bloom_info(filter, 'go');

\a\t
SELECT external_bloom_contains(filter, 'go', 'user 7') AS seven,
	external_bloom_contains(filter, 'go', 'user 1007') AS another
FROM known_users;
\a\t

-- numbers as the Go program writes them: here four bytes, big-endian
SELECT external_bloom_agg(int4send(id), 'go', 0.01)
FROM generate_series(1, 5) id;

SELECT external_bloom_union(a.filter, b.filter, 'go') = a.filter AS no_further_keys
FROM known_users a, known_users b;

-- error: the library has no encoding of numbers
SELECT external_bloom_contains(filter, 'go', 7) FROM known_users;
-- error: Merge takes only filters of one size
SELECT external_bloom_union(filter, external_bloom_agg('user ' || id, 'go', 0.1), 'go')
FROM known_users, generate_series(1, 10) id
GROUP BY filter;

--
-- Filters that version 3.3.1 of the library wrote
--

CREATE TABLE written (name text PRIMARY KEY, f bytea);
INSERT INTO written
SELECT name, decode(replace(hex, ' ', ''), 'hex')
FROM (VALUES
	('96 bits', '0000000000000060 0000000000000007 0000000000000060'
		' 00000880002a0028 0000000080088008'),
	('estimates', '0000000000000060 0000000000000007 0000000000000060'
		' 8000140a2b021095 00000000e0000820'),
	('bytes', '000000000000001d 0000000000000007 000000000000001d 0000000007c90a38'),
	('red', '0000000000000064 0000000000000003 0000000000000064'
		' 0000008000000800 0000000000800000'),
	('ä', '0000000000000064 0000000000000003 0000000000000064'
		' 0000001000000000 0000000000100001'),
	('merged', '0000000000000064 0000000000000003 0000000000000064'
		' 0000009000000800 0000000000900001'),
	('empty', '000000000000000a 0000000000000002 000000000000000a 0000000000000000'),
	('64 of 100 bits', '0000000000000064 0000000000000005 0000000000000040 ffffffffffffffff')
) go(name, hex);

-- texts of 0, 15 and 16 bytes; bytes, of which two are the text ä
SELECT external_bloom_agg(key, 'go', 10, 0.01) = (SELECT f FROM written WHERE name = 'estimates')
	AS same_bytes
FROM unnest('{"", 0123456789abcde, 0123456789abcdef}'::text[]) key;
SELECT external_bloom_agg(key, 'go', 0.01) = (SELECT f FROM written WHERE name = 'bytes')
	AS same_bytes
FROM unnest('{"\\x00ff", "\\xc3a4", "\\x00"}'::bytea[]) key;
SELECT external_bloom_contains(f, 'go', 'ä') AS as_text FROM written WHERE name = 'bytes';

SELECT name, bits, probes, bits_set, keys, round(current_fpp::numeric, 5) AS current_fpp,
	external_bloom_contains(f, 'go', 'red') AS red,
	external_bloom_contains(f, 'go', 'ä') AS ä
FROM written, external_bloom_info(f, 'go')
ORDER BY name COLLATE "C";

SELECT external_bloom_add_all(overlay(f PLACING '\x00000000000000000000000000000000' FROM 25),
	'go', '{red, green}'::text[]) = f AS same_bytes
FROM written
WHERE name = '96 bits';
SELECT external_bloom_union(a.f, b.f, 'go') = c.f AS same_bytes
FROM written a, written b, written c
WHERE (a.name, b.name, c.name) = ('red', 'ä', 'merged');

-- FromWithM makes filters with fewer words than m needs; the library finds 110 of these
SELECT count(*)
FROM written, generate_series(0, 999) i
WHERE name = '64 of 100 bits' AND external_bloom_contains(f, 'go', int4send(i));
-- a union with a filter whose bitset ends earlier, in the same word, has the keys of both
SELECT external_bloom_union(shorter, longer, 'go') = longer AS shorter_first,
	external_bloom_union(longer, shorter, 'go') = longer AS longer_first
FROM (SELECT f, overlay(f PLACING '\x0000000000000020' FROM 17)
	FROM written WHERE name = '64 of 100 bits') s(longer, shorter);
-- error: there is no room for the bits of a key
SELECT external_bloom_add(f, 'go', 'red') FROM written WHERE name = '64 of 100 bits';
-- error: a byte is missing
SELECT external_bloom_contains(substr(f, 2), 'go', 'red') FROM written WHERE name = 'red';

--
-- Sizes of EstimateParameters, and rates: those asked for, of 300,000 absent keys each
--

SELECT n, rate, bits, probes
FROM (VALUES (1, 0.5), (3, 0.01), (1000, 0.01), (1000, 0.999), (1000000, 0.001)) s(n, rate),
	LATERAL (SELECT external_bloom_agg(x, 'go', n, rate) FROM (VALUES ('')) v(x)) made(f),
	LATERAL external_bloom_info(f, 'go');

SELECT asked, count(*) FILTER (WHERE external_bloom_contains(f, 'go', 'absent ' || i))
	<= 1.1 * asked * 300000 AS as_stated
FROM (VALUES (0.1), (0.01), (0.001)) rates(asked),
	LATERAL (SELECT external_bloom_agg('key ' || i, 'go', asked)
		FROM generate_series(1, 20000) i) made(f),
	generate_series(1, 300000) i
GROUP BY asked
ORDER BY asked DESC;

-- of few keys more, in percent, of 40 filters each
SELECT n, round(100 * avg(rate), 1) AS mean, round(100 * max(rate)) AS highest
FROM (VALUES (1), (5), (10), (100)) sizes(n),
	LATERAL (SELECT external_bloom_agg('key ' || k || ' ' || i, 'go', n, 0.01)
		FROM generate_series(1, 40) k, generate_series(1, n) i GROUP BY k) made(f),
	LATERAL (SELECT avg(external_bloom_contains(f, 'go', 'absent ' || i)::int)
		FROM generate_series(1, 2500) i) measured(rate)
GROUP BY n
ORDER BY n;

SET client_min_messages = warning;
DROP SCHEMA interchange_go CASCADE;
