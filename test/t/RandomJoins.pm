# Random tables, and random queries that join them, for tests that compare the results of a query
# run in several ways.
#
# The results are multisets: no query depends on the order of rows, but for LIMIT below a
# total order.

package RandomJoins;

use strict;
use warnings FATAL => 'all';

# Columns by what they can be compared with
my %families = (
	integer => [qw(i2 i4 i8 dom)],
	float => [qw(f4 f8)],
	numeric => [qw(num)],
	text => [qw(t vc)],
	padded => [qw(bp)],
	loose => [qw(tn)],
	time => [qw(ts tz d)],
	uuid => [qw(u)],
	enum => [qw(e)],
	bool => [qw(b)],
	array => [qw(arr)],
	range => [qw(rng)],
	json => [qw(jb)],
	row => [qw(comp)],
	interval => [qw(iv)]);
my @family_names = sort keys %families;
my @columns = map { @{ $families{$_} } } @family_names;

sub pick { return $_[ int(rand(@_)) ] }
sub chance { return rand() < $_[0] }

# The statements that make the tables.  $loose is the name of a collation for column tn.
sub schema
{
	my ($loose) = @_;
	my $sql = q{
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'odd');
CREATE DOMAIN small_number AS int CHECK (VALUE < 1000000);
CREATE TYPE pair AS (x int, y text);
CREATE FUNCTION fill(tab regclass, nrows int, nvalues int, nulls float) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO %s (id, i2, i4, i8, dom, f4, f8, num, t, vc, bp, tn, ts, tz, d, u, e, b, arr, rng, jb, comp, iv)
	SELECT g, CASE WHEN r < %s THEN NULL ELSE v END, v, CASE WHEN r < %s THEN NULL ELSE v END, v,
		CASE v WHEN 0 THEN ''-0''::float4 WHEN 1 THEN ''NaN'' ELSE v END,
		CASE v WHEN 0 THEN pick_zero(g) WHEN 1 THEN ''NaN'' ELSE v END,
		v::numeric(20, 6) / CASE WHEN g %% 2 = 0 THEN 1.000 ELSE 1 END * CASE WHEN v %% 7 = 3 THEN 1.5 ELSE 1 END,
		v::text, v::text, v::text, CASE WHEN g %% 2 = 0 THEN ''Ab'' ELSE ''aB'' END || v,
		timestamp ''2020-01-01'' + v * interval ''12 hours'', timestamptz ''2020-01-01'' + v * interval ''12 hours'',
		date ''2020-01-01'' + v, md5(v::text)::uuid, (enum_range(NULL::mood))[1 + v %% 4], v %% 2 = 0,
		ARRAY[v, v + 1], int4range(v, v + 3), jsonb_build_object(''a'', v), ROW(v, v::text)::pair,
		CASE WHEN g %% 2 = 0 THEN v * interval ''24 hours'' ELSE v * interval ''1 day'' END
	FROM (SELECT g, (random() * random() * %s)::int AS v, random() AS r FROM generate_series(1, %s) g) s',
		tab, nulls, nulls, nvalues, nrows);
	EXECUTE format('ANALYZE %s', tab);
