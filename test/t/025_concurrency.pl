# Many sessions at once.  Sixteen add to the same filters and unite them: no key is lost.
# Others read filters while their tables are rewritten, emptied and filled again, swapped and
# refreshed: no key is missed, and there is no error.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', q{
max_connections = 60
log_statement = none
autovacuum_naptime = 1s
});
$node->start;

# Start pgbench; scripts are name@weight => text.  Finished by finish().
sub pgbench
{
	my ($options, %scripts) = @_;
	my %run = (out => '', err => '', scripts => \%scripts);
	my @files;

	foreach my $name (sort keys %scripts)
	{
		my ($script, $weight) = split /(?=@)/, $name;
		my $file = $node->basedir . "/$script.pgbench";

		unlink $file;
		append_to_file($file, $scripts{$name});
		push @files, '-f', $file . ($weight // '');
	}
	$run{run} = IPC::Run::start([ 'pgbench', '-n', split(' ', $options), @files, $node->connstr('postgres') ],
		'<', \undef, '>', \$run{out}, '2>', \$run{err});
	return \%run;
}

# Returns the number of transactions; an error of any client is one of the test.
sub finish
{
	my ($run, $name) = @_;
	my $result = IPC::Run::finish($run->{run});
	my ($n) = $run->{out} =~ /^number of transactions actually processed: (\d+)/m;

	ok($result && $run->{err} !~ /abort|ERROR/, $name) or diag($run->{err});
	return $n // 0;
}

#
# Sixteen writers
#

# The number of a transaction is the key that it adds.  Everyone writes the same few rows.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE SEQUENCE number;
	CREATE TABLE added (k int, way text);
	CREATE TABLE filter (b bloom, n counting_bloom, c cuckoo);
	CREATE TABLE named (name int PRIMARY KEY, b bloom, n counting_bloom);

	-- reads, adds and writes, in three steps
	CREATE FUNCTION add_locked(k int) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		f filter;
	BEGIN
		SELECT * INTO f FROM filter FOR UPDATE;
		f.b := bloom_add(f.b, k);
		f.n := counting_bloom_add(f.n, k);
		f.c := cuckoo_add(f.c, k);
		UPDATE filter SET b = f.b, n = f.n, c = f.c;
	END $$});
my $number = q{
	SELECT nextval('number')::int AS k \gset
};
my %writers = (
	'add@3' => $number . q{
	BEGIN;
	INSERT INTO added VALUES (:k, 'filter');
	UPDATE filter SET b = bloom_add(b, :k), n = counting_bloom_add(n, :k), c = cuckoo_add(c, :k);
	COMMIT;
},
	'add_all@2' => $number . q{
	BEGIN;
	INSERT INTO added VALUES (:k, 'filter'), (-:k, 'filter');
	UPDATE filter SET b = bloom_add_all(b, ARRAY[:k, -:k]), n = counting_bloom_add_all(n, ARRAY[:k, -:k]),
		c = cuckoo_add_all(c, ARRAY[:k, -:k]);
	COMMIT;
},
	'add_locked@3' => $number . q{
	BEGIN;
	INSERT INTO added VALUES (:k, 'filter');
	SELECT add_locked(:k);
	COMMIT;
},
	'unite@2' => $number . q{
	BEGIN;
	INSERT INTO added VALUES (:k, 'filter');
	UPDATE filter SET b = filter.b | s.b, n = filter.n | s.n, c = cuckoo_add(c, :k)
	FROM (SELECT bloom_agg(:k, 20000, 0.01), counting_bloom_agg(:k, 20000, 0.01)) s(b, n);
	COMMIT;
},
	# the row may be there or not
	'upsert@4' => $number . q{
	BEGIN;
	INSERT INTO added VALUES (:k, 'named'), (-:k, 'named');
	INSERT INTO named AS t
		SELECT :k % 40, bloom_agg(v, 1000, 0.01), counting_bloom_agg(v, 1000, 0.01)
		FROM unnest(ARRAY[:k, -:k]) v
	ON CONFLICT (name) DO UPDATE SET b = bloom_union(t.b, excluded.b), n = t.n | excluded.n;
	COMMIT;
},
	# what is rolled back leaves nothing
	'give_up@1' => $number . q{
	BEGIN;
	UPDATE filter SET b = bloom_add(b, :k), n = counting_bloom_add(n, :k), c = cuckoo_add(c, :k);
	ROLLBACK;
});

