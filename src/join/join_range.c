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
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

/* The rule is for facts that use less than this share of the key. */
#define MAX_USED_SHARE	0.5

/*
 * A column follows the order of its table if their correlation is at least
 * this, and no value is so common that a correlation means nothing.
 */
#define MIN_CORRELATION 0.95
#define MAX_COMMON_SHARE 0.3

/* Longer lists of IN are taken for any other condition. */
#define MAX_LIST	100

/* A range of ranks, and the conditions that select it */
typedef struct RankRange
{
	double		from;
	double		to;
	double		doubt;			/* how far statistics may misplace it */
	bool		is_known;		/* false: conditions compare with parameters */
	double		selectivity;	/* of these conditions */
} RankRange;

/* How the rows of a column are distributed over the ranks of another */
typedef struct Distribution
{
	PlannerInfo *root;
	const JoinLink *link;
	Oid			less;			/* operator (to_type < from_type) */
	SortSupportData sort;		/* of from_type */
	double		edge;			/* ranks closer to 0 or 1 are these */
	double		distinct;		/* values of the column; 0: unknown */
	VariableStatData stats;
	AttStatsSlot histogram;
	AttStatsSlot common;
	int			nsteps;
	Datum	   *steps;			/* values in ascending order */
	double	   *ranks;			/* of these; -1: not yet known */
	double	   *below;			/* share of the rows below each */
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
may_estimate(PlannerInfo *root, Var *column, Oid less)
{
	VariableStatData stats;
	bool		may;

	if (!OidIsValid(less) || get_oprrest(less) != F_SCALARLTSEL)
		return false;
	examine_variable(root, (Node *) column, 0, &stats);
	may = HeapTupleIsValid(stats.statsTuple) &&
		statistic_proc_security_check(&stats, get_opcode(less));
	ReleaseVariableStats(stats);
	return may;
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
 * Conditions
 */

/* Is a value among the most common ones, whose places are known? */
static bool
is_common(PlannerInfo *root, Var *column, Oid equal, Const *value, Oid collation)
{
	VariableStatData stats;
	FmgrInfo	compare;
	double		total;
	double		share = 0;

	examine_variable(root, (Node *) column, 0, &stats);
	if (HeapTupleIsValid(stats.statsTuple))
	{
		fmgr_info(get_opcode(equal), &compare);
		share = mcv_selectivity(&stats, &compare, collation, value->constvalue, true, &total);
	}
	ReleaseVariableStats(stats);
	return share > 0;
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
	Oid			left;
	Oid			right;
	Oid			less;
	Oid			less_or_equal;
	Oid			equal;

	op_input_types(operator, &left, &right);
	less = get_opfamily_member(family, left, right, BTLessStrategyNumber);
	less_or_equal = get_opfamily_member(family, left, right, BTLessEqualStrategyNumber);
	equal = get_opfamily_member(family, left, right, BTEqualStrategyNumber);
	if (value->constisnull || !OidIsValid(less_or_equal) || !OidIsValid(equal) ||
		!may_estimate(root, column, less))
		return false;
	*before = rank_of(root, column, less, value, collation);
	*after = Max(rank_of(root, column, less_or_equal, value, collation), *before);
	*doubt = is_common(root, column, equal, value, collation) ? 0 : (*after - *before) / 2;
	*before += *doubt;
	*after += *doubt;
	return true;
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

	if (!clause->useOr || !is_column_of(left, relid) || !IsA(right, Const) ||
		((Const *) right)->constisnull)
		return false;
	array = DatumGetArrayTypeP(((Const *) right)->constvalue);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls,
					  &nvalues);
	if (nvalues == 0 || nvalues > MAX_LIST)
		return false;
	*column = (Var *) left;
	for (int i = 0; i < nvalues; i++)
	{
		RankRange	one;
		Const	   *value = makeConst(ARR_ELEMTYPE(array), -1, clause->inputcollid, length,
									  values[i], nulls[i], by_value);

		if (!range_of_comparison(root, *column, clause->opno, value, clause->inputcollid, &one))
			return false;
		if (i == 0)
			*range = one;
		range->from = Min(range->from, one.from);
		range->to = Max(range->to, one.to);
		range->doubt = Max(range->doubt, one.doubt);
	}
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

static bool
is_less(Distribution *d, Datum left, Datum right)
{
	return ApplySortComparator(left, false, right, false, &d->sort) < 0;
}

/*
 * Operators of a family that has both.  Only the server's own are called with
 * values that statistics have.
 */
static bool
find_operators(Distribution *d, Oid *less)
{
	ListCell   *cell;

	foreach(cell, d->link->families)
	{
		Oid			family = lfirst_oid(cell);

		*less = get_opfamily_member(family, d->link->from_type, d->link->from_type,
									BTLessStrategyNumber);
		d->less = get_opfamily_member(family, d->link->to_type, d->link->from_type,
									  BTLessStrategyNumber);
		if (OidIsValid(*less) && *less < FirstUnpinnedObjectId &&
			may_estimate(d->root, d->link->to, d->less))
			return true;
	}
	return false;
}

/* The smallest rank that a histogram can tell from none */
static double
edge_of(PlannerInfo *root, Var *column)
{
	VariableStatData stats;
	AttStatsSlot slot;
	double		edge = 0;

	examine_variable(root, (Node *) column, 0, &stats);
	if (HeapTupleIsValid(stats.statsTuple) &&
		get_attstatsslot(&slot, stats.statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
						 ATTSTATSSLOT_VALUES))
	{
		/* ineq_histogram_selectivity returns at least a hundredth of a bin */
		if (slot.nvalues > 1)
			edge = 0.011 / (slot.nvalues - 1);
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(stats);
	return edge;
}

typedef struct CommonValue
{
	Datum		value;
	double		share;
} CommonValue;

static int
compare_common(const void *a, const void *b, void *d)
{
	return ApplySortComparator(((const CommonValue *) a)->value, false,
							   ((const CommonValue *) b)->value, false,
							   &((Distribution *) d)->sort);
}

/* The first step that is not less than a value; nsteps if there is none */
static int
step_of(Distribution *d, Datum value)
{
	int			low = 0;
	int			high = d->nsteps;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (is_less(d, d->steps[middle], value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Steps are the bounds of the histogram, or the most common values if there
 * is no histogram.  Rows are taken to be spread evenly between two steps,
 * also those that have a common value there.
 */
static void
make_steps(Distribution *d)
{
	int			ncommon = d->common.nvalues;
	CommonValue *common = palloc(ncommon * sizeof(CommonValue));
	double		total = 0;
	double		sum = 0;
	double		common_share = 0;
	double		null_share = ((Form_pg_statistic) GETSTRUCT(d->stats.statsTuple))->stanullfrac;

	for (int i = 0; i < ncommon; i++)
	{
		common[i].value = d->common.values[i];
		common[i].share = d->common.numbers[i];
		common_share += common[i].share;
	}
	d->nsteps = d->histogram.nvalues;
	if (d->nsteps == 0)
	{
		qsort_arg(common, ncommon, sizeof(CommonValue), compare_common, d);
		d->nsteps = ncommon;
	}
	d->steps = palloc((d->nsteps + 1) * sizeof(Datum));
	d->ranks = palloc((d->nsteps + 1) * sizeof(double));
	d->below = palloc0((d->nsteps + 1) * sizeof(double));
	for (int i = 0; i < d->nsteps; i++)
	{
		d->steps[i] = d->histogram.nvalues > 0 ? d->histogram.values[i] : common[i].value;
		d->ranks[i] = -1;
	}

	/* first, below[i] has the rows between the step before and this one */
	if (d->histogram.nvalues > 1)
	{
		double		share = Max(1 - null_share - common_share, 0) / (d->nsteps - 1);

		for (int i = 1; i < d->nsteps; i++)
			d->below[i] = share;
	}
	for (int i = 0; i < ncommon && d->nsteps > 1; i++)
	{
		int			step = step_of(d, common[i].value);

		if (step == 0 && is_less(d, common[i].value, d->steps[0]))
			d->steps[0] = common[i].value;
		else if (step == d->nsteps)
			d->steps[step - 1] = common[i].value;
		d->below[Min(Max(step, 1), d->nsteps - 1)] += common[i].share;
	}
	for (int i = 0; i < d->nsteps; i++)
		total += d->below[i];
	for (int i = 0; i < d->nsteps && total > 0; i++)
	{
		sum += d->below[i];
		d->below[i] = sum / total;
	}
	pfree(common);
}

static void
free_distribution(Distribution *d)
{
	free_attstatsslot(&d->histogram);
	free_attstatsslot(&d->common);
	ReleaseVariableStats(d->stats);
}

/*
 * Returns false if statistics do not show the distribution, or may not be
 * used; else it must be freed.
 */
static bool
make_distribution(PlannerInfo *root, const JoinLink *link, Distribution *d)
{
	Oid			less;
	bool		is_default;
	bool		is_usable;

	memset(d, 0, sizeof(Distribution));
	d->root = root;
	d->link = link;
	d->edge = edge_of(root, link->to);
	if (d->edge == 0 || !find_operators(d, &less))
		return false;
	d->sort.ssup_cxt = CurrentMemoryContext;
	d->sort.ssup_collation = link->collation;
	PrepareSortSupportFromOrderingOp(less, &d->sort);

	examine_variable(root, (Node *) link->from, 0, &d->stats);
	if (HeapTupleIsValid(d->stats.statsTuple) &&
		statistic_proc_security_check(&d->stats, get_opcode(less)))
	{
		get_attstatsslot(&d->histogram, d->stats.statsTuple, STATISTIC_KIND_HISTOGRAM, less,
						 ATTSTATSSLOT_VALUES);
		get_attstatsslot(&d->common, d->stats.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
		d->distinct = get_variable_numdistinct(&d->stats, &is_default);
		if (is_default)
			d->distinct = 0;
	}
	is_usable = (d->histogram.nvalues == 0 || d->histogram.stacoll == link->collation) &&
		(d->common.nvalues == 0 || d->common.stacoll == link->collation);
	if (is_usable && d->histogram.nvalues + d->common.nvalues > 0)
	{
		make_steps(d);
		if (d->nsteps > 1)
			return true;
	}
	free_distribution(d);
	return false;
}

/*
 * The rank of a step.  Values before the first and after the last row of the
 * other relation have the ranks 0 and 1.
 */
static double
rank_of_step(Distribution *d, int step)
{
	if (d->ranks[step] < 0)
	{
		const JoinLink *link = d->link;
		int16		length;
		bool		by_value;
		Const	   *value;
		double		rank;

		get_typlenbyval(link->from_type, &length, &by_value);
		value = makeConst(link->from_type, -1, link->collation, length, d->steps[step], false,
						  by_value);
		rank = rank_of(d->root, link->to, d->less, value, link->collation);
		d->ranks[step] = rank <= d->edge ? 0 : rank >= 1 - d->edge ? 1 : rank;
	}
	return d->ranks[step];
}

/*
 * The share of rows below a rank, and those at this rank if it ends a range
 */
static double
rows_below(Distribution *d, double rank, bool is_end)
{
	int			low = 0;
	int			high = d->nsteps;
	double		span;

	rank = rank <= d->edge ? 0 : rank >= 1 - d->edge ? 1 : rank;

	/* for a beginning, steps at this rank are before it */
	while (low < high)
	{
		int			middle = (low + high) / 2;
		double		of_step = rank_of_step(d, middle);

		if (is_end ? of_step < rank : of_step <= rank)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	if (low == d->nsteps)
		return 1;
	span = rank_of_step(d, low) - rank_of_step(d, low - 1);
	return d->below[low - 1] + (d->below[low] - d->below[low - 1]) *
		(rank - rank_of_step(d, low - 1)) / span;
}

/* At least as many rows as if they were spread over all ranks */
static double
rows_between(Distribution *d, double from, double to)
{
	return Max(rows_below(d, to, true) - rows_below(d, from, false), to - from);
}

/* The rows in a range that may be elsewhere: a mean of the possible ones */
static double
rows_in_range(Distribution *d, const RankRange *range)
{
	return cbrt(rows_between(d, range->from, range->to) *
				rows_between(d, range->from - range->doubt, range->to - range->doubt) *
				rows_between(d, range->from + range->doubt, range->to + range->doubt));
}

/*
 * From a range of ranks of the relation that a link leads to, to that of the
 * one it leads from
 */
static bool
follow_back(PlannerInfo *root, const JoinLink *link, RankRange *range)
{
	Distribution d;

	if (!make_distribution(root, link, &d))
		return false;
	range->from = rows_below(&d, range->from, false);
	range->to = Max(rows_below(&d, range->to, true), range->from);
	free_distribution(&d);
	return true;
}

/*
 * The share of the facts that have a partner in the range, over the share
 * that the planner expects
 */
static double
factor_of(Distribution *d, const RankRange *range)
{
	double		first = rank_of_step(d, 0);
	double		last = rank_of_step(d, d->nsteps - 1);
	double		rows = find_base_rel(d->root, d->link->to->varno)->tuples;
	double		share;
	double		width;

	if (last - first <= 0 || last - first >= MAX_USED_SHARE)
		return 0;
	if (range->is_known)
	{
		width = range->to - range->from;
		share = rows_in_range(d, range);
	}
	else
	{
		/* unknown values are taken to be among those of the facts */
		width = last - first;
		share = 1;
	}
	if (width <= 0)
		return 1;
	share *= Min(range->selectivity / width, 1);

	/* more values than the used part of the key has cannot all be in it */
	if (d->distinct > 0)
		share *= Min(rows * (last - first) / d->distinct, 1) / Min(rows / d->distinct, 1);
	return Max(share / range->selectivity, 1);
}

double
blt_join_range_factor(PlannerInfo *root, const JoinLink *links, int nlinks)
{
	const JoinLink *last = &links[nlinks - 1];
	RankRange	range;
	Distribution d;
	bool		is_restricted = selected_range(root, last->to, &range);
	double		factor;

	if (nlinks > 1)
	{
		double		from = order_of(root, last->from);
		double		to = order_of(root, links[0].to);

		if (!is_restricted || !range.is_known || from == 0 || to == 0 ||
			!follow_back(root, last, &range))
			return 0;
		change_column(&range, from, to);
	}
	else if (order_of(root, last->to) == 0)
		return 0;
	if (!make_distribution(root, &links[0], &d))
		return 0;
	if (!is_restricted)
		range.selectivity = 1;
	factor = factor_of(&d, &range);
	free_distribution(&d);
	return is_restricted ? factor : Min(factor, 1);
}
