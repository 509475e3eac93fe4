# bloom_pages: PostgreSQL's own test of BRIN's Bloom operator classes, brin_bloom, with an index of
# bloom_pages on each column that it can have, in place of BRIN's one index on all.  The test compares the
# rows of an index scan with those of a sequential scan.
#
# BLOOMTYPE_TESTS is the folder of PostgreSQL's tests; see test/bootstrap.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tests = ($ENV{BLOOMTYPE_TESTS} // '') . '/regress';
plan skip_all => "there are no tests of PostgreSQL's source" if !-r "$tests/sql/brin_bloom.sql";

# Types that are not those of keys
my @refused = ('"char"', 'interval', 'timetz', 'pg_lsn');

# The statement of the test that begins so, without what it does not need
my $script = slurp_file("$tests/sql/brin_bloom.sql");

sub statements
{
	my ($pattern) = @_;
	my @found = $script =~ /^($pattern.*?;)[^\n]*$/msg;
	die "not in brin_bloom.sql: $pattern" if !@found;
	return @found;
}

my ($index) = grep { /pages_per_range/ } statements('CREATE INDEX brinidx_bloom');
my @columns = $index =~ /^\s+(\w+)\s+\w+_bloom_ops\b/mg;
my ($comparison) = $script =~ /^(DO \$x\$.*?\$x\$;)$/ms;
my ($setup) = slurp_file("$tests/sql/test_setup.sql") =~ /^(CREATE TABLE tenk1 .*?;)$/ms;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
$node->safe_psql('postgres', "CREATE EXTENSION bloomtype; $setup
	COPY tenk1 FROM '$tests/data/tenk.data';");

# The settings of pg_regress
my $session = q{SET timezone = 'PST8PDT'; SET datestyle = 'postgres, mdy'; SET intervalstyle = 'postgres_verbose';};

# What the test says of rows, which should be nothing
sub compare
{
	my ($name, @before) = @_;
	my ($status, undef, $output) = $node->psql('postgres', join("\n", $session, @before, $comparison));

	is($status, 0, "$name: it runs");
	return $output;
}

my ($few, $some, $more) = statements('INSERT INTO brintest_bloom');
my $refused = join ', ', map { "'$_'" } @refused;
$node->safe_psql('postgres',
	join "\n", $session, statements('CREATE TABLE brintest_bloom'), $few, $some, statements('CREATE TABLE brinopers_bloom'),
	statements('INSERT INTO brinopers_bloom'), "DELETE FROM brinopers_bloom WHERE typ IN ($refused);");

my @indexed;
foreach my $column (@columns)
{
	my ($status, undef, $errors) =
	  $node->psql('postgres', "CREATE INDEX ON brintest_bloom USING bloom_pages ($column) WITH (pages_per_range = 1)");
	push @indexed, $column if $status == 0;
	like($errors, qr/has no default operator class|cannot use a value of type/, "no index on $column") if $status != 0;
}
is(@columns - @indexed, @refused, 'the other columns have an index');

is(compare('built'), '', 'built: the rows are those of the test');
# then the number of rows is another, but that of both scans is the same
my $changes = join "\n", $more, statements('UPDATE brintest_bloom');
my $output = compare('changed', $changes, 'VACUUM brintest_bloom;');
unlike($output, qr/something not right|did not get/, 'changed: both scans have the same rows');

# The comparison notices a row that an index does not have.
$node->safe_psql('postgres', q{
	DROP INDEX brintest_bloom_uuidcol_idx;
});
like(compare('an index is missing'), qr/did not get bitmap indexscan plan/, 'a missing index is noticed');

$node->stop;
done_testing();
