/*
 * filter_add_remove.c
 *	  SQL functions that add keys to a filter of any type, or remove them.
 *
 * From PostgreSQL 18 on, they change a variable of PL/pgSQL in place: once it
 * is large, the result is an expanded object, which the variable then is.  A
 * function is given one to write to if nobody else has it.  If it may also be
 * wanted after an error, the server asks bloomtype_change_support() first.
 */
#include "compat.h"

#include "filter/call_cache.h"
#include "filter/open_filter.h"
#include "miscadmin.h"
#include "nodes/supportnodes.h"

PG_FUNCTION_INFO_V1(bloomtype_add);
PG_FUNCTION_INFO_V1(bloomtype_add_all);
PG_FUNCTION_INFO_V1(bloomtype_remove);
PG_FUNCTION_INFO_V1(bloomtype_remove_all);
PG_FUNCTION_INFO_V1(bloomtype_change_support);

/* Bytes from which on a variable is changed in place. */
#define EXPANDED_VARIABLE_BYTES	8192

/*
 * Error if the filter to add to is null: the result would be null, the key
 * lost.
 */
static void
refuse_null_filter(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
	{
		const char *name = blt_declared_type_name(fcinfo, 0);

		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("cannot add a key to a null filter"),
				 errdetail("The result would be null, and the key lost."),
				 errhint("Start with %s_create, for example coalesce(filter, %s_create(1000)).",
						 name, name)));
	}
}

/*
 * Open the filter in the first argument: itself, if the function is given one
 * to write to.
 */
static OpenFilter *
open_argument(CallCache *cache, FunctionCallInfo fcinfo, OpenFilter *buffer)
{
	OpenFilter *open = blt_open_expanded(PG_GETARG_DATUM(0));

	if (open != NULL)
		return open;
	blt_open_to_change(buffer, PG_GETARG_DATUM(0), BBF_KIND_ANY);
	buffer->is_to_expand = buffer->object.filter.meta.length >= EXPANDED_VARIABLE_BYTES &&
		blt_call_changes_variable(cache, fcinfo);
	return buffer;
}

/* Change the filter in the first argument by the value in the second. */
static Datum
change_by_value(FunctionCallInfo fcinfo,
				void (*change_key) (OpenFilter *open, BloomKey key))
{
	CallCache  *cache = blt_call_cache(fcinfo);
	OpenFilter	buffer;
	OpenFilter *open;
	KeyHasher  *hasher;

	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	hasher = blt_call_hasher(cache, fcinfo, 1);
	open = open_argument(cache, fcinfo, &buffer);
	change_key(open, blt_hash_key(hasher, PG_GETARG_DATUM(1)));
	PG_RETURN_DATUM(blt_close_filter(open));
}

/* By each element of the array in the second argument. */
static Datum
change_by_elements(FunctionCallInfo fcinfo,
				   void (*change_key) (OpenFilter *open, BloomKey key))
{
	CallCache  *cache = blt_call_cache(fcinfo);
	OpenFilter	buffer;
	OpenFilter *open;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	n = blt_call_elements(cache, fcinfo, 1, &values, &nulls);
	open = open_argument(cache, fcinfo, &buffer);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			change_key(open, blt_hash_key(cache->hasher, values[i]));
	}
	PG_RETURN_DATUM(blt_close_filter(open));
}

/*
 * (filter, value): the filter with a key added; a null value adds nothing.
 * Returns the argument itself if nothing changes.  Errors: the filter is
 * null; the key is of another family; there is no room.
 */
Datum
bloomtype_add(PG_FUNCTION_ARGS)
{
	refuse_null_filter(fcinfo);
	return change_by_value(fcinfo, blt_add_key);
}

/* (filter, array): the same for each element, in order. */
Datum
bloomtype_add_all(PG_FUNCTION_ARGS)
{
	refuse_null_filter(fcinfo);
	return change_by_elements(fcinfo, blt_add_key);
}

/*
 * (filter, value): the filter with one copy of a key removed; a null value,
 * or a key that is certainly absent, changes nothing.  A null filter gives
 * null.  Error: the key is of another family.
 */
Datum
bloomtype_remove(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return change_by_value(fcinfo, blt_remove_key);
}

/* (filter, array): the same for each element, in order. */
Datum
bloomtype_remove_all(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return change_by_elements(fcinfo, blt_remove_key);
}

/*
 * May a variable be given to a function to write to, though it is wanted after
 * an error?  For the functions that add or remove one key: they change it
 * either as a whole or not at all.
 */
Datum
bloomtype_change_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	List	   *args = NIL;
	int			variable = 0;
	Param	   *filter;

	if (!blt_is_change_request(request, &args, &variable))
		PG_RETURN_POINTER(NULL);
	filter = linitial(args);
	if (filter == NULL || !IsA(filter, Param) || filter->paramkind != PARAM_EXTERN ||
		filter->paramid != variable)
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(filter);
}
