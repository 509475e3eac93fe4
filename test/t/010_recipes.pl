# The recipes of doc/recipes.md and doc/special-cases.md, while others write: no key falls between, and a missing filter is
# not taken for one that knows every key, or none.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RecipesPage;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

my $rebuild = recipe("BEGIN;\nLOCK TABLE customer");
my $dedupe = recipe("BEGIN;\nLOCK TABLE seen");

# Wait until some session waits for a lock.
sub wait_for_lock
{
	$node->poll_query_until('postgres',
		"SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
	  or die 'nobody waits for a lock';
}

# Run statements in a session of their own; finish() returns the output.
my $nfiles = 0;

sub start_session
{
	my ($statements) = @_;
	my $file = $node->basedir . '/statements' . $nfiles++;
	my %session = (out => '', err => '');

	append_to_file($file, $statements);
	$session{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $file, '-d', $node->connstr('postgres') ],
		'<', \undef, '>', \$session{out}, '2>', \$session{err});
	return \%session;
}

sub finish
{
	my ($session) = @_;

	IPC::Run::finish($session->{run}) or die $session->{err};
	return $session->{out};
}

# Rebuild and swap: a writer that has inserted and added its key, but not
# committed yet, does not lose it.
$node->safe_psql('postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE customer AS SELECT id FROM generate_series(1, 1000) id;
	CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
	INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer});

my $writer = $node->background_psql('postgres');
$writer->query_safe('BEGIN');
$writer->query_safe('INSERT INTO customer VALUES (987654321)');
$writer->query_safe("UPDATE filter SET f = bloom_add(f, 987654321) WHERE name = 'customer'");
my $rebuilder = start_session($rebuild);
wait_for_lock();
$writer->query_safe('COMMIT');
finish($rebuilder);
is($node->safe_psql('postgres', 'SELECT f @> 987654321 FROM filter'),
	't', 'a key that was being added survives the rebuild');

# The reverse: the rebuild is on its way when the writer comes.
my $first = $node->background_psql('postgres');
$first->query_safe($_) for (grep { /\S/ && !/COMMIT/ } split /;/, $rebuild);
my $second = start_session(
	"INSERT INTO customer VALUES (5555);\n"
	  . "UPDATE filter SET f = bloom_add(f, 5555) WHERE name = 'customer';\n");
wait_for_lock();
is($node->safe_psql('postgres', "SELECT f @> 1 FROM filter WHERE name = 'customer'"),
	't', 'readers are not held up');
$first->query_safe('COMMIT');
finish($second);
is($node->safe_psql('postgres', 'SELECT f @> 5555 AND f @> 987654321 FROM filter'),
	't', 'a key that comes during the rebuild is in the filter');
is($node->safe_psql('postgres', 'SELECT bool_and(f @> id) FROM filter, customer'),
	't', 'every customer is');

# Dedupe: several jobs at once, events that keep coming, each is accepted once.
$node->safe_psql('postgres', q{
	CREATE TABLE incoming (event_id uuid NOT NULL);
	CREATE TABLE accepted (event_id uuid NOT NULL);
	CREATE TABLE seen (f bloom NOT NULL);
	INSERT INTO seen VALUES (bloom_create(1000000, 0.000001));
	CREATE FUNCTION event(i int) RETURNS uuid LANGUAGE sql RETURN md5(i::text)::uuid;
	CREATE TABLE sent (event_id uuid)});

my @jobs = map { start_session($dedupe x 20) } 1 .. 3;
for my $round (1 .. 20)
{
	# every event twice, and again in the next round
	$node->safe_psql('postgres', qq{
		WITH new AS (INSERT INTO incoming SELECT event(i / 2) FROM generate_series($round * 100, $round * 100 + 399) i RETURNING event_id)
		INSERT INTO sent SELECT event_id FROM new});
}
finish($_) for @jobs;
finish(start_session($dedupe));
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT event_id) FROM accepted'),
	0, 'no event is accepted twice');
is($node->safe_psql('postgres', 'SELECT count(*) FROM (SELECT event_id FROM sent EXCEPT SELECT event_id FROM accepted) s'),
	0, 'every event is accepted');
is($node->safe_psql('postgres', 'SELECT count(*) FROM incoming'),
	0, 'nothing is left');
