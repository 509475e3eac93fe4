/*
 * column.c
 *	  Statistics where those that the server looks up do not tell enough: of
 *	  expressions, of all partitions of a table, and of relations that have
 *	  not been sized.
 */
#include "compat.h"

#include "planner/column.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "planner/expression.h"
#include "planner/membership.h"
#include "utils/syscache.h"

bool
blt_examine_value(PlannerInfo *root, Node *value, int relation, VariableStatData *column)
{
	List	   *variables;

	examine_variable(root, value, relation, column);
	if (HeapTupleIsValid(column->statsTuple) || column->isunique ||
		(column->var != NULL && IsA(column->var, Var)))
		return true;

	variables = blt_variables(value);
	if (list_length(variables) != 1)
		return true;
	ReleaseVariableStats(*column);
	examine_variable(root, linitial(variables), relation, column);
	return false;
}

/*
 * The rows of the relations that a table or set operation consists of, as far
 * as the query reads them; negative: not known.
 */
static double
tuples_of_children(PlannerInfo *root, int parent)
{
	double		tuples = -1.0;
	ListCell   *cell;

	foreach(cell, root->append_rel_list)
	{
		int			relid = ((AppendRelInfo *) lfirst(cell))->child_relid;
		RelOptInfo *child = blt_base_relation(root, relid);

		/* one that is pruned has none */
		if (child != NULL && !planner_rt_fetch(relid, root)->inh &&
			blt_topmost_relation(root, relid) == parent)
		{
			double		more = blt_relation_tuples(root, relid);

			if (more < 0.0)
				return -1.0;
			tuples = Max(tuples, 0.0) + more;
		}
	}
	return tuples;
}

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
	if (entry->inh)
	{
		/*
		 * Of a partitioned table that was analyzed, as a whole, as statistics
		 * are.  Otherwise those of its parts; once it is sized, its own are
		 * those that conditions have left.
		 */
		double		tuples = entry->rtekind == RTE_RELATION &&
			entry->relkind == RELKIND_PARTITIONED_TABLE ?
			blt_analyzed_tuples(entry->relid) : -1.0;

		return tuples >= 0.0 ? tuples : tuples_of_children(root, relid);
	}
	switch (entry->rtekind)
	{
		case RTE_RELATION:
			return relation->tuples;
		case RTE_VALUES:
			return list_length(entry->values_lists);
		case RTE_FUNCTION:
		case RTE_TABLEFUNC:
			return -1.0;
		default:
			return relation->rows > 0.0 ? relation->tuples : -1.0;
	}
}

bool
blt_is_of_variable(Node *node, const Var *var)
{
	List	   *variables = blt_variables(node);
	ListCell   *cell;

	foreach(cell, variables)
	{
		if (!equal(lfirst(cell), var))
			return false;
	}
	return variables != NIL;
}

List *
blt_conditions_on(List *conditions, const Var *var)
{
	List	   *on_variable = NIL;
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Node	   *condition = (Node *) lfirst(cell);

		if (blt_is_of_variable(IsA(condition, RestrictInfo) ?
							   (Node *) ((RestrictInfo *) condition)->clause : condition,
							   var))
			on_variable = lappend(on_variable, condition);
	}
	return on_variable;
}

double
blt_values_in_share(double values, double rows, double share)
{
	CLAMP_PROBABILITY(share);
	return share < 1.0 ? values * (1.0 - pow(1.0 - share, rows / values)) : values;
}

List *
blt_plain_conditions(PlannerInfo *root, int relid)
{
	List	   *conditions = NIL;
	ListCell   *cell;

	foreach(cell, blt_base_relation(root, relid)->baserestrictinfo)
	{
		if (!blt_asks_filter((Node *) lfirst_node(RestrictInfo, cell)->clause))
			conditions = lappend(conditions, lfirst(cell));
	}
	return conditions;
}

double
blt_values_left(PlannerInfo *root, Node *value, List *conditions, double values,
				double tuples, double share)
{
	double		left = blt_values_in_share(values, tuples, share);
	double		let_through;

	/* conditions on the column itself take all rows of some values */
	if (IsA(value, Var))
		conditions = blt_conditions_on(conditions, (Var *) value);
	else
		conditions = NIL;
	if (conditions == NIL)
		return left;
	let_through = values * clauselist_selectivity(root, conditions, 0, JOIN_INNER, NULL);
	return Min(left, let_through);
}

