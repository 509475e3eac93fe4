/*
 * hash.h
 *	  The one hash of canonical key bytes: XXH3, 64 bits, seed 0.
 *
 * Its output is fixed by its authors since xxHash 0.8.0, for every platform
 * and every later version; filters on disk rely on that.  Compiled in from
 * the system's header, so there is no library to load at run time.
 *
 * Reference: https://github.com/Cyan4973/xxHash
 */
#ifndef BBF_HASH_H
#define BBF_HASH_H

#include <stddef.h>
#include <stdint.h>

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

#endif							/* BBF_HASH_H */
