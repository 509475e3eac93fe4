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
 *
 * bloom_union_agg calls bloom_union for every filter.  Once its state is large, it
 * is an expanded filter, which is changed in place: a further filter costs as much
 * as its own bytes, not those of the state.  The bytes are those of |.
 */
#include "compat.h"

#include "access/detoast.h"
#include "filter/call_cache.h"
#include "filter/filter_change.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_match.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "types/bloom_expanded.h"
#include "types/bloom_layers.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_union);
PG_FUNCTION_INFO_V1(bloomtype_bloom_union_agg_final);

/*
 * Bytes from which on the state of an aggregate is an expanded filter.  Each takes
 * up to 7 kB more, and has a memory context of its own; a hash aggregate visits all
 * of these at each new group, to know how much memory it takes.  A test may define it
 * as less, to try the same with small filters.
 */
#ifndef EXPANDED_STATE_BYTES
#define EXPANDED_STATE_BYTES	65536
#endif

StaticAssertDecl(EXPANDED_STATE_BYTES > VARHDRSZ + BBF_HEADER_BYTES + 8 * BBF_MAX_LIST,
				 "what is expanded has layers");

/* A key of the family and subtype of a filter's, whose hash is to be set. */
static BloomKey
key_of_family(const BbfMeta *meta)
{
	BloomKey	key = {.family = meta->family,.subtype = meta->subtype};

	return key;
}

/*
 * The parameters of the result: the larger capacity and fpp, and the smaller growth
 * that is not 0.  Those of a side without keys are ignored, except for a larger
 * capacity if a layer for it stays within the limit.
 */
static void
unite_parameters(BbfMeta *result, const BbfMeta *a, const BbfMeta *b)
{
	const BbfMeta *one = bbf_meta_has_keys(a) || !bbf_meta_has_keys(b) ? a : b;
	const BbfMeta *other = bbf_meta_has_keys(b) || !bbf_meta_has_keys(a) ? b : a;

	result->kind = BBF_KIND_BLOOM;
	result->capacity = Max(one->capacity, other->capacity);
	result->fpp = Max(one->fpp, other->fpp);
	if (one->growth == 0 || other->growth == 0)
		result->growth = Max(one->growth, other->growth);
	else
		result->growth = Min(one->growth, other->growth);
	result->flags = a->flags | b->flags;

	if (Max(a->capacity, b->capacity) > result->capacity &&
		bbf_size_blocks(Max(a->capacity, b->capacity), result->fpp).nbins <= BBF_MAX_BLOCKS)
		result->capacity = Max(a->capacity, b->capacity);
}

static void
add_parts(PartList *list, const FilterChange *side)
{
	const BbfMeta *meta = &side->meta;

	for (unsigned i = 0; i < meta->nlayers; i++)
		(void) blt_add_part(list, &meta->layers[i], side->bytes + meta->layers[i].offset);
}

/* Set the layers in the metadata of the result. */
static void
set_layers(BbfMeta *meta, const PartList *list)
{
	meta->nlist = 0;
	meta->nlayers = list->nparts;
	for (int i = 0; i < list->nparts; i++)
		meta->layers[i] = list->parts[i].layer;
}

/* The filter whose layers are these parts. */
static Datum
make_filter(BbfMeta *meta, const PartList *list)
{
	struct varlena *filter;

	set_layers(meta, list);
	filter = blt_lay_out_filter(meta);
	for (int i = 0; i < list->nparts; i++)
		blt_copy(blt_filter_bytes(filter) + meta->layers[i].offset,
				 list->parts[i].blocks, (Size) meta->layers[i].nbins * BBF_BLOCK_BYTES);
	return blt_finish_filter(filter, meta);
}

