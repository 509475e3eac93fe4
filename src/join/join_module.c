/*
 * join_module.c
 *	  The library bloomtype_join: hash joins that filter the scans of their
 *	  outer side.
 *
 * A session that loads it gets a planner hook, which changes finished plans,
 * and a hook for utility commands, which only notices EXPLAIN, for the setting
 * that hides filters from it.
 */
#include "compat.h"

#include "fmgr.h"
#include "join/join_nodes.h"
#include "join/join_plan.h"
#include "join/join_settings.h"
#include "optimizer/planner.h"
#include "tcop/utility.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype_join",.version = BLOOMTYPE_VERSION);

static planner_hook_type previous_planner;
static ProcessUtility_hook_type previous_utility;

/* Is an EXPLAIN running that must not show filters? */
static bool is_hidden = false;

static PlannedStmt *
plan_with_filters(BLT_PLANNER_PARAMETERS)
{
	PlannedStmt *stmt = previous_planner != NULL ?
		previous_planner(BLT_PLANNER_ARGUMENTS) : standard_planner(BLT_PLANNER_ARGUMENTS);

	if (blt_join_enable != JOIN_ENABLE_OFF && !is_hidden)
		blt_join_add_filters(stmt);
	return stmt;
}

static void
run_utility(PlannedStmt *pstmt, const char *queryString, bool readOnlyTree,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *queryEnv, DestReceiver *dest, QueryCompletion *qc)
{
	bool		was_hidden = is_hidden;

	is_hidden |= blt_join_debug_hide_explain && IsA(pstmt->utilityStmt, ExplainStmt);
	PG_TRY();
	{
		if (previous_utility != NULL)
			previous_utility(pstmt, queryString, readOnlyTree, context, params, queryEnv, dest, qc);
		else
			standard_ProcessUtility(pstmt, queryString, readOnlyTree, context, params, queryEnv,
									dest, qc);
	}
	PG_FINALLY();
	{
		is_hidden = was_hidden;
	}
	PG_END_TRY();
}

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	blt_join_define_settings();
	blt_join_register_nodes();
	previous_planner = planner_hook;
	planner_hook = plan_with_filters;
	previous_utility = ProcessUtility_hook;
	ProcessUtility_hook = run_utility;
}
