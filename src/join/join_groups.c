/*
 * join_groups.c
 *	  The number of values in a column by which a sub-select or CTE is
 *	  grouped.
 *
 * The planner has no statistics of such a column, but can tell how many groups
 * there would be, had the query been grouped by that column alone.
 *
 * Statistics that only show this number are right for equality.  A range of
 * values, for which the planner would take half of the rows, is left to what
 * it does without statistics.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_statistic.h"
#include "join/join_column.h"
#include "join/join_groups.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* The columns of a query that has been planned */
typedef struct JoinGroups
{
	PlannerInfo *root;
	double		rows;
	int			ncolumns;
	double	   *values;			/* of column 1, and so on; 0: not grouped by
								 * it */
} JoinGroups;

static RelOptInfo *
relation_of(PlannerInfo *root, RangeTblEntry *entry)
{
	for (int i = 1; i < root->simple_rel_array_size; i++)
	{
		if (root->simple_rte_array[i] == entry)
			return root->simple_rel_array[i];
	}
	return NULL;
}

/* What is left of planning a CTE; NULL if it has no plan */
static PlannerInfo *
planned_cte(PlannerInfo *root, RangeTblEntry *entry)
{
	ListCell   *cell;
	ListCell   *plan;

	for (Index i = 0; i < entry->ctelevelsup; i++)
		root = root->parent_root;

	/* those that follow in the WITH clause have not been planned yet */
	forboth(cell, root->parse->cteList, plan, root->cte_plan_ids)
	{
		if (strcmp(lfirst_node(CommonTableExpr, cell)->ctename, entry->ctename) == 0)
			return lfirst_int(plan) <= 0 ? NULL :
				list_nth(root->glob->subroots, lfirst_int(plan) - 1);
	}
	return NULL;
}

/* What is left of planning a sub-select or CTE; NULL if it is none */
static PlannerInfo *
planned_query(PlannerInfo *root, RangeTblEntry *entry, RelOptInfo *rel)
{
	if (entry->rtekind == RTE_SUBQUERY && !entry->inh)
		return rel->subroot;
	if (entry->rtekind == RTE_CTE && !entry->self_reference)
		return planned_cte(root, entry);
	return NULL;
}

/*
 * What a query is grouped by; NIL if a group may have several rows, if HAVING
 * drops groups, and for a single column after DISTINCT, which the planner
 * knows to be unique
 */
static List *
grouped_by(Query *query)
{
	if (query->groupingSets != NIL || query->setOperations != NULL || query->hasTargetSRFs ||
		query->havingQual != NULL)
		return NIL;
	if (query->distinctClause != NIL)
		return list_length(query->distinctClause) > 1 ? query->distinctClause : NIL;
	return query->groupClause;
}

/*
 * The values of each column.  Of an expression, such as the month of a time,
 * the planner would count all times.  Then nothing is known of the others
 * either: conditions on the expression are expected to leave too few rows,
 * which the default makes up for.
 */
static void
count_values(JoinGroups *groups)
{
	List	   *targets = groups->root->parse->targetList;
	List	   *clauses = grouped_by(groups->root->parse);
	ListCell   *cell;

	groups->ncolumns = list_length(targets);
	groups->values = palloc0((groups->ncolumns + 1) * sizeof(double));
	foreach(cell, clauses)
	{
		if (!IsA(blt_join_strip_relabels(get_sortgroupclause_expr(lfirst(cell), targets)), Var))
			return;
	}
	foreach(cell, clauses)
	{
		TargetEntry *column = get_sortgroupclause_tle(lfirst(cell), targets);

		if (!column->resjunk)
			groups->values[column->resno] =
				estimate_num_groups(groups->root, list_make1(column->expr), groups->rows, NULL,
									NULL);
	}
}

/*
 * The columns of a query, counted when they are first asked for.  GEQO asks in
 * a memory context that it deletes.
 */
static JoinGroups *
groups_of(List **known, PlannerInfo *subroot, double rows)
{
	ListCell   *cell;
	JoinGroups *groups;
	MemoryContext context;

	foreach(cell, *known)
	{
		groups = lfirst(cell);
		if (groups->root == subroot)
			return groups;
	}
	context = MemoryContextSwitchTo(subroot->planner_cxt);
	groups = palloc0(sizeof(JoinGroups));
	groups->root = subroot;
	groups->rows = rows;
	count_values(groups);
	*known = lappend(*known, groups);
	MemoryContextSwitchTo(context);
	return groups;
}

