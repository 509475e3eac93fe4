/*
 * bloom_shrink.c
 *	  bloom_shrink: the same keys in as few blocks as their rate allows.
 *
 * Folding a layer, so that f blocks become one, gives exactly the layer that
 * adding its keys to that number of blocks would have given.  Each layer is
 * folded as far as it keeps the rate it was made for.
 */
#include "compat.h"

#include "filter/filter_datum.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "types/bloom_layer_union.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_shrink);

/*
 * Fold blocks into others, whose number divides theirs; returns how many bits
 * are set in these.
 */
static uint64
fold_into(unsigned char *to, uint32 nto, const unsigned char *from, uint32 nfrom)
{
	const uint32 factor = nfrom / nto;
	const uint32 piece = Max(BBF_PIECE_BYTES / BBF_BLOCK_BYTES / factor, 1);
	uint64		nset = 0;

	for (uint32 i = 0; i < nto; i += piece)
	{
		unsigned char *blocks = to + (Size) i * BBF_BLOCK_BYTES;
		uint32		n = Min(piece, nto - i);

		CHECK_FOR_INTERRUPTS();
		memset(blocks, 0, (Size) n * BBF_BLOCK_BYTES);
		bbf_blocks_merge(blocks, n, from + (Size) i * factor * BBF_BLOCK_BYTES,
						 n * factor);
		nset += bbf_blocks_count_set(blocks, n);
	}
	return nset;
}

/* Fold further: factor blocks, a divisor of their number, become one. */
static LayerBlocks
fold_blocks(const LayerBlocks *from, uint32 factor)
{
	LayerBlocks folded = {.layer = from->layer,.blocks = from->blocks};
	BbfLayer   *layer = &folded.layer;

	if (factor > 1)
	{
		layer->nbins /= factor;
		folded.copy = blt_alloc_bins(blt_blocks_bytes(layer), CurrentMemoryContext);
		layer->nset = fold_into(folded.copy, layer->nbins,
								from->blocks, from->layer.nbins);
		folded.blocks = folded.copy;
	}
	layer->capacity = bbf_capacity_of_blocks(layer->nbins, layer->key_bits,
											 layer->fpp, &layer->full_at);
	return folded;
}

static void
free_fold(const LayerBlocks *fold)
{
	if (fold->copy != NULL)
		blt_free_bins(fold->copy);
}

static bool
keeps_rate(const LayerBlocks *fold)
{
	return fold->layer.capacity > 0 && !bbf_layer_is_full(&fold->layer);
}

/*
 * The record of the smallest fold of a layer that keeps its rate; that of the
 * layer itself if there is none.  A fold that is too full only gets fuller
 * when it is folded further, so each odd factor is followed by as many
 * halvings as go.
 *
 * The blocks of a fold are not kept but folded once more, into the result:
 * that takes less memory than to have both.
 */
static BbfLayer
smallest_fold(const BbfLayer *layer, const unsigned char *blocks)
{
	const LayerBlocks whole = {.layer = *layer,.blocks = blocks};
	BbfLayer	smallest = *layer;

	for (uint32 odd = 1; odd < BBF_SIZE_CLASS_LIMIT; odd += 2)
	{
		LayerBlocks folded;

		if (layer->nbins % odd != 0)
			continue;
		folded = fold_blocks(&whole, odd);
		while (keeps_rate(&folded))
		{
			LayerBlocks half;

			if (folded.layer.nbins < smallest.nbins)
				smallest = folded.layer;
			if (folded.layer.nbins % 2 != 0)
				break;
			half = fold_blocks(&folded, 2);
			free_fold(&folded);
			folded = half;
		}
		free_fold(&folded);
	}
	return smallest;
}

Datum
bloomtype_bloom_shrink(PG_FUNCTION_ARGS)
{
	BbfFilter	filter;
	const BbfMeta *meta = &filter.meta;
	BbfMeta		smaller;
	struct varlena *result;
	unsigned char *blocks;
	uint64_t	capacity = 0;

	blt_read_filter(PG_GETARG_DATUM(0), BBF_KIND_BLOOM, &filter);

	/*
	 * The bits of an intersection do not show how many keys of one side alone
	 * meet them: the rate of those would rise unseen.
	 */
	if ((meta->flags & BBF_FLAG_INTERSECTION) != 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	smaller = *meta;
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		smaller.layers[i] = smallest_fold(&meta->layers[i], filter.bins[i]);
		capacity = Max(capacity, smaller.layers[i].capacity);
	}
	if (bbf_meta_lay_out(&smaller) == meta->length)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	/* as FORMAT.md says: the largest of the layers' */
	smaller.capacity = capacity;
	result = blt_lay_out_filter(&smaller);
	blocks = blt_filter_bytes(result) + bbf_bins_start(&smaller);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		(void) fold_into(blocks, smaller.layers[i].nbins,
						 filter.bins[i], meta->layers[i].nbins);
		blocks += blt_blocks_bytes(&smaller.layers[i]);
	}
	return blt_finish_filter(result, &smaller);
}
