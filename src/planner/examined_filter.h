/*
 * examined_filter.h
 *	  What is known, while a query is planned, of the filter that a call
 *	  probes.
 */
#ifndef BLOOMTYPE_EXAMINED_FILTER_H
#define BLOOMTYPE_EXAMINED_FILTER_H

#include "core/filter.h"
#include "planner/membership.h"
#include "planner/query_filter.h"

/* Where the filter comes from. */
typedef enum FilterSource
{
	BLT_FILTER_UNKNOWN,			/* a column, or anything else: nothing is
								 * known */
	BLT_FILTER_NULL,			/* a null constant */
	BLT_FILTER_CONST,			/* a constant, or a parameter of a custom plan */
	BLT_FILTER_OF_QUERY			/* an aggregate of the query */
} FilterSource;

typedef struct ExaminedFilter
{
	FilterSource source;

	/* of BLT_FILTER_CONST and BLT_FILTER_OF_QUERY: */
	FilterNumbers numbers;
	double		bytes;			/* its size, about */
	double		layers;			/* 0: it is a list */

	/* of BLT_FILTER_CONST, unless numbers.is_external: */
	BbfFilter	filter;
} ExaminedFilter;

/*
 * Examine the filter of a call.  Evaluates nothing.  Error: a constant is not
 * a valid filter of ours.
 */
extern void blt_examine_filter(PlannerInfo *root, const MembershipCall *call,
							   ExaminedFilter *filter);

/*
 * The share of rows that have a common value of the probed column which is in
 * a constant filter.  Sets *common to the share of rows that have any common
 * value.  Both are 0 for other filters, without statistics, and where the
 * user may not read them.
 */
extern Selectivity blt_common_values_selectivity(PlannerInfo *root, const MembershipCall *call,
												 Node *value, const ExaminedFilter *filter,
												 double *common);

#endif							/* BLOOMTYPE_EXAMINED_FILTER_H */
