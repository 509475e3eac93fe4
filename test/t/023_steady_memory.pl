# Memory does not grow over 80,000 calls of each function, 8,000 of those few that take long, and
# 240,000 values of each aggregate.  With BLOOMTYPE_SLOW, over a million of all.  In a loop of
# PL/pgSQL there are a tenth as many.
#
# The functions are those that the catalog lists for the extension, with arguments by
# their types; one that has none here fails the test.  The server counts the calls.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $CALLS = $ENV{BLOOMTYPE_SLOW} ? 1000000 : 80000;
my $VALUES = $ENV{BLOOMTYPE_SLOW} ? 1000000 : 240000;

# Bytes by which the memory of the session may grow from a quarter of the calls to the end: less
# than a byte for each
my $max_growth = $ENV{BLOOMTYPE_SLOW} ? 100000 : 50000;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', "jit = off\ntrack_functions = all");
$node->start;

# Two filters of each type that can be united, a list among those of bloom; every second
# call has another.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE samples AS
		SELECT bloom_agg(i) FILTER (WHERE i <= 3) AS bloom_1, bloom_agg(i, 129, 0.5) AS bloom_2,
			counting_bloom_agg(i, 256, 0.5) FILTER (WHERE i <= 3) AS counting_bloom_1,
			counting_bloom_agg(i, 256, 0.5) AS counting_bloom_2,
			cuckoo_agg(i, 200, 0.1) FILTER (WHERE i <= 3) AS cuckoo_1, cuckoo_agg(i, 200, 0.1) AS cuckoo_2,
			(SELECT bloom_matrix_agg(n, bloom_add(bloom_create(10, 0.5), n)) FROM generate_series(1, 3) n)
				AS bloom_matrix_1,
			(SELECT bloom_matrix_agg(n, bloom_create(10)) FROM generate_series(1, 2) n) AS bloom_matrix_2,
			bloom_key(1) AS bloom_key_1, bloom_key(2) AS bloom_key_2,
			external_bloom_agg(i::text, 'go', 10, 0.1) FILTER (WHERE i <= 3) AS go,
			external_bloom_agg(i::text, 'parquet', 10, 0.1) AS parquet,
			external_bloom_agg(i::text, 'redis', 100, 0.1) FILTER (WHERE i <= 3) AS redis_1,
			external_bloom_agg(i::text, 'redis', 1000, 0.1) AS redis_2
		FROM generate_series(1, 200) i;

	CREATE TABLE indexed AS SELECT i AS id, i::text AS name FROM generate_series(1, 10) i;
	CREATE INDEX indexed_1 ON indexed USING bloom_pages (id);
	CREATE INDEX indexed_2 ON indexed USING bloom_pages (name);

	CREATE FUNCTION used_bytes() RETURNS bigint LANGUAGE plpgsql PARALLEL RESTRICTED AS $$
	BEGIN
		RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts);
	END $$});

# Rows of: the signature, the name, the kind, the language, the types of the arguments,
# does it return a set?
my @functions = map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT p.oid::regprocedure, proname, prokind, lanname, array_to_string(
		ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY a (t, n) ORDER BY n), ','),
		proretset
	FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid JOIN pg_language l ON l.oid = prolang
	WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass AND
		d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
	ORDER BY 1});
cmp_ok(scalar @functions, '>=', 170, scalar @functions . ' functions and aggregates');

#
# Calls
#

sub either
{
	my ($one, $other) = @_;
	return "CASE WHEN i % 2 = 0 THEN $one ELSE $other END";
}

# What a function is given, by type; i is the number of the row.
my %argument = (
	(map { $_ => either("${_}_1", "${_}_2") } qw(bloom bloom_matrix counting_bloom cuckoo bloom_key)),
	(map { $_ => either("bloom_key_1::text::$_", "bloom_key_2::text::$_") } qw(text name)),
	character => either('bloom_key_1::text::bpchar', 'bloom_key_2::text::bpchar'),
	anycompatible => 'i',
	anycompatiblearray => 'ARRAY[i, i + 1, NULL]',
	bigint => '(1000 + i / 10000)::bigint',
	'double precision' => '0.01',
	integer => '1 + i % 100',
	regclass => either(q{'indexed_1'::regclass}, q{'indexed_2'::regclass}));

