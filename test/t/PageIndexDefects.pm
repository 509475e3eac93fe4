# Defects of src/index/ and src/core/pages.c, each of which makes an index lose rows, and a smaller
# geometry, in which few rows reach the next group, super-group and epoch.
#
#    small_geometry($source)          changes the source in a folder
#    defects($finder)                 names, in order, of those that are found by
#                                     'statements'  of PageIndexRows
#                                     'writers'     of PageIndexWriters, which are killed
#                                     'late'        sessions of that name, beside another one
#                                     'snapshots'   older than REINDEX, as of PostgreSQL 16
#                                     'nobody'      since it is no defect, but what makes others last
#    my @before = plant($name, $source);    changes the source
#
# restore_text(@before) of PlantedDefects.pm puts it back.

package PageIndexDefects;

use strict;
use warnings FATAL => 'all';

use PlantedDefects;

# Some defects last so short that no test would meet them.  So they come with one of these delays: where a
# session of that name has set bits and not logged them, has read which groups there are, or is about to add
# some; and where any session is about to make a page.
my $sleep_if_late = "\t{\n\t\textern PGDLLIMPORT char *application_name;\n\n"
  . "\t\tif (strcmp(application_name, \"late\") == 0)\n\t\t\tpg_usleep(5000000);\n\t}\n";
my @late_record = (
	'index/pages_wal.c',
	"\t\tlsn = XLogInsert(RM_GENERIC_ID, 0);\n",
	"$sleep_if_late\t\tlsn = XLogInsert(RM_GENERIC_ID, 0);\n");
my @late_reading = (
	'index/pages_growth.c',
	"\tconst uint32 nstored = meta->ngroups;\n\n",
	"\tconst uint32 nstored = meta->ngroups;\n\n$sleep_if_late");
my @late_groups = (
	'index/pages_growth.c',
	"\t\tif (meta->ngroups == ngroups)\n",
	"$sleep_if_late\t\tif (meta->ngroups == ngroups)\n");
my @late_page = (
	'index/pages_wal.c',
	"\tif (is_new)\n\t\tblt_pages_init_page(page, slice_bytes, &change->key->place);\n\tn = set_bits",
	"\tif (is_new)\n\t{\n\t\tpg_usleep(50000);\n\t\tblt_pages_init_page(page, slice_bytes, &change->key->place);\n\t}\n"
	  . "\tn = set_bits");

