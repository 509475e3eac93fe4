/*
 * join_trace.c
 *	  Follows a column down a plan.
 *
 * Skipping a row at a scan may change nothing above except that rows with the
 * same value in the column are missing.  On the outer side, this holds for
 * joins that return each outer row as often as it has partners, at least once,
 * or never; on the inner side, for inner joins.  It does not hold for LIMIT,
 * DISTINCT ON, aggregates, window functions and set operations, where the
 * search ends, as at any node not named here.
 *
 * A volatile function on the way, or on the other side of a join, would be
 * called less often; the search ends there, too.
 */
#include "compat.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "join/join_repeatable.h"
#include "join/join_trace.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/primnodes.h"
#include "parser/parsetree.h"
#include "utils/syscache.h"

typedef struct Trace
{
	PlannedStmt *stmt;
	Bitmapset  *stable;
	List	   *targets;
} Trace;

static void trace(Trace *t, Plan **link, AttrNumber column);

AttrNumber
blt_join_plain_column(Node *expression, int varno)
{
	while (expression != NULL && IsA(expression, RelabelType))
		expression = (Node *) ((RelabelType *) expression)->arg;
	if (expression == NULL || !IsA(expression, Var) || ((Var *) expression)->varno != varno ||
		((Var *) expression)->varattno <= 0)
		return 0;
	return ((Var *) expression)->varattno;
}

/* The column of a child, or of a table, that a plan's column is; else 0 */
static AttrNumber
source_column(Plan *plan, AttrNumber column, int varno)
{
	TargetEntry *entry;

	if (column > list_length(plan->targetlist))
		return 0;
	entry = list_nth_node(TargetEntry, plan->targetlist, column - 1);
	return blt_join_plain_column((Node *) entry->expr, varno);
}

static bool
is_repeatable(Trace *t, void *expression)
{
	return blt_join_expression_is_repeatable(t->stmt, expression);
}

static void
add_target(Trace *t, Plan **link, AttrNumber column)
{
	JoinTarget *target = palloc(sizeof(JoinTarget));

	target->link = link;
	target->column = column;
	t->targets = lappend(t->targets, target);
}

/*
 * A node that returns the rows of its only child; its column must be one of
 * the child.
 */
static void
trace_child(Trace *t, Plan *plan, AttrNumber column)
{
	AttrNumber	source = source_column(plan, column, OUTER_VAR);

	if (source != 0 && is_repeatable(t, plan->targetlist) && is_repeatable(t, plan->qual))
		trace(t, &plan->lefttree, source);
}

static void
trace_outer(Trace *t, Join *join, AttrNumber column)
{
	switch (join->jointype)
	{
		case JOIN_INNER:
		case JOIN_LEFT:
		case JOIN_SEMI:
		case JOIN_ANTI:
			if (blt_join_plan_is_repeatable(t->stmt, join->plan.righttree, JOIN_RUNS_ONCE))
				trace(t, &join->plan.lefttree, column);
			break;
		default:
			break;
	}
}

static void
trace_inner(Trace *t, Join *join, AttrNumber column)
{
	Plan	   *inner = join->plan.righttree;

	if (join->jointype != JOIN_INNER ||
		!bms_is_subset(inner->extParam, t->stable) ||
		!blt_join_plan_is_repeatable(t->stmt, join->plan.lefttree, JOIN_RUNS_ONCE))
		return;

	/* a merge join may mark and restore positions in a scan */
	if (IsA(join, MergeJoin) && !IsA(inner, Sort) && !IsA(inner, Material))
		return;
	trace(t, &join->plan.righttree, column);
}

static void
trace_join(Trace *t, Join *join, AttrNumber column)
{
	Plan	   *plan = &join->plan;
	AttrNumber	outer = source_column(plan, column, OUTER_VAR);
	AttrNumber	inner = source_column(plan, column, INNER_VAR);

	if (!is_repeatable(t, plan->targetlist) || !is_repeatable(t, plan->qual) || !is_repeatable(t, join->joinqual))
		return;
	if (IsA(join, HashJoin) && !is_repeatable(t, ((HashJoin *) join)->hashclauses))
		return;
	if (IsA(join, MergeJoin) && !is_repeatable(t, ((MergeJoin *) join)->mergeclauses))
		return;
	if (outer != 0)
		trace_outer(t, join, outer);
	else if (inner != 0)
		trace_inner(t, join, inner);
}

static void
trace_list(Trace *t, Plan *plan, List *children, AttrNumber column)
{
	AttrNumber	source = source_column(plan, column, OUTER_VAR);
	ListCell   *cell;

	if (source == 0)
		return;
	foreach(cell, children)
		trace(t, (Plan **) &lfirst(cell), source);
}

