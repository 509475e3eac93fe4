/*
 * join_rows.h
 *	  Corrects the rows that the planner expects of joins, where statistics
 *	  show that it expects too few.
 *
 * Rows of joins are corrected only if bloomtype_join.estimate says so.  What a
 * filter is expected to pass is always computed from the same numbers, which
 * are kept from the planner's work on a query until its plan is changed.
 */
#ifndef BLOOMTYPE_JOIN_ROWS_H
#define BLOOMTYPE_JOIN_ROWS_H

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "optimizer/paths.h"
#include "utils/selfuncs.h"

/* One call of the planner */
typedef struct JoinPlanning
{
	struct JoinPlanning *outer; /* during which this one was called, or NULL */
	List	   *searches;		/* of JoinSearch */
	List	   *key_shares;		/* of KeyShare */
	List	   *groups;			/* for blt_join_count_groups() */
} JoinPlanning;

/*
 * Begin and end a call of the planner.  Between these, the other functions
 * serve the call that was begun last.  After an error, it must be ended, too.
 */
extern void blt_join_begin_planning(JoinPlanning *planning);
extern void blt_join_end_planning(JoinPlanning *planning);

/* Find what to correct in the joins of a query; for join_search_hook. */
extern void blt_join_find_corrections(PlannerInfo *root);

/*
 * Correct the rows of a join relation when its first paths have been made,
 * and make these again; for set_join_pathlist_hook.  Returns true if it did
 * so: the hook has been called again meanwhile.
 */
extern bool blt_join_correct_rows(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
								  RelOptInfo *innerrel, JoinType jointype,
								  JoinPathExtraData *extra);

/*
 * blt_join_count_groups() for the current call of the planner, if rows are to
 * be corrected; for get_relation_stats_hook.
 */
extern bool blt_join_get_statistics(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
									VariableStatData *vardata);

/*
 * The number of distinct values among which a unique key of another relation
 * finds those of a column: rows of the other relation, divided by this, are
 * the share of the column's rows that have a partner.  Both relations are
 * entries of the range table of the finished plan.  Returns 0 if statistics do
 * not show more than the usual ones.
 */
extern double blt_join_values_in_range(RangeTblEntry *table, AttrNumber column,
									   RangeTblEntry *other, AttrNumber key);

/*
 * Were the rows of a join in the finished plan corrected?  If so, sets what
 * the planner expected, and what it was made to expect, of all processes.
 */
extern bool blt_join_was_corrected(PlannedStmt *stmt, Plan *join, double *before, double *after);

#endif							/* BLOOMTYPE_JOIN_ROWS_H */
