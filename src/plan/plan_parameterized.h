/*
 * plan_parameterized.h
 *	  The sizes of joins that run again for parameters.
 *
 * A join relation has one for each set of parameters that its paths have.
 */
#ifndef BLOOMTYPE_PLAN_PARAMETERIZED_H
#define BLOOMTYPE_PLAN_PARAMETERIZED_H

#include "nodes/pathnodes.h"

/*
 * Multiply the sizes of a join relation from this one on, as its rows have
 * been.  None becomes more than these.
 */
extern void blt_plan_correct_parameterized(RelOptInfo *joinrel, double factor, int first);

/* The paths but those of the sizes from this one on, whose costs are wrong */
extern List *blt_plan_without_parameterized(List *paths, List *sizes, int first);

#endif							/* BLOOMTYPE_PLAN_PARAMETERIZED_H */
