# Serializable transactions that look for one another's keys by an index USING bloom_pages, and find
# nothing: only one of them can commit.  A scan of the index locks it as a whole (SIREAD), and an insert
# checks that.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::BackgroundPsql;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

# Keys of both sessions are in ranges of their own, and of none of the rows that are there.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE item (k bigint, pad char(1000) DEFAULT '');
	INSERT INTO item SELECT generate_series(1, 2000);
	CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1);
	ANALYZE item});

# Two transactions, each of which looks for a key and then makes a change.  Returns what the
# second one to commit has to say.
sub second_commit
{
	my ($isolation, $changes) = @_;
	my @sessions = map { $node->background_psql('postgres', on_error_stop => 0) } 1, 2;
	my $said;

	for my $session (@sessions)
	{
		$session->query_safe("SET enable_seqscan = off; BEGIN ISOLATION LEVEL $isolation");
	}
	like($sessions[0]->query_safe('EXPLAIN SELECT FROM item WHERE k = -1'), qr/Bitmap Index Scan on item_k/,
		"$isolation: by the index");
	like($sessions[$_]->query_safe('SELECT count(*) FROM item WHERE k = ' . ($_ - 2)), qr/^0$/, "$isolation: nothing is found")
	  for 0, 1;

	# each makes what the other has not found
	$sessions[$_]->query_safe(sprintf($changes, -1 - $_)) for 0, 1;
	$sessions[0]->query_safe('COMMIT');
	$sessions[1]->query('COMMIT');
	$said = $sessions[1]->{stderr};
	$_->quit for @sessions;
	$node->safe_psql('postgres', 'DELETE FROM item WHERE k < 0');
	return $said;
}

my $insert = 'INSERT INTO item VALUES (%s)';
my $update = 'UPDATE item SET k = %1$s WHERE ctid = format(\'(%%s,1)\', 10 - %1$s)::tid';
is(second_commit('REPEATABLE READ', $insert), '', 'both commit where nothing is promised');
like(second_commit('SERIALIZABLE', $insert), qr/could not serialize access/, 'rows inserted: one must try again');
like(second_commit('SERIALIZABLE', $update), qr/could not serialize access/, 'keys changed: one must try again');

$node->stop;
done_testing();
