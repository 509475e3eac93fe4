/*
 * join_nodes.c
 *	  What BloomtypeBuild and BloomtypeProbe have in common.
 *
 * In plans, custom_private begins with JOIN_FILTER_FORMAT, in all releases.  A
 * list of filters follows, each of which is a list: its number and the
 * expected one, the keys, and the bounds.
 */
#include "compat.h"

#include <limits.h>

#include "join/join_nodes.h"

#include BLT_EXPLAIN_FORMAT_HEADER
#include "executor/executor.h"
#include "join/join_shared_filter.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "utils/ruleutils.h"

/*
 * The target lists of a node that returns what its child returns: of its rows,
 * and of those of the child
 */
static void
set_target_lists(CustomScan *scan, Plan *child)
{
	ListCell   *cell;

	foreach(cell, child->targetlist)
	{
		TargetEntry *entry = flatCopyTargetEntry(lfirst_node(TargetEntry, cell));
		TargetEntry *of_child = flatCopyTargetEntry(entry);
		Var		   *column = makeVarFromTargetEntry(INDEX_VAR, entry);
		Var		   *column_of_child = makeNode(Var);

		*column_of_child = *column;
		column_of_child->varno = OUTER_VAR;
		entry->expr = (Expr *) column;
		of_child->expr = (Expr *) column_of_child;
		scan->scan.plan.targetlist = lappend(scan->scan.plan.targetlist, entry);
		scan->custom_scan_tlist = lappend(scan->custom_scan_tlist, of_child);
	}
}

/*
 * EXPLAIN considers a node disabled if it has more disabled nodes than the
 * nodes below it.  Below a CustomScan, it counts only custom_plans, so a node
 * that is never run is put there.
 */
static void
copy_disabled_nodes(CustomScan *scan, Plan *child)
{
	Plan	   *stand_in;

	if (!blt_has_disabled_nodes(child))
		return;
	stand_in = (Plan *) makeNode(Result);
	blt_copy_disabled_nodes(stand_in, child);
	blt_copy_disabled_nodes(&scan->scan.plan, child);
	scan->custom_plans = list_make1(stand_in);
}

/* The planner is done: what it does last is done here. */
CustomScan *
blt_join_make_node(Plan *child, const CustomScanMethods *methods)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *plan = &scan->scan.plan;

	plan->startup_cost = child->startup_cost;
	plan->total_cost = child->total_cost;
	plan->plan_rows = child->plan_rows;
	plan->plan_width = child->plan_width;
	copy_disabled_nodes(scan, child);
	plan->parallel_safe = child->parallel_safe;
	set_target_lists(scan, child);
	plan->lefttree = child;
	plan->extParam = bms_copy(child->extParam);
	plan->allParam = bms_copy(child->extParam);
	scan->custom_private = list_make2(makeInteger(JOIN_FILTER_FORMAT), NIL);
	scan->methods = methods;
	return scan;
}

void
blt_join_add_node_filter(CustomScan *scan, const JoinNodeFilter *filter)
{
	ListCell   *filters = list_second_cell(scan->custom_private);
	int			expected = (int) Min(filter->expected, INT_MAX);

	lfirst(filters) = lappend(lfirst(filters), list_make3(list_make2_int(filter->number, expected),
														  filter->keys, filter->bounds));
}

List *
blt_join_node_filters(CustomScanState *node)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List	   *filters = NIL;
	ListCell   *cell;

	if (intVal(linitial(scan->custom_private)) != JOIN_FILTER_FORMAT)
		return NIL;
	foreach(cell, (List *) lsecond(scan->custom_private))
	{
		List	   *parts = lfirst(cell);
		JoinNodeFilter *filter = palloc(sizeof(JoinNodeFilter));

		filter->number = linitial_int((List *) linitial(parts));
		filter->expected = lsecond_int((List *) linitial(parts));
		filter->keys = lsecond(parts);
		filter->bounds = lthird(parts);
		filters = lappend(filters, filter);
	}
	return filters;
}

/*
 * While a query runs
 */

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
