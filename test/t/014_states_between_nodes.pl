# The states of aggregates as bytes between nodes: an engine that spreads a query
# over machines makes one of each shard and combines them, with a new FmgrInfo for
# every row.  The filter is the one that a single query makes, byte for byte, and
# what goes wrong in the pieces is said as it is in the whole.  (Citus 1932, 8505; hll 64.)
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use FreshCalls;
use Test::More;

my $node = fresh_server();
create_keys($node);

# The aggregates over keys, each with the rest of its arguments.
my @aggregates = (
	[ 'bloom_agg(bloom_key)', '' ],
	[ 'bloom_agg(bloom_key, float8)', ', 0.0005::float8' ],
	[ 'bloom_agg(bloom_key, float8, float8)', ', NULL::float8, 0.02::float8' ],
	[ 'bloom_agg(bloom_key, float8, float8)', ', 2000::float8, 0.01::float8' ],
	[ 'bloom_agg(bloom_key, float8, float8)', ', 150000::float8, 0.001::float8' ]);
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
		WHERE proname IN ('bloom_agg', 'counting_bloom_agg', 'cuckoo_agg') AND aggcombinefn <> 0 AND aggserialfn <> 0 AND
			aggdeserialfn <> 0 AND aggfinalfn <> 0 AND NOT aggfinalextra AND agginitval IS NULL AND
			NOT EXISTS (SELECT FROM unnest(proargtypes) t JOIN pg_type ON pg_type.oid = t
						WHERE typtype = 'p')
		ORDER BY proname COLLATE "C", pronargs, aggfnoid::regprocedure::text COLLATE "C"}),
	"bloom_agg(bloom_key)|n|internal|a
bloom_agg(bloom_key,double precision)|n|internal|a
bloom_agg(bloom_key,double precision,double precision)|n|internal|a
counting_bloom_agg(bloom_key)|n|internal|a
counting_bloom_agg(bloom_key,double precision)|n|internal|a
counting_bloom_agg(bloom_key,double precision,double precision)|n|internal|a
cuckoo_agg(bloom_key)|n|internal|a
cuckoo_agg(bloom_key,double precision)|n|internal|a
cuckoo_agg(bloom_key,double precision,double precision)|n|internal|a",
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
is(scalar(() = $expected =~ /^\d+:(\|[0-9a-f]{32}){@{[ scalar @aggregates ]}}$/mg), scalar @sizes, 'the filters of values');
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

# few keys of a large capacity do not travel as the whole layer (groups of 129 keys once took
# 1.5 GB over the wire)
is( $node->safe_psql(
		'postgres', q{
		SELECT length(fresh_partial('bloom_agg(bloom_key, float8, float8)',
				k, 80000000::float8, 0.01::float8)) < 200000,
			length(fresh_partial('counting_bloom_agg(bloom_key, float8, float8)',
				k, 20000000::float8, 0.01::float8)) < 200000
		FROM keys WHERE x <= 10000}),
	't|t', 'the state of few keys is short');

