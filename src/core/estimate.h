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
 * Distinct keys that set nset of the bits of so many blocks, with so many
 * probes each: the number of which that is the expectation.  The standard error
 * is about 2 % at 129 keys and falls with the square root of their number.
 * With all bits set, a lower bound.
 */
extern double bbf_keys_from_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/*
 * Probability that a key which was never added meets bits that are all set:
 * 0 .. 1.
 */
extern double bbf_fpp_of_bits(uint32_t nblocks, int nprobes, uint64_t nset);

/*
 * Probability that one of nstored fingerprints of f bits in so many buckets is
 * that of a key which was never added, and in one of its two buckets.
 */
extern double bbf_fpp_of_fingerprints(uint32_t nbuckets, int f, uint64_t nstored);

#endif							/* BBF_ESTIMATE_H */
