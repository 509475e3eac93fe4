/*
 * join_trace.c
 *	  Follows a key down a plan.
 *
 * Skipping a row at a scan may change nothing above except that rows with the
 * same value in the column are missing.  This holds for the side of a join of
 * which each row is returned as often as it has partners, at least once, or
 * never, and for both sides of inner and semi-joins.  It does not hold for
 * LIMIT, DISTINCT ON, aggregates, window functions and set operations, where
 * the search ends, as at any node not named here.
 *
 * A nested loop runs its inner side again, with other values of parameters,
 * and a node in between may keep rows from one time to another.  Neither
 * matters: whenever a filter is complete it has the same keys, and before that
 * it passes all rows.
 *
 * The other side of a left or right join may be filtered by a column of the
 * first that is equal to one of its own.  A row may be returned with nulls
 * then, in place of its partners.  It is dropped later on, but expressions in
 * between must not raise an error for it, nor may other rows appear.
 *
 * A volatile function on the way, or on the other side of a join, would be
 * called less often; the search ends there, too.
 */
#include "compat.h"

#include "executor/executor.h"
#include "join/join_column.h"
#include "join/join_equality.h"
#include "join/join_repeatable.h"
#include "join/join_trace.h"
#include "join/plan_nodes.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

/* What holds for the next plan, and what is found */
typedef struct Trace
{
	PlannedStmt *stmt;
	Oid			family;			/* of the hash functions */
	List	  **tables;			/* of JoinTable; some may be without targets */
	int		   *table_number;	/* that of the next target */
	bool		takes_nulls;	/* do all plans from the top to here? */
	bool		is_read_ahead;	/* as in JoinTable */
	double		runs;			/* as in JoinTarget */
	double		row_cost;
} Trace;

static void trace(Trace t, Plan **link, List *keys);

static void
add_target(Trace t, Plan **link, JoinKey *key)
{
	JoinTarget *target = palloc(sizeof(JoinTarget));

	while (list_length(*t.tables) <= *t.table_number)
		*t.tables = lappend(*t.tables, palloc0(sizeof(JoinTable)));
	target->table = list_nth(*t.tables, *t.table_number);
	target->link = link;
	target->key = *key;
	target->runs = t.runs;
	target->row_cost = t.row_cost;
	target->table->targets = lappend(target->table->targets, target);
	target->table->is_read_ahead |= t.is_read_ahead;
}

/*
 * A node that returns the rows of its only child, if it has one; its column
 * must be one of the child, which has this varno.
 */
static void
trace_child(Trace t, Plan *plan, Plan **child, int varno, List *keys)
{
	List	   *sources = blt_join_source_columns(plan, keys, varno);

	t.is_read_ahead |= (blt_join_plan_node(plan)->flags & PLAN_READS_AHEAD) != 0;
	if (sources != NIL && *child != NULL && blt_join_expressions_are_repeatable(t.stmt, plan))
		trace(t, child, sources);
}

/*
 * Left and right joins
 */

/*
 * Is there something in an expression that could fail, or be other than null
 * for an argument that is null?
 */
static bool
may_matter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_List:
		case T_TargetEntry:
		case T_Var:
		case T_Const:
		case T_RelabelType:
			break;
		case T_OpExpr:
			if (!get_func_leakproof(((OpExpr *) node)->opfuncid) ||
				!func_strict(((OpExpr *) node)->opfuncid))
				return true;
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, may_matter, context);
}

/*
 * Does a node, from such a join on, only drop rows with nulls, or pass them
 * on?
 */
static bool
takes_nulls(Plan *plan)
{
	if (plan->qual != NIL || may_matter((Node *) plan->targetlist, NULL))
		return false;
	if (blt_join_plan_node(plan)->rows != ROWS_OF_SIDES)
		return true;
	return ((Join *) plan)->jointype != JOIN_ANTI &&
		!(IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams != NIL) &&
		!may_matter(blt_join_own_expressions(plan), NULL);
}

/*
 * Joins
 */

/* What a join costs for each row of its outer side, apart from that row */
static double
cost_of_outer_row(Join *join)
{
	Plan	   *outer = join->plan.lefttree;
	double		cost = join->plan.total_cost - outer->total_cost;

	if (!IsA(join, NestLoop))
		cost -= join->plan.righttree->total_cost;
	return Max(cost, 0) / Max(outer->plan_rows, 1);
}

static void
trace_outer(Trace t, Join *join, List *keys)
{
	if (keys == NIL ||
		!blt_join_plan_is_repeatable(t.stmt, join->plan.righttree, JOIN_RUNS_ONCE))
		return;
	t.row_cost += cost_of_outer_row(join);
	trace(t, &join->plan.lefttree, keys);
}

