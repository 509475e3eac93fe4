/*
 * range_key.h
 *	  Hashes of the values of an indexed column, and of what they are compared
 *	  with.
 */
#ifndef BLOOMTYPE_RANGE_KEY_H
#define BLOOMTYPE_RANGE_KEY_H

#include "key/key_hasher.h"
#include "utils/rel.h"

/* Hashes values one after another, and frees what that takes. */
typedef struct RangeHasher
{
	KeyHasher  *hasher;
	MemoryContext scratch;
} RangeHasher;

/*
 * Prepare to hash values of the indexed column or, if it is not invalid, of
 * the type that an operator has on its right; in the current memory context.
 * Errors: those of blt_create_index_hasher, also for the type of the column.
 */
extern RangeHasher *blt_range_create_hasher(Relation index, Oid right_type);

/* The hash of a value, which is not null. */
extern uint64 blt_range_hash(RangeHasher *hasher, Datum value);

#endif							/* BLOOMTYPE_RANGE_KEY_H */
