/*
 * set_value.h
 *	  Reads a whole set, in one pass over its table.
 */
#ifndef BLOOMTYPE_SET_VALUE_H
#define BLOOMTYPE_SET_VALUE_H

#include "set/set_table.h"

/*
 * Set nset of each live layer of a set whose layers have been read.  If bins
 * is not null, copy the blocks of layer i to bins[i].  Errors: rows are
 * missing or damaged.
 */
extern void blt_set_read_slices(BloomSet *set, unsigned char **bins);

/* The metadata of the filter of one window, in which layers may be empty. */
extern void blt_set_window_meta(const BloomSet *set, int64 window, BbfMeta *meta);

#endif							/* BLOOMTYPE_SET_VALUE_H */
