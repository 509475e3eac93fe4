# Malformed input by every way in: text, the cast from bytea, binary parameters, binary
# COPY, also within arrays and composite values; and filters of other systems by every
# function that takes one.
#
# Valid images are damaged: cut off at every length, each byte set to 0, to 255 and
# inverted, each bit of the head flipped, and, by chance, spliced from two images.  What
# comes of that is refused with an error that says why, the same by every way in; or it is
# a value with the same bytes by every way in, that can be asked, told about, united and
# changed like any other.
#
# Guards against fields that are trusted against the real length (RedisBloom, hll,
# tdigest, hstore: reads and writes past the end), against payloads that are empty or
# cut off (TimescaleDB), and against a few bytes that allocate gigabytes (Guava): the
# server process may take no more than some memory beyond what it has.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use MIME::Base64;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WireSession;

# spliced values of each format, and a few times that of each type
my $SPLICES = 5000;

# that the session may take in addition
my $MEGABYTES = 48;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', "jit = off\nlog_min_messages = fatal\nlog_min_error_statement = panic");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION bloomtype');

my $session = WireSession->connect($node, 'postgres');
my $offered = 0;

sub run
{
	my ($sql) = @_;
	my $result = $session->query($sql);

	die "$sql: $result->{error}{M}" if $result->{error};
	return @{ $result->{rows} // [] };
}

sub value
{
	my ($sql) = @_;
	return (run("SELECT $sql"))[0][0];
}

sub image
{
	my ($bytea) = @_;
	return pack 'H*', value("encode($bytea, 'hex')");
}

run('SET client_min_messages = error');    # of filters past their capacity

#
# Damage
#

# the same everywhere and every time
srand 14;

sub truncations
{
	my ($bytes) = @_;
	return map { substr $bytes, 0, $_ } 0 .. length($bytes) - 1;
}

# Each byte set to 0, to 255 and inverted.
sub set_bytes
{
	my ($bytes, @at) = @_;
	my @set;

	for my $at (@at)
	{
		for my $byte ("\0", "\xff", ~substr($bytes, $at, 1))
		{
			my $damaged = $bytes;
			substr($damaged, $at, 1) = $byte;
			push @set, $damaged;
		}
	}
	return @set;
}

sub flips
{
	my ($bytes, $nbytes) = @_;
	my @flips;

	for my $bit (0 .. 8 * $nbytes - 1)
	{
		my $flipped = $bytes;
		vec($flipped, $bit, 1) ^= 1;
		push @flips, $flipped;
	}
	return @flips;
}

# The start of one and the end of another, each of any length; or some bytes of one in
# their place in the other.  Every second cut is at one of the given offsets.
sub splices
{
	my ($n, $cuts, @images) = @_;
	my $cut = sub {
		my ($bytes) = @_;
		my $at = rand() < 0.5 ? int rand(1 + length $bytes) : $cuts->[ rand @$cuts ];
		return $at > length $bytes ? length $bytes : $at;
	};
	my @splices;

	for (1 .. $n)
	{
		my ($one, $other) = @images[ rand @images, rand @images ];
		my $from = $cut->($one);

		if (rand() < 0.5)
		{
			my $to = rand() < 0.5 && $from < length $other ? $from : $cut->($other);
			push @splices, substr($one, 0, $from) . substr($other, $to);
		}
		else
		{
			my $length = 1 + int rand 16;
			my $part = $from < length $other ? substr $other, $from, $length : '';
			my $spliced = $one;
			substr($spliced, $from, length $part) = $part;
			push @splices, $spliced;
		}
	}
	return @splices;
}

# All of that but splices, of an image with a head of so many bytes.
sub damaged
{
	my ($image, $head) = @_;
	return (
		truncations($image),
		set_bytes($image, 0 .. length($image) - 1),
		flips($image, $head),
		map { $image . $_ } "\0", "\xff", "\0" x 8, "\0" x 64, $image);
}

sub distinct
{
	my %seen;
	return grep { !$seen{$_}++ } @_;
}

# A test of many values: what is wrong with any of them.
sub none_wrong
{
	my ($name, @wrong) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(scalar @wrong, 0, $name)
	  or diag join "\n", @wrong > 5 ? (@wrong[ 0 .. 4 ], '...') : @wrong;
	return;
}

sub hex_of
{
	my ($bytes) = @_;
	return unpack 'H*', $bytes;
}

#
# Values of the types
#

my %only_of = (
	counting_bloom => q{
		g := f | f;
		IF g::bytea::counting_bloom <> g OR life(f::bloom) IS NOT NULL THEN
			RETURN coalesce('as a bloom: ' || life(f::bloom), 'union');
		END IF;},
	cuckoo => '');

# What is wrong with a value that was let in, or null.
run($_) for (
	q{
	CREATE FUNCTION life(f bloom) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		info record := bloom_info(f);
		keys int[] := ARRAY(SELECT generate_series(1001, 1040));
		few bloom := bloom_add_all(bloom_create(1, 0.5), keys[1:3]);
		image bytea := f::bytea;
		g bloom;
	BEGIN
		IF f::text::bloom <> f OR image::bloom <> f OR bloom_send(f) <> image THEN
			RETURN 'does not come back';
		END IF;
		IF info.current_fpp NOT BETWEEN 0 AND 1 OR info.fill NOT BETWEEN 0 AND 1 OR info.keys < 0 OR
			info.capacity < 1 OR info.keys IS DISTINCT FROM bloom_cardinality(f) THEN
			RETURN 'info ' || info;
		END IF;
		g := f | f;
		IF g::bytea::bloom <> g OR g | f <> f | g OR (info.keys > 0 AND NOT f && f) THEN
			RETURN 'union';
		END IF;
		g := bloom_shrink(f);
		IF g::bytea::bloom <> g OR length(g::bytea) > length(image) THEN
			RETURN 'shrink';
		END IF;
		BEGIN
			g := f & f;
			IF g::bytea::bloom <> g THEN
				RETURN 'intersection';
			END IF;
		EXCEPTION WHEN invalid_parameter_value THEN		-- of several layers
		END;
		PERFORM bloom_overlap(f, f), bloom_hash(f), bloom_hash_extended(f, 1), bloom_current_fpp(f);
		BEGIN
			PERFORM f @> i, i <@ f FROM generate_series(1, 10) i;
			PERFORM bloom_contains_any(f, keys), bloom_contains_all(f, keys), bloom_missing(f, keys);
			IF f | few <> few | f THEN
				RETURN 'order of a union';
			END IF;
			-- a forged capacity may rightly ask for hundreds of megabytes
			IF info.layers > 0 OR info.capacity < 1000000 OR info.capacity > 100000000000 THEN
				g := bloom_add_all(f, keys);
				IF NOT bloom_contains_all(g, keys) OR g::bytea::bloom <> g THEN
					RETURN 'loses a key';
				END IF;
			END IF;
		EXCEPTION WHEN datatype_mismatch OR program_limit_exceeded THEN
		END;
		RETURN CASE WHEN f::bytea <> image THEN 'was written to' END;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END $$},
	map({ qq{
	CREATE FUNCTION life(f $_) RETURNS text LANGUAGE plpgsql AS \$\$
	DECLARE
		info record := ${_}_info(f);
		keys int[] := ARRAY(SELECT generate_series(1001, 1020));
		image bytea := f::bytea;
		g $_;
	BEGIN
		IF f::text::$_ <> f OR image::$_ <> f OR ${_}_send(f) <> image THEN
			RETURN 'does not come back';
		END IF;
		IF info.current_fpp NOT BETWEEN 0 AND 1 OR info.keys < 0 OR info.capacity < 1 OR
			info.keys IS DISTINCT FROM ${_}_cardinality(f) THEN
			RETURN 'info ' || info;
		END IF;
		PERFORM ${_}_hash(f), ${_}_hash_extended(f, 1), ${_}_current_fpp(f);
		$only_of{$_}
		BEGIN
			PERFORM f @> i, i <@ f, ${_}_count(f, i), ${_}_remove(f, i) FROM generate_series(1, 10) i;
			PERFORM ${_}_contains_any(f, keys), ${_}_contains_all(f, keys), ${_}_missing(f, keys);
			IF info.bytes > 60 OR info.capacity < 1000000 OR info.capacity > 100000000000 THEN
				g := ${_}_add_all(f, keys);
				IF NOT ${_}_contains_all(g, keys) OR g::bytea::$_ <> g THEN
					RETURN 'loses a key';
				END IF;
				g := ${_}_remove_all(g, keys);
				IF g::bytea::$_ <> g THEN
					RETURN 'no filter';
				END IF;
			END IF;
		EXCEPTION WHEN datatype_mismatch OR program_limit_exceeded THEN
		END;
		RETURN CASE WHEN f::bytea <> image THEN 'was written to' END;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END \$\$} } 'counting_bloom', 'cuckoo'),
	q{
	CREATE FUNCTION life(m bloom_matrix) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		info record := bloom_matrix_info(m);
		ids bigint[] := ARRAY(SELECT bloom_matrix_ids(m));
		image bytea := m::bytea;
		id bigint;
		f bloom;
	BEGIN
		IF m::text::bloom_matrix <> m OR image::bloom_matrix <> m OR bloom_matrix_send(m) <> image THEN
			RETURN 'does not come back';
		END IF;
		IF info.columns <> cardinality(ids) OR info.bytes <> length(image) OR
			info.max_fpp NOT BETWEEN 0 AND 1 OR
			ids <> ARRAY(SELECT DISTINCT i FROM unnest(ids) i ORDER BY i) THEN
			RETURN 'info ' || info;
		END IF;
		FOREACH id IN ARRAY ids LOOP
			f := bloom_matrix_filter(m, id);
			IF f::bytea::bloom <> f THEN
				RETURN 'a column is no filter';
			END IF;
		END LOOP;
		IF (SELECT bloom_matrix_agg(i, bloom_matrix_filter(m, i)) FROM unnest(ids) i) <> m THEN
			RETURN 'another matrix of its columns';
		END IF;
		PERFORM bloom_matrix_hash(m), bloom_matrix_hash_extended(m, 1);
		BEGIN
			IF EXISTS (SELECT FROM generate_series(1, 10) k WHERE
				ARRAY(SELECT bloom_matrix_search(m, k)) <>
				ARRAY(SELECT i FROM unnest(ids) i WHERE bloom_matrix_filter(m, i) @> k) OR
				ARRAY(SELECT bloom_matrix_search_any(m, ARRAY[k, -k])) <>
				ARRAY(SELECT i FROM unnest(ids) i
					WHERE bloom_contains_any(bloom_matrix_filter(m, i), ARRAY[k, -k])) OR
				ARRAY(SELECT bloom_matrix_search_all(m, ARRAY[k, k + 1])) <>
				ARRAY(SELECT i FROM unnest(ids) i
					WHERE bloom_contains_all(bloom_matrix_filter(m, i), ARRAY[k, k + 1]))) THEN
				RETURN 'another answer than its filters';
			END IF;
		EXCEPTION WHEN datatype_mismatch THEN
		END;
		RETURN CASE WHEN m::bytea <> image THEN 'was written to' END;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END $$},
	q{
	CREATE FUNCTION life(k bloom_key) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		IF k::text::bloom_key <> k OR NOT k = k OR k < k OR bloom_key_cmp(k, k) <> 0 THEN
			RETURN 'does not come back';
		END IF;
		IF NOT bloom_add(bloom_create(1), k) @> k OR NOT bloom_agg(k) @> k OR
			NOT counting_bloom_add(counting_bloom_create(1), k) @> k OR
			NOT cuckoo_add(cuckoo_create(1), k) @> k THEN
			RETURN 'is lost';
		END IF;
		PERFORM bloom_key_hash(k), bloom_key_hash_extended(k, 1), k::bigint, bloom_partition(k, 7);
		RETURN NULL;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END $$});

# The ways in for the bytes of a value: each gives a result for each of them, with what
# comes out of it as bytes.
my %ways_in = (
	'text' => sub {
		my ($type, @bytes) = @_;
		return $session->execute($type->{name}, [0], [1], map { [ encode_base64($_, '') ] } @bytes);
	},
	'binary parameter' => sub {
		my ($type, @bytes) = @_;

		# a filter comes out as text, as it comes in as bytes; a key has another text
		return $session->execute($type->{name}, [1], [1], map { [$_] } @bytes)
		  if $type->{name} eq 'bloom_key';
		my @results = $session->execute($type->{name}, [1], [0], map { [$_] } @bytes);
		$_->{rows}[0][0] = decode_base64($_->{rows}[0][0]) for grep { $_->{rows} } @results;
		return @results;
	},
	'cast from bytea' => sub {
		my ($type, @bytes) = @_;
		return $session->execute("cast $type->{name}", [1], [1], map { [$_] } @bytes);
	},
	'COPY' => sub {
		my ($type, @bytes) = @_;
		return copied($type->{name}, "offered_$type->{name}", 'f', @bytes);
	},
	'COPY of an array' => sub {
		my ($type, @bytes) = @_;

		# one dimension, no nulls, type, two elements from 1
		my $head = pack 'NNNNN', 1, 0, $type->{oid}, 2, 1;
		my $tail = pack 'N/a*', $type->{valid};
		return copied($type->{name}, "offered_array_$type->{name}", 'f[1]',
			map { $head . pack('N/a*', $_) . $tail } @bytes);
	},
	'COPY of a row' => sub {
		my ($type, @bytes) = @_;

		# two fields, the type and the bytes of each
		my $head = pack 'NNNaN', 2, 18, 1, 'x', $type->{oid};
		return copied($type->{name}, "offered_row_$type->{name}", '(f).f',
			map { $head . pack('N/a*', $_) } @bytes);
	});

# What became of fields that are copied into a table with an identifier.
sub copied
{
	my ($type, $table, $expression, @fields) = @_;
	my $id = 0;

	run("TRUNCATE $table");
	my @results = $session->copy_in($table, map { [ pack('N', $id++), $_ ] } @fields);
	for (run("SELECT id, encode(${type}_send($expression), 'hex') FROM $table"))
	{
		$results[ $_->[0] ]{rows} = [ [ pack 'H*', $_->[1] ] ];
	}
	return @results;
}

sub prepare_type
{
	my ($name, $valid) = @_;
	my $oid = value("'$name'::regtype::oid");

	run("CREATE TYPE row_$name AS (c \"char\", f $name)");
	run("CREATE TEMP TABLE offered_$name (id int, f $name)");
	run("CREATE TEMP TABLE offered_array_$name (id int, f $name\[])");
	run("CREATE TEMP TABLE offered_row_$name (id int, f row_$name)");
	$session->prepare($name, 'SELECT $1', $oid);
	$session->prepare("life $name", 'SELECT life($1)', $oid);
	$session->prepare("cast $name", "SELECT \$1::$name", $name eq 'bloom_key' ? 25 : 17);
	return { name => $name, oid => $oid, valid => $valid };
}

# Offer byte strings by all ways in that are named: their errors and bytes agree.
# Returns those that were let in.
sub offer
{
	my ($name, $type, $ways, $sqlstates, @bytes) = @_;
	my @outcomes;
	my @wrong;
	my @accepted;

	for my $way (@$ways)
	{
		my @results = $ways_in{$way}->($type, @bytes);
		my $expected = $sqlstates->{$way} // qr/^22P03$/;

		$offered += @bytes;
		for my $i (0 .. $#bytes)
		{
			my ($error, $rows) = @{ $results[$i] }{qw(error rows)};
			my $outcome;

			if ($error)
			{
				push @wrong, "$way: $error->{C} $error->{M}: " . hex_of($bytes[$i])
				  if $error->{C} !~ $expected;
				push @wrong, "$way: no detail: $error->{M}: " . hex_of($bytes[$i])
				  if !defined $error->{D} && $error->{C} ne '08P01' && $error->{M} !~ /improper|incorrect/;
				$outcome = $error->{D} // 'the server refuses it';
			}
			else
			{
				$outcome = 'accepted';
				push @wrong, "$way: other bytes: " . hex_of($bytes[$i])
				  if !$rows || $rows->[0][0] ne $bytes[$i];
			}
			$outcomes[$i] //= $outcome;
			push @wrong, "$way: $outcome; but $ways->[0]: $outcomes[$i]: " . hex_of($bytes[$i])
			  if $outcome ne $outcomes[$i];
		}
	}
	@accepted = @bytes[ grep { $outcomes[$_] eq 'accepted' } 0 .. $#bytes ];
	none_wrong("$name: " . @bytes . ' values, of which ' . @accepted . ' are let in, by every way in',
		@wrong);

	my @lives = $session->execute("life $type->{name}", [1], [0], map { [$_] } @accepted);
	none_wrong(
		"$name: what is let in is a value like any other",
		map {
			my $wrong = $lives[$_]{error} ? $lives[$_]{error}{M} : $lives[$_]{rows}[0][0];
			defined $wrong ? "$wrong: " . hex_of($accepted[$_]) : ();
		} 0 .. $#accepted);
	return @accepted;
}

my @all_ways = ('text', 'binary parameter', 'cast from bytea', 'COPY', 'COPY of an array', 'COPY of a row');
my %images = (
	bloom => [
		'bloom_create(10)',
		'bloom_add_all(bloom_create(10), ARRAY[1, 2, 3])',
		q{bloom_add_all(bloom_create(1000, 0.1, 0), '{a,b}'::text[])},
		'bloom_add(bloom_create(10), ROW(1))',
		'(SELECT bloom_agg(i, 129, 0.5) FROM generate_series(1, 129) i)',
		'bloom_add_all(bloom_create(1, 0.5, 1), ARRAY(SELECT generate_series(1, 160)))',
		'(SELECT bloom_agg(i, 129, 0.5) & bloom_agg(i + 9, 129, 0.5) FROM generate_series(1, 129) i)' ],
	counting_bloom => [
		'counting_bloom_create(10)',
		'counting_bloom_add(counting_bloom_create(1, 0.5), 1)',
		'(SELECT counting_bloom_agg(i % 100, 0.5) FROM generate_series(1, 1600) i)' ],
	cuckoo => [
		'cuckoo_create(10)',
		'cuckoo_add(cuckoo_create(1), 1)',
		'(SELECT cuckoo_agg(i, 20, 0.01) FROM generate_series(1, 20) i)',
		'cuckoo_add_all(cuckoo_create(1, 0.2), ARRAY[1, 1, 1, 1, 1, 1, 1, 1])' ]);
my %types;
my %bytes_of;

for my $name (sort keys %images)
{
	$bytes_of{$name} = [ map { image("$_\::bytea") } @{ $images{$name} } ];
	$types{$name} = prepare_type($name, $bytes_of{$name}[1]);
}

# A matrix has 4096 bytes or more for each block, but for one without columns.
my @matrices = map { image("(SELECT bloom_matrix_agg(n, $_) FROM generate_series(1, 3) n)::bytea") } (
	'NULL',
	'bloom_create(10, 0.5)',
	'bloom_add_all(bloom_create(10 * n, 0.5), ARRAY[n, n + 1, n + 2])',
	'CASE n WHEN 1 THEN (SELECT bloom_agg(i, 500, 0.5) FROM generate_series(1, 200) i)
		WHEN 2 THEN (SELECT bloom_agg(i, 129, 0.5) FROM generate_series(1, 129) i)
		ELSE bloom_create(10) END');
$types{bloom_matrix} = prepare_type('bloom_matrix', $matrices[2]);
$types{bloom_key} = prepare_type('bloom_key', image("bloom_key_send(bloom_key(1))"));

# Once as they are; that loads what the session needs.
for my $name (sort keys %images)
{
	my @accepted = offer("$name as it is", $types{$name}, \@all_ways, {}, @{ $bytes_of{$name} });
	is(scalar @accepted, scalar @{ $bytes_of{$name} }, "$name as it is: let in");
}
is(scalar offer('bloom_matrix as it is', $types{bloom_matrix}, \@all_ways, {}, @matrices),
	scalar @matrices, 'bloom_matrix as it is: let in');
$session->limit_memory($MEGABYTES << 20) if WireSession::can_limit_memory();

# where the fields of header and record begin, and what follows
my @cuts = (0 .. 6, 8, 10, 12, 14, 16, 20, 28, 36, 44, 60, 64, 65, 68, 76, 84, 92, 100, 124, 128, 188, 252);

for my $name (sort keys %images)
{
	my @values;

	for my $image (@{ $bytes_of{$name} })
	{
		push @values, damaged($image, 60 + 64 * unpack 'v', substr $image, 12, 2);
	}
	push @values, splices(4 * $SPLICES, \@cuts, @{ $bytes_of{$name} });
	push @values, splices($SPLICES, \@cuts, map { @{ $bytes_of{$_} } } sort keys %bytes_of);
	offer($name, $types{$name}, \@all_ways, { text => qr/^22P02$/ }, distinct(@values));
}

# Of matrices, all of that for header, ids and records, and for some bytes of the slices; and
# headers that claim much more than there is.
{
	my @fields = (0 .. 6, 8, 10, 12, 16, 20, 28, 32, 60, 68, 84, 84 + 8, 84 + 10, 84 + 12, 84 + 60, 84 + 92,
		208, 332, 456, 508, 508 + 4096);
	my @values = damaged($matrices[0], 60);

	for my $image (@matrices[ 1 .. 3 ])
	{
		my $head = 508;
		my @some = grep { $_ % 229 == 0 } $head .. length($image) - 1;

		push @values, truncations(substr $image, 0, $head), flips($image, $head),
		  set_bytes($image, 0 .. $head + 10, @some),
		  map({ substr $image, 0, $_ } @some, length($image) - 1), "$image\0", $image . $matrices[0];
		for my $columns (0, 1, 2, 4, 64, 65, 1 << 22, 0x7fffffff, 0xffffffff)
		{
			for my $blocks (0, 1, 2, 3, 1 << 17, 1 << 23, 0xffffffff)
			{
				my $claiming = $image;
				substr($claiming, 12, 4) = pack 'V', $columns;
				substr($claiming, 28, 4) = pack 'V', $blocks;
				push @values, $claiming, substr($claiming, 0, 60), substr($claiming, 0, 600);
			}
		}
	}
	push @values, splices($SPLICES / 2, \@fields, @matrices),
	  splices($SPLICES / 10, \@fields, @matrices, map { @{ $bytes_of{$_} } } sort keys %bytes_of);
	offer('bloom_matrix', $types{bloom_matrix}, \@all_ways, { text => qr/^22P02$/ }, distinct(@values));
}

# Offer texts by statements that are prepared: each is refused, or is the value that it
# says, which comes out in the given format and is read by a function.
sub offer_texts
{
	my ($name, $statements, $format, $read, @texts) = @_;
	my @wrong;
	my $naccepted = 0;

	for my $statement (@$statements)
	{
		my @results = $session->execute($statement, [0], [$format], map { [$_] } @texts);

		$offered += @texts;
		for my $i (0 .. $#texts)
		{
			my ($error, $rows) = @{ $results[$i] }{qw(error rows)};

			# what is no text in this encoding the server refuses itself
			if ($error)
			{
				push @wrong, "$error->{C} $error->{M}: $texts[$i]"
				  unless $error->{C} eq '22P02' && defined $error->{D}
				  || $error->{C} eq '22021' && $texts[$i] =~ /[\0\x80-\xff]/;
				next;
			}
			$naccepted++;
			push @wrong, "another value: $texts[$i]" if $rows->[0][0] ne $read->($texts[$i]);
		}
	}
	none_wrong("$name: " . @texts . " texts, which are let in $naccepted times", @wrong);
	return;
}

for my $name (sort keys %images)
{
	my @texts = map { encode_base64($_, '') } @{ $bytes_of{$name} };

	offer_texts(
		$name, [$name], 1,
		\&decode_base64,
		distinct(
			map({ my $text = $_; truncations($text), set_bytes($text, 0 .. length($text) - 1) } @texts),
			splices($SPLICES, [ 0, 4, 16, 80, 84 ], @texts)));
}

{
	my @texts = map { encode_base64($_, '') } @matrices[ 0, 2 ];

	offer_texts(
		'bloom_matrix', ['bloom_matrix'], 1,
		\&decode_base64,
		distinct(
			map({
					my $text = $_;
					my @at = grep { $_ < 120 || $_ % 61 == 0 || $_ > length($text) - 9 } 0 .. length($text) - 1;
					map({ substr $text, 0, $_ } @at), set_bytes($text, @at);
				} @texts),
			splices($SPLICES / 10, [ 0, 4, 16, 80, 84 ], @texts)));
}

#
# Keys
#

my @keys = map { image("bloom_key_send(bloom_key($_))") } '1', q{'a'::text}, 'ARRAY[1, 2]', 'ROW(1, 2)';
my @binary_ways = ('binary parameter', 'COPY', 'COPY of an array', 'COPY of a row');
my %key_sqlstates = map { $_ => qr/^(22P03|08P01)$/ } @binary_ways;    # or its message ends early

offer('bloom_key', $types{bloom_key}, \@binary_ways, \%key_sqlstates,
	distinct(map({ damaged($_, 16) } @keys), splices($SPLICES, [ 0, 8, 12, 14, 16 ], @keys)));

my @texts = map { value("bloom_key($_)::text") } '1', q{'a'::text}, 'ARRAY[1, 2]', 'ROW(1, 2)';

offer_texts(
	'bloom_key', [ 'bloom_key', 'cast bloom_key' ], 0,
	sub { $_[0] },
	distinct(map({ damaged($_, length $_) } @texts), splices($SPLICES, [ 0, 6, 7, 14 ], @texts)));

#
# Filters of other systems
#

run($_) for (
	'CREATE TYPE external_info AS (bits bigint, probes int, bits_set bigint, keys bigint, current_fpp float8)',

	# 'accepted', or 'refused: ' and why, or what is wrong
	q{
	CREATE FUNCTION outcome(f bytea, format text, key anyelement) RETURNS text
	STRICT LANGUAGE plpgsql AS $$
	DECLARE
		image bytea := f || '';
		refusals text[] := '{}';
		reason text;
		g bytea;
		info external_info;
	BEGIN
		BEGIN
			PERFORM external_bloom_contains(f, format, key);
		EXCEPTION WHEN invalid_binary_representation THEN
			GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
			refusals := refusals || reason;
		END;
		BEGIN
			PERFORM external_bloom_contains_all(f, format, ARRAY[key, key]),
				external_bloom_contains_any(f, format, ARRAY[key]);
		EXCEPTION WHEN invalid_binary_representation THEN
			GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
			refusals := refusals || reason;
		END;
		BEGIN
			-- of leveldb it takes long
			IF format <> 'leveldb' OR length(f) % 16 = 0 THEN
				info := external_bloom_info(f, format);
			ELSE
				info := ROW(0, 0, 0, 0, 0)::external_info;
			END IF;
			IF info.bits < 0 OR info.probes < 0 OR info.bits_set < 0 OR info.keys < 0 OR
				info.current_fpp NOT BETWEEN 0 AND 1 THEN
				RETURN 'info ' || info;
			END IF;
		EXCEPTION WHEN invalid_binary_representation THEN
			GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
			refusals := refusals || reason;
		END;
		BEGIN
			g := external_bloom_add(f, format, key);
			IF NOT external_bloom_contains(g, format, key) OR length(g) <> length(f) OR
				external_bloom_add_all(f, format, ARRAY[key]) <> g THEN
				RETURN 'loses a key';
			END IF;
		EXCEPTION
			WHEN program_limit_exceeded THEN		-- full, or never to be changed
			WHEN invalid_binary_representation THEN
				GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
				refusals := refusals || reason;
		END;
		BEGIN
			IF external_bloom_union(f, f, format) <> image THEN
				RETURN 'union with itself';
			END IF;
		EXCEPTION
			WHEN invalid_parameter_value THEN		-- the system has none
			WHEN invalid_binary_representation THEN
				GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
				refusals := refusals || reason;
		END;
		IF format = 'redis' THEN
			BEGIN
				IF (SELECT string_agg(chunk, '' ORDER BY n) FROM external_bloom_chunks(f, format)
					WITH ORDINALITY c (iterator, chunk, n)) <> image THEN
					RETURN 'chunks';
				END IF;
			EXCEPTION WHEN invalid_binary_representation THEN
				GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL;
				refusals := refusals || reason;
			END;
		END IF;
		IF f <> image THEN
			RETURN 'was written to';
		END IF;
		IF array_position(refusals, NULL) IS NOT NULL THEN
			RETURN 'no detail';
		END IF;
		IF cardinality(refusals) NOT IN (0, CASE format WHEN 'redis' THEN 6 ELSE 5 END) OR
			refusals[1] <> ANY (refusals) THEN
			RETURN 'one refuses, another not: ' || refusals::text;
		END IF;
		RETURN CASE WHEN cardinality(refusals) = 0 THEN 'accepted' ELSE 'refused: ' || reason END;
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE || ' ' || SQLERRM;
	END $$},
	q{CREATE TABLE stored (id int, f bytea)},
	q{ALTER TABLE stored ALTER f SET STORAGE external});

# a key of each format, from i
my %key_of = (
	(map { $_ => '(i::text)' } qw(guava guava_chars parquet spark_v1 go redis leveldb)),
	(map { $_ => 'i' } qw(guava_int guava_long parquet_int32 parquet_int64 spark_v2)),
	parquet_float => 'i::real',
	parquet_double => 'i::float8',
	map { $_ => q{(timestamp '2000-01-01' + i * interval '1 ms')} }
	  qw(parquet_timestamp_micros parquet_timestamp_millis));

# BF.RESERVE x 0.1 2 EXPANSION 1, BF.MADD x red green blue white black, of RedisBloom 2.8.20
my $three_links = pack 'H*', join '', qw(
  05000000000000000300000005000000010000000800000000000000400000000000000002000000000000009a9999999999a93f
  4af7d49edef01840050000000200000000000000000800000000000000400000000000000002000000000000009a9999999999993f
  0bd81f7830b61e40060000000200000000000000000800000000000000400000000000000001000000000000009a9999999999893f
  655cb528c13d224007000000020000000000000000200820000220000221a41202005001002000000020000000);

# the blocks of Parquet behind a Thrift header, which tells their length
sub with_thrift_header
{
	my ($blocks) = @_;
	return pack('C2', 0x15, 2 * length $blocks) . "\x1c\x1c\0\0" x 3 . "\0" . $blocks;
}

for my $format (sort keys %key_of)
{
	my $key = $key_of{$format};
	my $parameter = $format eq 'leveldb' ? 10 : 0.01;
	my $agg = sub {
		my ($nkeys) = @_;
		return image("(SELECT external_bloom_agg(CASE WHEN i <= $nkeys THEN $key END, '$format', $parameter)
			FROM generate_series(1, 10000) i)");
	};
	my @images = ($agg->(0), $agg->(1), $agg->(7));

	push @images, with_thrift_header($images[1]) if $format =~ /^parquet/;
	push @images, $three_links if $format eq 'redis';
	$session->prepare("outcome $format",
		"SELECT outcome(\$1, '$format', $key), outcome(f, '$format', $key)
			FROM (VALUES (1)) v (i) LEFT JOIN stored ON id = \$2", 17, 23);

	# in a parameter, and where there is room for it out of line
	my @damaged = distinct(@images, map({ damaged($_, length $_) } @images),
		splices($SPLICES, [ 0 .. 40 ], @images));
	my $large = $agg->(3000);
	my $end = length($large) - 1;
	my @large = distinct($large,
		flips($large, 60),
		set_bytes($large, 0 .. 60, $end - 1, $end),
		map { substr $large, 0, $_ } $end - 2000, $end - 32, $end);
	my $id = 0;
	my @wrong;
	my %count = (accepted => 0, refused => 0);

	run('TRUNCATE stored');
	$session->prepare("store $format", 'INSERT INTO stored VALUES ($1, $2)', 23, 17);
	$session->execute("store $format", [1], [], map { [ pack('N', $id++), $_ ] } @large);

	my @results = $session->execute("outcome $format", [1], [0],
		map({ [ $damaged[$_], undef ] } 0 .. $#damaged),
		map({ [ $large[$_], pack 'N', $_ ] } 0 .. $#large));
	$offered += @damaged + 2 * @large;
	for (@results)
	{
		my $bytes = shift(@damaged) // shift @large;
		my ($plain, $stored) = $_->{error} ? $_->{error}{M} : @{ $_->{rows}[0] };

		push @wrong, "$plain: " . hex_of($bytes) if $plain !~ /^(accepted|refused)/;
		$count{$1}++ if $plain =~ /^(accepted|refused)/;
		push @wrong, "$plain, but stored $stored: " . hex_of($bytes)
		  if defined $stored && $stored ne $plain;
	}
	none_wrong("$format: of filters $count{accepted} are taken, $count{refused} refused, by every function",
		@wrong);

	# any bytes are a filter of LevelDB
	cmp_ok($count{$_}, '>', 0, "$format: some are $_") for $format eq 'leveldb' ? 'accepted' : sort keys %count;
}

#
# All in all
#

SKIP:
{
	skip 'memory can be limited on Linux only, with prlimit', 1 unless WireSession::can_limit_memory();

	my $result = $session->query("SELECT length(repeat('x', 2 * $MEGABYTES * 1024 * 1024))");
	is($result->{error}{C}, '53200', 'the session could not have taken more memory than a little');
}
cmp_ok($offered, '>=', 300000, "$offered malformed values were offered");

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
