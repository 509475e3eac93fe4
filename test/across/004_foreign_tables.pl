# Foreign tables between the oldest major version and each newer one, in both directions: filters
# travel both ways with their bytes, and what is sent to the other server, functions, operators
# and aggregates, gives there what it gives here.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use Majors;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($oldest, @newer) = @majors;
my %node;

for my $major (@majors)
{
	$node{$major} = new_server('server', $major, 'max_parallel_workers_per_gather = 0');
	$node{$major}->start;
	plan skip_all => "$major has no postgres_fdw"
	  unless $node{$major}->safe_psql('postgres',
		q{SELECT 1 FROM pg_available_extensions WHERE name = 'postgres_fdw'});
	$node{$major}->safe_psql('postgres', 'CREATE DATABASE remote');
	$node{$major}->safe_psql('remote', q{
		CREATE EXTENSION bloomtype;
		CREATE TABLE keys AS
			SELECT i::bigint AS id, 'key ' || i AS s, i % 3 AS g, date '2020-01-01' + i % 800 AS day,
				ARRAY[i, i + 1] AS pair
			FROM generate_series(1, 10000) i;
		CREATE TABLE filters AS
			SELECT n, bloom_agg(i) AS f, counting_bloom_agg(i) AS c, cuckoo_agg(i) AS u,
				external_bloom_agg('key ' || i, 'redis', 0.01) AS r, bloom_key(n) AS k
			FROM unnest('{1,128,129,5000}'::int[]) n, generate_series(1, n) i GROUP BY n;
		INSERT INTO filters VALUES (0);
		INSERT INTO filters (f)
		SELECT bloom_add_all(bloom_create(100, 0.1), ARRAY(SELECT generate_series(1, 3000)));
		CREATE TABLE received (LIKE filters)});
}

sub connect_servers
{
	my ($here, $there, $database) = @_;
	my ($host, $port) = ($there->host, $there->port);

	# `far' may run what the extension has, `plain' may not; rows are said to be expensive
	$here->safe_psql('postgres', "CREATE DATABASE $database");
	$here->safe_psql($database, qq{
		CREATE EXTENSION bloomtype;
		CREATE EXTENSION postgres_fdw;
		CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'remote', extensions 'bloomtype', fdw_tuple_cost '1');
		CREATE SERVER plain FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$host', port '$port', dbname 'remote');
		CREATE USER MAPPING FOR CURRENT_USER SERVER far;
		CREATE USER MAPPING FOR CURRENT_USER SERVER plain;
		CREATE SCHEMA plain;
		CREATE SCHEMA near;
		IMPORT FOREIGN SCHEMA public FROM SERVER far INTO public;
		IMPORT FOREIGN SCHEMA public FROM SERVER plain INTO plain;
		CREATE TABLE near.keys AS TABLE keys;
		CREATE TABLE near.filters AS TABLE filters;
		CREATE TABLE wanted AS
			SELECT bloom_agg(i::bigint) AS ids, bloom_agg('key ' || i) AS texts, bloom_agg(i, 0.05) AS few
			FROM generate_series(9901, 10100) i;
		ANALYZE;
		ANALYZE keys, filters});
	return;
}

# The rows of a query, in short.
sub digest
{
	my ($node, $database, $query) = @_;
	return $node->safe_psql($database, qq{
		SELECT count(*), md5(string_agg(x::text, ' ' ORDER BY x::text)) FROM ($query) x});
}

my $bytes = 'SELECT n, f::bytea AS f, c::bytea AS c, u::bytea AS u, r, k FROM ';

