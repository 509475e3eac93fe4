# Live sets that eight sessions add keys to, one by one and many at once, in transactions of each isolation
# level, some of which are given up or prepared, while layers open and windows advance.  In its life each
# key is told to be new once, but for false positives, at about their rate; what is told is not lost; and a
# set that has not grown has, bit by bit, the keys that were told to be new, and no others.  So it is, too,
# when the server is killed meanwhile, on a standby, at a subscriber, and after dump and restore in another
# schema.  At the end, rows are damaged at random: an error, or right answers.
#
# Without --ci, for a few seconds, and the server is killed once.  BLOOMTYPE_SECONDS=..., BLOOMTYPE_ROUNDS=...
# and BLOOMTYPE_DAMAGES=... say how long, how often it is killed, and how often a row is damaged;
# BLOOMTYPE_SEED=..., where the random numbers of damage start.

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

my @sizes = $ENV{BLOOMTYPE_SLOW} ? (300, 30, 3000) : $ENV{BLOOMTYPE_CI} ? (20, 3, 100) : (8, 1, 30);
my ($seconds, $nrounds, $ndamages) = map { $ENV{"BLOOMTYPE_$_"} // shift @sizes } qw(SECONDS ROUNDS DAMAGES);
my @initdb = (extra => [ '--locale=C', '--encoding=UTF8' ]);
my $settings = "restart_after_crash = on\nautovacuum_naptime = 1s\nmax_prepared_transactions = 20\nlog_statement = none\n"
  . "wal_retrieve_retry_interval = 200ms\nmax_connections = 50\n";

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(@initdb, allows_streaming => 'logical');
$node->append_conf('postgresql.conf', $settings);
$node->start;

# Keys of "large" do not fill it.  A row of "told" is what a transaction was told of a key, and the newest
# windows before and after.
my $sets = q{
	CREATE EXTENSION bloomtype;
	CREATE SCHEMA live;
	SELECT bloom_set_create('live.large', 'int', 100000), bloom_set_create('live.grown', 'int', 300),
		bloom_set_create('live.recent', 'int', 300, windows => 3);
	CREATE TABLE live.told (set text, k int, is_new bool, first int, last int)};
$node->safe_psql(
	'postgres', $sets . q{;
	CREATE INDEX ON live.told (set, k);
	CREATE FUNCTION live.newest(set text, OUT n int) LANGUAGE plpgsql AS $$ BEGIN
		EXECUTE 'SELECT get_byte(bits, 124) + 256 * get_byte(bits, 125) FROM ' || set ||
			' WHERE slice = -1 ORDER BY layer DESC LIMIT 1' INTO n;
	END $$;
	CREATE FUNCTION live.bring(set text, ks int[]) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		first int := live.newest(set);
		new int[];
	BEGIN
		IF cardinality(ks) > 1 THEN
			new := bloom_set_add_all(set::regclass, ks);
		ELSIF bloom_set_add(set::regclass, ks[1]) THEN
			new := ks;
		END IF;
		INSERT INTO live.told
		SELECT DISTINCT set, k, coalesce(k = ANY (new), false), first, live.newest(set) FROM unnest(ks) k;
	END $$});

my $one = q{SELECT live.bring(:set, ARRAY[:k])};
my $many = q{SELECT live.bring(:set, ARRAY(SELECT (:k + (i * 7919) % 2000)::int FROM generate_series(1, 1 + :k % 40) i))};
my %scripts = (
	(map { $_ => "$one;" } qw(one another third)),
	many => "$many;",
	repeatable => "BEGIN ISOLATION LEVEL REPEATABLE READ; $one; COMMIT;",
	repeatable_many => "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT; $many; COMMIT;",
	serializable => "BEGIN ISOLATION LEVEL SERIALIZABLE; $one; COMMIT;",
	undo => "BEGIN; SAVEPOINT s; $many; ROLLBACK TO s; $one; COMMIT;",
	give_up => "BEGIN; $many; ROLLBACK;",
	(map { lc $_ => "BEGIN; $one; PREPARE TRANSACTION 'p:client_id'; $_ PREPARED 'p:client_id';" } qw(COMMIT ROLLBACK)),
	# a snapshot has all keys that were told before; else, a division by zero
	ask => q{
		SELECT 1 / (cardinality(bloom_set_missing(:set::regclass, array_agg(k))) = 0)::int
		FROM live.told WHERE set = :set AND k BETWEEN :k AND :k + 50 AND is_new
			AND (set <> 'live.recent' OR first > live.newest(set) - 3);});

sub start_pgbench
{
	my ($errors, $seconds, $clients, %scripts) = @_;
	my @files;

	for my $name (sort keys %scripts)
	{
		my $file = $node->basedir . "/$name.pgbench";

		unlink $file;
		append_to_file($file, $scripts{$name});
		push @files, '-f', $file;
	}
	return IPC::Run::start([ 'pgbench', '-n', '--max-tries=1000', '-c', $clients, '-j', $clients, '-T', $seconds,
			@files, $node->connstr('postgres') ], '<', \undef, '>', '/dev/null', '2>', $errors);
}

# Start the eight, and one that advances windows.  Keys are up to $nkeys.
sub start_load
{
	my ($seconds, $nkeys) = @_;
	my ($errors, %files) = ('');

	for my $set (qw(large grown recent))
	{
		$files{"${_}_$set"} = "\\set k random(1, $nkeys)\n" . $scripts{$_} =~ s/:set\b/'live.$set'/gr =~ s/;\s*/;\n/gr for keys %scripts;
	}
	return { errors => \$errors, runs => [
		start_pgbench(\$errors, $seconds, 8, %files),
		start_pgbench(\$errors, $seconds, 1, advance => "SELECT bloom_set_advance('live.recent', 500);\n\\sleep 300 ms\n") ] };
}

# What is wrong with the sets, by what sessions were told, or an empty string
sub faults
{
	my ($where) = @_;

	return $where->safe_psql(
		'postgres', q{
		SET search_path = live, public;
		SELECT 'told twice', set, k, first, last
		FROM (SELECT *, lag(first) OVER (PARTITION BY set, k ORDER BY first, last) AS earlier FROM told WHERE is_new) s
		WHERE CASE set WHEN 'live.recent' THEN last < earlier + 3 ELSE earlier IS NOT NULL END LIMIT 5;
		SELECT 'lost', set, missing
		FROM (SELECT set, array_agg(k) FROM told
			WHERE set <> 'live.recent' OR (is_new AND first > newest(set) - 3) GROUP BY set) s(set, ks),
			LATERAL (SELECT bloom_set_missing(set::regclass, ks) AS missing) m
		WHERE missing <> '{}';
		SELECT 'hidden', set, hidden, total
		FROM (SELECT set, count(*) AS total, count(*) FILTER (WHERE NOT is_new AND NOT EXISTS
				(SELECT FROM told n WHERE n.set = t.set AND n.k = t.k AND n.is_new AND n.last > t.first - 3)) AS hidden
			FROM (SELECT DISTINCT ON (set, k, first / 3) * FROM told) t GROUP BY set) s
		WHERE hidden > total / 25 + 20;
		SELECT 'other bits' FROM told WHERE set = 'live.large' AND is_new
		HAVING bloom_agg(k, 100000, 0.01)::bytea <> bloom_set_filter('large')::bytea});
}

sub complaints
{
	my ($load, $pattern) = @_;
	return join "\n", grep { /$pattern/ } split /\n/, ${ $load->{errors} };
}

# A standby, and a subscriber, which have all from the start
$node->backup('start');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'start', has_streaming => 1);
$standby->start;
my $other = PostgreSQL::Test::Cluster->new('other');
$other->init(@initdb);
$other->append_conf('postgresql.conf', $settings);
$other->start;
$other->safe_psql('postgres', "$sets; TRUNCATE live.large, live.grown, live.recent");
$node->safe_psql('postgres', 'CREATE PUBLICATION live FOR TABLE live.large, live.grown, live.recent, live.told');
$other->safe_psql('postgres',
	q{CREATE SUBSCRIPTION live CONNECTION '} . $node->connstr . q{ dbname=postgres' PUBLICATION live});
