/*
 * buckets.c
 *	  Buckets of cuckoo filters to test with.
 */
#include "buckets.h"

#include "core/cuckoo.h"

#include "blocks.h"
#include "buffer.h"

unsigned char *
new_buckets(uint32_t nbuckets, int f)
{
	return allocate((size_t) bbf_cuckoo_bytes(nbuckets, f));
}

uint64_t
hash_of(uint32_t fingerprint, uint32_t bucket, uint32_t nbuckets, int f)
{
	uint64_t	n = (UINT64_C(1) << f) - 1;
	uint64_t	low = (((uint64_t) (fingerprint - 1) << 32) + n - 1) / n;

	return first_of_block(bucket, nbuckets) | low;
}