# What is sent, and the part of the remote query by which that is seen.
my @shipped = (
	# probes; a filter of this server is sent
	[ 'SELECT id FROM keys WHERE bloom_contains((SELECT ids FROM wanted), id)',
		qr/WHERE .*public\.bloom_contains\(\$1::public\.bloom, id\)/ ],
	[ 'SELECT id FROM keys WHERE s <@ (SELECT texts FROM wanted)',
		qr/WHERE .*s OPERATOR\(public\.<@\) \(?\$1::public\.bloom/ ],
	[ 'SELECT id FROM keys WHERE bloom_contains_any((SELECT few FROM wanted), pair)',
		qr/WHERE .*public\.bloom_contains_any\(\$1::public\.bloom, pair\)/ ],
	[ 'SELECT id FROM keys WHERE (SELECT bloom_agg(i::bigint) FROM generate_series(1, 500) i) @> id',
		qr/WHERE .*\$1::public\.bloom\)? OPERATOR\(public\.@>\) id/ ],
	[ 'SELECT n FROM filters WHERE f @> 128 AND u @> 128 AND c @> 128',
		qr/WHERE (?=.*f OPERATOR\(public\.@>\))(?=.*u OPERATOR).*c OPERATOR/ ],
	[ 'SELECT n FROM filters WHERE k = bloom_key(129)', qr/WHERE .*k OPERATOR\(public\.=\)/ ],
	# aggregates, sized by themselves and by parameters
	(map { [ "SELECT g, $_ FROM keys GROUP BY g", qr/public\.(?:\w*bloom|cuckoo)_agg\(.* GROUP BY/ ] }
		'bloom_agg(id)', 'bloom_agg(s, 20000, 0.01)', 'bloom_agg(day, 0.001)', 'bloom_agg(pair)',
		'counting_bloom_agg(day)', 'cuckoo_agg(id)', q{external_bloom_agg(s, 'guava', 0.01)}),
	[ 'SELECT g, bloom_agg(id) FROM keys GROUP BY g HAVING bloom_agg(id) @> 8::bigint',
		qr/HAVING .*public\.bloom_agg\(id\)/ ],
	[ 'SELECT bloom_union_agg(f) FROM filters WHERE n > 0', qr/public\.bloom_union_agg\(f\)/ ],
	[ 'SELECT bloom_intersection_agg(bloom_shrink(f)) FROM filters WHERE n IN (1, 128)',
		qr/public\.bloom_intersection_agg\(public\.bloom_shrink\(f\)\)/ ]);

sub travel
{
	my ($from, $to) = @_;
	my ($here, $there) = ($node{$from}, $node{$to});
	my $database = "to_$to";
	my $how = "$from asks $to";

	connect_servers($here, $there, $database);

	# filters come
	my $expected = digest($there, 'remote', "$bytes filters");
	like($expected, qr/^6\|/, "$how: filters");
	is(digest($here, $database, "$bytes filters"), $expected, "$how: filters come");
	is(digest($here, $database, "$bytes near.filters"), $expected, "$how: and are stored");

	# and go
	$here->safe_psql($database, q{
		CREATE TABLE made AS
			SELECT 7 * n AS n, bloom_agg(i) AS f, counting_bloom_agg(i) AS c, cuckoo_agg(i) AS u,
				external_bloom_agg('key ' || i, 'redis', 0.01) AS r, bloom_key(n) AS k
			FROM unnest('{3,200,4000}'::int[]) n, generate_series(1, n) i GROUP BY n;
		DELETE FROM received;
		INSERT INTO received SELECT * FROM made;
		UPDATE received SET f = bloom_add(f, 70007), k = bloom_key('new') WHERE n = 21;
		UPDATE made SET f = bloom_add(f, 70007), k = bloom_key('new') WHERE n = 21});
	is(digest($there, 'remote', "$bytes received"), digest($here, $database, "$bytes made"),
		"$how: filters go");

	# functions and aggregates are sent, and are there what they are here
	for my $query (@shipped)
	{
		my ($sql, $remote_sql) = @$query;
		my $local = $sql =~ s/FROM (keys|filters)/FROM near.$1/r;
		my $explained = $here->safe_psql($database, "EXPLAIN (VERBOSE, COSTS off) $sql");

		like($explained, qr/Remote SQL: .*$remote_sql/, "$how: sent: $sql");
		unlike($explained, qr/^ *Filter:/m, "$how: and nothing is left to do here");
		my $digest = digest($here, $database, $sql);
		is($digest, digest($here, $database, $local), "$how: the same here");
		is($digest, digest($here, $database, $sql =~ s/FROM (keys|filters)/FROM plain.$1/r),
			"$how: the same without the extension");
		unlike($digest, qr/^0\|/, "$how: some rows");
	}

	# an error of the other server arrives with its hint
	my (undef, undef, $stderr) = $here->psql($database,
		'SELECT count(*) FROM keys WHERE bloom_contains((SELECT texts FROM wanted), id)');
	like(
		$stderr,
		qr/cannot probe a filter of text keys with a key of family number.*^HINT: .*remote SQL command/ms,
		"$how: an error comes back");
	return;
}

for my $major (@newer)
{
	travel($oldest, $major);
	travel($major, $oldest);
}

no_crash_ok(map { $node{$_} } @majors);
done_testing();
