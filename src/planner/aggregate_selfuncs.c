/*
 * aggregate_selfuncs.c
 *	  Counts the keys of a filter that an aggregate in the query makes.
 *
 * How many distinct keys there are in the rows that the aggregate reads is
 * estimated as for GROUP BY.
 */
#include "compat.h"

#include "planner/aggregate_selfuncs.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "core/image.h"
#include "filter/filter_parameters.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "planner/column.h"
#include "planner/expression.h"
#include "planner/filter_origin.h"
#include "planner/known_filter.h"
#include "types/sql_functions.h"
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

/*
 * A filter that sizes itself by this many keys has the rate that was given,
 * if the table of kinds says so.  That of one of few keys is lower: the
 * number of its bins is rounded up.
 */
#define PRECISELY_SIZED		10000

/* Of a filter of another system, at the default rate */
#define EXTERNAL_BYTES_PER_KEY	1.25

/*
 * Is this an aggregate that makes filters, in whatever form?  It is known by
 * its final function.  Sets the kind: BBF_KIND_ANY if they are of another
 * system.
 */
static bool
find_aggregate(Oid oid, BbfKind *kind)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Oid			final;

	if (!HeapTupleIsValid(tuple))
		return false;
	final = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn;
	ReleaseSysCache(tuple);
	if (!OidIsValid(final))
		return false;

	for (int i = BBF_KIND_ANY; i <= BBF_KIND_MAX; i++)
	{
		if (blt_is_function(final, blt_final_functions[i]))
		{
			*kind = (BbfKind) i;
			return true;
		}
	}
	return false;
}

/*
 * The constant that an argument of an aggregate is, unless it is none, or
 * null.
 */
static Const *
constant_argument(PlannerInfo *root, Aggref *aggregate, int argno)
{
	TargetEntry *argument = (TargetEntry *) list_nth(aggregate->args, argno);
	Node	   *value = estimate_expression_value(root, (Node *) argument->expr);

	if (!IsA(value, Const) || ((Const *) value)->constisnull)
		return NULL;
	return (Const *) value;
}

/*
 * The rate of a layer for capacity keys at fpp when it has a number of keys;
 * fpp for a layer that would be too large, which is an error when it is made.
 */
static double
rate_of_layer(BbfKind kind, uint64 capacity, double fpp, double keys)
{
	BbfGeometry geometry = blt_geometry(kind, capacity, fpp);

	if (geometry.key_bits == 0 ||
		bbf_geometry_bytes(bbf_kind_routine(kind), &geometry) > (double) BBF_MAX_BYTES)
		return fpp;
	return bbf_kind_routine(kind)->fpp_of_keys(&geometry, keys);
}

/*
 * The number that an argument of an aggregate is, the one at argno; 0 if that
 * is not known.
 */
static double
number_argument(PlannerInfo *root, Aggref *aggregate, int argno)
{
	Const	   *constant = constant_argument(root, aggregate, argno);

	if (constant == NULL || constant->consttype != FLOAT8OID)
		return 0.0;
	return DatumGetFloat8(constant->constvalue);
}

/*
 * The rate of the filter that one of our aggregates makes of a number of
 * keys.  Arguments that are not constant are taken for their defaults.
 */
static double
expected_fpp(PlannerInfo *root, Aggref *aggregate, BbfKind kind, double keys)
{
	const BbfKindRoutine *routine = bbf_kind_routine(kind);
	int			nargs = list_length(aggregate->aggargtypes);
	double		fpp = nargs > 1 ? number_argument(root, aggregate, nargs - 1) : 0.0;
	double		capacity = nargs > 2 ? number_argument(root, aggregate, 1) : 0.0;

	if (!(fpp > 0.0 && fpp < 1.0))
		fpp = BLT_DEFAULT_FPP;

	keys = Min(keys, (double) INT64_MAX);

	/* an exact list, or nothing */
	if (keys <= (routine->has_list ? BBF_MAX_LIST : 0))
		return 0.0;
	if (capacity >= 1.0 && capacity < (double) INT64_MAX)
		return rate_of_layer(kind, bbf_first_capacity(kind, (int64) capacity,
													  blt_default_growth(kind)),
							 fpp, keys);
	if (keys >= PRECISELY_SIZED && routine->meets_fpp)
		return fpp;
	return rate_of_layer(kind, (uint64) Max(keys, 1.0), fpp, keys);
}

/*
 * The same of external_bloom_agg(value, format, parameter), or (value,
 * format, capacity, fpp), as a Bloom filter without blocks has it: with the
 * number of bits and probes that is best for c keys at fpp, a filter of n
 * keys has the rate (1 - 2^(-n/c))^(-log2 fpp).
 */
static double
expected_external_fpp(PlannerInfo *root, Aggref *aggregate, double keys)
{
	int			nargs = list_length(aggregate->aggargtypes);
	Const	   *name = constant_argument(root, aggregate, 1);
	double		parameter = number_argument(root, aggregate, nargs - 1);
	double		capacity = nargs > 3 ? number_argument(root, aggregate, 2) : 0.0;
	const BbfExternalFormat *format = blt_format_of_constant(name);

	if (format == NULL)
		return BLT_DEFAULT_FPP;
	if (format->parameter == BBF_EXTERNAL_BITS_PER_KEY)
		parameter = exp(-parameter * log(2.0) * log(2.0));
	if (!(parameter > 0.0 && parameter < 1.0))
		return BLT_DEFAULT_FPP;
	if (!(capacity >= 1.0))
		return parameter;
	return pow(1.0 - exp2(-keys / capacity), -log2(parameter));
}

