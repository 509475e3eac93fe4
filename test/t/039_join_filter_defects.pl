# bloomtype_join: defects are planted, one at a time, and the tests find each: random statements, or
# those of a regression test.
#
# Left to --ci, which plants them only; what finds them is left to BLOOMTYPE_SLOW.
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

my $sources = copy_source();
my $copy;

my $nnodes = 0;

sub server
{
	my $node = new_node('node' . $nnodes++, $copy);

	$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--no-sync' ]);
	$node->append_conf('postgresql.conf', RandomJoins::configuration());
	$node->start;
	return $node;
}

# What a regression test says of rows that differ or of an error, but for those that it expects, or that
# it does not end: an empty string if nothing
sub found_by_regression_test
{
	my ($node, $name) = @_;
	local $ENV{PG_ABS_SRCDIR} = "$FindBin::RealBin/..";
	my $is_late;
	my (undef, $output, $errors) = $node->psql(
		'postgres',
		slurp_file("$FindBin::RealBin/../sql/$name.sql"),
		on_error_stop => 0,
		timeout => 60,
		timed_out => \$is_late);
	return 'it does not end' if $is_late;
	my $expected = slurp_file("$FindBin::RealBin/../../expected/$name.out");
	return join "\n", grep { /WARNING:  expected|ERROR:|\d, not \d/ && index($expected, $_) < 0 }
	  map { s/^psql:\S+ //r } split /\n/, "$errors\n$output";
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
	foreach my $name (map { "join_filter_$_" } qw(bitmap partitions equality sides rescans loops rows))
	{
		last if $result ne '';
		$result = found_by_regression_test($node, $name);
		$result = "$name: $result" if $result ne '';
	}
	$node->stop('immediate');
	return $result;
}

# Find a defect that is planted.
sub found_ok
{
	my ($name) = @_;

	return if !ok(build_library($copy, $sources, 'bloomtype_join'), "$name: it is built");
	my $result = found();
	isnt($result, '', "$name: found");
	note((split m{\n}, $result)[0] // q{});
	return;
}

if (defined $pattern)
{
	$copy = copy_installation('server');
	is(found(), '', 'without a defect: nothing is found');
}
foreach my $name (JoinFilterDefects::defects())
{
	my @before = eval { JoinFilterDefects::plant($name, $sources) };
	is($@, '', "$name: it is planted");
	found_ok($name) if @before && defined $pattern && $name =~ /$pattern/;
	restore_text(@before);
}

done_testing();
