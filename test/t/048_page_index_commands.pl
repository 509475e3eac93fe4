# Commands that build, move, empty or fill indexes USING bloom_pages and their tables, while eight clients
# write to them: after each, bloom_pages_check finds nothing wrong, and each row is found.
#
# Left to --ci, for its time; repetitions to BLOOMTYPE_SLOW.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PageIndexLibrary;
use PageIndexWriters;
use Test::More;

my $nrounds = $ENV{BLOOMTYPE_SLOW} ? 10 : 1;
my $library = new_library();
install_library($library);

my $node = new_node('main', $library->{copy});
$node->init(extra => [ '--locale=C', '--encoding=UTF8' ]);
$node->append_conf('postgresql.conf', PageIndexWriters::configuration());
$node->start;
PageIndexWriters::prepare($node, 900);

# what COPY reads
my $file = $node->basedir . '/rows';
$node->safe_psql('postgres', "COPY (SELECT -i, -i, 'copied ' || i FROM generate_series(1, 1500) i) TO '$file'");

my @commands = (
	[ 'REINDEX INDEX CONCURRENTLY item_k' ],
	[ 'REINDEX TABLE item' ],
	[
		'DROP INDEX CONCURRENTLY item_k',
		'CREATE INDEX CONCURRENTLY item_k ON item USING bloom_pages (k) WITH (pages_per_range = 1)'
	],
	[ 'DELETE FROM item WHERE id % 3 > 0', 'VACUUM (FREEZE) item' ],
	[ 'DELETE FROM item WHERE id > (SELECT max(id) / 2 FROM item)', 'VACUUM (TRUNCATE) item' ],
	[ 'VACUUM FULL item' ],
	[ 'CLUSTER item USING item_pkey' ],
	[ 'TRUNCATE item, named' ],
	[ "BEGIN; TRUNCATE item; COPY item (id, k, t) FROM '$file' (FREEZE); COMMIT" ],
	[ 'ALTER TABLE parted DETACH PARTITION parted_2', 'ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2)' ],
	[
		'ALTER TABLE parted DETACH PARTITION parted_2 CONCURRENTLY',
		'ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES IN (2)'
	],
	[ 'ALTER TABLE loose SET LOGGED', 'ALTER TABLE loose SET UNLOGGED' ],
	[ 'ALTER TABLE named ALTER k TYPE numeric', 'ALTER TABLE named ALTER k TYPE bigint' ]);

# It stays open while the others go on.
$node->safe_psql('postgres', q{
	CREATE TABLE held (k bigint);
	CREATE INDEX held_k ON held USING bloom_pages (k);
	BEGIN;
	INSERT INTO held SELECT generate_series(1, 300);
	PREPARE TRANSACTION 'long'});

my $writers = PageIndexWriters::start_slow_writers($node);
for my $round (1 .. $nrounds)
{
	for my $command (@commands)
	{
		PageIndexWriters::wait_for_writers($node, 30);
		for my $statement (@$command)
		{
			$node->safe_psql('postgres', $statement);
			is(PageIndexWriters::faults($node), '', $statement =~ s/'.*'/.../r . ': all rows are found');
		}
	}
}
PageIndexWriters::stop_writers($writers);
is(PageIndexWriters::complaints($writers), '', 'nobody who wrote had an error');

is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM held WHERE k = 7'), '0',
	'a prepared transaction');
$node->safe_psql('postgres', q{COMMIT PREPARED 'long'});
is($node->safe_psql('postgres', 'SET enable_seqscan = off; SELECT count(*) FROM held WHERE k = 7'), '1',
	'which has committed');
is(PageIndexWriters::faults($node), '', 'all rows are found at the end');

$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC:|TRAP:/, 'no process crashed');
done_testing();
