/*
 * query_filter.h
 *	  A filter that the query which asks it makes by an aggregate.
 */
#ifndef BLOOMTYPE_QUERY_FILTER_H
#define BLOOMTYPE_QUERY_FILTER_H

#include "core/kind.h"
#include "nodes/pathnodes.h"

typedef struct FilterNumbers
{
	double		keys;			/* number of its distinct keys, */
	bool		keys_are_limit; /* if they never repeat: how often is unknown */
	double		fpp;			/* its false-positive rate */
	bool		is_external;	/* it is one of another system; else: */
	BbfKind		kind;
} FilterNumbers;

/*
 * Estimate the filter that an expression is.  That is the result of TYPE_agg
 * or external_bloom_agg without GROUP BY, in a query that is planned already:
 *
 *	a scalar sub-select that runs once;
 *	a column of a sub-select in FROM, or of a WITH query;
 *	either through the other, and through bloom_shrink or a cast to bloom.
 *
 * False for any other expression, and where it is not known how many rows the
 * aggregate reads.  No errors.
 */
extern bool blt_estimate_query_filter(PlannerInfo *root, Node *filter, FilterNumbers *numbers);

#endif							/* BLOOMTYPE_QUERY_FILTER_H */
