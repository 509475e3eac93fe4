/*
 * filter_compare.c
 *	  Equality of filters: the same bytes.
 *
 * Equal filters answer alike.  The reverse does not hold: two filters made
 * for different capacities differ though they hold the same keys.
 *
 * An index build calls these many times without resetting memory, so copies
 * are freed.
 */
#include "compat.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "fmgr.h"

PG_FUNCTION_INFO_V1(bloomtype_eq);
PG_FUNCTION_INFO_V1(bloomtype_ne);
PG_FUNCTION_INFO_V1(bloomtype_hash);
PG_FUNCTION_INFO_V1(bloomtype_hash_extended);

static bool
filters_equal(FunctionCallInfo fcinfo)
{
	struct varlena *a;
	struct varlena *b;
	bool		equal;

	/* lengths are known without reading stored values */
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) !=
		toast_raw_datum_size(PG_GETARG_DATUM(1)))
		return false;

	a = PG_GETARG_VARLENA_PP(0);
	b = PG_GETARG_VARLENA_PP(1);
	equal = memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return equal;
}

Datum
bloomtype_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(filters_equal(fcinfo));
}

Datum
bloomtype_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!filters_equal(fcinfo));
}

Datum
bloomtype_hash(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	Datum		result = hash_any((unsigned char *) VARDATA_ANY(value),
								  VARSIZE_ANY_EXHDR(value));

	PG_FREE_IF_COPY(value, 0);
	return result;
}

Datum
bloomtype_hash_extended(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	Datum		result = hash_any_extended((unsigned char *) VARDATA_ANY(value),
										   VARSIZE_ANY_EXHDR(value),
										   PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(value, 0);
	return result;
}
