/*
 * estimate.c
 *	  Inverts the expected number of bits set, computes the error of that for
 *	  keys in common, and takes the rate from the model of sizing.c or, for few
 *	  blocks, its own.
 */
#include "core/estimate.h"

#include <math.h>

#include "core/blocked.h"
#include "core/sizing.h"

/*
 * The probability that a key with nprobes probes sets a given bit of its
 * block.
 */
static double
sets_bit(int block_bits, int nprobes)
{
	return -expm1(nprobes * log1p(-1.0 / block_bits));
}

/*
 * n keys set nbits * (1 - (1 - a)^n) bits on average, where a is the
 * probability that a key sets a given bit (full_layer in sizing.c).  Solved
 * for n; log1p and expm1 keep the digits of small numbers.
 */
double
bbf_keys_from_bits_of(int block_bits, uint32_t nblocks, int nprobes, uint64_t nset)
{
	double		nbits = (double) nblocks * block_bits;
	double		set = (double) nset;

	/* with all bits set, any number of keys is possible: return the least */
	if (set > nbits - 0.5)
		set = nbits - 0.5;
	return log1p(-set / nbits) / log1p(-sets_bit(block_bits, nprobes) / nblocks);
}

double
bbf_keys_from_bits(uint32_t nblocks, int nprobes, uint64_t nset)
{
	return bbf_keys_from_bits_of(BBF_BLOCK_BITS, nblocks, nprobes, nset);
}

/*
 * How often was one fpp halved to get the other, as growth does exactly?  0:
 * never.
 */
static int
count_halvings(double fpp, double other)
{
	int			exponent;
	int			other_exponent;

	if (frexp(fpp, &exponent) != frexp(other, &other_exponent) || exponent < other_exponent)
		return 0;
	return exponent - other_exponent;
}

/* The least capacity after so many further layers. */
static double
grown_capacity(const BbfLayerKeys *layer, int growth, int halvings)
{
	return layer->capacity * pow(growth, halvings);
}

/* Set is_next and is_compared. */
static void
compare_capacities(BbfLayerKeys *layers, unsigned nlayers, int growth)
{
	for (unsigned i = 0; i < nlayers; i++)
	{
		layers[i].is_next = layers[i].is_compared = false;
		for (unsigned j = 0; j < nlayers; j++)
			layers[i].is_next |= count_halvings(layers[j].fpp, layers[i].fpp) == 1 &&
				grown_capacity(&layers[j], growth, 1) == layers[i].capacity;
	}
	for (unsigned i = 0; i < nlayers; i++)
	{
		for (unsigned j = 0; j < nlayers; j++)
			layers[i].is_compared |= layers[j].fpp == layers[i].fpp && layers[j].is_next;
	}
}

/*
 * A layer that growth made has growth times the capacity of its predecessor,
 * or of a larger layer of another filter.  A layer that was shrunk, or that is
 * the last one up to the limit on blocks, may have any capacity.  It is
 * usually the only one with its fpp, and is then not compared.
 */
static bool
is_before(const BbfLayerKeys *before, const BbfLayerKeys *layer, int growth, int halvings)
{
	double		grown;

	if (!before->is_full)
		return false;
	if (!layer->is_compared)
		return true;
	grown = grown_capacity(before, growth, halvings);
	return layer->is_next ? grown == layer->capacity : grown <= layer->capacity;
}

/*
 * Of the layers with this fpp that are before a layer: the sum of their keys,
 * and the same with each weighted by the share of other keys that it does not
 * report.
 */
static void
sum_before(const BbfLayerKeys *layers, unsigned nlayers, int growth, double fpp,
		   const BbfLayerKeys *layer, double *keys, double *passing)
{
	int			halvings = count_halvings(fpp, layer->fpp);

	*keys = 0.0;
	*passing = 0.0;
	for (unsigned i = 0; halvings > 0 && i < nlayers; i++)
	{
		if (layers[i].fpp == fpp && is_before(&layers[i], layer, growth, halvings))
		{
			*keys += layers[i].keys;
			*passing += layers[i].keys * (1.0 - layers[i].rate);
		}
	}
}

