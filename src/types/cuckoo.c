/*
 * cuckoo.c
 *	  SQL functions of type cuckoo: fingerprints of keys, which can be taken out.
 *
 * See core/cuckoo.h.  There is no false negative as long as only keys are
 * removed that were added, and not more often: to remove another may take the
 * fingerprint of one that is still there.
 */
#include "compat.h"

#include "filter/filter_aggregate.h"
#include "core/cuckoo.h"
#include "filter/filter_info.h"
#include "filter/filter_io.h"
#include "filter/filter_membership.h"
#include "miscadmin.h"
#include "filter/filter_parameters.h"
#include "filter/deletable.h"

PG_FUNCTION_INFO_V1(bloomtype_cuckoo_in);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_out);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_recv);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_to_bytea);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_create);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_agg_final);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_add);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_add_all);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_remove);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_remove_all);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_contains);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_contained);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_contains_all);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_count);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_info);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_cardinality);
PG_FUNCTION_INFO_V1(bloomtype_cuckoo_current_fpp);

#define KIND	BBF_KIND_CUCKOO

/*
 * Move
 */

Datum
bloomtype_cuckoo_in(PG_FUNCTION_ARGS)
{
	return bloomtype_image_in(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_out(PG_FUNCTION_ARGS)
{
	return bloomtype_image_out(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_recv(PG_FUNCTION_ARGS)
{
	return bloomtype_image_recv(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_from_bytea(PG_FUNCTION_ARGS)
{
	return bloomtype_image_from_bytea(fcinfo, KIND);
}

/* Also the send function. */
Datum
bloomtype_cuckoo_to_bytea(PG_FUNCTION_ARGS)
{
	return bloomtype_image_to_bytea(fcinfo, KIND);
}

/*
 * Change
 */

static uint64
layer_capacity(uint64 capacity)
{
	return capacity;
}

static double
load_of(const BbfLayer *layer)
{
	return (double) layer->nset / ((double) layer->nblocks * BBF_BUCKET_PLACES);
}

/* With copies of keys a filter may be full long before this. */
#define CROWDED_LOAD	0.9

pg_noreturn static void
no_place(const BbfLayer *layer, const unsigned char *buckets, uint64 hash)
{
	if (bbf_cuckoo_count(buckets, layer->nblocks, layer->nprobes, hash) == BBF_MAX_COPIES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("cuckoo filter has no place for another copy of the key"),
				 errdetail("All of its %d places have its fingerprint already.",
						   BBF_MAX_COPIES),
				 errhint("Add each key once, or use counting_bloom for keys that repeat.")));
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("cuckoo filter is full"),
			 errdetail("It was made for %llu keys and has %llu, which is %.1f %% of its places.",
					   (unsigned long long) layer->capacity,
					   (unsigned long long) layer->nset, 100.0 * load_of(layer)),
			 load_of(layer) < CROWDED_LOAD && layer->capacity > BBF_MAX_COPIES ?
			 errhint("Keys that were added more than twice crowd their buckets: add each once, or use counting_bloom.") :
			 errhint("Rebuild it with a larger capacity: cuckoo_agg(value, capacity, fpp).")));
}

static void
add(BbfLayer *layer, unsigned char *buckets, uint64 hash)
{
	if (!bbf_cuckoo_add(buckets, layer->nblocks, layer->nprobes, hash))
		no_place(layer, buckets, hash);
	layer->nset++;
}

static void
remove_present(BbfLayer *layer, unsigned char *buckets, uint64 hash)
{
	(void) bbf_cuckoo_remove(buckets, layer->nblocks, layer->nprobes, hash);
	layer->nset--;
}

static const RemovableKind removable = {
	KIND, 1, BBF_BUCKET_PLACES,
	layer_capacity, add, remove_present
};

Datum
bloomtype_cuckoo_create(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_create(fcinfo, &removable);
}

Datum
bloomtype_cuckoo_add(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_add(fcinfo, &removable);
}

Datum
bloomtype_cuckoo_add_all(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_add_all(fcinfo, &removable);
}

Datum
bloomtype_cuckoo_remove(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_remove(fcinfo, &removable);
}

Datum
bloomtype_cuckoo_remove_all(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_remove_all(fcinfo, &removable);
}

/*
 * Add sorted hashes to a layer without keys, whose buckets are clear.  False if
 * one found no place.
 */
static bool
fill(BbfLayer *layer, unsigned char *buckets, const uint64 *hashes, uint32 n)
{
	uint32		i = 0;

	while (i < n && bbf_cuckoo_add(buckets, layer->nblocks, layer->nprobes, hashes[i]))
	{
		if (++i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	layer->nset = i;
	return i == n;
}

/*
 * A filter that sizes itself is made larger if, by a rare chance, some key finds
 * no place.  That would go on for ever with keys that were chosen to have all
 * their hash but a few bits in common.
 */
#define MAX_ATTEMPTS	16

/*
 * Keys come in the order of their hashes, so the result does not depend on the
 * order of rows.
 */
Datum
bloomtype_cuckoo_agg_final(PG_FUNCTION_ARGS)
{
	AggState   *state = bloomtype_agg_settled(fcinfo, KIND);
	BbfImage	image;
	BbfLayer   *layer = &image.layers[0];
	uint64		capacity;

	/* no row at all, or nulls only */
	if (state == NULL)
		return bloomtype_removable_empty(KIND, 1, DEFAULT_FPP);
	if (state->nhashes == 0)
		return bloomtype_removable_empty(KIND, Max(state->capacity, 1), state->fpp);

	(void) bloomtype_agg_sort(state);
	capacity = state->capacity > 0 ? state->capacity : state->nhashes;
	bbf_image_init(&image, KIND, capacity, state->fpp, 0);
	image.family = state->family;
	image.signature = state->signature;
	image.nlayers = 1;

	for (int attempt = 1;; attempt++)
	{
		BbfGeometry geometry = bloomtype_size_layer(KIND, capacity, state->fpp);
		unsigned char *buckets;

		CHECK_FOR_INTERRUPTS();
		bloomtype_start_layer(layer, &geometry, image.capacity, state->fpp);
		buckets = MemoryContextAllocExtended(CurrentMemoryContext,
											 bbf_layer_bytes(KIND, layer),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		if (fill(layer, buckets, state->hashes, state->nhashes))
		{
			Datum		filter = bloomtype_make_image(&image, (const unsigned char *const *) &buckets);

			pfree(buckets);
			return filter;
		}
		if (state->capacity > 0 && state->nhashes > state->capacity)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many keys for the capacity of a cuckoo filter"),
					 errdetail("The capacity given is %lld; there are %u distinct keys.",
							   (long long) state->capacity, state->nhashes),
					 errhint("Give a larger capacity to cuckoo_agg, or a null one to let it size the filter.")));
		if (state->capacity > 0 || attempt == MAX_ATTEMPTS)
			no_place(layer, buckets, state->hashes[layer->nset]);
		pfree(buckets);
		capacity += capacity / 8 + 1;
	}
}

/*
 * Ask
 */

Datum
bloomtype_cuckoo_contains(PG_FUNCTION_ARGS)
{
	return bloomtype_membership(fcinfo, KIND, 0, 1);
}

/* value <@ filter */
Datum
bloomtype_cuckoo_contained(PG_FUNCTION_ARGS)
{
	return bloomtype_membership(fcinfo, KIND, 1, 0);
}

Datum
bloomtype_cuckoo_contains_any(PG_FUNCTION_ARGS)
{
	return bloomtype_membership_elements(fcinfo, KIND, true);
}

Datum
bloomtype_cuckoo_contains_all(PG_FUNCTION_ARGS)
{
	return bloomtype_membership_elements(fcinfo, KIND, false);
}

Datum
bloomtype_cuckoo_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(bloomtype_removable_count(fcinfo, KIND));
}

/*
 * Inspect
 */

Datum
bloomtype_cuckoo_info(PG_FUNCTION_ARGS)
{
	return bloomtype_removable_info(fcinfo, &removable);
}

Datum
bloomtype_cuckoo_cardinality(PG_FUNCTION_ARGS)
{
	return bloomtype_image_cardinality(fcinfo, KIND);
}

Datum
bloomtype_cuckoo_current_fpp(PG_FUNCTION_ARGS)
{
	return bloomtype_image_current_fpp(fcinfo, KIND);
}
