/*
 * key_hasher.h
 *	  From an SQL value to the 64-bit hash that filters know.
 *
 * A value is converted to the reference type of its family and written as
 * canonical bytes, whose hash is the key.  Two values of one family are the
 * same key exactly if their reference values are equal: 1, 1::bigint and 1.00
 * are one key, so are '10.0.0.1'::inet and '10.0.0.1'::cidr.  FORMAT.md lists
 * the canonical bytes of every family; they are frozen.
 *
 * The server's own hash functions are not used: they may change from one
 * release to the next, and they do.
 *
 * The idea of a function that writes a value into a hash, chosen once for its
 * type, is that of Funnel in Google's Guava library.
 */
#ifndef BLOOMTYPE_KEY_HASHER_H
#define BLOOMTYPE_KEY_HASHER_H

#include "key/key_scalar.h"
#include "utils/typcache.h"

typedef struct KeyHasher KeyHasher;

typedef void (*NestedEncode) (KeyHasher *hasher, Datum value, BloomKey *key);

/*
 * Outside of key_hasher.c only type, family, typlen, typbyval, typalign and
 * integer_width are read.
 */
struct KeyHasher
{
	Oid			type;			/* base type */
	BbfFamily	family;			/* none for bloom_key, whose values have one */
	ScalarEncode encode_scalar; /* this, */
	NestedEncode encode_nested; /* or this, which also sets key->subtype */
	int			integer_width;	/* 4 or 8: integer or bigint; else 0 */
	int16		typlen;
	bool		typbyval;
	char		typalign;
	MemoryContext context;		/* where the hasher lives */
	Oid			index;			/* of blt_create_index_hasher, or InvalidOid */
	KeyHasher  *root;			/* of the whole key, of which this is a part */
	int			nparts;			/* of a root: hashers created for it */

	KeyHasher  *part;			/* of an array's elements, a range's bounds */
	TypeCacheEntry *range;		/* the range type */
	struct RowHasher *row;		/* of the columns of the row type seen last */
};

/*
 * Prepare to hash values of an SQL type.  The hasher lives in the memory
 * context given, which may outlive many queries; what it keeps is bounded.
 *
 * Errors: the type belongs to no key family; it is text under a collation
 * known not to be deterministic.
 */
extern KeyHasher *blt_create_hasher(Oid type, Oid collation,
									MemoryContext context);

/*
 * The same for values in an index of this database.  Their hashes outlive
 * changes of their types: labels of enums can be renamed, and rows get further
 * columns.  Of text in another encoding than UTF-8, of enums and of rows they
 * are not those of keys in filters.  Errors: also of the columns of a row
 * type.
 */
extern KeyHasher *blt_create_index_hasher(Oid index, Oid type, Oid collation,
										  MemoryContext context);

/*
 * The subtype of the keys of a type: 0 for a family without parts.  Error: it
 * is an anonymous row type.
 */
extern uint32 blt_hasher_subtype(KeyHasher *hasher);

/*
 * blt_hash_key for values of any type.  Errors: the value has parts that
 * cannot be keys.
 */
extern BloomKey blt_hash_key_slow(KeyHasher *hasher, Datum value);

/* Hash a value, which is not null; without a call for the most common keys. */
static pg_attribute_always_inline BloomKey
blt_hash_key(KeyHasher *hasher, Datum value)
{
	BloomKey	key = {.family = BBF_FAMILY_NUMBER};

	if (hasher->integer_width == 8)
		key.hash = blt_hash_int64(DatumGetInt64(value));
	else if (hasher->integer_width == 4)
		key.hash = blt_hash_int64(DatumGetInt32(value));
	else
		key = blt_hash_key_slow(hasher, value);
	return key;
}

#endif							/* BLOOMTYPE_KEY_HASHER_H */
