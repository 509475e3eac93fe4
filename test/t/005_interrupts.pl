# Whatever takes long can be cancelled, and leaves a session that works.
#
# Runs alone: it compares times.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use List::Util qw(min);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

# Millions of keys, and a filter in which each takes dozens of steps: those that
# it has are in the layer that is asked last.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	SELECT bloom_set_create('live', 'int', 1000);
	CREATE TABLE long (f bloom, present int[], absent int[]);
	ALTER TABLE long ALTER present SET STORAGE external, ALTER absent SET STORAGE external;
	INSERT INTO long
		SELECT bloom_add_all(bloom_create(1, 0.0001, 1), ARRAY(SELECT generate_series(1, 5000))),
			array_agg(1 + i % 100), array_agg(-1 - i % 100)
		FROM generate_series(1, 4000000) i});
cmp_ok($node->safe_psql('postgres', 'SELECT (bloom_info(f)).layers FROM long'),
	'>', 20, 'a filter of many layers');

sub seconds
{
	my ($query) = @_;
	my $start = time;

	$node->safe_psql('postgres', $query);
	return time - $start;
}

# Run a query that is cancelled after so many milliseconds, and another one behind it.  The time is
# for one message to the server, as a statement that lifts it could be cancelled itself.  Returns the
# result of the other query, the error, and the seconds that both took: the processor time of the
# session where /proc tells it, and that is less.
my $processor_time = -r '/proc/self/schedstat' ?
  q{split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::bigint / 1e9} : 'NULL';
sub cancel_once
{
	my ($query, $timeout, $then) = @_;
	my $start = time;
	my (undef, $stdout, $stderr) = $node->psql(
		'postgres', qq{SET LOCAL statement_timeout = $timeout\\;
		$query;
		$then;
		SELECT $processor_time},
		on_error_stop => 0);
	my $taken = time - $start;

	$taken = min($taken, $1) if $stdout =~ s/\n([^\n]*)\z// && length $1;
	note "cancelled after $timeout ms, it takes $taken s";
	return ($stdout, $stderr, $taken);
}

# The same; again, up to three times, where both take longer than so many seconds, or the query is
# done before: on a machine that is now busy, now not, there may be other reasons.
sub cancel
{
	my ($query, $timeout, $then, $seconds) = @_;
	my ($stdout, $stderr, $taken);

	for my $attempt (1 .. 3)
	{
		($stdout, $stderr, $taken) = cancel_once($query, $timeout, $then);
		last if $taken < $seconds && $stderr =~ /ERROR:/;
	}
	return ($stdout, $stderr, $taken);
}

# does the session go on?
my $goes_on = 'SELECT bloom_cardinality(bloom_agg(i)) FROM generate_series(1, 100) i';

# Cancel a query in the first half of what it does with the values that it reads: another query reads
# them alone, which is not ours to interrupt.  Where that takes too long all is measured again, up to
# three times, as reading may be slower by now.  What takes less than so many seconds is left out.
sub cancel_work
{
	my ($name, $query, $read, $least) = @_;
	my ($stdout, $stderr, $taken, $soon);

	for my $attempt (1 .. 3)
	{
		my $reading = min(map { seconds($read) } 1 .. 2);
		my $whole = min(map { seconds($query) } 1 .. 2);
		my $ours = $whole - $reading;
		my $timeout = int(1000 * ($reading + $ours / 4));

		note "$name takes $whole s, of which reading takes $reading s";
		if ($attempt == 1 && $ours < $least)
		{
			note 'that is too fast to be cancelled';
			return;
		}
		$soon = $timeout / 1000 + $ours / 2;
		($stdout, $stderr, $taken) = cancel_once($query, $timeout, $goes_on);
		last if $taken < $soon && $stderr =~ /ERROR:/;
	}
	like($stderr, qr/canceling statement due to statement timeout/, "$name is cancelled");
	cmp_ok($taken, '<', $soon, "$name: soon");
	is($stdout, '100', "$name: the session goes on");
}

# Each with its array, as to make that is not ours to interrupt.
my $decimals = 'array_fill(1.5, ARRAY[4000000])';
my $probes = "(SELECT external_bloom_agg(k, 'guava_int', 1e-30) FROM generate_series(1, 100) k)";
for my $case (
	[ 'bloom_add_all(f, present)', 'present' ],
	[ 'bloom_contains_all(f::bytea::bloom, present)', 'present' ],
	[ 'bloom_contains_any(f::bytea::bloom, absent)', 'absent' ],
	[ 'bloom_missing(f::bytea::bloom, present)', 'present' ],
	[ 'counting_bloom_add_all(counting_bloom_create(10), present)', 'present' ],
	[ 'counting_bloom_remove_all(counting_bloom_add(counting_bloom_create(10), 7), absent)', 'absent' ],
	[ 'cuckoo_remove_all(cuckoo_add(cuckoo_create(10), 7), absent)', 'absent' ],
	[ 'cuckoo_contains_any(cuckoo_add(cuckoo_create(10), 7), absent)', 'absent' ],
	[ q{bloom_set_add_all('live', present)}, 'present' ],
	[ "external_bloom_add_all($probes, 'guava_int', present)", 'present' ],
	[ "external_bloom_contains_all($probes, 'guava_int', present)", 'present' ],
	[ "bloom_key($decimals)", $decimals ])
{
	my ($expression, $array) = @$case;

	cancel_work($expression, "SELECT left(($expression)::text, 1) FROM long",
		"SELECT cardinality($array || NULL) FROM long", 0.2);
}

