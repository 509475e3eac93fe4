/*
 * deletable_image_test.c
 *	  meta.h: images of counting Bloom and cuckoo filters, also hostile ones.
 */
#include "check.h"

#include "core/counting.h"
#include "core/family.h"
#include "core/image.h"

#include "attached.h"
#include "buffer.h"
#include "deletable_sample.h"
#include "forgery.h"
#include "hostile.h"
#include "key.h"
#include "suites.h"

/* Frozen: the heads of both kinds, which differ from a Bloom filter's in their kind. */
static void
test_heads_of_deletable_images(void)
{
	static const unsigned char expected_counting[] = {
		0x02,					/* kind: counting_bloom */
		0x01, 0x01, 0x3C, 0x40,
		0x00,					/* no growth */
		0x00, 0x00,				/* no flags */
		0x04, 0x00,				/* family: text */
		0x00, 0x00,				/* no list */
		0x01, 0x00,				/* one layer */
		0x00, 0x00,
		0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0xE8, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* capacity: 1000 */
		0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x84, 0x3F, /* fpp: 0.01 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		/* the record of the layer */
		0x02, 0x00, 0x00, 0x00, /* two blocks */
		0x05, 0x00, 0x00, 0x00, /* five probes */
		0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* capacity: 80 */
		0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x94, 0x3F, /* fpp: 0.02 */
		0xF4, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* full at 500 */
		0x5E, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* counters above zero */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	};
	static const unsigned char expected_cuckoo_record[] = {
		0x06, 0x00, 0x00, 0x00, /* six buckets */
		0x09, 0x00, 0x00, 0x00, /* fingerprints of nine bits */
		0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* capacity: 20 */
		0x7B, 0x14, 0xAE, 0x47, 0xE1, 0x7A, 0x94, 0x3F, /* fpp: 0.02 */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* reserved */
		0x16, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* 22 fingerprints */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00
	};
	Sample		counting = counting_sample();
	Sample		cuckoo = cuckoo_sample();

	CHECK(counting.meta.length == 124 + 2 * 256);
	CHECK(memcmp(counting.bytes, expected_counting, 124) == 0);
	CHECK(cuckoo.meta.length == 124 + 32);
	CHECK(cuckoo.bytes[0] == 0x03);
	CHECK(memcmp(cuckoo.bytes + 1, expected_counting + 1, 27) == 0);
	CHECK(memcmp(cuckoo.bytes + 28, expected_cuckoo_record + 8, 16) == 0);
	CHECK(memcmp(cuckoo.bytes + 44, expected_counting + 44, 16) == 0);
	CHECK(memcmp(cuckoo.bytes + 60, expected_cuckoo_record, 64) == 0);
	free(counting.bytes);
	free(cuckoo.bytes);
}

/* What was written is read again, and has its keys. */
static void
test_deletable_images_are_read_back(void)
{
	for (int shape = 0; shape < NDELETABLE; shape++)
	{
		Sample		sample = deletable_sample(shape);
		BbfKind		kind = sample.meta.kind;
		BbfMeta		meta;

		CASE("shape %d", shape);
		CHECK(bbf_image_validate(sample.bytes, sample.meta.length, kind, &meta, NULL) == NULL);
		CHECK(same_meta(&meta, &sample.meta) && meta.kind == kind);
		for (uint64_t i = 0; i < 20; i++)
		{
			int			count = image_count(&meta, sample.bytes, key(i));
			int			copies = kind == BBF_KIND_CUCKOO ? 1 + (i < 2) : 1 + (i < 10);

			CHECK(shape < 2 ? count == 0 : count >= copies);
			CHECK(image_contains(&meta, sample.bytes, key(i)) == (shape >= 2));
		}
		CHECK(!refused_or_harmless(kind, copy_of(sample.bytes, sample.meta.length),
									  sample.meta.length));
		free(sample.bytes);
	}
}

