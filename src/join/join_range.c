/*
 * join_range.c
 *	  Which share of the facts a range of another relation's key selects.
 *
 * All is measured in ranks: the share of a relation's rows before a value.
 * A relation that is stored in the order of its key has other columns in this
 * order, too, such as the year beside the day; its conditions on these select
 * a range of ranks.  The distribution of the facts over the ranks follows
 * from the histogram and the most common values of their column.  Conditions
 * on other columns, such as the day of the week, are independent of both.
 */
#include "compat.h"

#include <math.h>

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "join/join_range.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/array.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

/* The rule is for facts that use less than this share of the key. */
#define MAX_USED_SHARE	0.5

/*
 * A column follows the order of its table if their correlation is at least
 * this, and no value is so common that a correlation means nothing.
 */
#define MIN_CORRELATION 0.95
#define MAX_COMMON_SHARE 0.3

/* A range of ranks, and the conditions that select it */
typedef struct RankRange
{
	double		from;
	double		to;
	double		doubt;			/* how far statistics may misplace it */
	bool		is_known;		/* false: conditions compare with parameters */
	double		selectivity;	/* of these conditions */
} RankRange;

/*
 * The share of a column's rows below a value, between ascending values.  Rows
 * are taken to be spread evenly between two of these, also those that have a
 * common value there.
 */
typedef struct Distribution
{
	int			nvalues;
	double	   *values;
	double	   *below;
} Distribution;

