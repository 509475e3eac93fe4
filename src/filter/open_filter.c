/*
 * open_filter.c
 *	  Adds keys to a filter, opening layers as it grows, and removes them.
 */
#include "compat.h"

#include "filter/open_filter.h"

#include "core/growth.h"
#include "filter/filter_info.h"
#include "filter/filter_kind.h"
#include "filter/filter_parameters.h"
#include "filter/filter_pieces.h"
#include "key/key_match.h"
#include "utils/memutils.h"

/* Bytes of an image with a full list: enough room for every filter's list. */
#define FULL_LIST_BYTES	(BBF_HEADER_BYTES + BBF_MAX_LIST * sizeof(uint64))

/*
 * Opening
 */

static void
start(OpenFilter *open, Datum value)
{
	open->is_expanded = open->is_to_expand = false;
	open->routine = bbf_kind_routine(open->object.filter.meta.kind);
	open->context = CurrentMemoryContext;
	open->value = value;
	open->has_changed = open->was_overfull = false;
	open->is_own = false;
	open->image = NULL;
	open->nimage = 0;
	open->taken = PG_UINT64_MAX;
}

void
blt_open_new_filter(OpenFilter *open, BbfKind kind, uint64 capacity, double fpp, int growth)
{
	bbf_meta_init(&open->object.filter.meta, kind, capacity, fpp, growth);
	start(open, (Datum) 0);
	open->has_changed = true;
}

void
blt_open_to_change(OpenFilter *open, Datum value, BbfKind kind)
{
	blt_read_filter(value, kind, &open->object.filter);
	start(open, value);
}

void
blt_open_filter(OpenFilter *open, Datum value, const BbfFilter *filter)
{
	bbf_filter_copy(&open->object.filter, filter);
	start(open, value);
}

static MemoryContext
create_context(MemoryContext parent)
{
	return AllocSetContextCreate(parent, "bloomtype expanded filter",
								 ALLOCSET_START_SMALL_SIZES);
}

/* Make an expanded object of a filter whose keys are in its own context. */
static OpenFilter *
expand(const OpenFilter *open)
{
	OpenFilter *object = MemoryContextAlloc(open->context, sizeof(OpenFilter));

	*object = *open;
	object->is_expanded = true;
	object->is_to_expand = false;
	blt_init_expanded(&object->object, object->context);
	object->value = EOHPGetRWDatum(&object->object.header);
	return object;
}

OpenFilter *
blt_expand_layers(const BbfFilter *filter, MemoryContext parent)
{
	OpenFilter	open;

	blt_open_filter(&open, (Datum) 0, filter);
	open.context = create_context(parent);
	for (unsigned i = 0; i < filter->meta.nlayers; i++)
	{
		Size		size = bbf_bins_bytes(open.routine, &filter->meta.layers[i]);
		unsigned char *bins = blt_alloc_bins(size, open.context);

		blt_copy(bins, filter->bins[i], size);
		open.object.filter.bins[i] = bins;
	}
	open.is_own = true;
	return expand(&open);
}

OpenFilter *
blt_open_expanded(Datum value)
{
	OpenFilter *open;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(value)) ||
		blt_expanded_filter(value) == NULL)
		return NULL;
	open = (OpenFilter *) DatumGetEOHP(value);
	open->has_changed = false;
	return open;
}

/*
 * Memory of its own
 */

/*
 * Before a change: remember what the filter was before the first one, which
 * needs a context where it is to become an expanded object.
 */
static void
note_change(OpenFilter *open)
{
	if (open->has_changed)
		return;
	open->was_overfull = blt_is_overfull(&open->object.filter.meta);
	open->has_changed = true;
	if (open->is_to_expand)
		open->context = create_context(CurrentMemoryContext);
}

/*
 * Have keys that may be written to.  At the same time, open a further layer
 * if there is one: the copy has room for it.
 */
