/*
 * deletable_sample.h
 *	  Images of counting Bloom and cuckoo filters to test with.
 */
#ifndef DELETABLE_SAMPLE_H
#define DELETABLE_SAMPLE_H

#include "sample.h"

/* An image of either kind with this key family and no keys. */
extern BbfMeta plain_deletable(BbfKind kind, unsigned family);

/* Twenty keys, some of them twice, in a counting Bloom filter. */
extern Sample counting_sample(void);

/* The same keys in a cuckoo filter of six buckets, 27 bytes padded to 32. */
extern Sample cuckoo_sample(void);

/*
 * The two shapes that each of the two kinds has, numbered from 0: those without
 * keys come first.
 */
#define NDELETABLE	4

extern Sample deletable_sample(int shape);

/* The shapes of all kinds, numbered from 0. */
#define NSAMPLES	(NSHAPES + NDELETABLE)

extern Sample any_sample(int shape);

#endif							/* DELETABLE_SAMPLE_H */
