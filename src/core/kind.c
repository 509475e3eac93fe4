/*
 * kind.c
 *	  The routines of the kinds of filters, as kind.h describes them, for
 *	  blocks of bits, blocks of counters, and buckets of fingerprints.
 */
#include "core/kind.h"

#include "core/blocked.h"
#include "core/counting.h"
#include "core/cuckoo.h"
#include "core/estimate.h"

/* The header_reason of a kind without any of these traits */
#define NO_TRAITS	"This kind of filter has no growth, no flags, no list, and one layer at most."

/*
 * Blocks, of bits or of counters: for a layer both are the same, a counter
 * above zero being a set bit.
 */

static const char *
check_blocks(const BbfLayer *layer, uint32_t max_blocks)
{
	if (layer->nbins < 1 || layer->nbins > max_blocks ||
		bbf_size_class_below(layer->nbins) != layer->nbins)
		return "The number of blocks of a layer is not possible.";
	if (layer->key_bits < 1 || layer->key_bits > BBF_MAX_PROBES)
		return "The number of probes of a layer is not between 1 and 24.";
	if (layer->full_at >= (uint64_t) layer->nbins * BBF_BLOCK_BITS)
		return "The limit of a layer on bits set is as high as its number of bits.";
	if (layer->nset > (uint64_t) layer->nbins * BBF_BLOCK_BITS)
		return "A layer claims more bits set than it has.";
	return NULL;
}

static double
blocks_keys(const BbfLayer *layer)
{
	return bbf_keys_from_bits(layer->nbins, layer->key_bits, layer->nset);
}

static bool
blocks_can_estimate_keys(const BbfLayer *layer)
{
	return (uint64_t) layer->nbins * BBF_BLOCK_BITS - layer->nset >= BBF_FEWEST_BITS_UNSET;
}

static double
blocks_fpp(const BbfLayer *layer)
{
	return bbf_fpp_of_bits(layer->nbins, layer->key_bits, layer->nset);
}

static double
blocks_fpp_of_keys(const BbfGeometry *geometry, double keys)
{
	return bbf_model_rate(keys / (double) geometry->nbins, geometry->key_bits);
}

/* The key that made a layer full may have set all its probes. */
static bool
blocks_are_saturated(const BbfLayer *layer)
{
	return layer->nset > layer->full_at + (uint64_t) layer->key_bits ||
		layer->nset == (uint64_t) layer->nbins * BBF_BLOCK_BITS;
}

/*
 * bloom
 */

static const char *
bloom_check_layer(const BbfLayer *layer)
{
	return check_blocks(layer, BBF_MAX_BLOCKS);
}

static uint64_t
bloom_count_set(const BbfLayer *layer, const unsigned char *bins)
{
	return bbf_blocks_count_set(bins, layer->nbins);
}

static bool
bloom_check_bins(const BbfLayer *layer, const unsigned char *bins, uint64_t *nset)
{
	*nset = bloom_count_set(layer, bins);
	return true;
}

static int
bloom_count(const BbfLayer *layer, const unsigned char *bins, uint64_t hash)
{
	return bbf_blocks_contain(bins, layer->nbins, layer->key_bits, hash);
}

static int
bloom_find_spans(const BbfLayer *layer, uint64_t hash, BbfSpan *spans)
{
	spans[0].offset = bbf_block_offset(hash, layer->nbins);
	spans[0].length = BBF_BLOCK_BYTES;
	return 1;
}

static int
bloom_count_in_spans(const BbfLayer *layer, uint64_t hash,
					 const unsigned char *const *spans)
{
	return bbf_block_contains(spans[0], layer->key_bits, hash);
}

static bool
bloom_add(BbfLayer *layer, unsigned char *bins, uint64_t hash)
{
	layer->nset += bbf_blocks_add(bins, layer->nbins, layer->key_bits, hash);
	return true;
}

static void
bloom_add_many(const BbfLayer *layer, unsigned char *bins,
			   const uint64_t *hashes, size_t n)
{
	bbf_blocks_add_many(bins, layer->nbins, layer->key_bits, hashes, n);
}

static void
bloom_unite(const BbfLayer *layer, unsigned char *bins,
			const unsigned char *others)
{
	bbf_blocks_or(bins, others, layer->nbins);
}

static const BbfKindRoutine bloom_routine = {
	.kind = BBF_KIND_BLOOM,
	.name = "bloom",
	.traits = BBF_TRAIT_LIST | BBF_TRAIT_GROWTH | BBF_TRAIT_INTERSECTION |
	BBF_TRAIT_SKIPS_PRESENT | BBF_TRAIT_KEY_BITS_ARE_PROBES |
	BBF_TRAIT_MEETS_FPP | BBF_TRAIT_INLINED,
	.bytes_per_key = 1.25,
	.max_bin_nset = BBF_BLOCK_BITS,
	.fixed_bits = BBF_BLOCK_BITS,
	.size = bbf_size_blocks,
	.check_layer = bloom_check_layer,
	.bins_reason = "The number of bits set in a layer is not what its record says.",
	.check_bins = bloom_check_bins,
	.count_set = bloom_count_set,
	.keys = blocks_keys,
	.can_estimate_keys = blocks_can_estimate_keys,
	.fpp = blocks_fpp,
	.fpp_of_keys = blocks_fpp_of_keys,
	.is_saturated = blocks_are_saturated,
	.count = bloom_count,
	.find_spans = bloom_find_spans,
	.count_in_spans = bloom_count_in_spans,
	.add = bloom_add,
	.add_many = bloom_add_many,
	.unite = bloom_unite,
};

