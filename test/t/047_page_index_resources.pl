# Indexes USING bloom_pages where something is short: whatever takes long can be cancelled, a build keeps to
# maintenance_work_mem, and no space on disk is an error after which the index is right again.  A thousand
# of them cost a session little.
#
# Runs alone: it measures processor time and memory.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use List::Util qw(min);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);
use WireSession;

plan skip_all => 'processor time, memory and the size of files are known and limited on Linux only'
  unless -r '/proc/self/schedstat' && WireSession::can_limit_memory();

# More rows show steps that take as long as a fraction of them does; less shared memory is less that is
# taken for memory of a session.
my $nrows = $ENV{BLOOMTYPE_SLOW} ? 10_000_000 : 1_000_000;
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--wal-segsize=1' ]);
$node->append_conf('postgresql.conf', q{
shared_buffers = 1MB
autovacuum = off
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
jit = off
});
$node->start;
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION bloomtype;
	CREATE TABLE item AS SELECT hashint8extended(i, 1) AS k FROM generate_series(1, $nrows) i;
	VACUUM ANALYZE item});

my $session = WireSession->connect($node, 'postgres');

# The result of a statement in the session, or its error
sub run
{
	my ($sql) = @_;
	my $result = $session->query($sql);

	return $result->{error}{M} if $result->{error};
	return join '|', map { $_ // 'null' } map { @$_ } @{ $result->{rows} // [] };
}

#
# Cancelling
#

# Processor time of the session, in seconds
sub processor_time
{
	my ($nanoseconds) = split / /, slurp_file('/proc/' . $session->pid . '/schedstat');
	return $nanoseconds / 1e9;
}

# Run a statement, and cancel it when it has taken so many seconds.  Returns what it says, and how many
# seconds it went on; undef if it was done before.
sub cancelled_after
{
	my ($seconds, $statement) = @_;
	my $start = processor_time();
	my $cancelled;

	pipe(my $reader, my $writer) or die "pipe: $!";
	my $child = fork // die "fork: $!";
	if ($child == 0)
	{
		sleep 0.001 while processor_time() < $start + $seconds;
		syswrite $writer, processor_time();
		kill 'INT', $session->pid;
		kill 'KILL', $$;
	}
	close $writer;
	my $result = run($statement);
	my $end = processor_time();
	kill 'KILL', $child;
	waitpid $child, 0;
	return ($result, sysread($reader, $cancelled, 100) ? $end - $cancelled : undef);
}

# The processor time of a statement, in seconds
sub time_of
{
	my ($statement) = @_;
	my $start = processor_time();

	run("BEGIN; $statement");
	my $seconds = processor_time() - $start;
	run('ROLLBACK');
	return $seconds;
}

# However far it has come, it ends within 0.3 s, or an eighth of its time.  On a busy machine there may be
# other reasons, and it may be done sooner than before, so it may do so at the third attempt.
sub test_cancelling
{
	my ($name, $statement) = @_;
	my @times = map { time_of($statement) } 1 .. 2;
	my $whole = min(@times);
	my $limit = min(0.3, $whole / 8);
	note sprintf '%s takes %.2f s', $name, $whole;
	for my $share ($ENV{BLOOMTYPE_SLOW} ? map { $_ / 20 } 1 .. 19 : (0.2, 0.4, 0.6, 0.85))
	{
		my ($result, $seconds);

		for my $attempt (1 .. 3)
		{
			run('BEGIN');
			($result, $seconds) = cancelled_after($share * $whole, $statement);
			run('ROLLBACK');
			last if defined $seconds && $result =~ /^canceling/ && $seconds < $limit;
			$whole = min($whole, time_of($statement));
		}
		like($result, qr/^canceling statement due to user request/, "$name is cancelled at $share");
		cmp_ok($seconds // 'inf', '<', $limit, "$name: soon");
	}
	return;
}

# Batches are as large as they become.
run(q{SET maintenance_work_mem = '1GB'});
test_cancelling('a build', 'CREATE INDEX item_once ON item USING bloom_pages (k) WITH (pages_per_range = 4096,
	rows_per_range = 20000)');
run('CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1)');
test_cancelling('the check', q{SELECT bloom_pages_check('item_k')});
run('SET enable_seqscan = off');
test_cancelling('many scans', "SELECT count((SELECT k FROM item WHERE k = i)) FROM generate_series(1::bigint, $nrows / 20) i");
is(run(q{SELECT bloom_pages_check('item_k')}), $nrows, 'the session goes on');

#
# Memory
#

# The memory that a build takes, at most, in a session that has built an index before
sub memory_of_build
{
	my ($megabytes) = @_;
	my $peak = sub { (slurp_file('/proc/' . $session->pid . '/status') =~ /^VmHWM:\s+(\d+)/m)[0] / 1024 };

	$session = WireSession->connect($node, 'postgres');
	run("SET maintenance_work_mem = '${megabytes}MB'");
	run('CREATE TEMP TABLE small AS SELECT generate_series(1::bigint, 1000) AS k; CREATE INDEX ON small USING bloom_pages (k)');
	my $before = $peak->();
	run('DROP INDEX IF EXISTS item_once; CREATE INDEX item_once ON item USING bloom_pages (k)
		WITH (pages_per_range = 4096, rows_per_range = 20000)');
	my $taken = $peak->() - $before;
	note sprintf 'with %d MB it takes %.1f MB', $megabytes, $taken;
	return $taken;
}

cmp_ok(memory_of_build($_), '<', $_ + 2, "a build keeps to $_ MB") for (1, 4, 16);
cmp_ok(memory_of_build(1024), '<', 14, 'and to 12 MB');
is(run(q{SELECT bloom_pages_check('item_once')}), $nrows, 'built in parts: all rows are found');
run('DROP TABLE item');

#
# Space
#

# For the session, no file may have more than so many blocks and a half, as on a disk that becomes full; undef
# lifts that.
my $block_size = run('SHOW block_size');

sub limit_space
{
	my ($blocks) = @_;
	my $limit = defined $blocks ? ($blocks + 0.5) * $block_size : 'unlimited';

	system('prlimit', '--pid=' . $session->pid, "--fsize=$limit:") == 0 or die 'prlimit failed';
	return;
}

sub blocks_of_index
{
	return run(q{SELECT pg_relation_size('item_k')}) / $block_size;
}

# An index has more pages than its table, so it is the first that has no space.
$session = WireSession->connect($node, 'postgres');
run($_) for 'SET enable_seqscan = off', q{CREATE TABLE item (k bigint, pad char(200) DEFAULT '')},
  'CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1, rows_per_range = 32000)';
my $rows = 100;
is(run("INSERT INTO item SELECT generate_series(1::bigint, $rows)"), '', 'there is space');
for my $more (0, 1, 100)
{
	limit_space(blocks_of_index() + $more);
	like(run("INSERT INTO item SELECT generate_series($rows + 1::bigint, $rows + 20000)"),
		qr/^could not extend file/, "inserts that need more than $more pages");
	is(run(q{SELECT bloom_pages_check('item_k')}), $rows, 'all rows of before are found');
	is(run('SELECT k FROM item WHERE k = 7'), 7, 'by scans, too');
	limit_space(undef);
	is(run("INSERT INTO item SELECT generate_series($rows + 1::bigint, $rows + 100)"), '', 'with space again');
	$rows += 100;
	is(run(q{SELECT bloom_pages_check('item_k')}), $rows, 'new rows are found');
}
# what there is has been written
run('CHECKPOINT');
limit_space(blocks_of_index() - 1);
like(run($_), qr/^could not extend file/, "no space: $_")
  for 'REINDEX INDEX item_k',
  'CREATE INDEX item_other ON item USING bloom_pages (k) WITH (pages_per_range = 1, rows_per_range = 32000)';
is(run(q{SELECT bloom_pages_check('item_k')}), $rows, 'the index is as it was');
limit_space(undef);
is(run("INSERT INTO item SELECT generate_series($rows + 1::bigint, $rows + 20000)"), '', 'as many as had no space');
$rows += 20000;
is(run(q{SELECT bloom_pages_check('item_k')}), $rows, 'all rows are found');
run('REINDEX INDEX item_k');
is(run(q{SELECT bloom_pages_check('item_k')}), $rows, 'and after a build');

#
# A thousand indexes
#

$node->safe_psql(
	'postgres', q{
	CREATE TABLE many (r bigint, b bigint, part int) PARTITION BY LIST (part);
	CREATE INDEX many_r ON many USING bloom_pages (r);
	CREATE INDEX many_b ON many (b);
	DO $$ BEGIN
		FOR i IN 1 .. 1000 LOOP
			EXECUTE format('CREATE TABLE many_%s PARTITION OF many FOR VALUES IN (%s)', i, i);
			COMMIT;
		END LOOP;
	END $$;
	INSERT INTO many VALUES (7, 7, 500)});
$session = WireSession->connect($node, 'postgres');
run('SET enable_seqscan = off');

# The processor time of a plan, when the session knows all indexes
sub planning
{
	my ($column) = @_;
	my @times = map {
		my $start = processor_time();
		run("EXPLAIN SELECT FROM many WHERE $column = 7::bigint");
		processor_time() - $start
	} 1 .. 5;

	return min(@times);
}

# What it remembers of an index on a column
sub memory_of_index
{
	my ($column) = @_;
	return run(qq{SELECT round(avg(total_bytes)) FROM pg_backend_memory_contexts
		WHERE name = 'index info' AND ident LIKE 'many%_${column}_idx'});
}

is(run("SELECT part FROM many WHERE r = 7::bigint"), 500, 'one of a thousand partitions');
my ($planning, $of_btree) = map { planning($_) } qw(r b);
my ($memory, $memory_of_btree) = map { memory_of_index($_) } qw(r b);
note sprintf 'planning takes %.1f ms, with b-trees %.1f; an index %d bytes, %d',
  1000 * $planning, 1000 * $of_btree, $memory, $memory_of_btree;
cmp_ok($planning, '<', 2 * $of_btree, 'planning takes less than twice as long as with b-trees');
cmp_ok($memory, '<=', 8192, 'a session remembers little of each');

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');
$node->stop;
done_testing();
