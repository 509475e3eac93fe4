/*
 * range_pages.h
 *	  The pages of a range index: its metadata, remembered by each session,
 *	  and pages of slices, checked whenever they are read.
 *
 * A page that is new, or past the end of the file, has no bits.  Any other
 * must be what its place in the index asks for; else an error says which page
 * is damaged, so that no row is missed for it.
 *
 * Locks: the metapage before any other page, and a page of the second level
 * before one of the first.  Whoever holds a page never waits for the metapage.
 */
#ifndef BLOOMTYPE_RANGE_PAGES_H
#define BLOOMTYPE_RANGE_PAGES_H

#include "core/range.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"

#define RANGE_META_BLOCK	0

/* Where a page has slices, or metadata. */
#define RANGE_CONTENTS_BYTES \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - BBF_RANGE_LABEL_BYTES)

static inline unsigned char *
blt_range_contents(Page page)
{
	return (unsigned char *) PageGetContents(page);
}

/* Bytes of a slice. */
static inline unsigned
blt_range_slice_bytes(const BbfRangeMeta *meta)
{
	return meta->ncolumns / 8;
}

/*
 * The number of the range that a block of the table is in, and of its group.
 */
static inline uint32
blt_range_number(const BbfRangeMeta *meta, BlockNumber block)
{
	return block / meta->pages_per_range;
}

static inline uint32
blt_range_group(const BbfRangeMeta *meta, BlockNumber block)
{
	return bbf_range_group(meta, blt_range_number(meta, block));
}

/*
 * The metadata of an index, with at least ngroups groups if there are so many;
 * ngroups is 0 if any number will do.
 */
extern void blt_range_get_meta(Relation index, uint32 ngroups, BbfRangeMeta *meta);

/* Read the metadata from the metapage, which is locked, and remember them. */
extern void blt_range_read_meta(Relation index, Page page, BbfRangeMeta *meta);

/* Make a page the metapage with these metadata. */
extern void blt_range_write_meta(Page page, const BbfRangeMeta *meta);

/* Forget all that is remembered of an index, which is built again. */
extern void blt_range_forget(Relation index);

/* Does the file have this page? */
extern bool blt_range_has_page(Relation index, BlockNumber page);

/* Add pages of zeros to the file, so that it has at least npages. */
extern void blt_range_extend(Relation index, BlockNumber npages);

/* The same, so that it has all pages up to those of a group. */
extern void blt_range_extend_to_group(Relation index, const BbfRangeMeta *meta,
									  const BbfRangeEpoch *epoch, uint32 group);

/*
 * Has a page, which is locked, bits?  False if it is new.  Error: it is not
 * the one of this place.
 */
extern bool blt_range_has_bits(Relation index, BlockNumber number, Page page,
							   const BbfRangePlace *place);

/*
 * Read the page of a place and lock it for sharing.  Returns an invalid
 * buffer, and locks nothing, if it has no bits.
 */
extern Buffer blt_range_read(Relation index, const BbfRangeMeta *meta,
							 const BbfRangeEpoch *epoch, const BbfRangePlace *place);

/* Make a page that of a place, without bits. */
extern void blt_range_init_page(Page page, unsigned slice_bytes, const BbfRangePlace *place);

#endif							/* BLOOMTYPE_RANGE_PAGES_H */
