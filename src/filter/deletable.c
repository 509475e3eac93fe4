/*
 * deletable.c
 *	  See deletable.h.
 */
#include "filter/deletable.h"

#include "filter/call_cache.h"
#include "core/estimate.h"
#include "filter/filter_info.h"
#include "key/key_match.h"
#include "miscadmin.h"
#include "filter/filter_parameters.h"

/* A filter while it is being changed. */
typedef struct Change
{
	const RemovableKind *removable;
	BbfImage	image;
	const unsigned char *bytes; /* to read: the original's, or of copy */
	struct varlena *copy;		/* to write; null until the first change */
	Datum		original;
} Change;

Datum
bloomtype_removable_empty(BbfKind kind, uint64 capacity, double fpp)
{
	BbfImage	image;

	bbf_image_init(&image, kind, capacity, fpp, 0);
	return bloomtype_make_image(&image, NULL);
}

static void
start_change(Change *change, const RemovableKind *removable, Datum filter)
{
	change->removable = removable;
	change->bytes = bloomtype_read_image(filter, removable->kind, &change->image);
	change->copy = NULL;
	change->original = filter;
}

/* The result: the original where nothing changed. */
static Datum
finish_change(Change *change)
{
	BbfImage   *image = &change->image;

	if (change->copy == NULL)
		return change->original;
	if (image->layers[0].nset == 0)
		return bloomtype_removable_empty(image->kind, image->capacity, image->fpp);
	bbf_image_write_head(image, bloomtype_image_bytes(change->copy));
	return PointerGetDatum(change->copy);
}

/* The blocks of the layer, to be written to; there is one. */
static unsigned char *
writable_blocks(Change *change)
{
	const BbfImage *image = &change->image;

	if (change->copy == NULL)
	{
		change->copy = bloomtype_alloc_image(image->length);
		memcpy(bloomtype_image_bytes(change->copy), change->bytes, image->length);
		change->bytes = bloomtype_image_bytes(change->copy);
	}
	return bloomtype_image_bytes(change->copy) + image->layers[0].offset;
}

/* The first key of a filter without keys. */
static void
open_layer(Change *change, BloomKey key)
{
	BbfImage   *image = &change->image;
	uint64		capacity = change->removable->layer_capacity(image->capacity);
	BbfGeometry geometry = bloomtype_size_layer(image->kind, capacity, image->fpp);

	image->family = key.family;
	image->signature = key.signature;
	image->nlayers = 1;
	bloomtype_start_layer(&image->layers[0], &geometry, capacity, image->fpp);
	change->copy = bloomtype_alloc_image(bbf_image_lay_out(image));
	change->bytes = bloomtype_image_bytes(change->copy);
	memset(bloomtype_image_bytes(change->copy), 0, image->length);
}

static void
add_key(Change *change, BloomKey key)
{
	BbfImage   *image = &change->image;

	bloomtype_match_key(image, key, KEY_IS_ADDED);
	if (image->nlayers == 0)
		open_layer(change, key);
	change->removable->add(&image->layers[0], writable_blocks(change), key.hash);
}

/* A key that is certainly absent is not removed. */
static void
remove_key(Change *change, BloomKey key)
{
	BbfImage   *image = &change->image;
	BbfLayer   *layer = &image->layers[0];
	uint64		nset;

	bloomtype_match_key(image, key, KEY_IS_REMOVED);
	if (bbf_image_count(image, change->bytes, key.hash) == 0)
		return;
	nset = layer->nset;
	change->removable->remove(layer, writable_blocks(change), key.hash);
	if (layer->nset > nset)
		bloomtype_check_image(image->kind, "It has more keys than its record says.");
}

Datum
bloomtype_removable_create(FunctionCallInfo fcinfo,
						   const RemovableKind *removable)
{
	int64		capacity = PG_GETARG_INT64(0);
	float8		fpp = PG_GETARG_FLOAT8(1);

	bloomtype_check_capacity(capacity);
	bloomtype_check_fpp(fpp);

	/* fail now, not at the first key */
	(void) bloomtype_size_layer(removable->kind,
								removable->layer_capacity(capacity), fpp);
	return bloomtype_removable_empty(removable->kind, capacity, fpp);
}

