/*
 * blocked_test.c
 *	  blocked.h: the bits of a filter, against a naive implementation.
 */
#include "check.h"

#include "core/blocked.h"
#include "core/layer.h"

#include "blocks.h"
#include "buffer.h"
#include "key.h"
#include "suites.h"

static void
naive_add(bool *set, uint32_t nblocks, int k, uint64_t hash)
{
	size_t		bits[BBF_MAX_PROBES];

	naive_probes(nblocks, k, hash, bits);
	for (int probe = 0; probe < k; probe++)
		set[bits[probe]] = true;
}

static bool
naive_test(const bool *set, uint32_t nblocks, int k, uint64_t hash)
{
	size_t		bits[BBF_MAX_PROBES];
	bool		present = true;

	naive_probes(nblocks, k, hash, bits);
	for (int probe = 0; probe < k; probe++)
		present = present && set[bits[probe]];
	return present;
}

/* Bit p is bit p % 8 of byte p / 8: all 64 of a word, not half of them, as by 1 << (i % 64). */
static bool
same_bits(const unsigned char *blocks, const bool *set, uint32_t nblocks)
{
	for (size_t p = 0; p < (size_t) nblocks * 512; p++)
	{
		if ((blocks[p / 8] / (1 << p % 8) % 2 == 1) != set[p])
			return false;
	}
	return true;
}

static uint64_t
naive_count(const unsigned char *blocks, uint32_t nblocks)
{
	uint64_t	count = 0;

	for (size_t i = 0; i < (size_t) nblocks * 64; i++)
	{
		for (int byte = blocks[i]; byte > 0; byte /= 2)
			count += byte % 2;
	}
	return count;
}

/* Frozen: the hash 1 with six probes sets these six bits. */
static void
test_worked_example(void)
{
	static const int bits[] = {316, 446, 192, 434, 92, 151};
	unsigned char *blocks = new_blocks(1);
	unsigned char expected[64] = {0};

	for (int i = 0; i < LENGTH_OF(bits); i++)
		expected[bits[i] / 8] |= (unsigned char) (1 << bits[i] % 8);
	CHECK(bbf_blocks_add(blocks, 1, 6, 1) == 6);
	CHECK(memcmp(blocks, expected, sizeof(expected)) == 0);

	/* the first of them is bit 4 of byte 39 */
	CHECK(blocks[39] == 0x10);
	free(blocks);
}

/* What was added is found, at every size and number of probes. */
static void
test_added_keys_are_found(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];
		uint64_t	n = nblocks < 100 ? 10 * nblocks : 1000;

		for (int k = 1; k <= 24; k++)
		{
			unsigned char *blocks = new_blocks(nblocks);

			CASE("%u blocks, %d probes", (unsigned) nblocks, k);
			for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
				bbf_blocks_add(blocks, nblocks, k, extreme_hashes[j]);
			for (uint64_t j = 0; j < n; j++)
				bbf_blocks_add(blocks, nblocks, k, key(j));

			for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
				CHECK(bbf_blocks_contain(blocks, nblocks, k, extreme_hashes[j]));
			for (uint64_t j = 0; j < n; j++)
				CHECK(bbf_blocks_contain(blocks, nblocks, k, key(j)));
			free(blocks);
		}
	}
}

/* Same bits, same counts and same answers as the naive implementation. */
static void
test_bits_are_as_defined(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];

		for (int k = 1; k <= 24; k++)
		{
			unsigned char *blocks = new_blocks(nblocks);
			bool	   *set = allocate((size_t) nblocks * 512 * sizeof(bool));

			CASE("%u blocks, %d probes", (unsigned) nblocks, k);
			for (uint64_t j = 0; j < 200; j++)
			{
				bbf_blocks_add(blocks, nblocks, k, key(j));
				naive_add(set, nblocks, k, key(j));
			}
			for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
			{
				bbf_blocks_add(blocks, nblocks, k, extreme_hashes[j]);
				naive_add(set, nblocks, k, extreme_hashes[j]);
			}
			CHECK(same_bits(blocks, set, nblocks));
			for (uint64_t j = ABSENT_KEYS; j < ABSENT_KEYS + 1000; j++)
				CHECK(bbf_blocks_contain(blocks, nblocks, k, key(j)) ==
					  naive_test(set, nblocks, k, key(j)));
			free(blocks);
			free(set);
		}
	}
}

