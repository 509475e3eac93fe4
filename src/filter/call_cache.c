/*
 * call_cache.c
 *	  Looks up what a call site remembers, at its first call.
 */
#include "compat.h"

#include "filter/call_cache.h"

#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

CallCache *
blt_create_call_cache(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	CallCache  *cache = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(CallCache));

	cache->tag = BLT_CALL_CACHE;
	blt_init_reader(&cache->reader, flinfo->fn_mcxt);
	flinfo->fn_extra = cache;
	return cache;
}

/*
 * The type that a function declares for an argument; invalid if there is none.
 */
static Oid
declared_type(FunctionCallInfo fcinfo, int argno)
{
	Oid		   *types;
	int			ntypes;

	(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
	return argno < ntypes ? types[argno] : InvalidOid;
}

const char *
blt_declared_type_name(FunctionCallInfo fcinfo, int argno)
{
	return format_type_be(declared_type(fcinfo, argno));
}

Oid
blt_argument_type(FunctionCallInfo fcinfo, int argno)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, argno);

	if (!OidIsValid(type))
	{
		type = declared_type(fcinfo, argno);
		if (IsPolymorphicType(type))
			type = InvalidOid;
	}
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the key")));
	return type;
}

Oid
blt_argument_element_type(FunctionCallInfo fcinfo, int argno)
{
	Oid			type = blt_argument_type(fcinfo, argno);
	Oid			element = get_base_element_type(type);

	if (!OidIsValid(element))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s is not an array type", format_type_be(type))));
	return element;
}

/*
 * Create a hasher in a context of its own, which joins that of the call site
 * at the end: an error on the way must leave nothing in a context that may
 * outlive many queries.
 */
static KeyHasher *
create_hasher(FunctionCallInfo fcinfo, Oid type)
{
	MemoryContext context;
	KeyHasher  *hasher;

	context = AllocSetContextCreate(CurrentMemoryContext, "bloomtype key hasher",
									ALLOCSET_SMALL_SIZES);
	hasher = blt_create_hasher(type, PG_GET_COLLATION(), context);
	MemoryContextSetParent(context, fcinfo->flinfo->fn_mcxt);
	return hasher;
}

KeyHasher *
blt_create_call_hasher(CallCache *cache, FunctionCallInfo fcinfo,
					   int argno)
{
	cache->hasher = create_hasher(fcinfo, blt_argument_type(fcinfo, argno));
	return cache->hasher;
}

int
blt_call_elements(CallCache *cache, FunctionCallInfo fcinfo, int argno,
				  Datum **values, bool **nulls)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);
	int			n;

	if (cache->hasher == NULL)
		cache->hasher = create_hasher(fcinfo, blt_argument_element_type(fcinfo, argno));

	cache->element_type = ARR_ELEMTYPE(array);
	deconstruct_array(array, cache->element_type, cache->hasher->typlen,
					  cache->hasher->typbyval, cache->hasher->typalign,
					  values, nulls, &n);
	return n;
}

/* Is the first argument of a call a parameter? */
static bool
is_parameter(Node *call)
{
	List	   *args = NIL;
	Node	   *filter;

	if (call != NULL && IsA(call, FuncExpr))
		args = ((FuncExpr *) call)->args;
	else if (call != NULL && IsA(call, OpExpr))
		args = ((OpExpr *) call)->args;
	if (args == NIL)
		return false;
	filter = linitial(args);
	while (IsA(filter, RelabelType))
		filter = (Node *) ((RelabelType *) filter)->arg;
	return IsA(filter, Param) && ((Param *) filter)->paramkind == PARAM_EXTERN;
}

bool
blt_call_changes_variable(CallCache *cache, FunctionCallInfo fcinfo)
{
	if (!cache->is_examined)
	{
		cache->changes_variable = BLT_CHANGES_VARIABLES && is_parameter(fcinfo->flinfo->fn_expr);
		cache->is_examined = true;
	}
	return cache->changes_variable;
}

bool
blt_call_is_first(FunctionCallInfo fcinfo)
{
	CallCache  *cache = blt_call_cache(fcinfo);
	bool		first = !cache->was_called;

	cache->was_called = true;
	return first;
}
