/*
 * value_statistics.c
 *	  Statistics where those that the server looks up are not enough: of
 *	  expressions, of all partitions of a table, and of relations that have
 *	  not been sized.
 */
#include "compat.h"

#include "planner/value_statistics.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/expression.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/*
 * A column whose most common value is at most this many times as common as
 * the average is taken for one whose values are equally common: where the
 * sample of ANALYZE has ten rows of each value, the most common one seems to
 * have twice as many.
 */
#define MAX_SKEW	3.0

double
blt_analyzed_tuples(Oid table)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	double		tuples = -1.0;

	if (HeapTupleIsValid(tuple))
	{
		tuples = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
		ReleaseSysCache(tuple);
	}
	return tuples;
}

double
blt_relation_tuples(PlannerInfo *root, int relid)
{
	RangeTblEntry *entry = planner_rt_fetch(relid, root);
	RelOptInfo *relation = blt_base_relation(root, relid);

	if (relation == NULL)
		return -1.0;
	if (entry->rtekind == RTE_RELATION && !entry->inh)
		return relation->tuples;
	/* once it is sized, its own are those that conditions have left */
	if (entry->inh)
		return entry->relkind == RELKIND_PARTITIONED_TABLE ?
			blt_analyzed_tuples(entry->relid) : -1.0;
	return relation->rows > 0.0 ? relation->tuples : -1.0;
}

/* What makes a relation a part of another one; null if it is not. */
static AppendRelInfo *
part_of_whole(PlannerInfo *root, int relid)
{
	return root->append_rel_array == NULL || relid < 1 ||
		relid >= root->simple_rel_array_size ? NULL : root->append_rel_array[relid];
}

/*
 * The column of a parent that an expression of its child is; null if it is
 * none.
 */
static Node *
parent_column(PlannerInfo *root, const AppendRelInfo *info, Node *node)
{
	AttrNumber	number = 0;

	if (planner_rt_fetch(info->parent_relid, root)->rtekind == RTE_RELATION)
	{
		AttrNumber	attno = IsA(node, Var) ? ((Var *) node)->varattno : 0;

		if (attno >= 1 && attno <= info->num_child_cols)
			number = info->parent_colnos[attno - 1];
	}
	else
	{
		ListCell   *cell;

		/* of UNION ALL, any expression may be a column */
		foreach(cell, info->translated_vars)
		{
			if (equal(lfirst(cell), node))
				number = foreach_current_index(cell) + 1;
		}
	}
	return number == 0 ? NULL :
		(Node *) makeVar(info->parent_relid, number, exprType(node), exprTypmod(node),
						 exprCollation(node), 0);
}

static Node *
whole_mutator(Node *node, void *context)
{
	PlannerInfo *root = (PlannerInfo *) context;
	AppendRelInfo *info;
	Node	   *of_parent;

	if (node == NULL)
		return NULL;
	info = part_of_whole(root, blt_relation_of(root, node));
	if (info != NULL && (of_parent = parent_column(root, info, node)) != NULL)
		return whole_mutator(of_parent, context);
	return IsA(node, Var) ? node : expression_tree_mutator(node, whole_mutator, context);
}

Node *
blt_value_of_whole(PlannerInfo *root, Node *value)
{
	return part_of_whole(root, blt_relation_of(root, value)) == NULL ? value :
		whole_mutator(value, root);
}

/*
 * Read the statistics of a column of a table, with all its partitions if the
 * query reads these.  examine_variable takes ten times as long, and there may
 * be many partitions to estimate.
 */
static bool
read_statistics(PlannerInfo *root, const Var *column, ValueStatistics *statistics)
{
	RangeTblEntry *table = blt_range_table_entry(root, column);
	Form_pg_statistic form;
	HeapTuple	tuple;

	if (table == NULL || table->rtekind != RTE_RELATION)
		return false;
	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table->relid),
							Int16GetDatum(column->varattno), BoolGetDatum(table->inh));
	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_statistic) GETSTRUCT(tuple);
	statistics->null_share = form->stanullfrac;
	statistics->distinct = form->stadistinct;
	ReleaseSysCache(tuple);
	if (statistics->distinct < 0.0)
		statistics->distinct *= -blt_relation_tuples(root, column->varno);
	if (statistics->distinct <= 0.0)
		return false;
	statistics->distinct = clamp_row_est(statistics->distinct);
	return true;
}

/*
 * The same by examine_variable, which knows of unique indexes, of statistics
 * of expressions, and of sub-selects.
 */
static bool
examine_statistics(PlannerInfo *root, Node *value, ValueStatistics *statistics)
{
	VariableStatData column;
	bool		is_guess;

	examine_variable(root, value, 0, &column);
	statistics->null_share = HeapTupleIsValid(column.statsTuple) ?
		((Form_pg_statistic) GETSTRUCT(column.statsTuple))->stanullfrac : 0.0;
	statistics->distinct = get_variable_numdistinct(&column, &is_guess);
	ReleaseVariableStats(column);
	return !is_guess;
}

bool
blt_value_statistics(PlannerInfo *root, Node *value, ValueStatistics *statistics)
{
	Node	   *whole = blt_value_of_whole(root, value);
	List	   *variables;

	if (IsA(whole, Var) && read_statistics(root, (Var *) whole, statistics))
		return true;
	if (examine_statistics(root, value, statistics))
		return true;
	if (IsA(value, Var))
		return false;
	variables = blt_variables(value);
	return list_length(variables) == 1 &&
		blt_value_statistics(root, linitial(variables), statistics);
}

/* Are some values of a column far more common than others? */
static bool
is_skewed(PlannerInfo *root, Node *value, double distinct)
{
	VariableStatData column;
	AttStatsSlot slot;
	double		most_common = 0.0;

	examine_variable(root, value, 0, &column);
	if (HeapTupleIsValid(column.statsTuple) &&
		get_attstatsslot(&slot, column.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers > 0)
			most_common = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(column);
	return most_common * distinct > MAX_SKEW;
}

/* Is a condition on this value alone, which is a column? */
static bool
is_on_value(Node *condition, Node *value)
{
	Node	   *clause = IsA(condition, RestrictInfo) ?
		(Node *) ((RestrictInfo *) condition)->clause : condition;
	List	   *variables = blt_variables(clause);
	ListCell   *cell;

	foreach(cell, variables)
	{
		if (!equal(lfirst(cell), value))
			return false;
	}
	return variables != NIL;
}

/*
 * A condition on the value itself takes all rows of some values; any other
 * takes rows at random, some of each value.
 */
double
blt_values_left(PlannerInfo *root, Node *value, double distinct, double rows,
				List *conditions, double share)
{
	List	   *on_value = NIL;
	List	   *others = NIL;
	double		share_of_values;
	double		left;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		if (is_on_value((Node *) lfirst(cell), value))
			on_value = lappend(on_value, lfirst(cell));
		else
			others = lappend(others, lfirst(cell));
	}
	share_of_values = clauselist_selectivity(root, on_value, 0, JOIN_INNER, NULL);
	share *= share_of_values * clauselist_selectivity(root, others, 0, JOIN_INNER, NULL);
	CLAMP_PROBABILITY(share);
	left = distinct * (1.0 - pow(1.0 - share, rows / distinct));
	if (on_value != NIL && !is_skewed(root, value, distinct))
		left = Min(left, distinct * share_of_values);
	return left;
}
