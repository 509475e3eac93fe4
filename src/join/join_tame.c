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

static bool
has_wild_subplan(Node *node, void *stmt)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubPlan))
	{
		SubPlan    *subplan = (SubPlan *) node;
		Plan	   *plan = list_nth(((PlannedStmt *) stmt)->subplans, subplan->plan_id - 1);

		if (!blt_join_plan_is_tame(stmt, plan, false))
			return true;
	}
	return expression_tree_walker(node, has_wild_subplan, stmt);
}

bool
blt_join_expression_is_tame(PlannedStmt *stmt, Node *expression)
{
	return !contain_volatile_functions(expression) && !has_wild_subplan(expression, stmt);
}

static bool
all_are_tame(PlannedStmt *stmt, List *plans, bool repeatable)
{
	ListCell   *cell;

	foreach(cell, plans)
	{
		if (!blt_join_plan_is_tame(stmt, lfirst(cell), repeatable))
			return false;
	}
	return true;
}

/* The same for expressions that only a node of this type has */
static bool
own_expressions_are_tame(PlannedStmt *stmt, Plan *plan)
{
#define TAME(expression) blt_join_expression_is_tame(stmt, (Node *) (expression))
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
other_children_are_tame(PlannedStmt *stmt, Plan *plan, bool repeatable)
{
	switch (nodeTag(plan))
	{
		case T_Append:
			return all_are_tame(stmt, ((Append *) plan)->appendplans, repeatable);
		case T_MergeAppend:
			return all_are_tame(stmt, ((MergeAppend *) plan)->mergeplans, repeatable);
		case T_BitmapAnd:
			return all_are_tame(stmt, ((BitmapAnd *) plan)->bitmapplans, repeatable);
		case T_BitmapOr:
			return all_are_tame(stmt, ((BitmapOr *) plan)->bitmapplans, repeatable);
		case T_SubqueryScan:
			return blt_join_plan_is_tame(stmt, ((SubqueryScan *) plan)->subplan, repeatable);
		case T_CteScan:
			return blt_join_plan_is_tame(stmt, list_nth(stmt->subplans,
														((CteScan *) plan)->ctePlanId - 1),
										 repeatable);
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

bool
blt_join_plan_is_tame(PlannedStmt *stmt, Plan *plan, bool repeatable)
{
	ListCell   *cell;

	if (plan == NULL)
		return true;
	check_stack_depth();
	if (!is_known(plan, repeatable))
		return false;
	foreach(cell, plan->initPlan)
	{
		if (has_wild_subplan(lfirst(cell), stmt))
			return false;
	}
	return blt_join_expression_is_tame(stmt, (Node *) plan->targetlist) &&
		blt_join_expression_is_tame(stmt, (Node *) plan->qual) &&
		own_expressions_are_tame(stmt, plan) &&
		other_children_are_tame(stmt, plan, repeatable) &&
		blt_join_plan_is_tame(stmt, plan->lefttree, repeatable) &&
		blt_join_plan_is_tame(stmt, plan->righttree, repeatable);
}
