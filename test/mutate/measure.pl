# The measurement of test/mutate/run, which describes it, builds the extension and starts this
# in the private tree.
#
#    measure.pl FOLDER SEED MUTANTS MINUTES WORKERS [--summary]
#
# Each worker has a folder with a copy of src/, an installation and a server; what a mutant
# changes is compiled there, and linked with the objects of the tree.

use strict;
use warnings FATAL => 'all';

use Cwd qw(getcwd);
use Digest::SHA;
use File::Basename;
use FindBin;
use List::Util qw(max min sum0);
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin;
use Mutants;

my ($folder, $seed, $wanted, $minutes, $nworkers, $only_summary) = @ARGV;
my @layers = qw(core interchange key filter external types planner);
my $start = time;
my $top = getcwd;
my $private = $ENV{BLOOMTYPE_PRIVATE} // '';
my $results_file = "$folder/$seed.results";

# ---- files and commands

sub slurp
{
	my ($file) = @_;

	open my $handle, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$handle>;
}

sub spit
{
	my ($file, $text) = @_;

	open my $handle, '>', $file or die "$file: $!\n";
	print $handle $text;
	close $handle or die "$file: $!\n";
}

# One line, at once, also where several processes append
sub append
{
	my ($file, $line) = @_;

	open my $handle, '>>', $file or die "$file: $!\n";
	syswrite $handle, "$line\n";
	close $handle;
}

# Run a command for so many seconds at most; with a pattern, until it prints a line like that.
# Returns whether it succeeded, and what it printed.
sub attempt
{
	my ($seconds, $pattern, @command) = @_;
	my $output = '';
	my $found = 0;
	my $pid = open my $pipe, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', 'timeout', '--foreground',
		'-k', 5, int($seconds) + 1, @command;

	while (my $line = <$pipe>)
	{
		$output .= $line;
		next unless defined $pattern && $line =~ $pattern;
		$found = 1;
		kill 'TERM', $pid;
		last;
	}
	return (close($pipe) && !$found, $output);
}

sub must
{
	my ($what, @command) = @_;
	my ($ok, $output) = attempt(3600, undef, @command);

	die "$what:\n$output\n" unless $ok;
	return $output;
}

sub make_variable
{
	my ($name) = @_;
	my $output = must("make $name", 'make', '-s', "--eval=show: ; \@: \$(info \$($name))",
		"COPT=$ENV{BLOOMTYPE_COPT}", 'show');

	chomp $output;
	return $output;
}

# ---- what was drawn

# Files of src/, by layer
sub source_files
{
	return map { my $layer = $_; map { [ $layer, $_ ] } sort glob "src/$layer/*.[ch]" } @layers;
}

# A hash of all that decides about a mutant
sub tree_hash
{
	my $sha = Digest::SHA->new(256);

	for my $file (sort glob 'src/*/*.[ch] src/*.h sql/*.sql test/sql/*.sql expected/*.out test/t/*.p[lm] '
		. 'test/unit/*.[ch] test/fuzz/*.[ch] test/fuzz/corpus/*/*')
	{
		$sha->add($file);
		$sha->addfile($file);
	}
	return substr $sha->hexdigest, 0, 12;
}

