/*
 * key_scalar.h
 *	  The canonical hash of values without parts: one encoder for each SQL
 *	  type.
 */
#ifndef BLOOMTYPE_KEY_SCALAR_H
#define BLOOMTYPE_KEY_SCALAR_H

#include "core/bytes.h"
#include "core/hash.h"
#include "key/key_type.h"

/*
 * Hash a value that is not null into key->hash.  The encoder of bloom_key,
 * whose values have a family of their own, sets that and the subtype as well.
 */
typedef void (*ScalarEncode) (Datum value, BloomKey *key);

/*
 * The encoder of a base type, and the family of its keys: none for bloom_key.
 * False if the type is none of those.  Errors: the type is text, under a
 * collation that is known not to be deterministic, or in a database whose
 * encoding the server cannot convert to UTF-8.
 */
extern bool blt_find_scalar(Oid type, Oid collation, BbfFamily *family,
							ScalarEncode *encode);

/*
 * The same for an index of this database, whose keys need not be those of any
 * other.  Strings are hashed in the server's encoding, so that no insert fails
 * for a character that UTF-8 lacks, and enums by the OIDs of their labels,
 * which may be renamed.
 */
extern bool blt_find_index_scalar(Oid type, Oid collation, BbfFamily *family,
								  ScalarEncode *encode);

/*
 * Do two base types without parts, or two polymorphic types, which are the
 * same one then, share their keys?
 */
extern bool blt_share_keys(Oid a, Oid b);

/*
 * Can the text of this database be had in UTF-8, or as bytes of an unknown
 * encoding?
 */
extern bool blt_converts_to_utf8(void);

/* Is there nothing to convert? */
extern bool blt_is_utf8(void);

/*
 * Can this string, in the server's encoding, be had in UTF-8?  If not,
 * blt_to_utf8 is an error.
 */
extern bool blt_has_utf8(const char *s, int length);

/*
 * A string in the server's encoding in UTF-8: itself, where nothing is to
 * convert, or a copy to be freed.
 */
extern const char *blt_to_utf8(const char *s, int length, size_t *utf8_length);

/* The canonical hash of a whole number. */
static inline uint64
blt_hash_int64(int64 value)
{
	unsigned char bytes[8];

	bbf_put64(bytes, (uint64) value);
	return bbf_hash(bytes, sizeof(bytes));
}

#endif							/* BLOOMTYPE_KEY_SCALAR_H */
