# Dump and restore between major versions, in both directions: a database that holds filters of
# every sort arrives with the same bytes, gives the same answers, and goes on as where it was.
#
# What is possible: pg_dump reads servers of its own version and older ones, so that of the newer
# server is taken, and its psql or pg_restore.  Towards a newer server there is no error.
# Towards an older one the only errors are those of settings that it does not know, such as
# transaction_timeout before 17; whoever stops at the first error cannot go back.
#
# Guards against a hash that differs between versions, as that of date does in 18: nothing that
# was restored would be found, and rows would belong to other partitions than those they are in.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";

use Majors;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StoredFilters;
use Test::More;

my ($oldest, $newest) = @majors[ 0, -1 ];
my $unknown_setting = qr/ERROR:  unrecognized configuration parameter "\w+"$/;

my %node;
for my $major (@majors)
{
	$node{$major} = new_server('server', $major);
	$node{$major}->start;
	$node{$major}->safe_psql('postgres', 'CREATE DATABASE source');
	create_filters($node{$major}, 'source', 100000);
}
my $dir = $node{$oldest}->basedir;

my $expected_state = state_of($node{$oldest}, 'source');
my $expected_answers = answers_of($node{$oldest}, 'source');
my $expected_changes = changes_of($node{$oldest}, 'source');
my $expected_definitions = definitions_of($node{$oldest}, 'source');

is(join('|', lost_keys($expected_answers)), '30|0', "$oldest: no key is missing");
all_same_ok($node{$_}, 'source', "made by $_, as by $oldest") for @majors[ 1 .. $#majors ];

sub all_same_ok
{
	my ($node, $database, $how) = @_;

	same_ok(state_of($node, $database), $expected_state, "$how: same bytes");
	same_ok(answers_of($node, $database), $expected_answers, "$how: same answers");
	same_ok(changes_of($node, $database), $expected_changes, "$how: same changes");
	same_ok(definitions_of($node, $database), $expected_definitions, "$how: same definitions");
	return;
}

# Run a command that restores something; it may meet some errors, but no others.
sub restore_ok
{
	my ($command, $may_fail, $how) = @_;
	my ($out, $err) = run_command($command);
	my @errors = grep { /ERROR:|FATAL:|error:/ && !/$may_fail/ } split /\n/, $err;

	is(join("\n", @errors), '', "$how: restored");
	return;
}

my $nothing = qr/(?!)/;

# 6 tests, with the tools of a version
sub dump_and_restore_ok
{
	my ($tools, $from, $to, $format) = @_;
	my $may_fail = $to < $from ? $unknown_setting : $nothing;
	my $target = $node{$to};
	my $how = "$from to $to, $format";
	my $file = "$dir/dump";
	my @restore =
	  $format eq 'plain'
	  ? (program($tools, 'psql'), '-X', '-q', '-o', "$dir/psql.out", '-f', $file)
	  : (program($tools, 'pg_restore'), $file);

	command_ok(
		[
			program($tools, 'pg_dump'), '--no-sync', '-F', $format, '-f', $file,
			'-d', $node{$from}->connstr('source')
		],
		"$how: dumped");
	$target->safe_psql('postgres', 'CREATE DATABASE restored');
	restore_ok([ @restore, '-d', $target->connstr('restored') ], $may_fail, $how);
	all_same_ok($target, 'restored', $how);
	$target->safe_psql('postgres', 'DROP DATABASE restored');
	unlink $file;
	return;
}

for my $from (@majors)
{
	for my $to (grep { $_ != $from } @majors)
	{
		my $tools = $from > $to ? $from : $to;

	  SKIP:
		{
			skip "pg_dump of $tools is older than the server of $from", 2 * 6
			  if writes_own_parameter($tools, $node{$from}, 'source');
			dump_and_restore_ok($tools, $from, $to, $_) for 'plain', 'custom';
		}
	}
}

command_fails_like(
	[ program($oldest, 'pg_dump'), '-f', "$dir/dump", '-d', $node{$newest}->connstr('source') ],
	qr/server version mismatch/,
	"pg_dump of $oldest does not read $newest");

# A whole cluster; both have the user that made them.
my $cluster = new_server('cluster', $newest);
$cluster->start;
$node{$oldest}->safe_psql('source', q{
	CREATE ROLE reader;
	GRANT SELECT ON filters, event, seen TO reader;
	REVOKE EXECUTE ON FUNCTION bloom_create(float8, float8, int) FROM PUBLIC;
	GRANT EXECUTE ON FUNCTION bloom_create(float8, float8, int) TO reader});
command_ok(
	[
		program($newest, 'pg_dumpall'), '--no-sync', '-f', "$dir/dump",
		'-d', $node{$oldest}->connstr('postgres')
	],
	"all of $oldest: dumped");
restore_ok(
	[
		program($newest, 'psql'), '-X', '-q', '-o', "$dir/psql.out", '-f', "$dir/dump",
		'-d', $cluster->connstr('postgres')
	],
	qr/ERROR:  role "[^"]*" already exists$/,
	"all of $oldest to $newest");
all_same_ok($cluster, 'source', "all of $oldest to $newest");
is( $cluster->safe_psql(
		'source', q{
		SET ROLE reader;
		SELECT external @> 1 FROM filters WHERE name = 'list';
		SELECT min(id), max(id), count(*) FROM event;
		SELECT bloom_cardinality(bloom_create(1));
		RESET ROLE;
		CREATE ROLE other;
		SELECT has_function_privilege('other', 'bloom_create(float8, float8, int)', 'EXECUTE')}),
	"t\n3001|3100|100\n0\nf",
	'with what users may do and see');

no_crash_ok($cluster, map { $node{$_} } @majors);
done_testing();
