# A library with pages of eight columns in place of 120, in a copy of the installation, so that few rows
# reach the next group, super-group and epoch of an index of bloom_pages; and with changes of the source,
# if a test makes some.
#
#    my $library = new_library()
#                                    a hash: copy, the copy of the installation, for new_node() of
#                                    OwnInstallation; its major version; sources, their folder
#    install_library($library)       builds it, and puts it in place; dies if it cannot be built

package PageIndexLibrary;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use OwnInstallation;
use PostgreSQL::Test::Utils;
use PageIndexDefects;

our @EXPORT = qw(new_library install_library);

sub new_library
{
	my %library = (copy => copy_installation('server'), sources => copy_source());
	my ($version) = run_command([ $ENV{PG_CONFIG} || 'pg_config', '--version' ]);

	($library{version}) = $version =~ /(\d+)/;
	PageIndexDefects::small_geometry($library{sources});
	return \%library;
}

sub install_library
{
	my ($library) = @_;
	build_library($library->{copy}, $library->{sources}, 'bloomtype') or die "bloomtype.so is not built\n";
	return;
}

1;
