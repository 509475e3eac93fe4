/*
 * validator_test.c
 *	  meta.h: hostile bytes are refused with a reason, or are harmless.
 */
#include "check.h"

#include "core/family.h"
#include "core/image.h"

#include "buffer.h"
#include "deletable_sample.h"
#include "forgery.h"
#include "hostile.h"
#include "key.h"
#include "suites.h"

/* The beginning of an image is no image. */
static void
test_truncated_images_are_refused(void)
{
	for (int shape = 0; shape < NSAMPLES; shape++)
	{
		Sample		sample = any_sample(shape);

		for (size_t length = 0; length < sample.meta.length; length++)
		{
			CASE("shape %d, %d bytes", shape, (int) length);
			CHECK(refused_or_harmless(sample.meta.kind, copy_of(sample.bytes, length), length));
		}
		free(sample.bytes);
	}
}

/* An image with bytes after its end is refused (taken by hll and tdigest). */
static void
test_trailing_bytes_are_refused(void)
{
	static const size_t extra[] = {1, 4, 8, 64, 128, 256};

	for (int shape = 0; shape < NSAMPLES; shape++)
	{
		Sample		sample = any_sample(shape);

		for (int i = 0; i < LENGTH_OF(extra); i++)
		{
			size_t		length = sample.meta.length + extra[i];
			unsigned char *longer = allocate(length);

			CASE("shape %d, %d more", shape, (int) extra[i]);
			memcpy(longer, sample.bytes, sample.meta.length);
			CHECK(refused_or_harmless(sample.meta.kind, longer, length));
		}
		free(sample.bytes);
	}
}

/* Bytes of the head whose fields may have other valid values. */
static bool
is_free_choice(size_t at, unsigned nlayers)
{
	size_t		in_record;

	if (at < BBF_HEADER_BYTES)
		return at == 5			/* growth */
			|| at == 6			/* flags */
			|| at == 8			/* family */
			|| (at >= 28 && at < 44);	/* capacity and fpp */

	in_record = (at - BBF_HEADER_BYTES) % BBF_LAYER_RECORD_BYTES;
	return at < BBF_HEADER_BYTES + (size_t) nlayers * BBF_LAYER_RECORD_BYTES
		&& (in_record == 4		/* probes */
			|| (in_record >= 8 && in_record < 32));	/* capacity, fpp, full_at */
}

/*
 * With any single bit flipped an image is refused or harmless; and it is
 * refused unless the bit belongs to such a field, or to a list.
 */
static void
test_single_bit_flips(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		Sample		sample = shape_sample(shape);
		size_t		length = sample.meta.length;

		for (size_t bit = 0; bit < length * 8; bit++)
		{
			unsigned char *flipped = copy_of(sample.bytes, length);
			bool		refused;

			CASE("shape %d, bit %d of byte %d", shape, (int) (bit % 8), (int) (bit / 8));
			flipped[bit / 8] ^= (unsigned char) (1 << bit % 8);
			refused = refused_or_harmless(BBF_KIND_BLOOM, flipped, length);
			if (!is_free_choice(bit / 8, sample.meta.nlayers) &&
				(sample.meta.nlist == 0 || bit / 8 < BBF_HEADER_BYTES))
				CHECK(refused);
		}
		free(sample.bytes);
	}
}

/* With several bytes of garbage in the head, or anywhere, an image is refused or harmless. */
static void
test_garbage(void)
{
	for (int shape = 0; shape < NSAMPLES; shape++)
	{
		Sample		sample = any_sample(shape);
		size_t		length = sample.meta.length;
		size_t		head = BBF_HEADER_BYTES +
			sample.meta.nlayers * (size_t) BBF_LAYER_RECORD_BYTES;

		for (uint64_t i = 0; i < 10000; i++)
		{
			unsigned char *garbled = copy_of(sample.bytes, length);
			size_t		within = i % 2 ? head : length;

			CASE("shape %d, round %d", shape, (int) i);
			for (uint64_t j = 0; j < 1 + i % 5; j++)
			{
				uint64_t	random = key(i * 8 + j);

				garbled[random % within] = (unsigned char) (random >> 56);
			}
			(void) refused_or_harmless(sample.meta.kind, garbled, length);
		}
		free(sample.bytes);
	}
}

/*
 * Every field of the header is checked, for the reason that is given: also NaN, which no
 * comparison catches (TimescaleDB 9994, hll, tdigest).
 */
