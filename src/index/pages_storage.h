/*
 * pages_storage.h
 *	  The pages of an index: its metadata, remembered by each session,
 *	  and pages of slices, checked whenever they are read.
 *
 * Pages past those that the metapage counts have no bits.  Any other must
 * carry the label of its place; if not, an error names the page, so that no
 * row is silently missed.  Bits that have been cleared within a page are
 * noticed by checksums of the server, and by pages_check.c, only.
 *
 * Locks: the metapage before any other page, and a page of the second level
 * before one of the first.  Whoever holds a page never waits for the metapage.
 */
#ifndef BLOOMTYPE_PAGES_STORAGE_H
#define BLOOMTYPE_PAGES_STORAGE_H

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
 * The metadata of an index, which are no older than the call unless they have
 * the pages of the first ngroups groups.
 */
extern void blt_pages_get_meta(Relation index, uint32 ngroups, BbfPagesMeta *meta);

/* Make a page the metapage with these metadata. */
extern void blt_pages_write_meta(Page page, const BbfPagesMeta *meta);

/* Forget all that is remembered of an index, which is built again. */
extern void blt_pages_forget(Relation index);

/* Error: a page, which is locked, is not the one of this place. */
extern void blt_pages_verify(Relation index, BlockNumber number, Page page,
							 const BbfPagesPlace *place);

/*
 * Read the page of a place and lock it for sharing.  Returns an invalid
 * buffer, and locks nothing, if the index does not have it yet.
 */
extern Buffer blt_pages_read(Relation index, const BbfPagesMeta *meta,
							 const BbfPagesEpoch *epoch, const BbfPagesPlace *place);

/* Has the page of a key, which is locked, all of its bits? */
static inline bool
blt_pages_contain(const BbfPagesMeta *meta, Page page, const BbfPagesKey *key)
{
	return bbf_columns_contain(blt_pages_contents(page), blt_pages_slice_bytes(meta),
							   key->column, key->bits, key->nprobes);
}

/*
 * Make a page that of a place, without bits.  Its slices are in the hole that
 * WAL leaves out.
 */
extern void blt_pages_init_page(Page page, const BbfPagesPlace *place);

/*
 * Take the slices of a page out of the hole, before bits are set.  Returns
 * whether that was to be done.
 */
extern bool blt_pages_use_slices(Page page, unsigned slice_bytes);

#endif							/* BLOOMTYPE_PAGES_STORAGE_H */
