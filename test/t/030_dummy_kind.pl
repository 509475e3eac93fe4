# A fourth kind of filter, number 255, goes through all that types share: aggregates, input and
# output, questions, storage out of line, sizes, estimates, messages.  It is of static
# construction: keys cannot be added to its filters, removed from them, or united.
#
# test/modules/dummy_kind has the kind and its SQL type.  The module is all of bloomtype with
# -DBBF_DUMMY_KIND, so one database has the extension from there.  Another has bloomtype as it is
# installed, which refuses filters of that kind.

use strict;
use warnings FATAL => 'all';

use File::Copy 'copy';
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/../..";
my $folder = PostgreSQL::Test::Utils::tempdir();

for (glob "$top/test/modules/dummy_kind/*")
{
	copy($_, $folder) or die "cannot copy $_: $!";
}
command_ok(
	[
		'make', '-s', '-j2', '-C', $folder, 'with_llvm=no',
		'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
		"top=$top",
		'COPT=-O1 -Wextra -Wno-unused-parameter -Werror'
	],
	'the module is built');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;

# The script of the extension, and that of the type, with functions of the module
my $script =
  slurp_file("$top/sql/bloomtype--1.0.sql") . slurp_file("$folder/dummy_kind.sql");
$script =~ s/^\\echo .*$//m;
$script =~ s/MODULE_PATHNAME/$folder\/dummy_kind/g;
$node->safe_psql('postgres', $script);
$node->safe_psql('template1', 'CREATE DATABASE installed');
$node->safe_psql('installed', 'CREATE EXTENSION bloomtype');

# Run a query; its output
sub sql
{
	my ($query) = @_;
	return $node->safe_psql('postgres', $query);
}

# A query fails with this message, and with a detail and a hint that begin so.
sub fails
{
	my ($query, $message, $detail, $hint, $database) = @_;
	my ($ret, $stdout, $stderr) = $node->psql($database || 'postgres', $query);

	$detail = defined $detail ? "\\n(?:LINE 1: .*\\n +\\^\\n)?DETAIL:  \Q$detail\E.*" : '';
	$hint = defined $hint ? "\\nHINT:  \Q$hint\E" : '';
	like($stderr, qr/ERROR:  \Q$message\E$detail$hint/, "error: $query");
	return;
}

# The rows that the planner expects of a query
sub expected_rows
{
	my ($query) = @_;
	my ($rows) = sql("EXPLAIN $query") =~ /rows=(\d+)/;
	return $rows;
}

#
# Aggregates: without keys, as a list, and with a layer
#

sql(
	q{
	CREATE TABLE keys AS SELECT i FROM generate_series(1, 20000) i;
	ANALYZE keys;
	CREATE TABLE filters (name text, f dummy);
	INSERT INTO filters
		SELECT 'empty', dummy_agg(i) FROM keys WHERE i < 0 UNION ALL
		SELECT 'list', dummy_agg(i) FROM keys WHERE i <= 128 UNION ALL
		SELECT 'few', dummy_agg(i) FROM keys WHERE i <= 129 UNION ALL
		SELECT 'hashed', dummy_agg(bloom_key(i)) FROM keys WHERE i <= 5000 UNION ALL
		SELECT 'precise', dummy_agg(i, 1e-6) FROM keys UNION ALL
		SELECT 'roomy', dummy_agg(i, 10000, 0.02) FROM keys WHERE i <= 5000 UNION ALL
		SELECT 'full', dummy_agg(i, 1000, 0.001) FROM keys WHERE i <= 5000});
is( sql(q{SELECT name, key_family, capacity, target_fpp, fingerprint_bits, bins, bytes,
		round(load::numeric, 3), keys, round(current_fpp::numeric, 7), saturated
	FROM filters, dummy_info(f) ORDER BY bytes, name}),
	join("\n",
		'empty|none|1|0.01|||60|0.000|0|0.0000000|f',
		'list|number|128|0.01|||1084|0.000|128|0.0000000|f',
		'few|number|129|0.01|16|33|1180|0.244|129|0.0000596|f',
		'roomy|number|10000|0.02|8|2501|40140|0.125|5000|0.0078400|f',
		'full|number|1000|0.001|16|1251|40156|0.250|5000|0.0000610|t',
		'hashed|number|5000|0.01|16|1251|40156|0.250|5000|0.0000610|f',
		'precise|number|20000|1e-06|32|5001|320188|0.250|20000|0.0000000|f'),
	'what there is');
is( sql(q{SELECT name, count(*) FILTER (WHERE i <= dummy_cardinality(f)), count(*)
	FROM filters, generate_series(1, 100000) i WHERE f @> i GROUP BY name ORDER BY name}),
	"few|129|131\nfull|5000|5007\nhashed|5000|5007\nlist|128|128\nprecise|20000|20000\nroomy|5000|5725",
	'keys that were added are found, and few others');
