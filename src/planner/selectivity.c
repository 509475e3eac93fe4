/*
 * selectivity.c
 *	  Tells the planner how many rows pass a filter.
 *
 * Of a filter that is a constant, or made by the query, the number of keys
 * and the rate are known or estimated (examined_filter.h).  Of the distinct
 * values of a column as many are expected to be keys as the filter has keys,
 * and of the rest the rate passes.  Its common values are looked for in a
 * constant filter itself, if the user may see the statistics.  Any other
 * filter is expected to let one row in ten pass, and so is any where there
 * are no statistics.
 *
 * Where the value is joined to another relation, the planner multiplies that
 * with the estimate of the join; see beside_join.h.
 *
 * A call with an array is expected to pass as often as the calls with its
 * elements, joined by OR or AND.
 */
#include "compat.h"

#include "planner/selectivity.h"

#include <math.h>

#include "optimizer/optimizer.h"
#include "planner/beside_join.h"
#include "planner/expression.h"
#include "planner/value_statistics.h"
#include "utils/selfuncs.h"

/*
 * Of a filter that is not known while planning.  A guess; to expect too few
 * rows is worse than too many.
 */
#define DEFAULT_SELECTIVITY		0.1

/* Share of rows in which a value passes, whatever they are joined to. */
static Selectivity
value_selectivity(PlannerInfo *root, const MembershipCall *call, const ExaminedFilter *filter,
				  Node *value)
{
	const FilterNumbers *numbers = &filter->numbers;
	ValueStatistics statistics;
	Selectivity selectivity;
	double		common;
	double		share;

	if (blt_is_null(value))
		return 0.0;
	if (IsA(value, Const) || filter->source == BLT_FILTER_UNKNOWN ||
		!blt_value_statistics(root, value, &statistics))
		return DEFAULT_SELECTIVITY;

	share = Min(numbers->keys / statistics.distinct, 1.0);
	share += (1.0 - share) * numbers->fpp;
	selectivity = blt_common_values_selectivity(root, call, value, filter, &common);
	selectivity += Max(1.0 - statistics.null_share - common, 0.0) * share;
	if (numbers->keys_are_limit)
		selectivity = Min(selectivity, DEFAULT_SELECTIVITY);
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/*
 * Share of rows in which a call is true; args NIL: whatever these are joined
 * to.  Of an array, any element passes, or all do, if each does so with its
 * own probability.  A null element is one that does not.
 */
static Selectivity
call_selectivity(PlannerInfo *root, const MembershipCall *call, const ExaminedFilter *filter,
				 List *args)
{
	bool		has_null;
	int			nvalues;
	List	   *values = NIL;
	double		any_fails = 1.0;
	double		all_pass = 1.0;
	ListCell   *cell;

	if (filter->source == BLT_FILTER_NULL || blt_is_null(call->value))
		return 0.0;
	if (!call->function->of_elements)
		values = list_make1(call->value);
	else if ((nvalues = blt_count_elements(call->value, &has_null)) < 0)
		return DEFAULT_SELECTIVITY;
	else if (IsA(call->value, ArrayExpr))
		values = ((ArrayExpr *) call->value)->elements;
	else
	{
		/* of constants, each is expected to pass as often as another */
		any_fails = pow(1.0 - DEFAULT_SELECTIVITY, nvalues);
		all_pass = has_null ? 0.0 : pow(DEFAULT_SELECTIVITY, nvalues);
	}

	foreach(cell, values)
	{
		Node	   *value = (Node *) lfirst(cell);
		Selectivity selectivity = value_selectivity(root, call, filter, value);

		if (args != NIL)
			selectivity = blt_selectivity_beside_joins(root, args, value, selectivity);
		any_fails *= 1.0 - selectivity;
		all_pass *= selectivity;
	}
	return call->function->of_all || !call->function->of_elements ? all_pass : 1.0 - any_fails;
}

/*
 * The rows that the planner expects of a table of filters that was never
 * analyzed; 1 if it was, or is no such table.  An empty or new table is taken
 * for one of ten pages, and a table of filters mostly has few rows, too few
 * for autovacuum to analyze it.
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
		bms_is_subset(pull_varnos(root, call->value), relation->relids) ||
		blt_analyzed_tuples(table->relid) >= 0.0)
		return 1.0;

	return Max(relation->rows > 0.0 ? relation->rows :
			   relation->tuples *
			   clauselist_selectivity(root, blt_conditions_without_filters(root, var->varno), 0,
									  JOIN_INNER, NULL), 1.0);
}

Selectivity
blt_selectivity(PlannerInfo *root, const MembershipCall *call, List *args, int relation)
{
	MembershipCall evaluated = *call;
	ExaminedFilter filter;
	Selectivity selectivity;

	evaluated.filter = estimate_expression_value(root, call->filter);
	if (call->format != NULL)
		evaluated.format = estimate_expression_value(root, call->format);
	if (call->function->of_elements)
		evaluated.value = estimate_expression_value(root, call->value);

	blt_examine_filter(root, &evaluated, &filter);
	selectivity = call_selectivity(root, &evaluated, &filter, args);
	return relation == 0 ? selectivity / rows_not_believed(root, call) : selectivity;
}

Selectivity
blt_selectivity_alone(PlannerInfo *root, const MembershipCall *call, const ExaminedFilter *filter)
{
	return call_selectivity(root, call, filter, NIL);
}
