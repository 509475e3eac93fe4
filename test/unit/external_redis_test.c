/*
 * external_redis_test.c
 *	  external_redis.c: what RedisBloom's own functions write and answer.
 */
#include "check.h"

#include "core/bytes.h"

#include "buffer.h"
#include "external_sample.h"
#include "suites.h"

/* BF.RESERVE 0.01 100 */
#define HEAD_OF_100(keys) \
	keys "01000000 05000000 02000000 9000000000000000 8004000000000000" keys \
	"7b14ae47e17a743f e9862fb2350e2640 08000000 6400000000000000 00"

/* Of one link of 8 bytes with 8 probes, made for so many keys. */
#define ONE_LINK(options, keys, capacity) \
	keys "01000000" options "02000000 0800000000000000 4000000000000000" keys \
	"7b14ae47e17a743f e9862fb2350e2640 08000000" capacity "00 0000000000000000"

static void
test_bytes_of_redisbloom(void)
{
	const BbfExternalFormat *format = external_format("redis");
	static const int bits[] = {
		1034, 539, 172, 829, 462, 1119, 752, 257,
		469, 218, 991, 740, 489, 110, 1011, 760
	};
	ExternalSample sample = new_external(format, 100, 0.01);
	ExternalSample counted = new_external(format, 100, 0.01);
	unsigned char *expected;
	size_t		header_bytes;

	add_hex_key(&sample, "61");
	add_hex_key(&sample, "62");
	expected = from_hex(HEAD_OF_100("0200000000000000"), &header_bytes);
	CHECK(header_bytes == 73 && sample.meta.length == 73 + 144);
	CHECK(memcmp(sample.bytes, expected, 73) == 0);
	free(expected);
	expected = allocate(144);
	for (int i = 0; i < LENGTH_OF(bits); i++)
		expected[bits[i] / 8] |= (unsigned char) (1 << bits[i] % 8);
	CHECK(memcmp(sample.bytes + 73, expected, 144) == 0);
	free(expected);

	/* as an aggregate makes it */
	memcpy(counted.bytes + 73, sample.bytes + 73, 144);
	CHECK(format->set_keys(&counted.meta, counted.bytes, 2) == NULL);
	CHECK(memcmp(counted.bytes, sample.bytes, sample.meta.length) == 0);
	CHECK(format->set_keys(&counted.meta, counted.bytes, 101) != NULL);

	/* a key that is found does not count */
	add_hex_key(&sample, "61");
	CHECK(memcmp(counted.bytes, sample.bytes, sample.meta.length) == 0);
	free(counted.bytes);
	free(sample.bytes);
}

/*
 * The keys "a", "b", "c" in a filter of older versions: two links, 32-bit hashes,
 * and a modulus smaller than the number of bits.
 */
static void
test_older_filters(void)
{
	ExternalSample sample = from_hex_bytes(external_format("redis"),
										   "0300000000000000 02000000 00000000 02000000"
										   "0800000000000000 4000000000000000 0200000000000000"
										   "7b14ae47e17a743f e9862fb2350e2640"
										   "08000000 0200000000000000 05"
										   "0800000000000000 4000000000000000 0100000000000000"
										   "7b14ae47e17a643f 4af7d49edef02840"
										   "09000000 0500000000000000 06"
										   "3559139100000000 8104020824104000");
	static const char *const keys[] = {"61", "62", "63"};
	BbfExternalInfo info;
	int			nfound = 0;

	CHECK(sample.meta.seed != 0);
	for (int i = 0; i < LENGTH_OF(keys); i++)
		CHECK(contains_hex_key(&sample, keys[i]));
	bbf_external_info(sample.format, &sample.meta, sample.bytes, count_external_pause, &info);
	CHECK(info.keys == 3 && info.nbits == 32 + 64 && info.nprobes == 9);

	/* the last link takes further keys, up to the five for which it was made */
	for (int i = 0; i < 256; i++)
	{
		char		hex[32];

		snprintf(hex, sizeof(hex), "%02X%02X", (unsigned) i, (unsigned) i);
		nfound += contains_hex_key(&sample, hex);
	}
	CHECK(nfound < 20);
	add_hex_key(&sample, "64");
	CHECK(contains_hex_key(&sample, "64"));
	CHECK(bbf_get64(sample.bytes) == 4);
	CHECK(bbf_get64(sample.bytes + 20 + 16) == 2);
	CHECK(bbf_get64(sample.bytes + 20 + 53 + 16) == 2);
	free(sample.bytes);
}

