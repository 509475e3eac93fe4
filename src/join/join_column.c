/*
 * join_column.c
 *	  Reads the statistics of columns.
 *
 * The rows of UNION ALL are those of its parts, each with statistics of its
 * own, which are put together.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/transam.h"
#include "access/tupmacs.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "join/join_column.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/*
 * A column follows the order of its table if their correlation is at least
 * this, and no value is so common that a correlation means nothing.
 */
#define MIN_CORRELATION 0.95
#define MAX_COMMON_SHARE 0.3

typedef struct JoinCommonValue
{
	double		value;
	double		share;
} JoinCommonValue;

/* Sorting takes most of the time here, so these are compiled for each type. */
#define ST_SORT sort_numbers
#define ST_ELEMENT_TYPE double
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT sort_common_values
#define ST_ELEMENT_TYPE JoinCommonValue
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
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*number = (double) DatumGetTimestamp(value);
			return true;
		default:
			return false;
	}
}

bool
blt_join_number_of(Oid type, Datum value, double *number)
{
	return number_of(type, value, number);
}

Node *
blt_join_strip_relabels(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
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
blt_join_share_below(const JoinDistribution *d, double value)
{
	return interpolate(d->values, d->below, d->nvalues, value);
}

double
blt_join_value_at(const JoinDistribution *d, double share)
{
	return interpolate(d->below, d->values, d->nvalues, share);
}

double
blt_join_share_within(const JoinDistribution *d, const JoinDistribution *other)
{
	return blt_join_share_below(d, other->values[other->nvalues - 1]) -
		blt_join_share_below(d, other->values[0]);
}

static void
allocate(JoinDistribution *d, int nvalues)
{
	d->nvalues = nvalues;
	d->values = palloc(nvalues * sizeof(double));
	d->below = palloc0(nvalues * sizeof(double));
}

/* From shares between a value and the one before to shares below it */
static void
sum_up(JoinDistribution *d)
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
blt_join_ranks_of(const JoinColumn *column, double value, double *below, double *equal,
				  double *doubt)
{
	double		others = column->distinct - column->ncommon;

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
	*below += column->share_of_others * blt_join_share_below(&column->others, value);
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
read_common(JoinColumn *column, HeapTuple statistics)
{
	int			nvalues;
	int			nshares;
	double	   *values = read_numbers(statistics, STATISTIC_KIND_MCV,
									  Anum_pg_statistic_stavalues1, &nvalues);
	double	   *shares = read_numbers(statistics, STATISTIC_KIND_MCV,
									  Anum_pg_statistic_stanumbers1, &nshares);

	column->common = palloc(nvalues * sizeof(JoinCommonValue));
	for (int i = 0; i < Min(nvalues, nshares); i++)
	{
		JoinCommonValue *common = &column->common[column->ncommon];

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
read_histogram(JoinColumn *column, HeapTuple statistics)
{
	JoinDistribution *d = &column->others;
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
put_together(JoinColumn *column)
{
	JoinDistribution *d = &column->all;
	const JoinCommonValue *common = column->common;
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
	allocate(d, last + 1);
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
	sum_up(d);
}

static void
read_statistics(JoinColumn *column, HeapTuple statistics)
{
	column->nulls = ((Form_pg_statistic) GETSTRUCT(statistics))->stanullfrac;
	column->share_of_others = 1 - column->nulls;
	read_common(column, statistics);
	read_histogram(column, statistics);
	put_together(column);
}

/* The correlation of a column with the order of its table, or 0 */
static double
order_of(HeapTuple statistics)
{
	int			n;
	double	   *correlation = read_numbers(statistics, STATISTIC_KIND_CORRELATION,
										   Anum_pg_statistic_stanumbers1, &n);
	double	   *shares;

	if (n != 1 || fabs(correlation[0]) < MIN_CORRELATION)
		return 0;
	shares = read_numbers(statistics, STATISTIC_KIND_MCV, Anum_pg_statistic_stanumbers1, &n);
	return n > 0 && shares[0] > MAX_COMMON_SHARE ? 0 : correlation[0];
}

/*
 * UNION ALL
 */

static bool
is_union(PlannerInfo *root, Var *var)
{
	RangeTblEntry *rte = root->simple_rte_array[var->varno];

	return rte->rtekind == RTE_SUBQUERY && rte->inh;
}

/* The column of a part, or NULL: it has an expression there, or is empty. */
static JoinColumn *
column_of_part(JoinColumns *columns, JoinColumn *column, AppendRelInfo *part)
{
	RelOptInfo *rel = columns->root->simple_rel_array[part->child_relid];
	int			number = column->var->varattno;
	Var		   *var = number > list_length(part->translated_vars) ? NULL :
		list_nth(part->translated_vars, number - 1);

	if (rel == NULL || var == NULL || !IsA(var, Var) || var->varno != (int) part->child_relid)
		return NULL;
	return blt_join_column(columns, var);
}

/* The parts of UNION ALL; NIL if a column of one is unknown. */
static List *
parts_of(JoinColumns *columns, JoinColumn *column)
{
	List	   *parts = NIL;
	ListCell   *cell;

	foreach(cell, columns->root->append_rel_list)
	{
		AppendRelInfo *part = lfirst_node(AppendRelInfo, cell);
		RelOptInfo *rel;
		JoinColumn *of_part;

		if ((int) part->parent_relid != column->var->varno)
			continue;
		rel = columns->root->simple_rel_array[part->child_relid];
		if (rel != NULL && IS_DUMMY_REL(rel))
			continue;
		of_part = column_of_part(columns, column, part);
		if (of_part == NULL || of_part->distinct == 0)
			return NIL;
		parts = lappend(parts, of_part);
	}
	return parts;
}

/* The rows of all parts, below each value that bounds rows of one */
static void
add_up_parts(JoinColumns *columns, JoinColumn *column)
{
	JoinDistribution *d = &column->all;
	List	   *parts = parts_of(columns, column);
	double		total = 0;
	double		not_null = 0;
	int			nvalues = 0;
	ListCell   *cell;

	foreach(cell, parts)
	{
		JoinColumn *part = lfirst(cell);
		double		rows = find_base_rel(columns->root, part->var->varno)->rows;

		if (!blt_join_read_distribution(columns, part))
			return;
		nvalues += part->all.nvalues;
		total += rows;
		not_null += rows * (1 - part->nulls);
	}
	if (parts == NIL || not_null <= 0)
		return;
	column->nulls = 1 - not_null / total;
	allocate(d, nvalues);
	nvalues = 0;
	foreach(cell, parts)
	{
		JoinColumn *part = lfirst(cell);

		memcpy(&d->values[nvalues], part->all.values, part->all.nvalues * sizeof(double));
		nvalues += part->all.nvalues;
	}
	sort_numbers(d->values, nvalues);
	foreach(cell, parts)
	{
		JoinColumn *part = lfirst(cell);
		double		share = find_base_rel(columns->root, part->var->varno)->rows *
			(1 - part->nulls) / not_null;

		for (int i = 0; i < nvalues; i++)
			d->below[i] += share * blt_join_share_below(&part->all, d->values[i]);
	}
}

/* At least as many values as the part with most of them has */
static double
distinct_of_parts(JoinColumns *columns, JoinColumn *column)
{
	double		distinct = 0;
	ListCell   *cell;

	foreach(cell, parts_of(columns, column))
		distinct = Max(distinct, ((JoinColumn *) lfirst(cell))->distinct);
	return distinct;
}

/*
 * Columns
 */

static JoinColumn *
make_column(JoinColumns *columns, Var *var)
{
	JoinColumn *column = palloc0(sizeof(JoinColumn));
	VariableStatData stats;
	bool		is_default;

	column->var = var;
	column->is_union = is_union(columns->root, var);
	columns->list = lappend(columns->list, column);
	if (column->is_union)
	{
		column->distinct = distinct_of_parts(columns, column);
		return column;
	}
	examine_variable(columns->root, (Node *) var, 0, &stats);
	column->distinct = get_variable_numdistinct(&stats, &is_default);
	if (is_default)
		column->distinct = 0;
	if (HeapTupleIsValid(stats.statsTuple))
		column->order = order_of(stats.statsTuple);
	ReleaseVariableStats(stats);
	return column;
}

JoinColumn *
blt_join_column(JoinColumns *columns, Var *var)
{
	ListCell   *cell;

	foreach(cell, columns->list)
	{
		JoinColumn *column = lfirst(cell);

		if (column->var->varno == var->varno &&
			column->var->varattno == var->varattno)
			return column;
	}
	return make_column(columns, var);
}

bool
blt_join_read_distribution(JoinColumns *columns, JoinColumn *column)
{
	VariableStatData stats;

	if (!column->is_read && column->is_union)
		add_up_parts(columns, column);
	else if (!column->is_read)
	{
		examine_variable(columns->root, (Node *) column->var, 0, &stats);
		if (HeapTupleIsValid(stats.statsTuple))
			read_statistics(column, stats.statsTuple);
		ReleaseVariableStats(stats);
	}
	column->is_read = true;
	return column->all.nvalues > 0;
}
