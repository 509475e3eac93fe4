/*
 * pages_geometry.h
 *	  The first epoch of an index, sized by the rows that its build has seen.
 */
#ifndef BLOOMTYPE_PAGES_GEOMETRY_H
#define BLOOMTYPE_PAGES_GEOMETRY_H

#include "core/pages.h"
#include "storage/block.h"
#include "utils/rel.h"

/* The keys of rows that come one after another, by ascending range. */
typedef struct PagesBatch
{
	int			nkeys;
	uint64	   *hashes;
	uint32	   *ranges;
	BlockNumber last_block;		/* of the table, seen in it */
} PagesBatch;

/* What a build knows of its table. */
typedef struct PagesTable
{
	BlockNumber npages;
	double		density;		/* expected rows of a page */
	double		nrows;			/* seen, of which some have no key, */
	BlockNumber nseen;			/* in the first so many pages */
	int			rows_per_range; /* option, or 0 */
	double		least_keys;		/* expected in a range, at least */
} PagesTable;

/* Set up what is known before the first row is seen. */
extern void blt_pages_init_table(Relation table, BlockNumber npages, Relation index,
								 PagesTable *result);

/* The ranges of the table, and one that is to come. */
extern uint32 blt_pages_count_ranges(const BbfPagesMeta *meta, const PagesTable *table);

/*
 * Begin the first epoch, with the groups of the first batch, for keys as those
 * of that.
 * Error: filters would be too large.
 */
extern void blt_pages_begin_first_epoch(Relation index, BbfPagesMeta *meta,
										const PagesTable *table, const PagesBatch *batch);

#endif							/* BLOOMTYPE_PAGES_GEOMETRY_H */
