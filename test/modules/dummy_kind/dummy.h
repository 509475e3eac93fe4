/*
 * dummy.h
 *	  A layer of the dummy, the kind of filter of the tests: bins of sorted fingerprints.
 *
 * It stands for the kinds that are made of all their keys at once, and never changed:
 * its routine has no add, remove, add_many and unite.  Its number, 255, is in the
 * tables only with -DBBF_DUMMY_KIND.
 *
 * The upper half of a hash selects one of the bins, as in a Bloom filter.  A bin has
 * 16 places for fingerprints of 8, 16 or 32 bits of the lower half.  They ascend, and
 * empty places, which are zero, follow.
 */
#ifndef DUMMY_H
#define DUMMY_H

#include "core/kind.h"

/* The mean of keys in a bin of a layer that is full */
#define DUMMY_LOAD		4
#define DUMMY_PLACES	16

/*
 * Fill the clear bins of a layer with n keys, and set nset.  False, and the layer is of no
 * use, if a bin has too few places; a larger capacity makes that unlikely.
 */
extern bool bbf_dummy_build(BbfLayer *layer, unsigned char *bins, const uint64_t *hashes,
							size_t n);

#endif							/* DUMMY_H */
