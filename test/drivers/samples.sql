-- A key of each type, another that is absent, and a filter that has the first.
CREATE TABLE sample (type text PRIMARY KEY, f bloom);
DO $$
DECLARE
	type text;
	literal text;
BEGIN
	FOR type, literal IN VALUES
		('integer', '4711'),
		('bigint', '5000000000'),
		('numeric', '12.50'),
		('double precision', '0.1'),
		('boolean', 'true'),
		('text', 'Anna'),
		('bytea', '\x00ff80'),
		('uuid', '6f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9'),
		('date', '2026-02-28'),
		('timestamp', '2026-02-28 12:34:56.789012'),
		('timestamptz', '2026-02-28 12:34:56.789012+00')
	LOOP
		EXECUTE format('INSERT INTO sample SELECT %L, bloom_add(bloom_create(1000), %L::%s)',
			type, literal, type);
	END LOOP;
END
$$;

-- A filter of 1.2 MB.
CREATE TABLE stored (name text PRIMARY KEY, f bloom);
INSERT INTO stored SELECT 'large', bloom_agg(i) FROM generate_series(1, 1000000) i;
