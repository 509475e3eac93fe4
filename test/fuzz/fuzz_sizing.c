/*
 * fuzz_sizing.c
 *	  Fuzz target: from capacities and rates to layers, and back.
 *
 * Guards against sizes that overflow or round to nothing: 4 billion probes for a rate of
 * 2 (RedisBloom 10), no bits for three keys at 99 % (RedisBloom 720), a rate of 1.6 %
 * instead of 1e-7 at one key (Guava 2767).
 *
 *		8 bytes	capacity, shifted right by
 *		1		this
 *		8		rate: a double, or a number of halvings if it is not between 0 and 1
 *		8		number of blocks
 *		1		probes
 *		8		bits set
 */
#include "fuzz.h"

#include <math.h>

#include "core/cuckoo.h"
#include "core/estimate.h"
#include "core/sizing.h"

static void
require_blocks(uint64_t capacity, double fpp)
{
	BbfGeometry geometry = bbf_size_blocks(capacity, fpp);
	double		load;

	REQUIRE(geometry.nbins >= 1);
	REQUIRE(geometry.key_bits >= 1 && geometry.key_bits <= BBF_MAX_PROBES);
	if (geometry.nbins > BBF_MAX_BLOCKS)
		return;
	REQUIRE(bbf_size_class_below((uint32_t) geometry.nbins) == geometry.nbins);
	REQUIRE(geometry.full_at < geometry.nbins * BBF_BLOCK_BITS);

	/* the rate is kept, and by the number of keys that it was made for */
	load = (double) capacity / (double) geometry.nbins;
	REQUIRE(bbf_model_rate(load, geometry.key_bits) <= fpp);
	REQUIRE(bbf_held_capacity(capacity, (uint32_t) geometry.nbins, geometry.key_bits,
							  fpp) == capacity);

	/* fewer keys need no more blocks */
	REQUIRE(bbf_size_blocks(capacity - capacity / 2, fpp).nbins <= geometry.nbins);
}

static void
require_capacities(uint64_t capacity, double fpp, uint32_t nblocks, int nprobes)
{
	uint64_t	full_at = 0;
	uint64_t	held = bbf_capacity_of_blocks(nblocks, nprobes, fpp, &full_at);
	uint64_t	within = bbf_capacity_within(capacity, fpp, nblocks);

	if (held > 0)
	{
		REQUIRE(full_at < (uint64_t) nblocks * BBF_BLOCK_BITS);
		REQUIRE(bbf_model_rate((double) held / nblocks, nprobes) <= fpp);
	}
	REQUIRE(bbf_held_capacity(capacity, nblocks, nprobes, fpp) <= capacity);
	REQUIRE(within <= capacity);
	if (within > 0)
		REQUIRE(bbf_size_blocks(within, fpp).nbins <= nblocks);
	if (within < capacity)
		REQUIRE(bbf_size_blocks(within + 1, fpp).nbins > nblocks);
}

static void
require_buckets(uint64_t capacity, double fpp)
{
	BbfGeometry geometry = bbf_size_buckets(capacity, fpp);

	REQUIRE(geometry.key_bits >= 0 && geometry.key_bits <= BBF_MAX_FINGERPRINT_BITS);
	REQUIRE(geometry.nbins >= 2 && geometry.nbins % 2 == 0);
	REQUIRE(geometry.nbins >= capacity / BBF_BUCKET_PLACES);
	if (geometry.key_bits > 0 && geometry.nbins <= UINT32_MAX / BBF_BUCKET_PLACES)
		REQUIRE(bbf_fpp_of_fingerprints((uint32_t) geometry.nbins, geometry.key_bits,
										geometry.nbins * BBF_BUCKET_PLACES) <= fpp * 1.000001);
}

static void
require_estimates(uint32_t nblocks, uint32_t other, int nprobes, uint64_t nset)
{
	BbfLayer	a = {.nbins = nblocks,.key_bits = nprobes,.nset = nset};
	BbfLayer	b = {
		.nbins = other,
		.key_bits = BBF_MAX_PROBES + 1 - nprobes,
		.nset = nset % ((uint64_t) other * BBF_BLOCK_BITS),
	};
	double		keys;
	double		b_keys;
	double		both;
	double		fpp = bbf_fpp_of_bits(nblocks, nprobes, nset);

	REQUIRE(fpp >= 0.0 && fpp <= 1.0);
	keys = bbf_keys_from_bits(nblocks, nprobes, nset);
	REQUIRE(isfinite(keys) && keys >= 0.0);

	/* what they have in common, by any share of bits that are unset in both */
	b_keys = bbf_keys_from_bits(other, b.key_bits, b.nset);
	both = fmin(keys, b_keys) / 3;
	REQUIRE(isfinite(bbf_variance_of_common(&a, &b, keys - both, b_keys - both, both)));
	REQUIRE(isfinite(bbf_variance_of_common(&b, &a, b_keys - both, keys - both, both)));
	for (double share = 1.0; share > 1e-10; share *= 0.1)
		REQUIRE(isfinite(bbf_common_keys(&a, &b, share)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint64_t	capacity = take64(&input);
	uint64_t	bits;
	uint64_t	root;
	double		fpp;
	uint32_t	nblocks;
	uint32_t	other;
	int			nprobes;
	double		rate;

	capacity = (capacity >> take8(&input) % 64) % INT64_MAX + 1;
	bits = take64(&input);
	memcpy(&fpp, &bits, sizeof(fpp));
	if (!(fpp > 0.0 && fpp < 1.0))
		fpp = ldexp(0.5 + 0.499 * (double) (bits % 1000) / 1000, -(int) (bits / 1000 % 1074));
	nblocks = bbf_size_class_below((uint32_t) (take64(&input) % BBF_MAX_BLOCKS) + 1);
	nprobes = take8(&input) % BBF_MAX_PROBES + 1;
	bits = take64(&input);

	require_blocks(capacity, fpp);
	if (bits % 8 == 0)
		require_capacities(capacity, fpp, nblocks, nprobes);
	require_buckets(capacity, fpp);
	root = bbf_square_root(bits);
	REQUIRE(root <= UINT32_MAX && root * root <= bits);
	REQUIRE(root == UINT32_MAX || (root + 1) * (root + 1) > bits);
	other = bbf_size_class_below((uint32_t) (bits % nblocks) + 1);
	REQUIRE(other <= nblocks && nblocks % bbf_greatest_common_divisor(nblocks, other) == 0);
	require_estimates(nblocks, other, nprobes, bits % ((uint64_t) nblocks * BBF_BLOCK_BITS + 1));
	rate = bbf_merged_rate(nblocks, bits % ((uint64_t) nblocks * BBF_BLOCK_BITS + 1),
						   other, bits % ((uint64_t) other * BBF_BLOCK_BITS + 1), nprobes);
	REQUIRE(rate >= 0.0 && rate <= 1.0);
	return 0;
}
