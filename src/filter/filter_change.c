/*
 * filter_change.c
 *	  See filter_change.h.
 */
#include "filter/filter_change.h"

#include "key/key_match.h"

/* Bytes of an image with a full list: enough room for every filter's list. */
#define FULL_LIST_BYTES	(BBF_HEADER_BYTES + BBF_MAX_LIST * sizeof(uint64))

void
bloomtype_build_new(BloomBuild *build, uint64 capacity, double fpp, int growth)
{
	bbf_image_init(&build->image, BBF_KIND_BLOOM, capacity, fpp, growth);
	build->copy = bloomtype_alloc_image(FULL_LIST_BYTES);
	build->bytes = bloomtype_image_bytes(build->copy);
	build->original = (Datum) 0;
}

void
bloomtype_build_from(BloomBuild *build, Datum filter)
{
	build->bytes = bloomtype_read_image(filter, BBF_KIND_BLOOM, &build->image);
	build->copy = NULL;
	build->original = filter;
}

/*
 * Have a copy that may be written to, with room for a full list or, where
 * there are layers, for the image as it is.
 */
static unsigned char *
writable(BloomBuild *build)
{
	if (build->copy == NULL)
	{
		build->copy = bloomtype_alloc_image(Max(build->image.length,
												FULL_LIST_BYTES));
		memcpy(bloomtype_image_bytes(build->copy), build->bytes,
			   build->image.length);
		build->bytes = bloomtype_image_bytes(build->copy);
	}
	return bloomtype_image_bytes(build->copy);
}

void
bloomtype_build_set_parameters(BloomBuild *build, const BbfImage *parameters)
{
	(void) writable(build);
	build->image.capacity = parameters->capacity;
	build->image.fpp = parameters->fpp;
	build->image.growth = parameters->growth;
	build->image.flags = parameters->flags;
}

void
bloomtype_build_set_list(BloomBuild *build, const uint64 *hashes, unsigned n)
{
	unsigned char *bytes = writable(build);

	for (unsigned i = 0; i < n; i++)
		bbf_put64(bytes + BBF_HEADER_BYTES + i * 8, hashes[i]);
	build->image.nlist = n;
	bbf_image_lay_out(&build->image);
}

unsigned char *
bloomtype_build_open_layer(BloomBuild *build, uint64 capacity, double fpp,
						   const BbfGeometry *geometry)
{
	BbfImage   *image = &build->image;
	BbfLayer   *layer = &image->layers[image->nlayers];
	const unsigned char *old_bytes = build->bytes;
	const BbfImage old = *image;
	struct varlena *old_copy = build->copy;
	unsigned char *bytes;

	bloomtype_start_layer(layer, geometry, capacity, fpp);
	image->nlayers++;
	image->nlist = 0;
	bbf_image_lay_out(image);

	/* the records move the blocks behind them, so this is a new image */
	build->copy = bloomtype_alloc_image(image->length);
	bytes = bloomtype_image_bytes(build->copy);
	for (unsigned i = 0; i < old.nlayers; i++)
		memcpy(bytes + image->layers[i].offset, old_bytes + old.layers[i].offset,
			   (size_t) old.layers[i].nblocks * BBF_BLOCK_BYTES);
	memset(bytes + layer->offset, 0, (size_t) layer->nblocks * BBF_BLOCK_BYTES);
	build->bytes = bytes;

	if (old_copy != NULL)
		pfree(old_copy);
	return bytes + layer->offset;
}

static void
list_insert(BloomBuild *build, uint64 hash)
{
	unsigned char *bytes = writable(build);
	bool		found;
	unsigned	at = bbf_list_find(&build->image, bytes, hash, &found);
	unsigned char *place = bytes + BBF_HEADER_BYTES + at * 8;

	memmove(place + 8, place, (build->image.nlist - at) * 8);
	bbf_put64(place, hash);
	build->image.nlist++;
	bbf_image_lay_out(&build->image);
}

