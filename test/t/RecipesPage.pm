# The statements of doc/recipes.md and doc/special-cases.md as they are printed
#
#    my $statements = recipe($start);
#                              the block that begins so; that a page has it is a test
#    $page                     both pages

package RecipesPage;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(recipe $page);

our $page = join '', map { slurp_file("$FindBin::RealBin/../../doc/$_.md") } qw(recipes special-cases);

sub recipe
{
	my ($start) = @_;
	my ($statements) = $page =~ /^```(?:sql)?\n(\Q$start\E.*?)^```$/ms;

	ok($statements, "the pages have the recipe: $start");
	return $statements;
}

1;
