/*
 * bloom_layers.c
 *	  Sorts layers, counts what they lack of each other, and combines them.
 */
#include "compat.h"

#include "types/bloom_layers.h"

#include "filter/filter_pieces.h"
#include "miscadmin.h"

/* Blocks that are gone through between two checks for interrupts. */
#define BLOCKS_IN_PIECE		((uint32) (BBF_PIECE_BYTES / BBF_BLOCK_BYTES))

static const BbfKindRoutine *
bloom_routine(void)
{
	return bbf_kind_routine(BBF_KIND_BLOOM);
}

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

/* The order of parts, by size first.  Those that compare equal are equal. */
static int
compare_parts(const Part *a, const Part *b)
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
	return blt_compare(a->blocks, b->blocks, (Size) a->layer.nbins * BBF_BLOCK_BYTES);
}

/* Most parts are in order, as they were sorted before. */
static void
sort_parts(PartList *list)
{
	Part	   *parts = list->parts;

	for (int i = 1; i < list->nparts; i++)
	{
		Part		part;
		int			low = 0;
		int			high = i - 1;

		if (compare_parts(&parts[i - 1], &parts[i]) <= 0)
			continue;

		/* the first that belongs behind it; the one before it does */
		part = parts[i];
		while (low < high)
		{
			int			middle = low + (high - low) / 2;

			if (compare_parts(&parts[middle], &part) > 0)
				high = middle;
			else
				low = middle + 1;
		}
		memmove(&parts[low + 1], &parts[low], (i - low) * sizeof(Part));
		parts[low] = part;
	}
}

void
blt_start_parts(PartList *list, MemoryContext context)
{
	list->context = context;
	list->nparts = 0;
}

Part *
blt_add_part(PartList *list, const BbfLayer *layer, const unsigned char *blocks)
{
	Part	   *part = &list->parts[list->nparts++];

	part->layer = *layer;
	part->blocks = blocks;
	part->copy = NULL;
	part->settled = false;
	part->changed = false;
	return part;
}

void
blt_add_part_of_keys(PartList *list, const BbfLayer *layer,
					 const uint64_t *hashes, int nhashes)
{
	Size		size = (Size) layer->nbins * BBF_BLOCK_BYTES;
	unsigned char *blocks = MemoryContextAllocHuge(list->context, size);
	Part	   *part = blt_add_part(list, layer, blocks);

	part->copy = blocks;
	blt_clear(blocks, size);
	bbf_blocks_add_many(blocks, layer->nbins, layer->key_bits, hashes, nhashes);
	part->layer.nset = blt_count_set(bloom_routine(), layer, blocks);
}

void
blt_own_part(const PartList *list, Part *part)
{
	Size		size = (Size) part->layer.nbins * BBF_BLOCK_BYTES;

	if (part->copy != NULL)
		return;
	part->copy = MemoryContextAllocHuge(list->context, size);
	blt_copy(part->copy, part->blocks, size);
	part->blocks = part->copy;
}

void
blt_free_part(Part *part)
{
	if (part->copy != NULL)
		pfree(part->copy);
	part->copy = NULL;
}

/*
 * The most bits that the result of OR-ing two parts may have: what fits the larger
 * limit, or the bits that one of them has already; any number if that is not asked.
 */
static uint64
most_bits(const Part *a, const Part *b, bool always)
{
	if (always)
		return PG_UINT64_MAX;
	return Max(Max(a->layer.full_at, b->layer.full_at),
			   Max(a->layer.nset, b->layer.nset));
}

/*
 * Can two parts be OR-ed?  They can if they have the same geometry and the result
 * has no more than most_bits(); sets how many it has.  The bits that the emptier one
 * adds to the fuller one are counted until they are too many, which they are within
 * the first blocks of most pairs.
 */
static bool
can_or(const Part *a, const Part *b, bool always, uint64 *nset)
{
	const Part *fuller = a->layer.nset < b->layer.nset ? b : a;
	const Part *other = fuller == a ? b : a;
	uint64		room;
	uint64		missing;

	if (!bbf_layer_same_geometry(&a->layer, &b->layer))
		return false;
	room = most_bits(a, b, always) - fuller->layer.nset;
	missing = count_missing(fuller->blocks, other->blocks, a->layer.nbins, room);
	*nset = fuller->layer.nset + missing;
	return missing <= room;
}

/* OR a part into another, and free its copy. */
static void
or_into(const PartList *list, Part *target, Part *part, uint64 nset)
{
	/* the bits go to where they may be written: the result is the same */
	if (target->copy == NULL && part->copy != NULL)
	{
		const unsigned char *blocks = target->blocks;

		target->blocks = target->copy = part->copy;
		part->blocks = blocks;
		part->copy = NULL;
	}

	blt_own_part(list, target);
	blt_unite_bins(bloom_routine(), &target->layer, target->copy, part->blocks);
	blt_free_part(part);
	bbf_layer_unite_record(&target->layer, &part->layer);
	target->layer.nset = nset;
	target->settled = false;
	target->changed = true;
}

/* OR parts of the same geometry, first fit. */
static void
or_equal_geometry(PartList *list, bool always)
{
	Part	   *parts = list->parts;
	int			nleft = 0;

	for (int i = 0; i < list->nparts; i++)
	{
		bool		settled = parts[i].settled && !always;
		int			target = 0;
		uint64		nset;

		CHECK_FOR_INTERRUPTS();
		while (target < nleft &&
			   ((settled && parts[target].settled) ||
				!can_or(&parts[target], &parts[i], always, &nset)))
			target++;
		if (target < nleft)
			or_into(list, &parts[target], &parts[i], nset);
		else if (nleft++ < i)
			parts[target] = parts[i];
	}
	list->nparts = nleft;
}

static uint64
count_blocks(const PartList *list)
{
	uint64		nblocks = 0;

	for (int i = 0; i < list->nparts; i++)
		nblocks += list->parts[i].layer.nbins;
	return nblocks;
}

static double
merged_rate(const Part *small, const Part *large)
{
	return bbf_merged_rate(large->layer.nbins, large->layer.nset,
						   small->layer.nbins, small->layer.nset,
						   Min(small->layer.key_bits, large->layer.key_bits));
}

/*
 * Of parts in order of size, merge the two neighbours that then have the lowest
 * rate.
 */
static void
merge_neighbours(PartList *list)
{
	Part	   *parts = list->parts;
	int			best = 0;
	double		best_rate = merged_rate(&parts[0], &parts[1]);
	Part	   *small;
	Part	   *large;

	for (int i = 1; i < list->nparts - 1; i++)
	{
		double		rate = merged_rate(&parts[i], &parts[i + 1]);

		if (rate < best_rate)
		{
			best = i;
			best_rate = rate;
		}
	}
	small = &parts[best];
	large = &parts[best + 1];

	blt_own_part(list, large);
	merge_blocks(large->copy, large->layer.nbins, small->blocks, small->layer.nbins);
	large->layer.nset = blt_count_set(bloom_routine(), &large->layer, large->copy);
	bbf_layer_unite_record(&large->layer, &small->layer);
	large->settled = false;
	large->changed = true;
	blt_free_part(small);
	list->nparts--;
	memmove(small, large, (list->nparts - best) * sizeof(Part));
}

bool
blt_unite_parts(PartList *list, bool or_always)
{
	bool		merged = false;

	sort_parts(list);
	or_equal_geometry(list, or_always);
	while (list->nparts > BBF_MAX_LAYERS || count_blocks(list) > BBF_MAX_BLOCKS)
	{
		CHECK_FOR_INTERRUPTS();
		merge_neighbours(list);
		merged = true;
	}
	return merged;
}
