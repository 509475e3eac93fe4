# pg_upgrade from each older version to a server that has the extension in a folder of its own, which
# the settings extension_control_path and dynamic_library_path of PostgreSQL 18 and later name.
#
# Before it copies anything, pg_upgrade has the new server load the libraries of the old one, by
# the names that they have there: '$libdir/bloomtype'.  That of 18 is refused, as that name is of the
# server's own folder.  There, the programs of a copy of the installation are taken that has the
# extension in it (doc/releases.md); the server itself needs no copy.

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

plan skip_all => 'PostgreSQL has such settings as of 18' unless grep { $_ >= 18 } @majors[ 1 .. $#majors ];

# The command by which an installation makes a server of an old one's data
sub pg_upgrade
{
	my ($old_major, $old, $new, $copy) = @_;
	return [
		"$copy->{bindir}/pg_upgrade", '--no-sync',
		'-d' => $old->data_dir, '-D' => $new->data_dir,
		'-b' => program($old_major, ''), '-B' => $copy->{bindir},
		'-s' => $new->host, '-p' => $old->port, '-P' => $new->port
	];
}

foreach my $old_major (@majors[ 0 .. $#majors - 1 ])
{
	my @newer = grep { $_ >= 18 && $_ > $old_major } @majors;
	my $old = new_server('old', $old_major);

	$old->start;
	$old->safe_psql('postgres', 'CREATE DATABASE source');
	create_filters($old, 'source', 20000);
	my $state = state_of($old, 'source');
	my $answers = answers_of($old, 'source');
	remove_own_parameter($old, 'source');
	$old->stop;
	chdir $old->basedir or die "cannot enter the folder of the cluster: $!";

	foreach my $major (@newer)
	{
		my $how = "$old_major to $major";
		my $copy = copy_installation("server_${old_major}_$major", program($major, 'pg_config'));
		my $folder = PostgreSQL::Test::Utils::tempdir("own_${old_major}_$major");
		my $settings = move_extension($copy, $folder);
		my $new = new_server("from_$old_major", $major, $settings, dirname($copy->{bindir}));

		if ($major < 19)
		{
			my $output = $new->data_dir . '/pg_upgrade_output.d';

			command_fails(pg_upgrade($old_major, $old, $new, $copy),
				"$how: pg_upgrade does not find the library");
			like(slurp_file(glob "$output/*/loadable_libraries.txt"),
				qr{^could not load library "\$libdir/bloomtype": ERROR: +could not access file}m,
				"$how: and says so");
			$copy = copy_installation("complete_${old_major}_$major", program($major, 'pg_config'));
		}
		command_ok(pg_upgrade($old_major, $old, $new, $copy), "$how: pg_upgrade");
		$new->start;
		same_ok(state_of($new, 'source'), $state, "$how: same bytes");
		same_ok(answers_of($new, 'source'), $answers, "$how: same answers");
		no_crash_ok($new);
	}
}
done_testing();
