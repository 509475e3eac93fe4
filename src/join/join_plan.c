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
#include "join/join_nodes.h"
#include "join/join_partition.h"
#include "join/join_plan.h"
#include "join/plan_nodes.h"
#include "miscadmin.h"
#include "optimizer/optimizer.h"
#include "utils/hsearch.h"

#define MAX_FILTERS_OF_SCAN 3

/* The filter of a join for a scan */
typedef struct Placement
{
	JoinCandidate *candidate;
	JoinTarget *target;			/* its first key there */
} Placement;

/* A scan, and its filters, the most selective first */
typedef struct ScanFilters
{
	Plan	  **link;			/* hash key */
	int			nplacements;
	Placement	placements[MAX_FILTERS_OF_SCAN];
} ScanFilters;

typedef struct PlanRewrite
{
	PlannedStmt *stmt;
	bool		is_forced;
	int			max_node_id;
	List	   *candidates;		/* of JoinCandidate */
	List	   *scans;			/* of ScanFilters, */
	HTAB	   *scans_by_link;	/* and the same */
} PlanRewrite;

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

/* Add the parameters that a node sets, and that keep their values. */
static void
add_stable_parameters(PlanRewrite *rewrite, Plan *plan, JoinSurroundings *outside)
{
	uint16		signal = blt_join_plan_node(plan)->signal;
	Bitmapset  *stable = bms_copy(outside->stable);
	ListCell   *cell;

	foreach(cell, plan->initPlan)
	{
		SubPlan    *subplan = lfirst_node(SubPlan, cell);
		Plan	   *child = list_nth(rewrite->stmt->subplans, subplan->plan_id - 1);
		ListCell   *param;

		if (!bms_is_subset(child->extParam, outside->stable) || subplan->parParam != NIL)
			continue;
		foreach(param, subplan->setParam)
			stable = bms_add_member(stable, lfirst_int(param));
	}

	/* rows do not depend on its value */
	if (signal != 0 && BLT_JOIN_MEMBER(int, plan, signal) >= 0)
		stable = bms_add_member(stable, BLT_JOIN_MEMBER(int, plan, signal));
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
	if (IsA(plan, Limit))
		surroundings->share *= share_of_limit(plan);
	else if ((blt_join_plan_node(plan)->flags & PLAN_READS_AHEAD) != 0 || IsA(plan, Agg) ||
			 IsA(plan, SetOp))
		surroundings->share = 1;
}

/*
 * Numbers of nodes in a part of a plan where walk() changes nothing: other
 * libraries run it, such as the plan for EvalPlanQual below a foreign join.
 */
static void
note_node_ids(PlanRewrite *rewrite, Plan *plan)
{
	ListCell   *cell;

	if (plan == NULL)
		return;
	check_stack_depth();
	rewrite->max_node_id = Max(rewrite->max_node_id, plan->plan_node_id);
	foreach(cell, blt_join_other_links(plan))
		note_node_ids(rewrite, *(Plan **) lfirst(cell));
	note_node_ids(rewrite, plan->lefttree);
	note_node_ids(rewrite, plan->righttree);
}

/* Examine all joins of the plan at a link. */
static void
walk(PlanRewrite *rewrite, Plan **link, JoinSurroundings outside)
{
	Plan	   *plan = *link;
	JoinSurroundings right;
	JoinCandidate *candidate;
	ListCell   *cell;
	int			flags;

	if (plan == NULL)
		return;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	flags = blt_join_plan_node(plan)->flags;
	if ((flags & PLAN_IS_FOREIGN) != 0)
	{
		note_node_ids(rewrite, plan);
		return;
	}
	rewrite->max_node_id = Max(rewrite->max_node_id, plan->plan_node_id);
	add_stable_parameters(rewrite, plan, &outside);
	right = outside;
	set_share(&outside, plan);
	candidate = !IsA(plan, HashJoin) ? NULL :
		blt_join_consider(rewrite->stmt, (HashJoin *) plan, &right, rewrite->is_forced);
	if (candidate != NULL)
		rewrite->candidates = lappend(rewrite->candidates, candidate);
	if ((flags & PLAN_RUNS_AGAIN) != 0)
		set_runs(&right, JOIN_RUNS_AGAIN);
	if (IsA(plan, Limit) && !has_fixed_bounds((Limit *) plan))
		set_runs(&outside, JOIN_RUNS_AGAIN);
	if ((flags & PLAN_RUNS_IN_PROCESSES) != 0)
		set_runs(&outside, JOIN_RUNS_IN_PROCESSES);
	foreach(cell, blt_join_other_links(plan))
		walk(rewrite, lfirst(cell), outside);
	walk(rewrite, &plan->lefttree, outside);
	walk(rewrite, &plan->righttree, right);
}

/*
 * Changes of the plan
 */

