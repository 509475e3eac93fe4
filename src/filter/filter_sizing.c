/*
 * filter_sizing.c
 *	  The size and the geometry that capacity and false-positive probability ask
 *	  for, as SQL rows.
 */
#include "compat.h"

#include "filter/filter_sizing.h"

#include "core/image.h"
#include "filter/filter_info.h"
#include "filter/filter_parameters.h"

FilterSizing
blt_size_filter(FunctionCallInfo fcinfo, BbfKind kind)
{
	int64		capacity = PG_GETARG_INT64(0);
	float8		fpp = PG_GETARG_FLOAT8(1);
	FilterSizing sizing = {.geometry = {0}};
	double		bytes;

	blt_check_capacity(capacity);
	blt_check_fpp(fpp);
	if (bbf_kind_routine(kind)->is_set && capacity <= BBF_MAX_LIST)
	{
		sizing.bytes = BBF_HEADER_BYTES + capacity * 8;
		sizing.bits_per_key = 64;
		return sizing;
	}

	sizing.geometry = blt_size_any_layer(kind,
										 blt_first_capacity(kind, capacity, DEFAULT_GROWTH),
										 fpp);
	bytes = blt_geometry_bytes(kind, &sizing.geometry);
	if (bytes >= (double) ((uint64) 1 << 60))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("size of the filter is out of range"),
				 errdetail("It would have 2^63 bits or more."),
				 errhint("Allow a higher probability, or a smaller capacity.")));
	sizing.bytes = BBF_HEADER_BYTES + BBF_LAYER_RECORD_BYTES + (int64) bytes;
	sizing.bits_per_key = bytes * 8 / capacity;
	sizing.is_too_large = bytes > (double) BBF_MAX_BYTES;
	return sizing;
}

Datum
blt_blocks_sizing(FunctionCallInfo fcinfo, BbfKind kind)
{
	FilterSizing sizing = blt_size_filter(fcinfo, kind);
	const BbfGeometry *geometry = &sizing.geometry;
	Datum		values[6];
	bool		nulls[6] = {false};

	values[0] = Int64GetDatum(sizing.bytes);
	values[1] = Int64GetDatum((int64) (geometry->nbins * BBF_BLOCK_BITS));
	values[2] = Int32GetDatum(geometry->key_bits);
	values[3] = Float8GetDatum(sizing.bits_per_key);
	values[4] = Int64GetDatum((int64) geometry->nbins);
	values[5] = Int64GetDatum((int64) geometry->full_at);
	nulls[1] = nulls[2] = nulls[4] = geometry->nbins == 0;
	nulls[5] = geometry->nbins == 0 || sizing.is_too_large;
	return blt_return_row(fcinfo, values, nulls);
}
