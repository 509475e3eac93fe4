/*
 * planned_filter.c
 *	  Follows a filter to the aggregate that makes it, and counts its keys.
 *
 * Sub-selects are planned before the conditions that use their results.  While a
 * query is planned, the state of each is kept: of one that runs once, and of a WITH
 * query, in PlannerGlobal.subroots; of one in FROM in its relation.  The parse tree
 * there has the aggregate.  Its plan would not do: a partial one knows the rows of
 * one worker only.
 *
 * How many distinct keys there are in the rows that the aggregate reads is
 * estimated as for GROUP BY.
 */
#include "compat.h"

#include "types/planned_filter.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "core/blocked.h"
#include "core/estimate.h"
#include "core/image.h"
#include "filter/filter_parameters.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/* Defined in other files of this folder; known by their addresses here. */
extern PGDLLEXPORT Datum bloomtype_bloom_agg_final(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum bloomtype_counting_bloom_agg_final(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum bloomtype_cuckoo_agg_final(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum bloomtype_bloom_shrink(PG_FUNCTION_ARGS);
extern PGDLLEXPORT Datum bloomtype_counting_bloom_to_bloom(PG_FUNCTION_ARGS);

/* The aggregates are known by their final functions, in whatever form. */
static const struct
{
	PGFunction	final;
	BbfKind		kind;
}			aggregates[] = {
	{bloomtype_bloom_agg_final, BBF_KIND_BLOOM},
	{bloomtype_counting_bloom_agg_final, BBF_KIND_COUNTING_BLOOM},
	{bloomtype_cuckoo_agg_final, BBF_KIND_CUCKOO},
};

/*
 * A column whose most common value is at most so many times as common as the
 * average is taken for one whose values are equally common.  Of ten rows a value in
 * the sample of ANALYZE the most common one seems to have twice as many.
 */
#define MAX_SKEW	3.0

/*
 * A filter of blocks that sizes itself by so many keys has the rate asked for.  That of
 * one of few keys is lower: the number of its blocks is rounded up.
 */
#define PRECISELY_SIZED		10000

bool
blt_is_function(Oid oid, PGFunction function)
{
	FmgrInfo	info;

	fmgr_info(oid, &info);
	return info.fn_addr == function;
}

RangeTblEntry *
blt_range_table_entry(PlannerInfo *root, const Var *var)
{
	int			nentries = root->simple_rte_array != NULL ?
		root->simple_rel_array_size - 1 : list_length(root->parse->rtable);

	if (var->varlevelsup > 0 || var->varno < 1 || var->varno > nentries)
		return NULL;
	return planner_rt_fetch(var->varno, root);
}

List *
blt_variables(Node *node)
{
	return pull_var_clause(node, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
						   PVC_RECURSE_PLACEHOLDERS);
}

/* A base relation that has been planned; or null. */
static RelOptInfo *
base_relation(PlannerInfo *root, int relid)
{
	if (root->simple_rel_array == NULL ||
		relid < 1 || relid >= root->simple_rel_array_size)
		return NULL;
	return root->simple_rel_array[relid];
}

/* The state of a sub-select by its number; or null. */
static PlannerInfo *
sub_select(PlannerInfo *root, int plan_id)
{
	if (plan_id < 1 || plan_id > list_length(root->glob->subroots))
		return NULL;
	return (PlannerInfo *) list_nth(root->glob->subroots, plan_id - 1);
}

/*
 * The sub-select that runs once and sets a parameter, in this query or in one
 * around it; or null.
 */
static PlannerInfo *
sub_select_of_parameter(PlannerInfo *root, int paramid)
{
	for (PlannerInfo *query = root; query != NULL; query = query->parent_root)
	{
		ListCell   *cell;

		foreach(cell, query->init_plans)
		{
			SubPlan    *plan = (SubPlan *) lfirst(cell);

			/* others set several parameters, or none that is a filter */
			if (IsA(plan, SubPlan) && plan->subLinkType == EXPR_SUBLINK &&
				list_length(plan->setParam) == 1 &&
				linitial_int(plan->setParam) == paramid)
				return sub_select(query, plan->plan_id);
		}
	}
	return NULL;
}

/* A WITH query that is planned on its own, by its reference; or null. */
static PlannerInfo *
sub_select_of_with(PlannerInfo *root, const RangeTblEntry *reference)
{
	PlannerInfo *query = root;
	ListCell   *cell;
	int			number = 0;

	if (reference->self_reference)
		return NULL;
	for (Index level = reference->ctelevelsup; level > 0 && query != NULL; level--)
		query = query->parent_root;
	if (query == NULL)
		return NULL;

	foreach(cell, query->parse->cteList)
	{
		CommonTableExpr *with = (CommonTableExpr *) lfirst(cell);

		if (strcmp(with->ctename, reference->ctename) == 0)
			break;
		number++;
	}
	/* one that is inlined has the number -1, one to come has none yet */
	if (number >= list_length(query->cte_plan_ids))
		return NULL;
	return sub_select(query, list_nth_int(query->cte_plan_ids, number));
}

/*
 * The sub-select in FROM, or in WITH, of which this is a column; or null.  What is
 * behind the barrier of a view stays there, as far as in examine_simple_variable.
 */
static PlannerInfo *
sub_select_of_variable(PlannerInfo *root, const Var *var)
{
	RangeTblEntry *entry = blt_range_table_entry(root, var);
	RelOptInfo *relation = base_relation(root, var->varno);

	if (entry == NULL || relation == NULL)
		return NULL;
	if (entry->rtekind == RTE_SUBQUERY)
		return entry->security_barrier ? NULL : relation->subroot;
	if (entry->rtekind == RTE_CTE)
		return sub_select_of_with(root, entry);
	return NULL;
}

/* A column of the result of a query; or null. */
static Node *
result_column(PlannerInfo *root, int number)
{
	TargetEntry *column;

	if (root == NULL || root->parse == NULL)
		return NULL;
	/* the columns of a set operation are those of its first part */
	if (root->parse->commandType != CMD_SELECT || root->parse->setOperations != NULL)
		return NULL;
	column = get_tle_by_resno(root->parse->targetList, number);
	return column != NULL && !column->resjunk ? (Node *) column->expr : NULL;
}

/*
 * The expression from which this one has its keys, one step nearer to where they
 * come from; null if that is not known.  Sets the query of which it is a part.
 */
static Node *
origin(PlannerInfo **root, Node *node)
{
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
	{
		*root = sub_select_of_parameter(*root, ((Param *) node)->paramid);
		return result_column(*root, 1);
	}
	if (IsA(node, Var))
	{
		*root = sub_select_of_variable(*root, (Var *) node);
		return result_column(*root, ((Var *) node)->varattno);
	}
	if (IsA(node, RelabelType))
		return (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, PlaceHolderVar))
		return (Node *) ((PlaceHolderVar *) node)->phexpr;
	if (IsA(node, FuncExpr))
	{
		FuncExpr   *call = (FuncExpr *) node;

		if (list_length(call->args) == 1 &&
			(blt_is_function(call->funcid, bloomtype_bloom_shrink) ||
			 blt_is_function(call->funcid, bloomtype_counting_bloom_to_bloom)))
			return (Node *) linitial(call->args);
	}
	return NULL;
}

/* The kind of filter that an aggregate makes; BBF_KIND_ANY if it is another's. */
static BbfKind
kind_of_aggregate(Oid oid)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Oid			final;

	if (!HeapTupleIsValid(tuple))
		return BBF_KIND_ANY;
	final = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (!OidIsValid(final))
		return BBF_KIND_ANY;

	for (size_t i = 0; i < lengthof(aggregates); i++)
	{
		if (blt_is_function(final, aggregates[i].final))
			return aggregates[i].kind;
	}
	return BBF_KIND_ANY;
}

/* The constant that an argument of an aggregate is, unless it is none, or null. */
static Const *
constant_argument(PlannerInfo *root, Aggref *aggregate, int argno)
{
	TargetEntry *argument = (TargetEntry *) list_nth(aggregate->args, argno);
	Node	   *value = estimate_expression_value(root, (Node *) argument->expr);

	if (!IsA(value, Const) || ((Const *) value)->constisnull)
		return NULL;
	return (Const *) value;
}

/*
 * The rate of a layer for capacity keys at fpp when it has so many keys.  A layer that
 * would be too large is an error when it is made; fpp then.
 *
 * Sizing takes longer than planning a small query, and most queries are planned more
 * than once, so the last answer is remembered.
 */
static double
rate_of_layer(BbfKind kind, uint64 capacity, double fpp, double keys)
{
	static BbfKind last_kind;
	static uint64 last_capacity;
	static double last_fpp;
	static double last_keys;
	static double last;
	BbfGeometry geometry;

	if (kind == last_kind && capacity == last_capacity && fpp == last_fpp &&
		keys == last_keys)
		return last;

	geometry = bbf_kind_routine(kind)->size(capacity, fpp);
	if (geometry.key_bits == 0 ||
		blt_geometry_bytes(kind, &geometry) > (double) BBF_MAX_BYTES)
		last = fpp;
	else if (kind == BBF_KIND_CUCKOO)
		last = bbf_fpp_of_fingerprints((uint32) geometry.nbins, geometry.key_bits,
									   (uint64) keys);
	else
		last = bbf_model_rate(keys / (double) geometry.nbins, geometry.key_bits);
	last_kind = kind;
	last_capacity = capacity;
	last_fpp = fpp;
	last_keys = keys;
	return last;
}

/*
 * The rate of the filter that an aggregate makes of so many keys.  What is not
 * constant is taken for its default.
 */
static double
expected_fpp(PlannerInfo *root, Aggref *aggregate, BbfKind kind, double keys)
{
	int			nargs = list_length(aggregate->aggargtypes);
	Const	   *constant;
	double		fpp = DEFAULT_FPP;
	int64		capacity = 0;

	if (nargs > 1 &&
		(constant = constant_argument(root, aggregate, nargs - 1)) != NULL &&
		constant->consttype == FLOAT8OID)
		fpp = DatumGetFloat8(constant->constvalue);
	if (nargs > 2 && (constant = constant_argument(root, aggregate, 1)) != NULL)
	{
		if (constant->consttype == INT8OID)
			capacity = DatumGetInt64(constant->constvalue);
		else if (constant->consttype == FLOAT8OID &&
				 DatumGetFloat8(constant->constvalue) >= 1.0 &&
				 DatumGetFloat8(constant->constvalue) < (double) INT64_MAX)
			capacity = (int64) DatumGetFloat8(constant->constvalue);
	}
	if (!(fpp > 0.0 && fpp < 1.0))
		fpp = DEFAULT_FPP;

	keys = Min(keys, (double) INT64_MAX);

	/* an exact list, or nothing */
	if (keys <= (bbf_kind_routine(kind)->is_set ? BBF_MAX_LIST : 0))
		return 0.0;
	if (capacity > 0)
		return rate_of_layer(kind, bbf_first_capacity(kind, capacity,
													  blt_default_growth(kind)),
							 fpp, keys);
	if (keys >= PRECISELY_SIZED && kind != BBF_KIND_CUCKOO)
		return fpp;
	return rate_of_layer(kind, (uint64) Max(keys, 1.0), fpp, keys);
}

/* Are there variables in this expression, and all of them this one? */
static bool
is_of_variable(Node *node, const Var *var)
{
	List	   *variables = blt_variables(node);
	ListCell   *cell;

	foreach(cell, variables)
	{
		if (!equal(lfirst(cell), var))
			return false;
	}
	return variables != NIL;
}

/* Those of the conditions, joined by AND, that are on this column alone. */
static List *
conditions_on(List *conditions, const Var *var)
{
	List	   *own = NIL;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Node	   *condition = (Node *) lfirst(cell);

		if (is_of_variable(IsA(condition, RestrictInfo) ?
						   (Node *) ((RestrictInfo *) condition)->clause : condition,
						   var))
			own = lappend(own, condition);
	}
	return own;
}

