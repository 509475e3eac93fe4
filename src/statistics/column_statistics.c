/*
 * column_statistics.c
 *	  Reads a row of pg_statistic.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "statistics/column_statistics.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/* Correlations of columns that are in the same order (see the header) */
#define MIN_CORRELATION		0.95
#define MIN_EQUAL			0.5
#define MAX_DIFFERENCE		0.01

/* Where a value is so common, a correlation means nothing. */
#define MAX_COMMON_SHARE 0.3

/*
 * The share of rows at either end of a distribution that may be anywhere: a
 * date in the distant past or future, say, that stands for none.
 */
#define OUTLIERS 0.025

/* A key of which the facts use more is no calendar. */
#define MAX_PART_USED 0.5

#define ST_SORT sort_common_values
#define ST_ELEMENT_TYPE CommonValue
#define ST_COMPARE(a, b) ((a)->value < (b)->value ? -1 : (a)->value > (b)->value)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static pg_attribute_always_inline bool
number_of(Oid type, Datum value, double *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(value);
			return true;
		case INT4OID:
			*number = DatumGetInt32(value);
			return true;
		case INT8OID:
			*number = (double) DatumGetInt64(value);
			return true;
		case OIDOID:
			*number = DatumGetObjectId(value);
			return true;
		case FLOAT4OID:
			*number = DatumGetFloat4(value);
			return isfinite(*number);
		case FLOAT8OID:
			*number = DatumGetFloat8(value);
			return isfinite(*number);
		case DATEOID:
			*number = date2timestamp_no_overflow(DatumGetDateADT(value));
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*number = (double) DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		default:
			return false;
	}
}

bool
blt_statistics_number(Oid type, Datum value, double *number)
{
	return number_of(type, value, number);
}

/*
 * Distributions
 */

/*
 * Where a number is among some in ascending order, at the same place among
 * others
 */
