/*
 * join_settings.h
 *	  The settings bloomtype_join.*, which any user may set.
 */
#ifndef BLOOMTYPE_JOIN_SETTINGS_H
#define BLOOMTYPE_JOIN_SETTINGS_H

typedef enum JoinEnable
{
	JOIN_ENABLE_OFF,			/* plans stay as the planner made them */
	JOIN_ENABLE_ON,				/* filters where they are expected to pay */
	JOIN_ENABLE_FORCE,			/* filters wherever they are right; for tests */
} JoinEnable;

extern int	blt_join_enable;
extern double blt_join_max_pass;
extern int	blt_join_min_rows;

/*
 * Have bloomtype_join.enable also in a variable of a call of the planner, if
 * it is set while that is under way, as by a hint of pg_hint_plan; null for
 * none.  Returns what the argument was before, for the end of the call.
 */
extern int *blt_join_set_enable_of_call(int *enable);

/* Define the settings; called once, when the library is loaded. */
extern void blt_join_define_settings(void);

#endif							/* BLOOMTYPE_JOIN_SETTINGS_H */
