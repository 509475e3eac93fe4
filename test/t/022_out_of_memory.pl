# Too little memory is an error, whenever it runs out: not a crash, and nothing is lost.
#
# Each statement runs many times, with a little more memory at each, until it has enough;
# so each of its larger allocations is the first to fail once.  The session goes on, and
# the statement has its result as soon as there is memory.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WireSession;

plan skip_all => 'memory can be limited on Linux only, with prlimit'
  unless WireSession::can_limit_memory();

# Memory that was freed goes back at once, so that the limit is on what is used.
$ENV{MALLOC_MMAP_THRESHOLD_} = $ENV{MALLOC_TRIM_THRESHOLD_} = 65536;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', "jit = off\nshared_preload_libraries = bloomtype\n" .
	"log_min_messages = fatal\nlog_min_error_statement = panic");
$node->start;
my $dir = $node->basedir;

# Filters of 2 MB, of each type; 200,000 keys; a filter that is full and grows.
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION bloomtype;
	CREATE TABLE keys AS SELECT generate_series(1, 200000) AS i;
	CREATE TABLE large AS
		SELECT bloom_agg(i, 1700000, 0.01) AS f, bloom_agg(-i, 1700000, 0.01) AS g,
			bloom_add_all(bloom_create(200000, 0.01, 10), array_agg(i)) AS growing,
			counting_bloom_agg(i, 425000, 0.01) AS counting, cuckoo_agg(i, 1600000, 0.01) AS cuckoo,
			external_bloom_agg(i::text, 'go', 1700000, 0.01) AS go,
			external_bloom_agg(i::text, 'redis', 1700000, 0.01) AS redis,
			external_bloom_agg(i, 'parquet_int32', 1700000, 0.01) AS parquet,
			(SELECT bloom_matrix_agg(n, bloom_agg) FROM generate_series(1, 256) n,
				(SELECT bloom_agg(i, 7000, 0.01) FROM generate_series(1, 7000) i) s) AS matrix,
			array_agg(i) AS present,
			array_agg(-i) AS absent, repeat('long text ', 200000) AS long
		FROM keys;
	COPY (SELECT f, counting, cuckoo FROM large) TO '$dir/binary' (FORMAT binary);
	COPY (SELECT f, counting, cuckoo FROM large) TO '$dir/text';
	CREATE TABLE copied (f bloom, counting counting_bloom, cuckoo cuckoo);

	-- stack that it has once is there ever after: its growth must not fail
	CREATE FUNCTION deep(n int) RETURNS int LANGUAGE plpgsql AS
		'BEGIN RETURN CASE WHEN n = 0 THEN 0 ELSE deep(n - 1) END; END'});

my $session = WireSession->connect($node, 'postgres');
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

