# Shared by the tests that call functions as engines do that spread a query over
# machines: with a new FmgrInfo for every row, without the parsed expression, and
# with the states of aggregates as bytes between nodes.
#
#    my $node = fresh_server();    a server with the module that calls so; that
#                                  the module can be built is a test
#    create_keys($node);           a table of keys
#    create_states($node);         tables of states of aggregates, as bytes
#    create_external_states($node);
#                                  the same of external_bloom_agg
#    refused($node, $query, $message, $name);
#                                  a test that a query fails
#    finish($node);                a test that no process crashed; the end of the server
#
# The module is built in a folder of the test's own, not in test/modules: another
# test may be building it at the same time, and another server may have left its
# own there.

package FreshCalls;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Copy 'copy';
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(fresh_server create_keys create_states create_external_states refused finish);

sub fresh_server
{
	my $top = "$FindBin::RealBin/../..";
	my $folder = PostgreSQL::Test::Utils::tempdir();

	for ('Makefile', 'fresh_calls.c')
	{
		copy("$top/test/modules/fresh_calls/$_", $folder) or die "cannot copy $_: $!";
	}
	command_ok(
		[
			'make', '-s', '-C', $folder, 'with_llvm=no',
			'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
			"PG_CPPFLAGS=-I$top/src",
			'COPT=-Wextra -Wno-unused-parameter -Werror'
		],
		'the module is built');

	my $node = PostgreSQL::Test::Cluster->new('main');
	$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
	$node->append_conf('postgresql.conf', 'jit = off');
	$node->start;

	$node->safe_psql(
		'postgres', qq{
		CREATE EXTENSION bloomtype;

		CREATE FUNCTION fresh_transition(internal, regprocedure, VARIADIC "any") RETURNS internal
			AS '$folder/fresh_calls' LANGUAGE C;
		CREATE FUNCTION fresh_serialize(internal) RETURNS bytea
			AS '$folder/fresh_calls' LANGUAGE C;
		CREATE FUNCTION fresh_combine(internal, regprocedure, bytea) RETURNS internal
			AS '$folder/fresh_calls' LANGUAGE C;
		CREATE FUNCTION fresh_final(internal) RETURNS bloom
			AS '$folder/fresh_calls' LANGUAGE C;
		CREATE FUNCTION fresh_final_counting(internal) RETURNS counting_bloom
			AS '$folder/fresh_calls', 'fresh_final' LANGUAGE C;
		CREATE FUNCTION fresh_final_cuckoo(internal) RETURNS cuckoo
			AS '$folder/fresh_calls', 'fresh_final' LANGUAGE C;
		CREATE FUNCTION fresh_final_external(internal) RETURNS bytea
			AS '$folder/fresh_calls', 'fresh_final' LANGUAGE C;
		CREATE FUNCTION fresh_call(regprocedure, VARIADIC "any") RETURNS text
			AS '$folder/fresh_calls' LANGUAGE C;

		CREATE AGGREGATE fresh_partial(regprocedure, VARIADIC "any")
			(SFUNC = fresh_transition, STYPE = internal, FINALFUNC = fresh_serialize);
		CREATE AGGREGATE fresh_combined(regprocedure, bytea)
			(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final);
		CREATE AGGREGATE fresh_combined_counting(regprocedure, bytea)
			(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final_counting);
		CREATE AGGREGATE fresh_combined_cuckoo(regprocedure, bytea)
			(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final_cuckoo);
		CREATE AGGREGATE fresh_combined_external(regprocedure, bytea)
			(SFUNC = fresh_combine, STYPE = internal, FINALFUNC = fresh_final_external);
		CREATE AGGREGATE fresh_whole(regprocedure, VARIADIC "any")
			(SFUNC = fresh_transition, STYPE = internal, FINALFUNC = fresh_final)});

	return $node;
}

# All keys up to 100,000, in no order, a third of them twice, and nulls; copies
# of a key are in different shards.
sub create_keys
{
	my ($node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE TABLE keys AS
			SELECT n, x, bloom_key(x) AS k
			FROM (SELECT n, nullif(n::bigint * 61 % 100003, 0) AS x FROM generate_series(1, 133333) n) s
			WHERE x <= 100000 OR x IS NULL
			UNION ALL
			SELECT n, NULL, NULL FROM generate_series(1, 1000) n;
		ANALYZE});
}

