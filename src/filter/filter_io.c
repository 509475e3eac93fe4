/*
 * filter_io.c
 *	  Decodes and validates what comes in; hands out images as they are.
 */
#include "compat.h"

#include "filter/filter_io.h"

#include "common/base64.h"
#include "filter/filter_datum.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"

PG_FUNCTION_INFO_V1(bloomtype_out);
PG_FUNCTION_INFO_V1(bloomtype_to_bytea);

Datum
blt_filter_in(FunctionCallInfo fcinfo, BbfKind kind)
{
	const char *name = bbf_kind_routine(kind)->name;
	const char *text = PG_GETARG_CSTRING(0);
	size_t		text_length = strlen(text);
	struct varlena *value;
	int			length;
	const char *reason;
	BbfMeta		meta;

	/* not pg_b64_dec_len, whose int overflows near our limit */
	value = blt_alloc_filter((text_length + 3) / 4 * 3);
	length = pg_b64_decode(text, text_length, (void *) VARDATA(value),
						   VARSIZE(value) - VARHDRSZ);
	if (length < 0)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", name),
				 errdetail("The value is not base64, without spaces and line breaks."),
				 errhint("To make a filter use %s_agg or %s_create, to add a key to one %s_add.",
						 name, name, name)));
	SET_VARSIZE(value, VARHDRSZ + length);

	reason = bbf_image_validate(blt_filter_bytes(value), length, kind, &meta);
	if (reason != NULL)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid value for type %s", name),
				 errdetail("%s", reason),
				 errhint("To make a filter use %s_agg or %s_create, to add a key to one %s_add.",
						 name, name, name)));
	PG_RETURN_POINTER(value);
}

Datum
bloomtype_out(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	const unsigned char *bytes = blt_read_filter(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);
	int			room = (int) ((meta.length + 2) / 3 * 4);	/* as above */
	char	   *text = palloc(room + 1);
	int			length;

	length = pg_b64_encode((const void *) bytes, meta.length, text, room);
	if (length < 0)
		elog(ERROR, "could not encode a filter in base64");
	text[length] = '\0';
	PG_RETURN_CSTRING(text);
}

Datum
blt_filter_recv(FunctionCallInfo fcinfo, BbfKind kind)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, length);
	struct varlena *value;
	const char *reason;
	BbfMeta		meta;

	reason = bbf_image_validate((const unsigned char *) bytes, length, kind, &meta);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid external \"%s\" value", bbf_kind_routine(kind)->name),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a filter, as it is sent, can be received.")));

	value = blt_alloc_filter(length);
	memcpy(VARDATA(value), bytes, length);
	PG_RETURN_POINTER(value);
}

Datum
blt_filter_from_bytea(FunctionCallInfo fcinfo, BbfKind kind)
{
	struct varlena *source = PG_GETARG_VARLENA_PP(0);
	size_t		length = VARSIZE_ANY_EXHDR(source);
	struct varlena *value;
	const char *reason;
	BbfMeta		meta;

	reason = bbf_image_validate((const unsigned char *) VARDATA_ANY(source),
								length, kind, &meta);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("cannot cast this bytea value to %s", bbf_kind_routine(kind)->name),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a filter, as its cast to bytea gives them, can be cast back.")));

	value = blt_alloc_filter(length);
	memcpy(VARDATA(value), VARDATA_ANY(source), length);
	PG_RETURN_POINTER(value);
}

/* Also the send function: both hand out the image as it is. */
Datum
bloomtype_to_bytea(PG_FUNCTION_ARGS)
{
	BbfMeta		meta;
	const unsigned char *bytes = blt_read_filter(PG_GETARG_DATUM(0), BBF_KIND_ANY, &meta);
	struct varlena *value = blt_alloc_filter(meta.length);

	memcpy(VARDATA(value), bytes, meta.length);
	PG_RETURN_POINTER(value);
}