/* An image of one kind is refused as any other, with and without keys. */
static void
test_other_kinds_are_refused(void)
{
	for (int shape = 0; shape < NSAMPLES; shape++)
	{
		Sample		sample = any_sample(shape);

		for (int kind = BBF_KIND_BLOOM; kind <= BBF_KIND_CUCKOO; kind++)
		{
			BbfMeta		meta;
			const char *reason = bbf_image_validate(sample.bytes, sample.meta.length,
													(BbfKind) kind, &meta, NULL);

			CASE("shape %d as kind %d: %s", shape, kind, reason ? reason : "accepted");
			CHECK((reason == NULL) == (kind == (int) sample.meta.kind));
			CHECK(reason == NULL || strstr(reason, "another kind") != NULL);
		}
		for (int byte = 0; byte < 256; byte++)
		{
			unsigned char *bytes = copy_of(sample.bytes, sample.meta.length);

			CASE("shape %d, kind %d", shape, byte);
			bytes[0] = (unsigned char) byte;
			if (byte != (int) sample.meta.kind && sample.meta.kind != BBF_KIND_BLOOM)
				CHECK(refused_or_harmless(sample.meta.kind, bytes, sample.meta.length));
			else
				free(bytes);
		}
		free(sample.bytes);
	}
}

/* Bytes of the head whose fields may have other valid values. */
static bool
is_deletable_choice(BbfKind kind, size_t at, unsigned nlayers)
{
	size_t		in_record = at - BBF_HEADER_BYTES;

	if (at < BBF_HEADER_BYTES)
		return (at == 8 && nlayers > 0) /* family */
			|| (at >= 28 && at < 44 /* capacity and fpp, twice in cuckoo filters */
				&& (kind == BBF_KIND_COUNTING_BLOOM || nlayers == 0));
	return in_record == 4		/* probes; or bits, 10 as well as 9 */
		|| (kind == BBF_KIND_COUNTING_BLOOM && in_record >= 8 && in_record < 32);
}

/*
 * With any byte of the head set to any value an image is refused or harmless;
 * and it is refused unless the byte belongs to such a field.
 */
static void
test_every_byte_of_deletable_heads(void)
{
	for (int shape = 0; shape < NDELETABLE; shape++)
	{
		Sample		sample = deletable_sample(shape);
		BbfKind		kind = sample.meta.kind;
		size_t		length = sample.meta.length;
		size_t		head = sample.meta.nlayers > 0 ? 124 : 60;

		for (size_t at = 0; at < head; at++)
		{
			for (int flip = 1; flip < 256; flip++)
			{
				unsigned char *bytes = copy_of(sample.bytes, length);
				bool		refused;

				CASE("shape %d, byte %d ^ %02x", shape, (int) at, (unsigned) flip);
				bytes[at] ^= (unsigned char) flip;
				refused = refused_or_harmless(kind, bytes, length);
				CHECK(refused || is_deletable_choice(kind, at, sample.meta.nlayers));
			}
		}
		free(sample.bytes);
	}
}

/*
 * A bit flipped in the counters is refused if it makes a counter zero or the
 * reverse; in the buckets if it does so to a place, or is padding.  The rest is
 * harmless, also to users of the reader, which does not count.
 */
static void
test_bit_flips_in_deletable_blocks(void)
{
	for (int shape = 2; shape < NDELETABLE; shape++)
	{
		Sample		sample = deletable_sample(shape);
		BbfKind		kind = sample.meta.kind;
		size_t		length = sample.meta.length;
		int			width = kind == BBF_KIND_CUCKOO ? sample.meta.layers[0].key_bits : 4;
		size_t		nvalues = kind == BBF_KIND_CUCKOO ? 6 * 4 : 2 * 512;

		for (size_t bit = 0; bit < (length - 124) * 8; bit++)
		{
			unsigned char *bytes = copy_of(sample.bytes, length);
			size_t		first = bit / (size_t) width * (size_t) width;
			uint32_t	before = 0;
			uint32_t	flipped;
			bool		refused;

			CASE("shape %d, bit %d", shape, (int) bit);
			for (size_t p = first; p < first + (size_t) width && p / 8 < length - 124; p++)
				before |= (uint32_t) (bytes[124 + p / 8] >> p % 8 & 1) << (p - first);
			flipped = before ^ (uint32_t) 1 << (bit - first);
			bytes[124 + bit / 8] ^= (unsigned char) (1 << bit % 8);
			refused = refused_or_harmless(kind, bytes, length);
			CHECK(refused == (bit / (size_t) width >= nvalues ||
							  (before == 0) != (flipped == 0)));
		}
		free(sample.bytes);
	}
}

