# A statement is cancelled within 0.3 s, whatever it does with a filter of 512 MB, and
# whenever it is cancelled.  Without BLOOMTYPE_SLOW, the filters have a quarter of that size,
# and a statement a quarter of that time: what is not interrupted while it goes through all of
# a filter takes as much too long.
#
# What the server itself does with so large a value is not ours: it detoasts a stored
# filter, reads and writes it for COPY, copies it into a variable or a tuple in one go, and
# a text from and to a C string, twice in a cast by way of text.  So the filters are in
# variables of PL/pgSQL, which are passed as they are, and no result is kept.  Some of the
# tests begin with work of the server's; they are cancelled after that.
#
# Where /proc tells the processor time that the session takes from then on, and that is
# less than the time that passes, it counts: others may use the processor, too.  And the
# server keeps the memory that it frees, where that can be set: to hand out memory, and to take
# it back, takes some virtual machines longer than anything here.
#
# Functions of which each loop over the bytes is one that another has, too, are left to
# BLOOMTYPE_SLOW: see twin().
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use Config;
use IPC::Run qw(start);
use List::Util qw(max min);
use POSIX qw(sysconf _SC_CLK_TCK);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# Such filters, the states of aggregates and their copies are several pieces of 0.5 GB.
plan skip_all => 'takes more address space than a process of 32 bits has'
  if $Config{ptrsize} < 8;

plan skip_all => 'signals are sent to server processes' if $windows_os;

# Sizes and times are divided by this.
my $part = $ENV{BLOOMTYPE_SLOW} ? 1 : 4;
my $LIMIT = 0.3 / $part;

# Cancelled after these shares of the time that a statement takes, and again where
# that took too long: on a busy machine there may be other reasons.
my @shares = $ENV{BLOOMTYPE_SLOW} ? (0.15, 0.4, 0.65, 0.9) : (0.3, 0.75);
my $again = 2;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', 'jit = off');
{
	# for the GNU C library
	local @ENV{qw(MALLOC_MMAP_MAX_ MALLOC_TRIM_THRESHOLD_)} = (0, 1 << 40);

	$node->start;
}

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE keys AS SELECT generate_series(1, 20000) AS i;
	ALTER TABLE keys SET (parallel_workers = 1);
	ANALYZE keys;

	CREATE FUNCTION started() RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		RAISE NOTICE 'start %', pg_backend_pid();
		RETURN true;
	END $$;

	-- as the server makes it in a parallel worker
	CREATE AGGREGATE state(anycompatible, float8, float8)
		(SFUNC = bloom_agg_transition, STYPE = internal, FINALFUNC = bloom_agg_serialize)});
my $file = PostgreSQL::Test::Utils::tempdir() . '/binary';

