/*
 * counting_test.c
 *	  counting.h: the counters of a filter, against a naive implementation.
 */
#include "check.h"

#include "core/blocked.h"
#include "core/counting.h"

#include "blocks.h"
#include "buffer.h"
#include "key.h"
#include "suites.h"

static unsigned char *
new_counters(uint32_t nblocks)
{
	return allocate((size_t) nblocks * BBF_COUNTERS_BYTES);
}

static int *
new_naive_counters(uint32_t nblocks)
{
	return allocate((size_t) nblocks * 512 * sizeof(int));
}

/*
 * The definition in the header, one int a counter: add 1 or -1 to each of the
 * k counters once, except to those that are 15.  Returns how many go from or
 * to zero.
 */
static unsigned
naive_change(int *counters, uint32_t nblocks, int k, uint64_t hash, int by)
{
	size_t		bits[BBF_MAX_PROBES];
	unsigned	n = 0;

	naive_probes(nblocks, k, hash, bits);
	for (int probe = 0; probe < k; probe++)
	{
		bool		met = false;

		for (int before = 0; before < probe; before++)
			met = met || bits[before] == bits[probe];
		if (met)
			continue;
		if (counters[bits[probe]] == 15)
			continue;
		n += counters[bits[probe]] == 0;
		counters[bits[probe]] += by;
		n += counters[bits[probe]] == 0;
	}
	return n;
}

static int
naive_least(const int *counters, uint32_t nblocks, int k, uint64_t hash)
{
	size_t		bits[BBF_MAX_PROBES];
	int			least = 15;

	naive_probes(nblocks, k, hash, bits);
	for (int probe = 0; probe < k; probe++)
	{
		if (counters[bits[probe]] < least)
			least = counters[bits[probe]];
	}
	return least;
}

/* Counter p is the lower half of byte p / 2 for even p, else the upper. */
static int
naive_counter(const unsigned char *blocks, size_t p)
{
	return p % 2 == 0 ? blocks[p / 2] % 16 : blocks[p / 2] / 16;
}

static bool
same_counters(const unsigned char *blocks, const int *counters,
			  uint32_t nblocks)
{
	for (size_t p = 0; p < (size_t) nblocks * 512; p++)
	{
		if (naive_counter(blocks, p) != counters[p])
			return false;
	}
	return true;
}

static uint64_t
naive_above_zero(const unsigned char *blocks, uint32_t nblocks)
{
	uint64_t	n = 0;

	for (size_t p = 0; p < (size_t) nblocks * 512; p++)
		n += naive_counter(blocks, p) > 0;
	return n;
}

/* The smallest counter of a hash, in the block that the core finds for it. */
static int
least_of(const unsigned char *blocks, uint32_t nblocks, int k, uint64_t hash)
{
	return bbf_counters_count(blocks + bbf_counters_offset(hash, nblocks), k, hash);
}

/* Frozen: the hash 1 with six probes increments these six counters. */
static void
test_worked_example_of_counters(void)
{
	static const struct
	{
		int			byte;
		int			one;
	}			places[] = {
		/* counters 316, 446, 192, 434, 92, 151 */
		{158, 0x01}, {223, 0x01}, {96, 0x01}, {217, 0x01}, {46, 0x01}, {75, 0x10},
	};
	unsigned char *blocks = new_counters(1);
	unsigned char expected[256] = {0};

	CHECK(BBF_COUNTERS_BYTES == sizeof(expected));
	for (int i = 0; i < LENGTH_OF(places); i++)
		expected[places[i].byte] = (unsigned char) (3 * places[i].one);
	CHECK(bbf_counters_add(blocks, 1, 6, 1) == 6);
	CHECK(bbf_counters_add(blocks, 1, 6, 1) == 0);
	CHECK(bbf_counters_add(blocks, 1, 6, 1) == 0);
	CHECK(memcmp(blocks, expected, sizeof(expected)) == 0);
	CHECK(bbf_counters_count(blocks, 6, 1) == 3);
	free(blocks);
}

/*
 * A random sequence of additions and removals gives the same counters, the
 * same results and the same answers as the naive implementation; it never
 * removes what is absent.
 */
