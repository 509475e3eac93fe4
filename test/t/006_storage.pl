# However a value is stored, plain, compressed, out of line or both, it is the
# same filter and the same key (PipelineDB hashed the stored bytes: a compressed copy of a
# key was not found).

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
# below, a page is changed behind the server's back
$node->append_conf('postgresql.conf', 'ignore_checksum_failure = on');
$node->start;

#
# Filters
#

my @storages = qw(plain main external extended);

$node->safe_psql('postgres', 'CREATE EXTENSION bloomtype');
$node->safe_psql(
	'postgres', qq{
	CREATE TABLE filter_$_ (name text, f bloom);
	ALTER TABLE filter_$_ ALTER f SET STORAGE $_}) for @storages;

# Name, expression, keys that it has, 0 .. n.  A plain value stays in its page.
my @filters = (
	[ 'no key', 'bloom_create(1000)', 0, 'short' ],
	[ 'one key', 'bloom_add(bloom_create(1000), 1)', 1, 'short' ],
	[ 'short header', 'bloom_agg(i)', 5, 'short' ],
	[ 'list', 'bloom_agg(i)', 128, 'short' ],
	[ 'small', 'bloom_agg(i)', 3000, 'short' ],
	[ 'layers', 'bloom_add_all(bloom_create(1, 0.1, 1), array_agg(i))', 600, 'short' ],
	[ 'sparse', 'bloom_agg(i, 1000000, 0.01)', 200, 'long' ],
	[ 'large', 'bloom_agg(i)', 100000, 'long' ],
	[ 'many large layers', 'bloom_add_all(bloom_create(1, 0.1), array_agg(i))', 50000, 'long' ]);

for my $filter (@filters)
{
	my ($name, $expression, $n, $length) = @$filter;
	my @possible = grep { $length eq 'short' || $_ ne 'plain' } @storages;
	my $computed = $n < 2 ? $expression : "(SELECT $expression FROM generate_series(1, $n) i)";
	my $many = $n + 1000;

	# as computed, never stored
	my $state = q{md5(f::bytea), md5(f::text), md5(bloom_send(f)), bloom_info(f),
		bloom_cardinality(f), bloom_current_fpp(f), bloom_hash(f)};
	my $asked = "generate_series(1, $many, 1 + $many / 1000) i";
	my $added = 'ARRAY(SELECT -i FROM generate_series(1, 300) i)';
	my ($answers, $found, $grown) = split /\n/, $node->safe_psql(
		'postgres', qq{
		SELECT $state FROM (SELECT $computed AS f OFFSET 0) x;
		SELECT sum(i), count(*) FROM $asked WHERE bloom_contains($computed, i);
		SELECT md5(bloom_add_all($computed, $added)::bytea)});

	for my $storage (@possible)
	{
		my $table = "filter_$storage";
		my $where = "WHERE name = '$name'";
		my @stored = split /\n/, $node->safe_psql(
			'postgres', qq{
			INSERT INTO $table SELECT '$name', $computed;
			SELECT $state FROM $table $where;
			SELECT sum(i), count(*) FROM $table, $asked $where AND f @> i;
			SELECT sum(i), count(*) FROM $asked WHERE bloom_contains((SELECT f FROM $table $where), i);
			SELECT md5(bloom_add_all(f, $added)::bytea) FROM $table $where;
			SELECT bool_and(f = $computed) AND bool_and(bloom_contains_all(f, ARRAY(SELECT generate_series(1, $n))))
			FROM $table $where});

		is($stored[0], $answers, "$name, $storage: the same value");
		is($stored[1], $found, "$name, $storage: the same answers in a join");
		is($stored[2], $found, "$name, $storage: the same answers from a sub-select");
		is($stored[3], $grown, "$name, $storage: grows the same");
		is($stored[4], 't', "$name, $storage: equal to what is computed, no key is lost");
	}
}

