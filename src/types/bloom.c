/*
 * bloom.c
 *	  SQL functions of type bloom: input, bloom_create, bloom_agg, bloom_info
 *	  and sizing.
 *
 * Functions that depend on no more than the kind are in src/filter/; union,
 * intersection and shrink have files of their own.
 */
#include "compat.h"

#include "core/image.h"
#include "filter/filter_aggregate.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_io.h"
#include "filter/filter_parameters.h"
#include "filter/filter_sizing.h"
#include "fmgr.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_bloom_in);
PG_FUNCTION_INFO_V1(bloomtype_bloom_recv);
PG_FUNCTION_INFO_V1(bloomtype_bloom_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_bloom_create);
PG_FUNCTION_INFO_V1(bloomtype_bloom_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_bloom_agg_key_transition);
PG_FUNCTION_INFO_V1(bloomtype_bloom_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_bloom_info);
PG_FUNCTION_INFO_V1(bloomtype_bloom_sizing);
PG_FUNCTION_INFO_V1(bloomtype_bloom_capacity);
PG_FUNCTION_INFO_V1(bloomtype_bloom_expected_fpp);

#define KIND	BBF_KIND_BLOOM

Datum
bloomtype_bloom_in(PG_FUNCTION_ARGS)
{
	return blt_filter_in(fcinfo, KIND);
}

Datum
bloomtype_bloom_recv(PG_FUNCTION_ARGS)
{
	return blt_filter_recv(fcinfo, KIND);
}

Datum
bloomtype_bloom_from_bytea(PG_FUNCTION_ARGS)
{
	return blt_filter_from_bytea(fcinfo, KIND);
}

/* (capacity float8, fpp float8, growth int): a filter without keys. */
Datum
bloomtype_bloom_create(PG_FUNCTION_ARGS)
{
	return blt_create_filter(fcinfo, KIND);
}

Datum
bloomtype_bloom_agg_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_transition(fcinfo, KIND);
}

Datum
bloomtype_bloom_agg_key_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_key_transition(fcinfo, KIND);
}

Datum
bloomtype_bloom_agg_final(PG_FUNCTION_ARGS)
{
	return blt_agg_final(fcinfo, KIND);
}

Datum
bloomtype_bloom_info(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	Datum		values[12];
	bool		nulls[12] = {false};
	int			probes = 0;
	uint64		bits = 0;
	uint64		bits_set = 0;

	blt_read_meta(PG_GETARG_DATUM(0), KIND, &meta);
	for (unsigned i = 0; i < meta.nlayers; i++)
	{
		probes += meta.layers[i].key_bits;
		bits += (uint64) meta.layers[i].nbins * BBF_BLOCK_BITS;
		bits_set += meta.layers[i].nset;
	}

	values[0] = blt_key_family(&meta);
	values[1] = Int64GetDatum((int64) meta.capacity);
	values[2] = Float8GetDatum(meta.fpp);
	values[3] = Int32GetDatum(meta.growth);
	values[4] = Int32GetDatum((int32) meta.nlayers);
	values[5] = Int32GetDatum(probes);
	values[6] = Int64GetDatum((int64) bits);
	values[7] = Int64GetDatum((int64) meta.length);
	values[8] = Float8GetDatum(bits > 0 ? (float8) bits_set / bits : 0);
	values[9] = blt_number_of_keys(&meta, &nulls[9]);
	values[10] = Float8GetDatum(bbf_meta_fpp(&meta));
	values[11] = BoolGetDatum(bbf_meta_is_saturated(&meta));

	/* a list has no bits to speak of */
	nulls[5] = nulls[6] = nulls[8] = meta.nlayers == 0;

	return blt_return_row(fcinfo, values, nulls);
}

Datum
bloomtype_bloom_sizing(PG_FUNCTION_ARGS)
{
	return blt_blocks_sizing(fcinfo, KIND);
}

/* (bytes bigint, fpp float8): how many keys fit; null if not even one does. */
Datum
bloomtype_bloom_capacity(PG_FUNCTION_ARGS)
{
	int64		bytes = PG_GETARG_INT64(0);
	float8		fpp = PG_GETARG_FLOAT8(1);
	int64		capacity;

	if (bytes < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bytes must be at least 1"),
				 errdetail("The number given is %lld.", (long long) bytes),
				 errhint("It is the room that there is for the filter.")));
	blt_check_fpp(fpp);
	capacity = blt_capacity_within(KIND, bytes, fpp);
	if (capacity == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(capacity);
}

/*
 * (bits_per_key float8): the rate of a filter with 0.1 .. 1000 bits for each
 * key and the best number of probes, by the model of core/sizing.h.
 */
Datum
bloomtype_bloom_expected_fpp(PG_FUNCTION_ARGS)
{
	float8		bits_per_key = PG_GETARG_FLOAT8(0);
	double		fpp;

	if (!(bits_per_key >= 0.1 && bits_per_key <= 1000))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bits per key must be between 0.1 and 1000"),
				 errdetail("The number given is %g.", bits_per_key),
				 errhint("Common values lie between 8 and 24.")));
	(void) bbf_best_probes(BBF_BLOCK_BITS / bits_per_key, &fpp);
	PG_RETURN_FLOAT8(fpp);
}
