/*
 * filter_add_remove.c
 *	  SQL functions that add keys to a filter of any type, or remove them.
 */
#include "compat.h"

#include "filter/call_cache.h"
#include "filter/open_filter.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_add);
PG_FUNCTION_INFO_V1(bloomtype_add_all);
PG_FUNCTION_INFO_V1(bloomtype_remove);
PG_FUNCTION_INFO_V1(bloomtype_remove_all);

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

/* Change the filter in the first argument by the value in the second. */
static Datum
change_by_value(FunctionCallInfo fcinfo,
				void (*change_key) (OpenFilter *open, BloomKey key))
{
	OpenFilter	open;
	KeyHasher  *hasher;

	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	hasher = blt_call_hasher(blt_call_cache(fcinfo), fcinfo, 1);
	blt_open_to_change(&open, PG_GETARG_DATUM(0), BBF_KIND_ANY);
	change_key(&open, blt_hash_key(hasher, PG_GETARG_DATUM(1)));
	PG_RETURN_DATUM(blt_close_filter(&open));
}

/* By each element of the array in the second argument. */
static Datum
change_by_elements(FunctionCallInfo fcinfo,
				   void (*change_key) (OpenFilter *open, BloomKey key))
{
	CallCache  *cache = blt_call_cache(fcinfo);
	OpenFilter	open;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	n = blt_call_elements(cache, fcinfo, 1, &values, &nulls);
	blt_open_to_change(&open, PG_GETARG_DATUM(0), BBF_KIND_ANY);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			change_key(&open, blt_hash_key(cache->hasher, values[i]));
	}
	PG_RETURN_DATUM(blt_close_filter(&open));
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
