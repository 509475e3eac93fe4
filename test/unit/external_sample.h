/*
 * external_sample.h
 *	  Filters of other systems to test with.
 */
#ifndef EXTERNAL_SAMPLE_H
#define EXTERNAL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "interchange/external.h"

typedef struct ExternalSample
{
	const BbfExternalFormat *format;
	BbfExternalMeta meta;
	unsigned char *bytes;		/* meta.length; the caller frees them */
} ExternalSample;

/* What is called between pieces of work, and how often it was. */
extern unsigned external_pauses;
extern void count_external_pause(void);

/* The format of a name; never NULL. */
extern const BbfExternalFormat *external_format(const char *name);

/* Some parameter that a format takes: 10 bits per key, or about the same fpp. */
extern double usual_parameter(const BbfExternalFormat *format);

/* An empty filter. */
extern ExternalSample new_external(const BbfExternalFormat *format,
								   uint64_t capacity, double parameter);

/* The hash of key number i: 4 bytes for formats of numbers of that width, else 8. */
extern void external_key(const BbfExternalFormat *format, uint32_t seed, uint64_t i,
						 uint64_t *hash);

/* Add keys first .. first + n - 1, and set the number of keys to n. */
extern void add_external_keys(ExternalSample *sample, uint64_t first, uint64_t n);

/*
 * The share that is found of absent keys, of a filter with as many keys as it was
 * made for.
 */
extern double rate_at_capacity(const char *format_name, uint64_t capacity,
							   double parameter);

/* bbf_external_contains by way of slices, each in a buffer of its length. */
extern bool contains_by_slices(const BbfExternalFormat *format,
							   const BbfExternalMeta *meta,
							   const unsigned char *bytes,
							   const uint64_t *hash, unsigned *nslices);

/*
 * Bytes are written as hexadecimal digits, with spaces between bytes.  These are
 * the bytes of it, of which the caller frees the first.
 */
extern unsigned char *from_hex(const char *hex, size_t *length);
extern ExternalSample from_hex_bytes(const BbfExternalFormat *format, const char *hex);

/* Add a key, or look it up. */
extern void add_hex_key(ExternalSample *sample, const char *hex);
extern bool contains_hex_key(const ExternalSample *sample, const char *hex);

/* Does a filter have these bytes? */
extern bool has_hex_bytes(const ExternalSample *sample, const char *hex);

/* What a format's own constructor takes for n keys at rate p. */
typedef struct ExternalSize
{
	uint64_t	n;
	double		p;
	uint64_t	nbits;
	uint32_t	nprobes;
} ExternalSize;

/* Check that a format is sized so. */
extern void check_external_sizes(const char *format_name,
								 const ExternalSize *sizes, int nsizes);

/*
 * Check that two filters become a third one, and that the first and each of others
 * have no union, whichever comes first.
 */
extern void check_external_unions(const char *format_name, const char *a_hex,
								  const char *b_hex, const char *both_hex,
								  const char *const *others, int nothers);

/* Why these bytes are refused; NULL if they are not. */
extern const char *refusal_of_hex(const BbfExternalFormat *format, const char *hex);

#endif							/* EXTERNAL_SAMPLE_H */
