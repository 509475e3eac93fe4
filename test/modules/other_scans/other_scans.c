/*
 * other_scans.c
 *	  A library with planner hooks and a CustomScan, as other extensions have them.
 *
 * The node OtherScan hands on the rows of its child, which is the left one or one of
 * custom_plans.  Nodes are numbered anew so that the child has the greatest number.
 *
 * When a query starts, two nodes of it with the same number are an error.
 */
#include "compat.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

static planner_hook_type previous_planner;
static set_join_pathlist_hook_type previous_join_pathlist;
static ExecutorStart_hook_type previous_start;
static char *table;				/* above whose sequential scans a node is put */
static char *hint;
static bool joins = false;		/* above hash joins? */
static bool in_custom_plans = false;	/* the child of a scan */
static bool tells = false;		/* for which joins it is asked for paths? */
static int	rows = 0;				/* of every join, unless 0 */

static Node *create_state(CustomScan *scan);
static void begin(CustomScanState *node, EState *estate, int eflags);
static TupleTableSlot *run(CustomScanState *node);
static void end(CustomScanState *node);
static void rescan(CustomScanState *node);

static const CustomScanMethods plan_methods = {
	.CustomName = "OtherScan",
	.CreateCustomScanState = create_state,
};

static const CustomExecMethods methods = {
	.CustomName = "OtherScan",
	.BeginCustomScan = begin,
	.ExecCustomScan = run,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
};

static Node *
create_state(CustomScan *scan)
{
	CustomScanState *state = makeNode(CustomScanState);

	state->methods = &methods;
	return (Node *) state;
}

static PlanState *
child_of(CustomScanState *node)
{
	return node->custom_ps != NIL ? linitial(node->custom_ps) : outerPlanState(node);
}

static void
begin(CustomScanState *node, EState *estate, int eflags)
{
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;

	if (scan->custom_plans != NIL)
		node->custom_ps = list_make1(ExecInitNode(linitial(scan->custom_plans), estate, eflags));
	else
		outerPlanState(node) = ExecInitNode(outerPlan(scan), estate, eflags);
}

static TupleTableSlot *
run(CustomScanState *node)
{
	TupleTableSlot *slot = ExecProcNode(child_of(node));

	if (TupIsNull(slot))
		return NULL;
	ExecCopySlot(node->ss.ss_ScanTupleSlot, slot);
	if (node->ss.ps.ps_ProjInfo == NULL)
		return node->ss.ss_ScanTupleSlot;
	node->ss.ps.ps_ExprContext->ecxt_scantuple = node->ss.ss_ScanTupleSlot;
	return ExecProject(node->ss.ps.ps_ProjInfo);
}

static void
end(CustomScanState *node)
{
	ExecEndNode(child_of(node));
}

static void
rescan(CustomScanState *node)
{
	PlanState  *child = child_of(node);

	if (node->custom_ps != NIL && node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

static Plan *
put_above(PlannedStmt *stmt, Plan *child, bool is_left, int *max_id)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan	   *plan = &scan->scan.plan;
	ListCell   *cell;

	memcpy(plan, child, sizeof(Plan));
	plan->type = T_CustomScan;
	plan->targetlist = NIL;
	plan->qual = NIL;
	plan->initPlan = NIL;
	plan->lefttree = is_left ? child : NULL;
	plan->righttree = NULL;
	plan->parallel_aware = false;
	child->plan_node_id = ++*max_id;
	if (!is_left)
		scan->custom_plans = list_make1(child);
	foreach(cell, child->targetlist)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		TargetEntry *inside = flatCopyTargetEntry(entry);
		TargetEntry *outside = flatCopyTargetEntry(entry);

		if (is_left)
			inside->expr = (Expr *) makeVarFromTargetEntry(OUTER_VAR, entry);
		outside->expr = (Expr *) makeVarFromTargetEntry(INDEX_VAR, entry);
		scan->custom_scan_tlist = lappend(scan->custom_scan_tlist, inside);
		plan->targetlist = lappend(plan->targetlist, outside);
	}
	scan->methods = &plan_methods;
	return plan;
}

