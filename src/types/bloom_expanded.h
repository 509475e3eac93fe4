/*
 * bloom_expanded.h
 *	  A Bloom filter in memory, of which each layer can be changed, added or
 *	  removed without a copy of the others: the state of an aggregate of unions.
 *
 * It is an expanded object (utils/expandeddatum.h), and as such a value of type
 * bloom: whoever stores or copies it makes a plain value of it, whoever detoasts
 * it gets one.  The server keeps one as the state of an aggregate as long as it
 * is a child of the aggregate's context, and shows it to final functions as
 * read-only.
 */
#ifndef BLOOMTYPE_BLOOM_EXPANDED_H
#define BLOOMTYPE_BLOOM_EXPANDED_H

#include "core/image.h"
#include "utils/expandeddatum.h"

typedef struct ExpandedFilter
{
	ExpandedObjectHeader header;
	BbfMeta		meta;			/* without a list, with at least one layer */
	unsigned char *blocks[BBF_MAX_LAYERS];	/* of each layer, allocated in
											 * header.eoh_context */
	bool		settled[BBF_MAX_LAYERS];	/* no two of these layers can be
											 * OR-ed into one, as
											 * bloom_layers.c decides; at first
											 * none is */
} ExpandedFilter;

/*
 * The expanded filter of a value that the caller may change; null if the value is
 * plain, read-only or not ours.
 */
extern ExpandedFilter *blt_writable_expanded_filter(Datum filter);

/* Expand a filter with layers, of which bytes is the image, in a new context. */
extern ExpandedFilter *blt_expand_filter(const BbfMeta *meta,
										 const unsigned char *bytes,
										 MemoryContext parent);

/* The value, which the caller of a function may change. */
static inline Datum
blt_expanded_filter_datum(ExpandedFilter *filter)
{
	return EOHPGetRWDatum(&filter->header);
}

#endif							/* BLOOMTYPE_BLOOM_EXPANDED_H */
