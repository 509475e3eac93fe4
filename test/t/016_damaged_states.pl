# States of aggregates that were damaged on their way between nodes: each is
# refused, or makes a filter that can be stored, asked and told about.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use FreshCalls;
use Test::More;

my $node = fresh_server();
create_states($node);

# What becomes of states: the error, or a filter, which then is one that can be stored, asked
# and told about.  The name of the state tells the type.
my %filter_of = (
	bloom => [ q{fresh_combined('bloom_agg(bloom_key)', s)}, '(bloom_info(f)).layers IS NOT NULL' ],
	counting_bloom => [
		q{fresh_combined_counting('counting_bloom_agg(bloom_key)', s)},
		'(counting_bloom_info(f)).keys IS NOT NULL AND (bloom_info(f::bloom)).layers IS NOT NULL' ],
	cuckoo =>
	  [ q{fresh_combined_cuckoo('cuckoo_agg(bloom_key)', s)}, '(cuckoo_info(f)).keys IS NOT NULL' ]);

for my $type (sort keys %filter_of)
{
	my ($combined, $is_told) = @{ $filter_of{$type} };

	$node->safe_psql(
		'postgres', qq{
		CREATE FUNCTION ${type}_outcome(VARIADIC states bytea[]) RETURNS text LANGUAGE plpgsql AS \$\$
		DECLARE
			f $type;
		BEGIN
			SELECT $combined INTO f FROM unnest(states) s;
			BEGIN
				RETURN CASE WHEN f::bytea::$type = f AND f::text::$type = f AND $is_told AND
					f @> bloom_key(-1) IS NOT NULL THEN 'taken' ELSE 'no filter' END;
			EXCEPTION
				WHEN datatype_mismatch THEN
					RETURN 'taken';		-- of another family, or of nested keys
				WHEN OTHERS THEN
					RETURN 'no filter: ' || sqlerrm;
			END;
		EXCEPTION WHEN OTHERS THEN
			RETURN sqlerrm;
		END \$\$});
}
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION outcome(name text, VARIADIC states bytea[]) RETURNS text
	RETURN CASE WHEN name LIKE 'counting%' THEN counting_bloom_outcome(VARIADIC states)
		WHEN name LIKE 'cuckoo%' THEN cuckoo_outcome(VARIADIC states)
		ELSE bloom_outcome(VARIADIC states) END;

	-- as they stand in a message: little-endian
	CREATE FUNCTION reversed(b bytea) RETURNS bytea
	RETURN (SELECT string_agg(substr(b, i, 1), '' ORDER BY i DESC) FROM generate_series(1, length(b)) i);
	CREATE FUNCTION bytes(x float8) RETURNS bytea RETURN reversed(float8send(x));
	CREATE FUNCTION bytes(x bigint) RETURNS bytea RETURN reversed(int8send(x))});

is( $node->safe_psql(
		'postgres', q{
		SELECT string_agg(DISTINCT outcome(name, state) || outcome(name, other) ||
				outcome(name, state, other) || outcome(name, other, state) ||
				outcome(name, other, state, state, other), ' ')
		FROM whole}),
	'takentakentakentakentaken',
	'whole states are taken');

# version 1 byte, kind 1, capacity 8, rate 8, family 2, subtype 4, form 1;
# then the hashes or the blocks (core/aggregate_message.h)
my $form = qr/^invalid form of an aggregate state$/;
my $length = qr/^invalid length of an aggregate state$/;
my $family = qr/^invalid key family of an aggregate state$/;
my $capacity = qr/^invalid capacity of an aggregate state$/;
my $fpp = qr/^invalid false-positive rate of an aggregate state$/;
my $kind = qr/^unknown kind of an aggregate state$/;
my $other = qr/must not change within a group$/;
my $other_kind = qr/^states of different aggregates$/;
my $other_final = qr/^state of another aggregate$/;

sub put
{
	my ($bytes, $offset) = @_;
	return "overlay(state PLACING $bytes FROM $offset + 1)";
}

