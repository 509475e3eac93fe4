/*
 * sample.h
 *	  Images to test with.
 *
 * The bytes of each are allocated at exactly its length; the caller frees them.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/image.h"

typedef struct Sample
{
	BbfMeta	meta;
	unsigned char *bytes;
} Sample;

/* An image of a Bloom filter with this key family and no keys. */
extern BbfMeta plain_meta(unsigned family);

/* The bytes of an image: header, layer records, and zeros after them. */
extern Sample new_sample(const BbfMeta *meta);

extern Sample empty_sample(void);

/* A list of the hashes 100, 200, 300, ... */
extern Sample list_sample(unsigned n);

/* Keys 1000 i to 1000 i + nkeys - 1 in layer i, which has nblocks[i] blocks. */
extern Sample layers_sample(unsigned nlayers, const uint32_t *nblocks,
							unsigned nkeys);

extern Sample one_layer_sample(void);
extern Sample two_layer_sample(void);

/* The four shapes that the image of a Bloom filter has, numbered from 0. */
#define NSHAPES		4

extern Sample shape_sample(int shape);

/* Have both the same header and the same layer records, except for the kind? */
extern bool same_meta(const BbfMeta *a, const BbfMeta *b);

#endif							/* SAMPLE_H */