$node->safe_psql('postgres', 'INSERT INTO incoming SELECT event_id FROM sent LIMIT 10');
finish(start_session($dedupe));
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT event_id) FROM accepted'),
	0, 'nor any that comes much later');

# a batch of nothing changes nothing; without the filter's row every event passes
$node->safe_psql('postgres', q{CREATE TABLE before AS SELECT f FROM seen});
finish(start_session($dedupe));
is($node->safe_psql('postgres', 'SELECT seen.f = before.f FROM seen, before'),
	't', 'a batch of nothing changes nothing');
$node->safe_psql('postgres', q{
	DELETE FROM seen;
	INSERT INTO incoming SELECT event(100) FROM generate_series(1, 2)});
finish(start_session($dedupe));
is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT event_id) FROM accepted'),
	1, 'a missing filter is not an empty one, nor a full one');

$writer->quit;
$first->quit;

# Run scripts by pgbench (name@weight => text); all of it must succeed.  A thread for each client:
# while a statement is prepared, pgbench waits for a lock, and another client of the thread may be
# the one that holds it.
sub pgbench
{
	my ($nclients, $ntransactions, %scripts) = @_;
	my @files;

	foreach my $name (sort keys %scripts)
	{
		my ($script, $weight) = split /(?=@)/, $name;
		my $file = $node->basedir . "/$script.pgbench";

		append_to_file($file, $scripts{$name});
		push @files, '-f', $file . ($weight // '');
	}
	my $result = IPC::Run::run(
		[ 'pgbench', '-n', '-M', 'prepared', '-j', $nclients, '-c', $nclients, '-t', $ntransactions, @files, $node->connstr('postgres') ],
		'>', \my $out, '2>', \my $err);
	ok($result && $err !~ /abort|ERROR/, "$nclients clients, $ntransactions transactions each")
	  or diag($err);
}

# A cuckoo filter: 8 writers insert and delete, and the filter has the keys of the table, each once.
$node->safe_psql('postgres', recipe("CREATE TABLE member (id int PRIMARY KEY);\nCREATE TABLE member_filter"));
pgbench(8, 50,
	'come@3' => q{
	\set id random(1, 1000000000)
	INSERT INTO member SELECT :id + i FROM generate_series(1, 30) i ON CONFLICT DO NOTHING;
}, 'go@1' => q{
	DELETE FROM member WHERE id IN (SELECT id FROM member ORDER BY random() LIMIT 20);
});
is($node->safe_psql('postgres', q{
		SELECT count(*) > 1000, min(cuckoo_cardinality(f)) = count(*), bool_and(f @> id)
		FROM member, member_filter}),
	't|t|t', 'a cuckoo filter has the keys of the table');

# Unique across partitions: of two sessions that bring one key, the second waits for the first.
my ($add_payment) = recipe('CREATE FUNCTION add_payment');
$node->safe_psql('postgres', recipe('CREATE SCHEMA unique_key') =~ s/^.*\n//r . $add_payment);
my $nrequests = 0;

# The key comes to a session, which the second waits for; what the second answers once the first has ended
sub two_sessions
{
	my ($statement, $end, $isolation) = @_;
	my $key = "md5('request " . $nrequests++ . "')::uuid";
	my $session = $node->background_psql('postgres');

	$session->query_safe('BEGIN');
	$session->query_safe($statement =~ s/KEY/$key/gr);
	my $waiting = start_session("BEGIN ISOLATION LEVEL $isolation;\n" . $statement =~ s/KEY/$key/gr . ";\nCOMMIT;\n");
	wait_for_lock();
	$session->query_safe($end);
	$session->quit;
	return finish($waiting) . $node->safe_psql('postgres', "SELECT count(*) FROM payment WHERE request_id = $key");
}

my $call = q{SELECT add_payment('2026-01-02', KEY, 1)};
my $in_one = q{INSERT INTO payment SELECT '2026-01-02', KEY, 1
	FROM (SELECT pg_advisory_xact_lock(bloom_key_to_bigint(bloom_key(KEY))) OFFSET 0) l
	WHERE NOT EXISTS (SELECT FROM payment WHERE request_id = KEY)};
is(two_sessions($call, 'COMMIT', 'READ COMMITTED'), "f\n1", 'a key that has been committed is not added again');
is(two_sessions($call, 'ROLLBACK', 'READ COMMITTED'), "t\n1", 'one that was rolled back is');
is(two_sessions($in_one, 'COMMIT', 'READ COMMITTED'), '2', 'with the lock in the statement itself, there is a duplicate');
is(two_sessions($call, 'COMMIT', 'REPEATABLE READ'), "t\n2", 'and with an older snapshot');
$node->safe_psql('postgres', 'TRUNCATE payment');
pgbench(8, 200, add => q{
	\set k random(1, 500)
	\set day random(0, 1)
	SELECT add_payment(date '2026-01-01' + :day::int, md5(:k::text)::uuid, 1);
});
is($node->safe_psql('postgres', 'SELECT count(*) > 450, count(*) = count(DISTINCT request_id) FROM payment'),
	't|t', 'eight sessions add each key once');

# SERIALIZABLE needs no lock
my @serializable = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
foreach my $session (@serializable)
{
	$session->query_safe('BEGIN ISOLATION LEVEL SERIALIZABLE');
	$session->query_safe(q{INSERT INTO payment SELECT '2026-01-02', md5('serializable')::uuid, 1
		WHERE NOT EXISTS (SELECT FROM payment WHERE request_id = md5('serializable')::uuid)});
}
$_->query('COMMIT') foreach @serializable;
$_->quit foreach @serializable;
is($node->safe_psql('postgres', q{SELECT count(*) FROM payment WHERE request_id = md5('serializable')::uuid}),
	1, 'nor does a serializable transaction add a duplicate');

# Only what is new: the table is asked about the maybes only, through its index.
my ($only_new) = recipe("BEGIN;\nLOCK TABLE event IN SHARE ROW") =~ /(INSERT INTO event\n.*?;\n)/s;
$node->safe_psql('postgres', recipe('CREATE TABLE event (event_id') . 'ANALYZE event, arrived');
my $plan = $node->safe_psql('postgres', "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $only_new");
my $maybes = $node->safe_psql('postgres', q{
	SELECT count(*) FROM generate_series(99001, 110000) id, filter WHERE name = 'event' AND bloom_contains(f, id)});
cmp_ok($maybes, '<', 1200, 'the maybes are few');
like($plan, qr/SubPlan[^\n]*\n *->  Aggregate \(actual rows=1(?:\.00)? loops=$maybes\)\n(?: *Buffers:[^\n]*\n)* *->  Index Only Scan/,
	'and only they are looked for in the table');
unlike($plan, qr/Anti Join|hashed SubPlan|Seq Scan on event/, 'which is not read as a whole');
is($node->safe_psql('postgres', q{SELECT count(*), count(*) FILTER (WHERE payload = 'new') FROM event}),
	'110000|10000', 'all that is new has come, nothing twice');

# A materialized view: refreshed while it is being read.
$node->safe_psql('postgres', recipe('CREATE MATERIALIZED VIEW'));
my $reader = $node->background_psql('postgres');
$reader->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ');

# an absent key that is no false positive, which one in a hundred is
my $absent = $reader->query_safe(
	'SELECT min(id) FROM customer_filter, generate_series(77777777, 77777877) id WHERE NOT f @> id');
like($absent, qr/^77777[78]\d\d$/, 'before');
$node->safe_psql('postgres', "INSERT INTO customer VALUES ($absent); " . recipe('REFRESH MATERIALIZED VIEW'));
is($node->safe_psql('postgres', "SELECT f @> $absent FROM customer_filter"), 't', 'refreshed beside a reader');
# (the server's module keeps the end of the line in some releases)
like($reader->query_safe("SELECT f @> $absent FROM customer_filter"), qr/^f$/, 'who still sees the old one');
$reader->quit;

# Partitions are built aside and swapped while others ask; nobody sees none.
my $swap = recipe("BEGIN;\nLOCK TABLE event IN SHARE MODE");
$node->safe_psql('postgres', recipe('CREATE FUNCTION event_partition'));
$node->safe_psql('postgres', q{INSERT INTO event SELECT i FROM generate_series(200000, 210000) i});
pgbench(4, 100,
	'ask@50' => q{
	\set id random(1, 110000)
	SELECT 1 / (bloom_contains((SELECT f FROM event_filter WHERE partition = event_partition(:id)), :id::bigint) IS NOT FALSE)::int;
	SELECT 1 / count(*) FROM event_filter WHERE partition = event_partition(:id);
}, 'swap@1' => $swap);
# a snapshot from before the swap meets the table from after it
my $probe = recipe('SELECT bloom_contains((SELECT f FROM event_filter');
$node->safe_psql('postgres',
	"CREATE FUNCTION maybe() RETURNS bool STABLE LANGUAGE plpgsql AS \$\$ BEGIN RETURN ($probe); END \$\$"
	  =~ s/;\s*\)/)/r);
