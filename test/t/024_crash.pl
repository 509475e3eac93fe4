# The server is killed while clients add to filters, remove from them and unite them: after
# recovery no transaction is lost that a client was told of, the filters have the keys of
# all committed transactions, no more and no less, and every one of them is valid.
#
# Ten rounds, with BLOOMTYPE_SLOW twenty, in turn of the postmaster with all of its processes
# and of a single backend, by signal 9.  Filters are of one page, and of megabytes in TOAST.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use Kills;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $nrounds = $ENV{BLOOMTYPE_SLOW} ? 20 : 10;
my $nclients = 8;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--data-checksums' ]);

# what the test framework leaves out for speed; and checkpoints come often
$node->append_conf('postgresql.conf', q{
fsync = on
synchronous_commit = on
full_page_writes = on
restart_after_crash = on
max_wal_size = 64MB
checkpoint_timeout = 30s
autovacuum_naptime = 1s
log_statement = none
});
$node->start;

# Each transaction writes its own number into "done".  "added" has the keys of the Bloom
# filters, "held" those of the others, each with the row of its filter.
#
# Filters 0 to 3 have some kilobytes, filter 4 has 1 MB and more.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE done (k int PRIMARY KEY);
	CREATE TABLE added (k int PRIMARY KEY, id int);
	CREATE TABLE held (k int PRIMARY KEY, id int, client int);
	CREATE INDEX ON held (client, k);
	CREATE TABLE removed (k int);
	CREATE TABLE appended (k int);
	CREATE TABLE delta (f bloom NOT NULL);

	CREATE TABLE size AS
		SELECT id, CASE WHEN id < 4 THEN 10000 ELSE 1000000 END AS capacity FROM generate_series(0, 4) id;
	INSERT INTO added SELECT -id * 1000 - i, id FROM size, generate_series(1, 300) i;
	INSERT INTO held SELECT k, id, -1 FROM added;
	CREATE TABLE filter (id int PRIMARY KEY, b bloom, n counting_bloom, c cuckoo);
	INSERT INTO filter
		SELECT id, bloom_agg(k, capacity, 0.01), counting_bloom_agg(k, capacity / 4, 0.01),
			cuckoo_agg(k, capacity, 0.01)
		FROM held JOIN size USING (id) GROUP BY id, capacity});
is( $node->safe_psql(
		'postgres', q{
		SELECT bool_and(pg_column_size(b) BETWEEN 1000000 AND 2000000
				AND pg_column_size(n) BETWEEN 1000000 AND 2000000 AND pg_column_size(c) > 1000000)
		FROM filter WHERE id = 4}),
	't', 'filters of megabytes');

# Every transaction of a client in a round has the next number, so that as many as pgbench
# has logged for it are the first ones.
my $next = q{
	\set i :i + 1
	\set k :round * 1000000 + :client_id * 10000 + :i
};
my $add = $next . q{
	BEGIN;
	INSERT INTO done VALUES (:k);
	INSERT INTO added VALUES (:k, :id);
	INSERT INTO held VALUES (:k, :id, :client_id);
	UPDATE filter SET b = bloom_add(b, :k), n = counting_bloom_add(n, :k), c = cuckoo_add(c, :k)
	WHERE id = :id;
	COMMIT;
};
my %scripts = (
	'add@6' => "\\set id random(0, 3)\n$add",
	'add_large@1' => "\\set id 4\n$add",
	'remove@4' => $next . q{
	BEGIN;
	INSERT INTO done VALUES (:k);
	WITH gone AS (
		DELETE FROM held
		WHERE k = (SELECT k FROM held WHERE client = :client_id ORDER BY md5(k::text) LIMIT 1)
		RETURNING k, id)
	SELECT count(*) = 1 AS is_gone, coalesce(min(k), 0) AS gone, coalesce(min(id), 0) AS id FROM gone \gset
	\if :is_gone
	INSERT INTO removed VALUES (:gone);
	UPDATE filter SET n = counting_bloom_remove(n, :gone), c = cuckoo_remove(c, :gone)
	WHERE id = :id;
	\endif
	COMMIT;
},
	'unite@3' => "\\set id random(0, 3)\n$next" . q{
	BEGIN;
	INSERT INTO done VALUES (:k);
	INSERT INTO added VALUES (:k, :id);
	UPDATE filter SET b = b | bloom_agg FROM (SELECT bloom_agg(:k, 10000, 0.01)) s WHERE id = :id;
	COMMIT;
},
	'append@3' => $next . q{
	BEGIN;
	INSERT INTO done VALUES (:k);
	INSERT INTO appended VALUES (:k);
	INSERT INTO delta SELECT bloom_agg(:k + i * 100000000, 20000, 0.001) FROM generate_series(0, 9) i;
	COMMIT;
},
	'fold@1' => $next . q{
	BEGIN;
	INSERT INTO done VALUES (:k);
	WITH folded AS (DELETE FROM delta RETURNING f)
	INSERT INTO delta SELECT bloom_union_agg(f) FROM folded HAVING count(*) > 0;
	COMMIT;
});
my @scripts;
foreach my $name (sort keys %scripts)
{
	my ($script, $weight) = split /(?=@)/, $name;
	my $file = $node->basedir . "/$script.pgbench";

	append_to_file($file, $scripts{$name});
	push @scripts, '-f', $file . $weight;
}

