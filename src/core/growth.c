/*
 * growth.c
 *	  Finds the layer for a key, and sizes the next one.
 */
#include "core/growth.h"

BbfLayer *
bbf_meta_find_layer(BbfMeta *meta)
{
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		if (!bbf_layer_is_full(&meta->layers[i]))
			return &meta->layers[i];
	}
	return meta->growth == 0 ? &meta->layers[meta->nlayers - 1] : NULL;
}

/*
 * The next layer is growth times as large as the largest, at half the lowest
 * rate, so that all rates add up to less than twice the first.
 *
 * A record that came from outside may claim any capacity and rate.  They
 * count as far as the blocks can hold them: a small image must not grow into
 * a huge one.
 */
bool
bbf_meta_next_layer(const BbfMeta *meta, BbfLayer *record)
{
	uint32_t	blocks_left = BBF_MAX_BLOCKS;
	uint64_t	capacity = 0;
	double		fpp = 1.0;
	BbfGeometry geometry;

	if (meta->growth == 0 || meta->nlayers == BBF_MAX_LAYERS)
		return false;
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		const BbfLayer *layer = &meta->layers[i];
		uint64_t	held = bbf_held_capacity(layer->capacity, layer->nbins,
											 layer->key_bits, layer->fpp);

		blocks_left -= layer->nbins;
		if (held > capacity)
			capacity = held;
		if (held > 0 && layer->fpp < fpp)
			fpp = layer->fpp;
	}
	if (capacity == 0)
		return false;
	capacity = bbf_saturating_product(capacity, meta->growth);
	if (fpp / 2 > 0.0)
		fpp /= 2;

	geometry = bbf_size_blocks(capacity, fpp);
	if (geometry.nbins > blocks_left)
	{
		/* what is left up to the limit */
		capacity = bbf_capacity_within(capacity, fpp, blocks_left);
		if (capacity == 0)
			return false;
		geometry = bbf_size_blocks(capacity, fpp);
	}
	bbf_layer_init(record, &geometry, capacity, fpp);
	return true;
}
