# The limits that take minutes and gigabytes to reach.
#
# Runs alone: it fills memory.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'takes minutes and gigabytes: left to test/run --all'
  unless $ENV{BLOOMTYPE_SLOW};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION bloomtype');

# A filter that sizes itself takes 100 million keys, and says what to do then.
my (undef, undef, $stderr) = $node->psql('postgres',
	'SELECT bloom_info(bloom_agg(i)) FROM generate_series(1, 101000000) i');
like($stderr, qr/too many distinct keys for a filter that sizes itself/, 'one too many');
like($stderr, qr/The limit is 100000000 keys/, 'the limit is named');
like($stderr, qr/bloom_agg\(value, capacity, fpp\)/, 'and the way out');

is($node->safe_psql('postgres', q{
		SELECT layers, keys BETWEEN 99000000 AND 101000000, current_fpp <= 0.01
		FROM (SELECT bloom_agg(i) FROM generate_series(1, 100000000) i) s(f), bloom_info(f)}),
	'1|t|t', '100 million are taken');

# The largest filter: built, stored, dumped as text, and asked.
$node->safe_psql('postgres', q{
	CREATE TABLE largest AS
	SELECT bloom_add_all(bloom_create(430000000), array_agg(i)) AS f FROM generate_series(1, 1000) i});
is($node->safe_psql('postgres', 'SELECT pg_column_size(f) > 500000000, f @> 7, f @> -7 FROM largest'),
	't|t|f', 'the largest filter is stored and asked');
SKIP:
{
	# the filter, its text and what is read from that are pieces of 0.5 to 0.7 GB each
	skip 'a process of 32 bits has no address space for all of them', 1
	  if $node->safe_psql('postgres', 'SELECT version()') =~ /32-bit/;

	is($node->safe_psql('postgres', 'SELECT f::text::bloom = f FROM largest'),
		't', 'and survives as text');
}

# A filter that has grown up to the limit takes what is left, then no more.
($_, undef, $stderr) = $node->psql('postgres', q{
	DO $$
	DECLARE
		f bloom := bloom_create(1000, 6e-17, 100);
		n int := 0;
	BEGIN
		LOOP
			f := bloom_add_all(f, (SELECT array_agg(i) FROM generate_series(n + 1, n + 400000) i));
			n := n + 400000;
		END LOOP;
	EXCEPTION WHEN program_limit_exceeded THEN
		RAISE NOTICE '% layers, % keys found: %', (bloom_info(f)).layers, n,
			bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, n) i));
		RAISE;
	END $$});
like($stderr, qr/[2-9] layers, \d+ keys found: t/, 'a further layer took what was left, no key is lost');
like($stderr, qr/filter can take no more keys/, 'then it is full');

#
# Filters of other systems
#

