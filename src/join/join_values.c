/*
 * join_values.c
 *	  Counts the values of a table's column by its statistics.
 */
#include "compat.h"

#include "join/join_values.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "join/plan_nodes.h"
#include "optimizer/optimizer.h"
#include "statistics/column_statistics.h"
#include "utils/syscache.h"

static HeapTuple
statistics_of(Oid table, AttrNumber column)
{
	return SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(table), Int16GetDatum(column),
						   BoolGetDatum(false));
}

double
blt_join_distinct_values(Oid table, AttrNumber column)
{
	HeapTuple	statistics = statistics_of(table, column);
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

/* How values are spread; false if that is unknown */
static bool
read_values(Oid table, AttrNumber column, ColumnStatistics *values)
{
	HeapTuple	statistics = statistics_of(table, column);

	memset(values, 0, sizeof(*values));
	if (!HeapTupleIsValid(statistics))
		return false;
	blt_statistics_read(statistics, values);
	ReleaseSysCache(statistics);
	return values->all.nvalues > 0;
}

/* The correlation of a column with the order of its table; 0 if unknown */
static double
order_of(Oid table, AttrNumber column)
{
	HeapTuple	statistics = statistics_of(table, column);
	double		correlation;

	if (!HeapTupleIsValid(statistics))
		return 0;
	correlation = blt_statistics_correlation(statistics);
	ReleaseSysCache(statistics);
	return correlation;
}

/*
 * The conditions of a scan, on columns of its table.  An index-only scan has
 * them on columns of the index.
 */
static List *
conditions_of(Plan *scan)
{
	uint16		conditions = blt_join_plan_node(scan)->conditions;

	return conditions == 0 ? scan->qual :
		list_concat_copy(scan->qual, BLT_JOIN_MEMBER(List *, scan, conditions));
}

/*
 * Does a scan select rows by a column that is in the order of a key, such as
 * the year beside the day?  Then their keys are side by side.
 */
static bool
selects_range(Plan *scan, Oid table, AttrNumber key)
{
	double		order = order_of(table, key);
	ListCell   *cell;

	foreach(cell, order == 0 ? NIL : pull_var_clause((Node *) conditions_of(scan), 0))
	{
		Var		   *var = lfirst_node(Var, cell);

		if (var->varno == (int) ((Scan *) scan)->scanrelid && var->varattno > 0 &&
			blt_statistics_same_order(order, order_of(table, var->varattno)))
			return true;
	}
	return false;
}

double
blt_join_values_of_key(Oid table, AttrNumber column, Oid other, AttrNumber key, Plan *scan)
{
	double		distinct = blt_join_distinct_values(other, key);
	ColumnStatistics values;
	ColumnStatistics keys;
	double		part;

	if (distinct <= 0 || !read_values(table, column, &values) || !read_values(other, key, &keys))
		return 0;
	part = blt_statistics_part_used(&keys.all, &values.all);
	return part > 0 && !selects_range(scan, other, key) ? distinct : distinct * part;
}
