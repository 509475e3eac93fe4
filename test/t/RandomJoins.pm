# Random tables, and random statements that join them, each of which is run in several ways that must
# give the same rows.
#
#    configuration()            lines for postgresql.conf
#    prepare($node)             makes what the statements need; returns what the server has
#    make_tables($node, $seed)  makes the tables of a seed
#    run_seed($node, $seed, $n) makes these, and runs statements until rows differ; returns how many were
#                               given up, since they took too long
#    run_made($node, $seed, $n) the same after make_tables()
#    findings($node)            the first that differed, or an empty string
#
# The results are multisets.  They depend neither on the order of rows, but for that of ids in a table,
# which are unique, nor on which of several equal values is taken: values whose text may differ though
# they are equal are normalized before they are shown, and no aggregate chooses among them.

package RandomJoins;

use strict;
use warnings FATAL => 'all';

# Columns of all tables, with their types; what %value has for them depends on one of three random
# numbers of a row: v, w or x.
my @definitions = (
	[ id => 'int' ],
	[ i2 => 'smallint', 'v' ],
	[ i4 => 'int', 'NUMBER(v)' ],
	[ i8 => 'bigint', 'NUMBER(w)' ],
	[ dom => 'small_number', 'x' ],
	[ f4 => 'real', q{CASE v WHEN 0 THEN random_zero() WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE v END} ],
	[ f8 => 'float8', q{CASE w WHEN 0 THEN random_zero() WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE w END} ],
	[ num => 'numeric', q{(CASE WHEN v % 7 = 3 THEN v + 0.5 WHEN v = 1 THEN 'NaN' ELSE v END)::text::numeric(20, 3)
		* CASE WHEN random() < 0.5 THEN 1 ELSE 1.00 END} ],
	[ t => 'text', q{CASE WHEN random() < 0.5 THEN 'k' ELSE 'K' END || w} ],
	[ vc => 'varchar(20)', q{'k' || v} ],
	[ nm => 'name', q{'k' || x} ],
	[ bp => 'char(8)', q{'k' || v || CASE WHEN random() < 0.5 THEN ' ' ELSE '' END} ],
	[ tn => 'text COLLATE LOOSE', q{CASE WHEN random() < 0.5 THEN 'Ab' ELSE 'aB' END || w} ],
	[ ct => 'CITEXT', q{CASE WHEN random() < 0.5 THEN 'c' ELSE 'C' END || v} ],
	[ ts => 'timestamp', q{timestamp '2020-01-01' + v * interval '12 hours'} ],
	[ tz => 'timestamptz', q{timestamptz '2020-01-01' + w * interval '12 hours'} ],
	[ d => 'date', q{date '2020-01-01' + x} ],
	[ tm => 'time', q{time '00:00' + v * interval '1 minute'} ],
	[ iv => 'interval', q{CASE WHEN random() < 0.5 THEN v * interval '24 hours' ELSE v * interval '1 day' END} ],
	[ u => 'uuid', q{md5(w::text)::uuid} ],
	[ e => 'mood', q{(enum_range(NULL::mood))[1 + x % 4]} ],
	[ b => 'bool', q{x % 2 = 0} ],
	[ o => 'oid', 'w' ],
	[ by => 'bytea', q{('k' || v)::bytea} ],
	[ arr => 'int[]', 'ARRAY[v, v + 1]' ],
	[ rng => 'int4range', 'int4range(w, w + 3)' ],
	[ jb => 'jsonb', q{jsonb_build_object('a', v)} ],
	[ comp => 'pair', 'ROW(w, w::text)::pair' ]);
my @columns = map { $_->[0] } @definitions;
my %type = map { $_->[0] => $_->[1] } @definitions;

# Columns by what they can be compared with
my %families = (
	integer => [qw(i2 i4 i8 dom)],
	float => [qw(f4 f8)],
	numeric => [qw(num)],
	text => [qw(t vc nm)],
	padded => [qw(bp)],
	loose => [qw(tn)],
	citext => [qw(ct)],
	time => [qw(ts tz d)],
	'time of day' => [qw(tm)],
	interval => [qw(iv)],
	uuid => [qw(u)],
	enum => [qw(e)],
	bool => [qw(b)],
	oid => [qw(o)],
	bytes => [qw(by)],
	array => [qw(arr)],
	range => [qw(rng)],
	json => [qw(jb)],
	row => [qw(comp)]);
my @family_names = sort keys %families;

# Families whose values are in order, and have an aggregate min()
my %has_min = map { $_ => 1 } qw(integer float numeric text padded time interval);

# Columns that get no filter: their hash functions are those of an extension, or of their parts.
my @untrusted = qw(arr rng jb comp);

# What an integer is made of a random number: those of all tables match, and lie close to one another or
# far apart.
my @numbers = (
	sub { return $_[0] },
	sub { return $_[0] },
	sub { return "$_[0] - 30" },
	sub { return "CASE WHEN $_[0] % 8 = 5 THEN ($_[0] - 100) * 2000003 ELSE $_[0] END" },
	sub { return "CASE $_[0] WHEN 3 THEN -2147483648 WHEN 7 THEN 2147483640 ELSE $_[0] - 1 END" });

my ($loose, $has_citext, $has_foreign);
my $number_of;
my @tables;
my %partitioned_by;				# columns, of tables with partitions
my $alias;
my $has_parameter;
my $inner_only;					# are all relations inner tables?

sub pick { return $_[ int(rand(@_)) ] }
sub chance { return rand() < $_[0] }

#
# Tables
#

