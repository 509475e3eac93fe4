/*
 * external_datum.h
 *	  From a bytea to a readable filter of another system, and back.
 */
#ifndef BLOOMTYPE_EXTERNAL_DATUM_H
#define BLOOMTYPE_EXTERNAL_DATUM_H

#include "filter/filter_datum.h"
#include "interchange/external.h"

/* bbf_external_read.  Error: it is not a filter of this format. */
extern void blt_read_external_header(const BbfExternalFormat *format,
									 const unsigned char *header, size_t length,
									 BbfExternalMeta *meta);

/*
 * A filter in an argument, detoasted in the current memory context where it
 * must be.  Returns its bytes.  Error: it is not a filter of this format.
 */
extern const unsigned char *blt_read_external(const BbfExternalFormat *format,
											  Datum value, BbfExternalMeta *meta);

/* The size of metadata, without unused links. */
static inline Size
blt_external_meta_size(const BbfExternalMeta *meta)
{
	return offsetof(BbfExternalMeta, links) + meta->nlinks * sizeof(BbfExternalLink);
}

/* A copy of metadata that has only the links there are. */
extern BbfExternalMeta *blt_keep_external_meta(MemoryContext context,
											   const BbfExternalMeta *meta);

/*
 * A copy of a bytea, neither compressed nor with a short header, in the
 * current memory context; made in pieces that can be interrupted.
 */
extern bytea *blt_copy_external(Datum value);

/*
 * A bytea with a copy of length bytes, made in pieces that can be interrupted.
 */
extern bytea *blt_make_bytea(const unsigned char *bytes, Size length);

#endif							/* BLOOMTYPE_EXTERNAL_DATUM_H */
