/*
 * planner.c
 *	  Tells the planner how many rows pass a filter, and what a probe costs.
 *
 * If the filter is known while planning (a constant, or a parameter in a custom
 * plan), its metadata tell the number of its keys and its rate.  If the query makes
 * it, the number of its keys is estimated (planned_filter.h).  The common values of
 * the column are looked for in a known filter itself, if the user may see the
 * statistics.  Of the other distinct values as many are expected to be keys as the
 * filter has keys, and of the rest the rate passes.  Any other filter is expected
 * to let one row in ten pass, and so is any where there are no statistics.
 *
 * A call with an array is expected to pass as often as the calls with its elements,
 * joined by OR or AND.
 *
 * Two filters nearly always overlap as far as && can tell, unless one is a list: their
 * bits meet.
 *
 * A probe of a filter in memory costs about what three calls of simple
 * functions cost.  Of a filter that is stored out of line a single probe costs
 * a look-up in a TOAST index; where many rows meet the same filter it is soon
 * read whole and kept (filter_reader.h), so each row is charged two probes.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "filter/filter_datum.h"
#include "filter/filter_membership.h"
#include "key/key_hasher.h"
#include "key/key_match.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "types/planned_filter.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

PG_FUNCTION_INFO_V1(bloomtype_contains_support);
PG_FUNCTION_INFO_V1(bloomtype_contains_sel);
PG_FUNCTION_INFO_V1(bloomtype_contains_joinsel);
PG_FUNCTION_INFO_V1(bloomtype_overlaps_sel);
PG_FUNCTION_INFO_V1(bloomtype_overlaps_joinsel);

/* Defined in another file of this folder; known by its address here. */
extern PGDLLEXPORT Datum bloomtype_bloom_overlaps(PG_FUNCTION_ARGS);

/* The functions that are estimated here; their filters may be of any type. */
typedef struct MembershipFunction
{
	PGFunction	function;
	int			filter_argno;
	bool		of_elements;
	bool		of_all;			/* of elements: all, not any */
} MembershipFunction;

static const MembershipFunction membership_functions[] = {
	{bloomtype_contains, 0, false, false},
	{bloomtype_contained, 1, false, false},
	{bloomtype_contains_any, 0, true, false},
	{bloomtype_contains_all, 0, true, true},
};

/* What is known of the filter that a call asks, which is not null. */
typedef struct AskedFilter
{
	PlannedFilter numbers;
	BbfMeta		meta;			/* of a known filter, */
	const unsigned char *bytes; /* and its image; else null */
} AskedFilter;

/*
 * Of a filter that is not known while planning.  A guess; to expect too few rows
 * is worse than too many.
 */
#define DEFAULT_SELECTIVITY		0.1

/*
 * Of pairs of filters: two with layers nearly always share a bit.  Of a list nobody
 * knows.
 */
#define OVERLAP_SELECTIVITY			0.99
#define LIST_OVERLAP_SELECTIVITY	0.5

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

/* Is this a constant that may be a filter? */
static bool
is_known_filter(Node *node)
{
	Const	   *constant = (Const *) node;

	return IsA(node, Const) && !constant->constisnull && constant->constlen == -1;
}

/*
 * A hasher for the values of a type; null where that might be an error, for types
 * that are no keys, or have parts that may be none.
 */
static KeyHasher *
hasher_without_error(Oid type)
{
	Oid			base = getBaseType(type);
	Oid			element = get_element_type(base);
	BbfFamily	family;
	ScalarEncode encode;

	if (!blt_find_scalar(OidIsValid(element) ? getBaseType(element) : base,
						 InvalidOid, &family, &encode))
		return NULL;
	return blt_create_hasher(type, InvalidOid, CurrentMemoryContext);
}

