/*
 * external_test.c
 *	  external.h: what holds for every format.
 */
#include "check.h"

#include "core/blocked.h"
#include "core/bytes.h"
#include "interchange/external.h"
#include "interchange/external_bits.h"

#include "buffer.h"
#include "external_sample.h"
#include "key.h"
#include "suites.h"

#define FOR_EACH_FORMAT(format) \
	for (int number = 0; \
		 number < bbf_external_nformats && \
		 (format = bbf_external_formats[number], CASE("%s", format->name), true); \
		 number++)

static void
test_formats_are_found_by_name(void)
{
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		size_t		length = strlen(format->name);

		CHECK(bbf_external_by_name(format->name, length) == format);
		CHECK(format->keys != 0);
		CHECK(format->hash_words >= 1 && format->hash_words <= BBF_EXTERNAL_MAX_HASH);
	}
	CHECK(bbf_external_by_name("bloom", 5) == NULL);
	CHECK(bbf_external_by_name("guava_integer", 13) == NULL);
	CHECK(bbf_external_by_name("guav", 4) == NULL);
	CHECK(bbf_external_by_name("", 0) == NULL);
}

/* All of n keys are found; the order of keys, and how they are added, does not matter. */
static void
check_keys_are_found(const BbfExternalFormat *format, uint64_t n, ExternalSample one,
					 ExternalSample many)
{
	const int	words = format->hash_words;
	uint64_t   *hashes = allocate(n * (size_t) words * sizeof(uint64_t));
	BbfExternalMeta meta;

	for (uint64_t i = 0; i < n; i++)
	{
		uint64_t   *hash = hashes + (n - 1 - i) * (uint64_t) words;

		external_key(format, one.meta.seed, i, hash);
		CHECK(bbf_external_add(format, &one.meta, one.bytes, hash) == NULL);
		CHECK(bbf_external_contains(format, &one.meta, one.bytes, hash));
	}
	bbf_external_add_many(format, &many.meta, many.bytes, hashes, n);
	CHECK(one.meta.length == many.meta.length);
	CHECK(memcmp(one.bytes + one.meta.links[0].offset,
				 many.bytes + many.meta.links[0].offset,
				 one.meta.links[0].nbytes) == 0);

	/* the bytes are read as they were written */
	CHECK(bbf_external_validate(format, one.bytes, one.meta.length, &meta) == NULL);
	CHECK(meta.length == one.meta.length && meta.nlinks == 1);
	CHECK(meta.variant == one.meta.variant && meta.seed == one.meta.seed);
	CHECK(meta.fixed == NULL);
	CHECK(memcmp(&meta.links[0], &one.meta.links[0], sizeof(meta.links[0])) == 0);
	for (uint64_t i = 0; i < n; i++)
		CHECK(bbf_external_contains(format, &meta, one.bytes,
									hashes + i * (uint64_t) words));
	free(one.bytes);
	free(many.bytes);
	free(hashes);
}

static void
test_keys_are_found(void)
{
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
		check_keys_are_found(format, 1000, new_external(format, 1000, usual_parameter(format)),
							 new_external(format, 1000, usual_parameter(format)));
}

/* Of the formats without a limit, up to the probes that are added in a batch, and beyond. */
static void
test_keys_of_many_probes_are_found(void)
{
	static const char *const names[] = {
		"go", "guava", "guava_int", "redis", "spark_v1", "spark_v2"
	};

	for (int i = 0; i < LENGTH_OF(names); i++)
	{
		const BbfExternalFormat *format = external_format(names[i]);
		bool		has_32 = false;
		bool		has_33 = false;

		for (double fpp = 0x1p-34; fpp < 0x1p-30; fpp *= 1.1)
		{
			ExternalSample one = new_external(format, 100, fpp);
			uint32_t	nprobes = one.meta.links[0].nprobes;

			CASE("%s, %u probes", names[i], (unsigned) nprobes);
			has_32 |= nprobes == 32;
			has_33 |= nprobes == 33;
			check_keys_are_found(format, 100, one, new_external(format, 100, fpp));
		}
		CHECK(has_32 && has_33);
	}
}

