# Defects of src/index/ and src/core/range.c, each of which makes an index lose rows, and a smaller
# geometry, in which few rows reach the next group, super-group and epoch.
#
#    small_geometry($source)          changes the source in a folder
#    defects()                        names, in order
#    my @before = plant($name, $source);    changes the source
#
# restore_text(@before) of PlantedDefects.pm puts it back.

package RangeIndexDefects;

use strict;
use warnings FATAL => 'all';

use PlantedDefects;

# Name; then file, text that is there once, text in its place, as often as needed
my @defects = (
	[
		'a bit of the column beside',
		'core/range.c',
		'probe->column = range % meta->ncolumns;',
		'probe->column = (range + 1) % meta->ncolumns;'
	],
	[
		'the last page of a range is taken for one of the next',
		'index/range_pages.h',
		'return block / meta->pages_per_range;',
		'return (block + 1) / meta->pages_per_range;'
	],
	[
		'the last page of a table is left out',
		'index/range_scan.c',
		'end = Min(end, search->table_pages);',
		'end = Min(end, search->table_pages - 1);'
	],
	[
		'epochs but the first are not searched',
		'index/range_scan.c',
		'i < meta->nepochs && meta->epochs[i]',
		'i < 1 && meta->epochs[i]'
	],
	[
		'an insert takes the geometry of the first epoch',
		'core/range.c',
		"\tuint32_t	i = meta->nepochs - 1;\n",
		"\tuint32_t	i = 0;\n"
	],
	[
		'super-groups are counted from the first epoch',
		'core/range.h',
		'return (group - epoch->first_group) % meta->ncolumns;',
		'return group % meta->ncolumns;'
	],
	[
		'an insert leaves out the upper level',
		'index/range_insert.c',
		"\tfor (int i = 0; i < n; i++)\n\t{\n\t\ttargets[i].probe",
		"\tif (n > 1)\n\t\tprobes[0] = probes[--n];\n\tfor (int i = 0; i < n; i++)\n\t{\n\t\ttargets[i].probe"
	],
	[
		'a build leaves out the upper level',
		'index/range_build.c',
		"\tif (epoch->upper_nblocks > 0)\n\t\twrite_level(",
		"\tif (false)\n\t\twrite_level("
	],
	[
		'a build goes on with a batch in the next group',
		'index/range_build.c',
		'(group >= state->end_group || state->nkeys == state->limit)',
		'state->nkeys == state->limit'
	],
	[
		'a build writes all keys of a batch to the first page',
		'index/range_build.c',
		'while (probe.place.block == place.block && probe.place.group == place.group);',
		'while (true);'
	],
	[
		'a scan does not look for groups that others have added',
		'index/range_scan.c',
		"\tif (end > meta->ngroups)\n\t\tblt_range_get_meta(search->index, end, meta);\n",
		''
	],
	[
		'a scan does not look for pages that others have added',
		'index/range_pages.c',
		"\tif (!blt_range_has_page(index, page))\n\t\treturn InvalidBuffer;",
		"\tif (index->rd_amcache != NULL && page >= ((RangeCache *) index->rd_amcache)->npages)\n"
		  . "\t\treturn InvalidBuffer;"
	],
	[
		'a row that moves with its key is not inserted',
		'index/range_insert.c',
		"\tif (isnull[0])\n",
		"\tif (isnull[0] || unchanged)\n"
	],
	[
		'one bit of a key is forgotten',
		'index/range_wal.c',
		'probe->bits, probe->nprobes, changed);',
		'probe->bits, probe->nprobes - 1, changed);'
	],
	[
		'a page that has changed is not written',
		'index/range_wal.c',
		"\tn = set_bits(page, slice_bytes, change, changed);\n\tMarkBufferDirty(change->buffer);\n",
		"\tn = set_bits(page, slice_bytes, change, changed);\n\tif (is_new)\n\t\tMarkBufferDirty(change->buffer);\n"
	],
	[
		'a page is made anew whenever it is written',
		'index/range_wal.c',
		"\tbool		is_new = PageIsNew(page);\n",
		"\tbool		is_new = true;\n"
	],
	[
		'what is asked for is hashed as a value of the column',
		'index/range_key.c',
		"\tif (!OidIsValid(right_type))\n",
		"\tif (true)\n"
	]);

# Pages with eight columns
sub small_geometry
{
	my ($source) = @_;

	replace_text($source, 'core/range.c',
		'return 8 * (uint32_t) (slice_bytes < BBF_MAX_SLICE_BYTES ? slice_bytes : BBF_MAX_SLICE_BYTES);',
		'return slice_bytes > 0 ? 8 : 0;');
}

sub defects
{
	return map { $_->[0] } @defects;
}

sub plant
{
	my ($name, $source) = @_;
	my ($defect) = grep { $_->[0] eq $name } @defects;

	return plant_defect($source, @$defect[ 1 .. $#$defect ]);
}

1;
