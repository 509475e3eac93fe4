# Binary COPY: a way in that anyone may use with any bytes.  Malformed images
# are refused with a clean error or are filters like any other, and the server
# stands.  Lengths and counts in a value that were trusted read and wrote past its end in
# RedisBloom (CVE-2024-25115, CVE-2024-55656, CVE-2026-25589), hll (84, 180), tdigest,
# pg_roaringbitmap (45, 68) and hstore (CVE-2014-2669).

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

# What input says: in a table, so that thousands can be tried in one session.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE offered (f bloom);
	CREATE TABLE offered_key (k bloom_key);

	-- the further life of a filter that was let in; null, or what is wrong
	CREATE FUNCTION complaint(image bytea) RETURNS text
	LANGUAGE plpgsql AS
	$$
	DECLARE
		f bloom;
		g bloom;
		info record;
		grown int[] := ARRAY(SELECT generate_series(1001, 1300));
	BEGIN
		SELECT o.f INTO STRICT f FROM offered o;
		IF f::bytea <> image THEN
			RETURN 'other bytes';
		END IF;
		IF f::text::bloom <> f OR bloom_send(f) <> image THEN
			RETURN 'round trip';
		END IF;
		info := bloom_info(f);
		IF NOT info.current_fpp BETWEEN 0 AND 1 OR info.keys < 0 THEN
			RETURN 'bloom_info ' || info;
		END IF;
		BEGIN
			PERFORM o.f @> i FROM offered o, generate_series(1, 10) i;
			-- a forged capacity may rightly ask for hundreds of megabytes
			IF info.layers = 0 AND info.capacity < 1000000 OR info.growth = 0 THEN
				g := bloom_add_all(f, grown);
				IF NOT bloom_contains_all(g, grown) THEN
					RETURN 'lost a key';
				END IF;
			END IF;
		EXCEPTION WHEN datatype_mismatch OR program_limit_exceeded THEN
		END;
		RETURN NULL;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END
	$$;

	-- 'refused', 'accepted', or what is wrong
	CREATE FUNCTION verdict(file text) RETURNS text
	LANGUAGE plpgsql AS
	$$
	DECLARE
		-- the field comes after 19 bytes of header, 2 of count and 4 of length
		image bytea := substr(pg_read_binary_file(file), 26,
							  length(pg_read_binary_file(file)) - 27);
		cast_refused boolean := false;
		recv_refused boolean := false;
	BEGIN
		BEGIN
			PERFORM image::bloom;
		EXCEPTION WHEN invalid_binary_representation THEN
			cast_refused := true;
		END;

		DELETE FROM offered;
		BEGIN
			EXECUTE format('COPY offered FROM %L (FORMAT binary)', file);
		EXCEPTION WHEN invalid_binary_representation THEN
			recv_refused := true;
		END;

		IF recv_refused <> cast_refused THEN
			RETURN 'COPY and the cast from bytea do not agree';
		END IF;
		RETURN CASE WHEN recv_refused THEN 'refused'
			ELSE coalesce(complaint(image), 'accepted') END;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END
	$$;

	CREATE FUNCTION key_verdict(file text) RETURNS text
	LANGUAGE plpgsql AS
	$$
	BEGIN
		DELETE FROM offered_key;
		EXECUTE format('COPY offered_key FROM %L (FORMAT binary)', file);
		PERFORM bloom_agg(k) FROM offered_key;
		RETURN CASE WHEN k::text::bloom_key = k AND bloom_add(bloom_create(1), k) @> k
			THEN 'accepted' ELSE 'wrong' END
		FROM offered_key;
	EXCEPTION
		-- the second is the message that ends too early
		WHEN invalid_binary_representation OR protocol_violation THEN RETURN 'refused';
		WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
	END
	$$;
});

# Verdicts on a list of byte strings: verdict => how many.
sub verdicts
{
	my ($function, @bytes) = @_;

	copy_file("forged.$_", $bytes[$_]) for 0 .. $#bytes;
	my $last = $#bytes;
	my $counts = $node->safe_psql(
		'postgres', qq{
		SELECT v, count(*) FROM generate_series(0, $last) i, $function('$dir/forged.' || i) v
		GROUP BY v ORDER BY v});
	unlink map { "$dir/forged.$_" } 0 .. $#bytes;
	return { map { split /\|/, $_, 2 } split /\n/, $counts };
}

sub truncations
{
	my ($bytes) = @_;
	return map { substr $bytes, 0, $_ } 0 .. length($bytes) - 1;
}

sub flips
{
	my ($bytes) = @_;
	my @flips;

	for my $bit (0 .. 8 * length($bytes) - 1)
	{
		my $flipped = $bytes;
		vec($flipped, $bit, 1) ^= 1;
		push @flips, $flipped;
	}
	return @flips;
}

