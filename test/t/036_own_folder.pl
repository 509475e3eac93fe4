# The extension in a folder of its own, outside of the server's installation, which cannot always be
# written to: images for Kubernetes, for example.  PostgreSQL 18 and later finds it by the settings
# extension_control_path and dynamic_library_path.
#
# The folder is a copy, or OWN_FOLDER, an environment variable: one with lib and share/extension.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StoredFilters;
use Test::More;

my $copy = copy_installation('server');
my $folder = PostgreSQL::Test::Utils::tempdir('own');
my $settings = move_extension($copy, $folder);
$settings =~ s/\Q$folder\E/$ENV{OWN_FOLDER}/g if $ENV{OWN_FOLDER};

my $node = new_node('main', $copy);
plan skip_all => 'PostgreSQL has such settings as of 18' if $node->pg_version < 18;

$node->init(extra => [ '--locale=C', '--encoding=UTF8' ], allows_streaming => 1);
$node->start;

sub sql
{
	my ($database, @commands) = @_;
	return $node->safe_psql($database, join ";\n", @commands);
}

my ($status, $output, $errors) = $node->psql('postgres', 'CREATE EXTENSION bloomtype');
like($errors, qr/extension "bloomtype" is not available/, 'the server itself has no such extension');
($status, $output, $errors) = $node->psql('postgres', q{LOAD 'bloomtype_join'});
like($errors, qr/could not access file "bloomtype_join"/, 'and no such library');

#
# One setting alone is not enough; with both, the server need not be started again.
#

my ($control_path, $library_path) = split /^/, $settings;
$node->append_conf('postgresql.conf', $control_path);
$node->reload;
($status, $output, $errors) = $node->psql('postgres', 'CREATE EXTENSION bloomtype');
like($errors, qr/could not access file "bloomtype"/,
	'without dynamic_library_path: no library');
$node->append_conf('postgresql.conf', $library_path);
$node->reload;

sql('postgres', 'CREATE DATABASE source', 'CREATE DATABASE restored', 'CREATE DATABASE loaded');
create_filters($node, 'source', 20000);
my %expected = (
	state => state_of($node, 'source'),
	answers => answers_of($node, 'source'),
	changes => changes_of($node, 'source'));
is((lost_keys($expected{answers}))[1], '0', 'CREATE EXTENSION; no key is missing');

sub same_ok
{
	my ($server, $database, $where) = @_;

	is(state_of($server, $database), $expected{state}, "$where: same bytes");
	is(answers_of($server, $database), $expected{answers}, "$where: same answers");
}

#
# LOAD, and a user who is not a superuser
#

my $found = q{SELECT bloom_agg(i) @> 7 FROM generate_series(1, 1000) i};
is(sql('loaded', 'CREATE EXTENSION bloomtype', q{LOAD 'bloomtype'}, $found), 't', q{LOAD 'bloomtype'});
sql('postgres', 'CREATE ROLE somebody LOGIN', 'CREATE DATABASE own OWNER somebody');
is( $node->safe_psql('own', "CREATE EXTENSION bloomtype;\n$found", extra_params => [ '-U', 'somebody' ]),
	't', 'a user who is not a superuser');

#
# Workers of parallel queries load the library, too.
#

sql('postgres', 'CREATE DATABASE tables');
sql('tables', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE many AS SELECT i, i % 1000 AS a FROM generate_series(1, 200000) i;
	CREATE TABLE few AS SELECT i FROM generate_series(1, 10) i;
	ANALYZE many, few});
my $parallel = q{
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET max_parallel_workers_per_gather = 2;
	SET debug_parallel_query = on;
	};
like(sql('tables', "$parallel EXPLAIN (ANALYZE, COSTS OFF) SELECT bloom_agg(i) FROM many"),
	qr/Workers Launched: 2/, 'an aggregate in parallel workers');
is(sql('tables', "$parallel SELECT bloom_agg(i) = (SELECT bloom_agg(i) FROM generate_series(1, 200000) i) FROM many"),
	't', 'and the same filter');

#
# session_preload_libraries
#

my $join = 'EXPLAIN (COSTS OFF) SELECT count(*) FROM many JOIN few ON many.a = few.i';
unlike(sql('tables', $join), qr/Bloomtype/, 'no library that filters joins');
sql('postgres', q{ALTER DATABASE tables SET session_preload_libraries = 'bloomtype_join'});
like(sql('tables', $join), qr/BloomtypeProbe/, 'session_preload_libraries');
like(sql('tables', "$parallel SET min_parallel_index_scan_size = 0; $join"),
	qr/Gather.*BloomtypeProbe/s, 'in parallel workers');
is(sql('tables', "$parallel SELECT count(*) FROM many JOIN few ON many.a = few.i"),
	'2000', 'and all the rows');

#
# Dump and restore, and a standby with the same settings
#

command_ok([ $node->installed_command('pg_dump'), '--no-sync', '-d', $node->connstr('source'),
		'-f', "$folder/dump" ], 'pg_dump');
command_ok([ $node->installed_command('psql'), '-XqAt', '-v', 'ON_ERROR_STOP=1',
		'-d', $node->connstr('restored'), '-f', "$folder/dump" ], 'restored');
same_ok($node, 'restored', 'restored');

$node->backup('backup');
my $standby = new_node('standby', $copy);
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
same_ok($standby, 'source', 'a standby');
like($standby->safe_psql('tables', $join), qr/BloomtypeProbe/, 'a standby: session_preload_libraries');
$standby->promote;
is(changes_of($standby, 'source'), $expected{changes}, 'promoted: the same changes');

$standby->stop;
$node->stop;
done_testing();
