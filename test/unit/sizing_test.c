/*
 * sizing_test.c
 *	  sizing.h: the model, and the geometry that follows from it.
 */
#include "check.h"

#include <math.h>

#include "core/layer.h"
#include "core/sizing.h"

#include "buffer.h"
#include "key.h"
#include "suites.h"

/* Requests over the whole range that is asked for in practice, and beyond. */
static const uint64_t capacities[] = {
	1, 2, 3, 10, 100, 128, 129, 200, 1000, 1001, 54321, 1000000, 430000000,
	UINT64_C(1) << 40, INT64_MAX
};

static const double fpps[] = {
	0.99, 0.9, 0.5, 0.3, 0.1, 0.03, 0.01, 0.001, 0.0001, 1e-5, 1e-7, 1e-12
};

/* The largest m * 2^s up to n, m < 128, by trying every s. */
static uint64_t
naive_form_below(uint64_t n)
{
	uint64_t	best = 0;

	for (uint64_t power_of_2 = 1; power_of_2 <= n && power_of_2 < UINT64_C(1) << 62;
		 power_of_2 *= 2)
	{
		uint64_t	m = n / power_of_2 < 127 ? n / power_of_2 : 127;

		if (m * power_of_2 > best)
			best = m * power_of_2;
	}
	return best;
}

/* The model as the header words it, summed term by term over all loads. */
static double
naive_rate(double load, int k)
{
	double		rate = 0.0;
	double		spread = 40.0 * sqrt(load) + 400.0;

	for (double j = fmax(0.0, floor(load - spread)); j < load + spread; j++)
	{
		double		weight = exp(j * log(load) - load - lgamma(j + 1.0));
		double		fill = -expm1(k * j * log1p(-1.0 / 512.0));

		rate += weight * pow(fill, k);
	}
	return rate;
}

/* The model, against its definition. */
static void
test_model_rate_is_as_defined(void)
{
	static const double loads[] = {
		1e-6, 0.01, 0.5, 1.0, 5.0, 21.3, 42.0, 64.0, 128.7, 400.0, 2000.0,
		3000.0, 6000.0, 15000.0
	};

	for (int i = 0; i < LENGTH_OF(loads); i++)
	{
		for (int k = 1; k <= 24; k++)
		{
			double		expected = naive_rate(loads[i], k);

			CASE("load %g, %d probes", loads[i], k);
			CHECK(fabs(bbf_model_rate(loads[i], k) / expected - 1.0) < 1e-6);
		}
	}
}

/* More keys in a block, more false positives: up to 1, and no further. */
static void
test_model_rate_rises_with_the_load(void)
{
	for (int k = 1; k <= 24; k++)
	{
		double		before = 0.0;

		for (double load = 1e-18; load < 1e18; load *= 1.5)
		{
			double		rate = bbf_model_rate(load, k);

			CASE("load %g, %d probes", load, k);
			CHECK(rate >= before);
			CHECK(rate > 0.0 && rate <= 1.0);
			before = rate;
		}
		CHECK(bbf_model_rate(20481.0, k) == 1.0);
	}
}

/* Fewer than any filter has, as the planner may expect: the sum comes to an end. */
static void
test_model_rate_vanishes_with_the_load(void)
{
	for (int k = 1; k <= 24; k++)
	{
		double		before = 1.0;

		for (double load = 1e-18; load > 0.0; load /= 8)
		{
			double		rate = bbf_model_rate(load, k);

			CASE("load %g, %d probes", load, k);
			CHECK(rate >= 0.0 && rate <= before);
			before = rate;
		}
	}
}

