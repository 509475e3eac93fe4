/*
 * estimate.h
 *	  How many keys a layer has, and its rate, from the numbers in its record.
 *
 * For people and planners: results may differ in the last digits from one
 * machine to another, and never decide bytes.
 */
#ifndef BBF_ESTIMATE_H
#define BBF_ESTIMATE_H

#include <stdint.h>

/*
 * Estimate of the distinct keys in blocks that have nset bits set: the n for
 * which nset is the expected number.  The standard error is about 2 % at 129 keys
 * and falls with the square root of their number.  If all bits are set, the n for
 * nset - 0.5: a lower bound.
 */
extern double bbf_keys_from_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/*
 * The variance of bbf_keys_from_bits(A) + bbf_keys_from_bits(B) -
 * bbf_keys_from_bits(A | B), which estimates how many keys two layers of the same
 * geometry have in common; from the numbers of keys that A alone has, that B alone
 * has, and that both have.
 */
extern double bbf_variance_of_common(uint32_t nblocks, int nprobes,
									 double only_a, double only_b, double both);

/* The rate of blocks that have nset bits set: 0 .. 1. */
extern double bbf_fpp_of_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/* The rate of buckets that have nstored fingerprints of f bits: 0 .. 1. */
extern double bbf_fpp_of_fingerprints(uint32_t nbuckets, int f, uint64_t nstored);

#endif							/* BBF_ESTIMATE_H */
