/*
 * image_io.c
 *	  Decodes and validates what comes in; hands out images as they are.
 */
#include "compat.h"

#include "filter/image_io.h"

#include "common/base64.h"
#include "core/matrix.h"
#include "filter/filter_datum.h"
#include "filter/filter_pieces.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

/*
 * Base64 is decoded and encoded in pieces that can be interrupted.  Only the
 * last one may end with padding.
 */
#define BYTES_IN_PIECE	(3 << 18)
#define TEXT_IN_PIECE	(BYTES_IN_PIECE / 3 * 4)

/*
 * Is the text of the last piece the one that encodes its bytes?  The server's
 * decoder ignores the unused bits of the last character, and what follows
 * padding.
 */
static bool
ends_canonically(const char *text, size_t text_length, const char *bytes, size_t length)
{
	char		group[4];
	size_t		rest = (length - 1) % 3 + 1;

	if (length == 0 || text_length != (length + 2) / 3 * 4 ||
		memchr(text, '=', text_length - sizeof(group)) != NULL)
		return false;
	return pg_b64_encode((const void *) (bytes + length - rest), rest,
						 group, sizeof(group)) == (int) sizeof(group) &&
		memcmp(text + text_length - sizeof(group), group, sizeof(group)) == 0;
}

/*
 * Decode base64 to bytes, for which there is room, and set their length.
 * Returns NULL, or why it cannot be: a sentence.
 */
static const char *
decode_base64(const char *text, size_t text_length, char *bytes, size_t room,
			  size_t *length)
{
	*length = 0;
	for (size_t at = 0; at < text_length; at += TEXT_IN_PIECE)
	{
		size_t		piece = Min(text_length - at, TEXT_IN_PIECE);
		int			decoded;

		CHECK_FOR_INTERRUPTS();
		decoded = pg_b64_decode(text + at, piece, (void *) (bytes + *length),
								room - *length);
		if (decoded < 0 || (at + piece < text_length && decoded < BYTES_IN_PIECE))
			return "The value is not base64, without spaces and line breaks.";
		if (at + piece == text_length &&
			!ends_canonically(text + at, piece, bytes + *length, decoded))
			return "The base64 is not canonical: unused bits must be zero, and nothing may follow padding.";
		*length += decoded;
	}
	return NULL;
}

/* Length of the text, for which there is room. */
static size_t
encode_base64(const char *bytes, size_t length, char *text, size_t room)
{
	size_t		text_length = 0;

	for (size_t at = 0; at < length; at += BYTES_IN_PIECE)
	{
		int			encoded;

		CHECK_FOR_INTERRUPTS();
		encoded = pg_b64_encode((const void *) (bytes + at),
								Min(length - at, BYTES_IN_PIECE),
								text + text_length, room - text_length);
		if (encoded < 0)
			elog(ERROR, "could not encode a filter in base64");
		text_length += encoded;
	}
	return text_length;
}

/*
 * Does a text begin as that of an image: with a kind, and the version and
 * scheme of today?
 */
static bool
begins_as_image(const char *text, size_t text_length)
{
	unsigned char bytes[3];

	return text_length > 4 &&
		pg_b64_decode(text, 4, (void *) bytes, sizeof(bytes)) == (int) sizeof(bytes) &&
		(bbf_kind_is_valid(bytes[0]) || bytes[0] == BBF_MATRIX_KIND) &&
		bytes[1] == BBF_FORMAT_VERSION && bytes[2] == BBF_HASH_SCHEME;
}

/* Set the hint of an error; to be called within ereport. */
static int
errhint_no_image(const ImageType *type, const char *text, size_t text_length)
{
	if (begins_as_image(text, text_length) && memchr(text, '\n', text_length) != NULL)
		return errhint("Remove the line breaks, which encode makes: translate(encode(x, 'base64'), E'\\n', '')::%s. Or cast the bytes themselves: x::%s.",
					   type->name, type->name);
	if (begins_as_image(text, text_length))
		return errhint("Only the whole text of a value of type %s, as it was printed, can be read back.",
					   type->name);
	return type->errhint_make(type->kind);
}

Datum
blt_image_in(FunctionCallInfo fcinfo, const ImageType *type)
{
	const char *text = PG_GETARG_CSTRING(0);
	size_t		text_length = strlen(text);
	struct varlena *value;
	size_t		length;
	const char *reason;

	/* not pg_b64_dec_len, whose int overflows near our limit */
	value = blt_alloc_filter((text_length + 3) / 4 * 3);
	reason = decode_base64(text, text_length, VARDATA(value),
						   VARSIZE(value) - VARHDRSZ, &length);
	if (reason != NULL)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s", type->name),
				 errdetail("%s", reason),
				 errhint_no_image(type, text, text_length)));
	SET_VARSIZE(value, VARHDRSZ + length);

	reason = type->validate(blt_filter_bytes(value), length, type->kind);
	if (reason != NULL)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid value for type %s", type->name),
				 errdetail("%s", reason),
				 errhint_no_image(type, text, text_length)));
	PG_RETURN_POINTER(value);
}

Datum
blt_image_out(const unsigned char *bytes, size_t length)
{
	size_t		room = (length + 2) / 3 * 4;
	char	   *text = palloc(room + 1);

	text[encode_base64((const char *) bytes, length, text, room)] = '\0';
	PG_RETURN_CSTRING(text);
}

/* A value with a copy of an image. */
static Datum
copy_image(const void *bytes, size_t length)
{
	struct varlena *value = blt_alloc_filter(length);

	blt_copy(VARDATA(value), bytes, length);
	PG_RETURN_POINTER(value);
}

Datum
blt_image_recv(FunctionCallInfo fcinfo, const ImageType *type)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			length = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, length);
	const char *reason = type->validate((const unsigned char *) bytes, length, type->kind);

	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid external \"%s\" value", type->name),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a %s, as it is sent, can be received.",
						 type->noun)));
	return copy_image(bytes, length);
}

Datum
blt_image_from_bytea(FunctionCallInfo fcinfo, const ImageType *type)
{
	struct varlena *source = PG_GETARG_VARLENA_PP(0);
	size_t		length = VARSIZE_ANY_EXHDR(source);
	const char *reason =
		type->validate((const unsigned char *) VARDATA_ANY(source), length, type->kind);

	if (reason != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("cannot cast this bytea value to %s", type->name),
				 errdetail("%s", reason),
				 errhint("Only the bytes of a %s, as its cast to bytea gives them, can be cast back.",
						 type->noun)));
	return copy_image(VARDATA_ANY(source), length);
}

Datum
blt_image_to_bytea(const unsigned char *bytes, size_t length)
{
	return copy_image(bytes, length);
}
