/*
 * join_module.c
 *	  The library bloomtype_join: hash joins that filter the scans of their
 *	  outer side.
 *
 * A session that loads it gets a planner hook, which changes finished plans,
 * and three hooks within the planner, which correct the rows it expects of
 * joins.
 */
#include "compat.h"

#include "fmgr.h"
#include "join/join_nodes.h"
#include "join/join_plan.h"
#include "join/join_rows.h"
#include "join/join_settings.h"
#include "join/join_sides.h"
#include "optimizer/geqo.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype_join",.version = BLOOMTYPE_VERSION);

static planner_hook_type previous_planner;
static join_search_hook_type previous_join_search;
static set_join_pathlist_hook_type previous_join_pathlist;
static get_relation_stats_hook_type previous_relation_stats;

static bool
is_active(void)
{
	return blt_join_enable != JOIN_ENABLE_OFF;
}

static PlannedStmt *
call_planner(BLT_PLANNER_PARAMETERS)
{
	return previous_planner != NULL ?
		previous_planner(BLT_PLANNER_ARGUMENTS) : standard_planner(BLT_PLANNER_ARGUMENTS);
}

static PlannedStmt *
plan_with_filters(BLT_PLANNER_PARAMETERS)
{
	PlannedStmt *volatile stmt = NULL;
	volatile bool adds_filters = is_active();
	JoinPlanning planning;

	/* a function that is called while planning may change the settings */
	blt_join_begin_planning(&planning);
	PG_TRY();
	{
		stmt = call_planner(BLT_PLANNER_ARGUMENTS);
		if (adds_filters)
			blt_join_add_filters(stmt);
	}
	PG_FINALLY();
	{
		blt_join_end_planning(&planning);
	}
	PG_END_TRY();
	return stmt;
}

static RelOptInfo *
search_joins(PlannerInfo *root, int levels_needed, List *initial_rels)
{
	if (is_active())
		blt_join_find_corrections(root);
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
	if (blt_join_correct_rows(root, joinrel, outerrel, innerrel, jointype, extra))
		return;
	if (previous_join_pathlist != NULL)
		previous_join_pathlist(root, joinrel, outerrel, innerrel, jointype, extra);
	if (is_active())
		blt_join_prefer_sides(root, joinrel, outerrel, innerrel, jointype, extra);
}

static bool
get_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attnum,
			   VariableStatData *vardata)
{
	if (previous_relation_stats != NULL && previous_relation_stats(root, rte, attnum, vardata))
		return true;
	return is_active() && blt_join_get_statistics(root, rte, attnum, vardata);
}

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	blt_join_define_settings();
	blt_join_register_build();
	blt_join_register_probe();
	previous_planner = planner_hook;
	planner_hook = plan_with_filters;
	previous_join_search = join_search_hook;
	join_search_hook = search_joins;
	previous_join_pathlist = set_join_pathlist_hook;
	set_join_pathlist_hook = add_join_paths;
	previous_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = get_statistics;
}
