/*
 * filter_io.h
 *	  Input and output of the types of filters (image_io.h).
 *
 * Output names no type, as an image has its kind.  Input does: these are the
 * bodies of the SQL functions TYPE_in, TYPE_recv and TYPE_from_bytea.
 */
#ifndef BLOOMTYPE_FILTER_IO_H
#define BLOOMTYPE_FILTER_IO_H

#include "core/kind.h"
#include "fmgr.h"

extern Datum blt_filter_in(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum blt_filter_recv(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum blt_filter_from_bytea(FunctionCallInfo fcinfo, BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_IO_H */
