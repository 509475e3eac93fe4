/*
 * bloom_layer_union.c
 *	  Takes layers from filters, sorts them, counts what they lack of each
 *	  other, combines them, and puts them back.
 */
#include "compat.h"

#include "types/bloom_layer_union.h"

#include "filter/filter_pieces.h"
#include "miscadmin.h"

/* Blocks that are gone through between two checks for interrupts. */
#define BLOCKS_IN_PIECE		((uint32) (BBF_PIECE_BYTES / BBF_BLOCK_BYTES))

static const BbfKindRoutine *
bloom_routine(void)
{
	return bbf_kind_routine(BBF_KIND_BLOOM);
}

/*
 * Lists of layers
 */

static LayerBlocks *
append_layer(LayerList *list, const BbfLayer *record, const unsigned char *blocks)
{
	LayerBlocks *layer = &list->layers[list->nlayers++];

	Assert(list->nlayers <= (int) lengthof(list->layers));
	layer->layer = *record;
	layer->blocks = blocks;
	layer->copy = NULL;
	layer->is_tried = false;
	layer->has_changed = false;
	return layer;
}

void
blt_add_layers(LayerList *list, const BbfFilter *from)
{
	for (unsigned i = 0; i < from->meta.nlayers; i++)
		(void) append_layer(list, &from->meta.layers[i], from->bins[i]);
}

void
blt_take_layers(LayerList *list, OpenFilter *from)
{
	BbfFilter  *filter = &from->object.filter;

	list->context = from->context;
	list->nlayers = 0;
	blt_add_layers(list, filter);
	if (!from->is_expanded)
		return;
	for (int i = 0; i < list->nlayers; i++)
	{
		if (i >= (int) from->nimage)
			list->layers[i].copy = unconstify(unsigned char *, filter->bins[i]);
		list->layers[i].is_tried = (from->taken >> i & 1) == 0;
	}
	filter->meta.nlayers = 0;
}

void
blt_add_layer_of_keys(LayerList *list, const BbfLayer *record,
					  const uint64_t *hashes, int nhashes)
{
	Size		size = blt_blocks_bytes(record);
	unsigned char *blocks = blt_alloc_bins(size, list->context);
	LayerBlocks *layer = append_layer(list, record, blocks);

	layer->copy = blocks;
	blt_clear(blocks, size);
	for (int i = 0; i < nhashes; i++)
		layer->layer.nset += bbf_blocks_add(blocks, record->nbins, record->key_bits,
											hashes[i]);
}

/* The blocks of a layer to write to: a copy, once. */
static unsigned char *
writable_blocks(LayerList *list, LayerBlocks *layer)
{
	if (layer->copy == NULL)
	{
		Size		size = blt_blocks_bytes(&layer->layer);

		layer->copy = blt_alloc_bins(size, list->context);
		blt_copy(layer->copy, layer->blocks, size);
		layer->blocks = layer->copy;
	}
	return layer->copy;
}

static void
free_copy(LayerBlocks *layer)
{
	if (layer->copy != NULL)
		blt_free_bins(layer->copy);
	layer->copy = NULL;
}

/*
 * First fit has tried each two of the layers that are left.  Those that have
 * not changed since need not be tried with each other again.
 */
void
blt_put_layers(LayerList *list, OpenFilter *to)
{
	BbfFilter  *filter = &to->object.filter;

	to->taken = 0;
	for (int i = 0; i < list->nlayers; i++)
	{
		LayerBlocks *layer = &list->layers[i];

		if (to->is_expanded)
			(void) writable_blocks(list, layer);
		if (layer->has_changed)
			to->taken |= UINT64CONST(1) << i;
		filter->meta.layers[i] = layer->layer;
		filter->bins[i] = layer->blocks;
	}
	filter->meta.nlayers = list->nlayers;
	(void) bbf_meta_lay_out(&filter->meta);
	to->has_changed = true;

	if (to->is_expanded && to->image != NULL)
		pfree(to->image);
	to->image = NULL;
	to->nimage = 0;
	to->is_own = to->is_expanded;
	if (!to->is_expanded && list->nlayers == 1 && list->layers[0].copy != NULL)
	{
		/* the value around an only layer is the result */
		to->image = blt_value_around(list->layers[0].copy);
		to->nimage = 1;
		to->is_own = true;
	}
}

