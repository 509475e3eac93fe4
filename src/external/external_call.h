/*
 * external_call.h
 *	  What a function on filters of other systems remembers from one call to
 *	  the next: the format, how it hashes the keys, and the filter.
 */
#ifndef BLOOMTYPE_EXTERNAL_CALL_H
#define BLOOMTYPE_EXTERNAL_CALL_H

#include "external/external_key.h"
#include "external/external_reader.h"
#include "filter/call_cache.h"
#include "fmgr.h"

typedef struct ExternalCall
{
	const BbfExternalFormat *format;	/* of the last call; null: none yet */
	Size		name_length;

	/* of keys in this format; null before the first */
	ExternalHash hash;
	ExternalOther other;		/* null: they have one encoding each */

	/* of the elements of an array of keys */
	int16		typlen;
	bool		typbyval;
	char		typalign;

	ValueReader reader;			/* of the filter argument */
} ExternalCall;

/* Take the format of a call from its name, which is not that of the last. */
extern void blt_change_format(ExternalCall *call, FunctionCallInfo fcinfo, int argno);

/* Choose the hash function for the values of an argument. */
extern void blt_choose_external_hash(ExternalCall *call, FunctionCallInfo fcinfo,
									 int argno);

/*
 * What the call site remembers, with the format that an argument names, which
 * is not null.  It may be another in each row; if it is not, this takes a
 * comparison of names.  Error: there is no such format.
 */
static inline ExternalCall *
blt_external_call(FunctionCallInfo fcinfo, int format_argno)
{
	ExternalCall *call = blt_call_memory(fcinfo, sizeof(ExternalCall));
	const struct varlena *name = (struct varlena *)
		DatumGetPointer(PG_GETARG_DATUM(format_argno));

	if (unlikely(call->format == NULL || VARATT_IS_EXTERNAL(name) ||
				 VARATT_IS_COMPRESSED(name) ||
				 VARSIZE_ANY_EXHDR(name) != call->name_length ||
				 memcmp(VARDATA_ANY(name), call->format->name, call->name_length) != 0))
		blt_change_format(call, fcinfo, format_argno);
	return call;
}

/*
 * The same for a function on keys: call->hash hashes the values of an
 * argument.  Errors also: their type cannot be determined, or cannot be a key
 * of the format.
 */
static inline ExternalCall *
blt_external_key_call(FunctionCallInfo fcinfo, int format_argno, int key_argno)
{
	ExternalCall *call = blt_external_call(fcinfo, format_argno);

	if (unlikely(call->hash == NULL))
		blt_choose_external_hash(call, fcinfo, key_argno);
	return call;
}

/*
 * The elements of an array argument, of any number of dimensions, to be
 * hashed by call->hash; returns how many there are.  values and nulls are
 * allocated in the current memory context.  Errors: as above.
 */
extern int	blt_external_elements(ExternalCall *call, FunctionCallInfo fcinfo,
								  int argno, Datum **values, bool **nulls);

#endif							/* BLOOMTYPE_EXTERNAL_CALL_H */
