/*
 * set_slice.h
 *	  Adds keys to one slice of a set.
 */
#ifndef BLOOMTYPE_SET_SLICE_H
#define BLOOMTYPE_SET_SLICE_H

#include "set/set_add.h"

/*
 * Add keys to one slice of a layer.  False, and nothing is changed, if any of
 * them is there by now: who waits for the row lock of another transaction is
 * told what that has left behind.  Or if the row is gone, or a trigger or rule
 * of the table keeps it as it was.  The layers of the set have been read in a
 * snapshot that is still registered.
 *
 * Errors: a serialization failure, where snapshots last as long as
 * transactions, if another transaction has changed the row since.
 */
extern bool blt_set_add_to_slice(BloomSet *set, const SetLayer *layer, int slice,
								 SetKey *const *keys, int n);

#endif							/* BLOOMTYPE_SET_SLICE_H */
