/*
 * attached.h
 *	  Probes of images, for tests that have metadata and bytes.
 */
#ifndef ATTACHED_H
#define ATTACHED_H

#include "core/filter.h"
#include "core/overlap.h"

/* The filter of an image. */
static inline BbfFilter
attached(const BbfMeta *meta, const unsigned char *bytes)
{
	BbfFilter	filter;

	filter.meta = *meta;
	bbf_filter_attach(&filter, bytes);
	return filter;
}

/* Where the bins of a layer begin in an image. */
static inline size_t
bins_offset(const BbfMeta *meta, unsigned layer)
{
	size_t		offset = bbf_bins_start(meta);

	for (unsigned i = 0; i < layer; i++)
		offset += bbf_bins_bytes(bbf_kind_routine(meta->kind), &meta->layers[i]);
	return offset;
}

static inline bool
image_contains(const BbfMeta *meta, const unsigned char *bytes, uint64_t hash)
{
	BbfFilter	filter = attached(meta, bytes);

	return bbf_filter_contains(&filter, hash);
}

static inline int
image_count(const BbfMeta *meta, const unsigned char *bytes, uint64_t hash)
{
	BbfFilter	filter = attached(meta, bytes);

	return bbf_filter_count(&filter, hash);
}

static inline unsigned
list_find(const BbfMeta *meta, const unsigned char *bytes, uint64_t hash, bool *found)
{
	BbfFilter	filter = attached(meta, bytes);

	return bbf_list_find(&filter, hash, found);
}

static inline unsigned
lists_overlap(const BbfMeta *a_meta, const unsigned char *a_bytes,
			  const BbfMeta *b_meta, const unsigned char *b_bytes)
{
	BbfFilter	a = attached(a_meta, a_bytes);
	BbfFilter	b = attached(b_meta, b_bytes);

	return bbf_lists_overlap(&a, &b);
}

#endif							/* ATTACHED_H */
