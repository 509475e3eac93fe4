/*
 * bloom_union.c
 *	  bloom_union and |: one filter for the keys of two.
 *
 * OR-ing filters of different size is correct but ruins the rate, and so does
 * OR-ing two that are full.  Kept side by side, as layers, their rates add up,
 * which is the best that can be done without the keys.  So:
 *
 *	- A list has its hashes: they are added as bloom_add does, as long as the
 *	  other side takes them; the rest makes a layer.
 *	- Otherwise the layers of both sides, in an order that does not depend on
 *	  the side, are OR-ed into the first of the same geometry, as long as that
 *	  does not become full; the others stand side by side.  Two filters of
 *	  fixed size are OR-ed where they have the same geometry, full or not.
 *	- Past 64 layers or 512 MB two neighbours in size become one, those that
 *	  make the lowest rate.
 *
 * No key is lost, and a | b and b | a are the same bytes.
 */
#include "compat.h"

#include "filter/filter_change.h"
#include "filter/call_cache.h"
#include "core/estimate.h"
#include "fmgr.h"
#include "key/key_match.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_union);
PG_FUNCTION_INFO_V1(bloomtype_union_agg_final);

/* A layer of the result, or one that goes into it. */
typedef struct Part
{
	BbfLayer	layer;
	const unsigned char *blocks;
	unsigned char *own;			/* the same, where they may be written to */
} Part;

/* Parts of both sides, at most. */
#define MAX_PARTS_OF_UNION	(2 * BBF_MAX_LAYERS)

/* A key of the family of a filter's; its hash is to be filled in. */
static BloomKey
key_of_family(const BbfImage *image)
{
	BloomKey	key = {.family = image->family,.signature = image->signature};

	return key;
}

/*
 * The parameters of the result: the larger capacity, the larger rate, the
 * smaller growth that is not 0.  A side without keys has no say, except that
 * it may ask for a larger capacity, if that can be had.
 */
static void
unite_parameters(BbfImage *result, const BbfImage *a, const BbfImage *b)
{
	const BbfImage *one = bbf_image_has_keys(a) || !bbf_image_has_keys(b) ? a : b;
	const BbfImage *other = bbf_image_has_keys(b) || !bbf_image_has_keys(a) ? b : a;

	result->kind = BBF_KIND_BLOOM;
	result->capacity = Max(one->capacity, other->capacity);
	result->fpp = Max(one->fpp, other->fpp);
	if (one->growth == 0 || other->growth == 0)
		result->growth = Max(one->growth, other->growth);
	else
		result->growth = Min(one->growth, other->growth);
	result->flags = a->flags | b->flags;

	if (Max(a->capacity, b->capacity) > result->capacity &&
		bbf_size_layer(Max(a->capacity, b->capacity), result->fpp).nblocks <= BBF_MAX_BLOCKS)
		result->capacity = Max(a->capacity, b->capacity);
}

/* By size first; parts that differ in nothing are interchangeable. */
static int
compare_parts(const void *x, const void *y)
{
	const Part *a = x;
	const Part *b = y;

#define COMPARE(field) \
	if (a->layer.field != b->layer.field) \
		return a->layer.field < b->layer.field ? -1 : 1
	COMPARE(nblocks);
	COMPARE(nprobes);
	COMPARE(capacity);
	COMPARE(fpp);
	COMPARE(full_at);
	COMPARE(nset);
#undef COMPARE
	return memcmp(a->blocks, b->blocks, (Size) a->layer.nblocks * BBF_BLOCK_BYTES);
}

static int
collect_parts(Part *parts, int nparts, const BloomBuild *side)
{
	const BbfImage *image = &side->image;

	for (unsigned i = 0; i < image->nlayers; i++)
	{
		parts[nparts].layer = image->layers[i];
		parts[nparts].blocks = side->bytes + image->layers[i].offset;
		parts[nparts].own = NULL;
		nparts++;
	}
	return nparts;
}

static void
make_own(Part *part)
{
	Size		size = (Size) part->layer.nblocks * BBF_BLOCK_BYTES;

	if (part->own != NULL)
		return;
	part->own = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memcpy(part->own, part->blocks, size);
	part->blocks = part->own;
}

/* What the record of a layer says that two have gone into. */
static void
unite_records(BbfLayer *layer, const BbfLayer *other)
{
	layer->capacity = Max(layer->capacity, other->capacity);
	layer->fpp = Max(layer->fpp, other->fpp);
	layer->full_at = Max(layer->full_at, other->full_at);
	layer->nprobes = Min(layer->nprobes, other->nprobes);
}

/*
 * OR a part into one of the same geometry, unless that makes it too full.  One
 * that is part of the other costs nothing.
 */
