/*
 * external_parquet_test.c
 *	  external_parquet.c: the filters of parquet-java's own tests, and those of files.
 */
#include "check.h"

#include "core/bytes.h"
#include "core/hash.h"

#include "buffer.h"
#include "external_sample.h"
#include "suites.h"

#define EMPTY_BLOCK \
	"0000000000000000 0000000000000000 0000000000000000 0000000000000000"

/* The header of one block. */
#define HEADER	"15 40 1c1c0000 1c1c0000 1c1c0000 00"

/* XXH64 of nothing is published by its author. */
static void
test_hash_is_xxh64(void)
{
	uint64_t	hash;

	bbf_external_hash(external_format("parquet"), 0, "", 0, &hash);
	CHECK(hash == UINT64_C(17241709254077376921));
}

static void
test_bytes_of_parquet_java(void)
{
	ExternalSample texts = new_external(external_format("parquet"), 1, 0.01);
	ExternalSample numbers = new_external(external_format("parquet_int64"), 1, 0.01);

	for (int i = 0; i < 10; i++)
	{
		char		hex[32];

		snprintf(hex, sizeof(hex), "613%d", i);
		add_hex_key(&texts, hex);
		snprintf(hex, sizeof(hex), "0%d00000000000000", i);
		add_hex_key(&numbers, hex);
	}
	CHECK(has_hex_bytes(&texts, "c80150144044086d 0625044390506020"
						"08842b2100056341 0200e02c404e6004"));
	CHECK(has_hex_bytes(&numbers, "1882180886084406 0265800a4002264e"
						"7201402601c0c298 4046002438794000"));
	CHECK(!contains_hex_key(&numbers, "0A00000000000000"));
	free(texts.bytes);
	free(numbers.bytes);
}

/* A file has a header before the same bits; both are found in and added to. */
static void
test_header(void)
{
	const BbfExternalFormat *format = external_format("parquet");
	ExternalSample with = from_hex_bytes(format, HEADER EMPTY_BLOCK);
	ExternalSample without = from_hex_bytes(format, EMPTY_BLOCK);
	ExternalSample large;
	unsigned char *bytes = allocate(17 + 8192);

	CHECK(with.meta.links[0].offset == 15);
	add_hex_key(&with, "6130");
	add_hex_key(&without, "6130");
	CHECK(contains_hex_key(&with, "6130") && !contains_hex_key(&with, "6131"));
	CHECK(memcmp(with.bytes + 15, without.bytes, 32) == 0);

	/* they unite into the one with the header */
	add_hex_key(&without, "6131");
	CHECK(bbf_external_union_refusal(format, &with.meta, &without.meta) == NULL);
	bbf_external_unite(&with.meta, with.bytes, &without.meta, without.bytes, count_external_pause);
	CHECK(contains_hex_key(&with, "6130") && contains_hex_key(&with, "6131"));
	free(with.bytes);
	free(without.bytes);

	/* a number of bytes of three groups of bits: 8192 */
	memcpy(bytes, "\x15\x80\x80\x01\x1C\x1C\0\0\x1C\x1C\0\0\x1C\x1C\0\0\0", 17);
	large.format = format;
	large.bytes = bytes;
	CHECK(bbf_external_validate(format, bytes, 17 + 8192, &large.meta) == NULL);
	CHECK(large.meta.links[0].nbits == 65536 && large.meta.links[0].offset == 17);
	free(bytes);
}

/* Numbers of blocks that are no power of two are read: the spec allows them. */
static void
test_any_number_of_blocks(void)
{
	ExternalSample sample = from_hex_bytes(external_format("parquet"),
										   EMPTY_BLOCK EMPTY_BLOCK EMPTY_BLOCK);

	for (int i = 0; i < 10; i++)
	{
		char		hex[32];

		snprintf(hex, sizeof(hex), "613%d", i);
		add_hex_key(&sample, hex);
		CHECK(contains_hex_key(&sample, hex));
	}
	CHECK(sample.meta.links[0].nbits == 768);
	free(sample.bytes);
}