/* Slices answer as the whole does, present or absent, and are few. */
static void
test_slices_tell_the_same(void)
{
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		ExternalSample sample = new_external(format, 500, usual_parameter(format));
		const BbfExternalMeta *meta = &sample.meta;
		unsigned	most = 0;

		add_external_keys(&sample, 0, 500);
		for (uint64_t i = 0; i < 2000; i++)
		{
			uint64_t	hash[BBF_EXTERNAL_MAX_HASH];
			unsigned	nslices;
			bool		found;

			external_key(format, meta->seed, i, hash);
			found = contains_by_slices(format, meta, sample.bytes, hash, &nslices);
			CHECK(found == bbf_external_contains(format, meta, sample.bytes, hash));
			CHECK(found || i >= 500);
			CHECK(nslices >= 1);
			if (nslices > most)
				most = nslices;
		}
		CHECK(most == (format->one_slice ? 1 : meta->links[0].nprobes));
		free(sample.bytes);
	}
}

/* Bytes that are refused have a sentence; others can be used. */
static void
use_safely(const BbfExternalFormat *format, const unsigned char *bytes, size_t length)
{
	static BbfExternalMeta meta;
	unsigned char *copy = copy_of(bytes, length);
	const char *reason = bbf_external_validate(format, copy, length, &meta);
	BbfExternalSlice header = bbf_external_header(format, length);
	unsigned char *header_bytes = copy_of(copy + header.offset, header.length);

	/* the header alone tells the same */
	CHECK(header.offset + header.length <= length);
	CHECK(bbf_external_read(format, header_bytes, length, &meta) == reason);
	free(header_bytes);

	if (reason != NULL)
		CHECK(reason[0] != '\0' && reason[strlen(reason) - 1] == '.');
	else
	{
		BbfExternalInfo info;

		CHECK(meta.length == length);
		for (uint64_t i = 0; i < 3; i++)
		{
			uint64_t	hash[BBF_EXTERNAL_MAX_HASH];
			unsigned	nslices;
			bool		found;

			external_key(format, meta.seed, i, hash);
			found = bbf_external_contains(format, &meta, copy, hash);
			CHECK(contains_by_slices(format, &meta, copy, hash, &nslices) == found);
			if (bbf_external_add(format, &meta, copy, hash) == NULL)
				CHECK(bbf_external_contains(format, &meta, copy, hash));
		}
		bbf_external_info(format, &meta, copy, count_external_pause, &info);
		CHECK(info.fpp >= 0.0 && info.fpp <= 1.0 && info.keys >= 0.0);
		if (format->chunk != NULL)
		{
			BbfExternalSlice chunk;
			uint64_t	iterator;

			for (uint64_t i = 0; format->chunk(&meta, i, &chunk, &iterator); i++)
				CHECK(chunk.offset + chunk.length <= length);
		}
	}
	free(copy);
}

/*
 * Each truncation, some further bytes, and other values of each byte: with one bit
 * changed or all; with SLOW_CASES, every one.
 */
static void
test_malformed_bytes_are_safe(void)
{
	const bool	all = SLOW_CASES;
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		ExternalSample sample = new_external(format, 10, usual_parameter(format));
		size_t		length = sample.meta.length;
		unsigned char *longer = allocate(length + 40);

		add_external_keys(&sample, 0, 10);
		memcpy(longer, sample.bytes, length);
		for (size_t n = 0; n <= length + 40; n++)
		{
			CASE("%s, %d of %d bytes", format->name, (int) n, (int) length);
			use_safely(format, longer, n);
		}
		for (size_t i = 0; i < length; i++)
		{
			for (int change = 1; change < 256; change++)
			{
				if (!all && (change & (change - 1)) != 0 && change != 255)
					continue;
				CASE("%s, byte %d changed by %d", format->name, (int) i, change);
				longer[i] = (unsigned char) (sample.bytes[i] ^ change);
				use_safely(format, longer, length);
			}
			longer[i] = sample.bytes[i];
		}
		free(longer);
		free(sample.bytes);
	}
}

