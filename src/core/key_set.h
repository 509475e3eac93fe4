/*
 * key_set.h
 *	  An exact set of hashes that counts distinct keys while a filter is built.
 *
 * A hash table with linear probing whose home slot is monotone in the hash,
 * as the block index is.  Two things follow: growing streams from the old
 * table into the new one, and reading the set out visits the blocks of the
 * filter in memory order, give or take a cluster.  Hashes are uniform already,
 * so nothing is mixed again.
 *
 * The set works in memory that its owner provides.  Hash 0 marks a free slot;
 * the key that hashes to 0 is kept aside.
 *
 * Limits: BBF_KEY_SET_MAX_SLOTS slots, filled to three quarters.
 */
#ifndef BBF_KEY_SET_H
#define BBF_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BBF_KEY_SET_MAX_SLOTS	((uint32_t) 1 << 30)

typedef struct BbfKeySet
{
	uint64_t   *slots;
	uint32_t	nslots;
	uint32_t	nkeys;			/* distinct hashes, a zero included */
	bool		has_zero;
} BbfKeySet;

/* An empty set over nslots slots at slots, which this function clears. */
extern void bbf_key_set_init(BbfKeySet *set, uint64_t *slots, uint32_t nslots);

/*
 * Add hashes in turn, with prefetch, until all n are in or the table is
 * filled to its limit; returns how many were dealt with.  Less than n: move
 * to a larger table and call again with the rest.
 */
extern size_t bbf_key_set_add(BbfKeySet *set, const uint64_t *hashes, size_t n);

/* Add every hash of a smaller set; the larger one must have the room. */
extern void bbf_key_set_move(BbfKeySet *larger, const BbfKeySet *smaller);

/*
 * Copy out up to max hashes, continuing at *position (0 to start).  Returns
 * how many were copied; 0 at the end.
 */
extern size_t bbf_key_set_read(const BbfKeySet *set, uint64_t *position,
							   uint64_t *hashes, size_t max);

#endif							/* BBF_KEY_SET_H */
