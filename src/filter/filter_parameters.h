/*
 * filter_parameters.h
 *	  Parameters of filters: defaults, checks, the geometry that capacity and
 *	  false-positive rate ask for, and filters without keys.
 */
#ifndef BLOOMTYPE_FILTER_PARAMETERS_H
#define BLOOMTYPE_FILTER_PARAMETERS_H

#include "core/image.h"
#include "fmgr.h"

/* The default of the SQL functions, as in the extension's script. */
#define BLT_DEFAULT_FPP			0.01

/* The largest capacity: from 2^53 on not all whole numbers are doubles. */
#define BLT_MAX_CAPACITY		INT64CONST(9007199254740991)

/*
 * The capacity in an argument that is not null, a float8, so that 1000, 1e6,
 * '1000' and any parameter resolve.  Errors: it is not a whole number, or out
 * of range.
 */
extern int64 blt_get_capacity(FunctionCallInfo fcinfo, int argno);

/* Error, with the SQL name of what is wrong, unless the value is valid. */
extern void blt_check_fpp(float8 fpp);

/*
 * Error if a filter can have this capacity, but not at this rate: keys are
 * 64-bit hashes, two of which may be equal.  For the parameters that a user
 * gives; lists, and layers that grow, may have lower rates.
 */
extern void blt_check_fpp_for_capacity(BbfKind kind, int64 capacity, float8 fpp);

/* What blt_find_geometry() is to check. */
typedef enum GeometryChecks
{
	BLT_UNCHECKED = 0,			/* the layer may pass the limit on a filter,
								 * and key_bits is 0 if the kind has no layer
								 * of so low a rate */
	BLT_CHECK_RATE = 1,			/* there is such a layer */
	BLT_CHECK_SIZE = 2			/* it is within the limit */
} GeometryChecks;

#define BLT_CHECK_GEOMETRY	(BLT_CHECK_RATE | BLT_CHECK_SIZE)

/*
 * The geometry of the layer for capacity keys, 1 .. 2^63 - 1, at fpp, between
 * 0 and 1, both exclusive.  The last geometries are remembered.  Errors: what
 * is to be checked does not hold.
 */
extern BbfGeometry blt_find_geometry(BbfKind kind, uint64 capacity, double fpp,
									 int checks);

/* The record of that layer, without keys.  Errors: those of both checks. */
extern BbfLayer blt_new_layer(BbfKind kind, uint64 capacity, double fpp);

/*
 * The growth of a filter that an aggregate makes; 0 for kinds that do not
 * grow.
 */
extern int	blt_default_growth(BbfKind kind);

/*
 * The body of TYPE_create(capacity, fpp), or (capacity, fpp, growth): a
 * filter without keys.  Errors: the arguments are not valid; the first layer
 * would pass the limit on a filter.
 */
extern Datum blt_create_filter(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * A filter without keys, of the default parameters: an aggregate of no rows.
 */
extern Datum blt_make_default_filter(BbfKind kind);

#endif							/* BLOOMTYPE_FILTER_PARAMETERS_H */
