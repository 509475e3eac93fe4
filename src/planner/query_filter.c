/*
 * query_filter.c
 *	  Follows a filter to the aggregate that makes it, and counts its keys.
 *
 * Sub-selects are planned before the conditions that use their results.
 * While a query is planned, the state of each is kept: of one that runs once,
 * and of a WITH query, in PlannerGlobal.subroots; of one in FROM in its
 * relation.  The parse tree there has the aggregate.  Its plan would not do:
 * a partial one knows the rows of one worker only.
 *
 * How many distinct keys there are in the rows that the aggregate reads is
 * estimated as for GROUP BY, except that conditions on the key itself are
 * known to take all rows of some keys.
 */
#include "compat.h"

#include "planner/query_filter.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "core/image.h"
#include "external/external_estimate.h"
#include "filter/filter_parameters.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/expression.h"
#include "planner/value_statistics.h"
#include "types/sql_functions.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/*
 * A filter that sizes itself by this many keys has the rate that was given,
 * if the table of kinds says so.  That of one of few keys is lower: the
 * number of its bins is rounded up.
 */
#define PRECISELY_SIZED		10000

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
 * The sub-select in FROM, or in WITH, of which this is a column; or null.  As
 * in examine_simple_variable, nothing is learned through the barrier of a
 * view.
 */
static PlannerInfo *
sub_select_of_variable(PlannerInfo *root, const Var *var)
{
	RangeTblEntry *entry = blt_range_table_entry(root, var);
	RelOptInfo *relation = blt_base_relation(root, var->varno);

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
 * The expression from which this one has its keys, one step nearer to where
 * they come from; null if that is not known.  Sets the query of which it is a
 * part.
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

/*
 * The aggregate that an expression is the result of; or null.  Sets the query
 * of which it is a part.
 */
static Aggref *
find_aggregate(PlannerInfo **root, Node *filter)
{
	Aggref	   *aggregate;

	while (*root != NULL && (*root)->glob != NULL && filter != NULL && !IsA(filter, Aggref))
		filter = origin(root, filter);

	aggregate = (Aggref *) filter;
	if (*root == NULL || aggregate == NULL || !IsA(aggregate, Aggref) ||
		aggregate->agglevelsup > 0 || aggregate->args == NIL ||
		aggregate->aggkind != AGGKIND_NORMAL || (*root)->parse->groupClause != NIL ||
		(*root)->parse->groupingSets != NIL)
		return NULL;
	return aggregate;
}

/*
 * Is this an aggregate that makes filters, in whatever form?  It is known by
 * its final function.
 */
static bool
makes_filters(Oid oid, FilterNumbers *numbers)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	FmgrInfo	final;

	if (!HeapTupleIsValid(tuple))
		return false;
	final.fn_oid = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (!OidIsValid(final.fn_oid))
		return false;

	fmgr_info(final.fn_oid, &final);
	for (int kind = BBF_KIND_BLOOM; kind <= BBF_KIND_MAX; kind++)
	{
		if (final.fn_addr == blt_final_functions[kind])
		{
			numbers->is_external = false;
			numbers->kind = (BbfKind) kind;
			return true;
		}
	}
	numbers->is_external = true;
	return final.fn_addr == bloomtype_external_agg_final;
}

/*
 * The constant of a type that an argument of an aggregate is; null if it is
 * none, or null.
 */
static Const *
constant_argument(PlannerInfo *root, Aggref *aggregate, int argno, Oid type)
{
	TargetEntry *argument = list_nth_node(TargetEntry, aggregate->args, argno);
	Const	   *value = (Const *) estimate_expression_value(root, (Node *) argument->expr);

	return IsA(value, Const) && !value->constisnull && value->consttype == type ? value : NULL;
}

/* The same as a number; 0 if there is none. */
static double
number_argument(PlannerInfo *root, Aggref *aggregate, int argno)
{
	Const	   *constant = constant_argument(root, aggregate, argno, FLOAT8OID);

	return constant != NULL ? DatumGetFloat8(constant->constvalue) : 0.0;
}

/*
 * The rate of the filter that an aggregate makes of a number of keys, by
 * (value, fpp), (value, capacity, fpp) or the value alone.  Arguments that
 * are not constant are taken for their defaults.
 */
