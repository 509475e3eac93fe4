/*
 * cuckoo_test.c
 *	  cuckoo.h: fingerprints in buckets, against a naive implementation.
 */
#include "check.h"

#include "core/blocked.h"
#include "core/cuckoo.h"
#include "core/layer.h"
#include "core/hash.h"

#include "blocks.h"
#include "buckets.h"
#include "buffer.h"
#include "key.h"
#include "suites.h"

/* The most buckets of f bits that fit 512 MB. */
static uint32_t
max_buckets(int f)
{
	return (uint32_t) ((UINT64_C(1) << 30) / (unsigned) f / 2 * 2);
}

/* x * n / 2^32 */
static uint64_t
share(uint64_t x, uint64_t n)
{
	return x * n / UINT64_C(4294967296);
}

/* The definition in the header: the other bucket of a fingerprint. */
static uint32_t
naive_other(uint32_t bucket, uint64_t fingerprint, uint32_t nbuckets)
{
	const unsigned char bytes[4] = {
		(unsigned char) fingerprint, (unsigned char) (fingerprint >> 8),
		(unsigned char) (fingerprint >> 16), (unsigned char) (fingerprint >> 24)
	};
	uint64_t	sum = share(bbf_hash(bytes, 4) / UINT64_C(4294967296), nbuckets);

	if (sum % 2 == 0)
		sum++;
	return (uint32_t) ((sum + nbuckets - bucket) % nbuckets);
}

static BbfCandidates
naive_candidates(uint64_t hash, uint32_t nbuckets, int f)
{
	BbfCandidates c;

	c.fingerprint = (uint32_t) (1 + share(hash % UINT64_C(4294967296),
										  (UINT64_C(1) << f) - 1));
	c.buckets[0] = (uint32_t) share(hash / UINT64_C(4294967296), nbuckets);
	c.buckets[1] = naive_other(c.buckets[0], c.fingerprint, nbuckets);
	return c;
}

/*
 * A filter as an array of fingerprints, four a bucket.  It is small, so a search
 * for a place looks at every bucket that there is.
 */
typedef struct Naive
{
	uint32_t	nbuckets;
	int			f;
	uint32_t   *places;
} Naive;

static Naive
new_naive(uint32_t nbuckets, int f)
{
	Naive		naive = {nbuckets, f, NULL};

	naive.places = allocate((size_t) nbuckets * 4 * sizeof(uint32_t));
	return naive;
}

/* The first free place of a bucket, or -1. */
static int
naive_free_place(const Naive *naive, uint32_t bucket)
{
	for (int place = 0; place < 4; place++)
	{
		if (naive->places[bucket * 4 + (uint32_t) place] == 0)
			return (int) bucket * 4 + place;
	}
	return -1;
}

/*
 * Breadth first, from the first candidate and then the second, to a bucket with
 * a free place; then each fingerprint on that path moves to the next bucket of
 * it, the last one first.
 */
static bool
naive_cuckoo_add(Naive *naive, uint64_t hash)
{
	BbfCandidates c = naive_candidates(hash, naive->nbuckets, naive->f);
	uint32_t   *queue = allocate(naive->nbuckets * sizeof(uint32_t));
	int		   *came_by = allocate(naive->nbuckets * sizeof(int));
	bool	   *seen = allocate(naive->nbuckets * sizeof(bool));
	size_t		nqueue = 0;
	int			to = -1;
	bool		added;

	for (int i = 0; i < 2; i++)
	{
		queue[nqueue++] = c.buckets[i];
		seen[c.buckets[i]] = true;
		came_by[c.buckets[i]] = -1;
		if (to < 0)
			to = naive_free_place(naive, c.buckets[i]);
	}
	for (size_t i = 0; i < nqueue && to < 0; i++)
	{
		for (uint32_t place = queue[i] * 4; place < queue[i] * 4 + 4 && to < 0; place++)
		{
			uint32_t	other = naive_other(queue[i], naive->places[place],
											naive->nbuckets);

			if (seen[other])
				continue;
			seen[other] = true;
			came_by[other] = (int) place;
			queue[nqueue++] = other;
			to = naive_free_place(naive, other);
		}
	}

	added = to >= 0;
	while (added && came_by[to / 4] >= 0)
	{
		naive->places[to] = naive->places[came_by[to / 4]];
		to = came_by[to / 4];
	}
	if (added)
		naive->places[to] = c.fingerprint;
	free(queue);
	free(came_by);
	free(seen);
	return added;
}

