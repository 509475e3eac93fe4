# Text under a nondeterministic collation is refused wherever it hides: strings
# that are equal there would be different keys, and 'ALICE' not found where 'alice' is
# (TimescaleDB 10263).

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

my ($ret, $stdout, $stderr) = $node->psql('postgres',
	q{CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)});
if ($ret != 0)
{
	$node->stop;
	plan skip_all => 'the server has no ICU';
}

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE COLLATION sorted (provider = icu, locale = 'und');
	CREATE TYPE mood AS ENUM ('sad', 'ok');
	CREATE DOMAIN folded AS text COLLATE nocase;
	CREATE DOMAIN folded_again AS folded;
	CREATE DOMAIN foldeds AS folded[];
	CREATE TYPE pair AS (a int, b text COLLATE nocase);
	CREATE TYPE nested AS (p pair);
	CREATE TYPE of_domain AS (d folded);
	CREATE TYPE of_arrays AS (a text[] COLLATE nocase);
	CREATE TYPE clean AS (a int, b text COLLATE "C", c text);
	CREATE DOMAIN pair_domain AS pair;
	CREATE TYPE foldrange AS RANGE (subtype = text, collation = nocase);
	CREATE TYPE cleanrange AS RANGE (subtype = text, collation = sorted);
	CREATE TABLE t (i int, v text COLLATE nocase, w varchar(10) COLLATE nocase,
		c char(5) COLLATE nocase, n name COLLATE nocase, a text[] COLLATE nocase,
		d folded, plain text COLLATE sorted);
	INSERT INTO t VALUES (1, 'a', 'a', 'a', 'a', '{a}', 'a', 'a'), (2, 'A', 'A', 'A', 'A', '{A}', 'A', 'A')});

is($node->safe_psql('postgres', 'SELECT count(DISTINCT v), count(DISTINCT plain) FROM t'),
	'1|2', 'a collation that takes a and A for equal');

# Is an expression over t refused as it should be?  Else what happens.
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION not_refused(expression text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		result text;
		detail text;
		hint text;
	BEGIN
		EXECUTE 'SELECT ' || expression || ' FROM t' INTO result;
		RETURN expression || ' is ' || coalesce(result, 'null');
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN CASE WHEN SQLSTATE = '0A000' AND SQLERRM LIKE '%nondeterministic collation%' AND
				detail LIKE '%"nocase"%' AND hint LIKE '%COLLATE "C"%'
			THEN '' ELSE expression || ': ' || SQLSTATE || ' ' || SQLERRM END;
	END $$});
sub not_refused
{
	return $node->safe_psql(
		'postgres',
		'SELECT coalesce(string_agg(n, $$, $$), $$$$) FROM (VALUES '
		  . join(', ', map { "(\$q\$$_\$q\$)" } @_)
		  . ') e (x), not_refused(x) n WHERE n <> $$$$');
}

my @values = (
	'v', 'w', 'c', 'n', 'a', 'd', 'v || v', 'lower(v)', q{plain COLLATE nocase},
	q{'a'::text COLLATE nocase}, q{'a'::varchar COLLATE nocase}, 'd::folded_again', 'd::text',
	'ARRAY[v]', 'ARRAY[ARRAY[v]]', 'ARRAY[d]', 'ARRAY[d]::foldeds', 'ARRAY[d::folded_again]',
	'ROW(v)', 'ROW(1, v)', 'ROW(ROW(v))', 'ROW(a)', 'ROW(ARRAY[v])', 'ARRAY[ROW(1, v)::pair]',
	'ROW(1, v)::pair', 'ROW(1, v)::pair_domain', 'ROW(ROW(1, v))::nested', 'ROW(d)::of_domain',
	'ROW(a)::of_arrays', 'ROW(1, NULL)::pair', 't', 'foldrange(v, NULL)', 'ARRAY[foldrange(v, v)]',
	q{'empty'::foldrange}, 'ROW(foldrange(v, v))');
my @uses = (
	'bloom_key(%s)', 'bloom_agg(%s)', 'bloom_agg(%s, 0.1)', 'bloom_agg(%s, 10, 0.1)',
	'bloom_add(bloom_create(1), %s)', 'bloom_contains(bloom_create(1), %s)',
	'bloom_create(1) @> %s', '%s <@ bloom_create(1)');

for my $value (@values)
{
	is(not_refused(map { s/%s/$value/r } @uses), '', "$value is refused");
}

