/*
 * filter_origin.h
 *	  Where in a query that is being planned a filter comes from.
 */
#ifndef BLOOMTYPE_FILTER_ORIGIN_H
#define BLOOMTYPE_FILTER_ORIGIN_H

#include "nodes/pathnodes.h"

/*
 * The expression from which a filter comes, and the query of which that is a
 * part: root is set to it.  The query is planned already, or is the one that
 * is being planned.  The filter may be
 *
 *	the result of a scalar sub-select that runs once;
 *	a column of a sub-select in FROM, or of a WITH query;
 *	either through the other, and through bloom_shrink or a cast to bloom.
 *
 * Any other expression comes from itself.  root may be null.
 */
extern Node *blt_filter_origin(PlannerInfo **root, Node *filter);

/*
 * The same of an aggregate, which has arguments; null if the filter comes
 * from anything else.
 */
extern Aggref *blt_filter_aggregate(PlannerInfo **root, Node *filter);

/* Are these the results of two scalar sub-selects that are written alike? */
extern bool blt_same_sub_select(PlannerInfo *root, Node *a, Node *b);

#endif							/* BLOOMTYPE_FILTER_ORIGIN_H */
