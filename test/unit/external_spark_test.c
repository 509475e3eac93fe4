/*
 * external_spark_test.c
 *	  external_spark.c: bytes that a program of its own computed from Spark's source.
 */
#include "check.h"

#include "external_sample.h"
#include "suites.h"

#define ONE		"0100000000000000"
#define TWO		"0200000000000000"
#define THREE	"0300000000000000"
#define RED		"726564"
#define GREEN	"677265656e"
#define GRUEN	"6772C3BC6e"			/* with a letter of two bytes */

#define TWO_WORDS	"00000002 0000000000000000 0000000000000000"
#define THREE_WORDS	"00000003 0000000000000000 0000000000000000 0000000000000000"

static void
test_bytes_of_spark(void)
{
	static const struct
	{
		const char *format;
		const char *empty;
		const char *bytes;
		const char *keys[4];
	}			golden[] = {
		{"spark_v1", "00000001 00000007" TWO_WORDS,
			"00000001 00000007 00000002 4300100221092002 0008140008089000",
		{ONE, TWO, THREE}},
		{"spark_v1", "00000001 00000007" TWO_WORDS,
			"00000001 00000007 00000002 0400400000000248 8019210020020000",
		{RED, GREEN}},
		{"spark_v1", "00000001 00000005" THREE_WORDS,
			"00000001 00000005 00000003"
			"00020000030a8420 2000500010040404 0800000040000480",
		{"FFFFFFFFFFFFFFFF", "0000000000000080", "FFFFFFFFFFFFFF7F", GRUEN}},
		{"spark_v2", "00000002 00000007 00000000" TWO_WORDS,
			"00000002 00000007 00000000 00000002 0005004202042000 21440400001c8480",
		{ONE, TWO, THREE}},
		{"spark_v2", "00000002 00000007 00000000" TWO_WORDS,
			"00000002 00000007 00000000 00000002 0400400000800800 0934930000020000",
		{RED, GREEN}},
		{"spark_v2", "00000002 00000007 fffffff9" TWO_WORDS,
			"00000002 00000007 fffffff9 00000002 00881108004d0fe8 012a000910100018",
		{ONE, TWO, THREE, "D6FFFFFFFFFFFFFF"}},
		{"spark_v2", "00000002 00000007 0000002a" TWO_WORDS,
			"00000002 00000007 0000002a 00000002 00a0800010008009 000886808020c802",
		{RED, GRUEN, "FFFE"}},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		ExternalSample sample = from_hex_bytes(external_format(golden[i].format),
											   golden[i].empty);

		CASE("number %d", i);
		for (int j = 0; j < 4 && golden[i].keys[j] != NULL; j++)
		{
			CHECK(!contains_hex_key(&sample, golden[i].keys[j]));
			add_hex_key(&sample, golden[i].keys[j]);
			CHECK(contains_hex_key(&sample, golden[i].keys[j]));
		}
		CHECK(has_hex_bytes(&sample, golden[i].bytes));
		free(sample.bytes);
	}
}

static void
test_sizes(void)
{
	static const ExternalSize golden[] = {
		{1, 0.01, 64, 6},		/* of 9 bits */
		{3, 0.01, 64, 6},
		{10, 0.01, 128, 7},
		{1000, 0.03, 7360, 5},
		{1000000, 0.03, 7298496, 5},
		{1, 0.5, 64, 1},
		{1000, 0.9, 256, 1},
		{1, 1e-300, 1472, 996},
	};
	static BbfExternalMeta meta;

	for (int i = 0; i < 2; i++)
	{
		const char *name = i == 0 ? "spark_v1" : "spark_v2";

		check_external_sizes(name, golden, LENGTH_OF(golden));
		CHECK(bbf_external_size(external_format(name), 1, 0.9, &meta) != NULL);
	}
}

/* Spark's loop over no probes finds every key. */
static void
test_odd_bytes(void)
{
	ExternalSample sample;

	sample = from_hex_bytes(external_format("spark_v1"), "00000001 00000000" TWO_WORDS);
	CHECK(contains_hex_key(&sample, ONE));
	free(sample.bytes);
	sample = from_hex_bytes(external_format("spark_v2"),
							"00000002 FFFFFFFF 00000000" TWO_WORDS);
	CHECK(contains_hex_key(&sample, ONE));
	free(sample.bytes);
}

static void
test_rate(void)
{
	CHECK(rate_at_capacity("spark_v1", 20000, 0.01) < 0.01 * 1.1);
	CHECK(rate_at_capacity("spark_v2", 20000, 0.1) < 0.1 * 1.1);
	CHECK(rate_at_capacity("spark_v2", 20000, 0.01) < 0.01 * 1.1);
	CHECK(rate_at_capacity("spark_v2", 20000, 0.001) < 0.001 * 1.1);
}

static void
test_unions(void)
{
	static const char *const others[] = {
		"00000002 00000007 00000001" TWO_WORDS,
		"00000002 00000006 00000000" TWO_WORDS,
		"00000002 00000007 00000000" THREE_WORDS,
	};

	check_external_unions("spark_v2",
						  "00000002 00000007 00000000 00000002"
						  "0000000000000001 0000000000000000",
						  "00000002 00000007 00000000 00000002"
						  "0000000000000010 8000000000000000",
						  "00000002 00000007 00000000 00000002"
						  "0000000000000011 8000000000000000",
						  others, LENGTH_OF(others));
}

static void
test_malformed_bytes(void)
{
	static const struct
	{
		const char *format;
		const char *bytes;
	}			malformed[] = {
		{"spark_v1", ""},
		{"spark_v1", "00000001 00000007 000000"},
		{"spark_v1", "00000001 00000007 00000000"},
		{"spark_v1", "00000001 00000007 80000000 0000000000000000"},
		{"spark_v1", "00000001 00000007 00000002 0000000000000000"},
		{"spark_v1", "00000001 00000007 00000001 000000000000000000"},
		{"spark_v1", "00000001 00010000" TWO_WORDS},
		{"spark_v1", "00000000 00000007" TWO_WORDS},
		{"spark_v1", "00000002 00000007 00000000" TWO_WORDS},
		{"spark_v2", "00000001 00000007" TWO_WORDS},
		{"spark_v2", "00000003 00000007 00000000" TWO_WORDS},
		{"spark_v2", "00000002 00000007 00000000 000000"},
		{"spark_v2", "00000002 00000007 00000000 00000000"},
		{"spark_v2", "00000002 00000007 00000000 00000002 0000000000000000"},
		{"spark_v2", "00000002 7FFFFFFF 00000000" TWO_WORDS},
	};

	for (int i = 0; i < LENGTH_OF(malformed); i++)
	{
		CASE("%s", malformed[i].bytes);
		CHECK(refusal_of_hex(external_format(malformed[i].format), malformed[i].bytes) != NULL);
	}
}

const Test external_spark_tests[] = {
	TEST(test_bytes_of_spark),
	TEST(test_sizes),
	TEST(test_odd_bytes),
	TEST(test_rate),
	TEST(test_unions),
	TEST(test_malformed_bytes),
	END_OF_TESTS
};
