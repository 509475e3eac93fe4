# Filters from which keys can be deleted: what a stored one costs to read,
# however it is stored, and what becomes of one that many change at once.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', q{
jit = off
max_parallel_workers_per_gather = 0
});
$node->start;

# Each type, by the letter of its column.
my %types = (b => 'counting_bloom', c => 'cuckoo');

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;

	-- pages that a query touches, once what it needs of the catalogs is known
	CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE
		plan json;
	BEGIN
		FOR i IN 1 .. 2 LOOP
			EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT JSON) ' || query INTO plan;
		END LOOP;
		RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int +
			(plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
	END $$});

#
# A stored filter is read in slices
#

# Filters of 5 to 12 MB: full ones, so that many fingerprints are in their second
# bucket, and sparse ones that are compressed, with the keys 1 .. 100,000.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE stored (b counting_bloom, c cuckoo);
	INSERT INTO stored
		SELECT counting_bloom_agg(i) FILTER (WHERE i <= 1500000), cuckoo_agg(i)
		FROM generate_series(1, 4000000) i;
	CREATE TABLE compressed (b counting_bloom, c cuckoo);
	ALTER TABLE compressed ALTER b SET STORAGE extended, ALTER c SET STORAGE extended;
	INSERT INTO compressed
		SELECT counting_bloom_agg(i, 2000000, 0.01), cuckoo_agg(i, 5000000, 0.01)
		FROM generate_series(1, 100000) i;
	CREATE FUNCTION numbers(n int) RETURNS SETOF int LANGUAGE sql IMMUTABLE
		RETURN generate_series(1, n)});
is( $node->safe_psql(
		'postgres', q{
		SELECT pg_column_size(b) BETWEEN 5000000 AND 12000000, pg_column_size(c) BETWEEN 5000000 AND 12000000,
			pg_column_size(b) = octet_length(b::bytea), pg_column_size(c) = octet_length(c::bytea)
		FROM stored;
		SELECT octet_length(b::bytea) BETWEEN 5000000 AND 12000000,
			octet_length(c::bytea) BETWEEN 5000000 AND 12000000,
			pg_column_size(b) < octet_length(b::bytea) / 2, pg_column_size(c) < octet_length(c::bytea) * 0.9
		FROM compressed}),
	"t|t|t|t\nt|t|t|t",
	'large filters, plain and compressed');

sub pages
{
	my ($query) = @_;
	return $node->safe_psql('postgres', "SELECT pages(\$q\$$query\$q\$)");
}

