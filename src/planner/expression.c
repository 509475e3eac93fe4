/*
 * expression.c
 *	  Takes expressions apart.
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
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
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

	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == 0 ? ((Var *) node)->varno : 0;
	return bms_get_singleton_member(pull_varnos(root, node), &relid) ? relid : 0;
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

bool
blt_is_null(Node *node)
{
	return IsA(node, Const) && ((Const *) node)->constisnull;
}

bool
blt_is_varlena_const(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull &&
		((Const *) node)->constlen == -1;
}

int
blt_count_elements(Node *array, bool *has_null)
{
	ArrayType  *values;

	*has_null = false;
	if (IsA(array, ArrayExpr) && !((ArrayExpr *) array)->multidims)
		return list_length(((ArrayExpr *) array)->elements);
	if (!blt_is_varlena_const(array) ||
		!OidIsValid(get_base_element_type(((Const *) array)->consttype)))
		return -1;
	values = DatumGetArrayTypeP(((Const *) array)->constvalue);
	*has_null = array_contains_nulls(values);
	return ArrayGetNItems(ARR_NDIM(values), ARR_DIMS(values));
}

bool
blt_has_relations(PlannerInfo *root, Node *node)
{
	List	   *variables = blt_variables(node);
	ListCell   *cell;

	foreach(cell, variables)
	{
		Var		   *var = (Var *) lfirst(cell);

		if (var->varlevelsup > 0 || blt_base_relation(root, var->varno) == NULL)
			return false;
	}
	return true;
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
