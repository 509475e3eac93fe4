# Random tables with indexes of bloom_pages, random changes of them, and random statements, each of
# which must have the same rows with an index as without one.
#
#    preparation()              SQL, once in a database
#    configuration()            for postgresql.conf
#    run_seed($node, $seed)     makes tables, changes them and runs statements, all by random numbers of
#                               this seed; returns how many statements; dies of an error, also of
#                               bloom_pages_check()
#    has_findings($node), findings($node)
#                               are there statements whose rows differ; which?
#
# A row that an index loses is seen only if no other row of its range has the key.  So pages have a few
# rows, ranges one page or a few, and the values of a column come from a domain of some size.

package PageIndexRows;

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Utils;

# Columns: the type, the value, which depends on a number n, and to which types that can be cast for a
# comparison by an operator that the index has
my %columns = (
	i2 => [ 'smallint', '(n % 30000)::smallint', qw(int bigint) ],
	i4 => [ 'int', 'n', qw(smallint bigint) ],
	i8 => [ 'bigint', 'n::bigint', qw(int smallint) ],
	dom => [ 'small_number', 'n', qw(bigint) ],
	num => [ 'numeric', q{CASE n % 7 WHEN 3 THEN n + 0.5 WHEN 4 THEN n * 1.00 ELSE n END} ],
	f4 => [ 'real', q{CASE n WHEN 0 THEN random_zero() WHEN 1 THEN 'NaN' ELSE n + 0.1 END::real}, 'float8' ],
	f8 => [ 'float8', q{CASE n WHEN 0 THEN random_zero() WHEN 1 THEN 'NaN' ELSE n + 0.5 END}, 'real' ],
	t => [ 'text', q{'k' || n || repeat('x', n % 5 * 40)}, 'varchar', 'name' ],
	vc => [ 'varchar(20)', q{'k' || n}, 'text' ],
	nm => [ 'name', q{('k' || n)::name}, 'text' ],
	bp => [ 'char(8)', q{('k' || n || repeat(' ', random_below(3)))::char(8)}, 'varchar', 'char(20)' ],
	b => [ 'bool', '(n % 2 = 0)' ],
	e => [ 'mood', '(enum_range(NULL::mood))[1 + n % 4]' ],
	o => [ 'oid', 'n::oid' ],
	by => [ 'bytea', q{decode(md5(n::text), 'hex')} ],
	u => [ 'uuid', q{md5(n::text)::uuid} ],
	d => [ 'date', q{date '2020-01-01' + n % 100000} ],
	ts => [ 'timestamp', q{timestamp '2020-01-01' + n * interval '12 hours'} ],
	tz => [ 'timestamptz', q{timestamptz '2020-01-01' + n * interval '12 hours'} ],
	tm => [ 'time', q{time '00:00' + n * interval '1 second'} ],
	ip => [ 'inet', q{inet '10.0.0.0' + n}, 'cidr' ],
	net => [ 'cidr', q{(inet '10.0.0.0' + n)::cidr}, 'inet' ],
	mac => [ 'macaddr', q{('080000' || lpad(to_hex(n % 16777216), 6, '0'))::macaddr} ],
	mac8 => [ 'macaddr8', q{('0800000000' || lpad(to_hex(n % 16777216), 6, '0'))::macaddr8} ],
	arr => [ 'int[]', 'ARRAY[n, CASE WHEN n % 3 > 0 THEN n + 1 END]' ],
	words => [ 'text[]', q{ARRAY['k' || n]} ],
	rng => [ 'int4range', 'int4range(n, n + 3)' ],
	comp => [ 'pair', 'ROW(n, CASE WHEN n % 3 > 0 THEN n::text END)::pair' ],
	key => [ 'bloom_key', 'bloom_key(n)' ]);
my @names = sort keys %columns;