for my $f (sort keys %types)
{
	my $type = $types{$f};
	my $row = pages('SELECT 1 FROM stored');
	my $whole = pages("SELECT md5($f\::bytea) FROM stored");
	my $head = pages("SELECT ${type}_info($f) FROM stored");

	# one slice for the block, or two for the buckets, each through the index
	my $nslices = $type eq 'cuckoo' ? 2 : 1;
	my $probe = 4 * $nslices;

	note "$type: whole $whole, head $head";
	cmp_ok($whole, '>', 600, "$type: a filter of many pages");
	cmp_ok($head, '<=', $row + 6, "$type: the header is read alone");
	for my $call (
		"$f @> 7", "$f @> -7", "7 <@ $f", "${type}_contains($f, 7)",
		"${type}_count($f, 7)", "${type}_count($f, -7)",
		"${type}_contains_any($f, ARRAY[7, -7])", "${type}_contains_all($f, ARRAY[-7, 7])")
	{
		my $pages = pages("SELECT $call FROM stored");

		cmp_ok($pages, '<=', $head + $probe, "$type: $call reads the header and $nslices");
		cmp_ok($pages, '>=', $head + $nslices, "$type: $call reads what it needs");
	}

	# as many slices as there are elements to ask for, and one header
	for my $n (2, 10, 20)
	{
		cmp_ok(pages("SELECT ${type}_contains_any($f, ARRAY(SELECT -i FROM numbers($n) i)) FROM stored"),
			'<=', $head + $n * $probe, "$type: $n absent keys");
		cmp_ok(pages("SELECT ${type}_contains_all($f, ARRAY(SELECT i FROM numbers($n) i)) FROM stored"),
			'<=', $head + $n * $probe, "$type: $n present keys");
		cmp_ok(pages("SELECT count(*) FROM stored, numbers($n) i WHERE $f @> i"),
			'<=', $head + $n * $probe + 2, "$type: $n rows");
	}

	# Many are asked of a copy, which is read once: however many there are, it
	# costs no more than three times the pages of the whole, and some.
	for my $query (
		"SELECT count(*) FROM stored, numbers(%d) i WHERE $f @> i",
		"SELECT count(${type}_count($f, i)) FROM stored, numbers(%d) i",
		"SELECT ${type}_contains_all($f, ARRAY(SELECT numbers(%d))) FROM stored",
		"SELECT count(*) FROM numbers(%d) i WHERE ${type}_contains((SELECT $f FROM stored), i)",
		"SELECT count(*) FROM stored, numbers(%d) i WHERE ${type}_contains_any($f, ARRAY[i, 1])")
	{
		my @pages = map { pages(sprintf $query, $_) } 5000, 50000;

		cmp_ok($pages[0], '<', 3.2 * $whole, "$type: read once: $query");
		is($pages[1], $pages[0], "$type: more probes, no more pages: $query");
	}

	# a compressed value is read whole, once
	my $compressed = pages("SELECT md5($f\::bytea) FROM compressed");
	my $once = pages("SELECT count(*) FROM compressed, numbers(5000) i WHERE $f @> i");

	cmp_ok($once, '<=', $compressed + $row + 6, "$type: a compressed filter is read once");
	is(pages("SELECT sum(${type}_count($f, i)) FROM compressed, numbers(5000) i"),
		$once, "$type: a compressed filter is read once to count");

	# The answers are those of the value in memory, whichever way it is read, in
	# slices, too: each row by itself.
	my $answers = "count(*) FILTER (WHERE $f @> i), count(*) FILTER (WHERE $f @> -i),
		sum(${type}_count($f, i)), sum(${type}_count($f, -i)),
		count(*) FILTER (WHERE ${type}_contains_any($f, ARRAY[-i, -i - 20000])),
		count(*) FILTER (WHERE ${type}_contains_all($f, ARRAY[i, -i]))";
	for my $table (qw(stored compressed))
	{
		my $n = $table eq 'stored' ? 300 : 20;
		my $expected = $node->safe_psql('postgres',
			"SELECT $answers FROM (SELECT (SELECT $f\::bytea::$type FROM $table) AS $f) s, numbers(20000) i");

		like($expected, qr/^20000\|\d+\|\d{5}\|/, "$type, $table: all keys are found");
		is($node->safe_psql('postgres', "SELECT $answers FROM $table, numbers(20000) i"),
			$expected, "$type, $table: the same answers");

		is( $node->safe_psql(
				'postgres', qq{
				CREATE TEMP TABLE answer (i int, here boolean, there boolean, n int, m int);
				DO \$\$ BEGIN
					FOR k IN 1 .. $n LOOP
						-- a statement each time, so never more than a slice or two
						EXECUTE format('INSERT INTO answer SELECT %1\$s, $f @> %1\$s, $f @> -%1\$s,
							${type}_count($f, %1\$s), ${type}_count($f, -%1\$s) FROM $table', k);
					END LOOP;
				END \$\$;
				SELECT count(*), count(*) FILTER (WHERE here), count(*) FILTER (WHERE
					here = ($f @> i) AND there = ($f @> -i) AND
					n IS NOT DISTINCT FROM ${type}_count($f, i) AND m = ${type}_count($f, -i))
				FROM answer, (SELECT (SELECT $f\::bytea::$type FROM $table) AS $f) s}),
			"$n|$n|$n",
			"$type, $table: the same answers from slices");
	}
}

#
# Many filters at one call site
#

# All with some keys of their own, some without any, some too small to be out of
# line, some compressed: more than a call site keeps track of.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE many (n int, b counting_bloom, c cuckoo);
	INSERT INTO many
		SELECT n, counting_bloom_agg(i * 100 + n, 4000, 0.001), cuckoo_agg(i * 100 + n, 4000, 0.001)
		FROM generate_series(0, 79) n, generate_series(1, 200) i GROUP BY n;
	INSERT INTO many
		SELECT n, counting_bloom_agg(i * 100 + n), cuckoo_agg(i * 100 + n, 200000, 1e-6)
		FROM generate_series(80, 89) n, generate_series(1, 2000) i GROUP BY n;
	ALTER TABLE many ALTER b SET STORAGE extended, ALTER c SET STORAGE extended;
	INSERT INTO many
		SELECT n, counting_bloom_agg(i * 100 + n, 20000, 0.01), cuckoo_agg(i * 100 + n, 20000, 0.01)
		FROM generate_series(90, 94) n, generate_series(1, 50) i GROUP BY n;
	INSERT INTO many SELECT n, counting_bloom_create(5), cuckoo_create(5) FROM generate_series(95, 97) n;
	INSERT INTO many SELECT 98, counting_bloom_add(counting_bloom_create(1, 0.5), 198), cuckoo_add(cuckoo_create(1), 198);
	INSERT INTO many VALUES (99, NULL, NULL)});