/* The model is within 6 % of what is measured, here and for its design. */
static void
test_model_rate_is_what_is_measured(void)
{
	static const struct
	{
		int			bits_per_key;
		int			k;
		double		designed;
		uint64_t	probes;
	}			golden[] = {
		{8, 5, 2.32e-2, 300000},
		{10, 7, 0.962e-2, 600000},
		{12, 8, 0.411e-2, 1000000},
		{16, 10, 0.0841e-2, 4000000},
		{20, 11, 0.0194e-2, 10000000},
		{24, 13, 5.2e-5, 20000000},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		const uint64_t nkeys = 512 * 100;
		uint32_t	nblocks = 100 * (uint32_t) golden[i].bits_per_key;
		int			k = golden[i].k;
		unsigned char *blocks = allocate((size_t) nblocks * BBF_BLOCK_BYTES);
		double		modelled = bbf_model_rate(512.0 / golden[i].bits_per_key, k);
		double		measured;
		uint64_t	present = 0;

		for (uint64_t j = 0; j < nkeys; j++)
			bbf_blocks_add(blocks, nblocks, k, key(j));
		for (uint64_t j = 0; j < golden[i].probes; j++)
			present += bbf_blocks_contain(blocks, nblocks, k, key(ABSENT_KEYS + j));
		measured = (double) present / (double) golden[i].probes;

		CASE("%d bits a key, %d probes: modelled %g, measured %g",
			 golden[i].bits_per_key, k, modelled, measured);
		CHECK(fabs(modelled / golden[i].designed - 1.0) < 0.06);
		CHECK(fabs(modelled / measured - 1.0) < 0.06);
		free(blocks);
	}
}

/* For a load: the smallest k within 1 % of the best of all 24. */
static void
test_best_probes(void)
{
	for (double load = 0.01; load < 25000.0; load *= 1.03)
	{
		double		best = 2.0;
		double		rate;
		int			nprobes = bbf_best_probes(load, &rate);

		for (int k = 1; k <= 24; k++)
			best = fmin(best, bbf_model_rate(load, k));

		CASE("load %g, %d probes", load, nprobes);
		CHECK(nprobes >= 1 && nprobes <= 24);
		CHECK(rate == bbf_model_rate(load, nprobes));
		CHECK(rate <= best * 1.01);
		for (int fewer = 1; fewer < nprobes; fewer++)
			CHECK(bbf_model_rate(load, fewer) > best * 1.01);
	}
}

/* The form below a number is its largest m * 2^s, at most 1/64 smaller. */
static void
test_form_below(void)
{
	static const uint32_t large[] = {
		BBF_MAX_BLOCKS - 1, BBF_MAX_BLOCKS, BBF_MAX_BLOCKS + 1,
		(uint32_t) 1 << 31, UINT32_MAX - 1, UINT32_MAX
	};

	for (uint32_t n = 1; n <= 20000; n++)
	{
		CASE("%u", (unsigned) n);
		CHECK(bbf_size_class_below(n) == naive_form_below(n));
		CHECK(n - bbf_size_class_below(n) <= n / 64);
	}
	for (int i = 0; i < LENGTH_OF(large); i++)
	{
		CASE("%u", (unsigned) large[i]);
		CHECK(bbf_size_class_below(large[i]) == naive_form_below(large[i]));
	}
	CHECK(bbf_size_class_below(BBF_MAX_BLOCKS) == BBF_MAX_BLOCKS);
}

/*
 * The rate of a layer that has just become full, with as many keys as set its
 * full_at bits; full_at from the variance of the bits set, term by term: pairs
 * of bits are the same, in one block, or in two.
 */
static double
naive_rate_when_full(uint64_t capacity, uint64_t nblocks, int k)
{
	const double keys = (double) capacity;
	const double nbits = 512.0 * (double) nblocks;
	const double one = -expm1(k * log1p(-1.0 / 512.0)) / (double) nblocks;
	const double pair = -expm1(k * log1p(-2.0 / 512.0)) / (double) nblocks;
	const double unset = exp(keys * log1p(-one));
	const double variance = nbits * unset +
		nbits * 511.0 * exp(keys * log1p(-pair)) +
		nbits * (nbits - 512.0) * exp(keys * log1p(-2.0 * one)) -
		nbits * nbits * unset * unset;
	double		full_at = nbits * (1.0 - unset) +
		4.0 * (sqrt(fmax(variance, 0.0)) + 1.0);

	full_at = fmin(full_at, nbits - 1.0);
	return bbf_model_rate(log1p(-full_at / nbits) / log1p(-one) /
						  (double) nblocks, k);
}

