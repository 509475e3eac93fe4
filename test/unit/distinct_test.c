/*
 * distinct_test.c
 *	  distinct.h: the hashes that are left, against a sorted array.
 */
#include "check.h"

#include "core/distinct.h"

#include "buffer.h"
#include "key.h"
#include "suites.h"

static int
compare_hashes(const void *a, const void *b)
{
	uint64_t	left = *(const uint64_t *) a;
	uint64_t	right = *(const uint64_t *) b;

	return (left > right) - (left < right);
}

/* Sorts; keeps each hash once; returns how many are left. */
static size_t
sort_unique(uint64_t *hashes, size_t n)
{
	size_t		kept = 0;

	qsort(hashes, n, sizeof(uint64_t), compare_hashes);
	for (size_t i = 0; i < n; i++)
	{
		if (kept == 0 || hashes[i] != hashes[kept - 1])
			hashes[kept++] = hashes[i];
	}
	return kept;
}

#define SOME_RANDOM		UINT64_C(0x5851F42D4C957F2E)

static size_t pauses;

static void
count_pause(void)
{
	pauses++;
}

/* bbf_distinct with scratch memory of exactly the size it needs, not cleared. */
static size_t
distinct(uint64_t *hashes, size_t n, uint64_t random)
{
	size_t		nbytes = bbf_distinct_slots(n) * sizeof(uint64_t);
	uint64_t   *slots = allocate(nbytes);
	size_t		kept;

	memset(slots, 0x5A, nbytes);
	kept = bbf_distinct(hashes, n, slots, random, count_pause);
	free(slots);
	return kept;
}

static void
check_distinct(const uint64_t *hashes, size_t n, uint64_t random)
{
	uint64_t   *sorted = allocate(n * sizeof(uint64_t));
	uint64_t   *kept = allocate(n * sizeof(uint64_t));
	size_t		nsorted;
	size_t		nkept;

	memcpy(sorted, hashes, n * sizeof(uint64_t));
	memcpy(kept, hashes, n * sizeof(uint64_t));
	nsorted = sort_unique(sorted, n);
	nkept = distinct(kept, n, random);
	CHECK(nkept == nsorted);
	if (nkept <= BBF_DISTINCT_ORDERED)
		CHECK(memcmp(kept, sorted, nkept * sizeof(uint64_t)) == 0);

	/* a second call removes nothing more */
	CHECK(distinct(kept, nkept, ~random) == nkept);
	if (nkept > BBF_DISTINCT_ORDERED)
		qsort(kept, nkept, sizeof(uint64_t), compare_hashes);
	CHECK(memcmp(kept, sorted, nkept * sizeof(uint64_t)) == 0);
	free(sorted);
	free(kept);
}

/* Which makes one run of hashes that are neighbours, in quadratic time. */
#define WORST_RANDOM	UINT64_MAX

/*
 * Exact whatever the hashes are, uniform or adversarial, around the sizes where
 * the algorithm changes.  With the worst random number the largest table takes half
 * a minute.
 */
static void
test_distinct_is_exact(void)
{
	static const char *const shapes[] = {
		"random", "random, many twice", "each twice", "all equal", "all zero",
		"ascending high bits", "one part", "one part down to the last bits",
		"the last eight bits", "descending from the largest", "random and zero"
	};
	static const size_t sizes[] = {
		0, 1, 2, 6, 7, 96, 97, 128, 129, 700, 2047, 2048, 2049, 6144, 6145, 20000, 49152, 49153,
		150000
	};
	static const uint64_t randoms[] = {SOME_RANDOM, WORST_RANDOM};
	const bool	all = SLOW_CASES;

	for (int shape = 0; shape < LENGTH_OF(shapes); shape++)
	{
		for (int size = 0; size < LENGTH_OF(sizes); size++)
		{
			size_t		n = !all && size == LENGTH_OF(sizes) - 1 ? 60000 : sizes[size];
			uint64_t   *hashes = allocate(n * sizeof(uint64_t));

			for (size_t i = 0; i < n; i++)
			{
				const uint64_t by_shape[] = {
					key(i),
					key(i * i % 101),
					key(i / 2),
					UINT64_C(42) << 40,
					0,
					(uint64_t) i << 32,
					UINT64_C(0x7654000000000000) | key(i) >> 16,
					UINT64_C(0x7654321000000000) | (i % 70000),
					UINT64_C(0x765432100ABCDE00) | (i % 200),
					UINT64_MAX - i,
					i % 5 == 4 ? 0 : key(i)
				};

				hashes[i] = by_shape[shape];
			}
			CASE("%s, %d hashes", shapes[shape], (int) n);
			for (int i = 0; i < LENGTH_OF(randoms); i++)
			{
				if (all || randoms[i] != WORST_RANDOM || n <= 6144 || n > 49152)
					check_distinct(hashes, n, randoms[i]);
			}
			free(hashes);
		}
	}
}

