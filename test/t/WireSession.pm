# A session that speaks the server's protocol itself, so that a test can send what no
# client library would, tens of thousands of values a second, and keep the session
# when one is an error.
#
#    my $session = WireSession->connect($node, 'postgres');
#    my $pid = $session->pid;              its server process
#    my $result = $session->query($sql);   a simple query
#    $session->prepare($name, $sql, @type_oids);
#    my @results = $session->execute($name, $formats, $result_formats, @rows);
#                                          parameters of many executions: each row is a list
#                                          of values, undef for null.  The formats are lists
#                                          of 0 (text) or 1 (binary), one for each parameter
#                                          and for each column
#    my @results = $session->copy_in($table, @rows);
#                                          a binary COPY for each row; a field is bytes
#    WireSession::can_limit_memory();      false where the next is not to be had
#    $session->limit_memory($bytes);       the process may have no more memory than so much
#                                          beyond what it has; undef lifts the limit
#
# A result is a hash: "rows", a list of lists, or "error", a hash of the fields of the
# message by their letters in the protocol: C the SQLSTATE, M the message, D the detail.
#
# The server must trust the local user.  An answer out of place, or the end of the
# session, is fatal to the test.

package WireSession;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use PostgreSQL::Test::Utils;

# what is sent before its answers are read
my $BATCH = 200;

sub connect
{
	my ($class, $node, $database) = @_;
	my ($host, $port) = ($node->host, $node->port);
	my $socket = $host =~ m{^/}
	  ? IO::Socket::UNIX->new(Peer => "$host/.s.PGSQL.$port")
	  : IO::Socket::INET->new(PeerHost => $host, PeerPort => $port);
	my $user = $ENV{PGUSER} // getpwuid $>;
	my $self = bless { socket => $socket, received => '' }, $class;
	my $startup = pack 'NZ*Z*Z*Z*x', 196608, 'user', $user, 'database', $database;

	die "could not connect to $host: $!" unless $socket;
	$socket->blocking(0);
	my ($result) = $self->exchange(pack('N', 4 + length $startup) . $startup, 1);
	die "could not start a session: $result->{error}{M}" if $result->{error};
	return $self;
}

sub pid
{
	my ($self) = @_;
	return $self->{pid};
}

sub message
{
	my ($type, $body) = @_;
	return $type . pack('N', 4 + length $body) . $body;
}

# Send bytes, and read until the server is ready so many times.  Both at once: else
# each side might wait for the other.
sub exchange
{
	my ($self, $bytes, $nresults) = @_;
	my $select = IO::Select->new($self->{socket});
	my @results;
	my $result = {};

	while (@results < $nresults)
	{
		my ($readable, $writable) =
		  IO::Select->select($select, length $bytes ? $select : undef, undef, 600);

		die 'no answer from the server' unless $readable || $writable;
		if ($writable && @$writable)
		{
			my $sent = syswrite $self->{socket}, $bytes;
			substr($bytes, 0, $sent) = '' if $sent;
		}
		next unless $readable && @$readable;
		my $n = sysread $self->{socket}, $self->{received}, 1 << 20, length $self->{received};
		die 'the session ended' if defined $n && $n == 0;

		my $at = 0;
		while (length($self->{received}) - $at >= 5)
		{
			my ($type, $length) = unpack 'aN', substr $self->{received}, $at, 5;
			last if length($self->{received}) - $at < $length + 1;
			my $body = substr $self->{received}, $at + 5, $length - 4;
			$at += $length + 1;

			if ($type eq 'Z')
			{
				push @results, $result;
				$result = {};
			}
			elsif ($type eq 'D')
			{
				push @{ $result->{rows} }, row($body);
			}
			elsif ($type eq 'E')
			{
				$result->{error} = { map { substr($_, 0, 1) => substr($_, 1) } split /\0/, $body };
				die "the session ended: $result->{error}{M}" if $result->{error}{S} eq 'FATAL';
			}
			elsif ($type eq 'K')
			{
				$self->{pid} = unpack 'N', $body;
			}
			elsif ($type eq 'R')
			{
				die 'the server wants a password' if unpack 'N', $body;
			}
			elsif ($type !~ /^[12CGNSTnst]$/)
			{
				die "unexpected message of type $type";
			}
		}
		substr($self->{received}, 0, $at) = '';
	}
	return @results;
}

sub row
{
	my ($body) = @_;
	my $at = 2;
	my @row;

	while ($at < length $body)
	{
		my $length = unpack 'N', substr $body, $at, 4;
		$at += 4;
		if ($length == 0xffffffff)
		{
			push @row, undef;
			next;
		}
		push @row, substr $body, $at, $length;
		$at += $length;
	}
	return \@row;
}

# Send requests in batches, each with one result.
sub exchange_all
{
	my ($self, @requests) = @_;
	my @results;

	while (my @batch = splice @requests, 0, $BATCH)
	{
		push @results, $self->exchange(join('', @batch), scalar @batch);
	}
	return @results;
}

sub query
{
	my ($self, $sql) = @_;
	my ($result) = $self->exchange(message('Q', "$sql\0"), 1);
	return $result;
}

sub prepare
{
	my ($self, $name, $sql, @types) = @_;
	my ($result) = $self->exchange(
		message('P', pack 'Z*Z*n/(N)', $name, $sql, @types) . message('S', ''), 1);

	die "could not prepare $sql: $result->{error}{M}" if $result->{error};
	return;
}

# The lengths and bytes of fields.
sub fields
{
	return join '', map { defined $_ ? pack('N/a*', $_) : pack('N', 0xffffffff) } @_;
}

sub execute
{
	my ($self, $name, $formats, $result_formats, @rows) = @_;
	my $head = pack 'Z*Z*n/(n)', '', $name, @$formats;
	my $tail = pack 'n/(n)', @$result_formats;
	my $run = message('E', pack 'Z*N', '', 0) . message('S', '');

	return $self->exchange_all(
		map { message('B', $head . pack('n', scalar @$_) . fields(@$_) . $tail) . $run } @rows);
}

sub copy_in
{
	my ($self, $table, @rows) = @_;
	my $copy = message('Q', "COPY $table FROM STDIN (FORMAT binary)\0");
	my $head = "PGCOPY\n\xff\r\n\0" . pack 'NN', 0, 0;
	my $done = message('c', '');

	# what comes after an error is dropped by the server
	return $self->exchange_all(
		map {
			$copy . message('d', $head . pack('n', scalar @$_) . fields(@$_) . pack('n', 0xffff)) . $done
		} @rows);
}

# prlimit is one of the programs that every Linux has.
sub can_limit_memory
{
	return $^O eq 'linux' && -r '/proc/self/status' && `prlimit --version 2>/dev/null`;
}

sub limit_memory
{
	my ($self, $bytes) = @_;
	my $limit = 'unlimited';

	if (defined $bytes)
	{
		my ($kilobytes) = slurp_file("/proc/$self->{pid}/status") =~ /^VmSize:\s+(\d+)/m;
		$limit = 1024 * $kilobytes + $bytes;
	}

	# the soft limit, which can be raised again
	system('prlimit', "--pid=$self->{pid}", "--as=$limit:") == 0 or die 'prlimit failed';
	return;
}

1;
