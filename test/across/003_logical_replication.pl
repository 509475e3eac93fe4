# Logical replication from the oldest major version to each newer one, and from the newest to the
# oldest: what is there at first, and what is inserted, updated and deleted later, arrives with
# the same bytes; aggregates over the keys that arrived make the same filters.
#
# Values travel as text, and in binary form where the subscription asks for it; the first copy
# is binary only between servers of 16 and later.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use Majors;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($oldest, $newest) = @majors[ 0, -1 ];

my $tables = q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE key (id int PRIMARY KEY, word text, day date, at timestamptz, pair int[]);
	CREATE TABLE filter (name text PRIMARY KEY, n int, k bloom_key, f bloom, c counting_bloom,
		u cuckoo, several bloom[], guava bytea, note text);
	CREATE TABLE nameless (f bloom, c counting_bloom, u cuckoo);
	ALTER TABLE nameless REPLICA IDENTITY FULL};

# Lists, layers of up to 60 kB, and a filter that grew.
my $rows = q{
	INSERT INTO key
	SELECT i, 'word ' || i % 900, date '2020-01-01' + i % 500, timestamptz '2020-01-01' + i * interval '1 hour',
		ARRAY[i, NULL, i % 7]
	FROM generate_series(1, 3000) i;
	INSERT INTO filter
	SELECT 'number ' || n, n, bloom_key(n), bloom_agg(i), counting_bloom_agg(i), cuckoo_agg(i),
		ARRAY[NULL, bloom_agg(i, 0.1)], external_bloom_agg(i::text, 'guava', 0.01), 'first'
	FROM unnest('{1,128,2000,50000}'::int[]) n, generate_series(1, n) i GROUP BY n;
	INSERT INTO filter
	SELECT 'grown', 2000, NULL, bloom_add_all(bloom_create(100), ids), counting_bloom_create(10),
		cuckoo_add_all(cuckoo_create(3000), ids), '{}', NULL, 'first'
	FROM (SELECT array_agg(id) FROM key WHERE id <= 2000) s (ids);
	INSERT INTO nameless SELECT f, c, u FROM filter;
	INSERT INTO nameless
	SELECT bloom_add(bloom_create(10), i), counting_bloom_add(counting_bloom_create(10), i),
		cuckoo_add(cuckoo_create(10), i)
	FROM generate_series(1, 20) i};

# Each leads to another state.
my @changes = (
	[ 'inserted', q{
		INSERT INTO key SELECT i, 'late', NULL, NULL, '{}' FROM generate_series(3001, 3300) i;
		INSERT INTO filter SELECT name || ', again', n, k, f, c, u, several, guava, 'again' FROM filter;
		INSERT INTO nameless SELECT bloom_add(f, -5), c, u FROM filter WHERE name = 'number 128'} ],
	[ 'keys added and removed', q{
		UPDATE filter SET n = n + 10, f = bloom_add_all(f, ks), c = counting_bloom_add_all(c, ks),
			u = cuckoo_remove(u, 1),
			guava = CASE WHEN guava IS NOT NULL THEN external_bloom_add(guava, 'guava', '70000') END
		FROM (SELECT array_agg(i) FROM generate_series(60001, 60010) i) s (ks)
		WHERE note = 'first';
		UPDATE key SET word = upper(word) WHERE id % 10 = 0} ],
	# an unchanged value that is stored out of line is not sent
	[ 'another column changed', q{UPDATE filter SET note = 'second', k = bloom_key(name)} ],
	[ 'without a primary key', q{
		UPDATE nameless SET f = bloom_add(f, -9) WHERE u @> 7;
		DELETE FROM nameless WHERE f = bloom_add(bloom_create(10), 3) OR f @> 50000} ],
	[ 'deleted', q{
		DELETE FROM filter WHERE name LIKE '%, again';
		DELETE FROM key WHERE id % 3 = 0} ]);

