/*
 * image_test.c
 *	  meta.h: the layout, reading and writing, finding keys.
 */
#include "check.h"

#include "core/family.h"
#include "core/image.h"

#include "attached.h"
#include "buffer.h"
#include "key.h"
#include "sample.h"
#include "suites.h"

/* Frozen: the 60 bytes of an empty filter. */
static void
test_bytes_of_an_empty_image(void)
{
	static const unsigned char expected[] = {
		0x01,					/* kind: bloom */
		0x01,					/* format version */
		0x01,					/* hash scheme */
		0x3C,					/* header length: 60 */
		0x40,					/* length of a layer record: 64 */
		0x02,					/* growth */
		0x00, 0x00,				/* flags */
		0x00, 0x00,				/* family: none */
		0x00, 0x00,				/* hashes in the list */
		0x00, 0x00,				/* layers */
		0x00, 0x00,				/* reserved */
		0x00, 0x00, 0x00, 0x00, /* subtype */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* salt */
		0xE8, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* capacity: 1000 */
		0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x84, 0x3F, /* fpp: 0.01 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* reserved */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	};
	Sample		sample = empty_sample();

	CHECK(sample.meta.length == 60);
	CHECK(memcmp(sample.bytes, expected, sizeof(expected)) == 0);
	CHECK(bbf_image_validate(expected, sizeof(expected),
							 BBF_KIND_BLOOM, &sample.meta, NULL) == NULL);
	free(sample.bytes);
}

/* Frozen: a list of two hashes, every other field different from zero too. */
static void
test_bytes_of_a_list_image(void)
{
	static const unsigned char expected[] = {
		0x01, 0x01, 0x01, 0x3C, 0x40,
		0x64,					/* growth: 100 */
		0x01, 0x00,				/* flags: intersection */
		0x0F, 0x00,				/* family: row */
		0x02, 0x00,				/* hashes in the list */
		0x00, 0x00,				/* layers */
		0x00, 0x00,
		0xA1, 0xA2, 0xA3, 0xA4, /* subtype */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0x38, /* capacity */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xE0, 0x3F, /* fpp: 0.5 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xC8, 0xC7, 0xC6, 0xC5, 0xC4, 0xC3, 0xC2, 0x01, /* hashes, ascending */
		0xD8, 0xD7, 0xD6, 0xD5, 0xD4, 0xD3, 0xD2, 0xD1
	};
	BbfMeta		meta = plain_meta(BBF_FAMILY_ROW);
	Sample		sample;

	meta.kind = BBF_KIND_BLOOM;
	meta.growth = 100;
	meta.flags = BBF_FLAG_INTERSECTION;
	meta.subtype = UINT32_C(0xA4A3A2A1);
	meta.capacity = UINT64_C(0x38B7B6B5B4B3B2B1);
	meta.fpp = 0.5;
	meta.nlist = 2;
	sample = new_sample(&meta);
	CHECK(sample.meta.length == 76);
	CHECK(memcmp(sample.bytes, expected, 60) == 0);
	CHECK(bbf_image_validate(expected, sizeof(expected), BBF_KIND_BLOOM, &meta, NULL) == NULL);
	CHECK(same_meta(&meta, &sample.meta));
	CHECK(bbf_list_get(bbf_image_list(expected), 0) == UINT64_C(0x01C2C3C4C5C6C7C8));
	CHECK(bbf_list_get(bbf_image_list(expected), 1) == UINT64_C(0xD1D2D3D4D5D6D7D8));
	free(sample.bytes);
}

