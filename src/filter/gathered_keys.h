/*
 * gathered_keys.h
 *	  Keys on their way into a filter.
 *
 * A filter is never touched row by row: in one that is larger than the cache
 * every key would wait for memory.  Hashes gather in an array.
 *
 *	sized by itself
 *		When the array is full duplicates are removed, and it grows if that
 *		has not made room.  The number of distinct keys at the end sizes the
 *		filter.
 *	of a given capacity
 *		The layer is the one that this capacity asks for, whatever comes: same
 *		parameters, same geometry.  It is made once the hashes, without their
 *		duplicates, take half as much space: few keys in each of many groups do
 *		not take a layer each.  From then on the array is the buffer in front
 *		of the layer.  (Not for a kind whose keys must be added in order.)
 */
#ifndef BLOOMTYPE_GATHERED_KEYS_H
#define BLOOMTYPE_GATHERED_KEYS_H

#include "core/aggregate_message.h"

/* Limit on the keys kept in the array: it is serialized. */
#define MAX_GATHERED_KEYS	BBF_MAX_MESSAGE_WORDS

/* The table of the last hashes has a slot for each value of as many bits. */
#define RECENT_BITS			10

typedef struct GatheredKeys
{
	/* what every row uses, on one cache line */
	uint64_t   *hashes;			/* gathered, and not yet in bins */
	uint32		nhashes;		/* always less than room */
	uint32		room;
	uint64_t   *recent;			/* by their upper bits; or null */
	uint32		subtype;
	uint16		family;			/* of the keys; none before the first */

	uint32		ndistinct;		/* number of hashes, the first ones, of which
								 * no copies are left to remove */
	MemoryContext context;
	const BbfKindRoutine *routine;
	int64		capacity;		/* 0: sized by itself */
	double		fpp;

	unsigned char *bins;		/* of the layer, while there is one; or null */
	BbfLayer	layer;
} GatheredKeys;

/* No keys yet.  The parameters are valid; capacity 0: sized by itself. */
extern GatheredKeys *blt_new_gathered_keys(MemoryContext context,
										   const BbfKindRoutine *routine,
										   int64 capacity, double fpp);

/*
 * Geometry of the layer for the capacity that is given; of one that sizes itself that
 * for capacity 1.  Errors: those of blt_size_layer().
 */
extern BbfGeometry blt_given_geometry(const GatheredKeys *keys);

/* The layer of that geometry, without keys.  Errors: the same. */
extern void blt_given_layer(const GatheredKeys *keys, BbfLayer *layer);

/* Make room for as many hashes, more than there are. */
extern void blt_set_room(GatheredKeys *keys, uint32 room);

/* Have bins of the geometry that is given, all clear. */
extern void blt_open_bins(GatheredKeys *keys);

/* Add all hashes to bins, in pieces that can be interrupted. */
extern void blt_fill_bins(const GatheredKeys *keys, const BbfLayer *layer,
						  unsigned char *bins);

/*
 * If there are bins, or the hashes take more than half of their space, add all
 * hashes to the bins and empty the array.  Else remove from it what the result must
 * not see twice: all duplicates where the number of keys counts, that is without a
 * capacity, for a kind that adds keys in order, or up to the length of a list.
 */
extern void blt_flush_keys(GatheredKeys *keys);

/* Make room in the array, which is full. */
extern void blt_make_room(GatheredKeys *keys);

/* Sort the hashes, which may have copies; returns how many are distinct. */
extern uint32 blt_sort_keys(GatheredKeys *keys);

/* Gather the hashes of further keys. */
extern void blt_gather_hashes(GatheredKeys *keys, const uint64_t *hashes, uint32 n);

/* Gather the hash of a key, which may be one of the last. */
static pg_attribute_always_inline void
blt_gather_hash(GatheredKeys *keys, uint64 hash)
{
	if (keys->recent != NULL)
	{
		uint64_t   *recent = &keys->recent[hash >> (64 - RECENT_BITS)];

		if (*recent == hash)
			return;
		*recent = hash;
	}
	keys->hashes[keys->nhashes++] = hash;
	if (unlikely(keys->nhashes == keys->room))
		blt_make_room(keys);
}

#endif							/* BLOOMTYPE_GATHERED_KEYS_H */
