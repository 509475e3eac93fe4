/*
 * estimate_test.c
 *	  estimate.h: estimates from the head of an image, against what is in it.
 */
#include "check.h"

#include <math.h>

#include "core/estimate.h"
#include "core/family.h"
#include "core/sizing.h"

#include "key.h"
#include "sample.h"
#include "suites.h"

/* A filter of one layer for capacity keys that holds keys first, first + 1 ... */
static Sample
filled_sample(uint64_t capacity, double fpp, uint64_t first, uint64_t nkeys)
{
	BbfGeometry g = bbf_size_blocks(capacity, fpp);
	BbfMeta		meta = plain_meta(BBF_FAMILY_NUMBER);
	Sample		sample;
	BbfLayer   *layer;

	meta.nlayers = 1;
	meta.layers[0].nbins = (uint32_t) g.nbins;
	meta.layers[0].key_bits = g.key_bits;
	meta.layers[0].capacity = capacity;
	meta.layers[0].fpp = fpp;
	meta.layers[0].full_at = g.full_at;
	sample = new_sample(&meta);
	layer = &sample.meta.layers[0];
	for (uint64_t i = 0; i < nkeys; i++)
		layer->nset += bbf_blocks_add(sample.bytes + layer->offset,
									  layer->nbins, layer->key_bits,
									  key(first + i));
	return sample;
}

/* Estimated keys are within 1 % of the keys that were added. */
static void
test_keys_are_estimated_within_one_percent(void)
{
	static const uint64_t sizes[] = {1000, 10000, 100000, 1000000};
	static const double rates[] = {0.1, 0.01, 0.0001};

	for (int i = 0; i < LENGTH_OF(sizes) * LENGTH_OF(rates); i++)
	{
		uint64_t	capacity = sizes[i / LENGTH_OF(rates)];
		double		fpp = rates[i % LENGTH_OF(rates)];

		/* half full, full, and overfull */
		for (int load = 1; load <= 3; load++)
		{
			uint64_t	nkeys = capacity * (uint64_t) load / 2;
			int			nsets = capacity == 1000 ? 20 : 1;
			double		sum = 0.0;

			if (capacity == 1000000 && load != 2)
				continue;

			/* for few keys the estimate scatters more than that: take its mean */
			for (int set = 0; set < nsets; set++)
			{
				Sample		sample = filled_sample(capacity, fpp,
												   (uint64_t) set * nkeys, nkeys);

				sum += bbf_meta_keys(&sample.meta);
				free(sample.bytes);
			}
			CASE("capacity %" PRIu64 ", fpp %g, %" PRIu64 " keys: %.1f",
				 capacity, fpp, nkeys, sum / nsets);
			CHECK(fabs(sum / nsets / (double) nkeys - 1.0) < 0.01);
		}
	}
}

/* The estimated rate is within 10 % of the share of absent keys let through. */
static void
test_fpp_is_estimated_within_ten_percent(void)
{
	static const struct
	{
		uint64_t	capacity;
		double		fpp;
		uint64_t	nkeys;
		uint64_t	probes;
	}			cases[] = {
		{1000, 0.1, 1000, 100000},
		{1000, 0.01, 1000, 400000},
		{20000, 0.01, 20000, 400000},
		{20000, 0.01, 40000, 100000},
		{20000, 0.001, 20000, 2000000},
		{20000, 0.001, 13000, 8000000},
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		Sample		sample = filled_sample(cases[i].capacity, cases[i].fpp, 0,
										   cases[i].nkeys);
		double		estimated = bbf_meta_fpp(&sample.meta);
		double		measured;
		uint64_t	present = 0;

		for (uint64_t j = 0; j < cases[i].probes; j++)
			present += bbf_image_contains(&sample.meta, sample.bytes,
										  key(ABSENT_KEYS + j));
		measured = (double) present / (double) cases[i].probes;
		CASE("%" PRIu64 " keys of %" PRIu64 ", fpp %g: estimated %g, measured %g",
			 cases[i].nkeys, cases[i].capacity, cases[i].fpp, estimated, measured);
		CHECK(present > 200);
		CHECK(fabs(estimated / measured - 1.0) < 0.10);
		free(sample.bytes);
	}
}

/* The share of the hashes that blocks let through: exactly that of their bits. */
static double
rate_of_blocks(const unsigned char *blocks, uint32_t nblocks, int nprobes)
{
	double		sum = 0.0;

	for (uint32_t i = 0; i < nblocks; i++)
		sum += pow((double) bbf_blocks_count_set(blocks + (size_t) i * BBF_BLOCK_BYTES, 1) /
				   BBF_BLOCK_BITS, nprobes);
	return sum / nblocks;
}

