/*
 * bloom_shrink.c
 *	  bloom_shrink: the same keys in as few blocks as their rate allows.
 *
 * Folding a layer, so that f blocks become one, gives exactly the layer that
 * adding its keys to so many blocks fewer would have given.  Each layer is
 * folded as far as it keeps the rate it was made for.
 */
#include "compat.h"

#include "core/sizing.h"
#include "fmgr.h"
#include "filter/filter_datum.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_shrink);

typedef struct Fold
{
	BbfLayer	layer;
	unsigned char *blocks;
} Fold;

/* A layer in so many times fewer blocks, a factor of their number. */
static Fold
fold(const BbfLayer *layer, const unsigned char *blocks, uint32 factor)
{
	Fold		folded = {.layer = *layer};
	uint32		nblocks = layer->nblocks / factor;

	CHECK_FOR_INTERRUPTS();
	folded.blocks = MemoryContextAllocExtended(CurrentMemoryContext,
											   (Size) nblocks * BBF_BLOCK_BYTES,
											   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	bbf_blocks_merge(folded.blocks, nblocks, blocks, layer->nblocks);
	folded.layer.nblocks = nblocks;
	folded.layer.nset = bbf_blocks_count(folded.blocks, nblocks);
	folded.layer.capacity = bbf_layer_capacity(nblocks, layer->nprobes, layer->fpp,
											   &folded.layer.full_at);
	return folded;
}

static bool
keeps_rate(const Fold *folded)
{
	return folded->layer.capacity > 0 && !bbf_layer_is_full(&folded->layer);
}

/* Fold by two as often as the rate allows. */
static Fold
halve(Fold folded)
{
	while (folded.layer.nblocks % 2 == 0)
	{
		Fold		half = fold(&folded.layer, folded.blocks, 2);

		if (!keeps_rate(&half))
		{
			pfree(half.blocks);
			break;
		}
		pfree(folded.blocks);
		folded = half;
	}
	return folded;
}

/*
 * The smallest fold of a layer that keeps its rate, if that is smaller than
 * the layer.  One that is too full only gets fuller when it is folded further,
 * so each odd factor is followed by as many halvings as go.
 */
static bool
smallest_fold(const BbfLayer *layer, const unsigned char *blocks, Fold *smallest)
{
	smallest->layer = *layer;
	smallest->blocks = NULL;
	for (uint32 odd = 1; odd < BBF_FORM_LIMIT; odd += 2)
	{
		Fold		folded;

		if (layer->nblocks % odd != 0)
			continue;
		folded = fold(layer, blocks, odd);
		if (keeps_rate(&folded))
			folded = halve(folded);
		if (keeps_rate(&folded) && folded.layer.nblocks < smallest->layer.nblocks)
		{
			if (smallest->blocks != NULL)
				pfree(smallest->blocks);
			*smallest = folded;
		}
		else
			pfree(folded.blocks);
	}
	return smallest->blocks != NULL;
}

Datum
bloomtype_shrink(PG_FUNCTION_ARGS)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), BBF_KIND_BLOOM, &image);
	const unsigned char *blocks[BBF_MAX_LAYERS];
	bool		smaller = false;
	uint64		capacity = 0;

	/*
	 * The bits of an intersection do not tell how many keys of one side alone
	 * meet them: the rate of those would rise unseen.
	 */
	if ((image.flags & BBF_FLAG_DERIVED) != 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	for (unsigned i = 0; i < image.nlayers; i++)
	{
		BbfLayer   *layer = &image.layers[i];
		Fold		folded;

		blocks[i] = bytes + layer->offset;
		if (smallest_fold(layer, blocks[i], &folded))
		{
			*layer = folded.layer;
			blocks[i] = folded.blocks;
			smaller = true;
		}
		capacity = Max(capacity, layer->capacity);
	}
	if (!smaller)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	/* what the next layer is to be a multiple of */
	image.capacity = capacity;
	PG_RETURN_DATUM(bloomtype_make_image(&image, blocks));
}
