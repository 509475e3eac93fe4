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

/* Define the settings; called once, when the library is loaded. */
extern void blt_join_define_settings(void);

#endif							/* BLOOMTYPE_JOIN_SETTINGS_H */
