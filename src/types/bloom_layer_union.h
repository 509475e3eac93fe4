/*
 * bloom_layer_union.h
 *	  Unites layers: those of two filters become those of one.
 *
 * The layers, in an order that does not depend on the side, are OR-ed into
 * the first of the same geometry, as long as that does not become full; the
 * others stand side by side.  Past 64 layers or 512 MB two neighbours in size
 * become one, those that make the lowest rate.  FORMAT.md has the rules.
 *
 * Time.  Each layer is tried with each other of its geometry, but the first
 * blocks of most pairs show that they do not fit.  At worst all their bytes
 * are read: where a layer has all bits of another but about as many as there
 * is room for.  Layers that were tried with each other before, and did not
 * change since, are not tried again.
 *
 * All goes through blocks in steps that can be cancelled.
 */
#ifndef BLOOMTYPE_BLOOM_LAYER_UNION_H
#define BLOOMTYPE_BLOOM_LAYER_UNION_H

#include "types/bloom_layers.h"

/*
 * Unite all layers: those of the same geometry as far as they fit, or with
 * or_always in any case.  Returns whether some were merged to stay within the
 * limits.  After an error the metadata have no layers, as blocks may have
 * been freed.
 */
extern bool blt_unite_layers(LayeredFilter *filter, bool or_always);

#endif							/* BLOOMTYPE_BLOOM_LAYER_UNION_H */
