/*
 * external_rows.h
 *	  The rows of the table of external formats, one array for each system.
 */
#ifndef BBF_EXTERNAL_ROWS_H
#define BBF_EXTERNAL_ROWS_H

#include "core/external.h"

extern const BbfExternalFormat bbf_external_guava[4];
extern const BbfExternalFormat bbf_external_parquet[7];
extern const BbfExternalFormat bbf_external_spark[2];
extern const BbfExternalFormat bbf_external_go[1];
extern const BbfExternalFormat bbf_external_redis[1];
extern const BbfExternalFormat bbf_external_leveldb[1];

#endif							/* BBF_EXTERNAL_ROWS_H */
