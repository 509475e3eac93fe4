/*
 * external_format.h
 *	  Formats by name, and the errors for what their codecs have a reason against.
 */
#ifndef BLOOMTYPE_EXTERNAL_FORMAT_H
#define BLOOMTYPE_EXTERNAL_FORMAT_H

#include "core/external.h"

/* The names of all formats, in a sentence. */
extern const char *blt_format_names(void);

/* The format of a name of length bytes.  Error: there is none; lists those there are. */
extern const BbfExternalFormat *blt_find_format(const char *name, size_t length);

/* Error unless a parameter is one that the format takes, for some capacity. */
extern void blt_check_external_parameter(const BbfExternalFormat *format,
										 double parameter);

/*
 * bbf_external_size, for capacity 0, 1 ... keys, of which 0 counts as 1.  Error:
 * there is no such filter.
 */
extern void blt_size_external(const BbfExternalFormat *format, uint64 capacity,
							  double parameter, BbfExternalMeta *meta);

/* bbf_external_read.  Error: it is no filter of this format. */
extern void blt_read_external_head(const BbfExternalFormat *format,
								   const unsigned char *head, size_t length,
								   BbfExternalMeta *meta);

/*
 * A filter in an argument, detoasted in the current memory context where it must be.
 * Returns its bytes.  Error: it is no filter of this format.
 */
extern const unsigned char *blt_read_external(const BbfExternalFormat *format,
											  Datum value, BbfExternalMeta *meta);

/* As many bytes of metadata are in use. */
static inline Size
blt_external_meta_size(const BbfExternalMeta *meta)
{
	return offsetof(BbfExternalMeta, links) + meta->nlinks * sizeof(BbfExternalLink);
}

/* A copy of metadata that has only the links there are. */
extern BbfExternalMeta *blt_keep_external_meta(MemoryContext context,
											   const BbfExternalMeta *meta);

/*
 * A copy of a bytea, neither compressed nor with a short header, in the current memory
 * context; made in pieces that can be interrupted.
 */
extern bytea *blt_copy_external(Datum value);

/* A bytea of so many bytes, all zero; cleared in pieces that can be interrupted. */
extern bytea *blt_alloc_external(Size length);

/* The bytes of a bytea that this process has made. */
static inline unsigned char *
blt_external_bytes(bytea *value)
{
	return (unsigned char *) VARDATA(value);
}

#endif							/* BLOOMTYPE_EXTERNAL_FORMAT_H */
