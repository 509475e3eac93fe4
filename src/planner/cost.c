/*
 * cost.c
 *	  Tells the planner what it costs to ask a filter.
 *
 * The planner evaluates the conditions on a scan in the order of their costs.
 * So filters are to be charged in proportion to what they take; what that is,
 * beside what the server charges for operators of its own, `test/bench/run
 * costs' measures.
 *
 * The server charges one cpu_operator_cost for an operator, whether that is a
 * comparison of integers, which takes a tenth of the time of a probe, or one
 * of numerics, which takes twice that time.  No charge is right beside both.
 * A probe is charged as three operators.
 */
#include "compat.h"

#include "planner/cost.h"

#include "catalog/pg_type.h"
#include "key/key_scalar.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/column.h"
#include "planner/expression.h"
#include "planner/filter_origin.h"
#include "planner/selectivity.h"
#include "utils/lsyscache.h"

/*
 * In units of cpu_operator_cost.  A probe of a bigint in one layer of a bloom
 * that is in the processor's cache takes about 10 ns, a slice of a stored
 * filter a look-up in a TOAST index.
 */
#define PROBE_COST				3.0
#define SHORT_LIST_COST			4.0 /* up to BBF_SHORT_LIST keys */
#define LIST_COST				10.0
#define OTHER_KIND_COST			7.0 /* counters, buckets, other systems' bits */
#define SLICE_COST				400.0

/* What is added for a stored filter, whose size is not known. */
#define STORED_COST				2.0

/*
 * What is added for the hash of a key that is no integer; numeric, and of
 * several parts.
 */
#define SCALAR_KEY_COST			3.0
#define LARGE_KEY_COST			22.0

/* What is added to take an array apart. */
#define ARRAY_COST				22.0

/*
 * Each megabyte of a filter adds as much as a probe takes in the cache, until
 * nearly every probe waits for memory.
 */
#define CACHE_BYTES				(1024.0 * 1024.0)
#define MAX_CACHES				20.0

/*
 * The planner does not look at what conditions drop.  So the cost of a filter
 * rises with the share of rows that pass, by this at most: of filters that
 * cost the same, the one that drops most comes first.
 */
#define MAX_RISE				0.05

/*
 * A column of at most this average width has TOAST pointers (18 bytes); a
 * filter that is in its row has at least 60.
 */
#define MAX_POINTER_WIDTH		32

/*
 * Is this a column whose values are mostly stored out of line?  False if
 * that is unknown.
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

/*
 * To look for a hash in a filter of nlayers layers, or of none and a list of
 * keys.
 */
static double
lookup_cost(const PlannedFilter *numbers, double nlayers)
{
	const BbfKindRoutine *routine = bbf_kind_routine(numbers->kind);
	double		in_cache;

	if (nlayers == 0.0 && routine->has_list)
		in_cache = numbers->keys > BBF_SHORT_LIST ? LIST_COST : SHORT_LIST_COST;
	else
		in_cache = routine->is_inlined ? PROBE_COST : OTHER_KIND_COST;
	return in_cache * Max(nlayers, 1.0) +
		PROBE_COST * Min(numbers->bytes / CACHE_BYTES, MAX_CACHES);
}

/* The same of the filter of a call. */
static double
filter_cost(PlannerInfo *root, const MembershipCall *call, FilterArgument *argument)
{
	const PlannedFilter *numbers = blt_filter_numbers(argument);
	PlannerInfo *query = root;
	Node	   *filter;

	if (argument->is_known)
		return lookup_cost(numbers, argument->known.meta.nlayers);
	if (numbers != NULL)
		return lookup_cost(numbers, numbers->keys > BBF_MAX_LIST ? 1.0 : 0.0);

	filter = blt_filter_origin(&query, call->filter);
	if (!is_out_of_line(query, filter))
		return PROBE_COST;

	/* each filter is probed once, unless the value is of another table */
	if (filter == call->filter &&
		bms_is_subset(pull_varnos(root, call->value), pull_varnos(root, filter)))
		return SLICE_COST;
	return PROBE_COST + STORED_COST;
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
 * Are all variables of an expression of relations that the planner has made?
 */
static bool
has_relations(PlannerInfo *root, Node *node)
{
	ListCell   *cell;

	foreach(cell, blt_variables(node))
	{
		Var		   *var = (Var *) lfirst(cell);

		if (var->varlevelsup > 0 || blt_base_relation(root, var->varno) == NULL)
			return false;
	}
	return true;
}

/*
 * The cost of a condition on a partition, which is that of the condition on
 * the whole table; the planner keeps that.  Negative where there is none.
 */
static Cost
cost_of_whole(PlannerInfo *root, const MembershipCall *call)
{
	Var		   *whole;
	ListCell   *cell;

	if (root == NULL || !IsA(call->value, Var) || ((Var *) call->value)->varlevelsup > 0 ||
		blt_base_relation(root, ((Var *) call->value)->varno) == NULL ||
		(whole = blt_column_of_whole(root, (Var *) call->value)) == NULL)
		return -1.0;
	foreach(cell, blt_base_relation(root, whole->varno)->baserestrictinfo)
	{
		RestrictInfo *condition = lfirst_node(RestrictInfo, cell);
		MembershipCall other;
		QualCost	cost;

		if (blt_is_same_function((Node *) condition->clause, call, &other) &&
			equal(other.value, whole) &&
			equal(other.filter, call->filter) && equal(other.format, call->format))
		{
			cost_qual_eval_node(&cost, (Node *) condition, root);
			return cost.per_tuple;
		}
	}
	return -1.0;
}

Cost
blt_cost(PlannerInfo *root, const MembershipCall *call)
{
	Oid			type = exprType(call->value);
	Cost		cost;
	double		noperators;
	FilterArgument filter;

	/*
	 * Up to the minor versions of November 2025, the left side of IN (SELECT
	 * ...) was charged before the query has relations, when variables may
	 * still be of outer levels.
	 */
	if (root != NULL && root->simple_rel_array == NULL)
		root = NULL;

	cost = cost_of_whole(root, call);
	if (cost >= 0.0)
		return cost;

	/* a charge is no reason to call a function of the query */
	blt_examine_filter(root, call->filter, call->format, &filter);
	if (call->function->of_elements)
		noperators = ARRAY_COST + blt_estimate_array_length(root, call->value) *
			(filter_cost(root, call, &filter) + key_cost(get_base_element_type(type)));
	else
		noperators = filter_cost(root, call, &filter) + key_cost(type);
	if (root != NULL && has_relations(root, call->value) && has_relations(root, call->filter))
		noperators *= 1.0 + MAX_RISE * blt_selectivity_alone(root, call, &filter);
	return noperators * cpu_operator_cost;
}
