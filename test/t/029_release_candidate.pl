# From a release candidate to a later release: a database needs nothing but the new library, and
# gets a new version of the SQL, if there is one, by ALTER EXTENSION UPDATE.
#
# A database is made with the SQL and the library of a candidate; then the files of the
# release take their place, as packages do it.
#
# CANDIDATE, an environment variable, is a folder with the source of the candidate, by which
# test/release compares each with a later release.  Without it, this source is both: then they
# differ only in the version that they report, and what is tested is that the exchange of the
# files does no harm.  That bytes and answers stay as they are is tested by test/sql/golden.sql,
# corpus.sql and vectors.sql.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use Digest::SHA;
use ExtensionCatalog;
use File::Basename;
use File::Compare;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StoredFilters;
use Test::More;
use WireSession;

my $top = "$FindBin::RealBin/../..";
my $release = copy_installation('release');
my $here = copy_installation('here');
my $node = new_node('main', $here);

sub sql
{
	my ($database, @commands) = @_;
	return $node->safe_psql($database, join ";\n", @commands);
}

# The SQL that CREATE EXTENSION makes with the files of a folder
sub version_in
{
	my ($folder) = @_;
	return (slurp_file("$folder/bloomtype.control") =~ /^default_version = '(.*)'$/m)[0];
}

# The files of another release take the place of those for SQL.
sub replace_scripts
{
	my @files = @_;
	my $scripts = "$here->{sharedir}/extension";

	unlink glob "$scripts/bloomtype*";
	install_file($_, "$scripts/" . basename($_)) foreach @files;
}

my $version = version_in("$here->{sharedir}/extension");
my ($this_release) = slurp_file("$top/META.json") =~ /^  "version": "(.*)",$/m;

#
# The SQL of candidates is what doc/releases.md says is frozen.
#

my $frozen = 0;
my $versions = slurp_file("$top/doc/releases.md");
while ($versions =~ /^\| \S+ \| `sql\/(\S+)` \| (\S+) \| `([0-9a-f]{64})` \|$/mg)
{
	my ($script, $since, $checksum) = ($1, $2, $3);
	my $file = "$here->{sharedir}/extension/$script";

	is(Digest::SHA->new(256)->addfile($file)->hexdigest,
		$checksum, "$script is as it was in $since");
	$frozen++;
}
cmp_ok($frozen, '>', 0, 'a script is frozen');

#
# The library of the candidate has another version, and a function by which it is known.
#

my $source = $ENV{CANDIDATE} // $top;
my $candidate_version = 'candidate';
my $candidate_sql = version_in($source);
my $has_update = $candidate_sql ne $version;
my $build = PostgreSQL::Test::Utils::tempdir('build');
system_or_bail('cp', '-Rp',
	map({ "$source/$_" } qw(Makefile META.json bloomtype.control sql src test)), $build);
unlink "$build/src/types/module.o";
append_to_file(
	"$build/src/types/module.c", q{
PG_FUNCTION_INFO_V1(bloomtype_candidate);

Datum
bloomtype_candidate(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(pstrdup(BLOOMTYPE_VERSION));
}
});
command_ok(
	[
		'make', '-s', '-C', $build, 'all', 'with_llvm=no', "RELEASE=$candidate_version",
		'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config')
	],
	'the library of the candidate is built');
my $candidate = "$build/" . basename($here->{library});
isnt(compare($candidate, $release->{library}), 0, 'it is another file than that of the release');

#
# A database of the candidate
#

replace_scripts("$source/bloomtype.control", glob "$source/sql/bloomtype--*.sql");
install_library($here, $candidate);
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;

my $which = q{CREATE FUNCTION pg_temp.library_version() RETURNS cstring
	AS '$libdir/bloomtype', 'bloomtype_candidate' LANGUAGE C STABLE};
my $call = 'SELECT pg_temp.library_version()';
my $oids = q{SELECT pg_describe_object(classid, objid, 0), objid FROM pg_depend
	WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
	ORDER BY 1, 2};
my $installed = q{SELECT extversion FROM pg_extension WHERE extname = 'bloomtype'};

