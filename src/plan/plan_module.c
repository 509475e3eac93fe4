/*
 * plan_module.c
 *	  The library bloomtype_plan: joins with calendars are planned for the rows
 *	  that come.
 *
 * A session that loads it gets a planner hook, in which a call of the planner
 * begins and ends, and two hooks within the planner.
 */
#include "compat.h"

#include "fmgr.h"
#include "optimizer/geqo.h"
#include "optimizer/planner.h"
#include "plan/plan_rows.h"
#include "utils/guc.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype_plan",.version = BLOOMTYPE_VERSION);

static bool is_enabled = true;

static planner_hook_type previous_planner;
static join_search_hook_type previous_join_search;
static set_join_pathlist_hook_type previous_join_pathlist;

static PlannedStmt *
call_planner(BLT_PLANNER_PARAMETERS)
{
	PlannedStmt *volatile stmt = NULL;
	PlannerCall call;

	blt_plan_begin_call(&call);
	PG_TRY();
	{
		stmt = previous_planner != NULL ?
			previous_planner(BLT_PLANNER_ARGUMENTS) : standard_planner(BLT_PLANNER_ARGUMENTS);
	}
	PG_FINALLY();
	{
		blt_plan_end_call(&call);
	}
	PG_END_TRY();
	return stmt;
}

static RelOptInfo *
search_joins(PlannerInfo *root, int levels_needed, List *initial_rels)
{
	if (is_enabled)
		blt_plan_find_corrections(root);
	if (previous_join_search != NULL)
		return previous_join_search(root, levels_needed, initial_rels);
	if (enable_geqo && levels_needed >= geqo_threshold)
		return geqo(root, levels_needed, initial_rels);
	return standard_join_search(root, levels_needed, initial_rels);
}

static void
add_join_paths(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
			   RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData *extra)
{
	if (!blt_plan_correct_rows(root, joinrel, outerrel, innerrel, jointype, extra) &&
		previous_join_pathlist != NULL)
		previous_join_pathlist(root, joinrel, outerrel, innerrel, jointype, extra);
}

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	DefineCustomBoolVariable("bloomtype_plan.enable",
							 "Plans joins with calendars for the rows that statistics show.",
							 NULL, &is_enabled, true, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	MarkGUCPrefixReserved("bloomtype_plan");
	previous_planner = planner_hook;
	planner_hook = call_planner;
	previous_join_search = join_search_hook;
	join_search_hook = search_joins;
	previous_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = add_join_paths;
}
