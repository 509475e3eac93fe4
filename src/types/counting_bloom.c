/*
 * counting_bloom.c
 *	  SQL functions of type counting_bloom: a Bloom filter that counts, so that
 *	  keys can be taken out.
 *
 * A counter of 4 bits for each bit of a bloom filter, four times as large.  As
 * long as only keys are removed that were added, and not more often, there is
 * no false negative; also where counters have reached 15, since those stay.
 */
#include "compat.h"

#include "filter/filter_aggregate.h"
#include "core/counting.h"
#include "filter/filter_info.h"
#include "filter/filter_io.h"
#include "key/key_match.h"
#include "filter/filter_membership.h"
#include "filter/filter_parameters.h"
#include "filter/deletable.h"

PG_FUNCTION_INFO_V1(bloomtype_counting_in);
PG_FUNCTION_INFO_V1(bloomtype_counting_out);
PG_FUNCTION_INFO_V1(bloomtype_counting_recv);
PG_FUNCTION_INFO_V1(bloomtype_counting_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_counting_to_bytea);
PG_FUNCTION_INFO_V1(bloomtype_counting_create);
PG_FUNCTION_INFO_V1(bloomtype_counting_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_counting_add);
PG_FUNCTION_INFO_V1(bloomtype_counting_add_all);
PG_FUNCTION_INFO_V1(bloomtype_counting_remove);
PG_FUNCTION_INFO_V1(bloomtype_counting_remove_all);
PG_FUNCTION_INFO_V1(bloomtype_counting_contains);
PG_FUNCTION_INFO_V1(bloomtype_counting_contained);
PG_FUNCTION_INFO_V1(bloomtype_counting_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_counting_contains_all);
PG_FUNCTION_INFO_V1(bloomtype_counting_count);
PG_FUNCTION_INFO_V1(bloomtype_counting_union);
PG_FUNCTION_INFO_V1(bloomtype_counting_to_bloom);
PG_FUNCTION_INFO_V1(bloomtype_counting_info);
PG_FUNCTION_INFO_V1(bloomtype_counting_cardinality);
PG_FUNCTION_INFO_V1(bloomtype_counting_current_fpp);

#define KIND	BBF_KIND_COUNTING_BLOOM

/*
 * Move
 */

Datum
bloomtype_counting_in(PG_FUNCTION_ARGS)
{
	return bloomtype_image_in(fcinfo, KIND);
}

Datum
bloomtype_counting_out(PG_FUNCTION_ARGS)
{
	return bloomtype_image_out(fcinfo, KIND);
}

Datum
bloomtype_counting_recv(PG_FUNCTION_ARGS)
{
	return bloomtype_image_recv(fcinfo, KIND);
}

Datum
bloomtype_counting_from_bytea(PG_FUNCTION_ARGS)
{
	return bloomtype_image_from_bytea(fcinfo, KIND);
}

/* Also the send function. */
Datum
bloomtype_counting_to_bytea(PG_FUNCTION_ARGS)
{
	return bloomtype_image_to_bytea(fcinfo, KIND);
}

/*
 * Change
 */

/* That of the bloom filter with the same parameters. */
static uint64
layer_capacity(uint64 capacity)
{
	return bloomtype_first_capacity(capacity, DEFAULT_GROWTH);
}

static void
add(BbfLayer *layer, unsigned char *blocks, uint64 hash)
{
	layer->nset += bbf_counters_add(blocks, layer->nblocks, layer->nprobes, hash);
}

static void
remove_present(BbfLayer *layer, unsigned char *blocks, uint64 hash)
{
	layer->nset -= bbf_counters_remove(blocks, layer->nblocks, layer->nprobes, hash);
}

static const RemovableKind removable = {
	KIND, BBF_BLOCK_BITS, BBF_BLOCK_BITS,
	layer_capacity, add, remove_present
};

Datum
bloomtype_counting_create(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_create(fcinfo, &removable);
}

Datum
bloomtype_counting_add(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_add(fcinfo, &removable);
}

Datum
bloomtype_counting_add_all(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_add_all(fcinfo, &removable);
}

Datum
bloomtype_counting_remove(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_remove(fcinfo, &removable);
}

Datum
bloomtype_counting_remove_all(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_remove_all(fcinfo, &removable);
}

/* A filter of one layer, of which these are the counters. */
static Datum
make_filter(BbfImage *image, const unsigned char *counters)
{
	image->nlayers = 1;
	image->layers[0].nset = bbf_counters_count(counters, image->layers[0].nblocks);
	return bloomtype_make_image(image, &counters);
}

