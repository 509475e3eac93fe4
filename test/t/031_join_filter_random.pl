# bloomtype_join and bloomtype_plan: random statements have the same rows with filters and corrected rows of joins as without,
# in one process, with parallel workers, and with batches on disk.
#
#    BLOOMTYPE_QUERIES=...   how many
#    BLOOMTYPE_MINUTES=...   how long, at most
#    BLOOMTYPE_SEED=...      where the random numbers start
#
# Every seed makes its own tables, and 1000 statements or fewer; after that comes the next seed.  A
# finding names its seed and its number N, and comes again with that BLOOMTYPE_SEED and
# BLOOMTYPE_QUERIES=N.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomJoins;
use Test::More;

my $first_seed = $ENV{BLOOMTYPE_SEED} // 1;
my $nqueries = $ENV{BLOOMTYPE_QUERIES} // ($ENV{BLOOMTYPE_SLOW} ? 30000 : $ENV{BLOOMTYPE_CI} ? 2000 : 250);
my $end = defined $ENV{BLOOMTYPE_MINUTES} ? time() + 60 * $ENV{BLOOMTYPE_MINUTES} : undef;
my $nqueries_of_seed = 1000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', RandomJoins::configuration());
$node->start;
note(RandomJoins::prepare($node));

my ($generated, $ngiven_up) = (0, 0);

for (my $seed = $first_seed; $generated < $nqueries; $seed++)
{
	my $n = $nqueries - $generated < $nqueries_of_seed ? $nqueries - $generated : $nqueries_of_seed;
	last if defined $end && time() > $end;
	$ngiven_up += RandomJoins::run_seed($node, $seed, $n);
	$generated += $n;
	note("seed $seed: "
		  . $node->safe_psql('postgres', q{SELECT string_agg(what || ' ' || n, ', ' ORDER BY what) FROM tally}));
	last if RandomJoins::findings($node) ne '';
}

my %tally = map { split /\|/ } split /\n/, $node->safe_psql('postgres', 'SELECT what, n FROM tally');
diag("statements: $tally{queries}, executions: $tally{executions}, with filters: "
	  . ($tally{'with filter: force'} + $tally{'with filter: spill'} + $tally{'with filter: parallel'})
	  . ', in nested loops: ' . ($tally{'with a filter in a nested loop'} // 0)
	  . ', with corrected rows: ' . ($tally{'with corrected rows'} // 0) . "; seed $first_seed");
my %rare = map { $_ => $tally{$_} // 0 } 'failed', 'too slow', 'too costly';
cmp_ok($ngiven_up + $tally{queries} + $rare{'too slow'} + $rare{'too costly'},
	'>=', $generated, 'all have run, or take too long') if RandomJoins::findings($node) eq '';
cmp_ok($tally{queries}, '>', $generated * 0.6, 'few take too long');
cmp_ok($tally{'with filter: force'}, '>', $generated * 0.4, 'many have a filter');
cmp_ok($tally{'with a shared filter'}, '>', $generated * 0.02, 'some have a filter of several processes');
cmp_ok($tally{'with a filter in a nested loop'} // 0, '>', $generated * 0.005, 'some have a filter in a nested loop');
cmp_ok($tally{'with corrected rows'} // 0, '>', 0, 'some have a join whose rows were corrected');
cmp_ok($tally{'with rows'}, '>', $generated * 0.3, 'many have rows');
cmp_ok($rare{failed}, '<', $generated * 0.06, 'few fail');
is(RandomJoins::findings($node), '', 'the rows are the same with and without filters');

# The comparison notices rows that are missing.
$node->safe_psql('postgres',
	RandomJoins::session() . q{
	SET search_path = public;
	CREATE TABLE half AS SELECT 1 AS n;
	CREATE FUNCTION differs() RETURNS int STABLE LANGUAGE sql
		AS $$SELECT CASE current_setting('bloomtype_join.enable') WHEN 'off' THEN 1 ELSE 0 END$$;
	CALL compare(0, 0, 'rows', '{enable_mergejoin,off,enable_nestloop,off}', '{max_parallel_workers,0}',
		'SELECT sum(n) FROM half JOIN half AS h USING (n) WHERE n <= differs()', '', '{0}', 10000);
});
is($node->safe_psql('postgres', q{SELECT count(*) > 0 FROM findings WHERE query LIKE '%differs%'}),
	't', 'a difference is found');

$node->stop;
done_testing();
