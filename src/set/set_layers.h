/*
 * set_layers.h
 *	  Opens the layers of a set, and says which of them keys go to.
 *
 * While a layer is opened by one transaction, others go on adding keys to the
 * layer before.  So for a while there are transactions that do not know of
 * the newest layer, and others that do; a key that both bring must be new to
 * one of them only.  Until a layer is sealed, keys therefore go to the layer
 * before it, too, and there first: it is the row lock there that decides.
 *
 * A seal says that every transaction which may have added keys without
 * knowing of the layer has ended.  Whoever adds keys locks the table (ROW
 * EXCLUSIVE, to the end of his transaction) before he looks for layers, as
 * they are at that moment.  So these are the transactions that had the lock
 * when the layer had become visible; who sees that all of them have ended
 * inserts the seal.  CREATE INDEX CONCURRENTLY waits for such transactions;
 * here nobody waits.
 */
#ifndef BLOOMTYPE_SET_LAYERS_H
#define BLOOMTYPE_SET_LAYERS_H

#include "set/set_table.h"

/*
 * The number among the live layers of the first that keys are to be added to.
 */
extern int	blt_set_first_target(const BloomSet *set);

/* Seal the newest layer, if that can be known, by a caller who may INSERT. */
extern void blt_set_try_seal(const BloomSet *set);

/* Is no layer newer, at this moment, than those that were read? */
extern bool blt_set_is_newest(const BloomSet *set);

/*
 * Error if there are layers that the snapshot, which lasts as long as the
 * transaction, does not show.
 */
extern void blt_set_check_snapshot(const BloomSet *set);

/*
 * Error about a row of a layer that is gone: by now its window may not be kept
 * any more.
 */
pg_noreturn extern void blt_set_report_gone(const BloomSet *set, const SetLayer *layer, int slice);

/*
 * The first layer of a window, for capacity keys.  Errors: the capacity is too
 * large.
 */
extern void blt_set_size_first(SetLayer *layer, uint64 capacity);

/*
 * Open the next layer of the window, unless another transaction does, the
 * caller may not INSERT, or the limits of a filter are reached.
 */
extern void blt_set_try_grow(const BloomSet *set);

#endif							/* BLOOMTYPE_SET_LAYERS_H */
