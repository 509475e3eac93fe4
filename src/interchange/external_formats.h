/*
 * external_formats.h
 *	  The rows of the table of external formats, one array for each system.
 */
#ifndef BBF_EXTERNAL_FORMATS_H
#define BBF_EXTERNAL_FORMATS_H

#include "interchange/external.h"

/* The reason not to make a filter of more than BBF_EXTERNAL_MAX_MADE bytes. */
#define BBF_EXTERNAL_TOO_LARGE \
	"It would take more than 536805376 bytes, the most that is sure to be printed and dumped."

extern const BbfExternalFormat bbf_external_guava[4];
extern const BbfExternalFormat bbf_external_parquet[7];
extern const BbfExternalFormat bbf_external_spark[2];
extern const BbfExternalFormat bbf_external_go[1];
extern const BbfExternalFormat bbf_external_redis[1];
extern const BbfExternalFormat bbf_external_leveldb[1];

#endif							/* BBF_EXTERNAL_FORMATS_H */