/* Buckets of any bytes are harmless, whether or not the record agrees with them. */
static void
test_garbage_in_buckets(void)
{
	for (int f = 1; f <= 32; f++)
	{
		for (uint32_t nbuckets = 2; nbuckets <= 10; nbuckets += 4)
		{
			BbfMeta		meta = plain_deletable(BBF_KIND_CUCKOO, BBF_FAMILY_TEXT);
			Sample		sample;

			meta.nlayers = 1;
			meta.layers[0].nbins = nbuckets;
			meta.layers[0].key_bits = f;
			meta.layers[0].capacity = meta.capacity;
			meta.layers[0].fpp = meta.fpp;
			meta.layers[0].nset = nbuckets * 4;
			sample = new_sample(&meta);
			for (uint64_t i = 0; i < 100; i++)
			{
				CASE("%d bits, %u buckets, round %d", f, (unsigned) nbuckets, (int) i);
				for (size_t at = 124; at < sample.meta.length; at++)
				{
					uint64_t	random = key(at * 1000 + i);

					/* also many zeros, and many equal fingerprints */
					sample.bytes[at] = i % 4 == 0 ? (unsigned char) random :
						i % 4 == 1 ? (unsigned char) (random & random >> 8 & random >> 16) :
						i % 4 == 2 ? (random % 3 ? 0 : 0xFF) : 0xFF;
				}
				(void) refused_or_harmless(BBF_KIND_CUCKOO,
											  copy_of(sample.bytes, sample.meta.length),
											  sample.meta.length);
			}
			free(sample.bytes);
		}
	}
}

/* Every field is checked, for the reason that is given. */
static void
test_forged_counting_images_are_refused(void)
{
	static const Forgery forgeries[] = {
		{5, 1, 1, "no growth"},
		{5, 1, 100, "no growth"},
		{5, 1, 101, "growth"},
		{6, 2, 0x0001, "no flags"},
		{6, 2, 0x0002, "flag"},
		{8, 2, 0, "without a key family"},
		{8, 2, 17, "family is unknown"},
		{10, 2, 1, "both"},
		{12, 2, 0, "without a key family"},
		{12, 2, 2, "one layer at most"},
		{12, 2, 64, "one layer at most"},
		{12, 2, 65, "64 layers"},
		{16, 4, 1, "subtype"},
		{20, 1, 1, "salt"},
		{28, 8, 0, "capacity"},
		{36, 8, 0, "false-positive rate"},
		{44, 1, 1, "Reserved"},
		{60, 4, 0, "number of blocks"},
		{60, 4, 1, "length"},
		{60, 4, 3, "length"},
		{60, 4, 8, "length"},		/* if they were blocks of bits */
		{60, 4, 129, "number of blocks"},
		{60, 4, BBF_MAX_COUNTER_BLOCKS, "length"},
		{60, 4, BBF_MAX_COUNTER_BLOCKS + (1 << 15), "number of blocks"},
		{60, 4, BBF_MAX_BLOCKS, "number of blocks"},
		{60, 4, UINT32_C(1) << 24, "number of blocks"},	/* 2^32 bytes */
		{60, 4, (UINT32_C(1) << 24) + 2, "number of blocks"},
		{60, 4, UINT32_C(1) << 31, "number of blocks"},
		{60, 4, UINT32_MAX, "number of blocks"},
		{64, 1, 0, "probes"},
		{64, 1, 25, "probes"},
		{65, 1, 1, "Reserved"},
		{68, 8, 0, "capacity"},
		{68, 8, UINT64_C(1) << 63, "capacity"},
		{76, 8, 0, "false-positive rate of a layer"},
		{76, 8, UINT64_C(0x3FF0000000000000), "false-positive rate of a layer"},
		{76, 8, UINT64_C(0x7FF8000000000000), "false-positive rate of a layer"},
		{84, 8, 1024, "limit"},
		{84, 8, UINT64_MAX, "limit"},
		{92, 8, 0, "without keys"},
		{92, 8, 0x5D, "number of counters above zero"},
		{92, 8, 0x5F, "number of counters above zero"},
		{92, 8, 1024, "number of counters above zero"},
		{92, 8, 1025, "more bits set than it has"},
		{92, 8, UINT64_MAX, "more bits set than it has"},
		{100, 1, 1, "Reserved"},
		{123, 1, 0x80, "Reserved"},
	};
	Sample		sample = counting_sample();

	check_forgeries(&sample, forgeries, LENGTH_OF(forgeries));
	free(sample.bytes);
}

