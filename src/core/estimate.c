/*
 * estimate.c
 *	  Inverts the expectation of bits set, with the error of that for keys in common,
 *	  and takes the rate from the model of sizing.c, or, of few blocks, from one of its own.
 */
#include "core/estimate.h"

#include <math.h>

#include "core/blocked.h"
#include "core/sizing.h"

/* The probability that a key of so many probes sets a given bit of its block. */
static double
sets_bit(int nprobes)
{
	return -expm1(nprobes * log1p(-1.0 / BBF_BLOCK_BITS));
}

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

	/* with all bits set any number of keys would do: name the least */
	if (set > nbits - 0.5)
		set = nbits - 0.5;
	return log1p(-set / nbits) / log1p(-sets_bit(nprobes) / nblocks);
}

/* Is one fpp that of the other, doubled at least once? */
static bool
is_before(double fpp, double other)
{
	int			exponent;
	int			other_exponent;

	return frexp(fpp, &exponent) == frexp(other, &other_exponent) &&
		exponent > other_exponent;
}

/*
 * Growth halves the fpp, which is exact.  A key comes to a layer if it is in none of the
 * layers before it, which is so with probability 1 - rate for each of them: for layers of
 * one fpp, the mean of that over their keys.
 */
void
bbf_estimate_added(BbfLayerKeys *layers, unsigned nlayers)
{
	for (unsigned i = 0; i < nlayers; i++)
		layers[i].added = 1.0;
	for (unsigned i = 0; i < nlayers; i++)
	{
		const double fpp = layers[i].fpp;
		double		keys = 0.0;
		double		passing = 0.0;
		unsigned	first = nlayers;

		for (unsigned j = nlayers; j-- > 0;)
		{
			if (layers[j].fpp != fpp)
				continue;
			first = j;
			keys += layers[j].keys;
			passing += layers[j].keys * (1.0 - layers[j].rate);
		}
		if (first < i || keys == 0.0)
			continue;
		for (unsigned j = 0; j < nlayers; j++)
		{
			if (is_before(fpp, layers[j].fpp))
				layers[j].added *= passing / keys;
		}
	}
}

double
bbf_common_keys(uint32_t nblocks, int a_probes, int b_probes,
				uint64_t a_nset, uint64_t b_nset, uint64_t either_nset)
{
	const int	nprobes = a_probes < b_probes ? a_probes : b_probes;

	return bbf_keys_from_bits(nblocks, nprobes, a_nset) +
		bbf_keys_from_bits(nblocks, nprobes, b_nset) -
		bbf_keys_from_bits(nblocks, nprobes, either_nset);
}

/*
 * The probability that the first c probes of a key set one given bit of its block, and its
 * first d probes another.  c is not above d.
 */
static double
sets_two_bits(int c, int d)
{
	double		neither = c * log1p(-2.0 / BBF_BLOCK_BITS) + (d - c) * log1p(-1.0 / BBF_BLOCK_BITS);

	return sets_bit(c) + sets_bit(d) + expm1(neither);
}

/*
 * Let A have the fewer probes, a of them, and B b.  A key has the same probes in both, of
 * which A sets the first a.  So a key of both adds to A | B what it adds to B.
 *
 * Let x, y, z be the numbers of keys in A alone, in B alone and in both, divided by
 * the number of blocks; taken as Poisson distributed in each block.  A key leaves a
 * given bit of its block unset with probability (1 - 1/512)^a in A; s is 1 minus that, and
 * r the same of B.  So a bit is unset with probability
 *
 *		in A: e^(-(x + z) s)	in B: e^(-(y + z) r)	in A | B: e^(-x s - (y + z) r)
 *
 * and -ln of these, of A and B less A | B, is z s, from which bbf_common_keys() takes z.
 * Near its mean a logarithm is linear, hence the estimate deviates by D * nblocks / s, D
 * being the mean, over all bits, of
 *
 *		d = Iab / E(Iab) - Ia / E(Ia) - Ib / E(Ib) + 1
 *
 * in which an I is 1 where the bit is unset, else 0, and Iab = Ia Ib.  (The sign does
 * not matter.)  Blocks are independent; within a block 512 terms are E(d^2) for the
 * same bit, and 512 * 511 are E(d d') for two bits.
 *
 * Let I and J see whether a bit is unset, the same or another one of the block.  Then
 * ln (E(I J) / (E(I) E(J))) is the sum, over the keys that both see, of the probability that
 * a key sets both.  Of one bit that is s, or r if both see all b probes of the key:
 *
 *		E(d^2) + 1 = e^(x s + (y + z) r) - e^((x + z) s) - e^((y + z) r) + 2 e^(z s)
 *
 * Of two bits, where I sees c probes and J sees d of them, it is t(c, d), below:
 *
 *		E(d d') + 1 = e^(x t(a, a) + (y + z) t(b, b)) + e^((x + z) t(a, a))
 *			- e^((y + z) t(b, b)) - 2 e^(x t(a, a) + z t(a, b)) + 2 e^(z t(a, b))
 *
 * (Each minus 1, since E(d) = 0; as expm1 that keeps the digits of small numbers.)
 *
 * The numbers of keys of a filter are fixed, not Poisson distributed.  Of that
 * variance the estimate follows the share that its derivatives by the three numbers
 * say: 0 by x and y, 1 by z.  It is z in a block, in which the sum of the d is 512 s
 * times the number of keys: z (512 s)^2 less.
 *
 * Simulated: 2000 keys a side, 40 blocks, k = 6; of 0, 1000 and 2000 keys in common
 * the standard deviation was 18.5, 11.2 and 11.2, and the formula says 19.2, 10.9
 * and 11.2.  Of 4 and 7 probes, for 1000 and 2000 keys, 16.4 and 10.5; the formula says
 * 15.5 and 10.7.
 */
