/*
 * blocks.h
 *	  Blocks of bits to test with, and where a key's bits are by definition.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of blocks. */
static const uint32_t block_counts[] = {
	1, 2, 3, 64, 127, 127 << 1, 65 << 3, 127 << 5
};

/* Hashes at the edges of their range. */
static const uint64_t extreme_hashes[] = {
	0, 1, 2, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 55,
	UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX
};

/* nblocks blocks without bits set; the caller frees them. */
extern unsigned char *new_blocks(uint32_t nblocks);

/* The lowest hash of a block (or of a bucket of a cuckoo filter). */
extern uint64_t first_of_block(uint64_t block, uint32_t nblocks);

/*
 * The definition in core/blocked.h by division instead of shifts: bit number
 * "512 * block + bit in the block" of each of the k probes.
 */
extern void naive_probes(uint32_t nblocks, int k, uint64_t hash, size_t *bits);

#endif							/* BLOCKS_H */