is( sql(q{
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	EXPLAIN (COSTS OFF) SELECT dummy_agg(i) FROM keys;
	SELECT dummy_agg(i, 1e-6) = (SELECT f FROM filters WHERE name = 'precise') FROM keys}) =~ /Partial Aggregate.*\nt$/s,
	1, 'parallel workers, whose states are sent');

#
# Input and output, questions, what is told of a filter
#

is( sql(q{
	CREATE TABLE received (LIKE filters);
	SELECT bool_and(f = f::text::dummy AND f = f::bytea::dummy AND
		dummy_hash(f) = dummy_hash(f::text::dummy)), count(DISTINCT f::text) FROM filters}),
	't|7', 'text, bytea and comparison');
$node->command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-c',
		"COPY filters TO '$folder/copy' (FORMAT binary)", '-c',
		"COPY received FROM '$folder/copy' (FORMAT binary)" ],
	'binary copy');
is(sql(q{SELECT count(*) FROM filters JOIN received USING (name, f)}), '7', 'binary copy: the same');
is( sql(q{SELECT name, f @> 1, -1 <@ f, dummy_contains_any(f, '{-1,128}'::int[]),
		dummy_contains_all(f, '{1,128}'::int[]), dummy_contains_all(f, '{1,-1}'::int[]),
		dummy_missing(f, '{-1,1,-2}'::int[]), dummy_cardinality(f),
		dummy_current_fpp(f) BETWEEN 0 AND 0.01, layers, round(bytes::numeric, 2), probes
	FROM filters, dummy_overhead(f) ORDER BY name}),
	join("\n",
		'empty|f|f|f|f|f|{-1,1,-2}|0|t|0|1.00|1',
		'few|t|f|t|t|f|{-1,-2}|129|t|1|1.00|1',
		'full|t|f|t|t|f|{-1,-2}|5000|t|1|1.00|1',
		'hashed|t|f|t|t|f|{-1,-2}|5000|t|1|1.00|1',
		'list|t|f|t|t|f|{-1,-2}|128|t|0|1.00|1',
		'precise|t|f|t|t|f|{-1,-2}|20000|t|1|1.00|1',
		'roomy|t|f|t|t|f|{-1,-2}|5000|t|1|1.00|1'),
	'questions');
is( sql(q{SELECT dummy_sizing(128), dummy_sizing(129), dummy_sizing(1000000, 1e-6)}),
	'(1084,0,0,64)|(1180,33,16,65.48837209302326)|(16000188,250001,32,128.000512)', 'sizes');

#
# Estimates: with the rates of its layers, and not those of blocks
#

my $few = sql(q{SELECT f FROM filters WHERE name = 'few'});
my $list = sql(q{SELECT f FROM filters WHERE name = 'list'});
my $roomy = sql(q{SELECT f FROM filters WHERE name = 'roomy'});

is(expected_rows(q{SELECT FROM keys WHERE (SELECT dummy_agg(i) FROM keys WHERE i <= 100) @> i}),
	'100', 'estimate of an aggregate: a list');
is(expected_rows(q{SELECT FROM keys WHERE (SELECT dummy_agg(i) FROM keys WHERE i <= 1000) @> i}),
	'1001', 'estimate of an aggregate');
is(expected_rows(q{SELECT FROM keys WHERE (SELECT dummy_agg(i) FROM keys WHERE i <= 10000) @> i}),
	'10001', 'estimate of an aggregate that blocks are sized to the rate of');
is( expected_rows(
		q{SELECT FROM keys WHERE (SELECT dummy_agg(i, 4000, 0.02) FROM keys WHERE i <= 10000) @> i}),
	'10392', 'estimate of an aggregate with a capacity');
is(expected_rows("SELECT FROM keys WHERE '$list'::dummy \@> i"), '128', 'estimate of a constant list');
is(expected_rows("SELECT FROM keys WHERE '$few'::dummy \@> i"), '130', 'estimate of a constant');
is(expected_rows("SELECT FROM keys WHERE '$roomy'::dummy \@> i"), '5118', 'estimate of a constant that is roomy');

