/*
 * range_fill.h
 *	  How full the columns of an index are.
 */
#ifndef BLOOMTYPE_RANGE_FILL_H
#define BLOOMTYPE_RANGE_FILL_H

#include "index/range_pages.h"

/* The ranges of a group, or the groups of a super-group. */
typedef struct RangeFill
{
	uint32		nblocks;		/* that were counted */
	uint64		nset[BBF_MAX_COLUMNS];	/* bits set in them */
	double		rates[BBF_MAX_COLUMNS]; /* at which absent keys pass */
} RangeFill;

/*
 * Count the bits in the pages of a level from a place on, whose block is 0; in
 * the pages of the first max_blocks, over which keys are spread as over all.
 */
extern void blt_range_count(Relation index, const BbfRangeMeta *meta,
							const BbfRangeEpoch *epoch, const BbfRangePlace *first,
							uint32 max_blocks, RangeFill *fill);

#endif							/* BLOOMTYPE_RANGE_FILL_H */
