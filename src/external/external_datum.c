/*
 * external_datum.c
 *	  Reads, copies and makes values of type bytea that are filters.
 */
#include "compat.h"

#include "external/external_datum.h"

#include "filter/filter_pieces.h"
#include "fmgr.h"

void
blt_read_external_header(const BbfExternalFormat *format,
						 const unsigned char *header, size_t length,
						 BbfExternalMeta *meta)
{
	const char *reason = bbf_external_read(format, header, length, meta);

	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid filter of format \"%s\"", format->name),
				 errdetail("%s", reason)));
}

const unsigned char *
blt_read_external(const BbfExternalFormat *format, Datum value,
				  BbfExternalMeta *meta)
{
	bytea	   *filter = DatumGetByteaPP(value);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(filter);
	size_t		length = VARSIZE_ANY_EXHDR(filter);

	blt_read_external_header(format, bytes + bbf_external_header(format, length).offset,
							 length, meta);
	return bytes;
}

BbfExternalMeta *
blt_keep_external_meta(MemoryContext context, const BbfExternalMeta *meta)
{
	Size		size = blt_external_meta_size(meta);
	BbfExternalMeta *kept = MemoryContextAlloc(context, size);

	memcpy(kept, meta, size);
	return kept;
}

bytea *
blt_make_bytea(const unsigned char *bytes, Size length)
{
	bytea	   *value = blt_alloc_filter(length);

	blt_copy(blt_filter_bytes(value), bytes, length);
	return value;
}

bytea *
blt_copy_external(Datum value)
{
	bytea	   *filter = DatumGetByteaPP(value);

	/* what was detoasted is one already */
	if ((Pointer) filter != DatumGetPointer(value))
		return filter;
	return blt_make_bytea((const unsigned char *) VARDATA_ANY(filter),
						  VARSIZE_ANY_EXHDR(filter));
}