static void
test_forged_headers_are_refused(void)
{
	static const Forgery forgeries[] = {
		{0, 1, 0, "kind"},
		{0, 1, 2, "kind"},
		{1, 1, 0, "version"},
		{1, 1, 2, "version"},
		{2, 1, 0, "scheme"},
		{2, 1, 2, "scheme"},
		{3, 1, 59, "length of the header"},
		{3, 1, 64, "length of the header"},
		{4, 1, 0, "layer record"},
		{4, 1, 63, "layer record"},
		{5, 1, 101, "growth"},
		{5, 1, 255, "growth"},
		{6, 2, 0x0002, "flag"},
		{6, 2, 0x8000, "flag"},
		{8, 2, 17, "family is unknown"},
		{8, 2, 0x0104, "family is unknown"},
		{8, 2, 0, "without a key family"},
		{10, 2, 1, "both"},
		{10, 2, 129, "128 hashes"},
		{12, 2, 65, "64 layers"},
		{12, 2, 0, "without a key family"},
		{12, 2, 64, "layer records"},
		{14, 1, 1, "Reserved"},
		{15, 1, 0x80, "Reserved"},
		{16, 4, 1, "subtype"},
		{16, 4, UINT32_C(0x80000000), "subtype"},
		{20, 1, 1, "salt"},
		{27, 1, 0x80, "salt"},
		{28, 8, 0, "capacity"},
		{28, 8, UINT64_C(1) << 63, "capacity"},
		{28, 8, UINT64_MAX, "capacity"},
		{36, 8, 0, "false-positive rate"},
		{36, 8, UINT64_C(0x3FF0000000000000), "false-positive rate"},	/* 1 */
		{36, 8, UINT64_C(0x7FF8000000000000), "false-positive rate"},	/* NaN */
		{36, 8, UINT64_C(0xFFF8000000000000), "false-positive rate"},
		{36, 8, UINT64_C(0x7FF0000000000001), "false-positive rate"},
		{36, 8, UINT64_C(0x7FF0000000000000), "false-positive rate"},	/* infinity */
		{36, 8, UINT64_C(0xFFF0000000000000), "false-positive rate"},
		{36, 8, UINT64_C(0xBF847AE147AE147B), "false-positive rate"},	/* -0.01 */
		{36, 8, UINT64_C(0x8000000000000000), "false-positive rate"},	/* -0 */
		{44, 1, 1, "Reserved"},
		{59, 1, 0x80, "Reserved"},
	};
	Sample		sample = two_layer_sample();

	check_forgeries(&sample, forgeries, LENGTH_OF(forgeries));
	free(sample.bytes);
}

/* Every field of a layer record is checked, in the second layer as in any. */
static void
test_forged_layer_records_are_refused(void)
{
	static const Forgery forgeries[] = {
		{124, 4, 0, "number of blocks"},
		{124, 4, 129, "number of blocks"},
		{124, 4, BBF_MAX_BLOCKS + 1, "number of blocks"},
		{124, 4, UINT32_C(65) << 17, "number of blocks"},
		{124, 4, UINT32_MAX, "number of blocks"},
		{124, 4, BBF_MAX_BLOCKS, "512 MB"},
		{124, 4, 4, "length"},
		{124, 4, 6, "length"},
		{128, 1, 0, "probes"},
		{128, 1, 25, "probes"},
		{128, 1, 255, "probes"},
		{129, 1, 1, "Reserved"},
		{131, 1, 0x80, "Reserved"},
		{132, 8, 0, "capacity"},
		{132, 8, UINT64_C(1) << 63, "capacity"},
		{140, 8, 0, "false-positive rate"},
		{140, 8, UINT64_C(0x3FF0000000000000), "false-positive rate"},
		{140, 8, UINT64_C(0x7FF8000000000000), "false-positive rate"},
		{140, 8, UINT64_C(0x7FF0000000000000), "false-positive rate"},
		{140, 8, UINT64_C(0xFFF0000000000000), "false-positive rate"},
		{140, 8, UINT64_C(0xBF847AE147AE147B), "false-positive rate"},
		{148, 8, 5 * 512, "limit"},
		{148, 8, UINT64_MAX, "limit"},
		{156, 8, 5 * 512 + 1, "more bits set than it has"},
		{156, 8, UINT64_MAX, "more bits set than it has"},
		{156, 8, 0, "number of bits set"},
		{156, 8, 5 * 512, "number of bits set"},
		{164, 1, 1, "Reserved"},
		{187, 1, 0x80, "Reserved"},
	};
	Sample		sample = two_layer_sample();

	check_forgeries(&sample, forgeries, LENGTH_OF(forgeries));
	free(sample.bytes);
}