# Expressions that an index may have in place of a column, with what a number is to them
my @expressions = (
	[ 'lower(vc)', q{lower('k' || n)} ],
	[ '(i4 + 1)', 'n + 1' ],
	[ '(ROW(i8, vc)::wide_pair)', q{ROW(n, 'k' || n)::wide_pair} ],
	[ '(ARRAY[i8, o::bigint])', 'ARRAY[n, n]::bigint[]' ],
	[ 'bloom_key(t)', q{bloom_key('k' || n || repeat('x', n % 5 * 40))} ]);

my @tables;        # names
my %keys_of;       # by table: lists of expression, value
my %values_of;     # by table: how many values its columns have, about
my $nprepared = 0;

sub pick { return $_[ int(rand(@_)) ] }
sub chance { return rand() < $_[0] }

sub preparation
{
	return q{
CREATE EXTENSION bloomtype;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'odd');
CREATE DOMAIN small_number AS int CHECK (VALUE < 1000000000);
CREATE TYPE pair AS (x int, y text);
CREATE TYPE wide_pair AS (x bigint, y text);
CREATE FUNCTION random_zero() RETURNS float8 LANGUAGE sql VOLATILE AS
	$$ SELECT CASE WHEN random() < 0.5 THEN '-0'::float8 ELSE 0 END $$;
CREATE FUNCTION random_below(int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT (random() * $1)::int';
CREATE SCHEMA random;
CREATE UNLOGGED TABLE tally (what text, n bigint);
CREATE UNLOGGED TABLE findings (seed int, number int, expected text, found text, plan text, query text);

CREATE FUNCTION result_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE query INTO result;
	RETURN result;
EXCEPTION
	WHEN SQLSTATE 'BT001' THEN
		-- what it has changed is undone
		RETURN SQLERRM;
	WHEN serialization_failure OR deadlock_detected THEN
		RETURN NULL;
END $$;

-- Run a statement without indexes and with them, and compare.
CREATE PROCEDURE compare(seed int, number int, query text, settings text DEFAULT '{}') LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
	expected text;
	found text;
	pairs text[] := settings;
	before text[] := '{}';
BEGIN
	SET LOCAL enable_bitmapscan = off;
	SET LOCAL enable_seqscan = on;
	expected := result_of(query);
	SET LOCAL enable_bitmapscan = on;
	SET LOCAL enable_seqscan = off;
	FOR i IN 1 .. coalesce(array_length(pairs, 1), 0) / 2 LOOP
		before[i] := current_setting(pairs[2 * i - 1]);
		PERFORM set_config(pairs[2 * i - 1], pairs[2 * i], true);
	END LOOP;
	IF query NOT LIKE 'DO %' THEN
		FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
			plan := plan || line || E'\n';
		END LOOP;
	END IF;
	found := result_of(query);
	FOR i IN 1 .. coalesce(array_length(pairs, 1), 0) / 2 LOOP
		PERFORM set_config(pairs[2 * i - 1], before[i], true);
	END LOOP;
	INSERT INTO tally VALUES (CASE WHEN query LIKE 'DO %' THEN 'changes' ELSE 'queries' END, 1);
	IF plan LIKE '%Bitmap Index Scan%' THEN
		INSERT INTO tally VALUES ('with an index', 1);
	END IF;
	IF plan LIKE '%Parallel Bitmap Heap Scan%' THEN
		INSERT INTO tally VALUES ('parallel', 1);
	END IF;
	IF expected NOT LIKE '0 %' THEN
		INSERT INTO tally VALUES ('with rows', 1), ('rows', split_part(expected, ' ', 1)::bigint);
	END IF;
	IF found <> expected THEN
		INSERT INTO findings VALUES (seed, number, expected, found, plan, query);
	END IF;
END $$;
};
}

#
# Tables
#

# Values of all columns, of a number n; the filler decides how many rows a page has.
sub insert
{
	my ($table, $nrows, $numbers) = @_;
	my $nulls = pick(0, 0, 0.1);
	my @values = map {
		my $value = $columns{$_}[1];
		$nulls > 0 ? "CASE WHEN random() >= $nulls THEN $value END" : $value
	} @names;

	return "INSERT INTO $table (id, filler, " . join(', ', @names) . ') SELECT nextval(\'ids\'), '
	  . "repeat('-', " . pick(100, 300, 600) . '), ' . join(', ', @values)
	  . " FROM (SELECT ($numbers)::int AS n FROM generate_series(1, $nrows) g OFFSET 0) AS s";
}