/* The first copy is removed; the last fingerprint of its bucket takes its place. */
static bool
naive_cuckoo_remove(Naive *naive, uint64_t hash)
{
	BbfCandidates c = naive_candidates(hash, naive->nbuckets, naive->f);

	for (int i = 0; i < 8; i++)
	{
		uint32_t   *bucket = naive->places + c.buckets[i / 4] * 4;
		int			last = 3;

		if (bucket[i % 4] != c.fingerprint)
			continue;
		while (bucket[last] == 0)
			last--;
		bucket[i % 4] = bucket[last];
		bucket[last] = 0;
		return true;
	}
	return false;
}

static int
naive_cuckoo_count(const Naive *naive, uint64_t hash)
{
	BbfCandidates c = naive_candidates(hash, naive->nbuckets, naive->f);
	int			n = 0;

	for (int i = 0; i < 8; i++)
		n += naive->places[c.buckets[i / 4] * 4 + (uint32_t) i % 4] == c.fingerprint;
	return n;
}

/* Bit by bit: place i has the f bits from bit i * f on, bit p is 1 << p % 8 of byte p / 8. */
static bool
same_places(const unsigned char *bytes, const Naive *naive)
{
	size_t		nbits = (size_t) naive->nbuckets * 4 * (size_t) naive->f;
	size_t		nbytes = (nbits + 63) / 64 * 8;
	unsigned char *expected = allocate(nbytes);
	bool		same;

	for (size_t p = 0; p < nbits; p++)
	{
		size_t		f = (size_t) naive->f;

		if (naive->places[p / f] >> p % f & 1)
			expected[p / 8] |= (unsigned char) (1 << p % 8);
	}
	same = bbf_cuckoo_bytes(naive->nbuckets, naive->f) == nbytes &&
		memcmp(bytes, expected, nbytes) == 0;
	free(expected);
	return same;
}

/*
 * Candidates are as defined: the fingerprint is 1 .. 2^f - 1, the buckets are
 * two different ones within range, and a key that has the second as its first
 * has the first as its second.
 */
static void
check_candidates(uint64_t hash, uint32_t nbuckets, int f)
{
	BbfCandidates c = bbf_cuckoo_candidates(hash, nbuckets, f);
	BbfCandidates naive = naive_candidates(hash, nbuckets, f);
	BbfCandidates back;

	CHECK(c.fingerprint == naive.fingerprint);
	CHECK(c.buckets[0] == naive.buckets[0] && c.buckets[1] == naive.buckets[1]);
	CHECK(c.fingerprint >= 1 && c.fingerprint <= (UINT64_C(1) << f) - 1);
	CHECK(c.buckets[0] < nbuckets && c.buckets[1] < nbuckets);
	CHECK(c.buckets[0] != c.buckets[1]);

	back = bbf_cuckoo_candidates(first_of_block(c.buckets[1], nbuckets) |
								 (hash & UINT32_MAX), nbuckets, f);
	CHECK(back.fingerprint == c.fingerprint);
	CHECK(back.buckets[0] == c.buckets[1] && back.buckets[1] == c.buckets[0]);
}

/* Candidates are as defined for fingerprints of any length, in tables of any size. */
static void
test_candidates_are_as_defined(void)
{
	static const uint32_t more_counts[] = {4096, 65534, 65536, 1000002, UINT32_C(1) << 24};

	for (int f = 1; f <= 32; f++)
	{
		uint32_t	counts[LENGTH_OF(bucket_counts) + LENGTH_OF(more_counts) + 2];

		memcpy(counts, bucket_counts, sizeof(bucket_counts));
		memcpy(counts + LENGTH_OF(bucket_counts), more_counts, sizeof(more_counts));
		counts[LENGTH_OF(counts) - 2] = max_buckets(f) - 2;
		counts[LENGTH_OF(counts) - 1] = max_buckets(f);
		CHECK(bbf_cuckoo_bytes(max_buckets(f), f) <= BBF_MAX_BYTES);
		CHECK(bbf_cuckoo_bytes(max_buckets(f) + 2, f) > BBF_MAX_BYTES);

		for (int i = 0; i < LENGTH_OF(counts); i++)
		{
			CASE("%d bits, %u buckets", f, (unsigned) counts[i]);
			for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
				check_candidates(extreme_hashes[j], counts[i], f);
			for (uint64_t j = 0; j < 1000; j++)
				check_candidates(key(j), counts[i], f);
		}
	}
}

