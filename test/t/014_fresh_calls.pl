# Functions called as engines do that spread a query over machines: with a new
# FmgrInfo for every row, without the parsed expression, and with the states of
# aggregates as bytes between nodes.

use strict;
use warnings FATAL => 'all';

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# another server may have left its own there
my $folder = "$FindBin::RealBin/../modules/fresh_calls";
my @make = (
	'make', '-s', '-C', $folder, 'with_llvm=no',
	'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
	'COPT=-Wextra -Wno-unused-parameter -Werror');
system_or_bail(@make, 'clean');
command_ok(\@make, 'the module is built');

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;

# All keys up to 100,000, in no order, a third of them twice, and nulls; copies
# of a key are in different shards.
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION bloomtype;

	CREATE FUNCTION fresh_transition(internal, regprocedure, VARIADIC "any") RETURNS internal
		AS '$folder/fresh_calls' LANGUAGE C;
	CREATE FUNCTION fresh_serialize(internal) RETURNS bytea
		AS '$folder/fresh_calls' LANGUAGE C;
	CREATE FUNCTION fresh_combine(internal, regprocedure, bytea) RETURNS internal
		AS '$folder/fresh_calls' LANGUAGE C;
	CREATE FUNCTION fresh_final(internal) RETURNS bloom
		AS '$folder/fresh_calls' LANGUAGE C;
	CREATE FUNCTION fresh_final_counting(internal) RETURNS counting_bloom
		AS '$folder/fresh_calls', 'fresh_final' LANGUAGE C;
	CREATE FUNCTION fresh_final_cuckoo(internal) RETURNS cuckoo
		AS '$folder/fresh_calls', 'fresh_final' LANGUAGE C;
	CREATE FUNCTION fresh_call(regprocedure, VARIADIC "any") RETURNS text
		AS '$folder/fresh_calls' LANGUAGE C;

	CREATE AGGREGATE fresh_partial(regprocedure, VARIADIC "any")
		(SFUNC = fresh_transition, STYPE = internal, FINALFUNC = fresh_serialize);
	CREATE AGGREGATE fresh_combined(regprocedure, bytea)
		(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final);
	CREATE AGGREGATE fresh_combined_counting(regprocedure, bytea)
		(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final_counting);
	CREATE AGGREGATE fresh_combined_cuckoo(regprocedure, bytea)
		(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final_cuckoo);
	CREATE AGGREGATE fresh_whole(regprocedure, VARIADIC "any")
		(SFUNC = fresh_transition, STYPE = internal, FINALFUNC = fresh_final);

	CREATE TABLE keys AS
		SELECT n, x, bloom_key(x) AS k
		FROM (SELECT n, nullif(n::bigint * 61 % 100003, 0) AS x FROM generate_series(1, 133333) n) s
		WHERE x <= 100000 OR x IS NULL
		UNION ALL
		SELECT n, NULL, NULL FROM generate_series(1, 1000) n;
	ANALYZE;
});

# The aggregates over keys, each with the rest of its arguments.
my @aggregates = (
	[ 'bloom_agg(bloom_key)', '' ],
	[ 'bloom_agg(bloom_key, float8)', ', 0.0005::float8' ],
	[ 'bloom_agg(bloom_key, bigint, float8)', ', NULL::bigint, 0.02::float8' ],
	[ 'bloom_agg(bloom_key, bigint, float8)', ', 2000::bigint, 0.01::float8' ],
	[ 'bloom_agg(bloom_key, bigint, float8)', ', 150000::bigint, 0.001::float8' ]);
my @sizes = (0, 1, 128, 129, 5000, 100000);

# past the capacity there is a warning
my $quiet = 'SET client_min_messages = error; SET max_parallel_workers_per_gather = 0;';

#
# What an engine decides on
#

is( $node->safe_psql(
		'postgres', q{
		SELECT aggfnoid::regprocedure, aggkind, aggtranstype::regtype, prokind
		FROM pg_aggregate a JOIN pg_proc p ON p.oid = aggfnoid
		WHERE proname = 'bloom_agg' AND aggcombinefn <> 0 AND aggserialfn <> 0 AND
			aggdeserialfn <> 0 AND aggfinalfn <> 0 AND NOT aggfinalextra AND agginitval IS NULL AND
			NOT EXISTS (SELECT FROM unnest(proargtypes) t JOIN pg_type ON pg_type.oid = t
						WHERE typtype = 'p')
		ORDER BY pronargs}),
	"bloom_agg(bloom_key)|n|internal|a
bloom_agg(bloom_key,double precision)|n|internal|a
bloom_agg(bloom_key,bigint,double precision)|n|internal|a",
	'aggregates of concrete types whose states can travel');
is( $node->safe_psql(
		'postgres', q{
		SELECT aggfnoid::regprocedure FROM pg_aggregate JOIN pg_type t ON t.oid = aggtranstype
		WHERE aggfnoid::regproc::text IN ('bloom_union_agg', 'bloom_intersection_agg') AND
			aggcombinefn <> 0 AND typtype <> 'p'
		ORDER BY aggfnoid::regproc::text}),
	"bloom_intersection_agg(bloom)\nbloom_union_agg(bloom)", 'aggregates whose states are filters');
is( $node->safe_psql(
		'postgres', q{
		SELECT typname FROM pg_type
		WHERE typname IN ('bloom', 'bloom_key', 'counting_bloom', 'cuckoo') AND
			typsend <> 0 AND typreceive <> 0
		ORDER BY 1}),
	"bloom\nbloom_key\ncounting_bloom\ncuckoo", 'types that travel in binary');

