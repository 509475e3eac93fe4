/*
 * filter_reader.h
 *	  A filter argument that one call site probes again and again.
 *
 * A plain value in memory (a constant, an aggregate in a sub-select) is read in
 * place.  Its metadata are remembered, and compared at each call: it could be
 * another value at the same address.  Of a value stored out of line, uncompressed,
 * the metadata are read once, then for each probe the slice with the key's block, in
 * each layer until one has the key (two slices with its buckets in a cuckoo filter),
 * until the value is read whole and kept: see toasted_value.h.  Values in any other
 * form are read whole each time.
 */
#ifndef BLOOMTYPE_FILTER_READER_H
#define BLOOMTYPE_FILTER_READER_H

#include "filter/filter_datum.h"
#include "filter/toasted_value.h"

typedef struct FilterReader
{
	/* of the last call, if that was for a plain value or for a copy of a stored one */
	const BbfMeta *meta;
	const BbfLayer *blocks;		/* the only layer of a bloom filter; or null */

	/* the plain value: its metadata, as bytes and read */
	size_t		length;			/* SIZE_MAX: it was none */
	size_t		meta_length;
	unsigned char *meta_bytes;	/* room for BBF_MAX_META_BYTES */
	BbfMeta    *plain_meta;

	/* the stored value */
	const unsigned char *copy;	/* null: it was none, or has no copy */
	struct varatt_external copy_pointer;

	StoredValues stored;
} FilterReader;

/* A filter that can be probed until the next value is opened. */
typedef struct OpenFilter
{
	const BbfMeta *meta;
	const unsigned char *bytes; /* null: bins are read from filter */
	StoredValue *stored;		/* these two are set if bytes is null */
	Datum		filter;
} OpenFilter;

static inline void
blt_init_reader(FilterReader *reader, MemoryContext context)
{
	memset(reader, 0, sizeof(*reader));
	blt_init_stored(&reader->stored, context);
	reader->length = SIZE_MAX;	/* no value has this */
}

/*
 * Open the filter in an argument.  Error: it is no image.  The result holds
 * until the next call for this reader.
 */
extern void blt_open_filter(FilterReader *reader, Datum filter, OpenFilter *open);

/* How many copies of a key may an open filter have?  As bbf_image_count. */
extern int	blt_probe_count(const OpenFilter *open, uint64 hash);

/* Does an open filter contain a key? */
extern bool blt_probe(const OpenFilter *open, uint64 hash);

/* The first key of n for which blt_probe() is as wanted, or n if there is none. */
extern int	blt_find_probe(const OpenFilter *open, const uint64_t *hashes,
						   int n, bool wanted);

/* Is there any? */
static inline bool
blt_probe_any(const OpenFilter *open, const uint64_t *hashes, int n, bool wanted)
{
	return blt_find_probe(open, hashes, n, wanted) < n;
}

/*
 * Does an image of the same length have the metadata that a reader remembers?
 * Of an image with a list or one layer all that a probe relies on stands in these words
 * (FORMAT.md): kind to subtype, and the layer's bins and bits of a key.
 */
static pg_attribute_always_inline bool
blt_same_meta(const FilterReader *reader, const unsigned char *bytes)
{
	const unsigned char *known = reader->meta_bytes;

	if (likely(reader->meta->nlayers <= 1))
		return bbf_get64(bytes) == bbf_get64(known) &&
			bbf_get64(bytes + 8) == bbf_get64(known + 8) &&
			bbf_get64(bytes + 16) == bbf_get64(known + 16) &&
			(reader->meta->nlayers == 0 ||
			 bbf_get64(bytes + BBF_HEADER_BYTES) == bbf_get64(known + BBF_HEADER_BYTES));
	return memcmp(bytes, known, reader->meta_length) == 0;
}

/* Is a value, which is not plain, the stored one of which the reader has a copy? */
static pg_attribute_always_inline bool
blt_is_copied(const FilterReader *reader, const struct varlena *value)
{
	return reader->copy != NULL && VARATT_IS_EXTERNAL_ONDISK(value) &&
		memcmp(VARDATA_EXTERNAL(value), &reader->copy_pointer,
			   sizeof(reader->copy_pointer)) == 0;
}

/*
 * The fast way, inlined, for filters in memory.  Returns the bytes of an
 * argument that is plain and has the metadata of the last, which are in
 * reader->meta, or is the last stored value, of which there is a copy; null for
 * any other, which is to be opened.
 */
static pg_attribute_always_inline const unsigned char *
blt_known_filter(const FilterReader *reader, Datum filter)
{
	const struct varlena *value = (struct varlena *) DatumGetPointer(filter);

	/* only a plain value is aligned, so that VARDATA may be formed */
	if (likely(!VARATT_IS_EXTENDED(value) &&
			   VARSIZE(value) - VARHDRSZ == reader->length &&
			   blt_same_meta(reader, (const unsigned char *) VARDATA(value))))
		return (const unsigned char *) VARDATA(value);
	if (blt_is_copied(reader, value))
		return reader->copy;
	return NULL;
}

#endif							/* BLOOMTYPE_FILTER_READER_H */
