# One set of keys, one filter: the bytes that bloom_agg makes depend neither on
# order, duplicates, number of processes, partitions nor groups.  Nor do those of
# cuckoo_agg, and of counting_bloom_agg but for duplicates, which count.
#
# Left to --ci, for its time.

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

# All keys up to 100,000: each once, each twice, and in copies every tenth, and each of the first,
# 1 to 40 times, in no order.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;

	CREATE TABLE sorted AS SELECT i::bigint AS k, i::text AS s FROM generate_series(1, 100000) i;
	CREATE TABLE doubled AS SELECT * FROM sorted UNION ALL SELECT * FROM sorted ORDER BY 1 DESC;
	CREATE TABLE copies AS
		SELECT k, s FROM sorted,
			generate_series(0, CASE WHEN k <= 129 THEN k % 40 WHEN k % 10 = 0 THEN k / 10 % 40 ELSE 0 END)
		ORDER BY md5(s || generate_series);
	CREATE TABLE ascending AS SELECT * FROM copies ORDER BY k;
	CREATE TABLE descending AS SELECT * FROM copies ORDER BY k DESC;
	CREATE TABLE parted (k bigint, s text) PARTITION BY HASH (s);
	CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE parted_2 PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	INSERT INTO parted SELECT * FROM copies;

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

