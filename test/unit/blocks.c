/*
 * blocks.c
 *	  Blocks of bits to test with, and where a key's bits are by definition.
 */
#include "blocks.h"

#include "core/blocked.h"

#include "buffer.h"

unsigned char *
new_blocks(uint32_t nblocks)
{
	return allocate((size_t) nblocks * BBF_BLOCK_BYTES);
}

uint64_t
first_of_block(uint64_t block, uint32_t nblocks)
{
	return (((block << 32) + nblocks - 1) / nblocks) << 32;
}

void
naive_probes(uint32_t nblocks, int k, uint64_t hash, size_t *bits)
{
	uint64_t	block = hash / UINT64_C(4294967296) * nblocks /
		UINT64_C(4294967296);
	uint64_t	x = hash;

	for (int probe = 0; probe < k; probe++)
	{
		x = x * UINT64_C(11400714819323198485);
		bits[probe] = (size_t) (block * 512 + x / UINT64_C(36028797018963968));
	}
}
