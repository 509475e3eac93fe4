/*
 * external_go_test.c
 *	  external_go.c: what the Go library, version 3.3.1, writes and answers.
 */
#include "check.h"

#include "external_sample.h"
#include "suites.h"

static void
test_bytes_of_go(void)
{
	const BbfExternalFormat *format = external_format("go");
	ExternalSample sample;

	/* New(96, 7) with "red" and "green" */
	sample = from_hex_bytes(format, "0000000000000060 0000000000000007"
							"0000000000000060 0000000000000000 0000000000000000");
	add_hex_key(&sample, "726564");
	add_hex_key(&sample, "677265656e");
	CHECK(has_hex_bytes(&sample, "0000000000000060 0000000000000007"
						"0000000000000060 00000880002a0028 0000000080088008"));
	free(sample.bytes);

	/* NewWithEstimates(10, 0.01) with texts of 0, 15 and 16 bytes */
	sample = new_external(format, 10, 0.01);
	add_hex_key(&sample, "");
	add_hex_key(&sample, "303132333435363738396162636465");
	add_hex_key(&sample, "30313233343536373839616263646566");
	CHECK(has_hex_bytes(&sample, "0000000000000060 0000000000000007"
						"0000000000000060 8000140a2b021095 00000000e0000820"));
	free(sample.bytes);
}

static void
test_sizes(void)
{
	static const ExternalSize golden[] = {
		{1, 0.5, 2, 2},
		{1, 0.01, 10, 7},
		{3, 0.01, 29, 7},
		{1000, 0.01, 9586, 7},
		{1000, 0.5, 1443, 2},
		{1000, 0.999, 3, 1},
		{1000000, 0.001, 14377588, 10},
		{1, 1e-300, 1438, 997},
	};

	check_external_sizes("go", golden, LENGTH_OF(golden));
}

/*
 * The library reads a bitset of any length.  With FromWithM, of 64 bits that are
 * all set and m = 100, it finds 110 of the numbers 0 .. 999 (4 bytes, big-endian).
 * Filters without probes have every key.
 */
static void
test_odd_bytes(void)
{
	const BbfExternalFormat *format = external_format("go");
	ExternalSample sample = from_hex_bytes(format, "0000000000000064 0000000000000005"
										   "0000000000000040 ffffffffffffffff");
	int			nfound = 0;

	for (int i = 0; i < 1000; i++)
	{
		char		hex[32];

		snprintf(hex, sizeof(hex), "%08X", (unsigned) i);
		nfound += contains_hex_key(&sample, hex);
	}
	CASE("%d", nfound);
	CHECK(nfound == 110);
	CHECK(sample.meta.fixed != NULL);
	free(sample.bytes);

	/* New(0, 3) */
	sample = from_hex_bytes(format, "0000000000000001 0000000000000003 0000000000000000");
	CHECK(!contains_hex_key(&sample, "00") && sample.meta.fixed != NULL);
	free(sample.bytes);

	sample = from_hex_bytes(format, "0000000000000040 0000000000000000"
							"0000000000000040 0000000000000000");
	CHECK(contains_hex_key(&sample, "00"));
	free(sample.bytes);

	/* From: the bitset may be longer than m, too */
	sample = from_hex_bytes(format, "0000000000000020 0000000000000003"
							"0000000000000040 0000000000000000");
	add_hex_key(&sample, "00");
	CHECK(contains_hex_key(&sample, "00") && sample.bytes[24 + 3] == 0);
	free(sample.bytes);
}

/*
 * Bits beyond m belong to no key: they are no part of the filter, whatever they are.  Bits
 * that are not stored count as unset.
 */
static void
test_info_of_other_bits(void)
{
	static const struct
	{
		const char *bytes;
		uint64_t	nbits;
		uint64_t	nset;
	}			golden[] = {
		/* m = 96 and 67 of two words, and 9 of two, of which one would do */
		{"0000000000000060 0000000000000003 0000000000000060"
			"8000000000000001 ffffffff80000001", 96, 4},
		{"0000000000000043 0000000000000003 0000000000000080"
			"0000000000000000 fffffffffffffffd", 67, 2},
		{"0000000000000009 0000000000000003 0000000000000080"
			"fffffffffffffeff ffffffffffffffff", 9, 8},
		/* m = 100 with a bitset of 40 bits */
		{"0000000000000064 0000000000000003 0000000000000028 ffffff8000000001", 100, 2},
	};
	const BbfExternalFormat *format = external_format("go");

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		ExternalSample sample = from_hex_bytes(format, golden[i].bytes);
		BbfExternalInfo info;

		bbf_external_info(format, &sample.meta, sample.bytes, count_external_pause, &info);
		CASE("number %d: %d", i, (int) info.nset);
		CHECK(info.nbits == golden[i].nbits && info.nset == golden[i].nset);
		free(sample.bytes);
	}
}

