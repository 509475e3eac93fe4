/*
 * filter_agg_state.h
 *	  The transition state of TYPE_agg: the keys of a group, and what filter
 *	  they are for.
 *
 * A capacity that is given decides the layer, whatever comes: same
 * parameters, same geometry.  Its bins are made while keys come in, but not
 * for a kind whose keys must be added in order.
 */
#ifndef BLOOMTYPE_FILTER_AGG_STATE_H
#define BLOOMTYPE_FILTER_AGG_STATE_H

#include "core/image.h"
#include "filter/gathered_keys.h"

typedef struct FilterAggState
{
	GatheredKeys keys;			/* must be first */
	uint32		subtype;
	uint16		family;			/* of the keys; none before the first */
	const BbfKindRoutine *routine;
	int64		capacity;		/* 0: sized by the number of keys */
	double		fpp;
	BbfLayer	layer;			/* for that capacity, or for 1; without keys */
} FilterAggState;

/*
 * A state without keys.  The parameters are valid.  Errors: those of
 * blt_new_layer().
 */
extern FilterAggState *blt_new_filter_agg_state(MemoryContext context,
												const BbfKindRoutine *routine,
												int64 capacity, double fpp);

/*
 * Remove copies of keys from the array where they would be wrong in the
 * result: without a capacity, for a kind that adds keys in order, and up to
 * the length of a list.  Then blt_flush_keys.
 */
extern void blt_flush_filter_agg_state(FilterAggState *state);

/*
 * Add all hashes of the array to the bins of a layer, in pieces that can be
 * interrupted.
 */
extern void blt_fill_bins(const FilterAggState *state, const BbfLayer *layer,
						  unsigned char *bins);

/*
 * To a message (core/aggregate_message.h), and from one.  Error: it is not
 * one.
 */
extern bytea *blt_serialize_filter_agg_state(FilterAggState *state);
extern FilterAggState *blt_deserialize_filter_agg_state(const bytea *bytes);

#endif							/* BLOOMTYPE_FILTER_AGG_STATE_H */