/* Filters of both halves of some keys unite to that of all, also within an aggregate. */
static void
test_union(void)
{
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		double		parameter = usual_parameter(format);
		ExternalSample all = new_external(format, 1000, parameter);
		ExternalSample a = new_external(format, 1000, parameter);
		ExternalSample b = new_external(format, 1000, parameter);
		size_t		offset = all.meta.links[0].offset;

		add_external_keys(&all, 0, 1000);
		add_external_keys(&a, 0, 600);
		add_external_keys(&b, 500, 500);
		bbf_external_unite(&a.meta, a.bytes, &b.meta, b.bytes, count_external_pause);
		CHECK(memcmp(a.bytes + offset, all.bytes + offset,
					 all.meta.links[0].nbytes) == 0);
		free(all.bytes);
		free(a.bytes);
		free(b.bytes);
	}
}

/* The number of keys is estimated within 2 %, and the rate within 10 %. */
static void
test_info(void)
{
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		const uint64_t n = 20000;
		const double nprobes = 400000;
		const double error = 0.10;
		ExternalSample sample = new_external(format, n, usual_parameter(format));
		BbfExternalInfo info;
		double		nfound = 0;

		bbf_external_info(format, &sample.meta, sample.bytes, count_external_pause, &info);
		CHECK(info.nset == 0 && info.keys == 0.0 && info.fpp == 0.0);
		CHECK(info.nbits == sample.meta.links[0].nbits);

		add_external_keys(&sample, 0, n);
		bbf_external_info(format, &sample.meta, sample.bytes, count_external_pause, &info);
		for (uint64_t i = 0; (double) i < nprobes; i++)
		{
			uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

			external_key(format, sample.meta.seed, n + i, hash);
			nfound += bbf_external_contains(format, &sample.meta, sample.bytes, hash);
		}
		CASE("%s: keys %g, rate %g of %g", format->name, info.keys,
			 nfound / nprobes, info.fpp);
		CHECK(info.keys > (double) n * 0.98 && info.keys < (double) n * 1.02);
		CHECK(nfound > 200);
		CHECK(nfound < info.fpp * nprobes * (1 + error));
		CHECK(nfound > info.fpp * nprobes * (1 - error));
		free(sample.bytes);
	}
}

/*
 * The indexes of Guava's older strategy and of Spark's version 1 have 31 bits: of a filter
 * of 2^32 bits that looks a quarter full, absent keys find what is half full.
 */
static void
test_info_of_bits_out_of_reach(void)
{
	static const struct
	{
		const char *format;
		unsigned char header[16];
		bool		reaches_all;
	}			golden[] = {
		{"guava", {0, 2, 4, 0, 0, 0}, false},
		{"guava", {1, 2, 4, 0, 0, 0}, true},
		{"spark_v1", {0, 0, 0, 1, 0, 0, 0, 2, 4, 0, 0, 0}, false},
		{"spark_v2", {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0}, true},
	};
	const size_t bits_bytes = (size_t) 1 << 29;

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		const BbfExternalFormat *format = external_format(golden[i].format);
		BbfExternalSlice header = bbf_external_header(format, bits_bytes);
		static BbfExternalMeta meta;
		double		keys;
		double		fpp;

		CASE("number %d", i);
		CHECK(bbf_external_read(format, golden[i].header, header.length + bits_bytes,
								&meta) == NULL);
		CHECK(meta.links[0].nbits == UINT64_C(1) << 32);
		CHECK(meta.links[0].nprobed == UINT64_C(1) << (golden[i].reaches_all ? 32 : 31));
		format->estimate(&meta.links[0], NULL, UINT64_C(1) << 30, NULL, &keys, &fpp);
		CHECK(fpp == (golden[i].reaches_all ? 0.0625 : 0.25));
	}
}

