-- Further joins, of the tables of joins_tables.sql; as in ssb_queries.sql.

-- star: three dimensions, of which one row in ten counts
SELECT count(*), sum(amount) FROM star_fact, dim_a, dim_b, dim_c
WHERE a = dim_a.id AND b = dim_b.id AND c = dim_c.id AND dim_a.x < 102 AND dim_b.x < 102 AND dim_c.x < 102
	AND bloom_contains((SELECT bloom_agg(id) FROM dim_a WHERE x < 102), a)
	AND bloom_contains((SELECT bloom_agg(id) FROM dim_b WHERE x < 102), b)
	AND bloom_contains((SELECT bloom_agg(id) FROM dim_c WHERE x < 102), c);

-- snowflake: a dimension of which one row in ten counts, by its own dimension
SELECT count(*), sum(amount) FROM star_fact, dim_a, outer_dim
WHERE a = dim_a.id AND dim_a.middle = outer_dim.id AND outer_dim.x < 10
	AND bloom_contains((SELECT bloom_agg(dim_a.id) FROM dim_a, outer_dim WHERE dim_a.middle = outer_dim.id AND outer_dim.x < 10), a);

-- spill: as many rows on both sides, of which one in ten counts; work_mem 4 MB
SELECT count(*), sum(amount) FROM star_fact, large
WHERE star_fact.id = large.id AND large.x < 102
	AND bloom_contains((SELECT bloom_agg(id) FROM large WHERE x < 102), star_fact.id);

-- spill, half: of which every other row counts
SELECT count(*), sum(amount) FROM star_fact, large
WHERE star_fact.id = large.id AND large.x < 512
	AND bloom_contains((SELECT bloom_agg(id) FROM large WHERE x < 512), star_fact.id);

-- all pass: a dimension of which all rows count
SELECT count(*), sum(amount) FROM star_fact, dim_a
WHERE a = dim_a.id
	AND bloom_contains((SELECT bloom_agg(id) FROM dim_a), a);

-- stored, joined: a stored filter that stands in FROM, beside a join with few partners
SELECT count(*), sum(amount) FROM star_fact, dim_a, stored_filter
WHERE a = dim_a.id AND dim_a.x < 10 AND name = 'dim_a'
	AND bloom_contains(f, a);

-- stored, sub-select: the same filter, from a sub-select
SELECT count(*), sum(amount) FROM star_fact, dim_a
WHERE a = dim_a.id AND dim_a.x < 10
	AND bloom_contains((SELECT f FROM stored_filter WHERE name = 'dim_a'), a);
