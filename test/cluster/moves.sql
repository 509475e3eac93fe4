-- Shards that go from node to node keep their filters: what each check says is true.

CREATE TABLE stored (n int PRIMARY KEY, f bloom, c counting_bloom, u cuckoo, k bloom_key);
SELECT create_distributed_table('stored', 'n', colocate_with => 'none') \g /dev/null
INSERT INTO stored SELECT n, own, counts, seats, bloom_key(n) FROM part;
CREATE VIEW digest AS
SELECT count(*), count(DISTINCT f::text) AS filters,
	md5(string_agg(concat_ws(' ', n, f, c, u, k), ' ' ORDER BY n)) AS bytes
FROM stored;
CREATE TEMP TABLE before AS TABLE digest;
SELECT 'there are 40 different filters', count = 40 AND filters = 40 FROM before;
SELECT max(nodename) FILTER (WHERE nodename LIKE '%/worker1') AS worker1,
	max(nodename) FILTER (WHERE nodename LIKE '%/worker2') AS worker2
FROM citus_get_active_worker_nodes() n (nodename, port) \gset

SELECT format('SELECT citus_move_shard_placement(%s, %L, 5432, %L, 5432, %L)', shardid, :'worker1',
	:'worker2', (ARRAY['block_writes', 'force_logical'])[1 + (row_number() OVER ()) % 2])
FROM citus_shards WHERE table_name = 'stored'::regclass AND nodename = :'worker1' \gexec
SELECT 'all shards are on the second worker', count(*) = 6
FROM citus_shards WHERE table_name = 'stored'::regclass AND nodename = :'worker2';
SELECT 'the bytes are the same', (SELECT bytes FROM digest) = (SELECT bytes FROM before);
SELECT 'and are found', count(*) = 40 FROM stored WHERE f @> 100 * n + 1 AND c @> 7 AND u @> 7;

SELECT rebalance_table_shards('stored', shard_transfer_mode => 'block_writes') \g /dev/null
SELECT 'rebalanced, half of the shards are on each', count(*) = 3
FROM citus_shards WHERE table_name = 'stored'::regclass AND nodename = :'worker2';
SELECT 'the bytes are the same', (SELECT bytes FROM digest) = (SELECT bytes FROM before);

SELECT alter_distributed_table('stored', shard_count => 3) \g /dev/null
SELECT 'three shards instead of six have the same bytes',
	(SELECT bytes FROM digest) = (SELECT bytes FROM before);
SELECT undistribute_table('stored') \g /dev/null
SELECT 'a local table has the same bytes', (SELECT bytes FROM digest) = (SELECT bytes FROM before);
