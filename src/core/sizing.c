/*
 * sizing.c
 *	  Computes rates by the model, and searches for the geometry with the rate
 *	  that is wanted; with the same result on every machine.
 */
#include "core/sizing.h"

#include <float.h>
#include <stdbool.h>

#include "core/blocked.h"

/* Excess precision would make other bytes (and so would -ffast-math). */
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "doubles must be evaluated as doubles: on 32-bit x86 use -msse2 -mfpmath=sse"
#endif

double
bbf_power(double x, uint64_t n)
{
	double		result = 1.0;

	for (; n > 0; n >>= 1)
	{
		if (n & 1)
			result *= x;
		x *= x;
	}
	return result;
}

/*
 * Mean of fill(j)^k over a Poisson distribution of the load j.
 *
 * Weights are relative to that of the most likely load, so no exponential is
 * needed: they follow from their neighbours, and the sum of weights divides
 * the result.  Upwards the terms matter until the rest cannot change the
 * result, since rare crowded blocks cause most false positives of a sparse
 * filter; downwards until the weights are lost in rounding.
 */
static double
sum_over_loads(double load, int nprobes, double block_bits)
{
	const double unset_by_key = bbf_power((block_bits - 1.0) / block_bits, (uint64_t) nprobes);
	const uint64_t mode = (uint64_t) load;
	const double unset_at_mode = bbf_power(unset_by_key, mode);
	double		rate = 0.0;
	double		total = 0.0;
	double		weight = 1.0;
	double		unset = unset_at_mode;

	for (uint64_t j = mode;; j++)
	{
		rate += weight * bbf_power(1.0 - unset, (uint64_t) nprobes);
		total += weight;
		weight *= load / (double) (j + 1);
		unset *= unset_by_key;

		/*
		 * Past the mode, the weights from here on sum up to at most weight *
		 * (j + 2) / (j + 2 - load): a geometric series.  Of hardly any load,
		 * weight and rate vanish.
		 */
		if (weight == 0.0 ||
			weight * (double) (j + 2) < 1e-9 * rate * ((double) (j + 2) - load))
			break;
	}

	weight = 1.0;
	unset = unset_at_mode;
	for (uint64_t j = mode; j > 0 && weight > 1e-18; j--)
	{
		weight *= (double) j / load;
		unset /= unset_by_key;
		rate += weight * bbf_power(1.0 - unset, (uint64_t) nprobes);
		total += weight;
	}
	return rate / total;
}

/*
 * With 40 probes for each bit of a block none is left unset, to within the
 * precision of a double; the sum above would take for ever to say so.
 */
#define MAX_PROBES_PER_BIT	40

double
bbf_model_rate_of(int block_bits, double load, int nprobes)
{
	if (load > MAX_PROBES_PER_BIT * block_bits)
		return 1.0;
	return sum_over_loads(load, nprobes, block_bits);
}

double
bbf_model_rate(double load, int nprobes)
{
	return bbf_model_rate_of(BBF_BLOCK_BITS, load, nprobes);
}

uint64_t
bbf_square_root(uint64_t n)
{
	uint64_t	root = 0;

	for (uint64_t bit = (uint64_t) 1 << 31; bit > 0; bit >>= 1)
	{
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	}
	return root;
}

/* Two of Newton's steps from the root of the whole part. */
static double
double_square_root(double x)
{
	uint64_t	whole = bbf_square_root(x < 4e18 ? (uint64_t) x : (uint64_t) 4e18);
	double		root = (double) (whole > 0 ? whole : 1);

	root = 0.5 * (root + x / root);
	return 0.5 * (root + x / root);
}

/* The state of a layer at the moment when it is full. */
typedef struct FullLayer
{
	double		nset;			/* bits set */
	double		nkeys;			/* keys that set this number, on average */
} FullLayer;

/*
 * A layer is full at the number of bits that its capacity of keys is expected
 * to set, plus four standard deviations: with the bare expectation half of
 * all filters would be full at exactly their capacity, with this one in
 * 30,000.  That is some keys more than the capacity: at a rate of 1 % about
 * 100 of 10,000 keys, 1,000 of a million.
 *
 * A key leaves a given bit unset with probability 1 - a, two given bits of
 * one block with 1 - b.  Bits of different blocks are slightly less likely
 * to be unset together than if they were independent, since the number of
 * keys is fixed: (1 - 2a)^n = (1 - a)^2n (1 - (a / (1 - a))^2)^n, of which the
 * first term in n is enough.
 */
