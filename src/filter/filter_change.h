/*
 * filter_change.h
 *	  A filter of any kind while it is made or changed.
 *
 * Works on a private copy, taken at the first change; the filter it started
 * from is never written to.
 *
 * A Bloom filter first keeps an exact list of up to 128 hashes.  The next key
 * turns it into a layer of blocks.  A layer is full when its bits set pass
 * the limit in its record; when every layer is full another one opens, larger
 * and with half the rate, so that the rates of all layers add up to less than
 * twice what was requested (P. Almeida, C. Baquero, N. Preguica, D.
 * Hutchison, "Scalable Bloom Filters", 2007, whose tightening ratio this is).
 *
 * A filter from which keys can be deleted has one layer, which the first key
 * opens and the last one closes.  It does not leave out a key that seems
 * present, since that would be lost when the other is removed.
 */
#ifndef BLOOMTYPE_FILTER_CHANGE_H
#define BLOOMTYPE_FILTER_CHANGE_H

#include "core/filter.h"
#include "key/key_type.h"

typedef struct FilterChange
{
	const BbfKindRoutine *routine;
	BbfFilter	filter;			/* to read: the original's keys, or of copy */
	struct varlena *copy;		/* to write; null until the first change */
	Datum		original;		/* 0 for a new filter */
	bool		was_overfull;	/* before the first change: see filter_info.h */
} FilterChange;

/* Start a filter without keys.  The parameters are valid. */
extern void blt_start_new_filter(FilterChange *change, BbfKind kind, uint64 capacity,
								 double fpp, int growth);

/*
 * Start from a filter of a kind, or of BBF_KIND_ANY, which must live until the
 * change is finished.
 */
extern void blt_start_change(FilterChange *change, Datum filter, BbfKind kind);

/*
 * Add a key.  One that seems present already changes nothing where the kind
 * skips those.  Errors: keys cannot be added to this kind of filter; the key
 * is of another family; the filter can take no more keys.
 */
extern void blt_add_key(FilterChange *change, BloomKey key);

/*
 * Remove a key once.  One that is certainly absent changes nothing.  Errors:
 * the key is of another family; keys cannot be deleted from this kind of
 * filter, so that the stored value must be corrupted.
 */
extern void blt_remove_key(FilterChange *change, BloomKey key);

/*
 * The result: the original where nothing changed.  WARNING: the change has
 * made the filter overfull.
 */
extern Datum blt_finish_change(FilterChange *change);

#endif							/* BLOOMTYPE_FILTER_CHANGE_H */
