/*
 * plan_nodes.h
 *	  What this library knows of each type of plan node.
 *
 * It is in one table, which names every type of the server's.  A type that is
 * not there returns rows of its own, and is not known to be repeatable, so
 * that each search of a plan ends at it.
 */
#ifndef BLOOMTYPE_PLAN_NODES_H
#define BLOOMTYPE_PLAN_NODES_H

#include "nodes/plannodes.h"

/* Which rows a node returns, apart from its conditions */
typedef enum JoinPlanRows
{
	ROWS_OWN = 0,				/* what it computes, or reads elsewhere */
	ROWS_OF_TABLE,				/* of a table, each whatever the others are */
	ROWS_OF_CHILD,				/* of lefttree */
	ROWS_KEPT_OF_CHILD,			/* the same, but all or none of them, or those
								 * of an earlier run; lefttree may be null */
	ROWS_OF_LIST,				/* of all plans in a list */
	ROWS_OF_SUBQUERY,			/* of the subplan of a SubqueryScan */
	ROWS_OF_SIDES				/* of lefttree and righttree, in a Join */
} JoinPlanRows;

/* What else is true of it */
typedef enum JoinPlanFlags
{
	/* the same set of rows each time, if its input and expressions are */
	PLAN_REPEATS = 1 << 0,
	/* but in the same order, and if as many of its rows are wanted */
	PLAN_MINDS_ORDER = 1 << 1,
	/* reads lefttree as a whole before it returns a row */
	PLAN_READS_AHEAD = 1 << 2,
	/* its rows are those that a snapshot shows of a table */
	PLAN_READS_SNAPSHOT = 1 << 3,
	/* runs righttree again and again */
	PLAN_RUNS_AGAIN = 1 << 4,
	/* runs lefttree in several processes */
	PLAN_RUNS_IN_PROCESSES = 1 << 5,
	/* another library runs it, and what is below it */
	PLAN_IS_FOREIGN = 1 << 6
} JoinPlanFlags;

/* One type; where members of its node are, or 0 */
typedef struct JoinPlanNode
{
	JoinPlanRows rows;
	int			flags;			/* JoinPlanFlags */
	uint16		expressions[3]; /* that only this type has */
	uint16		conditions;		/* on columns of its table, beside qual */
	uint16		children;		/* a list; neither lefttree nor righttree */
	uint16		index;			/* object id of the index that it reads */
	uint16		signal;			/* number of a parameter that only signals
								 * that it runs again, or negative */
} JoinPlanNode;

extern const JoinPlanNode *blt_join_plan_node(Plan *plan);

#define BLT_JOIN_MEMBER(type, plan, place) (*(type *) ((char *) (plan) + (place)))

/* Expressions of a plan that only its type has: a list, as an expression */
extern Node *blt_join_own_expressions(Plan *plan);

/*
 * A list of pointers to where a plan keeps its children, but for lefttree and
 * righttree
 */
extern List *blt_join_other_links(Plan *plan);

#endif							/* BLOOMTYPE_PLAN_NODES_H */