/*
 * Uniting
 */

/* bbf_blocks_count_missing, in pieces that can be interrupted. */
static uint64
count_missing(const unsigned char *a, const unsigned char *b, uint32 nblocks,
			  uint64 at_most)
{
	uint64		missing = 0;

	for (uint32 at = 0; at < nblocks && missing <= at_most; at += BLOCKS_IN_PIECE)
	{
		Size		offset = (Size) at * BBF_BLOCK_BYTES;

		CHECK_FOR_INTERRUPTS();
		missing += bbf_blocks_count_missing(a + offset, b + offset,
											Min(nblocks - at, BLOCKS_IN_PIECE),
											at_most - missing);
	}
	return missing;
}

/* bbf_blocks_merge, in pieces that can be interrupted. */
static void
merge_blocks(unsigned char *dst, uint32 ndst, const unsigned char *src, uint32 nsrc)
{
	for (uint32 at = 0; at < ndst; at += BLOCKS_IN_PIECE)
	{
		CHECK_FOR_INTERRUPTS();
		bbf_blocks_merge_range(dst, ndst, at, at + Min(ndst - at, BLOCKS_IN_PIECE),
							   src, nsrc);
	}
}

/* The order of layers, by size first.  Those that compare equal are equal. */
static int
compare_layers(const LayerBlocks *a, const LayerBlocks *b)
{
#define COMPARE(field) \
	if (a->layer.field != b->layer.field) \
		return a->layer.field < b->layer.field ? -1 : 1
	COMPARE(nbins);
	COMPARE(key_bits);
	COMPARE(capacity);
	COMPARE(fpp);
	COMPARE(full_at);
	COMPARE(nset);
#undef COMPARE
	return blt_compare(a->blocks, b->blocks, blt_blocks_bytes(&a->layer));
}

/* Most layers are in order, as they were sorted before. */
static void
sort_layers(LayerList *list)
{
	LayerBlocks *layers = list->layers;

	for (int i = 1; i < list->nlayers; i++)
	{
		LayerBlocks layer = layers[i];
		int			low = 0;
		int			high = i - 1;

		if (compare_layers(&layers[i - 1], &layer) <= 0)
			continue;

		/* the first that belongs after it; the one before it does */
		while (low < high)
		{
			int			middle = low + (high - low) / 2;

			if (compare_layers(&layers[middle], &layer) > 0)
				high = middle;
			else
				low = middle + 1;
		}
		memmove(&layers[low + 1], &layers[low], (i - low) * sizeof(LayerBlocks));
		layers[low] = layer;
	}
}

/*
 * The most bits that the result of OR-ing two layers may have: what fits the
 * larger limit, or the bits that one of them has already; with always, any
 * number.
 */
static uint64
most_bits(const BbfLayer *a, const BbfLayer *b, bool always)
{
	if (always)
		return PG_UINT64_MAX;
	return Max(Max(a->full_at, b->full_at), Max(a->nset, b->nset));
}

/*
 * Can two layers be OR-ed?  They can if they have the same geometry and the
 * result has no more than most_bits(); sets how many it has.  The bits that
 * the emptier one adds to the fuller one are counted until they are too many,
 * which they are within the first blocks of most pairs.
 */
static bool
can_or(const LayerBlocks *a, const LayerBlocks *b, bool always, uint64 *nset)
{
	const LayerBlocks *fuller = a;
	const LayerBlocks *emptier = b;
	uint64		room;
	uint64		missing;

	if (!bbf_layer_same_geometry(&a->layer, &b->layer))
		return false;
	if (a->layer.nset < b->layer.nset)
	{
		fuller = b;
		emptier = a;
	}
	room = most_bits(&a->layer, &b->layer, always) - fuller->layer.nset;
	missing = count_missing(fuller->blocks, emptier->blocks, fuller->layer.nbins, room);
	*nset = fuller->layer.nset + missing;
	return missing <= room;
}