static int
greatest_id(Plan *plan)
{
	int			id;
	ListCell   *cell;

	if (plan == NULL)
		return 0;
	id = Max(plan->plan_node_id,
			 Max(greatest_id(plan->lefttree), greatest_id(plan->righttree)));
	if (IsA(plan, Append))
	{
		foreach(cell, ((Append *) plan)->appendplans)
			id = Max(id, greatest_id(lfirst(cell)));
	}
	return id;
}

static void
change(PlannedStmt *stmt, Plan **link, int *max_id)
{
	Plan	   *plan = *link;
	ListCell   *cell;

	if (plan == NULL)
		return;
	change(stmt, &plan->lefttree, max_id);
	change(stmt, &plan->righttree, max_id);
	if (IsA(plan, Append))
	{
		foreach(cell, ((Append *) plan)->appendplans)
			change(stmt, (Plan **) &lfirst(cell), max_id);
	}
	if (IsA(plan, SeqScan) && strcmp(table, "") != 0 &&
		strcmp(get_rel_name(rt_fetch(((Scan *) plan)->scanrelid, stmt->rtable)->relid), table) == 0)
		*link = put_above(stmt, plan, !in_custom_plans, max_id);
	if (IsA(plan, HashJoin) && joins)
		*link = put_above(stmt, plan, true, max_id);
}

static PlannedStmt *
plan_with_others(BLT_PLANNER_PARAMETERS)
{
	const int	nest_level = NewGUCNestLevel();
	PlannedStmt *stmt;
	int			max_id;

	/* as pg_hint_plan does */
	if (strcmp(hint, "") != 0)
		(void) set_config_option("bloomtype_join.enable", hint, PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	stmt = previous_planner != NULL ?
		previous_planner(BLT_PLANNER_ARGUMENTS) : standard_planner(BLT_PLANNER_ARGUMENTS);
	AtEOXact_GUC(true, nest_level);
	max_id = greatest_id(stmt->planTree);
	change(stmt, &stmt->planTree, &max_id);
	return stmt;
}

static void
add_no_path(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel,
			JoinType jointype, JoinPathExtraData *extra)
{
	if (tells)
		elog(NOTICE, "asked for paths");
	if (rows > 0)
		joinrel->rows = rows;
	if (previous_join_pathlist != NULL)
		previous_join_pathlist(root, joinrel, outerrel, innerrel, jointype, extra);
}

static bool
collect_ids(PlanState *state, void *context)
{
	List	  **ids = context;

	if (list_member_int(*ids, state->plan->plan_node_id))
		elog(ERROR, "two nodes have the number %d", state->plan->plan_node_id);
	*ids = lappend_int(*ids, state->plan->plan_node_id);
	return planstate_tree_walker(state, collect_ids, context);
}

static void
start(QueryDesc *query, int eflags)
{
	List	   *ids = NIL;

	if (previous_start != NULL)
		previous_start(query, eflags);
	else
		standard_ExecutorStart(query, eflags);
	if (query->planstate != NULL)
		collect_ids(query->planstate, &ids);
}

void
_PG_init(void)
{
	DefineCustomStringVariable("other_scans.relation", "Table whose scans get a node.", NULL,
							   &table, "", PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("other_scans.joins", "Whether hash joins get a node.", NULL,
							 &joins, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("other_scans.in_custom_plans", "Where the scan is.", NULL,
							 &in_custom_plans, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("other_scans.hint", "bloomtype_join.enable while planning.", NULL,
							   &hint, "", PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("other_scans.tells", "Whether to tell that a join is asked for paths.", NULL,
							 &tells, false, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("other_scans.rows", "Rows that every join is given, unless 0.", NULL,
							&rows, 0, 0, PG_INT32_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
	RegisterCustomScanMethods(&plan_methods);
	previous_planner = planner_hook;
	planner_hook = plan_with_others;
	previous_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = add_no_path;
	previous_start = ExecutorStart_hook;
	ExecutorStart_hook = start;
}
