/*
 * join_node_plans.h
 *	  What the nodes of join_nodes.h are in a plan.
 */
#ifndef BLOOMTYPE_JOIN_NODE_PLANS_H
#define BLOOMTYPE_JOIN_NODE_PLANS_H

#include "nodes/extensible.h"
#include "nodes/plannodes.h"

/* Make a node without filters, its own cost and id above a child. */
extern CustomScan *blt_join_make_node(Plan *child, const CustomScanMethods *methods);

/* Add a filter, by its number, of these columns (blt_join_keys_to_list). */
extern void blt_join_add_node_filter(CustomScan *scan, int filter, List *keys);

/* Several processes build the filter together, from about this many keys. */
extern void blt_join_share_build(CustomScan *build, double nkeys);

/*
 * EXPLAIN VERBOSE shows how the expected rows of the join were corrected.  The
 * second function returns false if they were not.
 */
extern void blt_join_note_correction(CustomScan *build, double before, double after);
extern bool blt_join_noted_correction(CustomScan *build, double *before, double *after);

/*
 * Add a filter that this share of the rows is expected to pass.  bounds are
 * those of the rows (blt_join_partition_bounds).
 */
extern void blt_join_add_to_probe(CustomScan *probe, int filter, List *keys, double pass,
								  List *bounds);

/*
 * The filter of a build node, one of those in custom_private from the second
 * item on; and its parts.  The expected number is of rows or of shared keys.
 */
extern List *blt_join_filter_of_build(CustomScan *build);
extern int	blt_join_filter_number(List *filter);
extern List *blt_join_node_keys(List *filter);
extern double blt_join_expected_number(List *filter);
extern List *blt_join_node_bounds(List *filter);

#endif							/* BLOOMTYPE_JOIN_NODE_PLANS_H */
