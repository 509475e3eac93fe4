/*
 * aggregate_selfuncs.h
 *	  What the planner can know of a filter that the query itself makes.
 */
#ifndef BLOOMTYPE_AGGREGATE_SELFUNCS_H
#define BLOOMTYPE_AGGREGATE_SELFUNCS_H

#include "core/kind.h"
#include "nodes/pathnodes.h"

typedef struct PlannedFilter
{
	double		keys;			/* number of its distinct keys */
	double		all_keys;		/* of the aggregate's keys over all groups,
								 * also those that its FILTER leaves out */
	bool		is_limit;		/* how often keys repeat is unknown: these are
								 * the numbers if they never do */
	double		fpp;			/* its false-positive rate */
	BbfKind		kind;			/* BBF_KIND_ANY: it is one of another system */
	double		bytes;			/* its size, about */
} PlannedFilter;

/*
 * What to expect of the result of TYPE_agg or external_bloom_agg, which an
 * expression is as blt_filter_aggregate says.  False for any other
 * expression, and where the number of rows that the aggregate reads is not
 * known.  No errors.
 */
extern bool blt_plan_filter(PlannerInfo *root, Node *node, PlannedFilter *filter);

#endif							/* BLOOMTYPE_AGGREGATE_SELFUNCS_H */
