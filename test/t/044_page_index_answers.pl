# bloom_pages: random statements have the same rows with an index as without one, while tables are
# changed at random.
#
#    BLOOMTYPE_STATEMENTS=...  how many
#    BLOOMTYPE_MINUTES=...     how long, at most
#    BLOOMTYPE_SEED=...        where the random numbers start
#
# Every seed makes its own tables, and ten rounds of changes and statements.  In every other round the
# changes are made by other sessions, meanwhile.  A finding names its seed.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PageIndexRows;
use Test::More;

my $first_seed = $ENV{BLOOMTYPE_SEED} // 1;
my $nstatements = $ENV{BLOOMTYPE_STATEMENTS} // ($ENV{BLOOMTYPE_SLOW} ? 30000 : 300);
my $end = defined $ENV{BLOOMTYPE_MINUTES} ? time() + 60 * $ENV{BLOOMTYPE_MINUTES} : undef;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', PageIndexRows::configuration());
$node->start;
$node->safe_psql('postgres', PageIndexRows::preparation());

my $run = 0;
for (my $seed = $first_seed; $run < $nstatements; $seed++)
{
	last if defined $end && time() > $end;
	$run += PageIndexRows::run_seed($node, $seed);
	last if PageIndexRows::has_findings($node);
}

my %tally = map { split /\|/ } split /\n/,
  $node->safe_psql('postgres', 'SELECT what, sum(n) FROM tally GROUP BY what');
diag("queries: $tally{queries}, with an index: $tally{'with an index'}, changes: $tally{changes}, rows: $tally{rows}; "
	  . "seed $first_seed");
is($tally{queries} + $tally{changes}, $run, 'all have run');
cmp_ok($tally{'with an index'}, '>', $tally{queries} * 0.85, 'nearly all use an index');
cmp_ok($tally{'with rows'}, '>', $run * 0.4, 'many have rows');
cmp_ok($tally{parallel} // 0, '>', 0, 'some are parallel');
is(PageIndexRows::findings($node), '', 'the rows are the same with indexes and without');

# The comparison notices rows that are missing.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION differs() RETURNS bool STABLE LANGUAGE sql
		AS $$SELECT current_setting('enable_bitmapscan') = 'off'$$;
	CALL compare(0, 0, $$SELECT count(*) || ' rows' FROM tally WHERE differs()$$);
});
isnt(PageIndexRows::findings($node), '', 'a difference is found');

$node->stop;
done_testing();
