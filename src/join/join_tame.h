/*
 * join_tame.h
 *	  What may be run less often, or twice, without anyone noticing.
 */
#ifndef BLOOMTYPE_JOIN_TAME_H
#define BLOOMTYPE_JOIN_TAME_H

#include "nodes/plannodes.h"

/*
 * Does an expression or a list of them call no volatile function, neither
 * itself nor in a sub-select of its own?
 */
extern bool blt_join_expression_is_tame(PlannedStmt *stmt, Node *expression);

/*
 * Does a plan consist of known nodes, without a volatile function?  If repeatable,
 * it also returns the same set of rows whenever it is run in a query: no LIMIT, nor
 * what depends on the order of its input, but in sub-selects of expressions.
 */
extern bool blt_join_plan_is_tame(PlannedStmt *stmt, Plan *plan, bool repeatable);

#endif							/* BLOOMTYPE_JOIN_TAME_H */
