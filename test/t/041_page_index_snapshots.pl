# Indexes USING bloom_pages that are built again while an older snapshot sees rows that the build
# leaves out: as of PostgreSQL 16, an update of the key may be stored in place of the row (HOT).
# On 15, where it is not, the same holds without the guard of pages_snapshot.c, so there it is off.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::BackgroundPsql;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = PostgreSQL::Test::Cluster->new('primary');
$primary->init(allows_streaming => 1);
$primary->append_conf('postgresql.conf', 'autovacuum = off');
$primary->start;

# Every page has space for new versions of its rows.
$primary->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE item (k bigint, n int) WITH (fillfactor = 40);
	CREATE TABLE other (n int);
	INSERT INTO item SELECT i, i FROM generate_series(1, 10000) i;
	CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1)});
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "hot_standby_feedback = on\nwal_receiver_status_interval = 1");
$standby->start;

# A session whose transaction has a snapshot of before.
sub old_session
{
	my ($node) = @_;
	my $session = $node->background_psql('postgres');

	$session->query_safe('SET enable_seqscan = off; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
	return $session;
}

# Does a session find the row that had this key before the update, and by the index?
sub found_ok
{
	my ($session, $key, $name) = @_;

	like($session->query_safe("EXPLAIN SELECT n FROM item WHERE k = $key\::bigint"),
		qr/Bitmap Index Scan/, "$name: by the index");
	like($session->query_safe("SELECT n FROM item WHERE k = $key\::bigint"), qr/^$key$/, "$name: found");
	return;
}

# The standby tells the primary which rows its sessions see.
sub wait_for_feedback
{
	$primary->poll_query_until('postgres', 'SELECT backend_xmin IS NOT NULL FROM pg_stat_replication');
	return;
}

my $old = old_session($primary);
my $old_on_standby = old_session($standby);
my $rebuilding = old_session($primary);
wait_for_feedback();
$primary->safe_psql('postgres', 'UPDATE item SET k = -k WHERE k % 100 = 1');
my $hot = $primary->safe_psql('postgres',
	'SELECT pg_stat_force_next_flush(); SELECT n_tup_hot_upd > 0 FROM pg_stat_user_tables') =~ /t/;
note($hot ? 'updates were HOT' : 'updates were not HOT');

# with a writer beside, whose transaction stays open
my $writer = $primary->background_psql('postgres');
$writer->query_safe('BEGIN; INSERT INTO other VALUES (0)');

$primary->safe_psql('postgres', 'REINDEX INDEX item_k');
$primary->wait_for_catchup($standby);
found_ok($old, 101, 'a snapshot older than REINDEX');
found_ok($old_on_standby, 101, 'the same on a standby');

# Others read one range, not the whole table.
my $read = $primary->safe_psql('postgres',
	'SET enable_seqscan = off; EXPLAIN (ANALYZE, COSTS off) SELECT n FROM item WHERE k = 150::bigint');
like($read, qr/Heap Blocks: lossy=[12]\b/, 'a later snapshot reads one range, beside a writer');
is($primary->safe_psql('postgres', 'SET enable_seqscan = off; SELECT n FROM item WHERE k = -101::bigint'),
	101, 'and finds the new key');

# the transaction that builds the index has the older snapshot itself; it waits for whoever uses it
$old->query_safe('COMMIT');
$primary->safe_psql('postgres', 'UPDATE item SET k = -k WHERE k % 100 = 2');
$rebuilding->query_safe('REINDEX INDEX item_k');
found_ok($rebuilding, 102, 'a snapshot older than updates that its own REINDEX leaves out');
$rebuilding->query_safe('COMMIT');

# where keys cannot have changed, an older snapshot reads one range, too
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
$primary->safe_psql('postgres', 'UPDATE item SET n = n WHERE k % 100 = 3; REINDEX INDEX item_k');
$read = $old->query_safe('EXPLAIN (ANALYZE, COSTS off) SELECT n FROM item WHERE k = 303::bigint');
like($read, $hot ? qr/Heap Blocks/ : qr/Heap Blocks: lossy=[12]\b/, 'other columns were updated');
$old->query_safe('COMMIT');

# An index that is created over such updates is kept from older snapshots by the server, built again or not.
$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class');
$primary->safe_psql(
	'postgres', q{
	UPDATE item SET n = -n WHERE k % 100 = 4;
	CREATE INDEX item_n ON item USING bloom_pages (n) WITH (pages_per_range = 1);
	REINDEX INDEX item_n});
is($old->query_safe('SELECT k FROM item WHERE n = 404'), 404, 'an index that is newer than a snapshot');
$old->query_safe('COMMIT');
$primary->safe_psql('postgres', 'DROP INDEX item_n');

# Those who have ended do not matter.
my ($status, $stdout, $stderr) = $primary->psql('postgres', q{SELECT bloom_pages_check('item_k')});
is($stdout, '10000', 'and all rows are found') or diag($stderr);
SKIP:
{
	skip 'updates of the key are not HOT before PostgreSQL 16', 1 unless $hot;

	(undef, undef, $stderr) = $primary->psql('postgres', q{
		BEGIN;
		UPDATE item SET k = -k WHERE k = 203;
		REINDEX INDEX item_k;
		SELECT bloom_pages_check('item_k')});
	like($stderr, qr/cannot check index "item_k" with a snapshot that is older than it/,
		'which the transaction that has built the index must leave to later ones');
}
$_->quit for $old, $old_on_standby, $rebuilding, $writer;

$standby->stop;
$primary->stop;
done_testing();
