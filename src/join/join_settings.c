/*
 * join_settings.c
 *	  The settings bloomtype_join.*, which any user may set.
 */
#include "compat.h"

#include <limits.h>

#include "join/join_settings.h"
#include "utils/guc.h"

int			blt_join_enable = JOIN_ENABLE_ON;
double		blt_join_max_pass = 0.6;
int			blt_join_min_rows = 20000;

/* Where the call of the planner that is under way has its own value */
static int *enable_of_call = NULL;

static const struct config_enum_entry enable_options[] = {
	{"off", JOIN_ENABLE_OFF, false},
	{"on", JOIN_ENABLE_ON, false},
	{"force", JOIN_ENABLE_FORCE, false},
	{"false", JOIN_ENABLE_OFF, true},
	{"true", JOIN_ENABLE_ON, true},
	{"no", JOIN_ENABLE_OFF, true},
	{"yes", JOIN_ENABLE_ON, true},
	{"0", JOIN_ENABLE_OFF, true},
	{"1", JOIN_ENABLE_ON, true},
	{NULL, 0, false}
};

/*
 * The first value that is set during a call is the hint of another planner
 * hook, which takes it back before this one gets the plan.
 */
static void
assign_enable(int value, void *extra)
{
	if (enable_of_call != NULL)
		*enable_of_call = value;
	enable_of_call = NULL;
}

int *
blt_join_set_enable_of_call(int *enable)
{
	int		   *outer = enable_of_call;

	enable_of_call = enable;
	return outer;
}

void
blt_join_define_settings(void)
{
	DefineCustomEnumVariable("bloomtype_join.enable",
							 "Where hash joins filter the scans of their outer side.",
							 "on: where it is expected to pay; force: wherever it is right.",
							 &blt_join_enable, JOIN_ENABLE_ON, enable_options,
							 PGC_USERSET, 0, NULL, assign_enable, NULL);
	DefineCustomRealVariable("bloomtype_join.max_pass",
							 "Highest share of rows that a filter may be expected to pass.",
							 NULL, &blt_join_max_pass, 0.6, 0.0, 1.0,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("bloomtype_join.min_rows",
							"Fewest rows that a scan must be expected to return to get a filter.",
							NULL, &blt_join_min_rows, 20000, 0, INT_MAX,
							PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("bloomtype_join");
}
