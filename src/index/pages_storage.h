/*
 * pages_storage.h
 *	  The pages of an index: its metadata, remembered by each session,
 *	  and pages of slices, checked whenever they are read.
 *
 * A page that is new, or past the end of the file, has no bits.  Any other
 * must be what its place in the index asks for; else an error says which page
 * is damaged, so that no row is missed for it.
 *
 * Locks: the metapage before any other page, and a page of the second level
 * before one of the first.  Whoever holds a page never waits for the metapage.
 */
#ifndef BLOOMTYPE_PAGES_PAGES_H
#define BLOOMTYPE_PAGES_PAGES_H

#include "core/pages.h"
#include "storage/bufmgr.h"
#include "storage/bufpage.h"
#include "utils/rel.h"

#define PAGES_META_BLOCK	0

/* Where a page has slices, or metadata. */
#define PAGES_CONTENTS_BYTES \
	(BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - BBF_PAGES_LABEL_BYTES)

static inline unsigned char *
blt_pages_contents(Page page)
{
	return (unsigned char *) PageGetContents(page);
}

/* Bytes of a slice. */
static inline unsigned
blt_pages_slice_bytes(const BbfPagesMeta *meta)
{
	return meta->ncolumns / 8;
}

/*
 * The number of the range that a block of the table is in, and of its group.
 */
static inline uint32
blt_pages_range(const BbfPagesMeta *meta, BlockNumber block)
{
	return block / meta->pages_per_range;
}

static inline uint32
blt_pages_group(const BbfPagesMeta *meta, BlockNumber block)
{
	return bbf_pages_group(meta, blt_pages_range(meta, block));
}

/*
 * The metadata of an index, with at least ngroups groups if there are so many;
 * ngroups is 0 if any number will do.
 */
extern void blt_pages_get_meta(Relation index, uint32 ngroups, BbfPagesMeta *meta);

/* Read the metadata from the metapage, which is locked, and remember them. */
extern void blt_pages_read_meta(Relation index, Page page, BbfPagesMeta *meta);

/* Make a page the metapage with these metadata. */
extern void blt_pages_write_meta(Page page, const BbfPagesMeta *meta);

/* Forget all that is remembered of an index, which is built again. */
extern void blt_pages_forget(Relation index);

/* Does the file have this page? */
extern bool blt_pages_has_page(Relation index, BlockNumber page);

/* Add pages of zeros to the file, so that it has at least npages. */
extern void blt_pages_extend(Relation index, BlockNumber npages);

/* The same, so that it has all pages up to those of a group. */
extern void blt_pages_extend_to_group(Relation index, const BbfPagesMeta *meta,
									  const BbfPagesEpoch *epoch, uint32 group);

/*
 * Has a page, which is locked, bits?  False if it is new.  Error: it is not
 * the one of this place.
 */
extern bool blt_pages_has_bits(Relation index, BlockNumber number, Page page,
							   const BbfPagesPlace *place);

/*
 * Read the page of a place and lock it for sharing.  Returns an invalid
 * buffer, and locks nothing, if it has no bits.
 */
extern Buffer blt_pages_read(Relation index, const BbfPagesMeta *meta,
							 const BbfPagesEpoch *epoch, const BbfPagesPlace *place);

/* Make a page that of a place, without bits. */
extern void blt_pages_init_page(Page page, unsigned slice_bytes, const BbfPagesPlace *place);

#endif							/* BLOOMTYPE_PAGES_PAGES_H */
