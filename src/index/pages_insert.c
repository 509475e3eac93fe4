/*
 * pages_insert.c
 *	  Adds the key of a row: some bits in one page of each level.
 *
 * Bits are never taken back, so inserting a key whose bits are all set writes
 * nothing; after an update that keeps the key, they are.  They are looked at
 * under a lock: a bit that is seen without one may not be in WAL yet, and be
 * lost when the server crashes after this transaction has committed.
 */
#include "compat.h"

#include "index/pages_am.h"
#include "index/pages_growth.h"
#include "index/pages_key.h"
#include "index/pages_wal.h"

/*
 * Pin the page of a change, unless its bits are set already; then, return
 * false.
 */
static bool
open_change(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
			PageChange *change)
{
	const BbfPagesKey *key = change->key;
	Buffer		buffer = ReadBuffer(index, bbf_pages_number(meta, epoch, &key->place));
	bool		is_done;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	blt_pages_verify(index, BufferGetBlockNumber(buffer), BufferGetPage(buffer), &key->place);
	is_done = blt_pages_contain(meta, BufferGetPage(buffer), key);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	if (is_done)
		ReleaseBuffer(buffer);
	change->buffer = buffer;
	return !is_done;
}

/*
 * Add a key, which is in a row of this block of the table.  The page of the
 * second level comes first, and is locked first, so no two sessions wait for
 * one another.
 */
static void
insert_hash(Relation index, BlockNumber block, uint64 hash)
{
	BbfPagesMeta meta;
	BbfPagesKey keys[BBF_PAGES_LEVELS];
	PageChange	changes[BBF_PAGES_LEVELS];
	const BbfPagesEpoch *epoch;
	int			nlevels;
	int			n = 0;

	blt_pages_get_for_block(index, block, &meta);
	epoch = bbf_pages_epoch(&meta, blt_pages_group(&meta, block));
	nlevels = bbf_pages_place_in_levels(&meta, epoch, blt_pages_range(&meta, block), hash, keys);
	for (int i = 0; i < nlevels; i++)
	{
		changes[n].key = &keys[i];
		n += open_change(index, &meta, epoch, &changes[n]);
	}
	if (n == 0)
		return;
	for (int i = 0; i < n; i++)
		LockBuffer(changes[i].buffer, BUFFER_LOCK_EXCLUSIVE);
	blt_pages_set_bits(index, blt_pages_slice_bytes(&meta), changes, n);
	for (int i = 0; i < n; i++)
		UnlockReleaseBuffer(changes[i].buffer);
}

/*
 * Whether the key is unchanged is not asked: the server says so of rows in
 * other ranges, too.
 */
bool
blt_pages_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
				 Relation heap, IndexUniqueCheck unique, bool unchanged,
				 struct IndexInfo *info)
{
	if (isnull[0])
		return false;
	if (info->ii_AmCache == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(info->ii_Context);

		info->ii_AmCache = blt_pages_create_hasher(index, InvalidOid);
		MemoryContextSwitchTo(caller);
	}
	insert_hash(index, ItemPointerGetBlockNumber(tid),
				blt_pages_hash(info->ii_AmCache, values[0]));
	return false;
}