/* Set the record of a layer that has taken the bits of another. */
static void
record_union(LayerBlocks *layer, const BbfLayer *other, uint64 nset)
{
	bbf_layer_unite_record(&layer->layer, other);
	layer->layer.nset = nset;
	layer->is_tried = false;
	layer->has_changed = true;
}

/* OR a layer into another, and free its copy. */
static void
or_into(LayerList *list, LayerBlocks *target, LayerBlocks *layer, uint64 nset)
{
	/* the bits go to where they may be written: the result is the same */
	if (target->copy == NULL && layer->copy != NULL)
	{
		const unsigned char *blocks = target->blocks;

		target->blocks = target->copy = layer->copy;
		layer->blocks = blocks;
		layer->copy = NULL;
	}

	blt_unite_bins(bloom_routine(), &target->layer, writable_blocks(list, target),
				   layer->blocks);
	free_copy(layer);
	record_union(target, &layer->layer, nset);
}

/*
 * The first of n layers that another can be OR-ed into, and the number of
 * bits that it then has; null if there is none.
 */
static LayerBlocks *
find_fit(LayerBlocks *layers, int n, const LayerBlocks *other, bool always, uint64 *nset)
{
	for (int i = 0; i < n; i++)
	{
		bool		is_known = layers[i].is_tried && other->is_tried && !always;

		if (!is_known && can_or(&layers[i], other, always, nset))
			return &layers[i];
	}
	return NULL;
}

/* OR layers of the same geometry, first fit. */
static void
or_equal_geometry(LayerList *list, bool always)
{
	LayerBlocks *layers = list->layers;
	int			nleft = 0;

	for (int i = 0; i < list->nlayers; i++)
	{
		uint64		nset;
		LayerBlocks *target = find_fit(layers, nleft, &layers[i], always, &nset);

		if (target != NULL)
		{
			or_into(list, target, &layers[i], nset);
			continue;
		}
		layers[nleft] = layers[i];
		nleft++;
	}
	list->nlayers = nleft;
}

static uint64
count_blocks(const LayerList *list)
{
	uint64		nblocks = 0;

	for (int i = 0; i < list->nlayers; i++)
		nblocks += list->layers[i].layer.nbins;
	return nblocks;
}

static double
merged_rate(const BbfLayer *small, const BbfLayer *large)
{
	return bbf_merged_rate(large->nbins, large->nset, small->nbins, small->nset,
						   Min(small->key_bits, large->key_bits));
}

/*
 * The first of the two neighbours, of layers in order of size, that have the
 * lowest rate once they are merged.
 */
static int
find_neighbours(const LayerList *list)
{
	const LayerBlocks *layers = list->layers;
	int			best = 0;
	double		best_rate = merged_rate(&layers[0].layer, &layers[1].layer);

	for (int i = 1; i < list->nlayers - 1; i++)
	{
		double		rate = merged_rate(&layers[i].layer, &layers[i + 1].layer);

		if (rate < best_rate)
		{
			best = i;
			best_rate = rate;
		}
	}
	return best;
}

/* Merge a layer into the next one, which is as large or larger. */
static void
merge_into_next(LayerList *list, int at)
{
	LayerBlocks *small = &list->layers[at];
	LayerBlocks *large = small + 1;
	unsigned char *blocks = writable_blocks(list, large);

	merge_blocks(blocks, large->layer.nbins, small->blocks, small->layer.nbins);
	record_union(large, &small->layer, blt_count_set(bloom_routine(), &large->layer, blocks));
	free_copy(small);
	list->nlayers--;
	memmove(small, large, (list->nlayers - at) * sizeof(LayerBlocks));
}

bool
blt_unite_layers(LayerList *list, bool or_always)
{
	bool		merged = false;

	sort_layers(list);
	or_equal_geometry(list, or_always);
	while (list->nlayers > BBF_MAX_LAYERS || count_blocks(list) > BBF_MAX_BLOCKS)
	{
		CHECK_FOR_INTERRUPTS();
		merge_into_next(list, find_neighbours(list));
		merged = true;
	}
	return merged;
}
