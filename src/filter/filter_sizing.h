/*
 * filter_sizing.h
 *	  What SQL functions say about a filter before it is made.
 */
#ifndef BLOOMTYPE_FILTER_SIZING_H
#define BLOOMTYPE_FILTER_SIZING_H

#include "core/kind.h"
#include "filter/filter_parameters.h"
#include "fmgr.h"

/*
 * What sizing says of a filter: its first layer when it holds its capacity.
 */
typedef struct FilterSizing
{
	BbfGeometry geometry;		/* no bins: an exact list, which has no layer */
	int64		bytes;			/* of the whole image */
	double		bits_per_key;
	bool		is_too_large;	/* the limit on one filter is passed */
	bool		is_out_of_range;	/* 2^63 bits or more: bytes and
									 * bits_per_key are not set */
} FilterSizing;

/*
 * The sizing of the filter for (capacity, fpp), the arguments of a function;
 * also where that is past the limit on one filter.  Errors: the arguments are
 * not valid; it would have 2^63 bits or more.
 */
extern FilterSizing blt_size_filter(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * The largest capacity whose filter of a kind has at most this many bytes,
 * which are positive; 0 if there is none.  It may be past the limit on one
 * filter, but is one whose size blt_size_filter returns.  The
 * rate has been checked.
 */
extern int64 blt_capacity_within(BbfKind kind, int64 bytes, float8 fpp);

/*
 * The body of TYPE_sizing for a kind that has blocks.  A row of bytes, bits
 * or counters, probes, bits a key, blocks and full_at; of an exact list,
 * which has no layer, bytes and bits a key only; of a filter that would be
 * too large all but full_at.
 */
extern Datum blt_blocks_sizing(FunctionCallInfo fcinfo, BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_SIZING_H */
