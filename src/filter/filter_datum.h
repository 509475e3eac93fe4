/*
 * filter_datum.h
 *	  From a Datum of one of our types to a readable image, and back.
 *
 * Every function that interprets a stored filter reads it through these, and
 * so through the checks that memory safety needs: bytes on disk are not
 * trusted more than others.  (Comparison takes the bytes as they are.)
 *
 *		blt_read_filter		the whole filter, once
 *		blt_read_image		its image, once
 *		blt_read_meta		its metadata, once
 *		blt_open_to_probe	what a probe needs, at a call site that probes
 *							again and again (filter_reader.h)
 */
#ifndef BLOOMTYPE_FILTER_DATUM_H
#define BLOOMTYPE_FILTER_DATUM_H

#include "core/filter.h"
#include "fmgr.h"
#include "utils/expandeddatum.h"

/*
 * Read a filter of a kind, or of BBF_KIND_ANY.  Its keys are those of the
 * argument where it is plain or expanded and in memory, else a copy in the
 * current memory context; not to be written to.  Error: it is not such a
 * filter (data corrupted).
 */
extern void blt_read_filter(Datum value, BbfKind kind, BbfFilter *filter);

/* The same for the bytes of its image, meta->length of them. */
extern const unsigned char *blt_read_image(Datum filter, BbfKind kind,
										   BbfMeta *meta);

/* Read only the metadata, without the rest of a stored value. */
extern void blt_read_meta(Datum filter, BbfKind kind, BbfMeta *meta);

/*
 * bbf_meta_read of the first bytes of a value.  Error: it is not an image
 * (data corrupted).
 */
extern void blt_read_header(const unsigned char *bytes, size_t available,
							size_t length, BbfKind kind, BbfMeta *meta);

/*
 * A filter as an expanded object (utils/expandeddatum.h): a value whose list
 * and layers are anywhere in memory.  To store, copy or detoast it makes a
 * plain value of it.
 */
typedef struct ExpandedFilter
{
	ExpandedObjectHeader header;
	BbfFilter	filter;
} ExpandedFilter;

/* Set the header of an expanded filter; all of it is in that context. */
extern void blt_init_expanded(ExpandedFilter *expanded, MemoryContext context);

/* The filter of a value that is one; null for any other value. */
extern const BbfFilter *blt_expanded_filter(Datum value);

/* The error for a stored value, with the reason: a sentence. */
pg_noreturn extern void blt_report_corrupted(BbfKind kind, const char *reason);

/* The image bytes of a value that this process has made. */
static inline unsigned char *
blt_filter_bytes(struct varlena *value)
{
	return (unsigned char *) VARDATA(value);
}

/*
 * Allocate a value for an image of this length; only its length word is set.
 */
extern struct varlena *blt_alloc_filter(size_t length);

/*
 * Compute the length in the metadata, and allocate the value.  The caller
 * fills in the bins or the list, then calls blt_finish_filter.
 */
extern struct varlena *blt_lay_out_filter(BbfMeta *meta);

/* The same, with all bins clear. */
extern struct varlena *blt_lay_out_clear_filter(BbfMeta *meta);

/* Where to write the list of a value that this process has made, ... */
static inline unsigned char *
blt_list_of(struct varlena *value)
{
	return blt_filter_bytes(value) + BBF_HEADER_BYTES;
}

/* ... or the bins, if it has one layer. */
static inline unsigned char *
blt_bins_of(struct varlena *value)
{
	return blt_filter_bytes(value) + BBF_FIRST_BINS;
}

/*
 * Memory for the bins of a layer.  The value of a filter with this layer alone
 * fits around them.
 */
extern unsigned char *blt_alloc_bins(Size size, MemoryContext context);
extern void blt_free_bins(unsigned char *bins);
extern struct varlena *blt_value_around(unsigned char *bins);

/*
 * Is the first argument of a function the state of an aggregate, and plain, so
 * that the function may change it and return it?
 */
extern bool blt_is_plain_state(FunctionCallInfo fcinfo);

/*
 * A value with the metadata and, to be changed, the bins of a filter with one
 * layer.  The caller changes them, then calls blt_finish_filter.
 */
extern struct varlena *blt_copy_only_layer(BbfMeta *meta, const unsigned char *bins);

/* Write the image of a filter, which may be in several pieces of memory. */
extern void blt_write_filter(const BbfFilter *filter, unsigned char *bytes);

/* Write the metadata, which are final, nset of the layers too; the result. */
extern Datum blt_finish_filter(struct varlena *value, const BbfMeta *meta);

/* Is a result that was just finished the same as another filter? */
extern bool blt_is_filter(Datum result, const BbfFilter *filter);

/* A filter without keys, of the parameters and the kind in the metadata. */
extern Datum blt_make_empty_filter(BbfMeta *meta);

#endif							/* BLOOMTYPE_FILTER_DATUM_H */
