# bloom_pages in a small geometry, with eight ranges in a group: random statements have the same rows
# with an index as without one.  Then defects are planted, one at a time, and are found: by the same
# statements, by writers on a server that is killed, on a copy of it, with little in WAL, or by a snapshot
# older than REINDEX.
#
# Left to --ci, for its time.  Without BLOOMTYPE_SLOW, defects are planted, and no more.
#
#    BLOOMTYPE_STATEMENTS=...  how many without a defect, and at most with each
#    BLOOMTYPE_ROUNDS=...      how often the server is killed, at most, with each
#    BLOOMTYPE_DEFECT=...      a regular expression of the names of those to be planted

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Kills;
use OwnInstallation;
use PlantedDefects;
use PostgreSQL::Test::BackgroundPsql;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PageIndexDefects;
use PageIndexLibrary;
use PageIndexRows;
use PageIndexWriters;
use Test::More;
use Time::HiRes qw(usleep);

my $nstatements = $ENV{BLOOMTYPE_STATEMENTS} // ($ENV{BLOOMTYPE_SLOW} ? 3000 : 300);
my $nrounds = $ENV{BLOOMTYPE_ROUNDS} // 20;
my $pattern = $ENV{BLOOMTYPE_DEFECT} // ($ENV{BLOOMTYPE_SLOW} ? '' : undef);
my $library = new_library();
my $nnodes = 0;

sub start_node
{
	my ($configuration) = @_;
	my $node = new_node('node' . $nnodes++, $library->{copy});

	$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--no-sync' ]);
	$node->append_conf('postgresql.conf', $configuration);
	$node->start;
	return $node;
}

# A defect may have ended it before.
sub end_node
{
	my ($node) = @_;

	$node->stop('immediate', fail_ok => 1);
	return;
}

# Each of these returns what it has found, or an empty string.

# Run statements until rows differ, or something fails.
sub found_by_statements
{
	my ($first_seed) = @_;
	my $node = start_node(PageIndexRows::configuration());
	my $run = 0;
	my $result = '';

	$node->safe_psql('postgres', PageIndexRows::preparation());
	for (my $seed = $first_seed; $run < $nstatements && $result eq ''; $seed++)
	{
		my $n = eval { PageIndexRows::run_seed($node, $seed) };
		$result = $n ? PageIndexRows::findings($node) : "failed: $@";
		$run += $n // 0;
	}
	end_node($node);
	return $result;
}

# Kill the server until something is wrong, or it does not recover.  Without full_page_writes, records
# have images of those pages alone that need them.
sub found_by_writers
{
	my ($nrounds) = @_;
	my $node = start_node(PageIndexWriters::configuration() . "full_page_writes = off\n");
	my $result = '';

	PageIndexWriters::prepare($node, 900);
	for (my $round = 1; $round <= $nrounds && $result eq ''; $round++)
	{
		# indexes grow from the first group on
		$result = eval
		{
			$node->safe_psql('postgres', 'TRUNCATE item, named, loose');
			PageIndexWriters::run_round($node, 200, \&kill_server);
		} // "failed: $@";
		note("round $round") if $result ne '';
	}
	end_node($node);
	return $result;
}

# Make a change in a session that is late, another one meanwhile, and kill the server or wait for both.
# Returns what is wrong with the index, or what the late session says if it ends.
sub found_beside
{
	my ($node, $late, $other, $is_killed) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_until(qr/begun/, "SET application_name = 'late';\n\\echo begun\n$late;\n\\echo done\n");
	$node->poll_query_until('postgres', q{
		SELECT count(*) > 0 FROM pg_stat_activity
		WHERE application_name = 'late' AND query ~ '^(INSERT|UPDATE)' AND query_start < clock_timestamp() - interval '1 s'});
	$node->safe_psql('postgres', $other);
	kill_server($node) if $is_killed;
	$session->query_until(qr/done/, '') if !$is_killed;
	my $said = $is_killed ? '' : $session->{stderr};
	eval { $session->quit };
	my (undef, undef, $errors) = $node->psql('postgres', q{SELECT bloom_pages_check('item_k')});
	return $said . $errors;
}

