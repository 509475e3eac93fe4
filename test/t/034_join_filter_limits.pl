# bloomtype_join: the memory of a filter is bounded by work_mem; nothing is left behind by a thousand
# executions, whether they end, fail or are given up; too little memory is an error, whenever it runs
# out; a join can be cancelled at any time.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use WireSession;

# Memory that was freed goes back at once, so that the limit is on what is used.
$ENV{MALLOC_MMAP_THRESHOLD_} = $ENV{MALLOC_TRIM_THRESHOLD_} = 65536;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
shared_preload_libraries = 'bloomtype_join'
bloomtype_join.enable = force
jit = off
enable_nestloop = off
enable_mergejoin = off
max_parallel_workers_per_gather = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
log_min_messages = fatal
log_min_error_statement = panic
});
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE TABLE fact AS SELECT g AS id, g % 1000 AS a, (g % 1000)::text AS t FROM generate_series(1, 20000) g;
	CREATE TABLE dim AS SELECT g AS id, g::text AS t, g % 10 AS grp FROM generate_series(0, 999) g;
	CREATE TABLE many AS SELECT g AS id, g * 2 AS a, g::text AS t FROM generate_series(1, 200000) g;
	ANALYZE fact, dim, many;

	-- bytes in use by filters, and by all
	CREATE FUNCTION filter_bytes() RETURNS bigint LANGUAGE sql STABLE AS
		$$SELECT coalesce(sum(total_bytes), 0) FROM pg_backend_memory_contexts WHERE name = 'bloomtype_join filter'$$;
	CREATE FUNCTION used_bytes() RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts);
	END $$;

	-- note the most bytes of filters; called while the inner side is read
	CREATE FUNCTION noted() RETURNS boolean LANGUAGE plpgsql STABLE COST 0.001 AS $$
	BEGIN
		PERFORM set_config('test.most', greatest(current_setting('test.most')::bigint, filter_bytes())::text, false);
		RETURN true;
	END $$;

	-- stack that it has once is there ever after: its growth must not fail
	CREATE FUNCTION deep(n int) RETURNS int LANGUAGE plpgsql AS
		'BEGIN RETURN CASE WHEN n = 0 THEN 0 ELSE deep(n - 1) END; END';
	CREATE FUNCTION fails_at(x int, at int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL SAFE AS
		'BEGIN IF x = at THEN RAISE EXCEPTION ''failed''; END IF; RETURN x; END'});
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

#
# The memory of a filter
#

# A quarter of work_mem, and at least 64 kB, while rows come and when all are there; and the blocks
# are at the start of a cache line
for my $case ([ '64kB', 64 ], [ '1MB', 256 ], [ '8MB', 2048 ], [ '256MB', 16384 ])
{
	my ($work_mem, $kilobytes) = @$case;

	for my $nkeys (100, 3000, 20000, 140000, 200000)
	{
		my ($most, $kept, $nfound) = split /[|\n]/, $node->safe_psql(
			'postgres', qq{
			SET work_mem = '$work_mem';
			SET hash_mem_multiplier = 4;
			SET test.most = 0;
			SET cursor_tuple_fraction = 1;
			BEGIN;
			DECLARE c CURSOR FOR SELECT x.id FROM many x JOIN many y ON x.a = y.a
				WHERE y.id <= $nkeys AND CASE WHEN y.id % 1000 = 0 OR y.id < 3 THEN noted() ELSE true END;
			MOVE 50 IN c;
			SELECT current_setting('test.most'), filter_bytes();
			CLOSE c;
			SELECT count(*) FROM many x JOIN many y ON x.a = y.a WHERE y.id <= $nkeys});

		# the first blocks of a memory context are 8 and 16 kB
		cmp_ok($most, '<=', 1024 * ($kilobytes + 26), "$nkeys keys with $work_mem: memory while they come");
		cmp_ok($kept, '<=', 1024 * ($kilobytes + 26), "$nkeys keys with $work_mem: memory afterwards");
		note("$nkeys keys with $work_mem: $most bytes, then $kept");
		is($nfound, $nkeys, "$nkeys keys with $work_mem: rows");
	}
}
is( $node->safe_psql('postgres', 'SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id; SELECT filter_bytes()'),
	"20000\n0", 'the memory ends with the query');

#
# A thousand executions
#

# Bytes by which the memory of the session may grow from a quarter of the executions to the end
my $MAX_GROWTH = 100000;

