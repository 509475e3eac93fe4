/*
 * murmur_test.c
 *	  murmur.h: the hashes of other systems are theirs, of every length.
 */
#include "check.h"

#include "core/bytes.h"
#include "interchange/murmur.h"

#include "buffer.h"
#include "suites.h"

/* "hello" is of the tests of Guava, the rest was computed by Guava. */
static void
test_murmur3_128(void)
{
	unsigned char bytes[64];
	unsigned char hashes[(sizeof(bytes) + 1) * 16];
	uint64_t	hash[4];

	bbf_murmur3_128("hello", 5, NULL, hash);
	CHECK(hash[0] == UINT64_C(0xCBD8A7B341BD9B02));
	CHECK(hash[1] == UINT64_C(0x5B1E906A48AE1D19));
	bbf_murmur3_128("\1\0\0\0\0\0\0\0", 8, NULL, hash);
	CHECK(hash[0] == UINT64_C(0x004403B7FB05C44A));
	CHECK(hash[1] == UINT64_C(0x3D8ACDB4D36D9C06));

	/* the hash of the hashes of the first 0 .. 64 of these bytes */
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char) (i * 37 + 200);
	for (size_t length = 0; length <= sizeof(bytes); length++)
	{
		unsigned char *copy = copy_of(bytes, length);

		bbf_murmur3_128(copy, length, NULL, hash);
		bbf_put64(hashes + length * 16, hash[0]);
		bbf_put64(hashes + length * 16 + 8, hash[1]);
		free(copy);
	}
	bbf_murmur3_128(hashes, sizeof(hashes), NULL, hash);
	CHECK(hash[0] == UINT64_C(0xA64844A96903FE53));
	CHECK(hash[1] == UINT64_C(0x0CA1C211885BE989));
}

/* Both hashes at once are those of the bytes and of the bytes with a 1 behind. */
static void
test_murmur3_128_twice(void)
{
	for (size_t length = 0; length <= 64; length++)
	{
		unsigned char *bytes = allocate(length);
		unsigned char *longer = allocate(length + 1);
		uint64_t	both[4];
		uint64_t	hash[2];

		for (size_t i = 0; i < length; i++)
			bytes[i] = longer[i] = (unsigned char) (i * 37 + 200);
		longer[length] = 1;
		CASE("length %d", (int) length);
		bbf_murmur3_128_twice(bytes, length, NULL, both);
		bbf_murmur3_128(bytes, length, NULL, hash);
		CHECK(memcmp(both, hash, sizeof(hash)) == 0);
		bbf_murmur3_128(longer, length + 1, NULL, hash);
		CHECK(memcmp(both + 2, hash, sizeof(hash)) == 0);
		free(bytes);
		free(longer);
	}
}

/*
 * Of integers published by Spark's tests, of whole words equal to Guava's
 * murmur3_32_fixed, else computed from the definition by a program of its own.
 */