/* Frozen: one layer of one block that holds the hash 1, with six probes. */
static void
test_bytes_of_a_one_layer_image(void)
{
	static const unsigned char expected[] = {
		0x01, 0x01, 0x01, 0x3C, 0x40, 0x02,
		0x00, 0x00,
		0x04, 0x00,				/* family: text */
		0x00, 0x00,				/* hashes in the list */
		0x01, 0x00,				/* layers */
		0x00, 0x00,
		0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xE8, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x84, 0x3F,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		/* the record of the layer, from byte 60 on */
		0x01, 0x00, 0x00, 0x00, /* blocks */
		0x06,					/* probes */
		0x00, 0x00, 0x00,		/* reserved */
		0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0x38, /* capacity */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xD0, 0x3F, /* fpp: 0.25 */
		0xE1, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* full_at: 481 */
		0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* bits set */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* reserved */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		/* the block, from byte 124 on: bits 92, 151, 192, 316, 434, 446 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x40,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	};
	BbfMeta		meta = plain_meta(BBF_FAMILY_TEXT);
	BbfLayer   *layer = &meta.layers[0];
	Sample		sample;

	meta.nlayers = 1;
	layer->nbins = 1;
	layer->key_bits = 6;
	layer->capacity = UINT64_C(0x38B7B6B5B4B3B2B1);
	layer->fpp = 0.25;
	layer->full_at = 481;
	layer->nset = 6;
	sample = new_sample(&meta);
	CHECK(sample.meta.length == 188);
	CHECK(bins_offset(&sample.meta, 0) == 124);
	CHECK(bbf_blocks_add(sample.bytes + 124, 1, 6, 1) == 6);
	CHECK(memcmp(sample.bytes, expected, sizeof(expected)) == 0);
	CHECK(bbf_image_validate(expected, sizeof(expected), BBF_KIND_BLOOM, &meta, NULL) == NULL);
	CHECK(same_meta(&meta, &sample.meta));
	CHECK(image_contains(&meta, expected, 1));
	free(sample.bytes);
}

/*
 * Records stand before all blocks.  With the length word of four bytes the
 * blocks begin at a multiple of 64.
 */
static void
test_layers_follow_each_other(void)
{
	Sample		sample = two_layer_sample();

	CHECK(bins_offset(&sample.meta, 0) == 60 + 2 * 64);
	CHECK(bins_offset(&sample.meta, 1) == 60 + 2 * 64 + 2 * 64);
	CHECK(sample.meta.length == 60 + 2 * 64 + 2 * 64 + 5 * 64);
	CHECK((4 + bins_offset(&sample.meta, 0)) % 64 == 0);
	CHECK((4 + bins_offset(&sample.meta, 1)) % 64 == 0);
	free(sample.bytes);
}

/* What is written over old bytes is read back, whatever they were. */
static void
test_images_round_trip(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		Sample		sample = shape_sample(shape);
		size_t		head = BBF_HEADER_BYTES +
			sample.meta.nlayers * (size_t) BBF_LAYER_RECORD_BYTES;
		unsigned char *again = copy_of(sample.bytes, sample.meta.length);
		BbfMeta		meta;

		CASE("shape %d", shape);
		memset(&meta, 0xA5, sizeof(meta));
		CHECK(bbf_image_validate(sample.bytes, sample.meta.length,
								 BBF_KIND_BLOOM, &meta, NULL) == NULL);
		CHECK(same_meta(&meta, &sample.meta));

		memset(again, 0xFF, head);
		bbf_meta_write(&meta, again);
		CHECK(memcmp(again, sample.bytes, meta.length) == 0);
		free(again);
		free(sample.bytes);
	}
}

/* The values at the ends of their ranges are accepted. */
static void
test_limits_are_accepted(void)
{
	static const uint32_t nblocks[64] = {
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2
	};
	Sample		sample = layers_sample(64, nblocks, 1);
	BbfMeta		meta;

	CHECK(bbf_image_validate(sample.bytes, sample.meta.length,
							 BBF_KIND_BLOOM, &meta, NULL) == NULL);
	CHECK(meta.nlayers == 64);
	free(sample.bytes);

	sample = list_sample(128);
	CHECK(bbf_image_validate(sample.bytes, sample.meta.length,
							 BBF_KIND_BLOOM, &meta, NULL) == NULL);
	CHECK(meta.nlist == 128);
	free(sample.bytes);

	for (int high = 0; high <= 1; high++)
	{
		meta = plain_meta(high ? BBF_FAMILY_RANGE : BBF_FAMILY_BOOLEAN);
		meta.kind = BBF_KIND_BLOOM;
		meta.growth = high ? 100 : 0;
		meta.subtype = high ? UINT32_MAX : 0;
		meta.capacity = high ? INT64_MAX : 1;
		meta.fpp = high ? 1.0 - 1e-16 : 5e-324;
		meta.nlayers = 1;
		meta.layers[0].nbins = high ? 127 : 1;
		meta.layers[0].key_bits = high ? 24 : 1;
		meta.layers[0].capacity = meta.capacity;
		meta.layers[0].fpp = meta.fpp;
		meta.layers[0].full_at = high ? 127 * 512 - 1 : 0;
		meta.layers[0].nset = high ? 127 * 512 : 0;
		sample = new_sample(&meta);
		memset(sample.bytes + 124, high ? 0xFF : 0, sample.meta.length - 124);
		CASE("%s ends", high ? "high" : "low");
		CHECK(bbf_image_validate(sample.bytes, sample.meta.length,
								 BBF_KIND_BLOOM, &meta, NULL) == NULL);
		free(sample.bytes);
	}
}

/* An image reads alike at any address. */
static void
test_unaligned_images_read_alike(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		Sample		sample = shape_sample(shape);
		size_t		length = sample.meta.length;

		for (size_t at = 1; at <= 7; at++)
		{
			unsigned char *memory = allocate(at + length);
			BbfMeta		meta;

			CASE("shape %d, offset %d", shape, (int) at);
			memcpy(memory + at, sample.bytes, length);
			CHECK(bbf_image_validate(memory + at, length, BBF_KIND_BLOOM, &meta, NULL) == NULL);
			CHECK(same_meta(&meta, &sample.meta));
			for (uint64_t i = 0; i < 2000; i++)
				CHECK(image_contains(&meta, memory + at, key(i)) ==
					  image_contains(&meta, sample.bytes, key(i)));
			free(memory);
		}
		free(sample.bytes);
	}
}