Datum
bloomtype_counting_agg_final(PG_FUNCTION_ARGS)
{
	AggState   *state = bloomtype_agg_settled(fcinfo, KIND);
	uint64		capacity;
	uint64		for_layer;
	BbfImage	image;
	BbfGeometry geometry;
	unsigned char *counters;
	Datum		filter;

	/* no row at all, or nulls only */
	if (state == NULL)
		return bloomtype_removable_empty(KIND, 1, DEFAULT_FPP);
	if (state->blocks == NULL && state->nhashes == 0)
		return bloomtype_removable_empty(KIND, Max(state->capacity, 1), state->fpp);

	if (state->capacity > 0)
	{
		capacity = state->capacity;
		for_layer = bloomtype_agg_capacity(state);
		geometry = bloomtype_agg_geometry(state);
	}
	else
	{
		capacity = for_layer = bloomtype_agg_sort(state);
		geometry = bloomtype_size_layer(KIND, capacity, state->fpp);
	}
	bbf_image_init(&image, KIND, capacity, state->fpp, 0);
	image.family = state->family;
	image.signature = state->signature;
	bloomtype_start_layer(&image.layers[0], &geometry, for_layer, state->fpp);

	if (state->blocks != NULL)
		filter = make_filter(&image, state->blocks);
	else
	{
		counters = MemoryContextAllocExtended(CurrentMemoryContext,
											  (Size) geometry.nblocks * BBF_COUNTERS_BYTES,
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		bloomtype_agg_fill(KIND, counters, (uint32) geometry.nblocks,
						   geometry.nprobes, state->hashes, state->nhashes);
		filter = make_filter(&image, counters);
		pfree(counters);
	}
	if (state->capacity > 0)
		bloomtype_agg_warn_if_overfull(fcinfo, &image);
	return filter;
}

/*
 * Ask
 */

Datum
bloomtype_counting_contains(PG_FUNCTION_ARGS)
{
	return bloomtype_membership(fcinfo, KIND, 0, 1);
}

/* value <@ filter */
Datum
bloomtype_counting_contained(PG_FUNCTION_ARGS)
{
	return bloomtype_membership(fcinfo, KIND, 1, 0);
}

Datum
bloomtype_counting_contains_any(PG_FUNCTION_ARGS)
{
	return bloomtype_membership_elements(fcinfo, KIND, true);
}

Datum
bloomtype_counting_contains_all(PG_FUNCTION_ARGS)
{
	return bloomtype_membership_elements(fcinfo, KIND, false);
}

/* A counter at its limit stands for that many keys, or more. */
Datum
bloomtype_counting_count(PG_FUNCTION_ARGS)
{
	int			count = bloomtype_removable_count(fcinfo, KIND);

	if (count == BBF_MAX_COUNTER)
		PG_RETURN_NULL();
	PG_RETURN_INT32(count);
}

/*
 * Combine
 */

static void
check_same_geometry(const BbfLayer *a, const BbfLayer *b)
{
	if (a->nblocks == b->nblocks && a->nprobes == b->nprobes)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot unite filters of type counting_bloom of different geometry"),
			 errdetail("One has %u blocks with %d probes, the other has %u blocks with %d probes.",
					   a->nblocks, a->nprobes, b->nblocks, b->nprobes),
			 errhint("Build both with one capacity and false-positive probability: counting_bloom_agg(value, capacity, fpp).")));
}

Datum
bloomtype_counting_union(PG_FUNCTION_ARGS)
{
	BbfImage	a;
	BbfImage	b;
	const unsigned char *a_bytes = bloomtype_read_image(PG_GETARG_DATUM(0), KIND, &a);
	const unsigned char *b_bytes = bloomtype_read_image(PG_GETARG_DATUM(1), KIND, &b);
	BbfLayer   *layer = &a.layers[0];
	Size		size;
	unsigned char *counters;
	Datum		filter;

	bloomtype_match_filters(&a, &b, "unite");
	if (a.nlayers == 0 && b.nlayers == 0)
		return bloomtype_removable_empty(KIND, Max(a.capacity, b.capacity),
										 Max(a.fpp, b.fpp));
	if (b.nlayers == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (a.nlayers == 0)
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	check_same_geometry(layer, &b.layers[0]);

	size = (Size) layer->nblocks * BBF_COUNTERS_BYTES;
	counters = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memcpy(counters, a_bytes + layer->offset, size);
	bbf_counters_unite(counters, b_bytes + b.layers[0].offset, layer->nblocks);

	a.capacity = Max(a.capacity, b.capacity);
	a.fpp = Max(a.fpp, b.fpp);
	layer->capacity = Max(layer->capacity, b.layers[0].capacity);
	layer->fpp = Max(layer->fpp, b.layers[0].fpp);
	layer->full_at = Max(layer->full_at, b.layers[0].full_at);
	filter = make_filter(&a, counters);
	pfree(counters);
	return filter;
}

/* The bloom filter of the keys that are left: a counter above zero is a bit. */
Datum
bloomtype_counting_to_bloom(PG_FUNCTION_ARGS)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), KIND, &image);
	uint32		nblocks;
	unsigned char *bits;
	Datum		filter;

	image.kind = BBF_KIND_BLOOM;
	image.growth = DEFAULT_GROWTH;
	if (image.nlayers == 0)
		return bloomtype_make_image(&image, NULL);

	nblocks = image.layers[0].nblocks;
	bits = MemoryContextAllocHuge(CurrentMemoryContext, (Size) nblocks * BBF_BLOCK_BYTES);
	bbf_counters_to_bits(bits, bytes + image.layers[0].offset, nblocks);
	filter = bloomtype_make_image(&image, (const unsigned char *const *) &bits);
	pfree(bits);
	return filter;
}

/*
 * Inspect
 */

Datum
bloomtype_counting_info(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_info(fcinfo, &removable);
}

Datum
bloomtype_counting_cardinality(PG_FUNCTION_ARGS)
{
	return bloomtype_image_cardinality(fcinfo, KIND);
}

Datum
bloomtype_counting_current_fpp(PG_FUNCTION_ARGS)
{
	return bloomtype_image_current_fpp(fcinfo, KIND);
}