static ScanFilters *
filters_of_scan(PlanRewrite *rewrite, Plan **link)
{
	bool		found;
	ScanFilters *scan = hash_search(rewrite->scans_by_link, &link, HASH_ENTER, &found);

	if (!found)
	{
		scan->nplacements = 0;
		rewrite->scans = lappend(rewrite->scans, scan);
	}
	return scan;
}

/* Place a filter at a scan, by its expected share, if there is room. */
static void
place(ScanFilters *scan, Placement placement)
{
	for (int i = 0; i < scan->nplacements; i++)
	{
		if (placement.target->table->pass < scan->placements[i].target->table->pass)
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
place_filter(PlanRewrite *rewrite, JoinCandidate *candidate)
{
	ListCell   *site;
	ListCell   *cell;

	foreach(site, candidate->sites)
	{
		foreach(cell, ((JoinTable *) lfirst(site))->targets)
		{
			Placement	placement = {.candidate = candidate,.target = lfirst(cell)};

			CHECK_FOR_INTERRUPTS();
			place(filters_of_scan(rewrite, placement.target->link), placement);
		}
	}
}

static void
insert_node(PlanRewrite *rewrite, Plan **link, CustomScan *node)
{
	node->scan.plan.plan_node_id = ++rewrite->max_node_id;
	*link = &node->scan.plan;
}

static void
insert_probe(PlanRewrite *rewrite, JoinPartitions *partitions, ScanFilters *scan)
{
	PlannedStmt *stmt = rewrite->stmt;
	CustomScan *probe = blt_join_make_node(*scan->link, &blt_join_probe_methods);
	double	   *rows = &probe->scan.plan.plan_rows;

	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < scan->nplacements; i++)
	{
		JoinCandidate *candidate = scan->placements[i].candidate;
		JoinTarget *target = scan->placements[i].target;
		JoinNodeFilter filter = {0};

		/* the number of a filter is that of a parameter of the executor */
		if (candidate->number < 0)
		{
			candidate->number = list_length(stmt->paramExecTypes);
			stmt->paramExecTypes = lappend_oid(stmt->paramExecTypes, INTERNALOID);
		}
		filter.number = candidate->number;
		filter.keys = blt_join_keys_at_scan(candidate, scan->link);
		*rows *= target->table->pass;
		filter.expected = *rows * target->runs;
		if (candidate->nkeys == 1)
			filter.bounds = blt_join_partition_bounds(partitions, *scan->link, &target->key);
		blt_join_add_node_filter(probe, &filter);
		candidate->is_read_ahead |= target->table->is_read_ahead;
	}
	*rows = clamp_row_est(*rows);
	insert_node(rewrite, scan->link, probe);
}

/* Several processes may build the hash table, and the filter, together. */
static void
insert_build(PlanRewrite *rewrite, JoinCandidate *candidate)
{
	Plan	  **link = &candidate->hash->plan.lefttree;
	CustomScan *build = blt_join_make_node(*link, &blt_join_build_methods);
	JoinNodeFilter filter = {.number = candidate->number};

	filter.keys = blt_join_inner_keys(candidate);
	filter.expected = candidate->inner_rows;
	blt_join_add_node_filter(build, &filter);
	build->scan.plan.parallel_aware = candidate->hash->plan.parallel_aware;
	insert_node(rewrite, link, build);
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
change_plan(PlanRewrite *rewrite)
{
	JoinPartitions *partitions = blt_join_open_partitions(rewrite->stmt);
	HASHCTL		control = {.keysize = sizeof(Plan **),.entrysize = sizeof(ScanFilters),
	.hcxt = CurrentMemoryContext};
	ListCell   *cell;

	rewrite->scans_by_link = hash_create("scans with filters", 16, &control,
										 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	foreach(cell, rewrite->candidates)
		place_filter(rewrite, lfirst(cell));
	foreach(cell, rewrite->scans)
		insert_probe(rewrite, partitions, lfirst(cell));
	blt_join_close_partitions(partitions);
	foreach(cell, rewrite->candidates)
	{
		JoinCandidate *candidate = lfirst(cell);

		/* otherwise, all its scans have enough filters */
		if (candidate->number >= 0)
			insert_build(rewrite, candidate);
		if (candidate->is_read_ahead)
			build_first(candidate);
	}
}

void
blt_join_add_filters(PlannedStmt *stmt, double share, bool is_forced)
{
	PlanRewrite rewrite = {.stmt = stmt,.is_forced = is_forced};
	JoinSurroundings top = {.stable = NULL,.runs = JOIN_RUNS_ONCE,.share = share};
	JoinSurroundings subplan = {.stable = NULL,.runs = JOIN_RUNS_AGAIN,.share = 1};
	ListCell   *cell;

	if (stmt->planTree == NULL)
		return;
	walk(&rewrite, &stmt->planTree, top);
	foreach(cell, stmt->subplans)
		walk(&rewrite, (Plan **) &lfirst(cell), subplan);
	if (rewrite.candidates != NIL)
		change_plan(&rewrite);
}