static void
test_counters_are_as_defined(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];

		for (int k = 1; k <= 24; k++)
		{
			unsigned char *blocks = new_counters(nblocks);
			int		   *counters = new_naive_counters(nblocks);
			uint64_t	nset = 0;

			CASE("%u blocks, %d probes", (unsigned) nblocks, k);
			for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
				CHECK(bbf_counters_add(blocks, nblocks, k, extreme_hashes[j]) ==
					  naive_change(counters, nblocks, k, extreme_hashes[j], 1));
			nset = bbf_counters_count_set(blocks, nblocks);
			for (uint64_t step = 0; step < 400; step++)
			{
				uint64_t	random = key(step);
				uint64_t	hash = key(ABSENT_KEYS + random % 50);

				if (random >> 63 == 0)
				{
					unsigned	n = bbf_counters_add(blocks, nblocks, k, hash);

					CHECK(n == naive_change(counters, nblocks, k, hash, 1));
					nset += n;
				}
				else if (naive_least(counters, nblocks, k, hash) > 0)
				{
					unsigned	n = bbf_counters_remove(blocks, nblocks, k, hash);

					CHECK(n == naive_change(counters, nblocks, k, hash, -1));
					nset -= n;
				}
				CHECK(least_of(blocks, nblocks, k, hash) ==
					  naive_least(counters, nblocks, k, hash));
			}
			CHECK(same_counters(blocks, counters, nblocks));
			CHECK(nset == bbf_counters_count_set(blocks, nblocks));
			for (uint64_t j = 0; j < 100; j++)
				CHECK(least_of(blocks, nblocks, k, key(j)) ==
					  naive_least(counters, nblocks, k, key(j)));
			free(blocks);
			free(counters);
		}
	}
}

/*
 * Probes of one key that meet in a counter count once, when it is added and
 * when it is removed.
 */
static void
test_probes_that_meet_count_once(void)
{
	int			nmet = 0;

	for (uint64_t i = 0; i < 2000; i++)
	{
		unsigned char *blocks = new_counters(1);
		size_t		bits[BBF_MAX_PROBES];
		unsigned	ndistinct = 0;
		int			sum = 0;

		CASE("key %d", (int) i);
		naive_probes(1, 24, key(i), bits);
		for (int probe = 0; probe < 24; probe++)
		{
			bool		met = false;

			for (int before = 0; before < probe; before++)
				met = met || bits[before] == bits[probe];
			ndistinct += !met;
		}
		nmet += ndistinct < 24;

		CHECK(bbf_counters_add(blocks, 1, 24, key(i)) == ndistinct);
		for (size_t p = 0; p < 512; p++)
			sum += naive_counter(blocks, p);
		CHECK(sum == (int) ndistinct);
		CHECK(bbf_counters_count(blocks, 24, key(i)) == 1);
		CHECK(bbf_counters_remove(blocks, 1, 24, key(i)) == ndistinct);
		CHECK(naive_above_zero(blocks, 1) == 0);
		free(blocks);
	}

	/* that is not rare: of 24 probes into 512 some meet in 42 % of all keys */
	CHECK(nmet > 700 && nmet < 1000);
}

/* A counter that has reached 15 stays there, whatever is added or removed. */
static void
test_counters_at_their_maximum_stay(void)
{
	for (int k = 1; k <= 24; k++)
	{
		for (int copies = 1; copies <= 20; copies++)
		{
			unsigned char *blocks = new_counters(2);
			int			most = copies < 15 ? copies : 15;

			CASE("%d probes, %d copies", k, copies);
			for (int i = 0; i < copies; i++)
			{
				unsigned	n = bbf_counters_add(blocks, 2, k, key(3));

				CHECK(i == 0 ? n > 0 : n == 0);
			}
			CHECK(least_of(blocks, 2, k, key(3)) == most);
			for (int i = 1; i <= copies; i++)
			{
				unsigned	n = bbf_counters_remove(blocks, 2, k, key(3));

				CHECK((n > 0) == (most < 15 && i == copies));
				CHECK(least_of(blocks, 2, k, key(3)) == (most < 15 ? most - i : 15));
			}
			CHECK((naive_above_zero(blocks, 2) == 0) == (most < 15));
			free(blocks);
		}
	}
}

/*
 * No key is lost by removing others, also where counters have reached 15; and
 * without such counters nothing is left when all keys are gone.
 */