$other->wait_for_subscription_sync($node, 'live');

my $load = start_load($seconds, 20000);
IPC::Run::finish($_) for @{ $load->{runs} };
is(complaints($load, qr/ERROR:|PANIC:|aborted/), '', 'sessions have no errors');
is(faults($node), '', 'what sessions were told is right');

my $errors = '';
IPC::Run::finish(start_pgbench(\$errors, 2, 4, brief => q{
	SELECT bloom_set_create('live.brief:client_id', 'int', 100);
	SELECT count(*) FROM bloom_set_info();
	DROP TABLE live.brief:client_id;}));
is($errors, '', 'sets are dropped while others list them');

# Eight calls that have all waited for a transaction, and found room before
$node->safe_psql('postgres', q{SELECT bloom_set_create('live.narrow', 'int', 1000); CREATE TABLE live.batch (nnew int)});
my @batches = map {
	IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('postgres'), '-c', $_ ], '<', \undef, '>', '/dev/null', '2>', \$errors)
  } q{SELECT bloom_set_add_all('live.narrow', ARRAY(SELECT generate_series(1, 40))), pg_sleep(2)},
  map { qq{SELECT pg_sleep(0.5); INSERT INTO live.batch SELECT cardinality(bloom_set_add_all('live.narrow',
		ARRAY(SELECT generate_series($_ * 1000 + 1, $_ * 1000 + 1000))))} } 1 .. 8;
