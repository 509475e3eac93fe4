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

	CREATE INDEX ON filters USING hash (external);
	CREATE VIEW found AS
		SELECT external @> 1 AS one FROM filters WHERE name = 'list';
	CREATE TABLE guarded (
		id int,
		allowed bloom DEFAULT bloom_add(bloom_create(10), 1),
		CHECK (allowed @> id));
	INSERT INTO guarded VALUES (1);
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

# text dumped by one server is what another would have made itself
is( $node->safe_psql(
		'from_plain', q{SELECT external = (SELECT bloom_agg(i) FROM generate_series(1, 10000) i)
						FROM filters WHERE name = 'one layer'}),
	't', 'a restored filter equals one made anew');

$node->stop;
done_testing();