#
# The aggregates
#

# md5 of what an expression makes of each aggregate, in lines "size: md5 md5 ...".
sub digests
{
	my ($expression) = @_;

	return $node->safe_psql(
		'postgres',
		$quiet . join '',
		map {
			"WITH chosen AS MATERIALIZED (SELECT * FROM keys WHERE x IS NULL OR x <= $_)
			SELECT '$_:', "
			  . join(', ', map { 'md5((' . $expression->(@$_) . ')::bytea)' } @aggregates) . ';'
		} @sizes);
}

# The way through states of so many shards, and one without rows.
sub distributed
{
	my ($aggregate, $arguments, $table, $shards) = @_;

	return qq{SELECT fresh_combined('$aggregate', (
			SELECT fresh_partial('$aggregate', k $arguments) FROM $table WHERE n % $shards = shard))
		FROM generate_series(0, $shards) shard};
}

my $expected = digests(sub { "SELECT bloom_agg(x $_[1]) FROM chosen" });

is( $node->safe_psql(
		'postgres', 'SELECT count(x), count(DISTINCT x), count(*) - count(x) FROM keys'),
	'133330|100000|1001',
	'a table with duplicates and nulls');
is(scalar(() = $expected =~ /^\d+:(\|[0-9a-f]{32}){5}$/mg), scalar @sizes, 'the filters of values');
is(digests(sub { "SELECT bloom_agg(k $_[1]) FROM chosen" }), $expected, 'keys');
is(digests(sub { "SELECT fresh_whole('$_[0]', k $_[1]) FROM chosen" }), $expected, 'without states');
for my $shards (1, 2, 7)
{
	is(digests(sub { distributed(@_, 'chosen', $shards) }), $expected, "states of shards: $shards");
}

for (@aggregates)
{
	my ($aggregate, $arguments) = @$_;

	is( $node->safe_psql(
			'postgres', qq{$quiet
			SELECT fresh_partial('$aggregate', k $arguments) IS NULL FROM keys WHERE false;
			SELECT fresh_combined('$aggregate', NULL) = bloom_create(1) FROM generate_series(1, 3);
			SELECT fresh_combined('$aggregate', NULL) = bloom_create(1) WHERE false;
			SELECT fresh_whole('$aggregate', k $arguments) = bloom_create(1) FROM keys WHERE false;
			SELECT bloom_agg(k $arguments) = bloom_create(1) FROM keys WHERE false}),
		join("\n", ('t') x 5),
		"no rows: $aggregate$arguments");
}

# groups, which meet in another order than they were made
for my $arguments ('', ', 100::bigint, 0.01::float8')
{
	my $aggregate =
	  $arguments ? 'bloom_agg(bloom_key, bigint, float8)' : 'bloom_agg(bloom_key)';

	is( $node->safe_psql(
			'postgres', qq{$quiet
			SELECT count(*), count(*) FILTER (WHERE f = g)
			FROM (SELECT i, fresh_combined('$aggregate', state ORDER BY md5(state)) AS f
				  FROM (SELECT x % 300 AS i, n % 5, fresh_partial('$aggregate', k $arguments) AS state
						FROM keys GROUP BY 1, 2) s GROUP BY 1) a
			JOIN (SELECT x % 300 AS i, bloom_agg(x $arguments) AS g FROM keys GROUP BY 1) b
				ON a.i IS NOT DISTINCT FROM b.i}),
		'301|301',
		"groups: $aggregate$arguments");
}

# keys with a signature
is( $node->safe_psql(
		'postgres', $quiet . q{
		CREATE TABLE nested AS SELECT n, x, bloom_key(ROW(x, x::text)) AS k FROM keys WHERE x <= 5000;
		SELECT (} . distributed('bloom_agg(bloom_key)', '', 'nested', 3) . q{) =
			(SELECT bloom_agg(ROW(x, x::text)) FROM nested)}),
	't', 'keys of rows');

# what becomes of the rows before
is( $node->safe_psql(
		'postgres', $quiet . q{
		SELECT fresh_whole('bloom_agg(bloom_key)', k) FILTER (WHERE x % 2 = 0) =
				bloom_agg(x) FILTER (WHERE x % 2 = 0),
			fresh_whole('bloom_agg(bloom_key)', k ORDER BY n DESC) = bloom_agg(x)
		FROM keys;
		SELECT fresh_whole('bloom_agg(bloom_key)', k) = (SELECT bloom_agg(DISTINCT x) FROM keys)
		FROM (SELECT DISTINCT k FROM keys) d}),
	"t|t\nt",
	'FILTER, ORDER BY, DISTINCT');

# What goes wrong in the pieces is said as it is in the whole.
sub refused
{
	my ($query, $message, $name) = @_;
	my (undef, undef, $stderr) = $node->psql('postgres', $query);

	like($stderr, qr/ERROR:.*$message/, $name);
}

sub of_states
{
	my ($aggregate, @selects) = @_;
	return "SELECT fresh_combined('$aggregate', state) FROM ("
	  . join(' UNION ALL ', map { "SELECT fresh_partial('$aggregate', $_)" } @selects)
	  . ') x(state)';
}

refused(
	of_states('bloom_agg(bloom_key)', 'bloom_key(1)', "bloom_key('a')"),
	qr/cannot add a key of family text to a filter of number keys/,
	'states of two families');
refused(
	of_states('bloom_agg(bloom_key)', 'bloom_key(ROW(1))', 'bloom_key(ROW(true))'),
	qr/cannot add a different kind of row to a filter of row keys/,
	'states of two kinds of rows');
