/*
 * call_cache.h
 *	  What a function remembers from one call to the next.
 *
 * The only user of the call site's private pointer.  Keeps plain memory in
 * the call site's context, never an open relation or a reference that someone
 * must release.  Where a caller brings a new FmgrInfo each time (some
 * distributed engines do) everything is looked up again: slower, not wrong.
 *
 * A call site has one filter argument and one argument of keys, whose type
 * the parser has fixed; so there is one funnel and one reader.
 */
#ifndef BLOOMTYPE_CALL_CACHE_H
#define BLOOMTYPE_CALL_CACHE_H

#include "postgres.h"

#include "fmgr.h"
#include "key/key_hasher.h"
#include "filter/filter_reader.h"

typedef struct CallCache
{
	Funnel	   *funnel;			/* null until asked for */
	bool		asked;			/* bloomtype_call_is_first */
	ImageReader reader;			/* of the filter argument */
} CallCache;

extern CallCache *bloomtype_call_cache_create(FunctionCallInfo fcinfo);
extern Funnel *bloomtype_call_funnel_create(CallCache *cache,
											FunctionCallInfo fcinfo,
											int argno);

/* What the call site remembers. */
static inline CallCache *
bloomtype_call_cache(FunctionCallInfo fcinfo)
{
	CallCache  *cache = fcinfo->flinfo->fn_extra;

	return likely(cache != NULL) ? cache : bloomtype_call_cache_create(fcinfo);
}

/* The funnel for the type of a value argument. */
static inline Funnel *
bloomtype_call_funnel(CallCache *cache, FunctionCallInfo fcinfo, int argno)
{
	return likely(cache->funnel != NULL) ? cache->funnel :
		bloomtype_call_funnel_create(cache, fcinfo, argno);
}

/*
 * The elements of an array argument, of any number of dimensions; cache->funnel
 * is then the funnel for them.  Returns how many there are; values and nulls
 * are allocated in the current memory context.
 */
extern int	bloomtype_call_elements(CallCache *cache, FunctionCallInfo fcinfo,
									int argno, Datum **values, bool **nulls);

/* True at the first such question of a call site, then false. */
extern bool bloomtype_call_is_first(FunctionCallInfo fcinfo);

#endif							/* BLOOMTYPE_CALL_CACHE_H */