static FullLayer
full_layer(uint64_t capacity, uint64_t nblocks, int nprobes)
{
	const double nbits = (double) nblocks * BBF_BLOCK_BITS;
	const double a = (1.0 - bbf_power(511.0 / 512.0, (uint64_t) nprobes)) / (double) nblocks;
	const double b = (1.0 - bbf_power(510.0 / 512.0, (uint64_t) nprobes)) / (double) nblocks;
	const double unset = bbf_power(1.0 - a, capacity);
	const double both_unset = bbf_power(1.0 - b, capacity);
	double		variance;
	double		slack;
	double		unset_when_full;
	FullLayer	full;

	variance = nbits * (unset + (BBF_BLOCK_BITS - 1) * both_unset -
						BBF_BLOCK_BITS * unset * unset);
	variance -= nbits * (nbits - BBF_BLOCK_BITS) * unset * unset *
		(double) capacity * (a / (1.0 - a)) * (a / (1.0 - a));
	if (variance < 0.0)
		variance = 0.0;
	slack = 4.0 * (double_square_root(variance) + 1.0);

	/* a layer whose bits are all set is full in any case */
	full.nset = nbits * (1.0 - unset) + slack;
	if (full.nset > nbits - 1.0)
		full.nset = nbits - 1.0;

	/*
	 * Past its capacity, each key sets the share a of the bits that are still
	 * unset; their number is taken as the mean of that at capacity and that
	 * when full.
	 */
	unset_when_full = 1.0 - full.nset / nbits;
	full.nkeys = (double) capacity +
		slack / (nbits * a * 0.5 * (unset + unset_when_full));
	return full;
}

/*
 * Choose among the rates with 1 .. n probes, which fall up to the best,
 * rates[n] or rates[n - 1].  Returns the smallest number of probes whose rate
 * is within 1 % of the best, and also at most fpp if the best is; and stores
 * that rate.
 */
static int
choose_probes(const double *rates, int n, double fpp, double *rate)
{
	double		best = rates[n];
	double		bound;
	int			nprobes = 1;

	if (n > 1 && rates[n - 1] < best)
		best = rates[n - 1];
	bound = best * 1.01;
	if (bound > fpp && best <= fpp)
		bound = fpp;
	while (rates[nprobes] > bound)
		nprobes++;

	*rate = rates[nprobes];
	return nprobes;
}

/* The rate falls, then rises with the number of probes. */
static bool
is_past_best(const double *rates, int n)
{
	return n == BBF_MAX_PROBES || (n > 1 && rates[n] > rates[n - 1]);
}

int
bbf_best_probes_of(int block_bits, double load, double *rate)
{
	double		rates[BBF_MAX_PROBES + 1];
	int			n = 0;

	do
	{
		n++;
		rates[n] = bbf_model_rate_of(block_bits, load, n);
	} while (!is_past_best(rates, n));
	return choose_probes(rates, n, 1.0, rate);
}

int
bbf_best_probes(double load, double *rate)
{
	return bbf_best_probes_of(BBF_BLOCK_BITS, load, rate);
}

/* bbf_best_probes for the rate of a layer at the moment when it is full. */
static int
best_probes_when_full(uint64_t capacity, uint64_t nblocks, double fpp,
					  double *rate)
{
	double		rates[BBF_MAX_PROBES + 1];
	int			n = 0;

	do
	{
		n++;
		rates[n] = bbf_model_rate(full_layer(capacity, nblocks, n).nkeys /
								  (double) nblocks, n);
	} while (!is_past_best(rates, n));
	return choose_probes(rates, n, fpp, rate);
}

/*
 * The size classes in order: 1 .. 127, then m * 2^s with m = 64 .. 127 for
 * each s; the last is 127 * 2^55.
 */
#define HALF_CLASSES		(BBF_SIZE_CLASS_LIMIT / 2)
#define LAST_CLASS		(HALF_CLASSES * 57 - 1)

static uint64_t
size_class(int index)
{
	if (index < BBF_SIZE_CLASS_LIMIT)
		return (uint64_t) index;
	return (uint64_t) (HALF_CLASSES + index % HALF_CLASSES) << (index / HALF_CLASSES - 1);
}

uint32_t
bbf_size_class_below(uint32_t n)
{
	int			shift = 0;

	while (n >> shift >= BBF_SIZE_CLASS_LIMIT)
		shift++;
	return n >> shift << shift;
}

static bool
class_suffices(int index, uint64_t capacity, double fpp)
{
	double		rate;

	(void) best_probes_when_full(capacity, size_class(index), fpp, &rate);
	return rate <= fpp;
}

/*
 * A size class that is certainly not larger than needed: no Bloom filter does
 * with less than 1.44 log2(1 / fpp) bits a key.
 */
