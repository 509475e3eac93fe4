/*
 * dummy_type.c
 *	  SQL functions of type dummy: the kind of filter of the tests.
 *
 * Each takes what there is for every type in src/filter/, as those of src/types/ do.
 */
#include "compat.h"

#include "dummy.h"
#include "filter/filter_aggregate.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_io.h"
#include "filter/filter_match.h"
#include "filter/filter_parameters.h"
#include "filter/filter_sizing.h"
#include "miscadmin.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_dummy_in);
PG_FUNCTION_INFO_V1(bloomtype_dummy_recv);
PG_FUNCTION_INFO_V1(bloomtype_dummy_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_dummy_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_dummy_agg_key_transition);
PG_FUNCTION_INFO_V1(bloomtype_dummy_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_dummy_info);
PG_FUNCTION_INFO_V1(bloomtype_dummy_sizing);
PG_FUNCTION_INFO_V1(bloomtype_dummy_match);

#define KIND	BBF_KIND_DUMMY

Datum
bloomtype_dummy_in(PG_FUNCTION_ARGS)
{
	return blt_filter_in(fcinfo, KIND);
}

Datum
bloomtype_dummy_recv(PG_FUNCTION_ARGS)
{
	return blt_filter_recv(fcinfo, KIND);
}

Datum
bloomtype_dummy_from_bytea(PG_FUNCTION_ARGS)
{
	return blt_filter_from_bytea(fcinfo, KIND);
}

Datum
bloomtype_dummy_agg_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_transition(fcinfo, KIND, BLT_CAPACITY_BIGINT);
}

Datum
bloomtype_dummy_agg_key_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_key_transition(fcinfo, KIND, BLT_CAPACITY_BIGINT);
}

/* The list of few keys */
static Datum
make_list(const GatheredKeys *keys, BbfMeta *meta)
{
	struct varlena *filter;

	meta->nlist = keys->nhashes;
	filter = blt_lay_out_filter(meta);
	for (uint32 i = 0; i < keys->nhashes; i++)
		bbf_list_put(blt_filter_bytes(filter), i, keys->hashes[i]);
	return blt_finish_filter(filter, meta);
}

Datum
bloomtype_dummy_agg_final(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	FilterAggState *state = blt_agg_finish(fcinfo, KIND, &meta);
	const GatheredKeys *keys;
	BbfLayer   *layer = &meta.layers[0];
	uint64		capacity;

	if (state == NULL)
		return blt_make_empty_filter(&meta);
	keys = &state->keys;
	if (state->capacity == 0)
		meta.capacity = keys->nhashes;
	if (keys->nhashes <= BBF_MAX_LIST)
		return make_list(keys, &meta);

	meta.nlayers = 1;
	for (capacity = Max(meta.capacity, keys->nhashes);; capacity += capacity / 8 + 1)
	{
		BbfGeometry geometry = blt_size_layer(KIND, capacity, meta.fpp);
		struct varlena *filter;

		CHECK_FOR_INTERRUPTS();
		bbf_layer_init(layer, &geometry, meta.capacity, meta.fpp);
		filter = blt_lay_out_clear_filter(&meta);
		if (bbf_dummy_build(layer, blt_filter_bytes(filter) + layer->offset,
							keys->hashes, keys->nhashes))
			return blt_finish_filter(filter, &meta);
		pfree(filter);
	}
}

Datum
bloomtype_dummy_info(PG_FUNCTION_ARGS)
{
	return blt_layer_info(fcinfo, KIND, 1);
}

/* A row of bytes, bins, bits of a fingerprint, and bits a key. */
Datum
bloomtype_dummy_sizing(PG_FUNCTION_ARGS)
{
	FilterSizing sizing = blt_size_filter(fcinfo, KIND, BLT_CAPACITY_BIGINT);
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = Int64GetDatum(sizing.bytes);
	values[1] = Int64GetDatum((int64) sizing.geometry.nbins);
	values[2] = Int32GetDatum(sizing.geometry.key_bits);
	values[3] = Float8GetDatum(sizing.bits_per_key);
	return blt_return_row(fcinfo, values, nulls);
}

/* (filter, filter): true, or the error of filters that cannot be combined bin by bin. */
Datum
bloomtype_dummy_match(PG_FUNCTION_ARGS)
{
	BbfMeta		a;
	BbfMeta		b;

	blt_read_meta(PG_GETARG_DATUM(0), KIND, &a);
	blt_read_meta(PG_GETARG_DATUM(1), KIND, &b);
	blt_check_same_keys(&a, &b, BLT_FILTERS_ARE_COMPARED);
	blt_check_same_geometry(&a, &b, BLT_FILTERS_ARE_COMPARED);
	PG_RETURN_BOOL(true);
}
