/*
 * call_cache.c
 *	  See call_cache.h.
 */
#include "postgres.h"

#include "filter/call_cache.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

CallCache *
bloomtype_call_cache_create(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	CallCache  *cache = MemoryContextAllocZero(flinfo->fn_mcxt, sizeof(CallCache));

	bloomtype_reader_init(&cache->reader, flinfo->fn_mcxt);
	flinfo->fn_extra = cache;
	return cache;
}

/*
 * The type of an argument: from the parsed expression, else as declared,
 * where the declaration is not polymorphic.
 */
static Oid
argument_type(FunctionCallInfo fcinfo, int argno)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, argno);

	if (!OidIsValid(type))
	{
		Oid		   *types;
		int			ntypes;

		(void) get_func_signature(fcinfo->flinfo->fn_oid, &types, &ntypes);
		if (argno < ntypes && !IsPolymorphicType(types[argno]))
			type = types[argno];
	}
	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the type of the key")));
	return type;
}

/*
 * A funnel that fails half-way must not leave anything in a context that may
 * outlive many queries, so it is made aside.
 */
static Funnel *
create_funnel(FunctionCallInfo fcinfo, Oid type)
{
	MemoryContext context;
	Funnel	   *funnel;

	context = AllocSetContextCreate(CurrentMemoryContext, "bloomtype funnel",
									ALLOCSET_SMALL_SIZES);
	funnel = bloomtype_funnel_create(type, PG_GET_COLLATION(), context);
	MemoryContextSetParent(context, fcinfo->flinfo->fn_mcxt);
	return funnel;
}

Funnel *
bloomtype_call_funnel_create(CallCache *cache, FunctionCallInfo fcinfo,
							 int argno)
{
	cache->funnel = create_funnel(fcinfo, argument_type(fcinfo, argno));
	return cache->funnel;
}

int
bloomtype_call_elements(CallCache *cache, FunctionCallInfo fcinfo, int argno,
						Datum **values, bool **nulls)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);
	int			n;

	if (cache->funnel == NULL)
	{
		Oid			type = argument_type(fcinfo, argno);
		Oid			element = get_base_element_type(type);

		if (!OidIsValid(element))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("type %s is not an array type", format_type_be(type))));
		cache->funnel = create_funnel(fcinfo, element);
	}

	deconstruct_array(array, ARR_ELEMTYPE(array), cache->funnel->length,
					  cache->funnel->byval, cache->funnel->align,
					  values, nulls, &n);
	return n;
}

bool
bloomtype_call_is_first(FunctionCallInfo fcinfo)
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	bool		first = !cache->asked;

	cache->asked = true;
	return first;
}
