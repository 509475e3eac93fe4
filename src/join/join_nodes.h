/*
 * join_nodes.h
 *	  The two nodes that are put into plans.
 *
 * BloomtypeBuild, below Hash, passes on the rows of its child, and adds their
 * keys to the filter of the join.  BloomtypeProbe, above a scan, passes on
 * those rows of its child that pass all its filters.  If its child scans a
 * partition that cannot have a key of one of them, the child is not run.
 *
 * The number of a filter is that of an executor parameter, whose value is a
 * pointer to the filter.  So each execution of a plan, and each process, has
 * its own.
 *
 * Where EvalPlanQual runs a plan again, with other versions of rows, and in a
 * parallel worker whose library has a different format of filters from the
 * leader's, both only pass rows on.
 */
#ifndef BLOOMTYPE_JOIN_NODES_H
#define BLOOMTYPE_JOIN_NODES_H

#include BLT_EXPLAIN_STATE_HEADER
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/plannodes.h"

/* Register the names of the nodes; called once, when the library is loaded. */
extern void blt_join_register_build(void);
extern void blt_join_register_probe(void);

/* A filter of a node */
typedef struct JoinNodeFilter
{
	int			number;			/* of the parameter of the executor */
	List	   *keys;			/* columns (blt_join_key_to_list) */
	double		expected;		/* rows that pass it, in all runs of a probe
								 * node; all keys, at a build node; at most
								 * INT_MAX */
	List	   *bounds;			/* of the rows of a probe node
								 * (blt_join_partition_bounds) */
} JoinNodeFilter;

extern const CustomScanMethods blt_join_build_methods;
extern const CustomScanMethods blt_join_probe_methods;

/* Make a node above a child, without filters, cost or id of its own. */
extern CustomScan *blt_join_make_node(Plan *child, const CustomScanMethods *methods);

/* One for the build node, for the probe node the most selective first */
extern void blt_join_add_node_filter(CustomScan *scan, const JoinNodeFilter *filter);

/*
 * The filters of a node, a list of JoinNodeFilter; NIL if the plan was made by
 * a library with another format
 */
extern List *blt_join_node_filters(CustomScanState *node);

/*
 * What both do while a query runs
 */

/*
 * Start the child; its slots are returned as they are, so the parent must know
 * their kind.
 */
extern void blt_join_begin_child(CustomScanState *node, EState *estate, int eflags);
extern void blt_join_end_child(CustomScanState *node);
extern void blt_join_rescan_child(CustomScanState *node);

/* The line `Runtime Filter Keys' of EXPLAIN */
extern void blt_join_explain_keys(CustomScanState *node, List *ancestors, ExplainState *es);

#endif							/* BLOOMTYPE_JOIN_NODES_H */
