/*
 * join_sizes.h
 *	  The sizes of joins that run again for parameters.
 *
 * A join relation has one for each set of parameters that its paths have.
 */
#ifndef BLOOMTYPE_JOIN_SIZES_H
#define BLOOMTYPE_JOIN_SIZES_H

#include "nodes/pathnodes.h"

/*
 * Multiply the sizes of a join relation from this one on, as its rows have
 * been.  None becomes more than these.
 */
extern void blt_join_correct_sizes(RelOptInfo *joinrel, double factor, int first);

/* The paths but those of the sizes from this one on, whose costs are wrong */
extern List *blt_join_without_sizes(List *paths, List *sizes, int first);

#endif							/* BLOOMTYPE_JOIN_SIZES_H */
