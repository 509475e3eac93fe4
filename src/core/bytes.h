/*
 * bytes.h
 *	  Little-endian loads and stores at any alignment; and the bits of a word.
 *
 * Every integer of an image goes through these, so an image reads the same on
 * every machine and at every address.  On little-endian machines each of them
 * is one instruction; compilers do not always merge single bytes into that.
 */
#ifndef BBF_BYTES_H
#define BBF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A test may define it as 0, to read and write as on a big-endian machine. */
#if defined(BBF_LITTLE_ENDIAN)
#elif defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BBF_LITTLE_ENDIAN	1
#elif defined(_MSC_VER)			/* all its targets are little-endian */
#define BBF_LITTLE_ENDIAN	1
#else
#define BBF_LITTLE_ENDIAN	0	/* or not known: byte by byte is right
								 * anywhere */
#endif

static inline uint16_t
bbf_get16(const unsigned char *p)
{
	return (uint16_t) (p[0] | p[1] << 8);
}

static inline uint32_t
bbf_get32(const unsigned char *p)
{
#if BBF_LITTLE_ENDIAN
	uint32_t	v;

	memcpy(&v, p, sizeof(v));
	return v;
#else
	return (uint32_t) p[0] | (uint32_t) p[1] << 8 |
		(uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
#endif
}

static inline uint64_t
bbf_get64(const unsigned char *p)
{
#if BBF_LITTLE_ENDIAN
	uint64_t	v;

	memcpy(&v, p, sizeof(v));
	return v;
#else
	return (uint64_t) bbf_get32(p) | (uint64_t) bbf_get32(p + 4) << 32;
#endif
}

/* An IEEE 754 double, stored as its 64 bits. */
static inline double
bbf_getdouble(const unsigned char *p)
{
	uint64_t	bits = bbf_get64(p);
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static inline void
bbf_put16(unsigned char *p, uint16_t v)
{
	p[0] = (unsigned char) v;
	p[1] = (unsigned char) (v >> 8);
}

static inline void
bbf_put32(unsigned char *p, uint32_t v)
{
#if BBF_LITTLE_ENDIAN
	memcpy(p, &v, sizeof(v));
#else
	bbf_put16(p, (uint16_t) v);
	bbf_put16(p + 2, (uint16_t) (v >> 16));
#endif
}

static inline void
bbf_put64(unsigned char *p, uint64_t v)
{
#if BBF_LITTLE_ENDIAN
	memcpy(p, &v, sizeof(v));
#else
	bbf_put32(p, (uint32_t) v);
	bbf_put32(p + 4, (uint32_t) (v >> 32));
#endif
}

static inline void
bbf_putdouble(unsigned char *p, double d)
{
	uint64_t	bits;

	memcpy(&bits, &d, sizeof(bits));
	bbf_put64(p, bits);
}

/* Are all of n bytes zero? */
static inline bool
bbf_all_zero(const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		if (bytes[i] != 0)
			return false;
	}
	return true;
}

/* Bits set in a word: by halves (Warren, "Hacker's Delight", section 5-1). */
static inline unsigned
bbf_count_bits(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) +
		(v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	return (unsigned) (v * UINT64_C(0x0101010101010101) >> 56);
}

#endif							/* BBF_BYTES_H */
