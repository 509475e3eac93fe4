/*
 * plan_calendar.c
 *	  Which share of the facts a range of a calendar's key selects.
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
#include "plan/plan_calendar.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

/* A range of ranks, and the conditions that select it */
typedef struct RankRange
{
	double		from;
	double		to;
	double		doubt;			/* how far statistics may misplace it */
	bool		is_known;		/* false: conditions compare with parameters */
	double		selectivity;	/* of these conditions */
} RankRange;

static const RankRange all_ranks = {.from = 0,.to = 1};

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
 * How far, in ranks, rows may be from where an order has them: half the width
 * of the band around the diagonal that has this correlation
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
is_common(VariableStatData *stats, Oid equal, Const *value, Oid collation)
{
	FmgrInfo	compare;
	double		total;

	fmgr_info(get_opcode(equal), &compare);
	return mcv_selectivity(stats, &compare, collation, value->constvalue, true, &total) > 0;
}

/*
 * The same as blt_statistics_ranks for values that are not numbers.  The
 * planner interpolates as if a value were a point, which puts it half of its
 * own rows too low.
 */
static bool
find_ranks_by_planner(PlannerInfo *root, Var *column, Oid family, Oid operator, Const *value,
					  Oid collation, double *below, double *equal, double *doubt)
{
	VariableStatData stats;
	Oid			left;
	Oid			right;
	Oid			less;
	Oid			less_or_equal;
	Oid			equality;
	bool		result = false;

	op_input_types(operator, &left, &right);
	less = get_opfamily_member(family, left, right, BTLessStrategyNumber);
	less_or_equal = get_opfamily_member(family, left, right, BTLessEqualStrategyNumber);
	equality = get_opfamily_member(family, left, right, BTEqualStrategyNumber);
	if (!OidIsValid(less) || !OidIsValid(less_or_equal) || !OidIsValid(equality))
		return false;
	examine_variable(root, (Node *) column, 0, &stats);
	/* the planner estimates it by histograms, and may read these */
	if (get_oprrest(less) == F_SCALARLTSEL && HeapTupleIsValid(stats.statsTuple) &&
		statistic_proc_security_check(&stats, get_opcode(less)))
	{
		result = true;
		*below = rank_of(root, column, less, value, collation);
		*equal = Max(rank_of(root, column, less_or_equal, value, collation) - *below, 0);
		*doubt = is_common(&stats, equality, value, collation) ? 0 : *equal / 2;
		*below += *doubt;
	}
	ReleaseVariableStats(stats);
	return result;
}

/*
 * The share of rows below a value, and with that value; and how far these rows
 * may be from there
 */
static bool
find_ranks(PlanColumns *columns, Var *var, Oid family, Oid operator, Const *value, Oid collation,
		   double *below, double *equal, double *doubt)
{
	PlanColumn *column = blt_plan_column(columns, var);
	double		number;

	if (value->constisnull)
		return false;
	if (!blt_statistics_number(value->consttype, value->constvalue, &number) ||
		!blt_plan_read_distribution(columns, column))
		return find_ranks_by_planner(columns->root, var, family, operator, value, collation, below,
									 equal, doubt);
	blt_statistics_ranks(&column->statistics, column->distinct, number, below, equal, doubt);
	return true;
}