/* A layer keeps its rate at its capacity, and on until it is full. */
static void
test_layers_keep_the_rate_until_full(void)
{
	for (int i = 0; i < LENGTH_OF(capacities) * LENGTH_OF(fpps); i++)
	{
		uint64_t	capacity = capacities[i / LENGTH_OF(fpps)];
		double		fpp = fpps[i % LENGTH_OF(fpps)];
		BbfGeometry g = bbf_size_blocks(capacity, fpp);
		double		nblocks = (double) g.nbins;

		CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64 " blocks, %d probes",
			 capacity, fpp, g.nbins, g.key_bits);
		CHECK(g.nbins >= 1 && g.nbins < UINT64_C(1) << 62);
		CHECK(g.nbins == naive_form_below(g.nbins));
		CHECK(g.key_bits >= 1 && g.key_bits <= 24);
		CHECK(bbf_model_rate((double) capacity / nblocks, g.key_bits) <= fpp);
		if (g.full_at > 0)
		{
			double		by_key = -expm1(g.key_bits * log1p(-1.0 / 512.0));
			double		keys = log1p(-(double) g.full_at / (512.0 * nblocks)) /
				log1p(-by_key / nblocks);

			CHECK(keys >= (double) capacity);
			CHECK(bbf_model_rate(keys / nblocks, g.key_bits) <= fpp * 1.003);
		}
	}
}

/*
 * The next smaller layer would not keep it, with any k, so this one is the
 * smallest; and its k is the smallest within 1 % of the best and within fpp.
 * The core approximates the variance, for a few hundred keys from above.
 */
static void
test_layers_are_the_smallest_with_the_best_probes(void)
{
	for (int i = 0; i < LENGTH_OF(capacities) * LENGTH_OF(fpps); i++)
	{
		uint64_t	capacity = capacities[i / LENGTH_OF(fpps)];
		double		fpp = fpps[i % LENGTH_OF(fpps)];
		double		tolerance = capacity < 1000 ? 0.1 : 0.003;
		BbfGeometry g = bbf_size_blocks(capacity, fpp);
		double		rates[25];
		double		best = 2.0;
		double		best_of_smaller = 2.0;
		double		bound;

		for (int k = 1; k <= 24; k++)
		{
			rates[k] = naive_rate_when_full(capacity, g.nbins, k);
			best = fmin(best, rates[k]);
			if (g.nbins > 1)
				best_of_smaller =
					fmin(best_of_smaller,
						 naive_rate_when_full(capacity,
											  naive_form_below(g.nbins - 1), k));
		}
		bound = fmin(best * 1.01, fpp);

		CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64 " blocks, %d probes",
			 capacity, fpp, g.nbins, g.key_bits);
		CHECK(best_of_smaller > fpp * (1.0 - tolerance));
		CHECK(rates[g.key_bits] <= bound * (1.0 + tolerance));
		for (int fewer = 1; fewer < g.key_bits; fewer++)
			CHECK(rates[fewer] > bound * (1.0 - tolerance));
	}
}

/* More keys never need fewer blocks. */
static void
test_sizing_is_monotone_in_capacity(void)
{
	for (int i = 0; i < LENGTH_OF(fpps); i++)
	{
		uint64_t	before = 0;

		/* every capacity up to 1000, or every third, then in steps */
		for (double capacity = 1.0; capacity < 9.2e18;
			 capacity = capacity < 1000.0 ? capacity + (ALL_CASES ? 1.0 : 3.0) :
			 capacity * 1.07)
		{
			uint64_t	nblocks = bbf_size_blocks((uint64_t) capacity,
												 fpps[i]).nbins;

			CASE("capacity %.0f, fpp %g", capacity, fpps[i]);
			CHECK(nblocks >= before);
			before = nblocks;
		}
	}
}

/* A lower rate never needs fewer blocks. */
static void
test_sizing_is_monotone_in_fpp(void)
{
	for (int i = 0; i < LENGTH_OF(capacities); i++)
	{
		uint64_t	before = 0;

		for (double fpp = 0.999999; fpp > 0.0; fpp *= fpp > 1e-60 ? (ALL_CASES ? 0.9 : 0.7) : 1e-9)
		{
			uint64_t	nblocks = bbf_size_blocks(capacities[i], fpp).nbins;

			CASE("capacity %" PRIu64 ", fpp %g", capacities[i], fpp);
			CHECK(nblocks >= before);
			before = nblocks;
		}
	}
}

/*
 * The ends of the ranges: there is always an answer, and never zero blocks (no bits and a
 * crash at 0.99 and 3 keys: RedisBloom 720), nor a number that overflows (billions of probes at a
 * rate of 2: RedisBloom 10; pgvector CVE-2026-3172, PostgreSQL CVE-2026-6473).
 */