# The storages are what they are meant to be.
is( $node->safe_psql(
		'postgres', q{
		SELECT s.name, pg_column_size(s.f) * 4 < octet_length(s.f::bytea) AS compressed,
			pg_column_size(e.f) = octet_length(e.f::bytea) AS uncompressed
		FROM filter_extended s JOIN filter_external e USING (name)
		WHERE name IN ('sparse', 'large') ORDER BY name}),
	"large|f|t\nsparse|t|t",
	'a sparse filter is compressed where that is allowed');
is( $node->safe_psql(
		'postgres', q{
		CREATE TABLE fresh (f bloom);
		SELECT attstorage FROM pg_attribute WHERE attrelid = 'fresh'::regclass AND attname = 'f'}),
	'e',
	'a column of type bloom is external unless one says otherwise');

# To ask a stored filter for many elements at once costs no more than to read it.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE asked (f bloom);
	INSERT INTO asked
		SELECT bloom_add_all(bloom_create(1, 0.0001, 1), ARRAY(SELECT generate_series(1, 5000)))});
sub seconds
{
	my ($filter) = @_;
	my $start = time;

	is( $node->safe_psql(
			'postgres', qq{SELECT bloom_contains_all($filter, ARRAY(SELECT 1 + i % 100 FROM generate_series(1, 50000) i)),
				bloom_contains_any($filter, ARRAY(SELECT -1 - i % 100 FROM generate_series(1, 50000) i))
			FROM asked}),
		't|f',
		"$filter is asked for many elements");
	return time - $start;
}
my $in_memory = seconds('f::bytea::bloom');
my $stored = seconds('f');
cmp_ok($stored, '<', 0.5 + 5 * $in_memory, 'a stored filter is asked as fast as one in memory');

# In place updates of a row go on from what is stored.
for my $storage (@storages)
{
	$node->safe_psql(
		'postgres', qq{
		INSERT INTO filter_$storage VALUES ('updated', bloom_create(100));
		DO \$\$ BEGIN
			FOR i IN 1 .. 300 LOOP
				UPDATE filter_$storage SET f = bloom_add(f, i) WHERE name = 'updated';
			END LOOP;
		END \$\$});
	is( $node->safe_psql(
			'postgres', qq{SELECT f = bloom_add_all(bloom_create(100), ARRAY(SELECT generate_series(1, 300)))
						   FROM filter_$storage WHERE name = 'updated'}),
		't',
		"$storage: a filter that is updated key by key");
}

# A composite, an array and a record keep filters inside themselves.
$node->safe_psql(
	'postgres', q{
	CREATE TYPE holder AS (id int, f bloom);
	CREATE TABLE holders (h holder, a bloom[]);
	INSERT INTO holders SELECT ROW(1, f)::holder, ARRAY[f, f] FROM (
		SELECT bloom_agg(i) AS f FROM generate_series(1, 100000) i) x});
is( $node->safe_psql(
		'postgres', q{SELECT (h).f @> 5, a[1] @> 100000, (h).f = a[2], bloom_cardinality(a[1]) =
						bloom_cardinality((h).f) FROM holders}),
	't|t|t|t',
	'filters inside other values');

# PL/pgSQL variables hold filters for long and change them.
is( $node->safe_psql(
		'postgres', q{
		CREATE FUNCTION loop_over(storage text) RETURNS text LANGUAGE plpgsql AS $$
		DECLARE
			f bloom;
			hits int := 0;
		BEGIN
			EXECUTE format('SELECT f FROM filter_%s WHERE name = %L', storage, 'large') INTO f;
			FOR i IN 1 .. 1000 LOOP
				IF f @> i THEN
					hits := hits + 1;
				END IF;
				IF i % 100 = 0 THEN
					f := bloom_add(f, -i);
				END IF;
			END LOOP;
			RETURN hits || ' ' || (f @> -1000)::text || ' ' || md5(f::bytea);
		END $$;
		SELECT count(DISTINCT loop_over(s)), min(loop_over(s)) LIKE '1000 true %'
		FROM unnest('{main,external,extended}'::text[]) s}),
	'1|t',
	'a loop over a stored filter');

