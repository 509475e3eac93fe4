/*
 * membership.c
 *	  Recognizes calls that ask a filter about a key.
 *
 * The function to be estimated is known by its address.  Those in other
 * conditions are known by their names in the library: to look at a function
 * must not load the library that it is in.
 */
#include "compat.h"

#include "planner/membership.h"

#include "access/transam.h"
#include "filter/filter_membership.h"
#include "nodes/nodeFuncs.h"
#include "planner/expression.h"
#include "types/sql_functions.h"
#include "utils/lsyscache.h"

#define NAMED(function)		function, #function

static const MembershipFunction membership_functions[] = {
	{NAMED(bloomtype_contains), 2, 0, 1, -1, false, false},
	{NAMED(bloomtype_contained), 2, 1, 0, -1, false, false},
	{NAMED(bloomtype_contains_any), 2, 0, 1, -1, true, false},
	{NAMED(bloomtype_contains_all), 2, 0, 1, -1, true, true},
	{NAMED(bloomtype_external_contains), 3, 0, 2, 1, false, false},
	{NAMED(bloomtype_external_contains_any), 3, 0, 2, 1, true, false},
	{NAMED(bloomtype_external_contains_all), 3, 0, 2, 1, true, true},
};

static bool
take_apart(const MembershipFunction *function, Oid oid, List *args, MembershipCall *call)
{
	if (list_length(args) != function->nargs)
		return false;
	call->function = function;
	call->function_oid = oid;
	call->filter = (Node *) list_nth(args, function->filter_argno);
	call->value = (Node *) list_nth(args, function->value_argno);
	call->format = function->format_argno < 0 ? NULL :
		(Node *) list_nth(args, function->format_argno);
	return true;
}

bool
blt_membership_call(Oid function, List *args, MembershipCall *call)
{
	FmgrInfo	info;

	fmgr_info(function, &info);
	for (size_t i = 0; i < lengthof(membership_functions); i++)
	{
		if (membership_functions[i].function == info.fn_addr)
			return take_apart(&membership_functions[i], function, args, call);
	}
	return false;
}

/*
 * The function that an expression calls, itself or by an operator; else none.
 */
static Oid
called_oid(Node *node)
{
	if (IsA(node, FuncExpr))
		return ((FuncExpr *) node)->funcid;
	if (IsA(node, OpExpr))
		return get_opcode(((OpExpr *) node)->opno);
	if (IsA(node, ScalarArrayOpExpr))
		return get_opcode(((ScalarArrayOpExpr *) node)->opno);
	return InvalidOid;
}

/* The function of a name; null if it is none. */
static const MembershipFunction *
find_by_name(Oid oid)
{
	char	   *name = oid >= FirstNormalObjectId ? blt_c_name(oid) : NULL;

	for (size_t i = 0; name != NULL && i < lengthof(membership_functions); i++)
	{
		if (strcmp(membership_functions[i].name, name) == 0)
			return &membership_functions[i];
	}
	return NULL;
}

bool
blt_is_same_function(Node *node, const MembershipCall *call, MembershipCall *other)
{
	return called_oid(node) == call->function_oid && !IsA(node, ScalarArrayOpExpr) &&
		take_apart(call->function, call->function_oid, blt_arguments(node), other);
}

bool
blt_is_membership_call(Node *node, MembershipCall *call)
{
	Oid			oid = called_oid(node);
	const MembershipFunction *function = find_by_name(oid);

	return function != NULL && !IsA(node, ScalarArrayOpExpr) &&
		take_apart(function, oid, blt_arguments(node), call);
}

static bool
asks_filter_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return find_by_name(called_oid(node)) != NULL ||
		expression_tree_walker(node, asks_filter_walker, context);
}

bool
blt_asks_filter(Node *node)
{
	return asks_filter_walker(node, NULL);
}