# A random number among the values of a table; in a quarter of the cases some beyond them
sub number
{
	my ($table) = @_;
	return int(rand($values_of{$table} * (chance(0.25) ? 2 : 1)));
}

sub numbers
{
	my ($table) = @_;
	my $n = $values_of{$table};
	return pick("random() * $n", "random() * $n", "random() * random() * $n", "g + @{[int(rand($n))]}", int(rand($n)));
}

sub options
{
	my @options = 'pages_per_range = ' . pick(1, 1, 1, 2, 3, 16);
	push @options, 'rows_per_range = ' . pick(1, 5, 40, 1000) if chance(0.5);
	push @options, 'false_ranges = ' . pick(0.001, 1, 50) if chance(0.5);
	return 'WITH (' . join(', ', @options) . ')';
}

sub page_index
{
	my ($table) = @_;
	my ($key, $value) = chance(0.2) ? @{ pick(@expressions) } : map { ($_, $columns{$_}[1]) } pick(@names);
	my $where = chance(0.1) ? 'WHERE ' . pick('i4 % 2 = 0', 'note IS NULL') : '';

	push @{ $keys_of{$table} }, [ $key, $value, $where ];
	return "INDEX ON $table USING bloom_pages ($key) " . options() . " $where";
}

# The statements that make the tables anew
sub tables
{
	my $definition = join ', ', map { "$_ $columns{$_}[0]" } @names;
	my $sql = "DROP SCHEMA random CASCADE; CREATE SCHEMA random; CREATE SEQUENCE ids;\nSELECT setseed("
	  . rand() . ");\n";

	@tables = qw(small medium large parted);
	%keys_of = ();
	for my $table (@tables)
	{
		my $kind = pick('', '', '', 'UNLOGGED ');
		my $fill = $table eq 'parted' ? '' : 'WITH (fillfactor = ' . pick(10, 10, 40, 100) . ', autovacuum_enabled = off)';
		$values_of{$table} = pick(20, 500, 5000, 200000);
		$kind = '' if $table eq 'parted';
		$sql .= "CREATE ${kind}TABLE $table (id int, filler text, note text, $definition) "
		  . ($table eq 'parted' ? 'PARTITION BY HASH (id)' : $fill) . ";\n";
		$sql .= join '', map { "CREATE TABLE parted_$_ PARTITION OF parted FOR VALUES WITH (MODULUS 3, REMAINDER $_)"
			  . " WITH (fillfactor = 20, autovacuum_enabled = off);\n" } 0 .. 2
		  if $table eq 'parted';
		# some are built, others grow from the start
		my @indexes = map { 'CREATE ' . page_index($table) . ";\n" } 1 .. 4;
		my $size = { small => 30, medium => 300, large => pick(300, 1500), parted => 200 }->{$table};
		my $insert = insert($table, $size, numbers($table)) . ";\n";
		$sql .= chance(0.5) ? $insert . join('', @indexes) : join('', @indexes) . $insert;
	}
	return $sql . "CREATE UNIQUE INDEX unique_id ON medium (id);\nVACUUM ANALYZE;\n";
}

#
# Changes
#

sub where
{
	my ($table) = @_;
	my ($key, $value) = @{ pick(@{ $keys_of{$table} }) };

	return pick(
		'id % ' . pick(2, 7, 30) . ' = ' . int(rand(2)),
		'random() < ' . pick(0.02, 0.3),
		"$key = (SELECT $value FROM (SELECT " . number($table) . ' AS n) AS s)');
}

