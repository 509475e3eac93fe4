/*
 * expression.h
 *	  Expressions of a query that is being planned.
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
 * The entry of a variable in the range table; null for a variable of a set
 * operation, of a finished plan or of an outer level, which has none.
 */
extern RangeTblEntry *blt_range_table_entry(PlannerInfo *root, const Var *var);

/* A relation of the range table, if it is there already; or null. */
extern RelOptInfo *blt_base_relation(PlannerInfo *root, int relid);

/*
 * The number of the one relation that an expression has variables of; else 0.
 */
extern int	blt_relation_of(PlannerInfo *root, Node *node);

/*
 * Are all variables of an expression of relations that the planner has made?
 */
extern bool blt_has_relations(PlannerInfo *root, Node *node);

/* The arguments of a call, as a function or an operator; else none. */
extern List *blt_arguments(Node *node);

/* The variables in an expression. */
extern List *blt_variables(Node *node);

/* Is this a null constant? */
extern bool blt_is_null(Node *node);

/*
 * Is this a constant of variable length that is not null, as a filter and a
 * matrix of filters are?
 */
extern bool blt_is_varlena_const(Node *node);

/*
 * The number of elements that an array will have, and whether any is known to
 * be null; negative if that is not known.
 */
extern int	blt_count_elements(Node *array, bool *has_null);

/*
 * An expression without what changes no key around it: casts to another name
 * or length of a type, to a domain and to a wider number, and bloom_key.
 */
extern Node *blt_without_casts(Node *node);

#endif							/* BLOOMTYPE_EXPRESSION_H */