/* The rate rises, but no key is lost: say so, once. */
static void
warn_of_rate(FunctionCallInfo fcinfo, const BbfMeta *meta)
{
	/*
	 * in this order: an aggregate comes here for every row, and the rate
	 * takes long
	 */
	if (blt_call_may_be_first(fcinfo) &&
		bbf_meta_fpp(meta) > 2.0 * meta->fpp &&
		blt_call_is_first(fcinfo))
		ereport(WARNING,
				(errmsg("united filter would have too many layers, so some were merged"),
				 errdetail("A filter has at most %d layers, and 512 MB; its false-positive probability is now %.2g instead of %g.",
						   BBF_MAX_LAYERS, bbf_meta_fpp(meta), meta->fpp),
				 errhint("Make the filters with one capacity, large enough for the keys of all: bloom_agg(value, capacity, fpp).")));
}

static Datum
unite_into_filter(FunctionCallInfo fcinfo, BbfMeta *meta, PartList *list,
				  bool or_always)
{
	bool		merged = blt_unite_parts(list, or_always);
	Datum		result = make_filter(meta, list);

	if (merged)
		warn_of_rate(fcinfo, meta);
	for (int i = 0; i < list->nparts; i++)
		blt_free_part(&list->parts[i]);
	return result;
}

static Datum
unite_layers(FunctionCallInfo fcinfo, const BbfMeta *parameters,
			 const FilterChange *a, const FilterChange *b)
{
	bool		or_always = a->meta.growth == 0 && b->meta.growth == 0;
	BbfMeta		meta = *parameters;
	PartList	list;
	Datum		result;

	meta.family = a->meta.family;
	meta.subtype = a->meta.subtype;
	blt_start_parts(&list, CurrentMemoryContext);
	add_parts(&list, a);
	add_parts(&list, b);
	result = unite_into_filter(fcinfo, &meta, &list, or_always);
	if (or_always && blt_is_overfull(&meta) &&
		!blt_is_overfull(&a->meta) && !blt_is_overfull(&b->meta))
		blt_warn_of_overfull(&meta);
	return result;
}

/* A part for up to 128 hashes that find no room. */
static void
add_rest(PartList *list, double fpp, const uint64_t *hashes, int nhashes)
{
	BbfGeometry geometry = blt_size_layer(BBF_KIND_BLOOM, BBF_MAX_LIST, fpp);
	BbfLayer	layer;

	blt_start_layer(&layer, &geometry, BBF_MAX_LIST, fpp);
	blt_add_part_of_keys(list, &layer, hashes, nhashes);
}

/* Unite a filter that has no room with up to 128 hashes. */
static Datum
unite_with_rest(FunctionCallInfo fcinfo, const FilterChange *build,
				const uint64_t *hashes, int nhashes)
{
	BbfMeta		meta = build->meta;
	PartList	list;

	blt_start_parts(&list, CurrentMemoryContext);
	add_parts(&list, build);
	add_rest(&list, meta.fpp, hashes, nhashes);
	return unite_into_filter(fcinfo, &meta, &list, false);
}

/* Add the hashes of a list, or of two, in ascending order. */
static Datum
add_lists(FunctionCallInfo fcinfo, FilterChange *build, const FilterChange *a, const FilterChange *b)
{
	BloomKey	key = key_of_family(bbf_meta_has_keys(&a->meta) ? &a->meta : &b->meta);
	unsigned	na = a->meta.nlist;
	unsigned	nb = b->meta.nlist;
	uint64_t	rest[BBF_MAX_LIST];
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

		/* once there is no room for one, there is none for those to come */
		if (nrest == 0 ? !blt_try_add_key(build, key) :
			!bbf_image_contains(&build->meta, build->bytes, key.hash))
			rest[nrest++] = key.hash;
	}
	return nrest == 0 ? blt_finish_change(build) :
		unite_with_rest(fcinfo, build, rest, nrest);
}

