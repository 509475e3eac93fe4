/*
 * key_set.h
 *	  An exact set of hashes that counts distinct keys while a filter is built.
 *
 * A hash table with linear probing.  Its slots are found by the hash times a
 * random odd number, which the owner draws anew for each set: keys that come
 * in the order of their hashes (from another set, say), or that somebody has
 * chosen to collide, are spread like any others.  What is read out has no
 * particular order; nothing that decides bytes may depend on it.
 *
 * The set works in memory that its owner provides.  Hash 0 marks a free slot;
 * the key that hashes to 0 is kept aside.
 *
 * Limits: filled to three quarters; fewer than 2^32 slots.
 *
 * Reference: M. Dietzfelbinger et al., "A Reliable Randomized Algorithm for
 * the Closest-Pair Problem", 1997 (multiply-shift hashing).
 */
#ifndef BBF_KEY_SET_H
#define BBF_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BbfKeySet
{
	uint64_t   *slots;
	uint64_t	multiplier;		/* random and odd */
	uint32_t	nslots;
	uint32_t	nkeys;			/* distinct hashes, a zero included */
	bool		has_zero;
} BbfKeySet;

/*
 * An empty set over nslots slots at slots, which this function clears; random
 * is any number that an attacker cannot know.
 */
extern void bbf_key_set_init(BbfKeySet *set, uint64_t *slots, uint32_t nslots,
							 uint64_t random);

/* Keys that a table of so many slots takes. */
static inline uint32_t
bbf_key_set_room(uint32_t nslots)
{
	return nslots / 4 * 3;
}

/*
 * Add hashes in turn, with prefetch, until all n are in or the table is
 * filled to its limit; returns how many were dealt with.  Less than n: move
 * to a larger table and call again with the rest.
 */
extern size_t bbf_key_set_add(BbfKeySet *set, const uint64_t *hashes, size_t n);

/*
 * Copy out up to max hashes, continuing at *position (0 to start).  Returns
 * how many were copied; 0 at the end.
 */
extern size_t bbf_key_set_read(const BbfKeySet *set, uint64_t *position,
							   uint64_t *hashes, size_t max);

#endif							/* BBF_KEY_SET_H */
