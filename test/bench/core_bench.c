/*
 * core_bench.c
 *	  The core without a server: what a key costs against touching one cache
 *	  line for it.
 *
 * The filter is that of ten million keys at 1 %.  Each loop goes over the same
 * hashes.  Prints, for adding and for testing, the median of the ratios and
 * the lowest and highest; the argument is the number of rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/blocked.h"
#include "core/sizing.h"

#define NKEYS		10000000

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* Output number i of splitmix64 from seed 0. */
static uint64_t
hash_of(uint64_t i)
{
	uint64_t	z = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static int
compare(const void *a, const void *b)
{
	double		left = *(const double *) a;
	double		right = *(const double *) b;

	return (left > right) - (left < right);
}

static void
print_ratios(const char *name, double *ratios, int n)
{
	qsort(ratios, (size_t) n, sizeof(double), compare);
	printf("%s %f %f %f\n", name, (ratios[n / 2] + ratios[(n - 1) / 2]) / 2,
		   ratios[0], ratios[n - 1]);
}

int
main(int argc, char **argv)
{
	int			rounds = argc > 1 ? atoi(argv[1]) : 7;
	BbfGeometry geometry = bbf_size_layer(NKEYS, 0.01);
	uint32_t	nblocks = (uint32_t) geometry.nblocks;
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
	uint64_t   *hashes = malloc(NKEYS * sizeof(uint64_t));
	unsigned char *blocks = aligned_alloc(BBF_BLOCK_BYTES, nbytes);
	double	   *add = malloc((size_t) rounds * sizeof(double));
	double	   *test = malloc((size_t) rounds * sizeof(double));
	uint64_t	found = 0;

	if (rounds < 1 || hashes == NULL || blocks == NULL || add == NULL || test == NULL)
		return 1;
	for (uint64_t i = 0; i < NKEYS; i++)
		hashes[i] = hash_of(i);
	memset(blocks, 0, nbytes);

	for (int round = 0; round < rounds; round++)
	{
		double		start = seconds();
		double		write;
		double		read;

		for (size_t i = 0; i < NKEYS; i++)
			blocks[bbf_block_offset(hashes[i], nblocks)] |= (unsigned char) hashes[i];
		write = seconds() - start;

		start = seconds();
		bbf_blocks_add_many(blocks, nblocks, geometry.nprobes, hashes, NKEYS);
		add[round] = (seconds() - start) / write;

		start = seconds();
		for (size_t i = 0; i < NKEYS; i++)
			found += blocks[bbf_block_offset(hashes[i], nblocks)];
		read = seconds() - start;

		start = seconds();
		found += bbf_blocks_find(blocks, nblocks, geometry.nprobes, hashes, NKEYS,
								 false);
		test[round] = (seconds() - start) / read;
	}
	print_ratios("add", add, rounds);
	print_ratios("test", test, rounds);

	/* so that nothing is left out by the compiler */
	return found == 0;
}