/* Each single probe counts: with one bit missing the key is absent. */
static void
test_every_probe_is_needed(void)
{
	size_t		bits[BBF_MAX_PROBES];

	for (int k = 1; k <= 24; k++)
	{
		naive_probes(3, k, key(7), bits);
		for (int missing = 0; missing < k; missing++)
		{
			unsigned char *blocks = new_blocks(3);

			CASE("%d probes, without number %d", k, missing);
			memset(blocks, 0xFF, 3 * 64);
			CHECK(bbf_blocks_contain(blocks, 3, k, key(7)));
			blocks[bits[missing] / 8] &=
				(unsigned char) ~(1 << bits[missing] % 8);
			CHECK(!bbf_blocks_contain(blocks, 3, k, key(7)));
			CHECK(bbf_blocks_add(blocks, 3, k, key(7)) == 1);
			free(blocks);
		}
	}
}

/*
 * Block i begins at the hash ceil(i * 2^32 / nblocks) * 2^32 and not before:
 * so the index ascends with the hash, from 0 to nblocks - 1.
 */
static void
test_block_index_is_monotone_and_in_bounds(void)
{
	static const uint32_t counts[] = {
		1, 2, 3, 64, 127, 127 << 5, 65 << 10, 127 << 16, BBF_MAX_BLOCKS
	};

	for (int i = 0; i < LENGTH_OF(counts); i++)
	{
		uint32_t	nblocks = counts[i];
		uint32_t	step = nblocks / 4096 + 1;

		CASE("%u blocks", (unsigned) nblocks);
		CHECK(bbf_block_index(0, nblocks) == 0);
		CHECK(bbf_block_index(UINT32_MAX, nblocks) == 0);
		CHECK(bbf_block_index(UINT64_MAX, nblocks) == nblocks - 1);
		for (uint32_t block = 1; block < nblocks; block += step)
		{
			uint64_t	first = ((((uint64_t) block << 32) + nblocks - 1) /
								 nblocks) << 32;

			CHECK(bbf_block_index(first, nblocks) == block);
			CHECK(bbf_block_index(first - 1, nblocks) == block - 1);
		}
	}
}

/* Block i of n * f blocks OR-ed into block i / f of n: a direct build of n. */
static void
test_folding_is_exact(void)
{
	static const uint32_t smaller[] = {1, 3, 64, 127};
	static const uint32_t factors[] = {2, 3, 5, 64};

	for (int i = 0; i < LENGTH_OF(smaller) * LENGTH_OF(factors); i++)
	{
		uint32_t	n = smaller[i / LENGTH_OF(factors)];
		uint32_t	f = factors[i % LENGTH_OF(factors)];
		unsigned char *large = new_blocks(n * f);
		unsigned char *folded = new_blocks(n);
		unsigned char *direct = new_blocks(n);

		CASE("%u blocks folded to %u", (unsigned) (n * f), (unsigned) n);
		for (uint64_t j = 0; j < 20 * n; j++)
		{
			bbf_blocks_add(large, n * f, 7, key(j));
			bbf_blocks_add(direct, n, 7, key(j));
		}
		for (uint32_t block = 0; block < n * f; block++)
			bbf_blocks_or(folded + (size_t) (block / f) * BBF_BLOCK_BYTES,
						  large + (size_t) block * BBF_BLOCK_BYTES, 1);
		CHECK(memcmp(folded, direct, (size_t) n * BBF_BLOCK_BYTES) == 0);
		memset(folded, 0, (size_t) n * BBF_BLOCK_BYTES);
		bbf_blocks_merge(folded, n, large, n * f);
		CHECK(memcmp(folded, direct, (size_t) n * BBF_BLOCK_BYTES) == 0);
		free(large);
		free(folded);
		free(direct);
	}
}

/* Many at once are the same as one by one, also around the prefetch distance. */
static void
test_add_many_is_add_in_sequence(void)
{
	static const size_t lengths[] = {0, 1, 2, 15, 16, 17, 18, 33, 1000};

	for (int i = 0; i < LENGTH_OF(lengths); i++)
	{
		size_t		n = lengths[i];
		uint64_t   *hashes = allocate(n * sizeof(uint64_t));
		unsigned char *one_by_one = new_blocks(65);
		unsigned char *at_once = new_blocks(65);
		uint64_t	count = 0;

		CASE("%d hashes", (int) n);
		for (size_t j = 0; j < n; j++)
		{
			/* some of them twice */
			hashes[j] = key(j % 700);
			count += bbf_blocks_add(one_by_one, 65, 7, hashes[j]);
		}
		bbf_blocks_add_many(at_once, 65, 7, hashes, n);
		CHECK(memcmp(one_by_one, at_once, 65 * 64) == 0);
		CHECK(bbf_blocks_count_set(at_once, 65) == count);
		bbf_blocks_add_many(at_once, 65, 7, hashes, n);
		CHECK(memcmp(one_by_one, at_once, 65 * 64) == 0);
		free(hashes);
		free(one_by_one);
		free(at_once);
	}
}