static Node *
strip_relabels(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/*
 * The share of rows whose column is in this relation to a value, which has
 * the right operand's type; that is a rank for the operators < and <=.
 */
static double
rank_of(PlannerInfo *root, Var *column, Oid operator, Const *value, Oid collation)
{
	return restriction_selectivity(root, operator, list_make2(column, value), collation, 0);
}

/*
 * May the statistics of a column be used for an operator?  It must be one
 * that is estimated by histograms.
 */
static bool
may_estimate(VariableStatData *stats, Oid less)
{
	return OidIsValid(less) && get_oprrest(less) == F_SCALARLTSEL &&
		HeapTupleIsValid(stats->statsTuple) &&
		statistic_proc_security_check(stats, get_opcode(less));
}

/*
 * The correlation of a column with the order of its table; 0 if it does not
 * follow that order
 */
static double
order_of(PlannerInfo *root, Var *column)
{
	VariableStatData stats;
	AttStatsSlot slot;
	double		correlation = 0;

	examine_variable(root, (Node *) column, 0, &stats);
	if (HeapTupleIsValid(stats.statsTuple))
	{
		if (get_attstatsslot(&slot, stats.statsTuple, STATISTIC_KIND_CORRELATION, InvalidOid,
							 ATTSTATSSLOT_NUMBERS))
		{
			if (slot.nnumbers == 1 && fabs(slot.numbers[0]) >= MIN_CORRELATION)
				correlation = slot.numbers[0];
			free_attstatsslot(&slot);
		}
		if (correlation != 0 &&
			get_attstatsslot(&slot, stats.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
							 ATTSTATSSLOT_NUMBERS))
		{
			if (slot.nnumbers > 0 && slot.numbers[0] > MAX_COMMON_SHARE)
				correlation = 0;
			free_attstatsslot(&slot);
		}
	}
	ReleaseVariableStats(stats);
	return correlation;
}

/*
 * How far, in ranks, rows may be from where the order of their table has
 * them: half the width of the band around the diagonal that has this
 * correlation
 */
static double
blur_of(double correlation)
{
	return 0.5 * sqrt(Max(1 - correlation * correlation, 0));
}

/*
 * A value as a number.  Returns false for types without numbers, and for NaN.
 * No function is called by which the value might be disclosed.
 */
static bool
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

/*
 * Conditions
 */

/* Is a value among the most common ones, whose places are known? */
static bool
is_common(VariableStatData *stats, Oid equal, Const *value, Oid collation)
{
	FmgrInfo	compare;
	double		total;

	fmgr_info(get_opcode(equal), &compare);
	return mcv_selectivity(stats, &compare, collation, value->constvalue, true, &total) > 0;
}

/*
 * The rank of a value, and of the next one.
 *
 * A histogram gives the ranks of a few rows, of which each may be any of those
 * with its value.  Between these, the planner interpolates as if the value
 * were a point, which puts it half of its own rows too low.
 */
static bool
find_ranks(PlannerInfo *root, Var *column, Oid family, Oid operator, Const *value, Oid collation,
		   double *before, double *after, double *doubt)
{
	VariableStatData stats;
	Oid			left;
	Oid			right;
	Oid			less;
	Oid			less_or_equal;
	Oid			equal;
	bool		result = false;

	op_input_types(operator, &left, &right);
	less = get_opfamily_member(family, left, right, BTLessStrategyNumber);
	less_or_equal = get_opfamily_member(family, left, right, BTLessEqualStrategyNumber);
	equal = get_opfamily_member(family, left, right, BTEqualStrategyNumber);
	if (value->constisnull || !OidIsValid(less_or_equal) || !OidIsValid(equal))
		return false;
	examine_variable(root, (Node *) column, 0, &stats);
	if (may_estimate(&stats, less))
	{
		result = true;
		*before = rank_of(root, column, less, value, collation);
		*after = Max(rank_of(root, column, less_or_equal, value, collation), *before);
		*doubt = is_common(&stats, equal, value, collation) ? 0 : (*after - *before) / 2;
		*before += *doubt;
		*after += *doubt;
	}
	ReleaseVariableStats(stats);
	return result;
}

/* The range of ranks that an operator selects by a constant, or NULL */
static bool
range_of_comparison(PlannerInfo *root, Var *column, Oid operator, Const *value, Oid collation,
					RankRange *range)
{
	Oid			left;
	Oid			right;
	Oid			family;
	int			strategy;
	double		before;
	double		after;

	op_input_types(operator, &left, &right);
	family = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	strategy = OidIsValid(family) && operator < FirstUnpinnedObjectId ?
		get_op_opfamily_strategy(operator, family) : 0;
	if (strategy == 0)
		return false;
	*range = (RankRange)
	{
		.from = 0,.to = 1,.is_known = value != NULL
	};
	if (value == NULL)
		return true;
	if (!find_ranks(root, column, family, operator, value, collation, &before, &after,
					&range->doubt))
		return false;
	if (strategy == BTEqualStrategyNumber || strategy == BTGreaterEqualStrategyNumber)
		range->from = before;
	else if (strategy == BTGreaterStrategyNumber)
		range->from = after;
	if (strategy == BTEqualStrategyNumber || strategy == BTLessEqualStrategyNumber)
		range->to = after;
	else if (strategy == BTLessStrategyNumber)
		range->to = before;
	return true;
}

static bool
is_column_of(Node *node, int relid)
{
	return node != NULL && IsA(node, Var) && ((Var *) node)->varno == relid &&
		((Var *) node)->varlevelsup == 0 && ((Var *) node)->varattno > 0;
}

/* column op expression, or the same the other way round */
static bool
range_of_operator(PlannerInfo *root, OpExpr *clause, int relid, Var **column, RankRange *range)
{
	Oid			operator = clause->opno;
	Node	   *left;
	Node	   *right;

	if (list_length(clause->args) != 2)
		return false;
	left = strip_relabels(linitial(clause->args));
	right = strip_relabels(lsecond(clause->args));
	if (!is_column_of(left, relid))
	{
		Node	   *other = left;

		left = right;
		right = other;
		operator = get_commutator(operator);
	}
	if (!OidIsValid(operator) || !is_column_of(left, relid) ||
		contain_var_clause(right) || contain_volatile_functions(right))
		return false;
	right = estimate_expression_value(root, right);
	*column = (Var *) left;
	return range_of_comparison(root, *column, operator, IsA(right, Const) ? (Const *) right : NULL,
							   clause->inputcollid, range);
}

/* column IN (constants): from the first of them to the last */
static bool
range_of_list(PlannerInfo *root, ScalarArrayOpExpr *clause, int relid, Var **column,
			  RankRange *range)
{
	Node	   *left = strip_relabels(linitial(clause->args));
	Node	   *right = estimate_expression_value(root, lsecond(clause->args));
	ArrayType  *array;
	Datum	   *values;
	bool	   *nulls;
	int			nvalues;
	int16		length;
	bool		by_value;
	char		alignment;
	double		least = 0;
	double		greatest = 0;
	Datum		first = 0;
	Datum		last = 0;
	RankRange	of_last;

	if (!clause->useOr || !is_column_of(left, relid) || !IsA(right, Const) ||
		((Const *) right)->constisnull)
		return false;
	array = DatumGetArrayTypeP(((Const *) right)->constvalue);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls,
					  &nvalues);
	if (nvalues == 0)
		return false;
	*column = (Var *) left;
	for (int i = 0; i < nvalues; i++)
	{
		double		number;

		if (nulls[i] || !number_of(ARR_ELEMTYPE(array), values[i], &number))
			return false;
		if (i == 0 || number < least)
		{
			least = number;
			first = values[i];
		}
		if (i == 0 || number > greatest)
		{
			greatest = number;
			last = values[i];
		}
	}
	if (!range_of_comparison(root, *column, clause->opno,
							 makeConst(ARR_ELEMTYPE(array), -1, InvalidOid, length, first, false,
									   by_value),
							 InvalidOid, range) ||
		!range_of_comparison(root, *column, clause->opno,
							 makeConst(ARR_ELEMTYPE(array), -1, InvalidOid, length, last, false,
									   by_value),
							 InvalidOid, &of_last))
		return false;
	range->to = of_last.to;
	range->doubt = Max(range->doubt, of_last.doubt);
	return true;
}

