/*
 * bloom_intersection.c
 *	  bloom_intersection and &: a filter for the keys that two have in common.
 *
 *	- A list has its hashes: those that the other side has, too, make a list.
 *	- Two filters of one layer each, of the same geometry, are AND-ed.
 *	- Otherwise the bits of a key are not in the same places: an error.
 *
 * No common key is lost.  A key of one side only is let through at the rate
 * of the other side.  The result takes keys, but does not grow; and unless
 * both sides are lists it is marked as an intersection, because its bits do
 * not tell how many keys it has: bits of different keys meet there.
 */
#include "compat.h"

#include "filter/filter_datum.h"
#include "filter/filter_match.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_intersection);

/* The hashes of a list that the other side has, too; the result is empty. */
static Datum
intersect_list(BbfMeta *result, const BbfMeta *list,
			   const unsigned char *list_bytes,
			   const BbfMeta *other, const unsigned char *other_bytes)
{
	struct varlena *filter;
	uint64_t	hashes[BBF_MAX_LIST];
	unsigned	n = 0;

	for (unsigned i = 0; i < list->nlist; i++)
	{
		uint64		hash = bbf_list_get(list_bytes, i);

		if (bbf_image_contains(other, other_bytes, hash))
			hashes[n++] = hash;
	}
	if (n == 0)
		return blt_make_empty_filter(result);

	result->family = list->family;
	result->subtype = list->subtype;
	result->flags = list->flags | other->flags;
	if (other->nlayers > 0)
		result->flags |= BBF_FLAG_INTERSECTION;
	result->nlist = n;
	filter = blt_lay_out_filter(result);
	for (unsigned i = 0; i < n; i++)
		bbf_list_put(blt_filter_bytes(filter), i, hashes[i]);
	return blt_finish_filter(filter, result);
}

/* AND the blocks of a layer with others; sets how many bits are set then. */
static void
intersect_blocks(BbfLayer *layer, unsigned char *blocks, const unsigned char *others)
{
	const BbfKindRoutine *routine = bbf_kind_routine(BBF_KIND_BLOOM);
	BbfLayer	piece;

	layer->nset = 0;
	for (uint32 first = 0; first < layer->nbins; first += piece.nbins)
	{
		size_t		offset;

		CHECK_FOR_INTERRUPTS();
		piece = bbf_piece_of_layer(routine, layer, first, &offset);
		bbf_blocks_and(blocks + offset, others + offset, piece.nbins);
		layer->nset += bbf_blocks_count_set(blocks + offset, piece.nbins);
	}
}

static Datum
intersect_layers(FunctionCallInfo fcinfo, BbfMeta *result,
				 const BbfMeta *a, const unsigned char *a_bytes,
				 const BbfMeta *b, const unsigned char *b_bytes)
{
	const BbfLayer *a_layer = &a->layers[0];
	const BbfLayer *b_layer = &b->layers[0];
	BbfLayer   *layer = &result->layers[0];
	struct varlena *filter;

	blt_check_same_geometry(a, b, BLT_FILTERS_ARE_INTERSECTED);
	result->family = a->family;
	result->subtype = a->subtype;
	result->flags = BBF_FLAG_INTERSECTION;
	result->nlayers = 1;
	*layer = *a_layer;
	layer->capacity = Min(a_layer->capacity, b_layer->capacity);
	layer->fpp = Max(a_layer->fpp, b_layer->fpp);
	layer->full_at = Min(a_layer->full_at, b_layer->full_at);

	filter = blt_writable_result(fcinfo, result, a_bytes);
	intersect_blocks(layer, blt_filter_bytes(filter) + layer->offset,
					 b_bytes + b_layer->offset);
	if (layer->nset > 0)
		return blt_finish_filter(filter, result);
	if (PointerGetDatum(filter) != PG_GETARG_DATUM(0))
		pfree(filter);
	return blt_make_empty_filter(result);
}

Datum
bloomtype_bloom_intersection(PG_FUNCTION_ARGS)
{
	BbfMeta		a;
	BbfMeta		b;
	const unsigned char *a_bytes = blt_read_filter(PG_GETARG_DATUM(0), BBF_KIND_BLOOM, &a);
	const unsigned char *b_bytes = blt_read_filter(PG_GETARG_DATUM(1), BBF_KIND_BLOOM, &b);
	BbfMeta		result;

	blt_check_same_keys(&a, &b, BLT_FILTERS_ARE_INTERSECTED);
	bbf_meta_init(&result, BBF_KIND_BLOOM, Min(a.capacity, b.capacity),
				  Max(a.fpp, b.fpp), 0);
	if (!bbf_meta_has_keys(&a) || !bbf_meta_has_keys(&b))
		return blt_make_empty_filter(&result);
	if (a.nlist > 0)
		return intersect_list(&result, &a, a_bytes, &b, b_bytes);
	if (b.nlist > 0)
		return intersect_list(&result, &b, b_bytes, &a, a_bytes);
	return intersect_layers(fcinfo, &result, &a, a_bytes, &b, b_bytes);
}