# Run blocks of PL/pgSQL in one session, in turn, in each a list of tests: a name, a
# statement, and one that the statement begins with and that is not ours.  A statement
# that calls started() itself is timed from there.
sub test_cancelling
{
	my ($declarations, @tests) = @_;
	my $runs = 1 + (1 + $again) * @shares;
	my $block = "DO \$do\$ DECLARE $declarations; BEGIN\n";

	for my $test (@tests)
	{
		my ($name, $statement, $prefix) = @$test;
		my @statements = (defined $prefix ? ($prefix) x 2 : (), ($statement) x $runs);
		my $start = $statement =~ /started\(\)/ ? '' : 'PERFORM started();';

		$block .= <<"END" for @statements;
BEGIN
	$start
	$_;
	RAISE NOTICE 'finished';
	PERFORM pg_sleep(600);
EXCEPTION WHEN query_canceled THEN
	RAISE NOTICE 'cancelled';
END;
END
	}
	$block .= "END \$do\$;\n";

	my ($stdout, $stderr) = ('', '');
	my $psql = start(
		[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'), '-f', '-' ],
		'<', \$block, '>', \$stdout, '2>', \$stderr);
	# Wait for a notice; returns what comes behind its first word.
	my $wait_for = sub {
		my ($notice) = @_;
		my $start = time;

		while (time - $start < $PostgreSQL::Test::Utils::timeout_default)
		{
			return $1 if $stderr =~ s/^.*?NOTICE:  $notice *(.*?)\n//s;
			die "no notice '$notice': $stderr" if $stderr =~ /ERROR:|FATAL:/ || !$psql->pumpable;
			$psql->pump_nb;
			sleep 0.001;
		}
		die "no notice '$notice' in time: $stderr";
	};

	# Processor time of a process in seconds, its own and the kernel's, or nothing.
	my $processor_time = sub {
		my ($pid) = @_;

		open my $stat, '<', "/proc/$pid/stat" or return;
		my @fields = split ' ', (<$stat> =~ s/^.*\) //r);
		return ($fields[11] + $fields[12]) / sysconf(_SC_CLK_TCK);
	};

	# The seconds that a run takes, or from cancelling it after so many seconds
	# until that is done.
	my $run = sub {
		my ($after) = @_;
		my $pid = $wait_for->('start');
		my $start = time;
		my $taken;

		if (defined $after)
		{
			sleep $after;
		}
		else
		{
			$wait_for->('finished');
			$taken = time - $start;
		}
		my $before = $processor_time->($pid);
		$start = time;
		kill 'INT', $pid;
		$wait_for->('cancelled');
		my $delay = time - $start;
		$delay = min($delay, $processor_time->($pid) - $before) if defined $before;
		return $taken // $delay;
	};

	for my $test (@tests)
	{
		my ($name, $statement, $prefix) = @$test;
		my $not_ours = defined $prefix ? min($run->(), $run->()) : 0;
		my $ours = max(0, $run->() - $not_ours);

		# time passes unevenly: leave the part that is not ours behind for sure
		my @after = map { $not_ours * 1.2 + $ours * $_ } @shares;
		my @delays = map { $run->($_) } @after;

		# those that need no second run end at once
		for my $i (0 .. $again * @after - 1)
		{
			my $at = $i % @after;
			my $delay = $run->($delays[$at] > $LIMIT ? $after[$at] : 0);
			$delays[$at] = min($delays[$at], $delay) if $delays[$at] > $LIMIT;
		}

		cmp_ok(max(@delays), '<=', $LIMIT, "$name is cancelled in time");
		note sprintf '%s: takes %.2f s, cancelled within %s s', $name, $ours,
		  join ' ', map { sprintf '%.3f', $_ } @delays;
	}
	$psql->finish;
	is($stdout . $stderr, '', 'the session goes on to the end');
}

# An expression is evaluated, and its result dropped.
sub expression
{
	my ($name, $expression, $prefix) = @_;

	return [ $name,
		map { "IF ($_) IS NULL THEN NULL; END IF" } grep { defined } $expression, $prefix ];
}

# The result of an aggregate is dropped where it is made: a sub-select would copy it.
sub aggregate
{
	my ($name, $call, $from) = @_;

	return [ $name, "PERFORM $call IS NULL FROM $from" ];
}

# A test, or several, only where there is time for what others have tested
sub twin
{
	return $ENV{BLOOMTYPE_SLOW} ? @_ : ();
}

# All of these have 480 MB or more, of any kind, or a part of that.
my ($n, $n_half, $n_fold, $n_counting, $n_cuckoo) =
  map { $_ / $part } (425000000, 212000000, 212500000, 106000000, 400000000);
my $nbytes = (480 << 20) / $part;
my $bloom = "(SELECT bloom_agg(i, $n, 0.01) FROM keys)";
my $counting = "(SELECT counting_bloom_agg(i, $n_counting, 0.01) FROM keys)";
my $cuckoo = "(SELECT cuckoo_agg(i, $n_cuckoo, 0.01) FROM keys)";
for ($bloom, $counting, $cuckoo)
{
	cmp_ok($node->safe_psql('postgres', "SELECT octet_length($_\::bytea)"),
		'>', $nbytes, 'a large filter');
}

test_cancelling(
	"f bloom := $bloom",
	expression('bloom_out', 'bloom_out(f)'),
	expression('bloom_send', 'bloom_send(f)'),
	expression('bloom to bytea', 'f::bytea'),
	expression('bloom_eq', 'f = f'),
	twin(expression('bloom_ne', 'f <> f')),
	expression('bloom_hash', 'bloom_hash(f)'),
	twin(expression('bloom_hash_extended', 'bloom_hash_extended(f, 1)')),
	expression('bloom_add', 'bloom_add(f, -1)'),
	twin(expression('bloom_add_all', 'bloom_add_all(f, ARRAY[-1, -2])')),
	expression('bloom_intersection', 'bloom_intersection(f, f)'),
	expression('bloom_overlap', 'bloom_overlap(f, f)'),
	expression('bloom_shrink', 'bloom_shrink(f)'),
	aggregate('bloom_agg', "bloom_agg(i, $n, 0.01)", '(SELECT i FROM keys OFFSET 0) k'),
	aggregate('bloom_agg_serialize', "state(i, $n, 0.01)", 'keys'));

# of the same keys, of others, of a list, and many in place
test_cancelling(
	"f bloom := $bloom; g bloom := (SELECT bloom_agg(-i, $n, 0.01) FROM keys);
	h bloom := bloom_add(bloom_create(1), -1)",
	expression('bloom_union of the same', 'f | f'),
	expression('bloom_union of two', 'f | g'),
	expression('bloom_union with a list', 'f | h'),
	# the server copies the first filter, to be the state.  (Not of VALUES: of those it copies
	# each while it plans.)
	aggregate('bloom_union_agg',
		'bloom_union_agg(CASE WHEN i = 1 THEN f WHEN i > 2 OR started() THEN g END)',
		'generate_series(1, 3) i'),
	aggregate('bloom_intersection_agg',
		'bloom_intersection_agg(CASE WHEN i <> 2 OR started() THEN f END)',
		'generate_series(1, 6) i'));

# folded, and, with so few keys, without a bit in common but at the end if at all
test_cancelling(
	"f bloom := $bloom;
	g bloom := (SELECT bloom_agg(-i, $n_fold, 0.01) FROM keys WHERE i <= 200)",
	expression('bloom_overlap of a fold', 'bloom_overlap(f, g)'),
	expression('bloom_overlaps', 'f && g'));

# by its full_at, which is 0, the layer is full
test_cancelling(
	"f bloom := overlay((SELECT bloom_agg(i, $n_half, 0.01) FROM keys)::bytea
		PLACING '\\x0000000000000000' FROM 85)::bloom",
	expression('bloom_add that grows', 'bloom_add(f, -1)'));