# States of each form and kind, and next to each another that goes with it:
# "whole" those of bloom_agg, "deletable_whole" those of the other two.
sub create_states
{
	my ($node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE FUNCTION state_of(first int, last int, capacity float8, fpp float8) RETURNS bytea
		RETURN (SELECT fresh_partial('bloom_agg(bloom_key, float8, float8)', bloom_key(i), capacity, fpp)
				FROM generate_series(first, last) i);

		CREATE TABLE whole (name text, state bytea, other bytea);
		INSERT INTO whole VALUES
			('list', state_of(1, 3, NULL, 0.01), state_of(3, 5, NULL, 0.01)),
			('hashes', state_of(1, 200, NULL, 0.01), state_of(100, 300, NULL, 0.01)),
			('list of a capacity', state_of(1, 3, 200, 0.01), state_of(1, 200, 200, 0.01)),
			('layer', state_of(1, 200, 200, 0.01), state_of(200, 300, 200, 0.01)),
			('nulls', (SELECT fresh_partial('bloom_agg(bloom_key)', NULL::bloom_key)), state_of(1, 3, NULL, 0.01)),
			('rows', (SELECT fresh_partial('bloom_agg(bloom_key)', bloom_key(ROW(i))) FROM generate_series(1, 3) i),
				(SELECT fresh_partial('bloom_agg(bloom_key)', bloom_key(ROW(i))) FROM generate_series(1, 200) i));

		CREATE FUNCTION counting_state(keys bloom_key[], capacity float8 DEFAULT NULL) RETURNS bytea
		RETURN (SELECT fresh_partial('counting_bloom_agg(bloom_key, float8, float8)', k, capacity, 0.01::float8)
				FROM unnest(keys) k);
		CREATE FUNCTION cuckoo_state(keys bloom_key[], capacity float8 DEFAULT NULL) RETURNS bytea
		RETURN (SELECT fresh_partial('cuckoo_agg(bloom_key, float8, float8)', k, capacity, 0.01::float8)
				FROM unnest(keys) k);
		CREATE FUNCTION keys_of(first int, last int) RETURNS bloom_key[]
		RETURN ARRAY(SELECT bloom_key(i) FROM generate_series(first, last) i);
		CREATE FUNCTION rows_of(first int, last int) RETURNS bloom_key[]
		RETURN ARRAY(SELECT bloom_key(ROW(i)) FROM generate_series(first, last) i);

		CREATE TABLE deletable_whole (name text, state bytea, other bytea);
		INSERT INTO deletable_whole VALUES
			('counting hashes', counting_state(keys_of(1, 150) || keys_of(1, 50)), counting_state(keys_of(1, 3))),
			('counting layer', counting_state(keys_of(1, 200), 200), counting_state(keys_of(100, 103), 200)),
			('counting nulls', counting_state(ARRAY[NULL::bloom_key]), counting_state(keys_of(1, 1))),
			('counting rows', counting_state(rows_of(1, 3)), counting_state(rows_of(1, 3))),
			('cuckoo hashes', cuckoo_state(keys_of(1, 200)), cuckoo_state(keys_of(100, 300))),
			('cuckoo capacity', cuckoo_state(keys_of(1, 200), 1000), cuckoo_state(keys_of(100, 300), 1000)),
			('cuckoo nulls', cuckoo_state(ARRAY[NULL::bloom_key]), cuckoo_state(keys_of(1, 1)))});
}

# external_bloom_agg has no variant of concrete types, so its states are made in a
# query, and only combined elsewhere.  With a number of keys for each format, where
# they are kept as a filter; "name" is the format and what the state has.
sub create_external_states
{
	my ($node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE AGGREGATE external_state(anycompatible, text, float8)
			(SFUNC = external_bloom_agg_transition, STYPE = internal,
			FINALFUNC = external_bloom_agg_serialize);
		CREATE AGGREGATE external_state(anycompatible, text, float8, float8)
			(SFUNC = external_bloom_agg_transition, STYPE = internal,
			FINALFUNC = external_bloom_agg_serialize);
		CREATE FUNCTION external_combined(VARIADIC states bytea[]) RETURNS bytea
		RETURN (SELECT fresh_combined_external('external_bloom_agg(anycompatible, text, float8)', s)
				FROM unnest(states) s);

		CREATE TABLE external_whole (name text, format text, state bytea, other bytea);
		INSERT INTO external_whole
		SELECT format || ' hashes', format, external_state(i::text, format, p) FILTER (WHERE i <= 21),
			external_state(i::text, format, p)
		FROM (VALUES ('guava', 0.01), ('spark_v1', 0.02), ('redis', 0.01), ('go', 0.1), ('leveldb', 10))
				v (format, p), generate_series(1, 50) i GROUP BY format;
		INSERT INTO external_whole
		SELECT format || ' capacity', format,
			external_state(i::text, format, 300, 0.01) FILTER (WHERE i <= 10),
			external_state(i::text, format, 300, 0.01) FILTER (WHERE i > 5)
		FROM unnest('{guava,parquet,redis}'::text[]) format, generate_series(1, 200) i GROUP BY format;
		INSERT INTO external_whole
		SELECT format || ' filter', format, external_state(i::text, format, 300, 0.01),
			external_state(i::text, format, 300, 0.01) FILTER (WHERE i > 50)
		FROM unnest('{guava,parquet,go,spark_v2}'::text[]) format, generate_series(1, 100) i
		GROUP BY format;
		INSERT INTO external_whole
		SELECT 'nulls', 'guava', external_state(NULL::text, 'guava', 0.01),
			external_state('a'::text, 'guava', 0.01)});
}

sub refused
{
	my ($node, $query, $message, $name) = @_;
	my (undef, undef, $stderr) = $node->psql('postgres', $query);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like($stderr, qr/ERROR:.*$message/, $name);
}

sub finish
{
	my ($node) = @_;

	unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');
	$node->stop;
}

1;
