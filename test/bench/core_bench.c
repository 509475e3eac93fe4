/*
 * core_bench.c
 *	  The core without a server: what a key costs against touching one cache
 *	  line for it.
 *
 * The filter is that of ten million keys at 1 %, all of which are in it.  Each
 * loop goes over the same hashes.  Prints a line for each round, which the
 * argument is the number of, after one that is not counted: the seconds for
 * adding, for writing to a line, for finding, for reading from a line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/blocked.h"
#include "core/sizing.h"
#include "../unit/key.h"

#define NKEYS		10000000

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	int			rounds = argc > 1 ? atoi(argv[1]) : 7;
	BbfGeometry geometry = bbf_size_blocks(NKEYS, 0.01);
	uint32_t	nblocks = (uint32_t) geometry.nbins;
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
	uint64_t   *hashes = malloc(NKEYS * sizeof(uint64_t));
	unsigned char *blocks = aligned_alloc(BBF_BLOCK_BYTES, nbytes);
	unsigned char *lines = aligned_alloc(BBF_BLOCK_BYTES, nbytes);
	uint64_t	found = 0;

	if (hashes == NULL || blocks == NULL || lines == NULL)
		return 1;
	for (uint64_t i = 0; i < NKEYS; i++)
		hashes[i] = key(i);
	memset(blocks, 0, nbytes);
	memset(lines, 0, nbytes);

	for (int round = 0; round <= rounds; round++)
	{
		double		started = seconds();
		double		added;
		double		written;
		double		asked;
		double		read;

		bbf_blocks_add_many(blocks, nblocks, geometry.key_bits, hashes, NKEYS);
		added = seconds();
		for (size_t i = 0; i < NKEYS; i++)
			lines[bbf_block_offset(hashes[i], nblocks)] |= (unsigned char) hashes[i];
		written = seconds();
		found += bbf_blocks_find(blocks, nblocks, geometry.key_bits, hashes, NKEYS,
								 false);
		asked = seconds();
		for (size_t i = 0; i < NKEYS; i++)
			found += lines[bbf_block_offset(hashes[i], nblocks)];
		read = seconds();

		if (round > 0)
			printf("%f %f %f %f\n", added - started, written - added,
				   asked - written, read - asked);
	}

	/* so that nothing is left out by the compiler */
	return found == 0;
}
