/*
 * key_set_test.h
 *	  key_set.h: an exact set, against a sorted array.
 */
#ifndef KEY_SET_TEST_H
#define KEY_SET_TEST_H

#include "core/key_set.h"

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

/* The home slot of a hash with this number: its upper half decides. */
#define BY_UPPER_HALF	0
#define SOME_RANDOM		UINT64_C(0x5851F42D4C957F2E)

static BbfKeySet
new_key_set(uint32_t nslots, uint64_t random)
{
	BbfKeySet	set;
	uint64_t   *slots = allocate(nslots * sizeof(uint64_t));

	/* the set clears what it is given */
	memset(slots, 0x5A, nslots * sizeof(uint64_t));
	bbf_key_set_init(&set, slots, nslots, random);
	return set;
}

/* Copy a set into a larger one, in chunks, as its owner does. */
static void
move(BbfKeySet *larger, const BbfKeySet *smaller)
{
	uint64_t	hashes[37];
	uint64_t	position = 0;
	size_t		n;

	while ((n = bbf_key_set_read(smaller, &position, hashes, LENGTH_OF(hashes))) > 0)
		CHECK(bbf_key_set_add(larger, hashes, n) == n);
}

/* Add all hashes, moving to a table of one and a half the size when full. */
static void
add_all(BbfKeySet *set, const uint64_t *hashes, size_t n)
{
	size_t		done = bbf_key_set_add(set, hashes, n);

	while (done < n)
	{
		BbfKeySet	larger = new_key_set(set->nslots + set->nslots / 2,
										 set->multiplier);

		move(&larger, set);
		CHECK(larger.nkeys == set->nkeys);
		free(set->slots);
		*set = larger;
		done += bbf_key_set_add(set, hashes + done, n - done);
	}
}

/* Does reading in such chunks give each of these hashes exactly once? */
static bool
reads_as(const BbfKeySet *set, const uint64_t *sorted, size_t n, size_t chunk)
{
	uint64_t   *all = allocate((n + chunk) * sizeof(uint64_t));
	uint64_t	position = 0;
	size_t		nread = 0;
	size_t		got;
	bool		same;

	while (nread <= n)
	{
		/* a buffer of its own, so that a write beyond it is seen */
		uint64_t   *hashes = allocate(chunk * sizeof(uint64_t));

		got = bbf_key_set_read(set, &position, hashes, chunk);
		CHECK(got <= chunk);
		memcpy(all + nread, hashes, got * sizeof(uint64_t));
		free(hashes);
		if (got == 0)
			break;
		nread += got;
	}
	same = nread == n;
	if (same)
	{
		qsort(all, nread, sizeof(uint64_t), compare_hashes);
		same = n == 0 || memcmp(all, sorted, n * sizeof(uint64_t)) == 0;
	}

	/* the end stays the end */
	CHECK(bbf_key_set_read(set, &position, all, chunk) == 0);
	free(all);
	return same;
}

/* The set of these hashes is the sorted array of them. */
static void
check_exact(const uint64_t *hashes, size_t n)
{
	static const uint32_t sizes[] = {4, 7, 64, 1000};
	static const size_t chunks[] = {1, 3, 7, 64, 100000};
	static const uint64_t randoms[] = {BY_UPPER_HALF, SOME_RANDOM, UINT64_MAX};
	uint64_t   *sorted = allocate(n * sizeof(uint64_t));
	size_t		nunique;

	memcpy(sorted, hashes, n * sizeof(uint64_t));
	nunique = sort_unique(sorted, n);
	for (int i = 0; i < LENGTH_OF(sizes) * LENGTH_OF(randoms); i++)
	{
		BbfKeySet	set = new_key_set(sizes[i / LENGTH_OF(randoms)],
									  randoms[i % LENGTH_OF(randoms)]);

		add_all(&set, hashes, n);
		CHECK(set.nkeys == nunique);
		CHECK(set.nkeys < set.nslots);
		for (int j = 0; j < LENGTH_OF(chunks); j++)
			CHECK(reads_as(&set, sorted, nunique, chunks[j]));

		/* again: all are there already */
		add_all(&set, hashes, n);
		CHECK(set.nkeys == nunique);
		CHECK(reads_as(&set, sorted, nunique, 13));
		free(set.slots);
	}
	free(sorted);
}

/* Exact whatever the hashes look like, uniform or made to hurt. */
static void
test_key_set_is_exact(void)
{
	static const char *const shapes[] = {
		"random", "random, many twice", "all equal", "all zero",
		"ascending high bits", "one home slot", "the last slots, around the end",
		"descending from the largest", "random and zero"
	};
	const size_t n = 700;
	uint64_t   *hashes = allocate(n * sizeof(uint64_t));

	for (int shape = 0; shape < LENGTH_OF(shapes); shape++)
	{
		for (size_t i = 0; i < n; i++)
		{
			const uint64_t by_shape[] = {
				key(i),
				key(i * i % 101),
				UINT64_C(42) << 40,
				0,
				(uint64_t) i << 32,
				UINT64_C(0x7654321000000000) | i,
				UINT64_C(0xFFFFFFFF00000000) | key(i) >> 56,
				UINT64_MAX - i,
				i % 5 == 4 ? 0 : key(i)
			};

			hashes[i] = by_shape[shape];
		}
		CASE("%s", shapes[shape]);
		check_exact(hashes, n);
	}
	free(hashes);
}

/* An empty set reads as nothing. */
static void
test_empty_key_set(void)
{
	BbfKeySet	set = new_key_set(64, SOME_RANDOM);

	CHECK(set.nkeys == 0);
	CHECK(bbf_key_set_add(&set, NULL, 0) == 0);
	CHECK(reads_as(&set, NULL, 0, 5));
	free(set.slots);
}

