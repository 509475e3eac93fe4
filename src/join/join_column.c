/*
 * join_column.c
 *	  Follows a column of a plan down to its children, and to a table.
 */
#include "compat.h"

#include "join/join_column.h"
#include "join/plan_nodes.h"
#include "miscadmin.h"
#include "parser/parsetree.h"

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

AttrNumber
blt_join_source_column(Plan *plan, AttrNumber column, int varno)
{
	TargetEntry *entry;

	if (column > list_length(plan->targetlist))
		return 0;
	entry = list_nth_node(TargetEntry, plan->targetlist, column - 1);
	return blt_join_plain_column((Node *) entry->expr, varno);
}

static Plan *
source_of_scan(Plan *plan, AttrNumber column, AttrNumber *attribute)
{
	Index		scanrelid = ((Scan *) plan)->scanrelid;

	if (IsA(plan, IndexOnlyScan))
	{
		List	   *index_columns = ((IndexOnlyScan *) plan)->indextlist;
		AttrNumber	index_column = blt_join_source_column(plan, column, INDEX_VAR);

		if (index_column == 0 || index_column > list_length(index_columns))
			return NULL;
		*attribute = blt_join_plain_column((Node *) list_nth_node(TargetEntry, index_columns,
																  index_column - 1)->expr,
										   scanrelid);
	}
	else
		*attribute = blt_join_source_column(plan, column, scanrelid);
	return *attribute == 0 ? NULL : plan;
}

Plan *
blt_join_source_of_column(Plan *plan, AttrNumber column, AttrNumber *attribute)
{
	AttrNumber	source;

	check_stack_depth();
	switch (blt_join_plan_node(plan)->rows)
	{
		case ROWS_OF_TABLE:
			return source_of_scan(plan, column, attribute);
		case ROWS_OF_SUBQUERY:
			source = blt_join_source_column(plan, column, ((Scan *) plan)->scanrelid);
			return source == 0 ? NULL :
				blt_join_source_of_column(((SubqueryScan *) plan)->subplan, source, attribute);
		default:
			source = blt_join_source_column(plan, column, OUTER_VAR);
			if (source != 0 && plan->lefttree != NULL)
				return blt_join_source_of_column(plan->lefttree, source, attribute);
			source = blt_join_source_column(plan, column, INNER_VAR);
			if (source != 0 && plan->righttree != NULL)
				return blt_join_source_of_column(plan->righttree, source, attribute);
			return NULL;
	}
}

Oid
blt_join_table_of(PlannedStmt *stmt, Plan *scan)
{
	return rt_fetch(((Scan *) scan)->scanrelid, stmt->rtable)->relid;
}
