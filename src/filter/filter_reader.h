/*
 * filter_reader.h
 *	  A filter argument that one call site probes again and again.
 *
 * Of a value stored out of line, uncompressed, the metadata are read once,
 * then for each probe the slice with the key's block, in each layer until one
 * has the key (two slices with its buckets in a cuckoo filter), until the
 * value is read whole and kept. value_reader.h describes that.
 */
#ifndef BLOOMTYPE_FILTER_READER_H
#define BLOOMTYPE_FILTER_READER_H

#include "filter/filter_datum.h"
#include "filter/value_reader.h"

typedef struct FilterReader
{
	/* the last filter in memory, or copy, as it was when it was opened */
	BbfFilter  *filter;
	const BbfLayer *blocks;		/* its only layer, of a bloom filter; or null */

	ValueReader value;
} FilterReader;

/* A filter that can be probed until the next one is opened. */
typedef struct ProbedFilter
{
	const BbfFilter *filter;
	bool		is_in_memory;	/* if not, it has metadata only, and bins are
								 * read from value */
	OpenValue	value;
} ProbedFilter;

extern void blt_init_reader(FilterReader *reader, MemoryContext context);

/*
 * Open the filter in an argument.  Error: it is not an image.  The result
 * holds until the next call for this reader.
 */
extern void blt_open_to_probe(FilterReader *reader, Datum value, ProbedFilter *open);

/* How many copies of a key may an open filter have?  As bbf_filter_count. */
extern int	blt_probe_count(const ProbedFilter *open, uint64 hash);

/* Does an open filter contain a key? */
extern bool blt_probe(const ProbedFilter *open, uint64 hash);

/*
 * The first key of n for which blt_probe() is as wanted, or n if there is
 * none.
 */
extern int	blt_find_probe(const ProbedFilter *open, const uint64_t *hashes,
						   int n, bool wanted);

/* Is there any? */
static inline bool
blt_probe_any(const ProbedFilter *open, const uint64_t *hashes, int n, bool wanted)
{
	return blt_find_probe(open, hashes, n, wanted) < n;
}

/*
 * Does an image of the same length have the metadata that a reader remembers?
 * Of an image with a list or one layer all that a probe relies on stands in
 * these words (FORMAT.md): kind to subtype, and the layer's bins and bits of
 * a key.
 */
static pg_attribute_always_inline bool
blt_same_meta(const FilterReader *reader, const unsigned char *bytes)
{
	const unsigned char *known = reader->value.header_bytes;
	unsigned	nlayers = reader->filter->meta.nlayers;

	if (likely(nlayers <= 1))
		return bbf_get64(bytes) == bbf_get64(known) &&
			bbf_get64(bytes + 8) == bbf_get64(known + 8) &&
			bbf_get64(bytes + 16) == bbf_get64(known + 16) &&
			(nlayers == 0 ||
			 bbf_get64(bytes + BBF_HEADER_BYTES) == bbf_get64(known + BBF_HEADER_BYTES));
	return memcmp(bytes, known, reader->value.is.plain.header.length) == 0;
}

/*
 * The fast way, inlined, for filters in memory.  Returns the image of an
 * argument that is plain and has the metadata of the last, which are in
 * reader->filter, or is the last stored value, of which there is a copy; null
 * for any other, which is to be opened.
 */
static pg_attribute_always_inline const unsigned char *
blt_remembered_bytes(const FilterReader *reader, Datum filter)
{
	const struct varlena *value = (struct varlena *) DatumGetPointer(filter);

	/* only a plain value is aligned, so that VARDATA may be formed */
	if (likely(!VARATT_IS_EXTENDED(value) &&
			   blt_remembers_length(&reader->value, VARSIZE(value) - VARHDRSZ) &&
			   blt_same_meta(reader, (const unsigned char *) VARDATA(value))))
		return (const unsigned char *) VARDATA(value);
	if (blt_is_copied(&reader->value, value))
		return reader->value.is.copy.bytes;
	return NULL;
}

/* The filter of an image that has the metadata in reader->filter. */
static inline const BbfFilter *
blt_remembered_filter(FilterReader *reader, const unsigned char *bytes)
{
	if (reader->filter->list != bbf_image_list(bytes))
		bbf_filter_attach(reader->filter, bytes);
	return reader->filter;
}

#endif							/* BLOOMTYPE_FILTER_READER_H */