static double
interpolate(const double *from, const double *to, int n, double number)
{
	int			low = 1;
	int			high = n - 1;
	double		span;

	if (number <= from[0])
		return to[0];
	if (number >= from[n - 1])
		return to[n - 1];
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (from[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	span = from[low] - from[low - 1];
	return to[low - 1] +
		(span > 0 ? (to[low] - to[low - 1]) * ((number - from[low - 1]) / span) : 0);
}

double
blt_statistics_share_below(const ColumnDistribution *d, double value)
{
	return interpolate(d->values, d->below, d->nvalues, value);
}

double
blt_statistics_value_at(const ColumnDistribution *d, double share)
{
	return interpolate(d->below, d->values, d->nvalues, share);
}

double
blt_statistics_part_used(const ColumnDistribution *key, const ColumnDistribution *facts)
{
	double		first;
	double		last;
	double		used;

	if (key->nvalues == 0 || facts->nvalues == 0)
		return 0;
	first = blt_statistics_share_below(key, blt_statistics_value_at(facts, OUTLIERS));
	last = blt_statistics_share_below(key, blt_statistics_value_at(facts, 1 - OUTLIERS));
	used = (last - first) / (1 - 2 * OUTLIERS);
	return used < MAX_PART_USED ? used : 0;
}

void
blt_statistics_allocate(ColumnDistribution *d, int nvalues)
{
	d->nvalues = nvalues;
	d->values = palloc(nvalues * sizeof(double));
	d->below = palloc0(nvalues * sizeof(double));
}

void
blt_statistics_sum_up(ColumnDistribution *d)
{
	double		sum = 0;

	for (int i = 0; i < d->nvalues; i++)
		sum = d->below[i] += sum;
	for (int i = 0; i < d->nvalues && sum > 0; i++)
		d->below[i] /= sum;
	if (!(sum > 0))
		d->nvalues = 0;
}

void
blt_statistics_ranks(const ColumnStatistics *column, double distinct, double value,
					 double *below, double *equal, double *doubt)
{
	double		others = distinct - column->ncommon;

	*below = *equal = *doubt = 0;
	for (int i = 0; i < column->ncommon && column->common[i].value <= value; i++)
	{
		if (column->common[i].value < value)
			*below += column->common[i].share;
		else
			*equal = column->common[i].share;
	}
	if (column->others.nvalues == 0)
		return;
	*below += column->share_of_others * blt_statistics_share_below(&column->others, value);
	if (*equal > 0)
		return;
	*equal = column->share_of_others / Max(others, 1);
	*doubt = *equal / 2;
	*below = Max(*below - *doubt, 0);
}

/*
 * Statistics
 */

/*
 * Values, one after another in memory, as numbers; NaN where a value is none.
 * Returns false for types without numbers.
 */
static bool
convert_values(Oid type, const char *values, int n, double *numbers)
{
	switch (type)
	{
			/* compiled for each type */
#define CONVERT(type_oid, type_in_c, datum) \
		case type_oid: \
			for (int i = 0; i < n; i++) \
			{ \
				if (!number_of(type_oid, datum(((const type_in_c *) values)[i]), &numbers[i])) \
					numbers[i] = NAN; \
			} \
			return true

			CONVERT(INT2OID, int16, Int16GetDatum);
			CONVERT(INT4OID, int32, Int32GetDatum);
			CONVERT(INT8OID, int64, Int64GetDatum);
			CONVERT(OIDOID, Oid, ObjectIdGetDatum);
			CONVERT(FLOAT4OID, float4, Float4GetDatum);
			CONVERT(FLOAT8OID, float8, Float8GetDatum);
			CONVERT(DATEOID, DateADT, DateADTGetDatum);
			CONVERT(TIMESTAMPOID, Timestamp, TimestampGetDatum);
			CONVERT(TIMESTAMPTZOID, TimestampTz, TimestampTzGetDatum);
#undef CONVERT
		default:
			return false;
	}
}

/*
 * An array of statistics as numbers, NaN where a value is none; NULL if it is
 * missing, or of a type without numbers.  Arrays of statistics have no nulls,
 * and elements of these types no padding.
 */
static double *
read_numbers(HeapTuple statistics, int kind, AttrNumber first, int *n)
{
	Form_pg_statistic form = (Form_pg_statistic) GETSTRUCT(statistics);
	bool		is_null = true;
	Datum		datum = 0;
	ArrayType  *array;
	Oid			type;
	int			nvalues;
	double	   *numbers;

	*n = 0;
	for (int i = 0; i < STATISTIC_NUM_SLOTS && is_null; i++)
	{
		if ((&form->stakind1)[i] == kind)
			datum = SysCacheGetAttr(STATRELATTINH, statistics, first + i, &is_null);
	}
	if (is_null)
		return NULL;
	array = DatumGetArrayTypeP(datum);
	type = ARR_ELEMTYPE(array);
	if (type >= FirstUnpinnedObjectId)
		type = getBaseType(type);
	if (ARR_HASNULL(array))
		return NULL;
	nvalues = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	numbers = palloc(nvalues * sizeof(double));
	if (!convert_values(type, (char *) array + ARR_OVERHEAD_NONULLS(ARR_NDIM(array)), nvalues,
						numbers))
		return NULL;
	*n = nvalues;
	return numbers;
}

static void
read_common(ColumnStatistics *column, HeapTuple statistics)
{
	int			nvalues;
	int			nshares;
	double	   *values = read_numbers(statistics, STATISTIC_KIND_MCV,
									  Anum_pg_statistic_stavalues1, &nvalues);
	double	   *shares = read_numbers(statistics, STATISTIC_KIND_MCV,
									  Anum_pg_statistic_stanumbers1, &nshares);

	column->common = palloc(nvalues * sizeof(CommonValue));
	for (int i = 0; i < Min(nvalues, nshares); i++)
	{
		CommonValue *common = &column->common[column->ncommon];

		if (isnan(values[i]))
			continue;
		common->value = values[i];
		common->share = shares[i];
		column->share_of_others -= common->share;
		column->ncommon++;
	}
	column->share_of_others = Max(column->share_of_others, 0);
	sort_common_values(column->common, column->ncommon);
}

static void
read_histogram(ColumnStatistics *column, HeapTuple statistics)
{
	ColumnDistribution *d = &column->others;
	int			nread;
	double	   *values = read_numbers(statistics, STATISTIC_KIND_HISTOGRAM,
									  Anum_pg_statistic_stavalues1, &nread);
	int			nvalues = 0;

	for (int i = 0; i < nread; i++)
	{
		if (!isnan(values[i]))
			values[nvalues++] = values[i];
	}
	if (nvalues < 2)
		return;
	d->nvalues = nvalues;
	d->values = values;
	d->below = palloc(nvalues * sizeof(double));
	for (int i = 0; i < nvalues; i++)
		d->below[i] = (double) i / (nvalues - 1);
}

/*
 * All rows: those of the histogram, and common values, each between two
 * bounds, or beyond them.  Values that are all common are their own bounds.
 */
static void
put_together(ColumnStatistics *column)
{
	ColumnDistribution *d = &column->all;
	const CommonValue *common = column->common;
	int			ncommon = column->ncommon;
	int			nbounds = column->others.nvalues;
	int			last;
	int			at = 1;

	if (ncommon == 0)
	{
		*d = column->others;
		return;
	}
	last = (nbounds > 0 ? nbounds : ncommon) - 1;
	if (last < 1)
		return;
	blt_statistics_allocate(d, last + 1);
	if (nbounds > 0)
	{
		double		share = column->share_of_others / last;

		memcpy(d->values, column->others.values, nbounds * sizeof(double));
		for (int i = 1; i < nbounds; i++)
			d->below[i] = share;
	}
	else
	{
		for (int i = 0; i < ncommon; i++)
			d->values[i] = common[i].value;
	}
	d->values[0] = Min(d->values[0], common[0].value);
	d->values[last] = Max(d->values[last], common[ncommon - 1].value);
	for (int i = 0; i < ncommon; i++)
	{
		while (at < last && d->values[at] < common[i].value)
			at++;
		d->below[at] += common[i].share;
	}
	blt_statistics_sum_up(d);
}

void
blt_statistics_read(HeapTuple statistics, ColumnStatistics *column)
{
	column->nulls = ((Form_pg_statistic) GETSTRUCT(statistics))->stanullfrac;
	column->share_of_others = 1 - column->nulls;
	read_common(column, statistics);
	read_histogram(column, statistics);
	put_together(column);
}

double
blt_statistics_correlation(HeapTuple statistics)
{
	int			n;
	double	   *correlation = read_numbers(statistics, STATISTIC_KIND_CORRELATION,
										   Anum_pg_statistic_stanumbers1, &n);
	double	   *shares;

	if (n != 1)
		return 0;
	shares = read_numbers(statistics, STATISTIC_KIND_MCV, Anum_pg_statistic_stanumbers1, &n);
	return n > 0 && shares[0] > MAX_COMMON_SHARE ? 0 : correlation[0];
}

bool
blt_statistics_same_order(double correlation, double other)
{
	const double one = fabs(correlation);
	const double two = fabs(other);

	return Min(one, two) >= MIN_CORRELATION ||
		(Min(one, two) >= MIN_EQUAL && fabs(one - two) <= MAX_DIFFERENCE);
}
