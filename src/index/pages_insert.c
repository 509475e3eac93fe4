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

/* One level of a key that is inserted. */
typedef struct Target
{
	BbfPagesKey *key;
	Buffer		buffer;			/* pinned */
	bool		is_done;		/* its bits are set already */
} Target;

/* Find and pin the page of a target, and see if its bits are set. */
static void
open_target(Relation index, const BbfPagesMeta *meta, const BbfPagesEpoch *epoch,
			Target *target)
{
	const BbfPagesKey *key = target->key;
	Buffer		buffer = ReadBuffer(index, bbf_pages_number(meta, epoch, &key->place));

	target->buffer = buffer;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	blt_pages_verify(index, BufferGetBlockNumber(buffer), BufferGetPage(buffer), &key->place);
	target->is_done = bbf_columns_contain(blt_pages_contents(BufferGetPage(buffer)),
										  blt_pages_slice_bytes(meta), key->column,
										  key->bits, key->nprobes);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
}

/*
 * Set the bits that targets lack.  The page of the upper level, which comes
 * first, is locked first, so no two sessions wait for one another.
 */
static void
write_targets(Relation index, const BbfPagesMeta *meta, Target *targets, int n)
{
	PageChange	changes[BBF_PAGES_LEVELS];
	int			nchanges = 0;

	for (int i = 0; i < n; i++)
	{
		if (targets[i].is_done)
			continue;
		LockBuffer(targets[i].buffer, BUFFER_LOCK_EXCLUSIVE);
		changes[nchanges].buffer = targets[i].buffer;
		changes[nchanges++].key = targets[i].key;
	}
	if (nchanges > 0)
		blt_pages_set_bits(index, blt_pages_slice_bytes(meta), changes, nchanges);
	for (int i = 0; i < nchanges; i++)
		LockBuffer(changes[i].buffer, BUFFER_LOCK_UNLOCK);
}

/* Add a key, which is in a row of this block of the table. */
static void
insert_hash(Relation index, BlockNumber block, uint64 hash)
{
	BbfPagesMeta meta;
	BbfPagesKey keys[BBF_PAGES_LEVELS];
	Target		targets[BBF_PAGES_LEVELS];
	const BbfPagesEpoch *epoch;
	int			n;

	blt_pages_get_for_block(index, block, &meta);
	epoch = bbf_pages_epoch(&meta, blt_pages_group(&meta, block));
	n = bbf_pages_place_in_levels(&meta, epoch, blt_pages_range(&meta, block), hash, keys);
	for (int i = 0; i < n; i++)
	{
		targets[i].key = &keys[i];
		open_target(index, &meta, epoch, &targets[i]);
	}
	write_targets(index, &meta, targets, n);
	for (int i = 0; i < n; i++)
		ReleaseBuffer(targets[i].buffer);
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