static void
own_keys(OpenFilter *open, const BbfLayer *further)
{
	BbfFilter  *filter = &open->object.filter;
	BbfMeta    *meta = &filter->meta;
	unsigned	nlayers = meta->nlayers;
	unsigned char *bins;

	if (further != NULL)
		meta->layers[meta->nlayers++] = *further;
	open->image = MemoryContextAlloc(open->context,
									 VARHDRSZ + Max(bbf_meta_lay_out(meta), FULL_LIST_BYTES));
	open->nimage = meta->nlayers;
	open->is_own = true;

	if (meta->nlist > 0)
		memcpy(blt_list_of(open->image), filter->list, (Size) meta->nlist * 8);
	filter->list = blt_list_of(open->image);
	bins = blt_filter_bytes(open->image) + bbf_bins_start(meta);
	for (unsigned i = 0; i < meta->nlayers; i++)
	{
		Size		size = bbf_bins_bytes(open->routine, &meta->layers[i]);

		if (i < nlayers)
			blt_copy(bins, filter->bins[i], size);
		else
			blt_clear(bins, size);
		filter->bins[i] = bins;
		bins += size;
	}
}

static inline unsigned char *
own_list(OpenFilter *open)
{
	if (!open->is_own)
		own_keys(open, NULL);
	return unconstify(unsigned char *, open->object.filter.list);
}

static inline unsigned char *
own_bins(OpenFilter *open, unsigned layer)
{
	if (!open->is_own)
		own_keys(open, NULL);
	return unconstify(unsigned char *, open->object.filter.bins[layer]);
}

static unsigned char *
alloc_clear_bins(OpenFilter *open, const BbfLayer *layer)
{
	Size		size = bbf_bins_bytes(open->routine, layer);
	unsigned char *bins = blt_alloc_bins(size, open->context);

	blt_clear(bins, size);
	return bins;
}

/*
 * Adding
 */

static void
insert_into_list(OpenFilter *open, uint64 hash)
{
	BbfFilter  *filter = &open->object.filter;
	unsigned char *list = own_list(open);
	bool		found;
	unsigned	at = bbf_list_find(filter, hash, &found);

	memmove(list + (at + 1) * 8, list + at * 8, (filter->meta.nlist - at) * 8);
	bbf_list_put(list, at, hash);
	filter->meta.nlist++;
	filter->meta.length += 8;
}

/* Open the first layer, and move the hashes of the list to it. */
static void
open_first_layer(OpenFilter *open)
{
	BbfFilter  *filter = &open->object.filter;
	BbfMeta    *meta = &filter->meta;
	uint64		capacity = bbf_first_capacity(meta->kind, meta->capacity, meta->growth);
	BbfLayer	layer = blt_new_layer(meta->kind, capacity, meta->fpp);
	unsigned char *bins = alloc_clear_bins(open, &layer);

	for (unsigned i = 0; i < meta->nlist; i++)
		(void) open->routine->add(&layer, bins, bbf_list_get(filter->list, i));

	if (open->image != NULL)
		pfree(open->image);
	open->image = blt_value_around(bins);
	open->nimage = 1;
	open->is_own = true;
	filter->bins[0] = bins;
	meta->layers[0] = layer;
	meta->nlayers = 1;
	meta->nlist = 0;
	(void) bbf_meta_lay_out(meta);
}

static void
open_further_layer(OpenFilter *open, const BbfLayer *record)
{
	BbfFilter  *filter = &open->object.filter;
	BbfMeta    *meta = &filter->meta;

	if (!open->is_own)
	{
		own_keys(open, record);
		return;
	}
	filter->bins[meta->nlayers] = alloc_clear_bins(open, record);
	meta->layers[meta->nlayers] = *record;
	meta->nlayers++;
}

/*
 * The layer for the next key: the first that is not full, or null if there is
 * no room.  A filter that does not grow goes on filling its last.
 */
static BbfLayer *
layer_for_key(OpenFilter *open)
{
	BbfMeta    *meta = &open->object.filter.meta;
	BbfLayer   *layer;
	BbfLayer	record;

	if (meta->nlayers == 0)
		open_first_layer(open);
	layer = bbf_meta_find_layer(meta);
	if (layer != NULL)
		return layer;
	if (!bbf_meta_next_layer(meta, &record))
		return NULL;
	open_further_layer(open, &record);
	return &meta->layers[meta->nlayers - 1];
}

bool
blt_add_hash(OpenFilter *open, uint64 hash)
{
	const BbfKindRoutine *routine = open->routine;
	BbfFilter  *filter = &open->object.filter;
	BbfMeta    *meta = &filter->meta;
	BbfLayer   *layer;
	unsigned	number;

	if (bbf_has_trait(routine, BBF_TRAIT_SKIPS_PRESENT) && bbf_filter_contains(filter, hash))
		return true;

	note_change(open);
	if (bbf_has_trait(routine, BBF_TRAIT_LIST) && meta->nlayers == 0 && meta->nlist < BBF_MAX_LIST)
	{
		insert_into_list(open, hash);
		return true;
	}
	layer = layer_for_key(open);
	if (layer == NULL)
		return false;
	number = layer - meta->layers;
	open->taken |= UINT64CONST(1) << number;
	return routine->add(layer, own_bins(open, number), hash);
}