/* The head is enough to read an image, and nothing beyond it is touched. */
static void
test_reading_the_head_alone(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		Sample		sample = shape_sample(shape);
		size_t		head = BBF_HEADER_BYTES +
			sample.meta.nlayers * (size_t) BBF_LAYER_RECORD_BYTES;

		for (size_t available = 0; available <= head + 1; available++)
		{
			unsigned char *start;
			const char *reason;
			BbfMeta		meta;

			if (available > sample.meta.length)
				break;
			CASE("shape %d, %d bytes of %d", shape, (int) available, (int) head);
			start = copy_of(sample.bytes, available);
			reason = bbf_meta_read(start, available, sample.meta.length, BBF_KIND_BLOOM, &meta);
			CHECK((reason == NULL) == (available >= head));
			if (reason == NULL)
				CHECK(same_meta(&meta, &sample.meta));
			free(start);
		}
		free(sample.bytes);
	}
}

/* A hash of the list is found where it is, any other where it belongs. */
static void
test_list_find(void)
{
	static const unsigned sizes[] = {0, 1, 2, 3, 127, 128};

	for (int i = 0; i < LENGTH_OF(sizes); i++)
	{
		unsigned	n = sizes[i];
		Sample		sample = list_sample(n);
		bool		found;

		for (unsigned j = 0; j < n; j++)
		{
			uint64_t	hash = 100 * ((uint64_t) j + 1);

			CASE("%u hashes, number %u", n, j);
			CHECK(list_find(&sample.meta, sample.bytes, hash, &found) == j);
			CHECK(found);
			CHECK(list_find(&sample.meta, sample.bytes, hash - 1, &found) == j);
			CHECK(!found);
			CHECK(list_find(&sample.meta, sample.bytes, hash + 1, &found) == j + 1);
			CHECK(!found);
		}
		CASE("%u hashes", n);
		CHECK(list_find(&sample.meta, sample.bytes, 0, &found) == 0);
		CHECK(!found);
		CHECK(list_find(&sample.meta, sample.bytes, UINT64_MAX, &found) == n);
		CHECK(!found);
		free(sample.bytes);
	}
}

/* Hashes compare unsigned; 0 and the largest number are hashes like any other. */
static void
test_list_of_extreme_hashes(void)
{
	Sample		sample = list_sample(3);
	BbfMeta		meta;
	bool		found;

	bbf_put64(sample.bytes + 60, 0);
	bbf_put64(sample.bytes + 68, UINT64_C(1) << 63);
	bbf_put64(sample.bytes + 76, UINT64_MAX);
	CHECK(bbf_image_validate(sample.bytes, sample.meta.length,
							 BBF_KIND_BLOOM, &meta, NULL) == NULL);
	CHECK(list_find(&meta, sample.bytes, 0, &found) == 0 && found);
	CHECK(list_find(&meta, sample.bytes, UINT64_C(1) << 63, &found) == 1 && found);
	CHECK(list_find(&meta, sample.bytes, UINT64_MAX, &found) == 2 && found);
	CHECK(list_find(&meta, sample.bytes, INT64_MAX, &found) == 1 && !found);
	free(sample.bytes);
}

