/*
 * pages_key.h
 *	  Hashes of the values of an indexed column, and of what they are compared
 *	  with.
 */
#ifndef BLOOMTYPE_PAGES_KEY_H
#define BLOOMTYPE_PAGES_KEY_H

#include "key/key_hasher.h"
#include "utils/rel.h"

/* Hashes values one after another, and frees what that takes. */
typedef struct PagesHasher
{
	KeyHasher  *hasher;
	MemoryContext scratch;
} PagesHasher;

/*
 * Error, that of blt_create_index_hasher, if the type of the column has no
 * keys, though the one that it is taken for has.  A column may get such a type
 * later, when its values stay what they are.
 */
extern void blt_pages_check_type(Relation index);

/*
 * Prepare to hash values of the indexed column or, if it is not invalid, of
 * the type that an operator has on its right; in the current memory context.
 * Errors: those of blt_create_index_hasher.
 */
extern PagesHasher *blt_pages_create_hasher(Relation index, Oid right_type);

/* The hash of a value, which is not null. */
extern uint64 blt_pages_hash(PagesHasher *hasher, Datum value);

#endif							/* BLOOMTYPE_PAGES_KEY_H */