pg_noreturn static void
report_no_room(const OpenFilter *open, uint64 hash)
{
	const BbfFilter *filter = &open->object.filter;
	const BbfMeta *meta = &filter->meta;
	const FilterKind *kind = blt_filter_kind(meta->kind);
	Size		nbytes = 0;

	if (!bbf_has_trait(open->routine, BBF_TRAIT_GROWTH))
		kind->report_no_room(&meta->layers[0], filter->bins[0], hash);
	for (unsigned i = 0; i < meta->nlayers; i++)
		nbytes += bbf_bins_bytes(open->routine, &meta->layers[i]);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("filter can take no more keys"),
			 errdetail("Every layer is full; it has %u, with %.1f MB of %s. The limits are %d layers and 512 MB.",
					   meta->nlayers, (double) nbytes / (1024 * 1024), kind->bins,
					   BBF_MAX_LAYERS),
			 errhint("Rebuild it with a larger capacity, or split the keys over several filters, one for each bloom_partition(value, partitions).")));
}

void
blt_add_key(OpenFilter *open, BloomKey key)
{
	BbfMeta    *meta = &open->object.filter.meta;

	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_ADDED);
	if (!blt_add_hash(open, key.hash))
		report_no_room(open, key.hash);

	/* only now, since an error leaves a filter without keys as it was */
	meta->family = key.family;
	meta->subtype = key.subtype;
}

/*
 * Removing
 */

void
blt_remove_key(OpenFilter *open, BloomKey key)
{
	const BbfKindRoutine *routine = open->routine;
	BbfMeta    *meta = &open->object.filter.meta;
	BbfLayer   *layer = &meta->layers[0];
	uint64		nset;

	/* no SQL function removes keys from a type of this kind */
	if (routine->remove == NULL)
		blt_report_corrupted(meta->kind, "It is of another kind of filter.");
	blt_check_key(meta->kind, meta->family, meta->subtype, key, BLT_KEY_IS_REMOVED);
	if (!bbf_filter_contains(&open->object.filter, key.hash))
		return;
	note_change(open);
	nset = layer->nset;
	routine->remove(layer, own_bins(open, 0), key.hash);
	if (layer->nset > nset)
	{
		/* undone, since a variable may outlive the error */
		routine->add(layer, own_bins(open, 0), key.hash);
		layer->nset = nset;
		blt_report_corrupted(meta->kind, "It has more keys than its record says.");
	}
}

/* Close the layer from which the last key has been removed. */
static void
close_layer(OpenFilter *open)
{
	bbf_meta_clear(&open->object.filter.meta);
	pfree(open->image);
	open->image = NULL;
	open->nimage = 0;
	open->is_own = false;
}

/*
 * Closing
 */

Datum
blt_flatten_filter(OpenFilter *open)
{
	const BbfFilter *filter = &open->object.filter;
	BbfMeta    *meta = &open->object.filter.meta;
	struct varlena *value = open->image;

	if (value == NULL || meta->nlayers != open->nimage)
	{
		value = MemoryContextAlloc(open->context, VARHDRSZ + bbf_meta_lay_out(meta));
		blt_write_filter(filter, blt_filter_bytes(value));
		if (open->image != NULL)
			pfree(open->image);
		for (unsigned i = open->nimage; open->is_own && i < meta->nlayers; i++)
			blt_free_bins(unconstify(unsigned char *, filter->bins[i]));
	}
	SET_VARSIZE(value, VARHDRSZ + meta->length);
	return blt_finish_filter(value, meta);
}

Datum
blt_close_filter(OpenFilter *open)
{
	const BbfMeta *meta = &open->object.filter.meta;

	if (!open->has_changed)
		return open->value;

	/*
	 * once its last key is removed, a filter is what it was before the first
	 */
	if (open->routine->remove != NULL && meta->nlayers > 0 && meta->layers[0].nset == 0)
		close_layer(open);
	else if (!open->was_overfull && blt_is_overfull(meta))
		blt_warn_of_overfull(meta);
	if (open->is_to_expand)
		return expand(open)->value;
	return open->is_expanded ? open->value : blt_flatten_filter(open);
}
