/*
 * join_trace.h
 *	  From a key of a join to the scans that it comes from.
 */
#ifndef BLOOMTYPE_JOIN_TRACE_H
#define BLOOMTYPE_JOIN_TRACE_H

#include "join/join_key.h"
#include "nodes/plannodes.h"

/* A table with the scans of it, or of its partitions */
typedef struct JoinTable
{
	List	   *targets;		/* of JoinTarget, at least one */
	bool		is_read_ahead;	/* as a whole, before the join gets a row */

	/* for the caller; 0 */
	double		distinct;		/* values of the key */
	double		pass;			/* share of the rows that is expected to pass */
} JoinTable;

/* A scan that may get a probe node above it */
typedef struct JoinTarget
{
	Plan	  **link;			/* where its parent keeps it */
	JoinTable  *table;
	JoinKey		key;			/* a column of its target list */
	double		runs;			/* how often it is expected to be run */
	double		row_cost;		/* of the joins, for each of its rows */
} JoinTarget;

/*
 * The scans that a key, a column of the outer side of a join, comes from, and
 * those of columns that joins below have found equal to it: a list of
 * JoinTable.  A scan may skip rows by this key if all rows of the outer side
 * with such a value are dropped by the join.
 *
 * family has the key's hash function, and gives those of the other columns.
 *
 * The list is empty if nothing is certain.  It may have some partitions of a
 * table and lack others.
 */
extern List *blt_join_trace_scans(PlannedStmt *stmt, HashJoin *join, JoinKey *key, Oid family);

#endif							/* BLOOMTYPE_JOIN_TRACE_H */