my @bloom = (
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
# the last one makes layers of every aggregate; all keys take half a minute
my @sizes = (0, 1, 50, 128, 129, 130, 300, 3000, $ENV{BLOOMTYPE_SLOW} ? 100000 : 8000);

# md5 of each aggregate, in lines "size: md5 md5 ...", over a table.
sub digests
{
	my ($settings, $table, @aggregates) = @_;

	@aggregates = (@bloom, @counting, @cuckoo) unless @aggregates;
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

my $expected = digests($serial, 'copies');

is( $node->safe_psql(
		'postgres', "$serial SELECT count(DISTINCT k), max(n), count(*) FILTER (WHERE n > 15) > 6000
		FROM (SELECT k, count(*) AS n FROM copies GROUP BY k) x"),
	'100000|40|t',
	'a table with many copies');
is(scalar(() = $expected =~ /^\d+:(\|[0-9a-f]{32}){24}$/mg), scalar @sizes, 'as many filters as sizes');

#
# What the filters are
#

# lists up to 128 keys, then layers; a capacity passed
is( $node->safe_psql(
		'postgres',
		"$serial SELECT (i).layers, (i).saturated FROM (
			SELECT bloom_info(bloom_agg(k, 2000, 0.01)) AS i FROM sorted WHERE k <= $_) x"),
	($_ <= 128 ? '0|f' : $_ <= 2000 ? '1|f' : '1|t'),
	"$_ keys for a capacity of 2000")
  for @sizes;
is( $node->safe_psql(
		'postgres', "$serial SELECT bloom_agg(k) = bloom_agg(bloom_key(k)) FROM sorted"),
	't', 'keys and values give the same filter');

# the same as keys that are added one by one, all of them, or each once and in the order of the
# hashes
for my $size (1, 128, 129, 5000, $ENV{BLOOMTYPE_SLOW} ? 100000 : ())
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

#
# Order and duplicates
#

is(digests($serial, $_), $expected, "over $_") for qw(ascending descending parted);
is(digests($serial, '(SELECT * FROM copies ORDER BY md5(s)) x'), $expected, 'shuffled');

my $expected_once = digests($serial, 'copies', @bloom, @cuckoo);
is(digests($serial, $_, @bloom, @cuckoo), $expected_once, "$_: each key is taken once") for qw(sorted doubled);
is($node->safe_psql('postgres', "$serial SELECT counting_bloom_agg(k) = (SELECT counting_bloom_agg(k) FROM sorted) FROM doubled"),
	'f', 'counting_bloom_agg takes each as often as it is there');

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

my $partitionwise = "$serial SET enable_partitionwise_aggregate = on;";
for my $aggregate ($bloom[0], $counting[0], $counting[4], $cuckoo[0])
{
	like(
		explained($parallel, "SELECT $aggregate FROM copies"),
		qr/Finalize Aggregate.*Workers Launched: [12].*Partial Aggregate.*Parallel Seq Scan/s,
		"$aggregate is parallel");
	like(
		explained($_, "SELECT $aggregate FROM parted"),
		qr/Finalize Aggregate.*Append.*Partial Aggregate/s,
		"$aggregate is partition-wise")
	  for $workers_only, $partitionwise;
}
is(digests($parallel, 'copies'), $expected, 'parallel');
is(digests($workers_only, 'copies'), $expected, 'parallel, all states through messages');
is(digests("$parallel SET max_parallel_workers_per_gather = 4;", 'copies'), $expected, 'parallel, more workers');
is(digests("$workers_only SET max_parallel_workers_per_gather = 4;", 'ascending'),
	$expected, 'parallel, more workers, all states through messages');
is(digests($workers_only, 'parted'), $expected, 'partition-wise and parallel');
is(digests($partitionwise, 'parted'), $expected, 'partition-wise');

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
my $uneven = q{tableoid = 'parted_0'::regclass OR k < 4};
is( $node->safe_psql(
		'postgres', qq{$workers_only
		CREATE TEMP TABLE uneven AS SELECT k FROM parted WHERE $uneven;
		SELECT bloom_agg(k, 2000, 0.01) = (SELECT bloom_agg(k, 2000, 0.01) FROM uneven),
			counting_bloom_agg(k, 2000, 0.01) = (
				SELECT counting_bloom_add_all(counting_bloom_create(2000), array_agg(k)) FROM uneven),
			cuckoo_agg(k) = (SELECT cuckoo_agg(k) FROM uneven)
		FROM parted WHERE $uneven}),
	't|t|t', 'uneven states');

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

my @of_group = (
	'bloom_agg(k)', 'bloom_agg(s, 100, 0.01)', 'counting_bloom_agg(k)',
	'counting_bloom_agg(s, 100, 0.01)', 'cuckoo_agg(k)', 'cuckoo_agg(s, 5000, 0.01)');
my $of_group = join ', ', map { "md5($_\::bytea)" } @of_group;

sub groups
{
	my ($settings, $table) = @_;
	return $node->safe_psql('postgres',
		"$settings SELECT k % 100 / 3 AS g, $of_group FROM $table GROUP BY g ORDER BY g");
}

my $expected_groups = $node->safe_psql(
	'postgres', qq{$serial
	SELECT g, x.* FROM generate_series(0, 33) g,
		LATERAL (SELECT $of_group FROM copies WHERE k % 100 / 3 = g) x ORDER BY g});

is(scalar(() = $expected_groups =~ /^\d+(\|[0-9a-f]{32}){6}$/mg), 34, 'groups');
is(groups($serial, 'copies'), $expected_groups, 'hashed groups');
is(groups("$serial SET enable_hashagg = off;", 'ascending'), $expected_groups, 'sorted groups');
is(groups($workers_only, 'copies'), $expected_groups, 'parallel groups');
is(groups($workers_only, 'parted'), $expected_groups, 'parallel and partition-wise groups');

# a group for each key, in memory for a few of them
my $many = q{
	SELECT count(*), sum(bloom_cardinality(f)), count(*) FILTER (WHERE f @> g),
		md5(string_agg(md5(f::bytea), '' ORDER BY g))
	FROM (SELECT k / 2 AS g, bloom_agg(k / 2) AS f FROM copies GROUP BY g) x};
my $low_memory = "$serial SET work_mem = '64kB'; SET hash_mem_multiplier = 1;";
my $expected_many = $node->safe_psql('postgres', "$serial SET enable_hashagg = off; $many");

like($expected_many, qr/^50001\|50001\|50001\|/, 'fifty thousand groups');
like(
	explained("$low_memory SET enable_sort = off;",
		'SELECT k / 2 AS g, bloom_agg(k / 2) FROM copies GROUP BY g'),
	qr/HashAggregate.*Batches: \d\d/s,
	'groups go to disk');
is($node->safe_psql('postgres', "$low_memory SET enable_sort = off; $many"),
	$expected_many, 'hashed groups that go to disk');

#
# Other ways to call an aggregate
#

for my $kind (qw(bloom counting_bloom cuckoo))
{
	my $agg = "${kind}_agg";

	is( $node->safe_psql(
			'postgres', qq{$serial
			SELECT $agg(k) FILTER (WHERE k <= 3000) = (SELECT $agg(k) FROM copies WHERE k <= 3000),
				$agg(DISTINCT k) = (SELECT $agg(k) FROM sorted), $agg(DISTINCT k) = $agg(k),
				$agg(k ORDER BY s) = $agg(k ORDER BY -k)
			FROM copies}),
		($kind eq 'counting_bloom' ? 't|t|f|t' : 't|t|t|t'),
		"$agg: FILTER, DISTINCT, ORDER BY");
}

# windows that pass the length of a list, and have keys many times; the result at every row leaves
# the state as it was, though it sorts it
my @of_window = (
	'bloom_agg(k)', 'bloom_agg(k, 200, 0.01)', 'counting_bloom_agg(k)',
	'counting_bloom_agg(k, 200, 0.01)', 'cuckoo_agg(k)', 'cuckoo_agg(k, 400, 0.01)');
for my $case (
	[ 'ORDER BY n', 's.n <= w.n' ],
	[ 'ORDER BY n ROWS BETWEEN 299 PRECEDING AND CURRENT ROW', 's.n BETWEEN w.n - 299 AND w.n' ])
{
	my ($frame, $condition) = @$case;

	is( $node->safe_psql(
			'postgres', qq{$serial
			WITH few AS MATERIALIZED (
				SELECT n, n * 7919 % CASE WHEN n % 3 = 0 THEN 17 ELSE 307 END AS k FROM generate_series(1, 820) n)
			SELECT count(*), }
			  . join(', ', map { "count(*) FILTER (WHERE w.a$_ = l.a$_)" } 0 .. $#of_window)
			  . ' FROM (SELECT n, '
			  . join(', ', map { "$of_window[$_] OVER w AS a$_" } 0 .. $#of_window)
			  . " FROM few WINDOW w AS ($frame)) w JOIN LATERAL (SELECT "
			  . join(', ', map { "$of_window[$_] AS a$_" } 0 .. $#of_window)
			  . " FROM few s WHERE $condition) l ON true"),
		join('|', (820) x 7),
		"window $frame");
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
	CREATE TABLE stored AS SELECT bloom_agg(k) AS f FROM sorted WHERE k <= 50000;
	CREATE TABLE deletables AS
		SELECT counting_bloom_agg(k) AS b, cuckoo_agg(k) AS c FROM copies WHERE k <= 50000;
	CREATE TABLE shards AS SELECT k % 5 AS shard, bloom_agg(k) AS f FROM sorted GROUP BY 1;
	CREATE TABLE matrices AS SELECT n, bloom_matrix_agg(piece, f) AS m
		FROM (VALUES (0), (1)) v (n), LATERAL (SELECT k % 40 - n AS piece, bloom_agg(k, 20000, 0.001) AS f
			FROM sorted WHERE k % 2 = n GROUP BY 1) s
		GROUP BY n;
	CREATE TABLE pieces AS SELECT k / 4 AS piece, bloom_agg(k % 4) AS f FROM sorted GROUP BY 1;
	ANALYZE});
for my $query (
	'SELECT count(*), sum(k) FROM sorted WHERE bloom_contains((SELECT f FROM stored), k)',
	'SELECT count(*), sum(k) FROM sorted WHERE (SELECT bloom_agg(k) FROM sorted WHERE k < 1000) @> k',
	'SELECT count(*), sum(k) FROM sorted JOIN shards ON f @> k AND k % 5 = shard WHERE k % 10 = 0',
	'SELECT count(*), sum(k) FROM sorted, stored WHERE bloom_contains_any(f, ARRAY[k, k + 50000]) AND k % 10 = 0',
	'SELECT count(*), sum(k) FROM sorted, deletables WHERE c @> k AND k % 10 < 7',
	'SELECT count(*), sum(k) FROM sorted, deletables WHERE b @> k AND k % 10 < 7',
	'SELECT count(*), sum(k) FROM sorted WHERE cuckoo_contains((SELECT c FROM deletables), k)',
	'SELECT sum(cuckoo_count(c, k)), sum(counting_bloom_count(b, k)) FROM sorted, deletables WHERE k % 10 = 0',
	'SELECT count(*), sum(id), sum(k) FROM sorted, matrices, bloom_matrix_search(m, k) id WHERE k % 10 < 2',
	'SELECT count(*), sum(k) FROM sorted WHERE k % 10 = 0 AND k % 40 =
		ANY (ARRAY(SELECT bloom_matrix_search((SELECT m FROM matrices WHERE n = 0), k)))',
	'SELECT count(*), sum(id), sum(k) FROM sorted, matrices, bloom_matrix_search_any(m, ARRAY[k, -k]) id
		WHERE k % 50 = n'
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
