# Work over foreign tables and partitions goes where the data is: the filter
# travels to the keys, keys do not travel to the filter, and the bytes are those
# that one server would make.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
jit = off
max_parallel_workers_per_gather = 0
plan_cache_mode = force_generic_plan
});
$node->start;

my ($host, $port) = ($node->host, $node->port);

# Typed keys, and others that are not the same: one filter each.
my @typed = (
	[ 'true', 'false' ],
	[ '(-5)::smallint', '5' ],
	[ '9223372036854775807', '9223372036854775806' ],
	[ '1.50', '1.51' ],
	[ q{'NaN'::numeric}, '0' ],
	[ '0.1::real', '0.1::float8' ],
	[ '1e-300::float8', '0::float8' ],
	[ q{'\x00ff'::bytea}, q{'\x00'::bytea} ],
	[ q{'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid}, q{'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'::uuid} ],
	[ '4000000000::oid', '1::oid' ],
	[ q{'2024-02-29'::date}, q{'2024-03-01'::date} ],
	[ q{'2024-02-29 12:00:00.000001'::timestamp}, q{'2024-02-29 12:00'::timestamp} ],
	[ q{'2024-02-29 12:00:00+05:30'::timestamptz}, q{'2024-02-29 12:00:00+00'::timestamptz} ],
	[ q{'23:59:59.999999'::time}, q{'23:59:59'::time} ],
	[ q{'10.0.0.0/8'::cidr}, q{'10.0.0.0'::inet} ],
	[ q{'08:00:2b:01:02:03'::macaddr}, q{'08:00:2b:01:02:04'::macaddr} ],
	[ q{'{1,NULL}'::int[]}, q{'{1}'::int[]} ],
	[ q{'[1,5)'::int4range}, q{'[1,6)'::int4range} ],
	[ q{bloom_key('a word')}, q{bloom_key('another')} ]);

$node->safe_psql('postgres', 'CREATE DATABASE remote');
$node->safe_psql(
	'remote', q{
	CREATE EXTENSION bloomtype;

	CREATE TABLE keys AS
		SELECT i::bigint AS id, 'key ' || i AS s, i % 7 AS g, ARRAY[i, i + 1]::bigint[] AS pair
		FROM generate_series(1, 100000) i;
	CREATE TABLE nothing (id bigint, f bloom);
	CREATE TABLE filters AS
		SELECT i % 10 AS n, bloom_agg(i / 2, 20000, 0.01) AS f, bloom_agg('key ' || i) AS texts
		FROM generate_series(1, 10000) i GROUP BY 1;

	-- two regions a table; one table has few keys in a region, one has none;
	-- a thousand keys are in both tables
	CREATE TABLE events_0 (region int, id bigint, s text);
	CREATE TABLE events_1 (LIKE events_0);
	CREATE TABLE events_2 (LIKE events_0);
	INSERT INTO events_0 SELECT i % 2, i, 'key ' || i FROM generate_series(1, 15000) i;
	INSERT INTO events_1 SELECT 2, i, 'key ' || i FROM generate_series(14001, 20000) i;
	INSERT INTO events_1 SELECT 3, i, 'key ' || i FROM generate_series(20001, 20040) i;

	-- stored filters: of the keys of a shard; and of the numbers up to a
	-- thousand or more of which each shard leaves out every nineteenth
	CREATE FUNCTION shards_of(events regclass) RETURNS TABLE (region int, shard bigint, f bloom, g bloom)
	LANGUAGE plpgsql AS $$ BEGIN
		RETURN QUERY EXECUTE format('
			SELECT x.*, bloom_agg(k, 30000, 0.01)
			FROM (SELECT region, id %% 20 AS shard, bloom_agg(id, 30000, 0.01) AS f FROM %s GROUP BY 1, 2) x,
				generate_series(1, 1000 + 100 * region) k
			WHERE k %% 19 <> shard
			GROUP BY 1, 2, 3', events);
	END $$;
	CREATE TABLE shards_0 AS SELECT * FROM shards_of('events_0');
	CREATE TABLE shards_1 AS SELECT * FROM shards_of('events_1');
	CREATE TABLE shards_2 AS SELECT * FROM shards_of('events_2');
	} . 'CREATE TABLE typed AS SELECT '
	  . join(', ', map { "bloom_agg($typed[$_][0]) AS f$_" } 0 .. $#typed));

# `far' may run what the extension has, `plain' may not.  postgres_fdw does not
# see that a row with a filter is wide: fdw_tuple_cost tells it.
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION bloomtype;
	CREATE EXTENSION postgres_fdw;
	CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'remote', extensions 'bloomtype',
			fdw_tuple_cost '1', fetch_size '10000');
	CREATE SERVER plain FOREIGN DATA WRAPPER postgres_fdw
		OPTIONS (host '$host', port '$port', dbname 'remote', fetch_size '10000');
	CREATE USER MAPPING FOR CURRENT_USER SERVER far;
	CREATE USER MAPPING FOR CURRENT_USER SERVER plain;
	CREATE SCHEMA plain;
	IMPORT FOREIGN SCHEMA public LIMIT TO (keys, nothing, filters, typed) FROM SERVER far INTO public;
	IMPORT FOREIGN SCHEMA public LIMIT TO (keys, nothing, filters, typed) FROM SERVER plain INTO plain;

	CREATE TABLE events (region int, id bigint, s text) PARTITION BY RANGE (region);
	CREATE FOREIGN TABLE events_0 PARTITION OF events FOR VALUES FROM (0) TO (2) SERVER far;
	CREATE FOREIGN TABLE events_1 PARTITION OF events FOR VALUES FROM (2) TO (4) SERVER far;
	CREATE FOREIGN TABLE events_2 PARTITION OF events FOR VALUES FROM (4) TO (6) SERVER far;
	CREATE TABLE events_copy AS TABLE events;

	CREATE TABLE mixed (region int, id bigint, s text) PARTITION BY RANGE (region);
	CREATE TABLE mixed_0 PARTITION OF mixed FOR VALUES FROM (0) TO (2);
	CREATE FOREIGN TABLE mixed_1 PARTITION OF mixed FOR VALUES FROM (2) TO (4)
		SERVER far OPTIONS (table_name 'events_1');
	CREATE FOREIGN TABLE mixed_2 PARTITION OF mixed FOR VALUES FROM (4) TO (6)
		SERVER far OPTIONS (table_name 'events_2');
	INSERT INTO mixed SELECT * FROM events WHERE region < 2;

	CREATE TABLE near (region int, id bigint, s text) PARTITION BY RANGE (region);
	CREATE TABLE near_0 PARTITION OF near FOR VALUES FROM (0) TO (2);
	CREATE TABLE near_1 PARTITION OF near FOR VALUES FROM (2) TO (4);
	CREATE TABLE near_2 PARTITION OF near FOR VALUES FROM (4) TO (6);
	INSERT INTO near TABLE events;

	CREATE TABLE shards (region int, shard bigint, f bloom, g bloom) PARTITION BY RANGE (region);
	CREATE FOREIGN TABLE shards_0 PARTITION OF shards FOR VALUES FROM (0) TO (2) SERVER far;
	CREATE FOREIGN TABLE shards_1 PARTITION OF shards FOR VALUES FROM (2) TO (4) SERVER far;
	CREATE FOREIGN TABLE shards_2 PARTITION OF shards FOR VALUES FROM (4) TO (6) SERVER far;
	CREATE TABLE shards_copy AS TABLE shards;

	CREATE TABLE shards_near (LIKE shards) PARTITION BY RANGE (region);
	CREATE TABLE shards_near_0 PARTITION OF shards_near FOR VALUES FROM (0) TO (2);
	CREATE TABLE shards_near_1 PARTITION OF shards_near FOR VALUES FROM (2) TO (4);
	CREATE TABLE shards_near_2 PARTITION OF shards_near FOR VALUES FROM (4) TO (6);
	INSERT INTO shards_near TABLE shards;

	-- keys has a hundred of these
	CREATE TABLE wanted AS
		SELECT i::bigint AS id, 'key ' || i AS s FROM generate_series(99901, 100900) i;
	CREATE TABLE filter AS
		SELECT bloom_agg(id) AS ids, bloom_agg(s) AS texts FROM wanted;
	ANALYZE;
	ANALYZE keys, filters, typed, events_0, events_1, mixed_1, shards_0, shards_1;
});

# The filters as constants.
my ($ids, $texts) = map { "'$_'::bloom" }
  split /\|/, $node->safe_psql('postgres', 'SELECT ids, texts FROM filter');

# A query with parameters is prepared, and has a generic plan: $1 is the filter
# of ids, $2 that of texts.
sub statement
{
	my ($query) = @_;

	return ('', $query) if $query !~ /\$[12]/;
	return ("PREPARE prepared(bloom, bloom) AS $query;", "EXECUTE prepared($ids, $texts)");
}

# How a query was run.
sub explained
{
	my ($query, $settings) = @_;
	my ($before, $statement) = statement($query);

	return $node->safe_psql('postgres',
		($settings // '')
		  . "$before EXPLAIN (VERBOSE, ANALYZE, COSTS off, TIMING off, SUMMARY off) $statement");
}

# The rows of a query in which each is a number, in short.
sub digest
{
	my ($query, $database) = @_;
	my ($before, $statement) = statement(
		"WITH x(n) AS MATERIALIZED ($query)
		 SELECT count(*), md5(string_agg(n::text, ' ' ORDER BY n)) FROM x");

	return $node->safe_psql($database // 'postgres', "$before $statement");
}

# The one value of a query, a filter or several in a row, in short.
sub filter_digest
{
	my ($query, $settings, $database) = @_;

	return $node->safe_psql($database // 'postgres',
		($settings // '')
		  . "SELECT count(*), string_agg(md5(x::text), ' ' ORDER BY x::text) FROM ($query) x");
}

# The number of rows of a node in an EXPLAIN ANALYZE.
sub rows
{
	my ($number) = @_;
	return qr/\(actual rows=$number(?:\.00)? loops=1\)/;
}

# The nodes of a plan, in short, and the aggregates that the remote server makes.
sub outline
{
	my ($plan) = @_;
	my @lines;

	for (split /\n/, $plan)
	{
		push @lines, $1 if /^\s*(?:->  )?((?:\w+ )*(?:\w*Aggregate|Append|Foreign Scan|Seq Scan))\b.*\(/;
		push @lines, "$1 there" if /Remote SQL: SELECT .*public\.(bloom_\w*agg)\(/;
	}
	return join "\n", @lines;
}

# All that a plan does is one scan that brings this many rows of what the
# remote server has done.
sub is_shipped
{
	my ($plan, $number, $remote_sql, $name) = @_;
	my $rows = rows($number);

	ok( $plan =~ /^Foreign Scan.* $rows/
		  && $plan =~ /^  Remote SQL: SELECT .*$remote_sql/m
		  && $plan !~ /^ *(?:Join )?Filter:/m
		  && (() = $plan =~ /Remote SQL:/g) == 1,
		$name) or diag $plan;
}

# A plan that brings all keys and asks about them here; so many are found.
sub is_kept
{
	my ($plan, $number, $name) = @_;
	my $rows = rows($number);
	my $removed = 100000 - $number;

	ok( $plan =~ /^Foreign Scan.* $rows/
		  && $plan =~ /^  Filter: .*(?:bloom_contains|@>|<@)/m
		  && $plan =~ /^  Rows Removed by Filter: $removed$/m
		  && $plan !~ /Remote SQL: .*bloom/,
		$name) or diag $plan;
}

#
# Probes: the filter travels
#

my $matches = $node->safe_psql('remote',
	"SELECT count(*), count(*) FILTER (WHERE id > 99900) FROM keys WHERE bloom_contains($ids, id)");
my ($travelling) = $matches =~ /^(\d+)\|100$/
  or die "not all keys are found: $matches";
cmp_ok($travelling, '>', 500, 'there are false positives');
cmp_ok($travelling, '<=', 1200, 'about one in a hundred of the keys');

my $called = qr/public\.bloom_contains\(/;
my $contains = qr/OPERATOR\(public\.@>\)/;
my $contained = qr/OPERATOR\(public\.<@\)/;
my $ids_stored = '(SELECT ids FROM filter)';
my $ids_made = '(SELECT bloom_agg(id) FROM wanted)';
my $texts_stored = '(SELECT texts FROM filter)';
my $texts_made = '(SELECT bloom_agg(s) FROM wanted)';

# what the remote server says of its own table, and the ways to ask
for my $probe (
	[
		"bloom_contains($ids, id)",
		(map { [ "bloom_contains($_, id)", $called ] } $ids, '$1', $ids_stored, $ids_made),
		(map { [ "$_ @> id", $contains ] } $ids, '$1', $ids_stored, $ids_made),
		(map { [ "id <@ $_", $contained ] } $ids, '$1', $ids_stored, $ids_made),
		[ "bloom_contains($ids, bloom_key(id))", qr/public\.bloom_contains\(.*public\.bloom_key\(id\)/ ],
		[ "bloom_contains($ids, id::numeric)", qr/public\.bloom_contains\(.*id::numeric/ ],
	],
	[
		"bloom_contains($texts, s)",
		(map { [ "bloom_contains($_, s)", $called ] } $texts, '$2', $texts_stored, $texts_made),
		(map { [ "$_ @> s", $contains ] } $texts, '$2', $texts_stored, $texts_made),
		(map { [ "s <@ $_", $contained ] } $texts, '$2', $texts_stored, $texts_made),
		[ "bloom_contains($texts, bloom_key(s))", qr/public\.bloom_contains\(.*public\.bloom_key\(s\)/ ],
	],
	[
		"bloom_contains_any($ids, pair)",
		map { [ "bloom_contains_any($_, pair)", qr/public\.bloom_contains_any\(/ ] }
		  $ids, '$1', $ids_stored, $ids_made
	],
	[
		"bloom_contains_all($ids, ARRAY[id, id + 1])",
		map { [ "bloom_contains_all($_, ARRAY[id, id + 1])", qr/public\.bloom_contains_all\(.*ARRAY\[id/ ] }
		  $ids, '$1', $ids_stored, $ids_made
	],
	[ "NOT bloom_contains($ids, id)", [ 'NOT bloom_contains($1, id)', qr/NOT public\.bloom_contains\(/ ] ])
{
	my ($there, @ways) = @$probe;
	my $expected = digest("SELECT id FROM keys WHERE $there", 'remote');
	my ($number) = $expected =~ /^(\d+)\|/;

	cmp_ok($number, '>=', 100, 'a probe of some keys');
	cmp_ok($number, '<', 100000, 'not of all');
	for my $way (@ways)
	{
		my ($condition, $remote_sql) = @$way;
		my $query = "SELECT id FROM keys WHERE $condition";
		my $name = $condition =~ s/'[^']+'::bloom/constant/r;
		my $sent = $condition =~ /\$|SELECT/ ? qr/\$1::public\.bloom\b/ : qr/'::public\.bloom\b/;

		is_shipped(explained($query), $number, qr/WHERE (?=.*$sent).*$remote_sql/, "$name is shipped");
		is(digest($query), $expected, "$name gives the rows of the remote table");

		# the same where the extension is not named
		is_kept(explained($query =~ s/keys/plain.keys/r), $number, "$name is evaluated here");
		is(digest($query =~ s/keys/plain.keys/r), $expected, "$name gives the same rows");
	}
}

# what the planner expects to travel
my ($planned) = $node->safe_psql('postgres', "EXPLAIN SELECT id FROM keys WHERE bloom_contains($ids, id)")
  =~ /^Foreign Scan on keys .* rows=(\d+) /;
cmp_ok($planned, '>', 500, 'at least so many rows are expected');
cmp_ok($planned, '<', 3000, 'and at most so many');

# the remote planner is asked about a filter that it does not see yet
is_shipped(
	explained(
		"SELECT id FROM keys WHERE bloom_contains($ids_stored, id)",
		"BEGIN; ALTER FOREIGN TABLE keys OPTIONS (ADD use_remote_estimate 'true');"),
	$travelling, $called, 'shipped with remote estimates');

# Keys travel to filters, and are the same there.
for my $n (0 .. $#typed)
{
	my ($key, $other) = @{ $typed[$n] };
	my $remote_sql = qr/WHERE .*f$n OPERATOR\(public\.@>\)/;

	is_shipped(explained("SELECT 1 FROM typed WHERE f$n @> $key"), 1, $remote_sql, "$key is found");
	is_shipped(explained("SELECT 1 FROM typed WHERE f$n @> $other"), 0, $remote_sql, "$other is not");
}
is_shipped(explained("SELECT n FROM filters WHERE bloom_contains_any(f, '{3,-1}'::int[])"),
	2, qr/WHERE .*public\.bloom_contains_any\(f/, 'any key of an array');
is_shipped(explained("SELECT n FROM filters WHERE bloom_contains_all(f, '{3,4998}'::int[])"),
	2, qr/WHERE .*public\.bloom_contains_all\(f/, 'all keys of an array');

# A text that comes from no remote column has a collation of this server, and
# stays; hashed, it has none.
for my $key (q{'key 7'}, q{bloom_key('key 7')}, q{(SELECT bloom_key(s) FROM (VALUES ('key 7')) v(s))})
{
	is($node->safe_psql('postgres', "SELECT n FROM filters WHERE bloom_contains(texts, $key)"),
		'7', "$key is found");
	is_shipped(explained("SELECT n FROM filters WHERE bloom_contains(texts, $key)"),
		1, $called, "$key is shipped")
	  if $key =~ /bloom_key/;
}

# Both sides are remote: neither travels.
my $both = 'SELECT count(*), sum(id) FROM filters JOIN keys ON f @> id WHERE n = 7';
is_shipped(explained($both), 1, qr/JOIN .*$contains/, 'a join by a filter is shipped');
is($node->safe_psql('postgres', $both), $node->safe_psql('remote', $both), 'and gives the same');

#
# Aggregates: one filter comes back
#

for my $table ('keys', 'nothing')
{
	for my $aggregate (
		'bloom_agg(id)',
		'bloom_agg(id, 0.001)',
		'bloom_agg(id, 150000, 0.02)',
		'bloom_agg(id, NULL, 0.05)',
		'bloom_agg(bloom_key(id))',
		'bloom_agg(bloom_key(id), 0.001)',
		'bloom_agg(bloom_key(id), 150000, 0.02)',
		'bloom_agg(DISTINCT id % 1000)',
		'bloom_agg(id) FILTER (WHERE id % 3 = 0)',
		($table eq 'keys' ? ('bloom_agg(s)', 'bloom_agg(bloom_key(s))', 'bloom_agg(pair, 0.1)') : ()))
	{
		my $query = "SELECT $aggregate FROM $table";
		my $expected = filter_digest($query, '', 'remote');

		is_shipped(explained($query), 1, qr/public\.bloom_agg\(.*FROM public\.$table/, "$query is shipped");
		is(filter_digest($query), $expected, "$query gives the bytes of the remote server");
		is(outline(explained("SELECT $aggregate FROM plain.$table")),
			"Aggregate\nForeign Scan", "$query is not shipped without the extension");
		is(filter_digest("SELECT $aggregate FROM plain.$table"), $expected,
			"$query gives the same bytes here");
	}
}

# the remote server's WARNING may not come along; the filter itself tells
my $full = 'SELECT bloom_agg(id, 1000, 0.01) FROM keys';
is( filter_digest($full),
	filter_digest($full, 'SET client_min_messages = error;', 'remote'),
	'a filter past its capacity has the bytes of the remote server');
is($node->safe_psql('postgres', "SELECT layers, saturated FROM bloom_info(($full))"),
	'1|t', 'and tells that it is full');

# groups, and what is asked of each
my $groups = 'SELECT g, bloom_agg(id), bloom_agg(s, 20000, 0.01) FROM keys GROUP BY g';
is_shipped(explained($groups), 7, qr/public\.bloom_agg\(id\), public\.bloom_agg\(s, .* GROUP BY 1$/m,
	'GROUP BY is shipped');
is(filter_digest($groups), filter_digest($groups, '', 'remote'), 'groups of the same bytes');
is(filter_digest($groups =~ s/keys/plain.keys/r),
	filter_digest($groups), 'the same groups without the extension');
is_shipped(explained("$groups HAVING bloom_agg(id) @> 8::bigint"),
	1, qr/GROUP BY 1 HAVING .*public\.bloom_agg\(id\) OPERATOR\(public\.@>\)/, 'HAVING is shipped');

#
# Partitions: one filter comes back from each
#

my $partitionwise = 'SET enable_partitionwise_aggregate = on;';

sub three_times
{
	return join "\n", (@_) x 3;
}

my $everything = 'SELECT bloom_agg(id, 30000, 0.01) FROM events_copy';
my $expected = filter_digest($everything);

is( $node->safe_psql('postgres',
		"SELECT layers, saturated, keys BETWEEN 19600 AND 20480 FROM bloom_info(($everything))"),
	'1|f|t',
	'the filter of all partitions');
is( $node->safe_psql('postgres', q{
		SELECT region, min(layers), max(layers) FROM
			(SELECT region, bloom_agg(id, 30000, 0.01) FROM events GROUP BY region) x(region, f),
			bloom_info(f)
		GROUP BY region ORDER BY region}),
	"0|1|1\n1|1|1\n2|1|1\n3|0|0",
	'filters and a list come from the partitions');

my $united = q{
	SELECT bloom_union_agg(f) FROM (
		SELECT bloom_agg(id, 30000, 0.01) AS f FROM events GROUP BY region) x};
my $plan = explained($united, $partitionwise);

is(outline($plan), "Aggregate\nAppend\n" . three_times('Foreign Scan', 'bloom_agg there'),
	'partitions make their filters');
like($plan, qr/Append ${\ rows(4) }/, 'a filter for each region travels');
is(filter_digest($united, $partitionwise), $expected, 'they unite to the filter of all');
is(filter_digest($united), $expected, 'and so without partitionwise aggregates');
is(filter_digest($united =~ s/\bid\b/bloom_key(id)/r, $partitionwise),
	$expected, 'and so from hashed keys');

# filters that are full do not become one, but lose no key
my $united_full = $united =~ s/30000/5000/r;
is( $node->safe_psql(
		'postgres', qq{$partitionwise
		WITH u(f) AS MATERIALIZED ($united_full)
		SELECT count(*) FILTER (WHERE f @> id), count(*) FILTER (WHERE f @> -id) < 5000,
			max((bloom_info(f)).layers) > 1
		FROM u, events_copy}),
	'21040|t|t',
	'full filters unite without loss');

# all partitions at once
my $async = "BEGIN; ALTER SERVER far OPTIONS (ADD async_capable 'true'); $partitionwise";
is( outline(explained($united, $async)),
	"Aggregate\nAppend\n" . three_times('Async Foreign Scan', 'bloom_agg there'),
	'partitions make their filters at one time');
is(filter_digest($united, $async), $expected, 'which unite to the same');

# A plain aggregate has states, which no remote server can send: the rows do
# travel, but the bytes are the same, also where a partition is local.
for my $table ('events', 'mixed')
{
	my $first = $table eq 'events' ? 'Foreign Scan' : 'Seq Scan';

	for my $aggregate (
		'bloom_agg(id)',
		'bloom_agg(id, 0.001)',
		'bloom_agg(id, NULL, 0.05)',
		'bloom_agg(id, 30000, 0.01)',
		'bloom_agg(bloom_key(id))',
		'bloom_agg(s)')
	{
		my $query = "SELECT $aggregate FROM $table";
		my $over_copy = filter_digest("SELECT $aggregate FROM events_copy");

		is( outline(explained($query, $partitionwise)),
			join("\n", 'Finalize Aggregate', 'Append', map { ('Partial Aggregate', $_) }
				  $first, 'Foreign Scan', 'Foreign Scan'),
			"$query is partition-wise");
		is(filter_digest($query, $partitionwise), $over_copy, "$query has the bytes of one table");
		is(filter_digest($query), $over_copy, "$query has them, not partition-wise");
	}
}

# Grouped by the partition key, local partitions are aggregated one by one.
for my $aggregate ('bloom_agg(id)', 'bloom_agg(id, 0.001)', 'bloom_agg(id, 30000, 0.01)', 'bloom_agg(s)')
{
	my $query = "SELECT region, $aggregate AS f FROM near GROUP BY region";
	my $over_copy = filter_digest("SELECT region, $aggregate AS f FROM events_copy GROUP BY region");

	like($over_copy, qr/^4\|/, "four groups of $aggregate");
	is(outline(explained($query, $partitionwise)), "Append\n" . three_times('HashAggregate', 'Seq Scan'),
		"groups of $aggregate are partition-wise");
	is(filter_digest($query, $partitionwise), $over_copy, "groups of $aggregate have the bytes of one table");
	is(filter_digest($query), $over_copy, "groups of $aggregate have them, not partition-wise");
}

#
# Stored filters: united and intersected where they are
#

for my $stored ([ 'bloom_union_agg', 'f' ], [ 'bloom_intersection_agg', 'g' ])
{
	my ($aggregate, $column) = @$stored;
	my $over_copy = filter_digest("SELECT $aggregate($column) FROM shards_copy WHERE shard < 10");

	for my $table ('shards', 'shards_near')
	{
		my $query = "SELECT $aggregate($column) FROM $table WHERE shard < 10";
		my $scan = $table eq 'shards' ? 'Foreign Scan' : 'Seq Scan';

		is( outline(explained($query, $partitionwise)),
			"Finalize Aggregate\nAppend\n" . three_times('Partial Aggregate', $scan),
			"$aggregate over $table is partition-wise");
		is(filter_digest($query, $partitionwise), $over_copy,
			"$aggregate over $table has the bytes of one table");
		is(filter_digest($query), $over_copy, "$aggregate over $table has them, not partition-wise");
	}

	my $twice = "SELECT $aggregate(f) FROM
		(SELECT $aggregate($column) AS f FROM shards WHERE shard < 10 GROUP BY region) x";
	$plan = explained($twice, $partitionwise);
	is(outline($plan), "Aggregate\nAppend\n" . three_times('Foreign Scan', "$aggregate there"),
		"$aggregate of groups is shipped");
	like($plan, qr/Append ${\ rows(4) }/, "$aggregate of each region travels");
	is(filter_digest($twice, $partitionwise), $over_copy, "$aggregate of groups has the same bytes");
}
is(filter_digest('SELECT bloom_union_agg(f) FROM shards', $partitionwise),
	$expected, 'stored filters unite to the filter of all');
is( $node->safe_psql(
		'postgres', qq{$partitionwise
		SELECT count(*) FILTER (WHERE k % 19 >= 10 AND k <= 1000 AND f @> k),
			count(*) FILTER (WHERE f @> k) < 700
		FROM (SELECT bloom_intersection_agg(g) FROM shards WHERE shard < 10) x(f), generate_series(1, 1300) k}),
	(grep { $_ % 19 >= 10 } 1 .. 1000) . '|t',
	'stored filters have in common what no shard leaves out');

for my $aggregate (
	'bloom_union_agg(f)',
	'bloom_intersection_agg(f)',
	'bloom_shrink(bloom_union_agg(f))',
	'bloom_intersection_agg(bloom_shrink(f))')
{
	my $query = "SELECT $aggregate FROM filters WHERE n IN (3, 4, 5)";
	my $there = filter_digest($query, '', 'remote');
	my $sent = $aggregate =~ s/bloom_/public.bloom_/gr;

	is_shipped(explained($query), 1, qr/\Q$sent\E FROM public\.filters/, "$aggregate is shipped");
	is(filter_digest($query), $there, "$aggregate has the bytes of the remote server");
	is(filter_digest($query =~ s/filters/plain.filters/r), $there, "$aggregate has the same bytes here");
}

# what an intersection leaves, and what shrinking makes of its sides, is no
# matter of where: 4 and 5 have the keys 2, 7, 12, ... in common, 3 has none
is( $node->safe_psql('postgres', q{
		SELECT f = s, bloom_contains_all(f, '{2,7,4997}'::int[]),
			bloom_contains_all(s, '{2,7,4997}'::int[]),
			(bloom_info(f)).bits > 8 * (bloom_info(s)).bits
		FROM (SELECT bloom_intersection_agg(f), bloom_intersection_agg(bloom_shrink(f))
			  FROM filters WHERE n IN (4, 5)) x(f, s)}),
	'f|t|t|t',
	'an intersection, also of shrunk sides');
is_shipped(explained('SELECT n FROM filters WHERE bloom_cardinality(bloom_shrink(f)) > 900'),
	10, qr/WHERE .*public\.bloom_shrink\(f\)/, 'a condition that shrinks');
is(filter_digest('SELECT bloom_shrink(f) AS f FROM filters'),
	filter_digest('SELECT bloom_shrink(f) AS f FROM filters', '', 'remote'),
	'filters shrink here as there');

# no filters
for my $schema ('public', 'plain')
{
	is( $node->safe_psql('postgres', qq{
			SELECT bloom_agg(id) = bloom_create(1), bloom_union_agg(f) = bloom_create(1),
				bloom_intersection_agg(f) IS NULL
			FROM $schema.nothing}),
		't|t|t',
		"over no rows of $schema");
}

#
# Writing: the key travels, not the filter
#

$plan = explained('UPDATE filters SET f = bloom_add(f, 70007::bigint) WHERE n = 7');
like(
	$plan,
	qr/Foreign Update on public\.filters ${\ rows(1) }\n +Remote SQL: UPDATE .*public\.bloom_add\(f, 70007::bigint\)/,
	'a key is added there');
unlike($plan, qr/Remote SQL: SELECT/, 'without a look at the filter');
$node->safe_psql('postgres', q{
	UPDATE filters SET f = bloom_add_all(f, '{70008,70009}'::int[]),
		texts = bloom_add(texts, bloom_key('new')) WHERE n = 7;
	INSERT INTO nothing SELECT 1, ids FROM filter});
is( $node->safe_psql('remote', q{
		SELECT n, bloom_contains_all(f, '{3,70007,70008,70009}'::int[]),
			bloom_contains_all(texts, '{key 7,new}'::text[])
		FROM filters WHERE bloom_contains_any(f, '{70007,70008,70009}'::int[])}),
	'7|t|t',
	'keys are added to one filter');
is( $node->safe_psql('remote', "SELECT f = $ids FROM nothing"),
	't', 'a filter that is sent arrives');

#
# Errors
#

# The error of a query that fails, and of the next one in the same session.
sub error_of
{
	my ($query) = @_;
	my ($ret, $stdout, $stderr) = $node->psql(
		'postgres', "\\set VERBOSITY verbose\n$query;\nSELECT 'goes on', count(*) FROM filters;",
		on_error_stop => 0);

	is($stdout, 'goes on|10', 'the session goes on');
	$stderr =~ s/^psql:.*?: ERROR/ERROR/m;
	return $stderr;
}

for my $wrong (
	[
		"SELECT count(*) FROM keys WHERE bloom_contains($texts_stored, id)",
		'42804: cannot probe a filter of text keys with a key of family number',
		q{Values of the families "number" and "text" are never the same key.},
		q{Cast the key to the type of the filter's keys, for example x::text. }
		  . q{Where the texts have 5 for 5.0, use trim_scale(x)::text. }
		  . q{If it should hold numbers, it was made from literals or parameters without a type: write $1::bigint there.}
	],
	[
		"SELECT count(*) FROM keys WHERE $texts @> id",
		'42804: cannot probe a filter of text keys with a key of family number',
		q{Values of the families "number" and "text" are never the same key.},
		q{Cast the key to the type of the filter's keys, for example x::text. }
		  . q{Where the texts have 5 for 5.0, use trim_scale(x)::text. }
		  . q{If it should hold numbers, it was made from literals or parameters without a type: write $1::bigint there.}
	],
	[
		"SELECT count(*) FROM keys WHERE s <@ $ids_made",
		'42804: cannot probe a filter of number keys with a key of family text',
		q{Values of the families "text" and "number" are never the same key.},
		q{Cast the key to the type of the filter's keys, for example '...'::bigint or $1::bigint }
		  . q{(in an array, '{...}'::bigint[]). A number with decimal places needs ::numeric.}
	],
	[
		'SELECT bloom_intersection_agg(f | texts) FROM filters',
		'42804: cannot unite a filter of number keys with a filter of text keys',
		q{Values of the families "number" and "text" are never the same key.},
		'Build both filters from columns of one key family, with a cast where it differs.'
	])
{
	my ($query, $message, $detail, $hint) = @$wrong;
	my $there = error_of($query);
	my $here = error_of($query =~ s/FROM (keys|filters)/FROM plain.$1/r);

	like($there,
		qr/^ERROR:  \Q$message\E\nDETAIL:  \Q$detail\E\nHINT:  \Q$hint\E\nCONTEXT:  remote SQL command: SELECT .*bloom/m,
		"the remote server says: $message");
	like($here, qr/^ERROR:  \Q$message\E\nDETAIL:  \Q$detail\E\nHINT:  \Q$hint\E\n/m,
		'which is what this one says');
	unlike($here, qr/remote SQL command/, 'on its own');
}

#
# Estimates: a filter of a foreign table beside its join counts once
#

sub expected_rows
{
	my ($query) = @_;
	my ($rows) = $node->safe_psql('postgres', "EXPLAIN $query") =~ /rows=(\d+)/;
	return $rows;
}

$node->safe_psql('postgres', q{
	CREATE TABLE picked AS SELECT i::bigint AS id, i % 50 AS part FROM generate_series(1, 100000, 10) i;
	ANALYZE picked});
foreach my $keys ('keys', 'plain.keys')
{
	my $join = "SELECT FROM $keys k JOIN picked p USING (id) WHERE part = 1";
	my $filter = 'bloom_contains((SELECT bloom_agg(id) FROM picked WHERE part = 1), k.id)';
	my $without = expected_rows($join);
	my $with = expected_rows("$join AND $filter");

	cmp_ok($with, '<=', $without, "$keys: not more rows than without the filter");
	cmp_ok($with, '>=', $without / 2, 'and not the product of both');
	my $exists = "SELECT FROM $keys k WHERE EXISTS (SELECT FROM picked p WHERE p.id = k.id AND part = 1)";
	is(expected_rows("$exists AND (SELECT bloom_agg(id) FROM picked WHERE part = 1) @> k.id"),
		expected_rows($exists), "$keys, EXISTS");
}
is(expected_rows('SELECT FROM picked p JOIN keys k USING (id) WHERE k.id < 5000
		AND bloom_contains((SELECT bloom_agg(id) FROM keys WHERE id < 5000), p.id)'),
	expected_rows('SELECT FROM picked p JOIN keys k USING (id) WHERE k.id < 5000'),
	'the partner is a foreign table');

# A condition that is sent there uses an index USING bloom_pages there.
$node->safe_psql('remote', 'CREATE INDEX keys_s ON keys USING bloom_pages (s); ANALYZE keys');
is($node->safe_psql('postgres', q{SELECT id FROM keys WHERE s IN ('key 777', 'key', 'key 99999') ORDER BY id}),
	"777\n99999", 'rows that an index of the remote side finds');
ok($node->poll_query_until('remote', q{SELECT idx_scan = 3 FROM pg_stat_user_indexes WHERE indexrelname = 'keys_s'}),
	'it has been searched once for each key');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
