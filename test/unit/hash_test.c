/*
 * hash_test.c
 *	  hash.h: the hash is XXH3, 64 bits, seed 0, permanently.
 */
#include "check.h"

#include "core/hash.h"

#include "buffer.h"
#include "key.h"
#include "suites.h"

/*
 * Frozen: one length on either side of every step inside XXH3.  Where a hash depends on how it
 * was compiled, or on the server's release, rows vanish with an upgrade (TimescaleDB 8761, 8779).
 */
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

/* Partitions are frozen, all reached, and those of more fall into those of fewer. */
static void
test_partitions(void)
{
	static const uint32_t counts[] = {1, 2, 3, 16, 1000, INT32_MAX};
	uint64_t	of_16[16] = {0};

	CHECK(bbf_partition(0, 16) == 12 && bbf_partition(0, INT32_MAX) == 1673370972);
	CHECK(bbf_partition(1, 16) == 2 && bbf_partition(1, INT32_MAX) == 400436378);
	CHECK(bbf_partition(UINT64_MAX, 16) == 5 && bbf_partition(UINT64_MAX, INT32_MAX) == 680059889);
	for (int i = 0; i < LENGTH_OF(counts); i++)
	{
		for (uint64_t j = 0; j < 10000; j++)
		{
			uint32_t	partition = bbf_partition(key(j), counts[i]);

			CHECK(partition < counts[i]);
			if (counts[i] <= UINT32_MAX / 7)
				CHECK(bbf_partition(key(j), counts[i] * 7) / 7 == partition);
		}
	}
	for (uint64_t j = 0; j < 160000; j++)
		of_16[bbf_partition(key(j), 16)]++;
	for (int i = 0; i < 16; i++)
		CHECK(of_16[i] > 9600 && of_16[i] < 10400);

	/* hashes of one block spread over all partitions, too */
	memset(of_16, 0, sizeof(of_16));
	for (uint64_t j = 0; j < 160000; j++)
		of_16[bbf_partition(j, 16)]++;
	for (int i = 0; i < 16; i++)
		CHECK(of_16[i] > 9600 && of_16[i] < 10400);
}

const Test hash_tests[] = {
	TEST(test_hashes_are_frozen),
	TEST(test_partitions),
	END_OF_TESTS
};
