/*
 * overlap_test.c
 *	  overlap.h: keys in common, against filters whose keys are known.
 */
#include "check.h"

#include <math.h>

#include "core/estimate.h"
#include "core/family.h"
#include "core/overlap.h"

#include "attached.h"
#include "blocks.h"
#include "key.h"
#include "sample.h"
#include "suites.h"

/* A layer with keys, whose blocks the caller frees. */
typedef struct Filled
{
	BbfLayer	layer;
	unsigned char *blocks;
} Filled;

/* The keys first, first + 1, ..., of which there are n. */
static Filled
fill(uint32_t nblocks, int nprobes, uint64_t first, uint64_t n)
{
	Filled		filled = {.layer = {.nbins = nblocks,.key_bits = nprobes}};

	filled.blocks = new_blocks(nblocks);
	for (uint64_t i = 0; i < n; i++)
		filled.layer.nset += bbf_blocks_add(filled.blocks, nblocks, nprobes,
											key(first + i));
	return filled;
}

static bool
overlap(const Filled *a, const Filled *b, BbfOverlap *result)
{
	return bbf_layers_overlap(&a->layer, a->blocks, &b->layer, b->blocks, NULL, result);
}

static bool
share_bits(const Filled *a, const Filled *b)
{
	return bbf_layers_share_bits(&a->layer, a->blocks, &b->layer, b->blocks, NULL);
}

static BbfGeometry
geometry_for(uint64_t capacity, double fpp)
{
	return bbf_size_blocks(capacity, fpp);
}

/* What many pairs of filters say of as many keys in common. */
typedef struct Trials
{
	double		mean;			/* of the error */
	double		deviation;		/* its standard deviation */
	double		expected;		/* the standard error, on average */
} Trials;

/*
 * Pairs of layers of a_blocks and b_blocks blocks, a_probes and b_probes probes, that have
 * nkeys keys each, of which ncommon are the same.
 */
static Trials
try_probes(uint32_t a_blocks, uint32_t b_blocks, int a_probes, int b_probes, uint64_t nkeys,
		   uint64_t ncommon, int ntrials)
{
	double		sum = 0.0;
	double		squares = 0.0;
	double		variances = 0.0;
	Trials		trials;

	for (int i = 0; i < ntrials; i++)
	{
		uint64_t	first = (uint64_t) i * 2 * nkeys;
		Filled		a = fill(a_blocks, a_probes, first, nkeys);
		Filled		b = fill(b_blocks, b_probes, first + nkeys - ncommon, nkeys);
		BbfOverlap	found;
		BbfOverlap	swapped;
		double		error;

		CHECK(overlap(&a, &b, &found));
		CHECK(overlap(&b, &a, &swapped));
		CHECK(fabs(swapped.both - found.both) < 1e-6 * (double) nkeys);
		CHECK(fabs(swapped.variance - found.variance) < 1e-6 * (double) nkeys);
		error = found.both - (double) ncommon;
		sum += error;
		squares += error * error;
		variances += found.variance;
		free(a.blocks);
		free(b.blocks);
	}
	trials.mean = sum / ntrials;
	trials.deviation = sqrt(squares / ntrials);
	trials.expected = sqrt(variances / ntrials);
	return trials;
}

/* The same, of as many probes in both. */
static Trials
try(uint32_t a_blocks, uint32_t b_blocks, int nprobes, uint64_t nkeys,
	uint64_t ncommon, int ntrials)
{
	return try_probes(a_blocks, b_blocks, nprobes, nprobes, nkeys, ncommon, ntrials);
}

/*
 * Check that the standard error is right, or up to so many times as large, as far as so many
 * trials can tell.
 */
static void
check_bound(const Trials *trials, int ntrials, double most)
{
	double		few = 3.0 / sqrt(2.0 * ntrials);

	CHECK(fabs(trials->mean) < 4.0 * trials->expected / sqrt(ntrials));
	CHECK(trials->deviation > trials->expected / (1.05 * most + few));
	CHECK(trials->deviation < trials->expected * (1.05 + few));
}

static void
check_trials(const Trials *trials, int ntrials)
{
	check_bound(trials, ntrials, 1.0);
}

