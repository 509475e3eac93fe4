/*
 * join_sides.c
 *	  Chooses between the two hash joins of a table with few rows.
 *
 * The planner may hash a large table that few rows are looked up in, as that
 * seems to cost no more than the other way.  It does not know that these few
 * rows would make a filter for the scan of the table.
 *
 * The join that is preferred is one that the planner considers, too: joins
 * stay in their order, and are of a type that settings and hints allow.  It
 * only seems to cost a little less than the other one.
 */
#include "compat.h"

#include "join/join_key.h"
#include "join/join_settings.h"
#include "join/join_sides.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"

/* The table must have this many times the rows of the other side. */
#define TABLE_TO_OTHER 4

/* The join may cost this many times what the other one does. */
#define TOLERATED_COST 1.1

/*
 * Its costs in place of its own, by those of the other one: less by more than
 * the differences that the planner ignores
 */
#define PREFERRED_COST 0.98

/* The clauses by which a hash join of two relations can join */
static List *
hash_clauses(RelOptInfo *joinrel, RelOptInfo *one, RelOptInfo *other, JoinType jointype,
			 List *restrictlist)
{
	List	   *clauses = NIL;
	ListCell   *cell;

	foreach(cell, restrictlist)
	{
		RestrictInfo *info = lfirst_node(RestrictInfo, cell);

		if (!info->can_join || !OidIsValid(info->hashjoinoperator) ||
			(IS_OUTER_JOIN(jointype) && RINFO_IS_PUSHED_DOWN(info, joinrel->relids)))
			continue;
		if ((bms_is_subset(info->left_relids, one->relids) &&
			 bms_is_subset(info->right_relids, other->relids)) ||
			(bms_is_subset(info->left_relids, other->relids) &&
			 bms_is_subset(info->right_relids, one->relids)))
			clauses = lappend(clauses, info);
	}
	return clauses;
}

/* Is one of the clauses on a column of the table that a filter can use? */
static bool
can_be_filtered(RelOptInfo *table, List *clauses)
{
	ListCell   *cell;

	foreach(cell, clauses)
	{
		OpExpr	   *comparison = (OpExpr *) lfirst_node(RestrictInfo, cell)->clause;
		ListCell   *arg;
		Oid			family;
		Oid			left;
		Oid			right;

		foreach(arg, comparison->args)
		{
			Var		   *column = lfirst(arg);

			if (IsA(column, Var) && column->varno == (int) table->relid && column->varattno > 0 &&
				blt_join_hash_functions(comparison->opno, comparison->inputcollid, &family,
										&left, &right))
				return true;
		}
	}
	return false;
}

/* Is a filter of the join expected to pay? */
static bool
is_worthwhile(RelOptInfo *joinrel, RelOptInfo *table, RelOptInfo *other)
{
	return table->reloptkind == RELOPT_BASEREL && table->rtekind == RTE_RELATION &&
		table->rows >= blt_join_min_rows &&
		table->rows >= TABLE_TO_OTHER * other->rows &&
		joinrel->rows <= blt_join_max_pass * table->rows;
}

static Path *
hash_join(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel, RelOptInfo *innerrel,
		  JoinType jointype, JoinPathExtraData *extra, List *clauses)
{
	Path	   *outer = outerrel->cheapest_total_path;
	Path	   *inner = innerrel->cheapest_total_path;
	JoinCostWorkspace workspace;

	initial_cost_hashjoin(root, &workspace, jointype, clauses, outer, inner, extra, false);
	return (Path *) create_hashjoin_path(root, joinrel, jointype, &workspace, extra, outer, inner,
										 false, extra->restrictlist, NULL, clauses);
}

void
blt_join_prefer_sides(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
					  RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData *extra)
{
	JoinType	other_type = jointype == JOIN_RIGHT ? JOIN_LEFT : jointype;
	JoinPathExtraData other_extra = *extra;
	List	   *clauses;
	Path	   *path;
	Path	   *hashing_table;

	if ((jointype != JOIN_INNER && jointype != JOIN_RIGHT) ||
		!blt_hash_joins_are_enabled(extra) ||
		!is_worthwhile(joinrel, outerrel, innerrel) ||
		!bms_is_empty(joinrel->lateral_relids) ||
		outerrel->cheapest_total_path->param_info != NULL ||
		innerrel->cheapest_total_path->param_info != NULL)
		return;
	clauses = hash_clauses(joinrel, outerrel, innerrel, jointype, extra->restrictlist);
	if (!can_be_filtered(outerrel, clauses))
		return;

	path = hash_join(root, joinrel, outerrel, innerrel, jointype, extra, clauses);
	other_extra.inner_unique = innerrel_is_unique(root, joinrel->relids, innerrel->relids,
												  outerrel, other_type, extra->restrictlist,
												  false);
	if (other_extra.inner_unique)
		compute_semi_anti_join_factors(root, joinrel, innerrel, outerrel, other_type, extra->sjinfo,
									   extra->restrictlist, &other_extra.semifactors);
	hashing_table = hash_join(root, joinrel, innerrel, outerrel, other_type, &other_extra,
							  clauses);

	/* costs of what settings disable are no measure */
	if (hashing_table->total_cost >= disable_cost ||
		path->total_cost < PREFERRED_COST * hashing_table->total_cost ||
		path->total_cost > TOLERATED_COST * hashing_table->total_cost)
		return;
	path->total_cost = PREFERRED_COST * hashing_table->total_cost;
	path->startup_cost = Min(path->startup_cost, path->total_cost);
	add_path(joinrel, path);
}
