# The libraries of hooks where any role may load them: `make install-plugins'.
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

my $copy = copy_installation('server');
my $node = new_node('main', $copy);
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE ROLE analyst LOGIN;
	CREATE TABLE fact AS SELECT g AS id, g % 2000 AS a FROM generate_series(1, 100000) g;
	CREATE TABLE dim AS SELECT g AS id, g % 100 AS grp FROM generate_series(1, 2000) g;
	GRANT SELECT ON fact, dim TO analyst;
	ANALYZE fact, dim});

my $query = 'EXPLAIN (COSTS off) SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE grp = 3';
my $nodes = qr/BloomtypeProbe.*BloomtypeBuild/s;

# Output and errors of statements of a role
sub as_role
{
	my ($role, @statements) = @_;
	my (undef, $stdout, $stderr) =
	  $node->psql('postgres', join(";\n", @statements), extra_params => [ '-U', $role ], on_error_stop => 0);
	return "$stdout$stderr";
}

like(as_role('analyst', q{LOAD 'bloomtype_join'}), qr/access to library "bloomtype_join" is not allowed/, 'a superuser loads it');
like(as_role('analyst', q{LOAD '$libdir/plugins/bloomtype_join'}), qr/could not access file/, 'there are no plugins');
my $installed = PostgreSQL::Test::Utils::tempdir('installed');
for (1, 2)
{
	command_ok(
		[
			'make', '-s', '-C', "$FindBin::RealBin/../..", 'install-plugins', 'with_llvm=no', "DESTDIR=$installed",
			'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config')
		],
		"make install-plugins, time $_");
}
my ($plugins) = split /\n/, `find '$installed' -type d -name plugins`;
is(readlink("$plugins/bloomtype_$_.so"), "../bloomtype_$_.so", "a link to bloomtype_$_") for 'join', 'plan';
system_or_bail('cp', '-R', $plugins, $copy->{pkglibdir});

# what a role may do
like(as_role('analyst', q{LOAD '$libdir/plugins/bloomtype_join'}, $query), $nodes, 'any role loads it');
unlike(as_role('analyst', q{LOAD '$libdir/plugins/bloomtype_join'}, 'SET bloomtype_join.enable = off', $query),
	$nodes, 'and sets its settings');
like(as_role('analyst', q{LOAD '$libdir/plugins/bloomtype_plan'}, 'SHOW bloomtype_plan.enable'), qr/^on$/m, 'so it does the other one');
is(as_role('analyst', q{ALTER ROLE analyst SET local_preload_libraries = 'bloomtype_join', 'bloomtype_plan'}), '', 'for all its sessions');
like(as_role('analyst', $query), $nodes, 'which have filters');
unlike(as_role($node->safe_psql('postgres', 'SELECT CURRENT_USER'), $query), $nodes, 'others have none');
like(as_role('analyst', 'SET session_preload_libraries = bloomtype_join'), qr/permission denied/, 'it may set no more');

# beside the same library, loaded by an administrator
$node->safe_psql('postgres', q{ALTER DATABASE postgres SET session_preload_libraries = 'bloomtype_join'});
like(as_role('analyst', $query), $nodes, 'it is the same library');
like(as_role('analyst', 'SELECT count(*) FROM fact'), qr/^100000$/m, 'loaded once');

# the switch for sessions that run, which those heed that have not set it themselves
my $session = $node->background_psql('postgres', extra_params => [ '-U', 'analyst' ]);
like($session->query_safe($query), $nodes, 'a session has filters');
$node->safe_psql('postgres', 'ALTER SYSTEM SET bloomtype_join.enable = off');
$node->safe_psql('postgres', 'SELECT pg_reload_conf()');
$node->poll_query_until('postgres', q{SELECT setting = 'off' FROM pg_file_settings WHERE name = 'bloomtype_join.enable'});
my $plan;
for (1 .. 100)
{
	$plan = $session->query_safe($query);
	last if $plan !~ $nodes;
	select undef, undef, undef, 0.1;
}
unlike($plan, $nodes, 'and has none after a reload');
$session->quit;

# a library that is gone: sessions do not start, but the role helps itself
unlink "$copy->{pkglibdir}/plugins/$_" for map { "bloomtype_$_.so" } 'join', 'plan';
my (undef, undef, $error) = $node->psql('postgres', 'SELECT 1', extra_params => [ '-U', 'analyst' ]);
like($error, qr/could not access file ".libdir.plugins.bloomtype_join"/, 'a file that is gone');
{
	local $ENV{PGOPTIONS} = '-c local_preload_libraries=';
	is(as_role('analyst', 'ALTER ROLE analyst RESET local_preload_libraries'), '', 'the role resets its setting');
}
like(as_role('analyst', 'SELECT 1'), qr/^1$/m, 'and is in again');

$node->stop;
done_testing();