static void
test_extreme_requests(void)
{
	static const uint64_t extreme_capacities[] = {
		1, 2, 3, 1000, INT64_MAX - 1, INT64_MAX
	};
	static const double extreme_fpps[] = {
		5e-324, 1e-300, 1e-40, 0.5, 0.99, 1.0 - 1e-9, 1.0 - 1e-16
	};

	for (int i = 0; i < LENGTH_OF(extreme_capacities) * LENGTH_OF(extreme_fpps); i++)
	{
		uint64_t	capacity = extreme_capacities[i / LENGTH_OF(extreme_fpps)];
		double		fpp = extreme_fpps[i % LENGTH_OF(extreme_fpps)];
		BbfGeometry g = bbf_size_blocks(capacity, fpp);

		CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64 " blocks, %d probes",
			 capacity, fpp, g.nbins, g.key_bits);
		CHECK(g.nbins >= 1);
		CHECK(g.key_bits >= 1 && g.key_bits <= 24);
		if (g.nbins > UINT32_MAX)
			CHECK(g.full_at == 0);
		else
			CHECK(g.full_at > 0 && g.full_at < g.nbins * 512);

		/* a rate that no number of blocks can keep */
		CHECK((g.nbins == UINT64_MAX) ==
			  (fpp < 1e-50 || (fpp == 1e-40 && capacity > INT64_MAX / 2)));
	}

	/* a single key, and a rate that nearly any block keeps */
	CHECK(bbf_size_blocks(1, 0.5).nbins == 1);
	CHECK(bbf_size_blocks(3, 0.99).nbins == 1);
	CHECK(bbf_size_blocks(1000, 1.0 - 1e-16).nbins == 1);
	CHECK(bbf_size_blocks(INT64_MAX, 0.01).nbins > BBF_MAX_BLOCKS);
}

/*
 * Frozen: equal requests get equal geometry on every machine and in every
 * version, or filters that are sent from one to the other no longer unite.
 */
static void
test_golden_sizes(void)
{
	static const struct
	{
		uint64_t	capacity;
		double		fpp;
		uint64_t	nbins;
		int			key_bits;
		uint64_t	full_at;
	}			golden[] = {
		{129, 0.1, 2, 5, 516},
		{129, 0.01, 3, 7, 725},
		{129, 0.001, 5, 10, 1061},
		{129, 0.0001, 6, 12, 1267},
		{200, 0.1, 3, 5, 780},
		{200, 0.01, 5, 7, 1129},
		{200, 0.001, 7, 10, 1590},
		{200, 0.0001, 10, 12, 1975},
		{1000, 0.1, 10, 3, 2344},
		{1000, 0.01, 20, 6, 4634},
		{1000, 0.001, 32, 9, 7022},
		{1000, 0.0001, 44, 12, 9393},
		{100000, 0.1, 952, 3, 224452},
		{100000, 0.01, 1952, 6, 450576},
		{100000, 0.001, 3040, 9, 680870},
		{100000, 0.0001, 4352, 12, 921954},
		{1000000, 0.1, 9472, 3, 2236330},
		{1000000, 0.01, 19456, 6, 4494502},
		{1000000, 0.001, 30464, 9, 6803227},
		{1000000, 0.0001, 43008, 12, 9181972},
		{100000000, 0.1, 950272, 3, 223623703},
		{100000000, 0.01, 1933312, 6, 448378814},
		{100000000, 0.001, 3047424, 9, 680001095},
		{100000000, 0.0001, 4325376, 12, 919021051},
		{1, 0.01, 1, 24, 30},
		{1, 1e-40, 101711872, 24, 30},
		{3, 0.99, 1, 24, 79},
		{10, 1e-9, 2, 23, 226},
		{300, 0.03, 5, 5, 1188},
		{5000, 0.05, 63, 4, 15068},
		{200000, 0.02, 3264, 6, 854779},	/* with 5 probes 0.15 % over fpp */
		{1000000, 0.5, 2848, 1, 725038},
		{1000000, 1e-6, 75776, 16, 12963084},
		{430000000, 0.01, 8323072, 6, 1928572571},
		{INT64_MAX, 0.01, UINT64_C(180143985094819840), 6, 0},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		BbfGeometry g = bbf_size_blocks(golden[i].capacity, golden[i].fpp);

		CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64 ", %d, %" PRIu64,
			 golden[i].capacity, golden[i].fpp, g.nbins, g.key_bits, g.full_at);
		CHECK(g.nbins == golden[i].nbins);
		CHECK(g.key_bits == golden[i].key_bits);
		CHECK(g.full_at == golden[i].full_at);
	}
}