/* Disjoint, half-equal and equal sets, at several rates. */
static void
test_standard_error_is_that_of_many_trials(void)
{
	static const struct
	{
		uint64_t	nkeys;
		double		fpp;
		int			ntrials;
	}			cases[] = {
		{1000, 0.1, 400},
		{1000, 0.01, 400},
		{1000, 0.0001, 400},
		{10000, 0.01, 100},
		{100000, 0.01, 20},
	};

	for (int i = 0; i < LENGTH_OF(cases) * 3; i++)
	{
		uint64_t	nkeys = cases[i / 3].nkeys;
		uint64_t	ncommon = nkeys * (uint64_t) (i % 3) / 2;
		int			ntrials = cases[i / 3].ntrials;
		BbfGeometry g = geometry_for(nkeys, cases[i / 3].fpp);
		Trials		trials = try((uint32_t) g.nbins, (uint32_t) g.nbins, g.key_bits,
								 nkeys, ncommon, ntrials);

		CASE("%" PRIu64 " of %" PRIu64 " keys, fpp %g: error %.2f, %.2f expected, mean %.2f",
			 ncommon, nkeys, cases[i / 3].fpp, trials.deviation, trials.expected,
			 trials.mean);
		check_trials(&trials, ntrials);
	}
}

/* Errors that were simulated; half a filter, and overfull. */
static void
test_standard_error_at_other_loads(void)
{
	static const struct
	{
		uint64_t	nkeys;
		uint64_t	ncommon;
		double		error;
	}			cases[] = {
		{2000, 0, 18.5},
		{2000, 1000, 11.2},
		{2000, 2000, 11.2},
		{500, 250, 0},
		{6000, 1000, 0},
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		Trials		trials = try(40, 40, 6, cases[i].nkeys, cases[i].ncommon, 300);

		CASE("%" PRIu64 " of %" PRIu64 " keys: error %.2f, %.2f expected, mean %.2f",
			 cases[i].ncommon, cases[i].nkeys, trials.deviation, trials.expected,
			 trials.mean);
		check_trials(&trials, 300);
		if (cases[i].error > 0.0)
			CHECK(fabs(trials.expected / cases[i].error - 1.0) < 0.05);
	}
}

/* Different numbers of probes, of as many blocks and of others; errors that were simulated. */
static void
test_standard_error_of_other_probes(void)
{
	static const struct
	{
		uint32_t	b_blocks;
		int			a_probes;
		int			b_probes;
		uint64_t	ncommon;
		double		error;
	}			cases[] = {
		{40, 4, 7, 0, 0},
		{40, 4, 7, 1000, 15.5},
		{40, 4, 7, 2000, 10.7},
		{40, 1, 3, 1000, 0},
		{40, 7, 8, 2000, 0},
		{120, 4, 9, 0, 0},
		{120, 4, 9, 1000, 0},
		{120, 9, 4, 1000, 0},
		{120, 4, 9, 2000, 0},
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		Trials		trials = try_probes(40, cases[i].b_blocks, cases[i].a_probes,
										cases[i].b_probes, 2000, cases[i].ncommon, 300);

		CASE("%" PRIu64 " of 2000 keys, %u blocks, %d and %d probes: error %.2f, %.2f expected, mean %.2f",
			 cases[i].ncommon, (unsigned) cases[i].b_blocks, cases[i].a_probes,
			 cases[i].b_probes, trials.deviation, trials.expected, trials.mean);
		check_trials(&trials, 300);
		if (cases[i].error > 0.0)
			CHECK(fabs(trials.expected / cases[i].error - 1.0) < 0.05);
	}
}

/*
 * Of two sets of a million at 1 %, which are ten bits a key, 430 keys if nothing
 * is in common, and 260 otherwise, to within a twentieth.
 */
static void
test_standard_error_of_a_million(void)
{
	static const double expected[] = {438, 249, 255};
	BbfGeometry g = geometry_for(1000000, 0.01);

	for (int i = 0; i < 3; i++)
	{
		double		both = 500000.0 * i;
		BbfLayer	layer = {.nbins = (uint32_t) g.nbins,.key_bits = g.key_bits};
		double		error = sqrt(bbf_variance_of_common(&layer, &layer, 1000000.0 - both,
														1000000.0 - both, both));

		CASE("%.0f in common: %.1f", both, error);
		CHECK(fabs(error / expected[i] - 1.0) < 0.05);
	}
}

