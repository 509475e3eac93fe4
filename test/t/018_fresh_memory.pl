# Memory: what a call with a FmgrInfo of its own keeps for the next goes with the
# row, however many rows there are.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use FreshCalls;
use Test::More;

my $node = fresh_server();
create_keys($node);
create_states($node);
create_external_states($node);

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
			(SELECT state FROM deletable_whole WHERE name = 'cuckoo capacity') AS cuckoo,
			(SELECT state FROM external_whole WHERE name = 'guava hashes') AS external_hashes,
			(SELECT state FROM external_whole WHERE name = 'go filter') AS external_filter,
			external_bloom_agg(x::text, 'go', 0.01) AS go,
			external_bloom_agg(x::text, 'redis', 100000, 0.01) AS redis
		FROM keys WHERE x <= 10;
	-- stored out of line, in two formats
	CREATE TABLE stored (go bytea, parquet bytea);
	ALTER TABLE stored ALTER go SET STORAGE external, ALTER parquet SET STORAGE external;
	INSERT INTO stored SELECT external_bloom_agg(i::text, 'go', 0.01),
		external_bloom_agg(i::text, 'parquet', 0.01) FROM generate_series(1, 100000) i;
	CREATE FUNCTION external_refusal(f bytea, format text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN external_bloom_contains(f, format, 'a'::text);
	EXCEPTION WHEN invalid_binary_representation THEN
		RETURN 'refused';
	END $$;
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
	[ 400000, q{fresh_whole('bloom_agg(bloom_key)', bloom_key(i % 100))} ],
	[ 200000, q{fresh_whole('bloom_agg(bloom_key, float8, float8)', bloom_key(i), 1000::float8, 0.01::float8)} ],
	[ 200000, q{fresh_combined('bloom_agg(bloom_key, float8, float8)', layer)} ],
	[ 200000, q{fresh_combined('bloom_agg(bloom_key)', hashes)} ],
	[ 200000, q{fresh_combined('bloom_agg(bloom_key, float8, float8)', list)} ],
	[ 100000, q{fresh_combined_counting('counting_bloom_agg(bloom_key, float8, float8)', counters)} ],
	[ 40000, q{fresh_combined_counting('counting_bloom_agg(bloom_key)', copies)} ],
	[ 100000, q{fresh_combined_cuckoo('cuckoo_agg(bloom_key, float8, float8)', cuckoo)} ],
	[ 200000, q{count(fresh_call('bloom_union(bloom, bloom)', f, f))} ],
	[ 40000, q{count(refusal(f))} ],

	# all but a few hashes are copies: whatever the hash, the array does not grow
	[ 400000, q{counting_bloom_agg(least(i, 20000))} ],
	[ 400000, join ' || ', map { "external_bloom_agg('$_'::text, 'redis', 0.01)" } 'a' .. 'f' ],
	[ 400000, q{external_bloom_agg(i::text, 'go', 1000, 0.01)} ],
	[ 100000, q{fresh_combined_external('external_bloom_agg(anycompatible, text, float8)', external_hashes)} ],
	[ 100000, q{fresh_combined_external('external_bloom_agg(anycompatible, text, float8)', external_filter)} ],
	[ 100000, q{count(external_bloom_contains(go, 'go', i::text))} ],
	[ 100000, q{count(external_bloom_contains((ARRAY[go, redis])[i % 2 + 1], (ARRAY['go', 'redis'])[i % 2 + 1], i::text))} ],
	[ 100000, q{count(external_bloom_add(go, 'go', i::text))} ],
	[ 100000, q{count(external_bloom_add_all(go, 'go', ARRAY[i::text, 'a']))} ],
	[ 100000, q{count(external_bloom_union(go, go, 'go'))} ],
	[ 100000, q{count(external_bloom_info(go, 'go'))} ],
	[ 2000, q{sum((SELECT count(chunk) FROM external_bloom_chunks(redis, 'redis') WHERE i IS NOT NULL))} ],
	[ 40000, q{count(external_refusal(go, (ARRAY['redis', 'guava', 'leveldb'])[i % 3 + 1]))} ],
	[ 40000, q{count((SELECT external_bloom_contains(go, 'go', i::text) OR
			external_bloom_contains_any(parquet, 'parquet', ARRAY[i::text]) FROM stored))} ],
	[ 400, q{count((SELECT external_bloom_info(go, 'go') FROM stored WHERE i IS NOT NULL))} ])
{
	my ($nrows, $aggregate) = @$case;

	$nrows *= 2 if $ENV{BLOOMTYPE_SLOW};
	cmp_ok(growth($nrows, $aggregate), '<', 100000, "no memory is left behind: $aggregate");
}

finish($node);
done_testing();
