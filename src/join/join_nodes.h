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
 */
#ifndef BLOOMTYPE_JOIN_NODES_H
#define BLOOMTYPE_JOIN_NODES_H

#include "nodes/plannodes.h"

/* Register the names of both; called once, when the library is loaded. */
extern void blt_join_register_nodes(void);

/*
 * Make a node without its own cost and id above a child.  It gets filters by
 * blt_join_add_node_filter: one for the build node, for the probe node the
 * most selective first.
 */
extern CustomScan *blt_join_make_build(Plan *child);
extern CustomScan *blt_join_make_probe(Plan *child);

#endif							/* BLOOMTYPE_JOIN_NODES_H */