/*
 * Layers of other numbers of blocks: by a half, by thirds, many times as many, and with hardly
 * a divisor in common; the smaller one crowded, the larger one sparse.  Where no number is a
 * multiple of the other, the variance is a bound, up to twice as large.
 */
static void
test_other_numbers_of_blocks(void)
{
	static const struct
	{
		uint32_t	a_blocks;
		uint32_t	b_blocks;
	}			cases[] = {
		{80, 40}, {120, 40}, {80, 120}, {40, 127 * 40}, {64, 64 * 9},
		{64, 65}, {71, 72}, {126, 127}, {20, 1024}, {7, 96}, {120, 121},
	};

	for (int i = 0; i < LENGTH_OF(cases) * 3; i += ALL_CASES ? 1 : 2)
	{
		uint32_t	a_blocks = cases[i / 3].a_blocks;
		uint32_t	b_blocks = cases[i / 3].b_blocks;
		uint64_t	nkeys = a_blocks == 7 ? 400 : 1500;
		uint64_t	ncommon = nkeys / 2 * (uint64_t) (i % 3);
		Trials		trials = try(a_blocks, b_blocks, 6, nkeys, ncommon, 200);

		CASE("%" PRIu64 " in common, %u and %u blocks: error %.2f, %.2f expected, mean %.2f",
			 ncommon, (unsigned) a_blocks, (unsigned) b_blocks, trials.deviation,
			 trials.expected, trials.mean);
		check_bound(&trials, 200,
					a_blocks % b_blocks == 0 || b_blocks % a_blocks == 0 ? 1.0 : sqrt(2.0));
	}
}

/*
 * Against the sum over all pairs of ranges of blocks, computed once: the same where one number of
 * blocks is a multiple of the other, else a bound.  Among the others are those of millions of
 * random pairs, up to 90 % full, for which it was lowest and highest.
 */
static void
test_variance_is_a_bound(void)
{
	static const struct
	{
		uint32_t	a_blocks;
		uint32_t	b_blocks;
		int			a_probes;
		int			b_probes;
		double		a_keys;
		double		b_keys;
		double		both;
		double		variance;
	}			cases[] = {
		{40, 40, 6, 6, 2000, 2000, 1000, 119.116},
		{40, 40, 4, 7, 2000, 2000, 2000, 114.432},
		{1, 1, 13, 21, 17, 5, 5, 0.0161535},
		{80, 40, 6, 6, 2000, 1500, 0, 220.42},
		{40, 5080, 3, 9, 1500, 1500, 750, 312.895},
		{120, 40, 9, 4, 2000, 2000, 2000, 267.946},
		{332, 288, 24, 9, 12061, 11445, 11445, 6917.9},
		{42, 49, 12, 23, 1624, 1625, 1624, 650.586},
		{152, 208, 12, 24, 4954, 4954, 4954, 1724.69},
		{51, 47, 23, 8, 1931, 1931, 1931, 1157.47},
		{933888, 696320, 24, 8, 33174387, 31612828, 31612828, 2.39998e+07},
		{54784, 73728, 11, 24, 1784815, 1974909, 1784815, 735366},
		{6080, 7808, 8, 21, 271566, 266229, 266229, 150960},
		{76, 66, 23, 8, 3232, 2947, 2947, 2253.9},
		{70, 60, 21, 21, 708, 708, 708, 80.5754},
		{26, 27, 1, 1, 17423, 2610, 2604, 2870.97},
		{44, 45, 5, 5, 189, 8402, 182, 108.966},
		{396, 376, 2, 2, 156220, 990, 979, 902.357},
		{48, 47, 1, 1, 1106, 16679, 1106, 543.262},
		{48, 49, 1, 1, 689, 17389, 689, 357.878},
		{384, 392, 5, 5, 66393, 44, 44, 19.6044},
		{86, 84, 3, 3, 29030, 1048, 1048, 993.136},
		{49, 50, 1, 1, 41822, 3920, 3761, 7409.76},
		{146, 148, 2, 2, 2976, 79926, 2928, 4746.73},
		{17, 44, 12, 4, 473, 473, 473, 48.4424},
		{560, 296, 22, 8, 2319, 2319, 2267, 274.372},
		{428, 344, 12, 12, 9877, 9877, 7516, 1237.74},
		{215040, 100352, 21, 19, 4584453, 832583, 832583, 184835},
		{31, 53, 9, 9, 1231, 4108, 566, 885.009},
		{152, 364, 13, 13, 1708, 1708, 1708, 123.618},
		{12032, 50176, 19, 10, 404833, 2195079, 404833, 730081},
		{37, 15, 24, 20, 48, 129, 1, 2.30232},
		{254, 142, 20, 17, 3010, 3010, 38, 429.643},
		{45568, 121856, 7, 7, 4564060, 1140014, 0, 596920},
		{3008, 728, 9, 15, 16431, 16431, 1479, 2057.41},
		{7, 40, 9, 9, 91, 2876, 89, 150.454},
		{54, 11, 16, 16, 2067, 3, 0, 2.77633},
		{311296, 1949696, 11, 14, 13939407, 81111074, 194374, 3.16448e+07},
		{48, 39, 4, 24, 2266, 589, 20, 1001.58},
		{364, 21, 10, 10, 13031, 751, 0, 2072.42},
		{76800, 840, 8, 18, 3285274, 29662, 1180, 1.52529e+06},
		{6, 6400, 18, 17, 119, 135705, 117, 14434.2},
		{508, 560, 19, 19, 5217, 8993, 0, 587.267},
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		BbfLayer	a = {.nbins = cases[i].a_blocks,.key_bits = cases[i].a_probes};
		BbfLayer	b = {.nbins = cases[i].b_blocks,.key_bits = cases[i].b_probes};
		double		both = cases[i].both;
		double		ratio = bbf_variance_of_common(&a, &b, cases[i].a_keys - both,
												   cases[i].b_keys - both, both) / cases[i].variance;

		CASE("%u and %u blocks, %d and %d probes: %g times the variance", (unsigned) a.nbins,
			 (unsigned) b.nbins, a.key_bits, b.key_bits, ratio);
		if (a.nbins % b.nbins == 0 || b.nbins % a.nbins == 0)
			CHECK(fabs(ratio - 1.0) < 1e-4);
		else
			CHECK(ratio > 1.0 && ratio < 2.0);
	}
}

