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
	bbf_meta_init(&change->meta, kind, capacity, fpp, growth);
	change->copy = blt_alloc_filter(FULL_LIST_BYTES);
	change->bytes = blt_filter_bytes(change->copy);
	change->original = (Datum) 0;
	change->was_overfull = false;
}

void
blt_start_change(FilterChange *change, Datum filter, BbfKind kind)
{
	change->bytes = blt_read_filter(filter, kind, &change->meta);
	change->routine = bbf_kind_routine(change->meta.kind);
	change->copy = NULL;
	change->original = filter;
	change->was_overfull = false;
}

/* Remember what the filter was before its first change. */
static void
note_start(FilterChange *change)
{
	if (change->copy == NULL)
		change->was_overfull = blt_is_overfull(&change->meta);
}

/*
 * Have a copy that may be written to, with room for a full list or, where
 * there are layers, for the image as it is.
 */
static unsigned char *
writable(FilterChange *change)
{
	note_start(change);
	if (change->copy == NULL)
	{
		change->copy = blt_alloc_filter(Max(change->meta.length, FULL_LIST_BYTES));
		blt_copy(blt_filter_bytes(change->copy), change->bytes, change->meta.length);
		change->bytes = blt_filter_bytes(change->copy);
	}
	return blt_filter_bytes(change->copy);
}

/*
 * Open a further layer, with clear bins, and give up the list.  A further
 * record moves the bins, so this makes a new copy.
 */
static BbfLayer *
open_layer(FilterChange *change, const BbfLayer *record)
{
	const BbfKindRoutine *routine = change->routine;
	BbfMeta    *meta = &change->meta;
	BbfLayer   *layer = &meta->layers[meta->nlayers];
	const unsigned char *old_bytes = change->bytes;
	const BbfMeta old = *meta;
	struct varlena *old_copy = change->copy;
	unsigned char *bytes;

	note_start(change);
	*layer = *record;
	meta->nlayers++;
	meta->nlist = 0;
	change->copy = blt_lay_out_filter(meta);
	bytes = blt_filter_bytes(change->copy);
	for (unsigned i = 0; i < old.nlayers; i++)
		blt_copy(bytes + meta->layers[i].offset, old_bytes + old.layers[i].offset,
				 bbf_bins_bytes(routine, &old.layers[i]));
	blt_clear(bytes + layer->offset, bbf_bins_bytes(routine, layer));
	change->bytes = bytes;

	if (old_copy != NULL)
		pfree(old_copy);
	return layer;
}

static void
insert_into_list(FilterChange *change, uint64 hash)
{
	unsigned char *bytes = writable(change);
	bool		found;
	unsigned	at = bbf_list_find(&change->meta, bytes, hash, &found);
	unsigned char *place = bytes + BBF_HEADER_BYTES + at * 8;

	memmove(place + 8, place, (change->meta.nlist - at) * 8);
	bbf_put64(place, hash);
	change->meta.nlist++;
	bbf_meta_lay_out(&change->meta);
}

/* Open the first layer, and move the hashes of the list to it. */
static void
open_first_layer(FilterChange *change)
{
	BbfMeta    *meta = &change->meta;
	uint64		capacity = bbf_first_capacity(meta->kind, meta->capacity, meta->growth);
	BbfLayer	record = blt_new_layer(meta->kind, capacity, meta->fpp);
	uint64_t	hashes[BBF_MAX_LIST];
	unsigned	n = meta->nlist;
	BbfLayer   *layer;

	for (unsigned i = 0; i < n; i++)
		hashes[i] = bbf_list_get(change->bytes, i);
	layer = open_layer(change, &record);
	for (unsigned i = 0; i < n; i++)
		(void) change->routine->add(layer, writable(change) + layer->offset,
									hashes[i]);
}

/*
 * The layer for the next key: the first that is not full, or null if there is
 * no room.  A filter that does not grow goes on filling its last.
 */
static BbfLayer *
layer_for_key(FilterChange *change)
{
	BbfMeta    *meta = &change->meta;
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
	BbfMeta    *meta = &change->meta;
	BbfLayer   *layer;

	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_ADDED);
	if (routine->skips_present && bbf_image_contains(meta, change->bytes, key.hash))
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
		routine->add(layer, writable(change) + layer->offset, key.hash);
}

void
blt_add_key(FilterChange *change, BloomKey key)
{
	const BbfMeta *meta = &change->meta;
	const FilterKind *kind;
	Size		nbytes = 0;

	if (try_add_key(change, key))
		return;

	kind = blt_filter_kind(meta->kind);
	if (!change->routine->grows)
		kind->report_no_room(&meta->layers[0], change->bytes + meta->layers[0].offset,
							 key.hash);
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
	BbfMeta    *meta = &change->meta;
	BbfLayer   *layer = &meta->layers[0];
	uint64		nset;

	/* no SQL function removes keys from a type of this kind */
	if (routine->remove == NULL)
		blt_report_corrupted(meta->kind, "It is of another kind of filter.");
	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_REMOVED);
	if (!bbf_image_contains(meta, change->bytes, key.hash))
		return;
	nset = layer->nset;
	routine->remove(layer, writable(change) + layer->offset, key.hash);
	if (layer->nset > nset)
		blt_report_corrupted(meta->kind, "It has more keys than its record says.");
}

Datum
blt_finish_change(FilterChange *change)
{
	BbfMeta    *meta = &change->meta;

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