sub test_growth
{
	my ($name, $n, $settings, $statements) = @_;
	my ($first, $last) = split /\|/, $node->safe_psql(
		'postgres', qq{
		$settings;
		DO \$\$
		DECLARE
			c refcursor;
			x int;
		BEGIN
			PERFORM used_bytes();
			FOR i IN 1 .. $n LOOP
				$statements
				IF i = $n / 4 THEN
					PERFORM set_config('test.first', used_bytes()::text, false);
				END IF;
			END LOOP;
			PERFORM set_config('test.last', used_bytes()::text, false);
		END \$\$;
		SELECT current_setting('test.first'), current_setting('test.last')});

	cmp_ok($last - $first, '<', $MAX_GROWTH, "no memory is left behind: $n times $name");
	return;
}

my $join = 'fact JOIN dim ON fact.a = dim.id WHERE dim.grp = i % 12';
for my $plan (qw(force_generic_plan force_custom_plan))
{
	test_growth("a statement, $plan", 1000, "SET plan_cache_mode = $plan", "SELECT count(*) INTO x FROM $join;");
}
test_growth('keys of text', 1000, '', 'SELECT count(*) INTO x FROM fact JOIN dim USING (t) WHERE dim.grp = i % 12;');
test_growth('a new plan', 1000, '', qq{EXECUTE 'SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = ' || i % 12;});
test_growth('a cursor that is closed early', 1000, '', "OPEN c FOR SELECT fact.id FROM $join; FETCH c INTO x; CLOSE c;");
test_growth(
	'an error in the inner side or later, in a subtransaction',
	1000, '', qq{
	BEGIN
		SELECT count(fails_at(fact.id, i)) INTO x FROM fact JOIN dim ON fact.a = fails_at(dim.id, 10 * (i % 100)) OR false
			WHERE dim.id = fact.a AND fails_at(dim.grp, i % 12) >= 0;
	EXCEPTION WHEN raise_exception THEN
		NULL;
	END;});
test_growth(
	'an error with an open cursor, in a subtransaction', 1000, '', qq{
	BEGIN
		OPEN c FOR SELECT fact.id FROM $join;
		FETCH c INTO x;
		RAISE EXCEPTION 'failed';
	EXCEPTION WHEN raise_exception THEN
		NULL;
	END;});
test_growth('EXPLAIN', 1000, '',
	q{EXECUTE 'EXPLAIN (FORMAT json) SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = ' || i % 12;});