/*
 * The number of distinct values of a column that the conditions on that column let
 * through, those of its table and further ones; infinite where there are none, or
 * where some values are far more common than others.
 *
 * estimate_num_groups expects conditions to take rows at random, a few of each
 * value.  But a condition on the column itself takes all rows of a few values.
 */
static double
values_let_through(PlannerInfo *root, Var *var, List *further)
{
	RelOptInfo *relation = base_relation(root, var->varno);
	VariableStatData column;
	AttStatsSlot slot;
	List	   *conditions = list_concat(conditions_on(relation->baserestrictinfo, var),
										 conditions_on(further, var));
	double		ndistinct;
	double		most_common = 0.0;
	bool		is_guess;

	if (conditions == NIL)
		return INFINITY;

	examine_variable(root, (Node *) var, 0, &column);
	ndistinct = get_variable_numdistinct(&column, &is_guess);

	/*
	 * a share of the rows of partitions, which have met the conditions
	 * already
	 */
	if (planner_rt_fetch(var->varno, root)->inh &&
		!(HeapTupleIsValid(column.statsTuple) &&
		  ((Form_pg_statistic) GETSTRUCT(column.statsTuple))->stadistinct > 0.0))
		is_guess = true;
	if (HeapTupleIsValid(column.statsTuple) &&
		get_attstatsslot(&slot, column.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers > 0)
			most_common = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(column);
	if (is_guess || most_common * ndistinct > MAX_SKEW)
		return INFINITY;
	return ndistinct * clauselist_selectivity(root, conditions, 0, JOIN_INNER, NULL);
}

/* Rows of the relation that has everything in FROM and WHERE; 0: not known. */
static double
rows_of_query(PlannerInfo *root)
{
	Relids		relids = blt_all_relids(root);
	RelOptInfo *relation = NULL;
	int			relid;

	if (bms_get_singleton_member(relids, &relid))
		relation = base_relation(root, relid);
	else if (!bms_is_empty(relids))
		relation = find_join_rel(root, relids);
	return relation != NULL ? relation->rows : 0.0;
}

/* How many of the values that rows have are in a random share of the rows? */
static double
values_in_share(double values, double rows, double share)
{
	CLAMP_PROBABILITY(share);
	return share < 1.0 ? values * (1.0 - pow(1.0 - share, rows / values)) : values;
}

/* Count the keys of the filter; false if that cannot be done. */
static bool
count_keys(PlannerInfo *root, Aggref *aggregate, PlannedFilter *filter)
{
	Query	   *query = root->parse;
	Node	   *value = (Node *) ((TargetEntry *) linitial(aggregate->args))->expr;
	List	   *conditions = make_ands_implicit(aggregate->aggfilter);
	double		rows = rows_of_query(root);
	EstimationInfo info;
	ListCell   *cell;

	if (rows <= 0.0 || query->groupingSets != NIL)
		return false;
	foreach(cell, blt_variables(value))
	{
		if (base_relation(root, ((Var *) lfirst(cell))->varno) == NULL)
			return false;
	}

	filter->all_keys = estimate_num_groups(root, list_make1(value), rows, NULL, &info);
	filter->is_limit = (info.flags & SELFLAG_USED_DEFAULT) != 0;
	if (filter->is_limit)
		filter->all_keys = rows;
	else if (IsA(value, Var))
		filter->all_keys = clamp_row_est(Min(filter->all_keys,
											 values_let_through(root, (Var *) value, NULL)));
	filter->keys = filter->all_keys;

	if (query->groupClause != NIL)
	{
		List	   *columns = get_sortgrouplist_exprs(query->groupClause, query->targetList);
		double		share = 1.0 / estimate_num_groups(root, columns, rows, NULL, NULL);

		/* all rows of a key are in one group, or in any */
		if (IsA(value, Var) && is_of_variable((Node *) columns, (Var *) value))
			filter->keys *= share;
		else
			filter->keys = values_in_share(filter->keys, rows, share);
		filter->keys = clamp_row_est(filter->keys);
		rows = Max(rows * share, filter->keys);
	}
	if (conditions != NIL)
	{
		filter->keys = values_in_share(filter->keys, rows,
									   clauselist_selectivity(root, conditions, 0,
															  JOIN_INNER, NULL));
		if (IsA(value, Var) && !filter->is_limit)
			filter->keys = Min(filter->keys,
							   values_let_through(root, (Var *) value, conditions));
	}
	return true;
}

bool
blt_plan_filter(PlannerInfo *root, Node *node, PlannedFilter *filter)
{
	Aggref	   *aggregate;
	BbfKind		kind;

	if (root == NULL || root->glob == NULL)
		return false;
	while (node != NULL && !IsA(node, Aggref))
		node = origin(&root, node);
	if (node == NULL)
		return false;

	aggregate = (Aggref *) node;
	if (aggregate->agglevelsup > 0 || aggregate->args == NIL ||
		aggregate->aggkind != AGGKIND_NORMAL)
		return false;
	kind = kind_of_aggregate(aggregate->aggfnoid);
	if (kind == BBF_KIND_ANY || !count_keys(root, aggregate, filter))
		return false;
	filter->fpp = expected_fpp(root, aggregate, kind, filter->keys);
	return true;
}