# A statement that changes a table
sub change
{
	my ($table) = @_;
	my $kind = rand();

	return insert($table, pick(1, 10, 60, 300), numbers($table)) if $kind < 0.45;
	# by HOT, where the page has room and the server allows it, and otherwise
	return "UPDATE $table SET note = 'n' || id WHERE " . where($table) if $kind < 0.55;
	if ($kind < 0.8)
	{
		my $number = pick('id', 'id + 1', int(rand(100)));
		my %changed = map { $_ => $columns{$_}[1] =~ s/\bn\b/($number)/gr } map { pick(@names) } 1 .. 3;
		return "UPDATE $table SET " . join(', ', map { "$_ = $changed{$_}" } sort keys %changed) . ' WHERE ' . where($table);
	}
	return 'INSERT INTO medium (id, i4, t) SELECT id, i4 + 1, t FROM medium LIMIT 20'
	  . ' ON CONFLICT (id) DO UPDATE SET i4 = excluded.i4, t = NULL' if $table eq 'medium' && $kind < 0.85;
	return "DELETE FROM $table WHERE " . where($table) if $kind < 0.95;
	# the end of the table, which VACUUM gives back
	return "DELETE FROM $table WHERE id > (SELECT max(id) - " . pick(20, 200) . " FROM $table)";
}

# What cannot be in a transaction, or changes the files
sub command
{
	my ($table) = @_;
	my $partition = $table eq 'parted' ? 'parted_' . int(rand(3)) : $table;

	return 'CREATE ' . page_index($table) =~ s/INDEX/INDEX CONCURRENTLY/r if $table ne 'parted' && chance(0.1);
	return pick(
		("VACUUM $table") x 6, "VACUUM (FREEZE) $table", "VACUUM FULL $table", "TRUNCATE $table", "ANALYZE $table",
		"REINDEX TABLE $partition", "REINDEX TABLE CONCURRENTLY $partition");
}

