# Plain functions called with a new FmgrInfo for every row, without the parsed
# expression: those of concrete types give what they give in a query, and those
# that must know the type of a polymorphic argument say that they cannot.  (Citus calls so:
# whatever is remembered for the next call is looked up for each row.)
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

# Of concrete types: as in a query.
for my $case (
	[ 'bloom_key(unknown)', "'a'" ],
	[ 'bloom_key_in(cstring)', "'number:0123456789abcdef'::cstring" ],
	[ 'bloom_key_out(bloom_key)', 'bloom_key(ROW(1))' ],
	[ 'bloom_key_send(bloom_key)', 'bloom_key(1)' ],
	[ 'bloom_key_recv(internal)', 'bloom_key_send(bloom_key(1))', 'bloom_key(1)' ],
	[ 'bloom_key_parse(text)', "'number:0123456789abcdef'::text" ],
	[ 'bloom_key_parse(name)', "'number:0123456789abcdef'::name" ],
	[ 'bloom_key_eq(bloom_key, bloom_key)', 'bloom_key(1), bloom_key(1.0)' ],
	[ 'bloom_key_hash(bloom_key)', 'bloom_key(1)' ],
	[ 'bloom_key_hash_extended(bloom_key, bigint)', 'bloom_key(1), 7::bigint' ],
	[ 'bloom_key_to_bigint(bloom_key)', 'bloom_key(1)' ],
	[ 'bloom_create(float8, float8, int)', '1000::float8, 0.01::float8, 3' ],
	[ 'bloom_in(cstring)', 'bloom_out(f)' ],
	[ 'bloom_out(bloom)', 'f' ],
	[ 'bloom_send(bloom)', 'f' ],
	[ 'bloom_recv(internal)', 'bloom_send(f)', 'f' ],
	[ 'bloom_to_bytea(bloom)', 'f' ],
	[ 'bloom_from_bytea(bytea)', 'f::bytea' ],
	[ 'bloom_union(bloom, bloom)', 'f, g' ],
	[ 'bloom_intersection(bloom, bloom)', 'f, f' ],
	[ 'bloom_shrink(bloom)', 'g' ],
	[ 'bloom_overlaps(bloom, bloom)', 'f, g' ],
	[ 'bloom_eq(bloom, bloom)', 'f, g' ],
	[ 'bloom_hash(bloom)', 'f' ],
	[ 'bloom_cardinality(bloom)', 'g' ],
	[ 'bloom_current_fpp(bloom)', 'g' ],
	[ 'bloom_info(bloom)', 'f' ],
	[ 'counting_bloom_create(float8, float8)', '1000::float8, 0.01::float8' ],
	[ 'counting_bloom_in(cstring)', 'counting_bloom_out(b)' ],
	[ 'counting_bloom_out(counting_bloom)', 'b' ],
	[ 'counting_bloom_send(counting_bloom)', 'b' ],
	[ 'counting_bloom_recv(internal)', 'counting_bloom_send(b)', 'b' ],
	[ 'counting_bloom_to_bytea(counting_bloom)', 'b' ],
	[ 'counting_bloom_from_bytea(bytea)', 'b::bytea' ],
	[ 'counting_bloom_union(counting_bloom, counting_bloom)', 'b, b' ],
	[ 'counting_bloom_to_bloom(counting_bloom)', 'b' ],
	[ 'counting_bloom_eq(counting_bloom, counting_bloom)', 'b, b' ],
	[ 'counting_bloom_ne(counting_bloom, counting_bloom)', 'b, b' ],
	[ 'counting_bloom_hash(counting_bloom)', 'b' ],
	[ 'counting_bloom_hash_extended(counting_bloom, bigint)', 'b, 7::bigint' ],
	[ 'counting_bloom_cardinality(counting_bloom)', 'b' ],
	[ 'counting_bloom_current_fpp(counting_bloom)', 'b' ],
	[ 'counting_bloom_info(counting_bloom)', 'b' ],
	[ 'cuckoo_create(float8, float8)', '1000::float8, 0.01::float8' ],
	[ 'cuckoo_in(cstring)', 'cuckoo_out(c)' ],
	[ 'cuckoo_out(cuckoo)', 'c' ],
	[ 'cuckoo_send(cuckoo)', 'c' ],
	[ 'cuckoo_recv(internal)', 'cuckoo_send(c)', 'c' ],
	[ 'cuckoo_to_bytea(cuckoo)', 'c' ],
	[ 'cuckoo_from_bytea(bytea)', 'c::bytea' ],
	[ 'cuckoo_eq(cuckoo, cuckoo)', 'c, c' ],
	[ 'cuckoo_ne(cuckoo, cuckoo)', 'c, c' ],
	[ 'cuckoo_hash(cuckoo)', 'c' ],
	[ 'cuckoo_hash_extended(cuckoo, bigint)', 'c, 7::bigint' ],
	[ 'cuckoo_cardinality(cuckoo)', 'c' ],
	[ 'cuckoo_current_fpp(cuckoo)', 'c' ],
	[ 'cuckoo_info(cuckoo)', 'c' ],
	[ 'bloom_matrix_in(cstring)', 'bloom_matrix_out(m)' ],
	[ 'bloom_matrix_out(bloom_matrix)', 'm' ],
	[ 'bloom_matrix_send(bloom_matrix)', 'm' ],
	[ 'bloom_matrix_recv(internal)', 'bloom_matrix_send(m)', 'm' ],
	[ 'bloom_matrix_to_bytea(bloom_matrix)', 'm' ],
	[ 'bloom_matrix_from_bytea(bytea)', 'm::bytea' ],
	[ 'bloom_matrix_eq(bloom_matrix, bloom_matrix)', 'm, m' ],
	[ 'bloom_matrix_ne(bloom_matrix, bloom_matrix)', 'm, m' ],
	[ 'bloom_matrix_hash(bloom_matrix)', 'm' ],
	[ 'bloom_matrix_hash_extended(bloom_matrix, bigint)', 'm, 7::bigint' ],
	[ 'bloom_matrix_filter(bloom_matrix, bigint)', 'm, 7::bigint' ],
	[ 'bloom_matrix_info(bloom_matrix)', 'm' ],
	[ 'bloom_sizing(float8, float8)', '1000::float8, 0.01::float8' ],
	[ 'bloom_capacity(bigint, float8)', '100000::bigint, 0.01::float8' ],
	[ 'bloom_expected_fpp(float8)', '10::float8' ],
	[ 'external_bloom_union(bytea, bytea, text)', "x, y, 'guava_int'::text" ],
	[ 'external_bloom_info(bytea, text)', "x, 'guava_int'::text" ])
{
	my ($function, $arguments, $result) = @$case;

	$result = ($function =~ s/\(.*//r) . "($arguments)" unless defined $result;
	is( $node->safe_psql(
			'postgres', qq{
			WITH two AS MATERIALIZED (
				SELECT bloom_agg(x) FILTER (WHERE x <= 5000) AS f,
					bloom_agg(x, 9999, 0.01) FILTER (WHERE x <= 50) AS g,
					counting_bloom_agg(x) FILTER (WHERE x <= 5000) AS b,
					cuckoo_agg(x) FILTER (WHERE x <= 5000) AS c,
					external_bloom_agg(x::int, 'guava_int', 5000, 0.01) FILTER (WHERE x <= 5000) AS x,
					external_bloom_agg(x::int, 'guava_int', 5000, 0.01) FILTER (WHERE x <= 50) AS y
				FROM keys),
			three AS MATERIALIZED (
				SELECT bloom_matrix_agg(id, h) AS m
				FROM (SELECT 7, f FROM two UNION ALL SELECT 8, bloom_create(10)) s (id, h))
			SELECT fresh_call('$function', $arguments) = format('%s', $result) FROM two, three}),
		't', $function);
}

# Polymorphic, all that there are: the type cannot be known, and that is said.
my @polymorphic = split /\n/, $node->safe_psql(
	'postgres', q{
	SELECT p.oid::regprocedure || '|' || string_agg(
		CASE t::regtype::text WHEN 'bloom' THEN 'f' WHEN 'counting_bloom' THEN 'b'
			WHEN 'cuckoo' THEN 'c' WHEN 'bloom_matrix' THEN 'm' WHEN 'bytea' THEN 'x' WHEN 'text' THEN '''guava_int''::text'
			WHEN 'anycompatible' THEN '$'
			WHEN 'anycompatiblearray' THEN 'ARRAY[$]' WHEN 'integer' THEN '1'
			WHEN 'regclass' THEN '''pg_class''::regclass' WHEN 'boolean' THEN 'false' ELSE '?' END, ', ' ORDER BY o)
	FROM pg_proc p JOIN pg_depend ON objid = p.oid AND classid = 'pg_proc'::regclass AND deptype = 'e'
		JOIN pg_extension e ON refobjid = e.oid AND extname = 'bloomtype',
		unnest(proargtypes) WITH ORDINALITY a(t, o)
	WHERE prokind = 'f' AND 'internal'::regtype <> ALL (proargtypes) AND
		proargtypes::oid[] && '{anycompatible,anycompatiblearray}'::regtype[]::oid[]
	GROUP BY p.oid ORDER BY 1});
$node->safe_psql('postgres',
	q{CREATE VIEW empty AS SELECT bloom_create(10) AS f, counting_bloom_create(10) AS b,
		cuckoo_create(10) AS c, bloom_matrix_agg(1, bloom_create(10)) AS m,
		external_bloom_agg(1, 'guava_int', 0.01) AS x});
cmp_ok(scalar @polymorphic, '>=', 37, 'functions that are polymorphic');

for (@polymorphic)
{
	my ($function, $arguments) = split /\|/;

	for my $key ('7', '7::bigint', "'a'::text", 'ROW(1)', "bloom_key(1)")
	{
		refused($node,
			"SELECT fresh_call('$function', " . ($arguments =~ s/\$/$key/r) . ') FROM empty',
			qr/could not determine the type of the key/,
			"$function of $key");
	}
}
# a caller that takes no rows gets none
refused($node, q{SELECT fresh_call('bloom_matrix_ids(bloom_matrix)', m) FROM empty},
	qr/set-valued function called in context that cannot accept a set/,
	'bloom_matrix_ids without a place for its rows');
is( $node->safe_psql(
		'postgres', q{
		SELECT fresh_call('bloom_add(bloom, anycompatible)', f, NULL::int) = f::text,
			fresh_call('bloom_contains(bloom, anycompatible)', f, NULL::int) IS NULL,
			fresh_call('counting_bloom_remove(counting_bloom, anycompatible)', b, NULL::int) = b::text,
			fresh_call('counting_bloom_count(counting_bloom, anycompatible)', b, NULL::int) IS NULL,
			fresh_call('cuckoo_add_all(cuckoo, anycompatiblearray)', c, NULL::int[]) = c::text,
			fresh_call('cuckoo_contained(anycompatible, cuckoo)', NULL::int, c) IS NULL,
			fresh_call('external_bloom_add(bytea, text, anycompatible)', x, 'guava_int'::text,
				NULL::int) = x::text,
			fresh_call('external_bloom_contains(bytea, text, anycompatible)', x, 'guava_int'::text,
				NULL::int) IS NULL
		FROM empty}),
	't|t|t|t|t|t|t|t',
	'nulls need no type');

finish($node);
done_testing();