static bool
is_first_of_fpp(const BbfLayerKeys *layers, unsigned i)
{
	for (unsigned j = 0; j < i; j++)
	{
		if (layers[j].fpp == layers[i].fpp)
			return false;
	}
	return true;
}

/*
 * A key comes to a layer if none of the layers before it reports the key, for
 * each of which the probability is 1 - rate; for layers with the same fpp, the
 * mean of that over their keys.
 */
void
bbf_estimate_added(BbfLayerKeys *layers, unsigned nlayers, int growth)
{
	for (unsigned i = 0; i < nlayers; i++)
		layers[i].added = 1.0;
	if (growth == 0)
		return;
	compare_capacities(layers, nlayers, growth);
	for (unsigned i = 0; i < nlayers; i++)
	{
		if (!is_first_of_fpp(layers, i))
			continue;
		for (unsigned j = 0; j < nlayers; j++)
		{
			double		keys;
			double		passing;

			sum_before(layers, nlayers, growth, layers[i].fpp, &layers[j], &keys, &passing);
			if (keys > 0.0)
				layers[j].added *= passing / keys;
		}
	}
}

double
bbf_share_before(const BbfLayerKeys *layers, unsigned nlayers, int growth,
				 unsigned before, unsigned layer)
{
	const double fpp = layers[before].fpp;
	int			halvings = count_halvings(fpp, layers[layer].fpp);
	double		keys;
	double		passing;

	if (growth == 0 || halvings == 0 ||
		!is_before(&layers[before], &layers[layer], growth, halvings))
		return 0.0;
	sum_before(layers, nlayers, growth, fpp, &layers[layer], &keys, &passing);
	return keys > 0.0 ? layers[before].keys / keys : 0.0;
}

/*
 * Two layers of n and m blocks.  A hash selects one block of each, so hashes
 * fall into ranges, in each of which all select the same two.  Let N <= M be
 * the numbers of blocks divided by their greatest common divisor; the ranges
 * repeat as often as that divisor.  In units of 1 / (N M) of a repetition,
 * blocks end at the multiples of N and of M.  So there are two ranges of each
 * length 1 .. N - 1, and M - N + 1 of length N, which are the blocks of M that
 * are within one of N.
 */
typedef struct Ranges
{
	double		repetitions;
	uint32_t	fewer;			/* N */
	uint32_t	more;			/* M */
} Ranges;

static Ranges
find_ranges(const BbfLayer *a, const BbfLayer *b)
{
	uint32_t	divisor = bbf_greatest_common_divisor(a->nbins, b->nbins);
	Ranges		ranges = {
		.repetitions = divisor,
		.fewer = (a->nbins < b->nbins ? a->nbins : b->nbins) / divisor,
		.more = (a->nbins < b->nbins ? b->nbins : a->nbins) / divisor,
	};

	return ranges;
}

/* How many ranges of a length are there? */
static double
count_ranges(const Ranges *ranges, uint32_t length)
{
	return ranges->repetitions *
		(length < ranges->fewer ? 2.0 : (double) ranges->more - ranges->fewer + 1.0);
}

/* The share of all hashes that are in a range of a length. */
static double
share_of_range(const Ranges *ranges, uint32_t length)
{
	return length / (ranges->repetitions * ranges->fewer * ranges->more);
}

/*
 * ln of the mean over all hashes of e^(both x rise of their range), and its
 * derivative by both.
 */
static double
mean_rise(const Ranges *ranges, const double *rises, double both, double *derivative)
{
	double		sum = 0.0;
	double		slope = 0.0;

	for (uint32_t length = 1; length <= ranges->fewer; length++)
	{
		double		weight = count_ranges(ranges, length) * share_of_range(ranges, length);

		sum += weight * expm1(both * rises[length]);
		slope += weight * rises[length] * exp(both * rises[length]);
	}
	*derivative = slope / (1.0 + sum);
	return log1p(sum);
}