# Each case is the name of a state in a table, what is done to it, the bytes that it becomes, and
# why they are refused.
sub are_refused
{
	my ($table, @cases) = @_;

	for (@cases)
	{
		my ($state, $what, $bytes, $message) = @$_;

		like($node->safe_psql('postgres', "SELECT outcome(name, $bytes) FROM $table WHERE name = '$state'"),
			$message, "$table: $state: $what");
	}
	return;
}

# Of states that a query makes of those of a table, each is refused or makes a filter, alone and
# next to one that is whole.  There are more than so many, of which more than so many are refused,
# and more than so many are not.
sub are_harmless
{
	my ($table, $nstates, $nrefused, $ntaken, $query) = @_;

	is( $node->safe_psql(
			'postgres', qq{
			SET statement_timeout = '120s';
			SET client_min_messages = error;
			SELECT setseed(0.5);
			CREATE TEMP TABLE damaged AS $query;
			CREATE TEMP TABLE result AS
				SELECT name, outcome(name, state) AS alone,
					outcome(name, state, other, state) AS before, outcome(name, other, state) AS after
				FROM damaged;
			SELECT count(*) > $nstates, count(*) FILTER (WHERE alone <> 'taken') > $nrefused,
				count(*) FILTER (WHERE alone = 'taken') > $ntaken
			FROM result;
			SELECT name, r, count(*) FROM result, LATERAL (VALUES (alone), (before), (after)) v(r)
			WHERE r LIKE 'no filter%' GROUP BY 1, 2 ORDER BY 1, 2}),
		"\nt|t|t",
		"$table: damaged states are refused, or make a filter that is one");
	return;
}

are_refused(
	'whole',
	[ 'list', 'version 0', put("'\\x00'", 0), qr/^unknown version/ ],
	[ 'list', 'version 1', put("'\\x01'", 0), qr/^unknown version/ ],
	[ 'layer', 'version 255', put("'\\xff'", 0), qr/^unknown version/ ],
	[ 'list', 'kind 0', put("'\\x00'", 1), $kind ],
	[ 'layer', 'kind 4', put("'\\x04'", 1), $kind ],
	[ 'hashes', 'kind 255', put("'\\xff'", 1), $kind ],
	[ 'layer', 'blocks of a cuckoo filter', put("'\\x03'", 1), $form ],
	[ 'layer', 'bits as counters', put("'\\x02'", 1), $length ],
	[ 'list', 'state of counting_bloom_agg', put("'\\x02'", 1), $other_final ],
	[ 'list', 'state of cuckoo_agg', put("'\\x03'", 1), $other_final ],
	[ 'nulls', 'state of cuckoo_agg', put("'\\x03'", 1), $other_final ],
	[ 'list', 'negative capacity', put('bytes(-1::bigint)', 2), $capacity ],
	[ 'layer', 'least capacity', put("bytes('-9223372036854775808'::bigint)", 2), $capacity ],
	[ 'layer', 'capacity too large', put('bytes(9223372036854775807)', 2), qr/^filter for .* is too large$/ ],
	[ 'layer', 'capacity of a larger layer', put('bytes(10000::bigint)', 2), $length ],
	[ 'layer', 'no capacity', put('bytes(0::bigint)', 2), $form ],
	[ 'list', 'capacity too large', put('bytes(9223372036854775807)', 2), qr/^filter for .* is too large$/ ],
	[ 'list', 'rate 0', put('bytes(0::float8)', 10), $fpp ],
	[ 'list', 'rate 1', put('bytes(1::float8)', 10), $fpp ],
	[ 'layer', 'rate -1', put('bytes(-1::float8)', 10), $fpp ],
	[ 'list', 'rate NaN', put("bytes('NaN'::float8)", 10), $fpp ],
	[ 'layer', 'rate NaN', put("bytes('NaN'::float8)", 10), $fpp ],
	[ 'layer', 'rate infinity', put("bytes('Infinity'::float8)", 10), $fpp ],
	[ 'layer', 'rate of a larger layer', put('bytes(0.0001::float8)', 10), $length ],
	[ 'list', 'no family', put("'\\x0000'", 18), $family ],
	[ 'layer', 'no family', put("'\\x0000'", 18), $family ],
	[ 'nulls', 'a family without keys', put("'\\x0200'", 18), $family ],
	[ 'list', 'unknown family', put("'\\x1100'", 18), $family ],
	[ 'hashes', 'unknown family', put("'\\x0201'", 18), $family ],
	[ 'list', 'a subtype where there is none', put("'\\x01000000'", 20), $family ],
	[ 'layer', 'a subtype where there is none', put("'\\x00000001'", 20), $family ],
	[ 'nulls', 'a subtype without keys', put("'\\x00000001'", 20), $family ],
	[ 'list', 'a layer that is none', put("'\\x01'", 24), $form ],
	[ 'layer', 'an unknown form', put("'\\x02'", 24), $form ],
	[ 'list of a capacity', 'a layer that is none', put("'\\x01'", 24), $length ],
	[ 'list', 'one byte less', 'substr(state, 1, length(state) - 1)', $length ],
	[ 'list', 'one byte more', "state || '\\x00'", $length ],
	[ 'list', 'no hashes', 'substr(state, 1, 25)', $family ],
	[ 'hashes', 'half a hash less', 'substr(state, 1, length(state) - 4)', $length ],
	[ 'layer', 'one byte less', 'substr(state, 1, length(state) - 1)', $length ],
	[ 'layer', 'one block less', 'substr(state, 1, length(state) - 64)', $length ],
	[ 'layer', 'one block more', "state || decode(repeat('00', 65), 'hex')", $length ],
	[ 'layer', 'no blocks', 'substr(state, 1, 25)', $length ],
	[ 'list', 'half of the head', 'substr(state, 1, 12)', $length ],
	[ 'list', 'no bytes', "''::bytea", $length ]);

