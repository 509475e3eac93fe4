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
	[T_SeqScan] = {ROWS_OF_TABLE, PLAN_REPEATS | PLAN_READS_SNAPSHOT},
	[T_SampleScan] = {ROWS_OF_TABLE},
	[T_IndexScan] = {ROWS_OF_TABLE, PLAN_REPEATS | PLAN_READS_SNAPSHOT,
		.expressions = {AT(IndexScan, indexqual), AT(IndexScan, indexorderby)},
	.conditions = AT(IndexScan, indexqualorig),.index = AT(IndexScan, indexid)},
	[T_IndexOnlyScan] = {ROWS_OF_TABLE, PLAN_REPEATS | PLAN_READS_SNAPSHOT,
		.expressions = {AT(IndexOnlyScan, indexqual), AT(IndexOnlyScan, indexorderby)},
	.index = AT(IndexOnlyScan, indexid)},
	[T_BitmapHeapScan] = {ROWS_OF_TABLE, PLAN_REPEATS | PLAN_READS_SNAPSHOT,
	.conditions = AT(BitmapHeapScan, bitmapqualorig)},
	[T_BitmapIndexScan] = {ROWS_OWN, PLAN_REPEATS,
	.expressions = {AT(BitmapIndexScan, indexqual)},.index = AT(BitmapIndexScan, indexid)},
	[T_BitmapAnd] = {ROWS_OWN, PLAN_REPEATS,.children = AT(BitmapAnd, bitmapplans)},
	[T_BitmapOr] = {ROWS_OWN, PLAN_REPEATS,.children = AT(BitmapOr, bitmapplans)},
	[T_TidScan] = {ROWS_OWN, PLAN_REPEATS | PLAN_READS_SNAPSHOT,.expressions = {AT(TidScan, tidquals)}},
	[T_TidRangeScan] = {ROWS_OWN, PLAN_REPEATS | PLAN_READS_SNAPSHOT,
	.expressions = {AT(TidRangeScan, tidrangequals)}},
	[T_SubqueryScan] = {ROWS_OF_SUBQUERY, PLAN_REPEATS,.child = AT(SubqueryScan, subplan)},
	[T_FunctionScan] = {ROWS_OWN, PLAN_REPEATS,.expressions = {AT(FunctionScan, functions)}},
	[T_ValuesScan] = {ROWS_OWN, PLAN_REPEATS,.expressions = {AT(ValuesScan, values_lists)}},
	[T_TableFuncScan] = {ROWS_OWN},
	[T_CteScan] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_NamedTuplestoreScan] = {ROWS_OWN},
	[T_WorkTableScan] = {ROWS_OWN},
	[T_ForeignScan] = {ROWS_OWN, PLAN_IS_FOREIGN},
	[T_CustomScan] = {ROWS_OWN, PLAN_IS_FOREIGN,.children = AT(CustomScan, custom_plans)},

	/* Joins; their clauses are operators of the server on any expressions */
	[T_NestLoop] = {ROWS_OF_SIDES, PLAN_REPEATS | PLAN_RUNS_AGAIN,.expressions = {JOIN_CLAUSES}},
	[T_MergeJoin] = {ROWS_OF_SIDES, PLAN_REPEATS,
	.expressions = {AT(MergeJoin, mergeclauses), JOIN_CLAUSES}},
	[T_HashJoin] = {ROWS_OF_SIDES, PLAN_REPEATS,
	.expressions = {AT(HashJoin, hashclauses), JOIN_CLAUSES, AT(HashJoin, hashkeys)}},

	/* What passes rows on */
	[T_Hash] = {ROWS_OF_CHILD, PLAN_REPEATS | PLAN_READS_AHEAD},
	[T_Sort] = {ROWS_OF_CHILD, PLAN_REPEATS | PLAN_READS_AHEAD},
	[T_IncrementalSort] = {ROWS_OF_CHILD, PLAN_REPEATS},
	[T_Material] = {ROWS_OF_CHILD, PLAN_REPEATS},
	[T_Memoize] = {ROWS_KEPT_OF_CHILD, PLAN_REPEATS,.expressions = {AT(Memoize, param_exprs)}},
	[T_Result] = {ROWS_KEPT_OF_CHILD, PLAN_REPEATS,.expressions = {AT(Result, resconstantqual)}},
	[T_Append] = {ROWS_OF_LIST, PLAN_REPEATS,.children = AT(Append, appendplans)},
	[T_MergeAppend] = {ROWS_OF_LIST, PLAN_REPEATS,.children = AT(MergeAppend, mergeplans)},
	[T_Gather] = {ROWS_OWN, PLAN_REPEATS | PLAN_RUNS_IN_PROCESSES,
	.signal = AT(Gather, rescan_param)},
	[T_GatherMerge] = {ROWS_OWN, PLAN_REPEATS | PLAN_RUNS_IN_PROCESSES,
	.signal = AT(GatherMerge, rescan_param)},

	/* What depends on other rows */
	[T_Agg] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_Group] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_Unique] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_SetOp] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER},
	[T_WindowAgg] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER,
	.expressions = {AT(WindowAgg, startOffset), AT(WindowAgg, endOffset)}},
	[T_Limit] = {ROWS_OWN, PLAN_REPEATS | PLAN_MINDS_ORDER,
	.expressions = {AT(Limit, limitOffset), AT(Limit, limitCount)}},
	[T_RecursiveUnion] = {ROWS_OWN, PLAN_RUNS_AGAIN},

	/* What does more than return rows, or returns several for one */
	[T_ProjectSet] = {ROWS_OWN},
	[T_LockRows] = {ROWS_OWN,.signal = AT(LockRows, epqParam)},
	[T_ModifyTable] = {ROWS_OWN,.signal = AT(ModifyTable, epqParam)},
};

const JoinPlanNode *
blt_join_plan_node(Plan *plan)
{
	static const JoinPlanNode unknown = {ROWS_OWN};

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

	if (node->child != 0)
		links = list_make1(&BLT_JOIN_MEMBER(Plan *, plan, node->child));
	foreach(cell, node->children == 0 ? NIL : BLT_JOIN_MEMBER(List *, plan, node->children))
		links = lappend(links, &lfirst(cell));
	return links;
}
