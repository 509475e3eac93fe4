#!/usr/bin/perl
# Let programs that know TCP only connect to a server that listens to a socket in the file system.
#
#    relay.pl SOCKET
#
# Prints the port, of 127.0.0.1, and ends when its standard input does.
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;

my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1')
  or die "cannot listen: $@\n";
my $select = IO::Select->new($listener, \*STDIN);
my %other;

$| = 1;
$SIG{PIPE} = 'IGNORE';
print $listener->sockport, "\n";
while (1)
{
	foreach my $from ($select->can_read)
	{
		exit if $from eq \*STDIN;
		if ($from == $listener)
		{
			my $client = $listener->accept or next;
			my $server = IO::Socket::UNIX->new(Peer => $ARGV[0])
			  or die "cannot connect to $ARGV[0]: $!\n";

			$other{$client} = $server;
			$other{$server} = $client;
			$select->add($client, $server);
		}
		elsif (my $to = $other{$from})
		{
			my $bytes;

			# the other end of a connection that was closed is no longer in %other
			if (sysread($from, $bytes, 65536))
			{
				while (length $bytes)
				{
					substr($bytes, 0, syswrite($to, $bytes) // last, '');
				}
				next;
			}
			$select->remove($from, $to);
			delete @other{ $from, $to };
			close $from;
			close $to;
		}
	}
}