/* Is a column of a relation compared with others? */
static bool
is_joined(RelOptInfo *rel, int column)
{
	int			i = -1;

	while ((i = bms_next_member(rel->attr_needed[column - rel->min_attr], i)) >= 0)
	{
		/* 0 stands for the result of the query */
		if (i != 0 && i != (int) rel->relid)
			return true;
	}
	return false;
}

/*
 * The number of values of a column in its joins.  Each row has a combination
 * of values of its own.  If the numbers of the columns that are joined would
 * make more combinations than there are rows, these columns depend on one
 * another.  Then each is taken to have fewer values, by the same exponent, so
 * that a join by all of them is not expected to have too few rows; but not
 * fewer than the planner would take.
 */
static double
values_in_joins(const JoinGroups *groups, RelOptInfo *rel, int column)
{
	double		values = groups->values[column];
	double		product = 1;

	if (!is_joined(rel, column))
		return values;
	for (int i = 1; i <= Min(groups->ncolumns, rel->max_attr); i++)
	{
		if (groups->values[i] > 0 && is_joined(rel, i))
			product *= groups->values[i];
	}
	if (product <= groups->rows)
		return values;
	return Max(pow(values, log(groups->rows) / log(product)), Min(values, DEFAULT_NUM_DISTINCT));
}

/*
 * Do those conditions of a list that are on a column compare it by equality?
 */
static bool
are_equality(List *conditions, RelOptInfo *rel, Var *column)
{
	ListCell   *cell;

	foreach(cell, conditions)
	{
		Node	   *clause = (Node *) lfirst_node(RestrictInfo, cell)->clause;
		Bitmapset  *columns = NULL;

		pull_varattnos(clause, rel->relid, &columns);
		if (!bms_is_member(column->varattno - FirstLowInvalidHeapAttributeNumber, columns))
			continue;
		if (!(IsA(clause, OpExpr) && get_oprrest(((OpExpr *) clause)->opno) == F_EQSEL) &&
			!(IsA(clause, ScalarArrayOpExpr) && ((ScalarArrayOpExpr *) clause)->useOr &&
			  get_oprrest(((ScalarArrayOpExpr *) clause)->opno) == F_EQSEL))
			return false;
	}
	return true;
}

/*
 * Statistics of a column that only show the number of its values: a row of
 * pg_statistic whose last columns, the arrays, are null
 */
static HeapTuple
make_statistics(double values)
{
	const Size	offset = MAXALIGN(SizeofHeapTupleHeader);
	HeapTuple	tuple = palloc0(HEAPTUPLESIZE + offset + sizeof(FormData_pg_statistic));

	tuple->t_len = offset + sizeof(FormData_pg_statistic);
	tuple->t_data = (HeapTupleHeader) ((char *) tuple + HEAPTUPLESIZE);
	tuple->t_data->t_hoff = offset;
	HeapTupleHeaderSetNatts(tuple->t_data, Anum_pg_statistic_stanumbers1 - 1);
	((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct = values;
	return tuple;
}

bool
blt_join_count_groups(List **known, PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
					  VariableStatData *vardata)
{
	RelOptInfo *rel;
	PlannerInfo *subroot;
	JoinGroups *groups;

	/* for other relations, vardata may not be set */
	if ((entry->rtekind != RTE_SUBQUERY && entry->rtekind != RTE_CTE) || column <= 0)
		return false;
	rel = relation_of(root, entry);

	/* before its rows are known, conditions are only moved */
	if (rel == NULL || rel->tuples <= 0 || column > rel->max_attr)
		return false;

	/* the column may come from a query within that of vardata */
	if (vardata->rel == NULL || vardata->rel->tuples <= 0 || !IsA(vardata->var, Var) ||
		!are_equality(vardata->rel->baserestrictinfo, vardata->rel, (Var *) vardata->var) ||
		!are_equality(vardata->rel->joininfo, vardata->rel, (Var *) vardata->var))
		return false;
	subroot = planned_query(root, entry, rel);
	if (subroot == NULL)
		return false;
	groups = groups_of(known, subroot, rel->tuples);
	if (column > groups->ncolumns || groups->values[column] <= 0)
		return false;
	vardata->statsTuple = make_statistics(values_in_joins(groups, rel, column));
	vardata->freefunc = heap_freetuple;
	vardata->acl_ok = true;		/* no value is disclosed */
	return true;
}