/* A query can be cancelled once for each megabyte of bits. */
static void
test_long_work_pauses(void)
{
	const BbfExternalFormat *format = external_format("parquet");
	ExternalSample a = new_external(format, 1500000, 0.01);
	ExternalSample b = new_external(format, 1500000, 0.01);
	unsigned	npieces = (unsigned) (a.meta.length >> 20);
	BbfExternalInfo info;

	CHECK(npieces >= 2);
	external_pauses = 0;
	bbf_external_unite(&a.meta, a.bytes, &b.meta, b.bytes, count_external_pause);
	CHECK(external_pauses >= npieces);
	external_pauses = 0;
	bbf_external_info(format, &a.meta, a.bytes, count_external_pause, &info);
	CHECK(external_pauses >= npieces);
	free(a.bytes);
	free(b.bytes);
}

/* Sizes that no filter can have are refused, also where numbers could overflow. */
static void
test_impossible_sizes_are_refused(void)
{
	static const double parameters[] = {
		-1.0, -0.0, 0.0, 1e-320, 1e-300, 1e-70, 0.25, 0.9999999, 1.0, 1.5, 2.0, 1000.0,
		2147483647.0, 1e10, 1e300
	};
	static const uint64_t capacities[] = {
		0, 1, 2, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, INT64_MAX, UINT64_MAX
	};
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		static BbfExternalMeta meta;

		for (int i = 0; i < LENGTH_OF(parameters) * LENGTH_OF(capacities); i++)
		{
			double		parameter = parameters[i / LENGTH_OF(capacities)];
			uint64_t	capacity = capacities[i % LENGTH_OF(capacities)];
			const char *reason = bbf_external_size(format, capacity, parameter, &meta);

			CASE("%s, capacity %" PRIu64 ", parameter %g", format->name, capacity,
				 parameter);
			if (format->parameter == BBF_EXTERNAL_FPP)
				CHECK(reason != NULL || (parameter > 0.0 && parameter < 1.0));
			else
				CHECK(reason != NULL || parameter >= 1.0);
			CHECK(reason != NULL || capacity < INT64_MAX);
			if (reason == NULL)
			{
				CHECK(meta.nlinks == 1 && meta.links[0].nprobes > 0);
				CHECK(meta.length <= BBF_EXTERNAL_MAX_MADE);
				CHECK(meta.links[0].nbits <= meta.links[0].nbytes * UINT64_C(8));
				CHECK(meta.length >= meta.links[0].offset + meta.links[0].nbytes);
			}
		}
	}
}

/*
 * Whatever is made can be printed: as two digits for each byte it leaves 128 kB of the
 * gigabyte that PostgreSQL prints.  The largest filters, to the byte, and one key or
 * bit more; a longer one is read.
 */
static void
test_largest_filters(void)
{
	static const struct
	{
		const char *format;
		double		parameter;
		uint64_t	capacity;
		size_t		length;
	}			largest[] = {
		{"guava", 0.01, 448035137, 536805374},
		{"guava_long", 0.01, 448035137, 536805374},
		{"go", 0.01, 448035123, 536805376},
		{"spark_v1", 0.01, 448035130, 536805372},
		{"spark_v2", 0.01, 448035130, 536805376},
		{"redis", 0.01, 389421326, 536805369},
		{"parquet", 0.01, 110906249, 134217728},
		{"leveldb", 5, 858888600, 536805376}
	};
	static BbfExternalMeta meta;
	unsigned char go[24] = {0};

	CHECK(2 * BBF_EXTERNAL_MAX_MADE + 128 * 1024 == (size_t) 1 << 30);
	for (int i = 0; i < LENGTH_OF(largest); i++)
	{
		const BbfExternalFormat *format =
			bbf_external_by_name(largest[i].format, strlen(largest[i].format));

		CASE("%s, capacity %" PRIu64, format->name, largest[i].capacity);
		CHECK(bbf_external_size(format, largest[i].capacity, largest[i].parameter,
								&meta) == NULL);
		CHECK(meta.length == largest[i].length);
		CHECK(bbf_external_size(format, largest[i].capacity + 1, largest[i].parameter,
								&meta) != NULL);
	}

	/* 2^32 bits, as the library in Go makes them */
	go[3] = go[19] = 1;
	go[15] = 7;
	CHECK(bbf_external_read(bbf_external_by_name("go", 2), go,
							sizeof(go) + (size_t) BBF_MAX_BYTES, &meta) == NULL);
	CHECK(meta.length > BBF_EXTERNAL_MAX_MADE);
}

