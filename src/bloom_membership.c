/*
 * bloom_membership.c
 *	  SQL functions that ask a filter.
 */
#include "compat.h"

#include "call_cache.h"
#include "fmgr.h"
#include "image_reader.h"
#include "key_match.h"
#include "miscadmin.h"

PG_FUNCTION_INFO_V1(bloomtype_contains);
PG_FUNCTION_INFO_V1(bloomtype_contained);
PG_FUNCTION_INFO_V1(bloomtype_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_contains_all);

static pg_attribute_always_inline bool
probe(const OpenImage *open, Funnel *funnel, Datum value)
{
	BloomKey	key;

	bloomtype_funnel_hash(funnel, value, &key);
	bloomtype_match_key(open->image->family, open->image->signature, &key,
						KEY_IS_PROBED);
	return bloomtype_reader_test(open, key.hash);
}

static inline Datum
contains(FunctionCallInfo fcinfo, int filter_argno, int value_argno)
{
	OpenImage	open;

	bloomtype_reader_open(bloomtype_call_reader(fcinfo),
						  PG_GETARG_DATUM(filter_argno), &open);
	PG_RETURN_BOOL(probe(&open, bloomtype_call_funnel(fcinfo, value_argno),
						 PG_GETARG_DATUM(value_argno)));
}

Datum
bloomtype_contains(PG_FUNCTION_ARGS)
{
	return contains(fcinfo, 0, 1);
}

/* value <@ filter */
Datum
bloomtype_contained(PG_FUNCTION_ARGS)
{
	return contains(fcinfo, 1, 0);
}

/*
 * Three-valued, as = ANY and = ALL are: the first element whose answer is
 * the deciding one decides; else a null element makes the result unknown.
 */
static Datum
contains_elements(FunctionCallInfo fcinfo, bool deciding)
{
	OpenImage	open;
	Funnel	   *funnel;
	Datum	   *values;
	bool	   *nulls;
	int			n = bloomtype_call_elements(fcinfo, 1, &funnel, &values, &nulls);
	bool		any_null = false;

	bloomtype_reader_open(bloomtype_call_reader(fcinfo), PG_GETARG_DATUM(0), &open);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();

		/* so many slices may have been read that it is copied now */
		if (open.bytes == NULL)
			bloomtype_reader_open(bloomtype_call_reader(fcinfo),
								  PG_GETARG_DATUM(0), &open);

		if (nulls[i])
			any_null = true;
		else if (probe(&open, funnel, values[i]) == deciding)
			PG_RETURN_BOOL(deciding);
	}
	if (any_null)
		PG_RETURN_NULL();
	PG_RETURN_BOOL(!deciding);
}

Datum
bloomtype_contains_any(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, true);
}

Datum
bloomtype_contains_all(PG_FUNCTION_ARGS)
{
	return contains_elements(fcinfo, false);
}
