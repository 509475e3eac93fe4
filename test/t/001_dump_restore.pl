# Dump and restore: filters of every form and size come back with the same
# bytes and give the same answers.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use StoredFilters;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;

$node->safe_psql('postgres', 'CREATE DATABASE source');
create_filters($node, 'source', 2000000);
my $expected_state = state_of($node, 'source');
my $expected_answers = answers_of($node, 'source');

# The samples are what they are meant to be.
like($expected_state, qr/^one layer\|\(number,10000,0.01,2,1,/m, 'one layer');
like($expected_state, qr/^many layers\|\(number,1,0.1,1,\d\d,/m, 'many layers');
like($expected_state, qr/^big\|\d{7}\|/m, 'several megabytes');
is( $node->safe_psql(
		'source', q{SELECT pg_column_size(compressed) < pg_column_size(external) / 2
					FROM filters WHERE name = 'sparse'}),
	't', 'a compressed value');

like($expected_answers, qr/^labels\|3$/m, 'labels of an enum');
like($expected_state, qr/^of few\|/m, 'filters of a domain, and generated ones');
is( $node->safe_psql(
		'source', q{
		SELECT counting_bloom_count(counting, 1) IS NULL, (SELECT count(*) FROM generate_series(1, 100) i
				WHERE counting_bloom_count(counting, i) IS NULL),
			(cuckoo_info(cuckoo)).load
		FROM deletables WHERE name = 'saturated';
		SELECT n > 100, (cuckoo_info(cuckoo)).keys = n, (cuckoo_info(cuckoo)).load > 0.9
		FROM deletables WHERE name = 'full';
		SELECT counting_bloom_count(counting, 3), cuckoo_count(cuckoo, 3) FROM deletables WHERE name = 'few';
		SELECT counting = counting_bloom_add_all(counting_bloom_create(5), ARRAY[3, 2, 1]),
			cuckoo_cardinality(cuckoo) FROM deletables WHERE name = 'removed';
		SELECT octet_length(counting::bytea) > 2000000, octet_length(cuckoo::bytea) > 1500000
		FROM deletables WHERE name = 'big';
		SELECT pg_column_size(counting_compressed) < pg_column_size(counting) / 2,
			pg_column_size(cuckoo_compressed) < pg_column_size(cuckoo) / 2
		FROM deletables WHERE name = 'sparse'}),
	"t|100|1\nt|t|t\n2|2\nt|3\nt|t\nt|t",
	'counters at their limit, full buckets, megabytes, compressed values');
is(join('|', lost_keys($expected_answers)), '30|0', 'no key is missing');

sub dump_of
{
	my ($database) = @_;
	my ($out, $err) = run_command(
		[ 'pg_dump', '--no-sync', '-d', $node->connstr($database) ]);

	# recent servers protect the script with a random word
	$out =~ s/^\\(un)?restrict .*\n//mg;
	return $out;
}
my $expected_dump = dump_of('source');

sub restored_ok
{
	my ($database, $how) = @_;
	my $label = 'SELECT min(oid) FROM pg_enum';

	isnt($node->safe_psql($database, $label), $node->safe_psql('source', $label), "$how: other OIDs");
	is(state_of($node, $database), $expected_state, "$how: same bytes");
	is(answers_of($node, $database), $expected_answers, "$how: same answers");
	ok(dump_of($database) eq $expected_dump, "$how: same dump");
}

my $dir = $node->basedir;

$node->safe_psql('postgres', 'CREATE DATABASE from_plain');
command_ok(
	[ 'pg_dump', '--no-sync', '-f', "$dir/plain.sql", '-d', $node->connstr('source') ],
	'plain dump');
command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/psql.out",
		'-f', "$dir/plain.sql", '-d', $node->connstr('from_plain') ],
	'plain restore');
restored_ok('from_plain', 'plain');

$node->safe_psql('postgres', 'CREATE DATABASE from_custom');
command_ok(
	[ 'pg_dump', '--no-sync', '-Fc', '-f', "$dir/custom", '-d', $node->connstr('source') ],
	'custom dump');
command_ok(
	[ 'pg_restore', '--exit-on-error', '-d', $node->connstr('from_custom'), "$dir/custom" ],
	'custom restore');
restored_ok('from_custom', 'custom');

# as INSERT commands, which take the values through the parser
$node->safe_psql('postgres', 'CREATE DATABASE from_inserts');
command_ok(
	[ 'pg_dump', '--no-sync', '--inserts', '-f', "$dir/inserts.sql",
		'-d', $node->connstr('source') ],
	'dump as inserts');
command_ok(
	[ 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-o', "$dir/psql.out",
		'-f', "$dir/inserts.sql", '-d', $node->connstr('from_inserts') ],
	'restore of inserts');
restored_ok('from_inserts', 'inserts');

# restored filters go on growing as the originals would, take keys and give them back
my $expected_changes = changes_of($node, 'source');
like($expected_changes, qr/^layered\|\w{32}\|t\n/m, 'filters grow the same, however they are stored');
like($expected_changes, qr/\ndefault\|t\|t\nmany\|t\|t\nremoved\|t\|t\nsparse\|t\|t$/,
	'without their keys filters are as they were created');
is(changes_of($node, $_), $expected_changes, "$_: keys are added and removed the same")
  for qw(from_plain from_custom from_inserts);

# defaults, checks and indexes come with their tables
for my $database (qw(from_plain from_inserts))
{
	is( $node->safe_psql(
			$database, q{
			SET enable_seqscan = off;
			DELETE FROM deletables WHERE name = 'default';
			INSERT INTO deletables (name, n) VALUES ('default', 1);
			SELECT counting @> 1, cuckoo @> 1, counting_bloom_count(counting, 1) FROM deletables WHERE name = 'default';
			SELECT count(*) FROM deletables
			WHERE counting = (SELECT counting_bloom_agg(i) FROM generate_series(1, 100000) i);
			SELECT count(*) FROM deletables
			WHERE cuckoo = (SELECT cuckoo_agg(i) FROM generate_series(1, 100000) i)}),
		"t|t|1\n1\n1",
		"$database: defaults and indexes");
	like(
		$node->safe_psql($database, q{SET enable_seqscan = off;
			EXPLAIN SELECT FROM deletables WHERE cuckoo = cuckoo_create(1)}),
		qr/deletables_cuckoo_idx/,
		"$database: the index is used");
	for my $bad (
		q{UPDATE deletables SET cuckoo = cuckoo_create(1) WHERE name = 'default'},
		'UPDATE of_few SET f = cuckoo_create(1)')
	{
		my (undef, undef, $stderr) = $node->psql($database, $bad);
		like($stderr, qr/violates check constraint/, "$database: checked: $bad");
	}
}

# text dumped by one server is what another would have made itself
is( $node->safe_psql(
		'from_plain', q{SELECT external = (SELECT bloom_agg(i) FROM generate_series(1, 10000) i)
						FROM filters WHERE name = 'one layer'}),
	't', 'a restored filter equals one made anew');

$node->stop;
done_testing();