refused(
	of_states('bloom_agg(bloom_key, float8)', 'bloom_key(1), 0.1::float8', 'bloom_key(1), 0.2::float8'),
	qr/must not change within a group/,
	'states of two probabilities');
refused(
	"SELECT fresh_partial('bloom_agg(bloom_key, bigint, float8)', k, 1000 + x, 0.01::float8) FROM keys",
	qr/must not change within a group/,
	'rows of two capacities');
refused(
	"SELECT fresh_partial('bloom_agg(bloom_key, float8)', k, 1000::float8) FROM keys",
	qr/must be greater than 0 and less than 1/,
	'a probability out of range');
refused(
	"SELECT fresh_partial('bloom_agg(bloom_key, float8)', k, NULL::float8) FROM keys",
	qr/must not be null/,
	'no probability');
for my $name (qw(bloom_agg counting_bloom_agg cuckoo_agg))
{
	refused(
		"SELECT fresh_partial('$name(anycompatible$_->[0])', x$_->[1]) FROM keys",
		qr/could not determine the type of the key/,
		"an aggregate that is polymorphic: $name(anycompatible$_->[0])")
	  for [ '', '' ], [ ', float8', ', 0.1::float8' ],
	  [ ', bigint, float8', ', 1000::bigint, 0.1::float8' ];
}

my (undef, undef, $stderr) = $node->psql('postgres',
	'WITH chosen AS (SELECT * FROM keys) '
	  . distributed('bloom_agg(bloom_key, bigint, float8)', ', 2000::bigint, 0.01::float8', 'chosen', 3));
is(scalar(() = $stderr =~ /WARNING:  filter holds more keys than its capacity/g),
	1, 'past the capacity there is one warning');

#
# The states of counting_bloom_agg and cuckoo_agg
#

# Made as in a query, since the type of a value must be known; from there on as
# engines do.
$node->safe_psql(
	'postgres', q{
	CREATE AGGREGATE counting_partial(anycompatible)
		(SFUNC = counting_bloom_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize);
	CREATE AGGREGATE counting_partial(anycompatible, float8)
		(SFUNC = counting_bloom_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize);
	CREATE AGGREGATE counting_partial(anycompatible, bigint, float8)
		(SFUNC = counting_bloom_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize);
	CREATE AGGREGATE cuckoo_partial(anycompatible)
		(SFUNC = cuckoo_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize);
	CREATE AGGREGATE cuckoo_partial(anycompatible, float8)
		(SFUNC = cuckoo_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize);
	CREATE AGGREGATE cuckoo_partial(anycompatible, bigint, float8)
		(SFUNC = cuckoo_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize)});

# short name and aggregate of each type, and the types of its arguments
my %of_type = (counting => 'counting_bloom', cuckoo => 'cuckoo');
my @forms = (
	[ '(anycompatible)', '' ],
	[ '(anycompatible, float8)', ', 0.0005' ],
	[ '(anycompatible, bigint, float8)', ', NULL::bigint, 0.02' ],
	[ '(anycompatible, bigint, float8)', ', 120000, 0.001' ]);

for my $short (sort keys %of_type)
{
	my $agg = "$of_type{$short}_agg";

	for (@forms)
	{
		my ($types, $arguments) = @$_;
		my $sql = $quiet . join '', map {
			my $size = $_;
			"WITH chosen AS MATERIALIZED (SELECT n, x FROM keys WHERE x IS NULL OR x <= $size),
				whole AS MATERIALIZED (SELECT $agg(x$arguments) AS f FROM chosen)
			SELECT $size"
			  . join('', map {
				", (SELECT fresh_combined_$short('$agg$types', (
						SELECT ${short}_partial(x$arguments) FROM chosen WHERE n % $_ = shard))
					FROM generate_series(0, $_) shard) = f" } 1, 2, 7)
			  . ' FROM whole;'
		} @sizes;

		is($node->safe_psql('postgres', $sql), join("\n", map { "$_|t|t|t" } @sizes),
			"states of shards: $agg(x$arguments)");
		is( $node->safe_psql(
				'postgres', qq{
				SELECT fresh_combined_$short('$agg$types', NULL) = $of_type{$short}_create(1)
				FROM generate_series(1, 3);
				SELECT fresh_combined_$short('$agg$types', NULL) = $of_type{$short}_create(1) WHERE false}),
			"t\nt",
			"no rows: $agg(x$arguments)");
	}

	refused(
		"SELECT fresh_combined_$short('${agg}(anycompatible)', s) FROM (
			SELECT ${short}_partial(1) UNION ALL SELECT ${short}_partial('a'::text)) x(s)",
		qr/cannot add a key of family (text|number) to a filter of (number|text) keys/,
		"$agg: states of two families");
}

# a key that is 16 times in each of two shards is at the limit, not past it
is( $node->safe_psql(
		'postgres', q{
		SELECT fresh_combined_counting('counting_bloom_agg(anycompatible)', s) =
			(SELECT counting_bloom_agg(i % 100) FROM generate_series(1, 1500) i)
		FROM (SELECT counting_partial(i % 100) FROM generate_series(1, 1600) i, generate_series(1, 2) shard
			  GROUP BY shard) x(s)}),
	't', 'a counter is at its limit whatever the shards');

# cuckoo filters that are full say so at the end
refused(
	q{SELECT fresh_combined_cuckoo('cuckoo_agg(anycompatible, bigint, float8)', s) FROM (
		SELECT cuckoo_partial(x, 2000, 0.01) FROM keys GROUP BY n % 3) x(s)},
	qr/too many keys for the capacity of a cuckoo filter/,
	'states of too many keys for a cuckoo filter');

