/*
 * cuckoo.h
 *	  A cuckoo filter: fingerprints of keys, in buckets of four.
 *
 * A key has a fingerprint of f bits, never 0, and two candidate buckets, whose
 * numbers add up to an odd number that the fingerprint alone decides (modulo
 * the number of buckets, which is even).  So either follows from the other and
 * the fingerprint, whatever the number of buckets, and they always differ:
 *
 *		fingerprint = 1 + ((lower 32 bits of hash * (2^f - 1)) >> 32)
 *		first = (upper 32 bits of hash * nbuckets) >> 32
 *		s = XXH3 (hash.h) of the fingerprint as 4 bytes, little-endian
 *		sum = ((upper 32 bits of s * nbuckets) >> 32) | 1
 *		second = sum - first, plus nbuckets if that is negative
 *
 * The fingerprint is hashed because multiplying it by a constant is not
 * enough: the multiples are spaced so regularly that, with fingerprints of 6
 * bits or less, a filter is a chain of buckets, and may be full at 75 %.
 *
 * Places are packed: place number i has the f bits from bit i * f on, bit p
 * being bit p % 8 of byte p / 8; four of them are a bucket.  The taken places
 * of a bucket come first, free ones are 0.  Zero bits follow the last
 * bucket up to a multiple of 8 bytes.
 *
 * A fingerprint that finds no free place in its buckets displaces others along
 * the shortest way to one, which is found first: if there is none, nothing has
 * been moved.  Nothing is random, so the same keys in the same order give the
 * same bytes.
 *
 * Limits: nbuckets is even and at least 2, f is 1 .. 32, and there are at most
 * 512 MB of buckets; callers guarantee that.
 *
 * Reference: B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, "Cuckoo
 * Filter: Practically Better Than Bloom", 2014.
 */
#ifndef BBF_CUCKOO_H
#define BBF_CUCKOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/sizing.h"

#define BBF_BUCKET_PLACES			4

#define BBF_MAX_FINGERPRINT_BITS	32

/* Copies of one key: all places of both buckets. */
#define BBF_MAX_COPIES				(2 * BBF_BUCKET_PLACES)

typedef struct BbfCandidates
{
	uint32_t	fingerprint;
	uint32_t	buckets[2];
} BbfCandidates;

/* The fingerprint of a key and its two buckets. */
extern BbfCandidates bbf_cuckoo_candidates(uint64_t hash, uint32_t nbuckets,
										   int f);

/* Bytes of nbuckets buckets. */
static inline uint64_t
bbf_cuckoo_bytes(uint32_t nbuckets, int f)
{
	return ((uint64_t) nbuckets * BBF_BUCKET_PLACES * (unsigned) f + 63) / 64 * 8;
}

/*
 * The words that have a given bucket.  Returns their length, a multiple of 8
 * and at most 24 bytes, and sets their offset from the first bucket, a
 * multiple of 8, and the number of the bit in them at which the bucket
 * starts.
 */
extern size_t bbf_bucket_span(uint32_t bucket, int f, size_t *offset,
							  unsigned *first_bit);

/* How often a fingerprint is in the bucket that starts at a bit of a span. */
extern int	bbf_bucket_count(const unsigned char *span, unsigned first_bit,
							 int f, uint32_t fingerprint);

/* How many copies of a key there may be: 0 .. BBF_MAX_COPIES. */
extern int	bbf_cuckoo_count(const unsigned char *bytes, uint32_t nbuckets,
							 int f, uint64_t hash);

/*
 * Add a copy of a key.  False, and nothing changed, if no place can be made.
 */
extern bool bbf_cuckoo_add(unsigned char *bytes, uint32_t nbuckets, int f,
						   uint64_t hash);

/* Remove a copy of a key.  False, and nothing changed, if there is none. */
extern bool bbf_cuckoo_remove(unsigned char *bytes, uint32_t nbuckets, int f,
							  uint64_t hash);

/*
 * Do the free places of each bucket come last, and are the bits after the last
 * bucket zero?  Sets the number of places taken, which is that of fingerprints
 * only if so.
 */
extern bool bbf_cuckoo_check(const unsigned char *bytes, uint32_t nbuckets,
							 int f, uint64_t *nstored);

/*
 * The buckets (nbins) and bits of a fingerprint (key_bits) for capacity keys,
 * 1 .. 2^63 - 1, at a rate of at most fpp, between 0 and 1, both exclusive.
 *
 * f is the smallest with 8 / (2^f - 1) <= fpp: the rate with all places taken.
 * key_bits is 0 where 32 bits do not suffice.  The buckets may pass 512 MB:
 * callers check.
 *
 * capacity keys take up to 95 % of the places; less if they are few, since
 * many of them may have the same buckets by chance.
 */
extern BbfGeometry bbf_size_buckets(uint64_t capacity, double fpp);

#endif							/* BBF_CUCKOO_H */
