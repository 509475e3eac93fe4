/*
 * filter_membership.c
 *	  SQL functions that probe filters, of any type.
 */
#include "compat.h"

#include "filter/filter_membership.h"

#include "filter/call_cache.h"
#include "key/key_match.h"
#include "miscadmin.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(bloomtype_contains);
PG_FUNCTION_INFO_V1(bloomtype_contained);
PG_FUNCTION_INFO_V1(bloomtype_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_contains_all);
PG_FUNCTION_INFO_V1(bloomtype_missing);
PG_FUNCTION_INFO_V1(bloomtype_count);

static inline void
check_key(const BbfMeta *meta, BloomKey key)
{
	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_PROBED);
}

/* Probe a filter that is not the remembered one. */
static pg_noinline bool
open_and_probe(FilterReader *reader, Datum filter, BloomKey key)
{
	ProbedFilter open;

	blt_open_to_probe(reader, filter, &open);
	check_key(&open.filter->meta, key);
	return blt_probe(&open, key.hash);
}

/* Is the value of one argument in the filter of another? */
static pg_attribute_always_inline Datum
contains(FunctionCallInfo fcinfo, int filter_argno, int value_argno)
{
	CallCache  *cache = blt_call_cache(fcinfo);
	KeyHasher  *hasher = blt_call_hasher(cache, fcinfo, value_argno);
	BloomKey	key = blt_hash_key(hasher, PG_GETARG_DATUM(value_argno));
	FilterReader *reader = &cache->reader;
	Datum		filter = PG_GETARG_DATUM(filter_argno);
	const unsigned char *bytes = blt_remembered_bytes(reader, filter);

	if (unlikely(bytes == NULL))
		PG_RETURN_BOOL(open_and_probe(reader, filter, key));
	check_key(&reader->filter->meta, key);

	/* through its routine a probe takes 9 of some 150 instructions more */
	if (likely(reader->blocks != NULL))
		PG_RETURN_BOOL(bbf_blocks_contain(bytes + BBF_FIRST_BINS,
										  reader->blocks->nbins,
										  reader->blocks->key_bits, key.hash));
	PG_RETURN_BOOL(bbf_filter_contains_slow(blt_remembered_filter(reader, bytes),
											key.hash));
}

/*
 * (filter, value): is the key in it?  Errors: another key family; corrupted.
 */
Datum
bloomtype_contains(PG_FUNCTION_ARGS)
{
	return contains(fcinfo, 0, 1);
}

/* (value, filter): the same. */
Datum
bloomtype_contained(PG_FUNCTION_ARGS)
{
	return contains(fcinfo, 1, 0);
}

/*
 * Is any element of the array in the filter (deciding: true), or are all?
 *
 * Three-valued, as = ANY and = ALL are: the first element whose answer is
 * the deciding one decides; else a null element makes the result unknown.
 */
static Datum
contains_elements(FunctionCallInfo fcinfo, bool deciding)
{
	CallCache  *cache = blt_call_cache(fcinfo);
	ProbedFilter open;
	Datum	   *values;
	bool	   *nulls;
	int			n = blt_call_elements(cache, fcinfo, 1, &values, &nulls);
	bool		any_null = false;
	uint64_t	hashes[64];
	int			nhashes = 0;

	blt_open_to_probe(&cache->reader, PG_GETARG_DATUM(0), &open);
	for (int i = 0; i < n; i++)
	{
		BloomKey	key;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
		{
			any_null = true;
			continue;
		}

		/* a key of another family is an error, unless one before it decides */
		key = blt_hash_key(cache->hasher, values[i]);
		if (nhashes > 0 &&
			!blt_key_matches(open.filter->meta.family, open.filter->meta.subtype, key))
		{
			if (blt_probe_any(&open, hashes, nhashes, deciding))
				PG_RETURN_BOOL(deciding);
			nhashes = 0;
		}
		check_key(&open.filter->meta, key);
		hashes[nhashes++] = key.hash;

		/*
		 * In memory many are probed together.  Not keys with parts: hashing a
		 * later element may be an error, which this one must prevent if it
		 * decides.
		 */
		if (nhashes == lengthof(hashes) || !open.is_in_memory ||
			bbf_family_is_nested(cache->hasher->family))
		{
			if (blt_probe_any(&open, hashes, nhashes, deciding))
				PG_RETURN_BOOL(deciding);
			nhashes = 0;

			/* it is read whole once slices have cost as much */
			if (!open.is_in_memory)
				blt_open_to_probe(&cache->reader, PG_GETARG_DATUM(0), &open);
		}
	}
	if (blt_probe_any(&open, hashes, nhashes, deciding))
		PG_RETURN_BOOL(deciding);
	if (any_null)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!deciding);
}

