/*
 * fuzz_algebra.c
 *	  Fuzz target: two filters of type bloom, of any bytes that the validator takes, are
 *	  united, intersected, compared and shrunk.
 *
 * Guards against combining values of different parameters past the end of one, as
 * tdigest did, and against a union that loses bits, or writes into its arguments, as in
 * PipelineDB.
 *
 *		1 byte	bit 0: repair the images; bit 1: shrink one, which takes its time
 *		8		hash of a key
 *		2		length of the first image
 *		...		two images
 */
#include "compat.h"

#include <math.h>

#include "backend.h"
#include "core/overlap.h"
#include "fuzz.h"

extern Datum bloomtype_bloom_union(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_intersection(PG_FUNCTION_ARGS);
extern Datum bloomtype_bloom_shrink(PG_FUNCTION_ARGS);

#define NHASHES		16

/* An image as an SQL value, and what was read from it. */
typedef struct Side
{
	Datum		value;
	const unsigned char *bytes;
	BbfMeta		meta;
} Side;

/* The side of a value, which must be a valid image. */
static Side
read_side(Datum value)
{
	Side		side = {.value = value};
	struct varlena *varlena = (struct varlena *) DatumGetPointer(value);

	side.bytes = (const unsigned char *) VARDATA(varlena);
	REQUIRE(bbf_image_validate(side.bytes, VARSIZE(varlena) - VARHDRSZ, BBF_KIND_BLOOM,
							   &side.meta, NULL) == NULL);
	return side;
}

static bool
start_side(const uint8_t *data, size_t size, bool repair, Side *side)
{
	BbfMeta		meta;
	unsigned char *image = new_image(data, size, BBF_KIND_BLOOM, repair, &meta);
	struct varlena *varlena;

	if (image == NULL)
		return false;
	varlena = palloc(VARHDRSZ + meta.length);
	SET_VARSIZE(varlena, VARHDRSZ + meta.length);
	memcpy(VARDATA(varlena), image, meta.length);
	free(image);
	*side = read_side(PointerGetDatum(varlena));
	return true;
}

static bool
contains(const Side *side, uint64_t hash)
{
	return image_contains(&side->meta, side->bytes, hash);
}

static bool
same_bytes(const Side *a, const Side *b)
{
	return a->meta.length == b->meta.length && memcmp(a->bytes, b->bytes, a->meta.length) == 0;
}

/* The result of a function of two filters; false if there is none. */
static bool
combined(PGFunction function, const Side *a, const Side *b, Side *result)
{
	NullableDatum args[2] = {{.value = a->value}, {.value = b->value}};
	Datum		value;

	if (!call_for_value(function, false, 2, args, &value))
		return false;
	*result = read_side(value);
	return true;
}

/* The same both ways: the same bytes, or the same error. */
static bool
combined_both_ways(PGFunction function, const Side *a, const Side *b, Side *result)
{
	Side		other;
	bool		one = combined(function, a, b, result);
	int			code = error_code;
	bool		two = combined(function, b, a, &other);

	/* by the time of the second there is less memory left */
	if (code == ERRCODE_OUT_OF_MEMORY || error_code == ERRCODE_OUT_OF_MEMORY)
		return one;
	REQUIRE(one == two && code == error_code);
	REQUIRE(!one || same_bytes(result, &other));
	return one;
}

static void
require_union(const Side *a, const Side *b, const uint64_t *hashes)
{
	Side		both;
	Side		again;

	if (!combined_both_ways(bloomtype_bloom_union, a, b, &both))
		return;
	for (int i = 0; i < NHASHES; i++)
		REQUIRE((!contains(a, hashes[i]) && !contains(b, hashes[i])) ||
				contains(&both, hashes[i]));
	for (unsigned i = 0; i < a->meta.nlist; i++)
		REQUIRE(contains(&both, bbf_list_get(bbf_image_list(a->bytes), i)));
	for (unsigned i = 0; i < b->meta.nlist; i++)
		REQUIRE(contains(&both, bbf_list_get(bbf_image_list(b->bytes), i)));
	REQUIRE(bbf_meta_has_keys(&both.meta) ==
			(bbf_meta_has_keys(&a->meta) || bbf_meta_has_keys(&b->meta)));
	REQUIRE(both.meta.nlist == 0 ||
			both.meta.nlist + lists_overlap(&a->meta, a->bytes, &b->meta, b->bytes) ==
			a->meta.nlist + b->meta.nlist);

	/* the result can be united in turn */
	if (combined_both_ways(bloomtype_bloom_union, &both, a, &again))
	{
		for (int i = 0; i < NHASHES; i++)
			REQUIRE(!contains(&both, hashes[i]) || contains(&again, hashes[i]));
	}
}

static void
require_intersection(const Side *a, const Side *b, const uint64_t *hashes)
{
	Side		common;

	if (!combined_both_ways(bloomtype_bloom_intersection, a, b, &common))
		return;
	for (int i = 0; i < NHASHES; i++)
		REQUIRE(!contains(a, hashes[i]) || !contains(b, hashes[i]) ||
				contains(&common, hashes[i]));
	for (unsigned i = 0; i < common.meta.nlist; i++)
	{
		uint64_t	hash = bbf_list_get(bbf_image_list(common.bytes), i);

		REQUIRE(contains(a, hash) && contains(b, hash));
	}
	REQUIRE(common.meta.growth == 0);
}

static void
require_shrink(const Side *side, const uint64_t *hashes)
{
	NullableDatum arg = {.value = side->value};
	Datum		value;
	Side		smaller;

	if (!call_for_value(bloomtype_bloom_shrink, false, 1, &arg, &value))
		return;
	smaller = read_side(value);
	REQUIRE(smaller.meta.length <= side->meta.length);
	REQUIRE(smaller.meta.nlayers == side->meta.nlayers);
	for (int i = 0; i < NHASHES; i++)
		REQUIRE(!contains(side, hashes[i]) || contains(&smaller, hashes[i]));
	for (unsigned i = 0; i < smaller.meta.nlayers; i++)
	{
		const BbfLayer *layer = &smaller.meta.layers[i];

		REQUIRE(layer->nbins == side->meta.layers[i].nbins || !bbf_layer_is_full(layer));
	}
}

/* Estimates are numbers; and what is certain, is. */
static void
require_overlap(const Side *a, const Side *b)
{
	for (unsigned i = 0; i < a->meta.nlayers; i++)
	{
		for (unsigned j = 0; j < b->meta.nlayers; j++)
		{
			const BbfLayer *x = &a->meta.layers[i];
			const BbfLayer *y = &b->meta.layers[j];
			const unsigned char *x_blocks = a->bytes + bins_offset(&a->meta, i);
			const unsigned char *y_blocks = b->bytes + bins_offset(&b->meta, j);
			BbfOverlap	overlap;

			if (bbf_layers_overlap(x, x_blocks, y, y_blocks, NULL, &overlap))
				REQUIRE(isfinite(overlap.both) && isfinite(overlap.variance));
			REQUIRE(bbf_layers_share_bits(x, x_blocks, y, y_blocks, NULL) ==
					bbf_layers_share_bits(y, y_blocks, x, x_blocks, NULL));
		}
	}
	REQUIRE(lists_overlap(&a->meta, a->bytes, &b->meta, b->bytes) ==
			lists_overlap(&b->meta, b->bytes, &a->meta, a->bytes));
}

/* Hashes of which some are in the filters: of their lists, or added to their layers. */
static void
choose_hashes(uint64_t *hashes, uint64_t first, Side *sides)
{
	hashes[0] = first;
	for (int i = 1; i < NHASHES; i++)
		hashes[i] = mixed(first + i);
	for (int i = 0; i < 2; i++)
	{
		Side	   *side = &sides[i];
		unsigned char *bytes = (unsigned char *) side->bytes;
		unsigned	at;
		BbfLayer   *layer;

		if (side->meta.nlist > 0)
			hashes[1 + i] = bbf_list_get(bbf_image_list(bytes), first % side->meta.nlist);
		if (side->meta.nlayers == 0)
			continue;
		at = first % side->meta.nlayers;
		layer = &side->meta.layers[at];
		for (int j = 0; j < 3; j++)
			layer->nset += bbf_blocks_add(bytes + bins_offset(&side->meta, at), layer->nbins,
										  layer->key_bits, hashes[2 * i + j]);
		bbf_meta_write(&side->meta, bytes);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input		input = {data, size};
	uint8_t		flags = take8(&input);
	bool		repair = (flags & 1) != 0;
	uint64_t	first = take64(&input);
	size_t		a_size = take16(&input);
	const uint8_t *a_data = take_bytes(&input, &a_size);
	Side		sides[2];
	Side	   *a = &sides[0];
	Side	   *b = &sides[1];

	if (start_side(a_data, a_size, repair, a) &&
		start_side(input.data, input.size, repair, b))
	{
		unsigned char *a_copy;
		unsigned char *b_copy;
		uint64_t	hashes[NHASHES];

		choose_hashes(hashes, first, sides);
		a_copy = exact_copy(a->bytes, a->meta.length);
		b_copy = exact_copy(b->bytes, b->meta.length);
		require_union(a, b, hashes);
		require_intersection(a, b, hashes);
		require_overlap(a, b);
		if (flags & 2)
			require_shrink(a, hashes);

		/* nothing writes into its arguments */
		REQUIRE(memcmp(a_copy, a->bytes, a->meta.length) == 0);
		REQUIRE(memcmp(b_copy, b->bytes, b->meta.length) == 0);
		free(a_copy);
		free(b_copy);
	}
	free_all_memory();
	return 0;
}
