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
#include "nodes/pathnodes.h"

/* A column of an equivalence class finds its value in a unique key. */
typedef struct PlanKeyLink
{
	EquivalenceClass *ec;
	PlanLink	link;
} PlanKeyLink;

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
 * The PlanKeyLinks of a query from relations to others that may be restricted
 * to a part of their keys
 */
extern List *blt_plan_links_to_keys(PlannerInfo *root);

/*
 * The PlanCorrections for such a link, whose blt_plan_calendar_factor is not
 * zero: of its two relations, and with each third one whose conditions select
 * a range, too
 */
extern List *blt_plan_corrections_by_link(PlanColumns *columns, const PlanKeyLink *link,
										  double factor);

#endif							/* BLOOMTYPE_PLAN_CORRECTION_H */
