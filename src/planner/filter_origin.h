/*
 * filter_origin.h
 *	  Where in a query that is being planned a filter comes from.
 */
#ifndef BLOOMTYPE_FILTER_ORIGIN_H
#define BLOOMTYPE_FILTER_ORIGIN_H

#include "nodes/pathnodes.h"

/*
 * The aggregate whose result an expression is, and the query of which it is a part; null if
 * it is none, or has no arguments.  root is set to that query, which is planned already, or
 * is the one that is being planned.  The result may be
 *
 *	that of a scalar sub-select that runs once;
 *	a column of a sub-select in FROM, or of a WITH query;
 *	either through the other, and through bloom_shrink or a cast to bloom.
 */
extern Aggref *blt_filter_aggregate(PlannerInfo **root, Node *filter);

/* Are these the results of two scalar sub-selects that are written alike? */
extern bool blt_same_sub_select(PlannerInfo *root, Node *a, Node *b);

#endif							/* BLOOMTYPE_FILTER_ORIGIN_H */
