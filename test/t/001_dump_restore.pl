# Dump and restore: filters of every form and size come back with the same
# bytes and give the same answers.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql(
	'source', q{
	CREATE EXTENSION bloomtype;

	-- form of the filter, how its column is stored
	CREATE TABLE filters (
		name text PRIMARY KEY,
		external bloom,
		compressed bloom,
		plain_key bloom_key);
	ALTER TABLE filters ALTER compressed SET STORAGE extended;

	INSERT INTO filters (name, external)
	VALUES ('null', NULL),
		('no key', bloom_create(1000, 0.001, 7)),
		('list', bloom_add_all(bloom_create(1000), ARRAY[1, 2, 3])),
		('full list', (SELECT bloom_agg(i) FROM generate_series(1, 128) i)),
		('smallest layer', (SELECT bloom_agg(i) FROM generate_series(1, 129) i)),
		('one layer', (SELECT bloom_agg(i) FROM generate_series(1, 10000) i)),
		('sparse', bloom_add_all(bloom_create(1000000), ARRAY(SELECT generate_series(1, 200)))),
		('saturated', bloom_add_all(bloom_create(10, 0.5, 0), ARRAY(SELECT generate_series(1, 5000)))),
		('layered', bloom_add_all(bloom_create(1, 0.1), ARRAY(SELECT generate_series(1, 10000)))),
		('many layers', bloom_add_all(bloom_create(1, 0.1, 1), ARRAY(SELECT generate_series(1, 3000)))),
		('big', (SELECT bloom_agg(i, 0.0001) FROM generate_series(1, 2000000) i)),
		('text', (SELECT bloom_agg(i::text) FROM generate_series(1, 1000) i)),
		('arrays', (SELECT bloom_agg(ARRAY[i, i]) FROM generate_series(1, 1000) i)),
		('rows', (SELECT bloom_agg(ROW(i, i::text)) FROM generate_series(1, 1000) i)),
		('ranges', (SELECT bloom_agg(int8range(i, i + 1)) FROM generate_series(1, 1000) i));
	UPDATE filters SET compressed = external, plain_key = bloom_key(name);

	-- filters from which keys can be deleted; counters at 15, no free place
	CREATE TABLE deletables (
		name text PRIMARY KEY,
		n int,
		counting counting_bloom DEFAULT counting_bloom_add(counting_bloom_create(10), 1),
		cuckoo cuckoo DEFAULT cuckoo_add(cuckoo_create(10), 1),
		counting_compressed counting_bloom,
		cuckoo_compressed cuckoo,
		CHECK (name <> 'default' OR counting @> 1 AND cuckoo @> 1));
	ALTER TABLE deletables ALTER counting_compressed SET STORAGE extended,
		ALTER cuckoo_compressed SET STORAGE extended;
	INSERT INTO deletables (name, n) VALUES ('default', 1);
	INSERT INTO deletables (name, n, counting, cuckoo) VALUES
		('null', 0, NULL, NULL),
		('no key', 0, counting_bloom_create(1000, 0.001), cuckoo_create(1000, 0.001)),
		('few', 3, counting_bloom_add_all(counting_bloom_create(1000), ARRAY[1, 2, 3, 3]),
			cuckoo_add_all(cuckoo_create(1000), ARRAY[1, 2, 3, 3])),
		('removed', 3, counting_bloom_remove_all(counting_bloom_add_all(counting_bloom_create(5),
				ARRAY[1, 2, 3, 4, 5]), ARRAY[4, 5]),
			cuckoo_remove_all(cuckoo_add_all(cuckoo_create(5), ARRAY[1, 2, 3, 4, 5]), ARRAY[4, 5])),
		('sparse', 200, (SELECT counting_bloom_agg(i, 100000, 0.01) FROM generate_series(1, 200) i),
			(SELECT cuckoo_agg(i, 100000, 0.01) FROM generate_series(1, 200) i)),
		('saturated', 100, (SELECT counting_bloom_agg(i % 100 + 1) FROM generate_series(1, 3000) i),
			cuckoo_add_all(cuckoo_create(1), ARRAY[1, 2, 3, 4, 5, 6, 7, 8])),
		('many', 100000, (SELECT counting_bloom_agg(i) FROM generate_series(1, 100000) i),
			(SELECT cuckoo_agg(i) FROM generate_series(1, 100000) i)),
		('big', 500000, (SELECT counting_bloom_agg(i) FROM generate_series(1, 500000) i),
			(SELECT cuckoo_agg(i, 1e-7) FROM generate_series(1, 500000) i));
	-- until one finds no place any more
	DO $$
	DECLARE
		f cuckoo := cuckoo_create(100, 0.001);
		n int := 0;
	BEGIN
		LOOP
			f := cuckoo_add(f, n + 1);
			n := n + 1;
		END LOOP;
	EXCEPTION WHEN program_limit_exceeded THEN
		INSERT INTO deletables (name, n, counting, cuckoo)
		SELECT 'full', n, counting_bloom_agg(i), f FROM generate_series(1, n) i;
	END $$;
	UPDATE deletables SET counting_compressed = counting, cuckoo_compressed = cuckoo;

	CREATE INDEX ON deletables USING hash (counting);
	CREATE INDEX ON deletables USING hash (cuckoo);
	CREATE DOMAIN few_numbers AS cuckoo CHECK (cuckoo_cardinality(VALUE) BETWEEN 1 AND 5);
	CREATE TABLE of_few (f few_numbers, b bloom GENERATED ALWAYS AS (c::bloom) STORED, c counting_bloom);
	INSERT INTO of_few VALUES (cuckoo_add(cuckoo_create(10), 1), DEFAULT,
		counting_bloom_add(counting_bloom_create(10), 1));

	CREATE INDEX ON filters USING hash (external);
	CREATE VIEW found AS
		SELECT external @> 1 AS one FROM filters WHERE name = 'list';
	CREATE TABLE guarded (
		id int,
		allowed bloom DEFAULT bloom_add(bloom_create(10), 1),
		CHECK (allowed @> id));
	INSERT INTO guarded VALUES (1);

	-- The OIDs of labels change with a restore.  Hashed as the server does it, by OID, no key
	-- would be found then.
	CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE TABLE labels AS
		SELECT bloom_agg(m) AS b, counting_bloom_agg(m) AS n, cuckoo_agg(m) AS c
		FROM unnest(enum_range(NULL::mood)) m;

	CREATE DOMAIN numbers AS bloom CHECK (bloom_cardinality(VALUE) > 0);
	CREATE TABLE of_domain (f numbers);
	INSERT INTO of_domain VALUES (bloom_add(bloom_create(10), 1));
});

