# One set of keys, one filter: the bytes that bloom_agg makes depend neither on
# order, duplicates, number of processes, partitions nor groups.  Nor do those of
# cuckoo_agg, and of counting_bloom_agg but for duplicates, which count.

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

our @aggregates = (
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
our @sizes = (0, 1, 50, 128, 129, 130, 300, 3000, 100000);

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
# Processes (a parallel aggregate had 3139 of 10001 keys: pg_roaringbitmap 6)
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
# Filters from which keys can be deleted
#

# Every tenth key, and each of the first, 1 to 40 times; in no order, in order,
# and over partitions.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE copies AS
		SELECT k, s FROM sorted,
			generate_series(0, CASE WHEN k <= 129 THEN k % 40 WHEN k % 10 = 0 THEN k / 10 % 40 ELSE 0 END)
		ORDER BY md5(s || generate_series);
	CREATE TABLE ascending AS SELECT * FROM copies ORDER BY k;
	CREATE TABLE descending AS SELECT * FROM copies ORDER BY k DESC;
	CREATE TABLE copies_parted (k bigint, s text) PARTITION BY HASH (s);
	CREATE TABLE copies_parted_0 PARTITION OF copies_parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE copies_parted_1 PARTITION OF copies_parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE copies_parted_2 PARTITION OF copies_parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	INSERT INTO copies_parted SELECT * FROM copies;
	ANALYZE});
