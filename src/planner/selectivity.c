/*
 * selectivity.c
 *	  Tells the planner how many rows pass a filter.
 *
 * If the filter is known while planning (a constant, or a parameter in a
 * custom plan), its metadata tell the number of its keys and its rate.  If
 * the query makes it, the number of its keys is estimated
 * (aggregate_selfuncs.h).  The common values of the column are looked for in
 * a known filter itself, if the user may see the statistics.  Of the other
 * distinct values as many are expected to be keys as the filter has keys, and
 * of the rest the rate passes.  Any other filter is expected to let one row
 * in ten pass, and so is any where there are no statistics.
 *
 * Where the value is joined to another relation, the planner multiplies that
 * with the estimate of the join; see join_partner.h.
 *
 * A call with an array is expected to pass as often as the calls with its
 * elements, joined by OR or AND.
 */
#include "compat.h"

#include "planner/selectivity.h"

#include <math.h>

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/column.h"
#include "planner/expression.h"
#include "planner/join_partner.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* A question to a filter, which is not null, about some value. */
typedef struct Question
{
	PlannerInfo *root;
	const MembershipCall *call;
	FilterArgument *filter;
	List	   *args;			/* NIL: as if there were no joins */
	int			relation;
} Question;

/*
 * Of a filter that is not known while planning.  A guess; to expect too few
 * rows is worse than too many.
 */
#define DEFAULT_SELECTIVITY		0.1