static void
test_forged_cuckoo_images_are_refused(void)
{
	static const Forgery forgeries[] = {
		{5, 1, 1, "no growth"},
		{6, 2, 0x0001, "no flags"},
		{8, 2, 0, "without a key family"},
		{10, 2, 1, "both"},
		{12, 2, 0, "without a key family"},
		{12, 2, 2, "one layer at most"},
		{28, 8, 0, "capacity"},
		{36, 8, 0, "false-positive rate"},
		{60, 4, 0, "number of buckets"},
		{60, 4, 1, "number of buckets"},
		{60, 4, 4, "more fingerprints than places"},
		{60, 4, 5, "number of buckets"},
		{60, 4, 7, "number of buckets"},		/* as many bytes as six */
		{60, 4, 8, "length"},
		{60, 4, 119304646, "length"},	/* the most of 9 bits */
		{60, 4, 119304648, "number of buckets"},
		{60, 4, UINT32_C(1) << 30, "number of buckets"},
		{60, 4, UINT32_C(0x38E38E3A), "number of buckets"},	/* 2^32 bytes and a few */
		{60, 4, UINT32_C(1) << 31, "number of buckets"},
		{60, 4, (UINT32_C(1) << 31) + 6, "number of buckets"},
		{60, 4, UINT32_MAX - 1, "number of buckets"},
		{60, 4, UINT32_MAX, "number of buckets"},
		{64, 1, 0, "fingerprint"},
		{64, 1, 33, "fingerprint"},
		{64, 1, 255, "fingerprint"},
		{64, 1, 8, "length"},
		{64, 1, 32, "length"},
		{65, 1, 1, "Reserved"},
		{67, 1, 0x80, "Reserved"},
		{68, 8, 0, "capacity"},
		{68, 8, UINT64_MAX, "capacity"},
		{76, 8, 0, "false-positive rate of a layer"},
		{76, 8, UINT64_C(0x3FF0000000000000), "false-positive rate of a layer"},
		{84, 8, 1, "limit"},
		{84, 8, UINT64_C(1) << 63, "limit"},
		{92, 8, 0, "without keys"},
		{92, 8, 21, "not as full"},
		{92, 8, 23, "not as full"},
		{92, 8, 24, "not as full"},
		{92, 8, 25, "more fingerprints than places"},
		{92, 8, UINT64_MAX, "more fingerprints than places"},
		{100, 1, 1, "Reserved"},
		{123, 1, 0x80, "Reserved"},
		{151, 1, 1, "not in order"},	/* padding */
		{155, 1, 0x80, "not in order"},
	};
	Sample		sample = cuckoo_sample();

	check_forgeries(&sample, forgeries, LENGTH_OF(forgeries));
	free(sample.bytes);
}

/* Without keys there is no family, no list and no layer. */
static void
test_forged_empty_deletable_images_are_refused(void)
{
	static const Forgery forgeries[] = {
		{5, 1, 2, "no growth"},
		{6, 2, 1, "no flags"},
		{8, 2, BBF_FAMILY_TEXT, "without a key family"},
		{10, 2, 1, "no list"},
		{10, 2, 128, "no list"},
		{12, 2, 1, "without a key family"},
		{12, 2, 2, "one layer at most"},
		{16, 4, 1, "subtype"},
	};

	for (int shape = 0; shape < 2; shape++)
	{
		Sample		sample = deletable_sample(shape);

		check_forgeries(&sample, forgeries, LENGTH_OF(forgeries));
		free(sample.bytes);
	}
}

/* A layer of zeros is refused though its record counts it right: it has no keys. */
static void
test_layers_without_keys_are_refused(void)
{
	for (int shape = 2; shape < NDELETABLE; shape++)
	{
		Sample		sample = deletable_sample(shape);
		BbfMeta		meta;
		const char *reason;

		sample.meta.layers[0].nset = 0;
		memset(sample.bytes, 0, sample.meta.length);
		bbf_meta_write(&sample.meta, sample.bytes);
		reason = bbf_image_validate(sample.bytes, sample.meta.length,
									sample.meta.kind, &meta, NULL);
		CASE("shape %d: %s", shape, reason ? reason : "accepted");
		CHECK(reason != NULL && strstr(reason, "without keys") != NULL);
		free(sample.bytes);
	}
}

