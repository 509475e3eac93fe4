# pg_upgrade from the oldest major version to each newer one: tables and indexes are taken over
# as files, so bytes, answers and the rows of every partition and index are as before; and what
# the extension does with new keys is what the older server would have done.
#
# Guards against a hash that depends on the version or its build: after the upgrade stored
# filters and indexes would miss the keys that they have.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin, "$FindBin::RealBin/../t";

use Majors;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StoredFilters;
use Test::More;

my ($oldest, @newer) = @majors;
my $old = new_server('old', $oldest);

$old->start;
$old->safe_psql('postgres', 'CREATE DATABASE source');
create_filters($old, 'source', 200000);

# Page indexes: a row fills a page, so one of them has grown through epochs, and has two levels.
$old->safe_psql(
	'source', q{
	CREATE TABLE ranged (k bigint, m mood, pad char(4100) DEFAULT '');
	ALTER TABLE ranged ALTER pad SET STORAGE plain;
	CREATE INDEX ranged_k ON ranged USING bloom_pages (k) WITH (pages_per_range = 1, rows_per_range = 5);
	INSERT INTO ranged SELECT i, (enum_range(NULL::mood))[1 + i % 3] FROM generate_series(1, 2500) i;
	CREATE INDEX ranged_pair ON ranged USING bloom_pages ((ARRAY[k, -k]));
	CREATE INDEX ranged_m ON ranged USING bloom_pages (m);
	ANALYZE ranged});

# What they are, and what they find: all rows, but for ten keys that are not there
my $checks = q{SELECT bloom_pages_check('ranged_k'), bloom_pages_check('ranged_m'), bloom_pages_check('ranged_pair')};
my $ranges = qq{
	SELECT i, info FROM unnest('{ranged_k, ranged_m, ranged_pair}'::regclass[]) i, bloom_pages_info(i) info;
	$checks;
	SET enable_seqscan = off;
	SELECT count((SELECT m FROM ranged WHERE k = i)),
		count((SELECT m FROM ranged WHERE ARRAY[k, -k] = ARRAY[i, -i]::bigint[]))
	FROM generate_series(1, 2510) i;
	SELECT m, (SELECT count(*) FROM ranged WHERE m = s.m) FROM unnest(enum_range(NULL::mood)) s (m);
	EXPLAIN (COSTS off) SELECT FROM ranged WHERE k = 1};

# The common values of columns of filters.
my $statistics = q{
	SELECT attname, n_distinct, most_common_vals, most_common_freqs FROM pg_stats
	WHERE tablename = 'delta' ORDER BY attname};
$old->safe_psql('source', 'ANALYZE');

my %expected = (
	state => state_of($old, 'source'),
	answers => answers_of($old, 'source'),
	changes => changes_of($old, 'source'),
	definitions => definitions_of($old, 'source'),
	statistics => $old->safe_psql('source', $statistics),
	ranges => $old->safe_psql('source', $ranges));
