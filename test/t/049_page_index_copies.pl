# Copies of a server with indexes USING bloom_pages, made and kept while eight clients write and one
# session builds the indexes again: a standby and its own standby, both of which are read all the time, a
# base backup that is recovered to some moments, and a logical subscriber.  On each, bloom_pages_check
# finds nothing wrong, and each row is found.  At the end the standby takes over.
#
# A group has eight ranges, so that indexes grow through super-groups and epochs.  Records have images of
# what they make of pages, which all copies compare.
#
# Left to --ci, for its time; most moments to BLOOMTYPE_SLOW.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PageIndexLibrary;
use PageIndexWriters;
use Test::More;

my $nmoments = $ENV{BLOOMTYPE_SLOW} ? 12 : 2;
my $library = new_library();
install_library($library);

my $primary = new_node('primary', $library->{copy});
$primary->init(allows_streaming => 'logical', has_archiving => 1,
	extra => [ '--locale=C', '--encoding=UTF8', '--data-checksums' ]);
$primary->append_conf('postgresql.conf', PageIndexWriters::configuration() . q{
wal_consistency_checking = all
wal_keep_size = 2GB
});
$primary->start;
PageIndexWriters::prepare($primary, 900);

# A row at a random place of the table is found by its index, in the same snapshot.  REINDEX CONCURRENTLY
# does not wait for whoever is about to use the index on a standby, of any access method.
$primary->safe_psql(
	'postgres', q{
	CREATE FUNCTION read_one() RETURNS void STABLE LANGUAGE plpgsql AS $$
	DECLARE
		npages bigint := pg_relation_size('item') / current_setting('block_size')::int;
		row item;
	BEGIN
		SELECT * INTO row FROM item
		WHERE ctid = format('(%s,%s)', trunc(random() * npages), 1 + trunc(random() * 8))::tid;
		IF row.id IS NOT NULL AND (NOT EXISTS (SELECT FROM item WHERE k = row.k AND id = row.id)
			OR NOT EXISTS (SELECT FROM item WHERE t = row.t AND id = row.id)) THEN
			RAISE EXCEPTION 'a row is not found: %', row.id;
		END IF;
	EXCEPTION WHEN internal_error THEN
		IF SQLERRM !~ 'could not open relation with OID' THEN
			RAISE;
		END IF;
	END $$});

#
# Copies
#

sub start_standby
{
	my ($name, $origin) = @_;
	my $node = new_node($name, $library->{copy});

	$origin->backup("for $name");
	$node->init_from_backup($origin, "for $name", has_streaming => 1);
	# readers hold recovery up, rather than being canceled
	$node->append_conf('postgresql.conf', "hot_standby_feedback = on\nmax_standby_streaming_delay = -1\n");
	$node->start;
	return $node;
}

my $standby = start_standby('standby', $primary);
my $cascaded = start_standby('cascaded', $standby);

my $subscriber = new_node('subscriber', $library->{copy});
$subscriber->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$subscriber->append_conf('postgresql.conf', PageIndexWriters::configuration());
$subscriber->start;
PageIndexWriters::prepare($subscriber, 900);
$primary->safe_psql('postgres', 'CREATE PUBLICATION rows FOR TABLE item, named');
$subscriber->safe_psql('postgres',
	'CREATE SUBSCRIPTION copy CONNECTION $$' . $primary->connstr('postgres') . '$$ PUBLICATION rows');

# Clients that read
sub start_readers
{
	my ($node) = @_;
	my $file = $node->basedir . '/read.pgbench';
	my %readers = (node => $node, errors => '');
	local $ENV{PGOPTIONS} = '-c enable_seqscan=off -c enable_indexscan=off';

	append_to_file($file, "SELECT read_one();\n");
	$readers{run} = IPC::Run::start([ 'pgbench', '-n', '-T', 3600, '--max-tries=100', '-c', 2, '-f', $file,
			$node->connstr('postgres') ], '<', \undef, '>', '/dev/null', '2>', \$readers{errors});
	return \%readers;
}

