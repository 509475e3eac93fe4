/*
 * filter_io.c
 *	  Input and output of filters, by their kinds.
 */
#include "compat.h"

#include "filter/filter_io.h"

#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "filter/image_io.h"

PG_FUNCTION_INFO_V1(bloomtype_out);
PG_FUNCTION_INFO_V1(bloomtype_to_bytea);

/* bbf_image_validate that can be interrupted. */
static const char *
validate(const unsigned char *bytes, size_t length, BbfKind kind)
{
	BbfMeta		meta;

	return bbf_image_validate(bytes, length, kind, &meta, blt_check_for_interrupts);
}

static int
errhint_make(BbfKind kind)
{
	const char *name = bbf_kind_routine(kind)->name;

	return errhint("To make a filter use %s_agg or %s_create, to add a key to one %s_add. In calls, the filter comes before the key: %s_contains(filter, key).",
				   name, name, name, name);
}

static ImageType
image_type(BbfKind kind)
{
	ImageType	type = {bbf_kind_routine(kind)->name, "filter", kind, errhint_make, validate};

	return type;
}

Datum
blt_filter_in(FunctionCallInfo fcinfo, BbfKind kind)
{
	ImageType	type = image_type(kind);

	return blt_image_in(fcinfo, &type);
}

Datum
bloomtype_out(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	const unsigned char *bytes = blt_read_image(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);

	return blt_image_out(bytes, meta.length);
}

Datum
blt_filter_recv(FunctionCallInfo fcinfo, BbfKind kind)
{
	ImageType	type = image_type(kind);

	return blt_image_recv(fcinfo, &type);
}

Datum
blt_filter_from_bytea(FunctionCallInfo fcinfo, BbfKind kind)
{
	ImageType	type = image_type(kind);

	return blt_image_from_bytea(fcinfo, &type);
}

/* Also the send function: both hand out the image as it is. */
Datum
bloomtype_to_bytea(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	const unsigned char *bytes = blt_read_image(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);

	return blt_image_to_bytea(bytes, meta.length);
}
