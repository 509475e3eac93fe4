/*
 * pages_growth.c
 *	  Decides about epochs, by the fill of the last group.
 *
 * Groups that are laid out do not change, so sessions need not ask whether
 * what they remember is still right.  Only the first row of a group that has
 * no pages locks the index for extension, which keeps no other session from
 * reading it, or from adding keys to the pages that there are.
 */
#include "compat.h"

#include "index/pages_growth.h"

#include "index/pages_extend.h"
#include "index/pages_fill.h"
#include "index/pages_tuning.h"
#include "index/pages_wal.h"
#include "miscadmin.h"
#include "storage/lmgr.h"

/*
 * The later half of the epochs is for those that make ends meet: no fewer keys
 * in a range than before, twice as many as they have if that is more, and a
 * table that becomes 16 times as large.
 */
static bool
is_sparing(const BbfPagesMeta *meta)
{
	return meta->nepochs >= BBF_PAGES_MAX_EPOCHS / 2;
}

static int
compare_descending(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return (x < y) - (x > y);
}

/*
 * Estimate the keys in a range of a group that is not empty: the mean of the
 * fuller half, as some are still being filled.  0 if all are empty.
 */
static double
estimate_range_keys(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
					uint32 group)
{
	const BbfPagesPlace place = {BBF_PAGES_LOWER, group, 0};
	const uint32 nranges = bbf_pages_group_width(meta, group);
	ColumnFill	fill;
	uint32		nused = 0;
	double		keys = 0.0;

	blt_pages_count(index, meta, epoch, &place, PAGES_BLOCKS_SEEN, &fill);
	qsort(fill.nset, nranges, sizeof(*fill.nset), compare_descending);
	while (nused < nranges && fill.nset[nused] > 0)
		nused++;
	if (nused == 0)
		return 0.0;
	nused = (nused + 1) / 2;
	for (uint32 i = 0; i < nused; i++)
		keys += blt_pages_keys(&fill, epoch->nprobes, i);
	return keys / nused * epoch->nblocks / fill.nblocks;
}

/*
 * Estimate the keys in a group that is not small; at most those that its
 * ranges have together.
 */
static double
estimate_group_keys(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
					uint32 group, double range_keys)
{
	const double most = range_keys * meta->ncolumns;
	const uint32 column = bbf_pages_upper_column(epoch, group);
	const BbfPagesPlace place = {BBF_PAGES_UPPER, group - column, 0};
	ColumnFill	fill;
	double		keys;

	if (epoch->upper_nblocks == 0 || group < BBF_PAGES_SMALL_GROUPS)
		return most;
	blt_pages_count(index, meta, epoch, &place, PAGES_BLOCKS_SEEN, &fill);
	keys = blt_pages_keys(&fill, epoch->upper_nprobes, column) * epoch->upper_nblocks / fill.nblocks;
	return keys > 0.0 && keys < most ? keys : most;
}

/* Set what the size of the table leads to expect of an epoch. */
static void
expect_groups(const BbfPagesMeta *meta, uint32 table_ranges, BbfPagesLoad *load)
{
	const uint64 nranges = bbf_pages_first_range(meta, meta->ngroups);
	const uint32 least_ranges = BBF_PAGES_SINGLE_LEVEL * meta->ncolumns;

	if (table_ranges > nranges)
	{
		load->nranges = table_ranges;
		load->ngroups = bbf_pages_group(meta, table_ranges - 1) + 1 - meta->ngroups;
	}
	else
	{
		/* of a table that is growing, as many as there are */
		load->nranges = Min((is_sparing(meta) ? 16 : 2) * nranges, PG_UINT32_MAX);
		load->nranges = Max(load->nranges, least_ranges);
		load->ngroups = meta->ngroups;
	}
	load->has_upper = load->nranges > least_ranges;
}

/*
 * Begin a new epoch if the last one no longer fits: it lacks a second level,
 * or its super-groups are too small or too large, or its ranges have more or
 * far fewer keys than they were made for, or the table has become so much
 * larger that false ranges add up.
 */
static void
renew_epoch(Relation index, BbfPagesMeta *meta, uint32 table_ranges, double least_keys)
{
	const BbfPagesEpoch *epoch = &meta->epochs[meta->nepochs - 1];
	const uint32 group = meta->ngroups - 1;
	BbfPagesLoad load;

	expect_groups(meta, table_ranges, &load);
	load.range_keys = estimate_range_keys(index, meta, epoch, group);
	load.range_keys = Max(load.range_keys, least_keys);
	if (load.has_upper == (epoch->width > 0) &&
		!(load.has_upper && bbf_pages_ends_super_group(meta) &&
		  bbf_pages_best_width(meta, load.ngroups) != epoch->width) &&
		bbf_pages_first_range(meta, meta->ngroups) / 2 <= epoch->nranges &&
		(load.range_keys == 0.0 ||
		 (load.range_keys <= epoch->capacity * PAGES_MANY_KEYS &&
		  (is_sparing(meta) || load.range_keys >= epoch->capacity * PAGES_FEW_KEYS))))
		return;

	if (load.range_keys > 0.0)
		load.group_keys = estimate_group_keys(index, meta, epoch, group, load.range_keys);
	else
	{
		/* of an empty group, nothing is learnt */
		load.range_keys = bbf_pages_expected_keys(epoch);
		load.group_keys = load.range_keys * meta->ncolumns;
	}
	if (is_sparing(meta))
	{
		const double keys = load.range_keys > epoch->capacity ? 2.0 * load.range_keys :
			bbf_pages_expected_keys(epoch);

		load.group_keys *= keys / load.range_keys;
		load.range_keys = keys;
	}
	if (!bbf_pages_begin_epoch(meta, &load))
		ereport(LOG,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("index \"%s\" no longer adapts to the rows of its table",
						RelationGetRelationName(index)),
				 errdetail("It has %u epochs, or its ranges have too many rows.", meta->nepochs),
				 errhint("REINDEX it.")));
}

void
blt_pages_grow(Relation index, BbfPagesMeta *meta, uint32 group, uint32 table_ranges,
			   double least_keys)
{
	while (meta->ngroups <= group)
	{
		CHECK_FOR_INTERRUPTS();
		renew_epoch(index, meta, table_ranges, least_keys);
		if (!bbf_pages_add_groups(meta))
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("index \"%s\" would have too many pages",
							RelationGetRelationName(index)),
					 errhint("Set a larger pages_per_range, and REINDEX.")));
	}
}

/*
 * The ranges of a table that has got a row in one of no group: unknown, or so
 * many if that is not of the next group.  Then rows before have no keys.
 */
static uint32
ranges_of_table(const BbfPagesMeta *meta, uint32 range)
{
	return range < bbf_pages_first_range(meta, meta->ngroups) + meta->ncolumns ? 0 : range + 1;
}

void
blt_pages_get_for_block(Relation index, BlockNumber block, BbfPagesMeta *meta)
{
	uint32		group;

	blt_pages_get_meta(index, 0, meta);
	group = blt_pages_group(meta, block);
	if (bbf_pages_has_group(meta, group))
		return;

	LockRelationForExtension(index, ExclusiveLock);
	blt_pages_get_meta(index, group + 1, meta);
	/* unless another session has come first */
	if (!bbf_pages_has_group(meta, group))
	{
		blt_pages_grow(index, meta, group, ranges_of_table(meta, blt_pages_range(meta, block)),
					   0.0);
		blt_pages_extend(index, meta, group, false);
		blt_pages_change_meta(index, meta);
	}
	UnlockRelationForExtension(index, ExclusiveLock);
}