static bool
goes_into(Part *target, const Part *part, bool always)
{
	uint32		nblocks = part->layer.nblocks;
	uint64		nset;

	if (target->layer.nblocks != nblocks ||
		target->layer.nprobes != part->layer.nprobes)
		return false;
	nset = bbf_blocks_count_or(target->blocks, part->blocks, nblocks);
	if (!always && nset > Max(target->layer.nset, part->layer.nset) &&
		nset > Max(target->layer.full_at, part->layer.full_at))
		return false;

	make_own(target);
	bbf_blocks_or(target->own, part->blocks, nblocks);
	unite_records(&target->layer, &part->layer);
	target->layer.nset = nset;
	return true;
}

/* OR parts of the same geometry, first fit; returns how many are left. */
static int
or_equal_geometry(Part *parts, int nparts, bool always)
{
	int			nleft = 0;

	for (int i = 0; i < nparts; i++)
	{
		int			target = 0;

		CHECK_FOR_INTERRUPTS();
		while (target < nleft && !goes_into(&parts[target], &parts[i], always))
			target++;
		if (target == nleft)
			parts[nleft++] = parts[i];
	}
	return nleft;
}

static uint64
count_blocks(const Part *parts, int nparts)
{
	uint64		nblocks = 0;

	for (int i = 0; i < nparts; i++)
		nblocks += parts[i].layer.nblocks;
	return nblocks;
}

static double
merged_rate(const Part *small, const Part *large)
{
	return bbf_merged_rate(large->layer.nblocks, large->layer.nset,
						   small->layer.nblocks, small->layer.nset,
						   Min(small->layer.nprobes, large->layer.nprobes));
}

/* Merge two neighbours, of parts in order of size: those whose rate is lowest then. */
static void
merge_neighbours(Part *parts, int nparts)
{
	int			best = 0;
	double		best_rate = merged_rate(&parts[0], &parts[1]);
	Part	   *small;
	Part	   *large;

	for (int i = 1; i < nparts - 1; i++)
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

	make_own(large);
	bbf_blocks_merge(large->own, large->layer.nblocks,
					 small->blocks, small->layer.nblocks);
	large->layer.nset = bbf_blocks_count(large->own, large->layer.nblocks);
	unite_records(&large->layer, &small->layer);
	if (small->own != NULL)
		pfree(small->own);
	memmove(small, large, (nparts - best - 1) * sizeof(Part));
}

/* The filter whose layers are these parts. */
static Datum
make_filter(BbfImage *image, const Part *parts, int nparts)
{
	const unsigned char *blocks[BBF_MAX_LAYERS];

	image->nlayers = nparts;
	for (int i = 0; i < nparts; i++)
	{
		image->layers[i] = parts[i].layer;
		blocks[i] = parts[i].blocks;
	}
	return bloomtype_make_image(image, blocks);
}

/* The rate rises, but no key is lost: say so, once. */
static void
warn_of_rate(FunctionCallInfo fcinfo, const BbfImage *image)
{
	if (bbf_estimate_fpp(image) > 2.0 * image->fpp &&
		bloomtype_call_is_first(fcinfo))
		ereport(WARNING,
				(errmsg("united filter would have too many layers, so some were merged"),
				 errdetail("A filter has at most %d layers, and 512 MB; its false-positive probability is now %.2g instead of %g.",
						   BBF_MAX_LAYERS, bbf_estimate_fpp(image), image->fpp),
				 errhint("Make the filters with one capacity, large enough for the keys of all: bloom_agg(value, capacity, fpp).")));
}

/* Unite parts, whose blocks are not written to unless they are their own. */
static Datum
unite_parts(FunctionCallInfo fcinfo, BbfImage *image, Part *parts, int nparts,
			bool or_always)
{
	Datum		result;

	bool		merged = false;

	qsort(parts, nparts, sizeof(Part), compare_parts);
	nparts = or_equal_geometry(parts, nparts, or_always);
	while (nparts > BBF_MAX_LAYERS || count_blocks(parts, nparts) > BBF_MAX_BLOCKS)
	{
		CHECK_FOR_INTERRUPTS();
		merge_neighbours(parts, nparts--);
		merged = true;
	}

	result = make_filter(image, parts, nparts);
	if (merged)
		warn_of_rate(fcinfo, image);
	for (int i = 0; i < nparts; i++)
	{
		if (parts[i].own != NULL)
			pfree(parts[i].own);
	}
	return result;
}

