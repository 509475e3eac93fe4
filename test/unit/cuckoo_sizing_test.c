/*
 * cuckoo_sizing_test.c
 *	  cuckoo.h: how full a table can be, and how large it is made.
 */
#include "check.h"

#include "core/cuckoo.h"

#include "buckets.h"
#include "key.h"
#include "suites.h"

/* Keys first, first + 1 ...: do so many find a place, and are they all there? */
static bool
fills(uint32_t nbuckets, int f, uint64_t first, uint64_t n)
{
	unsigned char *bytes = new_buckets(nbuckets, f);
	uint64_t	nadded = 0;
	uint64_t	nstored;
	uint64_t	nlost = 0;

	while (nadded < n && bbf_cuckoo_add(bytes, nbuckets, f, key(first + nadded)))
		nadded++;
	for (uint64_t i = 0; i < nadded; i++)
		nlost += bbf_cuckoo_count(bytes, nbuckets, f, key(first + i)) == 0;
	CHECK(nlost == 0);
	CHECK(bbf_cuckoo_check(bytes, nbuckets, f, &nstored) && nstored == nadded);
	free(bytes);
	return nadded == n;
}

/* 95 % of the places can be taken. */
static void
test_tables_fill_to_95_percent(void)
{
	static const uint32_t counts[] = {1000, 4096, 26636, 69818, 100000};
	static const int lengths[] = {5, 6, 8, 10, 12, 16, 32};

	for (int i = 0; i < LENGTH_OF(counts) * LENGTH_OF(lengths); i++)
	{
		uint32_t	nbuckets = counts[i / LENGTH_OF(lengths)];
		int			f = lengths[i % LENGTH_OF(lengths)];

		CASE("%u buckets, %d bits", (unsigned) nbuckets, f);
		CHECK(fills(nbuckets, f, 0, (uint64_t) nbuckets * 4 * 95 / 100));
	}
}

/* In a table that is nearly full keys come and go, and none is lost. */
static void
test_keys_come_and_go_at_95_percent(void)
{
	const uint32_t nbuckets = 4096;
	const uint64_t n = 4096 * 4 * 95 / 100;
	const int	f = 16;
	unsigned char *bytes = new_buckets(nbuckets, f);
	uint64_t	nlost = 0;
	uint64_t	nstored;

	for (uint64_t i = 0; i < n; i++)
		CHECK(bbf_cuckoo_add(bytes, nbuckets, f, key(i)));
	for (uint64_t i = 0; i < 2 * n; i++)
	{
		CASE("round %d", (int) i);
		CHECK(bbf_cuckoo_remove(bytes, nbuckets, f, key(i)));
		CHECK(bbf_cuckoo_add(bytes, nbuckets, f, key(n + i)));
	}
	for (uint64_t i = 2 * n; i < 3 * n; i++)
		nlost += bbf_cuckoo_count(bytes, nbuckets, f, key(i)) == 0;
	CHECK(nlost == 0);
	CHECK(bbf_cuckoo_check(bytes, nbuckets, f, &nstored) && nstored == n);
	free(bytes);
}

/* A small table has places for as many keys as it was sized for, whatever they are. */
static void
test_capacity_keys_fit_small_tables(void)
{
	static const double rates[] = {0.9, 0.5, 0.2, 0.01, 1e-6, 2e-9};
	uint64_t	first = 0;

	for (uint64_t capacity = 1; capacity <= 200; capacity++)
	{
		for (int i = 0; i < LENGTH_OF(rates); i++)
		{
			BbfGeometry g = bbf_size_buckets(capacity, rates[i]);

			CASE("capacity %d, fpp %g", (int) capacity, rates[i]);
			for (int set = 0; set < 25; set++)
			{
				CHECK(fills((uint32_t) g.nbins, g.key_bits, first, capacity));
				first += capacity;
			}
		}
	}
}

/* So has a large one. */
static void
test_capacity_keys_fit_large_tables(void)
{
	static const uint64_t capacities[] = {500, 1700, 2600, 10000, 100000};
	static const double rates[] = {0.9, 0.5, 0.2, 0.1, 0.01, 1e-6};

	for (int i = 0; i < LENGTH_OF(capacities); i++)
	{
		for (int j = 0; j < LENGTH_OF(rates); j++)
		{
			BbfGeometry g = bbf_size_buckets(capacities[i], rates[j]);

			for (uint64_t set = 0; set < (capacities[i] <= 10000 ? 10 : 1); set++)
			{
				CASE("capacity %d, fpp %g (%d bits), set %d", (int) capacities[i], rates[j],
					 g.key_bits, (int) set);
				CHECK(fills((uint32_t) g.nbins, g.key_bits, set << 32, capacities[i]));
			}
		}
	}
}

