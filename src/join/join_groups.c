/*
 * join_groups.c
 *	  The number of values in a column by which a sub-select or CTE is grouped.
 *
 * The planner has no statistics of such a column, but can tell how many groups
 * there would be, had the query been grouped by that column alone.
 */
#include "compat.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "join/join_groups.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parsetree.h"

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
 * What a query is grouped by; NIL if nothing, or if a group may have several
 * rows
 */
static List *
groups_of(Query *query)
{
	if (query->groupingSets != NIL || query->setOperations != NULL || query->hasTargetSRFs)
		return NIL;
	return query->distinctClause != NIL ? query->distinctClause : query->groupClause;
}

/*
 * The number of values of one of the columns that a query is grouped by.  Each
 * row has a combination of values of its own.  If the numbers would make more
 * combinations than there are rows, the columns depend on one another, and
 * each is taken to have fewer values, by the same exponent, so that a join of
 * two such queries by all columns is not expected to have too few rows.  But
 * the number never moves further from the true one than the planner's default.
 */
static double
number_of_values(PlannerInfo *root, List *groups, TargetEntry *column, double rows)
{
	double		distinct = 1;
	double		product = 1;
	ListCell   *cell;

	foreach(cell, groups)
	{
		TargetEntry *entry = get_sortgroupclause_tle(lfirst(cell), root->parse->targetList);
		double		values = estimate_num_groups(root, list_make1(entry->expr), rows, NULL, NULL);

		product *= values;
		if (entry == column)
			distinct = values;
	}
	if (product > rows)
		return Max(pow(distinct, log(rows) / log(product)), Min(distinct, DEFAULT_NUM_DISTINCT));
	return distinct;
}

/*
 * Statistics of a column that only show the number of its values: a row of
 * pg_statistic whose last columns, the arrays, are null
 */
static HeapTuple
make_statistics(double distinct)
{
	const Size	offset = MAXALIGN(SizeofHeapTupleHeader);
	HeapTuple	tuple = palloc0(HEAPTUPLESIZE + offset + sizeof(FormData_pg_statistic));

	tuple->t_len = offset + sizeof(FormData_pg_statistic);
	tuple->t_data = (HeapTupleHeader) ((char *) tuple + HEAPTUPLESIZE);
	tuple->t_data->t_hoff = offset;
	HeapTupleHeaderSetNatts(tuple->t_data, Anum_pg_statistic_stanumbers1 - 1);
	((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct = distinct;
	return tuple;
}

bool
blt_join_count_groups(PlannerInfo *root, RangeTblEntry *entry, AttrNumber number,
					  VariableStatData *vardata)
{
	RelOptInfo *rel;
	PlannerInfo *subroot;
	List	   *groups;
	TargetEntry *column;

	if (entry->rtekind == RTE_RELATION || number <= 0)
		return false;
	rel = relation_of(root, entry);
	subroot = rel == NULL ? NULL : planned_query(root, entry, rel);
	groups = subroot == NULL ? NIL : groups_of(subroot->parse);
	if (groups == NIL)
		return false;
	column = get_tle_by_resno(subroot->parse->targetList, number);
	if (column == NULL || !targetIsInSortList(column, InvalidOid, groups))
		return false;
	vardata->statsTuple =
		make_statistics(number_of_values(subroot, groups, column, Max(rel->tuples, 1)));
	vardata->freefunc = heap_freetuple;
	vardata->acl_ok = true;		/* no value is disclosed */
	return true;
}