# Wait until a standby has all that its primary has; dies as soon as it has ended.
sub wait_for_standby
{
	my ($primary, $standby) = @_;
	my $end = $primary->lsn('write');

	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if $standby->safe_psql('postgres', "SELECT pg_last_wal_replay_lsn() >= '$end'") eq 't';
		usleep(100_000);
	}
	die 'the standby is late';
}

# Make a standby of a backup that is made while clients write, and have it take over.
sub found_by_copies
{
	my $primary = new_node('node' . $nnodes++, $library->{copy});
	my $standby = new_node('node' . $nnodes++, $library->{copy});

	$primary->init(allows_streaming => 1, extra => [ '--locale=C', '--encoding=UTF8', '--no-sync' ]);
	$primary->append_conf('postgresql.conf', PageIndexWriters::configuration() . "full_page_writes = off\nwal_keep_size = 1GB\n");
	$primary->start;
	PageIndexWriters::prepare($primary, 900);
	my $writers = PageIndexWriters::start_writers($primary);
	PageIndexWriters::wait_for_writers($primary, 100);
	$primary->backup('during');
	$standby->init_from_backup($primary, 'during', has_streaming => 1);
	my $result = eval
	{
		$standby->start(fail_ok => 1) or die 'the standby does not start';
		PageIndexWriters::wait_for_writers($primary, 100);
		PageIndexWriters::stop_writers($writers);
		wait_for_standby($primary, $standby);
		my $faults = PageIndexWriters::faults($standby);
		$standby->promote;
		$writers = PageIndexWriters::start_writers($standby);
		PageIndexWriters::wait_for_writers($standby, 100);
		PageIndexWriters::stop_writers($writers);
		$faults . PageIndexWriters::complaints($writers) . PageIndexWriters::faults($standby);
	} // "failed: $@";
	PageIndexWriters::stop_writers($writers);
	end_node($_) for $standby, $primary;
	return $result;
}

# Make a table that is not in WAL, and kill the server.
sub found_in_minimal_wal
{
	my $node = start_node("wal_level = minimal\nmax_wal_senders = 0\nwal_skip_threshold = 0\nautovacuum = off");

	$node->safe_psql('postgres', q{
		CREATE EXTENSION bloomtype;
		BEGIN;
		CREATE TABLE item (k int);
		CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1);
		INSERT INTO item SELECT generate_series(1, 5000);
		COMMIT});
	kill_server($node);
	my $result = PageIndexWriters::faults($node);
	end_node($node);
	return $result;
}

sub found_by_late_session
{
	my $node = start_node('autovacuum = off');
	my $result;

	# its row is the first with a key in the second group; those of the other one need several more
	$node->safe_psql('postgres', q{
		CREATE EXTENSION bloomtype;
		CREATE TABLE item (k int, pad char(900) DEFAULT '');
		ALTER TABLE item ALTER pad SET STORAGE plain;
		CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1);
		INSERT INTO item SELECT NULL FROM generate_series(1, 100)});
	$result = found_beside($node, 'INSERT INTO item VALUES (1)',
		'INSERT INTO item SELECT generate_series(101, 600)', 0);

	# both in one range
	$node->safe_psql('postgres', q{
		TRUNCATE item;
		ALTER INDEX item_k SET (pages_per_range = 16);
		REINDEX INDEX item_k;
		INSERT INTO item VALUES (1)});
	$result .= found_beside($node, 'INSERT INTO item VALUES (7)', 'INSERT INTO item VALUES (7)', 1);
	end_node($node);
	return $result;
}