for my $f (sort keys %types)
{
	my $type = $types{$f};
	my $answers = "SELECT n, count(*) FILTER (WHERE $f @> (i * 100 + n)),
		count(*) FILTER (WHERE $f @> (i * 50)), sum(${type}_count($f, i * 100 + n)),
		sum(${type}_count($f, i * 50))";
	my $expected = $node->safe_psql('postgres',
		"$answers FROM (SELECT n, $f\::text::$type AS $f FROM many ORDER BY n OFFSET 0) m, numbers(300) i
		 GROUP BY n ORDER BY n");

	is(scalar(() = $expected =~ /^\d+\|20[0-3]\|/mg), 80, "$type: many filters have their keys");
	is(scalar(() = $expected =~ /^\d+\|300\|/mg), 10, "$type: the larger ones, too");
	for my $work_mem ('64MB', '2MB', '64kB')
	{
		# the filters take turns: each row of numbers meets all of them
		my $turns = "SET work_mem = '$work_mem'; SET enable_material = off; SET enable_hashjoin = off;
			SET enable_sort = on;
			$answers FROM (SELECT i FROM numbers(300) i OFFSET 0) s, many GROUP BY n ORDER BY n";

		is($node->safe_psql('postgres', $turns), $expected, "$type: filters take turns, work_mem $work_mem");
	}
	is( $node->safe_psql(
			'postgres', qq{
			SELECT count(*) FROM many m JOIN numbers(30000) i ON $f @> i AND i % 100 = n}),
		$node->safe_psql(
			'postgres', qq{
			SELECT count(*) FROM (SELECT n, $f\::text::$type AS $f FROM many OFFSET 0) m
			JOIN numbers(30000) i ON $f @> i AND i % 100 = n}),
		"$type: a join with many filters");
}

# A filter that changes between the calls of one call site.
is( $node->safe_psql(
		'postgres', q{
		CREATE TABLE changing (b counting_bloom, c cuckoo);
		INSERT INTO changing SELECT b, c FROM many WHERE n = 0;
		CREATE FUNCTION follow() RETURNS text LANGUAGE plpgsql AS $$
		DECLARE
			wrong int := 0;
		BEGIN
			FOR i IN 1 .. 200 LOOP
				UPDATE changing SET b = counting_bloom_add(b, i * 100 + 7), c = cuckoo_add(c, i * 100 + 7);
				IF (SELECT counting_bloom_count(b, i * 100 + 7) < 1 OR cuckoo_count(c, i * 100 + 7) < 1 OR
						NOT (b @> (i * 100) AND c @> (i * 100) AND b @> (i * 100 + 7) AND c @> (i * 100 + 7))
					FROM changing) THEN
					wrong := wrong + 1;
				END IF;
				IF i % 2 = 0 THEN
					UPDATE changing SET b = counting_bloom_remove(b, i * 100 + 7),
						c = cuckoo_remove(c, i * 100 + 7);
				END IF;
			END LOOP;
			RETURN wrong;
		END $$;
		SELECT follow();
		SELECT b = counting_bloom_add_all((SELECT b FROM many WHERE n = 0), ks), cuckoo_cardinality(c),
			cuckoo_contains_all(c, ks)
		FROM changing, (SELECT ARRAY(SELECT i * 100 + 7 FROM generate_series(1, 200, 2) i)) s(ks);
		SELECT b = m.bm, cuckoo_cardinality(c)
		FROM (SELECT counting_bloom_remove_all(b, ks) AS b, cuckoo_remove_all(c, ks) AS c
			  FROM changing, (SELECT ARRAY(SELECT i * 100 + 7 FROM generate_series(1, 200, 2) i)) s(ks)) x,
			(SELECT b AS bm FROM many WHERE n = 0) m}),
	"0\nt|300|t\nt|200",
	'a filter that changes between calls');

#
# Capacity
#

# A cuckoo filter takes as many keys as it was made for, at any rate and in any order.
for my $fpp (0.99, 0.9, 0.5, 0.1, 0.001, 1e-8)
{
	my ($ret, $stdout, $stderr) = $node->psql(
		'postgres', qq{
		SELECT n, cuckoo_cardinality(cuckoo_agg(i, n, $fpp)) = n,
			cuckoo_cardinality(cuckoo_add_all(cuckoo_create(n, $fpp), array_agg(i))) = n
		FROM unnest(ARRAY[1, 8, 9, 100, 3000, 30000, 300000]) n, generate_series(1, n) i GROUP BY n ORDER BY n});
	is($stdout, join("\n", map { "$_|t|t" } 1, 8, 9, 100, 3000, 30000, 300000),
		"cuckoo filters at $fpp take their keys");
}

#
# Many clients
#

# Each adds and removes keys of its own, some of them several times, and writes
# them to a table in the same transaction.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE counting (f counting_bloom);
	CREATE TABLE fingerprints (f cuckoo);
	INSERT INTO counting VALUES (counting_bloom_create(3000, 0.001));
	INSERT INTO fingerprints VALUES (cuckoo_create(3000, 0.001));
	CREATE TABLE exact (k int);
	CREATE INDEX ON exact (k)});

