/*
 * key_match.h
 *	  The type check between a filter and a key.
 */
#ifndef BLOOMTYPE_KEY_MATCH_H
#define BLOOMTYPE_KEY_MATCH_H

#include "compat.h"

#include "core/image.h"
#include "key/key_hasher.h"

typedef enum KeyUse
{
	KEY_IS_PROBED,
	KEY_IS_ADDED,
	KEY_IS_REMOVED
} KeyUse;

/* The error, for a key that is not of the family and kind of a filter's. */
pg_noreturn extern void bloomtype_key_mismatch(BbfKind kind, unsigned family,
											   BloomKey key, KeyUse use);

/*
 * Is the key of the family and signature of a filter's keys?  An empty filter
 * (family "none") takes any.
 */
static inline bool
bloomtype_key_matches(unsigned family, uint32 signature, BloomKey key)
{
	return family == BBF_FAMILY_NONE ||
		(family == key.family && signature == key.signature);
}

/* Error unless it is. */
static inline void
bloomtype_match_key(const BbfImage *image, BloomKey key, KeyUse use)
{
	if (!bloomtype_key_matches(image->family, image->signature, key))
		bloomtype_key_mismatch(image->kind, image->family, key, use);
}

/*
 * Error unless the keys of two filters are of one family and kind, or one has
 * none.  The operation stands in the message: "unite", "intersect".
 */
extern void bloomtype_match_filters(const BbfImage *a, const BbfImage *b,
									const char *operation);

#endif							/* BLOOMTYPE_KEY_MATCH_H */