is( $node->safe_psql(
		'postgres', "$serial SELECT count(DISTINCT k), max(n), count(*) FILTER (WHERE n > 15) > 6000
		FROM (SELECT k, count(*) AS n FROM copies GROUP BY k) x"),
	'100000|40|t',
	'a table with many copies');

my @counting = (
	'counting_bloom_agg(k)',
	'counting_bloom_agg(k, 0.0005)',
	'counting_bloom_agg(k, NULL, 0.02)',
	'counting_bloom_agg(k, 1, 0.5)',
	'counting_bloom_agg(k, 2000, 0.01)',
	'counting_bloom_agg(s, 150000, 0.001)',
	'counting_bloom_agg(ROW(k, s), 0.05)');
my @cuckoo = (
	'cuckoo_agg(k)',
	'cuckoo_agg(k, 0.0005)',
	'cuckoo_agg(k, NULL, 0.02)',
	'cuckoo_agg(k, 100000, 0.01)',
	'cuckoo_agg(s, 150000, 0.001)',
	'cuckoo_agg(bloom_key(k))',
	'cuckoo_agg(ARRAY[k, -k], 0.05)');

# As digests above.
sub deletable_digests
{
	my ($settings, $table, @deletable) = @_;
	local @aggregates = @deletable;
	local @sizes = (0, 1, 128, 129, 5000, 100000);

	return digests($settings, $table);
}

my @deletable = (@counting, @cuckoo);
my $expected_deletable = deletable_digests($serial, 'copies', @deletable);

is(scalar(() = $expected_deletable =~ /^\d+:(\|[0-9a-f]{32}){14}$/mg), 6, 'as many filters as sizes');

# What they are: the same as keys that are added one by one, all of them, or each
# once and in the order of the hashes.
for my $size (1, 128, 129, 5000, 100000)
{
	is( $node->safe_psql(
			'postgres', qq{$serial
			SELECT counting_bloom_agg(k, 2000, 0.01) =
					counting_bloom_add_all(counting_bloom_create(2000), array_agg(k)),
				counting_bloom_agg(k) = counting_bloom_add_all(
					counting_bloom_create(count(DISTINCT k)), array_agg(k)),
				count(DISTINCT k) <= 128 OR
					counting_bloom_agg(k, 2000, 0.01)::bloom = bloom_agg(k, 2000, 0.01)
			FROM copies WHERE k <= $size;
			SELECT cuckoo_agg(k, 100000, 0.01) =
					cuckoo_add_all(cuckoo_create(100000), array_agg(k ORDER BY h < 0, h)),
				cuckoo_agg(k) = cuckoo_add_all(cuckoo_create(count(*)), array_agg(k ORDER BY h < 0, h)),
				cuckoo_cardinality(cuckoo_agg(k)) = count(*)
			FROM (SELECT k, bloom_key(k)::bigint AS h FROM sorted WHERE k <= $size) x}),
		($size <= 129 ? "t|f|t\nt|t|t" : "t|t|t\nt|t|t"),
		"$size keys: what the aggregates make");
}
is( $node->safe_psql(
		'postgres', qq{$serial
		SELECT count(*) FILTER (WHERE coalesce(counting_bloom_count(f, k), 15) < least(n, 15)),
			count(*) FILTER (WHERE counting_bloom_count(f, k) > n) < 1500,
			count(*) FILTER (WHERE counting_bloom_count(f, k) IS NULL) > 6000
		FROM (SELECT counting_bloom_agg(k) FROM copies) a(f), (SELECT k, count(*) AS n FROM copies GROUP BY k) x}),
	'0|t|t',
	'each key counts as often as it is there, up to the limit');

# order
for my $table (qw(ascending descending copies_parted))
{
	is(deletable_digests($serial, $table, @deletable), $expected_deletable, "deletable: $table");
}
is(deletable_digests($serial, 'doubled', @cuckoo),
	deletable_digests($serial, 'sorted', @cuckoo),
	'cuckoo_agg takes each key once');
is($node->safe_psql('postgres', "$serial SELECT counting_bloom_agg(k) = (SELECT counting_bloom_agg(k) FROM sorted) FROM doubled"),
	'f', 'counting_bloom_agg takes each as often as it is there');

# processes
for my $aggregate ($counting[0], $counting[4], $cuckoo[0])
{
	like(
		explained($parallel, "SELECT $aggregate FROM copies"),
		qr/Finalize Aggregate.*Workers Launched: [12].*Partial Aggregate.*Parallel Seq Scan/s,
		"$aggregate is parallel");
	like(
		explained($workers_only, "SELECT $aggregate FROM copies_parted"),
		qr/Finalize Aggregate.*Append.*Partial Aggregate/s,
		"$aggregate is partition-wise");
}
is(deletable_digests($parallel, 'copies', @deletable), $expected_deletable, 'deletable: parallel');
is(deletable_digests($workers_only, 'copies', @deletable),
	$expected_deletable, 'deletable: parallel, all states through messages');
is(deletable_digests("$workers_only SET max_parallel_workers_per_gather = 4;", 'ascending', @deletable),
	$expected_deletable, 'deletable: parallel, more workers');
is(deletable_digests($workers_only, 'copies_parted', @deletable),
	$expected_deletable, 'deletable: partition-wise and parallel');
is(deletable_digests($partitionwise, 'copies_parted', @deletable),
	$expected_deletable, 'deletable: partition-wise');

# a filter that is full is full in every process
my $full = "ERROR:  too many keys for the capacity of a cuckoo filter\n"
  . 'DETAIL:  The capacity given is 5000; there are 100000 distinct keys';
for my $settings ($serial, $parallel, $workers_only)
{
	my (undef, undef, $stderr) =
	  $node->psql('postgres', "$settings SELECT cuckoo_agg(k, 5000, 0.01) FROM copies");
	like($stderr, qr/$full/, 'a full cuckoo filter is an error');
}

# states of which one has blocks and the other has few keys, or none
is( $node->safe_psql(
		'postgres', qq{$workers_only
		SELECT counting_bloom_agg(k, 2000, 0.01) = (
				SELECT counting_bloom_add_all(counting_bloom_create(2000), array_agg(k))
				FROM copies WHERE mod(hashtextextended(s, 1), 3) = 0 AND k > 60000 OR k < 4)
		FROM copies_parted
		WHERE mod(hashtextextended(s, 1), 3) = 0 AND k > 60000 OR k < 4}),
	't', 'deletable: uneven states');

# groups
sub deletable_groups
{
	my ($settings, $table) = @_;
	return $node->safe_psql(
		'postgres', qq{$settings
		SELECT g, md5(a::bytea), md5(b::bytea), md5(c::bytea), md5(d::bytea)
		FROM (SELECT k % 100 / 3 AS g, counting_bloom_agg(k) AS a, counting_bloom_agg(s, 100, 0.01) AS b,
				cuckoo_agg(k) AS c, cuckoo_agg(s, 5000, 0.01) AS d
			  FROM $table GROUP BY g) x
		ORDER BY g});
}

$expected_groups = $node->safe_psql(
	'postgres', $serial . q{
	SELECT g, md5(a::bytea), md5(b::bytea), md5(c::bytea), md5(d::bytea)
	FROM generate_series(0, 33) g, LATERAL (
		SELECT counting_bloom_agg(k) AS a, counting_bloom_agg(s, 100, 0.01) AS b,
			cuckoo_agg(k) AS c, cuckoo_agg(s, 5000, 0.01) AS d
		FROM copies WHERE k % 100 / 3 = g) x ORDER BY g});
is(scalar(() = $expected_groups =~ /^\d+(\|[0-9a-f]{32}){4}$/mg), 34, 'groups');
is(deletable_groups($serial, 'copies'), $expected_groups, 'deletable: hashed groups');
is(deletable_groups("$serial SET enable_hashagg = off;", 'ascending'),
	$expected_groups, 'deletable: sorted groups');
is(deletable_groups($workers_only, 'copies'), $expected_groups, 'deletable: parallel groups');
is(deletable_groups($workers_only, 'copies_parted'),
	$expected_groups, 'deletable: parallel and partition-wise groups');

# other ways to call them
is( $node->safe_psql(
		'postgres', qq{$serial
		SELECT counting_bloom_agg(k) FILTER (WHERE k <= 3000) =
				(SELECT counting_bloom_agg(k) FROM copies WHERE k <= 3000),
			counting_bloom_agg(DISTINCT k) = (SELECT counting_bloom_agg(k) FROM sorted),
			counting_bloom_agg(DISTINCT k) = counting_bloom_agg(k),
			counting_bloom_agg(k ORDER BY s) = counting_bloom_agg(k ORDER BY -k),
			cuckoo_agg(k) FILTER (WHERE k <= 3000) = (SELECT cuckoo_agg(k) FROM sorted WHERE k <= 3000),
			cuckoo_agg(DISTINCT k) = cuckoo_agg(k),
			cuckoo_agg(k ORDER BY s) = cuckoo_agg(k ORDER BY -k)
		FROM copies}),
	't|t|f|t|t|t|t',
	'deletable: FILTER, DISTINCT, ORDER BY');
for my $case (
	[ 'ORDER BY n', 's.n <= w.n' ],
	[ 'ORDER BY n ROWS BETWEEN 299 PRECEDING AND CURRENT ROW', 's.n BETWEEN w.n - 299 AND w.n' ])
{
	my ($frame, $condition) = @$case;

	# the result at every row leaves the state as it was, though it sorts it
	is( $node->safe_psql(
			'postgres', qq{$serial
			WITH few AS MATERIALIZED (
				SELECT row_number() OVER (ORDER BY k, s) AS n, k * 7919 % 101 AS k FROM ascending WHERE k <= 40)
			SELECT count(*), count(*) FILTER (WHERE a = a1), count(*) FILTER (WHERE b = b1),
				count(*) FILTER (WHERE c = c1), count(*) FILTER (WHERE d = d1)
			FROM (
				SELECT n, counting_bloom_agg(k) OVER w AS a, counting_bloom_agg(k, 200, 0.01) OVER w AS b,
					cuckoo_agg(k) OVER w AS c, cuckoo_agg(k, 400, 0.01) OVER w AS d
				FROM few WINDOW w AS ($frame)) w
			JOIN LATERAL (
				SELECT counting_bloom_agg(k) AS a1, counting_bloom_agg(k, 200, 0.01) AS b1,
					cuckoo_agg(k) AS c1, cuckoo_agg(k, 400, 0.01) AS d1
				FROM few s WHERE $condition) l ON true}),
		'820|820|820|820|820',
		"deletable: window $frame");
}

#
# Filters of filters
#

# Hundreds of filters of one geometry, in a table and over partitions.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE shares AS
		SELECT k % 600 AS share, bloom_agg(k, 5000, 0.1) AS f,
			counting_bloom_agg(k, 5000, 0.1) AS c
		FROM copies WHERE k <= 5000 GROUP BY 1;
	INSERT INTO shares SELECT -i, NULL, NULL FROM generate_series(1, 100) i;
	CREATE TABLE shares_parted (LIKE shares) PARTITION BY HASH (share);
	CREATE TABLE shares_parted_0 PARTITION OF shares_parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE shares_parted_1 PARTITION OF shares_parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE shares_parted_2 PARTITION OF shares_parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	INSERT INTO shares_parted SELECT * FROM shares ORDER BY share DESC;
	ANALYZE});

