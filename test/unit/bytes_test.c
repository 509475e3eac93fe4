/*
 * bytes_test.c
 *	  bytes.h: integers are little-endian at any address.
 */
#include "check.h"

#include "core/bytes.h"

#include "buffer.h"
#include "suites.h"

/* The lowest byte comes first, and a load returns what was stored. */
static void
test_integers_are_little_endian(void)
{
	for (size_t at = 0; at < 8; at++)
	{
		unsigned char *bytes = allocate(at + 8);

		CASE("offset %d", (int) at);
		bbf_put16(bytes + at, 0xF2F1);
		CHECK(memcmp(bytes + at, "\xF1\xF2\0\0\0\0\0\0", 8) == 0);
		CHECK(bbf_get16(bytes + at) == 0xF2F1);
		bbf_put32(bytes + at, UINT32_C(0xF4F3F2F1));
		CHECK(memcmp(bytes + at, "\xF1\xF2\xF3\xF4\0\0\0\0", 8) == 0);
		CHECK(bbf_get32(bytes + at) == UINT32_C(0xF4F3F2F1));
		bbf_put64(bytes + at, UINT64_C(0xF8F7F6F5F4F3F2F1));
		CHECK(memcmp(bytes + at, "\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8", 8) == 0);
		CHECK(bbf_get64(bytes + at) == UINT64_C(0xF8F7F6F5F4F3F2F1));
		free(bytes);
	}
}

/* A double is stored as the integer of its IEEE 754 bits. */
static void
test_doubles_are_their_bits(void)
{
	unsigned char *bytes = allocate(8);

	bbf_putdouble(bytes, 0.01);
	CHECK(memcmp(bytes, "\x7B\x14\xAE\x47\xE1\x7A\x84\x3F", 8) == 0);
	CHECK(bbf_getdouble(bytes) == 0.01);
	bbf_putdouble(bytes, -2.0);
	CHECK(bbf_get64(bytes) == UINT64_C(0xC000000000000000));
	bbf_put64(bytes, 1);
	CHECK(bbf_getdouble(bytes) == 5e-324);
	free(bytes);
}

const Test bytes_tests[] = {
	TEST(test_integers_are_little_endian),
	TEST(test_doubles_are_their_bits),
	END_OF_TESTS
};
