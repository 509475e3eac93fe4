/*
 * bloom_intersection.c
 *	  bloom_intersection and &: a filter for the keys that two have in common.
 *
 *	- A list has its hashes: those that the other side has, too, make a list.
 *	- Two filters of one layer each, of the same geometry, are AND-ed.
 *	- Otherwise the bits of a key are not in the same places: an error.
 *
 * No common key is lost.  A key of one side only is let through at the rate of
 * the other side.  The result takes keys, but does not grow; and unless both
 * sides are lists it is marked as derived, because its bits do not tell how
 * many keys it has: bits of different keys meet there.
 */
#include "compat.h"

#include "filter/filter_change.h"
#include "fmgr.h"
#include "key/key_match.h"

PG_FUNCTION_INFO_V1(bloomtype_intersection);

/* "one layer of 1216 blocks with 6 probes", for an error */
static const char *
describe_layers(const BbfImage *image)
{
	if (image->nlayers > 1)
		return psprintf("%u layers, which cannot be intersected", image->nlayers);
	return psprintf("one layer of %u blocks with %d probes",
					image->layers[0].nblocks, image->layers[0].nprobes);
}

static void
check_same_geometry(const BbfImage *a, const BbfImage *b)
{
	if (a->nlayers == 1 && b->nlayers == 1 &&
		a->layers[0].nblocks == b->layers[0].nblocks &&
		a->layers[0].nprobes == b->layers[0].nprobes)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot intersect filters of different geometry"),
			 errdetail("One has %s; the other has %s.",
					   describe_layers(a), describe_layers(b)),
			 errhint("Build both with one capacity and false-positive probability: bloom_agg(value, capacity, fpp).")));
}

/* The hashes of a list that the other side has, too. */
static Datum
intersect_list(BloomBuild *result, const BbfImage *list,
			   const unsigned char *list_bytes,
			   const BbfImage *other, const unsigned char *other_bytes)
{
	uint64		hashes[BBF_MAX_LIST];
	unsigned	n = 0;

	for (unsigned i = 0; i < list->nlist; i++)
	{
		uint64		hash = bbf_list_get(list_bytes, i);

		if (bbf_image_contains(other, other_bytes, hash))
			hashes[n++] = hash;
	}
	if (n > 0)
	{
		result->image.family = list->family;
		result->image.signature = list->signature;
		result->image.flags = list->flags | other->flags;
		if (other->nlayers > 0)
			result->image.flags |= BBF_FLAG_DERIVED;
		bloomtype_build_set_list(result, hashes, n);
	}
	return bloomtype_build_finish(result);
}

static Datum
intersect_layers(BloomBuild *result, const BbfImage *a,
				 const unsigned char *a_bytes,
				 const BbfImage *b, const unsigned char *b_bytes)
{
	const BbfLayer *a_layer = &a->layers[0];
	const BbfLayer *b_layer = &b->layers[0];
	Size		size = (Size) a_layer->nblocks * BBF_BLOCK_BYTES;
	BbfImage   *image = &result->image;
	BbfLayer   *layer = &image->layers[0];
	unsigned char *blocks;
	uint64		nset;
	Datum		filter;

	check_same_geometry(a, b);
	blocks = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memcpy(blocks, a_bytes + a_layer->offset, size);
	bbf_blocks_and(blocks, b_bytes + b_layer->offset, a_layer->nblocks);
	nset = bbf_blocks_count(blocks, a_layer->nblocks);
	if (nset == 0)
		return bloomtype_build_finish(result);

	image->family = a->family;
	image->signature = a->signature;
	image->flags = BBF_FLAG_DERIVED;
	image->nlayers = 1;
	*layer = *a_layer;
	layer->capacity = Min(a_layer->capacity, b_layer->capacity);
	layer->fpp = Max(a_layer->fpp, b_layer->fpp);
	layer->full_at = Min(a_layer->full_at, b_layer->full_at);
	layer->nset = nset;
	filter = bloomtype_make_image(image, (const unsigned char *const *) &blocks);
	pfree(blocks);
	return filter;
}

Datum
bloomtype_intersection(PG_FUNCTION_ARGS)
{
	BbfImage	a;
	BbfImage	b;
	const unsigned char *a_bytes = bloomtype_read_image(PG_GETARG_DATUM(0), BBF_KIND_BLOOM, &a);
	const unsigned char *b_bytes = bloomtype_read_image(PG_GETARG_DATUM(1), BBF_KIND_BLOOM, &b);
	BloomBuild	result;

	bloomtype_match_filters(&a, &b, "intersect");
	bloomtype_build_new(&result, Min(a.capacity, b.capacity), Max(a.fpp, b.fpp), 0);
	if (!bbf_image_has_keys(&a) || !bbf_image_has_keys(&b))
		return bloomtype_build_finish(&result);
	if (a.nlist > 0)
		return intersect_list(&result, &a, a_bytes, &b, b_bytes);
	if (b.nlist > 0)
		return intersect_list(&result, &b, b_bytes, &a, a_bytes);
	return intersect_layers(&result, &a, a_bytes, &b, b_bytes);
}
