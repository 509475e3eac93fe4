/*
 * filter_reader.h
 *	  A filter argument that one call site asks again and again.
 *
 * Three ways to read it, the cheapest that is possible:
 *
 *	1. A plain value in memory (a constant, an aggregate in a sub-select) is
 *	   read in place.  What its head says is remembered, and the head compared
 *	   at each call: it could be another value at the same address.
 *	2. A value stored out of line, uncompressed: its head once, then for every
 *	   probe the one chunk that has the key's block (or two, with its buckets).
 *	3. After as many slices as reading it whole would have cost, it is read
 *	   whole and kept, found again by its whole TOAST pointer.  So no call site
 *	   pays more than twice the cheaper of the two, however often it asks.
 *
 * Values in any other form (compressed, expanded) are read whole each time,
 * or kept at once where they are stored out of line.
 *
 * Copies of several filters (a join against a table of them) are kept within
 * work_mem, a single one whatever its size; one that has not been used while
 * another earned its place makes room.  Beyond that, slices.  What is kept is
 * plain memory of the reader's context: no open relation, no reference to
 * release.
 */
#ifndef BLOOMTYPE_FILTER_READER_H
#define BLOOMTYPE_FILTER_READER_H

#include "filter/filter_datum.h"

/* A filter stored out of line, as one reader knows it. */
typedef struct StoredImage
{
	struct varatt_external pointer;
	uint64		last_use;		/* by the reader's nopened */
	uint64		first_slice;	/* since when slice_cost adds up */
	uint64		slice_cost;		/* of slices read, in chunks */
	BbfImage   *image;			/* what its head says */
	struct varlena *copy;		/* the whole value, or null */
} StoredImage;

typedef struct ImageReader
{
	MemoryContext context;
	uint64		nopened;		/* stored values, so far */

	/* the plain value of the last call: its head, and what that says */
	size_t		length;			/* SIZE_MAX: none yet */
	size_t		head_length;
	unsigned char *head;		/* room for BBF_MAX_HEAD_BYTES */
	BbfImage   *image;

	StoredImage *stored;
	int			nstored;
	int			last;			/* the one used last */
	Size		copies_size;
} ImageReader;

/* A filter that can be asked until the next value is opened. */
typedef struct OpenImage
{
	const BbfImage *image;
	const unsigned char *bytes; /* null: blocks are read from filter */
	StoredImage *stored;
	Datum		filter;
} OpenImage;

static inline void
bloomtype_reader_init(ImageReader *reader, MemoryContext context)
{
	memset(reader, 0, sizeof(*reader));
	reader->context = context;
	reader->length = SIZE_MAX;	/* no value has this */
}

/*
 * Does an image of the same length have the same head?  Of an image with one
 * layer all that a probe relies on stands in these words (FORMAT.md): kind to
 * signature, and the layer's blocks and probes.
 */
static pg_attribute_always_inline bool
bloomtype_same_head(const ImageReader *reader, const unsigned char *bytes)
{
	const unsigned char *head = reader->head;

	if (likely(reader->image->nlayers == 1))
		return bbf_get64(bytes) == bbf_get64(head) &&
			bbf_get64(bytes + 8) == bbf_get64(head + 8) &&
			bbf_get64(bytes + 16) == bbf_get64(head + 16) &&
			bbf_get64(bytes + BBF_HEADER_BYTES) == bbf_get64(head + BBF_HEADER_BYTES);
	return memcmp(bytes, head, reader->head_length) == 0;
}

/*
 * Open the filter in an argument, of a kind.  Error: it is no image of that.
 * The result holds until the next call for this reader.
 */
extern void bloomtype_reader_open(ImageReader *reader, Datum filter,
								  BbfKind kind, OpenImage *open);

/*
 * How many copies of a key of this hash may an open counting Bloom or cuckoo
 * filter have?  As bbf_image_count.
 */
extern int	bloomtype_reader_count(const OpenImage *open, uint64 hash);

/* Does an open filter contain a key of this hash? */
extern bool bloomtype_reader_test(const OpenImage *open, uint64 hash);

/* Is the answer for any of n hashes the one that is wanted? */
extern bool bloomtype_reader_find(const OpenImage *open, const uint64 *hashes,
								  int n, bool wanted);

/*
 * The fast way, inlined, for filters in memory.  Returns the bytes of an
 * argument that is plain and whose head is that of the last, which
 * reader->image describes; null for any other, which is to be opened.
 */
static pg_attribute_always_inline const unsigned char *
bloomtype_reader_same(const ImageReader *reader, Datum filter)
{
	const struct varlena *value = (struct varlena *) DatumGetPointer(filter);
	const unsigned char *bytes = (const unsigned char *) VARDATA(value);

	return likely(!VARATT_IS_EXTENDED(value) &&
				  VARSIZE(value) - VARHDRSZ == reader->length &&
				  bloomtype_same_head(reader, bytes)) ? bytes : NULL;
}

#endif							/* BLOOMTYPE_FILTER_READER_H */
