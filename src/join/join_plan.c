/*
 * join_plan.c
 *	  Finds the hash joins of a plan that get a filter, and changes the plan.
 *
 * First all joins are examined, then all probe nodes are inserted, then all
 * build nodes: a scan below Hash may get both.
 */
#include "compat.h"

#include "catalog/pg_type.h"
#include "join/join_candidate.h"
#include "join/join_node_plans.h"
#include "join/join_nodes.h"
#include "join/join_partition.h"
#include "join/join_plan.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"

#define MAX_FILTERS_OF_SCAN 3

/* A filter that a join may get */
typedef struct PlannedFilter
{
	JoinCandidate *candidate;
	int			number;			/* or -1: not placed at any scan */
	bool		is_read_ahead;	/* does a scan with the filter end before the
								 * outer side returns a row? */
} PlannedFilter;

/* A filter for a scan */
typedef struct Placement
{
	PlannedFilter *filter;
	double		pass;
	bool		is_read_ahead;
	double		runs;			/* expected runs of the scan */
	JoinKey		keys[JOIN_MAX_KEYS];
} Placement;

/* A scan, and its filters, the most selective first */
typedef struct ScanFilters
{
	Plan	  **link;
	int			nplacements;
	Placement	placements[MAX_FILTERS_OF_SCAN];
} ScanFilters;

typedef struct Planning
{
	PlannedStmt *stmt;
	bool		is_forced;
	int			max_node_id;
	List	   *filters;		/* of PlannedFilter */
	List	   *scans;			/* of ScanFilters */
} Planning;

static void walk(Planning *planning, Plan **link, JoinSurroundings outside);

/*
 * All joins of a plan
 */

/*
 * Is there no expression, or one whose value stays while the query has its
 * parameters?
 */
static bool
is_constant(Node *expression)
{
	return expression == NULL || IsA(expression, Const) ||
		(IsA(expression, Param) && ((Param *) expression)->paramkind == PARAM_EXTERN);
}

/*
 * A Sort below LIMIT keeps only the rows that are wanted.  A cursor that is
 * moved back to its start computes their number anew; if that is another one,
 * the Sort runs again.
 */
static bool
has_fixed_bounds(Limit *limit)
{
	return is_constant(limit->limitCount) && is_constant(limit->limitOffset);
}

static void
walk_list(Planning *planning, List *plans, JoinSurroundings outside)
{
	ListCell   *cell;

	foreach(cell, plans)
		walk(planning, (Plan **) &lfirst(cell), outside);
}

/* Add the parameters that a node sets, and that keep their values. */
static void
add_stable_parameters(Planning *planning, Plan *plan, JoinSurroundings *outside)
{
	Bitmapset  *stable = bms_copy(outside->stable);
	ListCell   *cell;

	foreach(cell, plan->initPlan)
	{
		SubPlan    *subplan = lfirst_node(SubPlan, cell);
		Plan	   *child = list_nth(planning->stmt->subplans, subplan->plan_id - 1);
		ListCell   *param;

		if (!bms_is_subset(child->extParam, outside->stable) || subplan->parParam != NIL)
			continue;
		foreach(param, subplan->setParam)
			stable = bms_add_member(stable, lfirst_int(param));
	}

	/* these only signal a rescan; rows do not depend on their values */
	if (IsA(plan, Gather) && ((Gather *) plan)->rescan_param >= 0)
		stable = bms_add_member(stable, ((Gather *) plan)->rescan_param);
	if (IsA(plan, GatherMerge) && ((GatherMerge *) plan)->rescan_param >= 0)
		stable = bms_add_member(stable, ((GatherMerge *) plan)->rescan_param);
	if (IsA(plan, LockRows))
		stable = bms_add_member(stable, ((LockRows *) plan)->epqParam);
	if (IsA(plan, ModifyTable))
		stable = bms_add_member(stable, ((ModifyTable *) plan)->epqParam);
	outside->stable = stable;
}

/* A part of a plan runs at least so often. */
static void
set_runs(JoinSurroundings *surroundings, JoinRuns runs)
{
	if (runs > surroundings->runs)
	{
		surroundings->runs = runs;
		surroundings->is_repeatable = false;
	}
}

/*
 * The share of its child that LIMIT, with OFFSET, is expected to read: that of
 * the costs, as the planner computes them
 */
static double
share_of_limit(Plan *limit)
{
	Plan	   *child = limit->lefttree;
	Cost		cost = child->total_cost - child->startup_cost;

	return cost <= 0 ? 1 : Min((limit->total_cost - child->startup_cost) / cost, 1);
}

/*
 * How much of the child of a node is read: all, where rows are gathered before
 * any is returned.
 */