static void
test_murmur3_bytes(void)
{
	static const struct
	{
		const char *bytes;
		size_t		length;
		uint32_t	seed;
		uint32_t	hash;
	}			golden[] = {
		{"\0\0\0\0\0\0\0\0", 8, 0, UINT32_C(1669671676)},
		{"\xD6\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8, 0, (uint32_t) -846261623},
		{"\x2A\0\0\0\0\0\0\0", 8, 0, UINT32_C(1871679806)},
		{"\0\0\0\0\0\0\0\x80", 8, 0, UINT32_C(1366273829)},
		{"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", 8, 0, (uint32_t) -2106506049},
		{"", 0, 42, UINT32_C(0x087FCD5C)},
		{"abcdefgh", 8, 42, UINT32_C(0xD0089D49)},
		{"abcdefghijkl", 12, 42, UINT32_C(0xB4384448)},
		{"a", 1, 0, UINT32_C(0x2B038801)},
		{"ab\xFF", 3, 42, UINT32_C(0x4C0B23CB)},
		{"abcdefgh\x80\x7F\xC3", 11, 0, UINT32_C(0x170F5B28)},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		CASE("number %d", i);
		CHECK(bbf_murmur3_bytes(golden[i].bytes, golden[i].length,
								golden[i].seed, NULL) == golden[i].hash);
	}
}

/* Computed by RedisBloom's own functions. */
static void
test_murmur2(void)
{
	static const struct
	{
		const char *bytes;
		uint64_t	hash64;
		uint32_t	hash32;
	}			golden[] = {
		{"", UINT64_C(0x1AB11EA5A7B2C56E), UINT32_C(0x106E08D9)},
		{"a", UINT64_C(0x4292CEE227B9150A), UINT32_C(0xA2D0B27C)},
		{"hello", UINT64_C(0x5BA5B8A59803E699), UINT32_C(0x7F1DDBBD)},
		{"abcdefgh", UINT64_C(0xD435DF7A565A8AF1), UINT32_C(0xC70D55DD)},
		{"abcdefghi\xFF", UINT64_C(0x1B69059B127598B3), UINT32_C(0x85E9BEEF)},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		const char *bytes = golden[i].bytes;

		CASE("\"%s\"", bytes);
		CHECK(bbf_murmur2_64(bytes, strlen(bytes), UINT64_C(0xC6A4A7935BD1E995), NULL) ==
			  golden[i].hash64);
		CHECK(bbf_murmur2_32(bytes, strlen(bytes), UINT32_C(0x9747B28C), NULL) ==
			  golden[i].hash32);
	}
}

/* Published by LevelDB's hash_test.cc: bytes are unsigned. */
static void
test_leveldb_hash(void)
{
	static const struct
	{
		const char *bytes;
		size_t		length;
		uint32_t	seed;
		uint32_t	hash;
	}			golden[] = {
		{"", 0, UINT32_C(0xBC9F1D34), UINT32_C(0xBC9F1D34)},
		{"\x62", 1, UINT32_C(0xBC9F1D34), UINT32_C(0xEF1345C4)},
		{"\xC3\x97", 2, UINT32_C(0xBC9F1D34), UINT32_C(0x5B663814)},
		{"\xE2\x99\xA5", 3, UINT32_C(0xBC9F1D34), UINT32_C(0x323C078F)},
		{"\xE1\x80\xB9\x32", 4, UINT32_C(0xBC9F1D34), UINT32_C(0xED21633A)},
		{
			"\x01\xC0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x14\0\0\0\0\0\x04\0"
			"\0\0\0\x14\0\0\0\x18\x28\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0",
			48, UINT32_C(0x12345678), UINT32_C(0xF333DABB)
		},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		CASE("number %d", i);
		CHECK(bbf_leveldb_hash(golden[i].bytes, golden[i].length,
							   golden[i].seed, NULL) == golden[i].hash);
	}
}

static unsigned pauses;

static void
count_pause(void)
{
	pauses++;
}

/* A long input is hashed in pieces; the hashes were computed from it in one. */
static void
test_long_input(void)
{
	const size_t length = ((size_t) 3 << 20) + 13;
	unsigned char *bytes = allocate(length);
	uint64_t	hash[4];

	for (size_t i = 0; i < length; i++)
		bytes[i] = (unsigned char) (i * 37 + (i >> 12));
	pauses = 0;
	bbf_murmur3_128_twice(bytes, length, count_pause, hash);
	CHECK(hash[0] == UINT64_C(0x1FB05072CCC5E549));
	CHECK(hash[1] == UINT64_C(0x32C7CD0C6E573985));
	CHECK(hash[2] == UINT64_C(0xE2C079D888E4C62B));
	CHECK(hash[3] == UINT64_C(0x2728D9C9ED2D7122));
	CHECK(pauses == 3);
	bbf_murmur3_128(bytes, length, count_pause, hash + 2);
	CHECK(hash[2] == hash[0] && hash[3] == hash[1]);
	CHECK(pauses == 6);
	CHECK(bbf_murmur3_bytes(bytes, length, 42, count_pause) == UINT32_C(0x1FE33BC1));
	CHECK(pauses == 9);
	CHECK(bbf_murmur2_64(bytes, length, 42, count_pause) == UINT64_C(0x5C0A42C7342C6A76));
	CHECK(pauses == 12);
	CHECK(bbf_murmur2_32(bytes, length, 42, count_pause) == UINT32_C(0xFA60C005));
	CHECK(pauses == 15);
	CHECK(bbf_leveldb_hash(bytes, length, 42, count_pause) == UINT32_C(0x2BD1591F));
	CHECK(pauses == 18);
	CHECK(bbf_leveldb_hash(bytes, length, 42, NULL) == UINT32_C(0x2BD1591F));
	free(bytes);
}

const Test murmur_tests[] = {
	TEST(test_murmur3_128),
	TEST(test_murmur3_128_twice),
	TEST(test_murmur3_bytes),
	TEST(test_murmur2),
	TEST(test_leveldb_hash),
	TEST(test_long_input),
	END_OF_TESTS
};
