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
 * seals it.  CREATE INDEX CONCURRENTLY waits for such transactions; here
 * nobody waits, while there is room.
 *
 * If a layer that keys go to has no room for them, who brings them locks the
 * table so that nobody else adds keys (SHARE ROW EXCLUSIVE, to the end of his
 * transaction).  Then he is alone, and knows of all layers: he seals the
 * newest, and opens the next one if that has no room.
 */
#ifndef BLOOMTYPE_SET_LAYERS_H
#define BLOOMTYPE_SET_LAYERS_H

#include "set/set_table.h"

/*
 * The number among the live layers of the first that keys are to be added to.
 */
extern int	blt_set_first_target(const BloomSet *set);

/*
 * Seal the newest layer, if that can be known.  Then the layers are to be read
 * again, in a new snapshot, which shows all that was added elsewhere.
 */
extern bool blt_set_try_seal(const BloomSet *set);

/* Is no layer newer, at this moment, than those that were read? */
extern bool blt_set_is_newest(const BloomSet *set);

/* Is a layer live at this moment, or has its window gone? */
extern bool blt_set_is_live_now(const BloomSet *set, const SetLayer *layer);

/*
 * Error if there are layers that the snapshot, which lasts as long as the
 * transaction, does not show.
 */
extern void blt_set_check_newest(const BloomSet *set);

/* That error. */
pg_noreturn extern void blt_set_report_conflict(const BloomSet *set);

/*
 * The first layer of a window, for capacity keys.  Errors: the capacity is too
 * large, or the rate too low for that of all windows.
 */
extern void blt_set_size_first(SetLayer *layer, uint64 capacity);

/* Can the window have more layers, and may the caller INSERT them? */
extern bool blt_set_can_grow(const BloomSet *set);

/*
 * Open the next layer of the window, for at least that many keys.  False if it
 * can have none, or if another transaction opens it.
 */
extern bool blt_set_try_grow(const BloomSet *set, uint64 nkeys);

/* Error: there is no room, and the set cannot grow. */
pg_noreturn extern void blt_set_report_full(const BloomSet *set);

#endif							/* BLOOMTYPE_SET_LAYERS_H */
