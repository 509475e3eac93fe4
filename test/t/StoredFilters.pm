# StoredFilters.pm
#    A database that holds filters of every sort, for the tests that carry such to another
#    server: what is in it, what it answers, and what becomes of it.
#
#    create_filters($node, $database, $nkeys)
#                              the extension, and tables in the schema public; of $nkeys
#                              keys is the largest filter
#    bytes_of($node, $database)
#                              every value of every table, by digests
#    infos_of($node, $database)
#                              what is told about the filters
#    state_of($node, $database)
#                              both
#    answers_of($node, $database)
#                              what they answer about keys present and absent
#    changes_of($node, $database)
#                              what they become with further keys and without some; leaves
#                              the tables as they are
#    definitions_of($node, $database)
#                              constraints, indexes, triggers and the like
#    lost_keys($answers)       how many of the checks for keys that are present were made,
#                              and how many of them found fewer than there are
#
# Of servers that work the same, the results are equal strings.

package StoredFilters;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(create_filters bytes_of infos_of state_of answers_of changes_of definitions_of lost_keys);

# Key number i of each family; FORMAT.md has the list.
my %key_of = (
	boolean => 'i <= 300',
	number => "i * 1000003::bigint",
	numeric => 'i + 0.5',
	float => 'i / 7.0::float8',
	text => q{'Schlüssel ' || i},
	character => 'i::character(12)',
	bytea => q{decode(md5(i::text), 'hex')},
	uuid => 'md5(i::text)::uuid',
	oid => '(4000000000 + i)::oid',
	date => q{date '1990-01-01' + 30 * i},
	timestamp => q{timestamp '1990-01-01' + i * interval '12 days 0.000001 seconds'},
	timestamptz => q{timestamptz '1990-01-01 0:00 UTC' + i * interval '12 days 0.000001 seconds'},
	time => q{time '0:00' + i * interval '1 minute 0.000001 seconds'},
	network => q{inet '10.0.0.0' + 7 * i},
	macaddr => q{lpad(to_hex(i), 12, '0')::macaddr},
	array => 'ARRAY[i, NULL, -i]',
	'array of text' => q{ARRAY[i::text, '']},
	row => 'ROW(i, i::text, NULL::date)',
	range => 'int8range(i, i + 3)',
	'range of dates' => q{daterange(date '1990-01-01' + i, NULL)});

my %of_matrices = (
	tables => q{
	-- many filters as one value: stored out of line, in the row, compressed, and without columns
	CREATE TABLE matrices (name text PRIMARY KEY, external bloom_matrix, compressed bloom_matrix);
	ALTER TABLE matrices ALTER compressed SET STORAGE extended;
	INSERT INTO matrices
	SELECT name, m, m FROM (
		SELECT 'mixed', bloom_matrix_agg(n * 10, CASE n % 4 WHEN 0 THEN f WHEN 1 THEN few
			WHEN 2 THEN bloom_create(10) ELSE f & few_wide END)
		FROM generate_series(-50, 50) n, LATERAL (
			SELECT bloom_agg(n * 1000 + i, 1000, 0.01), bloom_agg(n * 1000 + i) FILTER (WHERE i <= 20),
				bloom_agg(n * 1000 + i, 1000, 0.01) FILTER (WHERE i <= 300)
			FROM generate_series(1, 700) i) s (f, few, few_wide)
		UNION ALL
		SELECT 'lists', bloom_matrix_agg(n, bloom_add(bloom_create(10, 0.5), n))
		FROM generate_series(1, 3) n
		UNION ALL
		SELECT 'empty', bloom_matrix_agg(1, NULL)) s (name, m);
},
	bytes => q{
	SELECT 'matrix', name, octet_length(external::bytea), md5(external::bytea), md5(external::text),
		external = compressed, ARRAY(SELECT bloom_matrix_ids(external))
	FROM matrices ORDER BY name;
},
	infos => q{SELECT 'matrix', name, bloom_matrix_info(external) FROM matrices ORDER BY name},
	answers => q{
	SELECT 'matrix', name, count(*), sum(m.id), bool_and(bloom_matrix_filter(compressed, m.id) @> i)
	FROM matrices, generate_series(-50000, 50000, 130) i, bloom_matrix_search(external, i) m (id)
	GROUP BY name ORDER BY name;
	SELECT 'matrix', name, array_agg(id ORDER BY id), array_agg(id ORDER BY id) = ARRAY(
		SELECT bloom_matrix_search_any(compressed, ARRAY[-9999, 1, 2, 8100]))
	FROM matrices, bloom_matrix_search_any(external, ARRAY[-9999, 1, 2, 8100]) id
	GROUP BY name, compressed ORDER BY name;
});

