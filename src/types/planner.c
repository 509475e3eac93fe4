/*
 * planner.c
 *	  Tells the planner how many rows pass a filter, and what a probe costs.
 *
 * If the filter is known while planning (a constant, or a parameter in a custom
 * plan), its metadata tell the number of its keys and its rate.  The common
 * values of the column are looked for in the filter itself, if the user may see
 * the statistics.  Of the other distinct values as many are expected to be keys
 * as the filter has keys, and of the rest the rate passes.  Any other filter is
 * expected to let one row in ten pass.
 *
 * A probe of a filter in memory costs about what three calls of simple
 * functions cost.  Of a filter that is stored out of line a single probe costs
 * a look-up in a TOAST index; where many rows meet the same filter it is soon
 * read whole and kept (filter_reader.h), so each row is charged two probes.
 */
#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "filter/filter_datum.h"
#include "filter/filter_membership.h"
#include "key/key_hasher.h"
#include "key/key_match.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

PG_FUNCTION_INFO_V1(bloomtype_contains_support);
PG_FUNCTION_INFO_V1(bloomtype_contains_sel);
PG_FUNCTION_INFO_V1(bloomtype_contains_joinsel);

/* The functions that are estimated here; their filters may be of any type. */
typedef struct MembershipFunction
{
	PGFunction	function;
	int			filter_argno;
	bool		of_elements;
} MembershipFunction;

static const MembershipFunction membership_functions[] = {
	{bloomtype_contains, 0, false},
	{bloomtype_contained, 1, false},
	{bloomtype_contains_any, 0, true},
	{bloomtype_contains_all, 0, true},
};

/*
 * Of a filter that is not known while planning.  A guess; to expect too few rows
 * is worse than too many.
 */
#define DEFAULT_SELECTIVITY		0.1

/* In units of cpu_operator_cost, which stands for some 10 ns. */
#define PROBE_COST				3.0
#define SLICE_COST				400.0

/*
 * A column of at most this average width has TOAST pointers (18 bytes); a filter
 * that is in its row has at least 60.
 */
#define MAX_POINTER_WIDTH		32

/*
 * The entry of a function; null if it has none.  That is no error: whoever makes
 * an operator may name our estimators for it, and its arguments may be anything.
 */
static const MembershipFunction *
find_function(Oid oid)
{
	FmgrInfo	function;

	fmgr_info(oid, &function);
	for (size_t i = 0; i < lengthof(membership_functions); i++)
	{
		if (membership_functions[i].function == function.fn_addr)
			return &membership_functions[i];
	}
	return NULL;
}

/*
 * The share of rows that have a common value of the column which is in the filter.
 * Sets *common to the share of rows that have any common value.  Both are 0
 * without statistics, or without the right to read them.
 */
