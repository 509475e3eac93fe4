# Live sets, to which two sessions add one key in every order that their steps, and those of a third one
# that opens layers and adds other keys, can have.  Of transactions that commit in the life of a key, one
# is told that it is new, unless others fail to serialize; who waits, waits for a lock, and is told what is
# right then; and a layer is sealed as soon as all that may not know of it have ended, no sooner.
#
# The orders are those that are known to be hard, all of two short transactions, and others at random.  Then
# defects are planted, one at a time, and some order finds each: with --ci one of them, with BLOOMTYPE_SLOW all.
#
#    BLOOMTYPE_ORDERS=...     how many orders at random
#    BLOOMTYPE_SEED=...       where the random numbers start
#    BLOOMTYPE_DEFECT=...     a regular expression of the names of defects to be looked for

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IO::Select;
use List::Util qw(any shuffle);
use OwnInstallation;
use PlantedDefects;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);
use WireSession;

my $norders = $ENV{BLOOMTYPE_ORDERS} // ($ENV{BLOOMTYPE_SLOW} ? 3000 : $ENV{BLOOMTYPE_CI} ? 150 : 40);
my $pattern = $ENV{BLOOMTYPE_DEFECT} // ($ENV{BLOOMTYPE_SLOW} ? '' : 'one layer only');
my @levels = ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE');
srand($ENV{BLOOMTYPE_SEED} // 1);

my ($node, %sessions, $observer, $key, @others, @elsewhere);

# A step is the number of a session and one of these letters.  %steps are statements, in which some names
# stand for others.
my %steps = (
	a => q{SELECT bloom_set_add('seen', KEY)},
	A => q{SELECT KEY = ANY (bloom_set_add_all('seen', ARRAY[KEY, OTHER]))},
	K => q{SELECT KEY = ANY (bloom_set_add_all('seen', ARRAY[KEY, MANYOTHERS]))},
	b => 'BEGIN ISOLATION LEVEL WHICH; SELECT',
	d => 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM seen',
	c => 'COMMIT', r => 'ROLLBACK', s => 'SAVEPOINT s', u => 'ROLLBACK TO s',
	p => q{PREPARE TRANSACTION 'NAME'}, C => q{COMMIT PREPARED 'NAME'}, R => q{ROLLBACK PREPARED 'NAME'},
	h => 'SELECT FROM pg_advisory_lock(1)', H => 'SELECT FROM pg_advisory_unlock(1)',
	l => q{SELECT FROM bloom_set_add('seen', OTHER)}, m => q{SELECT FROM bloom_set_add('seen', ELSEWHERE)}, o => '');

# What opens layers is the name of one of these sets, with its number of windows.
my %windows = (growth => 1, crowded => 1, one => 1, two => 2, three => 3);

my @hard = (
	# a session has added before a layer opens, or has an older snapshot, or adds while one is being opened
	'1b1a 3o3l 2b2a 1c2c', '1b1a 3o3l 2b2a 1r2c', '1b1A 3o3l 2b2A 1c2c',
	'1b 3o3l 2b2a2c 1a1c', '1b 3o3l 2b2a 1a 2r1c', '1b 2b2a 3o3l 1a 2c1c',
	'3b3o 1b1a 3c3l 2b2a 1c2c', '3b3o 1b1a1p 3c3l 2b2a 1C2c', '3b3o 1b 3r 1a1c 2b2a2c',
	# who opens it adds, too
	'1b1o1l 2b2a 1c 3b3a 2c3c', '1b1a1o1a 2b2a 1c2c',
	# a snapshot that does not show what was committed before a layer is sealed; who is prepared has added, too
	'1b1a 3o 2b 1c 2l2a2c', '1b1a 2b2l 3o 1m1p 2c 1l 2b2a 1C2c',
	'1b1s1a1u 3o3l 2b2a 1c2c', '1b1s1o1a1u 2b2a 1c2c', '1b1a1p 3o3l 2b2a 1C2c', '1b1a1p 3o3l 2b2a 1R2c',
	# several layers; who opens the last one waits for rows that it deletes, or another one for those
	'1b1a 3o3o 2b2a 1c2c', '1b1a 3o3o3o3o3o 2b2a 1c2c', '3b 1b1a 2b 3o2a 3c 1o1c 2c',
	# more keys than fit
	'1b 2b2a2c 1K1c', '1b 2b2K2c 1a1c', '1b1a 2b2K 1c2c', '1b1a 2b2K 1r2c', '1b1K 2b2K 1c2c', '1b1K 2b2a 1r2c',
	# a dump; and session 1 is late, where this is planted
	'2d 3o3l', '3h 1b1a 3o3l 2b2a2c 3H1c');

# All orders of the steps of two sessions
sub merges
{
	my ($one, $two) = @_;

	return $one . $two if $one eq '' || $two eq '';
	return map { my $step = substr $_->[0], 0, 2, ''; map { $step . $_ } merges(@$_) } [ $one, $two ], [ $two, $one ];
}

sub random_order
{
	my @transactions = qw(bac bac bar bAc bKc bKr bsauc bsauac bapC bapR boac baoc boar blac balc);
	my @others = qw(ol oll lol olol bocl borol boacl blolac);
	my %left = ((map { $_ => $transactions[ rand @transactions ] } 1, 2), 3 => $others[ rand @others ]);

	return join '', map { $_ . substr($left{$_}, 0, 1, '') } shuffle(map { ($_) x length $left{$_} } sort keys %left);
}

# Each is an order, what opens layers, and the isolation levels of sessions 1 and 2.  Without --ci, those that are
# hard at a quarter of the levels and sets.
my @orders;
my $turn = 0;
for my $level (@levels)
{
	# no session waits for what it has prepared, nor for one that is late
	push @orders, grep { $_->[1] ne 'crowded' || $_->[0] !~ /(\d)p.*\1l.*\1C|h/ }
	  grep { $ENV{BLOOMTYPE_CI} || $turn++ % 4 == 0 }
	  map { my $order = $_; map { [ $order, $_, $level, $level ] } sort keys %windows } @hard;
	push @orders, map { [ $_, 'one', $level, $level ] } merges('1b1a1c', '2b2a2c'), merges('1b1a1r', '2b2a2c');
}
push @orders, map { [ random_order(), (sort keys %windows)[ rand 5 ], @levels[ rand 3, rand 3 ] ] } 1 .. $norders;

# A table that has a trigger is changed by statements.
push @{ $orders[$_] }, 'statements' for grep { $_ % 2 } 0 .. $#orders;

# The set "growth" is full, so that whoever adds several of @others opens a layer.  In "crowded" none of its
# slices has room for another key, so that whoever adds one waits until he is alone.  @others are in other
# slices than $key, also of layers of other sizes, and those of @elsewhere in still others: slices are ranges
# of hashes.
my $preparation = q{
	CREATE EXTENSION bloomtype;
	CREATE ROLE adds;
	CREATE FUNCTION keep_new() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
	SELECT bloom_set_create('growth', 'int', 3000), bloom_set_create('crowded', 'int', 3000), bloom_set_create('one', 'int', 3000),
		bloom_set_create('two', 'int', 3000, windows => 2), bloom_set_create('three', 'int', 3000, windows => 3);
	GRANT SELECT, UPDATE ON growth, crowded TO adds;
	SET ROLE adds;
	SELECT FROM bloom_set_add_all('growth', array(SELECT generate_series(1, 3100)));
	SELECT FROM bloom_set_add_all('crowded', array(SELECT generate_series(10001, 15000)));
	DO $$ BEGIN
		FOR i IN 15001 .. 18000 LOOP
			BEGIN
				PERFORM bloom_set_add('crowded', i);
			EXCEPTION WHEN program_limit_exceeded THEN
			END;
		END LOOP;
	END $$;
	RESET ROLE;
	CREATE TABLE seen (LIKE growth INCLUDING ALL) WITH (fillfactor = 50);
	CREATE TABLE place (k int, slice int, hash bigint GENERATED ALWAYS AS (bloom_key_to_bigint(bloom_key(k))) STORED);
	CREATE TABLE empty AS SELECT DISTINCT bits FROM one WHERE slice >= 0;
	DO $$ BEGIN
		FOR i IN 5001 .. 8000 LOOP
			CONTINUE WHEN bloom_set_contains('growth', i) OR bloom_set_contains('crowded', i);
			PERFORM bloom_set_add('one', i);
			INSERT INTO place (k, slice) SELECT i, slice FROM one WHERE slice >= 0 AND bits <> ALL (SELECT bits FROM empty);
			UPDATE one SET bits = decode(repeat('00', length(bits)), 'hex')
			WHERE slice >= 0 AND bits <> ALL (SELECT bits FROM empty);
		END LOOP;
	END $$};

# Session 1 has the name at which a delay, if there is one, waits for the advisory lock.
sub start_node
{
	($node) = @_;
	$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--no-sync' ]);
	$node->append_conf('postgresql.conf',
		"autovacuum = off\nmax_prepared_transactions = 10\ndeadlock_timeout = 100ms\nlog_statement = none\n");
	$node->start;
	$node->safe_psql('postgres', $preparation);
	%sessions = map { $_ => WireSession->connect($node, 'postgres') } 1 .. 3;
	$sessions{$_}->query(q{SET application_name = '} . ($_ == 1 ? 'late' : 'other') . q{'}) for 1 .. 3;
	$observer = WireSession->connect($node, 'postgres');
	$key = $observer->query('SELECT k FROM place WHERE slice = 0 ORDER BY hash LIMIT 1')->{rows}[0][0];
	return;
}

# The processes that wait for others; the newest layer, its window, and whether it is sealed
sub observe
{
	return @{ $observer->query(q{
		SELECT (SELECT coalesce(string_agg(pid::text, ' '), '') FROM pg_stat_activity
				WHERE application_name IN ('late', 'other') AND cardinality(pg_blocking_pids(pid)) > 0),
			layer, get_byte(bits, 124), EXISTS (SELECT FROM seen WHERE slice = -2 AND layer = head.layer AND bits <> '')
		FROM seen AS head WHERE slice = -1 ORDER BY layer DESC LIMIT 1})->{rows}[0] };
}

# What is known of a session: its isolation level; the step that it has not done, and the window when it began;
# is it in a transaction, has one failed, has it locked the table, and before the newest layer was there; how many
# windows it has begun; and, of each time that it was told of the key, whether it was new, and in which windows
# it may have been added.
my (%run, @told, $opener, $may_deadlock, $newest, $window, $fault);

sub end_transaction
{
	my ($run, $is_committed) = @_;

	push @told, @{ $run->{told} } if $is_committed;
	@$run{qw(told nown is_open has_lock is_unaware)} = ([], 0, 0, 0, 0);
	return;
}

# Take note of what a session says, if it has done its step.
sub has_done
{
	my ($name) = @_;
	my ($run, $session) = ($run{$name}, $sessions{$name});

	return 0 unless IO::Select->new($session->{socket})->can_read(0);
	my ($result) = $session->exchange('', 1);
	my $step = delete $run->{step};
	if (my $error = $result->{error})
	{
		$fault //= "$name$step: $error->{C} $error->{M}"
		  if $error->{C} eq '40001' ? $run->{level} eq $levels[0] && $error->{M} !~ /new layer/
		  : $error->{C} ne '40P01' || !$may_deadlock;
		$session->query('ROLLBACK');
		end_transaction($run, 0);
		$run->{has_failed} = 1;
		return 1;
	}
	my @windows = map { $_ + $run->{nown} } $run->{window}, (observe())[2];
	push @{ $run->{told} }, { new => $result->{rows}[0][0] eq 't', from => $windows[0], to => $windows[1] } if $step =~ /[aAK]/;
	$run->{nown}++ if $step eq 'o' && $opener !~ /growth|crowded/;
	@$run{qw(told nown has_lock is_unaware)} = ([], 0, 0, 0) if $step eq 'u';
	$run->{is_open} = 1 if $step =~ /[bd]/;
	$run->{has_lock} ||= $step =~ /[AKlmo]/ || $step eq 'a' && $result->{rows}[0][0] eq 't';
	end_transaction($run, $step !~ /[rR]/) if $step =~ /[cCrR]/ || !$run->{is_open};
	return 1;
}

# Wait until each session has done its step, or waits for a lock.
sub settle
{
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;

	# who gets the lock meanwhile may have waited for who has opened the layer
	my %may_be_unaware = map { $_ => $run{$_}{has_lock} } 1 .. 3;

	for (;;)
	{
		my @busy = grep { $run{$_}{step} && !has_done($_) } 1 .. 3;
		my ($blocked, @state) = observe();

		$fault //= 'sealed too early' if $state[2] eq 't' && any { $_->{is_unaware} && !$_->{step} } values %run;
		map { $run{$_}{is_unaware} = $may_be_unaware{$_} && $run{$_}{has_lock} } 1 .. 3 if $state[0] > $newest;
		($newest, $window) = @state;
		return if !any { $blocked !~ /\b${\ $sessions{$_}->pid}\b/ } @busy;
		die "session @busy hangs\n" if time > $end;
		usleep(1000);
	}
}

sub do_step
{
	my ($name, $step) = @_;
	my $run = $run{$name};
	my $sql = $steps{$step};

	return if $run->{has_failed};
	@$run{qw(step window)} = ($step, $window);
	$sql = 'SELECT bloom_set_' . ($opener =~ /growth|crowded/ ? q{add_all('seen', ARRAY[OTHERS])} : q{advance('seen', 3000)}) if $step eq 'o';
	$sql =~ s/MANYOTHERS/join ',', @others[-560 .. -1]/e;
	$sql =~ s/(OTHERS?)/join ',', splice @others, 0, $1 eq 'OTHERS' ? 60 : 1/e;
	$sql =~ s/ELSEWHERE/shift @elsewhere/e;
	$sql =~ s/WHICH/$run->{level}/;
	$sql =~ s/KEY/$key/g;
	$sql =~ s/NAME/p$name/;
	syswrite $sessions{$name}{socket}, WireSession::message('Q', "$sql\0");
	settle();
	return;
}

# What is wrong with the answers, by the windows that the key is known in
sub wrong_answer
{
	my ($is_new) = @_;
	my $n = $windows{$opener};
	my @new = grep { $_->{new} } @told;

	for my $one (@new)
	{
		return 'told twice' if any { $_ != $one && $one->{to} - $_->{from} < $n && $_->{to} - $one->{from} < $n } @new;
	}
	return 'lost' if $is_new && any { $_->{from} > $window - $n } @new;
	return 'told nobody' if !$is_new && !any { $_->{to} > $window - $n } @new;
	return;
}

# Run the steps of an order; returns what is wrong, or an empty string.
sub fault_of
{
	(my $order, $opener, my @session_levels) = @_[ 0 .. 3 ];
	my $trigger = $_[4] ? 'CREATE TRIGGER one BEFORE UPDATE ON seen FOR EACH ROW EXECUTE FUNCTION keep_new()' : '';
	my @left = $order =~ /\d\w/g;

	$observer->query("DROP TRIGGER IF EXISTS one ON seen; $trigger; TRUNCATE seen; INSERT INTO seen SELECT * FROM $opener");
	@others = map { $_->[0] } @{ $observer->query('SELECT k FROM place WHERE slice = 2 ORDER BY k')->{rows} };
	@elsewhere = map { $_->[0] } @{ $observer->query('SELECT k FROM place WHERE slice = 1 AND hash > 0 ORDER BY hash')->{rows} };
	%run = map { $_ => { told => [], nown => 0, level => $session_levels[ $_ - 1 ] // $levels[0] } } 1 .. 3;
	@told = ();
	($newest, $window, $fault) = (0, 1);

	# a transaction with several calls
	$may_deadlock = any { $order =~ /${_}b/ && (() = $order =~ /$_[aAKlmo]/g) > 1 } 1 .. 3;
	my $end = time + $PostgreSQL::Test::Utils::timeout_default;
	while (@left && !defined $fault)
	{
		# a session that waits has its turn later
		my ($i) = grep { !$run{ substr $left[$_], 0, 1 }{step} } 0 .. $#left;

		die "all wait for one another\n" if !defined $i && (!$may_deadlock || time > $end);
		defined $i ? do_step(split //, splice @left, $i, 1) : settle();
	}
	if (!defined $fault)
	{
		$fault = 'a session waits for nobody' if any { $_->{step} } values %run;
		$fault //= 'no layer' if $newest == 0 && !$run{3}{has_failed} && $order =~ /3o(?!.*3r)/;
		$run{3}{has_failed} = 0;
		do_step(3, 'l') for 1, 2;
		$fault //= 'not sealed' if $newest > 0 && $opener ne 'one' && (observe())[3] ne 't';
		my ($is_new) = $observer->query($steps{a} =~ s/KEY/$key/r)->{rows}[0][0];
		$fault //= wrong_answer($is_new eq 't');
	}
	$_->query('ROLLBACK') for values %sessions;
	return defined $fault ? "$fault: @_\n" : '';
}

# What is found first
sub first_fault
{
	my $fault = '';

	$fault ||= eval { fault_of(@$_) } // "$@: @$_\n" for @orders;
	return $fault;
}

start_node(PostgreSQL::Test::Cluster->new('main'));
is(first_fault(), '', @orders . ' orders: each answer is right');

# A session that adds to several sets knows of each who may not know of its newest layer.
my @in_slice = map {
	[ map { $_->[0] } @{ $observer->query("SELECT k FROM place WHERE slice = $_ ORDER BY abs(hash) LIMIT 9")->{rows} } ]
} 0 .. 2;

sub add_to_both
{
	my ($name, $slice) = @_;
	my $one = shift @{ $in_slice[$slice] };

	$sessions{$name}->query("SELECT bloom_set_add('$_', $one)") for qw(two three);
	return;
}

$sessions{$_}->query('BEGIN') for 2, 3;
add_to_both(3, 1);
$observer->query("SELECT bloom_set_advance('two', 3000), bloom_set_advance('three', 3000)");
add_to_both(1, 0);
add_to_both(2, 2);
$sessions{3}->query('COMMIT');
add_to_both(1, 0);
is($observer->query(q{SELECT count(*) FROM (TABLE two UNION ALL TABLE three) AS rows_of_both WHERE slice = -2 AND layer = 1 AND bits <> ''})->{rows}[0][0],
	2, 'a layer of each of two sets is sealed, though others have added by now');
$sessions{2}->query('COMMIT');

# A set whose windows advance twice while a session waits to add keys that fill a slice, which then is measured
$observer->query(q{SELECT bloom_set_create('brief', 'int', 3000, growth => 0);
	SELECT bloom_set_add_all('brief', array(SELECT generate_series(1, 3100)));
	CREATE TABLE absent AS
		SELECT k, row_number() OVER (ORDER BY hash) AS n FROM place WHERE slice = 0 AND NOT bloom_set_contains('brief', k)});
$sessions{3}->query('BEGIN');
$sessions{3}->query(q{SELECT bloom_set_add('brief', (SELECT k FROM absent WHERE n = 1))});
syswrite $sessions{1}{socket},
  WireSession::message('Q', "SELECT bloom_set_add_all('brief', array(SELECT k FROM absent WHERE n BETWEEN 2 AND 100))\0");
usleep(1000) until (observe())[0];
$observer->query(q{SELECT bloom_set_advance('brief', 3000)}) for 1, 2;
$sessions{3}->query('COMMIT');
is(($sessions{1}->exchange('', 1))[0]{error}, undef, 'a window that has gone is not measured');

# A partition that a trigger follows, while it is being detached
$observer->query(q{CREATE TABLE parent (k int) PARTITION BY LIST (k); CREATE TABLE child PARTITION OF parent FOR VALUES IN (1);
	CREATE TRIGGER follow AFTER INSERT ON parent FOR EACH ROW EXECUTE FUNCTION bloom_set_follow('brief', 'k')});
$sessions{1}->query('BEGIN');
$sessions{1}->query('SELECT FROM parent');
$observer->query('SET lock_timeout = 100');
$observer->query('ALTER TABLE parent DETACH PARTITION child CONCURRENTLY');
is($observer->query(q{SELECT inhdetachpending FROM pg_inherits WHERE inhrelid = 'child'::regclass})->{rows}[0][0],
	't', 'a partition is being detached');
$observer->query('INSERT INTO child VALUES (1)');
is($observer->query(q{SELECT bloom_set_contains('brief', 1)})->{rows}[0][0], 't', 'what is inserted is in the set');
$sessions{1}->query('COMMIT');

$node->stop;

# Session 1 may be late where it has locked the table, or is about to.
my ($add, $layers, $slice, $statements, $table) = map { "set/set_$_.c" } qw(add layers slice statements table);
my @include = ($add, qq{#include "utils/snapmgr.h"\n}, join '', map { qq{#include "utils/$_.h"\n} } qw(fmgrprotos guc snapmgr));
my $lock = "\tblt_set_open(set, table, RowExclusiveLock);\n";
my $snapshot = "set->snapshot = RegisterSnapshot(GetTransactionSnapshot());\n";
my $delay = q{
	if (strcmp(GetConfigOption("application_name", false, false), "late") == 0)
	{
		DirectFunctionCall1(pg_advisory_lock_int8, Int64GetDatum(1));
		DirectFunctionCall1(pg_advisory_unlock_int8, Int64GetDatum(1));
	}
};
my $target = '(target > 0 && !set->layers[target].is_sealed)';

# Name; then file, text that is there once, text in its place, as often as needed
my @defects = (
	[ 'keys go to one layer only', $layers, "while $target", 'while (false)' ],
	[ 'keys go to the last two layers only', $layers, "while $target", "if $target" ],
	[ 'seals do not wait for other transactions', $layers, 'return have_ended(session);', 'return true;' ],
	[ 'who opens a layer seals it', $layers, ' || TransactionIdIsCurrentTransactionId(newest->xmin))', ')' ],
	[ 'who has an old snapshot seals', $layers, 'if (IsolationUsesXactSnapshot() || Trans', 'if (Trans' ],
	[ 'who seals forgets what it has added before', $layers, 'GET_VXID_FROM_PGPROC(all[0], *MyProc);', 'all[0] = others[0];' ],
	[ 'seals wait for those who read', $layers, '(&tag, ShareLock,', '(&tag, AccessExclusiveLock,' ],
	[ 'a session takes a layer for another one', $layers, ' || session->xmin != newest->xmin)', ')' ],
	[ 'older snapshots add', $layers, 'IsolationUsesXactSnapshot() && !blt', 'false && !blt' ],
	[ 'nobody waits to be alone', $table, 'SET_ALONE_LOCK, true', 'RowExclusiveLock, true' ],
	[ 'who is alone takes an old snapshot for what is there', $add, 'if (nabsent > 0 && set->is_alone', 'if (false && set->is_alone' ],
	[ 'rows that have changed meanwhile are not looked at', $slice, 'return result == TM_Ok;', 'return true;' ],
	[ 'a key that is there is added again', $slice, 'found, hash))', 'found, hash) && false)' ],
	[ 'statements do not lock rows that they look at', $statements, ' FOR NO KEY UPDATE', '' ],
	[ 'a key that is there is added again by a statement', $slice, "\tif (!blt_set_lock_slice(set, layer, slice, found))\n\t\treturn SET_SLICE_IS_GONE;\n",
		"\tif (!blt_set_lock_slice(set, layer, slice, found))\n\t\treturn SET_SLICE_IS_GONE;\n\tblt_set_read_slice((BloomSet *) set, layer, slice, found);\n" ],
	[ 'what an older layer has by now is new in the newest one', $slice, "/*\n * Copy the bits", "static bool is_older;\n\n/*\n * Copy the bits",
		$slice, 'keys[i]->is_new = false;', 'keys[i]->is_new = is_older;',
		$slice, "\tstate = is_plain(", "\tis_older = layer != blt_set_newest(set);\n\tstate = is_plain(" ],
	[ 'a row that is deleted is damage', $add, 'if (!blt_set_is_live_now(&addition->set, layer))', 'if (false)' ],
	[ 'the snapshot is older than the lock', @include, $add, $lock, $snapshot =~ s/set->snapshot/early/r . $delay . $lock,
		$add, "\nstatic int\nlook_in_set(", "\nstatic Snapshot early;\n\nstatic int\nlook_in_set(",
		$add, "$snapshot\tnabsent", "set->snapshot = RegisterSnapshot(early);\n\tnabsent" ],
	[ 'nothing: the snapshot is late', @include, $add, $lock, $lock . $delay ]);

my ($copy, $sources) = $ENV{BLOOMTYPE_CI} ? (copy_installation('server'), copy_source()) : ();
for my $defect ($ENV{BLOOMTYPE_CI} ? @defects : ())
{
	my ($name, @edits) = @$defect;
	my @before = plant_defect($sources, @edits);

	if ($name =~ /$pattern/ && ok(build_library($copy, $sources, 'bloomtype'), "$name: it is built"))
	{
		start_node(new_node($name =~ s/\W+/_/gr, $copy));
		my $fault = first_fault();
		$name =~ /^nothing/ ? is($fault, '', "$name: nothing is found") : isnt($fault, '', "$name: found");
		note($fault);
		$node->stop('immediate', fail_ok => 1);
	}
	restore_text(@before);
}

done_testing();
