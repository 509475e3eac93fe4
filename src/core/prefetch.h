/*
 * prefetch.h
 *	  Ask for a cache line some keys before it is needed.
 */
#ifndef BBF_PREFETCH_H
#define BBF_PREFETCH_H

/*
 * The cache line that is asked for is that of the key so many keys ahead.  Long
 * enough to cover a miss to main memory, short
 * enough for the lines to stay in the first-level cache.
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
