/*
 * filter_membership.h
 *	  The SQL functions that probe filters, of any type.
 *
 * They are declared here for the planner's estimates, which know them by their
 * addresses.
 */
#ifndef BLOOMTYPE_FILTER_MEMBERSHIP_H
#define BLOOMTYPE_FILTER_MEMBERSHIP_H

#include "fmgr.h"

/* filter @> value, and value <@ filter */
extern Datum bloomtype_contains(PG_FUNCTION_ARGS);
extern Datum bloomtype_contained(PG_FUNCTION_ARGS);

/* Of a filter and an array: is any element in it, or are all? */
extern Datum bloomtype_contains_any(PG_FUNCTION_ARGS);
extern Datum bloomtype_contains_all(PG_FUNCTION_ARGS);

#endif							/* BLOOMTYPE_FILTER_MEMBERSHIP_H */