/* One bit more or less than the record says is refused, in either layer. */
static void
test_wrong_counts_are_refused(void)
{
	for (int layer = 0; layer <= 1; layer++)
	{
		for (int difference = -1; difference <= 1; difference++)
		{
			Sample		sample = two_layer_sample();
			BbfMeta		meta;
			const char *reason;

			sample.meta.layers[layer].nset += (uint64_t) difference;
			bbf_meta_write(&sample.meta, sample.bytes);
			reason = bbf_image_validate(sample.bytes, sample.meta.length,
										BBF_KIND_BLOOM, &meta, NULL);
			CASE("layer %d, %d", layer, difference);
			CHECK((reason == NULL) == (difference == 0));

			/* the reader does not count */
			CHECK(bbf_meta_read(sample.bytes, sample.meta.length,
								 sample.meta.length, BBF_KIND_BLOOM, &meta) == NULL);
			free(sample.bytes);
		}
	}
}

static int	npauses;

static void
count_pause(void)
{
	npauses++;
}

/*
 * Validation pauses for each megabyte of blocks, and a wrong bit is refused in any
 * of them.
 */
static void
test_validation_pauses(void)
{
	static const uint32_t nblocks[] = {1 << 16, 3 << 13};	/* 4 MB and 1.5 MB */
	Sample		sample = layers_sample(2, nblocks, 1000);
	BbfMeta		meta;

	npauses = 0;
	CHECK(bbf_image_validate(sample.bytes, sample.meta.length, BBF_KIND_BLOOM, &meta,
							 count_pause) == NULL);
	CHECK(npauses == 6);
	for (size_t at = sample.meta.length - 1; at > ((size_t) 1 << 19); at -= (size_t) 1 << 19)
	{
		CASE("byte %d", (int) at);
		sample.bytes[at] ^= 1;
		CHECK(bbf_image_validate(sample.bytes, sample.meta.length, BBF_KIND_BLOOM, &meta,
								 count_pause) != NULL);
		sample.bytes[at] ^= 1;
	}
	free(sample.bytes);
}

/* A list is refused unless it ascends strictly, wherever the fault is. */
static void
test_disordered_lists_are_refused(void)
{
	Sample		sample = list_sample(128);

	for (size_t i = 1; i < 128; i++)
	{
		size_t		at = BBF_HEADER_BYTES + i * 8;
		unsigned char *bytes = copy_of(sample.bytes, sample.meta.length);
		BbfMeta		meta;

		CASE("hash %d", (int) i);
		bbf_put64(bytes + at, 100 * i);
		CHECK(bbf_image_validate(bytes, sample.meta.length, BBF_KIND_BLOOM, &meta, NULL) != NULL);
		bbf_put64(bytes + at, 100 * i - 1);
		CHECK(bbf_image_validate(bytes, sample.meta.length, BBF_KIND_BLOOM, &meta, NULL) != NULL);
		bbf_put64(bytes + at, 100 * i + 1);
		CHECK(bbf_image_validate(bytes, sample.meta.length, BBF_KIND_BLOOM, &meta, NULL) == NULL);
		free(bytes);
	}
	free(sample.bytes);
}

/* Counts over their limits are refused though the length agrees with them. */
static void
test_counts_over_their_limits_are_refused(void)
{
	Sample		sample = list_sample(129);
	BbfMeta		meta;
	const char *reason;
	unsigned char *bytes;
	size_t		length;
	uint32_t	nblocks;

	reason = bbf_image_validate(sample.bytes, sample.meta.length, BBF_KIND_BLOOM, &meta, NULL);
	CHECK(reason != NULL && strstr(reason, "128 hashes") != NULL);
	free(sample.bytes);

	/* 65 layers of one empty block */
	sample = one_layer_sample();
	length = 60 + 65 * 64 + 65 * 64;
	bytes = allocate(length);
	memcpy(bytes, sample.bytes, 60);
	bbf_put16(bytes + 12, 65);
	for (size_t i = 0; i < 65; i++)
	{
		memcpy(bytes + 60 + i * 64, sample.bytes + 60, 64);
		bbf_put32(bytes + 60 + i * 64, 1);	/* blocks */
		bbf_put64(bytes + 60 + i * 64 + 24, 100);	/* full_at */
		bbf_put64(bytes + 60 + i * 64 + 32, 0); /* bits set */
	}
	reason = bbf_image_validate(bytes, length, BBF_KIND_BLOOM, &meta, NULL);
	CHECK(reason != NULL && strstr(reason, "64 layers") != NULL);

	/* but 64 of them are an image */
	length = 60 + 64 * 64 + 64 * 64;
	bbf_put16(bytes + 12, 64);
	memset(bytes + 60 + 64 * 64, 0, 64);
	CHECK(bbf_image_validate(bytes, length, BBF_KIND_BLOOM, &meta, NULL) == NULL);
	free(bytes);
	free(sample.bytes);

	/* 129 blocks, not of the form m * 2^s */
	nblocks = 129;
	sample = layers_sample(1, &nblocks, 1);
	reason = bbf_image_validate(sample.bytes, sample.meta.length, BBF_KIND_BLOOM, &meta, NULL);
	CHECK(reason != NULL && strstr(reason, "number of blocks") != NULL);
	free(sample.bytes);
}

