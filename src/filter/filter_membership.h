/*
 * filter_membership.h
 *	  Asking a filter of any kind: the bodies of the SQL functions.
 */
#ifndef BLOOMTYPE_FILTER_MEMBERSHIP_H
#define BLOOMTYPE_FILTER_MEMBERSHIP_H

#include "compat.h"

#include "filter/call_cache.h"
#include "fmgr.h"
#include "filter/filter_reader.h"
#include "key/key_match.h"

/* The way for filters that bloomtype_reader_same does not know. */
extern pg_noinline bool bloomtype_open_and_probe(ImageReader *reader,
												 Datum filter, BbfKind kind,
												 BloomKey key);

/* Is the value of one argument in the filter of another? */
static pg_attribute_always_inline Datum
bloomtype_membership(FunctionCallInfo fcinfo, BbfKind kind, int filter_argno,
					 int value_argno)
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	Funnel	   *funnel = bloomtype_call_funnel(cache, fcinfo, value_argno);
	BloomKey	key = bloomtype_funnel_hash(funnel, PG_GETARG_DATUM(value_argno));
	ImageReader *reader = &cache->reader;
	Datum		filter = PG_GETARG_DATUM(filter_argno);
	const unsigned char *bytes = bloomtype_reader_same(reader, filter);

	if (unlikely(bytes == NULL))
		PG_RETURN_BOOL(bloomtype_open_and_probe(reader, filter, kind, key));
	bloomtype_match_key(reader->image, key, KEY_IS_PROBED);
	PG_RETURN_BOOL(kind == BBF_KIND_BLOOM ?
				   bbf_image_contains(reader->image, bytes, key.hash) :
				   bbf_image_count(reader->image, bytes, key.hash) > 0);
}

/* Is any element of the array in the filter (deciding: true), or are all? */
extern Datum bloomtype_membership_elements(FunctionCallInfo fcinfo, BbfKind kind,
										   bool deciding);

#endif							/* BLOOMTYPE_FILTER_MEMBERSHIP_H */
