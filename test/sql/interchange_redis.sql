--
-- Filters of RedisBloom
--
-- The examples of the page RedisBloom of doc/interchange.md, and filters that the
-- module wrote.  test/interchange/redis asks the module itself.
--
\a\t

CREATE SCHEMA interchange_redis;
SET search_path = interchange_redis, public;

--
-- A filter that is built every night
--

CREATE TABLE served_filter (name text PRIMARY KEY, filter bytea);
ALTER TABLE served_filter ALTER filter SET STORAGE EXTERNAL;

-- clients of Redis send numbers as text
INSERT INTO served_filter
SELECT 'users', external_bloom_agg(id::text, 'redis', 0.001)
FROM generate_series(1, 1000) id;

\a\t
SELECT iterator, length(chunk)
FROM served_filter, external_bloom_chunks(filter, 'redis')
WHERE name = 'users'
ORDER BY iterator;
\a\t

SELECT external_bloom_contains(filter, 'redis', 7::text) AS seven,
	external_bloom_contains(filter, 'redis', 1007::text) AS another
FROM served_filter
WHERE name = 'users';

-- error: RedisBloom has no numbers
SELECT external_bloom_contains(filter, 'redis', 7) FROM served_filter;
-- error: the filter was made for a thousand keys
SELECT external_bloom_add(filter, 'redis', 1007::text) FROM served_filter;
-- error: RedisBloom cannot unite filters
SELECT external_bloom_union(filter, filter, 'redis') FROM served_filter;

-- room for further keys: half of 2000
SELECT keys, bits
FROM (SELECT external_bloom_agg(id::text, 'redis', 2000, 0.001)
		FROM generate_series(1, 1000) id) made(f),
	external_bloom_info(external_bloom_add(f, 'redis', '1007'), 'redis');

-- parts of at most 16 MB
SELECT iterator, length(chunk)
FROM (SELECT external_bloom_agg(id::text, 'redis', 10000000, 0.000001)
		FROM generate_series(1, 10) id) made(f),
	external_bloom_chunks(f, 'redis')
ORDER BY iterator;

-- together they are the filter
SELECT string_agg(chunk, '' ORDER BY iterator) = filter AS whole
FROM served_filter, external_bloom_chunks(filter, 'redis')
GROUP BY filter;

-- error: no other system takes a filter in parts
SELECT external_bloom_chunks(filter, 'go') FROM served_filter;

--
-- Filters that version 2.8.20 of the module wrote
--

CREATE TABLE written (name text PRIMARY KEY, f bytea);
INSERT INTO written
SELECT name, decode(replace(hex, ' ', ''), 'hex')
FROM (VALUES
	-- BF.RESERVE x 0.01 100, BF.MADD x a b
	('one link', '0200000000000000 01000000 05000000 02000000'
		' 9000000000000000 8004000000000000 0200000000000000 7b14ae47e17a743f'
		' e9862fb2350e2640 08000000 6400000000000000 00'
		' 0000000000000000000000000040000000000000001000000000000400000000'
		' 0200000000000000000000000000000000000000000000000040200000020000'
		' 0000000800000000000000000000000000000000000000000000000010000101'
		' 0000000000000020000000000000000000000000000000000000008000000800'
		' 00040000000000000000008000000000'),
	-- BF.RESERVE x 0.1 2 EXPANSION 1, BF.MADD x red green blue white black
	('three links', '0500000000000000 03000000 05000000 01000000'
		' 0800000000000000 4000000000000000 0200000000000000 9a9999999999a93f'
		' 4af7d49edef01840 05000000 0200000000000000 00'
		' 0800000000000000 4000000000000000 0200000000000000 9a9999999999993f'
		' 0bd81f7830b61e40 06000000 0200000000000000 00'
		' 0800000000000000 4000000000000000 0100000000000000 9a9999999999893f'
		' 655cb528c13d2240 07000000 0200000000000000 00'
		' 2008200002200002 21a4120200500100 2000000020000000'),
	-- BF.RESERVE x 0.1 4 NONSCALING, BF.MADD x red green ä ""
	('fixed', '0400000000000000 01000000 0d000000 02000000'
		' 0800000000000000 4000000000000000 0400000000000000 9a9999999999b93f'
		' 88168ac58c2b1340 04000000 0400000000000000 00 3808000082602052')
) redis(name, hex);

SELECT external_bloom_agg(key, 'redis', 100, 0.01) = (SELECT f FROM written WHERE name = 'one link')
	AS same_bytes
FROM unnest('{b, a}'::text[]) key;

SELECT name, i.bits, i.probes, i.keys,
	ARRAY(SELECT key FROM unnest('{a, b, red, green, blue, white, black, grey, ä, ""}'::text[])
			WITH ORDINALITY k(key, n)
		WHERE external_bloom_contains(f, 'redis', key) ORDER BY n) AS found
FROM written, external_bloom_info(f, 'redis') i
ORDER BY name;

SELECT name, iterator, length(chunk), CASE WHEN iterator > 1 THEN chunk END AS bits
FROM written, external_bloom_chunks(f, 'redis')
WHERE name <> 'one link'
ORDER BY name, iterator;

-- the last link has room for one key, which comes there; another finds none
SELECT external_bloom_add(f, 'redis', 'grey') AS added FROM written WHERE name = 'three links'
\gset
SELECT keys, external_bloom_contains(:'added', 'redis', 'grey') AS grey
FROM external_bloom_info(:'added', 'redis');
SELECT external_bloom_add(:'added', 'redis', 'grey') = :'added' AS as_before;
-- error: a further link would be needed
SELECT external_bloom_add(:'added', 'redis', 'violet');

-- error: a record of a link is cut off
SELECT external_bloom_contains(substr(f, 1, 72), 'redis', 'a') FROM written
WHERE name = 'fixed';

--
-- Rates, of 300,000 absent keys each: half of what was asked for, which leaves
-- RedisBloom the other half for further links
--

SELECT asked, count(*) FILTER (WHERE external_bloom_contains(f, 'redis', 'absent ' || i))
	<= 1.1 * asked / 2 * 300000 AS as_stated
FROM (VALUES (0.1), (0.01), (0.005)) rates(asked),
	LATERAL (SELECT external_bloom_agg('key ' || i, 'redis', asked)
		FROM generate_series(1, 20000) i) made(f),
	generate_series(1, 300000) i
GROUP BY asked
ORDER BY asked DESC;

SET client_min_messages = warning;
DROP SCHEMA interchange_redis CASCADE;