test_cancelling("b bytea := $bloom\::bytea", expression('bytea to bloom', 'b::bloom'));
test_cancelling(
	"t text := $bloom\::text",
	expression('bloom_in', 'bloom_in(textout(t))', 'textout(t)'));

# bloom_recv, from a file
$node->safe_psql(
	'postgres', qq{COPY (SELECT $bloom) TO '$file' (FORMAT binary);
	CREATE TABLE plain (b bytea); CREATE TABLE received (f bloom)});
test_cancelling(
	'n int',
	[ 'bloom_recv',
		map { "COPY $_ FROM '$file' (FORMAT binary) WHERE false" } 'received', 'plain' ]);
unlink $file;

# A parallel aggregate: in the worker serialized, then deserialized and combined
test_cancelling(
	'n int',
	aggregate('bloom_agg in parallel', "bloom_agg(i, $n, 0.01)", 'keys'));

test_cancelling(
	"f counting_bloom := $counting",
	expression('counting_bloom_add', 'counting_bloom_add(f, -1)'),
	expression('counting_bloom_remove', 'counting_bloom_remove(f, 1)'),
	expression('counting_bloom_union', 'counting_bloom_union(f, f)'),
	aggregate('counting_bloom_union_agg',
		'counting_bloom_union_agg(CASE WHEN i <> 2 OR started() THEN f END)',
		'generate_series(1, 6) i'),
	expression('counting_bloom to bloom', 'f::bloom'),
	aggregate('counting_bloom_agg', "counting_bloom_agg(i, $n_counting, 0.01)", 'keys'));