/* The scratch memory is as large as needed, and never more than 512 KB. */
static void
test_distinct_slots(void)
{
	CHECK(bbf_distinct_slots(0) == 16);
	CHECK(bbf_distinct_slots(6) == 16);
	CHECK(bbf_distinct_slots(7) == 32);
	CHECK(bbf_distinct_slots(128) == 512);
	CHECK(bbf_distinct_slots(129) == 512);
	CHECK(bbf_distinct_slots(384) == 512);
	CHECK(bbf_distinct_slots(385) == 1024);
	CHECK(bbf_distinct_slots(49152) == 65536);
	CHECK(bbf_distinct_slots(100000000) == 65536);
}

/* What is left of many hashes comes in the order of its upper bits. */
static void
test_distinct_orders_upper_bits(void)
{
	const size_t n = 200000;
	uint64_t   *hashes = allocate(n * sizeof(uint64_t));
	size_t		kept;
	size_t		descents = 0;

	for (size_t i = 0; i < n; i++)
		hashes[i] = key(i % 150000);
	kept = distinct(hashes, n, SOME_RANDOM);
	CHECK(kept == 150000);
	for (size_t i = 1; i < kept; i++)
		descents += hashes[i] >> 56 < hashes[i - 1] >> 56;
	CHECK(descents == 0);
	free(hashes);
}

/* pause is called at least once for every 49152 hashes. */
static void
test_distinct_pauses(void)
{
	const size_t n = 1000000;
	uint64_t   *hashes = allocate(n * sizeof(uint64_t));

	for (size_t i = 0; i < n; i++)
		hashes[i] = key(i);
	pauses = 0;
	CHECK(distinct(hashes, n, SOME_RANDOM) == n);
	CHECK(pauses >= n / 49152);
	free(hashes);
}

/* The longest run of slots without a free one. */
static size_t
longest_run(const uint64_t *slots, size_t nslots)
{
	size_t		longest = 0;
	size_t		run = 0;

	for (size_t slot = 0; slot < nslots; slot++)
	{
		run = slots[slot] != 0 ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

/*
 * No choice of keys makes it slow: averaged over the random numbers, they
 * spread over the table as random keys do.
 */
static void
test_distinct_spreads_any_keys(void)
{
	static const char *const shapes[] = {
		"one upper half", "one lower half", "steps of 2^20"
	};
	const size_t n = 1100;
	const size_t times = 200;
	uint64_t   *hashes = allocate(n * sizeof(uint64_t));
	uint64_t   *slots = allocate(2048 * sizeof(uint64_t));

	CHECK(bbf_distinct_slots(n) == 2048);
	for (int shape = 0; shape < LENGTH_OF(shapes); shape++)
	{
		size_t		runs = 0;

		for (size_t random = 0; random < times; random++)
		{
			for (size_t i = 0; i < n; i++)
			{
				const uint64_t by_shape[] = {
					UINT64_C(0x1234567800000000) | (uint32_t) i,
					(uint64_t) i << 48 | 7,
					(uint64_t) (i + 1) << 20
				};

				hashes[i] = by_shape[shape];
			}
			CASE("%s", shapes[shape]);
			CHECK(bbf_distinct(hashes, n, slots, key(random), count_pause) == n);
			runs += longest_run(slots, 2048);
		}
		CHECK(runs / times < 30);
	}
	free(hashes);
	free(slots);
}

const Test distinct_tests[] = {
	TEST(test_distinct_is_exact),
	TEST(test_distinct_slots),
	TEST(test_distinct_orders_upper_bits),
	TEST(test_distinct_pauses),
	TEST(test_distinct_spreads_any_keys),
	END_OF_TESTS
};