sub create_filters
{
	my ($node, $database, $nkeys) = @_;

	$node->safe_psql($database, qq{
	CREATE EXTENSION bloomtype;

	-- form of the filter, how its column is stored
	CREATE TABLE filters (
		name text PRIMARY KEY,
		external bloom,
		compressed bloom,
		plain_key bloom_key);
	ALTER TABLE filters ALTER compressed SET STORAGE extended;

	INSERT INTO filters (name, external)
	VALUES ('null', NULL),
		('no key', bloom_create(1000, 0.001, 7)),
		('list', bloom_add_all(bloom_create(1000), ARRAY[1, 2, 3])),
		('full list', (SELECT bloom_agg(i) FROM generate_series(1, 128) i)),
		('smallest layer', (SELECT bloom_agg(i) FROM generate_series(1, 129) i)),
		('one layer', (SELECT bloom_agg(i) FROM generate_series(1, 10000) i)),
		('sparse', bloom_add_all(bloom_create(1000000), ARRAY(SELECT generate_series(1, 200)))),
		('saturated', bloom_add_all(bloom_create(10, 0.5, 0), ARRAY(SELECT generate_series(1, 5000)))),
		('layered', bloom_add_all(bloom_create(1, 0.1), ARRAY(SELECT generate_series(1, 10000)))),
		('many layers', bloom_add_all(bloom_create(1, 0.1, 1), ARRAY(SELECT generate_series(1, 3000)))),
		('big', (SELECT bloom_agg(i, 0.0001) FROM generate_series(1, $nkeys) i)),
		('text', (SELECT bloom_agg(i::text) FROM generate_series(1, 1000) i)),
		('arrays', (SELECT bloom_agg(ARRAY[i, i]) FROM generate_series(1, 1000) i)),
		('rows', (SELECT bloom_agg(ROW(i, i::text)) FROM generate_series(1, 1000) i)),
		('ranges', (SELECT bloom_agg(int8range(i, i + 1)) FROM generate_series(1, 1000) i));
	UPDATE filters SET compressed = external, plain_key = bloom_key(name);

	-- filters from which keys can be deleted; counters at 15, no free place
	CREATE TABLE deletables (
		name text PRIMARY KEY,
		n int,
		counting counting_bloom DEFAULT counting_bloom_add(counting_bloom_create(10), 1),
		cuckoo cuckoo DEFAULT cuckoo_add(cuckoo_create(10), 1),
		counting_compressed counting_bloom,
		cuckoo_compressed cuckoo,
		CHECK (name <> 'default' OR counting \@> 1 AND cuckoo \@> 1));
	ALTER TABLE deletables ALTER counting_compressed SET STORAGE extended,
		ALTER cuckoo_compressed SET STORAGE extended;
	INSERT INTO deletables (name, n) VALUES ('default', 1);
	INSERT INTO deletables (name, n, counting, cuckoo) VALUES
		('null', 0, NULL, NULL),
		('no key', 0, counting_bloom_create(1000, 0.001), cuckoo_create(1000, 0.001)),
		('few', 3, counting_bloom_add_all(counting_bloom_create(1000), ARRAY[1, 2, 3, 3]),
			cuckoo_add_all(cuckoo_create(1000), ARRAY[1, 2, 3, 3])),
		('removed', 3, counting_bloom_remove_all(counting_bloom_add_all(counting_bloom_create(5),
				ARRAY[1, 2, 3, 4, 5]), ARRAY[4, 5]),
			cuckoo_remove_all(cuckoo_add_all(cuckoo_create(5), ARRAY[1, 2, 3, 4, 5]), ARRAY[4, 5])),
		('sparse', 200, (SELECT counting_bloom_agg(i, 100000, 0.01) FROM generate_series(1, 200) i),
			(SELECT cuckoo_agg(i, 100000, 0.01) FROM generate_series(1, 200) i)),
		('saturated', 100, (SELECT counting_bloom_agg(i % 100 + 1) FROM generate_series(1, 3000) i),
			cuckoo_add_all(cuckoo_create(1), ARRAY[1, 2, 3, 4, 5, 6, 7, 8])),
		('many', 100000, (SELECT counting_bloom_agg(i) FROM generate_series(1, 100000) i),
			(SELECT cuckoo_agg(i) FROM generate_series(1, 100000) i)),
		('big', $nkeys / 4, (SELECT counting_bloom_agg(i) FROM generate_series(1, $nkeys / 4) i),
			(SELECT cuckoo_agg(i, 1e-7) FROM generate_series(1, $nkeys / 4) i));
	-- until one finds no place any more
	DO \$\$
	DECLARE
		f cuckoo := cuckoo_create(100, 0.001);
		n int := 0;
	BEGIN
		LOOP
			f := cuckoo_add(f, n + 1);
			n := n + 1;
		END LOOP;
	EXCEPTION WHEN program_limit_exceeded THEN
		INSERT INTO deletables (name, n, counting, cuckoo)
		SELECT 'full', n, counting_bloom_agg(i), f FROM generate_series(1, n) i;
	END \$\$;
	UPDATE deletables SET counting_compressed = counting, cuckoo_compressed = cuckoo;

	CREATE INDEX ON deletables USING hash (counting);
	CREATE INDEX ON deletables USING hash (cuckoo);
	CREATE DOMAIN few_numbers AS cuckoo CHECK (cuckoo_cardinality(VALUE) BETWEEN 1 AND 5);
	CREATE TABLE of_few (f few_numbers, b bloom GENERATED ALWAYS AS (c::bloom) STORED, c counting_bloom);
	INSERT INTO of_few VALUES (cuckoo_add(cuckoo_create(10), 1), DEFAULT,
		counting_bloom_add(counting_bloom_create(10), 1));

	CREATE INDEX ON filters USING hash (external);
	CREATE VIEW found AS
		SELECT external \@> 1 AS one FROM filters WHERE name = 'list';
	CREATE TABLE guarded (
		id int,
		allowed bloom DEFAULT bloom_add(bloom_create(10), 1),
		CHECK (allowed \@> id));
	INSERT INTO guarded VALUES (1);

	-- The OIDs of labels change with a restore.  Hashed as the server does it, by OID, no key
	-- would be found then.
	CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE TABLE labels AS
		SELECT bloom_agg(m) AS b, counting_bloom_agg(m) AS n, cuckoo_agg(m) AS c
		FROM unnest(enum_range(NULL::mood)) m;

	CREATE DOMAIN numbers AS bloom CHECK (bloom_cardinality(VALUE) > 0);
	CREATE TABLE of_domain (f numbers);
	INSERT INTO of_domain VALUES (bloom_add(bloom_create(10), 1));

	-- kept in the row, compressed or not
	CREATE TABLE in_rows (n int, plain bloom, main bloom, counting counting_bloom, cuckoo cuckoo);
	ALTER TABLE in_rows ALTER plain SET STORAGE plain, ALTER main SET STORAGE main,
		ALTER counting SET STORAGE main, ALTER cuckoo SET STORAGE plain;
	INSERT INTO in_rows
	SELECT n, bloom_agg(i, 1000, 0.01), bloom_agg(i, 4000, 0.01), counting_bloom_agg(i, 200, 0.01),
		cuckoo_agg(i)
	FROM unnest('{1,128,129,1000}'::int[]) n, generate_series(1, n) i GROUP BY n;

	-- filters of other systems
	CREATE TABLE external_filters (format text, n int, bytes bytea, PRIMARY KEY (format, n));
	INSERT INTO external_filters
	SELECT format, n, external_bloom_agg(i::text, format, parameter)
	FROM (VALUES ('guava', 0.01), ('guava_chars', 0.01), ('parquet', 0.01), ('spark_v1', 0.02),
			('spark_v2', 0.02), ('redis', 0.01), ('go', 0.1), ('leveldb', 10)) v (format, parameter),
		unnest('{20,20000}'::int[]) n, generate_series(1, n) i
	GROUP BY format, n;
	CREATE TABLE of_numbers AS
	SELECT external_bloom_agg(i, 'guava_int', 0.01) AS ints,
		external_bloom_agg(i::bigint, 'guava_long', 0.01) AS longs
	FROM generate_series(1, 3000) i;

	-- within other values
	CREATE TYPE labelled AS (label text, f bloom, n counting_bloom, c cuckoo);
	CREATE TABLE nested (id int PRIMARY KEY, fs bloom[], ns counting_bloom[], cs cuckoo[],
		ks bloom_key[], one labelled, several labelled[], few few_numbers[]);
	INSERT INTO nested
	SELECT g, array_agg(f ORDER BY n), array_agg(c ORDER BY n), array_agg(u ORDER BY n),
		array_agg(bloom_key(n) ORDER BY n), (array_agg(ROW('one', f, c, u)::labelled ORDER BY n))[2],
		array_agg(ROW(n, f, c, u)::labelled ORDER BY n),
		ARRAY[NULL, cuckoo_add(cuckoo_create(10), g)]
	FROM (SELECT n % 2, n, bloom_agg(i), counting_bloom_agg(i), cuckoo_agg(i)
		  FROM unnest('{1,2,300,401}'::int[]) n, generate_series(1, n) i GROUP BY n) s (g, n, f, c, u)
	GROUP BY g;

	-- in partitions that a hash of them selects, and in such of a range
	CREATE TABLE by_key (key bloom_key PRIMARY KEY, id int) PARTITION BY HASH (key);
	CREATE TABLE by_filter (f bloom, n counting_bloom, c cuckoo, id int) PARTITION BY HASH (f, n, c);
	CREATE TABLE daily (day date PRIMARY KEY, f bloom DEFAULT bloom_create(1000)) PARTITION BY RANGE (day);
	CREATE TABLE daily_before PARTITION OF daily FOR VALUES FROM (MINVALUE) TO ('2024-03-01');
	CREATE TABLE daily_since PARTITION OF daily DEFAULT;
	DO \$\$
	BEGIN
		FOR r IN 0..3 LOOP
			EXECUTE format('CREATE TABLE by_key_%s PARTITION OF by_key
				FOR VALUES WITH (MODULUS 4, REMAINDER %s)', r, r);
			EXECUTE format('CREATE TABLE by_filter_%s PARTITION OF by_filter
				FOR VALUES WITH (MODULUS 4, REMAINDER %s)', r, r);
		END LOOP;
	END \$\$;
	INSERT INTO by_key SELECT bloom_key(i), i FROM generate_series(1, 1000) i;
	INSERT INTO by_filter
	SELECT bloom_add(bloom_create(10), i), counting_bloom_add(counting_bloom_create(10), i),
		cuckoo_add(cuckoo_create(10), i), i
	FROM generate_series(1, 200) i;
	INSERT INTO daily SELECT date '2024-01-31' + i, bloom_agg(k)
	FROM generate_series(1, 40) i, generate_series(1, i * 10) k GROUP BY i;
	INSERT INTO daily VALUES ('2024-12-31', DEFAULT);

	-- keys, and what depends on functions of the extension: generated columns, constraints,
	-- indexes, statistics, views, an aggregate, functions, a trigger, a policy
	CREATE TABLE event (
		id int PRIMARY KEY,
		word text,
		part int GENERATED ALWAYS AS (bloom_partition(id, 16)) STORED,
		key bloom_key GENERATED ALWAYS AS (bloom_key(id)) STORED UNIQUE);
	CREATE INDEX event_word ON event (bloom_key(word));
	CREATE INDEX event_few ON event (id)
		WHERE id <\@ bloom_add_all(bloom_create(10), '{1,2,3}'::int[]);
	CREATE STATISTICS event_statistics ON bloom_key(word), part FROM event;
	INSERT INTO event SELECT i, 'word ' || i % 700 FROM generate_series(1, 3000) i;
	CREATE MATERIALIZED VIEW per_part AS
		SELECT part, bloom_agg(id) AS f, counting_bloom_agg(word) AS n, cuckoo_agg(id) AS c
		FROM event GROUP BY part;
	CREATE UNIQUE INDEX ON per_part (part);
	CREATE VIEW repeated AS
		SELECT part, word FROM event JOIN per_part USING (part)
		WHERE counting_bloom_count(n, word) > 1 AND id <\@ f AND c \@> id;
	CREATE FUNCTION is_event(id int) RETURNS boolean LANGUAGE sql STABLE
		BEGIN ATOMIC SELECT bool_or(f \@> is_event.id) FROM per_part; END;
	CREATE FUNCTION missing_of(VARIADIC ids int[]) RETURNS int[] LANGUAGE plpgsql STABLE AS \$\$
	DECLARE
		f public.bloom;
	BEGIN
		SELECT public.bloom_union_agg(p.f) INTO f FROM public.per_part p;
		RETURN public.bloom_missing(f, ids);
	END \$\$;
	CREATE AGGREGATE united(bloom) (
		SFUNC = bloom_union, STYPE = bloom, COMBINEFUNC = bloom_union, PARALLEL = SAFE);
	CREATE TABLE seen (
		name text PRIMARY KEY,
		f bloom NOT NULL,
		EXCLUDE USING hash (f WITH =));
	CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS \$\$
	BEGIN
		INSERT INTO seen AS s SELECT 'event', bloom_agg(id) FROM added
		ON CONFLICT (name) DO UPDATE SET f = s.f | excluded.f;
		RETURN NULL;
	END \$\$;
	CREATE TRIGGER note_event AFTER INSERT ON event
		REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_event();
	INSERT INTO event SELECT i, 'late' FROM generate_series(3001, 3100) i;
	REFRESH MATERIALIZED VIEW per_part;
	ALTER TABLE event ENABLE ROW LEVEL SECURITY;
	CREATE POLICY known ON event USING (id <\@ (SELECT f FROM seen WHERE name = 'event'));

	-- filters as common values, for statistics
	CREATE TABLE delta (id int, f bloom, c cuckoo, key bloom_key);
	INSERT INTO delta
	SELECT i, bloom_add(bloom_create(10), i % 7), cuckoo_add(cuckoo_create(10), i % 5), bloom_key(i % 9)
	FROM generate_series(1, 500) i;

	CREATE TABLE families (family text PRIMARY KEY, f bloom, n counting_bloom, c cuckoo);
	} . join '', map { qq{
	INSERT INTO families SELECT '$_', bloom_agg(k), counting_bloom_agg(k), cuckoo_agg(k)
	FROM (SELECT $key_of{$_} FROM generate_series(1, 300) i) s (k);} } sort keys %key_of);
	$node->safe_psql($database, $of_matrices{tables});
	return;
}

my $bytes = q{
	SELECT name, octet_length(external::bytea), md5(external::bytea), md5(external::text),
		md5(compressed::bytea), external = compressed, plain_key
	FROM filters ORDER BY name;
	SELECT 'guarded', * FROM guarded;
	SELECT 'found', * FROM found;
	SELECT 'of domain', * FROM of_domain;
	SELECT 'of few', * FROM of_few;
	SELECT name, n, md5(counting::bytea), md5(cuckoo::bytea), md5(counting::text), md5(cuckoo::text),
		counting = counting_compressed, cuckoo = cuckoo_compressed
	FROM deletables ORDER BY name;
	SELECT 'within', id, few, (several[1]).label, cardinality(fs), (one).f = any(fs), ks
	FROM nested ORDER BY id;
	SELECT 'of other systems', format, n, octet_length(bytes), md5(bytes)
	FROM external_filters ORDER BY format, n;
};

# Every row of every table as text, by its digest; the order is that of the text.
sub contents_of
{
	my ($node, $database) = @_;
	my @relations = split /\n/, $node->safe_psql($database, q{
		SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm')
		ORDER BY relname COLLATE "C"});

	return $node->safe_psql($database, join '', map { qq{
		SELECT '$_', count(*), md5(string_agg(digest, '' ORDER BY digest))
		FROM (SELECT md5(t::text) FROM public.$_ t) s (digest);} } @relations);
}

sub bytes_of
{
	my ($node, $database) = @_;
	return join "\n", $node->safe_psql($database, $bytes), $node->safe_psql($database, $of_matrices{bytes}),
	  contents_of($node, $database);
}

my $infos = q{
	SELECT name, bloom_info(external) FROM filters ORDER BY name;
	SELECT name, counting_bloom_info(counting), cuckoo_info(cuckoo) FROM deletables ORDER BY name;
	SELECT 'of other systems', format, n, external_bloom_info(bytes, format)
	FROM external_filters ORDER BY format, n;
};

sub infos_of
{
	my ($node, $database) = @_;
	return join "\n", $node->safe_psql($database, $infos), $node->safe_psql($database, $of_matrices{infos});
}

sub state_of
{
	return join "\n", bytes_of(@_), infos_of(@_);
}

my $answers = q{
	SELECT name, count(*) FILTER (WHERE external @> i), count(*) FILTER (WHERE compressed @> i)
	FROM (SELECT * FROM filters
		  WHERE name NOT IN ('big', 'sparse', 'text', 'arrays', 'rows', 'ranges') OFFSET 0) f,
		generate_series(1, 20000, 11) i
	GROUP BY name ORDER BY name;
	SELECT name, count(*) FROM filters, generate_series(1, 50) i
	WHERE name IN ('big', 'sparse') AND external @> (i * i * 1000) AND compressed @> (i * i * 1000)
	GROUP BY name ORDER BY name;
	SELECT count(*) FROM filters, generate_series(1, 50) i
	WHERE name = 'sparse' AND external @> i AND compressed @> i;
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'text' AND external @> i::text;
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'arrays' AND external @> ARRAY[i, i];
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'rows' AND external @> ROW(i, i::text);
	SELECT count(*) FROM filters, generate_series(1, 2000) i
	WHERE name = 'ranges' AND external @> int8range(i, i + 1);
	SELECT 'labels', count(*) FROM labels, unnest(enum_range(NULL::mood)) m
	WHERE b @> m AND n @> m AND c @> m;
	SELECT name, count(*) FILTER (WHERE counting @> i), count(*) FILTER (WHERE cuckoo @> i),
		sum(coalesce(counting_bloom_count(counting, i), 15)), sum(cuckoo_count(cuckoo, i)),
		count(*) FILTER (WHERE counting_compressed @> i), count(*) FILTER (WHERE cuckoo_compressed @> i),
		count(*) FILTER (WHERE i <= n AND NOT (counting @> i AND cuckoo @> i)) AS lost
	FROM (SELECT * FROM deletables ORDER BY name OFFSET 0) r,
		(SELECT generate_series(1, 200) UNION ALL SELECT generate_series(201, 120000, 311)) s(i)
	WHERE name <> 'saturated' OR i <= 8
	GROUP BY name ORDER BY name;
	SELECT 'in rows', n, count(*) FILTER (WHERE plain @> i), count(*) FILTER (WHERE main @> i),
		count(*) FILTER (WHERE counting @> i), count(*) FILTER (WHERE cuckoo @> i)
	FROM in_rows, generate_series(1, 2000) i GROUP BY n ORDER BY n;
	SELECT 'of other systems', format, n,
		count(*) FILTER (WHERE i <= n AND external_bloom_contains(bytes, format, i::text)),
		count(*) FILTER (WHERE i > n AND external_bloom_contains(bytes, format, i::text))
	FROM external_filters, generate_series(1, 30000, 19) i GROUP BY format, n ORDER BY format, n;
	SELECT 'of numbers', count(*) FILTER (WHERE external_bloom_contains(ints, 'guava_int', i)),
		count(*) FILTER (WHERE external_bloom_contains(longs, 'guava_long', i::bigint))
	FROM of_numbers, generate_series(1, 6000) i;
	SELECT 'nested', id, count(*) FILTER (WHERE fs[2] @> i), count(*) FILTER (WHERE ns[2] @> i),
		count(*) FILTER (WHERE cs[2] @> i), count(*) FILTER (WHERE (one).f @> i),
		count(*) FILTER (WHERE (several[2]).c @> i)
	FROM nested, generate_series(1, 900) i GROUP BY id ORDER BY id;
	SELECT 'by key', count(id), count(*) FROM generate_series(-100, 1000) i
	LEFT JOIN by_key ON key = bloom_key(i);
	SELECT 'by filter', count(*) FROM generate_series(1, 200) i, LATERAL (
		SELECT FROM by_filter WHERE f = bloom_add(bloom_create(10), i)
			AND n = counting_bloom_add(counting_bloom_create(10), i)
			AND c = cuckoo_add(cuckoo_create(10), i)) s;
	SELECT 'partitions', parent, count(*),
		count(*) FILTER (WHERE satisfies_hash_partition(parent, 4, remainder, key))
	FROM (SELECT 'by_key'::regclass, right(tableoid::regclass::text, 1)::int, key FROM by_key)
		s (parent, remainder, key)
	GROUP BY parent;
	SELECT 'partitions', parent, count(*),
		count(*) FILTER (WHERE satisfies_hash_partition(parent, 4, remainder, f, n, c))
	FROM (SELECT 'by_filter'::regclass, right(tableoid::regclass::text, 1)::int, f, n, c FROM by_filter)
		s (parent, remainder, f, n, c)
	GROUP BY parent;
	SELECT 'daily', count(*) FILTER (WHERE f @> 1), count(*) FILTER (WHERE f @> 100),
		count(*) FILTER (WHERE f @> 301), count(*) FROM daily;
	SET enable_seqscan = off;
	SELECT 'event', count(*), count(*) FILTER (WHERE e.key = bloom_key(i)), sum(part)
	FROM generate_series(1, 3500, 7) i JOIN event e ON e.key = bloom_key(i);
	SELECT 'event_word', count(*) FROM event WHERE bloom_key(word) = bloom_key('word 1');
	SELECT 'event_few', count(*) FROM event WHERE id <@ bloom_add_all(bloom_create(10), '{1,2,3}'::int[]);
	SELECT 'excluded', count(*) FROM seen WHERE f = (SELECT bloom_agg(i) FROM generate_series(3001, 3100) i);
	RESET enable_seqscan;
	SELECT 'repeated', count(*), count(DISTINCT word) FROM repeated;
	SELECT 'functions', is_event(1), is_event(-1), missing_of(1, 3000, -1, -2), united(f) = bloom_union_agg(f)
	FROM per_part;
} . join '', map { qq{
	SELECT '$_', count(*) FILTER (WHERE i <= 300 AND f \@> k AND n \@> k AND c \@> k) AS found,
		count(*) FILTER (WHERE f \@> k), count(*) FILTER (WHERE n \@> k), count(*) FILTER (WHERE c \@> k)
	FROM families, (SELECT i, $key_of{$_} FROM generate_series(1, 600) i) s (i, k)
	WHERE family = '$_';} } sort keys %key_of;

sub answers_of
{
	my ($node, $database) = @_;
	return join "\n", $node->safe_psql($database, $answers), $node->safe_psql($database, $of_matrices{answers});
}

sub lost_keys
{
	my ($result) = @_;
	my ($checks, $failed) = (0, 0);

	# of those filters from which keys can be deleted, the last column counts the keys that
	# are lost; of each family, the first one those that are found
	for ($result =~ /^\w[\w ]*(?:\|\d*){6}\|(\d+)$/mg)
	{
		$checks++;
		$failed++ if $_ > 0;
	}
	for my $family (keys %key_of)
	{
		my ($found) = $result =~ /^$family\|(\d+)\|\d+\|\d+\|\d+$/m;
		$checks++;
		$failed++ if ($found // 0) != 300;
	}
	return ($checks, $failed);
}

my $changes = q{
	SELECT name, md5(bloom_add_all(external, ARRAY(SELECT generate_series(1, 30000)))::text),
		bloom_add_all(external, ARRAY(SELECT generate_series(1, 30000)))
			= bloom_add_all(compressed, ARRAY(SELECT generate_series(1, 30000)))
	FROM filters WHERE name IN ('no key', 'list', 'one layer', 'layered', 'saturated') ORDER BY name;
	SELECT 'with more', format, n, md5(external_bloom_add_all(bytes, format, ARRAY['a', 'b', 'c']))
	FROM external_filters WHERE n = 20 AND format <> 'redis' ORDER BY format, n;
	SELECT name, md5(counting_bloom_remove_all(counting, ks)::bytea), md5(cuckoo_remove_all(cuckoo, ks)::bytea),
		md5(counting_bloom_add_all(counting, ks)::bytea), counting_bloom_remove_all(counting, ks) @> 1
	FROM deletables, LATERAL (SELECT ARRAY(SELECT generate_series(1, least(n, 1000)))) s(ks)
	WHERE n > 0 ORDER BY name;
	SELECT name, counting_bloom_remove_all(counting, ks) = counting_bloom_create((counting_bloom_info(counting)).capacity),
		cuckoo_remove_all(cuckoo, ks) = cuckoo_create((cuckoo_info(cuckoo)).capacity)
	FROM deletables, LATERAL (SELECT ARRAY(SELECT generate_series(1, n))) s(ks)
	WHERE name IN ('default', 'removed', 'sparse', 'many') ORDER BY name};

sub changes_of
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, $changes);
}

# Views and policies are counted only: servers differ in how they print a query.  So do they in
# whether NOT NULL is a constraint.
sub definitions_of
{
	my ($node, $database) = @_;
	return $node->safe_psql($database, q{
		SELECT conrelid::regclass AS of_table, conname COLLATE "C", convalidated, pg_get_constraintdef(oid)
		FROM pg_constraint
		WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
		ORDER BY conrelid::regclass::text COLLATE "C", 2;
		SELECT relname COLLATE "C", indisvalid, pg_get_indexdef(indexrelid)
		FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
		WHERE relnamespace = 'public'::regnamespace ORDER BY 1;
		SELECT adrelid::regclass, adnum, pg_get_expr(adbin, adrelid) FROM pg_attrdef
		ORDER BY adrelid::regclass::text COLLATE "C", adnum;
		SELECT relname COLLATE "C", relkind, attname, atttypid::regtype, attstorage, attgenerated
		FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm', 'v') AND attnum > 0
		ORDER BY 1, attnum;
		SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext;
		SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal;
		SELECT p.oid::regprocedure, prokind, provolatile, proparallel FROM pg_proc p
		WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_depend d
			WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND deptype = 'e')
		ORDER BY p.oid::regprocedure::text COLLATE "C";
		SELECT typname COLLATE "C", typtype FROM pg_type t
		WHERE typnamespace = 'public'::regnamespace AND typtype IN ('c', 'd', 'e')
		ORDER BY 1;
		SELECT polrelid::regclass, polname FROM pg_policy;
		SELECT extname, extversion FROM pg_extension WHERE extname = 'bloomtype'});
}

1;
