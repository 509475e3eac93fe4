/*
 * estimate.c
 *	  See estimate.h.
 */
#include "core/estimate.h"

#include <math.h>

#include "core/sizing.h"

/* Reverses the expectation of bits set by n keys (full_layer in sizing.c). */
static double
layer_keys(const BbfLayer *layer)
{
	double		nbits = (double) layer->nblocks * BBF_BLOCK_BITS;
	double		nset = (double) layer->nset;
	double		set_by_key = -expm1(layer->nprobes *
									log1p(-1.0 / BBF_BLOCK_BITS));

	/* with all bits set any number of keys would do: name the least */
	if (nset > nbits - 0.5)
		nset = nbits - 0.5;
	return log1p(-nset / nbits) / log1p(-set_by_key / layer->nblocks);
}

static double
layer_fpp(const BbfLayer *layer)
{
	uint64_t	nbits = (uint64_t) layer->nblocks * BBF_BLOCK_BITS;

	if (layer->nset == 0)
		return 0.0;
	if (layer->nset == nbits)
		return 1.0;
	return bbf_model_rate(layer_keys(layer) / layer->nblocks, layer->nprobes);
}

/* Of so many places that are taken on average in the two buckets of a key. */
static double
cuckoo_fpp(const BbfLayer *layer)
{
	double		taken = 2.0 * (double) layer->nset / layer->nblocks;
	double		by_place = 1.0 / (double) (((uint64_t) 1 << layer->nprobes) - 1);

	return -expm1(taken * log1p(-by_place));
}

double
bbf_estimate_keys(const BbfImage *image)
{
	double		keys = image->nlist;

	if (image->kind == BBF_KIND_CUCKOO)
		return image->nlayers > 0 ? (double) image->layers[0].nset : 0.0;

	for (unsigned i = 0; i < image->nlayers; i++)
		keys += layer_keys(&image->layers[i]);
	return keys;
}

double
bbf_estimate_fpp(const BbfImage *image)
{
	double		fpp = 0.0;

	if (image->kind == BBF_KIND_CUCKOO)
		return image->nlayers > 0 ? cuckoo_fpp(&image->layers[0]) : 0.0;

	/* 1 - (1 - a)(1 - b), in a form that keeps tiny rates */
	for (unsigned i = 0; i < image->nlayers; i++)
		fpp += layer_fpp(&image->layers[i]) * (1.0 - fpp);
	return fpp;
}

bool
bbf_is_saturated(const BbfImage *image)
{
	for (unsigned i = 0; i < image->nlayers; i++)
	{
		const BbfLayer *layer = &image->layers[i];

		if (image->kind == BBF_KIND_CUCKOO)
			return layer->nset > layer->capacity;

		/* the key that made it full may have set all its probes */
		if (layer->nset > layer->full_at + (uint64_t) layer->nprobes ||
			layer->nset == (uint64_t) layer->nblocks * BBF_BLOCK_BITS)
			return true;
	}
	return false;
}
