/*
 * filter_match.h
 *	  The checks between a filter and a key, and of two filters to be combined.
 */
#ifndef BLOOMTYPE_FILTER_MATCH_H
#define BLOOMTYPE_FILTER_MATCH_H

#include "core/image.h"
#include "key/key_type.h"

/* The operation that an error message names. */
typedef enum KeyUse
{
	BLT_KEY_IS_PROBED,
	BLT_KEY_IS_SEARCHED,		/* in a matrix of filters */
	BLT_KEY_IS_ADDED,
	BLT_KEY_IS_REMOVED
} KeyUse;

typedef enum FilterUse
{
	BLT_FILTERS_ARE_UNITED,
	BLT_FILTERS_ARE_INTERSECTED,
	BLT_FILTERS_ARE_COMPARED
} FilterUse;

/* The error for a key that is not of the family and subtype of a filter's. */
pg_noreturn extern void blt_report_key_mismatch(BbfKind kind, unsigned family,
												BloomKey key, KeyUse use);

/*
 * Is the key of the family and subtype of a filter's keys?  An empty filter
 * (family "none") takes any.
 */
static inline bool
blt_key_matches(unsigned family, uint32 subtype, BloomKey key)
{
	return family == BBF_FAMILY_NONE ||
		(family == key.family && subtype == key.subtype);
}

/* Error unless it is. */
static inline void
blt_check_key(const BbfMeta *meta, BloomKey key, KeyUse use)
{
	if (!blt_key_matches(meta->family, meta->subtype, key))
		blt_report_key_mismatch(meta->kind, meta->family, key, use);
}

/*
 * Error unless the keys of two filters are of one family and subtype, or one
 * filter has no keys.
 */
extern void blt_check_same_keys(const BbfMeta *a, const BbfMeta *b, FilterUse use);

/*
 * Error unless both filters have one layer, and the same geometry, as is
 * needed to combine them bin by bin.
 */
extern void blt_check_same_geometry(const BbfMeta *a, const BbfMeta *b,
									FilterUse use);

#endif							/* BLOOMTYPE_FILTER_MATCH_H */
