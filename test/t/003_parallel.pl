# One set of keys, one filter: the bytes that bloom_agg makes depend neither on
# order, duplicates, number of processes, partitions nor groups.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
max_worker_processes = 8
max_parallel_workers = 8
jit = off
});
$node->start;

# All keys up to 100,000, in no order, a third of them twice.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;

	CREATE TABLE keys AS
		SELECT k::bigint, k::text AS s
		FROM (SELECT (i::bigint * 61 % 100003) AS k FROM generate_series(1, 133333) i) x
		WHERE k BETWEEN 1 AND 100000;
	CREATE TABLE sorted AS SELECT DISTINCT k, s FROM keys ORDER BY k;
	CREATE TABLE doubled AS SELECT * FROM keys UNION ALL SELECT * FROM keys ORDER BY 1 DESC;

	CREATE TABLE parted (k bigint, s text) PARTITION BY HASH (k);
	CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	INSERT INTO parted SELECT * FROM keys;

	ANALYZE;
});

my $serial = q{
	SET client_min_messages = error;	-- past the capacity there is a warning
	SET max_parallel_workers_per_gather = 0;
};
my $parallel = q{
	SET client_min_messages = error;
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 2;
	SET enable_partitionwise_aggregate = on;
};
# every partial state takes the way through serialization
my $workers_only = "$parallel SET parallel_leader_participation = off;";

my @aggregates = (
	'bloom_agg(k)',
	'bloom_agg(k, 0.0005)',
	'bloom_agg(k, NULL, 0.02)',
	'bloom_agg(k, 1, 0.5)',
	'bloom_agg(k, 2000, 0.01)',
	'bloom_agg(k, 150000, 0.001)',
	'bloom_agg(s)',
	'bloom_agg(bloom_key(k))',
	'bloom_agg(ROW(k, s), 0.05)',
	'bloom_agg(ARRAY[k, -k])');
my @sizes = (0, 1, 50, 128, 129, 130, 300, 3000, 100000);

# md5 of each aggregate, in lines "size: md5 md5 ...", over a table.
sub digests
{
	my ($settings, $table) = @_;

	return $node->safe_psql(
		'postgres',
		$settings
		  . join '',
		map {
			my $size = $_;
			"SELECT '$size:', "
			  . join(', ', map { "md5($_\::bytea)" } @aggregates)
			  . " FROM $table WHERE k <= $size;"
		} @sizes);
}

my $expected = digests($serial, 'keys');

is( $node->safe_psql('postgres', "$serial SELECT count(*), count(DISTINCT k) FROM keys"),
	'133330|100000',
	'a table with duplicates');
is(scalar(split /\n/, $expected), scalar @sizes, 'as many filters as sizes');

# The filters are what they are meant to be: lists up to 128 keys, then layers;
# a capacity passed.
is( $node->safe_psql(
		'postgres',
		"$serial SELECT (i).layers, (i).saturated FROM (
			SELECT bloom_info(bloom_agg(k, 2000, 0.01)) AS i FROM keys WHERE k <= $_) x"),
	($_ <= 128 ? '0|f' : $_ <= 2000 ? '1|f' : '1|t'),
	"$_ keys for a capacity of 2000")
  for @sizes;
is( $node->safe_psql(
		'postgres', "$serial SELECT bloom_agg(k) = bloom_agg(bloom_key(k)) FROM keys"),
	't', 'keys and values give the same filter');

#
# Order and duplicates
#

is(digests($serial, 'sorted'), $expected, 'sorted, without duplicates');
is(digests($serial, 'doubled'), $expected, 'descending, with duplicates');
is(digests($serial, '(SELECT * FROM keys ORDER BY md5(s)) x'), $expected, 'shuffled');
is(digests($serial, 'parted'), $expected, 'over partitions');

#
# Processes
#

# How a query was run.
sub explained
{
	my ($settings, $query) = @_;
	return $node->safe_psql('postgres',
		"$settings EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $query");
}

my $plan = explained($parallel, 'SELECT bloom_agg(k) FROM keys');
like($plan, qr/Finalize Aggregate.*Gather.*Partial Aggregate.*Parallel Seq Scan/s,
	'the aggregate is parallel');
like($plan, qr/Workers Launched: [12]/, 'with workers');