/*
 * The limit of 512 MB is for all layers together; the head is enough to check it, before any
 * memory is taken (6 bytes took 17 GB: Guava 8463).
 */
static void
test_blocks_over_the_limit_are_refused(void)
{
	static const struct
	{
		uint32_t	nbins[3];
		const char *word;		/* NULL: accepted */
	}			cases[] = {
		{{BBF_MAX_BLOCKS / 2, BBF_MAX_BLOCKS / 4, BBF_MAX_BLOCKS / 4}, NULL},
		{{127 << 16, 1 << 15, 1 << 15}, NULL},
		{{BBF_MAX_BLOCKS / 2, BBF_MAX_BLOCKS / 2, 1}, "512 MB"},
		{{127 << 16, 1 << 15, 65 << 9}, "512 MB"},
		{{BBF_MAX_BLOCKS, BBF_MAX_BLOCKS, BBF_MAX_BLOCKS}, "512 MB"},
		{{1, 65 << 17, 1}, "number of blocks"},
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		BbfMeta		meta = plain_meta(BBF_FAMILY_TEXT);
		BbfMeta		read;
		size_t		length;
		unsigned char *head = allocate(60 + 3 * 64);
		const char *reason;

		meta.nlayers = 3;
		for (int j = 0; j < 3; j++)
		{
			meta.layers[j].nbins = cases[i].nbins[j];
			meta.layers[j].key_bits = 6;
			meta.layers[j].capacity = 1000;
			meta.layers[j].fpp = 0.01;
		}
		length = bbf_meta_lay_out(&meta);
		bbf_meta_write(&meta, head);
		reason = bbf_meta_read(head, 60 + 3 * 64, length, BBF_KIND_BLOOM, &read);
		CASE("case %d: %s", i, reason ? reason : "accepted");
		if (cases[i].word == NULL)
			CHECK(reason == NULL && read.length == length);
		else
			CHECK(reason != NULL && strstr(reason, cases[i].word) != NULL);

		/* a wrong length is refused in any case */
		CHECK(bbf_meta_read(head, 60 + 3 * 64, length + 1, BBF_KIND_BLOOM, &read) != NULL);
		CHECK(bbf_meta_read(head, 60 + 3 * 64, length - 1, BBF_KIND_BLOOM, &read) != NULL);
		free(head);
	}
}

/* A filter has no key family if it has no keys, and only then. */
static void
test_family_none_means_no_keys(void)
{
	static const Forgery without_keys[] = {
		{8, 2, BBF_FAMILY_BOOLEAN, "without a key family"},
		{8, 2, BBF_FAMILY_RANGE, "without a key family"},
		{16, 4, 1, "subtype"},
	};
	static const Forgery with_list[] = {
		{8, 2, BBF_FAMILY_NONE, "without a key family"},
		{16, 4, 1, "subtype"},
		{10, 2, 0, "without a key family"},
		{10, 2, 4, "length"},
		{10, 2, 6, "length"},
	};
	Sample		sample = empty_sample();

	check_forgeries(&sample, without_keys, LENGTH_OF(without_keys));
	free(sample.bytes);
	sample = list_sample(5);
	check_forgeries(&sample, with_list, LENGTH_OF(with_list));
	free(sample.bytes);
}

const Test validator_tests[] = {
	TEST(test_truncated_images_are_refused),
	TEST(test_trailing_bytes_are_refused),
	TEST(test_single_bit_flips),
	TEST(test_garbage),
	TEST(test_forged_headers_are_refused),
	TEST(test_forged_layer_records_are_refused),
	TEST(test_wrong_counts_are_refused),
	TEST(test_validation_pauses),
	TEST(test_disordered_lists_are_refused),
	TEST(test_counts_over_their_limits_are_refused),
	TEST(test_blocks_over_the_limit_are_refused),
	TEST(test_family_none_means_no_keys),
	END_OF_TESTS
};
