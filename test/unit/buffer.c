/*
 * buffer.c
 *	  Buffers of exactly the length that is stated.
 */
#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *
allocate(size_t length)
{
	void	   *memory = calloc(length > 0 ? length : 1, 1);

	if (memory == NULL)
	{
		fprintf(stderr, "out of memory: %lu bytes\n", (unsigned long) length);
		exit(2);
	}
	return memory;
}

unsigned char *
copy_of(const unsigned char *bytes, size_t length)
{
	unsigned char *copy = allocate(length);

	memcpy(copy, bytes, length);
	return copy;
}
