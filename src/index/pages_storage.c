/*
 * pages_storage.c
 *	  Reads, checks and makes pages.
 */
#include "compat.h"

#include "index/pages_storage.h"

pg_noreturn static void
report_damage(Relation index, BlockNumber page, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDEX_CORRUPTED),
			 errmsg("index \"%s\" has an unexpected page at block %u",
					RelationGetRelationName(index), page),
			 errdetail_internal("%s", detail),
			 errhint("Please REINDEX it.")));
}

/*
 * The label of a page, or null if it cannot have one.  Recovery clears what
 * is between pd_lower, which grows, and pd_upper.
 */
static unsigned char *
label_of(Page page)
{
	if (((PageHeader) page)->pd_special != BLCKSZ - BBF_PAGES_LABEL_BYTES ||
		((PageHeader) page)->pd_upper != BLCKSZ - BBF_PAGES_LABEL_BYTES)
		return NULL;
	return (unsigned char *) page + BLCKSZ - BBF_PAGES_LABEL_BYTES;
}

void
blt_pages_init_page(Page page, const BbfPagesPlace *place)
{
	PageInit(page, BLCKSZ, BBF_PAGES_LABEL_BYTES);
	bbf_pages_label_write(place, label_of(page));
}

/*
 * Have so many bytes of contents: those above pd_lower are not in WAL.
 * Returns whether the page had another number.
 */
static bool
set_length(Page page, size_t length)
{
	const size_t lower = blt_pages_contents(page) - (unsigned char *) page + length;
	PageHeader	header = (PageHeader) page;

	if (header->pd_lower == lower)
		return false;
	header->pd_lower = lower;
	return true;
}

bool
blt_pages_use_slices(Page page, unsigned slice_bytes)
{
	return set_length(page, bbf_columns_bytes(slice_bytes));
}

/*
 * The metapage
 */

static const BbfPagesPlace metapage_place = {BBF_PAGES_METAPAGE, 0, 0};

void
blt_pages_write_meta(Page page, const BbfPagesMeta *meta)
{
	blt_pages_init_page(page, &metapage_place);
	(void) set_length(page, bbf_pages_meta_write(meta, blt_pages_contents(page)));
}

/*
 * Remember metadata in rd_amcache, which the server frees when the index gets
 * another file.  What they say stays true; there may be more groups and pages.
 */
static void
remember(Relation index, const BbfPagesMeta *meta)
{
	if (index->rd_amcache == NULL)
		index->rd_amcache = MemoryContextAlloc(index->rd_indexcxt, sizeof(*meta));
	memcpy(index->rd_amcache, meta, sizeof(*meta));
}

void
blt_pages_forget(Relation index)
{
	if (index->rd_amcache != NULL)
		pfree(index->rd_amcache);
	index->rd_amcache = NULL;
}

/* Read the metadata from the metapage, which is locked, and remember them. */
static void
read_meta(Relation index, Page page, BbfPagesMeta *meta)
{
	const char *reason = "It is not a metapage of this version.";

	if (!PageIsNew(page) && label_of(page) != NULL &&
		bbf_pages_label_is(&metapage_place, label_of(page)))
		reason = bbf_pages_meta_read(blt_pages_contents(page), PAGES_CONTENTS_BYTES, meta);
	if (reason == NULL && meta->ncolumns != bbf_pages_columns(PAGES_CONTENTS_BYTES))
		reason = "Its number of columns is not that of this page size.";
	if (reason != NULL)
		report_damage(index, PAGES_META_BLOCK, reason);
	if (RelationGetNumberOfBlocks(index) < meta->npages)
		report_damage(index, RelationGetNumberOfBlocks(index), "The file ends before it.");
	remember(index, meta);
}

void
blt_pages_get_meta(Relation index, uint32 ngroups, BbfPagesMeta *meta)
{
	const BbfPagesMeta *cache = index->rd_amcache;

	if (cache != NULL && (ngroups == 0 || bbf_pages_has_group(cache, ngroups - 1)))
		*meta = *cache;
	else
	{
		Buffer		buffer = ReadBuffer(index, PAGES_META_BLOCK);

		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		read_meta(index, BufferGetPage(buffer), meta);
		UnlockReleaseBuffer(buffer);
	}
}

/*
 * Pages of slices
 */

void
blt_pages_verify(Relation index, BlockNumber number, Page page, const BbfPagesPlace *place)
{
	if (PageIsNew(page))
		report_damage(index, number, "It is a page of zeros.");
	if (label_of(page) == NULL || !bbf_pages_label_is(place, label_of(page)))
		report_damage(index, number, "It is not the page that belongs there.");
}

Buffer
blt_pages_read(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
			   const BbfPagesPlace *place)
{
	BlockNumber page = bbf_pages_number(meta, epoch, place);
	Buffer		buffer;

	if (page >= meta->npages)
		return InvalidBuffer;
	buffer = ReadBuffer(index, page);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	blt_pages_verify(index, page, BufferGetPage(buffer), place);
	return buffer;
}
