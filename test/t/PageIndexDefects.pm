# Defects of src/index/ and src/core/pages.c, each of which makes an index lose rows, and a smaller
# geometry, in which few rows reach the next group, super-group and epoch.
#
#    small_geometry($source)          changes the source in a folder
#    defects($finder)                 names, in order, of those that are found by
#                                     'statements'  of PageIndexRows
#                                     'writers'     of PageIndexWriters, which are killed
#                                     'copies'      of their server: a backup that becomes a standby, and
#                                                   takes over
#                                     'minimal'     WAL, in which new files are not
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
# session of that name has set bits and not logged them, is about to lock the index for adding pages, or has
# added some; and where any session has begun to use a page, or is about to log those that it adds.
my $sleep_if_late = "\t{\n\t\textern PGDLLIMPORT char *application_name;\n\n"
  . "\t\tif (strcmp(application_name, \"late\") == 0)\n\t\t\tpg_usleep(5000000);\n\t}\n";
my @late_record = (
	'index/pages_wal.c',
	"\t\tlsn = XLogInsert(RM_GENERIC_ID, 0);\n",
	"$sleep_if_late\t\tlsn = XLogInsert(RM_GENERIC_ID, 0);\n");
my @late_lock = (
	'index/pages_growth.c',
	"\n\tLockRelationForExtension(index, ExclusiveLock);\n",
	"\n$sleep_if_late\tLockRelationForExtension(index, ExclusiveLock);\n");
my @late_groups = (
	'index/pages_growth.c',
	"\t\tblt_pages_change_meta(index, meta);\n",
	"$sleep_if_late\t\tblt_pages_change_meta(index, meta);\n");
my $use_page = "\tif (blt_pages_use_slices(page, slice_bytes))\n\t\tend = write_delta(";
my @late_page = ('index/pages_wal.c', $use_page, $use_page =~ s/end = /pg_usleep(50000), end = /r);
my $log_pages = "\tif (page > meta->npages && !is_build && RelationNeedsWAL(index))\n";
my @late_log = ('index/pages_extend.c', $log_pages, "\tif (!is_build)\n\t\tpg_usleep(50000);\n$log_pages");

# Defects that several would find
my @no_log = ('index/pages_extend.c', $log_pages, "\tif (false)\n");
my @no_length =
  ('index/pages_wal.c', $use_page, "\tif (blt_pages_use_slices(page, slice_bytes) && false)\n\t\tend = write_delta(");

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
			"\tfor (int i = 0; i < nlevels; i++)\n",
			"\tif (nlevels > 1)\n\t\tkeys[0] = keys[--nlevels];\n\tfor (int i = 0; i < nlevels; i++)\n"
		],
		[
			'a build leaves out the upper level',
			'index/pages_build.c',
			"\tif (epoch->upper_nblocks > 0)\n\t\twrite_level(",
			"\tif (false)\n\t\twrite_level("
		],
		[
			'a build goes on with a batch in the next group',
			'index/pages_build.c',
			'(group >= state->end_group || batch->nkeys == state->limit ||',
			'(batch->nkeys == state->limit ||'
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
			'has_column(found, key->column + i)',
			'has_column(found, i)'
		],
		[
			'a scan does not look for groups that others have added',
			'index/pages_scan.c',
			"\tif (!bbf_pages_has_group(meta, end - 1))\n\t\tblt_pages_get_meta(search->index, end, meta);\n",
			''
		],
		[
			'a scan does not look for pages that others have added',
			'index/pages_storage.c',
			'bbf_pages_has_group(cache, ngroups - 1)',
			'ngroups <= cache->ngroups'
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
			"\tMarkBufferDirty(change->buffer);\n\tXLogRegisterBuffer(",
			"\tXLogRegisterBuffer("
		],
		[
			'a page is made anew whenever it is written',
			'index/pages_wal.c',
			$use_page,
			"\tblt_pages_init_page(page, &change->key->place);\n$use_page"
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
			'LockBuffer(changes[i].buffer, BUFFER_LOCK_EXCLUSIVE);',
			'LockBuffer(changes[i].buffer, BUFFER_LOCK_SHARE);',
			@late_page
		],
		[ 'pages are added without WAL', @no_log ],
		[ 'the slices of a page stay in the hole when it is replayed', @no_length ],
		[
			'pages are taken as they were left behind',
			'index/pages_extend.c',
			"\t\tinit_buffer(meta, page,\n\t\t\t\t\tReadBufferExtended(",
			"\t\tif (false)\n\t\tinit_buffer(meta, page,\n\t\t\t\t\tReadBufferExtended(",
			@late_log
		],
		[
			'pages are counted before they are there',
			'index/pages_growth.c',
			"\t\tblt_pages_extend(index, meta, group, false);\n\t\tblt_pages_change_meta(index, meta);\n",
			"\t\t{\n\t\t\tBbfPagesMeta counted = *meta;\n\n"
			  . "\t\t\tcounted.npages = bbf_pages_group_end(meta, group);\n"
			  . "\t\t\tblt_pages_change_meta(index, &counted);\n"
			  . "\t\t\tblt_pages_extend(index, meta, group, false);\n\t\t}\n",
			@late_log
		],
		[
			'an empty unlogged index counts pages that it has not',
			'index/pages_build.c',
			"\ttable_close(table, NoLock);\n\tblt_pages_begin_first_epoch(index, &state.meta, &state.table, &state.batch);\n",
			"\ttable_close(table, NoLock);\n\tblt_pages_begin_first_epoch(index, &state.meta, &state.table, &state.batch);\n\tstate.meta.npages = 2;\n"
		]
	],
	copies => [
		[ 'a copy has no pages that were added', @no_log ],
		[ 'a copy has no bits of pages that were empty', @no_length ]
	],
	minimal => [
		[
			'pages are logged whose bits are not',
			'index/pages_extend.c',
			'!is_build && RelationNeedsWAL(index)',
			'!is_build'
		]
	],
	late => [
		[
			'two sessions add groups at once',
			'index/pages_growth.c',
			"\n\tLockRelationForExtension(index, ExclusiveLock);\n",
			"\n",
			'index/pages_growth.c',
			"\tUnlockRelationForExtension(index, ExclusiveLock);\n",
			'',
			@late_groups
		],
		[
			'groups are added to those that were there before the lock',
			'index/pages_growth.c',
			"\tLockRelationForExtension(index, ExclusiveLock);\n\tblt_pages_get_meta(index, group + 1, meta);\n",
			"\tLockRelationForExtension(index, ExclusiveLock);\n",
			@late_lock
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
	nobody => [ [ 'delays', @late_record, @late_page, @late_groups, @late_log ], [ 'another delay', @late_lock ] ],
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
