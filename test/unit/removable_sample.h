/*
 * removable_sample.h
 *	  Images of counting Bloom and cuckoo filters to test with.
 */
#ifndef REMOVABLE_SAMPLE_H
#define REMOVABLE_SAMPLE_H

#include "sample.h"

/* An image of either kind with this key family and no keys. */
extern BbfImage plain_removable(BbfKind kind, unsigned family);

/* Twenty keys, some of them twice, in a counting Bloom filter. */
extern Sample counting_sample(void);

/* The same keys in a cuckoo filter of six buckets, 27 bytes padded to 32. */
extern Sample cuckoo_sample(void);

/*
 * The two shapes that each of the two kinds has, numbered from 0: those without
 * keys come first.
 */
#define NREMOVABLE	4

extern Sample removable_sample(int shape);

#endif							/* REMOVABLE_SAMPLE_H */
