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
#include "filter/filter_pieces.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

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
	equal = blt_compare(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) == 0;
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

/*
 * The bytes of a value that hash_any is to hash: its own or, if they are more
 * than a piece, the hashes of their pieces, so that it can be interrupted.
 * There is room for the hashes of the largest value.
 */
#define MAX_PIECES	(MaxAllocSize / BBF_PIECE_BYTES + 1)

static const unsigned char *
bytes_to_hash(struct varlena *value, uint64 *hashes, int *length)
{
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	Size		size = VARSIZE_ANY_EXHDR(value);
	int			n = 0;

	if (size <= BBF_PIECE_BYTES)
	{
		*length = (int) size;
		return bytes;
	}
	for (Size at = 0; at < size; at += BBF_PIECE_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		hashes[n++] = DatumGetUInt64(hash_any_extended(bytes + at,
													   Min(size - at, BBF_PIECE_BYTES), 0));
	}
	*length = n * (int) sizeof(uint64);
	return (unsigned char *) hashes;
}

Datum
bloomtype_hash(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	uint64		hashes[MAX_PIECES];
	int			length;
	const unsigned char *bytes = bytes_to_hash(value, hashes, &length);
	Datum		result = hash_any(bytes, length);

	PG_FREE_IF_COPY(value, 0);
	return result;
}

Datum
bloomtype_hash_extended(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	uint64		hashes[MAX_PIECES];
	int			length;
	const unsigned char *bytes = bytes_to_hash(value, hashes, &length);
	Datum		result = hash_any_extended(bytes, length, PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(value, 0);
	return result;
}