/*
 * counting_bloom
 */

static const char *
counting_check_layer(const BbfLayer *layer)
{
	return check_blocks(layer, BBF_MAX_COUNTER_BLOCKS);
}

static uint64_t
counting_count_set(const BbfLayer *layer, const unsigned char *bins)
{
	return bbf_counters_count_set(bins, layer->nbins);
}

static bool
counting_check_bins(const BbfLayer *layer, const unsigned char *bins,
					uint64_t *nset)
{
	*nset = counting_count_set(layer, bins);
	return true;
}

static int
counting_count(const BbfLayer *layer, const unsigned char *bins, uint64_t hash)
{
	return bbf_counters_count(bins + bbf_counters_offset(hash, layer->nbins),
							  layer->key_bits, hash);
}

static int
counting_find_spans(const BbfLayer *layer, uint64_t hash, BbfSpan *spans)
{
	spans[0].offset = bbf_counters_offset(hash, layer->nbins);
	spans[0].length = BBF_COUNTERS_BYTES;
	return 1;
}

static int
counting_count_in_spans(const BbfLayer *layer, uint64_t hash,
						const unsigned char *const *spans)
{
	return bbf_counters_count(spans[0], layer->key_bits, hash);
}

static bool
counting_add(BbfLayer *layer, unsigned char *bins, uint64_t hash)
{
	layer->nset += bbf_counters_add(bins, layer->nbins, layer->key_bits, hash);
	return true;
}

static void
counting_remove(BbfLayer *layer, unsigned char *bins, uint64_t hash)
{
	layer->nset -= bbf_counters_remove(bins, layer->nbins, layer->key_bits, hash);
}

static void
counting_add_many(const BbfLayer *layer, unsigned char *bins,
				  const uint64_t *hashes, size_t n)
{
	bbf_counters_add_many(bins, layer->nbins, layer->key_bits, hashes, n);
}

static void
counting_unite(const BbfLayer *layer, unsigned char *bins,
			   const unsigned char *others)
{
	bbf_counters_unite(bins, others, layer->nbins);
}

static const BbfKindRoutine counting_routine = {
	.kind = BBF_KIND_COUNTING_BLOOM,
	.name = "counting_bloom",
	.traits = BBF_TRAIT_AGG_ADDS_COPIES | BBF_TRAIT_KEY_BITS_ARE_PROBES |
	BBF_TRAIT_MEETS_FPP,
	.header_reason = NO_TRAITS,
	.saturated_count = BBF_MAX_COUNTER,
	.bytes_per_key = 5.0,
	.max_bin_nset = BBF_BLOCK_BITS,
	.fixed_bits = BBF_COUNTERS_BYTES * 8,
	.size = bbf_size_blocks,
	.check_layer = counting_check_layer,
	.bins_reason = "The number of counters above zero is not what the record of the layer says.",
	.check_bins = counting_check_bins,
	.count_set = counting_count_set,
	.keys = blocks_keys,
	.can_estimate_keys = blocks_can_estimate_keys,
	.fpp = blocks_fpp,
	.fpp_of_keys = blocks_fpp_of_keys,
	.is_saturated = blocks_are_saturated,
	.count = counting_count,
	.find_spans = counting_find_spans,
	.count_in_spans = counting_count_in_spans,
	.add = counting_add,
	.remove = counting_remove,
	.add_many = counting_add_many,
	.unite = counting_unite,
};

/*
 * cuckoo
 */

static const char *
cuckoo_check_layer(const BbfLayer *layer)
{
	if (layer->key_bits < 1 || layer->key_bits > BBF_MAX_FINGERPRINT_BITS)
		return "The length of a fingerprint is not between 1 and 32 bits.";
	if (layer->nbins < 2 || layer->nbins % 2 != 0 ||
		bbf_cuckoo_bytes(layer->nbins, layer->key_bits) > BBF_MAX_BYTES)
		return "The number of buckets is not possible.";
	if (layer->full_at != 0)
		return "A cuckoo filter has a limit on bits set.";
	if (layer->nset > (uint64_t) layer->nbins * BBF_BUCKET_PLACES)
		return "There are more fingerprints than places.";
	return NULL;
}

static uint64_t
cuckoo_count_set(const BbfLayer *layer, const unsigned char *bins)
{
	uint64_t	nstored;

	(void) bbf_cuckoo_check(bins, layer->nbins, layer->key_bits, &nstored);
	return nstored;
}