static int
lower_bound_of_class(uint64_t capacity, double fpp)
{
	double		bits_per_key = 0.0;
	double		nblocks;
	int			low = 1;
	int			high = LAST_CLASS;

	for (double x = fpp; x <= 0.5; x *= 2.0)
		bits_per_key += 1.44;
	nblocks = (double) capacity * bits_per_key / BBF_BLOCK_BITS;

	while (low < high)
	{
		int			middle = low + (high - low + 1) / 2;

		if ((double) size_class(middle) <= nblocks)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

BbfGeometry
bbf_size_blocks(uint64_t capacity, double fpp)
{
	BbfGeometry geometry = {UINT64_MAX, BBF_MAX_PROBES, 0};
	int			low = lower_bound_of_class(capacity, fpp);
	int			high = low;
	double		rate;

	/* gallop to a class that suffices, then bisect below it */
	for (int step = 4; !class_suffices(high, capacity, fpp); step *= 2)
	{
		if (high == LAST_CLASS)
			return geometry;
		low = high + 1;
		high = LAST_CLASS - high > step ? high + step : LAST_CLASS;
	}
	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (class_suffices(middle, capacity, fpp))
			high = middle;
		else
			low = middle + 1;
	}

	geometry.nbins = size_class(low);
	geometry.key_bits = best_probes_when_full(capacity, geometry.nbins, fpp,
											  &rate);
	if (geometry.nbins <= UINT32_MAX)
		geometry.full_at = (uint64_t) full_layer(capacity, geometry.nbins,
												 geometry.key_bits).nset;
	return geometry;
}

uint64_t
bbf_capacity_within(uint64_t at_most, double fpp, uint32_t max_blocks)
{
	uint64_t	low = 0;
	uint64_t	high = at_most;

	while (low < high)
	{
		uint64_t	middle = low + (high - low + 1) / 2;

		if (bbf_size_blocks(middle, fpp).nbins <= max_blocks)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Is the rate at most fpp when the layer is full? */
static bool
blocks_hold(uint64_t capacity, uint32_t nblocks, int nprobes, double fpp)
{
	double		load = full_layer(capacity, nblocks, nprobes).nkeys / nblocks;

	return bbf_model_rate(load, nprobes) <= fpp;
}

uint64_t
bbf_capacity_of_blocks(uint32_t nblocks, int nprobes, double fpp, uint64_t *full_at)
{
	uint64_t	low = 0;
	uint64_t	high = (uint64_t) nblocks * MAX_PROBES_PER_BIT * BBF_BLOCK_BITS;

	while (low < high)
	{
		uint64_t	middle = low + (high - low + 1) / 2;

		if (blocks_hold(middle, nblocks, nprobes, fpp))
			low = middle;
		else
			high = middle - 1;
	}
	*full_at = (uint64_t) full_layer(low, nblocks, nprobes).nset;
	return low;
}

uint64_t
bbf_held_capacity(uint64_t capacity, uint32_t nblocks, int nprobes, double fpp)
{
	uint64_t	full_at;

	if (blocks_hold(capacity, nblocks, nprobes, fpp))
		return capacity;
	return bbf_capacity_of_blocks(nblocks, nprobes, fpp, &full_at);
}

uint32_t
bbf_greatest_common_divisor(uint32_t a, uint32_t b)
{
	while (b > 0)
	{
		uint32_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * A block of the larger layer takes the bits of one block of the smaller; or
 * of two, where a boundary between two of the smaller falls inside it.  Of
 * the nsmall boundaries (counting the end as one) gcd(nlarge, nsmall)
 * coincide with boundaries of the larger layer, so (nsmall - gcd) / nlarge of
 * its blocks take two.  For example, of 6 blocks into which 4 are merged 2
 * do: number 1, in which 1/4 lies, and number 4, in which 3/4 lies; 1/2 is a
 * boundary of both.
 */
double
bbf_merged_rate(uint32_t nlarge, uint64_t large_nset, uint32_t nsmall,
				uint64_t small_nset, int nprobes)
{
	double		large_unset = 1.0 - (double) large_nset / ((double) nlarge * BBF_BLOCK_BITS);
	double		small_unset = 1.0 - (double) small_nset / ((double) nsmall * BBF_BLOCK_BITS);
	double		share_of_two = (double) (nsmall - bbf_greatest_common_divisor(nlarge, nsmall)) / nlarge;
	double		unset = large_unset * small_unset *
		(1.0 - share_of_two + share_of_two * small_unset);

	return bbf_power(1.0 - unset, (uint64_t) nprobes);
}