static Datum
unite_layers(FunctionCallInfo fcinfo, const BbfImage *parameters,
			 const BloomBuild *a, const BloomBuild *b)
{
	BbfImage	image = *parameters;
	Part		parts[MAX_PARTS_OF_UNION];
	int			nparts;

	image.family = a->image.family;
	image.signature = a->image.signature;
	nparts = collect_parts(parts, 0, a);
	nparts = collect_parts(parts, nparts, b);
	return unite_parts(fcinfo, &image, parts, nparts,
					   a->image.growth == 0 && b->image.growth == 0);
}

/* What a filter without room, and up to 128 hashes, make. */
static Datum
unite_with_rest(FunctionCallInfo fcinfo, const BloomBuild *build,
				const uint64 *hashes, int nhashes)
{
	BbfImage	image = build->image;
	BbfGeometry geometry = bloomtype_size_layer(BBF_KIND_BLOOM, BBF_MAX_LIST, image.fpp);
	Part		parts[MAX_PARTS_OF_UNION];
	int			nparts = collect_parts(parts, 0, build);
	Part	   *rest = &parts[nparts];

	bloomtype_start_layer(&rest->layer, &geometry, BBF_MAX_LIST, image.fpp);
	rest->own = MemoryContextAllocExtended(CurrentMemoryContext,
										   (Size) geometry.nblocks * BBF_BLOCK_BYTES,
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	bbf_blocks_add_many(rest->own, rest->layer.nblocks, rest->layer.nprobes,
						hashes, nhashes);
	rest->layer.nset = bbf_blocks_count(rest->own, rest->layer.nblocks);
	rest->blocks = rest->own;
	return unite_parts(fcinfo, &image, parts, nparts + 1, false);
}

/* Add the hashes of a list, or of two, in ascending order. */
static Datum
add_lists(FunctionCallInfo fcinfo, BloomBuild *build, const BloomBuild *a, const BloomBuild *b)
{
	BloomKey	key = key_of_family(bbf_image_has_keys(&a->image) ? &a->image : &b->image);
	unsigned	na = a->image.nlist;
	unsigned	nb = b->image.nlist;
	uint64		rest[BBF_MAX_LIST];
	int			nrest = 0;
	unsigned	i = 0;
	unsigned	j = 0;

	while (i < na || j < nb)
	{
		CHECK_FOR_INTERRUPTS();
		if (j == nb ||
			(i < na && bbf_list_get(a->bytes, i) < bbf_list_get(b->bytes, j)))
			key.hash = bbf_list_get(a->bytes, i++);
		else
			key.hash = bbf_list_get(b->bytes, j++);

		if (!bloomtype_build_try_add(build, key))
			rest[nrest++] = key.hash;
	}
	return nrest == 0 ? bloomtype_build_finish(build) :
		unite_with_rest(fcinfo, build, rest, nrest);
}

static Datum
unite(FunctionCallInfo fcinfo, const BloomBuild *a, const BloomBuild *b)
{
	BloomBuild	build;
	BbfImage	parameters;

	unite_parameters(&parameters, &a->image, &b->image);
	if (a->image.nlayers > 0 && b->image.nlayers > 0)
		return unite_layers(fcinfo, &parameters, a, b);

	if (a->image.nlayers > 0 || b->image.nlayers > 0)
		build = a->image.nlayers > 0 ? *a : *b;
	else
		bloomtype_build_new(&build, 1, DEFAULT_FPP, DEFAULT_GROWTH);
	bloomtype_build_set_parameters(&build, &parameters);
	return add_lists(fcinfo, &build, a, b);
}

/* Is a new value the very image that a side has? */
static bool
is_same(Datum result, const BloomBuild *side)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(result);

	return VARSIZE(value) - VARHDRSZ == side->image.length &&
		memcmp(VARDATA(value), side->bytes, side->image.length) == 0;
}

Datum
bloomtype_union(PG_FUNCTION_ARGS)
{
	BloomBuild	a;
	BloomBuild	b;
	Datum		result;

	bloomtype_build_from(&a, PG_GETARG_DATUM(0));
	bloomtype_build_from(&b, PG_GETARG_DATUM(1));
	bloomtype_match_filters(&a.image, &b.image, "unite");
	result = unite(fcinfo, &a, &b);

	/* a stored filter that does not change is not to be written again */
	if (is_same(result, &a))
		PG_RETURN_DATUM(a.original);
	if (is_same(result, &b))
		PG_RETURN_DATUM(b.original);
	PG_RETURN_DATUM(result);
}

/* Over no rows, or nulls only, the filter of bloom_agg over no rows. */
Datum
bloomtype_union_agg_final(PG_FUNCTION_ARGS)
{
	BloomBuild	build;

	if (!PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	bloomtype_build_new(&build, 1, DEFAULT_FPP, DEFAULT_GROWTH);
	PG_RETURN_DATUM(bloomtype_build_finish(&build));
}