static void
test_removing_keys_keeps_the_others(void)
{
	static const uint64_t sizes[] = {20, 50, 1000};

	for (int i = 0; i < LENGTH_OF(sizes); i++)
	{
		uint64_t	n = sizes[i];
		unsigned char *blocks = new_counters(2);
		bool		at_maximum = false;

		CASE("%d keys", (int) n);
		for (uint64_t j = 0; j < n; j++)
			bbf_counters_add(blocks, 2, 7, key(j));
		for (size_t p = 0; p < 2 * 512; p++)
			at_maximum = at_maximum || naive_counter(blocks, p) == 15;
		CHECK(at_maximum == (n == 1000));

		for (uint64_t j = 0; j < n; j++)
		{
			bbf_counters_remove(blocks, 2, 7, key(j));
			for (uint64_t left = j + 1; left < n; left += 1 + n / 100)
				CHECK(least_of(blocks, 2, 7, key(left)) > 0);
		}
		CHECK((naive_above_zero(blocks, 2) == 0) == !at_maximum);
		free(blocks);
	}
}

/* The least of a key's counters, whatever the block holds. */
static void
test_least_is_the_minimum(void)
{
	unsigned char *block = new_counters(1);
	int		   *counters = new_naive_counters(1);

	for (uint64_t round = 0; round < 40; round++)
	{
		for (size_t p = 0; p < 512; p++)
		{
			/* few zeros: most keys would have a counter of zero otherwise */
			counters[p] = (int) (key(round * 512 + p) % 64);
			counters[p] = counters[p] > 15 ? 15 - counters[p] % 7 : counters[p];
		}
		for (size_t p = 0; p < 512; p += 2)
			block[p / 2] = (unsigned char) (counters[p] + 16 * counters[p + 1]);
		for (int k = 1; k <= 24; k++)
		{
			CASE("round %d, %d probes", (int) round, k);
			for (uint64_t i = 0; i < 50; i++)
				CHECK(bbf_counters_count(block, k, key(i)) ==
					  naive_least(counters, 1, k, key(i)));
			for (int i = 0; i < LENGTH_OF(extreme_hashes); i++)
				CHECK(bbf_counters_count(block, k, extreme_hashes[i]) ==
					  naive_least(counters, 1, k, extreme_hashes[i]));
		}
	}
	free(block);
	free(counters);
}

/* Many at once are the same as one by one, also around the prefetch distance. */
static void
test_counters_add_many_is_add_in_sequence(void)
{
	static const size_t lengths[] = {0, 1, 2, 15, 16, 17, 18, 33, 3000};

	for (int i = 0; i < LENGTH_OF(lengths); i++)
	{
		size_t		n = lengths[i];
		uint64_t   *hashes = allocate(n * sizeof(uint64_t));
		unsigned char *one_by_one = new_counters(65);
		unsigned char *at_once = new_counters(65);
		uint64_t	nset = 0;

		CASE("%d hashes", (int) n);
		for (size_t j = 0; j < n; j++)
		{
			/* some of them often */
			hashes[j] = key(j % 7 == 0 ? j % 49 : j);
			nset += bbf_counters_add(one_by_one, 65, 7, hashes[j]);
		}
		bbf_counters_add_many(at_once, 65, 7, hashes, n);
		CHECK(memcmp(one_by_one, at_once, 65 * 256) == 0);
		CHECK(bbf_counters_count_set(at_once, 65) == nset);
		free(hashes);
		free(one_by_one);
		free(at_once);
	}
}

/*
 * Uniting two filters is adding the keys of both, up to the maximum of each
 * counter; the source stays as it is.
 */
static void
test_uniting_counters_is_adding_both(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];
		size_t		nbytes = (size_t) nblocks * BBF_COUNTERS_BYTES;

		/* few keys, and so many that sums pass 15 */
		for (uint64_t n = 20; n <= 1280; n *= 8)
		{
			unsigned char *left = new_counters(nblocks);
			unsigned char *right = new_counters(nblocks);
			unsigned char *both = new_counters(nblocks);
			unsigned char *right_before;

			CASE("%u blocks, %d keys each", (unsigned) nblocks, (int) n);
			for (uint64_t j = 0; j < n * nblocks && j < 50000; j++)
			{
				uint64_t	hash = key(j % 5 == 0 ? j % 100 : j);

				bbf_counters_add(j % 3 == 0 ? left : right, nblocks, 7, hash);
				bbf_counters_add(both, nblocks, 7, hash);
			}
			right_before = copy_of(right, nbytes);
			bbf_counters_unite(left, right, nblocks);
			CHECK(memcmp(left, both, nbytes) == 0);
			CHECK(memcmp(right, right_before, nbytes) == 0);
			free(left);
			free(right);
			free(both);
			free(right_before);
		}
	}
}

