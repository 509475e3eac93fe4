/*
 * key.h
 *	  Hashes for tests and measurements: random in looks, the same in each run.
 */
#ifndef KEY_H
#define KEY_H

#include <stdint.h>

/* Output number i of splitmix64 from seed 0: distinct i, distinct hashes. */
static uint64_t
key(uint64_t i)
{
	uint64_t	z = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

#endif							/* KEY_H */
