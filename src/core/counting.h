/*
 * counting.h
 *	  The counters of a counting Bloom filter: 512 of 4 bits in each block.
 *
 * The same block index and probes as in blocked.h, with a counter for each
 * bit: adding a key increments its counters, taking one out decrements them.
 * A counter above zero is a set bit.
 *
 * Probes of one key that select the same counter count once.  A counter that
 * has reached 15 stays there forever, since the number of its keys is no
 * longer known.
 *
 * Counter p of a block is the lower half of its byte p / 2 for even p, else
 * the upper.  Limits are those of blocked.h, except for the number of blocks.
 *
 * Reference: L. Fan, P. Cao, J. Almeida, A. Broder, "Summary Cache: A Scalable
 * Wide-Area Web Cache Sharing Protocol", 2000.
 */
#ifndef BBF_COUNTING_H
#define BBF_COUNTING_H

#include "core/blocked.h"
#include "core/layer.h"

#define BBF_COUNTERS_BYTES		256 /* of a block */
#define BBF_MAX_COUNTER			15

#define BBF_MAX_COUNTER_BLOCKS	((uint32_t) (BBF_MAX_BYTES / BBF_COUNTERS_BYTES))

/* Offset of the block of a hash. */
static inline size_t
bbf_counters_offset(uint64_t hash, uint32_t nblocks)
{
	return (size_t) bbf_block_index(hash, nblocks) * BBF_COUNTERS_BYTES;
}

/* The smallest of the counters of a hash in its block: 0 .. 15. */
static inline int
bbf_counters_count(const unsigned char *block, int k, uint64_t hash)
{
	uint64_t	x = hash;
	int			least = BBF_MAX_COUNTER;

	for (int probe = 0; probe < k && least > 0; probe++)
	{
		unsigned	p;
		int			counter;

		x *= BBF_PROBE_MULTIPLIER;
		p = (unsigned) (x >> 55);
		counter = block[p / 2] >> (p % 2 * 4) & 15;
		if (counter < least)
			least = counter;
	}
	return least;
}

/* Add a key; returns how many of its counters were zero before. */
extern unsigned bbf_counters_add(unsigned char *blocks, uint32_t nblocks,
								 int k, uint64_t hash);

/*
 * Remove a key, all of whose counters are above zero; returns how many are
 * zero now.
 */
extern unsigned bbf_counters_remove(unsigned char *blocks, uint32_t nblocks,
									int k, uint64_t hash);

/* bbf_counters_add for n hashes, with prefetch; counts nothing. */
extern void bbf_counters_add_many(unsigned char *blocks, uint32_t nblocks,
								  int k, const uint64_t *hashes, size_t n);

/* dst += src over nblocks blocks each, as if the keys had been added. */
extern void bbf_counters_unite(unsigned char *dst, const unsigned char *src,
							   uint32_t nblocks);

/* Counters above zero in nblocks blocks. */
extern uint64_t bbf_counters_count_set(const unsigned char *blocks,
									   uint32_t nblocks);

/*
 * Set the bits of a Bloom filter with the same keys.  All of its nblocks
 * blocks are written.
 */
extern void bbf_counters_to_bits(unsigned char *bits,
								 const unsigned char *counters,
								 uint32_t nblocks);

#endif							/* BBF_COUNTING_H */