# md5 of the union of all and of none, and of groups
sub unions
{
	my ($settings, $table) = @_;
	my $united = 'md5(bloom_union_agg(f)::bytea), md5(counting_bloom_union_agg(c)::bytea)';

	return $node->safe_psql(
		'postgres', qq{$settings
		SELECT $united FROM $table;
		SELECT $united FROM $table WHERE share < 0;
		SELECT $united FROM $table WHERE share = 1e6;
		SELECT abs(share) % 7 AS g, $united FROM $table GROUP BY g ORDER BY g});
}

# the filters of all keys, the empty ones, those of the keys of each group
my $expected_unions = $node->safe_psql(
	'postgres', qq{$serial
	SELECT md5(bloom_agg(k, 5000, 0.1)::bytea), md5(counting_bloom_agg(k, 5000, 0.1)::bytea)
	FROM copies WHERE k <= 5000;
	SELECT md5(bloom_create(1)::bytea), md5(counting_bloom_create(1)::bytea)
	FROM generate_series(1, 2);
	SELECT k % 600 % 7 AS g, md5(bloom_agg(k, 5000, 0.1)::bytea),
		md5(counting_bloom_agg(k, 5000, 0.1)::bytea)
	FROM copies WHERE k <= 5000 GROUP BY g ORDER BY g});