/* Every fingerprint occurs, about as often as any other. */
static void
test_every_fingerprint_occurs(void)
{
	for (int f = 1; f <= 8; f++)
	{
		int			n = (1 << f) - 1;
		int			count[256] = {0};

		for (uint64_t i = 0; i < 1000 * (uint64_t) n; i++)
			count[bbf_cuckoo_candidates(key(i), 100, f).fingerprint]++;
		CASE("%d bits", f);
		CHECK(count[0] == 0);
		for (int i = 1; i <= n; i++)
			CHECK(count[i] > 850 && count[i] < 1150);
		CHECK(bbf_cuckoo_candidates(0, 100, f).fingerprint == 1);
		CHECK(bbf_cuckoo_candidates(UINT32_MAX, 100, f).fingerprint == (uint32_t) n);
	}
}

/*
 * Adding and removing gives the bytes that the naive implementation has, until
 * nothing fits any more: so fingerprints are packed as described, displaced
 * along the shortest way, and in no other order on another machine.
 */
static void
test_bytes_are_as_defined(void)
{
	for (int f = 1; f <= 32; f++)
	{
		for (int i = 0; i < LENGTH_OF(bucket_counts); i++)
		{
			uint32_t	nbuckets = bucket_counts[i];
			unsigned char *bytes = new_buckets(nbuckets, f);
			Naive		naive = new_naive(nbuckets, f);

			for (uint64_t j = 0; j < 6 * nbuckets; j++)
			{
				CASE("%d bits, %u buckets, key %d", f, (unsigned) nbuckets, (int) j);
				CHECK(bbf_cuckoo_add(bytes, nbuckets, f, key(j)) ==
					  naive_cuckoo_add(&naive, key(j)));
				CHECK(bbf_cuckoo_count(bytes, nbuckets, f, key(j / 2)) ==
					  naive_cuckoo_count(&naive, key(j / 2)));
				if (j % 3 == 2)
					CHECK(bbf_cuckoo_remove(bytes, nbuckets, f, key(j - j % 5)) ==
						  naive_cuckoo_remove(&naive, key(j - j % 5)));
				if (j % (ALL_CASES ? 7 : 31) == 0 || nbuckets <= 6)
					CHECK(same_places(bytes, &naive));
			}
			CHECK(same_places(bytes, &naive));
			free(bytes);
			free(naive.places);
		}
	}
}

/*
 * The two spans of a key, each in a buffer of its own length, contain all that
 * is needed to count it; they lie within the bytes, at multiples of 8, and are
 * 32 bytes long at most.
 */
