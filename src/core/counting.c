/*
 * counting.c
 *	  Adds keys to counters and takes them out, and works on 16 counters, a
 *	  word, at a time.
 */
#include "core/counting.h"

#include "core/prefetch.h"

/* The lowest bit of each of the 16 counters in a word. */
#define LOWEST_BITS		UINT64_C(0x1111111111111111)

/*
 * The numbers of the counters that the k probes of a hash select, each once;
 * returns how many there are.
 */
static int
distinct_probes(uint64_t hash, int k, unsigned *probes)
{
	uint64_t	seen[8] = {0};
	uint64_t	x = hash;
	int			n = 0;

	for (int probe = 0; probe < k; probe++)
	{
		uint64_t	bit;

		x *= BBF_PROBE_MULTIPLIER;
		bit = (uint64_t) 1 << (x >> 55 & 63);
		if ((seen[x >> 61] & bit) == 0)
			probes[n++] = (unsigned) (x >> 55);
		seen[x >> 61] |= bit;
	}
	return n;
}

/*
 * Add 1 or -1 to every counter of a hash that is not at its maximum; returns
 * how many leave or reach zero.
 */
static unsigned
change(unsigned char *blocks, uint32_t nblocks, int k, uint64_t hash, int by)
{
	unsigned char *block = blocks + bbf_counters_offset(hash, nblocks);
	const int	next_to_zero = by > 0 ? 0 : 1;
	unsigned	probes[BBF_MAX_PROBES];
	int			nprobes = distinct_probes(hash, k, probes);
	unsigned	n = 0;

	for (int i = 0; i < nprobes; i++)
	{
		unsigned char *byte = block + probes[i] / 2;
		unsigned	shift = probes[i] % 2 * 4;
		int			counter = *byte >> shift & 15;

		n += counter == next_to_zero;
		if (counter < BBF_MAX_COUNTER)
			*byte = (unsigned char) (*byte + by * (1 << shift));
	}
	return n;
}

unsigned
bbf_counters_add(unsigned char *blocks, uint32_t nblocks, int k, uint64_t hash)
{
	return change(blocks, nblocks, k, hash, 1);
}

unsigned
bbf_counters_remove(unsigned char *blocks, uint32_t nblocks, int k,
					uint64_t hash)
{
	return change(blocks, nblocks, k, hash, -1);
}

void
bbf_counters_add_many(unsigned char *blocks, uint32_t nblocks, int k,
					  const uint64_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i + BBF_PREFETCH_DISTANCE < n)
		{
			const unsigned char *block = blocks +
				bbf_counters_offset(hashes[i + BBF_PREFETCH_DISTANCE], nblocks);

			for (int line = 0; line < BBF_COUNTERS_BYTES; line += 64)
				BBF_PREFETCH_FOR_WRITE(block + line);
		}
		(void) bbf_counters_add(blocks, nblocks, k, hashes[i]);
	}
}

void
bbf_counters_unite(unsigned char *dst, const unsigned char *src,
				   uint32_t nblocks)
{
	size_t		nbytes = (size_t) nblocks * BBF_COUNTERS_BYTES;

	for (size_t i = 0; i < nbytes; i++)
	{
		int			low = (dst[i] & 15) + (src[i] & 15);
		int			high = (dst[i] >> 4) + (src[i] >> 4);

		if (low > BBF_MAX_COUNTER)
			low = BBF_MAX_COUNTER;
		if (high > BBF_MAX_COUNTER)
			high = BBF_MAX_COUNTER;
		dst[i] = (unsigned char) (low | high << 4);
	}
}

/*
 * Set the lowest bit of each of the 16 counters in a word that is above zero,
 * and clear all other bits.
 */
static inline uint64_t
above_zero(uint64_t counters)
{
	counters |= counters >> 2;
	counters |= counters >> 1;
	return counters & LOWEST_BITS;
}

uint64_t
bbf_counters_count_set(const unsigned char *blocks, uint32_t nblocks)
{
	size_t		nbytes = (size_t) nblocks * BBF_COUNTERS_BYTES;
	uint64_t	n = 0;

	/* 16 ones do not fit four bits, so they are added up in bytes */
	for (size_t i = 0; i < nbytes; i += 8)
	{
		uint64_t	ones = above_zero(bbf_get64(blocks + i));

		ones = (ones + (ones >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
		n += ones * UINT64_C(0x0101010101010101) >> 56;
	}
	return n;
}

void
bbf_counters_to_bits(unsigned char *bits, const unsigned char *counters,
					 uint32_t nblocks)
{
	size_t		nbytes = (size_t) nblocks * BBF_BLOCK_BYTES;

	/* eight counters, in four bytes, become a byte */
	for (size_t i = 0; i < nbytes; i++)
	{
		uint64_t	ones = above_zero(bbf_get32(counters + i * 4));
		unsigned	byte = 0;

		for (int bit = 0; bit < 8; bit++)
			byte |= (unsigned) (ones >> bit * 4 & 1) << bit;
		bits[i] = (unsigned char) byte;
	}
}
