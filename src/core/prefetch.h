/*
 * prefetch.h
 *	  Ask for a cache line some keys before it is needed.
 */
#ifndef BBF_PREFETCH_H
#define BBF_PREFETCH_H

/*
 * The cache line of the key that comes this number of keys later is fetched.
 * The distance covers a miss to main memory, and the lines fetched meanwhile
 * fit into the first-level cache.
 */
#define BBF_PREFETCH_DISTANCE 16

#if defined(__GNUC__) || defined(__clang__)
#define BBF_PREFETCH_FOR_READ(p) __builtin_prefetch((p), 0)
#define BBF_PREFETCH_FOR_WRITE(p) __builtin_prefetch((p), 1)
#else
#define BBF_PREFETCH_FOR_READ(p) ((void) (p))
#define BBF_PREFETCH_FOR_WRITE(p) ((void) (p))
#endif

#endif							/* BBF_PREFETCH_H */