#
# States that were damaged on their way
#

# What becomes of a state: the error, or a filter, which then is one that can be
# stored, asked and told about.  Alone, and next to one that is whole.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION checked(f bloom) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		IF f::bytea::bloom = f AND f::text::bloom = f AND (bloom_info(f)).layers IS NOT NULL AND
			bloom_contains(f, bloom_key(-1)) IS NOT NULL THEN
			RETURN 'taken';
		END IF;
		RETURN 'no filter';
	EXCEPTION
		WHEN datatype_mismatch THEN
			RETURN 'taken';		-- of another family, or of nested keys
		WHEN OTHERS THEN
			RETURN 'no filter: ' || sqlerrm;
	END $$;

	CREATE FUNCTION outcome(VARIADIC states bytea[]) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		f bloom;
	BEGIN
		SELECT fresh_combined('bloom_agg(bloom_key)', s) INTO f FROM unnest(states) s;
		RETURN checked(f);
	EXCEPTION WHEN OTHERS THEN
		RETURN sqlerrm;
	END $$;

	CREATE FUNCTION counting_outcome(VARIADIC states bytea[]) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		f counting_bloom;
	BEGIN
		SELECT fresh_combined_counting('counting_bloom_agg(anycompatible)', s) INTO f FROM unnest(states) s;
		BEGIN
			RETURN CASE WHEN f::bytea::counting_bloom = f AND f::text::counting_bloom = f AND
				(counting_bloom_info(f)).keys IS NOT NULL AND
				(bloom_info(f::bloom)).layers IS NOT NULL AND f @> bloom_key(-1) IS NOT NULL
				THEN 'taken' ELSE 'no filter' END;
		EXCEPTION
			WHEN datatype_mismatch THEN
				RETURN 'taken';
			WHEN OTHERS THEN
				RETURN 'no filter: ' || sqlerrm;
		END;
	EXCEPTION WHEN OTHERS THEN
		RETURN sqlerrm;
	END $$;

	CREATE FUNCTION cuckoo_outcome(VARIADIC states bytea[]) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		f cuckoo;
	BEGIN
		SELECT fresh_combined_cuckoo('cuckoo_agg(anycompatible)', s) INTO f FROM unnest(states) s;
		BEGIN
			RETURN CASE WHEN f::bytea::cuckoo = f AND f::text::cuckoo = f AND
				(cuckoo_info(f)).keys IS NOT NULL AND f @> bloom_key(-1) IS NOT NULL
				THEN 'taken' ELSE 'no filter' END;
		EXCEPTION
			WHEN datatype_mismatch THEN
				RETURN 'taken';
			WHEN OTHERS THEN
				RETURN 'no filter: ' || sqlerrm;
		END;
	EXCEPTION WHEN OTHERS THEN
		RETURN sqlerrm;
	END $$;

	CREATE FUNCTION state_of(first int, last int, capacity bigint, fpp float8) RETURNS bytea
	RETURN (SELECT fresh_partial('bloom_agg(bloom_key, bigint, float8)', bloom_key(i), capacity, fpp)
			FROM generate_series(first, last) i);

	CREATE TABLE whole (name text, state bytea, other bytea);
	INSERT INTO whole VALUES
		('list', state_of(1, 3, NULL, 0.01), state_of(3, 5, NULL, 0.01)),
		('hashes', state_of(1, 200, NULL, 0.01), state_of(100, 300, NULL, 0.01)),
		('list of a capacity', state_of(1, 3, 200, 0.01), state_of(1, 200, 200, 0.01)),
		('layer', state_of(1, 200, 200, 0.01), state_of(200, 300, 200, 0.01)),
		('nulls', (SELECT fresh_partial('bloom_agg(bloom_key)', NULL::bloom_key)), state_of(1, 3, NULL, 0.01)),
		('rows', (SELECT fresh_partial('bloom_agg(bloom_key)', bloom_key(ROW(i))) FROM generate_series(1, 3) i),
			(SELECT fresh_partial('bloom_agg(bloom_key)', bloom_key(ROW(i))) FROM generate_series(1, 200) i));

	-- as they stand in a message
	CREATE FUNCTION bytes(x float8) RETURNS bytea RETURN float8send(x);
	CREATE FUNCTION bytes(x bigint) RETURNS bytea RETURN int8send(x)});

is( $node->safe_psql(
		'postgres', q{
		SELECT string_agg(DISTINCT outcome(state) || outcome(other) || outcome(state, other) ||
				outcome(other, state) || outcome(other, state, state, other), ' ')
		FROM whole}),
	'takentakentakentakentaken',
	'whole states are taken');

# version 1 byte, kind 1, capacity 8, probability 8, family 2, signature 4, form 1;
# then the hashes or the blocks
my $form = qr/^invalid form of an aggregate state$/;
my $length = qr/^invalid length of an aggregate state$/;
my $family = qr/^invalid key family of an aggregate state$/;
my $fpp = qr/^false-positive probability must be greater than 0 and less than 1/;
my $kind = qr/^unknown kind of an aggregate state$/;
my $other = qr/must not change within a group$/;
my $other_kind = qr/^states of different aggregates$/;
my $other_final = qr/^state of another aggregate$/;

sub put
{
	my ($bytes, $offset) = @_;
	return "overlay(state PLACING $bytes FROM $offset + 1)";
}