# Unions of layers of one geometry, of which each must be compared with each other nearly to
# its end: all are full, and differ in keys of the last block.
$node->safe_psql(
	'postgres', q{
	SET client_min_messages = error;
	CREATE TABLE layers AS
	WITH same AS MATERIALIZED (
		SELECT bloom_add_all(bloom_create(1500000, 0.01, 0), array_agg(i)) AS f
		FROM generate_series(1, 1600000) i)
	SELECT n % 2 AS half, bloom_union_agg(g | bloom_add(bloom_create(1), 1)) AS f
	FROM generate_series(1, 64) n, LATERAL (
		SELECT bloom_add_all(f, ARRAY(
			SELECT ('number:ffffffff' || lpad(to_hex(n * 1000 + i), 8, '0'))::bloom_key
			FROM generate_series(1, 10) i)) AS g
		FROM same) s
	GROUP BY 1});
is($node->safe_psql('postgres', 'SELECT sum((bloom_info(f)).layers) FROM layers'),
	64, 'filters of many layers');
for my $union (
	'bloom_union(a.f, b.f) FROM layers a JOIN layers b ON a.half < b.half',
	'bloom_union_agg(f) FROM layers')
{
	cancel_work($union, "SELECT bloom_info(f) FROM (SELECT $union) s(f)",
		'SELECT sum(octet_length(f::bytea)) FROM layers', 0);
}

# An aggregate over more rows than anyone waits for.
for my $aggregate (
	'bloom_agg(i)',
	'bloom_agg(i % 1000, 0.001)',
	'bloom_agg(i, 400000000, 0.01)',
	'counting_bloom_agg(i)',
	'counting_bloom_agg(i % 1000, 0.001)',
	'counting_bloom_agg(i, 100000000, 0.01)',
	'cuckoo_agg(i)',
	'cuckoo_agg(i % 1000, 0.001)',
	q{external_bloom_agg(i::text, 'redis', 0.01)},
	q{external_bloom_agg(i, 'spark_v2', 400000000, 0.01)})
{
	my ($stdout, $stderr, $taken) = cancel(
		"SELECT length(($aggregate)::bytea) FROM (
			SELECT generate_series(1, 1000000000::bigint) AS i) x",
		300, $goes_on, 6);

	like($stderr, qr/canceling statement due to statement timeout/, "$aggregate is cancelled");
	cmp_ok($taken, '<', 6, "$aggregate: soon");
	is($stdout, '100', "$aggregate: the session goes on");
}

# Filters are filled at the end: gathering, sorting, dropping copies and filling, each can be cancelled;
# with BLOOMTYPE_SLOW, of so many keys that a step which cannot takes longer than that.
my $nkeys = $ENV{BLOOMTYPE_SLOW} ? 100000000 : 3000000;
for my $aggregate (
	'cuckoo_agg(i)',
	$ENV{BLOOMTYPE_SLOW} ? ('bloom_agg(i)', "bloom_agg(i, $nkeys, 0.01)", 'counting_bloom_agg(i % 50000000)',
		q{external_bloom_agg(i, 'parquet_int64', 0.1)}) : ())
{
	my $query = "SELECT length($aggregate\::bytea) FROM (SELECT generate_series(1::bigint, $nkeys) AS i) s";
	my $whole = min(map { seconds($query) } 1 .. 2);
	note "$aggregate takes $whole s";
	for my $share ($ENV{BLOOMTYPE_SLOW} ? (0.1, 0.35, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.94, 0.97) : (0.3, 0.5, 0.65, 0.8))
	{
		# the machine may be faster by now
		$whole = min($whole, seconds($query)) unless $ENV{BLOOMTYPE_SLOW};
		my $timeout = int(1000 * $whole * $share);
		my $soon = $timeout / 1000 + ($ENV{BLOOMTYPE_SLOW} ? 0.3 : $whole * 0.15);
		my ($stdout, $stderr, $taken) = cancel($query, $timeout,
			'SELECT cuckoo_cardinality(cuckoo_agg(i)) FROM generate_series(1, 100) i', $soon);

		like($stderr, qr/canceling statement due to statement timeout/, "$aggregate is cancelled at $share");
		cmp_ok($taken, '<', $soon, "$aggregate at $share: soon");
		is($stdout, '100', "$aggregate at $share: the session goes on");
	}
}

# Nine keys that have the same buckets, whatever their number, find no place: that
# is said soon, or can be cancelled.
my ($stdout, $no_place, $taken) = cancel(
	q{SELECT cuckoo_agg(('number:0000000' || i || '00000007')::bloom_key) FROM generate_series(0, 8) i},
	300, q{SELECT 'goes on'}, 1.5);
like($no_place, qr/ERROR:/, 'keys that find no place are an error');
cmp_ok($taken, '<', 1.5, 'keys that find no place: soon');
is($stdout, 'goes on', 'keys that find no place: the session goes on');

# A cancelled statement changes nothing.  (Reading the array alone takes longer.)
my (undef, undef, $cancelled) = $node->psql('postgres',
	q{SET statement_timeout = '2ms'; UPDATE long SET f = bloom_add_all(bloom_create(10), absent)});
like($cancelled, qr/canceling statement due to statement timeout/, 'an update is cancelled');
is($node->safe_psql('postgres', 'SELECT bloom_contains_all(f, present[1:100]) FROM long'),
	't', 'the old filter is there');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
