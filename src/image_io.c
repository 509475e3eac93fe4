/*
 * image_io.c
 *	  The doors of the type bloom: text, binary protocol, casts with bytea.
 *
 * The image is the same through all of them; as text it is base64, not hex:
 * a filter of 512 MB must survive pg_dump under the server's limit of 1 GB.
 * Whatever comes in passes the one validator, bbf_image_validate.
 */
#include "compat.h"

#include "common/base64.h"
#include "fmgr.h"
#include "image_datum.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"

PG_FUNCTION_INFO_V1(bloomtype_in);
PG_FUNCTION_INFO_V1(bloomtype_out);
PG_FUNCTION_INFO_V1(bloomtype_recv);
PG_FUNCTION_INFO_V1(bloomtype_from_bytea);
PG_FUNCTION_INFO_V1(bloomtype_to_bytea);

Datum
bloomtype_in(PG_FUNCTION_ARGS)
{
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
				 errmsg("invalid input syntax for type %s", "bloom"),
				 errdetail("The value is not base64, without spaces and line breaks."),
				 errhint("To make a filter use bloom_agg or bloom_create, to add a key to one bloom_add.")));
	SET_VARSIZE(value, VARHDRSZ + length);

	reason = bbf_image_validate(bloomtype_image_bytes(value), length, &image);
	if (reason != NULL)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid value for type %s", "bloom"),
				 errdetail("%s", reason),
				 errhint("To make a filter use bloom_agg or bloom_create, to add a key to one bloom_add.")));
	PG_RETURN_POINTER(value);
}

Datum
bloomtype_out(PG_FUNCTION_ARGS)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), &image);
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
bloomtype_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, length);
	struct varlena *value;
	const char *reason;
	BbfImage	image;

	reason = bbf_image_validate((const unsigned char *) bytes, length, &image);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid external \"bloom\" value"),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a filter, as it is sent, can be received.")));

	value = bloomtype_alloc_image(length);
	memcpy(VARDATA(value), bytes, length);
	PG_RETURN_POINTER(value);
}

Datum
bloomtype_from_bytea(PG_FUNCTION_ARGS)
{
	struct varlena *source = PG_GETARG_VARLENA_PP(0);
	size_t		length = VARSIZE_ANY_EXHDR(source);
	struct varlena *value;
	const char *reason;
	BbfImage	image;

	reason = bbf_image_validate((const unsigned char *) VARDATA_ANY(source),
								length, &image);
	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("cannot cast this bytea value to %s", "bloom"),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a filter, as its cast to bytea gives them, can be cast back.")));

	value = bloomtype_alloc_image(length);
	memcpy(VARDATA(value), VARDATA_ANY(source), length);
	PG_RETURN_POINTER(value);
}

/* Also the send function: both hand out the image as it is. */
Datum
bloomtype_to_bytea(PG_FUNCTION_ARGS)
{
	BbfImage	image;
	const unsigned char *bytes = bloomtype_read_image(PG_GETARG_DATUM(0), &image);
	struct varlena *value = bloomtype_alloc_image(image.length);

	memcpy(VARDATA(value), bytes, image.length);
	PG_RETURN_POINTER(value);
}