IPC::Run::finish($_) for @batches;
is($node->safe_psql('postgres', 'SELECT count(*), min(nnew) > 850 FROM live.batch'), '8|t', "new keys of many calls at once are new$errors");
$node->safe_psql('postgres', 'DROP TABLE live.narrow, live.batch');

for my $round (1 .. $nrounds)
{
	$load = start_load(3600, 20000 * $round);
	usleep(1_000_000 + int(rand(1_000_000)));
	my $rows = $node->safe_psql('postgres', 'SELECT count(*) FROM live.told');
	$node->poll_query_until('postgres', "SELECT count(*) > $rows + 100 FROM live.told") or die 'nothing is added';
	($round % 3 == 2 ? \&kill_backend : \&kill_server)->($node, @{ $load->{runs} });

	my @left = split /\n/, $node->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts ORDER BY gid');
	$node->safe_psql('postgres', ($_ % 2 ? 'ROLLBACK' : 'COMMIT') . " PREPARED '$left[$_]'") for 0 .. $#left;
	is(complaints($load, qr/ERROR:|PANIC:/) . faults($node), '', "killed, $round: what sessions were told is right");
}
note $node->safe_psql('postgres', 'SELECT set, is_new, count(*), max(last) FROM live.told GROUP BY 1, 2');
is($node->safe_psql('postgres', q{SELECT layers > 3, overfull FROM bloom_set_info('live.grown')}), 't|f', 'layers have opened');

# All about the sets
my $state = join ';', map { qq{
	SELECT md5(string_agg(format('%s %s %s', slice, layer, bits), ',' ORDER BY slice, layer)), count(*) FROM live.$_;
	SELECT number, opened, capacity, layers, keys, bytes FROM bloom_set_info('live.$_');
	SELECT md5(bloom_set_filter('live.$_')::bytea)} } qw(large grown recent);
my $expected = $node->safe_psql('postgres', $state);

$node->safe_psql('postgres', q{SELECT bloom_set_create('live.unlogged', 'int', 100); ALTER TABLE live.unlogged SET UNLOGGED});
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
my (undef, undef, $unlogged) = $standby->psql('postgres', q{SELECT bloom_set_contains('live.unlogged', 1)});
like($unlogged, qr/ERROR:  cannot access unlogged set "unlogged" during recovery/, 'no unlogged set on a standby');
is($standby->safe_psql('postgres', 'SELECT count(DISTINCT set) FROM bloom_set_info()'), 3, 'the others are listed');
$node->safe_psql('postgres', 'DROP TABLE live.unlogged');
is($standby->safe_psql('postgres', $state), $expected, 'a standby has the same sets');
is(faults($standby), '', 'and the same answers');
for my $change (q{add('live.grown', -1)}, q{add_all('live.grown', '{1,-1}'::int[])}, q{advance('live.recent')})
{
	my (undef, undef, $errors) = $standby->psql('postgres', "SELECT bloom_set_$change");
	like($errors, qr/ERROR:  cannot execute bloom_set_\w+\(\) in a read-only transaction/, "no $change on a standby");
}
$node->wait_for_catchup('live');
is($other->safe_psql('postgres', $state), $expected, 'a subscriber has the same sets');
$other->safe_psql('postgres', 'DROP SUBSCRIPTION live');
$standby->stop;

# In the dump, the name of the schema is found in statements alone.
my $dump = $node->basedir . '/dump.sql';
run_log([ 'pg_dump', '-n', 'live', '--no-publications', '-f', $dump, $node->connstr('postgres') ]);
append_to_file("$dump.renamed", slurp_file($dump) =~ s/\blive\./"Other one"./gr =~ s/SCHEMA live\b/SCHEMA "Other one"/gr);
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('restored', 'CREATE EXTENSION bloomtype');
$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', "$dump.renamed", $node->connstr('restored') ],
	'a dump is restored');
