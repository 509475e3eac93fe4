/*
 * join_plan.h
 *	  Puts filters into a finished plan.
 */
#ifndef BLOOMTYPE_JOIN_PLAN_H
#define BLOOMTYPE_JOIN_PLAN_H

#include "nodes/plannodes.h"

/*
 * Put build and probe nodes into a plan, where they are right and, unless they
 * are forced, expected to pay.  So large a share of the rows of the plan is
 * wanted.
 */
extern void blt_join_add_filters(PlannedStmt *stmt, double share, bool is_forced);

#endif							/* BLOOMTYPE_JOIN_PLAN_H */