for my $level ('read committed', 'repeatable read')
{
	$node->safe_psql(
		'postgres', q{
		TRUNCATE added, filter, named;
		INSERT INTO filter
			SELECT bloom_agg(NULL::int, 20000, 0.01), counting_bloom_create(20000), cuckoo_create(20000)});

	# at most so many attempts, where others came first
	local $ENV{PGOPTIONS} = '-c default_transaction_isolation=' . ($level =~ s/ /\\ /r);
	my $run = pgbench('-c 16 -j 4 -t 100 --max-tries=10000', %writers);
	is(finish($run, "$level: sixteen clients"), 1600, "$level: all of their transactions");
	my ($nretried) = $run->{out} =~ /^number of transactions retried: (\d+)/m;

	note "$level: $nretried transactions retried";
	cmp_ok($nretried, '>', 100, "$level: they got in each other's way") if $level eq 'repeatable read';
	is( $node->safe_psql(
			'postgres', q{
			SELECT count(*) > 1200, count(*) FILTER (WHERE way = 'named') > 300, count(*) = count(DISTINCT k) FROM added;
			SELECT count(*) FILTER (WHERE NOT b @> k), count(*) FILTER (WHERE NOT n @> k),
				count(*) FILTER (WHERE NOT c @> k) FROM filter, added WHERE way = 'filter';
			SELECT count(*) FILTER (WHERE (b @> k AND n @> k) IS NOT TRUE)
			FROM added LEFT JOIN named ON name = abs(k) % 40 WHERE way = 'named'}),
		"t|t|t\n0|0|0\n0", "$level: no key is lost");
	is( $node->safe_psql(
			'postgres', q{
			SELECT b = bloom_agg, n = counting_bloom_agg, cuckoo_cardinality(c) = count
			FROM filter, (SELECT bloom_agg(k, 20000, 0.01), counting_bloom_agg(k, 20000, 0.01), count(*)
				FROM added WHERE way = 'filter') s;
			SELECT count(*), bool_and(b = bloom_agg), bool_and(n = counting_bloom_agg)
			FROM named JOIN (SELECT abs(k) % 40 AS name, bloom_agg(k, 1000, 0.01), counting_bloom_agg(k, 1000, 0.01)
				FROM added WHERE way = 'named' GROUP BY 1) s USING (name)}),
		"t|t|t\n40|t|t", "$level: the filters are as if built at once");
}

#
# Readers
#

# Ten rows with the keys 1 to 20,000, of each type, all filters in TOAST: to ask once reads a
# slice, to ask often makes a copy that the query keeps.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE master AS
		SELECT i % 10 AS n, bloom_agg(i, 80000, 0.01) AS b, counting_bloom_agg(i, 20000, 0.01) AS c,
			cuckoo_agg(i, 80000, 0.01) AS u, external_bloom_agg(i, 'guava_int', 80000, 0.01) AS e
		FROM generate_series(1, 20000) i GROUP BY 1;
	ALTER TABLE master ALTER e SET STORAGE external;
	CREATE TABLE vacuumed (LIKE master INCLUDING ALL);
	CREATE TABLE emptied (LIKE master INCLUDING ALL);
	CREATE TABLE swapped (LIKE master INCLUDING ALL);
	CREATE TABLE updated (LIKE master INCLUDING ALL);
	INSERT INTO vacuumed SELECT * FROM master;
	INSERT INTO emptied SELECT * FROM master;
	INSERT INTO swapped SELECT * FROM master;
	INSERT INTO updated SELECT * FROM master;
	CREATE TABLE more (k int);
	CREATE MATERIALIZED VIEW refreshed AS
		SELECT n, bloom_add_all(b, ks) AS b, counting_bloom_add_all(c, ks) AS c, cuckoo_add_all(u, ks) AS u, e
		FROM master, (SELECT array_agg(k) FROM more) s(ks);
	CREATE UNIQUE INDEX ON refreshed (n);

	-- in variables, and in expressions that PL/pgSQL keeps for the transaction
	CREATE FUNCTION misses(rel text, k int) RETURNS int LANGUAGE plpgsql AS $$
	DECLARE
		f record;
		n int := 0;
		misses int := 0;
	BEGIN
		FOR f IN EXECUTE 'SELECT * FROM ' || rel LOOP
			FOR i IN k .. k + 29 LOOP
				IF i % 10 = f.n THEN
					n := n + 1;
					misses := misses + (NOT (f.b @> i AND f.c @> i AND f.u @> i))::int;
				END IF;
			END LOOP;
			PERFORM pg_sleep(0.001);
		END LOOP;
		RETURN misses + abs(30 - n);
	END $$});
is( $node->safe_psql(
		'postgres', q{
		SELECT min(least(pg_column_size(b), pg_column_size(c), pg_column_size(u))) > 90000 FROM refreshed;
		SELECT count(DISTINCT pg_column_size(b)) FROM vacuumed}),
	"t\n1", 'filters of a hundred kilobytes');

