/*
 * column.h
 *	  Statistics of a value that differs from row to row, and of the relation
 *	  it is of.
 *
 * They are needed before all relations have been sized, as conditions are
 * estimated in the order of the range table, and some before that.
 */
#ifndef BLOOMTYPE_COLUMN_H
#define BLOOMTYPE_COLUMN_H

#include "nodes/pathnodes.h"
#include "utils/selfuncs.h"

/*
 * Look up the statistics of a value; see examine_variable for relation.
 * Those of an expression without any are taken from its only variable, as in
 * estimate_num_groups; returns whether they are those of the value itself.
 * To be followed by ReleaseVariableStats.
 */
extern bool blt_examine_value(PlannerInfo *root, Node *value, int relation,
							  VariableStatData *column);

/*
 * get_variable_numdistinct, but of all partitions, if this is a column of one
 * and there are statistics of the whole, or if it is one of the whole.
 */
extern double blt_distinct_values(PlannerInfo *root, VariableStatData *column, bool *is_guess);

/*
 * The number of distinct values of an expression of a base relation, as by
 * the above, and the share of rows in which it is null.
 */
extern double blt_count_values(PlannerInfo *root, Node *value, double *null_share,
							   bool *is_guess);

/*
 * The column of the topmost table that a column of a partition is; null where
 * there is none.
 */
extern Var *blt_column_of_whole(PlannerInfo *root, const Var *var);

/* The share of rows in which the value is null, as far as statistics tell. */
extern double blt_null_share(const VariableStatData *column);

/*
 * The rows of a table when it was analyzed or vacuumed last; negative if it
 * never was.
 */
extern double blt_analyzed_tuples(Oid table);

/*
 * The rows of a base relation, without its conditions; negative if that
 * cannot be told: of a function, and of a sub-select or another relation that
 * has not been sized.
 */
extern double blt_relation_tuples(PlannerInfo *root, int relid);

/* The conditions of a base relation, except membership calls. */
extern List *blt_plain_conditions(PlannerInfo *root, int relid);

/*
 * The number of values of an expression of a base relation that are left in
 * the rows that meet some conditions, which are a share of the relation's
 * tuples.
 */
extern double blt_values_left(PlannerInfo *root, Node *value, List *conditions, double values,
							  double tuples, double share);

/* How many of the values that rows have are in a random share of the rows? */
extern double blt_values_in_share(double values, double rows, double share);

/* Are there variables in this expression, and all of them this one? */
extern bool blt_is_of_variable(Node *node, const Var *var);

/* Those of the conditions, joined by AND, that are on this column alone. */
extern List *blt_conditions_on(List *conditions, const Var *var);

#endif							/* BLOOMTYPE_COLUMN_H */
