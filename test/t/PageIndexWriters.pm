# Eight clients that write to tables with indexes of bloom_pages, beside one session that builds these
# again, and what must hold of the tables and indexes at any time.
#
#    configuration()                 for postgresql.conf
#    prepare($node, $width)          makes the tables; a row takes so many bytes
#    start_writers($node)            starts the clients
#    start_slow_writers($node)       the same, with at most 50 transactions a second, and without the
#                                    session that builds indexes
#    wait_for_writers($node, $n)     until they have begun so many transactions more
#    stop_writers($writers)          ends them
#    complaints($writers)            their errors when they have ended, or an empty string
#    faults($node)                   the same, of each index and each committed row
#    run_round($node, $n, $kill)     has them write, calls $kill->($node, @runs), which ends them, and
#                                    returns what is wrong, or an empty string
#
# Keys come from a sequence, so that it is known which there may be: each row of "item" has its own k,
# and shares t with up to 49 others, which come at the same time.  Ranges are one page or a few.

package PageIndexWriters;

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);

my $nclients = 8;

sub configuration
{
	return q{
shared_buffers = 4MB
max_wal_size = 64MB
checkpoint_timeout = 30s
autovacuum_naptime = 1s
max_prepared_transactions = 20
max_connections = 50
log_statement = none
restart_after_crash = on
};
}

my @indexes = (
	'item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1)',
	'item_t ON item USING bloom_pages (t) WITH (pages_per_range = 16, rows_per_range = 2)',
	'named_k ON named USING bloom_pages (k) WITH (pages_per_range = 2)',
	'parted_k ON parted USING bloom_pages (k) WITH (pages_per_range = 1)',
	'loose_k ON loose USING bloom_pages (k) WITH (pages_per_range = 1)');

sub prepare
{
	my ($node, $width) = @_;

	$node->safe_psql(
		'postgres', qq{
		CREATE EXTENSION bloomtype;
		CREATE SEQUENCE number;
		CREATE TABLE item (id bigint PRIMARY KEY DEFAULT nextval('number'), k bigint, t text, pad char($width) DEFAULT '');
		CREATE TABLE named (name int PRIMARY KEY, k bigint, pad char($width) DEFAULT '') WITH (fillfactor = 50);
		CREATE UNLOGGED TABLE loose (k bigint, pad char($width) DEFAULT '');
		CREATE TABLE parted (part int, k bigint, pad char($width) DEFAULT '') PARTITION BY LIST (part);
	} . join '', (map { "CREATE TABLE parted_$_ PARTITION OF parted FOR VALUES IN ($_);\n" } 0 .. 2),
		(map { "ALTER TABLE $_ ALTER pad SET STORAGE plain;\n" } qw(item named loose parted)),
		map { "CREATE INDEX $_;\n" } @indexes);
	return;
}

# Transactions of a client: a name, how often, and a script of pgbench, after the one that draws :n
my %scripts = (
	insert => [ 8, q{INSERT INTO item (k, t) VALUES (:n, :n / 50);} ],
	many => [ 2, q{INSERT INTO item (k, t) SELECT :n::bigint * 1000000 + i, :n / 50 FROM generate_series(1, 20) i;} ],
	update => [ 3, q{UPDATE item SET k = -:n, t = :n / 50 WHERE id = :old;} ],
	touch => [ 1, q{UPDATE item SET pad = :n WHERE id = :old;} ],
	delete => [ 1, q{DELETE FROM item WHERE k = :old;} ],
	undo => [ 2, q{
		BEGIN;
		INSERT INTO item (k, t) VALUES (:n, :n / 50);
		SAVEPOINT s;
		INSERT INTO item (k, t) VALUES (:n + 1000000000000, 'gone');
		ROLLBACK TO s;
		INSERT INTO item (k, t) VALUES (:n + 2000000000000, :n / 50);
		COMMIT;} ],
	give_up => [ 1, q{
		BEGIN;
		INSERT INTO item (k, t) VALUES (:n, :n / 50);
		ROLLBACK;} ],
	prepare => [ 2, q{
		BEGIN;
		INSERT INTO item (k, t) VALUES (:n, :n / 50);
		PREPARE TRANSACTION 'p:n';
		COMMIT PREPARED 'p:n';} ],
	upsert => [ 4, q{
		INSERT INTO named (name, k) VALUES (:n % 200, :n)
		ON CONFLICT (name) DO UPDATE SET k = excluded.k;} ],
	partition => [ 1, q{INSERT INTO parted (part, k) VALUES (:n % 2, :n);} ],
	# which need not be attached
	detached => [ 1, q{INSERT INTO parted_2 (part, k) VALUES (2, :n);} ],
	loose => [ 1, q{INSERT INTO loose (k) VALUES (:n);} ]);

# and of the other session
my @maintenance = (
	'VACUUM item', 'REINDEX INDEX CONCURRENTLY item_k', 'REINDEX INDEX item_t', 'VACUUM named',
	'REINDEX INDEX CONCURRENTLY item_t', 'CHECKPOINT', 'REINDEX INDEX CONCURRENTLY named_k');

