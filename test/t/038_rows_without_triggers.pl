# Rows that come, change or go without the triggers that keep a filter, of doc/recipes.md and here: each way
# of the table of doc/special-cases.md, that it is one, and that what the page says to do about it helps.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RecipesPage;
use Test::More;

my @initdb = (extra => [ '--locale=C', '--encoding=UTF8' ]);
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(@initdb, allows_streaming => 'logical');
$node->start;
my $subscriber = PostgreSQL::Test::Cluster->new('subscriber');
$subscriber->init(@initdb);
$subscriber->start;

# A trigger that adds the keys of a statement to a bloom, and one for each row
my $trigger = q{
CREATE FUNCTION add_customers() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	UPDATE filter SET f = bloom_add_all(f, (SELECT array_agg(id) FROM added))
	WHERE name = 'customer' AND EXISTS (SELECT FROM added);
	RETURN NULL;
END $$;

CREATE TRIGGER add_customers AFTER INSERT ON customer
	REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION add_customers();
ALTER TABLE customer ENABLE ALWAYS TRIGGER add_customers;
};
my $members = recipe("CREATE TABLE member (id int PRIMARY KEY);\nCREATE TABLE member_filter (f cuckoo NOT NULL);\n"
	  . 'INSERT INTO member_filter VALUES (cuckoo_create(50000))');
my $rebuild = recipe("BEGIN;\nLOCK TABLE customer");
my $for_each_row = q{
CREATE FUNCTION add_customer() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	UPDATE filter SET f = bloom_add(f, NEW.id) WHERE name = 'customer' AND NOT bloom_contains(f, NEW.id);
	RETURN NULL;
END $$;

CREATE TRIGGER add_customer AFTER INSERT OR UPDATE ON customer
	FOR EACH ROW EXECUTE FUNCTION add_customer();
ALTER TABLE customer ENABLE ALWAYS TRIGGER add_customer;
};
my $publish = recipe('CREATE PUBLICATION customers');
my $attach = recipe("BEGIN;\nALTER TABLE customer ATTACH");

# The same for the recipe with a cuckoo filter
my $rebuild_cuckoo = $rebuild =~ s/customer IN/member IN/r
  =~ s/filter SET f = .*;/member_filter SET f = (SELECT cuckoo_agg(id, 50000, 0.01) FROM member);/r;
my $always = join '', map { /^(ALTER TABLE \w+ ENABLE ALWAYS[^;]*;\n)/m } $trigger, $members;
my $publish_cuckoo = 'CREATE PUBLICATION members FOR TABLE member, member_filter;';
my $attach_cuckoo = $attach =~ s/customer/member/gr
  =~ s/UPDATE filter SET f = bloom_add_all(.*) WHERE .*;/UPDATE member_filter SET f = cuckoo_add_all$1;/r;

# The tables of a database, with both filters, with ten keys in each; with partitions for keys below and from
# 1000 on, the latter not attached yet.
my $ndatabases = 0;

sub create_tables
{
	my (%with) = @_;
	my $server = $with{server} // $node;
	my $database = 'database' . $ndatabases++;
	my $sql = q{
		CREATE EXTENSION bloomtype;
		CREATE TABLE filter (name text PRIMARY KEY, f bloom NOT NULL);
		CREATE TABLE customer (id int PRIMARY KEY);
		INSERT INTO filter VALUES ('customer', bloom_create(1000));
	} . $trigger . $members;

	if ($with{partitions})
	{
		my $of = 'FOR VALUES FROM (0) TO (1000)';

		foreach my $table (qw(customer member))
		{
			$sql =~ s/(CREATE TABLE $table \(id int PRIMARY KEY\));/$1 PARTITION BY RANGE (id);
				CREATE TABLE ${table}_1 PARTITION OF $table $of;
				CREATE TABLE ${table}_2 (id int PRIMARY KEY);/;
		}
	}
	$sql .= 'INSERT INTO customer SELECT generate_series(1, 10);
		INSERT INTO member SELECT generate_series(1, 10);' unless $with{empty};
	$server->safe_psql('postgres', "CREATE DATABASE $database");
	$server->safe_psql($database, $sql);
	return $database;
}