/* Frozen: the bytes of a filter depend on its geometry. */
static void
test_golden_geometries(void)
{
	static const struct
	{
		uint64_t	capacity;
		double		fpp;
		uint64_t	nbuckets;
		int			f;
	}			golden[] = {
		{UINT64_C(1), 0.01, UINT64_C(2), 10},
		{UINT64_C(8), 0.01, UINT64_C(2), 10},
		{UINT64_C(9), 0.01, UINT64_C(8), 10},
		{UINT64_C(10), 0.01, UINT64_C(8), 10},
		{UINT64_C(100), 0.01, UINT64_C(40), 10},
		{UINT64_C(129), 0.01, UINT64_C(48), 10},
		{UINT64_C(1000), 0.99, UINT64_C(298), 4},
		{UINT64_C(1000), 0.5, UINT64_C(298), 5},
		{UINT64_C(1000), 0.1, UINT64_C(298), 7},
		{UINT64_C(1000), 0.01, UINT64_C(298), 10},
		{UINT64_C(1000), 0.001, UINT64_C(298), 13},
		{UINT64_C(1000), 1e-06, UINT64_C(298), 23},
		{UINT64_C(1000), 2e-09, UINT64_C(298), 32},
		{UINT64_C(1000), 1.8e-09, UINT64_C(298), 0},
		{UINT64_C(10000), 0.01, UINT64_C(2734), 10},
		{UINT64_C(1000000), 0.01, UINT64_C(264162), 10},
		{UINT64_C(100000000), 0.01, UINT64_C(26325792), 10},
		{UINT64_C(9223372036854775807), 0.01, UINT64_C(2427203170630362556), 10},
	};

	for (int i = 0; i < LENGTH_OF(golden); i++)
	{
		BbfGeometry g = bbf_size_buckets(golden[i].capacity, golden[i].fpp);

		CASE("capacity %" PRIu64 ", fpp %g: %" PRIu64 ", %d", golden[i].capacity,
			 golden[i].fpp, g.nbins, g.key_bits);
		CHECK(g.nbins == golden[i].nbuckets && g.key_bits == golden[i].f);
		CHECK(g.full_at == 0);
	}
}

/* f is the smallest with 8 / (2^f - 1) <= fpp, and 0 where 32 bits are too few. */
static void
test_fingerprints_are_no_longer_than_needed(void)
{
	for (uint64_t i = 0; i < 20000; i++)
	{
		double		fpp = 0.999;
		int			f;

		for (uint64_t halvings = i % 40; halvings > 0; halvings--)
			fpp /= 2.0;
		fpp *= 0.5 + (double) (key(i) >> 11) / 9007199254740992.0 / 2.0;
		f = bbf_size_buckets(1000, fpp).key_bits;
		CASE("fpp %.17g: %d bits", fpp, f);
		CHECK(f >= 0 && f <= 32);
		if (f == 0)
			CHECK(8.0 / 4294967295.0 > fpp);
		else
		{
			CHECK(8.0 / (double) ((UINT64_C(1) << f) - 1) <= fpp);
			CHECK(f == 1 || 8.0 / (double) ((UINT64_C(1) << (f - 1)) - 1) > fpp);
		}
	}
}

/*
 * Tables are even and never smaller for more keys, less than 95 % full at their
 * capacity, but of many keys not much less.
 */
static void
test_tables_are_no_larger_than_needed(void)
{
	uint64_t	before = 2;

	for (uint64_t capacity = 1; capacity <= INT64_MAX / 2; capacity += 1 + capacity / 50)
	{
		BbfGeometry g = bbf_size_buckets(capacity, 0.01);
		double		load = (double) capacity / ((double) g.nbins * 4.0);

		CASE("capacity %" PRIu64 ": %" PRIu64 ", %g", capacity, g.nbins, load);
		CHECK(g.nbins >= before && g.nbins % 2 == 0);
		before = g.nbins;
		CHECK(capacity <= 8 ? g.nbins == 2 : load < 0.9501);
		CHECK(capacity < 100000 || load > 0.93);
		CHECK(capacity < 10000000 || load > 0.948);
	}
	CHECK(bbf_size_buckets(INT64_MAX, 0.01).nbins > before);
	CHECK(bbf_size_buckets(INT64_MAX, 0.01).nbins % 2 == 0);
}

const Test cuckoo_sizing_tests[] = {
	TEST(test_tables_fill_to_95_percent),
	TEST(test_keys_come_and_go_at_95_percent),
	TEST(test_capacity_keys_fit_small_tables),
	TEST(test_capacity_keys_fit_large_tables),
	TEST(test_golden_geometries),
	TEST(test_fingerprints_are_no_longer_than_needed),
	TEST(test_tables_are_no_larger_than_needed),
	END_OF_TESTS
};
