/*
 * removable_sample.c
 *	  Images of counting Bloom and cuckoo filters to test with.
 */
#include "removable_sample.h"

#include "core/counting.h"
#include "core/cuckoo.h"
#include "core/family.h"

#include "key.h"

BbfImage
plain_removable(BbfKind kind, unsigned family)
{
	BbfImage	image = plain_image(family);

	image.kind = kind;
	image.growth = 0;
	return image;
}

static Sample
empty_removable_sample(BbfKind kind)
{
	BbfImage	image = plain_removable(kind, BBF_FAMILY_NONE);

	return new_sample(&image);
}

Sample
counting_sample(void)
{
	BbfImage	image = plain_removable(BBF_KIND_COUNTING_BLOOM, BBF_FAMILY_TEXT);
	BbfLayer   *layer = &image.layers[0];
	Sample		sample;

	image.nlayers = 1;
	layer->nblocks = 2;
	layer->nprobes = 5;
	layer->capacity = 80;
	layer->fpp = 0.02;
	layer->full_at = 500;
	sample = new_sample(&image);
	layer = &sample.image.layers[0];
	for (uint64_t i = 0; i < 30; i++)
		layer->nset += bbf_counters_add(sample.bytes + layer->offset, 2, 5, key(i % 20));
	bbf_image_write_head(&sample.image, sample.bytes);
	return sample;
}

Sample
cuckoo_sample(void)
{
	BbfImage	image = plain_removable(BBF_KIND_CUCKOO, BBF_FAMILY_TEXT);
	BbfLayer   *layer = &image.layers[0];
	Sample		sample;

	image.nlayers = 1;
	layer->nblocks = 6;
	layer->nprobes = 9;
	layer->capacity = image.capacity = 20;
	layer->fpp = image.fpp = 0.02;
	sample = new_sample(&image);
	layer = &sample.image.layers[0];
	for (uint64_t i = 0; i < 22; i++)
		layer->nset += bbf_cuckoo_add(sample.bytes + layer->offset, 6, 9, key(i % 20));
	bbf_image_write_head(&sample.image, sample.bytes);
	return sample;
}

Sample
removable_sample(int shape)
{
	switch (shape)
	{
		case 0:
			return empty_removable_sample(BBF_KIND_COUNTING_BLOOM);
		case 1:
			return empty_removable_sample(BBF_KIND_CUCKOO);
		case 2:
			return counting_sample();
		default:
			return cuckoo_sample();
	}
}
