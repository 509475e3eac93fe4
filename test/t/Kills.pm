# Servers that are killed, by signal 9, and recover.
#
#    kill_server($node, @runs)     all processes of a server, which is started again
#    kill_backend($node, @runs)    one process that serves a client, after which the server starts all
#                                  of them again
#
# They return when the server is there, and die if it does not come back.  The others are handles of
# IPC::Run, of clients that end when they lose their connections.

package Kills;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);

our @EXPORT = qw(kill_server kill_backend);

# The children of a process, where /proc tells them.
sub children_of
{
	my ($parent) = @_;
	my @children;

	for my $file (glob '/proc/[0-9]*/stat')
	{
		open my $stat, '<', $file or next;
		push @children, $1 if (<$stat> // '') =~ /^(\d+) .*\) \S $parent /;
	}
	return @children;
}

sub kill_server
{
	my ($node, @runs) = @_;
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @processes = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');

	# also that session, as it might be about to end, and those that have only begun and are not in
	# pg_stat_activity yet: they would wait for ever for a lock of another
	kill 'STOP', $postmaster;
	push @processes, children_of($postmaster);
	$node->kill9;
	kill 9, @processes;
	IPC::Run::finish($_) for @runs;

	# until the last one has gone the server does not start
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		usleep(100_000);
		next if grep { kill 0, $_ } @processes;
		return if $node->start(fail_ok => 1);
		$node->stop('immediate', fail_ok => 1);
	}
	die 'the server does not start';
}

sub kill_backend
{
	my ($node, @runs) = @_;
	my $process = $node->safe_psql('postgres', q{
		SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
		ORDER BY random() LIMIT 1});

	die 'no backend' unless $process;
	kill 9, $process;
	IPC::Run::finish($_) for @runs;
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if system('pg_isready', '-q', '-h', $node->host, '-p', $node->port) == 0;
		usleep(100_000);
	}
	die 'the server does not come back';
}

1;