# The keys of customer, and of member, that their filters deny; and keys that the cuckoo filter has too many
my $lost = q{
	SELECT (SELECT count(*) FROM customer WHERE NOT (SELECT f FROM filter WHERE name = 'customer') @> id),
		(SELECT count(*) FROM member WHERE NOT (SELECT f FROM member_filter) @> id),
		(SELECT cuckoo_cardinality(f) FROM member_filter) - (SELECT count(*) FROM member)};

sub lost_is
{
	my ($database, $expected, $what, $server) = @_;

	is(($server // $node)->safe_psql($database, $lost), $expected, $what);
	return;
}

# A hundred rows more in both tables
sub insert
{
	my ($database, $from, $suffix) = @_;
	my $to = $from + 99;

	$suffix //= '';
	$node->safe_psql($database, "INSERT INTO customer$suffix SELECT generate_series($from, $to);
		INSERT INTO member$suffix SELECT generate_series($from, $to)");
	return;
}

# Insert, change and delete rows, with other keys in both tables.
my $changes = q{
	INSERT INTO customer SELECT generate_series(101, 200);
	INSERT INTO member SELECT generate_series(101, 200);
	DELETE FROM member WHERE id % 3 = 0;
	UPDATE member SET id = id + 500 WHERE id % 3 = 1};

my %tests;

$tests{'logical replication, on the subscriber'} = sub {
	my $slot = 0;
	my $subscribe = sub {
		my ($database, $target, $publication) = @_;
		my $name = 's' . $slot++;

		$subscriber->safe_psql($target, "CREATE SUBSCRIPTION $name CONNECTION \$\$"
			  . $node->connstr($database) . "\$\$ PUBLICATION $publication");
		$subscriber->wait_for_subscription_sync($node, $name, $target);
		return $name;
	};
	my $arrived_ok = sub {
		my ($database, $target, @names) = @_;

		$node->wait_for_catchup($_) foreach @names;
		is($subscriber->safe_psql($target, 'SELECT sum(id) FROM customer UNION ALL SELECT sum(id) FROM member'),
			$node->safe_psql($database, 'SELECT sum(id) FROM customer UNION ALL SELECT sum(id) FROM member'),
			'the rows have arrived');
	};
	my $drop = sub {
		my ($target, @names) = @_;
		$subscriber->safe_psql($target, "DROP SUBSCRIPTION $_") foreach @names;
	};

	# the triggers, with ENABLE ALWAYS, on the subscriber
	my $database = create_tables();
	my $target = create_tables(server => $subscriber, empty => 1);
	$node->safe_psql($database, 'CREATE PUBLICATION rows FOR TABLE customer, member');
	my @names = $subscribe->($database, $target, 'rows');
	lost_is($target, '0|0|0', 'statement triggers that are always enabled fire for the first copy', $subscriber);
	insert($database, 101);
	$arrived_ok->($database, $target, @names);
	lost_is($target, '100|100|-100', 'but not for what comes later', $subscriber);
	$node->safe_psql($database, 'TRUNCATE member');
	$arrived_ok->($database, $target, @names);
	is($subscriber->safe_psql($target, 'SELECT cuckoo_cardinality(f) FROM member_filter'), 0, 'that on TRUNCATE does');

	# a trigger for each row instead
	$subscriber->safe_psql($target, 'DROP TRIGGER add_customers ON customer;' . $for_each_row . $rebuild);
	$node->safe_psql($database, 'INSERT INTO customer SELECT generate_series(301, 400);
		UPDATE customer SET id = id + 1000 WHERE id > 350');
	$arrived_ok->($database, $target, @names);
	like($subscriber->safe_psql($target, $lost), qr/^0\|/, 'a trigger for each row loses none');
	$drop->($target, @names);

	# the filters are published, and there is no trigger on the subscriber
	$database = create_tables();
	$target = create_tables(server => $subscriber, empty => 1);
	$node->safe_psql($database, 'ALTER TABLE member_filter REPLICA IDENTITY FULL;' . $publish . $publish_cuckoo);
	$subscriber->safe_psql($target, 'DROP FUNCTION add_customers, follow_members CASCADE;
		TRUNCATE filter, member_filter;
		ALTER TABLE member_filter REPLICA IDENTITY FULL');
	@names = ($subscribe->($database, $target, 'customers, members'));
	lost_is($target, '0|0|0', 'filters that are published: first copy', $subscriber);
	$node->safe_psql($database, $changes);
	$arrived_ok->($database, $target, @names);
	lost_is($target, '0|0|0', 'filters that are published: changes', $subscriber);
	$node->safe_psql($database, 'TRUNCATE member; INSERT INTO member VALUES (1)');
	$arrived_ok->($database, $target, @names);
	lost_is($target, '0|0|0', 'filters that are published: TRUNCATE', $subscriber);
	$drop->($target, @names);
};

$tests{'`session_replication_role = replica`'} = sub {
	my $database = create_tables();
	my $replica = 'SET session_replication_role = replica;';

	$node->safe_psql($database, $replica . $changes);
	lost_is($database, '0|0|0', 'a session of a replica');
	$node->safe_psql($database, $replica . "COPY customer FROM PROGRAM 'seq 301 400';
		COPY member FROM PROGRAM 'seq 1301 1400'; TRUNCATE member; COPY member FROM PROGRAM 'seq 1 9'");
	lost_is($database, '0|0|0', 'COPY and TRUNCATE in it');
	$node->safe_psql($database, 'ALTER TABLE customer ENABLE TRIGGER ALL; ALTER TABLE member ENABLE TRIGGER ALL');
	$node->safe_psql($database, $replica . 'INSERT INTO customer SELECT generate_series(501, 600);
		INSERT INTO member SELECT generate_series(501, 600)');
	lost_is($database, '100|100|-100', 'which needs ENABLE ALWAYS');
};

$tests{'`pg_restore --disable-triggers`, `ALTER TABLE ... DISABLE TRIGGER`'} = sub {
	my ($source, $target) = (create_tables(), create_tables());
	my $file = $node->basedir . '/rows.dump';

	$node->safe_psql($source, 'TRUNCATE customer, member; INSERT INTO customer SELECT generate_series(101, 200);
		INSERT INTO member SELECT generate_series(101, 200)');
	command_ok([ 'pg_dump', '--no-sync', '-a', '-F', 'custom', '-t', 'customer', '-t', 'member', '-f', $file,
			'-d', $node->connstr($source) ], 'pg_dump');
	command_ok([ 'pg_restore', '--exit-on-error', '-a', '--disable-triggers', '-d', $node->connstr($target), $file ],
		'pg_restore --disable-triggers');
	lost_is($target, '100|100|-100', 'no trigger has fired');
	my $enabled = q{SELECT DISTINCT tgenabled FROM pg_trigger WHERE NOT tgisinternal};
	is($node->safe_psql($target, $enabled), 'O', 'and they are no longer always enabled');
	$node->safe_psql($target, $rebuild . $rebuild_cuckoo . $always);
	lost_is($target, '0|0|0', 'filters that are made anew have all keys');
	is($node->safe_psql($target, $enabled), 'A', 'and triggers are always enabled again');
};

$tests{'a statement that names a partition, or a table that inherits'} = sub {
	my $database = create_tables(partitions => 1);

	insert($database, 101, '_1');
	lost_is($database, '100|100|-100', 'the triggers of the parent do not fire for a partition');

	# make them for the partition, too
	foreach my $trigger ($trigger, $members)
	{
		my $sql = join '', $trigger =~ /^((?:CREATE TRIGGER|ALTER TABLE \w+ ENABLE)[^;]*;\n)/mg;
		$node->safe_psql($database, $sql =~ s/(ON|TABLE) (customer|member)\b/$1 $2_1/gr);
	}
	$node->safe_psql($database, $rebuild . $rebuild_cuckoo);
	insert($database, 201, '_1');
	lost_is($database, '0|0|0', 'triggers of the partition do');
	insert($database, 301);
	lost_is($database, '0|0|0', 'those of both do not fire for one statement');
	$node->safe_psql($database, 'DELETE FROM member_1 WHERE id % 3 = 0; DELETE FROM member WHERE id % 5 = 0;
		UPDATE member_1 SET id = id + 500 WHERE id % 3 = 1');
	lost_is($database, '0|0|0', 'nor when rows are changed or deleted');
	$node->safe_psql($database, $attach . $attach_cuckoo . 'INSERT INTO member VALUES (1001); TRUNCATE member_1');
	lost_is($database, '0|0|0', 'TRUNCATE of one partition leaves the keys of others');

	# a table that inherits
	$database = create_tables();
	$node->safe_psql($database, 'CREATE TABLE heir () INHERITS (customer);
		INSERT INTO heir SELECT generate_series(101, 200)');
	like($node->safe_psql($database, $lost), qr/^100\|/, 'the triggers of the parent do not fire for a table that inherits');
};

$tests{'`ATTACH PARTITION`, `DETACH PARTITION`, `INHERIT`, `NO INHERIT`'} = sub {
	my $database = create_tables(partitions => 1);

	insert($database, 1001, '_2');
	$node->safe_psql($database, $_ =~ s/UPDATE.*//r) foreach $attach, $attach_cuckoo;
	lost_is($database, '100|100|-100', 'no trigger has fired');
	$node->safe_psql($database, 'ALTER TABLE customer DETACH PARTITION customer_2; ALTER TABLE member DETACH PARTITION member_2');
	$node->safe_psql($database, $attach . $attach_cuckoo);
	lost_is($database, '0|0|0', 'the keys of a partition are added as it is attached');
	$node->safe_psql($database, 'BEGIN; ALTER TABLE member DETACH PARTITION member_2;
		UPDATE member_filter SET f = cuckoo_remove_all(f, ARRAY(SELECT id FROM member_2)); COMMIT');
	lost_is($database, '0|0|0', 'and removed as it is detached');

	$database = create_tables();
	$node->safe_psql($database, 'CREATE TABLE heir (LIKE customer); INSERT INTO heir SELECT generate_series(101, 200);
		ALTER TABLE heir ALTER id SET NOT NULL, INHERIT customer');
	like($node->safe_psql($database, $lost), qr/^100\|/, 'no trigger fires for INHERIT');
};

$tests{'`TRUNCATE`'} = sub {
	my $database = create_tables();

	$node->safe_psql($database, 'TRUNCATE customer, member');
	is($node->safe_psql($database, 'SELECT bloom_cardinality(f) FROM filter'), 10, 'a bloom keeps the keys');
	is($node->safe_psql($database, 'SELECT cuckoo_cardinality(f) FROM member_filter'), 0, 'a cuckoo does not');
	$node->safe_psql($database, $changes);
	lost_is($database, '0|0|0', 'rows that come afterwards are found');
	$node->safe_psql($database, 'DROP TRIGGER emptied ON member; TRUNCATE member');
	like($node->safe_psql($database, $lost), qr/\|[1-9]\d*$/, 'which needs the trigger');
};

$tests{'`ALTER TABLE ... TYPE ... USING`, or another rewrite that changes keys'} = sub {
	my $database = create_tables();

	$node->safe_psql($database, 'ALTER TABLE customer ALTER id TYPE bigint USING id + 1000;
		ALTER TABLE member ALTER id TYPE bigint USING id + 1000');
	lost_is($database, '10|10|0', 'no trigger has fired');
	$node->safe_psql($database, $rebuild . $rebuild_cuckoo);
	lost_is($database, '0|0|0', 'filters that are made anew have all keys');
};

my ($section) = $page =~ /^## Rows that no trigger sees\n(.*)/ms;
my @ways = $section =~ /^\| (.*?) \| .*\|$/mg;
is(join("\n", sort grep { !/^(way|---)$/ } @ways), join("\n", sort keys %tests), 'each way of the page has its test');
foreach my $way (sort keys %tests)
{
	note($way);
	$tests{$way}->();
}

$node->stop;
$subscriber->stop;
done_testing();
