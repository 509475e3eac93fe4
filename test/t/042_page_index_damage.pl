# Damaged pages of indexes USING bloom_pages: an error names the page, or, where a scan cannot
# notice, bloom_pages_check does.
#
# Left to --ci, for its time.
#
#    BLOOMTYPE_SEED=...        where the random numbers start

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init;
$node->start;
my $page = $node->safe_psql('postgres', 'SHOW block_size');

# A row fills a page of the table, so that a few thousand make 39 groups, which take two levels.  (Of larger
# pages, half a gigabyte.)  Of smaller pages 18, so that in the second level one has columns of no group.  The
# first 32 or 16 are laid out, as later rows have no key.
my $ncolumns = 8 * int(($page - 40) / 256);
my $nrows = ($page < 8192 ? 15 : 35) * $ncolumns;
my $nkeys = ($page < 8192 ? 8 : 20) * $ncolumns;
my $width = $page / 2 + 4;
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION bloomtype;
	CREATE TABLE item (k bigint, pad char($width) DEFAULT '');
	ALTER TABLE item ALTER pad SET STORAGE plain;
	INSERT INTO item SELECT CASE WHEN i <= $nkeys THEN i END FROM generate_series(1, $nrows) i});

# so that the rows inserted later, which are small, go to the same pages
$node->safe_psql('postgres', 'VACUUM item');

# Set a bit in the column, in the second level, of the first group that is not laid out.
sub damage_next_group
{
	my $ngroups = unpack('V', substr($_[0], 24 + 8, 4));

	substr($_[0], $page + 24 + int($ngroups / 8), 1) |= chr(1 << $ngroups % 8);
	return;
}

# For each damage: what is done to the bytes of the index, what a scan for each of the keys says,
# and what the check says.
my $unexpected = 'has an unexpected page at block';
my @damages = (
	[ 'none', sub { }, '', '' ],
	[ 'another magic number in the metapage', sub { substr($_[0], $page - 2, 1) = 'x' }, "$unexpected 0", "$unexpected 0" ],
	[ 'another version of the metapage', sub { substr($_[0], $page - 3, 1) = "\2" }, "$unexpected 0", "$unexpected 0" ],
	[ 'a metapage of zeros', sub { substr($_[0], 0, $page) = "\0" x $page }, "$unexpected 0", "$unexpected 0" ],
	[ 'metadata without epochs', sub { substr($_[0], 24 + 7, 1) = "\0" }, "$unexpected 0", "$unexpected 0" ],
	[ 'metadata of more pages than possible', sub { substr($_[0], 24 + 8, 4) = "\xFF" x 4 },
		"$unexpected 0", "$unexpected 0" ],
	[ 'a page at the place of another',
		sub { substr($_[0], $page, $page) = substr($_[0], 2 * $page, $page) }, "$unexpected 1", "$unexpected 1" ],
	[ 'another special space', sub { substr($_[0], $page + 16, 2) = pack('S', $page - 8) },
		"$unexpected 1", "$unexpected 1" ],
	# which recovery clears up to there
	[ 'another end of the free space', sub { substr($_[0], $page + 14, 2) = pack('S', $page - 100) },
		"$unexpected 1", "$unexpected 1" ],
	[ 'a bit after the slices', sub { substr($_[0], 2 * $page - 17, 1) = "\1" }, '', 'is damaged at block 1' ],
	[ 'another length of the contents', sub { substr($_[0], $page + 12, 2) = pack('S', 40) }, '',
		'is damaged at block 1' ],
	[ 'a bit of a group that does not exist', sub { substr($_[0], $page + 24 + $ncolumns / 8 - 1, 1) = "\x80" }, '',
		'is damaged at block 1' ],
	[ 'a bit of a group that is not laid out', \&damage_next_group, '', 'is damaged at block 1' ],
	[ 'metadata without the last groups', sub { substr($_[0], 24 + 8, 1) = "\x12" }, "$unexpected 0", "$unexpected 0" ],

	[ 'more pages than the metadata count', sub { $_[0] .= substr($_[0], $page, $page) }, '', '' ],
	[ 'a page of zeros', sub { substr($_[0], $page, $page) = "\0" x $page }, "$unexpected 1", "$unexpected 1" ],
	[ 'a shorter file', sub { substr($_[0], -2 * $page) = '' }, "$unexpected \\d+", 'The file ends before it' ],
	[ 'slices of zeros', sub { substr($_[0], $page + 24, 512) = "\0" x 512 }, '', 'lacks row \(\d+,1\)' ],
);

