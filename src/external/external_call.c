/*
 * external_call.c
 *	  Looks up what a call site remembers, at its first call and when the
 *	  format changes.
 */
#include "compat.h"

#include "external/external_call.h"

#include "external/external_format.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

void
blt_change_format(ExternalCall *call, FunctionCallInfo fcinfo, int argno)
{
	text	   *name = PG_GETARG_TEXT_PP(argno);
	const BbfExternalFormat *format = blt_find_format(VARDATA_ANY(name),
													  VARSIZE_ANY_EXHDR(name));

	if (call->format == NULL)
		blt_init_value_reader(&call->reader, &blt_external_routine,
							  fcinfo->flinfo->fn_mcxt);
	call->hash = NULL;
	call->name_length = strlen(format->name);
	call->format = format;
}

void
blt_choose_external_hash(ExternalCall *call, FunctionCallInfo fcinfo, int argno)
{
	call->hash = blt_find_external_hash(call->format, blt_argument_type(fcinfo, argno),
										AggCheckCallContext(fcinfo, NULL) ?
										EXTERNAL_NEW_KEY : EXTERNAL_KEY, &call->other);
}

int
blt_external_elements(ExternalCall *call, FunctionCallInfo fcinfo, int argno,
					  Datum **values, bool **nulls)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(argno);
	int			n;

	if (call->hash == NULL)
	{
		Oid			element = blt_argument_element_type(fcinfo, argno);

		get_typlenbyvalalign(element, &call->typlen, &call->typbyval,
							 &call->typalign);
		call->hash = blt_find_external_hash(call->format, element, EXTERNAL_ELEMENT,
											&call->other);
	}
	deconstruct_array(array, ARR_ELEMTYPE(array), call->typlen, call->typbyval,
					  call->typalign, values, nulls, &n);
	return n;
}
