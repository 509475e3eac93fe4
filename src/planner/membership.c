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

bool
blt_membership_call(Oid function_oid, List *args, MembershipCall *call)
{
	const MembershipFunction *function = membership_functions;
	FmgrInfo	info;

	fmgr_info(function_oid, &info);
	while (function->function != info.fn_addr)
	{
		if (++function == membership_functions + lengthof(membership_functions))
			return false;
	}
	if (list_length(args) != function->nargs)
		return false;
	call->function = function;
	call->function_oid = function_oid;
	call->filter = (Node *) list_nth(args, function->filter_argno);
	call->value = (Node *) list_nth(args, function->value_argno);
	call->format = function->format_argno < 0 ? NULL :
		(Node *) list_nth(args, function->format_argno);
	return true;
}

/*
 * The function that an expression calls, itself or by an operator, unless it
 * is one of the server; else none.
 */
static Oid
called_oid(Node *node)
{
	Oid			operator = IsA(node, OpExpr) ? ((OpExpr *) node)->opno :
		IsA(node, ScalarArrayOpExpr) ? ((ScalarArrayOpExpr *) node)->opno : InvalidOid;
	Oid			function = IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid :
		operator >= FirstNormalObjectId ? get_opcode(operator) : InvalidOid;

	return function >= FirstNormalObjectId ? function : InvalidOid;
}

bool
blt_is_same_call(Node *node, const MembershipCall *call, Node *value)
{
	List	   *args = blt_arguments(node);
	const MembershipFunction *function = call->function;

	return called_oid(node) == call->function_oid &&
		list_length(args) == function->nargs &&
		equal(list_nth(args, function->value_argno), value) &&
		equal(list_nth(args, function->filter_argno), call->filter) &&
		(call->format == NULL || equal(list_nth(args, function->format_argno), call->format));
}

static bool
has_call_walker(Node *node, void *context)
{
	Oid			oid;
	char	   *name;

	if (node == NULL)
		return false;
	oid = called_oid(node);
	name = OidIsValid(oid) ? blt_c_name(oid) : NULL;
	for (size_t i = 0; name != NULL && i < lengthof(membership_functions); i++)
	{
		if (strcmp(membership_functions[i].name, name) == 0)
			return true;
	}
	return expression_tree_walker(node, has_call_walker, context);
}

List *
blt_conditions_without_filters(PlannerInfo *root, int relid)
{
	List	   *conditions = NIL;
	ListCell   *cell;

	foreach(cell, blt_base_relation(root, relid)->baserestrictinfo)
	{
		if (!has_call_walker((Node *) lfirst_node(RestrictInfo, cell)->clause, NULL))
			conditions = lappend(conditions, lfirst(cell));
	}
	return conditions;
}