# groups, which meet in another order than they were made
for my $arguments ('', ', 100::float8, 0.01::float8')
{
	my $aggregate =
	  $arguments ? 'bloom_agg(bloom_key, float8, float8)' : 'bloom_agg(bloom_key)';

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

# keys with a subtype
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
sub of_states
{
	my ($aggregate, @selects) = @_;
	return "SELECT fresh_combined('$aggregate', state) FROM ("
	  . join(' UNION ALL ', map { "SELECT fresh_partial('$aggregate', $_)" } @selects)
	  . ') x(state)';
}

refused($node,
	of_states('bloom_agg(bloom_key)', 'bloom_key(1)', "bloom_key('a')"),
	qr/cannot add a key of family text to a filter of number keys/,
	'states of two families');
refused($node,
	of_states('bloom_agg(bloom_key)', 'bloom_key(ROW(1))', 'bloom_key(ROW(true))'),
	qr/cannot add a key of family row to a filter of row keys of another subtype/,
	'states of rows of two subtypes');
refused($node,
	of_states('bloom_agg(bloom_key, float8)', 'bloom_key(1), 0.1::float8', 'bloom_key(1), 0.2::float8'),
	qr/must not change within a group/,
	'states of two probabilities');
refused($node,
	"SELECT fresh_partial('bloom_agg(bloom_key, float8, float8)', k, 1000 + x::float8, 0.01::float8) FROM keys",
	qr/must not change within a group/,
	'rows of two capacities');
refused($node,
	"SELECT fresh_partial('bloom_agg(bloom_key, float8)', k, 1000::float8) FROM keys",
	qr/must be greater than 0 and less than 1/,
	'a rate out of range');
refused($node,
	"SELECT fresh_partial('bloom_agg(bloom_key, float8)', k, NULL::float8) FROM keys",
	qr/must not be null/,
	'no rate');
for my $name (qw(bloom_agg counting_bloom_agg cuckoo_agg))
{
	refused($node,
		"SELECT fresh_partial('$name(anycompatible$_->[0])', x$_->[1]) FROM keys",
		qr/could not determine the type of the key/,
		"an aggregate that is polymorphic: $name(anycompatible$_->[0])")
	  for [ '', '' ], [ ', float8', ', 0.1::float8' ],
	  [ ', float8, float8', ', 1000::float8, 0.1::float8' ];
}

my (undef, undef, $stderr) = $node->psql('postgres',
	'WITH chosen AS (SELECT * FROM keys) '
	  . distributed('bloom_agg(bloom_key, float8, float8)', ', 2000::float8, 0.01::float8', 'chosen', 3));
is(scalar(() = $stderr =~ /WARNING:  filter holds more keys than its capacity/g),
	1, 'past the capacity there is one warning');

#
# The states of counting_bloom_agg and cuckoo_agg
#

# short name and aggregate of each type, and the types of its arguments
my %of_type = (counting => 'counting_bloom', cuckoo => 'cuckoo');
my @forms = (
	[ '(bloom_key)', '' ],
	[ '(bloom_key, float8)', ', 0.0005::float8' ],
	[ '(bloom_key, float8, float8)', ', NULL::float8, 0.02::float8' ],
	[ '(bloom_key, float8, float8)', ', 120000::float8, 0.001::float8' ]);

for my $short (sort keys %of_type)
{
	my $agg = "$of_type{$short}_agg";

	for (@forms)
	{
		my ($types, $arguments) = @$_;
		my $sql = $quiet . join '', map {
			my $size = $_;
			"WITH chosen AS MATERIALIZED (SELECT n, x, k FROM keys WHERE x IS NULL OR x <= $size),
				whole AS MATERIALIZED (SELECT $agg(x$arguments) AS f FROM chosen)
			SELECT $size"
			  . join('', map {
				", (SELECT fresh_combined_$short('$agg$types', (
						SELECT fresh_partial('$agg$types', k$arguments) FROM chosen WHERE n % $_ = shard))
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

	refused($node,
		"SELECT fresh_combined_$short('${agg}(bloom_key)', s) FROM (
			SELECT fresh_partial('${agg}(bloom_key)', bloom_key(1)) UNION ALL
			SELECT fresh_partial('${agg}(bloom_key)', bloom_key('a'))) x(s)",
		qr/cannot add a key of family (text|number) to a filter of (number|text) keys/,
		"$agg: states of two families");
}

# a key that is 16 times in each of two shards is at the limit, not past it
is( $node->safe_psql(
		'postgres', q{
		SELECT fresh_combined_counting('counting_bloom_agg(bloom_key)', s) =
			(SELECT counting_bloom_agg(i % 100) FROM generate_series(1, 1500) i)
		FROM (SELECT fresh_partial('counting_bloom_agg(bloom_key)', bloom_key(i % 100))
			  FROM generate_series(1, 1600) i, generate_series(1, 2) shard GROUP BY shard) x(s)}),
	't', 'a counter is at its limit whatever the shards');

# cuckoo filters that are full say so at the end
refused($node,
	q{SELECT fresh_combined_cuckoo('cuckoo_agg(bloom_key, float8, float8)', s) FROM (
		SELECT fresh_partial('cuckoo_agg(bloom_key, float8, float8)', k, 2000::float8, 0.01::float8)
		FROM keys GROUP BY n % 3) x(s)},
	qr/too many keys for the capacity of a cuckoo filter/,
	'states of too many keys for a cuckoo filter');

#
# The states of external_bloom_agg, which are made in queries and combined elsewhere
#

create_external_states($node);
my @external = (
	[ 'go', '', '0.01' ], [ 'go', '120000, ', '0.001' ], [ 'go', '2000, ', '0.01' ],
	[ 'guava', 'NULL, ', '0.01' ], [ 'redis', '', '0.01' ], [ 'redis', '120000, ', '0.01' ],
	[ 'leveldb', '', '12' ], [ 'parquet', '', '0.01' ], [ 'spark_v2', '120000, ', '0.01' ]);
for (@external)
{
	my ($format, $capacity, $parameter) = @$_;
	my $arguments = "(x::text, '$format', $capacity$parameter)";
	my $sql = $quiet . join '', map {
		my $size = $_;
		"WITH chosen AS MATERIALIZED (SELECT n, x FROM keys WHERE x IS NULL OR x <= $size),
			whole AS MATERIALIZED (SELECT external_bloom_agg$arguments AS f FROM chosen)
		SELECT $size"
		  . join('', map {
			", external_combined(VARIADIC ARRAY(SELECT external_state$arguments FROM chosen
				GROUP BY n % $_ UNION ALL SELECT NULL)) = f" } 1, 7)
		  . ' FROM whole;'
	} 0, 1, 5000, 100000;

	is($node->safe_psql('postgres', $sql), join("\n", map { "$_|t|t" } 0, 1, 5000, 100000),
		"states of shards: external_bloom_agg$arguments");
}
is($node->safe_psql('postgres', 'SELECT external_combined(NULL, NULL) IS NULL, external_combined(VARIADIC ARRAY[]::bytea[]) IS NULL'),
	't|t', 'no rows: external_bloom_agg');
for (
	[ q{external_state('a'::text, 'go', 0.01)}, q{external_state('a'::text, 'guava', 0.01)} ],
	[ q{external_state('a'::text, 'go', 0.01)}, q{external_state('a'::text, 'go', 0.02)} ],
	[ q{external_state('a'::text, 'go', 9, 0.01)}, q{external_state('a'::text, 'go', 0.01)} ])
{
	my ($one, $other) = @$_;

	refused($node, "SELECT external_combined((SELECT $one), (SELECT $other))",
		qr/must not change within a group/, "states of external_bloom_agg: $one, $other");
}
refused($node,
	"SELECT fresh_partial('external_bloom_agg(anycompatible, text, float8)', x::text, 'go'::text, 0.01::float8) FROM keys",
	qr/could not determine the type of the key/,
	'an aggregate that is polymorphic: external_bloom_agg');

finish($node);
done_testing();
