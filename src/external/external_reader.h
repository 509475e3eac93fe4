/*
 * external_reader.h
 *	  A filter of another system in an argument that one call site probes
 *	  again and again.
 *
 * value_reader.h describes how.  Slices are read of a column with STORAGE
 * EXTERNAL only: a compressed value is read whole at once.
 */
#ifndef BLOOMTYPE_EXTERNAL_READER_H
#define BLOOMTYPE_EXTERNAL_READER_H

#include "filter/value_reader.h"
#include "interchange/external.h"

/* A filter that can be probed until the next one is opened. */
typedef struct OpenExternal
{
	const BbfExternalFormat *format;
	const BbfExternalMeta *meta;
	const unsigned char *bytes; /* null: slices are read from value */
	OpenValue	value;
} OpenExternal;

/* Filters, whose format is a BbfExternalFormat. */
extern const ValueRoutine blt_external_routine;

/*
 * Open the filter in an argument.  Error: it is not a filter of this format.
 */
extern void blt_open_external(ValueReader *reader, const BbfExternalFormat *format,
							  Datum value, OpenExternal *open);

/* Does it contain the key with this hash, for the seed in open->meta? */
extern bool blt_probe_external(const OpenExternal *open, const uint64_t *hash);

/*
 * The fast way, inlined: the bytes of an argument that is plain and has the
 * header of the last, or is the last one stored out of line, of which there
 * is a copy; its metadata are in reader->meta.  Null for any other, which is
 * to be opened.
 */
static inline const unsigned char *
blt_remembered_external(const ValueReader *reader, const BbfExternalFormat *format,
						Datum value)
{
	const struct varlena *plain = (struct varlena *) DatumGetPointer(value);

	if (unlikely(reader->format != format))
		return NULL;

	/* only a plain value is aligned, so that VARDATA may be formed */
	if (likely(!VARATT_IS_EXTENDED(plain) &&
			   blt_remembers_length(reader, VARSIZE(plain) - VARHDRSZ) &&
			   memcmp((const unsigned char *) VARDATA(plain) + reader->is.plain.header.offset,
					  reader->header_bytes, reader->is.plain.header.length) == 0))
		return (const unsigned char *) VARDATA(plain);
	if (blt_is_copied(reader, plain))
		return reader->is.copy.bytes;
	return NULL;
}

#endif							/* BLOOMTYPE_EXTERNAL_READER_H */
