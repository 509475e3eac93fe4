/*
 * filter_datum.h
 *	  From a Datum of one of our types to a readable image, and back.
 *
 * Every use of a stored filter passes here, and so through the checks that
 * memory safety needs: bytes on disk are not trusted more than others.
 */
#ifndef BLOOMTYPE_FILTER_DATUM_H
#define BLOOMTYPE_FILTER_DATUM_H

#include "compat.h"

#include "core/image.h"

/*
 * Read a filter.  Returns the bytes of its image, which are those of the
 * argument where it is plain and in memory, else a copy in the current memory
 * context; not to be written to.  Error: it is no image (data corrupted).
 */
extern const unsigned char *bloomtype_read_image(Datum filter, BbfKind kind,
												 BbfImage *image);

/* Error (data corrupted) if there is a reason why a value is no image. */
extern void bloomtype_check_image(BbfKind kind, const char *reason);

/* Read only the head of a filter, without the rest of a stored value. */
extern void bloomtype_read_head(Datum filter, BbfKind kind, BbfImage *image);

/* The SQL type of a kind; also the prefix of its functions. */
extern const char *bloomtype_kind_name(BbfKind kind);

/* The image bytes of a value that this process has made. */
static inline unsigned char *
bloomtype_image_bytes(struct varlena *value)
{
	return (unsigned char *) VARDATA(value);
}

/* A new value with room for an image of this length; nothing is set but it. */
extern struct varlena *bloomtype_alloc_image(size_t length);

/*
 * A new filter: that of the image, with the layers in it, whose blocks are at
 * hand.  No list; offsets and length are set here.
 */
extern Datum bloomtype_make_image(BbfImage *image,
								  const unsigned char *const *blocks);

#endif							/* BLOOMTYPE_FILTER_DATUM_H */
