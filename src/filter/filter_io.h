/*
 * filter_io.h
 *	  The doors of every type: text, binary protocol, casts with bytea.
 *
 * The image is the same through all of them; as text it is base64, not hex:
 * a filter of 512 MB must survive pg_dump under the server's limit of 1 GB.
 * Whatever comes in passes the one validator, bbf_image_validate.
 */
#ifndef BLOOMTYPE_FILTER_IO_H
#define BLOOMTYPE_FILTER_IO_H

#include "filter/filter_datum.h"

#include "fmgr.h"

/* Each is the body of the SQL function of that name. */
extern Datum bloomtype_image_in(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum bloomtype_image_out(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum bloomtype_image_recv(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum bloomtype_image_from_bytea(FunctionCallInfo fcinfo, BbfKind kind);

/* Also the body of send: both hand out the image as it is. */
extern Datum bloomtype_image_to_bytea(FunctionCallInfo fcinfo, BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_IO_H */
