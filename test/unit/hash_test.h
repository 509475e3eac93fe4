/*
 * hash_test.h
 *	  hash.h: the hash is XXH3, 64 bits, seed 0, for ever.
 */
#ifndef HASH_TEST_H
#define HASH_TEST_H

#include "core/hash.h"

/* Frozen: one length on either side of every step inside XXH3. */
static void
test_hashes_are_frozen(void)
{
	static const struct
	{
		int			length;
		uint64_t	hash;
	}			golden[] = {
		{0, UINT64_C(0x2D06800538D394C2)},
		{1, UINT64_C(0xC44BDFF4074EECDB)},
		{3, UINT64_C(0x5F4299FC161C9CBB)},
		{8, UINT64_C(0x3A1C2D7C85AF88F8)},
		{16, UINT64_C(0x8355E3A6F61770DB)},
		{17, UINT64_C(0x9EF341A99DE37328)},
		{128, UINT64_C(0x85C6174C7FF4C46B)},
		{129, UINT64_C(0xEC7642B431BA3E5A)},
		{240, UINT64_C(0x375A384D957FE865)},
		{241, UINT64_C(0x02E8CD95421C6D02)},
		{300, UINT64_C(0xD44052F5A3485425)},
	};

	/* published by the authors of the hash */
	CHECK(bbf_hash("a", 1) == UINT64_C(0xE6C632B61E964E1F));
	CHECK(bbf_hash("abc", 3) == UINT64_C(0x78AF5F94892F3950));

	/* bytes 0, 1, 2, ... 255, 0, ... at an odd address */
	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		int			length = golden[i].length;
		unsigned char *bytes = allocate((size_t) length + 1);

		for (int j = 0; j < length; j++)
			bytes[j + 1] = (unsigned char) j;
		CASE("length %d", length);
		CHECK(bbf_hash(bytes + 1, (size_t) length) == golden[i].hash);
		free(bytes);
	}
}

static void
run_hash_tests(void)
{
	RUN(test_hashes_are_frozen);
}

#endif							/* HASH_TEST_H */
