/*
 * funnel.h
 *	  From an SQL value to the 64-bit hash that filters know.
 *
 * A value is first brought to the reference type of its family and written as
 * canonical bytes; their hash is the key.  Two values of one family are the
 * same key exactly when they are equal there: 1, 1::bigint and 1.00 are one
 * key, so are '10.0.0.1'::inet and '10.0.0.1'::cidr.  FORMAT.md lists the
 * canonical bytes of every family; they are frozen.
 *
 * The server's own hash functions are not used: they may change from one
 * release to the next, and they do.
 */
#ifndef BLOOMTYPE_FUNNEL_H
#define BLOOMTYPE_FUNNEL_H

#include "postgres.h"

#include "core/family.h"

/*
 * A hashed key, also the SQL type bloom_key: passed by reference, 16 bytes,
 * aligned as a double.
 */
typedef struct BloomKey
{
	uint64		hash;
	uint32		signature;		/* of what an array, row or range consists */
	uint16		family;			/* BbfFamily */
	uint16		reserved;		/* zero */
} BloomKey;

StaticAssertDecl(sizeof(BloomKey) == 16, "bloom_key is 16 bytes");

typedef struct Funnel Funnel;

/*
 * Prepare to hash values of an SQL type.  The funnel lives in the memory
 * context given, which may outlive many queries; what it keeps is bounded.
 *
 * Types that have no place in a family are an error with the cast that helps,
 * and so is a text-like type under a collation known not to be deterministic.
 */
extern Funnel *bloomtype_funnel_create(Oid type, Oid collation,
									   MemoryContext context);

/* Hash a value, which is not null. */
extern void bloomtype_funnel_hash(Funnel *funnel, Datum value, BloomKey *key);

/* Storage properties of the type, as deconstruct_array wants them. */
extern void bloomtype_funnel_storage(const Funnel *funnel, int16 *length,
									 bool *byval, char *align);

#endif							/* BLOOMTYPE_FUNNEL_H */
