/*
 * buckets.h
 *	  Buckets of cuckoo filters to test with.
 */
#ifndef BUCKETS_H
#define BUCKETS_H

#include <stdint.h>

/* Numbers of buckets: even, as they must be. */
static const uint32_t bucket_counts[] = {2, 4, 6, 10, 14, 64, 100, 254};

/* nbuckets free buckets for fingerprints of f bits; the caller frees them. */
extern unsigned char *new_buckets(uint32_t nbuckets, int f);

/* A hash of this fingerprint with this first bucket. */
extern uint64_t hash_of(uint32_t fingerprint, uint32_t bucket,
						uint32_t nbuckets, int f);

#endif							/* BUCKETS_H */
