/*
 * filter_info.c
 *	  What is read from the metadata of a filter, as SQL values and rows, and
 *	  the warning that goes with it.
 */
#include "compat.h"

#include "filter/filter_info.h"

#include <math.h>

#include "access/htup_details.h"
#include "core/family.h"
#include "filter/filter_datum.h"
#include "funcapi.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(bloomtype_cardinality);
PG_FUNCTION_INFO_V1(bloomtype_current_fpp);

Datum
blt_return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

Datum
blt_key_family(const BbfMeta *meta)
{
	return CStringGetTextDatum(bbf_family_name(meta->family));
}

/*
 * The bits that two filters have in common do not show how many keys they are,
 * nor do those of a filter of which nearly all are set.
 */
Datum
blt_number_of_keys(const BbfMeta *meta, bool *isnull)
{
	double		keys = bbf_meta_keys(meta);

	*isnull = (meta->flags & BBF_FLAG_INTERSECTION) != 0 || !bbf_meta_can_estimate_keys(meta);
	/* no number of an image takes it there; the cast must be safe even so */
	if (keys >= (double) PG_INT64_MAX)
		return Int64GetDatum(PG_INT64_MAX);
	return Int64GetDatum((int64) rint(keys));
}

bool
blt_is_overfull(const BbfMeta *meta)
{
	return bbf_meta_is_saturated(meta) && bbf_meta_fpp(meta) > meta->fpp;
}

void
blt_warn_of_overfull(const BbfMeta *meta)
{
	const char *name = bbf_kind_routine(meta->kind)->name;

	ereport(WARNING,
			(errmsg("filter holds more keys than its capacity"),
			 bbf_meta_can_estimate_keys(meta) ?
			 errdetail("It was made for %llu keys and holds about %.0f; its false-positive rate is now %.4g instead of %g.",
					   (unsigned long long) meta->capacity, bbf_meta_keys(meta),
					   bbf_meta_fpp(meta), meta->fpp) :
			 errdetail("It was made for %llu keys and holds at least %.0f; its false-positive rate is now %.4g instead of %g.",
					   (unsigned long long) meta->capacity, bbf_meta_keys(meta),
					   bbf_meta_fpp(meta), meta->fpp),
			 bbf_has_trait(bbf_kind_routine(meta->kind), BBF_TRAIT_GROWTH) && meta->growth == 0 ?
			 errhint("Let it grow: %s_create(%llu, %g). Or make it with a larger capacity, or let it size itself: %s_agg(value, %g).",
					 name, (unsigned long long) meta->capacity, meta->fpp, name, meta->fpp) :
			 errhint("Make it without a capacity, so that it sizes itself: %s_agg(value, %g). Or give a capacity of at least the number of distinct keys.",
					 name, meta->fpp)));
}

Datum
blt_layer_info(FunctionCallInfo fcinfo, BbfKind kind, unsigned shown_per_bin)
{
	BbfMeta		meta;
	const BbfLayer *layer = &meta.layers[0];
	uint64		nbins = 0;
	Datum		values[10];
	bool		nulls[10] = {false};

	blt_read_meta(PG_GETARG_DATUM(0), kind, &meta);
	if (meta.nlayers > 0)
		nbins = layer->nbins;
	nulls[3] = nulls[4] = nbins == 0;

	values[0] = blt_key_family(&meta);
	values[1] = Int64GetDatum((int64) meta.capacity);
	values[2] = Float8GetDatum(meta.fpp);
	values[3] = Int32GetDatum(nbins > 0 ? layer->key_bits : 0);
	values[4] = Int64GetDatum((int64) (nbins * shown_per_bin));
	values[5] = Int64GetDatum((int64) meta.length);
	values[6] = Float8GetDatum(nbins > 0 ? (float8) layer->nset /
							   (nbins * bbf_kind_routine(kind)->max_bin_nset) : 0);
	values[7] = blt_number_of_keys(&meta, &nulls[7]);
	values[8] = Float8GetDatum(bbf_meta_fpp(&meta));
	values[9] = BoolGetDatum(bbf_meta_is_saturated(&meta));
	return blt_return_row(fcinfo, values, nulls);
}

/*
 * (filter): number of keys as bigint, exact for a list and for fingerprints,
 * else estimated; null for an intersection, and where the layers do not show
 * (bbf_meta_layer_keys).
 */
Datum
bloomtype_cardinality(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	bool		isnull;
	Datum		keys;

	blt_read_meta(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);
	keys = blt_number_of_keys(&meta, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(keys);
}

/* (filter): the rate at the present number of keys, 0 .. 1. */
Datum
bloomtype_current_fpp(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;

	blt_read_meta(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);
	PG_RETURN_FLOAT8(bbf_meta_fpp(&meta));
}