my $swapper = $node->background_psql('postgres');
$swapper->query_safe($_) for (grep { /\S/ && !/COMMIT/ } split /;/, $swap);
my $asker = start_session('SELECT maybe()');
wait_for_lock();
$swapper->query_safe('COMMIT');
is(finish($asker), "t\n", 'an old snapshot is told maybe');
$swapper->quit;

$node->safe_psql('postgres', $swap);
is($node->safe_psql('postgres', q{
		SELECT count(*), bool_and(bloom_contains(f, event_id)) FROM event JOIN event_filter ON partition = event_partition(event_id)}),
	'120001|t', 'after the swap the new keys are found');

# postgres_fdw: the filter travels one way, or each foreign table's filter the other.
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'archive', 'local';
$node->safe_psql('archive', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE visit_1 AS SELECT 1 AS region, i AS visit_id, i AS customer_id FROM generate_series(1, 50000) i;
	CREATE TABLE visit_2 AS SELECT 2 AS region, i AS visit_id, i AS customer_id FROM generate_series(50001, 100000) i});
$node->safe_psql('local', 'CREATE EXTENSION bloomtype;'
	  . recipe('CREATE EXTENSION postgres_fdw') =~ s/(?=dbname)/host '$host', port '$port', /r
	  . 'ALTER DATABASE local SET search_path = remote, public');
