/*
 * growth.h
 *	  How a filter of blocks grows: which layer takes the next key, and how
 *	  large the layer is that opens when all are full.
 *
 * With a growth of 0 a filter keeps its size, and its last layer takes every
 * key.
 */
#ifndef BBF_GROWTH_H
#define BBF_GROWTH_H

#include "core/image.h"

/*
 * The layer that takes the next key of a filter with layers: the first that
 * is not full; without growth the last, if all are.  NULL if another layer
 * must be opened.
 */
extern BbfLayer *bbf_meta_find_layer(BbfMeta *meta);

/*
 * Set the record of the layer that a filter opens when all its layers are
 * full. False if it opens none: its growth is 0, or it has reached a limit.
 */
extern bool bbf_meta_next_layer(const BbfMeta *meta, BbfLayer *record);

#endif							/* BBF_GROWTH_H */
