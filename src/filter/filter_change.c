/*
 * filter_change.c
 *	  Adds keys to a filter, opening layers as it grows, and removes them.
 */
#include "compat.h"

#include "filter/filter_change.h"

#include "core/growth.h"
#include "filter/filter_datum.h"
#include "filter/filter_info.h"
#include "filter/filter_kind.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "key/key_match.h"

/* Bytes of an image with a full list: enough room for every filter's list. */
#define FULL_LIST_BYTES	(BBF_HEADER_BYTES + BBF_MAX_LIST * sizeof(uint64))

void
blt_start_new_filter(FilterChange *change, BbfKind kind, uint64 capacity,
					 double fpp, int growth)
{
	change->routine = bbf_kind_routine(kind);
	bbf_meta_init(&change->filter.meta, kind, capacity, fpp, growth);
	change->copy = blt_alloc_filter(FULL_LIST_BYTES);
	bbf_filter_attach(&change->filter, blt_filter_bytes(change->copy));
	change->original = (Datum) 0;
	change->was_overfull = false;
}

void
blt_start_change(FilterChange *change, Datum filter, BbfKind kind)
{
	blt_read_filter(filter, kind, &change->filter);
	change->routine = bbf_kind_routine(change->filter.meta.kind);
	change->copy = NULL;
	change->original = filter;
	change->was_overfull = false;
}

/* Remember what the filter was before its first change. */
static void
note_start(FilterChange *change)
{
	if (change->copy == NULL)
		change->was_overfull = blt_is_overfull(&change->filter.meta);
}

/*
 * Have a copy that may be written to, with room for a full list or, where
 * there are layers, for the image as it is.
 */
static unsigned char *
writable(FilterChange *change)
{
	const BbfMeta *meta = &change->filter.meta;

	note_start(change);
	if (change->copy == NULL)
	{
		change->copy = blt_alloc_filter(Max(meta->length, FULL_LIST_BYTES));
		blt_copy(blt_list_of(change->copy), change->filter.list,
				 meta->length - BBF_HEADER_BYTES);
		bbf_filter_attach(&change->filter, blt_filter_bytes(change->copy));
	}
	return blt_filter_bytes(change->copy);
}

/* The same for the bins of a layer. */
static unsigned char *
writable_bins(FilterChange *change, const BbfLayer *layer)
{
	const BbfMeta *meta = &change->filter.meta;

	return writable(change) + bbf_bins_offset(meta, layer - meta->layers);
}

/*
 * Open a further layer, with clear bins, and give up the list.  A further
 * record moves the bins, so this makes a new copy.
 */
static BbfLayer *
open_layer(FilterChange *change, const BbfLayer *record)
{
	const BbfKindRoutine *routine = change->routine;
	BbfMeta    *meta = &change->filter.meta;
	BbfLayer   *layer = &meta->layers[meta->nlayers];
	const BbfFilter old = change->filter;
	struct varlena *old_copy = change->copy;
	unsigned char *bins;

	note_start(change);
	*layer = *record;
	meta->nlayers++;
	meta->nlist = 0;
	change->copy = blt_lay_out_filter(meta);
	bins = blt_filter_bytes(change->copy) + bbf_bins_offset(meta, 0);
	for (unsigned i = 0; i < old.meta.nlayers; i++)
	{
		Size		size = bbf_bins_bytes(routine, &old.meta.layers[i]);

		blt_copy(bins, old.bins[i], size);
		bins += size;
	}
	blt_clear(bins, bbf_bins_bytes(routine, layer));
	bbf_filter_attach(&change->filter, blt_filter_bytes(change->copy));

	if (old_copy != NULL)
		pfree(old_copy);
	return layer;
}

static void
insert_into_list(FilterChange *change, uint64 hash)
{
	unsigned char *bytes = writable(change);
	bool		found;
	unsigned	at = bbf_list_find(&change->filter, hash, &found);
	unsigned char *place = bytes + BBF_HEADER_BYTES + at * 8;

	memmove(place + 8, place, (change->filter.meta.nlist - at) * 8);
	bbf_put64(place, hash);
	change->filter.meta.nlist++;
	bbf_meta_lay_out(&change->filter.meta);
}

