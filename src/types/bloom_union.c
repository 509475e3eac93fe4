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
 *	- Otherwise the layers of both sides are united (bloom_layer_union.h).  Two
 *	  filters of fixed size are OR-ed where they have the same geometry, full
 *	  or not.
 *
 * No key is lost, and a | b and b | a are the same bytes.
 *
 * bloom_union_agg calls bloom_union for every filter.  Once its state is
 * large, it is an expanded filter, which is changed in place: a further
 * filter costs as much as its own bytes, not those of the state.  The bytes
 * are those of |.
 */
#include "compat.h"

#include "access/detoast.h"
#include "filter/call_cache.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_match.h"
#include "filter/filter_parameters.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "types/bloom_layer_union.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_union);
PG_FUNCTION_INFO_V1(bloomtype_bloom_union_agg_final);

/*
 * Bytes from which on the state of an aggregate is an expanded filter.  Each
 * takes about 5 kB more, or up to 15 kB with many layers, and has a memory
 * context of its own; a hash aggregate visits all of these at each new group,
 * to know how much memory it takes.  A test may define it as less, to try the
 * same with small filters.
 */
#ifndef EXPANDED_STATE_BYTES
#define EXPANDED_STATE_BYTES	65536
#endif

StaticAssertDecl(EXPANDED_STATE_BYTES > VARHDRSZ + BBF_HEADER_BYTES + 8 * BBF_MAX_LIST,
				 "what is expanded has layers");

/* A filter that is united. */
typedef struct Side
{
	Datum		value;
	BbfFilter	filter;
} Side;

static void
read_side(Side *side, Datum value)
{
	side->value = value;
	blt_read_filter(value, BBF_KIND_BLOOM, &side->filter);
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
				 errdetail("A filter has at most %d layers, and 512 MB; its false-positive rate is now %.2g instead of %g.",
						   BBF_MAX_LAYERS, bbf_meta_fpp(meta), meta->fpp),
				 errhint("Make the filters with one capacity, large enough for the keys of all: bloom_agg(value, capacity, fpp).")));
}

/* Unite layers, which become those of a filter. */
static void
unite_layers(FunctionCallInfo fcinfo, OpenFilter *open, LayerList *list, bool or_always)
{
	bool		merged = blt_unite_layers(list, or_always);

	blt_put_layers(list, open);
	if (merged)
		warn_of_rate(fcinfo, &open->object.filter.meta);
}

/*
 * Add keys to a filter, in ascending order of their hashes, as bloom_add does.
 * Those that find no room, up to 128, make a layer, which is united with the
 * others.  Returns whether all found room.
 */
static bool
add_keys(FunctionCallInfo fcinfo, OpenFilter *open, const uint64_t *hashes, unsigned nhashes)
{
	uint64_t	rest[BBF_MAX_LIST];
	int			nrest = 0;
	BbfLayer	record;
	LayerList	list;

	for (unsigned i = 0; i < nhashes; i++)
	{
		bool		is_in;

		CHECK_FOR_INTERRUPTS();

		/* once there is no room for one, there is none for those to come */
		if (nrest == 0)
			is_in = blt_add_hash(open, hashes[i]);
		else
			is_in = bbf_filter_contains(&open->object.filter, hashes[i]);
		if (!is_in)
			rest[nrest++] = hashes[i];
	}
	if (nrest == 0)
		return true;

	record = blt_new_layer(BBF_KIND_BLOOM, BBF_MAX_LIST, open->object.filter.meta.fpp);
	blt_take_layers(&list, open);
	blt_add_layer_of_keys(&list, &record, rest, nrest);
	unite_layers(fcinfo, open, &list, false);
	return false;
}

/* The hashes of two lists, each once, in ascending order; returns how many. */
static unsigned
merge_lists(uint64_t *hashes, const Side *a, const Side *b)
{
	unsigned	na = a->filter.meta.nlist;
	unsigned	nb = b->filter.meta.nlist;
	unsigned	n = 0;
	unsigned	i = 0;
	unsigned	j = 0;

	while (i < na || j < nb)
	{
		uint64		hash;

		if (j == nb ||
			(i < na && bbf_list_get(a->filter.list, i) < bbf_list_get(b->filter.list, j)))
			hash = bbf_list_get(a->filter.list, i++);
		else
			hash = bbf_list_get(b->filter.list, j++);
		if (n == 0 || hashes[n - 1] != hash)
			hashes[n++] = hash;
	}
	return n;
}

static Datum
make_list(BbfMeta *meta, const uint64_t *hashes, unsigned nhashes)
{
	struct varlena *filter;

	meta->nlist = nhashes;
	filter = blt_lay_out_filter(meta);
	for (unsigned i = 0; i < nhashes; i++)
		bbf_list_put(blt_list_of(filter), i, hashes[i]);
	return blt_finish_filter(filter, meta);
}

static void
warn_if_overfull(const BbfMeta *meta)
{
	if (blt_is_overfull(meta))
		blt_warn_of_overfull(meta);
}

