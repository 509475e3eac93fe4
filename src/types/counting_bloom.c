/*
 * counting_bloom.c
 *	  SQL functions of type counting_bloom: a Bloom filter that counts, so
 *	  that keys can be deleted.
 *
 * Each bit of a bloom filter is a counter of 4 bits here, so the filter is
 * four times as large.  There is no false negative as long as a key is
 * removed no more often than it was added, even if counters reach 15: those
 * never change again.
 */
#include "compat.h"

#include "core/counting.h"
#include "filter/filter_aggregate.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_io.h"
#include "filter/filter_match.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "filter/filter_sizing.h"
#include "miscadmin.h"
#include "types/sql_functions.h"

PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_in);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_recv);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_create);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_agg_transition);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_agg_key_transition);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_union);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_union_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_to_bloom);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_info);
PG_FUNCTION_INFO_V1(bloomtype_counting_bloom_sizing);

#define KIND	BBF_KIND_COUNTING_BLOOM

Datum
bloomtype_counting_bloom_in(PG_FUNCTION_ARGS)
{
	return blt_filter_in(fcinfo, KIND);
}

Datum
bloomtype_counting_bloom_recv(PG_FUNCTION_ARGS)
{
	return blt_filter_recv(fcinfo, KIND);
}

Datum
bloomtype_counting_bloom_from_bytea(PG_FUNCTION_ARGS)
{
	return blt_filter_from_bytea(fcinfo, KIND);
}

/* (capacity float8, fpp float8): a filter without keys. */
Datum
bloomtype_counting_bloom_create(PG_FUNCTION_ARGS)
{
	return blt_create_filter(fcinfo, KIND);
}

Datum
bloomtype_counting_bloom_agg_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_transition(fcinfo, KIND);
}

Datum
bloomtype_counting_bloom_agg_key_transition(PG_FUNCTION_ARGS)
{
	return blt_agg_key_transition(fcinfo, KIND);
}

Datum
bloomtype_counting_bloom_agg_final(PG_FUNCTION_ARGS)
{
	return blt_agg_final(fcinfo, KIND);
}

/*
 * Add the counters of two filters, of the same geometry; result has the
 * parameters of both.  The first is changed in place if it is a state.
 */
static Datum
add_counters(FunctionCallInfo fcinfo, BbfMeta *result, const BbfFilter *a, const BbfFilter *b)
{
	const BbfKindRoutine *routine = bbf_kind_routine(KIND);
	BbfLayer   *layer = &result->layers[0];
	struct varlena *filter = blt_is_plain_state(fcinfo) ?
		(struct varlena *) DatumGetPointer(PG_GETARG_DATUM(0)) :
		blt_copy_only_layer(result, a->bins[0]);

	blt_unite_bins(routine, layer, blt_bins_of(filter), b->bins[0]);
	layer->nset = blt_count_set(routine, layer, blt_bins_of(filter));
	return blt_finish_filter(filter, result);
}

Datum
bloomtype_counting_bloom_union(PG_FUNCTION_ARGS)
{
	BbfFilter	a;
	BbfFilter	b;
	BbfMeta		meta;
	Datum		result;

	blt_read_filter(PG_GETARG_DATUM(0), KIND, &a);
	blt_read_filter(PG_GETARG_DATUM(1), KIND, &b);
	blt_check_same_keys(&a.meta, &b.meta, BLT_FILTERS_ARE_UNITED);
	if (a.meta.nlayers > 0 && b.meta.nlayers == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (a.meta.nlayers == 0 && b.meta.nlayers > 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));

	meta = a.meta;
	meta.capacity = Max(a.meta.capacity, b.meta.capacity);
	meta.fpp = Max(a.meta.fpp, b.meta.fpp);
	if (a.meta.nlayers == 0)
		result = blt_make_empty_filter(&meta);
	else
	{
		blt_check_same_geometry(&a.meta, &b.meta, BLT_FILTERS_ARE_UNITED);
		bbf_layer_unite_record(&meta.layers[0], &b.meta.layers[0]);
		result = add_counters(fcinfo, &meta, &a, &b);
		if (!blt_is_overfull(&a.meta) && !blt_is_overfull(&b.meta) && blt_is_overfull(&meta))
			blt_warn_of_overfull(&meta);
	}

	/* a stored filter that does not change is not to be written again */
	if (result == PG_GETARG_DATUM(0) || blt_is_filter(result, &a))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (blt_is_filter(result, &b))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	PG_RETURN_DATUM(result);
}

/*
 * Over no rows, or nulls only, the filter of counting_bloom_agg over no rows.
 */
Datum
bloomtype_counting_bloom_union_agg_final(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	return blt_make_default_filter(KIND);
}

/* bbf_counters_to_bits, in pieces that can be interrupted. */
static void
set_bits(unsigned char *bits, const unsigned char *counters, uint32 nblocks)
{
	const uint32 piece = BBF_PIECE_BYTES / BBF_COUNTERS_BYTES;

	for (uint32 i = 0; i < nblocks; i += piece)
	{
		CHECK_FOR_INTERRUPTS();
		bbf_counters_to_bits(bits + (Size) i * BBF_BLOCK_BYTES,
							 counters + (Size) i * BBF_COUNTERS_BYTES,
							 Min(piece, nblocks - i));
	}
}

/*
 * The bloom filter of the keys that are left: a counter above zero is a bit.
 */
Datum
bloomtype_counting_bloom_to_bloom(PG_FUNCTION_ARGS)
{
	BbfFilter	filter;
	BbfMeta		meta;
	struct varlena *result;

	blt_read_filter(PG_GETARG_DATUM(0), KIND, &filter);
	meta = filter.meta;
	meta.kind = BBF_KIND_BLOOM;
	meta.growth = BBF_DEFAULT_GROWTH;
	result = blt_lay_out_filter(&meta);
	if (meta.nlayers > 0)
		set_bits(blt_bins_of(result), filter.bins[0], meta.layers[0].nbins);
	return blt_finish_filter(result, &meta);
}

Datum
bloomtype_counting_bloom_info(PG_FUNCTION_ARGS)
{
	return blt_layer_info(fcinfo, KIND, BBF_BLOCK_BITS);
}

Datum
bloomtype_counting_bloom_sizing(PG_FUNCTION_ARGS)
{
	return blt_blocks_sizing(fcinfo, KIND);
}