static void
trace_subquery(Trace *t, SubqueryScan *scan, AttrNumber column)
{
	AttrNumber	source = source_column(&scan->scan.plan, column, scan->scan.scanrelid);

	if (source != 0 && scan->scan.plan.qual == NIL && is_repeatable(t, scan->scan.plan.targetlist))
		trace(t, &scan->subplan, source);
}

/* A scan of a table: the column must be one of the table. */
static void
trace_scan(Trace *t, Plan **link, AttrNumber column)
{
	Plan	   *plan = *link;
	int			varno = IsA(plan, IndexOnlyScan) ? INDEX_VAR :
		(int) ((Scan *) plan)->scanrelid;

	if (source_column(plan, column, varno) != 0)
		add_target(t, link, column);
}

static void
trace(Trace *t, Plan **link, AttrNumber column)
{
	Plan	   *plan = *link;

	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			trace_scan(t, link, column);
			break;
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			trace_join(t, (Join *) plan, column);
			break;
		case T_Hash:
		case T_Sort:
		case T_IncrementalSort:
		case T_Material:
			trace_child(t, plan, column);
			break;
		case T_Result:
			if (plan->lefttree != NULL && is_repeatable(t, ((Result *) plan)->resconstantqual))
				trace_child(t, plan, column);
			break;
		case T_Append:
			trace_list(t, plan, ((Append *) plan)->appendplans, column);
			break;
		case T_MergeAppend:
			trace_list(t, plan, ((MergeAppend *) plan)->mergeplans, column);
			break;
		case T_SubqueryScan:
			trace_subquery(t, (SubqueryScan *) plan, column);
			break;
		default:
			break;
	}
}

List *
blt_join_trace_scans(PlannedStmt *stmt, Plan **link, AttrNumber column, Bitmapset *stable)
{
	Trace		t = {.stmt = stmt,.stable = stable,.targets = NIL};

	trace(&t, link, column);
	return t.targets;
}

double
blt_join_distinct_values(Oid table, AttrNumber column)
{
	HeapTuple	statistics = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table),
											 Int16GetDatum(column), BoolGetDatum(false));
	HeapTuple	class;
	double		distinct;

	if (!HeapTupleIsValid(statistics))
		return 0;
	distinct = ((Form_pg_statistic) GETSTRUCT(statistics))->stadistinct;
	ReleaseSysCache(statistics);
	if (distinct >= 0)
		return distinct;

	class = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	if (!HeapTupleIsValid(class))
		return 0;
	distinct *= -Max(((Form_pg_class) GETSTRUCT(class))->reltuples, 0);
	ReleaseSysCache(class);
	return distinct;
}

static RangeTblEntry *
source_of_scan(PlannedStmt *stmt, Plan *plan, AttrNumber column, AttrNumber *attribute)
{
	Index		scanrelid = ((Scan *) plan)->scanrelid;
	RangeTblEntry *rte = rt_fetch(scanrelid, stmt->rtable);

	if (IsA(plan, IndexOnlyScan))
	{
		List	   *index_columns = ((IndexOnlyScan *) plan)->indextlist;
		AttrNumber	index_column = source_column(plan, column, INDEX_VAR);

		if (index_column == 0 || index_column > list_length(index_columns))
			return NULL;
		*attribute = blt_join_plain_column((Node *) list_nth_node(TargetEntry, index_columns,
																  index_column - 1)->expr,
										   scanrelid);
	}
	else
		*attribute = source_column(plan, column, scanrelid);
	return *attribute == 0 || rte->rtekind != RTE_RELATION ? NULL : rte;
}

RangeTblEntry *
blt_join_source_of_column(PlannedStmt *stmt, Plan *plan, AttrNumber column, AttrNumber *attribute)
{
	AttrNumber	outer;

	check_stack_depth();
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return source_of_scan(stmt, plan, column, attribute);
		case T_SubqueryScan:
			outer = source_column(plan, column, ((Scan *) plan)->scanrelid);
			return outer == 0 ? NULL :
				blt_join_source_of_column(stmt, ((SubqueryScan *) plan)->subplan, outer, attribute);
		default:
			if (plan->lefttree == NULL)
				return NULL;
			outer = source_column(plan, column, OUTER_VAR);
			if (outer != 0)
				return blt_join_source_of_column(stmt, plan->lefttree, outer, attribute);
			outer = source_column(plan, column, INNER_VAR);
			if (outer != 0 && plan->righttree != NULL)
				return blt_join_source_of_column(stmt, plan->righttree, outer, attribute);
			return NULL;
	}
}
