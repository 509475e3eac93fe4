/*
 * bytes.h
 *	  Little-endian loads and stores at any alignment.
 *
 * Every integer of an image goes through these, so an image reads the same on
 * every machine and at every address.  Compilers turn each of them into one
 * instruction where the machine allows it.
 */
#ifndef BBF_BYTES_H
#define BBF_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t
bbf_get16(const unsigned char *p)
{
	return (uint16_t) (p[0] | p[1] << 8);
}

static inline uint32_t
bbf_get32(const unsigned char *p)
{
	return (uint32_t) p[0] | (uint32_t) p[1] << 8 |
		(uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

static inline uint64_t
bbf_get64(const unsigned char *p)
{
	return (uint64_t) bbf_get32(p) | (uint64_t) bbf_get32(p + 4) << 32;
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
	bbf_put16(p, (uint16_t) v);
	bbf_put16(p + 2, (uint16_t) (v >> 16));
}

static inline void
bbf_put64(unsigned char *p, uint64_t v)
{
	bbf_put32(p, (uint32_t) v);
	bbf_put32(p + 4, (uint32_t) (v >> 32));
}

static inline void
bbf_putdouble(unsigned char *p, double d)
{
	uint64_t	bits;

	memcpy(&bits, &d, sizeof(bits));
	bbf_put64(p, bits);
}

#endif							/* BBF_BYTES_H */