# What could be true is refused next to a state that it does not go with.
for (
	[ 'counting_bloom_agg', put("'\\x02'", 1), $other_kind ],
	[ 'cuckoo_agg', put("'\\x03'", 1), $other_kind ],
	[ 'another capacity', put('bytes(201::bigint)', 2), $other ],
	[ 'a capacity', put('bytes(200::bigint)', 2), $other ],
	[ 'another rate', put('bytes(0.02::float8)', 10), $other ],
	[ 'another family', put("'\\x0400'", 18), qr/^cannot add a key of family/ ])
{
	my ($name, $bytes, $message) = @$_;

	for my $order ("$bytes, other", "other, $bytes")
	{
		like($node->safe_psql('postgres', "SELECT outcome(name, $order) FROM whole WHERE name = 'hashes'"),
			$message, $name);
	}
}

# Each byte of the head, all lengths of it, and chance.
are_harmless('whole', 1000, 500, 100, q{
		SELECT name, other, set_byte(state, b, get_byte(state, b) # m) AS state
		FROM whole, generate_series(0, 24) b, unnest(ARRAY[1, 2, 16, 128, 255]) m
		UNION ALL
		SELECT name, other, substr(state, 1, l)
		FROM whole, generate_series(0, 401) l WHERE l < length(state) AND (l < 60 OR l % 8 < 2)
		UNION ALL
		SELECT name, other, state || decode(repeat('a5', l), 'hex') FROM whole, generate_series(1, 18) l
		UNION ALL
		SELECT name, other, set_byte(set_byte(state, (random() * (length(state) - 1))::int, m),
			(random() * least(length(state) - 1, 60))::int, 255 - m)
		FROM whole, generate_series(0, 250, 6) m});

# The same of the two other kinds: each as it is, then damaged.
is( $node->safe_psql(
		'postgres', q{
		SELECT string_agg(DISTINCT outcome(name, state) || outcome(name, other) ||
				outcome(name, state, other) || outcome(name, other, state, state, other), ' ')
		FROM deletable_whole;
		SELECT name, get_byte(state, 1), get_byte(state, 24) FROM deletable_whole
		WHERE name ~ 'layer|hashes|capacity' ORDER BY name}),
	"takentakentakentaken\ncounting hashes|2|0\ncounting layer|2|1\ncuckoo capacity|3|0\ncuckoo hashes|3|0",
	'whole states of the other kinds are taken');

are_refused(
	'deletable_whole',
	[ 'counting layer', 'a state of bloom_agg', put("'\\x01'", 1), $length ],
	[ 'counting layer', 'a state of cuckoo_agg', put("'\\x03'", 1), $form ],
	[ 'counting layer', 'no capacity', put('bytes(0::bigint)', 2), $form ],
	[ 'counting layer', 'one block less', 'substr(state, 1, length(state) - 256)', $length ],
	[ 'counting layer', 'a quarter of a block less', 'substr(state, 1, length(state) - 64)', $length ],
	[ 'counting layer', 'one block more', "state || decode(repeat('00', 256), 'hex')", $length ],
	[ 'counting hashes', 'a state of bloom_agg', put("'\\x01'", 1), $other_final ],
	[ 'counting hashes', 'a state of cuckoo_agg', put("'\\x03'", 1), $other_final ],
	[ 'counting hashes', 'a layer that is none', put("'\\x01'", 24), $form ],
	[ 'cuckoo hashes', 'a state of bloom_agg', put("'\\x01'", 1), $other_final ],
	[ 'cuckoo hashes', 'a state of counting_bloom_agg', put("'\\x02'", 1), $other_final ],
	[ 'cuckoo hashes', 'a layer', put("'\\x01'", 24), $form ],
	[ 'cuckoo capacity', 'a layer', put("'\\x01'", 24), $form ],
	[ 'cuckoo capacity', 'too small a capacity', put('bytes(10::bigint)', 2), qr/^too many keys for the capacity of a cuckoo filter$/ ],
	[ 'cuckoo capacity', 'a rate too low', put('bytes(1e-12::float8)', 10), qr/ is too low for a cuckoo filter$/ ],
	[ 'cuckoo hashes', 'half a hash less', 'substr(state, 1, length(state) - 4)', $length ],
	[ 'cuckoo nulls', 'a family without keys', put("'\\x0200'", 18), $family ]);
for my $kind (1 .. 3)
{
	my $bytes = put("'\\x0$kind'", 1);

	is( $node->safe_psql(
			'postgres', qq{
			SELECT DISTINCT o FROM deletable_whole,
				LATERAL (VALUES (outcome(name, $bytes, other)), (outcome(name, other, $bytes))) v(o)
			WHERE name LIKE '% hashes' AND get_byte(state, 1) <> $kind}),
		'states of different aggregates',
		"state of kind $kind next to one of another");
}

# counters that are all zero are of no key
is( $node->safe_psql(
		'postgres', q{
		SELECT outcome(name, substr(state, 1, 25) || decode(repeat('00', length(state) - 25), 'hex'))
			LIKE 'no filter%' FROM deletable_whole WHERE name = 'counting layer'}),
	'f', 'a layer without keys is refused, or makes a filter that is one');

are_harmless('deletable_whole', 1000, 500, 100, q{
		SELECT name, other, set_byte(state, b, get_byte(state, b) # m) AS state
		FROM deletable_whole, generate_series(0, 24) b, unnest(ARRAY[1, 2, 3, 16, 128, 255]) m
		WHERE b NOT IN (4, 5)	-- capacities of millions take their time
		UNION ALL
		SELECT name, other, substr(state, 1, l)
		FROM deletable_whole, generate_series(0, 400) l WHERE l < length(state) AND (l < 60 OR l % 8 < 2)
		UNION ALL
		SELECT name, other, state || decode(repeat('a5', l), 'hex')
		FROM deletable_whole, generate_series(1, 17) l
		UNION ALL
		SELECT name, other, set_byte(set_byte(state, 8 + (random() * (length(state) - 9))::int, m),
			8 + (random() * least(length(state) - 9, 52))::int, 255 - m)
		FROM deletable_whole, generate_series(0, 250, 5) m});

# The same of external_bloom_agg: version 1 byte, length of the name 1, the name,
# capacity 8, parameter 8, has a filter 1; then the bits or the hashes.
create_external_states($node);
$node->safe_psql(
	'postgres', q{
	-- a filter is in the format that the first state names
	CREATE OR REPLACE FUNCTION outcome(name text, VARIADIC states bytea[]) RETURNS text
	LANGUAGE plpgsql AS $$
	DECLARE
		f bytea;
		format text;
	BEGIN
		f := external_combined(VARIADIC states);
		format := convert_from(substr(states[1], 3, get_byte(states[1], 1)), 'UTF8');
		BEGIN
			RETURN CASE WHEN (external_bloom_info(f, format)).probes > 0 AND
				external_bloom_contains(f, format, 'a'::text) IS NOT NULL AND
				external_bloom_contains(external_bloom_add(f, format, '1'::text), format, '1'::text)
				THEN 'taken' ELSE 'no filter' END;
		EXCEPTION
			WHEN program_limit_exceeded THEN
				RETURN 'taken';		-- but full
			WHEN feature_not_supported THEN
				RETURN 'taken';		-- in a format of numbers
			WHEN OTHERS THEN
				RETURN 'no filter: ' || sqlerrm;
		END;
	EXCEPTION WHEN OTHERS THEN
		RETURN sqlerrm;
	END $$;

	-- in order, what is behind the name
	CREATE FUNCTION behind_name(state bytea, at int) RETURNS int RETURN 2 + get_byte(state, 1) + at});

is( $node->safe_psql(
		'postgres', q{
		SELECT string_agg(DISTINCT outcome(name, state) || outcome(name, other) ||
				outcome(name, state, other) || outcome(name, other, state, state, other), ' ')
		FROM external_whole;
		SELECT count(*), sum(get_byte(state, behind_name(state, 16))) FROM external_whole}),
	"takentakentakentaken\n13|4",
	'whole states of external_bloom_agg are taken');

# the first bytes replaced, or those at an offset behind the name
sub named
{
	my ($name, $length) = @_;
	$length //= length $name;
	return "set_byte('\\x0200', 1, $length) || '$name'::bytea || substr(state, 3 + get_byte(state, 1))";
}

sub put_behind
{
	my ($bytes, $offset) = @_;
	return "overlay(state PLACING $bytes FROM 1 + behind_name(state, $offset))";
}

my $format = qr/^unknown format of an aggregate state$/;
my $external_capacity = qr/^(invalid capacity of an aggregate state|cannot make a filter of format .*)$/;
my $bits = qr/^invalid number of bits per key of an aggregate state$/;
are_refused(
	'external_whole',
	[ 'go hashes', 'version 0', put("'\\x00'", 0), qr/^unknown version/ ],
	[ 'go filter', 'version 1', put("'\\x01'", 0), qr/^unknown version/ ],
	[ 'go hashes', 'no name', named(''), $format ],
	[ 'go hashes', 'half a name', named('go', 1), $format ],
	[ 'go filter', 'a name and more', named('go', 3), $format ],
	[ 'go filter', 'an unknown name', named('GO'), $format ],
	[ 'go filter', 'a name that is no text', "'\\x0202ff00'::bytea || substr(state, 5)", $format ],
	[ 'go filter', 'a name of 255 bytes', named('go', 255), $format ],
	[ 'go hashes', 'a name longer than the message', "'\\x02ff676f'::bytea", $length ],
	[ 'guava hashes', 'another format of other hashes', named('go'), $length ],
	[ 'go filter', 'another format of other bits', named('parquet'), $length ],
	[ 'go filter', 'a format that counts its keys', named('redis'), $form ],
	[ 'guava filter', 'a format without a capacity', named('leveldb'), $bits ],
	[ 'go hashes', 'negative capacity', put_behind('bytes(-1::bigint)', 0), $external_capacity ],
	[ 'go filter', 'least capacity', put_behind("bytes('-9223372036854775808'::bigint)", 0), $external_capacity ],
	[ 'go filter', 'capacity too large', put_behind('bytes(9223372036854775807)', 0), $external_capacity ],
	[ 'redis capacity', 'capacity too large', put_behind('bytes(9223372036854775807)', 0), $external_capacity ],
	[ 'redis capacity', 'too small a capacity', put_behind('bytes(9::bigint)', 0), qr/^too many keys for a filter of format "redis"/ ],
	[ 'go filter', 'capacity of a larger filter', put_behind('bytes(10000::bigint)', 0), $length ],
	[ 'go filter', 'capacity of a smaller filter', put_behind('bytes(1::bigint)', 0), $length ],
	[ 'go filter', 'no capacity', put_behind('bytes(0::bigint)', 0), $form ],
	[ 'go hashes', 'rate 0', put_behind('bytes(0::float8)', 8), $fpp ],
	[ 'go hashes', 'rate 1', put_behind('bytes(1::float8)', 8), $fpp ],
	[ 'parquet filter', 'rate -1', put_behind('bytes(-1::float8)', 8), $fpp ],
	[ 'redis hashes', 'rate NaN', put_behind("bytes('NaN'::float8)", 8), $fpp ],
	[ 'spark_v2 filter', 'rate infinity', put_behind("bytes('Infinity'::float8)", 8), $fpp ],
	[ 'parquet filter', 'least rate', put_behind("bytes(5e-324::float8)", 8), qr/^cannot make a filter/ ],
	[ 'go filter', 'rate of a larger filter', put_behind('bytes(0.0001::float8)', 8), $length ],
	map({ [ 'leveldb hashes', "$_ bits per key", put_behind("bytes('$_'::float8)", 8), $bits ] }
		qw(NaN Infinity -Infinity 0 -10 0.5 10.5 1e300 2147483648)),
	[ 'go hashes', 'a filter that is none', put_behind("'\\x01'", 16), $form ],
	[ 'redis capacity', 'a filter that counts its keys', put_behind("'\\x01'", 16), $form ],
	[ 'parquet capacity', 'a filter that is none', put_behind("'\\x01'", 16), $length ],
	[ 'go filter', 'an unknown form', put_behind("'\\x02'", 16), $form ],
	[ 'go filter', 'one byte less', 'substr(state, 1, length(state) - 1)', $length ],
	[ 'go filter', 'one byte more', "state || '\\x00'", $length ],
	[ 'go filter', 'no bits', 'substr(state, 1, behind_name(state, 17))', $length ],
	[ 'go hashes', 'one word less', 'substr(state, 1, length(state) - 8)', $length ],
	[ 'guava hashes', 'half a hash more', "state || '\\x0102030405060708'", $length ],
	[ 'spark_v1 hashes', 'half a hash less', 'substr(state, 1, length(state) - 4)', $length ],
	[ 'go hashes', 'half of the head', 'substr(state, 1, 12)', $length ],
	[ 'go hashes', 'no bytes', "''::bytea", $length ]);

# no hashes are those of no keys
is($node->safe_psql('postgres', q{
		SELECT outcome(name, substr(state, 1, behind_name(state, 17))) FROM external_whole
		WHERE name = 'go hashes'}),
	'taken', 'external_bloom_agg: no hashes');

# Every byte of a state, each with several others, and all lengths.
are_harmless('external_whole', 5000, 2000, 2000, q{
		SELECT name, other, set_byte(state, b, get_byte(state, b) # m) AS state
		FROM external_whole, generate_series(0, 500) b, unnest(ARRAY[1, 2, 3, 16, 128, 255]) m
		WHERE b < length(state) AND (m = 1 OR b <= behind_name(state, 24)) AND
			-- capacities of millions take their time
			b NOT BETWEEN behind_name(state, 2) AND behind_name(state, 4)
		UNION ALL
		SELECT name, other, substr(state, 1, l)
		FROM external_whole, generate_series(0, 500) l WHERE l < length(state)
		UNION ALL
		SELECT name, other, state || decode(repeat('a5', l), 'hex')
		FROM external_whole, generate_series(1, 33) l});

finish($node);
done_testing();