/* A search for many hashes finds the same one as testing them in turn. */
static void
test_find_is_test_in_sequence(void)
{
	unsigned char *blocks = new_blocks(65);
	uint64_t	hashes[100];

	for (int i = 0; i < LENGTH_OF(hashes); i++)
	{
		hashes[i] = key(i);
		bbf_blocks_add(blocks, 65, 7, hashes[i]);
	}
	for (int n = 0; n <= LENGTH_OF(hashes); n++)
	{
		CASE("%d hashes", n);
		CHECK(bbf_blocks_find(blocks, 65, 7, hashes, n, false) == (size_t) n);
		CHECK(bbf_blocks_find(blocks, 65, 7, hashes, n, true) == 0);
	}
	for (int at = 0; at < LENGTH_OF(hashes); at++)
	{
		uint64_t	absent = key(ABSENT_KEYS + at);

		CASE("absent key at %d", at);
		if (bbf_blocks_contain(blocks, 65, 7, absent))
			continue;
		hashes[at] = absent;
		CHECK(bbf_blocks_find(blocks, 65, 7, hashes, LENGTH_OF(hashes), false) == (size_t) at);
		CHECK(bbf_blocks_find(blocks, 65, 7, hashes + at, 1, true) == 1);
		hashes[at] = key(at);
	}
	free(blocks);
}

/*
 * Bits of one side that the other lacks: all that the union has beyond the other
 * side; or, of more than were asked for, some number above that.
 */
static void
check_missing(const unsigned char *left, const unsigned char *right,
			  uint32_t nblocks, uint64_t nunion)
{
	uint64_t	missing = nunion - naive_count(left, nblocks);

	CHECK(bbf_blocks_count_missing(left, right, nblocks, UINT64_MAX) == missing);
	CHECK(bbf_blocks_count_missing(left, right, nblocks, missing) == missing);
	CHECK(bbf_blocks_count_missing(left, left, nblocks, 0) == 0);
	if (missing > 0)
	{
		CHECK(bbf_blocks_count_missing(left, right, nblocks, missing - 1) == missing);
		CHECK(bbf_blocks_count_missing(left, right, nblocks, 0) > 0);
		CHECK(bbf_blocks_count_missing(left, right, nblocks, missing / 2) > missing / 2);
		CHECK(bbf_blocks_count_missing(left, right, nblocks, missing / 2) <= missing);
	}
}

/* The union of two filters has the keys of both; its source stays as it is. */
static void
test_or_is_union(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];
		size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
		unsigned char *left = new_blocks(nblocks);
		unsigned char *right = new_blocks(nblocks);
		unsigned char *both = new_blocks(nblocks);
		unsigned char *right_before;

		CASE("%u blocks", (unsigned) nblocks);
		for (uint64_t j = 0; j < 20 * nblocks; j++)
		{
			bbf_blocks_add(j % 3 == 0 ? left : right, nblocks, 7, key(j));
			bbf_blocks_add(both, nblocks, 7, key(j));
		}
		right_before = copy_of(right, nbytes);
		check_missing(left, right, nblocks, naive_count(both, nblocks));
		bbf_blocks_or(left, right, nblocks);
		CHECK(bbf_blocks_count_set(left, nblocks) == naive_count(both, nblocks));
		CHECK(memcmp(left, both, nbytes) == 0);
		CHECK(memcmp(right, right_before, nbytes) == 0);
		free(left);
		free(right);
		free(both);
		free(right_before);
	}
}

/*
 * The intersection has the bits that both filters have, so every key that is
 * in both is found.
 */
