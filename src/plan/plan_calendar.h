/*
 * plan_calendar.h
 *	  The rule for a join with a table that reaches beyond the rows joined to
 *	  it, as a calendar of two centuries does for the facts of five years.
 *
 * The planner expects a condition that selects a year of the calendar to
 * select as small a share of the facts.  Statistics show which part of the
 * calendar the facts use, and, where the calendar is stored in the order of
 * its key, which part of it a condition selects.
 */
#ifndef BLOOMTYPE_PLAN_CALENDAR_H
#define BLOOMTYPE_PLAN_CALENDAR_H

#include "plan/plan_column.h"

/* Columns of two base relations that are equal in a join */
typedef struct PlanLink
{
	Var		   *from;
	Var		   *to;
} PlanLink;

/*
 * The factor by which rows of a join are more than the planner expects, at
 * least 1.
 *
 * The first link leads from the facts to a unique column of another relation.
 * If there is a second one, from there to a third relation, it is the
 * conditions of that one that are considered, else those of the other.
 *
 * Returns 0 if statistics do not show which range of the key the facts use,
 * as where keys are not numbers, dates or times; if that is most of the key;
 * or if the relation is not in the order of its key.
 */
extern double blt_plan_calendar_factor(PlanColumns *columns, const PlanLink *links, int nlinks);

#endif							/* BLOOMTYPE_PLAN_CALENDAR_H */
