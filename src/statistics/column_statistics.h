/*
 * column_statistics.h
 *	  How the values of a column are spread, as a row of pg_statistic shows.
 *
 * Values are numbers; no function is called by which they might be disclosed.
 */
#ifndef BLOOMTYPE_COLUMN_STATISTICS_H
#define BLOOMTYPE_COLUMN_STATISTICS_H

#include "access/htup.h"

/* Values in ascending order, and the share of rows below each */
typedef struct ColumnDistribution
{
	int			nvalues;		/* 0: unknown */
	double	   *values;
	double	   *below;
} ColumnDistribution;

typedef struct CommonValue
{
	double		value;
	double		share;
} CommonValue;

typedef struct ColumnStatistics
{
	double		nulls;			/* share of rows */
	ColumnDistribution all;		/* of the rows that are not null */
	ColumnDistribution others;	/* of those without a common value */
	CommonValue *common;		/* ascending */
	int			ncommon;
	double		share_of_others;
} ColumnStatistics;

/* A value as a number; false for types without numbers, infinity and NaN */
extern bool blt_statistics_number(Oid type, Datum value, double *number);

/* Fill in what is zero, in the current memory context. */
extern void blt_statistics_read(HeapTuple statistics, ColumnStatistics *column);

/*
 * The correlation of a column with the order of its table; 0 if it is unknown,
 * or a value is so common that it means nothing.
 */
extern double blt_statistics_correlation(HeapTuple statistics);

/*
 * Are two columns of such correlations in the same order, or the reverse?  So
 * they are if both are nearly in that of the table, or equally far from it, as
 * where some rows were updated, and went to its end.
 */
extern bool blt_statistics_same_order(double correlation, double other);

/*
 * The share of rows below a value, and the value with a share of the rows
 * below it.  Between two known values, rows are taken to be spread evenly,
 * also those that have a common value there.
 */
extern double blt_statistics_share_below(const ColumnDistribution *distribution, double value);
extern double blt_statistics_value_at(const ColumnDistribution *distribution, double share);

/*
 * The part of a unique key's rows that are in the range of the facts: of most
 * of them, as a few may be far away.  0 if it is unknown, or more than half.
 */
extern double blt_statistics_part_used(const ColumnDistribution *key,
									   const ColumnDistribution *facts);

/*
 * The share of rows below a value, and with that value, of a column with so
 * many distinct ones; and how far these rows may be from there, since a
 * histogram only shows a few rows, each of which may be any of those with its
 * value.
 */
extern void blt_statistics_ranks(const ColumnStatistics *column, double distinct, double value,
								 double *below, double *equal, double *doubt);

/* Make room for values; from shares between them to shares below each */
extern void blt_statistics_allocate(ColumnDistribution *distribution, int nvalues);
extern void blt_statistics_sum_up(ColumnDistribution *distribution);

#endif							/* BLOOMTYPE_COLUMN_STATISTICS_H */
