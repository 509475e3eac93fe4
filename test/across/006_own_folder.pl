# pg_upgrade to a server that has the extension in a folder of its own, which the settings
# extension_control_path and dynamic_library_path of PostgreSQL 18 and later name.
#
# Before it copies anything, pg_upgrade has the new server load the libraries of the old one, by
# the names that they have there: '$libdir/bloomtype'.

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

foreach my $major (@newer)
{
	my $how = "$oldest to $major";
	my $copy = copy_installation("server_$major", program($major, 'pg_config'));
	my $settings = move_extension($copy, PostgreSQL::Test::Utils::tempdir("own_$major"));
	my $new = new_server('new', $major, $settings, dirname($copy->{bindir}));

	command_ok(
		[
			$new->installed_command('pg_upgrade'), '--no-sync',
			'-d' => $old->data_dir, '-D' => $new->data_dir,
			'-b' => program($oldest, ''), '-B' => $copy->{bindir},
			'-s' => $new->host, '-p' => $old->port, '-P' => $new->port
		],
		"$how: pg_upgrade");
	$new->start;
	same_ok(state_of($new, 'source'), $state, "$how: same bytes");
	same_ok(answers_of($new, 'source'), $answers, "$how: same answers");
	no_crash_ok($new);
}
done_testing();
