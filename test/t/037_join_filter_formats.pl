# A release of bloomtype_join with another format of filters is installed while a session has the old
# one loaded: the session's parallel workers load the new one.  No row is lost, and each process that
# finds the format of another hands rows on.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/../..";
my $copy = copy_installation('server');
my ($library) = grep { !/\.bc$/ } glob "$copy->{pkglibdir}/bloomtype_join.*";

# The same sources, but for the number of bits that a key sets
my $sources = PostgreSQL::Test::Utils::tempdir('sources');
system_or_bail('cp', '-R', "$top/.", $sources);
my $header = "$sources/src/join/join_filter.h";
my $text = slurp_file($header);
is($text =~ s/(#define JOIN_FILTER_PROBES) 4$/$1 6/mg, 1, 'one line is another');
unlink $header;
append_to_file($header, $text);
command_ok(
	[
		'make', '-s', '-C', $sources, 'with_llvm=no',
		'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
		'COPT=-O1 -Wextra -Wno-unused-parameter -Werror', 'bloomtype_join.so'
	],
	'the other library is built');

my $node = new_node('main', $copy);
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
shared_preload_libraries = ''
bloomtype_join.enable = on
max_worker_processes = 8
max_parallel_workers_per_gather = 2
parallel_setup_cost = 0
parallel_tuple_cost = 0
min_parallel_table_scan_size = 0
enable_mergejoin = off
});
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE TABLE a AS SELECT g AS id, g * 919 % 50000 AS x FROM generate_series(1, 400000) g;
	CREATE TABLE b AS SELECT g AS id FROM generate_series(1, 20000) g;
	ANALYZE a, b;
});

my $query = 'SELECT count(*) FROM a JOIN b ON a.x = b.id';
my $expected = join ' ', (160000) x 6;

# The query by a session that had loaded the library before the other one was installed: several
# times, as it differs how much each process does; with EXPLAIN, and as a plan that is kept
sub answers
{
	my ($session) = @_;
	my @answers;

	push @answers, $session->query_safe($query) for 1 .. 5;
	push @answers, $session->query_safe('EXECUTE kept');
	return join ' ', @answers;
}

sub new_session
{
	my ($settings) = @_;
	my $session = $node->background_psql('postgres');

	$session->query_safe("LOAD 'bloomtype_join'; $settings; SET plan_cache_mode = force_generic_plan;
		PREPARE kept AS $query; EXECUTE kept");
	return $session;
}

my %sessions = (
	'one hash table of all' => new_session('SELECT'),
	'a leader that only gathers' => new_session('SET parallel_leader_participation = off'),
	'a hash table for each' => new_session('SET enable_parallel_hash = off'));
my $explained = 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' . $query;

foreach my $name (sort keys %sessions)
{
	my $session = $sessions{$name};

	is(answers($session), $expected, "$name: all rows");
	like($session->query_safe($explained),
		qr/Workers Launched: 2.*Rows Removed by Runtime Filter: [1-9]/s, "$name: the filter is asked");
}

# in place of the file, not into it: a process has it mapped
system_or_bail('cp', "$sources/bloomtype_join.so", "$library.new");
rename("$library.new", $library) or die "could not rename: $!";

foreach my $name (sort keys %sessions)
{
	is(answers($sessions{$name}), $expected,
		"$name, with workers of another format: all rows");
}
# a worker may come too late to have a part in the filter
like($sessions{'a leader that only gathers'}->query_safe($explained),
	qr/Workers Launched: 2.*Rows Removed by Runtime Filter: 0$/ms, 'such workers hand all rows on');

# Sessions that begin now have the new library throughout.
my $session = new_session('SELECT');
is(answers($session), $expected, 'a new session: all rows');
like($session->query_safe($explained), qr/Rows Removed by Runtime Filter: [1-9]/, 'it asks the filter');
$_->quit for values %sessions, $session;
$node->stop;

done_testing();
