# From PostgreSQL 18 on, a loop of PL/pgSQL that adds keys to a variable changes the filter in
# place: what a key costs does not depend on the size of the filter.
#
# Runs alone: it measures time.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', 'jit = off');
$node->start;

plan skip_all => 'before PostgreSQL 18, variables are copied'
  if $node->safe_psql('postgres', 'SHOW server_version_num') < 180000;

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION bloomtype;
	CREATE TABLE filters AS
		SELECT n, bloom_agg(i, n, 0.001) AS b, counting_bloom_agg(i, n, 0.001) AS c, cuckoo_agg(i, n, 0.001) AS u
		FROM (VALUES (20000), (1000000)) AS s (n), generate_series(1, 10000) AS i GROUP BY n});

# Milliseconds that this takes for each of many keys, in a loop over a variable f
sub milliseconds
{
	my ($column, $keys, $change) = @_;
	my ($small, $large) = map {
		$node->safe_psql(
			'postgres', qq{
			DO \$\$
			DECLARE
				f filters.$column\%TYPE := (SELECT $column FROM filters WHERE n = $_);
				start timestamptz := clock_timestamp();
			BEGIN
				FOR i IN 10001 .. 10000 + $keys LOOP
					$change
				END LOOP;
				CREATE TEMPORARY TABLE took AS
					SELECT 1000 * extract(epoch FROM clock_timestamp() - start) AS ms;
			END \$\$;
			SELECT ms FROM took})
	} (20000, 1000000);
	note "$change small: $small ms, large: $large ms";
	return ($small, $large);
}

# A filter that is copied for each key is 50 times as large; the processor's cache alone
# may make a large one some times slower.
for my $case (
	[ 'b', 'bloom_add', 'f := bloom_add(f, i);' ],
	[ 'b', 'the operator ||', 'f := f || i;' ],
	[ 'b', 'bloom_add_all', 'f := bloom_add_all(f, ARRAY[i, -i]);' ],
	[ 'b', 'bloom_add in a block with exceptions',
		'BEGIN f := bloom_add(f, i); EXCEPTION WHEN division_by_zero THEN NULL; END;' ],
	[ 'b', 'bloom_contains and bloom_add', 'IF NOT bloom_contains(f, i) THEN f := bloom_add(f, i); END IF;' ],
	[ 'c', 'counting_bloom_add', 'f := counting_bloom_add(f, i);' ],
	[ 'c', 'counting_bloom_remove', 'f := counting_bloom_remove(f, i - 10000);' ],
	[ 'u', 'cuckoo_add', 'f := cuckoo_add(f, i);' ],
	[ 'u', 'cuckoo_remove', 'f := cuckoo_remove(f, i - 10000);' ])
{
	my ($column, $name, $change) = @$case;
	my ($small, $large);

	# a busy machine may take longer once
	for my $attempt (1 .. 3)
	{
		($small, $large) = milliseconds($column, 5000, $change);
		last if $large < 10 * $small + 20;
	}
	cmp_ok($large, '<', 10 * $small + 20, "$name takes as long for a large filter");
}

done_testing();
