# bloomtype_join: foreign tables are read as ever, also several at once, and a plan that is there only to
# look at a locked row again stays as it is.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
enable_nestloop = off
enable_mergejoin = off
max_parallel_workers_per_gather = 0
jit = off
});
$node->start;
plan skip_all => 'there is no postgres_fdw'
  if $node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'}) ne '1';

my ($host, $port) = ($node->host, $node->port);
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'postgres', async_capable 'true', use_remote_estimate 'false');
	CREATE SERVER another FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'postgres', async_capable 'true');
	CREATE USER MAPPING FOR CURRENT_USER SERVER other;
	CREATE USER MAPPING FOR CURRENT_USER SERVER another;
	CREATE TABLE dim AS SELECT g AS id, g % 10 AS grp FROM generate_series(0, 99) g;
	CREATE TABLE far_1 AS SELECT g AS id, g % 100 AS a FROM generate_series(1, 1000) g;
	CREATE TABLE far_2 AS SELECT g AS id, g % 100 AS a FROM generate_series(1001, 2000) g;
	CREATE TABLE parts (id int, a int) PARTITION BY RANGE (id);
	CREATE FOREIGN TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (1001) SERVER other OPTIONS (table_name 'far_1');
	CREATE FOREIGN TABLE parts_2 PARTITION OF parts FOR VALUES FROM (1001) TO (2001) SERVER another OPTIONS (table_name 'far_2');
	CREATE TABLE parts_3 PARTITION OF parts FOR VALUES FROM (2001) TO (9000);
	INSERT INTO parts SELECT g, g % 100 FROM generate_series(2001, 3000) g;
	ANALYZE dim, far_1, far_2, parts, parts_1, parts_2, parts_3;
	CREATE FOREIGN TABLE far_dim (id int, grp int) SERVER other OPTIONS (table_name 'dim');
	ANALYZE far_dim});

# The plan of a query with filters, and its rows without and with them
sub compare
{
	my ($query, $settings) = @_;
	my ($off, $force, $plan) = map {
		$node->safe_psql('postgres', "LOAD 'bloomtype_join'; $settings SET bloomtype_join.enable = $_->[0]; $_->[1] $query")
	} [ 'off', '' ], [ 'force', '' ], [ 'force', 'EXPLAIN (COSTS off)' ];

	is($force, $off, "the same rows: $query");
	return ($plan, $off);
}

my ($plan, $rows) = compare('SELECT count(*), sum(parts.id) FROM parts JOIN dim ON parts.a = dim.id WHERE dim.grp = 3', '');
like($plan, qr/Async Foreign Scan on parts_1/, 'foreign tables are read at once');
is($rows, '300|449400', 'all their rows are found');
like($plan, qr/BloomtypeProbe[^\n]*\n[^\n]*\n[^\n]*Seq Scan on parts_3/, 'a table beside them is filtered');
unlike($plan, qr/BloomtypeProbe[^\n]*\n[^\n]*\n[^\n]*Foreign Scan/, 'they are not');

compare('SELECT count(*) FROM parts JOIN dim ON parts.a = dim.id WHERE dim.id = -1', '');
compare('SELECT count(*) FROM dim JOIN parts USING (id) JOIN far_1 ON far_1.id = dim.grp', '');

($plan) = compare('SELECT count(*) FROM parts_1 p JOIN dim ON p.a = dim.id WHERE dim.grp = 3', '');
unlike($plan, qr/Bloomtype/, 'a foreign table is not filtered');
($plan) = compare('SELECT count(*) FROM far_1 f JOIN far_dim d ON f.a = d.id WHERE d.grp = 3', '');
unlike($plan, qr/Bloomtype/, 'an inner side that is foreign fills no filter');
($plan) = compare('SELECT count(*) FROM parts p JOIN far_1 f ON p.id = f.id JOIN dim ON p.a = dim.id WHERE dim.grp = 3', '');
like($plan, qr/BloomtypeBuild/, 'a join of tables here and there has filters');

# A join that another server runs has a local plan, too, for rows that are looked at again.
my $lock = 'SELECT f.id FROM parts_1 f JOIN far_dim d ON f.a = d.id JOIN dim ON dim.id = d.id WHERE d.grp = 3
	FOR UPDATE OF dim';
($plan) = compare($lock, '');
like($plan, qr/LockRows\n.*Foreign Scan\n[^\n]*Relations[^\n]*\n[^\n]*Join/s, 'a join on another server has a local plan');
unlike($plan, qr/Relations.*Bloomtype/s, 'the local plan of a foreign join stays as it is');
note($plan);

# Rows of joins that are corrected, beside foreign tables; joins with these are not.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE calendar AS SELECT g AS day, g / 100 AS year FROM generate_series(0, 9999) g;
	ALTER TABLE calendar ADD PRIMARY KEY (day);
	CREATE TABLE dated AS SELECT 1900 + g % 300 AS day, g % 100 AS a FROM generate_series(1, 6000) g;
	CREATE FOREIGN TABLE far_dated (day int, a int) SERVER other OPTIONS (table_name 'dated');
	CREATE FOREIGN TABLE far_calendar (day int, year int) SERVER other OPTIONS (table_name 'calendar');
	ANALYZE calendar, dated, far_dated, far_calendar});

sub planned_rows
{
	my ($enable, $query) = @_;
	return $node->safe_psql('postgres',
		"LOAD 'bloomtype_plan'; SET bloomtype_plan.enable = $enable; EXPLAIN $query") =~ /^[^\n]* rows=(\d+)/ && $1;
}

my $corrects = q{LOAD 'bloomtype_plan';};
my $local = 'FROM dated f JOIN calendar c USING (day) JOIN far_dim d ON f.a = d.id JOIN far_1 g ON g.id = d.id WHERE c.year = 20';
compare("SELECT count(*) $local", $corrects);
cmp_ok(planned_rows('on', "SELECT $local"), '>', 10 * planned_rows('off', "SELECT $local"), 'beside a foreign join');
for my $from (
	'far_dated f JOIN calendar c USING (day)',
	'dated f JOIN far_calendar c USING (day)',
	'far_dated f JOIN far_calendar c USING (day)')
{
	compare("SELECT count(*) FROM $from WHERE year = 20", $corrects);
	is(planned_rows('on', "SELECT FROM $from WHERE year = 20"), planned_rows('off', "SELECT FROM $from WHERE year = 20"), 'rows of foreign tables stay');
}

$node->stop;
done_testing();
