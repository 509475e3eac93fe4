/*
 * family.h
 *	  Key families: which SQL types share one key space.
 *
 * A filter holds keys of one family.  The numbers stand in stored images and
 * are frozen: families are only ever added at the end.
 */
#ifndef BBF_FAMILY_H
#define BBF_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum BbfFamily
{
	BBF_FAMILY_NONE = 0,		/* of a filter without keys */
	BBF_FAMILY_BOOLEAN = 1,
	BBF_FAMILY_NUMBER = 2,
	BBF_FAMILY_FLOAT = 3,
	BBF_FAMILY_TEXT = 4,
	BBF_FAMILY_BYTEA = 5,
	BBF_FAMILY_UUID = 6,
	BBF_FAMILY_OID = 7,
	BBF_FAMILY_DATE = 8,
	BBF_FAMILY_TIMESTAMP = 9,
	BBF_FAMILY_TIMESTAMPTZ = 10,
	BBF_FAMILY_TIME = 11,
	BBF_FAMILY_NETWORK = 12,
	BBF_FAMILY_MACADDR = 13,
	BBF_FAMILY_ARRAY = 14,
	BBF_FAMILY_ROW = 15,
	BBF_FAMILY_RANGE = 16
} BbfFamily;

#define BBF_FAMILY_MAX	BBF_FAMILY_RANGE

/* Name of a family as users see it; "unknown" for a number out of range. */
extern const char *bbf_family_name(unsigned family);

/* The family with a name of length bytes; -1 if there is none. */
extern int	bbf_family_by_name(const char *name, unsigned length);

/*
 * Keys of arrays, rows and ranges have a subtype: a hash of the families of
 * their parts.  That of every other family is zero.
 */
static inline bool
bbf_family_is_nested(unsigned family)
{
	return family >= BBF_FAMILY_ARRAY && family <= BBF_FAMILY_RANGE;
}

/* Can a key be of this family with this subtype? */
static inline bool
bbf_family_is_valid(unsigned family, uint32_t subtype)
{
	return family > BBF_FAMILY_NONE && family <= BBF_FAMILY_MAX &&
		(subtype == 0 || bbf_family_is_nested(family));
}

#endif							/* BBF_FAMILY_H */
