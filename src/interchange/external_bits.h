/*
 * external_bits.h
 *	  What the formats share that set k bits anywhere in the filter for each
 *	  key.
 *
 * A format defines an index function: bit number i of a hash, 0 .. nbits - 1.
 * The functions below are instances of one loop over it, with the function
 * inlined.  In an array of words that are stored big-endian the bytes of a
 * word are in reverse order: bit i is bit i % 8 of byte (i / 8) ^ 7.
 */
#ifndef BBF_EXTERNAL_BITS_H
#define BBF_EXTERNAL_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/prefetch.h"
#include "interchange/external.h"

typedef uint64_t (*BbfIndexFunction) (const uint64_t *hash, uint32_t i,
									  const BbfExternalLink *link);

/* The upper half of a product, from products of halves. */
static inline uint64_t
bbf_multiply_halves(uint64_t a, uint64_t b)
{
	uint64_t	low = (a & UINT32_MAX) * (b & UINT32_MAX);
	uint64_t	middle = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
	uint64_t	other = (a & UINT32_MAX) * (b >> 32) + (middle & UINT32_MAX);

	return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

static inline uint64_t
bbf_multiply_high(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t) ((wide) a * b >> 64);
#else
	return bbf_multiply_halves(a, b);
#endif
}

/*
 * x mod link->nbits.  A division takes several times as long as the rest of a
 * probe.  With r = (2^64 - 1) / nbits, rounded down, x * r / 2^64 is below the
 * quotient by less than one, and so by at most one when it is rounded down.
 */
static inline uint64_t
bbf_modulo(uint64_t x, const BbfExternalLink *link)
{
	uint64_t	rest = x - bbf_multiply_high(x, link->reciprocal) * link->nbits;

	return rest >= link->nbits ? rest - link->nbits : rest;
}

/* XORed to the number of a byte */
#define BBF_BIG_ENDIAN_WORDS	7
#define BBF_BYTES_IN_ORDER		0

/* The bit in question as the lowest of the result. */
static inline unsigned
bbf_stored_bit(const unsigned char *bits, unsigned order, uint64_t bit)
{
	return (unsigned) bits[(size_t) (bit >> 3) ^ order] >> (bit & 7);
}

/*
 * bytes are those of the whole filter.  Four probes each run without a branch
 * between them, as in bbf_block_contains.
 */
static inline bool
bbf_bits_contain(const BbfExternalLink *link, const unsigned char *bytes,
				 unsigned order, BbfIndexFunction index, const uint64_t *hash)
{
	const unsigned char *bits = bytes + link->offset;
	uint32_t	i = 0;

	if (link->nstored >= link->nbits)
	{
		for (; i + 4 <= link->nprobes; i += 4)
		{
			if ((bbf_stored_bit(bits, order, index(hash, i, link)) &
				 bbf_stored_bit(bits, order, index(hash, i + 1, link)) &
				 bbf_stored_bit(bits, order, index(hash, i + 2, link)) &
				 bbf_stored_bit(bits, order, index(hash, i + 3, link)) & 1) == 0)
				return false;
		}
	}
	for (; i < link->nprobes; i++)
	{
		uint64_t	bit = index(hash, i, link);

		if (bit >= link->nstored || (bbf_stored_bit(bits, order, bit) & 1) == 0)
			return false;
	}
	return true;
}

/* Callers have checked that all bits are stored. */
static inline void
bbf_bits_add(const BbfExternalLink *link, unsigned char *bytes,
			 unsigned order, BbfIndexFunction index, const uint64_t *hash)
{
	unsigned char *bits = bytes + link->offset;

	for (uint32_t i = 0; i < link->nprobes; i++)
	{
		uint64_t	bit = index(hash, i, link);

		bits[(size_t) (bit >> 3) ^ order] |= (unsigned char) (1 << (bit & 7));
	}
}

/*
 * Keys and probes of a batch: together more cache lines than are read at once.
 */
#define BBF_BATCH_KEYS		16
#define BBF_BATCH_PROBES	32

/*
 * The same for n keys, with prefetch: their bits are anywhere in the filter,
 * so first the places of those of a whole batch are found, then they are set.
 */
static inline void
bbf_bits_add_many(const BbfExternalLink *link, unsigned char *bytes,
				  unsigned order, BbfIndexFunction index,
				  const uint64_t *hashes, int hash_words, size_t n)
{
	unsigned char *bits = bytes + link->offset;
	uint64_t	places[BBF_BATCH_KEYS * BBF_BATCH_PROBES];

	if (link->nprobes > BBF_BATCH_PROBES)
	{
		for (; n > 0; n--, hashes += hash_words)
			bbf_bits_add(link, bytes, order, index, hashes);
		return;
	}
	while (n > 0)
	{
		size_t		nkeys = n < BBF_BATCH_KEYS ? n : BBF_BATCH_KEYS;
		size_t		nplaces = 0;

		for (size_t key = 0; key < nkeys; key++, hashes += hash_words)
		{
			for (uint32_t i = 0; i < link->nprobes; i++)
			{
				uint64_t	bit = index(hashes, i, link);

				BBF_PREFETCH_FOR_WRITE(bits + (size_t) (bit >> 3));
				places[nplaces++] = bit;
			}
		}
		for (size_t i = 0; i < nplaces; i++)
			bits[(size_t) (places[i] >> 3) ^ order] |= (unsigned char) (1 << (places[i] & 7));
		n -= nkeys;
	}
}

static inline void
bbf_bits_find_slice(const BbfExternalLink *link, unsigned order,
					BbfIndexFunction index, const uint64_t *hash, uint32_t i,
					BbfExternalSlice *slice)
{
	uint64_t	bit = index(hash, i, link);

	slice->offset = 0;
	slice->length = 0;
	slice->mask = (unsigned char) (1 << (bit & 7));
	if (bit < link->nstored)
	{
		slice->offset = link->offset + ((size_t) (bit >> 3) ^ order);
		slice->length = 1;
	}
}

/*
 * Members of BbfExternalFormat that are the same for every function of
 * indexes.
 */
extern bool bbf_bits_test_slice(const BbfExternalSlice *slice,
								const unsigned char *bytes, const uint64_t *hash);
extern void bbf_bits_estimate(const BbfExternalLink *link,
							  const unsigned char *bytes, uint64_t nset,
							  BbfPause pause, double *keys, double *fpp);

/* The smallest whole number that is not below x, for x from 0 to 2^63. */
static inline uint64_t
bbf_round_up(double x)
{
	uint64_t	whole = (uint64_t) x;

	return whole + ((double) whole < x);
}

/* Big-endian numbers, of which the headers of Java and Go are made. */
static inline uint32_t
bbf_get32_be(const unsigned char *p)
{
	return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 |
		(uint32_t) p[2] << 8 | (uint32_t) p[3];
}

static inline uint64_t
bbf_get64_be(const unsigned char *p)
{
	return (uint64_t) bbf_get32_be(p) << 32 | bbf_get32_be(p + 4);
}

static inline void
bbf_put32_be(unsigned char *p, uint32_t v)
{
	p[0] = (unsigned char) (v >> 24);
	p[1] = (unsigned char) (v >> 16);
	p[2] = (unsigned char) (v >> 8);
	p[3] = (unsigned char) v;
}

static inline void
bbf_put64_be(unsigned char *p, uint64_t v)
{
	bbf_put32_be(p, (uint32_t) (v >> 32));
	bbf_put32_be(p + 4, (uint32_t) v);
}

#endif							/* BBF_EXTERNAL_BITS_H */
