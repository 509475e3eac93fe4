/*
 * filter_parameters.h
 *	  Arguments of SQL functions that make filters: defaults, checks, and the
 *	  geometry that capacity and false-positive probability ask for.
 */
#ifndef BLOOMTYPE_FILTER_PARAMETERS_H
#define BLOOMTYPE_FILTER_PARAMETERS_H

#include "compat.h"

#include "core/image.h"
#include "core/sizing.h"
#include "fmgr.h"

#define DEFAULT_FPP			0.01
#define DEFAULT_GROWTH		2

/* Errors, with the SQL names of what is wrong, unless the values are valid. */
extern void bloomtype_check_capacity(int64 capacity);
extern void bloomtype_check_fpp(float8 fpp);

/*
 * The geometry of the layer for capacity keys, 1 .. 2^63 - 1, at fpp, between 0
 * and 1.  Errors, before anything is allocated: it would pass the limit on a
 * filter; a cuckoo filter has no fingerprints for so low a rate.
 */
extern BbfGeometry bloomtype_size_layer(BbfKind kind, uint64 capacity,
										double fpp);

/*
 * Capacity of the layer that takes over from the list of a filter: never less
 * than the list had, or a filter of fixed size would be useless at once.
 */
extern uint64 bloomtype_first_capacity(uint64 capacity, int growth);

/* capacity * growth, or the largest capacity there is; growth 0 gives 0. */
extern uint64 bloomtype_saturating_product(uint64 capacity, int growth);

/* Error if the filter to which a key is to be added, argument 0, is null. */
extern void bloomtype_refuse_null_filter(FunctionCallInfo fcinfo, BbfKind kind);

/* The record of a layer without keys. */
static inline void
bloomtype_start_layer(BbfLayer *layer, const BbfGeometry *geometry,
					  uint64 capacity, double fpp)
{
	layer->nblocks = (uint32) geometry->nblocks;
	layer->nprobes = geometry->nprobes;
	layer->capacity = capacity;
	layer->fpp = fpp;
	layer->full_at = geometry->full_at;
	layer->nset = 0;
}

#endif							/* BLOOMTYPE_FILTER_PARAMETERS_H */
