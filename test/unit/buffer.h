/*
 * buffer.h
 *	  Buffers of exactly the length that is stated.
 *
 * So the address sanitizer detects a read or write beyond it.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>

/* Zeroed memory of this length; never NULL.  The caller frees it. */
extern void *allocate(size_t length);

/* A copy of these bytes, likewise. */
extern unsigned char *copy_of(const unsigned char *bytes, size_t length);

#endif							/* BUFFER_H */
