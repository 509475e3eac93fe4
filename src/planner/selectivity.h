/*
 * selectivity.h
 *	  How many rows pass a filter.
 */
#ifndef BLOOMTYPE_SELECTIVITY_H
#define BLOOMTYPE_SELECTIVITY_H

#include "nodes/pathnodes.h"
#include "planner/examined_filter.h"

/*
 * The share of rows in which a call is true; see examine_variable for
 * relation.  args is the list of arguments of the call itself: where that is
 * a condition of the query, it is the share of those rows that have partners
 * in joins (beside_join.h).  Calls stable functions.
 */
extern Selectivity blt_selectivity(PlannerInfo *root, const MembershipCall *call,
								   List *args, int relation);

/*
 * The same among all rows, whatever they are joined to, of a filter that was
 * examined; without evaluating anything.
 */
extern Selectivity blt_selectivity_alone(PlannerInfo *root, const MembershipCall *call,
										 const ExaminedFilter *filter);

#endif							/* BLOOMTYPE_SELECTIVITY_H */