/* Of keys that are not in common, more blocks tell more than those of the other layer would. */
static void
test_more_blocks_tell_more(void)
{
	Filled		large = fill(3 * 64, 7, 0, 3000);
	Filled		folded = fill(64, 7, 0, 3000);
	Filled		other = fill(64, 7, 10000, 3000);
	BbfOverlap	of_large;
	BbfOverlap	of_folded;

	CHECK(overlap(&large, &other, &of_large) && overlap(&folded, &other, &of_folded));
	CASE("variance %g, folded %g", of_large.variance, of_folded.variance);
	CHECK(of_large.variance < of_folded.variance * 0.9);
	CHECK(!of_large.a_within && !of_large.b_within);
	CHECK(overlap(&folded, &folded, &of_folded));
	CHECK(of_folded.a_within && of_folded.b_within);
	CHECK(fabs(of_folded.both / 3000.0 - 1.0) < 0.03);
	free(large.blocks);
	free(folded.blocks);
	free(other.blocks);
}

/* Is a layer within one that has more keys, and not the other way round? */
static void
test_layers_within_layers(void)
{
	Filled		a = fill(64, 7, 0, 2000);
	Filled		b = fill(64, 7, 0, 3000);
	Filled		c = fill(128, 7, 0, 3000);
	BbfOverlap	found;

	CHECK(overlap(&a, &b, &found) && found.a_within && !found.b_within);
	CHECK(fabs(found.both / 2000.0 - 1.0) < 0.03);
	CHECK(overlap(&b, &a, &found) && !found.a_within && found.b_within);
	CHECK(overlap(&a, &c, &found) && !found.a_within && !found.b_within);
	free(a.blocks);
	free(b.blocks);
	free(c.blocks);
}