double
bbf_variance_of_common(uint32_t nblocks, int a_probes, int b_probes,
					   double only_a, double only_b, double both)
{
	const int	a = a_probes < b_probes ? a_probes : b_probes;
	const int	b = a_probes < b_probes ? b_probes : a_probes;
	const double s = sets_bit(a);
	const double r = sets_bit(b);
	const double t_aa = sets_two_bits(a, a);
	const double t_ab = sets_two_bits(a, b);
	const double t_bb = sets_two_bits(b, b);
	const double x = (a_probes <= b_probes ? only_a : only_b) / nblocks;
	const double y = (a_probes <= b_probes ? only_b : only_a) / nblocks;
	const double z = both / nblocks;
	const double bits_by_key = BBF_BLOCK_BITS * s;
	double		same_bit = expm1(x * s + (y + z) * r) - expm1((x + z) * s) -
		expm1((y + z) * r) + 2.0 * expm1(z * s);
	double		two_bits = expm1(x * t_aa + (y + z) * t_bb) + expm1((x + z) * t_aa) -
		expm1((y + z) * t_bb) - 2.0 * expm1(x * t_aa + z * t_ab) + 2.0 * expm1(z * t_ab);
	double		of_block = BBF_BLOCK_BITS *
		(same_bit + (BBF_BLOCK_BITS - 1) * two_bits) - z * bits_by_key * bits_by_key;

	/*
	 * with one probe and the same keys on both sides nothing is left but
	 * rounding
	 */
	if (of_block < 0.0)
		of_block = 0.0;
	return nblocks * of_block / (bits_by_key * bits_by_key);
}

/*
 * The rate of a block, of nblocks, that has nkeys keys: the mean of (X / 512)^k for X bits
 * set.  With m = k nkeys probes a given bit is unset with probability u = (511/512)^m, and
 * two given bits with v = (510/512)^m, so X / 512 has the mean q = 1 - u and the variance
 * (u q + 511 (v - u^2)) / 512.  That is less by one nblocks-th, as the sum over all blocks
 * is known.  X is so close to its mean that its k-th power can be taken for log-normal:
 * q^k e^(k (k - 1) / 2 * variance / q^2).
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

	/* v - u^2 in a form that keeps the digits of small numbers */
	variance = (u * q + (BBF_BLOCK_BITS - 1) * u * u * expm1(m * (two_bits - 2.0 * one_bit))) /
		BBF_BLOCK_BITS;
	variance *= 1.0 - 1.0 / nblocks;
	return fmin(1.0, bbf_power(q, (uint64_t) nprobes) *
				exp(0.5 * nprobes * (nprobes - 1) * variance / (q * q)));
}

/*
 * The mean of rate_of_block() over a binomial distribution of the keys of a block: nkeys,
 * each in any of nblocks blocks, at least 2.
 *
 * Weights are relative to that of the most likely number and follow from their
 * neighbours.  Upwards the terms matter until the rest cannot change the result, since
 * rare crowded blocks cause most false positives of a sparse filter; downwards until
 * the weights are lost in rounding.
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
 * The Poisson distribution of sizing.c has crowded blocks that few keys cannot make.  For
 * one block of 16 probes, half full, its rate is 5.4 times too high, for 2 blocks twice,
 * for 5 blocks by 25 %, for 16 by 4 %.  From here on it is 5 % too high to 8 % too low, as
 * it leaves out that blocks of as many keys differ, too.  (Simulated, with 6 to 16 probes,
 * half full and fuller.)
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
