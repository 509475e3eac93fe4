/*
 * deletable_sample.c
 *	  Images of counting Bloom and cuckoo filters to test with.
 */
#include "deletable_sample.h"

#include "core/counting.h"
#include "core/cuckoo.h"
#include "core/family.h"

#include "key.h"

BbfMeta
plain_deletable(BbfKind kind, unsigned family)
{
	BbfMeta		meta = plain_meta(family);

	meta.kind = kind;
	meta.growth = 0;
	return meta;
}

static Sample
empty_deletable_sample(BbfKind kind)
{
	BbfMeta		meta = plain_deletable(kind, BBF_FAMILY_NONE);

	return new_sample(&meta);
}

Sample
counting_sample(void)
{
	BbfMeta		meta = plain_deletable(BBF_KIND_COUNTING_BLOOM, BBF_FAMILY_TEXT);
	BbfLayer   *layer = &meta.layers[0];
	Sample		sample;

	meta.nlayers = 1;
	layer->nbins = 2;
	layer->key_bits = 5;
	layer->capacity = 80;
	layer->fpp = 0.02;
	layer->full_at = 500;
	sample = new_sample(&meta);
	layer = &sample.meta.layers[0];
	for (uint64_t i = 0; i < 30; i++)
		layer->nset += bbf_counters_add(sample.bytes + BBF_FIRST_BINS, 2, 5, key(i % 20));
	bbf_meta_write(&sample.meta, sample.bytes);
	return sample;
}

Sample
cuckoo_sample(void)
{
	BbfMeta		meta = plain_deletable(BBF_KIND_CUCKOO, BBF_FAMILY_TEXT);
	BbfLayer   *layer = &meta.layers[0];
	Sample		sample;

	meta.nlayers = 1;
	layer->nbins = 6;
	layer->key_bits = 9;
	layer->capacity = meta.capacity = 20;
	layer->fpp = meta.fpp = 0.02;
	sample = new_sample(&meta);
	layer = &sample.meta.layers[0];
	for (uint64_t i = 0; i < 22; i++)
		layer->nset += bbf_cuckoo_add(sample.bytes + BBF_FIRST_BINS, 6, 9, key(i % 20));
	bbf_meta_write(&sample.meta, sample.bytes);
	return sample;
}

Sample
deletable_sample(int shape)
{
	switch (shape)
	{
		case 0:
			return empty_deletable_sample(BBF_KIND_COUNTING_BLOOM);
		case 1:
			return empty_deletable_sample(BBF_KIND_CUCKOO);
		case 2:
			return counting_sample();
		default:
			return cuckoo_sample();
	}
}

Sample
any_sample(int shape)
{
	return shape < NSHAPES ? shape_sample(shape) : deletable_sample(shape - NSHAPES);
}
