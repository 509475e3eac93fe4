/*
 * full_at_test.c
 *	  sizing.h: when a layer is full, simulated over many sets of keys.
 */
#include "check.h"

#include <math.h>

#include "core/blocked.h"
#include "core/sizing.h"

#include "buffer.h"
#include "key.h"
#include "suites.h"

static const struct
{
	uint64_t	capacity;
	double		fpp;
	int			nsets;
}			full_at_cases[] = {
	{129, 0.01, 2000},
	{200, 0.0001, 2000},
	{1000, 0.1, 1000},
	{1000, 0.01, 1000},
	{10000, 0.001, 200},
	{100000, 0.01, 30},
};

/* Bits set by set number i of nkeys keys each. */
static uint64_t
bits_set_by_keys(const BbfGeometry *g, uint64_t nkeys, int i)
{
	uint32_t	nblocks = (uint32_t) g->nbins;
	unsigned char *blocks = allocate((size_t) nblocks * BBF_BLOCK_BYTES);
	uint64_t	nset = 0;

	for (uint64_t j = 0; j < nkeys; j++)
		nset += bbf_blocks_add(blocks, nblocks, g->key_bits,
							   key((uint64_t) i * nkeys + j));
	free(blocks);
	return nset;
}

/*
 * With exactly as many keys as its capacity, hardly any layer is full: full_at
 * lies about four standard deviations above the mean.
 */
static void
test_layers_are_not_full_at_capacity(void)
{
	for (int i = 0; i < LENGTH_OF(full_at_cases); i++)
	{
		uint64_t	capacity = full_at_cases[i].capacity;
		int			nsets = full_at_cases[i].nsets;
		BbfGeometry g = bbf_size_blocks(capacity, full_at_cases[i].fpp);
		double		limit = (double) g.full_at;
		double		sum = 0.0;
		double		sum_of_squares = 0.0;
		double		mean;
		double		deviation;
		int			full = 0;

		/* relative to the limit, to keep the digits */
		for (int set = 0; set < nsets; set++)
		{
			uint64_t	nset = bits_set_by_keys(&g, capacity, set);
			double		below = limit - (double) nset;

			full += nset > g.full_at;
			sum += below;
			sum_of_squares += below * below;
		}
		mean = sum / nsets;
		deviation = sqrt(sum_of_squares / nsets - mean * mean);

		CASE("capacity %" PRIu64 ": %d of %d full, %.2f deviations",
			 capacity, full, nsets, mean / deviation);
		CHECK(full * 100 < nsets);
		CHECK(mean > 0.0);
		if (nsets >= 200)
			CHECK(mean / deviation > 3.5 && mean / deviation < 5.0);
	}
}

/* With 1.3 times as many keys nearly every layer is full. */
static void
test_layers_are_full_beyond_capacity(void)
{
	for (int i = 0; i < LENGTH_OF(full_at_cases); i++)
	{
		uint64_t	capacity = full_at_cases[i].capacity;
		BbfGeometry g = bbf_size_blocks(capacity, full_at_cases[i].fpp);
		int			full = 0;

		if (capacity < 1000)
			continue;
		for (int set = 0; set < 30; set++)
			full += bits_set_by_keys(&g, capacity * 13 / 10, set) > g.full_at;
		CASE("capacity %" PRIu64 ": %d of 30 full", capacity, full);
		CHECK(full >= 29);
	}
}

/* However crowded: a layer with all its bits set is full. */
static void
test_full_at_is_below_all_bits(void)
{
	static const double crowded[] = {0.9, 0.99, 0.999, 1.0 - 1e-9, 1.0 - 1e-16};

	for (int i = 0; i < LENGTH_OF(crowded); i++)
	{
		for (uint64_t capacity = 1; capacity < 2000000; capacity = capacity * 5 / 4 + 1)
		{
			BbfGeometry g = bbf_size_blocks(capacity, crowded[i]);

			CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64 " of %" PRIu64,
				 capacity, crowded[i], g.full_at, g.nbins * 512);
			CHECK(g.full_at < g.nbins * 512);
		}
	}
}

const Test full_at_tests[] = {
	TEST(test_layers_are_not_full_at_capacity),
	TEST(test_layers_are_full_beyond_capacity),
	TEST(test_full_at_is_below_all_bits),
	END_OF_TESTS
};
