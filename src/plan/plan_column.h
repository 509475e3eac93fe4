/*
 * plan_column.h
 *	  What statistics show of a column of a query.
 *
 * They are read once for each column and search for joins.
 */
#ifndef BLOOMTYPE_PLAN_COLUMN_H
#define BLOOMTYPE_PLAN_COLUMN_H

#include "nodes/pathnodes.h"
#include "statistics/column_statistics.h"

typedef struct PlanColumn
{
	Var		   *var;
	double		distinct;		/* values; 0: unknown */
	double		order;			/* correlation with the order of the table; 0:
								 * unknown */
	bool		is_union;		/* of UNION ALL: the planner has no statistics */
	bool		is_read;		/* is what follows known? */
	ColumnStatistics statistics;
} PlanColumn;

/* The columns of a query whose statistics have been read */
typedef struct PlanColumns
{
	PlannerInfo *root;
	List	   *list;			/* of PlanColumn */
} PlanColumns;

/* An expression, or NULL, without changes of type that keep the value */
extern Node *blt_plan_strip_relabels(Node *node);

/*
 * A column of a base relation: a table, a sub-select, or UNION ALL.  Only the
 * number of its values and the order are set.  It is kept in the current
 * memory context, which must be the same in all calls.
 */
extern PlanColumn *blt_plan_column(PlanColumns *columns, Var *var);

/* Set the rest; returns false if the distribution is unknown. */
extern bool blt_plan_read_distribution(PlanColumns *columns, PlanColumn *column);

#endif							/* BLOOMTYPE_PLAN_COLUMN_H */
