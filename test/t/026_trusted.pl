# A trusted extension: who owns a database but is no superuser installs it, in any schema,
# and whatever others have put there before, nothing of theirs gets into it or is called
# by it.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
$node->safe_psql(
	'postgres', q{
	CREATE ROLE owner LOGIN;
	CREATE ROLE hostile LOGIN;
	CREATE DATABASE clean OWNER owner;
	CREATE DATABASE owned OWNER owner});

# Run SQL as a user; returns the output.  Errors end the test.
sub as
{
	my ($user, $database, $sql) = @_;
	return $node->safe_psql($database, $sql, extra_params => [ '-U', $user ]);
}

# The same where an error is expected; returns that.
sub error_as
{
	my ($user, $database, $sql) = @_;
	my ($ret, $stdout, $stderr) =
	  $node->psql($database, $sql, extra_params => [ '-U', $user ]);
	return $ret ? $stderr : 'no error';
}

my $members = q{(SELECT classid, objid FROM pg_depend
	WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
		AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomtype'))};

# What the extension consists of, with S for its schema: functions as they are defined, the
# other rows that say of its objects what they refer to, comments, and all dependencies.
sub contents
{
	my ($database) = @_;

	return $node->safe_psql(
		$database, q{
		SET search_path = '';
		WITH RECURSIVE part(classid, objid) AS (
			SELECT tableoid, oid FROM pg_extension WHERE extname = 'bloomtype'
			UNION
			SELECT d.classid, d.objid
			FROM part p JOIN pg_depend d ON (refclassid, refobjid) = (p.classid, p.objid)
			WHERE deptype = 'e' OR deptype IN ('i', 'a') AND refclassid <> 'pg_extension'::regclass),
		line(line) AS (
			SELECT CASE WHEN prokind = 'f' THEN pg_get_functiondef(objid)
				ELSE format('%s %s %s %s', objid::regprocedure, prokind, proparallel, provolatile) END
			FROM part JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass
			UNION ALL
			SELECT format('%s: %s, %s, %s, %s, %s, %s', objid::regoperator, oprcode, oprrest, oprjoin,
				oprcom::regoperator, oprnegate::regoperator, oprresult::regtype)
			FROM part JOIN pg_operator o ON o.oid = objid WHERE classid = 'pg_operator'::regclass
			UNION ALL
			SELECT format('%s: %s, %s, %s, %s, %s, %s, %s', aggfnoid::regprocedure, aggtransfn, aggfinalfn,
				aggcombinefn, aggserialfn, aggdeserialfn, aggtranstype::regtype, aggtransspace)
			FROM part JOIN pg_aggregate ON aggfnoid = objid WHERE classid = 'pg_proc'::regclass
			UNION ALL
			SELECT format('%s: %s, %s, %s, %s, %s, %s, %s', objid::regtype, typinput, typoutput, typreceive,
				typsend, typsubscript, typstorage, typalign)
			FROM part JOIN pg_type t ON t.oid = objid WHERE classid = 'pg_type'::regclass
			UNION ALL
			SELECT format('%s: %s, %s', pg_describe_object(classid, objid, 0), castfunc::regprocedure, castcontext)
			FROM part JOIN pg_cast c ON c.oid = objid WHERE classid = 'pg_cast'::regclass
			UNION ALL
			SELECT format('%s, in full %s', pg_describe_object(classid, objid, 0), count(*))
			FROM part, pg_amop WHERE classid = 'pg_opfamily'::regclass AND objid = amopfamily
			GROUP BY classid, objid
			UNION ALL
			SELECT format('%s: %s', pg_describe_object(classid, objid, 0), description)
			FROM part JOIN pg_description d ON (d.classoid, d.objoid) = (classid, objid)
			UNION ALL
			SELECT format('%s %s %s', pg_describe_object(classid, objid, d.objsubid), deptype,
				pg_describe_object(refclassid, refobjid, refobjsubid))
			FROM part JOIN pg_depend d USING (classid, objid))
		SELECT regexp_replace(replace(replace(line, quote_ident(nspname) || '.', 'S.'), 'schema ' || nspname, 'S'),
			'\s+', ' ', 'g')
		FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace, line
		WHERE extname = 'bloomtype' ORDER BY 1});
}

# The database has the extension as it should be; else say what differs.
my $expected;

sub contents_ok
{
	my ($database, $name) = @_;
	my %count;

	$count{$_}-- foreach split /\n/, $expected;
	$count{$_}++ foreach split /\n/, contents($database);
	is(join("\n", map { "$count{$_}: $_" } grep { $count{$_} } sort keys %count), '', $name);
}

# What of the extension depends on anything but the extension, its schema and the server.
sub foreign_dependencies
{
	my ($database) = @_;

	return $node->safe_psql(
		$database, qq{
		SELECT pg_describe_object(d.classid, d.objid, 0), pg_describe_object(refclassid, refobjid, 0)
		FROM pg_depend d JOIN $members m USING (classid, objid)
		WHERE refclassid NOT IN ('pg_extension'::regclass, 'pg_namespace'::regclass)
			AND refobjid >= 16384 AND (refclassid, refobjid) NOT IN (SELECT * FROM $members n)
			AND NOT EXISTS (SELECT FROM pg_type JOIN $members n ON n.objid = pg_type.oid
				WHERE refobjid = typarray)});
}

# Whether the extension works: filters, keys, operators and casts, by their full names,
# from whatever search_path.
sub works
{
	my ($user, $database, $schema, $path) = @_;

	return as(
		$user, $database, qq{
		SET search_path = $path;
		CREATE TYPE $schema.colour AS ENUM ('red', 'green');
		CREATE TYPE $schema.pair AS (a pg_catalog.int4, b pg_catalog.text);
		SELECT pg_catalog.md5(pg_catalog.string_agg(key::pg_catalog.text, ' '))
		FROM (VALUES ($schema.bloom_key(7)), ($schema.bloom_key('a'::pg_catalog.text)),
			($schema.bloom_key('red'::$schema.colour)), ($schema.bloom_key(ROW(1, 'x')::$schema.pair)),
			($schema.bloom_key('{1.50,2}'::pg_catalog.numeric[])), ($schema.bloom_key('[1,2]'::pg_catalog.int4range)),
			($schema.bloom_key('2000-01-01'::pg_catalog.date)), ($schema.bloom_key('::1'::pg_catalog.inet)),
			(CAST('number:f58ff891333ec7a1'::pg_catalog.name AS $schema.bloom_key)),
			(CAST('number:f58ff891333ec7a1'::pg_catalog.bpchar AS $schema.bloom_key)),
			(CAST('number:f58ff891333ec7a1'::pg_catalog.varchar AS $schema.bloom_key))) v(key);
		SELECT f OPERATOR($schema.\@>) 5, 5 OPERATOR($schema.<@) f, f OPERATOR($schema.\@>) -5,
			(f OPERATOR($schema.|) f) OPERATOR($schema.=) f, f OPERATOR($schema.&&) f,
			$schema.bloom_contains_any(f, '{-1,1}'::pg_catalog.int4[]),
			CAST(CAST(f AS pg_catalog.bytea) AS $schema.bloom) OPERATOR($schema.<>) f
		FROM (SELECT $schema.bloom_agg(i) AS f FROM pg_catalog.generate_series(1, 500) i) s;
		SELECT f OPERATOR($schema.\@>) 'red'::pg_catalog.text, $schema.counting_bloom_count(f, 'red'::$schema.colour),
			CAST(f AS $schema.bloom) OPERATOR($schema.\@>) 'red'::pg_catalog.text
		FROM (SELECT $schema.counting_bloom_agg(c) AS f
			FROM pg_catalog.unnest(pg_catalog.enum_range(NULL::$schema.colour)) c) s;
		SELECT $schema.cuckoo_remove(f, 'b'::pg_catalog.text) OPERATOR($schema.\@>) 'a'::pg_catalog.text,
			$schema.cuckoo_cardinality(f)
		FROM (SELECT $schema.cuckoo_agg(c) AS f FROM pg_catalog.unnest('{a,b}'::pg_catalog.text[]) c) s;
		SELECT $schema.external_bloom_contains(
			$schema.external_bloom_agg(c, 'spark_v2', 0.01::pg_catalog.float8), 'spark_v2', 'a'::pg_catalog.text)
		FROM pg_catalog.unnest('{a,b}'::pg_catalog.text[]) c;
		SELECT pg_catalog.count(DISTINCT k) FROM (SELECT $schema.bloom_key(i) FROM pg_catalog.generate_series(1, 9) i) s(k);
		DROP TYPE $schema.colour, $schema.pair});
}
my $right = join "\n", 'MD5', 't|t|f|t|t|t|f', 't|1|t', 't|2', 't', '9';

#
# The owner of a database
#

# no right to create in the database, no extension
like(error_as('hostile', 'owned', 'CREATE EXTENSION bloomtype'),
	qr/ERROR:  permission denied to create extension/, 'a guest of the database');
as('owner', 'clean', 'CREATE EXTENSION bloomtype');
is( as( 'owner', 'clean', qq{
		SELECT extowner::regrole FROM pg_extension WHERE extname = 'bloomtype';
		SELECT DISTINCT proowner = 10 FROM pg_proc JOIN $members m ON objid = oid
			WHERE classid = 'pg_proc'::regclass}),
	"owner\nt", 'the owner has the extension, not what is in it');
like(error_as('owner', 'clean', 'ALTER FUNCTION bloom_capacity OWNER TO owner'),
	qr/ERROR:  must be owner of function/, 'so that he cannot change it');
my ($md5) =
  works('owner', 'clean', 'public', 'public') =~ /^([0-9a-f]{32})/;
$right =~ s/MD5/$md5/;
is(works('owner', 'clean', 'public', 'public'), $right, 'it works');

# dumped and restored by the owner, who is no superuser there either
$node->safe_psql('postgres', 'CREATE DATABASE restored OWNER owner');
as('owner', 'clean', 'CREATE TABLE kept AS SELECT bloom_agg(i) AS f FROM generate_series(1, 1000) i');
my $dump = $node->basedir . '/clean.dump';
$node->command_ok([ 'pg_dump', '-U', 'owner', '-Fc', '-f', $dump, $node->connstr('clean') ], 'dump');
$node->command_ok(
	[ 'pg_restore', '-U', 'owner', '--exit-on-error', '--no-comments', '-d', $node->connstr('restored'), $dump ],
	'restore');
is(as('owner', 'restored', 'SELECT bool_and(f @> i) FROM kept, generate_series(1, 1000) i'),
	't', 'restored by the owner');

$expected = contents('clean');
cmp_ok(scalar(() = $expected =~ /^CREATE OR REPLACE FUNCTION S\./mg), '>', 100, 'what there is');
is(foreign_dependencies('clean'), '', 'which depends on nothing else');

#
# Any schema
#

for my $schema ('Odd "Schema"', q{it's}, 'select', 'pg', 'a.b', 'back\\slash', 'a$b', "\xC3\xBC\xC2\xB5",
	'x' x 63)
{
	my $quoted = '"' . ($schema =~ s/"/""/gr) . '"';

	as('owner', 'owned', "CREATE SCHEMA $quoted; CREATE EXTENSION bloomtype SCHEMA $quoted");
	contents_ok('owned', "in $quoted");
	is(works('owner', 'owned', $quoted, "''"), $right, "in $quoted: it works");
	# the server lets only those move an extension who own its types
	$node->safe_psql('owned', "CREATE SCHEMA moved AUTHORIZATION owner; ALTER EXTENSION bloomtype SET SCHEMA moved");
	contents_ok('owned', "moved out of $quoted");
	is(works('owner', 'owned', 'moved', "''"), $right, "moved out of $quoted: it works");
	as('owner', 'owned', "DROP EXTENSION bloomtype; DROP SCHEMA moved, $quoted");
}

#
# Traps
#

# In a schema of their own, and in the one that the extension is to be put into, others have
# types, functions and operators of all names that the script uses, for arguments of
# any type.  What is called of theirs raises an error.
my @functions = split /\n/, $node->safe_psql('clean', qq{
	SELECT DISTINCT proname FROM pg_proc JOIN $members m ON objid = oid WHERE classid = 'pg_proc'::regclass
	UNION SELECT unnest('{eqsel,eqjoinsel,scalarltsel,btequalimage,md5,encode,length,hashtext}'::name[])});
my @operators = split /\n/, $node->safe_psql('clean', qq{
	SELECT DISTINCT oprname FROM pg_operator JOIN $members m ON objid = oid WHERE classid = 'pg_operator'::regclass});
my @types = qw(text bytea cstring internal float8 float4 int4 int8 int2 bool name oid record bpchar varchar
  anyelement anycompatible anycompatiblearray unknown void);
cmp_ok(scalar @functions, '>', 80, 'names of functions');
cmp_ok(scalar @operators, '>', 9, 'names of operators');

sub traps
{
	my ($schema, @arguments) = @_;
	my $body = "RETURNS pg_catalog.bool LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END'";
	my $sql = '';

	for my $function (@functions)
	{
		$sql .= "CREATE FUNCTION $schema.$function($_) $body;\n" for @arguments;
	}
	for my $operator (@operators)
	{
		for my $type (map { /^(pg_catalog\.\w+), \1$/ } @arguments)
		{
			$sql .= "CREATE OPERATOR $schema.$operator (LEFTARG = $type, RIGHTARG = $type, FUNCTION = $schema.bloom_eq);\n";
		}
	}
	$sql .= "CREATE DOMAIN $schema.$_ AS pg_catalog.bool;\n" for @types;
	return $sql;
}

my @polymorphic = map { "pg_catalog.$_" }
  ('anyelement', 'anyelement, pg_catalog.anyelement', 'anyelement, pg_catalog.anyelement, pg_catalog.anyelement');
my @exact = map { ("pg_catalog.$_", "pg_catalog.$_, pg_catalog.$_") } qw(text bytea int8 int4 oid name bpchar float8);
$node->safe_psql('owned', 'GRANT CREATE ON SCHEMA public TO hostile; CREATE SCHEMA trap AUTHORIZATION hostile');
as('hostile', 'owned', 'GRANT USAGE ON SCHEMA trap TO PUBLIC;' . traps('trap', @polymorphic, @exact));
as('hostile', 'owned', traps('public', @polymorphic));
like(
	error_as(
		'owner', 'owned', q{
		SET search_path = trap, pg_catalog;
		SELECT 'a'::pg_catalog.text = 'b'::pg_catalog.text}),
	qr/trapped/, 'the traps catch');

for my $path ('public', 'trap, public', 'trap, public, pg_catalog', 'trap, pg_temp, pg_catalog', "''")
{
	for my $schema ('public', '"Odd ""Schema"""')
	{
		as('owner', 'owned', qq{
			SET client_min_messages = error;
			CREATE SCHEMA IF NOT EXISTS $schema;
			RESET client_min_messages;
			SET search_path = $path;
			CREATE EXTENSION bloomtype SCHEMA $schema});
		contents_ok('owned', "search_path $path, in $schema");
		is(foreign_dependencies('owned'), '', 'nothing of theirs is in it');

		# where theirs are in the same schema, a call of ours by its name alone is ambiguous
		next if $schema eq 'public';
		is(works('owner', 'owned', $schema, $path), $right, 'nothing of theirs is called');
	}
	continue
	{
		as('owner', 'owned', 'DROP EXTENSION bloomtype');
	}
}

#
# What is there already
#

# is not taken over, as it would be by CREATE OR REPLACE or IF NOT EXISTS, with its owner
# (CVE-2022-2625): installing is an error, and nothing has changed.  All that others can
# make: the types, and what has no argument of ours or of type internal.
my @planted = split /\n/, $node->safe_psql('clean', qq{
	SELECT 'FUNCTION public.' || p.oid::regprocedure
	FROM pg_proc p JOIN $members m ON objid = oid
	WHERE classid = 'pg_proc'::regclass
		AND NOT EXISTS (SELECT FROM unnest(proargtypes) type
			WHERE type IN ('internal'::regtype, 'cstring'::regtype, 'unknown'::regtype) OR type >= 16384)
	UNION ALL SELECT 'DOMAIN public.' || objid::regtype FROM $members m
	WHERE classid = 'pg_type'::regclass AND objid::regtype::text NOT LIKE '%[]'
	UNION ALL SELECT 'TABLE public.' || objid::regtype FROM $members m
	WHERE classid = 'pg_type'::regclass AND objid::regtype::text NOT LIKE '%[]'
	ORDER BY 1});
cmp_ok(scalar(grep { /^FUNCTION/ } @planted), '>', 20, 'functions that others can make');
is(scalar(grep { !/^FUNCTION/ } @planted), 10, 'and types');
$node->safe_psql('postgres', 'CREATE DATABASE taken OWNER owner');
$node->safe_psql('taken', 'GRANT CREATE ON SCHEMA public TO hostile');
for my $object (@planted)
{
	my $definition = $object;

	$definition .= q{ RETURNS text LANGUAGE sql AS 'SELECT NULL::text'} if $object =~ /^FUNCTION/;
	$definition .= ' AS int' if $object =~ /^DOMAIN/;
	$definition .= ' (a int)' if $object =~ /^TABLE/;
	as('hostile', 'taken', "CREATE $definition");
	like(error_as('owner', 'taken', 'CREATE EXTENSION bloomtype'),
		qr/ERROR:  (function|type) .* already exists/, "$object is not taken over");
	is( as('owner', 'taken', q{
			SELECT count(*) FROM pg_extension WHERE extname = 'bloomtype';
			SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_extension'::regclass AND objid >= 16384}),
		"0\n0", 'and nothing is installed');
	as('hostile', 'taken', "DROP $object");
}
my $rows = q{
	SELECT relname, (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', c.oid::regclass),
		false, true, '')))[1]
	FROM pg_class c
	WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r' AND NOT relisshared
		AND relname NOT LIKE 'pg_statistic%'
	ORDER BY 1};
my $rows_before = $node->safe_psql('taken', $rows);
as('owner', 'taken', 'CREATE EXTENSION bloomtype');
contents_ok('taken', 'without them it is');
isnt($node->safe_psql('taken', $rows), $rows_before, 'it has rows in the catalogs');
as('owner', 'taken', 'DROP EXTENSION bloomtype');
is($node->safe_psql('taken', $rows), $rows_before, 'dropped, it leaves none');

my $log = slurp_file($node->logfile);
unlike($log, qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');

$node->stop;
done_testing();
