/*
 * blocked.h
 *	  The bits of a blocked Bloom filter: 512-bit blocks, one block a key.
 *
 * A key's hash selects one block and k bits inside it, so a probe touches one
 * cache line however large the filter is.  Crowded blocks raise the rate above
 * that of the classic filter; sizing.c allows for it with more bits.
 *
 *		block = (upper 32 bits of hash * nblocks) >> 32
 *		x = hash;  k times:  x *= 0x9E3779B97F4A7C15;  bit = x >> 55
 *
 * The block index is monotone in the hash: block i of n * f blocks falls into
 * block i / f of n, so folding by a whole factor is exact.
 *
 * Rejected by measurement: double hashing inside the block (its rate stops
 * falling at 1.4e-4 whatever the size) and a 32-bit multiplicative sequence
 * (worse below 1e-5).
 *
 * Bit p of a block is bit p % 8 of byte p / 8, which is bit p % 64 of the
 * little-endian word p / 64.  Blocks need no alignment.
 *
 * Limits: nblocks is 1 or more, k is 1 .. BBF_MAX_PROBES; callers guarantee
 * both (the validator does for stored images).
 *
 * References: F. Putze, P. Sanders, J. Singler, "Cache-, Hash- and
 * Space-Efficient Bloom Filters", 2007 (blocks); D. Lemire, "Fast Random
 * Integer Generation in an Interval", 2019 (a range by multiplication and
 * shift, without division); P. C. Dillinger's cache-local Bloom filter in
 * RocksDB (probes from one hash by repeated multiplication).
 */
#ifndef BBF_BLOCKED_H
#define BBF_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"

#define BBF_BLOCK_BITS		512
#define BBF_BLOCK_BYTES		64

/* Beyond 24 probes the block fills up faster than the rate falls. */
#define BBF_MAX_PROBES		24

/* 2^64 / golden ratio, odd (Knuth, TAOCP vol. 3, section 6.4). */
#define BBF_PROBE_MULTIPLIER	UINT64_C(0x9E3779B97F4A7C15)
#define BBF_PROBE_MULTIPLIER_2	(BBF_PROBE_MULTIPLIER * BBF_PROBE_MULTIPLIER)
#define BBF_PROBE_MULTIPLIER_3	(BBF_PROBE_MULTIPLIER_2 * BBF_PROBE_MULTIPLIER)
#define BBF_PROBE_MULTIPLIER_4	(BBF_PROBE_MULTIPLIER_3 * BBF_PROBE_MULTIPLIER)

static inline uint32_t
bbf_block_index(uint64_t hash, uint32_t nblocks)
{
	return (uint32_t) (((hash >> 32) * nblocks) >> 32);
}

/* Offset of the block of a hash. */
static inline size_t
bbf_block_offset(uint64_t hash, uint32_t nblocks)
{
	return (size_t) bbf_block_index(hash, nblocks) * BBF_BLOCK_BYTES;
}

/*
 * The bit of a block that the upper 9 bits of x select, as the lowest bit of
 * the result.  The other bits of the result are of no use.
 */
static inline uint64_t
bbf_probe(const unsigned char *block, uint64_t x)
{
	return bbf_get64(block + (x >> 61) * 8) >> (x >> 55 & 63);
}

/*
 * Are all k bits of the hash set in this block?
 *
 * The first four probes run without a branch between them: an absent key
 * fails one of the first few at an unpredictable place, and a mispredicted
 * branch costs more than three further probes.
 */
static inline bool
bbf_block_contains(const unsigned char *block, int k, uint64_t hash)
{
	uint64_t	x = hash;
	int			probe = 0;

	if (k >= 4)
	{
		uint64_t	x1 = hash * BBF_PROBE_MULTIPLIER;
		uint64_t	x2 = hash * BBF_PROBE_MULTIPLIER_2;
		uint64_t	x3 = hash * BBF_PROBE_MULTIPLIER_3;
		uint64_t	x4 = hash * BBF_PROBE_MULTIPLIER_4;

		if ((bbf_probe(block, x1) & bbf_probe(block, x2) &
			 bbf_probe(block, x3) & bbf_probe(block, x4) & 1) == 0)
			return false;
		x = x4;
		probe = 4;
	}
	for (; probe < k; probe++)
	{
		if ((bbf_probe(block, x *= BBF_PROBE_MULTIPLIER) & 1) == 0)
			return false;
	}
	return true;
}