for (
	[ 'list', 'version 0', put("'\\x00'", 0), qr/^unknown version/ ],
	[ 'list', 'version 2', put("'\\x02'", 0), qr/^unknown version/ ],
	[ 'layer', 'version 255', put("'\\xff'", 0), qr/^unknown version/ ],
	[ 'list', 'kind 0', put("'\\x00'", 1), $kind ],
	[ 'layer', 'kind 4', put("'\\x04'", 1), $kind ],
	[ 'hashes', 'kind 255', put("'\\xff'", 1), $kind ],
	[ 'layer', 'blocks of a cuckoo filter', put("'\\x03'", 1), $form ],
	[ 'layer', 'bits as counters', put("'\\x02'", 1), $length ],
	[ 'list', 'state of counting_bloom_agg', put("'\\x02'", 1), $other_final ],
	[ 'list', 'state of cuckoo_agg', put("'\\x03'", 1), $other_final ],
	[ 'nulls', 'state of cuckoo_agg', put("'\\x03'", 1), $other_final ],
	[ 'list', 'negative capacity', put('bytes(-1::bigint)', 2), qr/^capacity must be at least 1$/ ],
	[ 'layer', 'least capacity', put("bytes('-9223372036854775808'::bigint)", 2), qr/^capacity must be at least 1$/ ],
	[ 'layer', 'capacity too large', put('bytes(9223372036854775807)', 2), qr/^filter for .* is too large$/ ],
	[ 'layer', 'capacity of a larger layer', put('bytes(10000::bigint)', 2), $length ],
	[ 'layer', 'no capacity', put('bytes(0::bigint)', 2), $form ],
	[ 'list', 'capacity too large', put('bytes(9223372036854775807)', 2), qr/^filter for .* is too large$/ ],
	[ 'list', 'probability 0', put('bytes(0::float8)', 10), $fpp ],
	[ 'list', 'probability 1', put('bytes(1::float8)', 10), $fpp ],
	[ 'layer', 'probability -1', put('bytes(-1::float8)', 10), $fpp ],
	[ 'list', 'probability NaN', put("bytes('NaN'::float8)", 10), $fpp ],
	[ 'layer', 'probability NaN', put("bytes('NaN'::float8)", 10), $fpp ],
	[ 'layer', 'probability infinity', put("bytes('Infinity'::float8)", 10), $fpp ],
	[ 'layer', 'probability of a larger layer', put('bytes(0.0001::float8)', 10), $length ],
	[ 'list', 'no family', put("'\\x0000'", 18), $family ],
	[ 'layer', 'no family', put("'\\x0000'", 18), $family ],
	[ 'nulls', 'a family without keys', put("'\\x0002'", 18), $family ],
	[ 'list', 'unknown family', put("'\\x0011'", 18), $family ],
	[ 'hashes', 'unknown family', put("'\\x0102'", 18), $family ],
	[ 'list', 'a signature where there is none', put("'\\x01000000'", 20), $family ],
	[ 'layer', 'a signature where there is none', put("'\\x00000001'", 20), $family ],
	[ 'nulls', 'a signature without keys', put("'\\x00000001'", 20), $family ],
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
	[ 'list', 'half of the head', 'substr(state, 1, 12)', qr/^insufficient data left in message$/ ],
	[ 'list', 'no bytes', "''::bytea", qr/^no data left in message$/ ])
{
	my ($state, $name, $bytes, $message) = @$_;

	like(
		$node->safe_psql('postgres', "SELECT outcome($bytes) FROM whole WHERE name = '$state'"),
		$message, "$state: $name");
}

# What could be true is refused next to a state that it does not go with.
for (
	[ 'counting_bloom_agg', put("'\\x02'", 1), $other_kind ],
	[ 'cuckoo_agg', put("'\\x03'", 1), $other_kind ],
	[ 'another capacity', put('bytes(201::bigint)', 2), $other ],
	[ 'a capacity', put('bytes(200::bigint)', 2), $other ],
	[ 'another probability', put('bytes(0.02::float8)', 10), $other ],
	[ 'another family', put("'\\x0004'", 18), qr/^cannot add a key of family/ ])
{
	my ($name, $bytes, $message) = @$_;

	for my $order ("$bytes, other", "other, $bytes")
	{
		like($node->safe_psql('postgres', "SELECT outcome($order) FROM whole WHERE name = 'hashes'"),
			$message, $name);
	}
}

# Each byte of the head, all lengths of it, and chance.
is( $node->safe_psql(
		'postgres', q{
		SET statement_timeout = '60s';
		SELECT setseed(0.5);
		CREATE TEMP TABLE damaged AS
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
			FROM whole, generate_series(0, 250, 6) m;
		CREATE TEMP TABLE result AS
			SELECT name, outcome(state) AS alone,
				outcome(state, other, state) AS before, outcome(other, state) AS behind
			FROM damaged;
		SELECT count(*) > 1000, count(*) FILTER (WHERE alone <> 'taken') > 500,
			count(*) FILTER (WHERE alone = 'taken') > 100
		FROM result;
		SELECT name, r, count(*) FROM result, LATERAL (VALUES (alone), (before), (behind)) v(r)
		WHERE r LIKE 'no filter%' GROUP BY 1, 2 ORDER BY 1, 2}),
	"\nt|t|t",
	'damaged states are refused, or make a filter that is one');