/*
 * Let A have fewer probes.  A key has the same probes in both, of which A sets
 * the first ones.  So a key of both sets no bit of A | B that it does not set
 * in B.
 *
 * Let s be the probability that a key sets a given bit of its block in A, r
 * the same in B, and w the share of the hashes in a range.  In two blocks that
 * share this range, a key leaves a given bit unset in A with probability 1 - s
 * / n, in B with 1 - r / m, and in both with 1 - s / n - r / m + w s, since
 * keys that select both blocks set it in B if they set it in A.  For keys only
 * in A or only in B, the last is the product of the first two.  So the share
 * of bits unset in both is that of A times that of B, times
 *
 *		((1 - s / n - r / m + w s) / ((1 - s / n) (1 - r / m)))^keys in common
 *
 * ln of the base is the rise.  Newton's method solves the equation; it
 * converges because the function is convex.  For layers with the same number
 * of blocks, whose ranges have one length, one step suffices.
 *
 * Size classes have one odd factor below 128, so there are no more lengths
 * than that.
 */
#define MAX_LENGTHS		127

static Ranges
find_rises(const BbfLayer *a, const BbfLayer *b, double *rises)
{
	const bool	swapped = a->key_bits > b->key_bits;
	const Ranges ranges = find_ranges(a, b);
	const double s = sets_bit(BBF_BLOCK_BITS, swapped ? b->key_bits : a->key_bits);
	const double r = sets_bit(BBF_BLOCK_BITS, swapped ? a->key_bits : b->key_bits);
	const double n = swapped ? b->nbins : a->nbins;
	const double m = swapped ? a->nbins : b->nbins;

	for (uint32_t length = 1; length <= ranges.fewer; length++)
		rises[length] = log1p((share_of_range(&ranges, length) - r / (n * m)) * s /
							  ((1.0 - s / n) * (1.0 - r / m)));
	return ranges;
}

/* The share of bits unset; above 0 even for hostile records. */
static double
share_unset(const BbfLayer *layer)
{
	double		nbits = (double) layer->nbins * BBF_BLOCK_BITS;

	return fmax(nbits - (double) layer->nset, 0.5) / nbits;
}

double
bbf_common_keys(const BbfLayer *a, const BbfLayer *b, double both_unset)
{
	double		rises[MAX_LENGTHS + 1];
	Ranges		ranges = find_rises(a, b, rises);
	double		rise = log(both_unset) - log(share_unset(a)) - log(share_unset(b));
	double		both = 0.0;

	for (int i = 0; i < 100; i++)
	{
		double		slope;
		double		mean = mean_rise(&ranges, rises, both, &slope);
		double		step = (rise - mean) / slope;

		both += step;
		if (fabs(step) <= 1e-12 * fabs(both))
			break;
	}
	return both;
}

/*
 * The probability that the first c probes of a key set one given bit of its
 * block, and its first d probes another.  c is not above d.
 */
static double
sets_two_bits(int c, int d)
{
	double		neither = c * log1p(-2.0 / BBF_BLOCK_BITS) + (d - c) * log1p(-1.0 / BBF_BLOCK_BITS);

	return sets_bit(BBF_BLOCK_BITS, c) + sets_bit(BBF_BLOCK_BITS, d) + expm1(neither);
}

/*
 * The variance for ranges that each have the same share of the hashes and are
 * whole blocks of one layer.  Near its mean, a logarithm is linear, so the
 * estimate deviates by D / slope, where D is the mean, over all bits, of
 *
 *		d = Iab / E(Iab) - Ia / E(Ia) - Ib / E(Ib) + 1
 *
 * in which an I is 1 where a bit of the block is unset, else 0.  The keys are
 * taken as Poisson distributed: in_a and in_b are in a block, and in_both of
 * those of A also in B.  Then ln (E(I J) / (E(I) E(J))) is the sum, over the
 * keys that I and J both see, of the probability that one sets both, which
 * are the same bit, or two bits.  The number of keys in common is fixed, not
 * Poisson distributed; callers subtract it.  A has not more probes than B.
 */