# The numbers of transactions of which each client was told, in a round.
my $logs = $node->basedir . '/transactions';

sub told
{
	my ($round) = @_;
	my %told = map { $_ => 0 } 0 .. $nclients - 1;

	for my $file (glob "$logs.$round.*")
	{
		$told{$_}++ for slurp_file($file) =~ /^(\d+) /mg;
	}
	return \%told;
}

my ($ntold, $nuntold, $nlost) = (0, 0, 0);
for my $round (1 .. $nrounds)
{
	my $err = '';
	my $run = IPC::Run::start(
		[
			'pgbench', '-n', '-c', $nclients, '-j', 2, '-T', 3600, '-D', "round=$round", '-D', 'i=0',
			'--log', "--log-prefix=$logs.$round", @scripts, $node->connstr('postgres')
		],
		'<', \undef, '>', '/dev/null', '2>', \$err);
	my $at = -s $node->logfile;

	# when some are done
	$node->poll_query_until('postgres', "SELECT count(*) >= 40 FROM done WHERE k > $round * 1000000")
	  or die 'nothing happens';
	usleep(int(rand(300_000)));
	if ($round % 2) { kill_server($node, $run) } else { kill_backend($node, $run) }
	my $log = slurp_file($node->logfile, $at);

	unlike($err, qr/ERROR:/, "round $round: no error before") or diag($err);
	like($log, qr/redo done at/, "round $round: recovered");
	is(scalar(() = $log =~ /LOG: .* \(PID \d+\) was terminated by signal 9/g),
		$round % 2 ? 0 : 1, "round $round: killed");

	my $told = told($round);
	my ($lost, $untold) = split /\|/, $node->safe_psql(
		'postgres', qq{
		WITH told AS (
			SELECT $round * 1000000 + client * 10000 + i AS k
			FROM (VALUES ${\ join(', ', map { "($_, $told->{$_})" } sort keys %$told)}) t(client, n),
				generate_series(1, n) i)
		SELECT (SELECT count(*) FROM told WHERE k NOT IN (SELECT k FROM done)),
			(SELECT count(*) FROM done WHERE k > $round * 1000000 AND k NOT IN (SELECT k FROM told))});
	my $n = 0;

	$n += $_ for values %$told;
	cmp_ok($n, '>=', 30, "round $round: transactions that clients were told of");
	is($lost, 0, "round $round: none of them is lost");
	cmp_ok($untold, '<=', $nclients, "round $round: at most one for each client of which it was not told");
	$ntold += $n;
	$nuntold += $untold;
	$nlost += $lost;

	# the filters have the keys of the committed transactions, and only those
	is( $node->safe_psql(
			'postgres', q{
			SELECT count(*) FILTER (WHERE NOT b @> k) FROM added JOIN filter USING (id);
			SELECT count(*) FILTER (WHERE NOT n @> k), count(*) FILTER (WHERE NOT c @> k)
			FROM held JOIN filter USING (id);
			SELECT bool_and(b = (SELECT bloom_agg(k, capacity, 0.01) FROM added WHERE id = f.id)),
				bool_and(n = (SELECT counting_bloom_agg(k, capacity / 4, 0.01) FROM held WHERE id = f.id)),
				bool_and(cuckoo_cardinality(c) = (SELECT count(*) FROM held WHERE id = f.id))
			FROM filter f JOIN size USING (id);
			SELECT count(*) FROM appended, generate_series(0, 9) i
			WHERE NOT EXISTS (SELECT FROM delta WHERE f @> (k + i * 100000000))}),
		"0\n0|0\nt|t|t\n0",
		"round $round: the filters have their keys");
	is( $node->safe_psql(
			'postgres', q{
			SELECT bool_and(b::bytea::bloom = b AND n::bytea::counting_bloom = n AND c::bytea::cuckoo = c)
			FROM filter;
			SELECT bool_and(f::bytea::bloom = f) FROM delta}) =~ s/^$/t/mr,
		"t\nt", "round $round: every filter is valid");
}
diag("killed $nrounds times; transactions that clients were told of: $ntold, lost: $nlost");
is( $node->safe_psql('postgres', 'SELECT count(*) FROM done'), $ntold + $nuntold,
	'all rounds together');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM added JOIN filter USING (id) WHERE id = 4'),
	'>', 300, 'also into large filters');
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM removed'), '>', 0, 'and out of filters');

my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC:|TRAP:|terminated by signal (?!9)/, 'no process crashed by itself');

$node->stop;
done_testing();
