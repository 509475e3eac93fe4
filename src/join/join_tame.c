/*
 * join_tame.c
 *	  Searches plans for volatile functions, and for nodes whose result may differ
 *	  when they run again.
 *
 * The lists of nodes are lists of what is allowed.
 */
#include "compat.h"

#include "join/join_tame.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

/*
 * A search, which ends where something is not tame: so no sub-plan is searched twice.
 * Else, of CTEs each of which reads the one before twice, each would double the time.
 */
typedef struct PlanSearch
{
	PlannedStmt *stmt;
	Bitmapset  *seen[2];		/* numbers of sub-plans, as searched: repeatable or not */
} PlanSearch;

static bool plan_is_tame(PlanSearch *search, Plan *plan, bool repeatable);

static bool
subplan_is_tame(PlanSearch *search, int number, bool repeatable)
{
	if (bms_is_member(number, search->seen[repeatable]))
		return true;
	search->seen[repeatable] = bms_add_member(search->seen[repeatable], number);
	return plan_is_tame(search, list_nth(search->stmt->subplans, number - 1), repeatable);
}

static bool
has_wild_subplan(Node *node, void *search)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan) && !subplan_is_tame(search, ((SubPlan *) node)->plan_id, false))
		return true;
	return expression_tree_walker(node, has_wild_subplan, search);
}

static bool
expression_is_tame(PlanSearch *search, Node *expression)
{
	return !contain_volatile_functions(expression) && !has_wild_subplan(expression, search);
}

static bool
all_are_tame(PlanSearch *search, List *plans, bool repeatable)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (!plan_is_tame(search, lfirst(cell), repeatable))
			return false;
	}
	return true;
}

/* The same for expressions that only a node of this type has */
static bool
own_expressions_are_tame(PlanSearch *search, Plan *plan)
{
#define TAME(expression) expression_is_tame(search, (Node *) (expression))
	switch (nodeTag(plan))
	{
		case T_IndexScan:
			return TAME(((IndexScan *) plan)->indexqual) &&
				TAME(((IndexScan *) plan)->indexorderby);
		case T_IndexOnlyScan:
			return TAME(((IndexOnlyScan *) plan)->indexqual) &&
				TAME(((IndexOnlyScan *) plan)->indexorderby);
		case T_BitmapIndexScan:
			return TAME(((BitmapIndexScan *) plan)->indexqual);
		case T_TidScan:
			return TAME(((TidScan *) plan)->tidquals);
		case T_TidRangeScan:
			return TAME(((TidRangeScan *) plan)->tidrangequals);
		case T_FunctionScan:
			return TAME(((FunctionScan *) plan)->functions);
		case T_ValuesScan:
			return TAME(((ValuesScan *) plan)->values_lists);
		case T_Result:
			return TAME(((Result *) plan)->resconstantqual);
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			/* the clauses are operators of the server's catalogs on any expressions */
			return TAME(((Join *) plan)->joinqual) &&
				(!IsA(plan, MergeJoin) || TAME(((MergeJoin *) plan)->mergeclauses)) &&
				(!IsA(plan, HashJoin) || TAME(((HashJoin *) plan)->hashclauses));
		case T_Memoize:
			return TAME(((Memoize *) plan)->param_exprs);
		case T_Limit:
			return TAME(((Limit *) plan)->limitOffset) && TAME(((Limit *) plan)->limitCount);
		case T_WindowAgg:
			return TAME(((WindowAgg *) plan)->startOffset) &&
				TAME(((WindowAgg *) plan)->endOffset);
		default:
			return true;
	}
#undef TAME
}

/* Plans below a node that are neither its left nor its right one */
static bool
other_children_are_tame(PlanSearch *search, Plan *plan, bool repeatable)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			return all_are_tame(search, ((Append *) plan)->appendplans, repeatable);
		case T_MergeAppend:
			return all_are_tame(search, ((MergeAppend *) plan)->mergeplans, repeatable);
		case T_BitmapAnd:
			return all_are_tame(search, ((BitmapAnd *) plan)->bitmapplans, repeatable);
		case T_BitmapOr:
			return all_are_tame(search, ((BitmapOr *) plan)->bitmapplans, repeatable);
		case T_SubqueryScan:
			return plan_is_tame(search, ((SubqueryScan *) plan)->subplan, repeatable);
		case T_CteScan:
			return subplan_is_tame(search, ((CteScan *) plan)->ctePlanId, repeatable);
		default:
			return true;
	}
}

static bool
is_known(Plan *plan, bool repeatable)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_BitmapIndexScan:
		case T_BitmapAnd:
		case T_BitmapOr:
		case T_TidScan:
		case T_TidRangeScan:
		case T_SubqueryScan:
		case T_FunctionScan:
		case T_ValuesScan:
		case T_Append:
		case T_MergeAppend:
		case T_Result:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
		case T_Hash:
		case T_Material:
		case T_Memoize:
		case T_Sort:
		case T_IncrementalSort:
		case T_Gather:
		case T_GatherMerge:
			return true;
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_SetOp:
		case T_WindowAgg:
		case T_Limit:
		case T_CteScan:
			/* may depend on the order of rows, or on how many of them are wanted */
			return !repeatable;
		default:
			return false;
	}
}

static bool
plan_is_tame(PlanSearch *search, Plan *plan, bool repeatable)
{
	ListCell   *cell;

	if (plan == NULL)
		return true;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (!is_known(plan, repeatable))
		return false;
	foreach(cell, plan->initPlan)
	{
		if (has_wild_subplan(lfirst(cell), search))
			return false;
	}
	return expression_is_tame(search, (Node *) plan->targetlist) &&
		expression_is_tame(search, (Node *) plan->qual) &&
		own_expressions_are_tame(search, plan) &&
		other_children_are_tame(search, plan, repeatable) &&
		plan_is_tame(search, plan->lefttree, repeatable) &&
		plan_is_tame(search, plan->righttree, repeatable);
}

bool
blt_join_expression_is_tame(PlannedStmt *stmt, Node *expression)
{
	return expression_is_tame(&(PlanSearch) {.stmt = stmt}, expression);
}

bool
blt_join_plan_is_tame(PlannedStmt *stmt, Plan *plan, bool repeatable)
{
	return plan_is_tame(&(PlanSearch) {.stmt = stmt}, plan, repeatable);
}