my $key = '\set k random(1, 60) + :client_id * 1000';
my $batch = '\set k random(1, 30) * 3 + 500 + :client_id * 1000';
my %scripts = (
	'add@5' => qq{$key
		BEGIN;
		SELECT count(*) < 3 AS room FROM exact WHERE k = :k \\gset
		\\if :room
		INSERT INTO exact VALUES (:k);
		UPDATE counting SET f = counting_bloom_add(f, :k);
		UPDATE fingerprints SET f = cuckoo_add(f, :k);
		\\endif
		COMMIT;
	},
	'remove@4' => qq{$key
		BEGIN;
		WITH gone AS (DELETE FROM exact WHERE ctid = (SELECT min(ctid) FROM exact WHERE k = :k) RETURNING k)
		SELECT count(*) = 1 AS gone FROM gone \\gset
		\\if :gone
		UPDATE counting SET f = counting_bloom_remove(f, :k);
		UPDATE fingerprints SET f = cuckoo_remove(f, :k);
		\\endif
		COMMIT;
	},
	# all of three keys, or none
	'batch@3' => qq{$batch
		BEGIN;
		WITH gone AS (DELETE FROM exact WHERE k BETWEEN :k AND :k + 2 RETURNING k)
		SELECT count(*) = 3 AS gone FROM gone \\gset
		\\if :gone
		UPDATE counting SET f = counting_bloom_remove_all(f, ARRAY[:k, :k + 1, :k + 2]);
		UPDATE fingerprints SET f = cuckoo_remove_all(f, ARRAY[:k, :k + 1, :k + 2]);
		\\else
		INSERT INTO exact SELECT generate_series(:k, :k + 2);
		UPDATE counting SET f = counting_bloom_add_all(f, ARRAY[:k, :k + 1, :k + 2]);
		UPDATE fingerprints SET f = cuckoo_add_all(f, ARRAY[:k, :k + 1, :k + 2]);
		\\endif
		COMMIT;
	},
	'give_up@1' => qq{$key
		BEGIN;
		DELETE FROM exact WHERE k = :k;
		INSERT INTO exact VALUES (:k);
		UPDATE counting SET f = counting_bloom_add_all(f, ARRAY[:k, -:k]);
		UPDATE fingerprints SET f = cuckoo_add_all(f, ARRAY[:k, -:k]);
		ROLLBACK;
	},
	# whatever is committed is found, at any time; an error ends the client
	'look@2' => q{
		SELECT 1 / (NOT EXISTS (SELECT FROM exact, counting c, fingerprints p
			WHERE NOT c.f @> k OR NOT p.f @> k))::int;
		SELECT 1 / (cuckoo_cardinality(f) = (SELECT count(*) FROM exact))::int FROM fingerprints;
	});
