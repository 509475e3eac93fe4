/*
 * join_bounds.h
 *	  Which integers the key of a partition's rows may be, and whether a filter
 *	  has one of them.
 */
#ifndef BLOOMTYPE_JOIN_BOUNDS_H
#define BLOOMTYPE_JOIN_BOUNDS_H

#include "join/join_filter.h"
#include "join/join_key.h"

typedef struct JoinBounds JoinBounds;

/* Add an interval to the ends of others, as plans keep them. */
extern List *blt_join_add_interval(List *ends, int64 least, int64 greatest);

/* Bounds for execution, from those of a plan; NULL for NIL. */
extern JoinBounds *blt_join_create_bounds(List *planned, JoinInteger integer);

/* May a row within the bounds have a key of a complete filter? */
extern bool blt_join_bounds_meet(JoinBounds *bounds, const JoinFilter *filter);

#endif							/* BLOOMTYPE_JOIN_BOUNDS_H */