# Where the type does not tell, by the name of the function
my ($bytes, $format) = (either('go', 'parquet'), either(q{'go'}, q{'parquet'}));
my %arguments = (
	(map { ("${_}_in" => [ 'textout(' . either("${_}_1::text", "${_}_2::text") . ')' ]) }
		qw(bloom bloom_matrix counting_bloom cuckoo bloom_key)),
	(map { ("${_}_from_bytea" => [ either("${_}_1::bytea", "${_}_2::bytea") ]) }
		qw(bloom bloom_matrix counting_bloom cuckoo)),
	(map { ("${_}_add_text" => [ "${_}_create(10)", 'i::text' ]) } qw(bloom counting_bloom cuckoo)),
	bloom_matrix_filter => [ either('bloom_matrix_1', 'bloom_matrix_2'), 'i % 4' ],
	bloom_create => [ undef, '0.01', 'i % 3' ],
	bloom_capacity => [ '60 + i % 8', '0.5' ],
	bloom_expected_fpp => ['(1 + i % 100)::float8'],
	external_bloom_add => [ $bytes, $format, 'i::text' ],
	external_bloom_add_all => [ $bytes, $format, 'ARRAY[i::text, NULL]' ],
	external_bloom_contains => [ $bytes, $format, 'i::text' ],
	external_bloom_contains_any => [ $bytes, $format, 'ARRAY[i::text, NULL]' ],
	external_bloom_contains_all => [ $bytes, $format, 'ARRAY[i::text, NULL]' ],
	external_bloom_union => [ $bytes, $bytes, $format ],
	external_bloom_info => [ $bytes, $format ],
	external_bloom_chunks => [ either('redis_1', 'redis_2'), q{'redis'} ],
	bloom_set_add => [ q{'live'::regclass}, 'i % 100', 'false' ],
	bloom_set_add_all => [ q{'live'::regclass}, 'ARRAY[i % 100, NULL]', 'false' ],
	bloom_set_contains => [ q{'live'::regclass}, 'i' ],
	bloom_set_missing => [ q{'live'::regclass}, 'ARRAY[i, NULL]' ],
	bloom_set_filter => [q{'live'::regclass}],
	bloom_set_info => [q{CASE WHEN i > 0 THEN 'live'::regclass END}]);
$node->safe_psql('postgres', q{SELECT bloom_set_create('live', 'int', 1000)});

# Calls of functions, and what runs functions that SQL cannot call: by the server's
# aggregates, by input, by the planner and by a sort, all of them below.
my (@calls, @aggregates, @inner);