/*
 * Of few blocks, none can be as crowded as among many.  The estimated rate is within 10 %
 * of theirs, in the mean over many sets of keys; of one block it is that of its bits.
 */
static void
test_fpp_of_few_blocks(void)
{
	static const uint32_t nblocks[] = {1, 2, 3, 5, 8, 15, 16, 40};
	static const int nprobes[] = {1, 6, 9, 12, 16};
	static const int percent_set[] = {50, 75};
	enum
	{
		NSETS = 300
	};

	for (int i = 0; i < LENGTH_OF(nblocks) * LENGTH_OF(nprobes) * 2; i++)
	{
		uint32_t	n = nblocks[i / 2 / LENGTH_OF(nprobes)];
		int			k = nprobes[i / 2 % LENGTH_OF(nprobes)];
		uint64_t	nset = (uint64_t) percent_set[i % 2] * n * BBF_BLOCK_BITS / 100;
		uint64_t	nkeys = (uint64_t) bbf_keys_from_bits(n, k, nset);
		double		estimated = 0.0;
		double		exact = 0.0;

		for (int set = 0; set < NSETS; set++)
		{
			unsigned char blocks[40 * BBF_BLOCK_BYTES] = {0};

			nset = 0;
			for (uint64_t j = 0; j < nkeys; j++)
				nset += bbf_blocks_add(blocks, n, k, key((uint64_t) set * nkeys + j));
			estimated += bbf_fpp_of_bits(n, k, nset);
			exact += rate_of_blocks(blocks, n, k);
		}
		CASE("%u blocks, %d probes, %d %%: estimated %g, exact %g", (unsigned) n, k,
			 percent_set[i % 2], estimated / NSETS, exact / NSETS);
		CHECK(fabs(estimated / exact - 1.0) < (n == 1 ? 1e-9 : 0.10));
	}
}

/* A filter keeps the rate that was asked for, up to its capacity. */
static void
test_rate_is_kept_at_capacity(void)
{
	static const double rates[] = {0.1, 0.01, 0.001, 0.0001};

	for (int i = 0; i < LENGTH_OF(rates); i++)
	{
		Sample		sample = filled_sample(100000, rates[i], 0, 100000);
		double		estimated = bbf_meta_fpp(&sample.meta);

		CASE("fpp %g: estimated %g", rates[i], estimated);
		CHECK(estimated <= rates[i] * 1.02 && estimated > rates[i] * 0.8);
		free(sample.bytes);
	}
}

/* Over layers keys add up, and so do small rates; no sum passes 1. */
static void
test_estimates_of_several_layers(void)
{
	Sample		first = filled_sample(1000, 0.01, 0, 1000);
	Sample		second = filled_sample(5000, 0.001, 1000, 4000);
	double		a = bbf_meta_fpp(&first.meta);
	double		b = bbf_meta_fpp(&second.meta);
	BbfMeta		both = first.meta;

	both.nlayers = 2;
	both.layers[1] = second.meta.layers[0];
	CHECK(fabs(bbf_meta_keys(&both) - bbf_meta_keys(&first.meta) -
			   bbf_meta_keys(&second.meta)) < 1e-6);
	CHECK(fabs(bbf_meta_fpp(&both) / (a + b - a * b) - 1.0) < 1e-9);

	/* one layer that lets everything through is enough */
	both.layers[0].nset = (uint64_t) both.layers[0].nbins * 512;
	CHECK(bbf_meta_fpp(&both) == 1.0);
	both.layers[1].nset = (uint64_t) both.layers[1].nbins * 512;
	CHECK(bbf_meta_fpp(&both) == 1.0);
	free(first.bytes);
	free(second.bytes);
}

/* A list counts exactly and lets nothing through; so does an empty filter. */
static void
test_estimates_without_layers(void)
{
	Sample		sample = empty_sample();

	CHECK(bbf_meta_keys(&sample.meta) == 0.0);
	CHECK(bbf_meta_fpp(&sample.meta) == 0.0);
	CHECK(!bbf_meta_is_saturated(&sample.meta));
	free(sample.bytes);

	sample = list_sample(128);
	CHECK(bbf_meta_keys(&sample.meta) == 128.0);
	CHECK(bbf_meta_fpp(&sample.meta) == 0.0);
	CHECK(!bbf_meta_is_saturated(&sample.meta));
	free(sample.bytes);
}