static double
variance_of_ranges(const BbfLayer *a, double in_a, const BbfLayer *b, double in_b,
				   double in_both, double share, double slope)
{
	const double s = sets_bit(BBF_BLOCK_BITS, a->key_bits);
	const double r = sets_bit(BBF_BLOCK_BITS, b->key_bits);
	const double aa = sets_two_bits(a->key_bits, a->key_bits);
	const double ab = sets_two_bits(a->key_bits, b->key_bits);
	const double bb = sets_two_bits(b->key_bits, b->key_bits);
	double		same_bit = expm1((in_a - in_both) * s + in_b * r) -
		expm1(in_a * s) - expm1(in_b * r) + 2.0 * expm1(in_both * s);
	double		two_bits = expm1((in_a - in_both) * aa + in_b * bb) +
		expm1(in_a * aa) - expm1(in_b * bb) -
		2.0 * expm1((in_a - in_both) * aa + in_both * ab) + 2.0 * expm1(in_both * ab);

	return share / (slope * slope) *
		(same_bit + (BBF_BLOCK_BITS - 1) * two_bits) / BBF_BLOCK_BITS;
}

/*
 * With ranges of one length, that is all.  The sum over all pairs of ranges of
 * other lengths is bounded by a sum of four variances, which are as if all had
 * the length of the longest, with its slope or that of all, their mean
 * length, or the root of their mean square.  The factors are fitted: of 3
 * million random pairs of layers with up to 24 probes that were up to 98 %
 * full, this was 1.01 times that sum at least, and above twice in 13, all of
 * them fuller than 90 %.
 */
double
bbf_variance_of_common(const BbfLayer *a, const BbfLayer *b,
					   double only_a, double only_b, double both)
{
	double		rises[MAX_LENGTHS + 1];
	const Ranges ranges = find_rises(a, b, rises);
	const double in_a = (only_a + both) / a->nbins;
	const double in_b = (only_b + both) / b->nbins;
	const double longest = share_of_range(&ranges, ranges.fewer);
	double		mean = 0.0;
	double		mean_square = 0.0;
	double		slope;
	double		variance;

	if (a->key_bits > b->key_bits)
		return bbf_variance_of_common(b, a, only_b, only_a, both);
	variance = variance_of_ranges(a, in_a, b, in_b, both * longest, longest,
								  rises[ranges.fewer]) - both;
	if (ranges.fewer > 1)
	{
		for (uint32_t length = 1; length <= ranges.fewer; length++)
		{
			double		share = share_of_range(&ranges, length);
			double		weight = count_ranges(&ranges, length) * share;

			mean += weight * share;
			mean_square += weight * share * share;
		}
		(void) mean_rise(&ranges, rises, both, &slope);
		variance = 1.42 * variance -
			0.58 * (variance_of_ranges(a, in_a, b, in_b, both * longest, longest, slope) - both) -
			0.66 * (variance_of_ranges(a, in_a, b, in_b, both * mean, mean, slope) - both) +
			1.585 * (variance_of_ranges(a, in_a, b, in_b, both * sqrt(mean_square), longest, slope) - both);
	}
	/* with one probe and the same keys nothing is left but rounding */
	return fmax(variance, 0.0);
}

/*
 * The rate of one of nblocks blocks that has nkeys keys: the mean of (X /
 * 512)^k for X bits set.  After m = k nkeys probes, a given bit is unset with
 * probability u = (511/512)^m, and two given bits with v = (510/512)^m, so X /
 * 512 has the mean q = 1 - u and the variance (u q + 511 (v - u^2)) / 512,
 * reduced by one nblocks-th since the sum over all blocks is known.  X is so
 * close to its mean that its k-th power can be treated as log-normal: q^k e^(k
 * (k - 1) / 2 * variance / q^2).
 */
