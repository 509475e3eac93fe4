# Parameters, prepared statements and the extended protocol: types come from
# the declaration, from the operator, or are text.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE filters AS
		SELECT bloom_agg(i) AS numbers, bloom_agg(i::text) AS texts,
			bloom_agg(md5(i::text)::uuid) AS uuids, bloom_agg('2024-01-01'::date + i) AS dates,
			bloom_create(10) AS empty
		FROM generate_series(1, 1000) i});

#
# Prepared statements
#

my $filter = $node->safe_psql('postgres', 'SELECT numbers FROM filters');
for my $mode (qw(force_custom_plan force_generic_plan auto))
{
	my $settings = "SET plan_cache_mode = $mode;";
	my $prepared = sub {
		my ($declaration, $query, $arguments) = @_;
		my ($ret, $stdout, $stderr) = $node->psql(
			'postgres', "$settings PREPARE p$declaration AS $query;"
			  . "EXECUTE p($arguments);" x 7);

		$stderr =~ s/^psql:<stdin>:\d+: //mg;
		return $ret == 0 ? join(' ', split /\n/, $stdout) : $stderr;
	};
	my $seven = join ' ', ('t') x 7;

	is($prepared->('(bigint)', 'SELECT numbers @> $1 FROM filters', '5'), $seven, "$mode: bigint");
	is($prepared->('(numeric)', 'SELECT numbers @> $1 FROM filters', '5.0'), $seven, "$mode: numeric");
	is($prepared->('(unknown)', 'SELECT texts @> $1 FROM filters', q{'5'}),
		$seven, "$mode: an undecided parameter is text");
	is($prepared->('', 'SELECT texts @> $1 FROM filters', q{'5'}),
		$seven, "$mode: an undeclared parameter is text");
	is($prepared->('', 'SELECT bloom_contains(texts, $1) FROM filters', q{'5'}),
		$seven, "$mode: in a function call");
	is($prepared->('', 'SELECT $1 <@ texts FROM filters', q{'5'}), $seven, "$mode: on the left");
	is($prepared->('', 'SELECT numbers @> $1::bigint FROM filters', q{'5'}), $seven, "$mode: with a cast");
	is($prepared->('', 'SELECT uuids @> $1::uuid FROM filters', q{md5('5')::uuid}), $seven, "$mode: uuid");
	is($prepared->('', 'SELECT bloom_add(empty, $1) @> $1 FROM filters', q{'5'}),
		$seven, "$mode: twice the same parameter");
	is($prepared->('', 'SELECT bloom_contains_any(texts, $1) FROM filters', q{'{5,x}'}),
		$seven, "$mode: an array is of text");
	is($prepared->('(bigint[])', 'SELECT bloom_contains_all(numbers, $1) FROM filters', q{'{5,6}'}),
		$seven, "$mode: an array of numbers");
	is($prepared->('(bloom, bigint)', 'SELECT $1 @> $2', qq{'$filter', 5}),
		$seven, "$mode: a filter as a parameter");
	is($prepared->('', 'SELECT $1::bloom @> 5', qq{'$filter'}),
		$seven, "$mode: an undeclared filter");
	is($prepared->('(bloom_key)', 'SELECT numbers @> $1 FROM filters', 'bloom_key(5)'),
		$seven, "$mode: a key");
	is($prepared->('(bigint)', 'SELECT bloom_agg(i + $1) @> $1 FROM generate_series(0, 9) i', '5'),
		$seven, "$mode: in an aggregate");
	is($prepared->('(bigint, float8)', 'SELECT (bloom_info(bloom_agg(i, $1, $2))).capacity = $1
			FROM generate_series(0, 9) i', '500, 0.01'),
		$seven, "$mode: parameters of an aggregate");
	like($prepared->('', 'SELECT numbers @> $1 FROM filters', q{'5'}),
		qr/ERROR:  cannot probe a filter of number keys with a .*text.*HINT:.*\$1::bigint/s,
		"$mode: text is no number, and the hint is the cast");
	like($prepared->('', 'SELECT dates @> $1 FROM filters', q{'2024-01-02'}),
		qr/HINT:.*\$1::date/s, "$mode: text is no date, and the hint is the cast");
}

#
# The extended protocol, as drivers use it
#

my $number = 0;
sub pgbench_ok
{
	my ($query, $name) = @_;

	for my $mode (qw(simple extended prepared))
	{
		my $file = $node->basedir . '/script' . $number++;

		append_to_file($file, "\\set id random(1, 1000)\n$query\n");
		command_ok(
			[ 'pgbench', '-n', '-M', $mode, '-t', '50', '-c', '2', '-f', $file,
				'-h', $node->host, '-p', $node->port, 'postgres' ],
			"$name, $mode");
	}
	return;
}

# what is wrong ends the script with a division by zero
pgbench_ok('SELECT 1 / (numbers @> :id::bigint)::int FROM filters;', 'a number');
pgbench_ok(q{SELECT 1 / (texts @> (:id::bigint)::text)::int FROM filters;}, 'a text');
pgbench_ok('SELECT 1 / (bloom_contains(bloom_add(empty, :id::int), :id::int8))::int FROM filters;',
	'a key that is added');
pgbench_ok('SELECT 1 / (bloom_agg(i) @> :id::int)::int FROM generate_series(1, 1000) i;',
	'an aggregate');
pgbench_ok('SELECT 1 / (bloom_contains_all(numbers, ARRAY[:id::int, 5]))::int FROM filters;',
	'an array');

# a parameter without a type is text there, too
for my $mode (qw(extended prepared))
{
	my $file = $node->basedir . '/undecided';

	unlink $file;
	append_to_file($file, "\\set id random(1, 1000)\nSELECT 1 / (texts @> :id)::int FROM filters;\n");
	command_ok(
		[ 'pgbench', '-n', '-M', $mode, '-t', '50', '-f', $file,
			'-h', $node->host, '-p', $node->port, 'postgres' ],
		"an undecided parameter is text, $mode");

	unlink $file;
	append_to_file($file, "\\set id random(1, 1000)\nSELECT numbers @> :id FROM filters;\n");
	command_fails_like(
		[ 'pgbench', '-n', '-M', $mode, '-t', '1', '-f', $file,
			'-h', $node->host, '-p', $node->port, 'postgres' ],
		qr/cannot probe a filter of number keys with a .*text.*HINT:.*\$1::bigint/s,
		"and is an error with a hint where it is not meant to be, $mode");
}

#
# Cursors, and results that are read again
#

is( $node->safe_psql(
		'postgres', q{
		BEGIN;
		DECLARE c SCROLL CURSOR FOR SELECT i, numbers @> i FROM filters, generate_series(1, 2000) i;
		MOVE 999 IN c;
		FETCH 1 FROM c;
		FETCH BACKWARD 2 FROM c;
		COMMIT}),
	"1000|t\n999|t\n998|t",
	'a cursor');

# functions that keep their plans, over all types in turn
is( $node->safe_psql(
		'postgres', q{
		CREATE FUNCTION has(f bloom, v anyelement) RETURNS boolean LANGUAGE plpgsql AS
			$$ BEGIN RETURN f @> v; END $$;
		CREATE FUNCTION has_sql(f bloom, v anycompatible) RETURNS boolean LANGUAGE sql AS
			$$ SELECT f @> v $$;
		SELECT has(numbers, 5), has(numbers, 5.0), has(numbers, 5::int2), has(texts, '5'::text),
			has(uuids, md5('5')::uuid), has(dates, '2024-01-06'::date), has(numbers, bloom_key(5)),
			has_sql(numbers, 5), has_sql(texts, '5'), has_sql(uuids, md5('5')::uuid)
		FROM filters, generate_series(1, 3)}),
	join("\n", (join '|', ('t') x 10) x 3),
	'polymorphic functions of users');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