/* A filter above the limit is refused by its header, whatever that says. */
static void
test_limit_of_512_mb(void)
{
	const BbfExternalFormat *format;

	FOR_EACH_FORMAT(format)
	{
		static const unsigned char zeros[BBF_EXTERNAL_MAX_HEADER];
		static BbfExternalMeta meta;

		CHECK(bbf_external_read(format, zeros, (size_t) BBF_MAX_BYTES * 2, &meta) != NULL);
	}
}

/* As by division, for any number of bits. */
static void
test_modulo(void)
{
	static const uint64_t numbers[] = {
		1, 2, 3, 63, 64, 65, 96, 7298496, UINT32_MAX, UINT64_C(1) << 32,
		(UINT64_C(1) << 32) + 1, UINT64_C(0x5555555555555555), INT64_MAX,
		UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX - 1, UINT64_MAX
	};

	for (int i = 0; i < LENGTH_OF(numbers); i++)
	{
		BbfExternalLink link = {.nbits = numbers[i]};

		link.reciprocal = UINT64_MAX / link.nbits;
		CASE("modulo %" PRIu64, link.nbits);
		for (uint64_t j = 0; j < 1000; j++)
		{
			uint64_t	multiple = key(j) / link.nbits * link.nbits;

			CHECK(bbf_modulo(key(j), &link) == key(j) % link.nbits);
			CHECK(bbf_modulo(multiple, &link) == 0);
			CHECK(bbf_multiply_halves(key(j), link.reciprocal) ==
				  bbf_multiply_high(key(j), link.reciprocal));
			CHECK(bbf_modulo(multiple - 1, &link) == (multiple - 1) % link.nbits);
		}
		for (int j = 0; j < LENGTH_OF(numbers); j++)
			CHECK(bbf_modulo(numbers[j], &link) == numbers[j] % link.nbits);
	}
}

/* Units as Java has them: of one, two, three and four bytes of UTF-8. */
static void
test_utf16(void)
{
	static const char text[] = "a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80z";
	static const unsigned char units[] = {
		'a', 0, 0xFC, 0, 0xAC, 0x20, 0x3D, 0xD8, 0x00, 0xDE, 'z', 0
	};
	size_t		length = strlen(text);
	unsigned char *out = allocate(2 * length);

	CHECK(bbf_external_utf16((const unsigned char *) text, length, out) == sizeof(units));
	CHECK(memcmp(out, units, sizeof(units)) == 0);
	CHECK(bbf_external_utf16((const unsigned char *) text, 0, out) == 0);
	free(out);

	/* any two bytes: no more is read or written than there is */
	for (unsigned i = 0; i < 0x10000; i++)
	{
		unsigned char *bytes = allocate(2);

		bbf_put16(bytes, (uint16_t) i);
		out = allocate(4);
		CHECK(bbf_external_utf16(bytes, 2, out) <= 4);
		free(bytes);
		free(out);
	}
}

const Test external_tests[] = {
	TEST(test_formats_are_found_by_name),
	TEST(test_keys_are_found),
	TEST(test_keys_of_many_probes_are_found),
	TEST(test_slices_tell_the_same),
	TEST(test_malformed_bytes_are_safe),
	TEST(test_union),
	TEST(test_info),
	TEST(test_info_of_bits_out_of_reach),
	TEST(test_long_work_pauses),
	TEST(test_impossible_sizes_are_refused),
	TEST(test_largest_filters),
	TEST(test_limit_of_512_mb),
	TEST(test_modulo),
	TEST(test_utf16),
	END_OF_TESTS
};