#
# Keys
#

$node->safe_psql(
	'postgres', q{
	CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");
	CREATE TABLE keys (how text, v text, b bytea, n numeric, a int[], t text[]);
	ALTER TABLE keys ALTER v SET STORAGE main, ALTER b SET STORAGE main,
		ALTER n SET STORAGE main, ALTER a SET STORAGE main, ALTER t SET STORAGE main;
	INSERT INTO keys
		SELECT 'main', repeat('key ', 2500), decode(repeat('ab', 10000), 'hex'),
			('1' || repeat('0', 9000) || '.5')::numeric, array_fill(7, ARRAY[5000]),
			array_fill('key'::text, ARRAY[3000]);
	ALTER TABLE keys ALTER v SET STORAGE external, ALTER b SET STORAGE external,
		ALTER n SET STORAGE external, ALTER a SET STORAGE external, ALTER t SET STORAGE external;
	INSERT INTO keys SELECT 'external', v || '', b || ''::bytea, n + 0, a || '{}'::int[],
		t || '{}'::text[] FROM keys;
	ALTER TABLE keys ALTER v SET STORAGE extended, ALTER b SET STORAGE extended,
		ALTER n SET STORAGE extended, ALTER a SET STORAGE extended, ALTER t SET STORAGE extended;
	-- compressed and still too long for a page
	INSERT INTO keys SELECT 'extended', v || '', b || ''::bytea, n + 0, a || '{}'::int[],
		t || '{}'::text[] FROM keys WHERE how = 'main'});
is( $node->safe_psql(
		'postgres', q{SELECT how, pg_column_size(v) < 1000, pg_column_size(b) < 1000, pg_column_size(t) < 2000
					  FROM keys ORDER BY how}),
	"extended|t|t|t\nexternal|f|f|f\nmain|t|t|t",
	'keys are stored compressed and not');
for my $key (
	'v', 'b', 'n', 'a', 't', 'ARRAY[v, v]', 'ROW(v, b)', 'ROW(ROW(a), t, n)',
	q{textrange(v, v || 'z')}, 'v::varchar', 'v::char(12000)')
{
	is( $node->safe_psql(
			'postgres', qq{SELECT count(DISTINCT bloom_key($key)::text), count(DISTINCT bloom_add(bloom_create(1), $key)::text),
				bool_and((SELECT bloom_agg($key) FROM keys WHERE how = 'main') @> $key),
				bool_and((SELECT bloom_agg($key) FROM keys WHERE how = 'external') @> $key)
			FROM keys}),
		'1|1|t|t',
		"key $key: one key however it is stored");
}

# Short and long headers of short strings; what is made in memory equals what
# was stored.
is( $node->safe_psql(
		'postgres', q{
		CREATE TABLE short AS SELECT i, repeat('x', i) AS v FROM generate_series(0, 300) i;
		SELECT count(*), count(*) FILTER (WHERE bloom_key(v) = bloom_key(repeat('x', i)) AND
			bloom_key(ARRAY[v]) = bloom_key(ARRAY[repeat('x', i)]) AND
			bloom_key(ROW(v, i)) = bloom_key(ROW(repeat('x', i), i)) AND
			bloom_key(short) = bloom_key(ROW(i, repeat('x', i))))
		FROM short}),
	'301|301',
	'keys of every length');

# Bytes on disk are not trusted: a page that was damaged is an error.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE damaged (f bloom);
	ALTER TABLE damaged ALTER f SET STORAGE main;
	INSERT INTO damaged SELECT bloom_agg(i) FROM generate_series(1, 3) i;
	CHECKPOINT});
my $file = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('damaged')});
$node->stop;
my $page = slurp_file($file);
my $at = index $page, "\x01\x01\x01\x3c\x40";
cmp_ok($at, '>', 0, 'the image is found in its page');

