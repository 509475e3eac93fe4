/*
 * pages_fill.h
 *	  How full the columns of an index are.
 */
#ifndef BLOOMTYPE_PAGES_FILL_H
#define BLOOMTYPE_PAGES_FILL_H

#include "core/estimate.h"
#include "index/pages_storage.h"

/* The ranges of a group, or the groups of a super-group. */
typedef struct ColumnFill
{
	uint32		nblocks;		/* that were counted */
	uint64		nset[BBF_MAX_COLUMNS];	/* bits set in them */
	double		rates[BBF_MAX_COLUMNS]; /* at which absent keys pass */
} ColumnFill;

/* The keys of a column that was counted. */
static inline double
blt_pages_keys(const ColumnFill *fill, int nprobes, uint32 column)
{
	return bbf_keys_from_bits_of(BBF_COLUMN_BITS, fill->nblocks, nprobes, fill->nset[column]);
}

/*
 * Count the bits in the pages of a level from a place on, whose block is 0; in
 * the pages of the first max_blocks, over which keys are spread as over all.
 */
extern void blt_pages_count(Relation index, const BbfPagesMeta *meta,
							const BbfPagesEpoch *epoch, const BbfPagesPlace *first,
							uint32 max_blocks, ColumnFill *fill);

/* Added up over the ranges of a table that have keys */
typedef struct PagesTotals
{
	uint64		nranges;
	uint64		noverfull;
	double		fill;
	double		keys;
	double		most_keys;		/* of a range; at least, if that is too full */
	double		false_ranges;	/* expected for an absent key */
} PagesTotals;

/* Add up all that an index has of a table with so many pages. */
extern void blt_pages_add_up(Relation index, const BbfPagesMeta *meta,
							 BlockNumber table_pages, PagesTotals *totals);

#endif							/* BLOOMTYPE_PAGES_FILL_H */
