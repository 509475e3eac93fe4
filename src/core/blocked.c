/*
 * blocked.c
 *	  Adds and finds many keys with prefetch, and combines and counts blocks.
 */
#include "core/blocked.h"

#include "core/prefetch.h"

void
bbf_block_bits(uint64_t hash, int k, uint16_t *bits)
{
	uint64_t	x = hash;

	for (int probe = 0; probe < k; probe++)
	{
		x *= BBF_PROBE_MULTIPLIER;
		bits[probe] = (uint16_t) (x >> 55);
	}
}

void
bbf_blocks_add_many(unsigned char *blocks, uint32_t nblocks, int k,
					const uint64_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i + BBF_PREFETCH_DISTANCE < n)
			BBF_PREFETCH_FOR_WRITE(blocks +
								   bbf_block_offset(hashes[i + BBF_PREFETCH_DISTANCE], nblocks));
		(void) bbf_blocks_add(blocks, nblocks, k, hashes[i]);
	}
}

size_t
bbf_blocks_find(const unsigned char *blocks, uint32_t nblocks, int k,
				const uint64_t *hashes, size_t n, bool wanted)
{
	size_t		i;

	for (i = 0; i < n; i++)
	{
		if (i + BBF_PREFETCH_DISTANCE < n)
			BBF_PREFETCH_FOR_READ(blocks +
								  bbf_block_offset(hashes[i + BBF_PREFETCH_DISTANCE], nblocks));
		if (bbf_blocks_contain(blocks, nblocks, k, hashes[i]) == wanted)
			break;
	}
	return i;
}

/*
 * Add two words to a third, bit by bit: a carry-save adder.  The sums stay in
 * the third word, and the carries are returned.  With it eight words become
 * one word of eights, which alone is counted (R. Harley, D. Seal; Warren,
 * "Hacker's Delight", section 5-1).
 */
static inline uint64_t
add_bits(uint64_t *sum, uint64_t a, uint64_t b)
{
	uint64_t	odd = *sum ^ a;
	uint64_t	carry = (*sum & a) | (odd & b);

	*sum = odd ^ b;
	return carry;
}

/* Add the bits that are set in two words of b but not in those of a. */
static inline uint64_t
add_two_words(uint64_t *sum, const unsigned char *a, const unsigned char *b)
{
	return add_bits(sum, bbf_get64(b) & ~bbf_get64(a),
					bbf_get64(b + 8) & ~bbf_get64(a + 8));
}

void
bbf_blocks_or(unsigned char *dst, const unsigned char *src, uint32_t nblocks)
{
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;

	for (size_t i = 0; i < nbytes; i += 8)
		bbf_put64(dst + i, bbf_get64(dst + i) | bbf_get64(src + i));
}

void
bbf_blocks_and(unsigned char *dst, const unsigned char *src, uint32_t nblocks)
{
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;

	for (size_t i = 0; i < nbytes; i += 8)
		bbf_put64(dst + i, bbf_get64(dst + i) & bbf_get64(src + i));
}

uint64_t
bbf_blocks_count_missing(const unsigned char *a, const unsigned char *b,
						 uint32_t nblocks, uint64_t at_most)
{
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
	uint64_t	missing = 0;	/* not counting the words below */
	uint64_t	ones = 0;
	uint64_t	twos = 0;
	uint64_t	fours = 0;

	for (size_t i = 0; i < nbytes && missing <= at_most; i += BBF_BLOCK_BYTES)
	{
		uint64_t	first = add_two_words(&ones, a + i, b + i);
		uint64_t	second = add_two_words(&ones, a + i + 16, b + i + 16);
		uint64_t	fours_of_half = add_bits(&twos, first, second);

		first = add_two_words(&ones, a + i + 32, b + i + 32);
		second = add_two_words(&ones, a + i + 48, b + i + 48);
		missing += 8 * (uint64_t) bbf_count_bits(add_bits(&fours, fours_of_half,
														  add_bits(&twos, first, second)));
	}
	return missing + 4 * (uint64_t) bbf_count_bits(fours) + 2 * (uint64_t) bbf_count_bits(twos) +
		bbf_count_bits(ones);
}

void
bbf_blocks_merge(unsigned char *dst, uint32_t ndst,
				 const unsigned char *src, uint32_t nsrc)
{
	bbf_blocks_merge_range(dst, ndst, 0, ndst, src, nsrc);
}

void
bbf_blocks_merge_range(unsigned char *dst, uint32_t ndst,
					   uint32_t first, uint32_t end,
					   const unsigned char *src, uint32_t nsrc)
{
	for (uint32_t i = first; i < end; i++)
	{
		/*
		 * Block i has the hashes from i / ndst to (i + 1) / ndst of their
		 * range.  These are the blocks of src that have some of them.
		 */
		uint32_t	from = (uint32_t) ((uint64_t) i * nsrc / ndst);
		uint32_t	to = (uint32_t) ((((uint64_t) i + 1) * nsrc - 1) / ndst);

		for (uint32_t j = from; j <= to; j++)
			bbf_blocks_or(dst + (size_t) i * BBF_BLOCK_BYTES,
						  src + (size_t) j * BBF_BLOCK_BYTES, 1);
	}
}

uint64_t
bbf_blocks_count_set(const unsigned char *blocks, uint32_t nblocks)
{
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
	uint64_t	nset = 0;

	for (size_t i = 0; i < nbytes; i += 8)
		nset += bbf_count_bits(bbf_get64(blocks + i));
	return nset;
}
