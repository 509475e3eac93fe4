/*
 * known_filter.h
 *	  A filter that is a constant while a query is planned.
 */
#ifndef BLOOMTYPE_KNOWN_FILTER_H
#define BLOOMTYPE_KNOWN_FILTER_H

#include "core/filter.h"
#include "interchange/external.h"
#include "nodes/primnodes.h"
#include "utils/selfuncs.h"

/* A filter of ours. */
typedef BbfFilter KnownFilter;

/* Is this a constant that may be a filter, of ours or of another system? */
extern bool blt_is_known_filter(Node *node);

/*
 * Is a value in a known filter?  False, and *is_known false, where the value
 * has a type that is no key, or might be none.
 */
extern bool blt_known_filter_contains(const KnownFilter *filter, Const *value, bool *is_known);

/*
 * The share of rows that have a common value of the column which is in the
 * filter.  Sets *common to the share of rows that have any common value.
 * Both are 0 without statistics, or where the user of function_oid may not
 * read them.
 */
extern Selectivity blt_common_values_selectivity(VariableStatData *column, Oid function_oid,
												 Oid value_type, const KnownFilter *filter,
												 double *common);

/* The format that a constant names; null if there is none, or no constant. */
extern const BbfExternalFormat *blt_format_of_constant(Const *name);

/*
 * The number of keys, the rate and the size of a filter of another system;
 * false if the bytes are none of that format, which is an error when the
 * query meets it.
 */
extern bool blt_count_external_keys(const BbfExternalFormat *format, Const *filter,
									double *keys, double *fpp, double *length);

#endif							/* BLOOMTYPE_KNOWN_FILTER_H */