/* Share of rows in which a value that differs from row to row passes. */
static Selectivity
variable_selectivity(const Question *question, Node *value)
{
	const PlannedFilter *numbers = blt_filter_numbers(question->filter);
	VariableStatData column;
	bool		is_guess;
	bool		is_own;
	double		ndistinct;
	double		share;
	double		null_share;
	double		common = 0.0;
	Selectivity selectivity = 0.0;

	if (numbers == NULL)
		return DEFAULT_SELECTIVITY;

	is_own = blt_examine_value(question->root, value, question->relation, &column);
	ndistinct = blt_distinct_values(question->root, &column, &is_guess);
	if (is_guess)
	{
		ReleaseVariableStats(column);
		return DEFAULT_SELECTIVITY;
	}
	null_share = blt_null_share(&column);

	share = Min(numbers->keys / ndistinct, 1.0);
	share += (1.0 - share) * numbers->fpp;

	if (question->filter->is_known && is_own)
		selectivity = blt_common_values_selectivity(&column, question->call->function_oid,
													exprType(value), &question->filter->known,
													&common);
	ReleaseVariableStats(column);
	selectivity += Max(1.0 - null_share - common, 0.0) * share;
	if (numbers->is_limit)
		selectivity = Min(selectivity, DEFAULT_SELECTIVITY);
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/*
 * Share of filters that let one value pass, which is not null.  Of the
 * filters of many groups those that have some of all keys; of a single one
 * nothing is known.
 */
static Selectivity
same_value_selectivity(const Question *question)
{
	const PlannedFilter *numbers = blt_filter_numbers(question->filter);
	double		share;

	if (numbers == NULL || question->filter->is_known || numbers->is_limit ||
		numbers->keys >= numbers->all_keys)
		return DEFAULT_SELECTIVITY;
	share = numbers->keys / numbers->all_keys;
	return share + (1.0 - share) * numbers->fpp;
}

static Selectivity
constant_selectivity(const Question *question, Const *value)
{
	bool		is_known = false;
	bool		passes = false;

	if (value->constisnull)
		return 0.0;
	if (question->filter->is_known)
		passes = blt_known_filter_contains(&question->filter->known, value, &is_known);
	if (is_known)
		return passes ? 1.0 : 0.0;
	return same_value_selectivity(question);
}

static Selectivity
value_selectivity(const Question *question, Node *value)
{
	PlannerInfo *root = question->root;
	double		share = 1.0;
	Const	   *constant;
	Selectivity selectivity;

	if (IsA(value, Const))
		return constant_selectivity(question, (Const *) value);
	if (question->args != NIL)
	{
		if (question->filter->is_known &&
			(constant = blt_constant_of_joins(root, value)) != NULL)
			return constant_selectivity(question, constant);
		share = blt_share_of_joins(root, question->call, question->args, value);
		if (share == 0.0)
			return 1.0;
	}
	selectivity = variable_selectivity(question, value);
	return selectivity < share ? selectivity / share : 1.0;
}

/*
 * Share of rows in which any element passes, or all do, if each does so with
 * its own probability.  A null element is one that does not.
 */
static Selectivity
elements_selectivity(const Question *question, Node *array)
{
	double		any_fails = 1.0;
	double		all_pass = 1.0;

	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
	{
		ListCell   *cell;

		foreach(cell, ((ArrayExpr *) array)->elements)
		{
			Selectivity selectivity = value_selectivity(question, (Node *) lfirst(cell));

			any_fails *= 1.0 - selectivity;
			all_pass *= selectivity;
		}
	}
	else if (IsA(array, Const) &&
			 OidIsValid(get_base_element_type(((Const *) array)->consttype)))
	{
		ArrayType  *values;
		Selectivity selectivity = same_value_selectivity(question);
		int			n;

		if (((Const *) array)->constisnull)
			return 0.0;
		values = DatumGetArrayTypeP(((Const *) array)->constvalue);
		n = ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
		all_pass = pow(selectivity, n);
		if (array_contains_nulls(values))
			all_pass = 0.0;
		any_fails = pow(1.0 - selectivity, n);
	}
	else
		return DEFAULT_SELECTIVITY;

	return question->call->function->of_all ? all_pass : 1.0 - any_fails;
}

/*
 * The rows that the planner expects of a table of filters that was never
 * analyzed; 1 if it was, or is no such table.  An empty or new table is taken
 * for one of ten pages, and a table of filters mostly has few rows.
 */
static double
rows_not_believed(PlannerInfo *root, const MembershipCall *call)
{
	Var		   *var = (Var *) call->filter;
	RangeTblEntry *table;
	RelOptInfo *relation;

	if (!IsA(var, Var) || (table = blt_range_table_entry(root, var)) == NULL ||
		table->rtekind != RTE_RELATION || table->inh ||
		(relation = blt_base_relation(root, var->varno)) == NULL ||
		bms_is_subset(pull_varnos(root, call->value), relation->relids))
		return 1.0;

	if (blt_analyzed_tuples(table->relid) >= 0.0)
		return 1.0;
	return Max(relation->rows > 0.0 ? relation->rows :
			   relation->tuples *
			   clauselist_selectivity(root, blt_plain_conditions(root, var->varno), 0,
									  JOIN_INNER, NULL), 1.0);
}

static Selectivity
ask(const Question *question, Node *value)
{
	if (question->filter->is_null)
		return 0.0;
	return question->call->function->of_elements ? elements_selectivity(question, value) :
		value_selectivity(question, value);
}

Selectivity
blt_selectivity(PlannerInfo *root, const MembershipCall *call, List *args, int relation)
{
	FilterArgument filter;
	Question	question = {root, call, &filter, args, relation};
	Selectivity selectivity;

	blt_examine_filter(root, estimate_expression_value(root, call->filter),
					   call->format == NULL ? NULL :
					   estimate_expression_value(root, call->format), &filter);
	selectivity = ask(&question, call->function->of_elements ?
					  estimate_expression_value(root, call->value) : call->value);
	if (relation == 0)
		selectivity /= rows_not_believed(root, call);
	return selectivity;
}

Selectivity
blt_selectivity_alone(PlannerInfo *root, const MembershipCall *call, FilterArgument *filter)
{
	Question	question = {root, call, filter, NIL, 0};

	return ask(&question, call->value);
}