/*
 * Filters that RedisBloom 1.1.0 and 2.0.3 made for 4 keys at a rate of 0.1, of the keys
 * "key 0" to "key 11", and that 2.2.18 and 2.4.0 dump so when they have loaded them: the
 * records have no number of bits, but their modulus.  The first has hashes of 32 bits, the
 * second of 64.  Of "key 12" to "key 1011" those versions find 107 and 116.
 */
static void
test_filters_of_old_versions(void)
{
	static const struct
	{
		const char *bytes;
		double		nkeys;
		int			nfound;
		uint64_t	nset;
	}			golden[] = {
		{"0c00000000000000 02000000 00000000 02000000"
			"0400000000000000 0000000000000000 0600000000000000"
			"9a9999999999b93f 88168ac58c2b1340 04000000 0600000000000000 05"
			"1000000000000000 0000000000000000 0600000000000000"
			"9a9999999999993f 0bd81f7830b61e40 06000000 1000000000000000 07"
			"cdc2dc27 0840050c09010540831602600500a984", 12, 107, 17 + 29},
		{"0a00000000000000 02000000 04000000 02000000"
			"0400000000000000 0000000000000000 0600000000000000"
			"9a9999999999b93f 88168ac58c2b1340 04000000 0600000000000000 05"
			"1000000000000000 0000000000000000 0400000000000000"
			"9a9999999999993f 0bd81f7830b61e40 06000000 1000000000000000 07"
			"e8bf9728 2032100200682402808000812a00800c", 10, 116, 18 + 22},
	};
	BbfExternalInfo info;

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		ExternalSample sample = from_hex_bytes(external_format("redis"), golden[i].bytes);
		int			nfound = 0;

		for (int n = 0; n < 1012; n++)
		{
			char		key[16];
			uint64_t	hash[BBF_EXTERNAL_MAX_HASH];
			size_t		length = (size_t) snprintf(key, sizeof(key), "key %d", n);
			bool		found;

			bbf_external_hash(sample.format, sample.meta.seed, key, length, hash);
			found = bbf_external_contains(sample.format, &sample.meta, sample.bytes, hash);
			CASE("number %d, %s", i, key);
			CHECK(found || n >= 12);
			nfound += found && n >= 12;
		}
		bbf_external_info(sample.format, &sample.meta, sample.bytes, count_external_pause,
						  &info);
		CASE("number %d: %d others, %d bits set", i, nfound, (int) info.nset);
		CHECK(nfound == golden[i].nfound);
		CHECK(info.keys == golden[i].nkeys && info.nbits == 32 + 128 && info.nprobes == 6);
		CHECK(info.nset == golden[i].nset);

		free(sample.bytes);
	}
}

/* Where the modulus is below the number of bits, only those below it count. */
static void
test_info_of_a_modulus(void)
{
	ExternalSample sample = from_hex_bytes(external_format("redis"),
										   "0100000000000000 01000000 04000000 02000000"
										   "0800000000000000 4000000000000000 0100000000000000"
										   "7b14ae47e17a743f e9862fb2350e2640"
										   "08000000 0200000000000000 02 ffffffffffffffff");
	BbfExternalInfo info;

	sample.bytes[73] = 0xF1;
	bbf_external_info(sample.format, &sample.meta, sample.bytes, count_external_pause, &info);
	CHECK(info.nbits == 4 && info.nset == 1);
	free(sample.bytes);
}

