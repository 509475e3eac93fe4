/*
 * join_nodes.h
 *	  The two nodes that are put into plans.
 *
 * BloomtypeBuild, below Hash, hands on the rows of its child, and adds their keys to the
 * filter of the join.  BloomtypeProbe, above a scan, hands on those rows of its child that
 * pass all its filters.
 *
 * A filter has a number: that of a parameter of the executor, whose value is a pointer to the
 * filter.  So every execution of a plan, and every process, has its own.
 */
#ifndef BLOOMTYPE_JOIN_NODES_H
#define BLOOMTYPE_JOIN_NODES_H

#include "nodes/plannodes.h"

/* Register the names of both; called once, when the library is loaded. */
extern void blt_join_register_nodes(void);

/*
 * A node without cost and id above a child.  keys are those of the child's columns
 * (blt_join_keys_to_list); a probe node has its filters added to it, the most selective
 * first.
 */
extern CustomScan *blt_join_make_build(Plan *child, int filter, List *keys);

/* Several processes build the filter together, from this number of keys about. */
extern void blt_join_share_build(CustomScan *build, double nkeys);

extern CustomScan *blt_join_make_probe(Plan *child);
extern void blt_join_add_to_node(CustomScan *scan, int filter, List *keys);

#endif							/* BLOOMTYPE_JOIN_NODES_H */
