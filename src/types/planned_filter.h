/*
 * planned_filter.h
 *	  What the planner can know of a filter that the query itself makes.
 */
#ifndef BLOOMTYPE_PLANNED_FILTER_H
#define BLOOMTYPE_PLANNED_FILTER_H

#include "fmgr.h"
#include "nodes/pathnodes.h"

typedef struct PlannedFilter
{
	double		keys;			/* number of its distinct keys */
	double		all_keys;		/* of the aggregate's keys over all groups,
								 * also those that its FILTER leaves out */
	bool		is_limit;		/* nobody knows how often keys repeat: these
								 * are the numbers if they never do */
	double		fpp;			/* its false-positive rate */
} PlannedFilter;

/*
 * Is this expression, of a query that is being planned, the result of TYPE_agg
 * in a sub-select that is planned already, or in the query itself?  Then say what
 * to expect of it.  The result may be
 *
 *	that of a scalar sub-select that runs once;
 *	a column of a sub-select in FROM, or of a WITH query;
 *	either through the other, and through bloom_shrink or a cast to bloom.
 *
 * False for any other expression, and where the number of rows that the aggregate
 * reads is not known.  No errors.
 */
extern bool blt_plan_filter(PlannerInfo *root, Node *node, PlannedFilter *filter);

/*
 * The entry of a variable in the range table, which that of a set operation or of
 * a finished plan does not have: null.
 */
extern RangeTblEntry *blt_range_table_entry(PlannerInfo *root, const Var *var);

/* Is this a call of the function, through whatever SQL name? */
extern bool blt_is_function(Oid oid, PGFunction function);

/* The variables in an expression. */
extern List *blt_variables(Node *node);

#endif							/* BLOOMTYPE_PLANNED_FILTER_H */
