/*
 * external_guava_test.c
 *	  external_guava.c: the bytes that Guava 31.1 wrote, and what it finds in them.
 */
#include "check.h"

#include "core/bytes.h"

#include "external_sample.h"
#include "suites.h"

static void
test_bytes_of_guava(void)
{
	static const struct
	{
		const char *format;
		const char *bytes;
		const char *keys[3];	/* hexadecimal */
	}			golden[] = {
		{"guava_long", "01 07 00000002 5000010400801040 0005412610412600",
		{"0100000000000000", "0200000000000000", "0300000000000000"}},
		{"guava_int", "01 07 00000002 4010200082000c00 40a0000940200202",
		{"01000000", "02000000", "FDFFFFFF"}},
		{"guava", "01 07 00000002 0818000820208000 c080040002000020",
		{"726564", "677265656e"}},
		{"guava", "01 07 00000002 0004001000001001 4000004001000001",
		{"", "00FF"}},
		{"guava_chars", "01 07 00000002 20084802a1000460 0038000610808a00",
		{"720065006400", "67007200FC006E00", "3DD800DE"}},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		ExternalSample sample = new_external(external_format(golden[i].format), 10, 0.01);

		CASE("number %d", i);
		for (int j = 0; j < 3 && golden[i].keys[j] != NULL; j++)
			add_hex_key(&sample, golden[i].keys[j]);
		CHECK(has_hex_bytes(&sample, golden[i].bytes));
		free(sample.bytes);
	}
}

/* Filters of the older strategy are read, and can be added to. */
static void
test_older_strategy(void)
{
	const BbfExternalFormat *format = external_format("guava_long");
	ExternalSample sample = from_hex_bytes(format, "00 07 00000002"
										   "0000000000000000 0000000000000000");

	add_hex_key(&sample, "0100000000000000");
	add_hex_key(&sample, "0200000000000000");
	add_hex_key(&sample, "0300000000000000");
	CHECK(has_hex_bytes(&sample, "00 07 00000002 0090020428810100 40010900028001a0"));
	free(sample.bytes);
}

/* m and k of Guava 33.4 for n keys at rate p; k differs from that of 31.1 twice. */
static void
test_sizes(void)
{
	static const ExternalSize golden[] = {
		{0, 0.03, 64, 5},
		{1, 0.03, 64, 5},
		{3, 0.01, 64, 7},		/* 6 in 31.1 */
		{4, 6.663201987983596e-7, 128, 21}, /* 20 in 31.1 */
		{10, 0.01, 128, 7},
		{1000, 0.01, 9600, 7},
		{100000, 0.01, 958528, 7},
		{1000000, 0.03, 7298496, 5},
		{1000000, 0.5, 1442752, 1},
		{1000, 1e-76, 364288, 252},
	};

	check_external_sizes("guava", golden, LENGTH_OF(golden));
}

static void
put_units(unsigned char *to, const char *digits)
{
	for (; *digits != '\0'; digits++, to += 2)
		bbf_put16(to, (uint16_t) *digits);
}

/*
 * Guava's own tests count false positives: of the even numbers below 2,000,000,
 * written in decimal and added at a rate of 3 %, among the odd ones.  All of its lists
 * are counted in test/run --ci, which sets BLOOMTYPE_CI; the last one always.
 */
