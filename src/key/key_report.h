/*
 * key_report.h
 *	  The errors for keys, whose hints have the SQL that makes another key of
 *	  a value.
 */
#ifndef BLOOMTYPE_KEY_REPORT_H
#define BLOOMTYPE_KEY_REPORT_H

#include "core/kind.h"
#include "key/key_type.h"

/* The operation that an error message names. */
typedef enum KeyUse
{
	BLT_KEY_IS_PROBED,
	BLT_KEY_IS_SEARCHED,		/* in a matrix of filters */
	BLT_KEY_IS_ADDED,
	BLT_KEY_IS_REMOVED
} KeyUse;

/*
 * The error for a key that is not of the family of a filter's keys or, if it
 * is, not of their subtype.
 */
pg_noreturn extern pg_attribute_cold void blt_report_key_mismatch(BbfKind kind,
																  unsigned family,
																  BloomKey key,
																  KeyUse use);

/* The same for a live set, which a key is added to or asked of. */
pg_noreturn extern pg_attribute_cold void blt_report_set_mismatch(unsigned family, BloomKey key,
																  bool is_added);

/*
 * The error for a type that cannot be a key, which is that of a whole key or
 * of a part of one.  The hint for an index, if it is one, is an immutable
 * expression.
 */
pg_noreturn extern pg_attribute_cold void blt_report_refused_type(Oid type, Oid whole,
																  Oid index);

#endif							/* BLOOMTYPE_KEY_REPORT_H */