#
# Malformed filters
#

for my $name ('no key', 'list', 'one block', 'two layers')
{
	my $image = image("(SELECT f::bytea FROM sample WHERE name = '$name')");
	is_deeply(verdicts('verdict', $image), { accepted => 1 }, "$name: as it is");
	is_deeply(verdicts('verdict', truncations($image)),
		{ refused => length $image }, "$name: every truncation is refused");
	is(join(' ', sort keys %{ verdicts('verdict', flips($image)) }),
		'accepted refused', "$name: every flip is refused, or safe");

	# a header of 60 bytes, layer records of 64, then blocks, whose bits are counted
	my $head = 60 + 64 * unpack('v', substr $image, 12, 2);
	if ($head > 60)
	{
		my @flips = flips($image);
		my @of_blocks = @flips[ 8 * $head .. $#flips ];

		is_deeply(verdicts('verdict', @of_blocks),
			{ refused => scalar @of_blocks }, "$name: every flip in the blocks is refused");
	}
	is_deeply(
		verdicts('verdict', map { $image . $_ } "\0", "\0" x 8, "\0" x 64, $image),
		{ refused => 4 },
		"$name: trailing bytes are refused");
}

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

#
# Malformed filters from which keys can be deleted
#

# The further life of a filter of such a type, and the verdict on a file with one.
for my $type ('counting_bloom', 'cuckoo')
{
	$node->safe_psql(
		'postgres', qq{
		CREATE TABLE offered_$type (f $type);
		CREATE FUNCTION complaint_$type(image bytea) RETURNS text
		LANGUAGE plpgsql AS
		\$\$
		DECLARE
			f $type;
			g $type;
			info record;
			keys int[] := ARRAY(SELECT generate_series(1001, 1040));
		BEGIN
			SELECT o.f INTO STRICT f FROM offered_$type o;
			IF f::bytea <> image THEN
				RETURN 'other bytes';
			END IF;
			IF f::text::$type <> f OR ${type}_send(f) <> image THEN
				RETURN 'round trip';
			END IF;
			info := ${type}_info(f);
			IF NOT info.current_fpp BETWEEN 0 AND 1 OR info.keys < 0 OR info.capacity < 1 THEN
				RETURN 'info ' || info;
			END IF;
			BEGIN
				PERFORM o.f @> i, ${type}_count(o.f, i), ${type}_remove(o.f, i)
				FROM offered_$type o, generate_series(1, 10) i;
				-- a forged capacity may rightly ask for hundreds of megabytes
				IF info.bytes > 60 OR info.capacity < 1000000 THEN
					g := ${type}_add_all(f, keys);
					IF NOT ${type}_contains_all(g, keys) THEN
						RETURN 'lost a key';
					END IF;
					g := ${type}_remove_all(g, keys);
					IF g::bytea::$type <> g THEN
						RETURN 'no filter';
					END IF;
				END IF;
			EXCEPTION WHEN datatype_mismatch OR program_limit_exceeded THEN
			END;
			RETURN NULL;
		EXCEPTION WHEN OTHERS THEN
			RETURN SQLSTATE || ' ' || SQLERRM;
		END
		\$\$;

		CREATE FUNCTION verdict_$type(file text) RETURNS text
		LANGUAGE plpgsql AS
		\$\$
		DECLARE
			image bytea := substr(pg_read_binary_file(file), 26,
								  length(pg_read_binary_file(file)) - 27);
			cast_refused boolean := false;
			recv_refused boolean := false;
		BEGIN
			BEGIN
				PERFORM image::$type;
			EXCEPTION WHEN invalid_binary_representation THEN
				cast_refused := true;
			END;

			DELETE FROM offered_$type;
			BEGIN
				EXECUTE format('COPY offered_$type FROM %L (FORMAT binary)', file);
			EXCEPTION WHEN invalid_binary_representation THEN
				recv_refused := true;
			END;

			IF recv_refused <> cast_refused THEN
				RETURN 'COPY and the cast from bytea do not agree';
			END IF;
			RETURN CASE WHEN recv_refused THEN 'refused'
				ELSE coalesce(complaint_$type(image), 'accepted') END;
		EXCEPTION WHEN OTHERS THEN
			RETURN SQLSTATE || ' ' || SQLERRM;
		END
		\$\$});
}

# Each with the least number of its flips in the blocks or buckets that change
# what the record counts: all but those in a counter above zero that stays so,
# or in a fingerprint that stays one.
for my $case (
	[ 'counting_bloom', 'no key', 'counting_bloom_create(10)' ],
	[ 'counting_bloom', 'one key', 'counting_bloom_add(counting_bloom_create(1, 0.5), 1)' ],
	[ 'counting_bloom', 'saturated',
		'(SELECT counting_bloom_agg(i % 100, 0.5) FROM generate_series(1, 1600) i)' ],
	[ 'cuckoo', 'no key', 'cuckoo_create(10)' ],
	[ 'cuckoo', 'one key', 'cuckoo_add(cuckoo_create(1), 1)' ],
	[ 'cuckoo', 'few keys', '(SELECT cuckoo_agg(i, 20, 0.01) FROM generate_series(1, 20) i)' ],
	[ 'cuckoo', 'full', 'cuckoo_add_all(cuckoo_create(1, 0.2), ARRAY[1, 1, 1, 1, 1, 1, 1, 1])' ])
{
	my ($type, $name, $expression) = @$case;
	my $image = image("$expression\::bytea");
	my $head = 60 + 64 * unpack('v', substr $image, 12, 2);

	is_deeply(verdicts("verdict_$type", $image), { accepted => 1 }, "$type, $name: as it is");
	is_deeply(
		verdicts("verdict_$type", truncations($image)),
		{ refused => length $image },
		"$type, $name: every truncation is refused");
	is_deeply(
		verdicts("verdict_$type", map { $image . $_ } "\0", "\0" x 8, "\0" x 64, "\0" x 256, $image),
		{ refused => 5 },
		"$type, $name: trailing bytes are refused");

	my @flips = flips($image);
	my @of_head = @flips[ 0 .. 8 * $head - 1 ];
	my @of_blocks = @flips[ 8 * $head .. $#flips ];
	my $verdicts = verdicts("verdict_$type", @of_head);

	is(join(' ', sort keys %$verdicts), 'accepted refused', "$type, $name: every flip is refused, or safe");

	# fields that are free: capacities and probabilities, the family, a limit
	cmp_ok($verdicts->{refused}, '>', $head > 60 ? 600 : 350, "$type, $name: most of the head is checked");
	next if $head == 60;

	# What the blocks are: bytes to bits, a counter or a fingerprint in each unit.
	my $bits = $type eq 'cuckoo' ? ord substr $image, 64, 1 : 4;
	my @bits = split //, unpack 'b*', substr $image, $head;
	my $nunits = int(@bits / $bits);
	$nunits = 4 * unpack 'V', substr $image, 60, 4 if $type eq 'cuckoo';
	my %expected = (refused => 0, accepted => 0);

	for my $bit (0 .. $#bits)
	{
		my $first = int($bit / $bits) * $bits;
		my $stays = $first < $nunits * $bits
		  && grep { $_ != $bit && $bits[$_] } $first .. $first + $bits - 1;

		$expected{ $stays ? 'accepted' : 'refused' }++;
	}
	delete $expected{$_} for grep { !$expected{$_} } keys %expected;
	is_deeply(verdicts("verdict_$type", @of_blocks),
		\%expected, "$type, $name: a flip that changes the number of keys is refused");
}

# One type is not another: a filter, with keys or without, is let in by its own type
# and by no other.
my @types = ('bloom', 'counting_bloom', 'cuckoo');
my %verdict_of = (
	bloom => 'verdict',
	counting_bloom => 'verdict_counting_bloom',
	cuckoo => 'verdict_cuckoo');

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
			is_deeply(
				verdicts($verdict_of{$to}, $image),
				{ ($from eq $to ? 'accepted' : 'refused') => 1 },
				"$from, $name: offered to $to, by COPY and as bytea");
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

#
# Malformed keys
#

for my $expression ('1', q{'a'::text}, 'ARRAY[1, 2]', 'ROW(1, 2)')
{
	my $key = image("bloom_key_send(bloom_key($expression))");
	my $nested = $expression =~ /ARRAY|ROW/;

	is(length $key, 16, "$expression: a key is 16 bytes");
	is_deeply(verdicts('key_verdict', $key), { accepted => 1 }, "$expression: as it is");
	is_deeply(verdicts('key_verdict', truncations($key)),
		{ refused => 16 }, "$expression: every truncation of the key is refused");
	is_deeply(verdicts('key_verdict', map { $key . $_ } "\0", "\0" x 16),
		{ refused => 2 }, "$expression: trailing bytes are refused");

	my $verdicts = verdicts('key_verdict', flips($key));
	is(join(' ', sort keys %$verdicts),
		'accepted refused', "$expression: every flip is refused, or safe");

	# 64 bits of hash, and 32 of subtype where there is one; some families
	ok($verdicts->{refused} >= 16 + ($nested ? 10 : 42),
		"$expression: family and reserved bytes are checked");
}

#
# The server stands
#

is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server answers');
my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
