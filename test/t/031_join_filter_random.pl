# bloomtype_join: random queries have the same rows with filters as without, in one process, with
# parallel workers, and with batches on disk.
#
#    BLOOMTYPE_QUERIES=...   how many; BLOOMTYPE_SEED=... which

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RandomJoins;
use Test::More;

my $seed = $ENV{BLOOMTYPE_SEED} // 1;
my $nqueries = $ENV{BLOOMTYPE_QUERIES} // ($ENV{BLOOMTYPE_SLOW} ? 5000 : $ENV{BLOOMTYPE_CI} ? 600 : 150);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
max_worker_processes = 8
max_parallel_workers = 8
jit = off
});
$node->start;

# without ICU, all collations are deterministic
my ($status) = $node->psql('postgres',
	q{CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
my $loose = $status == 0 ? 'loose' : '"C"';

srand($seed);
$node->safe_psql('postgres', RandomJoins::schema($loose) . RandomJoins::procedure());
my @statements = (
	q{SET client_min_messages = error;
	LOAD 'bloomtype_join';
	SET statement_timeout = '10s';
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET min_parallel_index_scan_size = 0;},
	map { RandomJoins::compare() } 1 .. $nqueries);
$node->safe_psql('postgres', join("\n", @statements));

my %tally = map { split /\|/ } split /\n/, $node->safe_psql('postgres', 'SELECT what, n FROM tally');
note("$_: $tally{$_}") for sort keys %tally;
is($tally{queries}, $nqueries, 'all queries have run');
cmp_ok($tally{'with filter'}, '>', $nqueries / 2, 'most queries have a filter');
cmp_ok($tally{'with rows'}, '>', $nqueries / 3, 'many queries have rows');
cmp_ok($tally{failed}, '<', $nqueries / 20, 'few queries fail');
is( $node->safe_psql('postgres', 'SELECT mode, expected, found, query FROM findings ORDER BY query LIMIT 5'),
	'', 'the rows are the same with and without filters');

# The comparison notices rows that are missing.
$node->safe_psql(
	'postgres', q{
	LOAD 'bloomtype_join';
	SET enable_mergejoin = off;
	SET enable_nestloop = off;
	CREATE TABLE half AS SELECT 1 AS n;
	CREATE FUNCTION differs() RETURNS int STABLE LANGUAGE sql
		AS $$SELECT CASE current_setting('bloomtype_join.enable') WHEN 'off' THEN 1 ELSE 0 END$$;
	CALL compare('SELECT n FROM half JOIN half AS h USING (n) WHERE n <= differs()');
});
is($node->safe_psql('postgres', q{SELECT count(*) > 0 FROM findings WHERE query LIKE '%differs%'}),
	't', 'a difference is found');

$node->stop;
done_testing();