/* Open the first layer, and move the hashes of the list to it. */
static void
open_first_layer(FilterChange *change)
{
	BbfMeta    *meta = &change->filter.meta;
	uint64		capacity = bbf_first_capacity(meta->kind, meta->capacity, meta->growth);
	BbfLayer	record = blt_new_layer(meta->kind, capacity, meta->fpp);
	uint64_t	hashes[BBF_MAX_LIST];
	unsigned	n = meta->nlist;
	BbfLayer   *layer;

	for (unsigned i = 0; i < n; i++)
		hashes[i] = bbf_list_get(change->filter.list, i);
	layer = open_layer(change, &record);
	for (unsigned i = 0; i < n; i++)
		(void) change->routine->add(layer, writable_bins(change, layer), hashes[i]);
}

/*
 * The layer for the next key: the first that is not full, or null if there is
 * no room.  A filter that does not grow goes on filling its last.
 */
static BbfLayer *
layer_for_key(FilterChange *change)
{
	BbfMeta    *meta = &change->filter.meta;
	BbfLayer   *layer;
	BbfLayer	record;

	if (meta->nlayers == 0)
		open_first_layer(change);
	layer = bbf_meta_find_layer(meta);
	if (layer != NULL)
		return layer;
	return bbf_meta_next_layer(meta, &record) ?
		open_layer(change, &record) : NULL;
}

/* Add a key; false, and no change, where the filter can take no more. */
static bool
try_add_key(FilterChange *change, BloomKey key)
{
	const BbfKindRoutine *routine = change->routine;
	BbfMeta    *meta = &change->filter.meta;
	BbfLayer   *layer;

	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_ADDED);
	if (routine->skips_present && bbf_filter_contains(&change->filter, key.hash))
		return true;

	meta->family = key.family;
	meta->subtype = key.subtype;
	if (routine->has_list && meta->nlayers == 0 && meta->nlist < BBF_MAX_LIST)
	{
		insert_into_list(change, key.hash);
		return true;
	}
	layer = layer_for_key(change);
	return layer != NULL &&
		routine->add(layer, writable_bins(change, layer), key.hash);
}

void
blt_add_key(FilterChange *change, BloomKey key)
{
	const BbfMeta *meta = &change->filter.meta;
	const FilterKind *kind;
	Size		nbytes = 0;

	if (try_add_key(change, key))
		return;

	kind = blt_filter_kind(meta->kind);
	if (!change->routine->grows)
		kind->report_no_room(&meta->layers[0], change->filter.bins[0], key.hash);
	for (unsigned i = 0; i < meta->nlayers; i++)
		nbytes += bbf_bins_bytes(change->routine, &meta->layers[i]);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("filter can take no more keys"),
			 errdetail("Every layer is full; it has %u, with %.1f MB of %s. The limits are %d layers and 512 MB.",
					   meta->nlayers, (double) nbytes / (1024 * 1024), kind->bins,
					   BBF_MAX_LAYERS),
			 errhint("Rebuild it with a larger capacity, or split the keys over several filters, one for each bloom_partition(value, partitions).")));
}

void
blt_remove_key(FilterChange *change, BloomKey key)
{
	const BbfKindRoutine *routine = change->routine;
	BbfMeta    *meta = &change->filter.meta;
	BbfLayer   *layer = &meta->layers[0];
	uint64		nset;

	/* no SQL function removes keys from a type of this kind */
	if (routine->remove == NULL)
		blt_report_corrupted(meta->kind, "It is of another kind of filter.");
	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_REMOVED);
	if (!bbf_filter_contains(&change->filter, key.hash))
		return;
	nset = layer->nset;
	routine->remove(layer, writable_bins(change, layer), key.hash);
	if (layer->nset > nset)
		blt_report_corrupted(meta->kind, "It has more keys than its record says.");
}

Datum
blt_finish_change(FilterChange *change)
{
	BbfMeta    *meta = &change->filter.meta;

	if (change->copy == NULL)
		return change->original;

	/*
	 * once its last key is removed, a filter is what it was before the first
	 */
	if (change->routine->remove != NULL && meta->nlayers > 0 && meta->layers[0].nset == 0)
		return blt_make_empty_filter(meta);
	if (!change->was_overfull && blt_is_overfull(meta))
		blt_warn_of_overfull(meta);
	SET_VARSIZE(change->copy, VARHDRSZ + meta->length);
	return blt_finish_filter(change->copy, meta);
}