static bool
range_of_clause(PlannerInfo *root, Node *clause, int relid, Var **column, RankRange *range)
{
	if (IsA(clause, OpExpr))
		return range_of_operator(root, (OpExpr *) clause, relid, column, range);
	if (IsA(clause, ScalarArrayOpExpr))
		return range_of_list(root, (ScalarArrayOpExpr *) clause, relid, column, range);
	return false;
}

/* Make a range wider by this many ranks on either side, or turn it around. */
static void
widen(RankRange *range, double by)
{
	range->from = Max(range->from - by, 0);
	range->to = Min(range->to + by, 1);
}

static void
turn(RankRange *range)
{
	double		from = range->from;

	range->from = 1 - range->to;
	range->to = 1 - from;
}

/*
 * From ranks of one column of a table to ranks of another, by the correlation
 * of each with the order of the table
 */
static void
change_column(RankRange *range, double from, double to)
{
	if (from * to < 0)
		turn(range);
	widen(range, blur_of(from) + blur_of(to));
}

/*
 * What a relation's conditions select, in ranks of its key.  Returns false if
 * none of them selects a range.
 */
static bool
selected_range(PlannerInfo *root, Var *key, RankRange *range)
{
	double		key_order = order_of(root, key);
	List	   *clauses = NIL;
	ListCell   *cell;

	*range = (RankRange)
	{
		.from = 0,.to = 1,.is_known = false
	};
	if (key_order == 0)
		return false;
	foreach(cell, find_base_rel(root, key->varno)->baserestrictinfo)
	{
		RestrictInfo *condition = lfirst_node(RestrictInfo, cell);
		Var		   *column;
		RankRange	one;
		double		order;

		if (!range_of_clause(root, (Node *) condition->clause, key->varno, &column, &one))
			continue;
		order = order_of(root, column);
		if (order == 0)
			continue;
		clauses = lappend(clauses, condition);
		if (!one.is_known)
			continue;
		if (column->varattno != key->varattno)
			change_column(&one, order, key_order);
		range->is_known = true;
		range->from = Max(range->from, one.from);
		range->to = Min(range->to, one.to);
		range->doubt = Max(range->doubt, one.doubt);
	}
	if (clauses == NIL)
		return false;
	range->to = Max(range->to, range->from);
	range->selectivity = clauselist_selectivity(root, clauses, 0, JOIN_INNER, NULL);
	return range->selectivity > 0;
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

static double
share_below(const Distribution *d, double value)
{
	return interpolate(d->values, d->below, d->nvalues, value);
}

static double
value_at(const Distribution *d, double rank)
{
	return interpolate(d->below, d->values, d->nvalues, rank);
}

/*
 * A value of a histogram or of a list of common ones; share is of the latter
 */
typedef struct Step
{
	double		value;
	double		share;
} Step;

static int
compare_steps(const void *a, const void *b)
{
	double		left = ((const Step *) a)->value;
	double		right = ((const Step *) b)->value;

	return left < right ? -1 : left > right;
}

/* The numbers of an array of statistics; NULL if it is missing, or unusable */
static Step *
make_steps(HeapTuple statistics, int kind, Oid type, int *nsteps)
{
	AttStatsSlot slot;
	Step	   *steps;
	int			flags = ATTSTATSSLOT_VALUES |
		(kind == STATISTIC_KIND_MCV ? ATTSTATSSLOT_NUMBERS : 0);

	*nsteps = 0;
	if (!get_attstatsslot(&slot, statistics, kind, InvalidOid, flags))
		return NULL;
	steps = palloc(slot.nvalues * sizeof(Step));
	for (int i = 0; i < slot.nvalues; i++)
	{
		Step	   *step = &steps[*nsteps];

		if (!number_of(type, slot.values[i], &step->value))
			continue;
		step->share = slot.nnumbers > 0 ? slot.numbers[i] : 0;
		(*nsteps)++;
	}
	free_attstatsslot(&slot);
	qsort(steps, *nsteps, sizeof(Step), compare_steps);
	return steps;
}

/*
 * Add a common value to the rows between two others, or make the distribution
 * wider.  Until all are added, below[i] has the rows from the value before.
 */
static void
add_common(Distribution *d, const Step *common)
{
	int			i = 1;

	d->values[0] = Min(d->values[0], common->value);
	d->values[d->nvalues - 1] = Max(d->values[d->nvalues - 1], common->value);
	while (i < d->nvalues - 1 && d->values[i] < common->value)
		i++;
	d->below[i] += common->share;
}

/* By statistics; returns false if these do not show it. */
static bool
make_distribution(PlannerInfo *root, Var *column, Oid type, Distribution *d)
{
	VariableStatData stats;
	Step	   *bounds = NULL;
	Step	   *common = NULL;
	int			nbounds = 0;
	int			ncommon = 0;
	double		rest = 1;
	double		sum = 0;

	examine_variable(root, (Node *) column, 0, &stats);
	if (HeapTupleIsValid(stats.statsTuple))
	{
		bounds = make_steps(stats.statsTuple, STATISTIC_KIND_HISTOGRAM, type, &nbounds);
		common = make_steps(stats.statsTuple, STATISTIC_KIND_MCV, type, &ncommon);
		rest -= ((Form_pg_statistic) GETSTRUCT(stats.statsTuple))->stanullfrac;
	}
	ReleaseVariableStats(stats);

	/* values that are all common are their own bounds */
	d->nvalues = nbounds > 0 ? nbounds : ncommon;
	if (d->nvalues < 2)
		return false;
	d->values = palloc(d->nvalues * sizeof(double));
	d->below = palloc0(d->nvalues * sizeof(double));
	for (int i = 0; i < ncommon; i++)
		rest -= common[i].share;
	for (int i = 0; i < d->nvalues; i++)
	{
		d->values[i] = nbounds > 0 ? bounds[i].value : common[i].value;
		if (nbounds > 0 && i > 0)
			d->below[i] = Max(rest, 0) / (nbounds - 1);
	}
	for (int i = 0; i < ncommon; i++)
		add_common(d, &common[i]);
	for (int i = 0; i < d->nvalues; i++)
		sum = d->below[i] += sum;
	for (int i = 0; i < d->nvalues && sum > 0; i++)
		d->below[i] /= sum;
	return sum > 0;
}

/* The distributions of both columns of a link */
static bool
make_distributions(PlannerInfo *root, const JoinLink *link, Distribution *from, Distribution *to)
{
	return make_distribution(root, link->to, link->to_type, to) &&
		make_distribution(root, link->from, link->from_type, from);
}

/* At least as many rows as if they were spread over all ranks */
static double
rows_between(const Distribution *facts, const Distribution *key, double from, double to)
{
	return Max(share_below(facts, value_at(key, to)) - share_below(facts, value_at(key, from)),
			   to - from);
}

/* The rows in a range that may be elsewhere: a mean of the possible ones */
static double
rows_in_range(const Distribution *facts, const Distribution *key, const RankRange *range)
{
	double		doubt = range->doubt;

	return cbrt(rows_between(facts, key, range->from, range->to) *
				rows_between(facts, key, range->from - doubt, range->to - doubt) *
				rows_between(facts, key, range->from + doubt, range->to + doubt));
}

/*
 * From a range of ranks of the relation that a link leads to, to that of the
 * one it leads from
 */
static bool
follow_back(PlannerInfo *root, const JoinLink *link, RankRange *range)
{
	Distribution from;
	Distribution to;

	if (!make_distributions(root, link, &from, &to))
		return false;
	range->from = share_below(&from, value_at(&to, range->from));
	range->to = share_below(&from, value_at(&to, range->to));
	return true;
}

/* Values of a column; 0 if that is not known */
static double
distinct_values(PlannerInfo *root, Var *column)
{
	VariableStatData stats;
	bool		is_default;
	double		distinct;

	examine_variable(root, (Node *) column, 0, &stats);
	distinct = get_variable_numdistinct(&stats, &is_default);
	ReleaseVariableStats(stats);
	return is_default ? 0 : distinct;
}

/*
 * The share of the facts that have a partner in the range, over the share
 * that the planner expects
 */
static double
factor_of(PlannerInfo *root, const JoinLink *link, const RankRange *range)
{
	double		rows = find_base_rel(root, link->to->varno)->tuples;
	Distribution facts;
	Distribution key;
	double		used;
	double		share;
	double		width;
	double		distinct;

	if (!make_distributions(root, link, &facts, &key))
		return 0;
	used = share_below(&key, facts.values[facts.nvalues - 1]) -
		share_below(&key, facts.values[0]);
	if (!(used > 0 && used < MAX_USED_SHARE))
		return 0;

	/* values that are not known are taken to be among those of the facts */
	width = range->is_known ? range->to - range->from : used;
	share = range->is_known ? rows_in_range(&facts, &key, range) : 1;
	if (width <= 0)
		return 1;
	share *= Min(range->selectivity / width, 1);

	/* more values than the used part of the key has cannot all be in it */
	distinct = distinct_values(root, link->from);
	if (distinct > 0)
		share *= Min(rows * used / distinct, 1) / Min(rows / distinct, 1);
	return Max(share / range->selectivity, 1);
}

double
blt_join_range_factor(PlannerInfo *root, const JoinLink *links, int nlinks)
{
	const JoinLink *last = &links[nlinks - 1];
	double		order = order_of(root, links[0].to);
	RankRange	range;
	bool		is_restricted;

	if (order == 0)
		return 0;
	is_restricted = selected_range(root, last->to, &range);
	if (nlinks > 1)
	{
		double		from = order_of(root, last->from);

		if (!is_restricted || !range.is_known || from == 0 || !follow_back(root, last, &range))
			return 0;
		change_column(&range, from, order);
	}
	if (!is_restricted)
		range.selectivity = 1;
	return is_restricted ? factor_of(root, &links[0], &range) :
		Min(factor_of(root, &links[0], &range), 1);
}
