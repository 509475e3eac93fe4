/*
 * backend.h
 *	  As much of a server as src/filter/ and src/types/ need, so that fuzz targets call
 *	  their functions as SQL does: memory, errors, and calls.
 *
 * Memory contexts do nothing: all memory is freed at the end of an input.  Each piece
 * is of exactly the size that was asked for, so that the address sanitizer sees what is
 * read or written beyond.  A warning is formatted and dropped.  An error ends the call.
 */
#ifndef BACKEND_H
#define BACKEND_H

/* behind postgres.h */
#include "fmgr.h"

/* The last error */
extern int	error_code;			/* of utils/errcodes.h; 0: there was none */
extern char error_text[256];

/*
 * Bytes that an input may allocate.  More is an error, as on a machine that has no
 * more: a few bytes may ask for a filter of 512 MB.
 */
#define MEMORY_LIMIT	((Size) 16 << 20)

/* Run a function that may fail.  False, with the error set, if it did. */
extern bool succeeds(void (*run) (void *argument), void *argument);

/*
 * Call a function of SQL, in an aggregate or not, that does not return null.  False for
 * an error, which must be an expected one.
 */
extern bool call_for_value(PGFunction function, bool in_aggregate, int nargs,
						   const NullableDatum *args, Datum *result);

/* Are these varlena values, not toasted, of the same bytes? */
extern bool same_value(Datum a, Datum b);

/*
 * Was the last error one that a user may cause?  Not so an internal error, nor that a
 * value which the validator has accepted is corrupted.
 */
extern bool error_is_expected(void);

extern void free_all_memory(void);

#endif							/* BACKEND_H */