sub changes
{
	my ($n) = @_;
	my $sql = '';

	for (1 .. $n)
	{
		my $table = pick(@tables);
		my @statements = map { change($table) } 1 .. pick(1, 1, 2, 3);
		my $kind = rand();

		if ($kind < 0.3)
		{
			$sql .= join('', map { "$_;\n" } @statements);
		}
		elsif ($kind < 0.4)
		{
			$sql .= 'BEGIN; ' . join('; ', @statements) . "; ROLLBACK;\n";
		}
		elsif ($kind < 0.6)
		{
			my $end = pick('ROLLBACK TO s', 'RELEASE s');
			$sql .= "BEGIN; $statements[0]; SAVEPOINT s; " . join('; ', @statements[ 1 .. $#statements ], change($table))
			  . "; $end; " . change($table) . '; ' . pick('COMMIT', 'COMMIT', 'ROLLBACK') . ";\n";
		}
		elsif ($kind < 0.65)
		{
			$sql .= "BEGIN; $statements[0]; PREPARE TRANSACTION '" . ++$nprepared . "'; "
			  . pick('COMMIT', 'ROLLBACK') . " PREPARED '$nprepared';\n";
		}
		else
		{
			$sql .= command($table) . ";\n";
		}
	}
	return $sql;
}

#
# Statements
#

# A number as the value that a key is compared with, of its type or of another one
sub literal
{
	my ($key, $value, $number) = @_;
	my @others = $columns{$key} ? @{ $columns{$key} }[ 2 .. $#{ $columns{$key} } ] : ();
	my $literal = $value =~ s/\bn\b/$number/gr;

	@others = grep { $_ ne 'smallint' } @others if $number > 32767;
	return "($literal)" if !@others || chance(0.4);
	return "($literal)::" . pick(@others);
}

sub condition
{
	my ($table) = @_;
	my ($key, $value, $where) = @{ pick(@{ $keys_of{$table} }) };
	my @some = map { literal($key, $value, number($table)) } 1 .. pick(1, 3, 20);
	my $condition = pick(
		("$key = $some[0]") x 3,
		"$key IN (" . join(', ', @some, $some[0]) . ')',
		$value =~ /^ARRAY/ ? "$key IS NOT NULL AND $key = $some[-1]" :
		  "$key = ANY (ARRAY[" . join(', ', @some, 'NULL') . '])',
		"$key = (SELECT $value FROM (SELECT " . number($table) . ' AS n) AS s)');

	$where =~ s/WHERE/AND/;
	return "($condition $where)";
}

# The rows of a query, as one line
sub summary
{
	my ($query) = @_;
	return "SELECT count(*) || ' rows ' || coalesce(sum(hashtextextended(r::text, 1)), 0) FROM ($query) AS r";
}

my @shapes = (
	sub {
		my ($table) = @_;
		return "SELECT id, note FROM $table WHERE " . condition($table);
	},
	sub {
		my ($table) = @_;
		return "SELECT id FROM $table WHERE " . condition($table) . pick(' AND ', ' OR ') . condition($table);
	},
	sub {
		my ($table) = @_;
		return "SELECT id FROM $table WHERE " . condition($table) . ' AND ' . pick('id % 3 = 0', 'note IS NULL', 'random() >= 0');
	},
	# nested loops: each outer row looks its key up
	sub {
		my ($table) = @_;
		my ($key, $value) = @{ pick(@{ $keys_of{$table} }) };
		my $numbers = 'generate_series(' . number($table) . ', ' . pick(1, 30) . ' + ' . number($table) . ', ' . pick(1, 7, 100) . ')';
		return "SELECT o.n, t.id FROM (SELECT n FROM $numbers n LIMIT 50) AS o"
		  . " LEFT JOIN LATERAL (SELECT id FROM $table WHERE $key = $value OFFSET 0) AS t ON true";
	},
	sub {
		my ($table) = @_;
		my $other = pick(@tables);
		my ($column) = grep { $columns{$_} } map { $_->[0] } @{ $keys_of{$table} };
		$column //= 'i4';
		return "SELECT o.id, t.id AS other FROM (SELECT * FROM $other ORDER BY id LIMIT 20) AS o JOIN $table AS t"
		  . " ON t.$column = o.$column";
	},
	sub {
		my ($table) = @_;
		my ($key, $value) = @{ pick(@{ $keys_of{$table} }) };
		return 'SELECT n FROM generate_series(1, 40) n WHERE ' . pick('', 'NOT ')
		  . "EXISTS (SELECT FROM $table WHERE $key = $value OFFSET 0)";
	},
	sub {
		my ($table) = @_;
		return "SELECT id FROM $table WHERE " . condition($table) . ' FOR UPDATE' if $table ne 'parted';
		return "SELECT count(*), min(id) FROM $table WHERE " . condition($table);
	});

# A change by the rows that an index finds, which is undone; a procedure that raises what it has done
sub changing
{
	my ($table) = @_;
	my $condition = condition($table);
	my $statement = pick("UPDATE $table SET note = id::text WHERE $condition", "DELETE FROM $table WHERE $condition");

	return "DO \$do\$ DECLARE done bigint; BEGIN $statement; GET DIAGNOSTICS done = ROW_COUNT;"
	  . " RAISE EXCEPTION USING MESSAGE = done || ' rows ' || coalesce((SELECT sum(hashtextextended(id || coalesce(note, ''), 1))"
	  . " FROM $table), 0), ERRCODE = 'BT001'; END \$do\$";
}

sub comparison
{
	my ($seed, $number) = @_;
	my $table = pick(@tables);
	my $query = chance(0.1) ? changing($table) : summary(pick(@shapes)->($table));
	my @settings;

	push @settings, work_mem => '64kB' if chance(0.2);
	push @settings, max_parallel_workers_per_gather => 2, cpu_tuple_cost => 10 if chance(0.06);
	push @settings, enable_hashjoin => 'off', enable_mergejoin => 'off' if chance(0.5);
	return "CALL compare($seed, $number, \$query\$$query\$query\$, '{" . join(',', @settings) . "}');\n";
}

sub comparisons
{
	my ($seed, $from, $n) = @_;
	return join '', map { comparison($seed, $_) } $from .. $from + $n - 1;
}

#
# Running
#

sub configuration
{
	return q{
shared_buffers = 16MB
autovacuum = off
max_prepared_transactions = 10
max_worker_processes = 8
};
}

# Settings of the sessions that run them
sub session
{
	return q{
SET client_min_messages = error;
SET search_path = random, public;
SET jit = off;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 0;
SET timezone = 'UTC';
};
}

# What may happen to a session beside others, and what follows from it
my $excused = qr/deadlock\ detected|canceling\ statement\ due\ to\ lock\ timeout|could\ not\ serialize|
	duplicate\ key|already\ exists|current\ transaction\ is\ aborted|savepoint\ "s"\ does\ not\ exist|prepared\ transaction\ with\ identifier/x;

sub check
{
	my ($errors, $alone) = @_;
	my @errors = grep { /ERROR|FATAL|PANIC|server closed/ && ($alone || !/$excused/) } split /\n/, $errors;
	die "@errors" if @errors;
}

# Run statements in a session of their own; dies of an error.
sub run_alone
{
	my ($node, $sql) = @_;
	my ($status, undef, $errors) = $node->psql('postgres', session() . $sql, on_error_stop => 0);

	die "psql returned $status" if $status != 0;
	check($errors, 1);
}

# Start a session that needs nobody to hand it its input
sub start_beside
{
	my ($node, $number, $sql) = @_;
	my $file = $node->basedir . "/session_$number.sql";
	my %session = (err => '');

	unlink $file;
	append_to_file($file, session() . "SET lock_timeout = '2s';\n$sql");
	$session{run} = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-f', $file ],
		'<', \undef, '>', '/dev/null', '2>', \$session{err});
	return \%session;
}

# Run 30 statements while two other sessions make changes: ten in a transaction, whose snapshot gets
# older than they are, and others when all have been made.  One table only grows, so that the session
# goes on with what it remembers of its indexes.
sub run_beside_others
{
	my ($node, $seed, $from) = @_;
	my @all = @tables;
	my $growing = pick(@tables);

	@tables = grep { $_ ne $growing } @all;
	my @sessions;
	for my $number (1 .. 2)
	{
		push @sessions, start_beside($node, $number, changes(6)
			  . insert($growing, 200, numbers($growing)) . ";\n");
	}
	@tables = (($growing) x 8, @all);
	my ($in, $errors) = ('', '');
	my $reader = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') ],
		'<', \$in, '>', '/dev/null', '2>', \$errors);
	$in .= session() . "BEGIN ISOLATION LEVEL REPEATABLE READ;\n" . comparisons($seed, $from, 10) . "COMMIT;\n";
	$reader->pump while $in ne '';
	$_->{run}->finish for @sessions;
	$in .= comparisons($seed, $from + 10, 20);
	$reader->finish;
	@tables = @all;
	check($errors, 1);
	check($_->{err}, 0) for @sessions;
}

# Make the tables of a seed, change them, and compare.  Returns the number of statements.
sub run_seed
{
	my ($node, $seed) = @_;
	my $n = 0;

	srand($seed);
	run_alone($node, tables());
	for my $round (1 .. 10)
	{
		if ($round % 2 == 1)
		{
			run_alone($node, 'SELECT setseed(' . rand() . ");\n" . changes(5) . comparisons($seed, $n + 1, 30));
		}
		else
		{
			run_beside_others($node, $seed, $n + 1);
		}
		$n += 30;
		last if has_findings($node);
		run_alone($node, q{SELECT bloom_pages_check(i.oid) FROM pg_class i JOIN pg_index ON i.oid = indexrelid
			WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'bloom_pages') AND relkind = 'i' AND indisvalid;});
	}
	return $n;
}

sub has_findings
{
	my ($node) = @_;
	return $node->safe_psql('postgres', 'SELECT count(*) > 0 FROM findings') eq 't';
}

sub findings
{
	my ($node) = @_;
	return $node->safe_psql(
		'postgres', q{
		SELECT format(E'seed %s, number %s\nexpected: %s\nfound:    %s\n%s\n%s', seed, number, expected, found, query,
			plan)
		FROM findings ORDER BY length(query) LIMIT 3});
}

1;
