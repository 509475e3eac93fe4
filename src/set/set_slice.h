/*
 * set_slice.h
 *	  Adds keys to one slice of a set.
 */
#ifndef BLOOMTYPE_SET_SLICE_H
#define BLOOMTYPE_SET_SLICE_H

#include "set/set_add.h"

/* What has become of a slice */
typedef enum SetSliceState
{
	SET_SLICE_HAS_KEYS,
	SET_SLICE_WAS_FILLED,		/* by others, and nothing was added */
	SET_SLICE_IS_GONE
} SetSliceState;

/*
 * Add those keys to one slice of a layer that are absent there by now; the
 * others are not new.  Who waits for the row lock of another transaction looks
 * at what that has left behind; if that is much more than there was, and this
 * is the first slice of a call, nothing is added.  The layers of the set have
 * been read in a snapshot that is still registered.
 *
 * Errors: a serialization failure, where snapshots last as long as
 * transactions, if another transaction has changed the row since; a trigger or
 * rule of the table keeps the row as it was.
 */
extern SetSliceState blt_set_add_to_slice(BloomSet *set, const SetLayer *layer, int slice,
										  SetKey *const *keys, int n, bool is_first);

#endif							/* BLOOMTYPE_SET_SLICE_H */
