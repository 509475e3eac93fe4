# The recipes of README.md, while others write: no key falls between.

use strict;
use warnings FATAL => 'all';

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

# the statements as they are printed
my $readme = slurp_file("$FindBin::RealBin/../../README.md");
my ($rebuild) = $readme =~ /^(BEGIN;\nLOCK TABLE customer.*?^COMMIT;\n)/ms;
my ($dedupe) = $readme =~ /^(BEGIN;\nLOCK TABLE seen.*?^COMMIT;\n)/ms;
ok($rebuild, 'README.md has the recipe to rebuild');
ok($dedupe, 'README.md has the recipe to dedupe');

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

# Dedupe: several jobs at once, events that keep coming, each is returned once.
$node->safe_psql('postgres', q{
	CREATE TABLE incoming (event_id uuid);
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
my @returned = map { split /\n/, finish($_) } @jobs;
push @returned, split /\n/, finish(start_session($dedupe));
my %times;
$times{$_}++ for @returned;
is(scalar(grep { $_ > 1 } values %times), 0, 'no event is returned twice');
is(scalar(keys %times),
	$node->safe_psql('postgres', 'SELECT count(DISTINCT event_id) FROM sent'),
	'every event is returned');
is($node->safe_psql('postgres', 'SELECT count(*) FROM incoming'),
	0, 'nothing is left');

$writer->quit;
$first->quit;
$node->stop;
done_testing();
