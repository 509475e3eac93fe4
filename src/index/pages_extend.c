/*
 * pages_extend.c
 *	  Adds pages to an index, empty and with their labels.
 *
 * They are in WAL, some 60 bytes each, before the metapage counts them.  So a
 * page that it counts is one of zeros, or missing, only by damage.  Pages past
 * those are what an error or a crash has left behind.
 */
#include "compat.h"

#include "index/pages_extend.h"

#include "access/xloginsert.h"
#include "index/pages_tuning.h"
#include "miscadmin.h"

/* Make a page, which is locked, that of its place, and release it. */
static void
init_buffer(const BbfPagesMeta *meta, BlockNumber page, Buffer buffer)
{
	BbfPagesPlace place;

	(void) bbf_pages_locate(meta, page, &place);
	blt_pages_init_page(BufferGetPage(buffer), &place);
	MarkBufferDirty(buffer);
	UnlockReleaseBuffer(buffer);
}

void
blt_pages_extend(Relation index, BbfPagesMeta *meta, uint32 group, bool is_build)
{
	const BlockNumber end = bbf_pages_group_end(meta, group);
	const BlockNumber nblocks = RelationGetNumberOfBlocks(index);
	BlockNumber page = meta->npages;

	/* whatever was left behind is not looked at */
	for (; page < Min(nblocks, end); page++)
	{
		CHECK_FOR_INTERRUPTS();
		init_buffer(meta, page,
					ReadBufferExtended(index, MAIN_FORKNUM, page, RBM_ZERO_AND_LOCK, NULL));
	}
	while (page < end)
	{
		Buffer		buffers[PAGES_ADDED_AT_ONCE];
		uint32		nadded;

		CHECK_FOR_INTERRUPTS();
		blt_add_buffers(index, Min(end - page, PAGES_ADDED_AT_ONCE), buffers, &nadded);
		for (uint32 i = 0; i < nadded; i++)
		{
			LockBuffer(buffers[i], BUFFER_LOCK_EXCLUSIVE);
			init_buffer(meta, page++, buffers[i]);
		}
	}
	if (page > meta->npages && !is_build && RelationNeedsWAL(index))
		log_newpage_range(index, MAIN_FORKNUM, meta->npages, page, true);
	meta->npages = page;
}