static Datum
unite(FunctionCallInfo fcinfo, const FilterChange *a, const FilterChange *b)
{
	FilterChange build;
	BbfMeta		parameters;

	unite_parameters(&parameters, &a->meta, &b->meta);
	if (a->meta.nlayers > 0 && b->meta.nlayers > 0)
		return unite_layers(fcinfo, &parameters, a, b);

	if (a->meta.nlayers > 0 || b->meta.nlayers > 0)
		build = a->meta.nlayers > 0 ? *a : *b;
	else
		blt_start_new_filter(&build, BBF_KIND_BLOOM, 1, DEFAULT_FPP, DEFAULT_GROWTH);
	blt_set_parameters(&build, &parameters);
	return add_lists(fcinfo, &build, a, b);
}

/*
 * The state of an aggregate
 */

static void
start_parts_of_state(PartList *list, const ExpandedFilter *state)
{
	blt_start_parts(list, state->header.eoh_context);
	for (unsigned i = 0; i < state->meta.nlayers; i++)
	{
		Part	   *part = blt_add_part(list, &state->meta.layers[i], state->blocks[i]);

		part->copy = state->blocks[i];
		part->settled = state->settled[i];
	}
}

/*
 * Unite the parts of a state, and those added to them, into the state.  First fit
 * has tried each two of the parts that are left.  So those that have not changed
 * since are settled: only the others, and further parts, are to be tried again.
 *
 * An error ends the aggregate.  Should anyone look at the state all the same, it
 * has no layers, so that no block is read that has been freed.
 */
static void
unite_into_state(FunctionCallInfo fcinfo, ExpandedFilter *state, PartList *list,
				 bool or_always)
{
	bool		merged;

	state->meta.nlayers = 0;
	merged = blt_unite_parts(list, or_always);
	for (int i = 0; i < list->nparts; i++)
	{
		Part	   *part = &list->parts[i];

		blt_own_part(list, part);
		state->blocks[i] = part->copy;
		state->settled[i] = !part->changed;
	}
	set_layers(&state->meta, list);
	if (merged)
		warn_of_rate(fcinfo, &state->meta);
}

static bool
state_contains(const ExpandedFilter *state, uint64 hash)
{
	for (unsigned i = 0; i < state->meta.nlayers; i++)
	{
		const BbfLayer *layer = &state->meta.layers[i];

		if (bbf_blocks_contain(state->blocks[i], layer->nbins, layer->key_bits, hash))
			return true;
	}
	return false;
}

/*
 * Add the hashes of a list to a state, as add_lists does.  False if a layer must be
 * opened for one: the hashes before it have been added then.
 */
static bool
add_list_to_state(FunctionCallInfo fcinfo, ExpandedFilter *state,
				  const BbfMeta *parameters, const FilterChange *side)
{
	BbfMeta    *meta = &state->meta;
	BbfLayer	next;
	uint64_t	rest[BBF_MAX_LIST];
	int			nrest = 0;

	for (unsigned i = 0; i < side->meta.nlist; i++)
	{
		uint64		hash = bbf_list_get(side->bytes, i);
		BbfLayer   *layer;

		if (state_contains(state, hash))
			continue;
		layer = blt_find_layer(meta, parameters->growth);
		if (layer != NULL)
		{
			unsigned	at = layer - meta->layers;

			layer->nset += bbf_blocks_add(state->blocks[at], layer->nbins,
										  layer->key_bits, hash);
			state->settled[at] = false;
		}
		else if (nrest == 0 && blt_start_next_layer(meta, parameters->growth, &next))
			return false;
		else
			rest[nrest++] = hash;
	}

	bbf_meta_set_parameters(meta, parameters);
	if (nrest > 0)
	{
		PartList	list;

		start_parts_of_state(&list, state);
		add_rest(&list, meta->fpp, rest, nrest);
		unite_into_state(fcinfo, state, &list, false);
	}
	return true;
}

/*
 * The state of an aggregate, if it is large: it can be changed in place.  Null
 * outside of aggregates.
 */
