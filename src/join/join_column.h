/*
 * join_column.h
 *	  What statistics show of a column: how its values are spread, and whether
 *	  rows are stored in their order.
 *
 * Statistics are read once for each column and call of the planner.  Values
 * are numbers; no function is called by which they might be disclosed.
 */
#ifndef BLOOMTYPE_JOIN_COLUMN_H
#define BLOOMTYPE_JOIN_COLUMN_H

#include "nodes/pathnodes.h"

/* Values in ascending order, and the share of rows below each */
typedef struct JoinDistribution
{
	int			nvalues;		/* 0: unknown */
	double	   *values;
	double	   *below;
} JoinDistribution;

typedef struct JoinColumn
{
	Var		   *var;
	double		distinct;		/* values; 0: unknown */
	double		order;			/* correlation with the order of the table; 0:
								 * not in that order */
	bool		is_union;		/* of UNION ALL: the planner has no statistics */
	bool		is_read;		/* is what follows known? */
	double		nulls;			/* share of rows */
	JoinDistribution all;		/* of the rows that are not null */
	JoinDistribution others;	/* of those without a common value */
	struct JoinCommonValue *common; /* ascending */
	int			ncommon;
	double		share_of_others;
} JoinColumn;

/* The columns of a query whose statistics have been read */
typedef struct JoinColumns
{
	PlannerInfo *root;
	List	   *list;			/* of JoinColumn */
} JoinColumns;

/* An expression, or NULL, without changes of type that keep the value */
extern Node *blt_join_strip_relabels(Node *node);

/*
 * A column of a base relation: a table, a sub-select, or UNION ALL.  Only the
 * number of its values and the order are set.  It is kept in the current
 * memory context, which must be the same in all calls.
 */
extern JoinColumn *blt_join_column(JoinColumns *columns, Var *var);

/* Set the rest; returns false if the distribution is unknown. */
extern bool blt_join_read_distribution(JoinColumns *columns, JoinColumn *column);

/* A value as a number; false for types without numbers, and for NaN */
extern bool blt_join_number_of(Oid type, Datum value, double *number);

/*
 * The share of rows below a value, and the value with a share of the rows
 * below it.  Between two known values, rows are taken to be spread evenly,
 * also those that have a common value there.
 */
extern double blt_join_share_below(const JoinDistribution *distribution, double value);
extern double blt_join_value_at(const JoinDistribution *distribution, double share);

/* The share of rows from the least value of another column to its greatest */
extern double blt_join_share_within(const JoinDistribution *distribution,
									const JoinDistribution *other);

/*
 * The share of a column's rows below a value, and with that value; and how far
 * these rows may be from there, since a histogram only shows a few rows, each
 * of which may be any of those with its value.  The distribution must have
 * been read.
 */
extern void blt_join_ranks_of(const JoinColumn *column, double value, double *below,
							  double *equal, double *doubt);

#endif							/* BLOOMTYPE_JOIN_COLUMN_H */
