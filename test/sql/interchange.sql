--
-- The first part of doc/interchange.md; those of the systems are in interchange_*
--

CREATE TABLE member (id bigint, mail text);
INSERT INTO member SELECT i, 'user' || i || '@example.com' FROM generate_series(1, 5000) i;

-- as BloomFilter.create(Funnels.stringFunnel(UTF_8), 5000, 0.01) of Guava, and put()
SELECT length(f) AS bytes, external_bloom_contains(f, 'guava', 'user7@example.com') AS present,
	external_bloom_contains(f, 'guava', 'user7@example.org') AS absent
FROM (SELECT external_bloom_agg(mail, 'guava', 5000, 0.01) AS f FROM member) s;

-- error: a literal of no type is text
SELECT external_bloom_contains(external_bloom_agg(id, 'guava_long', 0.01), 'guava_long', '42')
FROM member;
SELECT external_bloom_contains(external_bloom_agg(id, 'guava_long', 0.01), 'guava_long', 42)
	AND external_bloom_contains(external_bloom_agg(id, 'guava_long', 0.01), 'guava_long',
		'42'::bigint) AS found
FROM member;

CREATE TABLE stored_filter (name text PRIMARY KEY, bytes bytea);
ALTER TABLE stored_filter ALTER bytes SET STORAGE EXTERNAL;
INSERT INTO stored_filter
SELECT 'member', external_bloom_agg(mail, 'guava', 5000, 0.01) FROM member;
SELECT bits, probes, keys, round(current_fpp::numeric, 3) AS current_fpp
FROM stored_filter, external_bloom_info(bytes, 'guava') WHERE name = 'member';

DROP TABLE member, stored_filter;
