/*
 * hostile.h
 *	  Hostile bytes are refused with a reason, or are harmless.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/image.h"

/*
 * Is an image of this kind refused by the validator?  What the validator or only the
 * reader accepts is used.  Frees the bytes, which must be allocated at this length.
 */
extern bool refused_or_harmless(BbfKind kind, unsigned char *bytes, size_t length);

#endif							/* HOSTILE_H */
