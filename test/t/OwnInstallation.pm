# A copy of the PostgreSQL installation, in which a test replaces the extension.
#
#    my $copy = copy_installation($name, $pg_config);
#                              its folders: a hash of root, bindir, pkglibdir and sharedir;
#                              pg_config: of another version than that of this run
#    my $node = new_node($name, $copy);
#                              a server of the copy
#    my $settings = move_extension($copy, $folder);
#                              the files of the extension leave the installation for the
#                              folders share and lib of another; lines for postgresql.conf,
#                              by which PostgreSQL 18 and later finds them there

package OwnInstallation;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(copy_installation new_node move_extension);

sub first_line
{
	my ($output) = run_command(\@_);
	return (split /\n/, $output)[0];
}

# PostgreSQL finds its files relative to its programs.
sub copy_installation
{
	my ($name, $pg_config) = @_;
	my %copy = (root => PostgreSQL::Test::Utils::tempdir($name));

	foreach my $what (qw(bindir pkglibdir sharedir))
	{
		my $from = first_line($pg_config // 'pg_config', "--$what");

		$copy{$what} = $copy{root} . $from;
		system_or_bail('mkdir', '-p', dirname($copy{$what}));
		system_or_bail('cp', '-RL', $from, $copy{$what});
	}
	return \%copy;
}

sub new_node
{
	my ($name, $copy) = @_;
	return PostgreSQL::Test::Cluster->new($name, install_path => dirname($copy->{bindir}));
}

sub move_extension
{
	my ($copy, $folder) = @_;
	my ($share, $lib) = ("$folder/share", "$folder/lib");

	system_or_bail('mkdir', '-p', "$share/extension", $lib);
	system_or_bail('mv', (glob "$copy->{sharedir}/extension/bloomtype*"), "$share/extension");
	system_or_bail('mv', (glob "$copy->{pkglibdir}/bloomtype*"), $lib);
	system_or_bail('rm', '-rf', glob "$copy->{pkglibdir}/bitcode/bloomtype*");
	return "extension_control_path = '$share:\$system'\n" .
	  "dynamic_library_path = '$lib:\$libdir'\n";
}

1;
