/*
 * pages_storage.c
 *	  Reads, checks, makes and adds pages.
 */
#include "compat.h"

#include "index/pages_storage.h"

#include "miscadmin.h"
#include "storage/lmgr.h"

/*
 * What a session remembers of an index, in rd_amcache, which the server frees
 * when the index gets another file.  Groups never change, and the file never
 * shrinks; there may be more of both.
 */
typedef struct PagesCache
{
	BbfPagesMeta meta;
	BlockNumber npages;			/* at least so many */
} PagesCache;

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

/* The label of a page, or null if it cannot have one. */
static unsigned char *
label_of(Page page)
{
	if (((PageHeader) page)->pd_special != BLCKSZ - BBF_PAGES_LABEL_BYTES)
		return NULL;
	return (unsigned char *) page + BLCKSZ - BBF_PAGES_LABEL_BYTES;
}

/* Make a page with so many bytes of contents, all zero. */
static void
init_page(Page page, size_t length, const BbfPagesPlace *place)
{
	PageInit(page, BLCKSZ, BBF_PAGES_LABEL_BYTES);
	bbf_pages_label_write(place, label_of(page));

	/* what is not below pd_lower is not in WAL */
	((PageHeader) page)->pd_lower = blt_pages_contents(page) - (unsigned char *) page + length;
}

void
blt_pages_init_page(Page page, unsigned slice_bytes, const BbfPagesPlace *place)
{
	init_page(page, bbf_columns_bytes(slice_bytes), place);
}

/*
 * The metapage
 */

static const BbfPagesPlace metapage_place = {BBF_PAGES_METAPAGE, 0, 0};

void
blt_pages_write_meta(Page page, const BbfPagesMeta *meta)
{
	init_page(page, bbf_pages_meta_bytes(meta->nepochs), &metapage_place);
	(void) bbf_pages_meta_write(meta, blt_pages_contents(page));
}

static void
remember(Relation index, const BbfPagesMeta *meta)
{
	PagesCache *cache = index->rd_amcache;

	if (cache == NULL)
	{
		cache = MemoryContextAlloc(index->rd_indexcxt, sizeof(PagesCache));
		cache->npages = 1;
		index->rd_amcache = cache;
	}
	cache->meta = *meta;
}

void
blt_pages_forget(Relation index)
{
	if (index->rd_amcache != NULL)
		pfree(index->rd_amcache);
	index->rd_amcache = NULL;
}

void
blt_pages_read_meta(Relation index, Page page, BbfPagesMeta *meta)
{
	const char *reason = "It is not a metapage of this version.";

	if (!PageIsNew(page) && label_of(page) != NULL &&
		bbf_pages_label_is(&metapage_place, label_of(page)))
		reason = bbf_pages_meta_read(blt_pages_contents(page), PAGES_CONTENTS_BYTES, meta);
	if (reason == NULL && meta->ncolumns != bbf_pages_columns(PAGES_CONTENTS_BYTES))
		reason = "Its number of columns is not that of this page size.";
	if (reason != NULL)
		report_damage(index, PAGES_META_BLOCK, reason);
	remember(index, meta);
}

void
blt_pages_get_meta(Relation index, uint32 ngroups, BbfPagesMeta *meta)
{
	PagesCache *cache = index->rd_amcache;

	if (cache != NULL && cache->meta.ngroups >= ngroups)
		*meta = cache->meta;
	else
	{
		Buffer		buffer = ReadBuffer(index, PAGES_META_BLOCK);

		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		blt_pages_read_meta(index, BufferGetPage(buffer), meta);
		UnlockReleaseBuffer(buffer);
	}
}

/*
 * Pages of slices
 */

bool
blt_pages_has_page(Relation index, BlockNumber page)
{
	PagesCache *cache = index->rd_amcache;
	BlockNumber npages;

	if (cache != NULL && page < cache->npages)
		return true;
	npages = RelationGetNumberOfBlocks(index);
	if (cache != NULL)
		cache->npages = npages;
	return page < npages;
}

/*
 * All pages up to the wanted one are written, not left out as a hole: if there
 * is no space, this statement gets the error, not a later checkpoint.
 */
void
blt_pages_extend(Relation index, BlockNumber npages)
{
	while (!blt_pages_has_page(index, npages - 1))
	{
		CHECK_FOR_INTERRUPTS();
		LockRelationForExtension(index, ExclusiveLock);
		if (RelationGetNumberOfBlocks(index) < npages)
			ReleaseBuffer(ReadBuffer(index, P_NEW));
		UnlockRelationForExtension(index, ExclusiveLock);
	}
}

void
blt_pages_extend_to_group(Relation index, const BbfPagesMeta *meta,
						  const BbfPagesEpoch *epoch, uint32 group)
{
	BbfPagesPlace last = {BBF_PAGES_LOWER, group, epoch->nblocks - 1};

	blt_pages_extend(index, bbf_pages_number(meta, epoch, &last) + 1);
}

bool
blt_pages_has_bits(Relation index, BlockNumber number, Page page, const BbfPagesPlace *place)
{
	if (PageIsNew(page))
		return false;
	if (label_of(page) == NULL || !bbf_pages_label_is(place, label_of(page)))
		report_damage(index, number,
					  "It is not the page that belongs there.");
	return true;
}

Buffer
blt_pages_read(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
			   const BbfPagesPlace *place)
{
	BlockNumber page = bbf_pages_number(meta, epoch, place);
	Buffer		buffer;

	if (!blt_pages_has_page(index, page))
		return InvalidBuffer;
	buffer = ReadBuffer(index, page);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (blt_pages_has_bits(index, page, BufferGetPage(buffer), place))
		return buffer;
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}
