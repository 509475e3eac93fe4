/*
 * forgery.h
 *	  Images with one field forged, which the validator must refuse.
 */
#ifndef FORGERY_H
#define FORGERY_H

#include <stddef.h>
#include <stdint.h>

#include "sample.h"

/* A field set to a value that it must not have, and a word of the reason. */
typedef struct Forgery
{
	size_t		at;
	int			width;			/* in bytes */
	uint64_t	value;
	const char *word;
} Forgery;

/* Each of n forgeries, made by itself, is refused for its reason. */
extern void check_forgeries(const Sample *sample, const Forgery *forgeries,
							int n);

#endif							/* FORGERY_H */
