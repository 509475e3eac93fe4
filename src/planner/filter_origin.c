/*
 * filter_origin.c
 *	  Follows a filter to the aggregate in the query that makes it.
 *
 * Sub-selects are planned before the conditions that use their results.
 * While a query is planned, the state of each is kept: of one that runs once,
 * and of a WITH query, in PlannerGlobal.subroots; of one in FROM in its
 * relation.  The parse tree there has the aggregate.  Its plan would not do:
 * a partial one knows the rows of one worker only.
 */
#include "compat.h"

#include "planner/filter_origin.h"

#include "catalog/pg_aggregate.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/expression.h"
#include "types/sql_functions.h"

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

Node *
blt_filter_origin(PlannerInfo **root, Node *filter)
{
	while (*root != NULL && (*root)->glob != NULL && !IsA(filter, Aggref))
	{
		PlannerInfo *query = *root;
		Node	   *nearer = origin(&query, filter);

		if (nearer == NULL)
			break;
		*root = query;
		filter = nearer;
	}
	return filter;
}

Aggref *
blt_filter_aggregate(PlannerInfo **root, Node *filter)
{
	Aggref	   *aggregate = (Aggref *) blt_filter_origin(root, filter);

	if (*root == NULL || !IsA(aggregate, Aggref) || aggregate->agglevelsup > 0 ||
		aggregate->args == NIL || aggregate->aggkind != AGGKIND_NORMAL)
		return NULL;
	return aggregate;
}

bool
blt_same_sub_select(PlannerInfo *root, Node *a, Node *b)
{
	PlannerInfo *query_a;
	PlannerInfo *query_b;

	if (!IsA(a, Param) || ((Param *) a)->paramkind != PARAM_EXEC ||
		!IsA(b, Param) || ((Param *) b)->paramkind != PARAM_EXEC)
		return false;
	query_a = sub_select_of_parameter(root, ((Param *) a)->paramid);
	query_b = sub_select_of_parameter(root, ((Param *) b)->paramid);
	return query_a != NULL && query_b != NULL && equal(query_a->parse, query_b->parse) &&
		!contain_volatile_functions((Node *) query_a->parse);
}