static void
set_share(JoinSurroundings *surroundings, Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Limit:
			surroundings->share *= share_of_limit(plan);
			break;
		case T_Agg:
		case T_Hash:
		case T_SetOp:
		case T_Sort:
			surroundings->share = 1;
			break;
		default:
			break;
	}
}

static void
examine_join(Planning *planning, HashJoin *join, JoinSurroundings *inner)
{
	JoinCandidate *candidate = blt_join_consider(planning->stmt, join, inner, planning->is_forced);
	PlannedFilter *filter;

	if (candidate == NULL)
		return;
	filter = palloc0(sizeof(PlannedFilter));
	filter->candidate = candidate;
	filter->number = -1;
	planning->filters = lappend(planning->filters, filter);
}

/*
 * Examine all joins of the plan at a link.  What is below nodes that other
 * libraries run is theirs, such as the plan for EvalPlanQual below a foreign
 * join.
 */
static void
walk(Planning *planning, Plan **link, JoinSurroundings outside)
{
	Plan	   *plan = *link;
	JoinSurroundings right;

	if (plan == NULL)
		return;
	check_stack_depth();
	planning->max_node_id = Max(planning->max_node_id, plan->plan_node_id);
	add_stable_parameters(planning, plan, &outside);
	right = outside;
	set_share(&outside, plan);
	switch (nodeTag(plan))
	{
		case T_HashJoin:
			examine_join(planning, (HashJoin *) plan, &right);
			break;
		case T_NestLoop:
		case T_RecursiveUnion:
			set_runs(&right, JOIN_RUNS_AGAIN);
			break;
		case T_Limit:
			if (!has_fixed_bounds((Limit *) plan))
				set_runs(&outside, JOIN_RUNS_AGAIN);
			break;
		case T_Gather:
		case T_GatherMerge:
			set_runs(&outside, JOIN_RUNS_IN_PROCESSES);
			break;
		case T_Append:
			walk_list(planning, ((Append *) plan)->appendplans, outside);
			break;
		case T_MergeAppend:
			walk_list(planning, ((MergeAppend *) plan)->mergeplans, outside);
			break;
		case T_SubqueryScan:
			walk(planning, &((SubqueryScan *) plan)->subplan, outside);
			break;
		case T_ForeignScan:
		case T_CustomScan:
			return;
		default:
			break;
	}
	walk(planning, &plan->lefttree, outside);
	walk(planning, &plan->righttree, right);
}

/*
 * Numbers of nodes in parts of a plan where walk() does not find a join to
 * change, and which other libraries may own
 */
static void
note_node_ids(Planning *planning, Plan *plan)
{
	ListCell   *cell;
	List	   *children = NIL;

	if (plan == NULL)
		return;
	check_stack_depth();
	planning->max_node_id = Max(planning->max_node_id, plan->plan_node_id);
	switch (nodeTag(plan))
	{
		case T_Append:
			children = ((Append *) plan)->appendplans;
			break;
		case T_MergeAppend:
			children = ((MergeAppend *) plan)->mergeplans;
			break;
		case T_BitmapAnd:
			children = ((BitmapAnd *) plan)->bitmapplans;
			break;
		case T_BitmapOr:
			children = ((BitmapOr *) plan)->bitmapplans;
			break;
		case T_CustomScan:
			children = ((CustomScan *) plan)->custom_plans;
			break;
		case T_SubqueryScan:
			note_node_ids(planning, ((SubqueryScan *) plan)->subplan);
			break;
		default:
			break;
	}
	foreach(cell, children)
		note_node_ids(planning, lfirst(cell));
	note_node_ids(planning, plan->lefttree);
	note_node_ids(planning, plan->righttree);
}

/*
 * Changes of the plan
 */

static ScanFilters *
filters_of_scan(Planning *planning, Plan **link)
{
	ScanFilters *scan;
	ListCell   *cell;

	foreach(cell, planning->scans)
	{
		scan = lfirst(cell);
		if (scan->link == link)
			return scan;
	}
	scan = palloc0(sizeof(ScanFilters));
	scan->link = link;
	planning->scans = lappend(planning->scans, scan);
	return scan;
}

/*
 * Place a filter at a scan, by its expected share, if the scan has room for
 * it.
 */
static void
place(ScanFilters *scan, Placement placement)
{
	for (int i = 0; i < scan->nplacements; i++)
	{
		if (placement.pass < scan->placements[i].pass)
		{
			Placement	next = scan->placements[i];

			scan->placements[i] = placement;
			placement = next;
		}
	}
	if (scan->nplacements < MAX_FILTERS_OF_SCAN)
		scan->placements[scan->nplacements++] = placement;
}

