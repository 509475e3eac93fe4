/*
 * filter_io.h
 *	  Input and output of every type: text, binary protocol, casts with bytea.
 *
 * The image is the same in all of them; as text it is base64, not hex: a filter
 * of 512 MB must survive pg_dump under the server's limit of 1 GB.  Whatever
 * comes in passes the one validator, bbf_image_validate.
 *
 * Output names no type, as an image tells its kind.  Input does: these are the
 * bodies of the SQL functions TYPE_in, TYPE_recv and TYPE_from_bytea.  Errors, in
 * TYPE_in soft ones: it is no base64; bbf_image_validate gives a reason.
 */
#ifndef BLOOMTYPE_FILTER_IO_H
#define BLOOMTYPE_FILTER_IO_H

#include "core/kind.h"
#include "fmgr.h"

extern Datum blt_filter_in(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum blt_filter_recv(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum blt_filter_from_bytea(FunctionCallInfo fcinfo, BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_IO_H */
