/*
 * hash.h
 *	  The hash function of all that is stored: XXH3, 64 bits, seed 0.
 *
 * Its output is fixed by its authors since xxHash 0.8.0, for every platform
 * and every later version; filters on disk rely on that.  Compiled in from
 * the system's header, so there is no library to load at run time.
 *
 * Reference: https://github.com/Cyan4973/xxHash
 */
#ifndef BBF_HASH_H
#define BBF_HASH_H

#ifdef __has_include
#if !__has_include(<xxhash.h>)
#error "xxhash.h is missing: install libxxhash-dev (Debian, Ubuntu) or xxhash-devel (Red Hat), or add its folder to CPATH"
#endif
#endif

#include <stddef.h>
#include <stdint.h>

#include "core/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "xxHash 0.8.0 or later is required: earlier XXH3 gives other hashes"
#endif

static inline uint64_t
bbf_hash(const void *bytes, size_t length)
{
	return XXH3_64bits(bytes, length);
}

/*
 * One of npartitions (at least 1) for a key, from its hash: 0 .. npartitions
 * - 1. The hash is hashed once more, since its bits decide where in a filter
 * the key is kept, and a filter of one partition must not be lopsided.
 * Monotone, like the block index: partition i of n * f falls into i / f of n.
 */
static inline uint32_t
bbf_partition(uint64_t hash, uint32_t npartitions)
{
	unsigned char bytes[8];

	bbf_put64(bytes, hash);
	return (uint32_t) (((bbf_hash(bytes, sizeof(bytes)) >> 32) * npartitions) >> 32);
}

#endif							/* BBF_HASH_H */