for my $aggregate ('bloom_union_agg(f)', 'counting_bloom_union_agg(c)')
{
	like(
		explained($parallel, "SELECT $aggregate FROM shares"),
		qr/Finalize Aggregate.*Workers Launched: [12].*Partial Aggregate.*Parallel Seq Scan/s,
		"$aggregate is parallel");
	like(
		explained($workers_only, "SELECT $aggregate FROM shares_parted"),
		qr/Finalize Aggregate.*Append.*Partial Aggregate/s,
		"$aggregate is partition-wise");
}
is(unions($serial, 'shares'), $expected_unions, 'unions');
is(unions($serial, '(SELECT * FROM shares ORDER BY md5(share::text)) x'),
	$expected_unions, 'unions: shuffled');
is(unions($parallel, 'shares'), $expected_unions, 'unions: parallel');
is(unions($workers_only, 'shares'), $expected_unions, 'unions: parallel, workers only');
is(unions($workers_only, 'shares_parted'), $expected_unions, 'unions: parallel and partition-wise');
is(unions($partitionwise, 'shares_parted'), $expected_unions, 'unions: partition-wise');

#
# Probing in parallel; filters as keys of hash joins
#

$node->safe_psql(
	'postgres', q{
	CREATE TABLE stored AS SELECT bloom_agg(k) AS f FROM keys WHERE k <= 50000;
	CREATE TABLE deletables AS
		SELECT counting_bloom_agg(k) AS b, cuckoo_agg(k) AS c FROM copies WHERE k <= 50000;
	CREATE TABLE shards AS SELECT k % 5 AS shard, bloom_agg(k) AS f FROM keys GROUP BY 1;
	CREATE TABLE pieces AS SELECT k / 4 AS piece, bloom_agg(k % 4) AS f FROM keys GROUP BY 1;
	ANALYZE});
for my $query (
	'SELECT count(*), sum(k) FROM sorted WHERE bloom_contains((SELECT f FROM stored), k)',
	'SELECT count(*), sum(k) FROM sorted WHERE (SELECT bloom_agg(k) FROM keys WHERE k < 1000) @> k',
	'SELECT count(*), sum(k) FROM sorted JOIN shards ON f @> k AND k % 5 = shard WHERE k % 10 = 0',
	'SELECT count(*), sum(k) FROM sorted, stored WHERE bloom_contains_any(f, ARRAY[k, k + 50000]) AND k % 10 = 0',
	'SELECT count(*), sum(k) FROM sorted, deletables WHERE c @> k AND k % 10 < 7',
	'SELECT count(*), sum(k) FROM sorted, deletables WHERE b @> k AND k % 10 < 7',
	'SELECT count(*), sum(k) FROM sorted WHERE cuckoo_contains((SELECT c FROM deletables), k)',
	'SELECT sum(cuckoo_count(c, k)), sum(counting_bloom_count(b, k)) FROM sorted, deletables WHERE k % 10 = 0'
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