test_growth('a rescan', 1000, '',
	'SELECT sum((SELECT count(*) FROM dim d JOIN dim e ON d.id = e.id WHERE e.grp = 3 AND d.grp > s - i)) INTO x
		FROM generate_series(1, 3) s;');
test_growth('a join that workers share', 100,
	'SET max_parallel_workers_per_gather = 2; ALTER TABLE fact SET (parallel_workers = 2); ALTER TABLE dim SET (parallel_workers = 2)',
	"SELECT count(*) INTO x FROM $join;");
$node->safe_psql('postgres', 'ALTER TABLE fact RESET (parallel_workers); ALTER TABLE dim RESET (parallel_workers)');

# while one statement reads a million rows: of keys whose hash functions allocate memory
for my $key ("'x' || g AS k", "repeat('x', 3000) || g AS k", "(g * 1.5)::numeric AS k")
{
	my ($first, $last) = split /\|/, $node->safe_psql(
		'postgres', qq{
		SET work_mem = '1MB';
		CREATE TEMP TABLE keys AS SELECT g, $key FROM generate_series(1, 20000) g;
		ANALYZE keys;
		SELECT max(used) FILTER (WHERE n = 5000), max(used) FILTER (WHERE n = 20000) FROM (
			SELECT x.g AS n, CASE WHEN x.g % 5000 = 0 THEN used_bytes() END AS used
			FROM keys x JOIN (SELECT k FROM keys WHERE g % 5000 = 0) y USING (k) OFFSET 0) s});
	cmp_ok($last - $first, '<', $MAX_GROWTH, "no memory is left behind by rows: $key");
}

#
# Too little memory
#

SKIP:
{
	skip 'memory can be limited on Linux only, with prlimit', 1 unless WireSession::can_limit_memory();

	for my $case (
		[ 'a filter of many keys', 'SELECT count(*) FROM many x JOIN many y ON x.a = y.a WHERE y.id % 3 > 0' ],
		[ 'keys of text', 'SELECT count(*) FROM many x JOIN many y ON x.t = y.t WHERE y.id % 3 > 0' ],
		[ 'two filters', 'SELECT count(*) FROM many x JOIN many y ON x.a = y.a JOIN many z ON x.id = z.id
			WHERE y.id % 3 > 0 AND z.id % 2 > 0' ],
		[ 'a filter that is filled again', q{SELECT sum((SELECT count(*) FROM many x JOIN many y ON x.a = y.a
			WHERE y.id % 3 > 0 AND x.id <> s)) FROM generate_series(1, 2) s} ])
	{
		my ($name, $sql) = @$case;
		my $session = WireSession->connect($node, 'postgres');
		my $run = sub {
			my $result = $session->query($_[0]);

			return "$result->{error}{C} $result->{error}{M}" if $result->{error};
			return join '|', map { $_ // 'null' } map { @$_ } @{ $result->{rows} // [] };
		};
		my ($bytes, $nfailed, @wrong) = (0, 0);

		$run->($_) for "SET work_mem = '64MB'", 'SELECT deep(40)';
		my $expected = $run->($sql);
		while (1)
		{
			$session->limit_memory($bytes);
			my $result = $run->($sql);
			$session->limit_memory(undef);
			last if $result eq $expected || $bytes > 1 << 28;

			$nfailed++;
			push @wrong, "with $bytes bytes: $result" unless $result =~ /^53200 out of memory$/;
			push @wrong, "after a failure with $bytes bytes" if $run->('SELECT filter_bytes()') ne '0';
			$bytes += $bytes < 1 << 20 ? 1 << 16 : 1 << 19;
		}
		is(scalar @wrong, 0, "$name: out of memory is an error, with less than $bytes bytes")
		  or diag join "\n", @wrong > 5 ? (@wrong[ 0 .. 4 ], '...') : @wrong;
		cmp_ok($nfailed, '>', 0, "$name: fails for want of memory $nfailed times");
		is($run->($sql), $expected, "$name: as before, once there is memory");
	}
}

#
# Cancelled, while the filter is filled, while it is asked, in one process and in several.  The limit of
# time is for one message to the server, as a statement that lifts it could be cancelled itself.  If it is
# reached at the very end, the server cancels what comes next: a statement that does nothing.
#

my $parallel = q{SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = on};
my $most = 'SELECT count(*) FROM many x JOIN many y ON x.a = y.a WHERE y.id % 3 > 0';
for my $case (
	[ 'a filter of many keys', '', $most ],
	[ 'a filter with too many keys', q{SET work_mem = '64kB'}, $most ],
	[ 'keys of text', '', 'SELECT count(*) FROM (SELECT DISTINCT fact.id % 10 FROM fact JOIN dim d USING (t) JOIN fact e USING (t)
		WHERE d.grp < 5) s' ],
	[ 'a filter that is filled again', q{SET work_mem = '256kB'; SET hash_mem_multiplier = 1},
		'SELECT sum((SELECT count(*) FROM fact x JOIN fact y ON x.id = y.id WHERE y.a < 500 AND x.a <> s))
		FROM generate_series(1, 10) s' ],
	[ 'a filter that workers share', $parallel, $most ],
	[ 'a scan of which no row passes', '', 'SELECT count(*) FROM many x, many y, dim WHERE x.id = y.id AND y.a = -1 - dim.id' ])
{
	my ($name, $settings, $sql) = @$case;
	my $expected = $node->safe_psql('postgres', "$settings; $sql");
	my $start = time;
	$node->safe_psql('postgres', "$settings; $sql");
	my $whole = 1000 * (time - $start);
	my ($ncancelled, @wrong) = (0);

	for my $step (1 .. 10)
	{
		my $timeout = 1 + int($whole * $step / 10);
		my (undef, $stdout, $stderr) = $node->psql(
			'postgres', "$settings; SET LOCAL statement_timeout = $timeout\\; $sql;
			DO 'BEGIN END'; SELECT 'filters: ' || filter_bytes(); $sql", on_error_stop => 0);

		$ncancelled++ if $stderr =~ /canceling statement due to statement timeout/;
		push @wrong, "after $timeout ms: $stdout $stderr"
		  if $stderr =~ /ERROR/ && $stderr !~ /canceling statement due to statement timeout/ ||
		  $stdout !~ /^(\Q$expected\E\n)?filters: 0\n\Q$expected\E$/;
	}
	is(scalar @wrong, 0, "$name: cancelled $ncancelled of 10 times, the session goes on")
	  or diag $wrong[0];
	cmp_ok($ncancelled, '>', 0, "$name: is cancelled");
}

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server was not restarted');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
