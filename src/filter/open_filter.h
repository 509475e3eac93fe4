/*
 * open_filter.h
 *	  A filter of any kind while it is made or changed.
 *
 * What it was opened from is never written to.  At the first change, the keys
 * are copied to memory of its own; layers that are opened later stand apart
 * from these.  Only when it is closed, all of that becomes a plain value; or,
 * if it is to be an expanded object, only when the server needs a plain one.
 * Then the next change is made in place.
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
#ifndef BLOOMTYPE_OPEN_FILTER_H
#define BLOOMTYPE_OPEN_FILTER_H

#include "filter/filter_datum.h"
#include "key/key_type.h"

typedef struct OpenFilter
{
	ExpandedFilter object;		/* must be first.  Its filter is what it is
								 * now; its header is set if is_expanded */
	bool		is_expanded;
	bool		is_to_expand;	/* by its opener: the first change makes it an
								 * expanded object */
	const BbfKindRoutine *routine;
	MemoryContext context;		/* of its own memory */
	Datum		value;			/* that it was opened from */

	/* since it was opened */
	bool		has_changed;
	bool		was_overfull;	/* before that; see filter_info.h */

	/*
	 * Keys that may be written to: the list, or the first nimage layers, in a
	 * plain value with their metadata to be filled in, and further layers,
	 * each in memory from blt_alloc_bins().
	 */
	bool		is_own;
	struct varlena *image;		/* null if nimage is 0 and there is no list */
	unsigned	nimage;

	uint64		taken;			/* bit i: layer number i has taken keys since
								 * layers were united */
} OpenFilter;

/* Open a filter without keys.  The parameters are valid. */
extern void blt_open_new_filter(OpenFilter *open, BbfKind kind, uint64 capacity,
								double fpp, int growth);

/*
 * Open a filter of a kind, or of BBF_KIND_ANY, which must live until it is
 * closed.
 */
extern void blt_open_to_change(OpenFilter *open, Datum value, BbfKind kind);

/* The same for a filter that has been read from that value. */
extern void blt_open_filter(OpenFilter *open, Datum value, const BbfFilter *filter);

/*
 * An expanded object for a filter with layers, each of which stands apart, in
 * a new context.
 */
extern OpenFilter *blt_expand_layers(const BbfFilter *filter, MemoryContext parent);

/* Open that of a value that the caller may change; null if it is not one. */
extern OpenFilter *blt_open_expanded(Datum value);

/*
 * Add a key.  One that seems present already changes nothing where the kind
 * skips those.  Errors, which leave the filter as it was: keys cannot be added
 * to this kind of filter; the key is of another family; the filter can take no
 * more keys.
 */
extern void blt_add_key(OpenFilter *open, BloomKey key);

/*
 * The same for a hash of the family that the filter has.  Returns false, and
 * changes nothing, where it can take no more.
 */
extern bool blt_add_hash(OpenFilter *open, uint64 hash);

/*
 * Remove a key once.  One that is certainly absent changes nothing.  Errors:
 * the key is of another family; keys cannot be deleted from this kind of
 * filter, so that the stored value must be corrupted.
 */
extern void blt_remove_key(OpenFilter *open, BloomKey key);

/*
 * The result: the value that it was opened from where nothing changed, or an
 * expanded object, or a plain value.  WARNING: the filter has become overfull.
 */
extern Datum blt_close_filter(OpenFilter *open);

/*
 * The filter as a plain value in its memory context, after which it is only to
 * be freed.
 */
extern Datum blt_flatten_filter(OpenFilter *open);

#endif							/* BLOOMTYPE_OPEN_FILTER_H */
