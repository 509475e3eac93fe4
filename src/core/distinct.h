/*
 * distinct.h
 *	  Removes duplicates from an array of hashes, in place.
 *
 * Hashes are partitioned by their upper bits until a partition fits the
 * second-level cache, then kept once each with the help of a small hash table.
 * So nothing waits for memory at random, and no hash is compared with those of
 * other partitions.
 *
 * The order of what is left follows the upper bits roughly, so that blocks
 * filled from it are met in order; nothing that decides bytes may depend on
 * more than the set of hashes.
 *
 * Slots of that table are found by the hash times a random odd number, drawn
 * anew by the caller each time: keys that somebody has chosen to collide are
 * spread like any others.  (A few hashes are not worth that.)
 *
 * References: M. Skarupke, "I Wrote a Faster Sorting Algorithm", 2016
 * (partitioning in place, by swaps that do not depend on one another); M.
 * Dietzfelbinger et al., "A Reliable Randomized Algorithm for the Closest-Pair
 * Problem", 1997 (multiply-shift hashing).
 */
#ifndef BBF_DISTINCT_H
#define BBF_DISTINCT_H

#include <stddef.h>
#include <stdint.h>

#include "core/pause.h"

/* If as many hashes or fewer are left, they are in ascending order. */
#define BBF_DISTINCT_ORDERED	128

/* Slots of scratch memory that a call for n hashes needs: at most 512 KB. */
extern size_t bbf_distinct_slots(size_t n);

/*
 * Keep each of n hashes once; returns how many are left, at the start of the
 * array.  slots is scratch memory of bbf_distinct_slots(n) elements; random is
 * any number that an attacker cannot know.
 *
 * Calls pause at intervals of at most 2 n steps, most often far fewer, for n
 * above BBF_DISTINCT_ORDERED.
 */
extern size_t bbf_distinct(uint64_t *hashes, size_t n, uint64_t *slots,
						   uint64_t random, BbfPause pause);

#endif							/* BBF_DISTINCT_H */