/* The largest capacity within a number of blocks: one key more needs more blocks. */
static void
test_capacity_within_reverses_sizing(void)
{
	static const uint32_t max_blocks[] = {1, 3, 64, 254, 19456, BBF_MAX_BLOCKS};

	for (int i = 0; i < LENGTH_OF(max_blocks) * LENGTH_OF(fpps); i++)
	{
		uint32_t	limit = max_blocks[i / LENGTH_OF(fpps)];
		double		fpp = fpps[i % LENGTH_OF(fpps)];
		uint64_t	capacity = bbf_capacity_within(INT64_MAX, fpp, limit);

		CASE("%u blocks, fpp %g: capacity %" PRIu64, (unsigned) limit, fpp, capacity);
		if (capacity > 0)
			CHECK(bbf_size_blocks(capacity, fpp).nbins <= limit);
		CHECK(bbf_size_blocks(capacity + 1, fpp).nbins > limit);

		/* never more than was asked for */
		CHECK(bbf_capacity_within(capacity, fpp, limit) == capacity);
		CHECK(bbf_capacity_within(capacity / 2, fpp, limit) == capacity / 2);
		CHECK(bbf_capacity_within(capacity + 1, fpp, limit) == capacity);
	}

	CHECK(bbf_capacity_within(0, 0.01, BBF_MAX_BLOCKS) == 0);
	CHECK(bbf_capacity_within(INT64_MAX, 1e-40, BBF_MAX_BLOCKS) == 0);
	CHECK(bbf_capacity_within(INT64_MAX, 5e-324, BBF_MAX_BLOCKS) == 0);

	/* about 430 million keys at 1 % */
	CHECK(bbf_capacity_within(INT64_MAX, 0.01, BBF_MAX_BLOCKS) == 433993446);
}

/* A layer that was sized, and what its blocks hold. */
typedef struct SizedLayer
{
	uint64_t	capacity;
	double		fpp;
	BbfGeometry geometry;
	uint64_t	most;			/* of bbf_capacity_of_blocks, as full_at */
	uint64_t	full_at;
} SizedLayer;

#define NUM_SIZED_LAYERS	(LENGTH_OF(capacities) * LENGTH_OF(fpps))

/* Layer number i; false if it has more blocks than may be. */
static bool
size_layer(int i, SizedLayer *layer)
{
	layer->capacity = capacities[i / LENGTH_OF(fpps)];
	layer->fpp = fpps[i % LENGTH_OF(fpps)];
	layer->geometry = bbf_size_blocks(layer->capacity, layer->fpp);
	if (layer->geometry.nbins > BBF_MAX_BLOCKS)
		return false;
	layer->most = bbf_capacity_of_blocks((uint32_t) layer->geometry.nbins,
										 layer->geometry.key_bits, layer->fpp,
										 &layer->full_at);
	CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64, layer->capacity, layer->fpp,
		 layer->most);
	return true;
}

/*
 * A layer that was sized for so many keys holds as many, and somewhat more, as
 * it is rounded up; and with 1 % more than it holds it would pass the rate.
 */
static void
test_layer_capacity_reverses_sizing(void)
{
	for (int i = 0; i < NUM_SIZED_LAYERS; i++)
	{
		SizedLayer	l;
		BbfGeometry g;

		if (!size_layer(i, &l))
			continue;
		g = l.geometry;
		CHECK(l.most >= l.capacity);
		CHECK(l.full_at >= g.full_at && l.full_at < g.nbins * 512);
		CHECK(bbf_size_blocks(l.most, l.fpp).nbins <= g.nbins);

		/* of few keys, or few bits unset, the core approximates the variance */
		if (l.most < 1000 || l.fpp > 0.9)
			continue;
		CHECK(naive_rate_when_full(l.most, g.nbins, g.key_bits) <= l.fpp * 1.003);
		CHECK(naive_rate_when_full(l.most + l.most / 100, g.nbins, g.key_bits) > l.fpp);
	}

	/* no capacity at all */
	{
		uint64_t	full_at;

		CHECK(bbf_capacity_of_blocks(1, 1, 1e-9, &full_at) == 0);
		CHECK(bbf_capacity_of_blocks(BBF_MAX_BLOCKS, 24, 5e-324, &full_at) == 0);
		CHECK(full_at < BBF_MAX_BLOCKS * UINT64_C(512));
	}
}

