# Indexes USING bloom_pages through crashes and on a standby: the server replays the records that
# the extension writes by hand, and gets the same pages.
#
# With wal_consistency_checking, each record also has images of the pages that it changes, and
# whoever replays it compares them with what the record makes of the pages before; a difference
# ends the standby.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Kills;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $nrows = 0;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1, extra => [ '--locale=C', '--data-checksums' ]);
$primary->append_conf('postgresql.conf', q{
wal_consistency_checking = all
full_page_writes = on
wal_keep_size = 1GB
autovacuum = off
});
$primary->start;

# Ranges of one page, which has one row, make many groups of few rows: empty indexes that grow
# through epochs, until they have two levels.  The first key of "grown_late" adds pages that stay without bits.
my $page = $primary->safe_psql('postgres', 'SHOW block_size');
my $width = $page / 2 + 4;
$primary->safe_psql(
	'postgres', qq{
	CREATE EXTENSION bloomtype;
	CREATE TABLE grown (k bigint, t text, pad char($width) DEFAULT '');
	ALTER TABLE grown ALTER pad SET STORAGE plain;
	CREATE INDEX grown_k ON grown USING bloom_pages (k) WITH (pages_per_range = 1, rows_per_range = 5);
	CREATE INDEX grown_t ON grown USING bloom_pages (t) WITH (pages_per_range = 1);
	CREATE INDEX grown_late ON grown USING bloom_pages (nullif(greatest(k, 1000), 1000))
		WITH (pages_per_range = 1, rows_per_range = 200);
	CREATE UNLOGGED TABLE unlogged (k bigint);
	CREATE INDEX unlogged_k ON unlogged USING bloom_pages (k);
	INSERT INTO unlogged SELECT generate_series(1, 1000)});
insert(100);

$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# Insert so many rows, of which those of a subtransaction are taken back.
sub insert
{
	my ($n) = @_;

	$primary->safe_psql(
		'postgres', qq{
		BEGIN;
		INSERT INTO grown (k, t) SELECT i, md5(i::text) FROM generate_series($nrows + 1, $nrows + $n) i;
		SAVEPOINT s;
		INSERT INTO grown (k, t) SELECT -i, i FROM generate_series(1, 10) i;
		ROLLBACK TO s;
		COMMIT});
	$nrows += $n;
	return;
}

# Every row is found through each index, and nothing else.
sub found_ok
{
	my ($node, $name) = @_;

	is( $node->safe_psql(
			'postgres', qq{
			SET enable_seqscan = off;
			SELECT count(*) - count((SELECT t FROM grown WHERE k = i LIMIT 1)),
				count(*) - count((SELECT k FROM grown WHERE t = md5(i::text) LIMIT 1)),
				count((SELECT t FROM grown WHERE k = -i))
			FROM generate_series(1::bigint, $nrows) i}),
		'0|0|0',
		$name);
	return;
}

# The bytes of an index, as they are on disk after a checkpoint; without the pages of zeros at the
# end, which are not in WAL.
sub bytes_of
{
	my ($node, $index) = @_;
	my $path = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('$index')");
	my $bytes = slurp_file($path);

	$bytes =~ s/\0+\z//;
	return $bytes;
}

sub same_pages_ok
{
	my ($name) = @_;

	$primary->wait_for_catchup($standby);
	$primary->safe_psql('postgres', 'CHECKPOINT');
	$primary->wait_for_catchup($standby);
	$standby->safe_psql('postgres', 'CHECKPOINT');
	for my $index (qw(grown_k grown_t grown_late))
	{
		my $bytes = bytes_of($primary, $index);

		cmp_ok(length($bytes), '>', 3 * $page, "$name: $index has pages");
		ok($bytes eq bytes_of($standby, $index), "$name: those of $index are the same on the standby");
	}
	return;
}

insert(2400);
same_pages_ok('inserted');
found_ok($primary, 'found on the primary');
found_ok($standby, 'found on the standby');

# what is seen while the primary goes on
$primary->safe_psql('postgres', 'DELETE FROM grown WHERE k % 2 = 0; VACUUM grown');
insert(200);
$primary->safe_psql('postgres', 'INSERT INTO grown (k, t) SELECT i, md5(i::text) FROM generate_series(2::bigint, 2500, 2) i');
same_pages_ok('space used again');
found_ok($primary, 'found where space was used again');
found_ok($standby, 'and on the standby');

# A row adds little to WAL once its pages have keys, and none for a key that is in the range.
$primary->safe_psql('postgres', 'INSERT INTO grown (k, t) SELECT i, i FROM generate_series(-150, -51) i');
$primary->safe_psql('postgres', 'CHECKPOINT');
$primary->safe_psql('postgres', 'CREATE TABLE same (k bigint); CREATE INDEX ON same USING bloom_pages (k); INSERT INTO same VALUES (7)');
is(scalar(lengths_of('INSERT INTO same VALUES (7)')), 0, 'no record for a key that is there already');
my @lengths = lengths_of('INSERT INTO grown (k, t) SELECT i, i FROM generate_series(-50, -1) i');
cmp_ok(scalar(@lengths), '>', 50, 'records of new keys');
is(scalar(grep { $_ > 300 } @lengths), 0, 'are small') or diag("@lengths");
$primary->safe_psql('postgres', 'DELETE FROM grown WHERE k < 0');

# Of the records of a statement, the lengths of those for indexes that have no image of a page.
sub lengths_of
{
	my ($statement) = @_;
	my $before = $primary->lsn('insert');

	$primary->safe_psql('postgres', "SET wal_consistency_checking = ''; $statement");
	my ($dump) = run_command(
		[
			'pg_waldump', '-p', $primary->data_dir . '/pg_wal', '-r', 'Generic', '-s', $before, '-e',
			$primary->lsn('insert')
		]);
	return map { /FPW/ ? () : /len \(rec\/tot\): +\d+\/ +(\d+)/ } split /\n/, $dump;
}

# Without writing what is in memory, also while a transaction is under way.
for my $round (1 .. 3)
{
	my $psql = $primary->background_psql('postgres');

	$psql->query_safe("BEGIN; INSERT INTO grown (k, t) SELECT 0, -i FROM generate_series(1, 100) i");
	insert(100);
	kill_server($primary);
	eval { $psql->quit };
	found_ok($primary, "found after a crash, $round");
}
is($primary->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM unlogged WHERE k = 7::bigint'),
	'0', 'an unlogged index is empty after a crash');
$primary->safe_psql('postgres', 'INSERT INTO unlogged SELECT generate_series(1, 1000)');
is($primary->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM unlogged WHERE k = 7::bigint'),
	'1', 'and works');
same_pages_ok('after crashes');

# Built indexes are in WAL as well; then the standby takes over.
$primary->safe_psql('postgres', 'REINDEX TABLE grown; REINDEX INDEX CONCURRENTLY grown_k');
insert(100);
same_pages_ok('built again');
$primary->stop;
$standby->promote;
$primary = $standby;
insert(100);
found_ok($standby, 'found after promotion');
$standby->stop;

done_testing();
