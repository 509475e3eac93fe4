/*
 * bloom_membership.c
 *	  SQL functions that ask a filter.
 */
#include "compat.h"

#include "call_cache.h"
#include "fmgr.h"
#include "image_reader.h"
#include "key_match.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_contains);
PG_FUNCTION_INFO_V1(bloomtype_contained);
PG_FUNCTION_INFO_V1(bloomtype_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_contains_all);

static bool
matches(const BbfImage *image, BloomKey key)
{
	return bloomtype_key_matches(image->family, image->signature, key);
}

static void
match_key(const BbfImage *image, BloomKey key)
{
	bloomtype_match_key(image->family, image->signature, key, KEY_IS_PROBED);
}

static pg_noinline bool
open_and_probe(ImageReader *reader, Datum filter, BloomKey key)
{
	OpenImage	open;

	bloomtype_reader_open(reader, filter, &open);
	match_key(open.image, key);
	return bloomtype_reader_test(&open, key.hash);
}

static pg_attribute_always_inline Datum
contains(FunctionCallInfo fcinfo, int filter_argno, int value_argno)
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	Funnel	   *funnel = bloomtype_call_funnel(cache, fcinfo, value_argno);
	BloomKey	key = bloomtype_funnel_hash(funnel, PG_GETARG_DATUM(value_argno));
	ImageReader *reader = &cache->reader;
	Datum		filter = PG_GETARG_DATUM(filter_argno);
	const unsigned char *bytes = bloomtype_reader_same(reader, filter);

	if (unlikely(bytes == NULL))
		PG_RETURN_BOOL(open_and_probe(reader, filter, key));
	match_key(reader->image, key);
	PG_RETURN_BOOL(bbf_image_contains(reader->image, bytes, key.hash));
}

Datum
bloomtype_contains(PG_FUNCTION_ARGS)
{
	return contains(fcinfo, 0, 1);
}

/* value <@ filter */
Datum
bloomtype_contained(PG_FUNCTION_ARGS)
{
	return contains(fcinfo, 1, 0);
}

/*
 * Three-valued, as = ANY and = ALL are: the first element whose answer is
 * the deciding one decides; else a null element makes the result unknown.
 */
static Datum
contains_elements(FunctionCallInfo fcinfo, bool deciding)
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	OpenImage	open;
	Datum	   *values;
	bool	   *nulls;
	int			n = bloomtype_call_elements(cache, fcinfo, 1, &values, &nulls);
	bool		any_null = false;
	uint64		hashes[64];
	int			nhashes = 0;

	bloomtype_reader_open(&cache->reader, PG_GETARG_DATUM(0), &open);
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
		key = bloomtype_funnel_hash(cache->funnel, values[i]);
		if (nhashes > 0 && !matches(open.image, key))
		{
			if (bloomtype_reader_find(&open, hashes, nhashes, deciding))
				PG_RETURN_BOOL(deciding);
			nhashes = 0;
		}
		match_key(open.image, key);
		hashes[nhashes++] = key.hash;

		/* in memory many are asked for together; parts of keys may be errors */
		if (nhashes == lengthof(hashes) || open.bytes == NULL ||
			bbf_family_is_nested(cache->funnel->family))
		{
			if (bloomtype_reader_find(&open, hashes, nhashes, deciding))
				PG_RETURN_BOOL(deciding);
			nhashes = 0;

			/* so many slices may have been read that it is copied now */
			if (open.bytes == NULL)
				bloomtype_reader_open(&cache->reader, PG_GETARG_DATUM(0), &open);
		}
	}
	if (bloomtype_reader_find(&open, hashes, nhashes, deciding))
		PG_RETURN_BOOL(deciding);
	if (any_null)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!deciding);
}

Datum
bloomtype_contains_any(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, true);
}

Datum
bloomtype_contains_all(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, false);
}
