/*
 * join_sides.h
 *	  Lets a hash join hash its smaller side, where the larger one can be
 *	  filtered.
 */
#ifndef BLOOMTYPE_JOIN_SIDES_H
#define BLOOMTYPE_JOIN_SIDES_H

#include "nodes/pathnodes.h"

/*
 * Prefer a hash join whose outer side is a large table, to be filtered by the
 * keys of the inner side, to the join that hashes this table, if the planner
 * expects both to cost about the same; for set_join_pathlist_hook, after all
 * other paths are made.
 */
extern void blt_join_prefer_sides(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
								  RelOptInfo *innerrel, JoinType jointype,
								  JoinPathExtraData *extra);

#endif							/* BLOOMTYPE_JOIN_SIDES_H */