test_cancelling("b bytea := $counting\::bytea",
	expression('bytea to counting_bloom', 'b::counting_bloom'));
test_cancelling(
	"t text := $counting\::text",
	expression('counting_bloom_in', 'counting_bloom_in(textout(t))', 'textout(t)')) if twin(1);

test_cancelling(
	"f cuckoo := $cuckoo",
	twin(expression('cuckoo_out', 'cuckoo_out(f)')),
	expression('cuckoo_add', 'cuckoo_add(f, -1)'),
	expression('cuckoo_remove', 'cuckoo_remove(f, 1)'),
	aggregate('cuckoo_agg', "cuckoo_agg(i, $n_cuckoo, 0.01)", 'keys'));
test_cancelling("b bytea := $cuckoo\::bytea", expression('bytea to cuckoo', 'b::cuckoo'));
test_cancelling(
	"t text := $cuckoo\::text",
	expression('cuckoo_in', 'cuckoo_in(textout(t))', 'textout(t)')) if twin(1);

# A matrix: 3,900 filters of 125 kB each, or a part of them, which are the same.  Of many keys,
# those of one block are asked for together; the second matrix has no more than one.
my ($n_columns, $n_small_columns, $n_several, $n_many) =
  map { $_ / $part } (3900, 1000000, 1000000, 10000000);
my $matrix = "(SELECT bloom_matrix_agg(n, f) FROM
	(SELECT bloom_agg(i, 104000, 0.01) AS f FROM keys) s, generate_series(1, $n_columns) n)";
cmp_ok($node->safe_psql('postgres', "SELECT (bloom_matrix_info(m)).bytes FROM (SELECT $matrix) s (m)"),
	'>', $nbytes, 'a large matrix');
test_cancelling(
	'f bloom := (SELECT bloom_agg(i, 104000, 0.01) FROM keys);
	g bloom := bloom_create(10, 0.5)',
	aggregate('bloom_matrix_agg', 'bloom_matrix_agg(n, f)', "generate_series(1, $n_columns) n"),
	aggregate('bloom_matrix_agg of many columns in any order', 'bloom_matrix_agg(n * 7919 % 1000003, g)',
		"generate_series(1, $n_small_columns\::bigint) n"));
test_cancelling(
	"m bloom_matrix := $matrix",
	twin(expression('bloom_matrix_out', 'bloom_matrix_out(m)')),
	twin(expression('bloom_matrix_send', 'bloom_matrix_send(m)')),
	twin(expression('bloom_matrix_eq', 'm = m')),
	twin(expression('bloom_matrix_hash', 'bloom_matrix_hash(m)')),
	expression('bloom_matrix_filter', 'bloom_matrix_filter(m, 900)'),
	expression('bloom_matrix_info', 'bloom_matrix_info(m)'));
test_cancelling(
	"m bloom_matrix := $matrix;
	few bloom_matrix := (SELECT bloom_matrix_agg(1, f) FROM
		(SELECT bloom_agg(i, 129, 0.5) AS f FROM generate_series(1, 129) i) s);
	several int[] := ARRAY(SELECT generate_series(1, $n_several));
	many int[] := ARRAY(SELECT generate_series(1, $n_many))",
	[ 'bloom_matrix_search_any', 'PERFORM bloom_matrix_search_any(m, several)' ],
	[ 'bloom_matrix_search_any of one block', 'PERFORM bloom_matrix_search_any(few, many)' ],
	[ 'bloom_matrix_search_all of one block', 'PERFORM bloom_matrix_search_all(few, many)' ]);
test_cancelling("b bytea := $matrix\::bytea", expression('bytea to bloom_matrix', 'b::bloom_matrix'));
test_cancelling(
	"t text := $matrix\::text",
	expression('bloom_matrix_in', 'bloom_matrix_in(textout(t))', 'textout(t)')) if twin(1);

