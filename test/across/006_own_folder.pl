# pg_upgrade to a server that has the extension in a folder of its own, which the settings
# extension_control_path and dynamic_library_path of PostgreSQL 18 and later name.
#
# Before it copies anything, pg_upgrade has the new server load the libraries of the old one, by
# the names that they have there: '$libdir/bloomtype'.  That of 18 is refused, as that name is of the
# server's own folder.  There, the programs of a copy of the installation are taken that has the
# extension in it (README.md); the server itself needs no copy.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";

use File::Basename;
use Majors;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StoredFilters;
use Test::More;

my ($oldest) = @majors;
my @newer = grep { $_ >= 18 } @majors[ 1 .. $#majors ];
plan skip_all => 'PostgreSQL has such settings as of 18' unless @newer;

my $old = new_server('old', $oldest);
$old->start;
$old->safe_psql('postgres', 'CREATE DATABASE source');
create_filters($old, 'source', 20000);
my $state = state_of($old, 'source');
my $answers = answers_of($old, 'source');
$old->stop;
chdir $old->basedir or die "cannot enter the folder of the cluster: $!";

# The command by which an installation makes a server of the old one's data
sub pg_upgrade
{
	my ($new, $copy) = @_;
	return [
		"$copy->{bindir}/pg_upgrade", '--no-sync',
		'-d' => $old->data_dir, '-D' => $new->data_dir,
		'-b' => program($oldest, ''), '-B' => $copy->{bindir},
		'-s' => $new->host, '-p' => $old->port, '-P' => $new->port
	];
}

foreach my $major (@newer)
{
	my $how = "$oldest to $major";
	my $copy = copy_installation("server_$major", program($major, 'pg_config'));
	my $settings = move_extension($copy, PostgreSQL::Test::Utils::tempdir("own_$major"));
	my $new = new_server('new', $major, $settings, dirname($copy->{bindir}));

	if ($major < 19)
	{
		my $output = $new->data_dir . '/pg_upgrade_output.d';

		command_fails(pg_upgrade($new, $copy), "$how: pg_upgrade does not find the library");
		like(slurp_file(glob "$output/*/loadable_libraries.txt"),
			qr{^could not load library "\$libdir/bloomtype": ERROR: +could not access file}m,
			"$how: and says so");
		$copy = copy_installation("complete_$major", program($major, 'pg_config'));
	}
	command_ok(pg_upgrade($new, $copy), "$how: pg_upgrade");
	$new->start;
	same_ok(state_of($new, 'source'), $state, "$how: same bytes");
	same_ok(answers_of($new, 'source'), $answers, "$how: same answers");
	no_crash_ok($new);
}
done_testing();