/* Every sum of two counters, in either half of a byte, without a carry. */
static void
test_every_sum_of_counters(void)
{
	for (int i = 0; i < 256; i++)
	{
		for (int j = 0; j < 256; j++)
		{
			unsigned char left[256];
			unsigned char right[256];
			int			low = i % 16 + j % 16;
			int			high = i / 16 + j / 16;
			int			sum = (low > 15 ? 15 : low) + 16 * (high > 15 ? 15 : high);
			bool		same = true;

			CASE("%02x and %02x", (unsigned) i, (unsigned) j);
			memset(left, i, sizeof(left));
			memset(right, j, sizeof(right));
			bbf_counters_unite(left, right, 1);
			for (int k = 0; k < 256; k++)
				same = same && left[k] == sum && right[k] == j;
			CHECK(same);
		}
	}
}

/* The count of counters is that of a loop over them, whatever they are. */
static void
test_count_of_counters_is_exact(void)
{
	unsigned char *block = new_counters(1);

	for (size_t p = 0; p < 512; p++)
	{
		for (int value = 1; value <= 15; value++)
		{
			CASE("counter %d is %d", (int) p, value);
			block[p / 2] = (unsigned char) (value << p % 2 * 4);
			CHECK(bbf_counters_count_set(block, 1) == 1);
		}
		block[p / 2] = 0;
	}
	for (size_t p = 0; p < 512; p++)
	{
		CASE("%d counters", (int) p + 1);
		block[p / 2] |= (unsigned char) ((1 + p % 15) << p % 2 * 4);
		CHECK(bbf_counters_count_set(block, 1) == p + 1);
	}
	free(block);

	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];
		size_t		nbytes = (size_t) nblocks * BBF_COUNTERS_BYTES;
		unsigned char *blocks = new_counters(nblocks);

		CASE("%u blocks", (unsigned) nblocks);
		CHECK(bbf_counters_count_set(blocks, nblocks) == 0);
		for (size_t j = 0; j < nbytes; j++)
			blocks[j] = (unsigned char) (key(j) & key(j + nbytes));
		CHECK(bbf_counters_count_set(blocks, nblocks) == naive_above_zero(blocks, nblocks));
		memset(blocks, 0xFF, nbytes);
		CHECK(bbf_counters_count_set(blocks, nblocks) == nblocks * UINT64_C(512));
		memset(blocks, 0x80, nbytes);
		CHECK(bbf_counters_count_set(blocks, nblocks) == nblocks * UINT64_C(256));
		free(blocks);
	}
}

/* Each counter above zero becomes the bit of its number, and no other does. */
static void
test_to_bits_takes_counters_above_zero(void)
{
	unsigned char *counters = new_counters(3);

	for (size_t p = 0; p < 3 * 512; p++)
	{
		for (int value = 1; value <= 15; value++)
		{
			unsigned char *bits = new_blocks(3);

			CASE("counter %d is %d", (int) p, value);
			counters[p / 2] = (unsigned char) (value << p % 2 * 4);
			bbf_counters_to_bits(bits, counters, 3);
			CHECK(bits[p / 8] == 1 << p % 8);
			CHECK(bbf_blocks_count_set(bits, 3) == 1);
			free(bits);
		}
		counters[p / 2] = 0;
	}
	free(counters);
}

/*
 * The bits are those of a Bloom filter of the keys that are left, as long as no
 * counter has reached 15.
 */
static void
test_to_bits_is_a_filter_of_the_keys_left(void)
{
	for (int i = 0; i < LENGTH_OF(block_counts); i++)
	{
		uint32_t	nblocks = block_counts[i];

		for (int k = 1; k <= 24; k++)
		{
			unsigned char *counters = new_counters(nblocks);
			unsigned char *direct = new_blocks(nblocks);
			unsigned char *bits = new_blocks(nblocks);
			uint64_t	n = 15 * nblocks < 1000 ? 15 * nblocks : 1000;

			CASE("%u blocks, %d probes", (unsigned) nblocks, k);
			for (uint64_t j = 0; j < n; j++)
				bbf_counters_add(counters, nblocks, k, key(j));
			for (uint64_t j = 0; j < n; j++)
			{
				if (j % 3 == 0)
					bbf_counters_remove(counters, nblocks, k, key(j));
				else
					bbf_blocks_add(direct, nblocks, k, key(j));
			}
			bbf_counters_to_bits(bits, counters, nblocks);
			CHECK(memcmp(bits, direct, (size_t) nblocks * BBF_BLOCK_BYTES) == 0);
			CHECK(bbf_counters_count_set(counters, nblocks) ==
				  bbf_blocks_count_set(bits, nblocks));
			for (uint64_t j = 0; j < 200; j++)
				CHECK((least_of(counters, nblocks, k, key(j)) > 0) ==
					  bbf_blocks_contain(bits, nblocks, k, key(j)));
			free(counters);
			free(direct);
			free(bits);
		}
	}
}

