/*
 * set_slice.h
 *	  Adds keys to one slice of a set.
 */
#ifndef BLOOMTYPE_SET_SLICE_H
#define BLOOMTYPE_SET_SLICE_H

#include "set/set_add.h"

/*
 * Add those keys to one slice of a layer that are absent there by now; the
 * others are not new.  Who waits for the row lock of another transaction looks
 * at what that has left behind.  False if the row is gone.  The layers of the
 * set have been read in a snapshot that is still registered.
 *
 * Errors: a serialization failure, where snapshots last as long as
 * transactions, if another transaction has changed the row since; a trigger or
 * rule of the table keeps the row as it was.
 */
extern bool blt_set_add_to_slice(BloomSet *set, const SetLayer *layer, int slice,
								 SetKey *const *keys, int n);

#endif							/* BLOOMTYPE_SET_SLICE_H */