END $$;
CREATE FUNCTION pick_zero(g int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
	$$ SELECT CASE WHEN g % 2 = 0 THEN '-0'::float8 ELSE 0 END $$;
CREATE FUNCTION stable_number(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT $1';
SELECT setseed(0.25);
};
	my $definition = "id int, i2 smallint, i4 int, i8 bigint, dom small_number, f4 real, f8 float8,"
	  . " num numeric, t text, vc varchar(20), bp char(8), tn text COLLATE $loose, ts timestamp,"
	  . " tz timestamptz, d date, u uuid, e mood, b bool, arr int[], rng int4range, jb jsonb,"
	  . " comp pair, iv interval";
	my %rows = (r0 => 0, r1 => 1, r2 => 2, r3 => 20, r4 => 60, r5 => 250, r6 => 700, r7 => 2000);
	for my $table (sort keys %rows)
	{
		$sql .= "CREATE TABLE $table ($definition);\n";
		$sql .= "SELECT fill('$table', $rows{$table}, " . int(pick(40, 200, 800)) . ", "
		  . pick(0, 0.05, 0.5) . ");\n";
	}
	$sql .= "CREATE INDEX ON r6 (i4); CREATE INDEX ON r7 (i4); CREATE INDEX ON r7 (t, id);\n"
	  . "CREATE INDEX ON r5 (i8);\n";

	# partitions, of which one has its columns in another order and has lost one
	$sql .= "CREATE TABLE p ($definition) PARTITION BY LIST (b);\n"
	  . "CREATE TABLE p_t PARTITION OF p FOR VALUES IN (true);\n"
	  . "CREATE TABLE p_f (gone int, iv interval, "
	  . ($definition =~ s/, iv interval//r) . ");\n"
	  . "ALTER TABLE p_f DROP COLUMN gone; ALTER TABLE p ATTACH PARTITION p_f DEFAULT;\n"
	  . "SELECT fill('p', 900, 300, 0.05);\n"
	  . "CREATE TABLE h ($definition) PARTITION BY HASH (i4);\n"
	  . join('', map { "CREATE TABLE h_$_ PARTITION OF h FOR VALUES WITH (MODULUS 3, REMAINDER $_);\n" } 0 .. 2)
	  . "SELECT fill('h', 900, 300, 0);\n"
	  . "CREATE TABLE base ($definition); CREATE TABLE heir (extra int) INHERITS (base);\n"
	  . "SELECT fill('base', 100, 100, 0); SELECT fill('heir', 600, 300, 0.1);\n";
	$sql .= "ANALYZE;\n";
	return $sql;
}

my @tables = (qw(r1 r2 r3 r4 r5 r5 r6 r6 r7 r7 p p h h base), 'r0');
my $alias;

# A condition between two relations on columns that can be compared
sub equality
{
	my ($left, $right) = @_;
	my $family = chance(0.4) ? 'integer' : pick(@family_names);
	return "$left." . pick(@{ $families{$family} }) . " = $right." . pick(@{ $families{$family} });
}

sub restriction
{
	my ($relation) = @_;
	return pick(
		"$relation.i4 < " . int(rand(60)),
		"$relation.id % " . pick(2, 3, 7) . " = 0",
		"$relation.i4 = " . int(rand(30)),
		"$relation.t LIKE '1%'",
		"$relation.i2 IS NULL",
		"$relation.b",
		"$relation.i4 IN (1, 2, 3, 5, 8, 13, 21)",
		"$relation.id < stable_number(" . int(rand(300)) . ")",
		"$relation.i4 > (SELECT min(i4) + 1 FROM r3)");
}

# All columns of a relation, for a sub-select that returns them
sub all_columns
{
	my ($relation) = @_;
	return join(', ', map { "$relation.$_" } 'id', @columns);
}

# An item of FROM; $outer are the aliases that it may refer to, if it is lateral.
sub relation
{
	my ($depth, @outer) = @_;
	my $name = 'x' . $alias++;
	my $inside = 'x' . $alias++;
	my $table = pick(@tables);
	my $list = join(', ', 'id', @columns);

	return ("$table AS $name", $name) if $depth <= 0 || chance(0.65);
	my $where = chance(0.5) ? 'WHERE ' . restriction($inside) : '';
	if (@outer && chance(0.4))
	{
		my $condition = chance(0.5) ? equality($inside, pick(@outer)) :
		  "$inside.i4 = " . pick(@outer) . ".i4 + $inside.i2";
		return ("LATERAL (SELECT * FROM $table AS $inside WHERE $condition"
			  . (chance(0.3) ? " ORDER BY $inside.id, $inside.i4 LIMIT 3" : '') . ") AS $name", $name);
	}
	my $kind = int(rand(9));
	return ("(SELECT * FROM $table AS $inside $where) AS $name", $name) if $kind == 0;
	return ("(SELECT * FROM $table AS $inside $where OFFSET 0) AS $name", $name) if $kind == 1;
	return ("(SELECT * FROM $table AS $inside $where ORDER BY $inside.id, $inside.i4 LIMIT "
		  . pick(1, 5, 40) . ") AS $name", $name) if $kind == 2;
	return ("(SELECT $list FROM $table UNION ALL SELECT $list FROM " . pick(@tables) . ") AS $name", $name)
	  if $kind == 3;
	return ("(SELECT DISTINCT ON (i4) * FROM $table AS $inside $where ORDER BY i4, id) AS $name", $name)
	  if $kind == 4;
	return ("(SELECT $inside.* FROM $table AS $inside JOIN "
		  . pick(@tables) . " AS y$name ON " . equality($inside, "y$name") . " $where) AS $name", $name)
	  if $kind == 5;
	return ("(SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i4 ORDER BY id) AS n FROM $table) AS $inside"
		  . " WHERE n < 3) AS $name", $name) if $kind == 6;
	if ($kind == 7)
	{
		my @aggregates = map { $_ eq 'i4' ? 'i4' : /^(b|arr|rng|jb|comp|u|e)$/ ?
			  "(array_agg($_ ORDER BY id, $_))[1] AS $_" : "max($_) AS $_" } 'id', @columns;
		return ("(SELECT " . join(', ', @aggregates) . " FROM $table GROUP BY i4) AS $name", $name);
	}
	return ("(SELECT * FROM $table AS $inside WHERE EXISTS (SELECT FROM "
		  . pick(@tables) . " AS y$name WHERE " . equality($inside, "y$name") . ")) AS $name", $name);
}

# A condition of WHERE with a sub-select
sub subselect
{
	my ($relation) = @_;
	my $inside = 'x' . $alias++;
	my $table = pick(@tables);
	my $more = chance(0.6) ? ' AND ' . restriction($inside) : '';
	my $family = pick(@family_names);
	my $left = "$relation." . pick(@{ $families{$family} });
	my $right = "$inside." . pick(@{ $families{$family} });

	return pick(
		"EXISTS (SELECT FROM $table AS $inside WHERE $left = $right$more)",
		"NOT EXISTS (SELECT FROM $table AS $inside WHERE $left = $right$more)",
		"$left IN (SELECT $right FROM $table AS $inside WHERE true$more)",
		"$left NOT IN (SELECT $right FROM $table AS $inside WHERE true$more)",
		"$relation.i4 IN (SELECT $inside.i4 FROM $table AS $inside JOIN " . pick(@tables)
		  . " AS z$inside ON " . equality($inside, "z$inside") . " WHERE true$more)",
		"$left IS NOT DISTINCT FROM (SELECT min($right) FROM $table AS $inside WHERE $inside.i4 = $relation.i4)")
	  if $family !~ /^(bool|array|range|json|row|uuid|loose)$/;
	return "EXISTS (SELECT FROM $table AS $inside WHERE $left = $right$more)";
}

# A random query
sub query
{
	$alias = 0;
	my $nrelations = pick(2, 2, 2, 3, 3, 4, 5);
	my ($from, @names);

	for my $i (1 .. $nrelations)
	{
		my ($item, $name) = relation(1, @names);
		if ($i == 1)
		{
			($from, @names) = ($item, $name);
			next;
		}
		my $type = $item =~ /^LATERAL/ ? pick('JOIN', 'LEFT JOIN') :
		  pick('JOIN', 'JOIN', 'JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
		my $on = equality(pick(@names), $name);
		$on .= ' AND ' . equality(pick(@names), $name) if chance(0.25);
		$on .= ' AND ' . restriction($name) if $type ne 'FULL JOIN' && chance(0.2);
		$on .= ' AND ' . pick(@names) . ".id <> $name.id" if $type ne 'FULL JOIN' && chance(0.1);
		# a lateral item may refer to what an outer join may make null only by an inner join
		$type = 'JOIN' if $item =~ /^LATERAL/;
		$from = "($from $type $item ON $on)";
		push @names, $name;
	}
	my @where;
	push @where, restriction(pick(@names)) while chance(0.55);
	push @where, subselect(pick(@names)) if chance(0.35);
	my $where = @where ? 'WHERE ' . join(' AND ', @where) : '';
	my $ids = join(', ', map { "$_.id, $_.i4" } @names);
	my $shape = int(rand(10));
	my $count = 0;
	my $list = ($ids =~ s/\.(id|i4)\b/".$1 AS a" . $count++/ger) . ', '
	  . join(', ', map { pick(@names) . '.' . pick(@columns) . " AS c$_" } 0 .. 2);

	return "SELECT $list FROM $from $where" if $shape < 5;
	return "SELECT $list FROM $from $where ORDER BY $ids LIMIT " . pick(1, 10, 100) if $shape == 5;
	return "SELECT count(*), min($names[0].id), max($names[-1].id) FROM $from $where" if $shape == 6;
	return "SELECT $names[0].i4, count(*), count(DISTINCT $names[-1].id) FROM $from $where GROUP BY 1"
	  if $shape == 7;
	return "WITH c AS MATERIALIZED (SELECT $list FROM $from $where) "
	  . "SELECT c.*, r5.id FROM c JOIN r5 ON c.a1 = r5.i4 AND r5.id < 60" if $shape == 8;
	return "SELECT o.id, (SELECT count(*) FROM $from "
	  . ($where || 'WHERE true') . " AND $names[0].i4 = o.i4 + 0) AS n FROM r3 AS o";
}

# Settings for a query; the planner is led to hash joins, among others.
sub settings
{
	my %settings = (
		enable_nestloop => pick('off', 'off', 'on'),
		enable_mergejoin => pick('off', 'off', 'on'),
		enable_hashjoin => 'on',
		enable_material => pick('on', 'on', 'off'),
		enable_memoize => pick('on', 'off'),
		enable_seqscan => pick('on', 'on', 'on', 'off'),
		enable_partitionwise_join => pick('off', 'on'),
		join_collapse_limit => pick(8, 8, 1),
		from_collapse_limit => pick(8, 8, 1),
		geqo_threshold => pick(12, 2),
		geqo_seed => rand(),
		work_mem => pick('4MB', '4MB', '64kB'),
		enable_hashagg => pick('on', 'off'),
		enable_parallel_hash => pick('on', 'off'),
		plan_cache_mode => 'auto');
	return map { "SET $_ = '$settings{$_}';" } sort keys %settings;
}

# Run in several ways, and compare: a procedure for the statements of compare().
sub procedure
{
	return q{
CREATE TABLE findings (query text, mode text, expected text, found text);
CREATE TABLE tally (what text PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
INSERT INTO tally VALUES ('queries'), ('with filter'), ('failed'), ('with rows'), ('executions');
CREATE FUNCTION result_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT count(*) || '' rows '' || coalesce(sum(hashtextextended(r::text, 1)), 0) FROM ('
		|| query || ') r' INTO result;
	RETURN result;
EXCEPTION WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE;
END $$;
CREATE FUNCTION has_filter(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%BloomtypeProbe%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
EXCEPTION WHEN OTHERS THEN
	RETURN false;
END $$;
CREATE PROCEDURE compare(query text) LANGUAGE plpgsql AS $$
DECLARE
	expected text;
	found text;
	mode text;
BEGIN
	PERFORM set_config('bloomtype_join.enable', 'off', false);
	PERFORM set_config('max_parallel_workers_per_gather', '0', false);
	expected := result_of(query);
	UPDATE tally SET n = n + 1 WHERE what = 'queries';
	IF expected NOT LIKE '0 rows%' THEN
		UPDATE tally SET n = n + 1 WHERE what = 'with rows';
	END IF;
	IF expected LIKE 'error%' THEN
		UPDATE tally SET n = n + 1 WHERE what = 'failed';
	END IF;
	PERFORM set_config('bloomtype_join.enable', 'force', false);
	IF has_filter(query) THEN
		UPDATE tally SET n = n + 1 WHERE what = 'with filter';
	END IF;
	FOREACH mode IN ARRAY ARRAY['force', 'spill', 'parallel'] LOOP
		IF mode = 'spill' THEN
			CONTINUE WHEN current_setting('work_mem') = '64kB' OR length(query) % 3 > 0;
			PERFORM set_config('work_mem', '64kB', false);
		ELSIF mode = 'parallel' THEN
			PERFORM set_config('max_parallel_workers_per_gather', '2', false);
			PERFORM set_config('parallel_leader_participation',
				CASE WHEN length(query) % 2 = 0 THEN 'on' ELSE 'off' END, false);
			END IF;
		CONTINUE WHEN NOT has_filter(query);
		-- the time limit is one for all, and does not strike again
		EXIT WHEN expected = 'error 57014' OR found = 'error 57014';
		found := result_of(query);
		UPDATE tally SET n = n + 1 WHERE what = 'executions';
		IF found <> expected AND found <> 'error 57014' THEN
			INSERT INTO findings VALUES (query, mode, expected, found);
		END IF;
	END LOOP;
	COMMIT;
END $$;
};
}

sub compare
{
	my $query = query();
	my $tag = 'q$' . $alias . '$';
	return (settings(), "CALL compare(\$query\$$query\$query\$);");
}

1;