/* No key goes into a full filter, unless it is there already. */
static void
test_full_filter(void)
{
	const BbfExternalFormat *format = external_format("redis");
	ExternalSample sample = from_hex_bytes(format, ONE_LINK("05000000", "0000000000000000",
															"0200000000000000"));
	uint64_t	hash[BBF_EXTERNAL_MAX_HASH];
	unsigned char *before;

	add_hex_key(&sample, "61");
	add_hex_key(&sample, "62");
	before = copy_of(sample.bytes, sample.meta.length);
	bbf_external_hash(format, 0, "c", 1, hash);
	CHECK(bbf_external_add(format, &sample.meta, sample.bytes, hash) != NULL);
	add_hex_key(&sample, "61");
	CHECK(memcmp(before, sample.bytes, sample.meta.length) == 0);
	free(before);
	free(sample.bytes);

	/* the number of keys does not wrap around */
	sample = from_hex_bytes(format, ONE_LINK("05000000", "ffffffffffffffff",
											 "ffffffffffffffff"));
	CHECK(bbf_external_add(format, &sample.meta, sample.bytes, hash) != NULL);
	free(sample.bytes);
}

/* m and k of RedisBloom's bloom_init for half the rate; 0.25 is the highest. */
static void
test_sizes(void)
{
	static const ExternalSize golden[] = {
		{1, 0.25, 64, 4},
		{1, 0.01, 64, 8},
		{100, 0.01, 1152, 8},
		{1000, 0.001, 15872, 11},
		{100000, 0.01, 1102784, 8},
		{1000000, 0.0001, 20612864, 15},
		{1, 1e-300, 1472, 998},
		{1000, 0.9, 4352, 4},	/* as 0.25 */
	};
	static BbfExternalMeta meta;
	const BbfExternalFormat *format = external_format("redis");

	check_external_sizes("redis", golden, LENGTH_OF(golden));
	CHECK(bbf_external_size(format, (UINT64_C(1) << 30) + 1, 0.25, &meta) != NULL);
	CHECK(bbf_external_size(format, 1, 5e-324, &meta) != NULL);
}

/* The first link has half the rate that was asked for. */
static void
test_rate(void)
{
	CHECK(rate_at_capacity("redis", 20000, 0.1) < 0.05 * 1.1);
	CHECK(rate_at_capacity("redis", 20000, 0.01) < 0.005 * 1.1);
	CHECK(rate_at_capacity("redis", 20000, 0.001) < 0.0005 * 1.1);
}

/* The iterators of BF.SCANDUMP for a filter of 36.9 MB. */
static void
test_chunks(void)
{
	static const struct
	{
		uint64_t	iterator;
		size_t		length;
	}			golden[] = {
		{1, 73}, {16777217, 16777216}, {33554433, 16777216}, {38649025, 5094592}
	};
	static BbfExternalMeta meta;
	const BbfExternalFormat *format = external_format("redis");
	ExternalSample links;
	BbfExternalSlice chunk;
	uint64_t	iterator;
	size_t		offset = 0;

	CHECK(bbf_external_size(format, 15000000, 0.0001, &meta) == NULL);
	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		CASE("number %d", i);
		CHECK(format->chunk(&meta, (uint64_t) i, &chunk, &iterator));
		CHECK(chunk.offset == offset && chunk.length == golden[i].length);
		CHECK(iterator == golden[i].iterator);
		offset += chunk.length;
	}
	CHECK(offset == meta.length);
	CHECK(!format->chunk(&meta, 4, &chunk, &iterator));

	/* no chunk goes across links */
	links = from_hex_bytes(format, "0000000000000000 02000000 05000000 02000000"
						   "0800000000000000 4000000000000000 0000000000000000"
						   "7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
						   "1000000000000000 8000000000000000 0000000000000000"
						   "7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
						   "0000000000000000 0000000000000000 0000000000000000");
	CHECK(format->chunk(&links.meta, 0, &chunk, &iterator) && iterator == 1);
	CHECK(chunk.offset == 0 && chunk.length == 126);
	CHECK(format->chunk(&links.meta, 1, &chunk, &iterator) && iterator == 9);
	CHECK(chunk.offset == 126 && chunk.length == 8);
	CHECK(format->chunk(&links.meta, 2, &chunk, &iterator) && iterator == 25);
	CHECK(chunk.offset == 134 && chunk.length == 16);
	CHECK(!format->chunk(&links.meta, 3, &chunk, &iterator));
	free(links.bytes);
}

