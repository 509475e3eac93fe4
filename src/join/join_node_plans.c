/*
 * join_node_plans.c
 *	  The nodes as plans keep them: makes CustomScan, and reads it.
 *
 * custom_private begins with JOIN_FILTER_FORMAT, in all releases.  The
 * rest is a list of filters, each of which is a list: the filter's number, the
 * keys, and an expected number: of rows that pass it at a probe node, of keys
 * at a build node if several processes build it together; at a probe node,
 * also the bounds of the rows.  At a build node, two numbers may follow the
 * filter: the expected rows of the join, before and after they were corrected.
 */
#include "compat.h"

#include "join/join_node_plans.h"

#include "join/join_filter.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"

/* The target list of a node that returns what its child returns */
static List *
columns_of(Plan *child, int varno)
{
	List	   *columns = NIL;
	ListCell   *cell;

	foreach(cell, child->targetlist)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);
		TargetEntry *copy = flatCopyTargetEntry(entry);

		copy->expr = (Expr *) makeVarFromTargetEntry(varno, entry);
		columns = lappend(columns, copy);
	}
	return columns;
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
	plan->targetlist = columns_of(child, INDEX_VAR);
	plan->lefttree = child;
	plan->extParam = bms_copy(child->extParam);
	plan->allParam = bms_copy(child->extParam);
	scan->custom_scan_tlist = columns_of(child, OUTER_VAR);
	scan->custom_private = list_make1(makeInteger(JOIN_FILTER_FORMAT));
	scan->methods = methods;
	return scan;
}

void
blt_join_add_node_filter(CustomScan *scan, int filter, List *keys)
{
	scan->custom_private = lappend(scan->custom_private,
								   list_make2(list_make1_int(filter), keys));
}

/*
 * Add the expected number to the filter that was added last: with a point,
 * else a plan that is written and read again has an integer.
 */
static void
add_expected(CustomScan *scan, double number)
{
	ListCell   *last = list_last_cell(scan->custom_private);

	lfirst(last) = lappend(lfirst_node(List, last), makeFloat(psprintf("%.1f", number)));
}

List *
blt_join_filter_of_build(CustomScan *build)
{
	return lsecond_node(List, build->custom_private);
}

void
blt_join_share_build(CustomScan *build, double nkeys)
{
	build->scan.plan.parallel_aware = true;
	add_expected(build, nkeys);
}

void
blt_join_note_correction(CustomScan *build, double before, double after)
{
	build->custom_private = lappend(build->custom_private, makeFloat(psprintf("%.1f", before)));
	build->custom_private = lappend(build->custom_private, makeFloat(psprintf("%.1f", after)));
}

bool
blt_join_noted_correction(CustomScan *build, double *before, double *after)
{
	List	   *numbers = list_copy_tail(build->custom_private, 2);

	if (numbers == NIL)
		return false;
	*before = floatVal(linitial(numbers));
	*after = floatVal(lsecond(numbers));
	return true;
}

void
blt_join_add_to_probe(CustomScan *probe, int filter, List *keys, double pass, List *bounds)
{
	Plan	   *plan = &probe->scan.plan;
	ListCell   *last;

	blt_join_add_node_filter(probe, filter, keys);
	plan->plan_rows = Max(plan->plan_rows * pass, 1);
	add_expected(probe, plan->plan_rows);
	last = list_last_cell(probe->custom_private);
	lfirst(last) = lappend(lfirst_node(List, last), bounds);
}

int
blt_join_filter_number(List *filter)
{
	return linitial_int((List *) linitial(filter));
}

List *
blt_join_node_keys(List *filter)
{
	return lsecond_node(List, filter);
}

double
blt_join_expected_number(List *filter)
{
	return floatVal(lthird(filter));
}

List *
blt_join_node_bounds(List *filter)
{
	return lfourth_node(List, filter);
}
