/*
 * selectivity.c
 *	  Tells the planner how many rows pass a filter.
 *
 * If the filter is known while planning (a constant, or a parameter in a custom
 * plan), its metadata tell the number of its keys and its rate.  If the query makes
 * it, the number of its keys is estimated (planned_filter.h).  The common values of
 * the column are looked for in a known filter itself, if the user may see the
 * statistics.  Of the other distinct values as many are expected to be keys as the
 * filter has keys, and of the rest the rate passes.  Any other filter is expected
 * to let one row in ten pass, and so is any where there are no statistics.
 *
 * Where the value is joined to another relation, the planner multiplies that with the
 * estimate of the join; see join_partner.h.
 *
 * A call with an array is expected to pass as often as the calls with its elements,
 * joined by OR or AND.
 */
#include "compat.h"

#include "planner/selectivity.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "filter/filter_datum.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/column.h"
#include "planner/expression.h"
#include "planner/join_partner.h"
#include "planner/known_filter.h"
#include "planner/planned_filter.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/* A call, and what is known of the filter, which is not null. */
typedef struct Question
{
	PlannerInfo *root;
	const MembershipCall *call;
	List	   *args;			/* NIL: as if there were no joins */
	int			relation;
	bool		has_numbers;
	PlannedFilter numbers;
	bool		is_known;
	KnownFilter known;			/* if it is one of ours */
} Question;

/*
 * Of a filter that is not known while planning.  A guess; to expect too few rows
 * is worse than too many.
 */
#define DEFAULT_SELECTIVITY		0.1

/* Share of rows in which a value that differs from row to row passes. */
static Selectivity
variable_selectivity(const Question *question, Node *value)
{
	const PlannedFilter *numbers = &question->numbers;
	VariableStatData column;
	bool		is_guess;
	bool		is_own;
	double		ndistinct;
	double		share;
	double		null_share;
	double		common = 0.0;
	Selectivity selectivity = 0.0;

	if (!question->has_numbers)
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

	if (question->is_known && is_own)
		selectivity = blt_common_values_selectivity(&column, question->call->function_oid,
													exprType(value), &question->known,
													&common);
	ReleaseVariableStats(column);
	selectivity += Max(1.0 - null_share - common, 0.0) * share;
	if (numbers->is_limit)
		selectivity = Min(selectivity, DEFAULT_SELECTIVITY);
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/*
 * Share of filters that let one value pass, which is not null.  Of the filters of
 * many groups those that have some of all keys; of a single one nothing is known.
 */
static Selectivity
same_value_selectivity(const Question *question)
{
	const PlannedFilter *numbers = &question->numbers;
	double		share;

	if (!question->has_numbers || question->is_known || numbers->is_limit ||
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
	if (question->is_known)
		passes = blt_known_filter_contains(&question->known, value, &is_known);
	if (is_known)
		return passes ? 1.0 : 0.0;
	return same_value_selectivity(question);
}

static Selectivity
value_selectivity(const Question *question, Node *value)
{
	Selectivity selectivity;
	Const	   *constant;

	if (IsA(value, Const))
		return constant_selectivity(question, (Const *) value);
	if (question->args == NIL || question->root == NULL)
		return variable_selectivity(question, value);

	if (question->is_known &&
		(constant = blt_constant_of_joins(question->root, value)) != NULL)
		return constant_selectivity(question, constant);
	selectivity = variable_selectivity(question, value);
	return blt_selectivity_beside_joins(question->root, question->call, question->args,
										value, selectivity);
}

/*
 * Share of rows in which any element passes, or all do, if each does so with its
 * own probability.  A null element is one that does not.
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

/* Learn what can be known of a filter, which is not null. */
static void
examine_filter(Question *question, Node *filter)
{
	PlannerInfo *root = question->root;
	PlannedFilter *numbers = &question->numbers;

	question->is_known = false;
	if (!blt_is_known_filter(filter))
	{
		question->has_numbers = blt_plan_filter(root, filter, numbers);
		return;
	}

	if (question->call->format != NULL)
	{
		Node	   *name = estimate_expression_value(root, question->call->format);
		const BbfExternalFormat *format =
			IsA(name, Const) ? blt_format_of_constant((Const *) name) : NULL;

		question->has_numbers = format != NULL &&
			blt_count_external_keys(format, (Const *) filter, &numbers->keys, &numbers->fpp);
	}
	else
	{
		KnownFilter *known = &question->known;

		known->bytes = blt_read_filter(((Const *) filter)->constvalue, BBF_KIND_ANY,
									   &known->meta);
		/* of an intersection too high, for want of a better number */
		numbers->keys = bbf_meta_keys(&known->meta);
		numbers->fpp = bbf_meta_fpp(&known->meta);
		question->has_numbers = question->is_known = true;
	}
	numbers->all_keys = numbers->keys;
	numbers->is_limit = false;
}

/*
 * The rows that the planner expects of a table of filters that was never analyzed; 1 if it
 * was, or is no such table.  An empty or new table is taken for one of ten pages, and a table
 * of filters mostly has few rows.
 */
static double
rows_not_believed(PlannerInfo *root, const MembershipCall *call)
{
	Var		   *var = (Var *) call->filter;
	RangeTblEntry *table;
	RelOptInfo *relation;
	HeapTuple	tuple;
	bool		is_analyzed;

	if (!IsA(var, Var) || (table = blt_range_table_entry(root, var)) == NULL ||
		table->rtekind != RTE_RELATION || table->inh ||
		(relation = blt_base_relation(root, var->varno)) == NULL ||
		bms_is_subset(pull_varnos(root, call->value), relation->relids))
		return 1.0;

	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table->relid));
	if (!HeapTupleIsValid(tuple))
		return 1.0;
	is_analyzed = ((Form_pg_class) GETSTRUCT(tuple))->reltuples >= 0;
	ReleaseSysCache(tuple);
	if (is_analyzed)
		return 1.0;
	return Max(relation->rows > 0.0 ? relation->rows :
			   relation->tuples * blt_share_left(root, var->varno), 1.0);
}

static Selectivity
ask(Question *question)
{
	const MembershipCall *call = question->call;
	PlannerInfo *root = question->root;
	Node	   *filter = estimate_expression_value(root, call->filter);

	if (IsA(filter, Const) && ((Const *) filter)->constisnull)
		return 0.0;
	examine_filter(question, filter);
	if (!call->function->of_elements)
		return value_selectivity(question, call->value);
	return elements_selectivity(question, estimate_expression_value(root, call->value));
}

Selectivity
blt_selectivity(PlannerInfo *root, const MembershipCall *call, List *args, int relation)
{
	Question	question = {.root = root,.call = call,.args = args,.relation = relation};
	Selectivity selectivity = ask(&question);

	if (root != NULL && relation == 0)
		selectivity /= rows_not_believed(root, call);
	return selectivity;
}

Selectivity
blt_selectivity_alone(PlannerInfo *root, const MembershipCall *call)
{
	Question	question = {.root = root,.call = call};

	return ask(&question);
}