/* How often a join is expected to run its inner side, each time it is run */
static double
runs_of_inner(Join *join)
{
	NestLoop   *loop = (NestLoop *) join;

	if (!IsA(join, NestLoop) ||
		(loop->nestParams == NIL && ExecMaterializesOutput(nodeTag(join->plan.righttree))))
		return 1;
	return join->plan.lefttree->plan_rows;
}

static void
trace_inner(Trace t, Join *join, List *keys)
{
	Plan	   *inner = join->plan.righttree;

	if (keys == NIL ||
		!blt_join_plan_is_repeatable(t.stmt, join->plan.lefttree, JOIN_RUNS_ONCE))
		return;

	/*
	 * a nested loop may stop at the first partner, and call no more functions
	 */
	if (IsA(join, NestLoop) && !blt_join_plan_is_repeatable(t.stmt, inner, JOIN_RUNS_ONCE))
		return;

	/* a merge join may mark and restore positions in a scan */
	if (IsA(join, MergeJoin) && !IsA(inner, Sort) && !IsA(inner, Material))
		return;
	t.runs *= runs_of_inner(join);
	t.row_cost += cpu_tuple_cost;
	trace(t, &join->plan.righttree, keys);
}

static void
trace_join(Trace t, Join *join, List *keys)
{
	List	   *outer;
	List	   *inner;

	if (!blt_join_expressions_are_repeatable(t.stmt, &join->plan))
		return;
	blt_join_source_sides(join, keys, &outer, &inner);
	/* an anti-join takes no nulls; joins of other types have no columns */
	if (join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI || t.takes_nulls)
		blt_join_add_equal(join, t.family, &outer, &inner);
	trace_outer(t, join, outer);
	++*t.table_number;
	trace_inner(t, join, inner);
}

/* Partitions of a table have a number in common. */
static void
trace_list(Trace t, Plan *plan, List *keys)
{
	List	   *sources = blt_join_source_columns(plan, keys, OUTER_VAR);
	int			first = *t.table_number;
	int			last = first;
	ListCell   *cell;

	if (sources == NIL)
		return;
	foreach(cell, blt_join_other_links(plan))
	{
		*t.table_number = first;
		trace(t, lfirst(cell), sources);
		last = Max(last, *t.table_number);
	}
	*t.table_number = last;
}

/* A scan of a table: the column must be one of the table. */
static void
trace_scan(Trace t, Plan **link, List *keys)
{
	Plan	   *plan = *link;
	int			varno = IsA(plan, IndexOnlyScan) ? INDEX_VAR :
		(int) ((Scan *) plan)->scanrelid;
	ListCell   *cell;

	foreach(cell, keys)
	{
		JoinKey    *key = lfirst(cell);

		if (blt_join_source_column(plan, key->column, varno) != 0)
		{
			add_target(t, link, key);
			return;
		}
	}
}

static void
trace(Trace t, Plan **link, List *keys)
{
	Plan	   *plan = *link;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	t.takes_nulls = t.takes_nulls && takes_nulls(plan);
	switch (blt_join_plan_node(plan)->rows)
	{
		case ROWS_OF_TABLE:
			trace_scan(t, link, keys);
			break;
		case ROWS_OF_SIDES:
			trace_join(t, (Join *) plan, keys);
			break;
		case ROWS_OF_CHILD:
		case ROWS_KEPT_OF_CHILD:
			trace_child(t, plan, &plan->lefttree, OUTER_VAR, keys);
			break;
		case ROWS_OF_LIST:
			trace_list(t, plan, keys);
			break;
		case ROWS_OF_SUBQUERY:
			if (plan->qual == NIL)
				trace_child(t, plan, &((SubqueryScan *) plan)->subplan,
							((Scan *) plan)->scanrelid, keys);
			break;
		case ROWS_OWN:
			break;
	}
}

List *
blt_join_trace_scans(PlannedStmt *stmt, HashJoin *join, JoinKey *key, Oid family)
{
	List	   *found = NIL;
	int			table_number = 0;
	Trace		t = {.stmt = stmt,.family = family,.tables = &found,
	.table_number = &table_number,.runs = 1};
	List	   *tables = NIL;
	ListCell   *cell;

	t.row_cost = cost_of_outer_row(&join->join);
	/* all its keys are computed for each outer row */
	t.takes_nulls = !may_matter((Node *) join->hashkeys, NULL);
	trace(t, &join->join.plan.lefttree, list_make1(key));
	foreach(cell, found)
	{
		if (((JoinTable *) lfirst(cell))->targets != NIL)
			tables = lappend(tables, lfirst(cell));
	}
	return tables;
}
