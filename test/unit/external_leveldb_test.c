/*
 * external_leveldb_test.c
 *	  external_leveldb.c: what LevelDB 1.23 makes of the same keys, and answers.
 */
#include "check.h"

#include "external_sample.h"
#include "suites.h"

#define HELLO	"68656c6c6f"
#define WORLD	"776f726c64"

static void
test_bytes_of_leveldb(void)
{
	const BbfExternalFormat *format = external_format("leveldb");
	ExternalSample sample = new_external(format, 2, 10);

	CHECK(has_hex_bytes(&sample, "0000000000000000 06"));
	add_hex_key(&sample, HELLO);
	add_hex_key(&sample, WORLD);
	CHECK(has_hex_bytes(&sample, "1140004144104010 06"));
	free(sample.bytes);

	sample = new_external(format, 3, 30);
	add_hex_key(&sample, "");
	add_hex_key(&sample, "C3BC");
	add_hex_key(&sample, "FF80");
	CHECK(has_hex_bytes(&sample, "6c32b7bb5e552a4095a9d844 14"));
	free(sample.bytes);
}

/* Bytes and probes of a filter for two keys. */
static void
test_sizes(void)
{
	static const struct
	{
		double		bits_per_key;
		size_t		length;
		uint32_t	nprobes;
	}			golden[] = {
		{1, 9, 1}, {2, 9, 1}, {3, 9, 2}, {10, 9, 6}, {16, 9, 11},
		{43, 12, 29}, {44, 12, 30}, {60, 16, 30}, {1000, 251, 30}
	};
	static BbfExternalMeta meta;
	const BbfExternalFormat *format = external_format("leveldb");

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		CASE("%g bits per key", golden[i].bits_per_key);
		CHECK(bbf_external_size(format, 2, golden[i].bits_per_key, &meta) == NULL);
		CHECK(meta.length == golden[i].length);
		CHECK(meta.links[0].nprobes == golden[i].nprobes);
	}
	CHECK(bbf_external_size(format, 0, 1000, &meta) == NULL);
	CHECK(meta.length == 9);
	CHECK(bbf_external_size(format, 2, 10.5, &meta) != NULL);
	CHECK(bbf_external_size(format, 2, 0, &meta) != NULL);
	CHECK(bbf_external_size(format, 429444300, 10, &meta) == NULL);
	CHECK(bbf_external_size(format, 429444301, 10, &meta) != NULL);
}

/* LevelDB refuses no bytes; filters for which it is not sure may have any key. */
static void
test_odd_bytes(void)
{
	static const struct
	{
		const char *bytes;
		bool		found;
		bool		takes_keys;
	}			odd[] = {
		{"", false, false},
		{"01", false, false},
		{"00 1F", true, false},
		{"00 FF", true, false},
		{"00 1E", false, true},
		{"00 00", true, true},
		{"FF 1E", true, true},
	};
	const BbfExternalFormat *format = external_format("leveldb");

	for (int i = 0; i < LENGTH_OF(odd); i++)
	{
		ExternalSample sample = from_hex_bytes(format, odd[i].bytes);

		CASE("\"%s\"", odd[i].bytes);
		CHECK(contains_hex_key(&sample, HELLO) == odd[i].found);
		CHECK((sample.meta.fixed == NULL) == odd[i].takes_keys);
		free(sample.bytes);
	}
}

/* LevelDB's header states about 1 % for 10 bits per key. */
static void
test_rate(void)
{
	CHECK(rate_at_capacity("leveldb", 20000, 10) < 0.01 * 1.1);
}

static void
test_no_unions(void)
{
	const BbfExternalFormat *format = external_format("leveldb");
	ExternalSample sample = new_external(format, 10, 10);

	CHECK(bbf_external_union_refusal(format, &sample.meta, &sample.meta) != NULL);
	free(sample.bytes);
}

/* Keys whose 32 bits of LevelDB's hash are equal are told apart. */
static void
test_hashes_are_distinct(void)
{
	const BbfExternalFormat *format = external_format("leveldb");
	uint64_t	a[2];
	uint64_t	b[2];

	external_key(format, 0, 111273, a);
	external_key(format, 0, 147592, b);
	CHECK(a[1] == b[1] && a[0] != b[0]);
}

const Test external_leveldb_tests[] = {
	TEST(test_bytes_of_leveldb),
	TEST(test_sizes),
	TEST(test_odd_bytes),
	TEST(test_rate),
	TEST(test_no_unions),
	TEST(test_hashes_are_distinct),
	END_OF_TESTS
};
