/*
 * plain_explain.c
 *	  Plans EXPLAIN with bloomtype_join.enable = off, so that what it prints in
 *	  PostgreSQL's own tests is as without the library, while all other
 *	  statements have filters.
 */
#include "postgres.h"

#include "fmgr.h"
#include "tcop/utility.h"
#include "utils/guc.h"

PG_MODULE_MAGIC;

static ProcessUtility_hook_type previous_utility;

static void
run_utility(PlannedStmt *pstmt, const char *queryString, bool readOnlyTree,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *queryEnv, DestReceiver *dest, QueryCompletion *qc)
{
	const bool	is_explain = IsA(pstmt->utilityStmt, ExplainStmt);
	int			nest_level = 0;

	/* an error ends a transaction, which restores settings, too */
	if (is_explain)
	{
		nest_level = NewGUCNestLevel();
		(void) set_config_option("bloomtype_join.enable", "off", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	}
	if (previous_utility != NULL)
		previous_utility(pstmt, queryString, readOnlyTree, context, params, queryEnv, dest, qc);
	else
		standard_ProcessUtility(pstmt, queryString, readOnlyTree, context, params, queryEnv, dest, qc);
	if (is_explain)
		AtEOXact_GUC(true, nest_level);
}

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	previous_utility = ProcessUtility_hook;
	ProcessUtility_hook = run_utility;
}