# the format version, the number of hashes, of layers, the rate
for my $damage ([ 1, "\x09" ], [ 10, "\x80" ], [ 12, "\x01" ], [ 36, "\xff" x 8 ])
{
	my ($offset, $bytes) = @$damage;
	my $broken = $page;

	substr($broken, $at + $offset, length $bytes) = $bytes;
	open my $fh, '>:raw', $file or die "could not open $file: $!";
	print $fh $broken;
	close $fh or die "could not write $file: $!";

	$node->start;
	for my $use (
		'f @> 1', 'bloom_add(f, 9)', 'bloom_info(f)', 'bloom_cardinality(f)', 'f::text',
		'f::bytea', 'bloom_contains_any(f, ARRAY[1])', 'bloom_add_all(f, ARRAY[9])')
	{
		my ($ret, $stdout, $stderr) = $node->psql('postgres',
			"\\set VERBOSITY verbose\nSELECT $use FROM damaged");
		like($stderr, qr/ERROR:  XX001: stored "bloom" value is corrupted/,
			"byte $offset damaged: $use");
	}
	$node->stop;
}

# A matrix in its row, and one stored out of line, of which only parts are read: the same.
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE TABLE damaged_matrix (id int, m bloom_matrix);
	ALTER TABLE damaged_matrix ALTER m SET STORAGE plain;
	INSERT INTO damaged_matrix SELECT 1, bloom_matrix_agg(7, bloom_add(bloom_create(10, 0.5), 7));
	CREATE TABLE damaged_slices (id int, m bloom_matrix);
	INSERT INTO damaged_slices SELECT 1, bloom_matrix_agg(n, bloom_add(bloom_create(10, 0.5), n))
	FROM generate_series(1, 100) n;
	CHECKPOINT});
my $of_toast = '(SELECT reltoastrelid FROM pg_class WHERE relname = \'damaged_slices\')';
my %file_of = map { $_->[0] => $node->data_dir . '/'
	  . $node->safe_psql('postgres', "SELECT pg_relation_filepath($_->[1])") } (
	[ 'in its row', q{'damaged_matrix'} ],
	[ 'out of line', "$of_toast" ],
	[ 'the row', q{'damaged_slices'} ]);
my %page_of = map { $_ => slurp_file($file_of{$_}) } keys %file_of;
$node->stop;

# Each use of a matrix with these bytes in place of others in a file is an error; none where
# $fine names it.
sub damaged_matrix_fails
{
	my ($file, $table, $name, $at, $bytes, $fine) = @_;
	my $broken = $page_of{$file};

	cmp_ok($at, '>=', 0, "$name: found in its page");
	substr($broken, $at, length $bytes) = $bytes;
	open my $fh, '>:raw', $file_of{$file} or die "could not open $file_of{$file}: $!";
	print $fh $broken;
	close $fh or die "could not write $file_of{$file}: $!";

	$node->start;
	for my $use (
		'bloom_matrix_search(m, 7)',
		'bloom_matrix_search_all(m, ARRAY[7, 8])',
		'bloom_matrix_search_any(m, ARRAY[7, 8])',
		'bloom_matrix_filter(m, 7)', 'bloom_matrix_ids(m)', 'bloom_matrix_info(m)', 'm::text', 'm::bytea')
	{
		my ($ret, $stdout, $stderr) =
		  $node->psql('postgres',
			"\\set VERBOSITY verbose\nSET client_min_messages = error;\nSELECT $use FROM $table");

		if (defined $fine && $use =~ $fine)
		{
			is($stderr, '', "$name: $use does not read it");
			next;
		}
		like($stderr, qr/ERROR:  XX001: /, "$name: $use");
	}
	$node->stop;
	open $fh, '>:raw', $file_of{$file} or die "could not open $file_of{$file}: $!";
	print $fh $page_of{$file};
	close $fh or die "could not write $file_of{$file}: $!";
	return;
}