/* Fewer than 100 bits are unset in both. */
static void
test_nothing_can_be_said(void)
{
	Filled		c = fill(4 * 63, 6, 0, 6000);
	Filled		d = fill(4, 6, 0, 900);
	Filled		e = fill(4, 6, 900, 900);
	BbfOverlap	found;

	CHECK(overlap(&c, &c, &found));

	/* each of them tells its keys, the two together do not */
	CHECK(4 * 512 - d.layer.nset < 300 && 4 * 512 - d.layer.nset >= 100);
	CHECK(overlap(&d, &d, &found));
	CHECK(!overlap(&d, &e, &found));

	/* a record that claims too much */
	d.layer.nset = 4 * 512;
	CHECK(!overlap(&d, &e, &found));
	CHECK(!overlap(&d, &c, &found) || isfinite(found.both));
	free(c.blocks);
	free(d.blocks);
	free(e.blocks);
}

/* No key, one key, all probes: finite numbers, never less than nothing. */
static void
test_variance_at_the_extremes(void)
{
	static const uint32_t nblocks[] = {1, 40, BBF_MAX_BLOCKS};
	static const double loads[] = {0.0, 1e-6, 1.0, 300.0};

	for (int i = 0; i < LENGTH_OF(nblocks) * LENGTH_OF(loads) * LENGTH_OF(loads); i++)
	{
		uint32_t	n = nblocks[i / 16];
		double		alone = loads[i % 4] * n;
		double		both = loads[i / 4 % 4] * n;

		for (int k = 1; k <= 24; k++)
		{
			BbfLayer	a = {.nbins = n,.key_bits = k};
			BbfLayer	b = {.nbins = n > 1 ? n - n / 4 : 96,.key_bits = 25 - k};
			double		variance = bbf_variance_of_common(&a, &b, alone, alone, both);

			CASE("%u blocks, %d and %d probes, %g and %g: %g", (unsigned) n, k, 25 - k,
				 alone, both, variance);
			CHECK(variance >= 0.0);
			CHECK(isfinite(variance) || (k > 2 && i % 16 >= 3));
		}
	}
	CHECK(bbf_variance_of_common(&(BbfLayer) {.nbins = 40,.key_bits = 6},
								 &(BbfLayer) {.nbins = 64,.key_bits = 7}, 0.0, 0.0, 0.0) == 0.0);
}

/* Sorted hashes are merged, whichever list is longer. */
static void
test_lists_are_merged(void)
{
	Sample		a = list_sample(128);	/* 100, 200, ... 12800 */
	Sample		b = list_sample(100);
	Sample		none = empty_sample();

	CHECK(lists_overlap(&a.meta, a.bytes, &a.meta, a.bytes) == 128);
	CHECK(lists_overlap(&a.meta, a.bytes, &b.meta, b.bytes) == 100);
	CHECK(lists_overlap(&b.meta, b.bytes, &a.meta, a.bytes) == 100);
	CHECK(lists_overlap(&a.meta, a.bytes, &none.meta, none.bytes) == 0);
	CHECK(lists_overlap(&none.meta, none.bytes, &a.meta, a.bytes) == 0);

	/* every second, and the largest hash there is */
	for (unsigned i = 0; i < 100; i++)
		bbf_list_put(b.bytes + BBF_HEADER_BYTES, i, i < 99 ? 200 * ((uint64_t) i + 1) : UINT64_MAX);
	CHECK(lists_overlap(&a.meta, a.bytes, &b.meta, b.bytes) == 64);
	CHECK(lists_overlap(&b.meta, b.bytes, &a.meta, a.bytes) == 64);
	for (unsigned i = 0; i < 100; i++)
		bbf_list_put(b.bytes + BBF_HEADER_BYTES, i, 100 * (uint64_t) i + 1);
	CHECK(lists_overlap(&a.meta, a.bytes, &b.meta, b.bytes) == 0);
	free(a.bytes);
	free(b.bytes);
	free(none.bytes);
}

