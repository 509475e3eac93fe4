/*
 * join_unique.h
 *	  The rule for a join by all columns of a unique index.
 *
 * The planner multiplies the selectivities of the columns.  Where rows belong
 * together, as the items of an order and what was returned of them, each has a
 * partner, and the columns are anything but independent.
 */
#ifndef BLOOMTYPE_JOIN_UNIQUE_H
#define BLOOMTYPE_JOIN_UNIQUE_H

#include "join/join_column.h"

/* Is an equivalence class one that joins relations by equality? */
extern bool blt_join_is_class_of_joins(EquivalenceClass *ec);

/* The plain column of a base relation that a member of a class is; or NULL */
extern Var *blt_join_column_of_member(EquivalenceMember *member);

/*
 * The factor by which rows of a join of two base relations are more than the
 * planner expects, if a unique index of the second has two or more columns,
 * all of which are equal to columns of the first; else 0.
 *
 * It is a guess: rows that have each column of the key in common may still
 * have nothing to do with each other.  So the caller must bound the result by
 * the rows of the smaller side.
 */
extern double blt_join_unique_factor(PlannerInfo *root, RelOptInfo *first, RelOptInfo *second);

/*
 * The share of a base relation's rows that may have a partner in another: the
 * values of the columns by which these are joined are not less than all of the
 * other, nor greater.
 */
extern double blt_join_share_with_partners(JoinColumns *columns, RelOptInfo *rel,
										   RelOptInfo *other);

#endif							/* BLOOMTYPE_JOIN_UNIQUE_H */