static ExpandedFilter *
large_state(FunctionCallInfo fcinfo)
{
	Datum		value = PG_GETARG_DATUM(0);
	MemoryContext context;
	ExpandedFilter *state;
	FilterChange plain;

	if (!AggCheckCallContext(fcinfo, &context))
		return NULL;
	state = blt_writable_expanded_filter(value);
	if (state != NULL)
		return state;
	if (toast_raw_datum_size(value) < EXPANDED_STATE_BYTES)
		return NULL;
	blt_start_change(&plain, value, BBF_KIND_BLOOM);
	return blt_expand_filter(&plain.meta, plain.bytes, context);
}

/*
 * Unite a filter into a state.  False if the state must be rebuilt for it: then
 * nothing has changed, except that some of the other filter's keys may be in it.
 */
static bool
unite_in_place(FunctionCallInfo fcinfo, ExpandedFilter *state,
			   const FilterChange *side)
{
	bool		or_always = state->meta.growth == 0 && side->meta.growth == 0;
	bool		may_warn = or_always && blt_call_may_be_first(fcinfo) &&
		!blt_is_overfull(&side->meta) && !blt_is_overfull(&state->meta);
	BbfMeta		parameters;

	unite_parameters(&parameters, &state->meta, &side->meta);
	if (side->meta.nlayers == 0)
	{
		if (!add_list_to_state(fcinfo, state, &parameters, side))
			return false;
	}
	else
	{
		PartList	list;

		bbf_meta_set_parameters(&state->meta, &parameters);
		start_parts_of_state(&list, state);
		add_parts(&list, side);
		unite_into_state(fcinfo, state, &list, or_always);
	}
	if (may_warn && blt_is_overfull(&state->meta) && blt_call_is_first(fcinfo))
		blt_warn_of_overfull(&state->meta);
	return true;
}

/* Is a new value the same image as that of a side? */
static bool
is_same(Datum result, const FilterChange *side)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(result);

	return VARSIZE(value) - VARHDRSZ == side->meta.length &&
		blt_compare(VARDATA(value), side->bytes, side->meta.length) == 0;
}

static Datum
unite_values(FunctionCallInfo fcinfo, const FilterChange *a, const FilterChange *b)
{
	Datum		result;

	blt_check_same_keys(&a->meta, &b->meta, FILTERS_ARE_UNITED);
	result = unite(fcinfo, a, b);

	/* a stored filter that does not change is not to be written again */
	if (is_same(result, a))
		return a->original;
	if (is_same(result, b))
		return b->original;
	return result;
}

Datum
bloomtype_bloom_union(PG_FUNCTION_ARGS)
{
	ExpandedFilter *state = large_state(fcinfo);
	FilterChange a;
	FilterChange b;
	Datum		expanded;

	if (state == NULL)
	{
		blt_start_change(&a, PG_GETARG_DATUM(0), BBF_KIND_BLOOM);
		blt_start_change(&b, PG_GETARG_DATUM(1), BBF_KIND_BLOOM);
		return unite_values(fcinfo, &a, &b);
	}

	expanded = blt_expanded_filter_datum(state);
	blt_start_change(&b, PG_GETARG_DATUM(1), BBF_KIND_BLOOM);
	blt_check_same_keys(&state->meta, &b.meta, FILTERS_ARE_UNITED);
	if (unite_in_place(fcinfo, state, &b))
		PG_RETURN_DATUM(expanded);

	/* rebuild it as a plain value; the caller deletes its own old state */
	blt_start_change(&a, PointerGetDatum(PG_DETOAST_DATUM(expanded)), BBF_KIND_BLOOM);
	if (expanded != PG_GETARG_DATUM(0))
		DeleteExpandedObject(expanded);
	return unite_values(fcinfo, &a, &b);
}

/*
 * Over no rows, or nulls only, the filter of bloom_agg over no rows.  A result never
 * shares memory with an expanded state, which may go on changing.
 */
Datum
bloomtype_bloom_union_agg_final(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(0))
		return VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(PG_GETARG_DATUM(0))) ?
			PointerGetDatum(PG_GETARG_VARLENA_P(0)) : PG_GETARG_DATUM(0);
	return blt_make_default_filter(BBF_KIND_BLOOM);
}
