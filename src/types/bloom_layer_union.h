/*
 * bloom_layer_union.h
 *	  Unites layers: those of two filters become those of one.
 *
 * The layers, in an order that does not depend on the side, are OR-ed into
 * the first of the same geometry, as long as that does not become full; the
 * others stand side by side.  Past 64 layers or 512 MB two neighbours in size
 * become one, those that make the lowest rate.  FORMAT.md has the rules.
 *
 * Time.  Each layer is tried with each other of its geometry, but the first
 * blocks of most pairs show that they do not fit.  At worst all their bytes
 * are read: where a layer has all bits of another but about as many as there
 * is room for.  Layers that were tried with each other before, and did not
 * change since, are not tried again.
 *
 * All goes through blocks in steps that can be cancelled.
 */
#ifndef BLOOMTYPE_BLOOM_LAYER_UNION_H
#define BLOOMTYPE_BLOOM_LAYER_UNION_H

#include "filter/open_filter.h"

/* A layer and its blocks. */
typedef struct LayerBlocks
{
	BbfLayer	layer;
	const unsigned char *blocks;
	unsigned char *copy;		/* the same, from blt_alloc_bins(), if they
								 * are of this list; null if they are only
								 * read */
	bool		is_tried;		/* it cannot be OR-ed with any other layer
								 * that is marked so */
	bool		has_changed;	/* it has taken the bits of another */
} LayerBlocks;

/* The layers that are to be united, of two filters. */
typedef struct LayerList
{
	MemoryContext context;		/* of copies */
	int			nlayers;
	LayerBlocks layers[2 * BBF_MAX_LAYERS];
} LayerList;

/*
 * Start with the layers of a filter.  Those that an expanded filter has are
 * taken from it: until blt_put_layers(), it has none, also after an error.
 */
extern void blt_take_layers(LayerList *list, OpenFilter *from);

/* Add the layers of a filter, whose blocks are only read. */
extern void blt_add_layers(LayerList *list, const BbfFilter *from);

/* Add one with this record and these keys. */
extern void blt_add_layer_of_keys(LayerList *list, const BbfLayer *record,
								  const uint64_t *hashes, int nhashes);

/*
 * Unite all layers: those of the same geometry as far as they fit, or with
 * or_always in any case.  Returns whether some were merged to stay within the
 * limits.
 */
extern bool blt_unite_layers(LayerList *list, bool or_always);

/*
 * Make these the layers of a filter: of an expanded one as copies; any other
 * is closed while those live that are only read.
 */
extern void blt_put_layers(LayerList *list, OpenFilter *to);

static inline Size
blt_blocks_bytes(const BbfLayer *layer)
{
	return (Size) layer->nbins * BBF_BLOCK_BYTES;
}

#endif							/* BLOOMTYPE_BLOOM_LAYER_UNION_H */