/* The list has become too long: its keys move into a first layer. */
static void
list_to_layer(BloomBuild *build)
{
	BbfImage   *image = &build->image;
	uint64		capacity = bloomtype_first_capacity(image->capacity, image->growth);
	BbfGeometry geometry = bloomtype_size_layer(BBF_KIND_BLOOM, capacity, image->fpp);
	uint64		hashes[BBF_MAX_LIST];
	unsigned	n = image->nlist;
	unsigned char *blocks;

	for (unsigned i = 0; i < n; i++)
		hashes[i] = bbf_list_get(build->bytes, i);
	blocks = bloomtype_build_open_layer(build, capacity, image->fpp, &geometry);
	bbf_blocks_add_many(blocks, geometry.nblocks, geometry.nprobes, hashes, n);
	image->layers[0].nset = bbf_blocks_count(blocks, geometry.nblocks);
}

/*
 * Every layer is full: open another, growth times as large as the largest, at
 * half the lowest rate, so that all rates add up to less than twice the first.
 * False if there is no room for any.
 */
static bool
open_next_layer(BloomBuild *build)
{
	const BbfImage *image = &build->image;
	uint32		blocks_left = BBF_MAX_BLOCKS;
	uint64		capacity = 0;
	double		fpp = image->fpp;
	BbfGeometry geometry;

	if (image->nlayers == BBF_MAX_LAYERS)
		return false;
	for (unsigned i = 0; i < image->nlayers; i++)
	{
		const BbfLayer *layer = &image->layers[i];

		blocks_left -= layer->nblocks;
		capacity = Max(capacity, layer->capacity);
		fpp = Min(fpp, layer->fpp);
	}
	capacity = bloomtype_saturating_product(capacity, image->growth);
	if (fpp / 2 > 0.0)
		fpp /= 2;

	geometry = bbf_size_layer(capacity, fpp);
	if (geometry.nblocks > blocks_left)
	{
		/* what is left up to the limit */
		capacity = bbf_capacity_within(capacity, fpp, blocks_left);
		if (capacity == 0)
			return false;
		geometry = bbf_size_layer(capacity, fpp);
	}
	(void) bloomtype_build_open_layer(build, capacity, fpp, &geometry);
	return true;
}

/*
 * The layer for the next key: the first that is not full, or null if there is
 * no room.  A filter of fixed size goes on filling its last.
 */
static BbfLayer *
layer_for_key(BloomBuild *build)
{
	BbfImage   *image = &build->image;

	for (unsigned i = 0; i < image->nlayers; i++)
	{
		if (!bbf_layer_is_full(&image->layers[i]))
			return &image->layers[i];
	}
	if (image->growth > 0 && !open_next_layer(build))
		return NULL;
	return &image->layers[image->nlayers - 1];
}

bool
bloomtype_build_try_add(BloomBuild *build, BloomKey key)
{
	BbfImage   *image = &build->image;
	BbfLayer   *layer;

	bloomtype_match_key(image, key, KEY_IS_ADDED);
	if (bbf_image_contains(image, build->bytes, key.hash))
		return true;

	image->family = key.family;
	image->signature = key.signature;

	if (image->nlayers == 0 && image->nlist < BBF_MAX_LIST)
	{
		list_insert(build, key.hash);
		return true;
	}
	if (image->nlayers == 0)
		list_to_layer(build);

	layer = layer_for_key(build);
	if (layer == NULL)
		return false;
	layer->nset += bbf_blocks_add(writable(build) + layer->offset,
								  layer->nblocks, layer->nprobes, key.hash);
	return true;
}

void
bloomtype_build_add(BloomBuild *build, BloomKey key)
{
	const BbfImage *image = &build->image;
	Size		nblocks = 0;

	if (bloomtype_build_try_add(build, key))
		return;

	for (unsigned i = 0; i < image->nlayers; i++)
		nblocks += image->layers[i].nblocks;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("filter can take no more keys"),
			 errdetail("All of its %u layers are full, with %.1f MB of blocks; at most there are %d layers, and 512 MB.",
					   image->nlayers,
					   (double) nblocks * BBF_BLOCK_BYTES / (1024 * 1024),
					   BBF_MAX_LAYERS),
			 errhint("Rebuild it with a larger capacity, or split the keys over several filters, one for each bloom_partition(value, partitions).")));
}

Datum
bloomtype_build_finish(BloomBuild *build)
{
	if (build->copy == NULL)
		return build->original;

	bbf_image_write_head(&build->image, bloomtype_image_bytes(build->copy));
	SET_VARSIZE(build->copy, VARHDRSZ + build->image.length);
	return PointerGetDatum(build->copy);
}
