/*
 * blocked.c
 *	  Adds and finds many keys with prefetch, and combines and counts blocks.
 */
#include "core/blocked.h"

#include "core/prefetch.h"

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

/* Population count by halves (Warren, "Hacker's Delight", section 5-1). */
static inline unsigned
count64(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) +
		(v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (unsigned) (v * UINT64_C(0x0101010101010101) >> 56);
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
	uint64_t	missing = 0;

	for (size_t i = 0; i < nbytes && missing <= at_most; i += 8)
		missing += count64(bbf_get64(b + i) & ~bbf_get64(a + i));
	return missing;
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
		nset += count64(bbf_get64(blocks + i));
	return nset;
}