static bool
cuckoo_check_bins(const BbfLayer *layer, const unsigned char *bins, uint64_t *nset)
{
	return bbf_cuckoo_check(bins, layer->nbins, layer->key_bits, nset);
}

static double
cuckoo_keys(const BbfLayer *layer)
{
	return (double) layer->nset;
}

static bool
cuckoo_can_estimate_keys(const BbfLayer *layer)
{
	(void) layer;
	return true;
}

static double
cuckoo_fpp(const BbfLayer *layer)
{
	return bbf_fpp_of_fingerprints(layer->nbins, layer->key_bits, layer->nset);
}

static double
cuckoo_fpp_of_keys(const BbfGeometry *geometry, double keys)
{
	return bbf_fpp_of_fingerprints((uint32_t) geometry->nbins, geometry->key_bits,
								   (uint64_t) keys);
}

static bool
cuckoo_is_saturated(const BbfLayer *layer)
{
	return layer->nset > layer->capacity;
}

static int
cuckoo_count(const BbfLayer *layer, const unsigned char *bins, uint64_t hash)
{
	return bbf_cuckoo_count(bins, layer->nbins, layer->key_bits, hash);
}

static int
cuckoo_find_spans(const BbfLayer *layer, uint64_t hash, BbfSpan *spans)
{
	BbfCandidates key = bbf_cuckoo_candidates(hash, layer->nbins, layer->key_bits);

	for (int i = 0; i < 2; i++)
	{
		unsigned	first_bit;

		spans[i].length = bbf_bucket_span(key.buckets[i], layer->key_bits,
										  &spans[i].offset, &first_bit);
	}
	return 2;
}

static int
cuckoo_count_in_spans(const BbfLayer *layer, uint64_t hash,
					  const unsigned char *const *spans)
{
	BbfCandidates key = bbf_cuckoo_candidates(hash, layer->nbins, layer->key_bits);
	int			count = 0;

	for (int i = 0; i < 2; i++)
	{
		size_t		offset;
		unsigned	first_bit;

		(void) bbf_bucket_span(key.buckets[i], layer->key_bits, &offset, &first_bit);
		count += bbf_bucket_count(spans[i], first_bit, layer->key_bits,
								  key.fingerprint);
	}
	return count;
}

static bool
cuckoo_add(BbfLayer *layer, unsigned char *bins, uint64_t hash)
{
	if (!bbf_cuckoo_add(bins, layer->nbins, layer->key_bits, hash))
		return false;
	layer->nset++;
	return true;
}

static void
cuckoo_remove(BbfLayer *layer, unsigned char *bins, uint64_t hash)
{
	(void) bbf_cuckoo_remove(bins, layer->nbins, layer->key_bits, hash);
	layer->nset--;
}

static const BbfKindRoutine cuckoo_routine = {
	.kind = BBF_KIND_CUCKOO,
	.name = "cuckoo",
	.traits = BBF_TRAIT_LAYER_REPEATS_HEADER,
	.header_reason = NO_TRAITS,
	.bytes_per_key = 1.25,
	.max_bin_nset = BBF_BUCKET_PLACES,
	.bits_per_key_bit = BBF_BUCKET_PLACES,
	.size = bbf_size_buckets,
	.check_layer = cuckoo_check_layer,
	.bins_reason = "The buckets are not as full as the record of the layer says, or not in order.",
	.check_bins = cuckoo_check_bins,
	.count_set = cuckoo_count_set,
	.keys = cuckoo_keys,
	.can_estimate_keys = cuckoo_can_estimate_keys,
	.fpp = cuckoo_fpp,
	.fpp_of_keys = cuckoo_fpp_of_keys,
	.is_saturated = cuckoo_is_saturated,
	.count = cuckoo_count,
	.find_spans = cuckoo_find_spans,
	.count_in_spans = cuckoo_count_in_spans,
	.add = cuckoo_add,
	.remove = cuckoo_remove,
};

static const BbfKindRoutine no_routine = {.kind = BBF_KIND_ANY,.name = "filter"};

const BbfKindRoutine *const bbf_kind_routines[BBF_KIND_MAX + 1] = {
	[BBF_KIND_ANY] = &no_routine,
	[BBF_KIND_BLOOM] = &bloom_routine,
	[BBF_KIND_COUNTING_BLOOM] = &counting_routine,
	[BBF_KIND_CUCKOO] = &cuckoo_routine,
};

double
bbf_geometry_bytes(const BbfKindRoutine *routine, const BbfGeometry *geometry)
{
	double		words = (double) geometry->nbins *
		bbf_bin_bits(routine, geometry->key_bits) / 64;

	/* whole words; from 2^53 on each double is whole */
	if (words < (double) (UINT64_C(1) << 53))
	{
		uint64_t	whole = (uint64_t) words;

		words = (double) (whole + ((double) whole < words));
	}
	return words * 8;
}
