# bloomtype_join: an UPDATE that waits for another transaction, and then looks at a changed row
# again, finds the partners of the new row: there the filters do nothing.

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
session_preload_libraries = 'bloomtype_join'
bloomtype_join.enable = force
enable_nestloop = off
enable_mergejoin = off
});
$node->start;

# Run the first statement in a transaction that ends only when the second waits for it.  Returns
# what the second prints.
sub waiting
{
	my ($first, $second) = @_;
	my ($out, $err, $end) = ('', '', '');
	my @psql = ('psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', '-');
	my $input = "BEGIN;\n$first;\nSELECT 'changed';\n";
	my $timeout = IPC::Run::timeout(60);
	my $holder = IPC::Run::start(\@psql, '<', \$input, '>', \$out, '2>', \$err, $timeout);

	$holder->pump until $out =~ /changed/ || $err ne '';
	my ($found, $error) = ('', '');
	my $waiter = IPC::Run::start([ @psql[0 .. 3], '-c', $second ], '>', \$found, '2>', \$error, $timeout);
	$node->poll_query_until('postgres',
		q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'})
	  or die "nobody waits: $err $error";
	$input .= "COMMIT;\n\\q\n";
	$holder->finish;
	$waiter->finish;
	return $found . $error;
}

sub refill
{
	$node->safe_psql(
		'postgres', q{
		DROP TABLE IF EXISTS fact, dim;
		CREATE TABLE fact AS SELECT g AS id, g % 10 AS k, 0 AS n FROM generate_series(1, 99) g;
		CREATE TABLE dim AS SELECT g AS k, g AS old_k, g % 10 AS grp FROM generate_series(0, 9) g;
		ANALYZE fact, dim;
	});
}

refill();
like(
	$node->safe_psql('postgres',
		'EXPLAIN UPDATE fact SET n = 1 FROM dim WHERE fact.k = dim.k AND dim.grp < 5'),
	qr/BloomtypeProbe.*BloomtypeBuild/s,
	'the UPDATE has a filter');

# The rows that a statement finds after it has waited, with filters and without
sub same_rows
{
	my ($name, $first, $second) = @_;
	my %found;

	for my $enable (qw(off force))
	{
		refill();
		$found{$enable} = waiting($first, "SET bloomtype_join.enable = $enable; $second");
	}
	is($found{force}, $found{off}, $name);
	return $found{off};
}

my $update = 'UPDATE fact SET n = n + 1 FROM dim WHERE fact.k = dim.k AND dim.grp < 5;'
  . ' SELECT sum(n), count(*) FROM fact WHERE n > 0';
my $lock = q{SELECT count(*) FROM (SELECT fact.id FROM fact JOIN dim ON fact.k = dim.k
	WHERE dim.grp < 5 FOR UPDATE) x};
same_rows('a row that gets another key', 'UPDATE fact SET k = 3 WHERE id = 4', $update);
same_rows('a row that keeps its key', 'UPDATE fact SET n = 7 WHERE id = 4', $update);
my $both = 'UPDATE fact SET k = 100 + k WHERE k < 2; UPDATE dim SET k = 100 + k WHERE k < 2';
like($node->safe_psql('postgres', "EXPLAIN $lock"),
	qr/LockRows.*BloomtypeProbe.*BloomtypeBuild/s, 'SELECT ... FOR UPDATE has a filter');
is(same_rows('rows of both sides that get another key', $both, $lock), "49\n", 'rows are found by their new keys');
is(same_rows('rows of both sides that get another key, some of which are to be changed',
		$both, $lock =~ s/dim[.]grp < 5/dim.grp < 5 AND fact.id % 3 = 0/r), "16\n", 'and so are some of them');
is(same_rows('two filters', $both, $lock =~ s/dim ON/dim AS other ON fact.k = other.k JOIN dim ON/r),
	"49\n", 'by the new keys of both joins');
same_rows('rows to be deleted', $both, 'DELETE FROM fact USING dim WHERE fact.k = dim.k AND dim.grp < 5; SELECT count(*) FROM fact');
same_rows('a row to be changed that is deleted', 'DELETE FROM fact WHERE id = 4', $update);
same_rows('a row that moves into the reach of the join', 'UPDATE fact SET k = 2 WHERE id IN (4, 7)', $update);

# A join in a sub-select runs again for the changed row.
my $subselect = 'UPDATE fact SET n = n + 1 WHERE k < 5 AND
	(SELECT count(*) FROM fact f JOIN dim ON f.k = dim.k WHERE dim.grp < 5 AND f.id > fact.id) > 0;
	SELECT sum(n), count(*) FROM fact WHERE n > 0';
like($node->safe_psql('postgres', 'EXPLAIN ' . $subselect =~ s/;.*//sr), qr/SubPlan.*BloomtypeProbe/s, 'a sub-select has a filter');
same_rows('a row that gets another key, by a sub-select', 'UPDATE fact SET k = 3 WHERE id = 4', $subselect);
same_rows('rows to be merged', 'UPDATE fact SET k = 3 WHERE id = 4; UPDATE dim SET grp = 9 WHERE k = 2',
	'MERGE INTO fact USING (SELECT * FROM dim WHERE grp < 5) d ON fact.k = d.k WHEN MATCHED THEN UPDATE SET n = n + d.k;
	SELECT sum(n), count(*) FROM fact WHERE n > 0');

$node->stop;
done_testing();