/* The range of ranks that an operator selects by a constant, or NULL */
static bool
range_of_comparison(PlanColumns *columns, Var *column, Oid operator, Const *value, Oid collation,
					RankRange *range)
{
	Oid			left;
	Oid			right;
	Oid			family;
	int			strategy;
	double		below;
	double		equal;

	op_input_types(operator, &left, &right);
	family = lookup_type_cache(left, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	strategy = OidIsValid(family) && operator < FirstUnpinnedObjectId ?
		get_op_opfamily_strategy(operator, family) : 0;
	if (strategy == 0)
		return false;
	*range = all_ranks;
	range->is_known = value != NULL;
	if (value == NULL)
		return true;
	if (!find_ranks(columns, column, family, operator, value, collation, &below, &equal,
					&range->doubt))
		return false;
	if (strategy == BTEqualStrategyNumber || strategy == BTGreaterEqualStrategyNumber)
		range->from = below;
	else if (strategy == BTGreaterStrategyNumber)
		range->from = below + equal;
	if (strategy == BTEqualStrategyNumber || strategy == BTLessEqualStrategyNumber)
		range->to = Min(below + equal, 1);
	else if (strategy == BTLessStrategyNumber)
		range->to = below;
	return true;
}

static bool
is_column_of(Node *node, int relid)
{
	return node != NULL && IsA(node, Var) && ((Var *) node)->varno == relid &&
		((Var *) node)->varlevelsup == 0 && ((Var *) node)->varattno > 0;
}

static bool
is_ordered_column_of(PlanColumns *columns, Node *node, int relid)
{
	return is_column_of(node, relid) && blt_plan_column(columns, (Var *) node)->order != 0;
}

/* column op expression, or the same the other way round */
static bool
range_of_operator(PlanColumns *columns, OpExpr *clause, int relid, Var **column, RankRange *range)
{
	Oid			operator = clause->opno;
	Node	   *left;
	Node	   *right;

	if (list_length(clause->args) != 2)
		return false;
	left = blt_plan_strip_relabels(linitial(clause->args));
	right = blt_plan_strip_relabels(lsecond(clause->args));
	if (!is_column_of(left, relid))
	{
		Node	   *other = left;

		left = right;
		right = other;
		operator = get_commutator(operator);
	}
	if (!OidIsValid(operator) || !is_ordered_column_of(columns, left, relid) ||
		contain_var_clause(right) || contain_volatile_functions(right))
		return false;
	right = estimate_expression_value(columns->root, right);
	*column = (Var *) left;
	return range_of_comparison(columns, *column, operator, IsA(right, Const) ? (Const *) right : NULL,
							   clause->inputcollid, range);
}

/* column IN (constants): from the first of them to the last */
static bool
range_of_list(PlanColumns *columns, ScalarArrayOpExpr *clause, int relid, Var **column,
			  RankRange *range)
{
	Node	   *left = blt_plan_strip_relabels(linitial(clause->args));
	Node	   *right;
	ArrayType  *array;
	Datum	   *values;
	bool	   *nulls;
	int			nvalues;
	int16		length;
	bool		by_value;
	char		alignment;
	double	   *numbers;
	int			least = 0;
	int			greatest = 0;
	Const	   *value;
	RankRange	of_last;

	if (!clause->useOr || !is_ordered_column_of(columns, left, relid))
		return false;
	right = estimate_expression_value(columns->root, lsecond(clause->args));
	if (!IsA(right, Const) || ((Const *) right)->constisnull)
		return false;
	array = DatumGetArrayTypeP(((Const *) right)->constvalue);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &values, &nulls,
					  &nvalues);
	if (nvalues == 0)
		return false;
	*column = (Var *) left;
	numbers = palloc(nvalues * sizeof(double));
	for (int i = 0; i < nvalues; i++)
	{
		if (nulls[i] || !blt_statistics_number(ARR_ELEMTYPE(array), values[i], &numbers[i]))
			return false;
		if (numbers[i] < numbers[least])
			least = i;
		if (numbers[i] > numbers[greatest])
			greatest = i;
	}
	value = makeConst(ARR_ELEMTYPE(array), -1, InvalidOid, length, values[least], false, by_value);
	if (!range_of_comparison(columns, *column, clause->opno, value, InvalidOid, range))
		return false;
	value->constvalue = values[greatest];
	if (!range_of_comparison(columns, *column, clause->opno, value, InvalidOid, &of_last))
		return false;
	range->to = of_last.to;
	range->doubt = Max(range->doubt, of_last.doubt);
	return true;
}

/*
 * What a condition on a column that follows the order of its relation selects,
 * in ranks of this column
 */
static bool
range_of_clause(PlanColumns *columns, Node *clause, int relid, Var **column, RankRange *range)
{
	if (IsA(clause, OpExpr))
		return range_of_operator(columns, (OpExpr *) clause, relid, column, range);
	if (IsA(clause, ScalarArrayOpExpr))
		return range_of_list(columns, (ScalarArrayOpExpr *) clause, relid, column, range);
	return false;
}

/*
 * From ranks of one column of a table to ranks of another, by the correlation
 * of each with the order of the table; false if they are in different orders
 */
static bool
change_column(RankRange *range, double from, double to)
{
	const double by = Min(blur_of(from) + blur_of(to), blur_of(1 - fabs(fabs(from) - fabs(to))));
	const double least = Max(range->from - by, 0);
	const double greatest = Min(range->to + by, 1);

	if (!blt_statistics_same_order(from, to))
		return false;
	/* one of them may be in the reverse order */
	range->from = from * to < 0 ? 1 - greatest : least;
	range->to = from * to < 0 ? 1 - least : greatest;
	return true;
}

/*
 * What a relation's conditions select, in ranks of its key.  Returns false if
 * none of them selects a range.
 */