# The same of the two other kinds: each as it is, then damaged.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE removable_whole (name text, state bytea, other bytea);
	INSERT INTO removable_whole VALUES
		('counting hashes', (SELECT counting_partial(i % 150) FROM generate_series(1, 200) i),
			(SELECT counting_partial(i) FROM generate_series(1, 3) i)),
		('counting layer', (SELECT counting_partial(i, 200, 0.01) FROM generate_series(1, 200) i),
			(SELECT counting_partial(i, 200, 0.01) FROM generate_series(100, 103) i)),
		('counting nulls', (SELECT counting_partial(NULL::int)), (SELECT counting_partial(1))),
		('counting rows', (SELECT counting_partial(ROW(i)) FROM generate_series(1, 3) i),
			(SELECT counting_partial(ROW(i)) FROM generate_series(1, 3) i)),
		('cuckoo hashes', (SELECT cuckoo_partial(i) FROM generate_series(1, 200) i),
			(SELECT cuckoo_partial(i) FROM generate_series(100, 300) i)),
		('cuckoo capacity', (SELECT cuckoo_partial(i, 1000, 0.01) FROM generate_series(1, 200) i),
			(SELECT cuckoo_partial(i, 1000, 0.01) FROM generate_series(100, 300) i)),
		('cuckoo nulls', (SELECT cuckoo_partial(NULL::int)), (SELECT cuckoo_partial(1)));
	CREATE FUNCTION outcome_of(name text, VARIADIC states bytea[]) RETURNS text
	RETURN CASE WHEN name LIKE 'counting%' THEN counting_outcome(VARIADIC states)
		ELSE cuckoo_outcome(VARIADIC states) END});
is( $node->safe_psql(
		'postgres', q{
		SELECT string_agg(DISTINCT outcome_of(name, state) || outcome_of(name, other) ||
				outcome_of(name, state, other) || outcome_of(name, other, state, state, other), ' ')
		FROM removable_whole;
		SELECT name, get_byte(state, 1), get_byte(state, 24) FROM removable_whole
		WHERE name ~ 'layer|hashes|capacity' ORDER BY name}),
	"takentakentakentaken\ncounting hashes|2|0\ncounting layer|2|1\ncuckoo capacity|3|0\ncuckoo hashes|3|0",
	'whole states of the other kinds are taken');

for (
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
	[ 'cuckoo capacity', 'a probability too low', put('bytes(1e-12::float8)', 10), qr/ is too low for a cuckoo filter$/ ],
	[ 'cuckoo hashes', 'half a hash less', 'substr(state, 1, length(state) - 4)', $length ],
	[ 'cuckoo nulls', 'a family without keys', put("'\\x0002'", 18), $family ])
{
	my ($state, $name, $bytes, $message) = @$_;

	like(
		$node->safe_psql('postgres', "SELECT outcome_of(name, $bytes) FROM removable_whole WHERE name = '$state'"),
		$message, "$state: $name");
}
for my $kind (1 .. 3)
{
	my $bytes = put("'\\x0$kind'", 1);

	is( $node->safe_psql(
			'postgres', qq{
			SELECT DISTINCT o FROM removable_whole,
				LATERAL (VALUES (outcome_of(name, $bytes, other)), (outcome_of(name, other, $bytes))) v(o)
			WHERE name LIKE '% hashes' AND get_byte(state, 1) <> $kind}),
		'states of different aggregates',
		"state of kind $kind next to one of another");
}

# counters that are all zero are of no key
is( $node->safe_psql(
		'postgres', q{
		SELECT outcome_of(name, substr(state, 1, 25) || decode(repeat('00', length(state) - 25), 'hex'))
			LIKE 'no filter%' FROM removable_whole WHERE name = 'counting layer'}),
	'f', 'a layer without keys is refused, or makes a filter that is one');

