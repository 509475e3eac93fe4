/*
 * filter_pieces.h
 *	  Work on the bytes of filters, which may be 512 MB, in pieces of a
 *	  megabyte between which the query can be cancelled.
 *
 * A function of ours that takes longer than a few milliseconds, whatever the
 * size of its filters, goes through these, or checks for interrupts itself.
 */
#ifndef BLOOMTYPE_FILTER_PIECES_H
#define BLOOMTYPE_FILTER_PIECES_H

#include "core/kind.h"

/* CHECK_FOR_INTERRUPTS, for functions of core/ that are given one to call. */
extern void blt_check_for_interrupts(void);

/* memcpy */
extern void blt_copy(void *to, const void *from, Size size);

/* memset to zero */
extern void blt_clear(void *bytes, Size size);

/* memcmp */
extern int	blt_compare(const void *a, const void *b, Size size);

/* routine->count_set, and routine->unite for a kind that has it */
extern uint64 blt_count_set(const BbfKindRoutine *routine, const BbfLayer *layer,
							const unsigned char *bins);
extern void blt_unite_bins(const BbfKindRoutine *routine, const BbfLayer *layer,
						   unsigned char *bins, const unsigned char *others);

#endif							/* BLOOMTYPE_FILTER_PIECES_H */
