/*
 * key_type.h
 *	  A hashed key, which is also the SQL type bloom_key.
 */
#ifndef BLOOMTYPE_KEY_TYPE_H
#define BLOOMTYPE_KEY_TYPE_H

#include "core/family.h"
#include "fmgr.h"

/* Passed by reference, 16 bytes, aligned as a double. */
typedef struct BloomKey
{
	uint64		hash;
	uint32		subtype;		/* of an array, row or range; see family.h */
	uint16		family;			/* BbfFamily */
	uint16		was_hashed;		/* not 0 if the value was a bloom_key, for
								 * hints; of a stored bloom_key, 0 */
} BloomKey;

StaticAssertDecl(sizeof(BloomKey) == 16, "bloom_key is 16 bytes");

#define DatumGetBloomKeyP(datum)	((BloomKey *) DatumGetPointer(datum))
#define PG_GETARG_BLOOM_KEY_P(n)	DatumGetBloomKeyP(PG_GETARG_DATUM(n))
#define PG_RETURN_BLOOM_KEY_P(key)	return PointerGetDatum(key)

/*
 * Is it a bloom_key as it is stored: with a subtype only where the family has
 * one?
 */
static inline bool
blt_key_is_valid(const BloomKey *key)
{
	return bbf_family_is_valid(key->family, key->subtype) && key->was_hashed == 0;
}

/* The key of a bloom_key.  Error: a stored value is corrupted. */
extern BloomKey blt_read_key(Datum value);

/*
 * The input function of bloom_key, by which the type and its library are
 * known.
 */
extern Datum bloomtype_bloom_key_in(PG_FUNCTION_ARGS);

/* Is an SQL type the type bloom_key? */
extern bool blt_is_bloom_key(Oid type);

#endif							/* BLOOMTYPE_KEY_TYPE_H */
