/*
 * join_groups.h
 *	  The number of values in a column by which a sub-select or CTE is grouped.
 *
 * The planner takes it to be 200, its default, or the number of rows if these
 * are fewer, unless the column is the only one after DISTINCT, or since
 * PostgreSQL 18 after GROUP BY.  So a join of two such sub-selects seems the
 * larger, the more nearly their own rows are right.
 */
#ifndef BLOOMTYPE_JOIN_GROUPS_H
#define BLOOMTYPE_JOIN_GROUPS_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/*
 * For get_relation_stats_hook: sets statistics that only show the number of
 * values of a column, from 1 to the rows of its query, if the relation is a
 * sub-select or CTE that is grouped by the column, and all conditions on it
 * are comparisons by equality; else returns false.  known has what has been
 * counted during this call of the planner, and is NIL at first.
 */
extern bool blt_join_count_groups(List **known, PlannerInfo *root, RangeTblEntry *entry,
								  AttrNumber column, VariableStatData *vardata);

#endif							/* BLOOMTYPE_JOIN_GROUPS_H */
