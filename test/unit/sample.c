/*
 * sample.c
 *	  Images to test with.
 */
#include "sample.h"

#include <string.h>

#include "core/family.h"

#include "attached.h"
#include "buffer.h"
#include "key.h"

BbfMeta
plain_meta(unsigned family)
{
	BbfMeta		meta;

	memset(&meta, 0, sizeof(meta));
	meta.kind = BBF_KIND_BLOOM;
	meta.growth = 2;
	meta.family = family;
	meta.capacity = 1000;
	meta.fpp = 0.01;
	return meta;
}

Sample
new_sample(const BbfMeta *meta)
{
	Sample		sample;

	sample.meta = *meta;
	sample.bytes = allocate(bbf_meta_lay_out(&sample.meta));
	bbf_meta_write(&sample.meta, sample.bytes);
	return sample;
}

Sample
empty_sample(void)
{
	BbfMeta		meta = plain_meta(BBF_FAMILY_NONE);

	return new_sample(&meta);
}

Sample
list_sample(unsigned n)
{
	BbfMeta		meta = plain_meta(n > 0 ? BBF_FAMILY_NUMBER : BBF_FAMILY_NONE);
	Sample		sample;

	meta.nlist = n;
	sample = new_sample(&meta);
	for (unsigned i = 0; i < n; i++)
		bbf_put64(sample.bytes + BBF_HEADER_BYTES + (size_t) i * 8, 100 * (i + 1));
	return sample;
}

Sample
layers_sample(unsigned nlayers, const uint32_t *nblocks, unsigned nkeys)
{
	BbfMeta		meta = plain_meta(BBF_FAMILY_TEXT);
	Sample		sample;

	meta.nlayers = nlayers;
	for (unsigned i = 0; i < nlayers; i++)
	{
		meta.layers[i].nbins = nblocks[i];
		meta.layers[i].key_bits = 5 + (int) (i % 3);
		meta.layers[i].capacity = 40 * (uint64_t) nblocks[i];
		meta.layers[i].fpp = 0.02 / (i + 1);
		meta.layers[i].full_at = 250 * (uint64_t) nblocks[i];
	}
	sample = new_sample(&meta);
	for (unsigned i = 0; i < nlayers; i++)
	{
		BbfLayer   *layer = &sample.meta.layers[i];

		for (unsigned j = 0; j < nkeys; j++)
			layer->nset += bbf_blocks_add(sample.bytes + bins_offset(&sample.meta, i),
										  layer->nbins, layer->key_bits,
										  key(1000 * i + j));
	}
	bbf_meta_write(&sample.meta, sample.bytes);
	return sample;
}

Sample
one_layer_sample(void)
{
	static const uint32_t nblocks[] = {3};

	return layers_sample(1, nblocks, 40);
}

Sample
two_layer_sample(void)
{
	static const uint32_t nblocks[] = {2, 5};

	return layers_sample(2, nblocks, 60);
}

Sample
shape_sample(int shape)
{
	switch (shape)
	{
		case 0:
			return empty_sample();
		case 1:
			return list_sample(5);
		case 2:
			return one_layer_sample();
		default:
			return two_layer_sample();
	}
}

bool
same_meta(const BbfMeta *a, const BbfMeta *b)
{
	if (a->growth != b->growth || a->flags != b->flags ||
		a->family != b->family || a->subtype != b->subtype ||
		a->capacity != b->capacity || a->fpp != b->fpp ||
		a->nlist != b->nlist || a->nlayers != b->nlayers ||
		a->length != b->length)
		return false;
	for (unsigned i = 0; i < a->nlayers; i++)
	{
		const BbfLayer *l = &a->layers[i];
		const BbfLayer *m = &b->layers[i];

		if (l->nbins != m->nbins || l->key_bits != m->key_bits ||
			l->capacity != m->capacity || l->fpp != m->fpp ||
			l->full_at != m->full_at || l->nset != m->nset)
			return false;
	}
	return true;
}
