/*
 * cost.h
 *	  What it costs to ask a filter.
 */
#ifndef BLOOMTYPE_COST_H
#define BLOOMTYPE_COST_H

#include "nodes/pathnodes.h"
#include "planner/membership.h"

/* The cost of a call for one row.  root may be null. */
extern Cost blt_cost(PlannerInfo *root, const MembershipCall *call);

#endif							/* BLOOMTYPE_COST_H */
