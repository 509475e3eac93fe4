/*
 * bloom_membership.c
 *	  SQL functions that ask a filter.
 */
#include "compat.h"

#include "call_cache.h"
#include "fmgr.h"
#include "image_datum.h"
#include "key_match.h"
#include "miscadmin.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(bloomtype_contains);
PG_FUNCTION_INFO_V1(bloomtype_contained);
PG_FUNCTION_INFO_V1(bloomtype_contains_any);
PG_FUNCTION_INFO_V1(bloomtype_contains_all);

static bool
probe(const BbfImage *image, const unsigned char *bytes, Funnel *funnel,
	  Datum value)
{
	BloomKey	key;

	bloomtype_funnel_hash(funnel, value, &key);
	bloomtype_match_key(image->family, image->signature, &key, KEY_IS_PROBED);
	return bbf_image_contains(image, bytes, key.hash);
}

static Datum
contains(FunctionCallInfo fcinfo, int filter_argno, int value_argno)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(filter_argno),
													  &image);
	bool		result = probe(&image, bytes,
							   bloomtype_call_funnel(fcinfo, value_argno),
							   PG_GETARG_DATUM(value_argno));

	PG_RETURN_BOOL(result);
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
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), &image);
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(1);
	Funnel	   *funnel = bloomtype_call_element_funnel(fcinfo, 1);
	int16		length;
	bool		byval;
	char		align;
	Datum	   *values;
	bool	   *nulls;
	int			n;
	bool		any_null = false;

	bloomtype_funnel_storage(funnel, &length, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, byval, align,
					  &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			any_null = true;
		else if (probe(&image, bytes, funnel, values[i]) == deciding)
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
