/*
 * filter_overhead.c
 *	  TYPE_overhead: what a filter costs compared with one that is made for
 *	  its keys now.
 */
#include "compat.h"

#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_parameters.h"
#include "fmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_overhead);

/*
 * (filter): a row of bytes and probes, each divided by those of a filter with
 * one layer for its keys, or for its capacity where that is more, at its
 * target_fpp; number of layers; and current_fpp divided by target_fpp.  Bytes
 * and probes are null where the number of keys is, and where that layer would
 * pass the limit on a filter.  What has no layer is as it should be.
 */
Datum
bloomtype_overhead(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	double		bytes = 1.0;
	double		probes = 1.0;
	Datum		values[4];
	bool		nulls[4] = {false};

	blt_read_meta(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);
	if (meta.nlayers > 0)
	{
		const BbfKindRoutine *routine = bbf_kind_routine(meta.kind);
		uint64		keys = (uint64) DatumGetInt64(blt_number_of_keys(&meta, &nulls[0]));
		uint64		capacity = bbf_first_capacity(meta.kind, Max(keys, meta.capacity),
												  BBF_DEFAULT_GROWTH);
		BbfGeometry geometry = routine->size(capacity, meta.fpp);
		double		sized = bbf_geometry_bytes(routine, &geometry);
		int			nprobes = 0;

		for (unsigned i = 0; i < meta.nlayers; i++)
			nprobes += meta.layers[i].key_bits;

		/*
		 * without key_bits: there is no such filter, though an image may ask
		 * for it
		 */
		nulls[0] = nulls[0] || geometry.key_bits == 0 || sized > (double) BBF_MAX_BYTES;
		bytes = meta.length / (BBF_HEADER_BYTES + BBF_LAYER_RECORD_BYTES + sized);
		if (bbf_has_trait(routine, BBF_TRAIT_KEY_BITS_ARE_PROBES) && geometry.key_bits > 0)
			probes = (double) nprobes / geometry.key_bits;
	}
	nulls[1] = nulls[0];

	values[0] = Float8GetDatum(bytes);
	values[1] = Float8GetDatum(probes);
	values[2] = Int32GetDatum((int32) meta.nlayers);
	values[3] = Float8GetDatum(bbf_meta_fpp(&meta) / meta.fpp);
	return blt_return_row(fcinfo, values, nulls);
}