static double
rate_of_block(double nkeys, double nblocks, int nprobes)
{
	const double one_bit = log1p(-1.0 / BBF_BLOCK_BITS);
	const double two_bits = log1p(-2.0 / BBF_BLOCK_BITS);
	double		m = nprobes * nkeys;
	double		u = exp(m * one_bit);
	double		q = -expm1(m * one_bit);
	double		variance;

	if (nkeys == 0.0)
		return 0.0;

	/* v - u^2, without losing the digits of small numbers */
	variance = (u * q + (BBF_BLOCK_BITS - 1) * u * u * expm1(m * (two_bits - 2.0 * one_bit))) /
		BBF_BLOCK_BITS;
	variance *= 1.0 - 1.0 / nblocks;
	return fmin(1.0, bbf_power(q, (uint64_t) nprobes) *
				exp(0.5 * nprobes * (nprobes - 1) * variance / (q * q)));
}

/*
 * The mean of rate_of_block() over a binomial distribution of the keys of a
 * block: nkeys, each in any of nblocks blocks, at least 2.
 *
 * Weights are relative to that of the most likely number and follow from
 * their neighbours.  Upwards the terms matter until the rest cannot change
 * the result, since rare crowded blocks cause most false positives of a
 * sparse filter; downwards until the weights are lost in rounding.
 */
static double
mean_over_loads(double nkeys, double nblocks, int nprobes)
{
	const double load = nkeys / nblocks;
	const double odds = 1.0 / (nblocks - 1.0);
	double		rate = 0.0;
	double		total = 0.0;
	double		weight = 1.0;

	for (double j = floor(load);; j++)
	{
		rate += weight * rate_of_block(j, nblocks, nprobes);
		total += weight;

		/* estimates are not whole: the last number is the first past nkeys */
		weight *= fmax(0.0, nkeys - j) / (j + 1.0) * odds;

		/*
		 * The weights from here on sum up to at most weight * (j + 2) / (j +
		 * 2 - load): a geometric series.
		 */
		if (weight == 0.0 ||
			weight * (j + 2.0) < 1e-9 * rate * (j + 2.0 - load))
			break;
	}

	weight = 1.0;
	for (double j = floor(load); j > 0.0 && weight > 1e-18; j--)
	{
		weight *= j / ((nkeys - j + 1.0) * odds);
		rate += weight * rate_of_block(j - 1.0, nblocks, nprobes);
		total += weight;
	}
	return rate / total;
}

/*
 * The Poisson distribution of sizing.c allows for crowded blocks that a few
 * keys cannot produce.  For one block of 16 probes, half full, its rate is 5.4
 * times too high; for 2 blocks, twice; for 5 blocks, by 25 %; for 16, by 4 %.
 * From here on, it is between 5 % too high and 8 % too low, since it ignores
 * that blocks with the same number of keys differ, too.  (Simulated, with 6 to
 * 16 probes, half full and fuller.)
 */
#define FEW_BLOCKS	16

double
bbf_fpp_of_bits(uint32_t nblocks, int nprobes, uint64_t nset)
{
	const uint64_t nbits = (uint64_t) nblocks * BBF_BLOCK_BITS;
	double		nkeys;

	if (nset == 0)
		return 0.0;
	if (nset == nbits)
		return 1.0;
	if (nblocks == 1)
		return bbf_power((double) nset / (double) nbits, (uint64_t) nprobes);

	nkeys = bbf_keys_from_bits(nblocks, nprobes, nset);
	if (nblocks < FEW_BLOCKS)
		return mean_over_loads(nkeys, nblocks, nprobes);
	return bbf_model_rate(nkeys / nblocks, nprobes);
}

/*
 * The two buckets of a key have 2 * nstored / nbuckets fingerprints on
 * average, each of which is one of 2^f - 1.
 */
double
bbf_fpp_of_fingerprints(uint32_t nbuckets, int f, uint64_t nstored)
{
	double		compared = 2.0 * (double) nstored / nbuckets;
	double		equal = 1.0 / (double) (((uint64_t) 1 << f) - 1);

	return -expm1(compared * log1p(-equal));
}
