/*
 * fuzz.h
 *	  What the fuzz targets share: the input, requirements, and images that are made
 *	  to pass the validator.
 *
 * A target is a function that takes bytes, does with them what it can, and ends the
 * process where a requirement does not hold; the sanitizers do the same for memory and
 * undefined behaviour.  libFuzzer calls it with mutated bytes ("make fuzz"), replay.c
 * with those of files ("make fuzz-replay").
 *
 * Reference: https://llvm.org/docs/LibFuzzer.html
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/image.h"

#include "../unit/attached.h"

/* The target.  Returns 0; the input is not to be written to. */
extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(expression) \
	((expression) ? (void) 0 : requirement_failed(__FILE__, __LINE__, #expression))

extern _Noreturn void requirement_failed(const char *file, int line,
										 const char *expression);

/* The rest of the input.  What is taken behind its end is zero. */
typedef struct Input
{
	const uint8_t *data;
	size_t		size;
} Input;

/* The next bytes of the input, as many as there are; *size is how many. */
extern const uint8_t *take_bytes(Input *input, size_t *size);

/* The next number: little-endian. */
extern uint8_t take8(Input *input);
extern uint16_t take16(Input *input);
extern uint64_t take64(Input *input);
extern double take_double(Input *input);

/* A copy in memory of exactly its length, never null; the caller frees it. */
extern unsigned char *exact_copy(const uint8_t *data, size_t size);

/* Longest image that new_image makes. */
#define MAX_IMAGE	((size_t) 1 << 16)

/*
 * An image that passes the validator, in memory of exactly its length, and its
 * metadata.  Null if the input is none.  Where repair is set, what follows from other
 * bytes is set right first: length, order of the list, bits set in the layers; hardly
 * any mutation would pass else.  The caller frees it.
 */
extern unsigned char *new_image(const uint8_t *data, size_t size, BbfKind kind,
								bool repair, BbfMeta *meta);

/* A mixture of the bits of n, for hashes that have nothing to do with each other. */
static inline uint64_t
mixed(uint64_t n)
{
	n = (n + 1) * UINT64_C(0x9E3779B97F4A7C15);
	n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
	return n ^ n >> 31;
}

/* For functions that want to be given one. */
extern void no_pause(void);

#endif							/* FUZZ_H */