sub shuffled
{
	my @list = @_;

	for my $i (reverse 1 .. $#list)
	{
		my $j = int rand($i + 1);
		@list[ $i, $j ] = @list[ $j, $i ];
	}
	return @list;
}

# Mutants in the order in which they are tried: of each folder as many as its share of the lines
# of code, of a line that was drawn one operator, and one place for it.
sub draw_mutants
{
	my (%lines, %queue, %drawn, @order);

	srand $seed;
	for (source_files())
	{
		my ($layer, $file) = @$_;
		my $text = slurp($file);
		my $code = $text =~ s{/\*.*?\*/}{}sgr;
		my %on_line;

		$lines{$layer} += () = $code =~ /^.*\S.*$/mg;
		push @{ $on_line{ $_->{line} } }, { %$_, file => $file, layer => $layer }
			for find_mutants($text);
		push @{ $queue{$layer} }, map { $on_line{$_} } sort { $a <=> $b } keys %on_line;
	}
	@{ $queue{$_} } = shuffled(@{ $queue{$_} }) for @layers;

	my $all = sum0(values %lines);
	while (grep { @{ $queue{$_} } } @layers)
	{
		my ($layer) = sort {
			($drawn{$a} // 0) / $lines{$a} <=> ($drawn{$b} // 0) / $lines{$b} || $a cmp $b
		} grep { @{ $queue{$_} } } @layers;
		my @choice = @{ shift @{ $queue{$layer} } };
		my %operators = map { $_->{operator} => 1 } @choice;
		my ($operator) = shuffled(sort keys %operators);
		my ($mutant) = shuffled(grep { $_->{operator} eq $operator } @choice);

		$drawn{$layer}++;
		$mutant->{number} = @order + 1;
		push @order, $mutant;
	}
	return @order;
}

# ---- results

# By number: the fields of the last line that the file has of it; and what follows `# '
sub read_results
{
	my (%results, @notes);

	return (\%results, \@notes) unless -e $results_file;
	for (split /\n/, slurp($results_file))
	{
		if (/^# (.*)/)
		{
			push @notes, $1;
			next;
		}
		my ($number, $place, $operator, $change, $verdict, $seconds) = split /\t/;

		$seconds += $results{$number}{seconds} if $results{$number};
		$results{$number} = {
			number => $number,
			place => $place,
			operator => $operator,
			change => $change,
			verdict => $verdict,
			seconds => $seconds };
	}
	return (\%results, \@notes);
}

sub write_result
{
	my ($mutant, $verdict, $seconds) = @_;
	my $line = join "\t", $mutant->{number}, "$mutant->{file}:$mutant->{line}", $mutant->{operator},
		describe(slurp("$top/$mutant->{file}"), @{ $mutant->{edits} }), $verdict,
		sprintf('%.1f', $seconds);

	append($results_file, $line);
	print "$line\n";
}

sub summarize
{
	my ($results, $notes) = read_results();
	my @columns = ('drawn', 'compiled', 'unit', 'fuzz', 'regress', '--ci', 'tap', 'survived');
	my (%count, $seconds);

	for my $result (values %$results)
	{
		my ($layer) = $result->{place} =~ m{^src/(\w+)/};

		for my $row ($layer, 'all')
		{
			$count{$row}{drawn}++;
			$count{$row}{compiled}++ if $result->{verdict} ne 'nocompile';
			$count{$row}{$1}++ if $result->{verdict} =~ /^(?:killed )?(\S+)/;
		}
		$seconds += $result->{seconds};
	}
	printf "\n%-12s%s\n", 'folder', join '', map { sprintf '%10s', $_ } @columns;
	for my $row (@layers, 'all')
	{
		printf "%-12s%s\n", $row, join '', map { sprintf '%10d', $count{$row}{$_} // 0 } @columns;
	}

	my $compiled = $count{all}{compiled} // 0;
	my $survived = $count{all}{survived} // 0;

	printf "\nsurvivors\n%s", join '', map { "  $_->{number}\t$_->{place}\t$_->{operator}\t$_->{change}\n" }
		sort { $a->{number} <=> $b->{number} }
		grep { $_->{verdict} eq 'survived' } values %$results
		if $survived;
	print "\n--ci and tap were not run to their end\n" unless grep { $_ eq 'end' } @$notes;
	printf "\nscore: %d of %d killed, %.1f %%; %d seconds each\n", $compiled - $survived, $compiled,
		100 * ($compiled - $survived) / $compiled, $seconds / keys %$results
		if $compiled;
	return $compiled - $survived;
}

# ---- what is built

my (%variable, %objects, %included);

# A kind of objects: where those of the tree are, and how one is compiled
my %kinds = (
	library => { base => '.', flags => 'CFLAGS CPPFLAGS' },
	unit => { base => 'test/unit/build/native', flags => 'UNIT_CFLAGS', plain => 1 },
	sanitized => { base => 'test/unit/sanitized/native', flags => 'UNIT_CFLAGS' },
	fuzz => { base => 'test/fuzz/build/replay', flags => 'FUZZ_CFLAGS CPPFLAGS' });

sub build_base
{
	print "\n== unit tests and fuzz targets\n";
	must('make', 'make', '-s', "-j$nworkers", 'test/unit/build/native/core_test', 'UNIT_SANITIZERS=');
	must('make', 'make', '-s', "-j$nworkers", 'UNIT_DIR=test/unit/sanitized',
		'test/unit/sanitized/native/core_test');
	my @targets = split ' ', make_variable('FUZZ_TARGETS');
	must('make', 'make', '-s', "-j$nworkers", map { "test/fuzz/build/replay/fuzz_$_" } @targets);

	$variable{$_} = make_variable($_)
		for qw(CC CFLAGS CPPFLAGS UNIT_CFLAGS UNIT_SANITIZERS FUZZ_CFLAGS LINK.shared LDFLAGS SHLIB_LINK);
	$objects{$_} = [ split ' ', make_variable($_) ]
		for qw(OBJS unit_objects fuzz_core_objects fuzz_glue_objects fuzz_core_targets REGRESS);
	$kinds{library}{programs} = { 'bloomtype.so' => $objects{OBJS} };
	$kinds{$_}{programs} = { core_test => $objects{unit_objects} } for qw(unit sanitized);
	$kinds{fuzz}{programs} = { map {
		my $target = $_;
		my $is_core = grep { $_ eq $target } @{ $objects{fuzz_core_targets} };

		"fuzz_$target" => [
			@{ $objects{ $is_core ? 'fuzz_core_objects' : 'fuzz_glue_objects' } },
			"test/fuzz/fuzz_$target.o", 'test/fuzz/replay.o' ]
	} @targets };

	# so that each worker need not read all files
	affected($_) for keys %kinds;
}

# The files that a file includes, itself among them
sub closure
{
	my ($file) = @_;

	return $included{$file} if $included{$file};
	my %all = ($file => 1);
	$included{$file} = \%all;
	for my $name (slurp("$top/$file") =~ /^\s*#\s*include\s+"([^"]+)"/mg)
	{
		my ($found) = grep { -e "$top/$_" } dirname($file) . "/$name", "src/$name", "test/fuzz/$name";

		%all = (%all, %{ closure($found) }) if $found;
	}
	return \%all;
}

# Objects of a kind that are compiled anew when some files change
sub affected
{
	my ($kind, @files) = @_;
	my %all = map { $_ => 1 } map { @$_ } values %{ $kinds{$kind}{programs} };

	return grep {
		my $all = closure(s/\.o$/.c/r);
		grep { $all->{$_} } @files
	} sort keys %all;
}

# Compile and link what changes, in the current folder; returns the programs, undef where that
# fails.
sub rebuild
{
	my ($kind, @files) = @_;
	my $set = $kinds{$kind};
	my $flags = join ' ', @variable{ split ' ', $set->{flags} };
	my %changed;
	my @programs;

	$flags =~ s/\Q$variable{UNIT_SANITIZERS}\E// if $set->{plain};
	for my $object (affected($kind, @files))
	{
		my $source = $object =~ s/\.o$/.c/r;
		my $to = "out/$kind/$object";
		my $from = $source =~ /^src/ ? $source : "$top/$source";

		system 'mkdir', '-p', dirname($to);
		my ($ok, $output) = attempt(300, undef, 'sh', '-c',
			"$variable{CC} $flags -I src -I $top/test/fuzz -c -o $to $from");
		return unless $ok;
		$changed{$object} = $to;
	}
	for my $program (sort keys %{ $set->{programs} })
	{
		my @objects = @{ $set->{programs}{$program} };
		my $link = $kind eq 'library' ? $variable{'LINK.shared'} : "$variable{CC} $flags";
		my $libraries = $kind eq 'library' ? "$variable{LDFLAGS} $variable{SHLIB_LINK}" : '-lm';

		next unless grep { $changed{$_} } @objects;
		my $names = join ' ', map { $changed{$_} // "$top/$set->{base}/$_" } @objects;
		must("linking $program", 'sh', '-c', "$link -o out/$program.$kind $names $libraries");
		push @programs, $program;
	}
	return \@programs;
}

# ---- servers

my @order_of_tests;    # names of regression tests, those of --ci last
my (%seconds, %executes, %is_late);

sub worker_folder { return "$private/worker$_[0]" }

sub pg
{
	my ($program) = @_;

	return "$ENV{BLOOMTYPE_ROOT_BIN}/$program";
}

# Everything that runs a program of the server in this process uses that of a worker from now on.
sub enter_worker
{
	my ($number) = @_;
	my $where = worker_folder($number);

	chdir $where or die "$where: $!\n";
	chomp(my $bin = `"$ENV{PG_CONFIG}" --bindir`);
	$ENV{BLOOMTYPE_ROOT_BIN} = "$where/root$bin";
	$ENV{PATH} = "$ENV{BLOOMTYPE_ROOT_BIN}:$ENV{PATH}";
	@ENV{qw(PGHOST PGPORT PGUSER PGDATABASE)} = ($where, 5432, 'postgres', 'postgres');
	chomp(my $lib = `"$ENV{PG_CONFIG}" --pkglibdir`);
	return "$where/root$lib/bloomtype.so";
}

sub start_worker_server
{
	my $pid = fork // die "fork: $!\n";

	if ($pid == 0)
	{
		# it must not have the pipes of this process
		open STDOUT, '>', 'pg_ctl.log';
		open STDERR, '>&', \*STDOUT;
		exec pg('pg_ctl'), '-s', '-w', '-t', 120, '-D', 'data', '-l', 'server.log', 'start';
	}
	waitpid $pid, 0;
	die 'no server: ' . slurp('pg_ctl.log') if $?;
}

# A server whose mutant crashed restarts by itself; one whose mutant hangs is stopped.
sub restart_worker_server
{
	my ($is_hanging) = @_;

	if (!$is_hanging)
	{
		for (1 .. 100)
		{
			return if (attempt(10, undef, 'psql', '-Xqc', ''))[0];
			sleep 0.1;
		}
	}
	attempt(60, undef, pg('pg_ctl'), '-s', '-m', 'immediate', '-D', 'data', 'stop');
	start_worker_server();
}

sub create_worker
{
	my ($number) = @_;
	my $where = worker_folder($number);

	mkdir $where;
	must('cp', 'cp', '-R', "$top/src", "$where/src");
	must('cp', 'cp', '-R', "$private/root", "$where/root");
	mkdir "$where/$_" for qw(out out/regress);
	symlink "$top/expected", "$where/out/regress/expected";
	my $pid = fork // die "fork: $!\n";
	if ($pid == 0)
	{
		enter_worker($number);
		must('initdb', pg('initdb'), '--no-sync', '--username=postgres', '--auth=trust',
			'--encoding=UTF8', '--no-locale', '--pgdata=data');
		# as pg_regress sets them for its database
		append('data/postgresql.conf', join "\n", "listen_addresses = ''",
			"unix_socket_directories = '$where'", 'fsync = off',
			(map { "lc_$_ = 'C'" } qw(messages monetary numeric time)),
			"bytea_output = 'hex'", "timezone_abbreviations = 'Default'");
		start_worker_server();
		must('template', 'psql', '-Xqc', 'CREATE DATABASE start TEMPLATE template0');
		must('template', 'psql', '-Xq', '-d', 'start', '-c', 'CREATE EXTENSION bloomtype');
		POSIX::_exit(0);
	}
	waitpid $pid, 0;
	die "worker $number cannot start\n" if $?;
}

sub stop_workers
{
	for my $data (glob "$private/worker*/data")
	{
		system 'pg_ctl', '-s', '-m', 'immediate', '-D', $data, 'stop';
	}
}

# The library of the worker's installation; sessions from now on load the new one.
sub install_library
{
	my ($from, $to) = @_;

	must('cp', 'cp', $from, "$to.new");
	rename "$to.new", $to or die "$to: $!\n";
}

# What a test leaves that fails
my $drop_roles = q{DO $$
	DECLARE
		role name;
	BEGIN
		FOR role IN SELECT rolname FROM pg_roles WHERE oid >= 16384 LOOP
			EXECUTE format('DROP ROLE %I', role);
		END LOOP;
	END $$};

# One regression test on the worker's server, in a database of its own
sub regress
{
	my ($test, $limit) = @_;
	my ($ok, $output) = attempt(60, undef, 'psql', '-Xq', '-c',
		'DROP DATABASE IF EXISTS contrib_regression WITH (FORCE)', '-c', $drop_roles,
		'-c', 'CREATE DATABASE contrib_regression TEMPLATE start');
	my $before = time;

	if ($ok)
	{
		chomp(my $pgxs = `"$ENV{PG_CONFIG}" --pgxs`);
		my $pg_regress = dirname($pgxs) . '/../test/regress/pg_regress';

		($ok, $output) = attempt($limit, undef, 'sh', '-c', 'cd out/regress && exec "$@"', 'sh',
			$pg_regress, "--bindir=$ENV{BLOOMTYPE_ROOT_BIN}", "--inputdir=$top/test", '--use-existing',
			'--dbname=contrib_regression', '--encoding=UTF8', '--no-locale', "--host=$ENV{BLOOMTYPE_HOST}",
			'--port=5432', '--user=postgres', $test);
	}
	restart_worker_server(time - $before >= $limit) unless $ok;
	return $ok;
}

sub limit_of
{
	my ($test) = @_;

	return 60 + 10 * ($seconds{$test} // 120);
}

# ---- what the tests execute

# Once for a tree: the seconds of each regression test that is not left to --ci, and by file the
# lines that it executes
sub measure_coverage
{
	my ($file) = @_;

	unless (-e $file)
	{
		print "\n== lines that each regression test executes\n";
		must('cp', 'cp', '-R', $top, "$private/coverage");
		chdir "$private/coverage";
		must('make', 'make', '-s', 'clean');
		must('make', 'make', '-s', "-j$nworkers", 'COPT=-O1 --coverage', 'bloomtype.so');
		my $library = enter_worker(0);
		local $ENV{BLOOMTYPE_HOST} = getcwd();
		install_library("$private/coverage/bloomtype.so", $library);
		my %done = map { /^(\S+)/ => 1 } -e "$file.part" ? split /\n/, slurp("$file.part") : ();

		append("$file.part", cover($_)) for grep { !$done{$_} && !$is_late{$_} } @order_of_tests;
		install_library("$top/bloomtype.so", $library);
		chdir $top;
		rename "$file.part", $file or die "$file: $!\n";
	}
	for (split /\n/, slurp($file))
	{
		my ($test, $time, @parts) = split /\t/;

		$seconds{$test} = $time;
		for (@parts)
		{
			my ($name, @ranges) = split /[:,]/;
			for (@ranges)
			{
				my ($first, $last) = split /-/;
				$executes{$name}{$_}{$test} = 1 for $first .. $last // $first;
			}
		}
	}
}

sub cover
{
	my ($test) = @_;
	my (%lines, $file);

	must('find', 'find', "$private/coverage/src", '-name', '*.gcda', '-delete');
	my $before = time;
	regress($test, 3600) or die "$test fails\n" . slurp('out/regress/regression.diffs');
	my $seconds = time - $before;

	# a process writes its counts as the last thing it does
	my ($server) = slurp('data/postmaster.pid') =~ /^(\d+)/;
	for (1 .. 600)
	{
		last unless `ps -o args= --ppid $server` =~ /contrib_regression|parallel worker/;
		sleep 0.1;
	}
	# nothing where the library was not loaded
	my $output = must('gcov', 'sh', '-c',
		"cd $private/coverage && find src -name '*.gcda' | xargs -r gcov -t");

	for (split /\n/, $output)
	{
		$file = m{(?:^|/)(src/.*)} ? $1 : undef if s/^ *-: *0:Source://;
		$lines{$file}{$1} = 1 if defined $file && /^ *\d+[^:]*: *(\d+):/;
	}
	printf "%-24s %6.1f s, %d lines\n", $test, $seconds, sum0(map { scalar keys %$_ } values %lines);
	return join("\t", $test, sprintf('%.2f', $seconds),
		map { "$_:" . ranges(keys %{ $lines{$_} }) } sort keys %lines);
}

sub ranges
{
	my @ranges;

	for my $line (sort { $a <=> $b } @_)
	{
		if (@ranges && $ranges[-1][1] == $line - 1) { $ranges[-1][1] = $line }
		else { push @ranges, [ $line, $line ] }
	}
	return join ',', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" } @ranges;
}

# Those of them that execute the statement of a mutant
sub tests_of
{
	my ($mutant) = @_;
	my $lines = $executes{ $mutant->{file} } // {};
	my %tests = map { $_ => 1 } map { keys %{ $lines->{$_} // {} } } $mutant->{first} .. $mutant->{last};

	return keys %tests;
}

# The same, those first that probably fail soon
sub early_tests_of
{
	my ($mutant) = @_;
	my ($results) = read_results();
	my %chance;

	for my $result (values %$results)
	{
		$chance{$1} += 3
			if $result->{place} =~ /^\Q$mutant->{file}:/ && $result->{verdict} =~ /^killed regress (\S+)/;
	}
	for my $test (keys %seconds)
	{
		my %words = map { s/s$//r => 1 } split /_/, $test;
		$chance{$test} += 3 for grep { $words{ s/s$//r } } split m{[/_.]}, $mutant->{file};
	}
	my %rank = map { $_ => ($seconds{$_} + 0.3) / (1 + ($chance{$_} // 0)) } keys %seconds;
	return sort { $rank{$a} <=> $rank{$b} || $a cmp $b } tests_of($mutant);
}

# ---- one mutant

# The files of the worker's src/ with the edits of some mutants; returns their names.
sub write_mutants
{
	my (@mutants) = @_;
	my %edits;

	push @{ $edits{ $_->{file} } }, @{ $_->{edits} } for @mutants;
	spit($_, apply_edits(slurp("$top/$_"), @{ $edits{$_} })) for keys %edits;
	return sort keys %edits;
}

sub restore
{
	must('cp', 'cp', "$top/$_", $_) for @_;
}

# The first unit test that fails, undef if none does
sub unit_failure
{
	my ($kind) = @_;
	my ($ok, $output) = attempt(120, qr/^not ok /, "out/core_test.$kind", $top);

	return if $ok;
	return $output =~ /^not ok - (.*)/m ? $1 =~ tr/ //dr : 'crash';
}

sub fuzz_failure
{
	my ($program) = @_;
	my ($target) = $program =~ /fuzz_(\w+)/;
	my ($ok, $output) = attempt(300, qr/^not ok /, 'sh', '-c', 'ulimit -t 20; exec "$@"', 'sh',
		"out/$program.fuzz", $target, glob "$top/test/fuzz/corpus/$target/*");

	return $ok ? undef : $target;
}

# Its verdict, but for those tests that survivors share; the current folder is the worker's.
sub judge
{
	my ($mutant, $library) = @_;
	my @files = write_mutants($mutant);
	my $verdict = judge_written($mutant, $library, @files);

	restore(@files);
	system 'rm', '-rf', glob 'out/*.* out/{library,unit,sanitized,fuzz}';
	return $verdict;
}

sub judge_written
{
	my ($mutant, $library, @files) = @_;

	rebuild('library', @files) // return 'nocompile';
	for my $kind (qw(unit sanitized))
	{
		my $programs = rebuild($kind, @files) // return 'nocompile';
		my $failure = @$programs ? unit_failure($kind) : undef;

		return "killed unit $failure" . ($kind eq 'sanitized' ? ' (sanitizers)' : '') if defined $failure;
	}
	for my $program (@{ rebuild('fuzz', @files) // return 'nocompile' })
	{
		my $failure = fuzz_failure($program);
		return "killed fuzz $failure" if defined $failure;
	}
	install_library('out/bloomtype.so.library', $library);
	for my $test (early_tests_of($mutant))
	{
		return "killed regress $test" unless regress($test, limit_of($test));
	}
	return 'survived';
}

# ---- many mutants

my %running;    # by process: the number of its worker

sub start_mutant
{
	my ($mutant, $worker) = @_;
	my $pid = fork // die "fork: $!\n";

	if ($pid == 0)
	{
		my $before = time;
		my $library = enter_worker($worker);
		$ENV{BLOOMTYPE_HOST} = getcwd();
		my $verdict = eval { judge($mutant, $library) };

		if (!defined $verdict)
		{
			print STDERR "mutant $mutant->{number}: $@";
			POSIX::_exit(1);
		}
		write_result($mutant, $verdict, time - $before);
		close STDOUT;
		POSIX::_exit(0);
	}
	$running{$pid} = $worker;
}

sub finish_mutant
{
	my $pid = waitpid -1, 0;

	die "a worker has failed\n" if $? != 0;
	delete $running{$pid};
}

sub is_time_up { return time - $start > 60 * $minutes }

# Until so many have compiled, or the time is up; the first say whether all were done.
sub run_mutants
{
	my (@mutants) = @_;
	my ($results) = read_results();
	my @left = grep { !$results->{ $_->{number} } } @mutants;
	my $compiled = grep { $_->{verdict} ne 'nocompile' } values %$results;

	while (1)
	{
		while (@left && !is_time_up() && keys %running < $nworkers
			&& $compiled + keys %running < $wanted)
		{
			my %busy = map { $_ => 1 } values %running;
			my ($free) = grep { !$busy{$_} } 0 .. $nworkers - 1;

			start_mutant(shift @left, $free);
		}
		last unless %running;
		finish_mutant();
		($results) = read_results();
		$compiled = grep { $_->{verdict} ne 'nocompile' } values %$results;
	}
	return $compiled >= $wanted || !@left;
}

# ---- tests that survivors share

# Does a test pass with a library of some mutants?  Those of one place are never together.
sub passes
{
	my ($test, $library, @mutants) = @_;
	my @files = write_mutants(@mutants);
	my $is_built = !@files || rebuild('library', @files);
	my $ok = 0;

	restore(@files);
	if ($is_built)
	{
		install_library(@files ? 'out/bloomtype.so.library' : "$top/bloomtype.so", $library);
		$ok = $test =~ /^\d/ ? tap($test) : regress($test, limit_of($test));
	}
	system 'rm', '-rf', 'out/library';
	return $ok;
}

sub tap
{
	my ($test) = @_;
	my $where = getcwd();

	chomp(my $pgxs = `"$ENV{PG_CONFIG}" --pgxs`);
	$pgxs = dirname($pgxs) . '/../..';
	delete local @ENV{qw(PGHOST PGPORT PGUSER PGDATABASE)};
	local $ENV{PG_REGRESS} = "$pgxs/src/test/regress/pg_regress";
	local $ENV{TESTDIR} = "$where/tap";
	local $ENV{TESTDATADIR} = "$where/tap/tmp_check";
	local $ENV{TESTLOGDIR} = "$where/tap/tmp_check/log";

	mkdir 'tap';
	my ($ok, $output) = attempt(900, undef, 'sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', $top,
		'prove', '-I', "$pgxs/src/test/perl", "test/t/$test.pl");
	for my $file (split /\n/, `find tap -name postmaster.pid`)
	{
		attempt(60, undef, pg('pg_ctl'), '-s', '-m', 'immediate', '-D', dirname($file), 'stop');
	}
	system 'rm', '-rf', 'tap';
	return $ok;
}

# Those of some mutants that a test kills
sub killed_by
{
	my ($test, $library, @mutants) = @_;

	return if !@mutants || passes($test, $library, @mutants);
	if (@mutants == 1)
	{
		return passes($test, $library, @mutants) ? () : @mutants;
	}
	my $half = int(@mutants / 2);
	return (killed_by($test, $library, @mutants[ 0 .. $half - 1 ]),
		killed_by($test, $library, @mutants[ $half .. $#mutants ]));
}

# Groups of mutants no two of which are in the same lines
sub apart
{
	my (@mutants) = @_;
	my @groups;

	for my $mutant (@mutants)
	{
		my ($group) = grep {
			!grep {
				$_->{file} eq $mutant->{file}
					&& $_->{first} <= $mutant->{last}
					&& $_->{last} >= $mutant->{first}
			} @$_
		} @groups;

		if ($group) { push @$group, $mutant }
		else { push @groups, [$mutant] }
	}
	return @groups;
}

sub late_tests
{
	my @tap = grep { slurp("$top/test/t/$_.pl") !~ /^# Left to --ci/m }
		map { basename($_, '.pl') } sort glob "$top/test/t/*.pl";

	return ((sort keys %is_late), @tap);
}

# False if the time was up before
sub run_late
{
	my (@mutants) = @_;
	my $library = enter_worker(0);
	local $ENV{BLOOMTYPE_HOST} = getcwd();

	for my $test (late_tests())
	{
		my ($results, $notes) = read_results();
		my %done = map { /^late \Q$test\E ran for (.*)/ ? (map { $_ => 1 } split ' ', $1) : () } @$notes;
		my @left = grep {
			my $number = $_->{number};

			$results->{$number} && $results->{$number}{verdict} eq 'survived' && !$done{$number}
		} @mutants;
		my $before = time;

		next unless @left;
		if (is_time_up())
		{
			chdir $top;
			return 0;
		}
		passes($test, $library) or do
		{
			print "$test fails without a mutant, and is left out\n";
			next;
		};
		my @killed = map { killed_by($test, $library, @$_) } apart(@left);
		my $each = (time - $before) / @left;

		write_result($_, ($test =~ /^\d/ ? 'killed tap' : 'killed --ci') . " $test", $each) for @killed;
		append($results_file, "# late $test ran for @{[ map { $_->{number} } @left ]}");
		printf "%s: %d of %d killed, %d s\n", $test, scalar @killed, scalar @left, time - $before;
	}
	chdir $top;
	my (undef, $notes) = read_results();
	append($results_file, '# end') unless grep { $_ eq 'end' } @$notes;
	return 1;
}

# ---- is the measurement right?

# A mutant that is made by hand
sub planted
{
	my ($file, $from, $to) = @_;
	my $text = slurp("$top/$file");
	my $at = index $text, $from;

	die "$file has no longer what a planted mutant changes: $from\n" if $at < 0;
	my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
	return {
		number => 0,
		file => $file,
		operator => 'planted',
		edits => [ [ $at, length $from, $to ] ],
		line => $line,
		first => $line,
		last => $line };
}

# Once for a tree: the code as it is passes, and planted mutants have their verdicts.
sub check_self
{
	my ($file) = @_;
	my @planted = (
		[ nocompile => 'src/core/family.c', 'return -1;', 'return no_such_name;' ],
		[ 'killed unit' => 'src/core/family.c', 'return -1;', 'return 0;' ],
		[
			'killed regress' => 'src/filter/filter_membership.c',
			'PG_RETURN_BOOL(!deciding)', 'PG_RETURN_BOOL(deciding)' ]);

	return if -e $file;
	print "\n== the code as it is, and planted mutants\n";
	my $library = enter_worker(0);
	local $ENV{BLOOMTYPE_HOST} = getcwd();
	for my $kind (qw(unit sanitized))
	{
		must('cp', 'cp', "$top/$kinds{$kind}{base}/core_test", "out/core_test.$kind");
		die "unit tests fail\n" if defined unit_failure($kind);
	}
	for my $program (sort keys %{ $kinds{fuzz}{programs} })
	{
		must('cp', 'cp', "$top/$kinds{fuzz}{base}/$program", "out/$program.fuzz");
		die "$program fails\n" if defined fuzz_failure($program);
	}
	for my $test (grep { !$is_late{$_} } @order_of_tests)
	{
		regress($test, limit_of($test)) or die "$test fails\n";
	}
	for (@planted)
	{
		my ($expected, @what) = @$_;
		my $verdict = judge(planted(@what), $library);

		print "planted in $what[0]: $verdict\n";
		die "expected: $expected\n" unless $verdict =~ /^$expected/;
	}
	install_library("$top/bloomtype.so", $library);
	chdir $top;
	append($file, 'passed');
}

# ----

$| = 1;
if ($only_summary)
{
	summarize();
	exit 0;
}

my $hash = tree_hash();
my (undef, $notes) = read_results();
if (@$notes)
{
	die "$results_file is of another tree\n" unless $notes->[0] eq "tree $hash";
}
else
{
	append($results_file, "# tree $hash");
}

my $killed = eval {
	build_base();
	@order_of_tests = sort @{ $objects{REGRESS} };
	$is_late{$_} = 1 for grep { slurp("test/sql/$_.sql") =~ /^-- Left to --ci/m } @order_of_tests;
	create_worker($_) for 0 .. $nworkers - 1;
	my $version = must('pg_config', $ENV{PG_CONFIG}, '--version') =~ s/\D+(\d+).*/$1/sr;
	measure_coverage("$folder/$hash.$version.lines");
	check_self("$folder/$hash.$version.checked");

	print "\n== mutants\n";
	my @mutants = draw_mutants();
	run_mutants(@mutants) && run_late(@mutants);
	chdir $top;
	summarize();
};
my $error = $@;
chdir $top;
print "\n$error" if $error;
stop_workers();
printf "%d passed, %d failed\n", $killed // 0, $error ? 1 : 0;
exit($error ? 1 : 0);