# Name; then file, text that is there once, text in its place, as often as needed
my %defects = (
	statements => [
		[
			'a bit of the column beside',
			'core/pages.c',
			'return rest * width + number;',
			'return rest * width + number / 2 * 2;'
		],
		[
			'the last page of a range is taken for one of the next',
			'index/pages_storage.h',
			'return block / meta->pages_per_range;',
			'return (block + 1) / meta->pages_per_range;'
		],
		[
			'the last page of a table is left out',
			'index/pages_scan.c',
			'end = Min(end, search->table_pages);',
			'end = Min(end, search->table_pages - 1);'
		],
		[
			'epochs but the first are not searched',
			'index/pages_scan.c',
			'i < meta->nepochs && meta->epochs[i]',
			'i < 1 && meta->epochs[i]'
		],
		[
			'an insert takes the geometry of the first epoch',
			'core/pages.c',
			"\tuint32_t	i = meta->nepochs - 1;\n",
			"\tuint32_t	i = 0;\n"
		],
		[
			'super-groups are counted from the first epoch',
			'core/pages.h',
			'return epoch->width > 0 ? (group - epoch->first_group) % epoch->width : 0;',
			'return epoch->width > 0 ? group % epoch->width : 0;'
		],
		[
			'an insert leaves out the upper level',
			'index/pages_insert.c',
			"\tfor (int i = 0; i < n; i++)\n\t{\n\t\ttargets[i].key",
			"\tif (n > 1)\n\t\tprobes[0] = keys[--n];\n\tfor (int i = 0; i < n; i++)\n\t{\n\t\ttargets[i].key"
		],
		[
			'a build leaves out the upper level',
			'index/pages_build.c',
			"\tif (epoch->upper_nblocks > 0)\n\t{\n\t\thash_for_second_level(",
			"\tif (false)\n\t{\n\t\thash_for_second_level("
		],
		[
			'a build goes on with a batch in the next group',
			'index/pages_build.c',
			'(group >= state->end_group || state->nkeys == state->limit ||',
			'(state->nkeys == state->limit ||'
		],
		[
			'a build writes all keys of a batch to the first page',
			'index/pages_build.c',
			'while (next.block == place.block && next.group == place.group);',
			'while (true);'
		],
		[
			'blocks of the second level that share a page are mixed up',
			'index/pages_scan.c',
			'has_column(found, upper->column + i)',
			'has_column(found, i)'
		],
		[
			'blocks of a small group that share a page are mixed up',
			'index/pages_scan.c',
			'has_column(found, keys[0].column + i)',
			'has_column(found, i)'
		],
		[
			'a scan does not look for groups that others have added',
			'index/pages_scan.c',
			"\tif (end > meta->ngroups)\n\t\tblt_pages_get_meta(search->index, end, meta);\n",
			''
		],
		[
			'a scan does not look for pages that others have added',
			'index/pages_storage.c',
			"\tif (!blt_pages_has_page(index, page))\n\t\treturn InvalidBuffer;",
			"\tif (index->rd_amcache != NULL && page >= ((PagesCache *) index->rd_amcache)->npages)\n"
			  . "\t\treturn InvalidBuffer;"
		],
		[
			'a row that moves with its key is not inserted',
			'index/pages_insert.c',
			"\tif (isnull[0])\n",
			"\tif (isnull[0] || unchanged)\n"
		],
		[
			'one bit of a key is forgotten',
			'index/pages_wal.c',
			'key->bits, key->nprobes, changed);',
			'key->bits, key->nprobes - 1, changed);'
		],
		[
			'a page that has changed is not written',
			'index/pages_wal.c',
			"\tn = set_bits(page, slice_bytes, change, changed);\n\tMarkBufferDirty(change->buffer);\n",
			"\tn = set_bits(page, slice_bytes, change, changed);\n\tif (is_new)\n\t\tMarkBufferDirty(change->buffer);\n"
		],
		[
			'a page is made anew whenever it is written',
			'index/pages_wal.c',
			"\tbool		is_new = PageIsNew(page);\n",
			"\tbool		is_new = true;\n"
		],
		[
			'what is asked for is hashed as a value of the column',
			'index/pages_key.c',
			"\tif (!OidIsValid(right_type))\n",
			"\tif (true)\n"
		]
	],
	writers => [
		[
			'pages are written under a shared lock',
			'index/pages_insert.c',
			'LockBuffer(targets[i].buffer, BUFFER_LOCK_EXCLUSIVE);',
			'LockBuffer(targets[i].buffer, BUFFER_LOCK_SHARE);',
			@late_page
		],
		[
			'a new page is logged without an image',
			'index/pages_wal.c',
			'is_new ? REGBUF_STANDARD | REGBUF_FORCE_IMAGE : REGBUF_STANDARD',
			'REGBUF_STANDARD'
		]
	],
	late => [
		[
			'the metapage is changed under a shared lock',
			'index/pages_growth.c',
			'LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);',
			'LockBuffer(buffer, BUFFER_LOCK_SHARE);',
			@late_groups
		],
		[
			'groups are read that others may have added otherwise',
			'index/pages_growth.c',
			'group < nstored ? estimate_range_keys(index, meta, epoch, group) : 0.0',
			'estimate_range_keys(index, meta, epoch, group)',
			@late_reading
		],
		[
			'bits are looked at without a lock',
			'index/pages_insert.c',
			"\tLockBuffer(buffer, BUFFER_LOCK_SHARE);\n",
			'',
			'index/pages_insert.c',
			"\tLockBuffer(buffer, BUFFER_LOCK_UNLOCK);\n",
			'',
			@late_record
		]
	],
	nobody => [ [ 'delays', @late_record, @late_page, @late_groups ], [ 'another delay', @late_reading ] ],
	snapshots => [
		[
			'older snapshots rely on an index that was built again',
			'index/pages_snapshot.c',
			"\tif (meta->build_xid == 0)\n",
			"\tif (true)\n"
		]
	]);

# Pages with eight columns
sub small_geometry
{
	my ($source) = @_;

	replace_text($source, 'core/pages.c',
		'return 8 * (uint32_t) (slice_bytes < BBF_MAX_SLICE_BYTES ? slice_bytes : BBF_MAX_SLICE_BYTES);',
		'return slice_bytes > 0 ? 8 : 0;');
}

sub defects
{
	my ($finder) = @_;
	return map { $_->[0] } @{ $defects{$finder} };
}

sub plant
{
	my ($name, $source) = @_;
	my ($defect) = grep { $_->[0] eq $name } map { @$_ } values %defects;

	return plant_defect($source, @$defect[ 1 .. $#$defect ]);
}

1;