/* The hashes of a list in a layer: unbiased, and as far off as it says. */
static void
test_overlap_of_a_list(void)
{
	static const unsigned commons[] = {0, 40, 100};
	const int	ntrials = 500;

	for (int i = 0; i < LENGTH_OF(commons); i++)
	{
		double		sum = 0.0;
		double		squares = 0.0;
		double		expected = 100.0 - commons[i];
		double		fpp = 0.0;

		for (int trial = 0; trial < ntrials; trial++)
		{
			uint64_t	first = (uint64_t) trial * 2000;
			Filled		filled = fill(12, 4, first, 1000);
			unsigned	nfound = 0;
			double		error;

			fpp = bbf_kind_routine(BBF_KIND_BLOOM)->fpp(&filled.layer);
			for (unsigned j = 0; j < 100; j++)
				nfound += bbf_blocks_contain(filled.blocks, 12, 4,
											 key(first + 1000 - commons[i] + j));

			/* not below 0, as the function says, but here to be averaged */
			error = (nfound - 100 * fpp) / (1 - fpp) - commons[i];
			sum += error;
			squares += error * error;
			CHECK(fabs(bbf_overlap_of_list(100, nfound, fpp).both -
					   fmax(error + commons[i], 0.0)) < 1e-9);
			free(filled.blocks);
		}
		expected = sqrt(bbf_overlap_of_list(100, 0, fpp).variance * expected / 100);
		CASE("%u of 100: error %.2f, %.2f expected, mean %.2f", commons[i],
			 sqrt(squares / ntrials), expected, sum / ntrials);
		CHECK(fabs(sum / ntrials) <= 4 * expected / sqrt(ntrials) + 1e-9);
		CHECK(sqrt(squares / ntrials) <= 1.15 * expected + 1e-9);
		CHECK(sqrt(squares / ntrials) >= expected / 1.15);
	}
	CHECK(bbf_overlap_of_list(100, 37, 0.0).both == 37.0);
	CHECK(bbf_overlap_of_list(100, 37, 0.0).variance == 0.0);

	/* all of them are found, and rounding must not give more */
	for (unsigned n = 1; n <= 128; n++)
	{
		for (double fpp = 0.9999; fpp > 1e-6; fpp *= 0.7)
		{
			BbfOverlap	found = bbf_overlap_of_list(n, n, fpp);

			CASE("%u, fpp %g: %g", n, fpp, found.both);
			CHECK(found.both <= n && found.both > n * 0.99);
			CHECK(found.variance >= 0.0 && found.variance <= 1e-9 * n / (1.0 - fpp));
		}
	}
}

/* Any two layers, with keys in common or without, whichever is first: finite, and the same. */
static void
test_any_two_layers(void)
{
	for (uint64_t i = 0; i < 400; i++)
	{
		uint32_t	a_blocks = bbf_size_class_below(1 + (uint32_t) (key(i) % 600));
		uint32_t	b_blocks = bbf_size_class_below(1 + (uint32_t) (key(i + 1000) % 600));
		int			a_probes = 1 + (int) (key(i + 2000) % BBF_MAX_PROBES);
		int			b_probes = 1 + (int) (key(i + 3000) % BBF_MAX_PROBES);
		uint64_t	n = a_blocks < b_blocks ? a_blocks * 15 : b_blocks * 15;
		Filled		a = fill(a_blocks, a_probes, 0, n);
		Filled		b = fill(b_blocks, b_probes, i % 2 == 0 ? 0 : n, n);
		BbfOverlap	found;
		BbfOverlap	swapped;

		CASE("%u and %u blocks, %d and %d probes, %" PRIu64 " keys", (unsigned) a_blocks,
			 (unsigned) b_blocks, a_probes, b_probes, n);
		CHECK(overlap(&a, &b, &found) == overlap(&b, &a, &swapped));
		if (overlap(&a, &b, &found))
		{
			double		both = i % 2 == 0 ? (double) n : 0.0;

			CHECK(isfinite(found.both) && isfinite(found.variance));
			CHECK(fabs(found.both - swapped.both) < 1e-3);
			CHECK(fabs(found.both - both) < 6.0 * sqrt(found.variance) + 2.0);
		}
		free(a.blocks);
		free(b.blocks);
	}
}

/* A key in both is a bit in both, whatever blocks and probes they have. */
static void
test_a_common_key_is_a_common_bit(void)
{
	static const int probes[] = {1, 6, 24};

	for (int i = 0; i < LENGTH_OF(block_counts) * LENGTH_OF(block_counts); i++)
	{
		uint32_t	a_blocks = block_counts[i / LENGTH_OF(block_counts)];
		uint32_t	b_blocks = block_counts[i % LENGTH_OF(block_counts)];

		for (int j = 0; j < 9; j += ALL_CASES ? 1 : 2)
		{
			CASE("%u and %u blocks, %d and %d probes", (unsigned) a_blocks,
				 (unsigned) b_blocks, probes[j / 3], probes[j % 3]);
			for (int n = 0; n < LENGTH_OF(extreme_hashes) + 3; n++)
			{
				uint64_t	hash = n < LENGTH_OF(extreme_hashes) ?
					extreme_hashes[n] : key((uint64_t) n);
				Filled		a = fill(a_blocks, probes[j / 3], 0, 0);
				Filled		b = fill(b_blocks, probes[j % 3], 0, 0);

				CHECK(!share_bits(&a, &b));
				bbf_blocks_add(a.blocks, a_blocks, probes[j / 3], hash);
				CHECK(!share_bits(&a, &b));
				bbf_blocks_add(b.blocks, b_blocks, probes[j % 3], hash);
				CHECK(share_bits(&a, &b));
				free(a.blocks);
				free(b.blocks);
			}
		}
	}
}

