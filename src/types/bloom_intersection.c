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
 * not show how many keys it has: bits of different keys meet there.
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
intersect_list(BbfMeta *result, const BbfFilter *list, const BbfFilter *other)
{
	struct varlena *filter;
	uint64_t	hashes[BBF_MAX_LIST];
	unsigned	n = 0;

	for (unsigned i = 0; i < list->meta.nlist; i++)
	{
		uint64		hash = bbf_list_get(list->list, i);

		if (bbf_filter_contains(other, hash))
			hashes[n++] = hash;
	}
	if (n == 0)
		return blt_make_empty_filter(result);

	result->family = list->meta.family;
	result->subtype = list->meta.subtype;
	result->flags = list->meta.flags | other->meta.flags;
	if (other->meta.nlayers > 0)
		result->flags |= BBF_FLAG_INTERSECTION;
	result->nlist = n;
	filter = blt_lay_out_filter(result);
	for (unsigned i = 0; i < n; i++)
		bbf_list_put(blt_list_of(filter), i, hashes[i]);
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
intersect_layers(FunctionCallInfo fcinfo, BbfMeta *result, const BbfFilter *a,
				 const BbfFilter *b)
{
	const BbfLayer *a_layer = &a->meta.layers[0];
	const BbfLayer *b_layer = &b->meta.layers[0];
	const bool	in_place = blt_is_plain_state(fcinfo);
	BbfLayer   *layer = &result->layers[0];
	struct varlena *filter;

	blt_check_same_geometry(&a->meta, &b->meta, BLT_FILTERS_ARE_INTERSECTED);
	result->family = a->meta.family;
	result->subtype = a->meta.subtype;
	result->flags = BBF_FLAG_INTERSECTION;
	result->nlayers = 1;
	*layer = *a_layer;
	layer->capacity = Min(a_layer->capacity, b_layer->capacity);
	layer->fpp = Max(a_layer->fpp, b_layer->fpp);
	layer->full_at = Min(a_layer->full_at, b_layer->full_at);

	if (in_place)
		filter = (struct varlena *) DatumGetPointer(PG_GETARG_DATUM(0));
	else
		filter = blt_copy_only_layer(result, a->bins[0]);
	intersect_blocks(layer, blt_bins_of(filter), b->bins[0]);
	if (layer->nset > 0)
		return blt_finish_filter(filter, result);
	if (!in_place)
		pfree(filter);
	return blt_make_empty_filter(result);
}

Datum
bloomtype_bloom_intersection(PG_FUNCTION_ARGS)
{
	BbfFilter	a;
	BbfFilter	b;
	BbfMeta		result;

	blt_read_filter(PG_GETARG_DATUM(0), BBF_KIND_BLOOM, &a);
	blt_read_filter(PG_GETARG_DATUM(1), BBF_KIND_BLOOM, &b);
	blt_check_same_keys(&a.meta, &b.meta, BLT_FILTERS_ARE_INTERSECTED);
	bbf_meta_init(&result, BBF_KIND_BLOOM, Min(a.meta.capacity, b.meta.capacity),
				  Max(a.meta.fpp, b.meta.fpp), 0);
	if (!bbf_meta_has_keys(&a.meta) || !bbf_meta_has_keys(&b.meta))
		return blt_make_empty_filter(&result);
	if (a.meta.nlist > 0)
		return intersect_list(&result, &a, &b);
	if (b.meta.nlist > 0)
		return intersect_list(&result, &b, &a);
	return intersect_layers(fcinfo, &result, &a, &b);
}