static Selectivity
common_values_selectivity(VariableStatData *column, Oid function_oid,
						  Oid value_type, const BbfMeta *meta,
						  const unsigned char *bytes, double *common)
{
	AttStatsSlot slot;
	KeyHasher  *hasher;
	Selectivity selectivity = 0.0;

	*common = 0.0;
	if (!HeapTupleIsValid(column->statsTuple) ||
		!statistic_proc_security_check(column, function_oid) ||
		!get_attstatsslot(&slot, column->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						  ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return 0.0;

	/* casts that change nothing but the type are left out of the statistics */
	hasher = blt_create_hasher(value_type, InvalidOid, CurrentMemoryContext);
	for (int i = 0; i < slot.nvalues; i++)
	{
		BloomKey	key = blt_hash_key(hasher, slot.values[i]);

		/* one of another family is an error if the query meets it, not now */
		if (blt_key_matches(meta->family, meta->subtype, key) &&
			bbf_image_contains(meta, bytes, key.hash))
			selectivity += slot.numbers[i];
		*common += slot.numbers[i];
	}
	free_attstatsslot(&slot);
	return selectivity;
}

/* Share of rows whose value passes a filter that is known. */
static Selectivity
known_filter_selectivity(VariableStatData *column, Oid function_oid,
						 Oid value_type, Datum filter)
{
	BbfMeta		meta;
	const unsigned char *bytes;
	bool		is_guess;
	double		ndistinct = get_variable_numdistinct(column, &is_guess);
	double		share;
	double		null_share = 0.0;
	double		common;
	Selectivity selectivity;

	if (is_guess)
		return DEFAULT_SELECTIVITY;
	if (HeapTupleIsValid(column->statsTuple))
		null_share = ((Form_pg_statistic) GETSTRUCT(column->statsTuple))->stanullfrac;

	bytes = blt_read_filter(filter, BBF_KIND_ANY, &meta);
	/* of an intersection too high, for want of a better number */
	share = Min(bbf_meta_keys(&meta) / ndistinct, 1.0);
	share += (1.0 - share) * bbf_meta_fpp(&meta);

	selectivity = common_values_selectivity(column, function_oid, value_type,
											&meta, bytes, &common);
	selectivity += Max(1.0 - null_share - common, 0.0) * share;
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/* The share of rows of a relation that pass; see examine_variable. */
static Selectivity
contains_selectivity(PlannerInfo *root, Oid function_oid, List *args,
					 int relation)
{
	const MembershipFunction *membership = find_function(function_oid);
	Node	   *filter;
	Node	   *value;
	VariableStatData column;
	Selectivity selectivity;

	if (membership == NULL || membership->of_elements)
		return DEFAULT_SELECTIVITY;

	filter = estimate_expression_value(root, list_nth(args, membership->filter_argno));
	if (!IsA(filter, Const))
		return DEFAULT_SELECTIVITY;
	if (((Const *) filter)->constisnull)
		return 0.0;

	value = list_nth(args, 1 - membership->filter_argno);
	examine_variable(root, value, relation, &column);
	selectivity = known_filter_selectivity(&column, function_oid, exprType(value),
										   ((Const *) filter)->constvalue);
	ReleaseVariableStats(column);
	return selectivity;
}

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

	if (root == NULL || !IsA(filter, Var) || var->varlevelsup > 0 ||
		var->varattno <= 0)
		return false;
	table = planner_rt_fetch(var->varno, root);
	if (table->rtekind != RTE_RELATION)
		return false;
	width = get_attavgwidth(table->relid, var->varattno);
	return width > 0 && width <= MAX_POINTER_WIDTH;
}

/* The cost of probing for one key. */
static Cost
probe_cost(PlannerInfo *root, const MembershipFunction *membership, List *args)
{
	Node	   *filter = list_nth(args, membership->filter_argno);
	Node	   *value = list_nth(args, 1 - membership->filter_argno);
	double		noperators = PROBE_COST;

	if (IsA(filter, Const) && !((Const *) filter)->constisnull)
	{
		BbfMeta		meta;

		blt_read_meta(((Const *) filter)->constvalue, BBF_KIND_ANY, &meta);
		noperators *= Max(meta.nlayers, 1);
	}
	else if (is_out_of_line(root, filter))
	{
		/* the value is not of another table: each filter is asked once */
		if (bms_is_subset(pull_varnos(root, value), pull_varnos(root, filter)))
			noperators = SLICE_COST;
		else
			noperators *= 2;
	}
	return noperators * cpu_operator_cost;
}

/* The arguments of a call, as a function or an operator; else none. */
static List *
arguments(Node *node)
{
	if (node != NULL && IsA(node, FuncExpr))
		return ((FuncExpr *) node)->args;
	if (node != NULL && IsA(node, OpExpr))
		return ((OpExpr *) node)->args;
	return NIL;
}

/* For every function in the table above. */
Datum
bloomtype_contains_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSelectivity))
	{
		SupportRequestSelectivity *asked = (SupportRequestSelectivity *) request;

		asked->selectivity = asked->is_join ? DEFAULT_SELECTIVITY :
			contains_selectivity(asked->root, asked->funcid, asked->args,
								 asked->varRelid);
		PG_RETURN_POINTER(request);
	}
	if (IsA(request, SupportRequestCost))
	{
		SupportRequestCost *asked = (SupportRequestCost *) request;
		const MembershipFunction *membership = find_function(asked->funcid);
		List	   *args = arguments(asked->node);

		if (membership == NULL || list_length(args) != 2)
			PG_RETURN_POINTER(NULL);
		asked->startup = 0.0;
		asked->per_tuple = probe_cost(asked->root, membership, args);
		if (membership->of_elements)
			asked->per_tuple *= blt_estimate_array_length(asked->root, lsecond(args));
		PG_RETURN_POINTER(request);
	}
	PG_RETURN_POINTER(NULL);
}

/* For filter @> value and value <@ filter, by their functions. */
Datum
bloomtype_contains_sel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(contains_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  get_opcode(PG_GETARG_OID(1)),
										  (List *) PG_GETARG_POINTER(2),
										  PG_GETARG_INT32(3)));
}

/* For both: filters that come from a table are not known. */
Datum
bloomtype_contains_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(DEFAULT_SELECTIVITY);
}