my $sent = recipe('EXPLAIN (VERBOSE, COSTS OFF)');
like($node->safe_psql('local', $sent), qr/\Q${\ recipe(' Remote SQL:') =~ s{\s+$}{}r }\E/,
	'the other server asks the filter');
is($node->safe_psql('local', $sent =~ s/^EXPLAIN.*\nSELECT visit_id/SELECT count(*) >= 1000, count(*) < 2000/r),
	't|t', 'and sends what passes it');
my $stored = recipe("SELECT visit_id FROM visit_1\nWHERE bloom_contains((SELECT f FROM filter");
$node->safe_psql('local', 'DELETE FROM filter');
is($node->safe_psql('local', $stored =~ s/visit_id/count(*)/r), 50000, 'a filter that is missing lets all rows pass');
$node->safe_psql('local', q{INSERT INTO filter SELECT 'customer', bloom_agg(id) FROM customer});
like($node->safe_psql('local', "EXPLAIN (VERBOSE, COSTS OFF) $stored"), qr/Remote SQL: .*bloom_contains.* IS DISTINCT FROM false/,
	'a stored filter is sent');
is($node->safe_psql('local', $stored =~ s/visit_id/count(*) >= 1000, count(*) < 2000/r), 't|t', 'and keeps rows away');
my $made = recipe('SELECT keys, layers FROM bloom_info((');
my $row = '99974|1';
is($node->safe_psql('local', $made), $row, 'filters of foreign tables unite to one layer');
is(scalar(() = $node->safe_psql('local', "EXPLAIN (VERBOSE) $made") =~ /Remote SQL: SELECT public\.bloom_agg\(/g),
	2, 'and are made where the tables are');
$node->safe_psql('local', q{
	CREATE TABLE visit (region int, visit_id int, customer_id int) PARTITION BY LIST (region);
	ALTER TABLE visit ATTACH PARTITION visit_1 FOR VALUES IN (1);
	ALTER TABLE visit ATTACH PARTITION visit_2 FOR VALUES IN (2)});
$made = q{
SET enable_partitionwise_aggregate = on;
SELECT keys, layers FROM bloom_info((
	SELECT bloom_union_agg(f) FROM (
		SELECT bloom_agg(customer_id, 1000000, 0.01) AS f FROM visit GROUP BY region) s))};
is($node->safe_psql('local', $made), $row, 'so do those of the partitions of a parent');
is(scalar(() = $node->safe_psql('local', $made =~ s/(?=^SELECT)/EXPLAIN (VERBOSE) /mr)
	  =~ /Remote SQL: SELECT region, public\.bloom_agg\(|Remote SQL: SELECT public\.bloom_agg\(/g),
	2, 'which are made there, too');

$node->stop;
done_testing();
