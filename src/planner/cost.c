/*
 * cost.c
 *	  Tells the planner what it costs to ask a filter.
 *
 * A probe of a filter in memory costs about what three calls of simple
 * functions cost.  Of a filter that is stored out of line a single probe costs
 * a look-up in a TOAST index; where many rows meet the same filter it is soon
 * read whole and kept (filter_reader.h), so each row is charged two probes.
 */
#include "compat.h"

#include "planner/cost.h"

#include "filter/filter_datum.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/expression.h"
#include "planner/known_filter.h"
#include "planner/selectivity.h"
#include "utils/lsyscache.h"

/* In units of cpu_operator_cost, which stands for some 10 ns. */
#define PROBE_COST				3.0
#define SLICE_COST				400.0

/*
 * A column of at most this average width has TOAST pointers (18 bytes); a filter
 * that is in its row has at least 60.
 */
#define MAX_POINTER_WIDTH		32

/*
 * Is this a column whose values are mostly stored out of line?  False where
 * nobody knows.
 */
static bool
is_out_of_line(PlannerInfo *root, Node *filter)
{
	Var		   *var = (Var *) filter;
	RangeTblEntry *table;
	int32		width;

	if (root == NULL || !IsA(filter, Var) || var->varattno <= 0)
		return false;
	table = blt_range_table_entry(root, var);
	if (table == NULL || table->rtekind != RTE_RELATION)
		return false;
	width = get_attavgwidth(table->relid, var->varattno);
	return width > 0 && width <= MAX_POINTER_WIDTH;
}

/* The cost of probing for one key. */
static Cost
probe_cost(PlannerInfo *root, const MembershipCall *call)
{
	double		noperators = PROBE_COST;

	if (blt_is_known_filter(call->filter) && call->format == NULL)
	{
		BbfMeta		meta;

		blt_read_meta(((Const *) call->filter)->constvalue, BBF_KIND_ANY, &meta);
		noperators *= Max(meta.nlayers, 1);
	}
	else if (is_out_of_line(root, call->filter))
	{
		/* the value is not of another table: each filter is asked once */
		if (bms_is_subset(pull_varnos(root, call->value), pull_varnos(root, call->filter)))
			noperators = SLICE_COST;
		else
			noperators *= 2;
	}
	return noperators * cpu_operator_cost;
}

Cost
blt_cost(PlannerInfo *root, const MembershipCall *call)
{
	Cost		cost = probe_cost(root, call);

	if (call->function->of_elements)
		cost *= blt_estimate_array_length(root, call->value);
	return cost;
}