# Filters of other systems: those of Parquet are of 128 MB at most where they are made.
my ($n_go, $n_redis, $n_parquet, $n_probes, $n_words) =
  map { $_ / $part } (440000000, 370000000, 80000000, 700000, 134000000);
my $go = "(SELECT external_bloom_agg(i::text, 'go', $n_go, 0.01) FROM keys)";
my $redis = "(SELECT external_bloom_agg(i::text, 'redis', $n_redis, 0.01) FROM keys)";
my $parquet = "(SELECT b || b || b || b FROM (
	SELECT external_bloom_agg(i, 'parquet_int32', $n_parquet, 0.01) AS b FROM keys) s)";
for ($go, $redis, $parquet)
{
	cmp_ok($node->safe_psql('postgres', "SELECT octet_length($_)"),
		'>', $nbytes, 'a large filter of another system');
}

test_cancelling(
	"f bytea := $go; g bytea := (SELECT external_bloom_agg('x', 'go', $n_go, 0.01) FROM keys)",
	expression('external_bloom_add', "external_bloom_add(f, 'go', 'a')"),
	twin(expression('external_bloom_add_all', "external_bloom_add_all(f, 'go', '{a,b}'::text[])")),
	expression('external_bloom_union', "external_bloom_union(f, g, 'go')"),
	expression('external_bloom_info', "external_bloom_info(f, 'go')"),
	aggregate('external_bloom_agg', "external_bloom_agg(i::text, 'go', $n_go, 0.01)", 'keys'),
	aggregate('external_bloom_agg of many probes',
		"external_bloom_agg(i::text, 'go', $n_probes, 1e-300)", 'keys'));
test_cancelling("f bytea := $redis",
	[ 'external_bloom_chunks', "PERFORM external_bloom_chunks(f, 'redis') LIMIT 1" ]);
test_cancelling("f bytea := $parquet",
	expression('external_bloom_info of blocks', "external_bloom_info(f, 'parquet_int32')"));

# the last byte is the number of probes
test_cancelling("f bytea := $parquet || '\\x1e'::bytea",
	expression('external_bloom_info of a rate that is counted', "external_bloom_info(f, 'leveldb')"));

# a key of 400 MB that is turned into UTF-16 of 800 MB, or a part of that
test_cancelling(
	"t text := repeat('abcdefgh', 50000000 / $part)",
	expression('a long key of guava_chars',
		q{external_bloom_contains('\x01010000000100000000000000ff', 'guava_chars', t)}));

# Keys of 1 GB, the longest there are, or a part of that; some formats hash a key twice.  XXH3
# and XXH64 take less than 0.3 s for 1 GB, and are not interrupted.
my %of_a_word = (
	go => '\x00000000000000400000000000000001000000000000004000000000000000ff',
	guava => '\x01010000000100000000000000ff',
	leveldb => '\x00000000000000ff01',
	parquet => '\x' . 'ff' x 32,
	redis => '\x' . $node->safe_psql('postgres',
		q{SELECT encode(external_bloom_agg('a'::text, 'redis', 2, 0.1), 'hex')}),
	spark_v1 => '\x00000001000000010000000100000000000000ff');
test_cancelling(
	"t text := repeat('abcdefgh', $n_words); f bloom := bloom_add(bloom_create(10), 'a'::text)",
	expression('bloom_key of the long text', 'bloom_key(t)'),
	expression('bloom_contains with the long text', 'f @> t'),
	map { expression("a long key of $_", "external_bloom_contains('$of_a_word{$_}', '$_', t)") }
	  sort keys %of_a_word);
test_cancelling(
	"b bytea := convert_to(repeat('abcdefgh', $n_words), 'UTF8')",
	expression('bloom_partition of the long bytea', 'bloom_partition(b, 100)'));

is($node->safe_psql('postgres',
		'SELECT bloom_cardinality(bloom_agg(i)) FROM generate_series(1, 100) i'),
	'100', 'the server goes on');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