/* Counters need no alignment: at any address all is the same. */
static void
test_counters_at_odd_addresses(void)
{
	const uint32_t nblocks = 5;
	const size_t nbytes = 5 * BBF_COUNTERS_BYTES;
	const size_t nbits = 5 * BBF_BLOCK_BYTES;
	unsigned char *aligned = new_counters(nblocks);
	unsigned char *aligned_bits = new_blocks(nblocks);
	uint64_t	hashes[100];

	for (int i = 0; i < LENGTH_OF(hashes); i++)
		hashes[i] = key((uint64_t) i);
	bbf_counters_add_many(aligned, nblocks, 9, hashes, LENGTH_OF(hashes));
	bbf_counters_unite(aligned, aligned, nblocks);
	bbf_counters_remove(aligned, nblocks, 9, hashes[0]);
	bbf_counters_to_bits(aligned_bits, aligned, nblocks);

	for (size_t shift = 1; shift < 8; shift++)
	{
		unsigned char *memory = allocate(nbytes + shift);
		unsigned char *other = allocate(nbytes + shift);
		unsigned char *memory_of_bits = allocate(nbits + shift);

		CASE("%d bytes from alignment", (int) shift);
		bbf_counters_add_many(memory + shift, nblocks, 9, hashes, LENGTH_OF(hashes));
		memcpy(other + shift, memory + shift, nbytes);
		bbf_counters_unite(memory + shift, other + shift, nblocks);
		bbf_counters_remove(memory + shift, nblocks, 9, hashes[0]);
		bbf_counters_to_bits(memory_of_bits + shift, memory + shift, nblocks);
		CHECK(memcmp(memory + shift, aligned, nbytes) == 0);
		CHECK(memcmp(memory_of_bits + shift, aligned_bits, nbits) == 0);
		CHECK(bbf_counters_count_set(memory + shift, nblocks) ==
			  bbf_counters_count_set(aligned, nblocks));
		CHECK(least_of(memory + shift, nblocks, 9, hashes[1]) ==
			  least_of(aligned, nblocks, 9, hashes[1]));
		free(memory);
		free(other);
		free(memory_of_bits);
	}
	free(aligned);
	free(aligned_bits);
}

/* The largest filter, 512 MB: the last key lands in its last block. */
static void
test_the_largest_counters(void)
{
	const uint32_t nblocks = BBF_MAX_COUNTER_BLOCKS;
	const size_t nbytes = (size_t) 512 * 1024 * 1024;
	const uint64_t last = UINT64_MAX;
	unsigned char *blocks = new_counters(nblocks);

	CHECK((size_t) nblocks * BBF_COUNTERS_BYTES == nbytes);
	bbf_counters_add_many(blocks, nblocks, 7, &last, 1);
	CHECK(naive_above_zero(blocks + nbytes - BBF_COUNTERS_BYTES, 1) == 7);
	CHECK(least_of(blocks, nblocks, 7, last) == 1);
	CHECK(bbf_counters_add(blocks, nblocks, 7, 0) == 1);
	CHECK(naive_above_zero(blocks, 1) == 1);

	memset(blocks, 0x11, nbytes);
	CHECK(bbf_counters_count_set(blocks, nblocks) == UINT64_C(1) << 30);
	CHECK(bbf_counters_remove(blocks, nblocks, 7, last) == 7);
	free(blocks);
}

const Test counting_tests[] = {
	TEST(test_worked_example_of_counters),
	TEST(test_counters_are_as_defined),
	TEST(test_probes_that_meet_count_once),
	TEST(test_counters_at_their_maximum_stay),
	TEST(test_removing_keys_keeps_the_others),
	TEST(test_least_is_the_minimum),
	TEST(test_counters_add_many_is_add_in_sequence),
	TEST(test_uniting_counters_is_adding_both),
	TEST(test_every_sum_of_counters),
	TEST(test_count_of_counters_is_exact),
	TEST(test_to_bits_takes_counters_above_zero),
	TEST(test_to_bits_is_a_filter_of_the_keys_left),
	TEST(test_counters_at_odd_addresses),
	TEST(test_the_largest_counters),
	END_OF_TESTS
};
