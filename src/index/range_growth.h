/*
 * range_growth.h
 *	  More groups for an index whose table grows, and new epochs as it turns
 *	  out to have more or fewer keys.
 */
#ifndef BLOOMTYPE_RANGE_GROWTH_H
#define BLOOMTYPE_RANGE_GROWTH_H

#include "index/range_pages.h"

/*
 * Add groups to metadata until there is this one, without writing them.
 * table_ranges is the number of ranges that the table has, 0 if it is just
 * growing.  Error: the index would have too many pages.
 */
extern void blt_range_grow(Relation index, BbfRangeMeta *meta, uint32 group,
						   uint32 table_ranges);

/*
 * Get metadata that have a group.  If the index has not come so far, the
 * metapage is changed.
 */
extern void blt_range_get_group(Relation index, uint32 group, BbfRangeMeta *meta);

#endif							/* BLOOMTYPE_RANGE_GROWTH_H */
