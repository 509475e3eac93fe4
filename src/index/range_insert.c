/*
 * range_insert.c
 *	  Adds the key of a row: some bits in one page of each level.
 *
 * Bits are never taken back, so a key whose bits are all set, as after an
 * update that leaves it alone, writes nothing.  They are looked at under a
 * lock: a bit that is seen without one may not be in WAL yet, and be lost
 * when the server crashes after this transaction has committed.
 */
#include "compat.h"

#include "index/range_am.h"
#include "index/range_growth.h"
#include "index/range_key.h"
#include "index/range_wal.h"

/* One level of a key that is inserted. */
typedef struct Target
{
	BbfRangeProbe *probe;
	Buffer		buffer;			/* pinned */
	bool		is_done;		/* its bits are set already */
} Target;

/* Find and pin the page of a target, and see if its bits are set. */
static void
open_target(Relation index, const BbfRangeMeta *meta, const BbfRangeEpoch *epoch,
			Target *target)
{
	const BbfRangeProbe *probe = target->probe;
	Buffer		buffer = ReadBuffer(index, bbf_range_page(meta, epoch, &probe->place));

	target->buffer = buffer;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	target->is_done = blt_range_has_bits(index, BufferGetBlockNumber(buffer), BufferGetPage(buffer),
										 &probe->place) &&
		bbf_columns_contain(blt_range_contents(BufferGetPage(buffer)),
							blt_range_slice_bytes(meta), probe->column,
							probe->bits, probe->nprobes);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
}

/*
 * Set the bits that targets lack.  The page of the upper level, which comes
 * first, is locked first, so no two sessions wait for one another.
 */
static void
write_targets(Relation index, const BbfRangeMeta *meta, Target *targets, int n)
{
	RangeChange changes[BBF_RANGE_LEVELS];
	int			nchanges = 0;

	for (int i = 0; i < n; i++)
	{
		if (targets[i].is_done)
			continue;
		LockBuffer(targets[i].buffer, BUFFER_LOCK_EXCLUSIVE);
		changes[nchanges].buffer = targets[i].buffer;
		changes[nchanges++].probe = targets[i].probe;
	}
	if (nchanges > 0)
		blt_range_set_bits(index, blt_range_slice_bytes(meta), changes, nchanges);
	for (int i = 0; i < nchanges; i++)
		LockBuffer(changes[i].buffer, BUFFER_LOCK_UNLOCK);
}

/* Add a key, which is in a row of this block of the table. */
static void
insert_hash(Relation index, BlockNumber block, uint64 hash)
{
	BbfRangeMeta meta;
	BbfRangeProbe probes[BBF_RANGE_LEVELS];
	Target		targets[BBF_RANGE_LEVELS];
	const BbfRangeEpoch *epoch;
	uint32		group;
	int			n;

	blt_range_get_meta(index, 0, &meta);
	group = blt_range_group(&meta, block);
	if (group >= meta.ngroups)
		blt_range_get_group(index, group, &meta);
	epoch = bbf_range_epoch(&meta, group);
	blt_range_extend_to_group(index, &meta, epoch, group);

	n = bbf_range_probe_levels(&meta, epoch, blt_range_number(&meta, block), hash, probes);
	for (int i = 0; i < n; i++)
	{
		targets[i].probe = &probes[i];
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
blt_range_insert(Relation index, Datum *values, bool *isnull, ItemPointer tid,
				 Relation heap, IndexUniqueCheck unique, bool unchanged,
				 struct IndexInfo *info)
{
	if (isnull[0])
		return false;
	if (info->ii_AmCache == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(info->ii_Context);

		info->ii_AmCache = blt_range_create_hasher(index, InvalidOid);
		MemoryContextSwitchTo(caller);
	}
	insert_hash(index, ItemPointerGetBlockNumber(tid),
				blt_range_hash(info->ii_AmCache, values[0]));
	return false;
}