static void
test_spans_have_their_buckets(void)
{
	for (int f = 1; f <= 32; f++)
	{
		for (int i = 0; i < LENGTH_OF(bucket_counts); i++)
		{
			uint32_t	nbuckets = bucket_counts[i];
			size_t		nbytes = (size_t) bbf_cuckoo_bytes(nbuckets, f);
			unsigned char *bytes = new_buckets(nbuckets, f);
			Naive		naive = new_naive(nbuckets, f);

			CASE("%d bits, %u buckets", f, (unsigned) nbuckets);
			for (uint64_t j = 0; j < 4 * nbuckets; j++)
			{
				/* some of them twice */
				bbf_cuckoo_add(bytes, nbuckets, f, key(j - j % 3));
				naive_cuckoo_add(&naive, key(j - j % 3));
			}
			for (uint32_t bucket = 0; bucket < nbuckets; bucket++)
			{
				size_t		offset;
				unsigned	first_bit;
				size_t		length = bbf_bucket_span(bucket, f, &offset, &first_bit);
				unsigned char *span;

				CHECK(offset % 8 == 0 && length % 8 == 0 && length <= 32);
				CHECK(offset + length <= nbytes && first_bit < 64);
				span = copy_of(bytes + offset, length);
				for (uint32_t place = 0; place < 4; place++)
				{
					uint32_t	fingerprint = naive.places[bucket * 4 + place];
					int			n = 0;

					for (uint32_t other = 0; other < 4; other++)
						n += naive.places[bucket * 4 + other] == fingerprint;
					CHECK(fingerprint == 0 ||
						  bbf_bucket_count(span, first_bit, f, fingerprint) == n);
				}
				free(span);
			}
			for (uint64_t j = 0; j < 200; j++)
			{
				BbfCandidates c = bbf_cuckoo_candidates(key(j), nbuckets, f);
				int			n = 0;

				for (int bucket = 0; bucket < 2; bucket++)
				{
					size_t		offset;
					unsigned	first_bit;
					size_t		length = bbf_bucket_span(c.buckets[bucket], f,
														 &offset, &first_bit);
					unsigned char *span = copy_of(bytes + offset, length);

					n += bbf_bucket_count(span, first_bit, f, c.fingerprint);
					free(span);
				}
				CHECK(n == bbf_cuckoo_count(bytes, nbuckets, f, key(j)));
			}
			free(bytes);
			free(naive.places);
		}
	}
}

/* The last bucket of the largest table ends where its bytes end. */
static void
test_spans_of_the_largest_tables(void)
{
	for (int f = 1; f <= 32; f++)
	{
		uint32_t	nbuckets = max_buckets(f);
		size_t		offset;
		unsigned	first_bit;
		size_t		length;

		CASE("%d bits", f);
		length = bbf_bucket_span(nbuckets - 1, f, &offset, &first_bit);
		CHECK(offset + length == bbf_cuckoo_bytes(nbuckets, f));
		CHECK(offset * 8 + first_bit ==
			  (uint64_t) (nbuckets - 1) * 4 * (unsigned) f);
		length = bbf_bucket_span(0, f, &offset, &first_bit);
		CHECK(offset == 0 && first_bit == 0 && length == ((size_t) f * 4 + 63) / 64 * 8);
	}
}

/*
 * What a filter of few keys has to answer: a key is its fingerprint and its two
 * buckets, in either order; two that have the same are copies.
 */
typedef struct Stored
{
	uint32_t	fingerprint;
	uint32_t	bucket;			/* the lower of both */
} Stored;

static Stored
stored_as(uint64_t hash, uint32_t nbuckets, int f)
{
	BbfCandidates c = naive_candidates(hash, nbuckets, f);
	Stored		stored;

	stored.fingerprint = c.fingerprint;
	stored.bucket = c.buckets[0] < c.buckets[1] ? c.buckets[0] : c.buckets[1];
	return stored;
}

/* How many are the same; sets the index of one of them. */
static int
copies_among(const Stored *all, int n, Stored one, int *at)
{
	int			copies = 0;

	for (int i = 0; i < n; i++)
	{
		if (all[i].fingerprint == one.fingerprint && all[i].bucket == one.bucket)
		{
			copies++;
			*at = i;
		}
	}
	return copies;
}

/* Is what is there exactly what was added, however it was displaced? */
static bool
nothing_lost(const unsigned char *bytes, uint32_t nbuckets, int f,
			 const Stored *all, int n)
{
	uint64_t	nstored;
	int			at;

	if (!bbf_cuckoo_check(bytes, nbuckets, f, &nstored) || nstored != (uint64_t) n)
		return false;
	for (int i = 0; i < n; i++)
	{
		uint64_t	hash = hash_of(all[i].fingerprint, all[i].bucket, nbuckets, f);

		if (bbf_cuckoo_count(bytes, nbuckets, f, hash) !=
			copies_among(all, n, all[i], &at))
			return false;
	}
	return true;
}

/*
 * Random additions and removals, at loads up to the last place: no fingerprint
 * is ever lost (seiflotfy/cuckoofilter 50, RedisBloom 260), also where others had
 * to move; and where none can be added
 * nothing is changed, not a byte.
 */
