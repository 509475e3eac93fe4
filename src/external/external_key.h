/*
 * external_key.h
 *	  From an SQL value to the hash that a format has of it.
 *
 * The format and the SQL type, never the value, decide how a key becomes
 * bytes: other systems hash numbers of each width differently, so that a key
 * of another width would not be found.  A type has an encoding in a format if
 * each of its values has one without loss, or if the error for those that
 * have none says so.
 *
 * Equality is that of the bytes, whatever the collation of text is.  Of
 * floats, SQL calls values equal that have several encodings: zeros, and all
 * that are NaN.  One is added, the value's own; a question is about
 * all of them.
 */
#ifndef BLOOMTYPE_EXTERNAL_KEY_H
#define BLOOMTYPE_EXTERNAL_KEY_H

#include "interchange/external.h"

/*
 * Hash a value that is not null, for filters with this seed.  Error: the
 * value has no encoding: an infinite date, say.
 */
typedef void (*ExternalHash) (const BbfExternalFormat *format, uint32 seed,
							  Datum value, uint64_t *hash);

/* The encodings of the values that SQL calls equal to one. */
typedef enum ExternalEncodings
{
	EXTERNAL_ONE,
	EXTERNAL_TWO,
	EXTERNAL_MANY				/* too many to probe for each */
} ExternalEncodings;

/*
 * How many there are; of two, also hash the one that is not the value's own.
 */
typedef ExternalEncodings (*ExternalOther) (const BbfExternalFormat *format, uint32 seed,
											Datum value, uint64_t *hash);

/* What values are hashed for, on which hints depend. */
typedef enum ExternalUse
{
	EXTERNAL_KEY,				/* of a filter that is there, and so has its
								 * format */
	EXTERNAL_ELEMENT,			/* of an array of such keys */
	EXTERNAL_NEW_KEY			/* of a filter that is made, in any format */
} ExternalUse;

/*
 * How a format hashes the values of an SQL type, or of a domain over it;
 * other is null where each has one encoding.  Errors: such values cannot be
 * keys of the format; the encoding of the database cannot be converted.
 */
extern ExternalHash blt_find_external_hash(const BbfExternalFormat *format, Oid type,
										   ExternalUse use, ExternalOther *other);

#endif							/* BLOOMTYPE_EXTERNAL_KEY_H */