is(join('|', lost_keys($expected{answers})), '30|0', "$oldest: no key is missing");
like($expected{ranges}, qr/^ranged_k\|\(ranged_k,1,\d+,0.1,[2-9],2,.*\n2500\|2500\|2500\n2500\|2500\n.*Bitmap Index Scan on ranged_k/ms,
	"$oldest: page indexes, one of which has epochs and two levels");
like($expected{statistics}, qr/^f\|7\|\{AQE/m, "$oldest: filters are common values");

# What is done after the upgrade, and what comes of it when it is done before.
my $additions = q{
	INSERT INTO event SELECT i, 'new ' || i % 50 FROM generate_series(3101, 4000) i;
	REFRESH MATERIALIZED VIEW per_part;
	INSERT INTO by_key SELECT bloom_key(i), i FROM generate_series(1001, 1100) i;
	INSERT INTO by_filter
	SELECT bloom_add(bloom_create(10), i), NULL, cuckoo_add(cuckoo_create(10), i), i
	FROM generate_series(201, 260) i;
	INSERT INTO guarded VALUES (1, DEFAULT);
	UPDATE deletables SET counting = counting_bloom_add_all(counting, keys),
		cuckoo = cuckoo_remove_all(cuckoo, keys)
	FROM (SELECT ARRAY[1, 2, 3]) s (keys) WHERE name IN ('few', 'many', 'big');
	UPDATE daily SET f = bloom_add_all(f, ARRAY(SELECT generate_series(1, 400)));
	UPDATE external_filters SET bytes = external_bloom_add(bytes, format, 'a') WHERE format = 'guava';
	UPDATE nested SET fs[1] = bloom_add(fs[1], 77), one.f = bloom_add((one).f, 78);
	INSERT INTO ranged SELECT i, 'sad' FROM generate_series(2501, 3000) i};

# A filter with the keys that came later is the one that is built of all the keys at once; the
# one that a trigger unites has them all.
my $as_built = q{
	SELECT bloom_contains_all(f, ARRAY(SELECT id FROM event WHERE id > 3000)) FROM seen;
	SELECT bool_and(p.f = e.f AND p.n = e.n AND p.c = e.c)
	FROM per_part p JOIN (SELECT part, bloom_agg(id) AS f, counting_bloom_agg(word) AS n, cuckoo_agg(id) AS c
		FROM event GROUP BY part) e USING (part);
	SELECT bool_and(bloom_add_all(f, later) = g) FROM (
		SELECT bloom_agg(i, 5000, 0.001) FILTER (WHERE i <= 2000),
			bloom_agg(i, 5000, 0.001), array_agg(i) FILTER (WHERE i > 2000)
		FROM generate_series(1, 4000) i) s (f, g, later);
	SELECT bloom_add_all(external, ARRAY(SELECT generate_series(4, 1000)))
		= bloom_add_all(bloom_create(1000), ARRAY(SELECT generate_series(1, 1000)))
	FROM filters WHERE name = 'list';
	SELECT counting_bloom_add_all(counting, ARRAY(SELECT generate_series(201, 9000)))
		= (SELECT counting_bloom_agg(i, 100000, 0.01) FROM generate_series(1, 9000) i)
	FROM deletables WHERE name = 'sparse'};

$old->safe_psql('postgres', 'CREATE DATABASE changed TEMPLATE source');
$old->safe_psql('changed', $additions);
$expected{additions} = state_of($old, 'changed');
isnt($expected{additions}, $expected{state}, "$oldest: rows are added and changed");
is($old->safe_psql('changed', $as_built), join("\n", ('t') x 5), "$oldest: as built at once");
$old->safe_psql('postgres', 'DROP DATABASE changed');

my $amcheck = $old->safe_psql('postgres',
	q{SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'});
remove_own_parameter($old, 'source');
$old->stop;

# pg_upgrade writes to the current folder
chdir $old->basedir or die "cannot enter the folder of the cluster: $!";

# The files of the old cluster are copied, but for the last upgrade.
for my $major (@newer)
{
	my $how = "$oldest to $major";
	my $new = new_server('new', $major);
	my @upgrade = (
		program($major, 'pg_upgrade'), '--no-sync',
		'-d' => $old->data_dir, '-D' => $new->data_dir,
		'-b' => program($oldest, ''), '-B' => program($major, ''),
		'-s' => $new->host, '-p' => $old->port, '-P' => $new->port,
		$major == $newer[-1] ? '--link' : '--copy');

	command_ok([ @upgrade, '--check' ], "$how: pg_upgrade --check");
	command_ok(\@upgrade, "$how: pg_upgrade");
	$new->start;
	upgraded_ok($new, $major, $how);
	no_crash_ok($new);
}
done_testing();

sub upgraded_ok
{
	my ($new, $major, $how) = @_;

	is($new->safe_psql('source', q{SHOW server_version_num}) =~ s/\d{4}$//r, $major, "$how: the newer server");
	same_ok(state_of($new, 'source'), $expected{state}, "$how: same bytes");
	same_ok(answers_of($new, 'source'), $expected{answers}, "$how: same answers");
	same_ok(changes_of($new, 'source'), $expected{changes}, "$how: same changes");
	same_ok(definitions_of($new, 'source'), $expected{definitions}, "$how: same definitions");

	same_ok($new->safe_psql('source', $ranges), $expected{ranges}, "$how: same page indexes, which find the same");

	# as of 18 statistics are taken over, before they are to be made anew
	same_ok($new->safe_psql('source', $statistics), $expected{statistics}, "$how: same statistics")
	  if $major >= 18;
	$new->safe_psql('source', 'ANALYZE');
	same_ok($new->safe_psql('source', $statistics), $expected{statistics}, "$how: same statistics, made anew");

	SKIP:
	{
		skip 'there is no amcheck', 1 unless $amcheck;
		command_ok(
			[
				program($major, 'pg_amcheck'), '--install-missing', '--heapallindexed',
				'--rootdescend', '-d', 'source', '-h', $new->host, '-p', $new->port
			],
			"$how: pg_amcheck");
	}

	# the extension itself can be moved and taken away, and its objects belong to it
	$new->safe_psql('source', q{
		CREATE SCHEMA elsewhere;
		ALTER EXTENSION bloomtype SET SCHEMA elsewhere});
	is( $new->safe_psql('source', q{
			SELECT elsewhere.bloom_contains(external, 3), external OPERATOR(elsewhere.@>) 4
			FROM filters WHERE name = 'list'}),
		't|f', "$how: ALTER EXTENSION SET SCHEMA");
	$new->safe_psql('source', q{
		ALTER EXTENSION bloomtype SET SCHEMA public;
		ALTER EXTENSION bloomtype UPDATE});
	my ($ret, undef, $stderr) = $new->psql('source', 'DROP FUNCTION bloom_add(bloom, anycompatible)');
	like($stderr, qr/extension bloomtype requires it/, "$how: objects belong to the extension");

	$new->safe_psql('source', $additions);
	same_ok(state_of($new, 'source'), $expected{additions}, "$how: added and changed as by $oldest");
	is($new->safe_psql('source', $as_built), join("\n", ('t') x 5), "$how: as built at once");
	is($new->safe_psql('source', $checks), '3000|3000|3000', "$how: more rows in page indexes");
	$new->safe_psql('source', q{
		REINDEX DATABASE source;
		VACUUM (FULL)});
	same_ok(state_of($new, 'source'), $expected{additions}, "$how: rewritten");
	is($new->safe_psql('source', $checks), '3000|3000|3000', "$how: page indexes built again");
	$new->safe_psql('source', 'DROP EXTENSION bloomtype CASCADE; CREATE EXTENSION bloomtype');
	return;
}
