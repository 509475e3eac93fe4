# Defects are planted in bloomtype_join, one at a time, and the random statements of
# 031_join_filter_random.pl find each.
#
# Left to --ci, and there to BLOOMTYPE_SLOW, for its time.
#
#    BLOOMTYPE_QUERIES=...     how many statements, at most, with each defect
#    BLOOMTYPE_DEFECT=...      a regular expression of the names of those to be planted

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use JoinFilterDefects;
use OwnInstallation;
use PlantedDefects;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'not in a run of all tests' if !$ENV{BLOOMTYPE_SLOW} && !defined $ENV{BLOOMTYPE_DEFECT};

my $pattern = $ENV{BLOOMTYPE_DEFECT} // '';
my $copy = copy_installation('server');
my ($library) = grep { m{/bloomtype_join\.[a-z]+$} } glob "$copy->{pkglibdir}/bloomtype_join.*";
my $sources = PostgreSQL::Test::Utils::tempdir('sources');
system_or_bail('cp', '-a', "$FindBin::RealBin/../../.", $sources);

# What the random statements print, on servers of the copy
sub run_statements
{
	local $ENV{PATH} = "$copy->{bindir}:$ENV{PATH}";
	local $ENV{TESTDATADIR} = PostgreSQL::Test::Utils::tempdir('data');
	local $ENV{TESTLOGDIR} = "$ENV{TESTDATADIR}/log";
	local $ENV{BLOOMTYPE_QUERIES} = $ENV{BLOOMTYPE_QUERIES} // 6000;
	my ($stdout, $stderr) = run_command([ $^X, (map { "-I$_" } @INC), "$FindBin::RealBin/031_join_filter_random.pl" ]);

	return "$stdout\n$stderr";
}

foreach my $name (grep { /$pattern/ } JoinFilterDefects::defects())
{
	my @before = eval { JoinFilterDefects::plant($name, $sources) };
	is($@, '', "$name: it is planted");
	if (@before && ok(build_library($sources, 'bloomtype_join.so', $library), "$name: it is built"))
	{
		my $output = run_statements();
		like($output, qr/^not ok \d+ - the rows are the same with and without filters/m, "$name: found");
		note($output =~ /^#\s+got: '(.*)/m ? $1 : $output);
	}
	restore_text(@before);
}

done_testing();
