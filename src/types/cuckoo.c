/*
 * cuckoo.c
 *	  SQL functions of type cuckoo: fingerprints of keys, which can be
 *	  deleted.
 *
 * There is no false negative as long as only keys are removed that were
 * added, and not more often: to remove another may take the fingerprint of
 * one that is still there.  core/cuckoo.h describes the filter.
 */
#include "compat.h"

#include "core/cuckoo.h"
#include "filter/filter_aggregate.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_io.h"
#include "filter/filter_parameters.h"
#include "filter/filter_sizing.h"
#include "miscadmin.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_cuckoo_in);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_recv);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_create);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_agg_key_transition);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_info);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_sizing);

#define KIND	BBF_KIND_CUCKOO

Datum
bloomtype_cuckoo_in(PG_FUNCTION_ARGS)
{
	return blt_filter_in(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_recv(PG_FUNCTION_ARGS)
{
	return blt_filter_recv(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_from_bytea(PG_FUNCTION_ARGS)
{
	return blt_filter_from_bytea(fcinfo, KIND);
}

/* (capacity float8, fpp float8): a filter without keys. */
Datum
bloomtype_cuckoo_create(PG_FUNCTION_ARGS)
{
	return blt_create_filter(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_agg_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_transition(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_agg_key_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_key_transition(fcinfo, KIND);
}

/*
 * Add hashes to a layer without keys, whose buckets are clear.  False if one
 * found no place; layer->nset is then its number.
 */
static bool
fill_buckets(BbfLayer *layer, unsigned char *buckets, const uint64_t *hashes,
			 uint32 n)
{
	uint32		i = 0;

	while (i < n && bbf_cuckoo_add(buckets, layer->nbins, layer->key_bits, hashes[i]))
	{
		/*
		 * a key takes up to a tenth of a millisecond if the filter is nearly
		 * full
		 */
		if (++i % 512 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	layer->nset = i;
	return i == n;
}

/*
 * A filter that sizes itself is made larger if, by a rare chance, some key
 * finds no place.  That would go on for ever with keys that were chosen to
 * have all their hash but a few bits in common.
 */
#define MAX_ATTEMPTS	16

/*
 * Keys come in the order of their hashes, so the result does not depend on the
 * order of rows.
 */
Datum
bloomtype_cuckoo_agg_final(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	FilterAggState *state = blt_agg_finish(fcinfo, KIND, &meta);
	GatheredKeys *keys;
	BbfLayer   *layer = &meta.layers[0];
	uint64		capacity;

	if (state == NULL)
		return blt_make_empty_filter(&meta);

	keys = &state->keys;
	if (state->capacity == 0)
		meta.capacity = keys->nhashes;
	meta.nlayers = 1;
	capacity = meta.capacity;

	for (int attempt = 1;; attempt++)
	{
		BbfGeometry geometry = blt_find_geometry(KIND, capacity, meta.fpp, BLT_CHECK_GEOMETRY);
		struct varlena *filter;
		unsigned char *buckets;

		CHECK_FOR_INTERRUPTS();
		bbf_layer_init(layer, &geometry, meta.capacity, meta.fpp);
		filter = blt_lay_out_clear_filter(&meta);
		buckets = blt_bins_of(filter);
		if (fill_buckets(layer, buckets, keys->hashes, keys->nhashes))
			return blt_finish_filter(filter, &meta);

		if (state->capacity > 0 && keys->nhashes > state->capacity)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many keys for the capacity of a cuckoo filter"),
					 errdetail("The capacity given is %lld; there are %u distinct keys.",
							   (long long) state->capacity, keys->nhashes),
					 errhint("Give a larger capacity to cuckoo_agg, or a null one to let it size the filter.")));
		if (state->capacity > 0 || attempt == MAX_ATTEMPTS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("cuckoo filter has no place for one of %u distinct keys",
							keys->nhashes),
					 errdetail("Of %u buckets the two for this key are full.", layer->nbins),
					 state->capacity > 0 ?
					 errhint("Give a larger capacity to cuckoo_agg, or a null one to let it size the filter.") :
					 errhint("Too many keys have nearly the same hash: use bloom_agg or counting_bloom_agg.")));
		pfree(filter);
		capacity += capacity / 8 + 1;
	}
}

Datum
bloomtype_cuckoo_info(PG_FUNCTION_ARGS)
{
	return blt_layer_info(fcinfo, KIND, 1);
}

/* A row of bytes, buckets, bits of a fingerprint, and bits a key. */
Datum
bloomtype_cuckoo_sizing(PG_FUNCTION_ARGS)
{
	FilterSizing sizing = blt_size_filter(fcinfo, KIND);
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = Int64GetDatum(sizing.bytes);
	values[1] = Int64GetDatum((int64) sizing.geometry.nbins);
	values[2] = Int32GetDatum(sizing.geometry.key_bits);
	values[3] = Float8GetDatum(sizing.bits_per_key);
	return blt_return_row(fcinfo, values, nulls);
}
