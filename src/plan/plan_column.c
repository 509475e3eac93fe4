/*
 * plan_column.c
 *	  Finds the statistics of columns of a query.
 *
 * The rows of UNION ALL are those of its parts, each with statistics of its
 * own, which are put together.
 */
#include "compat.h"

#include "miscadmin.h"
#include "optimizer/pathnode.h"
#include "plan/plan_column.h"
#include "utils/selfuncs.h"

Node *
blt_plan_strip_relabels(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/*
 * UNION ALL
 */

/* The column of a part, or NULL: it has an expression there, or is none. */
static PlanColumn *
column_of_part(PlanColumns *columns, PlanColumn *column, AppendRelInfo *part)
{
	int			number = column->var->varattno;
	Var		   *var = number < 1 || number > list_length(part->translated_vars) ? NULL :
		list_nth(part->translated_vars, number - 1);

	if (var == NULL || !IsA(var, Var) || var->varno != (int) part->child_relid)
		return NULL;
	return blt_plan_column(columns, var);
}

/* The parts of UNION ALL; NIL if a column of one is unknown. */
static List *
parts_of(PlanColumns *columns, PlanColumn *column)
{
	List	   *parts = NIL;
	ListCell   *cell;

	foreach(cell, columns->root->append_rel_list)
	{
		AppendRelInfo *part = lfirst_node(AppendRelInfo, cell);
		RelOptInfo *rel;
		PlanColumn *of_part;

		if ((int) part->parent_relid != column->var->varno)
			continue;
		rel = columns->root->simple_rel_array[part->child_relid];
		if (rel == NULL)
			return NIL;
		if (IS_DUMMY_REL(rel))
			continue;
		of_part = column_of_part(columns, column, part);
		if (of_part == NULL || of_part->distinct == 0)
			return NIL;
		parts = lappend(parts, of_part);
	}
	return parts;
}

/* What all parts together may have */
#define MAX_BOUNDS	1000000

/*
 * A value at which rows of a part begin, or end, that are spread evenly up to
 * there; or one that rows of it have
 */
typedef struct Bound
{
	double		value;
	double		change;			/* of the rows for each unit from here on */
	double		rows;			/* of this value */
} Bound;

#define ST_SORT sort_bounds
#define ST_ELEMENT_TYPE Bound
#define ST_COMPARE(a, b) ((a)->value < (b)->value ? -1 : (a)->value > (b)->value)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Add the bounds of a part with so many rows; returns the place after them. */
static Bound *
add_bounds(const ColumnDistribution *part, double rows, Bound *bounds)
{
	for (int i = 0; i < part->nvalues; i++)
	{
		const double width = i == 0 ? 0 : part->values[i] - part->values[i - 1];
		const double between = rows * (part->below[i] - (i == 0 ? 0 : part->below[i - 1]));

		bounds[i] = (Bound)
		{
			.value = part->values[i],.rows = width > 0 ? 0 : between
		};
		if (width > 0)
		{
			bounds[i - 1].change += between / width;
			bounds[i].change -= between / width;
		}
	}
	return bounds + part->nvalues;
}

/* The rows of all parts, between each two of their bounds */
static void
add_up_bounds(ColumnDistribution *d, Bound *bounds, int n)
{
	double		rows_per_unit = 0;

	sort_bounds(bounds, n);
	blt_statistics_allocate(d, n);
	for (int i = 0; i < n; i++)
	{
		d->values[i] = bounds[i].value;
		d->below[i] = bounds[i].rows;
		if (i > 0)
			d->below[i] += Max(rows_per_unit, 0) * (bounds[i].value - bounds[i - 1].value);
		rows_per_unit += bounds[i].change;
	}
	blt_statistics_sum_up(d);
}

static void
add_up_parts(PlanColumns *columns, PlanColumn *column)
{
	List	   *parts = parts_of(columns, column);
	double		total = 0;
	double		not_null = 0;
	int			nbounds = 0;
	Bound	   *bounds;
	Bound	   *end;
	ListCell   *cell;

	foreach(cell, parts)
	{
		PlanColumn *part = lfirst(cell);
		double		rows = find_base_rel(columns->root, part->var->varno)->rows;

		CHECK_FOR_INTERRUPTS();
		if (!blt_plan_read_distribution(columns, part))
			return;
		nbounds += part->statistics.all.nvalues;
		total += rows;
		not_null += rows * (1 - part->statistics.nulls);
	}
	if (parts == NIL || not_null <= 0 || nbounds > MAX_BOUNDS)
		return;
	column->statistics.nulls = 1 - not_null / total;
	end = bounds = palloc(nbounds * sizeof(Bound));
	foreach(cell, parts)
	{
		PlanColumn *part = lfirst(cell);

		end = add_bounds(&part->statistics.all,
						 find_base_rel(columns->root, part->var->varno)->rows *
						 (1 - part->statistics.nulls), end);
	}
	add_up_bounds(&column->statistics.all, bounds, nbounds);
	pfree(bounds);
}

/*
 * Columns
 */

static PlanColumn *
make_column(PlanColumns *columns, Var *var)
{
	PlanColumn *column = palloc0(sizeof(PlanColumn));
	RangeTblEntry *rte = columns->root->simple_rte_array[var->varno];
	VariableStatData stats;
	bool		is_default;
	ListCell   *cell;

	column->var = var;
	column->is_union = rte->rtekind == RTE_SUBQUERY && rte->inh;
	columns->list = lappend(columns->list, column);
	if (column->is_union)
	{
		/* at least as many values as the part with most of them has */
		foreach(cell, parts_of(columns, column))
			column->distinct = Max(column->distinct, ((PlanColumn *) lfirst(cell))->distinct);
		return column;
	}
	examine_variable(columns->root, (Node *) var, 0, &stats);
	column->distinct = get_variable_numdistinct(&stats, &is_default);
	if (is_default)
		column->distinct = 0;
	if (HeapTupleIsValid(stats.statsTuple))
		column->order = blt_statistics_correlation(stats.statsTuple);
	ReleaseVariableStats(stats);
	return column;
}

PlanColumn *
blt_plan_column(PlanColumns *columns, Var *var)
{
	ListCell   *cell;

	foreach(cell, columns->list)
	{
		PlanColumn *column = lfirst(cell);

		if (column->var->varno == var->varno &&
			column->var->varattno == var->varattno)
			return column;
	}
	return make_column(columns, var);
}

bool
blt_plan_read_distribution(PlanColumns *columns, PlanColumn *column)
{
	VariableStatData stats;

	if (!column->is_read && column->is_union)
		add_up_parts(columns, column);
	else if (!column->is_read)
	{
		examine_variable(columns->root, (Node *) column->var, 0, &stats);
		if (HeapTupleIsValid(stats.statsTuple))
			blt_statistics_read(stats.statsTuple, &column->statistics);
		ReleaseVariableStats(stats);
	}
	column->is_read = true;
	return column->statistics.all.nvalues > 0;
}