sub script
{
	my ($node, $name, $text) = @_;
	my $file = $node->basedir . "/$name.pgbench";

	unlink $file;
	append_to_file($file, $text);
	return $file;
}

sub start_pgbench
{
	my ($node, $errors, @arguments) = @_;

	return IPC::Run::start([ 'pgbench', '-n', '-T', 3600, '--max-tries=100', @arguments, $node->connstr('postgres') ],
		'<', \undef, '>', '/dev/null', '2>', $errors);
}

sub start_clients
{
	my ($node, $errors, @options) = @_;
	my $draw = q{
		SELECT nextval('number') AS n \gset
		\set old random(1, :n)
	};
	my @files;

	for my $name (sort keys %scripts)
	{
		my ($weight, $text) = @{ $scripts{$name} };
		push @files, '-f', script($node, $name, "$draw$text\n") . "\@$weight";
	}
	return start_pgbench($node, $errors, '-c', $nclients, '-j', 2, @options, @files);
}

sub start_writers
{
	my ($node) = @_;
	my %writers = (errors => '');
	my $maintenance = script($node, 'maintenance', join('', map { "$_;\n" } @maintenance));

	$writers{runs} = [
		start_clients($node, \$writers{errors}),
		start_pgbench($node, \$writers{errors}, '-f', $maintenance) ];
	return \%writers;
}

sub start_slow_writers
{
	my ($node) = @_;
	my %writers = (errors => '');

	$writers{runs} = [ start_clients($node, \$writers{errors}, '--rate=50') ];
	return \%writers;
}

sub wait_for_writers
{
	my ($node, $n) = @_;
	my $from = $node->safe_psql('postgres', 'SELECT last_value FROM number');

	$node->poll_query_until('postgres', "SELECT last_value >= $from + $n FROM number")
	  or die 'nothing is written';
	return;
}

sub stop_writers
{
	my ($writers) = @_;

	for my $run (@{ $writers->{runs} })
	{
		$run->signal('TERM');
		IPC::Run::finish($run);
	}
	return;
}

sub complaints
{
	my ($writers) = @_;
	return join "\n", grep { /ERROR:|PANIC:/ } split /\n/, $writers->{errors};
}

# What a crash leaves behind for others to end
sub tidy_up
{
	my ($node) = @_;
	my @left = split /\n/, $node->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts ORDER BY gid');

	for my $i (0 .. $#left)
	{
		$node->safe_psql('postgres', ($i % 2 ? 'ROLLBACK' : 'COMMIT') . " PREPARED '$left[$i]'");
	}
	$node->safe_psql('postgres', join '', map { "DROP INDEX $_;\n" } split /\n/,
		$node->safe_psql('postgres', 'SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid'));
	return;
}

# What is wrong with each index by itself, and with the numbers of rows that are found by it, key by key;
# in one statement, as there are many.  A standby has no unlogged tables.
sub faults
{
	my ($node) = @_;
	my ($status, undef, $errors) = $node->psql(
		'postgres', q{
		SET enable_seqscan = off;
		SET enable_indexscan = off;
		SET enable_indexonlyscan = off;
		SET client_min_messages = error;
		DO $$
		DECLARE
			index record;
			query text;
			line text;
			plan text;
			key text;
			faults text := '';
		BEGIN
			FOR index IN
				SELECT i.oid, i.relname AS name, indrelid::regclass::text AS "table", attname AS key
				FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am am ON am.oid = relam
					JOIN pg_attribute ON attrelid = i.oid
				WHERE amname = 'bloom_pages' AND relkind = 'i' AND indisvalid
					AND NOT (relpersistence = 'u' AND pg_is_in_recovery())
				ORDER BY 2
			LOOP
				BEGIN
					PERFORM bloom_pages_check(index.oid);
				EXCEPTION WHEN index_corrupted THEN
					faults := faults || SQLERRM || E'\n';
				END;

				query := format('SELECT key FROM (SELECT %2$s AS key, count(*) AS n FROM %1$s GROUP BY %2$s) s
					WHERE n <> (SELECT count(*) FROM %1$s WHERE %2$s = s.key)', index.table, index.key);
				plan := '';
				FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
					plan := plan || line || E'\n';
				END LOOP;
				ASSERT plan ~ ('Bitmap Index Scan on ' || index.name) OR pg_relation_size(index.table::regclass) = 0, plan;
				FOR key IN EXECUTE query LOOP
					faults := faults || format(E'%s: %s is not found\n', index.name, key);
				END LOOP;
			END LOOP;
			IF faults <> '' THEN
				RAISE EXCEPTION '%', faults;
			END IF;
		END $$});

	return $errors;
}

sub run_round
{
	my ($node, $n, $kill) = @_;
	my $at = -s $node->logfile;
	my $writers = start_writers($node);

	wait_for_writers($node, $n);
	usleep(int(rand(300_000)));
	$kill->($node, @{ $writers->{runs} });
	tidy_up($node);
	my ($crash) = slurp_file($node->logfile, $at) =~ /^(.*(?:PANIC:|TRAP:|terminated by signal (?!9)).*)$/m;
	return join "\n", grep { $_ } complaints($writers), $crash, faults($node);
}

1;
