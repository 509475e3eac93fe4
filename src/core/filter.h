/*
 * filter.h
 *	  A filter that can be probed: its metadata, and where its keys are.
 *
 * These may be in an image, or in memory of their own, a layer here and
 * another there, as where a filter is changed.
 */
#ifndef BBF_FILTER_H
#define BBF_FILTER_H

#include "core/image.h"

/*
 * The metadata come last: of a filter that is kept for long, memory for its
 * own layers is enough.
 */
typedef struct BbfFilter
{
	const unsigned char *list;	/* nlist hashes, as in an image */
	const unsigned char *bins[BBF_MAX_LAYERS];	/* of each layer */
	BbfMeta		meta;
} BbfFilter;

/* Let a filter have the keys of an image whose metadata it has. */
extern void bbf_filter_attach(BbfFilter *filter, const unsigned char *bytes);

/* Copy a filter, but not its keys. */
extern void bbf_filter_copy(BbfFilter *to, const BbfFilter *from);

/*
 * The number of a hash in the list, or of the first larger one; sets whether
 * it was found.
 */
extern unsigned bbf_list_find(const BbfFilter *filter, uint64_t hash, bool *found);

/*
 * bbf_filter_count for a filter with a list, several layers, or without keys.
 */
extern int	bbf_filter_count_slow(const BbfFilter *filter, uint64_t hash);

/* Upper bound on the copies of a key; 0 or 1 for a set. */
static inline int
bbf_filter_count(const BbfFilter *filter, uint64_t hash)
{
	const BbfMeta *meta = &filter->meta;

	if (meta->nlayers != 1)
		return bbf_filter_count_slow(filter, hash);
	return bbf_kind_routine(meta->kind)->count(&meta->layers[0], filter->bins[0], hash);
}

/* bbf_filter_contains for any filter. */
extern bool bbf_filter_contains_slow(const BbfFilter *filter, uint64_t hash);

/* Probe: may the key with this hash be in a filter? */
static inline bool
bbf_filter_contains(const BbfFilter *filter, uint64_t hash)
{
	const BbfMeta *meta = &filter->meta;

	/* most filters, without a call: see bloomtype_contains */
	if (meta->kind == BBF_KIND_BLOOM && meta->nlayers == 1)
		return bbf_blocks_contain(filter->bins[0], meta->layers[0].nbins,
								  meta->layers[0].key_bits, hash);
	return bbf_filter_contains_slow(filter, hash);
}

#endif							/* BBF_FILTER_H */
