# bloom_range in a small geometry, with eight ranges in a group: random statements have the same rows
# with an index as without one.  Then defects are planted, one at a time, and the same statements find
# each.
#
# Left to --ci, for its time; the defects to BLOOMTYPE_SLOW.
#
#    BLOOMTYPE_STATEMENTS=...  how many without a defect, and at most with each
#    BLOOMTYPE_DEFECT=...      a regular expression of the names of those to be planted

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use OwnInstallation;
use PlantedDefects;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RangeIndexDefects;
use RangeIndexRows;
use Test::More;

my $nstatements = $ENV{BLOOMTYPE_STATEMENTS} // ($ENV{BLOOMTYPE_SLOW} ? 3000 : 300);
my $pattern = $ENV{BLOOMTYPE_DEFECT} // ($ENV{BLOOMTYPE_SLOW} ? '' : undef);

my $copy = copy_installation('server');
my $sources = copy_source();
RangeIndexDefects::small_geometry($sources);

# Run statements until rows differ, or something fails: what was found, or an empty string
my $nnodes = 0;

sub found
{
	my ($first_seed) = @_;
	my $node = new_node('node' . $nnodes++, $copy);
	my $run = 0;
	my $result = '';

	$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--no-sync' ]);
	$node->append_conf('postgresql.conf', RangeIndexRows::configuration());
	$node->start;
	$node->safe_psql('postgres', RangeIndexRows::preparation());
	for (my $seed = $first_seed; $run < $nstatements && $result eq ''; $seed++)
	{
		my $n = eval { RangeIndexRows::run_seed($node, $seed) };
		$result = $n ? RangeIndexRows::findings($node) : "failed: $@";
		$run += $n // 0;
	}
	$node->stop('immediate');
	return $result;
}

ok(build_library($copy, $sources, 'bloomtype'), 'a small geometry: it is built') and is(found($ENV{BLOOMTYPE_SEED} // 1), '', 'the rows are the same');

foreach my $name (defined $pattern ? grep { /$pattern/ } RangeIndexDefects::defects() : ())
{
	my @before = eval { RangeIndexDefects::plant($name, $sources) };
	is($@, '', "$name: it is planted");
	if (@before && ok(build_library($copy, $sources, 'bloomtype'), "$name: it is built"))
	{
		my $result = found(1);
		isnt($result, '', "$name: found");
		note((split m{\n}, $result)[0] // q{});
	}
	restore_text(@before);
}

done_testing();