# A miss is a division by zero, which ends the client.
my %readers;
for my $table (qw(vacuumed emptied swapped updated refreshed))
{
	my $key = "\\set k random(1, 19700)\n";
	my $one = qq{
	SELECT 1 / (count(*) = 1)::int FROM $table
	WHERE n = :k::int % 10 AND b @> :k::int AND c @> :k::int AND u @> :k::int
		AND external_bloom_contains(e, 'guava_int', :k::int);
};
	my $many = qq{
	SELECT 1 / (count(*) = 300)::int FROM $table, generate_series(:k::int, :k::int + 299) i
	WHERE n = i % 10 AND b @> i AND c @> i AND u @> i AND external_bloom_contains(e, 'guava_int', i);
};

	$readers{"one_$table\@6"} = $key . $one;
	$readers{"many_$table\@2"} = $key . $many;
	$readers{"all_$table\@2"} = $key . qq{
	SELECT 1 / (count(*) = 10)::int FROM $table,
		LATERAL (SELECT array_agg(i) FROM generate_series(n + 10, n + 1000, 10) i) s(ks)
	WHERE bloom_contains_all(b, ks) AND counting_bloom_contains_all(c, ks) AND cardinality(cuckoo_missing(u, ks)) = 0;
};
	$readers{"misses_$table\@1"} = $key . qq{
	SELECT 1 / (misses('$table', :k::int) = 0)::int;
};
	$readers{"again_$table\@1"} = "${key}BEGIN;\n$one\\sleep 5 ms\n${many}\\sleep 5 ms\n${one}COMMIT;\n";
	# a snapshot that is older than what was put into a table sees it empty (after TRUNCATE,
	# and in the table that took the name), so these are left out
	$readers{"snapshot_$table\@1"} =
	  "${key}BEGIN ISOLATION LEVEL REPEATABLE READ;\n$one\\sleep 10 ms\n${many}COMMIT;\n"
	  unless $table eq 'emptied' || $table eq 'swapped';
}

# each of these by a client of its own
my %rewriters = (
	vacuum_full => q{
	VACUUM FULL vacuumed;
	\sleep 80 ms
},
	truncate => q{
	BEGIN;
	TRUNCATE emptied;
	INSERT INTO emptied SELECT * FROM master;
	COMMIT;
	\sleep 80 ms
},
	swap => q{
	BEGIN;
	CREATE TABLE new (LIKE swapped INCLUDING ALL);
	INSERT INTO new SELECT * FROM master;
	ALTER TABLE swapped RENAME TO old;
	ALTER TABLE new RENAME TO swapped;
	DROP TABLE old;
	COMMIT;
	\sleep 80 ms
},
	refresh => q{
	\set k random(100000, 999999)
	INSERT INTO more VALUES (:k);
	REFRESH MATERIALIZED VIEW CONCURRENTLY refreshed;
	\sleep 80 ms
},
	update => q{
	\set k random(100000, 999999)
	UPDATE updated SET b = bloom_add(b, :k), c = counting_bloom_add(c, :k), u = cuckoo_add(u, :k)
	WHERE n = :k % 10;
},
	vacuum => q{
	VACUUM updated;
	\sleep 80 ms
});

# Until there are many of each, which takes one attempt but where others are busy.
my $seconds = $ENV{BLOOMTYPE_SLOW} ? 25 : 10;
my ($nreads, $nmissed, %n) = (0, 0);
for (1 .. 10)
{
	# A thread for each client: while a statement is prepared, pgbench waits for a lock, and
	# another client of the thread may be the one that holds it.
	my $readers = pgbench("-M prepared -c 16 -j 16 -T $seconds", %readers);
	my %runs = map { $_ => pgbench("-c 1 -T $seconds", $_ => $rewriters{$_}) } sort keys %rewriters;

	$nreads += finish($readers, 'readers miss nothing');
	$nmissed += () = $readers->{err} =~ /division by zero/g;
	$n{$_} += finish($runs{$_}, $_) for sort keys %runs;
	last if $nreads > 1000 && !grep { $_ <= 2 } values %n;
}

diag("reads: $nreads, missed: $nmissed; meanwhile " . join(', ', map { "$_ $n{$_}" } sort keys %n));
cmp_ok($nreads, '>', 1000, 'many reads');
cmp_ok($n{$_}, '>', 2, "$_, many times") for sort keys %n;
is( $node->safe_psql(
		'postgres', q{
		SELECT (SELECT count(*) FROM swapped), (SELECT count(*) FROM emptied), (SELECT count(*) FROM vacuumed),
			(SELECT bool_and(b @> k AND c @> k AND u @> k) FROM refreshed, more)}),
	'10|10|10|t', 'all is there');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
