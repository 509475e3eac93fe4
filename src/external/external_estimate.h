/*
 * external_estimate.h
 *	  What the planner expects of filters of other systems.
 *
 * A format is given by its name, a value of type text.  Nothing here raises an
 * error for a name that does not exist, for a wrong parameter or for bytes
 * that are not a filter: the query does so, if it meets them.
 */
#ifndef BLOOMTYPE_EXTERNAL_ESTIMATE_H
#define BLOOMTYPE_EXTERNAL_ESTIMATE_H

#include "fmgr.h"

/*
 * Estimate the number of keys of a filter, a bytea, and its rate.  Sets its
 * size in bytes.  False: the numbers are not known.
 */
extern bool blt_estimate_external(Datum format, Datum filter, double *keys,
								  double *fpp, double *bytes);

/*
 * The rate of a filter that is made with the parameter of its format, when it
 * has a share of the keys for which it is made, load.  Where there is no such
 * format or parameter, the default rate.
 */
extern double blt_external_fpp(Datum format, double parameter, double load);

#endif							/* BLOOMTYPE_EXTERNAL_ESTIMATE_H */
