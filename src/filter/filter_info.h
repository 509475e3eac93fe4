/*
 * filter_info.h
 *	  What SQL functions tell of a filter of any kind, from its head alone.
 */
#ifndef BLOOMTYPE_FILTER_INFO_H
#define BLOOMTYPE_FILTER_INFO_H

#include "compat.h"

#include "fmgr.h"
#include "filter/filter_datum.h"

/* Name of the key family, as text. */
extern Datum bloomtype_key_type(const BbfImage *image);

/* Number of keys, as bigint; null where it cannot be told. */
extern Datum bloomtype_estimated_keys(const BbfImage *image, bool *isnull);

/* The result of a function that returns a row. */
extern Datum bloomtype_return_row(FunctionCallInfo fcinfo, Datum *values,
								  bool *nulls);

/* The bodies of the SQL functions TYPE_cardinality and TYPE_current_fpp. */
extern Datum bloomtype_image_cardinality(FunctionCallInfo fcinfo, BbfKind kind);
extern Datum bloomtype_image_current_fpp(FunctionCallInfo fcinfo, BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_INFO_H */
