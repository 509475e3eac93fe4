/*
 * plan_nodes.c
 *	  The table of the types of plan nodes.
 *
 * What the server does with a node was read in its sources, for each major
 * version.  A test compares the names with plannodes.h of each.
 */
#include "compat.h"

#include "join/plan_nodes.h"

#define AT(type, member) offsetof(type, member)
#define JOIN_CLAUSES AT(Join, joinqual)

static const JoinPlanNode nodes[] = {

	/* Scans */
	[T_SeqScan] = {.rows = ROWS_OF_TABLE,.flags = PLAN_REPEATS | PLAN_READS_SNAPSHOT},
	[T_SampleScan] = {.rows = ROWS_OF_TABLE,.expressions = {AT(SampleScan, tablesample)}},
	[T_IndexScan] = {.rows = ROWS_OF_TABLE,.flags = PLAN_REPEATS | PLAN_READS_SNAPSHOT,
		.expressions = {AT(IndexScan, indexqual), AT(IndexScan, indexorderby)},
	.conditions = AT(IndexScan, indexqualorig),.index = AT(IndexScan, indexid)},
	[T_IndexOnlyScan] = {.rows = ROWS_OF_TABLE,.flags = PLAN_REPEATS | PLAN_READS_SNAPSHOT,
		.expressions = {AT(IndexOnlyScan, indexqual), AT(IndexOnlyScan, indexorderby)},
	.index = AT(IndexOnlyScan, indexid)},
	[T_BitmapHeapScan] = {.rows = ROWS_OF_TABLE,.flags = PLAN_REPEATS | PLAN_READS_SNAPSHOT,
	.conditions = AT(BitmapHeapScan, bitmapqualorig)},
	[T_BitmapIndexScan] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS,
	.expressions = {AT(BitmapIndexScan, indexqual)},.index = AT(BitmapIndexScan, indexid)},
	[T_BitmapAnd] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS,.children = AT(BitmapAnd, bitmapplans)},
	[T_BitmapOr] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS,.children = AT(BitmapOr, bitmapplans)},
	[T_TidScan] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_READS_SNAPSHOT,.expressions = {AT(TidScan, tidquals)}},
	[T_TidRangeScan] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_READS_SNAPSHOT,
	.expressions = {AT(TidRangeScan, tidrangequals)}},
	[T_SubqueryScan] = {.rows = ROWS_OF_SUBQUERY,.flags = PLAN_REPEATS},
	[T_FunctionScan] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS,.expressions = {AT(FunctionScan, functions)}},
	[T_ValuesScan] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS,.expressions = {AT(ValuesScan, values_lists)}},
	[T_TableFuncScan] = {.rows = ROWS_OWN},
	[T_CteScan] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_NamedTuplestoreScan] = {.rows = ROWS_OWN},
	[T_WorkTableScan] = {.rows = ROWS_OWN},
	[T_ForeignScan] = {.rows = ROWS_OWN,.flags = PLAN_IS_FOREIGN},
	[T_CustomScan] = {.rows = ROWS_OWN,.flags = PLAN_IS_FOREIGN,.children = AT(CustomScan, custom_plans)},

	/* Joins; their clauses are operators of the server on any expressions */
	[T_NestLoop] = {.rows = ROWS_OF_SIDES,.flags = PLAN_REPEATS | PLAN_RUNS_AGAIN,.expressions = {JOIN_CLAUSES}},
	[T_MergeJoin] = {.rows = ROWS_OF_SIDES,.flags = PLAN_REPEATS,
	.expressions = {AT(MergeJoin, mergeclauses), JOIN_CLAUSES}},
	[T_HashJoin] = {.rows = ROWS_OF_SIDES,.flags = PLAN_REPEATS,
	.expressions = {AT(HashJoin, hashclauses), JOIN_CLAUSES, AT(HashJoin, hashkeys)}},

	/* What passes rows on */
	[T_Hash] = {.rows = ROWS_OF_CHILD,.flags = PLAN_REPEATS | PLAN_READS_AHEAD},
	[T_Sort] = {.rows = ROWS_OF_CHILD,.flags = PLAN_REPEATS | PLAN_READS_AHEAD},
	[T_IncrementalSort] = {.rows = ROWS_OF_CHILD,.flags = PLAN_REPEATS},
	[T_Material] = {.rows = ROWS_OF_CHILD,.flags = PLAN_REPEATS},
	[T_Memoize] = {.rows = ROWS_KEPT_OF_CHILD,.flags = PLAN_REPEATS,.expressions = {AT(Memoize, param_exprs)}},
	[T_Result] = {.rows = ROWS_KEPT_OF_CHILD,.flags = PLAN_REPEATS,.expressions = {AT(Result, resconstantqual)}},
	[T_Append] = {.rows = ROWS_OF_LIST,.flags = PLAN_REPEATS,.children = AT(Append, appendplans)},
	[T_MergeAppend] = {.rows = ROWS_OF_LIST,.flags = PLAN_REPEATS,.children = AT(MergeAppend, mergeplans)},
	[T_Gather] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_RUNS_IN_PROCESSES,
	.signal = AT(Gather, rescan_param)},
	[T_GatherMerge] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_RUNS_IN_PROCESSES,
	.signal = AT(GatherMerge, rescan_param)},

	/* What depends on other rows */
	[T_Agg] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_Group] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_Unique] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_SetOp] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_WindowAgg] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER,
	.expressions = {AT(WindowAgg, startOffset), AT(WindowAgg, endOffset)}},
	[T_Limit] = {.rows = ROWS_OWN,.flags = PLAN_REPEATS | PLAN_MINDS_ORDER,
	.expressions = {AT(Limit, limitOffset), AT(Limit, limitCount)}},
	[T_RecursiveUnion] = {.rows = ROWS_OWN,.flags = PLAN_RUNS_AGAIN},

	/* What does more than return rows, or returns several for one */
	[T_ProjectSet] = {.rows = ROWS_OWN},
	[T_LockRows] = {.rows = ROWS_OWN,.signal = AT(LockRows, epqParam)},
	[T_ModifyTable] = {.rows = ROWS_OWN,.signal = AT(ModifyTable, epqParam)},
};

const JoinPlanNode *
blt_join_plan_node(Plan *plan)
{
	static const JoinPlanNode unknown = {.rows = ROWS_OWN};

	return (Size) nodeTag(plan) < lengthof(nodes) ? &nodes[nodeTag(plan)] : &unknown;
}

Node *
blt_join_own_expressions(Plan *plan)
{
	const JoinPlanNode *node = blt_join_plan_node(plan);
	List	   *expressions = NIL;

	for (Size i = 0; i < lengthof(node->expressions) && node->expressions[i] != 0; i++)
		expressions = lappend(expressions, BLT_JOIN_MEMBER(Node *, plan, node->expressions[i]));
	return (Node *) expressions;
}

List *
blt_join_other_links(Plan *plan)
{
	const JoinPlanNode *node = blt_join_plan_node(plan);
	List	   *links = NIL;
	ListCell   *cell;

	if (node->rows == ROWS_OF_SUBQUERY)
		links = list_make1(&((SubqueryScan *) plan)->subplan);
	foreach(cell, node->children == 0 ? NIL : BLT_JOIN_MEMBER(List *, plan, node->children))
		links = lappend(links, &lfirst(cell));
	return links;
}