sub readers_ok
{
	my ($readers) = @_;
	my $node = $readers->{node};

	$readers->{run}->signal('TERM');
	IPC::Run::finish($readers->{run});
	is(join("\n", $readers->{errors} =~ /^.*ERROR.*$/mg), '', $node->name . ': whoever read it found every row');
	my $n = $node->safe_psql('postgres', q{SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'item_t'});
	cmp_ok($n, '>', 50, $node->name . ': it was read');
	return;
}

sub right_ok
{
	my ($node, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(PageIndexWriters::faults($node), '', "$name: all rows are found");
	return;
}

my @readers = map { start_readers($_) } $standby, $cascaded;
my $writers = PageIndexWriters::start_writers($primary);
PageIndexWriters::wait_for_writers($primary, 200);
$primary->backup('during');
my @moments;
for my $n (1 .. $nmoments)
{
	PageIndexWriters::wait_for_writers($primary, 100);
	push @moments, $n == 1 ?
	  $primary->safe_psql('postgres', q{SELECT 'recovery_target_name = moment' FROM pg_create_restore_point('moment')}) :
	  sprintf(q{recovery_target_lsn = '%s'}, $primary->lsn('insert'));
}
PageIndexWriters::wait_for_writers($primary, 100);
PageIndexWriters::stop_writers($writers);
is(PageIndexWriters::complaints($writers), '', 'nobody who wrote had an error');
right_ok($primary, 'the primary');

$primary->wait_for_catchup($standby);
$standby->wait_for_catchup($cascaded, 'replay', $standby->lsn('replay'));
right_ok($standby, 'a standby');
right_ok($cascaded, 'a standby of it');
cmp_ok($standby->safe_psql('postgres', q{SELECT max(epochs) FROM unnest('{item_k, item_t}'::regclass[]) i, bloom_pages_info(i)}),
	'>', 1, 'there are several epochs');
$primary->wait_for_catchup('copy');
right_ok($subscriber, 'a subscriber');
is( $subscriber->safe_psql('postgres', 'SELECT count(*), sum(k), max(t) FROM item'),
	$primary->safe_psql('postgres', 'SELECT count(*), sum(k), max(t) FROM item'),
	'which has the same rows');
readers_ok($_) for @readers;

#
# The backup that was made while clients wrote, at some moments later
#

my $last = $primary->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');
$primary->poll_query_until('postgres', "SELECT last_archived_wal >= '$last' FROM pg_stat_archiver")
  or die 'WAL is not archived';
for my $n (1 .. $nmoments)
{
	my $node = new_node("recovered_$n", $library->{copy});

	$node->init_from_backup($primary, 'during', has_restoring => 1, standby => 0);
	# its own WAL must not get in the way of the next one
	$node->append_conf('postgresql.conf', "$moments[$n - 1]\nrecovery_target_action = promote\narchive_mode = off\n");
	$node->start;
	$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'it does not recover';
	PageIndexWriters::tidy_up($node);
	right_ok($node, "a backup, recovered to $moments[$n - 1]");
	$node->stop('immediate');
	$node->clean_node;
}

#
# Promotion
#

$writers = PageIndexWriters::start_writers($primary);
PageIndexWriters::wait_for_writers($primary, 100);
$primary->stop('immediate');
PageIndexWriters::stop_writers($writers);
$standby->promote;
PageIndexWriters::tidy_up($standby);
right_ok($standby, 'the standby, promoted');
$writers = PageIndexWriters::start_writers($standby);
PageIndexWriters::wait_for_writers($standby, 200);
PageIndexWriters::stop_writers($writers);
is(PageIndexWriters::complaints($writers), '', 'nobody who wrote there had an error');
right_ok($standby, 'the standby, after more rows');
$standby->wait_for_catchup($cascaded);
right_ok($cascaded, 'and its own standby');

for my $node ($primary, $standby, $cascaded, $subscriber)
{
	$node->stop if $node != $primary;
	# an immediate stop may end a command that archives
	unlike(slurp_file($node->logfile), qr/\(PID \d+\) was terminated by signal|PANIC:|TRAP:|inconsistent page/,
		$node->name . ': no process crashed');
}
done_testing();
