/*
 * join_node_plans.h
 *	  What the nodes of join_nodes.h are in a plan.
 */
#ifndef BLOOMTYPE_JOIN_NODE_PLANS_H
#define BLOOMTYPE_JOIN_NODE_PLANS_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/plannodes.h"

/* A filter of a node */
typedef struct JoinNodeFilter
{
	int			number;			/* of the parameter of the executor */
	List	   *keys;			/* columns (join_candidate.h) */
	double		expected;		/* rows that pass it, in all runs of a probe
								 * node; all keys, at a build node; at most
								 * INT_MAX */
	List	   *bounds;			/* of the rows of a probe node
								 * (blt_join_partition_bounds) */
} JoinNodeFilter;

/* Make a node without filters, its own cost and id above a child. */
extern CustomScan *blt_join_make_node(Plan *child, const CustomScanMethods *methods);

/* One for the build node, for the probe node the most selective first */
extern void blt_join_add_node_filter(CustomScan *scan, const JoinNodeFilter *filter);

/*
 * The filters of a node, a list of JoinNodeFilter; NIL if the plan was made by
 * a library with another format
 */
extern List *blt_join_node_filters(CustomScanState *node);

#endif							/* BLOOMTYPE_JOIN_NODE_PLANS_H */