/* (filter, array) */
Datum
bloomtype_contains_any(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, true);
}

/* (filter, array) */
Datum
bloomtype_contains_all(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, false);
}

/* Elements that are probed together, with their hashes. */
typedef struct ElementBatch
{
	int			n;
	Datum		values[64];
	uint64_t	hashes[64];
} ElementBatch;

/* Append those that are not in the filter to others; empties the batch. */
static int
keep_missing(const ProbedFilter *open, ElementBatch *batch, Datum *missing, int nmissing)
{
	for (int i = 0; i < batch->n; i++)
	{
		i += blt_find_probe(open, batch->hashes + i, batch->n - i, false);
		if (i < batch->n)
			missing[nmissing++] = batch->values[i];
	}
	batch->n = 0;
	return nmissing;
}

/*
 * (filter, array): the elements that are certainly not in it, in their order,
 * copies too, null ones not; of one dimension.  Errors as of contains.
 */
Datum
bloomtype_missing(PG_FUNCTION_ARGS)
{
	CallCache  *cache = blt_call_cache(fcinfo);
	ProbedFilter open;
	Datum	   *values;
	bool	   *nulls;
	int			n = blt_call_elements(cache, fcinfo, 1, &values, &nulls);
	int			nmissing = 0;
	ElementBatch batch;

	batch.n = 0;
	blt_open_to_probe(&cache->reader, PG_GETARG_DATUM(0), &open);
	for (int i = 0; i < n; i++)
	{
		BloomKey	key;

		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			continue;
		key = blt_hash_key(cache->hasher, values[i]);
		check_key(&open.filter->meta, key);
		batch.values[batch.n] = values[i];
		batch.hashes[batch.n++] = key.hash;

		/*
		 * missing ones are kept where elements were that have been looked at
		 */
		if (batch.n == lengthof(batch.hashes) || !open.is_in_memory)
		{
			nmissing = keep_missing(&open, &batch, values, nmissing);

			/* it is read whole once slices have cost as much */
			if (!open.is_in_memory)
				blt_open_to_probe(&cache->reader, PG_GETARG_DATUM(0), &open);
		}
	}
	nmissing = keep_missing(&open, &batch, values, nmissing);
	if (nmissing == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(cache->element_type));
	PG_RETURN_ARRAYTYPE_P(construct_array(values, nmissing, cache->element_type,
										  cache->hasher->typlen, cache->hasher->typbyval,
										  cache->hasher->typalign));
}

/*
 * (filter, value): how many copies of a key a filter from which keys can be
 * deleted has at most; null where a counter has reached its maximum.
 */
Datum
bloomtype_count(PG_FUNCTION_ARGS)
{
	CallCache  *cache = blt_call_cache(fcinfo);
	KeyHasher  *hasher = blt_call_hasher(cache, fcinfo, 1);
	BloomKey	key = blt_hash_key(hasher, PG_GETARG_DATUM(1));
	ProbedFilter open;
	int			count;

	blt_open_to_probe(&cache->reader, PG_GETARG_DATUM(0), &open);
	check_key(&open.filter->meta, key);
	count = blt_probe_count(&open, key.hash);
	if (count > 0 && count == bbf_kind_routine(open.filter->meta.kind)->saturated_count)
		PG_RETURN_NULL();
	PG_RETURN_INT32(count);
}
