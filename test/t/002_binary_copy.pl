# Binary COPY: a way in that anyone may use with any bytes.  What was copied comes back as it was;
# what is of another type, or of a length that lies, is refused with a clean error, and the server
# stands.  Lengths and counts in a value that were trusted read and wrote past its end in
# RedisBloom (CVE-2024-25115, CVE-2024-55656, CVE-2026-25589), hll (84, 180), tdigest,
# pg_roaringbitmap (45, 68) and hstore (CVE-2014-2669).  021_malformed_input damages values of each
# type, and offers them by this way and all others.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
my $dir = $node->basedir . '/copy';
mkdir $dir or die "could not create $dir: $!";

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE sample (name text, f bloom);
	INSERT INTO sample VALUES
		('null', NULL),
		('no key', bloom_create(10)),
		('list', bloom_add_all(bloom_create(10), ARRAY[1, 2, 3])),
		('one block', bloom_add_all(bloom_create(129, 0.5, 0),
									ARRAY(SELECT generate_series(1, 129)))),
		('two layers', bloom_add_all(bloom_create(1, 0.5, 1),
									 ARRAY(SELECT generate_series(1, 160)))),
		('big', (SELECT bloom_agg(i) FROM generate_series(1, 2000000) i));
});

#
# Round trip
#

$node->safe_psql(
	'postgres', qq{
	COPY sample TO '$dir/sample' (FORMAT binary);
	CREATE TABLE copy (LIKE sample);
	COPY copy FROM '$dir/sample' (FORMAT binary)});
is( $node->safe_psql(
		'postgres', q{SELECT count(*), count(*) FILTER (WHERE s.f = c.f)
					  FROM sample s JOIN copy c USING (name)}),
	'6|5',
	'all come back as they were');
is( $node->safe_psql(
		'postgres', q{SELECT count(*) FROM generate_series(1, 2000000, 1000) i, copy
					  WHERE name = 'big' AND f @> i}),
	'2000',
	'a filter of megabytes answers after the trip');

$node->safe_psql(
	'postgres', qq{
	CREATE TABLE deletable (name text, b counting_bloom, c cuckoo);
	INSERT INTO deletable VALUES
		('null', NULL, NULL),
		('no key', counting_bloom_create(10), cuckoo_create(10)),
		('few', counting_bloom_add_all(counting_bloom_create(10), ARRAY[1, 2, 2]),
			cuckoo_add_all(cuckoo_create(10), ARRAY[1, 2, 2])),
		('many times', (SELECT counting_bloom_agg(i % 10) FROM generate_series(1, 1000) i),
			cuckoo_add_all(cuckoo_create(1), ARRAY[1, 1, 1, 1, 1, 1, 1, 1])),
		('big', (SELECT counting_bloom_agg(i) FROM generate_series(1, 400000) i),
			(SELECT cuckoo_agg(i) FROM generate_series(1, 1000000) i));
	COPY deletable TO '$dir/deletable' (FORMAT binary);
	CREATE TABLE deletable_copy (LIKE deletable);
	COPY deletable_copy FROM '$dir/deletable' (FORMAT binary)});
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*), count(*) FILTER (WHERE s.b = c.b AND s.b::bytea = c.b::bytea),
			count(*) FILTER (WHERE s.c = c.c AND s.c::bytea = c.c::bytea)
		FROM deletable s JOIN deletable_copy c USING (name);
		SELECT count(*) FILTER (WHERE b @> i), count(*) FILTER (WHERE c @> i)
		FROM generate_series(1, 400000, 1000) i, deletable_copy WHERE name = 'big';
		SELECT counting_bloom_count(b, 2), cuckoo_count(c, 2) FROM deletable_copy WHERE name = 'few';
		SELECT counting_bloom_count(b, 2), cuckoo_count(c, 1) FROM deletable_copy WHERE name = 'many times'}),
	"5|4|4\n400|400\n2|2\n|8",
	'filters from which keys can be deleted come back as they were');

$node->safe_psql(
	'postgres', qq{
	CREATE TABLE matrix (name text, m bloom_matrix);
	INSERT INTO matrix
	SELECT 'null', NULL::bloom_matrix UNION ALL
	SELECT 'no columns', bloom_matrix_agg(1, NULL) UNION ALL
	SELECT 'no keys', bloom_matrix_agg(1, bloom_create(10)) UNION ALL
	SELECT 'big', bloom_matrix_agg(i, f) FROM generate_series(1, 600) i,
		(SELECT bloom_agg(i, 6000, 0.01) FROM generate_series(1, 6000) i) s(f);
	COPY matrix TO '$dir/matrix' (FORMAT binary);
	CREATE TABLE matrix_copy (LIKE matrix);
	COPY matrix_copy FROM '$dir/matrix' (FORMAT binary)});
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*), count(*) FILTER (WHERE s.m = c.m AND s.m::bytea = c.m::bytea)
		FROM matrix s JOIN matrix_copy c USING (name);
		SELECT count(*) FROM matrix_copy, bloom_matrix_search(m, 7) WHERE name = 'big'}),
	"4|3\n600",
	'matrices come back as they were');

#
# The server takes files of this form from us
#

my $signature = "PGCOPY\n\xff\r\n\0" . pack('NN', 0, 0);