/* An empty filter contains nothing, a list exactly its hashes. */
static void
test_contains_in_a_list(void)
{
	Sample		sample = empty_sample();

	for (uint64_t hash = 0; hash < 1000; hash++)
		CHECK(!image_contains(&sample.meta, sample.bytes, hash));
	free(sample.bytes);

	sample = list_sample(128);
	for (uint64_t hash = 0; hash < 20000; hash++)
	{
		CASE("hash %d", (int) hash);
		CHECK(image_contains(&sample.meta, sample.bytes, hash) ==
			  (hash % 100 == 0 && hash >= 100 && hash <= 12800));
	}
	free(sample.bytes);
}

/* A key is in a filter when it is in one of the layers, whichever. */
static void
test_contains_in_layers(void)
{
	static const uint32_t nblocks[] = {8, 1, 66, 16, 3};
	Sample		sample = layers_sample(5, nblocks, 20);
	const BbfMeta *meta = &sample.meta;

	for (unsigned i = 0; i < 5; i++)
	{
		for (unsigned j = 0; j < 20; j++)
		{
			CASE("layer %u, key %u", i, j);
			CHECK(image_contains(meta, sample.bytes, key(1000 * i + j)));
		}
	}
	CASE("absent keys");
	for (uint64_t j = ABSENT_KEYS; j < ABSENT_KEYS + 5000; j++)
	{
		bool		in_some_layer = false;

		for (unsigned i = 0; i < 5; i++)
			in_some_layer = in_some_layer ||
				bbf_blocks_contain(sample.bytes + bins_offset(meta, i),
								meta->layers[i].nbins,
								meta->layers[i].key_bits, key(j));
		CHECK(image_contains(meta, sample.bytes, key(j)) == in_some_layer);
	}
	free(sample.bytes);
}

/* A layer is full when it has more bits set than full_at, not as many. */
static void
test_layer_is_full(void)
{
	BbfLayer	layer = {1, 6, 40, 0.01, 250, 0};

	layer.nset = 250;
	CHECK(!bbf_layer_is_full(&layer));
	layer.nset = 251;
	CHECK(bbf_layer_is_full(&layer));
}

/* Parameters of a union: those of a side without keys count for a larger capacity alone. */
static void
test_parameters_are_united(void)
{
	BbfMeta		a = plain_meta(BBF_FAMILY_NUMBER);
	BbfMeta		b = plain_meta(BBF_FAMILY_NUMBER);
	BbfMeta		result;

	a.nlist = b.nlist = 1;
	a.capacity = 1000, a.fpp = 0.01, a.growth = 4, a.flags = 0;
	b.capacity = 500, b.fpp = 0.02, b.growth = 2, b.flags = BBF_FLAG_INTERSECTION;
	for (int swapped = 0; swapped < 2; swapped++)
	{
		bbf_meta_unite_parameters(&result, swapped ? &b : &a, swapped ? &a : &b);
		CHECK(result.capacity == 1000 && result.fpp == 0.02 && result.growth == 2);
		CHECK(result.flags == BBF_FLAG_INTERSECTION);
	}

	b.growth = 0;
	bbf_meta_unite_parameters(&result, &a, &b);
	CHECK(result.growth == 4);

	a.nlist = 0;
	for (int swapped = 0; swapped < 2; swapped++)
	{
		bbf_meta_unite_parameters(&result, swapped ? &b : &a, swapped ? &a : &b);
		CHECK(result.capacity == 1000 && result.fpp == 0.02 && result.growth == 0);
		CHECK(result.flags == BBF_FLAG_INTERSECTION);
	}
	a.capacity = INT64_MAX;
	bbf_meta_unite_parameters(&a, &a, &b);
	CHECK(a.capacity == 500 && a.fpp == 0.02);
}

const Test	image_tests[] = {
	TEST(test_bytes_of_an_empty_image),
	TEST(test_bytes_of_a_list_image),
	TEST(test_bytes_of_a_one_layer_image),
	TEST(test_layers_follow_each_other),
	TEST(test_images_round_trip),
	TEST(test_limits_are_accepted),
	TEST(test_unaligned_images_read_alike),
	TEST(test_reading_the_head_alone),
	TEST(test_list_find),
	TEST(test_list_of_extreme_hashes),
	TEST(test_contains_in_a_list),
	TEST(test_contains_in_layers),
	TEST(test_layer_is_full),
	TEST(test_parameters_are_united),
	END_OF_TESTS
};
