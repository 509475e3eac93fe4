# bloomtype_join: defects are planted, one at a time, and the tests find each: random statements, or
# those of a regression test.
#
# Left to --ci, for its time; the defects to BLOOMTYPE_SLOW.
#
#    BLOOMTYPE_QUERIES=...    how many random statements, at most, with each
#    BLOOMTYPE_DEFECT=...     a regular expression of the names of those to be planted

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use JoinFilterDefects;
use OwnInstallation;
use PlantedDefects;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomJoins;
use Test::More;

my $nqueries = $ENV{BLOOMTYPE_QUERIES} // 6000;
my $nqueries_of_seed = 500;
my $pattern = $ENV{BLOOMTYPE_DEFECT} // ($ENV{BLOOMTYPE_SLOW} ? '' : undef);
plan(skip_all => 'left to BLOOMTYPE_SLOW') if !defined $pattern;

my $copy = copy_installation('server');
my $sources = copy_source();

my $nnodes = 0;

sub server
{
	my $node = new_node('node' . $nnodes++, $copy);

	$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--no-sync' ]);
	$node->append_conf('postgresql.conf', RandomJoins::configuration());
	$node->start;
	return $node;
}

# What a regression test says of rows that differ, or of an error: an empty string if nothing
sub found_by_regression_test
{
	my ($node, $name) = @_;
	local $ENV{PG_ABS_SRCDIR} = "$FindBin::RealBin/..";
	my (undef, undef, $errors) = $node->psql('postgres', slurp_file("$FindBin::RealBin/../sql/$name.sql"), on_error_stop => 0);
	return join "\n", grep { /WARNING:  expected|ERROR:/ } split /\n/, $errors;
}

# What is found first
sub found
{
	my $node = server();
	my $result = '';

	RandomJoins::prepare($node);
	for (my $seed = 1; $seed * $nqueries_of_seed <= $nqueries && $result eq ''; $seed++)
	{
		# none of the defects makes this fail
		RandomJoins::make_tables($node, $seed);
		eval { RandomJoins::run_made($node, $seed, $nqueries_of_seed) };
		$result = $@ ne '' ? "failed: $@" : RandomJoins::findings($node);
	}
	foreach my $name ('join_filter_equality', 'join_filter_sides')
	{
		last if $result ne '';
		$result = found_by_regression_test($node, $name);
		$result = "$name: $result" if $result ne '';
	}
	$node->stop('immediate');
	return $result;
}

foreach my $name (grep { /$pattern/ } JoinFilterDefects::defects())
{
	my @before = eval { JoinFilterDefects::plant($name, $sources) };
	is($@, '', "$name: it is planted");
	if (@before && ok(build_library($copy, $sources, 'bloomtype_join'), "$name: it is built"))
	{
		my $result = found();
		isnt($result, '', "$name: found");
		note((split m{\n}, $result)[0] // q{});
	}
	restore_text(@before);
}

done_testing();