# literals without a type (bloom_agg asks for one)
is(not_refused($_), '', "$_ is refused")
  for map { s/%s/'a' COLLATE nocase/r } grep { !/agg/ } @uses;

# elements of arrays
is(not_refused($_), '', "$_ is refused")
  for (
	'bloom_add_all(bloom_create(1), ARRAY[v])', 'bloom_add_all(bloom_create(1), a)',
	'bloom_contains_any(bloom_create(1), ARRAY[v])', 'bloom_contains_all(bloom_create(1), a)',
	'bloom_add_all(bloom_create(1), ARRAY[d])', 'bloom_add_all(bloom_create(1), ARRAY[ROW(1, v)::pair])');

# indexes of such keys, also where there is no row
$node->safe_psql('postgres', 'CREATE TABLE empty (LIKE t)');
for my $table ('t', 'empty')
{
	for my $key ('v', 'w', 'c', 'n', 'a', 'd', 'plain COLLATE nocase', 'lower(v)', '(ROW(i, v)::pair)',
		'(ROW(ROW(i, v))::nested)', '(ARRAY[ROW(i, v)::pair])', 'foldrange(v, NULL)')
	{
		my (undef, undef, $errors) = $node->psql('postgres', "CREATE INDEX ON $table USING bloom_pages ($key)");
		like($errors, qr/cannot use text under a nondeterministic collation as a key.*HINT:  .*x COLLATE "C"/s,
			"an index of $table on $key is refused");
	}
	my ($status) = $node->psql('postgres', "CREATE INDEX ON $table USING bloom_pages (v COLLATE \"C\")");
	is($status, 0, "an index of $table under another collation is not");
}

# Deterministic collations, and none, are as good as any other; keys do not
# depend on them.
my $expected = $node->safe_psql('postgres', q{SELECT bloom_key('a')});
for my $value (
	q{'a' COLLATE "C"}, q{'a' COLLATE sorted}, 'plain', 'v COLLATE "C"', 'd COLLATE "C"',
	'lower(v) COLLATE "C"', 'c COLLATE "C"', q{'a'::name}, q{min(plain) OVER ()})
{
	is($node->safe_psql('postgres', "SELECT bloom_key($value) FROM t WHERE i = 1"),
		$expected, "$value is a key");
}
for my $value (
	'ROW(1, v COLLATE "C")', 'ARRAY[v COLLATE "C"]', q{ROW(1, 'a', v)::clean},
	q{cleanrange('a', 'b')}, q{'sad'::mood}, q{'a'::bytea}, 'ROW(i, plain)')
{
	like($node->safe_psql('postgres', "SELECT bloom_key($value) FROM t WHERE i = 1"),
		qr/^[a-z]+(\/[0-9a-f]{8})?:[0-9a-f]{16}$/, "$value is a key");
}

# a collation that nobody could decide on is none that is known
like($node->safe_psql('postgres', q{SELECT bloom_key(plain || ('a' COLLATE "C")) FROM t WHERE i = 1}),
	qr/^text:/, 'an explicit collation wins');
like($node->safe_psql('postgres', q{SELECT bloom_key(plain || (v COLLATE "C")::text) FROM t WHERE i = 1}),
	qr/^text:/, 'also over a nondeterministic column');

# a database under such a collation needs none of this spelled out; its system
# catalogues are C
is($node->safe_psql('postgres', q{SELECT bloom_agg(relname) @> 't'::name FROM pg_class}),
	't', 'names of the catalogue are keys');

# Joins may have filters by such text, whose hashes are those of the collation, but not by names, whose
# hashes are not.
sub plan_of_join
{
	my ($left, $right) = @_;
	return $node->safe_psql('postgres', "LOAD 'bloomtype_join'; SET bloomtype_join.enable = force;
		SET enable_nestloop = off; SET enable_mergejoin = off; EXPLAIN SELECT FROM t a JOIN t b ON a.$left = b.$right");
}
like(plan_of_join('v', 'w'), qr/BloomtypeProbe/, 'a join of text has a filter');
like(plan_of_join($$_[0], $$_[1]), qr/^Hash Join(?!.*Bloomtype)/s, "a join of $$_[0] and $$_[1] has none")
  for [ 'n', 'n' ], [ 'v', 'n' ], [ 'n', 'w' ];

$node->stop;
done_testing();
