# What is frozen is so on every major version: test/sql/golden.sql and test/sql/corpus.sql,
# whose bytes, hashes and sizes no release may change, print what expected/ has.
#
# Guards against servers that changed how they hash a type, sort, add up or print, and against
# the compilers and libraries that their packages were built with.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use IPC::Run;
use Majors;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $top = "$FindBin::RealBin/../..";

for my $major (@majors)
{
	my $node = new_server('server', $major);

	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION bloomtype');
	for my $test ('golden', 'golden_matrix', 'corpus')
	{
		# as pg_regress runs it
		my $out = '';
		IPC::Run::run(
			[
				program($major, 'psql'), '-X', '-a', '-q', '-v', 'HIDE_TABLEAM=on',
				'-v', 'HIDE_TOAST_COMPRESSION=on', '-d', $node->connstr('postgres')
			],
			'<', "$top/test/sql/$test.sql", '>&', \$out);
		same_ok($out, slurp_file("$top/expected/$test.out"), "$major: $test");
	}
	no_crash_ok($node);
}
done_testing();
