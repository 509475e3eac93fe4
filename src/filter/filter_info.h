/*
 * filter_info.h
 *	  What SQL functions say about a filter of any type.
 *
 * All of it stands in the metadata, so a stored filter of any size is not read
 * beyond those.
 */
#ifndef BLOOMTYPE_FILTER_INFO_H
#define BLOOMTYPE_FILTER_INFO_H

#include "core/image.h"
#include "fmgr.h"

/* The result of a function that returns a row. */
extern Datum blt_return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);

/* Name of the key family, as text. */
extern Datum blt_key_family(const BbfMeta *meta);

/* Number of keys, as bigint; null where it is not known. */
extern Datum blt_number_of_keys(const BbfMeta *meta, bool *isnull);

/*
 * Does a filter hold more keys than it was made for, at a rate above its own?
 */
extern bool blt_is_overfull(const BbfMeta *meta);

/*
 * Warn that a filter is overfull.  Called once, when it becomes so.  No key is
 * lost, but the rate rises.
 */
extern void blt_warn_of_overfull(const BbfMeta *meta);

/*
 * The body of TYPE_info for a filter of one layer, in which the number of
 * bins is shown multiplied by shown_per_bin.  A row of key_family, capacity,
 * target_fpp, bits of a key, those numbers, bytes, share of them that are
 * taken, keys, current_fpp and saturated.
 */
extern Datum blt_layer_info(FunctionCallInfo fcinfo, BbfKind kind,
							unsigned shown_per_bin);

#endif							/* BLOOMTYPE_FILTER_INFO_H */