is( $node->safe_psql(
		'postgres', q{
		SET statement_timeout = '60s';
		SELECT setseed(0.5);
		CREATE TEMP TABLE damaged AS
			SELECT name, other, set_byte(state, b, get_byte(state, b) # m) AS state
			FROM removable_whole, generate_series(0, 24) b, unnest(ARRAY[1, 2, 3, 16, 128, 255]) m
			WHERE b NOT IN (6, 7)	-- capacities of millions take their time
			UNION ALL
			SELECT name, other, substr(state, 1, l)
			FROM removable_whole, generate_series(0, 400) l WHERE l < length(state) AND (l < 60 OR l % 8 < 2)
			UNION ALL
			SELECT name, other, state || decode(repeat('a5', l), 'hex')
			FROM removable_whole, generate_series(1, 17) l
			UNION ALL
			SELECT name, other, set_byte(set_byte(state, 8 + (random() * (length(state) - 9))::int, m),
				8 + (random() * least(length(state) - 9, 52))::int, 255 - m)
			FROM removable_whole, generate_series(0, 250, 5) m;
		CREATE TEMP TABLE result AS
			SELECT name, outcome_of(name, state) AS alone,
				outcome_of(name, state, other, state) AS before, outcome_of(name, other, state) AS behind
			FROM damaged;
		SELECT count(*) > 1000, count(*) FILTER (WHERE alone <> 'taken') > 500,
			count(*) FILTER (WHERE alone = 'taken') > 100
		FROM result;
		SELECT name, r, count(*) FROM result, LATERAL (VALUES (alone), (before), (behind)) v(r)
		WHERE r LIKE 'no filter%' GROUP BY 1, 2 ORDER BY 1, 2}),
	"\nt|t|t",
	'damaged states of the other kinds are refused, or make a filter that is one');

#
# Plain functions
#

# Of concrete types: as in a query.
for my $case (
	[ 'bloom_key(unknown)', "'a'" ],
	[ 'bloom_key_in(cstring)', "'number:0123456789abcdef'::cstring" ],
	[ 'bloom_key_out(bloom_key)', 'bloom_key(ROW(1))' ],
	[ 'bloom_key_send(bloom_key)', 'bloom_key(1)' ],
	[ 'bloom_key_recv(internal)', 'bloom_key_send(bloom_key(1))', 'bloom_key(1)' ],
	[ 'bloom_key_parse(text)', "'number:0123456789abcdef'::text" ],
	[ 'bloom_key_parse(name)', "'number:0123456789abcdef'::name" ],
	[ 'bloom_key_eq(bloom_key, bloom_key)', 'bloom_key(1), bloom_key(1.0)' ],
	[ 'bloom_key_hash(bloom_key)', 'bloom_key(1)' ],
	[ 'bloom_key_hash_extended(bloom_key, bigint)', 'bloom_key(1), 7::bigint' ],
	[ 'bloom_key_to_bigint(bloom_key)', 'bloom_key(1)' ],
	[ 'bloom_create(bigint, float8, int)', '1000::bigint, 0.01::float8, 3' ],
	[ 'bloom_in(cstring)', 'bloom_out(f)' ],
	[ 'bloom_out(bloom)', 'f' ],
	[ 'bloom_send(bloom)', 'f' ],
	[ 'bloom_recv(internal)', 'bloom_send(f)', 'f' ],
	[ 'bloom_to_bytea(bloom)', 'f' ],
	[ 'bloom_from_bytea(bytea)', 'f::bytea' ],
	[ 'bloom_union(bloom, bloom)', 'f, g' ],
	[ 'bloom_intersection(bloom, bloom)', 'f, f' ],
	[ 'bloom_shrink(bloom)', 'g' ],
	[ 'bloom_eq(bloom, bloom)', 'f, g' ],
	[ 'bloom_hash(bloom)', 'f' ],
	[ 'bloom_cardinality(bloom)', 'g' ],
	[ 'bloom_current_fpp(bloom)', 'g' ],
	[ 'bloom_info(bloom)', 'f' ],
	[ 'counting_bloom_create(bigint, float8)', '1000::bigint, 0.01::float8' ],
	[ 'counting_bloom_in(cstring)', 'counting_bloom_out(b)' ],
	[ 'counting_bloom_out(counting_bloom)', 'b' ],
	[ 'counting_bloom_send(counting_bloom)', 'b' ],
	[ 'counting_bloom_recv(internal)', 'counting_bloom_send(b)', 'b' ],
	[ 'counting_bloom_to_bytea(counting_bloom)', 'b' ],
	[ 'counting_bloom_from_bytea(bytea)', 'b::bytea' ],
	[ 'counting_bloom_union(counting_bloom, counting_bloom)', 'b, b' ],
	[ 'counting_bloom_to_bloom(counting_bloom)', 'b' ],
	[ 'counting_bloom_eq(counting_bloom, counting_bloom)', 'b, b' ],
	[ 'counting_bloom_ne(counting_bloom, counting_bloom)', 'b, b' ],
	[ 'counting_bloom_hash(counting_bloom)', 'b' ],
	[ 'counting_bloom_hash_extended(counting_bloom, bigint)', 'b, 7::bigint' ],
	[ 'counting_bloom_cardinality(counting_bloom)', 'b' ],
	[ 'counting_bloom_current_fpp(counting_bloom)', 'b' ],
	[ 'counting_bloom_info(counting_bloom)', 'b' ],
	[ 'cuckoo_create(bigint, float8)', '1000::bigint, 0.01::float8' ],
	[ 'cuckoo_in(cstring)', 'cuckoo_out(c)' ],
	[ 'cuckoo_out(cuckoo)', 'c' ],
	[ 'cuckoo_send(cuckoo)', 'c' ],
	[ 'cuckoo_recv(internal)', 'cuckoo_send(c)', 'c' ],
	[ 'cuckoo_to_bytea(cuckoo)', 'c' ],
	[ 'cuckoo_from_bytea(bytea)', 'c::bytea' ],
	[ 'cuckoo_eq(cuckoo, cuckoo)', 'c, c' ],
	[ 'cuckoo_ne(cuckoo, cuckoo)', 'c, c' ],
	[ 'cuckoo_hash(cuckoo)', 'c' ],
	[ 'cuckoo_hash_extended(cuckoo, bigint)', 'c, 7::bigint' ],
	[ 'cuckoo_cardinality(cuckoo)', 'c' ],
	[ 'cuckoo_current_fpp(cuckoo)', 'c' ],
	[ 'cuckoo_info(cuckoo)', 'c' ],
	[ 'bloom_sizing(bigint, float8)', '1000::bigint, 0.01::float8' ],
	[ 'bloom_expected_fpp(float8)', '10::float8' ])
{
	my ($function, $arguments, $result) = @$case;

	$result = ($function =~ s/\(.*//r) . "($arguments)" unless defined $result;
	is( $node->safe_psql(
			'postgres', qq{
			WITH two AS MATERIALIZED (
				SELECT bloom_agg(x) FILTER (WHERE x <= 5000) AS f,
					bloom_agg(x, 9999, 0.01) FILTER (WHERE x <= 50) AS g,
					counting_bloom_agg(x) FILTER (WHERE x <= 5000) AS b,
					cuckoo_agg(x) FILTER (WHERE x <= 5000) AS c FROM keys)
			SELECT fresh_call('$function', $arguments) = format('%s', $result) FROM two}),
		't', $function);
}

# Polymorphic, all that there are: the type cannot be known, and that is said.
my @polymorphic = split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT p.oid::regprocedure || '|' || string_agg(
		CASE t::regtype::text WHEN 'bloom' THEN 'f' WHEN 'counting_bloom' THEN 'b'
			WHEN 'cuckoo' THEN 'c' WHEN 'anycompatible' THEN '$'
			WHEN 'anycompatiblearray' THEN 'ARRAY[$]' WHEN 'integer' THEN '1' ELSE '?' END, ', ' ORDER BY o)
	FROM pg_proc p JOIN pg_depend ON objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e'
		JOIN pg_extension e ON refobjid = e.oid AND extname = 'bloomtype',
		unnest(proargtypes) WITH ORDINALITY a(t, o)
	WHERE prokind = 'f' AND 'internal'::regtype <> ALL (proargtypes) AND
		proargtypes::oid[] && '{anycompatible,anycompatiblearray}'::regtype[]::oid[]
	GROUP BY p.oid ORDER BY 1});
$node->safe_psql('postgres',
	'CREATE VIEW empty AS SELECT bloom_create(10) AS f, counting_bloom_create(10) AS b, cuckoo_create(10) AS c');
cmp_ok(scalar @polymorphic, '>=', 26, 'functions that are polymorphic');

for (@polymorphic)
{
	my ($function, $arguments) = split /\|/;

	for my $key ('7', '7::bigint', "'a'::text", 'ROW(1)', "bloom_key(1)")
	{
		refused(
			"SELECT fresh_call('$function', " . ($arguments =~ s/\$/$key/r) . ') FROM empty',
			qr/could not determine the type of the key/,
			"$function of $key");
	}
}
is( $node->safe_psql(
		'postgres', q{
		SELECT fresh_call('bloom_add(bloom, anycompatible)', f, NULL::int) = f::text,
			fresh_call('bloom_contains(bloom, anycompatible)', f, NULL::int) IS NULL,
			fresh_call('counting_bloom_remove(counting_bloom, anycompatible)', b, NULL::int) = b::text,
			fresh_call('counting_bloom_count(counting_bloom, anycompatible)', b, NULL::int) IS NULL,
			fresh_call('cuckoo_add_all(cuckoo, anycompatiblearray)', c, NULL::int[]) = c::text,
			fresh_call('cuckoo_contained(anycompatible, cuckoo)', NULL::int, c) IS NULL
		FROM empty}),
	't|t|t|t|t|t',
	'nulls need no type');

#
# Memory: what a call keeps for the next goes with the row.
#

# Bytes that the session has got at the last row more than after a quarter.
sub growth
{
	my ($nrows, $aggregate) = @_;

	return $node->safe_psql(
		'postgres', qq{$quiet
		SELECT last - first FROM (
			SELECT max(used) FILTER (WHERE i = $nrows / 4) AS first,
				max(used) FILTER (WHERE i = $nrows) AS last, $aggregate AS result
			FROM (SELECT i, CASE WHEN i % ($nrows / 4) = 0 THEN used_bytes() END AS used
				  FROM (SELECT generate_series(1, $nrows) AS i) s) t, samples) u
		WHERE result IS NOT NULL});
}

$node->safe_psql(
	'postgres', q{
	CREATE TABLE samples AS
		SELECT bloom_agg(x) AS f, (SELECT state FROM whole WHERE name = 'layer') AS layer,
			(SELECT state FROM whole WHERE name = 'hashes') AS hashes,
			(SELECT state FROM whole WHERE name = 'list of a capacity') AS list,
			(SELECT state FROM removable_whole WHERE name = 'counting layer') AS counters,
			(SELECT state FROM removable_whole WHERE name = 'counting hashes') AS copies,
			(SELECT state FROM removable_whole WHERE name = 'cuckoo capacity') AS cuckoo
		FROM keys WHERE x <= 10;
	CREATE FUNCTION used_bytes() RETURNS numeric LANGUAGE plpgsql AS $$
	BEGIN
		RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts);
	END $$;
	CREATE FUNCTION refusal(f bloom) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN fresh_call('bloom_contains(bloom, anycompatible)', f, 7);
	EXCEPTION WHEN indeterminate_datatype THEN
		RETURN 'refused';
	END $$});