/* The hash 0, which marks a free slot, is a key like any other. */
static void
test_key_set_with_zero(void)
{
	static const uint64_t hashes[] = {5, 0, 7, 0};
	static const uint64_t sorted[] = {0, 5, 7};
	BbfKeySet	set = new_key_set(16, SOME_RANDOM);
	BbfKeySet	larger = new_key_set(32, BY_UPPER_HALF);

	CHECK(bbf_key_set_add(&set, hashes, 1) == 1);
	CHECK(set.nkeys == 1);
	CHECK(bbf_key_set_add(&set, hashes, 4) == 4);
	CHECK(set.nkeys == 3);
	CHECK(reads_as(&set, sorted, 3, 1));
	CHECK(reads_as(&set, sorted, 3, 2));
	move(&larger, &set);
	CHECK(larger.nkeys == 3);
	CHECK(reads_as(&larger, sorted, 3, 3));
	free(set.slots);
	free(larger.slots);
}

/*
 * A table takes three quarters of its slots, then says how far it got; with
 * the rest in a larger table nothing is lost.
 */
static void
test_full_key_set_stops_short(void)
{
	static const uint32_t sizes[] = {4, 8, 100, 103, 1024};

	for (int i = 0; i < LENGTH_OF(sizes); i++)
	{
		uint32_t	limit = sizes[i] / 4 * 3;
		size_t		n = sizes[i];
		uint64_t   *hashes = allocate(n * sizeof(uint64_t));
		BbfKeySet	set = new_key_set(sizes[i], SOME_RANDOM);
		BbfKeySet	larger = new_key_set(2 * sizes[i], BY_UPPER_HALF);
		size_t		done;

		CASE("%u slots", (unsigned) sizes[i]);
		CHECK(bbf_key_set_room(sizes[i]) == limit);
		for (size_t j = 0; j < n; j++)
			hashes[j] = key(j);
		done = bbf_key_set_add(&set, hashes, n);
		CHECK(done == limit);
		CHECK(set.nkeys == limit);
		CHECK(bbf_key_set_add(&set, hashes + done, n - done) == 0);
		CHECK(set.nkeys == limit);

		move(&larger, &set);
		CHECK(larger.nkeys == limit);
		CHECK(bbf_key_set_add(&larger, hashes + done, n - done) == n - done);
		CHECK(larger.nkeys == n);
		(void) sort_unique(hashes, n);
		CHECK(reads_as(&larger, hashes, n, 11));
		free(hashes);
		free(set.slots);
		free(larger.slots);
	}
}

/* Exactly as many as fit are dealt with in full: no table is asked for yet. */
static void
test_key_set_filled_to_the_limit(void)
{
	uint64_t	hashes[13];
	BbfKeySet	set = new_key_set(16, SOME_RANDOM);

	for (uint64_t i = 0; i < 13; i++)
		hashes[i] = key(i);
	CHECK(bbf_key_set_add(&set, hashes, 12) == 12);
	CHECK(bbf_key_set_add(&set, hashes + 12, 1) == 0);
	free(set.slots);
}

/*
 * Any number will do to spread the keys: it is made odd, or hashes that differ
 * in their upper bits alone would share a slot.
 */
static void
test_key_set_multiplier_is_odd(void)
{
	static const uint64_t randoms[] = {0, 1, 2, UINT64_C(1) << 63, UINT64_MAX};

	for (int i = 0; i < LENGTH_OF(randoms); i++)
	{
		BbfKeySet	set = new_key_set(4, randoms[i]);

		CHECK(set.multiplier == (randoms[i] | 1));
		free(set.slots);
	}
}

/* The longest run of slots without a free one. */
static uint32_t
longest_run(const BbfKeySet *set)
{
	uint32_t	longest = 0;
	uint32_t	run = 0;

	for (uint32_t slot = 0; slot < set->nslots; slot++)
	{
		run = set->slots[slot] != 0 ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

/*
 * No order of keys, and no choice of keys, makes a set slow: they spread over
 * the table as random ones do.
 */
static void
test_key_set_spreads_any_keys(void)
{
	static const char *const shapes[] = {
		"the lowest of many", "one upper half", "one lower half", "steps of 2^20"
	};
	const uint32_t nslots = 1 << 16;
	const size_t n = 30000;
	uint64_t   *hashes = allocate(n * sizeof(uint64_t));

	for (int shape = 0; shape < LENGTH_OF(shapes); shape++)
	{
		for (uint64_t random = 0; random < 20; random++)
		{
			BbfKeySet	set;

			for (size_t i = 0; i < n; i++)
			{
				const uint64_t by_shape[] = {
					key(i) >> 8 | 1,
					UINT64_C(0x1234567800000000) | (uint32_t) i,
					(uint64_t) i << 32 | 7,
					(uint64_t) (i + 1) << 20
				};

				hashes[i] = by_shape[shape];
			}
			CASE("%s, random number %d", shapes[shape], (int) random);
			set = new_key_set(nslots, key(random));
			CHECK(bbf_key_set_add(&set, hashes, n) == n);
			CHECK(longest_run(&set) < 300);
			free(set.slots);
		}
	}
	free(hashes);
}

static void
run_key_set_tests(void)
{
	RUN(test_key_set_is_exact);
	RUN(test_empty_key_set);
	RUN(test_key_set_with_zero);
	RUN(test_full_key_set_stops_short);
	RUN(test_key_set_filled_to_the_limit);
	RUN(test_key_set_multiplier_is_odd);
	RUN(test_key_set_spreads_any_keys);
}

#endif							/* KEY_SET_TEST_H */