static void
test_and_is_intersection(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];
		size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
		unsigned char *left = new_blocks(nblocks);
		unsigned char *right = new_blocks(nblocks);
		unsigned char *both;

		CASE("%u blocks", (unsigned) nblocks);
		for (uint64_t j = 0; j < 20 * nblocks; j++)
		{
			if (j % 3 != 0)
				bbf_blocks_add(left, nblocks, 7, key(j));
			if (j % 3 != 1)
				bbf_blocks_add(right, nblocks, 7, key(j));
		}
		both = copy_of(left, nbytes);
		bbf_blocks_and(both, right, nblocks);
		for (size_t j = 0; j < nbytes; j++)
			CHECK(both[j] == (left[j] & right[j]));
		for (uint64_t j = 2; j < 20 * nblocks; j += 3)
			CHECK(bbf_blocks_contain(both, nblocks, 7, key(j)));
		free(left);
		free(right);
		free(both);
	}
}

/* The count of bits is that of a loop over them, at any address, also of a word's upper half. */
static void
test_count_is_exact(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];
		size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;
		unsigned char *memory = allocate(nbytes + 3);
		unsigned char *blocks = memory + 3;

		CASE("%u blocks", (unsigned) nblocks);
		CHECK(bbf_blocks_count_set(blocks, nblocks) == 0);
		for (size_t j = 0; j < nbytes; j++)
			blocks[j] = (unsigned char) key(j);
		CHECK(bbf_blocks_count_set(blocks, nblocks) == naive_count(blocks, nblocks));
		memset(blocks, 0xFF, nbytes);
		CHECK(bbf_blocks_count_set(blocks, nblocks) == nblocks * UINT64_C(512));
		free(memory);
	}
}

/* Every single bit counts as one. */
static void
test_every_bit_counts(void)
{
	unsigned char *blocks = new_blocks(1);
	unsigned char *other = new_blocks(1);

	for (int bit = 0; bit < 512; bit++)
	{
		CASE("bit %d", bit);
		blocks[bit / 8] = (unsigned char) (1 << bit % 8);
		CHECK(bbf_blocks_count_set(blocks, 1) == 1);
		blocks[bit / 8] = 0;
	}
	for (int nbits = 1; nbits <= 512; nbits++)
	{
		CASE("%d bits", nbits);
		blocks[(nbits - 1) / 8] |= (unsigned char) (1 << (nbits - 1) % 8);
		CHECK(bbf_blocks_count_set(blocks, 1) == (uint64_t) nbits);
		bbf_blocks_or(other, blocks, 1);
		CHECK(bbf_blocks_count_set(other, 1) == (uint64_t) nbits);
	}
	free(blocks);
	free(other);
}

/*
 * The largest filter, 512 MB: the last key lands in its last block, and with
 * every bit set the count is 2^32, which fits neither int nor unsigned.  (Indexes
 * of 32 bits: every key is found from 350 million on, RedisBloom 8, 9; Spark 47547;
 * Guava 1119.)
 */
static void
test_the_largest_filter(void)
{
	const uint32_t nblocks = BBF_MAX_BLOCKS;
	const size_t nbytes = (size_t) 512 * 1024 * 1024;
	const uint64_t last = UINT64_MAX;
	unsigned char *blocks;

	if (!ALL_CASES)
		return;
	blocks = new_blocks(nblocks);

	CHECK((size_t) nblocks * BBF_BLOCK_BYTES == nbytes);
	CHECK(!bbf_blocks_contain(blocks, nblocks, 7, last));
	bbf_blocks_add_many(blocks, nblocks, 7, &last, 1);
	CHECK(bbf_blocks_count_set(blocks + nbytes - BBF_BLOCK_BYTES, 1) == 7);
	CHECK(bbf_blocks_contain(blocks, nblocks, 7, last));

	memset(blocks, 0xFF, nbytes);
	CHECK(bbf_blocks_count_set(blocks, nblocks) == UINT64_C(4294967296));
	bbf_blocks_or(blocks, blocks, nblocks);
	CHECK(bbf_blocks_count_set(blocks, nblocks) == UINT64_C(4294967296));
	free(blocks);
}

