/*
 * range_wal.h
 *	  Sets bits in one or two pages, in one step that a crash leaves done or
 *	  not done, and logs it.
 */
#ifndef BLOOMTYPE_RANGE_WAL_H
#define BLOOMTYPE_RANGE_WAL_H

#include "index/range_pages.h"

/* The bits of a key in one page, which is locked exclusively. */
typedef struct RangeChange
{
	Buffer		buffer;
	const BbfRangeProbe *probe;
} RangeChange;

/*
 * Set the bits of n changes, of which each level has one at most.  A page
 * without bits becomes the one of its place.
 */
extern void blt_range_set_bits(Relation index, unsigned slice_bytes,
							   const RangeChange *changes, int n);

/* Change the metapage, which is locked exclusively, to these metadata. */
extern void blt_range_change_meta(Relation index, Buffer buffer, const BbfRangeMeta *meta);

#endif							/* BLOOMTYPE_RANGE_WAL_H */
