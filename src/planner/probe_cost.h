/*
 * probe_cost.h
 *	  What it costs to probe a filter.
 */
#ifndef BLOOMTYPE_PROBE_COST_H
#define BLOOMTYPE_PROBE_COST_H

#include "nodes/pathnodes.h"
#include "planner/membership.h"

/*
 * The cost of a call for one row, in the planner's unit.  root may be null.
 * Calls no function of the query.
 */
extern Cost blt_probe_cost(PlannerInfo *root, const MembershipCall *call);

#endif							/* BLOOMTYPE_PROBE_COST_H */
