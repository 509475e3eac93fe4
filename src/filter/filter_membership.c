/*
 * filter_membership.c
 *	  See filter_membership.h.
 */
#include "compat.h"

#include "filter/filter_membership.h"
#include "miscadmin.h"

bool
bloomtype_open_and_probe(ImageReader *reader, Datum filter, BbfKind kind,
						 BloomKey key)
{
	OpenImage	open;

	bloomtype_reader_open(reader, filter, kind, &open);
	bloomtype_match_key(open.image, key, KEY_IS_PROBED);
	return bloomtype_reader_test(&open, key.hash);
}

/*
 * Three-valued, as = ANY and = ALL are: the first element whose answer is
 * the deciding one decides; else a null element makes the result unknown.
 */
Datum
bloomtype_membership_elements(FunctionCallInfo fcinfo, BbfKind kind,
							  bool deciding)
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	OpenImage	open;
	Datum	   *values;
	bool	   *nulls;
	int			n = bloomtype_call_elements(cache, fcinfo, 1, &values, &nulls);
	bool		any_null = false;
	uint64		hashes[64];
	int			nhashes = 0;

	bloomtype_reader_open(&cache->reader, PG_GETARG_DATUM(0), kind, &open);
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
		if (nhashes > 0 &&
			!bloomtype_key_matches(open.image->family, open.image->signature, key))
		{
			if (bloomtype_reader_find(&open, hashes, nhashes, deciding))
				PG_RETURN_BOOL(deciding);
			nhashes = 0;
		}
		bloomtype_match_key(open.image, key, KEY_IS_PROBED);
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
				bloomtype_reader_open(&cache->reader, PG_GETARG_DATUM(0), kind, &open);
		}
	}
	if (bloomtype_reader_find(&open, hashes, nhashes, deciding))
		PG_RETURN_BOOL(deciding);
	if (any_null)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!deciding);
}
