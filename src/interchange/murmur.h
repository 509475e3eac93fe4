/*
 * murmur.h
 *	  The hash functions of other systems' filters, except XXH64.
 *
 * All but one are from Austin Appleby's MurmurHash family.  They differ from
 * what goes by these names in other places:
 *
 *	bbf_murmur3_128		MurmurHash3_x64_128 with seed 0 (Guava; Go)
 *	bbf_murmur3_bytes	MurmurHash3_x86_32, but for the last bytes (Spark)
 *	bbf_murmur2_64		MurmurHash64A (RedisBloom)
 *	bbf_murmur2_32		MurmurHash2 (RedisBloom's filters of 32-bit hashes)
 *	bbf_leveldb_hash	similar to MurmurHash2, with unsigned bytes (LevelDB)
 *
 * All read their input as little-endian, on every machine.
 *
 * References: https://github.com/aappleby/smhasher (MurmurHash2.cpp,
 * MurmurHash3.cpp); Murmur3_x86_32.java of Apache Spark; util/hash.cc of
 * LevelDB.
 */
#ifndef BBF_MURMUR_H
#define BBF_MURMUR_H

#include <stddef.h>
#include <stdint.h>

#include "core/pause.h"

/* The two words of the hash. */
extern void bbf_murmur3_128(const void *bytes, size_t length, BbfPause pause,
							uint64_t *hash);

/*
 * The same, then the two words of the hash of these bytes with a further byte
 * 1 after them.
 */
extern void bbf_murmur3_128_twice(const void *bytes, size_t length,
								  BbfPause pause, uint64_t *hash);

/*
 * The bytes after the last whole word of four are mixed in one by one, each
 * as a word of its own, with its sign.  So this is MurmurHash3 only of
 * lengths that are a multiple of four; of eight bytes it is Spark's hash of
 * an integer.
 */
extern uint32_t bbf_murmur3_bytes(const void *bytes, size_t length, uint32_t seed,
								  BbfPause pause);

extern uint64_t bbf_murmur2_64(const void *bytes, size_t length, uint64_t seed,
							   BbfPause pause);

extern uint32_t bbf_murmur2_32(const void *bytes, size_t length, uint32_t seed,
							   BbfPause pause);

extern uint32_t bbf_leveldb_hash(const void *bytes, size_t length, uint32_t seed,
								 BbfPause pause);

#endif							/* BBF_MURMUR_H */
