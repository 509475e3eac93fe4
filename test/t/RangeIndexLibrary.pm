# A library with pages of eight columns in place of 120, in a copy of the installation, so that few rows
# reach the next group, super-group and epoch of an index of bloom_range; and with changes of the source,
# if a test makes some.
#
#    my $library = new_library()
#                                    a hash: copy, the copy of the installation, for new_node() of
#                                    OwnInstallation; its major version; sources, their folder
#    install_library($library)       builds it, and puts it in place; dies if it cannot be built

package RangeIndexLibrary;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use FindBin;
use OwnInstallation;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use RangeIndexDefects;

our @EXPORT = qw(new_library install_library);

sub new_library
{
	my %library = (
		copy => copy_installation('server'),
		sources => PostgreSQL::Test::Utils::tempdir('sources'));
	my ($version) = run_command([ $ENV{PG_CONFIG} || 'pg_config', '--version' ]);

	($library{version}) = $version =~ /(\d+)/;

	system_or_bail('cp', '-a', "$FindBin::RealBin/../../.", $library{sources});
	RangeIndexDefects::small_geometry($library{sources});
	return \%library;
}

sub install_library
{
	my ($library) = @_;
	my ($file) = grep { m{/bloomtype\.[a-z]+$} } glob "$library->{copy}{pkglibdir}/bloomtype.*";
	my $status = system('make', '-s', '-j2', '-C', $library->{sources}, 'with_llvm=no',
		'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
		'COPT=-O1', 'bloomtype.so');

	die "bloomtype.so is not built\n" if $status != 0;
	system_or_bail('cp', "$library->{sources}/bloomtype.so", "$file.new");
	rename "$file.new", $file or die "could not rename: $!";
	return;
}

1;
