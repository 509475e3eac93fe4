/*
 * filter_datum.h
 *	  From a Datum of one of our types to a readable image, and back.
 *
 * Every function that interprets a stored filter reads it through these, and
 * so through the checks that memory safety needs: bytes on disk are not
 * trusted more than others.  (Comparison takes the bytes as they are.)
 *
 *		blt_read_filter		the whole image, once
 *		blt_read_meta		its metadata, once
 *		blt_open_filter		what a probe needs, at a call site that probes
 *							again and again (filter_reader.h)
 */
#ifndef BLOOMTYPE_FILTER_DATUM_H
#define BLOOMTYPE_FILTER_DATUM_H

#include "core/image.h"
#include "fmgr.h"

/*
 * Read a filter of a kind, or of BBF_KIND_ANY.  Returns the bytes of its
 * image, which are those of the argument where it is plain and in memory,
 * else a copy in the current memory context; not to be written to.  Error: it
 * is no such image (data corrupted).
 */
extern const unsigned char *blt_read_filter(Datum filter, BbfKind kind,
											BbfMeta *meta);

/* Read only the metadata, without the rest of a stored value. */
extern void blt_read_meta(Datum filter, BbfKind kind, BbfMeta *meta);

/*
 * bbf_meta_read of the first bytes of a value.  Error: it is no image (data
 * corrupted).
 */
extern void blt_read_header(const unsigned char *bytes, size_t available,
							size_t length, BbfKind kind, BbfMeta *meta);

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
 * Compute the offsets and the length in the metadata, and allocate the value.
 * The caller fills in the bins or the list, then calls blt_finish_filter.
 */
extern struct varlena *blt_lay_out_filter(BbfMeta *meta);

/* The same, with all bins clear. */
extern struct varlena *blt_lay_out_clear_filter(BbfMeta *meta);

/*
 * The filter to be changed into the result of a union or an intersection.
 * The first argument, of which bytes is the image, has one layer and no list.
 * Outside of aggregates the result is a copy of it, laid out as meta.  In an
 * aggregate it is the argument itself, if that is a plain value: the state.
 * The caller changes the bins, then calls blt_finish_filter.
 */
extern struct varlena *blt_writable_result(FunctionCallInfo fcinfo, BbfMeta *meta,
										   const unsigned char *bytes);

/* Write the metadata, which are final, nset of the layers too; the result. */
extern Datum blt_finish_filter(struct varlena *value, const BbfMeta *meta);

/* Is a result that was just finished the same image as another? */
extern bool blt_is_image(Datum result, const unsigned char *bytes, size_t length);

/* A filter without keys, of the parameters and the kind in the metadata. */
extern Datum blt_make_empty_filter(BbfMeta *meta);

#endif							/* BLOOMTYPE_FILTER_DATUM_H */