# And bytes at random, in the metapage, in page 1 and in any other: in the page header, the label, the metadata
# or the first slices, or anywhere.
my $seed = $ENV{BLOOMTYPE_SEED} // 1;
my $nrandom = $ENV{BLOOMTYPE_SLOW} ? 300 : $ENV{BLOOMTYPE_CI} ? 30 : 5;
srand($seed);

sub damage_at_random
{
	my $start = $page * (0, 1, int(rand(length($_[0]) / $page)))[ int(rand(3)) ];

	for (0 .. int(rand(4)))
	{
		my $at = (int(rand(24)), $page - 1 - int(rand(16)), 24 + int(rand(96)), int(rand($page)))[ int(rand(4)) ];
		substr($_[0], $start + $at, 1) = chr(int(rand(256)));
	}
	return;
}

push @damages, map { [ "random damage $_ of seed $seed", \&damage_at_random ] } 1 .. $nrandom;

my @paths = map {
	$node->safe_psql('postgres',
		"CREATE INDEX item_$_ ON item USING bloom_pages (k) WITH (pages_per_range = 1); SELECT pg_relation_filepath('item_$_')")
} 0 .. $#damages;
is($node->safe_psql('postgres', q{SELECT levels FROM bloom_pages_info('item_0')}), 2, 'there are two levels');

# with checksums, the default as of PostgreSQL 18, the server would notice first
my $has_checksums = $node->safe_psql('postgres', 'SHOW data_checksums') eq 'on';
$node->stop;
system_or_bail('pg_checksums', '--disable', '--no-sync', '-D', $node->data_dir) if $has_checksums;
for my $i (0 .. $#damages)
{
	my $path = $node->data_dir . "/$paths[$i]";
	my $bytes = slurp_file($path);

	$damages[$i][1]->($bytes);
	open(my $file, '>:raw', $path) or die "$path: $!";
	print $file $bytes;
	close($file) or die "$path: $!";
}
$node->start;

# Of each session, the other indexes are hidden from the planner.
sub messages
{
	my ($i, $statement) = @_;
	my $others = join ', ', map { "item_$_" } grep { $_ != $i } 0 .. $#damages;
	my (undef, $stdout, $stderr) = $node->psql('postgres',
		"BEGIN; DROP INDEX $others; SET enable_seqscan = off; $statement", on_error_stop => 0);

	return ($stderr, $stdout);
}

# Where pages of an index belong is not known if its metadata say so many that fit: a scan may miss rows, which
# the check reports, and an insert adds pages until it is cancelled.  It is never worse.
sub random_damage_ok
{
	my ($name, $i, $found, %messages) = @_;

	like($messages{$_}, qr/\A\z|ERROR:  (?:index "item_$i" |invalid page in block|canceling statement due to)/, "$name: $_")
	  for sort keys %messages;
	is($found, $nkeys, "$name: the check has missed nothing") if $messages{'the check'} eq '' && $messages{'a scan'} eq '';
	return;
}

for my $i (0 .. $#damages)
{
	my ($name, undef, $scan, $check) = @{ $damages[$i] };
	my ($of_scan, $found) = messages($i, "SELECT count((SELECT k FROM item WHERE k = i)) FROM generate_series(1::bigint, $nkeys) i");
	my ($of_check) = messages($i, "SELECT bloom_pages_check('item_$i')");
	my ($of_insert) = messages($i, (defined $scan ? '' : q{SET statement_timeout = '10s'; }) .
		'INSERT INTO item SELECT k + 1000000, NULL FROM item');

	if (!defined $scan)
	{
		random_damage_ok($name, $i, $found, 'a scan' => $of_scan, 'the check' => $of_check, 'inserts' => $of_insert);
		next;
	}
	like($of_scan, $scan eq '' ? qr/\A\z/ : qr/ERROR:  index "item_$i" .*$scan/, "$name: a scan");
	like($of_insert, $scan eq '' ? qr/\A\z/ : qr/ERROR:  index "item_$i" .*$scan/, "$name: inserts");
	like($of_check, $check eq '' ? qr/\A\z/ : qr/$check/, "$name: the check");
	like($of_check, qr/HINT:  Please REINDEX it/, "$name: what to do") if $check ne '';
}

# as it says
$node->safe_psql('postgres', 'DROP INDEX ' . join(', ', map { "item_$_" } 0 .. $#damages - 1));
my $last = $#damages;
$node->safe_psql('postgres', "REINDEX INDEX item_$last");
is($node->safe_psql('postgres', "SELECT bloom_pages_check('item_$last')"), $nkeys, 'right again after REINDEX');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');
$node->stop;
done_testing();