static void
place_filter(Planning *planning, PlannedFilter *filter)
{
	ListCell   *cell;

	foreach(cell, filter->candidate->sites)
	{
		JoinSite   *site = lfirst(cell);
		Placement	placement = {.filter = filter,.pass = site->pass};
		ListCell   *target;

		placement.is_read_ahead = site->origin->is_read_ahead;
		foreach(target, site->origin->targets)
		{
			Plan	  **link = ((JoinTarget *) lfirst(target))->link;

			blt_join_keys_at_scan(filter->candidate, link, placement.keys);
			placement.runs = ((JoinTarget *) lfirst(target))->runs;
			place(filters_of_scan(planning, link), placement);
		}
	}
}

/* The number of a filter: that of a parameter of the executor */
static int
filter_number(PlannedStmt *stmt, PlannedFilter *filter)
{
	if (filter->number < 0)
	{
		filter->number = list_length(stmt->paramExecTypes);
		stmt->paramExecTypes = lappend_oid(stmt->paramExecTypes, INTERNALOID);
	}
	return filter->number;
}

static void
insert_node(Planning *planning, Plan **link, CustomScan *node)
{
	node->scan.plan.plan_node_id = ++planning->max_node_id;
	*link = &node->scan.plan;
}

static void
insert_probe(Planning *planning, JoinPartitions *partitions, ScanFilters *scan)
{
	CustomScan *probe = blt_join_make_probe(*scan->link);
	double	   *rows = &probe->scan.plan.plan_rows;

	for (int i = 0; i < scan->nplacements; i++)
	{
		Placement  *placement = &scan->placements[i];
		int			nkeys = placement->filter->candidate->nkeys;
		JoinNodeFilter filter = {.number = filter_number(planning->stmt, placement->filter)};

		filter.keys = blt_join_keys_to_list(placement->keys, nkeys);
		*rows *= placement->pass;
		filter.expected = *rows * placement->runs;
		if (nkeys == 1)
			filter.bounds = blt_join_partition_bounds(partitions, *scan->link,
													  &placement->keys[0]);
		blt_join_add_node_filter(probe, &filter);
		placement->filter->is_read_ahead |= placement->is_read_ahead;
	}
	*rows = clamp_row_est(*rows);
	insert_node(planning, scan->link, probe);
}

/* Several processes may build the hash table, and the filter, together. */
static void
insert_build(Planning *planning, PlannedFilter *planned)
{
	JoinCandidate *candidate = planned->candidate;
	Plan	  **link = &candidate->hash->plan.lefttree;
	CustomScan *build = blt_join_make_build(*link);
	JoinNodeFilter filter = {.number = planned->number};
	JoinKey		keys[JOIN_MAX_KEYS];

	blt_join_inner_keys(candidate, keys);
	filter.keys = blt_join_keys_to_list(keys, candidate->nkeys);
	filter.expected = candidate->inner_rows;
	blt_join_add_node_filter(build, &filter);
	build->scan.plan.parallel_aware = candidate->hash->plan.parallel_aware;
	insert_node(planning, link, build);
}

/*
 * A hash join fetches an outer row before it builds its hash table, if the
 * outer side seems to begin sooner than the table is built.  What is read
 * ahead until then is not filtered.  So the outer side begins later.
 */
static void
build_first(JoinCandidate *candidate)
{
	Plan	   *outer = candidate->join->join.plan.lefttree;

	outer->startup_cost = Max(outer->startup_cost, candidate->hash->plan.total_cost);
	outer->total_cost = Max(outer->total_cost, outer->startup_cost);
}

static void
change_plan(Planning *planning)
{
	JoinPartitions *partitions = blt_join_open_partitions(planning->stmt);
	ListCell   *cell;

	foreach(cell, planning->filters)
		place_filter(planning, lfirst(cell));
	foreach(cell, planning->scans)
		insert_probe(planning, partitions, lfirst(cell));
	blt_join_close_partitions(partitions);
	foreach(cell, planning->filters)
	{
		PlannedFilter *filter = lfirst(cell);

		/* otherwise, all its scans have enough filters */
		if (filter->number >= 0)
			insert_build(planning, filter);
		if (filter->is_read_ahead)
			build_first(filter->candidate);
	}
}

void
blt_join_add_filters(PlannedStmt *stmt, double share, bool is_forced)
{
	Planning	planning = {.stmt = stmt,.is_forced = is_forced};
	JoinSurroundings top = {.stable = NULL,.runs = JOIN_RUNS_ONCE,.share = share};
	JoinSurroundings subplan = {.stable = NULL,.runs = JOIN_RUNS_AGAIN,.share = 1};

	if (stmt->planTree == NULL)
		return;
	walk(&planning, &stmt->planTree, top);
	walk_list(&planning, stmt->subplans, subplan);
	if (planning.filters != NIL)
	{
		ListCell   *cell;

		note_node_ids(&planning, stmt->planTree);
		foreach(cell, stmt->subplans)
			note_node_ids(&planning, lfirst(cell));
		change_plan(&planning);
	}
}
