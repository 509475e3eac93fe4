/*
 * murmur.c
 *	  Reads whole words, then what remains of the input, and mixes.
 */
#include "interchange/murmur.h"

#include "core/bytes.h"
#include "core/kind.h"

static inline uint32_t
rotate32(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

static inline uint64_t
rotate64(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

/*
 * Take whole words of the input, of which rest bytes are left, and pause
 * before each piece but the last; returns where they end.
 */
static inline const unsigned char *
take_words(const unsigned char *p, size_t *rest, size_t word_bytes,
		   BbfPause pause)
{
	size_t		piece = *rest;

	if (piece > BBF_PIECE_BYTES)
	{
		bbf_pause(pause);
		piece = BBF_PIECE_BYTES;
	}
	piece -= piece % word_bytes;
	*rest -= piece;
	return p + piece;
}

/* Fewer than eight bytes as a little-endian word. */
static inline uint64_t
get_rest(const unsigned char *p, size_t length)
{
	uint64_t	word = 0;

	while (length-- > 0)
		word = word << 8 | p[length];
	return word;
}

/* MurmurHash3_x64_128 */

typedef struct Murmur3
{
	uint64_t	h1;
	uint64_t	h2;
} Murmur3;

#define C1	UINT64_C(0x87C37B91114253D5)
#define C2	UINT64_C(0x4CF5AD432745937F)

static inline uint64_t
scramble1(uint64_t k)
{
	return rotate64(k * C1, 31) * C2;
}

static inline uint64_t
scramble2(uint64_t k)
{
	return rotate64(k * C2, 33) * C1;
}

static inline Murmur3
add_block(Murmur3 state, uint64_t k1, uint64_t k2)
{
	state.h1 = rotate64(state.h1 ^ scramble1(k1), 27) + state.h2;
	state.h1 = state.h1 * 5 + 0x52DCE729;
	state.h2 = rotate64(state.h2 ^ scramble2(k2), 31) + state.h1;
	state.h2 = state.h2 * 5 + 0x38495AB5;
	return state;
}

/* All whole blocks of 16 bytes. */
static inline Murmur3
add_blocks(const unsigned char *bytes, size_t length, BbfPause pause)
{
	Murmur3		state = {0, 0};

	while (length >= 16)
	{
		const unsigned char *end = take_words(bytes, &length, 16, pause);

		for (; bytes < end; bytes += 16)
			state = add_block(state, bbf_get64(bytes), bbf_get64(bytes + 8));
	}
	return state;
}

static inline uint64_t
final_mix(uint64_t k)
{
	k = (k ^ k >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
	k = (k ^ k >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
	return k ^ k >> 33;
}

/* Add what follows the blocks, zeros up to 16 bytes, and finish. */
static inline void
finish(Murmur3 state, uint64_t k1, uint64_t k2, size_t length, uint64_t *hash)
{
	uint64_t	h1 = state.h1 ^ scramble1(k1) ^ length;
	uint64_t	h2 = state.h2 ^ scramble2(k2) ^ length;

	h1 += h2;
	h2 += h1;
	h1 = final_mix(h1);
	h2 = final_mix(h2);
	h1 += h2;
	h2 += h1;
	hash[0] = h1;
	hash[1] = h2;
}

/* The two words of fewer than 16 bytes. */
static inline void
get_tail(const unsigned char *p, size_t length, uint64_t *k1, uint64_t *k2)
{
	if (length >= 8)
	{
		*k1 = bbf_get64(p);
		*k2 = get_rest(p + 8, length - 8);
	}
	else
	{
		*k1 = get_rest(p, length);
		*k2 = 0;
	}
}

void
bbf_murmur3_128(const void *bytes, size_t length, BbfPause pause,
				uint64_t *hash)
{
	const unsigned char *p = bytes;
	size_t		rest = length % 16;
	uint64_t	k1;
	uint64_t	k2;

	get_tail(p + (length - rest), rest, &k1, &k2);
	finish(add_blocks(p, length, pause), k1, k2, length, hash);
}

void
bbf_murmur3_128_twice(const void *bytes, size_t length, BbfPause pause,
					  uint64_t *hash)
{
	const unsigned char *p = bytes;
	size_t		rest = length % 16;
	Murmur3		state = add_blocks(p, length, pause);
	uint64_t	k1;
	uint64_t	k2;

	get_tail(p + (length - rest), rest, &k1, &k2);
	finish(state, k1, k2, length, hash);

	/* the further byte, and the block that it may complete */
	if (rest < 8)
		k1 |= (uint64_t) 1 << (8 * rest);
	else
		k2 |= (uint64_t) 1 << (8 * (rest - 8));
	if (rest == 15)
	{
		state = add_block(state, k1, k2);
		k1 = k2 = 0;
	}
	finish(state, k1, k2, length + 1, hash + 2);
}

/* MurmurHash3_x86_32, as Spark has it */

static inline uint32_t
mix32(uint32_t h, uint32_t k)
{
	h ^= rotate32(k * 0xCC9E2D51, 15) * 0x1B873593;
	return rotate32(h, 13) * 5 + 0xE6546B64;
}

uint32_t
bbf_murmur3_bytes(const void *bytes, size_t length, uint32_t seed,
				  BbfPause pause)
{
	const unsigned char *p = bytes;
	size_t		rest = length;
	uint32_t	h = seed;

	while (rest >= 4)
	{
		const unsigned char *end = take_words(p, &rest, 4, pause);

		for (; p < end; p += 4)
			h = mix32(h, bbf_get32(p));
	}
	for (; rest > 0; rest--, p++)
		h = mix32(h, *p | (*p & 0x80 ? 0xFFFFFF00 : 0));

	h ^= (uint32_t) length;
	h = (h ^ h >> 16) * 0x85EBCA6B;
	h = (h ^ h >> 13) * 0xC2B2AE35;
	return h ^ h >> 16;
}

/* MurmurHash64A */

#define M64	UINT64_C(0xC6A4A7935BD1E995)

uint64_t
bbf_murmur2_64(const void *bytes, size_t length, uint64_t seed,
			   BbfPause pause)
{
	const unsigned char *p = bytes;
	size_t		rest = length;
	uint64_t	h = seed ^ length * M64;

	while (rest >= 8)
	{
		const unsigned char *end = take_words(p, &rest, 8, pause);

		for (; p < end; p += 8)
		{
			uint64_t	k = bbf_get64(p) * M64;

			h = (h ^ (k ^ k >> 47) * M64) * M64;
		}
	}
	if (rest > 0)
		h = (h ^ get_rest(p, rest)) * M64;
	h = (h ^ h >> 47) * M64;
	return h ^ h >> 47;
}

/* MurmurHash2 */

#define M32	UINT32_C(0x5BD1E995)

uint32_t
bbf_murmur2_32(const void *bytes, size_t length, uint32_t seed,
			   BbfPause pause)
{
	const unsigned char *p = bytes;
	size_t		rest = length;
	uint32_t	h = seed ^ (uint32_t) length;

	while (rest >= 4)
	{
		const unsigned char *end = take_words(p, &rest, 4, pause);

		for (; p < end; p += 4)
		{
			uint32_t	k = bbf_get32(p) * M32;

			h = h * M32 ^ (k ^ k >> 24) * M32;
		}
	}
	if (rest > 0)
		h = (h ^ (uint32_t) get_rest(p, rest)) * M32;
	h = (h ^ h >> 13) * M32;
	return h ^ h >> 15;
}

/* LevelDB */

#define MLEVELDB	UINT32_C(0xC6A4A793)

uint32_t
bbf_leveldb_hash(const void *bytes, size_t length, uint32_t seed,
				 BbfPause pause)
{
	const unsigned char *p = bytes;
	size_t		rest = length;
	uint32_t	h = seed ^ (uint32_t) length * MLEVELDB;

	while (rest >= 4)
	{
		const unsigned char *end = take_words(p, &rest, 4, pause);

		for (; p < end; p += 4)
		{
			h = (h + bbf_get32(p)) * MLEVELDB;
			h ^= h >> 16;
		}
	}
	if (rest > 0)
	{
		h = (h + (uint32_t) get_rest(p, rest)) * MLEVELDB;
		h ^= h >> 24;
	}
	return h;
}
