/*
 * membership.h
 *	  Calls that ask a filter about a key, as the planner meets them.
 */
#ifndef BLOOMTYPE_MEMBERSHIP_H
#define BLOOMTYPE_MEMBERSHIP_H

#include "fmgr.h"
#include "nodes/pathnodes.h"

/* A function that is estimated; its filters may be of any type. */
typedef struct MembershipFunction
{
	PGFunction	function;
	const char *name;			/* in the library */
	int			nargs;
	int			filter_argno;
	int			value_argno;
	int			format_argno;	/* of filters of other systems; -1: there is
								 * none */
	bool		of_elements;	/* the value is an array of keys: */
	bool		of_all;			/* are all in the filter, or is any? */
} MembershipFunction;

typedef struct MembershipCall
{
	const MembershipFunction *function;
	Oid			function_oid;
	Node	   *filter;
	Node	   *value;
	Node	   *format;			/* null where there is none */
} MembershipCall;

/*
 * Take a call of a function apart; false if it is not estimated.  That is no
 * error: an operator that somebody else makes may name our estimators, and
 * its arguments may be anything.
 */
extern bool blt_membership_call(Oid function, List *args, MembershipCall *call);

/*
 * Is an expression a call like another one, of the same function and filter,
 * but about this value?
 */
extern bool blt_is_same_call(Node *node, const MembershipCall *call, Node *value);

/*
 * The conditions of a base relation in which there is no such call.  Loads no
 * library.
 */
extern List *blt_conditions_without_filters(PlannerInfo *root, int relid);

#endif							/* BLOOMTYPE_MEMBERSHIP_H */
