/*
 * bloom_info.c
 *	  SQL functions that tell what a filter is, or what one would be.
 *
 * All that is said of a filter stands in the head of its image, so a stored
 * filter of any size is not read beyond that.
 */
#include "compat.h"

#include "core/estimate.h"
#include "fmgr.h"
#include "filter/filter_info.h"
#include "filter/filter_parameters.h"

PG_FUNCTION_INFO_V1(bloomtype_info);
PG_FUNCTION_INFO_V1(bloomtype_cardinality);
PG_FUNCTION_INFO_V1(bloomtype_current_fpp);
PG_FUNCTION_INFO_V1(bloomtype_sizing);
PG_FUNCTION_INFO_V1(bloomtype_expected_fpp);

Datum
bloomtype_info(PG_FUNCTION_ARGS)
{
	BbfImage	image;
	Datum		values[12];
	bool		nulls[12] = {false};
	int			probes = 0;
	uint64		bits = 0;
	uint64		bits_set = 0;

	bloomtype_read_head(PG_GETARG_DATUM(0), BBF_KIND_BLOOM, &image);
	for (unsigned i = 0; i < image.nlayers; i++)
	{
		probes += image.layers[i].nprobes;
		bits += (uint64) image.layers[i].nblocks * BBF_BLOCK_BITS;
		bits_set += image.layers[i].nset;
	}

	values[0] = bloomtype_key_type(&image);
	values[1] = Int64GetDatum((int64) image.capacity);
	values[2] = Float8GetDatum(image.fpp);
	values[3] = Int32GetDatum(image.growth);
	values[4] = Int32GetDatum((int32) image.nlayers);
	values[5] = Int32GetDatum(probes);
	values[6] = Int64GetDatum((int64) bits);
	values[7] = Int64GetDatum((int64) image.length);
	values[8] = Float8GetDatum(bits > 0 ? (float8) bits_set / bits : 0);
	values[9] = bloomtype_estimated_keys(&image, &nulls[9]);
	values[10] = Float8GetDatum(bbf_estimate_fpp(&image));
	values[11] = BoolGetDatum(bbf_is_saturated(&image));

	/* a list has no bits to speak of */
	nulls[5] = nulls[6] = nulls[8] = image.nlayers == 0;

	return bloomtype_return_row(fcinfo, values, nulls);
}

Datum
bloomtype_cardinality(PG_FUNCTION_ARGS)
{
	return bloomtype_image_cardinality(fcinfo, BBF_KIND_BLOOM);
}

Datum
bloomtype_current_fpp(PG_FUNCTION_ARGS)
{
	return bloomtype_image_current_fpp(fcinfo, BBF_KIND_BLOOM);
}

/*
 * The filter that bloom_create(capacity, fpp) becomes once it holds as many
 * keys, also where that is past the limit on one filter.
 */
Datum
bloomtype_sizing(PG_FUNCTION_ARGS)
{
	int64		capacity = PG_GETARG_INT64(0);
	float8		fpp = PG_GETARG_FLOAT8(1);
	Datum		values[4] = {0};
	bool		nulls[4] = {false};

	bloomtype_check_capacity(capacity);
	bloomtype_check_fpp(fpp);

	if (capacity <= BBF_MAX_LIST)
	{
		values[0] = Int64GetDatum(BBF_HEADER_BYTES + capacity * 8);
		nulls[1] = nulls[2] = true;
		values[3] = Float8GetDatum(64);
	}
	else
	{
		BbfGeometry geometry = bbf_size_layer(bloomtype_first_capacity(capacity,
																	   DEFAULT_GROWTH),
											  fpp);

		if (geometry.nblocks > (uint64) PG_INT64_MAX / BBF_BLOCK_BITS)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("size of the filter is out of range"),
					 errdetail("It would have more than 2^63 bits."),
					 errhint("Allow a higher probability, or a smaller capacity.")));
		values[0] = Int64GetDatum((int64) (BBF_HEADER_BYTES + BBF_LAYER_BYTES +
										   geometry.nblocks * BBF_BLOCK_BYTES));
		values[1] = Int64GetDatum((int64) (geometry.nblocks * BBF_BLOCK_BITS));
		values[2] = Int32GetDatum(geometry.nprobes);
		values[3] = Float8GetDatum((float8) (geometry.nblocks * BBF_BLOCK_BITS) /
								   capacity);
	}
	return bloomtype_return_row(fcinfo, values, nulls);
}

Datum
bloomtype_expected_fpp(PG_FUNCTION_ARGS)
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