/*
 * The number of distinct values of a column that the conditions on that
 * column let through, those of its table and further ones, which let this
 * share of rows through; infinite where there are none, or where some values
 * are far more common than others.
 *
 * estimate_num_groups expects conditions to take rows at random, a few of each
 * value.  But a condition on the column itself takes all rows of a few values.
 */
static double
values_let_through(PlannerInfo *root, Var *var, List *further, double further_share)
{
	RelOptInfo *relation = blt_base_relation(root, var->varno);
	VariableStatData column;
	AttStatsSlot slot;
	List	   *of_table = blt_conditions_on(relation->baserestrictinfo, var);
	List	   *of_further = blt_conditions_on(further, var);
	double		ndistinct;
	double		most_common = 0.0;
	bool		is_guess;

	if (of_table == NIL && of_further == NIL)
		return INFINITY;

	examine_variable(root, (Node *) var, 0, &column);
	ndistinct = get_variable_numdistinct(&column, &is_guess);

	/*
	 * a share of the rows of partitions, which have met the conditions
	 * already
	 */
	if (planner_rt_fetch(var->varno, root)->inh &&
		!(HeapTupleIsValid(column.statsTuple) &&
		  ((Form_pg_statistic) GETSTRUCT(column.statsTuple))->stadistinct > 0.0))
		is_guess = true;
	if (HeapTupleIsValid(column.statsTuple) &&
		get_attstatsslot(&slot, column.statsTuple, STATISTIC_KIND_MCV, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers > 0)
			most_common = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(column);
	if (is_guess || most_common * ndistinct > MAX_SKEW)
		return INFINITY;

	/* they may ask a filter of which the same is to be estimated, and so on */
	if (of_table == NIL && list_length(of_further) == list_length(further))
		return ndistinct * further_share;
	return ndistinct * clauselist_selectivity(root, list_concat(of_table, of_further), 0,
											  JOIN_INNER, NULL);
}

/* Rows of the relation that has everything in FROM and WHERE; 0: not known. */
static double
rows_of_query(PlannerInfo *root)
{
	Relids		relids = blt_all_relids(root);
	RelOptInfo *relation = NULL;
	int			relid;

	if (bms_get_singleton_member(relids, &relid))
		relation = blt_base_relation(root, relid);
	else if (!bms_is_empty(relids))
		relation = find_join_rel(root, relids);
	return relation != NULL ? relation->rows : 0.0;
}

/* Count the keys of the filter; false if that cannot be done. */
static bool
count_keys(PlannerInfo *root, Aggref *aggregate, PlannedFilter *filter)
{
	Query	   *query = root->parse;
	Node	   *value = (Node *) ((TargetEntry *) linitial(aggregate->args))->expr;
	List	   *conditions = make_ands_implicit(aggregate->aggfilter);
	double		rows = rows_of_query(root);
	double		let_through;
	EstimationInfo info;
	ListCell   *cell;

	if (rows <= 0.0 || query->groupingSets != NIL)
		return false;
	foreach(cell, blt_variables(value))
	{
		if (blt_base_relation(root, ((Var *) lfirst(cell))->varno) == NULL)
			return false;
	}

	filter->all_keys = estimate_num_groups(root, list_make1(value), rows, NULL, &info);
	filter->is_limit = (info.flags & SELFLAG_USED_DEFAULT) != 0;
	if (filter->is_limit)
		filter->all_keys = rows;
	else if (IsA(value, Var))
	{
		let_through = values_let_through(root, (Var *) value, NIL, 1.0);
		filter->all_keys = clamp_row_est(Min(filter->all_keys, let_through));
	}
	filter->keys = filter->all_keys;

	if (query->groupClause != NIL)
	{
		List	   *columns = get_sortgrouplist_exprs(query->groupClause, query->targetList);
		double		share = 1.0 / estimate_num_groups(root, columns, rows, NULL, NULL);

		/* all rows of a key are in one group, or in any */
		if (IsA(value, Var) && blt_is_of_variable((Node *) columns, (Var *) value))
			filter->keys *= share;
		else
			filter->keys = blt_values_in_share(filter->keys, rows, share);
		filter->keys = clamp_row_est(filter->keys);
		rows = Max(rows * share, filter->keys);
	}
	if (conditions != NIL)
	{
		double		share = clauselist_selectivity(root, conditions, 0, JOIN_INNER, NULL);

		filter->keys = blt_values_in_share(filter->keys, rows, share);
		if (IsA(value, Var) && !filter->is_limit)
		{
			let_through = values_let_through(root, (Var *) value, conditions, share);
			filter->keys = Min(filter->keys, let_through);
		}
	}
	return true;
}

bool
blt_plan_filter(PlannerInfo *root, Node *node, PlannedFilter *filter)
{
	Aggref	   *aggregate = blt_filter_aggregate(&root, node);

	if (aggregate == NULL || !find_aggregate(aggregate->aggfnoid, &filter->kind) ||
		!count_keys(root, aggregate, filter))
		return false;
	if (filter->kind == BBF_KIND_ANY)
	{
		filter->fpp = expected_external_fpp(root, aggregate, filter->keys);
		filter->bytes = filter->keys * EXTERNAL_BYTES_PER_KEY;
	}
	else
	{
		/* at the default rate; others are seldom far from it */
		filter->fpp = expected_fpp(root, aggregate, filter->kind, filter->keys);
		filter->bytes = filter->keys * bbf_kind_routine(filter->kind)->bytes_per_key;
	}
	return true;
}