my $image_start = "\x04\x01\x01\x3c\x7c";
my $record_start = "\x01\x01\x01\x3c\x40";
for my $case ([ 'in its row', 'damaged_matrix' ], [ 'out of line', 'damaged_slices' ])
{
	my ($file, $table) = @$case;
	my $start = index $page_of{$file}, $image_start;

	# the format version, the family, the number of columns, of blocks, of probes
	for my $damage ([ 1, "\x09" ], [ 8, "\x77" ], [ 12, "\xff\xff\xff\xff" ], [ 28, "\x04" ], [ 5, "\0" ])
	{
		my ($offset, $bytes) = @$damage;
		damaged_matrix_fails($file, $table, "$file, byte $offset damaged", $start + $offset, $bytes);
	}

	# a record tells of one column: its filter, and the info of all
	my $record = index $page_of{$file}, $record_start, $start;
	my $seventh = $record + ($file eq 'in its row' ? 0 : 6 * 124);
	damaged_matrix_fails($file, $table, "$file, kind of a record", $seventh, "\x02",
		qr/search|ids|text|bytea/)
	  if $file eq 'in its row' || substr($page_of{$file}, $seventh, 5) eq $record_start;
}

# The length in the pointer to the value that is stored out of line, less than it was and more:
# that of the header differs.
my $pointer = index $page_of{'the row'}, "\x01\x12";
my ($raw_size, $stored_size) = unpack 'LL', substr $page_of{'the row'}, $pointer + 2, 8;
is($stored_size, $raw_size - 4, 'the pointer to the value is found');
for my $by (-4096, -60, -1, 1)
{
	damaged_matrix_fails('the row', 'damaged_slices', "length changed by $by",
		$pointer + 2, pack('LL', $raw_size + $by, $stored_size + $by));
}

# The pointer to a value that is stored compressed, which tells of more bytes than there are.  Their
# header agrees with the pointer.
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE TABLE forged (value bloom, short bytea, matrix bloom_matrix, short_matrix bytea);
	ALTER TABLE forged ALTER value SET STORAGE extended, ALTER matrix SET STORAGE extended;
	INSERT INTO forged
	SELECT f, substr(f::bytea, 1, 124) || others, m, substr(m::bytea, 1, 1000) || others
	FROM (SELECT bloom_agg(i, 2000000, 0.01) AS f,
			(SELECT bloom_matrix_agg(1, f) FROM (SELECT bloom_agg(i, 30000, 0.01) FROM generate_series(1, 200) i) s (f)) AS m,
			decode(string_agg(md5(i::text), ''), 'hex') || decode(repeat('00', 20000), 'hex') AS others
		FROM generate_series(1, 300) i) s;
	CHECKPOINT});
$file = $node->data_dir . '/' . $node->safe_psql('postgres', q{SELECT pg_relation_filepath('forged')});
my $questions = q{SELECT count(*) FROM forged, generate_series(1, 1000) i WHERE value @> i OR
	EXISTS (SELECT bloom_matrix_search(matrix, i))};
cmp_ok($node->safe_psql('postgres', $questions), '>', 0, 'answers');
$node->stop;
$page = slurp_file($file);
my @pointers;
push @pointers, pos($page) - 2 while $page =~ /\x01\x12/g;
is(scalar @pointers, 4, 'four values out of line');

for my $value (0, 2)
{
	my $broken = $page;

	# the length of what is stored, and where it is
	substr($broken, $pointers[$value] + 6, 8) = substr $page, $pointers[ $value + 1 ] + 6, 8;
	open my $fh, '>:raw', $file or die "could not open $file: $!";
	print $fh $broken;
	close $fh or die "could not write $file: $!";
	$node->start;
	my ($ret, $stdout, $stderr) = $node->psql('postgres', "\\set VERBOSITY verbose\n$questions");
	like($stderr, qr/ERROR:  XX001: stored "bloom(_matrix)?" value is corrupted/, 'shorter than its pointer says');
	$node->stop;
}

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

done_testing();