is(digests($parallel, 'keys'), $expected, 'parallel');
is(digests($workers_only, 'keys'), $expected, 'parallel, all states through messages');
is(digests($workers_only, 'doubled'), $expected, 'parallel, with duplicates');
is(digests("$parallel SET max_parallel_workers_per_gather = 4;", 'keys'),
	$expected, 'parallel, more workers');

like(
	explained($workers_only, 'SELECT bloom_agg(k) FROM parted'),
	qr/Finalize Aggregate.*Append.*Partial Aggregate/s,
	'the aggregate is partition-wise');
is(digests($workers_only, 'parted'), $expected, 'partition-wise and parallel');

my $partitionwise = "$serial SET enable_partitionwise_aggregate = on;";
like(
	explained($partitionwise, 'SELECT bloom_agg(k) FROM parted'),
	qr/Finalize Aggregate.*Append.*Partial Aggregate/s,
	'partition-wise without workers');
is(digests($partitionwise, 'parted'), $expected, 'partition-wise');

# states of which one has blocks and the other has few keys, or none
is( $node->safe_psql(
		'postgres', qq{$workers_only
		SELECT bloom_agg(k, 2000, 0.01) =
			(SELECT bloom_agg(k, 2000, 0.01) FROM sorted WHERE k % 3 > 0 OR k < 90)
		FROM parted WHERE k % 3 > 0 AND tableoid = 'parted_0'::regclass OR k < 90 OR
			k % 3 > 0 AND tableoid <> 'parted_0'::regclass}),
	't', 'uneven states');

# To merge states takes time in proportion to their keys.
$node->safe_psql('postgres',
	'CREATE TABLE many AS SELECT i::bigint AS k FROM generate_series(1, 400000) i; ANALYZE many');
sub seconds
{
	my ($settings, $query) = @_;
	my $start = time;

	$node->safe_psql('postgres', "$settings $query");
	return time - $start;
}
my $serial_seconds = seconds($serial, 'SELECT bloom_cardinality(bloom_agg(k)) FROM many');
my $parallel_seconds = seconds($workers_only, 'SELECT bloom_cardinality(bloom_agg(k)) FROM many');
cmp_ok($parallel_seconds, '<', 1 + 10 * $serial_seconds, 'parallel is not much slower');

#
# Groups
#

sub groups
{
	my ($settings, $table) = @_;
	return $node->safe_psql(
		'postgres', qq{$settings
		SELECT g, md5(f::bytea), md5(h::bytea)
		FROM (SELECT k % 100 / 3 AS g, bloom_agg(k) AS f, bloom_agg(s, 100, 0.01) AS h
			  FROM $table GROUP BY g) x
		ORDER BY g});
}

my $expected_groups = $node->safe_psql(
	'postgres', $serial . q{
	SELECT g, (SELECT md5(bloom_agg(k)::bytea) FROM keys WHERE k % 100 / 3 = g),
		(SELECT md5(bloom_agg(s, 100, 0.01)::bytea) FROM keys WHERE k % 100 / 3 = g)
	FROM generate_series(0, 33) g ORDER BY g});

is(groups($serial, 'keys'), $expected_groups, 'hashed groups');
is(groups("$serial SET enable_hashagg = off;", 'keys'), $expected_groups, 'sorted groups');
is(groups($workers_only, 'keys'), $expected_groups, 'parallel groups');
is(groups($workers_only, 'parted'), $expected_groups,
	'parallel and partition-wise groups');

# a group for each key, in memory for a few of them
my $many = q{
	SELECT count(*), sum(bloom_cardinality(f)), count(*) FILTER (WHERE f @> g),
		md5(string_agg(md5(f::bytea), '' ORDER BY g))
	FROM (SELECT k / 2 AS g, bloom_agg(k / 2) AS f FROM keys GROUP BY g) x};
my $low_memory = "$serial SET work_mem = '64kB'; SET hash_mem_multiplier = 1;";
my $expected_many = $node->safe_psql('postgres', "$serial SET enable_hashagg = off; $many");

