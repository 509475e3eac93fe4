/*
 * plan_correction.h
 *	  Which joins of a query have more rows than the planner expects.
 *
 * A unique key of a table, the calendar, reaches beyond the values of the
 * column that is joined to it, that of the facts, and conditions select a
 * range of the table.
 */
#ifndef BLOOMTYPE_PLAN_CORRECTION_H
#define BLOOMTYPE_PLAN_CORRECTION_H

#include "plan/plan_calendar.h"

/* The rows of some base relations, joined, are multiplied. */
typedef struct PlanCorrection
{
	Relids		relids;			/* all that its rule looks at */
	double		factor;			/* more than 1 */
	int			facts;
	int			other;			/* whose key is unique */
	EquivalenceClass *ec;		/* which joins these two */
} PlanCorrection;

/*
 * The PlanCorrections of a query: of two relations each, one of which may be
 * restricted to a part of its key, and with each third one whose conditions
 * select a range of that, too
 */
extern List *blt_plan_corrections(PlanColumns *columns);

#endif							/* BLOOMTYPE_PLAN_CORRECTION_H */
