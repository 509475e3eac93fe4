# A copy of the PostgreSQL installation, in which a test replaces the extension.
#
#    my $copy = copy_installation($name, $pg_config);
#                              its folders: a hash of root, bindir, pkglibdir and sharedir;
#                              pg_config: of another version than that of this run
#    my $node = new_node($name, $copy);
#                              a server of the copy
#    my $source = copy_source();
#                              the folder of a copy of the checkout
#    build_library($copy, $source, $name, @options)
#                              builds a library there, bloomtype or bloomtype_join, and puts it in
#                              place of that of the installation; false if it cannot be built.
#                              Options are those of make
#    my $settings = move_extension($copy, $folder);
#                              the files of the extension leave the installation for the
#                              folders share and lib of another; lines for postgresql.conf,
#                              by which PostgreSQL 18 and later finds them there

package OwnInstallation;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Basename;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(copy_installation new_node copy_source build_library move_extension);

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

sub copy_source
{
	my $folder = PostgreSQL::Test::Utils::tempdir('source');

	system_or_bail('cp', '-a', "$FindBin::RealBin/../../.", $folder);
	return $folder;
}

sub build_library
{
	my ($copy, $source, $name, @options) = @_;
	my ($library) = glob "$copy->{pkglibdir}/$name.*";

	system('make', '-s', '-j2', '-C', $source, 'with_llvm=no', 'PG_CONFIG=' . ($ENV{PG_CONFIG} || 'pg_config'),
		'COPT=-O1', @options, "$name.so") == 0 or return 0;
	# processes that have loaded the other one keep it
	system_or_bail('cp', "$source/$name.so", "$library.new");
	rename "$library.new", $library or die "could not rename: $!";
	return 1;
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