/* Blocks merge into blocks of any other number: keys of both are found. */
static void
test_merge_keeps_keys(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		for (int j = 0; j < LENGTH_OF(block_counts); j++)
		{
			uint32_t	ndst = block_counts[i];
			uint32_t	nsrc = block_counts[j];
			size_t		nkeys = 5 * ((size_t) ndst + nsrc);
			unsigned char *dst;
			unsigned char *src;
			unsigned char *in_ranges;
			size_t		lost = 0;

			if ((uint64_t) ndst * nsrc > 10000000)
				continue;
			CASE("%u blocks into %u", (unsigned) nsrc, (unsigned) ndst);
			dst = new_blocks(ndst);
			src = new_blocks(nsrc);
			for (size_t k = 0; k < nkeys; k++)
				bbf_blocks_add(k % 2 ? dst : src, k % 2 ? ndst : nsrc, k % 2 ? 7 : 9, key(k));

			/* those at the ends of all ranges, too */
			bbf_blocks_add(src, nsrc, 9, 0);
			bbf_blocks_add(src, nsrc, 9, UINT64_MAX);
			for (uint32_t k = 1; k < ndst && k < 1000; k++)
			{
				bbf_blocks_add(src, nsrc, 9, first_of_block(k, ndst));
				bbf_blocks_add(src, nsrc, 9, first_of_block(k, ndst) - 1);
			}

			in_ranges = copy_of(dst, (size_t) ndst * BBF_BLOCK_BYTES);
			for (uint32_t first = 0; first < ndst; first += ndst / 3 + 1)
				bbf_blocks_merge_range(in_ranges, ndst, first,
									   first + ndst / 3 < ndst ? first + ndst / 3 + 1 : ndst,
									   src, nsrc);
			bbf_blocks_merge(dst, ndst, src, nsrc);
			CHECK(memcmp(in_ranges, dst, (size_t) ndst * BBF_BLOCK_BYTES) == 0);
			free(in_ranges);
			for (size_t k = 0; k < nkeys; k++)
				lost += !bbf_blocks_contain(dst, ndst, 7, key(k));
			lost += !bbf_blocks_contain(dst, ndst, 7, 0);
			lost += !bbf_blocks_contain(dst, ndst, 7, UINT64_MAX);
			for (uint32_t k = 1; k < ndst && k < 1000; k++)
			{
				lost += !bbf_blocks_contain(dst, ndst, 7, first_of_block(k, ndst));
				lost += !bbf_blocks_contain(dst, ndst, 7, first_of_block(k, ndst) - 1);
			}
			CHECK(lost == 0);
			free(dst);
			free(src);
		}
	}
}

/* A block goes only into the blocks that its range of hashes meets. */
static void
test_merge_is_no_wider_than_needed(void)
{
	unsigned char *dst = new_blocks(64);
	unsigned char *src = new_blocks(16);
	uint64_t	nset;

	/* block 3 of 16 is blocks 12 .. 15 of 64 */
	nset = bbf_blocks_add(src, 16, 7, UINT64_C(3) << 60 | 12345);
	bbf_blocks_merge(dst, 64, src, 16);
	CHECK(bbf_blocks_count_set(dst, 64) == 4 * nset);
	CHECK(bbf_blocks_count_set(dst + (size_t) 12 * BBF_BLOCK_BYTES, 4) == 4 * nset);

	/* and back: into the one they came from */
	memset(src, 0, 16 * BBF_BLOCK_BYTES);
	bbf_blocks_merge(src, 16, dst, 64);
	CHECK(bbf_blocks_count_set(src, 16) == nset);
	CHECK(bbf_blocks_count_set(src + (size_t) 3 * BBF_BLOCK_BYTES, 1) == nset);
	free(dst);
	free(src);
}

/* The list of bits is that of the probes. */
static void
test_list_of_bits(void)
{
	for (int i = 0; i < LENGTH_OF(extreme_hashes); i++)
	{
		uint16_t	bits[BBF_MAX_PROBES];
		size_t		naive[BBF_MAX_PROBES];

		bbf_block_bits(extreme_hashes[i], BBF_MAX_PROBES, bits);
		naive_probes(1, BBF_MAX_PROBES, extreme_hashes[i], naive);
		for (int probe = 0; probe < BBF_MAX_PROBES; probe++)
			CHECK(bits[probe] == naive[probe]);
	}
}

const Test blocked_tests[] = {
	TEST(test_worked_example),
	TEST(test_added_keys_are_found),
	TEST(test_bits_are_as_defined),
	TEST(test_list_of_bits),
	TEST(test_every_probe_is_needed),
	TEST(test_block_index_is_monotone_and_in_bounds),
	TEST(test_folding_is_exact),
	TEST(test_add_many_is_add_in_sequence),
	TEST(test_find_is_test_in_sequence),
	TEST(test_or_is_union),
	TEST(test_and_is_intersection),
	TEST(test_merge_keeps_keys),
	TEST(test_merge_is_no_wider_than_needed),
	TEST(test_count_is_exact),
	TEST(test_every_bit_counts),
	TEST(test_the_largest_filter),
	END_OF_TESTS
};
