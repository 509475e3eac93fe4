/*
 * dummy.c
 *	  The routine of the dummy.
 */
#include "dummy.h"

#include "core/blocked.h"
#include "core/bytes.h"

static uint32_t
bin_of(const BbfLayer *layer, uint64_t hash)
{
	return bbf_block_index(hash, layer->nbins);
}

static uint32_t
fingerprint_of(const BbfLayer *layer, uint64_t hash)
{
	uint32_t	fingerprint = (uint32_t) hash & (UINT32_MAX >> (32 - layer->key_bits));

	return fingerprint > 0 ? fingerprint : 1;
}

static size_t
bin_bytes(const BbfLayer *layer)
{
	return DUMMY_PLACES * (size_t) layer->key_bits / 8;
}

static uint32_t
get_place(const unsigned char *bin, int key_bits, int i)
{
	return key_bits == 8 ? bin[i] :
		key_bits == 16 ? bbf_get16(bin + 2 * i) : bbf_get32(bin + 4 * i);
}

static void
put_place(unsigned char *bin, int key_bits, int i, uint32_t fingerprint)
{
	if (key_bits == 8)
		bin[i] = (unsigned char) fingerprint;
	else if (key_bits == 16)
		bbf_put16(bin + 2 * i, (uint16_t) fingerprint);
	else
		bbf_put32(bin + 4 * i, fingerprint);
}

/* Insert a fingerprint into a bin; false if all its places are taken. */
static bool
insert(unsigned char *bin, int key_bits, uint32_t fingerprint)
{
	int			i = DUMMY_PLACES - 1;

	if (get_place(bin, key_bits, i) != 0)
		return false;
	for (; i > 0; i--)
	{
		uint32_t	before = get_place(bin, key_bits, i - 1);

		if (before != 0 && before <= fingerprint)
			break;
		put_place(bin, key_bits, i, before);
	}
	put_place(bin, key_bits, i, fingerprint);
	return true;
}

bool
bbf_dummy_build(BbfLayer *layer, unsigned char *bins, const uint64_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		unsigned char *bin = bins + bin_of(layer, hashes[i]) * bin_bytes(layer);

		if (!insert(bin, layer->key_bits, fingerprint_of(layer, hashes[i])))
			return false;
	}
	layer->nset = n;
	return true;
}

static unsigned
dummy_bin_bits(int key_bits)
{
	return DUMMY_PLACES * (unsigned) key_bits;
}

/* The rate at a mean of load fingerprints a bin. */
static double
rate(double load, int key_bits)
{
	double		fpp = load / (double) (UINT32_MAX >> (32 - key_bits));

	return fpp < 1.0 ? fpp : 1.0;
}

static BbfGeometry
dummy_size(uint64_t capacity, double fpp)
{
	BbfGeometry geometry = {.nbins = capacity / DUMMY_LOAD + 1};

	for (int key_bits = 32; key_bits >= 8; key_bits /= 2)
	{
		if (rate(DUMMY_LOAD, key_bits) <= fpp)
			geometry.key_bits = key_bits;
	}
	return geometry;
}

static const char *
dummy_check_layer(const BbfLayer *layer)
{
	if (layer->key_bits != 8 && layer->key_bits != 16 && layer->key_bits != 32)
		return "The length of a fingerprint is not 8, 16 or 32 bits.";
	if (layer->nbins < 1 || layer->nbins > BBF_MAX_BYTES / bin_bytes(layer))
		return "The number of bins is not possible.";
	if (layer->full_at != 0)
		return "A dummy filter has a limit on bits set.";
	if (layer->nset > (uint64_t) layer->nbins * DUMMY_PLACES)
		return "There are more fingerprints than places.";
	return NULL;
}

static bool
dummy_check_bins(const BbfLayer *layer, const unsigned char *bins, uint64_t *nset)
{
	*nset = 0;
	for (uint32_t b = 0; b < layer->nbins; b++)
	{
		const unsigned char *bin = bins + b * bin_bytes(layer);
		uint32_t	before = 1;
		bool		is_over = false;

		for (int i = 0; i < DUMMY_PLACES; i++)
		{
			uint32_t	fingerprint = get_place(bin, layer->key_bits, i);

			if (fingerprint != 0 && (is_over || fingerprint < before))
				return false;
			*nset += fingerprint != 0;
			is_over = fingerprint == 0;
			before = fingerprint;
		}
	}
	return true;
}

static uint64_t
dummy_count_set(const BbfLayer *layer, const unsigned char *bins)
{
	uint64_t	nset;

	(void) dummy_check_bins(layer, bins, &nset);
	return nset;
}

static double
dummy_keys(const BbfLayer *layer)
{
	return (double) layer->nset;
}

static bool
dummy_tells_keys(const BbfLayer *layer)
{
	(void) layer;
	return true;
}

static double
dummy_fpp(const BbfLayer *layer)
{
	return rate((double) layer->nset / layer->nbins, layer->key_bits);
}

static double
dummy_fpp_of_keys(const BbfGeometry *geometry, double keys)
{
	return rate(keys / (double) geometry->nbins, geometry->key_bits);
}

static bool
dummy_is_saturated(const BbfLayer *layer)
{
	return layer->nset > layer->capacity;
}

static int
dummy_find_spans(const BbfLayer *layer, uint64_t hash, BbfSpan *spans)
{
	spans[0].offset = bin_of(layer, hash) * bin_bytes(layer);
	spans[0].length = bin_bytes(layer);
	return 1;
}

static int
dummy_count_in_spans(const BbfLayer *layer, uint64_t hash, const unsigned char *const *spans)
{
	uint32_t	fingerprint = fingerprint_of(layer, hash);

	for (int i = 0; i < DUMMY_PLACES; i++)
	{
		if (get_place(spans[0], layer->key_bits, i) == fingerprint)
			return 1;
	}
	return 0;
}

static int
dummy_count(const BbfLayer *layer, const unsigned char *bins, uint64_t hash)
{
	const unsigned char *bin = bins + bin_of(layer, hash) * bin_bytes(layer);

	return dummy_count_in_spans(layer, hash, &bin);
}

const BbfKindRoutine bbf_dummy_routine = {
	.kind = BBF_KIND_DUMMY,
	.name = "dummy",
	.has_list = true,
	.skips_present = true,
	.wrong_traits = "A dummy filter has no growth, no flags, and one layer at most.",
	.layer_repeats_header = true,
	.max_bin_nset = DUMMY_PLACES,
	.bytes_per_key = 8.0,
	.bin_bits = dummy_bin_bits,
	.size = dummy_size,
	.check_layer = dummy_check_layer,
	.wrong_bins = "The bins are not as full as the record of the layer says, or not in order.",
	.check_bins = dummy_check_bins,
	.count_set = dummy_count_set,
	.keys = dummy_keys,
	.tells_keys = dummy_tells_keys,
	.fpp = dummy_fpp,
	.fpp_of_keys = dummy_fpp_of_keys,
	.is_saturated = dummy_is_saturated,
	.count = dummy_count,
	.find_spans = dummy_find_spans,
	.count_in_spans = dummy_count_in_spans,
};
