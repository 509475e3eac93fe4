/*
 * filter_kind.h
 *	  The words that messages have for each kind of filter, beside the
 *	  routines of core/kind.h.
 *
 * A message that suits every kind stands where its error is found.
 */
#ifndef BLOOMTYPE_FILTER_KIND_H
#define BLOOMTYPE_FILTER_KIND_H

#include "core/kind.h"

typedef struct FilterKind
{
	/* What a layer consists of, and what its key_bits count: plurals. */
	const char *bins;
	const char *key_bits;

	/*
	 * The detail and the hint of the error for a rate that no layer has:
	 * sentences.  NULL for a kind with a layer for every rate.
	 */
	const char *lowest_rate;
	const char *rate_advice;

	/*
	 * The error for a filter whose only layer, with these bins, has no room
	 * for a key; does not return.  NULL for a kind that grows, or that has
	 * room for every key, or to which none can be added.
	 */
	void		(*report_no_room) (const BbfLayer *layer, const unsigned char *bins,
								   uint64 hash);
} FilterKind;

/* By kind */
extern const FilterKind blt_filter_kinds[];

static inline const FilterKind *
blt_filter_kind(BbfKind kind)
{
	return &blt_filter_kinds[kind];
}

#endif							/* BLOOMTYPE_FILTER_KIND_H */
