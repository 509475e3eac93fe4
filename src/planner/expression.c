/*
 * expression.c
 *	  Takes expressions apart, and finds the relations they are of.
 */
#include "compat.h"

#include "planner/expression.h"

#include "access/htup_details.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "types/sql_functions.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"

bool
blt_is_function(Oid oid, PGFunction function)
{
	FmgrInfo	info;

	fmgr_info(oid, &info);
	return info.fn_addr == function;
}

char *
blt_c_name(Oid oid)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	char	   *name = NULL;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
	{
		bool		is_null;
		Datum		source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &is_null);

		if (!is_null)
			name = TextDatumGetCString(source);
	}
	ReleaseSysCache(tuple);
	return name;
}

RangeTblEntry *
blt_range_table_entry(PlannerInfo *root, const Var *var)
{
	/* the array of them, where there is one, has as many */
	if (var->varlevelsup > 0 || var->varno < 1 ||
		var->varno > list_length(root->parse->rtable))
		return NULL;
	return planner_rt_fetch(var->varno, root);
}

RelOptInfo *
blt_base_relation(PlannerInfo *root, int relid)
{
	if (root->simple_rel_array == NULL ||
		relid < 1 || relid >= root->simple_rel_array_size)
		return NULL;
	return root->simple_rel_array[relid];
}

int
blt_relation_of(PlannerInfo *root, Node *node)
{
	int			relid;

	return bms_get_singleton_member(pull_varnos(root, node), &relid) &&
		blt_base_relation(root, relid) != NULL ? relid : 0;
}

int
blt_topmost_relation(PlannerInfo *root, int relid)
{
	while (root->append_rel_array != NULL && root->append_rel_array[relid] != NULL)
		relid = root->append_rel_array[relid]->parent_relid;
	return relid;
}

List *
blt_arguments(Node *node)
{
	if (node != NULL && IsA(node, FuncExpr))
		return ((FuncExpr *) node)->args;
	if (node != NULL && IsA(node, OpExpr))
		return ((OpExpr *) node)->args;
	return NIL;
}

List *
blt_variables(Node *node)
{
	return pull_var_clause(node, PVC_RECURSE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS |
						   PVC_RECURSE_PLACEHOLDERS);
}

/* Is the result of a function of one argument the same key as the argument? */
static bool
keeps_key(Oid function)
{
	char	   *name;

	switch (function)
	{
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT8_INT4:
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return true;
		default:
			name = blt_c_name(function);
			return name != NULL && strcmp(name, "bloomtype_bloom_key") == 0 &&
				blt_is_function(function, bloomtype_bloom_key);
	}
}

Node *
blt_without_casts(Node *node)
{
	for (;;)
	{
		if (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		else if (IsA(node, CoerceToDomain))
			node = (Node *) ((CoerceToDomain *) node)->arg;
		else if (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1 &&
				 keeps_key(((FuncExpr *) node)->funcid))
			node = (Node *) linitial(((FuncExpr *) node)->args);
		else
			return node;
	}
}

static Node *
plain_expression_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	node = blt_without_casts(node);
	if (IsA(node, Var))
	{
		Var		   *var = (Var *) copyObject(node);

		var->vartypmod = -1;
		var->varcollid = InvalidOid;
		return (Node *) var;
	}
	return expression_tree_mutator(node, plain_expression_mutator, context);
}

Node *
blt_plain_expression(Node *node)
{
	return plain_expression_mutator(node, NULL);
}
