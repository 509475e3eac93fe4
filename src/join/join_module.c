/*
 * join_module.c
 *	  The library bloomtype_join: hash joins that filter the scans of their
 *	  outer side.  Its planner hook adds filters to finished plans.
 */
#include "compat.h"

#include "fmgr.h"
#include "join/join_nodes.h"
#include "join/join_plan.h"
#include "join/join_settings.h"
#include "optimizer/planmain.h"
#include "optimizer/planner.h"

PG_MODULE_MAGIC_EXT(.name = "bloomtype_join",.version = BLOOMTYPE_VERSION);

static planner_hook_type previous_planner;

static PlannedStmt *
plan_with_filters(BLT_PLANNER_PARAMETERS)
{
	PlannedStmt *volatile stmt = NULL;
	int			enable = blt_join_enable;
	int		   *outer = blt_join_set_enable_of_call(&enable);
	double		share = 1;

	PG_TRY();
	{
		stmt = previous_planner != NULL ?
			previous_planner(BLT_PLANNER_ARGUMENTS) : standard_planner(BLT_PLANNER_ARGUMENTS);
	}
	PG_FINALLY();
	{
		(void) blt_join_set_enable_of_call(outer);
	}
	PG_END_TRY();
	/* so much of a cursor's rows does the planner expect to be fetched */
	if ((cursorOptions & CURSOR_OPT_FAST_PLAN) != 0)
		share = Min(cursor_tuple_fraction, 1);
	if (enable != JOIN_ENABLE_OFF)
		blt_join_add_filters(stmt, share, enable == JOIN_ENABLE_FORCE);
	return stmt;
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
}