static void
test_no_fingerprint_is_lost(void)
{
	static const uint32_t counts[] = {2, 4, 6, 10, 64, 100};
	static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 31, 32};

	for (int i = 0; i < LENGTH_OF(counts) * LENGTH_OF(lengths); i++)
	{
		uint32_t	nbuckets = counts[i / LENGTH_OF(lengths)];
		int			f = lengths[i % LENGTH_OF(lengths)];
		size_t		nbytes = (size_t) bbf_cuckoo_bytes(nbuckets, f);
		unsigned char *bytes = new_buckets(nbuckets, f);
		Stored	   *all = allocate(nbuckets * 4 * sizeof(Stored));
		int			n = 0;
		int			nfailed = 0;

		for (uint64_t step = 0; step < 3000; step++)
		{
			uint64_t	random = key(ABSENT_KEYS + step);
			uint64_t	hash = key(random % (6 * nbuckets));
			Stored		stored = stored_as(hash, nbuckets, f);
			int			at = 0;
			int			copies = copies_among(all, n, stored, &at);

			CASE("%u buckets, %d bits, step %d, %d keys", (unsigned) nbuckets, f,
				 (int) step, n);
			CHECK(bbf_cuckoo_count(bytes, nbuckets, f, hash) == copies);
			if (random >> 61 < 5)
			{
				unsigned char *before = copy_of(bytes, nbytes);

				if (bbf_cuckoo_add(bytes, nbuckets, f, hash))
				{
					CHECK(n < (int) nbuckets * 4 && copies < 8);
					all[n++] = stored;
					CHECK(bbf_cuckoo_count(bytes, nbuckets, f, hash) == copies + 1);
				}
				else
				{
					CHECK(memcmp(bytes, before, nbytes) == 0);
					if (nfailed++ % 50 == 0)
						CHECK(nothing_lost(bytes, nbuckets, f, all, n));
				}
				free(before);
			}
			else
			{
				CHECK(bbf_cuckoo_remove(bytes, nbuckets, f, hash) == (copies > 0));
				if (copies > 0)
					all[at] = all[--n];
				CHECK(bbf_cuckoo_count(bytes, nbuckets, f, hash) ==
					  (copies > 0 ? copies - 1 : 0));
			}
			if (step % 211 == 0)
				CHECK(nothing_lost(bytes, nbuckets, f, all, n));
		}
		CHECK(nothing_lost(bytes, nbuckets, f, all, n));
		CHECK(nfailed > 0);

		/* remove all of them */
		while (n > 0)
		{
			n--;
			CHECK(bbf_cuckoo_remove(bytes, nbuckets, f,
									hash_of(all[n].fingerprint, all[n].bucket, nbuckets, f)));
		}
		for (size_t j = 0; j < nbytes; j++)
			CHECK(bytes[j] == 0);
		free(bytes);
		free(all);
	}
}

/*
 * Eight copies of any key fit any table that has no other keys; the ninth does
 * not, and changes nothing.
 */
static void
test_eight_copies_fit(void)
{
	static const uint32_t counts[] = {2, 4, 6, 8, 1000, 30002};

	for (int i = 0; i < LENGTH_OF(counts); i++)
	{
		for (int f = 1; f <= 32; f++)
		{
			uint32_t	nbuckets = counts[i];
			size_t		nbytes = (size_t) bbf_cuckoo_bytes(nbuckets, f);
			unsigned char *bytes = new_buckets(nbuckets, f);

			for (int j = 0; j < LENGTH_OF(extreme_hashes); j++)
			{
				uint64_t	hash = extreme_hashes[j];
				unsigned char *before;

				CASE("%u buckets, %d bits, hash %d", (unsigned) nbuckets, f, j);
				for (int copies = 1; copies <= 8; copies++)
				{
					CHECK(bbf_cuckoo_add(bytes, nbuckets, f, hash));
					CHECK(bbf_cuckoo_count(bytes, nbuckets, f, hash) == copies);
				}
				before = copy_of(bytes, nbytes);
				CHECK(!bbf_cuckoo_add(bytes, nbuckets, f, hash));
				CHECK(memcmp(bytes, before, nbytes) == 0);
				free(before);
				for (int copies = 7; copies >= 0; copies--)
				{
					CHECK(bbf_cuckoo_remove(bytes, nbuckets, f, hash));
					CHECK(bbf_cuckoo_count(bytes, nbuckets, f, hash) == copies);
				}
				CHECK(!bbf_cuckoo_remove(bytes, nbuckets, f, hash));
			}
			for (size_t j = 0; j < nbytes; j++)
				CHECK(bytes[j] == 0);
			free(bytes);
		}
	}
}

