# The limits that take minutes and gigabytes to reach.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'takes minutes and gigabytes: set BLOOMTYPE_SLOW=1'
  unless $ENV{BLOOMTYPE_SLOW};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION bloomtype');

# A filter that sizes itself takes 100 million keys, and says what to do then.
my (undef, undef, $stderr) = $node->psql('postgres',
	'SELECT bloom_info(bloom_agg(i)) FROM generate_series(1, 101000000) i');
like($stderr, qr/too many distinct keys for a filter that sizes itself/, 'one too many');
like($stderr, qr/The limit is 100000000 keys/, 'the limit is named');
like($stderr, qr/bloom_agg\(value, capacity, fpp\)/, 'and the way out');

is($node->safe_psql('postgres', q{
		SELECT layers, keys BETWEEN 99000000 AND 101000000, current_fpp <= 0.01
		FROM (SELECT bloom_agg(i) FROM generate_series(1, 100000000) i) s(f), bloom_info(f)}),
	'1|t|t', '100 million are taken');

# The largest filter: built, stored, dumped as text, and asked.
$node->safe_psql('postgres', q{
	CREATE TABLE largest AS
	SELECT bloom_add_all(bloom_create(430000000), array_agg(i)) AS f FROM generate_series(1, 1000) i});
is($node->safe_psql('postgres', 'SELECT pg_column_size(f) > 500000000, f @> 7, f @> -7 FROM largest'),
	't|t|f', 'the largest filter is stored and asked');
is($node->safe_psql('postgres', 'SELECT f::text::bloom = f FROM largest'),
	't', 'and survives as text');

# A filter that has grown up to the limit takes what is left, then no more.
($_, undef, $stderr) = $node->psql('postgres', q{
	DO $$
	DECLARE
		f bloom := bloom_create(1000, 1e-20, 100);
		n int := 0;
	BEGIN
		LOOP
			f := bloom_add_all(f, (SELECT array_agg(i) FROM generate_series(n + 1, n + 400000) i));
			n := n + 400000;
		END LOOP;
	EXCEPTION WHEN program_limit_exceeded THEN
		RAISE NOTICE '% layers, % keys found: %', (bloom_info(f)).layers, n,
			bloom_contains_all(f, (SELECT array_agg(i) FROM generate_series(1, n) i));
		RAISE;
	END $$});
like($stderr, qr/[2-9] layers, \d+ keys found: t/, 'a further layer took what was left, no key is lost');
like($stderr, qr/filter can take no more keys/, 'then it is full');

$node->stop;
done_testing();