static void
test_rate(void)
{
	CHECK(rate_at_capacity("go", 20000, 0.1) < 0.1 * 1.1);
	CHECK(rate_at_capacity("go", 20000, 0.01) < 0.01 * 1.1);
	CHECK(rate_at_capacity("go", 20000, 0.001) < 0.001 * 1.1);
}

/* Merge wants the same m and k; a shorter bitset goes into a longer one. */
static void
test_unions(void)
{
	static const char *const others[] = {
		"0000000000000041 0000000000000003 0000000000000041 0000000000000000 0000000000000000",
		"0000000000000060 0000000000000004 0000000000000060 0000000000000000 0000000000000000",
	};

	check_external_unions("go",
						  "0000000000000060 0000000000000003"
						  "0000000000000060 0000000000000001 0000000000000002",
						  "0000000000000060 0000000000000003"
						  "0000000000000040 0000000000000010",
						  "0000000000000060 0000000000000003"
						  "0000000000000060 0000000000000011 0000000000000002",
						  others, LENGTH_OF(others));
}

/*
 * The bitset of one filter ends before bit 32, which the other has, in the same word:
 * the union has a bitset that reaches it, as after InPlaceUnion of the library.
 */
static void
test_union_of_unequal_bitsets(void)
{
	const char *shorter = "0000000000000060 0000000000000001 0000000000000020 0000000000000001";
	const char *longer = "0000000000000060 0000000000000001 0000000000000030 0000000100000000";
	const BbfExternalFormat *format = external_format("go");
	ExternalSample a = from_hex_bytes(format, shorter);
	ExternalSample b = from_hex_bytes(format, longer);

	CHECK(a.meta.length == b.meta.length);
	CHECK(bbf_external_unites_into_second(&a.meta, &b.meta));
	CHECK(!bbf_external_unites_into_second(&b.meta, &a.meta));
	CHECK(!bbf_external_unites_into_second(&a.meta, &a.meta));
	free(a.bytes);
	free(b.bytes);
	check_external_unions("go", longer, shorter,
						  "0000000000000060 0000000000000001 0000000000000030 0000000100000001",
						  NULL, 0);
}

static void
test_malformed_bytes(void)
{
	static const char *const malformed[] = {
		"",
		"0000000000000040 0000000000000003 00000000000000",
		"0000000000000000 0000000000000003 0000000000000040 0000000000000000",
		"0000000000000040 0000000000010000 0000000000000040 0000000000000000",
		"0000000000000040 ffffffffffffffff 0000000000000040 0000000000000000",
		"0000000000000040 0000000000000003 0000000000000041 0000000000000000",
		"0000000000000040 0000000000000003 0000000000000000 0000000000000000",
		"0000000000000040 0000000000000003 ffffffffffffffff 0000000000000000",
		"0000000000000040 0000000000000003 0000000000000040 00000000000000",
		"0000000000000040 0000000000000003 0000000000000040 000000000000000000",
	};

	for (int i = 0; i < LENGTH_OF(malformed); i++)
	{
		CASE("%s", malformed[i]);
		CHECK(refusal_of_hex(external_format("go"), malformed[i]) != NULL);
	}
	CHECK(refusal_of_hex(external_format("go"), "ffffffffffffffff 000000000000ffff"
						 "0000000000000000") == NULL);
}

const Test external_go_tests[] = {
	TEST(test_bytes_of_go),
	TEST(test_sizes),
	TEST(test_odd_bytes),
	TEST(test_info_of_other_bits),
	TEST(test_rate),
	TEST(test_unions),
	TEST(test_union_of_unequal_bitsets),
	TEST(test_malformed_bytes),
	END_OF_TESTS
};
