/*
 * overlap.h
 *	  How many keys two filters have in common, and whether they can have any.
 *
 * For two lists, this is exact.  The hashes of a list can be probed in another
 * filter.  For two layers, it follows from the bits: keys of both set the same
 * bits in the blocks that they select, whatever the numbers of blocks and
 * probes are.
 *
 * Estimates, unlike the answers of bbf_lists_overlap and
 * bbf_layers_share_bits, may differ in the last digits from one machine to
 * another.
 */
#ifndef BBF_OVERLAP_H
#define BBF_OVERLAP_H

#include "core/filter.h"

typedef struct BbfOverlap
{
	double		both;			/* estimate of the keys that both have; chance
								 * may take it below 0 or above the keys of a
								 * side */
	double		variance;		/* of that estimate */
	bool		a_within;		/* of layers with as many blocks: is each bit
								 * of A set in B? */
	bool		b_within;		/* and the other way round? */
} BbfOverlap;

/* How many hashes do the lists of two filters have in common? */
extern unsigned bbf_lists_overlap(const BbfFilter *a, const BbfFilter *b);

/*
 * The overlap of n hashes and a filter with a false-positive rate below 1 that
 * reports nfound of them.
 */
extern BbfOverlap bbf_overlap_of_list(unsigned n, unsigned nfound, double fpp);

/*
 * Estimate the overlap of two layers.  Returns false if that is impossible,
 * since hardly a bit is unset in both.
 */
extern bool bbf_layers_overlap(const BbfLayer *a, const unsigned char *a_blocks,
							   const BbfLayer *b, const unsigned char *b_blocks,
							   BbfPause pause, BbfOverlap *overlap);

/*
 * Is a bit set in both layers?  If not, they have no key in common.  The
 * layers are folded to the greatest number of blocks that divides both
 * numbers, a block at a time, so that nothing is allocated; a fold is exactly
 * the layer that results from adding the keys to that number of blocks.  The
 * probes of a key are one sequence, of which each layer sets the first
 * nprobes, so this also holds for different numbers of probes.
 */
extern bool bbf_layers_share_bits(const BbfLayer *a, const unsigned char *a_blocks,
								  const BbfLayer *b, const unsigned char *b_blocks,
								  BbfPause pause);

#endif							/* BBF_OVERLAP_H */