my $state = q{
	SELECT name, octet_length(external::bytea), md5(external::bytea), md5(external::text),
		md5(compressed::bytea), external = compressed, plain_key, bloom_info(external)
	FROM filters ORDER BY name;
	SELECT 'guarded', * FROM guarded;
	SELECT 'found', * FROM found;
	SELECT 'of domain', * FROM of_domain;
	SELECT 'of few', * FROM of_few;
	SELECT name, n, md5(counting::bytea), md5(cuckoo::bytea), md5(counting::text), md5(cuckoo::text),
		counting = counting_compressed, cuckoo = cuckoo_compressed,
		counting_bloom_info(counting), cuckoo_info(cuckoo)
	FROM deletables ORDER BY name;
};
my $answers = q{
	SELECT name, count(*) FILTER (WHERE external @> i), count(*) FILTER (WHERE compressed @> i)
	FROM (SELECT * FROM filters
		  WHERE name NOT IN ('big', 'sparse', 'text', 'arrays', 'rows', 'ranges') OFFSET 0) f,
		generate_series(1, 20000, 11) i
	GROUP BY name ORDER BY name;
	SELECT name, count(*) FROM filters, generate_series(1, 50) i
	WHERE name IN ('big', 'sparse') AND external @> (i * i * 1000) AND compressed @> (i * i * 1000)
	GROUP BY name ORDER BY name;
	SELECT count(*) FROM filters, generate_series(1, 50) i
	WHERE name = 'sparse' AND external @> i AND compressed @> i;
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'text' AND external @> i::text;
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'arrays' AND external @> ARRAY[i, i];
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'rows' AND external @> ROW(i, i::text);
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'ranges' AND external @> int8range(i, i + 1);
	SELECT 'labels', count(*) FROM labels, unnest(enum_range(NULL::mood)) m
	WHERE b @> m AND n @> m AND c @> m;
	SELECT name, count(*) FILTER (WHERE counting @> i), count(*) FILTER (WHERE cuckoo @> i),
		sum(coalesce(counting_bloom_count(counting, i), 15)), sum(cuckoo_count(cuckoo, i)),
		count(*) FILTER (WHERE counting_compressed @> i), count(*) FILTER (WHERE cuckoo_compressed @> i),
		count(*) FILTER (WHERE i <= n AND NOT (counting @> i AND cuckoo @> i)) AS lost
	FROM (SELECT * FROM deletables ORDER BY name OFFSET 0) r,
		(SELECT generate_series(1, 200) UNION ALL SELECT generate_series(201, 120000, 311)) s(i)
	WHERE name <> 'saturated' OR i <= 8
	GROUP BY name ORDER BY name;
};
my $expected_state = $node->safe_psql('source', $state);
my $expected_answers = $node->safe_psql('source', $answers);

