/*
 * bloom_layers.c
 *	  Adds layers and keys to a filter in layers, and makes a plain value of
 *	  it.
 */
#include "compat.h"

#include "types/bloom_layers.h"

#include "core/growth.h"
#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "miscadmin.h"

/* Most filters have fewer layers. */
#define FIRST_ROOM		4

/* What precedes the blocks of a filter with one layer, as a value. */
#define ROOM_BEFORE		(VARHDRSZ + BBF_HEADER_BYTES + BBF_LAYER_RECORD_BYTES)

unsigned char *
blt_alloc_blocks(const BbfLayer *layer, MemoryContext context)
{
	return (unsigned char *)
		MemoryContextAllocHuge(context, ROOM_BEFORE + blt_blocks_bytes(layer)) + ROOM_BEFORE;
}

unsigned char *
blt_writable_blocks(LayerBlocks *layer, MemoryContext context)
{
	if (layer->copy == NULL)
	{
		layer->copy = blt_alloc_blocks(&layer->layer, context);
		blt_copy(layer->copy, layer->blocks, blt_blocks_bytes(&layer->layer));
		layer->blocks = layer->copy;
	}
	return layer->copy;
}

void
blt_free_copy(LayerBlocks *layer)
{
	if (layer->copy != NULL)
		pfree(layer->copy - ROOM_BEFORE);
	layer->copy = NULL;
}

/*
 * Adding layers
 */

static LayerBlocks *
append_layer(LayeredFilter *filter, const BbfLayer *record, const unsigned char *blocks)
{
	LayerBlocks *layer;

	if (filter->nlayers == filter->room)
	{
		filter->layers = repalloc(filter->layers, 2 * filter->room * sizeof(LayerBlocks));
		filter->room *= 2;
	}
	layer = &filter->layers[filter->nlayers++];
	layer->layer = *record;
	layer->blocks = blocks;
	layer->copy = NULL;
	layer->is_tried = false;
	layer->has_changed = false;
	return layer;
}

/* Append a layer of clear blocks. */
static LayerBlocks *
append_clear_layer(LayeredFilter *filter, const BbfLayer *record)
{
	Size		size = blt_blocks_bytes(record);
	unsigned char *blocks = blt_alloc_blocks(record, filter->context);
	LayerBlocks *layer = append_layer(filter, record, blocks);

	layer->copy = blocks;
	blt_clear(blocks, size);
	return layer;
}

void
blt_copy_layers(LayeredFilter *filter)
{
	for (int i = 0; i < filter->nlayers; i++)
		(void) blt_writable_blocks(&filter->layers[i], filter->context);
}

void
blt_start_layers(LayeredFilter *filter, const BbfFilter *from, MemoryContext context,
				 bool copies_all)
{
	filter->meta = from->meta;
	filter->meta.nlist = 0;
	filter->context = context;
	filter->copies_all = copies_all;
	filter->nlayers = 0;
	filter->room = FIRST_ROOM;
	filter->layers = MemoryContextAlloc(context, FIRST_ROOM * sizeof(LayerBlocks));
	blt_add_layers(filter, from);
	if (copies_all)
		blt_copy_layers(filter);
}

/* Open a layer with this record, which has no keys. */
static void
open_layer(LayeredFilter *filter, const BbfLayer *record)
{
	(void) append_clear_layer(filter, record);
	filter->meta.layers[filter->meta.nlayers++] = *record;
}

void
blt_add_layers(LayeredFilter *filter, const BbfFilter *from)
{
	for (unsigned i = 0; i < from->meta.nlayers; i++)
		(void) append_layer(filter, &from->meta.layers[i], from->bins[i]);
}

void
blt_add_layer_of_keys(LayeredFilter *filter, const BbfLayer *record,
					  const uint64_t *hashes, int nhashes)
{
	LayerBlocks *layer = append_clear_layer(filter, record);

	for (int i = 0; i < nhashes; i++)
		layer->layer.nset += bbf_blocks_add(layer->copy, record->nbins, record->key_bits,
											hashes[i]);
}

/*
 * Adding keys
 */

bool
blt_layers_contain(const LayeredFilter *filter, uint64 hash)
{
	for (int i = filter->nlayers - 1; i >= 0; i--)
	{
		const BbfLayer *layer = &filter->layers[i].layer;

		if (bbf_blocks_contain(filter->layers[i].blocks, layer->nbins,
							   layer->key_bits, hash))
			return true;
	}
	return false;
}

/*
 * The layer for the next key, opened if need be; null where there is no room.
 */
static LayerBlocks *
layer_for_key(LayeredFilter *filter)
{
	BbfMeta    *meta = &filter->meta;
	BbfLayer   *record = bbf_meta_find_layer(meta);
	BbfLayer	next;

	if (record != NULL)
		return &filter->layers[record - meta->layers];
	if (!bbf_meta_next_layer(meta, &next))
		return NULL;
	open_layer(filter, &next);
	return &filter->layers[filter->nlayers - 1];
}

bool
blt_add_to_layers(LayeredFilter *filter, uint64 hash)
{
	return blt_layers_contain(filter, hash) || blt_add_absent_to_layers(filter, hash);
}

bool
blt_add_absent_to_layers(LayeredFilter *filter, uint64 hash)
{
	LayerBlocks *layer = layer_for_key(filter);
	BbfLayer   *record;

	if (layer == NULL)
		return false;

	record = &layer->layer;
	record->nset += bbf_blocks_add(blt_writable_blocks(layer, filter->context),
								   record->nbins, record->key_bits, hash);
	layer->is_tried = false;
	filter->meta.layers[layer - filter->layers].nset = record->nset;
	return true;
}

/*
 * The result
 */

void
blt_write_layers(const LayeredFilter *filter, unsigned char *bytes)
{
	const BbfMeta *meta = &filter->meta;

	unsigned char *blocks = bytes + bbf_bins_offset(meta, 0);

	bbf_meta_write(meta, bytes);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		blt_copy(blocks, filter->layers[i].blocks, blt_blocks_bytes(&meta->layers[i]));
		blocks += blt_blocks_bytes(&meta->layers[i]);
	}
}

/* The value around the copy of the only layer, which the filter loses. */
static Datum
take_only_layer(LayeredFilter *filter)
{
	LayerBlocks *layer = &filter->layers[0];
	struct varlena *value = (struct varlena *) (layer->copy - ROOM_BEFORE);

	layer->copy = NULL;
	SET_VARSIZE(value, VARHDRSZ + bbf_meta_lay_out(&filter->meta));
	return blt_finish_filter(value, &filter->meta);
}

Datum
blt_flatten_layers(LayeredFilter *filter)
{
	struct varlena *value;

	if (filter->meta.nlayers == 1 && filter->layers[0].copy != NULL)
		return take_only_layer(filter);
	value = blt_lay_out_filter(&filter->meta);
	blt_write_layers(filter, blt_filter_bytes(value));
	return PointerGetDatum(value);
}

void
blt_free_layers(LayeredFilter *filter)
{
	for (int i = 0; i < filter->nlayers; i++)
		blt_free_copy(&filter->layers[i]);
	pfree(filter->layers);
}
