# bloomtype_join beside other libraries: those that look at each query, another planner hook before
# and behind it, and nodes that it does not know, which it leaves as they are.
#
# What is not installed is skipped.

use strict;
use warnings FATAL => 'all';

use File::Copy 'copy';
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/../..";
my $folder = PostgreSQL::Test::Utils::tempdir();
chomp(my $pkglibdir = `pg_config --pkglibdir`);

for (glob "$top/test/modules/other_scans/*")
{
	copy($_, $folder) or die "cannot copy $_: $!";
}
command_ok(
	[
		'make', '-s', '-C', $folder, 'with_llvm=no',
		'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
		"top=$top",
		'COPT=-O1 -Wextra -Wno-unused-parameter -Werror'
	],
	'the module is built');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
shared_preload_libraries = ''
bloomtype_join.enable = force
enable_nestloop = off
enable_mergejoin = off
max_parallel_workers_per_gather = 0
});
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE TABLE fact AS SELECT g AS id, g % 100 AS a FROM generate_series(1, 2000) g;
	CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp FROM generate_series(0, 99) g;
	CREATE TABLE sub AS SELECT g AS id, g % 4 AS kind FROM generate_series(0, 9) g;
	CREATE TABLE calendar AS SELECT g AS day, g / 100 AS year FROM generate_series(0, 9999) g;
	ALTER TABLE calendar ADD PRIMARY KEY (day);
	CREATE TABLE dated AS SELECT 1900 + g % 300 AS day FROM generate_series(1, 6000) g;
	ANALYZE fact, dim, sub, calendar, dated;
});

my $query = 'SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id WHERE dim.grp = 3';

# Output of statements after the settings of a session
sub sql
{
	return $node->safe_psql('postgres', join ";\n", @_);
}

# The nodes of a query's plan that are no scans, joins or hashes of the server, in one line
sub nodes
{
	my $plan = sql(@_[ 0 .. $#_ - 1 ], "EXPLAIN (COSTS off) $_[-1]");
	return join ' ', $plan =~ /Custom Scan \((\w+)\)/g;
}

# Restart with these libraries in every session.
sub restart_with
{
	$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "'" . join(', ', @_) . "'");
	$node->restart;
}

sub is_installed
{
	my ($library) = @_;
	return grep { -e } map { "$pkglibdir/$library.$_" } 'so', 'dylib';
}

# Libraries that look at each query
SKIP:
{
	skip 'without contrib', 1
	  unless is_installed('auto_explain') && is_installed('pg_stat_statements');

	my @others = ('auto_explain', 'pg_stat_statements');
	$node->append_conf(
		'postgresql.conf', q{
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_nested_statements = on
pg_stat_statements.track_planning = on
});
	for my $libraries ([ @others, 'bloomtype_join' ], [ 'bloomtype_join', @others ])
	{
		restart_with(@$libraries);
		sql('DROP EXTENSION IF EXISTS pg_stat_statements', 'CREATE EXTENSION pg_stat_statements',
			'SELECT pg_stat_statements_reset()');

		my $offset = -s $node->logfile;
		is(sql($query), '200', "@$libraries: the rows");
		my $log = substr(slurp_file($node->logfile), $offset);
		like($log, qr/BloomtypeProbe.*Rows Removed by Runtime Filter: 1799/s, 'what the filter removed');
		is( sql(q{SELECT calls, plans, rows FROM pg_stat_statements WHERE query LIKE '%dim.grp = $1'}),
			'1|1|1', 'the query is counted once');
	}
}

# The planner hook of pg_hint_plan, before and behind
SKIP:
{
	skip 'without pg_hint_plan', 1 unless is_installed('pg_hint_plan');
	for my $libraries ([ 'pg_hint_plan', 'bloomtype_join', 'bloomtype_plan' ], [ 'bloomtype_plan', 'bloomtype_join', 'pg_hint_plan' ])
	{
		restart_with(@$libraries);
		my $hinted = $node->safe_psql('postgres',
			"/*+ HashJoin(fact dim) Leading((fact dim)) */ EXPLAIN $query");
		like($hinted, qr/BloomtypeProbe.*Seq Scan on fact/s, "@$libraries: a hash join by hints");
		unlike($node->safe_psql('postgres', "/*+ NestLoop(fact dim) */ EXPLAIN $query"),
			qr/Bloomtype/, 'a nested loop by a hint');
		# the rows of a hint stay, where they would be corrected without it
		my $corrected = 'SELECT FROM dated JOIN calendar USING (day) WHERE calendar.year = 20';
		like($node->safe_psql('postgres', "EXPLAIN $corrected"), qr/^[^\n]* rows=\d{4} /, 'corrected rows');
		like($node->safe_psql('postgres', "/*+ Rows(dated calendar #77) */ EXPLAIN $corrected"),
			qr/^[^\n]* rows=77 /, 'rows by a hint');
	}
}

# A setting that another library changes while it plans, as a hint of pg_hint_plan does, counts in both orders.
for my $libraries ([ "$folder/other_scans", 'bloomtype_join' ], [ 'bloomtype_join', "$folder/other_scans" ])
{
	restart_with(@$libraries);
	is(nodes('SET other_scans.hint = off', $query), '', "@$libraries: no filter by a hint");
	is(nodes('SET bloomtype_join.enable = off', 'SET other_scans.hint = force', $query),
		'BloomtypeProbe BloomtypeBuild', 'a filter by a hint');
	is(nodes('SET bloomtype_join.enable = off', $query), '', 'the setting is as before');
}

# Nodes of a library that are put into the plan first: no filter above or below them
restart_with("$folder/other_scans", 'bloomtype_join');
is(nodes($query), 'BloomtypeProbe BloomtypeBuild', 'a plan without other nodes');
for my $where ('off', 'on')
{
	my $set = "SET other_scans.in_custom_plans = $where";

	for my $table ('fact', 'dim')
	{
		my @set = ($set, "SET other_scans.relation = $table");
		is(nodes(@set, $query), 'OtherScan', "above $table, in custom_plans $where");
		is(sql(@set, $query), '200', 'the rows');
	}
	is(sql($set, 'SET other_scans.relation = sub', "$query AND dim.id IN (SELECT id + 3 FROM sub)"),
		'20', 'beside such a node, no number twice');
	my $both = "SELECT count(*) FROM (SELECT fact.id FROM fact JOIN dim ON fact.a = dim.id
		WHERE dim.grp = 3 UNION ALL SELECT id FROM sub) x";
	my @set = ($set, 'SET other_scans.relation = sub');
	is(nodes(@set, $both), 'BloomtypeProbe BloomtypeBuild OtherScan', 'filters beside such a node');
	is(sql(@set, $both), '210', 'no number twice');
}
is(nodes('SET other_scans.joins = on', $query), 'OtherScan', 'a join below such a node');
is( nodes(
		'SET other_scans.joins = on',
		'SELECT count(*) FROM fact JOIN dim ON fact.a = dim.id JOIN sub ON sub.id = dim.grp'),
	'OtherScan OtherScan',
	'joins below such nodes');