# The samples are what they are meant to be.
like($expected_state, qr/^one layer\|\d+\|.*\(number,10000,0.01,2,1,/m, 'one layer');
like($expected_state, qr/^many layers\|\d+\|.*\(number,1,0.1,1,\d\d,/m, 'many layers');
like($expected_state, qr/^big\|\d{7}\|/m, 'several megabytes');
is( $node->safe_psql(
		'source', q{SELECT pg_column_size(compressed) < pg_column_size(external) / 2
					FROM filters WHERE name = 'sparse'}),
	't', 'a compressed value');

like($expected_answers, qr/^labels\|3$/m, 'labels of an enum');
like($expected_state, qr/^of few\|/m, 'filters of a domain, and generated ones');
is( $node->safe_psql(
		'source', q{
		SELECT counting_bloom_count(counting, 1) IS NULL, (SELECT count(*) FROM generate_series(1, 100) i
				WHERE counting_bloom_count(counting, i) IS NULL),
			(cuckoo_info(cuckoo)).load
		FROM deletables WHERE name = 'saturated';
		SELECT n > 100, (cuckoo_info(cuckoo)).keys = n, (cuckoo_info(cuckoo)).load > 0.9
		FROM deletables WHERE name = 'full';
		SELECT counting_bloom_count(counting, 3), cuckoo_count(cuckoo, 3) FROM deletables WHERE name = 'few';
		SELECT counting = counting_bloom_add_all(counting_bloom_create(5), ARRAY[3, 2, 1]),
			cuckoo_cardinality(cuckoo) FROM deletables WHERE name = 'removed';
		SELECT octet_length(counting::bytea) > 2000000, octet_length(cuckoo::bytea) > 1500000
		FROM deletables WHERE name = 'big';
		SELECT pg_column_size(counting_compressed) < pg_column_size(counting) / 2,
			pg_column_size(cuckoo_compressed) < pg_column_size(cuckoo) / 2
		FROM deletables WHERE name = 'sparse'}),
	"t|100|1\nt|t|t\n2|2\nt|3\nt|t\nt|t",
	'counters at their limit, full buckets, megabytes, compressed values');
is(scalar(() = $expected_answers =~ /^\w[\w ]*(\|\d*){6}\|0$/mg), 10, 'no key is missing');

sub dump_of
{
	my ($database) = @_;
	my ($out, $err) = run_command(
		[ 'pg_dump', '--no-sync', '-d', $node->connstr($database) ]);

	# recent servers protect the script with a random word
	$out =~ s/^\\(un)?restrict .*\n//mg;
	return $out;
}
my $expected_dump = dump_of('source');

sub restored_ok
{
	my ($database, $how) = @_;
	my $label = 'SELECT min(oid) FROM pg_enum';

	isnt($node->safe_psql($database, $label), $node->safe_psql('source', $label), "$how: other OIDs");
	is($node->safe_psql($database, $state), $expected_state, "$how: same bytes");
	is($node->safe_psql($database, $answers), $expected_answers, "$how: same answers");
	ok(dump_of($database) eq $expected_dump, "$how: same dump");
}

my $dir = $node->basedir;

$node->safe_psql('postgres', 'CREATE DATABASE from_plain');
command_ok(
	[ 'pg_dump', '--no-sync', '-f', "$dir/plain.sql", '-d', $node->connstr('source') ],
	'plain dump');
command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/psql.out",
		'-f', "$dir/plain.sql", '-d', $node->connstr('from_plain') ],
	'plain restore');
restored_ok('from_plain', 'plain');

$node->safe_psql('postgres', 'CREATE DATABASE from_custom');
command_ok(
	[ 'pg_dump', '--no-sync', '-Fc', '-f', "$dir/custom", '-d', $node->connstr('source') ],
	'custom dump');
