/*
 * join_repeatable.h
 *	  What may be run less often, or twice, without anyone noticing.
 */
#ifndef BLOOMTYPE_JOIN_REPEATABLE_H
#define BLOOMTYPE_JOIN_REPEATABLE_H

#include "nodes/plannodes.h"

/*
 * How often one plan is run in a query, so that it must return the same set
 * of rows
 */
typedef enum JoinRuns
{
	JOIN_RUNS_ONCE,
	JOIN_RUNS_IN_PROCESSES,		/* in several at the same time */
	JOIN_RUNS_AGAIN,			/* and again later, when the query may have
								 * changed settings */
} JoinRuns;

/*
 * Are the expressions of a node free of volatile functions, in their own
 * sub-selects as well?
 */
extern bool blt_join_expressions_are_repeatable(PlannedStmt *stmt, Plan *plan);

/*
 * Does a plan consist of known nodes, without a volatile function, and return
 * the same set of rows in each of its runs?  If there are several, it must not
 * have a LIMIT or anything else that depends on the order of its input, and
 * must read only what the query's snapshot fixes.
 */
extern bool blt_join_plan_is_repeatable(PlannedStmt *stmt, Plan *plan, JoinRuns runs);

#endif							/* BLOOMTYPE_JOIN_REPEATABLE_H */