static uint64_t
checksum(const unsigned char *bytes, size_t nbytes)
{
	uint64_t	sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < nbytes; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(1099511628211);
	return sum;
}

/* Frozen: thirty keys in eight buckets of 12 bits, some of them displaced. */
static void
test_bytes_of_a_small_table(void)
{
	static const unsigned char expected[] = {
		0x01, 0xB8, 0x51, 0x22, 0x59, 0x0F, 0xF5, 0xD1,
		0x41, 0x39, 0x18, 0xC9, 0x48, 0xD7, 0x7B, 0xDE,
		0x07, 0x00, 0x1B, 0xBA, 0x3C, 0x55, 0x17, 0x10,
		0x0B, 0x4E, 0x98, 0x72, 0x49, 0xDB, 0x0D, 0x30,
		0x18, 0x46, 0x0B, 0x00, 0x54, 0x6F, 0x05, 0xB8,
		0x42, 0x5A, 0xB2, 0x57, 0x72, 0x69, 0xD3, 0x0D
	};
	unsigned char *bytes = new_buckets(8, 12);

	CHECK(bbf_cuckoo_bytes(8, 12) == sizeof(expected));
	for (uint64_t i = 0; i < 30; i++)
		CHECK(bbf_cuckoo_add(bytes, 8, 12, key(i)));
	CHECK(memcmp(bytes, expected, sizeof(expected)) == 0);
	free(bytes);
}

/* Frozen: the bytes of a table so full that nearly each key displaces others. */
static void
test_bytes_of_a_full_table(void)
{
	const size_t nbytes = (size_t) bbf_cuckoo_bytes(10000, 11);
	unsigned char *bytes = new_buckets(10000, 11);
	unsigned char *again = new_buckets(10000, 11);

	for (uint64_t i = 0; i < 38800; i++)
		CHECK(bbf_cuckoo_add(bytes, 10000, 11, key(i)));
	for (uint64_t i = 0; i < 38800; i++)
		CHECK(bbf_cuckoo_add(again, 10000, 11, key(i)));
	CHECK(memcmp(bytes, again, nbytes) == 0);
	CASE("checksum %016" PRIx64, checksum(bytes, nbytes));
	CHECK(checksum(bytes, nbytes) == UINT64_C(0xC394E1743BED7244));
	free(bytes);
	free(again);
}

/* Buckets need no alignment. */
static void
test_buckets_at_odd_addresses(void)
{
	for (int f = 1; f <= 32; f++)
	{
		const size_t nbytes = (size_t) bbf_cuckoo_bytes(10, f);
		unsigned char *aligned = new_buckets(10, f);

		for (uint64_t i = 0; i < 35; i++)
			bbf_cuckoo_add(aligned, 10, f, key(i));
		bbf_cuckoo_remove(aligned, 10, f, key(3));
		for (size_t shift = 1; shift < 8; shift++)
		{
			unsigned char *memory = allocate(nbytes + shift);
			uint64_t	nstored;

			CASE("%d bits, %d bytes from alignment", f, (int) shift);
			for (uint64_t i = 0; i < 35; i++)
				bbf_cuckoo_add(memory + shift, 10, f, key(i));
			bbf_cuckoo_remove(memory + shift, 10, f, key(3));
			CHECK(memcmp(memory + shift, aligned, nbytes) == 0);
			CHECK(bbf_cuckoo_check(memory + shift, 10, f, &nstored));
			free(memory);
		}
		free(aligned);
	}
}

const Test cuckoo_tests[] = {
	TEST(test_candidates_are_as_defined),
	TEST(test_every_fingerprint_occurs),
	TEST(test_bytes_are_as_defined),
	TEST(test_spans_have_their_buckets),
	TEST(test_spans_of_the_largest_tables),
	TEST(test_no_fingerprint_is_lost),
	TEST(test_eight_copies_fit),
	TEST(test_bytes_of_a_small_table),
	TEST(test_bytes_of_a_full_table),
	TEST(test_buckets_at_odd_addresses),
	END_OF_TESTS
};
