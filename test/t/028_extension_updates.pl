# Versions of the extension.  Whoever updates it has in the catalogs what a new installation
# has; nothing that was stored or built on it changes; and a library works with all SQL
# versions up to its own, so that packages and databases can be updated one after the other.
#
# The versions are those of the checkout, and a made-up next one, which also shows that a
# script in which something was forgotten is found.  Its server runs in a copy of the
# PostgreSQL installation, where scripts and library can be replaced.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use ExtensionCatalog;
use File::Basename;
use File::Copy;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use WireSession;

my $top = "$FindBin::RealBin/../..";

#
# The installation, and a made-up next version
#

my $here = copy_installation('here');
my $scripts = "$here->{sharedir}/extension";
my $old_library = PostgreSQL::Test::Utils::tempdir('old') . '/' . basename($here->{library});
copy($here->{library}, $old_library) or die "could not copy: $!";

my $node = new_node('main', $here);
$node->init(allows_streaming => 1, extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf(
	'postgresql.conf', q{
jit = off
max_wal_senders = 4
});
$node->start;

# Run SQL as a superuser of a database; returns the output.  Errors end the test.
sub sql
{
	my ($database, @commands) = @_;
	return $node->safe_psql($database, join ";\n", @commands);
}

# The same where an error is expected; returns that.
sub error_of
{
	my ($database, $sql, @options) = @_;
	my ($ret, $stdout, $stderr) = $node->psql($database, $sql, @options);
	return $ret ? $stderr : 'no error';
}

sub create { return "CREATE EXTENSION bloomtype VERSION '$_[0]'" }
sub update_to { return "ALTER EXTENSION bloomtype UPDATE TO '$_[0]'" }

# What the catalogs have after some commands, which are rolled back.
sub catalog_after
{
	my (@commands) = @_;
	return sql('postgres', 'BEGIN', @commands, catalog_query(), 'ROLLBACK');
}

my ($version) = slurp_file("$scripts/bloomtype.control") =~ /^default_version = '(.*)'$/m;
my @versions = split /\n/, sql('postgres',
	q{SELECT version FROM pg_available_extension_versions WHERE name = 'bloomtype' ORDER BY 1});
my @paths = map { [ split /\|/ ] } split /\n/, sql('postgres',
	q{SELECT source, target, path FROM pg_extension_update_paths('bloomtype') WHERE path IS NOT NULL});

# The scripts that make a version, as one: a full one, and updates from there.
sub script_of
{
	my ($target) = @_;
	my ($shortest) = sort { @$a <=> @$b }
	  grep { -f "$scripts/bloomtype--$_->[0].sql" }
	  [$target], map { [ split /--/, $_->[2] ] } grep { $_->[1] eq $target } @paths;
	my @steps = @$shortest;

	return join "\n", map { slurp_file("$scripts/bloomtype--$_.sql") } $steps[0],
	  map { "$steps[$_ - 1]--$steps[$_]" } 1 .. $#steps;
}
my $full = script_of($version);

# What the next version adds and changes: the statements of the update script, and, of those
# that change something, the place in the full script and what a new installation has there.
my @changes = (
	# a function that the library did not have
	[ q{
CREATE FUNCTION bloom_next(a int, b int DEFAULT 1) RETURNS int
AS 'MODULE_PATHNAME', 'bloomtype_next'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 7;
COMMENT ON FUNCTION bloom_next(int, int) IS 'a new function';
REVOKE EXECUTE ON FUNCTION bloom_next(int, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION bloom_next(int, int) TO pg_monitor;
} ],
	[ q{
CREATE FUNCTION bloom_next_union(a bloom, b bloom) RETURNS bloom
AS 'MODULE_PATHNAME', 'bloomtype_bloom_union'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT bloom_contains_support;
CREATE OPERATOR |+| (
	LEFTARG = bloom,
	RIGHTARG = bloom,
	FUNCTION = bloom_next_union,
	COMMUTATOR = |+|
);
CREATE AGGREGATE bloom_next_agg(filter bloom) (
	SFUNC = bloom_next_union,
	STYPE = bloom,
	SSPACE = 8192,
	COMBINEFUNC = bloom_next_union,
	PARALLEL = SAFE
);
} ],
	[ q{
CREATE FUNCTION bloom_next_bits(bloom) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN octet_length($1::bytea) * 8;
CREATE CAST (bloom AS bigint) WITH FUNCTION bloom_next_bits(bloom) AS ASSIGNMENT;
CREATE OPERATOR CLASS bloom_next_ops
FOR TYPE bloom_key USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 bloom_key_hash(bloom_key),
	FUNCTION 2 bloom_key_hash_extended(bloom_key, bigint);
} ],
	[ q{
CREATE TYPE bloom_next_kind AS ENUM ('one', 'two');
CREATE TYPE bloom_next_pair AS (first bloom, second bloom_next_kind);
CREATE TABLE bloom_next_setting (id int PRIMARY KEY, value text DEFAULT 'none');
SELECT pg_catalog.pg_extension_config_dump('bloom_next_setting', 'WHERE id > 0');
CREATE VIEW bloom_next_settings AS SELECT id FROM bloom_next_setting WHERE value <> 'none';
} ],
	# what was there has other properties
	[
		'ALTER FUNCTION bloom_shrink(bloom) COST 50;',
		qr/CREATE FUNCTION bloom_shrink\([^;]*PARALLEL SAFE\K(?=;)/, ' COST 50' ],
	[
		'ALTER TYPE cuckoo SET (STORAGE = extended);',
		qr/CREATE TYPE cuckoo \([^;]*STORAGE = \Kexternal/, 'extended' ],
	[
		'ALTER OPERATOR && (bloom, bloom) SET (JOIN = NONE);',
		qr/CREATE OPERATOR && \([^;]*\K,\s*JOIN = bloom_overlaps_joinsel/, '' ],
	[
		"COMMENT ON TYPE bloom_key IS 'a key';",
		qr/COMMENT ON TYPE bloom_key IS \K'[^']*'/, "'a key'" ],
	# or another definition
	[ q{
CREATE OR REPLACE FUNCTION bloom_key_parse(name) RETURNS bloom_key
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN bloom_key_parse($1::varchar::text);
}, qr/CREATE FUNCTION bloom_key_parse\(name\)[^;]*RETURN \K[^;]*/, 'bloom_key_parse($1::varchar::text)' ],
	[ q{
CREATE OR REPLACE FUNCTION bloom_capacity(bytes bigint, fpp float8 DEFAULT 0.02) RETURNS bigint
AS 'MODULE_PATHNAME', 'bloomtype_bloom_capacity'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
}, qr/CREATE FUNCTION bloom_capacity\(bytes bigint, fpp float8 DEFAULT \K0\.01/, '0.02' ]);
my $update = join '', map { "$_->[0]\n" } @changes;

sub write_script
{
	my ($name, $text) = @_;

	unlink "$scripts/bloomtype--$name.sql";
	append_to_file("$scripts/bloomtype--$name.sql", $text);
}

foreach my $change (@changes)
{
	my ($statements, $place, $text) = @$change;

	if ($place)
	{
		die "no place in the full script for $statements" unless $full =~ s/$place/$text/;
	}
	else
	{
		$full .= $statements;
	}
}

#
# The versions of the checkout
#

# Each script makes one of them.
my %named = map { $_ => 1 } map { basename($_, '.sql') =~ s/^bloomtype--//r =~ /(?:^|--)(.*?)(?=--|$)/g }
  glob "$top/sql/bloomtype--*.sql";
is(join(' ', sort @versions), join(' ', sort keys %named), 'each version can be installed');

my %catalog = map { $_ => catalog_after(create($_)) } @versions;
like($catalog{$version}, qr/^pg_proc .*\n(.*\n){2000}/m, "$version has contents");
foreach my $catalog (qw(aggregate amop amproc cast depend description extension opclass operator
	opfamily proc type))
{
	like($catalog{$version}, qr/^pg_$catalog /m, "rows of pg_$catalog");
}
foreach (@paths)
{
	my ($source, $target) = @$_;

	is(difference($catalog{$target}, catalog_after(create($source), update_to($target))),
		'', "$source to $target, and $target");
}

# From each of them there is a way to the last.
foreach my $source (grep { $_ ne $version } @versions)
{
	ok((grep { $_->[0] eq $source && $_->[1] eq $version } @paths), "from $source to $version");
}

#
# The next version
#

# Its library has a function more.  Objects that are there are not compiled again.
my $build = PostgreSQL::Test::Utils::tempdir('build');
system_or_bail('cp', '-Rp', map({ "$top/$_" } qw(Makefile META.json bloomtype.control sql src test)), $build);
append_to_file(
	"$build/src/types/next.c", q{
#include "postgres.h"

#include "fmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_next);

Datum
bloomtype_next(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(PG_GETARG_INT32(0) + PG_GETARG_INT32(1));
}
});
my $makefile = slurp_file("$build/Makefile");
$makefile =~ s{^OBJS = \\\n}{OBJS = src/types/next.o \\\n}m or die 'no OBJS in the Makefile';
unlink "$build/Makefile", "$build/src/types/module.o";
append_to_file("$build/Makefile", $makefile);
command_ok(
	[
		'make', '-s', '-C', $build, 'all', 'with_llvm=no', 'RELEASE=next',
		'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config')
	],
	'the next library is built');
my $new_library = "$build/" . basename($here->{library});

install_library($here, $new_library);
write_script('next', $full);
write_script("$version--next", $update);
$catalog{next} = catalog_after(create('next'));

is(difference($catalog{next}, catalog_after(create($version), update_to('next'))),
	'', "$version to next, and next");
foreach my $source (grep { $_ ne $version } @versions)
{
	is(difference($catalog{next}, catalog_after(create($source), update_to('next'))),
		'', "$source to next, and next");
}
cmp_ok(scalar(() = difference($catalog{$version}, $catalog{next}) =~ /^[-+]/mg),
	'>', 200, 'which is another version');

# Whatever is forgotten in an update script, or not the same, is found: a line of the
# difference.
foreach my $case (
	[ 'a comment', qr/COMMENT ON FUNCTION bloom_next\(.*/, '',
		qr/^- pg_description function S\.bloom_next\(/ ],
	[ 'parallel safety', qr/SAFE(?= COST 7)/, 'RESTRICTED', qr/: proparallel = s$/ ],
	[ 'volatility', qr/IMMUTABLE(?= STRICT PARALLEL SAFE COST 7)/, 'STABLE', qr/: provolatile = i$/ ],
	[ 'strictness', qr/ STRICT(?= PARALLEL SAFE COST 7)/, '', qr/: proisstrict = true$/ ],
	[ 'cost', qr/COST 50/, 'COST 51', qr/bloom_shrink\(S\.bloom\): procost = 50$/ ],
	[ 'support', qr/ SUPPORT bloom_contains_support/, '',
		qr/bloom_next_union.*: prosupport = function S\.bloom_contains_support/ ],
	[ 'an argument\'s name', qr/bloom_next\(a int/, 'bloom_next(c int', qr/: proargnames = \{a,b\}$/ ],
	[ 'a default', qr/b int DEFAULT 1/, 'b int', qr/: proargdefaults = 1$/ ],
	[ 'another default', qr/DEFAULT 0\.02/, 'DEFAULT 0.01', qr/bloom_capacity.*: proargdefaults = 0\.02$/ ],
	[ 'a symbol', qr/'bloomtype_next'/, "'bloomtype_cardinality'", qr/: prosrc = bloomtype_next$/ ],
	[ 'a replaced body', qr/CREATE OR REPLACE FUNCTION bloom_key_parse[^;]*;/, '',
		qr/bloom_key_parse\(.*: prosqlbody = .*character varying/ ],
	[ 'REVOKE', qr/REVOKE .*/, '', qr/function S\.bloom_next\(.*: proacl = / ],
	[ 'GRANT', qr/GRANT .*/, '', qr/function S\.bloom_next\(.*: proacl = .*pg_monitor/ ],
	[ 'a commutator', qr/,\s*COMMUTATOR = \|\+\|/, '', qr/: oprcom = operator S\.\|\+\|/ ],
	[ 'an estimator', qr/ALTER OPERATOR &&.*/, '', qr/S\.&&\(.*: oprjoin = 0$/ ],
	[ 'COMBINEFUNC', qr/COMBINEFUNC = \w+,/, '', qr/: aggcombinefn = function S\.bloom_next_union/ ],
	[ 'SSPACE', qr/SSPACE = \w+,/, '', qr/: aggtransspace = 8192$/ ],
	[ 'storage', qr/ALTER TYPE cuckoo.*/, '', qr/type S\.cuckoo: typstorage = x$/ ],
	[ 'a label', qr/, 'two'/, '', qr/^- pg_enum .*two/ ],
	[ 'an attribute', qr/second bloom_next_kind/, 'other bloom_next_kind', qr/^- pg_attribute .*second/ ],
	[ 'a view', qr/WHERE value <> 'none'/, '', qr/^- pg_rewrite .*ev_action = .*WHERE/ ],
	[ 'the default of a column', qr/ DEFAULT 'none'/, '', qr/^- pg_attrdef .*: adbin = 'none'/ ],
	[ 'the context of a cast', qr/ AS ASSIGNMENT/, '', qr/: castcontext = a$/ ],
	[ 'a support function', qr/,\s*FUNCTION 2 .*(?=;)/, '', qr/^- pg_amproc .*bloom_next_ops/ ],
	[ 'what is to be dumped', qr/SELECT pg_catalog\.pg_extension_config_dump.*/, '',
		qr/extconfig = table S\.bloom_next_setting$/ ],
	[ 'a function', qr/CREATE CAST.*/, 'DROP FUNCTION bloom_next_bits(bloom);', qr/^- pg_cast / ],
	[ 'a member', qr/\z/, 'ALTER EXTENSION bloomtype DROP OPERATOR |+| (bloom, bloom);',
		qr/^- pg_depend .*operator S\.\|\+\|.*refclassid.*extension bloomtype/ ],
	[ 'what is no longer there', qr/\z/, 'CREATE FUNCTION bloom_left() RETURNS int LANGUAGE sql RETURN 1;',
		qr/^\+ pg_proc function S\.bloom_left/ ],
	[ 'a dependency', qr/\z/, 'ALTER FUNCTION bloom_next(int, int) DEPENDS ON EXTENSION plpgsql;',
		qr/^\+ pg_depend .*refobjid extension plpgsql .*deptype x$/ ])
{
	my ($name, $place, $text, $line) = @$case;
	my $wrong = $update;

	die "no place for $name" unless $wrong =~ s/$place/$text/;
	write_script("$version--next", $wrong);
	my $difference = difference($catalog{next}, catalog_after(create($version), update_to('next')));
	ok((grep { /$line/ } split /\n/, $difference), "found: $name") or diag($difference);
}
write_script("$version--next", $update);


#
# Data, and what is built on the extension: the same after an update, whatever the versions of
# SQL and library.  (After an upgrade of TimescaleDB, rows were not found any more: its 8761.)
#

my $objects = q{
	CREATE TABLE filters AS
		SELECT n, bloom_agg(i) AS b, counting_bloom_agg(i) AS c, cuckoo_agg(i) AS k,
			external_bloom_agg(i::text, 'go', 0.01) AS x, bloom_key(n) AS key
		FROM (VALUES (3), (200), (20000)) v(n), generate_series(1, n) i GROUP BY n;
	CREATE INDEX ON filters USING hash (b);
	CREATE INDEX ON filters USING hash (c);
	CREATE INDEX ON filters USING hash (k);
	CREATE UNIQUE INDEX ON filters (key);

	CREATE DOMAIN numbers AS cuckoo CHECK (VALUE IS NULL OR cuckoo_cardinality(VALUE) > 0);
	CREATE TABLE keys (
		id int,
		word name DEFAULT 'number:0123456789abcdef',
		part int GENERATED ALWAYS AS (bloom_partition(id, 4)) STORED,
		first bloom DEFAULT bloom_add(bloom_create(10), 1),
		second numbers DEFAULT cuckoo_add(cuckoo_create(10), 1),
		CHECK (first @> 1));
	INSERT INTO keys SELECT generate_series(1, 20000);
	CREATE INDEX ON keys (bloom_key(id));
	ANALYZE;

	CREATE FUNCTION united() RETURNS bloom
	RETURN (SELECT bloom_union_agg(bloom_shrink(b)) FROM filters);
	CREATE VIEW asked AS
		SELECT n, b @> 7 AS bloom, c @> 7 AS counting, 7 <@ k AS cuckoo, b && united() AS overlaps,
			external_bloom_contains(x, 'go', '7'::text) AS external, bloom_capacity(n * 100, 0.01) AS capacity,
			(bloom_info(b)).current_fpp, word::bloom_key AS parsed
		FROM filters JOIN keys ON id = n;
	CREATE MATERIALIZED VIEW summary AS SELECT united() AS f, count(*) FROM asked;

	-- every function and aggregate that SQL can call, with sample arguments, and every operator
	-- with its estimators; the result, or an error
	CREATE FUNCTION sample(type oid, function name, result oid) RETURNS text LANGUAGE sql AS $$
		SELECT CASE WHEN function NOT LIKE 'external%' THEN CASE typname
			WHEN 'bloom' THEN 'bloom_add(bloom_create(10), 7)'
			WHEN 'counting_bloom' THEN 'counting_bloom_add(counting_bloom_create(10), 7)'
			WHEN 'cuckoo' THEN 'cuckoo_add(cuckoo_create(10), 7)'
			WHEN 'bloom_key' THEN 'bloom_key(7)'
			WHEN 'bloom_matrix' THEN
				'(SELECT bloom_matrix_agg(7, bloom_add(bloom_create(10), 7)))'
			WHEN 'bytea' THEN format('%s_send(%s)', result::regtype, sample(result, function, result))
			WHEN 'cstring' THEN format('%s_out(%s)', result::regtype, sample(result, function, result))
			WHEN 'anycompatiblearray' THEN 'ARRAY[7, 8]'
			WHEN 'float8' THEN '0.5'
			WHEN 'int8' THEN '7::bigint'
			WHEN 'unknown' THEN '''7'''
			WHEN 'text' THEN '''number:0123456789abcdef''::text'
			WHEN 'name' THEN '''number:0123456789abcdef''::name'
			WHEN 'bpchar' THEN '''number:0123456789abcdef''::bpchar'
			ELSE '7' END
		ELSE CASE typname
			WHEN 'bytea' THEN format('(SELECT external_bloom_agg(''7''::text, %L, 0.01))', format)
			WHEN 'anycompatible' THEN '''7''::text'
			WHEN 'anycompatiblearray' THEN '''{7,8}''::text[]'
			WHEN 'text' THEN quote_literal(format)
			WHEN 'float8' THEN '0.5'
			WHEN 'int8' THEN '7::bigint'
			ELSE '7' END END
		FROM pg_type, LATERAL (
			SELECT CASE WHEN function LIKE '%chunks' THEN 'redis' ELSE 'go' END) f(format)
		WHERE oid = type
	$$;
	CREATE FUNCTION result_of(expression text, OUT result text) LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format('SELECT (%s)::text', expression) INTO result;
	EXCEPTION WHEN OTHERS THEN
		result := concat_ws(' ', 'error', SQLSTATE, SQLERRM);
	END $$;
	CREATE VIEW calls AS
		SELECT p.oid::regprocedure::text AS called,
			result_of(format('%s(%s)', proname, arguments)) AS result
		FROM pg_depend JOIN pg_proc p ON p.oid = objid, LATERAL (
			-- a capacity comes before a probability, and is a whole number
			SELECT string_agg(CASE WHEN type = 'float8'::regtype AND proargtypes[i] = 'float8'::regtype
				THEN '7::float8' ELSE sample(type, proname, prorettype) END, ', ' ORDER BY i)
			FROM unnest(proargtypes) WITH ORDINALITY u(type, i)) s(arguments)
		WHERE classid = 'pg_proc'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')
			AND 'internal'::regtype <> ALL (proargtypes)
			-- each library has its own answer
			AND proname <> 'bloomtype_version'
		UNION ALL
		SELECT o.oid::regoperator::text, result_of(format(
			'SELECT count(*) FROM (SELECT %s AS l, %s AS r OFFSET 0) s WHERE (l %s r) IS NOT NULL AND %s',
			sample(oprleft, oprname, oprresult), sample(oprright, oprname, oprresult), oprname,
			CASE WHEN oprresult = 'bool'::regtype THEN format('l %s r', oprname) ELSE 'true' END))
		FROM pg_depend JOIN pg_operator o ON o.oid = objid
		WHERE classid = 'pg_operator'::regclass AND deptype = 'e'
			AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype');
};
my $calls = 'SELECT * FROM calls ORDER BY called COLLATE "C"';
my $answers = qq{
	SELECT n, md5(b::text), md5(c::text), md5(k::text), md5(x), key FROM filters ORDER BY n;
	SELECT count(*), sum(part), count(DISTINCT bloom_key(id)), min(first::text), min(second::text) FROM keys;
	SELECT * FROM asked ORDER BY n;
	SELECT md5(united()::text), md5(f::text), count FROM summary;
	SELECT n, count(*) FROM filters, keys WHERE b @> id AND c @> id AND id <@ k GROUP BY n ORDER BY n;
	SELECT count(*) FROM keys WHERE bloom_key(id) = bloom_key(77);
	SELECT count(*) FROM filters WHERE b = (SELECT bloom_agg(id) FROM keys WHERE id <= 200);
	SELECT count(*) FROM filters f JOIN filters g USING (b) JOIN filters h ON h.key = f.key;
	$calls};

# By their OIDs, objects are known to rules, to expressions and to the plans of other sessions.
my $oids = q{SELECT pg_describe_object(classid, objid, 0), objid FROM pg_depend
	WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')};
# An error if the library lacks a function.
my $symbols = q{SELECT fmgr_c_validator(p.oid)
	FROM pg_depend JOIN pg_proc p ON p.oid = objid JOIN pg_language l ON l.oid = prolang
	WHERE lanname = 'c' AND classid = 'pg_proc'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype')};
my $installed = q{SELECT extversion FROM pg_extension WHERE extname = 'bloomtype'};

sub dump_of
{
	my ($database) = @_;
	my ($dump) = run_command(
		[ $node->installed_command('pg_dump'), '--no-sync', '-d', $node->connstr($database) ]);

	# recent servers protect the script with a random word
	return $dump =~ s/^\\(un)?restrict .*\n//mgr;
}

my $ndatabases = 0;

# A database with a version of the extension, and things built on it.
sub database_with
{
	my ($source) = @_;
	my $database = 'data' . ++$ndatabases;

	sql('postgres', "CREATE DATABASE $database");
	sql($database, create($source), $objects);
	return $database;
}

# Update where there is data: nothing changes but the extension.
sub updated_ok
{
	my ($database, $target, $name) = @_;
	my ($answers_before, $oids_before, $dump_before) =
	  (sql($database, $answers), sql($database, $oids), dump_of($database));

	sql($database, update_to($target));
	is(sql($database, $installed), $target, "$name: installed");
	is(difference($catalog{$target}, sql($database, catalog_query())), '', "$name: as a new installation");
	unlike(difference($answers_before, sql($database, $answers)), qr/^-/m, "$name: same answers");
	unlike(difference($oids_before, sql($database, $oids)), qr/^-/m, "$name: same objects");
	unlike(difference($dump_before, dump_of($database)), qr/^-/m, "$name: same dump");
	sql($database, "REINDEX DATABASE $database");
	sql($database, 'REFRESH MATERIALIZED VIEW summary');
	unlike(difference($answers_before, sql($database, $answers)),
		qr/^-/m, "$name: same answers of new indexes");
}

# Every version of the checkout works with the library of today.
install_library($here, $old_library);
foreach my $source (@versions)
{
	my $database = database_with($source);
	my $results = sql($database, $calls);
	my $outputs = PostgreSQL::Test::Utils::tempdir('regress');

	cmp_ok(scalar(() = $results =~ /\n/g), '>', 130, "$source: functions and operators are called");
	is(join("\n", grep { /\|error / } split /\n/, $results), '', "$source: without errors");
	is(error_of($database, $symbols), 'no error', "$source: the library has every symbol");

	symlink("$top/expected", "$outputs/expected") or die "could not link: $!";
	$node->command_ok(
		[
			$ENV{PG_REGRESS}, '--bindir=', '--use-existing', "--dbname=$database",
			"--inputdir=$top/test", "--outputdir=$outputs", '--host=' . $node->host,
			'--port=' . $node->port, 'golden', 'corpus'
		],
		"$source: the bytes of today");
}
foreach (@paths)
{
	my ($source, $target) = @$_;
	updated_ok(database_with($source), $target, "$source to $target");
}

#
# Libraries and SQL of different versions.  What does not fit is refused in words, as PostgreSQL
# does it for pgvector (its 302 and 676), and leaves everything as it was.
#

# The answers of a session, as those of sql().
sub answers_of
{
	my ($session) = @_;
	my @rows;

	foreach my $query (split /;\n/, $answers)
	{
		my $result = $session->query($query);

		die "$query: $result->{error}{M}" if $result->{error};
		push @rows, map { join '|', map { $_ // '' } @$_ } @{ $result->{rows} };
	}
	return join "\n", @rows;
}

sub error_in
{
	my ($session, $sql) = @_;
	my $result = $session->query($sql);
	return $result->{error} ? "$result->{error}{C} $result->{error}{M}" : 'no error';
}

my $no_function = qr/could not find function "bloomtype_next" in file/;
my $database = database_with($version);
my $before = sql($database, $answers);
my $oids_before = sql($database, $oids);
my $dump_before = dump_of($database);
my $old_session = WireSession->connect($node, $database);
is(answers_of($old_session), $before, 'a session, which has the old library from now on');
is(error_in($old_session, "PREPARE asked AS $calls"), 'no error', 'and a plan');

# The SQL of the next version, where the library is old: a package that was installed in part.
like(error_of('postgres', create('next')), $no_function, 'old library, new SQL: nothing is installed');
like(error_of($database, update_to('next')), $no_function, 'nor updated');
is(sql($database, $installed), $version, 'what was installed still is');
is(difference($catalog{$version}, sql($database, catalog_query())), '', 'unchanged');

# The new library, and the old SQL.
install_library($here, $new_library);
is(difference($before, sql($database, $answers)), '', 'new library, old SQL: same answers');
is(difference($catalog{$version}, catalog_after(create($version))), '', 'which can be installed');
is(answers_of($old_session), $before, 'a session goes on with the old library');
like(error_in($old_session, update_to('next')), qr/^42883 $no_function/, 'with which it cannot update');
is(answers_of($old_session), $before, 'that has done no harm');

# In parallel workers, a session with the old library has the new one.
my $parallel = q{
	SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	ALTER TABLE keys SET (parallel_workers = 2)};
my $aggregates = q{SELECT md5(bloom_agg(id)::text), md5(counting_bloom_agg(id, 100000, 0.01)::text),
	md5(cuckoo_agg(id)::text), md5(external_bloom_agg(id::text, 'go', 0.01)) FROM keys};
my $expected = sql($database, $aggregates);
is(error_in($old_session, $parallel), 'no error', 'a session with parallel plans');
like(
	join("\n", map { $_->[0] } @{ $old_session->query("EXPLAIN (ANALYZE) $aggregates")->{rows} }),
	qr/Workers Launched: [12]/, 'has workers');
is(join('|', @{ $old_session->query($aggregates)->{rows}[0] }), $expected,
	'aggregates of an old library and a new one');

# An update that is rolled back, and one that fails at its end.
is( difference(
		$catalog{$version},
		sql($database, 'BEGIN', update_to('next'), 'SELECT bloom_next(1)', 'ROLLBACK', catalog_query()) =~ s/^2\n//r),
	'', 'rolled back');
write_script("$version--next", "$update SELECT 1 / 0;");
like(error_of($database, update_to('next')), qr/division by zero/, 'failed');
write_script("$version--next", $update);
is(difference($catalog{$version}, sql($database, catalog_query())), '', 'unchanged');
is(difference($oids_before, sql($database, $oids)), '', 'the same objects');
is(difference($before, sql($database, $answers)), '', 'same answers');

# The update itself.  A default is not stored in a view: where that of a function changes, so
# does what the view gives.
sql($database, 'CREATE VIEW by_default AS SELECT bloom_capacity(1000), bloom_capacity(1000, 0.01) AS explicit');
is(sql($database, 'SELECT bloom_capacity = explicit FROM by_default'), 't', 'a view with a default');
updated_ok($database, 'next', "$version to next");
is(sql($database, 'SELECT bloom_capacity > explicit FROM by_default'), 't', 'has the new one');
is(sql($database, 'SELECT bloom_next(1, 2), pg_typeof(bloom_next_agg(b)) FROM filters'), '3|bloom',
	'what is new works');
like(error_of($database, update_to($version)), qr/has no update path from version "next" to version "\Q$version\E"/,
	'there is no way back');

# In a session with the old library what is old works, also through a plan.
unlike(difference($before, answers_of($old_session)), qr/^-/m, 'new SQL, a session with the old library');
like(error_in($old_session, 'SELECT bloom_next(1)'), qr/^42883 $no_function/, 'which lacks what is new');
is(error_in($old_session, 'EXECUTE asked'), 'no error', 'a plan made before');
is( WireSession->connect($node, $database)->query('SELECT bloom_next(1)')->{rows}[0][0],
	2, 'another session has it');

# A server with a new database and an older package
install_library($here, $old_library);
unlike(difference($before, sql($database, $answers)), qr/^-/m, 'new SQL, old library: same answers');
like(error_of($database, 'SELECT bloom_next(1)'), $no_function, 'but for what is new');
like(error_of($database, $symbols), $no_function, 'a symbol that is missing is found');
install_library($here, $new_library);
is(sql($database, 'SELECT bloom_next(1)'), '2', 'with the right one again');

is(sql($database, 'SELECT bloomtype_version()'), 'next', 'the version of the library');

# As of 18, the server tells it, too.
SKIP:
{
	skip 'PostgreSQL tells it as of 18', 1 if $node->pg_version < 18;
	is( sql($database, 'SELECT bloom_next(1)',
			q{SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'bloomtype'}),
		"2\nnext", 'the server tells it, too');
}

#
# Dump and restore: the version of the new server
#

my $control = slurp_file("$scripts/bloomtype.control") =~ s/^default_version = .*/default_version = 'next'/mr;
unlink "$scripts/bloomtype.control";
append_to_file("$scripts/bloomtype.control", $control);
sql('postgres', 'CREATE DATABASE restored');
{
	my $file = $node->basedir . '/dump.sql';

	append_to_file($file, $dump_before);
	$node->command_ok(
		[
			$node->installed_command('psql'), '-X', '-q', '-v', 'ON_ERROR_STOP=1',
			'-d', $node->connstr('restored'), '-f', $file ],
		"a dump of $version is restored");
}
is(sql('restored', $installed), 'next', 'the version is the default of the server');
is(difference($catalog{next}, sql('restored', catalog_query())), '', 'as a new installation');
unlike(difference($before, sql('restored', $answers)), qr/^-/m, 'same answers');

#
# DROP EXTENSION after an update leaves nothing
#

my $rows = q{
	SELECT relname, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass),
		false, true, '')))[1]
	FROM pg_class c
	WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared
		AND relname NOT LIKE 'pg_statistic%'
	ORDER BY 1};
sql('postgres', 'CREATE DATABASE emptied');
my $rows_before = sql('emptied', $rows);
sql('emptied', create($version), update_to('next'));
isnt(sql('emptied', $rows), $rows_before, 'rows in the catalogs');
sql('emptied', 'DROP EXTENSION bloomtype');
is(difference($rows_before, sql('emptied', $rows)), '', 'dropped, it leaves none');
sql($database, 'DROP EXTENSION bloomtype CASCADE');
is(sql($database, q{SELECT count(*) FROM pg_proc WHERE probin LIKE '%bloomtype%'}), '0', 'with all that uses it');

#
# The owner of the database, who is no superuser
#

sql('postgres', q{CREATE ROLE owner LOGIN; CREATE ROLE guest LOGIN; CREATE DATABASE owned OWNER owner});
my @owner = (extra_params => [ '-U', 'owner' ]);
$node->safe_psql('owned', create($version), @owner);
like(error_of('owned', update_to('next'), extra_params => [ '-U', 'guest' ]),
	qr/must be owner of extension bloomtype/, 'a guest cannot update');
$node->safe_psql('owned', update_to('next'), @owner);
is(sql('owned', $installed, q{SELECT DISTINCT proowner FROM pg_proc WHERE probin LIKE '%bloomtype'}),
	"next\n10", 'the owner can; what is new is not his');
my $owned = sql('owned', catalog_query());
$node->safe_psql('owned', 'DROP EXTENSION bloomtype; ' . create('next'), @owner);
is(difference(sql('owned', catalog_query()), $owned), '', 'as a new installation of his');

#
# A standby whose package is older
#

$database = database_with($version);
$before = sql($database, $answers);
my $there = copy_installation('there');
my $standby = new_node('standby', $there);
$node->backup('backup');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
my $standby_session = WireSession->connect($standby, $database);
unlike(difference($before, answers_of($standby_session)), qr/^[-+]/m, 'a standby');

sql($database, update_to('next'));
$node->wait_for_catchup($standby, 'replay');
is($standby->safe_psql($database, $installed), 'next', 'has the new SQL, with the old library');
unlike(difference($before, $standby->safe_psql($database, $answers)), qr/^-/m, 'same answers');
unlike(difference($before, answers_of($standby_session)), qr/^-/m, 'also in a session that was there');
{
	my (undef, undef, $stderr) = $standby->psql($database, 'SELECT bloom_next(1)');
	like($stderr, $no_function, 'but for what is new');
}
install_library($there, $new_library);
is($standby->safe_psql($database, 'SELECT bloom_next(1)'), '2', 'until its package is updated');
like(error_in($standby_session, 'SELECT bloom_next(1)'), $no_function, 'and sessions connect again');
is(WireSession->connect($standby, $database)->query('SELECT bloom_next(1)')->{rows}[0][0], 2, 'as this one');

$standby->stop;

#
# pg_upgrade keeps the version of the SQL, and tells what to update.
#

my $in_data1 = sql('data1', $answers);
my $upgraded = new_node('upgraded', $here);

sql('postgres', map { "DROP DATABASE $_" } 'restored', 'emptied', 'owned', $database);
$node->stop;
$upgraded->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$upgraded->append_conf('postgresql.conf', 'jit = off');
chdir PostgreSQL::Test::Utils::tempdir('upgrade') or die "could not change the folder: $!";
$upgraded->command_ok(
	[
		$upgraded->installed_command('pg_upgrade'), '--no-sync',
		'-b', $here->{bindir}, '-B', $here->{bindir},
		'-d', $node->data_dir, '-D', $upgraded->data_dir,
		'-s', $node->host, '-p', $node->port, '-P', $upgraded->port
	],
	'pg_upgrade');
like(slurp_file('update_extensions.sql'), qr/^ALTER EXTENSION "bloomtype" UPDATE;$/m, 'what to update');
chdir $top;
$upgraded->start;
is($upgraded->safe_psql('data1', $installed), $versions[0], 'the version that was there');
is(difference($catalog{$versions[0]}, $upgraded->safe_psql('data1', catalog_query())), '', 'unchanged');
is(difference($in_data1, $upgraded->safe_psql('data1', $answers)), '', 'which works');
$upgraded->safe_psql('data1', update_to('next'));
is(difference($catalog{next}, $upgraded->safe_psql('data1', catalog_query())), '', 'updated');
unlike(difference($in_data1, $upgraded->safe_psql('data1', $answers)), qr/^-/m, 'same answers');
is( $upgraded->safe_psql(
		'data1', q{
		SELECT n, n = ANY (ARRAY(SELECT bloom_matrix_search(m, n))), bloom_matrix_filter(m, n) = b
		FROM filters, (SELECT bloom_matrix_agg(n, b) AS m FROM filters WHERE n <= 200) s
		WHERE n <= 200 ORDER BY n}),
	"3|t|f\n200|t|t",
	'filters that were stored before make a matrix');
$upgraded->stop;

foreach my $server ($node, $standby, $upgraded)
{
	unlike(slurp_file($server->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');
}
done_testing();