for (@functions)
{
	my ($signature, $name, $kind, $language, $types, $returns_set) = @$_;
	my @types = split /,/, $types;

	if ($kind eq 'a')
	{
		push @aggregates, [ $signature, $name, @types ];
		next;
	}
	# these make tables, and rows
	next if $name =~ /^bloom_set_(create|advance|follow)$/;
	if (grep { $_ eq 'internal' || $_ eq 'unknown' } @types)
	{
		push @inner, $signature;
		next;
	}
	my @values = @{ $arguments{$name} // [ map { $argument{$_} } @types ] };
	$values[0] = "(1000 + i / 10000)::$types[0]" if $name =~ /_(create|sizing)$/;
	my $call = "$name(" . join(', ', map { $_ // 'missing' } @values) . ')';

	ok(!(grep { !defined $_ } @values), "$signature has arguments");
	$call = "(SELECT count(s) FROM $call s)" if $returns_set eq 't';
	push @calls, [ $signature, $call, $language ];
}

my @columns = split /\n/, $node->safe_psql('postgres',
	q{SELECT attname || ' ' || atttypid::regtype FROM pg_attribute
	WHERE attrelid = 'samples'::regclass AND attnum > 0});
my $declarations = join ' ', map { "$_;" } @columns;
my $names = join ', ', map { /(\S+)/ } @columns;
my $values = join ', ', map { 's.' . (/(\S+)/)[0] } @columns;

# Run queries in a session; the last one gives two numbers of bytes, the first of them
# where the session has made a quarter of all calls.
sub test_growth
{
	my ($name, @queries) = @_;
	my $result = $node->safe_psql('postgres',
		join ";\n", 'SET client_min_messages = error', 'SET max_parallel_workers_per_gather = 0',
		# what the first look at the memory takes for itself is no growth
		"SELECT @{[ sampled(4) ]} FROM @{[ numbered(4) ]}", @queries);
	my ($first, $last) = (split /\n/, $result)[-1] =~ /^(\d+)\|(\d+)/ or die "no numbers: $result";

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	cmp_ok($last - $first, '<', $max_growth, "no memory is left behind: $name");
	return;
}

# The numbers of the rows, and the bytes in use at the first quarter and at the end
sub numbered
{
	my ($n) = @_;
	return "(SELECT i, CASE WHEN i % ($n / 4) = 0 THEN used_bytes() END AS used
		FROM (SELECT generate_series(1, $n) AS i) s OFFSET 0) n";
}

sub sampled
{
	my ($n) = @_;
	return "max(used) FILTER (WHERE i = $n / 4), max(used) FILTER (WHERE i = $n)";
}

# In a loop of PL/pgSQL: declarations, what comes before it, and its statements
sub test_loop
{
	my ($name, $n, $declarations, $before, $statements) = @_;

	test_growth(
		$name,
		"DO \$\$
		DECLARE
			$declarations
			first text;
		BEGIN
			$before
			FOR i IN 1 .. $n LOOP
				$statements
				IF i = $n / 4 THEN
					first := used_bytes();
				END IF;
			END LOOP;
			PERFORM set_config('test.first', first, false), set_config('test.last', used_bytes()::text, false);
		END \$\$",
		"SELECT current_setting('test.first'), current_setting('test.last')");
	return;
}

# In one query, and in a loop of PL/pgSQL, which keeps what a call has remembered for
# longer: several functions at once, as that saves time.
sub test_calls
{
	my ($n, @some) = @_;

	while (my @batch = splice @some, 0, 12)
	{
		my $signatures = join ' ', map { $_->[0] } @batch;
		my $counts = join ', ', map { "count(*) FILTER (WHERE ($_->[1]) IS NULL)" } @batch;
		my $statements = join "\n", map { "IF ($_->[1]) IS NULL THEN END IF;" } @batch;

		test_growth("$n calls of $signatures",
			"SELECT @{[ sampled($n) ]}, $counts FROM @{[ numbered($n) ]}, samples");
		test_loop("a loop of $signatures", $n / 10, $declarations,
			"SELECT $values INTO STRICT $names FROM samples s;", $statements);
	}
	return;
}

# Some take a hundred times as long as the others.
my $dear = qr{^(bloom|counting_bloom)_(create|sizing|shrink|capacity|expected_fpp)\(|chunks|matrix_(in|out|from_bytea)\(};
my $dear_calls = $ENV{BLOOMTYPE_SLOW} ? $CALLS : $CALLS / 10;

test_calls($CALLS, grep { $_->[0] !~ $dear } @calls);
test_calls($dear_calls, grep { $_->[0] =~ $dear } @calls);

# Said by the server, once the sessions have ended; functions in SQL are inlined.
my $wanted = join ', ',
  map { sprintf q{('%s'::regprocedure, %d)}, $_->[0], $_->[0] =~ $dear ? $dear_calls : $CALLS }
  grep { $_->[2] eq 'c' } @calls;
my $fewer;
for (1 .. 100)
{
	$fewer = $node->safe_psql('postgres', "
		SELECT f, calls FROM (VALUES $wanted) w (f, n) LEFT JOIN pg_stat_user_functions ON funcid = f
		WHERE calls >= n IS NOT TRUE");
	last if $fewer eq '';
	sleep 0.1;
}
is($fewer, '', scalar @calls . " functions were called $CALLS times, or $dear_calls if they take long");

#
# Aggregates
#

$max_growth = 100000;
my %aggregate_argument = (
	%argument,
	anycompatible => '(i % 100)',
	text => q{'go'},
	'double precision' => '0.01');
my @aggregate_calls;

for (@aggregates)
{
	my ($signature, $name, @types) = @$_;
	my @values = map { $aggregate_argument{$_} } @types;

	# a state has all its filters, of which each has its id: see below
	next if $name eq 'bloom_matrix_agg';

	# a capacity before the rate
	$values[-2] = '1000::float8' if @types > 2 && $types[-2] eq 'double precision';
	ok(!(grep { !defined $_ } @values), "$signature has arguments");
	$values[0] .= '::text' if $name =~ /^external/;
	push @aggregate_calls, "$name(" . join(', ', map { $_ // 'missing' } @values) . ')';
}

my $aggregate_calls = join ', ', @aggregate_calls;
test_growth("$VALUES values of aggregates",
	"SELECT @{[ sampled($VALUES) ]}, num_nulls($aggregate_calls)
	FROM @{[ numbered($VALUES) ]}, samples");

# many groups, whose states come from parallel workers
{
	my $ngroups = $VALUES / 250;
	my $nrows = 50 * $ngroups;

	# all but those whose states are filters, which have no form of their own on the way
	my $of_keys = join ', ', map { s/CASE.*END/bloom_key(i % 100)/r }
	  grep { !/_(union|intersection)_agg/ } @aggregate_calls;
	my @parallel = (
		'SET max_parallel_workers_per_gather = 2', 'SET parallel_leader_participation = off',
		'SET enable_hashagg = off', 'SET parallel_setup_cost = 0', 'SET parallel_tuple_cost = 0',
		'SET min_parallel_table_scan_size = 0');
	my $query = "SELECT max(used) FILTER (WHERE g = $ngroups / 4), max(used) FILTER (WHERE g = $ngroups),
			count(*) FILTER (WHERE nulls > 0)
		FROM (SELECT g, nulls, CASE WHEN g % ($ngroups / 4) = 0 THEN used_bytes() END AS used
			FROM (SELECT g, num_nulls($of_keys) AS nulls FROM keys GROUP BY g OFFSET 0) s) s";

	$node->safe_psql(
		'postgres', "CREATE TABLE keys AS SELECT i, 1 + i / 50 AS g FROM generate_series(0, $nrows - 1) i;
		ALTER TABLE keys SET (parallel_workers = 2); ANALYZE keys");
	like($node->safe_psql('postgres', join ";\n", @parallel, "EXPLAIN $query"),
		qr/Finalize GroupAggregate.*Partial GroupAggregate/s, 'states come from parallel workers');
	test_growth("$ngroups groups, from parallel workers", @parallel, $query);
}

# as window functions, whose result is asked for again and again
{
	my $nrows = $VALUES / 50;
	my $windows = join ', ', map { "$_ OVER w" } @aggregate_calls;

	test_growth("$nrows moving frames",
		"SELECT @{[ sampled($nrows) ]}, count(*) FILTER (WHERE nulls > 0) FROM (
			SELECT i, CASE WHEN i % ($nrows / 4) = 0 THEN used_bytes() END AS used,
				num_nulls($windows) AS nulls
			FROM generate_series(1, $nrows) i, samples
			WINDOW w AS (ORDER BY i ROWS 2 PRECEDING)) s");
}

# matrices of few filters each, in groups
{
	my $nrows = $VALUES / 10;
	my $ngroups = $nrows / 4;

	test_growth("$ngroups matrices of four filters",
		"SELECT max(used) FILTER (WHERE g = $ngroups / 4), max(used) FILTER (WHERE g = $ngroups)
		FROM (SELECT g, bloom_matrix_info(m), CASE WHEN g % ($ngroups / 4) = 0 THEN used_bytes() END AS used
			FROM (SELECT g, bloom_matrix_agg(i, CASE WHEN i % 3 = 0 THEN bloom_1 ELSE bloom_2 END) AS m
				FROM samples, (SELECT i, (i + 3) / 4 AS g FROM generate_series(1, $nrows) i
					ORDER BY g, i OFFSET 0) r GROUP BY g ORDER BY g OFFSET 0) s) s");
}

#
# A matrix is built in little more than twice its memory: filters and result
#

# The memory that a new session takes at most for building one of n columns, and the bytes of the
# result or the error.  It tells that itself, from /proc; what it takes for a first one is left
# out.
sub building
{
	my ($n, $column, $id) = @_;
	my $peak = q{(regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+)'))[1]::bigint * 1024};
	my (undef, $stdout, $stderr) = $node->psql(
		'postgres', qq{
		SET max_parallel_workers_per_gather = 0;
		SELECT (bloom_matrix_info(m)).columns FROM (
			SELECT bloom_matrix_agg(n, small) FROM columns, generate_series(1, 2) n) s (m);
		CREATE TEMP TABLE before AS SELECT $peak AS peak;
		SELECT (bloom_matrix_info(m)).bytes FROM (
			SELECT bloom_matrix_agg($id, $column) FROM columns, generate_series(1, $n) n) s (m);
		SELECT $peak - peak FROM before},
		on_error_stop => 0);
	my @lines = split /\n/, $stdout;

	return ($lines[-1], $stderr || $lines[-2]);
}

SKIP:
{
	skip 'no /proc', 1 unless -r '/proc/self/status';

	$node->safe_psql(
		'postgres', q{
		CREATE TABLE columns AS
		SELECT bloom_agg(i, 1000, 0.01) FILTER (WHERE i <= 1000) AS small,
			bloom_agg(i, 1000000, 0.01) AS large,
			bloom_agg(i, 250000, 0.01) FILTER (WHERE i <= 250000) AS quarter,
			bloom_agg(i, 10000000, 0.01) FILTER (WHERE i <= 1000) AS widest,
			bloom_agg(i) FILTER (WHERE i <= 128) AS list, bloom_agg(i) FILTER (WHERE i <= 10) AS short,
			bloom_create(10) AS empty
		FROM generate_series(1, 1000000) i});
	for my $case (
		[ 'many small filters', 60000, 'small', 'n' ],
		[ 'small filters in any order', 60000, 'small', 'n::bigint * 7919 % 60007' ],
		[ 'few large filters', 64, 'large', 'n' ],
		[ 'fewer than slices have room for', 3, 'large', 'n' ],
		[ 'short lists', 100000, 'short', 'n' ],
		[ 'full lists', 8192, 'list', 'n' ],
		[ 'filters without keys', 100000, 'empty', 'n' ],
		[ 'widened filters', 128, 'CASE n WHEN 1 THEN large ELSE quarter END', 'n' ],
		[ 'all of these', 192, 'CASE n % 4 WHEN 0 THEN large WHEN 1 THEN quarter WHEN 2 THEN list ELSE empty END', '-n' ])
	{
		my ($name, @how) = @$case;
		my ($taken, $bytes) = building(@how);

		cmp_ok($taken, '<=', 2.2 * $bytes + (16 << 20), "a matrix of $name: memory for building");
		note sprintf '%s: %.1f MB for %.1f MB', $name, $taken / (1 << 20), $bytes / (1 << 20);
	}

	# what would be too large is refused when that is known: at the latest before the filters
	# are
	for my $case (
		[ 'many filters', 5000, 'quarter', 'n', 528 ],
		[ 'a filter that slices make too large', 5000, 'widest', 'n', 48 ],
		[ 'a filter that the others are widened to', 5000, 'CASE n WHEN 100 THEN large ELSE small END', 'n', 48 ])
	{
		my ($name, $n, $column, $id, $megabytes) = @$case;
		my ($taken, $error) = building($n, $column, $id);

		like($error, qr/ERROR:  the matrix would be larger than 512 MB/, "a matrix of $name: refused");
		cmp_ok($taken, '<=', $megabytes << 20, "a matrix of $name: memory until then");
		note sprintf '%s: %.1f MB', $name, $taken / (1 << 20);
	}
}

#
# What SQL does not call
#

my %inner = map { $_ => 1 } @inner;
my $take = sub {
	my ($pattern, $by) = @_;
	my @taken = grep { /$pattern/ } keys %inner;

	cmp_ok(scalar @taken, '>', 0, "$by: " . join ' ', sort @taken);
	delete @inner{@taken};
	return;
};

$take->(qr/_agg_(transition|combine|serialize|deserialize|final)\(/, 'aggregates above');

# Values come in by binary COPY; the condition on a row is asked between two of them.
$take->(qr/_recv\(/, 'binary COPY');
{
	my $nrows = $VALUES / 10;
	my $file = $node->basedir . '/values';

	$node->safe_psql(
		'postgres', "CREATE TABLE received
			(i int, a bloom, b counting_bloom, c cuckoo, d bloom_key, e bloom_matrix);
		COPY (SELECT i, bloom_1, counting_bloom_create(10), cuckoo_1, bloom_key_1, bloom_matrix_2
			FROM generate_series(1, $nrows) i, samples) TO '$file' (FORMAT binary);
		CREATE FUNCTION noted(i int) RETURNS boolean LANGUAGE plpgsql AS \$\$
		BEGIN
			PERFORM set_config('test.at_' || i, used_bytes()::text, false);
			RETURN false;
		END \$\$");
	test_growth("$nrows rows of values that are received",
		"SELECT noted(0)",
		("COPY received FROM '$file' (FORMAT binary) WHERE i % ($nrows / 4) = 0 AND noted(i)") x 2,
		"SELECT current_setting('test.at_' || $nrows / 4), current_setting('test.at_' || $nrows)");
	unlink $file;
}

# Plans, sorts and literals; each statement is prepared anew.
sub test_statements
{
	my ($name, $n, $statement) = @_;

	test_loop("$n times $name", $n, '', '', "EXECUTE replace('$statement', '#', i::text);");
	return;
}

$take->(qr/_support\(|sel\(|_handler\(/, 'plans');
test_statements('a plan', $VALUES / 50,
	'EXPLAIN SELECT FROM samples a, samples b
	WHERE a.bloom_1 @> # AND # <@ b.bloom_2 AND a.bloom_1 && b.bloom_2 AND b.bloom_1 @> length(a.go) AND
		a.bloom_1 && bloom_create(#) AND b.cuckoo_1 @> #');
$take->(qr/_sortsupport\(/, 'a sort');
test_statements('a sort', $VALUES / 50,
	'SELECT k FROM (VALUES (bloom_key(#)), (bloom_key(# + 1)), (bloom_key(0))) v (k) ORDER BY k');
$take->(qr/^bloom_key\(unknown\)$/, 'a literal');
test_statements('a literal', $VALUES / 50, q{SELECT bloom_key(''#'')});
is(join(' ', sort keys %inner), '', 'no function is left');

unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
