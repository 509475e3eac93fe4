/*
 * pages_fill.c
 *	  Counts the bits of columns, and adds up what they tell.
 */
#include "compat.h"

#include "index/pages_fill.h"

#include "core/sizing.h"
#include "index/pages_tuning.h"
#include "miscadmin.h"

void
blt_pages_count(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
				const BbfPagesPlace *first, uint32 max_blocks, ColumnFill *fill)
{
	const int	nprobes = bbf_pages_nprobes(epoch, first->level);
	const uint32 width = bbf_pages_width(meta, epoch, first->level, first->group);
	const uint32 per_page = meta->ncolumns / width;
	BbfPagesPlace place = *first;
	uint16		counts[BBF_MAX_COLUMNS];

	memset(fill, 0, sizeof(*fill));
	fill->nblocks = bbf_pages_nblocks(epoch, first->level);
	if (max_blocks < fill->nblocks)
		fill->nblocks = Min(fill->nblocks, (max_blocks + per_page - 1) / per_page * per_page);
	for (; place.block < fill->nblocks; place.block += per_page)
	{
		Buffer		buffer;

		CHECK_FOR_INTERRUPTS();
		buffer = blt_pages_read(index, meta, epoch, &place);
		if (!BufferIsValid(buffer))
			continue;
		bbf_columns_count(blt_pages_contents(BufferGetPage(buffer)),
						  blt_pages_slice_bytes(meta), counts);
		UnlockReleaseBuffer(buffer);
		for (uint32 i = 0; i < per_page * width; i++)
		{
			fill->nset[i % width] += counts[i];
			fill->rates[i % width] += bbf_power((double) counts[i] / BBF_COLUMN_BITS, nprobes) /
				fill->nblocks;
		}
	}
}

/* Add up the first nranges of a group, which absent keys reach at a rate. */
static void
add_group(const BbfPagesEpoch *epoch, const ColumnFill *fill, uint32 nranges,
		  double upper_rate, PagesTotals *totals)
{
	for (uint32 i = 0; i < nranges; i++)
	{
		double		keys;

		if (fill->nset[i] == 0)
			continue;
		keys = blt_pages_keys(fill, epoch->nprobes, i);
		totals->nranges++;
		totals->noverfull += keys > epoch->capacity * PAGES_OVERFULL;
		totals->fill += (double) fill->nset[i] / ((double) fill->nblocks * BBF_COLUMN_BITS);
		totals->keys += keys;
		totals->most_keys = Max(totals->most_keys, keys);
		totals->false_ranges += fill->rates[i] * upper_rate;
	}
}

/* Add up an epoch, as far as the table, of table_ranges, reaches. */
static void
add_epoch(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
		  uint64 table_ranges, PagesTotals *totals)
{
	const uint32 end = bbf_pages_epoch_end(meta, epoch);
	ColumnFill *upper = palloc(sizeof(ColumnFill));
	ColumnFill *lower = palloc(sizeof(ColumnFill));

	for (uint32 group = epoch->first_group; group < end; group++)
	{
		const uint64 first_range = bbf_pages_first_range(meta, group);
		const uint32 column = bbf_pages_upper_column(epoch, group);
		BbfPagesPlace place = {BBF_PAGES_UPPER, group, 0};

		if (first_range >= table_ranges)
			break;
		if (column == 0 && epoch->upper_nblocks > 0)
			blt_pages_count(index, meta, epoch, &place, PG_UINT32_MAX, upper);
		place.level = BBF_PAGES_LOWER;
		blt_pages_count(index, meta, epoch, &place, PG_UINT32_MAX, lower);
		add_group(epoch, lower,
				  Min(bbf_pages_group_width(meta, group), table_ranges - first_range),
				  epoch->upper_nblocks > 0 ? upper->rates[column] : 1.0, totals);
	}
	pfree(upper);
	pfree(lower);
}

void
blt_pages_add_up(Relation index, const BbfPagesMeta *meta, BlockNumber table_pages,
				 PagesTotals *totals)
{
	const uint64 table_ranges =
		((uint64) table_pages + meta->pages_per_range - 1) / meta->pages_per_range;

	memset(totals, 0, sizeof(*totals));
	for (uint32 i = 0; i < meta->nepochs; i++)
		add_epoch(index, meta, &meta->epochs[i], table_ranges, totals);
}
