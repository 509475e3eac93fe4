/*
 * filter_argument.h
 *	  What is known, while a query is planned, of the filter that a call asks.
 */
#ifndef BLOOMTYPE_FILTER_ARGUMENT_H
#define BLOOMTYPE_FILTER_ARGUMENT_H

#include "planner/aggregate_selfuncs.h"
#include "planner/known_filter.h"
#include "planner/membership.h"

typedef struct AskedFilter
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
} AskedFilter;

/*
 * Learn whether a filter is known, as a constant.  format is that of a filter of another system,
 * else null.  Evaluates nothing.
 */
extern void blt_examine_filter(PlannerInfo *root, Node *filter, Node *format,
							   AskedFilter *asked);

/*
 * The number of its keys and more; null if it is no constant, and not made by the query.  It is
 * computed when it is asked for.
 */
extern const PlannedFilter *blt_filter_numbers(AskedFilter *asked);

#endif							/* BLOOMTYPE_FILTER_ARGUMENT_H */