static bool
selected_range(PlanColumns *columns, Var *key, RankRange *range)
{
	double		key_order = blt_plan_column(columns, key)->order;
	List	   *clauses = NIL;
	ListCell   *cell;

	*range = all_ranks;
	if (key_order == 0)
		return false;
	foreach(cell, find_base_rel(columns->root, key->varno)->baserestrictinfo)
	{
		RestrictInfo *condition = lfirst_node(RestrictInfo, cell);
		Var		   *column;
		RankRange	one;

		if (!range_of_clause(columns, (Node *) condition->clause, key->varno, &column, &one) ||
			(column->varattno != key->varattno &&
			 !change_column(&one, blt_plan_column(columns, column)->order, key_order)))
			continue;
		clauses = lappend(clauses, condition);
		if (!one.is_known)
			continue;
		range->is_known = true;
		range->from = Max(range->from, one.from);
		range->to = Min(range->to, one.to);
		range->doubt = Max(range->doubt, one.doubt);
	}
	if (clauses == NIL)
		return false;
	range->to = Max(range->to, range->from);
	range->selectivity = clauselist_selectivity(columns->root, clauses, 0, JOIN_INNER, NULL);
	return range->selectivity > 0;
}

/*
 * Distributions
 */

/* The columns of a link, if the distributions of both are known */
static bool
read_link(PlanColumns *columns, const PlanLink *link, PlanColumn **from, PlanColumn **to)
{
	*from = blt_plan_column(columns, link->from);
	*to = blt_plan_column(columns, link->to);
	return blt_plan_read_distribution(columns, *to) &&
		blt_plan_read_distribution(columns, *from);
}

static double
change_rank(const PlanColumn *from, const PlanColumn *to, double rank)
{
	return blt_statistics_share_below(&to->statistics.all,
									  blt_statistics_value_at(&from->statistics.all, rank));
}

/* At least as many rows as if they were spread over all ranks */
static double
rows_between(const PlanColumn *facts, const PlanColumn *key, double from, double to)
{
	return Max(change_rank(key, facts, to) - change_rank(key, facts, from), to - from);
}

/* The rows in a range that may be elsewhere: a mean of the possible ones */
static double
rows_in_range(const PlanColumn *facts, const PlanColumn *key, const RankRange *range)
{
	double		doubt = range->doubt;

	return cbrt(rows_between(facts, key, range->from, range->to) *
				rows_between(facts, key, range->from - doubt, range->to - doubt) *
				rows_between(facts, key, range->from + doubt, range->to + doubt));
}

/*
 * The share of the facts that have a partner in the range, over the share
 * that the planner expects
 */
static double
factor_of(PlanColumns *columns, const PlanLink *link, const RankRange *range)
{
	double		rows = find_base_rel(columns->root, link->to->varno)->tuples;
	PlanColumn *facts;
	PlanColumn *key;
	double		used;
	double		share;
	double		width;

	if (!read_link(columns, link, &facts, &key))
		return 0;
	used = blt_statistics_part_used(&key->statistics.all, &facts->statistics.all);
	if (used <= 0)
		return 0;

	/* values that are not known are taken to be among those of the facts */
	width = range->is_known ? range->to - range->from : used;
	share = range->is_known ? rows_in_range(facts, key, range) : 1;
	if (width <= 0)
		return 1;
	share *= Min(range->selectivity / width, 1);

	/* the planner has no statistics of nulls in UNION ALL */
	if (facts->is_union)
		share *= 1 - facts->statistics.nulls;

	/* more values than the used part of the key has cannot all be in it */
	if (facts->distinct > 0)
		share *= Min(rows * used / facts->distinct, 1) / Min(rows / facts->distinct, 1);
	return Max(share / range->selectivity, 1);
}

double
blt_plan_calendar_factor(PlanColumns *columns, const PlanLink *links, int nlinks)
{
	const PlanLink *last = &links[nlinks - 1];
	double		order = blt_plan_column(columns, links[0].to)->order;
	RankRange	range;
	bool		is_restricted;

	if (order == 0)
		return 0;
	is_restricted = selected_range(columns, last->to, &range);
	if (nlinks > 1)
	{
		PlanColumn *from;
		PlanColumn *to;

		if (!is_restricted || !range.is_known || !read_link(columns, last, &from, &to))
			return 0;
		range.from = change_rank(to, from, range.from);
		range.to = change_rank(to, from, range.to);
		if (!change_column(&range, from->order, order))
			return 0;
	}
	if (!is_restricted)
		range.selectivity = 1;
	return is_restricted ? factor_of(columns, &links[0], &range) :
		Min(factor_of(columns, &links[0], &range), 1);
}