sub run
{
	my ($sql) = @_;
	my $result = $session->query($sql);

	return "$result->{error}{C} $result->{error}{M}" if $result->{error};
	return join '|', map { $_ // 'null' } map { @$_ } @{ $result->{rows} // [] };
}

# Run a statement with ever more memory, in a session of its own: where an allocation
# failed, later ones may find room that is left in between.
sub test_memory
{
	my ($name, $sql) = @_;

	$session = WireSession->connect($node, 'postgres');
	run($_) for 'SET client_min_messages = error', 'SET max_parallel_workers_per_gather = 0',
	  "SET work_mem = '64MB'", 'SELECT deep(40)';

	my $expected = run($sql);
	my $nfailed = 0;
	my $bytes = 0;
	my $result;
	my @wrong;

	while (1)
	{
		$session->limit_memory($bytes);
		$result = run($sql);
		$session->limit_memory(undef);
		last if $result eq $expected;

		$nfailed++;
		run('ROLLBACK');
		push @wrong, "with $bytes bytes: $result" unless $result =~ /^53200 out of memory$/;
		$result = run('SELECT bloom_contains(f, 1) FROM large');
		push @wrong, "after a failure with $bytes bytes: $result" if $result ne 't';
		last if $bytes > 1 << 28;
		$bytes += $bytes < 1 << 20 ? 1 << 17 : 1 << 19;
	}
	is(run($sql), $expected, "$name: as before, once there is memory");
	is(scalar @wrong, 0, "$name: out of memory is an error, with less than $bytes bytes")
	  or diag join "\n", @wrong > 5 ? (@wrong[ 0 .. 4 ], '...') : @wrong;
	cmp_ok($nfailed, '>', 0, "$name: fails for want of memory $nfailed times");
	return;
}

# An expression of columns of the table of filters
sub expression
{
	my ($expression) = @_;
	return [ $expression, "SELECT $expression FROM large" ];
}

# An aggregate of keys
sub aggregate
{
	my ($aggregate) = @_;
	return [ $aggregate, "SELECT octet_length($aggregate\::bytea) FROM keys" ];
}

sub updated
{
	my ($assignment) = @_;
	return [ "UPDATE: $assignment",
		"BEGIN; UPDATE large SET $assignment; SELECT octet_length(f::bytea) FROM large; ROLLBACK" ];
}

my $whole = run('SELECT md5(l::text) FROM large l');
for my $case (
	expression('bloom_cardinality(bloom_add(f, -1))'),
	expression('bloom_cardinality(bloom_add_all(bloom_create(1700000), present))'),
	expression('bloom_contains_all(bloom_add_all(growing, absent), absent)'),
	expression('bloom_cardinality(f | g)'),
	expression('bloom_cardinality(f | growing)'),
	expression('bloom_cardinality(f & f) IS NULL'),
	expression('octet_length(bloom_shrink(f)::bytea)'),
	expression('(bloom_overlap(f, g)).keys_both < 10000'),
	expression('f && g'),
	expression('f = g'),
	expression('bloom_hash(f::text::bloom)'),
	expression('octet_length(f::text)'),
	expression('bloom_hash(f::bytea::bloom)'),
	expression('octet_length(bloom_send(f))'),
	expression('cardinality(bloom_missing(f, absent)) > 190000'),
	expression('bloom_contains_any(f, present)'),
	[ 'bloom_contains of many rows', 'SELECT count(f @> i) + count(g @> i) FROM large, keys' ],
	[ 'bloom_union_agg', 'SELECT octet_length(bloom_union_agg(x)::bytea)
		FROM (SELECT f FROM large UNION ALL SELECT g FROM large UNION ALL SELECT growing FROM large) s (x)' ],
	[ 'bloom_intersection_agg', 'SELECT octet_length(bloom_intersection_agg(x)::bytea)
		FROM (SELECT f FROM large UNION ALL SELECT g FROM large) s (x)' ],
	aggregate('bloom_agg(i)'),
	aggregate('bloom_agg(i, 1700000, 0.01)'),
	aggregate('bloom_agg(bloom_key(i), 0.001)'),
	expression('counting_bloom_cardinality(counting_bloom_add(counting, -1))'),
	expression('counting_bloom_cardinality(counting_bloom_remove_all(counting, present))'),
	expression('counting_bloom_cardinality(counting_bloom_add_all(counting_bloom_create(425000), present))'),
	expression('octet_length((counting | counting)::bytea)'),
	expression('octet_length(counting::bloom::bytea)'),
	expression('counting_bloom_hash(counting::text::counting_bloom)'),
	[ 'counting_bloom_union_agg', 'SELECT octet_length(counting_bloom_union_agg(x)::bytea)
		FROM (SELECT counting FROM large UNION ALL SELECT counting FROM large) s (x)' ],
	aggregate('counting_bloom_agg(i)'),
	aggregate('counting_bloom_agg(i % 100000)'),
	aggregate('counting_bloom_agg(i, 425000, 0.01)'),
	expression('cuckoo_cardinality(cuckoo_add(cuckoo, -1))'),
	expression('cuckoo_cardinality(cuckoo_remove_all(cuckoo, present))'),
	expression('cuckoo_cardinality(cuckoo_add_all(cuckoo_create(1600000), present))'),
	expression('cuckoo_hash(cuckoo::text::cuckoo)'),
	aggregate('cuckoo_agg(i)'),
	aggregate('cuckoo_agg(i, 1600000, 0.01)'),
	expression('bloom_matrix_hash(matrix::text::bloom_matrix)'),
	expression('bloom_matrix_hash(matrix::bytea::bloom_matrix)'),
	[ 'bloom_matrix_filter', 'SELECT sum(octet_length(bloom_matrix_filter(matrix, n)::bytea))
		FROM large, generate_series(1, 256::bigint) n' ],
	[ 'bloom_matrix_search', 'SELECT count(*) FROM large, generate_series(1, 3000) i, bloom_matrix_search(matrix, i)' ],
	[ 'bloom_matrix_search_any', 'SELECT count(*) FROM large, bloom_matrix_search_any(matrix, present)' ],
	[ 'bloom_matrix_agg', 'SELECT octet_length(bloom_matrix_agg(n, bloom_matrix_filter(matrix, n))::bytea)
		FROM large, generate_series(1, 256::bigint) n' ],
	expression(q{md5(external_bloom_add(go, 'go', 'a'))}),
	expression(q{md5(external_bloom_add_all(go, 'go', '{a,b}'::text[]))}),
	expression(q{md5(external_bloom_union(go, go, 'go'))}),
	expression(q{(external_bloom_info(go, 'go')).bits_set}),
	[ 'external_bloom_chunks', q{SELECT sum(length(chunk)) FROM large, external_bloom_chunks(redis, 'redis')} ],
	[ 'external_bloom_contains of many rows', q{SELECT count(external_bloom_contains(go, 'go', i::text)) +
		count(external_bloom_contains(parquet, 'parquet_int32', i)) FROM large, keys} ],
	expression(q{external_bloom_contains('\x01010000000100000000000000ff', 'guava_chars', long)}),
	aggregate(q{external_bloom_agg(i::text, 'go', 0.01)}),
	aggregate(q{external_bloom_agg(i::text, 'go', 1700000, 0.01)}),
	aggregate(q{external_bloom_agg(i::text, 'redis', 0.01)}),
	aggregate(q{external_bloom_agg(i, 'parquet_int32', 0.01)}),
	aggregate(q{external_bloom_agg(i::text, 'leveldb', 10)}),
	expression('bloom_key(present)'),
	expression('bloom_key(ROW(present, absent))'),
	expression('bloom_key(long)'),
	expression('bloom_partition(long, 100)'),
	updated('f = bloom_add(f, -1)'),
	updated('f = f | g, counting = counting_bloom_add(counting, 7), cuckoo = cuckoo_remove(cuckoo, 7)'),
	[ 'COPY of text', "BEGIN; COPY copied FROM '$dir/text'; SELECT count(*) FROM copied; ROLLBACK" ],
	[ 'COPY of binary', "BEGIN; COPY copied FROM '$dir/binary' (FORMAT binary); SELECT count(*) FROM copied; ROLLBACK" ])
{
	test_memory(@$case);
}
is(run('SELECT md5(l::text) FROM large l'), $whole, 'no filter has changed');
is(run('SELECT count(*) FROM copied'), '0', 'no filter was left behind');

#
# In parallel workers
#

# The workers are limited as the server is, from which they come.  With the least memory
# none can start, and the leader has too little.
my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
my ($kilobytes) = slurp_file("/proc/$postmaster/status") =~ /^VmSize:\s+(\d+)/m;
my %outcomes;

sub limit_server
{
	my ($limit) = @_;
	system_or_bail('prlimit', "--pid=$postmaster", "--as=$limit:");
	return;
}

for my $megabytes (map { 8 + 3 * $_ } 0 .. 20)
{
	limit_server(1024 * ($kilobytes + 1024 * $megabytes));
	my (undef, $stdout, $stderr) = $node->psql(
		'postgres', q{
		SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
		SET min_parallel_table_scan_size = 0;
		SELECT bloom_cardinality(bloom_agg(i, 3400000, 0.01)) BETWEEN 199000 AND 201000,
			counting_bloom_cardinality(counting_bloom_agg(i)) BETWEEN 199000 AND 201000,
			external_bloom_contains(external_bloom_agg(i::text, 'go', 0.01), 'go', '7')
		FROM keys});
	limit_server('unlimited');
	$stderr =~ s/^psql:<stdin>:\d+: //mg;
	$outcomes{ $stdout eq 't|t|t' ? 'result' : $stderr =~ /^(.*out of memory|.*)/ ? $1 : $stderr }++;
}
note "$_: $outcomes{$_}" for sort keys %outcomes;
is( join(', ', grep { !/^(result|ERROR:  out of memory|.*FATAL:  out of memory)$/ } sort keys %outcomes),
	'', 'in parallel workers, too');
cmp_ok($outcomes{result}, '>', 0, 'with enough memory, there is a result');
cmp_ok($outcomes{'ERROR:  out of memory'}, '>', 0, 'with less, there is none');

#
# The server stands
#

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server was not restarted');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
