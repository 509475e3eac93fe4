/*
 * layer.h
 *	  One array of bins, and what its record in an image says about it.
 *
 * A bin is what the upper half of a hash selects, as bbf_block_index does: a
 * block of bits (blocked.h), a block of counters (counting.h) or a bucket of
 * fingerprints (cuckoo.h).  Most filters have one layer.
 */
#ifndef BBF_LAYER_H
#define BBF_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/blocked.h"
#include "core/sizing.h"

/*
 * 512 MB for the bins of a filter of any kind, so that the number of a bit
 * fits 32 bits, and the base64 text of a filter the server's limit on a
 * value.
 */
#define BBF_MAX_BYTES		((uint64_t) 1 << 29)
#define BBF_MAX_BLOCKS		((uint32_t) (BBF_MAX_BYTES / BBF_BLOCK_BYTES))

typedef struct BbfLayer
{
	uint32_t	nbins;
	int			key_bits;		/* of blocks: number of probes, 1 .. 24; of
								 * buckets: bits of a fingerprint, 1 .. 32 */
	uint64_t	capacity;		/* keys it was sized for */
	double		fpp;			/* highest rate until it is full */
	uint64_t	full_at;		/* blocks are full when nset is above this; 0,
								 * without a meaning, for buckets */
	uint64_t	nset;			/* exactly: bits set, counters above zero, or
								 * fingerprints */
} BbfLayer;

/* Set the record of a layer without keys, sized for capacity keys at fpp. */
static inline void
bbf_layer_init(BbfLayer *layer, const BbfGeometry *geometry, uint64_t capacity, double fpp)
{
	layer->nbins = (uint32_t) geometry->nbins;
	layer->key_bits = geometry->key_bits;
	layer->capacity = capacity;
	layer->fpp = fpp;
	layer->full_at = geometry->full_at;
	layer->nset = 0;
}

/* Are the blocks of a layer full?  Without a meaning for buckets. */
static inline bool
bbf_layer_is_full(const BbfLayer *layer)
{
	return layer->nset > layer->full_at;
}

/* Are the bits of a key in the same places of both? */
static inline bool
bbf_layer_same_geometry(const BbfLayer *a, const BbfLayer *b)
{
	return a->nbins == b->nbins && a->key_bits == b->key_bits;
}

/*
 * Update the record of a layer into which the keys of another are merged: the
 * smaller key_bits, the larger capacity, fpp and full_at.  Callers set nset.
 */
static inline void
bbf_layer_unite_record(BbfLayer *layer, const BbfLayer *other)
{
	if (other->key_bits < layer->key_bits)
		layer->key_bits = other->key_bits;
	if (other->capacity > layer->capacity)
		layer->capacity = other->capacity;
	if (other->fpp > layer->fpp)
		layer->fpp = other->fpp;
	if (other->full_at > layer->full_at)
		layer->full_at = other->full_at;
}

#endif							/* BBF_LAYER_H */
