/*
 * external_format.h
 *	  Formats by name, and the sizes of their filters.
 */
#ifndef BLOOMTYPE_EXTERNAL_FORMAT_H
#define BLOOMTYPE_EXTERNAL_FORMAT_H

#include "interchange/external.h"

/* The names of all formats, in a sentence. */
extern const char *blt_format_names(void);

/*
 * The format of a name of length bytes.  Error: there is none; lists those
 * there are.
 */
extern const BbfExternalFormat *blt_find_format(const char *name, size_t length);

/* Error unless a parameter is one that the format takes, for some capacity. */
extern void blt_check_external_parameter(const BbfExternalFormat *format,
										 double parameter);

/*
 * bbf_external_size, for capacity 0, 1 ... keys, of which 0 counts as 1.
 * Error: there is no such filter.
 */
extern void blt_size_external(const BbfExternalFormat *format, uint64 capacity,
							  double parameter, BbfExternalMeta *meta);

#endif							/* BLOOMTYPE_EXTERNAL_FORMAT_H */
