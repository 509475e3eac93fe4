/*
 * probe_cost.c
 *	  Tells the planner what it costs to probe a filter.
 *
 * The planner evaluates the conditions on a scan in the order of their costs,
 * and adds them up for all rows of the scan.  What a probe takes, beside what
 * the server charges for operators of its own, `test/bench/run costs'
 * measures.
 *
 * The server charges one cpu_operator_cost for an operator, whether that is a
 * comparison of integers, which takes a tenth of the time of a probe, or one
 * of texts, which takes as long.  A probe is charged a little more than one:
 * it comes after what is cheaper.  A higher charge would have no return beside
 * a join, whose estimate the filter leaves as it is (beside_join.h): a plan
 * that reads fewer rows in a worse way would seem better.
 */
#include "compat.h"

#include "planner/probe_cost.h"

#include "catalog/pg_type.h"
#include "key/key_scalar.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/expression.h"
#include "planner/selectivity.h"
#include "planner/value_statistics.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/*
 * In units of cpu_operator_cost, which are taken for 10 ns: a probe of a
 * bigint in one layer of a bloom, or in a list of up to BBF_SHORT_LIST keys,
 * in the processor's cache; in a longer list; of counters, buckets, and other
 * systems' bits.
 */
#define PROBE_COST				1.1
#define LIST_COST				2.7
#define OTHER_KIND_COST			2.0

/* A slice of a stored filter, a look-up in a TOAST index. */
#define SLICE_COST				400.0

/*
 * What is added for the hash of a key that is no integer; numeric, and of
 * several parts.
 */
#define SCALAR_KEY_COST			0.8
#define LARGE_KEY_COST			5.5

/* What is added to take an array apart. */
#define ARRAY_COST				5.0

/*
 * Each megabyte of a filter adds as much as a probe takes in the cache, until
 * nearly every probe waits for memory.
 */
#define CACHE_BYTES				(1024.0 * 1024.0)
#define MAX_CACHES				8.0

/*
 * The planner does not look at what conditions drop.  So a filter that lets
 * all rows pass is charged twice what it costs: of several filters, those that
 * drop most come first.
 */
#define RISE					1.0

/*
 * A column of at most this average width has TOAST pointers (18 bytes); a
 * filter that is in its row has at least 60.
 */
#define MAX_POINTER_WIDTH		32

/*
 * Is this a column whose values are mostly stored out of line, and each of
 * which is probed once: not for values of another table?
 */
static bool
is_read_by_slices(PlannerInfo *root, const MembershipCall *call)
{
	Var		   *var = (Var *) call->filter;
	RangeTblEntry *table;
	int32		width;

	if (root == NULL || !IsA(var, Var) || var->varattno <= 0 ||
		(table = blt_range_table_entry(root, var)) == NULL ||
		table->rtekind != RTE_RELATION ||
		!bms_is_subset(pull_varnos(root, call->value), bms_make_singleton(var->varno)))
		return false;
	width = get_attavgwidth(table->relid, var->varattno);
	return width > 0 && width <= MAX_POINTER_WIDTH;
}

/* To look for a hash in the filter of a call. */
static double
lookup_cost(PlannerInfo *root, const MembershipCall *call, const ExaminedFilter *filter)
{
	double		cost = PROBE_COST;

	if (filter->source != BLT_FILTER_CONST && filter->source != BLT_FILTER_OF_QUERY)
		return is_read_by_slices(root, call) ? SLICE_COST : PROBE_COST;

	if (filter->numbers.is_external || !bbf_has_trait(bbf_kind_routine(filter->numbers.kind), BBF_TRAIT_INLINED))
		cost = OTHER_KIND_COST;
	else if (filter->layers == 0.0 && filter->numbers.keys > BBF_SHORT_LIST)
		cost = LIST_COST;
	return cost * Max(filter->layers, 1.0) +
		PROBE_COST * Min(filter->bytes / CACHE_BYTES, MAX_CACHES);
}

/* To hash a key of an SQL type. */
static double
key_cost(Oid type)
{
	BbfFamily	family;
	ScalarEncode encode;

	type = getBaseType(type);
	if (type == INT2OID || type == INT4OID || type == INT8OID)
		return 0.0;
	if (!blt_converts_to_utf8())
		return SCALAR_KEY_COST; /* to look up text would be an error */
	if (type == NUMERICOID || !blt_find_scalar(type, InvalidOid, &family, &encode))
		return LARGE_KEY_COST;
	return SCALAR_KEY_COST;
}

/*
 * The condition on the whole table that a condition on a partition is; null
 * if there is none.
 */
static Node *
condition_on_whole(PlannerInfo *root, const MembershipCall *call)
{
	Node	   *whole = blt_value_of_whole(root, call->value);
	RelOptInfo *relation;
	ListCell   *cell;

	if (whole == call->value || !IsA(whole, Var) ||
		(relation = blt_base_relation(root, ((Var *) whole)->varno)) == NULL)
		return NULL;
	foreach(cell, relation->baserestrictinfo)
	{
		if (blt_is_same_call((Node *) lfirst_node(RestrictInfo, cell)->clause, call, whole))
			return (Node *) lfirst(cell);
	}
	return NULL;
}

Cost
blt_probe_cost(PlannerInfo *root, const MembershipCall *call)
{
	Oid			type = exprType(call->value);
	double		noperators;
	ExaminedFilter filter;
	Node	   *whole;

	/*
	 * Up to the minor versions of November 2025, the left side of IN (SELECT
	 * ...) was charged before the query has relations, when variables may
	 * still be of outer levels.
	 */
	if (root != NULL && root->simple_rel_array == NULL)
		root = NULL;

	/* it has the same cost, which the planner keeps */
	if (root != NULL && (whole = condition_on_whole(root, call)) != NULL)
	{
		QualCost	cost;

		cost_qual_eval_node(&cost, whole, root);
		return cost.per_tuple;
	}

	blt_examine_filter(root, call, &filter);
	if (call->function->of_elements)
		noperators = ARRAY_COST + blt_estimate_array_length(root, call->value) *
			(lookup_cost(root, call, &filter) + key_cost(get_base_element_type(type)));
	else
		noperators = lookup_cost(root, call, &filter) + key_cost(type);
	if (root != NULL && blt_has_relations(root, call->value) && blt_has_relations(root, call->filter))
		noperators *= 1.0 + RISE * blt_selectivity_alone(root, call, &filter);
	return noperators * cpu_operator_cost;
}