for my $case (
	[ 1000000, q{fresh_whole('bloom_agg(bloom_key)', bloom_key(i % 100))} ],
	[ 400000, q{fresh_whole('bloom_agg(bloom_key, bigint, float8)', bloom_key(i), 1000::bigint, 0.01::float8)} ],
	[ 400000, q{fresh_combined('bloom_agg(bloom_key, bigint, float8)', layer)} ],
	[ 400000, q{fresh_combined('bloom_agg(bloom_key)', hashes)} ],
	[ 400000, q{fresh_combined('bloom_agg(bloom_key, bigint, float8)', list)} ],
	[ 100000, q{fresh_combined_counting('counting_bloom_agg(anycompatible, bigint, float8)', counters)} ],
	[ 40000, q{fresh_combined_counting('counting_bloom_agg(anycompatible)', copies)} ],
	[ 100000, q{fresh_combined_cuckoo('cuckoo_agg(anycompatible, bigint, float8)', cuckoo)} ],
	[ 400000, q{count(fresh_call('bloom_union(bloom, bloom)', f, f))} ],
	[ 40000, q{count(refusal(f))} ])
{
	my ($nrows, $aggregate) = @$case;

	cmp_ok(growth($nrows, $aggregate), '<', 100000, "no memory is left behind: $aggregate");
}

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
