/*
 * estimate.c
 *	  Inverts the expectation of bits set, and takes the rate from the model of
 *	  sizing.c.
 */
#include "core/estimate.h"

#include <math.h>

#include "core/blocked.h"
#include "core/sizing.h"

/*
 * n keys set nbits * (1 - (1 - a)^n) bits on average, where a is the
 * probability that a key sets a given bit (full_layer in sizing.c).  Solved for
 * n; log1p and expm1 keep the digits of small numbers.
 */
double
bbf_keys_from_bits(uint32_t nblocks, int nprobes, uint64_t nset)
{
	double		nbits = (double) nblocks * BBF_BLOCK_BITS;
	double		set = (double) nset;
	double		set_by_key = -expm1(nprobes * log1p(-1.0 / BBF_BLOCK_BITS));

	/* with all bits set any number of keys would do: name the least */
	if (set > nbits - 0.5)
		set = nbits - 0.5;
	return log1p(-set / nbits) / log1p(-set_by_key / nblocks);
}

double
bbf_fpp_of_bits(uint32_t nblocks, int nprobes, uint64_t nset)
{
	if (nset == 0)
		return 0.0;
	if (nset == (uint64_t) nblocks * BBF_BLOCK_BITS)
		return 1.0;
	return bbf_model_rate(bbf_keys_from_bits(nblocks, nprobes, nset) / nblocks,
						  nprobes);
}

/*
 * The two buckets of a key have 2 * nstored / nbuckets fingerprints on average,
 * each of which is one of 2^f - 1.
 */
double
bbf_fpp_of_fingerprints(uint32_t nbuckets, int f, uint64_t nstored)
{
	double		compared = 2.0 * (double) nstored / nbuckets;
	double		equal = 1.0 / (double) (((uint64_t) 1 << f) - 1);

	return -expm1(compared * log1p(-equal));
}
