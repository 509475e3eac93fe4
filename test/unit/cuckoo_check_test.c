/*
 * cuckoo_check_test.c
 *	  cuckoo.h: which bytes are valid buckets; invalid ones do no harm.
 */
#include "check.h"

#include "core/cuckoo.h"

#include "buckets.h"
#include "key.h"
#include "suites.h"

/* Check accepts what add and remove make, and counts it. */
static void
test_check_accepts_what_is_made(void)
{
	for (int f = 1; f <= 32; f++)
	{
		for (int i = 0; i < LENGTH_OF(bucket_counts); i++)
		{
			uint32_t	nbuckets = bucket_counts[i];
			unsigned char *bytes = new_buckets(nbuckets, f);
			uint64_t	n = 0;
			uint64_t	nstored = 1;

			CASE("%d bits, %u buckets", f, (unsigned) nbuckets);
			CHECK(bbf_cuckoo_check(bytes, nbuckets, f, &nstored) && nstored == 0);
			for (uint64_t j = 0; j < 5 * nbuckets; j++)
			{
				n += bbf_cuckoo_add(bytes, nbuckets, f, key(j));
				if (j % 4 == 3)
					n -= bbf_cuckoo_remove(bytes, nbuckets, f, key(j / 2));
				if (j % 10 == 0)
					CHECK(bbf_cuckoo_check(bytes, nbuckets, f, &nstored) && nstored == n);
			}
			CHECK(bbf_cuckoo_check(bytes, nbuckets, f, &nstored) && nstored == n);
			free(bytes);
		}
	}
}

/* Write one fingerprint, bit by bit. */
static void
put_naive(unsigned char *bytes, int f, size_t place, uint32_t fingerprint)
{
	for (size_t bit = 0; bit < (size_t) f; bit++)
	{
		size_t		p = place * (size_t) f + bit;

		bytes[p / 8] &= (unsigned char) ~(1 << p % 8);
		if (fingerprint >> bit & 1)
			bytes[p / 8] |= (unsigned char) (1 << p % 8);
	}
}

/*
 * Of the sixteen ways in which places of a bucket can be taken, check accepts
 * those without a free place before a taken one; in any bucket.
 */
static void
test_check_refuses_holes(void)
{
	for (int f = 1; f <= 32; f++)
	{
		for (uint32_t bucket = 0; bucket < 6; bucket++)
		{
			for (int taken = 0; taken < 16; taken++)
			{
				unsigned char *bytes = new_buckets(6, f);
				uint64_t	nstored;
				bool		no_hole = taken == 0 || taken == 1 || taken == 3 ||
					taken == 7 || taken == 15;

				CASE("%d bits, bucket %u, places %x", f, (unsigned) bucket, (unsigned) taken);
				for (size_t place = 0; place < 4; place++)
				{
					if (taken >> place & 1)
						put_naive(bytes, f, bucket * 4 + place,
								  (uint32_t) ((UINT64_C(1) << f) - 1));
				}
				CHECK(bbf_cuckoo_check(bytes, 6, f, &nstored) == no_hole);
				free(bytes);
			}
		}
	}
}

/* Each bit behind the last bucket must be zero, and each before may be set. */
static void
test_check_refuses_padding(void)
{
	int			npadding = 0;

	for (int f = 1; f <= 32; f++)
	{
		for (uint32_t nbuckets = 2; nbuckets <= 34; nbuckets += 2)
		{
			size_t		nbytes = (size_t) bbf_cuckoo_bytes(nbuckets, f);
			size_t		nbits = (size_t) nbuckets * 4 * (size_t) f;
			unsigned char *bytes = new_buckets(nbuckets, f);
			uint64_t	nstored;

			CASE("%d bits, %u buckets", f, (unsigned) nbuckets);
			for (size_t bit = 0; bit < nbits; bit++)
				bytes[bit / 8] |= (unsigned char) (1 << bit % 8);
			CHECK(bbf_cuckoo_check(bytes, nbuckets, f, &nstored));
			CHECK(nstored == nbuckets * 4);
			for (size_t bit = nbits; bit < nbytes * 8; bit++)
			{
				bytes[bit / 8] ^= (unsigned char) (1 << bit % 8);
				CHECK(!bbf_cuckoo_check(bytes, nbuckets, f, &nstored));
				bytes[bit / 8] ^= (unsigned char) (1 << bit % 8);
				npadding++;
			}
			free(bytes);
		}
	}
	CHECK(npadding > 1000);
}

/*
 * Bytes that check would refuse do no harm: whatever the buckets hold, nothing
 * outside of them is read or written.
 */
static void
test_removing_beside_a_hole_is_harmless(void)
{
	for (int f = 1; f <= 32; f++)
	{
		for (int taken = 0; taken < 16; taken++)
		{
			for (uint32_t bucket = 0; bucket < 2; bucket++)
			{
				unsigned char *bytes = new_buckets(2, f);
				uint64_t	hash = hash_of(1, bucket, 2, f);
				int			n = 0;

				CASE("%d bits, bucket %u, places %x", f, (unsigned) bucket, (unsigned) taken);
				for (size_t place = 0; place < 4; place++)
				{
					if (taken >> place & 1)
						put_naive(bytes, f, bucket * 4 + place, 1);
					n += taken >> place & 1;
				}
				CHECK(bbf_cuckoo_count(bytes, 2, f, hash) == n);
				for (; n > 0; n--)
					CHECK(bbf_cuckoo_remove(bytes, 2, f, hash));
				CHECK(!bbf_cuckoo_remove(bytes, 2, f, hash));
				free(bytes);
			}
		}
	}
}

const Test cuckoo_check_tests[] = {
	TEST(test_check_accepts_what_is_made),
	TEST(test_check_refuses_holes),
	TEST(test_check_refuses_padding),
	TEST(test_removing_beside_a_hole_is_harmless),
	END_OF_TESTS
};
