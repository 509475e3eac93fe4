/*
 * bloom_expanded.h
 *	  A filter in layers (bloom_layers.h) as an SQL value: the state of an
 *	  aggregate of unions.
 *
 * It is an expanded object (utils/expandeddatum.h), and as such a value of
 * type bloom: to store, copy or detoast it makes a plain value of it.  The
 * server keeps one as the state of an aggregate as long as it is a child of
 * the aggregate's context, and shows it to final functions as read-only.
 */
#ifndef BLOOMTYPE_BLOOM_EXPANDED_H
#define BLOOMTYPE_BLOOM_EXPANDED_H

#include "types/bloom_layers.h"
#include "utils/expandeddatum.h"

typedef struct ExpandedFilter
{
	ExpandedObjectHeader header;
	LayeredFilter filter;		/* of one layer at least, all of them copies */
} ExpandedFilter;

/*
 * The expanded filter of a value that the caller may change; null if the
 * value is plain, read-only or not ours.
 */
extern ExpandedFilter *blt_writable_expanded_filter(Datum filter);

/*
 * Expand a filter with layers in a new context.
 */
extern ExpandedFilter *blt_expand_filter(const BbfFilter *filter, MemoryContext parent);

/* The value, which the caller of a function may change. */
static inline Datum
blt_expanded_filter_datum(ExpandedFilter *filter)
{
	return EOHPGetRWDatum(&filter->header);
}

#endif							/* BLOOMTYPE_BLOOM_EXPANDED_H */