# Types and functions, once in a database.  The options say what the server has: loose, a collation
# under which unlike texts are equal; citext; foreign, a foreign server.
sub preparation
{
	my (%options) = @_;

	($loose, $has_citext, $has_foreign) = @options{qw(loose citext foreign)};
	push @untrusted, 'ct' if $has_citext;
	s/LOOSE/$loose/ || s/CITEXT/$has_citext ? 'citext' : 'text'/e for values %type;
	return q{
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'odd');
CREATE DOMAIN small_number AS int CHECK (VALUE < 1000000);
CREATE TYPE pair AS (x int, y text);
CREATE FUNCTION random_zero() RETURNS float8 LANGUAGE sql VOLATILE AS
	$$ SELECT CASE WHEN random() < 0.5 THEN '-0'::float8 ELSE 0 END $$;
CREATE FUNCTION stable_number(int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL SAFE AS
	$$ BEGIN RETURN $1; END $$;
CREATE FUNCTION volatile_number(int) RETURNS int LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS
	$$ BEGIN RETURN $1; END $$;
CREATE FUNCTION leader_number(int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL UNSAFE AS
	$$ BEGIN RETURN $1; END $$;
CREATE SCHEMA random;
CREATE UNLOGGED TABLE tally (what text PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
CREATE TABLE findings (seed int, number int, mode text, expected text, found text, plan text, settings text,
	query text);
};
}

sub definition
{
	return join ', ', map { "$_ $type{$_}" } @_;
}

# Insert rows of which $source has v, w and x; this share of the values is null.
sub insert
{
	my ($table, $nulls, $source) = @_;
	my @values = map {
		my ($name, undef, $value) = @$_;
		$value =~ s/NUMBER\((\w)\)/$number_of->($1)/e if defined $value;
		!defined $value ? q{nextval('ids')} :
		  $nulls > 0 ? "CASE WHEN random() >= $nulls THEN $value END" : $value
	} @definitions;

	return "INSERT INTO $table (" . join(', ', @columns) . ') SELECT ' . join(', ', @values) . " FROM ($source) AS s;\n";
}

sub fill
{
	my ($table, $nrows, $nvalues) = @_;
	my $number = pick("random() * random() * $nvalues", "random() * $nvalues", "random() ^ 4 * $nvalues");

	# in many rows, all columns are of the same number
	return insert($table, pick(0, 0, 0.05, 0.4),
		"SELECT v, CASE WHEN random() < 0.5 THEN v ELSE ($number)::int END AS w,"
		  . " CASE WHEN random() < 0.7 THEN v ELSE ($number)::int END AS x"
		  . " FROM (SELECT ($number)::int AS v FROM generate_series(1, $nrows)) AS r");
}

# Unique values, which reach beyond those of the other tables, in their order: joins with these have
# their rows corrected.
sub calendar
{
	my ($all) = @_;

	return "CREATE TABLE calendar ($all);\n"
	  . insert('calendar', 0, 'SELECT v, v AS w, v AS x FROM generate_series(0, 999) v')
	  . join('', map { "CREATE UNIQUE INDEX ON calendar ($_);\n" } qw(i2 i4 i8 dom ts tz d), 'i4, i8', 'i8, dom, i2');
}

# A table with partitions by lists of integers, of which one has a null, and none or one takes the rest
sub list_partitions
{
	my @lists = (join(', ', 0 .. 9), pick('NULL', 'NULL, 10, 11', '10, NULL, 12'), join(', ', 13 .. 29),
		join(', ', -40 .. -1, 31 .. 39));

	$_ = join ', ', sort { rand() <=> 0.5 } split /, / for @lists;
	my $key = pick(qw(i4 i8 i2));
	my $sql = 'CREATE TABLE l (' . definition(@columns) . ") PARTITION BY LIST ($key);\n";

	$partitioned_by{l} = [$key];
	$sql .= "CREATE TABLE l_$_ PARTITION OF l FOR VALUES IN ($lists[$_]);\n" for 0 .. $#lists;
	return $sql . "CREATE TABLE l_rest PARTITION OF l DEFAULT;\n" . fill('l', 130, pick(20, 60));
}

# A table with partitions by ranges of days, or of an integer and another one, which have partitions
sub nested_partitions
{
	my ($key, @bounds) = @{ pick([ 'd', map { "'" . (2020 + int($_ / 12)) . '-' . (1 + $_ % 12) . "-01'" } 0 .. 4 ],
			[ 'i8', -10, 0, 7, 8, 50 ], [ 'i4, i8', '-20, MINVALUE', '5, 3', '5, 9', '5, MAXVALUE', '70, 0' ]) };
	my ($sub_key, @sub_bounds) = @{ pick([ 'HASH (i4)', map { "WITH (MODULUS 2, REMAINDER $_)" } 0 .. 1 ],
			[ 'HASH (i8)', map { "WITH (MODULUS 2, REMAINDER $_)" } 0 .. 1 ],
			[ 'RANGE (i2)', 'FROM (MINVALUE) TO (9)', 'FROM (9) TO (40)' ],
			[ 'RANGE (d)', "FROM ('2020-01-01') TO ('2020-01-20')", "FROM ('2020-01-20') TO (MAXVALUE)" ]) };
	my $sql = 'CREATE TABLE n (' . definition(@columns) . ") PARTITION BY RANGE ($key);\n"
	  . "CREATE TABLE n_rest PARTITION OF n DEFAULT;\n";

	$partitioned_by{n} = [ "$key, $sub_key" =~ /\b(i2|i4|i8|d)\b/g ];

	for my $i (1 .. $#bounds)
	{
		my $is_parent = chance(0.5);
		$sql .= "CREATE TABLE n_$i PARTITION OF n FOR VALUES FROM ($bounds[$i - 1]) TO ($bounds[$i])"
		  . ($is_parent ? " PARTITION BY $sub_key" : '') . ";\n";
		next if !$is_parent;
		$sql .= "CREATE TABLE n_${i}_$_ PARTITION OF n_$i FOR VALUES $sub_bounds[$_];\n" for 0 .. $#sub_bounds;
		$sql .= "CREATE TABLE n_${i}_rest PARTITION OF n_$i DEFAULT;\n" if $sub_key !~ /HASH/;
	}
	return $sql . fill('n', 160, pick(30, 120));
}

# The statements that make the tables anew
sub tables
{
	my $all = definition(@columns);
	my %rows = (r0 => 0, r1 => 1, r2 => 2, r3 => 15, r4 => 50, r5 => 80, r6 => 130, r7 => 260);
	my $sql = "DROP SCHEMA random CASCADE; CREATE SCHEMA random; CREATE SEQUENCE ids;\n"
	  . 'SELECT setseed(' . rand() . ");\n";

	@tables = ();
	$number_of = pick(@numbers);
	for my $table (sort keys %rows)
	{
		$sql .= "CREATE TABLE $table ($all);\n" . fill($table, $rows{$table}, pick(60, 150, 400));
		push @tables, ($table) x ($table =~ /[012]/ ? 1 : pick(2, 3, 4));
	}
	$sql .= "CREATE INDEX ON r5 (i4); CREATE INDEX ON r6 (i4); CREATE INDEX ON r7 (i8);\n";
	for (1 .. 6)
	{
		my $columns = pick('i4', 'i8', 't', 'tn', 'num', 'i4, id', 'd', 'u', 'id', 'b, i4');
		$sql .= 'CREATE INDEX ON ' . pick(sort keys %rows) . " ($columns);\n";
	}

	# partitions, of which some have their columns in another order and have lost one
	my @mixed = sort { rand() <=> 0.5 } @columns;
	$sql .= "CREATE TABLE p ($all) PARTITION BY LIST (b);\n"
	  . "CREATE TABLE p_1 PARTITION OF p FOR VALUES IN (true);\n"
	  . 'CREATE TABLE p_2 (gone int, ' . definition(@mixed) . ");\n"
	  . "ALTER TABLE p_2 DROP COLUMN gone; ALTER TABLE p ATTACH PARTITION p_2 DEFAULT;\n"
	  . fill('p', 130, 120)
	  . "CREATE TABLE h ($all) PARTITION BY HASH (i4);\n"
	  . join('', map { "CREATE TABLE h_$_ PARTITION OF h FOR VALUES WITH (MODULUS 3, REMAINDER $_);\n" } 0 .. 2)
	  . fill('h', 130, 120)
	  . "CREATE TABLE g ($all) PARTITION BY RANGE (i4);\n"
	  . 'CREATE TABLE g_1 (' . definition(reverse @mixed) . ", gone text);\n"
	  . "ALTER TABLE g_1 DROP COLUMN gone; ALTER TABLE g ATTACH PARTITION g_1 FOR VALUES FROM (0) TO (20);\n"
	  . "CREATE TABLE g_2 PARTITION OF g FOR VALUES FROM (20) TO (60);\n"
	  . "CREATE TABLE g_3 PARTITION OF g DEFAULT; CREATE INDEX ON g (i4);\n"
	  . fill('g', 130, 120)
	  . list_partitions()
	  . nested_partitions()
	  . "CREATE TABLE base ($all); CREATE TABLE heir (extra int) INHERITS (base);\n"
	  . fill('base', 60, 100)
	  . fill('heir', 100, 100)
	  . "CREATE TABLE grown (id int, i2 smallint, i4 int, dom small_number);\n"
	  . "INSERT INTO grown SELECT nextval('ids'), g, g, g FROM generate_series(1, 30) g;\n"
	  . 'ALTER TABLE grown '
	  . join(', ', map { "ADD $_ $type{$_}" . ($_ eq 'i8' ? ' DEFAULT 3' : '') } grep { !/^(id|i2|i4|dom)$/ } @columns)
	  . ";\n"
	  . fill('grown', 40, 60)
	  . "CREATE TABLE large AS SELECT g AS id, (g * 7) % 220000 AS i4, g::bigint AS i8, 'k' || g AS t"
	  . " FROM generate_series(1, 220000) g;\n"
	  . pick('', 'UPDATE large SET i8 = ' . pick('9223372036854775807', '-9223372036854775808', '-90000')
		  . ' WHERE id = ' . pick(1, 2900, 5500, 19999) . ";\n");
	$sql .= calendar($all);
	push @tables, qw(p p p h h h g g g l l l n n n base base grown grown grown calendar calendar);
	if ($has_foreign)
	{
		$sql .= "CREATE TABLE near ($all); CREATE FOREIGN TABLE far ($all) SERVER loopback"
		  . " OPTIONS (schema_name 'random', table_name 'near');\n"
		  . fill('near', 100, 60)
		  . "CREATE TABLE mixed ($all) PARTITION BY HASH (i8);\n"
		  . join(
			'',
			map {
					"CREATE TABLE near_$_ ($all); CREATE FOREIGN TABLE far_$_ PARTITION OF mixed"
				  . " FOR VALUES WITH (MODULUS 3, REMAINDER $_) SERVER loopback"
				  . " OPTIONS (schema_name 'random', table_name 'near_$_');\n"
			} 0 .. 1)
		  . "CREATE TABLE mixed_2 PARTITION OF mixed FOR VALUES WITH (MODULUS 3, REMAINDER 2);\n"
		  . fill('mixed', 100, 60);
	}
	return $sql . "VACUUM ANALYZE;\n";
}

# A table; foreign ones are slow, and rare.
sub table
{
	return $has_foreign && chance(0.008) ? pick('far', 'mixed', 'mixed') : pick(@tables);
}

#
# Parts of queries
#

sub number
{
	my ($limit) = @_;
	return $has_parameter && chance(0.5) ? '$1' : int(rand($limit));
}

sub random_family
{
	return chance(0.35) ? 'integer' : chance(0.2) ? pick(qw(float loose numeric padded interval)) : pick(@family_names);
}

# A condition between two relations on columns that can be compared
sub equality
{
	my ($left, $right, $plain) = @_;
	my $family = random_family();
	my ($one, $other) = map { "$_." . pick(@{ $families{$family} }) } $left, $right;

	# their few values alone would give too many rows
	return "$one = $other AND $left.i4 = $right." . pick(@{ $families{integer} }) if $family =~ /^(enum|bool)$/;
	return "$one = $other" if $plain || chance(0.8);

	# hash joins of the server lose rows of names that only such a collation takes for equal
	return "$one COLLATE $loose = $other" if $family =~ /^(text|loose)$/ && "$one $other" !~ /\.nm\b/;
	return qq($one COLLATE "C" = $other COLLATE "C") if $family eq 'loose';
	return pick("$one + 0 = $other", "$one = $other + 1", "$one = $other AND $left.i8 = $right.i4",
		"$one = stable_number(2) + $other", "$one\::bigint = $other")
	  if $family eq 'integer';
	return "$one IS NOT DISTINCT FROM $other" if chance(0.1);
	return "($one, $left.i4) = ($other, $right.i8)" if chance(0.5);
	return "$one = $other";
}

sub restriction
{
	my ($relation) = @_;
	return pick(
		"$relation.i4 < " . number(60),
		"$relation.i4 > " . number(20),
		"$relation.id % " . pick(2, 3, 7) . " = 0",
		"$relation.i4 = " . number(30),
		"$relation.t LIKE 'k1%'",
		"$relation.i2 IS NULL",
		"$relation.b",
		"coalesce($relation.i8, 3) <> 4",
		"$relation.i4 IN (1, 2, 3, 5, 8, 13, 21)",
		"$relation.i8 < stable_number(" . number(100) . ")",
		"$relation.dom >= volatile_number(" . int(rand(5)) . ")",
		"$relation.i4 > (SELECT min(i4) + 1 FROM r3)",
		"$relation.num < 20.5",
		"$relation.e <> 'odd'");
}

# A condition of WHERE with a sub-select
sub subselect
{
	my ($relation) = @_;
	my $inside = 'x' . $alias++;
	my $table = table();
	my $more = chance(0.6) ? ' AND ' . restriction($inside) : '';
	my $family = random_family();
	my $left = "$relation." . pick(@{ $families{$family} });
	my $right = "$inside." . pick(@{ $families{$family} });
	my @conditions = (
		"EXISTS (SELECT FROM $table AS $inside WHERE $left = $right$more)",
		"EXISTS (SELECT FROM $table AS $inside WHERE $left = $right$more)",
		"NOT EXISTS (SELECT FROM $table AS $inside WHERE $left = $right$more)",
		"$left IN (SELECT $right FROM $table AS $inside WHERE true$more)",
		"$left NOT IN (SELECT $right FROM $table AS $inside WHERE true$more)",
		"$relation.i4 IN (SELECT $inside.i4 FROM $table AS $inside JOIN " . table()
		  . " AS z$inside ON " . equality($inside, "z$inside") . " WHERE true$more)",
		"(SELECT count(*) FROM $table AS $inside JOIN " . table() . " AS z$inside ON "
		  . equality($inside, "z$inside") . " WHERE $inside.i4 = $relation.i4) > " . int(rand(3)));
	push @conditions,
	  "$left IS NOT DISTINCT FROM (SELECT min($right) FROM $table AS $inside WHERE $inside.i4 = $relation.i4)"
	  if $has_min{$family};
	return pick(@conditions);
}

# All columns for SELECT, in some order, with some that exchange their values
sub shuffled_columns
{
	my %source = map { $_ => $_ } @columns;

	@source{qw(i4 dom)} = qw(dom i4) if chance(0.3);
	@source{qw(vc t)} = ('t', 'vc') if chance(0.3);
	return join ', ', map { $source{$_} eq $_ ? $_ : "$source{$_} AS $_" } sort { rand() <=> 0.5 } @columns;
}

# All columns, made of an integer: that is all in which rows differ, and equal ones are the same.  As
# everywhere, none fails for any integer: an error is raised or not, depending on the plan.
sub derived_columns
{
	my ($integer) = @_;
	my %source = (
		id => $integer,
		i2 => "($integer % 10000)::smallint",
		i4 => $integer,
		i8 => "$integer\::bigint",
		f8 => "$integer\::float8",
		t => "'k' || $integer",
		vc => "('K' || $integer)::varchar(20)",
		d => "date '2020-01-01' + $integer % 100000",
		o => "$integer\::oid");
	return join ', ', map {
		my $type = $type{$_} =~ s/ COLLATE .*//r;
		($source{$_} // "NULL::$type") . ($_ eq 'tn' ? " COLLATE $loose" : '') . " AS $_"
	} @columns;
}

# Sub-selects as items of FROM: functions of a table, an alias for it, a condition, and the name of
# the item.
my @sub_selects = (
	sub { my ($table, $x, $where) = @_; return "SELECT * FROM $table AS $x $where" },
	sub {
		my ($table, $x, $where) = @_;
		return 'SELECT ' . shuffled_columns() . " FROM $table AS $x $where OFFSET 0";
	},
	sub {
		my ($table, $x, $where) = @_;
		return "SELECT * FROM $table AS $x $where ORDER BY $x.id LIMIT " . pick(1, 5, 15, 40);
	},
	sub {
		my ($table, $x, $where) = @_;
		my $list = join ', ', @columns;
		my $second = table();
		return "SELECT $list FROM $table UNION ALL SELECT " . ($list =~ s/\bi4\b/dom AS i4/r) . " FROM $second"
		  if chance(0.5);
		my $shuffled = shuffled_columns();
		return "SELECT $list FROM $table UNION ALL SELECT $list FROM (SELECT $shuffled FROM $second OFFSET 0) AS s";
	},
	sub {
		my ($table, $x, $where) = @_;
		my $by = pick(qw(i4 i4 i8 tn num b e t));
		return "SELECT DISTINCT ON ($by) * FROM $table AS $x $where ORDER BY $by, id";
	},
	sub {
		my ($table, $x, $where) = @_;
		return "SELECT DISTINCT ON (t COLLATE $loose) * FROM $table AS $x $where ORDER BY t COLLATE $loose, id";
	},
	sub {
		my ($table, $x, $where) = @_;
		return "SELECT $x.* FROM $table AS $x " . pick('JOIN', 'JOIN', 'LEFT JOIN') . ' ' . table()
		  . " AS y$x ON " . equality($x, "y$x") . " $where";
	},
	sub {
		my ($table, $x, $where) = @_;
		my $function = pick('row_number()', 'count(*)', 'lag(i8)', 'sum(i4)');
		return "SELECT * FROM (SELECT *, $function OVER (" . pick('PARTITION BY i4 ', 'PARTITION BY b ', '')
		  . "ORDER BY id) AS n FROM $table) AS $x WHERE n < 5";
	},
	sub {
		my ($table, $x, $where) = @_;
		my $by = pick(qw(i4 i8 t));
		# arrays of arrays take no null: an error of some plans, and not of others
		my %value = (arr => q{coalesce(arr, '{0, 0}')});
		my @values = map {
			$_ eq $by ? $_ : '(array_agg(' . ($value{$_} // $_) . " ORDER BY id))[1] AS $_"
		} @columns;
		return 'SELECT ' . join(', ', @values)
		  . " FROM $table AS $x $where GROUP BY $by";
	},
	sub {
		my ($table, $x, $where) = @_;
		return "SELECT * FROM $table AS $x WHERE " . subselect($x);
	},
	sub {
		my ($table, $x, $where) = @_;
		my $source = pick('i4', 'i8::int', 'dom::int');
		return 'SELECT ' . derived_columns($source) . " FROM $table AS $x $where "
		  . pick('UNION', 'EXCEPT', 'EXCEPT ALL', 'INTERSECT', 'INTERSECT ALL')
		  . ' SELECT ' . derived_columns($source) . ' FROM ' . pick(@tables);
	},
	sub {
		my ($table, $x, $where) = @_;
		return "SELECT * FROM " . pick(grep { !/^(far|mixed)$/ } @tables) . " AS $x TABLESAMPLE "
		  . pick('BERNOULLI', 'SYSTEM') . ' (' . pick(30, 70, 100) . ') REPEATABLE (' . int(rand(9)) . ") $where";
	},
	sub {
		my ($table, $x, $where) = @_;
		my $set = pick('generate_series(1, i4 % 3)', 'unnest(arr)');
		return "SELECT *, $set AS n FROM $table AS $x $where";
	},
	sub {
		my ($table, $x, $where) = @_;
		return 'SELECT ' . derived_columns('g') . ' FROM generate_series(1, ' . pick(1, 30, 300, 1500) . ') g';
	},
	sub {
		my ($table, $x, $where) = @_;
		return 'SELECT ' . derived_columns('g') . ' FROM (VALUES (1), (2), (NULL), (3), (5)) AS values(g)';
	},
	sub {
		my ($table, $x, $where) = @_;
		return "WITH c AS MATERIALIZED (SELECT * FROM $table AS $x $where) SELECT c.* FROM c JOIN "
		  . pick('c', table()) . ' AS z ON ' . equality('c', 'z');
	},
	sub {
		my ($table, $x, $where) = @_;
		my $other = table();
		my ($one, $two) = (pick(qw(i4 i8 dom)), pick(qw(i4 i8 dom)));
		return "WITH RECURSIVE c(id, n) AS (SELECT id, 0 FROM r3 UNION SELECT y.id, n + 1 FROM c JOIN $table AS $x"
		  . " ON c.id = $x.id JOIN $other AS y ON $x.$one = y.$two AND y.id % 3 = 0 WHERE n < 3) "
		  . "SELECT $x.* FROM $table AS $x JOIN c ON $x.id = c.id";
	},
	sub {
		my ($table, $x, $where) = @_;
		return "SELECT * FROM $table AS $x $where FOR UPDATE";
	});

# An item of FROM; @outer are the aliases that it may refer to, if it is lateral.
sub relation
{
	my (@outer) = @_;
	my $name = 'x' . $alias++;
	my $inside = 'x' . $alias++;
	my $table = table();

	return ("$table AS $name", $name) if $inner_only || chance(0.55);
	if (@outer && chance(0.2))
	{
		my $condition = chance(0.5) ? equality($inside, pick(@outer)) :
		  "$inside.i4 = " . pick(@outer) . ".i4::bigint + $inside.i2";
		my $join = chance(0.4) ? ' JOIN ' . table() . " AS y$name ON " . pick(
			equality($inside, "y$name"),
			"$inside.i4 = y$name.i4::bigint + " . pick(@outer) . '.i2') : '';
		# the planner does not look into some of them, and runs these in a nested loop
		return ("LATERAL (SELECT $inside.* FROM $table AS $inside$join WHERE $condition"
			  . ($join eq '' && chance(0.3) ? " ORDER BY $inside.id LIMIT 3" : chance(0.6) ? ' OFFSET 0' : '')
			  . ") AS $name", $name);
	}
	return ("(SELECT * FROM calendar AS $inside WHERE $inside.i4 " . pick('<', '>', '=') . ' ' . int(rand(50))
		  . ") AS $name", $name) if chance(0.25);
	my $where = chance(0.4) ? 'WHERE ' . restriction($inside) : '';
	# half of them are of those kinds below which a filter has no business
	my $sub_select = chance(0.5) ? pick(@sub_selects[ 1 .. 8 ]) : pick(@sub_selects);
	return ('(' . $sub_select->($table, $inside, $where) . ") AS $name", $name);
}

# Relations joined: the text, and their names
sub joined
{
	my ($nrelations) = @_;
	my ($from, @names) = relation();

	for my $i (2 .. $nrelations)
	{
		my ($item, $name) = relation(@names);
		my @new = ($name);

		if ($item !~ /^LATERAL/ && chance(0.15))
		{
			my ($second, $other) = relation();
			my $type = $inner_only ? 'JOIN' : pick('JOIN', 'JOIN', 'LEFT JOIN');
			$item = "($item $type $second ON " . equality($name, $other) . ')';
			push @new, $other;
		}
		my $type = $inner_only ? 'JOIN' : $item =~ /^LATERAL/ ? pick('JOIN', 'JOIN', 'LEFT JOIN') :
		  pick(('JOIN') x 8, ('LEFT JOIN') x 2, ('RIGHT JOIN') x 2, 'FULL JOIN');
		my $is_full = $type eq 'FULL JOIN';
		my $on = equality(pick(@names), pick(@new), $is_full);
		$on .= ' AND ' . equality(pick(@names), pick(@new), $is_full) if chance(0.25);
		$on .= ' AND ' . restriction(pick(@new)) if !$is_full && chance(0.15);
		$on .= ' AND ' . pick(@names) . ".id <> $name.id" if !$is_full && chance(0.1);
		$from = "($from $type $item ON $on)";
		push @names, @new;
	}
	return ($from, @names);
}

sub condition
{
	my (@names) = @_;
	my @where;

	push @where, restriction(pick(@names)) while chance(0.35);
	push @where, subselect(pick(@names)) if chance(0.3);
	push @where, pick(@names) . '.id IS NULL' if !$inner_only && chance(0.03);
	return @where ? 'WHERE ' . join(' AND ', @where) : '';
}

# A value as it is shown: equal ones have the same text.
sub shown
{
	my ($relation, $column) = @_;
	my $value = "$relation.$column";

	return "$value + 0" if $column =~ /^f/;
	return "trim_scale($value)" if $column eq 'num';
	return "lower($value\::text COLLATE \"C\")" if $column =~ /^(t|tn|ct)$/;
	return "extract(epoch FROM $value)" if $column eq 'iv';
	return $value;
}

# Ids of all relations, and some columns
sub shown_list
{
	my (@names) = @_;
	my $count = 0;
	my @list = ((map { ("$_.id", "$_.i4") } @names),
		map { shown(pick(@names), pick(@columns)) } 1 .. 3);
	return join ', ', map { "$_ AS c" . $count++ } @list;
}

# The same, and an order in which rows that are level are the same: ids are not enough, as UNION ALL
# of a table with itself may exchange other columns.
sub ordered_list
{
	my $list = shown_list(@_);
	return ($list, join(', ', $list =~ / AS (c\d+)/g));
}

# Relations joined by columns of one family, of which each has one: so most are equal, also where a join
# does not name them.  In outer joins, some are compared with two others, which need not be equal.
sub chained
{
	my ($nrelations) = @_;
	my $family = chance(0.6) ? 'integer' : chance(0.3) ? 'loose' : pick(grep { !/^(enum|bool)$/ } @family_names);
	my ($from, $name) = relation();
	my %column = ($name => pick(@{ $families{$family} }));
	my @names = ($name);
	my $compared = sub {
		my ($one, $other) = @_;
		my $collation = $family eq 'loose' && chance(0.4) ? ' COLLATE "C"' : '';
		return "$one.$column{$one}$collation = $other.$column{$other}";
	};

	for (2 .. $nrelations)
	{
		my ($item, $new) = relation();
		my @new = ($new);

		$column{$new} = pick(@{ $families{$family} });
		if (chance(0.2))
		{
			my ($second, $other) = relation();
			$column{$other} = pick(@{ $families{$family} });
			$item = "($item " . pick('JOIN', 'LEFT JOIN') . " $second ON " . $compared->($new, $other) . ')';
			push @new, $other;
		}
		my $type = $inner_only ? 'JOIN' : pick(('JOIN') x 6, ('LEFT JOIN') x 4, 'RIGHT JOIN');
		my $on = $compared->(pick(@names), $new);
		$on .= ' AND ' . $compared->(pick(@names), $new) if chance($type eq 'JOIN' ? 0.2 : 0.6);
		$on .= ' AND ' . restriction(pick(@new)) if chance(0.2);
		$from = "($from $type $item ON $on)";
		# a sub-select that the planner does not look into: it knows of no equality inside
		if (!$inner_only && chance($type eq 'JOIN' ? 0.15 : 0.5))
		{
			my $name = 'x' . $alias++;
			my $shown = pick(@names, @names, @new);
			$from = "(SELECT $shown.* FROM $from OFFSET 0) AS $name";
			%column = ($name => $column{$shown});
			@names = ($name);
			next;
		}
		push @names, @new;
	}
	return ($from, @names);
}

sub random_from
{
	return chained(pick(3, 3, 4, 4, 5)) if chance(0.25);
	return joined(pick(2, 2, 2, 3, 3, 3, 4, 4, 5, 6));
}

#
# Statements.  Each of these functions returns what it is: rows, a query; cursor, one with an
# order; change, a statement that changes a table, with the name of that.
#

# The result of a query, as one row
sub summary
{
	my ($query) = @_;
	return "SELECT count(*) || ' rows ' || coalesce(sum(hashtextextended(r::text, 1)), 0) FROM ($query) AS r";
}

my @shapes = (
	sub { my ($from, $where, @names) = @_; return 'SELECT ' . shown_list(@names) . " FROM $from $where" },
	sub {
		my ($from, $where, @names) = @_;
		my ($list, $order) = ordered_list(@names);
		return "SELECT $list FROM $from $where ORDER BY $order LIMIT " . pick(1, 10, 100) . pick('', '', ' OFFSET 3');
	},
	sub {
		my ($from, $where, @names) = @_;
		return "SELECT count(*), min($names[0].id), max($names[-1].id) FROM $from $where";
	},
	sub {
		my ($from, $where, @names) = @_;
		my $by = pick(shown($names[0], pick(@columns)), "$names[0].i4", "ROLLUP ($names[0].i4, $names[-1].b)");
		my $list = $by =~ /^ROLLUP \((.*)\)/ ? $1 : $by;
		return "SELECT $list, count(*), count(DISTINCT $names[-1].id) FROM $from $where GROUP BY $by";
	},
	sub {
		my ($from, $where, @names) = @_;
		my $by = pick($names[0], $names[-1]) . '.' . pick(qw(t vc tn)) . " COLLATE $loose";
		return qq{SELECT lower(($by) COLLATE "C"), count(*) FROM $from $where GROUP BY $by};
	},
	sub {
		my ($from, $where, @names) = @_;
		return 'SELECT DISTINCT ' . shown($names[0], pick(@columns)) . ' AS a, ' . shown($names[-1], pick(@columns))
		  . " AS b FROM $from $where";
	},
	sub {
		my ($from, $where, @names) = @_;
		return "SELECT $names[0].id, rank() OVER (PARTITION BY $names[-1].i4 ORDER BY $names[0].id) AS n,"
		  . " count(*) OVER (PARTITION BY $names[0].b) AS m FROM $from $where";
	},
	sub {
		my ($from, $where, @names) = @_;
		return 'WITH c AS ' . pick('MATERIALIZED ', 'NOT MATERIALIZED ', '') . '(SELECT ' . shown_list(@names)
		  . " FROM $from $where) SELECT c.*, y.id FROM c JOIN " . table() . " AS y ON c.c1 = y.i4 AND y.id % 3 = 0";
	},
	sub {
		my ($from, $where, @names) = @_;
		return "SELECT o.id, (SELECT count(*) FROM $from " . ($where || 'WHERE true')
		  . " AND $names[0].i4 = o.i4 + " . pick(0, 1) . ') AS n FROM ' . pick(qw(r2 r3)) . ' AS o';
	},
	sub {
		my ($from, $where, @names) = @_;
		my ($second, @others) = joined(2);
		my $column = pick(@columns);
		my ($one, $two) = (shown($names[0], $column), shown($others[0], $column));
		return "SELECT $one, $names[0].i4 FROM $from $where " . pick('UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT')
		  . " SELECT $two, $others[0].i4 FROM $second " . condition(@others);
	});

sub rows
{
	my ($from, @names) = random_from();
	my $shape = chance(0.4) ? $shapes[0] : pick(@shapes);
	return ('rows', summary($shape->($from, condition(@names), @names)));
}

# Rows that are locked are those of tables, in joins that keep none without a partner.
sub locked
{
	$inner_only = 1;
	my ($from, @names) = random_from();
	return ('rows', summary('SELECT ' . shown_list(@names) . " FROM $from " . condition(@names)
			  . ' FOR UPDATE OF ' . pick(@names)));
}

# More keys than an array of hashes takes, or than a filter has room for
sub large
{
	my $limit = pick((3000) x 4, (6000) x 4, (20000) x 2, 220000);
	my $column = pick(qw(i4 i8 t));
	my %column_of_others = (i4 => 'i4', i8 => 'i4', t => 'vc');
	my ($other, $key) = @{ pick([ table(), $column_of_others{$column} ], [ 'large', $column ]) };
	my $join = pick('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN');
	return ('large', "SELECT count(*) || ' rows ' || coalesce(sum(x.id), 0) || ' ' || coalesce(sum(y.id), 0)"
		  . " FROM $other AS x $join (SELECT * FROM large WHERE id <= $limit) AS y ON x.$key = y.$column");
}

sub cursor
{
	my ($from, @names) = random_from();
	my ($list, $order) = ordered_list(@names);
	return ('cursor', "SELECT $list FROM $from " . condition(@names) . " ORDER BY $order");
}

sub target
{
	return pick(grep { !/^r[01]|far|mixed/ } @tables);
}

# UPDATE or DELETE of a table t by its join with others
sub update_or_delete
{
	my ($target) = @_;
	my ($from, @names) = joined(pick(1, 1, 2, 2, 3));
	my $where = condition(@names);
	my $returned = join ', ', map { 't.' . $_ } @columns;

	$where = ($where ? "$where AND " : 'WHERE ') . equality('t', $names[0]);
	return chance(0.5) ? "UPDATE $target AS t SET id = - t.id FROM $from $where RETURNING $returned" :
	  "DELETE FROM $target AS t USING $from $where RETURNING $returned";
}

sub change
{
	my $target = target();
	my $kind = int(rand(4));

	return ('change', 'WITH c AS (' . update_or_delete($target) . ') ' . summary('SELECT id, i4 FROM c'), $target)
	  if $kind == 0;
	return ('change', 'WITH c AS (' . update_or_delete($target) . ') '
		  . summary('SELECT c.id, x.id AS other FROM c JOIN ' . table() . ' AS x ON ' . equality('c', 'x')), $target)
	  if $kind == 1;
	if ($kind == 2)
	{
		my ($from, @names) = joined(2);
		my $values = join ', ', map { "$names[0].$_" } @columns;
		return ('change', "WITH c AS (INSERT INTO $target (" . join(', ', @columns) . ") SELECT $values FROM $from "
			  . condition(@names) . ' RETURNING id, i4) ' . summary('SELECT * FROM c'), $target);
	}
	my $family = random_family();
	my ($one, $other) = map { pick(@{ $families{$family} }) } 1 .. 2;
	my ($from, @names) = joined(pick(1, 2));
	return ('change', "MERGE INTO $target AS t USING (SELECT DISTINCT ON ($names[0].$other) $names[0].* FROM $from "
		  . condition(@names) . " ORDER BY $names[0].$other, " . join(', ', map { "$_.id" } @names) . ') AS s'
		  . " ON t.$one = s.$other WHEN MATCHED AND s.id % 3 = 0 THEN DELETE"
		  . ' WHEN MATCHED THEN UPDATE SET id = - t.id'
		  . pick('', '', ' WHEN NOT MATCHED THEN INSERT (id, i4) VALUES (s.id + 1000000, 7)'), $target);
}

#
# Running
#

# Settings for a statement; the planner is led to hash joins, among others, and now and then to
# merge joins of indexes.
sub settings
{
	my $merges = chance(0.1);

	return (
		enable_nestloop => pick('off', 'off', 'on'),
		enable_mergejoin => $merges ? 'on' : pick('off', 'off', 'on'),
		enable_material => pick('on', 'on', 'off'),
		enable_memoize => pick('on', 'off'),
		enable_seqscan => $merges ? 'off' : pick('on', 'on', 'on', 'off'),
		enable_indexscan => $merges ? 'on' : pick('on', 'on', 'off'),
		enable_bitmapscan => $merges ? 'off' : pick('on', 'off'),
		enable_sort => $merges ? 'off' : pick('on', 'on', 'off'),
		enable_hashagg => pick('on', 'off'),
		enable_incremental_sort => pick('on', 'off'),
		enable_partitionwise_join => pick('off', 'on'),
		enable_partition_pruning => pick('on', 'on', 'off'),
		enable_parallel_hash => pick('on', 'on', 'off'),
		enable_parallel_append => pick('on', 'on', 'off'),
		enable_gathermerge => pick('on', 'off'),
		join_collapse_limit => pick(8, 4, 1),
		from_collapse_limit => pick(8, 1),
		geqo_threshold => pick(12, 12, 12, 2),
		geqo_pool_size => 10,
		geqo_generations => 5,
		geqo_seed => sprintf('%.3f', rand()),
		'bloomtype_plan.enable' => pick('on', 'on', 'off'),
		work_mem => pick('4MB', '4MB', '64kB'),
		hash_mem_multiplier => pick(2, 1),
		'bloomtype_join.min_rows' => pick(20000, 10),
		'bloomtype_join.max_pass' => pick(0.6, 1),
		# the plan that is shown is the one that runs, and a statement is planned once for both
		plan_cache_mode => 'force_generic_plan');
}

# Settings where it is run by parallel workers
sub parallel_settings
{
	my ($has_workers) = @_;

	return (
		# a worker takes longer to start than most queries take; without one, the plan is the same
		max_parallel_workers => $has_workers ? 8 : 0,
		max_parallel_workers_per_gather => pick(1, 2, 2, 3),
		parallel_leader_participation => pick('on', 'off'));
}

sub quoted_array
{
	return "'{" . join(',', map { "\"$_\"" } @_) . "}'";
}

# The statement that runs the random statement of a number
sub comparison
{
	my ($seed, $number) = @_;

	$alias = 0;
	$inner_only = 0;
	$has_parameter = chance(0.15);
	my $kind = rand();
	my ($way, $query, $target) = $kind < 0.85 ? rows() : $kind < 0.88 ? locked() : $kind < 0.89 ? large() :
	  $kind < 0.92 ? cursor() : change();
	my $is_large = $way eq 'large';
	my ($limit, $time) = $is_large ? (20000, '3s') : (500, '600ms');
	$way = 'rows' if $way eq 'large';
	my @steps = $way eq 'cursor' ? map { int(rand(30)) } 1 .. 8 : $has_parameter ? map { int(rand(40)) } 1 .. 3 : (0);

	return "SET statement_timeout = '$time';\nCALL compare($seed, $number, '$way', "
	  . quoted_array(settings()) . ', ' . quoted_array(parallel_settings($is_large || chance(0.16)))
	  . ", \$query\$$query\$query\$, '" . ($target // '') . "', '{" . join(',', @steps) . "}', $limit);\n";
}

# Statements that are too rare among the random ones, once for each seed
sub rare_comparisons
{
	my ($seed) = @_;
	my @no_choice = map { ("enable_$_" => 'off') } qw(nestloop sort bitmapscan material);
	my @memory = (work_mem => '64kB', hash_mem_multiplier => 1);

	# the rows depend on which of equal values is taken, and the settings leave one: of a group, the first
	my $grouping =
	    'SELECT x.tn, n, y.id FROM (SELECT tn, count(leader_number(id)) AS n FROM r7 GROUP BY tn) AS x'
	  . ' JOIN r3 AS y ON x.tn COLLATE "C" = y.tn COLLATE "C"';
	my @by_hash = (@no_choice, map { ("enable_$_" => 'off') } qw(mergejoin indexscan indexonlyscan));

	# a merge join that goes back in its inner index scan, which a hash join could filter
	my $merging =
	    'SELECT x.id, z.id AS other FROM (SELECT y.id, y.dom FROM r5 AS x JOIN r6 AS y USING (i4)'
	  . ' ORDER BY x.i4 OFFSET 0) AS x JOIN r3 AS z ON x.dom = z.i4';
	my @by_index = (@no_choice, enable_seqscan => 'off');

	# outer joins by two columns of the side that is kept, which need not be equal: of the larger side,
	# and of the smaller one
	my ($left, $right) = map {
		my ($one, $two, $other) = @$_;
		"SELECT x.id, x.other FROM (SELECT x.id, x.i4, y.id AS other FROM ($one AS x JOIN $two AS y ON x.b = y.b)"
		  . " LEFT JOIN $other AS z ON x.i4 = z.i4 AND y.i4 = z.i4 OFFSET 0) AS x JOIN r6 AS d ON x.i4 = d.i4"
	} [ 'r6', 'r5', 'r4' ], [ 'r3', 'r3', 'r7' ];

	# columns that are equal under another collation than that of the filter's key
	my $collated = 'SELECT x.id, y.id AS other FROM (r6 AS x JOIN r7 AS y ON x.tn = y.tn)'
	  . ' JOIN r4 AS z ON x.tn COLLATE "C" = z.tn COLLATE "C"';

	# more keys than a filter has room for
	my $overfull = 'SELECT count(*), sum(x.id) FROM large AS x JOIN large AS y ON x.i8 = y.i4';

	# joins that are planned for more rows
	my $corrected = 'SELECT x.id, z.id AS other FROM (SELECT i4 FROM r5 UNION ALL SELECT i4 FROM r6) AS w'
	  . ' JOIN r7 AS x USING (i4) JOIN calendar AS y ON x.i4 = y.i8 JOIN r4 AS z ON z.i8 = y.i4 WHERE y.ts < \'2020-01-06\'';

	# a scan on the inner side of a nested loop, which depends on the outer row
	my $loop =
	    'SELECT x.id, y.id AS other FROM r7 AS x CROSS JOIN LATERAL (SELECT id, dom FROM r6 WHERE i4 = x.i4 OFFSET 0) AS y'
	  . ' JOIN (SELECT * FROM r4 OFFSET 0) AS z ON y.dom = z.i8';

	# few keys, which lie in few partitions: often those at the ends of these
	my %keys = (%partitioned_by, h => ['i4'], g => ['i4']);
	my @of_partitions = map {
		my $table = pick(qw(l l n n n g h));
		my $key = pick(@{ $keys{$table} });
		my $other = $key eq 'd' ? 'd' : pick(@{ $families{integer} });
		my $constant = $key eq 'd' ? "date '2020-01-01' + " . int(rand(40)) : pick(5, 7 .. 13, 20);
		my $keys = chance(0.5) ? 'ORDER BY z.id OFFSET ' . int(rand(40)) . ' LIMIT ' . pick(1, 2, 4) :
		  "WHERE z.$other = $constant OFFSET 0";
		"SELECT x.id, y.id AS other FROM $table AS x JOIN (SELECT * FROM " . pick(qw(r5 r6 r7 l n))
		  . " AS z $keys) AS y ON x.$key = y.$other"
	} 1 .. 40;

	return map {
		my ($query, @settings) = @$_;
		"CALL compare($seed, 0, 'rows', " . quoted_array(@settings, @memory) . ", '{jit,off}', \$\$"
		  . summary($query) . "\$\$, '', '{0}', 100000);\n"
	} [ $grouping, @by_hash ], [ $merging, @by_index ], [ $overfull, @by_hash ], [ $left, @by_hash ], [ $right, @by_hash ],
	  [ $loop, @by_index, join_collapse_limit => 1, enable_memoize => 'on' ],
	  [ $loop, @by_index, join_collapse_limit => 1, enable_memoize => 'off' ],
	  [ $collated, @by_hash, join_collapse_limit => 1 ],
	  [ $corrected, @by_hash, 'bloomtype_plan.enable' => 'on' ], map { [ $_, @by_hash ] } @of_partitions;
}

# The settings of a session that runs them
sub session
{
	return q{
SET client_min_messages = error;
LOAD 'bloomtype_join';
LOAD 'bloomtype_plan';
SET bloomtype_plan.enable = off;
SET search_path = random, public;
SET jit = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 0;
};
}

# The procedure compare(), and what it needs
sub functions
{
	my $untrusted = join '|', @untrusted;
	return q{
CREATE FUNCTION note(event text) RETURNS void LANGUAGE sql AS
	'INSERT INTO tally VALUES ($1, 1) ON CONFLICT (what) DO UPDATE SET n = tally.n + 1';

CREATE FUNCTION use_settings(pairs text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. array_length(pairs, 1) / 2 LOOP
		PERFORM set_config(pairs[2 * i - 1], pairs[2 * i], true);
	END LOOP;
END $$;

-- Plan a statement.  Its plan is kept, under the name q, but for that of a cursor.
CREATE FUNCTION plan_of(way text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
	command text := CASE way WHEN 'cursor' THEN 'DECLARE c SCROLL CURSOR FOR ' || query ELSE 'EXECUTE q(1)' END;
BEGIN
	IF way <> 'cursor' THEN
		EXECUTE 'DEALLOCATE ALL';
		EXECUTE 'PREPARE q(int) AS ' || query;
	END IF;
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || command LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
EXCEPTION WHEN query_canceled OR OTHERS THEN
	RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END $$;

-- The rows of a cursor at some positions, forth and back
CREATE FUNCTION result_of_cursor(query text, steps int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	r record;
	step int;
	result text := '';
BEGIN
	OPEN c SCROLL FOR EXECUTE query;
	FOREACH step IN ARRAY steps LOOP
		FETCH ABSOLUTE step FROM c INTO r;
		result := result || coalesce(hashtext(r::text)::text, '-') || ' ';
	END LOOP;
	FETCH LAST FROM c INTO r;
	result := result || coalesce(hashtext(r::text)::text, '-') || ' ';
	FETCH PRIOR FROM c INTO r;
	CLOSE c;
	RETURN result || coalesce(hashtext(r::text)::text, '-');
END $$;

-- The result of a statement that is planned, or an error.  What it has changed is undone.
CREATE FUNCTION result_of(way text, query text, target text, steps int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	step int;
	part text;
	result text := '';
BEGIN
	IF way = 'cursor' THEN
		RETURN result_of_cursor(query, steps);
	END IF;
	FOREACH step IN ARRAY steps LOOP
		part := '';
		IF way = 'change' AND query LIKE 'MERGE%' THEN
			EXECUTE 'EXECUTE q(' || step || ')';
		ELSE
			EXECUTE 'EXECUTE q(' || step || ')' INTO part;
		END IF;
		result := result || coalesce(part, 'null') || ' ';
	END LOOP;
	IF way = 'change' THEN
		EXECUTE 'SELECT count(*) || '' left '' || coalesce(sum(hashtextextended(id || ''/'' || i4, 1)), 0) FROM '
			|| target INTO part;
		RAISE EXCEPTION USING MESSAGE = result || part, ERRCODE = 'BT001';
	END IF;
	RETURN result;
EXCEPTION
	WHEN SQLSTATE 'BT001' THEN
		RETURN SQLERRM;
	WHEN query_canceled OR OTHERS THEN
		RETURN 'error ' || SQLSTATE || ' ' || SQLERRM;
END $$;

-- Run a statement without filters and corrected rows, then in other ways, and compare.
CREATE PROCEDURE compare(seed int, number int, way text, settings text[], parallel_settings text[], query text,
	target text, steps int[], cost_limit numeric) LANGUAGE plpgsql AS $$
DECLARE
	corrects text;
	corrected text;
	plan text;
	expected text;
	found text;
	mode text;
	start timestamptz;
BEGIN
	PERFORM use_settings(settings);
	corrects := current_setting('bloomtype_plan.enable');
	PERFORM set_config('bloomtype_join.enable', 'off', true);
	corrected := plan_of(way, query);
	PERFORM set_config('bloomtype_plan.enable', 'off', true);
	plan := plan_of(way, query);
	IF corrected <> plan THEN
		PERFORM note('with corrected rows');
	END IF;
	IF (substring(plan FROM 'cost=[0-9.]+[.][.]([0-9.]+)')::numeric % 10000000000) > cost_limit THEN
		PERFORM note('too costly');
		RETURN;
	END IF;
	start := clock_timestamp();
	expected := CASE WHEN plan LIKE 'error%' THEN plan ELSE result_of(way, query, target, steps) END;
	PERFORM note('executions');
	IF extract(epoch FROM clock_timestamp() - start) * 1000 > cost_limit / 5 THEN
		PERFORM note('too slow');
		RETURN;
	END IF;
	PERFORM note('queries');
	IF expected LIKE 'error%' THEN
		PERFORM note('failed');
	ELSIF expected NOT LIKE '0 %' THEN
		PERFORM note('with rows');
	END IF;

	PERFORM set_config('bloomtype_plan.enable', corrects, true);
	FOREACH mode IN ARRAY ARRAY['force', 'spill', 'parallel'] LOOP
		PERFORM set_config('bloomtype_join.enable', 'force', true);
		IF mode = 'spill' THEN
			CONTINUE WHEN array_to_string(settings, ' ') LIKE '%work_mem 64kB hash_mem_multiplier 1%';
			PERFORM set_config('work_mem', '64kB', true);
			PERFORM set_config('hash_mem_multiplier', '1', true);
		ELSIF mode = 'parallel' THEN
			PERFORM use_settings(settings);
			PERFORM use_settings(parallel_settings);
		END IF;
		plan := plan_of(way, query);
		IF plan LIKE 'error%' THEN
			found := plan;
		ELSIF plan NOT LIKE '%BloomtypeProbe%' THEN
			-- without a filter here, there is hardly one in the other modes
			EXIT WHEN mode = 'force';
			CONTINUE;
		ELSIF plan ~ '(?n)Runtime Filter Keys: .*[.](UNTRUSTED)\M' THEN
			found := 'a filter of a type that has none';
		ELSE
			CONTINUE WHEN mode = 'parallel' AND plan NOT LIKE '%Gather%';
			found := result_of(way, query, target, steps);
			PERFORM note('executions');
			PERFORM note('with filter: ' || mode);
			IF mode = 'parallel' AND current_setting('max_parallel_workers')::int > 0 THEN
				PERFORM note('with workers');
			END IF;
			IF plan LIKE '%Parallel Custom Scan (BloomtypeBuild)%' THEN
				PERFORM note('with a shared filter');
			END IF;
			-- a condition on columns of another table; as of 18, a line may say that a node is disabled
			IF plan ~ '(?n)[(]BloomtypeProbe[)].*\n(.*\n){2,3} *->  .* Scan .*\n(.*\n){1,2} *(Filter|Index Cond): [(]+[^()]* = [(]*x[0-9]*[._]' THEN
				PERFORM note('with a filter in a nested loop');
			END IF;
		END IF;
		EXIT WHEN found LIKE 'error 57014%';
		-- a row that is left out may be the one that would have raised an error
		IF found IS DISTINCT FROM expected AND (expected NOT LIKE 'error%' OR found LIKE 'error XX%') THEN
			INSERT INTO findings VALUES (seed, number, mode, expected, found, plan, settings || parallel_settings,
				query);
		END IF;
	END LOOP;
END $$;
} =~ s/UNTRUSTED/$untrusted/r;
}

#
# Servers
#

sub configuration
{
	return q{
max_worker_processes = 8
max_parallel_workers = 8
shared_buffers = 64MB
autovacuum = off
track_activity_query_size = 32kB
};
}

# Does the server have what this statement needs?
sub succeeds
{
	my ($node, $sql) = @_;
	my ($status) = $node->psql('postgres', $sql);
	return $status == 0;
}

sub prepare
{
	my ($node) = @_;

	# without ICU, all collations are deterministic
	my $collation = succeeds($node,
		q{CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)}) ?
	  'loose' : '"C"';
	my $citext = succeeds($node, 'CREATE EXTENSION citext');
	my $foreign = succeeds($node, 'CREATE EXTENSION postgres_fdw');
	$node->safe_psql('postgres',
			"CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '" . $node->host
		  . "', port '" . $node->port . "', dbname 'postgres', async_capable 'true', fetch_size '20');"
		  . 'CREATE USER MAPPING FOR CURRENT_USER SERVER loopback') if $foreign;
	$node->safe_psql('postgres',
		preparation(loose => $collation, citext => $citext, foreign => $foreign) . functions());
	return "collation: $collation; citext: " . ($citext ? 'yes' : 'no') . '; postgres_fdw: '
	  . ($foreign ? 'yes' : 'no');
}

# Run statements, of which some may take longer than they are given: how many did.
sub run_statements
{
	my ($node, $sql) = @_;
	my ($status, undef, $errors) = $node->psql('postgres', session() . $sql, on_error_stop => 0);
	my @given_up = $errors =~ /canceling statement due to statement timeout/g;
	my @others = grep { /ERROR|FATAL|PANIC|server closed/ && !/statement timeout/ } split /\n/, $errors;

	die "psql returned $status: @others" if $status != 0 || @others;
	return scalar @given_up;
}

sub make_tables
{
	my ($node, $seed) = @_;

	srand($seed);
	$node->safe_psql('postgres', session() . tables());
	return;
}

sub run_made
{
	my ($node, $seed, $n) = @_;
	my $ngiven_up = 0;
	my @statements = (rare_comparisons($seed), map { comparison($seed, $_) } 1 .. $n);
	while (my @some = splice @statements, 0, 250)
	{
		$ngiven_up += run_statements($node, join('', @some));
		last if findings($node) ne '';
	}
	return $ngiven_up;
}

sub run_seed
{
	my ($node, $seed, $n) = @_;

	make_tables($node, $seed);
	return run_made($node, $seed, $n);
}

sub findings
{
	my ($node) = @_;
	return $node->safe_psql(
		'postgres', q{
	SELECT format(E'seed %s, number %s, %s\nexpected: %s\nfound:    %s\nsettings: %s\n%s\n%s',
		seed, number, mode, expected, found, settings, query, plan)
	FROM findings ORDER BY length(query) LIMIT 5});
}

1;
