/*
 * filter_argument.h
 *	  What is known, while a query is planned, of the filter argument of a
 *	  membership call.
 */
#ifndef BLOOMTYPE_FILTER_ARGUMENT_H
#define BLOOMTYPE_FILTER_ARGUMENT_H

#include "planner/aggregate_selfuncs.h"
#include "planner/known_filter.h"
#include "planner/membership.h"

typedef struct FilterArgument
{
	PlannerInfo *root;
	Node	   *filter;
	bool		is_null;		/* it is a constant null */
	bool		is_known;		/* it is a constant, and one of ours: */
	KnownFilter known;

	/* private: by blt_filter_numbers */
	bool		has_numbers;
	bool		is_examined;
	PlannedFilter numbers;
} FilterArgument;

/*
 * Learn whether a filter is a constant.  format is that of a filter of
 * another system, else null.  Evaluates nothing.
 */
extern void blt_examine_filter(PlannerInfo *root, Node *filter, Node *format,
							   FilterArgument *argument);

/*
 * The number of its keys and more, computed at the first call; null if the
 * filter is neither a constant nor made by the query.
 */
extern const PlannedFilter *blt_filter_numbers(FilterArgument *argument);

#endif							/* BLOOMTYPE_FILTER_ARGUMENT_H */
