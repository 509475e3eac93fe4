/*
 * plan_rows.h
 *	  Corrects the rows that the planner expects of joins, where statistics
 *	  show that it expects too few.
 */
#ifndef BLOOMTYPE_PLAN_ROWS_H
#define BLOOMTYPE_PLAN_ROWS_H

#include "lib/ilist.h"
#include "optimizer/paths.h"

/* One call of the planner */
typedef struct PlannerCall
{
	struct PlannerCall *outer;	/* during which this one was made, or NULL */
	dlist_head	queries;		/* of QueryJoins */
} PlannerCall;

/*
 * Begin and end a call of the planner.  Between these, the other functions
 * serve the call that was begun last.  After an error, it must be ended, too.
 */
extern void blt_plan_begin_call(PlannerCall *call);
extern void blt_plan_end_call(PlannerCall *call);

/* Find what to correct in the joins of a query; for join_search_hook. */
extern void blt_plan_find_corrections(PlannerInfo *root);

/*
 * Correct the rows of a join relation when its first paths have been made,
 * and make these again; for set_join_pathlist_hook.  Returns true if it did
 * so: the hook has been called again meanwhile.
 */
extern bool blt_plan_correct_rows(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
								  RelOptInfo *innerrel, JoinType jointype,
								  JoinPathExtraData *extra);

#endif							/* BLOOMTYPE_PLAN_ROWS_H */
