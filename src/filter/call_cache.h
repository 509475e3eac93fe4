/*
 * call_cache.h
 *	  What a function remembers from one call to the next.
 *
 * Only this file uses fn_extra of FmgrInfo, in one of two ways: a function
 * has a CallCache, from blt_call_cache(), or memory of its own layout, from
 * blt_call_memory(), and never both at one call site.  It is plain memory in
 * the call site's context, never an open relation or a reference that someone
 * must release.  Where a caller brings a new FmgrInfo each time (some
 * distributed engines do) everything is looked up again: slower, not wrong.
 *
 * A call site has one filter argument and one argument of keys, whose type
 * the parser has fixed; so there is one hasher and one reader.
 */
#ifndef BLOOMTYPE_CALL_CACHE_H
#define BLOOMTYPE_CALL_CACHE_H

#include "filter/filter_reader.h"
#include "fmgr.h"
#include "key/key_hasher.h"

/* What fn_extra points to; a tag, which assertions check, comes first. */
typedef enum CallTag
{
	BLT_CALL_CACHE = 0x6c74626b,
	BLT_CALL_MEMORY
} CallTag;

typedef struct CallCache
{
	CallTag		tag;
	KeyHasher  *hasher;			/* null before it is first used */
	Oid			element_type;	/* of the array of blt_call_elements */
	bool		was_called;		/* blt_call_is_first was */
	bool		is_examined;	/* blt_call_changes_variable was called: */
	bool		changes_variable;
	FilterReader reader;		/* of the filter argument */
} CallCache;

extern CallCache *blt_create_call_cache(FunctionCallInfo fcinfo);
extern KeyHasher *blt_create_call_hasher(CallCache *cache,
										 FunctionCallInfo fcinfo, int argno);

/* What the call site remembers. */
static inline CallCache *
blt_call_cache(FunctionCallInfo fcinfo)
{
	CallCache  *cache = fcinfo->flinfo->fn_extra;

	Assert(cache == NULL || cache->tag == BLT_CALL_CACHE);
	return likely(cache != NULL) ? cache : blt_create_call_cache(fcinfo);
}

/*
 * The hasher for the type of a value argument.  Errors: the type cannot be
 * determined; it cannot be a key.
 */
static inline KeyHasher *
blt_call_hasher(CallCache *cache, FunctionCallInfo fcinfo, int argno)
{
	return likely(cache->hasher != NULL) ? cache->hasher :
		blt_create_call_hasher(cache, fcinfo, argno);
}

/*
 * The elements of an array argument, of any number of dimensions;
 * cache->hasher is then the hasher for them, and cache->element_type their
 * type.  Returns how many there are; values and nulls are allocated in the
 * current memory context.  Errors: as above; it is no array.
 */
extern int	blt_call_elements(CallCache *cache, FunctionCallInfo fcinfo,
							  int argno, Datum **values, bool **nulls);

/*
 * Is the first argument a variable of PL/pgSQL, or another parameter that may
 * get the result, and does the server let functions change those in place?
 */
extern bool blt_call_changes_variable(CallCache *cache, FunctionCallInfo fcinfo);

/* True at the first call for a call site, then false: to warn once. */
extern bool blt_call_is_first(FunctionCallInfo fcinfo);

/* Would blt_call_is_first be true?  Changes nothing. */
static inline bool
blt_call_may_be_first(FunctionCallInfo fcinfo)
{
	const CallCache *cache = fcinfo->flinfo->fn_extra;

	Assert(cache == NULL || cache->tag == BLT_CALL_CACHE);
	return cache == NULL || !cache->was_called;
}

/*
 * Memory for a function that remembers something else instead: size bytes,
 * zero at the first call.  Always of the same size, for one call site.
 */
typedef struct CallMemory
{
	CallTag		tag;
	Size		size;
} CallMemory;

static inline void *
blt_call_memory(FunctionCallInfo fcinfo, Size size)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	CallMemory *memory = flinfo->fn_extra;

	if (unlikely(memory == NULL))
	{
		memory = MemoryContextAllocZero(flinfo->fn_mcxt, MAXALIGN(sizeof(CallMemory)) + size);
		memory->tag = BLT_CALL_MEMORY;
		memory->size = size;
		flinfo->fn_extra = memory;
	}
	Assert(memory->tag == BLT_CALL_MEMORY && memory->size == size);
	return (char *) memory + MAXALIGN(sizeof(CallMemory));
}

/*
 * The type of an argument: from the parsed expression, else as declared.
 * Error: the declared type is polymorphic, and there is no expression.
 */
extern Oid	blt_argument_type(FunctionCallInfo fcinfo, int argno);

/*
 * The type of the elements of an array argument.  Errors: as above; it is no
 * array.
 */
extern Oid	blt_argument_element_type(FunctionCallInfo fcinfo, int argno);

/*
 * The declared type of an argument, whatever the parsed expression says; as
 * text, with its schema where that is needed.
 */
extern const char *blt_declared_type_name(FunctionCallInfo fcinfo, int argno);

#endif							/* BLOOMTYPE_CALL_CACHE_H */
