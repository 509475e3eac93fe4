/*
 * bloom_layers.h
 *	  A Bloom filter whose layers stand apart in memory, so that each can be
 *	  changed, added or removed without a copy of the others: a union while it
 *	  is made.
 */
#ifndef BLOOMTYPE_BLOOM_LAYERS_H
#define BLOOMTYPE_BLOOM_LAYERS_H

#include "core/filter.h"

/* A layer and its blocks. */
typedef struct LayerBlocks
{
	BbfLayer	layer;
	const unsigned char *blocks;
	unsigned char *copy;		/* the same, if they are allocated for this
								 * filter; null if they are only read */
	bool		is_tried;		/* it cannot be OR-ed with any other layer
								 * that is marked so */
	bool		has_changed;	/* while layers are united: it has taken the
								 * bits of another */
} LayerBlocks;

typedef struct LayeredFilter
{
	BbfMeta		meta;			/* without a list.  Its layers are those
								 * below, but for those that are to be united */
	MemoryContext context;		/* of copies */
	bool		copies_all;		/* all blocks are copies, but for those that
								 * are to be united */
	int			nlayers;
	int			room;			/* layers that are allocated */
	LayerBlocks *layers;
} LayeredFilter;

/*
 * Start with the layers of a filter, in a memory context.  With copies_all,
 * the result may live longer than that, and those that are united into it.
 */
extern void blt_start_layers(LayeredFilter *filter, const BbfFilter *from,
							 MemoryContext context, bool copies_all);

/* Is a key in the filter, as far as it can tell? */
extern bool blt_layers_contain(const LayeredFilter *filter, uint64 hash);

/*
 * Add a key to a filter with layers, as blt_add_key does.  False, and no
 * change, where the filter can take no more.
 */
extern bool blt_add_to_layers(LayeredFilter *filter, uint64 hash);

/* The same for a key that is not in the filter, even if it seems to be. */
extern bool blt_add_absent_to_layers(LayeredFilter *filter, uint64 hash);

/*
 * Add layers that are to be united: of a filter, whose blocks are only read.
 */
extern void blt_add_layers(LayeredFilter *filter, const BbfFilter *from);

/* ... or one with this record and these keys. */
extern void blt_add_layer_of_keys(LayeredFilter *filter, const BbfLayer *record,
								  const uint64_t *hashes, int nhashes);

/*
 * The filter as a plain value in its memory context, after which it is only
 * to be freed.
 */
extern Datum blt_flatten_layers(LayeredFilter *filter);

/* Write its image, for which its metadata have been laid out. */
extern void blt_write_layers(const LayeredFilter *filter, unsigned char *bytes);

/*
 * Memory for the blocks of a layer, as its copy.  The value of a filter with
 * this layer alone fits around them.
 */
extern unsigned char *blt_alloc_blocks(const BbfLayer *layer, MemoryContext context);

/* The blocks of a layer to write to: a copy in a memory context, once. */
extern unsigned char *blt_writable_blocks(LayerBlocks *layer, MemoryContext context);

/* Have such blocks in all layers. */
extern void blt_copy_layers(LayeredFilter *filter);

/* Free what was allocated for a layer, or for all of a filter. */
extern void blt_free_copy(LayerBlocks *layer);
extern void blt_free_layers(LayeredFilter *filter);

static inline Size
blt_blocks_bytes(const BbfLayer *layer)
{
	return (Size) layer->nbins * BBF_BLOCK_BYTES;
}

#endif							/* BLOOMTYPE_BLOOM_LAYERS_H */
