# 040_page_index_wal again, with a library that has the server's functions make the WAL records of
# indexes USING bloom_pages, as on a server whose generic WAL is not known: one built with
# BLOOMTYPE_GENERIC_XLOG.
#
# Left to --ci, for its time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use OwnInstallation;
use PostgreSQL::Test::Utils;
use Test::More;

my $copy = copy_installation('server');
my $source = copy_source();
unlink "$source/bloomtype.so", glob "$source/src/index/*.o";
ok(build_library($copy, $source, 'bloomtype', 'BLOOMTYPE_GENERIC_XLOG=1'), 'it is built');
unlike(slurp_file("$source/bloomtype.so"), qr/XLogRegisterBufData/, 'it makes no record by hand');

$ENV{PATH} = "$copy->{bindir}:$ENV{PATH}";
do "$FindBin::RealBin/040_page_index_wal.pl" or die $@ || $!;
