/*
 * key_match.h
 *	  The check that a key is one of those that a filter can have.
 *
 * It takes what of a filter it needs, so that it also serves what has no
 * image of a filter.
 */
#ifndef BLOOMTYPE_KEY_MATCH_H
#define BLOOMTYPE_KEY_MATCH_H

#include "core/kind.h"
#include "key/key_report.h"

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
blt_check_key(BbfKind kind, unsigned family, uint32 subtype, BloomKey key, KeyUse use)
{
	if (unlikely(!blt_key_matches(family, subtype, key)))
		blt_report_key_mismatch(kind, family, key, use);
}

#endif							/* BLOOMTYPE_KEY_MATCH_H */
