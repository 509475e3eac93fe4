# The statements of doc/recipes.md as they are printed
#
#    my $statements = recipe($start);
#                              the block that begins so; that the page has it is a test
#    $page                     the whole page

package RecipesPage;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use FindBin;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(recipe $page);

our $page = slurp_file("$FindBin::RealBin/../../doc/recipes.md");

sub recipe
{
	my ($start) = @_;
	my ($statements) = $page =~ /^```(?:sql)?\n(\Q$start\E.*?)^```$/ms;

	ok($statements, "doc/recipes.md has the recipe: $start");
	return $statements;
}

1;