# A file of one row with one column of these bytes; undef for a null.
sub copy_file
{
	my ($name, $bytes) = @_;
	my $field = defined $bytes ? pack('N', length $bytes) . $bytes : pack('N', 0xffffffff);

	open my $fh, '>:raw', "$dir/$name" or die "could not open $dir/$name: $!";
	print $fh $signature . pack('n', 1) . $field . pack('n', 0xffff);
	close $fh or die "could not write $dir/$name: $!";
	return;
}

sub image
{
	my ($expression) = @_;
	return pack 'H*', $node->safe_psql('postgres', "SELECT encode($expression, 'hex')");
}

$node->safe_psql('postgres', 'CREATE TABLE offered (f bloom); CREATE TABLE offered_key (k bloom_key)');

# a null is not an empty image
copy_file('null', undef);
$node->safe_psql('postgres', qq{TRUNCATE offered; COPY offered FROM '$dir/null' (FORMAT binary)});
is($node->safe_psql('postgres', 'SELECT f IS NULL FROM offered'), 't', 'a null is null');

# the error as it is seen
copy_file('forged', "\x01\x01\x01\x3c\x40\xff");
my ($ret, $stdout, $stderr) =
  $node->psql('postgres', qq{COPY offered FROM '$dir/forged' (FORMAT binary)});
like(
	$stderr,
	qr/ERROR:  invalid external "bloom" value\nDETAIL:  It is shorter than a header/,
	'the error says why');

# a matrix is no filter, a filter no matrix, and neither is a part of a matrix
$node->safe_psql('postgres', 'CREATE TABLE offered_matrix (m bloom_matrix)');
for my $case (
	[ 'offered', 'bloom', qr/It is of another kind of filter/,
		image(q{(SELECT m::bytea FROM matrix WHERE name = 'no columns')}) ],
	[ 'offered_matrix', 'bloom_matrix', qr/It is not a matrix of filters/,
		image('bloom_create(10)::bytea') ],
	[ 'offered_matrix', 'bloom_matrix', qr/Its length does not match what its header says/,
		substr image(q{(SELECT m::bytea FROM matrix WHERE name = 'no keys')}), 0, 4096 ])
{
	my ($table, $type, $detail, $bytes) = @$case;

	copy_file('forged', $bytes);
	($ret, $stdout, $stderr) =
	  $node->psql('postgres', qq{COPY $table FROM '$dir/forged' (FORMAT binary)});
	like($stderr, qr/ERROR:  invalid external "$type" value\nDETAIL:  $detail/,
		"$table: the error says why not");
}

# lengths that lie about what follows are the server's to refuse
my $list = image("(SELECT f::bytea FROM sample WHERE name = 'list')");
for my $length (length($list) - 1, length($list) + 1, 0x7fffffff, 0x80000000)
{
	open my $fh, '>:raw', "$dir/lying" or die "could not open $dir/lying: $!";
	print $fh $signature . pack('nN', 1, $length) . $list . pack('n', 0xffff);
	close $fh or die "could not write $dir/lying: $!";
	($ret, $stdout, $stderr) =
	  $node->psql('postgres', qq{COPY offered FROM '$dir/lying' (FORMAT binary)});
	isnt($ret, 0, "a field of $length bytes is refused");
}

# One type is not another: a filter, with keys or without, is let in by its own type
# and by no other.
my @types = ('bloom', 'counting_bloom', 'cuckoo');

$node->safe_psql('postgres', "CREATE TABLE typed_$_ (f $_)") for @types;

for my $from (@types)
{
	my %images = (
		'no key' => "${from}_create(10)",
		'two keys' => "${from}_add_all(${from}_create(10), ARRAY[1, 2])",
		'200 keys' => "(SELECT ${from}_agg(i) FROM generate_series(1, 200) i)");

	for my $name (sort keys %images)
	{
		my $image = image("$images{$name}\::bytea");

		for my $to (@types)
		{
			copy_file('other', $image);
			my ($status, undef, $error) =
			  $node->psql('postgres', qq{COPY typed_$to FROM '$dir/other' (FORMAT binary)});
			if ($from eq $to)
			{
				is($status, 0, "$from, $name: COPY to $to");
			}
			else
			{
				like(
					$error,
					qr/ERROR:  invalid external "$to" value\nDETAIL:  It is of another kind of filter/,
					"$from, $name: COPY to $to says why not");
			}
		}
	}
}
is( $node->safe_psql(
		'postgres', join ' UNION ALL ',
		map {
			"SELECT '$_', count(*), count(*) FILTER (WHERE f @> 2), sum((${_}_info(f)).keys) > 0
			FROM typed_$_"
		} @types),
	join("\n", map { "$_|3|2|t" } @types),
	'what was let in is there');

# a key is 16 bytes, no less and no more
my $key = image('bloom_key_send(bloom_key(1))');
for my $case ([ 'as it is', $key ], [ 'cut off', substr $key, 0, 15 ], [ 'longer', "$key\0" ])
{
	my ($name, $bytes) = @$case;

	copy_file('key', $bytes);
	($ret, $stdout, $stderr) = $node->psql('postgres', qq{COPY offered_key FROM '$dir/key' (FORMAT binary)});
	is($ret == 0, length $bytes == 16, "a key $name: " . ($ret == 0 ? 'let in' : 'refused'));
}
is($node->safe_psql('postgres', 'SELECT k = bloom_key(1) FROM offered_key'), 't', 'the key comes back');

#
# The server stands
#

is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server answers');
my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