/* No bits, one bit, all bits: finite numbers at every size and k. */
static void
test_estimates_at_the_extremes(void)
{
	static const uint32_t nblocks[] = {1, 3, 127, BBF_MAX_BLOCKS};

	for (int i = 0; i < LENGTH_OF(nblocks) * 24; i++)
	{
		BbfMeta		meta = plain_meta(BBF_FAMILY_TEXT);
		BbfLayer   *layer = &meta.layers[0];
		uint64_t	nbits;
		double		almost;

		meta.nlayers = 1;
		layer->nbins = nblocks[i / 24];
		layer->key_bits = i % 24 + 1;
		layer->capacity = 1000;
		layer->fpp = 0.01;
		nbits = (uint64_t) layer->nbins * 512;
		layer->full_at = nbits / 2;
		CASE("%u blocks, %d probes", (unsigned) layer->nbins, layer->key_bits);

		layer->nset = 0;
		CHECK(bbf_meta_keys(&meta) == 0.0);
		CHECK(bbf_meta_fpp(&meta) == 0.0);
		CHECK(!bbf_meta_is_saturated(&meta));

		layer->nset = 1;
		CHECK(bbf_meta_keys(&meta) > 0.0 && bbf_meta_keys(&meta) < 1.1);
		CHECK(bbf_meta_fpp(&meta) > 0.0 && bbf_meta_fpp(&meta) < 0.01);

		layer->nset = nbits - 1;
		almost = bbf_meta_keys(&meta);
		CHECK(isfinite(almost));
		CHECK(bbf_meta_fpp(&meta) > 0.9 && bbf_meta_fpp(&meta) <= 1.0);

		layer->nset = nbits;
		CHECK(isfinite(bbf_meta_keys(&meta)));
		CHECK(bbf_meta_keys(&meta) > almost);
		CHECK(bbf_meta_fpp(&meta) == 1.0);
		CHECK(bbf_meta_is_saturated(&meta));
	}
}

/* A layer is saturated with 1.5 times its capacity, but not at its capacity. */
static void
test_saturated_when_overfull(void)
{
	static const uint64_t sizes[] = {129, 1000, 20000};
	static const double rates[] = {0.1, 0.01, 0.0001};

	for (int i = 0; i < LENGTH_OF(sizes) * LENGTH_OF(rates); i++)
	{
		uint64_t	capacity = sizes[i / LENGTH_OF(rates)];
		double		fpp = rates[i % LENGTH_OF(rates)];
		Sample		full = filled_sample(capacity, fpp, 0, capacity);
		Sample		overfull = filled_sample(capacity, fpp, 0, capacity * 3 / 2);

		CASE("capacity %" PRIu64 ", fpp %g", capacity, fpp);
		CHECK(!bbf_meta_is_saturated(&full.meta));
		CHECK(bbf_meta_is_saturated(&overfull.meta));

		/* one such layer among others is enough */
		full.meta.nlayers = 2;
		full.meta.layers[1] = overfull.meta.layers[0];
		CHECK(bbf_meta_is_saturated(&full.meta));
		free(full.bytes);
		free(overfull.bytes);
	}
}

/*
 * The key that makes a layer full may set all its probes at once: a layer that
 * took keys until it was full is not saturated.
 */
static void
test_a_full_layer_is_not_saturated(void)
{
	BbfMeta		meta = plain_meta(BBF_FAMILY_TEXT);

	meta.nlayers = 1;
	meta.layers[0].nbins = 3;
	meta.layers[0].key_bits = 7;
	meta.layers[0].full_at = 700;
	meta.layers[0].nset = 707;
	CHECK(bbf_layer_is_full(&meta.layers[0]));
	CHECK(!bbf_meta_is_saturated(&meta));
	meta.layers[0].nset = 708;
	CHECK(bbf_meta_is_saturated(&meta));
}

const Test estimate_tests[] = {
	TEST(test_keys_are_estimated_within_one_percent),
	TEST(test_fpp_is_estimated_within_ten_percent),
	TEST(test_fpp_of_few_blocks),
	TEST(test_rate_is_kept_at_capacity),
	TEST(test_estimates_of_several_layers),
	TEST(test_estimates_without_layers),
	TEST(test_estimates_at_the_extremes),
	TEST(test_saturated_when_overfull),
	TEST(test_a_full_layer_is_not_saturated),
	END_OF_TESTS
};