like($expected_many, qr/^50001\|50001\|50001\|/, 'fifty thousand groups');
like(
	explained("$low_memory SET enable_sort = off;",
		'SELECT k / 2 AS g, bloom_agg(k / 2) FROM keys GROUP BY g'),
	qr/HashAggregate.*Batches: \d\d/s,
	'groups go to disk');
is($node->safe_psql('postgres', "$low_memory SET enable_sort = off; $many"),
	$expected_many, 'hashed groups that go to disk');

#
# Other ways to call an aggregate
#

is( $node->safe_psql(
		'postgres', qq{$serial
		SELECT bloom_agg(k) FILTER (WHERE k <= 3000) = (SELECT bloom_agg(k) FROM keys WHERE k <= 3000),
			bloom_agg(DISTINCT k) = bloom_agg(k),
			bloom_agg(k ORDER BY s) = bloom_agg(k ORDER BY -k)
		FROM keys}),
	't|t|t',
	'FILTER, DISTINCT, ORDER BY');

is( $node->safe_psql(
		'postgres', qq{$serial
		WITH few AS MATERIALIZED (SELECT k FROM sorted WHERE k <= 400)
		SELECT count(*) FILTER (WHERE f = g) FROM (
			SELECT k, bloom_agg(k) OVER (ORDER BY k) AS f FROM few) w
		JOIN LATERAL (SELECT bloom_agg(s.k) AS g FROM few s WHERE s.k <= w.k) l ON true}),
	'400',
	'a growing window');
is( $node->safe_psql(
		'postgres', qq{$serial
		WITH few AS MATERIALIZED (SELECT k FROM sorted WHERE k <= 400)
		SELECT count(*) FILTER (WHERE f = g) FROM (
			SELECT k, bloom_agg(k, 200, 0.01) OVER
				(ORDER BY k ROWS BETWEEN 299 PRECEDING AND CURRENT ROW) AS f
			FROM few) w
		JOIN LATERAL (SELECT bloom_agg(s.k, 200, 0.01) AS g FROM few s
					  WHERE s.k BETWEEN w.k - 299 AND w.k) l ON true}),
	'400',
	'a moving window');

#
# Probing in parallel; filters as keys of hash joins
#

$node->safe_psql(
	'postgres', q{
	CREATE TABLE stored AS SELECT bloom_agg(k) AS f FROM keys WHERE k <= 50000;
	CREATE TABLE shards AS SELECT k % 5 AS shard, bloom_agg(k) AS f FROM keys GROUP BY 1;
	CREATE TABLE pieces AS SELECT k / 4 AS piece, bloom_agg(k % 4) AS f FROM keys GROUP BY 1;
	ANALYZE});
for my $query (
	'SELECT count(*), sum(k) FROM sorted WHERE bloom_contains((SELECT f FROM stored), k)',
	'SELECT count(*), sum(k) FROM sorted WHERE (SELECT bloom_agg(k) FROM keys WHERE k < 1000) @> k',
	'SELECT count(*), sum(k) FROM sorted JOIN shards ON f @> k AND k % 5 = shard WHERE k % 10 = 0',
	'SELECT count(*), sum(k) FROM sorted, stored WHERE bloom_contains_any(f, ARRAY[k, k + 50000]) AND k % 10 = 0'
  )
{
	like(explained($parallel, $query), qr/Workers Launched: [12].*Parallel Seq Scan/s, 'a parallel probe');
	is( $node->safe_psql('postgres', "$parallel $query"),
		$node->safe_psql('postgres', "$serial $query"), $query);
}

my $by_filter = 'SELECT count(*), max(n) FROM (SELECT f, count(*) AS n FROM pieces GROUP BY f) x';
my $join = 'SELECT count(*) FROM pieces a JOIN pieces b ON a.f = b.f AND a.piece = b.piece';
like(explained("$low_memory SET enable_sort = off;", $by_filter), qr/HashAggregate/,
	'filters are grouped by hash');
is($node->safe_psql('postgres', "$low_memory SET enable_sort = off; $by_filter"),
	'3|24999', 'groups of equal filters');
like(explained("$low_memory SET enable_mergejoin = off;", $join), qr/Hash Join.*Batches: \d\d/s,
	'filters are joined by hash, in batches');
is($node->safe_psql('postgres', "$low_memory SET enable_mergejoin = off; $join"),
	'25001', 'join of equal filters');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
