/*
 * filter_sizing.c
 *	  The size and the geometry that capacity and false-positive rate
 *	  ask for, as SQL rows.
 */
#include "compat.h"

#include "filter/filter_sizing.h"

#include "core/image.h"
#include "filter/filter_info.h"
#include "filter/filter_parameters.h"
#include "miscadmin.h"

/* The sizing of the filter for valid parameters. */
static FilterSizing
size_filter(BbfKind kind, int64 capacity, double fpp)
{
	FilterSizing sizing = {.geometry = {0}};
	double		bytes;

	if (bbf_has_trait(bbf_kind_routine(kind), BBF_TRAIT_LIST) && capacity <= BBF_MAX_LIST)
	{
		sizing.bytes = BBF_HEADER_BYTES + capacity * 8;
		sizing.bits_per_key = 64;
		return sizing;
	}

	sizing.geometry = blt_find_geometry(kind,
										bbf_first_capacity(kind, capacity, BBF_DEFAULT_GROWTH),
										fpp, BLT_CHECK_RATE);
	bytes = bbf_geometry_bytes(bbf_kind_routine(kind), &sizing.geometry);
	sizing.is_too_large = bytes > (double) BBF_MAX_BYTES;
	sizing.is_out_of_range = bytes >= (double) ((uint64) 1 << 60);
	if (sizing.is_out_of_range)
		return sizing;
	sizing.bytes = BBF_HEADER_BYTES + BBF_LAYER_RECORD_BYTES + (int64) bytes;
	sizing.bits_per_key = bytes * 8 / capacity;
	return sizing;
}

FilterSizing
blt_size_filter(FunctionCallInfo fcinfo, BbfKind kind)
{
	int64		capacity = blt_get_capacity(fcinfo, 0);
	float8		fpp = PG_GETARG_FLOAT8(1);
	FilterSizing sizing;

	blt_check_fpp(fpp);
	sizing = size_filter(kind, capacity, fpp);
	if (sizing.is_out_of_range)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("size of the filter is out of range"),
				 errdetail("It would have 2^63 bits or more."),
				 errhint("Allow a higher rate, or a smaller capacity.")));
	return sizing;
}

/* Does the filter for a capacity fit into this many bytes? */
static bool
fits(BbfKind kind, int64 capacity, double fpp, int64 bytes)
{
	FilterSizing sizing = size_filter(kind, capacity, fpp);

	return !sizing.is_out_of_range && sizing.bytes <= bytes;
}

/*
 * A list takes more bytes a key than most layers, so the size may fall where
 * the list ends; from there on it grows with the capacity.  The filter for
 * the result fits, and the one for a key more does not, whatever rounding
 * does in the model.
 */
int64
blt_capacity_within(BbfKind kind, int64 bytes, float8 fpp)
{
	int64		low = BBF_MAX_LIST + 1;
	int64		high = BLT_MAX_CAPACITY;

	if (!fits(kind, low, fpp, bytes))
	{
		low = 0;
		high = BBF_MAX_LIST;
	}
	while (low < high)
	{
		int64		middle = low + (high - low) / 2 + 1;

		CHECK_FOR_INTERRUPTS();
		if (fits(kind, middle, fpp, bytes))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
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
