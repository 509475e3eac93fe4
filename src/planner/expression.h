/*
 * expression.h
 *	  Expressions of a query that is being planned, and the relations they are
 *	  of.
 *
 * PostgreSQL calls the estimators in many states of planning, and with
 * whatever operator names them.  So nothing here takes for granted that a
 * variable has a relation, or a function its library.
 */
#ifndef BLOOMTYPE_EXPRESSION_H
#define BLOOMTYPE_EXPRESSION_H

#include "fmgr.h"
#include "nodes/pathnodes.h"

/*
 * Is this a call of the function, through whatever SQL name?  Loads its
 * library.
 */
extern bool blt_is_function(Oid oid, PGFunction function);

/*
 * The name in its library of a function in C; null for others, and where
 * there is no such function.  Loads nothing.
 */
extern char *blt_c_name(Oid oid);

/*
 * The entry of a variable in the range table, which that of a set operation
 * or of a finished plan does not have: null.
 */
extern RangeTblEntry *blt_range_table_entry(PlannerInfo *root, const Var *var);

/* A relation of the range table, if it is there already; or null. */
extern RelOptInfo *blt_base_relation(PlannerInfo *root, int relid);

/*
 * The relation that an expression is of, if it is a single one that is there;
 * else 0.
 */
extern int	blt_relation_of(PlannerInfo *root, Node *node);

/*
 * The table of which this one is a partition, at whatever level; else itself.
 */
extern int	blt_topmost_relation(PlannerInfo *root, int relid);

/* The arguments of a call, as a function or an operator; else none. */
extern List *blt_arguments(Node *node);

/* The variables in an expression. */
extern List *blt_variables(Node *node);

/*
 * An expression without what changes no key around it: casts to another name
 * or length of a type, to a domain and to a wider number, and bloom_key.
 */
extern Node *blt_without_casts(Node *node);

/*
 * A copy of an expression with no such casts in any of its parts, in which
 * variables have no length and no collation.  It is for equal() alone.
 */
extern Node *blt_plain_expression(Node *node);

#endif							/* BLOOMTYPE_EXPRESSION_H */
