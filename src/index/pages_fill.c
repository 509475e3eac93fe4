/*
 * pages_fill.c
 *	  Counts the bits of columns.
 */
#include "compat.h"

#include "index/pages_fill.h"

#include "core/sizing.h"
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