# Everything in a database by which somebody could notice a difference
sub everything_in
{
	my ($database) = @_;
	my ($dump) = run_command(
		[ $node->installed_command('pg_dump'), '--no-sync', '-d', $node->connstr($database) ]);

	# recent servers protect the script with a random word
	$dump =~ s/^\\(un)?restrict .*\n//mg;
	return (
		'the version of the SQL' => sql($database, $installed),
		'the catalogs' => sql($database, catalog_query()),
		'the OIDs' => sql($database, $oids),
		'the bytes' => bytes_of($node, $database),
		# a later version may estimate better how many keys a filter has
		$has_update ? () : ('what is told' => infos_of($node, $database)),
		'the answers' => answers_of($node, $database),
		'the changes' => changes_of($node, $database),
		'the definitions' => definitions_of($node, $database),
		'the dump' => $dump);
}

sql('postgres', 'CREATE DATABASE candidate');
is(sql('candidate', $which, $call), $candidate_version, 'the library of the candidate');
create_filters($node, 'candidate', 200000);
my %before = everything_in('candidate');
is($before{'the version of the SQL'}, $candidate_sql, 'the SQL of the candidate');
is(join('|', (lost_keys($before{'the answers'}))[1]), '0', 'no key is missing');

my $session = WireSession->connect($node, 'candidate');
my $query = 'SELECT count(*) FROM deletables WHERE counting @> 1 AND cuckoo @> 1';
my $found = $session->query($query)->{rows}[0][0];
cmp_ok($found, '>', 0, 'a session');

#
# The release is installed.
#

replace_scripts(glob "$release->{sharedir}/extension/bloomtype*");
install_library($here, $release->{library});

is($session->query($query)->{rows}[0][0], $found, 'the session goes on');
is(WireSession->connect($node, 'candidate')->query($query)->{rows}[0][0], $found, 'and reconnects');
my ($status, $output, $errors) = $node->psql('candidate', "$which;\n$call");
like($errors, qr/could not find function "bloomtype_candidate"/, 'others have that of the release');
SKIP:
{
	skip 'PostgreSQL tells it as of 18', 1 if $node->pg_version < 18;
	is( sql('candidate', q{LOAD 'bloomtype'},
			q{SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'bloomtype'}),
		$this_release, 'which says so');
}

sub unchanged_ok
{
	my ($when) = @_;
	my %after = everything_in('candidate');

	foreach my $what (sort keys %before)
	{
		ok($before{$what} eq $after{$what}, "$what: as before, $when")
		  or diag(difference($before{$what}, $after{$what}));
	}
}

unchanged_ok('with the new library');
($status, $output, $errors) = $node->psql('candidate', 'ALTER EXTENSION bloomtype UPDATE');
is($status, 0, 'ALTER EXTENSION UPDATE');
if ($has_update)
{
	my @old = split /\n/, delete $before{'the OIDs'};
	my %new = map { $_ => 1 } split /\n/, sql('candidate', $oids);

	is(sql('candidate', $installed), $version, 'makes the new version of the SQL');
	is(join("\n", grep { !$new{$_} } @old), '', 'and leaves each object its OID');
	delete @before{ 'the version of the SQL', 'the catalogs' };
	$before{'the definitions'} =~ s/^bloomtype\|\Q$candidate_sql\E$/bloomtype|$version/m;
}
else
{
	like($errors, qr/version "\Q$version\E" of extension "bloomtype" is already installed/,
		'has nothing to do');
}
unchanged_ok('after ALTER EXTENSION UPDATE');
sql('candidate', 'REINDEX DATABASE candidate', 'VACUUM FULL');
unchanged_ok('with new indexes');

is(sql('postgres', q{SELECT count(*) FROM pg_extension_update_paths('bloomtype')
	WHERE source = (SELECT default_version FROM pg_available_extensions WHERE name = 'bloomtype')
		AND path IS NOT NULL}), '0', 'there is no script to update with');

#
# A new database
#

sql('postgres', 'CREATE DATABASE fresh');
create_filters($node, 'fresh', 200000, $candidate_sql);
sql('fresh', 'ALTER EXTENSION bloomtype UPDATE');
my %fresh = everything_in('fresh');
my %updated = everything_in('candidate');
delete $fresh{'the OIDs'};
foreach my $what (sort keys %fresh)
{
	is(difference($fresh{$what}, $updated{$what}), '', "$what are those of a new database");
}

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');
done_testing();
