/*
 * key.h
 *	  Hashes for tests and measurements: pseudorandom, the same in each run.
 */
#ifndef KEY_H
#define KEY_H

#include <stdint.h>

/* Output number i of splitmix64 from seed 0: distinct i, distinct hashes. */
static inline uint64_t
key(uint64_t i)
{
	uint64_t	z = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* Tests that add keys from 0 on look for absent keys from here on. */
#define ABSENT_KEYS		(UINT64_C(1) << 40)

#endif							/* KEY_H */
