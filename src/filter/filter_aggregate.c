/*
 * filter_aggregate.c
 *	  The functions of aggregates: transition, combine, serialize, deserialize,
 *	  final.
 */
#include "compat.h"

#include "filter/filter_aggregate.h"

#include "core/family.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"

PG_FUNCTION_INFO_V1(bloomtype_agg_combine);
PG_FUNCTION_INFO_V1(bloomtype_agg_serialize);
PG_FUNCTION_INFO_V1(bloomtype_agg_deserialize);

/*
 * The parameters of the call: (value), (value, fpp) or (value, capacity, fpp).
 * A capacity that is null asks for sizing by itself: 0.
 */
static void
get_parameters(FunctionCallInfo fcinfo, BbfKind kind, int64 *capacity, double *fpp)
{
	int			fpp_argno = PG_NARGS() - 1;

	*capacity = 0;
	*fpp = BLT_DEFAULT_FPP;
	if (PG_NARGS() == 4 && !PG_ARGISNULL(2))
		*capacity = blt_get_capacity(fcinfo, 2);
	if (PG_NARGS() < 3)
		return;

	if (PG_ARGISNULL(fpp_argno))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("false-positive rate must not be null"),
				 errhint("For one false positive in a hundred absent keys write %g.", BLT_DEFAULT_FPP)));
	*fpp = PG_GETARG_FLOAT8(fpp_argno);

	if (PG_NARGS() == 3 && *fpp >= 1.0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("false-positive rate must be greater than 0 and less than 1"),
				 errdetail("The rate given is %g.", *fpp),
				 errhint("To give a capacity use the form with three arguments: %s_agg(value, capacity, fpp).",
						 bbf_kind_routine(kind)->name)));
	blt_check_fpp(*fpp);
}

static void
check_same_parameters(const FilterAggState *state, int64 capacity, double fpp)
{
	if (state->capacity != capacity || state->fpp != fpp)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("capacity and false-positive rate of %s_agg must not change within a group",
						state->routine->name),
				 state->capacity > 0 && capacity > 0 ?
				 errdetail("The first row has capacity %lld and rate %g, a later one %lld and %g.",
						   (long long) state->capacity, state->fpp,
						   (long long) capacity, fpp) :
				 state->capacity > 0 ?
				 errdetail("The first row has capacity %lld and rate %g, a later one none and %g.",
						   (long long) state->capacity, state->fpp, fpp) :
				 capacity > 0 ?
				 errdetail("The first row has no capacity and rate %g, a later one %lld and %g.",
						   state->fpp, (long long) capacity, fpp) :
				 errdetail("The first row has rate %g, a later one %g.",
						   state->fpp, fpp),
				 errhint("Add what changes to GROUP BY.")));
}

FilterAggState *
blt_agg_start_group(FunctionCallInfo fcinfo, BbfKind kind)
{
	MemoryContext context;
	int64		capacity;
	double		fpp;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate transition function called outside an aggregate");

	get_parameters(fcinfo, kind, &capacity, &fpp);

	/* fail at the first row, where TYPE_create(capacity, fpp) fails */
	blt_check_fpp_for_capacity(kind, Max(capacity, 1), fpp);
	return blt_new_filter_agg_state(context, bbf_kind_routine(kind), capacity, fpp);
}

void
blt_agg_check_parameters(FunctionCallInfo fcinfo, const FilterAggState *state)
{
	int64		capacity;
	double		fpp;

	get_parameters(fcinfo, state->routine->kind, &capacity, &fpp);
	check_same_parameters(state, capacity, fpp);
}

/* Add what another state has gathered. */
static void
merge_state(FilterAggState *state, FilterAggState *other)
{
	BloomKey	key = {.family = other->family,.subtype = other->subtype};

	if (other->family == BBF_FAMILY_NONE)
		return;
	blt_agg_match_family(state, key);

	blt_merge_keys(&state->keys, &other->keys);
}

