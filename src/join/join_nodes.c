/*
 * join_nodes.c
 *	  What BloomtypeBuild and BloomtypeProbe have in common.
 */
#include "compat.h"

#include "join/join_nodes.h"

#include BLT_EXPLAIN_FORMAT_HEADER
#include "executor/executor.h"
#include "join/join_node_plans.h"
#include "utils/ruleutils.h"

void
blt_join_begin_child(CustomScanState *node, EState *estate, int eflags)
{
	PlanState  *ps = &node->ss.ps;

	outerPlanState(ps) = ExecInitNode(outerPlan(ps->plan), estate, eflags);
	ps->resultops = ExecGetResultSlotOps(outerPlanState(ps), &ps->resultopsfixed);
	ps->resultopsset = true;
}

void
blt_join_end_child(CustomScanState *node)
{
	ExecEndNode(outerPlanState(node));
}

void
blt_join_rescan_child(CustomScanState *node)
{
	/* otherwise that happens when the child is run */
	if (outerPlanState(node)->chgParam == NULL)
		ExecReScan(outerPlanState(node));
}

/* The key of a filter as text, such as `f.a' or `(f.a, f.b)' */
static char *
key_text(CustomScanState *node, List *ancestors, ExplainState *es, List *keys)
{
	Plan	   *plan = node->ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, plan, ancestors);
	bool		prefix = list_length(es->rtable) > 1 || es->verbose;
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, keys)
	{
		AttrNumber	column = (AttrNumber) linitial_int((List *) lfirst(cell));
		TargetEntry *entry = list_nth_node(TargetEntry, plan->targetlist, column - 1);

		if (text.len > 0)
			appendStringInfoString(&text, ", ");
		appendStringInfoString(&text, deparse_expression((Node *) entry->expr, context, prefix,
														 false));
	}
	return list_length(keys) == 1 ? text.data : psprintf("(%s)", text.data);
}

void
blt_join_explain_keys(CustomScanState *node, List *ancestors, ExplainState *es)
{
	List	   *texts = NIL;
	ListCell   *cell;

	foreach(cell, blt_join_node_filters(node))
		texts = lappend(texts, key_text(node, ancestors, es, ((JoinNodeFilter *) lfirst(cell))->keys));
	ExplainPropertyList("Runtime Filter Keys", texts, es);
}
