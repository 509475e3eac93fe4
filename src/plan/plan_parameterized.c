/*
 * plan_parameterized.c
 *	  Corrects the sizes of joins that run again for parameters.
 */
#include "compat.h"

#include "plan/plan_parameterized.h"
#include "optimizer/optimizer.h"

/*
 * The share of the rows of a relation that a path of it returns for values of
 * parameters, apart from those of the other side; -1 if both select rows.
 */
static double
share_of_path(Path *path, RelOptInfo *other)
{
	if (PATH_REQ_OUTER(path) == NULL || bms_is_subset(PATH_REQ_OUTER(path), other->relids))
		return 1;
	return bms_overlap(PATH_REQ_OUTER(path), other->relids) ? -1 :
		path->rows / path->parent->rows;
}

/*
 * The rows of paths with some parameters.  The planner never expects less than
 * one, and a factor may be large, so then they are computed from the rows of
 * the relation, which has been corrected.
 */
static double
parameterized_rows(RelOptInfo *joinrel, ParamPathInfo *info, double factor)
{
	double		rows = info->ppi_rows * factor;
	ListCell   *cell;

	foreach(cell, info->ppi_rows > 1 ? NIL : joinrel->pathlist)
	{
		JoinPath   *path = lfirst(cell);
		double		outer;
		double		inner;

		if (path->path.param_info != info ||
			(!IsA(path, NestPath) && !IsA(path, MergePath) && !IsA(path, HashPath)))
			continue;
		outer = share_of_path(path->outerjoinpath, path->innerjoinpath->parent);
		inner = share_of_path(path->innerjoinpath, path->outerjoinpath->parent);
		if (outer >= 0 && inner >= 0)
			return Min(rows, joinrel->rows * outer * inner);
	}
	return rows;
}

void
blt_plan_correct_parameterized(RelOptInfo *joinrel, double factor, int first)
{
	for (int i = first; i < list_length(joinrel->ppilist); i++)
	{
		ParamPathInfo *info = list_nth(joinrel->ppilist, i);
		double		rows = parameterized_rows(joinrel, info, factor);

		info->ppi_rows = clamp_row_est(Min(rows, joinrel->rows));
	}
}

List *
blt_plan_without_parameterized(List *paths, List *sizes, int first)
{
	List	   *wrong = list_copy_tail(sizes, first);
	List	   *left = NIL;
	ListCell   *cell;

	foreach(cell, paths)
	{
		if (!list_member_ptr(wrong, ((Path *) lfirst(cell))->param_info))
			left = lappend(left, lfirst(cell));
	}
	return left;
}