Datum
bloomtype_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	FilterAggState *state = PG_ARGISNULL(0) ? NULL : (FilterAggState *) PG_GETARG_POINTER(0);
	FilterAggState *other = PG_ARGISNULL(1) ? NULL : (FilterAggState *) PG_GETARG_POINTER(1);

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate combine function called outside an aggregate");

	if (other != NULL)
	{
		/* the other state does not live as long as this one must */
		if (state == NULL)
			state = blt_new_filter_agg_state(context, other->routine, other->capacity,
											 other->fpp);
		if (other->routine != state->routine)
			elog(ERROR, "states of different aggregates");
		check_same_parameters(state, other->capacity, other->fpp);
		merge_state(state, other);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
bloomtype_agg_serialize(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate serialize function called outside an aggregate");
	PG_RETURN_BYTEA_P(blt_serialize_filter_agg_state((FilterAggState *) PG_GETARG_POINTER(0)));
}

Datum
bloomtype_agg_deserialize(PG_FUNCTION_ARGS)
{
	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate deserialize function called outside an aggregate");
	PG_RETURN_POINTER(blt_deserialize_filter_agg_state(PG_GETARG_BYTEA_PP(0)));
}

/*
 * Flush the state and set the metadata of the result, but for list and layers.
 * Returns null if there are no keys, so that there are neither.
 */
static FilterAggState *
start_result(FunctionCallInfo fcinfo, BbfKind kind, BbfMeta *meta)
{
	FilterAggState *state = PG_ARGISNULL(0) ? NULL : (FilterAggState *) PG_GETARG_POINTER(0);
	int			growth = blt_default_growth(kind);

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate final function called outside an aggregate");
	if (state == NULL)
	{
		bbf_meta_init(meta, kind, 1, BLT_DEFAULT_FPP, growth);
		return NULL;
	}
	if (state->routine->kind != kind)
		elog(ERROR, "state of another aggregate");

	blt_flush_filter_agg_state(state);
	bbf_meta_init(meta, kind, Max(state->capacity, 1), state->fpp, growth);
	meta->family = state->family;
	meta->subtype = state->subtype;
	return state->keys.bins != NULL || state->keys.nhashes > 0 ? state : NULL;
}

FilterAggState *
blt_agg_finish(FunctionCallInfo fcinfo, BbfKind kind, BbfMeta *meta)
{
	FilterAggState *state = start_result(fcinfo, kind, meta);

	if (state != NULL && state->keys.bins == NULL)
		(void) blt_sort_keys(&state->keys);
	return state;
}

Datum
blt_agg_final(FunctionCallInfo fcinfo, BbfKind kind)
{
	BbfMeta		meta;
	FilterAggState *state = start_result(fcinfo, kind, &meta);
	GatheredKeys *keys;
	BbfLayer   *layer = &meta.layers[0];
	struct varlena *filter;
	unsigned char *bins;

	if (state == NULL)
		return blt_make_empty_filter(&meta);
	keys = &state->keys;

	if (state->capacity == 0)
		meta.capacity = bbf_has_trait(state->routine, BBF_TRAIT_AGG_ADDS_COPIES) ?
			blt_sort_keys(keys) : keys->nhashes;
	if (bbf_has_trait(state->routine, BBF_TRAIT_LIST) && keys->bins == NULL &&
		keys->nhashes <= BBF_MAX_LIST)
	{
		meta.nlist = keys->nhashes;
		filter = blt_lay_out_filter(&meta);
		for (uint32 i = 0; i < keys->nhashes; i++)
			bbf_list_put(blt_list_of(filter), i, keys->hashes[i]);
		return blt_finish_filter(filter, &meta);
	}

	if (state->capacity > 0)
		*layer = state->layer;
	else
		*layer = blt_new_layer(kind, meta.capacity, state->fpp);
	meta.nlayers = 1;
	if (keys->bins != NULL)
	{
		filter = blt_lay_out_filter(&meta);
		bins = blt_bins_of(filter);
		blt_copy(bins, keys->bins, bbf_bins_bytes(state->routine, layer));
	}
	else
	{
		filter = blt_lay_out_clear_filter(&meta);
		bins = blt_bins_of(filter);
		blt_fill_bins(state, layer, bins);
	}
	layer->nset = blt_count_set(state->routine, layer, bins);

	/* what sizes itself is never too full */
	if (state->capacity > 0 && blt_is_overfull(&meta) && blt_call_is_first(fcinfo))
		blt_warn_of_overfull(&meta);
	return blt_finish_filter(filter, &meta);
}
