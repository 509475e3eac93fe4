# Majors.pm
#    Servers of several major versions, for the tests that lead from one to another.
#
#    @majors                     their numbers, the oldest first; the variable BLOOMTYPE_MAJORS,
#                                from test/run, says where they are: `MAJOR=FOLDER' each, with
#                                the programs in FOLDER/bin
#    program($major, $name)      the path of a program
#    new_server($name, $major, $settings, $install_path)
#                                a cluster that has not been started; settings are lines for
#                                postgresql.conf; install_path: of a copy of the installation
#    same_ok($got, $expected, $name)
#                                a test that two long strings are the same; else shows the
#                                first lines that are not
#    writes_own_parameter($tools, $node, $database)
#                                does the pg_dump of a version write what no server takes?
#    remove_own_parameter($node, $database)
#                                of a server that is stopped next, so that pg_upgrade can dump it
#                                with the pg_dump of any newer version
#    no_crash_ok(@nodes)         stops servers; a test of each that no process crashed

package Majors;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(@majors program new_server same_ok writes_own_parameter
  remove_own_parameter no_crash_ok);

my %folder = map { split /=/ } split / /, $ENV{BLOOMTYPE_MAJORS} // '';
our @majors = sort { $a <=> $b } keys %folder;

die "BLOOMTYPE_MAJORS names less than two servers: use test/run across\n" if @majors < 2;

sub program
{
	my ($major, $name) = @_;
	return "$folder{$major}/bin/$name";
}

# Not init(allows_streaming => ...): the framework of a recent version would write settings
# that older servers do not know.  Checksums are the default of 18 only, and pg_upgrade wants
# clusters that agree in them.
sub new_server
{
	my ($name, $major, $settings, $install_path) = @_;
	my $node = PostgreSQL::Test::Cluster->new("${name}_$major",
		install_path => $install_path // $folder{$major});

	$node->init(extra => [ '--locale=C', '--encoding=UTF8', '--data-checksums' ]);
	$node->append_conf('postgresql.conf', "jit = off\nautovacuum = off\n" . ($settings // ''));
	return $node;
}

sub same_ok
{
	my ($got, $expected, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return if ok($got eq $expected, $name);

	my @got = split /\n/, $got;
	my @expected = split /\n/, $expected;
	my $shown = 0;
	while ((@got || @expected) && $shown < 5)
	{
		my ($is, $should) = map { substr($_ // '(no line)', 0, 200) } shift @got, shift @expected;

		next if $is eq $should;
		diag("     got: $is\nexpected: $should");
		$shown++;
	}
	return;
}

# Since November 2026, servers have a parameter of columns that is for themselves.  Their pg_dump
# leaves it out.  That of an older minor release of a newer version writes it, and no server takes it.
sub writes_own_parameter
{
	my ($tools, $node, $database) = @_;
	my ($dump) =
	  run_command([ program($tools, 'pg_dump'), '--schema-only', '-d', $node->connstr($database) ]);
	return $dump =~ /\(pg_attver=/;
}

# The server itself reads no values of row types any more without it.
sub remove_own_parameter
{
	my ($node, $database) = @_;
	$node->safe_psql($database, q{
		UPDATE pg_attribute SET attoptions = nullif(
			ARRAY(SELECT option FROM unnest(attoptions) option WHERE option NOT LIKE 'pg\_attver=%'), '{}')
		WHERE attoptions::text LIKE '%pg\_attver=%'});
	return;
}

sub no_crash_ok
{
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	for my $node (@_)
	{
		$node->stop;
		unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/,
			$node->name . ': no process crashed');
	}
	return;
}

1;