/* Are all k bits of the hash set in its block, among nblocks? */
static inline bool
bbf_blocks_contain(const unsigned char *blocks, uint32_t nblocks, int k,
				   uint64_t hash)
{
	return bbf_block_contains(blocks + bbf_block_offset(hash, nblocks), k, hash);
}

/*
 * Set the k bits of the hash in this block; returns how many of them were
 * clear before.
 */
static inline unsigned
bbf_block_add(unsigned char *block, int k, uint64_t hash)
{
	uint64_t	x = hash;
	unsigned	nset = 0;

	for (int probe = 0; probe < k; probe++)
	{
		unsigned char *word;

		x *= BBF_PROBE_MULTIPLIER;
		nset += (~bbf_probe(block, x) & 1) != 0;
		word = block + (x >> 61) * 8;
		bbf_put64(word, bbf_get64(word) | (uint64_t) 1 << (x >> 55 & 63));
	}
	return nset;
}

/* The same in its block, among nblocks. */
static inline unsigned
bbf_blocks_add(unsigned char *blocks, uint32_t nblocks, int k, uint64_t hash)
{
	return bbf_block_add(blocks + bbf_block_offset(hash, nblocks), k, hash);
}

/*
 * The numbers of the k bits that a hash has in its block, in the order of the
 * probes; two of them may be the same.
 */
extern void bbf_block_bits(uint64_t hash, int k, uint16_t *bits);

/*
 * bbf_blocks_add for n hashes, with prefetch: in a filter larger than the
 * cache about ten times faster a key.  Does not count bits.
 */
extern void bbf_blocks_add_many(unsigned char *blocks, uint32_t nblocks,
								int k, const uint64_t *hashes, size_t n);

/*
 * Look up n hashes in turn, with prefetch.  Returns the index of the first for
 * which bbf_blocks_contain() is as wanted, or n if there is none.
 */
extern size_t bbf_blocks_find(const unsigned char *blocks, uint32_t nblocks,
							  int k, const uint64_t *hashes, size_t n,
							  bool wanted);

/* dst |= src over nblocks blocks each. */
extern void bbf_blocks_or(unsigned char *dst, const unsigned char *src,
						  uint32_t nblocks);

/* dst &= src over nblocks blocks each. */
extern void bbf_blocks_and(unsigned char *dst, const unsigned char *src,
						   uint32_t nblocks);

/*
 * Bits set in b but not in a, of nblocks blocks each, or, once there are more
 * than at_most, some number above at_most: most pairs of blocks differ early
 * on.
 */
extern uint64_t bbf_blocks_count_missing(const unsigned char *a,
										 const unsigned char *b,
										 uint32_t nblocks, uint64_t at_most);

/*
 * OR nsrc blocks into ndst blocks.  Block i of dst holds the hashes from i /
 * ndst to (i + 1) / ndst of their range, and takes every block of src that
 * holds some of these.  Keys of both are found with the smaller number of
 * probes.  If ndst divides nsrc, the result is the same as adding the keys to
 * dst.
 */
extern void bbf_blocks_merge(unsigned char *dst, uint32_t ndst,
							 const unsigned char *src, uint32_t nsrc);

/*
 * The same for the blocks of dst from number first up to, not including, end.
 */
extern void bbf_blocks_merge_range(unsigned char *dst, uint32_t ndst,
								   uint32_t first, uint32_t end,
								   const unsigned char *src, uint32_t nsrc);

/* Bits set in nblocks blocks. */
extern uint64_t bbf_blocks_count_set(const unsigned char *blocks,
									 uint32_t nblocks);

#endif							/* BBF_BLOCKED_H */
