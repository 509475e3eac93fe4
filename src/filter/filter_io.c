/*
 * filter_io.c
 *	  See filter_io.h.
 */
#include "filter/filter_io.h"

#include "common/base64.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"

Datum
bloomtype_image_in(FunctionCallInfo fcinfo, BbfKind kind)
{
	const char *name = bloomtype_kind_name(kind);
	const char *text = PG_GETARG_CSTRING(0);
	size_t		text_length = strlen(text);
	struct varlena *value;
	int			length;
	const char *reason;
	BbfImage	image;

	/* not pg_b64_dec_len, whose int overflows near our limit */
	value = bloomtype_alloc_image((text_length + 3) / 4 * 3);
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

	reason = bbf_image_validate(bloomtype_image_bytes(value), length, kind, &image);
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
bloomtype_image_out(FunctionCallInfo fcinfo, BbfKind kind)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), kind, &image);
	int			room = (int) ((image.length + 2) / 3 * 4);	/* as above */
	char	   *text = palloc(room + 1);
	int			length;

	length = pg_b64_encode((const void *) bytes, image.length, text, room);
	if (length < 0)
		elog(ERROR, "could not encode a filter in base64");
	text[length] = '\0';
	PG_RETURN_CSTRING(text);
}

Datum
bloomtype_image_recv(FunctionCallInfo fcinfo, BbfKind kind)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, length);
	struct varlena *value;
	const char *reason;
	BbfImage	image;

	reason = bbf_image_validate((const unsigned char *) bytes, length, kind, &image);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid external \"%s\" value", bloomtype_kind_name(kind)),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a filter, as it is sent, can be received.")));

	value = bloomtype_alloc_image(length);
	memcpy(VARDATA(value), bytes, length);
	PG_RETURN_POINTER(value);
}

Datum
bloomtype_image_from_bytea(FunctionCallInfo fcinfo, BbfKind kind)
{
	struct varlena *source = PG_GETARG_VARLENA_PP(0);
	size_t		length = VARSIZE_ANY_EXHDR(source);
	struct varlena *value;
	const char *reason;
	BbfImage	image;

	reason = bbf_image_validate((const unsigned char *) VARDATA_ANY(source),
								length, kind, &image);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("cannot cast this bytea value to %s", bloomtype_kind_name(kind)),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a filter, as its cast to bytea gives them, can be cast back.")));

	value = bloomtype_alloc_image(length);
	memcpy(VARDATA(value), VARDATA_ANY(source), length);
	PG_RETURN_POINTER(value);
}

/* Also the send function: both hand out the image as it is. */
Datum
bloomtype_image_to_bytea(FunctionCallInfo fcinfo, BbfKind kind)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), kind, &image);
	struct varlena *value = bloomtype_alloc_image(image.length);

	memcpy(VARDATA(value), bytes, image.length);
	PG_RETURN_POINTER(value);
}
