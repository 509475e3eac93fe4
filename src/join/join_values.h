/*
 * join_values.h
 *	  What statistics show of the values of a table's column.
 */
#ifndef BLOOMTYPE_JOIN_VALUES_H
#define BLOOMTYPE_JOIN_VALUES_H

#include "nodes/plannodes.h"

/*
 * Expected number of distinct values in a table's column, according to its
 * statistics; 0 if unknown.
 */
extern double blt_join_distinct_values(Oid table, AttrNumber column);

/*
 * The number of values of a key, each of which another table has once, where a
 * column has a part of them: rows of the other table, divided by this, are the
 * share of the column's rows that have a partner.  If the scan of the other
 * table selects a range of the key, it is those in the range of the column's
 * values, else all of them.  0 if it is unknown, or the column has most.
 */
extern double blt_join_values_of_key(Oid table, AttrNumber column, Oid other, AttrNumber key,
									 Plan *scan);

#endif							/* BLOOMTYPE_JOIN_VALUES_H */