/* Unite two filters without layers. */
static Datum
unite_lists(FunctionCallInfo fcinfo, const Side *a, const Side *b)
{
	const Side *side = bbf_meta_has_keys(&a->filter.meta) ? a : b;
	uint64_t	hashes[2 * BBF_MAX_LIST];
	unsigned	nhashes = merge_lists(hashes, a, b);
	OpenFilter	open;
	BbfMeta    *meta = &open.object.filter.meta;

	blt_open_filter(&open, side->value, &side->filter);
	bbf_meta_unite_parameters(meta, &a->filter.meta, &b->filter.meta);
	if (nhashes <= BBF_MAX_LIST)
		return make_list(meta, hashes, nhashes);

	/* as bloom_add does, to which the keys come in this order */
	meta->nlist = 0;
	if (add_keys(fcinfo, &open, hashes, nhashes))
		warn_if_overfull(meta);
	return blt_flatten_filter(&open);
}

/*
 * Unite a filter into one with layers.  Returns whether the result may be
 * overfull where the two were not: keys were added to layers, or both are of
 * fixed size.
 */
static bool
unite_into(FunctionCallInfo fcinfo, OpenFilter *open, const BbfFilter *other)
{
	BbfMeta    *meta = &open->object.filter.meta;
	bool		or_always = meta->growth == 0 && other->meta.growth == 0;
	uint64_t	hashes[BBF_MAX_LIST];
	LayerList	list;

	bbf_meta_unite_parameters(meta, meta, &other->meta);
	if (other->meta.nlayers == 0)
	{
		for (unsigned i = 0; i < other->meta.nlist; i++)
			hashes[i] = bbf_list_get(other->list, i);
		return add_keys(fcinfo, open, hashes, other->meta.nlist);
	}
	blt_take_layers(&list, open);
	blt_add_layers(&list, other);
	unite_layers(fcinfo, open, &list, or_always);
	return or_always;
}

/* Unite two filters, the first of which has layers. */
static Datum
unite_filters(FunctionCallInfo fcinfo, const Side *a, const Side *b)
{
	bool		was_overfull = blt_is_overfull(&a->filter.meta) ||
		blt_is_overfull(&b->filter.meta);
	OpenFilter	open;

	blt_open_filter(&open, a->value, &a->filter);
	if (unite_into(fcinfo, &open, &b->filter) && !was_overfull)
		warn_if_overfull(&open.object.filter.meta);
	return blt_flatten_filter(&open);
}

static Datum
unite_values(FunctionCallInfo fcinfo, const Side *a, const Side *b)
{
	Datum		result;

	blt_check_same_keys(&a->filter.meta, &b->filter.meta, BLT_FILTERS_ARE_UNITED);
	if (a->filter.meta.nlayers > 0)
		result = unite_filters(fcinfo, a, b);
	else if (b->filter.meta.nlayers > 0)
		result = unite_filters(fcinfo, b, a);
	else
		result = unite_lists(fcinfo, a, b);

	/* a stored filter that does not change is not to be written again */
	if (blt_is_filter(result, &a->filter))
		return a->value;
	if (blt_is_filter(result, &b->filter))
		return b->value;
	return result;
}

/*
 * The state of an aggregate, if it is large: it can be changed in place.  Null
 * outside of aggregates.
 */
static OpenFilter *
large_state(FunctionCallInfo fcinfo)
{
	Datum		value = PG_GETARG_DATUM(0);
	MemoryContext context;
	OpenFilter *state;
	BbfFilter	plain;

	if (!AggCheckCallContext(fcinfo, &context))
		return NULL;
	state = blt_open_expanded(value);
	if (state != NULL)
		return state;
	if (toast_raw_datum_size(value) < EXPANDED_STATE_BYTES)
		return NULL;
	blt_read_filter(value, BBF_KIND_BLOOM, &plain);
	return blt_expand_layers(&plain, context);
}

/* Unite a filter into the state of an aggregate, which warns once. */
static void
unite_into_state(FunctionCallInfo fcinfo, OpenFilter *state, const BbfFilter *other)
{
	const BbfMeta *meta = &state->object.filter.meta;
	bool		may_warn = meta->growth == 0 && other->meta.growth == 0 &&
		blt_call_may_be_first(fcinfo) &&
		!blt_is_overfull(&other->meta) && !blt_is_overfull(meta);

	(void) unite_into(fcinfo, state, other);
	if (may_warn && blt_is_overfull(meta) && blt_call_is_first(fcinfo))
		blt_warn_of_overfull(meta);
}

Datum
bloomtype_bloom_union(PG_FUNCTION_ARGS)
{
	OpenFilter *state = large_state(fcinfo);
	Side		a;
	Side		b;

	if (state == NULL)
		read_side(&a, PG_GETARG_DATUM(0));
	read_side(&b, PG_GETARG_DATUM(1));
	if (state == NULL)
		return unite_values(fcinfo, &a, &b);
	blt_check_same_keys(&state->object.filter.meta, &b.filter.meta, BLT_FILTERS_ARE_UNITED);
	unite_into_state(fcinfo, state, &b.filter);
	return state->value;
}

/*
 * Over no rows, or nulls only, the filter of bloom_agg over no rows.  A
 * result never shares memory with an expanded state, which may go on
 * changing.
 */
Datum
bloomtype_bloom_union_agg_final(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(0))
		return VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(PG_GETARG_DATUM(0))) ?
			PointerGetDatum(PG_GETARG_VARLENA_P(0)) : PG_GETARG_DATUM(0);
	return blt_make_default_filter(BBF_KIND_BLOOM);
}