/* Is this value in a known filter? */
static bool
known_filter_contains(const AskedFilter *filter, KeyHasher *hasher, Datum value)
{
	BloomKey	key = blt_hash_key(hasher, value);

	/* one of another family is an error if the query meets it, not now */
	return blt_key_matches(filter->meta.family, filter->meta.subtype, key) &&
		bbf_image_contains(&filter->meta, filter->bytes, key.hash);
}

/*
 * The share of rows that have a common value of the column which is in the filter.
 * Sets *common to the share of rows that have any common value.  Both are 0
 * without statistics, or without the right to read them.
 */
static Selectivity
common_values_selectivity(VariableStatData *column, Oid function_oid,
						  Oid value_type, const AskedFilter *filter,
						  double *common)
{
	AttStatsSlot slot;
	KeyHasher  *hasher;
	Selectivity selectivity = 0.0;

	*common = 0.0;
	if (!HeapTupleIsValid(column->statsTuple) ||
		!statistic_proc_security_check(column, function_oid))
		return 0.0;

	/* casts that change nothing but the type are left out of the statistics */
	hasher = hasher_without_error(value_type);
	if (hasher == NULL ||
		!get_attstatsslot(&slot, column->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						  ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return 0.0;

	for (int i = 0; i < slot.nvalues; i++)
	{
		if (known_filter_contains(filter, hasher, slot.values[i]))
			selectivity += slot.numbers[i];
		*common += slot.numbers[i];
	}
	free_attstatsslot(&slot);
	return selectivity;
}

/*
 * Look up the statistics of a value.  Those of an expression without any are
 * taken from its only variable, as in estimate_num_groups; returns whether they
 * are those of the value itself.
 */
static bool
examine_value(PlannerInfo *root, Node *value, int relation,
			  VariableStatData *column)
{
	List	   *variables;

	examine_variable(root, value, relation, column);
	if (HeapTupleIsValid(column->statsTuple) || column->isunique ||
		(column->var != NULL && IsA(column->var, Var)))
		return true;

	variables = blt_variables(value);
	if (list_length(variables) != 1)
		return true;
	ReleaseVariableStats(*column);
	examine_variable(root, linitial(variables), relation, column);
	return false;
}

/* The table of which this one is a partition, at whatever level; else itself. */
static int
topmost_table(PlannerInfo *root, int relid)
{
	while (root->append_rel_array != NULL && root->append_rel_array[relid] != NULL)
		relid = root->append_rel_array[relid]->parent_relid;
	return relid;
}

/* The rows of all partitions of a table that the query reads. */
static double
rows_of_partitions(PlannerInfo *root, int table)
{
	double		rows = 0.0;
	ListCell   *cell;

	foreach(cell, root->append_rel_list)
	{
		int			relid = ((AppendRelInfo *) lfirst(cell))->child_relid;
		RelOptInfo *partition = root->simple_rel_array[relid];

		if (partition != NULL && !planner_rt_fetch(relid, root)->inh &&
			topmost_table(root, relid) == table)
			rows += partition->tuples;
	}
	return rows;
}

/*
 * get_variable_numdistinct, but of all partitions, if this is a column of one and
 * there are statistics of the whole.  The keys of a filter are spread over all.
 */
static double
distinct_values(PlannerInfo *root, VariableStatData *column, bool *is_guess)
{
	Var		   *var = (Var *) column->var;
	double		ndistinct = get_variable_numdistinct(column, is_guess);
	AttrNumber	attno;
	int			relid;
	VariableStatData whole;
	double		of_whole = 0.0;

	if (var == NULL || !IsA(var, Var) || column->rel == NULL ||
		column->rel->reloptkind != RELOPT_OTHER_MEMBER_REL)
		return ndistinct;

	attno = var->varattno;
	for (relid = var->varno;
		 root->append_rel_array != NULL && root->append_rel_array[relid] != NULL;
		 relid = root->append_rel_array[relid]->parent_relid)
	{
		AppendRelInfo *info = root->append_rel_array[relid];

		if (attno < 1 || attno > info->num_child_cols)
			return ndistinct;
		attno = info->parent_colnos[attno - 1];
	}
	if (attno < 1 || root->simple_rel_array[relid] == NULL)
		return ndistinct;

	examine_variable(root, (Node *) makeVar(relid, attno, var->vartype, var->vartypmod,
											var->varcollid, 0), 0, &whole);
	if (HeapTupleIsValid(whole.statsTuple))
		of_whole = ((Form_pg_statistic) GETSTRUCT(whole.statsTuple))->stadistinct;
	ReleaseVariableStats(whole);
	if (of_whole < 0.0)
		of_whole *= -rows_of_partitions(root, relid);
	if (of_whole <= 0.0)
		return ndistinct;
	*is_guess = false;
	return clamp_row_est(of_whole);
}

/* Share of rows in which a value that differs from row to row passes. */
static Selectivity
variable_selectivity(PlannerInfo *root, const AskedFilter *filter,
					 Oid function_oid, Node *value, int relation)
{
	const PlannedFilter *numbers = &filter->numbers;
	VariableStatData column;
	bool		is_guess;
	bool		is_own = examine_value(root, value, relation, &column);
	double		ndistinct = distinct_values(root, &column, &is_guess);
	double		share;
	double		null_share = 0.0;
	double		common = 0.0;
	Selectivity selectivity = 0.0;

	if (is_guess)
	{
		ReleaseVariableStats(column);
		return DEFAULT_SELECTIVITY;
	}
	if (HeapTupleIsValid(column.statsTuple))
		null_share = ((Form_pg_statistic) GETSTRUCT(column.statsTuple))->stanullfrac;

	share = Min(numbers->keys / ndistinct, 1.0);
	share += (1.0 - share) * numbers->fpp;

	if (filter->bytes != NULL && is_own)
		selectivity = common_values_selectivity(&column, function_oid, exprType(value),
												filter, &common);
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
same_value_selectivity(const AskedFilter *filter)
{
	const PlannedFilter *numbers = &filter->numbers;
	double		share;

	if (filter->bytes != NULL || numbers->is_limit || numbers->keys >= numbers->all_keys)
		return DEFAULT_SELECTIVITY;
	share = numbers->keys / numbers->all_keys;
	return share + (1.0 - share) * numbers->fpp;
}

/* Share of rows in which a value passes; see examine_variable for relation. */
static Selectivity
value_selectivity(PlannerInfo *root, const AskedFilter *filter,
				  Oid function_oid, Node *value, int relation)
{
	Const	   *constant = (Const *) value;
	KeyHasher  *hasher;

	if (!IsA(value, Const))
		return filter != NULL ?
			variable_selectivity(root, filter, function_oid, value, relation) :
			DEFAULT_SELECTIVITY;

	if (constant->constisnull)
		return 0.0;
	if (filter == NULL)
		return DEFAULT_SELECTIVITY;
	if (filter->bytes != NULL &&
		(hasher = hasher_without_error(constant->consttype)) != NULL)
		return known_filter_contains(filter, hasher, constant->constvalue) ? 1.0 : 0.0;
	return same_value_selectivity(filter);
}

/*
 * Share of rows in which any element passes, or all do, if each does so with its
 * own probability.  A null element is one that does not.
 */
static Selectivity
elements_selectivity(PlannerInfo *root, const AskedFilter *filter,
					 const MembershipFunction *membership, Oid function_oid,
					 Node *array, int relation)
{
	double		any_fails = 1.0;
	double		all_pass = 1.0;

	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
	{
		ListCell   *cell;

		foreach(cell, ((ArrayExpr *) array)->elements)
		{
			Selectivity selectivity = value_selectivity(root, filter, function_oid,
														(Node *) lfirst(cell), relation);

			any_fails *= 1.0 - selectivity;
			all_pass *= selectivity;
		}
	}
	else if (IsA(array, Const) &&
			 OidIsValid(get_base_element_type(((Const *) array)->consttype)))
	{
		ArrayType  *values;
		Selectivity selectivity = filter != NULL ? same_value_selectivity(filter) :
			DEFAULT_SELECTIVITY;
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

	return membership->of_all ? all_pass : 1.0 - any_fails;
}

/* The share of rows that pass; see examine_variable for relation. */
static Selectivity
contains_selectivity(PlannerInfo *root, Oid function_oid, List *args,
					 int relation)
{
	const MembershipFunction *membership = find_function(function_oid);
	AskedFilter asked;
	const AskedFilter *known = NULL;
	Node	   *filter;
	Node	   *value;

	if (membership == NULL || list_length(args) != 2)
		return DEFAULT_SELECTIVITY;

	filter = estimate_expression_value(root, list_nth(args, membership->filter_argno));
	if (IsA(filter, Const) && ((Const *) filter)->constisnull)
		return 0.0;
	if (is_known_filter(filter))
	{
		asked.bytes = blt_read_filter(((Const *) filter)->constvalue, BBF_KIND_ANY,
									  &asked.meta);
		/* of an intersection too high, for want of a better number */
		asked.numbers.keys = asked.numbers.all_keys = bbf_meta_keys(&asked.meta);
		asked.numbers.is_limit = false;
		asked.numbers.fpp = bbf_meta_fpp(&asked.meta);
		known = &asked;
	}
	else if (blt_plan_filter(root, filter, &asked.numbers))
	{
		asked.bytes = NULL;
		known = &asked;
	}

	value = list_nth(args, 1 - membership->filter_argno);
	if (!membership->of_elements)
		return value_selectivity(root, known, function_oid, value, relation);
	return elements_selectivity(root, known, membership, function_oid,
								estimate_expression_value(root, value), relation);
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
probe_cost(PlannerInfo *root, const MembershipFunction *membership, List *args)
{
	Node	   *filter = list_nth(args, membership->filter_argno);
	Node	   *value = list_nth(args, 1 - membership->filter_argno);
	double		noperators = PROBE_COST;

	if (is_known_filter(filter))
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

		asked->selectivity = contains_selectivity(asked->root, asked->funcid,
												  asked->args, asked->varRelid);
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

/* The same for a filter and a value of different tables. */
Datum
bloomtype_contains_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(contains_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  get_opcode(PG_GETARG_OID(1)),
										  (List *) PG_GETARG_POINTER(2), 0));
}

/* The share of pairs of filters that overlap. */
static Selectivity
overlaps_selectivity(PlannerInfo *root, Oid function_oid, List *args)
{
	Selectivity selectivity = OVERLAP_SELECTIVITY;
	ListCell   *cell;

	if (!blt_is_function(function_oid, bloomtype_bloom_overlaps))
		return selectivity;
	foreach(cell, args)
	{
		Node	   *filter = estimate_expression_value(root, lfirst(cell));
		BbfMeta		meta;

		if (IsA(filter, Const) && ((Const *) filter)->constisnull)
			return 0.0;
		if (!is_known_filter(filter))
			continue;
		blt_read_meta(((Const *) filter)->constvalue, BBF_KIND_BLOOM, &meta);
		if (!bbf_meta_has_keys(&meta))
			return 0.0;
		if (meta.nlist > 0)
			selectivity = LIST_OVERLAP_SELECTIVITY;
	}
	return selectivity;
}

/* For filter && filter. */
Datum
bloomtype_overlaps_sel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(overlaps_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  get_opcode(PG_GETARG_OID(1)),
										  (List *) PG_GETARG_POINTER(2)));
}

/* The same for filters of different tables. */
Datum
bloomtype_overlaps_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(overlaps_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
										  get_opcode(PG_GETARG_OID(1)),
										  (List *) PG_GETARG_POINTER(2)));
}