command_ok(
	[ 'pg_restore', '--exit-on-error', '-d', $node->connstr('from_custom'), "$dir/custom" ],
	'custom restore');
restored_ok('from_custom', 'custom');

# as INSERT commands, which take the values through the parser
$node->safe_psql('postgres', 'CREATE DATABASE from_inserts');
command_ok(
	[ 'pg_dump', '--no-sync', '--inserts', '-f', "$dir/inserts.sql",
		'-d', $node->connstr('source') ],
	'dump as inserts');
command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/psql.out",
		'-f', "$dir/inserts.sql", '-d', $node->connstr('from_inserts') ],
	'restore of inserts');
restored_ok('from_inserts', 'inserts');

# restored filters go on growing as the originals would
is( $node->safe_psql(
		$_, q{SELECT md5(string_agg(bloom_add_all(external, ARRAY(SELECT generate_series(1, 30000)))::text,
									'' ORDER BY name))
			  FROM filters WHERE name IN ('no key', 'list', 'one layer', 'layered', 'saturated')}),
	$node->safe_psql(
		'source', q{SELECT md5(string_agg(bloom_add_all(compressed, ARRAY(SELECT generate_series(1, 30000)))::text,
									'' ORDER BY name))
			  FROM filters WHERE name IN ('no key', 'list', 'one layer', 'layered', 'saturated')}),
	"$_ grows the same")
  for qw(from_plain from_custom);

# restored filters take keys, and give them back
my $changed = q{
	SELECT name, md5(counting_bloom_remove_all(counting, ks)::bytea), md5(cuckoo_remove_all(cuckoo, ks)::bytea),
		md5(counting_bloom_add_all(counting, ks)::bytea), counting_bloom_remove_all(counting, ks) @> 1
	FROM deletables, LATERAL (SELECT ARRAY(SELECT generate_series(1, least(n, 1000)))) s(ks)
	WHERE n > 0 ORDER BY name;
	SELECT name, counting_bloom_remove_all(counting, ks) = counting_bloom_create((counting_bloom_info(counting)).capacity),
		cuckoo_remove_all(cuckoo, ks) = cuckoo_create((cuckoo_info(cuckoo)).capacity)
	FROM deletables, LATERAL (SELECT ARRAY(SELECT generate_series(1, n))) s(ks)
	WHERE name IN ('default', 'removed', 'sparse', 'many') ORDER BY name};
my $expected_changed = $node->safe_psql('source', $changed);
like($expected_changed, qr/\ndefault\|t\|t\nmany\|t\|t\nremoved\|t\|t\nsparse\|t\|t$/,
	'without their keys filters are as they were created');
is($node->safe_psql($_, $changed), $expected_changed, "$_: keys are removed the same")
  for qw(from_plain from_custom from_inserts);

# defaults, checks and indexes come with their tables
for my $database (qw(from_plain from_inserts))
{
	is( $node->safe_psql(
			$database, q{
			SET enable_seqscan = off;
			DELETE FROM deletables WHERE name = 'default';
			INSERT INTO deletables (name, n) VALUES ('default', 1);
			SELECT counting @> 1, cuckoo @> 1, counting_bloom_count(counting, 1) FROM deletables WHERE name = 'default';
			SELECT count(*) FROM deletables
			WHERE counting = (SELECT counting_bloom_agg(i) FROM generate_series(1, 100000) i);
			SELECT count(*) FROM deletables
			WHERE cuckoo = (SELECT cuckoo_agg(i) FROM generate_series(1, 100000) i)}),
		"t|t|1\n1\n1",
		"$database: defaults and indexes");
	like(
		$node->safe_psql($database, q{SET enable_seqscan = off;
			EXPLAIN SELECT FROM deletables WHERE cuckoo = cuckoo_create(1)}),
		qr/deletables_cuckoo_idx/,
		"$database: the index is used");
	for my $bad (
		q{UPDATE deletables SET cuckoo = cuckoo_create(1) WHERE name = 'default'},
		'UPDATE of_few SET f = cuckoo_create(1)')
	{
		my (undef, undef, $stderr) = $node->psql($database, $bad);
		like($stderr, qr/violates check constraint/, "$database: checked: $bad");
	}
}

# text dumped by one server is what another would have made itself
is( $node->safe_psql(
		'from_plain', q{SELECT external = (SELECT bloom_agg(i) FROM generate_series(1, 10000) i)
						FROM filters WHERE name = 'one layer'}),
	't', 'a restored filter equals one made anew');

$node->stop;
done_testing();