/* For the value of the second argument. */
static Datum
change_one(FunctionCallInfo fcinfo, const RemovableKind *removable,
		   void (*change_key) (Change *change, BloomKey key))
{
	Change		change;
	Funnel	   *funnel;

	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	funnel = bloomtype_call_funnel(bloomtype_call_cache(fcinfo), fcinfo, 1);
	start_change(&change, removable, PG_GETARG_DATUM(0));
	change_key(&change, bloomtype_funnel_hash(funnel, PG_GETARG_DATUM(1)));
	return finish_change(&change);
}

/* For each element of the second argument. */
static Datum
change_all(FunctionCallInfo fcinfo, const RemovableKind *removable,
		   void (*change_key) (Change *change, BloomKey key))
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	Change		change;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	n = bloomtype_call_elements(cache, fcinfo, 1, &values, &nulls);
	start_change(&change, removable, PG_GETARG_DATUM(0));
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!nulls[i])
			change_key(&change, bloomtype_funnel_hash(cache->funnel, values[i]));
	}
	return finish_change(&change);
}

Datum
bloomtype_removable_add(FunctionCallInfo fcinfo, const RemovableKind *removable)
{
	bloomtype_refuse_null_filter(fcinfo, removable->kind);
	return change_one(fcinfo, removable, add_key);
}

Datum
bloomtype_removable_add_all(FunctionCallInfo fcinfo,
							const RemovableKind *removable)
{
	bloomtype_refuse_null_filter(fcinfo, removable->kind);
	return change_all(fcinfo, removable, add_key);
}

Datum
bloomtype_removable_remove(FunctionCallInfo fcinfo,
						   const RemovableKind *removable)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return change_one(fcinfo, removable, remove_key);
}

Datum
bloomtype_removable_remove_all(FunctionCallInfo fcinfo,
							   const RemovableKind *removable)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return change_all(fcinfo, removable, remove_key);
}

int
bloomtype_removable_count(FunctionCallInfo fcinfo, BbfKind kind)
{
	CallCache  *cache = bloomtype_call_cache(fcinfo);
	Funnel	   *funnel = bloomtype_call_funnel(cache, fcinfo, 1);
	BloomKey	key = bloomtype_funnel_hash(funnel, PG_GETARG_DATUM(1));
	OpenImage	open;

	bloomtype_reader_open(&cache->reader, PG_GETARG_DATUM(0), kind, &open);
	bloomtype_match_key(open.image, key, KEY_IS_PROBED);
	return bloomtype_reader_count(&open, key.hash);
}

Datum
bloomtype_removable_info(FunctionCallInfo fcinfo, const RemovableKind *removable)
{
	BbfImage	image;
	const BbfLayer *layer = &image.layers[0];
	uint64		nblocks = 0;
	Datum		values[10];
	bool		nulls[10] = {false};

	bloomtype_read_head(PG_GETARG_DATUM(0), removable->kind, &image);
	if (image.nlayers > 0)
		nblocks = layer->nblocks;
	nulls[3] = nulls[4] = nblocks == 0;

	values[0] = bloomtype_key_type(&image);
	values[1] = Int64GetDatum((int64) image.capacity);
	values[2] = Float8GetDatum(image.fpp);
	values[3] = Int32GetDatum(nblocks > 0 ? layer->nprobes : 0);
	values[4] = Int64GetDatum((int64) (nblocks * removable->shown_per_block));
	values[5] = Int64GetDatum((int64) image.length);
	values[6] = Float8GetDatum(nblocks > 0 ?
							   (float8) layer->nset / (nblocks * removable->places_per_block) : 0);
	values[7] = bloomtype_estimated_keys(&image, &nulls[7]);
	values[8] = Float8GetDatum(bbf_estimate_fpp(&image));
	values[9] = BoolGetDatum(bbf_is_saturated(&image));
	return bloomtype_return_row(fcinfo, values, nulls);
}