is($node->safe_psql('restored', $state =~ s/live\.(\w+)/"Other one".$1/gr), $expected, 'restored in another schema, the same sets');
is( $node->safe_psql(
		'restored', q{
		SET search_path = "Other one", public;
		SELECT bloom_set_advance('recent') > 3;
		SELECT cardinality(bloom_set_add_all(s, array_agg(k))) > 250, cardinality(bloom_set_add_all(s, array_agg(k)))
		FROM generate_series(-299, 0) k, unnest('{large,grown,recent}'::regclass[]) s GROUP BY s}),
	"t\nt|0\nt|0\nt|0", 'and adding goes on');

# One row of a copy of a set is damaged: a bit of its head changes, or any row has another length or number,
# or is deleted.  The questions are about 5,000 of its keys.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE live.hurt (LIKE live.grown INCLUDING ALL);
	CREATE TABLE live.known AS
		SELECT set, k FROM (SELECT set, k, row_number() OVER (PARTITION BY set ORDER BY hashint4(k)) AS n FROM live.told
			WHERE is_new AND (set <> 'live.recent' OR first > (SELECT live.newest('live.recent')) - 3)) AS numbered
		WHERE n <= 5000;
	CREATE TABLE live.answer (id serial, source text, damage text, question text, error text, is_right bool);
	CREATE PROCEDURE live.damage(source text, kind int) LANGUAGE plpgsql AS $$
	DECLARE
		known int[];
		target record;
		bit int;
		damage text;
		question text;
		is_right bool;
	BEGIN
		TRUNCATE live.hurt;
		EXECUTE 'INSERT INTO live.hurt SELECT * FROM ' || source;
		SELECT array_agg(k) INTO known FROM live.known WHERE set = source;
		SELECT * INTO target FROM live.hurt
		WHERE CASE WHEN kind = 0 THEN slice = -1 ELSE kind NOT IN (1, 2) OR slice <> -2 END
		ORDER BY (slice >= 0) <> (random() < 0.5), random() LIMIT 1;
		bit := floor(random() * 156 * 8);
		damage := (ARRAY[format('UPDATE live.hurt SET bits = set_bit(bits, %s, 1 - get_bit(bits, %1$s))', bit),
			'UPDATE live.hurt SET bits = substr(bits, 2)', $q$UPDATE live.hurt SET bits = bits || bits || '-'$q$,
			'DELETE FROM live.hurt', 'UPDATE live.hurt SET slice = slice + 1000',
			'UPDATE live.hurt SET slice = slice - 1000', 'UPDATE live.hurt SET layer = layer + 100'])[kind + 1]
			|| format(' WHERE slice = %s AND layer = %s', target.slice, target.layer);
		EXECUTE damage;
		FOREACH question IN ARRAY ARRAY[$q$bloom_set_missing('live.hurt', $1) = '{}'$q$,
			$q$bloom_set_contains('live.hurt', $1[1 + floor(random() * cardinality($1))::int])$q$,
			$q$bloom_contains_all(bloom_set_filter('live.hurt'), $1)$q$,
			$q$bool_and(keys IS NOT NULL) FROM bloom_set_info('live.hurt')$q$,
			$q$bloom_set_add_all('live.hurt', $1) = '{}'$q$, $q$bloom_set_advance('live.hurt') > 1$q$] LOOP
			BEGIN
				EXECUTE 'SELECT ' || question INTO is_right USING known;
				INSERT INTO live.answer VALUES (DEFAULT, source, damage, question, NULL, is_right);
			EXCEPTION WHEN OTHERS THEN
				INSERT INTO live.answer VALUES (DEFAULT, source, damage, question, SQLSTATE || ' ' || SQLERRM);
			END;
		END LOOP;
	END $$});
$node->safe_psql('postgres', 'SELECT setseed(1.0 / ' . ($ENV{BLOOMTYPE_SEED} // 1) . ');' .
	join '', map { q{CALL live.damage('live.} . ($_ % 3 ? 'recent' : 'grown') . "', $_ % 7);" } 1 .. $ndamages);
is($node->safe_psql('postgres', q{SELECT * FROM live.answer WHERE error IS NULL AND is_right IS NOT TRUE OR error ~ '^XX000' ORDER BY id LIMIT 20}),
	'', 'damaged rows: errors, or right answers');
unlike(slurp_file($node->logfile), qr/PANIC:|TRAP:|terminated by signal (?!9)/, 'no process crashed');
$_->stop for $other, $node;
done_testing();