# Build an index again while a transaction has a snapshot older than updates by HOT.
sub found_by_snapshots
{
	my $node = start_node('autovacuum = off');

	$node->safe_psql('postgres', q{
		CREATE EXTENSION bloomtype;
		CREATE TABLE item (k bigint) WITH (fillfactor = 40);
		INSERT INTO item SELECT generate_series(1, 1000);
		CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1)});
	my $old = $node->background_psql('postgres');
	$old->query_safe('SET enable_seqscan = off; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
	$node->safe_psql('postgres', 'UPDATE item SET k = -k WHERE k = 7');
	$node->safe_psql('postgres', 'REINDEX INDEX item_k');
	my $n = $old->query_safe('SELECT count(*) FROM item WHERE k = 7::bigint');
	$old->quit;
	end_node($node);
	return $n eq '1' ? '' : 'a row is missing';
}

my %find = (
	statements => sub { found_by_statements(1) },
	writers => sub { found_by_writers($nrounds) },
	copies => \&found_by_copies,
	minimal => \&found_in_minimal_wal,
	late => \&found_by_late_session,
	snapshots => \&found_by_snapshots,
	nobody => sub { found_by_late_session() . found_by_writers(3) . found_by_copies() . found_in_minimal_wal() });

if ($nstatements > 0)
{
	install_library($library);
	is(found_by_statements($ENV{BLOOMTYPE_SEED} // 1), '', 'the rows are the same');
}

# Rows whose length changes again and again do not use up all epochs.  If there are three, they do; then
# the server's log says so, and no row is lost.
sub epochs_ok
{
	my ($name, $condition, $logged) = @_;
	my $node = start_node('autovacuum = off');

	$node->safe_psql('postgres', q{
		CREATE EXTENSION bloomtype;
		CREATE TABLE item (k serial, pad text);
		ALTER TABLE item ALTER pad SET STORAGE plain;
		CREATE INDEX item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1)});
	for (1 .. 20)
	{
		$node->safe_psql('postgres', q{
			INSERT INTO item (pad) SELECT repeat('-', 300) FROM generate_series(1, 1800);
			INSERT INTO item (pad) SELECT repeat('-', 5000) FROM generate_series(1, 80)});
	}
	my $rows = $node->safe_psql('postgres', 'SELECT count(*) FROM item');
	is($node->safe_psql('postgres', qq{SELECT $condition, bloom_pages_check('item_k') FROM bloom_pages_info('item_k')}),
		"t|$rows", "$name: all rows are found");
	is(slurp_file($node->logfile) =~ /LOG:  index "item_k" no longer adapts.*HINT:  REINDEX it/s ? 1 : 0, $logged,
		"$name: what the log says");
	$node->stop;
	return;
}
if ($nstatements > 0)
{
	epochs_ok('24 epochs', 'epochs BETWEEN 12 AND 20', 0);
	my @before = replace_text($library->{sources}, 'core/pages.h', "BBF_PAGES_MAX_EPOCHS\t24\n", "BBF_PAGES_MAX_EPOCHS\t3\n");
	install_library($library);
	epochs_ok('3 epochs', 'epochs = 3', 1);
	restore_text(@before);
}

# What is planted is built and found, but for what is no defect.
sub planted_ok
{
	my ($finder, $name) = @_;

	if (!eval { install_library($library); 1 })
	{
		fail("$name: it is built") or diag($@);
		return;
	}
	my $result = $find{$finder}->();

	if ($finder eq 'nobody')
	{
		is($result, '', "$name: nothing is found");
	}
	else
	{
		isnt($result, '', "$name: found");
		note((split m{\n}, $result)[0] // q{});
	}
	return;
}

foreach my $finder (qw(statements nobody writers copies minimal late snapshots))
{
	foreach my $name (grep { !defined $pattern || /$pattern/ } PageIndexDefects::defects($finder))
	{
		SKIP:
		{
			skip 'updates of the key are not HOT before PostgreSQL 16', 1
			  if $finder eq 'snapshots' && $library->{version} < 16;

			my @before = eval { PageIndexDefects::plant($name, $library->{sources}) };
			is($@, '', "$name: it is planted");
			planted_ok($finder, $name) if @before && defined $pattern;
			restore_text(@before);
		}
	}
}

done_testing();
