/*
 * value_statistics.h
 *	  Statistics of a value that differs from row to row, and of the relation
 *	  it is of.
 *
 * They are needed before all relations have been sized, as conditions are
 * estimated in the order of the range table, and some before that.
 */
#ifndef BLOOMTYPE_VALUE_STATISTICS_H
#define BLOOMTYPE_VALUE_STATISTICS_H

#include "nodes/pathnodes.h"

typedef struct ValueStatistics
{
	double		distinct;		/* number of distinct values, at least 1 */
	double		null_share;		/* share of rows in which it is null */
} ValueStatistics;

/*
 * Look up the statistics of a value.  Those of a column of a partition are of
 * the whole table, where that was analyzed; those of an expression that has
 * none are of its only variable.  False: nothing is known.
 */
extern bool blt_value_statistics(PlannerInfo *root, Node *value, ValueStatistics *statistics);

/*
 * A value of a partition, or of a part of UNION ALL, in the terms of the
 * topmost relation that has it; any other value itself.
 */
extern Node *blt_value_of_whole(PlannerInfo *root, Node *value);

/*
 * The rows of a table when it was analyzed or vacuumed last; negative if it
 * never was.
 */
extern double blt_analyzed_tuples(Oid table);

/*
 * The rows of a base relation, without its conditions; negative if that is
 * not known: of a function, a sub-select or a parent of other tables that has
 * not been sized.
 */
extern double blt_relation_tuples(PlannerInfo *root, int relid);

/*
 * How many of the distinct values of an expression are left in the rows that
 * meet some conditions?  share is that of the rows that meet all else.
 */
extern double blt_values_left(PlannerInfo *root, Node *value, double distinct, double rows,
							  List *conditions, double share);

#endif							/* BLOOMTYPE_VALUE_STATISTICS_H */