/* Other bits, or the same of other blocks, are none in common. */
static void
test_other_bits_are_not_common(void)
{
	Filled		a = fill(128, 6, 0, 0);
	Filled		b = fill(128, 6, 0, 0);
	Filled		c = fill(192, 6, 0, 0);

	memset(a.blocks, 0x55, 128 * 64);
	memset(b.blocks, 0xAA, 128 * 64);
	memset(c.blocks, 0xAA, 192 * 64);
	CHECK(!share_bits(&a, &b) && !share_bits(&b, &a));
	CHECK(!share_bits(&a, &c) && !share_bits(&c, &a));

	/* the last bit of the last block */
	b.blocks[128 * 64 - 1] |= 0x40;
	CHECK(share_bits(&a, &b) && share_bits(&b, &a));
	c.blocks[192 * 64 - 1] |= 0x40;
	CHECK(share_bits(&a, &c) && share_bits(&c, &a));

	/* blocks 0 .. 63 of 128 fold to the first half of 64, as 0 .. 95 of 192 do */
	memset(a.blocks, 0, 128 * 64);
	memset(c.blocks, 0, 192 * 64);
	memset(a.blocks, 0xFF, 64 * 64);
	memset(c.blocks + 96 * 64, 0xFF, 96 * 64);
	CHECK(!share_bits(&a, &c));
	c.blocks[95 * 64] = 1;
	CHECK(share_bits(&a, &c));
	free(a.blocks);
	free(b.blocks);
	free(c.blocks);
}

static int	npauses;

static void
count_pause(void)
{
	npauses++;
}

/* Once for each megabyte of blocks that is read, or compared with another. */
static void
test_pauses(void)
{
	const uint32_t megabyte = 1 << 14;
	Filled		a = fill(3 * megabyte, 6, 0, 1);
	Filled		b = fill(3 * megabyte, 6, 1, 1);
	Filled		c = fill(2 * megabyte, 6, 1, 1);
	BbfOverlap	found;

	npauses = 0;
	(void) bbf_layers_overlap(&a.layer, a.blocks, &b.layer, b.blocks, count_pause, &found);
	CHECK(npauses == 3);
	npauses = 0;
	(void) bbf_layers_overlap(&a.layer, a.blocks, &c.layer, c.blocks, count_pause, &found);
	CHECK(npauses == 4);
	npauses = 0;
	CHECK(!bbf_layers_share_bits(&a.layer, a.blocks, &b.layer, b.blocks, count_pause));
	CHECK(npauses == 3);
	npauses = 0;
	CHECK(!bbf_layers_share_bits(&a.layer, a.blocks, &c.layer, c.blocks, count_pause));
	CHECK(npauses == 3);
	free(a.blocks);
	free(b.blocks);
	free(c.blocks);
}

const Test overlap_tests[] = {
	TEST(test_standard_error_is_that_of_many_trials),
	TEST(test_standard_error_at_other_loads),
	TEST(test_standard_error_of_other_probes),
	TEST(test_standard_error_of_a_million),
	TEST(test_other_numbers_of_blocks),
	TEST(test_variance_is_a_bound),
	TEST(test_any_two_layers),
	TEST(test_more_blocks_tell_more),
	TEST(test_layers_within_layers),
	TEST(test_nothing_can_be_said),
	TEST(test_variance_at_the_extremes),
	TEST(test_lists_are_merged),
	TEST(test_overlap_of_a_list),
	TEST(test_a_common_key_is_a_common_bit),
	TEST(test_other_bits_are_not_common),
	TEST(test_pauses),
	END_OF_TESTS
};
