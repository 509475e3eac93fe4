/*
 * join_groups.h
 *	  The number of values in a column by which a sub-select or CTE is grouped.
 *
 * The planner takes it to be 200, its default, unless the column is the only
 * one after DISTINCT, or since PostgreSQL 18 after GROUP BY.  So a join of two
 * such sub-selects seems the larger, the more nearly their own rows are right.
 */
#ifndef BLOOMTYPE_JOIN_GROUPS_H
#define BLOOMTYPE_JOIN_GROUPS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/*
 * For get_relation_stats_hook: sets statistics that only show the number of
 * values of a column, from 1 to the rows of its query; returns false if the
 * relation is no sub-select or CTE, or not grouped by the column.
 */
extern bool blt_join_count_groups(PlannerInfo *root, RangeTblEntry *entry, AttrNumber number,
								  VariableStatData *vardata);

#endif							/* BLOOMTYPE_JOIN_GROUPS_H */
