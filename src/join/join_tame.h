/*
 * join_tame.h
 *	  What may be run less often, or twice, without anyone noticing.
 */
#ifndef BLOOMTYPE_JOIN_TAME_H
#define BLOOMTYPE_JOIN_TAME_H

#include "nodes/plannodes.h"

/* How often one plan is run in a query, so that it must return the same set of rows */
typedef enum JoinRuns
{
	JOIN_RUNS_ONCE,
	JOIN_RUNS_IN_PROCESSES,		/* in several at the same time */
	JOIN_RUNS_AGAIN,			/* and again later, when the query may have changed settings */
} JoinRuns;

/*
 * Does an expression or a list of them call no volatile function, neither
 * itself nor in a sub-select of its own?
 */
extern bool blt_join_expression_is_tame(PlannedStmt *stmt, Node *expression);

/*
 * Does a plan consist of known nodes, without a volatile function, and return the same set of
 * rows in each of its runs?  If there are several, it has no LIMIT, nor what else depends on
 * the order of its input, and reads nothing that is not as the query's snapshot has it.
 */
extern bool blt_join_plan_is_tame(PlannedStmt *stmt, Plan *plan, JoinRuns runs);

#endif							/* BLOOMTYPE_JOIN_TAME_H */