$node->pgbench(
	'-n -c 8 -j 2 -t 250', 0,
	[qr{number of transactions actually processed: 2000/2000}],
	[qr{^$}], 'eight clients add and remove keys',
	\%scripts);

is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) > 300, count(DISTINCT k / 1000), max(n) FROM (
			SELECT k, count(*) OVER (PARTITION BY k) AS n FROM exact) x}),
	't|8|3',
	'each client has left keys');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM exact, counting c, fingerprints p WHERE NOT c.f @> k OR NOT p.f @> k;
		SELECT count(*) FROM (SELECT k, count(*) AS n FROM exact GROUP BY k) e, counting c, fingerprints p
		WHERE counting_bloom_count(c.f, k) < n OR cuckoo_count(p.f, k) < n}),
	"0\n0",
	'no key is missing, each as often as it was added');
is( $node->safe_psql(
		'postgres', q{
		SELECT f = (SELECT counting_bloom_agg(k, 3000, 0.001) FROM exact) FROM counting;
		SELECT cuckoo_cardinality(f) = (SELECT count(*) FROM exact), f::bytea::cuckoo = f FROM fingerprints;
		SELECT count(*) < 50, count(*) FILTER (WHERE counting_bloom_count(f, -k) > 0) < 50
		FROM generate_series(1, 8000) k, counting WHERE f @> -k}),
	"t\nt|t\nt|t",
	'the filters have these keys and no more');

# the clients take all of them away
$node->safe_psql('postgres', 'CREATE TABLE left_over AS SELECT k, row_number() OVER (ORDER BY md5(k::text || random())) AS n FROM exact');
my $n = $node->safe_psql('postgres', 'SELECT count(*) FROM left_over');
$node->safe_psql('postgres', 'CREATE SEQUENCE next');
$node->pgbench(
	'-n -c 8 -j 2 -t ' . int(($n + 7) / 8),
	0,
	[qr{processed: (\d+)/\1\n}],
	[qr{^$}],
	'eight clients remove what is left',
	{
		'clear' => q{
		SELECT nextval('next') AS turn \gset
		BEGIN;
		UPDATE counting SET f = counting_bloom_remove(f, (SELECT k FROM left_over WHERE n = :turn));
		UPDATE fingerprints SET f = cuckoo_remove(f, (SELECT k FROM left_over WHERE n = :turn));
		COMMIT;
	}
	});
is( $node->safe_psql(
		'postgres', q{
		SELECT f = counting_bloom_create(3000, 0.001), f::bytea = counting_bloom_create(3000, 0.001)::bytea
		FROM counting;
		SELECT f = cuckoo_create(3000, 0.001), f::bytea = cuckoo_create(3000, 0.001)::bytea FROM fingerprints}),
	"t|t\nt|t",
	'without their keys they are as they were created');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
