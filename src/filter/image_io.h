/*
 * image_io.h
 *	  Input and output of images: text, binary protocol, casts with bytea.
 *
 * The image is the same in all of them; as text it is base64, not hex: a value
 * of 512 MB must survive pg_dump under the server's limit of 1 GB.  Whatever
 * comes in passes the validator of its type.
 */
#ifndef BLOOMTYPE_IMAGE_IO_H
#define BLOOMTYPE_IMAGE_IO_H

#include "core/kind.h"
#include "fmgr.h"

/* What input needs to know of a type. */
typedef struct ImageType
{
	const char *name;			/* of the SQL type */
	const char *noun;			/* what its values are: "filter" */
	BbfKind		kind;			/* for the functions that follow */

	/*
	 * Set the hint for a text that is not an image at all: how to make a
	 * value.
	 */
	int			(*errhint_make) (BbfKind kind);

	/* NULL, or why it is not such an image: a sentence. */
	const char *(*validate) (const unsigned char *bytes, size_t length, BbfKind kind);
} ImageType;

/*
 * The bodies of the SQL functions TYPE_in, TYPE_recv and TYPE_from_bytea.
 * Errors, in TYPE_in soft ones: it is not base64; the validator gives a
 * reason.
 */
extern Datum blt_image_in(FunctionCallInfo fcinfo, const ImageType *type);
extern Datum blt_image_recv(FunctionCallInfo fcinfo, const ImageType *type);
extern Datum blt_image_from_bytea(FunctionCallInfo fcinfo, const ImageType *type);

/*
 * The results of TYPE_out, and of TYPE_send and TYPE_to_bytea, which are the
 * same.
 */
extern Datum blt_image_out(const unsigned char *bytes, size_t length);
extern Datum blt_image_to_bytea(const unsigned char *bytes, size_t length);

#endif							/* BLOOMTYPE_IMAGE_IO_H */
