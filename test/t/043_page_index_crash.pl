# Indexes USING bloom_pages, of eight ranges in a group, on a server that is killed while eight clients
# write and one session builds the indexes again: bloom_pages_check finds nothing wrong with any index,
# and each committed row is found.
#
# Rounds in turn kill the postmaster with all of its processes, and one backend, by signal 9; with pages
# in WAL after a checkpoint and without; some check that records make of pages what they should.  Tables
# are emptied from time to time, so that indexes grow from their first group on, through super-groups and
# epochs.  At the end, what is not in WAL at all.
#
# Left to --ci, for its time.
#
#    BLOOMTYPE_ROUNDS=...  how many

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Kills;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PageIndexLibrary;
use PageIndexWriters;
use Test::More;

my $nrounds = $ENV{BLOOMTYPE_ROUNDS} // ($ENV{BLOOMTYPE_SLOW} ? 50 : 3);
my $library = new_library();
install_library($library);

my $node = new_node('main', $library->{copy});
$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--data-checksums' ]);
$node->append_conf('postgresql.conf', PageIndexWriters::configuration());
$node->start;
PageIndexWriters::prepare($node, 900);

my ($nepochs, $nlevels, $nranges) = (0, 0, 0);
for my $round (1 .. $nrounds)
{
	# The server cannot check records of a file that is removed later, without images of its pages.
	my $full_pages = $round % 4 < 2 ? 'on' : 'off';
	my $checking = $round % 4 == 1 ? 'all' : '';

	$node->safe_psql('postgres', 'TRUNCATE item, named, loose') if $round % 5 == 3;
	$node->append_conf('postgresql.conf', "full_page_writes = $full_pages\nwal_consistency_checking = '$checking'");
	$node->reload;
	is(PageIndexWriters::run_round($node, 400, $round % 2 ? \&kill_server : \&kill_backend), '',
		"round $round: all rows are found; full_page_writes = $full_pages, wal_consistency_checking = '$checking'");
	is($node->safe_psql('postgres', 'SELECT count(*) FROM loose'), '0', "round $round: the unlogged table is empty");
	is($node->safe_psql('postgres', q{
		INSERT INTO loose SELECT generate_series(1, 100);
		SET enable_seqscan = off; SELECT count(*) FROM loose WHERE k IN (7, 8, 9)}), '3',
		"round $round: its index works");

	for (split /\n/, $node->safe_psql('postgres', q{
		SELECT epochs, levels, ranges FROM unnest('{item_k, item_t, named_k}'::regclass[]) i, bloom_pages_info(i)}))
	{
		my @info = split /\|/;
		$nepochs = $info[0] if $info[0] > $nepochs;
		$nlevels = $info[1] if $info[1] > $nlevels;
		$nranges = $info[2] if $info[2] > $nranges;
	}
}
diag("rows of item: ", $node->safe_psql('postgres', 'SELECT count(*) FROM item'),
	"; numbers: ", $node->safe_psql('postgres', 'SELECT last_value FROM number'));
cmp_ok($nepochs, '>', 1, 'indexes had several epochs');
is($nlevels, 2, 'and two levels');
cmp_ok($nranges, '>', 2 * 8 * 8, 'and several super-groups');

# With wal_level = minimal, files that a transaction makes are written when it commits.
$node->append_conf('postgresql.conf', "wal_level = minimal\nmax_wal_senders = 0");
$node->restart;
for my $threshold (0, '1GB')
{
	$node->safe_psql(
		'postgres', qq{
		SET wal_skip_threshold = '$threshold';
		BEGIN;
		TRUNCATE item, named;
		INSERT INTO item (k, t) SELECT i, i FROM generate_series(1, 1000) i;
		CREATE TABLE fresh (k bigint);
		INSERT INTO fresh SELECT generate_series(1, 1000);
		CREATE INDEX fresh_k ON fresh USING bloom_pages (k) WITH (pages_per_range = 1);
		INSERT INTO fresh SELECT generate_series(1001, 2000);
		COMMIT});
	kill_server($node);
	is(PageIndexWriters::faults($node), '', "wal_level = minimal, wal_skip_threshold = $threshold: all rows are found");
	$node->safe_psql('postgres', 'DROP TABLE fresh');
}

$node->stop;
done_testing();
