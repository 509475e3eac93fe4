/*
 * filter_info.c
 *	  See filter_info.h.
 */
#include "filter/filter_info.h"

#include <math.h>

#include "access/htup_details.h"
#include "core/estimate.h"
#include "core/family.h"
#include "funcapi.h"
#include "utils/builtins.h"

Datum
bloomtype_key_type(const BbfImage *image)
{
	return CStringGetTextDatum(bbf_family_name(image->family));
}

/* The bits of a derived filter do not tell. */
Datum
bloomtype_estimated_keys(const BbfImage *image, bool *isnull)
{
	*isnull = (image->flags & BBF_FLAG_DERIVED) != 0;
	return Int64GetDatum((int64) rint(bbf_estimate_keys(image)));
}

Datum
bloomtype_return_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls));
}

Datum
bloomtype_image_cardinality(FunctionCallInfo fcinfo, BbfKind kind)
{
	BbfImage	image;
	bool		isnull;
	Datum		keys;

	bloomtype_read_head(PG_GETARG_DATUM(0), kind, &image);
	keys = bloomtype_estimated_keys(&image, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(keys);
}

Datum
bloomtype_image_current_fpp(FunctionCallInfo fcinfo, BbfKind kind)
{
	BbfImage	image;

	bloomtype_read_head(PG_GETARG_DATUM(0), kind, &image);
	PG_RETURN_FLOAT8(bbf_estimate_fpp(&image));
}
