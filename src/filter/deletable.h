/*
 * deletable.h
 *	  Filters from which keys can be taken out: counting_bloom and cuckoo.
 *
 * What the two types have in common: they have one layer, which the first key
 * opens and the last one closes, and which neither grows nor skips a key that
 * seems present, since that would be lost when the other is removed.
 *
 * A change works on a private copy of the filter, which is never written to.
 */
#ifndef BLOOMTYPE_DELETABLE_H
#define BLOOMTYPE_DELETABLE_H

#include "compat.h"

#include "fmgr.h"
#include "filter/filter_datum.h"

/* What differs between them. */
typedef struct RemovableKind
{
	BbfKind		kind;

	/* of each block: counters, or the bucket itself; and what may be taken */
	unsigned	shown_per_block;
	unsigned	places_per_block;

	/* keys that the layer of a filter made for capacity keys is made for */
	uint64		(*layer_capacity) (uint64 capacity);

	/* add a key to a layer, and count that in layer->nset; error: no place */
	void		(*add) (BbfLayer *layer, unsigned char *blocks, uint64 hash);

	/* take out a key that seems present, and count that in layer->nset */
	void		(*remove) (BbfLayer *layer, unsigned char *blocks, uint64 hash);
} RemovableKind;

/* The bodies of the SQL functions TYPE_create, and so on. */
extern Datum bloomtype_removable_create(FunctionCallInfo fcinfo,
										const RemovableKind *removable);
extern Datum bloomtype_removable_add(FunctionCallInfo fcinfo,
									 const RemovableKind *removable);
extern Datum bloomtype_removable_add_all(FunctionCallInfo fcinfo,
										 const RemovableKind *removable);
extern Datum bloomtype_removable_remove(FunctionCallInfo fcinfo,
										const RemovableKind *removable);
extern Datum bloomtype_removable_remove_all(FunctionCallInfo fcinfo,
											const RemovableKind *removable);

/*
 * How many copies of the key in the second argument there may be in the filter
 * that is the first; see bbf_image_count.
 */
extern int	bloomtype_removable_count(FunctionCallInfo fcinfo, BbfKind kind);

/*
 * A row of key_type, capacity, target_fpp, nprobes, what is shown of the blocks,
 * bytes, share of places taken, keys, current_fpp and saturated.
 */
extern Datum bloomtype_removable_info(FunctionCallInfo fcinfo,
									  const RemovableKind *removable);

/* A filter without keys. */
extern Datum bloomtype_removable_empty(BbfKind kind, uint64 capacity, double fpp);

#endif							/* BLOOMTYPE_DELETABLE_H */