# A filter that needs the number of keys takes so many, by the words of a hash.
for (
	[ 'parquet_int64', 'i', '', 100000000, qr/Give the capacity/ ],
	[ 'redis', 'i::text', '200000000,', 50000000, qr/Split the keys/ ],
	[ 'go', 'i::text', '', 25000000, qr/Give the capacity/ ])
{
	my ($format, $key, $capacity, $limit, $hint) = @$_;
	my $call = "external_bloom_agg($key, '$format', $capacity 0.1)";
	my $one_more = $limit + 1;

	is( $node->safe_psql('postgres', "
			SELECT keys BETWEEN $limit * 0.99 AND $limit * 1.01
			FROM (SELECT $call FROM generate_series(1, $limit\::bigint) i) s(f),
				external_bloom_info(f, '$format')"),
		't', "$format: $limit keys are taken");
	(undef, undef, $stderr) = $node->psql('postgres',
		"SELECT length($call) FROM generate_series(1, $one_more\::bigint) i");
	like($stderr, qr/too many distinct keys for a filter of format "$format"/, "$format: one too many");
	like($stderr, qr/The limit is $limit keys/, "$format: the limit is named");
	like($stderr, $hint, "$format: and the way out");
}

# copies do not count, however many there are, and take no memory for long
is( $node->safe_psql('postgres', q{
		SELECT external_bloom_agg((i % 20000000)::text, 'go', 0.1) =
			external_bloom_agg((i % 20000000)::text, 'go', 20000000, 0.1)
		FROM generate_series(1, 45000000) i}),
	't', 'go: copies do not count');

# a state of so many copies is longer than the server's messages may be
$node->safe_psql('postgres', q{
	CREATE AGGREGATE state(anycompatible, text, float8) (SFUNC = external_bloom_agg_transition,
		STYPE = internal, FINALFUNC = external_bloom_agg_serialize)});
is( $node->safe_psql('postgres', q{
		SELECT length(state(i % 99000000, 'parquet_int64', 0.1)) FROM generate_series(1, 131000000::bigint) i}),
	2 + length('parquet_int64') + 17 + 8 * 99000000,
	'parquet: a state with many copies');

# The largest capacity: built, stored, printed among short columns, and asked; none for one
# key more.
$node->safe_psql('postgres', q{
	CREATE TABLE external (id int, format text, f bytea, at timestamptz DEFAULT now());
	ALTER TABLE external ALTER f SET STORAGE external});
for (
	[ 'guava', 448035137, 536805374 ],
	[ 'go', 448035123, 536805376 ],
	[ 'spark_v2', 448035130, 536805376 ],
	[ 'redis', 389421326, 536805369 ],
	[ 'parquet', 110906249, 134217728 ])
{
	my ($format, $capacity, $length) = @$_;

	$node->safe_psql('postgres', "
		INSERT INTO external (id, format, f)
		SELECT $capacity, '$format', external_bloom_agg(i::text, '$format', $capacity, 0.01)
		FROM generate_series(1, 1000) i");
	is( $node->safe_psql('postgres', "
			SELECT length(f), external_bloom_contains(f, format, '7'),
				external_bloom_contains(f, format, '-7'), (external_bloom_info(f, format)).keys,
				external_bloom_contains(external_bloom_add(f, format, '-7'), format, '-7')
			FROM external WHERE format = '$format'"),
		"$length|t|f|1000|t", "$format: the largest filter is stored and asked");
	($_, undef, $stderr) = $node->psql('postgres',
		"COPY (SELECT * FROM external WHERE format = '$format') TO '/dev/null'");
	is($_ . $stderr, '0', "$format: and printed");
	$capacity++;
	(undef, undef, $stderr) = $node->psql('postgres',
		"SELECT external_bloom_agg('a'::text, '$format', $capacity, 0.01)");
	like($stderr, qr/cannot make a filter of format "$format".*It would take more than (536805376 bytes|128 MB)/s,
		"$format: none for one key more");
}
is( $node->safe_psql('postgres', q{
		SELECT length(f), external_bloom_contains(f, 'leveldb', '1'), external_bloom_contains(f, 'leveldb', '3')
		FROM (SELECT external_bloom_agg(i::text, 'leveldb', 2147221500) AS f FROM generate_series(1, 2) i) s}),
	'536805376|t|f', 'leveldb: the largest filter is asked');
(undef, undef, $stderr) = $node->psql('postgres',
	q{SELECT external_bloom_agg(i::text, 'leveldb', 2147221500) FROM generate_series(1, 3) i});
like($stderr, qr/cannot make a filter of format "leveldb".*It would take more than 536805376 bytes/s,
	'leveldb: none for one key more');

# It survives as text: dumped, and restored.
SKIP:
{
	# lines of 1 GB
	skip 'a process of 32 bits has no address space for them', 1
	  if $node->safe_psql('postgres', 'SELECT version()') =~ /32-bit/;

	my $dump = PostgreSQL::Test::Utils::tempdir() . '/largest.sql';

	$node->safe_psql('postgres', q{
		CREATE TABLE dumped AS SELECT * FROM external WHERE format = 'go';
		CREATE DATABASE restored});
	$node->run_log([ 'pg_dump', '-t', 'dumped', '-f', $dump, '-d', $node->connstr('postgres') ]);
	$node->run_log([ 'psql', '-Xq', '-f', $dump, '-d', $node->connstr('restored') ]);
	unlink $dump;
	is($node->safe_psql('restored', 'SELECT sha256(f) FROM dumped'),
		$node->safe_psql('postgres', 'SELECT sha256(f) FROM dumped'),
		'go: the largest filter is dumped and restored');
	$node->safe_psql('postgres', 'DROP DATABASE restored');
}

# One of 2^32 bits, as the library in Go makes it, is longer than what is printed.
$node->safe_psql('postgres', q{
	CREATE TABLE longer (f bytea);
	ALTER TABLE longer ALTER f SET STORAGE external;
	INSERT INTO longer
	SELECT '\x000000010000000000000000000000070000000100000000'::bytea || half || half
	FROM decode(repeat('00', 1 << 28), 'hex') half;
	UPDATE longer SET f = external_bloom_add(f, 'go', 'present')});
is( $node->safe_psql('postgres', q{
		SELECT length(f), external_bloom_contains(f, 'go', 'present'),
			external_bloom_contains(f, 'go', 'absent'), bits, keys
		FROM longer, external_bloom_info(f, 'go')}),
	'536870936|t|f|4294967296|1', 'a longer filter is asked and added to');
(undef, undef, $stderr) = $node->psql('postgres',
	q{SELECT length(external_bloom_union(f, f, 'go')) FROM longer});
like($stderr, qr/union of these filters of format "go" is too large.*external_bloom_contains\(a, 'go', x\) OR/s,
	'and not united');

# Of other writers, too: of Parquet it has 512 MB and no more.
for (
	[ q{f || f || f || f}, 't' ],
	[ q{f || f || f || f || substr(f, 1, 32)}, 'DETAIL:  It is longer than 512 MB' ])
{
	my ($bytes, $expected) = @$_;

	(undef, $_, $stderr) = $node->psql('postgres', "
		SELECT external_bloom_contains($bytes, 'parquet', '7') IS NOT NULL FROM external
		WHERE format = 'parquet'");
	like($_ . $stderr, qr/$expected/, "parquet: $bytes");
}

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
