/*
 * external_reader.h
 *	  A filter of another system in an argument that one call site probes again and
 *	  again.
 *
 * As filter_reader.h: a plain value is read in place, and its head compared with the
 * one remembered; a value stored out of line is read in slices until it is read whole
 * and kept (toasted_value.h).  That needs a column with STORAGE EXTERNAL: a compressed
 * value is read whole at once.
 */
#ifndef BLOOMTYPE_EXTERNAL_READER_H
#define BLOOMTYPE_EXTERNAL_READER_H

#include "filter/toasted_value.h"
#include "interchange/external.h"

/* What is known of a filter in a certain format. */
typedef struct KnownExternal
{
	const BbfExternalFormat *format;	/* null: nothing yet */
	BbfExternalMeta meta;		/* with as many links as there are */
} KnownExternal;

typedef struct ExternalReader
{
	/* the plain value of the last call */
	KnownExternal *plain;		/* with room for all links; or null */
	size_t		length;
	BbfExternalSlice head;
	unsigned char *head_bytes;

	StoredValues stored;
} ExternalReader;

/* A filter that can be probed until the next value is opened. */
typedef struct OpenExternal
{
	const BbfExternalFormat *format;
	const BbfExternalMeta *meta;
	const unsigned char *bytes; /* null: slices are read from value */
	StoredValue *stored;		/* set if bytes is null, as is value */
	Datum		value;
} OpenExternal;

/* Open the filter in an argument.  Error: it is no filter of this format. */
extern void blt_open_external(ExternalReader *reader, const BbfExternalFormat *format,
							  Datum value, OpenExternal *open);

/* Does it contain the key with this hash, for the seed in open->meta? */
extern bool blt_probe_external(const OpenExternal *open, const uint64_t *hash);

/*
 * The fast way, inlined: the bytes of an argument that is plain and has the head of the
 * last, whose metadata are in reader->plain->meta; null for any other, which is to be
 * opened.
 */
static inline const unsigned char *
blt_known_external(const ExternalReader *reader, const BbfExternalFormat *format,
				   Datum value)
{
	const struct varlena *plain = (struct varlena *) DatumGetPointer(value);

	/* only a plain value is aligned, so that VARDATA may be formed */
	if (likely(reader->plain != NULL && reader->plain->format == format &&
			   !VARATT_IS_EXTENDED(plain) &&
			   VARSIZE(plain) - VARHDRSZ == reader->length &&
			   memcmp((const unsigned char *) VARDATA(plain) + reader->head.offset,
					  reader->head_bytes, reader->head.length) == 0))
		return (const unsigned char *) VARDATA(plain);
	return NULL;
}

#endif							/* BLOOMTYPE_EXTERNAL_READER_H */
