/*
 * join_trace.h
 *	  From a column of a plan to the scans that it comes from.
 */
#ifndef BLOOMTYPE_JOIN_TRACE_H
#define BLOOMTYPE_JOIN_TRACE_H

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* A scan that may get a probe node above it */
typedef struct JoinTarget
{
	Plan	  **link;			/* where its parent keeps it */
	AttrNumber	column;			/* of its target list */
} JoinTarget;

/*
 * The number of the column that an expression is, with the same bytes; else 0
 */
extern AttrNumber blt_join_plain_column(Node *expression, int varno);

/*
 * The scans that a column of the plan at a link comes from.  A scan may skip
 * rows by this column if all rows of the plan with such a value are dropped
 * later on.
 *
 * The list is empty if that is not certain.  It may have some partitions of a
 * table and lack others.  stable has the parameters that do not change while
 * the plan runs.
 */
extern List *blt_join_trace_scans(PlannedStmt *stmt, Plan **link, AttrNumber column,
								  Bitmapset *stable);

/*
 * The table, and its column, that a plan's column comes from; NULL if it is
 * not certain to be one of a table.
 */
extern RangeTblEntry *blt_join_source_of_column(PlannedStmt *stmt, Plan *plan, AttrNumber column,
												AttrNumber *attribute);

/*
 * Expected number of distinct values in a table's column, according to its
 * statistics; 0 if unknown.
 */
extern double blt_join_distinct_values(Oid table, AttrNumber column);

#endif							/* BLOOMTYPE_JOIN_TRACE_H */