static void
test_false_positives_of_guava(void)
{
	static const struct
	{
		const char *format;
		int			strategy;
		int			nfound;
		int			first[16];
	}			golden[] = {
		{"guava_chars", 0, 29824, {49, 51, 59, 163, 199, 321, 325, 363, 367, 469,
		545, 561, 727, 769, 773, 781}},
		{"guava_chars", 1, 30104, {15, 25, 287, 319, 381, 399, 421, 465, 529, 697,
		767, 857}},
		{"guava", 1, 29763, {89, 129, 471, 723, 751, 835, 871}},
	};

	const bool	all = ALL_CASES;

	for (int i = all ? 0 : LENGTH_OF(golden) - 1; i < LENGTH_OF(golden); i++)
	{
		const BbfExternalFormat *format = external_format(golden[i].format);
		const bool	chars = format->keys == BBF_EXTERNAL_UTF16;
		ExternalSample sample = new_external(format, 1000000, 0.03);
		int			nfound = 0;

		sample.bytes[0] = (unsigned char) golden[i].strategy;
		CHECK(bbf_external_validate(format, sample.bytes, sample.meta.length,
									&sample.meta) == NULL);

		/* the odd ones are looked up when all even ones are there */
		for (int n = 0; n < 4000000; n++)
		{
			int			number = n < 2000000 ? n : n - 2000000;
			char		digits[12];
			unsigned char key[24];
			size_t		length;
			uint64_t	hash[BBF_EXTERNAL_MAX_HASH];

			if ((number & 1) != (n >= 2000000))
				continue;
			length = (size_t) snprintf(digits, sizeof(digits), "%d", number);
			if (chars)
				put_units(key, digits);
			else
				memcpy(key, digits, length);
			bbf_external_hash(format, 0, key, chars ? 2 * length : length, hash);
			if (n < 2000000)
				CHECK(bbf_external_add(format, &sample.meta, sample.bytes, hash) == NULL);
			else if (bbf_external_contains(format, &sample.meta, sample.bytes, hash))
			{
				CASE("%s, strategy %d: found %d", format->name, golden[i].strategy, number);
				CHECK(number > 900 || number == golden[i].first[nfound]);
				nfound++;
			}
		}
		CASE("%s, strategy %d: found %d", format->name, golden[i].strategy, nfound);
		CHECK(nfound == golden[i].nfound);
		free(sample.bytes);
	}
}

/* Up to the capacity the rate is within 1.1 times that asked for. */
static void
test_rate(void)
{
	CHECK(rate_at_capacity("guava_long", 20000, 0.1) < 0.1 * 1.1);
	CHECK(rate_at_capacity("guava_long", 20000, 0.01) < 0.01 * 1.1);
	CHECK(rate_at_capacity("guava", 20000, 0.001) < 0.001 * 1.1);
}

static void
test_unions(void)
{
	static const char *const others[] = {
		"00 07 00000001 0000000000000000",
		"01 06 00000001 0000000000000000",
		"01 07 00000002 0000000000000000 0000000000000000",
	};

	check_external_unions("guava",
						  "01 07 00000001 0000000000000001",
						  "01 07 00000001 8000000000000010",
						  "01 07 00000001 8000000000000011",
						  others, LENGTH_OF(others));
}

static void
test_malformed_bytes(void)
{
	static const char *const malformed[] = {
		"",
		"01 07 000000",
		"01 07 00000001",
		"01 07 00000000",
		"01 00 00000001 0000000000000000",
		"02 07 00000001 0000000000000000",
		"FF 07 00000001 0000000000000000",
		"01 07 00000001 00000000000000",
		"01 07 00000001 000000000000000000",
		"01 07 00000002 0000000000000000",
		"01 07 80000001 0000000000000000",
		"01 07 FFFFFFFF 0000000000000000",
	};

	for (int i = 0; i < LENGTH_OF(malformed); i++)
	{
		CASE("%s", malformed[i]);
		CHECK(refusal_of_hex(external_format("guava"), malformed[i]) != NULL);
	}
	CHECK(refusal_of_hex(external_format("guava"), "01 FF 00000001 0000000000000000") == NULL);
}

const Test external_guava_tests[] = {
	TEST(test_bytes_of_guava),
	TEST(test_older_strategy),
	TEST(test_sizes),
	TEST(test_false_positives_of_guava),
	TEST(test_rate),
	TEST(test_unions),
	TEST(test_malformed_bytes),
	END_OF_TESTS
};