static void
test_no_unions(void)
{
	const BbfExternalFormat *format = external_format("redis");
	ExternalSample sample = new_external(format, 10, 0.01);

	CHECK(bbf_external_union_refusal(format, &sample.meta, &sample.meta) != NULL);
	free(sample.bytes);
}

static void
test_malformed_bytes(void)
{
	static const char *const malformed[] = {
		"",
		"0000000000000000 01000000 05000000 020000",
		"0000000000000000 00000000 05000000 02000000",
		"0000000000000000 01000000 05000000 02000000",
		"0000000000000000 FFFFFFFF 05000000 02000000",
		HEAD_OF_100("0000000000000000"),
		ONE_LINK("15000000", "0000000000000000", "0200000000000000"),
		ONE_LINK("05000000", "0000000000000000", "0200000000000000") "00",
		/* bytes, bits, keys, error, bits per key, probes, modulus */
		"0000000000000000 01000000 05000000 02000000 0000000000000000 0000000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00",
		"0000000000000000 01000000 05000000 02000000 0000000000000020 0000000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4100000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0100000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 000000000000f03f e9862fb2350e2640 08000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 000000000000f87f e9862fb2350e2640 08000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 7b14ae47e17a743f 000000000000f87f 08000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 07000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 7b14ae47e17a743f 000000000000f0c0 00000000 0200000000000000 00"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 07"
		"0000000000000000",
		"0000000000000000 01000000 05000000 02000000 0800000000000000 4000000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 40"
		"0000000000000000",
		/* as 1.1.0 dumps itself, and with the growth, as 2.2.0 does */
		"0c00000000000000 02000000 00000000"
		"0400000000000000 0000000000000000 0600000000000000"
		"9a9999999999b93f 88168ac58c2b1340 04000000 06000000 05"
		"1000000000000000 0000000000000000 0600000000000000"
		"9a9999999999993f 0bd81f7830b61e40 06000000 10000000 07"
		"cdc2dc27 0840050c09010540831602600500a984",
		"0c00000000000000 02000000 00000000 02000000"
		"0400000000000000 0000000000000000 0600000000000000"
		"9a9999999999b93f 88168ac58c2b1340 04000000 06000000 05"
		"1000000000000000 0000000000000000 0600000000000000"
		"9a9999999999993f 0bd81f7830b61e40 06000000 10000000 07"
		"cdc2dc27 0840050c09010540831602600500a984",
		/* no number of bits, and no modulus */
		"0000000000000000 01000000 05000000 02000000 0800000000000000 0000000000000000"
		"0000000000000000 7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
		"0000000000000000",
		/* keys whose sum wraps around to that in the header */
		"0100000000000000 02000000 05000000 02000000"
		"0800000000000000 4000000000000000 ffffffffffffffff"
		"7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
		"0800000000000000 4000000000000000 0200000000000000"
		"7b14ae47e17a743f e9862fb2350e2640 08000000 0200000000000000 00"
		"0000000000000000 0000000000000000",
	};

	for (int i = 0; i < LENGTH_OF(malformed); i++)
	{
		CASE("number %d", i);
		CHECK(refusal_of_hex(external_format("redis"), malformed[i]) != NULL);
	}
	CHECK(refusal_of_hex(external_format("redis"),
						 ONE_LINK("0D000000", "0000000000000000", "0200000000000000")) == NULL);

	/* no bits per key, and so no probes: RedisBloom then finds every key */
	CHECK(refusal_of_hex(external_format("redis"),
						 "0000000000000000 01000000 05000000 02000000"
						 "0800000000000000 4000000000000000 0000000000000000"
						 "7b14ae47e17a743f 0000000000000000 00000000 0200000000000000 00"
						 "0000000000000000") == NULL);
}

const Test external_redis_tests[] = {
	TEST(test_bytes_of_redisbloom),
	TEST(test_older_filters),
	TEST(test_filters_of_old_versions),
	TEST(test_info_of_a_modulus),
	TEST(test_full_filter),
	TEST(test_sizes),
	TEST(test_rate),
	TEST(test_chunks),
	TEST(test_no_unions),
	TEST(test_malformed_bytes),
	END_OF_TESTS
};