/* The bits for n keys, rounded up to a power of two. */
static void
test_sizes(void)
{
	static const struct
	{
		uint64_t	n;
		double		p;
		uint64_t	nbits;
	}			golden[] = {
		{1, 0.01, 256},
		{26, 0.01, 256},		/* 251.7 */
		{27, 0.01, 512},		/* 261.4 */
		{1000, 0.01, 16384},	/* 9681.5 */
		{1000, 0.001, 16384},	/* 14607.2 */
		{1000000, 0.01, 16777216},
		{110000000, 0.01, UINT64_C(1) << 30},
	};
	static BbfExternalMeta meta;

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		CHECK(bbf_external_size(external_format("parquet"), golden[i].n, golden[i].p,
								&meta) == NULL);
		CASE("n %" PRIu64 ", p %g: %" PRIu64, golden[i].n, golden[i].p,
			 meta.links[0].nbits);
		CHECK(meta.links[0].nbits == golden[i].nbits);
	}
	CHECK(bbf_external_size(external_format("parquet"), 111000000, 0.01, &meta) != NULL);
}

/*
 * The specification tells which rates so many bits a key give.  A size of its
 * formula may have fewer: at the most keys for 2^18 bits.
 */
static void
test_rate(void)
{
	static const struct
	{
		double		bits_per_key;
		double		rate;
	}			table[] = {{6.0, 0.1}, {10.5, 0.01}, {16.9, 0.001}};

	for (int i = 0; i < LENGTH_OF(table); i++)
	{
		const BbfExternalFormat *format = external_format("parquet");
		uint64_t	nkeys = (uint64_t) (262144 / table[i].bits_per_key);
		ExternalSample sample = new_external(format, nkeys, table[i].rate);
		uint64_t	nfound = 0;

		CHECK(sample.meta.links[0].nbits == 262144);
		add_external_keys(&sample, 0, nkeys);
		for (uint64_t j = 0; j < 1000000; j++)
		{
			uint64_t	hash;

			external_key(format, 0, nkeys + j, &hash);
			nfound += bbf_external_contains(format, &sample.meta, sample.bytes, &hash);
		}
		CASE("%g bits per key: %g", table[i].bits_per_key, (double) nfound / 1000000);
		CHECK((double) nfound / 1000000 < table[i].rate * 1.1);
		free(sample.bytes);
	}
}

static void
test_malformed_bytes(void)
{
	static const char *const malformed[] = {
		"",
		"00",
		"15 40 1c1c0000 1c1c0000 1c1c0000 00",
		"15 40 1c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK "00",
		"15 40 1c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK EMPTY_BLOCK,
		"15 00 1c1c0000 1c1c0000 1c1c0000 00",
		"15 3f 1c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK,
		"15 3e 1c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK,
		"15 ffffffffffff 1c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK,
		"15 40 2c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK,
		"15 40 1c2c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK,
		"15 40 1c1c0000 1c2c0000 1c1c0000 00" EMPTY_BLOCK,
		"15 40 1c1c0000 1c1c0000 1c2c0000 00" EMPTY_BLOCK,
		"15 40 1c1c0000 1c1c0000 1c1c0000 15" EMPTY_BLOCK,
		"25 40 1c1c0000 1c1c0000 1c1c0000 00" EMPTY_BLOCK,
		EMPTY_BLOCK "00",
	};

	for (int i = 0; i < LENGTH_OF(malformed); i++)
	{
		CASE("%s", malformed[i]);
		CHECK(refusal_of_hex(external_format("parquet"), malformed[i]) != NULL);
	}
	CHECK(refusal_of_hex(external_format("parquet"), HEADER EMPTY_BLOCK) == NULL);
}

const Test external_parquet_tests[] = {
	TEST(test_hash_is_xxh64),
	TEST(test_bytes_of_parquet_java),
	TEST(test_header),
	TEST(test_any_number_of_blocks),
	TEST(test_sizes),
	TEST(test_rate),
	TEST(test_malformed_bytes),
	END_OF_TESTS
};
