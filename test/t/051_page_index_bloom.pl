# bloom_pages: contrib/bloom's own test of WAL, 001_wal.pl, with two indexes of bloom_pages in place of
# one of bloom.  It compares what a primary and its standby find while rows are deleted and inserted.
#
# Left to --ci, for its time.
#
# BLOOMTYPE_TESTS is the folder of PostgreSQL's tests; see test/bootstrap.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# fetched, or in a source tree
my $tests = $ENV{BLOOMTYPE_TESTS} // '';
my ($name) = grep { -r } "$tests/bloom/t/001_wal.pl", "$tests/../../contrib/bloom/t/001_wal.pl";
plan skip_all => 'there is no test of contrib/bloom' if !$name;

my $script = slurp_file($name);

sub rewrite
{
	my ($before, $after) = @_;
	die "not in 001_wal.pl: $before" if $script !~ s/\Q$before\E/$after/;
	return;
}

rewrite('CREATE EXTENSION bloom;', 'CREATE EXTENSION bloomtype;');
rewrite('CREATE INDEX bloomidx ON tst USING bloom (i, t) WITH (col1 = 3);', join ' ',
	map { "CREATE INDEX tst_$_ ON tst USING bloom_pages ($_);" } qw(i t));
rewrite('done_testing();', q{
	like($node_standby->safe_psql('postgres', "SET enable_seqscan = off; EXPLAIN SELECT FROM tst WHERE $_"),
		qr/Bitmap Index Scan on tst_/, "by the index: $_") for 'i = 3', q(t = 'b');
	done_testing();
});

my $file = "$PostgreSQL::Test::Utils::tmp_check/001_wal.pl";
append_to_file($file, $script);
do $file or die $@ || $!;
