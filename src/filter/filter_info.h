/*
 * filter_info.h
 *	  What SQL functions tell of a filter of any type, or of one to be made.
 *
 * All that is said of a filter stands in its metadata, so a stored filter of any
 * size is not read beyond those.
 */
#ifndef BLOOMTYPE_FILTER_INFO_H
#define BLOOMTYPE_FILTER_INFO_H

#include "core/image.h"
#include "fmgr.h"

/* The result of a function that returns a row. */
extern Datum blt_return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* Name of the key family, as text. */
extern Datum blt_key_family(const BbfMeta *meta);

/* Number of keys, as bigint; null where it cannot be told. */
extern Datum blt_number_of_keys(const BbfMeta *meta, bool *isnull);

/*
 * The body of TYPE_info for a filter of one layer, in which the numbers of a
 * layer are shown as so many for each bin.  A row of key_family, capacity,
 * target_fpp, bits of a key, those numbers, bytes, share of them that are taken,
 * keys, current_fpp and saturated.
 */
extern Datum blt_layer_info(FunctionCallInfo fcinfo, BbfKind kind,
							unsigned shown_per_bin);

/* What sizing tells of a filter: its first layer when it holds its capacity. */
typedef struct FilterSizing
{
	BbfGeometry geometry;
	int64		bytes;			/* of the whole image */
	double		bits_per_key;
	bool		is_too_large;	/* the limit on one filter is passed */
} FilterSizing;

/*
 * The sizing of the filter for (capacity, fpp), the arguments of a function,
 * also where that is past the limit on one filter.  Errors: the arguments are
 * not valid; it would have more than 2^63 bits.
 */
extern FilterSizing blt_size_filter(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * The body of TYPE_sizing for a kind that has blocks.  A row of bytes, bits or
 * counters, probes, bits a key, blocks and full_at; of an exact list, which has
 * no layer, bytes and bits a key only; of a filter that would be too large all but
 * full_at.
 */
extern Datum blt_blocks_sizing(FunctionCallInfo fcinfo, BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_INFO_H */
