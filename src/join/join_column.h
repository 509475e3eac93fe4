/*
 * join_column.h
 *	  From which column below a plan's column comes.
 */
#ifndef BLOOMTYPE_JOIN_COLUMN_H
#define BLOOMTYPE_JOIN_COLUMN_H

#include "nodes/plannodes.h"

/*
 * The number of the column that an expression is, with the same bytes; else 0
 */
extern AttrNumber blt_join_plain_column(Node *expression, int varno);

/*
 * The column of the child, or of the table, with this varno that a plan's
 * column is; else 0
 */
extern AttrNumber blt_join_source_column(Plan *plan, AttrNumber column, int varno);

/*
 * The scan of a table, and the table's column, that a plan's column comes
 * from; NULL if it is not certain to be one of a table.
 */
extern Plan *blt_join_source_of_column(Plan *plan, AttrNumber column, AttrNumber *attribute);

/* The table of a scan */
extern Oid	blt_join_table_of(PlannedStmt *stmt, Plan *scan);

#endif							/* BLOOMTYPE_JOIN_COLUMN_H */
