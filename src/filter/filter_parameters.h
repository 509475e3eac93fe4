/*
 * filter_parameters.h
 *	  Arguments of SQL functions that make filters: defaults, checks, and the
 *	  geometry that capacity and false-positive probability ask for.
 */
#ifndef BLOOMTYPE_FILTER_PARAMETERS_H
#define BLOOMTYPE_FILTER_PARAMETERS_H

#include "core/image.h"
#include "key/key_match.h"

#define DEFAULT_FPP			0.01
#define DEFAULT_GROWTH		2

/* Errors, with the SQL names of what is wrong, unless the values are valid. */
extern void blt_check_capacity(int64 capacity);
extern void blt_check_fpp(float8 fpp);

/*
 * The geometry of the layer for capacity keys, 1 .. 2^63 - 1, at fpp, between 0
 * and 1.  Errors, before anything is allocated: it would pass the limit on a
 * filter; the kind has no fingerprints for so low a rate.
 */
extern BbfGeometry blt_size_layer(BbfKind kind, uint64 capacity, double fpp);

/* The same, also where it passes the limit on a filter. */
extern BbfGeometry blt_size_any_layer(BbfKind kind, uint64 capacity, double fpp);

/* Bytes of the bins of a geometry. */
extern double blt_geometry_bytes(BbfKind kind, const BbfGeometry *geometry);

/*
 * Capacity of the first layer of a filter with these parameters.  Where a list
 * comes before it, it is never made for less than that had, or a filter of fixed
 * size would be useless at once; a counting filter has the geometry of a Bloom
 * filter with the default growth.
 */
extern uint64 blt_first_capacity(BbfKind kind, uint64 capacity, int growth);

/* capacity * growth, or the largest capacity there is; growth 0 gives 0. */
extern uint64 blt_saturating_product(uint64 capacity, int growth);

/*
 * Error unless both filters have one layer, and the same geometry, as is needed
 * to combine them bin by bin.
 */
extern void blt_check_same_geometry(const BbfMeta *a, const BbfMeta *b,
									FilterUse use);

/* The record of a layer without keys. */
static inline void
blt_start_layer(BbfLayer *layer, const BbfGeometry *geometry,
				uint64 capacity, double fpp)
{
	layer->nbins = (uint32) geometry->nbins;
	layer->key_bits = geometry->key_bits;
	layer->capacity = capacity;
	layer->fpp = fpp;
	layer->full_at = geometry->full_at;
	layer->nset = 0;
}

#endif							/* BLOOMTYPE_FILTER_PARAMETERS_H */