# by the cost, a list of more than 16 keys, then a layer that is not probed inline
is( sql(qq{EXPLAIN SELECT FROM keys WHERE '$list'::dummy \@> i AND '$few'::dummy \@> i}) =~
	  /Filter: \(\('\Q$few\E'::dummy \@> i\) AND/, 1, 'costs');

#
# Errors and their hints
#

my $of = q{FROM filters WHERE name = 'few'};
fails("SELECT dummy_add(f, 1) $of",
	'cannot add a key to a dummy filter',
	'A filter of this type is made of all its keys at once.',
	'Make another one, of these keys and the new one: dummy_agg(value).');
fails(q{SELECT dummy_add(f, 1) FROM filters WHERE name = 'empty'}, 'cannot add a key to a dummy filter');
fails("SELECT dummy_remove(f, 1) $of", 'stored "dummy" value is corrupted', 'It is of another kind of filter.');
fails('SELECT dummy_agg(i, 1e-12) FROM keys',
	'false-positive probability of 1e-12 is too low for a dummy filter',
	'Fingerprints of a dummy have at most 32 bits.',
	'Allow a higher probability, or use a filter that is no dummy.');
fails(
	"SELECT dummy_match(f, (SELECT dummy_agg(i) FROM keys)) $of",
	'cannot intersect filters of different geometry',
	'One has 33 bins with 16 bits of a fingerprint, the other has 5001 bins with 16 bits of a fingerprint.',
	'Build both with one capacity and false-positive probability: dummy_agg(value, capacity, fpp).');
fails(q{SELECT 'a'::dummy},
	'invalid input syntax for type dummy',
	'The value is not base64',
	'To make a filter use dummy_agg. In calls, the filter comes before the key: dummy_contains(filter, key).');
fails("SELECT dummy_agg(f) $of",
	'cannot use a value of type dummy as a key',
	'The type belongs to no key family.',
	'To ask about a key put the filter first: dummy_contains(filter, key).');
fails("SELECT f \@> ARRAY[1] $of",
	'cannot probe a filter of number keys with a key of family array',
	'Values', 'To ask about the elements of an array use dummy_contains_any or dummy_contains_all.');
fails('SELECT dummy_agg(i, 10) FROM keys',
	'false-positive probability must be greater than 0 and less than 1',
	'The probability', 'To give a capacity use the form with three arguments: dummy_agg(value, capacity, fpp).');
for my $case (
	[ 5, 2, 'A dummy filter has no growth, no flags, and one layer at most.' ],
	[ 6, 1, 'A dummy filter has no growth, no flags, and one layer at most.' ],
	[ 12, 2, 'A dummy filter has no growth, no flags, and one layer at most.' ],
	[ 64, 9, 'The length of a fingerprint is not 8, 16 or 32 bits.' ],
	[ 84, 1, 'A dummy filter has a limit on bits set.' ],
	[ 92, 1, 'The bins are not as full as the record of the layer says, or not in order.' ],
	[ 0, 4, 'It is of another kind of filter.' ])
{
	my ($at, $byte, $reason) = @$case;

	fails("SELECT set_byte(f::bytea, $at, $byte)::dummy $of",
		'cannot cast this bytea value to dummy', $reason);
}

#
# What is installed has no such kind
#

my $bytes = sql(q{SELECT encode(f::bytea, 'hex') FROM filters WHERE name = 'list'});
my %hints = (
	'ff' => 'To make a filter use',
	'05' => 'To make a filter use',
	'04' => 'Only the whole text of a value of type');    # that of a matrix

for my $type ('bloom', 'counting_bloom', 'cuckoo')
{
	for my $kind (sort keys %hints)
	{
		my $image = $kind . substr($bytes, 2);

		fails("SELECT '\\x$image'::bytea::$type", "cannot cast this bytea value to $type",
			'It is of another kind of filter.', undef, 'installed');
		fails("SELECT translate(encode('\\x$image', 'base64'), E'\\n', '')::$type",
			"invalid value for type $type", 'It is of another kind of filter.',
			$hints{$kind}, 'installed');
	}
}

# A function of that name in another library does not make a type one of ours.
$node->safe_psql(
	'installed', qq{
	CREATE SCHEMA elsewhere;
	CREATE TYPE elsewhere.bloom;
	CREATE FUNCTION elsewhere.bloom_in(cstring) RETURNS elsewhere.bloom
		AS '$folder/dummy_kind', 'bloomtype_bloom_in' LANGUAGE C IMMUTABLE STRICT;
	CREATE FUNCTION elsewhere.bloom_out(elsewhere.bloom) RETURNS cstring
		AS '$folder/dummy_kind', 'bloomtype_out' LANGUAGE C IMMUTABLE STRICT;
	CREATE TYPE elsewhere.bloom (INPUT = elsewhere.bloom_in, OUTPUT = elsewhere.bloom_out,
		ALIGNMENT = int4, STORAGE = external)});
fails("LOAD 'bloomtype'; SELECT bloom_key(bloom_create(1)::text::elsewhere.bloom)",
	'cannot use a value of type elsewhere.bloom as a key',
	'The type belongs to no key family.', 'Use x::text as the key.', 'installed');
fails('SELECT bloom_key(bloom_create(1))',
	'cannot use a value of type bloom as a key',
	'The type belongs to no key family.', 'To unite filters use a | b or bloom_union_agg.', 'installed');

$node->stop;
done_testing();