static double
expected_fpp(PlannerInfo *root, Aggref *aggregate, BbfKind kind, double keys)
{
	const BbfKindRoutine *routine = bbf_kind_routine(kind);
	int			last = list_length(aggregate->args) - 1;
	double		fpp = last > 0 ? number_argument(root, aggregate, last) : 0.0;
	double		capacity = last > 1 ? number_argument(root, aggregate, 1) : 0.0;
	BbfGeometry geometry;

	if (!(fpp > 0.0 && fpp < 1.0))
		fpp = BLT_DEFAULT_FPP;

	/* an exact list, or nothing */
	if (keys <= (bbf_has_trait(routine, BBF_TRAIT_LIST) ? BBF_MAX_LIST : 0))
		return 0.0;
	if (!(capacity >= 1.0) && keys >= PRECISELY_SIZED && bbf_has_trait(routine, BBF_TRAIT_MEETS_FPP))
		return fpp;
	capacity = capacity >= 1.0 ?
		bbf_first_capacity(kind, (int64) Min(capacity, BLT_MAX_CAPACITY), blt_default_growth(kind)) :
		Min(keys, BLT_MAX_CAPACITY);
	geometry = blt_find_geometry(kind, (uint64) capacity, fpp, BLT_UNCHECKED);

	/* one that is too large is an error when it is made */
	if (geometry.key_bits == 0 ||
		bbf_geometry_bytes(routine, &geometry) > (double) BBF_MAX_BYTES)
		return fpp;
	return routine->fpp_of_keys(&geometry, keys);
}

/* The same of external_bloom_agg (value, format[, capacity], parameter). */
static double
expected_external_fpp(PlannerInfo *root, Aggref *aggregate, double keys)
{
	int			last = list_length(aggregate->args) - 1;
	Const	   *format = constant_argument(root, aggregate, 1, TEXTOID);
	double		capacity = last > 2 ? number_argument(root, aggregate, 2) : 0.0;

	return format == NULL ? BLT_DEFAULT_FPP :
		blt_external_fpp(format->constvalue, number_argument(root, aggregate, last),
						 capacity >= 1.0 ? keys / capacity : 1.0);
}

/* Rows of the relation that has everything in FROM and WHERE; 0: not known. */
static double
rows_of_query(PlannerInfo *root)
{
	Relids		relids = blt_all_relids(root);
	RelOptInfo *relation = NULL;
	int			relid;

	if (bms_get_singleton_member(relids, &relid))
		relation = blt_base_relation(root, relid);
	else if (!bms_is_empty(relids))
		relation = find_join_rel(root, relids);
	return relation != NULL ? relation->rows : 0.0;
}

/*
 * Count the distinct values of an expression in the rows of a query.  Sets
 * *is_limit if it is not known how often they repeat: then there are at most
 * as many as rows.
 */
static double
count_values(PlannerInfo *root, Node *key, double rows, bool *is_limit)
{
	int			relid = IsA(key, Var) ? ((Var *) key)->varno : 0;
	double		tuples = relid > 0 ? blt_relation_tuples(root, relid) : -1.0;
	ValueStatistics statistics;
	EstimationInfo info;
	double		distinct;

	*is_limit = false;
	if (tuples >= 0.0 && blt_value_statistics(root, key, &statistics))
	{
		List	   *conditions = blt_base_relation(root, relid)->baserestrictinfo;
		double		met = clauselist_selectivity(root, conditions, 0, JOIN_INNER, NULL);

		if (statistics.distinct >= tuples || met <= 0.0)
			return rows;
		distinct = blt_values_left(root, key, statistics.distinct, tuples, conditions,
								   rows / (tuples * met));
		return Min(distinct, rows);
	}
	distinct = estimate_num_groups(root, list_make1(key), rows, NULL, &info);
	*is_limit = (info.flags & SELFLAG_USED_DEFAULT) != 0;
	return *is_limit ? rows : distinct;
}

/* Count the keys of the filter; false if that cannot be done. */
static bool
count_keys(PlannerInfo *root, Aggref *aggregate, FilterNumbers *numbers)
{
	Node	   *key = blt_without_casts((Node *) linitial_node(TargetEntry, aggregate->args)->expr);
	double		rows = rows_of_query(root);

	if (rows <= 0.0 || !blt_has_relations(root, key))
		return false;
	numbers->keys = count_values(root, key, rows, &numbers->keys_are_limit);
	if (aggregate->aggfilter != NULL)
		numbers->keys = blt_values_left(root, key, numbers->keys, rows,
										make_ands_implicit(aggregate->aggfilter), 1.0);
	numbers->keys = clamp_row_est(numbers->keys);
	return true;
}

bool
blt_estimate_query_filter(PlannerInfo *root, Node *filter, FilterNumbers *numbers)
{
	Aggref	   *aggregate = find_aggregate(&root, filter);

	if (aggregate == NULL || !makes_filters(aggregate->aggfnoid, numbers) ||
		!count_keys(root, aggregate, numbers))
		return false;
	numbers->fpp = numbers->is_external ?
		expected_external_fpp(root, aggregate, numbers->keys) :
		expected_fpp(root, aggregate, numbers->kind, numbers->keys);
	return true;
}
