-- What the examples of doc/drivers.md ask and change.
CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM generate_series(1, 100000) id;
