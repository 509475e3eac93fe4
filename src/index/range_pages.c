/*
 * range_pages.c
 *	  Reads, checks, makes and adds pages.
 */
#include "compat.h"

#include "index/range_pages.h"

#include "miscadmin.h"
#include "storage/lmgr.h"

/*
 * What a session remembers of an index, in rd_amcache, which the server frees
 * when the index gets another file.  Groups never change, and the file never
 * shrinks; there may be more of both.
 */
typedef struct RangeCache
{
	BbfRangeMeta meta;
	BlockNumber npages;			/* at least so many */
} RangeCache;

static pg_noreturn void
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
	if (((PageHeader) page)->pd_special != BLCKSZ - BBF_RANGE_LABEL_BYTES)
		return NULL;
	return (unsigned char *) page + BLCKSZ - BBF_RANGE_LABEL_BYTES;
}

/* Make a page with so many bytes of contents, all zero. */
static void
init_page(Page page, size_t length, const BbfRangePlace *place)
{
	PageInit(page, BLCKSZ, BBF_RANGE_LABEL_BYTES);
	bbf_range_label_write(place, label_of(page));

	/* what is not below pd_lower is not in WAL */
	((PageHeader) page)->pd_lower = blt_range_contents(page) - (unsigned char *) page + length;
}

void
blt_range_init_page(Page page, unsigned slice_bytes, const BbfRangePlace *place)
{
	init_page(page, bbf_columns_bytes(slice_bytes), place);
}

/*
 * The metapage
 */

static const BbfRangePlace metapage_place = {BBF_RANGE_METAPAGE, 0, 0};

void
blt_range_write_meta(Page page, const BbfRangeMeta *meta)
{
	init_page(page, bbf_range_meta_bytes(meta->nepochs), &metapage_place);
	(void) bbf_range_meta_write(meta, blt_range_contents(page));
}

static void
remember(Relation index, const BbfRangeMeta *meta)
{
	RangeCache *cache = index->rd_amcache;

	if (cache == NULL)
	{
		cache = MemoryContextAlloc(index->rd_indexcxt, sizeof(RangeCache));
		cache->npages = 1;
		index->rd_amcache = cache;
	}
	cache->meta = *meta;
}

void
blt_range_forget(Relation index)
{
	if (index->rd_amcache != NULL)
		pfree(index->rd_amcache);
	index->rd_amcache = NULL;
}

void
blt_range_read_meta(Relation index, Page page, BbfRangeMeta *meta)
{
	const char *reason = "It is not a metapage of this version.";

	if (!PageIsNew(page) && label_of(page) != NULL &&
		bbf_range_label_is(&metapage_place, label_of(page)))
		reason = bbf_range_meta_read(blt_range_contents(page), RANGE_CONTENTS_BYTES, meta);
	if (reason == NULL && meta->ncolumns != bbf_range_columns(RANGE_CONTENTS_BYTES))
		reason = "Its number of columns is not that of this page size.";
	if (reason != NULL)
		report_damage(index, RANGE_META_BLOCK, reason);
	remember(index, meta);
}

void
blt_range_get_meta(Relation index, uint32 ngroups, BbfRangeMeta *meta)
{
	RangeCache *cache = index->rd_amcache;

	if (cache != NULL && cache->meta.ngroups >= ngroups)
		*meta = cache->meta;
	else
	{
		Buffer		buffer = ReadBuffer(index, RANGE_META_BLOCK);

		LockBuffer(buffer, BUFFER_LOCK_SHARE);
		blt_range_read_meta(index, BufferGetPage(buffer), meta);
		UnlockReleaseBuffer(buffer);
	}
}

/*
 * Pages of slices
 */

bool
blt_range_has_page(Relation index, BlockNumber page)
{
	RangeCache *cache = index->rd_amcache;
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
blt_range_extend(Relation index, BlockNumber npages)
{
	while (!blt_range_has_page(index, npages - 1))
	{
		CHECK_FOR_INTERRUPTS();
		LockRelationForExtension(index, ExclusiveLock);
		if (RelationGetNumberOfBlocks(index) < npages)
			ReleaseBuffer(ReadBuffer(index, P_NEW));
		UnlockRelationForExtension(index, ExclusiveLock);
	}
}

void
blt_range_extend_to_group(Relation index, const BbfRangeMeta *meta,
						  const BbfRangeEpoch *epoch, uint32 group)
{
	BbfRangePlace last = {BBF_RANGE_LOWER, group, epoch->nblocks - 1};

	blt_range_extend(index, bbf_range_page(meta, epoch, &last) + 1);
}

bool
blt_range_has_bits(Relation index, BlockNumber number, Page page, const BbfRangePlace *place)
{
	if (PageIsNew(page))
		return false;
	if (label_of(page) == NULL || !bbf_range_label_is(place, label_of(page)))
		report_damage(index, number,
					  "It is not the page that belongs there.");
	return true;
}

Buffer
blt_range_read(Relation index, const BbfRangeMeta *meta, const BbfRangeEpoch *epoch,
			   const BbfRangePlace *place)
{
	BlockNumber page = bbf_range_page(meta, epoch, place);
	Buffer		buffer;

	if (!blt_range_has_page(index, page))
		return InvalidBuffer;
	buffer = ReadBuffer(index, page);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	if (blt_range_has_bits(index, page, BufferGetPage(buffer), place))
		return buffer;
	UnlockReleaseBuffer(buffer);
	return InvalidBuffer;
}
