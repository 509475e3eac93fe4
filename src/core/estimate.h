/*
 * estimate.h
 *	  How many keys a layer has, and its rate, from the numbers in its record; how many
 *	  keys a filter of several layers has, from those of its layers; and how many two layers
 *	  have in common.
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
 * which nset is the expected number.  The standard error is about 2 % at 129 keys
 * and falls with the square root of their number.  If all bits are set, the n for
 * nset - 0.5: a lower bound.
 */
extern double bbf_keys_from_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/*
 * The number of keys follows from the logarithm of the number of bits unset, n, which
 * is known to 1 / sqrt(n).  With fewer than this it is not told.
 */
#define BBF_FEWEST_BITS_UNSET	100

/* What a filter with several layers has in one of them. */
typedef struct BbfLayerKeys
{
	double		fpp;			/* of its record */
	double		capacity;		/* likewise */
	bool		is_full;
	double		keys;			/* an estimate of the keys in it */
	double		rate;			/* at which it has other keys */
	double		added;			/* of the keys that came to it, the share that was
								 * added: above 0 .. 1 */
	bool		is_next;		/* has it the capacity of a layer after one with twice
								 * its fpp? */
	bool		is_compared;	/* has any layer of its fpp that? */
} BbfLayerKeys;

/*
 * Set added.  Of the keys that come to a layer some seem present in one of those before
 * it, and are not added: the layer stands for keys / added.
 *
 * The layers before it are taken to be full ones whose fpp is twice its own, four times, and
 * so on, and whose capacity fits, as growth makes them.  Layers of one fpp are of filters
 * that a union put side by side: each follows the layers of its own filter alone, so they are
 * averaged.  Those that a union has made since follow all of them, which their records do not
 * tell: of these, added is too high.
 */
extern void bbf_estimate_added(BbfLayerKeys *layers, unsigned nlayers, int growth);

/*
 * The share that a layer has of the keys of all that are before another one with its fpp;
 * 0 if it is not before it.  To be called after bbf_estimate_added().
 */
extern double bbf_share_before(const BbfLayerKeys *layers, unsigned nlayers, int growth,
							   unsigned before, unsigned layer);

/*
 * Estimate of the keys that two layers have in common, from the records of both and from
 * the share of bits that are unset in both: above 0 .. 1, the mean over all hashes, each of
 * which selects one block of each layer.  Chance may take it below 0 or above the keys of a
 * layer.
 */
extern double bbf_common_keys(const BbfLayer *a, const BbfLayer *b, double both_unset);

/*
 * The variance of bbf_common_keys(), from the numbers of keys that A alone has, that B
 * alone has, and that both have.  Where neither number of blocks is a multiple of the other,
 * a bound, at most twice the variance.
 */
extern double bbf_variance_of_common(const BbfLayer *a, const BbfLayer *b,
									 double only_a, double only_b, double both);

/* The rate of blocks that have nset bits set: 0 .. 1. */
extern double bbf_fpp_of_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/* The rate of buckets that have nstored fingerprints of f bits: 0 .. 1. */
extern double bbf_fpp_of_fingerprints(uint32_t nbuckets, int f, uint64_t nstored);

#endif							/* BBF_ESTIMATE_H */
