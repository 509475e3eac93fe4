/*
 * pages_growth.h
 *	  More groups for an index whose table grows, and new epochs as it turns
 *	  out to have more or fewer keys.
 */
#ifndef BLOOMTYPE_PAGES_GROWTH_H
#define BLOOMTYPE_PAGES_GROWTH_H

#include "index/pages_storage.h"

/*
 * Add groups to metadata until there is this one, without writing them.
 * table_ranges is the number of ranges that the table has, 0 if it is just
 * growing; a range of a new epoch is expected to have at least least_keys.
 * Error: the index would have too many pages.
 */
extern void blt_pages_grow(Relation index, BbfPagesMeta *meta, uint32 group,
						   uint32 table_ranges, double least_keys);

/*
 * Get metadata that have the group of a block of the table, with its pages.
 * If the index has not come so far, these are added.
 */
extern void blt_pages_get_for_block(Relation index, BlockNumber block, BbfPagesMeta *meta);

#endif							/* BLOOMTYPE_PAGES_GROWTH_H */