my $state = q{
	SELECT name, n, k, note, md5(f::bytea), md5(c::bytea), md5(u::bytea), md5(several::text), md5(guava),
		f @> n, f @> -1, c @> n, u @> n, bloom_info(f)
	FROM filter ORDER BY name;
	SELECT md5(f::bytea) AS digest, md5(c::bytea), md5(u::bytea), f @> -9 FROM nameless ORDER BY digest;
	SELECT count(*), md5(string_agg(key::text, '' ORDER BY id)) FROM key};
my $aggregates = q{
	SELECT md5(bloom_agg(id)::bytea), md5(bloom_agg(word, 2000, 0.001)::bytea), md5(bloom_agg(day)::bytea),
		md5(bloom_agg(at)::bytea), md5(bloom_agg(pair)::bytea), md5(counting_bloom_agg(word)::bytea),
		md5(cuckoo_agg(at)::bytea), md5(external_bloom_agg(word, 'redis', 0.01)),
		md5(external_bloom_agg(word, 'parquet', 0.01))
	FROM key;
	SELECT md5(bloom_union_agg(f ORDER BY name)::bytea) FROM filter};

my %node;
for my $major (@majors)
{
	$node{$major} = new_server('server', $major, "wal_level = logical\nmax_wal_senders = 10");
	$node{$major}->start;
}

# Of two servers with the same tables: is there the same in both?
sub arrived_ok
{
	my ($here, $there, $database, $how) = @_;

	same_ok($there->safe_psql($database, $state), $here->safe_psql('source', $state),
		"$how: same bytes, same answers");
	same_ok($there->safe_psql($database, $aggregates), $here->safe_psql('source', $aggregates),
		"$how: same aggregates");
	return;
}

sub replicate
{
	my ($from, @to) = @_;
	my $here = $node{$from};
	my @subscriptions;

	$here->safe_psql('postgres', 'CREATE DATABASE source');
	$here->safe_psql('source', $tables);
	$here->safe_psql('source', $rows);
	$here->safe_psql('source', 'CREATE PUBLICATION everything FOR ALL TABLES');
	for my $to (@to)
	{
		for my $form ('text', 'binary')
		{
			my $binary = $form eq 'binary' ? 'true' : 'false';
			my $name = "from_${from}_to_${to}_$form";
			my $there = $node{$to};

			$there->safe_psql('postgres', "CREATE DATABASE $name");
			$there->safe_psql($name, $tables);
			$there->safe_psql($name,
				"CREATE SUBSCRIPTION $name CONNECTION \$\$" . $here->connstr('source') . "\$\$
				 PUBLICATION everything WITH (binary = $binary)");
			$there->wait_for_subscription_sync($here, $name, $name);
			arrived_ok($here, $there, $name, "$from to $to, $form, first copy");
			push @subscriptions, [ $to, $form, $name ];
		}
	}
	for my $change (@changes)
	{
		my ($what, $sql) = @$change;
		my $before = $here->safe_psql('source', $state);

		$here->safe_psql('source', $sql);
		isnt($here->safe_psql('source', $state), $before, "$from: $what");
		for my $subscription (@subscriptions)
		{
			my ($to, $form, $name) = @$subscription;

			$here->wait_for_catchup($name);
			arrived_ok($here, $node{$to}, $name, "$from to $to, $form, $what");
		}
	}
	for my $subscription (@subscriptions)
	{
		my ($to, undef, $name) = @$subscription;
		$node{$to}->safe_psql($name, "DROP SUBSCRIPTION $name");
	}
	$here->safe_psql('source', 'DROP PUBLICATION everything');
	return;
}

replicate($oldest, @majors[ 1 .. $#majors ]);
replicate($newest, $oldest);

# Who fails to apply a change tries again: a failure is seen in the log alone.
for my $major (@majors)
{
	unlike(slurp_file($node{$major}->logfile), qr/ERROR:/, "$major: no errors");
}
no_crash_ok(map { $node{$_} } @majors);
done_testing();