double
blt_null_share(const VariableStatData *column)
{
	return HeapTupleIsValid(column->statsTuple) ?
		((Form_pg_statistic) GETSTRUCT(column->statsTuple))->stanullfrac : 0.0;
}

Var *
blt_column_of_whole(PlannerInfo *root, const Var *var)
{
	AttrNumber	attno = var->varattno;
	int			relid;

	for (relid = var->varno;
		 root->append_rel_array != NULL && root->append_rel_array[relid] != NULL;
		 relid = root->append_rel_array[relid]->parent_relid)
	{
		AppendRelInfo *info = root->append_rel_array[relid];

		if (attno < 1 || attno > info->num_child_cols)
			return NULL;
		attno = info->parent_colnos[attno - 1];
	}
	if (attno < 1 || relid == var->varno || blt_base_relation(root, relid) == NULL)
		return NULL;
	return makeVar(relid, attno, var->vartype, var->vartypmod, var->varcollid, 0);
}

/*
 * The statistics of a column of a table, with all its partitions if the query
 * reads these; false where there are none.  examine_variable takes ten times
 * as long, and there may be many partitions to estimate.
 */
static bool
find_statistics(PlannerInfo *root, const Var *column, double *stadistinct, double *null_share)
{
	RangeTblEntry *table = planner_rt_fetch(column->varno, root);
	HeapTuple	tuple;

	if (table->rtekind != RTE_RELATION)
		return false;
	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table->relid),
							Int16GetDatum(column->varattno), BoolGetDatum(table->inh));
	if (!HeapTupleIsValid(tuple))
		return false;
	*stadistinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
	*null_share = ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	ReleaseSysCache(tuple);
	return true;
}

/*
 * get_variable_numdistinct of a relation that would have this number of rows.
 */
static double
distinct_values_of_tuples(const VariableStatData *column, double tuples, bool *is_guess)
{
	VariableStatData sized = *column;
	RelOptInfo	relation = *column->rel;

	relation.tuples = tuples;
	sized.rel = &relation;
	return get_variable_numdistinct(&sized, is_guess);
}

double
blt_distinct_values(PlannerInfo *root, VariableStatData *column, bool *is_guess)
{
	Var		   *var = (Var *) column->var;
	double		ndistinct = get_variable_numdistinct(column, is_guess);
	double		of_whole;
	double		null_share;
	Var		   *parent;
	double		tuples;

	if (var == NULL || !IsA(var, Var) || column->rel == NULL)
		return ndistinct;

	if (column->rel->reloptkind == RELOPT_BASEREL &&
		(tuples = blt_relation_tuples(root, column->rel->relid)) > 0.0)
		return distinct_values_of_tuples(column, tuples, is_guess);

	if (column->rel->reloptkind != RELOPT_OTHER_MEMBER_REL ||
		(parent = blt_column_of_whole(root, var)) == NULL ||
		!find_statistics(root, parent, &of_whole, &null_share))
		return ndistinct;
	if (of_whole < 0.0)
		of_whole *= -blt_relation_tuples(root, parent->varno);
	if (of_whole <= 0.0)
		return ndistinct;
	*is_guess = false;
	return clamp_row_est(of_whole);
}

double
blt_count_values(PlannerInfo *root, Node *value, double *null_share, bool *is_guess)
{
	VariableStatData column;
	double		stadistinct;
	double		ndistinct;

	if (IsA(value, Var) && find_statistics(root, (Var *) value, &stadistinct, null_share) &&
		stadistinct != 0.0)
	{
		*is_guess = false;
		if (stadistinct < 0.0)
			stadistinct *= -Max(blt_relation_tuples(root, ((Var *) value)->varno), 0.0);
		return clamp_row_est(stadistinct);
	}

	examine_variable(root, value, 0, &column);
	*null_share = blt_null_share(&column);
	ndistinct = blt_distinct_values(root, &column, is_guess);
	ReleaseVariableStats(column);
	return ndistinct;
}