/* All of what sizing gave, nothing past what the blocks hold. */
static void
test_held_capacity_is_bounded_by_the_blocks(void)
{
	static const uint64_t claims[] = {1000000, UINT64_C(1) << 62, INT64_MAX};

	for (int i = 0; i < NUM_SIZED_LAYERS; i++)
	{
		SizedLayer	l;
		BbfGeometry g;

		if (!size_layer(i, &l))
			continue;
		g = l.geometry;
		CHECK(bbf_held_capacity(1, (uint32_t) g.nbins, g.key_bits, l.fpp) == 1);
		CHECK(bbf_held_capacity(l.capacity, (uint32_t) g.nbins, g.key_bits, l.fpp) == l.capacity);
		CHECK(bbf_held_capacity(l.most, (uint32_t) g.nbins, g.key_bits, l.fpp) == l.most);
		CHECK(bbf_held_capacity(l.most + l.most / 100 + 1, (uint32_t) g.nbins, g.key_bits,
								l.fpp) == l.most);
		for (int j = 0; j < LENGTH_OF(claims); j++)
			CHECK(bbf_held_capacity(claims[j], (uint32_t) g.nbins, g.key_bits, l.fpp) ==
				  (claims[j] < l.most ? claims[j] : l.most));
	}
	CHECK(bbf_held_capacity(1, 1, 1, 1e-9) == 0);
	CHECK(bbf_held_capacity(INT64_MAX, BBF_MAX_BLOCKS, 24, 5e-324) == 0);
}

/* The rate of merged layers is what absent keys see, whatever the two sizes. */
static void
test_merged_rate_is_what_is_measured(void)
{
	static const uint32_t sizes[][2] = {
		{64, 64}, {64, 32}, {64, 48}, {127, 126}, {127, 65}, {127 << 3, 100}, {65 << 4, 3}
	};

	for (int i = 0; i < LENGTH_OF(sizes); i++)
	{
		uint32_t	nlarge = sizes[i][0];
		uint32_t	nsmall = sizes[i][1];
		unsigned char *large = allocate((size_t) nlarge * BBF_BLOCK_BYTES);
		unsigned char *small = allocate((size_t) nsmall * BBF_BLOCK_BYTES);
		double		expected;
		int			hits = 0;

		for (uint64_t j = 0; j < 20 * nlarge; j++)
			(void) bbf_blocks_add(large, nlarge, 7, key(j));
		for (uint64_t j = 0; j < 40 * nsmall; j++)
			(void) bbf_blocks_add(small, nsmall, 5, key(1000000 + j));
		expected = bbf_merged_rate(nlarge, bbf_blocks_count_set(large, nlarge),
								   nsmall, bbf_blocks_count_set(small, nsmall), 5);
		bbf_blocks_merge(large, nlarge, small, nsmall);
		for (uint64_t j = 0; j < 100000; j++)
			hits += bbf_blocks_contain(large, nlarge, 5, key(ABSENT_KEYS + j));
		CASE("%u into %u blocks: %d hits, expected %g", (unsigned) nsmall,
			 (unsigned) nlarge, hits, expected * 100000);

		/* the model takes the mean load for all loads, so it expects too few */
		CHECK(hits > expected * 100000 * 0.95 && hits < expected * 100000 * 1.35);
		free(large);
		free(small);
	}
}

const Test sizing_tests[] = {
	TEST(test_model_rate_is_as_defined),
	TEST(test_model_rate_rises_with_the_load),
	TEST(test_model_rate_vanishes_with_the_load),
	TEST(test_model_rate_is_what_is_measured),
	TEST(test_best_probes),
	TEST(test_form_below),
	TEST(test_layers_keep_the_rate_until_full),
	TEST(test_layers_are_the_smallest_with_the_best_probes),
	TEST(test_sizing_is_monotone_in_capacity),
	TEST(test_sizing_is_monotone_in_fpp),
	TEST(test_extreme_requests),
	TEST(test_golden_sizes),
	TEST(test_capacity_within_reverses_sizing),
	TEST(test_layer_capacity_reverses_sizing),
	TEST(test_held_capacity_is_bounded_by_the_blocks),
	TEST(test_merged_rate_is_what_is_measured),
	END_OF_TESTS
};
