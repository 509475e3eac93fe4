# Memory: what a call with a FmgrInfo of its own keeps for the next goes with the
# row, however many rows there are.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use FreshCalls;
use Test::More;

my $node = fresh_server();
create_keys($node);
create_states($node);

# past the capacity there is a warning
my $quiet = 'SET client_min_messages = error; SET max_parallel_workers_per_gather = 0;';

# Bytes that the session has got at the last row more than after a quarter.
sub growth
{
	my ($nrows, $aggregate) = @_;

	return $node->safe_psql(
		'postgres', qq{$quiet
		SELECT last - first FROM (
			SELECT max(used) FILTER (WHERE i = $nrows / 4) AS first,
				max(used) FILTER (WHERE i = $nrows) AS last, $aggregate AS result
			FROM (SELECT i, CASE WHEN i % ($nrows / 4) = 0 THEN used_bytes() END AS used
				  FROM (SELECT generate_series(1, $nrows) AS i) s) t, samples) u
		WHERE result IS NOT NULL});
}

$node->safe_psql(
	'postgres', q{
	CREATE TABLE samples AS
		SELECT bloom_agg(x) AS f, (SELECT state FROM whole WHERE name = 'layer') AS layer,
			(SELECT state FROM whole WHERE name = 'hashes') AS hashes,
			(SELECT state FROM whole WHERE name = 'list of a capacity') AS list,
			(SELECT state FROM deletable_whole WHERE name = 'counting layer') AS counters,
			(SELECT state FROM deletable_whole WHERE name = 'counting hashes') AS copies,
			(SELECT state FROM deletable_whole WHERE name = 'cuckoo capacity') AS cuckoo
		FROM keys WHERE x <= 10;
	CREATE FUNCTION used_bytes() RETURNS numeric LANGUAGE plpgsql AS $$
	BEGIN
		RETURN (SELECT sum(total_bytes) FROM pg_backend_memory_contexts);
	END $$;
	CREATE FUNCTION refusal(f bloom) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN fresh_call('bloom_contains(bloom, anycompatible)', f, 7);
	EXCEPTION WHEN indeterminate_datatype THEN
		RETURN 'refused';
	END $$});
for my $case (
	[ 1000000, q{fresh_whole('bloom_agg(bloom_key)', bloom_key(i % 100))} ],
	[ 400000, q{fresh_whole('bloom_agg(bloom_key, bigint, float8)', bloom_key(i), 1000::bigint, 0.01::float8)} ],
	[ 400000, q{fresh_combined('bloom_agg(bloom_key, bigint, float8)', layer)} ],
	[ 400000, q{fresh_combined('bloom_agg(bloom_key)', hashes)} ],
	[ 400000, q{fresh_combined('bloom_agg(bloom_key, bigint, float8)', list)} ],
	[ 100000, q{fresh_combined_counting('counting_bloom_agg(bloom_key, bigint, float8)', counters)} ],
	[ 40000, q{fresh_combined_counting('counting_bloom_agg(bloom_key)', copies)} ],
	[ 100000, q{fresh_combined_cuckoo('cuckoo_agg(bloom_key, bigint, float8)', cuckoo)} ],
	[ 400000, q{count(fresh_call('bloom_union(bloom, bloom)', f, f))} ],
	[ 40000, q{count(refusal(f))} ])
{
	my ($nrows, $aggregate) = @$case;

	cmp_ok(growth($nrows, $aggregate), '<', 100000, "no memory is left behind: $aggregate");
}

finish($node);
done_testing();
