/*
 * estimate_test.c
 *	  estimate.h: estimates from the head of an image, against what is in it.
 */
#include "check.h"

#include <math.h>

#include "core/estimate.h"
#include "core/family.h"
#include "core/sizing.h"

#include "attached.h"
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
		layer->nset += bbf_blocks_add(sample.bytes + BBF_FIRST_BINS,
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
			present += image_contains(&sample.meta, sample.bytes,
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

/* What is added to layers of these fpp, which have as many keys each and these rates. */
static void
check_added(unsigned nlayers, const double *fpp, const double *rate, const double *added)
{
	BbfLayerKeys layers[4];

	for (unsigned i = 0; i < nlayers; i++)
		layers[i] = (BbfLayerKeys) {.fpp = fpp[i],.capacity = 128.0,.is_full = true,
			.keys = 100.0,.rate = rate[i]};
	bbf_estimate_added(layers, nlayers, 1);
	for (unsigned i = 0; i < nlayers; i++)
	{
		CASE("layer %u of %u, fpp %g: %g", i, nlayers, fpp[i], layers[i].added);
		CHECK(fabs(layers[i].added - added[i]) < 1e-12);
	}
}

/*
 * Layers are behind those of twice their fpp, and of four times, in whatever order; not
 * behind others, nor behind those of their own.
 */
static void
test_layers_before_a_layer(void)
{
	const double rates[4] = {0.25, 0.125, 0.5, 0.0625};

	check_added(1, (double[]) {0.1}, rates, (double[]) {1.0});
	check_added(3, (double[]) {0.1, 0.05, 0.025}, rates,
				(double[]) {1.0, 0.75, 0.75 * 0.875});
	check_added(3, (double[]) {0.025, 0.1, 0.05}, rates,
				(double[]) {0.875 * 0.5, 1.0, 0.875});
	/* two filters side by side, in both of which a layer is behind another */
	check_added(4, (double[]) {0.1, 0.1, 0.05, 0.05}, rates,
				(double[]) {1.0, 1.0, 0.8125, 0.8125});
	/* a quarter, without the half in between */
	check_added(2, (double[]) {0.1, 0.025}, rates, (double[]) {1.0, 0.75});
	/* of other rates, and all but twice as high */
	check_added(4, (double[]) {0.1, 0.03, 0.01, nextafter(0.05, 0.0)}, rates,
				(double[]) {1.0, 1.0, 1.0, 1.0});
	/* exact down to the smallest numbers */
	check_added(2, (double[]) {0x1p-1073, 0x1p-1074}, rates, (double[]) {1.0, 0.75});
}

/*
 * Of layers with these fpp and capacities, all with a rate of a quarter: how many are before
 * each.
 */
static void
check_before(unsigned nlayers, int growth, const double *fpp, const double *capacity,
			 const int *nbefore)
{
	BbfLayerKeys layers[6];

	for (unsigned i = 0; i < nlayers; i++)
		layers[i] = (BbfLayerKeys) {.fpp = fpp[i],.capacity = capacity[i],.is_full = true,
			.keys = 100.0,.rate = 0.25};
	bbf_estimate_added(layers, nlayers, growth);
	for (unsigned i = 0; i < nlayers; i++)
	{
		double		shares = 0.0;

		CASE("layer %u of %u, growth %d: %g", i, nlayers, growth, layers[i].added);
		CHECK(fabs(layers[i].added - pow(0.75, nbefore[i])) < 1e-12);
		for (unsigned j = 0; j < nlayers; j++)
			shares += bbf_share_before(layers, nlayers, growth, j, i);
		CHECK(fabs(shares - nbefore[i]) < 1e-12);
	}
}

/*
 * Where fpp alone do not tell, capacities do: a layer is behind those of its own filter, and
 * of another one that had the same.
 */
static void
test_layers_of_other_filters(void)
{
	/* 0.2 and 0.1, of as many keys; the second alone; with more capacity; and the first */
	check_before(5, 2, (double[]) {0.2, 0.1, 0.1, 0.05, 0.05},
				 (double[]) {256, 512, 256, 1024, 512}, (int[]) {0, 1, 0, 2, 1});
	check_before(5, 2, (double[]) {0.2, 0.1, 0.05, 0.025, 0.0125},
				 (double[]) {256, 256, 512, 1024, 2048}, (int[]) {0, 1, 1, 2, 3});
	check_before(5, 2, (double[]) {0.2, 0.1, 0.05, 0.1, 0.05},
				 (double[]) {256, 512, 1024, 5000, 10000}, (int[]) {0, 1, 2, 1, 1});
	check_before(5, 2, (double[]) {0.2, 0.1, 0.05, 0.1, 0.05},
				 (double[]) {5000, 10000, 20000, 256, 512}, (int[]) {0, 1, 2, 0, 1});
	/* two with the same capacities count as one; of others, each counts for itself */
	check_before(4, 2, (double[]) {0.1, 0.1, 0.05, 0.05},
				 (double[]) {256, 256, 512, 512}, (int[]) {0, 0, 1, 1});
	check_before(4, 2, (double[]) {0.1, 0.1, 0.05, 0.05},
				 (double[]) {256, 300, 512, 600}, (int[]) {0, 0, 1, 1});
	/* the last was shrunk, or cut at the limit; the first grew faster */
	check_before(3, 2, (double[]) {0.1, 0.05, 0.025},
				 (double[]) {256, 512, 300}, (int[]) {0, 1, 2});
	check_before(4, 2, (double[]) {0.1, 0.05, 0.025, 0.0125},
				 (double[]) {256, 512, 300, 1024}, (int[]) {0, 1, 2, 3});
	check_before(4, 2, (double[]) {0.1, 0.05, 0.1, 0.05},
				 (double[]) {384, 1152, 256, 512}, (int[]) {0, 1, 0, 1});
	/* without growth there is none before another */
	check_before(3, 0, (double[]) {0.2, 0.1, 0.05},
				 (double[]) {256, 512, 1024}, (int[]) {0, 0, 0});
}

/* A layer that is not full has none behind it. */
static void
test_layers_that_are_not_full(void)
{
	BbfLayerKeys layers[3] = {
		{.fpp = 0.1,.capacity = 128.0,.keys = 100.0,.rate = 0.25,.is_full = true},
		{.fpp = 0.1,.capacity = 128.0,.keys = 50.0,.rate = 0.125},
		{.fpp = 0.05,.capacity = 256.0,.keys = 10.0},
	};

	bbf_estimate_added(layers, 3, 2);
	CHECK(layers[2].added == 0.75);
	CHECK(bbf_share_before(layers, 3, 2, 0, 2) == 1.0);
	CHECK(bbf_share_before(layers, 3, 2, 1, 2) == 0.0);
	layers[0].is_full = false;
	bbf_estimate_added(layers, 3, 2);
	CHECK(layers[2].added == 1.0);
	CHECK(bbf_share_before(layers, 3, 2, 0, 2) == 0.0);
}

/* Layers without keys stand before no other; a rate of 1 leaves no key to others. */
static void
test_layers_that_tell_nothing(void)
{
	BbfLayerKeys layers[2] = {{.fpp = 0.1,.is_full = true}, {.fpp = 0.05,.keys = 10.0}};

	bbf_estimate_added(layers, 2, 2);
	CHECK(layers[0].added == 1.0 && layers[1].added == 1.0);
	CHECK(bbf_share_before(layers, 2, 2, 0, 1) == 0.0);
	layers[0].keys = 1e9;
	layers[0].rate = 1.0;
	bbf_estimate_added(layers, 2, 2);
	CHECK(layers[1].added == 0.0);
}

/* The layer of another filter, behind those that a filter has. */
static void
append_layer(BbfMeta *meta, const Sample *from)
{
	meta->layers[meta->nlayers++] = from->meta.layers[0];
}

/* The sum of the layers is the lower bound where fewer than half the keys were added. */
static void
test_lower_bound_of_layers(void)
{
	Sample		full = filled_sample(1000, 0.5, 0, 1000);
	Sample		behind = filled_sample(1000, 0.25, 1000, 1000);
	BbfMeta		meta = full.meta;
	double		sum = bbf_meta_keys(&full.meta) + bbf_meta_keys(&behind.meta);

	meta.layers[0].full_at = meta.layers[0].nset - 1;
	append_layer(&meta, &behind);
	CHECK(bbf_meta_fpp(&full.meta) < 0.5);
	CHECK(bbf_meta_can_estimate_keys(&meta));
	CHECK(bbf_meta_keys(&meta) > sum * 1.2);

	/* with more keys more than half the others seem present */
	meta.layers[0].nset = (uint64_t) meta.layers[0].nbins * 512 * 9 / 10;
	full.meta.layers[0].nset = meta.layers[0].nset;
	CHECK(bbf_meta_fpp(&full.meta) > 0.5);
	CHECK(!bbf_meta_can_estimate_keys(&meta));
	sum = bbf_meta_keys(&full.meta) + bbf_meta_keys(&behind.meta);
	CHECK(fabs(bbf_meta_keys(&meta) - sum) < 1e-6);

	/* all bits of one */
	meta.layers[0].nset = (uint64_t) meta.layers[0].nbins * 512;
	CHECK(!bbf_meta_can_estimate_keys(&meta));
	CHECK(isfinite(bbf_meta_keys(&meta)));
	free(full.bytes);
	free(behind.bytes);
}

/*
 * More bits than adding keys sets are those of merged layers in a filter that has as many
 * layers or blocks as it may: then they do not tell its keys.
 */
static void
test_merged_layers(void)
{
	BbfMeta		meta = plain_meta(BBF_FAMILY_NUMBER);
	BbfLayer   *last = &meta.layers[BBF_MAX_LAYERS - 1];

	meta.nlayers = BBF_MAX_LAYERS;
	for (unsigned i = 0; i < BBF_MAX_LAYERS; i++)
		meta.layers[i] = (BbfLayer) {.nbins = 40,.key_bits = 7,.capacity = 1000,.fpp = 0.01,
			.full_at = 10000,.nset = 10007};
	CHECK(bbf_meta_can_estimate_keys(&meta));
	last->nset++;
	CHECK(!bbf_meta_can_estimate_keys(&meta));

	/* with fewer layers it is what bloom_agg may make; but not among so many blocks */
	meta.nlayers--;
	meta.layers[0].nset++;
	CHECK(bbf_meta_can_estimate_keys(&meta));
	meta.layers[1].nbins = BBF_MAX_BLOCKS / 2;
	CHECK(!bbf_meta_can_estimate_keys(&meta));
	meta.nlayers = 1;
	meta.layers[0].nbins = BBF_MAX_BLOCKS;
	CHECK(bbf_meta_can_estimate_keys(&meta));
}

/* The variance of the number of keys of a filter, as FORMAT.md has it. */
static double
variance_of_keys(const BbfMeta *meta)
{
	BbfLayerKeys layers[BBF_MAX_LAYERS];
	double		variance = 0.0;

	CHECK(bbf_meta_layer_keys(meta, layers));
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const BbfLayer *layer = &meta->layers[i];
		double		n = layers[i].keys;
		double		added = layers[i].added;

		/* a layer and itself: the keys in common are its own */
		variance += (bbf_variance_of_common(layer, layer, 0.0, 0.0, n) + n * (1.0 - added)) /
			(added * added);
	}
	return variance;
}

/*
 * A filter that grew as FORMAT.md says, from a layer of 128 keys: how many keys it is
 * estimated to have, and with what variance.
 */
static double
keys_of_grown(double fpp, unsigned growth, uint64_t first, uint64_t nkeys, double *variance)
{
	Sample		layers[BBF_MAX_LAYERS];
	BbfMeta		meta = plain_meta(BBF_FAMILY_NUMBER);
	uint64_t	capacity = 128;
	double		keys;

	for (uint64_t i = 0; i < nkeys; i++)
	{
		uint64_t	hash = key(first + i);
		bool		found = false;
		BbfLayer   *last;

		if (meta.nlayers == 0 || bbf_layer_is_full(&meta.layers[meta.nlayers - 1]))
		{
			layers[meta.nlayers] = filled_sample(capacity, fpp, 0, 0);
			append_layer(&meta, &layers[meta.nlayers]);
			capacity *= growth;
			fpp *= 0.5;
		}
		for (unsigned j = 0; j < meta.nlayers && !found; j++)
			found = image_contains(&layers[j].meta, layers[j].bytes, hash);
		last = &layers[meta.nlayers - 1].meta.layers[0];
		if (!found)
			last->nset += bbf_blocks_add(layers[meta.nlayers - 1].bytes + BBF_FIRST_BINS,
										 last->nbins, last->key_bits, hash);
		meta.layers[meta.nlayers - 1].nset = last->nset;
	}
	for (unsigned i = 0; i < meta.nlayers; i++)
		free(layers[i].bytes);
	keys = bbf_meta_keys(&meta);
	*variance = variance_of_keys(&meta);
	return keys;
}

/*
 * The mean of filters that have grown, and how they scatter.  Of dozens of layers the errors
 * of those before a layer are in all that follow, which the variance leaves out.
 */
static void
test_keys_of_grown_filters(void)
{
	static const struct
	{
		double		fpp;
		unsigned	growth;
		uint64_t	nkeys;
		double		bias;
	}			cases[] = {
		{0.01, 1, 6000, 0.003},
		{0.01, 2, 6000, 0.003},
		{0.1, 1, 4000, 0.01},
		{0.1, 2, 6000, 0.01},
		{0.1, 3, 6000, 0.01},
		{0.2, 2, 6000, 0.02},
	};
	enum
	{
		NSETS = 100
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		double		nkeys = (double) cases[i].nkeys;
		double		sum = 0.0;
		double		squares = 0.0;
		double		variances = 0.0;
		double		mean;
		double		ratio;

		for (int set = 0; set < NSETS; set++)
		{
			double		variance;
			double		keys = keys_of_grown(cases[i].fpp, cases[i].growth,
											 (uint64_t) set * cases[i].nkeys,
											 cases[i].nkeys, &variance);

			sum += keys;
			squares += keys * keys;
			variances += variance;
		}
		mean = sum / NSETS;
		ratio = sqrt((squares / NSETS - mean * mean) / (variances / NSETS));
		CASE("%" PRIu64 " keys, fpp %g, growth %u: mean %.1f, deviation %.3f of what is expected",
			 cases[i].nkeys, cases[i].fpp, cases[i].growth, mean, ratio);
		CHECK(fabs(mean / nkeys - 1.0) < cases[i].bias);
		CHECK(ratio > 0.8 && ratio < (cases[i].growth == 1 ? 1.5 : 1.25));
	}
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
	TEST(test_layers_before_a_layer),
	TEST(test_layers_of_other_filters),
	TEST(test_layers_that_are_not_full),
	TEST(test_layers_that_tell_nothing),
	TEST(test_lower_bound_of_layers),
	TEST(test_merged_layers),
	TEST(test_keys_of_grown_filters),
	TEST(test_estimates_without_layers),
	TEST(test_estimates_at_the_extremes),
	TEST(test_saturated_when_overfull),
	TEST(test_a_full_layer_is_not_saturated),
	END_OF_TESTS
};
