# Damaged pages of indexes USING bloom_range: an error names the page, or, where a scan cannot
# notice, bloom_range_check does.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init;
$node->start;
my $page = $node->safe_psql('postgres', 'SHOW block_size');

# A row fills a page of the table, so that 4,000 rows take two levels.
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE item (k bigint, pad char(4100) DEFAULT '');
	ALTER TABLE item ALTER pad SET STORAGE plain;
	INSERT INTO item SELECT generate_series(1, 4200)});

# For each damage: what is done to the bytes of the index, what a scan for each of the keys says,
# and what the check says.
my $unexpected = 'has an unexpected page at block';
my @damages = (
	[ 'none', sub { }, '', '' ],
	[ 'another magic number in the metapage', sub { substr($_[0], $page - 2, 1) = 'x' }, "$unexpected 0", "$unexpected 0" ],
	[ 'another version of the metapage', sub { substr($_[0], $page - 3, 1) = "\2" }, "$unexpected 0", "$unexpected 0" ],
	[ 'a metapage of zeros', sub { substr($_[0], 0, $page) = "\0" x $page }, "$unexpected 0", "$unexpected 0" ],
	[ 'metadata without epochs', sub { substr($_[0], 24 + 12, 1) = "\0" }, "$unexpected 0", "$unexpected 0" ],
	[ 'metadata of more pages than possible', sub { substr($_[0], 24 + 8, 4) = "\xFF" x 4 },
		"$unexpected 0", "$unexpected 0" ],
	[ 'a page at the place of another',
		sub { substr($_[0], 2 * $page, $page) = substr($_[0], $page, $page) }, "$unexpected 2", "$unexpected 2" ],
	[ 'another special space', sub { substr($_[0], $page + 16, 2) = pack('S', $page - 8) },
		"$unexpected 1", "$unexpected 1" ],
	[ 'a bit after the slices', sub { substr($_[0], 2 * $page - 17, 1) = "\1" }, '', 'is damaged at block 1' ],
	[ 'another length of the contents', sub { substr($_[0], $page + 12, 2) = pack('S', 40) }, '',
		'is damaged at block 1' ],
	[ 'a bit of a group that does not exist', sub { substr($_[0], $page + 24 + 14, 1) = "\x80" }, '',
		'is damaged at block 1' ],
	[ 'metadata without the last groups', sub { substr($_[0], 24 + 8, 1) = "\x12" }, '', 'is damaged at block 1' ],

	# 35 of 64 groups have pages
	[ 'a page after those of all groups',
		sub { $_[0] .= "\0" x (29 * unpack('V', substr($_[0], 24 + 32 + 8, 4)) * $page) . substr($_[0], $page, $page) },
		'', 'It belongs to no group' ],
	[ 'a page of zeros', sub { substr($_[0], $page, $page) = "\0" x $page }, '', 'lacks row \(\d+,1\)' ],
	[ 'a shorter file', sub { substr($_[0], -2 * $page) = '' }, '', 'lacks row \(\d+,1\)' ],
);
my @paths = map {
	$node->safe_psql('postgres',
		"CREATE INDEX item_$_ ON item USING bloom_range (k) WITH (pages_per_range = 1); SELECT pg_relation_filepath('item_$_')")
} 0 .. $#damages;
is($node->safe_psql('postgres', q{SELECT levels FROM bloom_range_info('item_0')}), 2, 'there are two levels');

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
	my (undef, undef, $stderr) = $node->psql('postgres', "BEGIN; DROP INDEX $others; SET enable_seqscan = off; $statement",
		on_error_stop => 0);

	return $stderr;
}

for my $i (0 .. $#damages)
{
	my ($name, undef, $scan, $check) = @{ $damages[$i] };
	my $of_scan = messages($i, 'SELECT count((SELECT k FROM item WHERE k = i)) FROM generate_series(1::bigint, 4200) i');
	my $of_check = messages($i, "SELECT bloom_range_check('item_$i')");
	my $of_insert = messages($i, 'INSERT INTO item SELECT k + 10000 FROM item');

	like($of_scan, $scan eq '' ? qr/\A\z/ : qr/ERROR:  index "item_$i" .*$scan/, "$name: a scan");
	like($of_insert, $scan eq '' ? qr/\A\z/ : qr/ERROR:  index "item_$i" .*$scan/, "$name: inserts");
	like($of_check, $check eq '' ? qr/\A\z/ : qr/$check/, "$name: the check");
	like($of_check, qr/HINT:  Please REINDEX it/, "$name: what to do") if $check ne '';
}

# as it says
$node->safe_psql('postgres', 'DROP INDEX ' . join(', ', map { "item_$_" } 0 .. $#damages - 1));
my $last = $#damages;
$node->safe_psql('postgres', "REINDEX INDEX item_$last");
is($node->safe_psql('postgres', "SELECT bloom_range_check('item_$last')"), 4200, 'right again after REINDEX');
$node->stop;
done_testing();