/* Two layers are refused, each of which would be valid by itself. */
static void
test_two_deletable_layers_are_refused(void)
{
	for (int shape = 2; shape < NDELETABLE; shape++)
	{
		Sample		one = deletable_sample(shape);
		BbfMeta		meta = one.meta;
		Sample		two;
		size_t		nbytes = one.meta.length - 124;
		const char *reason;

		meta.nlayers = 2;
		meta.layers[1] = meta.layers[0];
		two = new_sample(&meta);
		memcpy(two.bytes + 188, one.bytes + 124, nbytes);
		memcpy(two.bytes + 188 + nbytes, one.bytes + 124, nbytes);
		reason = bbf_image_validate(two.bytes, two.meta.length, meta.kind, &meta, NULL);
		CASE("shape %d: %s", shape, reason ? reason : "accepted");
		CHECK(reason != NULL && strstr(reason, "one layer at most") != NULL);
		free(one.bytes);
		free(two.bytes);
	}
}

/* The limit of 512 MB; the head is enough to check it, and the length. */
static void
test_deletable_limits(void)
{
	static const struct
	{
		BbfKind		kind;
		uint32_t	nbins;
		int			key_bits;
		size_t		nbytes;		/* 0: refused */
	}			cases[] = {
		{BBF_KIND_COUNTING_BLOOM, 1, 24, 256},
		{BBF_KIND_COUNTING_BLOOM, 127 << 14, 1, (size_t) 127 << 22},
		{BBF_KIND_COUNTING_BLOOM, 1 << 21, 7, (size_t) 1 << 29},
		{BBF_KIND_COUNTING_BLOOM, 65 << 15, 7, 0},
		{BBF_KIND_COUNTING_BLOOM, 1 << 22, 7, 0},
		{BBF_KIND_CUCKOO, 2, 1, 8},
		{BBF_KIND_CUCKOO, 16, 1, 8},
		{BBF_KIND_CUCKOO, 18, 1, 16},
		{BBF_KIND_CUCKOO, 2, 32, 32},
		{BBF_KIND_CUCKOO, 1 << 30, 1, (size_t) 1 << 29},
		{BBF_KIND_CUCKOO, (1 << 30) + 2, 1, 0},
		{BBF_KIND_CUCKOO, 1 << 25, 32, (size_t) 1 << 29},
		{BBF_KIND_CUCKOO, (1 << 25) + 2, 32, 0},
		{BBF_KIND_CUCKOO, 1 << 28, 32, 0},	/* 2^32 bytes */
		{BBF_KIND_CUCKOO, 82595524, 13, 536870912},
		{BBF_KIND_CUCKOO, 82595526, 13, 0},
	};

	for (int i = 0; i < LENGTH_OF(cases); i++)
	{
		BbfMeta		meta = plain_deletable(cases[i].kind, BBF_FAMILY_TEXT);
		BbfMeta		read;
		unsigned char *head = allocate(124);
		size_t		length;
		const char *reason;

		meta.nlayers = 1;
		meta.layers[0].nbins = cases[i].nbins;
		meta.layers[0].key_bits = cases[i].key_bits;
		meta.layers[0].capacity = 1000;
		meta.layers[0].fpp = 0.01;
		meta.layers[0].nset = 1;
		length = bbf_meta_lay_out(&meta);
		bbf_meta_write(&meta, head);
		reason = bbf_meta_read(head, 124, length, cases[i].kind, &read);
		CASE("case %d: %s, %lu bytes", i, reason ? reason : "accepted",
			 (unsigned long) length);
		if (cases[i].nbytes > 0)
			CHECK(reason == NULL && length == 124 + cases[i].nbytes &&
				  read.length == length);
		else
			CHECK(reason != NULL && strstr(reason, "not possible") != NULL);

		/* a wrong length is refused in any case, and one modulo 2^32 */
		CHECK(bbf_meta_read(head, 124, length + 1, cases[i].kind, &read) != NULL);
		CHECK(bbf_meta_read(head, 124, length - 1, cases[i].kind, &read) != NULL);
		CHECK(bbf_meta_read(head, 124, 124, cases[i].kind, &read) != NULL);
		free(head);
	}
}

const Test deletable_image_tests[] = {
	TEST(test_heads_of_deletable_images),
	TEST(test_deletable_images_are_read_back),
	TEST(test_other_kinds_are_refused),
	TEST(test_every_byte_of_deletable_heads),
	TEST(test_bit_flips_in_deletable_blocks),
	TEST(test_garbage_in_buckets),
	TEST(test_forged_counting_images_are_refused),
	TEST(test_forged_cuckoo_images_are_refused),
	TEST(test_forged_empty_deletable_images_are_refused),
	TEST(test_layers_without_keys_are_refused),
	TEST(test_two_deletable_layers_are_refused),
	TEST(test_deletable_limits),
	END_OF_TESTS
};
