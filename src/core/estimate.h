/*
 * estimate.h
 *	  Estimates the keys and the rate of a layer from its record, the keys of a
 *	  filter from those of its layers, and the keys that two layers have in
 *	  common.
 *
 * For people and planners: results may differ in the last digits from one
 * machine to another, and never decide bytes.
 */
#ifndef BBF_ESTIMATE_H
#define BBF_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/layer.h"

/*
 * Estimate of the distinct keys in blocks that have nset bits set: the n for
 * which nset is the expected number.  The standard error is about 2 % at 129
 * keys and falls with the square root of their number.  If all bits are set,
 * the n for nset - 0.5: a lower bound.
 */
extern double bbf_keys_from_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/* The same for blocks of so many bits. */
extern double bbf_keys_from_bits_of(int block_bits, uint32_t nblocks, int nprobes,
									uint64_t nset);

/*
 * The number of keys follows from the logarithm of the number of unset bits,
 * n, which is known to 1 / sqrt(n).  With fewer unset bits than this, there is
 * no estimate.
 */
#define BBF_FEWEST_BITS_UNSET	100

/* One layer of a filter with several. */
typedef struct BbfLayerKeys
{
	/* what is known of it, to be filled in */
	double		fpp;			/* of its record */
	double		capacity;		/* likewise */
	bool		is_full;
	double		keys;			/* an estimate of the keys in it */
	double		rate;			/* at which it has other keys */

	/* set by bbf_estimate_added() */
	double		added;			/* of the keys that came to it, the share that
								 * was added: above 0 .. 1 */

	/* private to estimate.c, set at the same time */
	bool		is_next;		/* has it the capacity of a layer after one
								 * with twice its fpp? */
	bool		is_compared;	/* has any layer of its fpp that? */
} BbfLayerKeys;

/*
 * Set added.  Some keys that come to a layer seem present in a layer before
 * it, and are not added, so the layer stands for keys / added.
 *
 * The layers before it are taken to be full ones whose fpp is twice its own,
 * four times, and so on, and whose capacity fits, as growth makes them.
 * Layers with the same fpp come from filters that a union put side by side.
 * Each follows only the layers of its own filter, so they are averaged.
 * Layers that the union opened later follow all of them, which their records
 * do not show: for these, added is too high.
 */
extern void bbf_estimate_added(BbfLayerKeys *layers, unsigned nlayers, int growth);

/*
 * Take all layers with the fpp of one layer that are before another: the share
 * of that layer in their keys, 0 if it is not before the other.  Call
 * bbf_estimate_added() first.
 */
extern double bbf_share_before(const BbfLayerKeys *layers, unsigned nlayers, int growth,
							   unsigned before, unsigned layer);

/*
 * Estimate of the keys that two layers have in common, from the records of
 * both and the share of bits that are unset in both: above 0 .. 1, the mean
 * over all hashes, each of which selects one block of each layer.  By chance,
 * the estimate may be below 0, or above the keys of a layer.
 */
extern double bbf_common_keys(const BbfLayer *a, const BbfLayer *b, double both_unset);

/*
 * The variance of bbf_common_keys(), from the numbers of keys that only A
 * has, that only B has, and that both have.  If neither number of blocks is a
 * multiple of the other, a bound, up to twice the variance.
 */
extern double bbf_variance_of_common(const BbfLayer *a, const BbfLayer *b,
									 double only_a, double only_b, double both);

/* The rate of blocks that have nset bits set: 0 .. 1. */
extern double bbf_fpp_of_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/* The rate of buckets that have nstored fingerprints of f bits: 0 .. 1. */
extern double bbf_fpp_of_fingerprints(uint32_t nbuckets, int f, uint64_t nstored);

#endif							/* BBF_ESTIMATE_H */