# bloomtype_plan hands on what it is asked for, also where it corrects rows: once for each order of two tables
restart_with("$folder/other_scans", 'bloomtype_plan');
for my $asked ('SELECT FROM fact JOIN dim ON a = dim.id', 'SELECT FROM dated JOIN calendar USING (day) WHERE year = 20')
{
	$node->psql('postgres', "SET other_scans.tells = on; $asked", stderr => \my $told);
	is(scalar(() = $told =~ /asked for paths/g), 2, "a hook for paths: $asked");
}

# It leaves rows that another library has set, as by a hint, before it.
restart_with('bloomtype_plan', "$folder/other_scans");
my $explained = 'EXPLAIN SELECT FROM dated JOIN calendar USING (day) WHERE year = 20';
like(sql($explained), qr/^[^\n]* rows=\d{4} /, 'corrected rows');
unlike(sql('SET other_scans.rows = 77', $explained), qr/^[^\n]* rows=\d{4} /, 'rows of another library');

# The other way round: nodes between filters and scans, or above joins with filters
restart_with('bloomtype_join', "$folder/other_scans");
for my $where ('off', 'on')
{
	for my $table ('fact', 'dim')
	{
		my @set = ("SET other_scans.in_custom_plans = $where", "SET other_scans.relation = $table");
		like(nodes(@set, $query), qr/Bloomtype.*OtherScan|OtherScan.*Bloomtype/,
			"behind: above $table, in custom_plans $where");
		is(sql(@set, $query), '200', 'the rows');
	}
}
is(nodes('SET other_scans.joins = on', $query),
	'OtherScan BloomtypeProbe BloomtypeBuild', 'above a join with a filter');
is(sql('SET other_scans.joins = on', $query), '200', 'the rows');

$node->stop;
done_testing();
