# Defects that a test plants in a copy of the sources, to see that others find them.
#
#    my $before = replace_text($source, $file, $text, $other);
#                              one text of src/$file becomes another
#    my @before = plant_defect($source, $file, $text, $other, ...);
#                              as often as needed
#    restore_text(@before)     puts it back
#
# They die if the code has not the text that is to be replaced, in one place.

package PlantedDefects;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(replace_text plant_defect restore_text);

sub write_file
{
	my ($name, $text) = @_;

	unlink $name;
	append_to_file($name, $text);
	return;
}

sub replace_text
{
	my ($source, $file, $before, $after) = @_;
	my $name = "$source/src/$file";
	my $text = slurp_file($name);
	my $place = index $text, $before;

	die "not in $file: $before\n" if $place < 0;
	die "twice in $file: $before\n" if index($text, $before, $place + 1) >= 0;
	write_file($name, substr($text, 0, $place) . $after . substr($text, $place + length $before));
	return [ $name, $text ];
}

sub plant_defect
{
	my ($source, @edits) = @_;
	my @before;

	while (my @edit = splice @edits, 0, 3)
	{
		unshift @before, replace_text($source, @edit);
	}
	return @before;
}

sub restore_text
{
	write_file(@$_) for @_;
	return;
}

1;
